//! Sums of products with factors in LDS, among them NaNs of all kinds: of two the first one is what comes out.

use crate::{Launch, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// Rows of LDS, a dword for each item.
const ROWS: u32 = 8;

fn program(rng: &mut Random) -> String {
    let mut t = String::new();
    let mut line = |text: &str| writeln!(t, "{text}").unwrap();
    line("v_lshlrev_b32 v20, 2, v0\nv_mbcnt_lo_u32_b32 v21, -1, 0\nv_lshlrev_b32 v21, 2, v21\nv_mov_b32 v22, 0\nv_mov_b32 v23, 0x40");
    for row in 0..ROWS {
        line(&format!("global_load_b32 v8, v20, s[0:1] offset:{}\ns_waitcnt vmcnt(0)", 256 * row));
        match rng.below(4) {
            0 | 1 => line(&format!("v_or_b32 v8, {}, v8", ["0x7fc00000", "0x7f800000", "0xff800001"][rng.below(3) as usize])),
            2 => line("v_and_b32 v8, 0xbf7fffff, v8"),
            _ => line("v_and_b32 v8, 0x8fffffff, v8\nv_or_b32 v8, 0x30000000, v8"),
        }
        line(&format!("ds_store_b32 v21, v8 offset:{}", 256 * row));
    }
    line(
        "global_load_b32 v7, v20, s[0:1] offset:2048\nglobal_load_b32 v6, v20, s[0:1] offset:2304\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_barrier",
    );
    for part in 0..1 + rng.below(3) {
        let [sum, other] = if rng.one_in(2) { [7, 6] } else { [6, 7] };
        for i in 0..3 + rng.below(10) {
            let place = |rng: &mut Random| 256 * rng.below(ROWS) + 4 * rng.below(8);
            let one = ["v22", "v23"][rng.below(4) as usize / 3];
            line(&format!(
                "ds_load_b32 v10, {one} offset:{}\nds_load_b32 v11, {} offset:{}",
                place(rng),
                ["v21", one][rng.below(5) as usize / 4],
                256 * rng.below(ROWS)
            ));
            line("s_waitcnt lgkmcnt(0)");
            let (a, b) = if rng.one_in(4) { (11, 10) } else { (10, 11) };
            match rng.below(40) {
                0 => line(&format!("v_fma_f32 v{sum}, v{a}, v{b}, v{other}")),
                1 => line(&format!("v_fma_f32 v{sum}, -v{a}, v{b}, v{sum}")),
                2 => line(&format!("v_add_nc_u32 v{sum}, 1, v{sum}\nv_fmac_f32 v{sum}, v{a}, v{b}")),
                3 => line(&format!("ds_store_b32 v21, v{sum} offset:{}\nv_fmac_f32 v{sum}, v{a}, v{b}", 256 * rng.below(ROWS))),
                4 => line(&format!("v_fmac_f32 v{sum}, v{a}, v{b}\nv_xor_b32 v{other}, v{sum}, v{other}")),
                _ => line(&format!("v_fmac_f32 v{sum}, v{a}, v{b}")),
            }
            if i > 3 && rng.one_in(6) {
                line("s_waitcnt lgkmcnt(0)\ns_barrier");
            }
        }
        if rng.one_in(2) {
            line(&format!("v_cmp_gt_u32 vcc_lo, {}, v0\ns_and_saveexec_b32 s5, vcc_lo\ns_cbranch_execz over{part}", rng.below(70)));
            line(&format!("v_add_f32 v{other}, v{sum}, v{other}\nover{part}:\ns_or_b32 exec_lo, exec_lo, s5"));
        } else {
            line("s_waitcnt lgkmcnt(0)\ns_barrier");
        }
    }
    line("global_store_b32 v20, v7, s[2:3]\nglobal_store_b32 v20, v6, s[2:3] offset:256\ns_endpgm");
    t
}

#[test]
fn sums_of_products_in_lds_are_what_the_interpreter_has() {
    compare(|rng| (program(rng), Launch::ROW));
}
