//! Instruction formats. A row has them, and an instruction one of them.

use std::fmt;

/// Instruction formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Enc {
    SOP1,
    SOP2,
    SOPK,
    SOPC,
    SOPP,
    SMEM,
    VOP1,
    VOP2,
    VOPC,
    VOP3,
    VOP3SD,
    VOP3P,
    /// Matrix instructions of gfx908 to gfx94x, in VOP3P's number space.
    MAI,
    VOPD,
    VINTERP,
    VINTRP,
    LDSDIR,
    DS,
    MUBUF,
    MTBUF,
    MIMG,
    VIMAGE,
    VSAMPLE,
    FLAT,
    GLOBAL,
    SCRATCH,
    EXP,
}

impl Enc {
    /// Scalar ALU and program control.
    pub const fn is_salu(self) -> bool {
        matches!(self, Enc::SOP1 | Enc::SOP2 | Enc::SOPK | Enc::SOPC | Enc::SOPP)
    }
}

impl fmt::Display for Enc {
    /// Its name in AMD's manuals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
