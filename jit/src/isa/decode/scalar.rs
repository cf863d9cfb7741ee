//! SOP1, SOP2, SOPC, SOPK, SOPP and SMEM. RDNA3 ISA, chapters 15.1 and 15.2.

use super::{Build, Decoder, LDS_DIRECT, Result1};
use crate::isa::bits::{Bits, MAX_DWORDS};
use crate::isa::inst::{Enc, Inst, Operand};
use crate::isa::row::{Opd, Ty};
use crate::isa::scalars::EXEC_LO;

/// Fields of the SOP formats, which are alike in every family.
pub(in crate::isa) struct Sop {
    pub ssrc0: Bits,
    pub ssrc1: Bits,
    pub sdst: Bits,
    pub simm16: Bits,
}

pub(in crate::isa) static SOP: Sop = Sop { ssrc0: Bits::at(7, 0), ssrc1: Bits::at(15, 8), sdst: Bits::at(22, 16), simm16: Bits::at(15, 0) };

impl Sop {
    /// Fixed bits of a format and its opcode field.
    pub fn opcode(&self, enc: Enc) -> (u32, Bits) {
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
    pub(super) fn sop(self, enc: Enc) -> Result1<Inst> {
        let mut words = [0; MAX_DWORDS];
        words[0] = self.words[0];
        let row = self.row(enc, SOP.opcode(enc).1.get(&words))?;
        self.start(row, enc, 1)?.sop()
    }

    pub(super) fn smrd(self) -> Result1<Inst> {
        let row = self.row(Enc::SMEM, (self.words[0] >> 22) & 0x1f)?;
        self.start(row, Enc::SMEM, 1)?.reserved()
    }

    pub(super) fn smem(self) -> Result1<Inst> {
        let row = self.row(Enc::SMEM, (self.words[0] >> 18) & 0xff)?;
        self.start(row, Enc::SMEM, 2)?.smem()
    }
}

impl Build<'_> {
    fn sop(mut self) -> Result1<Inst> {
        let words = self.inst.words;
        let (ssrc0, ssrc1, sdst) = (SOP.ssrc0.get(&words), SOP.ssrc1.get(&words), SOP.sdst.get(&words));
        let simm16 = SOP.simm16.get(&words);
        if self.inst.enc == Enc::SOPP && self.inst.row.ops.is_empty() {
            self.zero(simm16)?;
        }
        for &opd in self.inst.row.ops {
            let op = match opd {
                Opd::SR0(ty) => self.sreg_8(ssrc0, ty)?,
                Opd::S0(_) if ssrc0 == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                Opd::S1(_) if ssrc1 == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                Opd::SD(ty) | Opd::SS(ty) => self.sreg(sdst, self.width(ty))?,
                Opd::S0(ty) => self.ssrc(ssrc0, ty)?,
                Opd::S1(ty) => self.ssrc(ssrc1, ty)?,
                Opd::LIT(_) => Operand::Literal(self.literal()?),
                Opd::K(_) => Operand::Imm(simm16),
                Opd::MSG => Operand::Imm(ssrc0),
                Opd::IDX => Operand::Imm(ssrc1),
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(self.inst)
    }

    /// SMEM: sbase bits 5:0 (in pairs), sdata bits 12:6, dlc 13, glc 14; second dword: 21-bit signed offset, soffset bits 31:25.
    fn smem(mut self) -> Result1<Inst> {
        let (w, hi) = (self.inst.words[0], self.inst.words[1]);
        let dlc = (w >> 13) & 1;
        let glc = (w >> 14) & 1;
        let loads = matches!(self.inst.row.ops.first(), Some(Opd::SD(_)));
        if !loads {
            self.zero(dlc | glc)?;
        }
        self.inst.mods.dlc = dlc != 0;
        self.inst.mods.glc = glc != 0;
        for &opd in self.inst.row.ops {
            let op = match opd {
                // Loads cannot write M0 or EXEC.
                Opd::SD(ty) => self.loaded((w >> 6) & 0x7f, ty)?,
                Opd::SIMM => Operand::Imm((w >> 6) & 0x7f),
                Opd::SBASE(ty) => self.sreg((w & 0x3f) << 1, self.width(ty))?,
                Opd::SOFF => {
                    let offset = ((hi << 11) as i32) >> 11;
                    match hi >> 25 {
                        // An immediate alone is the operand itself; beside a register it is the `offset:` modifier.
                        code if self.is_null(code) && offset != 0 => Operand::Imm(offset as u32),
                        code => {
                            self.inst.mods.offset = offset;
                            self.sreg(code, 1)?
                        }
                    }
                }
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(self.inst)
    }

    /// Destination of a scalar load: not M0, not EXEC.
    fn loaded(&self, code: u32, ty: Ty) -> Result1<Operand> {
        if code == self.d.scalars.m0 || code >= EXEC_LO { Err(self.bad(code)) } else { self.sreg(code, self.width(ty)) }
    }
}
