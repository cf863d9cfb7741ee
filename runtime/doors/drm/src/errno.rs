//! Errors as the kernel gives them.

use std::ffi::c_int;

/// A number of errno(3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Errno(pub c_int);

impl Errno {
    pub(crate) const INVAL: Errno = Errno(libc::EINVAL);
    pub(crate) const NOENT: Errno = Errno(libc::ENOENT);
    pub(crate) const NOMEM: Errno = Errno(libc::ENOMEM);
    pub(crate) const FAULT: Errno = Errno(libc::EFAULT);
    pub(crate) const ACCES: Errno = Errno(libc::EACCES);
    pub(crate) const PERM: Errno = Errno(libc::EPERM);
    pub(crate) const TIME: Errno = Errno(libc::ETIME);
    pub(crate) const CANCELED: Errno = Errno(libc::ECANCELED);
    pub(crate) const IO: Errno = Errno(libc::EIO);

    /// What the last call of the C library left.
    pub(crate) fn last() -> Errno {
        Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
    }

    /// Leaves it for the caller of a function of C, which returns -1.
    pub(crate) fn leave(self) -> c_int {
        // SAFETY: the C library's own place for this thread.
        unsafe { *libc::__errno_location() = self.0 };
        -1
    }
}

pub(crate) type Result<T = ()> = std::result::Result<T, Errno>;

/// Tells on standard error what a program could not know from a number.
pub(crate) fn say(text: &str) {
    eprintln!("wavejit: {text}");
}
