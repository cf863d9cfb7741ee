//! Addresses and memory apart: ranges of addresses are reserved, memory is created, and mapped where the program wants it.
//!
//! Memory is a file without a name, so that it can be mapped more than once. What is mapped can be accessed once the program says so, by host and
//! devices alike.

use crate::abi::{In, MemAccessDesc, MemLocation, Out, given, put};
use crate::allocations::{self, Kind};
use crate::gpu::{self, Gpu};
use crate::handles::Handles;
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::stream;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use wavejit::fork::Mutex;

/// Sizes are multiples of this; that is how pieces are best cut.
const GRANULARITY: usize = 4096;
const RECOMMENDED: usize = 2 << 20;

/// `hipMemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct AllocationProperties {
    pub kind: i32,
    pub handles: i32,
    pub location: MemLocation,
    pub metadata: *mut c_void,
    pub flags: u32,
}
const _: () = assert!(size_of::<AllocationProperties>() == 32);

/// Memory without an address.
struct Physical {
    gpu: &'static Gpu,
    bytes: usize,
    file: OwnedFd,
    usage: u32,
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.gpu.allocated.fetch_sub(self.bytes as u64, Relaxed);
    }
}

/// Memory at an address.
struct Mapping {
    bytes: usize,
    memory: Arc<Physical>,
    /// `hipMemAccessFlags`: none, read, both.
    access: i32,
}

/// Reserved ranges by their beginning, and what is mapped in them.
#[derive(Default)]
struct Space {
    reserved: BTreeMap<usize, usize>,
    mapped: BTreeMap<usize, Mapping>,
}

static PHYSICAL: Handles<Physical> = Handles::new();
static SPACE: Mutex<Space> = Mutex::new(Space { reserved: BTreeMap::new(), mapped: BTreeMap::new() });

/// Maps nothing, or a file, at an address of ours (or anywhere, for null).
fn map(at: usize, bytes: usize, protection: i32, file: Option<&OwnedFd>) -> Result<usize> {
    let fixed = if at == 0 { 0 } else { libc::MAP_FIXED };
    let flags = fixed | if file.is_some() { libc::MAP_SHARED } else { libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE };
    let descriptor = file.map_or(-1, AsRawFd::as_raw_fd);
    // SAFETY: without an address a new range; with one a part of a range that was reserved here, which nobody else has.
    let found = unsafe { libc::mmap(at as *mut c_void, bytes, protection, flags, descriptor, 0) };
    if found == libc::MAP_FAILED { Err(Status::OUT_OF_MEMORY) } else { Ok(found as usize) }
}

fn unmap(at: usize, bytes: usize) {
    if bytes > 0 {
        // SAFETY: a range that was reserved here.
        unsafe { libc::munmap(at as *mut c_void, bytes) };
    }
}

fn check_size(bytes: usize) -> Result {
    if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) || bytes > isize::MAX as usize / 2 { Err(Status::INVALID_VALUE) } else { Ok(()) }
}

fn reserve(bytes: usize, alignment: usize) -> Result<usize> {
    check_size(bytes)?;
    let alignment = alignment.max(GRANULARITY);
    if !alignment.is_power_of_two() || alignment > 1 << 40 {
        return Err(Status::INVALID_VALUE);
    }
    let all = bytes + alignment - GRANULARITY;
    let start = map(0, all, libc::PROT_NONE, None)?;
    let aligned = start.next_multiple_of(alignment);
    unmap(start, aligned - start);
    unmap(aligned + bytes, start + all - aligned - bytes);
    SPACE.lock().reserved.insert(aligned, bytes);
    Ok(aligned)
}

fn create(bytes: usize, properties: &AllocationProperties) -> Result<Physical> {
    check_size(bytes)?;
    if properties.kind != 1 || properties.location.kind != 1 {
        return Err(Status::INVALID_VALUE);
    }
    let gpu = gpu::by_number(properties.location.id)?;
    gpu::take_memory(gpu, bytes as u64)?;
    // SAFETY: a name; the descriptor is ours.
    let file = unsafe {
        let number = libc::memfd_create(c"wavejit".as_ptr(), libc::MFD_CLOEXEC);
        if number < 0 {
            gpu.allocated.fetch_sub(bytes as u64, Relaxed);
            return Err(Status::OUT_OF_MEMORY);
        }
        OwnedFd::from_raw_fd(number)
    };
    let physical = Physical { gpu, bytes, file, usage: properties.flags };
    // SAFETY: our descriptor.
    if unsafe { libc::ftruncate(physical.file.as_raw_fd(), bytes as i64) } == 0 { Ok(physical) } else { Err(Status::OUT_OF_MEMORY) }
}

fn map_memory(at: usize, bytes: usize, offset: usize, memory: Arc<Physical>) -> Result {
    let mut space = SPACE.lock();
    let end = at.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
    let is_reserved = space.reserved.range(..=at).next_back().is_some_and(|(start, len)| end <= start + len);
    let is_taken = space.mapped.range(..end).next_back().is_some_and(|(start, m)| start + m.bytes > at);
    if offset != 0 || bytes != memory.bytes || !at.is_multiple_of(GRANULARITY) || !is_reserved || is_taken {
        return Err(Status::INVALID_VALUE);
    }
    map(at, bytes, libc::PROT_NONE, Some(&memory.file))?;
    allocations::note(memory.gpu, at as u64, bytes as u64, Kind::Mapped);
    space.mapped.insert(at, Mapping { bytes, memory, access: 0 });
    Ok(())
}

fn unmap_memory(at: usize, bytes: usize) -> Result {
    let gpu = SPACE.lock().mapped.get(&at).filter(|m| m.bytes == bytes).map(|m| m.memory.gpu).ok_or(Status::INVALID_VALUE)?;
    for stream in stream::all_of(gpu) {
        stream.queue.last().wait();
    }
    let mut space = SPACE.lock();
    let gone = space.mapped.remove(&at).ok_or(Status::INVALID_VALUE)?;
    map(at, bytes, libc::PROT_NONE, None)?;
    drop(allocations::take(at as u64, &[Kind::Mapped]));
    drop(gone);
    Ok(())
}

/// Lets a range of mappings be accessed.
fn set_access(at: usize, bytes: usize, access: i32) -> Result {
    let protection = match access {
        0 => libc::PROT_NONE,
        1 => libc::PROT_READ,
        3 => libc::PROT_READ | libc::PROT_WRITE,
        _ => return Err(Status::INVALID_VALUE),
    };
    let end = at.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
    let mut space = SPACE.lock();
    let covered: usize = space.mapped.range(at..end).map(|(_, m)| m.bytes).sum();
    if bytes == 0 || covered != bytes || !space.mapped.contains_key(&at) {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: mappings of ours.
    if unsafe { libc::mprotect(at as *mut c_void, bytes, protection) } != 0 {
        return Err(Status::OUT_OF_MEMORY);
    }
    space.mapped.range_mut(at..end).for_each(|(_, m)| m.access = access);
    Ok(())
}

fn physical(handle: *mut c_void) -> Result<Arc<Physical>> {
    PHYSICAL.get(handle).map_err(|_| Status::INVALID_VALUE)
}

hip! {
    fn hipMemAddressReserve(address: Out<*mut c_void>, bytes: usize, alignment: usize, _wanted: *mut c_void, flags: u64) {
        let out = address.ok_or(Status::INVALID_VALUE)?;
        if flags != 0 { return Err(Status::INVALID_VALUE); }
        out.write(reserve(bytes, alignment)? as *mut c_void);
        Ok(())
    }
    fn hipMemAddressFree(address: *mut c_void, bytes: usize) {
        let (mut space, at) = (SPACE.lock(), address as usize);
        let is_ours = space.reserved.get(&at) == Some(&bytes);
        if !is_ours || space.mapped.range(at..at + bytes).next().is_some() { return Err(Status::INVALID_VALUE); }
        space.reserved.remove(&at);
        unmap(at, bytes);
        Ok(())
    }
    fn hipMemCreate(handle: Out<*mut c_void>, bytes: usize, properties: In<AllocationProperties>, flags: u64) {
        let out = handle.ok_or(Status::INVALID_VALUE)?;
        if flags != 0 { return Err(Status::INVALID_VALUE); }
        out.write(PHYSICAL.add(Arc::new(create(bytes, properties.ok_or(Status::INVALID_VALUE)?)?)));
        Ok(())
    }
    fn hipMemRelease(handle: *mut c_void) {
        // It stays where it is mapped.
        PHYSICAL.remove(handle).map(|_| ()).map_err(|_| Status::INVALID_VALUE)
    }
    fn hipMemMap(address: *mut c_void, bytes: usize, offset: usize, handle: *mut c_void, flags: u64) {
        if flags != 0 { return Err(Status::INVALID_VALUE); }
        map_memory(address as usize, bytes, offset, physical(handle)?)
    }
    fn hipMemUnmap(address: *mut c_void, bytes: usize) {
        unmap_memory(address as usize, bytes)
    }
    fn hipMemSetAccess(address: *mut c_void, bytes: usize, list: *const MemAccessDesc, count: usize) {
        let list = raw::slice(list, count)?;
        list.iter().try_for_each(|d| gpu::by_number(d.location.id).map(|_| ()))?;
        // One set of page tables: what one may do, all may.
        let most = list.iter().map(|d| d.flags).max().ok_or(Status::INVALID_VALUE)?;
        set_access(address as usize, bytes, most)
    }
    fn hipMemGetAccess(flags: Out<u64>, location: In<MemLocation>, address: *mut c_void) {
        gpu::by_number(given(location)?.id)?;
        let space = SPACE.lock();
        let (start, mapping) = space.mapped.range(..=address as usize).next_back().ok_or(Status::INVALID_VALUE)?;
        if start + mapping.bytes <= address as usize { return Err(Status::INVALID_VALUE); }
        put(flags, mapping.access as u64)
    }
    fn hipMemRetainAllocationHandle(handle: Out<*mut c_void>, address: *mut c_void) {
        let space = SPACE.lock();
        let (start, mapping) = space.mapped.range(..=address as usize).next_back().ok_or(Status::INVALID_VALUE)?;
        if start + mapping.bytes <= address as usize { return Err(Status::INVALID_VALUE); }
        put(handle, PHYSICAL.add(mapping.memory.clone()))
    }
    fn hipMemGetAllocationGranularity(bytes: Out<usize>, properties: In<AllocationProperties>, option: i32) {
        let properties = properties.ok_or(Status::INVALID_VALUE)?;
        if properties.kind != 1 || properties.location.kind != 1 || !matches!(option, 0 | 1) { return Err(Status::INVALID_VALUE); }
        gpu::by_number(properties.location.id)?;
        put(bytes, if option == 0 { GRANULARITY } else { RECOMMENDED })
    }
    fn hipMemGetAllocationPropertiesFromHandle(properties: Out<AllocationProperties>, handle: *mut c_void) {
        let memory = physical(handle)?;
        let location = MemLocation { kind: 1, id: memory.gpu.index as i32 };
        put(properties, AllocationProperties { kind: 1, handles: 0, location, metadata: std::ptr::null_mut(), flags: memory.usage })
    }
}
