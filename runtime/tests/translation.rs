//! What is translated, when and how often: functions are bounded, what runs rarely is interpreted, what was translated is found again. A
//! wave pays the same and stops at the same places however its code was translated.

use std::sync::atomic::AtomicU32;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Accuracy, Buffer, CodeLaunch, CodeStats, Device, DeviceConfig, DispatchStats, Engine, Error, LaunchConfig, Limit};
use wavejit_isa::Gfx;
use wavejit_isa::asm::assemble;

const ENGINES: [Engine; 2] = [Engine::Interp, Engine::Jit];

fn device(engine: Engine) -> Device {
    Device::new(DeviceConfig { engine, threads: 1, ..Default::default() }).unwrap()
}

/// Assembled gfx1100 code.
fn words(source: &str) -> Vec<u8> {
    assemble(source, Gfx::GFX1100, 32).unwrap_or_else(|e| panic!("{e:?}")).bytes
}

/// How to run code: s[0:1] is the address of `out`, v0 the number of the work-item.
struct Run<'a> {
    items: u32,
    max_insts: u64,
    cancel: Option<&'a AtomicU32>,
}

const ONE_WAVE: Run = Run { items: 32, max_insts: 0, cancel: None };

impl Run<'_> {
    fn of(&self, device: &Device, code: &Buffer, out: &Buffer) -> Result<DispatchStats, Error> {
        let raw = RawInit {
            target: Gfx::GFX1100,
            wave_size: 32,
            entry: code.address(),
            // Float mode: denormals kept. User SGPRs 2. 24 VGPRs.
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12 | 2, rsrc2: 2 << 1, rsrc3: 0 },
            user_data: &[out.address() as u32, (out.address() >> 32) as u32],
            scratch_bytes: 0,
        };
        device.run_code(&CodeLaunch {
            name: "test",
            code: (code.address(), code.address() + code.len() as u64),
            init: WaveInit::raw(&raw),
            config: LaunchConfig {
                max_insts: self.max_insts,
                cancel: self.cancel,
                ..LaunchConfig::new([self.items, 1, 1], [self.items, 1, 1])
            },
        })
    }
}

/// Runs one wave of a program on a new device.
fn run(engine: Engine, source: &str) -> (DispatchStats, Vec<u8>, CodeStats) {
    let device = device(engine);
    let (code, out) = (device.upload(&words(source)).unwrap(), device.alloc(4096).unwrap());
    let stats = ONE_WAVE.of(&device, &code, &out).unwrap();
    (stats, out.to_vec().unwrap(), device.code_stats())
}

/// Jumps in turn to each of `n` instructions, which all lead back; v1 counts what was run.
fn jumps_to_each_of(n: u32) -> String {
    let adds = " v_add_nc_u32 v1, 1, v1\n".repeat(n as usize);
    format!(
        " v_mov_b32 v1, 0
          s_getpc_b64 s[4:5]
          s_mov_b32 s6, 36              // from here to the first
        loop:
          s_add_u32 s8, s4, s6
          s_addc_u32 s9, s5, 0
          s_add_u32 s6, s6, 4
          s_cmp_gt_u32 s6, {last}
          s_cbranch_scc1 out
          s_setpc_b64 s[8:9]
          s_nop 0
          {adds}
          s_branch loop
        out:
          v_lshlrev_b32 v2, 2, v0
          global_store_b32 v2, v1, s[0:1]
          s_endpgm",
        last = 36 + 4 * n
    )
}

#[test]
fn jumps_into_many_addresses_are_interpreted() {
    let n = 300;
    let source = jumps_to_each_of(n);
    for engine in ENGINES {
        let (stats, out, code) = run(engine, &source);
        assert_eq!(out[..4], (n * (n + 1) / 2).to_le_bytes(), "{engine:?}");
        // Each way round: 6 instructions, those from the target on, and the branch.
        assert_eq!(stats.guest_insts, u64::from(3 + n * 7 + n * (n + 1) / 2 + 5 + 3), "{engine:?}");
        assert!(code.compiled <= 2, "{engine:?}: {code:?}");
        assert!(code.lifted <= u64::from(n) + 8, "{engine:?}: {code:?}");
        assert!(code.lifted_insts <= u64::from(n) * 140, "{engine:?}: {code:?}");
    }
}

#[test]
fn many_float_modes_are_interpreted() {
    // Bits 9:0 of MODE count to 1024; v1 sums up what 1 + 2^-24 is in each.
    let source = "
          v_mov_b32 v1, 0
          s_mov_b32 s6, 0
        loop:
          s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s6
          s_add_u32 s6, s6, 1
          v_add_f32 v2, 1.0, 0x33800000
          v_add_nc_u32 v1, v1, v2
          s_cmp_lt_u32 s6, 0x400
          s_cbranch_scc1 loop
          v_lshlrev_b32 v2, 2, v0
          global_store_b32 v2, v1, s[0:1]
          s_endpgm";
    for engine in ENGINES {
        let (stats, out, code) = run(engine, source);
        // One way of rounding in four rounds up.
        let sum = (0x3f80_0000u32 * 4 + 1).wrapping_mul(256);
        assert_eq!(out[..4], sum.to_le_bytes(), "{engine:?}");
        assert_eq!(stats.guest_insts, 2 + 1024 * 6 + 3, "{engine:?}");
        assert!(code.compiled <= 1 && code.lifted <= 1030 && code.lifted_insts <= 1030 * 20, "{engine:?}: {code:?}");
    }
}

#[test]
fn only_what_waves_come_to_is_translated() {
    // 20,000 instructions, most of which are jumped over.
    let nops = "s_nop 0\n".repeat(10_000);
    let source = format!("s_branch there\n{nops}\nthere: s_nop 1\ns_branch end\n{nops}\nend: s_endpgm");
    for engine in ENGINES {
        let (stats, _, code) = run(engine, &source);
        assert_eq!((stats.guest_insts, code.lifted, code.lifted_insts), (4, 1, 4), "{engine:?}");
    }
    let long: String = (0..10_000).map(|i| format!("s_movk_i32 s6, {i}\n")).chain(["s_endpgm".into()]).collect();
    for engine in ENGINES {
        let (stats, _, code) = run(engine, &long);
        assert_eq!((stats.guest_insts, code.lifted_insts), (10_001, 10_001), "{engine:?}");
        let (compiled, most_lifted) = if engine == Engine::Jit { (10_001, 3) } else { (0, 60) };
        assert!(code.compiled_insts == compiled && code.lifted <= most_lifted, "{engine:?}: {code:?}");
    }
}

/// A loop that calls a function whose address is not known before; v1 counts.
const HOT: &str = "
          v_mov_b32 v1, 0
          s_mov_b32 s6, 0
          s_call_b64 s[4:5], over       // s[4:5]: what follows
          v_add_nc_u32 v1, 1, v1
          s_add_u32 s6, s6, 1
          s_nop 0
          s_setpc_b64 s[10:11]
        over:
          v_mov_b32 v2, s4
          v_readfirstlane_b32 s4, v2
        loop:
          s_swappc_b64 s[10:11], s[4:5]
          s_cmp_lt_u32 s6, 0x3000
          s_cbranch_scc1 loop
          v_lshlrev_b32 v2, 2, v0
          global_store_b32 v2, v1, s[0:1]
          s_endpgm";
/// Guest instructions of a wave in it.
const HOT_INSTS: u64 = 5 + 0x3000 * 7 + 3;

#[test]
fn what_is_interpreted_much_is_compiled() {
    for engine in ENGINES {
        let (stats, out, code) = run(engine, HOT);
        assert_eq!(out[..4], 0x3000u32.to_le_bytes(), "{engine:?}");
        assert_eq!(stats.guest_insts, HOT_INSTS, "{engine:?}");
        let wanted = if engine == Engine::Jit { 2..=5 } else { 0..=0 };
        assert!(wanted.contains(&code.compiled), "{engine:?}: {code:?}");
    }
}

#[test]
fn a_loop_gets_out_of_the_interpreter_while_it_runs() {
    // Reached by a jump; never left for other code.
    let source = "
          s_call_b64 s[4:5], over
          s_nop 0
          s_mov_b32 s6, 0x100000
        loop:
          s_sub_u32 s6, s6, 1
          s_cmp_lg_u32 s6, 0
          s_cbranch_scc1 loop
          s_endpgm
        over:
          s_add_u32 s4, s4, 4
          s_addc_u32 s5, s5, 0
          v_mov_b32 v2, s4
          v_readfirstlane_b32 s4, v2
          s_setpc_b64 s[4:5]";
    let (stats, _, code) = run(Engine::Jit, source);
    assert_eq!(stats.guest_insts, 6 + 1 + 3 * 0x10_0000 + 1);
    assert_eq!(code.compiled, 2, "{code:?}");
}

#[test]
fn a_budget_ends_at_the_same_instruction_however_the_code_was_translated() {
    let source = jumps_to_each_of(5);
    let mut warm: Vec<(Device, Buffer, Buffer)> = vec![];
    for engine in ENGINES {
        let device = device(engine);
        let (code, out) = (device.upload(&words(&source)).unwrap(), device.alloc(4096).unwrap());
        warm.push((device, code, out));
    }
    let total = ONE_WAVE.of(&warm[0].0, &warm[0].1, &warm[0].2).unwrap().guest_insts;
    for max_insts in 1..total + 3 {
        for (device, code, out) in &warm {
            let result = Run { max_insts, ..ONE_WAVE }.of(device, code, out);
            match result {
                Ok(stats) => assert!(max_insts >= total && stats.guest_insts == total, "{max_insts}"),
                Err(Error::Limit(limit)) => assert!(max_insts < total && limit.to_string().contains("budget"), "{max_insts}: {limit}"),
                Err(e) => panic!("{max_insts}: {e}"),
            }
        }
    }
}

#[test]
fn waves_take_turns_at_the_same_instructions_however_the_code_was_translated() {
    // Each of two waves goes 10 times through 30,000 instructions, half of them by computed jumps, and takes a number each time; the order of the
    // numbers is the order of their slices.
    let source = "
          v_mov_b32 v3, 1
          v_mov_b32 v4, 0
          v_readfirstlane_b32 s10, v0
          s_mov_b32 s7, 10
          s_call_b64 s[4:5], over
          s_nop 0
          s_cmp_eq_u32 s6, 0            // where the jumps go to
          s_cbranch_scc1 ready
        jumps:
          s_sub_u32 s6, s6, 1
          s_setpc_b64 s[4:5]
        over:
          s_add_u32 s4, s4, 4
          s_addc_u32 s5, s5, 0
          v_mov_b32 v2, s4
          v_readfirstlane_b32 s4, v2
        again:
          s_movk_i32 s6, 0xbb8
        spin:
          s_sub_u32 s6, s6, 1
          s_nop 0
          s_nop 0
          s_cmp_lg_u32 s6, 0
          s_cbranch_scc1 spin
          s_movk_i32 s6, 0xfa0
          s_branch jumps
        ready:
          s_mov_b32 exec_lo, 1
          global_atomic_add_u32 v5, v4, v3, s[0:1] glc
          s_waitcnt vmcnt(0)
          v_lshlrev_b32 v5, 2, v5
          v_mov_b32 v7, s10
          global_store_b32 v5, v7, s[0:1] offset:64
          s_mov_b32 exec_lo, -1
          s_sub_u32 s7, s7, 1
          s_cmp_lg_u32 s7, 0
          s_cbranch_scc1 again
          s_endpgm";
    let order = |device: &Device| {
        let (code, out) = (device.upload(&words(source)).unwrap(), device.alloc(4096).unwrap());
        let stats = Run { items: 64, ..ONE_WAVE }.of(device, &code, &out).unwrap();
        (stats.guest_insts, out.to_vec().unwrap())
    };
    let (insts, interpreted) = order(&device(Engine::Interp));
    let taken: Vec<u8> = interpreted[64..64 + 80].chunks(4).map(|w| w[0]).collect();
    assert!(taken.iter().all(|w| [0, 32].contains(w)), "{taken:?}");
    assert!(taken.windows(2).filter(|w| w[0] != w[1]).count() > 3, "the waves take turns: {taken:?}");
    let jit = device(Engine::Jit);
    // Cold, warm and hot.
    for round in 0..3 {
        assert_eq!(order(&jit), (insts, interpreted.clone()), "round {round}: {taken:?}");
    }
    assert!(jit.code_stats().compiled > 1);
}

#[test]
fn a_canceled_launch_translates_nothing() {
    for engine in ENGINES {
        let device = device(engine);
        let code = device.upload(&words(&jumps_to_each_of(300))).unwrap();
        let cancel = AtomicU32::new(1);
        let Err(Error::Limit(limit)) = Run { cancel: Some(&cancel), ..ONE_WAVE }.of(&device, &code, &code) else { panic!("not canceled") };
        assert_eq!(*limit, Limit::Canceled { kernel: "test".into() });
        assert_eq!((device.code_stats().lifted, device.code_stats().compiled), (0, 0));
    }
}

#[test]
fn the_same_code_elsewhere_is_not_translated_again() {
    for engine in ENGINES {
        let device = device(engine);
        let out = device.alloc(4096).unwrap();
        let bytes = words(HOT);
        let first = device.upload(&bytes).unwrap();
        ONE_WAVE.of(&device, &first, &out).unwrap();
        let before = device.code_stats();
        let second = device.upload(&bytes).unwrap();
        let stats = ONE_WAVE.of(&device, &second, &out).unwrap();
        let after = device.code_stats();
        assert_eq!(out.to_vec().unwrap()[..4], 0x3000u32.to_le_bytes());
        assert_eq!(stats.guest_insts, HOT_INSTS);
        // What is interpreted because it runs rarely is made again.
        assert_eq!(after.compiled, before.compiled, "{engine:?}");
        assert!(after.found > before.found, "{engine:?}");
        // Every byte counts.
        let mut other = bytes.clone();
        let last = other.len() - 12;
        other[last] ^= 4;
        let third = device.upload(&other).unwrap();
        let _ = ONE_WAVE.of(&device, &third, &out);
        assert!(device.code_stats().lifted > after.lifted, "{engine:?}");
    }
}

#[test]
fn code_found_elsewhere_knows_where_it_is() {
    for engine in ENGINES {
        let device = device(engine);
        let out = device.alloc(4096).unwrap();
        // Stores its own address, the address behind a call, and then to nowhere.
        let bytes = words(
            "s_getpc_b64 s[4:5]
             s_call_b64 s[6:7], next
           next:
             v_mov_b32 v1, 0
             v_mov_b32 v2, s4
             v_mov_b32 v3, s5
             global_store_b64 v1, v[2:3], s[0:1]
             v_mov_b32 v2, s6
             v_mov_b32 v3, s7
             global_store_b64 v1, v[2:3], s[0:1] offset:8
             global_load_b32 v1, v1, s[6:7]
             s_mov_b64 s[0:1], 0
             global_store_b32 v1, v1, s[0:1]
             s_endpgm",
        );
        let mut kept = vec![];
        for _ in 0..3 {
            let code = device.upload(&bytes).unwrap();
            let Err(Error::Fault(fault)) = ONE_WAVE.of(&device, &code, &out) else { panic!("a store to nowhere") };
            let text = fault.to_string();
            let store = code.len() as u64 - 12;
            let place = format!("kernel `test`+{store:#x} (pc {:#x}", code.address() + store);
            assert!(text.contains(&place), "{engine:?}: {text}");
            let words: Vec<u64> = out.to_vec().unwrap().chunks(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
            assert_eq!(words[..2], [code.address() + 4, code.address() + 8], "{engine:?}");
            kept.push(code);
        }
        assert_eq!(device.code_stats().lifted, 1);
    }
}

#[test]
fn raw_code_that_changed_in_memory_is_translated_again() {
    for engine in ENGINES {
        let device = device(engine);
        let (code, out) = (device.alloc(64).unwrap(), device.alloc(4096).unwrap());
        let program = |value: u32| words(&format!("v_mov_b32 v1, {value}\nv_mov_b32 v2, 0\nglobal_store_b32 v2, v1, s[0:1]\ns_endpgm"));
        for (value, lifted) in [(1, 1), (2, 2), (2, 2), (1, 2)] {
            code.write(0, &program(value)).unwrap();
            ONE_WAVE.of(&device, &code, &out).unwrap();
            assert_eq!(out.to_vec().unwrap()[..4], value.to_le_bytes(), "{engine:?}");
            assert_eq!(device.code_stats().lifted, lifted, "{engine:?}");
        }
    }
}

#[test]
fn the_cache_of_translations_has_its_bound() {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads: 1, code_cache_bytes: 100_000, ..Default::default() }).unwrap();
    let out = device.alloc(4096).unwrap();
    let program = |value: u32| {
        let code =
            device.upload(&words(&format!("v_mov_b32 v1, {value}\nv_mov_b32 v2, 0\nglobal_store_b32 v2, v1, s[0:1]\ns_endpgm"))).unwrap();
        ONE_WAVE.of(&device, &code, &out).unwrap();
        assert!(device.code_stats().kept_bytes <= 100_000, "{value}: {:?}", device.code_stats());
        device.code_stats().compiled
    };
    for value in 100..160 {
        program(value);
        // Used all the time, so always there.
        program(100);
    }
    let compiled = device.code_stats().compiled;
    assert_eq!(compiled, 60);
    // Longest not used, so gone.
    assert_eq!(program(101), compiled + 1);
}

/// numerics.md section 6: within 1 ulp on request, the same with both engines; correctly rounded else.
#[test]
fn results_within_one_ulp_are_those_of_both_engines() {
    let source = "
        v_add_nc_u32 v1, 1, v0
        v_cvt_f32_u32 v1, v1
        v_mul_f32 v1, 0x3eaaaaab, v1
        v_rsq_f32 v2, v1
        v_exp_f32 v3, v1
        v_log_f32 v4, v1
        v_mul_u32_u24 v5, 12, v0
        global_store_b96 v5, v[2:4], s[0:1]
        s_endpgm";
    // Code that is kept in files is told apart, too.
    let directory = std::env::temp_dir().join(format!("wavejit-accuracy-{}", std::process::id()));
    let results = |engine, accuracy| -> Vec<f32> {
        let device = Device::new(DeviceConfig { engine, accuracy, threads: 1, ..Default::default() }).unwrap();
        device.keep_code_in(&directory).unwrap();
        let (code, out) = (device.upload(&words(source)).unwrap(), device.alloc(4096).unwrap());
        ONE_WAVE.of(&device, &code, &out).unwrap();
        out.to_vec().unwrap()[..32 * 12].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let [nearest, near] = [Accuracy::Nearest, Accuracy::OneUlp].map(|accuracy| {
        let [a, b] = ENGINES.map(|engine| results(engine, accuracy));
        assert_eq!(a, b, "{accuracy:?}");
        a
    });
    let again = [Accuracy::Nearest, Accuracy::OneUlp].map(|accuracy| results(Engine::Jit, accuracy));
    std::fs::remove_dir_all(&directory).ok();
    assert_eq!(again, [nearest.clone(), near.clone()]);
    assert_ne!(nearest, near);
    for (i, (nearest, near)) in nearest.iter().zip(&near).enumerate() {
        let x = (i / 3 + 1) as f32 * f32::from_bits(0x3eaa_aaab);
        let exact = match i % 3 {
            0 => 1.0 / f64::from(x).sqrt(),
            1 => f64::from(x).exp2(),
            _ => f64::from(x).log2(),
        };
        let ulp = 2f64.powi(exact.abs().max(1e-30).log2().floor() as i32 - 23);
        assert_eq!(*nearest, exact as f32, "{i}");
        assert!((f64::from(*near) - exact).abs() < ulp, "{i}: {near:e} for {exact:e}");
    }
}
