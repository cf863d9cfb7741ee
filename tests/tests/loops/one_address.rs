//! Loads by lanes that all have one address, or had it when they were on: rows of matrices, lists that a whole wave goes through.

use crate::{ITEMS, Launch, address, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// v7 and v[12:13] take in what is loaded: by v[2:3], by an index that has been loaded, or by the lane.
fn load(rng: &mut Random) -> String {
    let at = rng.below(16) * 4;
    match rng.below(9) {
        0 => format!("global_load_u8 v21, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v7, v7, v21"),
        1 => format!("global_load_i16 v21, v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_xor_b32 v7, v7, v21"),
        2 | 3 => {
            format!("global_load_b64 v[8:9], v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_fma_f64 v[12:13], v[8:9], v[14:15], v[12:13]")
        }
        4 => format!("global_load_b64 v[8:9], v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_xor_b32 v7, v8, v7\nv_add_nc_u32 v7, v9, v7"),
        5 => format!(
            "global_load_b128 v[16:19], v[2:3], off offset:{at}\ns_waitcnt vmcnt(0)\nv_xor_b32 v7, v16, v7\nv_mul_f64 v[12:13], v[18:19], v[12:13]"
        ),
        // The index goes on to another load, and v6 to the next round.
        6 => format!(
            "{}\nglobal_load_b32 v6, v[4:5], off offset:{at}\ns_waitcnt vmcnt(0)\nv_and_b32 v6, 0x7ffc, v6\nv_add_nc_u32 v7, v7, v6",
            address(4, 0, 6)
        ),
        7 => format!("global_load_b32 v20, v6, s[0:1] offset:{at}\ns_waitcnt vmcnt(0)\nv_mul_lo_u32 v7, v7, 3\nv_add_nc_u32 v7, v7, v20"),
        _ => format!("global_load_b32 v20, v10, s[0:1] offset:{at}\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v7, v7, v20"),
    }
}

fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("s_mov_b32 s22, exec_lo\ns_add_u32 s0, s0, 0x4000\ns_addc_u32 s1, s1, 0");
    line("v_lshlrev_b32 v10, 2, v0\nv_mov_b32 v7, v0\nv_cvt_f64_u32 v[12:13], v0\nv_cvt_f64_u32 v[14:15], v10");
    // One offset for all, or one that only the lanes of a mask have in common, or none.
    let alike = match rng.below(5) {
        0..=2 => format!("v_mov_b32 v1, {}", rng.below(64) * 4),
        3 => format!("v_lshrrev_b32 v1, {}, v0\nv_lshlrev_b32 v1, 3, v1", 3 + rng.below(4)),
        _ => "v_and_b32 v1, 12, v10".to_string(),
    };
    line(&alike);
    line("v_mov_b32 v6, v1");
    let some = |rng: &mut Random| format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s21, vcc_lo", rng.below(40));
    if rng.one_in(3) {
        // Lanes that have something else come back later.
        let text = some(rng);
        line(&format!("{text}\nv_mov_b32 v{}, {}\ns_mov_b32 exec_lo, s21", [1, 6][rng.below(2) as usize], rng.below(32) * 8));
    }
    let region = rng.one_in(3);
    if region || rng.one_in(2) {
        line(&address(2, 0, 1));
    }
    if region {
        line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s20, vcc_lo\ns_cbranch_execz out", 1 + rng.below(ITEMS)));
    }
    if !region || rng.one_in(2) {
        line(&address(2, 0, 1));
    }
    line(&format!("s_mov_b32 s8, {}\nloop:", 1 + rng.below(6)));
    for _ in 0..1 + rng.below(4) {
        let text = load(rng);
        if rng.one_in(4) {
            let mask = some(rng);
            line(&format!("{mask}\n{text}\ns_mov_b32 exec_lo, s21"));
        } else {
            line(&text);
        }
    }
    let step = [4, 8, 8, 256][rng.below(4) as usize];
    match rng.below(4) {
        0 => {}
        1 => line(&format!("v_add_nc_u32 v1, {step}, v1\n{}", address(2, 0, 1))),
        _ => line(&format!("v_add_co_u32 v2, vcc_lo, v2, {step}\nv_add_co_ci_u32_e64 v3, vcc_lo, 0, v3, vcc_lo")),
    }
    match rng.below(4) {
        // By a lane's own number, or by what all have.
        0 => line("v_cmp_gt_u32 vcc_lo, v7, v10\ns_and_b32 exec_lo, exec_lo, vcc_lo\ns_cbranch_execz over"),
        1 => line("v_cmp_gt_u32 vcc_lo, 0x6000, v6\ns_and_b32 exec_lo, exec_lo, vcc_lo\ns_cbranch_execz over"),
        _ => {}
    }
    line("s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop\nover:");
    if rng.one_in(2) {
        // The lanes that left the loop have what they had.
        line("s_mov_b32 exec_lo, s22\nglobal_load_b32 v20, v[2:3], off\ns_waitcnt vmcnt(0)\nv_xor_b32 v7, v7, v20");
    }
    line("out:\ns_mov_b32 exec_lo, s22\nglobal_store_b32 v10, v7, s[2:3] offset:2048\nv_lshlrev_b32 v10, 1, v10");
    line("global_store_b64 v10, v[12:13], s[2:3] offset:1024\nv_xor_b32 v6, v6, v1\nglobal_store_b32 v10, v6, s[2:3]\ns_endpgm");
    t
}

#[test]
fn loads_from_one_address_are_what_the_interpreter_has() {
    compare(|rng| {
        let text = program(rng);
        // Some lanes of the last wave, or of each row, may be none.
        let launch = match rng.below(4) {
            0 => Launch { grid: [1 + rng.below(ITEMS), 1, 1], group: [ITEMS, 1, 1] },
            1 => Launch { grid: [16, 3, 1], group: [16, 4, 1] },
            _ => Launch::ROW,
        };
        (text, launch)
    });
}
