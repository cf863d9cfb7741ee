//! Sums that stop at a limit, and the median of three, which is how compilers put a value between two.

use super::lanes::Part;
use super::rare::Lanes;
use super::regs::{Class, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, PureOp};
use wavejit_x86::{Cond, Len, Rm, Vector};

impl Wide<'_> {
    pub(super) fn saturated_unsigned(&mut self, op: PureOp, part: Part) -> PieceId {
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        if op == PureOp::UAddSat32 {
            // As much of a as there is room for above b.
            let ones = self.splat32(u32::MAX);
            self.v(X::Pxord, to, b, ones);
            self.v(X::Pminud, to, to, Rm::Reg(a));
            self.v(X::Paddd, to, to, Rm::Reg(b));
        } else {
            self.v(X::Pmaxud, to, a, Rm::Reg(b));
            self.v(X::Psubd, to, to, Rm::Reg(b));
        }
        new
    }

    pub(super) fn saturated_signed(&mut self, op: PureOp, part: Part) -> PieceId {
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let (t, limit, k) = (self.temp(), self.temp(), self.temp_mask());
        let is_sum = op == PureOp::SAddSat32;
        self.v(if is_sum { X::Paddd } else { X::Psubd }, to, a, Rm::Reg(b));
        // Too far: the sign is not that of a, and what is added has that of a.
        self.v(X::Pxord, t, a, Rm::Reg(to));
        self.v(X::Pxord, limit, b, Rm::Reg(if is_sum { to } else { a }));
        self.v(X::Pandd, t, t, Rm::Reg(limit));
        self.v(X::Pmovd2m, k, 0, Rm::Reg(t));
        self.vi(X::PsradImm, 0, limit, Rm::Reg(a), 31);
        let most = self.splat32(i32::MAX as u32);
        self.v(X::Pxord, limit, limit, most);
        self.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(limit)).mask(k));
        new
    }

    /// v_med3_f32, where denormals are kept: the greatest of those that are left without the greatest. NaNs are the row function's.
    pub(super) fn median_part(&mut self, mode: FpMode, part: Part) -> PieceId {
        const GREATER: u8 = 5;
        let [a, b, c] = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        let (top, k, other) = (self.temp(), self.temp_mask(), self.temp_mask());
        self.vi(X::Rangeps, to, a, Rm::Reg(b), GREATER);
        self.vi(X::Rangeps, top, to, Rm::Reg(c), GREATER);
        self.vi(X::Cmpps, k, top, Rm::Reg(b), 0);
        self.vi(X::Cmpps, other, top, Rm::Reg(a), 0);
        self.vector(Vector::new(X::Rangeps, Len::Z, to, a, Rm::Reg(c)).imm(GREATER).mask(k));
        self.vector(Vector::new(X::Rangeps, Len::Z, to, b, Rm::Reg(c)).imm(GREATER).mask(other));
        self.vi(X::Cmpps, k, a, Rm::Reg(b), 3);
        self.vi(X::Cmpps, other, c, Rm::Reg(c), 3);
        self.k(X::Kortestw, k, 0, other);
        self.rarely(Cond::Ne, PureOp::FMed332, mode, [a, b, c].map(Lanes::Dwords).to_vec(), Lanes::Dwords(to));
        self.free_temp(Class::Mask, k);
        self.free_temp(Class::Mask, other);
        new
    }
}
