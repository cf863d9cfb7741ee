//! DS: LDS (RDNA3 ISA, chapter 12; requirements.md LDS). The address is `offset(VGPR) + imm`. Up to gfx8 LDS ends where M0 says, too.

use super::*;
use wavejit_isa::Feature;

/// Address of a DS instruction with a byte offset.
fn lds(c: &mut Cx, vaddr: Arg, imm: i64) -> Addr {
    Addr { base: None, offset: Some(lane(c, vaddr, B32)), imm }
}

fn no_gds(c: &mut Cx) {
    if c.inst.mods.gds {
        c.unsupported("GDS");
    }
}

/// LDS-10: the lanes whose `bytes` bytes end at M0 at the latest, where M0 is a limit: the others load 0 and store nothing.
fn below_m0(c: &mut Cx, addr: Addr, bytes: usize) -> Option<Value> {
    let offset = addr.offset.filter(|_| c.target.has(Feature::LdsSizeInM0))?;
    let m0 = c.b.sget(SReg::M0);
    let [imm, mask, bytes] = [addr.imm as u32, 0xffff, bytes as u32].map(|n| c.b.const32(n));
    let at = c.b.pure2(IAdd32, offset, imm);
    // LDS-04: addresses have 16 bits.
    let at = c.b.pure2(And32, at, mask);
    let end = c.b.pure2(IAdd32, at, bytes);
    Some(c.b.pure2(ICmpUle32, end, m0))
}

/// Dwords of an element; the first of them.
fn load_element(c: &mut Cx, kind: MemKind, addr: Addr) -> Value {
    let lanes = below_m0(c, addr, kind.bytes());
    let exec = active(c, lanes);
    let first = c.b.load(Space::Lds, kind, addr, exec);
    or_zero(c, first, kind.dwords(), lanes)
}

fn store_element(c: &mut Cx, kind: MemKind, addr: Addr, data: [Option<Value>; 4]) {
    let lanes = below_m0(c, addr, kind.bytes());
    let exec = active(c, lanes);
    c.b.push(Op::Store { space: Space::Lds, kind, addr, data, exec }, &[]);
}

/// ds_load
pub(crate) fn ds_load(c: &mut Cx, d: Arg, addr: Arg) {
    let (kind, part) = loads(c);
    no_gds(c);
    let addr = lds(c, addr, c.inst.mods.offset.into());
    let v = load_element(c, kind, addr);
    loaded(c, d, v, kind.dwords(), part);
}
/// ds_store
pub(crate) fn ds_store(c: &mut Cx, addr: Arg, data: Arg) {
    let (kind, part) = stores(c);
    no_gds(c);
    let addr = lds(c, addr, c.inst.mods.offset.into());
    let data = stored(c, data, kind, part);
    store_element(c, kind, addr, data);
}
/// Byte offsets of a two-address instruction, in elements or in 64 elements.
fn two_offsets(c: &Cx, kind: MemKind) -> [i64; 2] {
    let stride64 = c.inst.row.flags.contains(Flags::STRIDE64);
    let unit = kind.bytes() as i64 * if stride64 { 64 } else { 1 };
    [i64::from(c.inst.mods.offset) * unit, i64::from(c.inst.mods.offset1) * unit]
}
/// ds_load_2addr: both loads before either write, the address may be a destination.
pub(crate) fn ds_load2(c: &mut Cx, d: Arg, addr: Arg) {
    let (kind, _) = loads(c);
    no_gds(c);
    let e = c.exec();
    let addr = lds(c, addr, 0);
    let n = kind.dwords();
    let v = two_offsets(c, kind).map(|imm| load_element(c, kind, Addr { imm, ..addr }));
    let row = vgpr(c, d);
    for (i, v) in v.into_iter().enumerate() {
        for j in 0..n {
            c.b.vset(VReg(row + (i * n + j) as u16), Value(v.0 + j as u32), e);
        }
    }
}
/// ds_store_2addr
pub(crate) fn ds_store2(c: &mut Cx, addr: Arg, data: [Arg; 2]) {
    let (kind, _) = stores(c);
    no_gds(c);
    let addr = lds(c, addr, 0);
    let data = data.map(|data| stored(c, data, kind, Whole));
    for (imm, data) in two_offsets(c, kind).into_iter().zip(data) {
        store_element(c, kind, Addr { imm, ..addr }, data);
    }
}
/// ds_storexchg_2addr: exchanges at two addresses.
pub(crate) fn ds_exchange2(c: &mut Cx, d: Arg, addr: Arg, data: [Arg; 2]) {
    let (_, wide) = atomics(c);
    let kind = if wide { MemKind::B64 } else { MemKind::B32 };
    no_gds(c);
    let addr = lds(c, addr, 0);
    let data = data.map(|data| stored(c, data, kind, Whole));
    let n = kind.dwords();
    let mut old = vec![];
    for (imm, data) in two_offsets(c, kind).into_iter().zip(data) {
        let addr = Addr { imm, ..addr };
        let lanes = below_m0(c, addr, kind.bytes());
        let exec = active(c, lanes);
        let op = Op::Atomic { space: Space::Lds, op: AtomicOp::Swap, wide: n == 2, addr, data, exec, returns: true };
        let v = c.b.push(op, &[Ty::L32; 2][..n]);
        let v = or_zero(c, v, n, lanes);
        old.extend((0..n as u32).map(|j| Value(v.0 + j)));
    }
    let (row, exec) = (vgpr(c, d), c.exec());
    for (i, v) in old.into_iter().enumerate() {
        c.b.vset(VReg(row + i as u16), v, exec);
    }
}
/// ds_load_addtid_b32, ds_store_addtid_b32: M0\[15:0\] plus four bytes a lane.
pub(crate) fn ds_addtid(c: &mut Cx, data: Arg) {
    no_gds(c);
    let lanes = lane_dwords(c);
    let m0 = m0_base(c);
    let offset = c.b.pure2(IAdd32, lanes, m0);
    let addr = Addr { base: None, offset: Some(offset), imm: c.inst.mods.offset.into() };
    move_dword(c, Space::Lds, addr, data);
}
fn m0_base(c: &mut Cx) -> Value {
    let m0 = c.b.sget(SReg::M0);
    let m = c.b.const32(0xffff);
    c.b.pure2(And32, m0, m)
}
/// DS atomics. `data`: operand, then comparand or the like.
pub(crate) fn ds_atomic<const N: usize>(c: &mut Cx, d: Option<Arg>, addr: Arg, data: [Arg; N]) {
    no_gds(c);
    let addr = lds(c, addr, c.inst.mods.offset.into());
    let (_, wide) = atomics(c);
    let lanes = below_m0(c, addr, if wide { 8 } else { 4 });
    run_atomic(c, Space::Lds, addr, d, &data, lanes);
}
/// ds_append, ds_consume: the number of active lanes added to (taken from) the dword at M0\[15:0\] + offset; all lanes get the old value.
/// One lane does it; with EXEC = 0 it adds 0.
pub(crate) fn ds_append(c: &mut Cx, d: Arg) {
    let Some(Access::Atomic(op)) = c.inst.row.access else { panic!("{}: adds or subtracts", c.inst.row.name) };
    no_gds(c);
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
    c.write_lanes(d, v, exec);
}

/// What ds_bvh_stack_rtn_b32 takes for no node, and what it returns when the stack is empty.
const NO_NODE: u32 = !0;
const BOTTOM: u32 = !1;

/// ds_bvh_stack_rtn_b32: a stack of nodes still to visit, in LDS. The address register has its base in dwords \[31:18\] and the number of
/// entries \[17:0\]; entries are 32 dwords apart, and the oldest of more than 8, 16, 32 or 64 (offset1\[5:4\]) are overwritten. Of the four
/// sorted children (data1) the farther ones are pushed, last first, and the first is returned; or, if it is none, what was pushed last,
/// which leaves NO_NODE there. The last visited node (data0), if it is one, must be among the children: it and those before it are done.
pub(crate) fn ds_bvh_stack(c: &mut Cx, d: Arg, stack: Arg, last: Arg, children: Arg) {
    let (address, children) = (vgpr(c, stack), vgpr(c, children));
    if !c.has_rows(address, 1) {
        return;
    }
    let exec = c.exec();
    let size = 8 << (c.inst.mods.offset >> 12 & 3);
    let packed = lane(c, stack, B32);
    let last = lane(c, last, B32);
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
    c.write_lanes(stack, packed, exec);
    c.write_lanes(d, v, exec);
}
