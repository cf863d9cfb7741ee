//! GPU addresses: which pages of which buffer are at which address of the window.
//!
//! Pages of the memory file are mapped at the address itself; where nothing is mapped the window is reserved and cannot be touched. A valid
//! program unmaps what no work uses any longer, so that pages go at once; work that uses them all the same faults. Sparse ranges without a
//! buffer (PRT) read as 0, on hardware always, and here until something is written to them.

use crate::door::Door;
use crate::errno::{Errno, Result, say};
use crate::gem::{Buffer, PAGE};
use crate::node::Node;
use crate::uapi::GemVa;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

/// Flags of a mapping.
mod flag {
    pub(super) const READABLE: u32 = 1 << 1;
    pub(super) const WRITEABLE: u32 = 1 << 2;
    /// Reads as 0 where nothing is: sparse memory.
    pub(super) const PRT: u32 = 1 << 4;
    /// Those, delayed update, executable, a type of caching, not in the last cache.
    pub(super) const KNOWN: u32 = 0x3ff;
}

/// A range of addresses.
struct Mapping {
    bytes: u64,
    /// None: a sparse range without one.
    buffer: Option<Arc<Buffer>>,
    /// In the buffer.
    offset: u64,
    access: i32,
}

impl Mapping {
    fn is_of(&self, buffer: &Arc<Buffer>) -> bool {
        self.buffer.as_ref().is_some_and(|own| Arc::ptr_eq(own, buffer))
    }
}

/// All mappings, by address.
pub(crate) struct AddressMap {
    node: Arc<Node>,
    window: (u64, u64),
    mappings: BTreeMap<u64, Mapping>,
}

impl AddressMap {
    pub(crate) fn new(node: Arc<Node>, window: (u64, u64)) -> AddressMap {
        AddressMap { node, window, mappings: BTreeMap::new() }
    }

    /// Is every byte mapped?
    pub(crate) fn is_mapped(&self, address: u64, bytes: u64) -> bool {
        let mut at = address;
        let Some(end) = address.checked_add(bytes) else { return false };
        while at < end {
            match self.mappings.range(..=at).next_back() {
                Some((start, m)) if at - start < m.bytes => at = start + m.bytes,
                _ => return false,
            }
        }
        true
    }

    /// All ranges that are mapped (address, bytes), and parts of them that may hold something else than zeros.
    pub(crate) fn ranges(&self) -> (Vec<(u64, u64)>, Vec<(u64, u64)>) {
        let all = self.mappings.iter().map(|(address, m)| (*address, m.bytes)).collect();
        let data = self.mappings.iter().flat_map(|(address, m)| {
            let first = m.buffer.as_ref().map_or(0, |b| b.offset + m.offset);
            let parts = m.buffer.as_ref().map_or(vec![], |_| self.node.parts_with_data(first, m.bytes));
            parts.into_iter().map(move |(at, bytes)| (address + (at - first), bytes))
        });
        (all, data.collect())
    }

    /// Unmaps a buffer everywhere.
    pub(crate) fn forget(&mut self, buffer: &Arc<Buffer>) {
        let all: Vec<(u64, u64)> = self.mappings.iter().filter(|(_, m)| m.is_of(buffer)).map(|(a, m)| (*a, m.bytes)).collect();
        for (address, bytes) in all {
            self.clear(address, bytes);
        }
    }

    fn check_range(&self, address: u64, bytes: u64) -> Result {
        let (low, size) = self.window;
        let inside = address >= low && address.checked_add(bytes).is_some_and(|end| end <= low + size);
        if !inside || bytes == 0 || !address.is_multiple_of(PAGE) || !bytes.is_multiple_of(PAGE) {
            return Err(Errno::INVAL);
        }
        Ok(())
    }

    fn map(&mut self, address: u64, mapping: Mapping) -> Result {
        let end = address + mapping.bytes;
        if self.mappings.range(..end).next_back().is_some_and(|(start, m)| start + m.bytes > address) {
            return Err(Errno::INVAL);
        }
        self.put(address, mapping)
    }

    fn put(&mut self, address: u64, mapping: Mapping) -> Result {
        let (flags, fd, offset) = match &mapping.buffer {
            Some(buffer) => (libc::MAP_SHARED, self.node.fd(), buffer.offset + mapping.offset),
            None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0),
        };
        let (at, bytes) = (address as *mut c_void, mapping.bytes as usize);
        // SAFETY: `check_range` saw the range in the window, which is reserved for this; nothing is mapped in it, and the run time knows that
        // pages in it come and go.
        let mapped = unsafe { libc::mmap(at, bytes, mapping.access, flags | libc::MAP_FIXED, fd, offset as libc::off_t) };
        if mapped == libc::MAP_FAILED {
            return Err(Errno::last());
        }
        self.mappings.insert(address, mapping);
        Ok(())
    }

    /// Unmaps all that is in a range, and parts of what reaches into it.
    fn clear(&mut self, address: u64, bytes: u64) {
        let end = address + bytes;
        let touched: Vec<u64> =
            self.mappings.range(..end).rev().take_while(|(start, m)| *start + m.bytes > address).map(|(a, _)| *a).collect();
        for start in touched {
            let Some(old) = self.mappings.remove(&start) else { continue };
            let old_end = start + old.bytes;
            let part = |from: u64, to: u64| Mapping {
                bytes: to - from,
                buffer: old.buffer.clone(),
                offset: old.offset + (from - start),
                access: old.access,
            };
            let (from, to) = (start.max(address), old_end.min(end));
            self.reserve(from, to - from);
            if start < from {
                self.mappings.insert(start, part(start, from));
            }
            if to < old_end {
                self.mappings.insert(to, part(to, old_end));
            }
        }
    }

    /// Makes a range inaccessible.
    fn reserve(&self, address: u64, bytes: u64) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: a range in the window that was ours to map.
        let mapped = unsafe { libc::mmap(address as *mut c_void, bytes as usize, libc::PROT_NONE, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            say(&format!("{bytes:#x} bytes at {address:#x} cannot be unmapped: error {}", Errno::last().0));
        }
    }
}

/// GEM_VA.
pub(crate) fn va(door: &Door, args: &mut GemVa) -> Result {
    const MAP: u32 = 1;
    const UNMAP: u32 = 2;
    const CLEAR: u32 = 3;
    const REPLACE: u32 = 4;
    let GemVa { handle, operation, flags, va_address, offset_in_bo, map_size, .. } = *args;
    if flags & !flag::KNOWN != 0 {
        say(&format!("GEM_VA: flags {flags:#x} are not supported"));
        return Err(Errno::INVAL);
    }
    let mut state = door.lock();
    // The kernel takes whole pages of buffers whose size is not one.
    let bytes = map_size.checked_next_multiple_of(PAGE).ok_or(Errno::INVAL)?;
    state.map.check_range(va_address, bytes)?;
    match operation {
        MAP | REPLACE => {
            let is_sparse = flags & flag::PRT != 0;
            let buffer = if is_sparse { None } else { Some(state.buffers.get(handle)?) };
            let room = buffer.as_ref().map_or(u64::MAX, |b| b.bytes);
            if !offset_in_bo.is_multiple_of(PAGE) || offset_in_bo.checked_add(bytes).is_none_or(|end| end > room) {
                return Err(Errno::INVAL);
            }
            let access = match flags & (flag::READABLE | flag::WRITEABLE) {
                _ if is_sparse => libc::PROT_READ | libc::PROT_WRITE,
                0 => libc::PROT_NONE,
                flag::READABLE => libc::PROT_READ,
                _ => libc::PROT_READ | libc::PROT_WRITE,
            };
            if operation == REPLACE {
                state.map.clear(va_address, bytes);
            }
            state.map.map(va_address, Mapping { bytes, buffer, offset: offset_in_bo, access })
        }
        UNMAP => {
            let mapping = state.map.mappings.get(&va_address).ok_or(Errno::NOENT)?;
            let is_its = match &mapping.buffer {
                Some(_) => mapping.is_of(&state.buffers.get(handle)?),
                None => handle == 0,
            };
            if !is_its {
                return Err(Errno::NOENT);
            }
            let bytes = mapping.bytes;
            state.map.clear(va_address, bytes);
            Ok(())
        }
        CLEAR => {
            state.map.clear(va_address, bytes);
            Ok(())
        }
        _ => Err(Errno::INVAL),
    }
}
