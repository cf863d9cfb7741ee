//! Encoding of VOP3P, MAI, VINTERP and VOPD: the layouts are those of `decode/packed.rs` and `decode/dual.rs`.

use super::{Code, EncodeError, Words, no_form};
use crate::bits::Bits;
use crate::decode::dual::DUAL;
use crate::decode::packed::{MAI, PACKED, interp, packed_neg, packed_prefix};
use crate::decode::vector::source_count;
use crate::feature::Feature;
use crate::inst::{Enc, Inst, Operand};
use crate::row::{Flags, Opd, Row};
use crate::target::Space;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    match inst.enc {
        Enc::VOP3P => packed(inst),
        Enc::MAI => mai(inst),
        Enc::VINTERP => vinterp(inst),
        _ => dual(inst),
    }
}

/// Field of the source that an operand column names.
fn source_field(opd: Opd) -> Option<usize> {
    match opd {
        Opd::S0(_) | Opd::V0(_) | Opd::R0(_) | Opd::AV0(_) | Opd::A0(_) => Some(0),
        Opd::S1(_) | Opd::V1(_) | Opd::R1(_) | Opd::AV1(_) => Some(1),
        Opd::S2(_) | Opd::V2(_) | Opd::R2(_) | Opd::C2(_) | Opd::INDEX(_) => Some(2),
        _ => None,
    }
}

impl Words<'_> {
    /// vdst and the sources; `dpp` stands in source field 0 where there is one.
    fn operands(&mut self, vdst: Bits, src: &[Bits; 3], dpp: Option<u32>) -> Result<(), EncodeError> {
        let inst = self.inst;
        for (opd, op) in inst.row.ops.iter().zip(inst.ops()) {
            if let Some(i) = source_field(*opd) {
                let code = match dpp {
                    Some(code) if i == 0 => code,
                    _ => self.src(op)?,
                };
                self.set(src[i], code, "source")?;
            } else {
                let n = self.vgpr(op)?;
                self.set(vdst, n, "destination")?;
            }
        }
        Ok(())
    }
}

fn packed(inst: &Inst) -> Result<Code, EncodeError> {
    let mut w = Words::new(inst, 2);
    let (row, m) = (inst.row, &inst.mods);
    w.words[0] = packed_prefix(inst.target) << 23;
    let number = w.number()?;
    w.set(PACKED.op, number, "opcode")?;
    let dpp = w.dpp(2)?;
    w.operands(PACKED.vdst, &PACKED.src, dpp)?;
    let (neg_lo, neg_hi) = (u32::from(m.neg), u32::from(if row.flags.contains(Flags::MIX) { m.abs } else { m.neg_hi }));
    let (lo_allowed, hi_allowed) = packed_neg(row, inst.target);
    if neg_lo & !lo_allowed != 0 || neg_hi & !hi_allowed != 0 {
        return Err(w.bad("neg"));
    }
    if m.clamp && !row.flags.contains(Flags::CL) {
        return Err(w.bad("clamp"));
    }
    w.set(PACKED.neg_lo, neg_lo, "neg_lo")?;
    w.set(PACKED.neg_hi, neg_hi, "neg_hi")?;
    w.set(PACKED.op_sel, u32::from(m.op_sel | m.index_key), "op_sel")?;
    // Where op_sel_hi cannot be chosen its bits are set, and so are those of sources that are not there.
    let all = 7;
    let sel_hi = if row.flags.contains(Flags::PK) { u32::from(m.op_sel_hi) | all << source_count(row) & all } else { all };
    w.set(PACKED.op_sel_hi, sel_hi & 3, "op_sel_hi")?;
    w.set(PACKED.op_sel_hi2, sel_hi >> 2, "op_sel_hi")?;
    w.set(PACKED.clamp, u32::from(m.clamp), "clamp")?;
    Ok(w.finish())
}

fn mai(inst: &Inst) -> Result<Code, EncodeError> {
    let mut w = Words::new(inst, 2);
    let (row, m) = (inst.row, &inst.mods);
    w.words[0] = packed_prefix(inst.target) << 23;
    let number = w.number()?;
    w.set(MAI.op, number, "opcode")?;
    w.operands(MAI.vdst, &MAI.src, None)?;
    w.set(MAI.cbsz, u32::from(m.cbsz), "cbsz")?;
    w.set(MAI.abid, u32::from(m.abid), "abid")?;
    w.set(MAI.blgp, u32::from(m.blgp), "blgp")?;
    let agpr = |op: &Operand| matches!(op, Operand::Agpr { .. });
    let acc_cd = inst.ops().first().is_some_and(agpr);
    for (opd, op) in row.ops.iter().zip(inst.ops()) {
        let fits = match opd {
            Opd::D(_) if row.ops.len() == 2 => !agpr(op),
            Opd::D(_) if inst.target.has(Feature::MatrixResultsInAgprs) => agpr(op),
            Opd::D(_) => true,
            Opd::AV0(_) | Opd::AV1(_) => {
                let field = MAI.acc[usize::from(matches!(opd, Opd::AV1(_)))];
                w.set(field, u32::from(agpr(op)), "AGPR")?;
                true
            }
            Opd::AD(_) | Opd::A0(_) => !matches!(op, Operand::Vgpr { .. }),
            Opd::C2(_) => agpr(op) == acc_cd || !matches!(op, Operand::Agpr { .. } | Operand::Vgpr { .. }),
            _ => !agpr(op),
        };
        if !fits {
            return Err(w.bad_operand(op, ""));
        }
    }
    if row.ops.len() == 2 {
        // What would be op_sel_hi means nothing and stands at its default.
        w.set(MAI.abid, 8, "op_sel_hi")?;
        w.set(MAI.acc[0], 1, "op_sel_hi")?;
        w.set(MAI.acc[1], 1, "op_sel_hi")?;
    } else if !inst.target.has(Feature::MatrixResultsInAgprs) {
        w.set(MAI.acc_cd, u32::from(acc_cd), "AGPR")?;
    }
    Ok(w.finish())
}

fn vinterp(inst: &Inst) -> Result<Code, EncodeError> {
    let mut w = Words::new(inst, 2);
    let (layout, m) = (interp(inst.target), &inst.mods);
    w.words[0] = 0xcd << 24;
    let number = w.number()?;
    w.set(layout.op, number, "opcode")?;
    w.operands(layout.vdst, &layout.src, None)?;
    w.set(layout.wait_exp, u32::from(m.wait), "wait_exp")?;
    w.set(layout.op_sel, u32::from(m.op_sel), "op_sel")?;
    w.set(layout.clamp, u32::from(m.clamp), "clamp")?;
    w.set(layout.neg, u32::from(m.neg), "neg")?;
    Ok(w.finish())
}

fn dual(inst: &Inst) -> Result<Code, EncodeError> {
    let Some(y) = inst.row_y else { return Err(no_form(inst)) };
    let mut w = Words::new(inst, 2);
    w.words[0] = 0x32 << 26;
    let (ops_x, ops_y) = inst.ops().split_at(usize::from(inst.y_start));
    let dst_x = dual_half(&mut w, 0, inst.row, ops_x)?;
    let dst_y = dual_half(&mut w, 1, y, ops_y)?;
    if inst.row.flags.contains(Flags::Y_ONLY) || (dst_x ^ dst_y) & 1 == 0 {
        return Err(w.bad("two destinations both even or both odd"));
    }
    Ok(w.finish())
}

/// One half; gives the number of its destination.
fn dual_half(w: &mut Words<'_>, i: usize, row: &Row, ops: &[Operand]) -> Result<u32, EncodeError> {
    let layout = &DUAL[i];
    let space: Space = w.inst.target.space();
    let number = row.number(space).filter(|_| row.exists_on(w.inst.target)).ok_or_else(|| no_form(w.inst))?;
    w.set(layout.op, u32::from(number), "opcode")?;
    let mut dst = 0;
    for (opd, op) in row.ops.iter().zip(ops) {
        match (opd, op) {
            (Opd::D(_), _) => {
                dst = w.vgpr(op)?;
                w.set(layout.vdst, dst >> i, "destination")?;
            }
            (Opd::S0(_), _) => {
                let code = w.src(op)?;
                w.set(layout.src0, code, "source 0")?;
            }
            (Opd::S1(_), _) => {
                let n = w.vgpr(op)?;
                w.set(layout.vsrc1, n, "source 1")?;
            }
            (Opd::LIT(_), Operand::Literal(v)) => w.set_literal(*v)?,
            _ => return Err(w.bad_operand(op, "")),
        }
    }
    Ok(dst)
}
