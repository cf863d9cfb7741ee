//! Memory of a device, and memory of the host that is registered.

use super::super::{bad, bytes};
use super::call;
use super::device::device;
use super::handles::{Handle, Handles};
use super::structs;
use std::ffi::c_void;
use wavejit::{AddressMode, Buffer, Error};

const PAGE: u64 = 4096;

static BUFFERS: Handles<Buffer> = Handles::new("buffer");
static REGISTRATIONS: Handles<()> = Handles::new("registration");

/// `int32_t wavejit2_buffer_open(wavejit2_device device, uint64_t bytes, wavejit2_buffer *out, uint64_t *address)`
///
/// # Safety
/// `out` and `address` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_buffer_open(handle: Handle, bytes: u64, out: *mut Handle, address: *mut u64) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for both places.
        unsafe {
            structs::place(out)?;
            structs::put(address, 0)?;
        }
        let len = usize::try_from(bytes).map_err(|_| bad(&format!("a buffer of {bytes} bytes")))?;
        let buffer = device(handle)?.device.alloc(len)?;
        let start = buffer.address();
        // SAFETY: as above.
        unsafe {
            structs::put(out, BUFFERS.add(buffer))?;
            structs::put(address, start)?;
        }
        Ok(())
    })
}

/// `int32_t wavejit2_buffer_close(wavejit2_buffer buffer)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_buffer_close(buffer: Handle) -> i32 {
    call(|| {
        BUFFERS.close(buffer)?;
        Ok(())
    })
}

/// `int32_t wavejit2_read(wavejit2_device device, uint64_t address, void *to, size_t bytes)`
///
/// # Safety
/// `to` is null or has `len` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_read(handle: Handle, address: u64, to: *mut c_void, len: usize) -> i32 {
    call(|| {
        let opened = device(handle)?;
        if len == 0 {
            return Ok(());
        }
        if to.is_null() || len > isize::MAX as usize {
            return Err(bad(&format!("{len} bytes to {to:?}")).into());
        }
        // SAFETY: not null and of possible size; the caller vouches for so many writable bytes.
        let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), len) };
        opened.device.memory().read(address, to)?;
        Ok(())
    })
}

/// `int32_t wavejit2_write(wavejit2_device device, uint64_t address, const void *from, size_t bytes)`
///
/// # Safety
/// `from` is null or has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_write(handle: Handle, address: u64, from: *const c_void, len: usize) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for so many readable bytes.
        let from = unsafe { bytes(from, len, "from")? };
        device(handle)?.device.memory().write(address, from)?;
        Ok(())
    })
}

/// `int32_t wavejit2_copy(wavejit2_device device, uint64_t to, uint64_t from, uint64_t bytes)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_copy(handle: Handle, to: u64, from: u64, bytes: u64) -> i32 {
    call(|| {
        device(handle)?.device.memory().copy(to, from, bytes)?;
        Ok(())
    })
}

/// `int32_t wavejit2_fill(wavejit2_device device, uint64_t address, const void *pattern, size_t pattern_bytes, uint64_t count)`
///
/// # Safety
/// `pattern` is null or has `pattern_bytes` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_fill(handle: Handle, address: u64, pattern: *const c_void, pattern_bytes: usize, count: u64) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for so many readable bytes.
        let pattern = unsafe { bytes(pattern, pattern_bytes, "pattern")? };
        device(handle)?.device.memory().fill(address, pattern, count)?;
        Ok(())
    })
}

/// `int32_t wavejit2_memory_register(wavejit2_device device, void *host, uint64_t bytes, wavejit2_registration *out, uint64_t *address)`
///
/// # Safety
/// `out` and `address` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_memory_register(
    handle: Handle,
    host: *mut c_void,
    bytes: u64,
    out: *mut Handle,
    address: *mut u64,
) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for both places.
        unsafe {
            structs::place(out)?;
            structs::put(address, 0)?;
        }
        let opened = device(handle)?;
        let space = opened.device.memory();
        if space.mode() == AddressMode::Isolated {
            let why = "host memory cannot be registered with an isolated device, which sees none: open it without WAVEJIT2_DEVICE_ISOLATED";
            return Err(Error::Unsupported(why.into()).into());
        }
        let start = host as u64;
        let Some(end) = start.checked_add(bytes).filter(|_| start != 0 && bytes != 0) else {
            return Err(bad(&format!("{bytes} bytes at {host:?} cannot be registered")).into());
        };
        // Every page is looked at, so that a range which is not there is an error now and not a fault later.
        let mut at = start;
        while at < end {
            space.read(at, &mut [0])?;
            at = (at & !(PAGE - 1)).saturating_add(PAGE);
        }
        // SAFETY: as above.
        unsafe {
            structs::put(out, REGISTRATIONS.add(()))?;
            structs::put(address, start)?;
        }
        Ok(())
    })
}

/// `int32_t wavejit2_memory_unregister(wavejit2_registration registration)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_memory_unregister(registration: Handle) -> i32 {
    call(|| {
        REGISTRATIONS.close(registration)?;
        Ok(())
    })
}
