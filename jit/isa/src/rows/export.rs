//! VINTERP, LDSDIR, VINTRP and EXP rows. RDNA3 ISA, chapters 16.11, 16.13 and 16.20; GCN3 ISA, chapter 12.14.

use super::prelude::*;

/// Processors with fixed function graphics.
const GRAPHICS: Procs = Procs::ALL.without(Procs::GFX90A).without(Procs::GFX940);

#[rustfmt::skip] // opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12
pub(super) const ROWS: &[Row] = &[
    plain("v_interp_p10_f32",            VINTERP, [X, X, X, 0x00, 0x00], &[D(F32), V0(F32), V1(F32), V2(F32)], CL),
    plain("v_interp_p2_f32",             VINTERP, [X, X, X, 0x01, 0x01], &[D(F32), V0(F32), V1(F32), V2(F32)], CL),
    plain("v_interp_p10_f16_f32",        VINTERP, [X, X, X, 0x02, 0x02], &[D(F32), V0(F16), V1(F32), V2(F16)], OS | CL),
    plain("v_interp_p2_f16_f32",         VINTERP, [X, X, X, 0x03, 0x03], &[D(F16), V0(F16), V1(F32), V2(F32)], OS | CL),
    plain("v_interp_p10_rtz_f16_f32",    VINTERP, [X, X, X, 0x04, 0x04], &[D(F32), V0(F16), V1(F32), V2(F16)], OS | CL | EXACT),
    plain("v_interp_p2_rtz_f16_f32",     VINTERP, [X, X, X, 0x05, 0x05], &[D(F16), V0(F16), V1(F32), V2(F32)], OS | CL | EXACT),
    plain("lds_param_load",              LDSDIR, [X, X, X, 0x00, 0x00], &[D(B32), ATTR], NONE).named(&[(GFX12, "ds_param_load")]).reads(REG_M0),
    plain("lds_direct_load",             LDSDIR, [X, X, X, 0x01, 0x01], &[D(B32)], NONE).named(&[(GFX12, "ds_direct_load")]).reads(REG_M0),
    // Interpolation before gfx11 reads parameters from LDS by itself.
    plain("v_interp_p1_f32",             VINTRP, [0x00, 0x00, 0x00, X, X], &[D(F32), V0(F32), ATTR], M0 | CL | OM).on(GRAPHICS).reads(REG_M0).reads(MODE),
    plain("v_interp_p2_attr_f32",        VINTRP, [0x01, 0x01, 0x01, X, X], &[D(F32), V0(F32), ATTR], M0 | CL | OM).on(GRAPHICS).named(&[(ALL, "v_interp_p2_f32")]).reads(REG_M0).reads(MODE),
    plain("v_interp_mov_f32",            VINTRP, [0x02, 0x02, 0x02, X, X], &[D(F32), PARAM, ATTR], CL | OM).on(GRAPHICS).reads(REG_M0).reads(MODE),
    plain("v_interp_p1ll_f16",           VOP3, [X, 0x274, 0x342, X, X], &[D(F32), V0(F32), ATTR], M0 | CL | OM | HIGH).on(GRAPHICS).reads(REG_M0),
    plain("v_interp_p1lv_f16",           VOP3, [X, 0x275, 0x343, X, X], &[D(F32), V0(F32), ATTR, V2(F32)], M02 | CL | OM | HIGH).on(GRAPHICS).reads(REG_M0),
    plain("v_interp_p2_legacy_f16",      VOP3, [X, 0x276, X, X, X], &[D(F16), V0(F32), ATTR, V2(F32)], M02 | CL | HIGH).on(GRAPHICS).named(&[(GFX8, "v_interp_p2_f16")]).reads(REG_M0),
    plain("v_interp_p2_attr_f16",        VOP3, [X, 0x277, 0x35a, X, X], &[D(F16), V0(F32), ATTR, V2(F32)], M02 | CL | HIGH).on(GRAPHICS.without(GFX8)).named(&[(ALL, "v_interp_p2_f16")]).reads(REG_M0),
    plain("exp",                         EXP, [0x00, 0x00, 0x00, 0x00, 0x00], &[TGT, E(0), E(1), E(2), E(3)], NONE).on(GRAPHICS).named(&[(GFX12, "export")]),
];
