//! Memory: SMEM, FLAT, GLOBAL, SCRATCH and DS (RDNA3 ISA, memory chapters; numerics.md section 14), and what they share: registers named by
//! operands, halves of registers, atomics.

pub(super) mod ds;
pub(super) mod flat;
pub(super) mod smem;

use super::cx::{Arg, Cx};
use super::types::*;
use wavejit_ir::AtomicOp::{self, *};
use wavejit_ir::PureOp::*;
use wavejit_ir::{Addr, Builder, MemKind, Op, SReg, Space, Ty, VReg, Value};
use wavejit_isa::Part::{self, High, Whole};
use wavejit_isa::{Access, Enc, Flags, Opd, Operand};

/// What the row loads.
fn loads(c: &Cx) -> (MemKind, Part) {
    match c.inst.row.access {
        Some(Access::Load(kind, part)) => (kind, part),
        other => panic!("{}: a load, but {other:?}", c.inst.row.name),
    }
}
/// What the row stores.
fn stores(c: &Cx) -> (MemKind, Part) {
    match c.inst.row.access {
        Some(Access::Store(kind, part)) => (kind, part),
        other => panic!("{}: a store, but {other:?}", c.inst.row.name),
    }
}
/// What the row does to memory, and whether it does so to 64 bits: data operands of compare and swap are pairs, so a result says it if there is one.
fn atomics(c: &Cx) -> (AtomicOp, bool) {
    let row = c.inst.row;
    let ty = row.ops.iter().find_map(|op| match op {
        Opd::RD(t) | Opd::DA(t) => Some(*t),
        _ => None,
    });
    match (row.access, ty) {
        (Some(Access::Atomic(op)), Some(t)) => (op, t.dwords(64) == 2),
        (other, _) => panic!("{}: an atomic, but {other:?}", row.name),
    }
}

fn vgpr(c: &mut Cx, arg: Arg) -> u16 {
    match arg.op {
        Operand::Vgpr { n, .. } => n,
        Operand::Agpr { n, .. } => 256 + (n & 255),
        _ => {
            c.unsupported("VGPR expected");
            0
        }
    }
}
fn is_off(c: &Cx, arg: Arg) -> bool {
    !arg.is_there() || c.is_null(arg.op)
}
fn lane(c: &mut Cx, arg: Arg, t: T) -> Value {
    let v = c.src(arg.op, t);
    c.as_lane(v)
}
fn rows(c: &mut Cx, first: u16, n: usize) -> [Option<Value>; 4] {
    let e = c.exec();
    std::array::from_fn(|i| (i < n).then(|| c.b.vget(c.source(first, n, i), Some(e))))
}

/// Writes the results of a load: whole registers, or one half of one.
fn loaded(c: &mut Cx, d: Arg, first: Value, n: usize, part: Part) {
    let e = c.exec();
    let row = vgpr(c, d);
    for i in 0..n {
        let v = Value(first.0 + i as u32);
        let reg = row + i as u16;
        let v = if part == Whole { v } else { c.insert_half(reg, v, part == High, e) };
        c.b.vset(VReg(reg), v, e);
    }
}
/// Data of a store.
fn stored(c: &mut Cx, data: Arg, kind: MemKind, part: Part) -> [Option<Value>; 4] {
    let row = vgpr(c, data);
    let mut data = rows(c, row, kind.dwords());
    if part == High {
        data[0] = data[0].map(|v| c.high_half(v));
    }
    data
}

fn load_from(c: &mut Cx, space: Space, kind: MemKind, part: Part, addr: Addr, d: Arg) {
    let exec = c.exec();
    let v = c.b.load(space, kind, addr, exec);
    loaded(c, d, v, kind.dwords(), part);
}
fn store_to(c: &mut Cx, space: Space, kind: MemKind, part: Part, addr: Addr, data: Arg) {
    let data = stored(c, data, kind, part);
    let exec = c.exec();
    c.b.push(Op::Store { space, kind, addr, data, exec }, &[]);
}
/// Four bytes a lane, for addresses that count lanes (`addtid`).
fn lane_dwords(c: &mut Cx) -> Value {
    let id = c.lane_id();
    let two = c.b.const32(2);
    c.b.pure2(Shl32, id, two)
}
/// A dword of each lane, loaded or stored.
fn move_dword(c: &mut Cx, space: Space, addr: Addr, data: Arg) {
    let access = if let Some(Access::Store(..)) = c.inst.row.access { store_to } else { load_from };
    access(c, space, MemKind::B32, Whole, addr, data);
}

/// The lanes of EXEC that are among `lanes`.
fn active(c: &mut Cx, lanes: Option<Value>) -> Value {
    let exec = c.exec();
    lanes.map_or(exec, |lanes| c.b.pure2(BAnd, exec, lanes))
}

/// `n` dwords that were loaded in some lanes, with 0 in the others; they stay side by side.
fn or_zero(c: &mut Cx, first: Value, n: usize, lanes: Option<Value>) -> Value {
    let Some(lanes) = lanes else { return first };
    let zero = c.b.const32(0);
    let zero = c.b.splat(zero);
    let dwords: Vec<Value> = (0..n as u32).map(|i| c.b.pure3(Sel32, lanes, Value(first.0 + i), zero)).collect();
    dwords[0]
}

/// An atomic, and its old value to `d`, if it returns one. `data`: operand, then comparand or the like. With `lanes`, only those do it, and 0 is the
/// value of the others.
fn run_atomic(c: &mut Cx, space: Space, addr: Addr, d: Option<Arg>, data: &[Arg], lanes: Option<Value>) {
    let (op, wide) = atomics(c);
    let n = if wide { 2 } else { 1 };
    let mut values = [None; 4];
    for (i, data) in data.iter().enumerate() {
        // An operand and its comparand are one tuple outside DS.
        let count = if space == Space::Lds { n } else { n * op.operands() };
        let first = vgpr(c, *data);
        let v = rows(c, first, count);
        values[i * n..i * n + count].copy_from_slice(&v[..count]);
    }
    let exec = active(c, lanes);
    let d = d.filter(|d| d.is_there());
    let returns = d.is_some();
    let tys = if returns { &[Ty::L32; 2][..n] } else { &[] };
    let v = c.b.push(Op::Atomic { space, op, wide, addr, data: values, exec, returns }, tys);
    if let Some(d) = d {
        let v = or_zero(c, v, n, lanes);
        loaded(c, d, v, n, Whole);
    }
}
