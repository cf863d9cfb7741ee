//! Atomics of both widths, of floats, too, by lanes of which several have one address, in LDS and in memory.

use crate::{Launch, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// Operations, and whether they take two operands.
const OPS: [(&str, bool); 15] = [
    ("add_u", false),
    ("sub_u", false),
    ("min_i", false),
    ("max_i", false),
    ("min_u", false),
    ("max_u", false),
    ("and_b", false),
    ("or_b", false),
    ("xor_b", false),
    ("inc_u", false),
    ("dec_u", false),
    ("swap_b", false),
    ("cmpswap_b", true),
    ("add_f", false),
    ("min_f", false),
];

fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("v_lshlrev_b32 v20, 2, v0\nv_mov_b32 v7, v0\nv_mov_b32 v12, 0\nv_mov_b32 v13, 0");
    let places = 8 * [0, 1, 3, 7, 31, 63][rng.below(6) as usize];
    line(&format!("global_load_b64 v[8:9], v20, s[0:1] offset:{}\ns_waitcnt vmcnt(0)", 256 * rng.below(8)));
    line(&format!("v_and_b32 v10, {places}, v8\nv_and_b32 v2, 3, v8\nv_and_b32 v3, 3, v9"));
    line("ds_store_b64 v10, v[2:3] offset:64\ns_waitcnt lgkmcnt(0)\ns_barrier");
    for part in 0..1 + rng.below(4) {
        // Small numbers, anything, and floats: ordinary, denormal, infinite, NaNs.
        line(&format!("global_load_b64 v[4:5], v20, s[0:1] offset:{}\ns_waitcnt vmcnt(0)", 256 * rng.below(8)));
        match rng.below(5) {
            0 => line("v_and_b32 v4, 7, v4\nv_and_b32 v5, 1, v5"),
            1 => line("v_cvt_f32_i32 v4, v4\nv_cvt_f32_i32 v5, v5"),
            2 => line("v_and_b32 v4, 0x807fffff, v4"),
            3 => line("v_or_b32 v4, 0x7f800000, v4"),
            _ => {}
        }
        line("v_and_b32 v16, 3, v8\nv_and_b32 v17, 3, v9");
        let (wide, is_lds, returns) = (rng.one_in(2), rng.one_in(2), rng.one_in(2));
        let (op, has_two) = OPS[rng.below(if wide { 13 } else { 15 }) as usize];
        let bits = if wide { 64 } else { 32 };
        let pair = |first: u32| if wide { format!("v[{first}:{}]", first + 1) } else { format!("v{first}") };
        let is_part = rng.one_in(2);
        if is_part {
            line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s5, vcc_lo\ns_cbranch_execz over{part}", rng.below(70)));
        }
        if is_lds {
            let name = match op {
                "swap_b" => "storexchg",
                "cmpswap_b" => "cmpstore",
                _ => op.split('_').next().unwrap_or_default(),
            };
            let kind = op.rsplit('_').next().unwrap_or_default();
            // These have no form without a result.
            let returns = returns || op == "swap_b";
            let rtn = if returns { "_rtn" } else { "" };
            let result = if returns { format!("{}, ", pair(12)) } else { String::new() };
            let second = if has_two { format!(", {}", pair(16)) } else { String::new() };
            line(&format!("ds_{name}{rtn}_{kind}{bits} {result}v10, {}{second} offset:64\ns_waitcnt lgkmcnt(0)", pair(4)));
        } else {
            let data = match (has_two, wide) {
                (false, _) => pair(4),
                (true, false) => "v[4:5]".to_string(),
                (true, true) => {
                    line("v_mov_b32 v24, v4\nv_mov_b32 v25, v5\nv_mov_b32 v26, v16\nv_mov_b32 v27, v17");
                    "v[24:27]".to_string()
                }
            };
            let (result, glc) = if returns { (format!("{}, ", pair(12)), " glc") } else { (String::new(), "") };
            line(&format!("global_atomic_{op}{bits} {result}v10, {data}, s[2:3] offset:2048{glc}\ns_waitcnt vmcnt(0)"));
        }
        line("v_mul_u32_u24 v7, 5, v7\nv_add_nc_u32 v7, v7, v12\nv_xor_b32 v7, v7, v13");
        if is_part {
            line(&format!("over{part}:\ns_or_b32 exec_lo, exec_lo, s5"));
        }
    }
    line("s_barrier\nds_load_b64 v[4:5], v10 offset:64\ns_waitcnt lgkmcnt(0)\nv_xor_b32 v7, v7, v4\nv_xor_b32 v7, v7, v5");
    line("global_store_b32 v20, v7, s[2:3]\ns_endpgm");
    t
}

#[test]
fn atomics_of_all_kinds_find_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch::ROW));
}
