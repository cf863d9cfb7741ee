//! VOPD rows: what each half of a dual instruction can do. RDNA3 ISA, chapter 7.6. v_dual_cndmask_b32 reads VCC without naming it.

use super::prelude::*;

#[rustfmt::skip] // opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12
pub(super) const ROWS: &[Row] = &[
    row("v_dual_fmac_f32",             VOPD, [   X,    X,    X, 0x00, 0x00], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_fmaak_f32",            VOPD, [   X,    X,    X, 0x01, 0x01], &[D(F32), S0(F32), S1(F32), LIT(F32)], NONE),
    row("v_dual_fmamk_f32",            VOPD, [   X,    X,    X, 0x02, 0x02], &[D(F32), S0(F32), LIT(F32), S1(F32)], NONE),
    row("v_dual_mul_f32",              VOPD, [   X,    X,    X, 0x03, 0x03], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_add_f32",              VOPD, [   X,    X,    X, 0x04, 0x04], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_sub_f32",              VOPD, [   X,    X,    X, 0x05, 0x05], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_subrev_f32",           VOPD, [   X,    X,    X, 0x06, 0x06], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_mul_dx9_zero_f32",     VOPD, [   X,    X,    X, 0x07, 0x07], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_mov_b32",              VOPD, [   X,    X,    X, 0x08, 0x08], &[D(B32), S0(B32)], NONE),
    row("v_dual_cndmask_b32",          VOPD, [   X,    X,    X, 0x09, 0x09], &[D(B32), S0(B32), S1(B32)], NONE).reads(VCC),
    row("v_dual_max_f32",              VOPD, [   X, X,    X,    0x0a, X   ], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_max_num_f32",          VOPD, [   X, X,    X,    X,    0x0a], &[D(F32), S0(F32), S1(F32)], NONE).named(&[(ALSO, "v_dual_max_f32")]),
    row("v_dual_min_f32",              VOPD, [   X, X,    X,    0x0b, X   ], &[D(F32), S0(F32), S1(F32)], NONE),
    row("v_dual_min_num_f32",          VOPD, [   X, X,    X,    X,    0x0b], &[D(F32), S0(F32), S1(F32)], NONE).named(&[(ALSO, "v_dual_min_f32")]),
    row("v_dual_dot2acc_f32_f16",      VOPD, [   X,    X,    X, 0x0c,    X], &[D(F32), S0(F16X2), S1(F16X2)], NONE),
    row("v_dual_add_nc_u32",           VOPD, [   X,    X,    X, 0x10, 0x10], &[D(U32), S0(U32), S1(U32)], Y_ONLY),
    row("v_dual_lshlrev_b32",          VOPD, [   X,    X,    X, 0x11, 0x11], &[D(B32), S0(U32), S1(B32)], Y_ONLY),
    row("v_dual_and_b32",              VOPD, [   X,    X,    X, 0x12, 0x12], &[D(B32), S0(B32), S1(B32)], Y_ONLY),
];
