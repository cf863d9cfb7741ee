//! Encoding of DS, FLAT, GLOBAL and SCRATCH: the layouts are those of `decode/ds.rs` and `decode/flat.rs`.

use super::{Code, EncodeError, Words};
use crate::bits::Bits;
use crate::decode::ds::DS;
use crate::decode::flat::{Flat, has_signed_offset};
use crate::feature::Feature;
use crate::inst::{Enc, Inst, Operand};
use crate::row::{Flags, Opd};

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    if inst.enc == Enc::DS { ds(inst) } else { flat(inst) }
}

impl Words<'_> {
    /// A data register. The AGPR bit speaks of all data registers of the instruction, so they have to agree; `is_first` starts it.
    fn memory_data(&mut self, field: Bits, acc: Bits, op: &Operand, is_first: bool) -> Result<(), EncodeError> {
        let n = self.vgpr(op)?;
        self.set(field, n, "register")?;
        let agpr = matches!(op, Operand::Agpr { .. });
        if agpr && !self.inst.target.has(Feature::UnifiedVgprs) || !is_first && agpr != acc.is_set(&self.words) {
            return Err(self.bad_operand(op, ""));
        }
        if is_first { self.set(acc, u32::from(agpr), "AGPR") } else { Ok(()) }
    }
}

fn ds(inst: &Inst) -> Result<Code, EncodeError> {
    let mut w = Words::new(inst, 2);
    let layout = &DS[inst.target.space() as usize];
    let (row, m) = (inst.row, &inst.mods);
    w.words[0] = 0x36 << 26;
    let number = w.number()?;
    w.set(layout.op, number, "opcode")?;
    if m.gds && (row.flags.contains(Flags::NOGDS) || !inst.target.has(Feature::Gds)) || !m.gds && row.flags.contains(Flags::GDS) {
        return Err(w.bad("gds"));
    }
    w.set(layout.gds, u32::from(m.gds), "gds")?;
    if row.flags.contains(Flags::TWO) {
        w.set(layout.offset0, m.offset as u32, "offset0")?;
        w.set(layout.offset1, m.offset1 as u32, "offset1")?;
    } else {
        w.set(layout.offset, m.offset as u32, "offset")?;
    }
    let mut is_first = true;
    for (opd, op) in row.ops.iter().zip(inst.ops()) {
        let Some(field) = layout.register(*opd) else { return Err(w.bad_operand(op, "")) };
        if layout.is_data(row, *opd) {
            w.memory_data(field, layout.acc, op, is_first)?;
            is_first = false;
        } else {
            let n = w.vgpr(op)?;
            w.set(field, n, "address")?;
        }
    }
    Ok(w.finish())
}

fn flat(inst: &Inst) -> Result<Code, EncodeError> {
    let layout = Flat::of(inst.target);
    let mut w = Words::new(inst, layout.dwords);
    let (row, m) = (inst.row, &inst.mods);
    w.words[0] = layout.prefix << 26;
    let number = w.number()?;
    w.set(layout.op, number, "opcode")?;
    let segment = match inst.enc {
        Enc::FLAT => 0,
        Enc::SCRATCH => 1,
        _ => 2,
    };
    w.set(layout.segment, segment, "segment")?;
    if has_signed_offset(inst.enc, inst.target) {
        w.set_signed(layout.offset, m.offset, "offset")?;
    } else {
        w.set(layout.offset, m.offset as u32, "offset")?;
    }
    w.set(layout.lds, u32::from(m.lds), "lds")?;
    w.set_cache_policy(&layout.cache)?;
    let returns = m.glc || m.th & 1 != 0;
    let columns = row.ops.iter().filter(|o| !(matches!(o, Opd::RD(_)) && !returns || matches!(o, Opd::D(_)) && m.lds));
    let mut is_first = true;
    let (mut has_vaddr, mut saddr) = (false, None);
    for (opd, op) in columns.zip(inst.ops()) {
        match opd {
            Opd::D(_) | Opd::RD(_) | Opd::DA(_) => {
                let field = if matches!(opd, Opd::DA(_)) { layout.data } else { layout.vdst };
                w.memory_data(field, layout.acc, op, is_first)?;
                is_first = false;
            }
            Opd::ADDR if *op != Operand::Off => {
                has_vaddr = true;
                let n = w.vgpr(op)?;
                w.set(layout.addr, n, "address")?;
            }
            Opd::SADDR if *op != Operand::Off => saddr = Some(w.sreg(op)?),
            Opd::ADDR | Opd::SADDR => {}
            _ => return Err(w.bad_operand(op, "")),
        }
    }
    let saddr = match (inst.enc, saddr) {
        (Enc::SCRATCH, _) if layout.has_sve() => {
            w.set(layout.sve, u32::from(has_vaddr), "vaddr")?;
            saddr.unwrap_or(layout.no_saddr)
        }
        (Enc::SCRATCH, Some(_)) if has_vaddr => return Err(w.bad("two addresses")),
        (Enc::SCRATCH, None) if !has_vaddr => layout.no_address.ok_or_else(|| w.bad("no address"))?,
        (Enc::FLAT, _) => layout.flat_saddr,
        (_, saddr) => saddr.unwrap_or(layout.no_saddr),
    };
    w.set(layout.saddr, saddr, "saddr")?;
    Ok(w.finish())
}
