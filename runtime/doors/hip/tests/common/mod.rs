//! What the tests share: short names for calls, and a kernel of the program's own.

#![allow(dead_code, unreachable_pub)] // each test uses a part

use amdhip64::abi::{Dim3, Out};
use amdhip64::status::Status;
use amdhip64::{memory, register};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::OnceLock;

/// No stream: the null stream.
pub const NULL: *mut c_void = null_mut();
pub const HOST_TO_DEVICE: i32 = 1;
pub const DEVICE_TO_HOST: i32 = 2;

/// A bundle with `hip_saxpy`, as a program has it in its data.
pub static BUNDLE: &[u8] = include_bytes!("../../../../../shaders/bin/hip_saxpy.hipfb");

/// The result of a function that has one.
pub fn get<T>(call: impl FnOnce(Out<T>) -> Status) -> T {
    let mut place = MaybeUninit::uninit();
    ok(call(Some(&mut place)));
    // SAFETY: the function has succeeded.
    unsafe { place.assume_init() }
}

/// As [`get`], where the call may fail.
pub fn try_get<T: Default>(call: impl FnOnce(Out<T>) -> Status) -> Result<T, Status> {
    let mut place = MaybeUninit::new(T::default());
    match call(Some(&mut place)) {
        // SAFETY: it has a value from the beginning.
        Status::SUCCESS => Ok(unsafe { place.assume_init() }),
        other => Err(other),
    }
}

#[track_caller]
pub fn ok(status: Status) {
    assert_eq!(status, Status::SUCCESS, "{:?}", status.name());
}

/// Device memory with these contents.
pub fn upload(values: &[f32]) -> *mut c_void {
    let bytes = size_of_val(values);
    let p = get(|out| memory::hipMalloc(out, bytes));
    ok(amdhip64::copy::hipMemcpy(p, values.as_ptr().cast(), bytes, HOST_TO_DEVICE));
    p
}

/// So many values of device memory.
pub fn download(p: *mut c_void, count: usize) -> Vec<f32> {
    let mut values = vec![0.0; count];
    ok(amdhip64::copy::hipMemcpy(values.as_mut_ptr().cast(), p, 4 * count, DEVICE_TO_HOST));
    values
}

#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    binary: *const c_void,
    unused: *const c_void,
}

/// What stands for the kernel in the program.
static STUB: u8 = 0;

/// The stub of `hip_saxpy`, registered as start-up code does.
pub fn saxpy_stub() -> *const c_void {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    let stub = (&raw const STUB).cast::<c_void>();
    REGISTERED.get_or_init(|| {
        let binary = BUNDLE.as_ptr().cast();
        let wrapper = Box::leak(Box::new(Wrapper { magic: 0x4849_5046, version: 1, binary, unused: null_mut() }));
        let handle = register::__hipRegisterFatBinary((&raw const *wrapper).cast());
        let name: *const c_char = c"hip_saxpy".as_ptr();
        register::__hipRegisterFunction(handle, stub, name, name, u32::MAX, NULL, NULL, null_mut(), null_mut(), null_mut());
    });
    stub
}

/// `y = a * x + y + x reversed within each workgroup of 128`, launched in a stream.
pub fn saxpy(y: *mut c_void, x: *mut c_void, a: f32, n: i32, stream: *mut c_void) -> Status {
    let args: [*mut c_void; 4] = [
        (&raw const y).cast_mut().cast(),
        (&raw const x).cast_mut().cast(),
        (&raw const a).cast_mut().cast(),
        (&raw const n).cast_mut().cast(),
    ];
    let (grid, block) = (Dim3 { x: n.unsigned_abs().div_ceil(128), y: 1, z: 1 }, Dim3 { x: 128, y: 1, z: 1 });
    amdhip64::launch::hipLaunchKernel(saxpy_stub(), grid, block, args.as_ptr(), 0, stream)
}

/// What [`saxpy`] makes of these, computed here.
pub fn saxpy_expected(y: &[f32], x: &[f32], a: f32) -> Vec<f32> {
    let tile = |i: usize| x.get(i).copied().unwrap_or(0.0);
    (0..y.len()).map(|i| a.mul_add(x[i], y[i] + tile(i / 128 * 128 + 127 - i % 128))).collect()
}
