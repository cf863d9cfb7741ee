//! FLAT, GLOBAL and SCRATCH: one meaning, in the segment that the format names (RDNA3 ISA, chapter 11).
//!
//! Address forms: global `base(SGPR pair) + offset(VGPR) + imm` or `address(VGPR pair) + imm`; scratch `base(SGPR) + offset(VGPR) + imm`,
//! either part may be `off`.

use super::*;

/// The segment an instruction's format names.
fn segment(c: &Cx) -> Space {
    match c.inst.enc {
        Enc::SCRATCH => Space::Scratch,
        Enc::GLOBAL => Space::Global,
        _ => Space::Flat,
    }
}

/// Address of FLAT, GLOBAL and SCRATCH from the vector and scalar operands.
fn address(c: &mut Cx, space: Space, vector: Arg, scalar: Option<Arg>) -> Addr {
    let imm = i64::from(c.inst.mods.offset);
    let scalar = scalar.filter(|s| !is_off(c, *s));
    let base = scalar.map(|s| c.src(s.op, if space == Space::Scratch { B32 } else { B64 }));
    let width = if scalar.is_none() && space != Space::Scratch { B64 } else { B32 };
    let offset = (!is_off(c, vector) || width == B64).then(|| lane(c, vector, width));
    Addr { base, offset, imm }
}

/// flat loads.
pub(crate) fn flat_load(c: &mut Cx, d: Arg, addr: Arg) {
    load_at(c, d, addr, None);
}
/// global and scratch loads.
pub(crate) fn load(c: &mut Cx, d: Arg, addr: Arg, saddr: Arg) {
    load_at(c, d, addr, Some(saddr));
}
fn load_at(c: &mut Cx, d: Arg, addr: Arg, saddr: Option<Arg>) {
    let (kind, part) = loads(c);
    if c.inst.mods.lds {
        return c.unsupported("load to LDS");
    }
    let space = segment(c);
    let addr = address(c, space, addr, saddr);
    load_from(c, space, kind, part, addr, d);
}
/// flat stores.
pub(crate) fn flat_store(c: &mut Cx, addr: Arg, data: Arg) {
    store_at(c, addr, data, None);
}
/// global and scratch stores.
pub(crate) fn store(c: &mut Cx, addr: Arg, data: Arg, saddr: Arg) {
    store_at(c, addr, data, Some(saddr));
}
fn store_at(c: &mut Cx, addr: Arg, data: Arg, saddr: Option<Arg>) {
    let (kind, part) = stores(c);
    let space = segment(c);
    let addr = address(c, space, addr, saddr);
    store_to(c, space, kind, part, addr, data);
}
/// global_load_addtid_b32, global_store_addtid_b32: SGPR base plus four bytes a lane.
pub(crate) fn addtid(c: &mut Cx, data: Arg, saddr: Arg) {
    let offset = lane_dwords(c);
    let base = if is_off(c, saddr) { c.b.const64(0) } else { c.src(saddr.op, B64) };
    let addr = Addr { base: Some(base), offset: Some(offset), imm: i64::from(c.inst.mods.offset) };
    move_dword(c, Space::Global, addr, data);
}

/// flat atomics; those that can return have a destination, which need not be there.
pub(crate) fn flat_atomic(c: &mut Cx, d: Arg, addr: Arg, data: Arg) {
    let space = segment(c);
    let addr = address(c, space, addr, None);
    run_atomic(c, space, addr, Some(d), &[data], None);
}
/// global atomics.
pub(crate) fn atomic(c: &mut Cx, d: Option<Arg>, addr: Arg, data: Arg, saddr: Arg) {
    let space = segment(c);
    let addr = address(c, space, addr, Some(saddr));
    run_atomic(c, space, addr, d, &[data], None);
}
