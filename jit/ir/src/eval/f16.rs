//! f16 arithmetic, single and packed (numerics.md sections 2 to 6, 11), computed in f32.
//!
//! Why f32 is wide enough. f16 has 11 significant bits and its numbers are multiples of 2^-24. A product of two has at most 22 bits and
//! is exact in f32. A sum of two is exact in f32 unless their exponents lie more than 13 apart; then the smaller one is below a quarter
//! unit of the f16 result and rounding to 24 bits first cannot move the sum onto or across a midpoint (the general theorem: 24 >= 2*11 + 2,
//! good for quotients and square roots too). fma is not covered by it: product and addend are added with *rounding to odd*, which keeps
//! the fact of inexactness in the last bit, so that the second rounding is right whenever two more bits are kept (24 >= 11 + 2).

use super::common::float_format;
use rustc_apfloat::{FloatConvert, Status, StatusAnd, ieee::Half, ieee::Single};

float_format!(u16, Half, 10, directed16_64, denorm_in16_64, denorm_out16_64);

/// The largest finite number, 65504.
const MAX: u16 = INF - 1;

/// Exact value. (The value of a NaN is of no interest: results take their NaNs from the operands' bits.)
#[inline(always)]
pub(crate) fn f(x: u16) -> f32 {
    let magnitude = (x & !SIGN) as u32;
    let sign = ((x & SIGN) as u32) << 16;
    let shifted = magnitude << 13;
    let normal = shifted + (112 << 23);
    let special = shifted | 0x7f80_0000;
    let denormal = (f32::from_bits(shifted + (113 << 23)) - f32::from_bits(113 << 23)).to_bits();
    let r = if magnitude >= INF as u32 { special } else { normal };
    let r = if magnitude < MIN_NORMAL as u32 { denormal } else { r };
    f32::from_bits(r | sign)
}

/// To nearest even. A NaN keeps the top of its payload and is quieted.
#[inline(always)]
pub(crate) fn nearest(v: f32) -> u16 {
    let bits = v.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // 112 less in the exponent; half a unit less one, and one more if the last bit kept is odd
    let normal = magnitude.wrapping_add(0x0fff + (magnitude >> 13 & 1)).wrapping_sub(112 << 23) >> 13;
    // the unit of 0.5 in f32 is that of f16 denormals
    let denormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    let r = if magnitude < 0x3880_0000 { denormal } else { normal };
    let r = if magnitude >= 0x477f_f000 { INF as u32 } else { r };
    let r = if magnitude > 0x7f80_0000 { nan } else { r };
    (r | bits >> 16 & 0x8000) as u16
}

/// Moves `rounded`, which misses the exact value by `error`, to odd: the neighbor toward the exact value, if its last bit is 0.
#[inline(always)]
pub(crate) fn to_odd(rounded: f32, error: f32) -> f32 {
    let bits = rounded.to_bits();
    let away = ((bits ^ error.to_bits()) as i32 >> 31) as u32 | 1; // +1 for equal signs, else -1
    let inexact = (error < 0.0) | (error > 0.0);
    f32::from_bits(if inexact & (bits & 1 == 0) { bits.wrapping_add(away) } else { bits })
}

/// f64 to f32, to odd.
#[inline(always)]
pub(crate) fn odd_f32(v: f64) -> f32 {
    let rounded = v as f32;
    let error = v - rounded as f64;
    // only sign and being zero matter: keep tiny errors from vanishing
    let error = if error < 0.0 {
        -1.0
    } else if error > 0.0 {
        1.0
    } else {
        0.0
    };
    to_odd(rounded, error)
}

/// An overflowed result under FP16_OVFL is the largest finite number.
#[inline(always)]
fn overflow<M: Fp>(m: M, finite: bool, x: u16) -> u16 {
    if m.mode().fp16_ovfl() & finite & (x & !SIGN == INF) { (x & SIGN) | MAX } else { x }
}

/// A result computed in f32, rounded to nearest even. Infinity means infinity, not overflow.
#[inline(always)]
pub(crate) fn finish<M: Fp>(m: M, v: f32) -> u16 {
    overflow(m, v.is_finite(), nearest(v))
}

/// A result given in f32, rounded by the mode.
#[inline(always)]
pub(crate) fn finish_by_mode<M: Fp>(m: M, v: f32) -> u16 {
    match super::mode::directed16_64(m) {
        None => finish(m, v),
        Some(round) => finish_directed(m, v, round),
    }
}

/// As [`finish`], rounding in a given direction.
#[cold]
pub(crate) fn finish_directed<M: Fp>(m: M, v: f32, round: Round) -> u16 {
    settle(m, Single::from_bits(v.to_bits().into()).convert_r(round, &mut false))
}

fn settle<M: Fp>(m: M, r: StatusAnd<Half>) -> u16 {
    let x = r.value.to_bits() as u16;
    if m.mode().fp16_ovfl() && r.status.contains(Status::OVERFLOW) { (x & SIGN) | MAX } else { x }
}

/// A number that orders as the float does; not for NaNs.
#[inline(always)]
fn key(x: u16) -> i16 {
    let magnitude = (x & !SIGN) as i16;
    if x & SIGN != 0 { -magnitude } else { magnitude }
}
#[inline(always)]
pub(crate) fn lt(a: u16, b: u16) -> bool {
    !(is_nan(a) | is_nan(b)) & (key(a) < key(b))
}
#[inline(always)]
pub(crate) fn le(a: u16, b: u16) -> bool {
    !(is_nan(a) | is_nan(b)) & (key(a) <= key(b))
}
#[inline(always)]
pub(crate) fn eq(a: u16, b: u16) -> bool {
    !(is_nan(a) | is_nan(b)) & (key(a) == key(b))
}
#[inline(always)]
fn add_nearest<M: Fp>(m: M, a: u16, b: u16) -> u16 {
    finish(m, f(a) + f(b))
}
#[inline(always)]
fn mul_nearest<M: Fp>(m: M, a: u16, b: u16) -> u16 {
    finish(m, f(a) * f(b))
}
#[inline(always)]
fn fma_nearest<M: Fp>(m: M, a: u16, b: u16, c: u16) -> u16 {
    finish(m, fma_odd(f(a), f(b), f(c)))
}
/// a * b + c to odd, for a product that is exact in f32 (Knuth's error of a sum).
#[inline(always)]
pub(crate) fn fma_odd(a: f32, b: f32, c: f32) -> f32 {
    let p = a * b;
    let sum = p + c;
    let c_part = sum - p;
    let error = (p - (sum - c_part)) + (c - c_part);
    to_odd(sum, error)
}
#[inline(always)]
fn floor_raw(x: u16) -> u16 {
    nearest(f(x).floor())
}
#[inline(always)]
fn ceil_raw(x: u16) -> u16 {
    nearest(f(x).ceil())
}
#[inline(always)]
fn trunc_raw(x: u16) -> u16 {
    nearest(f(x).trunc())
}
#[inline(always)]
fn rndne_raw(x: u16) -> u16 {
    nearest(f(x).round_ties_even())
}
/// The exponent is a 16-bit signed integer.
#[inline(always)]
pub(crate) fn frexp_exp<M: Fp>(m: M, x: u16) -> u16 {
    frexp_exponent(m, x) as u16
}

/// x * 2^e with one rounding; e is a 16-bit signed integer.
#[inline(always)]
pub(crate) fn ldexp<M: Fp>(m: M, x: u16, e: u16) -> u16 {
    let x = fin(m, x);
    // beyond +-60 every number over- or underflows; within, the product is exact in f32
    let e = (e as i16 as i32).clamp(-60, 60);
    let exact = f(x) * f32::from_bits(((127 + e) as u32) << 23);
    fout(m, nan1(x, finish_by_mode(m, exact)))
}
