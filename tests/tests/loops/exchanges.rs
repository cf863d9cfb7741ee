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
        match rng.below(3) {
            0 => line("v_and_b32 v5, 3, v5"),
            1 => line("v_cvt_f32_u32 v5, v5"),
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
            let op = ["v_add_f32", "v_add_nc_u32", "v_max_u32", "v_and_b32", "v_xor_b32"][rng.below(5) as usize];
            line(&format!("{op} v3, v4, v5\n{exchange}\n{wait}\nv_cmp_eq_u32 vcc_lo, v6, v4"));
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

#[test]
fn lanes_that_exchange_at_one_place_find_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch::ROW));
}
