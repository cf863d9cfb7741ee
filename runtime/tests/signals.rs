//! Faults that are not a kernel's go to the handler the host had, and kernels' faults stay errors meanwhile. A process of its own, because
//! signal handlers belong to the process.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wavejit::{Device, DeviceConfig, Engine};

static SEEN: AtomicUsize = AtomicUsize::new(0);

/// What a garbage collector might do: makes the page accessible and retries.
unsafe extern "C" fn unprotect(_signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    SEEN.fetch_add(1, Relaxed);
    // SAFETY: the test faults on its own pages only.
    unsafe {
        let page = (*info).si_addr() as usize & !4095;
        libc::mprotect(page as *mut libc::c_void, 4096, libc::PROT_READ | libc::PROT_WRITE);
    }
}

fn protected_page() -> *mut u8 {
    // SAFETY: a new mapping.
    unsafe { libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0).cast() }
}

#[test]
fn a_foreign_fault_reaches_the_handler_that_was_there_before() {
    // SAFETY: a handler that follows the rules.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = unprotect as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut());
    }
    // SAFETY: nothing runs on it, and only addresses where the test has nothing are read.
    let device = unsafe { Device::shared(DeviceConfig { engine: Engine::Jit, ..Default::default() }) }.unwrap();
    let space = device.memory();
    for round in 1..4 {
        let page = protected_page();
        // SAFETY: faults, then the handler makes it writable.
        unsafe { page.write_volatile(7) };
        assert_eq!(SEEN.load(Relaxed), round);
        assert!(space.read(8, &mut [0; 4]).is_err());
        // A wild guest access to a page the host would repair is a guest's error all the same.
        assert!(space.read(protected_page() as u64, &mut [0; 4]).is_err());
        assert_eq!(SEEN.load(Relaxed), round);
    }
}
