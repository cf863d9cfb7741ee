//! What a program says about the use of memory (`hipMemAdvise`, `hipMemPrefetchAsync`), which changes nothing here: it is kept, for
//! `hipMemRangeGetAttribute` to give back. What is said of a part of an allocation counts for all of it.

use crate::abi::MemLocation;
use crate::allocations;
use crate::gpu;
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::stream;
use std::ffi::c_void;

/// `hipCpuDeviceId`.
const HOST: i32 = -1;
/// `hipInvalidDeviceId`: nowhere.
const NOWHERE: i32 = -2;

/// What has been said of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    is_read_mostly: bool,
    /// A device, `HOST` or `NOWHERE`.
    preferred: i32,
    /// Bit 0: the host. Bit 1 + n: device n.
    accessed_by: u128,
    /// A device, `HOST` or `NOWHERE`.
    prefetched: i32,
    is_coarse: bool,
}

impl Default for Advice {
    fn default() -> Advice {
        Advice { is_read_mostly: false, preferred: NOWHERE, accessed_by: 0, prefetched: NOWHERE, is_coarse: false }
    }
}

impl Advice {
    /// Takes one of `hipMemoryAdvise`.
    fn take(&mut self, advice: i32, device: i32) -> Result {
        let bit = 1_u128 << (device + 1);
        match advice {
            1 | 2 => self.is_read_mostly = advice == 1,
            3 => self.preferred = device,
            4 => self.preferred = NOWHERE,
            5 => self.accessed_by |= bit,
            6 => self.accessed_by &= !bit,
            100 | 101 => self.is_coarse = advice == 100,
            _ => return Err(Status::INVALID_VALUE),
        }
        Ok(())
    }

    /// Writes one of `hipMemRangeAttribute`: a number, but for the devices that access the memory, of which there are as many as there is room for.
    fn write(&self, attribute: i32, numbers: &mut [i32]) -> Result {
        let one = match attribute {
            1 => i32::from(self.is_read_mostly),
            2 => self.preferred,
            3 => {
                let devices = (HOST..64).filter(|device| self.accessed_by >> (device + 1) & 1 != 0);
                let mut devices = devices.chain(std::iter::repeat(NOWHERE));
                numbers.fill_with(|| devices.next().unwrap_or(NOWHERE));
                return if numbers.is_empty() { Err(Status::INVALID_VALUE) } else { Ok(()) };
            }
            4 => self.prefetched,
            100 => i32::from(self.is_coarse),
            _ => return Err(Status::INVALID_VALUE),
        };
        let [number] = numbers else { return Err(Status::INVALID_VALUE) };
        *number = one;
        Ok(())
    }
}

/// The host or one of the devices.
fn check_place(device: i32) -> Result {
    if device == HOST { Ok(()) } else { gpu::by_number(device).map(|_| ()) }
}

/// A place as functions of the second version have it: a device, or the host or a part of it.
fn place(location: MemLocation) -> i32 {
    if location.kind == 1 { location.id } else { HOST }
}

fn advise(pointer: *const c_void, bytes: usize, advice: i32, device: i32) -> Result {
    check_place(device)?;
    allocations::advise(pointer as u64, bytes as u64, |known| known.take(advice, device))
}

fn prefetch(pointer: *const c_void, bytes: usize, device: i32, stream: *mut c_void) -> Result {
    if pointer.is_null() || bytes == 0 {
        return Err(Status::INVALID_VALUE);
    }
    check_place(device)?;
    stream::get(stream)?;
    allocations::advise(pointer as u64, bytes as u64, |known| {
        known.prefetched = device;
        Ok(())
    })
}

fn range_attribute(data: *mut c_void, data_bytes: usize, attribute: i32, pointer: *const c_void, bytes: usize) -> Result {
    if data.is_null() || bytes == 0 || !data_bytes.is_multiple_of(4) {
        return Err(Status::INVALID_VALUE);
    }
    let known = allocations::check_range(pointer as u64, bytes as u64)?.ok_or(Status::INVALID_VALUE)?;
    known.advice.write(attribute, raw::slice_mut(data.cast::<i32>(), data_bytes / 4)?)
}

hip! {
    fn hipMemAdvise(pointer: *const c_void, bytes: usize, advice: i32, device: i32) {
        advise(pointer, bytes, advice, device)
    }
    fn hipMemAdvise_v2(pointer: *const c_void, bytes: usize, advice: i32, location: MemLocation) {
        advise(pointer, bytes, advice, place(location))
    }
    fn hipMemPrefetchAsync(pointer: *const c_void, bytes: usize, device: i32, stream: *mut c_void) {
        prefetch(pointer, bytes, device, stream)
    }
    fn hipMemPrefetchAsync_v2(pointer: *const c_void, bytes: usize, location: MemLocation, _flags: u32, stream: *mut c_void) {
        prefetch(pointer, bytes, place(location), stream)
    }
    fn hipMemRangeGetAttribute(data: *mut c_void, data_bytes: usize, attribute: i32, pointer: *const c_void, bytes: usize) {
        range_attribute(data, data_bytes, attribute, pointer, bytes)
    }
    fn hipMemRangeGetAttributes(
        data: *const *mut c_void, data_bytes: *const usize, attributes: *const i32, count: usize, pointer: *const c_void, bytes: usize,
    ) {
        if count == 0 { return Err(Status::INVALID_VALUE); }
        let (data, data_bytes) = (raw::slice(data, count)?, raw::slice(data_bytes, count)?);
        let attributes = raw::slice(attributes, count)?;
        (0..count).try_for_each(|i| range_attribute(data[i], data_bytes[i], attributes[i], pointer, bytes))
    }
}
