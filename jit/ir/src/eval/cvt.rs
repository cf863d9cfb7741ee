//! Conversions (numerics.md section 7). To integers they saturate and turn NaN into 0, as Rust's `as` does.

use super::mode::{Fp, directed16_64, directed32, narrow};
use super::{f16 as h, f32 as s, f64 as d};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::Double;

// integers to floats

#[inline(always)]
pub(crate) fn f32_i32<M: Fp>(m: M, x: u32) -> u32 {
    let x = x as i32;
    match directed32(m) {
        None => (x as f32).to_bits(),
        Some(round) => narrow(x.into(), round),
    }
}
#[inline(always)]
pub(crate) fn f32_u32<M: Fp>(m: M, x: u32) -> u32 {
    match directed32(m) {
        None => (x as f32).to_bits(),
        Some(round) => narrow(x.into(), round),
    }
}
#[inline(always)]
pub(crate) fn f64_i32<M: Fp>(_: M, x: u32) -> u64 {
    f64::from(x as i32).to_bits()
}
#[inline(always)]
pub(crate) fn f64_u32<M: Fp>(_: M, x: u32) -> u64 {
    f64::from(x).to_bits()
}
#[inline(always)]
pub(crate) fn f64_i64<M: Fp>(m: M, x: u64) -> u64 {
    let x = x as i64;
    match directed16_64(m) {
        None => (x as f64).to_bits(),
        Some(round) => Double::from_i128_r(x.into(), round).value.to_bits() as u64,
    }
}
#[inline(always)]
pub(crate) fn f64_u64<M: Fp>(m: M, x: u64) -> u64 {
    match directed16_64(m) {
        None => (x as f64).to_bits(),
        Some(round) => Double::from_u128_r(x.into(), round).value.to_bits() as u64,
    }
}
#[inline(always)]
pub(crate) fn f16_i16<M: Fp>(m: M, x: u16) -> u16 {
    h::finish_by_mode(m, (x as i16).into())
}
#[inline(always)]
pub(crate) fn f16_u16<M: Fp>(m: M, x: u16) -> u16 {
    h::finish_by_mode(m, x.into())
}
/// Signed 4 bits, in sixteenths.
#[inline(always)]
pub(crate) fn off_f32_i4<M: Fp>(_: M, x: u32) -> u32 {
    (((x << 28) as i32 >> 28) as f32 / 16.0).to_bits()
}

// floats to integers

/// Saturating conversions, NaN to 0. Rust's `as` means the same, but is not vectorized.
macro_rules! saturating {
    ($($name:ident $F:ident $I:ident $low:literal $high:literal;)*) => { $(
        #[inline(always)]
        fn $name(x: $F) -> $I {
            let inside = (x > $low) & (x < $high);
            // SAFETY: truncated, a number between the bounds is in the range of the integer, and so is 0.
            let r: $I = unsafe { (if inside { x } else { 0.0 }).to_int_unchecked() };
            let r = if x >= $high { $I::MAX } else { r };
            if x <= $low { $I::MIN } else { r }
        }
    )* };
}
saturating! {
    i32_of_f32 f32 i32 -2147483904.0 2147483648.0; // the f32 below i32::MIN
    u32_of_f32 f32 u32 -1.0 4294967296.0;
    i32_of_f64 f64 i32 -2147483649.0 2147483648.0;
    u32_of_f64 f64 u32 -1.0 4294967296.0;
}

#[inline(always)]
pub(crate) fn i32_f32<M: Fp>(_: M, x: u32) -> u32 {
    i32_of_f32(s::f(x)) as u32
}
#[inline(always)]
pub(crate) fn u32_f32<M: Fp>(_: M, x: u32) -> u32 {
    u32_of_f32(s::f(x))
}
#[inline(always)]
pub(crate) fn i32_f64<M: Fp>(_: M, x: u64) -> u32 {
    i32_of_f64(d::f(x)) as u32
}
#[inline(always)]
pub(crate) fn u32_f64<M: Fp>(_: M, x: u64) -> u32 {
    u32_of_f64(d::f(x))
}
/// floor(x + 0.5). The f64 sum is exact wherever its floor matters.
#[inline(always)]
pub(crate) fn nearest_i32_f32<M: Fp>(m: M, x: u32) -> u32 {
    i32_of_f64((s::f(s::fin(m, x)) as f64 + 0.5).floor()) as u32
}
/// floor(x), so that a negative denormal gives -1 unless it is flushed.
#[inline(always)]
pub(crate) fn floor_i32_f32<M: Fp>(m: M, x: u32) -> u32 {
    i32_of_f32(s::f(s::fin(m, x)).floor()) as u32
}
#[inline(always)]
pub(crate) fn i16_f16<M: Fp>(_: M, x: u16) -> u16 {
    let r = i32_of_f32(h::f(x));
    if h::is_nan(x) { 0 } else { r.clamp(-32768, 32767) as u16 }
}
#[inline(always)]
pub(crate) fn u16_f16<M: Fp>(_: M, x: u16) -> u16 {
    let r = i32_of_f32(h::f(x));
    if h::is_nan(x) { 0 } else { r.clamp(0, 65535) as u16 }
}

// floats to floats

#[inline(always)]
pub(crate) fn f16_f32<M: Fp>(m: M, x: u32) -> u16 {
    let x = s::fin(m, x);
    let r = h::finish_by_mode(m, s::f(x));
    h::fout(m, if s::is_nan(x) { f16_nan(x) } else { r })
}
/// The f16 NaN of an f32 NaN.
#[inline(always)]
fn f16_nan(x: u32) -> u16 {
    (x >> 16) as u16 & h::SIGN | h::INF | h::QUIET | (x >> 13) as u16 & 0x1ff
}
#[inline(always)]
pub(crate) fn f32_f16<M: Fp>(m: M, x: u16) -> u32 {
    let x = h::fin(m, x);
    let nan = ((x & h::SIGN) as u32) << 16 | s::INF | s::QUIET | ((x & 0x1ff) as u32) << 13;
    if h::is_nan(x) { nan } else { h::f(x).to_bits() }
}
#[inline(always)]
pub(crate) fn f64_f32<M: Fp>(m: M, x: u32) -> u64 {
    let x = s::fin(m, x);
    let nan = ((x & s::SIGN) as u64) << 32 | d::INF | d::QUIET | ((x & 0x3f_ffff) as u64) << 29;
    if s::is_nan(x) { nan } else { (s::f(x) as f64).to_bits() }
}
#[inline(always)]
pub(crate) fn f32_f64<M: Fp>(m: M, x: u64) -> u32 {
    let x = d::fin(m, x);
    let nan = (x >> 32) as u32 & s::SIGN | s::INF | s::QUIET | (x >> 29) as u32 & 0x3f_ffff;
    let r = match directed32(m) {
        None => (d::f(x) as f32).to_bits(),
        Some(round) => narrow(d::f(x), round),
    };
    s::fout(m, if d::is_nan(x) { nan } else { r })
}

// pairs

#[inline(always)]
fn pair(lo: u16, hi: u16) -> u32 {
    lo as u32 | (hi as u32) << 16
}
/// Toward zero whatever the mode; only infinity becomes infinity.
#[inline(always)]
fn f16_toward_zero<M: Fp>(m: M, x: u32) -> u16 {
    let magnitude = x & !s::SIGN;
    let sign = (x >> 16) as u16 & h::SIGN;
    let normal = (magnitude.wrapping_sub(112 << 23) >> 13) as u16;
    // |x| * 2^24 is the number of denormal units
    let denormal = i32_of_f32(s::f(magnitude) * 16777216.0) as u16;
    let r = if magnitude < 0x3880_0000 { denormal } else { normal };
    let r = if magnitude >= 0x4780_0000 { h::INF - 1 } else { r };
    let r = if magnitude == s::INF { h::INF } else { r };
    h::fout(m, if s::is_nan(x) { f16_nan(x) } else { r | sign })
}
#[inline(always)]
pub(crate) fn pk_rtz_f16_f32<M: Fp>(m: M, a: u32, b: u32) -> u32 {
    pair(f16_toward_zero(m, a), f16_toward_zero(m, b))
}
/// [-1, 1] times 32767, to nearest even; the product is exact in f64.
#[inline(always)]
fn snorm16(x: f32) -> u16 {
    let v = x as f64 * 32767.0;
    i32_of_f64(v.clamp(-32767.0, 32767.0).round_ties_even()) as u16
}
/// [0, 1] times 65535, to nearest even.
#[inline(always)]
fn unorm16(x: f32) -> u16 {
    let v = x as f64 * 65535.0;
    i32_of_f64(v.clamp(0.0, 65535.0).round_ties_even()) as u16
}
#[inline(always)]
pub(crate) fn pk_norm_i16_f32<M: Fp>(_: M, a: u32, b: u32) -> u32 {
    pair(snorm16(s::f(a)), snorm16(s::f(b)))
}
#[inline(always)]
pub(crate) fn pk_norm_u16_f32<M: Fp>(_: M, a: u32, b: u32) -> u32 {
    pair(unorm16(s::f(a)), unorm16(s::f(b)))
}
#[inline(always)]
pub(crate) fn norm_i16_f16<M: Fp>(_: M, a: u16) -> u16 {
    snorm16(h::f(a))
}
#[inline(always)]
pub(crate) fn norm_u16_f16<M: Fp>(_: M, a: u16) -> u16 {
    unorm16(h::f(a))
}
#[inline(always)]
pub(crate) fn pk_norm_i16_f16<M: Fp>(m: M, a: u16, b: u16) -> u32 {
    pair(norm_i16_f16(m, a), norm_i16_f16(m, b))
}
#[inline(always)]
pub(crate) fn pk_norm_u16_f16<M: Fp>(m: M, a: u16, b: u16) -> u32 {
    pair(norm_u16_f16(m, a), norm_u16_f16(m, b))
}
#[inline(always)]
pub(crate) fn pk_i16_i32<M: Fp>(_: M, a: u32, b: u32) -> u32 {
    let one = |x: u32| (x as i32).clamp(-32768, 32767) as u16;
    pair(one(a), one(b))
}
#[inline(always)]
pub(crate) fn pk_u16_u32<M: Fp>(_: M, a: u32, b: u32) -> u32 {
    pair(a.min(65535) as u16, b.min(65535) as u16)
}
/// Toward zero.
#[inline(always)]
pub(crate) fn pk_i16_f32<M: Fp>(m: M, a: u32, b: u32) -> u32 {
    pk_i16_i32(m, i32_f32(m, a), i32_f32(m, b))
}
/// Toward zero.
#[inline(always)]
pub(crate) fn pk_u16_f32<M: Fp>(m: M, a: u32, b: u32) -> u32 {
    pk_u16_u32(m, u32_f32(m, a), u32_f32(m, b))
}
/// Toward zero to 0..255, into byte `n` of `old`.
#[inline(always)]
pub(crate) fn pk_u8_f32<M: Fp>(m: M, x: u32, n: u32, old: u32) -> u32 {
    let shift = (n & 3) * 8;
    (old & !(0xff << shift)) | u32_f32(m, x).min(255) << shift
}
