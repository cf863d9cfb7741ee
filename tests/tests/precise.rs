//! The precise mode on shipped kernels: what a hook reads is what the code says, and a restored snapshot goes on as if nothing had happened.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};
use wavejit::{Action, Device, DeviceConfig, DispatchStats, Engine, Error, Limit, Snapshot, Step};
use wavejit_tests::case::{Case, from_bytes};
use wavejit_tests::reference;

fn precise_device() -> Device {
    Device::new(DeviceConfig { engine: Engine::Interp, deterministic: true, ..Default::default() }).expect("a device")
}

fn run_hooked(case: &Case, wave: u32, hook: &(dyn Fn(&Step) -> Action + Sync)) -> Result<(DispatchStats, Vec<Vec<u8>>), Error> {
    let device = precise_device();
    let module = case.module(&device, wave)?;
    case.run_hooked(&device, &module, Some(hook))
}

fn case_of(kernel: &str, wave: u32) -> Case {
    reference::find(kernel).expect("a kernel of the table").2(wave)
}

/// Place and everything that a step shows.
fn digest(s: &Step) -> u64 {
    let mut h = DefaultHasher::new();
    (s.group, s.wave, s.pc, s.state.sregs, s.mode(), s.lds(), s.scratch()).hash(&mut h);
    (0..=255).for_each(|n| (s.vgpr(n), s.agpr(n)).hash(&mut h));
    h.finish()
}

/// What a hook that goes back has seen.
#[derive(Default)]
struct Seen {
    steps: usize,
    snapshot: Option<Arc<Snapshot>>,
    first: Vec<u64>,
    again: Vec<u64>,
}

/// Takes a snapshot at step `at`, goes back to it `distance` steps later, twice, and compares steps and results with an undisturbed run.
fn goes_back(kernel: &str, wave: u32, at: usize, distance: usize) {
    let case = case_of(kernel, wave);
    let plain = run_hooked(&case, wave, &|_| Action::Continue).expect("runs");
    let seen = Mutex::new(Seen::default());
    let hook = |s: &Step| {
        let mut seen = seen.lock().unwrap();
        let n = seen.steps;
        seen.steps += 1;
        if n == at {
            let snapshot = s.snapshot().expect("memory can be copied");
            assert_eq!((snapshot.group(), snapshot.wave(), snapshot.pc()), (s.group, s.wave, s.pc));
            seen.snapshot = Some(snapshot);
        }
        let replayed = n.wrapping_sub(at);
        if replayed < distance {
            seen.first.push(digest(s));
        } else if replayed == distance || replayed == 2 * distance + 1 {
            return Action::Restore(seen.snapshot.clone().expect("taken before"));
        } else if replayed <= 2 * distance {
            seen.again.push(digest(s));
        }
        Action::Continue
    };
    let (stats, after) = run_hooked(&case, wave, &hook).expect("runs");
    let seen = seen.into_inner().unwrap();
    let name = format!("{kernel} wave{wave}, {distance} steps back to {at}");
    assert_eq!(seen.first.len(), distance, "{name}: long enough");
    assert!(seen.first == seen.again, "{name}: other registers");
    assert!(plain.1 == after, "{name}: other results");
    case.check(&after).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(plain.0.guest_insts, stats.guest_insts, "{name}");
}

#[test]
fn going_back_inside_a_block_changes_nothing() {
    for at in [0, 1, 5, 20, 77] {
        goes_back("triad", 32, at, 1);
        goes_back("triad", 32, at, 50);
    }
}

#[test]
fn going_back_over_barriers_to_another_wave_restores_lds_and_turns() {
    goes_back("bitonic", 32, 500, 50);
    goes_back("bitonic", 32, 1234, 3000);
    goes_back("bitonic", 64, 700, 2000);
}

#[test]
fn going_back_restores_scratch() {
    goes_back("sort_private", 32, 400, 50);
    goes_back("sort_private", 64, 400, 1500);
}

#[test]
fn going_back_over_calls_restores_the_code_that_ran() {
    goes_back("calls", 32, 60, 50);
    goes_back("call_table", 32, 60, 50);
    goes_back("recursion", 32, 200, 300);
}

#[test]
fn going_back_restores_memory_that_was_updated_in_place() {
    // Each atomic counts once.
    goes_back("global_atomics", 32, 30, 50);
    goes_back("histogram", 64, 30, 150);
}

#[test]
fn registers_in_a_hook_are_those_of_the_code() {
    // triad.cl for gfx1100, llvm-objdump: 0x40 v_cmp_gt_i32 vcc_lo, s3, v0; 0x44 s_and_saveexec_b32 s3, vcc_lo; 0x48 s_cbranch_execz;
    // 0xb4 global_store_b32 v[0:1], v3. v0 is the index, s3 the count, s15 the workgroup, s2 the factor.
    const ITEMS: u32 = 100;
    let (a, b): (Vec<f32>, Vec<f32>) = (0..ITEMS).map(|i| (i as f32, 2.0 * i as f32)).unzip();
    let want: Vec<f32> = (0..ITEMS).map(|i| 0.5f32.mul_add(b[i as usize], a[i as usize])).collect();
    let case = Case::line("triad", 128, 64).output(&want).input(&a).input(&b).value(0.5f32).value(ITEMS);
    let device = precise_device();
    let module = case.module(&device, 32).expect("loads");
    let kernel = module.kernel("triad").expect("there");
    let entry = Mutex::new(None);
    let stored = Mutex::new(Vec::new());
    let hook = |s: &Step| {
        let offset = s.pc - *entry.lock().unwrap().get_or_insert(s.pc);
        let first = s.group[0] * 64 + s.wave as u32 * 32;
        let valid: u64 = (0..32).filter(|lane| first + lane < ITEMS).map(|lane| 1 << lane).sum();
        match offset {
            0 => assert_eq!((s.exec(), s.mode() & 0xff), (0xffff_ffff, kernel.info().descriptor.rsrc.rsrc1 >> 12 & 0xff)),
            0x40 => {
                assert_eq!((s.sgpr(3), s.sgpr(15), s.sreg("s2")), (ITEMS, s.group[0], Some(0.5f32.to_bits())));
                assert_eq!(s.vgpr(0), (first..first + 32).collect::<Vec<_>>());
            }
            0x44 => assert_eq!((s.vcc(), s.sreg("vcc_lo")), (valid, Some(valid as u32))),
            // SCC: EXEC is not zero.
            0x48 => assert_eq!((s.exec(), s.sgpr(3), s.scc()), (valid, u32::MAX, valid != 0)),
            0xb4 => {
                let values = s.vgpr(3).iter().enumerate().filter(|(lane, _)| s.exec() >> lane & 1 != 0);
                stored.lock().unwrap().extend(values.map(|(_, v)| f32::from_bits(*v)));
            }
            _ => {}
        }
        assert_eq!((s.sreg("mode"), s.sreg("no_register")), (Some(s.mode()), None));
        Action::Continue
    };
    let (_, after) = case.run_hooked(&device, &module, Some(&hook)).expect("runs");
    case.check(&after).unwrap();
    assert_eq!(*stored.lock().unwrap(), want);
}

#[test]
fn lds_and_scratch_in_a_hook_are_those_of_the_kernel() {
    // bitonic ends with a copy of its LDS to memory.
    let last = Mutex::new(vec![Vec::new(); 2]);
    let hook = |s: &Step| {
        last.lock().unwrap()[s.group[0] as usize] = s.lds().to_vec();
        Action::Continue
    };
    let (_, after) = run_hooked(&case_of("bitonic", 32), 32, &hook).expect("runs");
    assert!(last.into_inner().unwrap().concat() == after[0]);

    // sort_private ends with a copy of an array in scratch to 24 dwords for each work-item.
    let case = case_of("sort_private", 32);
    let last = Mutex::new(Vec::new());
    let hook = |s: &Step| {
        if (s.group, s.wave) == ([0; 3], 0) {
            *last.lock().unwrap() = s.scratch().to_vec();
        }
        Action::Continue
    };
    let (_, after) = run_hooked(&case, 32, &hook).expect("runs");
    let (scratch, sorted) = (last.into_inner().unwrap(), from_bytes::<u32>(&after[1]));
    let array_at = |first: usize| (0..32).all(|lane| (0..24).all(|k| scratch[(first + k) * 32 + lane] == sorted[lane * 24 + k]));
    assert!((0..=scratch.len() / 32 - 24).any(array_at));
}

#[test]
fn a_hook_stops_the_dispatch_at_its_instruction() {
    let case = case_of("triad", 32);
    let hook = |s: &Step| if s.wave == 1 { Action::Stop } else { Action::Continue };
    match run_hooked(&case, 32, &hook) {
        Err(Error::Limit(limit)) => {
            let Limit::Stopped(at) = &*limit else { panic!("{limit:?}") };
            assert_eq!((at.kernel.as_str(), at.pc - at.entry, at.wave), ("triad", 0, 1));
            let text = limit.to_string();
            assert!(text.contains("`triad`+0x0 ") && text.contains("wave 1"), "{text}");
        }
        other => panic!("{:?}", other.map(|r| r.0)),
    }
}

#[test]
fn a_snapshot_stays_in_its_workgroup() {
    let case = case_of("triad", 32);
    let (first, second) = (Mutex::new(None), Mutex::new(false));
    let hook = |s: &Step| {
        let mut first = first.lock().unwrap();
        let snapshot = first.get_or_insert_with(|| s.snapshot().expect("memory can be copied")).clone();
        if s.group == snapshot.group() && !*second.lock().unwrap() { Action::Continue } else { Action::Restore(snapshot) }
    };
    // Once into the next workgroup, once into the next dispatch.
    for of in ["this dispatch", "another dispatch"] {
        match run_hooked(&case, 32, &hook) {
            Err(Error::Arg(text)) => assert!(text.contains(of), "{text}"),
            other => panic!("{:?}", other.map(|r| r.0)),
        }
        *second.lock().unwrap() = true;
    }
}

#[test]
fn a_snapshot_needs_a_deterministic_device() {
    let case = case_of("empty", 32);
    let device = Device::new(DeviceConfig { engine: Engine::Interp, threads: 1, ..Default::default() }).expect("a device");
    let module = case.module(&device, 32).expect("loads");
    let hook = |s: &Step| {
        assert!(matches!(s.snapshot(), Err(Error::Arg(_))));
        Action::Continue
    };
    case.run_hooked(&device, &module, Some(&hook)).expect("runs");
}
