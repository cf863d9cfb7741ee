//! Border colors of a device: the table whose entries samplers name (`BorderColor::Table`).
//!
//! Drivers keep such a table in memory and tell the chip where it is (TA_BC_BASE_ADDR); an entry is four dwords, floats or integers as the
//! image's format has them. Reference: RDNA3 ISA, table of S#, BORDER_COLOR_PTR.

use crate::error::Error;
use crate::memory::address_space::AddressSpace;

/// Entries: BORDER_COLOR_PTR has 12 bits.
pub(crate) const ENTRIES: u16 = 1 << 12;
const ENTRY_BYTES: usize = 16;

/// The table of a device, made when the first color is.
#[derive(Default)]
pub(crate) struct BorderTable {
    /// Guest address of the table, or 0.
    pub address: u64,
    /// Colors by entry; none: nobody has set it.
    colors: Vec<Option<[u32; 4]>>,
}

impl BorderTable {
    /// The entry that holds a color, or the first free one.
    pub(crate) fn entry_for(&self, color: [u32; 4]) -> Option<u16> {
        let known = self.colors.iter().position(|c| *c == Some(color));
        let entry = known.or_else(|| self.colors.iter().position(Option::is_none)).unwrap_or(self.colors.len());
        u16::try_from(entry).ok().filter(|e| *e < ENTRIES)
    }

    /// Sets an entry.
    pub(crate) fn put(&mut self, space: &AddressSpace, entry: u16, color: [u32; 4]) -> Result<(), Error> {
        if self.address == 0 {
            self.address = space.alloc(u64::from(ENTRIES) * ENTRY_BYTES as u64, 0)?;
        }
        let bytes = color.map(u32::to_le_bytes).concat();
        space.write(self.address + u64::from(entry) * ENTRY_BYTES as u64, &bytes)?;
        let entry = usize::from(entry);
        if self.colors.len() <= entry {
            self.colors.resize(entry + 1, None);
        }
        self.colors[entry] = Some(color);
        Ok(())
    }
}
