//! FLAT, GLOBAL and SCRATCH: one meaning, in the segment that the format names (RDNA3 ISA, chapter 11).
//!
//! Address forms: global `base(SGPR pair) + offset(VGPR) + imm` or `address(VGPR pair) + imm`; scratch `base(SGPR) + offset(VGPR) + imm`,
//! either part may be `off`.

use super::*;
use crate::lift::meaning::Meaning;

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
fn load(c: &mut Cx, kind: MemKind, part: Part) {
    no_lds_dma(c);
    let space = segment(c);
    let (d, vaddr) = (c.op(0), c.op(1));
    let saddr = c.operand(2).unwrap_or(Operand::Off);
    let addr = address(c, space, vaddr, saddr);
    load_from(c, space, kind, part, addr, d);
}
fn store(c: &mut Cx, kind: MemKind, part: Part) {
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
fn addtid(c: &mut Cx, is_store: bool) {
    let (data, saddr) = (c.op(0), c.op(1));
    let offset = lane_dwords(c);
    let base = if is_off(c, saddr) { c.b.const64(0) } else { c.src(saddr, B64) };
    let addr = Addr { base: Some(base), offset: Some(offset), imm: i64::from(c.inst.mods.offset) };
    move_dword(c, Space::Global, addr, data, is_store);
}

/// flat and global atomics; the returning form has a destination in front.
fn atomic(c: &mut Cx, op: AtomicOp, wide: bool) {
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

/// Rows by what follows the segment's name.
#[rustfmt::skip]
pub const ROWS: &[(&str, Meaning)] = &[
    ("load_u8",            Meaning::Wave(|c| load(c, MemKind::U8, Whole))),
    ("load_i8",            Meaning::Wave(|c| load(c, MemKind::I8, Whole))),
    ("load_u16",           Meaning::Wave(|c| load(c, MemKind::U16, Whole))),
    ("load_i16",           Meaning::Wave(|c| load(c, MemKind::I16, Whole))),
    ("load_b32",           Meaning::Wave(|c| load(c, MemKind::B32, Whole))),
    ("load_b64",           Meaning::Wave(|c| load(c, MemKind::B64, Whole))),
    ("load_b96",           Meaning::Wave(|c| load(c, MemKind::B96, Whole))),
    ("load_b128",          Meaning::Wave(|c| load(c, MemKind::B128, Whole))),
    ("load_d16_u8",        Meaning::Wave(|c| load(c, MemKind::U8, Low))),
    ("load_d16_i8",        Meaning::Wave(|c| load(c, MemKind::I8, Low))),
    ("load_d16_b16",       Meaning::Wave(|c| load(c, MemKind::U16, Low))),
    ("load_d16_hi_u8",     Meaning::Wave(|c| load(c, MemKind::U8, High))),
    ("load_d16_hi_i8",     Meaning::Wave(|c| load(c, MemKind::I8, High))),
    ("load_d16_hi_b16",    Meaning::Wave(|c| load(c, MemKind::U16, High))),
    ("store_b8",           Meaning::Wave(|c| store(c, MemKind::U8, Whole))),
    ("store_b16",          Meaning::Wave(|c| store(c, MemKind::U16, Whole))),
    ("store_b32",          Meaning::Wave(|c| store(c, MemKind::B32, Whole))),
    ("store_b64",          Meaning::Wave(|c| store(c, MemKind::B64, Whole))),
    ("store_b96",          Meaning::Wave(|c| store(c, MemKind::B96, Whole))),
    ("store_b128",         Meaning::Wave(|c| store(c, MemKind::B128, Whole))),
    ("store_d16_hi_b8",    Meaning::Wave(|c| store(c, MemKind::U8, High))),
    ("store_d16_hi_b16",   Meaning::Wave(|c| store(c, MemKind::U16, High))),
    ("load_addtid_b32",    Meaning::Wave(|c| addtid(c, false))),
    ("store_addtid_b32",   Meaning::Wave(|c| addtid(c, true))),
    ("atomic_swap_b32",    Meaning::Wave(|c| atomic(c, Swap, false))),
    ("atomic_cmpswap_b32", Meaning::Wave(|c| atomic(c, CmpSwap, false))),
    ("atomic_add_u32",     Meaning::Wave(|c| atomic(c, Add, false))),
    ("atomic_sub_u32",     Meaning::Wave(|c| atomic(c, Sub, false))),
    ("atomic_min_i32",     Meaning::Wave(|c| atomic(c, SMin, false))),
    ("atomic_min_u32",     Meaning::Wave(|c| atomic(c, UMin, false))),
    ("atomic_max_i32",     Meaning::Wave(|c| atomic(c, SMax, false))),
    ("atomic_max_u32",     Meaning::Wave(|c| atomic(c, UMax, false))),
    ("atomic_and_b32",     Meaning::Wave(|c| atomic(c, And, false))),
    ("atomic_or_b32",      Meaning::Wave(|c| atomic(c, Or, false))),
    ("atomic_xor_b32",     Meaning::Wave(|c| atomic(c, Xor, false))),
    ("atomic_inc_u32",     Meaning::Wave(|c| atomic(c, Inc, false))),
    ("atomic_dec_u32",     Meaning::Wave(|c| atomic(c, Dec, false))),
    ("atomic_swap_b64",    Meaning::Wave(|c| atomic(c, Swap, true))),
    ("atomic_cmpswap_b64", Meaning::Wave(|c| atomic(c, CmpSwap, true))),
    ("atomic_add_u64",     Meaning::Wave(|c| atomic(c, Add, true))),
    ("atomic_sub_u64",     Meaning::Wave(|c| atomic(c, Sub, true))),
    ("atomic_min_i64",     Meaning::Wave(|c| atomic(c, SMin, true))),
    ("atomic_min_u64",     Meaning::Wave(|c| atomic(c, UMin, true))),
    ("atomic_max_i64",     Meaning::Wave(|c| atomic(c, SMax, true))),
    ("atomic_max_u64",     Meaning::Wave(|c| atomic(c, UMax, true))),
    ("atomic_and_b64",     Meaning::Wave(|c| atomic(c, And, true))),
    ("atomic_or_b64",      Meaning::Wave(|c| atomic(c, Or, true))),
    ("atomic_xor_b64",     Meaning::Wave(|c| atomic(c, Xor, true))),
    ("atomic_inc_u64",     Meaning::Wave(|c| atomic(c, Inc, true))),
    ("atomic_dec_u64",     Meaning::Wave(|c| atomic(c, Dec, true))),
    ("atomic_cmpswap_f32", Meaning::Wave(|c| atomic(c, FCmpSwap, false))),
    ("atomic_min_f32",     Meaning::Wave(|c| atomic(c, FMin, false))),
    ("atomic_max_f32",     Meaning::Wave(|c| atomic(c, FMax, false))),
    ("atomic_add_f32",     Meaning::Wave(|c| atomic(c, FAdd, false))),
    ("atomic_pk_add_f16",  Meaning::Wave(|c| atomic(c, PkAddF16, false))),
    ("atomic_pk_add_bf16", Meaning::Wave(|c| atomic(c, PkAddBf16, false))),
    ("atomic_add_f64",     Meaning::Wave(|c| atomic(c, FAdd, true))),
    ("atomic_min_f64",     Meaning::Wave(|c| atomic(c, FMin, true))),
    ("atomic_max_f64",     Meaning::Wave(|c| atomic(c, FMax, true))),
    ("atomic_fcmpswap_x2", Meaning::Wave(|c| atomic(c, FCmpSwap, true))),
    ("atomic_csub_u32",    Meaning::Wave(|c| atomic(c, CSub, false))),
];
