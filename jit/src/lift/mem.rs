//! Memory: SMEM, FLAT, GLOBAL, SCRATCH and DS (RDNA3 ISA, memory chapters; requirements.md LDS and STATE-18; numerics.md section 14).
//!
//! Address forms: global `base(SGPR pair) + offset(VGPR) + imm` or `address(VGPR pair) + imm`; scratch `base(SGPR) + offset(VGPR) + imm`,
//! either part may be `off`; LDS `offset(VGPR) + imm`.

use super::cx::{Cx, row_after};
use super::sem::*;
use crate::ir::PureOp::*;
use crate::ir::{Addr, AtomicOp, MemKind, Op, SReg, Space, Ty, VReg, Value};
use crate::isa::{Family, Operand};

/// Which half of a register a 16-bit access uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    /// D16: the other half of a loaded register stays.
    Low,
    High,
}
use Part::{High, Low, Whole};

fn vgpr(c: &mut Cx, op: Operand) -> u16 {
    match op {
        Operand::Vgpr { n, .. } => n,
        Operand::Agpr { n, .. } => 256 + (n & 255),
        _ => {
            c.unsupported("VGPR expected");
            0
        }
    }
}
fn is_off(c: &Cx, op: Operand) -> bool {
    let null = if c.target.family() >= Family::Gfx11 { 124 } else { 125 };
    matches!(op, Operand::Off) || matches!(op, Operand::Sgpr { n, .. } if n == null)
}
/// Address of FLAT, GLOBAL and SCRATCH from the vector and scalar operands.
fn address(c: &mut Cx, space: Space, vaddr: Operand, saddr: Operand) -> Addr {
    let imm = i64::from(c.inst.mods.offset);
    let scalar = !is_off(c, saddr);
    let vector = !is_off(c, vaddr);
    match space {
        Space::Scratch => {
            let base = scalar.then(|| c.src(saddr, B32));
            let offset = vector.then(|| lane(c, vaddr, B32));
            Addr { base, offset, imm }
        }
        _ if scalar => {
            let base = Some(c.src(saddr, B64));
            let offset = vector.then(|| lane(c, vaddr, B32));
            Addr { base, offset, imm }
        }
        _ => Addr { base: None, offset: Some(lane(c, vaddr, B64)), imm },
    }
}
fn lane(c: &mut Cx, op: Operand, t: T) -> Value {
    let v = c.src(op, t);
    c.as_lane(v)
}
/// Address of a DS instruction with a byte offset.
fn lds(c: &mut Cx, vaddr: Operand, imm: i64) -> Addr {
    Addr { base: None, offset: Some(lane(c, vaddr, B32)), imm }
}
fn rows(c: &mut Cx, first: u16, n: usize) -> [Option<Value>; 4] {
    let e = c.exec();
    std::array::from_fn(|i| (i < n).then(|| c.b.vget(VReg(row_after(first, i as u16)), Some(e))))
}

/// Writes the results of a load: whole registers, or one half of one.
fn loaded(c: &mut Cx, d: Operand, first: Value, n: usize, part: Part) {
    let e = c.exec();
    let row = vgpr(c, d);
    for i in 0..n {
        let v = Value(first.0 + i as u32);
        let reg = row_after(row, i as u16);
        let v = if part == Whole { v } else { c.insert_half(reg, v, part == High, e) };
        c.b.vset(VReg(reg), v, e);
    }
}
/// Data of a store.
fn stored(c: &mut Cx, op: Operand, kind: MemKind, part: Part) -> [Option<Value>; 4] {
    let row = vgpr(c, op);
    let mut data = rows(c, row, kind.dwords());
    if part == High {
        data[0] = data[0].map(|v| c.high_half(v));
    }
    data
}

/// flat, global and scratch loads.
fn load(c: &mut Cx, space: Space, kind: MemKind, part: Part) {
    no_lds_dma(c);
    let (d, vaddr) = (c.op(0), c.op(1));
    let saddr = c.operand(2).unwrap_or(Operand::Off);
    let addr = address(c, space, vaddr, saddr);
    let e = c.exec();
    let v = c.b.load(space, kind, addr, e);
    loaded(c, d, v, kind.dwords(), part);
}
fn store(c: &mut Cx, space: Space, kind: MemKind, part: Part) {
    let (vaddr, vdata) = (c.op(0), c.op(1));
    let saddr = c.operand(2).unwrap_or(Operand::Off);
    let addr = address(c, space, vaddr, saddr);
    let data = stored(c, vdata, kind, part);
    let exec = c.exec();
    c.b.push(Op::Store { space, kind, addr, data, exec }, &[]);
}
fn no_lds_dma(c: &mut Cx) {
    if c.inst.mods.lds {
        c.unsupported("load to LDS");
    }
}
/// global_load_addtid_b32, global_store_addtid_b32: SGPR base plus four bytes a lane.
fn addtid(c: &mut Cx, is_store: bool) {
    let (data, saddr) = (c.op(0), c.op(1));
    let id = c.lane_id();
    let two = c.b.const32(2);
    let offset = c.b.pure2(Shl32, id, two);
    let base = if is_off(c, saddr) { c.b.const64(0) } else { c.src(saddr, B64) };
    let addr = Addr { base: Some(base), offset: Some(offset), imm: i64::from(c.inst.mods.offset) };
    let exec = c.exec();
    if is_store {
        let data = stored(c, data, MemKind::B32, Whole);
        c.b.push(Op::Store { space: Space::Global, kind: MemKind::B32, addr, data, exec }, &[]);
    } else {
        let v = c.b.load(Space::Global, MemKind::B32, addr, exec);
        loaded(c, data, v, 1, Whole);
    }
}

/// flat and global atomics; the returning form has a destination in front.
fn atomic(c: &mut Cx, space: Space, op: AtomicOp, wide: bool) {
    let scalar = usize::from(space == Space::Global);
    let returns = c.inst.ops().len() > 2 + scalar;
    let first = usize::from(returns);
    let (vaddr, vdata) = (c.op(first), c.op(first + 1));
    let saddr = c.operand(first + 2).unwrap_or(Operand::Off);
    let addr = address(c, space, vaddr, saddr);
    let per = if wide { 2 } else { 1 };
    let n = if matches!(op, AtomicOp::CmpSwap | AtomicOp::FCmpSwap) { 2 * per } else { per };
    let row = vgpr(c, vdata);
    let data = rows(c, row, n);
    run_atomic(c, space, op, wide, addr, data, returns);
}
fn run_atomic(c: &mut Cx, space: Space, op: AtomicOp, wide: bool, addr: Addr, data: [Option<Value>; 4], returns: bool) {
    let exec = c.exec();
    let n = if wide { 2 } else { 1 };
    let tys = if returns { &[Ty::L32; 2][..n] } else { &[] };
    let v = c.b.push(Op::Atomic { space, op, wide, addr, data, exec, returns }, tys);
    if returns {
        let d = c.op(0);
        loaded(c, d, v, n, Whole);
    }
}

// DS

fn no_gds(c: &mut Cx) {
    if c.inst.mods.gds {
        c.unsupported("GDS");
    }
}
fn ds_load(c: &mut Cx, kind: MemKind, part: Part) {
    no_gds(c);
    let (d, a) = (c.op(0), c.op(1));
    let addr = lds(c, a, c.inst.mods.offset.into());
    let e = c.exec();
    let v = c.b.load(Space::Lds, kind, addr, e);
    loaded(c, d, v, kind.dwords(), part);
}
fn ds_store(c: &mut Cx, kind: MemKind, part: Part) {
    no_gds(c);
    let (a, d) = (c.op(0), c.op(1));
    let addr = lds(c, a, c.inst.mods.offset.into());
    let data = stored(c, d, kind, part);
    let exec = c.exec();
    c.b.push(Op::Store { space: Space::Lds, kind, addr, data, exec }, &[]);
}
/// Byte offsets of a two-address instruction, in elements or in 64 elements.
fn two_offsets(c: &Cx, kind: MemKind, stride64: bool) -> [i64; 2] {
    let unit = kind.bytes() as i64 * if stride64 { 64 } else { 1 };
    [i64::from(c.inst.mods.offset) * unit, i64::from(c.inst.mods.offset1) * unit]
}
/// ds_load_2addr: both loads before either write, the address may be a destination.
fn ds_load2(c: &mut Cx, kind: MemKind, stride64: bool) {
    no_gds(c);
    let (d, a) = (c.op(0), c.op(1));
    let e = c.exec();
    let addr = lds(c, a, 0);
    let n = kind.dwords();
    let v = two_offsets(c, kind, stride64).map(|imm| c.b.load(Space::Lds, kind, Addr { imm, ..addr }, e));
    let row = vgpr(c, d);
    for (i, v) in v.into_iter().enumerate() {
        for j in 0..n {
            c.b.vset(VReg(row_after(row, (i * n + j) as u16)), Value(v.0 + j as u32), e);
        }
    }
}
fn ds_store2(c: &mut Cx, kind: MemKind, stride64: bool) {
    no_gds(c);
    let ops = [c.op(0), c.op(1), c.op(2)];
    let addr = lds(c, ops[0], 0);
    let data = [stored(c, ops[1], kind, Whole), stored(c, ops[2], kind, Whole)];
    let exec = c.exec();
    for (imm, data) in two_offsets(c, kind, stride64).into_iter().zip(data) {
        c.b.push(Op::Store { space: Space::Lds, kind, addr: Addr { imm, ..addr }, data, exec }, &[]);
    }
}
/// ds_storexchg_2addr: exchanges at two addresses.
fn ds_exchange2(c: &mut Cx, kind: MemKind, stride64: bool) {
    no_gds(c);
    let ops = [c.op(0), c.op(1), c.op(2), c.op(3)];
    let addr = lds(c, ops[1], 0);
    let data = [stored(c, ops[2], kind, Whole), stored(c, ops[3], kind, Whole)];
    let exec = c.exec();
    let n = kind.dwords();
    let mut old = vec![];
    for (imm, data) in two_offsets(c, kind, stride64).into_iter().zip(data) {
        let op = Op::Atomic { space: Space::Lds, op: AtomicOp::Swap, wide: n == 2, addr: Addr { imm, ..addr }, data, exec, returns: true };
        let v = c.b.push(op, &[Ty::L32; 2][..n]);
        old.extend((0..n as u32).map(|j| Value(v.0 + j)));
    }
    let row = vgpr(c, ops[0]);
    for (i, v) in old.into_iter().enumerate() {
        c.b.vset(VReg(row_after(row, i as u16)), v, exec);
    }
}
/// ds_load_addtid_b32, ds_store_addtid_b32: M0\[15:0\] plus four bytes a lane.
fn ds_addtid(c: &mut Cx, is_store: bool) {
    no_gds(c);
    let data = c.op(0);
    let id = c.lane_id();
    let two = c.b.const32(2);
    let offset = c.b.pure2(Shl32, id, two);
    let m0 = m0_base(c);
    let offset = c.b.pure2(IAdd32, offset, m0);
    let addr = Addr { base: None, offset: Some(offset), imm: c.inst.mods.offset.into() };
    let exec = c.exec();
    if is_store {
        let data = stored(c, data, MemKind::B32, Whole);
        c.b.push(Op::Store { space: Space::Lds, kind: MemKind::B32, addr, data, exec }, &[]);
    } else {
        let v = c.b.load(Space::Lds, MemKind::B32, addr, exec);
        loaded(c, data, v, 1, Whole);
    }
}
fn m0_base(c: &mut Cx) -> Value {
    let m0 = c.b.sget(SReg::M0);
    let m = c.b.const32(0xffff);
    c.b.pure2(And32, m0, m)
}
/// DS atomics: address, then one or two data operands. ds_cmpstore takes source, comparand (gfx11); ds_cmpst comparand, source.
fn ds_atomic(c: &mut Cx, op: AtomicOp, wide: bool, returns: bool, operands: usize) {
    no_gds(c);
    let first = usize::from(returns);
    let a = c.op(first);
    let addr = lds(c, a, c.inst.mods.offset.into());
    let per = if wide { 2 } else { 1 };
    let mut data = [None; 4];
    for i in 0..operands {
        let d = c.op(first + 1 + i);
        let row = vgpr(c, d);
        let v = rows(c, row, per);
        let slot = if c.inst.row.name.starts_with("ds_cmpst_") { 1 - i } else { i };
        data[slot * per..(slot + 1) * per].copy_from_slice(&v[..per]);
    }
    run_atomic(c, Space::Lds, op, wide, addr, data, returns);
}
/// ds_append, ds_consume: the number of active lanes added to (taken from) the dword at M0\[15:0\] + offset; all lanes get the old value.
/// One lane does it; with EXEC = 0 it adds 0.
fn ds_append(c: &mut Cx, op: AtomicOp) {
    no_gds(c);
    let d = c.op(0);
    let exec = c.exec();
    let bits = c.b.mask_bits(exec);
    let count = c.b.pure1(Popcnt64, bits);
    let count = c.as_lane(count);
    let base = m0_base(c);
    let base = c.as_lane(base);
    let addr = Addr { base: None, offset: Some(base), imm: c.inst.mods.offset.into() };
    let one = c.const_mask(1);
    let data = [Some(count), None, None, None];
    let old = c.b.push(Op::Atomic { space: Space::Lds, op, wide: false, addr, data, exec: one, returns: true }, &[Ty::L32]);
    let lane = c.b.const32(0);
    let v = c.b.push(Op::ReadLane { value: old, lane }, &[Ty::S32]);
    c.vdst(d, B32, v, exec);
}

// SMEM

/// The scalar offset operand and the immediate of an SMEM instruction: either or both.
fn smem_offset(c: &mut Cx, i: usize) -> (Option<Value>, i64) {
    let extra = i64::from(c.inst.mods.offset);
    match c.operand(i) {
        Some(Operand::Imm(v) | Operand::Literal(v)) => (None, i64::from(v as i32)),
        Some(Operand::Int(v)) => (None, v.into()),
        Some(op @ Operand::Sgpr { .. }) if !is_off(c, op) => (Some(c.src(op, B32)), extra),
        _ => (None, extra),
    }
}
/// Writes `n` dwords to SGPRs from `d`, aligned by hardware (STATE-18).
fn sgprs(c: &mut Cx, d: Operand, first: Value, n: u32) {
    let Operand::Sgpr { n: base, .. } = d else {
        return;
    };
    let base = match n {
        1 => base,
        2 => base & !1,
        _ => base & !3,
    };
    for i in 0..n {
        // Loads cannot reach M0, NULL and EXEC (STATE-26).
        let Some(code) = base.checked_add(i as u8).filter(|c| *c < 108) else { continue };
        c.swrite(code, Value(first.0 + i));
    }
}
fn s_load(c: &mut Cx, dwords: u8) {
    let (d, sbase) = (c.op(0), c.op(1));
    let base = c.src(sbase, B64);
    let (offset, imm) = smem_offset(c, 2);
    let v = c.b.push(Op::SLoad { base, offset, imm, dwords }, &[Ty::S32; 16][..usize::from(dwords)]);
    sgprs(c, d, v, dwords.into());
}
fn s_buffer_load(c: &mut Cx, dwords: u8) {
    let (d, desc) = (c.op(0), c.op(1));
    let Operand::Sgpr { n, .. } = desc else {
        return c.unsupported("V# in SGPRs expected");
    };
    let desc = [0, 1, 2, 3].map(|i| c.sread((n & !3) + i));
    let (offset, imm) = smem_offset(c, 2);
    let v = c.b.push(Op::SBufferLoad { desc, offset, imm, dwords }, &[Ty::S32; 16][..usize::from(dwords)]);
    sgprs(c, d, v, dwords.into());
}

/// Rows; the `dword` and `ubyte` names are those before gfx11.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("s_load_b32",                     Sem::Wave(|c| s_load(c, 1))),
    ("s_load_b64",                     Sem::Wave(|c| s_load(c, 2))),
    ("s_load_b128",                    Sem::Wave(|c| s_load(c, 4))),
    ("s_load_b256",                    Sem::Wave(|c| s_load(c, 8))),
    ("s_load_b512",                    Sem::Wave(|c| s_load(c, 16))),
    ("s_load_dword",                   Sem::Wave(|c| s_load(c, 1))),
    ("s_load_dwordx2",                 Sem::Wave(|c| s_load(c, 2))),
    ("s_load_dwordx4",                 Sem::Wave(|c| s_load(c, 4))),
    ("s_load_dwordx8",                 Sem::Wave(|c| s_load(c, 8))),
    ("s_load_dwordx16",                Sem::Wave(|c| s_load(c, 16))),
    ("s_buffer_load_b32",              Sem::Wave(|c| s_buffer_load(c, 1))),
    ("s_buffer_load_b64",              Sem::Wave(|c| s_buffer_load(c, 2))),
    ("s_buffer_load_b128",             Sem::Wave(|c| s_buffer_load(c, 4))),
    ("s_buffer_load_b256",             Sem::Wave(|c| s_buffer_load(c, 8))),
    ("s_buffer_load_b512",             Sem::Wave(|c| s_buffer_load(c, 16))),
    ("s_buffer_load_dword",            Sem::Wave(|c| s_buffer_load(c, 1))),
    ("s_buffer_load_dwordx2",          Sem::Wave(|c| s_buffer_load(c, 2))),
    ("s_buffer_load_dwordx4",          Sem::Wave(|c| s_buffer_load(c, 4))),
    ("s_buffer_load_dwordx8",          Sem::Wave(|c| s_buffer_load(c, 8))),
    ("s_buffer_load_dwordx16",         Sem::Wave(|c| s_buffer_load(c, 16))),
    ("flat_load_u8",                   Sem::Wave(|c| load(c, Space::Flat, MemKind::U8, Whole))),
    ("flat_load_i8",                   Sem::Wave(|c| load(c, Space::Flat, MemKind::I8, Whole))),
    ("flat_load_u16",                  Sem::Wave(|c| load(c, Space::Flat, MemKind::U16, Whole))),
    ("flat_load_i16",                  Sem::Wave(|c| load(c, Space::Flat, MemKind::I16, Whole))),
    ("flat_load_b32",                  Sem::Wave(|c| load(c, Space::Flat, MemKind::B32, Whole))),
    ("flat_load_b64",                  Sem::Wave(|c| load(c, Space::Flat, MemKind::B64, Whole))),
    ("flat_load_b96",                  Sem::Wave(|c| load(c, Space::Flat, MemKind::B96, Whole))),
    ("flat_load_b128",                 Sem::Wave(|c| load(c, Space::Flat, MemKind::B128, Whole))),
    ("flat_load_d16_u8",               Sem::Wave(|c| load(c, Space::Flat, MemKind::U8, Low))),
    ("flat_load_d16_i8",               Sem::Wave(|c| load(c, Space::Flat, MemKind::I8, Low))),
    ("flat_load_d16_b16",              Sem::Wave(|c| load(c, Space::Flat, MemKind::U16, Low))),
    ("flat_load_d16_hi_u8",            Sem::Wave(|c| load(c, Space::Flat, MemKind::U8, High))),
    ("flat_load_d16_hi_i8",            Sem::Wave(|c| load(c, Space::Flat, MemKind::I8, High))),
    ("flat_load_d16_hi_b16",           Sem::Wave(|c| load(c, Space::Flat, MemKind::U16, High))),
    ("flat_load_ubyte",                Sem::Wave(|c| load(c, Space::Flat, MemKind::U8, Whole))),
    ("flat_load_sbyte",                Sem::Wave(|c| load(c, Space::Flat, MemKind::I8, Whole))),
    ("flat_load_ushort",               Sem::Wave(|c| load(c, Space::Flat, MemKind::U16, Whole))),
    ("flat_load_sshort",               Sem::Wave(|c| load(c, Space::Flat, MemKind::I16, Whole))),
    ("flat_load_dword",                Sem::Wave(|c| load(c, Space::Flat, MemKind::B32, Whole))),
    ("flat_load_dwordx2",              Sem::Wave(|c| load(c, Space::Flat, MemKind::B64, Whole))),
    ("flat_load_dwordx3",              Sem::Wave(|c| load(c, Space::Flat, MemKind::B96, Whole))),
    ("flat_load_dwordx4",              Sem::Wave(|c| load(c, Space::Flat, MemKind::B128, Whole))),
    ("flat_load_ubyte_d16",            Sem::Wave(|c| load(c, Space::Flat, MemKind::U8, Low))),
    ("flat_load_sbyte_d16",            Sem::Wave(|c| load(c, Space::Flat, MemKind::I8, Low))),
    ("flat_load_short_d16",            Sem::Wave(|c| load(c, Space::Flat, MemKind::U16, Low))),
    ("flat_load_ubyte_d16_hi",         Sem::Wave(|c| load(c, Space::Flat, MemKind::U8, High))),
    ("flat_load_sbyte_d16_hi",         Sem::Wave(|c| load(c, Space::Flat, MemKind::I8, High))),
    ("flat_load_short_d16_hi",         Sem::Wave(|c| load(c, Space::Flat, MemKind::U16, High))),
    ("flat_store_b8",                  Sem::Wave(|c| store(c, Space::Flat, MemKind::U8, Whole))),
    ("flat_store_b16",                 Sem::Wave(|c| store(c, Space::Flat, MemKind::U16, Whole))),
    ("flat_store_b32",                 Sem::Wave(|c| store(c, Space::Flat, MemKind::B32, Whole))),
    ("flat_store_b64",                 Sem::Wave(|c| store(c, Space::Flat, MemKind::B64, Whole))),
    ("flat_store_b96",                 Sem::Wave(|c| store(c, Space::Flat, MemKind::B96, Whole))),
    ("flat_store_b128",                Sem::Wave(|c| store(c, Space::Flat, MemKind::B128, Whole))),
    ("flat_store_d16_hi_b8",           Sem::Wave(|c| store(c, Space::Flat, MemKind::U8, High))),
    ("flat_store_d16_hi_b16",          Sem::Wave(|c| store(c, Space::Flat, MemKind::U16, High))),
    ("flat_store_byte",                Sem::Wave(|c| store(c, Space::Flat, MemKind::U8, Whole))),
    ("flat_store_short",               Sem::Wave(|c| store(c, Space::Flat, MemKind::U16, Whole))),
    ("flat_store_dword",               Sem::Wave(|c| store(c, Space::Flat, MemKind::B32, Whole))),
    ("flat_store_dwordx2",             Sem::Wave(|c| store(c, Space::Flat, MemKind::B64, Whole))),
    ("flat_store_dwordx3",             Sem::Wave(|c| store(c, Space::Flat, MemKind::B96, Whole))),
    ("flat_store_dwordx4",             Sem::Wave(|c| store(c, Space::Flat, MemKind::B128, Whole))),
    ("flat_store_byte_d16_hi",         Sem::Wave(|c| store(c, Space::Flat, MemKind::U8, High))),
    ("flat_store_short_d16_hi",        Sem::Wave(|c| store(c, Space::Flat, MemKind::U16, High))),
    ("global_load_u8",                 Sem::Wave(|c| load(c, Space::Global, MemKind::U8, Whole))),
    ("global_load_i8",                 Sem::Wave(|c| load(c, Space::Global, MemKind::I8, Whole))),
    ("global_load_u16",                Sem::Wave(|c| load(c, Space::Global, MemKind::U16, Whole))),
    ("global_load_i16",                Sem::Wave(|c| load(c, Space::Global, MemKind::I16, Whole))),
    ("global_load_b32",                Sem::Wave(|c| load(c, Space::Global, MemKind::B32, Whole))),
    ("global_load_b64",                Sem::Wave(|c| load(c, Space::Global, MemKind::B64, Whole))),
    ("global_load_b96",                Sem::Wave(|c| load(c, Space::Global, MemKind::B96, Whole))),
    ("global_load_b128",               Sem::Wave(|c| load(c, Space::Global, MemKind::B128, Whole))),
    ("global_load_d16_u8",             Sem::Wave(|c| load(c, Space::Global, MemKind::U8, Low))),
    ("global_load_d16_i8",             Sem::Wave(|c| load(c, Space::Global, MemKind::I8, Low))),
    ("global_load_d16_b16",            Sem::Wave(|c| load(c, Space::Global, MemKind::U16, Low))),
    ("global_load_d16_hi_u8",          Sem::Wave(|c| load(c, Space::Global, MemKind::U8, High))),
    ("global_load_d16_hi_i8",          Sem::Wave(|c| load(c, Space::Global, MemKind::I8, High))),
    ("global_load_d16_hi_b16",         Sem::Wave(|c| load(c, Space::Global, MemKind::U16, High))),
    ("global_load_ubyte",              Sem::Wave(|c| load(c, Space::Global, MemKind::U8, Whole))),
    ("global_load_sbyte",              Sem::Wave(|c| load(c, Space::Global, MemKind::I8, Whole))),
    ("global_load_ushort",             Sem::Wave(|c| load(c, Space::Global, MemKind::U16, Whole))),
    ("global_load_sshort",             Sem::Wave(|c| load(c, Space::Global, MemKind::I16, Whole))),
    ("global_load_dword",              Sem::Wave(|c| load(c, Space::Global, MemKind::B32, Whole))),
    ("global_load_dwordx2",            Sem::Wave(|c| load(c, Space::Global, MemKind::B64, Whole))),
    ("global_load_dwordx3",            Sem::Wave(|c| load(c, Space::Global, MemKind::B96, Whole))),
    ("global_load_dwordx4",            Sem::Wave(|c| load(c, Space::Global, MemKind::B128, Whole))),
    ("global_load_ubyte_d16",          Sem::Wave(|c| load(c, Space::Global, MemKind::U8, Low))),
    ("global_load_sbyte_d16",          Sem::Wave(|c| load(c, Space::Global, MemKind::I8, Low))),
    ("global_load_short_d16",          Sem::Wave(|c| load(c, Space::Global, MemKind::U16, Low))),
    ("global_load_ubyte_d16_hi",       Sem::Wave(|c| load(c, Space::Global, MemKind::U8, High))),
    ("global_load_sbyte_d16_hi",       Sem::Wave(|c| load(c, Space::Global, MemKind::I8, High))),
    ("global_load_short_d16_hi",       Sem::Wave(|c| load(c, Space::Global, MemKind::U16, High))),
    ("global_store_b8",                Sem::Wave(|c| store(c, Space::Global, MemKind::U8, Whole))),
    ("global_store_b16",               Sem::Wave(|c| store(c, Space::Global, MemKind::U16, Whole))),
    ("global_store_b32",               Sem::Wave(|c| store(c, Space::Global, MemKind::B32, Whole))),
    ("global_store_b64",               Sem::Wave(|c| store(c, Space::Global, MemKind::B64, Whole))),
    ("global_store_b96",               Sem::Wave(|c| store(c, Space::Global, MemKind::B96, Whole))),
    ("global_store_b128",              Sem::Wave(|c| store(c, Space::Global, MemKind::B128, Whole))),
    ("global_store_d16_hi_b8",         Sem::Wave(|c| store(c, Space::Global, MemKind::U8, High))),
    ("global_store_d16_hi_b16",        Sem::Wave(|c| store(c, Space::Global, MemKind::U16, High))),
    ("global_store_byte",              Sem::Wave(|c| store(c, Space::Global, MemKind::U8, Whole))),
    ("global_store_short",             Sem::Wave(|c| store(c, Space::Global, MemKind::U16, Whole))),
    ("global_store_dword",             Sem::Wave(|c| store(c, Space::Global, MemKind::B32, Whole))),
    ("global_store_dwordx2",           Sem::Wave(|c| store(c, Space::Global, MemKind::B64, Whole))),
    ("global_store_dwordx3",           Sem::Wave(|c| store(c, Space::Global, MemKind::B96, Whole))),
    ("global_store_dwordx4",           Sem::Wave(|c| store(c, Space::Global, MemKind::B128, Whole))),
    ("global_store_byte_d16_hi",       Sem::Wave(|c| store(c, Space::Global, MemKind::U8, High))),
    ("global_store_short_d16_hi",      Sem::Wave(|c| store(c, Space::Global, MemKind::U16, High))),
    ("scratch_load_u8",                Sem::Wave(|c| load(c, Space::Scratch, MemKind::U8, Whole))),
    ("scratch_load_i8",                Sem::Wave(|c| load(c, Space::Scratch, MemKind::I8, Whole))),
    ("scratch_load_u16",               Sem::Wave(|c| load(c, Space::Scratch, MemKind::U16, Whole))),
    ("scratch_load_i16",               Sem::Wave(|c| load(c, Space::Scratch, MemKind::I16, Whole))),
    ("scratch_load_b32",               Sem::Wave(|c| load(c, Space::Scratch, MemKind::B32, Whole))),
    ("scratch_load_b64",               Sem::Wave(|c| load(c, Space::Scratch, MemKind::B64, Whole))),
    ("scratch_load_b96",               Sem::Wave(|c| load(c, Space::Scratch, MemKind::B96, Whole))),
    ("scratch_load_b128",              Sem::Wave(|c| load(c, Space::Scratch, MemKind::B128, Whole))),
    ("scratch_load_d16_u8",            Sem::Wave(|c| load(c, Space::Scratch, MemKind::U8, Low))),
    ("scratch_load_d16_i8",            Sem::Wave(|c| load(c, Space::Scratch, MemKind::I8, Low))),
    ("scratch_load_d16_b16",           Sem::Wave(|c| load(c, Space::Scratch, MemKind::U16, Low))),
    ("scratch_load_d16_hi_u8",         Sem::Wave(|c| load(c, Space::Scratch, MemKind::U8, High))),
    ("scratch_load_d16_hi_i8",         Sem::Wave(|c| load(c, Space::Scratch, MemKind::I8, High))),
    ("scratch_load_d16_hi_b16",        Sem::Wave(|c| load(c, Space::Scratch, MemKind::U16, High))),
    ("scratch_load_ubyte",             Sem::Wave(|c| load(c, Space::Scratch, MemKind::U8, Whole))),
    ("scratch_load_sbyte",             Sem::Wave(|c| load(c, Space::Scratch, MemKind::I8, Whole))),
    ("scratch_load_ushort",            Sem::Wave(|c| load(c, Space::Scratch, MemKind::U16, Whole))),
    ("scratch_load_sshort",            Sem::Wave(|c| load(c, Space::Scratch, MemKind::I16, Whole))),
    ("scratch_load_dword",             Sem::Wave(|c| load(c, Space::Scratch, MemKind::B32, Whole))),
    ("scratch_load_dwordx2",           Sem::Wave(|c| load(c, Space::Scratch, MemKind::B64, Whole))),
    ("scratch_load_dwordx3",           Sem::Wave(|c| load(c, Space::Scratch, MemKind::B96, Whole))),
    ("scratch_load_dwordx4",           Sem::Wave(|c| load(c, Space::Scratch, MemKind::B128, Whole))),
    ("scratch_load_ubyte_d16",         Sem::Wave(|c| load(c, Space::Scratch, MemKind::U8, Low))),
    ("scratch_load_sbyte_d16",         Sem::Wave(|c| load(c, Space::Scratch, MemKind::I8, Low))),
    ("scratch_load_short_d16",         Sem::Wave(|c| load(c, Space::Scratch, MemKind::U16, Low))),
    ("scratch_load_ubyte_d16_hi",      Sem::Wave(|c| load(c, Space::Scratch, MemKind::U8, High))),
    ("scratch_load_sbyte_d16_hi",      Sem::Wave(|c| load(c, Space::Scratch, MemKind::I8, High))),
    ("scratch_load_short_d16_hi",      Sem::Wave(|c| load(c, Space::Scratch, MemKind::U16, High))),
    ("scratch_store_b8",               Sem::Wave(|c| store(c, Space::Scratch, MemKind::U8, Whole))),
    ("scratch_store_b16",              Sem::Wave(|c| store(c, Space::Scratch, MemKind::U16, Whole))),
    ("scratch_store_b32",              Sem::Wave(|c| store(c, Space::Scratch, MemKind::B32, Whole))),
    ("scratch_store_b64",              Sem::Wave(|c| store(c, Space::Scratch, MemKind::B64, Whole))),
    ("scratch_store_b96",              Sem::Wave(|c| store(c, Space::Scratch, MemKind::B96, Whole))),
    ("scratch_store_b128",             Sem::Wave(|c| store(c, Space::Scratch, MemKind::B128, Whole))),
    ("scratch_store_d16_hi_b8",        Sem::Wave(|c| store(c, Space::Scratch, MemKind::U8, High))),
    ("scratch_store_d16_hi_b16",       Sem::Wave(|c| store(c, Space::Scratch, MemKind::U16, High))),
    ("scratch_store_byte",             Sem::Wave(|c| store(c, Space::Scratch, MemKind::U8, Whole))),
    ("scratch_store_short",            Sem::Wave(|c| store(c, Space::Scratch, MemKind::U16, Whole))),
    ("scratch_store_dword",            Sem::Wave(|c| store(c, Space::Scratch, MemKind::B32, Whole))),
    ("scratch_store_dwordx2",          Sem::Wave(|c| store(c, Space::Scratch, MemKind::B64, Whole))),
    ("scratch_store_dwordx3",          Sem::Wave(|c| store(c, Space::Scratch, MemKind::B96, Whole))),
    ("scratch_store_dwordx4",          Sem::Wave(|c| store(c, Space::Scratch, MemKind::B128, Whole))),
    ("scratch_store_byte_d16_hi",      Sem::Wave(|c| store(c, Space::Scratch, MemKind::U8, High))),
    ("scratch_store_short_d16_hi",     Sem::Wave(|c| store(c, Space::Scratch, MemKind::U16, High))),
    ("global_load_addtid_b32",         Sem::Wave(|c| addtid(c, false))),
    ("global_store_addtid_b32",        Sem::Wave(|c| addtid(c, true))),
    ("global_load_dword_addtid",       Sem::Wave(|c| addtid(c, false))),
    ("global_store_dword_addtid",      Sem::Wave(|c| addtid(c, true))),
    ("flat_atomic_swap_b32",           Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Swap, false))),
    ("flat_atomic_cmpswap_b32",        Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::CmpSwap, false))),
    ("flat_atomic_add_u32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Add, false))),
    ("flat_atomic_sub_u32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Sub, false))),
    ("flat_atomic_csub_u32",           Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::CSub, false))),
    ("flat_atomic_min_i32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMin, false))),
    ("flat_atomic_min_u32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMin, false))),
    ("flat_atomic_max_i32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMax, false))),
    ("flat_atomic_max_u32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMax, false))),
    ("flat_atomic_and_b32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::And, false))),
    ("flat_atomic_or_b32",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Or, false))),
    ("flat_atomic_xor_b32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Xor, false))),
    ("flat_atomic_inc_u32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Inc, false))),
    ("flat_atomic_dec_u32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Dec, false))),
    ("flat_atomic_swap_b64",           Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Swap, true))),
    ("flat_atomic_cmpswap_b64",        Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::CmpSwap, true))),
    ("flat_atomic_add_u64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Add, true))),
    ("flat_atomic_sub_u64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Sub, true))),
    ("flat_atomic_min_i64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMin, true))),
    ("flat_atomic_min_u64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMin, true))),
    ("flat_atomic_max_i64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMax, true))),
    ("flat_atomic_max_u64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMax, true))),
    ("flat_atomic_and_b64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::And, true))),
    ("flat_atomic_or_b64",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Or, true))),
    ("flat_atomic_xor_b64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Xor, true))),
    ("flat_atomic_inc_u64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Inc, true))),
    ("flat_atomic_dec_u64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Dec, true))),
    ("flat_atomic_cmpswap_f32",        Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FCmpSwap, false))),
    ("flat_atomic_min_f32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMin, false))),
    ("flat_atomic_max_f32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMax, false))),
    ("flat_atomic_add_f32",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FAdd, false))),
    ("flat_atomic_pk_add_f16",         Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::PkAddF16, false))),
    ("flat_atomic_pk_add_bf16",        Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::PkAddBf16, false))),
    ("flat_atomic_add_f64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FAdd, true))),
    ("flat_atomic_min_f64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMin, true))),
    ("flat_atomic_max_f64",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMax, true))),
    ("flat_atomic_swap",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Swap, false))),
    ("flat_atomic_cmpswap",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::CmpSwap, false))),
    ("flat_atomic_add",                Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Add, false))),
    ("flat_atomic_sub",                Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Sub, false))),
    ("flat_atomic_csub",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::CSub, false))),
    ("flat_atomic_smin",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMin, false))),
    ("flat_atomic_umin",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMin, false))),
    ("flat_atomic_smax",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMax, false))),
    ("flat_atomic_umax",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMax, false))),
    ("flat_atomic_and",                Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::And, false))),
    ("flat_atomic_or",                 Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Or, false))),
    ("flat_atomic_xor",                Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Xor, false))),
    ("flat_atomic_inc",                Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Inc, false))),
    ("flat_atomic_dec",                Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Dec, false))),
    ("flat_atomic_fcmpswap",           Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FCmpSwap, false))),
    ("flat_atomic_fmin",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMin, false))),
    ("flat_atomic_fmax",               Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMax, false))),
    ("flat_atomic_swap_x2",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Swap, true))),
    ("flat_atomic_cmpswap_x2",         Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::CmpSwap, true))),
    ("flat_atomic_add_x2",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Add, true))),
    ("flat_atomic_sub_x2",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Sub, true))),
    ("flat_atomic_smin_x2",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMin, true))),
    ("flat_atomic_umin_x2",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMin, true))),
    ("flat_atomic_smax_x2",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::SMax, true))),
    ("flat_atomic_umax_x2",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::UMax, true))),
    ("flat_atomic_and_x2",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::And, true))),
    ("flat_atomic_or_x2",              Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Or, true))),
    ("flat_atomic_xor_x2",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Xor, true))),
    ("flat_atomic_inc_x2",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Inc, true))),
    ("flat_atomic_dec_x2",             Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::Dec, true))),
    ("flat_atomic_fcmpswap_x2",        Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FCmpSwap, true))),
    ("flat_atomic_fmin_x2",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMin, true))),
    ("flat_atomic_fmax_x2",            Sem::Wave(|c| atomic(c, Space::Flat, AtomicOp::FMax, true))),
    ("global_atomic_swap_b32",         Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Swap, false))),
    ("global_atomic_cmpswap_b32",      Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::CmpSwap, false))),
    ("global_atomic_add_u32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Add, false))),
    ("global_atomic_sub_u32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Sub, false))),
    ("global_atomic_csub_u32",         Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::CSub, false))),
    ("global_atomic_min_i32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMin, false))),
    ("global_atomic_min_u32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMin, false))),
    ("global_atomic_max_i32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMax, false))),
    ("global_atomic_max_u32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMax, false))),
    ("global_atomic_and_b32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::And, false))),
    ("global_atomic_or_b32",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Or, false))),
    ("global_atomic_xor_b32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Xor, false))),
    ("global_atomic_inc_u32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Inc, false))),
    ("global_atomic_dec_u32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Dec, false))),
    ("global_atomic_swap_b64",         Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Swap, true))),
    ("global_atomic_cmpswap_b64",      Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::CmpSwap, true))),
    ("global_atomic_add_u64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Add, true))),
    ("global_atomic_sub_u64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Sub, true))),
    ("global_atomic_min_i64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMin, true))),
    ("global_atomic_min_u64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMin, true))),
    ("global_atomic_max_i64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMax, true))),
    ("global_atomic_max_u64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMax, true))),
    ("global_atomic_and_b64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::And, true))),
    ("global_atomic_or_b64",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Or, true))),
    ("global_atomic_xor_b64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Xor, true))),
    ("global_atomic_inc_u64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Inc, true))),
    ("global_atomic_dec_u64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Dec, true))),
    ("global_atomic_cmpswap_f32",      Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FCmpSwap, false))),
    ("global_atomic_min_f32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMin, false))),
    ("global_atomic_max_f32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMax, false))),
    ("global_atomic_add_f32",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FAdd, false))),
    ("global_atomic_pk_add_f16",       Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::PkAddF16, false))),
    ("global_atomic_pk_add_bf16",      Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::PkAddBf16, false))),
    ("global_atomic_add_f64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FAdd, true))),
    ("global_atomic_min_f64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMin, true))),
    ("global_atomic_max_f64",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMax, true))),
    ("global_atomic_swap",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Swap, false))),
    ("global_atomic_cmpswap",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::CmpSwap, false))),
    ("global_atomic_add",              Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Add, false))),
    ("global_atomic_sub",              Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Sub, false))),
    ("global_atomic_csub",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::CSub, false))),
    ("global_atomic_smin",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMin, false))),
    ("global_atomic_umin",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMin, false))),
    ("global_atomic_smax",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMax, false))),
    ("global_atomic_umax",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMax, false))),
    ("global_atomic_and",              Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::And, false))),
    ("global_atomic_or",               Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Or, false))),
    ("global_atomic_xor",              Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Xor, false))),
    ("global_atomic_inc",              Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Inc, false))),
    ("global_atomic_dec",              Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Dec, false))),
    ("global_atomic_fcmpswap",         Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FCmpSwap, false))),
    ("global_atomic_fmin",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMin, false))),
    ("global_atomic_fmax",             Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMax, false))),
    ("global_atomic_swap_x2",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Swap, true))),
    ("global_atomic_cmpswap_x2",       Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::CmpSwap, true))),
    ("global_atomic_add_x2",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Add, true))),
    ("global_atomic_sub_x2",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Sub, true))),
    ("global_atomic_smin_x2",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMin, true))),
    ("global_atomic_umin_x2",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMin, true))),
    ("global_atomic_smax_x2",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::SMax, true))),
    ("global_atomic_umax_x2",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::UMax, true))),
    ("global_atomic_and_x2",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::And, true))),
    ("global_atomic_or_x2",            Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Or, true))),
    ("global_atomic_xor_x2",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Xor, true))),
    ("global_atomic_inc_x2",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Inc, true))),
    ("global_atomic_dec_x2",           Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::Dec, true))),
    ("global_atomic_fcmpswap_x2",      Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FCmpSwap, true))),
    ("global_atomic_fmin_x2",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMin, true))),
    ("global_atomic_fmax_x2",          Sem::Wave(|c| atomic(c, Space::Global, AtomicOp::FMax, true))),
    ("ds_load_u8",                     Sem::Wave(|c| ds_load(c, MemKind::U8, Whole))),
    ("ds_load_i8",                     Sem::Wave(|c| ds_load(c, MemKind::I8, Whole))),
    ("ds_load_u16",                    Sem::Wave(|c| ds_load(c, MemKind::U16, Whole))),
    ("ds_load_i16",                    Sem::Wave(|c| ds_load(c, MemKind::I16, Whole))),
    ("ds_load_b32",                    Sem::Wave(|c| ds_load(c, MemKind::B32, Whole))),
    ("ds_load_b64",                    Sem::Wave(|c| ds_load(c, MemKind::B64, Whole))),
    ("ds_load_b96",                    Sem::Wave(|c| ds_load(c, MemKind::B96, Whole))),
    ("ds_load_b128",                   Sem::Wave(|c| ds_load(c, MemKind::B128, Whole))),
    ("ds_load_u8_d16",                 Sem::Wave(|c| ds_load(c, MemKind::U8, Low))),
    ("ds_load_u8_d16_hi",              Sem::Wave(|c| ds_load(c, MemKind::U8, High))),
    ("ds_load_i8_d16",                 Sem::Wave(|c| ds_load(c, MemKind::I8, Low))),
    ("ds_load_i8_d16_hi",              Sem::Wave(|c| ds_load(c, MemKind::I8, High))),
    ("ds_load_u16_d16",                Sem::Wave(|c| ds_load(c, MemKind::U16, Low))),
    ("ds_load_u16_d16_hi",             Sem::Wave(|c| ds_load(c, MemKind::U16, High))),
    ("ds_read_u8",                     Sem::Wave(|c| ds_load(c, MemKind::U8, Whole))),
    ("ds_read_i8",                     Sem::Wave(|c| ds_load(c, MemKind::I8, Whole))),
    ("ds_read_u16",                    Sem::Wave(|c| ds_load(c, MemKind::U16, Whole))),
    ("ds_read_i16",                    Sem::Wave(|c| ds_load(c, MemKind::I16, Whole))),
    ("ds_read_b32",                    Sem::Wave(|c| ds_load(c, MemKind::B32, Whole))),
    ("ds_read_b64",                    Sem::Wave(|c| ds_load(c, MemKind::B64, Whole))),
    ("ds_read_b96",                    Sem::Wave(|c| ds_load(c, MemKind::B96, Whole))),
    ("ds_read_b128",                   Sem::Wave(|c| ds_load(c, MemKind::B128, Whole))),
    ("ds_read_u8_d16",                 Sem::Wave(|c| ds_load(c, MemKind::U8, Low))),
    ("ds_read_u8_d16_hi",              Sem::Wave(|c| ds_load(c, MemKind::U8, High))),
    ("ds_read_i8_d16",                 Sem::Wave(|c| ds_load(c, MemKind::I8, Low))),
    ("ds_read_i8_d16_hi",              Sem::Wave(|c| ds_load(c, MemKind::I8, High))),
    ("ds_read_u16_d16",                Sem::Wave(|c| ds_load(c, MemKind::U16, Low))),
    ("ds_read_u16_d16_hi",             Sem::Wave(|c| ds_load(c, MemKind::U16, High))),
    ("ds_store_b8",                    Sem::Wave(|c| ds_store(c, MemKind::U8, Whole))),
    ("ds_store_b16",                   Sem::Wave(|c| ds_store(c, MemKind::U16, Whole))),
    ("ds_store_b32",                   Sem::Wave(|c| ds_store(c, MemKind::B32, Whole))),
    ("ds_store_b64",                   Sem::Wave(|c| ds_store(c, MemKind::B64, Whole))),
    ("ds_store_b96",                   Sem::Wave(|c| ds_store(c, MemKind::B96, Whole))),
    ("ds_store_b128",                  Sem::Wave(|c| ds_store(c, MemKind::B128, Whole))),
    ("ds_store_b8_d16_hi",             Sem::Wave(|c| ds_store(c, MemKind::U8, High))),
    ("ds_store_b16_d16_hi",            Sem::Wave(|c| ds_store(c, MemKind::U16, High))),
    ("ds_write_b8",                    Sem::Wave(|c| ds_store(c, MemKind::U8, Whole))),
    ("ds_write_b16",                   Sem::Wave(|c| ds_store(c, MemKind::U16, Whole))),
    ("ds_write_b32",                   Sem::Wave(|c| ds_store(c, MemKind::B32, Whole))),
    ("ds_write_b64",                   Sem::Wave(|c| ds_store(c, MemKind::B64, Whole))),
    ("ds_write_b96",                   Sem::Wave(|c| ds_store(c, MemKind::B96, Whole))),
    ("ds_write_b128",                  Sem::Wave(|c| ds_store(c, MemKind::B128, Whole))),
    ("ds_write_b8_d16_hi",             Sem::Wave(|c| ds_store(c, MemKind::U8, High))),
    ("ds_write_b16_d16_hi",            Sem::Wave(|c| ds_store(c, MemKind::U16, High))),
    ("ds_load_2addr_b32",              Sem::Wave(|c| ds_load2(c, MemKind::B32, false))),
    ("ds_load_2addr_stride64_b32",     Sem::Wave(|c| ds_load2(c, MemKind::B32, true))),
    ("ds_store_2addr_b32",             Sem::Wave(|c| ds_store2(c, MemKind::B32, false))),
    ("ds_store_2addr_stride64_b32",    Sem::Wave(|c| ds_store2(c, MemKind::B32, true))),
    ("ds_storexchg_2addr_rtn_b32",     Sem::Wave(|c| ds_exchange2(c, MemKind::B32, false))),
    ("ds_storexchg_2addr_stride64_rtn_b32", Sem::Wave(|c| ds_exchange2(c, MemKind::B32, true))),
    ("ds_read2_b32",                   Sem::Wave(|c| ds_load2(c, MemKind::B32, false))),
    ("ds_read2st64_b32",               Sem::Wave(|c| ds_load2(c, MemKind::B32, true))),
    ("ds_write2_b32",                  Sem::Wave(|c| ds_store2(c, MemKind::B32, false))),
    ("ds_write2st64_b32",              Sem::Wave(|c| ds_store2(c, MemKind::B32, true))),
    ("ds_wrxchg2_rtn_b32",             Sem::Wave(|c| ds_exchange2(c, MemKind::B32, false))),
    ("ds_wrxchg2st64_rtn_b32",         Sem::Wave(|c| ds_exchange2(c, MemKind::B32, true))),
    ("ds_load_2addr_b64",              Sem::Wave(|c| ds_load2(c, MemKind::B64, false))),
    ("ds_load_2addr_stride64_b64",     Sem::Wave(|c| ds_load2(c, MemKind::B64, true))),
    ("ds_store_2addr_b64",             Sem::Wave(|c| ds_store2(c, MemKind::B64, false))),
    ("ds_store_2addr_stride64_b64",    Sem::Wave(|c| ds_store2(c, MemKind::B64, true))),
    ("ds_storexchg_2addr_rtn_b64",     Sem::Wave(|c| ds_exchange2(c, MemKind::B64, false))),
    ("ds_storexchg_2addr_stride64_rtn_b64", Sem::Wave(|c| ds_exchange2(c, MemKind::B64, true))),
    ("ds_read2_b64",                   Sem::Wave(|c| ds_load2(c, MemKind::B64, false))),
    ("ds_read2st64_b64",               Sem::Wave(|c| ds_load2(c, MemKind::B64, true))),
    ("ds_write2_b64",                  Sem::Wave(|c| ds_store2(c, MemKind::B64, false))),
    ("ds_write2st64_b64",              Sem::Wave(|c| ds_store2(c, MemKind::B64, true))),
    ("ds_wrxchg2_rtn_b64",             Sem::Wave(|c| ds_exchange2(c, MemKind::B64, false))),
    ("ds_wrxchg2st64_rtn_b64",         Sem::Wave(|c| ds_exchange2(c, MemKind::B64, true))),
    ("ds_load_addtid_b32",             Sem::Wave(|c| ds_addtid(c, false))),
    ("ds_read_addtid_b32",             Sem::Wave(|c| ds_addtid(c, false))),
    ("ds_store_addtid_b32",            Sem::Wave(|c| ds_addtid(c, true))),
    ("ds_write_addtid_b32",            Sem::Wave(|c| ds_addtid(c, true))),
    ("ds_add_u32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Add, false, false, 1))),
    ("ds_add_rtn_u32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Add, false, true, 1))),
    ("ds_sub_u32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Sub, false, false, 1))),
    ("ds_sub_rtn_u32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Sub, false, true, 1))),
    ("ds_rsub_u32",                    Sem::Wave(|c| ds_atomic(c, AtomicOp::RSub, false, false, 1))),
    ("ds_rsub_rtn_u32",                Sem::Wave(|c| ds_atomic(c, AtomicOp::RSub, false, true, 1))),
    ("ds_inc_u32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Inc, false, false, 1))),
    ("ds_inc_rtn_u32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Inc, false, true, 1))),
    ("ds_dec_u32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Dec, false, false, 1))),
    ("ds_dec_rtn_u32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Dec, false, true, 1))),
    ("ds_min_i32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::SMin, false, false, 1))),
    ("ds_min_rtn_i32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::SMin, false, true, 1))),
    ("ds_max_i32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::SMax, false, false, 1))),
    ("ds_max_rtn_i32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::SMax, false, true, 1))),
    ("ds_min_u32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::UMin, false, false, 1))),
    ("ds_min_rtn_u32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::UMin, false, true, 1))),
    ("ds_max_u32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::UMax, false, false, 1))),
    ("ds_max_rtn_u32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::UMax, false, true, 1))),
    ("ds_and_b32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::And, false, false, 1))),
    ("ds_and_rtn_b32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::And, false, true, 1))),
    ("ds_or_b32",                      Sem::Wave(|c| ds_atomic(c, AtomicOp::Or, false, false, 1))),
    ("ds_or_rtn_b32",                  Sem::Wave(|c| ds_atomic(c, AtomicOp::Or, false, true, 1))),
    ("ds_xor_b32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Xor, false, false, 1))),
    ("ds_xor_rtn_b32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Xor, false, true, 1))),
    ("ds_mskor_b32",                   Sem::Wave(|c| ds_atomic(c, AtomicOp::MskOr, false, false, 2))),
    ("ds_mskor_rtn_b32",               Sem::Wave(|c| ds_atomic(c, AtomicOp::MskOr, false, true, 2))),
    ("ds_cmpstore_b32",                Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, false, false, 2))),
    ("ds_cmpstore_rtn_b32",            Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, false, true, 2))),
    ("ds_cmpst_b32",                   Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, false, false, 2))),
    ("ds_cmpst_rtn_b32",               Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, false, true, 2))),
    ("ds_cmpstore_f32",                Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, false, false, 2))),
    ("ds_cmpstore_rtn_f32",            Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, false, true, 2))),
    ("ds_cmpst_f32",                   Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, false, false, 2))),
    ("ds_cmpst_rtn_f32",               Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, false, true, 2))),
    ("ds_min_f32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::FMin, false, false, 1))),
    ("ds_min_rtn_f32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::FMin, false, true, 1))),
    ("ds_max_f32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::FMax, false, false, 1))),
    ("ds_max_rtn_f32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::FMax, false, true, 1))),
    ("ds_add_f32",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::FAdd, false, false, 1))),
    ("ds_add_rtn_f32",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::FAdd, false, true, 1))),
    ("ds_storexchg_rtn_b32",           Sem::Wave(|c| ds_atomic(c, AtomicOp::Swap, false, true, 1))),
    ("ds_wrxchg_rtn_b32",              Sem::Wave(|c| ds_atomic(c, AtomicOp::Swap, false, true, 1))),
    ("ds_add_u64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Add, true, false, 1))),
    ("ds_add_rtn_u64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Add, true, true, 1))),
    ("ds_sub_u64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Sub, true, false, 1))),
    ("ds_sub_rtn_u64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Sub, true, true, 1))),
    ("ds_rsub_u64",                    Sem::Wave(|c| ds_atomic(c, AtomicOp::RSub, true, false, 1))),
    ("ds_rsub_rtn_u64",                Sem::Wave(|c| ds_atomic(c, AtomicOp::RSub, true, true, 1))),
    ("ds_inc_u64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Inc, true, false, 1))),
    ("ds_inc_rtn_u64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Inc, true, true, 1))),
    ("ds_dec_u64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Dec, true, false, 1))),
    ("ds_dec_rtn_u64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Dec, true, true, 1))),
    ("ds_min_i64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::SMin, true, false, 1))),
    ("ds_min_rtn_i64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::SMin, true, true, 1))),
    ("ds_max_i64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::SMax, true, false, 1))),
    ("ds_max_rtn_i64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::SMax, true, true, 1))),
    ("ds_min_u64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::UMin, true, false, 1))),
    ("ds_min_rtn_u64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::UMin, true, true, 1))),
    ("ds_max_u64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::UMax, true, false, 1))),
    ("ds_max_rtn_u64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::UMax, true, true, 1))),
    ("ds_and_b64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::And, true, false, 1))),
    ("ds_and_rtn_b64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::And, true, true, 1))),
    ("ds_or_b64",                      Sem::Wave(|c| ds_atomic(c, AtomicOp::Or, true, false, 1))),
    ("ds_or_rtn_b64",                  Sem::Wave(|c| ds_atomic(c, AtomicOp::Or, true, true, 1))),
    ("ds_xor_b64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::Xor, true, false, 1))),
    ("ds_xor_rtn_b64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::Xor, true, true, 1))),
    ("ds_mskor_b64",                   Sem::Wave(|c| ds_atomic(c, AtomicOp::MskOr, true, false, 2))),
    ("ds_mskor_rtn_b64",               Sem::Wave(|c| ds_atomic(c, AtomicOp::MskOr, true, true, 2))),
    ("ds_cmpstore_b64",                Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, true, false, 2))),
    ("ds_cmpstore_rtn_b64",            Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, true, true, 2))),
    ("ds_cmpst_b64",                   Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, true, false, 2))),
    ("ds_cmpst_rtn_b64",               Sem::Wave(|c| ds_atomic(c, AtomicOp::CmpSwap, true, true, 2))),
    ("ds_cmpstore_f64",                Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, true, false, 2))),
    ("ds_cmpstore_rtn_f64",            Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, true, true, 2))),
    ("ds_cmpst_f64",                   Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, true, false, 2))),
    ("ds_cmpst_rtn_f64",               Sem::Wave(|c| ds_atomic(c, AtomicOp::FCmpSwap, true, true, 2))),
    ("ds_min_f64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::FMin, true, false, 1))),
    ("ds_min_rtn_f64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::FMin, true, true, 1))),
    ("ds_max_f64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::FMax, true, false, 1))),
    ("ds_max_rtn_f64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::FMax, true, true, 1))),
    ("ds_add_f64",                     Sem::Wave(|c| ds_atomic(c, AtomicOp::FAdd, true, false, 1))),
    ("ds_add_rtn_f64",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::FAdd, true, true, 1))),
    ("ds_storexchg_rtn_b64",           Sem::Wave(|c| ds_atomic(c, AtomicOp::Swap, true, true, 1))),
    ("ds_wrxchg_rtn_b64",              Sem::Wave(|c| ds_atomic(c, AtomicOp::Swap, true, true, 1))),
    ("ds_wrap_rtn_b32",                Sem::Wave(|c| ds_atomic(c, AtomicOp::Wrap, false, true, 2))),
    ("ds_condxchg32_rtn_b64",          Sem::Wave(|c| ds_atomic(c, AtomicOp::CondXchg, true, true, 1))),
    ("ds_pk_add_f16",                  Sem::Wave(|c| ds_atomic(c, AtomicOp::PkAddF16, false, false, 1))),
    ("ds_pk_add_rtn_f16",              Sem::Wave(|c| ds_atomic(c, AtomicOp::PkAddF16, false, true, 1))),
    ("ds_pk_add_bf16",                 Sem::Wave(|c| ds_atomic(c, AtomicOp::PkAddBf16, false, false, 1))),
    ("ds_pk_add_rtn_bf16",             Sem::Wave(|c| ds_atomic(c, AtomicOp::PkAddBf16, false, true, 1))),
    ("ds_append",                      Sem::Wave(|c| ds_append(c, AtomicOp::Add))),
    ("ds_consume",                     Sem::Wave(|c| ds_append(c, AtomicOp::Sub))),
    ("ds_nop",                         Sem::Note(crate::ir::NoteKind::Other)),
];
