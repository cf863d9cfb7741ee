//! Powers of two and binary logarithms of f32 in f32, in AVX-512: a table of 16 or 32 entries, and a polynomial whose result is kept as a sum of two
//! numbers.
//!
//! What `ir::eval` defines is computed in f64 and rounded once. Here the sum of both numbers is off by less than a bound that is part of the
//! code: where it rounds to one f32 with the bound added and with the bound taken away, that f32 is the result. Else, for one lane in 1,000, it is near the middle
//! of two, and a stub calls the row function ([`Wide::rarely`]). With these bounds no operand of 32 bits has another result (`jit/tests/wide.rs` looks at all);
//! half of them are too little for some.
//!
//! ```text
//! 2^x = 2^n * T(j) * 2^r        n + j/16 the nearest to x, |r| <= 1/32
//! log2 x = e + T(j) + log2 (1 + r)    x = m 2^e, r = m c(j) - 1, without an error since c has 6 bits; |r| <= 1/32
//! ```

use super::regs::{Class, PieceId};
use super::transcendental::NOT_LESS;
use super::{Wide, X};
use crate::emit::wide::rare::Lanes;
use wavejit_ir::{FpMode, PureOp};
use wavejit_x86::{Cond, Len, Rm, Vector};

/// `2^(j / 16)`, and what is missing.
#[rustfmt::skip]
const POWER: [u32; 16] = [
    0x3f80_0000, 0x3f85_aac3, 0x3f8b_95c2, 0x3f91_c3d3, 0x3f98_37f0, 0x3f9e_f532, 0x3fa5_fed7, 0x3fad_583f,
    0x3fb5_04f3, 0x3fbd_08a4, 0x3fc5_672a, 0x3fce_248c, 0x3fd7_44fd, 0x3fe0_ccdf, 0x3fea_c0c7, 0x3ff5_257d,
];
#[rustfmt::skip]
const POWER_REST: [u32; 16] = [
    0x0000_0000, 0x334f_9891, 0xb260_aba1, 0x3367_5624, 0x3323_1b71, 0x3341_2342, 0xb32c_9d5e, 0xb22d_eaf6,
    0x32cf_e77a, 0xb341_4fe8, 0x320a_a837, 0x3228_fc24, 0xb2d4_a58a, 0xb21e_ab59, 0xb241_16de, 0x3229_2436,
];
/// ln 2 in two numbers.
const LN_2: [u32; 2] = [0x3f31_7218, 0xb102_e308];
/// `(2^r - 1 - r ln 2) / r^2` in powers of r on [-1/32, 1/32], error of the power 2^-45.
const POWER_TAIL: [u32; 4] = [0x3e75_fdf0, 0x3d63_5847, 0x3c1d_95fd, 0x3aae_c47f];
/// 1.5 * 2^19: added to a number, it leaves the nearest 16th in the low bits.
const SIXTEENTHS: u32 = 0x4940_0000;
/// Of sums from 0.97 to 2.05, 2^-34.
const POWER_BOUND: u32 = (127 - 34) << 23;

/// Multiples of 1/64 next to the reciprocals of `1 + (j + 1/2) / 32`.
#[rustfmt::skip]
const RECIPROCAL: [u32; 32] = [
    0x3f80_0000, 0x3f74_0000, 0x3f6c_0000, 0x3f68_0000, 0x3f60_0000, 0x3f5c_0000, 0x3f54_0000, 0x3f50_0000,
    0x3f4c_0000, 0x3f44_0000, 0x3f40_0000, 0x3f3c_0000, 0x3f38_0000, 0x3f34_0000, 0x3f30_0000, 0x3f2c_0000,
    0x3f28_0000, 0x3f24_0000, 0x3f24_0000, 0x3f20_0000, 0x3f1c_0000, 0x3f18_0000, 0x3f18_0000, 0x3f14_0000,
    0x3f10_0000, 0x3f10_0000, 0x3f0c_0000, 0x3f08_0000, 0x3f08_0000, 0x3f04_0000, 0x3f04_0000, 0x3f00_0000,
];
/// `-log2` of them as a multiple of 2^-15, and what is missing.
#[rustfmt::skip]
const LOGARITHM: [u32; 32] = [
    0x0000_0000, 0x3d8d_e000, 0x3df0_6000, 0x3e11_7000, 0x3e45_4800, 0x3e5f_e000, 0x3e8b_5000, 0x3e99_6000,
    0x3ea7_b800, 0x3ec5_4400, 0x3ed4_8000, 0x3ee4_0c00, 0x3ef3_f000, 0x3f02_1600, 0x3f0a_6200, 0x3f12_e000,
    0x3f1b_9200, 0x3f24_7800, 0x3f24_7800, 0x3f2d_9600, 0x3f36_f000, 0x3f40_8800, 0x3f40_8800, 0x3f4a_6200,
    0x3f54_8000, 0x3f54_8000, 0x3f5e_e800, 0x3f69_9c00, 0x3f69_9c00, 0x3f74_a200, 0x3f74_a200, 0x3f80_0000,
];
#[rustfmt::skip]
const LOGARITHM_REST: [u32; 32] = [
    0x0000_0000, 0xb74d_5a00, 0xb765_170d, 0xb724_7aaa, 0xb74f_ea81, 0x374f_5000, 0xb77e_b270, 0xb48e_4789,
    0xb589_a627, 0x36c0_55fe, 0xb5d1_cfdf, 0x36ee_16a3, 0xb620_1ac7, 0xb5ad_1961, 0x3730_7f34, 0x36a0_463c,
    0xb76a_247c, 0xb707_3674, 0xb707_3674, 0x35f6_865d, 0xb5f5_61c1, 0xb635_c813, 0xb635_c813, 0xb73c_5b6a,
    0xb651_cfdf, 0xb651_cfdf, 0xb731_19b5, 0x3510_536f, 0x3510_536f, 0x3716_4539, 0x3716_4539, 0x0000_0000,
];
/// log2 e in two numbers.
const LOG2_E: [u32; 2] = [0x3fb8_aa3b, 0x32a5_7060];
/// `(log2 (1 + r) - r log2 e) / r^2` in powers of r on [-1/32, 1/32], error of the logarithm 2^-41.
const LOGARITHM_TAIL: [u32; 5] = [0xbf38_aa3b, 0x3ef6_384d, 0xbeb8_aa39, 0x3e93_dc63, 0xbe76_7210];
/// Of the sum, 2^-34 of itself, and 2^-23 of r^2.
const LOGARITHM_BOUND: [u32; 2] = [(127 - 34) << 23, (127 - 23) << 23];

/// vcmpps: not equal, and none is a NaN.
const DIFFERENT: u8 = 0x0c;
/// vreduceps: what is left of a number without its nearest multiple of 1/16.
const OF_SIXTEENTHS: u8 = 0x40;

impl Wide<'_> {
    /// 2^x. Of a NaN all sums are that NaN. Denormals are zero, or are what the mantissa, rounded to 24 bits, gives when it is scaled.
    pub(super) fn power_by_table(&mut self, op: PureOp, mode: FpMode, p: PieceId) -> PieceId {
        let (new, to) = self.new_in_register(Class::Vector);
        let x = self.reg(p);
        let [t, r, n, s, e, h] = std::array::from_fn(|_| self.temp());
        let rare = self.temp_mask();
        let sixteenths = self.element32(SIXTEENTHS);
        self.v(X::Broadcast, t, 0, sixteenths);
        self.v(X::Addps, t, x, Rm::Reg(t));
        self.vi(X::Reduceps, r, 0, Rm::Reg(x), OF_SIXTEENTHS);
        self.v(X::Subps, n, x, Rm::Reg(r));
        // The table, by the low four bits: to, and t what is missing.
        for (of, table) in [(to, POWER), (t, POWER_REST)] {
            let table = self.table(|i| table[i as usize]);
            self.v(X::Permd, of, t, table);
        }
        // 2^r - 1 = h + e
        self.tail(s, r, &POWER_TAIL);
        self.product_and_rest(h, e, r, LN_2);
        self.v(X::Mulps, r, r, Rm::Reg(r));
        self.v(X::Fmadd231ps, e, r, Rm::Reg(s));
        // s = to + to h, and r what was rounded off
        self.v(X::MovAligned, s, 0, Rm::Reg(to));
        self.v(X::Fmadd231ps, s, to, Rm::Reg(h));
        self.v(X::Subps, r, to, Rm::Reg(s));
        self.v(X::Fmadd231ps, r, to, Rm::Reg(h));
        // e = to e + (t + t h + r)
        self.v(X::Fmadd213ps, h, t, Rm::Reg(t));
        self.v(X::Addps, h, h, Rm::Reg(r));
        self.v(X::Fmadd213ps, e, to, Rm::Reg(h));
        let bound = self.splat32(POWER_BOUND);
        self.v(X::Addps, to, e, bound);
        self.v(X::Subps, e, e, bound);
        self.v(X::Addps, to, s, Rm::Reg(to));
        self.v(X::Addps, e, s, Rm::Reg(e));
        self.vi(X::Cmpps, rare, to, Rm::Reg(e), DIFFERENT);
        let scale = Vector::new(X::Scalefps, Len::Z, to, to, Rm::Reg(n));
        if op == PureOp::FExp232 {
            // What would be a denormal, which takes some processors a hundred times as long, is zero.
            let k = self.temp_mask();
            let least = self.splat32((-126f32).to_bits());
            self.vi(X::Cmpps, k, x, least, NOT_LESS);
            self.vector(scale.zeroing(k));
            self.free_temp(Class::Mask, k);
        } else {
            self.vector(scale);
        }
        self.free_temps(&[t, r, n, s, e, h]);
        self.any(rare);
        self.rarely(Cond::Ne, op, mode, vec![Lanes::Dwords(x)], Lanes::Dwords(to));
        self.free_temp(Class::Mask, rare);
        new
    }

    /// log2 x of positive normal numbers; of others, anything.
    pub(super) fn logarithm_by_table(&mut self, mode: FpMode, to: u8, x: u8) {
        let [s, r, j, c, b, h] = std::array::from_fn(|_| self.temp());
        let rare = self.temp_mask();
        self.v(X::Getexpps, s, 0, Rm::Reg(x));
        self.vi(X::Getmantps, r, 0, Rm::Reg(x), 0);
        // The highest five bits behind the point.
        self.vi(X::PsrldImm, 0, j, Rm::Reg(r), 18);
        for (of, table) in [(c, RECIPROCAL), (b, LOGARITHM), (j, LOGARITHM_REST)] {
            let [first, second] = [0, 16].map(|from| self.table(|i| table[from + i as usize]));
            if of != j {
                self.v(X::MovAligned, of, 0, Rm::Reg(j));
            }
            self.v(X::MovLoad, h, 0, first);
            self.v(X::Permi2d, of, h, second);
        }
        let one = self.splat32(1f32.to_bits());
        self.v(X::Fmsub213ps, r, c, one);
        // log2 (1 + r) = h + to + c r^2
        self.tail(c, r, &LOGARITHM_TAIL);
        self.product_and_rest(h, to, r, LOG2_E);
        self.v(X::Mulps, r, r, Rm::Reg(r));
        // s = b + h, and h what was rounded off
        self.v(X::Addps, b, s, Rm::Reg(b));
        self.v(X::Addps, s, b, Rm::Reg(h));
        self.v(X::Subps, b, s, Rm::Reg(b));
        self.v(X::Subps, h, h, Rm::Reg(b));
        self.v(X::Addps, j, j, Rm::Reg(h));
        self.v(X::Addps, j, to, Rm::Reg(j));
        self.v(X::Fmadd231ps, j, r, Rm::Reg(c));
        let magnitude = self.splat32(!(1 << 31));
        self.v(X::Pandd, b, s, magnitude);
        let [of_sum, of_square] = LOGARITHM_BOUND.map(|bound| self.splat32(bound));
        self.v(X::Mulps, b, b, of_sum);
        self.v(X::Fmadd231ps, b, r, of_square);
        self.v(X::Addps, to, j, Rm::Reg(b));
        self.v(X::Subps, j, j, Rm::Reg(b));
        self.v(X::Addps, to, s, Rm::Reg(to));
        self.v(X::Addps, j, s, Rm::Reg(j));
        self.vi(X::Cmpps, rare, to, Rm::Reg(j), DIFFERENT);
        self.free_temps(&[s, r, j, c, b, h]);
        self.any(rare);
        self.rarely(Cond::Ne, PureOp::FLog232, mode, vec![Lanes::Dwords(x)], Lanes::Dwords(to));
        self.free_temp(Class::Mask, rare);
    }

    /// to = `c[0] + c[1] x + c[2] x^2 ...`
    fn tail(&mut self, to: u8, x: u8, c: &[u32]) {
        let (last, rest) = c.split_last().expect("polynomials have coefficients");
        let last = self.element32(*last);
        self.v(X::Broadcast, to, 0, last);
        for c in rest.iter().rev() {
            let c = self.splat32(*c);
            self.v(X::Fmadd213ps, to, x, c);
        }
    }

    /// product = x c rounded, and what is missing: `c` is in two numbers.
    fn product_and_rest(&mut self, product: u8, rest: u8, x: u8, c: [u32; 2]) {
        let [first, second] = c.map(|c| self.splat32(c));
        self.v(X::Mulps, product, x, first);
        self.v(X::MovAligned, rest, 0, Rm::Reg(product));
        self.v(X::Fmsub231ps, rest, x, first);
        self.v(X::Fmadd231ps, rest, x, second);
    }

    fn free_temps(&mut self, temps: &[u8]) {
        temps.iter().for_each(|t| self.free_temp(Class::Vector, *t));
    }
}
