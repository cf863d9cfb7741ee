//! A run of bytes to lines, as llvm-objdump lists a section.

use super::{DisasmOptions, disasm, needs_true16};
use crate::decode::decode;
use crate::target::Gfx;

/// One line of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Byte offset from the start.
    pub offset: usize,
    /// Code of the instruction, or the one dword that is not one.
    pub dwords: Vec<u32>,
    /// Instruction text, or `.long 0x...`.
    pub text: String,
}

/// Lists `bytes` (little endian; a tail shorter than a dword is left out). A dword that starts no instruction prints as `.long` and the
/// listing goes on with the next.
pub fn disasm_stream(bytes: &[u8], target: Gfx, opts: DisasmOptions) -> impl Iterator<Item = Line> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = words.get(at..).filter(|r| !r.is_empty())?;
        let mut o = opts;
        o.pc = opts.pc.map(|pc| pc + 4 * at as u64);
        let (len, text) = match decode(&rest[..rest.len().min(5)], target, opts.wave_size) {
            Ok(inst) if opts.true16 || !needs_true16(&inst) => (usize::from(inst.len), disasm(&inst, target, &o)),
            _ => (1, format!(".long {:#010x}", rest[0])),
        };
        let line = Line { offset: 4 * at, dwords: rest[..len].to_vec(), text };
        at += len;
        Some(line)
    })
}
