//! Block compression: BC1 to BC7, blocks of 4 x 4 texels in 8 or 16 bytes.
//!
//! Texels are numbered left to right and top to bottom. A block is parsed once and texels are taken from it, one or all. Interpolated colors
//! of BC1 to BC5 are not rounded to 8 bits: the specification allows either, and this is nearer to the true value.
//!
//! Reference: Direct3D 11.3 functional specification, "block compression formats".

mod bc6;
mod bc7;
mod color;
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
pub(super) fn decode(kind: Bc, numeric: Numeric, block: u128) -> [[u32; 4]; 16] {
    match kind {
        Bc::Bc6 => bc6::Block::parse(block, numeric == Numeric::Float).texels(),
        Bc::Bc7 => bc7::Block::parse(block).texels().map(|texel| bc7::convert(texel, numeric)),
        _ => color::decode(kind, numeric, block),
    }
}

/// Texel `t` of a block, as [`decode`] has it.
pub(super) fn texel(kind: Bc, numeric: Numeric, block: u128, t: u32) -> [u32; 4] {
    with_recent(|recent| recent.texel(kind, numeric, block, t))
}

/// Lends the blocks that the thread remembers, to take many texels.
pub(crate) fn with_recent<R>(work: impl FnOnce(&mut Recent) -> R) -> R {
    RECENT.with_borrow_mut(work)
}

thread_local! {
    static RECENT: RefCell<Recent> = const { RefCell::new(Recent([const { None }; RECENT_BLOCKS])) };
}

/// Blocks a thread remembers: more than the taps of a wave usually touch.
const RECENT_BLOCKS: usize = 64;

/// A block's content and how it is read.
type Key = (u128, Bc, Numeric);

/// The last blocks decoded, found by their content: neighboring texels share blocks.
pub(crate) struct Recent([Option<(Key, [[u32; 4]; 16])>; RECENT_BLOCKS]);

impl Recent {
    /// As [`texel`].
    #[inline]
    pub(crate) fn texel(&mut self, kind: Bc, numeric: Numeric, block: u128, t: u32) -> [u32; 4] {
        let key = (block, kind, numeric);
        let mixed = (block as u64 ^ (block >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let entry = &mut self.0[(mixed >> (64 - RECENT_BLOCKS.ilog2())) as usize % RECENT_BLOCKS];
        match entry {
            Some((of, texels)) if *of == key => texels[t as usize & 15],
            other => other.insert((key, decode(kind, numeric, block))).1[t as usize & 15],
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
