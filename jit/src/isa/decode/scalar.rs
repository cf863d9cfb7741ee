//! SOP1, SOP2, SOPC, SOPK, SOPP and SMEM. RDNA3 ISA, chapters 15.1 and 15.2.

use super::{Build, Decoder, EXEC_LO, LDS_DIRECT, M0, NULL, Result1};
use crate::isa::inst::{Enc, Inst, Operand};
use crate::isa::row::Opd;

impl Decoder<'_> {
    pub(super) fn sop1(self) -> Result1<Inst> {
        let row = self.row(Enc::SOP1, (self.words[0] >> 8) & 0xff)?;
        self.start(row, Enc::SOP1, 1)?.sop()
    }

    pub(super) fn sop2(self) -> Result1<Inst> {
        let row = self.row(Enc::SOP2, (self.words[0] >> 23) & 0x7f)?;
        self.start(row, Enc::SOP2, 1)?.sop()
    }

    pub(super) fn sopc(self) -> Result1<Inst> {
        let row = self.row(Enc::SOPC, (self.words[0] >> 16) & 0x7f)?;
        self.start(row, Enc::SOPC, 1)?.sop()
    }

    pub(super) fn sopk(self) -> Result1<Inst> {
        let row = self.row(Enc::SOPK, (self.words[0] >> 23) & 0x1f)?;
        self.start(row, Enc::SOPK, 1)?.sop()
    }

    pub(super) fn sopp(self) -> Result1<Inst> {
        let row = self.row(Enc::SOPP, (self.words[0] >> 16) & 0x7f)?;
        self.start(row, Enc::SOPP, 1)?.sop()
    }

    pub(super) fn smem(self) -> Result1<Inst> {
        let row = self.row(Enc::SMEM, (self.words[0] >> 18) & 0xff)?;
        self.start(row, Enc::SMEM, 2)?.smem()
    }
}

impl Build<'_> {
    /// All SOP formats: ssrc0 bits 7:0, ssrc1 bits 15:8, sdst bits 22:16, simm16 bits 15:0.
    fn sop(mut self) -> Result1<Inst> {
        let w = self.inst.words[0];
        if self.inst.enc == Enc::SOPP && self.inst.row.ops.is_empty() {
            self.zero(w & 0xffff)?;
        }
        for &opd in self.inst.row.ops {
            let op = match opd {
                Opd::SR0(ty) => self.sreg_8(w & 0xff, ty)?,
                Opd::S0(_) if w & 0xff == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                Opd::S1(_) if (w >> 8) & 0xff == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                Opd::SD(ty) | Opd::SS(ty) => self.sreg((w >> 16) & 0x7f, self.width(ty))?,
                Opd::S0(ty) => self.ssrc(w & 0xff, ty)?,
                Opd::S1(ty) => self.ssrc((w >> 8) & 0xff, ty)?,
                Opd::LIT(_) => Operand::Literal(self.literal()?),
                Opd::K(_) => Operand::Imm(w & 0xffff),
                Opd::MSG => Operand::Imm(w & 0xff),
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
                Opd::SD(_) if matches!((w >> 6) & 0x7f, M0 | EXEC_LO | 127) => return Err(self.bad((w >> 6) & 0x7f)),
                Opd::SD(ty) => self.sreg((w >> 6) & 0x7f, self.width(ty))?,
                Opd::SIMM => Operand::Imm((w >> 6) & 0x7f),
                Opd::SBASE(ty) => self.sreg((w & 0x3f) << 1, self.width(ty))?,
                Opd::SOFF => {
                    let offset = ((hi << 11) as i32) >> 11;
                    match hi >> 25 {
                        // An immediate alone is the operand itself; beside a register it is the `offset:` modifier.
                        NULL if offset != 0 => Operand::Imm(offset as u32),
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
}
