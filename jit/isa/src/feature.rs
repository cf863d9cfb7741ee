//! What processors have: features, and the facts of their register files.
//!
//! This is the one table that code asks instead of comparing numbers of processors: `target.has(Feature::PackedWorkItemIds)`,
//! `target.wave_sizes()`. A feature is a set of processors with a name. Most follow LLVM's AMDGPU.td and GCNSubtarget.h, some the ISA manuals;
//! each row says which.

use super::target::{Family, Gfx, Procs};

macro_rules! features {
    ($($(#[$doc:meta])+ $name:ident = $procs:expr,)*) => {
        /// Something that some processors have and others lack.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Feature {
            $($(#[$doc])+ $name,)*
        }

        impl Feature {
            /// Every one.
            pub const ALL: &[Feature] = &[$(Feature::$name,)*];

            /// The processors that have it.
            pub const fn procs(self) -> Procs {
                PROCS[self as usize]
            }
        }

        static PROCS: &[Procs] = &[$($procs,)*];
    };
}

features! {
    // What runs.

    /// Code runs end to end here: initial state and operand rules have been checked. Others decode and lift.
    Runs = Procs::GFX11,

    // Waves and registers.

    /// Waves of 32 lanes (LLVM, FeatureWavefrontSize32 of gfx10 and later).
    Wave32 = Procs::SINCE_GFX10,
    /// Work-item ids come packed in v0 (LLVM AMDGPUUsage, initial register state; FeaturePackedTID).
    PackedWorkItemIds = Procs::GFX90A.or(Procs::GFX940).or(Procs::SINCE_GFX11),
    /// Workgroup ids come in TTMPs, not in SGPRs (LLVM, FeatureArchitectedSGPRs as gfx12 has it).
    WorkgroupIdsInTtmps = Procs::GFX12,
    /// FLAT_SCRATCH is set up by the hardware: no SGPR has the wave's scratch offset (LLVM, FeatureArchitectedFlatScratch).
    ArchitectedFlatScratch = Procs::GFX940.or(Procs::SINCE_GFX11),
    /// VGPRs and AGPRs share one file; memory instructions take data from either (LLVM, FeatureGFX90AInsts).
    UnifiedVgprs = Procs::GFX90A.or(Procs::GFX940),
    /// A workgroup can span both compute units of a pair (LLVM, `.workgroup_processor_mode` of gfx10 and later).
    WgpMode = Procs::SINCE_GFX10,
    /// TG_SIZE has the number of the wave in \[24:20\] too (descriptors.md section 12.1).
    WaveNumberInGroupInfo = Procs::GFX10_3.or(Procs::GFX11),
    /// STATUS says in bit 29 that there is scratch (RDNA3 ISA, STATUS).
    ScratchEnableInStatus = Procs::GFX11,
    /// STATUS says in bit 29 that a wave has 64 lanes, and SCC is in STATE_PRIV (RDNA4 ISA, STATUS).
    Wave64InStatus = Procs::GFX12,
    /// s_sendmsg can give back all VGPRs (RDNA3 ISA, MSG_DEALLOC_VGPRS).
    DeallocVgprs = Procs::SINCE_GFX11,
    /// The trap id stands in \[63:60\] of ttmp\[0:1\], above a longer pc; else in \[55:48\] (RDNA4 ISA, trap handler registers).
    ShortTrapId = Procs::GFX12,

    // Float modes and the vector unit.

    /// MODE has DX10_CLAMP and IEEE; elsewhere both are always on (LLVM, FeatureDX10ClampAndIEEEMode).
    Dx10ClampAndIeee = Procs::BEFORE_GFX12,
    /// MODE has FP16_OVFL (Vega ISA, MODE).
    Fp16Ovfl = Procs::SINCE_GFX9,
    /// omod works whatever MODE says of denormals and IEEE (RDNA4 ISA, output modifiers).
    OmodInEveryMode = Procs::GFX12,
    /// A 16-bit result keeps the other half of its register (LLVM, zeroesHigh16BitsOfDest).
    KeepsOtherHalf = Procs::SINCE_GFX10,
    /// Float atomics on memory take and give denormals (numerics.md section 14).
    AtomicsKeepDenormals = Procs::GFX12,
    /// LDS permutes of a wave64 stay within its halves (RDNA2 ISA, ds_permute_b32).
    PermutesWithinHalves = Procs::GFX10.or(Procs::GFX11),

    // Vector formats.

    /// SDWA has v_mac (LLVM, FeatureSDWAMac).
    SdwaMac = Procs::GFX8,
    /// SDWA has scalar sources, omod, and compares that name their destination instead of clamping (LLVM, FeatureSDWAScalar, FeatureSDWAOmod,
    /// FeatureSDWASdst).
    SdwaScalars = Procs::ALL_GFX9.or(Procs::GFX10),
    /// DPP moves pairs of registers, by row_newbcast (LLVM, FeatureDPALU_DPP).
    WideDpp = Procs::GFX90A.or(Procs::GFX940),
    /// Source 1 of the long form with DPP can be scalar (LLVM, FeatureDPPSrc1SGPR).
    DppScalarSource1 = Procs::GFX11_5.or(Procs::GFX12),
    /// Results of matrix instructions are in AGPRs only (LLVM, FeatureMAIInsts without FeatureGFX90AInsts).
    MatrixResultsInAgprs = Procs::GFX9,
    /// blgp negates sources of f64 matrix instructions (CDNA3 ISA, MFMA).
    NegatedF64Matrices = Procs::GFX940,

    // Memory formats.

    /// Immediate offsets of SMEM count dwords (Southern Islands ISA, SMRD).
    SmemCountsDwords = Procs::GFX6.or(Procs::GFX7),
    /// SMEM takes a literal offset (Sea Islands ISA, SMRD).
    SmemLiteralOffset = Procs::GFX7,
    /// FLAT has an immediate offset (LLVM, FeatureFlatInstOffsets).
    FlatOffset = Procs::SINCE_GFX9,
    /// SCRATCH can leave out both addresses (LLVM, FeatureFlatScratchSTMode, and older ones).
    ScratchWithoutAddress = Procs::ALL.without(Procs::GFX10_1),
    /// LLVM has no scc bit for float atomics of FLAT, although the format has one.
    FloatAtomicsWithoutScc = Procs::one(0x908).or(Procs::GFX90A),
    /// Cache policy is sc0, sc1 and nt (CDNA3 ISA, memory scopes).
    Sc0Sc1 = Procs::GFX940,
    /// Cache policy is a temporal hint and a scope; bit 0 of the hint has an atomic return (RDNA4 ISA, cache controls).
    TemporalHints = Procs::GFX12,
    /// DS has the global data share (LLVM, FeatureGDS).
    Gds = Procs::BEFORE_GFX12,
    /// M0 says how much of LDS an instruction reaches (LLVM, ldsRequiresM0Init).
    LdsSizeInM0 = Procs::BEFORE_GFX9,
    /// ds_swizzle_b32 rotates and does FFT patterns (Vega ISA, DS_SWIZZLE_B32).
    SwizzleRotates = Procs::SINCE_GFX9,
    /// s_waitcnt_depctr has hold_cnt (LLVM, names of depctr counters).
    HoldCnt = Procs::SINCE_GFX10_3,

    // Images.

    /// Image instructions can have 16-bit data (LLVM, FeatureD16).
    D16Images = Procs::SINCE_GFX8,
    /// 16-bit data takes a register for each component (LLVM, FeatureUnpackedD16VMem).
    UnpackedD16 = Procs::range(0x801, 0x805),
    /// Image instructions have 16-bit addresses in place of 128-bit descriptors (LLVM, FeatureR128A16).
    R128IsA16 = Procs::GFX9.or(Procs::GFX90A),
    /// Image instructions say their dimension, and so how long their address is (RDNA1 ISA, MIMG).
    ImageDim = Procs::SINCE_GFX10,
    /// T#s name rows of the tables of tile modes (GCN3 ISA, image resources).
    TileModes = Procs::BEFORE_GFX9,
    /// Depth images of 1 or 2 bytes per element have the mip tails of other images (images.md).
    UnscaledDepthTail = Procs::one(0x1010),
}

/// Sizes of a processor's register file and memories. LLVM AMDGPUUsage, compute_pgm_rsrc1 and 2; AMDGPUBaseInfo, IsaInfo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// VGPRs per unit of the descriptor, in wave32 and wave64.
    pub vgpr_granule: [u32; 2],
    /// VGPRs are handed out in multiples of this, in wave32 and wave64.
    pub vgpr_block: [u32; 2],
    /// What the descriptor says of SGPRs.
    pub sgprs: SgprCount,
    /// LDS per unit of the descriptor and of LDS_ALLOC, bytes.
    pub lds_granule: u32,
    /// LDS is handed out in multiples of this, bytes.
    pub lds_block: u32,
    /// Most bytes of scratch that a wave can have.
    pub scratch_limit: usize,
}

/// How a descriptor's field says how many SGPRs there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SgprCount {
    /// Units of 8.
    By8,
    /// Pairs of units of 8.
    By16,
    /// It does not: there are always 128 codes' worth.
    All,
}

impl SgprCount {
    /// SGPRs for a field's value.
    pub fn of(self, field: u32) -> u32 {
        match self {
            SgprCount::By8 => (field + 1) * 8,
            SgprCount::By16 => (field / 2 + 1) * 16,
            SgprCount::All => 128,
        }
    }
}

/// What decides the layout of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // the processors are the names
pub enum Generation {
    /// gfx6 and gfx7.
    Gfx6,
    Gfx8,
    /// gfx9 with gfx90a and gfx940.
    Gfx9,
    /// gfx10.1.
    Gfx10,
    /// gfx10.3: its own format table, image pitch and swizzle equations.
    Gfx103,
    /// gfx11 and gfx11.5.
    Gfx11,
    Gfx12,
}

/// 1536 registers in a lane of a SIMD, where others of gfx10.3 and later have 1024.
const LARGE_FILE: Procs = Procs::range(0x1100, 0x1101).or(Procs::one(0x1151)).or(Procs::GFX12);

impl Gfx {
    /// Has it the feature?
    pub fn has(self, feature: Feature) -> bool {
        feature.procs().has(self)
    }

    /// How its descriptors are laid out.
    pub fn descriptors(self) -> Generation {
        match self.family() {
            Family::Gfx6 | Family::Gfx7 => Generation::Gfx6,
            Family::Gfx8 => Generation::Gfx8,
            Family::Gfx9 | Family::Gfx90a | Family::Gfx940 => Generation::Gfx9,
            Family::Gfx10 => Generation::Gfx10,
            Family::Gfx103 => Generation::Gfx103,
            Family::Gfx11 | Family::Gfx115 => Generation::Gfx11,
            Family::Gfx12 => Generation::Gfx12,
        }
    }

    /// Lanes a wave can have, the default first.
    pub fn wave_sizes(self) -> &'static [u32] {
        if self.has(Feature::Wave32) { &[32, 64] } else { &[64] }
    }

    /// Wave size when nobody says: 64 up to gfx9, 32 from gfx10.
    pub fn default_wave_size(self) -> u32 {
        self.wave_sizes()[0]
    }

    /// Its sizes.
    pub fn sizes(self) -> Sizes {
        let old = Sizes {
            vgpr_granule: [4, 4],
            vgpr_block: [1, 1],
            sgprs: SgprCount::By8,
            lds_granule: 512,
            lds_block: 512,
            scratch_limit: ((1 << 13) - 1) * 1024,
        };
        let gfx9 = Sizes { sgprs: SgprCount::By16, ..old };
        let gfx10 = Sizes { vgpr_granule: [8, 4], sgprs: SgprCount::All, ..old };
        let vgpr_block = if LARGE_FILE.has(self) { [24, 12] } else { [16, 8] };
        let gfx11 = Sizes { vgpr_block, lds_block: 1024, scratch_limit: ((1 << 15) - 1) * 256, ..gfx10 };
        match self.family() {
            Family::Gfx6 => Sizes { lds_granule: 256, lds_block: 256, ..old },
            Family::Gfx7 | Family::Gfx8 => old,
            Family::Gfx9 => gfx9,
            Family::Gfx90a | Family::Gfx940 => Sizes { vgpr_granule: [8, 8], ..gfx9 },
            Family::Gfx10 => gfx10,
            Family::Gfx103 => Sizes { vgpr_block, ..gfx10 },
            Family::Gfx11 | Family::Gfx115 => gfx11,
            Family::Gfx12 => Sizes { scratch_limit: ((1 << 18) - 1) * 256, ..gfx11 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_divides_the_processors() {
        for &feature in Feature::ALL {
            let with = Gfx::all().filter(|g| g.has(feature)).count();
            assert!(with > 0 && with < Gfx::all().len(), "{feature:?}");
        }
    }

    // LLVM, AMDGPU.td: features of single processors.
    #[test]
    fn features_of_single_processors_are_llvms() {
        let has = |g: u16, f| Gfx(g).has(f);
        assert!(has(0x803, Feature::UnpackedD16) && !has(0x810, Feature::UnpackedD16) && !has(0x705, Feature::UnpackedD16));
        assert!(has(0x908, Feature::MatrixResultsInAgprs) && !has(0x90a, Feature::MatrixResultsInAgprs));
        assert!(!has(0x1010, Feature::ScratchWithoutAddress) && has(0x1030, Feature::ScratchWithoutAddress));
        assert!(has(0x1150, Feature::DppScalarSource1) && !has(0x1100, Feature::DppScalarSource1));
        assert_eq!(Gfx(0x906).wave_sizes(), [64]);
        assert_eq!(Gfx(0x1010).wave_sizes(), [32, 64]);
    }
}
