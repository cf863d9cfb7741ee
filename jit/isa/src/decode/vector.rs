//! What vector formats share: the fields of the short ones, numbered source fields of the long ones.

use super::{Decoder, Result1};
use crate::bits::Bits;
use crate::inst::{Enc, Operand};
use crate::row::{Opd, Row, Ty};
use crate::scalars::Source;
use crate::target::Space;

/// Fields of VOP1, VOP2 and VOPC.
pub(crate) struct Vop {
    pub src0: Bits,
    pub src1: Bits,
    pub vdst: Bits,
}

pub(crate) static VOP: Vop = Vop { src0: Bits::at(8, 0), src1: Bits::at(16, 9), vdst: Bits::at(24, 17) };

impl Vop {
    /// Fixed bits of a format and its opcode field.
    pub(crate) fn opcode(&self, enc: Enc) -> (u32, Bits) {
        match enc {
            Enc::VOP1 => (0x3f << 25, Bits::at(16, 9)),
            Enc::VOPC => (0x3e << 25, Bits::at(24, 17)),
            _ => (0, Bits::at(30, 25)),
        }
    }
}

/// Sources a row reads from numbered fields.
pub(crate) fn source_count(row: &Row) -> usize {
    let field = |o: &Opd| match o {
        Opd::S0(_) | Opd::V0(_) | Opd::R0(_) | Opd::AV0(_) | Opd::A0(_) => 1,
        Opd::S1(_) | Opd::V1(_) | Opd::R1(_) | Opd::AV1(_) => 2,
        Opd::S2(_) | Opd::V2(_) | Opd::R2(_) | Opd::C2(_) | Opd::INDEX(_) | Opd::M2 => 3,
        _ => 0,
    };
    row.ops.iter().map(field).max().unwrap_or(0)
}

impl Decoder<'_> {
    /// A numbered source of VOP3, VOP3P or VINTERP.
    pub(super) fn source(&mut self, opd: Opd, src: &[u32; 3]) -> Result1<Operand> {
        match opd {
            Opd::S0(ty) => self.src(src[0], ty),
            Opd::S1(ty) => self.src(src[1], ty),
            Opd::S2(ty) => self.src(src[2], ty),
            Opd::V0(ty) => self.vsrc(src[0], ty),
            Opd::V1(ty) => self.vsrc(src[1], ty),
            Opd::V2(ty) => self.vsrc(src[2], ty),
            // What v_writelane_b32 writes can come from LDS, from gfx10.
            Opd::R0(ty) if self.space >= Space::Gfx10 && matches!(self.inst.row.ops[0], Opd::D(_)) => self.rsrc(src[0], ty),
            Opd::R0(ty) => self.lane(src[0], ty),
            Opd::R1(ty) => self.lane(src[1], ty),
            Opd::R2(ty) => self.lane(src[2], ty),
            Opd::C2(ty) => match self.scalars.source(src[2]) {
                Some(Source::Int(_) | Source::Float(_) | Source::Literal) => self.ssrc(src[2], ty),
                _ => self.vsrc(src[2], ty),
            },
            _ => self.reserved(),
        }
    }

    pub(super) fn vsrc(&self, code: u32, ty: Ty) -> Result1<Operand> {
        match code {
            256.. => self.vgpr(code - 256, self.width(ty)),
            // Only LLVM's disassembler, which gfx6 and gfx7 lack, takes other codes for a VGPR.
            _ if self.space == Space::Gfx6 => Err(self.bad(code)),
            _ => self.special(code),
        }
    }

    fn rsrc(&mut self, code: u32, ty: Ty) -> Result1<Operand> {
        if code >= 256 { Err(self.bad(code)) } else { self.ssrc(code, ty) }
    }

    /// A lane number or select: no parameter from LDS.
    fn lane(&mut self, code: u32, ty: Ty) -> Result1<Operand> {
        if code == super::LDS_DIRECT { Err(self.bad(code)) } else { self.rsrc(code, ty) }
    }
}
