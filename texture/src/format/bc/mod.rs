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

use std::cell::RefCell;

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
    match kind {
        Bc::Bc6 => bc6::Block::parse(block, numeric == Numeric::Float).texels(),
        Bc::Bc7 => bc7::Block::parse(block).texels().map(|texel| bc7::convert(texel, numeric)),
        _ => colour::decode(kind, numeric, block),
    }
}

/// Texel `t` of a block, as [`decode`] has it.
pub fn texel(kind: Bc, numeric: Numeric, block: u128, t: u32) -> [u32; 4] {
    let t = t & 15;
    match kind {
        Bc::Bc6 => {
            let is_signed = numeric == Numeric::Float;
            let recent = if is_signed { &RECENT_BC6_SIGNED } else { &RECENT_BC6 };
            recent.with(|recent| recent.with(block, |block| bc6::Block::parse(block, is_signed), |block| block.texel(t)))
        }
        Bc::Bc7 => bc7::convert(RECENT_BC7.with(|recent| recent.with(block, bc7::Block::parse, |block| block.texel(t))), numeric),
        _ => colour::texel(kind, numeric, block, t),
    }
}

thread_local! {
    static RECENT_BC6: Recent<bc6::Block> = const { Recent([const { RefCell::new(None) }; RECENT]) };
    static RECENT_BC6_SIGNED: Recent<bc6::Block> = const { Recent([const { RefCell::new(None) }; RECENT]) };
    static RECENT_BC7: Recent<bc7::Block> = const { Recent([const { RefCell::new(None) }; RECENT]) };
}

/// Blocks a thread remembers of each kind.
const RECENT: usize = 16;

/// The last blocks parsed, found by their content: parsing takes most of a texel's time, and neighbouring texels share blocks.
struct Recent<T>([RefCell<Option<(u128, T)>>; RECENT]);

impl<T> Recent<T> {
    #[inline]
    fn with<R>(&self, block: u128, parse: impl Fn(u128) -> T, texel: impl Fn(&T) -> R) -> R {
        let mixed = (block as u64 ^ (block >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut entry = self.0[(mixed >> 60) as usize % RECENT].borrow_mut();
        match &mut *entry {
            Some((content, parsed)) if *content == block => texel(parsed),
            other => texel(&other.insert((block, parse(block))).1),
        }
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

/// Where the indices of a block are: `width` bits for each texel from bit `at` on. The highest bit of an anchor's is 0 and left out.
#[derive(Clone, Copy)]
struct Indices {
    at: u32,
    width: u32,
    /// A bit for each texel.
    anchors: u16,
}

impl Indices {
    /// Of one texel.
    fn get(self, block: u128, t: u32) -> u32 {
        let before = (self.anchors & ((1 << t) - 1)).count_ones();
        bits(block, self.at + t * self.width - before, self.width - u32::from(self.anchors >> t & 1))
    }

    /// Of all texels.
    fn all(self, block: u128) -> [u8; 16] {
        let mut rest = (block >> self.at) as u64; // at most 63 bits
        std::array::from_fn(|t| {
            let width = self.width - u32::from(self.anchors >> t & 1);
            let index = rest & ((1 << width) - 1);
            rest >>= width;
            index as u8
        })
    }
}

/// How texels are split into subsets.
#[derive(Clone, Copy)]
struct Split {
    /// Subset of each texel, as a digit.
    digits: &'static [u8; 16],
    /// A bit for each texel.
    anchors: u16,
}

impl Split {
    /// Split `number` into `subsets` (1 to 3).
    fn new(subsets: u32, number: u32) -> Split {
        match subsets {
            1 => Split { digits: b"0000000000000000", anchors: 1 },
            2 => {
                let (digits, second) = tables::TWO_SUBSETS[(number & 63) as usize];
                Split { digits, anchors: 1 | 1 << second }
            }
            _ => {
                let (digits, second, third) = tables::THREE_SUBSETS[(number & 63) as usize];
                Split { digits, anchors: 1 | 1 << second | 1 << third }
            }
        }
    }

    /// Subset of a texel.
    fn subset(self, t: usize) -> usize {
        usize::from(self.digits[t & 15] & 3)
    }
}

#[cfg(test)]
mod tests;
