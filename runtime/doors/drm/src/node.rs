//! The device's node: a memory file, reached by the link of its own descriptor.

use crate::errno::{Errno, Result};
use std::ffi::{CString, c_int};

/// Bytes of the file: addresses of buffers in it. Only what is touched takes memory.
pub(crate) const FILE_BYTES: u64 = 1 << 42;

/// The memory file.
pub(crate) struct Node {
    fd: c_int,
    identity: (u64, u64),
    /// What programs open.
    pub path: CString,
}

impl Node {
    /// Makes the file.
    pub(crate) fn new() -> Result<Node> {
        // SAFETY: a name with its NUL.
        let fd = unsafe { libc::memfd_create(c"wavejit-gpu".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(Errno::last());
        }
        // SAFETY: our own file.
        if unsafe { libc::ftruncate(fd, FILE_BYTES as libc::off_t) } != 0 {
            return Err(Errno::last());
        }
        let path = CString::new(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::INVAL)?;
        Ok(Node { fd, identity: identity(fd).ok_or(Errno::IO)?, path })
    }

    /// Its own descriptor.
    pub(crate) fn fd(&self) -> c_int {
        self.fd
    }

    /// Is this a descriptor of it?
    pub(crate) fn is(&self, fd: c_int) -> bool {
        identity(fd) == Some(self.identity)
    }

    /// Writes to the file.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result {
        // SAFETY: our own file; as many bytes as are said.
        let written = unsafe { libc::pwrite(self.fd, bytes.as_ptr().cast(), bytes.len(), offset as libc::off_t) };
        if usize::try_from(written) == Ok(bytes.len()) { Ok(()) } else { Err(Errno::last()) }
    }

    /// Writes bytes of the program's to the file.
    pub(crate) fn write_from(&self, offset: u64, address: u64, bytes: u64) -> Result {
        let mut done = 0;
        while done < bytes {
            // SAFETY: the kernel reads them, and says so if they are not there.
            let n = unsafe { libc::pwrite(self.fd, (address + done) as *const _, (bytes - done) as usize, (offset + done) as libc::off_t) };
            done += u64::try_from(n).ok().filter(|n| *n != 0).ok_or_else(Errno::last)?;
        }
        Ok(())
    }

    /// Reads the file into memory.
    pub(crate) fn read_to(&self, offset: u64, address: u64, bytes: u64) -> Result {
        let mut done = 0;
        while done < bytes {
            // SAFETY: the caller's memory; the kernel says so if it is not there.
            let n = unsafe { libc::pread(self.fd, (address + done) as *mut _, (bytes - done) as usize, (offset + done) as libc::off_t) };
            done += u64::try_from(n).ok().filter(|n| *n != 0).ok_or_else(Errno::last)?;
        }
        Ok(())
    }

    /// The file's number.
    pub(crate) fn inode(&self) -> u64 {
        self.identity.1
    }

    /// The parts of a range that may hold something else than zeros.
    pub(crate) fn parts_with_data(&self, offset: u64, bytes: u64) -> Vec<(u64, u64)> {
        let end = offset + bytes;
        // SAFETY: our own file, whose position nobody uses.
        let seek = |from: u64, to_what| u64::try_from(unsafe { libc::lseek(self.fd, from as libc::off_t, to_what) }).ok();
        let mut parts = vec![];
        let mut at = offset;
        while let Some(start) = seek(at, libc::SEEK_DATA).filter(|start| *start < end) {
            at = seek(start, libc::SEEK_HOLE).unwrap_or(end).min(end);
            parts.push((start, at - start));
        }
        parts
    }

    /// Gives the memory of a range back; it reads as 0 afterwards.
    pub(crate) fn discard(&self, offset: u64, bytes: u64) {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: our own file; whoever maps the range still finds zeros.
        unsafe { libc::fallocate(self.fd, mode, offset as libc::off_t, bytes as libc::off_t) };
    }
}

/// What tells files apart.
pub(crate) fn identity(fd: c_int) -> Option<(u64, u64)> {
    let mut stat = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: filled in where it says that it did.
    unsafe { (libc::fstat(fd, stat.as_mut_ptr()) == 0).then(|| stat.assume_init()) }.map(|s| (s.st_dev, s.st_ino))
}
