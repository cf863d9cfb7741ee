//! EXP. RDNA3 ISA, chapter 15.12.

use super::{Decoder, Result1};
use crate::isa::inst::{Enc, Inst, Operand};

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
}
