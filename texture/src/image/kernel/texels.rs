//! Texels of the formats that have kernels: fetching, decoding and blending, twins of [`super::super::filter`] and of the formats' decoders.
//! The common formats are here, each a type of its own; [`super::channels`] takes all others whose channels lie side by side.

use super::fields::Field;
use crate::format::{Bc, Format, Layout, Numeric, SRGB_TO_LINEAR, with_recent_blocks};
use crate::guarded::{Lost, View};
use crate::simd::Simd;

/// What the kernels know about a format beside its kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Bytes of a texel; below 4 the aligned dword around it is read.
    pub bytes: i32,
    /// sRGB bytes to linear values.
    pub srgb: &'static [f32; 256],
    /// Where channels are and what they mean.
    pub fields: [Field; 4],
    /// Channels that the result has, by bit.
    pub needed: u8,
    /// Of compressed images.
    block: (Bc, Numeric),
}

impl Element {
    /// Of a format whose channels `needed` are asked for. `None`: there are channels the kernels cannot decode.
    pub(super) fn new(format: &Format, is_sampled: bool, needed: u8) -> Option<Element> {
        let block = match format.layout {
            Layout::Block(kind) => (kind, format.numeric),
            _ => (Bc::Bc1, Numeric::Unorm),
        };
        let fields = Field::all(format, is_sampled)?;
        Some(Element { bytes: format.bytes.into(), srgb: &SRGB_TO_LINEAR, fields, needed, block })
    }
}

/// A kind of texel. All functions are safe to call where the instruction set is available and, for `fetch`, `at` is the offset of a texel of
/// the image, for the lanes of `m`.
pub(super) trait Texels {
    /// Must samplers go through [`Texels::channel`]?
    const BY_CHANNEL: bool = false;
    /// [`Texels::channel`] gives values times this: what blends are made of.
    const SCALE: f32 = 1.0;
    /// Is every texel a finite number, so that what has no weight does no harm in a blend?
    const IS_FINITE: bool = false;
    /// Texels of all lanes, as read.
    type Tap<S: Simd>: Copy;
    /// Reads texels; lanes outside `m` read zeros. Says in `lost` if one cannot be read.
    unsafe fn fetch<S: Simd>(element: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> Self::Tap<S>;
    /// Memory channels, as f32 bits or integers. Channels the format lacks or that are not needed may have any value.
    unsafe fn decode<S: Simd>(element: &Element, tap: Self::Tap<S>) -> [S::I; 4];
    /// The same for samplers: denormals are 0.
    #[inline(always)]
    unsafe fn decode_sampled<S: Simd>(element: &Element, tap: Self::Tap<S>) -> [S::F; 4] {
        // SAFETY: as `decode`.
        unsafe {
            let [r, g, b, a] = Self::decode::<S>(element, tap);
            [S::as_f(r), S::as_f(g), S::as_f(b), S::as_f(a)]
        }
    }
    /// One channel of some taps as samplers see it.
    #[inline(always)]
    unsafe fn channel<S: Simd, const N: usize>(element: &Element, taps: [Self::Tap<S>; N], c: usize) -> [S::F; N] {
        // SAFETY: as `decode`.
        unsafe {
            let mut out = [S::f(0.0); N];
            for n in 0..N {
                out[n] = Self::decode_sampled::<S>(element, taps[n])[c & 3];
            }
            out
        }
    }
    /// Bilinear blend; taps of weight 0 were read as zeros.
    #[inline(always)]
    unsafe fn blend<S: Simd>(element: &Element, taps: [Self::Tap<S>; 4], wx: S::I, wy: S::I) -> [S::F; 4] {
        // SAFETY: as `decode`.
        unsafe {
            let t00 = Self::decode_sampled::<S>(element, taps[0]);
            let t10 = Self::decode_sampled::<S>(element, taps[1]);
            let t01 = Self::decode_sampled::<S>(element, taps[2]);
            let t11 = Self::decode_sampled::<S>(element, taps[3]);
            let mut out = [S::f(0.0); 4];
            for c in 0..4 {
                out[c] = bilinear::<S>([t00[c], t10[c], t01[c], t11[c]], wx, wy);
            }
            out
        }
    }
}

/// As [`super::super::filter::bilinear`].
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn bilinear<S: Simd>([t00, t10, t01, t11]: [S::F; 4], wx: S::I, wy: S::I) -> S::F {
    // SAFETY: no memory is touched.
    unsafe {
        let part = S::f(1.0 / 256.0);
        let (x, y) = (S::mul_f(S::to_f(wx), part), S::mul_f(S::to_f(wy), part));
        let (x1, y1) = (S::sub_f(S::f(1.0), x), S::sub_f(S::f(1.0), y));
        let upper = S::add_f(S::mul_f(t00, x1), S::mul_f(t10, x));
        let lower = S::add_f(S::mul_f(t01, x1), S::mul_f(t11, x));
        settle::<S>(S::add_f(S::mul_f(upper, y1), S::mul_f(lower, y)))
    }
}

/// Any NaN becomes the default one.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn settle<S: Simd>(x: S::F) -> S::F {
    // SAFETY: no memory is touched.
    unsafe { S::select_f(S::ordered(x, x), x, S::as_f(S::i(0x7fc0_0000))) }
}

/// x / D correctly rounded, for whole numbers x from 0 to 255 * 65536 and D = 255 or 255 * 65536: the reciprocal in two parts is right to 2^-48 of it, and no
/// quotient of these lies as close to the middle between two numbers.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn divide<S: Simd>(x: S::F, divisor: f32) -> S::F {
    // SAFETY: no memory is touched.
    unsafe {
        let reciprocal = 1.0 / divisor;
        let rest = (1.0 / f64::from(divisor) - f64::from(reciprocal)) as f32;
        S::fma(x, S::f(reciprocal), S::mul_f(x, S::f(rest)))
    }
}

/// The dword with a texel of 4 bytes or less in its low bits, or the first dword of a larger one.
///
/// # Safety
/// As [`Texels::fetch`].
#[inline(always)]
pub(super) unsafe fn fetch_dword<S: Simd>(element: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> S::I {
    // SAFETY: the texel is in the image; the aligned dword around a smaller one is too, as images are whole dwords long.
    unsafe {
        if element.bytes >= 4 {
            S::gather_guest(image, 0, at, m, lost)
        } else {
            let dword = S::gather_guest(image, 0, S::and(at, S::i(!3)), m, lost);
            S::shr_each(dword, S::shl(S::and(at, S::i(3)), 3))
        }
    }
}

/// Byte number `at` / 8 of each lane.
#[inline(always)]
unsafe fn byte<S: Simd>(tap: S::I, at: i32) -> S::I {
    // SAFETY: no memory is touched.
    unsafe { S::and(S::shr(tap, at), S::i(0xff)) }
}

/// Two 8-bit numbers per lane, in 16 bits each: 256 a + x (b - a), from 0 to 255 * 256, whatever the difference wraps to.
#[inline(always)]
unsafe fn row<S: Simd>(a: S::I, b: S::I, x: S::I) -> S::I {
    // SAFETY: no memory is touched.
    unsafe { S::add16(S::shl16_8(a), S::mul16(S::sub16(b, a), x)) }
}

/// Blend of two rows, which are the halves of each lane of `pair`, with the weights in the halves of `y`, divided to the range 0 to 1.
#[inline(always)]
unsafe fn column<S: Simd>(pair: S::I, y: S::I) -> S::F {
    // SAFETY: no memory is touched.
    unsafe {
        // The multiplication is signed: numbers less 32768, which is added back with the weights' sum of 256.
        let sum = S::add(S::madd16(S::xor(pair, S::i(0x8000_8000_u32 as i32)), y), S::i(256 * 32768));
        divide::<S>(S::to_f(sum), 255.0 * 65536.0)
    }
}

/// 8-bit UNORM channels, one to four of them.
pub(super) struct Bytes;

impl Texels for Bytes {
    const SCALE: f32 = 255.0;
    const IS_FINITE: bool = true;
    type Tap<S: Simd> = S::I;
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> S::I {
        // SAFETY: as the trait says.
        unsafe { fetch_dword::<S>(element, image, at, m, lost) }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(_: &Element, tap: S::I) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let mut out = [S::i(0); 4];
            for (c, out) in (0_i32..).zip(&mut out) {
                *out = S::as_i(divide::<S>(S::to_f(byte::<S>(tap, 8 * c)), 255.0));
            }
            out
        }
    }
    #[inline(always)]
    unsafe fn channel<S: Simd, const N: usize>(_: &Element, taps: [S::I; N], c: usize) -> [S::F; N] {
        // SAFETY: no memory is touched.
        unsafe {
            let mut out = [S::f(0.0); N];
            for n in 0..N {
                out[n] = S::to_f(byte::<S>(taps[n], 8 * c as i32));
            }
            out
        }
    }
    /// In whole numbers: rows of taps in 16 bits, then both rows in 32.
    #[inline(always)]
    unsafe fn blend<S: Simd>(_: &Element, [t00, t10, t01, t11]: [S::I; 4], wx: S::I, wy: S::I) -> [S::F; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let (even, low) = (S::i(0x00ff_00ff), S::i(0xffff));
            let x = S::or(wx, S::shl(wx, 16));
            let y = S::or(S::sub(S::i(256), wy), S::shl(wy, 16));
            let upper_rb = row::<S>(S::and(t00, even), S::and(t10, even), x);
            let lower_rb = row::<S>(S::and(t01, even), S::and(t11, even), x);
            let upper_ga = row::<S>(S::and(S::shr(t00, 8), even), S::and(S::shr(t10, 8), even), x);
            let lower_ga = row::<S>(S::and(S::shr(t01, 8), even), S::and(S::shr(t11, 8), even), x);
            let high = S::i(0xffff_0000_u32 as i32);
            [
                column::<S>(S::or(S::and(upper_rb, low), S::shl(lower_rb, 16)), y),
                column::<S>(S::or(S::and(upper_ga, low), S::shl(lower_ga, 16)), y),
                column::<S>(S::or(S::shr(upper_rb, 16), S::and(lower_rb, high)), y),
                column::<S>(S::or(S::shr(upper_ga, 16), S::and(lower_ga, high)), y),
            ]
        }
    }
}

/// 8_8_8_8_SRGB and its shorter forms.
pub(super) struct Srgb;

impl Texels for Srgb {
    const IS_FINITE: bool = true;
    type Tap<S: Simd> = S::I;
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> S::I {
        // SAFETY: as the trait says.
        unsafe { fetch_dword::<S>(element, image, at, m, lost) }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(element: &Element, tap: S::I) -> [S::I; 4] {
        // SAFETY: the table has an entry for every byte.
        unsafe {
            let mut out = [S::i(0); 4];
            for (c, out) in (0_i32..).zip(&mut out).take(3) {
                *out = S::byte_entry(element.srgb, byte::<S>(tap, 8 * c));
            }
            out[3] = S::as_i(divide::<S>(S::to_f(S::shr(tap, 24)), 255.0));
            out
        }
    }
}

/// f16 channels: 1, 2 or 4.
pub(super) struct Halves<const N: usize>;

impl<const N: usize> Texels for Halves<N> {
    type Tap<S: Simd> = [S::I; 2];
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> [S::I; 2] {
        // SAFETY: as the trait says; four channels are two dwords.
        unsafe {
            let first = fetch_dword::<S>(element, image, at, m, lost);
            [first, if N == 4 { S::gather_guest(image, 4, at, m, lost) } else { first }]
        }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(_: &Element, [a, b]: [S::I; 2]) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let mut out = [S::i(0); 4];
            out[0] = S::as_i(S::half(a));
            if N > 1 {
                out[1] = S::as_i(S::half(S::shr(a, 16)));
            }
            if N > 2 {
                out[2] = S::as_i(S::half(b));
                out[3] = S::as_i(S::half(S::shr(b, 16)));
            }
            out
        }
    }
}

/// Channels of 32 bits, float or integer: 1, 2 or 4.
pub(super) struct Dwords<const N: usize>;

impl<const N: usize> Texels for Dwords<N> {
    type Tap<S: Simd> = [S::I; 4];
    #[inline(always)]
    unsafe fn fetch<S: Simd>(_: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> [S::I; 4] {
        // SAFETY: as the trait says; images have 16 bytes.
        unsafe {
            if N == 4 {
                return S::quads_guest(image, at, m, lost);
            }
            let mut tap = [S::i(0); 4];
            for (c, tap) in tap.iter_mut().enumerate().take(N) {
                *tap = S::gather_guest(image, 4 * c, at, m, lost);
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
            let mut out = [S::f(0.0); 4];
            for (out, t) in out.iter_mut().zip(tap) {
                let denormal = S::eq(S::and(t, S::i(0x7f80_0000)), S::i(0));
                *out = S::as_f(S::select(denormal, S::and(t, S::i(i32::MIN)), t));
            }
            out
        }
    }
}

/// Texels of compressed blocks, which lanes take one by one. Offsets count sixteenths of blocks: the texel's number in its block and, above
/// the lowest four bits, the block's.
pub(super) struct Blocks;

impl Texels for Blocks {
    type Tap<S: Simd> = [S::I; 4];
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> [S::I; 4] {
        let mut offsets = [0_u32; 16];
        let mut channels = [[0; 16]; 4];
        let (kind, numeric) = element.block;
        let bytes = element.bytes as usize;
        // SAFETY: vectors have at most 16 lanes; the blocks of the lanes of `m` are in the image, as the trait says.
        unsafe {
            S::store(&mut offsets, m, at);
            let mut lanes = S::bits(m);
            with_recent_blocks(|recent| {
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize & 15;
                    lanes &= lanes - 1;
                    let block = image.block(u64::from(offsets[lane] >> 4) * bytes as u64, bytes, lost);
                    let texel = recent.texel(kind, numeric, block, offsets[lane]);
                    for (row, value) in channels.iter_mut().zip(texel) {
                        row[lane] = value;
                    }
                }
            });
            let [r, g, b, a] = &channels;
            [S::load(r), S::load(g), S::load(b), S::load(a)]
        }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(_: &Element, tap: [S::I; 4]) -> [S::I; 4] {
        tap
    }
    #[inline(always)]
    unsafe fn channel<S: Simd, const N: usize>(_: &Element, taps: [[S::I; 4]; N], c: usize) -> [S::F; N] {
        // SAFETY: no memory is touched.
        unsafe {
            let mut out = [S::f(0.0); N];
            for n in 0..N {
                out[n] = S::as_f(taps[n][c & 3]);
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    // What `divide` computes, one lane of it.
    fn divide(x: f32, divisor: f32) -> f32 {
        let reciprocal = 1.0 / divisor;
        let rest = (1.0 / f64::from(divisor) - f64::from(reciprocal)) as f32;
        x.mul_add(reciprocal, x * rest)
    }

    #[test]
    fn division_by_a_reciprocal_in_two_parts_is_exact() {
        assert!((0..=255).all(|x| divide(x as f32, 255.0) == x as f32 / 255.0));
        let divisor = 255.0 * 65536.0;
        assert!(
            (0..=255 * 65536).step_by(if cfg!(debug_assertions) { 37 } else { 1 }).all(|x| divide(x as f32, divisor) == x as f32 / divisor)
        );
    }
}
