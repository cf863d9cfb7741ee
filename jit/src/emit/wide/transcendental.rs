//! Powers, logarithms, sine and cosine of f32: as `ir::eval` defines them, step for step, in f64, eight lanes at a time, but with fused sums of products: for no
//! operand of 32 bits do these round to another f32 (`jit/tests/wide.rs` looks at all). AVX-512 has powers and logarithms in f32 (`powers.rs`). Reciprocal roots, in f32.
//!
//! Of an angle f32 holds exactly what is left of it beside whole quarters of a turn, so that f64 is for the polynomials alone: sine and cosine of that, of which the
//! quarters choose one, or both where a block asks for both.

use super::lanes::{EQ, LT, UNORDERED};
use super::rare::Lanes;
use super::regs::{Class, PieceId};
use super::{Wide, X};
use wavejit_ir::eval::{COS, EXP2, LOG2, ROUNDER, SIN, SQRT_HALF};
use wavejit_ir::{FpMode, Op, PureOp};
use wavejit_x86::{Cond, Label, Len, Rm, Vector};

pub(super) const SIGN: u32 = 0x8000_0000;
const INF: u32 = 0x7f80_0000;
/// The default NaN.
const NAN: u32 = 0xffc0_0000;
pub(super) const QUIET: u32 = 0x0040_0000;
/// The first one is not less, or one of two is a NaN.
pub(super) const NOT_LESS: u8 = 0x15;
/// vfpclassps: zeros, infinities, denormals, negative numbers, NaNs.
const NOT_POSITIVE_NORMAL: u8 = 0xff;
pub(super) const DENORMAL: u8 = 0x20;
/// vcmpps: less, and none is a NaN.
const BELOW: u8 = 0x11;
/// What is added to x where 2^x is a denormal.
const RAISED: f32 = 64.0;
/// vrndscaleps: to the nearest whole number, of two to the even one.
const NEAREST: u8 = 8;

/// A sine or cosine that was made beside the other one, of a piece.
pub(super) struct Circle {
    of: PieceId,
    op: PureOp,
    result: PieceId,
}

impl Wide<'_> {
    pub(super) fn transcendental(&mut self, op: PureOp, mode: FpMode, p: PieceId) -> PieceId {
        if matches!(op, PureOp::FExp232 | PureOp::FExp2Denorm32) && !self.is_avx2() {
            return self.power_by_table(op, mode, p);
        }
        let (new, to) = self.new_in_register(Class::Vector);
        let given = self.reg(p);
        match op {
            PureOp::FExp232 | PureOp::FExp2Denorm32 => {
                // Of a NaN these give the second operand, and so does what follows. Of denormals the power is that of zero.
                let (x, t) = (self.temp(), self.temp());
                let mut from = given;
                if op == PureOp::FExp2Denorm32 {
                    self.for_small_powers(x, given, 0.0, RAISED);
                    self.v(X::Addps, x, given, Rm::Reg(x));
                    from = x;
                }
                for (to, op, limit, from) in [(t, X::Maxps, -200f32, from), (x, X::Minps, 200.0, t)] {
                    let m = self.element32(limit.to_bits());
                    self.v(X::Broadcast, to, 0, m);
                    self.v(op, to, to, Rm::Reg(from));
                }
                self.free_temp(Class::Vector, t);
                self.by_halves(to, x, |w, d| w.exp2(d));
                // What is a denormal is zero.
                let k = self.temp_mask();
                let least = self.splat32(f32::MIN_POSITIVE.to_bits());
                self.vi(X::Cmpps, k, to, least, NOT_LESS);
                self.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(to)).zeroing(k));
                self.free_temp(Class::Mask, k);
                if op == PureOp::FExp2Denorm32 {
                    self.for_small_powers(x, given, 1.0, (-RAISED).exp2());
                    self.v(X::Mulps, to, to, Rm::Reg(x));
                }
                self.free_temp(Class::Vector, x);
                new
            }
            PureOp::FLog232 | PureOp::FLog2Denorm32 => {
                if self.is_avx2() {
                    self.by_halves(to, given, |w, d| w.log2(d));
                } else {
                    self.logarithm_by_table(mode, to, given);
                }
                self.logarithms_of_others(op, mode, to, given);
                new
            }
            _ => unreachable!("a power or a logarithm"),
        }
    }

    /// Sine or cosine of a part; of both, if the block wants them, what comes second is kept until then.
    pub(super) fn circular(&mut self, op: PureOp, mode: FpMode, p: PieceId) -> PieceId {
        if let Some(i) = self.circles.iter().position(|c| (c.of, c.op) == (p, op)) {
            return self.circles.swap_remove(i).result;
        }
        let (new, to) = self.new_in_register(Class::Vector);
        let other = self.other_circular(op, mode);
        let second = other.map(|op| (op, self.new_in_register(Class::Vector)));
        let x = self.reg(p);
        let [turns, quarters, sin, cos] = [(); 4].map(|()| self.temp());
        // Turns beside whole ones, in quarters, and those beside whole quarters: all of them are exact.
        self.vi(X::Rndscaleps, turns, 0, Rm::Reg(x), NEAREST);
        self.v(X::Subps, turns, x, Rm::Reg(turns));
        let four = self.splat32(4f32.to_bits());
        self.v(X::Mulps, turns, turns, four);
        self.vi(X::Rndscaleps, quarters, 0, Rm::Reg(turns), NEAREST);
        self.v(X::Subps, turns, turns, Rm::Reg(quarters));
        self.v(X::Cvtps2dq, quarters, 0, Rm::Reg(quarters));
        self.sine_and_cosine(sin, cos, turns);
        self.circular_of(op, to, x, [quarters, sin, cos]);
        if let Some((op, (result, to))) = second {
            self.circular_of(op, to, x, [quarters, sin, cos]);
            self.circles.push(Circle { of: p, op, result });
        }
        for t in [turns, quarters, sin, cos] {
            self.free_temp(Class::Vector, t);
        }
        new
    }

    /// Gives up what has not been asked for: its operand may have become another piece meanwhile.
    pub(super) fn no_circles(&mut self) {
        for circle in std::mem::take(&mut self.circles) {
            self.drop_pieces(&[circle.result]);
        }
    }

    /// Cosine for a sine, sine for a cosine, if the block wants that later of the same operand.
    fn other_circular(&self, op: PureOp, mode: FpMode) -> Option<PureOp> {
        let insts = &self.func.blocks[self.r.block].insts;
        let Op::Pure { op: PureOp::FSin32 | PureOp::FCos32, args: [Some(x), ..], .. } = insts[self.at as usize].op else { return None };
        let other = if op == PureOp::FSin32 { PureOp::FCos32 } else { PureOp::FSin32 };
        let is_other = |at: &u32| match insts.get(*at as usize).map(|inst| &inst.op) {
            Some(Op::Pure { op, mode: its, .. }) => (*op, *its) == (other, mode),
            _ => false,
        };
        self.uses(x).iter().any(|at| *at > self.at && is_other(at)).then_some(other)
    }

    /// to = sine or cosine of `x`, whose whole `quarters` of a turn are apart: `sin` and `cos` are those of the rest.
    fn circular_of(&mut self, op: PureOp, to: u8, x: u8, [quarters, sin, cos]: [u8; 3]) {
        let (t, k) = (self.temp(), self.temp_mask());
        let one = self.splat32(1);
        let quarters = if op == PureOp::FCos32 {
            // A quarter further on.
            self.v(X::Paddd, t, quarters, one);
            t
        } else {
            quarters
        };
        self.v(X::Ptestmd, k, quarters, one);
        self.vector(Vector::new(X::Blendmd, Len::Z, to, sin, Rm::Reg(cos)).mask(k));
        self.vi(X::PslldImm, 0, t, Rm::Reg(quarters), 30);
        let sign = self.splat32(SIGN);
        self.v(X::Pandd, t, t, sign);
        self.v(X::Pxord, to, to, Rm::Reg(t));
        // No negative zeros.
        let zero = self.splat32(0);
        self.v(X::Addps, to, to, zero);
        // Of infinities that is a NaN, but not this one.
        let magnitude = self.splat32(!SIGN);
        self.v(X::Pandd, t, x, magnitude);
        let infinity = self.splat32(INF);
        self.vi(X::Pcmpd, k, t, infinity, EQ);
        self.set_lanes(to, k, NAN);
        if op == PureOp::FSin32 {
            self.vi(X::Pcmpd, k, x, sign, EQ);
            self.set_lanes(to, k, SIGN);
        }
        self.quiet_nans(to, x, k);
        self.free_temp(Class::Vector, t);
        self.free_temp(Class::Mask, k);
    }

    /// to = one number in the lanes in which 2^x is a denormal, and another one in the others. It is computed as 2^(x + [`RAISED`]) and then scaled.
    fn for_small_powers(&mut self, to: u8, x: u8, others: f32, small: f32) {
        let k = self.temp_mask();
        let limit = self.splat32((-126f32).to_bits());
        self.vi(X::Cmpps, k, x, limit, BELOW);
        let m = self.element32(others.to_bits());
        self.v(X::Broadcast, to, 0, m);
        self.set_lanes(to, k, small.to_bits());
        self.free_temp(Class::Mask, k);
    }

    /// Goes to a stub that gives `to` what the function is of denormals, if there are some in the lanes of x: by the row function.
    fn if_denormal(&mut self, x: u8, k: u8, by_function: Label) {
        self.vi(X::Fpclassps, k, 0, Rm::Reg(x), DENORMAL);
        self.k(X::Kortestw, k, 0, k);
        self.a.jcc(Cond::Ne, by_function);
    }

    /// A stub gives `to` the logarithms of what is not a positive normal number, if there is such a lane.
    fn logarithms_of_others(&mut self, op: PureOp, mode: FpMode, to: u8, x: u8) {
        let k = self.temp_mask();
        let (rare, done) = (self.a.label(), self.a.label());
        let of_denormals =
            (op == PureOp::FLog2Denorm32).then(|| self.by_function(done, op, mode, vec![Lanes::Dwords(x)], Lanes::Dwords(to)));
        self.vi(X::Fpclassps, k, 0, Rm::Reg(x), NOT_POSITIVE_NORMAL);
        self.k(X::Kortestw, k, 0, k);
        self.a.jcc(Cond::Ne, rare);
        self.a.bind(done);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            if let Some(by_function) = of_denormals {
                w.if_denormal(x, k, by_function);
            }
            let infinity = w.splat32(INF);
            w.vi(X::Pcmpd, k, x, infinity, EQ);
            w.set_lanes(to, k, INF);
            let zero = w.splat32(0);
            w.vi(X::Pcmpd, k, x, zero, LT);
            w.set_lanes(to, k, NAN);
            // Denormals are zeros.
            w.vi(X::Fpclassps, k, 0, Rm::Reg(x), 0x26);
            w.set_lanes(to, k, SIGN | INF);
            w.quiet_nans(to, x, k);
            w.a.jmp(done);
        }));
    }

    /// NaNs of `x` as they came, quieted.
    pub(super) fn quiet_nans(&mut self, to: u8, x: u8, k: u8) {
        self.vi(X::Cmpps, k, x, Rm::Reg(x), UNORDERED);
        let quiet = self.splat32(QUIET);
        self.vector(Vector::new(X::Pord, Len::Z, to, x, quiet).mask(k));
    }

    /// `bits` in the lanes of `k`.
    pub(super) fn set_lanes(&mut self, to: u8, k: u8, bits: u32) {
        let m = self.element32(bits);
        self.vector(Vector::new(X::Broadcast, Len::Z, to, 0, m).mask(k));
    }

    /// to = f32 of `f` in f64 of the lanes of x, which may be the same register. It takes one more: AVX2 has few.
    pub(super) fn by_halves(&mut self, to: u8, x: u8, f: impl Fn(&mut Self, u8)) {
        let high = self.temp();
        self.high_half(high, x);
        f(self, high);
        self.v(X::Cvtpd2ps, high, 0, Rm::Reg(high));
        self.v(X::Cvtps2pd, to, 0, Rm::Reg(x));
        f(self, to);
        self.v(X::Cvtpd2ps, to, 0, Rm::Reg(to));
        self.vi(X::Insert64x4, to, to, Rm::Reg(high), 1);
        self.free_temp(Class::Vector, high);
    }

    /// to = the upper half of the lanes of x in f64.
    fn high_half(&mut self, to: u8, x: u8) {
        self.vi(X::Extract64x4, x, 0, Rm::Reg(to), 1);
        self.v(X::Cvtps2pd, to, 0, Rm::Reg(to));
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

    /// sin, cos = those of `d` quarters of a turn, at most half a quarter.
    fn sine_and_cosine(&mut self, sin: u8, cos: u8, d: u8) {
        let [x, z, y] = [(); 3].map(|()| self.temp());
        self.v(X::Cvtps2pd, x, 0, Rm::Reg(d));
        for is_high in [false, true] {
            if is_high {
                self.high_half(x, d);
            }
            self.v(X::Mulpd, z, x, Rm::Reg(x));
            self.polynomial(y, z, &SIN);
            self.v(X::Mulpd, y, y, Rm::Reg(x));
            self.polynomial(x, z, &COS);
            self.times_plus(x, z, 1.0);
            for (to, from) in [(sin, y), (cos, x)] {
                self.v(X::Cvtpd2ps, if is_high { from } else { to }, 0, Rm::Reg(from));
                if is_high {
                    self.vi(X::Insert64x4, to, to, Rm::Reg(from), 1);
                }
            }
        }
        for t in [x, z, y] {
            self.free_temp(Class::Vector, t);
        }
    }

    /// 1 / sqrt(x) as `eval` has it, which rounds the root and the quotient in f64 and then to f32: an estimate, which hosts promise to be within
    /// 2^-14 or, in AVX2, 1.5 * 2^-12, and two steps. The result of the first is off by less than 2 in the last place; the second, whose error has none to speak
    /// of, then is the result, whatever the estimate was (`jit/tests/wide.rs` looks at all).
    /// What is not a positive normal number is rare: a stub looks at it.
    pub(super) fn reciprocal_root(&mut self, op: PureOp, mode: FpMode, p: PieceId) -> PieceId {
        let (new, y) = self.new_in_register(Class::Vector);
        let x = self.reg(p);
        let [e, c] = [self.temp(), self.temp()];
        self.v(X::Rsqrt14ps, y, 0, Rm::Reg(x));
        let is_near = matches!(op, PureOp::FRsqNear32 | PureOp::FRsqNearDenorm32);
        if is_near {
            self.near_root(x, y, e, c);
        } else {
            self.steps_to_root(x, y, e, c);
        }
        self.free_temp(Class::Vector, e);
        let odd = self.temp_mask();
        let (rare, done) = (self.a.label(), self.a.label());
        let of_denormals = matches!(op, PureOp::FRsqDenorm32 | PureOp::FRsqNearDenorm32)
            .then(|| self.by_function(done, op, mode, vec![Lanes::Dwords(x)], Lanes::Dwords(y)));
        if self.is_avx2() {
            // Zeros, infinities, negative numbers and NaNs become NaNs, and so do denormals, whose estimate is that of zeros; but after one step
            // alone those are infinities.
            let tested = if is_near { c } else { y };
            if is_near {
                self.v(X::Subps, c, y, Rm::Reg(y));
            }
            self.vi(X::Cmpps, odd, tested, Rm::Reg(tested), UNORDERED);
        } else {
            self.vi(X::Fpclassps, odd, 0, Rm::Reg(x), NOT_POSITIVE_NORMAL);
        }
        self.k(X::Kortestw, odd, 0, odd);
        self.a.jcc(Cond::Ne, rare);
        self.a.bind(done);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            match of_denormals {
                Some(by_function) => w.if_denormal(x, odd, by_function),
                None => w.flush_with(c, x, odd),
            }
            // They have the estimate; denormals are zeros.
            w.v(X::Rsqrt14ps, c, 0, Rm::Reg(if of_denormals.is_some() { x } else { c }));
            w.vi(X::Fpclassps, odd, 0, Rm::Reg(x), NOT_POSITIVE_NORMAL);
            w.vector(Vector::new(X::MovAligned, Len::Z, y, 0, Rm::Reg(c)).mask(odd));
            w.a.jmp(done);
        }));
        new
    }

    /// y += y e (1/2 + 3/8 e) with e = 1 - x y^2, twice; of estimates within 2^-14 the first time without the last term.
    fn steps_to_root(&mut self, x: u8, y: u8, e: u8, c: u8) {
        for is_last in [false, true] {
            let one = self.splat32(1f32.to_bits());
            self.v(X::Mulps, e, x, Rm::Reg(y));
            if is_last {
                // What the product lacks.
                self.v(X::MovAligned, c, 0, Rm::Reg(e));
                self.v(X::Fmsub231ps, c, x, Rm::Reg(y));
            }
            self.v(X::Fnmadd213ps, e, y, one);
            if is_last {
                self.v(X::Fnmadd231ps, e, c, Rm::Reg(y));
            }
            self.step_to_root(y, e, c, is_last || self.is_avx2());
        }
    }

    /// y += y e (1/2 + 3/8 e), or without the last term. `e` and `c` are changed.
    fn step_to_root(&mut self, y: u8, e: u8, c: u8, has_last_term: bool) {
        let half = self.splat32(0.5f32.to_bits());
        if has_last_term {
            let m = self.element32(0.375f32.to_bits());
            self.v(X::Broadcast, c, 0, m);
            self.v(X::Fmadd213ps, c, e, half);
            self.v(X::Mulps, e, e, Rm::Reg(y));
        } else {
            self.v(X::Mulps, c, y, half);
        }
        self.v(X::Fmadd231ps, y, e, Rm::Reg(c));
    }

    /// The first of them, with a square in place of the product: what `eval` has for results within 1 ulp.
    fn near_root(&mut self, x: u8, y: u8, e: u8, c: u8) {
        let one = self.splat32(1f32.to_bits());
        self.v(X::Mulps, e, y, Rm::Reg(y));
        self.v(X::Fnmadd213ps, e, x, one);
        self.step_to_root(y, e, c, self.is_avx2());
    }

    /// Denormals of `from` as zeros of their sign, in `to`, which may be the same.
    pub(super) fn flush(&mut self, to: u8, from: u8) {
        if self.is_avx2() {
            return self.flush_in_avx2(to, from);
        }
        let k = self.temp_mask();
        self.flush_with(to, from, k);
        self.free_temp(Class::Mask, k);
    }

    fn flush_with(&mut self, to: u8, from: u8, k: u8) {
        if self.is_avx2() {
            return self.flush_in_avx2(to, from);
        }
        self.vi(X::Fpclassps, k, 0, Rm::Reg(from), DENORMAL);
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
