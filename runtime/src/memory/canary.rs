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
        let near = back.min(reach);
        // SAFETY: passed on.
        if unsafe { is_whole(address - front, address) && is_whole(address + bytes, address + bytes + near) } {
            return None;
        }
        // SAFETY: as above.
        unsafe { span(address, address + bytes, address + bytes + back).or_else(|| span(address, address - front, address)) }
    }
}

/// Does every byte still have its value?
///
/// # Safety
/// The addresses from `start` to `end` are mapped.
#[inline]
unsafe fn is_whole(start: u64, end: u64) -> bool {
    const STEP: u64 = 16;
    if end - start < STEP {
        // SAFETY: as the caller promised.
        return (start..end).all(|at| unsafe { read_volatile(at as *const u8) } == BYTE);
    }
    let last = end - STEP;
    // SAFETY: as the caller promised; no step begins behind `last`.
    let differs = (start..last).step_by(STEP as usize).fold(unsafe { difference(last) }, |all, at| all | unsafe { difference(at) });
    differs == 0
}

/// Bits of 16 bytes that are not those of canaries, folded. Guest code may write there meanwhile: they are read as it would.
///
/// # Safety
/// The bytes are mapped.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
unsafe fn difference(at: u64) -> u64 {
    use std::arch::x86_64::{_mm_cvtsi128_si64, _mm_set1_epi8, _mm_setzero_si128, _mm_unpackhi_epi64, _mm_xor_si128};
    // SAFETY: SSE2 is part of x86-64; the load writes a register.
    unsafe {
        let mut v = _mm_setzero_si128();
        std::arch::asm!("movdqu {v}, xmmword ptr [{at}]", v = inout(xmm_reg) v, at = in(reg) at, options(nostack, readonly, preserves_flags));
        let x = _mm_xor_si128(v, _mm_set1_epi8(BYTE as i8));
        (_mm_cvtsi128_si64(x) | _mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x))) as u64
    }
}

#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
unsafe fn difference(at: u64) -> u64 {
    // SAFETY: as the caller promised.
    (at..at + 16).fold(0, |all, at| all | u64::from(unsafe { read_volatile(at as *const u8) } ^ BYTE))
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
            assert_eq!(canaries.changed(address, 100, 64), None);
            assert_eq!(canaries.changed(address, 100, 301), Some(Changed { offset: 400, bytes: 1 }));
            assert_eq!(canaries.changed(address, 100, u64::MAX), Some(Changed { offset: 400, bytes: 1 }));
        }
    }
}
