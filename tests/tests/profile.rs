//! Profiles: executions and active lanes of every instruction, compared with numbers worked out from what a kernel computes, with a hook
//! before every instruction, and between the engines.

use std::collections::BTreeMap;
use std::sync::Mutex;
use wavejit::{Action, Arg, Device, DeviceConfig, Engine, Error, InstCount, Launch, LaunchConfig, Profile, Step};
use wavejit_tests::code_object;
use wavejit_tests::reference;

fn device(engine: Engine, threads: usize) -> Device {
    Device::new(DeviceConfig { engine, threads, ..Default::default() }).expect("a device")
}

/// What ran, by its place in the kernel.
fn ran(counts: &[InstCount]) -> BTreeMap<i64, (u64, u64)> {
    counts.iter().filter(|c| c.executions > 0).map(|c| (c.offset, (c.executions, c.active_lanes))).collect()
}

/// Steps of the kernel `collatz`: lengths of the runs of halvings, each followed by 3v + 1 but for the last.
fn runs(start: u32) -> Vec<u64> {
    let (mut v, mut runs) = (u64::from(start), vec![]);
    while v > 1 {
        runs.push(u64::from(v.trailing_zeros()));
        v >>= v.trailing_zeros();
        if v > 1 {
            v = 3 * v + 1;
        }
    }
    runs
}

// The outer loop goes round as often as the lane with the most runs needs; the inner one, each time, as often as the longest run of a lane
// that is still in it. Lanes count while they are in the loop.
#[test]
fn counts_of_divergent_loops_are_those_of_their_trip_counts() {
    const ITEMS: u32 = 1000;
    let start: Vec<u32> = (0..ITEMS).map(|i| i.wrapping_mul(2_654_435_761) % 10_000).collect();
    let waves: Vec<Vec<Vec<u64>>> = start.chunks(32).map(|lanes| lanes.iter().map(|v| runs(*v)).collect()).collect();
    let outer = |wave: &Vec<Vec<u64>>| wave.iter().map(Vec::len).max().unwrap_or(0);
    let longest = |wave: &Vec<Vec<u64>>, k: usize| wave.iter().filter_map(|lane| lane.get(k)).max().copied().unwrap_or(0);
    let halvings: u64 = waves.iter().map(|wave| (0..outer(wave)).map(|k| longest(wave, k)).sum::<u64>()).sum();
    let halved_lanes: u64 = waves.iter().flatten().flatten().sum();
    let triplings: u64 = waves.iter().map(|wave| wave.iter().map(|lane| lane.len().saturating_sub(1)).max().unwrap_or(0) as u64).sum();
    let tripled_lanes: u64 = waves.iter().flatten().map(|lane| lane.len().saturating_sub(1) as u64).sum();

    let mut all = vec![];
    for (engine, threads) in [(Engine::Jit, 1), (Engine::Jit, 3), (Engine::Interp, 2)] {
        let device = device(engine, threads);
        let kernel = device.load(&code_object("collatz.gfx1100.wave32.hsaco")).and_then(|m| m.kernel("collatz")).expect("a kernel");
        let bytes: Vec<u8> = start.iter().flat_map(|v| v.to_le_bytes()).collect();
        let buffers = [device.upload(&bytes), device.alloc(4 * ITEMS as usize), device.alloc(8 * ITEMS as usize)].map(Result::unwrap);
        let args = [Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Buffer(&buffers[2]), Arg::U32(ITEMS)];
        let profile = Profile::default();
        let launch = Launch {
            args: &args,
            config: LaunchConfig { profile: Some(&profile), ..LaunchConfig::new([1024, 1, 1], [64, 1, 1]) },
            ..Default::default()
        };
        let stats = kernel.launch(&launch).expect("it runs");
        let counts = profile.counts();
        let of = |text: &str| {
            let found: Vec<&InstCount> = counts.iter().filter(|c| c.text.starts_with(text)).collect();
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            (found[0].executions, found[0].active_lanes)
        };
        assert_eq!(of("v_lshrrev_b64 v[8:9], 1,"), (halvings, halved_lanes), "{engine:?}");
        assert_eq!(of("v_mad_u64_u32 v[11:12], null, v8, 3, 1"), (triplings, tripled_lanes), "{engine:?}");
        assert_eq!(of("global_store_b32"), (32, ITEMS.into()), "{engine:?}");
        assert_eq!(of("s_endpgm").0, 32, "{engine:?}");
        assert_eq!(counts.iter().map(|c| c.executions).sum::<u64>(), stats.guest_insts, "{engine:?}");
        assert!(counts.is_sorted_by_key(|c| c.pc) && counts.iter().all(|c| c.kernel == "collatz" && c.wave_size == 32));
        all.push(ran(&counts));
        // Once more adds the same; without a profile nothing is counted.
        kernel.launch(&launch).expect("it runs again");
        kernel.launch(&Launch { config: LaunchConfig { profile: None, ..launch.config }, ..launch }).expect("it runs without");
        let twice: BTreeMap<_, _> = all[0].iter().map(|(at, n)| (*at, (2 * n.0, 2 * n.1))).collect();
        assert_eq!(ran(&profile.counts()), twice, "{engine:?}");
    }
    assert!(all.iter().all(|counts| *counts == all[0]));
}

// Calls through pointers, recursion, barriers, relative registers: every instruction of waves of both sizes.
#[test]
fn counts_are_those_of_a_hook_before_every_instruction() {
    for name in ["bitonic", "call_table", "calls", "crosslane", "histogram", "movrel", "recursion", "switch_vm"] {
        let (_, waves, make) = reference::find(name).expect("a kernel");
        for wave in *waves {
            let case = make(*wave);
            let hooked: Mutex<BTreeMap<u64, (u64, u64)>> = Mutex::default();
            let hook = |step: &Step| {
                let mut counts = hooked.lock().expect("no panics");
                let count = counts.entry(step.pc).or_default();
                *count = (count.0 + 1, count.1 + u64::from(step.exec().count_ones()));
                Action::Continue
            };
            let interp = device(Engine::Interp, 2);
            let profile = Profile::default();
            let module = case.module(&interp, *wave).expect("it loads");
            case.run_counted(&interp, &module, Some(&hook), Some(&profile)).expect("it runs");
            let counts = profile.counts();
            let by_pc: BTreeMap<u64, (u64, u64)> =
                counts.iter().filter(|c| c.executions > 0).map(|c| (c.pc, (c.executions, c.active_lanes))).collect();
            assert_eq!(by_pc, hooked.into_inner().expect("no panics"), "{name} wave{wave}");

            let (jit, compiled) = (device(Engine::Jit, 1), Profile::default());
            let module = case.module(&jit, *wave).expect("it loads");
            let (stats, _) = case.run_counted(&jit, &module, None, Some(&compiled)).expect("it runs");
            assert_eq!(ran(&compiled.counts()), ran(&counts), "{name} wave{wave}");
            assert_eq!(compiled.counts().iter().map(|c| c.executions).sum::<u64>(), stats.guest_insts, "{name} wave{wave}");
        }
    }
}

// What each kernel does up to the instruction that fails: `shaders/faults.s`.
#[test]
fn instructions_behind_a_fault_are_not_counted() {
    for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
        let run = |kernel: &str, max_insts: u64| {
            let device = device(engine, 1);
            let buffer = device.alloc(1024).expect("memory");
            let module = device.load(&code_object("faults.gfx1100.wave32.hsaco")).expect("it loads");
            let (profile, kernarg) = (Profile::default(), buffer.address().to_le_bytes());
            let grid = [20, 1, 1];
            let launch = Launch {
                kernarg: Some(&kernarg),
                config: LaunchConfig { max_insts, profile: Some(&profile), ..LaunchConfig::new(grid, grid) },
                ..Default::default()
            };
            let error = module.kernel(kernel).and_then(|k| k.launch(&launch)).expect_err("it fails");
            (profile.counts(), error)
        };
        // Twelve instructions with the store, of 20 lanes; s_endpgm follows.
        let (counts, error) = run("wild_store", 0);
        assert!(matches!(error, Error::Fault(_)), "{error}");
        let (last, before) = counts.split_last().expect("instructions");
        let (store, _) = before.split_last().expect("instructions");
        assert!(store.text.starts_with("global_store_b32") && last.text == "s_endpgm", "{counts:?}");
        assert!(before.iter().all(|c| (c.executions, c.active_lanes) == (1, 20)), "{engine:?}: {counts:?}");
        assert_eq!((last.executions, last.active_lanes), (0, 0), "{engine:?}");
        // A scalar load that faults; what waits for it does not run.
        let (counts, _) = run("wild_scalar_load", 0);
        let of = |text: &str| counts.iter().filter(|c| c.text.starts_with(text)).map(|c| c.executions).collect::<Vec<_>>();
        assert_eq!((of("s_load_b32"), of("s_waitcnt"), of("s_endpgm")), (vec![1], vec![1, 0], vec![0]), "{engine:?}");
        // A trap is counted; an instruction that cannot run is not.
        let (counts, _) = run("trapping", 0);
        assert!(counts.iter().any(|c| c.text == "s_trap 2" && c.executions == 1), "{engine:?}: {counts:?}");
        let (counts, _) = run("shading", 0);
        assert!(counts.iter().all(|c| c.executions == 1 && !c.text.starts_with("ds_add_gs_reg_rtn")), "{engine:?}: {counts:?}");
        // Four instructions, then a loop of two until the budget is used up.
        let (counts, error) = run("endless_loop", 1000);
        assert!(matches!(error, Error::Limit(_)), "{error}");
        assert_eq!(counts.iter().map(|c| c.executions).sum::<u64>(), 1000, "{engine:?}: {counts:?}");
        assert_eq!(counts.iter().find(|c| c.text.starts_with("s_branch")).map(|c| c.executions), Some(498), "{engine:?}");
    }
}
