//! Every command, by number.
//!
//! The number is matched, and not the whole request: programs of other ages pass longer or shorter structures. What is short is filled up with
//! zeros, and no more is written back than the caller has room for, as the kernel does it.

use crate::door::Door;
use crate::errno::{Errno, Result, say};
use crate::raw::{Plain, read_short, write_short};
use crate::{context, gem, info, share, submit, syncobj, userptr, va, wait};
use std::ffi::c_ulong;

/// The caller's structure.
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    pub address: u64,
    pub bytes: usize,
}

impl Argument {
    /// What a request number and a pointer say.
    pub(crate) fn of(request: c_ulong, address: u64) -> Argument {
        Argument { address, bytes: request as usize >> 16 & 0x3fff }
    }

    /// Changes the structure.
    fn change<T: Plain>(self, act: impl FnOnce(&mut T) -> Result) -> Result {
        let mut value = read_short::<T>(self.address, self.bytes)?;
        act(&mut value)?;
        write_short(self.address, &value, self.bytes)
    }

    /// Reads the structure, and puts what comes out at its beginning.
    fn replace<T: Plain, U: Plain>(self, act: impl FnOnce(&mut T) -> Result<U>) -> Result {
        let mut value = read_short::<T>(self.address, self.bytes)?;
        write_short(self.address, &act(&mut value)?, self.bytes)
    }
}

type Handler = fn(&'static Door, Argument) -> Result;

/// A command: number, name, what it does.
struct Command(u8, &'static str, Handler);

/// By number. Those of amdgpu begin at 0x40.
#[rustfmt::skip]
const COMMANDS: &[Command] = &[
    Command(0x00, "VERSION", |d, a| a.change(|v| info::version(d, v))),
    Command(0x02, "GET_MAGIC", |_, _| Err(Errno::INVAL)),
    Command(0x05, "GET_CLIENT", |_, _| Err(Errno::INVAL)),
    Command(0x09, "GEM_CLOSE", |d, a| a.change(|v| gem::close(d, v))),
    Command(0x0c, "GET_CAP", |d, a| a.change(|v| info::cap(d, v))),
    Command(0x0d, "SET_CLIENT_CAP", |_, _| Err(Errno::INVAL)),
    Command(0x11, "AUTH_MAGIC", |_, _| Err(Errno::INVAL)),
    Command(0x2d, "PRIME_HANDLE_TO_FD", |d, a| a.change(|v| gem::prime(d, v))),
    Command(0x2e, "PRIME_FD_TO_HANDLE", |d, a| a.change(|v| gem::prime(d, v))),
    Command(0x40, "AMDGPU_GEM_CREATE", |d, a| a.change(|v| gem::create(d, v))),
    Command(0x41, "AMDGPU_GEM_MMAP", |d, a| a.change(|v| gem::mmap(d, v))),
    Command(0x42, "AMDGPU_CTX", |d, a| context::ctx(d, &mut read_short(a.address, a.bytes)?, a.address)),
    Command(0x44, "AMDGPU_CS", |d, a| a.replace(|v| submit::cs(d, v))),
    Command(0x45, "AMDGPU_INFO", |d, a| info::info(d, &mut read_short(a.address, a.bytes)?)),
    Command(0x46, "AMDGPU_GEM_METADATA", |d, a| a.change(|v| gem::metadata(d, v))),
    Command(0x47, "AMDGPU_GEM_WAIT_IDLE", |d, a| a.replace(|v| wait::idle(d, v))),
    Command(0x48, "AMDGPU_GEM_VA", |d, a| va::va(d, &mut read_short(a.address, a.bytes)?)),
    Command(0x49, "AMDGPU_WAIT_CS", |d, a| a.replace(|v| wait::cs(d, v))),
    Command(0x50, "AMDGPU_GEM_OP", |d, a| gem::op(d, &mut read_short(a.address, a.bytes)?)),
    Command(0x51, "AMDGPU_GEM_USERPTR", |d, a| a.change(|v| userptr::create(d, v))),
    Command(0x52, "AMDGPU_WAIT_FENCES", |d, a| a.replace(|v| wait::fences(d, v))),
    Command(0x53, "AMDGPU_VM", |d, a| a.change(|v| context::vm(d, v))),
    Command(0x54, "AMDGPU_FENCE_TO_HANDLE", |d, a| a.replace(|v| share::fence_to_handle(d, v))),
    Command(0xbf, "SYNCOBJ_CREATE", |d, a| a.change(|v| syncobj::create(d, v))),
    Command(0xc0, "SYNCOBJ_DESTROY", |d, a| a.change(|v| syncobj::destroy(d, v))),
    Command(0xc1, "SYNCOBJ_HANDLE_TO_FD", |d, a| a.change(|v| share::to_fd(d, v))),
    Command(0xc2, "SYNCOBJ_FD_TO_HANDLE", |d, a| a.change(|v| share::to_handle(d, v))),
    Command(0xc3, "SYNCOBJ_WAIT", |d, a| a.change(|v| syncobj::wait(d, v))),
    Command(0xc4, "SYNCOBJ_RESET", |d, a| a.change(|v| syncobj::reset(d, v))),
    Command(0xc5, "SYNCOBJ_SIGNAL", |d, a| a.change(|v| syncobj::signal(d, v))),
    Command(0xca, "SYNCOBJ_TIMELINE_WAIT", |d, a| a.change(|v| syncobj::timeline_wait(d, v))),
    Command(0xcb, "SYNCOBJ_QUERY", |d, a| a.change(|v| syncobj::query(d, v))),
    Command(0xcc, "SYNCOBJ_TRANSFER", |d, a| a.change(|v| syncobj::transfer(d, v))),
    Command(0xcd, "SYNCOBJ_TIMELINE_SIGNAL", |d, a| a.change(|v| syncobj::timeline_signal(d, v))),
];

/// The type of all requests of DRM.
pub(crate) const DRM: u8 = b'd';

/// The type and the number of a request.
pub(crate) fn parts(request: c_ulong) -> (u8, u8) {
    ((request >> 8) as u8, request as u8)
}

/// Does what a request says.
pub(crate) fn run(door: &'static Door, request: c_ulong, address: u64) -> Result {
    let (_, number) = parts(request);
    match COMMANDS.iter().find(|c| c.0 == number) {
        Some(Command(_, name, handler)) => {
            let result = handler(door, Argument::of(request, address));
            if door.traces {
                let text = result.map_or_else(|e| format!("error {}", e.0), |()| "ok".into());
                say(&format!("{name}: {text}"));
            }
            result
        }
        None => {
            say(&format!("ioctl {number:#x} of the device is not supported"));
            Err(Errno::INVAL)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_in_order_and_there_once() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
