//! Dispatches of hand-assembled gfx1100 code: barriers, budgets, cancellation, faults, grids. The words were assembled with llvm-mc-19;
//! the text beside them is what it was given.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use wavejit::code_object::PgmRsrc;
use wavejit::step::Hook;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{
    Access, AccessKind, Action, Buffer, Cause, CodeLaunch, Device, DeviceConfig, DispatchStats, Engine, Error, LaunchConfig, Step,
};
use wavejit_isa::{Gfx, assemble};

/// A device and code in its memory.
struct Machine {
    device: Device,
    code: Buffer,
    lds_bytes: u32,
    max_insts: u64,
}

const ENGINES: [Engine; 3] = [Engine::Interp, Engine::Jit, Engine::Tiered];

impl Machine {
    fn new(options: DeviceConfig, words: &[u32]) -> Machine {
        Machine::on(Device::new(options).unwrap(), words)
    }

    fn on(device: Device, words: &[u32]) -> Machine {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let code = device.upload(&bytes).unwrap();
        Machine { device, code, lds_bytes: 0, max_insts: 0 }
    }

    /// s0..s3 = `user`, s4 = workgroup id x; v0 = work-item id.
    fn run(&self, grid: [u32; 3], group: [u32; 3], user: &[u32], cancel: Option<&AtomicU32>) -> Result<DispatchStats, Error> {
        self.run_hooked(grid, group, user, cancel, None)
    }

    fn run_hooked(
        &self,
        grid: [u32; 3],
        group: [u32; 3],
        user: &[u32],
        cancel: Option<&AtomicU32>,
        hook: Option<Hook>,
    ) -> Result<DispatchStats, Error> {
        let raw = RawInit {
            target: Gfx::GFX1100,
            wave_size: 32,
            entry: self.code.address(),
            // Float mode: denormals kept. User SGPRs 4, workgroup id x enabled.
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 4 << 1 | 1 << 7, rsrc3: 0 },
            user_data: user,
            scratch_bytes: 0,
        };
        let mut init = WaveInit::raw(&raw);
        init.lds_bytes = self.lds_bytes;
        self.device.run_code(&CodeLaunch {
            name: "test",
            code: (self.code.address(), self.code.address() + self.code.len() as u64),
            init,
            config: LaunchConfig { max_insts: self.max_insts, cancel, hook, ..LaunchConfig::new(grid, group) },
        })
    }
}

fn options(engine: Engine, threads: usize) -> DeviceConfig {
    DeviceConfig { engine, threads, ..Default::default() }
}

fn pointer(b: &Buffer) -> [u32; 2] {
    [b.address() as u32, (b.address() >> 32) as u32]
}

const S_ENDPGM: u32 = 0xbfb0_0000;

#[rustfmt::skip]
const ENDLESS: &[u32] = &[
    0xbfa0_ffff,                // s_branch -1
];
/// Ways round a loop that leave compiled code: (name, code).
#[rustfmt::skip]
const ENDLESS_EXITS: &[(&str, &[u32])] = &[
    ("jump to an address that is not known before", &[
        0xbe82_4700,            // s_getpc_b64 s[2:3]
        0x7e02_0202,            // v_mov_b32_e32 v1, s2
        0x7e04_0501,            // v_readfirstlane_b32 s2, v1
        0x8c02_8202,            // s_or_b32 s2, s2, 2
        0xbe80_4802,            // s_setpc_b64 s[2:3]
    ]),
    ("call of an address that is not known before", &[
        0xbe82_4700,            // s_getpc_b64 s[2:3]
        0x7e02_0202,            // v_mov_b32_e32 v1, s2
        0x7e04_0501,            // v_readfirstlane_b32 s2, v1
        0xbe84_4902,            // s_swappc_b64 s[4:5], s[2:3]
    ]),
    ("float mode that is not known before", &[
        0x8d04_9004,            // s_xor_b32 s4, s4, 16
        0xb904_3801,            // s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s4
        0xbfa0_fffd,            // s_branch -3
    ]),
    ("barrier", &[
        0xbfbd_0000,            // s_barrier
        0xbfa0_fffe,            // s_branch -2
    ]),
    ("sleep", &[
        0xbf83_0001,            // s_sleep 1
        0xbfa0_fffe,            // s_branch -2
    ]),
];
/// Wave 0 spins, by jumps to an address that is not known before, until wave 1 has stored 7 to LDS.
#[rustfmt::skip]
const SPIN_BY_JUMPS: &[u32] = &[
    0x7e02_0280,                // v_mov_b32_e32 v1, 0
    0x7e0a_0500,                // v_readfirstlane_b32 s5, v0
    0xbf06_8005,                // s_cmp_eq_u32 s5, 0
    0xbfa1_000a,                // s_cbranch_scc0 10
    0xbe86_4700,                // s_getpc_b64 s[6:7]
    0x7e04_0206,                // v_mov_b32_e32 v2, s6
    0x7e0c_0502,                // v_readfirstlane_b32 s6, v2
    0xd8d8_0000, 0x0300_0001,   // ds_load_b32 v3, v1
    0xbf89_fc07,                // s_waitcnt lgkmcnt(0)
    0x7e10_0503,                // v_readfirstlane_b32 s8, v3
    0xbf06_8708,                // s_cmp_eq_u32 s8, 7
    0xbfa2_0004,                // s_cbranch_scc1 4
    0xbe80_4806,                // s_setpc_b64 s[6:7]
    0x7e04_0287,                // v_mov_b32_e32 v2, 7
    0xd834_0000, 0x0000_0201,   // ds_store_b32 v1, v2
    0xbfb0_0000,                // s_endpgm
];
#[rustfmt::skip]
const WAVE1_LOOPS: &[u32] = &[
    0x7e0a_0500,                // v_readfirstlane_b32 s5, v0
    0xbf07_a005,                // s_cmp_lg_u32 s5, 32
    0xbfa2_0001,                // s_cbranch_scc1 1
    0xbfa0_ffff,                // s_branch -1
    0xbfbd_0000,                // s_barrier
    0xbfb0_0000,                // s_endpgm
];
#[rustfmt::skip]
const REVERSE: &[u32] = &[
    0x3002_0082,                // v_lshlrev_b32_e32 v1, 2, v0
    0xd834_0000, 0x0000_0001,   // ds_store_b32 v1, v0
    0xbf89_fc07,                // s_waitcnt lgkmcnt(0)
    0xbfbd_0000,                // s_barrier
    0x4c04_02ff, 0x0000_01fc,   // v_sub_nc_u32_e32 v2, 0x1fc, v1
    0xd8d8_0000, 0x0300_0002,   // ds_load_b32 v3, v2
    0x8404_8904,                // s_lshl_b32 s4, s4, 9
    0x4a02_0204,                // v_add_nc_u32_e32 v1, s4, v1
    0xbf89_fc07,                // s_waitcnt lgkmcnt(0)
    0xdc6a_0000, 0x0000_0301,   // global_store_b32 v1, v3, s[0:1]
    0xbfb0_0000,                // s_endpgm
];
#[rustfmt::skip]
const GRID_BARRIER: &[u32] = &[
    0x7e02_0280,                // v_mov_b32_e32 v1, 0
    0x7e04_0281,                // v_mov_b32_e32 v2, 1
    0x7c94_0080,                // v_cmp_eq_u32_e32 vcc_lo, 0, v0
    0xbe85_206a,                // s_and_saveexec_b32 s5, vcc_lo
    0xdcd6_0000, 0x0000_0201,   // global_atomic_add_u32 v1, v2, s[0:1]
    0xdc52_4000, 0x0300_0001,   // global_load_b32 v3, v1, s[0:1] glc
    0xbf89_03f7,                // s_waitcnt vmcnt(0)
    0x7e0c_0503,                // v_readfirstlane_b32 s6, v3
    0xbf09_0206,                // s_cmp_ge_u32 s6, s2
    0xbfa2_0002,                // s_cbranch_scc1 2
    0xbf83_0001,                // s_sleep 1
    0xbfa0_fff8,                // s_branch -8
    0xbfb0_0000,                // s_endpgm
];
#[rustfmt::skip]
const STORE_ITEM_ID: &[u32] = &[
    0x3002_0082,                // v_lshlrev_b32_e32 v1, 2, v0
    0xdc6a_0000, 0x0000_0001,   // global_store_b32 v1, v0, s[0:1]
    0xbfb0_0000,                // s_endpgm
];
#[rustfmt::skip]
const JUMP_TO_S0: &[u32] = &[
    0xbe80_4800,                // s_setpc_b64 s[0:1]
];
#[rustfmt::skip]
const STORE_CLOCK: &[u32] = &[
    0xbe85_4c83,                // s_sendmsg_rtn_b32 s5, sendmsg(MSG_RTN_GET_REALTIME)
    0x3002_0082,                // v_lshlrev_b32_e32 v1, 2, v0
    0x8404_8804,                // s_lshl_b32 s4, s4, 8
    0x4a02_0204,                // v_add_nc_u32_e32 v1, s4, v1
    0x4a04_1205,                // v_add_nc_u32_e32 v2, s5, v9
    0xbf89_fc07,                // s_waitcnt lgkmcnt(0)
    0xdc6a_0000, 0x0000_0201,   // global_store_b32 v1, v2, s[0:1]
    0xbfb0_0000,                // s_endpgm
];

fn limit(r: Result<DispatchStats, Error>) -> String {
    match r {
        Err(Error::Limit(limit)) => limit.to_string(),
        other => panic!("expected Error::Limit, got {other:?}"),
    }
}

fn memory(r: Result<DispatchStats, Error>) -> String {
    match r {
        Err(Error::Fault(fault)) if fault.is_memory() => fault.to_string(),
        other => panic!("expected a memory fault, got {other:?}"),
    }
}

#[test]
fn an_empty_kernel_counts_waves_and_workgroups() {
    for engine in ENGINES {
        let m = Machine::new(options(engine, 2), &[S_ENDPGM]);
        let s = m.run([1000, 3, 1], [256, 2, 1], &[], None).unwrap();
        // 4 x 2 workgroups; extents 256 or 232 by 2 or 1: 16 or 15 waves, 8 or 8.
        assert_eq!((s.workgroups, s.waves), (8, 3 * 16 + 15 + 3 * 8 + 8));
    }
}

#[test]
fn a_zero_grid_or_group_is_refused_and_a_huge_one_stops_when_canceled() {
    let m = Machine::new(options(Engine::Jit, 2), &[S_ENDPGM]);
    for (grid, group) in [([0, 1, 1], [1; 3]), ([1; 3], [1, 0, 1])] {
        assert!(matches!(m.run(grid, group, &[], None), Err(Error::Arg(_))));
    }
    assert!(matches!(m.run([u32::MAX; 3], [1; 3], &[], None), Err(Error::Arg(_))));
    assert!(matches!(m.run([65536; 3], [65536; 3], &[], None), Err(Error::Arg(_))));
    assert!(matches!(m.run([1025, 1, 1], [1025, 1, 1], &[], None), Err(Error::Arg(_))));
    let cancel = AtomicU32::new(0);
    std::thread::scope(|s| {
        s.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            cancel.store(1, Ordering::Relaxed);
        });
        assert!(limit(m.run([1 << 26, 1 << 20, 1], [64, 1, 1], &[], Some(&cancel))).contains("canceled"));
    });
}

#[test]
fn an_endless_loop_ends_with_its_budget() {
    for engine in ENGINES {
        let mut m = Machine::new(options(engine, 2), ENDLESS);
        m.max_insts = 10_000;
        let text = limit(m.run([64, 1, 1], [64, 1, 1], &[], None));
        assert!(text.contains("budget of 10000") && text.contains("kernel `test`+0x0"), "{text}");
    }
}

#[test]
fn every_way_round_a_loop_uses_the_budget() {
    for engine in ENGINES {
        for (name, code) in ENDLESS_EXITS {
            let mut m = Machine::new(options(engine, 2), code);
            m.max_insts = 10_000;
            let text = limit(m.run([64, 1, 1], [64, 1, 1], &[], None));
            assert!(text.contains("budget of 10000"), "{engine:?}, {name}: {text}");
        }
    }
}

#[test]
fn every_way_round_a_loop_uses_the_budget_of_a_hooked_run() {
    for (name, code) in ENDLESS_EXITS {
        let mut m = Machine::new(options(Engine::Interp, 1), code);
        m.max_insts = 1000;
        let text = limit(m.run_hooked([32, 1, 1], [32, 1, 1], &[], None, Some(&|_: &Step| Action::Continue)));
        assert!(text.contains("budget of 1000"), "{name}: {text}");
    }
}

#[test]
fn every_way_round_a_loop_sees_cancellation() {
    for engine in ENGINES {
        for (name, code) in ENDLESS_EXITS {
            let m = Machine::new(options(engine, 2), code);
            let cancel = AtomicU32::new(0);
            std::thread::scope(|s| {
                s.spawn(|| {
                    std::thread::sleep(Duration::from_millis(20));
                    cancel.store(1, Ordering::Relaxed);
                });
                let text = limit(m.run([128, 1, 1], [64, 1, 1], &[], Some(&cancel)));
                assert!(text.contains("canceled"), "{engine:?}, {name}: {text}");
            });
        }
    }
}

#[test]
fn a_hook_does_not_keep_a_wave_from_being_canceled() {
    let m = Machine::new(options(Engine::Interp, 1), ENDLESS);
    let (cancel, calls) = (AtomicU32::new(0), AtomicU32::new(0));
    let hook = |_: &Step| {
        cancel.store(u32::from(calls.fetch_add(1, Ordering::Relaxed) == 9), Ordering::Relaxed);
        Action::Continue
    };
    limit(m.run_hooked([32, 1, 1], [32, 1, 1], &[], Some(&cancel), Some(&hook)));
    assert_eq!(calls.into_inner(), 10);
}

#[test]
fn a_wave_that_spins_by_computed_jumps_makes_way_for_others() {
    for engine in ENGINES {
        let mut m = Machine::new(options(engine, 1), SPIN_BY_JUMPS);
        (m.lds_bytes, m.max_insts) = (64, 10_000_000);
        let stats = m.run([64, 1, 1], [64, 1, 1], &[], None).unwrap();
        assert_eq!(stats.waves, 2);
    }
}

#[test]
fn another_thread_can_cancel_an_endless_loop() {
    for engine in ENGINES {
        let m = Machine::new(options(engine, 2), ENDLESS);
        let cancel = AtomicU32::new(0);
        let start = Instant::now();
        std::thread::scope(|s| {
            s.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                cancel.store(1, Ordering::Relaxed);
            });
            limit(m.run([512, 1, 1], [64, 1, 1], &[], Some(&cancel)));
        });
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_wave_that_never_comes_to_the_barrier_is_named_with_those_that_wait() {
    for engine in ENGINES {
        let mut m = Machine::new(options(engine, 1), WAVE1_LOOPS);
        m.max_insts = 100_000;
        let text = limit(m.run([96, 1, 1], [96, 1, 1], &[], None));
        assert!(
            text.contains("wave 1") && text.contains("wave 0 waits at a barrier") && text.contains("wave 2 waits at a barrier"),
            "{text}"
        );
    }
}

#[test]
fn waves_exchange_data_through_lds_across_a_barrier() {
    for engine in ENGINES {
        for threads in [1, 3] {
            let mut m = Machine::new(options(engine, threads), REVERSE);
            m.lds_bytes = 512;
            let out = m.device.alloc(4 * 128 * 50).unwrap();
            m.run([128 * 50, 1, 1], [128, 1, 1], &pointer(&out), None).unwrap();
            let words: Vec<u32> = out.to_vec().unwrap().chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
            for (i, w) in words.iter().enumerate() {
                assert_eq!(*w as usize, 127 - i % 128, "{engine:?} item {i}");
            }
        }
    }
}

#[test]
fn workgroups_that_wait_for_later_ones_make_way() {
    for engine in ENGINES {
        // Every workgroup counts itself, then sleeps until all 40 have.
        let m = Machine::new(options(engine, 2), GRID_BARRIER);
        let counter = m.device.alloc(4).unwrap();
        let [low, high] = pointer(&counter);
        m.run([40 * 32, 1, 1], [32, 1, 1], &[low, high, 40, 0], None).unwrap();
        assert_eq!(counter.to_vec().unwrap(), 40u32.to_le_bytes());
    }
}

#[test]
fn any_number_of_workgroups_may_wait_for_the_last_one() {
    // With s_sleep more than a thread used to keep, without fewer.
    let spinning: Vec<u32> = GRID_BARRIER.iter().map(|w| if *w == 0xbf83_0001 { 0xbf80_0000 } else { *w }).collect();
    for (words, groups) in [(GRID_BARRIER, 3000u32), (&spinning, 40)] {
        let m = Machine::new(options(Engine::Jit, 1), words);
        let counter = m.device.alloc(4).unwrap();
        let [low, high] = pointer(&counter);
        m.run([groups * 32, 1, 1], [32, 1, 1], &[low, high, groups, 0], None).unwrap();
        assert_eq!(counter.to_vec().unwrap(), groups.to_le_bytes());
    }
}

#[test]
fn a_wild_store_names_kernel_pc_lane_and_address() {
    for engine in ENGINES {
        let isolated = Device::new(options(engine, 2)).unwrap();
        // SAFETY: the code stores to addresses where no host has memory.
        let shared = unsafe { Device::shared(options(engine, 2)) }.unwrap();
        for device in [isolated, shared] {
            let m = Machine::on(device, STORE_ITEM_ID);
            for wild in [0x10u64, 0xdead_beef_dead_0000, 0x7000_0000_0000] {
                let text = memory(m.run([32, 1, 1], [32, 1, 1], &[wild as u32, (wild >> 32) as u32], None));
                let place =
                    text.contains("kernel `test`+0x4") && text.contains("global_store_b32 v1, v0, s[0:1]") && text.contains("lane 0");
                assert!(place && text.contains(&format!("address {wild:#x} is not mapped")), "{text}");
            }
        }
    }
}

#[test]
fn a_fault_has_its_parts() {
    // Lanes 4 to 7 make the access, and nothing is mapped at the end of the address space.
    let cases = [
        ("global_store_b64 v1, v[2:3], s[0:1]", AccessKind::Store, 8),
        ("global_load_u8 v2, v1, s[0:1]", AccessKind::Load, 1),
        ("global_atomic_add_u32 v1, v2, s[0:1]", AccessKind::Atomic, 4),
    ];
    for engine in ENGINES {
        for (text, kind, bytes) in cases {
            let code = assemble(&format!("v_lshlrev_b32 v1, 5, v0\ns_mov_b32 exec_lo, 0xf0\n{text}\ns_endpgm"), Gfx::GFX1100, 32).unwrap();
            let words: Vec<u32> = code.bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
            let m = Machine::new(options(engine, 1), &words);
            let end = m.device.memory().mem_low() + m.device.memory().mem_size();
            let base = end - 6 * 32;
            let Err(Error::Fault(fault)) = m.run([32, 2, 1], [32, 1, 1], &[base as u32, (base >> 32) as u32], None) else {
                panic!("{text}: nothing is there")
            };
            let at = &fault.at;
            assert_eq!((at.kernel.as_str(), at.entry, at.pc), ("test", m.code.address(), m.code.address() + 12));
            assert_eq!((at.inst.as_deref(), at.workgroup, at.wave), (Some(text), [0, 0, 0], 0));
            assert_eq!((fault.lanes, fault.access), (0xf0, Some(Access { kind, bytes })), "{engine:?}: {text}");
            assert_eq!(fault.cause, Cause::Unmapped { missing: vec![] });
            assert_eq!(fault.address.zip(fault.lane), Some((base + 32 * u64::from(fault.lane.unwrap()), 4)), "{engine:?}: {text}");
            assert_eq!(Error::Fault(fault).code(), -4);
        }
    }
}

#[test]
fn a_jump_into_nowhere_is_an_error() {
    for engine in ENGINES {
        let m = Machine::new(options(engine, 1), JUMP_TO_S0);
        let text = memory(m.run([32, 1, 1], [32, 1, 1], &[0x1234_5678, 0x1], None));
        assert!(text.contains("0x112345678"), "{text}");
    }
}

#[test]
fn a_word_that_is_no_instruction_is_a_decode_error_when_it_is_reached() {
    for engine in ENGINES {
        let m = Machine::new(options(engine, 1), &[0xbf80_0000, 0xffff_ffff, S_ENDPGM]);
        let Err(Error::Fault(fault)) = m.run([32, 1, 1], [32, 1, 1], &[], None) else { panic!("{engine:?}: it is reached") };
        assert!(matches!(fault.cause, Cause::NoInstruction { target: Gfx::GFX1100, .. }), "{fault:?}");
        assert_eq!(Error::Fault(fault).code(), -2);
    }
}

#[test]
fn deterministic_runs_are_equal_in_every_register_and_clock() {
    for engine in ENGINES {
        let run = || {
            let m = Machine::new(DeviceConfig { deterministic: true, ..options(engine, 0) }, STORE_CLOCK);
            let out = m.device.alloc(4 * 256).unwrap();
            m.run([256, 1, 1], [64, 1, 1], &pointer(&out), None).unwrap();
            out.to_vec().unwrap()
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn a_hook_sees_every_instruction() {
    let m = Machine::new(options(Engine::Interp, 1), STORE_ITEM_ID);
    let out = m.device.alloc(128).unwrap();
    let seen = std::sync::Mutex::new(Vec::new());
    let hook = |s: &Step| {
        seen.lock().unwrap().push(s.pc);
        Action::Continue
    };
    m.run_hooked([32, 1, 1], [32, 1, 1], &pointer(&out), None, Some(&hook)).unwrap();
    let offsets: Vec<u64> = seen.into_inner().unwrap().iter().map(|pc| pc - m.code.address()).collect();
    assert_eq!(offsets, [0, 4, 12]);
}

#[test]
fn a_restored_snapshot_restores_the_clock() {
    let run = |replays: u32| {
        let m = Machine::new(DeviceConfig { deterministic: true, ..options(Engine::Interp, 1) }, STORE_CLOCK);
        let out = m.device.alloc(4 * 128).unwrap();
        let (start, left) = (std::sync::Mutex::new(None), AtomicU32::new(replays));
        let hook = |s: &Step| {
            let mut start = start.lock().unwrap();
            let snapshot = start.get_or_insert_with(|| s.snapshot().unwrap()).clone();
            // At the last instruction of the second wave.
            if s.wave == 1 && s.pc == m.code.address() + 32 && left.load(Ordering::Relaxed) > 0 {
                left.fetch_sub(1, Ordering::Relaxed);
                return Action::Restore(snapshot);
            }
            Action::Continue
        };
        let stats = m.run_hooked([64, 1, 1], [64, 1, 1], &pointer(&out), None, Some(&hook)).unwrap();
        assert_eq!(left.into_inner(), 0);
        (stats.guest_insts, out.to_vec().unwrap())
    };
    assert!(run(3) == run(0));
}

#[test]
fn a_hook_that_always_goes_back_can_be_canceled() {
    let m = Machine::new(DeviceConfig { deterministic: true, ..options(Engine::Interp, 1) }, &[S_ENDPGM]);
    let (cancel, calls) = (AtomicU32::new(0), AtomicU32::new(0));
    let hook = |s: &Step| {
        cancel.store(u32::from(calls.fetch_add(1, Ordering::Relaxed) == 10), Ordering::Relaxed);
        Action::Restore(s.snapshot().unwrap())
    };
    limit(m.run_hooked([32, 1, 1], [32, 1, 1], &[], Some(&cancel), Some(&hook)));
    assert_eq!(calls.into_inner(), 11);
}

#[test]
fn code_of_a_family_that_does_not_run_yet_is_refused_by_name() {
    for engine in ENGINES {
        let m = Machine::new(options(engine, 1), &[0xbf81_0000]); // s_endpgm
        let raw = RawInit {
            target: Gfx(0x90a),
            wave_size: 64,
            entry: m.code.address(),
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 0, rsrc3: 0 },
            user_data: &[],
            scratch_bytes: 0,
        };
        let code = (m.code.address(), m.code.address() + 4);
        let init = WaveInit::raw(&raw);
        let launch = CodeLaunch { name: "old", code, init, config: LaunchConfig::new([64, 1, 1], [64, 1, 1]) };
        let Err(Error::Unsupported(message)) = m.device.run_code(&launch) else { panic!("gfx90a code must be refused") };
        assert!(message.contains("old") && message.contains("gfx90a"), "{message}");
    }
}

#[test]
fn values_that_gfx1100_lacks_are_errors_that_name_them() {
    // v_mov_b32_dpp v1, v0 row_bcast:15, which gfx9 has; a DS instruction with a bit that no field has
    let cases: [(&[u32], &str); 2] = [
        (&[0x7e02_02fa, 0xff01_4200, S_ENDPGM], "reserved dpp_ctrl 0x142 on gfx1100"),
        (&[0xd801_0000, 0x0000_0100, S_ENDPGM], "reserved bits of dword 0 0x10000 on gfx1100"),
    ];
    for engine in ENGINES {
        for (code, want) in cases {
            let m = Machine::new(options(engine, 1), code);
            let Err(Error::Fault(fault)) = m.run([1, 1, 1], [32, 1, 1], &[], None) else { panic!("{want}: must be refused") };
            assert!(matches!(fault.cause, Cause::NotImplemented(_)), "{fault:?}");
            let message = fault.to_string();
            assert!(message.contains(want), "{message}");
        }
    }
}

/// Workgroups without barriers, whose waves leave alone what they start with: compiled code goes from one to the next without coming back. s[0:1]: a dword for
/// each work-item, which becomes four times its number and 2^24 times its workgroup's; s2: the first work-item of a wave that does what `special` says.
fn one_after_the_other(special: &str) -> Vec<u32> {
    let text = format!(
        "v_readfirstlane_b32 s6, v0
         s_lshl_b32 s7, s4, 6
         s_add_u32 s6, s6, s7
         v_add_nc_u32_e32 v1, s7, v0
         v_lshlrev_b32_e32 v1, 2, v1
         v_lshl_add_u32 v2, s4, 24, v1
         global_store_b32 v1, v2, s[0:1]
         s_cmp_lg_u32 s6, s2
         s_cbranch_scc1 over
         {special}
         over: s_endpgm"
    );
    let bytes = assemble(&text, Gfx::GFX1100, 32).expect("it assembles").bytes;
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect()
}

/// What it does to memory, up to work-item `end`.
fn items(all: u32, end: u32) -> Vec<u8> {
    (0..all).flat_map(|i| if i < end { 4 * i + ((i / 64) << 24) } else { 0 }.to_le_bytes()).collect()
}

#[test]
fn workgroups_that_run_in_one_call_do_what_they_do_alone() {
    // The last one is partial. A wave that takes long comes back in between.
    let (items_in_all, special) = (64 * 300 + 45, 64 * 137 + 32);
    let words = one_after_the_other("s_movk_i32 s9, 0x7000\nagain: s_sub_u32 s9, s9, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 again");
    for threads in [1, 3] {
        let runs = ENGINES.map(|engine| {
            let m = Machine::new(options(engine, threads), &words);
            let out = m.device.upload(&vec![0; 4 * items_in_all as usize]).unwrap();
            let [low, high] = pointer(&out);
            let stats = m.run([items_in_all, 1, 1], [64, 1, 1], &[low, high, special, 0], None).unwrap();
            assert_eq!(out.to_vec().unwrap(), items(items_in_all, items_in_all), "{engine:?}");
            (stats.workgroups, stats.waves, stats.guest_insts)
        });
        assert_eq!(runs[0], (301, 602, 10 * 602 + 1 + 3 * 0x7000));
        assert_eq!(runs[0], runs[1]);
    }
}

#[test]
fn a_fault_among_workgroups_that_run_in_one_call_is_of_one_of_them() {
    let (items_in_all, special) = (64 * 300, 64 * 137 + 32);
    let words = one_after_the_other("v_mov_b32_e32 v4, 8\nv_mov_b32_e32 v5, 0\nglobal_load_b32 v3, v[4:5], off\ns_waitcnt vmcnt(0)");
    for engine in ENGINES {
        let m = Machine::new(options(engine, 1), &words);
        let out = m.device.upload(&vec![0; 4 * items_in_all as usize]).unwrap();
        let [low, high] = pointer(&out);
        let text = memory(m.run([items_in_all, 1, 1], [64, 1, 1], &[low, high, special, 0], None));
        assert!(text.contains("workgroup (137, 0, 0), wave 1, lane 0: ") && text.contains("address 0x8"), "{engine:?}: {text}");
        assert_eq!(out.to_vec().unwrap(), items(items_in_all, special + 32), "{engine:?}");
    }
}
