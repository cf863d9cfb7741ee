//! VINTERP, LDSDIR and EXP rows. RDNA3 ISA, chapters 16.11, 16.13 and 16.20.

use super::prelude::*;

#[rustfmt::skip] // opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12
pub(super) const ROWS: &[Row] = &[
    row("v_interp_p10_f32",            VINTERP, [X, X, X, 0x00, 0x00], &[D(F32), V0(F32), V1(F32), V2(F32)], CL),
    row("v_interp_p2_f32",             VINTERP, [X, X, X, 0x01, 0x01], &[D(F32), V0(F32), V1(F32), V2(F32)], CL),
    row("v_interp_p10_f16_f32",        VINTERP, [X, X, X, 0x02, 0x02], &[D(F32), V0(F16), V1(F32), V2(F16)], OS | CL),
    row("v_interp_p2_f16_f32",         VINTERP, [X, X, X, 0x03, 0x03], &[D(F16), V0(F16), V1(F32), V2(F32)], OS | CL),
    row("v_interp_p10_rtz_f16_f32",    VINTERP, [X, X, X, 0x04, 0x04], &[D(F32), V0(F16), V1(F32), V2(F16)], OS | CL),
    row("v_interp_p2_rtz_f16_f32",     VINTERP, [X, X, X, 0x05, 0x05], &[D(F16), V0(F16), V1(F32), V2(F32)], OS | CL),
    row("lds_param_load",              LDSDIR, [X, X, X, 0x00, X], &[D(B32), ATTR], NONE),
    row("lds_direct_load",             LDSDIR, [X, X, X, 0x01, X], &[D(B32)], NONE),
    row("exp",                         EXP, [X, X, X, 0x00, X], &[TGT, E(0), E(1), E(2), E(3)], NONE),
];
