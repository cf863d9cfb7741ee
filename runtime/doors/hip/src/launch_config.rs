//! Launches as structures with attributes: what `hipLaunchKernelExC` and `hipDrvLaunchKernelEx` take.

use crate::abi::Dim3;
use crate::raw;
use crate::status::Result;
use std::ffi::c_void;

/// `hipLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct LaunchConfig {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: usize,
    pub stream: *mut c_void,
    pub attributes: *const LaunchAttribute,
    pub attribute_count: u32,
}

/// `HIP_LAUNCH_CONFIG`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct DrvLaunchConfig {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: u32,
    pub stream: *mut c_void,
    pub attributes: *const LaunchAttribute,
    pub attribute_count: u32,
}

/// `hipLaunchAttribute`: a number, and what it says in the first bytes of a block.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct LaunchAttribute {
    pub number: i32,
    pub padding: i32,
    pub value: [i32; 16],
}
const _: () = assert!(size_of::<LaunchConfig>() == 56 && size_of::<DrvLaunchConfig>() == 56 && size_of::<LaunchAttribute>() == 72);

/// `hipLaunchAttributeCooperative`; clusters of more than one workgroup, which no AMD processor of gfx11 has.
const COOPERATIVE: i32 = 2;
const CLUSTER: i32 = 4;

/// Is a launch cooperative? What asks for clusters is refused; everything else is a hint.
pub(crate) fn is_cooperative(attributes: *const LaunchAttribute, count: u32) -> Result<bool> {
    let all = raw::slice(attributes, count as usize)?;
    if all.iter().any(|a| a.number == CLUSTER && a.value[..3].iter().any(|n| *n > 1)) {
        return Err(crate::unsupported::refuse("a launch in clusters of workgroups"));
    }
    Ok(all.iter().any(|a| a.number == COOPERATIVE && a.value[0] != 0))
}
