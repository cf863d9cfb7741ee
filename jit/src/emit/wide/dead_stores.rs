//! Stores to guest registers that nobody reads.
//!
//! What a block writes to a row or a scalar register is stored, and stays in a host register, where later blocks find it (`copies.rs`). Whether one of them, or a
//! stub, loads it from memory after all is known when all is emitted. In code that only goes forward a store is of no use if nothing behind it reads its
//! bytes: then it is taken out. Such are many short kernels: a test of the work-item's number, and what there is to do. A register that nobody stores to any more
//! need not be restored for the next wave, either ([`Spoiled`]).
//!
//! ```text
//! b0: v0 = v0 + s2 * 256       zmm1; stored to the row of v0
//!     exec = v0 < s3; branch   k1; stored to EXEC
//! b1: load [v0 * 4]            zmm1, k1; nobody needs the stores
//! ```

use super::level::Level;
use super::{ROWS, Wide};
use crate::opt::liveness::{Rows, SRegs, Spoiled};
use rustc_hash::FxHashSet;
use std::ops::Range;
use wavejit_ir::abi::TEMP_ROW;
use wavejit_ir::{Func, Op, SReg, Term};
use wavejit_x86::{Base, Mem, Moved, Touch};

/// A store of a guest register, whole or in part.
pub(super) struct GuestStore {
    /// In the code, with what only it needs before it.
    at: Range<u32>,
    /// Instructions there.
    insts: u32,
    register: Register,
}

#[derive(Clone, Copy)]
pub(super) enum Register {
    Row(u16),
    Scalar(SReg),
    /// This one and the next.
    Pair(SReg),
}

/// May a function have such stores? Its code only goes forward, as its blocks stand, and a wave comes from its entry to its end without a stop. (What operations look at registers by
/// number, or leave that to the run time, is seen while they are emitted: [`Regs::gave_up`](super::regs::Regs::gave_up).)
pub(super) fn goes_straight(func: &Func, level: Level, keeps_final_state: bool) -> bool {
    let is_plain = |term: &Term| matches!(term, Term::Jump(_) | Term::Branch { .. } | Term::End);
    let has_stores = |op: &Op| matches!(op, Op::VSet { .. } | Op::SSet(..) | Op::ExecSet(_));
    let mut blocks = func.blocks.iter();
    level == Level::Avx512
        && !keeps_final_state
        && blocks.clone().zip(0..).all(|(b, i)| is_plain(&b.term) && b.term.successors().into_iter().all(|s| s.0 > i))
        && blocks.any(|b| b.insts.iter().any(|inst| has_stores(&inst.op)))
}

/// Bytes of memory with one base, in pieces, of which some are read.
struct Read {
    piece: i32,
    pieces: FxHashSet<i32>,
}

impl Read {
    fn in_pieces_of(piece: i32) -> Read {
        Read { piece, pieces: FxHashSet::default() }
    }

    fn pieces(&self, m: &Mem, bytes: u32) -> Range<i32> {
        m.disp.div_euclid(self.piece)..(m.disp + bytes as i32 - 1).div_euclid(self.piece) + 1
    }

    fn note(&mut self, m: &Mem, bytes: u32) {
        self.pieces.extend(self.pieces(m, bytes));
    }

    fn is_read(&self, m: &Mem, bytes: u32) -> bool {
        self.pieces(m, bytes).any(|piece| self.pieces.contains(&piece))
    }
}

impl Wide<'_> {
    /// The code since `start` is a store of a guest register.
    pub(super) fn note_guest_store(&mut self, start: u32, register: Register) {
        self.note_guest_stores(start, 1, register);
    }

    /// The same of so many instructions, of which the last one is the store, and no other one touches a register of the guest.
    pub(super) fn note_guest_stores(&mut self, start: u32, insts: u32, register: Register) {
        if self.goes_straight {
            self.guest_stores.push(GuestStore { at: start..self.a.offset(), insts, register });
        }
    }

    /// Takes out the stores that nobody reads, when all is emitted. Tells where code is now, and which registers are spoiled of those that might be.
    pub(super) fn drop_dead_stores(&mut self, mut spoiled: Spoiled) -> (Moved, Spoiled) {
        let stores = std::mem::take(&mut self.guest_stores);
        // One that may reach more than it says, temporary rows aside.
        let guests = i32::from(TEMP_ROW) * self.row_bytes();
        let is_lost = |t: &Touch| (t.mem.index.is_some() || t.bytes > 64) && (t.mem.base != Base::Reg(ROWS) || t.mem.disp < guests);
        if !self.goes_straight || self.has_calls || self.r.gave_up || self.a.touches().iter().any(is_lost) {
            return (Moved::default(), spoiled);
        }
        let (mut rows, mut state) = (Read::in_pieces_of(self.part_bytes()), Read::in_pieces_of(4));
        let (mut dead, mut insts) = (vec![], 0);
        let (mut kept_rows, mut kept_sregs) = (Rows::default(), SRegs::default());
        let mut left = stores.iter().rev().peekable();
        // From the end on: what is read behind.
        for touch in self.a.touches().iter().rev() {
            let read = if touch.mem.base == Base::Reg(ROWS) { &mut rows } else { &mut state };
            if touch.bytes > 64 {
                continue;
            }
            let Some(store) = left.next_if(|store| store.at.contains(&touch.at)) else {
                read.note(&touch.mem, touch.bytes);
                continue;
            };
            let bytes = match store.register {
                Register::Row(_) => touch.bytes,
                Register::Scalar(SReg::EXEC_LO) if self.is_wave64() => 8,
                Register::Scalar(_) => 4,
                Register::Pair(_) => 8,
            };
            if !read.is_read(&touch.mem, bytes) {
                dead.push(store.at.clone());
                insts += store.insts;
                continue;
            }
            match store.register {
                Register::Row(row) => kept_rows.add(row),
                Register::Scalar(SReg::EXEC_LO) => [SReg::EXEC_LO, SReg::EXEC_HI].into_iter().for_each(|r| kept_sregs.add(r)),
                Register::Scalar(r) => kept_sregs.add(r),
                Register::Pair(low) => [low, SReg(low.0 + 1)].into_iter().for_each(|r| kept_sregs.add(r)),
            }
        }
        debug_assert!(left.next().is_none(), "a store that has not been seen");
        dead.reverse();
        (spoiled.rows, spoiled.sregs) = (spoiled.rows.within(&kept_rows), spoiled.sregs.within(&kept_sregs));
        (self.a.remove(&dead, insts), spoiled)
    }
}
