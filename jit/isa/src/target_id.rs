//! Target ids: a processor and its settings of XNACK and SRAM ECC, `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`. LLVM AMDGPUUsage,
//! "Processors", "Target ID" and "ELF Header e_flags".
//!
//! This is the one reader of processor names: `--mcpu`, `--target`, bundle entries, the C interface and test files all come here.

use super::target::{Gfx, Procs};
use std::fmt;

/// What code was compiled for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TargetId {
    /// The processor it is run as. A generic target is run as its oldest member that has all it may use.
    pub processor: Gfx,
    /// The name without features: `gfx1100`, `gfx11-generic`. Other names of a processor (`fiji`) become its number.
    pub name: String,
    /// XNACK on or off; none: any, or the target has no such setting.
    pub xnack: Option<bool>,
    /// SRAM ECC on or off; none: any, or the target has no such setting.
    pub sramecc: Option<bool>,
}

/// Why a text is not a target id.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum TargetError {
    #[error("`{0}` is not a known processor (expected one such as gfx1100, gfx90a:xnack+, fiji or gfx11-generic)")]
    Processor(String),
    #[error("`{0}` is not a target feature (expected xnack+, xnack-, sramecc+ or sramecc-)")]
    Feature(String),
    #[error("{processor} has no {feature} setting")]
    NoSetting { processor: String, feature: &'static str },
    #[error("{0} is set twice")]
    Twice(&'static str),
    #[error("`{0}` is not a target of amdgcn")]
    Triple(String),
}

/// A target that stands for several processors.
struct Generic {
    mach: u32,
    name: &'static str,
    run_as: Gfx,
    members: Procs,
}

const fn generic(mach: u32, name: &'static str, run_as: u16, members: Procs) -> Generic {
    Generic { mach, name, run_as: Gfx(run_as), members }
}

/// EF_AMDGPU_MACH of generic targets, their names, the processor they are run as and all that they run on. gfx9-4-generic came after LLVM
/// 19.
#[rustfmt::skip]
static GENERIC: [Generic; 6] = [
    generic(0x51, "gfx9-generic",    0x900,  Procs::GFX9.without(Procs::one(0x908))),
    generic(0x52, "gfx10-1-generic", 0x1010, Procs::GFX10_1),
    generic(0x53, "gfx10-3-generic", 0x1030, Procs::GFX10_3),
    generic(0x54, "gfx11-generic",   0x1100, Procs::GFX11_0.or(Procs::GFX11_5)),
    generic(0x59, "gfx12-generic",   0x1200, Procs::GFX12),
    generic(0x5f, "gfx9-4-generic",  0x942,  Procs::GFX940),
];

/// Processors with the setting.
const XNACK: Procs = Procs::one(0x801).or(Procs::one(0x810)).or(Procs::GFX9).or(Procs::GFX90A).or(Procs::GFX940).or(Procs::GFX10_1);
const SRAMECC: Procs = Procs::one(0x906).or(Procs::one(0x908)).or(Procs::GFX90A).or(Procs::GFX940);

impl Gfx {
    /// The processor of a target id: [`TargetId::parse`] without its reasons.
    pub fn parse(id: &str) -> Option<Gfx> {
        TargetId::parse(id).ok().map(|id| id.processor)
    }
}

impl TargetId {
    /// Parses `gfx90a:sramecc+:xnack-`, with or without a triple in front, and before that the kind of a bundle entry
    /// (`hipv4-amdgcn-amd-amdhsa--gfx1100`).
    pub fn parse(text: &str) -> Result<TargetId, TargetError> {
        let id = match text.find("amdgcn-") {
            Some(at) => after_triple(&text[at..]).ok_or_else(|| TargetError::Triple(text.into()))?,
            None => text,
        };
        let mut parts = id.split(':');
        let name = parts.next().unwrap_or_default();
        let generic = GENERIC.iter().find(|g| g.name == name);
        let (processor, name) = match (generic, Gfx::named(name)) {
            (Some(g), _) => (g.run_as, name.to_string()),
            (None, Some(processor)) => (processor, processor.to_string()),
            (None, None) => return Err(TargetError::Processor(name.into())),
        };
        let mut id = TargetId { processor, name, xnack: None, sramecc: None };
        for part in parts {
            let (setting, feature, procs) = match part.get(..part.len().saturating_sub(1)) {
                Some("xnack") => (&mut id.xnack, "xnack", XNACK),
                Some("sramecc") => (&mut id.sramecc, "sramecc", SRAMECC),
                _ => return Err(TargetError::Feature(part.into())),
            };
            let on = match part.as_bytes().last() {
                Some(b'+') => true,
                Some(b'-') => false,
                _ => return Err(TargetError::Feature(part.into())),
            };
            if !procs.has(processor) {
                return Err(TargetError::NoSetting { processor: id.name, feature });
            }
            if setting.replace(on).is_some() {
                return Err(TargetError::Twice(feature));
            }
        }
        Ok(id)
    }

    /// The target in e_flags. `abi` is EI_ABIVERSION: features are laid out one way in v3 (1) and another from v4 on.
    pub fn from_e_flags(e_flags: u32, abi: u8) -> Option<TargetId> {
        let mach = e_flags & 0xff;
        let (processor, name) = match GENERIC.iter().find(|g| g.mach == mach) {
            Some(generic) => (generic.run_as, generic.name.to_string()),
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

    /// Can code for this target run where `wanted` is asked for? A generic target runs on all its members, and a feature that is left open
    /// fits both settings.
    pub fn fits(&self, wanted: &TargetId) -> bool {
        let open = |a: Option<bool>, b: Option<bool>| a.is_none() || b.is_none() || a == b;
        let generic = GENERIC.iter().find(|g| g.name == self.name);
        let runs = self.processor == wanted.processor || generic.is_some_and(|g| g.members.has(wanted.processor));
        runs && open(self.xnack, wanted.xnack) && open(self.sramecc, wanted.sramecc)
    }

    /// Does it stand for several processors?
    pub fn is_generic(&self) -> bool {
        GENERIC.iter().any(|g| g.name == self.name)
    }
}

/// What follows `amdgcn-VENDOR-OS-`, and the environment if there is one.
fn after_triple(text: &str) -> Option<&str> {
    let rest = text.splitn(4, '-').nth(3)?;
    let rest = rest.trim_start_matches('-');
    Some(rest.strip_prefix("unknown-").unwrap_or(rest))
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

    fn parse(text: &str) -> TargetId {
        TargetId::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn ids_round_trip() {
        for text in ["gfx1100", "gfx90a:sramecc+:xnack-", "gfx11-generic", "gfx9-generic:xnack+"] {
            assert_eq!(parse(text).to_string(), text);
        }
    }

    /// `llvm-mc-19 -mcpu=NAME -filetype=obj` puts these machine numbers into e_flags.
    #[test]
    fn every_name_llvm_lists_is_its_processor() {
        let names = [
            ("tahiti", 0x20, "gfx600"),
            ("pitcairn", 0x21, "gfx601"),
            ("verde", 0x21, "gfx601"),
            ("hainan", 0x3a, "gfx602"),
            ("oland", 0x3a, "gfx602"),
            ("kaveri", 0x22, "gfx700"),
            ("hawaii", 0x23, "gfx701"),
            ("kabini", 0x25, "gfx703"),
            ("mullins", 0x25, "gfx703"),
            ("bonaire", 0x26, "gfx704"),
            ("carrizo", 0x28, "gfx801"),
            ("iceland", 0x29, "gfx802"),
            ("tonga", 0x29, "gfx802"),
            ("fiji", 0x2a, "gfx803"),
            ("polaris10", 0x2a, "gfx803"),
            ("polaris11", 0x2a, "gfx803"),
            ("tongapro", 0x3c, "gfx805"),
            ("stoney", 0x2b, "gfx810"),
            ("gfx9-generic", 0x51, "gfx9-generic"),
            ("gfx10-1-generic", 0x52, "gfx10-1-generic"),
            ("gfx10-3-generic", 0x53, "gfx10-3-generic"),
            ("gfx11-generic", 0x54, "gfx11-generic"),
            ("gfx12-generic", 0x59, "gfx12-generic"),
            ("gfx9-4-generic", 0x5f, "gfx9-4-generic"),
        ];
        for (text, mach, name) in names {
            assert_eq!(parse(text).name, name);
            assert_eq!(TargetId::from_e_flags(mach, 4), Some(parse(text)), "{text}");
        }
        // Without a processor LLVM takes the first of Southern Islands, and of Sea Islands under HSA.
        assert_eq!((parse("generic").name, parse("generic-hsa").name), ("gfx600".into(), "gfx700".into()));
    }

    #[test]
    fn a_triple_or_the_kind_of_a_bundle_entry_may_stand_in_front() {
        for text in [
            "gfx90a:xnack+",
            "amdgcn-amd-amdhsa--gfx90a:xnack+",
            "amdgcn-amd-amdhsa-unknown-gfx90a:xnack+",
            "hip-amdgcn-amd-amdhsa-gfx90a:xnack+",
            "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
        ] {
            let id = parse(text);
            assert_eq!((id.processor, id.xnack, id.sramecc), (Gfx(0x90a), Some(true), None), "{text}");
        }
        let id = parse("amdgcn-amd-amdhsa--gfx11-generic");
        assert_eq!((id.processor, id.name.as_str()), (Gfx::GFX1100, "gfx11-generic"));
        assert_eq!(parse("amdgcn-amd-amdpal--gfx1030").processor, Gfx(0x1030));
        assert_eq!(parse("amdgcn-mesa-mesa3d--tonga").processor, Gfx(0x802));
    }

    #[test]
    fn what_is_no_target_id_is_refused_by_name() {
        let error = |text: &str| TargetId::parse(text).unwrap_err();
        assert_eq!(error("gfx90a:magic+"), TargetError::Feature("magic+".into()));
        assert_eq!(error("gfx90a:xnack"), TargetError::Feature("xnack".into()));
        assert_eq!(error("gfx90a:"), TargetError::Feature("".into()));
        assert_eq!(error("gfx90a:xnack+:xnack-"), TargetError::Twice("xnack"));
        assert_eq!(error("gfx1100:xnack+").to_string(), "gfx1100 has no xnack setting");
        assert_eq!(error("gfx900:sramecc-").to_string(), "gfx900 has no sramecc setting");
        assert_eq!(error("gfx1234"), TargetError::Processor("gfx1234".into()));
        assert_eq!(error(""), TargetError::Processor("".into()));
        assert_eq!(error("host-x86_64-unknown-linux--"), TargetError::Processor("host-x86_64-unknown-linux--".into()));
        assert_eq!(error("amdgcn-amd"), TargetError::Triple("amdgcn-amd".into()));
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

    #[test]
    fn a_generic_target_fits_its_members() {
        let fits = |code: &str, wanted: &str| parse(code).fits(&parse(wanted));
        assert!(fits("gfx11-generic", "gfx1100") && fits("gfx11-generic", "gfx1151") && fits("gfx9-generic", "gfx906:xnack+"));
        assert!(!fits("gfx11-generic", "gfx1200") && !fits("gfx9-generic", "gfx908") && !fits("gfx1100", "gfx1101"));
        assert!(!fits("gfx9-generic:xnack-", "gfx906:xnack+"));
    }
}
