//! Guest memory, as buffer, image and ray instructions see it.

use std::cell::RefCell;

/// An atomic operation on a memory cell: maps the old value to the new one. May be called more than once.
pub type Update<'a> = &'a mut dyn FnMut(u64) -> u64;

/// Memory of the device. All addresses are guest addresses; any value is allowed, and what is not mapped is refused, never touched.
///
/// ```compile_fail
/// use wavejit_texture::memory::{Memory, Update};
/// struct Bogus;
/// impl Memory for Bogus { // not without `unsafe`: vector forms believe what `view` says
///     fn view(&self, _: u64, _: u64) -> Option<*mut u8> { Some(std::ptr::dangling_mut()) }
///     fn read(&self, _: u64, _: &mut [u8]) -> bool { false }
///     fn write(&self, _: u64, _: &[u8]) -> bool { false }
///     fn atomic32(&self, _: u64, _: Update) -> Option<u32> { None }
///     fn atomic64(&self, _: u64, _: Update) -> Option<u64> { None }
/// }
/// ```
///
/// # Safety
/// What [`Memory::view`] returns may be read and written for `bytes` bytes, until the call that the memory was lent to returns, and no Rust
/// reference to these bytes is used meanwhile. Bytes that are not mapped may only be among them if faults are recovered from: the process has a
/// handler for them that looks into the table of [`crate::guarded`].
#[allow(unsafe_code)]
pub unsafe trait Memory {
    /// Host address of `bytes` bytes at `address`, if they are in one piece. Others may write there.
    fn view(&self, address: u64, bytes: u64) -> Option<*mut u8>;

    /// Reads `out.len()` bytes. False, with `out` in any state, if a byte is not mapped.
    fn read(&self, address: u64, out: &mut [u8]) -> bool;

    /// Writes `data`. False if a byte is not mapped; bytes before it may have been written.
    fn write(&self, address: u64, data: &[u8]) -> bool;

    /// Replaces the aligned dword at `address` atomically by `update` of it (low 32 bits); the old value, or `None` if it is not mapped.
    fn atomic32(&self, address: u64, update: Update) -> Option<u32>;

    /// As [`Memory::atomic32`] for an aligned quadword.
    fn atomic64(&self, address: u64, update: Update) -> Option<u64>;

    /// Is the 64 KiB page at `page_64k * 65536` resident? Partially resident resources answer no for the pages they lack (IMG-02, IMG-06).
    fn resident(&self, page_64k: u64) -> bool {
        let _ = page_64k;
        true
    }
}

/// Flat memory: `bytes.len()` bytes from guest address `base`. For tests, tools and uses without a device.
#[derive(Debug)]
pub struct FlatMemory {
    base: u64,
    bytes: RefCell<Vec<u8>>,
    resident: fn(u64) -> bool,
}

impl FlatMemory {
    /// Memory that holds `bytes` at `base`.
    pub fn new(base: u64, bytes: Vec<u8>) -> FlatMemory {
        FlatMemory { base, bytes: RefCell::new(bytes), resident: |_| true }
    }

    /// Memory that holds `words`, little-endian, at `base`.
    pub fn from_words(base: u64, words: &[u32]) -> FlatMemory {
        FlatMemory::new(base, words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }

    /// The same memory, of which only these 64 KiB pages are resident ([`Memory::resident`]).
    pub fn with_residency(self, resident: fn(u64) -> bool) -> FlatMemory {
        FlatMemory { resident, ..self }
    }

    /// What it holds now.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.borrow().clone()
    }

    /// The dword at `address`; panics if that is outside.
    pub fn word(&self, address: u64) -> u32 {
        let mut b = [0; 4];
        assert!(self.read(address, &mut b), "{address:#x} is outside");
        u32::from_le_bytes(b)
    }

    /// Index of the first of `len` bytes at `address`, if all are inside.
    fn at(&self, address: u64, len: usize) -> Option<usize> {
        let at = usize::try_from(address.checked_sub(self.base)?).ok()?;
        (at.checked_add(len)? <= self.bytes.borrow().len()).then_some(at)
    }

    fn update<const N: usize>(&self, address: u64, update: impl FnOnce(&mut [u8; N])) -> Option<()> {
        let at = self.at(address, N)?;
        let mut bytes = self.bytes.borrow_mut();
        update(bytes.get_mut(at..)?.first_chunk_mut()?);
        Some(())
    }
}

// SAFETY: a view is a part of `bytes`, which never grows, and every reference to it ends in the function that made it.
#[allow(unsafe_code)]
unsafe impl Memory for FlatMemory {
    fn view(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let at = self.at(address, usize::try_from(bytes).ok()?)?;
        Some(self.bytes.borrow_mut().as_mut_ptr().wrapping_add(at))
    }

    fn read(&self, address: u64, out: &mut [u8]) -> bool {
        self.at(address, out.len()).map(|at| out.copy_from_slice(&self.bytes.borrow()[at..at + out.len()])).is_some()
    }

    fn write(&self, address: u64, data: &[u8]) -> bool {
        self.at(address, data.len()).map(|at| self.bytes.borrow_mut()[at..at + data.len()].copy_from_slice(data)).is_some()
    }

    fn atomic32(&self, address: u64, update: Update) -> Option<u32> {
        let mut old = 0;
        self.update(address, |b| {
            old = u32::from_le_bytes(*b);
            *b = (update(old.into()) as u32).to_le_bytes();
        })?;
        Some(old)
    }

    fn atomic64(&self, address: u64, update: Update) -> Option<u64> {
        let mut old = 0;
        self.update(address, |b| {
            old = u64::from_le_bytes(*b);
            *b = update(old).to_le_bytes();
        })?;
        Some(old)
    }

    fn resident(&self, page_64k: u64) -> bool {
        (self.resident)(page_64k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_touched() {
        let m = FlatMemory::from_words(0x1000, &[1, 2]);
        assert_eq!(m.word(0x1004), 2);
        assert!(!m.read(0x1005, &mut [0; 4]));
        assert!(!m.read(0xfff, &mut [0; 1]));
        assert!(!m.write(u64::MAX, &[0; 2]));
        assert!(m.view(0x1000, 9).is_none());
        assert_eq!(m.atomic32(0x1008, &mut |_| 0), None);
        assert_eq!(m.atomic64(0x1000, &mut |old| old + 1), Some(2 << 32 | 1));
        assert_eq!(m.word(0x1000), 2);
    }
}
