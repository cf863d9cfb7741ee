//! Functions of libdrm that find devices, in its place: there is one device, and no other.
//!
//! A device is one piece of memory, which libdrm's own `drmFreeDevice` frees.

use crate::door::{door, door_of};
use crate::info::{DEVICE_ID, PCI_REVISION};
use std::ffi::{CStr, c_char, c_int, c_void};

/// `drmDevice`.
#[repr(C)]
pub struct DrmDevice {
    nodes: *mut *mut c_char,
    available_nodes: c_int,
    bustype: c_int,
    businfo: *mut PciBus,
    deviceinfo: *mut PciDevice,
}

/// `drmPciBusInfo`.
#[repr(C)]
struct PciBus {
    domain: u16,
    bus: u8,
    dev: u8,
    func: u8,
}

/// `drmPciDeviceInfo`.
#[repr(C)]
struct PciDevice {
    vendor: u16,
    device: u16,
    subvendor: u16,
    subdevice: u16,
    revision: u8,
}

const NODES: usize = 3;
const NODE_RENDER: usize = 2;
const BUS_PCI: c_int = 0;
const AMD: u16 = 0x1002;

/// A device and all that it points to.
#[repr(C)]
struct Whole {
    device: DrmDevice,
    nodes: [*mut c_char; NODES],
    bus: PciBus,
    info: PciDevice,
    path: [c_char; 64],
}

/// A new device for the caller to free; null if there is no memory or no device.
fn new_device() -> *mut DrmDevice {
    let Ok(door) = door() else { return std::ptr::null_mut() };
    let path = door.node.path.as_bytes_with_nul();
    // SAFETY: zeros are a value of all fields; what is written fits, and `device` comes first, so that its address is that of the whole.
    unsafe {
        let whole = libc::calloc(1, size_of::<Whole>()).cast::<Whole>();
        if whole.is_null() || path.len() > 64 {
            return std::ptr::null_mut();
        }
        for (to, from) in (*whole).path.iter_mut().zip(path) {
            *to = *from as c_char;
        }
        // Drivers expect a text for each node.
        (*whole).nodes = [(&raw mut (*whole).path).cast(); NODES];
        (*whole).bus = PciBus { domain: 0, bus: 3, dev: 0, func: 0 };
        let device = DEVICE_ID as u16;
        (*whole).info = PciDevice { vendor: AMD, device, subvendor: AMD, subdevice: 0x0e3b, revision: PCI_REVISION as u8 };
        (*whole).device = DrmDevice {
            nodes: (&raw mut (*whole).nodes).cast(),
            available_nodes: 1 << NODE_RENDER,
            bustype: BUS_PCI,
            businfo: &raw mut (*whole).bus,
            deviceinfo: &raw mut (*whole).info,
        };
        whole.cast()
    }
}

/// The function that would have been called without this library.
fn next(name: &CStr) -> *mut c_void {
    // SAFETY: a name with its NUL.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

/// Which devices there are: at most `max` of them, or only how many.
///
/// # Safety
/// As for libdrm's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevices2(_flags: u32, devices: *mut *mut DrmDevice, max: c_int) -> c_int {
    if door().is_err() {
        return 0;
    }
    if devices.is_null() || max < 1 {
        return 1;
    }
    let device = new_device();
    if device.is_null() {
        return -libc::ENOMEM;
    }
    // SAFETY: there is room for one.
    unsafe { *devices = device };
    1
}

/// As `drmGetDevices2`.
///
/// # Safety
/// As for libdrm's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevices(devices: *mut *mut DrmDevice, max: c_int) -> c_int {
    // SAFETY: as said.
    unsafe { drmGetDevices2(0, devices, max) }
}

/// The device of a descriptor.
///
/// # Safety
/// As for libdrm's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevice2(fd: c_int, flags: u32, device: *mut *mut DrmDevice) -> c_int {
    if door_of(fd).is_none() {
        let next = next(c"drmGetDevice2");
        if next.is_null() {
            return -libc::EINVAL;
        }
        // SAFETY: libdrm's function has this signature.
        let next: unsafe extern "C" fn(c_int, u32, *mut *mut DrmDevice) -> c_int = unsafe { std::mem::transmute(next) };
        // SAFETY: as said.
        return unsafe { next(fd, flags, device) };
    }
    let made = new_device();
    if device.is_null() || made.is_null() {
        return -libc::EINVAL;
    }
    // SAFETY: not null.
    unsafe { *device = made };
    0
}

/// As `drmGetDevice2`.
///
/// # Safety
/// As for libdrm's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevice(fd: c_int, device: *mut *mut DrmDevice) -> c_int {
    // SAFETY: as said.
    unsafe { drmGetDevice2(fd, 0, device) }
}

/// What kind of node a descriptor is of: one for rendering.
#[unsafe(no_mangle)]
pub extern "C" fn drmGetNodeTypeFromFd(fd: c_int) -> c_int {
    if door_of(fd).is_some() {
        return NODE_RENDER as c_int;
    }
    let next = next(c"drmGetNodeTypeFromFd");
    if next.is_null() {
        return -1;
    }
    // SAFETY: libdrm's function has this signature.
    let next: extern "C" fn(c_int) -> c_int = unsafe { std::mem::transmute(next) };
    next(fd)
}

/// The path of a descriptor's node, for the caller to free.
fn name(fd: c_int, function: &CStr) -> *mut c_char {
    if let Some(door) = door_of(fd) {
        // SAFETY: a text with its NUL.
        return unsafe { libc::strdup(door.node.path.as_ptr()) };
    }
    let next = next(function);
    if next.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: both functions of libdrm have this signature.
    let next: extern "C" fn(c_int) -> *mut c_char = unsafe { std::mem::transmute(next) };
    next(fd)
}

/// The path of a descriptor's node, by which libdrm tells devices apart.
#[unsafe(no_mangle)]
pub extern "C" fn drmGetPrimaryDeviceNameFromFd(fd: c_int) -> *mut c_char {
    name(fd, c"drmGetPrimaryDeviceNameFromFd")
}

/// The path of a descriptor's node.
#[unsafe(no_mangle)]
pub extern "C" fn drmGetRenderDeviceNameFromFd(fd: c_int) -> *mut c_char {
    name(fd, c"drmGetRenderDeviceNameFromFd")
}
