//! Block compression: BC1 to BC7, blocks of 4 x 4 texels in 8 or 16 bytes.
//!
//! Texels are numbered left to right and top to bottom. A block is parsed once and texels are taken from it, one or all. Interpolated colours
//! of BC1 to BC5 are not rounded to 8 bits: the specification allows either, and this is nearer to the true value.
//!
//! Reference: Direct3D 11.3 functional specification, "block compression formats".

mod bc6;
mod bc7;
mod colour;
mod tables;

use super::Numeric;

/// Kinds of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the formats are the names
pub enum Bc {
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc6,
    Bc7,
}

/// All texels of a block as R, G, B, A f32 bits.
pub fn decode(kind: Bc, numeric: Numeric, block: u128) -> [[u32; 4]; 16] {
    fn all(texel: impl Fn(u32) -> [u32; 4]) -> [[u32; 4]; 16] {
        std::array::from_fn(|t| texel(t as u32))
    }
    match kind {
        Bc::Bc6 => {
            let block = bc6::Block::parse(block, numeric == Numeric::Float);
            all(|t| block.texel(t))
        }
        Bc::Bc7 => {
            let block = bc7::Block::parse(block);
            all(|t| bc7::convert(block.texel(t), numeric))
        }
        _ => all(|t| colour::texel(kind, numeric, block, t)),
    }
}

/// Texel `t` of a block, as [`decode`] has it.
pub fn texel(kind: Bc, numeric: Numeric, block: u128, t: u32) -> [u32; 4] {
    let t = t & 15;
    match kind {
        Bc::Bc6 => bc6::Block::parse(block, numeric == Numeric::Float).texel(t),
        Bc::Bc7 => bc7::convert(bc7::Block::parse(block).texel(t), numeric),
        _ => colour::texel(kind, numeric, block, t),
    }
}

/// `count` bits from bit `at` on.
fn bits(block: u128, at: u32, count: u32) -> u32 {
    (block >> at) as u32 & ((1 << count) - 1)
}

/// Between two endpoints by a weight of 64ths.
fn interpolate(ends: [i32; 2], weight: i32) -> i32 {
    ((64 - weight) * ends[0] + weight * ends[1] + 32) >> 6
}

/// Index of texel `t`: `width` bits each from `at` on, but for the `anchors`, whose highest bit is 0 and left out.
fn index(block: u128, at: u32, width: u32, anchors: &[u8], t: u32) -> u32 {
    let before = anchors.iter().filter(|&&a| u32::from(a) < t).count() as u32;
    let is_anchor = anchors.iter().any(|&a| u32::from(a) == t);
    bits(block, at + t * width - before, width - u32::from(is_anchor))
}

/// Subset of each texel and the anchors of a split into `subsets` (1 to 3).
fn partition(subsets: u32, number: u32) -> (&'static [u8; 16], [u8; 3]) {
    match subsets {
        1 => (b"0000000000000000", [0; 3]),
        2 => {
            let (subset, anchor) = tables::TWO_SUBSETS[(number & 63) as usize];
            (subset, [0, anchor, 0])
        }
        _ => {
            let (subset, second, third) = tables::THREE_SUBSETS[(number & 63) as usize];
            (subset, [0, second, third])
        }
    }
}

#[cfg(test)]
mod tests;
