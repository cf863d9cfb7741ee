//! Encoding of SMEM; see `decode/smem.rs`.

use super::{Code, EncodeError, Words};
use crate::decode::smem::{Smem, has_policy};
use crate::feature::Feature;
use crate::inst::{Inst, Operand};
use crate::row::Opd;
use crate::target::Space;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    let f = Smem::of(inst.target);
    let mut w = Words::new(inst, f.dwords);
    w.words[0] = f.prefix;
    let number = w.number()?;
    w.set(f.opcode, number, "opcode")?;
    if has_policy(inst.row.ops) {
        w.set_cache_policy(&f.cache)?;
    }
    for (opd, op) in inst.row.ops.iter().zip(inst.ops()) {
        match (*opd, *op) {
            (Opd::SD(_) | Opd::SS(_), _) => {
                let code = w.sreg(op)?;
                w.set(f.sdata, code, "data")?;
            }
            (Opd::SIMM, Operand::Imm(v)) => w.set(f.sdata, v, "immediate")?,
            (Opd::SBASE(_), _) => {
                let code = w.sreg(op)?;
                w.set(f.sbase, code >> 1, "base")?;
            }
            (Opd::SOFF, _) => offset(&mut w, f, op)?,
            (Opd::SOFFI, Operand::Imm(v)) => w.set_signed(f.offset, v as i32, "offset")?,
            (Opd::SOFFR, _) => {
                let code = w.sreg(op)?;
                w.set(f.soffset, code, "offset register")?;
            }
            _ => return Err(w.bad_operand(op, "")),
        }
    }
    Ok(w.finish())
}

fn offset(w: &mut Words<'_>, f: &Smem, op: &Operand) -> Result<(), EncodeError> {
    let m = w.inst.mods;
    let (target, space) = (w.inst.target, w.inst.target.space());
    match *op {
        Operand::Imm(v) => {
            // gfx6 to gfx9 say that there is an immediate, later families that there is no register.
            w.set(f.imm, f.imm.max(), "offset")?;
            if let Some(null) = w.scalars.null.filter(|_| space >= Space::Gfx10) {
                w.set(f.soffset, null, "offset register")?;
            }
            if f.is_signed { w.set_signed(f.offset, v as i32, "offset") } else { w.set(f.offset, v, "offset") }
        }
        Operand::Literal(v) if target.has(Feature::SmemLiteralOffset) => {
            w.set(f.soffset, super::LITERAL, "offset")?;
            w.set_literal(v)
        }
        _ => {
            let code = w.sreg(op)?;
            let beside = m.has_offset && space < Space::Gfx10;
            w.set(if beside { f.soffset_beside } else { f.soffset }, code, "offset register")?;
            if m.has_offset {
                w.set(f.imm, f.imm.max(), "offset")?;
                w.set(f.soffset_en, f.soffset_en.max(), "offset")?;
                w.set_signed(f.offset, m.offset, "offset")?;
            }
            Ok(())
        }
    }
}
