//! Any bytes: loading them as a code object or a bundle, and building the image, must end in a value or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wavejit::code_object::CodeObject;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(object) = CodeObject::load(bytes)
        && object.image_bytes() < 1 << 24
    {
        let _ = object.image(0x7f00_0000_0000);
    }
});
