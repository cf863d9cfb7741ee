//! ETC2 and EAC: blocks of 4 x 4 texels in 8 or 16 bytes, which some gfx9 chips sample.
//!
//! Blocks are big-endian numbers; texels are numbered down the columns. A color block has two halves with a base color each and steps around
//! it; a second color that does not fit its bits stands for one of three more modes. EAC blocks have one channel: a base and eight steps.
//!
//! Reference: Khronos Data Format Specification 1.3, "ETC2 compressed texture image formats".

use super::{Numeric, SRGB_TO_LINEAR};

/// Kinds of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the formats are the names
pub enum Etc {
    Rgb,
    /// RGB with an alpha of one bit.
    Rgba1,
    /// An EAC block of alpha, then RGB.
    Rgba,
    /// An EAC block of 11 bits.
    R,
    Rg,
}

/// Steps of colors by table, the small and the large one.
const STEPS: [[i32; 2]; 8] = [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Distances of modes T and H.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Steps of EAC by table; the other four indices are these negated, less 1.
const EAC_STEPS: [[i32; 4]; 16] = [
    [-3, -6, -9, -15],
    [-3, -7, -10, -13],
    [-2, -5, -8, -13],
    [-2, -4, -6, -13],
    [-3, -6, -8, -12],
    [-3, -7, -9, -11],
    [-4, -7, -8, -11],
    [-3, -5, -8, -11],
    [-2, -6, -8, -10],
    [-2, -5, -8, -10],
    [-2, -4, -8, -10],
    [-2, -5, -7, -10],
    [-3, -4, -7, -10],
    [-1, -2, -3, -10],
    [-4, -6, -8, -9],
    [-3, -5, -7, -9],
];

/// Texel `t`, left to right and top to bottom, as f32 bits.
pub(super) fn texel(kind: Etc, numeric: Numeric, block: u128, t: u32) -> [u32; 4] {
    let (x, y) = (t % 4, t / 4 % 4);
    let [first, second] = [block as u64, (block >> 64) as u64].map(u64::swap_bytes);
    let is_signed = numeric == Numeric::Snorm;
    let texel = match kind {
        Etc::Rgb => bytes(color(first, x, y, false), numeric),
        Etc::Rgba1 => bytes(color(first, x, y, true), numeric),
        Etc::Rgba => {
            let [r, g, b, _] = color(second, x, y, false);
            bytes([r, g, b, eac8(first, x, y)], numeric)
        }
        Etc::R => [eac11(first, x, y, is_signed), 0.0, 0.0, 1.0],
        Etc::Rg => [eac11(first, x, y, is_signed), eac11(second, x, y, is_signed), 0.0, 1.0],
    };
    texel.map(f32::to_bits)
}

/// Bytes to floats; R, G and B through the sRGB curve where the format has it.
fn bytes(texel: [i32; 4], numeric: Numeric) -> [f32; 4] {
    let [r, g, b, a] = texel;
    let color = |v: i32| if numeric == Numeric::Srgb { SRGB_TO_LINEAR[(v & 0xff) as usize] } else { v as f32 / 255.0 };
    [color(r), color(g), color(b), a as f32 / 255.0]
}

/// Bits `hi` to `lo`.
fn bits(block: u64, hi: u32, lo: u32) -> i32 {
    (block >> lo & ((1 << (hi - lo + 1)) - 1)) as i32
}

/// `width` bits to 8, the highest ones repeated below.
fn expand(v: i32, width: u32) -> i32 {
    v << (8 - width) | v >> (2 * width - 8)
}

fn offset(color: [i32; 3], by: i32) -> [i32; 4] {
    let [r, g, b] = color.map(|c| (c + by).clamp(0, 255));
    [r, g, b, 255]
}

/// A texel of a color block, 0 to 255. With `punch` the bit that tells the two base modes apart says whether the block is opaque.
fn color(block: u64, x: u32, y: u32, punch: bool) -> [i32; 4] {
    let place = x * 4 + y;
    let index = bits(block, 16 + place, 16 + place) << 1 | bits(block, place, place);
    let flag = bits(block, 33, 33) != 0;
    let has_holes = punch && !flag;

    let ends = if flag || punch {
        let first = [63, 55, 47].map(|hi| bits(block, hi, hi - 4));
        let second: [i32; 3] = std::array::from_fn(|c| {
            let hi = [58, 50, 42][c];
            first[c] + (bits(block, hi, hi - 2) << 29 >> 29)
        });
        match second.map(|c| (0..32).contains(&c)) {
            [false, ..] => return paint(t_colors(block), index, has_holes),
            [_, false, _] => return paint(h_colors(block), index, has_holes),
            [.., false] => return planar(block, x as i32, y as i32),
            _ => [first, second].map(|c| c.map(|v| expand(v, 5))),
        }
    } else {
        [63, 59].map(|hi| [0, 8, 16].map(|lower| expand(bits(block, hi - lower, hi - lower - 3), 4)))
    };
    if has_holes && index == 2 {
        return [0; 4];
    }
    let is_flipped = bits(block, 32, 32) != 0;
    let half = usize::from(if is_flipped { y >= 2 } else { x >= 2 });
    let [small, large] = STEPS[bits(block, [39, 36][half], [37, 34][half]) as usize];
    let small = if has_holes { 0 } else { small };
    offset(ends[half], [small, large, -small, -large][index as usize])
}

fn paint(colors: [[i32; 4]; 4], index: i32, has_holes: bool) -> [i32; 4] {
    if has_holes && index == 2 { [0; 4] } else { colors[index as usize] }
}

/// One color, and three along a line.
fn t_colors(block: u64) -> [[i32; 4]; 4] {
    let first = [bits(block, 60, 59) << 2 | bits(block, 57, 56), bits(block, 55, 52), bits(block, 51, 48)].map(|c| expand(c, 4));
    let second = [47, 43, 39].map(|hi| expand(bits(block, hi, hi - 3), 4));
    let distance = DISTANCES[(bits(block, 35, 34) << 1 | bits(block, 32, 32)) as usize];
    [offset(first, 0), offset(second, distance), offset(second, 0), offset(second, -distance)]
}

/// Two pairs of colors. The order of the two base colors is the lowest bit of the distance.
fn h_colors(block: u64) -> [[i32; 4]; 4] {
    let green = bits(block, 58, 56) << 1 | bits(block, 52, 52);
    let blue = bits(block, 51, 51) << 3 | bits(block, 49, 47);
    let first = [bits(block, 62, 59), green, blue];
    let second = [46, 42, 38].map(|hi| bits(block, hi, hi - 3));
    let distance = DISTANCES[(bits(block, 34, 34) << 2 | bits(block, 32, 32) << 1 | i32::from(first >= second)) as usize];
    let [first, second] = [first, second].map(|c| c.map(|v| expand(v, 4)));
    [offset(first, distance), offset(first, -distance), offset(second, distance), offset(second, -distance)]
}

/// A plane through the colors of three corners.
fn planar(block: u64, x: i32, y: i32) -> [i32; 4] {
    let origin = [
        bits(block, 62, 57),
        bits(block, 56, 56) << 6 | bits(block, 54, 49),
        bits(block, 48, 48) << 5 | bits(block, 44, 43) << 3 | bits(block, 41, 39),
    ];
    let right = [bits(block, 38, 34) << 1 | bits(block, 32, 32), bits(block, 31, 25), bits(block, 24, 19)];
    let below = [bits(block, 18, 13), bits(block, 12, 6), bits(block, 5, 0)];
    let [r, g, b] = std::array::from_fn(|c| {
        let [o, h, v] = [origin[c], right[c], below[c]].map(|value| expand(value, [6, 7, 6][c]));
        ((x * (h - o) + y * (v - o) + 4 * o + 2) >> 2).clamp(0, 255)
    });
    [r, g, b, 255]
}

/// Step of a texel of an EAC block.
fn eac_step(block: u64, x: u32, y: u32) -> i32 {
    let lo = 45 - 3 * (x * 4 + y);
    let index = bits(block, lo + 2, lo);
    let step = EAC_STEPS[bits(block, 51, 48) as usize][(index & 3) as usize];
    if index & 4 == 0 { step } else { -step - 1 }
}

/// 0 to 255.
fn eac8(block: u64, x: u32, y: u32) -> i32 {
    (bits(block, 63, 56) + eac_step(block, x, y) * bits(block, 55, 52)).clamp(0, 255)
}

/// 0 to 1 in steps of 1/2047, or -1 to 1 in steps of 1/1023.
fn eac11(block: u64, x: u32, y: u32, is_signed: bool) -> f32 {
    let factor = match bits(block, 55, 52) {
        0 => 1,
        n => n * 8,
    };
    let step = eac_step(block, x, y) * factor;
    let base = bits(block, 63, 56);
    if is_signed {
        let base = i32::from(base as u8 as i8).max(-127);
        (base * 8 + step).clamp(-1023, 1023) as f32 / 1023.0
    } else {
        (base * 8 + 4 + step).clamp(0, 2047) as f32 / 2047.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> impl Iterator<Item = u128> {
        let mut random = wavejit_random::Random(1);
        let mut next = move || u128::from(random.u64());
        (0..20_000).map(move |_| next() << 64 | next())
    }

    /// Texels in bytes, B, G, R, A from the lowest, as the other decoder has them.
    fn packed(kind: Etc, block: u128, t: usize) -> u32 {
        let [r, g, b, a] = texel(kind, Numeric::Unorm, block, t as u32).map(|x| (f32::from_bits(x) * 255.0).round() as u8);
        u32::from_le_bytes([b, g, r, a])
    }

    #[test]
    fn colors_equal_those_of_another_decoder() {
        for block in blocks() {
            let bytes = block.to_le_bytes();
            let [mut rgb, mut rgba1, mut rgba] = [[0; 16]; 3];
            texture2ddecoder::decode_etc2_rgb_block(&bytes, &mut rgb);
            texture2ddecoder::decode_etc2_rgba1_block(&bytes, &mut rgba1);
            texture2ddecoder::decode_etc2_rgba8_block(&bytes, &mut rgba);
            for t in 0..16 {
                assert_eq!(packed(Etc::Rgb, block, t), rgb[t], "{block:032x} {t}");
                // the specification has transparent texels black, the other decoder leaves them a color
                let expected = if rgba1[t] >> 24 == 0 { 0 } else { rgba1[t] };
                assert_eq!(packed(Etc::Rgba1, block, t), expected, "{block:032x} {t}");
                assert_eq!(packed(Etc::Rgba, block, t), rgba[t], "{block:032x} {t}");
            }
        }
    }

    #[test]
    fn eleven_bit_channels_follow_the_formula() {
        // base 128, multiplier 1, table 0, first texel index 7 (14), second index 3 (-15), others 0 (-3)
        let block = (128_u64 << 56 | 1 << 52 | 7 << 45 | 3 << 42).swap_bytes();
        let red = |t, numeric| f32::from_bits(texel(Etc::R, numeric, block.into(), t)[0]);
        assert_eq!(red(0, Numeric::Unorm), (128 * 8 + 4 + 14 * 8) as f32 / 2047.0);
        assert_eq!(red(4, Numeric::Unorm), (128 * 8 + 4 - 15 * 8) as f32 / 2047.0); // texel below is the second
        assert_eq!(red(1, Numeric::Unorm), (128 * 8 + 4 - 3 * 8) as f32 / 2047.0);
        // -128 is -127, and the end of the range is -1
        assert_eq!(red(4, Numeric::Snorm), -1.0);
        assert_eq!(red(0, Numeric::Snorm), (-127 * 8 + 14 * 8) as f32 / 1023.0);
        // multiplier 0: single steps
        let block = (100_u64 << 56 | 4 << 45).swap_bytes();
        let both = texel(Etc::Rg, Numeric::Unorm, u128::from(block) << 64 | u128::from(block), 0).map(f32::from_bits);
        assert_eq!(both, [(100 * 8 + 4 + 2) as f32 / 2047.0, (100 * 8 + 4 + 2) as f32 / 2047.0, 0.0, 1.0]);
    }
}
