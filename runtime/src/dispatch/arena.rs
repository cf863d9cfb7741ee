//! Memory for waves: [`Arena`].

use crate::Error;

/// Zeroed memory that grows: row files, LDS, scratch. Page-aligned; pages that are never touched cost nothing.
#[derive(Default)]
pub(crate) struct Arena(Option<memmap2::MmapMut>);

impl Arena {
    /// Has it `bytes` already?
    pub(super) fn holds(&self, bytes: usize) -> bool {
        self.0.as_ref().is_some_and(|m| m.len() >= bytes)
    }

    /// Its start, with room for `bytes`. Contents are lost if it grows.
    pub(super) fn at_least(&mut self, bytes: usize) -> Result<*mut u8, Error> {
        if !self.holds(bytes.max(1)) {
            let bytes = bytes.max(1).next_multiple_of(4096);
            let map = memmap2::MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
            self.0 = Some(map.map_err(|e| Error::OutOfMemory(format!("no {bytes} bytes for waves: {e}")))?);
        }
        Ok(self.0.as_mut().map_or(std::ptr::null_mut(), |m| m.as_mut_ptr()))
    }

    /// Its first `n` bytes; none if it is new. Panics if it holds fewer.
    pub(super) fn bytes(&self, n: usize) -> &[u8] {
        self.0.as_ref().map_or(&[], |m| &m[..n])
    }

    /// As `bytes`.
    pub(super) fn bytes_mut(&mut self, n: usize) -> &mut [u8] {
        self.0.as_mut().map_or(&mut [], |m| &mut m[..n])
    }

    /// Gives everything back if that is more than `bytes`.
    pub(super) fn trim(&mut self, bytes: usize) {
        if self.holds(bytes + 1) {
            self.0 = None;
        }
    }

    /// Makes the first `bytes` zero, as far as it holds them. Large ones are given back to the host, so that pages nobody has touched stay untouched.
    pub(super) fn zero(&mut self, bytes: usize) {
        /// Below this clearing is cheaper than page faults.
        const LARGE: usize = 64 << 10;
        let Some(map) = &mut self.0 else { return };
        let bytes = bytes.min(map.len());
        #[cfg(target_os = "linux")]
        if bytes > LARGE {
            // SAFETY: a private anonymous mapping, which the host fills with zeros anew; `&mut` says that nobody refers to its contents.
            let done = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, 0, bytes.next_multiple_of(4096)) };
            if done.is_ok() {
                return;
            }
        }
        map[..bytes].fill(0);
    }
}
