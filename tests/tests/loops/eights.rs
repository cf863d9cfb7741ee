//! Accesses of work-items in two dimensions, where a row has eight lanes, or so.

use crate::{ITEMS, Launch, address, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// v1: offsets of lanes, v[2:3]: their addresses in what is read, v[8:9]: in what is written, v10: x, v12: the work-item, v[4:7]: what is stored at the end.
fn program(rng: &mut Random, width: u32) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    let size = [1, 2, 4, 8, 12, 16][rng.below(6) as usize];
    line("v_bfe_u32 v11, v0, 10, 10\nv_and_b32 v10, 0x3ff, v0");
    line(&format!("v_mad_u32_u24 v12, v11, {width}, v10"));
    for v in 4..8 {
        line(&format!("v_add_nc_u32 v{v}, {v}, v12"));
    }
    // From lane to lane: sometimes elements overlap.
    let step = match rng.below(6) {
        0 if size > 4 => 4,
        1 => 0,
        2 => 2 * size,
        _ => size,
    };
    // From row to row: in a row after all, close, apart, or at one place.
    let row = [step * width, step * width + 4, 64, 200, 0, 4, 1, 516][rng.below(8) as usize];
    // Known when the code is translated, or not.
    if rng.one_in(2) {
        line(&format!("v_mul_u32_u24 v1, {row}, v11\nv_mad_u32_u24 v1, v10, {step}, v1"));
    } else {
        line(&format!("s_load_b32 s9, s[0:1], null\ns_waitcnt lgkmcnt(0)\ns_and_b32 s9, s9, 4\ns_add_u32 s9, s9, {row}"));
        line(&format!("v_mul_lo_u32 v1, v11, s9\nv_mad_u32_u24 v1, v10, {step}, v1"));
    }
    match rng.below(9) {
        0 => line("v_xor_b32 v1, 4, v1"),
        1 => line("v_cmp_eq_u32 vcc_lo, 21, v12\nv_cndmask_b32 v1, v1, v12, vcc_lo"),
        // A lane that is off may be anywhere.
        2 => line("v_cmp_eq_u32 vcc_lo, 21, v12\nv_cndmask_b32 v1, v1, -1, vcc_lo\ns_andn2_b32 exec_lo, exec_lo, vcc_lo"),
        3 => line("v_cmp_gt_u32 vcc_lo, 20, v12\ns_and_b32 exec_lo, exec_lo, vcc_lo"),
        _ => {}
    }
    line(&address(2, 0, 1));
    line(&address(8, 2, 1));
    // 2 KiB of LDS.
    line("v_lshlrev_b32 v13, 5, v12");
    for k in [0, 16] {
        line(&format!("global_load_b128 v[20:23], v13, s[0:1] offset:{k}\ns_waitcnt vmcnt(0)\nds_store_b128 v13, v[20:23] offset:{k}"));
    }
    line("s_waitcnt lgkmcnt(0)\ns_barrier");
    for _ in 0..2 + rng.below(4) {
        let at = 4 * rng.below(40);
        let (loads, stores) = match size {
            1 => (["u8", "i8"], "b8"),
            2 => (["u16", "i16"], "b16"),
            4 => (["b32"; 2], "b32"),
            8 => (["b64"; 2], "b64"),
            12 => (["b96"; 2], "b96"),
            _ => (["b128"; 2], "b128"),
        };
        let load = loads[rng.below(2) as usize];
        let dwords = (size / 4).max(1);
        let regs = |first: u32| if dwords == 1 { format!("v{first}") } else { format!("v[{first}:{}]", first + dwords - 1) };
        let (to, from) = (regs(20), regs(4));
        match rng.below(8) {
            0 | 1 => line(&format!("global_load_{load} {to}, v1, s[0:1] offset:{at}")),
            2 | 3 => line(&format!("global_load_{load} {to}, v[2:3], off offset:{at}")),
            4 => line(&format!("ds_load_{load} {to}, v1 offset:{at}")),
            5 => line(&format!("global_store_{stores} v1, {from}, s[2:3] offset:{at}")),
            6 => line(&format!("global_store_{stores} v[8:9], {from}, off offset:{at}")),
            _ => line(&format!("ds_store_{stores} v1, {from} offset:{at}\nds_load_{load} {to}, v1 offset:{at}")),
        }
        line("s_waitcnt vmcnt(0) lgkmcnt(0)");
        for j in 0..dwords {
            let v = 4 + j;
            line(&format!("v_mul_lo_u32 v{v}, v{v}, 3\nv_xor_b32 v{v}, v{v}, v{}", 20 + j));
        }
    }
    line("v_lshl_add_u32 v13, v12, 4, 0x8000\nglobal_store_b128 v13, v[4:7], s[2:3]\ns_endpgm");
    t
}

#[test]
fn rows_of_eight_lanes_are_what_the_interpreter_has() {
    compare(|rng| {
        let width = [8, 8, 8, 4, 16][rng.below(5) as usize];
        let group = [width, ITEMS / width, 1];
        // Some lanes of each row may be none, or the last rows.
        let grid = match rng.below(4) {
            0 => [1 + rng.below(width), ITEMS / width, 1],
            1 => [width, 1 + rng.below(ITEMS / width), 1],
            _ => group,
        };
        (program(rng, width), Launch { grid, group })
    });
}
