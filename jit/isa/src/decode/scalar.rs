//! SOP1, SOP2, SOPC, SOPK and SOPP. RDNA3 ISA, chapter 15.1.

use super::{Decoder, LDS_DIRECT, LITERAL, Result1};
use crate::bits::Bits;
use crate::inst::{Enc, Operand};
use crate::row::Opd;
use crate::target::Space;

/// Fields of the SOP formats, which are alike in every family.
pub(crate) struct Sop {
    pub ssrc0: Bits,
    pub ssrc1: Bits,
    pub sdst: Bits,
    pub simm16: Bits,
}

pub(crate) static SOP: Sop = Sop { ssrc0: Bits::at(7, 0), ssrc1: Bits::at(15, 8), sdst: Bits::at(22, 16), simm16: Bits::at(15, 0) };

impl Sop {
    /// Fixed bits of a format and its opcode field.
    pub(crate) fn opcode(&self, enc: Enc) -> (u32, Bits) {
        match enc {
            Enc::SOP1 => (0x17d << 23, Bits::at(15, 8)),
            Enc::SOPC => (0x17e << 23, Bits::at(22, 16)),
            Enc::SOPP => (0x17f << 23, Bits::at(22, 16)),
            Enc::SOPK => (0b1011 << 28, Bits::at(27, 23)),
            _ => (0b10 << 30, Bits::at(29, 23)),
        }
    }
}

impl Decoder<'_> {
    pub(super) fn sop(&mut self, enc: Enc) -> Result1<()> {
        let row = self.row(enc, SOP.opcode(enc).1.get(&self.first()))?;
        self.start(row, enc, 1)?.sop_fields()
    }
}

impl Decoder<'_> {
    fn sop_fields(&mut self) -> Result1<()> {
        let words = self.inst.words;
        let (ssrc0, ssrc1, sdst) = (SOP.ssrc0.get(&words), SOP.ssrc1.get(&words), SOP.sdst.get(&words));
        let simm16 = SOP.simm16.get(&words);
        if self.inst.enc == Enc::SOPP && self.inst.row.ops.is_empty() {
            self.zero(simm16)?;
        }
        for &opd in self.inst.row.ops {
            let op = match opd {
                // Only LLVM's disassembler, which gfx6 and gfx7 lack, takes other codes for a pair of registers.
                Opd::SR0(ty) if self.space == Space::Gfx6 && ty.is_64() => self.sreg(ssrc0, self.width(ty))?,
                Opd::SR0(ty) => self.sreg_8(ssrc0, ty)?,
                Opd::S0(_) if ssrc0 == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                Opd::S1(_) if ssrc1 == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                // No literal stands here. LLVM's assembler knows, its disassembler of gfx8 and gfx9 does not.
                Opd::R0(_) | Opd::R1(_) if self.space == Space::Gfx6 && (ssrc0 == LITERAL || ssrc1 == LITERAL) => {
                    return Err(self.bad(LITERAL));
                }
                Opd::SD(ty) | Opd::SS(ty) => self.sreg(sdst, self.width(ty))?,
                Opd::S0(ty) | Opd::R0(ty) => self.ssrc(ssrc0, ty)?,
                Opd::S1(ty) | Opd::R1(ty) => self.ssrc(ssrc1, ty)?,
                Opd::LIT(_) => Operand::Literal(self.literal()?),
                Opd::K(_) => Operand::Imm(simm16),
                Opd::MSG => Operand::Imm(ssrc0),
                Opd::IDX => Operand::Imm(ssrc1),
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(())
    }
}
