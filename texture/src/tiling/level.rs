//! Where the elements of one mip level are.
//!
//! An address is a sum over blocks plus an exclusive or inside a block:
//!
//! ```text
//! base + (x >> shift.x) * step.x + (y >> shift.y) * step.y + (z >> shift.z) * step.z
//!      + (xor.x[x] ^ xor.y[y] ^ xor.z[z] ^ xor.sample[sample])
//! ```
//!
//! (A few images of gfx6 to gfx8 add a little more by coordinate, see [`LevelLayout::split`].)
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
    /// Exclusive-ored into offsets by slice, repeating; a power of two long (gfx6 to gfx8, where slices turn banks and pipes).
    pub turn: Arc<[u32]>,
    /// Exclusive-ored into the offset of every element.
    pub offset_xor: u32,
    /// Coordinate bits, as axis (3 is the sample) and bit, that number the parts of a tile, the lowest first. On gfx6 to gfx8 a tile too
    /// large for one slice continues in others.
    pub parts: Arc<[(usize, u32)]>,
    /// Bytes from a part to the next.
    pub part_step: u64,
}

impl Default for Level {
    /// A level without blocks, to be filled in.
    fn default() -> Level {
        Level {
            size: [1; 3],
            base: 0,
            shift: [0; 3],
            step: [0; 3],
            origin: [0; 3],
            inside: Arc::default(),
            turn: Arc::new([0]),
            offset_xor: 0,
            parts: Arc::new([]),
            part_step: 0,
        }
    }
}

impl Level {
    /// Byte offset of an element. Coordinates outside the level give an offset that may be outside the image.
    pub fn offset(&self, x: u32, y: u32, z: u32, sample: u32) -> u64 {
        let at = [x, y, z, sample];
        let block = |axis: usize| u64::from(at[axis] >> self.shift[axis]).wrapping_mul(self.step[axis]);
        let blocks = (0..3).fold(self.base, |sum, axis| sum.wrapping_add(block(axis)));
        let parts = (0..4).fold(0u64, |sum, axis| sum.wrapping_add(self.split(axis, at[axis])));
        let [ox, oy, oz] = self.origin;
        let inside = self.inside.offset([x.wrapping_add(ox), y.wrapping_add(oy), z.wrapping_add(oz), sample]);
        let turn = self.turn[z as usize & (self.turn.len() - 1)];
        blocks.wrapping_add(parts).wrapping_add(u64::from(inside ^ turn ^ self.offset_xor))
    }

    /// What a coordinate adds by the part of a tile it is in.
    fn split(&self, axis: usize, coordinate: u32) -> u64 {
        let part = |(at, &(own, bit)): (usize, &(usize, u32))| if own == axis { u64::from((coordinate >> bit) & 1) << at } else { 0 };
        self.parts.iter().enumerate().map(part).sum::<u64>().wrapping_mul(self.part_step)
    }

    /// The same with tables.
    pub fn layout(&self, samples: u32) -> LevelLayout {
        let table = |axis: usize| self.inside.table(axis, self.origin[axis], self.size[axis]);
        let slices = self.inside.table(2, self.origin[2], self.size[2]);
        let len = slices.len().max(self.turn.len()).min(self.size[2].max(1).next_power_of_two() as usize);
        let z: Arc<[u32]> =
            (0..len).map(|i| slices[i & (slices.len() - 1)] ^ self.turn[i & (self.turn.len() - 1)] ^ self.offset_xor).collect();
        LevelLayout {
            size: self.size,
            base: self.base,
            shift: self.shift,
            step: self.step,
            xor: [table(0).into(), table(1).into(), z],
            split: [0, 1].map(|axis| match self.parts.iter().filter(|p| p.0 == axis).map(|p| p.1).max() {
                Some(bit) => (0..2u32 << bit).map(|c| self.split(axis, c)).collect(),
                None => Arc::from([0u64]),
            }),
            sample_xor: (0..samples).map(|s| self.inside.axis(3, s)).collect(),
            sample_base: (0..samples).map(|s| self.split(3, s)).collect(),
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
    /// By axis: what a coordinate exclusive-ors into the offset inside a block, at `[coordinate & (len - 1)]`. Lengths are powers of two.
    /// For linear levels each is the single entry 0.
    pub xor: [Arc<[u32]>; 3],
    /// What a sample exclusive-ors into the offset inside a block.
    pub sample_xor: Arc<[u32]>,
    /// What a sample adds: 0, but in images of gfx6 to gfx8 whose tiles are split. Always 0 for sample 0.
    pub sample_base: Arc<[u64]>,
    /// By axis: what to add besides the step of the block, at `[coordinate & (len - 1)]`. A single 0 for all images but those of gfx6 to
    /// gfx8 whose tiles are split.
    pub split: [Arc<[u64]>; 2],
}

impl LevelLayout {
    /// Byte offset of an element inside the level; the sample below the image's sample count.
    #[inline]
    pub fn offset(&self, x: u32, y: u32, z: u32, sample: u32) -> u64 {
        let slice = self.slice(z, sample);
        slice
            .base
            .wrapping_add(self.part(0, x))
            .wrapping_add(self.part(1, y))
            .wrapping_add(u64::from(slice.offset_xor ^ self.offset_xor(0, x) ^ self.offset_xor(1, y)))
    }

    /// What does not change within a slice and sample.
    #[inline]
    pub fn slice(&self, z: u32, sample: u32) -> Slice {
        let base = self.base.wrapping_add(self.part(2, z)).wrapping_add(self.sample_base[sample as usize]);
        Slice { base, offset_xor: self.offset_xor(2, z) ^ self.sample_xor[sample as usize] }
    }

    /// The sum's share of a coordinate.
    #[inline]
    pub fn part(&self, axis: usize, coordinate: u32) -> u64 {
        let split = self.split.get(axis).map_or(0, |table| table[coordinate as usize & (table.len() - 1)]);
        u64::from(coordinate >> self.shift[axis]).wrapping_mul(self.step[axis]).wrapping_add(split)
    }

    /// Is the sum's share of a coordinate that of its block alone? If not, [`LevelLayout::split`] has more to add.
    pub fn is_plain(&self) -> bool {
        self.split.iter().all(|table| table.len() == 1)
    }

    /// The exclusive or's share of a coordinate.
    #[inline]
    pub fn offset_xor(&self, axis: usize, coordinate: u32) -> u32 {
        let table = &self.xor[axis];
        table[coordinate as usize & (table.len() - 1)]
    }
}

/// The shares in an offset of a slice, a sample, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// To add.
    pub base: u64,
    /// To exclusive-or inside the block.
    pub offset_xor: u32,
}
