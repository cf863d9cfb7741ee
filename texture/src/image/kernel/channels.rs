//! Texels of any format whose channels lie side by side: fields of dwords, each with a meaning. Slower than the types of [`super::texels`],
//! but every numeric format of every width goes through it, one channel at a time and only those that are wanted.

use super::texels::{Element, Texels, bilinear, fetch_dword};
use crate::format::{Format, Layout, Numeric};
use crate::guarded::{Lost, View};
use crate::simd::Simd;

/// What a field's bits mean, as a number.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Meaning {
    /// The channel is not in memory.
    Constant(u32),
    /// As they are.
    Bits,
    /// The same, but denormal floats are 0.
    Flushed,
    /// Their value.
    Whole,
    /// Their value times the sum of two numbers, rounded in parts; at least -1.
    Norm([f32; 2]),
    /// Their value divided.
    Quotient(f32),
    /// An f16.
    Half,
    /// An f16 without sign and the lowest bits, so many.
    ShortHalf(i32),
    /// Index into the sRGB table.
    Srgb,
    /// Mantissa of a number whose exponent is in the dword's upper five bits.
    Shared,
}

/// A channel of a texel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Field {
    /// Which dword.
    word: u8,
    /// Shifts, left and then right, that isolate it.
    up: u8,
    down: u8,
    is_signed: bool,
    meaning: Meaning,
}

impl Field {
    /// The channels of a format. `None`: one of them has no kernel.
    pub(super) fn all(format: &Format, is_sampled: bool) -> Option<[Field; 4]> {
        let mut fields = [0, 0, 0, format.one()].map(|constant| Field {
            word: 0,
            up: 0,
            down: 0,
            is_signed: false,
            meaning: Meaning::Constant(constant),
        });
        match format.layout {
            Layout::Plain => {
                for (c, field) in fields.iter_mut().enumerate().filter(|(c, _)| format.channels[*c].bits != 0) {
                    *field = Field::new(format, c, is_sampled)?;
                }
            }
            Layout::SharedExponent => {
                for (c, field) in fields.iter_mut().enumerate().take(3) {
                    *field = Field { up: 23 - 9 * c as u8, down: 23, meaning: Meaning::Shared, ..*field };
                }
            }
            Layout::Block(_) => {} // decoded by texel
            Layout::Etc(_) | Layout::Subsampled { .. } => return None,
        }
        Some(fields)
    }

    fn new(format: &Format, c: usize, is_sampled: bool) -> Option<Field> {
        let (shift, bits) = (format.channels[c].shift, format.channels[c].bits);
        let numeric = if format.numeric == Numeric::Srgb && c == 3 { Numeric::Unorm } else { format.numeric };
        let largest = u32::MAX >> (32 - bits);
        // A product with 2^-n and one with the rest, as the formats' own conversion.
        let norm = |bits: u8| crate::format::PARTS.get(usize::from(bits)).map(|&parts| Meaning::Norm(parts));
        let meaning = match numeric {
            Numeric::Uint | Numeric::Sint => Meaning::Bits,
            Numeric::Unorm if bits <= 24 => norm(bits).unwrap_or(Meaning::Quotient(largest as f32)),
            Numeric::Snorm if bits >= 2 => norm(bits - 1)?,
            Numeric::Uscaled if bits <= 24 => Meaning::Whole,
            Numeric::Sscaled => Meaning::Whole,
            Numeric::Srgb if bits == 8 => Meaning::Srgb,
            Numeric::Float => match bits {
                32 if is_sampled => Meaning::Flushed,
                32 => Meaning::Bits,
                16 => Meaning::Half,
                10 | 11 => Meaning::ShortHalf(15 - i32::from(bits)),
                8 => Meaning::Whole, // beside a depth
                _ => return None,
            },
            _ => return None,
        };
        let is_signed = matches!(numeric, Numeric::Sint | Numeric::Snorm | Numeric::Sscaled);
        Some(Field { word: shift / 32, up: 32 - bits - shift % 32, down: 32 - bits, is_signed, meaning })
    }
}

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
                        out[n] = S::as_f(S::entry(element.srgb, bits[n], S::mask(u32::MAX)));
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
