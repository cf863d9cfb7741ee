//! Waves that wait: for each other in lockstep, and for what nobody writes.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{
    Action, Buffer, CodeLaunch, Deadlock, Device, DeviceConfig, DispatchStats, Doing, Engine, Error, LaunchConfig, Limit, Schedule,
};
use wavejit_isa::{Gfx, assemble};

/// s0..s1 = address of `data`, s2 = workgroup id x; v0 = work-item id.
fn run(device: &Device, text: &str, data: &Buffer, config: LaunchConfig) -> Result<DispatchStats, Error> {
    let code = device.upload(&assemble(text, Gfx::GFX1100, 32).expect("it assembles").bytes)?;
    let user = [data.address() as u32, (data.address() >> 32) as u32];
    let rsrc = PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 2 << 1 | 1 << 7, rsrc3: 0 };
    let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry: code.address(), rsrc, user_data: &user, scratch_bytes: 0 };
    let mut init = WaveInit::raw(&raw);
    init.lds_bytes = 1024;
    device.run_code(&CodeLaunch { name: "test", code: (code.address(), code.address() + code.len() as u64), init, config })
}

fn words(buffer: &Buffer) -> Vec<u32> {
    buffer.to_vec().expect("its bytes").chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Each work-item stores its number to LDS and loads that of another wave, without a barrier between.
const NEIGHBOR: &str = "v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 0x80, v1
    ds_store_b32 v1, v0
    ds_load_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    global_store_b32 v1, v3, s[0:1]
    s_endpgm";

#[test]
fn in_lockstep_waves_run_an_instruction_each() {
    let neighbor: Vec<u32> = (0..64).map(|i| i ^ 32).collect();
    for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
        for schedule in [Schedule::Turns, Schedule::Lockstep] {
            let device = Device::new(DeviceConfig { engine, schedule, threads: 1, ..Default::default() }).expect("a device");
            let out = device.alloc(256).expect("memory");
            let stats = run(&device, NEIGHBOR, &out, LaunchConfig::new([64, 1, 1], [64, 1, 1])).expect("it runs");
            assert_eq!((stats.waves, stats.guest_insts), (2, 14), "{engine:?} {schedule:?}");
            // In turns the first wave has come to its end before the second begins.
            assert_eq!(words(&out) == neighbor, schedule == Schedule::Lockstep, "{engine:?} {schedule:?}: {:?}", words(&out));
        }
    }
}

#[test]
fn waves_in_lockstep_pass_barriers_loops_and_sleeps() {
    // Eight rounds: each work-item adds the number of its neighbor's, with barriers, sleeps and a loop.
    let text = "v_lshlrev_b32 v1, 2, v0
        v_xor_b32 v2, 0x80, v1
        s_mov_b32 s4, 8
    again:
        ds_store_b32 v1, v0
        s_waitcnt lgkmcnt(0)
        s_barrier
        ds_load_b32 v3, v2
        s_waitcnt lgkmcnt(0)
        s_barrier
        s_sleep 1
        v_add_nc_u32 v0, v0, v3
        s_sub_u32 s4, s4, 1
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 again
        global_store_b32 v1, v0, s[0:1]
        s_endpgm";
    let device = Device::new(DeviceConfig { schedule: Schedule::Lockstep, threads: 1, ..Default::default() }).expect("a device");
    let out = device.alloc(256).expect("memory");
    let run = |config| run(&device, text, &out, config);
    run(LaunchConfig::new([64, 1, 1], [64, 1, 1])).expect("it runs");
    let expected: Vec<u32> = (0..64).map(|i| (i + (i ^ 32)) << 7).collect();
    assert_eq!(words(&out), expected);
    // A budget ends it, and a hook that sees one wave at a time has no place here.
    let short = LaunchConfig { max_insts: 20, ..LaunchConfig::new([64, 1, 1], [64, 1, 1]) };
    assert!(run(short).expect_err("too short").to_string().starts_with("instruction budget of 20 used up"));
    let hook = |_: &wavejit::Step| Action::Continue;
    let hooked = LaunchConfig { hook: Some(&hook), ..LaunchConfig::new([64, 1, 1], [64, 1, 1]) };
    assert!(run(hooked).expect_err("refused").to_string().contains("Schedule::Turns"));
}

#[test]
fn a_wave_that_waits_for_another_thread_keeps_its_budget() {
    // The first workgroup is busy for 20 ms of the clock of 100 MHz, the second looks 400 instructions at a time whether it is done.
    let text = format!(
        "v_mov_b32 v1, 0
         s_cmp_lg_u32 s2, 0
         s_cbranch_scc1 look
         s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)
         s_waitcnt lgkmcnt(0)
     busy:
         s_sendmsg_rtn_b64 s[8:9], sendmsg(MSG_RTN_GET_REALTIME)
         s_waitcnt lgkmcnt(0)
         s_sub_u32 s8, s8, s6
         s_cmp_lt_u32 s8, 2000000
         s_cbranch_scc1 busy
         v_mov_b32 v2, 1
         global_store_b32 v1, v2, s[0:1]
         s_endpgm
     look:
         s_sleep 1
         {}
         global_load_b32 v2, v1, s[0:1] glc
         s_waitcnt vmcnt(0)
         v_readfirstlane_b32 s4, v2
         s_cmp_eq_u32 s4, 0
         s_cbranch_scc1 look
         global_store_b32 v1, v2, s[0:1] offset:4
         s_endpgm",
        "s_nop 0\n".repeat(400)
    );
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads: 2, ..Default::default() }).expect("a device");
    let data = device.alloc(8).expect("memory");
    run(&device, &text, &data, LaunchConfig { max_insts: 10_000_000, ..LaunchConfig::new([2, 1, 1], [1; 3]) }).expect("both end");
    assert_eq!(words(&data), [1, 1]);
}

/// Polls the first dword of the data until it is not 0, then adds 1 to the second.
const POLL: &str = "v_mov_b32 v1, 0
    again:
        s_sleep 1
        global_load_b32 v2, v1, s[0:1] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s4, v2
        s_cmp_eq_u32 s4, 0
        s_cbranch_scc1 again
        v_mov_b32 v3, 1
        global_atomic_add_u32 v1, v3, s[0:1] offset:4
        s_endpgm";

fn deadlock(result: Result<DispatchStats, Error>) -> Deadlock {
    match result {
        Err(Error::Limit(limit)) => match *limit {
            Limit::Deadlock(deadlock) => *deadlock,
            other => panic!("not a deadlock: {other}"),
        },
        other => panic!("not a deadlock: {other:?}"),
    }
}

#[test]
fn workgroups_that_wait_for_what_nobody_writes_are_told_with_their_places() {
    for (engine, threads) in [(Engine::Jit, 2), (Engine::Interp, 1)] {
        let device = Device::new(DeviceConfig { engine, threads, ..Default::default() }).expect("a device");
        let flag = device.alloc(8).expect("memory");
        let end = |_: &Deadlock| true;
        let config = LaunchConfig { on_deadlock: Some(&end), ..LaunchConfig::new([3 * 32, 1, 1], [32, 1, 1]) };
        let found = deadlock(run(&device, POLL, &flag, config));
        assert_eq!(found.workgroups, 3, "{engine:?}");
        assert!(!found.places.is_empty());
        for (place, doing) in &found.places {
            assert_eq!((*doing, place.wave, place.kernel.as_str()), (Doing::Runs, 0, "test"));
            assert_eq!((place.pc - place.entry) as usize, 8, "after s_sleep");
            assert!(place.inst.as_ref().is_some_and(|text| text.starts_with("global_load_b32")), "{place}");
        }
        assert!(found.to_string().contains("polls"), "{found}");
    }
}

#[test]
fn a_barrier_that_a_wave_never_comes_to_is_a_deadlock() {
    let text = "v_readfirstlane_b32 s4, v0
        s_cmp_lg_u32 s4, 32
        s_cbranch_scc1 wait
    again:
        s_branch again
    wait:
        s_barrier
        s_endpgm";
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads: 1, ..Default::default() }).expect("a device");
    let data = device.alloc(8).expect("memory");
    let end = |_: &Deadlock| true;
    let config = LaunchConfig { on_deadlock: Some(&end), ..LaunchConfig::new([64, 1, 1], [64, 1, 1]) };
    let found = deadlock(run(&device, text, &data, config));
    let doing: Vec<Doing> = found.places.iter().map(|p| p.1).collect();
    assert_eq!((found.workgroups, doing), (1, vec![Doing::Barrier, Doing::Runs]));
}

#[test]
fn who_is_told_may_write_and_the_waves_go_on() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads: 2, ..Default::default() }).expect("a device");
    let flag = device.alloc(8).expect("memory");
    let told = AtomicUsize::new(0);
    let write = |found: &Deadlock| {
        assert_eq!(found.workgroups, 3);
        told.fetch_add(1, Relaxed);
        flag.write(0, &[1]).expect("its bytes");
        false
    };
    let config = LaunchConfig { on_deadlock: Some(&write), ..LaunchConfig::new([3 * 32, 1, 1], [32, 1, 1]) };
    run(&device, POLL, &flag, config).expect("it ends");
    assert_eq!((told.load(Relaxed), words(&flag)), (1, vec![1, 3 * 32]));
}
