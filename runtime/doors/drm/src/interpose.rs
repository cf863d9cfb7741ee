//! `ioctl`, in place of the C library's. What is not for the device goes on to the kernel.

use crate::door::door_of;
use crate::errno::{Errno, say};
use crate::ioctls::{DRM, parts, run};
use std::ffi::{c_int, c_ulong, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// ioctl(2). Its third argument is a pointer, or a number in place of one.
///
/// # Safety
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    let door = if parts(request).0 == DRM { door_of(fd) } else { None };
    let Some(door) = door else {
        // SAFETY: the caller's own request.
        return unsafe { libc::syscall(libc::SYS_ioctl, fd, request, argument) } as c_int;
    };
    let result = catch_unwind(AssertUnwindSafe(|| run(door, request, argument as u64))).unwrap_or_else(|_| {
        say("a defect of ours: see above");
        Err(Errno::IO)
    });
    match result {
        Ok(()) => 0,
        Err(e) => e.leave(),
    }
}
