//! BC7: up to three pairs of RGB or RGBA endpoints, in eight modes.
//!
//! After the mode, which is the number of zero bits below the first one, a block has: number of the split, rotation, index selection, red of
//! all endpoints, green, blue, alpha, the lowest bits (p), the indices, the second indices.

use super::tables::weight;
use super::{Indices, Split, bits, interpolate};
use crate::format::{Numeric, SRGB_TO_LINEAR};

/// Which endpoints have a lowest bit of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lowest {
    None,
    Each,
    Subset,
}

/// Widths of a mode's fields.
struct Mode {
    subsets: u32,
    partition: u32,
    rotation: u32,
    selection: u32,
    color: u32,
    alpha: u32,
    lowest: Lowest,
    index: u32,
    index2: u32,
}

const fn mode(
    subsets: u32,
    partition: u32,
    rotation: u32,
    selection: u32,
    color: u32,
    alpha: u32,
    lowest: Lowest,
    index: u32,
    index2: u32,
) -> Mode {
    Mode { subsets, partition, rotation, selection, color, alpha, lowest, index, index2 }
}

#[rustfmt::skip]
static MODES: [Mode; 8] = [
    // subsets partition rotation selection color alpha lowest        index index2
    mode(3,    4,        0,       0,        4,     0,    Lowest::Each,   3,    0),
    mode(2,    6,        0,       0,        6,     0,    Lowest::Subset, 3,    0),
    mode(3,    6,        0,       0,        5,     0,    Lowest::None,   2,    0),
    mode(2,    6,        0,       0,        7,     0,    Lowest::Each,   2,    0),
    mode(1,    0,        2,       1,        5,     6,    Lowest::None,   2,    3),
    mode(1,    0,        2,       0,        7,     8,    Lowest::None,   2,    2),
    mode(1,    0,        0,       0,        7,     7,    Lowest::Each,   4,    0),
    mode(2,    6,        0,       0,        5,     5,    Lowest::Each,   2,    0),
];

/// A parsed block.
pub(super) struct Block {
    block: u128,
    /// Endpoints of three subsets, RGBA of 8 bits.
    ends: [[[i32; 4]; 2]; 3],
    split: Split,
    rotation: u32,
    /// For color and alpha.
    indices: [Indices; 2],
}

impl Block {
    /// Reads everything but the indices. `block` without a mode is all 0.
    pub(super) fn parse(block: u128) -> Block {
        let number = block.trailing_zeros();
        let Some(mode) = MODES.get(number as usize) else {
            let split = Split::new(1, 0);
            let indices = Indices { at: 0, width: 2, anchors: split.anchors };
            return Block { block: 0, ends: [[[0; 4]; 2]; 3], split, rotation: 0, indices: [indices; 2] };
        };
        let mut at = number + 1;
        let mut take = |count: u32| {
            let value = bits(block, at, count);
            at += count;
            value
        };
        let split = Split::new(mode.subsets, take(mode.partition));
        let rotation = take(mode.rotation);
        let swaps_indices = take(mode.selection) != 0;

        let subsets = mode.subsets as usize;
        let mut ends = [[[0; 4]; 2]; 3];
        for channel in 0..4 {
            let width = if channel < 3 { mode.color } else { mode.alpha };
            for end in ends[..subsets].iter_mut().flatten() {
                end[channel] = take(width) as i32;
            }
        }
        let mut lowest = [[0; 2]; 3];
        for pair in &mut lowest[..subsets] {
            match mode.lowest {
                Lowest::None => {}
                Lowest::Each => *pair = [take(1), take(1)],
                Lowest::Subset => *pair = [take(1); 2],
            }
        }
        let extra = u32::from(mode.lowest != Lowest::None);
        for (end, low) in ends[..subsets].iter_mut().flatten().zip(lowest.iter().flatten()) {
            for (channel, value) in end.iter_mut().enumerate() {
                let width = if channel < 3 { mode.color } else { mode.alpha };
                *value = if width == 0 { 255 } else { expand((*value as u32) << extra | low & extra, width + extra) };
            }
        }

        let first = Indices { at, width: mode.index, anchors: split.anchors };
        let second = match mode.index2 {
            0 => first,
            width => Indices { at: at + 16 * mode.index - mode.subsets, width, ..first },
        };
        let indices = if swaps_indices { [second, first] } else { [first, second] };
        Block { block, ends, split, rotation, indices }
    }

    /// All texels.
    pub(super) fn texels(&self) -> [[u8; 4]; 16] {
        let [color, alpha] = self.indices.map(|indices| indices.all(self.block).map(|index| weight(indices.width, index.into())));
        std::array::from_fn(|t| self.blend(t, [color[t], alpha[t]]))
    }

    fn blend(&self, t: usize, [color, alpha]: [i32; 2]) -> [u8; 4] {
        let [low, high] = self.ends[self.split.subset(t)];
        let mut texel = std::array::from_fn(|c| interpolate([low[c], high[c]], if c < 3 { color } else { alpha }) as u8);
        if self.rotation != 0 {
            texel.swap(self.rotation as usize - 1, 3);
        }
        texel
    }
}

/// To 8 bits, the highest ones repeated below.
fn expand(value: u32, width: u32) -> i32 {
    (value << (8 - width) | value >> (2 * width - 8)) as i32
}

/// Bytes to floats.
pub(super) fn convert(texel: [u8; 4], numeric: Numeric) -> [u32; 4] {
    let [r, g, b, a] = texel;
    let unorm = |v: u8| (f32::from(v) / 255.0).to_bits();
    let color = |v: u8| if numeric == Numeric::Srgb { SRGB_TO_LINEAR[usize::from(v)].to_bits() } else { unorm(v) };
    [color(r), color(g), color(b), unorm(a)]
}
