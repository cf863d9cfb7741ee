//! Any text, for any processor: assembling ends in code or an error, and what is assembled reads back line by line, to a text that
//! assembles: to the same code or, where two codes mean the same, to one that stays. The first byte chooses the processor, the second the wave size.
#![no_main]

mod limited;

use libfuzzer_sys::fuzz_target;
use limited::limited;
use wavejit_isa::{DisasmOptions, Gfx, Half, Operand, assemble, assemble_instruction, decode, disasm};

fuzz_target!(|bytes: &[u8]| limited(bytes, run));

fn run(bytes: &[u8]) {
    let [target, wave, text @ ..] = bytes else { return };
    let Some(target) = Gfx::all().nth(usize::from(*target) % Gfx::all().len()) else { return };
    let wave_size = if wave & 1 == 0 { 32 } else { 64 };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(code) = assemble(text, target, wave_size) else { return };
    let read = |words: &[u32]| {
        let inst = decode(words, target, wave_size).unwrap_or_else(|e| panic!("{target} {words:08x?}: {e}"));
        let true16 = inst.ops().iter().any(|o| matches!(o, Operand::Vgpr { half: Half::Hi, .. }));
        disasm(&inst, target, &DisasmOptions { wave_size, true16, pc: None })
    };
    for &(offset, _) in &code.lines {
        let words: Vec<u32> =
            code.bytes[offset as usize..].chunks_exact(4).take(5).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let text = read(&words);
        // A comment stands where there is no name for a value.
        if text.contains("/*") {
            continue;
        }
        let assembled = |text: &str| {
            let code = assemble_instruction(text, target, wave_size);
            code.unwrap_or_else(|e| panic!("{target} {words:08x?} {text}: {e}")).dwords().to_vec()
        };
        let again = assembled(&text);
        assert_eq!(assembled(&read(&again)), again, "{target} {words:08x?} {text}");
    }
}
