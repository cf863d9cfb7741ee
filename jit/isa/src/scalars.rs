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
use std::fmt;
use std::ops::Range;

/// A pair of registers with a name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the manuals' names
pub enum Pair {
    Vcc,
    Exec,
    FlatScratch,
    XnackMask,
    /// Trap base address.
    Tba,
    /// Trap memory address.
    Tma,
}

impl Pair {
    /// As it is written: `vcc`, whose halves are `vcc_lo` and `vcc_hi`.
    pub const fn name(self) -> &'static str {
        match self {
            Pair::Vcc => "vcc",
            Pair::Exec => "exec",
            Pair::FlatScratch => "flat_scratch",
            Pair::XnackMask => "xnack_mask",
            Pair::Tba => "tba",
            Pair::Tma => "tma",
        }
    }
}

/// A register a scalar code names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// SGPR by number.
    Sgpr(u32),
    /// Trap handler temporary by number.
    Ttmp(u32),
    /// Half of a named pair: 0 the low one, 1 the high one.
    Pair(Pair, u32),
    /// Reads zero, drops writes.
    Null,
    #[allow(missing_docs)]
    M0,
}

/// A source that is neither a register nor a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Special {
    /// First address of the LDS aperture.
    SharedBase = 235,
    /// Last address of the LDS aperture.
    SharedLimit = 236,
    /// First address of the scratch aperture.
    PrivateBase = 237,
    /// Last address of the scratch aperture.
    PrivateLimit = 238,
    /// Primitive-ordered pixel shading: the id of the wave that leaves.
    PopsExitingWaveId = 239,
    /// VCC is zero.
    Vccz = 251,
    /// EXEC is zero.
    Execz = 252,
    /// SCC.
    Scc = 253,
    /// A parameter read from LDS; 32-bit vector sources only.
    LdsDirect = 254,
}

impl Special {
    /// Every one, in the order of codes.
    pub const ALL: [Special; 9] = {
        use Special::*;
        [SharedBase, SharedLimit, PrivateBase, PrivateLimit, PopsExitingWaveId, Vccz, Execz, Scc, LdsDirect]
    };

    /// Its code.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Special::SharedBase => "src_shared_base",
            Special::SharedLimit => "src_shared_limit",
            Special::PrivateBase => "src_private_base",
            Special::PrivateLimit => "src_private_limit",
            Special::PopsExitingWaveId => "src_pops_exiting_wave_id",
            Special::Vccz => "src_vccz",
            Special::Execz => "src_execz",
            Special::Scc => "src_scc",
            Special::LdsDirect => "src_lds_direct",
        }
    }
}

/// An inline float constant, by its place in the table. Which bits it stands for depends on the operand's type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InlineFloat(u8);

/// Text, bits as f16, f32 (whose high half is the bf16) and f64.
#[rustfmt::skip]
static FLOATS: [(&str, u16, u32, u64); 9] = [
    ("0.5",        0x3800, 0x3f00_0000, 0x3fe0_0000_0000_0000),
    ("-0.5",       0xb800, 0xbf00_0000, 0xbfe0_0000_0000_0000),
    ("1.0",        0x3c00, 0x3f80_0000, 0x3ff0_0000_0000_0000),
    ("-1.0",       0xbc00, 0xbf80_0000, 0xbff0_0000_0000_0000),
    ("2.0",        0x4000, 0x4000_0000, 0x4000_0000_0000_0000),
    ("-2.0",       0xc000, 0xc000_0000, 0xc000_0000_0000_0000),
    ("4.0",        0x4400, 0x4080_0000, 0x4010_0000_0000_0000),
    ("-4.0",       0xc400, 0xc080_0000, 0xc010_0000_0000_0000),
    ("0.15915494", 0x3118, 0x3e22_f983, 0x3fc4_5f30_6dc9_c882),
];

/// Code of the first inline float constant.
const FIRST_FLOAT: u32 = 240;

impl InlineFloat {
    /// 1/(2 pi), the last, which came with gfx8.
    pub const INV_2PI: InlineFloat = InlineFloat(8);

    /// Its code.
    pub fn code(self) -> u32 {
        FIRST_FLOAT + u32::from(self.0)
    }
    /// As it is written.
    pub fn text(self) -> &'static str {
        FLOATS[usize::from(self.0)].0
    }
    /// Its bits as f16.
    pub fn f16(self) -> u16 {
        FLOATS[usize::from(self.0)].1
    }
    /// Its bits as bf16.
    pub fn bf16(self) -> u16 {
        (self.f32() >> 16) as u16
    }
    /// Its bits as f32.
    pub fn f32(self) -> u32 {
        FLOATS[usize::from(self.0)].2
    }
    /// Its bits as f64.
    pub fn f64(self) -> u64 {
        FLOATS[usize::from(self.0)].3
    }
}

impl fmt::Debug for InlineFloat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// What a scalar source field's code stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A register: its code, which may name none.
    Register(u32),
    /// An inline integer.
    Int(i32),
    /// An inline float.
    Float(InlineFloat),
    /// Another value of the wave.
    Special(Special),
    /// The dword after the instruction.
    Literal,
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
    /// TTMPs can be read outside a trap handler.
    pub has_readable_ttmps: bool,
    /// Named pairs by their first codes.
    pairs: &'static [(u32, Pair)],
    /// Code of NULL, if there is one.
    pub null: Option<u32>,
    /// NULL exists in hardware, not only in LLVM's disassembler.
    pub has_null: bool,
    /// Code of M0.
    pub m0: u32,
    /// The codes 235 to 239 (apertures, POPS wave id) and the constant 1/(2 pi) exist, or LLVM reads them.
    has_apertures: bool,
    /// Special sources that hardware has.
    specials: &'static [Special],
}

/// Codes below name registers.
pub const REGISTERS: u8 = 128;
/// First code of VCC.
pub const VCC_LO: u8 = 106;
/// First code of EXEC.
pub const EXEC_LO: u8 = 126;
/// The other one.
pub const EXEC_HI: u8 = 127;
/// Codes of the trap handler's registers: TBA, TMA and TTMPs on gfx6 to gfx8, TTMPs from gfx9. Below are SGPRs and pairs that a program may
/// write, above M0, NULL and EXEC.
pub const TRAP: Range<u8> = 108..124;
/// Code of the inline constant 0.
pub const ZERO: u32 = 128;
/// Code of the literal dword.
pub const LITERAL: u32 = 255;

const VCC: (u32, Pair) = (VCC_LO as u32, Pair::Vcc);
const EXEC: (u32, Pair) = (EXEC_LO as u32, Pair::Exec);
const TBA: (u32, Pair) = (108, Pair::Tba);
const TMA: (u32, Pair) = (110, Pair::Tma);

/// Special sources of gfx6 to gfx8.
const FLAGS: [Special; 4] = [Special::Vccz, Special::Execz, Special::Scc, Special::LdsDirect];
/// Special sources of gfx11 and gfx12.
const APERTURES: [Special; 5] = [Special::SharedBase, Special::SharedLimit, Special::PrivateBase, Special::PrivateLimit, Special::Scc];
/// Special sources of gfx90a and gfx94x, which draw nothing.
const NO_LDS_DIRECT: [Special; 8] = {
    use Special::*;
    [SharedBase, SharedLimit, PrivateBase, PrivateLimit, PopsExitingWaveId, Vccz, Execz, Scc]
};

const GFX6: ScalarSpace = ScalarSpace {
    sgprs: 104,
    tuples_end: 104,
    ttmp: 112,
    ttmps: 12,
    has_readable_ttmps: false,
    pairs: &[VCC, TBA, TMA, EXEC],
    null: None,
    has_null: false,
    m0: 124,
    has_apertures: false,
    specials: &FLAGS,
};
const GFX7: ScalarSpace = ScalarSpace { pairs: &[(104, Pair::FlatScratch), VCC, TBA, TMA, EXEC], ..GFX6 };
const GFX8: ScalarSpace = ScalarSpace {
    sgprs: 102,
    tuples_end: 106,
    ttmps: 16,
    pairs: &[(102, Pair::FlatScratch), (104, Pair::XnackMask), VCC, TBA, TMA, EXEC],
    null: Some(125),
    has_apertures: true,
    ..GFX6
};
const GFX9: ScalarSpace =
    ScalarSpace { ttmp: 108, pairs: &[(102, Pair::FlatScratch), (104, Pair::XnackMask), VCC, EXEC], specials: &Special::ALL, ..GFX8 };
const GFX90A: ScalarSpace = ScalarSpace { specials: &NO_LDS_DIRECT, ..GFX9 };
const GFX10: ScalarSpace = ScalarSpace { sgprs: 106, pairs: &[VCC, EXEC], has_null: true, ..GFX9 };
const GFX11: ScalarSpace = ScalarSpace { null: Some(124), m0: 125, specials: &APERTURES, ..GFX10 };
const GFX12: ScalarSpace = ScalarSpace { has_readable_ttmps: true, ..GFX11 };

impl ScalarSpace {
    /// The space of a processor.
    pub fn of(target: Gfx) -> &'static ScalarSpace {
        match target.family() {
            Family::Gfx6 => &GFX6,
            Family::Gfx7 => &GFX7,
            Family::Gfx8 => &GFX8,
            Family::Gfx9 => &GFX9,
            Family::Gfx90a | Family::Gfx940 => &GFX90A,
            Family::Gfx10 | Family::Gfx103 => &GFX10,
            Family::Gfx11 | Family::Gfx115 => &GFX11,
            Family::Gfx12 => &GFX12,
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
            _ if (self.ttmp..TRAP.end.into()).contains(&code) => Some(Scalar::Ttmp(code - self.ttmp)),
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

    /// What a source field's code stands for; `None` for codes without a meaning, and those that say how source 0 is read (DPP, SDWA).
    pub fn source(&self, code: u32) -> Option<Source> {
        match code {
            ..ZERO => Some(Source::Register(code)),
            128..=192 => Some(Source::Int(code as i32 - 128)),
            193..=208 => Some(Source::Int(192 - code as i32)),
            FIRST_FLOAT..=248 => Some(InlineFloat((code - FIRST_FLOAT) as u8)).filter(|f| self.has_float(*f)).map(Source::Float),
            LITERAL => Some(Source::Literal),
            _ => self.special(code).map(Source::Special),
        }
    }

    /// The special source of a code, as LLVM reads it; see [`ScalarSpace::exists`].
    pub fn special(&self, code: u32) -> Option<Special> {
        let special = match code {
            235..=239 => Special::ALL[code as usize - 235],
            251..=254 => Special::ALL[code as usize - 251 + 5],
            _ => return None,
        };
        self.reads_special(special).then_some(special)
    }

    /// Does LLVM read this special source?
    pub fn reads_special(&self, special: Special) -> bool {
        special.code() >= Special::Vccz.code() || self.has_apertures
    }

    /// Does hardware have this special source?
    pub fn exists(&self, special: Special) -> bool {
        self.specials.contains(&special)
    }

    /// Is there this inline float constant?
    pub fn has_float(&self, float: InlineFloat) -> bool {
        self.has_apertures || float != InlineFloat::INV_2PI
    }

    /// The inline float constant of which `is_it` holds, if there is one.
    pub fn float(&self, mut is_it: impl FnMut(InlineFloat) -> bool) -> Option<InlineFloat> {
        (0..FLOATS.len() as u8).map(InlineFloat).find(|f| self.has_float(*f) && is_it(*f))
    }
}

/// Code of an inline integer, if it is one.
pub fn int_code(v: i32) -> Option<u32> {
    match v {
        0..=64 => Some(128 + v as u32),
        -16..=-1 => Some((192 - v) as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_names_what_its_family_has_there() {
        let names = |g: u16| [102, 104, 108, 112, 124, 125].map(|code| ScalarSpace::of(Gfx(g)).register(code));
        use super::Pair::{FlatScratch, Tba, XnackMask};
        use Scalar::{M0, Null, Pair, Sgpr, Ttmp};
        assert_eq!(names(0x600), [Some(Sgpr(102)), None, Some(Pair(Tba, 0)), Some(Ttmp(0)), Some(M0), None]);
        assert_eq!(names(0x803)[..3], [Some(Pair(FlatScratch, 0)), Some(Pair(XnackMask, 0)), Some(Pair(Tba, 0))]);
        assert_eq!(names(0x906)[2..], [Some(Ttmp(0)), Some(Ttmp(4)), Some(M0), Some(Null)]);
        assert_eq!(names(0x1030)[..2], [Some(Sgpr(102)), Some(Sgpr(104))]);
        assert_eq!(names(0x1200)[4..], [Some(Null), Some(M0)]);
    }

    // RDNA3 ISA and its predecessors, tables of scalar source operands.
    #[test]
    fn a_source_code_is_a_register_a_constant_or_a_value_of_the_wave() {
        let gfx11 = ScalarSpace::of(Gfx::GFX1100);
        assert_eq!(gfx11.source(127), Some(Source::Register(127)));
        assert_eq!([128, 192, 193, 208].map(|c| gfx11.source(c)), [0, 64, -1, -16].map(|n| Some(Source::Int(n))));
        assert_eq!([209, 233, 249, 250].map(|c| gfx11.source(c)), [None; 4]);
        assert_eq!(gfx11.source(248), Some(Source::Float(InlineFloat::INV_2PI)));
        assert_eq!(ScalarSpace::of(Gfx(0x705)).source(248), None, "1/(2 pi) came with gfx8");
        assert_eq!(gfx11.source(255), Some(Source::Literal));
        assert_eq!(gfx11.source(253), Some(Source::Special(Special::Scc)));
        for special in Special::ALL {
            assert_eq!(ScalarSpace::of(Gfx(0x900)).source(special.code()), Some(Source::Special(special)));
        }
        for code in 240..=248 {
            let Some(Source::Float(f)) = gfx11.source(code) else { panic!("{code}") };
            let wide = f64::from_bits(f.f64());
            assert_eq!((f.code(), f32::from_bits(f.f32())), (code, wide as f32));
            assert_eq!(half::f16::from_bits(f.f16()), half::f16::from_f64(wide));
            assert_eq!(f.text().parse(), Ok(wide as f32));
        }
        for n in -20..70 {
            assert_eq!(int_code(n).map(|c| gfx11.source(c)), (-16..=64).contains(&n).then_some(Some(Source::Int(n))));
        }
    }

    #[test]
    fn special_sources_came_and_went() {
        let has = |g: u16, s| ScalarSpace::of(Gfx(g)).exists(s);
        let per_family = |s| [0x600, 0x700, 0x803, 0x906, 0x90a, 0x942, 0x1010, 0x1030, 0x1100, 0x1200].map(|g| has(g, s));
        let [no, yes] = [false, true];
        assert_eq!(per_family(Special::SharedBase), [no, no, no, yes, yes, yes, yes, yes, yes, yes]);
        assert_eq!(per_family(Special::PopsExitingWaveId), [no, no, no, yes, yes, yes, yes, yes, no, no]);
        assert_eq!(per_family(Special::Vccz), [yes, yes, yes, yes, yes, yes, yes, yes, no, no]);
        assert_eq!(per_family(Special::LdsDirect), [yes, yes, yes, yes, no, no, yes, yes, no, no]);
        assert!(per_family(Special::Scc).into_iter().all(|b| b));
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
