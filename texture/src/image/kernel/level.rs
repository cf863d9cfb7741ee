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
    /// The same, from coordinates to texels.
    pub scale: [f32; 3],
    /// Byte offset of the level.
    pub base: i32,
    /// Exclusive-ored into the offset of every texel.
    pub offset_xor: i32,
    axes: [Axis; 3],
    /// Exclusive-ored into offsets by sample, beside what sample 0 has.
    samples: Arc<[u32]>,
}

/// Tables of an axis: coordinates have 16 bits.
const MOST_TABLES: usize = 4;

/// What coordinates of a direction add to offsets, and exclusive-or into them:
///
/// ```text
/// (i >> shift) * step    tables[0][i & 15] ^ tables[1][i >> 4 & 15] ^ ...  or  entries[i & (len - 1)]
/// ```
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Axis {
    /// By four bits of the coordinate each, the lowest first.
    tables: [[u32; 16]; MOST_TABLES],
    /// Tables that are not all 0.
    count: usize,
    /// Log2 of the block.
    shift: i32,
    /// Bytes from a block to the next.
    step: i32,
    /// In place of the tables, where there are none: not every bit of a coordinate toggles the same bits wherever it is.
    entries: Option<Arc<[u32]>>,
}

impl Axis {
    fn new(entries: Arc<[u32]>, shift: i32, step: i32) -> Axis {
        let first = entries[0];
        let entry = |n: usize| entries[n & (entries.len() - 1)]; // coordinates go on behind the table
        let mut tables = [[0; 16]; MOST_TABLES];
        for (part, table) in tables.iter_mut().enumerate() {
            // What coordinate 0 has is in the lowest.
            *table = std::array::from_fn(|n| entry(n << (4 * part)) ^ if part == 0 { 0 } else { first });
        }
        let by_tables = |n: usize| tables.iter().enumerate().fold(0, |all, (part, table)| all ^ table[n >> (4 * part) & 15]);
        let is_exclusive_or = entries.len() <= 1 << 16 && entries.iter().enumerate().all(|(n, &entry)| by_tables(n) == entry);
        let count = tables.iter().rposition(|table| table.iter().any(|&x| x != 0)).map_or(0, |last| last + 1);
        Axis { tables, count, shift, step, entries: (!is_exclusive_or).then_some(entries) }
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
        let entries = |xor: &Arc<[u32]>, axis: usize| match texels_log2[axis] {
            0 if scale == 1 => xor.clone(),
            log2 => {
                let low = |i: usize| (i as u32 & ((1 << log2) - 1)) << (2 * axis);
                (0..xor.len() << log2).map(|i| (xor[i >> log2] * scale) | low(i)).collect()
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
        let steps = [step(0)?, step(1)?, step(2).or((most[2] >> layout.shift[2] == 0).then_some(0))?];
        let axis = |n: usize| Axis::new(entries(&layout.xor[n], n), (layout.shift[n] + texels_log2[n]) as i32, steps[n]);
        Some(Level {
            size: view.size,
            scale: view.size.map(|n| n as f32),
            base: i32::try_from(base * u64::from(scale)).ok()?,
            offset_xor: (offset_xor * scale) as i32,
            axes: [axis(0), axis(1), axis(2)],
            samples: layout.sample_xor.iter().map(|x| x ^ first).collect(),
        })
    }

    /// Are there tables by four bits for all axes?
    pub(super) fn has_tables(&self) -> bool {
        self.axes.iter().all(|axis| axis.entries.is_none())
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

    /// Displacements of coordinates along `axis`; they lie in the level. `TABLES`: as [`Level::has_tables`] says.
    ///
    /// # Safety
    /// The processor has the instruction set; for the lanes of `m`, coordinates are at least 0.
    #[inline(always)]
    pub(super) unsafe fn displacements<S: Simd, const N: usize, const TABLES: bool>(
        &self,
        axis: usize,
        i: [S::I; N],
        m: S::M,
    ) -> [Displacement<S>; N] {
        let axis = &self.axes[axis];
        // SAFETY: no memory is touched but the tables; the index into `entries` is masked to its length, a power of two.
        unsafe {
            let (shift, step) = (S::i(axis.shift), S::i(axis.step));
            let mut out = [Displacement { sum: S::i(0), offset_xor: S::i(0) }; N];
            for n in 0..N {
                out[n].sum = S::mul(S::shr_each(i[n], shift), step);
            }
            if !TABLES && let Some(entries) = &axis.entries {
                for n in 0..N {
                    let index = S::and(i[n], S::i(entries.len() as i32 - 1));
                    out[n].offset_xor = S::entry(entries, index, m);
                }
                return out;
            }
            // Two of them are the rule.
            if axis.count > 0 {
                let mut rest = i;
                for n in 0..N {
                    let low = S::lookup(&axis.tables[0], i[n]);
                    rest[n] = S::shr(i[n], 4);
                    out[n].offset_xor = S::xor(low, S::lookup(&axis.tables[1], rest[n]));
                }
                if axis.count > 2 {
                    for table in &axis.tables[2..] {
                        for n in 0..N {
                            rest[n] = S::shr(rest[n], 4);
                            out[n].offset_xor = S::xor(out[n].offset_xor, S::lookup(table, rest[n]));
                        }
                    }
                }
            }
            out
        }
    }

    /// Displacement of a coordinate.
    ///
    /// # Safety
    /// As [`Level::displacements`].
    #[inline(always)]
    pub(super) unsafe fn displacement<S: Simd, const TABLES: bool>(&self, axis: usize, i: S::I, m: S::M) -> Displacement<S> {
        // SAFETY: as the function says.
        let [only] = unsafe { self.displacements::<S, 1, TABLES>(axis, [i], m) };
        only
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
    fn tables_repeat_where_the_entries_do() {
        for len in [1, 2, 8, 16, 128, 256] {
            let entries: Arc<[u32]> = (0..len).map(|n| n << 4 | 0x8000_0000).collect();
            let axis = Axis::new(entries.clone(), 0, 0);
            assert!(axis.entries.is_none());
            for i in 0..1024_usize {
                let by_tables = axis.tables.iter().enumerate().fold(0, |all, (part, t)| all ^ t[i >> (4 * part) & 15]);
                assert_eq!(by_tables, entries[i & (entries.len() - 1)], "{i} of {len}");
            }
        }
        let sums: Arc<[u32]> = (0..16).map(|n| n * 3).collect();
        assert!(Axis::new(sums.iter().chain(&*sums).map(|x| x + 5).chain(0..32).collect(), 0, 0).entries.is_some());
    }
}
