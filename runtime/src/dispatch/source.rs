//! Where the workgroups of a dispatch come from: a [`WorkSource`]: a grid, or a part of one ([`GridSource`]), or a graphics stage (`stage.rs`).
//!
//! Threads take units of work, a batch at a time, start their waves and say when a unit has ended. Units may appear while others run: a source
//! that has none now, but may have some when others have ended, says [`Taken::Later`]. All waves of a dispatch run the same program from the
//! same entry; what else differs between them at their start the source writes into their registers.

use crate::args::kernarg::{Geometry, Part};
use crate::dispatch::shares::Shares;
use crate::dispatch::slot::WaveSlot;
use std::ops::Range;
use wavejit_ir::SReg;

/// A workgroup to be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unit {
    /// Workgroup id.
    pub id: [u32; 3],
    /// Work-items in each dimension: less than the full size in a partial workgroup.
    pub extent: [u32; 3],
    /// Number among all workgroups of the grid, those that do not run included.
    pub number: u64,
}

/// What a thread gets that asks for work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Indices of units for it.
    Units(Range<u64>),
    /// Nothing now; perhaps when units that run have ended.
    Later,
    /// There will be no more.
    Nothing,
}

/// Registers of a wave that starts.
pub(crate) struct StartRegisters<'a> {
    /// Scalar registers, by code.
    pub sregs: &'a mut [u32; SReg::COUNT],
    /// Vector registers: `[register][lane]`.
    pub rows: &'a mut [u32],
    /// Lanes of a row.
    pub lanes: usize,
}

/// Units of work by index. Every index that [`WorkSource::take`] gives out is started once and, unless the dispatch fails, ended once.
pub(crate) trait WorkSource: Send + Sync {
    /// Waves start with registers and LDS that the source writes, and not with work-item ids; what they export is kept until the unit ends.
    const IS_STAGE: bool = false;

    /// Work for a thread that has none, but perhaps units that wait for others. Threads are numbered as they come.
    fn take(&self, thread: usize, has_waiting: bool) -> Taken;

    /// The unit of an index that was taken.
    fn unit(&self, index: u64) -> Unit;

    /// How many of the units behind one are as it is but for the x of their ids, which counts up, and their numbers, which do so too. Nothing is to be
    /// done at their start or end.
    #[inline(always)]
    fn alike(&self, _index: u64) -> u64 {
        0
    }

    /// Adds to what [`WaveInit`](crate::dispatch::wave_init::WaveInit) says of the registers of the waves of a unit that is about to start.
    #[inline(always)]
    fn start_waves(&self, _index: u64, _waves: &mut [WaveSlot], _lds: &mut [u8]) {}

    /// May a unit find in its LDS what earlier units of the dispatch left there? Otherwise it finds zeros.
    #[inline(always)]
    fn keeps_lds(&self) -> bool {
        false
    }

    /// All waves of a unit have ended.
    #[inline(always)]
    fn end(&self, _index: u64, _waves: &[WaveSlot]) {}

    /// Units known before the first is taken.
    fn known(&self) -> u64;

    /// Threads for which there is work at the start, at most so many.
    fn workers(&self, most: usize) -> usize {
        most
    }
}

/// A grid of workgroups, or a part of it, in order: x first.
pub(crate) struct GridSource {
    geometry: Geometry,
    /// Workgroups of the whole grid in each dimension.
    groups: [u32; 3],
    part: Part,
    shares: Shares,
}

impl GridSource {
    /// A grid that so many threads share.
    pub(super) fn new(geometry: &Geometry, threads: usize) -> GridSource {
        let part = geometry.part();
        GridSource { geometry: *geometry, groups: geometry.groups(), part, shares: Shares::new(part.groups(), threads) }
    }
}

impl WorkSource for GridSource {
    fn take(&self, thread: usize, has_waiting: bool) -> Taken {
        self.shares.take(thread, has_waiting).map_or(Taken::Nothing, Taken::Units)
    }

    #[inline(always)]
    fn unit(&self, index: u64) -> Unit {
        let Part { first, count: [nx, ny, _] } = self.part;
        let (nx, ny) = (u64::from(nx), u64::from(ny));
        // Most grids are lines, and many others planes: divisions are slow.
        let divide = |n: u64, by: u64| if n < by { (0, n) } else { (n / by, n % by) };
        let (row, x) = divide(index, nx);
        let (z, y) = divide(row, ny);
        let (x, y, z) = (first[0] + x as u32, first[1] + y as u32, first[2] + z as u32);
        let Geometry { grid, group, .. } = self.geometry;
        let extent = |d: usize, id: u32| group[d].min((u64::from(grid[d]) - u64::from(id) * u64::from(group[d])) as u32);
        let [gx, gy, _] = self.groups;
        let number = u64::from(x) + u64::from(gx) * (u64::from(y) + u64::from(gy) * u64::from(z));
        Unit { id: [x, y, z], extent: [extent(0, x), extent(1, y), extent(2, z)], number }
    }

    fn alike(&self, index: u64) -> u64 {
        let Part { first, count: [nx, ..] } = self.part;
        let x = index % u64::from(nx);
        // Workgroups of a line that are whole.
        let whole = u64::from(self.geometry.grid[0] / self.geometry.group[0]).saturating_sub(u64::from(first[0]));
        whole.min(u64::from(nx)).saturating_sub(x + 1)
    }

    fn known(&self) -> u64 {
        self.shares.total()
    }

    fn workers(&self, most: usize) -> usize {
        self.shares.threads().min(most as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(source: &GridSource) -> Vec<Unit> {
        let batches = std::iter::from_fn(|| match source.take(0, false) {
            Taken::Units(units) => Some(units),
            Taken::Later => panic!("a grid has all units from the start"),
            Taken::Nothing => None,
        });
        batches.flatten().map(|i| source.unit(i)).collect()
    }

    #[test]
    fn the_last_workgroup_of_a_dimension_is_partial() {
        let units = all(&GridSource::new(&Geometry::new([70, 9, 1], [64, 4, 1]), 2));
        let of = |x, y| Unit { id: [x, y, 0], extent: [[64, 6][x as usize], [4, 4, 1][y as usize], 1], number: u64::from(x + 2 * y) };
        assert_eq!(units, [of(0, 0), of(1, 0), of(0, 1), of(1, 1), of(0, 2), of(1, 2)]);
    }

    #[test]
    fn units_that_are_alike_differ_in_x() {
        let geometries = [[1000, 70, 9], [1024, 64, 8], [64, 8, 2], [63, 8, 2], [130, 1, 1]].map(|grid| Geometry::new(grid, [64, 8, 2]));
        let part = Part { first: [3, 2, 1], count: [10, 5, 3] };
        let parts =
            [Geometry { part: Some(part), ..geometries[0] }, Geometry { part: Some(Part { count: [13, 5, 3], ..part }), ..geometries[0] }];
        for geometry in geometries.into_iter().chain(parts) {
            let source = GridSource::new(&geometry, 1);
            for index in 0..source.known() {
                let unit = source.unit(index);
                let next = |k: u64| Unit { id: [unit.id[0] + k as u32, unit.id[1], unit.id[2]], number: unit.number + k, ..unit };
                let alike = (1..source.known() - index).take_while(|k| source.unit(index + k) == next(*k)).count() as u64;
                assert_eq!(source.alike(index), alike, "{geometry:?}: {index}");
            }
        }
    }

    #[test]
    fn parts_have_the_units_of_the_whole() {
        let whole = Geometry::new([1000, 70, 9], [64, 8, 2]);
        let mut expected = all(&GridSource::new(&whole, 3));
        let mut found = vec![];
        let cuts = [[0, 5, 6, 16], [0, 1, 8, 9], [0, 2, 4, 5]];
        for x in 0..3 {
            for y in 0..3 {
                for z in 0..3 {
                    let at = [x, y, z];
                    let first = [0, 1, 2].map(|d| cuts[d][at[d]]);
                    let part = Part { first, count: [0, 1, 2].map(|d| cuts[d][at[d] + 1] - first[d]) };
                    found.extend(all(&GridSource::new(&Geometry { part: Some(part), ..whole }, 1)));
                }
            }
        }
        expected.sort_by_key(|u| u.number);
        found.sort_by_key(|u| u.number);
        assert_eq!(found, expected);
    }
}
