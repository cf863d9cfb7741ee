//! VOP1, VOP2, VOPC, VOP3 and VOP3SD, with their DPP forms. RDNA3 ISA, chapters 15.3 to 15.7.

use super::{Build, Decoder, Result1};
use crate::isa::inst::{Dpp, Enc, Half, Inst, Operand};
use crate::isa::row::{Flags, Opd, Row, Ty};

pub(super) const DPP8: u32 = 233;
pub(super) const DPP8_FI: u32 = 234;
pub(super) const DPP16: u32 = 250;

/// Fields shared by every vector format, wherever they sit.
struct Fields {
    dst: u32,
    src: [u32; 3],
    sdst: u32,
}

impl Decoder<'_> {
    pub(super) fn vop1(self) -> Result1<Inst> {
        let w = self.words[0];
        let row = self.row(Enc::VOP1, (w >> 9) & 0xff)?;
        let b = self.start(row, Enc::VOP1, 1)?;
        if row.ops.is_empty() {
            b.zero((w >> 17) & 0xff)?;
            return Ok(b.inst);
        }
        b.vop_e32(Fields { dst: (w >> 17) & 0xff, src: [w & 0x1ff, 0, 0], sdst: 0 })
    }

    pub(super) fn vop2(self) -> Result1<Inst> {
        let w = self.words[0];
        let row = self.row(Enc::VOP2, w >> 25)?;
        self.start(row, Enc::VOP2, 1)?.vop_e32(Fields { dst: (w >> 17) & 0xff, src: [w & 0x1ff, ((w >> 9) & 0xff) + 256, 0], sdst: 0 })
    }

    pub(super) fn vopc(self) -> Result1<Inst> {
        let w = self.words[0];
        let row = self.row(Enc::VOPC, (w >> 17) & 0xff)?;
        self.start(row, Enc::VOPC, 1)?.vop_e32(Fields { dst: 0, src: [w & 0x1ff, ((w >> 9) & 0xff) + 256, 0], sdst: 0 })
    }

    pub(super) fn vop3(self) -> Result1<Inst> {
        let row = self.row(Enc::VOP3, (self.words[0] >> 16) & 0x3ff)?;
        let enc = if row.has(Enc::VOP3SD) { Enc::VOP3SD } else { Enc::VOP3 };
        self.start(row, enc, 2)?.vop3()
    }
}

/// Sources a row reads from numbered fields.
pub(in crate::isa) fn source_count(row: &Row) -> usize {
    let field = |o: &Opd| match o {
        Opd::S0(_) | Opd::V0(_) | Opd::R0(_) | Opd::AV0(_) | Opd::A0(_) => 1,
        Opd::S1(_) | Opd::V1(_) | Opd::R1(_) | Opd::AV1(_) => 2,
        Opd::S2(_) | Opd::V2(_) | Opd::R2(_) | Opd::C2(_) | Opd::INDEX(_) | Opd::M2 => 3,
        _ => 0,
    };
    row.ops.iter().map(field).max().unwrap_or(0)
}

fn any_64(row: &Row) -> bool {
    row.ops.iter().any(|o| match *o {
        Opd::D(t) | Opd::S0(t) | Opd::V0(t) | Opd::S1(t) | Opd::S2(t) | Opd::V2(t) => t.dwords(32) > 1,
        _ => false,
    })
}

impl Build<'_> {
    /// A VGPR of a 32-bit vector format. 16-bit operands there have seven bits of number and one that picks the half.
    fn vgpr_e32(&self, n: u32, ty: Ty) -> Result1<Operand> {
        if ty.is_16() {
            let half = if n & 0x80 != 0 { Half::Hi } else { Half::Whole };
            return Ok(Operand::Vgpr { n: (n & 0x7f) as u16, count: 1, half });
        }
        self.vgpr(n, self.width(ty))
    }

    /// The VCC operand of VOP2 and VOPC.
    fn vcc(&self) -> Operand {
        Operand::Sgpr { n: super::VCC_LO as u8, count: self.width(Ty::Mask) }
    }

    fn vop_e32(mut self, mut f: Fields) -> Result1<Inst> {
        let row = self.inst.row;
        if matches!(f.src[0], DPP8 | DPP8_FI | DPP16) {
            f.src[0] = self.dpp(f.src[0], 1, row.flags)?;
        }
        if row.is_compare() && matches!(row.ops[0], Opd::MD) {
            let vcc = self.vcc();
            self.push(vcc);
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::D(ty) => self.vgpr_e32(f.dst, ty)?,
                Opd::SD(ty) => self.sreg_8(f.dst, ty)?,
                Opd::MD if row.is_compare() => continue,
                Opd::MD | Opd::M2 => self.vcc(),
                Opd::S0(ty) if f.src[0] >= 256 => self.vgpr_e32(f.src[0] - 256, ty)?,
                Opd::S0(ty) => self.ssrc(f.src[0], ty)?,
                Opd::V0(ty) if f.src[0] >= 256 => self.vgpr_e32(f.src[0] - 256, ty)?,
                Opd::S1(ty) => self.vgpr_e32(f.src[1] - 256, ty)?,
                Opd::LIT(_) => Operand::Literal(self.literal()?),
                // v_readfirstlane_b32 reads LDS parameters too.
                Opd::V0(_) if f.src[0] == super::LDS_DIRECT && row.ops[0] == Opd::SD(Ty::B32) => Operand::Special(254),
                Opd::V0(_) => self.special(f.src[0])?,
                _ => return Err(self.bad(f.src[0])),
            };
            self.push(op);
        }
        Ok(self.inst)
    }

    /// Scalar register in an eight-bit field.
    pub(super) fn sreg_8(&self, code: u32, ty: Ty) -> Result1<Operand> {
        match code {
            0..=127 => self.sreg(code, self.width(ty)),
            code => self.special(code),
        }
    }

    /// Reads the DPP dword at `at`; gives the source 0 field it replaces. Source modifiers of DPP16 belong to 32-bit formats only.
    pub(super) fn dpp(&mut self, code: u32, at: usize, flags: Flags) -> Result1<u32> {
        if flags.contains(Flags::NODPP) || any_64(self.inst.row) {
            return Err(self.bad(code));
        }
        let w = self.word(at)?;
        if code == DPP16 {
            self.inst.mods.dpp = Dpp::Dpp16 {
                ctrl: (w >> 8) as u16 & 0x1ff,
                row_mask: (w >> 28) as u8,
                bank_mask: (w >> 24) as u8 & 15,
                bound_ctrl: (w >> 19) & 1 != 0,
                fi: (w >> 18) & 1 != 0,
            };
            if at == 1 {
                let mut allowed = (flags & Flags::M012).bits() as u32;
                let (neg, abs) = (((w >> 20) & 1) | ((w >> 21) & 2), ((w >> 21) & 1) | ((w >> 22) & 2));
                if flags.contains(Flags::HALF) {
                    // v_mov_b16: the bits exist and mean nothing.
                    self.zero((neg | abs) & !1)?;
                    allowed = 0;
                } else {
                    self.zero((neg | abs) & !allowed)?;
                }
                self.inst.mods.neg = (neg & allowed) as u8;
                self.inst.mods.abs = (abs & allowed) as u8;
            }
        } else {
            self.inst.mods.dpp = Dpp::Dpp8 { sel: w >> 8, fi: code == DPP8_FI };
        }
        // A literal would follow the DPP dword.
        self.base = at + 1;
        Ok((w & 0xff) + 256)
    }

    /// VOP3: vdst 7:0, abs 10:8, op_sel 14:11, clamp 15 (VOP3SD: sdst 14:8); src0-2, omod 28:27, neg 31:29.
    fn vop3(mut self) -> Result1<Inst> {
        let row = self.inst.row;
        let (lo, hi) = (self.inst.words[0], self.inst.words[1]);
        let flags = row.flags;
        let sd = self.inst.enc == Enc::VOP3SD;
        let mut f = Fields { dst: lo & 0xff, src: [hi & 0x1ff, (hi >> 9) & 0x1ff, (hi >> 18) & 0x1ff], sdst: (lo >> 8) & 0x7f };
        let sources = source_count(row);
        for &field in &f.src[sources..] {
            self.zero(field)?;
        }
        if row.ops.is_empty() {
            self.zero(f.dst)?;
        }
        if !flags.contains(Flags::CL) {
            self.zero((lo >> 15) & 1)?;
        }
        if !flags.contains(Flags::OM) {
            self.zero((hi >> 27) & 3)?;
        }
        let mut neg = (hi >> 29) & 7;
        let mut abs = if sd { 0 } else { (lo >> 8) & 7 };
        let valued = (flags & Flags::M012).bits() as u32;
        let neg_only = if flags.contains(Flags::NEG12) { 6 } else { u32::from(flags.contains(Flags::NEG1)) << 1 };
        let ignored = if flags.contains(Flags::IGN012) {
            7
        } else if flags.contains(Flags::IGN01) {
            3
        } else {
            0
        };
        self.zero((neg | abs) & !(valued | neg_only | ignored))?;
        neg &= valued;
        abs &= valued;
        let mods = &mut self.inst.mods;
        mods.neg = neg as u8;
        mods.abs = abs as u8;
        mods.clamp = (lo >> 15) & 1 != 0;
        mods.omod = (hi >> 27) as u8 & 3;
        if !sd {
            let sel = (lo >> 11) & 15;
            if flags.contains(Flags::OS) && sources == 2 {
                self.zero(sel & 4)?;
            }
            self.inst.mods.op_sel = if flags.contains(Flags::OS23) {
                sel & 12
            } else if flags.contains(Flags::OS01) {
                sel & 3
            } else if flags.contains(Flags::OS) || has_16(row) {
                sel
            } else {
                0
            } as u8;
        }
        if matches!(f.src[0], DPP8 | DPP8_FI | DPP16) {
            f.src[0] = self.dpp(f.src[0], 2, flags)?;
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::D(ty) => self.vgpr(f.dst, self.width(ty))?,
                Opd::SD(ty) => self.sreg_8(f.dst, ty)?,
                Opd::MD if sd => self.sreg(f.sdst, self.width(Ty::Mask))?,
                Opd::MD => self.sreg_8(f.dst, Ty::Mask)?,
                Opd::M2 => match f.src[2] {
                    code @ 0..=125 => self.sreg(code, self.width(Ty::Mask))?,
                    code => self.special(code)?,
                },
                _ => self.source(opd, &f.src)?,
            };
            self.push(op);
        }
        Ok(self.inst)
    }

    /// A numbered source of VOP3, VOP3P or VINTERP.
    pub(super) fn source(&mut self, opd: Opd, src: &[u32; 3]) -> Result1<Operand> {
        match opd {
            Opd::S0(ty) => self.src(src[0], ty),
            Opd::S1(ty) => self.src(src[1], ty),
            Opd::S2(ty) => self.src(src[2], ty),
            Opd::V0(ty) => self.vsrc(src[0], ty),
            Opd::V1(ty) => self.vsrc(src[1], ty),
            Opd::V2(ty) => self.vsrc(src[2], ty),
            Opd::R0(ty) => self.rsrc(src[0], ty),
            Opd::R1(ty) => self.rsrc(src[1], ty),
            Opd::R2(ty) => self.rsrc(src[2], ty),
            Opd::C2(ty) => match src[2] {
                128..=208 | 240..=248 | super::LITERAL => self.ssrc(src[2], ty),
                code => self.vsrc(code, ty),
            },
            _ => self.reserved(),
        }
    }

    pub(super) fn vsrc(&self, code: u32, ty: Ty) -> Result1<Operand> {
        if code < 256 { self.special(code) } else { self.vgpr(code - 256, self.width(ty)) }
    }

    fn rsrc(&mut self, code: u32, ty: Ty) -> Result1<Operand> {
        if code >= 256 { Err(self.bad(code)) } else { self.ssrc(code, ty) }
    }
}

/// Some operand is 16 bits wide, so op_sel picks halves even where LLVM does not print it.
fn has_16(row: &Row) -> bool {
    row.ops.iter().any(|o| match *o {
        Opd::D(t) | Opd::S0(t) | Opd::V0(t) | Opd::S1(t) | Opd::S2(t) => t.is_16(),
        _ => false,
    })
}
