//! Names of numbers: special operands, inline constants, hardware registers, messages, image dimensions, buffer formats.

use crate::isa::target::Gfx;

/// Scalar source codes that are neither registers nor constants.
pub(super) const SPECIAL: [(u8, &str); 9] = [
    (235, "src_shared_base"),
    (236, "src_shared_limit"),
    (237, "src_private_base"),
    (238, "src_private_limit"),
    (239, "src_pops_exiting_wave_id"),
    (251, "src_vccz"),
    (252, "src_execz"),
    (253, "src_scc"),
    (254, "src_lds_direct"),
];

/// Text, bits as f16, f32 and f64.
pub(super) type Float = (&'static str, u16, u32, u64);

/// Inline float constants 240 to 248.
#[rustfmt::skip]
pub(super) const FLOATS: [Float; 9] = [
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

/// 1/(2 pi) as a double prints with more digits.
pub(super) const INV_2PI_F64: &str = "0.15915494309189532";

/// Hardware registers of gfx11.
const HWREGS: [(u32, &str); 15] = [
    (1, "MODE"),
    (2, "STATUS"),
    (3, "TRAPSTS"),
    (5, "GPR_ALLOC"),
    (6, "LDS_ALLOC"),
    (7, "IB_STS"),
    (15, "SH_MEM_BASES"),
    (18, "PERF_SNAPSHOT_PC_LO"),
    (19, "PERF_SNAPSHOT_PC_HI"),
    (20, "FLAT_SCR_LO"),
    (21, "FLAT_SCR_HI"),
    (23, "HW_ID1"),
    (24, "HW_ID2"),
    (27, "PERF_SNAPSHOT_DATA"),
    (29, "SHADER_CYCLES"),
];

/// Name of a hardware register, without HW_REG_.
pub(super) fn hwreg(_target: Gfx, id: u32) -> Option<&'static str> {
    HWREGS.iter().find(|r| r.0 == id).map(|r| r.1)
}

/// Name of a message, without MSG_.
pub(super) fn message(id: u32) -> Option<&'static str> {
    Some(match id {
        1 => "INTERRUPT",
        2 => "HS_TESSFACTOR",
        3 => "DEALLOC_VGPRS",
        5 => "STALL_WAVE_GEN",
        6 => "HALT_WAVES",
        9 => "GS_ALLOC_REQ",
        128 => "RTN_GET_DOORBELL",
        129 => "RTN_GET_DDID",
        130 => "RTN_GET_TMA",
        131 => "RTN_GET_REALTIME",
        132 => "RTN_SAVE_WAVE",
        133 => "RTN_GET_TBA",
        134 => "RTN_GET_TBA_TO_PC",
        _ => return None,
    })
}

/// s_delay_alu instid values from 1.
pub(super) const DELAY_ID: [&str; 11] = [
    "VALU_DEP_1",
    "VALU_DEP_2",
    "VALU_DEP_3",
    "VALU_DEP_4",
    "TRANS32_DEP_1",
    "TRANS32_DEP_2",
    "TRANS32_DEP_3",
    "FMA_ACCUM_CYCLE_1",
    "SALU_CYCLE_1",
    "SALU_CYCLE_2",
    "SALU_CYCLE_3",
];

/// s_delay_alu instskip values from 1.
pub(super) const DELAY_SKIP: [&str; 5] = ["NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];

/// Image dimensions, without SQ_RSRC_IMG_.
pub(super) const DIMS: [&str; 8] = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"];

/// Buffer formats of gfx11, without BUF_FMT_.
#[rustfmt::skip]
pub(super) const FORMATS: [&str; 64] = [
    "INVALID", "8_UNORM", "8_SNORM", "8_USCALED", "8_SSCALED", "8_UINT",
    "8_SINT", "16_UNORM", "16_SNORM", "16_USCALED", "16_SSCALED", "16_UINT",
    "16_SINT", "16_FLOAT", "8_8_UNORM", "8_8_SNORM", "8_8_USCALED", "8_8_SSCALED",
    "8_8_UINT", "8_8_SINT", "32_UINT", "32_SINT", "32_FLOAT", "16_16_UNORM",
    "16_16_SNORM", "16_16_USCALED", "16_16_SSCALED", "16_16_UINT", "16_16_SINT", "16_16_FLOAT",
    "10_11_11_FLOAT", "11_11_10_FLOAT", "10_10_10_2_UNORM", "10_10_10_2_SNORM", "10_10_10_2_UINT", "10_10_10_2_SINT",
    "2_10_10_10_UNORM", "2_10_10_10_SNORM", "2_10_10_10_USCALED", "2_10_10_10_SSCALED", "2_10_10_10_UINT", "2_10_10_10_SINT",
    "8_8_8_8_UNORM", "8_8_8_8_SNORM", "8_8_8_8_USCALED", "8_8_8_8_SSCALED", "8_8_8_8_UINT", "8_8_8_8_SINT",
    "32_32_UINT", "32_32_SINT", "32_32_FLOAT", "16_16_16_16_UNORM", "16_16_16_16_SNORM", "16_16_16_16_USCALED",
    "16_16_16_16_SSCALED", "16_16_16_16_UINT", "16_16_16_16_SINT", "16_16_16_16_FLOAT", "32_32_32_UINT", "32_32_32_SINT",
    "32_32_32_FLOAT", "32_32_32_32_UINT", "32_32_32_32_SINT", "32_32_32_32_FLOAT",
];
