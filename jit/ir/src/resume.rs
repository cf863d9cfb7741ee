//! Numbering of the places where a wave can go on: what [`crate::abi::WaveState::resume`] means for a function.
//!
//! The interpreter and compiled code share this numbering, so a wave may be suspended by one and continued by the other.
//!
//! ```text
//! b0:  ...; jump b1                      resume points: [b0, b1, b3]
//! b1:  ...; branch %4, b1, b2            b1: target of the edge b1 -> b1, which goes back
//! b2:  ...; pause barrier, b3            b3: where a wave goes on after the barrier
//! b3:  ...; end
//! ```
//!
//! Fuel (the instruction budget of a wave): every block, on being entered, takes its `guest_insts` from the fuel. A wave that takes an edge
//! *back*, to the address of the instruction that ends its block or to a lower one, looks at it: if `fuel <= 0`, it exits with
//! [`crate::abi::Exit::Fuel`] and `resume` set to the edge's target, which runs without a second look when the wave is entered again. Jumps out of the
//! function are the same to the run time: it looks at the fuel if they go back ([`crate::abi::WaveState::exit_pc`]).
//!
//! The rule speaks of guest addresses only. So a wave stops at the same instructions whether it is compiled or interpreted, and however the
//! code was cut into functions; and no loop, through however many functions, runs without a look.

use super::{Block, BlockId, Func, Term};

/// Does an edge from `from` to `to` go back? Every cycle has an edge that does, since a block does not end before its start.
pub fn goes_back(from: &Block, to: &Block) -> bool {
    to.pc <= from.term_pc
}

/// Is each block a loop header: the target of an edge that goes back? Edges of unreachable blocks count too.
pub fn loop_headers(func: &Func) -> Vec<bool> {
    let mut header = vec![false; func.blocks.len()];
    for block in &func.blocks {
        // Where a pause goes on is a resume point anyway, and the wave has come back then.
        if !matches!(block.term, Term::Pause { .. }) {
            block.term.for_each_successor(|to| header[to.0 as usize] |= goes_back(block, func.block(to)));
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
    use crate::text::parse;

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
