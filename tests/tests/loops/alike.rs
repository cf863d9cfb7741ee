//! Lanes that are made of scalars alone, so that all have the same: what one wave has found the next ones take from it, whatever lanes they have on, and
//! though a scalar may be another one for them.

use crate::{Launch, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// Registers whose lanes begin alike: v8 to v19.
const FIRST: u32 = 8;
const COUNT: u32 = 12;

fn operation(rng: &mut Random) -> String {
    let lanes = |rng: &mut Random| format!("v{}", FIRST + rng.below(COUNT));
    let scalar = |rng: &mut Random| format!("s{}", 8 + rng.below(16));
    let pair = |rng: &mut Random| {
        let low = FIRST + 2 * rng.below(COUNT / 2);
        format!("v[{low}:{}]", low + 1)
    };
    let (d, a, b, c, s) = (lanes(rng), lanes(rng), lanes(rng), lanes(rng), scalar(rng));
    let one_of = |rng: &mut Random, list: &[&str]| list[rng.below(list.len() as u32) as usize].to_string();
    match rng.below(16) {
        0 => format!("v_mov_b32 {d}, {s}"),
        1 => format!("v_{}_u32 {d}, {s}, {a}", one_of(rng, &["add_nc", "sub_nc", "min", "max"])),
        2 => format!("v_{}_b32 {d}, {a}, {b}", one_of(rng, &["xor", "and", "or"])),
        3 => format!("v_mul_lo_u32 {d}, {a}, {b}"),
        4 => format!("v_mul_hi_u32 {d}, {a}, {s}"),
        5 => format!("v_{}_f32 {d}, {a}, {b}", one_of(rng, &["add", "mul", "min", "max"])),
        6 => format!("v_fma_f32 {d}, {a}, {b}, {c}"),
        7 => format!("v_{}_f32 {d}, {a}", one_of(rng, &["rcp", "sqrt", "exp", "log", "fract", "frexp_mant"])),
        8 => format!("v_{} {d}, {a}", one_of(rng, &["cvt_f32_u32", "cvt_u32_f32", "cvt_i32_f32", "frexp_exp_i32_f32"])),
        9 => format!("v_ldexp_f32 {d}, {a}, {s}"),
        10 => format!("v_cmp_{} vcc_lo, {a}, {b}\nv_cndmask_b32 {d}, {c}, {s}, vcc_lo", one_of(rng, &["gt_u32", "lt_f32", "eq_u32"])),
        11 => format!("v_cmp_lt_u32 vcc_lo, {a}, {b}\ns_cselect_b32 s24, s8, s9\nv_add_co_ci_u32 {d}, vcc_lo, {c}, {d}, vcc_lo"),
        12 => format!("v_{}_f64 {}, {}, {}", one_of(rng, &["add", "mul"]), pair(rng), pair(rng), pair(rng)),
        13 => format!("v_mad_u64_u32 {}, null, {a}, {s}, {}", pair(rng), pair(rng)),
        14 => format!("v_cmp_class_f32 s24, {a}, {s}\nv_cndmask_b32 {d}, {b}, {c}, s24"),
        _ => format!("v_alignbit_b32 {d}, {a}, {b}, {}", rng.below(32)),
    }
}

fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line(
        "v_lshlrev_b32 v20, 2, v0\nv_mov_b32 v7, v0\ns_load_b256 s[8:15], s[0:1], 0x20\ns_load_b256 s[16:23], s[0:1], 0x40\ns_waitcnt lgkmcnt(0)",
    );
    if rng.one_in(3) {
        // One that waves differ in.
        line(&format!("v_readfirstlane_b32 s{}, v0", 8 + rng.below(16)));
    }
    for part in 0..1 + rng.below(3) {
        let is_body = rng.one_in(2);
        if is_body {
            line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s5, vcc_lo\ns_cbranch_execz over{part}", rng.below(300)));
        }
        if rng.one_in(2) {
            line("s_load_b128 s[12:15], s[0:1], 0x100\ns_waitcnt lgkmcnt(0)");
        }
        (FIRST..FIRST + COUNT).for_each(|v| line(&format!("v_mov_b32 v{v}, s{}", v)));
        (0..4 + rng.below(30)).for_each(|_| line(&operation(rng)));
        line(&format!("v_xor_b32 v7, v7, v{}\nv_add_nc_u32 v7, v7, v{}", FIRST + rng.below(COUNT), FIRST + rng.below(COUNT)));
        if rng.one_in(3) {
            line("global_load_b32 v21, v20, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v7, v7, v21");
        }
        if is_body {
            line(&format!("over{part}:\ns_or_b32 exec_lo, exec_lo, s5"));
        }
    }
    line("global_store_b32 v20, v7, s[2:3]");
    for v in FIRST..FIRST + COUNT {
        line(&format!("v_add_nc_u32 v20, 0x400, v20\nglobal_store_b32 v20, v{v}, s[2:3]"));
    }
    line("s_endpgm");
    t
}

#[test]
fn what_is_done_once_for_all_waves_is_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch { grid: [250, 1, 1], group: [256, 1, 1] }));
}
