//! Every register that drivers write, by byte address: its name, and what becomes of it.
//!
//! Names and addresses: Mesa, `src/amd/registers/gfx11.json`. Defaults of the context bank: Linux, `clearstate_gfx11.h`.

/// What becomes of what is written to a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Dispatches look at these bits; others are refused.
    Bits(u32),
    /// It is kept, for draws to judge.
    Stored,
    /// It has no effect here, for this reason.
    Ignored(&'static str),
}

/// A register, or several alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register {
    /// Byte address of the first.
    pub address: u32,
    /// Name, without the number where there are several.
    pub name: &'static str,
    /// How many there are.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
    /// What becomes of it.
    pub usage: Use,
}

impl Register {
    /// The name of one of them.
    pub fn name_at(&self, address: u32) -> String {
        if self.count == 1 { self.name.to_string() } else { format!("{}_{}", self.name, (address - self.address) / self.stride) }
    }
}

const fn row(address: u32, name: &'static str, count: u32, stride: u32, usage: Use) -> Register {
    Register { address, name, count, stride, usage }
}

/// The register at a byte address.
pub fn find(address: u32) -> Option<&'static Register> {
    let row = *ROWS.get(address.checked_sub(FIRST)? as usize / 4)?;
    address.is_multiple_of(4).then(|| REGISTERS.get(usize::from(row))).flatten()
}

const FIRST: u32 = 0x8000;

/// For each dword address from `FIRST` on: the number of its row, or one that no row has.
static ROWS: [u16; 0xe000] = {
    let mut rows = [u16::MAX; 0xe000];
    let mut row = 0;
    while row < REGISTERS.len() {
        let Register { address, count, stride, .. } = REGISTERS[row];
        let mut n = 0;
        while n < count {
            rows[((address + n * stride - FIRST) / 4) as usize] = row as u16;
            n += 1;
        }
        row += 1;
    }
    rows
};

const CUS: &str = "which compute units, and how many waves at a time";
const HINT: &str = "changes how fast the chip is";
const GONE: &str = "drivers write it, but lists of registers do not name it";
const COUNT: &str = "performance counters are not there";
const SCRATCH: &str = "scratch is the run time's own";
const TRACE: &str = "for thread traces";
const WALK: &str = "in which order the chip walks over pixels";
const CACHE: &str = "there are no caches";
const META: &str = "judged with the surface it belongs to";
const FILTER: &str = "drops primitives that cover nothing, early";

/// In order of addresses.
pub(super) const REGISTERS: &[Register] = &[
    row(0xb004, "SPI_SHADER_PGM_RSRC4_PS", 1, 0, Use::Ignored(CUS)),
    row(0xb018, "SPI_SHADER_PGM_CHKSUM_PS", 1, 0, Use::Ignored(TRACE)),
    row(0xb01c, "SPI_SHADER_PGM_RSRC3_PS", 1, 0, Use::Ignored(CUS)),
    row(0xb020, "SPI_SHADER_PGM_LO_PS", 1, 0, Use::Stored),
    row(0xb024, "SPI_SHADER_PGM_HI_PS", 1, 0, Use::Stored),
    row(0xb028, "SPI_SHADER_PGM_RSRC1_PS", 1, 0, Use::Stored),
    row(0xb02c, "SPI_SHADER_PGM_RSRC2_PS", 1, 0, Use::Stored),
    row(0xb030, "SPI_SHADER_USER_DATA_PS", 32, 4, Use::Stored),
    row(0xb0c0, "SPI_SHADER_REQ_CTRL_PS", 1, 0, Use::Ignored(HINT)),
    row(0xb0c8, "SPI_SHADER_USER_ACCUM_PS", 4, 4, Use::Ignored(HINT)),
    row(0xb104, "SPI_SHADER_PGM_RSRC4_VS", 1, 0, Use::Ignored(GONE)),
    row(0xb1c0, "SPI_SHADER_REQ_CTRL_VS", 1, 0, Use::Ignored(GONE)),
    row(0xb1c8, "SPI_SHADER_USER_ACCUM_VS", 4, 4, Use::Ignored(GONE)),
    row(0xb200, "SPI_SHADER_PGM_CHKSUM_GS", 1, 0, Use::Ignored(TRACE)),
    row(0xb204, "SPI_SHADER_PGM_RSRC4_GS", 1, 0, Use::Ignored(CUS)),
    row(0xb208, "SPI_SHADER_USER_DATA_ADDR_GS", 2, 4, Use::Stored),
    row(0xb21c, "SPI_SHADER_PGM_RSRC3_GS", 1, 0, Use::Ignored(CUS)),
    row(0xb220, "SPI_SHADER_PGM_LO_GS", 1, 0, Use::Stored),
    row(0xb224, "SPI_SHADER_PGM_HI_GS", 1, 0, Use::Stored),
    row(0xb228, "SPI_SHADER_PGM_RSRC1_GS", 1, 0, Use::Stored),
    row(0xb22c, "SPI_SHADER_PGM_RSRC2_GS", 1, 0, Use::Stored),
    row(0xb230, "SPI_SHADER_USER_DATA_GS", 32, 4, Use::Stored),
    row(0xb2b0, "SPI_SHADER_GS_MESHLET_DIM", 1, 0, Use::Stored),
    row(0xb2b4, "SPI_SHADER_GS_MESHLET_EXP_ALLOC", 1, 0, Use::Stored),
    row(0xb2c0, "SPI_SHADER_REQ_CTRL_ESGS", 1, 0, Use::Ignored(HINT)),
    row(0xb2c8, "SPI_SHADER_USER_ACCUM_ESGS", 4, 4, Use::Ignored(HINT)),
    row(0xb320, "SPI_SHADER_PGM_LO_ES", 1, 0, Use::Stored),
    row(0xb324, "SPI_SHADER_PGM_HI_ES", 1, 0, Use::Stored),
    row(0xb400, "SPI_SHADER_PGM_CHKSUM_HS", 1, 0, Use::Ignored(TRACE)),
    row(0xb404, "SPI_SHADER_PGM_RSRC4_HS", 1, 0, Use::Ignored(CUS)),
    row(0xb408, "SPI_SHADER_USER_DATA_ADDR_HS", 2, 4, Use::Stored),
    row(0xb41c, "SPI_SHADER_PGM_RSRC3_HS", 1, 0, Use::Ignored(CUS)),
    row(0xb420, "SPI_SHADER_PGM_LO_HS", 1, 0, Use::Stored),
    row(0xb424, "SPI_SHADER_PGM_HI_HS", 1, 0, Use::Stored),
    row(0xb428, "SPI_SHADER_PGM_RSRC1_HS", 1, 0, Use::Stored),
    row(0xb42c, "SPI_SHADER_PGM_RSRC2_HS", 1, 0, Use::Stored),
    row(0xb430, "SPI_SHADER_USER_DATA_HS", 32, 4, Use::Stored),
    row(0xb4c0, "SPI_SHADER_REQ_CTRL_LSHS", 1, 0, Use::Ignored(HINT)),
    row(0xb4c8, "SPI_SHADER_USER_ACCUM_LSHS", 4, 4, Use::Ignored(HINT)),
    row(0xb520, "SPI_SHADER_PGM_LO_LS", 1, 0, Use::Stored),
    row(0xb524, "SPI_SHADER_PGM_HI_LS", 1, 0, Use::Stored),
    row(0xb810, "COMPUTE_START_X", 1, 0, Use::Bits(u32::MAX)),
    row(0xb814, "COMPUTE_START_Y", 1, 0, Use::Bits(u32::MAX)),
    row(0xb818, "COMPUTE_START_Z", 1, 0, Use::Bits(u32::MAX)),
    row(0xb81c, "COMPUTE_NUM_THREAD_X", 1, 0, Use::Bits(u32::MAX)),
    row(0xb820, "COMPUTE_NUM_THREAD_Y", 1, 0, Use::Bits(u32::MAX)),
    row(0xb824, "COMPUTE_NUM_THREAD_Z", 1, 0, Use::Bits(u32::MAX)),
    row(0xb828, "COMPUTE_PIPELINESTAT_ENABLE", 1, 0, Use::Stored),
    row(0xb82c, "COMPUTE_PERFCOUNT_ENABLE", 1, 0, Use::Ignored(COUNT)),
    row(0xb830, "COMPUTE_PGM_LO", 1, 0, Use::Bits(u32::MAX)),
    row(0xb834, "COMPUTE_PGM_HI", 1, 0, Use::Bits(0xff)),
    row(0xb840, "COMPUTE_DISPATCH_SCRATCH_BASE", 2, 4, Use::Ignored(SCRATCH)),
    row(0xb848, "COMPUTE_PGM_RSRC1", 1, 0, Use::Bits(0xe5afffff)),
    row(0xb84c, "COMPUTE_PGM_RSRC2", 1, 0, Use::Bits(0xff9fbf)),
    row(0xb854, "COMPUTE_RESOURCE_LIMITS", 1, 0, Use::Ignored(CUS)),
    row(0xb858, "COMPUTE_DESTINATION_EN_SE", 2, 4, Use::Ignored(CUS)),
    row(0xb860, "COMPUTE_TMPRING_SIZE", 1, 0, Use::Bits(0x7ffffff)),
    row(0xb864, "COMPUTE_DESTINATION_EN_SE2", 2, 4, Use::Ignored(CUS)),
    row(0xb878, "COMPUTE_THREAD_TRACE_ENABLE", 1, 0, Use::Ignored(TRACE)),
    row(0xb888, "COMPUTE_REQ_CTRL", 1, 0, Use::Ignored(HINT)),
    row(0xb890, "COMPUTE_USER_ACCUM", 4, 4, Use::Ignored(HINT)),
    row(0xb8a0, "COMPUTE_PGM_RSRC3", 1, 0, Use::Ignored(HINT)),
    row(0xb8a8, "COMPUTE_SHADER_CHKSUM", 1, 0, Use::Ignored(TRACE)),
    row(0xb8ac, "COMPUTE_STATIC_THREAD_MGMT_SE4", 4, 4, Use::Ignored(CUS)),
    row(0xb8bc, "COMPUTE_DISPATCH_INTERLEAVE", 1, 0, Use::Ignored(HINT)),
    row(0xb900, "COMPUTE_USER_DATA", 16, 4, Use::Bits(u32::MAX)),
    row(0xb9f4, "COMPUTE_DISPATCH_TUNNEL", 1, 0, Use::Ignored(HINT)),
    row(0x28000, "DB_RENDER_CONTROL", 1, 0, Use::Stored),
    row(0x28004, "DB_COUNT_CONTROL", 1, 0, Use::Stored),
    row(0x28008, "DB_DEPTH_VIEW", 1, 0, Use::Stored),
    row(0x2800c, "DB_RENDER_OVERRIDE", 1, 0, Use::Stored),
    row(0x28010, "DB_RENDER_OVERRIDE2", 1, 0, Use::Ignored(WALK)),
    row(0x28014, "DB_HTILE_DATA_BASE", 1, 0, Use::Stored),
    row(0x2801c, "DB_DEPTH_SIZE_XY", 1, 0, Use::Stored),
    row(0x28020, "DB_DEPTH_BOUNDS_MIN", 1, 0, Use::Stored),
    row(0x28024, "DB_DEPTH_BOUNDS_MAX", 1, 0, Use::Stored),
    row(0x28028, "DB_STENCIL_CLEAR", 1, 0, Use::Stored),
    row(0x2802c, "DB_DEPTH_CLEAR", 1, 0, Use::Stored),
    row(0x28030, "PA_SC_SCREEN_SCISSOR_TL", 1, 0, Use::Stored),
    row(0x28034, "PA_SC_SCREEN_SCISSOR_BR", 1, 0, Use::Stored),
    row(0x28038, "0x28038", 1, 0, Use::Ignored(GONE)),
    row(0x28040, "DB_Z_INFO", 1, 0, Use::Stored),
    row(0x28044, "DB_STENCIL_INFO", 1, 0, Use::Stored),
    row(0x28048, "DB_Z_READ_BASE", 1, 0, Use::Stored),
    row(0x2804c, "DB_STENCIL_READ_BASE", 1, 0, Use::Stored),
    row(0x28050, "DB_Z_WRITE_BASE", 1, 0, Use::Stored),
    row(0x28054, "DB_STENCIL_WRITE_BASE", 1, 0, Use::Stored),
    row(0x28068, "DB_Z_READ_BASE_HI", 1, 0, Use::Stored),
    row(0x2806c, "DB_STENCIL_READ_BASE_HI", 1, 0, Use::Stored),
    row(0x28070, "DB_Z_WRITE_BASE_HI", 1, 0, Use::Stored),
    row(0x28074, "DB_STENCIL_WRITE_BASE_HI", 1, 0, Use::Stored),
    row(0x28078, "DB_HTILE_DATA_BASE_HI", 1, 0, Use::Stored),
    row(0x2807c, "DB_RMI_L2_CACHE_CONTROL", 1, 0, Use::Ignored(CACHE)),
    row(0x28080, "TA_BC_BASE_ADDR", 1, 0, Use::Stored),
    row(0x28084, "TA_BC_BASE_ADDR_HI", 1, 0, Use::Stored),
    row(0x28200, "PA_SC_WINDOW_OFFSET", 1, 0, Use::Stored),
    row(0x28204, "PA_SC_WINDOW_SCISSOR_TL", 1, 0, Use::Stored),
    row(0x28208, "PA_SC_WINDOW_SCISSOR_BR", 1, 0, Use::Stored),
    row(0x2820c, "PA_SC_CLIPRECT_RULE", 1, 0, Use::Stored),
    row(0x28210, "PA_SC_CLIPRECT_TL", 4, 8, Use::Stored),
    row(0x28214, "PA_SC_CLIPRECT_BR", 4, 8, Use::Stored),
    row(0x28230, "PA_SC_EDGERULE", 1, 0, Use::Stored),
    row(0x28234, "PA_SU_HARDWARE_SCREEN_OFFSET", 1, 0, Use::Stored),
    row(0x28238, "CB_TARGET_MASK", 1, 0, Use::Stored),
    row(0x2823c, "CB_SHADER_MASK", 1, 0, Use::Stored),
    row(0x28240, "PA_SC_GENERIC_SCISSOR_TL", 1, 0, Use::Stored),
    row(0x28244, "PA_SC_GENERIC_SCISSOR_BR", 1, 0, Use::Stored),
    row(0x28250, "PA_SC_VPORT_SCISSOR_TL", 16, 8, Use::Stored),
    row(0x28254, "PA_SC_VPORT_SCISSOR_BR", 16, 8, Use::Stored),
    row(0x282d0, "PA_SC_VPORT_ZMIN", 16, 8, Use::Stored),
    row(0x282d4, "PA_SC_VPORT_ZMAX", 16, 8, Use::Stored),
    row(0x28350, "PA_SC_RASTER_CONFIG", 1, 0, Use::Ignored(WALK)),
    row(0x28354, "PA_SC_RASTER_CONFIG_1", 1, 0, Use::Ignored(WALK)),
    row(0x28358, "PA_SC_SCREEN_EXTENT_CONTROL", 1, 0, Use::Ignored(WALK)),
    row(0x2835c, "PA_SC_TILE_STEERING_OVERRIDE", 1, 0, Use::Ignored(WALK)),
    row(0x283d0, "PA_SC_VRS_OVERRIDE_CNTL", 1, 0, Use::Stored),
    row(0x283d4, "PA_SC_VRS_RATE_FEEDBACK_BASE", 1, 0, Use::Stored),
    row(0x283d8, "PA_SC_VRS_RATE_FEEDBACK_BASE_EXT", 1, 0, Use::Stored),
    row(0x283dc, "PA_SC_VRS_RATE_FEEDBACK_SIZE_XY", 1, 0, Use::Stored),
    row(0x283e4, "PA_SC_VRS_RATE_CACHE_CNTL", 1, 0, Use::Stored),
    row(0x283f0, "PA_SC_VRS_RATE_BASE", 1, 0, Use::Stored),
    row(0x283f4, "PA_SC_VRS_RATE_BASE_EXT", 1, 0, Use::Stored),
    row(0x283f8, "PA_SC_VRS_RATE_SIZE_XY", 1, 0, Use::Stored),
    row(0x2840c, "VGT_MULTI_PRIM_IB_RESET_INDX", 1, 0, Use::Stored),
    row(0x28410, "CB_RMI_GL2_CACHE_CONTROL", 1, 0, Use::Ignored(CACHE)),
    row(0x28414, "CB_BLEND_CONSTANT", 4, 4, Use::Stored),
    row(0x28424, "CB_FDCC_CONTROL", 1, 0, Use::Ignored(CACHE)),
    row(0x28428, "CB_COVERAGE_OUT_CONTROL", 1, 0, Use::Stored),
    row(0x2842c, "DB_STENCIL_CONTROL", 1, 0, Use::Stored),
    row(0x28430, "DB_STENCILREFMASK", 1, 0, Use::Stored),
    row(0x28434, "DB_STENCILREFMASK_BF", 1, 0, Use::Stored),
    row(0x2843c, "PA_CL_VPORT", 96, 4, Use::Stored),
    row(0x285bc, "PA_CL_UCP", 24, 4, Use::Stored),
    row(0x2861c, "PA_CL_PROG_NEAR_CLIP_Z", 1, 0, Use::Stored),
    row(0x28620, "PA_RATE_CNTL", 1, 0, Use::Ignored(WALK)),
    row(0x28644, "SPI_PS_INPUT_CNTL", 32, 4, Use::Stored),
    row(0x286c4, "SPI_VS_OUT_CONFIG", 1, 0, Use::Stored),
    row(0x286cc, "SPI_PS_INPUT_ENA", 1, 0, Use::Stored),
    row(0x286d0, "SPI_PS_INPUT_ADDR", 1, 0, Use::Stored),
    row(0x286d4, "SPI_INTERP_CONTROL_0", 1, 0, Use::Stored),
    row(0x286d8, "SPI_PS_IN_CONTROL", 1, 0, Use::Stored),
    row(0x286e0, "SPI_BARYC_CNTL", 1, 0, Use::Stored),
    row(0x286e8, "SPI_TMPRING_SIZE", 1, 0, Use::Stored),
    row(0x286ec, "SPI_GFX_SCRATCH_BASE", 2, 4, Use::Stored),
    row(0x28708, "SPI_SHADER_IDX_FORMAT", 1, 0, Use::Stored),
    row(0x2870c, "SPI_SHADER_POS_FORMAT", 1, 0, Use::Stored),
    row(0x28710, "SPI_SHADER_Z_FORMAT", 1, 0, Use::Stored),
    row(0x28714, "SPI_SHADER_COL_FORMAT", 1, 0, Use::Stored),
    row(0x28750, "SX_PS_DOWNCONVERT_CONTROL", 1, 0, Use::Ignored(HINT)),
    row(0x28754, "SX_PS_DOWNCONVERT", 1, 0, Use::Stored),
    row(0x28758, "SX_BLEND_OPT_EPSILON", 1, 0, Use::Ignored(HINT)),
    row(0x2875c, "SX_BLEND_OPT_CONTROL", 1, 0, Use::Ignored(HINT)),
    row(0x28760, "SX_MRT_BLEND_OPT", 8, 4, Use::Ignored(HINT)),
    row(0x28780, "CB_BLEND_CONTROL", 8, 4, Use::Stored),
    row(0x287d4, "PA_CL_POINT_X_RAD", 1, 0, Use::Stored),
    row(0x287d8, "PA_CL_POINT_Y_RAD", 1, 0, Use::Stored),
    row(0x287dc, "PA_CL_POINT_SIZE", 1, 0, Use::Stored),
    row(0x287e0, "PA_CL_POINT_CULL_RAD", 1, 0, Use::Stored),
    row(0x287fc, "GE_MAX_OUTPUT_PER_SUBGROUP", 1, 0, Use::Stored),
    row(0x28800, "DB_DEPTH_CONTROL", 1, 0, Use::Stored),
    row(0x28804, "DB_EQAA", 1, 0, Use::Stored),
    row(0x28808, "CB_COLOR_CONTROL", 1, 0, Use::Stored),
    row(0x2880c, "DB_SHADER_CONTROL", 1, 0, Use::Stored),
    row(0x28810, "PA_CL_CLIP_CNTL", 1, 0, Use::Stored),
    row(0x28814, "PA_SU_SC_MODE_CNTL", 1, 0, Use::Stored),
    row(0x28818, "PA_CL_VTE_CNTL", 1, 0, Use::Stored),
    row(0x2881c, "PA_CL_VS_OUT_CNTL", 1, 0, Use::Stored),
    row(0x28820, "PA_CL_NANINF_CNTL", 1, 0, Use::Stored),
    row(0x28824, "PA_SU_LINE_STIPPLE_CNTL", 1, 0, Use::Stored),
    row(0x28828, "PA_SU_LINE_STIPPLE_SCALE", 1, 0, Use::Ignored(WALK)),
    row(0x2882c, "PA_SU_PRIM_FILTER_CNTL", 1, 0, Use::Ignored(FILTER)),
    row(0x28830, "PA_SU_SMALL_PRIM_FILTER_CNTL", 1, 0, Use::Ignored(FILTER)),
    row(0x28838, "PA_CL_NGG_CNTL", 1, 0, Use::Ignored(HINT)),
    row(0x2883c, "PA_SU_OVER_RASTERIZATION_CNTL", 1, 0, Use::Ignored(WALK)),
    row(0x28840, "PA_STEREO_CNTL", 1, 0, Use::Stored),
    row(0x28844, "PA_STATE_STEREO_X", 1, 0, Use::Stored),
    row(0x28848, "PA_CL_VRS_CNTL", 1, 0, Use::Stored),
    row(0x28a00, "PA_SU_POINT_SIZE", 1, 0, Use::Stored),
    row(0x28a04, "PA_SU_POINT_MINMAX", 1, 0, Use::Stored),
    row(0x28a08, "PA_SU_LINE_CNTL", 1, 0, Use::Stored),
    row(0x28a0c, "PA_SC_LINE_STIPPLE", 1, 0, Use::Stored),
    row(0x28a18, "VGT_HOS_MAX_TESS_LEVEL", 1, 0, Use::Stored),
    row(0x28a1c, "VGT_HOS_MIN_TESS_LEVEL", 1, 0, Use::Stored),
    row(0x28a48, "PA_SC_MODE_CNTL_0", 1, 0, Use::Stored),
    row(0x28a4c, "PA_SC_MODE_CNTL_1", 1, 0, Use::Stored),
    row(0x28a50, "VGT_ENHANCE", 1, 0, Use::Stored),
    row(0x28a70, "IA_ENHANCE", 1, 0, Use::Stored),
    row(0x28a80, "WD_ENHANCE", 1, 0, Use::Stored),
    row(0x28a84, "VGT_PRIMITIVEID_EN", 1, 0, Use::Stored),
    row(0x28a8c, "VGT_PRIMITIVEID_RESET", 1, 0, Use::Stored),
    row(0x28a98, "VGT_DRAW_PAYLOAD_CNTL", 1, 0, Use::Ignored(HINT)),
    row(0x28aac, "VGT_ESGS_RING_ITEMSIZE", 1, 0, Use::Stored),
    row(0x28ab4, "VGT_REUSE_OFF", 1, 0, Use::Ignored(WALK)),
    row(0x28abc, "DB_HTILE_SURFACE", 1, 0, Use::Ignored(META)),
    row(0x28ac0, "DB_SRESULTS_COMPARE_STATE", 2, 4, Use::Ignored(WALK)),
    row(0x28ac8, "DB_PRELOAD_CONTROL", 1, 0, Use::Ignored(WALK)),
    row(0x28b28, "VGT_STRMOUT_DRAW_OPAQUE_OFFSET", 1, 0, Use::Stored),
    row(0x28b2c, "VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE", 1, 0, Use::Stored),
    row(0x28b30, "VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE", 1, 0, Use::Stored),
    row(0x28b38, "VGT_GS_MAX_VERT_OUT", 1, 0, Use::Stored),
    row(0x28b4c, "GE_NGG_SUBGRP_CNTL", 1, 0, Use::Stored),
    row(0x28b50, "VGT_TESS_DISTRIBUTION", 1, 0, Use::Ignored(HINT)),
    row(0x28b54, "VGT_SHADER_STAGES_EN", 1, 0, Use::Stored),
    row(0x28b58, "VGT_LS_HS_CONFIG", 1, 0, Use::Stored),
    row(0x28b6c, "VGT_TF_PARAM", 1, 0, Use::Stored),
    row(0x28b70, "DB_ALPHA_TO_MASK", 1, 0, Use::Stored),
    row(0x28b78, "PA_SU_POLY_OFFSET_DB_FMT_CNTL", 1, 0, Use::Stored),
    row(0x28b7c, "PA_SU_POLY_OFFSET_CLAMP", 1, 0, Use::Stored),
    row(0x28b80, "PA_SU_POLY_OFFSET_FRONT_SCALE", 1, 0, Use::Stored),
    row(0x28b84, "PA_SU_POLY_OFFSET_FRONT_OFFSET", 1, 0, Use::Stored),
    row(0x28b88, "PA_SU_POLY_OFFSET_BACK_SCALE", 1, 0, Use::Stored),
    row(0x28b8c, "PA_SU_POLY_OFFSET_BACK_OFFSET", 1, 0, Use::Stored),
    row(0x28b90, "VGT_GS_INSTANCE_CNT", 1, 0, Use::Stored),
    row(0x28bd4, "PA_SC_CENTROID_PRIORITY", 2, 4, Use::Stored),
    row(0x28bdc, "PA_SC_LINE_CNTL", 1, 0, Use::Stored),
    row(0x28be0, "PA_SC_AA_CONFIG", 1, 0, Use::Stored),
    row(0x28be4, "PA_SU_VTX_CNTL", 1, 0, Use::Stored),
    row(0x28be8, "PA_CL_GB_VERT_CLIP_ADJ", 1, 0, Use::Stored),
    row(0x28bec, "PA_CL_GB_VERT_DISC_ADJ", 1, 0, Use::Stored),
    row(0x28bf0, "PA_CL_GB_HORZ_CLIP_ADJ", 1, 0, Use::Stored),
    row(0x28bf4, "PA_CL_GB_HORZ_DISC_ADJ", 1, 0, Use::Stored),
    row(0x28bf8, "PA_SC_AA_SAMPLE_LOCS_PIXEL", 16, 4, Use::Stored),
    row(0x28c38, "PA_SC_AA_MASK", 2, 4, Use::Stored),
    row(0x28c40, "PA_SC_SHADER_CONTROL", 1, 0, Use::Ignored(WALK)),
    row(0x28c44, "PA_SC_BINNER_CNTL", 2, 4, Use::Ignored(WALK)),
    row(0x28c4c, "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL", 1, 0, Use::Stored),
    row(0x28c50, "PA_SC_NGG_MODE_CNTL", 1, 0, Use::Ignored(HINT)),
    row(0x28c54, "PA_SC_BINNER_CNTL_2", 1, 0, Use::Ignored(WALK)),
    row(0x28c58, "0x28c58", 1, 0, Use::Ignored(GONE)),
    row(0x28c60, "CB_COLOR_BASE", 8, 60, Use::Stored),
    row(0x28c6c, "CB_COLOR_VIEW", 8, 60, Use::Stored),
    row(0x28c70, "CB_COLOR_INFO", 8, 60, Use::Stored),
    row(0x28c74, "CB_COLOR_ATTRIB", 8, 60, Use::Stored),
    row(0x28c78, "CB_COLOR_FDCC_CONTROL", 8, 60, Use::Stored),
    row(0x28c94, "CB_COLOR_DCC_BASE", 8, 60, Use::Stored),
    row(0x28e40, "CB_COLOR_BASE_EXT", 8, 4, Use::Stored),
    row(0x28ea0, "CB_COLOR_DCC_BASE_EXT", 8, 4, Use::Stored),
    row(0x28ec0, "CB_COLOR_ATTRIB2", 8, 4, Use::Stored),
    row(0x28ee0, "CB_COLOR_ATTRIB3", 8, 4, Use::Stored),
    row(0x301ec, "0x301ec", 1, 0, Use::Ignored(GONE)),
    row(0x30800, "GRBM_GFX_INDEX", 1, 0, Use::Ignored(CUS)),
    row(0x30908, "VGT_PRIMITIVE_TYPE", 1, 0, Use::Stored),
    row(0x3090c, "VGT_INDEX_TYPE", 1, 0, Use::Stored),
    row(0x30924, "GE_MIN_VTX_INDX", 1, 0, Use::Stored),
    row(0x30928, "GE_INDX_OFFSET", 1, 0, Use::Stored),
    row(0x3092c, "GE_MULTI_PRIM_IB_RESET_EN", 1, 0, Use::Stored),
    row(0x30934, "VGT_NUM_INSTANCES", 1, 0, Use::Stored),
    row(0x30938, "VGT_TF_RING_SIZE", 1, 0, Use::Stored),
    row(0x3093c, "VGT_HS_OFFCHIP_PARAM", 1, 0, Use::Stored),
    row(0x30940, "VGT_TF_MEMORY_BASE", 1, 0, Use::Stored),
    row(0x30964, "GE_MAX_VTX_INDX", 1, 0, Use::Stored),
    row(0x30968, "VGT_INSTANCE_BASE_ID", 1, 0, Use::Stored),
    row(0x3096c, "GE_CNTL", 1, 0, Use::Stored),
    row(0x30970, "GE_USER_VGPR", 3, 4, Use::Stored),
    row(0x3097c, "GE_STEREO_CNTL", 1, 0, Use::Ignored(WALK)),
    row(0x30980, "GE_PC_ALLOC", 1, 0, Use::Ignored(HINT)),
    row(0x30984, "VGT_TF_MEMORY_BASE_HI", 1, 0, Use::Stored),
    row(0x30988, "GE_USER_VGPR_EN", 1, 0, Use::Stored),
    row(0x3098c, "GE_VRS_RATE", 1, 0, Use::Stored),
    row(0x30990, "GE_GS_FAST_LAUNCH_WG_DIM", 2, 4, Use::Stored),
    row(0x30998, "VGT_GS_OUT_PRIM_TYPE", 1, 0, Use::Stored),
    row(0x30a00, "PA_SU_LINE_STIPPLE_VALUE", 1, 0, Use::Stored),
    row(0x30a04, "PA_SC_LINE_STIPPLE_STATE", 1, 0, Use::Stored),
    row(0x30d00, "SQ_THREAD_TRACE_USERDATA", 8, 4, Use::Ignored(TRACE)),
    row(0x30e00, "TA_CS_BC_BASE_ADDR", 1, 0, Use::Stored),
    row(0x30e04, "TA_CS_BC_BASE_ADDR_HI", 1, 0, Use::Stored),
    row(0x31110, "SPI_GS_THROTTLE_CNTL1", 1, 0, Use::Ignored(HINT)),
    row(0x31114, "SPI_GS_THROTTLE_CNTL2", 1, 0, Use::Ignored(HINT)),
    row(0x31118, "SPI_ATTRIBUTE_RING_BASE", 1, 0, Use::Stored),
    row(0x3111c, "SPI_ATTRIBUTE_RING_SIZE", 1, 0, Use::Stored),
];

/// Context registers that CLEAR_STATE sets to something but 0: first byte address, how many, bytes between them, value.
pub(super) const CONTEXT_DEFAULTS: &[(u32, u32, u32, u32)] = &[
    (0x28034, 1, 4, 0x4000_4000),
    (0x28204, 1, 4, 0x8000_0000),
    (0x28208, 1, 4, 0x4000_4000),
    (0x2820c, 1, 4, 0xffff),
    (0x28214, 4, 8, 0x4000_4000),
    (0x28230, 1, 4, 0xaa99_aaaa),
    (0x28238, 2, 4, 0xffff_ffff),
    (0x28240, 1, 4, 0x8000_0000),
    (0x28244, 1, 4, 0x4000_4000),
    (0x28250, 16, 8, 0x8000_0000),
    (0x28254, 16, 8, 0x4000_4000),
    (0x282d4, 16, 8, 0x3f80_0000),
    (0x28430, 2, 4, 0x0100_0000),
    (0x286d8, 1, 4, 2),
    (0x28810, 1, 4, 0x9_0000),
    (0x28814, 1, 4, 4),
    (0x28bdc, 1, 4, 0x1000),
    (0x28be4, 1, 4, 5),
    (0x28be8, 4, 4, 0x3f80_0000),
    (0x28c38, 2, 4, 0xffff_ffff),
    (0x28c44, 1, 4, 3),
    (0x28c4c, 1, 4, 0x10_0000),
];
