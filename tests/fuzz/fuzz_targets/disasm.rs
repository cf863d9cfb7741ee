//! Any bytes, for any processor: a listing accounts for every dword, and what it prints can be given to the assembler.
//! The first byte chooses the processor, the second the wave size and the syntax of halves.
#![no_main]

mod limited;

use libfuzzer_sys::fuzz_target;
use limited::limited;
use wavejit_isa::{DisasmOptions, Gfx, assemble_instruction, decode, disasm_stream};

fuzz_target!(|bytes: &[u8]| limited(bytes, run));

fn run(bytes: &[u8]) {
    let [target, flags, code @ ..] = bytes else { return };
    let Some(target) = Gfx::all().nth(usize::from(*target) % Gfx::all().len()) else { return };
    let wave_size = if flags & 1 == 0 { 32 } else { 64 };
    let opts = DisasmOptions { wave_size, true16: flags & 2 != 0, pc: None };
    let mut at = 0;
    for line in disasm_stream(code, target, opts) {
        assert_eq!(line.offset, at);
        at += 4 * line.dwords.len();
        // Not everything that prints is syntax (`/*invalid*/`), but it must not upset the assembler, and its code is code.
        if let Ok(code) = assemble_instruction(&line.text, target, wave_size) {
            assert!(decode(code.dwords(), target, wave_size).is_ok(), "{}", line.text);
        }
    }
    assert_eq!(at, code.len() / 4 * 4);
}
