//! Where the elements of one mip level are.
//!
//! An address is a sum over blocks plus an exclusive or inside a block:
//!
//! ```text
//! base + (x >> shift.x) * step.x + (y >> shift.y) * step.y + (z >> shift.z) * step.z
//!      + (xor.x[x] ^ xor.y[y] ^ xor.z[z] ^ xor.s[sample])
//! ```
//!
//! [`Level`] says it with the equation; [`LevelLayout`] with one table per axis, so that a sampler needs two look-ups per texel.

use std::sync::Arc;

use super::equation::Equation;

/// A mip level in plain form.
#[derive(Clone, Debug)]
pub struct Level {
    /// Width, height and depth or layers, in elements, as sampling sees the level.
    pub size: [u32; 3],
    /// Byte offset in the image of the block that holds the first element.
    pub base: u64,
    /// Log2 of the block's width, height and depth.
    pub shift: [u32; 3],
    /// Bytes from a block to the next one along each axis.
    pub step: [u64; 3],
    /// Is added to a coordinate before the equation sees it: the place of a level in a mip tail.
    pub origin: [u32; 3],
    /// Byte offset inside the block.
    pub inside: Arc<Equation>,
    /// Flips offset bits by slice, repeating; a power of two long (gfx6 to gfx8, where slices turn banks and pipes).
    pub turn: Arc<[u32]>,
    /// Flips offset bits of every element.
    pub flips: u32,
}

impl Level {
    /// Byte offset of an element. Coordinates outside the level give an offset that may be outside the image.
    pub fn offset(&self, x: u32, y: u32, z: u32, sample: u32) -> u64 {
        let at = [x, y, z];
        let blocks = (0..3).fold(self.base, |sum, i| sum.wrapping_add(u64::from(at[i] >> self.shift[i]).wrapping_mul(self.step[i])));
        let [x, y, z] = [0, 1, 2].map(|i| at[i].wrapping_add(self.origin[i]));
        blocks
            .wrapping_add(u64::from(self.inside.offset([x, y, z, sample]) ^ self.turn[at[2] as usize & (self.turn.len() - 1)] ^ self.flips))
    }

    /// The same with tables.
    pub fn layout(&self, samples: u32) -> LevelLayout {
        let table = |axis: usize| self.inside.table(axis, self.origin[axis], self.size[axis]);
        let slices = self.inside.table(2, self.origin[2], self.size[2]);
        let len = slices.len().max(self.turn.len()).min(self.size[2].max(1).next_power_of_two() as usize);
        let z: Arc<[u32]> = (0..len).map(|i| slices[i & (slices.len() - 1)] ^ self.turn[i & (self.turn.len() - 1)] ^ self.flips).collect();
        LevelLayout {
            size: self.size,
            base: self.base,
            shift: self.shift,
            step: self.step,
            xor: [table(0).into(), table(1).into(), z],
            sample_xor: (0..samples).map(|s| self.inside.axis(3, s)).collect(),
        }
    }
}

/// A mip level with its in-block equation as tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LevelLayout {
    /// Width, height and depth or layers, in elements, as sampling sees the level.
    pub size: [u32; 3],
    /// Byte offset in the image of the block that holds the first element.
    pub base: u64,
    /// Log2 of the block's width, height and depth.
    pub shift: [u32; 3],
    /// Bytes from a block to the next one along each axis.
    pub step: [u64; 3],
    /// By axis: what a coordinate flips in the offset inside a block, at `[coordinate & (len - 1)]`. Lengths are powers of two.
    /// For linear levels each is the single entry 0.
    pub xor: [Arc<[u32]>; 3],
    /// What a sample flips in the offset inside a block.
    pub sample_xor: Arc<[u32]>,
}

impl LevelLayout {
    /// Byte offset of an element inside the level; the sample below the image's sample count.
    pub fn offset(&self, x: u32, y: u32, z: u32, sample: u32) -> u64 {
        let slice = self.slice(z, sample);
        slice
            .base
            .wrapping_add(self.part(0, x))
            .wrapping_add(self.part(1, y))
            .wrapping_add(u64::from(slice.flips ^ self.flips(0, x) ^ self.flips(1, y)))
    }

    /// What does not change within a slice and sample.
    pub fn slice(&self, z: u32, sample: u32) -> Slice {
        Slice { base: self.base.wrapping_add(self.part(2, z)), flips: self.flips(2, z) ^ self.sample_xor[sample as usize] }
    }

    /// The sum's share of a coordinate.
    pub fn part(&self, axis: usize, coordinate: u32) -> u64 {
        u64::from(coordinate >> self.shift[axis]).wrapping_mul(self.step[axis])
    }

    /// The exclusive or's share of a coordinate.
    pub fn flips(&self, axis: usize, coordinate: u32) -> u32 {
        let table = &self.xor[axis];
        table[coordinate as usize & (table.len() - 1)]
    }
}

/// One slice and sample of a level: the shares of z and the sample in an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// To add.
    pub base: u64,
    /// To exclusive-or inside the block.
    pub flips: u32,
}
