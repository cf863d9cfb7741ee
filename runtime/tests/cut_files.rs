//! Kernels that reach files which have been cut off get errors, whoever has asked for SIGBUS meanwhile. A process of its own, because signal handlers belong
//! to the process.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs::File;
use std::os::fd::AsRawFd;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{CodeLaunch, Device, DeviceConfig, Error, LaunchConfig};
use wavejit_isa::{Gfx, assemble};

/// What a host does with a signal that it does not expect.
extern "C" fn give_up(_signal: i32) {
    std::process::abort();
}

fn take_signals() {
    for signal in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: a handler that never returns.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = give_up as *const () as usize;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Two pages of a file that has one, mapped at `at` or anywhere.
fn cut_pages(at: u64) -> u64 {
    let path = std::env::temp_dir().join(format!("wavejit-cut-{}-{at:x}", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    file.set_len(4096).unwrap();
    let flags = libc::MAP_SHARED | if at == 0 { 0 } else { libc::MAP_FIXED };
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a mapping of its own, in nothing or in a window of the test's.
    let page = unsafe { libc::mmap(at as *mut libc::c_void, 8192, protection, flags, file.as_raw_fd(), 0) };
    assert_ne!(page, libc::MAP_FAILED);
    page as u64
}

/// Stores 7 to `to`, by code at `code`.
fn store(device: &Device, code: (u64, u64), to: u64) -> Result<(), Error> {
    let rsrc = PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 2 << 1, rsrc3: 0 };
    let user_data = [to as u32, (to >> 32) as u32];
    let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry: code.0, rsrc, user_data: &user_data, scratch_bytes: 0 };
    let init = WaveInit::raw(&raw);
    device.run_code(&CodeLaunch { name: "store", code, init, config: LaunchConfig::new([1; 3], [1; 3]) }).map(|_| ())
}

#[test]
fn kernels_that_reach_cut_files_fail() {
    let text = "v_mov_b32 v0, 0
        v_mov_b32 v1, 7
        global_store_b32 v0, v1, s[0:1]
        s_endpgm";
    let bytes = assemble(text, Gfx::GFX1100, 32).unwrap().bytes;
    // SAFETY: its kernels reach what the test has mapped for them.
    let shared = unsafe { Device::shared(DeviceConfig::default()) }.unwrap();
    let code = shared.upload(&bytes).unwrap();
    let code = (code.address(), code.address() + code.len() as u64);
    let start = 0x5a00_0000_0000;
    let window = Device::window(start, 1 << 20, DeviceConfig::default()).unwrap();
    window.memory().commit(start, 4096).unwrap();
    window.memory().write(start, &bytes).unwrap();
    let in_window = (start, start + bytes.len() as u64);
    let isolated = Device::new(DeviceConfig::default()).unwrap();
    let own = isolated.upload(&bytes).unwrap();
    let own = (own.address(), own.address() + own.len() as u64);
    for _ in 0..3 {
        for (device, code, page) in [(&shared, code, cut_pages(0)), (&window, in_window, cut_pages(start + 0x10000))] {
            take_signals();
            store(device, code, page).unwrap();
            let mut dword = [0; 4];
            device.memory().read(page, &mut dword).unwrap();
            assert_eq!(dword, [7, 0, 0, 0]);
            take_signals();
            let error = store(device, code, page + 4096).unwrap_err().to_string();
            assert!(error.contains(&format!("{:#x}", page + 4096)), "{error}");
        }
        take_signals();
        let error = store(&isolated, own, 1 << 40).unwrap_err().to_string();
        assert!(error.contains("0x10000000000"), "{error}");
    }
}
