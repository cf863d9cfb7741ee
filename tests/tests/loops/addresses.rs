//! Addresses in pairs of registers that loops move on.

use crate::{ITEMS, Launch, address, compare};
use std::fmt::Write;
use wavejit_random::Random;

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
    let nested = rng.one_in(3);
    let step = [1, 2, 4, 4, 8, 12, 3][rng.below(7) as usize];
    match rng.below(5) {
        _ if streams => {
            let row = [64, 60, 37, 1000][rng.below(4) as usize];
            line(&format!("v_mul_u32_u24 v1, {row}, v0\nv_and_b32 v1, 0x3fff, v1"));
            if rng.one_in(3) {
                // The last bytes that some load are the last ones that are mapped.
                line(&format!("v_add_nc_u32 v1, 0x7000, v1\nv_min_u32 v1, {}, v1", 0x8000 - if nested { 27 } else { 9 } * step - 20));
            }
        }
        0 | 1 => line("v_lshlrev_b32 v1, 2, v0"),
        2 => line("v_mov_b32 v1, 64"),
        3 => line("v_lshlrev_b32 v1, 5, v0"),
        _ => line("v_xor_b32 v1, 5, v0\nv_lshlrev_b32 v1, 2, v1"),
    }
    let region = rng.one_in(2);
    if region {
        line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s20, vcc_lo\ns_cbranch_execz out", 1 + rng.below(ITEMS)));
    }
    if !nested || rng.one_in(2) {
        line(&address(2, 0, 1));
    }
    let is_same = streams && rng.one_in(2);
    line(&if is_same { address(4, 0, 1) } else { address(4, 2, 10) });
    if nested {
        line("s_mov_b32 s9, 3\nouter:");
        line(&address(2, 0, 1));
        line("s_sub_u32 s0, s0, 12\ns_subb_u32 s1, s1, 0");
    }
    line(&format!("s_mov_b32 s8, {}", 1 + rng.below(9)));
    let by = if streams { step } else { rng.below(200) as i32 * 4 - 400 };
    line(&format!("s_mov_b32 s10, {by}\ns_mov_b32 s11, {}\nloop:", by >> 31));
    let load = |rng: &mut Random| {
        let at = if streams { rng.below(4) as i32 * step.min(4) } else { rng.below(64) as i32 * 4 - 128 };
        match rng.below(if streams { 14 } else { 6 }) {
            6..=8 => {
                let op = ["u8", "i8", "u16", "i16"][rng.below(4) as usize];
                format!("global_load_{op} v6, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_mul_lo_u32 v7, v7, 5\nv_add_nc_u32 v7, v7, v6")
            }
            0 | 12 | 13 => format!(
                "global_load_b64 v[8:9], v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_xor_b32 v7, v7, v9\nv_add_nc_u32 v7, v7, v8"
            ),
            1 => format!("global_load_u8 v6, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v7, v7, v6"),
            _ => {
                format!("global_load_b32 v6, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_mul_lo_u32 v7, v7, 3\nv_add_nc_u32 v7, v7, v6")
            }
        }
    };
    for _ in 0..1 + rng.below(3) {
        if streams && rng.one_in(3) {
            // By some of the lanes.
            let text = load(rng);
            line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s21, vcc_lo\n{text}\ns_mov_b32 exec_lo, s21", rng.below(40)));
        } else {
            line(&load(rng));
        }
    }
    if rng.one_in(if streams { 6 } else { 2 }) {
        // Perhaps what the next round loads.
        line(if is_same { "global_store_b8 v[4:5], v7, off offset:4" } else { "global_store_b32 v[4:5], v7, off" });
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
        let on = if is_same { step } else { 0x100 };
        line(&format!("v_add_co_u32 v4, vcc_lo, {on}, v4\nv_add_co_ci_u32_e64 v5, vcc_lo, 0, v5, vcc_lo"));
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

#[test]
fn pairs_that_loops_move_on_are_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch::ROW));
}
