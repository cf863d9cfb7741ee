//! The indices of a draw: counted, or fetched from memory.

use crate::error::Refusal;
use crate::registers::geometry::GeometryState;
use wavejit::AddressSpace;

/// Indices that are fetched at once.
const BLOCK: u64 = 1 << 14;

/// Where the indices of a draw come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IndexSource {
    /// 0, 1, 2, ...
    Counted,
    /// Memory. Those past the end are 0 (Vulkan, robust buffer access).
    Memory {
        /// Guest address of the first.
        address: u64,
        /// How many there are.
        available: u32,
    },
}

/// Fetches the indices of a draw in order.
pub(crate) struct Indices<'a> {
    memory: &'a AddressSpace,
    source: IndexSource,
    count: u32,
    bytes: u32,
    restart: Option<u32>,
    offset: u32,
    range: (u32, u32),
    block: Vec<u8>,
    /// Number of the first index of `block`.
    first: u64,
}

/// What stands at a place of the index buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Index {
    /// A vertex.
    Vertex(u32),
    /// A strip ends here.
    Restart,
}

impl<'a> Indices<'a> {
    /// The indices of a draw of so many.
    pub(crate) fn new(memory: &'a AddressSpace, state: &GeometryState, source: IndexSource, count: u32) -> Indices<'a> {
        let bytes = state.index_bytes;
        let is_counted = source == IndexSource::Counted;
        let low = if is_counted || state.restart_matches_all { u32::MAX } else { u32::MAX >> (32 - 8 * bytes) };
        Indices {
            memory,
            source,
            count,
            bytes,
            restart: state.restart.filter(|_| !(is_counted && state.restart_needs_indices)).map(|index| index & low),
            offset: state.index_offset,
            range: state.index_range,
            block: Vec::new(),
            first: 0,
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// What stands at a place.
    pub(crate) fn get(&mut self, at: u32) -> Result<Index, Refusal> {
        let raw = match self.source {
            IndexSource::Counted => at,
            IndexSource::Memory { available, .. } if at >= available => 0,
            IndexSource::Memory { address, available } => self.fetch(address, available, at)?,
        };
        if self.restart == Some(raw) {
            return Ok(Index::Restart);
        }
        let (low, high) = self.range;
        Ok(Index::Vertex(raw.wrapping_add(self.offset).max(low).min(high)))
    }

    fn fetch(&mut self, address: u64, available: u32, at: u32) -> Result<u32, Refusal> {
        let bytes = self.bytes as usize;
        let at = u64::from(at);
        let held = (self.block.len() / bytes) as u64;
        if !(self.first..self.first + held).contains(&at) {
            let count = BLOCK.min(u64::from(available.min(self.count)).max(at + 1) - at);
            self.block.resize(count as usize * bytes, 0);
            self.first = at;
            let from = address.wrapping_add(at * u64::from(self.bytes));
            if let Err(e) = self.memory.read(from, &mut self.block) {
                self.block.clear();
                return Err(e.into());
            }
        }
        let from = (at - self.first) as usize * bytes;
        let mut word = [0; 4];
        word[..bytes].copy_from_slice(&self.block[from..][..bytes]);
        Ok(u32::from_le_bytes(word))
    }
}

#[cfg(test)]
impl<'a> Indices<'a> {
    /// So many counted ones.
    pub(crate) fn plain(memory: &'a AddressSpace, count: u32) -> Indices<'a> {
        let range = (0, u32::MAX);
        Indices { memory, source: IndexSource::Counted, count, bytes: 4, restart: None, offset: 0, range, block: Vec::new(), first: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit::{Device, DeviceConfig};

    // Vulkan specification, "Programmable Primitive Shading": 8, 16 and 32 bits; all ones restart; robust access gives 0.
    #[test]
    fn indices_of_all_sizes_restart_and_end() {
        let device = Device::new(DeviceConfig::default()).unwrap();
        let words = device.upload(&[5, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 7, 0, 0, 0]).unwrap();
        let read = |bytes: u32, available: u32| -> Vec<Index> {
            let source = IndexSource::Memory { address: words.address(), available };
            let restart = Some(u32::MAX >> (32 - 8 * bytes));
            let plain = Indices::plain(device.memory(), 4);
            let mut indices = Indices { source, bytes, restart, offset: 10, ..plain };
            (0..4).map(|at| indices.get(at).unwrap()).collect()
        };
        use Index::{Restart, Vertex};
        assert_eq!(read(1, 4), [Vertex(15), Vertex(10), Restart, Restart]);
        assert_eq!(read(2, 4), [Vertex(15), Restart, Restart, Restart]);
        assert_eq!(read(2, 1), [Vertex(15), Vertex(10), Vertex(10), Vertex(10)]);
        assert_eq!(read(4, 3), [Vertex(0xffff_000f), Restart, Vertex(17), Vertex(10)]);
    }
}
