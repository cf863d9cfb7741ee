//! Cooperative launches: grids whose workgroups wait for each other, several of them perhaps on as many devices.
//!
//! Device code finds what it needs in two places: in resource 0 of global wave sync, which waits for all workgroups (device libraries up to
//! gfx10, and older ones on gfx11), and in a record that a hidden argument points to (`hidden_multigrid_sync_arg`). Its layout is that of
//! AMD's device library:
//!
//! ```text
//! 0   address of the counter that grids share     16  work-items of the grids before     32  counter of this grid's workgroups
//! 8   number of this grid    12  grids            24  work-items of all grids             40  workgroups of this grid
//! ```

use crate::Error;
use crate::args::kernarg::Geometry;

/// Bytes of the record.
const RECORD_BYTES: usize = 48;
/// The counter of arrivals has 16 bits.
const MAX_GROUPS: u64 = 0xffff;

/// A grid whose workgroups wait for each other. The default is one alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cooperative {
    /// Grids that wait for each other; 0: this one is alone.
    pub grids: u32,
    /// Number of this one.
    pub grid: u32,
    /// Work-items of the grids before it.
    pub items_before: u64,
    /// Work-items of all.
    pub items: u64,
    /// Guest address of 8 bytes that the grids share, 0 at first.
    pub sync: u64,
}

impl Cooperative {
    /// Workgroups of the grid, if they may wait for each other.
    pub(crate) fn groups(name: &str, geometry: &Geometry) -> Result<u32, Error> {
        let groups: u64 = geometry.groups().iter().map(|n| u64::from(*n)).product();
        if geometry.part.is_some() || groups > MAX_GROUPS {
            return Err(Error::Arg(format!(
                "kernel `{name}`: a cooperative launch runs the whole grid, of {MAX_GROUPS} workgroups at most; this one has {groups}"
            )));
        }
        Ok(groups as u32)
    }

    /// What the hidden argument points to.
    pub(crate) fn record(&self, groups: u32) -> [u8; RECORD_BYTES] {
        let mut record = [0; RECORD_BYTES];
        let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.sync.to_le_bytes());
        put(8, &self.grid.to_le_bytes());
        put(12, &self.grids.to_le_bytes());
        put(16, &self.items_before.to_le_bytes());
        put(24, &self.items.to_le_bytes());
        put(40, &groups.to_le_bytes());
        record
    }
}
