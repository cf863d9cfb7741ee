//! One channel: from its bits to a dword (f32 bits or integer) and back.
//!
//! All conversions to f32 are exact or correctly rounded. Stores clamp, and round to nearest even, but for packed floats, which round toward
//! zero. Reference: Direct3D 11.3 functional specification, "data conversion"; packed floats and the shared exponent: EXT_packed_float and
//! EXT_texture_shared_exponent.

use half::f16;

use super::Numeric;
use super::srgb::{SRGB_TO_LINEAR, linear_to_srgb};

/// Sign-extends the low `bits` bits.
fn signed(value: u32, bits: u8) -> i32 {
    let unused = 32 - u32::from(bits);
    (value << unused) as i32 >> unused
}

fn largest(bits: u8) -> u32 {
    u32::MAX >> (32 - bits)
}

/// 1 / (2^n - 1) for n to 16, as 2^-n and the rest.
pub(crate) static PARTS: [[f32; 2]; 17] = {
    let mut parts = [[0.0; 2]; 17];
    let mut bits = 1;
    while bits <= 16 {
        let coarse = 1.0 / (1_u32 << bits) as f64;
        parts[bits] = [coarse as f32, (coarse / ((1_u32 << bits) - 1) as f64) as f32];
        bits += 1;
    }
    parts
};

/// `x / (2^bits - 1)` to the nearest float, for whole numbers x of that many bits. For up to 16 bits two products and a sum give it, as a test
/// tries out.
#[inline]
fn divide(x: f32, bits: u8) -> f32 {
    match PARTS.get(usize::from(bits)) {
        Some([coarse, fine]) => x * coarse + x * fine,
        None => x / largest(bits) as f32,
    }
}

/// Bits of a channel (the rest is 0) to a dword.
#[inline]
pub(super) fn decode(value: u32, bits: u8, numeric: Numeric) -> u32 {
    let float = match numeric {
        Numeric::Uint => return value,
        Numeric::Sint => return signed(value, bits) as u32,
        Numeric::Unorm => divide(value as f32, bits),
        Numeric::Snorm => divide(signed(value, bits) as f32, bits - 1).max(-1.0),
        Numeric::SnormOgl => (2 * signed(value, bits) + 1) as f32 / largest(bits) as f32,
        Numeric::Uscaled => value as f32,
        Numeric::Sscaled => signed(value, bits) as f32,
        Numeric::Srgb => SRGB_TO_LINEAR[(value & 0xff) as usize],
        Numeric::Float | Numeric::Ufloat => match bits {
            32 => return value,
            16 => f16::from_bits(value as u16).to_f32(),
            11 => unsigned_float(value, 6),
            10 => unsigned_float(value, 5),
            _ => value as f32, // the 8 bits beside a 32-bit depth
        },
    };
    float.to_bits()
}

/// A dword to the bits of a channel.
#[inline]
pub(super) fn encode(value: u32, bits: u8, numeric: Numeric) -> u32 {
    let x = f32::from_bits(value);
    let top = f64::from(largest(bits));
    // `as` makes a NaN 0 and saturates. f64 holds the products exactly, so that only the last step rounds.
    match numeric {
        Numeric::Uint => value.min(largest(bits)),
        Numeric::Sint => (value as i32).clamp(signed(1 << (bits - 1), bits), largest(bits - 1) as i32) as u32 & largest(bits),
        Numeric::Unorm => (f64::from(x).clamp(0.0, 1.0) * top).round_ties_even() as u32,
        Numeric::Snorm => {
            let top = f64::from(largest(bits - 1));
            (f64::from(x).clamp(-1.0, 1.0) * top).round_ties_even() as i32 as u32 & largest(bits)
        }
        Numeric::SnormOgl => {
            let top = f64::from(largest(bits - 1));
            ((f64::from(x) * f64::from(largest(bits)) - 1.0) / 2.0).round_ties_even().clamp(-top - 1.0, top) as i32 as u32 & largest(bits)
        }
        Numeric::Uscaled => f64::from(x).round_ties_even().clamp(0.0, top) as u32,
        Numeric::Sscaled => {
            let top = f64::from(largest(bits - 1));
            f64::from(x).round_ties_even().clamp(-top - 1.0, top) as i32 as u32 & largest(bits)
        }
        Numeric::Srgb => linear_to_srgb(x).into(),
        Numeric::Float | Numeric::Ufloat => match bits {
            32 => value,
            16 => f16::from_f32(x).to_bits().into(),
            11 => to_unsigned_float(value, 6),
            10 => to_unsigned_float(value, 5),
            _ => f64::from(x).round_ties_even().clamp(0.0, top) as u32,
        },
    }
}

/// A float without sign, with 5 exponent bits and `mantissa` mantissa bits: an f16's upper bits below its sign.
fn unsigned_float(value: u32, mantissa: u32) -> f32 {
    f16::from_bits((value << (10 - mantissa)) as u16).to_f32()
}

/// f32 bits to a float without sign. Toward zero; what is negative is 0, what is too large the largest number, infinity and NaN stay.
#[inline(always)]
pub(super) fn to_unsigned_float(float: u32, mantissa: u32) -> u32 {
    let [infinity, one] = [31 << mantissa, 1 << mantissa];
    let normal = float.wrapping_sub(112 << 23) >> (23 - mantissa);
    // Denormals are units of 2^-14 / 2^mantissa; the product is exact.
    let least = f32::from_bits(float.min(113 << 23));
    let denormal = (least * (one << 14) as f32) as i32 as u32;
    let finite = if float < 113 << 23 { denormal } else { normal.min(infinity - 1) };
    let special = if float == 0x7f80_0000 { infinity } else { infinity | one >> 1 };
    let is_nan = float & 0x7fff_ffff > 0x7f80_0000;
    match float {
        _ if is_nan || float == 0x7f80_0000 => special,
        0x8000_0000.. => 0,
        _ => finite,
    }
}

/// 5_9_9_9: three mantissas of 9 bits times 2^(exponent - 24).
pub(super) fn shared_exponent(value: u32) -> [f32; 3] {
    let scale = f32::from_bits(((value >> 27) + 127 - 24) << 23);
    [0, 9, 18].map(|shift| (value >> shift & 0x1ff) as f32 * scale)
}

/// To 5_9_9_9 by the algorithm of EXT_texture_shared_exponent.
pub(super) fn to_shared_exponent(rgb: [f32; 3]) -> u32 {
    const LARGEST: f64 = 65408.0; // 511 * 2^(31 - 24)
    let clamped = rgb.map(|c| if c > 0.0 { f64::from(c).min(LARGEST) } else { 0.0 });
    let max = clamped.into_iter().fold(0.0, f64::max);
    let floor_log2 = ((max.to_bits() >> 52) as i32 - 1023).max(-16);
    let mut exponent = floor_log2 + 16;
    let quantize = |c: f64, exponent: i32| (c * 2.0_f64.powi(24 - exponent) + 0.5).floor() as u32;
    if quantize(max, exponent) == 512 {
        exponent += 1;
    }
    let [r, g, b] = clamped.map(|c| quantize(c, exponent));
    r | g << 9 | b << 18 | (exponent as u32) << 27
}
