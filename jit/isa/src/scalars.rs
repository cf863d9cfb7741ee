//! The scalar operand space: what the codes 0 to 127 of a scalar field name, by family.
//!
//! ```text
//! code      gfx6      gfx7          gfx8          gfx9        gfx10    gfx11, gfx12
//! 0-101     SGPR      SGPR          SGPR          SGPR        SGPR     SGPR
//! 102,103   SGPR      SGPR          flat_scratch  =gfx8       SGPR     SGPR
//! 104,105   -         flat_scratch  xnack_mask    =gfx8       SGPR     SGPR
//! 106,107   vcc everywhere
//! 108-111   tba, tma  tba, tma      tba, tma      ttmp0-3     ttmp0-3  ttmp0-3
//! 112-123   ttmp0-11  ttmp0-11      ttmp0-11      ttmp4-15    ...      ...
//! 124       m0        m0            m0            m0          m0       null
//! 125       -         -             null          null        null     m0
//! 126,127   exec everywhere
//! ```
//!
//! LLVM reads null on gfx8 and gfx9 too, though its assembler has it from gfx10. Reference: the ISA manuals' tables of scalar operands;
//! LLVM AMDGPUOperandSyntax.

use super::target::{Family, Gfx};

/// A register a scalar code names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// SGPR by number.
    Sgpr(u32),
    /// Trap handler temporary by number.
    Ttmp(u32),
    /// Half of a named pair: its name, and which half.
    Pair(&'static str, u32),
    /// Reads zero, drops writes.
    Null,
    #[allow(missing_docs)]
    M0,
}

/// The codes of a family that differ between families.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarSpace {
    /// SGPRs that a code can name.
    sgprs: u32,
    /// Where the last tuple of SGPRs ends. LLVM lets tuples of gfx8 and gfx9 that start below 102 end there too.
    tuples_end: u32,
    /// First code of ttmp0.
    ttmp: u32,
    /// Number of TTMPs tuples may use.
    ttmps: u32,
    /// Named pairs: first code and name.
    pairs: &'static [(u32, &'static str)],
    /// Code of NULL, if there is one.
    pub null: Option<u32>,
    /// Code of M0.
    pub m0: u32,
    /// The codes 235 to 239 (apertures, POPS wave id) and the constant 1/(2 pi) exist.
    pub has_apertures: bool,
}

/// First code of VCC.
pub const VCC_LO: u32 = 106;
/// First code of EXEC.
pub const EXEC_LO: u32 = 126;
const VCC: (u32, &str) = (VCC_LO, "vcc");
const EXEC: (u32, &str) = (EXEC_LO, "exec");
const TBA: (u32, &str) = (108, "tba");
const TMA: (u32, &str) = (110, "tma");

#[rustfmt::skip]
const GFX6: ScalarSpace = ScalarSpace {
    sgprs: 104, tuples_end: 104, ttmp: 112, ttmps: 12, pairs: &[VCC, TBA, TMA, EXEC], null: None, m0: 124, has_apertures: false,
};
const GFX7: ScalarSpace = ScalarSpace { pairs: &[(104, "flat_scratch"), VCC, TBA, TMA, EXEC], ..GFX6 };
const GFX8: ScalarSpace = ScalarSpace {
    sgprs: 102,
    tuples_end: 106,
    ttmp: 112,
    ttmps: 16,
    pairs: &[(102, "flat_scratch"), (104, "xnack_mask"), VCC, TBA, TMA, EXEC],
    null: Some(125),
    m0: 124,
    has_apertures: true,
};
const GFX9: ScalarSpace = ScalarSpace { ttmp: 108, pairs: &[(102, "flat_scratch"), (104, "xnack_mask"), VCC, EXEC], ..GFX8 };
const GFX10: ScalarSpace = ScalarSpace { sgprs: 106, pairs: &[VCC, EXEC], ..GFX9 };
const GFX11: ScalarSpace = ScalarSpace { null: Some(124), m0: 125, ..GFX10 };

impl ScalarSpace {
    /// The space of a processor.
    pub fn of(target: Gfx) -> &'static ScalarSpace {
        match target.family() {
            Family::Gfx6 => &GFX6,
            Family::Gfx7 => &GFX7,
            Family::Gfx8 => &GFX8,
            Family::Gfx9 | Family::Gfx90a | Family::Gfx940 => &GFX9,
            Family::Gfx10 | Family::Gfx103 => &GFX10,
            Family::Gfx11 | Family::Gfx115 | Family::Gfx12 => &GFX11,
        }
    }

    /// What a code below 128 names.
    pub fn register(&self, code: u32) -> Option<Scalar> {
        if code < self.sgprs {
            return Some(Scalar::Sgpr(code));
        }
        if let Some(pair) = self.pairs.iter().find(|p| p.0 == code & !1) {
            return Some(Scalar::Pair(pair.1, code & 1));
        }
        match code {
            _ if Some(code) == self.null => Some(Scalar::Null),
            _ if code == self.m0 => Some(Scalar::M0),
            _ if (self.ttmp..124).contains(&code) => Some(Scalar::Ttmp(code - self.ttmp)),
            _ => None,
        }
    }

    /// First code of the tuple of `count` registers that a field's value names: low bits of tuples are ignored, as pairs start at even
    /// registers and larger tuples at multiples of four. `None`: no tuple of this size stands there.
    pub fn tuple(&self, code: u32, count: u8) -> Option<u32> {
        let width = u32::from(count);
        let align = width.next_power_of_two().min(4);
        match self.register(code)? {
            Scalar::Sgpr(n) => {
                let n = n / align * align;
                (n + width <= self.tuples_end).then_some(n)
            }
            // LLVM has no triples of TTMPs.
            Scalar::Ttmp(_) if count == 3 => None,
            Scalar::Ttmp(n) => {
                let n = n / align * align;
                (n + width <= self.ttmps).then_some(self.ttmp + n)
            }
            Scalar::Pair(_, half) => (count == 1 || count == 2 && half == 0).then_some(code),
            Scalar::Null => Some(code),
            Scalar::M0 => (count == 1).then_some(code),
        }
    }

    /// Is this one of the codes from 128 that are neither constants nor the literal?
    pub fn is_special(&self, code: u32) -> bool {
        matches!(code, 251..=254) || self.has_apertures && matches!(code, 235..=239)
    }

    /// Is this the code of an inline float constant?
    pub fn is_float(&self, code: u32) -> bool {
        matches!(code, 240..=247) || self.has_apertures && code == 248
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_names_what_its_family_has_there() {
        let names = |g: u16| [102, 104, 108, 112, 124, 125].map(|code| ScalarSpace::of(Gfx(g)).register(code));
        use Scalar::*;
        assert_eq!(names(0x600), [Some(Sgpr(102)), None, Some(Pair("tba", 0)), Some(Ttmp(0)), Some(M0), None]);
        assert_eq!(names(0x803)[..3], [Some(Pair("flat_scratch", 0)), Some(Pair("xnack_mask", 0)), Some(Pair("tba", 0))]);
        assert_eq!(names(0x906)[2..], [Some(Ttmp(0)), Some(Ttmp(4)), Some(M0), Some(Null)]);
        assert_eq!(names(0x1030)[..2], [Some(Sgpr(102)), Some(Sgpr(104))]);
        assert_eq!(names(0x1200)[4..], [Some(Null), Some(M0)]);
    }

    #[test]
    fn tuples_are_aligned_and_end_within_their_registers() {
        let s = ScalarSpace::of(Gfx::GFX1100);
        assert_eq!(s.tuple(105, 2), Some(104));
        assert_eq!(s.tuple(103, 4), Some(100));
        assert_eq!(s.tuple(104, 4), None);
        assert_eq!(s.tuple(107, 2), None, "vcc_hi starts no pair");
        assert_eq!(s.tuple(125, 2), None, "m0 is one register");
    }
}
