//! Texels of any format whose channels lie side by side: fields of dwords, each with a meaning. Slower than the types of [`super::texels`],
//! but every numeric format of every width goes through it, one channel at a time and only those that are wanted.

use super::fields::Meaning;
use super::texels::{Element, Texels, bilinear, fetch_dword};
use crate::guarded::{Lost, View};
use crate::simd::Simd;

/// Any plain format, or shared exponents.
pub(super) struct Channels;

impl Texels for Channels {
    const BY_CHANNEL: bool = true;
    type Tap<S: Simd> = [S::I; 4];
    #[inline(always)]
    unsafe fn fetch<S: Simd>(element: &Element, image: View, at: S::I, m: S::M, lost: &mut Lost) -> [S::I; 4] {
        // SAFETY: as the trait says; larger texels are whole dwords.
        unsafe {
            let mut tap = [fetch_dword::<S>(element, image, at, m, lost); 4];
            if element.bytes > 4 {
                for n in 1..4 {
                    if element.bytes > 4 * n {
                        tap[n as usize] = S::gather_guest(image, 4 * n as usize, at, m, lost);
                    }
                }
            }
            tap
        }
    }
    #[inline(always)]
    unsafe fn decode<S: Simd>(element: &Element, tap: [S::I; 4]) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let mut out = [S::i(0); 4];
            for c in 0..4 {
                if element.needed >> c & 1 != 0 {
                    let [value] = Self::channel::<S, 1>(element, [tap], c);
                    out[c] = S::as_i(value);
                }
            }
            out
        }
    }
    #[inline(always)]
    unsafe fn channel<S: Simd, const N: usize>(element: &Element, taps: [[S::I; 4]; N], c: usize) -> [S::F; N] {
        // SAFETY: no memory is touched but the table of 256 entries, by a field of 8 bits.
        unsafe {
            let field = &element.fields[c & 3];
            let (up, down) = (field.up.into(), field.down.into());
            let mut bits = [S::i(0); N];
            for n in 0..N {
                let top = S::shl(taps[n][usize::from(field.word & 3)], up);
                bits[n] = if field.is_signed { S::sar(top, down) } else { S::shr(top, down) };
            }
            let mut out = [S::f(0.0); N];
            match field.meaning {
                Meaning::Constant(value) => out = [S::f(f32::from_bits(value)); N],
                Meaning::Bits => {
                    for n in 0..N {
                        out[n] = S::as_f(bits[n]);
                    }
                }
                Meaning::Flushed => {
                    for n in 0..N {
                        let denormal = S::eq(S::and(bits[n], S::i(0x7f80_0000)), S::i(0));
                        out[n] = S::as_f(S::select(denormal, S::and(bits[n], S::i(i32::MIN)), bits[n]));
                    }
                }
                Meaning::Whole => {
                    for n in 0..N {
                        out[n] = S::to_f(bits[n]);
                    }
                }
                Meaning::Norm([coarse, fine]) => {
                    for n in 0..N {
                        let x = S::to_f(bits[n]);
                        let value = S::add_f(S::mul_f(x, S::f(coarse)), S::mul_f(x, S::f(fine)));
                        out[n] = S::max_f(value, S::f(-1.0));
                    }
                }
                Meaning::Quotient(divisor) => {
                    for n in 0..N {
                        out[n] = S::div_f(S::to_f(bits[n]), S::f(divisor));
                    }
                }
                Meaning::Half => {
                    for n in 0..N {
                        out[n] = S::half(bits[n]);
                    }
                }
                Meaning::ShortHalf(missing) => {
                    for n in 0..N {
                        out[n] = S::half(S::shl(bits[n], missing));
                    }
                }
                Meaning::Srgb => {
                    for n in 0..N {
                        out[n] = S::as_f(S::byte_entry(element.srgb, bits[n]));
                    }
                }
                Meaning::Shared => {
                    for n in 0..N {
                        let exponent = S::add(S::shr(taps[n][0], 27), S::i(127 - 24));
                        out[n] = S::mul_f(S::to_f(bits[n]), S::as_f(S::shl(exponent, 23)));
                    }
                }
            }
            out
        }
    }
    #[inline(always)]
    unsafe fn blend<S: Simd>(element: &Element, taps: [[S::I; 4]; 4], wx: S::I, wy: S::I) -> [S::F; 4] {
        // SAFETY: as `channel`.
        unsafe {
            let mut out = [S::f(0.0); 4];
            for c in 0..4 {
                if element.needed >> c & 1 != 0 {
                    out[c] = bilinear::<S>(Self::channel::<S, 4>(element, taps, c), wx, wy);
                }
            }
            out
        }
    }
}
