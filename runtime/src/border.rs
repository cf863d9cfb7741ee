//! Border colors of a device: the table whose entries samplers name ([`BorderColor::Table`]).
//!
//! Drivers keep such a table in memory and tell the chip where it is (TA_BC_BASE_ADDR); an entry is four dwords, floats or integers as the
//! image's format has them. Reference: RDNA3 ISA, table of S#, BORDER_COLOR_PTR.

use crate::Device;
use crate::error::Error;
use crate::sampler::BorderColor;

/// Entries: BORDER_COLOR_PTR has 12 bits.
const ENTRIES: u16 = 1 << 12;
const ENTRY_BYTES: usize = 16;

/// The table of a device, made when the first color is.
#[derive(Default)]
pub(crate) struct BorderTable {
    /// Guest address of the table, or 0.
    pub address: u64,
    /// Colors by entry; none: nobody has set it.
    colors: Vec<Option<[u32; 4]>>,
}

impl Device {
    /// A border color of any components, for [`SamplerDesc::border`](crate::SamplerDesc): the entry that holds it, or a new one. An error when all
    /// 4096 are taken; they are never given back.
    pub fn border_color(&self, color: [f32; 4]) -> Result<BorderColor, Error> {
        let bits = color.map(f32::to_bits);
        let mut table = self.borders().lock();
        let known = table.colors.iter().position(|c| *c == Some(bits));
        let entry = known.or_else(|| table.colors.iter().position(Option::is_none)).unwrap_or(table.colors.len());
        let entry = u16::try_from(entry).ok().filter(|e| *e < ENTRIES);
        let entry = entry.ok_or_else(|| Error::Arg(format!("a device has no more than {ENTRIES} border colors")))?;
        self.put_border_color(&mut table, entry, bits)?;
        Ok(BorderColor::Table(entry))
    }

    /// Sets an entry of the table, for code with descriptors of its own and for integer formats. Samplers that name it see it at once.
    pub fn set_border_color(&self, entry: u16, color: [u32; 4]) -> Result<(), Error> {
        if entry >= ENTRIES {
            return Err(Error::Arg(format!("border color {entry}: entries are numbered from 0 to {}", ENTRIES - 1)));
        }
        self.put_border_color(&mut self.borders().lock(), entry, color)
    }

    fn put_border_color(&self, table: &mut BorderTable, entry: u16, color: [u32; 4]) -> Result<(), Error> {
        if table.address == 0 {
            table.address = self.memory().alloc(u64::from(ENTRIES) * ENTRY_BYTES as u64, 0)?;
        }
        let bytes = color.map(u32::to_le_bytes).concat();
        self.memory().write(table.address + u64::from(entry) * ENTRY_BYTES as u64, &bytes)?;
        let entry = usize::from(entry);
        if table.colors.len() <= entry {
            table.colors.resize(entry + 1, None);
        }
        table.colors[entry] = Some(color);
        Ok(())
    }
}
