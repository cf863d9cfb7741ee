//! Code that is longer than a function: it runs compiled from end to end, in functions that follow one another, and as the interpreter runs it.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Buffer, CodeLaunch, Device, DeviceConfig, DispatchStats, Engine, Error, LaunchConfig};
use wavejit_isa::Gfx;
use wavejit_isa::asm::assemble;
use wavejit_random::Random;

/// Parts of the kernel; an instruction of each part leads out of it.
const PARTS: u32 = 12;
/// Instructions of a part, about.
const PART: u32 = 1_400;
/// Parts that a wave goes through.
const STEPS: u32 = 60;

/// Instructions that mix v1 to v7, of one dword but for some.
fn mix(rng: &mut Random, count: u32, to: &mut String) {
    for _ in 0..count {
        let [d, a, b] = [0; 3].map(|_| 1 + rng.below(7));
        let _ = match rng.below(6) {
            0 => writeln!(to, "v_add_nc_u32 v{d}, {}, v{a}", rng.below(64)),
            1 => writeln!(to, "v_xor_b32 v{d}, v{a}, v{b}"),
            2 => writeln!(to, "v_lshlrev_b32 v{d}, {}, v{a}", 1 + rng.below(3)),
            3 => writeln!(to, "v_sub_nc_u32 v{d}, v{a}, v{b}"),
            4 => writeln!(to, "v_or_b32 v{d}, {}, v{a}", rng.below(64)),
            _ => writeln!(to, "v_mad_u32_u24 v{d}, v{a}, 7, v{b}"),
        };
    }
}

/// A kernel of about 17,000 instructions: its parts fall through into the next one, jump over some, and jump back; have loops; and call a function
/// behind them. At its end `last` follows. Each lane stores v1 behind s[0:1].
fn kernel(seed: u64, last: &str) -> String {
    let rng = &mut Random(seed);
    let mut text = String::from("s_mov_b32 s6, 0\n");
    for register in 1..8 {
        let _ = writeln!(text, "v_add_nc_u32 v{register}, {register}, v0");
    }
    for part in 0..PARTS {
        let (over, back) = ((part * 5 + 3) % PARTS, (part + PARTS - 1) % PARTS);
        let _ = writeln!(text, "part_{part}:");
        mix(rng, PART / 2, &mut text);
        let _ = writeln!(text, "s_call_b64 s[12:13], function\ns_mov_b32 s8, 5\nloop_{part}:");
        mix(rng, 40, &mut text);
        let _ = writeln!(text, "s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop_{part}");
        mix(rng, PART / 2, &mut text);
        let _ = writeln!(
            text,
            "s_add_u32 s6, s6, 1
             s_cmp_eq_u32 s6, {STEPS}
             s_cbranch_scc1 out
             s_and_b32 s7, s6, 3
             s_cmp_eq_u32 s7, 0
             s_cbranch_scc1 part_{over}
             s_cmp_eq_u32 s7, 1
             s_cbranch_scc1 part_{back}"
        );
    }
    text += "s_branch part_0\nfunction:\n";
    mix(rng, 500, &mut text);
    text += "s_setpc_b64 s[12:13]\nout:\n";
    text += last;
    text + "v_lshlrev_b32 v2, 2, v0\nglobal_store_b32 v2, v1, s[0:1]\ns_endpgm\n"
}

fn device(engine: Engine, threads: usize) -> Device {
    Device::new(DeviceConfig { engine, threads, ..Default::default() }).unwrap()
}

/// Code and a buffer on a device.
struct Loaded {
    device: Device,
    wave_size: u32,
    code: Buffer,
    out: Buffer,
}

impl Loaded {
    fn new(device: Device, source: &str, wave_size: u32) -> Loaded {
        let words = assemble(source, Gfx::GFX1100, wave_size).unwrap_or_else(|e| panic!("{e:?}")).bytes;
        let (code, out) = (device.upload(&words).unwrap(), device.alloc(4096).unwrap());
        Loaded { device, wave_size, code, out }
    }

    /// Four waves of two workgroups; s[0:1] is the address of `out`, v0 the number of the work-item.
    fn run(&self, max_insts: u64, cancel: Option<&AtomicU32>) -> Result<DispatchStats, Error> {
        let (address, group) = (self.out.address(), 2 * self.wave_size);
        let raw = RawInit {
            target: Gfx::GFX1100,
            wave_size: self.wave_size,
            entry: self.code.address(),
            // Float mode: denormals kept. User SGPRs 2. 24 VGPRs.
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12 | 2, rsrc2: 2 << 1, rsrc3: 0 },
            user_data: &[address as u32, (address >> 32) as u32],
            scratch_bytes: 0,
        };
        self.device.run_code(&CodeLaunch {
            name: "large",
            code: (self.code.address(), self.code.address() + self.code.len() as u64),
            init: WaveInit::raw(&raw),
            config: LaunchConfig { max_insts, cancel, ..LaunchConfig::new([2 * group, 1, 1], [group, 1, 1]) },
        })
    }

    /// Of a compiled program: how many instructions were compiled. None was interpreted.
    fn compiled(&self) -> u64 {
        let stats = self.device.code_stats();
        assert_eq!(stats.interpreted_insts, 0, "{stats:?}");
        stats.compiled_insts
    }
}

#[test]
fn large_code_runs_compiled_from_end_to_end() {
    for (wave_size, seed) in [(32, 1), (64, 2)] {
        let source = kernel(seed, "");
        let [jit, interp] = [Engine::Jit, Engine::Interp].map(|engine| Loaded::new(device(engine, 2), &source, wave_size));
        let insts = jit.run(0, None).unwrap().guest_insts;
        assert_eq!(insts, interp.run(0, None).unwrap().guest_insts);
        assert_eq!(interp.device.code_stats().interpreted_insts, insts);
        assert!(jit.out.to_vec().unwrap() == interp.out.to_vec().unwrap());
        let compiled = jit.compiled();
        let there = u64::from(PARTS * PART);
        assert!((there..3 * there).contains(&compiled), "wave{wave_size}: {:?}", jit.device.code_stats());
        // All is there now.
        jit.run(0, None).unwrap();
        assert_eq!(jit.compiled(), compiled);
    }
}

#[test]
fn straight_code_is_compiled_once() {
    let mut adds = String::new();
    mix(&mut Random(3), 30_000, &mut adds);
    let source = format!("{adds}s_endpgm");
    let jit = Loaded::new(device(Engine::Jit, 2), &source, 32);
    assert_eq!(jit.run(0, None).unwrap().guest_insts, 4 * 30_001);
    assert_eq!(jit.compiled(), 30_001);
}

#[test]
fn a_loop_over_large_code_comes_back_to_what_is_compiled() {
    // Not a multiple of what a function may have.
    let mut body = String::new();
    mix(&mut Random(4), 10_000, &mut body);
    let source = format!(
        "s_mov_b32 s6, 50
         again:
         {body}
         s_sub_u32 s6, s6, 1
         s_cmp_eq_u32 s6, 0
         s_cbranch_scc1 out
         s_branch again
         out: s_endpgm"
    );
    let jit = Loaded::new(device(Engine::Jit, 2), &source, 32);
    assert_eq!(jit.run(0, None).unwrap().guest_insts, 4 * (1 + 50 * 10_004 - 1 + 1));
    assert!(jit.compiled() < 2 * 10_004, "{:?}", jit.device.code_stats());
}

#[test]
fn budgets_and_faults_are_those_of_the_interpreter() {
    // Each lane stores to where nothing is.
    let fault = "v_mov_b32 v3, 0x1000\nv_mov_b32 v4, 0x77\nglobal_store_b32 v[3:4], v1, off\n";
    let source = kernel(5, fault);
    let [jit, interp] = [Engine::Jit, Engine::Interp].map(|engine| Loaded::new(device(engine, 1), &source, 32));
    let said = |of: &Loaded, max_insts| {
        let Err(e) = of.run(max_insts, None) else { panic!("it has a fault") };
        e.to_string()
    };
    let fault = said(&jit, 0);
    assert!(fault.contains("0x7700001000"), "{fault}");
    assert_eq!(fault, said(&interp, 0));
    for max_insts in [1, 1_000, 4_095, 4_096, 4_097, 10_000, 33_333, 100_000] {
        let budget = said(&jit, max_insts);
        assert!(budget.contains("budget"), "{budget}");
        assert_eq!(budget, said(&interp, max_insts));
    }
    jit.compiled();
}

// Where a wave ends is not noted: its kernel is named, whatever function of it the wave came through last.
#[test]
fn a_wave_that_ends_over_its_budget_is_told_at_its_beginning() {
    let mut adds = String::new();
    mix(&mut Random(6), 10_000, &mut adds);
    let source = format!("{adds}s_endpgm");
    for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
        let Err(e) = Loaded::new(device(engine, 1), &source, 32).run(3000, None) else { panic!("{engine:?}: it has a budget") };
        let text = e.to_string();
        assert!(text.contains("budget of 3000 used up: kernel `large`+0x0 "), "{engine:?}: {text}");
    }
}

#[test]
fn large_code_is_loaded_from_files() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("large-code");
    let _ = std::fs::remove_dir_all(&directory);
    let source = kernel(6, "");
    let mut first: Option<(Vec<u8>, u64)> = None;
    for _ in 0..2 {
        let device = device(Engine::Jit, 2);
        device.keep_code_in(&directory).unwrap();
        let loaded = Loaded::new(device, &source, 32);
        loaded.run(0, None).unwrap();
        let (out, compiled, stats) = (loaded.out.to_vec().unwrap(), loaded.compiled(), loaded.device.code_stats());
        match first.take() {
            None => first = Some((out, stats.compiled)),
            Some(before) => {
                assert_eq!((stats.loaded, compiled), (before.1, 0), "{stats:?}");
                assert!(out == before.0);
            }
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn large_code_can_be_canceled() {
    let source = kernel(7, "s_branch part_0\n");
    let loaded = Loaded::new(device(Engine::Jit, 2), &source, 32);
    let cancel = AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            cancel.store(1, Relaxed);
        });
        let Err(e) = loaded.run(0, Some(&cancel)) else { panic!("it does not end") };
        assert!(e.to_string().contains("cancel"), "{e}");
    });
}
