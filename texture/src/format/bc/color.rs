//! BC1 to BC5: two endpoints and a few steps between them.

use crate::lazy::Lazy;

use super::{Bc, bits};
use crate::format::Numeric;

/// Colors between endpoints are multiples of this part of 1: of 255 by the least common multiple of the steps' divisors 2 and 3.
const PARTS: u32 = 255 * 6;

/// The sRGB curve at multiples of 1 / [`PARTS`].
static SRGB: Lazy<Vec<f32>> =
    Lazy::new(|| (0..=PARTS).map(|n| crate::format::srgb::linear(f64::from(n) / f64::from(PARTS)) as f32).collect());

/// All texels of a block.
pub(super) fn decode(kind: Bc, numeric: Numeric, block: u128) -> [[u32; 4]; 16] {
    let (lower, upper) = (block, block >> 64);
    let is_signed = numeric == Numeric::Snorm;
    let colors = |block, four| {
        let ends = Ends::new(block, four);
        let steps: [_; 4] = std::array::from_fn(|index| step(&ends, index as u32, numeric));
        let indices = (block >> 32) as u32;
        std::array::from_fn::<_, 16, _>(|t| steps[(indices >> (2 * t) & 3) as usize])
    };
    let singles = |block| {
        let ends = single_ends(block, is_signed);
        let steps: [_; 8] = std::array::from_fn(|index| single_step(ends, index as u32, is_signed));
        let indices = (block >> 16) as u64;
        std::array::from_fn::<_, 16, _>(|t| steps[(indices >> (3 * t) & 7) as usize])
    };
    let texels: [[f32; 4]; 16] = match kind {
        Bc::Bc1 => colors(lower, false),
        Bc::Bc2 => {
            let colors = colors(upper, true);
            std::array::from_fn(|t| with_alpha(colors[t], (lower as u64 >> (4 * t) & 15) as f32 / 15.0))
        }
        Bc::Bc3 => {
            let (colors, alpha) = (colors(upper, true), singles(lower));
            std::array::from_fn(|t| with_alpha(colors[t], alpha[t]))
        }
        Bc::Bc4 => singles(lower).map(|red| [red, 0.0, 0.0, 1.0]),
        _ => {
            let (red, green) = (singles(lower), singles(upper));
            std::array::from_fn(|t| [red[t], green[t], 0.0, 1.0])
        }
    };
    texels.map(|texel| texel.map(f32::to_bits))
}

fn with_alpha([r, g, b, _]: [f32; 4], alpha: f32) -> [f32; 4] {
    [r, g, b, alpha]
}

/// 5:6:5 to 8 bits a channel.
fn expand(c: u32) -> [u32; 3] {
    let [r, g, b] = [c >> 11 & 31, c >> 5 & 63, c & 31];
    [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]
}

/// The two endpoints of a color block, 8 bits a channel. Where the first is not the larger one, index 2 is half way and 3 transparent black,
/// unless the block always has four colors.
struct Ends {
    ends: [[u32; 3]; 2],
    has_four: bool,
}

impl Ends {
    fn new(block: u128, four: bool) -> Ends {
        let (c0, c1) = (bits(block, 0, 16), bits(block, 16, 16));
        Ends { ends: [expand(c0), expand(c1)], has_four: four || c0 > c1 }
    }
}

/// The color of an index.
fn step(ends: &Ends, index: u32, numeric: Numeric) -> [f32; 4] {
    let weights = match (index, ends.has_four) {
        (0, _) => [6, 0],
        (1, _) => [0, 6],
        (2, true) => [4, 2],
        (_, true) => [2, 4],
        (2, false) => [3, 3],
        _ => return [0.0; 4],
    };
    let [first, second] = ends.ends;
    let [r, g, b] = std::array::from_fn(|n| {
        let parts = first[n] * weights[0] + second[n] * weights[1];
        if numeric == Numeric::Srgb { SRGB[parts as usize] } else { parts as f32 / PARTS as f32 }
    });
    [r, g, b, 1.0]
}

/// The endpoints of a block of one channel.
fn single_ends(block: u128, is_signed: bool) -> [i32; 2] {
    [0, 8].map(|at| {
        let byte = bits(block, at, 8);
        if is_signed { i32::from(byte as u8 as i8).max(-127) } else { byte as i32 }
    })
}

/// The value of an index: six steps between a larger first endpoint and the second; else four, and the ends of the range.
fn single_step([e0, e1]: [i32; 2], index: u32, is_signed: bool) -> f32 {
    let range = if is_signed { 127 } else { 255 };
    let (value, divisor) = match index as i32 {
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
