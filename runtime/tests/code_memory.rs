//! Memory for host code: many programs take few mappings, and where there is none left code is interpreted. Tests take turns, because the arena is
//! the process's.

use std::sync::Mutex;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Buffer, CodeLaunch, Device, DeviceConfig, Engine, Error, LaunchConfig};
use wavejit_isa::Gfx;
use wavejit_jit::code_memory::{placed_bytes, set_limit_bytes};

static TURN: Mutex<()> = Mutex::new(());

fn device() -> Device {
    Device::new(DeviceConfig { engine: Engine::Jit, threads: 1, ..Default::default() }).unwrap()
}

/// Code that stores `value` to where s[0:1] points; gfx1100, assembled with llvm-mc-19.
fn store(value: u32) -> Vec<u8> {
    let words = [
        0x7e02_02ff, // v_mov_b32_e32 v1, value
        value,
        0x7e04_0280, // v_mov_b32_e32 v2, 0
        0xdc6a_0000, // global_store_b32 v2, v1, s[0:1]
        0x0000_0102,
        0xbfb0_0000, // s_endpgm
    ];
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Runs it, and gives what it stored.
fn run(device: &Device, code: u64, out: &Buffer) -> Result<u32, Error> {
    let raw = RawInit {
        target: Gfx::GFX1100,
        wave_size: 32,
        entry: code,
        rsrc: PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 2 << 1, rsrc3: 0 },
        user_data: &[out.address() as u32, (out.address() >> 32) as u32],
        scratch_bytes: 0,
    };
    device.run_code(&CodeLaunch {
        name: "store",
        code: (code, code + 24),
        init: WaveInit::raw(&raw),
        config: LaunchConfig::new([1; 3], [1; 3]),
    })?;
    let mut bytes = [0; 4];
    out.read(0, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

#[test]
#[cfg(target_os = "linux")]
fn many_compiled_programs_take_few_mappings() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let mappings = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().count();
    let device = device();
    let out = device.alloc(4).unwrap();
    let code = device.upload(&(0..1000).flat_map(store).collect::<Vec<u8>>()).unwrap();
    let mut after_first = 0;
    for i in 0..1000 {
        assert_eq!(run(&device, code.address() + 24 * u64::from(i), &out).unwrap(), i);
        if i == 0 {
            after_first = mappings();
        }
    }
    assert_eq!(device.code_stats().compiled, 1000);
    let after_all = mappings();
    assert!(after_all <= after_first + 20, "{after_first} mappings after the first program, {after_all} after all");
    let bytes = placed_bytes();
    assert!(bytes >= 1000 * 4096, "{bytes}");
    drop((code, out, device));
    assert_eq!(placed_bytes(), 0, "all code goes with its device");
}

#[test]
fn without_memory_for_host_code_code_is_interpreted() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let device = device();
    let out = device.alloc(4).unwrap();
    let code: Vec<Buffer> = (0..6).map(|i| device.upload(&store(i)).unwrap()).collect();
    assert_eq!(run(&device, code[0].address(), &out).unwrap(), 0);
    set_limit_bytes(placed_bytes());
    for i in [1, 2, 1] {
        assert_eq!(run(&device, code[i as usize].address(), &out).unwrap(), i);
    }
    assert_eq!(device.code_stats().compiled, 1);
    // What there was goes on.
    assert_eq!(run(&device, code[0].address(), &out).unwrap(), 0);
    set_limit_bytes(usize::MAX);
    // And with memory there is host code again.
    assert_eq!(run(&device, code[2].address(), &out).unwrap(), 2);
    assert_eq!(device.code_stats().compiled, 2);
}

#[test]
fn a_thread_with_a_stack_of_64_kib_can_launch() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let work = || {
        let device = device();
        let (code, out) = (device.upload(&store(7)).unwrap(), device.alloc(4).unwrap());
        let stored = run(&device, code.address(), &out).unwrap();
        (stored, device.code_stats().compiled)
    };
    let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(work).unwrap();
    assert_eq!(thread.join().unwrap(), (7, 1));
}
