//! Division: div_scale, div_fmas, div_fixup (numerics.md section 6, with the corrections made there), and what they are for.
//!
//! A division is `q = n * rcp(d)` refined by fma. div_scale moves operands away from the ends of the exponent range, div_fmas takes the
//! last step and scales back, div_fixup replaces what the chain cannot compute: NaN, infinity, zero, far out of range.

use super::mode::{Fp, directed16_64, directed32};
use super::{f16 as h, f32 as s, f64 as d};
use rustc_apfloat::ieee::{Double, Quad};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

/// div_scale and div_fixup of a format whose exponents reach from 0 to `$TOP`.
macro_rules! scale_and_fixup {
    ($name:ident, $f:ident, $U:ty, up: $UP:literal, far: $FAR:literal, low: $LOW:literal, min: $MIN:literal, lost: $LOST:literal,
     $directed:ident) => {
        pub(crate) mod $name {
            use super::$f::*;
            use super::*;

            /// The scaled operand, and whether div_fmas has to scale back. `d` is the denominator, `n` the numerator, `x` one of them.
            #[inline(always)]
            fn scale<M: Fp>(m: M, x: $U, d: $U, n: $U) -> ($U, bool) {
                let (x, d, n) = (fin(m, x), fin(m, d), fin(m, n));
                let up = times(x, $UP);
                let down = times(x, -$UP);
                let (ed, en) = (exponent(d), exponent(n));
                let one_over_d_tiny = BIAS - ed <= $MIN;
                let quotient_tiny = en - ed <= $MIN;
                // last row first, so that the rows above override
                let mut r = (x, false);
                r = if en <= $LOW { (up, false) } else { r };
                r = if quotient_tiny { (if x == n { up } else { x }, true) } else { r };
                r = if one_over_d_tiny { (down, false) } else { r };
                r = if one_over_d_tiny & quotient_tiny { (if x == d { down } else { x }, true) } else { r };
                r = if is_denormal(d) { (up, false) } else { r };
                r = if en - ed >= $FAR { (if x == d { up } else { x }, true) } else { r };
                if is_zero(n) | is_zero(d) { (NAN, true) } else { r }
            }
            /// x * 2^e
            #[inline(always)]
            fn times(x: $U, e: i32) -> $U {
                nan1(x, (f(x) * f(power(e))).to_bits())
            }
            #[inline(always)]
            pub(crate) fn scaled<M: Fp>(m: M, x: $U, d: $U, n: $U) -> $U {
                scale(m, x, d, n).0
            }
            #[inline(always)]
            pub(crate) fn flag<M: Fp>(m: M, x: $U, d: $U, n: $U) -> bool {
                scale(m, x, d, n).1
            }

            /// The quotient, correctly rounded, NaNs as [`fixup`] has them.
            #[inline(always)]
            pub(crate) fn quotient<M: Fp>(m: M, n: $U, d: $U) -> $U {
                let (n, d) = (fin(m, n), fin(m, d));
                let r = match $directed(m) {
                    None => (f(n) / f(d)).to_bits(),
                    Some(round) => directed_quotient(n, d, round),
                };
                fout(m, nan2(n, d, r))
            }
            #[cold]
            fn directed_quotient(n: $U, d: $U, round: Round) -> $U {
                ap(n).div_r(ap(d), round).value.to_bits() as $U
            }

            /// The quotient `q`, unless operands say better.
            #[inline(always)]
            pub(crate) fn fixup<M: Fp>(m: M, q: $U, d: $U, n: $U) -> $U {
                let (q, d, n) = (fin(m, q), fin(m, d), fin(m, n));
                let sign = (d ^ n) & SIGN;
                let lost = exponent(n) - exponent(d) < $LOST;
                let away = match $directed(m) {
                    Some(Round::TowardPositive) => sign == 0,
                    Some(Round::TowardNegative) => sign != 0,
                    _ => false,
                };
                let r = if is_nan(q) { INF } else { q & !SIGN };
                let r = if lost { away as $U } else { r };
                let r = special_quotient(d, n, r);
                fout(m, nan2(n, d, if is_nan(r) { r } else { r | sign }))
            }
        }
    };
}

scale_and_fixup!(of32, s, u32, up: 64, far: 96, low: 23, min: -126, lost: -150, directed32);
scale_and_fixup!(of64, d, u64, up: 128, far: 768, low: 53, min: -1022, lost: -1075, directed16_64);

/// Defines the part of div_fixup about zeros and infinities: magnitude of n / d, or `r` if both are plain numbers.
macro_rules! special_quotient {
    ($f:ident, $U:ty) => {
        impl SpecialQuotient for $U {
            #[inline(always)]
            fn special_quotient(d: $U, n: $U, r: $U) -> $U {
                let (d, n) = (d & !$f::SIGN, n & !$f::SIGN);
                let r = if (d == $f::INF) | (n == 0) { 0 } else { r };
                let r = if (d == 0) | (n == $f::INF) { $f::INF } else { r };
                let invalid = ((d == 0) & (n == 0)) | ((d == $f::INF) & (n == $f::INF));
                if invalid { $f::NAN } else { r }
            }
        }
    };
}
trait SpecialQuotient: Sized {
    fn special_quotient(d: Self, n: Self, r: Self) -> Self;
}
special_quotient!(h, u16);
special_quotient!(s, u32);
special_quotient!(d, u64);
#[inline(always)]
fn special_quotient<U: SpecialQuotient>(d: U, n: U, r: U) -> U {
    U::special_quotient(d, n, r)
}

/// f16 needs no exponent tests: its quotients are computed in f32.
#[inline(always)]
pub(crate) fn fixup16<M: Fp>(m: M, q: u16, d: u16, n: u16) -> u16 {
    use h::*;
    let (q, d, n) = (fin(m, q), fin(m, d), fin(m, n));
    let r = if is_nan(q) { INF } else { q & !SIGN };
    let r = special_quotient(d, n, r);
    fout(m, nan2(n, d, if is_nan(r) { r } else { r | (d ^ n) & SIGN }))
}

/// a * b + c in f64, rounded to odd, for f32 factors: any later rounding to at most 51 bits is then right.
#[inline(always)]
pub(crate) fn fma_odd(a: f32, b: f32, c: f32) -> f64 {
    let p = a as f64 * b as f64;
    let c = c as f64;
    let sum = p + c;
    let c_part = sum - p;
    let error = (p - (sum - c_part)) + (c - c_part);
    let bits = sum.to_bits();
    let away = ((bits ^ error.to_bits()) as i64 >> 63) as u64 | 1; // +1 for equal signs, else -1
    let inexact = (error < 0.0) | (error > 0.0);
    d::f(if inexact & (bits & 1 == 0) { bits.wrapping_add(away) } else { bits })
}

/// fma, then times 2^64 if the addend is large, else 2^-64; one rounding for both.
#[inline(always)]
pub(crate) fn fmas32<M: Fp>(m: M, a: u32, b: u32, c: u32) -> u32 {
    use s::*;
    let (a, b, c) = (fin(m, a), fin(m, b), fin(m, c));
    let back = if exponent(c) > BIAS { d::f(d::power(64)) } else { d::f(d::power(-64)) };
    let exact = fma_odd(f(a), f(b), f(c)) * back;
    let r = match directed32(m) {
        None => (exact as f32).to_bits(),
        Some(round) => super::mode::narrow(exact, round),
    };
    fout(m, nan3(a, b, c, r))
}

/// fma, then times 2^128 if the addend is large, else 2^-128; one rounding for both.
#[inline(always)]
pub(crate) fn fmas64<M: Fp>(m: M, a: u64, b: u64, c: u64) -> u64 {
    if !fmas64_is_hard(m, a, b, c) {
        return fmas64_easy(m, a, b, c);
    }
    let (a, b, c) = (d::fin(m, a), d::fin(m, b), d::fin(m, c));
    let r = fmas64_slow(a, b, c, back64(c), directed16_64(m).unwrap_or(Round::NearestTiesToEven));
    d::fout(m, d::nan3(a, b, c, r))
}
#[inline(always)]
fn back64(c: u64) -> i32 {
    if d::exponent(c) > d::BIAS { 128 } else { -128 }
}
/// [`fmas64`] by rounding the sum to nearest even and scaling it.
#[inline(always)]
pub(crate) fn fmas64_easy<M: Fp>(m: M, a: u64, b: u64, c: u64) -> u64 {
    use d::*;
    let (a, b, c) = (fin(m, a), fin(m, b), fin(m, c));
    let r = f(a).mul_add(f(b), f(c)) * f(power(back64(c)));
    fout(m, nan3(a, b, c, r.to_bits()))
}
/// May that be wrong: does the mode round otherwise, is the scaled sum below the normal numbers, or did a sum that is scaled down overflow?
///
/// Scaling rounds a second time only where it leaves the normal numbers, and whether it does must be asked of the sum, before: a sum that
/// is half a unit below 2^-894 scales to a tie that rounds to the smallest normal number, which the exact sum may be nearer to the
/// denormal below. (Sums below 2^-950 become zero either way. Those scaled up are not that small: their addend is at least 2, and what is
/// left of it is a multiple of 2^-106.)
#[inline(always)]
pub(crate) fn fmas64_is_hard<M: Fp>(m: M, a: u64, b: u64, c: u64) -> bool {
    use d::*;
    let (a, b, c) = (fin(m, a), fin(m, b), fin(m, c));
    let sum = f(a).mul_add(f(b), f(c)).abs();
    let denormal = (sum >= f(power(-950))) & (sum < f(power(-894)));
    denormal | ((sum == f(INF)) & (back64(c) < 0)) | directed16_64(m).is_some()
}

/// With 113 bits, rounded to odd, before the scaling.
#[cold]
fn fmas64_slow(a: u64, b: u64, c: u64, back: i32, round: Round) -> u64 {
    let quad = |x: u64| -> Quad { Double::from_bits(x.into()).convert(&mut false).value };
    let zero = quad(a).mul_add_r(quad(b), quad(c), round);
    if zero.value.is_zero() {
        return FloatConvert::<Double>::convert_r(zero.value, round, &mut false).value.to_bits() as u64;
    }
    let cut = quad(a).mul_add_r(quad(b), quad(c), Round::TowardZero);
    let odd = Quad::from_bits(cut.value.to_bits() | u128::from(cut.status.contains(Status::INEXACT)));
    FloatConvert::<Double>::convert_r(odd.scalbn(back), round, &mut false).value.to_bits() as u64
}
