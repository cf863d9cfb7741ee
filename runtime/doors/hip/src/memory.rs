//! Functions that allocate and free, and that answer questions about pointers.

use crate::abi::{Extent, Out, PitchedPtr, PointerAttributes, put, put_if};
use crate::allocations::{self, Kind, Known};
use crate::gpu;
use crate::raw;
use crate::status::{Result, Status, alias, hip};
use crate::stream;
use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

/// Alignment of rows of pitched memory, in bytes.
pub(crate) const PITCH_ALIGN: usize = 256;
/// Flags that `hipHostMalloc` knows.
const HOST_FLAGS: u32 = 0xe000_007f;

/// `hipMemoryType`, whose numbers changed with release 6.
#[derive(Clone, Copy)]
enum Memory {
    Unregistered,
    Host,
    Device,
    Managed,
}

impl Memory {
    fn number(self) -> i32 {
        let is_old = raw::release() < 6;
        match self {
            Memory::Unregistered => 0,
            Memory::Host => i32::from(!is_old),
            Memory::Device => 1 + i32::from(!is_old),
            Memory::Managed => 3 + i32::from(is_old),
        }
    }
}

/// Allocates for C; nothing for no bytes.
fn allocate(out: Out<*mut c_void>, bytes: usize, kind: Kind, flags: u32) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    let gpu = gpu::current()?;
    let address = if bytes == 0 { 0 } else { allocations::allocate(gpu, bytes, kind, flags)? };
    out.write(address as *mut c_void);
    Ok(())
}

/// Frees after all that the device has to do.
fn free(pointer: *mut c_void, kinds: &[Kind], wrong: Status) -> Result {
    if pointer.is_null() {
        return Ok(());
    }
    let known = allocations::find(pointer as u64).filter(|k| k.address == pointer as u64).ok_or(wrong)?;
    if known.kind != Kind::Graph && !kinds.contains(&known.kind) {
        return Err(wrong);
    }
    // What failed before is for functions that ask for it.
    for stream in stream::all_of(known.gpu) {
        stream.queue.last().wait();
    }
    // Memory of a graph stays until that goes.
    drop(allocations::take(known.address, kinds));
    Ok(())
}

/// Pitched memory: pointer and pitch.
fn allocate_pitched(width: usize, height: usize, depth: usize) -> Result<(*mut c_void, usize)> {
    let gpu = gpu::current()?;
    let pitch = width.checked_next_multiple_of(PITCH_ALIGN).ok_or(Status::INVALID_VALUE)?;
    let bytes = pitch.checked_mul(height).and_then(|n| n.checked_mul(depth)).ok_or(Status::OUT_OF_MEMORY)?;
    let address = if bytes == 0 { 0 } else { allocations::allocate(gpu, bytes, Kind::Device, 0)? };
    Ok((address as *mut c_void, pitch))
}

fn host_malloc(out: Out<*mut c_void>, bytes: usize, flags: u32) -> Result {
    if flags & !HOST_FLAGS != 0 {
        return Err(Status::INVALID_VALUE);
    }
    allocate(out, bytes, Kind::Host, flags)
}

/// What is known of memory that is the host's.
fn host_memory(pointer: *const c_void) -> Result<Known> {
    let known = allocations::find(pointer as u64).ok_or(Status::INVALID_VALUE)?;
    if matches!(known.kind, Kind::Device | Kind::Graph | Kind::Mapped) { Err(Status::INVALID_VALUE) } else { Ok(known) }
}

hip! {
    fn hipMalloc(pointer: Out<*mut c_void>, bytes: usize) {
        allocate(pointer, bytes, Kind::Device, 0)
    }
    fn hipExtMallocWithFlags(pointer: Out<*mut c_void>, bytes: usize, flags: u32) {
        allocate(pointer, bytes, Kind::Device, flags)
    }
    fn hipMallocManaged(pointer: Out<*mut c_void>, bytes: usize, flags: u32) {
        if bytes == 0 || !matches!(flags, 0..=2 | 4) { return Err(Status::INVALID_VALUE); }
        allocate(pointer, bytes, Kind::Managed, flags)
    }
    fn hipHostMalloc(pointer: Out<*mut c_void>, bytes: usize, flags: u32) {
        host_malloc(pointer, bytes, flags)
    }
    fn hipFree(pointer: *mut c_void) {
        gpu::current()?;
        free(pointer, &[Kind::Device, Kind::Managed, Kind::Host], Status::INVALID_VALUE)
    }
    fn hipHostFree(pointer: *mut c_void) {
        free(pointer, &[Kind::Host, Kind::Managed], Status::INVALID_VALUE)
    }
    fn hipMallocPitch(pointer: Out<*mut c_void>, pitch: Out<usize>, width: usize, height: usize) {
        if pointer.is_none() || pitch.is_none() { return Err(Status::INVALID_VALUE); }
        let (address, bytes) = allocate_pitched(width, height, 1)?;
        put(pointer, address)?;
        put(pitch, bytes)
    }
    fn hipMemAllocPitch(pointer: Out<*mut c_void>, pitch: Out<usize>, width: usize, height: usize, element_bytes: u32) {
        if pointer.is_none() || pitch.is_none() || !matches!(element_bytes, 4 | 8 | 16) { return Err(Status::INVALID_VALUE); }
        let (address, bytes) = allocate_pitched(width, height, 1)?;
        put(pointer, address)?;
        put(pitch, bytes)
    }
    fn hipMalloc3D(pitched: Out<PitchedPtr>, extent: Extent) {
        if pitched.is_none() { return Err(Status::INVALID_VALUE); }
        let (ptr, pitch) = allocate_pitched(extent.width, extent.height, extent.depth)?;
        put(pitched, PitchedPtr { ptr, pitch, width: extent.width, height: extent.height })
    }
    fn hipHostRegister(pointer: *mut c_void, bytes: usize, flags: u32) {
        if pointer.is_null() || bytes == 0 { return Err(Status::INVALID_VALUE); }
        allocations::register(gpu::current()?, pointer as u64, bytes as u64, flags)
    }
    fn hipHostUnregister(pointer: *mut c_void) {
        if pointer.is_null() { return Err(Status::INVALID_VALUE); }
        allocations::take(pointer as u64, &[Kind::Registered]).map(|_| ()).ok_or(Status::HOST_MEMORY_NOT_REGISTERED)
    }
    fn hipHostGetDevicePointer(device: Out<*mut c_void>, host: *mut c_void, _flags: u32) {
        host_memory(host)?;
        put(device, host)
    }
    fn hipHostGetFlags(flags: Out<u32>, pointer: *mut c_void) {
        put(flags, host_memory(pointer)?.flags)
    }
    fn hipMemGetInfo(free: Out<usize>, total: Out<usize>) {
        let all = gpu::total_memory();
        let taken = gpu::current()?.allocated.load(Relaxed);
        put_if(free, all.saturating_sub(taken) as usize);
        put_if(total, all as usize);
        Ok(())
    }
    fn hipMemPtrGetInfo(pointer: *mut c_void, bytes: Out<usize>) {
        let known = allocations::find(pointer as u64).ok_or(Status::INVALID_VALUE)?;
        put(bytes, known.bytes as usize)
    }
    fn hipMemGetAddressRange(base: Out<*mut c_void>, bytes: Out<usize>, pointer: *mut c_void) {
        let known = allocations::find(pointer as u64).ok_or(Status::NOT_FOUND)?;
        put_if(base, known.address as *mut c_void);
        put_if(bytes, known.bytes as usize);
        Ok(())
    }
    fn hipPointerGetAttributes(attributes: Out<PointerAttributes>, pointer: *const c_void) {
        let out = attributes.ok_or(Status::INVALID_VALUE)?;
        let this = pointer.cast_mut();
        let Some(known) = allocations::find(pointer as u64) else {
            // From release 6 on this is not an error.
            if pointer.is_null() || raw::release() < 6 { return Err(Status::INVALID_VALUE); }
            let none = std::ptr::null_mut();
            let memory = Memory::Unregistered.number();
            out.write(PointerAttributes { memory, device: -2, device_pointer: none, host_pointer: none, is_managed: 0, flags: 0 });
            return Ok(());
        };
        let (memory, host_pointer) = match known.kind {
            Kind::Device | Kind::Graph | Kind::Mapped => (Memory::Device, std::ptr::null_mut()),
            Kind::Host | Kind::Registered => (Memory::Host, this),
            Kind::Managed => (Memory::Managed, this),
        };
        out.write(PointerAttributes {
            memory: memory.number(),
            device: known.gpu.index as i32,
            device_pointer: this,
            host_pointer,
            is_managed: i32::from(known.kind == Kind::Managed),
            flags: known.flags,
        });
        Ok(())
    }
    fn hipPointerGetAttribute(data: *mut c_void, attribute: i32, pointer: *mut c_void) {
        pointer_attribute(data, attribute, pointer)
    }
    fn hipDrvPointerGetAttributes(count: u32, attributes: *const i32, data: *const *mut c_void, pointer: *mut c_void) {
        let (attributes, data) = (raw::slice(attributes, count as usize)?, raw::slice(data, count as usize)?);
        attributes.iter().zip(data).try_for_each(|(attribute, data)| pointer_attribute(*data, *attribute, pointer))
    }
    fn hipPointerSetAttribute(value: *const c_void, _attribute: i32, pointer: *mut c_void) {
        if value.is_null() { return Err(Status::INVALID_VALUE); }
        allocations::find(pointer as u64).map(|_| ()).ok_or(Status::INVALID_DEVICE_POINTER)
    }
}

alias! {
    hipMallocHost = hipHostMalloc_plain(pointer: Out<*mut c_void>, bytes: usize);
    hipMemAllocHost = hipHostMalloc_plain(pointer: Out<*mut c_void>, bytes: usize);
    hipHostAlloc = hipHostMalloc(pointer: Out<*mut c_void>, bytes: usize, flags: u32);
    hipExtHostAlloc = hipHostMalloc(pointer: Out<*mut c_void>, bytes: usize, flags: u32);
    hipFreeHost = hipHostFree(pointer: *mut c_void);
}

fn hipHostMalloc_plain(pointer: Out<*mut c_void>, bytes: usize) -> Status {
    hipHostMalloc(pointer, bytes, 0)
}

/// Writes a number where C wants one of 4 or 8 bytes.
fn put_bytes(data: *mut c_void, bytes: &[u8]) -> Result {
    if data.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    raw::slice_mut(data.cast::<u8>(), bytes.len())?.copy_from_slice(bytes);
    Ok(())
}

/// `hipPointer_attribute`.
fn pointer_attribute(data: *mut c_void, attribute: i32, pointer: *mut c_void) -> Result {
    let known = allocations::find(pointer as u64).ok_or(Status::INVALID_VALUE)?;
    let memory = match known.kind {
        Kind::Device | Kind::Graph | Kind::Mapped => Memory::Device,
        Kind::Managed => Memory::Managed,
        _ => Memory::Host,
    };
    let word = |n: u64| put_bytes(data, &n.to_le_bytes());
    let half = |n: i32| put_bytes(data, &n.to_le_bytes());
    match attribute {
        1 => word(known.gpu as *const _ as u64), // the context
        2 => half(memory.number()),
        3 => word(pointer as u64),
        4 if known.kind == Kind::Device => Err(Status::INVALID_VALUE), // the host's pointer
        4 => word(pointer as u64),
        6 => half(0),             // synchronous memory operations
        7 => word(known.address), // an id of the allocation
        8 => half(i32::from(known.kind == Kind::Managed)),
        9 => half(known.gpu.index as i32),
        10 => half(0),             // for IPC
        11 => word(known.address), // where it begins
        12 => word(known.bytes),
        13 => half(1), // mapped
        14 => half(0), // handle types
        15 => half(3), // access: read and write
        16 => half(0), // for GPU direct RDMA
        17 => word(0), // pool
        _ => Err(Status::INVALID_VALUE),
    }
}
