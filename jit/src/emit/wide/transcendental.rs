//! Powers, logarithms, sine and cosine of f32: as `ir::eval` defines them, step for step, in f64, eight lanes at a time, but with fused sums of products: for no
//! operand of 32 bits do these round to another f32 (`jit/tests/wide.rs` looks at all). Reciprocal roots, in f32.

use super::lanes::{EQ, LT};
use super::regs::{Class, PieceId};
use super::{Wide, X};
use wavejit_ir::PureOp;
use wavejit_ir::eval::{COS, EXP2, LOG2, ROUNDER, SIN, SQRT_HALF};
use wavejit_x86::{Cond, Len, Rm, Vector};

const SIGN: u32 = 0x8000_0000;
const INF: u32 = 0x7f80_0000;
/// The default NaN.
const NAN: u32 = 0xffc0_0000;
const QUIET: u32 = 0x0040_0000;
/// Mantissas, with the lowest bit of the exponent, of numbers whose reciprocal root is next to the middle of two.
const NEAR_MIDDLES: [u32; 2] = [0x0009_f038, 0x007f_fffe];

impl Wide<'_> {
    pub(super) fn transcendental(&mut self, op: PureOp, p: PieceId) -> PieceId {
        let (new, to) = self.new_in_register(Class::Vector);
        let given = self.reg(p);
        match op {
            PureOp::FExp232 => {
                let x = self.flushed(p);
                self.by_halves(to, x, |w, d| w.exp2(d));
                self.flush(to, to);
            }
            PureOp::FLog232 => {
                let x = self.flushed(p);
                self.by_halves(to, x, |w, d| w.log2(d));
                let k = self.temp_mask();
                let infinity = self.splat32(INF);
                self.vi(X::Pcmpd, k, x, infinity, EQ);
                self.set_lanes(to, k, INF);
                let zero = self.splat32(0);
                self.vi(X::Pcmpd, k, x, zero, LT);
                self.set_lanes(to, k, NAN);
                self.vi(X::Fpclassps, k, 0, Rm::Reg(x), 0x06);
                self.set_lanes(to, k, SIGN | INF);
                self.free_temp(Class::Mask, k);
            }
            _ => {
                let (x, k) = (self.temp(), self.temp_mask());
                let magnitude = self.splat32(!SIGN);
                self.v(X::Pandd, to, given, magnitude);
                // From 2^24 on every number is a whole number of turns.
                let limit = self.splat32(16777216f32.to_bits());
                self.vi(X::Pcmpud, k, to, limit, LT);
                self.vector(Vector::new(X::MovAligned, Len::Z, x, 0, Rm::Reg(given)).zeroing(k));
                self.by_halves(to, x, |w, d| w.sin_turns(d, u64::from(op == PureOp::FCos32)));
                self.v(X::Pandd, x, given, magnitude);
                let infinity = self.splat32(INF);
                self.vi(X::Pcmpd, k, x, infinity, EQ);
                self.set_lanes(to, k, NAN);
                if op == PureOp::FSin32 {
                    let minus_zero = self.splat32(SIGN);
                    self.vi(X::Pcmpd, k, given, minus_zero, EQ);
                    self.set_lanes(to, k, SIGN);
                }
                self.free_temp(Class::Mask, k);
            }
        }
        // NaNs as they came, quieted.
        let k = self.temp_mask();
        self.vi(X::Cmpps, k, given, Rm::Reg(given), 3);
        let quiet = self.splat32(QUIET);
        self.vector(Vector::new(X::Pord, Len::Z, to, given, quiet).mask(k));
        new
    }

    /// `bits` in the lanes of `k`.
    fn set_lanes(&mut self, to: u8, k: u8, bits: u32) {
        let m = self.element32(bits);
        self.vector(Vector::new(X::Broadcast, Len::Z, to, 0, m).mask(k));
    }

    /// to = f32 of `f` in f64 of the lanes of x.
    fn by_halves(&mut self, to: u8, x: u8, f: impl Fn(&mut Self, u8)) {
        let [d, low, t] = [self.temp(), self.temp(), self.temp()];
        self.v(X::Cvtps2pd, d, 0, Rm::Reg(x));
        f(self, d);
        self.v(X::Cvtpd2ps, low, 0, Rm::Reg(d));
        self.vi(X::Extract64x4, x, 0, Rm::Reg(t), 1);
        self.v(X::Cvtps2pd, d, 0, Rm::Reg(t));
        f(self, d);
        self.v(X::Cvtpd2ps, t, 0, Rm::Reg(d));
        self.vi(X::Insert64x4, to, low, Rm::Reg(t), 1);
        for t in [d, low, t] {
            self.free_temp(Class::Vector, t);
        }
    }

    /// An f64 operation with a constant.
    fn with(&mut self, op: X, to: u8, x: u8, c: f64) {
        let c = self.splat64(c.to_bits());
        self.v(op, to, x, c);
    }

    /// to = `c[0] + c[1] x + c[2] x^2 ...`
    fn polynomial(&mut self, to: u8, x: u8, c: &[f64]) {
        let (last, rest) = c.split_last().expect("polynomials have coefficients");
        let m = self.element64(last.to_bits());
        self.v(X::BroadcastQ, to, 0, m);
        for c in rest.iter().rev() {
            self.times_plus(to, x, *c);
        }
    }

    /// to = to * x + c
    fn times_plus(&mut self, to: u8, x: u8, c: f64) {
        let c = self.splat64(c.to_bits());
        self.v(X::Fmadd213pd, to, x, c);
    }

    fn exp2(&mut self, d: u8) {
        let [t, r, p] = [self.temp(), self.temp(), self.temp()];
        self.with(X::Maxpd, d, d, -200.0);
        self.with(X::Minpd, d, d, 200.0);
        self.with(X::Addpd, t, d, ROUNDER);
        self.with(X::Subpd, r, t, ROUNDER);
        self.v(X::Subpd, r, d, Rm::Reg(r));
        self.polynomial(p, r, &EXP2);
        self.times_plus(p, r, 1.0);
        let bias = self.splat64(1023);
        self.v(X::Paddq, t, t, bias);
        self.vi(X::PsllqImm, 0, t, Rm::Reg(t), 52);
        self.v(X::Mulpd, d, p, Rm::Reg(t));
        for t in [t, r, p] {
            self.free_temp(Class::Vector, t);
        }
    }

    fn log2(&mut self, d: u8) {
        let [k, m, e] = [self.temp(), self.temp(), self.temp()];
        let least = self.splat64(SQRT_HALF);
        self.v(X::Psubq, k, d, least);
        let mantissa = self.splat64((1 << 52) - 1);
        self.v(X::Pandq, m, k, mantissa);
        self.v(X::Paddq, m, m, least);
        self.vi(X::PsraqImm, 0, e, Rm::Reg(k), 52);
        let rounder = self.splat64(ROUNDER.to_bits());
        self.v(X::Paddq, e, e, rounder);
        self.with(X::Subpd, e, e, ROUNDER);
        self.with(X::Subpd, k, m, 1.0);
        self.with(X::Addpd, m, m, 1.0);
        self.v(X::Divpd, k, k, Rm::Reg(m));
        self.v(X::Mulpd, m, k, Rm::Reg(k));
        self.polynomial(d, m, &LOG2);
        self.v(X::Fmadd213pd, d, k, Rm::Reg(e));
        for t in [k, m, e] {
            self.free_temp(Class::Vector, t);
        }
    }

    /// sin(2 pi d), or so many quarters of a turn on.
    fn sin_turns(&mut self, d: u8, quarters: u64) {
        let [t, z, sin, cos] = [self.temp(), self.temp(), self.temp(), self.temp()];
        let k = self.temp_mask();
        self.with(X::Addpd, t, d, ROUNDER);
        self.with(X::Subpd, t, t, ROUNDER);
        self.v(X::Subpd, d, d, Rm::Reg(t));
        self.with(X::Mulpd, d, d, 4.0);
        self.with(X::Addpd, t, d, ROUNDER);
        self.with(X::Subpd, z, t, ROUNDER);
        self.v(X::Subpd, d, d, Rm::Reg(z));
        if quarters != 0 {
            let quarters = self.splat64(quarters);
            self.v(X::Paddq, t, t, quarters);
        }
        self.v(X::Mulpd, z, d, Rm::Reg(d));
        self.polynomial(sin, z, &SIN);
        self.v(X::Mulpd, sin, sin, Rm::Reg(d));
        self.polynomial(cos, z, &COS);
        self.times_plus(cos, z, 1.0);
        let odd = self.splat64(1);
        self.v(X::Ptestmq, k, t, odd);
        self.vector(Vector::new(X::Blendmq, Len::Z, d, sin, Rm::Reg(cos)).mask(k));
        let half_turn = self.splat64(2);
        self.v(X::Pandq, t, t, half_turn);
        self.vi(X::PsllqImm, 0, t, Rm::Reg(t), 62);
        self.v(X::Pxorq, d, d, Rm::Reg(t));
        // No negative zeros.
        self.with(X::Addpd, d, d, 0.0);
        for t in [t, z, sin, cos] {
            self.free_temp(Class::Vector, t);
        }
        self.free_temp(Class::Mask, k);
    }

    /// 1 / sqrt(x) as `eval` has it, which rounds the root and the quotient in f64 and then to f32: an estimate, one step of Newton's method,
    /// and the remainder of that in two multiply-adds, which gives the nearest number but for what is next to the middle of two. For any
    /// estimate within 2^-14 these are two mantissas, whose last bit is then 1 (`jit/tests/wide.rs` looks at all).
    /// Lanes of these mantissas, and what is not a positive normal number, are rare: a stub looks at them.
    pub(super) fn reciprocal_root(&mut self, p: PieceId) -> PieceId {
        let (new, y) = self.new_in_register(Class::Vector);
        let x = self.reg(p);
        let [g, e, c, t] = [self.temp(), self.temp(), self.temp(), self.temp()];
        let k: [u8; 3] = std::array::from_fn(|_| self.temp_mask());
        let splat = |w: &mut Self, to: u8, c: f32| {
            let m = w.element32(c.to_bits());
            w.v(X::Broadcast, to, 0, m);
        };
        self.v(X::Rsqrt14ps, y, 0, Rm::Reg(x));
        // e = 1 - x y^2; y += y e (1/2 + 3/8 e)
        self.v(X::Mulps, g, x, Rm::Reg(y));
        splat(self, e, 1.0);
        self.v(X::Fnmadd231ps, e, g, Rm::Reg(y));
        splat(self, c, 0.375);
        let half = self.splat32(0.5f32.to_bits());
        self.v(X::Fmadd213ps, c, e, half);
        self.v(X::Mulps, e, e, Rm::Reg(y));
        self.v(X::Fmadd213ps, e, c, Rm::Reg(y));
        // e is y now. g + c = x y without an error; the remainder is 1 - (g + c) y.
        self.v(X::Mulps, g, x, Rm::Reg(e));
        self.v(X::MovAligned, c, 0, Rm::Reg(g));
        self.v(X::Fmsub231ps, c, x, Rm::Reg(e));
        // c = x y - g
        splat(self, t, 1.0);
        self.v(X::Fnmadd231ps, t, g, Rm::Reg(e));
        self.v(X::Fnmadd231ps, t, c, Rm::Reg(e));
        self.v(X::Mulps, y, e, half);
        self.v(X::Fmadd213ps, y, t, Rm::Reg(e));
        // Zeros, infinities, denormals, negative numbers, NaNs.
        self.vi(X::Fpclassps, k[0], 0, Rm::Reg(x), 0xff);
        let low = self.splat32(0x00ff_ffff);
        self.v(X::Pandd, t, x, low);
        for (k, mantissa) in [(k[1], NEAR_MIDDLES[0]), (k[2], NEAR_MIDDLES[1])] {
            let these = self.splat32(mantissa);
            self.vi(X::Pcmpd, k, t, these, EQ);
        }
        self.k(X::Korw, k[1], k[1], k[2]);
        self.k(X::Kortestw, k[0], 0, k[1]);
        let (rare, done) = (self.a.label(), self.a.label());
        self.a.jcc(Cond::Ne, rare);
        self.a.bind(done);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            let one = w.splat32(1);
            w.vector(Vector::new(X::Pord, Len::Z, y, y, one).mask(k[1]));
            // Zeros, infinities, negative numbers and NaNs have the estimate; denormals are zeros.
            w.flush_with(g, x, k[1]);
            w.v(X::Rsqrt14ps, e, 0, Rm::Reg(g));
            w.vector(Vector::new(X::MovAligned, Len::Z, y, 0, Rm::Reg(e)).mask(k[0]));
            w.a.jmp(done);
        }));
        new
    }

    /// Denormals of `from` as zeros of their sign, in `to`, which may be the same.
    pub(super) fn flush(&mut self, to: u8, from: u8) {
        let k = self.temp_mask();
        self.flush_with(to, from, k);
        self.free_temp(Class::Mask, k);
    }

    fn flush_with(&mut self, to: u8, from: u8, k: u8) {
        self.vi(X::Fpclassps, k, 0, Rm::Reg(from), 0x20);
        if to != from {
            self.v(X::MovAligned, to, 0, Rm::Reg(from));
        }
        let sign = self.splat32(SIGN);
        self.vector(Vector::new(X::Pandd, Len::Z, to, from, sign).mask(k));
    }

    /// The same in a temporary.
    pub(super) fn flushed(&mut self, p: PieceId) -> u8 {
        let (from, t) = (self.reg(p), self.temp());
        self.flush(t, from);
        t
    }
}
