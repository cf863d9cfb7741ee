//! Comparisons and exchanges by lanes of which several have one address: loops that add so until they succeed, and single ones that compare with what may be there.

use crate::{Launch, compare};
use std::fmt::Write;
use wavejit_random::Random;

fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("v_lshlrev_b32 v20, 2, v0\nv_mov_b32 v7, v0");
    for part in 0..1 + rng.below(3) {
        let is_lds = rng.one_in(2);
        let places = [0, 1, 3, 7, 31, 63][rng.below(6) as usize];
        line(&format!("global_load_b32 v8, v20, s[0:1] offset:{}\ns_waitcnt vmcnt(0)", 256 * rng.below(8)));
        line(&format!("v_and_b32 v9, {}, v8\nv_lshrrev_b32 v5, 8, v8", 4 * places));
        match rng.below(5) {
            0 => line("v_and_b32 v5, 3, v5"),
            1 => line("v_cvt_f32_u32 v5, v5"),
            // NaNs and infinities, too.
            2 => line("v_mov_b32 v5, v8"),
            3 => line("v_cndmask_b32 v5, 0x7fa00001, v5, vcc_lo"),
            _ => {}
        }
        let (load, exchange, wait) = if is_lds {
            ("ds_load_b32 v4, v9 offset:64", "ds_cmpstore_rtn_b32 v6, v9, v3, v4 offset:64", "s_waitcnt lgkmcnt(0)")
        } else {
            (
                "global_load_b32 v4, v9, s[2:3] offset:2048",
                "global_atomic_cmpswap_b32 v6, v9, v[3:4], s[2:3] offset:2048 glc",
                "s_waitcnt vmcnt(0)",
            )
        };
        if is_lds {
            line("ds_store_b32 v9, v5 offset:64\ns_waitcnt lgkmcnt(0)");
        }
        let is_part = rng.one_in(2);
        if is_part {
            line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s5, vcc_lo\ns_cbranch_execz over{part}", rng.below(70)));
        }
        if rng.one_in(3) {
            // What is there may be this, and may stay so.
            line(&format!("v_and_b32 v4, {}, v8\nv_bfe_u32 v3, v8, 4, {}", rng.below(4), rng.below(3)));
            (0..1 + rng.below(3))
                .for_each(|_| line(&format!("{exchange}\n{wait}\nv_mul_u32_u24 v7, 5, v7\nv_add_nc_u32 v7, v7, v6\nv_mov_b32 v4, v6")));
        } else {
            let loads_again = rng.one_in(2);
            line(&format!("s_mov_b32 s4, 0\n{}again{part}:", if loads_again { String::new() } else { format!("{load}\n{wait}\n") }));
            if loads_again {
                line(&format!("{load}\n{wait}"));
            }
            let op = ["v_add_nc_u32", "v_max_u32", "v_and_b32", "v_xor_b32", "v_add_f32"][rng.below(8).min(4) as usize];
            let (a, b) = if rng.one_in(2) { ("v4", "v5") } else { ("v5", "v4") };
            line(&format!("{op} v3, {a}, {b}\n{exchange}\n{wait}\nv_cmp_eq_u32 vcc_lo, v6, v4"));
            if !loads_again {
                line("v_mov_b32 v4, v6");
            }
            line(&format!(
                "s_or_b32 s4, vcc_lo, s4\ns_and_not1_b32 exec_lo, exec_lo, s4\ns_cbranch_execnz again{part}\ns_or_b32 exec_lo, exec_lo, s4"
            ));
            line("v_add_nc_u32 v7, v7, v6");
        }
        if is_part {
            line(&format!("over{part}:\ns_or_b32 exec_lo, exec_lo, s5"));
        }
        line(&format!("{load}\n{wait}\nv_xor_b32 v7, v7, v4"));
        if rng.one_in(2) {
            line("s_barrier");
        }
    }
    line("global_store_b32 v20, v7, s[2:3]\ns_endpgm");
    t
}

/// Sums of f64, of which lanes with one address, at some of which there is something else before long, collect what they have seen.
fn sums_of_f64(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("v_lshlrev_b32 v20, 2, v0\nv_mov_b32 v7, v0");
    for part in 0..1 + rng.below(2) {
        let places = [0, 1, 3, 7, 31][rng.below(5) as usize];
        line(&format!(
            "global_load_b64 v[8:9], v20, s[0:1] offset:{}\ns_waitcnt vmcnt(0)\nv_and_b32 v10, {}, v8",
            256 * rng.below(8),
            8 * places
        ));
        line(["v_mov_b32 v11, v9", "v_lshrrev_b32 v11, 3, v9", "v_and_b32 v11, 0x403fffff, v9"][rng.below(3) as usize]);
        line(&format!("v_cvt_f64_u32 v[14:15], v9\nv_cmp_gt_u32 vcc_lo, {}, v0", rng.below(70)));
        line("v_cndmask_b32 v14, v14, v8, vcc_lo\nv_cndmask_b32 v15, v15, v11, vcc_lo");
        let (load, exchange, wait) = if rng.one_in(2) {
            line("ds_store_b64 v10, v[14:15] offset:64\ns_waitcnt lgkmcnt(0)");
            ("ds_load_b64 v[4:5], v10 offset:64", "ds_cmpstore_rtn_b64 v[12:13], v10, v[2:3], v[4:5] offset:64", "s_waitcnt lgkmcnt(0)")
        } else {
            (
                "global_load_b64 v[4:5], v10, s[2:3] offset:2048",
                "global_atomic_cmpswap_b64 v[12:13], v10, v[2:5], s[2:3] offset:2048 glc",
                "s_waitcnt vmcnt(0)",
            )
        };
        let loads_again = rng.one_in(2);
        line(&format!("{load}\n{wait}"));
        if rng.one_in(3) {
            // Some do not know what is there.
            line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\nv_cndmask_b32 v4, v4, v0, vcc_lo", rng.below(70)));
        }
        let (a, b) = if rng.one_in(2) { ("v[4:5]", "v[14:15]") } else { ("v[14:15]", "v[4:5]") };
        line(&format!("s_mov_b32 s4, 0\nagain{part}:"));
        if loads_again {
            line(&format!("{load}\n{wait}"));
        }
        line(&format!("v_add_f64 v[2:3], {a}, {b}\n{exchange}\n{wait}\nv_cmp_eq_u64 vcc_lo, v[12:13], v[4:5]"));
        if !loads_again {
            line("v_mov_b32 v4, v12\nv_mov_b32 v5, v13");
        }
        line(&format!(
            "s_or_b32 s4, vcc_lo, s4\ns_and_not1_b32 exec_lo, exec_lo, s4\ns_cbranch_execnz again{part}\ns_or_b32 exec_lo, exec_lo, s4"
        ));
        line(&format!("v_add_nc_u32 v7, v7, v12\n{load}\n{wait}\nv_xor_b32 v7, v7, v4\nv_xor_b32 v7, v7, v5"));
    }
    line("global_store_b32 v20, v7, s[2:3]\ns_endpgm");
    t
}

#[test]
fn lanes_that_add_at_one_place_collect_what_the_interpreter_has() {
    compare(|rng| (sums_of_f64(rng), Launch::ROW));
}

#[test]
fn lanes_that_exchange_at_one_place_find_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch::ROW));
}
