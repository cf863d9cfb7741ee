//! Any dwords, for any processor: decoding must end in an instruction or an error, and every instruction must print.
//! The first byte chooses the processor, the second the wave size.
#![no_main]

mod limited;

use libfuzzer_sys::fuzz_target;
use limited::limited;
use wavejit_isa::{DisasmOptions, Gfx, decode, disasm};

const TARGETS: [u16; 12] = [0x600, 0x700, 0x803, 0x900, 0x908, 0x90a, 0x942, 0x1010, 0x1030, 0x1100, 0x1150, 0x1200];

fuzz_target!(|bytes: &[u8]| limited(bytes, run));

fn run(bytes: &[u8]) {
    let [target, wave, code @ ..] = bytes else { return };
    let target = Gfx(TARGETS[usize::from(*target) % TARGETS.len()]);
    let wave_size = if wave & 1 == 0 { 32 } else { 64 };
    let words: Vec<u32> = code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut at = 0;
    while at < words.len() {
        let Ok(inst) = decode(&words[at..words.len().min(at + 5)], target, wave_size) else {
            at += 1;
            continue;
        };
        assert!(inst.len >= 1 && usize::from(inst.len) <= words.len() - at);
        let text = disasm(&inst, target, &DisasmOptions { wave_size, true16: wave & 2 != 0, pc: None });
        assert!(text.starts_with(|c: char| c.is_ascii_lowercase()), "{text}");
        at += usize::from(inst.len);
    }
}
