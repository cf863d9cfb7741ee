//! Memory that is allocated and freed in the order of a stream, and the pools it comes from.
//!
//! Pools keep nothing here: an allocation is there at once, and its memory is freed when the stream comes to that.

use crate::abi::{In, MemAccessDesc, MemLocation, MemPoolProps, Out, given, put};
use crate::allocations::{self, Kind};
use crate::gpu;
use crate::handles::Handles;
use crate::op::Op;
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::stream;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::fork::Mutex;

/// A pool: what a program has set, by attribute.
struct Pool {
    attributes: Mutex<HashMap<i32, u64>>,
}

static POOLS: Handles<Pool> = Handles::new();
/// Each device's default pool, and its current one if that is another.
static OF_DEVICE: Mutex<Vec<[usize; 2]>> = Mutex::new(Vec::new());

/// The pools of a device: default, current.
fn pools_of(device: i32) -> Result<[usize; 2]> {
    let index = gpu::by_number(device)?.index;
    let mut pools = OF_DEVICE.lock();
    while pools.len() <= index {
        let handle = new_pool() as usize;
        pools.push([handle; 2]);
    }
    Ok(pools[index])
}

fn new_pool() -> *mut c_void {
    POOLS.add(Arc::new(Pool { attributes: Mutex::new(HashMap::new()) }))
}

fn allocate(out: Out<*mut c_void>, bytes: usize, stream: *mut c_void) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    let gpu = stream::get(stream)?.gpu()?;
    let address = if bytes == 0 { 0 } else { allocations::allocate(gpu, bytes, Kind::Device, 0)? };
    out.write(address as *mut c_void);
    Ok(())
}

/// Bytes of an attribute's value: the first three are `int`.
fn attribute_bytes(attribute: i32) -> Result<usize> {
    match attribute {
        1..=3 => Ok(4),
        4..=8 => Ok(8),
        _ => Err(Status::INVALID_VALUE),
    }
}

hip! {
    fn hipMallocAsync(pointer: Out<*mut c_void>, bytes: usize, stream: *mut c_void) {
        allocate(pointer, bytes, stream)
    }
    fn hipMallocFromPoolAsync(pointer: Out<*mut c_void>, bytes: usize, pool: *mut c_void, stream: *mut c_void) {
        POOLS.get(pool).map_err(|_| Status::INVALID_VALUE)?;
        allocate(pointer, bytes, stream)
    }
    fn hipFreeAsync(pointer: *mut c_void, stream: *mut c_void) {
        let stream = stream::get(stream)?;
        if pointer.is_null() { return Err(Status::INVALID_VALUE); }
        allocations::find(pointer as u64).filter(|k| k.address == pointer as u64).ok_or(Status::INVALID_VALUE)?;
        stream.push(Op::Free(pointer as u64)).map(|_| ())
    }
    fn hipMemPoolCreate(pool: Out<*mut c_void>, properties: In<MemPoolProps>) {
        let properties = given(properties)?;
        if properties.kind != 1 { return Err(Status::INVALID_VALUE); }
        gpu::by_number(properties.location.id)?;
        put(pool, new_pool())
    }
    fn hipMemPoolDestroy(pool: *mut c_void) {
        if OF_DEVICE.lock().iter().any(|p| p[0] == pool as usize) { return Err(Status::INVALID_VALUE); }
        POOLS.remove(pool).map_err(|_| Status::INVALID_VALUE)?;
        OF_DEVICE.lock().iter_mut().for_each(|p| if p[1] == pool as usize { p[1] = p[0] });
        Ok(())
    }
    fn hipDeviceGetDefaultMemPool(pool: Out<*mut c_void>, device: i32) {
        put(pool, pools_of(device)?[0] as *mut c_void)
    }
    fn hipDeviceGetMemPool(pool: Out<*mut c_void>, device: i32) {
        put(pool, pools_of(device)?[1] as *mut c_void)
    }
    fn hipDeviceSetMemPool(device: i32, pool: *mut c_void) {
        POOLS.get(pool).map_err(|_| Status::INVALID_VALUE)?;
        pools_of(device)?;
        OF_DEVICE.lock()[gpu::by_number(device)?.index][1] = pool as usize;
        Ok(())
    }
    fn hipMemPoolTrimTo(pool: *mut c_void, _bytes: usize) {
        POOLS.get(pool).map(|_| ()).map_err(|_| Status::INVALID_VALUE)
    }
    fn hipMemPoolSetAttribute(pool: *mut c_void, attribute: i32, value: *const u8) {
        let pool = POOLS.get(pool).map_err(|_| Status::INVALID_VALUE)?;
        let given = raw::slice(value, attribute_bytes(attribute)?)?;
        let mut bytes = [0; 8];
        bytes[..given.len()].copy_from_slice(given);
        pool.attributes.lock().insert(attribute, u64::from_le_bytes(bytes));
        Ok(())
    }
    fn hipMemPoolGetAttribute(pool: *mut c_void, attribute: i32, value: *mut u8) {
        let pool = POOLS.get(pool).map_err(|_| Status::INVALID_VALUE)?;
        let place = raw::slice_mut(value, attribute_bytes(attribute)?)?;
        // What may be reused is on, unless it was set otherwise; there are no bytes in a pool.
        let found = pool.attributes.lock().get(&attribute).copied().unwrap_or(u64::from(attribute <= 3));
        let len = place.len();
        place.copy_from_slice(&found.to_le_bytes()[..len]);
        Ok(())
    }
    fn hipMemPoolSetAccess(pool: *mut c_void, list: *const MemAccessDesc, count: usize) {
        POOLS.get(pool).map_err(|_| Status::INVALID_VALUE)?;
        raw::slice(list, count)?.iter().try_for_each(|d| gpu::by_number(d.location.id).map(|_| ()))
    }
    fn hipMemPoolGetAccess(flags: Out<i32>, pool: *mut c_void, location: In<MemLocation>) {
        POOLS.get(pool).map_err(|_| Status::INVALID_VALUE)?;
        gpu::by_number(given(location)?.id)?;
        put(flags, 3) // read and write
    }
}
