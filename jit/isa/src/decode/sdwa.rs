//! SDWA dwords: operands are bytes or words of registers. They follow VOP1, VOP2 and VOPC on gfx8 to gfx10. GCN3 ISA, chapter 13.3.6; RDNA
//! ISA, chapter 13.3.7.

use super::vector::VOP;
use super::{Decoder, LDS_DIRECT, LITERAL, Result1};
use crate::bits::Bits;
use crate::feature::Feature;
use crate::inst::{Enc, Operand, Sdwa};
use crate::row::{Flags, Opd, Row, Ty};
use crate::target::{Gfx, Space};

/// Fields of the SDWA dword, which is dword 1.
pub(crate) struct SdwaDword {
    /// Register numbers; source 1's is in dword 0.
    pub src0: Bits,
    pub dst_sel: Bits,
    pub dst_unused: Bits,
    pub clamp: Bits,
    /// From gfx9.
    pub omod: Bits,
    /// VOPC from gfx9: mask destination when `has_sdst`, else VCC.
    pub sdst: Bits,
    pub has_sdst: Bits,
    pub sel: [Bits; 2],
    pub sext: [Bits; 2],
    pub neg: [Bits; 2],
    pub abs: [Bits; 2],
    /// From gfx9: the source is scalar.
    pub scalar: [Bits; 2],
}

pub(crate) static SDWA_DWORD: SdwaDword = SdwaDword {
    src0: Bits::at(39, 32),
    dst_sel: Bits::at(42, 40),
    dst_unused: Bits::at(44, 43),
    clamp: Bits::bit(45),
    omod: Bits::at(47, 46),
    sdst: Bits::at(46, 40),
    has_sdst: Bits::bit(47),
    sel: [Bits::at(50, 48), Bits::at(58, 56)],
    sext: [Bits::bit(51), Bits::bit(59)],
    neg: [Bits::bit(52), Bits::bit(60)],
    abs: [Bits::bit(53), Bits::bit(61)],
    scalar: [Bits::bit(55), Bits::bit(63)],
};

/// Selects the whole register.
pub(crate) const SDWA_DWORD_SEL: u8 = 6;

/// Has the row an SDWA form? Not with 64-bit operands, and accumulating instructions only on gfx8.
pub(crate) fn has_sdwa(row: &Row, target: Gfx) -> bool {
    let wide = row.ops.iter().any(|o| match *o {
        Opd::D(t) => t.dwords(32) > 1 && !row.flags.contains(Flags::BYTES),
        Opd::S0(t) | Opd::V0(t) | Opd::S1(t) => t.dwords(32) > 1,
        _ => false,
    });
    let accumulates = row.flags.contains(Flags::ACC) && !target.has(Feature::SdwaMac);
    let operands = !row.ops.is_empty() || row.flags.contains(Flags::BARE);
    matches!(target.space(), Space::Gfx8 | Space::Gfx10) && !row.flags.contains(Flags::NODPP) && !wide && !accumulates && operands
}

/// neg and abs exist for float sources, sext for the others.
pub(crate) fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::F32)
}

/// Has the SDWA form omod?
pub(crate) fn has_omod(row: &Row, target: Gfx) -> bool {
    let float = matches!(row.ops.first(), Some(Opd::D(Ty::F16 | Ty::F32 | Ty::F16X2 | Ty::B64)));
    target.has(Feature::SdwaScalars) && row.flags.contains(Flags::OM) && float
}

impl Decoder<'_> {
    pub(super) fn sdwa(&mut self) -> Result1<()> {
        let l = &SDWA_DWORD;
        let row = self.inst.row;
        let words = self.inst.words;
        let gfx8 = !self.target.has(Feature::SdwaScalars);
        let vopc = self.inst.enc == Enc::VOPC;
        let mut sdwa = Sdwa { present: true, dst_sel: SDWA_DWORD_SEL, ..Default::default() };
        let source = |o: &&Opd| matches!(o, Opd::S0(_) | Opd::V0(_) | Opd::S1(_));
        let sources = row.ops.iter().filter(source).count();
        if row.ops.is_empty() {
            self.zero(VOP.vdst.get(&words) | l.src0.get(&words) | l.clamp.get(&words))?;
        }
        if !vopc {
            if row.flags.contains(Flags::BYTES) {
                self.zero(l.dst_sel.get(&words) ^ u32::from(SDWA_DWORD_SEL))?;
            } else if !row.ops.is_empty() {
                sdwa.dst_sel = l.dst_sel.get(&words) as u8;
                sdwa.dst_unused = l.dst_unused.get(&words) as u8;
            }
            let omod = l.omod.get(&words);
            if has_omod(row, self.target) {
                self.inst.mods.omod = omod as u8;
            } else if !gfx8 {
                self.zero(omod)?;
            }
        }
        if !vopc || gfx8 {
            self.inst.mods.clamp = l.clamp.is_set(&words);
        }
        let numbers = [l.src0.get(&words), VOP.src1.get(&words)];
        for i in sources..2 {
            self.zero(l.sel[i].get(&words) | l.sext[i].get(&words) | l.neg[i].get(&words) | l.abs[i].get(&words))?;
            if !gfx8 {
                self.zero(l.scalar[i].get(&words))?;
            }
        }
        if vopc && !gfx8 && !row.ops.contains(&Opd::MD) {
            self.zero(l.has_sdst.get(&words))?;
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::D(ty) => self.vgpr(VOP.vdst.get(&words), self.width(ty))?,
                Opd::MD if vopc && !gfx8 && l.has_sdst.is_set(&words) => self.sreg(l.sdst.get(&words), self.width(Ty::Mask))?,
                Opd::MD | Opd::M2 => self.vcc(),
                Opd::S0(ty) | Opd::V0(ty) | Opd::S1(ty) => {
                    let i = usize::from(matches!(opd, Opd::S1(_)));
                    sdwa.src_sel[i] = l.sel[i].get(&words) as u8;
                    let (neg, abs, sext) = (l.neg[i].get(&words), l.abs[i].get(&words), l.sext[i].get(&words));
                    self.zero(if is_float(ty) { sext } else { neg | abs })?;
                    let mods = &mut self.inst.mods;
                    mods.neg |= (neg << i) as u8;
                    mods.abs |= (abs << i) as u8;
                    mods.sext |= (sext << i) as u8;
                    if !gfx8 && l.scalar[i].is_set(&words) { self.sdwa_scalar(numbers[i], ty)? } else { self.vgpr(numbers[i], 1)? }
                }
                _ => return self.reserved(),
            };
            self.push(op);
        }
        // Values the selects do not have.
        self.zero(u32::from(sdwa.dst_sel == 7 || sdwa.src_sel.contains(&7)))?;
        self.inst.mods.sdwa = sdwa;
        Ok(())
    }

    /// A scalar source: no literal.
    fn sdwa_scalar(&mut self, code: u32, ty: Ty) -> Result1<Operand> {
        if code == LITERAL || code == LDS_DIRECT && ty == Ty::B64 { Err(self.bad(code)) } else { self.ssrc(code, ty) }
    }
}
