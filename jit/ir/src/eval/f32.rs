//! f32 arithmetic (numerics.md sections 2 to 6). Division helpers are in `div`, transcendentals in `trans`, conversions in `cvt`.

use super::common::float_format;
use rustc_apfloat::{StatusAnd, ieee::Single};

float_format!(u32, Single, 23, directed32, denorm_in32, denorm_out32);

/// The largest finite number.
const MAX: u32 = INF - 1;

/// Bits as the host's float.
#[inline(always)]
pub(crate) fn f(x: u32) -> f32 {
    f32::from_bits(x)
}

fn settle<M: Fp>(_: M, r: StatusAnd<Single>) -> u32 {
    r.value.to_bits() as u32
}

#[inline(always)]
pub(crate) fn lt(a: u32, b: u32) -> bool {
    f(a) < f(b)
}
#[inline(always)]
pub(crate) fn le(a: u32, b: u32) -> bool {
    f(a) <= f(b)
}
#[inline(always)]
pub(crate) fn eq(a: u32, b: u32) -> bool {
    f(a) == f(b)
}
#[inline(always)]
fn add_nearest<M: Fp>(_: M, a: u32, b: u32) -> u32 {
    (f(a) + f(b)).to_bits()
}
#[inline(always)]
fn mul_nearest<M: Fp>(_: M, a: u32, b: u32) -> u32 {
    (f(a) * f(b)).to_bits()
}
#[inline(always)]
fn fma_nearest<M: Fp>(_: M, a: u32, b: u32, c: u32) -> u32 {
    f(a).mul_add(f(b), f(c)).to_bits()
}
#[inline(always)]
fn floor_raw(x: u32) -> u32 {
    f(x).floor().to_bits()
}
#[inline(always)]
fn ceil_raw(x: u32) -> u32 {
    f(x).ceil().to_bits()
}
#[inline(always)]
fn trunc_raw(x: u32) -> u32 {
    f(x).trunc().to_bits()
}
#[inline(always)]
fn rndne_raw(x: u32) -> u32 {
    f(x).round_ties_even().to_bits()
}
#[inline(always)]
pub(crate) fn frexp_exp<M: Fp>(m: M, x: u32) -> u32 {
    frexp_exponent(m, x) as u32
}

/// v_mad_f32: the product is rounded, denormals are zero everywhere.
#[inline(always)]
pub(crate) fn mad<M: Fp>(m: M, a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (ftz(a), ftz(b), ftz(c));
    let product = ftz(mul(m, a, b));
    nan3(a, b, c, ftz(add(m, product, c)))
}

/// A product in which zero beats infinity and NaN; denormals are zero.
#[inline(always)]
pub(crate) fn mul_dx9<M: Fp>(m: M, a: u32, b: u32) -> u32 {
    let (a, b) = (ftz(a), ftz(b));
    let r = ftz(mul(m, a, b));
    if is_zero(a) | is_zero(b) { 0 } else { r }
}

/// fma in which zero beats infinity and NaN; then the addend is the result, even -0.
#[inline(always)]
pub(crate) fn fma_dx9<M: Fp>(m: M, a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (ftz(a), ftz(b), ftz(c));
    let r = ftz(fma(m, a, b, c));
    if is_zero(a) | is_zero(b) { nan1(c, c) } else { r }
}

/// v_mullit_f32: -FLT_MAX for exponents and bases that a lit() instruction must suppress.
#[inline(always)]
pub(crate) fn mullit<M: Fp>(m: M, a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (ftz(a), ftz(b), ftz(c));
    let suppressed = (b == SIGN | MAX) | (b == SIGN | INF) | is_nan(b) | !lt(0, c);
    if suppressed { SIGN | MAX } else { mul_dx9(m, a, b) }
}

/// x * 2^e with one rounding.
#[inline(always)]
pub(crate) fn ldexp<M: Fp>(m: M, x: u32, e: u32) -> u32 {
    let x = fin(m, x);
    // Beyond +-300 every number over- or underflows; within, the product is exact in f64.
    let e = (e as i32).clamp(-300, 300);
    let exact = f(x) as f64 * super::f64::f(((1023 + e) as u64) << 52);
    let r = match super::mode::directed32(m) {
        None => (exact as f32).to_bits(),
        Some(round) => super::mode::narrow(exact, round),
    };
    fout(m, nan1(x, r))
}

// Faces and coordinates of cube maps (images.md section cube); denormals are zero.

/// Chooses by major axis: of equal ones z goes before y before x.
#[inline(always)]
fn by_axis([x, y, z]: [u32; 3], on_x: u32, on_y: u32, on_z: u32) -> u32 {
    let (x, y, z) = (x & !SIGN, y & !SIGN, z & !SIGN);
    let r = if le(x, y) { on_y } else { on_x };
    if le(x, z) & le(y, z) { on_z } else { r }
}
/// `x < 0 ? a : b`
#[inline(always)]
fn by_sign(x: u32, a: u32, b: u32) -> u32 {
    if lt(x, 0) { a } else { b }
}
#[inline(always)]
pub(crate) fn cube_id<M: Fp>(_: M, x: u32, y: u32, z: u32) -> u32 {
    let [x, y, z] = [ftz(x), ftz(y), ftz(z)];
    let [zero, one, two, three, four, five] = [0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0].map(f32::to_bits);
    by_axis([x, y, z], by_sign(x, one, zero), by_sign(y, three, two), by_sign(z, five, four))
}
#[inline(always)]
pub(crate) fn cube_sc<M: Fp>(_: M, x: u32, y: u32, z: u32) -> u32 {
    let [x, y, z] = [ftz(x), ftz(y), ftz(z)];
    let r = by_axis([x, y, z], by_sign(x, z, z ^ SIGN), x, by_sign(z, x ^ SIGN, x));
    nan1(r, r)
}
#[inline(always)]
pub(crate) fn cube_tc<M: Fp>(_: M, x: u32, y: u32, z: u32) -> u32 {
    let [x, y, z] = [ftz(x), ftz(y), ftz(z)];
    let r = by_axis([x, y, z], y ^ SIGN, by_sign(y, z ^ SIGN, z), y ^ SIGN);
    nan1(r, r)
}
#[inline(always)]
pub(crate) fn cube_ma<M: Fp>(m: M, x: u32, y: u32, z: u32) -> u32 {
    let [x, y, z] = [ftz(x), ftz(y), ftz(z)];
    mul(m, by_axis([x, y, z], x, y, z), power(1))
}
