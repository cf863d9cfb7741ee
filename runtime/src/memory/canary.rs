//! Canaries: bytes beside an allocation that nobody has been given, with a value by which a stray store shows.
//!
//! ```text
//! | page ... | front, 64 bytes | the allocation | back, up to the end of its last page | guard page |
//! ```
//!
//! The back is less than a page; the front is there if the first page has room. Stores further off meet a guard page or another allocation.

use std::ptr::{read_volatile, write_volatile};

/// What a byte of a canary is. As an index it leads nowhere, as a float it is small and negative; zeros, which are what is stored most, show.
const BYTE: u8 = 0xb5;
const QWORD: u64 = u64::from_ne_bytes([BYTE; 8]);
/// Bytes of a front.
const FRONT: u64 = 64;

/// The bytes beside one allocation; none of both for one that has no canaries, or whose have been found broken.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Canaries {
    front: u16,
    back: u16,
}

/// Bytes that have changed, relative to the allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Changed {
    /// The first one: negative before the allocation, else its size or more.
    pub offset: i64,
    /// To the last one on the same side, and with it.
    pub bytes: u64,
}

impl Canaries {
    /// Makes them.
    ///
    /// # Safety
    /// `address` is the host address of an allocation of `bytes`, all pages of which, from `first` to `end`, are mapped, and used by nobody
    /// else.
    pub(super) unsafe fn plant(first: u64, address: u64, bytes: u64, end: u64) -> Canaries {
        let front = FRONT.min(address - first);
        let back = end - (address + bytes);
        for at in (address - front..address).chain(address + bytes..end) {
            // SAFETY: between `first` and `end`, and not in the allocation.
            unsafe { write_volatile(at as *mut u8, BYTE) };
        }
        Canaries { front: front as u16, back: back as u16 }
    }

    /// What has changed, on the side behind the allocation or, if that is whole, before it; no further off than `reach` bytes.
    ///
    /// # Safety
    /// They have been made for this allocation, and its pages are still mapped.
    #[inline]
    pub(super) unsafe fn changed(self, address: u64, bytes: u64, reach: u64) -> Option<Changed> {
        let (front, back) = (u64::from(self.front), u64::from(self.back));
        let near = back.min((address + bytes + reach.min(back)).next_multiple_of(8) - (address + bytes));
        // SAFETY: passed on.
        if unsafe { is_whole(address - front, address) && is_whole(address + bytes, address + bytes + near) } {
            return None;
        }
        // SAFETY: as above.
        unsafe { span(address, address + bytes, address + bytes + back).or_else(|| span(address, address - front, address)) }
    }
}

/// Does every byte still have its value? Guest code may write there meanwhile: all reads are volatile.
///
/// # Safety
/// The addresses from `start` to `end` are mapped.
#[inline]
unsafe fn is_whole(start: u64, end: u64) -> bool {
    let aligned = start.next_multiple_of(8).min(end);
    let mut differs = 0;
    for at in start..aligned {
        // SAFETY: as the caller promised.
        differs |= u64::from(unsafe { read_volatile(at as *const u8) } ^ BYTE);
    }
    // Ends of fronts and backs are ends of pages, or starts of allocations.
    for at in (aligned..end).step_by(8) {
        // SAFETY: as the caller promised; `at` is a multiple of 8, and so is `end` if there is any.
        differs |= unsafe { read_volatile(at as *const u64) } ^ QWORD;
    }
    differs == 0
}

/// From the first to the last changed byte between `start` and `end`, relative to `address`.
///
/// # Safety
/// The addresses from `start` to `end` are mapped.
#[cold]
unsafe fn span(address: u64, start: u64, end: u64) -> Option<Changed> {
    // SAFETY: as the caller promised.
    let mut changed = (start..end).filter(|at| unsafe { read_volatile(*at as *const u8) } != BYTE);
    let first = changed.next()?;
    let last = changed.next_back().unwrap_or(first);
    Some(Changed { offset: first.wrapping_sub(address) as i64, bytes: last - first + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(4096))]
    struct Pages([u8; 8192]);

    #[test]
    fn every_byte_beside_an_allocation_is_watched() {
        for bytes in [1, 15, 16, 100, 248, 250, 256] {
            let mut pages = Box::new(Pages([0; 8192]));
            let first = pages.0.as_mut_ptr() as u64;
            let (address, end) = (first + 8192 - 256, first + 8192);
            // SAFETY: all of it is in `pages`, which nobody looks at meanwhile.
            let canaries = unsafe { Canaries::plant(first, address, bytes, end) };
            // SAFETY: as above.
            let changed = || unsafe { canaries.changed(address, bytes, u64::MAX) };
            assert_eq!(changed(), None);
            for at in (address - FRONT..address).chain(address + bytes..end) {
                // SAFETY: as above.
                unsafe { write_volatile(at as *mut u8, 0) };
                assert_eq!(changed(), Some(Changed { offset: at.wrapping_sub(address) as i64, bytes: 1 }), "{bytes}");
                // SAFETY: as above.
                unsafe { write_volatile(at as *mut u8, BYTE) };
            }
            // The allocation itself may have any value.
            for at in address..address + bytes {
                // SAFETY: as above.
                unsafe { write_volatile(at as *mut u8, 0xff) };
            }
            assert_eq!(changed(), None);
        }
    }

    #[test]
    fn what_has_changed_is_told_from_its_first_to_its_last_byte() {
        let mut pages = Box::new(Pages([0; 8192]));
        let first = pages.0.as_mut_ptr() as u64;
        let address = first + 4096;
        // SAFETY: all of it is in `pages`, which nobody looks at meanwhile.
        unsafe {
            let canaries = Canaries::plant(first, address, 16, first + 8192);
            write_volatile((address - 8) as *mut u32, 1);
            assert_eq!(canaries.changed(address, 16, 0), Some(Changed { offset: -8, bytes: 4 }));
            write_volatile((address + 20) as *mut u32, 0);
            write_volatile((address + 40) as *mut u32, 0);
            assert_eq!(canaries.changed(address, 16, 64), Some(Changed { offset: 20, bytes: 24 }));
        }
    }

    #[test]
    fn a_look_goes_no_further_than_it_is_told() {
        let mut pages = Box::new(Pages([0; 8192]));
        let address = pages.0.as_mut_ptr() as u64;
        // SAFETY: all of it is in `pages`, which nobody looks at meanwhile.
        unsafe {
            let canaries = Canaries::plant(address, address, 100, address + 4096);
            write_volatile((address + 400) as *mut u8, 0);
            assert_eq!(canaries.changed(address, 100, 256), None);
            assert_eq!(canaries.changed(address, 100, 301), Some(Changed { offset: 400, bytes: 1 }));
            assert_eq!(canaries.changed(address, 100, u64::MAX), Some(Changed { offset: 400, bytes: 1 }));
        }
    }
}
