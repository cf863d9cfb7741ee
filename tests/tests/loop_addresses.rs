//! Addresses in pairs of registers that loops move on: compiled code against the interpreter, on random programs of that kind. (Those of
//! `random_programs` keep all registers to their end, which compiled kernels need not do.)

use std::fmt::Write;
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{CodeLaunch, Device, DeviceConfig, Engine, LaunchConfig};
use wavejit_isa::{Gfx, assemble};
use wavejit_random::Random;

const BYTES: usize = 64 << 10;
/// Work items: two waves.
const ITEMS: u32 = 64;

/// s[0:1] and s[2:3] point into the middle of what is read and what is written.
fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    for s in ["s_add_u32 s0, s0, 0x8000", "s_addc_u32 s1, s1, 0", "s_add_u32 s2, s2, 0x8000", "s_addc_u32 s3, s3, 0"] {
        line(s);
    }
    line("v_lshlrev_b32 v10, 2, v0\nv_mov_b32 v7, v0\nv_mov_b32 v6, 0");
    // Lanes that each go through memory of their own, a few bytes at a time.
    let streams = rng.one_in(2);
    match rng.below(5) {
        _ if streams => {
            let row = [64, 60, 37, 1000][rng.below(4) as usize];
            line(&format!("v_mul_u32_u24 v1, {row}, v0\nv_and_b32 v1, 0x3fff, v1"));
            if rng.one_in(3) {
                // The last ones are near the end of what is mapped.
                line("v_add_nc_u32 v1, 0x3f00, v1\nv_min_u32 v1, 0x7fd0, v1");
            }
        }
        0 | 1 => line("v_lshlrev_b32 v1, 2, v0"),
        2 => line("v_mov_b32 v1, 64"),
        3 => line("v_lshlrev_b32 v1, 5, v0"),
        _ => line("v_xor_b32 v1, 5, v0\nv_lshlrev_b32 v1, 2, v1"),
    }
    let pair = |low: u32, base: u32, of: u32| {
        let (high, next) = (low + 1, base + 1);
        format!(
            "v_add_co_u32 v{low}, vcc_lo, s{base}, v{of}\nv_mov_b32 v{high}, s{next}\nv_add_co_ci_u32_e64 v{high}, vcc_lo, 0, v{high}, vcc_lo"
        )
    };
    let region = rng.one_in(2);
    if region {
        line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s20, vcc_lo\ns_cbranch_execz out", 1 + rng.below(ITEMS)));
    }
    let nested = rng.one_in(3);
    if !nested || rng.one_in(2) {
        line(&pair(2, 0, 1));
    }
    line(&pair(4, 2, 10));
    if nested {
        line("s_mov_b32 s9, 3\nouter:");
        line(&pair(2, 0, 1));
        line("s_sub_u32 s0, s0, 12\ns_subb_u32 s1, s1, 0");
    }
    line(&format!("s_mov_b32 s8, {}", 1 + rng.below(9)));
    let step = [1, 2, 4, 4, 8, 12, 3][rng.below(7) as usize];
    let by = if streams { step } else { rng.below(200) as i32 * 4 - 400 };
    line(&format!("s_mov_b32 s10, {by}\ns_mov_b32 s11, {}\nloop:", by >> 31));
    let load = |rng: &mut Random| {
        let at = if streams { rng.below(4) as i32 * step.min(4) } else { rng.below(64) as i32 * 4 - 128 };
        match rng.below(if streams { 12 } else { 6 }) {
            6..=8 => {
                let op = ["u8", "i8", "u16", "i16"][rng.below(4) as usize];
                format!("global_load_{op} v6, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_mul_lo_u32 v7, v7, 5\nv_add_nc_u32 v7, v7, v6")
            }
            0 => format!(
                "global_load_b64 v[8:9], v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_xor_b32 v7, v7, v9\nv_add_nc_u32 v7, v7, v8"
            ),
            1 => format!("global_load_u8 v6, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v7, v7, v6"),
            _ => {
                format!("global_load_b32 v6, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_mul_lo_u32 v7, v7, 3\nv_add_nc_u32 v7, v7, v6")
            }
        }
    };
    for _ in 0..1 + rng.below(3) {
        line(&load(rng));
    }
    if rng.one_in(if streams { 6 } else { 2 }) {
        line("global_store_b32 v[4:5], v7, off");
    }
    match rng.below(4) {
        _ if streams && rng.one_in(4) => line("v_add_co_u32 v2, vcc_lo, v2, s10\nv_add_co_ci_u32_e64 v3, vcc_lo, s11, v3, vcc_lo"),
        _ if streams => line(&format!("v_add_co_u32 v2, vcc_lo, v2, {step}\nv_add_co_ci_u32_e64 v3, vcc_lo, 0, v3, vcc_lo")),
        0 => line("v_add_co_u32 v2, vcc_lo, v2, 16\nv_add_co_ci_u32_e64 v3, vcc_lo, 0, v3, vcc_lo"),
        1 => line("v_add_co_u32 v2, vcc_lo, v2, -4\nv_add_co_ci_u32_e64 v3, vcc_lo, -1, v3, vcc_lo"),
        2 => {}
        _ => line("v_add_co_u32 v2, vcc_lo, v2, s10\nv_add_co_ci_u32_e64 v3, vcc_lo, s11, v3, vcc_lo"),
    }
    if rng.one_in(3) {
        line(&load(rng));
    }
    if rng.one_in(2) {
        line("v_add_co_u32 v4, vcc_lo, 0x100, v4\nv_add_co_ci_u32_e64 v5, vcc_lo, 0, v5, vcc_lo");
    }
    if rng.one_in(3) {
        line("v_cmp_gt_u32 vcc_lo, v7, v6\ns_and_b32 exec_lo, exec_lo, vcc_lo\ns_cbranch_execz over");
    }
    line("s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop\nover:");
    if nested {
        line("s_sub_u32 s9, s9, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 outer");
    }
    if rng.one_in(3) {
        // The pair is used behind the loop.
        line("s_cbranch_execz out\nglobal_load_b32 v6, v[2:3], off\ns_waitcnt vmcnt(0)\nv_xor_b32 v7, v7, v6");
    }
    line("out:\ns_mov_b32 exec_lo, -1\nglobal_store_b32 v10, v7, s[2:3] offset:2048\ns_endpgm");
    t
}

fn run(engine: Engine, text: &str, input: &[u8]) -> Vec<u8> {
    let device = Device::new(DeviceConfig { engine, threads: 1, ..Default::default() }).unwrap();
    let code = device.upload(&assemble(text, Gfx::GFX1100, 32).unwrap_or_else(|e| panic!("{e:?}\n{text}")).bytes).unwrap();
    let (from, to) = (device.upload(input).unwrap(), device.alloc(BYTES).unwrap());
    let [a, b] = [from.address(), to.address()];
    let init = WaveInit::raw(&RawInit {
        target: Gfx::GFX1100,
        wave_size: 32,
        entry: code.address(),
        rsrc: PgmRsrc { rsrc1: 0xf0 << 12 | 3, rsrc2: 4 << 1, rsrc3: 0 },
        user_data: &[a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32],
        scratch_bytes: 0,
    });
    let range = (code.address(), code.address() + code.len() as u64);
    let config = LaunchConfig::new([ITEMS, 1, 1], [ITEMS, 1, 1]);
    device.run_code(&CodeLaunch { name: "loop", code: range, init, config }).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut out = vec![0; BYTES];
    to.read(0, &mut out).unwrap();
    out
}

#[test]
fn pairs_that_loops_move_on_are_what_the_interpreter_has() {
    let programs = std::env::var("WAVEJIT_RANDOM_PROGRAMS").map_or(200, |n| n.parse().unwrap());
    let first = std::env::var("WAVEJIT_SEED").map_or(1, |n| n.parse().unwrap());
    for seed in first..first + programs {
        let mut rng = Random(seed);
        let input: Vec<u8> = (0..BYTES).map(|_| rng.below(256) as u8).collect();
        let text = program(&mut rng);
        assert!(run(Engine::Jit, &text, &input) == run(Engine::Interp, &text, &input), "seed {seed}:\n{text}");
    }
}
