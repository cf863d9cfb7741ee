//! Formats of targets: how values become codes, and codes bytes. A code is the integer that a component is stored as; of a float it is an integer
//! that grows with the value, so that neighbors differ by 1.

use ash::vk::Format as F;

/// What the bits of a component mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Unorm,
    Snorm,
    Srgb,
    Uint,
    Sint,
    /// Bits of the exponent and of the mantissa; a sign, or none.
    Float(u32, u32, bool),
}

/// A format: bytes of a pixel, and for each of r, g, b, a its lowest bit, its bits (0: not there) and its kind.
#[derive(Clone, Debug)]
pub struct Layout {
    pub bytes: usize,
    pub channels: [(u32, u32, Kind); 4],
}

const HALF: Kind = Kind::Float(5, 10, true);
const SINGLE: Kind = Kind::Float(8, 23, true);

/// The layout of a format.
pub fn layout(format: F) -> Layout {
    use Kind::{Sint, Snorm, Srgb, Uint, Unorm};
    // Components of equal width in the order of memory.
    let even = |count: u32, bits: u32, kind: Kind| {
        let channels = [0, 1, 2, 3].map(|i| (i * bits, if i < count { bits } else { 0 }, kind));
        Layout { bytes: (count * bits / 8) as usize, channels }
    };
    let swapped = |kind| Layout { bytes: 4, channels: [(16, 8, kind), (8, 8, kind), (0, 8, kind), (24, 8, kind)] };
    let linear_alpha = |mut layout: Layout| {
        layout.channels[3].2 = Unorm;
        layout
    };
    match format {
        F::R8_UNORM => even(1, 8, Unorm),
        F::R8_SNORM => even(1, 8, Snorm),
        F::R8_UINT | F::S8_UINT => even(1, 8, Uint),
        F::R8_SINT => even(1, 8, Sint),
        F::R8G8_UNORM => even(2, 8, Unorm),
        F::R8G8_SNORM => even(2, 8, Snorm),
        F::R8G8_UINT => even(2, 8, Uint),
        F::R8G8_SINT => even(2, 8, Sint),
        F::R8G8B8A8_UNORM => even(4, 8, Unorm),
        F::R8G8B8A8_SNORM => even(4, 8, Snorm),
        F::R8G8B8A8_UINT => even(4, 8, Uint),
        F::R8G8B8A8_SINT => even(4, 8, Sint),
        F::R8G8B8A8_SRGB => linear_alpha(even(4, 8, Srgb)),
        F::B8G8R8A8_UNORM => swapped(Unorm),
        F::B8G8R8A8_SRGB => linear_alpha(swapped(Srgb)),
        F::A2B10G10R10_UNORM_PACK32 => Layout { bytes: 4, channels: [(0, 10, Unorm), (10, 10, Unorm), (20, 10, Unorm), (30, 2, Unorm)] },
        F::A2B10G10R10_UINT_PACK32 => Layout { bytes: 4, channels: [(0, 10, Uint), (10, 10, Uint), (20, 10, Uint), (30, 2, Uint)] },
        F::A2R10G10B10_UNORM_PACK32 => Layout { bytes: 4, channels: [(20, 10, Unorm), (10, 10, Unorm), (0, 10, Unorm), (30, 2, Unorm)] },
        F::R5G6B5_UNORM_PACK16 => Layout { bytes: 2, channels: [(11, 5, Unorm), (5, 6, Unorm), (0, 5, Unorm), (0, 0, Unorm)] },
        F::A1R5G5B5_UNORM_PACK16 => Layout { bytes: 2, channels: [(10, 5, Unorm), (5, 5, Unorm), (0, 5, Unorm), (15, 1, Unorm)] },
        F::R16_UNORM | F::D16_UNORM => even(1, 16, Unorm),
        F::R16_SNORM => even(1, 16, Snorm),
        F::R16_UINT => even(1, 16, Uint),
        F::R16_SINT => even(1, 16, Sint),
        F::R16_SFLOAT => even(1, 16, HALF),
        F::R16G16_UNORM => even(2, 16, Unorm),
        F::R16G16_SNORM => even(2, 16, Snorm),
        F::R16G16_UINT => even(2, 16, Uint),
        F::R16G16_SINT => even(2, 16, Sint),
        F::R16G16_SFLOAT => even(2, 16, HALF),
        F::R16G16B16A16_UNORM => even(4, 16, Unorm),
        F::R16G16B16A16_SNORM => even(4, 16, Snorm),
        F::R16G16B16A16_UINT => even(4, 16, Uint),
        F::R16G16B16A16_SINT => even(4, 16, Sint),
        F::R16G16B16A16_SFLOAT => even(4, 16, HALF),
        F::R32_UINT => even(1, 32, Uint),
        F::R32_SINT => even(1, 32, Sint),
        F::R32_SFLOAT | F::D32_SFLOAT => even(1, 32, SINGLE),
        F::R32G32_UINT => even(2, 32, Uint),
        F::R32G32_SINT => even(2, 32, Sint),
        F::R32G32_SFLOAT => even(2, 32, SINGLE),
        F::R32G32B32A32_UINT => even(4, 32, Uint),
        F::R32G32B32A32_SINT => even(4, 32, Sint),
        F::R32G32B32A32_SFLOAT => even(4, 32, SINGLE),
        F::B10G11R11_UFLOAT_PACK32 => {
            let (six, five) = (Kind::Float(5, 6, false), Kind::Float(5, 5, false));
            Layout { bytes: 4, channels: [(0, 11, six), (11, 11, six), (22, 10, five), (0, 0, Unorm)] }
        }
        _ => panic!("format.rs has no row for {format:?}"),
    }
}

impl Layout {
    /// Codes of a pixel's bytes.
    pub fn unpack(&self, bytes: &[u8]) -> [i64; 4] {
        let mut word = 0u128;
        for (i, &byte) in bytes.iter().enumerate() {
            word |= u128::from(byte) << (8 * i);
        }
        self.channels.map(|(shift, bits, kind)| {
            if bits == 0 {
                return 0;
            }
            let raw = (word >> shift & ((1u128 << bits) - 1)) as i64;
            let signed = raw << (64 - bits) >> (64 - bits);
            match kind {
                // -128 and -127 are both -1.
                Kind::Snorm => signed.max(-((1i64 << (bits - 1)) - 1)),
                Kind::Sint => signed,
                Kind::Float(_, _, true) if signed < 0 => -(raw & ((1 << (bits - 1)) - 1)),
                _ => raw,
            }
        })
    }

    /// Codes of values, as the formats' rules round them. Components that the format lacks are 0.
    pub fn encode(&self, values: [f64; 4]) -> [i64; 4] {
        std::array::from_fn(|i| encode(values[i], self.channels[i].1, self.channels[i].2))
    }

    /// Values of codes; 0, 0, 0, 1 for those that the format lacks.
    pub fn decode(&self, codes: [i64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| match self.channels[i] {
            (_, 0, _) => f64::from(u8::from(i == 3)),
            (_, bits, kind) => decode(codes[i], bits, kind),
        })
    }

    /// Whether values are floats for the shader.
    pub fn is_integer(&self) -> bool {
        matches!(self.channels[0].2, Kind::Uint | Kind::Sint)
    }

    pub fn is_signed(&self) -> bool {
        self.channels[0].2 == Kind::Sint
    }
}

fn encode(value: f64, bits: u32, kind: Kind) -> i64 {
    if bits == 0 {
        return 0;
    }
    let ones = ((1i64 << bits) - 1) as f64;
    let unorm = |v: f64| (v.clamp(0.0, 1.0) * ones).round() as i64;
    match kind {
        Kind::Unorm => unorm(value),
        Kind::Srgb => unorm(to_srgb(value.clamp(0.0, 1.0))),
        Kind::Snorm => (value.clamp(-1.0, 1.0) * ((1i64 << (bits - 1)) - 1) as f64).round() as i64,
        Kind::Uint => value.clamp(0.0, ones) as i64,
        Kind::Sint => value.clamp(-((1i64 << (bits - 1)) as f64), ((1i64 << (bits - 1)) - 1) as f64) as i64,
        Kind::Float(exponent, mantissa, signed) => {
            if value < 0.0 && !signed {
                return 0;
            }
            let magnitude = float_code(value.abs(), exponent, mantissa);
            if value < 0.0 { -magnitude } else { magnitude }
        }
    }
}

/// The code of a value that is not negative, rounded to nearest even.
fn float_code(value: f64, exponent: u32, mantissa: u32) -> i64 {
    let bias = (1i32 << (exponent - 1)) - 1;
    let infinity = ((1i64 << exponent) - 1) << mantissa;
    if value.is_nan() {
        return infinity + 1;
    }
    if value.is_infinite() {
        return infinity;
    }
    let e = if value == 0.0 { 1 - bias } else { (value.log2().floor() as i32).max(1 - bias) };
    // Without its leading 1 the code of a normal number is (e + bias) << mantissa, which this counts from there.
    let code = (value / 2f64.powi(e - mantissa as i32)).round_ties_even() as i64 + (i64::from(e + bias - 1) << mantissa);
    code.min(infinity)
}

/// The value of a float's code.
pub fn value(code: i64, kind: Kind) -> f64 {
    decode(code, 0, kind)
}

fn decode(code: i64, bits: u32, kind: Kind) -> f64 {
    match kind {
        Kind::Unorm => code as f64 / ((1i64 << bits) - 1) as f64,
        Kind::Srgb => from_srgb(code as f64 / ((1i64 << bits) - 1) as f64),
        Kind::Snorm => code as f64 / ((1i64 << (bits - 1)) - 1) as f64,
        Kind::Uint | Kind::Sint => code as f64,
        Kind::Float(exponent, mantissa, _) => {
            let bias = (1i32 << (exponent - 1)) - 1;
            let magnitude = code.abs();
            let e = (magnitude >> mantissa) as i32;
            let fraction = (magnitude & ((1 << mantissa) - 1)) as f64 / (1i64 << mantissa) as f64;
            let value = if e == (1 << exponent) - 1 {
                if fraction == 0.0 { f64::INFINITY } else { f64::NAN }
            } else if e == 0 {
                fraction * 2f64.powi(1 - bias)
            } else {
                (1.0 + fraction) * 2f64.powi(e - bias)
            };
            if code < 0 { -value } else { value }
        }
    }
}

fn to_srgb(v: f64) -> f64 {
    if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

fn from_srgb(v: f64) -> f64 {
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_round_as_ieee() {
        for value in [0.0, 1.0, -2.5, 1e-7, 65504.0, 3.0e-5, 0.1] {
            let code = encode(value, 32, SINGLE);
            assert_eq!(decode(code, 32, SINGLE), f64::from(value as f32), "{value}");
        }
        assert_eq!(encode(1.0, 16, HALF), 0x3c00);
        assert_eq!(encode(65520.0, 16, HALF), 0x7c00);
        assert_eq!(encode(2f64.powi(-24), 16, HALF), 1);
        assert_eq!(encode(1.0, 11, Kind::Float(5, 6, false)), 15 << 6);
        assert_eq!(encode(-1.0, 11, Kind::Float(5, 6, false)), 0);
    }

    #[test]
    fn components_are_where_the_format_says() {
        assert_eq!(layout(F::B8G8R8A8_UNORM).unpack(&[1, 2, 3, 4]), [3, 2, 1, 4]);
        assert_eq!(layout(F::R5G6B5_UNORM_PACK16).unpack(&[0x1f, 0xf8]), [31, 0, 31, 0]);
        assert_eq!(layout(F::R8_SINT).unpack(&[0xff]), [-1, 0, 0, 0]);
    }
}
