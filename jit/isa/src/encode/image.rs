//! Encoding of the formats in `decode/image.rs`.

use super::{Code, EncodeError, Words, no_form};
use crate::decode::image::{bvh_mods, layout, spread_limit};
use crate::feature::Feature;
use crate::inst::{Enc, Inst, Operand};
use crate::row::{Flags, Opd};

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    let space = inst.target.space();
    if !inst.row.encs_on(inst.target).any(|enc| enc == inst.enc) {
        return Err(no_form(inst));
    }
    let f = layout(inst.enc, space);
    let m = if inst.row.flags.contains(Flags::BVH) { bvh_mods(f, inst.mods) } else { inst.mods };
    let mut w = Words::new(inst, f.len);
    w.words[0] = f.prefix;
    let number = w.number()?;
    w.set(f.op, number & f.op.max(), "opcode")?;
    w.set(f.op_7, number >> f.op.width, "opcode")?;
    let (r128, a16) = if inst.target.has(Feature::R128IsA16) { (m.a16, m.r128) } else { (m.r128, m.a16) };
    for (field, on, name) in [
        (f.da, m.da, "da"),
        (f.unorm, m.unorm, "unorm"),
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
    w.set_cache_policy(&f.cache)?;

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

#[cfg(test)]
mod tests {
    use crate::encode::encode;
    use crate::{Gfx, decode};
    use wavejit_random::Random;

    /// Buffer and image formats by the top six bits of the first dword.
    const FORMATS: [(u16, &[u32]); 6] = [
        (0x700, &[0x38, 0x3a, 0x3c]),
        (0x803, &[0x38, 0x3a, 0x3c]),
        (0x90a, &[0x38, 0x3a, 0x3c]),
        (0x1030, &[0x38, 0x3a, 0x3c]),
        (0x1100, &[0x38, 0x3a, 0x3c]),
        (0x1200, &[0x31, 0x34, 0x39]),
    ];

    #[test]
    fn what_was_decoded_encodes_and_decodes_alike() {
        let mut random = Random(1);
        for (target, tops) in FORMATS {
            let target = Gfx(target);
            let mut found = 0;
            for i in 0..120_000 {
                let mut words: [u32; 5] = std::array::from_fn(|_| random.u32());
                words[0] = words[0] & 0x03ff_ffff | tops[i % tops.len()] << 26;
                if i % 2 == 0 {
                    // gfx12 keeps much of the second dword clear.
                    words[1] &= 0x001f_feff;
                }
                let Ok(inst) = decode(&words, target, 64) else { continue };
                let code = encode(&inst).unwrap_or_else(|e| panic!("{target} {:08x?}: {e}", inst.dwords()));
                let again = decode(code.dwords(), target, 64).unwrap_or_else(|e| panic!("{target} {:08x?}: {e}", inst.dwords()));
                assert_eq!((again.row.id, again.enc, again.ops()), (inst.row.id, inst.enc, inst.ops()), "{target} {:08x?}", inst.dwords());
                assert_eq!(again.mods, inst.mods, "{target} {:08x?}", inst.dwords());
                found += 1;
            }
            assert!(found > 2000, "{target}: {found} instructions");
        }
    }
}
