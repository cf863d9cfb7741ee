//! Where Cranelift puts code before it is placed: a [`JITMemoryProvider`] of ordinary memory.
//!
//! All functions of a module are put one behind the other. Calls between them are relative, so the bytes can be moved as one to where they
//! will run ([`crate::code_memory`]). Address ranges are kept for the next module, with a little of their memory.

use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider};
use cranelift_module::ModuleResult;
use std::io;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Most bytes of code of one module.
const RESERVE_BYTES: usize = 64 << 20;
/// Bytes of memory that a kept range may have.
const KEPT_BYTES: usize = 1 << 20;
/// Ranges kept.
const KEPT: usize = 4;

static SPARE: Mutex<Vec<Range>> = Mutex::new(Vec::new());

/// Addresses with memory behind them as far as it is used.
struct Range(usize);

impl Range {
    fn new() -> io::Result<Range> {
        if let Some(range) = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(range);
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, which nothing refers to.
        let start = unsafe { libc::mmap(null_mut(), RESERVE_BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Range(start as usize)) }
    }

    /// Keeps the range for others, of which so many bytes were used.
    fn keep(self, used: usize) {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() >= KEPT {
            return;
        }
        if used > KEPT_BYTES {
            // SAFETY: memory of our own mapping, which nobody uses any more.
            unsafe { libc::madvise((self.0 + KEPT_BYTES) as *mut libc::c_void, RESERVE_BYTES - KEPT_BYTES, libc::MADV_DONTNEED) };
        }
        spare.push(self);
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nobody uses any more.
        unsafe { libc::munmap(self.0 as *mut libc::c_void, RESERVE_BYTES) };
    }
}

/// The memory of one module.
pub(super) struct Staging {
    range: Option<Range>,
    start: usize,
    used: usize,
}

impl Staging {
    pub(super) fn new() -> io::Result<Staging> {
        let range = Range::new()?;
        Ok(Staging { start: range.0, range: Some(range), used: 0 })
    }

    /// Address of its first byte, aligned to pages.
    pub(super) fn start(&self) -> usize {
        self.start
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Some(range) = self.range.take() {
            range.keep(self.used);
        }
    }
}

impl JITMemoryProvider for Staging {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        if !matches!(kind, JITMemoryKind::Executable) {
            return Err(io::Error::other("compiled functions have no data objects"));
        }
        let at = self.used.next_multiple_of(align as usize);
        let end = at.checked_add(size).filter(|end| *end <= RESERVE_BYTES && self.range.is_some());
        self.used = end.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        Ok((self.start + at) as *mut u8)
    }

    unsafe fn free_memory(&mut self) {
        if let Some(range) = self.range.take() {
            range.keep(self.used);
        }
    }

    fn finalize(&mut self, _: BranchProtection) -> ModuleResult<()> {
        Ok(())
    }
}
