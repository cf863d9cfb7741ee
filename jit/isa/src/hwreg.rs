//! Hardware registers: which one a number of s_getreg_b32 and s_setreg_b32 names on a processor.
//!
//! Reference: the ISA manuals' tables of hardware registers; LLVM AMDGPUOperandSyntax, hwreg.

use super::target::{Gfx, Procs};

/// Declares the registers and their names.
macro_rules! registers {
    ($($variant:ident $name:literal,)*) => {
        /// A hardware register.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)] // the manuals' names
        pub enum HwReg {
            $($variant,)*
        }

        impl HwReg {
            /// As it is written, without `HW_REG_`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(HwReg::$variant => $name,)*
                }
            }
        }
    };
}

registers! {
    Mode "MODE", Status "STATUS", TrapSts "TRAPSTS", HwId "HW_ID", StatePriv "STATE_PRIV", GprAlloc "GPR_ALLOC", LdsAlloc "LDS_ALLOC",
    IbSts "IB_STS", ShMemBases "SH_MEM_BASES", TbaLo "TBA_LO", TbaHi "TBA_HI", TmaLo "TMA_LO", TmaHi "TMA_HI",
    ExcpFlagPriv "EXCP_FLAG_PRIV", ExcpFlagUser "EXCP_FLAG_USER", TrapCtrl "TRAP_CTRL", XccId "XCC_ID",
    FlatScrLo "FLAT_SCR_LO", FlatScrHi "FLAT_SCR_HI", ScratchBaseLo "SCRATCH_BASE_LO", ScratchBaseHi "SCRATCH_BASE_HI",
    XnackMask "XNACK_MASK", HwId1 "HW_ID1", HwId2 "HW_ID2", PopsPacker "POPS_PACKER",
    ShaderCycles "SHADER_CYCLES", ShaderCyclesLo "SHADER_CYCLES_LO", ShaderCyclesHi "SHADER_CYCLES_HI",
    DvgprAllocLo "DVGPR_ALLOC_LO", DvgprAllocHi "DVGPR_ALLOC_HI",
    PerfSnapshotData "PERF_SNAPSHOT_DATA", PerfSnapshotData1 "PERF_SNAPSHOT_DATA1", PerfSnapshotData2 "PERF_SNAPSHOT_DATA2",
    PerfSnapshotPcLo "PERF_SNAPSHOT_PC_LO", PerfSnapshotPcHi "PERF_SNAPSHOT_PC_HI",
    SqPerfSnapshotData "SQ_PERF_SNAPSHOT_DATA", SqPerfSnapshotData1 "SQ_PERF_SNAPSHOT_DATA1",
    SqPerfSnapshotPcLo "SQ_PERF_SNAPSHOT_PC_LO", SqPerfSnapshotPcHi "SQ_PERF_SNAPSHOT_PC_HI",
}

const ALL: Procs = Procs::ALL;
const GFX940: Procs = Procs::GFX940;
const GFX10: Procs = Procs::GFX10;
const GFX11: Procs = Procs::GFX11;
const GFX12: Procs = Procs::GFX12;

/// Number, register, and the processors that have it there.
#[rustfmt::skip]
static NUMBERS: &[(u32, HwReg, Procs)] = {
    use HwReg::*;
    &[
        (1, Mode, ALL),
        (2, Status, ALL),
        (3, TrapSts, Procs::BEFORE_GFX12),
        (4, HwId, Procs::BEFORE_GFX10),             (4, StatePriv, GFX12),
        (5, GprAlloc, ALL),
        (6, LdsAlloc, ALL),
        (7, IbSts, ALL),
        (10, PerfSnapshotData, GFX12),
        (11, PerfSnapshotPcLo, GFX12),
        (12, PerfSnapshotPcHi, GFX12),
        (15, ShMemBases, Procs::SINCE_GFX9.and(Procs::BEFORE_GFX12)), (15, PerfSnapshotData1, GFX12),
        (16, TbaLo, Procs::SINCE_GFX9.and(Procs::BEFORE_GFX11)),      (16, PerfSnapshotData2, GFX12),
        (17, TbaHi, Procs::SINCE_GFX9.and(Procs::BEFORE_GFX11)),      (17, ExcpFlagPriv, GFX12),
        (18, TmaLo, Procs::SINCE_GFX9.and(Procs::BEFORE_GFX11)),      (18, PerfSnapshotPcLo, GFX11),   (18, ExcpFlagUser, GFX12),
        (19, TmaHi, Procs::SINCE_GFX9.and(Procs::BEFORE_GFX11)),      (19, PerfSnapshotPcHi, GFX11),   (19, TrapCtrl, GFX12),
        (20, XccId, GFX940),                        (20, FlatScrLo, GFX10.or(GFX11)),  (20, ScratchBaseLo, GFX12),
        (21, SqPerfSnapshotData, GFX940),           (21, FlatScrHi, GFX10.or(GFX11)),  (21, ScratchBaseHi, GFX12),
        (22, SqPerfSnapshotData1, GFX940),          (22, XnackMask, Procs::GFX10_1),
        (23, SqPerfSnapshotPcLo, GFX940),           (23, HwId1, Procs::SINCE_GFX10),
        (24, SqPerfSnapshotPcHi, GFX940),           (24, HwId2, Procs::SINCE_GFX10),
        (25, PopsPacker, GFX10),
        (27, PerfSnapshotData, GFX11),
        (29, ShaderCycles, Procs::GFX10_3.or(GFX11)), (29, ShaderCyclesLo, GFX12),
        (30, ShaderCyclesHi, GFX12),
        (31, DvgprAllocLo, GFX12),
        (32, DvgprAllocHi, GFX12),
    ]
};

impl HwReg {
    /// The register with a number.
    pub fn of(target: Gfx, number: u32) -> Option<HwReg> {
        NUMBERS.iter().find(|r| r.0 == number && r.2.has(target)).map(|r| r.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The ISA manuals' tables.
    #[test]
    fn numbers_change_their_register_between_families() {
        let at = |number| [0x600, 0x906, 0x942, 0x1010, 0x1030, 0x1100, 0x1200].map(|g| HwReg::of(Gfx(g), number));
        let [a, b, c] = [HwReg::TrapSts, HwReg::HwId, HwReg::StatePriv].map(Some);
        assert_eq!(at(3), [a, a, a, a, a, a, None]);
        assert_eq!(at(4), [b, b, b, None, None, None, c]);
        assert_eq!(at(22), [None, None, Some(HwReg::SqPerfSnapshotData1), Some(HwReg::XnackMask), None, None, None]);
    }
}
