//! Encoding of the formats in `decode/image.rs`.

use super::{Code, EncodeError, Words};
use crate::isa::decode::image::{layout, r128_is_a16, spread_limit};
use crate::isa::inst::{Enc, Inst, Operand};
use crate::isa::row::Opd;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    let space = inst.target.space();
    let f = layout(inst.enc, space);
    let m = &inst.mods;
    let mut w = Words::new(inst, f.len);
    w.words[0] = f.prefix;
    let number = w.number()?;
    w.set(f.op, number & f.op.max(), "opcode")?;
    w.set(f.op_7, number >> f.op.width, "opcode")?;
    let (r128, a16) = if r128_is_a16(inst.target) { (m.a16, m.r128) } else { (m.r128, m.a16) };
    for (field, on, name) in [
        (f.da, m.da, "da"),
        (f.unorm, m.unorm, "unorm"),
        (f.glc, m.glc, "glc"),
        (f.slc, m.slc, "slc"),
        (f.dlc, m.dlc, "dlc"),
        (f.scc, m.scc, "scc"),
        (f.r128, r128, "r128"),
        (f.a16, a16, "a16"),
        (f.d16, m.d16, "d16"),
        (f.tfe, m.tfe, "tfe"),
        (f.lwe, m.lwe, "lwe"),
    ] {
        w.set(field, u32::from(on), name)?;
    }
    w.set(f.dim, m.dim.into(), "dim")?;
    w.set(f.dmask, m.dmask.into(), "dmask")?;
    w.set(f.th, m.th.into(), "th")?;
    w.set(f.scope, m.scope.into(), "scope")?;

    // Data, addresses, then one operand for each further column.
    let ops = inst.ops();
    let tail = inst.row.ops.len() - 2;
    if ops.len() < tail + 2 {
        return Err(w.bad("an instruction with too few operands"));
    }
    let (addresses, tail) = ops[1..].split_at(ops.len() - 1 - tail);
    let data = w.vgpr(&ops[0])?;
    w.set(f.vdata, data, "data")?;
    w.set_agpr(f.tfe, &ops[0])?;
    w.set_addresses(addresses)?;
    for (opd, op) in inst.row.ops[2..].iter().zip(tail) {
        let field = if *opd == Opd::SAMP { f.ssamp } else { f.srsrc };
        w.set_descriptor(field, op)?;
    }
    Ok(w.finish())
}

impl Words<'_> {
    /// The first address in its field, the others in theirs on gfx12, in further dwords before.
    fn set_addresses(&mut self, addresses: &[Operand]) -> Result<(), EncodeError> {
        let enc = self.inst.enc;
        let space = self.inst.target.space();
        let f = layout(enc, space);
        if addresses.len() > usize::from(spread_limit(enc, space)) {
            return Err(self.bad(format_args!("{} addresses", addresses.len())));
        }
        let further = if enc == Enc::MIMG { (addresses.len() - 1).div_ceil(4) } else { 0 };
        self.set(f.nsa, further as u32, "number of addresses")?;
        self.len += further as u8;
        for (i, op) in addresses.iter().enumerate() {
            let n = self.vgpr(op)?;
            if i == 0 || enc != Enc::MIMG {
                self.set(f.vaddr[i], n, "address")?;
            } else {
                self.words[2 + (i - 1) / 4] |= n << (8 * ((i - 1) % 4));
            }
        }
        Ok(())
    }
}
