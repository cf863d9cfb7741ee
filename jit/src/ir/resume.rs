//! Numbering of the places where a wave can go on: what [`crate::abi::WaveState::resume`] means for a function.
//!
//! The interpreter and compiled code share this numbering, so a wave may be suspended by one and continued by the other.
//!
//! ```text
//! b0:  ...; jump b1                      resume points: [b0, b1, b3]
//! b1:  ...; branch %4, b1, b2            b1: target of the edge b1 -> b1 (a loop header)
//! b2:  ...; pause barrier, b3            b3: where a wave goes on after the barrier
//! b3:  ...; end
//! ```
//!
//! Fuel (the instruction budget of a wave) is looked at on entering a loop header, before anything of the block runs: if `fuel <= 0`, the
//! wave exits with [`crate::abi::Exit::Fuel`] and `resume` set to that header. Every block, on being entered, takes its `guest_insts`
//! from the fuel. A wave that is resumed at a header is tested like any other, so an exit without a refill repeats.

use super::{BlockId, Func, Term};

/// Is each block a loop header: the target of an edge from a block with the same or a higher number?
///
/// Every cycle contains such an edge, however the blocks are ordered, so no loop runs without passing a header. Edges of unreachable
/// blocks count too.
pub fn loop_headers(func: &Func) -> Vec<bool> {
    let mut header = vec![false; func.blocks.len()];
    for (from, block) in func.blocks.iter().enumerate() {
        for to in block.term.successors() {
            if to.0 as usize <= from {
                header[to.0 as usize] = true;
            }
        }
    }
    header
}

/// Blocks by resume index: the entry block first, then, ascending and without the entry, every loop header and every block that follows
/// a [`Term::Pause`].
pub fn resume_points(func: &Func) -> Vec<BlockId> {
    let mut point = loop_headers(func);
    for block in &func.blocks {
        if let Term::Pause { next, .. } = block.term {
            point[next.0 as usize] = true;
        }
    }
    let later = (1..func.blocks.len()).filter(|b| point[*b]).map(|b| BlockId(b as u32));
    std::iter::once(BlockId(0)).chain(later).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;

    #[test]
    fn entry_headers_and_pause_successors_are_numbered_once_and_in_order() {
        let f = parse(
            "func \"f\" wave32 {
             b0 pc=0 mode=0x3f0 insts=1:
               jump b2
             b1 pc=4 mode=0x3f0 insts=1:
               end
             b2 pc=8 mode=0x3f0 insts=1:
               %0: s1 = sget scc
               branch %0, b2, b3
             b3 pc=12 mode=0x3f0 insts=1:
               pause barrier, b4
             b4 pc=16 mode=0x3f0 insts=1:
               %1: s1 = sget scc
               branch %1, b4, b0
             }",
        )
        .unwrap();
        assert_eq!(loop_headers(&f), [true, false, true, false, true]);
        assert_eq!(resume_points(&f), [BlockId(0), BlockId(2), BlockId(4)]);
    }
}
