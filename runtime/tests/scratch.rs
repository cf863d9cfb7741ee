//! Scratch: sizes no chip has are refused by name through every door, what is in range works and nothing beyond it, and what waves hold is
//! bounded and never filled before it is touched.

use wavejit::code_object::PgmRsrc;
use wavejit::step::Hook;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Action, Arg, Cause, CodeLaunch, Device, DeviceConfig, DispatchStats, Engine, Error, Launch, LaunchConfig, Step};
use wavejit_isa::{Gfx, assemble};

const ENGINES: [Engine; 3] = [Engine::Interp, Engine::Jit, Engine::Tiered];

/// The most a work-item of a wave32 of gfx11 can have: 0x7fff * 256 / 32.
const MOST: u32 = 262_136;

fn device(engine: Engine) -> Device {
    Device::new(DeviceConfig { engine, threads: 1, ..Default::default() }).unwrap()
}

struct Run<'a> {
    text: &'a str,
    scratch_bytes: u32,
    grid: u32,
    group: u32,
    wave_size: u32,
    user: &'a [u32],
    hook: Option<Hook<'a>>,
}

/// One wave32; s[0:3] are user SGPRs, s4 is the workgroup id.
fn wave<'a>(text: &'a str, scratch_bytes: u32, user: &'a [u32]) -> Run<'a> {
    Run { text, scratch_bytes, grid: 32, group: 32, wave_size: 32, user, hook: None }
}

fn run(device: &Device, run: &Run) -> Result<DispatchStats, Error> {
    let code = assemble(run.text, Gfx::GFX1100, run.wave_size).unwrap_or_else(|e| panic!("{e:?}"));
    let code = device.upload(&code.bytes)?;
    let raw = RawInit {
        target: Gfx::GFX1100,
        wave_size: run.wave_size,
        entry: code.address(),
        rsrc: PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 4 << 1 | 1 << 7, rsrc3: 0 },
        user_data: run.user,
        scratch_bytes: run.scratch_bytes,
    };
    device.run_code(&CodeLaunch {
        name: "test",
        code: (code.address(), code.address() + code.len() as u64),
        init: WaveInit::raw(&raw),
        config: LaunchConfig { hook: run.hook, ..LaunchConfig::new([run.grid, 1, 1], [run.group, 1, 1]) },
    })
}

/// Loads and stores at the offset in s0, through scratch instructions and through flat addresses.
const WILD: [&str; 4] = [
    "v_mov_b32 v2, s0
    scratch_load_b32 v3, v2, off
    s_endpgm",
    "v_mov_b32 v2, s0
    scratch_store_b32 v2, v2, off
    s_endpgm",
    "s_mov_b64 s[4:5], src_private_base
    v_mov_b32 v2, s0
    v_mov_b32 v3, s5
    flat_store_b32 v[2:3], v2
    s_endpgm",
    "s_mov_b64 s[4:5], src_private_base
    v_mov_b32 v2, s0
    v_mov_b32 v3, s5
    flat_atomic_add_u32 v[2:3], v2
    s_endpgm",
];

#[test]
fn sizes_that_wrap_or_that_no_chip_has_are_refused_by_name() {
    for engine in ENGINES {
        let device = device(engine);
        for bytes in [u32::MAX, u32::MAX - 1, u32::MAX - 2, u32::MAX - 3, 1 << 31, 0x7fff_fffc, MOST + 1] {
            for text in WILD {
                let result = run(&device, &wave(text, bytes, &[0x1000_0000, 0, 0, 0]));
                let Err(Error::Arg(message)) = result else { panic!("{bytes:#x} bytes, {text}: {result:?}") };
                for word in ["`test`", &bytes.to_string(), &MOST.to_string(), "gfx1100", "COMPUTE_TMPRING_SIZE"] {
                    assert!(message.contains(word), "no {word} in: {message}");
                }
            }
        }
        // A wave64 shares the same among twice as many.
        let wide = Run { wave_size: 64, ..wave("s_endpgm", MOST, &[0; 4]) };
        assert!(matches!(run(&device, &wide), Err(Error::Arg(_))));
        let wide = Run { wave_size: 64, ..wave("s_endpgm", MOST / 2, &[0; 4]) };
        run(&device, &wide).unwrap();
    }
}

#[test]
fn a_kernel_whose_descriptor_asks_for_too_much_is_not_launched() {
    let file = include_bytes!("../../shaders/bin/triad.gfx1100.wave32.hsaco");
    let device = device(Engine::Jit);
    let good = device.load(file).unwrap();
    // The first segment starts at the file's beginning.
    let at = good.kernel("triad").unwrap().info().descriptor_address as usize;
    for bytes in [u32::MAX, u32::MAX - 2, MOST + 1] {
        let mut bad = file.to_vec();
        bad[at + 4..at + 8].copy_from_slice(&bytes.to_le_bytes()); // private_segment_fixed_size
        let kernel = device.load(&bad).unwrap().kernel("triad").unwrap();
        assert_eq!(kernel.info().scratch_bytes, bytes);
        let p = device.alloc(256).unwrap();
        let args = [Arg::Buffer(&p), Arg::Buffer(&p), Arg::Buffer(&p), Arg::F32(1.0), Arg::U32(4)];
        let result = kernel.launch(&Launch::new([4, 1, 1], [4, 1, 1], &args));
        let Err(Error::Arg(message)) = result else { panic!("{result:?}") };
        assert!(message.contains("triad") && message.contains(&bytes.to_string()) && message.contains("scratch"), "{message}");
    }
}

#[test]
fn every_byte_in_range_works_and_the_next_one_is_a_fault_that_names_it() {
    for engine in ENGINES {
        let device = device(engine);
        // Sizes are whole dwords: 5 bytes are 8.
        for (bytes, size) in [(4, 4), (5, 8), (8, 8), (4096, 4096), (MOST - 3, MOST), (MOST, MOST)] {
            for text in WILD {
                run(&device, &wave(text, bytes, &[size - 4, 0, 0, 0])).unwrap();
                for beyond in [size, !3, 0x8000_0000] {
                    let result = run(&device, &wave(text, bytes, &[beyond, 0, 0, 0]));
                    let Err(Error::Fault(fault)) = result else { panic!("{bytes} bytes, {beyond:#x}, {text}: {result:?}") };
                    assert_eq!((&fault.cause, fault.address), (&Cause::OutOfScratch { lane_bytes: size }, Some(beyond.into())));
                    let message = fault.to_string();
                    assert!(message.contains(&format!("{beyond:#x}")) && message.contains(&format!("{size} bytes")), "{message}");
                }
            }
        }
    }
}

/// Each lane stores its number at an offset of its own (s2 bytes apart, s3 on), loads it back and adds 1 to it; bytes, halfwords and wide
/// elements too.
const SPREAD: &str = "
    v_lshlrev_b32 v1, 2, v0
    v_mul_lo_u32 v2, v0, s2
    v_add_nc_u32 v2, s3, v2
    v_add_nc_u32 v3, 100, v0
    v_mov_b32 v4, 7
    v_mov_b32 v5, 8
    v_mov_b32 v6, 9
    scratch_store_b128 v2, v[3:6], off
    scratch_store_b8 v2, v4, off offset:5
    scratch_store_b16 v2, v5, off offset:8
    s_waitcnt_vscnt null, 0
    scratch_load_b96 v[7:9], v2, off
    scratch_load_u8 v10, v2, off offset:12
    s_waitcnt vmcnt(0)
    v_lshl_add_u32 v7, v8, 8, v7
    v_lshl_add_u32 v7, v9, 20, v7
    v_lshl_add_u32 v7, v10, 24, v7
    global_store_b32 v1, v7, s[0:1]
    s_endpgm";

#[test]
fn elements_of_all_sizes_keep_their_bytes_at_any_offset() {
    for engine in ENGINES {
        let device = device(engine);
        let out = device.alloc(4 * 64).unwrap();
        for wave_size in [32, 64] {
            for (step, start) in [(0, 0), (0, 4), (0, 3), (4, 0), (16, 1), (20, 12)] {
                let user = [out.address() as u32, (out.address() >> 32) as u32, step, start];
                let spread = Run { wave_size, grid: 61, group: 61, ..wave(SPREAD, 63 * 20 + 32, &user) };
                run(&device, &spread).unwrap();
                let bytes = out.to_vec().unwrap();
                for lane in 0..61 {
                    let value = u32::from_le_bytes(bytes[4 * lane..][..4].try_into().unwrap());
                    // dwords 100 + lane, 7 with its second byte 7, 8; then 9
                    let expected = (100 + lane as u32) + ((7 + (7 << 8)) << 8) + (8 << 20) + (9 << 24);
                    assert_eq!(value, expected, "wave{wave_size} step {step} start {start} lane {lane}");
                }
            }
        }
    }
}

/// Pages of this process that are in memory.
fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
#[cfg(target_os = "linux")]
fn scratch_is_not_filled_before_it_is_touched() {
    // 32 waves of 8 MiB each.
    let touch = "v_mov_b32 v2, 0x12340
        scratch_load_b32 v3, v2, off
        s_waitcnt vmcnt(0)
        scratch_store_b32 v2, v2, off
        s_endpgm";
    for deterministic in [false, true] {
        let options = DeviceConfig { engine: Engine::Interp, threads: 1, deterministic, ..Default::default() };
        let device = Device::new(options).unwrap();
        let most = std::sync::atomic::AtomicUsize::new(0);
        let before = resident_bytes();
        let hook = |s: &Step| {
            if s.pc.is_multiple_of(64) {
                most.fetch_max(resident_bytes(), std::sync::atomic::Ordering::Relaxed);
            }
            // 0 in every wave: nothing is left of another one's.
            assert!(!deterministic || s.vgpr(3).iter().all(|v| *v == 0));
            Action::Continue
        };
        run(&device, &Run { grid: 4096, group: 1024, hook: Some(&hook), ..wave(touch, MOST, &[0; 4]) }).unwrap();
        let grown = most.into_inner().max(resident_bytes()).saturating_sub(before);
        assert!(grown < 48 << 20, "{grown} bytes of 256 MiB are resident (deterministic: {deterministic})");
    }
}

/// Each workgroup adds 1 to a counter and waits until it is s2.
const WAIT_FOR_ALL: &str = "
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    v_cmp_eq_u32 vcc_lo, 0, v0
    s_and_saveexec_b32 s5, vcc_lo
    global_atomic_add_u32 v1, v2, s[0:1]
    s_mov_b32 exec_lo, s5
    again:
    s_sleep 1
    global_load_b32 v3, v1, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s6, v3
    s_cmp_lt_u32 s6, s2
    s_cbranch_scc1 again
    s_endpgm";

#[test]
fn a_dispatch_holds_no_more_scratch_than_the_device_allows() {
    for engine in ENGINES {
        let wait_for = |limit: u64, groups: u32| {
            // Workgroups of two waves: 2 * 32 * 16 KiB = 1 MiB each.
            let device = Device::new(DeviceConfig { engine, threads: 2, scratch_limit_bytes: limit, ..Default::default() }).unwrap();
            let counter = device.alloc(4).unwrap();
            let user = [counter.address() as u32, (counter.address() >> 32) as u32, groups, 0];
            run(&device, &Run { grid: 64 * groups, group: 64, ..wave(WAIT_FOR_ALL, 16 << 10, &user) })
        };
        // Eight that wait for each other are in flight together.
        assert_eq!(wait_for(8 << 20, 8).unwrap().workgroups, 8);
        assert_eq!(wait_for(0, 40).unwrap().workgroups, 40);
        // One after the other.
        assert_eq!(wait_for(1 << 20, 1).unwrap().workgroups, 1);
        let result = wait_for((1 << 20) - 1, 1);
        let Err(Error::Limit(limit)) = result else { panic!("{result:?}") };
        let message = limit.to_string();
        for word in ["`test`", "2 waves", "1048576", "1048575", "scratch_limit_bytes"] {
            assert!(message.contains(word), "no {word} in: {message}");
        }
    }
}
