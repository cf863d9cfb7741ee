//! Processors, families, number spaces, and sets of processors. What processors have is in [`feature`](super::feature).

use std::fmt;

/// Processors that share encodings, apart from single features.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)] // the processors are the names
#[repr(u8)]
pub enum Family {
    Gfx6,
    Gfx7,
    Gfx8,
    Gfx9,
    Gfx90a,
    Gfx940,
    Gfx10,
    Gfx103,
    Gfx11,
    Gfx115,
    Gfx12,
}

/// A number space: the opcode columns of the instruction table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Space {
    /// gfx6 and gfx7.
    Gfx6,
    /// gfx8 and gfx9 with gfx90a and gfx94x.
    Gfx8,
    /// gfx10.1 and gfx10.3.
    Gfx10,
    /// gfx11 and gfx11.5.
    Gfx11,
    #[allow(missing_docs)]
    Gfx12,
}

/// Number of number spaces.
pub const SPACES: usize = 5;

/// A processor, by its number: `Gfx(0x1100)` is gfx1100, `Gfx(0x90a)` gfx90a.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gfx(pub u16);

impl Gfx {
    /// gfx1100, Navi 31.
    pub const GFX1100: Gfx = Gfx(0x1100);

    /// The processor of a bare name: its number, or what LLVM calls it besides (`gfx803`, `fiji`).
    pub(super) fn named(name: &str) -> Option<Gfx> {
        let numbered = || Some(Gfx(u16::from_str_radix(name.strip_prefix("gfx")?, 16).ok()?));
        match PROCESSORS.iter().find(|p| p.2.contains(&name)) {
            Some(p) => Some(Gfx(p.0)),
            None => numbered().filter(|g| g.index().is_some() && g.to_string() == name),
        }
    }

    /// Names beside its number.
    pub fn aliases(self) -> &'static [&'static str] {
        self.index().map_or(&[], |i| PROCESSORS[i].2)
    }

    /// Its family.
    pub const fn family(self) -> Family {
        match self.0 {
            0x600..=0x6ff => Family::Gfx6,
            0x700..=0x7ff => Family::Gfx7,
            0x800..=0x8ff => Family::Gfx8,
            0x90a => Family::Gfx90a,
            0x940..=0x95f => Family::Gfx940,
            0x900..=0x9ff => Family::Gfx9,
            0x1010..=0x101f => Family::Gfx10,
            0x1030..=0x103f => Family::Gfx103,
            0x1150..=0x115f => Family::Gfx115,
            0x1100..=0x11ff => Family::Gfx11,
            _ => Family::Gfx12,
        }
    }

    /// Its number space.
    pub const fn space(self) -> Space {
        match self.family() {
            Family::Gfx6 | Family::Gfx7 => Space::Gfx6,
            Family::Gfx8 | Family::Gfx9 | Family::Gfx90a | Family::Gfx940 => Space::Gfx8,
            Family::Gfx10 | Family::Gfx103 => Space::Gfx10,
            Family::Gfx11 | Family::Gfx115 => Space::Gfx11,
            Family::Gfx12 => Space::Gfx12,
        }
    }

    /// Position in [`Gfx::all`], `None` for a number that names no processor.
    pub fn index(self) -> Option<usize> {
        let i = *INDEX.get(usize::from(self.0))?;
        (i != NO_INDEX).then_some(usize::from(i))
    }

    /// Every processor, oldest first.
    pub fn all() -> impl ExactSizeIterator<Item = Gfx> {
        PROCESSORS.iter().map(|p| Gfx(p.0))
    }

    /// Processor of the EF_AMDGPU_MACH field of ELF e_flags.
    pub fn from_elf_mach(mach: u32) -> Option<Gfx> {
        PROCESSORS.iter().find(|p| p.1 == mach).map(|p| Gfx(p.0))
    }
}

impl fmt::Display for Gfx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gfx{:x}", self.0)
    }
}
impl fmt::Debug for Gfx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// (number, EF_AMDGPU_MACH, other names). LLVM AMDGPUUsage, "Processors" and "ELF header e_flags"; `generic` and `generic-hsa` are what LLVM
/// takes without a processor.
#[rustfmt::skip]
const PROCESSORS: &[(u16, u32, &[&str])] = &[
    (0x600, 0x20, &["tahiti", "generic"]), (0x601, 0x21, &["pitcairn", "verde"]), (0x602, 0x3a, &["hainan", "oland"]),
    (0x700, 0x22, &["kaveri", "generic-hsa"]), (0x701, 0x23, &["hawaii"]), (0x702, 0x24, &[]), (0x703, 0x25, &["kabini", "mullins"]),
    (0x704, 0x26, &["bonaire"]), (0x705, 0x3b, &[]),
    (0x801, 0x28, &["carrizo"]), (0x802, 0x29, &["iceland", "tonga"]), (0x803, 0x2a, &["fiji", "polaris10", "polaris11"]),
    (0x805, 0x3c, &["tongapro"]), (0x810, 0x2b, &["stoney"]),
    (0x900, 0x2c, &[]), (0x902, 0x2d, &[]), (0x904, 0x2e, &[]), (0x906, 0x2f, &[]), (0x908, 0x30, &[]), (0x909, 0x31, &[]), (0x90a, 0x3f, &[]),
    (0x90c, 0x32, &[]),
    (0x940, 0x40, &[]), (0x941, 0x4b, &[]), (0x942, 0x4c, &[]),
    (0x1010, 0x33, &[]), (0x1011, 0x34, &[]), (0x1012, 0x35, &[]), (0x1013, 0x42, &[]),
    (0x1030, 0x36, &[]), (0x1031, 0x37, &[]), (0x1032, 0x38, &[]), (0x1033, 0x39, &[]), (0x1034, 0x3e, &[]), (0x1035, 0x3d, &[]),
    (0x1036, 0x45, &[]),
    (0x1100, 0x41, &[]), (0x1101, 0x46, &[]), (0x1102, 0x47, &[]), (0x1103, 0x44, &[]),
    (0x1150, 0x43, &[]), (0x1151, 0x4a, &[]), (0x1152, 0x55, &[]),
    (0x1200, 0x48, &[]), (0x1201, 0x4e, &[]),
];

/// Number of processors.
pub const PROCESSOR_COUNT: usize = PROCESSORS.len();

const NO_INDEX: u8 = 0xff;

/// Position in [`PROCESSORS`] by number.
static INDEX: [u8; 0x1202] = {
    let mut index = [NO_INDEX; 0x1202];
    let mut i = 0;
    while i < PROCESSORS.len() {
        index[PROCESSORS[i].0 as usize] = i as u8;
        i += 1;
    }
    index
};

/// A set of processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Procs(u64);

impl Procs {
    /// Every processor.
    pub const ALL: Procs = Procs::range(0, 0xffff);
    #[allow(missing_docs)]
    pub const GFX6: Procs = Procs::range(0x600, 0x6ff);
    #[allow(missing_docs)]
    pub const GFX7: Procs = Procs::range(0x700, 0x7ff);
    #[allow(missing_docs)]
    pub const GFX8: Procs = Procs::range(0x800, 0x8ff);
    /// gfx900 to gfx90c without gfx90a.
    pub const GFX9: Procs = Procs::range(0x900, 0x909).or(Procs::range(0x90b, 0x90f));
    #[allow(missing_docs)]
    pub const GFX90A: Procs = Procs::range(0x90a, 0x90a);
    #[allow(missing_docs)]
    pub const GFX940: Procs = Procs::range(0x940, 0x95f);
    /// gfx101x.
    pub const GFX10_1: Procs = Procs::range(0x1010, 0x101f);
    /// gfx103x.
    pub const GFX10_3: Procs = Procs::range(0x1030, 0x103f);
    /// gfx110x.
    pub const GFX11_0: Procs = Procs::range(0x1100, 0x114f);
    /// gfx115x.
    pub const GFX11_5: Procs = Procs::range(0x1150, 0x115f);
    #[allow(missing_docs)]
    pub const GFX12: Procs = Procs::range(0x1200, 0x12ff);
    /// gfx900 to gfx94x.
    pub const ALL_GFX9: Procs = Procs::range(0x900, 0x9ff);
    /// gfx10.1 and gfx10.3.
    pub const GFX10: Procs = Procs::range(0x1000, 0x10ff);
    /// gfx11.0 and gfx11.5.
    pub const GFX11: Procs = Procs::range(0x1100, 0x11ff);
    #[allow(missing_docs)]
    pub const SINCE_GFX8: Procs = Procs::range(0x800, u16::MAX);
    #[allow(missing_docs)]
    pub const SINCE_GFX9: Procs = Procs::range(0x900, u16::MAX);
    #[allow(missing_docs)]
    pub const SINCE_GFX10: Procs = Procs::range(0x1000, u16::MAX);
    /// gfx10.3 and later.
    pub const SINCE_GFX10_3: Procs = Procs::range(0x1030, u16::MAX);
    #[allow(missing_docs)]
    pub const SINCE_GFX11: Procs = Procs::range(0x1100, u16::MAX);
    #[allow(missing_docs)]
    pub const BEFORE_GFX9: Procs = Procs::ALL.without(Procs::SINCE_GFX9);
    #[allow(missing_docs)]
    pub const BEFORE_GFX10: Procs = Procs::ALL.without(Procs::SINCE_GFX10);
    #[allow(missing_docs)]
    pub const BEFORE_GFX11: Procs = Procs::ALL.without(Procs::SINCE_GFX11);
    #[allow(missing_docs)]
    pub const BEFORE_GFX12: Procs = Procs::ALL.without(Procs::GFX12);

    /// Processors numbered `first` to `last`.
    pub const fn range(first: u16, last: u16) -> Procs {
        let mut bits = 0;
        let mut i = 0;
        while i < PROCESSORS.len() {
            if PROCESSORS[i].0 >= first && PROCESSORS[i].0 <= last {
                bits |= 1 << i;
            }
            i += 1;
        }
        Procs(bits)
    }

    /// One processor.
    pub const fn one(number: u16) -> Procs {
        Procs::range(number, number)
    }

    /// Both sets together.
    pub const fn or(self, other: Procs) -> Procs {
        Procs(self.0 | other.0)
    }

    /// Those in both.
    pub const fn and(self, other: Procs) -> Procs {
        Procs(self.0 & other.0)
    }

    /// Those not in `other`.
    pub const fn without(self, other: Procs) -> Procs {
        Procs(self.0 & !other.0)
    }

    /// Is the processor in the set?
    pub fn has(self, target: Gfx) -> bool {
        target.index().is_some_and(|i| (self.0 >> i) & 1 != 0)
    }

    /// Has no processor.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for p in PROCESSORS {
            let g = Gfx(p.0);
            assert_eq!(Gfx::named(&g.to_string()), Some(g));
            assert_eq!(Gfx::from_elf_mach(p.1), Some(g));
        }
        for bad in ["gfx1234", "gfx+900", "gfx0900", "gfx90A", "gfx", "900", ""] {
            assert_eq!(Gfx::named(bad), None, "{bad}");
        }
    }
}
