//! Bodies of an `if` and of loops, one in the other, whose conditions are one for the wave or not; what they write is computed with, and loaded by, behind them.

use crate::{Launch, compare};
use std::fmt::Write;
use wavejit_random::Random;

/// Deepest bodies.
const DEPTH: u32 = 3;
/// s20 and on hold what EXEC was, s30 and on the lanes that are done with a loop, by depth; v30 and on count the rounds of loops.
const SAVED: u32 = 20;
const DONE: u32 = 30;
/// Values; the first of them begin as one for a row of work items, or for all.
const VALUES: std::ops::Range<u32> = 2..10;
/// Byte offsets that loads may use.
const OFFSETS: std::ops::Range<u32> = 10..14;

struct Writer<'a> {
    rng: &'a mut Random,
    text: String,
    labels: u32,
    /// Are lanes turned on that the wave did not begin with?
    wakes_all: bool,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        writeln!(self.text, "{text}").unwrap();
    }

    fn of(&mut self, range: &std::ops::Range<u32>) -> u32 {
        range.start + self.rng.below(range.end - range.start)
    }

    /// Mostly one of those that began as one for many lanes.
    fn value(&mut self) -> u32 {
        if self.rng.one_in(3) { self.of(&VALUES) } else { VALUES.start + self.rng.below(4) }
    }

    fn condition(&mut self) {
        let (a, b) = (self.value(), self.value());
        match self.rng.below(6) {
            0 => self.line(&format!("v_cmp_gt_u32 vcc_lo, v{a}, v{b}")),
            1 => self.line(&format!("v_cmp_ne_u64 vcc_lo, 0, v[{0}:{1}]", a & !1, a | 1)),
            2 => {
                let limit = self.rng.below(20);
                self.line(&format!("v_cmp_gt_i32 vcc_lo, {limit}, v{a}\nv_cmp_lt_u32 s14, 1, v{b}\ns_and_b32 vcc_lo, s14, vcc_lo"));
            }
            3 => self.line(&format!("v_and_b32 v14, 1, v{a}\nv_cmp_eq_u32 vcc_lo, 1, v14")),
            4 => self.line(&format!("v_cmp_lt_u32 vcc_lo, s5, v{a}")),
            _ => self.line(&format!("v_cmp_eq_u32 vcc_lo, {}, v{a}", 1)),
        }
    }

    fn statement(&mut self, depth: u32) {
        let kind = if depth == DEPTH { self.rng.below(6) } else { self.rng.below(10) };
        // All lanes, and those that the grid leaves out, too.
        if self.wakes_all && self.rng.one_in(8) {
            self.line("s_mov_b32 s19, exec_lo\ns_mov_b32 exec_lo, -1");
            self.plain();
            self.line("s_mov_b32 exec_lo, s19");
        }
        match kind {
            0..=5 => self.plain(),
            6 | 7 => self.conditional(depth),
            8 => self.choice(depth),
            _ => self.repeated(depth),
        }
    }

    fn plain(&mut self) {
        match self.rng.below(7) {
            6 => {
                // Across lanes, of which some may be off.
                let (d, a, lane) = (self.of(&VALUES), self.value(), self.rng.below(32));
                let controls = "row_mask:0xf bank_mask:0xf bound_ctrl:1";
                match self.rng.below(4) {
                    0 => self.line(&format!("v_readlane_b32 s14, v{a}, {lane}\nv_mov_b32 v{d}, s14")),
                    1 => self.line(&format!("v_add_nc_u32_dpp v{d}, v{a}, v{a} row_shr:{} {controls}", 1 + lane % 15)),
                    2 => self.line(&format!("v_mov_b32_dpp v{d}, v{a} row_ror:{} {controls}", 1 + lane % 15)),
                    _ => self.line(&format!("v_permlanex16_b32 v{d}, v{a}, s5, 1")),
                }
            }
            0..=2 => {
                let (d, a, b) = (self.of(&VALUES), self.value(), self.value());
                let op =
                    ["v_add_nc_u32", "v_sub_nc_u32", "v_and_b32", "v_xor_b32", "v_max_i32", "v_mul_u32_u24"][self.rng.below(6) as usize];
                self.line(&format!("{op} v{d}, v{a}, v{b}"));
            }
            3 => {
                let (d, a) = (self.of(&OFFSETS), self.of(&OFFSETS));
                match self.rng.below(4) {
                    0 => self.line(&format!("v_mov_b32 v{d}, v{a}")),
                    1 => self.line(&format!("v_add_nc_u32 v{d}, 4, v{a}")),
                    2 => {
                        let v = self.value();
                        self.line(&format!("v_and_b32 v{d}, 15, v{v}\nv_lshlrev_b32 v{d}, 4, v{d}"));
                    }
                    _ => self.line(&format!("v_lshlrev_b32 v{d}, 2, v0\nv_and_b32 v{d}, 0xfc, v{d}")),
                }
            }
            _ => {
                let (d, a) = (self.of(&VALUES), self.of(&OFFSETS));
                self.line(&format!("global_load_b32 v{d}, v{a}, s[0:1]\ns_waitcnt vmcnt(0)"));
            }
        }
    }

    fn body(&mut self, depth: u32) {
        for _ in 0..1 + self.rng.below(4) {
            self.statement(depth + 1);
        }
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn conditional(&mut self, depth: u32) {
        let (saved, label) = (SAVED + depth, self.label());
        self.condition();
        self.line(&format!("s_and_saveexec_b32 s{saved}, vcc_lo"));
        if !self.rng.one_in(4) {
            self.line(&format!("s_cbranch_execz out{label}"));
        }
        self.body(depth);
        self.line(&format!("out{label}:\ns_or_b32 exec_lo, exec_lo, s{saved}"));
    }

    fn choice(&mut self, depth: u32) {
        let (saved, label) = (SAVED + depth, self.label());
        self.condition();
        self.line(&format!("s_and_saveexec_b32 s{saved}, vcc_lo\ns_xor_b32 s{saved}, exec_lo, s{saved}\ns_cbranch_execz else{label}"));
        self.body(depth);
        self.line(&format!("else{label}:\ns_or_saveexec_b32 s{saved}, s{saved}\ns_xor_b32 exec_lo, exec_lo, s{saved}"));
        self.line(&format!("s_cbranch_execz out{label}"));
        self.body(depth);
        self.line(&format!("out{label}:\ns_or_b32 exec_lo, exec_lo, s{saved}"));
    }

    fn repeated(&mut self, depth: u32) {
        let (done, count, label) = (DONE + depth, 30 + depth, self.label());
        let limit = self.value();
        self.line(&format!("s_mov_b32 s{done}, 0\nv_mov_b32 v{count}, 0\nagain{label}:"));
        self.body(depth);
        self.line(&format!("v_add_nc_u32 v{count}, 1, v{count}\nv_and_b32 v14, 3, v{limit}"));
        self.line(&format!("v_cmp_le_u32 vcc_lo, v14, v{count}\ns_or_b32 s{done}, vcc_lo, s{done}"));
        self.line(&format!("s_and_not1_b32 exec_lo, exec_lo, s{done}\ns_cbranch_execnz again{label}"));
        self.line(&format!("s_or_b32 exec_lo, exec_lo, s{done}"));
    }
}

fn program(rng: &mut Random) -> (String, Launch) {
    let group = [[64, 1, 1], [32, 2, 1], [16, 4, 1], [64, 1, 1]][rng.below(4) as usize];
    let grid = if rng.one_in(3) { [group[0], 1 + rng.below(group[1]), 1] } else { group };
    let grid = if rng.one_in(4) && group[1] == 1 { [1 + rng.below(64), 1, 1] } else { grid };
    let wakes_all = rng.one_in(3);
    let mut w = Writer { rng, text: String::new(), labels: 0, wakes_all };
    // Lanes that the grid leaves out begin like the others, if they are ever turned on.
    let begins_all = wakes_all && w.rng.one_in(2);
    if begins_all {
        w.line("s_mov_b32 s19, exec_lo\ns_mov_b32 exec_lo, -1");
    }
    w.line("s_load_b32 s5, s[0:1], 0x40\nv_and_b32 v1, 0x3ff, v0\nv_bfe_u32 v2, v0, 10, 10\ns_waitcnt lgkmcnt(0)");
    w.line("s_and_b32 s5, s5, 7\nv_mov_b32 v3, s5\nv_mov_b32 v4, 0\nv_mul_u32_u24 v5, 3, v2\nv_mov_b32 v6, v1");
    w.line("v_lshlrev_b32 v10, 2, v1\nv_lshlrev_b32 v11, 8, v2\nv_mov_b32 v12, 0x80\nv_add_nc_u32 v13, v10, v11");
    w.line("global_load_b128 v[6:9], v13, s[0:1] offset:256\ns_waitcnt vmcnt(0)");
    // Where each lane stores.
    w.line(&format!("v_mad_u32_u24 v20, v2, {}, v1\nv_lshlrev_b32 v20, 6, v20", group[0]));
    if begins_all {
        w.line("s_mov_b32 exec_lo, s19");
    }
    let is_region = w.rng.one_in(4);
    if is_region {
        w.condition();
        w.line("s_and_saveexec_b32 s18, vcc_lo\ns_cbranch_execz over");
    }
    for _ in 0..2 + w.rng.below(6) {
        w.statement(0);
    }
    if is_region {
        w.line("over:");
        if w.rng.one_in(2) {
            w.line("s_or_b32 exec_lo, exec_lo, s18");
        }
    }
    if begins_all && w.rng.one_in(2) {
        w.line("s_mov_b32 exec_lo, -1");
    }
    // What nobody reads need not be right: not all are read.
    let reads = 1 + w.rng.below(0xfff);
    for (i, v) in VALUES.chain(OFFSETS).enumerate().filter(|(i, _)| reads >> i & 1 != 0) {
        w.line(&format!("global_store_b32 v20, v{v}, s[2:3] offset:{}", 4 * i));
    }
    w.line("s_endpgm");
    (w.text, Launch { grid, group })
}

#[test]
fn what_bodies_write_is_what_the_interpreter_has() {
    compare(program);
}
