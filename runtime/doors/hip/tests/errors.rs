//! What goes wrong, and that it is told: each in a process of its own.

mod common;

use amdhip64::abi::Dim3;
use amdhip64::launch;
use amdhip64::launch_config::DrvLaunchConfig;
use amdhip64::status::{Status, hipGetLastError, hipPeekAtLastError};
use amdhip64::{context, copy, device, fill, memory, module, stream};
use common::{BUNDLE, NULL, download, get, ok, saxpy, upload};
use std::ffi::c_void;
use std::process::Command;

/// Runs a test of this file that is ignored otherwise, in another process; its stderr.
fn child(name: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this test is a file"));
    let run = command.args(["--exact", name, "--ignored", "--nocapture"]).envs(variables.iter().copied()).output().expect("it starts");
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{}{text}", String::from_utf8_lossy(&run.stdout));
    text
}

#[test]
fn a_wild_access_is_told_and_lasts() {
    let text = child("child_wild_access", &[]);
    assert!(text.contains("hip_saxpy") && text.contains("0x123456789000 is not mapped"), "{text}");
}

#[test]
fn an_assertion_that_fails_is_told_and_has_its_status() {
    let text = child("child_assertion", &[]);
    assert!(text.contains("check: Assertion `value[i] < limit' failed."), "{text}");
}

#[test]
#[ignore = "run by an_assertion_that_fails_is_told_and_has_its_status"]
fn child_assertion() {
    let code = include_bytes!("../../../../shaders/bin/host_calls.gfx1100.wave32.hsaco");
    let module = get(|out| module::hipModuleLoadData(out, code.as_ptr().cast()));
    let kernel = get(|out| module::hipModuleGetFunction(out, module, c"check".as_ptr()));
    let values = upload(&[0.0; 64]);
    let check = |limit: i32| {
        let args: [*mut c_void; 2] = [(&raw const values).cast_mut().cast(), (&raw const limit).cast_mut().cast()];
        let (grid, block) = (Dim3 { x: 1, y: 1, z: 1 }, Dim3 { x: 64, y: 1, z: 1 });
        let config = DrvLaunchConfig { grid, block, shared_bytes: 0, stream: NULL, attributes: std::ptr::null(), attribute_count: 0 };
        ok(launch::hipDrvLaunchKernelEx(Some(&config), kernel, args.as_ptr(), std::ptr::null()));
        stream::hipStreamSynchronize(NULL)
    };
    ok(check(1));
    assert_eq!(check(0), Status::ASSERT);
    assert_eq!(hipPeekAtLastError(), Status::ASSERT, "it lasts");
}

#[test]
#[ignore = "run by a_wild_access_is_told_and_lasts"]
fn child_wild_access() {
    let y = upload(&[1.0; 128]);
    ok(saxpy(y, 0x1234_5678_9000 as *mut c_void, 1.0, 128, NULL));
    assert_eq!(device::hipDeviceSynchronize(), Status::ILLEGAL_ADDRESS);
    assert_eq!(hipGetLastError(), Status::ILLEGAL_ADDRESS);
    assert_eq!(hipPeekAtLastError(), Status::ILLEGAL_ADDRESS, "it lasts");
    assert_eq!(saxpy(y, y, 1.0, 128, NULL), Status::ILLEGAL_ADDRESS);
    ok(device::hipDeviceReset());
    assert_eq!(hipGetLastError(), Status::ILLEGAL_ADDRESS, "of the refused launch");
    let y = upload(&[1.0; 128]);
    ok(saxpy(y, y, 1.0, 128, NULL));
    assert_eq!(download(y, 128), [3.0; 128]);
    // Freed memory is not there.
    let gone = upload(&[1.0; 128]);
    ok(memory::hipFree(gone));
    ok(saxpy(y, gone, 1.0, 128, NULL));
    assert_eq!(stream::hipStreamSynchronize(NULL), Status::ILLEGAL_ADDRESS);
}

#[test]
fn a_store_beyond_a_buffer_is_told_and_the_program_goes_on() {
    let text = child("child_overrun", &[("TOLD", "1")]);
    assert_eq!(
        text.matches("kernel `hip_saxpy` has written beyond a buffer: 24 bytes from offset 40 on, of the 40 bytes").count(),
        1,
        "{text}"
    );
    let text = child("child_overrun", &[("WAVEJIT_CANARIES", "0")]);
    assert!(!text.contains("beyond"), "{text}");
}

#[test]
#[ignore = "run by a_store_beyond_a_buffer_is_told_and_the_program_goes_on"]
fn child_overrun() {
    let (y, x) = (upload(&[1.0; 10]), upload(&[1.0; 16]));
    for _ in 0..3 {
        ok(saxpy(y, x, 1.0, 16, NULL));
        ok(device::hipDeviceSynchronize());
    }
    assert_eq!(download(y, 10), [4.0; 10]);
}

#[test]
fn what_a_kernel_stores_before_its_fault_is_told_as_its_own() {
    let text = child("child_overrun_and_fault", &[]);
    assert!(text.contains("kernel `hip_saxpy` has written beyond a buffer"), "{text}");
    assert!(!text.contains("the host has written"), "{text}");
}

#[test]
#[ignore = "run by what_a_kernel_stores_before_its_fault_is_told_as_its_own"]
fn child_overrun_and_fault() {
    // Beyond the last page of the first is none.
    let (y, x) = (upload(&[1.0; 10]), upload(&[1.0; 4096]));
    ok(saxpy(y, x, 1.0, 4096, NULL));
    assert_eq!(device::hipDeviceSynchronize(), Status::ILLEGAL_ADDRESS);
    ok(device::hipDeviceReset());
    ok(device::hipDeviceSynchronize());
}

#[test]
fn devices_are_what_a_variable_says() {
    child("child_two_devices", &[("WAVEJIT_DEVICES", "gfx1100, gfx1101")]);
    child("child_second_device", &[("WAVEJIT_DEVICES", "gfx1101,gfx1100"), ("HIP_VISIBLE_DEVICES", "1")]);
    let text = child("child_no_device", &[("WAVEJIT_DEVICES", "gfx1100,fiji")]);
    assert!(text.contains("only gfx11 code runs"), "{text}");
}

#[test]
#[ignore = "run by devices_are_what_a_variable_says"]
fn child_two_devices() {
    assert_eq!(get(|out| device::hipGetDeviceCount(out)), 2);
    assert_eq!(get(|out| device::hipDeviceCanAccessPeer(out, 0, 1)), 1);
    ok(device::hipDeviceEnablePeerAccess(1, 0));
    assert_eq!(device::hipDeviceEnablePeerAccess(1, 0), Status::PEER_ACCESS_ALREADY_ENABLED);
    let here = upload(&[1.0; 128]);
    ok(device::hipSetDevice(1));
    let there = upload(&[5.0; 128]);
    assert_eq!(get(|out| memory::hipPointerGetAttributes(out, there)).device, 1);
    ok(copy::hipMemcpyPeer(there, 1, here, 0, 256));
    assert_eq!(download(there, 128), [[1.0; 64], [5.0; 64]].concat());
    // There is no code for the second one in the bundle.
    assert_eq!(saxpy(there, there, 1.0, 128, NULL), Status::NO_BINARY_FOR_GPU);
    assert_eq!(context::hipCtxPopCurrent(None), Status::INVALID_CONTEXT, "none was pushed");
    ok(device::hipSetDevice(0));
    ok(saxpy(here, here, 1.0, 128, NULL));
    assert_eq!(download(here, 128), [3.0; 128]);
}

#[test]
#[ignore = "run by devices_are_what_a_variable_says"]
fn child_second_device() {
    assert_eq!(get(|out| device::hipGetDeviceCount(out)), 1);
    let p = upload(&[1.0; 128]);
    ok(saxpy(p, p, 1.0, 128, NULL));
    assert_eq!(download(p, 128), [3.0; 128]);
}

#[test]
#[ignore = "run by devices_are_what_a_variable_says"]
fn child_no_device() {
    assert_eq!(device::hipInit(0), Status::NO_DEVICE);
    assert_eq!(common::try_get(|out| device::hipGetDeviceCount(out)), Err(Status::NO_DEVICE));
}

#[test]
fn a_child_of_a_fork_goes_on() {
    child("child_fork", &[]);
}

#[test]
#[ignore = "run by a_child_of_a_fork_goes_on"]
fn child_fork() {
    let p = upload(&[1.0; 128]);
    // The stream is at work when the process forks.
    for _ in 0..1000 {
        ok(saxpy(p, p, 0.0, 128, NULL));
    }
    // SAFETY: the child calls what a child of a process with threads may, and this library, which says that it can.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let p = upload(&[1.0; 128]);
        ok(saxpy(p, p, 1.0, 128, NULL));
        let is_right = download(p, 128) == [3.0; 128];
        // SAFETY: ends the child without what the parent's exit would do.
        unsafe { libc::_exit(i32::from(!is_right)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    assert_eq!(status, 0);
    ok(device::hipDeviceSynchronize());
}

#[test]
fn what_is_not_a_handle_or_an_image_is_an_error() {
    let wild = 0x1000 as *mut c_void;
    assert_eq!(stream::hipStreamSynchronize(wild), Status::INVALID_HANDLE);
    assert_eq!(fill::hipMemset(wild, 0, 4), Status::INVALID_VALUE);
    assert_eq!(module::hipModuleLoadData(None, BUNDLE.as_ptr().cast()), Status::INVALID_VALUE);
    let mut out = std::mem::MaybeUninit::uninit();
    assert_eq!(module::hipModuleLoadData(Some(&mut out), [0u8; 64].as_ptr().cast()), Status::INVALID_IMAGE);
    assert_eq!(module::hipModuleLoad(Some(&mut out), c"/nowhere".as_ptr()), Status::FILE_NOT_FOUND);
    // A bundle that is cut, and one whose table is nonsense.
    let mut cut = BUNDLE[..200].to_vec();
    cut.resize(1 << 16, 0);
    assert_ne!(module::hipModuleLoadData(Some(&mut out), cut.as_ptr().cast()), Status::SUCCESS);
    let mut huge = BUNDLE[..64].to_vec();
    huge[40..48].fill(0xff);
    huge.resize(1 << 16, 0);
    assert_ne!(module::hipModuleLoadData(Some(&mut out), huge.as_ptr().cast()), Status::SUCCESS);
}
