//! Texels of the formats that have kernels: fetching, decoding and blending, twins of [`super::super::filter`] and of the formats' decoders.

use super::simd::Simd;
use crate::format::{Format, Numeric};

/// What the kernels know about a format beside its kind.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Bytes of a texel; below 4 the aligned dword around it is read.
    bytes: i32,
    /// sRGB bytes to linear values.
    srgb: &'static [f32; 256],
    /// By channel: how far to shift left and back to isolate it.
    isolate: [(i32, i32); 4],
    is_signed: bool,
}

impl Element {
    /// Of a format with a kind of texel.
    pub fn new(format: &Format, srgb: &'static [f32; 256]) -> Element {
        let isolate = format.channels.map(|c| match i32::from(c.bits) {
            bits @ 1..=32 if i32::from(c.shift) + bits <= 32 => (32 - bits - i32::from(c.shift), 32 - bits),
            _ => (0, 0),
        });
        Element { bytes: format.bytes.into(), srgb, isolate, is_signed: format.numeric == Numeric::Sint }
    }
}

/// A kind of texel. All functions are safe to call where the instruction set is available and, for `fetch`, `at` is the offset of a texel of
/// the image at `base`, for the lanes of `m`.
pub trait Texels {
    /// Texels of all lanes, as read.
    type Tap<S: Simd>: Copy;
    /// Reads texels; lanes outside `m` read zeros.
    unsafe fn fetch<S: Simd>(element: &Element, base: *const u8, at: S::I, m: S::M) -> Self::Tap<S>;
    /// Memory channels, as f32 bits or integers. Channels the format lacks may have any value.
    unsafe fn decode<S: Simd>(element: &Element, tap: Self::Tap<S>) -> [S::I; 4];
    /// The same for samplers: denormals are 0.
    #[inline(always)]
    unsafe fn decode_sampled<S: Simd>(element: &Element, tap: Self::Tap<S>) -> [S::F; 4] {
        // SAFETY: as `decode`.
        unsafe { Self::decode::<S>(element, tap).map(|c| S::as_f(c)) }
    }
    /// Bilinear blend; taps of weight 0 were read as zeros.
    #[inline(always)]
    unsafe fn blend<S: Simd>(element: &Element, taps: [Self::Tap<S>; 4], wx: S::I, wy: S::I) -> [S::F; 4] {
        // SAFETY: as `decode`.
        unsafe {
            let [t00, t10, t01, t11] = taps.map(|t| Self::decode_sampled::<S>(element, t));
            let part = S::f(1.0 / 256.0);
            let (x, y) = (S::mul_f(S::to_f(wx), part), S::mul_f(S::to_f(wy), part));
            let (x1, y1) = (S::sub_f(S::f(1.0), x), S::sub_f(S::f(1.0), y));
            let mut out = [S::f(0.0); 4];
            for c in 0..4 {
                let upper = S::add_f(S::mul_f(t00[c], x1), S::mul_f(t10[c], x));
                let lower = S::add_f(S::mul_f(t01[c], x1), S::mul_f(t11[c], x));
                out[c] = settle::<S>(S::add_f(S::mul_f(upper, y1), S::mul_f(lower, y)));
            }
            out
        }
    }
}

/// Any NaN becomes the default one.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub unsafe fn settle<S: Simd>(x: S::F) -> S::F {
    // SAFETY: no memory is touched.
    unsafe { S::select_f(S::ordered(x, x), x, S::as_f(S::i(0x7fc0_0000))) }
}

/// x / D correctly rounded, for whole numbers x from 0 to 255 * 65536 and D = 255 or 255 * 65536: a product and one correction.
#[inline(always)]
unsafe fn divide<S: Simd>(x: S::F, divisor: f32) -> S::F {
    // SAFETY: no memory is touched.
    unsafe {
        let reciprocal = S::f(1.0 / divisor);
        let q = S::mul_f(x, reciprocal);
        let rest = S::fma(q, S::f(-divisor), x);
        S::fma(rest, reciprocal, q)
    }
}

#[inline(always)]
unsafe fn fetch_dword<S: Simd>(element: &Element, base: *const u8, at: S::I, m: S::M) -> S::I {
    // SAFETY: the texel is in the image; the aligned dword around a smaller one is too, as images are whole dwords long.
    unsafe {
        if element.bytes >= 4 {
            S::gather(base, at, m)
        } else {
            let dword = S::gather(base, S::and(at, S::i(!3)), m);
            S::shr_each(dword, S::shl(S::and(at, S::i(3)), 3))
        }
    }
}

/// 8-bit UNORM channels, one to four of them.
pub struct Bytes;

impl Texels for Bytes {
    type Tap<S: Simd> = S::I;
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, base: *const u8, at: S::I, m: S::M) -> S::I {
        // SAFETY: as the trait says.
        unsafe { fetch_dword::<S>(element, base, at, m) }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(_: &Element, tap: S::I) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe { [0, 8, 16, 24].map(|at| S::as_i(divide::<S>(S::to_f(S::and(S::shr(tap, at), S::i(0xff))), 255.0))) }
    }
    /// In whole numbers: rows of taps in 16 bits, then both rows in 32.
    #[inline(always)]
    unsafe fn blend<S: Simd>(_: &Element, [t00, t10, t01, t11]: [S::I; 4], wx: S::I, wy: S::I) -> [S::F; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let even = |t| S::and(t, S::i(0x00ff_00ff));
            let odd = |t| S::and(S::shr(t, 8), S::i(0x00ff_00ff));
            let x = S::or(wx, S::shl(wx, 16));
            // 256 a + x (b - a), from 0 to 255 * 256: it fits 16 bits whatever the difference wraps to
            let row = |a, b| S::add16(S::shl16_8(a), S::mul16(S::sub16(b, a), x));
            let (upper_rb, lower_rb) = (row(even(t00), even(t10)), row(even(t01), even(t11)));
            let (upper_ga, lower_ga) = (row(odd(t00), odd(t10)), row(odd(t01), odd(t11)));
            let y = S::or(S::sub(S::i(256), wy), S::shl(wy, 16));
            // The multiplication is signed: numbers less 32768, which is added back with the weights' sum of 256.
            let column = |pair| S::add(S::madd16(S::xor(pair, S::i(0x8000_8000_u32 as i32)), y), S::i(256 * 32768));
            let low = |u, l| S::or(S::and(u, S::i(0xffff)), S::shl(l, 16));
            let high = |u, l| S::or(S::shr(u, 16), S::and(l, S::i(0xffff_0000_u32 as i32)));
            let sums = [low(upper_rb, lower_rb), low(upper_ga, lower_ga), high(upper_rb, lower_rb), high(upper_ga, lower_ga)].map(column);
            sums.map(|s| divide::<S>(S::to_f(s), 255.0 * 65536.0))
        }
    }
}

/// 8_8_8_8_SRGB and its shorter forms.
pub struct Srgb;

impl Texels for Srgb {
    type Tap<S: Simd> = S::I;
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, base: *const u8, at: S::I, m: S::M) -> S::I {
        // SAFETY: as the trait says.
        unsafe { fetch_dword::<S>(element, base, at, m) }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(element: &Element, tap: S::I) -> [S::I; 4] {
        // SAFETY: the table has an entry for every byte.
        unsafe {
            let all = S::mask(u32::MAX);
            let colour = |at: i32| {
                let byte = S::and(S::shr(tap, at), S::i(0xff));
                S::gather(element.srgb.as_ptr().cast(), S::shl(byte, 2), all)
            };
            [colour(0), colour(8), colour(16), S::as_i(divide::<S>(S::to_f(S::shr(tap, 24)), 255.0))]
        }
    }
}

/// Integer channels in a dword or less, for loads.
pub struct Packed;

impl Texels for Packed {
    type Tap<S: Simd> = S::I;
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, base: *const u8, at: S::I, m: S::M) -> S::I {
        // SAFETY: as the trait says.
        unsafe { fetch_dword::<S>(element, base, at, m) }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(element: &Element, tap: S::I) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            element.isolate.map(|(up, down)| {
                let top = S::shl(tap, up);
                if element.is_signed { S::sar(top, down) } else { S::shr(top, down) }
            })
        }
    }
}

/// f16 channels: 1, 2 or 4.
pub struct Halves<const N: usize>;

impl<const N: usize> Texels for Halves<N> {
    type Tap<S: Simd> = [S::I; 2];
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, base: *const u8, at: S::I, m: S::M) -> [S::I; 2] {
        // SAFETY: as the trait says; four channels are two dwords.
        unsafe {
            let first = fetch_dword::<S>(element, base, at, m);
            [first, if N == 4 { S::gather(base.wrapping_add(4), at, m) } else { first }]
        }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(_: &Element, [a, b]: [S::I; 2]) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let low = |t| S::as_i(S::half(t));
            let high = |t| S::as_i(S::half(S::shr(t, 16)));
            match N {
                1 => [low(a), S::i(0), S::i(0), S::i(0)],
                2 => [low(a), high(a), S::i(0), S::i(0)],
                _ => [low(a), high(a), low(b), high(b)],
            }
        }
    }
}

/// Channels of 32 bits, float or integer: 1, 2 or 4.
pub struct Dwords<const N: usize>;

impl<const N: usize> Texels for Dwords<N> {
    type Tap<S: Simd> = [S::I; 4];
    #[inline(always)]
    unsafe fn fetch<S: Simd>(_: &Element, base: *const u8, at: S::I, m: S::M) -> [S::I; 4] {
        // SAFETY: as the trait says.
        unsafe {
            let mut tap = [S::i(0); 4];
            for (c, tap) in tap.iter_mut().enumerate().take(N) {
                *tap = S::gather(base.wrapping_add(4 * c), at, m);
            }
            tap
        }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(_: &Element, tap: [S::I; 4]) -> [S::I; 4] {
        tap
    }
    #[inline(always)]
    unsafe fn decode_sampled<S: Simd>(_: &Element, tap: [S::I; 4]) -> [S::F; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            tap.map(|t| {
                let denormal = S::eq(S::and(t, S::i(0x7f80_0000)), S::i(0));
                S::as_f(S::select(denormal, S::and(t, S::i(i32::MIN)), t))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    // What `divide` computes, one lane of it.
    fn divide(x: f32, divisor: f32) -> f32 {
        let reciprocal = 1.0 / divisor;
        let q = x * reciprocal;
        q.mul_add(-divisor, x).mul_add(reciprocal, q)
    }

    #[test]
    fn division_by_product_and_correction_is_exact() {
        assert!((0..=255).all(|x| divide(x as f32, 255.0) == x as f32 / 255.0));
        let divisor = 255.0 * 65536.0;
        assert!(
            (0..=255 * 65536).step_by(if cfg!(debug_assertions) { 37 } else { 1 }).all(|x| divide(x as f32, divisor) == x as f32 / divisor)
        );
    }
}
