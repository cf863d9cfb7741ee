//! Data between lanes and rows: DPP16 and DPP8, readlane and its kin, permlane, the LDS-less DS permutes, swaps and register moves
//! relative to M0 (RDNA3 ISA, DPP and VOP3; numerics.md sections 10 and 14; requirements.md STATE-13, STATE-30).

use super::cx::{Arg, Cx};
use super::types::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::{Op, SReg, Ty, VReg, Value, Width};
use wavejit_isa::Feature;
use wavejit_isa::{Dpp, Half, Operand};

/// What a DPP control does to source 0 and to the lanes that are written.
pub struct DppEffect {
    index: Value,
    /// Lanes whose source exists and is active; none: all.
    valid: Option<Value>,
    /// Lanes without a source read 0 and are written.
    zero_fill: bool,
    /// Lanes that row_mask and bank_mask let through; none: all.
    write: Option<Value>,
    /// Inactive lanes are read too.
    fetch_inactive: bool,
}

impl DppEffect {
    /// That of a DPP control.
    pub fn new(c: &mut Cx, dpp: Dpp) -> DppEffect {
        let lanes = c.wave_size as usize;
        let mut from = [0u32; 64];
        let (mut exists, mut write) = (0u64, 0u64);
        let (fi, zero_fill) = match dpp {
            Dpp::None => (true, true),
            Dpp::Dpp16 { bound_ctrl, fi, .. } => (fi, bound_ctrl),
            Dpp::Dpp8 { fi, .. } => (fi, true),
        };
        for (lane, from) in from.iter_mut().enumerate().take(lanes) {
            let source = match dpp {
                Dpp::None => Some(lane),
                Dpp::Dpp8 { sel, .. } => Some(lane & !7 | (sel >> (3 * (lane & 7)) & 7) as usize),
                Dpp::Dpp16 { ctrl, .. } => match dpp16_source(ctrl, lane, lanes) {
                    Ok(s) => s,
                    Err(why) => {
                        c.unsupported(why);
                        None
                    }
                },
            };
            let enabled = match dpp {
                Dpp::Dpp16 { row_mask, bank_mask, .. } => row_mask >> (lane / 16) & 1 != 0 && bank_mask >> (lane / 4 % 4) & 1 != 0,
                _ => true,
            };
            *from = source.unwrap_or(lane) as u32;
            exists |= u64::from(source.is_some()) << lane;
            write |= u64::from(enabled) << lane;
        }
        let all = if lanes == 64 { !0 } else { 0xffff_ffff };
        let index = lane_table(c, from);
        let mut valid = (exists != all).then(|| c.const_mask(exists));
        if !fi {
            let exec = c.exec();
            let active = shuffle_mask(c, exec, index);
            valid = Some(valid.map_or(active, |v| c.b.pure2(BAnd, v, active)));
        }
        let write = (write != all).then(|| c.const_mask(write));
        DppEffect { index, valid, zero_fill, write, fetch_inactive: fi }
    }
    /// Lanes of the source register that matter.
    pub fn demand(&self, exec: Value) -> Option<Value> {
        (!self.fetch_inactive).then_some(exec)
    }
    /// Source 0 as each lane gets it.
    pub fn apply(&self, c: &mut Cx, v: Value) -> Value {
        if c.b.ty(v).width == Width::B64 {
            c.unsupported("DPP of a 64-bit operand");
            return v;
        }
        let v = c.as_lane(v);
        let moved = c.b.push(Op::Shuffle { value: v, index: self.index }, &[Ty::L32]);
        match self.valid {
            Some(valid) if self.zero_fill => {
                let z = c.b.const32(0);
                c.b.pure3(Sel32, valid, moved, z)
            }
            _ => moved,
        }
    }
    /// The lanes written, of those in `exec`.
    pub fn write_exec(&self, c: &mut Cx, mut exec: Value) -> Value {
        if let Some(w) = self.write {
            exec = c.b.pure2(BAnd, exec, w);
        }
        match self.valid {
            Some(valid) if !self.zero_fill => c.b.pure2(BAnd, exec, valid),
            _ => exec,
        }
    }
}

/// The lane that `lane` reads under a DPP16 control; none if it lies outside.
fn dpp16_source(ctrl: u16, lane: usize, lanes: usize) -> Result<Option<usize>, &'static str> {
    let (row, i) = (lane & !15, lane & 15);
    let n = usize::from(ctrl & 15);
    Ok(match ctrl {
        0x000..=0x0ff => Some(lane & !3 | usize::from(ctrl) >> (2 * (lane & 3)) & 3),
        0x101..=0x10f => (i + n < 16).then_some(lane + n),
        0x111..=0x11f => (i >= n).then(|| lane - n),
        0x121..=0x12f => Some(row + (i + 16 - n) % 16),
        0x130 => (lane + 1 < lanes).then_some(lane + 1),
        0x134 => Some((lane + 1) % lanes),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + lanes - 1) % lanes),
        0x140 => Some(row | (15 - i)),
        0x141 => Some(row | i & 8 | (7 - (i & 7))),
        0x142 => row.checked_sub(1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row | n),
        0x160..=0x16f => Some(row | i ^ n),
        _ => return Err("this DPP control"),
    })
}

fn lane_table(c: &mut Cx, t: [u32; 64]) -> Value {
    let t = c.b.func.table(t);
    c.b.push(Op::LaneTable(t), &[Ty::L32])
}
/// out\[i\] = mask\[index\[i\]\]
fn shuffle_mask(c: &mut Cx, mask: Value, index: Value) -> Value {
    let bits = c.b.pure1(BToInt, mask);
    let moved = c.b.push(Op::Shuffle { value: bits, index }, &[Ty::L32]);
    let z = c.b.const32(0);
    c.b.pure2(ICmpNe32, moved, z)
}
fn shuffle(c: &mut Cx, value: Value, index: Value) -> Value {
    let value = c.as_lane(value);
    c.b.push(Op::Shuffle { value, index }, &[Ty::L32])
}
/// A VGPR operand with all its lanes.
fn all_of(c: &mut Cx, arg: Arg) -> Value {
    match arg.op {
        Operand::Vgpr { n, .. } => c.vread(n, Half::Whole, B32, None),
        _ => {
            let v = c.src(arg.op, B32);
            c.as_lane(v)
        }
    }
}
fn row(c: &mut Cx, arg: Arg) -> VReg {
    match arg.op {
        Operand::Vgpr { n, .. } => VReg(n),
        _ => {
            c.unsupported("VGPR expected");
            VReg(0)
        }
    }
}

/// v_readlane_b32: ignores EXEC; lane number modulo the wave size.
pub(super) fn readlane(c: &mut Cx, d: Arg, s: Arg, lane: Arg) {
    let value = all_of(c, s);
    let lane = c.uniform(lane);
    let v = c.b.push(Op::ReadLane { value, lane }, &[Ty::S32]);
    c.write_scalar(d, v);
}
/// v_readfirstlane_b32: lane 0 when EXEC is 0.
pub(super) fn readfirstlane(c: &mut Cx, d: Arg, s: Arg) {
    let value = all_of(c, s);
    let exec = c.exec();
    let v = c.b.push(Op::ReadFirstLane { value, exec }, &[Ty::S32]);
    c.write_scalar(d, v);
}
/// v_writelane_b32: ignores EXEC.
pub(super) fn writelane(c: &mut Cx, d: Arg, s: Arg, lane: Arg) {
    let reg = row(c, d);
    let data = c.uniform(s);
    let lane = c.uniform(lane);
    let old = c.b.vget(reg, None);
    let v = c.b.push(Op::WriteLane { old, data, lane }, &[Ty::L32]);
    let all = c.all_lanes();
    c.b.vset(reg, v, all);
}
/// v_permlane16_b32, v_permlanex16_b32: a 4-bit lane number for each lane of a row from {s2, s1}, in its own or the neighbor row.
/// op_sel\[0\] fetches inactive lanes, op_sel\[1\] makes lanes without a source 0 instead of keeping them.
pub(super) fn permlane16(c: &mut Cx, d: Arg, s: [Arg; 3], other_row: bool) {
    let [src, s1, s2] = s;
    let (fi, zero_fill) = (c.inst.mods.op_sel & 1 != 0, c.inst.mods.op_sel & 2 != 0);
    let (mut shift, mut base) = ([0; 64], [0; 64]);
    let mut high = 0u64;
    for lane in 0..64u32 {
        shift[lane as usize] = 4 * (lane & 7);
        base[lane as usize] = (lane & !15) ^ if other_row { 16 } else { 0 };
        high |= u64::from(lane >> 3 & 1) << lane;
    }
    let value = all_of(c, src);
    let (s1, s2) = (c.uniform(s1), c.uniform(s2));
    let high = c.const_mask(if c.is_wave64() { high } else { high & 0xffff_ffff });
    let word = c.b.pure3(Sel32, high, s2, s1);
    let shift = lane_table(c, shift);
    let sel = c.b.pure2(LShr32, word, shift);
    let m = c.b.const32(15);
    let sel = c.b.pure2(And32, sel, m);
    let base = lane_table(c, base);
    let index = c.b.pure2(Or32, base, sel);
    let mut v = shuffle(c, value, index);
    let mut exec = c.exec();
    if !fi {
        let active = shuffle_mask(c, exec, index);
        if zero_fill {
            let z = c.b.const32(0);
            v = c.b.pure3(Sel32, active, v, z);
        } else {
            exec = c.b.pure2(BAnd, exec, active);
        }
    }
    c.write_lanes(d, v, exec);
}
/// v_permlane64_b32: swaps the halves of the wave; wave32 does nothing.
pub(super) fn permlane64(c: &mut Cx, d: Arg, s: Arg) {
    if !c.is_wave64() {
        return;
    }
    let value = all_of(c, s);
    let index = lane_table(c, std::array::from_fn(|i| i as u32 ^ 32));
    let v = shuffle(c, value, index);
    let exec = c.exec();
    c.write_lanes(d, v, exec);
}

/// Lanes that one DS permute may reach: 32, except where the whole wave takes part.
fn permute_index(c: &mut Cx, addr: Arg) -> Value {
    let halves = c.target.has(Feature::PermutesWithinHalves);
    let a = c.read(addr);
    let offset = c.b.const32(c.inst.mods.offset as u32);
    let a = c.b.pure2(IAdd32, a, offset);
    let (two, m) = (c.b.const32(2), c.b.const32(if halves { 31 } else { c.wave_size - 1 }));
    let index = c.b.pure2(LShr32, a, two);
    let index = c.b.pure2(And32, index, m);
    if !halves || !c.is_wave64() {
        return index;
    }
    let id = c.lane_id();
    let m = c.b.const32(32);
    let half = c.b.pure2(And32, id, m);
    c.b.pure2(Or32, index, half)
}
/// ds_bpermute_b32: pull; inactive sources give 0.
pub(super) fn bpermute(c: &mut Cx, d: Arg, addr: Arg, data: Arg) {
    let index = permute_index(c, addr);
    let index = c.as_lane(index);
    let value = c.read(data);
    pull(c, d, value, index);
}
/// dst\[i\] = value\[index\[i\]\], 0 where that lane is inactive.
fn pull(c: &mut Cx, d: Arg, value: Value, index: Value) {
    let v = shuffle(c, value, index);
    let exec = c.exec();
    let active = shuffle_mask(c, exec, index);
    let z = c.b.const32(0);
    let v = c.b.pure3(Sel32, active, v, z);
    c.write_lanes(d, v, exec);
}
/// ds_permute_b32: push; the highest source lane wins, lanes nobody names get 0.
pub(super) fn permute(c: &mut Cx, d: Arg, addr: Arg, data: Arg) {
    let index = permute_index(c, addr);
    let index = c.as_lane(index);
    let value = c.read(data);
    let value = c.as_lane(value);
    let exec = c.exec();
    let v = c.b.push(Op::Permute { value, index, exec }, &[Ty::L32]);
    c.write_lanes(d, v, exec);
}
/// The lane that `lane` reads under a ds_swizzle pattern.
fn swizzle_source(pattern: u32, lane: u32) -> u32 {
    let (base, i) = (lane & !31, lane & 31);
    let (field0, field1, field2) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
    base | match pattern {
        0xe000.. => (i.reverse_bits() >> 27 >> field0.count_ones()) | i & field0,
        0xc000.. => {
            let by = if pattern >> 10 & 1 != 0 { 32 - field1 } else { field1 };
            i & field0 | i.wrapping_add(by) & !field0 & 31
        }
        0x8000.. => i & !3 | pattern >> (2 * (i & 3)) & 3,
        _ => (i & field0 | field1) ^ field2,
    }
}
pub(super) fn swizzle(c: &mut Cx, d: Arg, s: Arg) {
    let pattern = c.inst.mods.offset as u32 & 0xffff;
    let index = lane_table(c, std::array::from_fn(|i| swizzle_source(pattern, i as u32)));
    let value = c.read(s);
    pull(c, d, value, index);
}

fn m0_field(c: &mut Cx, shift: u32, mask: u32) -> Value {
    let v = c.b.sget(SReg::M0);
    let n = c.b.const32(shift);
    let v = c.b.pure2(LShr32, v, n);
    let m = c.b.const32(mask);
    c.b.pure2(And32, v, m)
}
/// An index that is out of range from every register.
const NOWHERE: u32 = 1 << 31;

/// Is v\[reg + index\] a register of the wave (STATE-30)?
fn is_register(c: &mut Cx, reg: VReg, index: Value) -> Value {
    let end = c.rows_from(reg.0);
    let end = c.b.const32(end);
    c.b.pure2(ICmpUlt32, index, end)
}
/// `index`, or one that is out of range.
fn index_if(c: &mut Cx, condition: Value, index: Value) -> Value {
    let nowhere = c.b.const32(NOWHERE);
    c.b.pure3(Sel32, condition, index, nowhere)
}
fn index_from(c: &mut Cx, reg: VReg, index: Value) -> Value {
    let there = is_register(c, reg, index);
    index_if(c, there, index)
}
/// v\[reg + index\], v0 if there is no such register.
fn read_rel(c: &mut Cx, reg: VReg, index: Value) -> Value {
    let (e, index) = (c.exec(), index_from(c, reg, index));
    c.b.push(Op::VGetRel { reg, index, demand: Some(e) }, &[Ty::L32])
}
/// v\[reg + index\] = value, if there is such a register.
fn write_rel(c: &mut Cx, reg: VReg, index: Value, value: Value) {
    let (exec, index) = (c.exec(), index_from(c, reg, index));
    let value = c.as_lane(value);
    c.b.push(Op::VSetRel { reg, index, value, exec }, &[]);
}
/// v_movreld_b32: v\[dst + M0\] = src
pub(super) fn movreld(c: &mut Cx, d: Arg, s: Arg) {
    let d = row(c, d);
    let v = c.read(s);
    let i = c.b.sget(SReg::M0);
    write_rel(c, d, i, v);
}
/// v_movrels_b32: dst = v\[src + M0\]
pub(super) fn movrels(c: &mut Cx, d: Arg, s: Arg) {
    let s = row(c, s);
    let i = c.b.sget(SReg::M0);
    let v = read_rel(c, s, i);
    let e = c.exec();
    c.write_lanes(d, v, e);
}
/// v_movrelsd_b32: v\[dst + M0\] = v\[src + M0\]
pub(super) fn movrelsd(c: &mut Cx, d: Arg, s: Arg) {
    let (d, s) = (row(c, d), row(c, s));
    let i = c.b.sget(SReg::M0);
    let v = read_rel(c, s, i);
    write_rel(c, d, i, v);
}
/// v_movrelsd_2_b32: v\[dst + M0\[25:16\]\] = v\[src + M0\[9:0\]\]
pub(super) fn movrelsd2(c: &mut Cx, d: Arg, s: Arg) {
    let (d, s) = (row(c, d), row(c, s));
    let (si, di) = (m0_field(c, 0, 0x3ff), m0_field(c, 16, 0x3ff));
    let v = read_rel(c, s, si);
    write_rel(c, d, di, v);
}
/// v_swap_b32: both are destinations (STATE-31).
pub(super) fn swap(c: &mut Cx, x: Arg, y: Arg) {
    let (x, y) = (row(c, x), row(c, y));
    if !c.has_rows(y.0, 1) {
        return;
    }
    let e = c.exec();
    let (vx, vy) = (c.b.vget(x, Some(e)), c.b.vget(y, Some(e)));
    c.b.vset(x, vy, e);
    c.b.vset(y, vx, e);
}
/// v_swaprel_b32: v\[dst + M0\[25:16\]\] and v\[src + M0\[9:0\]\], if both are there (STATE-31).
pub(super) fn swaprel(c: &mut Cx, d: Arg, s: Arg) {
    let (d, s) = (row(c, d), row(c, s));
    let (si, di) = (m0_field(c, 0, 0x3ff), m0_field(c, 16, 0x3ff));
    let (has_s, has_d) = (is_register(c, s, si), is_register(c, d, di));
    let both = c.b.pure2(BAnd, has_s, has_d);
    let (si, di) = (index_if(c, both, si), index_if(c, both, di));
    let vs = read_rel(c, s, si);
    let vd = read_rel(c, d, di);
    write_rel(c, d, di, vs);
    write_rel(c, s, si, vd);
}
