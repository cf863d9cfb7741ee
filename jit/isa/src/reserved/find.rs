//! What the rules look for, in the order of the table.

use crate::bits::Bits;
use crate::decode::buffer;
use crate::decode::dpp::DPP;
use crate::decode::ds::DS;
use crate::decode::flat::Flat;
use crate::decode::image;
use crate::decode::packed::{PACKED, is_matrix};
use crate::decode::smem::Smem;
use crate::decode::vop::{VOP3, Vop3Mods, reads_attribute};
use crate::disasm::halves::half_bits;
use crate::disasm::memory::{hint_kind, hint_name};
use crate::disasm::names;
use crate::feature::Feature;
use crate::hwreg::HwReg;
use crate::inst::{Dpp, Enc, Inst, Operand};
use crate::memory::MemoryKind;
use crate::memory::image::Kind;
use crate::row::{Flags, Imm, Opd, Row, Ty};
use crate::scalars::{ScalarSpace, Special};
use crate::target::{Gfx, Space};

pub(super) fn some_bits(bits: u32) -> Option<u32> {
    (bits != 0).then_some(bits)
}

/// Operands with their columns; those of VOPD's second half with its row's.
pub(super) fn columns(inst: &Inst) -> impl Iterator<Item = (Opd, Operand)> {
    let ops = inst.ops();
    let (x, y) = ops.split_at(if inst.row_y.is_some() { usize::from(inst.y_start) } else { ops.len() });
    let y_columns = inst.row_y.map_or(&[][..], |row| row.ops);
    inst.row.ops.iter().zip(x).chain(y_columns.iter().zip(y)).map(|(column, op)| (*column, *op))
}

/// Type of source `n`.
pub(super) fn source_type(row: &Row, n: u32) -> Option<Ty> {
    row.ops.iter().find_map(|o| match *o {
        Opd::S0(t) | Opd::V0(t) | Opd::R0(t) if n == 0 => Some(t),
        Opd::S1(t) | Opd::V1(t) | Opd::R1(t) if n == 1 => Some(t),
        Opd::S2(t) | Opd::V2(t) | Opd::R2(t) | Opd::C2(t) if n == 2 => Some(t),
        _ => None,
    })
}

pub(super) fn is_integer(ty: Ty) -> bool {
    use Ty::{I16, I16X2, I32, I64, U16, U16X2, U32, U64};
    matches!(ty, I16 | U16 | I32 | U32 | I64 | U64 | I16X2 | U16X2)
}

// DPP

pub(super) fn dpp_ctrl(inst: &Inst) -> Option<u32> {
    let Dpp::Dpp16 { ctrl, .. } = inst.mods.dpp else { return None };
    let gfx10 = inst.target.space() >= Space::Gfx10;
    let has_newbcast = inst.target.has(Feature::WideDpp);
    let wide = inst.row.ops.iter().any(|o| matches!(*o, Opd::D(t) | Opd::S0(t) | Opd::S1(t) if t.dwords(32) > 1));
    let exists = match ctrl {
        0x150..=0x15f => gfx10 || has_newbcast,
        _ if wide => false,
        0x000..=0x0ff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x140 | 0x141 => true,
        0x130 | 0x134 | 0x138 | 0x13c | 0x142 | 0x143 => !gfx10,
        0x160..=0x16f => gfx10,
        _ => false,
    };
    (!exists).then_some(ctrl.into())
}

pub(super) fn dpp_literal(inst: &Inst) -> Option<u32> {
    if inst.mods.dpp == Dpp::None {
        return None;
    }
    inst.ops().iter().find_map(|op| if let Operand::Literal(v) = *op { Some(v) } else { None })
}

pub(super) fn dpp_source_1(inst: &Inst) -> Option<u32> {
    let code = PACKED.src[1].get(&inst.words);
    let scalar = code < 256 && source_type(inst.row, 1).is_some();
    let refused = inst.target.space() == Space::Gfx11 && !inst.target.has(Feature::DppScalarSource1);
    (inst.mods.dpp != Dpp::None && scalar && refused).then_some(code)
}

// Source modifiers

/// The permlanes, whose controls are op_sel bits: LLVM before 17 sets every modifier of a source where it sets its control, and chips run that.
fn sets_all_modifiers(row: &Row) -> bool {
    row.flags.contains(Flags::OS01)
}

/// neg and abs bits without a meaning, by source.
pub(super) fn source_mods(inst: &Inst) -> [u32; 2] {
    let (row, words) = (inst.row, &inst.words);
    if sets_all_modifiers(row) {
        return [0, 0];
    }
    let (written, valued) = match inst.enc {
        Enc::VOP3 | Enc::VOP3SD => {
            let layout = &VOP3[inst.target.space() as usize];
            let abs = if inst.enc == Enc::VOP3SD { 0 } else { layout.abs.get(words) };
            // Interpolation has its attribute in field 0 and its source in field 1.
            let place = |bits: u32| if reads_attribute(row) { bits & 4 | bits << 1 & 2 | bits >> 1 & 1 } else { bits };
            let valued = Vop3Mods::of(row, inst.target.space(), inst.mods.dpp != Dpp::None).valued;
            ([layout.neg.get(words), abs].map(place), valued)
        }
        _ if matches!(inst.mods.dpp, Dpp::Dpp16 { .. }) => {
            let dword = [words[1], 0, 0, 0, 0];
            let pair = |f: &[Bits; 2]| f[0].get(&dword) | f[1].get(&dword) << 1;
            ([pair(&DPP.neg), pair(&DPP.abs)], (row.flags & Flags::M01).bits() as u32)
        }
        _ => return [0, 0],
    };
    let integers = (0..3).filter(|n| source_type(row, *n).is_some_and(is_integer)).fold(0, |bits, n| bits | 1 << n);
    written.map(|bits| bits & !(valued & !integers))
}

pub(super) fn op_sel(inst: &Inst) -> Option<u32> {
    let (row, space) = (inst.row, inst.target.space());
    let written = VOP3[space as usize].op_sel.get(&inst.words);
    let flags = row.flags;
    let meant = if sets_all_modifiers(row) {
        3 | 8
    } else if flags.contains(Flags::OS23) {
        12
    } else if flags.contains(Flags::BYTE) {
        Vop3Mods::of(row, space, inst.mods.dpp != Dpp::None).op_sel
    } else if flags.contains(Flags::OS) || space >= Space::Gfx11 {
        let class: u8 = if row.is_compare() && source_type(row, 1).is_some_and(Ty::is_16) { 2 } else { 0 };
        // Pairs of bytes go to a half of the destination.
        let bytes = flags.contains(Flags::OS) && half_bits(row) == 0;
        u32::from(half_bits(row) | class | if bytes { 8 } else { 0 })
    } else {
        0
    };
    some_bits(written & !meant)
}

/// Bits of sources with these types.
pub(super) fn sources_of(row: &Row, is_one: impl Fn(Ty) -> bool) -> u32 {
    (0..3).filter(|n| source_type(row, *n).is_some_and(&is_one)).fold(0, |bits, n| bits | 1 << n)
}

pub(super) fn packed_op_sel(inst: &Inst) -> Option<u32> {
    let row = inst.row;
    let meant = if row.flags.contains(Flags::MIX) {
        7
    } else if is_matrix(row) {
        4
    } else {
        sources_of(row, |t| matches!(t, Ty::I16X2 | Ty::U16X2 | Ty::F16X2 | Ty::BF16X2 | Ty::B32X2 | Ty::F32X2))
    };
    some_bits(u32::from(inst.mods.op_sel) & !meant)
}

/// neg_lo and neg_hi bits that mean something.
pub(super) fn packed_neg(inst: &Inst) -> [u32; 2] {
    let row = inst.row;
    let result = row.ops.first();
    if row.flags.contains(Flags::IU) {
        // Older instructions are signed or not by name.
        let signed = matches!(result, Some(Opd::D(Ty::I32 | Ty::AccI32))) && inst.target.space() >= Space::Gfx11;
        return [if signed { 3 } else { 0 }, 0];
    }
    if is_matrix(row) || row.flags.contains(Flags::NEG2) {
        return [7, 7];
    }
    let floats = sources_of(row, |t| matches!(t, Ty::F32 | Ty::F16X2 | Ty::BF16X2 | Ty::F32X2));
    [floats, floats]
}

// Operands

pub(super) fn source_code(inst: &Inst) -> Option<u32> {
    let space = ScalarSpace::of(inst.target);
    inst.ops().iter().find_map(|op| match *op {
        Operand::Special(special) => (!space.exists(special)).then_some(special.code()),
        Operand::Sgpr { n, .. } if Some(u32::from(n)) == space.null && !space.has_null => Some(n.into()),
        _ => None,
    })
}

pub(super) fn register_code(inst: &Inst) -> Option<u32> {
    let lane = matches!(inst.row.ops.first(), Some(Opd::SD(_)));
    columns(inst).find_map(|(column, op)| {
        let code = match op {
            Operand::Special(special) => special.code(),
            Operand::Sgpr { n, .. } => u32::from(n),
            _ => return None,
        };
        let vector = matches!(column, Opd::V0(_) | Opd::V1(_) | Opd::V2(_) | Opd::AV0(_) | Opd::AV1(_) | Opd::A0(_) | Opd::INDEX(_));
        let special = matches!(op, Operand::Special(_));
        // Lanes of a parameter in LDS can be read.
        let parameter = lane && op == Operand::Special(Special::LdsDirect);
        let scalar = matches!(column, Opd::SR0(_) | Opd::SD(_) | Opd::SS(_) | Opd::MD | Opd::M2);
        (vector && !parameter || scalar && special).then_some(code)
    })
}

// Immediates

/// The immediate of this kind.
pub(super) fn immediate(inst: &Inst, kind: Imm) -> Option<u32> {
    columns(inst).find_map(|(column, op)| match (column, op) {
        (Opd::K(k), Operand::Imm(v)) if k == kind => Some(v),
        _ => None,
    })
}

/// Names LLVM has none for: FLUSH_IB (write only) and IB_STS2.
pub(super) fn has_hwreg(target: Gfx, id: u32) -> bool {
    let unnamed = id == 14 && target.space() == Space::Gfx11 || id == 28 && target.space() >= Space::Gfx10;
    HwReg::of(target, id).is_some() || unnamed
}

pub(super) fn message(inst: &Inst) -> Option<u32> {
    let returned = columns(inst).find_map(|(column, op)| match (column, op) {
        (Opd::MSG, Operand::Imm(v)) => Some(v),
        _ => None,
    });
    let (v, returns) = match returned {
        Some(v) => (v, true),
        None => (immediate(inst, Imm::Sendmsg)?, false),
    };
    let target = inst.target;
    let exists = if target.space() >= Space::Gfx11 {
        names::message(target, v).is_some() && (v >= 128) == returns
    } else {
        let (id, op, stream) = (v & 15, v >> 4 & 7, v >> 8 & 3);
        let whole = v == id | op << 4 | stream << 8;
        let geometry = matches!(id, 2 | 3);
        let fits = match id {
            _ if geometry => op < 4 && (op != 0 || id == 3 && stream == 0),
            names::SYSMSG => stream == 0 && names::system_op(target, op).is_some(),
            _ => op == 0 && stream == 0,
        };
        names::message(target, id).is_some() && whole && fits
    };
    (!exists).then_some(v)
}

pub(super) fn delay(inst: &Inst) -> Option<u32> {
    let v = immediate(inst, Imm::DelayAlu)?;
    let (first, skip, second) = (v & 15, v >> 4 & 7, v >> 7 & 15);
    let known = names::DELAY_ID.len() as u32;
    let exists = first <= known && second <= known && skip <= names::DELAY_SKIP.len() as u32 && v >> 11 == 0;
    (!exists).then_some(v)
}

pub(super) fn export_target(inst: &Inst) -> Option<u32> {
    let Some(Operand::Imm(v)) = inst.ops().first().copied() else { return None };
    let space = inst.target.space();
    let exists = match v {
        0..=8 | 12..=15 => true,
        9 | 32..=63 => space < Space::Gfx11,
        16 | 20 => space >= Space::Gfx10,
        21 | 22 => space >= Space::Gfx11,
        _ => false,
    };
    (!exists).then_some(v)
}

// MemoryKind

pub(super) fn gds(inst: &Inst) -> Option<u32> {
    let set = DS[inst.target.space() as usize].gds.is_set(&inst.words);
    (set && inst.target.has(Feature::UnifiedVgprs) && !inst.row.flags.contains(Flags::GDS)).then_some(1)
}

pub(super) fn swizzle(inst: &Inst) -> Option<u32> {
    if !inst.row.flags.contains(Flags::SWIZZLE) {
        return None;
    }
    let v = inst.mods.offset as u32 & 0xffff;
    let rotates = inst.target.has(Feature::SwizzleRotates);
    let unused = match v {
        0..=0x7fff => 0,
        0xe000.. if rotates => 0x1fe0,
        0xc000..=0xdfff if rotates => 0x1800,
        _ => 0x7f00,
    };
    (v & unused != 0).then_some(v)
}

pub(super) fn agpr_bit(inst: &Inst) -> Option<u32> {
    let acc = if inst.enc == Enc::DS { DS[inst.target.space() as usize].acc } else { Flat::of(inst.target).acc };
    (!inst.target.has(Feature::UnifiedVgprs) && acc.is_set(&inst.words)).then_some(1)
}

pub(super) fn scc(inst: &Inst) -> Option<u32> {
    let target = inst.target;
    let cache = match inst.enc {
        Enc::SMEM => Smem::of(target).cache,
        Enc::MUBUF | Enc::MTBUF => buffer::layout(inst.enc, target.space()).cache,
        Enc::FLAT | Enc::GLOBAL | Enc::SCRATCH => Flat::of(target).cache,
        _ => image::layout(inst.enc, target.space()).cache,
    };
    (!target.has(Feature::UnifiedVgprs) && cache.scc.is_set(&inst.words)).then_some(1)
}

pub(super) fn temporal_hint(inst: &Inst) -> Option<u32> {
    let (th, scope) = (inst.mods.th, inst.mods.scope);
    (th != 0 && hint_name(hint_kind(inst.row), th, scope).is_none()).then_some(th.into())
}

pub(super) fn flat_offset(inst: &Inst) -> Option<u32> {
    let target = inst.target;
    let field = Flat::of(target).offset;
    let offset = field.get(&inst.words);
    let reserved = match target.space() {
        Space::Gfx12 => false,
        _ if !target.has(Feature::FlatOffset) => offset != 0,
        _ => offset > field.max() / 2,
    };
    (reserved && !inst.row.ops.is_empty()).then_some(offset)
}

pub(super) fn format(inst: &Inst) -> Option<u32> {
    let format = u32::from(inst.mods.format);
    let space = inst.target.space();
    let exists = match space {
        Space::Gfx6 => format & 15 != 15,
        Space::Gfx8 => format & 15 != 15 && format >> 4 != 6,
        Space::Gfx10 => format < names::FORMATS_GFX10.len() as u32,
        Space::Gfx11 | Space::Gfx12 => format < names::FORMATS.len() as u32,
    };
    (!exists).then_some(format)
}

pub(super) fn dmask(inst: &Inst) -> Option<u32> {
    let (flags, dmask) = (inst.row.flags, inst.mods.dmask);
    let exists = if flags.contains(Flags::BVH) {
        true
    } else if flags.contains(Flags::GATHER) {
        dmask.is_power_of_two()
    } else if flags.contains(Flags::ATOMIC) {
        // One element, or two of an instruction that compares; of one or two dwords each.
        let elements = if matches!(inst.row.ops.first(), Some(Opd::VDATA(Ty::B64))) { 2 } else { 1 };
        dmask == (1 << elements) - 1 || u32::from(dmask) == (1 << (2 * elements)) - 1
    } else {
        true
    };
    (!exists).then_some(dmask.into())
}

pub(super) fn dim(inst: &Inst) -> Option<u32> {
    if inst.target.space() < Space::Gfx10 || inst.row.flags.contains(Flags::BVH) {
        return None;
    }
    let multisampled = inst.mods.dim >= 6;
    let samples = inst.row.ops.contains(&Opd::SAMP);
    (multisampled && samples || !multisampled && matches!(inst.row.memory, Some(MemoryKind::Image { kind: Kind::MsaaLoad, .. })))
        .then_some(inst.mods.dim.into())
}
