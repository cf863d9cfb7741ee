//! MUBUF and MTBUF. RDNA3 ISA, chapter 15.9.

use super::{Build, Decoder, LDS_DIRECT, Result1};
use crate::isa::inst::{Enc, Inst, Operand};
use crate::isa::row::{Flags, Opd, Ty};

impl Decoder<'_> {
    pub(super) fn mubuf(self) -> Result1<Inst> {
        let row = self.row(Enc::MUBUF, (self.words[0] >> 18) & 0xff)?;
        self.start(row, Enc::MUBUF, 2)?.buffer()
    }

    pub(super) fn mtbuf(self) -> Result1<Inst> {
        let row = self.row(Enc::MTBUF, (self.words[0] >> 15) & 15)?;
        self.start(row, Enc::MTBUF, 2)?.buffer()
    }
}

impl Build<'_> {
    /// MUBUF and MTBUF: offset 11:0, slc 12, dlc 13, glc 14, MTBUF format 25:19; vaddr 7:0, vdata 15:8, srsrc 20:16 (in fours), tfe 21,
    /// offen 22, idxen 23, soffset 31:24 of the second dword.
    fn buffer(mut self) -> Result1<Inst> {
        let row = self.inst.row;
        let (lo, hi) = (self.inst.words[0], self.inst.words[1]);
        let mods = &mut self.inst.mods;
        mods.offset = (lo & 0xfff) as i32;
        mods.slc = (lo >> 12) & 1 != 0;
        mods.dlc = (lo >> 13) & 1 != 0;
        mods.glc = (lo >> 14) & 1 != 0;
        mods.tfe = (hi >> 21) & 1 != 0;
        mods.offen = (hi >> 22) & 1 != 0;
        mods.idxen = (hi >> 23) & 1 != 0;
        if self.inst.enc == Enc::MTBUF {
            mods.format = (lo >> 19) as u8 & 0x7f;
        }
        let (tfe, both) = (mods.tfe, mods.offen && mods.idxen);
        let address = mods.offen || mods.idxen;
        if row.ops.is_empty() {
            self.zero((lo >> 13) & 3)?;
            self.zero((hi >> 21) & 7)?;
            self.inst.mods = Default::default();
        }
        if tfe && row.flags.contains(Flags::NOTFE) {
            return self.reserved();
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::VDATA(ty) => self.vgpr((hi >> 8) & 0xff, self.width(ty) + u8::from(tfe))?,
                Opd::VADDR if !address => Operand::Off,
                Opd::VADDR => self.vgpr(hi & 0xff, 1 + u8::from(both))?,
                Opd::RSRC(ty) => self.sreg(((hi >> 16) & 0x1f) << 2, self.width(ty))?,
                Opd::SOFFSET if hi >> 24 == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                Opd::SOFFSET => self.ssrc(hi >> 24, Ty::B32)?,
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(self.inst)
    }
}
