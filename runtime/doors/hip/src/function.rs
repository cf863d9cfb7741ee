//! What programs ask about kernels, and tell them.

use crate::abi::{FunctionAttributes, Out, put};
use crate::module;
use crate::register;
use crate::status::{Result, Status, hip};
use std::ffi::{c_char, c_void};
use wavejit::Kernel;
use wavejit::code_object::KernelInfo;

/// Most LDS of a workgroup, in bytes.
pub(crate) const LDS_BYTES: u32 = 64 << 10;

/// Most work-items of a workgroup.
pub(crate) fn max_threads(info: &KernelInfo) -> u32 {
    info.max_group_work_items.unwrap_or(1024).min(1024)
}

fn attributes(kernel: &Kernel) -> FunctionAttributes {
    let info = kernel.info();
    let number = i32::from(info.target.0);
    // Major and minor number of the processor, as one.
    let version = 100 * (number >> 12) + 10 * (number >> 8 & 0xf) + (number >> 4 & 0xf);
    FunctionAttributes {
        binary_version: version,
        cache_mode: 0,
        const_bytes: 0,
        local_bytes: info.scratch_bytes as usize,
        max_dynamic_shared_bytes: LDS_BYTES.saturating_sub(info.lds_bytes) as i32,
        max_threads: max_threads(info) as i32,
        registers: info.vgprs as i32,
        carveout: 0,
        ptx_version: version,
        shared_bytes: info.lds_bytes as usize,
    }
}

/// `hipFunction_attribute`.
fn attribute(kernel: &Kernel, which: i32) -> Result<i32> {
    let all = attributes(kernel);
    Ok(match which {
        0 => all.max_threads,
        1 => all.shared_bytes as i32,
        2 => all.const_bytes as i32,
        3 => all.local_bytes as i32,
        4 => all.registers,
        5 => all.ptx_version,
        6 => all.binary_version,
        7 => all.cache_mode,
        8 => all.max_dynamic_shared_bytes,
        9 => all.carveout,
        _ => return Err(Status::INVALID_VALUE),
    })
}

/// Refuses what is not a kernel; hints about caches change nothing here.
fn check(function: *const c_void) -> Result {
    module::kernel(function).map(|_| ())
}

hip! {
    fn hipFuncGetAttributes(out: Out<FunctionAttributes>, function: *const c_void) {
        put(out, attributes(&module::kernel(function)?))
    }
    fn hipFuncGetAttribute(out: Out<i32>, which: i32, function: *const c_void) {
        put(out, attribute(&module::kernel(function)?, which)?)
    }
    fn hipFuncSetAttribute(function: *const c_void, which: i32, value: i32) {
        let kernel = module::kernel(function)?;
        match which {
            8 if value < 0 || value as u32 > LDS_BYTES.saturating_sub(kernel.info().lds_bytes) => Err(Status::INVALID_VALUE),
            8 | 9 => Ok(()),
            _ => Err(Status::INVALID_VALUE),
        }
    }
    fn hipFuncSetCacheConfig(function: *const c_void, _config: i32) {
        check(function)
    }
    fn hipFuncSetSharedMemConfig(function: *const c_void, _config: i32) {
        check(function)
    }
}

/// `hipKernelNameRef` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipKernelNameRef(function: *const c_void) -> *const c_char {
    // Functions stay for ever, and their names with them.
    module::function(function).map_or(std::ptr::null(), |f| f.name.as_ptr())
}

/// `hipKernelNameRefByPtr` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipKernelNameRefByPtr(stub: *const c_void, _stream: *mut c_void) -> *const c_char {
    match register::function(stub) {
        Ok(function) => function.c_name(),
        Err(_) => std::ptr::null(),
    }
}
