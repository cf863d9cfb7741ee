//! DS: LDS (RDNA3 ISA, chapter 12; requirements.md LDS). The address is `offset(VGPR) + imm`.

use super::*;
use crate::lift::meaning::Meaning;

/// Address of a DS instruction with a byte offset.
fn lds(c: &mut Cx, vaddr: Operand, imm: i64) -> Addr {
    Addr { base: None, offset: Some(lane(c, vaddr, B32)), imm }
}

fn no_gds(c: &mut Cx) {
    if c.inst.mods.gds {
        c.unsupported("GDS");
    }
}
fn ds_load(c: &mut Cx, kind: MemKind, part: Part) {
    no_gds(c);
    let (d, a) = (c.op(0), c.op(1));
    let addr = lds(c, a, c.inst.mods.offset.into());
    load_from(c, Space::Lds, kind, part, addr, d);
}
fn ds_store(c: &mut Cx, kind: MemKind, part: Part) {
    no_gds(c);
    let (a, d) = (c.op(0), c.op(1));
    let addr = lds(c, a, c.inst.mods.offset.into());
    store_to(c, Space::Lds, kind, part, addr, d);
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
            c.b.vset(VReg(row + (i * n + j) as u16), Value(v.0 + j as u32), e);
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
        c.b.vset(VReg(row + i as u16), v, exec);
    }
}
/// ds_load_addtid_b32, ds_store_addtid_b32: M0\[15:0\] plus four bytes a lane.
fn ds_addtid(c: &mut Cx, is_store: bool) {
    no_gds(c);
    let data = c.op(0);
    let lanes = lane_dwords(c);
    let m0 = m0_base(c);
    let offset = c.b.pure2(IAdd32, lanes, m0);
    let addr = Addr { base: None, offset: Some(offset), imm: c.inst.mods.offset.into() };
    move_dword(c, Space::Lds, addr, data, is_store);
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

/// What ds_bvh_stack_rtn_b32 takes for no node, and what it returns when the stack is empty.
const NO_NODE: u32 = !0;
const BOTTOM: u32 = !1;

/// ds_bvh_stack_rtn_b32: a stack of nodes still to visit, in LDS. The address register has its base in dwords \[31:18\] and the number of
/// entries \[17:0\]; entries are 32 dwords apart, and the oldest of more than 8, 16, 32 or 64 (offset1\[5:4\]) are overwritten. Of the four
/// sorted children (data1) the farther ones are pushed, last first, and the first is returned; or, if it is none, what was pushed last,
/// which leaves NO_NODE there. The last visited node (data0), if it is one, must be among the children: it and those before it are done.
fn ds_bvh_stack(c: &mut Cx) {
    let ops = [c.op(0), c.op(1), c.op(2), c.op(3)];
    let (address, children) = (vgpr(c, ops[1]), vgpr(c, ops[3]));
    if !c.has_rows(address, 1) {
        return;
    }
    let exec = c.exec();
    let size = 8 << (c.inst.mods.offset >> 12 & 3);
    let packed = lane(c, ops[1], B32);
    let last = lane(c, ops[2], B32);
    let children = rows(c, children, 4).map(|v| v.expect("four rows were asked for"));
    let b = &mut c.b;
    let (index_mask, no_node, one, two, seven, eighteen, slot_mask) =
        (b.const32(0x3ffff), b.const32(NO_NODE), b.const32(1), b.const32(2), b.const32(7), b.const32(18), b.const32(size - 1));
    let base = b.pure2(LShr32, packed, eighteen);
    let base = b.pure2(Shl32, base, two);
    let mut index = b.pure2(And32, packed, index_mask);
    let slot = |b: &mut Builder, index: Value| {
        let slot = b.pure2(And32, index, slot_mask);
        let bytes = b.pure2(Shl32, slot, seven);
        Addr { base: None, offset: Some(b.pure2(IAdd32, base, bytes)), imm: 0 }
    };
    // Still to visit: all, or those behind the last one.
    let fresh = b.pure2(ICmpEq32, last, no_node);
    let mut open = fresh;
    for child in children {
        let same = b.pure2(ICmpEq32, child, last);
        open = b.pure2(BOr, open, same);
    }
    let mut first = None;
    for (i, child) in children.into_iter().enumerate().rev() {
        let other = b.pure2(ICmpNe32, child, last);
        let other = b.pure2(BOr, other, fresh);
        open = b.pure2(BAnd, open, other);
        let is_node = b.pure2(ICmpNe32, child, no_node);
        let taken = b.pure2(BAnd, open, is_node);
        if i == 0 {
            first = Some(taken);
            break;
        }
        let lanes = b.pure2(BAnd, taken, exec);
        let addr = slot(b, index);
        b.push(Op::Store { space: Space::Lds, kind: MemKind::B32, addr, data: [Some(child), None, None, None], exec: lanes }, &[]);
        let next = b.pure2(IAdd32, index, one);
        let next = b.pure2(UMin32, next, index_mask);
        index = b.pure3(Sel32, taken, next, index);
    }
    let taken = first.expect("there are four children");
    let (zero, bottom) = (b.const32(0), b.const32(BOTTOM));
    let is_empty = b.pure2(ICmpEq32, index, zero);
    let popped = b.pure2(BOr, taken, is_empty);
    let popped = b.pure1(BNot, popped);
    let top = b.pure2(ISub32, index, one);
    index = b.pure3(Sel32, popped, top, index);
    let lanes = b.pure2(BAnd, popped, exec);
    let addr = slot(b, index);
    let gone = b.splat(no_node);
    let swap =
        Op::Atomic { space: Space::Lds, op: Swap, wide: false, addr, data: [Some(gone), None, None, None], exec: lanes, returns: true };
    let old = b.push(swap, &[Ty::L32]);
    let v = b.pure3(Sel32, popped, old, bottom);
    let v = b.pure3(Sel32, taken, children[0], v);
    let sixteen = b.const32(16);
    let high = b.pure2(Shl32, base, sixteen);
    let packed = b.pure2(Or32, high, index);
    c.vdst(ops[1], B32, packed, exec);
    c.vdst(ops[0], B32, v, exec);
}

#[allow(missing_docs)]
#[rustfmt::skip]
pub const ROWS: &[(&str, Meaning)] = &[
    ("ds_load_u8",                          Meaning::Wave(|c| ds_load(c, MemKind::U8, Whole))),
    ("ds_load_i8",                          Meaning::Wave(|c| ds_load(c, MemKind::I8, Whole))),
    ("ds_load_u16",                         Meaning::Wave(|c| ds_load(c, MemKind::U16, Whole))),
    ("ds_load_i16",                         Meaning::Wave(|c| ds_load(c, MemKind::I16, Whole))),
    ("ds_load_b32",                         Meaning::Wave(|c| ds_load(c, MemKind::B32, Whole))),
    ("ds_load_b64",                         Meaning::Wave(|c| ds_load(c, MemKind::B64, Whole))),
    ("ds_load_b96",                         Meaning::Wave(|c| ds_load(c, MemKind::B96, Whole))),
    ("ds_load_b128",                        Meaning::Wave(|c| ds_load(c, MemKind::B128, Whole))),
    ("ds_load_u8_d16",                      Meaning::Wave(|c| ds_load(c, MemKind::U8, Low))),
    ("ds_load_u8_d16_hi",                   Meaning::Wave(|c| ds_load(c, MemKind::U8, High))),
    ("ds_load_i8_d16",                      Meaning::Wave(|c| ds_load(c, MemKind::I8, Low))),
    ("ds_load_i8_d16_hi",                   Meaning::Wave(|c| ds_load(c, MemKind::I8, High))),
    ("ds_load_u16_d16",                     Meaning::Wave(|c| ds_load(c, MemKind::U16, Low))),
    ("ds_load_u16_d16_hi",                  Meaning::Wave(|c| ds_load(c, MemKind::U16, High))),
    ("ds_store_b8",                         Meaning::Wave(|c| ds_store(c, MemKind::U8, Whole))),
    ("ds_store_b16",                        Meaning::Wave(|c| ds_store(c, MemKind::U16, Whole))),
    ("ds_store_b32",                        Meaning::Wave(|c| ds_store(c, MemKind::B32, Whole))),
    ("ds_store_b64",                        Meaning::Wave(|c| ds_store(c, MemKind::B64, Whole))),
    ("ds_store_b96",                        Meaning::Wave(|c| ds_store(c, MemKind::B96, Whole))),
    ("ds_store_b128",                       Meaning::Wave(|c| ds_store(c, MemKind::B128, Whole))),
    ("ds_store_b8_d16_hi",                  Meaning::Wave(|c| ds_store(c, MemKind::U8, High))),
    ("ds_store_b16_d16_hi",                 Meaning::Wave(|c| ds_store(c, MemKind::U16, High))),
    ("ds_load_2addr_b32",                   Meaning::Wave(|c| ds_load2(c, MemKind::B32, false))),
    ("ds_load_2addr_stride64_b32",          Meaning::Wave(|c| ds_load2(c, MemKind::B32, true))),
    ("ds_store_2addr_b32",                  Meaning::Wave(|c| ds_store2(c, MemKind::B32, false))),
    ("ds_store_2addr_stride64_b32",         Meaning::Wave(|c| ds_store2(c, MemKind::B32, true))),
    ("ds_storexchg_2addr_rtn_b32",          Meaning::Wave(|c| ds_exchange2(c, MemKind::B32, false))),
    ("ds_storexchg_2addr_stride64_rtn_b32", Meaning::Wave(|c| ds_exchange2(c, MemKind::B32, true))),
    ("ds_load_2addr_b64",                   Meaning::Wave(|c| ds_load2(c, MemKind::B64, false))),
    ("ds_load_2addr_stride64_b64",          Meaning::Wave(|c| ds_load2(c, MemKind::B64, true))),
    ("ds_store_2addr_b64",                  Meaning::Wave(|c| ds_store2(c, MemKind::B64, false))),
    ("ds_store_2addr_stride64_b64",         Meaning::Wave(|c| ds_store2(c, MemKind::B64, true))),
    ("ds_storexchg_2addr_rtn_b64",          Meaning::Wave(|c| ds_exchange2(c, MemKind::B64, false))),
    ("ds_storexchg_2addr_stride64_rtn_b64", Meaning::Wave(|c| ds_exchange2(c, MemKind::B64, true))),
    ("ds_load_addtid_b32",                  Meaning::Wave(|c| ds_addtid(c, false))),
    ("ds_store_addtid_b32",                 Meaning::Wave(|c| ds_addtid(c, true))),
    ("ds_add_u32",                          Meaning::Wave(|c| ds_atomic(c, Add, false, false, 1))),
    ("ds_add_rtn_u32",                      Meaning::Wave(|c| ds_atomic(c, Add, false, true, 1))),
    ("ds_sub_u32",                          Meaning::Wave(|c| ds_atomic(c, Sub, false, false, 1))),
    ("ds_sub_rtn_u32",                      Meaning::Wave(|c| ds_atomic(c, Sub, false, true, 1))),
    ("ds_rsub_u32",                         Meaning::Wave(|c| ds_atomic(c, RSub, false, false, 1))),
    ("ds_rsub_rtn_u32",                     Meaning::Wave(|c| ds_atomic(c, RSub, false, true, 1))),
    ("ds_inc_u32",                          Meaning::Wave(|c| ds_atomic(c, Inc, false, false, 1))),
    ("ds_inc_rtn_u32",                      Meaning::Wave(|c| ds_atomic(c, Inc, false, true, 1))),
    ("ds_dec_u32",                          Meaning::Wave(|c| ds_atomic(c, Dec, false, false, 1))),
    ("ds_dec_rtn_u32",                      Meaning::Wave(|c| ds_atomic(c, Dec, false, true, 1))),
    ("ds_min_i32",                          Meaning::Wave(|c| ds_atomic(c, SMin, false, false, 1))),
    ("ds_min_rtn_i32",                      Meaning::Wave(|c| ds_atomic(c, SMin, false, true, 1))),
    ("ds_max_i32",                          Meaning::Wave(|c| ds_atomic(c, SMax, false, false, 1))),
    ("ds_max_rtn_i32",                      Meaning::Wave(|c| ds_atomic(c, SMax, false, true, 1))),
    ("ds_min_u32",                          Meaning::Wave(|c| ds_atomic(c, UMin, false, false, 1))),
    ("ds_min_rtn_u32",                      Meaning::Wave(|c| ds_atomic(c, UMin, false, true, 1))),
    ("ds_max_u32",                          Meaning::Wave(|c| ds_atomic(c, UMax, false, false, 1))),
    ("ds_max_rtn_u32",                      Meaning::Wave(|c| ds_atomic(c, UMax, false, true, 1))),
    ("ds_and_b32",                          Meaning::Wave(|c| ds_atomic(c, And, false, false, 1))),
    ("ds_and_rtn_b32",                      Meaning::Wave(|c| ds_atomic(c, And, false, true, 1))),
    ("ds_or_b32",                           Meaning::Wave(|c| ds_atomic(c, Or, false, false, 1))),
    ("ds_or_rtn_b32",                       Meaning::Wave(|c| ds_atomic(c, Or, false, true, 1))),
    ("ds_xor_b32",                          Meaning::Wave(|c| ds_atomic(c, Xor, false, false, 1))),
    ("ds_xor_rtn_b32",                      Meaning::Wave(|c| ds_atomic(c, Xor, false, true, 1))),
    ("ds_mskor_b32",                        Meaning::Wave(|c| ds_atomic(c, MskOr, false, false, 2))),
    ("ds_mskor_rtn_b32",                    Meaning::Wave(|c| ds_atomic(c, MskOr, false, true, 2))),
    ("ds_cmpstore_b32",                     Meaning::Wave(|c| ds_atomic(c, CmpSwap, false, false, 2))),
    ("ds_cmpstore_rtn_b32",                 Meaning::Wave(|c| ds_atomic(c, CmpSwap, false, true, 2))),
    ("ds_cmpst_b32",                        Meaning::Wave(|c| ds_atomic(c, CmpSwap, false, false, 2))),
    ("ds_cmpst_rtn_b32",                    Meaning::Wave(|c| ds_atomic(c, CmpSwap, false, true, 2))),
    ("ds_cmpstore_f32",                     Meaning::Wave(|c| ds_atomic(c, FCmpSwap, false, false, 2))),
    ("ds_cmpstore_rtn_f32",                 Meaning::Wave(|c| ds_atomic(c, FCmpSwap, false, true, 2))),
    ("ds_cmpst_f32",                        Meaning::Wave(|c| ds_atomic(c, FCmpSwap, false, false, 2))),
    ("ds_cmpst_rtn_f32",                    Meaning::Wave(|c| ds_atomic(c, FCmpSwap, false, true, 2))),
    ("ds_min_f32",                          Meaning::Wave(|c| ds_atomic(c, FMin, false, false, 1))),
    ("ds_min_rtn_f32",                      Meaning::Wave(|c| ds_atomic(c, FMin, false, true, 1))),
    ("ds_max_f32",                          Meaning::Wave(|c| ds_atomic(c, FMax, false, false, 1))),
    ("ds_max_rtn_f32",                      Meaning::Wave(|c| ds_atomic(c, FMax, false, true, 1))),
    ("ds_add_f32",                          Meaning::Wave(|c| ds_atomic(c, FAdd, false, false, 1))),
    ("ds_add_rtn_f32",                      Meaning::Wave(|c| ds_atomic(c, FAdd, false, true, 1))),
    ("ds_storexchg_rtn_b32",                Meaning::Wave(|c| ds_atomic(c, Swap, false, true, 1))),
    ("ds_add_u64",                          Meaning::Wave(|c| ds_atomic(c, Add, true, false, 1))),
    ("ds_add_rtn_u64",                      Meaning::Wave(|c| ds_atomic(c, Add, true, true, 1))),
    ("ds_sub_u64",                          Meaning::Wave(|c| ds_atomic(c, Sub, true, false, 1))),
    ("ds_sub_rtn_u64",                      Meaning::Wave(|c| ds_atomic(c, Sub, true, true, 1))),
    ("ds_rsub_u64",                         Meaning::Wave(|c| ds_atomic(c, RSub, true, false, 1))),
    ("ds_rsub_rtn_u64",                     Meaning::Wave(|c| ds_atomic(c, RSub, true, true, 1))),
    ("ds_inc_u64",                          Meaning::Wave(|c| ds_atomic(c, Inc, true, false, 1))),
    ("ds_inc_rtn_u64",                      Meaning::Wave(|c| ds_atomic(c, Inc, true, true, 1))),
    ("ds_dec_u64",                          Meaning::Wave(|c| ds_atomic(c, Dec, true, false, 1))),
    ("ds_dec_rtn_u64",                      Meaning::Wave(|c| ds_atomic(c, Dec, true, true, 1))),
    ("ds_min_i64",                          Meaning::Wave(|c| ds_atomic(c, SMin, true, false, 1))),
    ("ds_min_rtn_i64",                      Meaning::Wave(|c| ds_atomic(c, SMin, true, true, 1))),
    ("ds_max_i64",                          Meaning::Wave(|c| ds_atomic(c, SMax, true, false, 1))),
    ("ds_max_rtn_i64",                      Meaning::Wave(|c| ds_atomic(c, SMax, true, true, 1))),
    ("ds_min_u64",                          Meaning::Wave(|c| ds_atomic(c, UMin, true, false, 1))),
    ("ds_min_rtn_u64",                      Meaning::Wave(|c| ds_atomic(c, UMin, true, true, 1))),
    ("ds_max_u64",                          Meaning::Wave(|c| ds_atomic(c, UMax, true, false, 1))),
    ("ds_max_rtn_u64",                      Meaning::Wave(|c| ds_atomic(c, UMax, true, true, 1))),
    ("ds_and_b64",                          Meaning::Wave(|c| ds_atomic(c, And, true, false, 1))),
    ("ds_and_rtn_b64",                      Meaning::Wave(|c| ds_atomic(c, And, true, true, 1))),
    ("ds_or_b64",                           Meaning::Wave(|c| ds_atomic(c, Or, true, false, 1))),
    ("ds_or_rtn_b64",                       Meaning::Wave(|c| ds_atomic(c, Or, true, true, 1))),
    ("ds_xor_b64",                          Meaning::Wave(|c| ds_atomic(c, Xor, true, false, 1))),
    ("ds_xor_rtn_b64",                      Meaning::Wave(|c| ds_atomic(c, Xor, true, true, 1))),
    ("ds_mskor_b64",                        Meaning::Wave(|c| ds_atomic(c, MskOr, true, false, 2))),
    ("ds_mskor_rtn_b64",                    Meaning::Wave(|c| ds_atomic(c, MskOr, true, true, 2))),
    ("ds_cmpstore_b64",                     Meaning::Wave(|c| ds_atomic(c, CmpSwap, true, false, 2))),
    ("ds_cmpstore_rtn_b64",                 Meaning::Wave(|c| ds_atomic(c, CmpSwap, true, true, 2))),
    ("ds_cmpst_b64",                        Meaning::Wave(|c| ds_atomic(c, CmpSwap, true, false, 2))),
    ("ds_cmpst_rtn_b64",                    Meaning::Wave(|c| ds_atomic(c, CmpSwap, true, true, 2))),
    ("ds_cmpstore_f64",                     Meaning::Wave(|c| ds_atomic(c, FCmpSwap, true, false, 2))),
    ("ds_cmpstore_rtn_f64",                 Meaning::Wave(|c| ds_atomic(c, FCmpSwap, true, true, 2))),
    ("ds_cmpst_f64",                        Meaning::Wave(|c| ds_atomic(c, FCmpSwap, true, false, 2))),
    ("ds_cmpst_rtn_f64",                    Meaning::Wave(|c| ds_atomic(c, FCmpSwap, true, true, 2))),
    ("ds_min_f64",                          Meaning::Wave(|c| ds_atomic(c, FMin, true, false, 1))),
    ("ds_min_rtn_f64",                      Meaning::Wave(|c| ds_atomic(c, FMin, true, true, 1))),
    ("ds_max_f64",                          Meaning::Wave(|c| ds_atomic(c, FMax, true, false, 1))),
    ("ds_max_rtn_f64",                      Meaning::Wave(|c| ds_atomic(c, FMax, true, true, 1))),
    ("ds_add_f64",                          Meaning::Wave(|c| ds_atomic(c, FAdd, true, false, 1))),
    ("ds_add_rtn_f64",                      Meaning::Wave(|c| ds_atomic(c, FAdd, true, true, 1))),
    ("ds_storexchg_rtn_b64",                Meaning::Wave(|c| ds_atomic(c, Swap, true, true, 1))),
    ("ds_wrap_rtn_b32",                     Meaning::Wave(|c| ds_atomic(c, Wrap, false, true, 2))),
    ("ds_condxchg32_rtn_b64",               Meaning::Wave(|c| ds_atomic(c, CondXchg, true, true, 1))),
    ("ds_pk_add_f16",                       Meaning::Wave(|c| ds_atomic(c, PkAddF16, false, false, 1))),
    ("ds_pk_add_rtn_f16",                   Meaning::Wave(|c| ds_atomic(c, PkAddF16, false, true, 1))),
    ("ds_pk_add_bf16",                      Meaning::Wave(|c| ds_atomic(c, PkAddBf16, false, false, 1))),
    ("ds_pk_add_rtn_bf16",                  Meaning::Wave(|c| ds_atomic(c, PkAddBf16, false, true, 1))),
    ("ds_bvh_stack_rtn_b32",                Meaning::Wave(ds_bvh_stack)),
    ("ds_append",                           Meaning::Wave(|c| ds_append(c, Add))),
    ("ds_consume",                          Meaning::Wave(|c| ds_append(c, Sub))),
    ("ds_nop",                              Meaning::Note(wavejit_ir::NoteKind::Other)),
];
