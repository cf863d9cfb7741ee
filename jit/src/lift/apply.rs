//! What an instruction means, on its operands: sources with DPP, halves and modifiers; the row's function; the destination.

use super::crosslane::DppEffect;
use super::cx::Cx;
use super::meaning::F;
use super::packed::packed;
use super::rows::of_row;
use super::sem::{Lane, Scc, Sem};
use super::types::*;
use wavejit_ir::{NoteKind, Op, PureOp, Value, Waits};
use wavejit_isa::scalars::VCC_LO;
use wavejit_isa::{self as isa, Dpp, Enc, Half, Operand};

/// Lifts an instruction that does not end its block.
pub(super) fn lift_inst(cx: &mut Cx, sem: &Sem) {
    if cx.is_dropped() {
        return;
    }
    if cx.inst.enc == Enc::VOPD { dual(cx, sem) } else { cx.lift(sem) }
}

/// VOPD: both halves read before either writes (numerics.md section 12). wave32 only; wave64 skips it.
fn dual(cx: &mut Cx, x: &Sem) {
    if cx.is_wave64() {
        return;
    }
    let inst = cx.inst;
    let y = inst.row_y.and_then(of_row);
    let (Sem::Lane(x), Some(Sem::Lane(y))) = (x, y) else {
        return cx.unsupported("no semantics");
    };
    let (ops_x, ops_y) = inst.ops().split_at(usize::from(inst.y_start).min(inst.ops().len()));
    let half = |cx: &mut Cx, row: &Lane, ops| cx.lane_result(row, ops, None);
    let vx = half(cx, x, ops_x);
    let vy = half(cx, y, ops_y);
    let exec = cx.exec();
    for (row, ops, v) in [(x, ops_x, vx), (y, ops_y, vy)] {
        match ops.first() {
            Some(d) => cx.vdst(*d, row.dst, v, exec),
            None => cx.unsupported("operand missing"),
        }
    }
}

impl Cx<'_, '_> {
    /// Source `i` of a vector instruction (operand `first + i`) as type `t`, with DPP on source 0, op_sel, abs and neg.
    fn lane_src(&mut self, i: usize, op: Operand, t: T, dpp: Option<&DppEffect>) -> Value {
        if t == Mask {
            return self.mask_src(op);
        }
        let m = self.inst.mods;
        let mut v = self.dpp_src(i, op, t, dpp);
        if t.is_16() && m.op_sel >> i & 1 != 0 && matches!(op, Operand::Vgpr { .. } | Operand::Sgpr { .. }) && !has_half(op) {
            v = self.high_half(v);
        }
        if t.is_float() || t.is_packed_float() {
            if m.abs >> i & 1 != 0 {
                v = self.clear_sign(v, t);
            }
            if m.neg >> i & 1 != 0 {
                v = self.flip_sign(v, t);
            }
        }
        v
    }
    /// Source `i` as type `t` with DPP on source 0, without other modifiers.
    pub fn dpp_src(&mut self, i: usize, op: Operand, t: T, dpp: Option<&DppEffect>) -> Value {
        match (op, dpp) {
            (Operand::Vgpr { n, half, .. }, Some(effect)) if i == 0 => {
                let e = self.exec();
                let v = self.vread(n, half, t, effect.demand(e));
                effect.apply(self, v)
            }
            _ => self.src(op, t),
        }
    }
    fn clear_sign(&mut self, v: Value, t: T) -> Value {
        match t {
            F64 => {
                let k = self.b.const64(!(1 << 63));
                self.b.pure2(PureOp::And64, v, k)
            }
            F16 => {
                let k = self.b.const32(0x7fff);
                self.b.pure2(PureOp::And32, v, k)
            }
            H2 | Bf2 => {
                let k = self.b.const32(0x7fff_7fff);
                self.b.pure2(PureOp::And32, v, k)
            }
            _ => {
                let k = self.b.const32(0x7fff_ffff);
                self.b.pure2(PureOp::And32, v, k)
            }
        }
    }
    fn flip_sign(&mut self, v: Value, t: T) -> Value {
        match t {
            F64 => {
                let k = self.b.const64(1 << 63);
                self.b.pure2(PureOp::Xor64, v, k)
            }
            F16 => {
                let k = self.b.const32(0x8000);
                self.b.pure2(PureOp::Xor32, v, k)
            }
            H2 | Bf2 => {
                let k = self.b.const32(0x8000_8000);
                self.b.pure2(PureOp::Xor32, v, k)
            }
            _ => {
                let k = self.b.const32(0x8000_0000);
                self.b.pure2(PureOp::Xor32, v, k)
            }
        }
    }

    /// Sources of types `types` from operand `first` on; a lane mask that is not printed is VCC.
    pub fn lane_srcs(&mut self, ops: &[Operand], first: usize, types: &[T], dpp: Option<&DppEffect>) -> Vec<Value> {
        let vcc = Operand::Sgpr { n: VCC_LO, count: 1 };
        types
            .iter()
            .enumerate()
            .map(|(i, t)| {
                let op = match ops.get(first + i) {
                    Some(op) => *op,
                    None if *t == Mask => vcc,
                    None => {
                        self.unsupported("operand missing");
                        Operand::Off
                    }
                };
                self.lane_src(i, op, *t, dpp)
            })
            .collect()
    }
    /// The result of a [`Lane`] row on these operands (destination first), before it is written.
    pub fn lane_result(&mut self, row: &Lane, ops: &[Operand], dpp: Option<&DppEffect>) -> Value {
        let mut vals = self.lane_srcs(ops, 1, &row.src, dpp);
        if row.acc {
            let old = match ops.first() {
                Some(Operand::Vgpr { n, half, .. }) => {
                    let e = self.exec();
                    let high = *half == Half::Hi || row.dst.is_16() && self.inst.mods.op_sel & 8 != 0;
                    self.vread(*n, if high { Half::Hi } else { Half::Whole }, row.dst, Some(e))
                }
                _ => self.src(Operand::Off, row.dst),
            };
            vals.push(old);
        }
        if row.dst.is_float() {
            let v = (row.f)(&mut self.b, &vals);
            return self.output_mods(v, row.dst);
        }
        let f = row.saturate.filter(|_| self.inst.mods.clamp).unwrap_or(row.f);
        f(&mut self.b, &vals)
    }
    /// The DPP of the instruction and the EXEC it writes under.
    pub fn dpp(&mut self) -> (Option<DppEffect>, Value) {
        let e = self.exec();
        self.dpp_done = true;
        if self.inst.mods.dpp == Dpp::None {
            return (None, e);
        }
        let effect = DppEffect::new(self, self.inst.mods.dpp);
        let e = effect.write_exec(self, e);
        (Some(effect), e)
    }
    /// Lifts an instruction that does not end its block.
    pub fn lift(&mut self, sem: &Sem) {
        let inst = self.inst;
        self.dpp_done = false;
        if inst.mods.sdwa.present {
            return self.unsupported("SDWA");
        }
        match sem {
            Sem::Lane(row) => {
                let (dpp, exec) = self.dpp();
                let v = self.lane_result(row, inst.ops(), dpp.as_ref());
                let dst = self.op(0);
                self.vdst(dst, row.dst, v, exec);
            }
            Sem::Packed(row) => packed(self, row),
            Sem::LaneCarry { dst, src, f, saturate } => {
                let (dpp, exec) = self.dpp();
                let vals = self.lane_srcs(inst.ops(), 2, src, dpp.as_ref());
                let (v, mask) = f(&mut self.b, &vals);
                let v = match saturate {
                    Some(s) if inst.mods.clamp => s(&mut self.b, &vals),
                    _ if dst.is_float() => self.output_mods(v, *dst),
                    _ => v,
                };
                let mask = self.b.splat(mask);
                let mask = self.b.pure2(PureOp::BAnd, mask, exec);
                let (d, m) = (self.op(0), self.op(1));
                self.vdst(d, *dst, v, exec);
                self.mask_dst(m, mask);
            }
            Sem::Compare { src, f } => self.compare(src, *f),
            Sem::Scalar { dst, src, f, acc, scc } => {
                let vals = self.scalar_srcs(1, src, acc.then_some(*dst));
                let v = f(&mut self.b, &vals);
                let d = self.op(0);
                self.sdst(d, *dst, v);
                if matches!(scc, Scc::NonZero) && !self.is_refused_dst(d) {
                    let c = self.is_nonzero(v);
                    self.set_scc(c);
                }
            }
            Sem::ScalarScc { dst, src, f, acc } => {
                let vals = self.scalar_srcs(1, src, acc.then_some(*dst));
                let (v, c) = f(&mut self.b, &vals);
                let d = self.op(0);
                self.sdst(d, *dst, v);
                if !self.is_refused_dst(d) {
                    self.set_scc(c);
                }
            }
            Sem::ScalarCompare { src, f } => {
                let vals = self.scalar_srcs(0, src, None);
                let c = f(&mut self.b, &vals);
                self.set_scc(c);
            }
            Sem::Wave(f) => {
                f(self);
                if inst.mods.dpp != Dpp::None && !self.dpp_done {
                    self.unsupported("DPP");
                }
            }
            Sem::Note(kind) => {
                let waits = if *kind == NoteKind::Wait { self.waits() } else { Waits::default() };
                self.b.push(Op::Note { kind: *kind, waits }, &[]);
            }
            Sem::Control(_) => self.unsupported("control flow in the middle of a block"),
        }
    }
    fn is_refused_dst(&self, op: Operand) -> bool {
        matches!(op, Operand::Sgpr { n, .. } if Self::is_refused(n))
    }
    /// Sources of types `types` from operand `first` on, then the destination as `dst`, if it is read too.
    fn scalar_srcs(&mut self, first: usize, types: &[T], dst: Option<T>) -> Vec<Value> {
        let mut vals = vec![];
        for (i, t) in types.iter().enumerate() {
            let v = if *t == T::Scc {
                self.scc()
            } else {
                let op = self.op(first + i);
                self.src(op, *t)
            };
            vals.push(v);
        }
        if let Some(t) = dst {
            let op = self.op(0);
            vals.push(self.src(op, t));
        }
        vals
    }
    /// v_cmp: the result has a bit for every lane, 0 in inactive ones (STATE-36). v_cmpx writes EXEC; before gfx10 also its destination.
    fn compare(&mut self, src: &[T], f: F) {
        let is_cmpx = self.inst.row.writes.contains(isa::Implicit::EXEC);
        let ops = self.inst.ops();
        let first = usize::from(ops.len() > src.len());
        let (dpp, exec) = self.dpp();
        let vals = self.lane_srcs(ops, first, src, dpp.as_ref());
        let c = f(&mut self.b, &vals);
        let c = self.b.splat(c);
        let c = self.b.pure2(PureOp::BAnd, c, exec);
        if first == 1 {
            let d = self.op(0);
            self.mask_dst(d, c);
        }
        if is_cmpx {
            self.set_exec(c);
        }
    }
}

fn has_half(op: Operand) -> bool {
    matches!(op, Operand::Vgpr { half: Half::Lo | Half::Hi, .. })
}
