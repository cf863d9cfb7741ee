//! DS, FLAT, GLOBAL, SCRATCH. RDNA3 ISA, chapters 15.8 and 15.10.

use super::{Build, Decoder, Result1};
use crate::isa::inst::{Enc, Inst, Operand};
use crate::isa::row::{Flags, Opd};

impl Decoder<'_> {
    pub(super) fn ds(self) -> Result1<Inst> {
        let row = self.row(Enc::DS, (self.words[0] >> 18) & 0xff)?;
        self.start(row, Enc::DS, 2)?.ds()
    }

    pub(super) fn flat(self) -> Result1<Inst> {
        let w = self.words[0];
        let enc = match (w >> 16) & 3 {
            0 => Enc::FLAT,
            1 => Enc::SCRATCH,
            2 => Enc::GLOBAL,
            _ => return Err(super::DecodeError::Format { word: w }),
        };
        let row = self.row(enc, (w >> 18) & 0x7f)?;
        self.start(row, enc, 2)?.flat()
    }
}

impl Build<'_> {
    /// DS: offset0 7:0, offset1 15:8, gds 17; addr 7:0, data0 15:8, data1 23:16, vdst 31:24 of the second dword.
    fn ds(mut self) -> Result1<Inst> {
        let row = self.inst.row;
        let (lo, hi) = (self.inst.words[0], self.inst.words[1]);
        let gds = (lo >> 17) & 1 != 0;
        if gds && row.flags.contains(Flags::NOGDS) || !gds && row.flags.contains(Flags::GDS) {
            return self.reserved();
        }
        self.inst.mods.gds = gds;
        if row.flags.contains(Flags::TWO) {
            self.inst.mods.offset = (lo & 0xff) as i32;
            self.inst.mods.offset1 = ((lo >> 8) & 0xff) as i32;
        } else {
            self.inst.mods.offset = (lo & 0xffff) as i32;
        }
        let mut unused = 0xffff_ffff;
        for &opd in row.ops {
            let (shift, count) = match opd {
                Opd::ADDR => (0, 1),
                Opd::DA(ty) => (8, self.width(ty)),
                Opd::DB(ty) => (16, self.width(ty)),
                Opd::D(ty) => (24, self.width(ty)),
                _ => return self.reserved(),
            };
            unused &= !(0xff << shift);
            let op = self.vgpr((hi >> shift) & 0xff, count)?;
            self.push(op);
        }
        self.zero(hi & unused)?;
        if row.ops.is_empty() && !gds {
            self.zero(lo & 0xffff)?;
        }
        Ok(self.inst)
    }

    /// FLAT: offset 12:0, dlc 13, glc 14, slc 15, seg 17:16; addr 7:0, data 15:8, saddr 22:16, sve 23, vdst 31:24 of the second dword.
    fn flat(mut self) -> Result1<Inst> {
        let row = self.inst.row;
        let enc = self.inst.enc;
        let (lo, hi) = (self.inst.words[0], self.inst.words[1]);
        let saddr = (hi >> 16) & 0x7f;
        let sve = (hi >> 23) & 1 != 0;
        let has_saddr = !self.is_null(saddr);
        if enc == Enc::FLAT && has_saddr || enc != Enc::SCRATCH && sve {
            return self.reserved();
        }
        let mods = &mut self.inst.mods;
        mods.dlc = (lo >> 13) & 1 != 0;
        mods.glc = (lo >> 14) & 1 != 0;
        mods.slc = (lo >> 15) & 1 != 0;
        mods.offset = ((lo << 19) as i32) >> 19;
        if enc == Enc::FLAT {
            mods.offset = (lo & 0x1fff) as i32;
        }
        let glc = mods.glc;
        for &opd in row.ops {
            let op = match opd {
                Opd::RD(_) if !glc => continue,
                Opd::D(ty) | Opd::RD(ty) => self.vgpr(hi >> 24, self.width(ty))?,
                Opd::ADDR if enc == Enc::SCRATCH && !sve => Operand::Off,
                Opd::ADDR => self.vgpr(hi & 0xff, if enc == Enc::SCRATCH || has_saddr { 1 } else { 2 })?,
                Opd::DA(ty) => self.vgpr((hi >> 8) & 0xff, self.width(ty))?,
                Opd::SADDR if !has_saddr => Operand::Off,
                Opd::SADDR if enc == Enc::SCRATCH && saddr == 127 => return Err(self.bad(saddr)),
                Opd::SADDR => self.sreg(saddr, if enc == Enc::SCRATCH { 1 } else { 2 })?,
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(self.inst)
    }
}
