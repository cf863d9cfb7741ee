//! Any text, for any processor: assembling ends in code or an error, and what is assembled reads back, line by line.
//! The first byte chooses the processor, the second the wave size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wavejit_jit::isa::{Gfx, assemble, decode};

fuzz_target!(|bytes: &[u8]| {
    let [target, wave, text @ ..] = bytes else { return };
    let Some(target) = Gfx::all().nth(usize::from(*target) % Gfx::all().len()) else { return };
    let wave_size = if wave & 1 == 0 { 32 } else { 64 };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(code) = assemble(text, target, wave_size) else { return };
    for &(offset, _) in &code.lines {
        let words: Vec<u32> =
            code.bytes[offset as usize..].chunks_exact(4).take(5).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert!(decode(&words, target, wave_size).is_ok(), "{words:08x?}");
    }
});
