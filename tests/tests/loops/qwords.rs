//! Values of 64 bits in pairs of registers that go round in loops: integers and f64.

use crate::{ITEMS, Launch, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// Pairs: v[2:3] to v[12:13]. More values than registers of the host hold, in long loops.
const PAIRS: u32 = 6;

/// An operation on pairs, or on a half of one now and then.
fn operation(rng: &mut Random) -> String {
    let mut pair = || 2 + 2 * rng.below(PAIRS);
    let (d, a, b, c) = (pair(), pair(), pair(), pair());
    let [of_d, of_a, of_b, of_c] = [d, a, b, c].map(|low| format!("v[{low}:{}]", low + 1));
    let n = rng.below(64);
    match rng.below(18) {
        0 | 1 => format!("v_lshlrev_b64 {of_d}, {n}, {of_a}"),
        2 => format!("v_lshrrev_b64 {of_d}, {n}, {of_a}"),
        3 => format!("v_ashrrev_i64 {of_d}, v16, {of_a}"),
        4..=6 => {
            let op = ["xor", "and", "or"][rng.below(3) as usize];
            let halves = [0, 1].map(|half| format!("v_{op}_b32 v{}, v{}, v{}", d + half, a + half, b + half));
            // Either half may come first, and the other one be left.
            match rng.below(6) {
                0 => halves[0].clone(),
                1..=3 if d != a && d != b => halves.join("\n"),
                _ => format!("v_{op}_b32 v14, v{}, v{}\nv_{op}_b32 v{}, v{}, v{}\nv_mov_b32 v{d}, v14", a, b, d + 1, a + 1, b + 1),
            }
        }
        7 => format!("v_add_f64 {of_d}, {of_a}, {of_b}"),
        8 => format!("v_mul_f64 {of_d}, {of_a}, {of_b}"),
        9 | 10 => format!("v_fma_f64 {of_d}, {of_a}, {of_b}, {of_c}"),
        11 => format!(
            "v_add_co_u32 v14, vcc_lo, v{a}, v{b}\nv_add_co_ci_u32_e64 v{}, vcc_lo, v{}, v{}, vcc_lo\nv_mov_b32 v{d}, v14",
            d + 1,
            a + 1,
            b + 1
        ),
        // They change places.
        12 if d != a => format!(
            "v_mov_b32 v14, v{d}\nv_mov_b32 v15, v{}\nv_mov_b32 v{d}, v{a}\nv_mov_b32 v{}, v{}\nv_mov_b32 v{a}, v14\nv_mov_b32 v{}, v15",
            d + 1,
            d + 1,
            a + 1,
            a + 1
        ),
        13 => format!("v_mov_b32 v{d}, v{a}\nv_mov_b32 v{}, v{}", d + 1, a + 1),
        14 if rng.one_in(4) => format!("v_add_nc_u32 v16, v16, v{}", a + rng.below(2)),
        15 if rng.one_in(4) => format!("v_mov_b32 v{}, {n}", d + rng.below(2)),
        // Halves change places.
        17 => format!("v_mov_b32 v14, v{a}\nv_mov_b32 v{d}, v{}\nv_mov_b32 v{}, v14", a + 1, d + 1),
        // Rotations, and what looks like them.
        16 => {
            let [left, right] = if rng.one_in(2) { ["lshlrev", "lshrrev"] } else { ["lshrrev", "lshlrev"] };
            let (n, m) = (1 + rng.below(31), 1 + rng.below(31));
            let m = if rng.one_in(4) { m } else { 32 - n };
            let (half, of) = if (left == "lshlrev") != rng.one_in(6) { (0, a + 1) } else { (1, a) };
            let op = ["xor", "or", "or"][rng.below(3) as usize];
            format!(
                "v_{left}_b64 v[14:15], {n}, {of_a}\nv_{right}_b32 v17, {m}, v{of}\nv_{op}_b32 v{0}, v{0}, v17\nv_mov_b32 v{d}, v14\n\
                 v_mov_b32 v{1}, v15",
                14 + half,
                d + 1
            )
        }
        _ => format!("v_mad_u64_u32 {of_d}, vcc_lo, v{}, v{}, {of_c}", a + rng.below(2), b),
    }
}

fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("v_lshlrev_b32 v20, 5, v0\nv_mov_b32 v16, v0");
    line("global_load_b128 v[2:5], v20, s[0:1]\nglobal_load_b128 v[6:9], v20, s[0:1] offset:16");
    line("global_load_b128 v[10:13], v20, s[0:1] offset:2048\ns_waitcnt vmcnt(0)");
    if rng.one_in(2) {
        // Numbers rather than bits.
        (1..=PAIRS).for_each(|p| line(&format!("v_cvt_f64_i32 v[{}:{}], v{}", 2 * p, 2 * p + 1, 2 * p)));
    }
    if rng.one_in(3) {
        line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s20, vcc_lo\ns_cbranch_execz out", 1 + rng.below(ITEMS)));
    }
    let nested = rng.one_in(3);
    if nested {
        line("s_mov_b32 s9, 3\nouter:");
        line(&operation(rng));
    }
    line(&format!("s_mov_b32 s8, {}\nloop:", 1 + rng.below(9)));
    let most = [5, 16][rng.below(2) as usize];
    for _ in 0..1 + rng.below(most) {
        line(&operation(rng));
    }
    if rng.one_in(3) {
        line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s21, vcc_lo", rng.below(40)));
        line(&operation(rng));
        line("s_mov_b32 exec_lo, s21");
    }
    if rng.one_in(3) {
        line("s_cbranch_vccz next");
        line(&operation(rng));
        line("next:");
    }
    if rng.one_in(3) {
        line(&format!("v_cmp_gt_u64 vcc_lo, v[2:3], v[{0}:{1}]\ns_and_b32 exec_lo, exec_lo, vcc_lo\ns_cbranch_execz over", 4, 5));
    }
    line("s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop\nover:");
    if nested {
        line("s_sub_u32 s9, s9, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 outer");
    }
    line("out:\ns_mov_b32 exec_lo, -1");
    // What nobody reads need not be right: not all are read.
    let reads = 1 + rng.below((1 << PAIRS) - 1);
    for p in (0..PAIRS).filter(|p| reads >> p & 1 != 0) {
        let (low, offset) = (2 + 2 * p, 2048 * (p / 4) + 8 * (p % 4));
        match rng.below(4) {
            0 => line(&format!("global_store_b32 v20, v{}, s[2:3] offset:{offset}", low + rng.below(2))),
            _ => line(&format!("global_store_b64 v20, v[{low}:{}], s[2:3] offset:{offset}", low + 1)),
        }
    }
    line("s_endpgm");
    t
}

#[test]
fn values_of_64_bits_in_loops_are_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch::ROW));
}
