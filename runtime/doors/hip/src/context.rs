//! Contexts: a handle for a device, of which each has one. The header keeps them for programs of old.

use crate::abi::{Out, put, put_if};
use crate::device;
use crate::gpu::{self, Gpu};
use crate::status::{Result, Status, hip};
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

thread_local! {
    /// Devices that were current before, by number.
    static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

fn handle(gpu: &'static Gpu) -> *mut c_void {
    std::ptr::from_ref(gpu).cast_mut().cast()
}

fn get(context: *mut c_void) -> Result<&'static Gpu> {
    gpu::all()?.iter().find(|gpu| handle(gpu) == context).ok_or(Status::INVALID_CONTEXT)
}

fn push(gpu: &'static Gpu) -> Result {
    let before = gpu::current()?.index;
    let _ = STACK.try_with(|stack| stack.borrow_mut().push(before));
    gpu::set_current(gpu);
    Ok(())
}

hip! {
    fn hipCtxCreate(context: Out<*mut c_void>, _flags: u32, device: i32) {
        let gpu = gpu::by_number(device)?;
        put(context, handle(gpu))?;
        push(gpu)
    }
    fn hipCtxDestroy(context: *mut c_void) {
        get(context).map(|_| ())
    }
    fn hipCtxPushCurrent(context: *mut c_void) {
        push(get(context)?)
    }
    fn hipCtxPopCurrent(context: Out<*mut c_void>) {
        put_if(context, handle(gpu::current()?));
        let before = STACK.try_with(|stack| stack.borrow_mut().pop()).ok().flatten().ok_or(Status::INVALID_CONTEXT)?;
        gpu::set_current(&gpu::all()?[before]);
        Ok(())
    }
    fn hipCtxSetCurrent(context: *mut c_void) {
        if !context.is_null() { gpu::set_current(get(context)?); }
        Ok(())
    }
    fn hipCtxGetCurrent(context: Out<*mut c_void>) {
        put(context, handle(gpu::current()?))
    }
    fn hipCtxGetDevice(device: Out<i32>) {
        put(device, gpu::current()?.index as i32)
    }
    fn hipCtxGetApiVersion(context: *mut c_void, version: Out<u32>) {
        get(context)?;
        put(version, 4)
    }
    fn hipCtxGetCacheConfig(config: Out<i32>) {
        put(config, gpu::current()?.cache_config.load(Relaxed))
    }
    fn hipCtxSetCacheConfig(config: i32) {
        device::set_cache_config(config)
    }
    fn hipCtxGetSharedMemConfig(config: Out<i32>) {
        put(config, 1)
    }
    fn hipCtxSetSharedMemConfig(config: i32) {
        device::set_bank_width(config)
    }
    fn hipCtxSynchronize() {
        gpu::current()?.synchronize()
    }
    fn hipCtxGetFlags(flags: Out<u32>) {
        put(flags, 0)
    }
    fn hipCtxEnablePeerAccess(context: *mut c_void, flags: u32) {
        let status = crate::device::hipDeviceEnablePeerAccess(get(context)?.index as i32, flags);
        if status == Status::SUCCESS { Ok(()) } else { Err(status) }
    }
    fn hipCtxDisablePeerAccess(context: *mut c_void) {
        let status = crate::device::hipDeviceDisablePeerAccess(get(context)?.index as i32);
        if status == Status::SUCCESS { Ok(()) } else { Err(status) }
    }
    fn hipDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, is_active: Out<i32>) {
        gpu::by_number(device)?;
        put_if(flags, 0);
        put_if(is_active, 1);
        Ok(())
    }
    fn hipDevicePrimaryCtxRetain(context: Out<*mut c_void>, device: i32) {
        put(context, handle(gpu::by_number(device)?))
    }
    fn hipDevicePrimaryCtxRelease(device: i32) {
        gpu::by_number(device).map(|_| ())
    }
    fn hipDevicePrimaryCtxReset(device: i32) {
        gpu::by_number(device).map(|_| ())
    }
    fn hipDevicePrimaryCtxSetFlags(device: i32, _flags: u32) {
        gpu::by_number(device).map(|_| ())
    }
}
