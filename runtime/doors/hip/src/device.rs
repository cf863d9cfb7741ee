//! Functions about devices: which there are, their limits, peers, and waiting for all they have to do.

use crate::abi::{Out, Uuid, put};
use crate::allocations;
use crate::gpu;
use crate::properties::Facts;
use crate::raw;
use crate::status::{Result, Status, alias, hip};
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The release that functions and layouts follow: 6.3, as `HIP_VERSION` writes it.
const VERSION: i32 = 60_342_131;
/// `hipLimit_t`: bytes of a work-item's stack, of printf's buffer, of the heap, as they are at first; and what has none.
pub(crate) const LIMITS: [usize; 4] = [1024, 1 << 20, 8 << 20, 0];
/// Most bytes of a work-item's stack that a program may ask for: what COMPUTE_TMPRING_SIZE can say.
const MOST_STACK_BYTES: usize = (128 << 10) - 16;

fn limit(which: i32) -> Result<&'static AtomicUsize> {
    // As AMD's tests have it: a number of no limit is a wrong value, a negative one an unknown limit.
    let index = usize::try_from(which).map_err(|_| Status::UNSUPPORTED_LIMIT)?;
    gpu::current()?.limits.get(index).ok_or(Status::INVALID_VALUE)
}

/// Notes how L1 cache and LDS are to share (`hipFuncCache_t`), which changes nothing here. What is none of its values is ignored, as AMD's runtime does.
pub(crate) fn set_cache_config(config: i32) -> Result {
    let gpu = gpu::current()?;
    if (0..=3).contains(&config) {
        gpu.cache_config.store(config, Relaxed);
    }
    Ok(())
}

/// The width of banks of LDS (`hipSharedMemConfig`) is what it is.
pub(crate) fn set_bank_width(config: i32) -> Result {
    if (0..=2).contains(&config) { gpu::current().map(|_| ()) } else { Err(Status::INVALID_VALUE) }
}

/// The bit of a peer that memory can be reached of.
fn peer_bit(device: i32) -> Result<u64> {
    let peer = gpu::by_number(device)?;
    if peer.index == gpu::current()?.index { Err(Status::INVALID_DEVICE) } else { Ok(1 << peer.index) }
}

hip! {
    fn hipInit(flags: u32) {
        if flags != 0 { return Err(Status::INVALID_VALUE); }
        gpu::all().map(|_| ())
    }
    fn hipDriverGetVersion(version: Out<i32>) {
        put(version, VERSION)
    }
    fn hipRuntimeGetVersion(version: Out<i32>) {
        put(version, VERSION)
    }
    fn hipGetDeviceCount(count: Out<i32>) {
        let out = count.ok_or(Status::INVALID_VALUE)?;
        let devices = gpu::all()?.len();
        out.write(devices as i32);
        if devices == 0 { Err(Status::NO_DEVICE) } else { Ok(()) }
    }
    fn hipSetDevice(device: i32) {
        gpu::set_current(gpu::by_number(device)?);
        Ok(())
    }
    fn hipSetValidDevices(devices: *const i32, count: i32) {
        let list = raw::slice(devices, usize::try_from(count).map_err(|_| Status::INVALID_VALUE)?)?;
        list.iter().try_for_each(|device| gpu::by_number(*device).map(|_| ()))
    }
    fn hipGetDevice(device: Out<i32>) {
        put(device, gpu::current()?.index as i32)
    }
    fn hipDeviceGet(device: Out<i32>, number: i32) {
        put(device, gpu::by_number(number)?.index as i32)
    }
    fn hipDeviceSynchronize() {
        gpu::current()?.synchronize()
    }
    fn hipDeviceReset() {
        let gpu = gpu::current()?;
        // What failed before is what a reset is for.
        let _ = gpu.synchronize();
        drop(allocations::take_all(gpu));
        gpu.device.free_kernel_memory();
        gpu.reset();
        Ok(())
    }
    fn hipDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) {
        let facts = Facts::of(gpu::by_number(device)?);
        put(major, facts.major)?;
        put(minor, facts.minor)
    }
    fn hipDeviceGetName(name: *mut c_char, len: i32, device: i32) {
        let facts = Facts::of(gpu::by_number(device)?);
        raw::put_text(name, usize::try_from(len).map_err(|_| Status::INVALID_VALUE)?, &facts.name)
    }
    fn hipDeviceGetUuid(uuid: Out<Uuid>, device: i32) {
        put(uuid, Uuid { bytes: Facts::of(gpu::by_number(device)?).uuid })
    }
    fn hipDeviceTotalMem(bytes: Out<usize>, device: i32) {
        gpu::by_number(device)?;
        put(bytes, gpu::total_memory() as usize)
    }
    fn hipDeviceGetPCIBusId(id: *mut c_char, len: i32, device: i32) {
        let facts = Facts::of(gpu::by_number(device)?);
        let len = usize::try_from(len).ok().filter(|n| *n > 0).ok_or(Status::INVALID_VALUE)?;
        let text = format!("0000:{:02x}:00.0", facts.bus);
        raw::put_text(id, len, &text)?;
        // A part of it would name another device, or none.
        if len <= text.len() { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }
    fn hipDeviceGetByPCIBusId(device: Out<i32>, id: *const c_char) {
        let bus = raw::text(id)?.split(':').nth(1).and_then(|bus| i32::from_str_radix(bus, 16).ok());
        let number = bus.ok_or(Status::INVALID_VALUE)? - 1;
        put(device, gpu::by_number(number)?.index as i32)
    }
    fn hipDeviceGetLimit(value: Out<usize>, which: i32) {
        put(value, limit(which)?.load(Relaxed))
    }
    fn hipDeviceSetLimit(which: i32, value: usize) {
        // Stack and heap grow as they must, whatever is said here.
        let limit = limit(which)?;
        let value = match which {
            0 if value > MOST_STACK_BYTES => return Err(Status::INVALID_VALUE),
            0 => value.next_multiple_of(16),
            2 if value as u64 >= gpu::total_memory() => return Err(Status::INVALID_VALUE),
            _ => value,
        };
        limit.store(value, Relaxed);
        Ok(())
    }
    fn hipDeviceGetCacheConfig(config: Out<i32>) {
        put(config, gpu::current()?.cache_config.load(Relaxed))
    }
    fn hipDeviceSetCacheConfig(config: i32) {
        set_cache_config(config)
    }
    fn hipDeviceGetSharedMemConfig(config: Out<i32>) {
        put(config, 1) // banks of four bytes
    }
    fn hipDeviceSetSharedMemConfig(config: i32) {
        set_bank_width(config)
    }
    fn hipGetDeviceFlags(flags: Out<u32>) {
        put(flags, gpu::current()?.flags.load(Relaxed) as u32)
    }
    fn hipSetDeviceFlags(flags: u32) {
        // Ways to wait are as good as each other here.
        if flags & !0x1f != 0 || (flags & 7).count_ones() > 1 { return Err(Status::INVALID_VALUE); }
        gpu::current()?.flags.store(flags.into(), Relaxed);
        Ok(())
    }
    fn hipDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, desc: crate::abi::In<crate::abi::ChannelDesc>, device: i32) {
        crate::abi::given(desc)?;
        gpu::by_number(device)?;
        put(width, i32::MAX as usize)
    }
    fn hipDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        let (device, peer) = (gpu::by_number(device)?, gpu::by_number(peer)?);
        put(can, i32::from(device.index != peer.index))
    }
    fn hipDeviceEnablePeerAccess(device: i32, flags: u32) {
        if flags != 0 { return Err(Status::INVALID_VALUE); }
        let bit = peer_bit(device)?;
        let before = gpu::current()?.peers.fetch_or(bit, Relaxed);
        if before & bit != 0 { Err(Status::PEER_ACCESS_ALREADY_ENABLED) } else { Ok(()) }
    }
    fn hipDeviceDisablePeerAccess(device: i32) {
        let bit = peer_bit(device)?;
        let before = gpu::current()?.peers.fetch_and(!bit, Relaxed);
        if before & bit == 0 { Err(Status::PEER_ACCESS_NOT_ENABLED) } else { Ok(()) }
    }
    fn hipDeviceGetP2PAttribute(value: Out<i32>, attribute: i32, from: i32, to: i32) {
        let (from, to) = (gpu::by_number(from)?, gpu::by_number(to)?);
        if from.index == to.index { return Err(Status::INVALID_DEVICE); }
        let found = match attribute {
            0 => 0,      // performance rank
            1..=3 => 1,  // access, atomics, arrays
            _ => return Err(Status::INVALID_VALUE),
        };
        put(value, found)
    }
    fn hipExtGetLinkTypeAndHopCount(from: i32, to: i32, link: Out<u32>, hops: Out<u32>) {
        let (from, to) = (gpu::by_number(from)?, gpu::by_number(to)?);
        put(link, 4)?; // XGMI
        put(hops, u32::from(from.index != to.index))
    }
    fn hipDeviceGetGraphMemAttribute(device: i32, _attribute: i32, value: Out<u64>) {
        gpu::by_number(device)?;
        put(value, 0)
    }
    fn hipDeviceSetGraphMemAttribute(device: i32, _attribute: i32, value: *const c_void) {
        gpu::by_number(device)?;
        if value.is_null() { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }
    fn hipDeviceGraphMemTrim(device: i32) {
        gpu::by_number(device).map(|_| ())
    }
    fn hipProfilerStart() {
        Ok(())
    }
    fn hipProfilerStop() {
        Ok(())
    }
}

alias! {
    hip_init = hipInit_plain();
}

fn hipInit_plain() -> Status {
    hipInit(0)
}
