//! Where the channels of a texel stand in its dwords, and what their bits mean.

use crate::format::{Format, Layout, Numeric};

/// What a field's bits mean, as a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Meaning {
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
    pub word: u8,
    /// Shifts, left and then right, that isolate it.
    pub up: u8,
    pub down: u8,
    pub is_signed: bool,
    pub meaning: Meaning,
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
