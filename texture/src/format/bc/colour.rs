//! BC1 to BC5: two endpoints and a few steps between them.

use std::sync::LazyLock;

use super::{Bc, bits};
use crate::format::Numeric;

/// Colours between endpoints are multiples of this part of 1: of 255 by the least common multiple of the steps' divisors 2 and 3.
const PARTS: u32 = 255 * 6;

/// The sRGB curve at multiples of 1 / [`PARTS`].
static SRGB: LazyLock<Vec<f32>> =
    LazyLock::new(|| (0..=PARTS).map(|n| crate::format::srgb::linear(f64::from(n) / f64::from(PARTS)) as f32).collect());

/// Texel `t` of a block.
pub fn texel(kind: Bc, numeric: Numeric, block: u128, t: u32) -> [u32; 4] {
    const ONE: f32 = 1.0;
    let upper = block >> 64;
    let texel = match kind {
        Bc::Bc1 => colour(block, t, numeric, false),
        Bc::Bc2 => {
            let [r, g, b, _] = colour(upper, t, numeric, true);
            [r, g, b, bits(block, 4 * t, 4) as f32 / 15.0]
        }
        Bc::Bc3 => {
            let [r, g, b, _] = colour(upper, t, numeric, true);
            [r, g, b, single(block, t, false)]
        }
        Bc::Bc4 => [single(block, t, numeric == Numeric::Snorm), 0.0, 0.0, ONE],
        _ => {
            let is_signed = numeric == Numeric::Snorm;
            [single(block, t, is_signed), single(upper, t, is_signed), 0.0, ONE]
        }
    };
    texel.map(f32::to_bits)
}

/// 5:6:5 to 8 bits a channel.
fn expand(c: u32) -> [u32; 3] {
    let [r, g, b] = [c >> 11 & 31, c >> 5 & 63, c & 31];
    [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]
}

/// A colour block: two endpoints of 16 bits, 16 indices of two bits. Where the first endpoint is not the larger one, index 2 is half way and 3
/// transparent black, unless the block always has four colours.
fn colour(block: u128, t: u32, numeric: Numeric, four: bool) -> [f32; 4] {
    let (c0, c1) = (bits(block, 0, 16), bits(block, 16, 16));
    let weights = match (bits(block, 32 + 2 * t, 2), four || c0 > c1) {
        (0, _) => [6, 0],
        (1, _) => [0, 6],
        (2, true) => [4, 2],
        (_, true) => [2, 4],
        (2, false) => [3, 3],
        _ => return [0.0; 4],
    };
    let (first, second) = (expand(c0), expand(c1));
    let [r, g, b] = std::array::from_fn(|n| {
        let parts = first[n] * weights[0] + second[n] * weights[1];
        if numeric == Numeric::Srgb { SRGB[parts as usize] } else { parts as f32 / PARTS as f32 }
    });
    [r, g, b, 1.0]
}

/// A block of one channel: two endpoints of 8 bits, 16 indices of three bits. Six steps between a larger first endpoint and the second; else
/// four, and the ends of the range.
fn single(block: u128, t: u32, is_signed: bool) -> f32 {
    let end = |at| {
        let byte = bits(block, at, 8);
        if is_signed { i32::from(byte as u8 as i8).max(-127) } else { byte as i32 }
    };
    let (e0, e1) = (end(0), end(8));
    let range = if is_signed { 127 } else { 255 };
    let index = bits(block, 16 + 3 * t, 3) as i32;
    let (value, divisor) = match index {
        0 => (e0, 1),
        1 => (e1, 1),
        k if e0 > e1 => ((8 - k) * e0 + (k - 1) * e1, 7),
        6 if is_signed => (-range, 1),
        6 => (0, 1),
        7 => (range, 1),
        k => ((6 - k) * e0 + (k - 1) * e1, 5),
    };
    value as f32 / (divisor * range) as f32
}
