//! VOP1, VOP2, VOPC, VOP3 and VOP3SD. RDNA3 ISA, chapters 15.3 and 15.7; GCN3 ISA, chapter 13.3.
//!
//! The 32-bit formats are alike in every family; a source 0 code may announce a DPP ([`super::dpp`]) or SDWA ([`super::sdwa`]) dword. VOP3
//! moved its opcode and clamp with gfx8 and its place among the formats with gfx10.

use super::sdwa::has_sdwa;
use super::vector::{VOP, source_count};
use super::{Decoder, Result1};
use crate::beyond::Tolerance;
use crate::bits::{Bits, MAX_DWORDS};
use crate::inst::{Enc, Half, Inst, Operand};
use crate::row::{Flags, Implicit, Opd, Row, Ty};
use crate::scalars::{EXEC_LO, REGISTERS, Special, VCC_LO};
use crate::target::{SPACES, Space};

/// Source 0 codes that announce another dword.
pub(crate) const DPP8: u32 = 233;
pub(crate) const DPP8_FI: u32 = 234;
pub(crate) const SDWA: u32 = 249;
pub(crate) const DPP16: u32 = 250;

/// Fields of VOP3, and of VOP3SD where `sdst` stands for `abs` and `op_sel`.
pub(crate) struct Vop3 {
    pub prefix: u32,
    pub opcode: Bits,
    pub vdst: Bits,
    pub sdst: Bits,
    pub abs: Bits,
    pub op_sel: Bits,
    pub clamp: Bits,
    /// VOP3SD's clamp.
    pub sd_clamp: Bits,
    pub src: [Bits; 3],
    pub omod: Bits,
    pub neg: Bits,
}

const GFX6_VOP3: Vop3 = Vop3 {
    prefix: 0x34 << 26,
    opcode: Bits::at(25, 17),
    vdst: Bits::at(7, 0),
    sdst: Bits::at(14, 8),
    abs: Bits::at(10, 8),
    op_sel: Bits::NONE,
    clamp: Bits::bit(11),
    sd_clamp: Bits::NONE,
    src: [Bits::at(40, 32), Bits::at(49, 41), Bits::at(58, 50)],
    omod: Bits::at(60, 59),
    neg: Bits::at(63, 61),
};
const GFX8_VOP3: Vop3 =
    Vop3 { opcode: Bits::at(25, 16), op_sel: Bits::at(14, 11), clamp: Bits::bit(15), sd_clamp: Bits::bit(15), ..GFX6_VOP3 };
const GFX10_VOP3: Vop3 = Vop3 { prefix: 0x35 << 26, ..GFX8_VOP3 };

/// VOP3 by number space.
pub(crate) static VOP3: [Vop3; SPACES] = [GFX6_VOP3, GFX8_VOP3, GFX10_VOP3, GFX10_VOP3, GFX10_VOP3];

/// What a VOP3 row's neg, abs and op_sel bits mean, by source.
pub(crate) struct Vop3Mods {
    /// neg and abs change the value.
    pub valued: u32,
    /// neg prints as a sign extension, which means nothing.
    pub sext: u32,
    /// The bits may be set and mean nothing.
    pub ignored: u32,
    /// op_sel bits that are kept.
    pub op_sel: u32,
    /// op_sel bits that must be zero.
    pub no_op_sel: u32,
}

impl Vop3Mods {
    pub(crate) fn of(row: &Row, space: Space, dpp: bool) -> Vop3Mods {
        let flags = row.flags;
        let mut valued = (flags & Flags::M012).bits() as u32;
        let ignored = if flags.contains(Flags::IGN012) {
            7
        } else if flags.contains(Flags::IGN01) {
            3
        } else {
            u32::from(flags.contains(Flags::IGN0))
        };
        let mut sext = if flags.contains(Flags::NEG12) { 6 } else { u32::from(flags.contains(Flags::NEG1)) << 1 };
        if dpp {
            sext |= ignored;
        }
        // The exponent of v_ldexp_f16 became a float operand with gfx11.
        if space < Space::Gfx11 && row.ops.contains(&Opd::S1(Ty::I16)) && valued & 2 != 0 {
            valued &= !2;
            sext |= 2;
        }
        let used = (1 << source_count(row)) - 1;
        let (op_sel, no_op_sel) = if flags.contains(Flags::OS23) {
            (12, 0)
        } else if flags.contains(Flags::OS01) {
            (3, 0)
        } else if flags.contains(Flags::OS) {
            (15, if ignored == 7 { 0 } else { 7 & !used })
        } else if flags.contains(Flags::BYTE) {
            (if used == 1 { 3 } else { 12 }, if dpp { 0 } else { if used == 1 { 12 } else { 3 } })
        } else if space >= Space::Gfx11 && has_16(row) {
            (15, 0)
        } else {
            (0, 0)
        };
        Vop3Mods { valued: valued & !sext, sext, ignored, op_sel, no_op_sel }
    }
}

/// Has the long form a clamp? On gfx6 and gfx7 only floats are clamped.
pub(crate) fn has_clamp(row: &Row, space: Space) -> bool {
    let float = matches!(row.ops.first(), Some(Opd::D(Ty::F16 | Ty::F32 | Ty::F64 | Ty::F16X2)));
    row.flags.contains(Flags::CL) && (space > Space::Gfx6 || float)
}

/// Interpolation: the attribute stands in source field 0, what it is weighed with in field 1.
pub(crate) fn reads_attribute(row: &Row) -> bool {
    row.ops.contains(&Opd::ATTR)
}

/// Some operand is 16 bits wide, so op_sel picks halves even where LLVM does not print it.
fn has_16(row: &Row) -> bool {
    row.ops.iter().any(|o| match *o {
        Opd::D(t) | Opd::S0(t) | Opd::V0(t) | Opd::S1(t) | Opd::S2(t) => t.is_16(),
        _ => false,
    })
}

impl Decoder<'_> {
    pub(super) fn vop(&mut self, enc: Enc) -> Result1<()> {
        let mut words = [0; MAX_DWORDS];
        words[0] = self.words[0];
        let row = self.row(enc, VOP.opcode(enc).1.get(&words))?;
        match VOP.src0.get(&words) {
            SDWA | DPP8 | DPP8_FI | DPP16 if row.ops.is_empty() => self.long_nop(row, enc).or_else(|_| {
                *self.inst = Inst::blank(row, self.target);
                self.vop_nop(row, enc)
            }),
            SDWA if has_sdwa(row, self.target) => self.start(row, enc, 2)?.sdwa(),
            _ if row.ops.is_empty() => self.vop_nop(row, enc),
            _ => self.start(row, enc, 1)?.vop_fields(),
        }
    }

    /// v_nop with a DPP or SDWA dword.
    fn long_nop(&mut self, row: &'static Row, enc: Enc) -> Result1<()> {
        match VOP.src0.get(&self.start(row, enc, 1)?.inst.words) {
            SDWA if has_sdwa(row, self.target) => self.start(row, enc, 2)?.sdwa(),
            SDWA => self.reserved(),
            _ => self.nop_dpp(),
        }
    }

    /// v_nop and its like have no operands: the source field may hold anything. v_illegal is a dword of zeros.
    fn vop_nop(&mut self, row: &'static Row, enc: Enc) -> Result1<()> {
        self.start(row, enc, 1)?;
        self.zero(if enc == Enc::VOP1 { VOP.vdst.get(&self.inst.words) } else { self.inst.words[0] })
    }

    pub(super) fn vop3(&mut self) -> Result1<()> {
        let mut words = [0; MAX_DWORDS];
        words[0] = self.words[0];
        let row = self.row(Enc::VOP3, VOP3[self.space as usize].opcode.get(&words))?;
        let enc = if row.has(Enc::VOP3SD) { Enc::VOP3SD } else { Enc::VOP3 };
        self.start(row, enc, 2)?.vop3_fields()
    }
}

impl Decoder<'_> {
    /// A VGPR of a 32-bit format. From gfx11, 16-bit operands there have seven bits of number and one that picks the half.
    fn vgpr_e32(&self, n: u32, ty: Ty) -> Result1<Operand> {
        if ty.is_16() && self.space >= Space::Gfx11 {
            let half = if n & 0x80 != 0 { Half::Hi } else { Half::Whole };
            return Ok(Operand::Vgpr { n: (n & 0x7f) as u16, count: 1, half });
        }
        self.vgpr(n, self.width(ty))
    }

    /// The VCC operand of VOP2 and VOPC.
    pub(super) fn vcc(&self) -> Operand {
        Operand::Sgpr { n: VCC_LO, count: self.width(Ty::Mask) }
    }

    /// v_readlane_b32 and v_readfirstlane_b32 read VGPRs and LDS parameters.
    fn reads_lds(&self, code: u32) -> bool {
        code == Special::LdsDirect.code() && self.inst.row.ops[0] == Opd::SD(Ty::B32)
    }

    fn vop_fields(&mut self) -> Result1<()> {
        let row = self.inst.row;
        let words = self.inst.words;
        let mut src0 = VOP.src0.get(&words);
        let (src1, dst) = (VOP.src1.get(&words), VOP.vdst.get(&words));
        if matches!(src0, DPP8 | DPP8_FI | DPP16) {
            src0 = self.dpp(src0, 1, row.flags)?;
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::D(ty) => self.vgpr_e32(dst, ty)?,
                Opd::SD(ty) => self.sreg_8(dst, ty)?,
                Opd::MD | Opd::M2 => self.vcc(),
                Opd::AD(_) => Operand::Agpr { n: dst as u16, count: 1 },
                Opd::A0(_) if src0 >= 256 => Operand::Agpr { n: (src0 - 256) as u16, count: 1 },
                Opd::S0(ty) | Opd::V0(ty) if src0 >= 256 => self.vgpr_e32(src0 - 256, ty)?,
                Opd::S0(ty) | Opd::R0(ty) if src0 < 256 => self.ssrc(src0, ty)?,
                Opd::S1(ty) => self.vgpr_e32(src1, ty)?,
                // v_readlane_b32 and v_writelane_b32 of gfx6: a lane number.
                Opd::R1(_) if src1 == super::LITERAL => return Err(self.bad(src1)),
                Opd::R1(ty) => self.ssrc(src1, ty)?,
                Opd::LIT(_) => Operand::Literal(self.literal()?),
                Opd::V0(_) if self.reads_lds(src0) => Operand::Special(Special::LdsDirect),
                Opd::V0(_) | Opd::A0(_) if self.space > Space::Gfx6 => self.special(src0)?,
                _ => return Err(self.bad(src0)),
            };
            self.push(op);
        }
        self.constant_bus()?;
        Ok(())
    }

    /// Scalar register in an eight-bit field.
    pub(super) fn sreg_8(&self, code: u32, ty: Ty) -> Result1<Operand> {
        if code < REGISTERS.into() { self.sreg(code, self.width(ty)) } else { self.special(code) }
    }

    fn vop3_fields(&mut self) -> Result1<()> {
        let row = self.inst.row;
        let words = self.inst.words;
        let space = self.space;
        let layout = &VOP3[space as usize];
        let sd = self.inst.enc == Enc::VOP3SD;
        let mut src = layout.src.map(|f| f.get(&words));
        let dst = layout.vdst.get(&words);
        let swap = reads_attribute(row);
        if swap {
            src.swap(0, 1);
            self.zero(if row.flags.contains(Flags::HIGH) { 0 } else { src[1] >> 8 })?;
            self.inst.mods.high = src[1] >> 8 != 0;
        }
        let used = if swap { source_count(row).max(2) } else { source_count(row) };
        for &field in &src[used..] {
            self.unused_source(field)?;
        }
        if row.ops.is_empty() {
            self.zero(dst)?;
        }
        if row.flags.contains(Flags::HALF) {
            self.tolerate(Tolerance::LONG_MOV_B16);
        }
        let clamp = (if sd { layout.sd_clamp } else { layout.clamp }).get(&words);
        let omod = layout.omod.get(&words);
        if !has_clamp(row, space) {
            self.zero(clamp)?;
        }
        if !row.flags.contains(Flags::OM) {
            self.zero(omod)?;
        }
        let dpp = space >= Space::Gfx11 && matches!(src[0], DPP8 | DPP8_FI | DPP16);
        let allowed = Vop3Mods::of(row, space, dpp);
        let mut neg = layout.neg.get(&words);
        let (mut abs, op_sel) = if sd { (0, 0) } else { (layout.abs.get(&words), layout.op_sel.get(&words)) };
        if swap {
            [neg, abs] = [neg, abs].map(|bits| bits & 4 | bits << 1 & 2 | bits >> 1 & 1);
        }
        self.zero((neg | abs) & !(allowed.valued | allowed.sext | allowed.ignored))?;
        self.zero(op_sel & allowed.no_op_sel)?;
        let mods = &mut self.inst.mods;
        mods.neg = (neg & allowed.valued) as u8;
        mods.abs = (abs & allowed.valued) as u8;
        mods.sext = (neg & allowed.sext) as u8;
        mods.clamp = clamp != 0;
        mods.omod = omod as u8;
        if row.flags.contains(Flags::BYTE) {
            // Of a source by bits in reverse order, of the destination in order.
            mods.byte_sel = if allowed.op_sel == 3 { (op_sel << 1 & 2 | op_sel >> 1 & 1) as u8 } else { (op_sel >> 2) as u8 };
        } else {
            mods.op_sel = (op_sel & allowed.op_sel) as u8;
        }
        if dpp {
            src[0] = self.dpp(src[0], 2, row.flags)?;
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::D(ty) => self.vgpr(dst, self.width(ty))?,
                // gfx12's scalar floats in the vector unit do not go to EXEC.
                Opd::SD(Ty::F32 | Ty::F16) if dst >= EXEC_LO.into() => return Err(self.bad(dst)),
                Opd::SD(ty) => self.sreg_8(dst, ty)?,
                Opd::MD if sd => self.sreg(layout.sdst.get(&words), self.width(Ty::Mask))?,
                Opd::MD => self.sreg_8(dst, Ty::Mask)?,
                Opd::M2 => match src[2] {
                    code if code < EXEC_LO.into() => self.sreg(code, self.width(Ty::Mask))?,
                    code => self.special(code)?,
                },
                Opd::V0(_) if self.reads_lds(src[0]) => Operand::Special(Special::LdsDirect),
                Opd::ATTR => Operand::Imm((src[1] & 63) << 2 | (src[1] >> 6) & 3),
                Opd::PARAM => Operand::Imm(src[0]),
                _ => self.source(opd, &src)?,
            };
            self.push(op);
        }
        self.constant_bus()?;
        Ok(())
    }

    /// Before gfx10 one scalar value reaches the vector unit per instruction. Only gfx6 and gfx7 are held to it here: LLVM's disassembler lets
    /// more stand, but for these it has none, and its assembler refuses them.
    fn constant_bus(&self) -> Result1<()> {
        let inst = &self.inst;
        if self.space != Space::Gfx6 {
            return Ok(());
        }
        let m0 = Operand::Sgpr { n: self.scalars.m0 as u8, count: 1 };
        let implicit = inst.implicit_reads();
        let mut read = None;
        if implicit.contains(Implicit::VCC) {
            read = Some(self.vcc());
        } else if implicit.contains(Implicit::M0) {
            read = Some(m0);
        }
        for (opd, &op) in inst.row.ops.iter().zip(inst.ops()) {
            let source = matches!(opd, Opd::S0(_) | Opd::S1(_) | Opd::S2(_) | Opd::R0(_) | Opd::R1(_) | Opd::M2 | Opd::LIT(_));
            if !source || !matches!(op, Operand::Sgpr { .. } | Operand::Special(_) | Operand::Literal(_)) {
                continue;
            }
            // A parameter from LDS comes another way, as source 0, which must not be the one to subtract or to shift by.
            if op == Operand::Special(Special::LdsDirect) {
                if !matches!(opd, Opd::S0(_) | Opd::R0(_)) || inst.row.flags.contains(Flags::REV) {
                    return self.reserved();
                }
                continue;
            }
            // The lane number of v_writelane_b32 does not count when it is M0.
            if *opd == Opd::R1(Ty::B32) && op == m0 {
                continue;
            }
            if read.is_some_and(|r| r != op) {
                return self.reserved();
            }
            read = Some(op);
        }
        Ok(())
    }
}
