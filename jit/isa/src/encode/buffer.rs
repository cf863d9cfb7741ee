//! Encoding of the formats in `decode/buffer.rs`.

use super::{Code, EncodeError, Words};
use crate::bits::Bits;
use crate::decode::buffer::{FORMAT_GFX12, layout};
use crate::feature::Feature;
use crate::inst::{Enc, Inst, Operand};
use crate::row::Opd;
use crate::target::Space;

/// Untyped instructions of gfx12 have the format field of typed ones; LLVM writes the default.
const DEFAULT_FORMAT: u32 = 1;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    let space = inst.target.space();
    let f = layout(inst.enc, space);
    let m = &inst.mods;
    let mut w = Words::new(inst, f.len);
    w.words[0] = f.prefix;
    let number = w.number()?;
    w.set(f.op, number & f.op.max(), "opcode")?;
    w.set(f.op_3, number >> f.op.width, "opcode")?;
    for (field, on, name) in [
        (f.offen, m.offen, "offen"),
        (f.idxen, m.idxen, "idxen"),
        (f.addr64, m.addr64, "addr64"),
        (f.lds, m.lds, "lds"),
        (f.tfe, m.tfe, "tfe"),
    ] {
        w.set(field, u32::from(on), name)?;
    }
    w.set_cache_policy(&f.cache)?;
    w.set(f.format, m.format.into(), "format")?;
    if space == Space::Gfx12 {
        w.set_signed(f.offset, m.offset, "offset")?;
        if inst.enc == Enc::MUBUF {
            w.set(FORMAT_GFX12, DEFAULT_FORMAT, "format")?;
        }
    } else {
        w.set(f.offset, m.offset as u32, "offset")?;
    }
    let mut ops = inst.ops().iter();
    for &opd in inst.row.ops {
        if m.lds && matches!(opd, Opd::VDATA(_)) {
            continue;
        }
        let op = ops.next().ok_or_else(|| w.bad("an instruction with too few operands"))?;
        match opd {
            Opd::VDATA(_) => {
                let n = w.vgpr(op)?;
                w.set(f.vdata, n, "data")?;
                w.set_agpr(f.tfe, op)?;
            }
            Opd::VADDR if *op == Operand::Off => {}
            Opd::VADDR => {
                let n = w.vgpr(op)?;
                w.set(f.vaddr, n, "address")?;
            }
            Opd::RSRC(_) => w.set_descriptor(f.srsrc, op)?,
            _ => {
                let code = w.ssrc(op)?;
                w.set(f.soffset, code, "offset register")?;
            }
        }
    }
    Ok(w.finish())
}

impl Words<'_> {
    /// The bit that says that data is in AGPRs, for processors that have it.
    pub(super) fn set_agpr(&mut self, field: Bits, op: &Operand) -> Result<(), EncodeError> {
        let agpr = matches!(op, Operand::Agpr { .. });
        if agpr && !self.inst.target.has(Feature::UnifiedVgprs) {
            return Err(self.bad_operand(op, ""));
        }
        self.set(field, u32::from(agpr), "AGPR")
    }

    /// A descriptor's first SGPR, in fours before gfx12.
    pub(super) fn set_descriptor(&mut self, field: Bits, op: &Operand) -> Result<(), EncodeError> {
        let code = self.ssrc(op)?;
        let fours = if field.width == 5 { 2 } else { 0 };
        self.set(field, code >> fours, "descriptor")
    }
}
