//! What registers hold of guest registers, from block to block.
//!
//! Everything is in the wave's state between blocks; but what a register still holds of it when a block ends the next one need not load. A block
//! finds what all blocks that lead to it have in the same registers at their ends, if these have been compiled before it and go straight there:
//! the entry, places where a wave goes on that was suspended, and the ways into and out of loops that keep rows begin with nothing.
//!
//! ```text
//! b0: ...; v0 in zmm4, v1 in zmm5, EXEC in k2    b0 -> b1, b0 -> b2
//! b1: ...; v0 in zmm4, v1 in zmm7                b1 -> b2
//! b2: finds v0 in zmm4
//! ```

use super::dead_stores::Register;
use super::plan::Event;
use super::regs::{Class, Home, NONE, TEMP};
use super::{Wide, X, sreg};
use wavejit_ir::{BlockId, Func, SReg, Value, goes_back};
use wavejit_x86::{Len, Rm, Vector};

/// A register that holds what a guest register does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Copied {
    class: Class,
    reg: u8,
    home: Home,
}

/// By block: those that lead to it.
pub(super) fn entered_from(func: &Func) -> Vec<Vec<u32>> {
    let mut entered = vec![vec![]; func.blocks.len()];
    for (b, block) in func.blocks.iter().enumerate() {
        block.term.for_each_successor(|s| entered[s.0 as usize].push(b as u32));
    }
    entered
}

/// The blocks of which a block may find something in registers, if `entered` lead to it.
pub(super) fn found_from<'a>(func: &Func, resume: &[BlockId], entered: &'a [u32], block: usize) -> &'a [u32] {
    let to = &func.blocks[block];
    let is_straight = |b: u32| (b as usize) < block && !goes_back(&func.blocks[b as usize], to);
    let finds = !resume.iter().any(|b| b.0 as usize == block) && entered.iter().all(|b| is_straight(*b));
    if finds { entered } else { &[] }
}

impl Wide<'_> {
    /// What a block finds in registers.
    pub(super) fn begin_copies(&mut self, block: usize) {
        let from = found_from(self.func, self.resume, &self.entered[block], block);
        if from.is_empty() || from.iter().any(|b| self.loops.of(*b as usize) != self.loops.of(block)) {
            return;
        }
        let ends = |b: u32| self.copies[b as usize].as_deref().unwrap_or(&[]);
        let (first, others) = (from[0], &from[1..]);
        let found: Vec<Copied> = ends(first).iter().copied().filter(|c| others.iter().all(|b| ends(*b).contains(c))).collect();
        for Copied { class, reg, home } in found {
            if self.r.file_of(class)[usize::from(reg)] == NONE {
                self.hold(class, reg, home);
            }
        }
    }

    /// Notes what is in registers at the end of a block, and empties them.
    pub(super) fn end_copies(&mut self, block: usize) {
        let mut found = vec![];
        if !self.r.has_copies() {
            return;
        }
        for class in [Class::Vector, Class::Mask, Class::General] {
            for reg in 0..self.r.file_of(class).len() {
                let p = self.r.file_of(class)[reg];
                if self.r.is_copy(p) {
                    let home = self.r.pieces[p as usize].home;
                    found.push(Copied { class, reg: reg as u8, home });
                    self.r.discard(p);
                }
            }
        }
        self.copies[block] = Some(found);
    }

    fn hold(&mut self, class: Class, reg: u8, home: Home) {
        let p = self.r.new_piece(class, home);
        self.r.log.note(|| Event::Held { id: p, reg });
        self.r.piece(p).reg = Some(reg);
        self.r.file(class).0.set(reg.into(), p);
        self.r.note_copy(p);
    }

    /// A temporary now holds what a guest register does: it may stay.
    pub(super) fn keep_copy(&mut self, class: Class, reg: u8, home: Home) {
        debug_assert_eq!(self.r.file_of(class)[usize::from(reg)], TEMP);
        if self.r.has_copies() {
            self.hold(class, reg, home);
        }
    }

    /// EXEC has just been set to a mask.
    pub(super) fn settle_exec(&mut self, mask: Value) {
        if !self.r.has_copies() {
            return;
        }
        let val = *self.val(mask);
        for p in (0..self.parts).filter(|p| val.lo[*p] != NONE) {
            self.r.settle(val.lo[p], Home::SRegMask { reg: SReg::EXEC_LO, part: p as u8 });
        }
        if val.word != NONE {
            self.r.settle(val.word, if !self.is_wave64() { Home::SReg(SReg::EXEC_LO) } else { Home::Exec64 });
        }
    }

    /// Is EXEC written from mask registers, without the bits being in a word before?
    pub(super) fn sets_exec_from_masks(&self, mask: Value) -> bool {
        let val = self.val(mask);
        let is_there = val.word == NONE && val.lo[..self.parts].iter().all(|p| *p != NONE);
        !self.is_avx2() && self.r.fixed_sreg(SReg::EXEC_LO).is_none() && is_there && !self.flags.wants_word(mask)
    }

    /// Stores the bits of mask registers as EXEC. All of it goes if nobody reads that.
    pub(super) fn store_exec_from_masks(&mut self, mask: Value) {
        let parts = self.val(mask).lo;
        let k: Vec<u8> = parts[..self.parts].iter().map(|p| self.reg(*p)).collect();
        let t = self.temp_mask();
        let start = self.a.offset();
        let to = Rm::Mem(sreg(SReg::EXEC_LO));
        self.join_masks(&k, t);
        self.vector(Vector::new(if k.len() == 2 { X::KmovdStore } else { X::KmovqStore }, Len::X, 0, 0, to));
        self.note_guest_stores(start, if k.len() == 2 { 2 } else { 4 }, Register::Scalar(SReg::EXEC_LO));
        self.free_temp(Class::Mask, t);
    }
}
