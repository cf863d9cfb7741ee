//! Addresses: where a level's texels are, and the displacement that each coordinate has in that.

use std::sync::Arc;

use super::super::surface::{Surface, ViewLevel};
use super::{Directions, Slices};
use crate::format::Layout;
use crate::simd::Simd;

/// A level as the kernels use it.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Width, height and depth in texels.
    pub size: [i32; 3],
    /// Byte offset of the level.
    pub base: i32,
    /// Exclusive-ored into the offset of every texel.
    pub offset_xor: i32,
    /// Log2 of the block, by axis.
    pub shift: [i32; 3],
    /// Bytes from a block to the next, by axis.
    pub step: [i32; 3],
    /// Exclusive-ored into offsets by coordinate, by axis.
    xor: [OffsetXor; 3],
    /// Exclusive-ored into offsets by sample, beside what sample 0 has.
    samples: Arc<[u32]>,
}

/// What coordinates exclusive-or into offsets.
#[derive(Clone, Debug)]
struct OffsetXor {
    /// At `coordinate & (len - 1)`.
    table: Arc<[u32]>,
    /// The same as an exclusive or of one entry for each four bits of the coordinate, if it is one: every bit of a coordinate toggles the same
    /// bits wherever it is.
    nibbles: Option<Vec<[u32; 16]>>,
}

impl OffsetXor {
    fn new(table: Arc<[u32]>) -> OffsetXor {
        let first = table[0];
        let parts = 0..table.len().ilog2().div_ceil(4);
        let entry = |n: usize| table[n & (table.len() - 1)] ^ first; // coordinates go on behind the table
        let nibbles: Vec<[u32; 16]> = parts.map(|part| std::array::from_fn(|n| entry(n << (4 * part)))).collect();
        let by_nibbles = |n: usize| nibbles.iter().enumerate().fold(first, |offset_xor, (part, t)| offset_xor ^ t[n >> (4 * part) & 15]);
        let is_exclusive_or = table.iter().enumerate().all(|(n, &offset_xor)| by_nibbles(n) == offset_xor);
        OffsetXor { nibbles: is_exclusive_or.then_some(nibbles), table }
    }
}

impl Level {
    /// The levels of a surface, if all their texels lie in the image and offsets fit 31 bits.
    pub(super) fn all(surface: &Surface, directions: Directions, slices: Slices) -> Option<Vec<Level>> {
        // The aligned dword around a small texel is read: images are whole dwords.
        if surface.bytes >= 1 << 31 || !surface.bytes.is_multiple_of(4) {
            return None;
        }
        // Offsets of compressed texels count sixteenths of blocks; coordinates are in texels.
        let (texels_log2, scale) = match surface.format.layout {
            Layout::Block(_) => ([2, 2, 0], 16 / u32::from(surface.format.bytes)),
            _ => ([0; 3], 1),
        };
        if surface.bytes * u64::from(scale) >= 1 << 31 {
            return None;
        }
        surface.levels.iter().map(|view| Level::new(surface, view, directions, slices, texels_log2, scale)).collect()
    }

    fn new(
        surface: &Surface,
        view: &ViewLevel,
        directions: Directions,
        slices: Slices,
        texels_log2: [u32; 3],
        scale: u32,
    ) -> Option<Level> {
        let offset_xor_of = |xor: &Arc<[u32]>, axis: usize| match texels_log2[axis] {
            0 if scale == 1 => OffsetXor::new(xor.clone()),
            log2 => {
                let low = |i: usize| (i as u32 & ((1 << log2) - 1)) << (2 * axis);
                OffsetXor::new((0..xor.len() << log2).map(|i| (xor[i >> log2] * scale) | low(i)).collect())
            }
        };
        let layout = &view.layout;
        if !layout.is_plain() || layout.sample_base.iter().any(|&base| base != 0) {
            return None;
        }
        // The largest coordinate of each direction, in the image.
        let z_last = surface.first_layer + if directions == Directions::Volume { view.size[2] as u32 - 1 } else { surface.last_layer };
        let most = [(view.size[0] as u32 - 1) >> texels_log2[0], (view.size[1] as u32 - 1) >> texels_log2[1], z_last];
        let mut sum = layout.base;
        let mut offset_xor = layout.sample_xor.iter().fold(0, |all, x| all | x);
        for (axis, last) in most.into_iter().enumerate() {
            sum = sum.checked_add(u64::from(last >> layout.shift[axis]).checked_mul(layout.step[axis])?)?;
            offset_xor |= layout.xor[axis].iter().fold(0, |all, x| all | x);
        }
        if sum.checked_add(offset_xor.into())?.checked_add(surface.format.bytes.into())? > surface.bytes {
            return None;
        }
        let first = *layout.sample_xor.first()?;
        // Without a direction of slices, the displacement of the only one is part of the level's.
        let only = layout.slice(surface.first_layer, 0);
        let is_only = slices == Slices::One && directions != Directions::Volume;
        let (base, offset_xor) = if is_only { (only.base, only.offset_xor) } else { (layout.base, first) };
        let offset_xor = if directions == Directions::Row { offset_xor ^ layout.xor[1][0] } else { offset_xor };
        let step = |axis: usize| i32::try_from(layout.step[axis].checked_mul(scale.into())?).ok();
        Some(Level {
            size: view.size,
            base: i32::try_from(base * u64::from(scale)).ok()?,
            offset_xor: (offset_xor * scale) as i32,
            shift: [0, 1, 2].map(|axis| (layout.shift[axis] + texels_log2[axis]) as i32),
            step: [step(0)?, step(1)?, step(2).or((most[2] >> layout.shift[2] == 0).then_some(0))?],
            xor: [0, 1, 2].map(|axis| offset_xor_of(&layout.xor[axis], axis)),
            samples: layout.sample_xor.iter().map(|x| x ^ first).collect(),
        })
    }

    /// What coordinates along an axis exclusive-or into offsets, as an exclusive or of one entry for each four bits of the coordinate, and of
    /// what coordinate 0 has. `None`: a table has no such form.
    pub(super) fn nibbles(&self, axis: usize) -> Option<(&[[u32; 16]], u32)> {
        Some((self.xor[axis].nibbles.as_deref()?, self.xor[axis].table[0]))
    }

    /// What a sample exclusive-ors into the offset; for the lanes of `m`, `sample` is one of the image.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn sample<S: Simd>(&self, sample: S::I, m: S::M) -> Displacement<S> {
        // SAFETY: the table has an entry for each sample.
        unsafe { Displacement { sum: S::i(0), offset_xor: S::entry(&self.samples, sample, m) } }
    }

    /// Displacement of coordinate `i` along `axis`; `i` lies in the level.
    ///
    /// # Safety
    /// The processor has the instruction set; for the lanes of `m`, `i` is at least 0.
    #[inline(always)]
    pub(super) unsafe fn displacement<S: Simd>(&self, axis: usize, i: S::I, m: S::M) -> Displacement<S> {
        let offset_xor = &self.xor[axis];
        // SAFETY: the index into the table is masked to its length, a power of two.
        unsafe {
            let sum = S::mul(S::shr(i, self.shift[axis]), S::i(self.step[axis]));
            let Some(nibbles) = &offset_xor.nibbles else {
                let index = S::and(i, S::i(offset_xor.table.len() as i32 - 1));
                return Displacement { sum, offset_xor: S::entry(&offset_xor.table, index, m) };
            };
            let mut all = S::i(offset_xor.table[0] as i32);
            let mut rest = i;
            for nibble in nibbles {
                all = S::xor(all, S::lookup(nibble, rest));
                rest = S::shr(rest, 4);
            }
            Displacement { sum, offset_xor: all }
        }
    }
}

/// Shares of a coordinate in an address: to add, and to exclusive-or.
#[derive(Clone, Copy)]
pub(super) struct Displacement<S: Simd> {
    pub sum: S::I,
    pub offset_xor: S::I,
}

impl<S: Simd> Displacement<S> {
    /// Of the level itself.
    ///
    /// # Safety
    /// The processor has the instruction set, as for the other functions.
    #[inline(always)]
    pub(super) unsafe fn of(level: &Level) -> Displacement<S> {
        // SAFETY: no memory is touched.
        unsafe { Displacement { sum: S::i(level.base), offset_xor: S::i(level.offset_xor) } }
    }

    /// Of two directions together.
    #[inline(always)]
    pub(super) unsafe fn with(self, other: Displacement<S>) -> Displacement<S> {
        // SAFETY: no memory is touched.
        unsafe { Displacement { sum: S::add(self.sum, other.sum), offset_xor: S::xor(self.offset_xor, other.offset_xor) } }
    }

    /// The address that all displacements make.
    #[inline(always)]
    pub(super) unsafe fn address(self) -> S::I {
        // SAFETY: no memory is touched.
        unsafe { S::add(self.sum, self.offset_xor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nibbles_repeat_where_the_table_does() {
        for len in [1, 2, 8, 16, 128, 256] {
            let table: Arc<[u32]> = (0..len).map(|n| n << 4 | 0x8000_0000).collect();
            let offset_xor = OffsetXor::new(table.clone());
            let nibbles = offset_xor.nibbles.as_ref().unwrap();
            for i in 0..1024_usize {
                let by_nibbles = nibbles.iter().enumerate().fold(table[0], |all, (part, t)| all ^ t[i >> (4 * part) & 15]);
                assert_eq!(by_nibbles, table[i & (table.len() - 1)], "{i} of {len}");
            }
        }
    }
}
