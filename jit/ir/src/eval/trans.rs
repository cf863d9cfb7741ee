//! Reciprocals, roots, powers, logarithms, sine and cosine (numerics.md section 6).
//!
//! Everything is computed in f64 by our own polynomials and rounded once, so that results are the same on every host and at every vector
//! width: only +, -, *, /, sqrt and bit operations, never a fused product, no calls. Relative errors are below 1e-13, which makes the
//! f32 result the correctly rounded one but for about one argument in 10^5. f32 operands and results are flushed whatever the mode says,
//! except by sine and cosine; f16 and f64 keep denormals. Rounding is always to nearest even.

use super::mode::Fp;
use super::{f16 as h, f32 as s, f64 as d};

/// Adding this to a number below 2^51 leaves its nearest integer in the low bits.
pub const ROUNDER: f64 = 6755399441055744.0; // 1.5 * 2^52

/// (2^r - 1) / r on [-0.5, 0.5] in powers of r, error 4e-14 (Chebyshev interpolation).
#[allow(clippy::approx_constant)] // a coefficient fitted with the others
pub const EXP2: [f64; 9] = [
    0.6931471805599453,
    0.2402265069581299,
    0.055504108664760424,
    0.009618129159402558,
    0.0013333558179043112,
    0.00015403455852453838,
    1.525268684626772e-05,
    1.3255224878668817e-06,
    1.0203121063391729e-07,
];

/// sqrt(1/2): mantissas for [`LOG2`] are from here to its double.
pub const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;

/// log2((1 + s) / (1 - s)) / s in powers of s^2, error 3e-14.
pub const LOG2: [f64; 6] =
    [2.88539008177785, 0.9617966941132127, 0.5770779423594591, 0.412209256786155, 0.3199053739227617, 0.2829066165906811];

/// sin(pi/2 d) / d in powers of d^2 for |d| <= 0.5, error 5e-15.
#[allow(clippy::approx_constant)] // as above
pub const SIN: [f64; 6] =
    [1.57079632679489, -0.645964097504309, 0.07969262615574603, -0.004681752591458209, 0.00016042926504495616, -3.556386260704784e-06];

/// (cos(pi/2 d) - 1) / d^2 in powers of d^2, the same.
pub const COS: [f64; 6] =
    [-1.233700550136169, 0.2536695079008304, -0.02086348075319688, 0.0009192601014426249, -2.5200703761965414e-05, 4.6632053886903437e-07];

/// `c[0] + c[1] x + c[2] x^2 ...`
#[inline(always)]
fn polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let mut r = c[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        r = r * x + c[i];
    }
    r
}

/// 2^x for |x| <= 1000; exact for integers.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    let t = x + ROUNDER;
    let r = x - (t - ROUNDER);
    let p = polynomial(r, EXP2);
    let scale = t.to_bits().wrapping_add(1023) << 52;
    (1.0 + r * p) * d::f(scale)
}

/// log2 of a positive normal number.
#[inline(always)]
pub(crate) fn log2(x: f64) -> f64 {
    // x = m * 2^e, m from sqrt(1/2) to sqrt(2), so that numbers near 1 have e = 0
    let k = x.to_bits().wrapping_sub(SQRT_HALF);
    let m = d::f((k & (d::MIN_NORMAL - 1)) + SQRT_HALF);
    let e = d::f(((k as i64 >> 52) as u64).wrapping_add(ROUNDER.to_bits())) - ROUNDER;
    let s = (m - 1.0) / (m + 1.0);
    let p = polynomial(s * s, LOG2);
    e + s * p
}

/// sin(2 pi x), or cos with a quarter turn; exact at multiples of 1/4. |x| < 2^49.
#[inline(always)]
pub(crate) fn sin_turns(x: f64, quarters: u64) -> f64 {
    let turns = x - ((x + ROUNDER) - ROUNDER);
    let t = turns * 4.0 + ROUNDER;
    let d = turns * 4.0 - (t - ROUNDER);
    let quadrant = t.to_bits().wrapping_add(quarters);
    let z = d * d;
    let sin = d * polynomial(z, SIN);
    let cos = 1.0 + z * polynomial(z, COS);
    let r = if quadrant & 1 != 0 { cos } else { sin };
    // no negative zeros: 0.0 + r, but for half turns the sign bit is toggled afterwards
    let r = d::f(r.to_bits() ^ (quadrant & 2) << 62);
    r + 0.0
}

macro_rules! wide {
    ($x:expr) => {
        $x as f64
    };
}

// f32

#[inline(always)]
pub(crate) fn rcp32<M: Fp>(_: M, x: u32) -> u32 {
    let x = s::ftz(x);
    s::nan1(x, s::ftz((1.0 / s::f(x)).to_bits()))
}
#[inline(always)]
pub(crate) fn sqrt_denorm32<M: Fp>(_: M, x: u32) -> u32 {
    s::nan1(x, s::f(x).sqrt().to_bits())
}
#[inline(always)]
pub(crate) fn sqrt32<M: Fp>(_: M, x: u32) -> u32 {
    let x = s::ftz(x);
    s::nan1(x, s::f(x).sqrt().to_bits())
}
#[inline(always)]
pub(crate) fn rsq32<M: Fp>(_: M, x: u32) -> u32 {
    let x = s::ftz(x);
    let r = 1.0 / wide!(s::f(x)).sqrt();
    s::nan1(x, (r as f32).to_bits())
}
#[inline(always)]
pub(crate) fn exp32<M: Fp>(_: M, x: u32) -> u32 {
    let x = s::ftz(x);
    let r = exp2(wide!(s::f(x)).clamp(-200.0, 200.0));
    s::nan1(x, s::ftz((r as f32).to_bits()))
}
#[inline(always)]
pub(crate) fn log32<M: Fp>(_: M, x: u32) -> u32 {
    let x = s::ftz(x);
    let r = (log2(wide!(s::f(x))) as f32).to_bits();
    s::nan1(x, log_special32(x, r))
}
#[inline(always)]
fn log_special32(x: u32, r: u32) -> u32 {
    let r = if x == s::INF { s::INF } else { r };
    let r = if x & s::SIGN != 0 { s::NAN } else { r };
    if s::is_zero(x) { s::SIGN | s::INF } else { r }
}

// The same three as compilers spell them out for operands and results that may be denormals.

#[inline(always)]
pub(crate) fn rsq_denorm32<M: Fp>(_: M, x: u32) -> u32 {
    // Scaled by 2^100 below 2^-100, and the root by 2^50: no bit of a mantissa changes.
    let r = 1.0 / wide!(s::f(x)).sqrt();
    s::nan1(x, (r as f32).to_bits())
}
#[inline(always)]
pub(crate) fn exp_denorm32<M: Fp>(m: M, x: u32) -> u32 {
    let is_low = s::f(x) < -126.0;
    let raised = if is_low { (s::f(x) + 64.0).to_bits() } else { x };
    let scale = if is_low { s::power(-64) } else { s::power(0) };
    s::nan1(x, (s::f(exp32(m, raised)) * s::f(scale)).to_bits())
}
#[inline(always)]
pub(crate) fn log_denorm32<M: Fp>(m: M, x: u32) -> u32 {
    let is_low = s::f(x) < f32::MIN_POSITIVE;
    let scale = if is_low { s::power(32) } else { s::power(0) };
    let exponent = if is_low { 32.0 } else { 0.0 };
    s::nan1(x, (s::f(log32(m, (s::f(x) * s::f(scale)).to_bits())) - exponent).to_bits())
}
/// n / d: the mantissa of n by the reciprocal of that of d, and the exponents' difference.
#[inline(always)]
pub(crate) fn div_mant32<M: Fp>(m: M, n: u32, d: u32) -> u32 {
    let q = s::mul(m, s::frexp_mant(m, n), rcp32(m, s::frexp_mant(m, d)));
    s::ldexp(m, q, s::frexp_exp(m, n).wrapping_sub(s::frexp_exp(m, d)))
}
#[inline(always)]
fn circular32(x: u32, quarters: u64) -> u32 {
    let magnitude = x & !s::SIGN;
    // from 2^24 on every number is a whole number of turns
    let reduced = if magnitude >= s::power(24) { 0 } else { x };
    let r = (sin_turns(wide!(s::f(reduced)), quarters) as f32).to_bits();
    s::nan1(x, if magnitude == s::INF { s::NAN } else { r })
}
#[inline(always)]
pub(crate) fn sin32<M: Fp>(_: M, x: u32) -> u32 {
    let r = circular32(x, 0);
    if x == s::SIGN { x } else { r }
}
#[inline(always)]
pub(crate) fn cos32<M: Fp>(_: M, x: u32) -> u32 {
    circular32(x, 1)
}

// f64: correctly rounded, which the hardware's 2^29 ulp allow

#[inline(always)]
pub(crate) fn rcp64<M: Fp>(_: M, x: u64) -> u64 {
    d::nan1(x, (1.0 / d::f(x)).to_bits())
}
#[inline(always)]
pub(crate) fn sqrt64<M: Fp>(_: M, x: u64) -> u64 {
    d::nan1(x, d::f(x).sqrt().to_bits())
}
#[inline(always)]
pub(crate) fn rsq64<M: Fp>(_: M, x: u64) -> u64 {
    d::nan1(x, (1.0 / d::f(x).sqrt()).to_bits())
}

// f16

/// An f64 value to f16, never flushed.
#[inline(always)]
fn finish16<M: Fp>(m: M, x: u16, v: f64) -> u16 {
    h::nan1(x, h::finish(m, h::odd_f32(v)))
}
#[inline(always)]
pub(crate) fn rcp16<M: Fp>(m: M, x: u16) -> u16 {
    h::nan1(x, h::finish(m, 1.0 / h::f(x)))
}
#[inline(always)]
pub(crate) fn sqrt16<M: Fp>(m: M, x: u16) -> u16 {
    h::nan1(x, h::finish(m, h::f(x).sqrt()))
}
#[inline(always)]
pub(crate) fn rsq16<M: Fp>(m: M, x: u16) -> u16 {
    finish16(m, x, 1.0 / wide!(h::f(x)).sqrt())
}
#[inline(always)]
pub(crate) fn exp16<M: Fp>(m: M, x: u16) -> u16 {
    let v = wide!(h::f(x));
    let r = h::finish(m, h::odd_f32(exp2(v.clamp(-100.0, 100.0))));
    // an infinite operand gives a true infinity, which FP16_OVFL leaves alone
    h::nan1(x, if x == h::INF { h::INF } else { r })
}
#[inline(always)]
pub(crate) fn log16<M: Fp>(m: M, x: u16) -> u16 {
    let r = finish16(m, x, log2(wide!(h::f(x))));
    let r = if x == h::INF { h::INF } else { r };
    let r = if x & h::SIGN != 0 { h::NAN } else { r };
    h::nan1(x, if h::is_zero(x) { h::SIGN | h::INF } else { r })
}
#[inline(always)]
fn circular16<M: Fp>(m: M, x: u16, quarters: u64) -> u16 {
    let finite = if x & h::INF == h::INF { 0 } else { x };
    let r = h::finish(m, h::odd_f32(sin_turns(wide!(h::f(finite)), quarters)));
    h::nan1(x, if x & !h::SIGN == h::INF { h::NAN } else { r })
}
#[inline(always)]
pub(crate) fn sin16<M: Fp>(m: M, x: u16) -> u16 {
    let r = circular16(m, x, 0);
    if x == h::SIGN { x } else { r }
}
#[inline(always)]
pub(crate) fn cos16<M: Fp>(m: M, x: u16) -> u16 {
    circular16(m, x, 1)
}

/// 2 / pi: 1201 bits after the point, the first one on top of the first word.
pub const TWO_OVER_PI: [u64; 19] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000,
];

/// 53 bits of 2/pi for the range reduction of `x`: segment number `s[4:0]`, moved on for exponents above 1077. What lies below the normal numbers is cut
/// off. Without a branch, so that row functions are vectors.
#[inline(always)]
pub(crate) fn trig_preop<M: Fp>(_: M, x: u64, s: u32) -> u64 {
    let e = d::exponent(x);
    let shift = 53 * (s & 31) + (e - 1077).max(0) as u32;
    let word = |i: u32| {
        let i = i as usize;
        if i < TWO_OVER_PI.len() { TWO_OVER_PI[i % TWO_OVER_PI.len()] } else { 0 }
    };
    let (first, next, by) = (word(shift / 64), word(shift / 64 + 1), shift % 64);
    let bits = (first << by | next >> 1 >> (63 - by)) >> (64 - 53);
    let exponent = -53 - shift as i32 + if e >= 1968 { 128 } else { 0 };
    // 53 bits are a number as they are; one of them at least is the leading one, or all are zero.
    let whole = (bits as f64).to_bits();
    let moved = d::exponent(whole) + exponent;
    let mantissa = whole & ((1 << 52) - 1);
    let normal = (moved as u64) << 52 | mantissa;
    let cut = (mantissa | 1 << 52) >> (1 - moved).clamp(0, 63);
    let r = if moved > 0 { normal } else { cut };
    if bits == 0 { 0 } else { r }
}
