//! Dot products with float accumulation (numerics.md section 11): a chain of two fused steps, low halves first, to nearest even.
//!
//! The 16-bit inputs are exact in f32. Denormals of f32 accumulators follow the mode (the lifter gives a flushing one where a target
//! flushes); bf16 sums flush always.

use super::mode::Fp;
use super::{f16 as h, f32 as s};

/// Both halves of a pair of f16 as f32 bits.
#[inline(always)]
fn unpack_f16<M: Fp>(m: M, x: u32) -> [u32; 2] {
    [super::cvt::f32_f16(m, x as u16), super::cvt::f32_f16(m, (x >> 16) as u16)]
}

#[inline(always)]
fn chain<M: Fp>(m: M, a: [u32; 2], b: [u32; 2], c: u32) -> u32 {
    let m = M::Nearest::of(m.mode());
    s::fma(m, a[1], b[1], s::fma(m, a[0], b[0], c))
}
#[inline(always)]
pub(crate) fn f32_f16<M: Fp>(m: M, a: u32, b: u32, c: u32) -> u32 {
    chain(m, unpack_f16(m, a), unpack_f16(m, b), c)
}
#[inline(always)]
pub(crate) fn f32_bf16<M: Fp>(m: M, a: u32, b: u32, c: u32) -> u32 {
    chain(m, [a << 16, a & 0xffff_0000], [b << 16, b & 0xffff_0000], c)
}
#[inline(always)]
pub(crate) fn f16_f16<M: Fp>(m: M, a: u32, b: u32, c: u32) -> u32 {
    let m = M::Nearest::of(m.mode());
    let low = h::fma(m, a as u16, b as u16, c as u16);
    h::fma(m, (a >> 16) as u16, (b >> 16) as u16, low) as u32
}

/// bf16 fma with one rounding; denormals are zero.
#[inline(always)]
fn fma_bf16(a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (s::ftz(a << 16), s::ftz(b << 16), s::ftz(c << 16));
    // f64 holds the product exactly; two roundings to odd keep what the last one needs
    let sum = super::div::fma_odd(s::f(a), s::f(b), s::f(c));
    let r = s::nan3(a, b, c, h::odd_f32(sum).to_bits());
    let rounded = r.wrapping_add(0x7fff + (r >> 16 & 1));
    s::ftz(if s::is_nan(r) { r } else { rounded }) >> 16
}
#[inline(always)]
pub(crate) fn bf16_bf16<M: Fp>(_: M, a: u32, b: u32, c: u32) -> u32 {
    fma_bf16(a >> 16, b >> 16, fma_bf16(a & 0xffff, b & 0xffff, c & 0xffff))
}
