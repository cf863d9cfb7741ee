//! Conversions and estimates that AVX2 has no instruction for.

use super::super::{Wide, X};
use super::{ORDERED_AT_LEAST, S0, S1, S2};
use wavejit_x86::table::Tuple;
use wavejit_x86::{Cond, Len, Rm, Vector};

const UNORDERED: u8 = 3;
const ORDERED_LESS: u8 = 0x11;
const TOWARDS_ZERO: u8 = 11;

impl Wide<'_> {
    /// Computes the instruction in `to`; false: it is none of these.
    pub(super) fn floats_in_avx2(&mut self, i: Vector, to: u8) -> bool {
        let tuple = i.op.row().tuple;
        match i.op {
            X::Cvtudq2ps => {
                let x = self.operand_in_register(i.rm, tuple);
                // Both halves are exact, and their sum is rounded once.
                let (low, scale) = (self.all32(0xffff), self.all32(65536f32.to_bits()));
                self.y(X::Pand, S0, x, low);
                self.yi(X::PsrldImm, 0, S1, Rm::Reg(x), 16);
                self.y(X::Cvtdq2ps, S0, 0, Rm::Reg(S0));
                self.y(X::Cvtdq2ps, S1, 0, Rm::Reg(S1));
                self.y(X::Mulps, S1, S1, scale);
                self.y(X::Addps, to, S0, Rm::Reg(S1));
            }
            X::Cvtudq2pd => {
                let x = self.operand_in_register(i.rm, tuple);
                let (sign, offset) = (self.all32(1 << 31), self.all64(2147483648f64.to_bits()));
                self.y(X::Pxor, S0, x, sign);
                self.y(X::Cvtdq2pd, S0, 0, Rm::Reg(S0));
                self.y(X::Addpd, to, S0, offset);
            }
            X::Cvttps2udq => {
                // Of numbers from 0 on; from 2^32 on all ones.
                let x = self.operand_in_register(i.rm, tuple);
                let half = self.all32(2147483648f32.to_bits());
                self.yi(X::CmppsY, S0, x, half, ORDERED_AT_LEAST);
                self.y(X::Pand, S1, S0, half);
                self.y(X::Subps, S1, x, Rm::Reg(S1));
                self.y(X::Cvttps2dq, S1, 0, Rm::Reg(S1));
                self.yi(X::PsradImm, 0, S2, Rm::Reg(S1), 31);
                self.y(X::Por, S1, S1, Rm::Reg(S2));
                self.yi(X::PslldImm, 0, S0, Rm::Reg(S0), 31);
                self.y(X::Por, to, S0, Rm::Reg(S1));
            }
            X::Cvttpd2udq => {
                // Of numbers from 0 to 2^32 - 1.
                let x = self.operand(i.rm, tuple);
                let (half, sign) = (self.all64(2147483648f64.to_bits()), self.all32(1 << 31));
                self.yi(X::Roundpd, S0, 0, x, TOWARDS_ZERO);
                self.y(X::Subpd, S0, S0, half);
                self.y(X::Cvttpd2dq, S0, 0, Rm::Reg(S0));
                self.y(X::Pxor, to, S0, sign);
            }
            X::Cvtqq2pd => {
                let x = self.operand_in_register(i.rm, tuple);
                // High dwords above 2^84 + 2^63, low ones above 2^52, as fractions of numbers that end there.
                let (high, both, low) =
                    (self.all64(0x4530_0000_8000_0000), self.all64(0x4530_0000_8010_0000), self.all64(0x4330_0000 << 32));
                self.yi(X::PsrlqImm, 0, S0, Rm::Reg(x), 32);
                self.y(X::Pxor, S0, S0, high);
                self.y(X::Subpd, S0, S0, both);
                self.yi(X::Pblendd, S1, x, low, 0xaa);
                self.y(X::Addpd, to, S0, Rm::Reg(S1));
            }
            X::Getmantps | X::Getmantpd | X::Getexpps | X::Getexppd => self.parts_of_float(i, to),
            X::Scalefpd => self.scale64_by_float(i, to),
            X::Rangeps | X::Rangepd => self.range_in_avx2(i, to),
            // Within 1.5 * 2^-12, which is what forms ask for.
            X::Rsqrt14ps => {
                let x = self.operand(i.rm, tuple);
                self.y(X::Rsqrtps, to, 0, x);
            }
            _ => return false,
        }
        true
    }

    /// Mantissas from 0.5 to 1, and quiet NaNs, of other numbers than zeros and infinities; or exponents of finite ones.
    fn parts_of_float(&mut self, i: Vector, to: u8) {
        let x = self.operand_in_register(i.rm, i.op.row().tuple);
        let wide = matches!(i.op, X::Getmantpd | X::Getexppd);
        let all = |w: &mut Self, narrow: u32, bits: u64| if wide { w.all64(bits) } else { w.all32(narrow) };
        let (compare, multiply, blend) = if wide { (X::CmppdY, X::Mulpd, X::Blendvpd) } else { (X::CmppsY, X::Mulps, X::Blendvps) };
        // Denormals are scaled by 2^24, or 2^54: S0 says where, S1 is what comes of it.
        let magnitude = all(self, !(1 << 31), !(1 << 63));
        let least = all(self, f32::MIN_POSITIVE.to_bits(), f64::MIN_POSITIVE.to_bits());
        let scale = all(self, 16777216f32.to_bits(), 18014398509481984f64.to_bits());
        self.y(X::Pand, S0, x, magnitude);
        self.yi(compare, S0, S0, least, ORDERED_LESS);
        self.y(multiply, S1, x, scale);
        self.yi(blend, S1, x, Rm::Reg(S1), S0 << 4);
        match i.op {
            X::Getmantps | X::Getmantpd => {
                let mantissa = all(self, 0x807f_ffff, 0x800f_ffff_ffff_ffff);
                let half = all(self, 0.5f32.to_bits(), 0.5f64.to_bits());
                self.y(X::Pand, S0, S1, mantissa);
                self.y(X::Por, S0, S0, half);
                self.y(if wide { X::Addpd } else { X::Addps }, S1, x, Rm::Reg(x));
                self.yi(compare, S2, x, Rm::Reg(x), UNORDERED);
                self.yi(blend, to, S0, Rm::Reg(S1), S2 << 4);
            }
            X::Getexpps => {
                let (scaled, bias) = (self.all32(24), self.all32(127));
                self.yi(X::PslldImm, 0, S1, Rm::Reg(S1), 1);
                self.yi(X::PsrldImm, 0, S1, Rm::Reg(S1), 24);
                self.y(X::Pand, S0, S0, scaled);
                self.y(X::Psubd, S1, S1, Rm::Reg(S0));
                self.y(X::Psubd, S1, S1, bias);
                self.y(X::Cvtdq2ps, to, 0, Rm::Reg(S1));
            }
            _ => {
                // As fractions of numbers that end there.
                let (above, bias) = (self.all64(0x4330_0000 << 32), self.all64((4503599627370496f64 + 1023.0).to_bits()));
                let scaled = self.all64(54f64.to_bits());
                self.yi(X::PsllqImm, 0, S1, Rm::Reg(S1), 1);
                self.yi(X::PsrlqImm, 0, S1, Rm::Reg(S1), 53);
                self.y(X::Por, S1, S1, above);
                self.y(X::Subpd, S1, S1, bias);
                self.y(X::Pand, S0, S0, scaled);
                self.y(X::Subpd, to, S1, Rm::Reg(S0));
            }
        }
    }

    /// The mantissa from 0.5 to 1, or the exponent that goes with it: short for normal numbers, by stubs for others.
    pub(in super::super) fn frexp32_in_avx2(&mut self, to: u8, x: u8, exponent: bool) {
        let (rare, done) = (self.a.label(), self.a.label());
        let from = self.source(x, S1);
        self.yi(X::PslldImm, 0, S0, Rm::Reg(from), 1);
        // Without their sign, they are fractions from 2^-126 to the greatest one; compared as unsigned.
        let (least, most) = (self.all32((1u32 << 31).wrapping_sub(1 << 24)), self.all32((0xfdff_ffffu32).wrapping_sub(1 << 31)));
        self.y(X::Paddd, S2, S0, least);
        self.y(X::Pcmpgtd, S2, S2, most);
        self.y(X::Ptest, S2, 0, Rm::Reg(S2));
        self.a.jcc(Cond::Ne, rare);
        let result = self.destination(to);
        if exponent {
            let bias = self.all32(-126i32 as u32);
            self.yi(X::PsrldImm, 0, S0, Rm::Reg(S0), 24);
            self.y(X::Paddd, result, S0, bias);
        } else {
            let (mantissa, half) = (self.all32(0x807f_ffff), self.all32(0.5f32.to_bits()));
            self.y(X::Pand, S0, from, mantissa);
            self.y(X::Por, result, S0, half);
        }
        self.deliver(to, result);
        self.a.bind(done);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            let of_x = |op: X| Vector::new(op, Len::Z, S0, 0, Rm::Reg(x));
            // The one of numbers that have it, then what the others have: zeros and infinities are their own mantissas, exponents of others are 0.
            let (op, kinds) = if exponent { (X::Getexpps, 0x9f) } else { (X::Getmantps, 0x1e) };
            w.parts_of_float(of_x(op), S0);
            if exponent {
                let one = w.all32(1);
                w.y(X::Cvtps2dq, S0, 0, Rm::Reg(S0));
                w.y(X::Paddd, S0, S0, one);
            }
            w.deliver(to, S0);
            w.masks_in_avx2(of_x(X::Fpclassps).imm(kinds), S0);
            let (others, result) = (w.source(to, S1), w.destination(to));
            if exponent {
                w.y(X::Pandn, result, S0, Rm::Reg(others));
            } else {
                let x = w.operand(Rm::Reg(x), Tuple::Whole);
                w.blend(result, others, x, S0);
            }
            w.deliver(to, result);
            w.a.jmp(done);
        }));
    }

    /// Denormals as zeros of their sign.
    pub(in super::super) fn flush_in_avx2(&mut self, to: u8, from: u8) {
        let (from, exponent, zero) = (self.source(from, S1), self.all32(0x7f80_0000), self.all32(0));
        self.y(X::Pand, S0, from, exponent);
        self.y(X::Pcmpeqd, S0, S0, zero);
        self.yi(X::PsrldImm, 0, S0, Rm::Reg(S0), 1);
        let result = self.destination(to);
        self.y(X::Pandn, result, S0, Rm::Reg(from));
        self.deliver(to, result);
    }

    /// Numbers times powers of two from -2044 to 1023, which come as numbers: first by what is below -1022, which rounds only what becomes zero.
    fn scale64_by_float(&mut self, i: Vector, to: u8) {
        let (x, e) = (self.source(i.v, S1), self.operand(i.rm, i.op.row().tuple));
        let (least, bias) = (self.all32(-1022i32 as u32), self.all32(1023));
        self.y(X::Cvtpd2dq, S0, 0, e);
        self.y(X::Pmaxsd, S2, S0, least);
        self.y(X::Psubd, S0, S0, Rm::Reg(S2));
        for power in [S0, S2] {
            self.y(X::Paddd, power, power, bias);
            self.y(X::Pmovzxdq, power, 0, Rm::Reg(power));
            self.yi(X::PsllqImm, 0, power, Rm::Reg(power), 52);
        }
        self.y(X::Mulpd, S0, x, Rm::Reg(S0));
        self.y(X::Mulpd, to, S0, Rm::Reg(S2));
    }
}
