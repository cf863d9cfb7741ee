//! Elements of four dwords of which all dwords go the same way, or nearly so.

use crate::{ITEMS, Launch, address, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// v1: offsets of lanes, v[2:3]: their addresses in what is read, v[8:9]: in what is written, v12: the work-item. Elements are in v[16:19] and on.
fn program(rng: &mut Random, width: u32) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("v_bfe_u32 v11, v0, 10, 10\nv_and_b32 v10, 0x3ff, v0");
    line(&format!("v_mad_u32_u24 v12, v11, {width}, v10"));
    line(&format!("s_load_b32 s8, s[0:1], {}\ns_waitcnt lgkmcnt(0)", 4 * rng.below(9)));
    let row = [16 * width, 16 * width, 16 * width + 16, 16 * width + 4, 16, 0][rng.below(6) as usize];
    let step = [16, 16, 16, 16, 32, 4][rng.below(6) as usize];
    line(&format!("s_movk_i32 s9, {row}\nv_mul_lo_u32 v1, v11, s9\nv_mad_u32_u24 v1, v10, {step}, v1"));
    match rng.below(8) {
        0 => line("v_cmp_eq_u32 vcc_lo, 21, v12\nv_cndmask_b32 v1, v1, v12, vcc_lo"),
        1 => line("v_cmp_ne_u32 vcc_lo, 21, v12\ns_and_b32 exec_lo, exec_lo, vcc_lo"),
        2 => line("v_cmp_gt_u32 vcc_lo, 20, v12\ns_and_b32 exec_lo, exec_lo, vcc_lo"),
        _ => {}
    }
    line(&address(2, 0, 1));
    line(&address(8, 2, 1));
    // 4 KiB of LDS.
    if rng.one_in(2) {
        line(
            "v_lshlrev_b32 v13, 4, v12\nglobal_load_b128 v[4:7], v13, s[0:1]\ns_waitcnt vmcnt(0)\nds_store_b128 v13, v[4:7]\ns_waitcnt lgkmcnt(0)\ns_barrier",
        );
    }
    let element = |n: u32| format!("v[{}:{}]", 16 + 4 * n, 19 + 4 * n);
    for n in 0..2 + rng.below(2) {
        let at = 16 * rng.below(9);
        line(&match rng.below(3) {
            0 => format!("global_load_b128 {}, v1, s[0:1] offset:{at}", element(n)),
            1 => format!("global_load_b128 {}, v[2:3], off offset:{at}", element(n)),
            _ => format!("ds_load_b128 {}, v1 offset:{at}", element(n)),
        });
    }
    line("s_waitcnt vmcnt(0) lgkmcnt(0)");
    for _ in 0..1 + rng.below(8) {
        let (to, x, y) = (rng.below(4), rng.below(3), rng.below(3));
        let unary = ["rcp", "rsq", "sqrt", "exp", "log", "floor", "fract", "frexp_mant"].map(|op| format!("v_{op}_f32"));
        let more = ["v_frexp_exp_i32_f32", "v_cvt_f32_u32", "v_cvt_i32_f32", "v_not_b32", "v_lshlrev_b32"].map(String::from);
        let binary = ["add_f32", "mul_f32", "max_f32", "xor_b32", "add_nc_u32", "and_b32", "min_i32"].map(|op| format!("v_{op}"));
        let uniform = ["v_fma_f32", "v_mul_lo_u32", "v_ldexp_f32", "v_alignbit_b32"].map(String::from);
        let kind = rng.below(4);
        let op = match kind {
            0 => &unary[rng.below(8) as usize],
            1 => &more[rng.below(5) as usize],
            2 => &binary[rng.below(7) as usize],
            _ => &uniform[rng.below(4) as usize],
        };
        // Sometimes one of the dwords does not do what the others do.
        let other = if rng.one_in(6) { rng.below(4) } else { 4 };
        // Or all do it with another one of the second element.
        let turned = if rng.one_in(6) { 1 + rng.below(3) } else { 0 };
        for j in 0..4 {
            let v = |n: u32| format!("v{}", 16 + 4 * n + if j == other { (j + 1) % 4 } else { j });
            let second = if turned != 0 { format!("v{}", 16 + 4 * y + (j + turned) % 4) } else { v(y) };
            let to = format!("v{}", 16 + 4 * to + j);
            line(&match (kind, op.as_str()) {
                (1, "v_lshlrev_b32") => format!("{op} {to}, 3, {}", v(x)),
                (0 | 1, _) => format!("{op} {to}, {}", v(x)),
                (2, _) => format!("{op} {to}, {}, {second}", v(x)),
                (_, "v_fma_f32" | "v_alignbit_b32") => format!("{op} {to}, {}, {second}, s8", v(x)),
                _ => format!("{op} {to}, {}, s8", v(x)),
            });
        }
    }
    for n in 0..1 + rng.below(4) {
        let at = 16 * rng.below(9) + if rng.one_in(6) { 4 } else { 0 };
        line(&match rng.below(4) {
            0 => format!("global_store_b128 v1, {}, s[2:3] offset:{at}", element(n)),
            1 => format!(
                "ds_store_b128 v1, {} offset:{at}\nds_load_b32 v14, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_b32 v1, v14, s[2:3] offset:{at}",
                element(n)
            ),
            _ => format!("global_store_b128 v[8:9], {}, off offset:{at}", element(n)),
        });
        if rng.one_in(4) {
            line(&format!("v_lshl_add_u32 v13, v12, 4, 0x8000\nglobal_store_b128 v13, {}, s[2:3]", element(n)));
        }
    }
    if rng.one_in(4) {
        line("v_lshl_add_u32 v13, v12, 2, 0xc000\nglobal_store_b32 v13, v18, s[2:3]");
    }
    line("s_endpgm");
    t
}

#[test]
fn elements_that_stay_as_they_lie_are_what_the_interpreter_has() {
    compare(|rng| {
        let width = [8, 16, ITEMS, ITEMS][rng.below(4) as usize];
        let group = [width, ITEMS / width, 1];
        let grid = match rng.below(4) {
            0 => [1 + rng.below(width), ITEMS / width, 1],
            _ => group,
        };
        (program(rng, width), Launch { grid, group })
    });
}
