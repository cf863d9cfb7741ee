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

/// flat, global and scratch loads.
pub fn load(c: &mut Cx) {
    let (kind, part) = loads(c);
    no_lds_dma(c);
    let space = segment(c);
    let (d, vaddr) = (c.op(0), c.op(1));
    let saddr = c.operand(2).unwrap_or(Operand::Off);
    let addr = address(c, space, vaddr, saddr);
    load_from(c, space, kind, part, addr, d);
}
/// flat, global and scratch stores.
pub fn store(c: &mut Cx) {
    let (kind, part) = stores(c);
    let space = segment(c);
    let (vaddr, vdata) = (c.op(0), c.op(1));
    let saddr = c.operand(2).unwrap_or(Operand::Off);
    let addr = address(c, space, vaddr, saddr);
    store_to(c, space, kind, part, addr, vdata);
}
fn no_lds_dma(c: &mut Cx) {
    if c.inst.mods.lds {
        c.unsupported("load to LDS");
    }
}
/// global_load_addtid_b32, global_store_addtid_b32: SGPR base plus four bytes a lane.
pub fn addtid(c: &mut Cx) {
    let (data, saddr) = (c.op(0), c.op(1));
    let offset = lane_dwords(c);
    let base = if is_off(c, saddr) { c.b.const64(0) } else { c.src(saddr, B64) };
    let addr = Addr { base: Some(base), offset: Some(offset), imm: i64::from(c.inst.mods.offset) };
    move_dword(c, Space::Global, addr, data);
}

/// flat and global atomics; the returning form has a destination in front.
pub fn flat_atomic(c: &mut Cx) {
    let (op, wide) = atomics(c);
    let space = segment(c);
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
