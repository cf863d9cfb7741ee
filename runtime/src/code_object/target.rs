//! Target ids: a processor and its settings of XNACK and SRAM ECC. LLVM AMDGPUUsage, "Target ID" and "ELF Header e_flags".

use std::fmt;
use wavejit_jit::isa::Gfx;

/// What a code object was compiled for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TargetId {
    /// The processor it is run as. A generic target is run as its oldest member that has all it may use.
    pub processor: Gfx,
    /// The name without features: `gfx1100`, `gfx11-generic`.
    pub name: String,
    /// XNACK on or off; none: any, or the target has no such setting.
    pub xnack: Option<bool>,
    /// SRAM ECC on or off; none: any, or the target has no such setting.
    pub sramecc: Option<bool>,
}

/// EF_AMDGPU_MACH of generic targets, their names, and the processor they are run as.
const GENERIC: &[(u32, &str, Gfx)] = &[
    (0x51, "gfx9-generic", Gfx(0x900)),
    (0x52, "gfx10-1-generic", Gfx(0x1010)),
    (0x53, "gfx10-3-generic", Gfx(0x1030)),
    (0x54, "gfx11-generic", Gfx(0x1100)),
    (0x59, "gfx12-generic", Gfx(0x1200)),
    (0x5f, "gfx9-4-generic", Gfx(0x942)),
];

impl TargetId {
    /// Parses `gfx90a:sramecc+:xnack-`, with or without a triple in front.
    pub fn parse(text: &str) -> Option<TargetId> {
        let text = match text.find("amdgcn-amd-amdhsa-") {
            Some(at) => text[at + "amdgcn-amd-amdhsa-".len()..].trim_start_matches('-').trim_start_matches("unknown-"),
            None => text,
        };
        let mut parts = text.split(':');
        let name = parts.next()?;
        let generic = GENERIC.iter().find(|g| g.1 == name).map(|g| g.2);
        let mut id = TargetId { processor: generic.or_else(|| Gfx::parse(name))?, name: name.to_string(), xnack: None, sramecc: None };
        for feature in parts {
            match feature {
                "xnack+" => id.xnack = Some(true),
                "xnack-" => id.xnack = Some(false),
                "sramecc+" => id.sramecc = Some(true),
                "sramecc-" => id.sramecc = Some(false),
                _ => return None,
            }
        }
        Some(id)
    }

    /// The target in e_flags. `abi` is EI_ABIVERSION: features are laid out one way in v3 (1) and another from v4 on.
    pub fn from_e_flags(e_flags: u32, abi: u8) -> Option<TargetId> {
        let mach = e_flags & 0xff;
        let (processor, name) = match GENERIC.iter().find(|g| g.0 == mach) {
            Some(generic) => (generic.2, generic.1.to_string()),
            None => Gfx::from_elf_mach(mach).map(|g| (g, g.to_string()))?,
        };
        let setting = |shift: u32| match (abi, e_flags >> shift & 3) {
            (_, 2) => Some(false),
            (_, 3) => Some(true),
            _ => None,
        };
        let (xnack, sramecc) = match abi {
            1 => ((e_flags & 0x100 != 0).then_some(true), (e_flags & 0x200 != 0).then_some(true)),
            _ => (setting(8), setting(10)),
        };
        Some(TargetId { processor, name, xnack, sramecc })
    }

    /// Can code for this target run where `wanted` is asked for? A feature that is left open fits both settings.
    pub fn fits(&self, wanted: &TargetId) -> bool {
        let open = |a: Option<bool>, b: Option<bool>| a.is_none() || b.is_none() || a == b;
        self.processor == wanted.processor && open(self.xnack, wanted.xnack) && open(self.sramecc, wanted.sramecc)
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (name, setting) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(on) = setting {
                write!(f, ":{name}{}", if on { '+' } else { '-' })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip() {
        for text in ["gfx1100", "gfx90a:sramecc+:xnack-", "gfx11-generic"] {
            assert_eq!(TargetId::parse(text).unwrap().to_string(), text);
        }
        let id = TargetId::parse("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+").unwrap();
        assert_eq!((id.processor, id.xnack), (Gfx(0x90a), Some(true)));
        assert_eq!(TargetId::parse("gfx90a:magic+"), None);
        assert_eq!(TargetId::parse("host-x86_64-unknown-linux--"), None);
    }

    #[test]
    fn e_flags_carry_the_features() {
        // LLVM AMDGPUUsage: XNACK in bits 9:8 (1 any, 2 off, 3 on), SRAMECC in bits 11:10.
        let id = TargetId::from_e_flags(0x3f | 3 << 8 | 2 << 10, 2).unwrap();
        assert_eq!(id.to_string(), "gfx90a:sramecc-:xnack+");
        assert_eq!(TargetId::from_e_flags(0x3f | 1 << 8 | 1 << 10, 3).unwrap().to_string(), "gfx90a");
        assert_eq!(TargetId::from_e_flags(0x3f | 0x100, 1).unwrap().to_string(), "gfx90a:xnack+");
        assert_eq!(TargetId::from_e_flags(0x54 | 1 << 24, 4).unwrap().to_string(), "gfx11-generic");
        assert_eq!(TargetId::from_e_flags(0xff, 3), None);
    }
}
