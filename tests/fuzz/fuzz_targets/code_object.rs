//! Any bytes: loading them as a code object or a bundle, and building the image, must end in a value or an error, in memory that is in
//! proportion to the bytes: more makes the allocator refuse, which ends the target.
#![no_main]

#[path = "../../src/limit.rs"]
mod limit;

use libfuzzer_sys::fuzz_target;
use limit::{Counting, within};
use wavejit::code_object::{BYTES_PER_BYTE, CodeObject, bundle};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What does not depend on the input.
const FREE_BYTES: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let unpacked = if bytes.windows(4).any(|w| w == b"CCOB") {
        bytes.len() * bundle::MAX_RATIO as usize + bundle::FREE_BYTES as usize
    } else {
        bytes.len()
    };
    within(BYTES_PER_BYTE * (bytes.len() + unpacked) + FREE_BYTES, || {
        if let Ok(object) = CodeObject::load(bytes) {
            let _ = object.image(0x7f00_0000_0000);
        }
    });
});
