//! Scalar registers in pairs: written one by one, both at once, with the same value, with constants; read as words and as 64 bits, in loops and behind branches.

use crate::{Launch, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// Registers with values: s8 to s31, from an even one on in pairs.
const FIRST: u32 = 8;
const COUNT: u32 = 24;

fn operation(rng: &mut Random) -> String {
    let mut word = || format!("s{}", FIRST + rng.below(COUNT));
    let (d, a, b) = (word(), word(), word());
    let mut pair = || {
        let low = FIRST + 2 * rng.below(COUNT / 2);
        (low, format!("s[{low}:{}]", low + 1))
    };
    let ((low, wide_d), (of, wide_a), (_, wide_b)) = (pair(), pair(), pair());
    let high = low + 1;
    let n = rng.below(64);
    let constant = ["0", "-1", "1", "0x12345678", "0x80000000"][rng.below(5) as usize];
    match rng.below(20) {
        // Two words, perhaps the same, perhaps constants.
        0 => format!("s_mov_b32 s{low}, {a}\ns_mov_b32 s{high}, {a}"),
        1 => format!("s_mov_b32 s{low}, {a}\ns_mov_b32 s{high}, {constant}"),
        2 => format!("s_mov_b32 s{low}, {constant}\ns_mov_b32 s{high}, {b}"),
        3 => format!("s_xor_b32 s{high}, {a}, {b}\ns_mul_i32 s{low}, {b}, 3"),
        4 => format!("s_mov_b32 {d}, {constant}"),
        5 => format!("s_add_u32 s{low}, s{low}, {a}\ns_addc_u32 s{high}, s{high}, {constant}"),
        6 => format!("s_add_u32 s{low}, s{of}, {n}\ns_addc_u32 s{high}, s{}, 0", of + 1),
        7 => format!("s_add_u32 s{low}, s{low}, {n}\ns_addc_u32 s{high}, s{high}, 0\ns_mov_b32 {d}, s{low}"),
        8 => format!("s_sub_u32 s{low}, s{of}, {a}\ns_subb_u32 s{high}, s{}, {b}", of + 1),
        9 => format!("s_lshl_b64 {wide_d}, {wide_a}, {n}"),
        10 => format!("s_lshr_b64 {wide_d}, {wide_a}, {a}"),
        11 => format!("s_ashr_i64 {wide_d}, {wide_a}, {n}"),
        12 => format!("s_{}_b64 {wide_d}, {wide_a}, {wide_b}", ["and", "or", "xor", "and_not1"][rng.below(4) as usize]),
        13 => format!("s_mov_b64 {wide_d}, {wide_a}"),
        14 => format!("s_cmp_lt_u32 {a}, {b}\ns_cselect_b64 {wide_d}, {wide_a}, {wide_b}"),
        15 => format!("s_not_b64 {wide_d}, {wide_a}"),
        16 => format!("s_{}_u32 {d}, {a}, {b}", ["add", "sub", "min", "max"][rng.below(4) as usize]),
        // What is one for the wave, by way of a lane.
        17 => format!("v_readfirstlane_b32 {d}, v7"),
        18 => format!("v_mov_b32 v8, {a}\nv_add_nc_u32 v7, v7, v8"),
        _ => format!("v_cmp_gt_u32 {d}, {}, v0\ns_cmp_eq_u64 {wide_a}, {wide_b}\ns_cselect_b32 s{low}, {a}, {b}", rng.below(64)),
    }
}

fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("v_lshlrev_b32 v10, 2, v0\nv_mov_b32 v7, v0");
    for low in (FIRST..FIRST + COUNT).step_by(8) {
        line(&format!("s_load_b256 s[{low}:{}], s[0:1], {:#x}", low + 7, 4 * low));
    }
    line("s_waitcnt lgkmcnt(0)");
    let block = |rng: &mut Random, line: &mut dyn FnMut(&str)| (0..1 + rng.below(6)).for_each(|_| line(&operation(rng)));
    block(rng, &mut line);
    for part in 0..1 + rng.below(4) {
        match rng.below(3) {
            0 => {
                line(&format!("s_mov_b32 s4, {}\nloop{part}:", 1 + rng.below(5)));
                block(rng, &mut line);
                if rng.one_in(3) {
                    line(&format!("s_cmp_gt_i32 s{}, 0\ns_cbranch_scc1 in{part}", FIRST + rng.below(COUNT)));
                    block(rng, &mut line);
                    line(&format!("in{part}:"));
                }
                line(&format!("s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 loop{part}"));
            }
            1 => {
                line(&format!("s_cmp_gt_i32 s{}, 0\ns_cbranch_scc1 skip{part}", FIRST + rng.below(COUNT)));
                block(rng, &mut line);
                line(&format!("skip{part}:"));
            }
            _ => {
                line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s5, vcc_lo\ns_cbranch_execz over{part}", rng.below(70)));
                block(rng, &mut line);
                line(&format!("over{part}:\ns_or_b32 exec_lo, exec_lo, s5"));
            }
        }
        block(rng, &mut line);
    }
    line("global_store_b32 v10, v7, s[2:3]");
    for i in 0..COUNT {
        line(&format!("v_mov_b32 v8, s{}\nglobal_store_b32 v10, v8, s[2:3] offset:{}\nv_add_nc_u32 v10, 0x100, v10", FIRST + i, 0x400));
    }
    line("s_endpgm");
    t
}

#[test]
fn pairs_of_scalars_are_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch::ROW));
}
