//! MEM atomics of 32 bits (numerics.md section 14): lanes go one after the other, lowest first; each finds what the ones before it left. All
//! operations, on LDS and on memory, with and without the old value, whether lanes share an address or not, and whichever of them are active.

use crate::device::{ENGINES, Raw, run};

/// Dwords that lanes may name.
const CELLS: usize = 64;
/// Where results are in the output, in dwords: the cells, then what each lane got.
const OLD: usize = CELLS;

/// (name on LDS, with and without the old value; name in memory; what it does to old, operand and comparand)
type Row = (&'static str, &'static str, &'static str, fn(u32, u32, u32) -> u32);
#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("ds_add_u32",      "ds_add_rtn_u32",      "global_atomic_add_u32",     |old, x, _| old.wrapping_add(x)),
    ("ds_sub_u32",      "ds_sub_rtn_u32",      "global_atomic_sub_u32",     |old, x, _| old.wrapping_sub(x)),
    ("ds_and_b32",      "ds_and_rtn_b32",      "global_atomic_and_b32",     |old, x, _| old & x),
    ("ds_or_b32",       "ds_or_rtn_b32",       "global_atomic_or_b32",      |old, x, _| old | x),
    ("ds_xor_b32",      "ds_xor_rtn_b32",      "global_atomic_xor_b32",     |old, x, _| old ^ x),
    ("ds_min_i32",      "ds_min_rtn_i32",      "global_atomic_min_i32",     |old, x, _| (old as i32).min(x as i32) as u32),
    ("ds_max_i32",      "ds_max_rtn_i32",      "global_atomic_max_i32",     |old, x, _| (old as i32).max(x as i32) as u32),
    ("ds_min_u32",      "ds_min_rtn_u32",      "global_atomic_min_u32",     |old, x, _| old.min(x)),
    ("ds_max_u32",      "ds_max_rtn_u32",      "global_atomic_max_u32",     |old, x, _| old.max(x)),
    ("ds_storexchg_rtn_b32", "ds_storexchg_rtn_b32", "global_atomic_swap_b32", |_, x, _| x),
    ("ds_cmpstore_b32", "ds_cmpstore_rtn_b32", "global_atomic_cmpswap_b32", |old, x, c| if old == c { x } else { old }),
];

/// Which cell each lane names.
const PLACES: &[(&str, fn(u32) -> u32)] = &[
    ("one address", |_| 5),
    ("an address each", |lane| lane ^ 21),
    ("two addresses", |lane| 3 + (lane & 1)),
    ("some shared", |lane| lane * lane % 13),
    ("halves", |lane| 7 + lane / 16),
];
const EXECS: [u64; 7] = [u64::MAX, 0, 1 << 31, 1 << 63 | 4, 0x0f0f_1234_8421_f00f, 0xffff_0000, !0 << 16];

fn operand(lane: u32) -> u32 {
    lane.wrapping_mul(0x9e37_79b9) ^ 0x8000_0001
}

/// Some find what they compare with: initial values, or what another lane has put there.
fn comparand(lane: u32) -> u32 {
    match lane % 3 {
        0 => initial(lane % 8 + 3),
        1 => operand(lane.wrapping_sub(1)),
        _ => initial(5),
    }
}

fn initial(cell: u32) -> u32 {
    0x7fff_fff0u32.wrapping_add(cell * 0x0101_0107)
}

/// One wave: fills the cells, does the operation, stores cells and old values.
fn text(row: &Row, place: fn(u32) -> u32, exec: u64, wave: u32, lds: bool, returns: bool) -> String {
    let is_cmp = row.0.starts_with("ds_cmp");
    let operation = match (lds, returns) {
        (true, false) if row.0.contains("rtn") => format!("{} v20, v3, v4", row.0),
        (true, false) if is_cmp => format!("{} v3, v4, v5", row.0),
        (true, false) => format!("{} v3, v4", row.0),
        (true, true) if is_cmp => format!("{} v6, v3, v4, v5", row.1),
        (true, true) => format!("{} v6, v3, v4", row.1),
        (false, true) => format!("{} v6, v3, {}, s[0:1] glc", row.2, if is_cmp { "v[4:5]" } else { "v4" }),
        (false, false) => format!("{} v3, {}, s[0:1]", row.2, if is_cmp { "v[4:5]" } else { "v4" }),
    };
    let exec_writes = |lo: u32, hi: u32| {
        if wave == 32 {
            format!("s_mov_b32 exec_lo, {lo:#x}\n")
        } else {
            format!("s_mov_b32 exec_lo, {lo:#x}\ns_mov_b32 exec_hi, {hi:#x}\n")
        }
    };
    let mut text = String::from("v_and_b32 v0, 0x3ff, v0\nv_mov_b32 v6, 0xdead\n");
    // Tables by lane: place, operand, comparand; cells by lane, and by lane + 32 for waves of 32.
    for lane in 0..wave {
        for (reg, value) in [(3, 4 * place(lane)), (4, operand(lane)), (5, comparand(lane)), (8, initial(lane)), (9, initial(lane + 32))] {
            text += &format!("s_mov_b32 s8, {value:#x}\nv_writelane_b32 v{reg}, s8, {lane}\n");
        }
    }
    text += "v_lshlrev_b32 v1, 2, v0\n";
    let second = wave == 32;
    let (store, load) = if lds { ("ds_store_b32 v1,", "ds_load_b32") } else { ("global_store_b32 v1,", "global_load_b32") };
    let memory = if lds { "" } else { ", s[0:1]" };
    text += &format!("{store} v8{memory}\n");
    if second {
        text += &format!("{store} v9{memory} offset:128\n");
    }
    text += "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
    text += &exec_writes(exec as u32, (exec >> 32) as u32);
    text += &format!("{operation}\ns_waitcnt vmcnt(0) lgkmcnt(0)\n");
    text += &exec_writes(u32::MAX, u32::MAX);
    if lds {
        for offset in [0, 128] {
            text += &format!("{load} v10, v1 offset:{offset}\ns_waitcnt lgkmcnt(0)\nglobal_store_b32 v1, v10, s[0:1] offset:{offset}\n");
        }
    }
    text += &format!("global_store_b32 v1, v6, s[0:1] offset:{}\ns_endpgm", 4 * OLD);
    text
}

fn expected(row: &Row, place: fn(u32) -> u32, exec: u64, wave: u32, returns: bool) -> Vec<u32> {
    let mut out: Vec<u32> = (0..CELLS as u32).map(initial).collect();
    out.extend(std::iter::repeat_n(0xdead, wave as usize));
    for lane in (0..wave).filter(|lane| exec >> lane & 1 != 0) {
        let cell = place(lane) as usize;
        if returns {
            out[OLD + lane as usize] = out[cell];
        }
        out[cell] = row.3(out[cell], operand(lane), comparand(lane));
    }
    out
}

#[test]
fn lanes_go_one_after_the_other() {
    for wave in [32, 64] {
        let raw =
            Raw { wave_size: wave, rsrc2: 1 << 15, grid: [wave, 1, 1], group: [wave, 1, 1], dwords: OLD + wave as usize, ..Raw::default() };
        for row in ROWS {
            for (what, place) in PLACES {
                for (n, exec) in EXECS.into_iter().enumerate() {
                    // Every combination of memory and result with some masks, in turn.
                    for kind in (0..4).filter(|kind| (kind + n) % 2 == 0 || n == 0) {
                        let (lds, returns) = (kind & 1 != 0, kind & 2 != 0);
                        let text = text(row, *place, exec, wave, lds, returns);
                        let wanted = expected(row, *place, exec, wave, returns);
                        for engine in ENGINES {
                            let got = run(engine, &raw, &text).unwrap_or_else(|e| panic!("{e}: {text}"));
                            let name = if lds { row.1 } else { row.2 };
                            assert_eq!(got, wanted, "{name}, {what}, EXEC {exec:x}, wave{wave}, old values: {returns}, {engine:?}");
                        }
                    }
                }
            }
        }
    }
}
