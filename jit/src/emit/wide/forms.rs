//! One value in several forms. Each form is made when it is first asked for, and kept as long as the value.
//!
//! | shape | forms |
//! |---|---|
//! | mask | mask registers, one for a part (vectors in AVX2); the same in the order of qwords; one for each register of qwords; a word with one bit a lane |
//! | 64-bit lanes | two dwords, as rows have them; qwords, in the order that unpacking gives |
//! | scalar | a word; for a splat of it see `block.rs` |

use super::lanes::int_condition;
use super::quads::DWORDS_OF_QWORDS;
use super::regs::{Class, Home, NO_PARTS, NONE, Parts, PieceId};
use super::wide64::Quad;
use super::{Wide, X};
use std::ops::Range;
use wavejit_ir::{Inst, Op, PureOp, SReg, Value, Width};
use wavejit_x86::{Gpr, Len, Mem, Rm, Shift, Size, Vector};

/// So deep is it looked who wants a mask, and what it is made of: logic may use each mask twice, and each of those.
const DEPTH: u32 = 4;

impl Wide<'_> {
    /// A mask in mask registers.
    pub(super) fn mask_parts(&mut self, v: Value) -> Parts {
        let val = self.val(v);
        if val.lo[self.index()] != NONE {
            return val.lo;
        }
        let parts = if val.hi[self.index()] == NONE { self.mask_from_word(val.word) } else { self.mask_of_qword_mask(val.hi) };
        self.set_lo(v, parts);
        parts
    }

    /// A mask in mask registers in the order of qwords, with AVX-512: of each part the lanes of the first register of qwords, then those of the second.
    pub(super) fn qword_mask_parts(&mut self, v: Value) -> Parts {
        let val = self.val(v);
        if val.hi[self.index()] != NONE {
            return val.hi;
        }
        let k = self.mask_parts(v);
        let parts = self.each_part(&[k], |w, part| {
            let k = w.reg(part.ops[0]);
            let (t, u, first) = (w.temp(), w.temp(), w.temp_mask());
            let (new, to) = w.new_in_register(Class::Mask);
            w.v(X::Pmovm2d, t, 0, Rm::Reg(k));
            w.v(X::Punpckldq, u, t, Rm::Reg(t));
            w.v(X::Pmovq2m, first, 0, Rm::Reg(u));
            w.v(X::Punpckhdq, u, t, Rm::Reg(t));
            w.v(X::Pmovq2m, to, 0, Rm::Reg(u));
            w.k(X::Kunpckbw, to, to, first);
            new
        });
        self.set_order_of_qwords(v, parts);
        parts
    }

    /// A mask for each register of qwords: with AVX-512 of eight lanes in a mask register, with AVX2 as qwords.
    pub(super) fn masks_of_quads(&mut self, v: Value) -> Quad {
        let val = self.val(v);
        if val.quad[0][self.index()] != NONE {
            return val.quad;
        }
        let k = self.mask_parts(v);
        let masks = self.each_part_twice(&[k], |w, part| {
            let k = w.reg(part.ops[0]);
            let (dwords, qwords) = if w.is_avx2() { (k, None) } else { (w.temp(), Some(w.temp())) };
            if !w.is_avx2() {
                w.v(X::Pmovm2d, dwords, 0, Rm::Reg(k));
            }
            [X::Punpckldq, X::Punpckhdq].map(|half| {
                let (new, to) = w.new_in_register(Class::Mask);
                w.v(half, qwords.unwrap_or(to), dwords, Rm::Reg(dwords));
                if let Some(qwords) = qwords {
                    w.v(X::Pmovq2m, to, 0, Rm::Reg(qwords));
                }
                new
            })
        });
        self.set_quad(v, masks);
        masks
    }

    /// A mask in mask registers, from one in the order of qwords.
    fn mask_of_qword_mask(&mut self, parts: Parts) -> Parts {
        self.each_part(&[parts], |w, part| {
            let from = w.reg(part.ops[0]);
            let (t, u) = (w.temp(), w.temp());
            let (new, k) = w.new_in_register(Class::Mask);
            w.v(X::Pmovm2q, t, 0, Rm::Reg(from));
            w.vector(Vector::new(X::Kshiftrw, Len::X, k, 0, Rm::Reg(from)).imm(8));
            w.v(X::Pmovm2q, u, 0, Rm::Reg(k));
            w.vi(X::Shufps, t, t, Rm::Reg(u), DWORDS_OF_QWORDS[0]);
            w.v(X::Pmovd2m, k, 0, Rm::Reg(t));
            new
        })
    }

    /// Does nobody want this mask but selections of qwords, and logic for such? Then it is made in their order.
    pub(super) fn is_for_qwords(&self, mask: Value) -> bool {
        !self.is_avx2() && self.is_for_qwords_within(mask, DEPTH)
    }

    fn is_for_qwords_within(&self, mask: Value, depth: u32) -> bool {
        let insts = &self.func.blocks[self.r.block].insts;
        let uses = self.uses(mask);
        depth > 0
            && !uses.is_empty()
            && uses.iter().all(|at| {
                let Some(Inst { op: Op::Pure { op, args, .. }, first, .. }) = insts.get(*at as usize) else { return false };
                match op {
                    PureOp::Sel64 => true,
                    PureOp::BAnd | PureOp::BOr | PureOp::BXor | PureOp::BAndNot | PureOp::BNot => {
                        let others = || args.iter().flatten().all(|v| *v == mask || self.is_of_qwords(*v, DEPTH));
                        (self.needless.get(first) == Some(&mask) || others()) && self.is_for_qwords_within(*first, depth - 1)
                    }
                    _ => false,
                }
            })
    }

    /// Is this mask there in the order of qwords, or a comparison of such?
    fn is_of_qwords(&self, mask: Value, depth: u32) -> bool {
        use PureOp::*;
        let is_compared = |op: PureOp| op.ret() == Width::B1 && op.args()[0] == Width::B64 && int_condition(op).is_none();
        match self.def(mask) {
            Op::Pure { op: BAnd, .. } if let Some(other) = self.needless.get(&mask) => depth > 0 && self.is_of_qwords(*other, depth - 1),
            Op::Pure { op: BAnd | BOr | BXor | BAndNot | BNot, args, .. } => {
                depth > 0 && args.iter().flatten().all(|v| self.is_of_qwords(*v, depth - 1))
            }
            Op::Pure { op, .. } => is_compared(*op),
            _ => false,
        }
    }

    /// Mask registers from the bits in a word.
    fn mask_from_word(&mut self, word: PieceId) -> Parts {
        let mut parts = NO_PARTS;
        let piece = self.r.pieces[word as usize];
        let from_state = match piece.home {
            // Of masks of 64 bits a scalar register is the low half only.
            Home::SReg(r) if !self.is_wave64() => Some(r),
            Home::Exec64 => Some(SReg::EXEC_LO),
            _ => None,
        };
        // Parts are not pinned together: masks of several values may be more than there are registers.
        let pins = self.pins();
        let mut spread = None;
        for p in 0..self.parts {
            if let Some(reg) = from_state {
                parts[p] = self.r.piece_at(Class::Mask, Home::SRegMask { reg, part: p as u8 });
                if piece.reg.is_none() || self.r.pieces[parts[p] as usize].reg.is_some() {
                    continue;
                }
            }
            let (k, reg) = self.new_in_register(Class::Mask);
            parts[p] = k;
            if self.is_avx2() {
                spread = self.mask_of_part(word, reg, p, spread);
                self.pin_only(pins);
                continue;
            }
            let word = Gpr(self.reg(word));
            if p == 0 {
                self.k(X::KmovdFromGpr, reg, 0, word.0);
            } else {
                let t = self.temp_general();
                self.a.mov(Size::Q, t, word);
                self.a.shift(Shift::Shr, Size::Q, t, self.part_lanes() as u8 * p as u8);
                self.k(X::KmovdFromGpr, reg, 0, t.0);
                self.free_temp(Class::General, t.0);
            }
            self.pin_only(pins);
        }
        parts
    }

    /// A scalar, or the bits of a mask.
    pub(super) fn word(&mut self, v: Value) -> PieceId {
        let val = self.val(v);
        if val.word != NONE {
            return val.word;
        }
        let parts = self.mask_parts(v);
        let (word, reg) = self.new_in_register(Class::General);
        self.bits_of(&parts, Gpr(reg));
        self.set_word(v, word);
        word
    }

    /// The bits of mask registers, in a general register.
    pub(super) fn bits_of(&mut self, parts: &Parts, to: Gpr) {
        let k: Vec<u8> = parts[..self.parts].iter().map(|p| self.reg(*p)).collect();
        let t = self.temp_mask();
        self.bits_in(&k, to, t);
        self.free_temp(Class::Mask, t);
    }

    /// A scalar in a register.
    pub(super) fn scalar(&mut self, v: Value) -> Gpr {
        let word = self.word(v);
        Gpr(self.reg(word))
    }

    /// 64-bit lanes as two dwords.
    pub(super) fn split(&mut self, v: Value) -> (Parts, Parts) {
        let val = *self.val(v);
        if val.lo[self.index()] == NONE {
            let (mut lo, mut hi) = (NO_PARTS, NO_PARTS);
            let pins = self.pins();
            for p in self.slice_of(&val.quad) {
                if p > 0 && val.quad[0][p] == val.quad[0][0] && val.quad[1][p] == val.quad[1][0] {
                    (lo[p], hi[p]) = (lo[0], hi[0]);
                    continue;
                }
                let (first, second) = (self.reg(val.quad[0][p]), self.reg(val.quad[1][p]));
                for (part, pick) in [&mut lo[p], &mut hi[p]].into_iter().zip(DWORDS_OF_QWORDS) {
                    let (piece, reg) = self.new_in_register(Class::Vector);
                    *part = piece;
                    self.vi(X::Shufps, reg, first, Rm::Reg(second), pick);
                }
                self.pin_only(pins);
            }
            self.set_split(v, lo, hi);
        }
        let val = self.val(v);
        (val.lo, val.hi)
    }

    /// 64-bit lanes as qwords.
    pub(super) fn quad(&mut self, v: Value) -> [Parts; 2] {
        let val = *self.val(v);
        if let (NONE, Some(bits)) = (val.quad[0][self.index()], self.splat_constant(v)) {
            let piece = if self.is_avx2() {
                self.splat_piece64(bits)
            } else {
                let at = Mem::constant(self.a.constant64(bits));
                self.r.new_piece(Class::Vector, Home::Bcst64(at))
            };
            // For all parts, even while one of them goes through a run: an operation of the run that is done once may want them all.
            let mut parts = NO_PARTS;
            parts[..self.parts].fill(piece);
            self.set_quad(v, [parts; 2]);
        } else if val.quad[0][self.index()] == NONE {
            let mut quad = [NO_PARTS; 2];
            let pins = self.pins();
            for p in self.slice_of(&[val.lo, val.hi]) {
                if p > 0 && val.lo[p] == val.lo[0] && val.hi[p] == val.hi[0] {
                    (quad[0][p], quad[1][p]) = (quad[0][0], quad[1][0]);
                    continue;
                }
                let (lo, hi) = (self.reg(val.lo[p]), self.rm(val.hi[p]));
                for (q, op) in quad.iter_mut().zip([X::Punpckldq, X::Punpckhdq]) {
                    let (piece, reg) = self.new_in_register(Class::Vector);
                    q[p] = piece;
                    self.v(op, reg, lo, hi);
                }
                self.pin_only(pins);
            }
            self.set_quad(v, quad);
        }
        self.val(v).quad
    }

    /// The parts to be made of another form: all where the value is the same in all lanes.
    fn slice_of(&self, lists: &[Parts; 2]) -> Range<usize> {
        let same = lists.iter().all(|parts| parts[0] != NONE && self.is_uniform(parts));
        if same { 0..self.parts } else { self.slice() }
    }

    /// Are all parts one piece, so that all lanes are equal (or the parts at least)?
    pub(super) fn is_uniform(&self, parts: &Parts) -> bool {
        parts[1..self.parts].iter().all(|p| *p == parts[0])
    }
}
