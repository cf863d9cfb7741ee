//! f16, which is done in f32: conversions, and the multiply-add that is rounded once.

use super::lanes::Part;
use super::regs::{Class, PieceId};
use super::{Wide, X};
use wavejit_x86::{Len, Rm, Vector};

impl Wide<'_> {
    /// to = f32 of the low halves of `from`.
    pub(super) fn f32_of_low(&mut self, to: u8, from: u8) {
        self.v(X::Pmovdw, from, 0, Rm::Reg(to));
        self.v(X::Cvtph2ps, to, 0, Rm::Reg(to));
    }

    /// to = f16, to nearest even, of `from`.
    pub(super) fn f16_of(&mut self, to: u8, from: u8) {
        self.vi(X::Cvtps2ph, from, 0, Rm::Reg(to), 0);
        self.v(X::Pmovzxwd, to, 0, Rm::Reg(to));
    }

    /// Two f16 in a dword, toward zero, of two f32.
    pub(super) fn pack_toward_zero(&mut self, part: Part) -> PieceId {
        let (low, high) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let t = self.temp();
        for (to, from) in [(to, low), (t, high)] {
            self.vi(X::Cvtps2ph, from, 0, Rm::Reg(to), 3);
            self.v(X::Pmovzxwd, to, 0, Rm::Reg(to));
        }
        self.vi(X::PslldImm, 0, t, Rm::Reg(t), 16);
        self.v(X::Pord, to, to, Rm::Reg(t));
        new
    }

    /// to = f16 of a * b + c, rounded once, of f16 in f32. The product is exact; the sum is rounded to odd, so that the second rounding is right.
    pub(super) fn half_fma(&mut self, to: u8, [a, b, c]: [u8; 3]) {
        let [p, s, q, t] = [self.temp(), self.temp(), self.temp(), self.temp()];
        let k = self.temp_mask();
        self.v(X::Mulps, p, a, Rm::Reg(b));
        self.v(X::Addps, s, p, Rm::Reg(c));
        // What the sum lost: p is its error from here on.
        self.v(X::Subps, q, s, Rm::Reg(p));
        self.v(X::Subps, t, s, Rm::Reg(q));
        self.v(X::Subps, p, p, Rm::Reg(t));
        self.v(X::Subps, q, c, Rm::Reg(q));
        self.v(X::Addps, p, p, Rm::Reg(q));
        // If it lost anything and is even, the odd number on the side of the error.
        let one = self.splat32(1);
        self.v(X::Pxord, t, t, Rm::Reg(t));
        self.vi(X::Cmpps, k, p, Rm::Reg(t), 0x0c);
        self.vector(Vector::new(X::Ptestnmd, Len::Z, k, s, one).mask(k));
        self.v(X::Pxord, t, s, Rm::Reg(p));
        self.vi(X::PsradImm, 0, t, Rm::Reg(t), 31);
        self.v(X::Pord, t, t, one);
        self.vector(Vector::new(X::Paddd, Len::Z, s, s, Rm::Reg(t)).mask(k));
        // A NaN of c wins over that of an invalid product.
        self.vi(X::Cmpps, k, c, Rm::Reg(c), 3);
        self.vector(Vector::new(X::Cmpps, Len::Z, k, a, Rm::Reg(b)).imm(7).mask(k));
        self.vector(Vector::new(X::MovAligned, Len::Z, s, 0, Rm::Reg(c)).mask(k));
        self.f16_of(to, s);
        for t in [p, s, q, t] {
            self.free_temp(Class::Vector, t);
        }
        self.free_temp(Class::Mask, k);
    }
}
