//! EXP, VINTRP and LDSDIR: what shaders exchange with fixed function hardware. RDNA3 ISA, chapters 15.6 and 15.9; GCN3 ISA, chapter 13.

use super::{Decoder, Result1};
use crate::isa::inst::{Enc, Inst, Operand};
use crate::isa::row::Opd;

impl Decoder<'_> {
    /// EXP: en 3:0, target 9:4, done 11, row_en 13; four VGPR fields in the second dword.
    pub(super) fn exp(self) -> Result1<Inst> {
        let row = self.row(Enc::EXP, 0)?;
        let mut b = self.start(row, Enc::EXP, 2)?;
        let (lo, hi) = (b.inst.words[0], b.inst.words[1]);
        b.inst.mods.en = lo as u8 & 15;
        b.inst.mods.done = (lo >> 11) & 1 != 0;
        b.inst.mods.row_en = (lo >> 13) & 1 != 0;
        b.push(Operand::Imm((lo >> 4) & 0x3f));
        for i in 0..4 {
            let on = (lo >> i) & 1 != 0;
            let op = if on { b.vgpr((hi >> (8 * i)) & 0xff, 1)? } else { Operand::Off };
            b.push(op);
        }
        Ok(b.inst)
    }

    pub(super) fn ldsdir(self) -> Result1<Inst> {
        let w = self.words[0];
        let row = self.row(Enc::LDSDIR, (w >> 20) & 0xf)?;
        let mut b = self.start(row, Enc::LDSDIR, 1)?;
        b.inst.mods.wait = (w >> 16) as u8 & 15;
        let dst = b.vgpr(w & 0xff, 1)?;
        b.push(dst);
        if row.ops.contains(&Opd::ATTR) {
            b.push(Operand::Imm((w >> 8) & 0xff));
        }
        Ok(b.inst)
    }

    pub(super) fn vintrp(self) -> Result1<Inst> {
        let row = self.row(Enc::VINTRP, (self.words[0] >> 16) & 3)?;
        self.start(row, Enc::VINTRP, 1)?.reserved()
    }
}
