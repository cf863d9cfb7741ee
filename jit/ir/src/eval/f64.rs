//! f64 arithmetic (numerics.md sections 2 to 6).

use super::common::float_format;
use rustc_apfloat::{StatusAnd, ieee::Double};

float_format!(u64, Double, 52, directed16_64, denorm_in16_64, denorm_out16_64);

/// Bits as the host's float.
#[inline(always)]
pub(crate) fn f(x: u64) -> f64 {
    f64::from_bits(x)
}

fn settle<M: Fp>(_: M, r: StatusAnd<Double>) -> u64 {
    r.value.to_bits() as u64
}

#[inline(always)]
pub(crate) fn lt(a: u64, b: u64) -> bool {
    f(a) < f(b)
}
#[inline(always)]
pub(crate) fn le(a: u64, b: u64) -> bool {
    f(a) <= f(b)
}
#[inline(always)]
pub(crate) fn eq(a: u64, b: u64) -> bool {
    f(a) == f(b)
}
#[inline(always)]
fn add_nearest<M: Fp>(_: M, a: u64, b: u64) -> u64 {
    (f(a) + f(b)).to_bits()
}
#[inline(always)]
fn mul_nearest<M: Fp>(_: M, a: u64, b: u64) -> u64 {
    (f(a) * f(b)).to_bits()
}
#[inline(always)]
fn fma_nearest<M: Fp>(_: M, a: u64, b: u64, c: u64) -> u64 {
    f(a).mul_add(f(b), f(c)).to_bits()
}
#[inline(always)]
fn floor_raw(x: u64) -> u64 {
    f(x).floor().to_bits()
}
#[inline(always)]
fn ceil_raw(x: u64) -> u64 {
    f(x).ceil().to_bits()
}
#[inline(always)]
fn trunc_raw(x: u64) -> u64 {
    f(x).trunc().to_bits()
}
#[inline(always)]
fn rndne_raw(x: u64) -> u64 {
    f(x).round_ties_even().to_bits()
}
#[inline(always)]
pub(crate) fn frexp_exp<M: Fp>(m: M, x: u64) -> u32 {
    frexp_exponent(m, x) as u32
}

/// x * 2^e with one rounding.
#[inline(always)]
pub(crate) fn ldexp<M: Fp>(m: M, x: u64, e: u32) -> u64 {
    let x = fin(m, x);
    let r = match super::mode::directed16_64(m) {
        None => ldexp_nearest(x, e as i32),
        Some(round) => ap(x).scalbn_r((e as i32).clamp(-4000, 4000), round).to_bits() as u64,
    };
    fout(m, nan1(x, r))
}

/// x * 2^n with one rounding, n rounded down; a NaN is 0.
#[inline(always)]
pub(crate) fn scale<M: Fp>(m: M, x: u64, n: u64) -> u64 {
    ldexp(m, x, super::cvt::i32_f64(m, floor_raw(n)))
}

/// Three factors reach every exponent. Going down, the first two are 2^-969: what they leave is either far below the denormals, or still
/// has all its bits, so that only the last product rounds.
#[inline(always)]
fn ldexp_nearest(x: u64, e: i32) -> u64 {
    let mut e = e.clamp(-4000, 4000);
    let mut v = f(x);
    for _ in 0..2 {
        let step = if e < -1022 {
            -969
        } else if e > 1023 {
            1023
        } else {
            0
        };
        v *= f(power(step));
        e -= step;
    }
    (v * f(power(e.clamp(-1022, 1023)))).to_bits()
}
