//! DPP dwords: lanes read source 0 from other lanes. They follow VOP1 and VOP2 from gfx8, VOPC and VOP3 from gfx11. RDNA3 ISA, chapter 15.6.

use super::vector::VOP;
use super::vop::{DPP8_FI, DPP16};
use super::{Decoder, Result1};
use crate::bits::Bits;
use crate::feature::Feature;
use crate::inst::{Dpp, Enc};
use crate::row::{Flags, Opd, Row, Ty};
use crate::target::{Gfx, Space};

/// Fields of the DPP dwords, bit 0 the lowest of the dword.
pub(crate) struct DppDword {
    pub src0: Bits,
    /// DPP8: eight selects of three bits.
    pub sel: Bits,
    pub ctrl: Bits,
    /// From gfx10.
    pub fi: Bits,
    pub bound_ctrl: Bits,
    /// 32-bit formats: {abs, neg} of source 0 and of source 1.
    pub neg: [Bits; 2],
    pub abs: [Bits; 2],
    pub bank_mask: Bits,
    pub row_mask: Bits,
}

pub(crate) static DPP: DppDword = DppDword {
    src0: Bits::at(7, 0),
    sel: Bits::at(31, 8),
    ctrl: Bits::at(16, 8),
    fi: Bits::bit(18),
    bound_ctrl: Bits::bit(19),
    neg: [Bits::bit(20), Bits::bit(22)],
    abs: [Bits::bit(21), Bits::bit(23)],
    bank_mask: Bits::at(27, 24),
    row_mask: Bits::at(31, 28),
};

/// Is there a form with this announcing code?
pub(crate) fn has_dpp(row: &Row, enc: Enc, target: Gfx, code: u32) -> bool {
    let since = match enc {
        Enc::VOP1 | Enc::VOP2 if code == DPP16 => Space::Gfx8,
        Enc::VOP1 | Enc::VOP2 => Space::Gfx10,
        _ => Space::Gfx11,
    };
    // Two registers per lane move on gfx90a and gfx94x only.
    let wide = any_64(row) && !target.has(Feature::WideDpp);
    target.space() >= since && !row.flags.contains(Flags::NODPP) && !wide
}

fn any_64(row: &Row) -> bool {
    row.ops.iter().any(|o| match *o {
        Opd::D(t) | Opd::S0(t) | Opd::V0(t) | Opd::S1(t) | Opd::S2(t) | Opd::V2(t) => t.dwords(32) > 1,
        _ => false,
    })
}

/// Sources of a 32-bit format whose neg bit means nothing and prints as a sign extension.
pub(crate) fn dpp_sext(row: &Row) -> u32 {
    u32::from(row.flags.contains(Flags::HALF)) | if row.ops.contains(&Opd::S1(Ty::I16)) { 2 } else { 0 }
}

impl Decoder<'_> {
    /// Reads the DPP dword at `at`; gives the source 0 field it replaces. Source modifiers of DPP16 belong to 32-bit formats only.
    pub(super) fn dpp(&mut self, code: u32, at: usize, flags: Flags) -> Result1<u32> {
        let row = self.inst.row;
        if !has_dpp(row, self.inst.enc, self.target, code) {
            return Err(self.bad(code));
        }
        let words = [self.word(at)?, 0, 0, 0, 0];
        if code == DPP16 {
            self.inst.mods.dpp = Dpp::Dpp16 {
                ctrl: DPP.ctrl.get(&words) as u16,
                row_mask: DPP.row_mask.get(&words) as u8,
                bank_mask: DPP.bank_mask.get(&words) as u8,
                bound_ctrl: DPP.bound_ctrl.is_set(&words),
                fi: self.space >= Space::Gfx10 && DPP.fi.is_set(&words),
            };
            if at == 1 {
                let pair = |f: &[Bits; 2]| f[0].get(&words) | f[1].get(&words) << 1;
                let (neg, abs) = (pair(&DPP.neg), pair(&DPP.abs));
                let valued = (flags & Flags::M01).bits() as u32;
                let sext = dpp_sext(row) & (valued | 1);
                let ignored = if flags.contains(Flags::IGN01) { 3 } else { 0 };
                self.zero((neg | abs) & !(valued | sext | ignored))?;
                self.inst.mods.neg = (neg & valued & !sext) as u8;
                self.inst.mods.abs = (abs & valued & !sext) as u8;
                self.inst.mods.sext = (neg & sext) as u8;
            }
        } else {
            self.inst.mods.dpp = Dpp::Dpp8 { sel: DPP.sel.get(&words), fi: code == DPP8_FI };
        }
        // A literal would follow the DPP dword.
        self.base = at + 1;
        Ok(DPP.src0.get(&words) + 256)
    }

    /// DPP of a row without operands, up to gfx10.
    pub(super) fn nop_dpp(&mut self) -> Result1<()> {
        let code = VOP.src0.get(&self.inst.words);
        self.zero(VOP.vdst.get(&self.inst.words))?;
        if self.space >= Space::Gfx11 || !self.inst.row.flags.contains(Flags::BARE) {
            return self.reserved();
        }
        let src0 = self.dpp(code, 1, Flags::empty())?;
        self.zero(src0 - 256)?;
        Ok(())
    }
}
