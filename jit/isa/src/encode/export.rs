//! Encoding of the formats in `decode/export.rs`.

use super::{Code, EncodeError, Words};
use crate::decode::export::{EXP, Ldsdir, VINTRP, vintrp_prefix};
use crate::inst::{Enc, Inst, Operand};
use crate::row::Opd;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    match inst.enc {
        Enc::EXP => exp(inst),
        Enc::VINTRP => vintrp(inst),
        _ => ldsdir(inst),
    }
}

fn exp(inst: &Inst) -> Result<Code, EncodeError> {
    let f = &EXP[inst.target.space() as usize];
    let mut w = Words::new(inst, 2);
    w.words[0] = f.prefix;
    w.number()?;
    let m = &inst.mods;
    w.set(f.done, u32::from(m.done), "done")?;
    w.set(f.row_en, u32::from(m.row_en), "row_en")?;
    w.set(f.compr, u32::from(m.compr), "compr")?;
    w.set(f.vm, u32::from(m.vm), "vm")?;
    let [Operand::Imm(target), sources @ ..] = inst.ops() else { return Err(w.bad("target")) };
    w.set(f.target, *target, "target")?;
    let mut en = 0;
    let mut last = None;
    for (i, op) in sources.iter().enumerate().filter(|(_, op)| **op != Operand::Off) {
        en |= 1 << i;
        let register = w.vgpr(op)?;
        match last.replace((i / 2, register)) {
            // The second half of compressed data is in the same register.
            Some((pair, first)) if m.compr && pair == i / 2 => {
                if first != register {
                    return Err(w.bad_operand(op, &format!(" beside v{first}")));
                }
            }
            _ => w.set(f.src[if m.compr { i / 2 } else { i }], register, "source")?,
        }
    }
    w.set(f.en, en, "enable mask")?;
    Ok(w.finish())
}

fn vintrp(inst: &Inst) -> Result<Code, EncodeError> {
    let f = &VINTRP;
    let mut w = Words::new(inst, 1);
    w.words[0] = vintrp_prefix(inst.target.space());
    let number = w.number()?;
    w.set(f.opcode, number, "opcode")?;
    for (opd, op) in inst.row.ops.iter().zip(inst.ops()) {
        let (field, value) = match (opd, op) {
            (Opd::D(_), _) => (f.vdst, w.vgpr(op)?),
            (Opd::V0(_), _) => (f.vsrc, w.vgpr(op)?),
            (Opd::PARAM, Operand::Imm(v)) => (f.vsrc, *v),
            (Opd::ATTR, Operand::Imm(v)) => (f.attr, *v),
            _ => return Err(w.bad_operand(op, "")),
        };
        w.set(field, value, "operand")?;
    }
    Ok(w.finish())
}

fn ldsdir(inst: &Inst) -> Result<Code, EncodeError> {
    let f = Ldsdir::of(inst.target.space());
    let mut w = Words::new(inst, 1);
    w.words[0] = f.prefix;
    let number = w.number()?;
    w.set(f.opcode, number, "opcode")?;
    w.set(f.wait_vdst, u32::from(inst.mods.wait), "wait_vdst")?;
    w.set(f.wait_vm_vsrc, u32::from(inst.mods.wait_vm_vsrc), "wait_vm_vsrc")?;
    for (opd, op) in inst.row.ops.iter().zip(inst.ops()) {
        let (field, value) = match (opd, op) {
            (Opd::D(_), _) => (f.vdst, w.vgpr(op)?),
            (Opd::ATTR, Operand::Imm(v)) => (f.attr, *v),
            _ => return Err(w.bad_operand(op, "")),
        };
        w.set(field, value, "operand")?;
    }
    Ok(w.finish())
}
