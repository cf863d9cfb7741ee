//! VOPD rows: what each half of a dual instruction can do. RDNA3 ISA, chapter 7.6. v_dual_cndmask_b32 reads VCC without naming it.

use super::names::vector::*;
use super::prelude::*;

/// VOPD rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! vopd_rows {
    ($use:ident) => {
        $use! {
            v_dual_fmac_f32         VOPD [   X,    X,    X, 0x00, 0x00] d:F32 rw = a:F32, b:F32     => FFma32(a, b, d);
            v_dual_fmaak_f32        VOPD [   X,    X,    X, 0x01, 0x01] d:F32 = a:F32, b:F32, k:F32 => FFma32(a, b, k);
            v_dual_fmamk_f32        VOPD [   X,    X,    X, 0x02, 0x02] d:F32 = a:F32, k:F32, b:F32 => FFma32(a, k, b);
            v_dual_mul_f32          VOPD [   X,    X,    X, 0x03, 0x03] d:F32 = a:F32, b:F32        => FMul32(a, b);
            v_dual_add_f32          VOPD [   X,    X,    X, 0x04, 0x04] d:F32 = a:F32, b:F32        => FAdd32(a, b);
            v_dual_sub_f32          VOPD [   X,    X,    X, 0x05, 0x05] d:F32 = a:F32, b:F32        => FSub32(a, b);
            v_dual_subrev_f32       VOPD [   X,    X,    X, 0x06, 0x06] d:F32 = a:F32, b:F32        => FSub32(b, a);
            v_dual_mul_dx9_zero_f32 VOPD [   X,    X,    X, 0x07, 0x07] d:F32 = a:F32, b:F32        => FMulDx932(a, b);
            v_dual_mov_b32          VOPD [   X,    X,    X, 0x08, 0x08] d:B32 = a:B32 .follow(Move) => same(a);
            v_dual_cndmask_b32      VOPD [   X,    X,    X, 0x09, 0x09] d:B32 = a:B32, b:B32 | vcc  => Sel32(vcc, b, a);
            v_dual_max_f32          VOPD [   X,    X,    X, 0x0a,    X] d:F32 = a:F32, b:F32        => FMax32(a, b);
            v_dual_max_num_f32      VOPD [   X,    X,    X,    X, 0x0a] d:F32 = a:F32, b:F32 .named(&[(ALSO, "v_dual_max_f32")]) => FMaxNum32(a, b);
            v_dual_min_f32          VOPD [   X,    X,    X, 0x0b,    X] d:F32 = a:F32, b:F32        => FMin32(a, b);
            v_dual_min_num_f32      VOPD [   X,    X,    X,    X, 0x0b] d:F32 = a:F32, b:F32 .named(&[(ALSO, "v_dual_min_f32")]) => FMinNum32(a, b);
            v_dual_dot2acc_f32_f16  VOPD [   X,    X,    X, 0x0c,    X] d:F32 rw = a:F16X2, b:F16X2 => Dot2F32F16(a, b, d);
            v_dual_add_nc_u32       VOPD [   X,    X,    X, 0x10, 0x10] d:U32 = a:U32, b:U32 .plus(Y_ONLY) => IAdd32(a, b), clamp UAddSat32(a, b);
            v_dual_lshlrev_b32      VOPD [   X,    X,    X, 0x11, 0x11] d:B32 = a:U32, b:B32 .plus(Y_ONLY) => Shl32(b, a);
            v_dual_and_b32          VOPD [   X,    X,    X, 0x12, 0x12] d:B32 = a:B32, b:B32 .plus(Y_ONLY) => And32(a, b);
        }
    };
}

pub(super) const ROWS: &[Row] = vopd_rows!(rows);
