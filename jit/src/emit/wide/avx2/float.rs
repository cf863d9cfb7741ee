//! Conversions and estimates that AVX2 has no instruction for.

use super::super::{Wide, X};
use super::{ORDERED_AT_LEAST, S0, S1, S2};
use wavejit_x86::{Rm, Vector};

const UNORDERED: u8 = 3;
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
            X::Rangeps | X::Rangepd => self.range_in_avx2(i, to),
            X::Rsqrt14ps => {
                let x = self.operand_in_register(i.rm, tuple);
                // An estimate within 2^-11 and a step of Newton's method; of zeros, infinities and what has no root, the estimate.
                let (one, half) = (self.all32(1f32.to_bits()), self.all32(0.5f32.to_bits()));
                self.y(X::Rsqrtps, S0, 0, Rm::Reg(x));
                self.y(X::Mulps, S1, x, Rm::Reg(S0));
                self.y(X::Fnmadd213ps, S1, S0, one);
                self.y(X::Mulps, S2, S0, half);
                self.y(X::Fmadd213ps, S1, S2, Rm::Reg(S0));
                self.yi(X::CmppsY, S2, S1, Rm::Reg(S1), UNORDERED);
                self.blend(to, S1, Rm::Reg(S0), S2);
            }
            _ => return false,
        }
        true
    }
}
