//! VINTERP, LDSDIR, VINTRP and EXP rows. RDNA3 ISA, chapters 16.11, 16.13 and 16.20; GCN3 ISA, chapter 12.14.

use super::names::vector::*;
use super::prelude::*;

/// Processors with fixed function graphics.
const GRAPHICS: Procs = Procs::ALL.without(Procs::GFX90A).without(Procs::GFX940);

/// VINTERP, LDSDIR, VINTRP and EXP rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! export_rows {
    ($use:ident) => {
        $use! {
            v_interp_p10_f32         VINTERP [    X,     X,     X,  0x00,  0x00] d:F32 = va:F32, vb:F32, vc:F32 .plus(CL) => do p10(d, [va, vb, vc], false);
            v_interp_p2_f32          VINTERP [    X,     X,     X,  0x01,  0x01] d:F32 = va:F32, vb:F32, vc:F32 .plus(CL) => do p2(d, [va, vb, vc], false);
            v_interp_p10_f16_f32     VINTERP [    X,     X,     X,  0x02,  0x02] d:F32 = va:F16, vb:F32, vc:F16 .plus(CL | OS) => do p10(d, [va, vb, vc], false);
            v_interp_p2_f16_f32      VINTERP [    X,     X,     X,  0x03,  0x03] d:F16 = va:F16, vb:F32, vc:F32 .plus(CL | OS) => do p2(d, [va, vb, vc], false);
            v_interp_p10_rtz_f16_f32 VINTERP [    X,     X,     X,  0x04,  0x04] d:F32 = va:F16, vb:F32, vc:F16 .plus(CL | EXACT | OS) => do p10(d, [va, vb, vc], true);
            v_interp_p2_rtz_f16_f32  VINTERP [    X,     X,     X,  0x05,  0x05] d:F16 = va:F16, vb:F32, vc:F32 .plus(CL | EXACT | OS) => do p2(d, [va, vb, vc], true);
            lds_param_load           LDSDIR  [    X,     X,     X,  0x00,  0x00] d:B32 = attr | m0 .named(&[(GFX12, "ds_param_load")]) => do param_load(d, attr);
            lds_direct_load          LDSDIR  [    X,     X,     X,  0x01,  0x01] d:B32 = | m0 .named(&[(GFX12, "ds_direct_load")]) => do direct_load(d);
            // Interpolation before gfx11 reads parameters from LDS by itself.
            v_interp_p1_f32          VINTRP  [ 0x00,  0x00,  0x00,     X,     X] d:F32 = va:F32, attr | m0 mode .on(GRAPHICS) => -;
            v_interp_p2_attr_f32     VINTRP  [ 0x01,  0x01,  0x01,     X,     X] d:F32 = va:F32, attr | m0 mode .on(GRAPHICS).named(&[(ALL, "v_interp_p2_f32")]) => -;
            v_interp_mov_f32         VINTRP  [ 0x02,  0x02,  0x02,     X,     X] d:F32 = param, attr | m0 mode .on(GRAPHICS) => -;
            v_interp_p1ll_f16        VOP3    [    X, 0x274, 0x342,     X,     X] d:F32 = va:F32, attr | m0 .plus(HIGH).on(GRAPHICS) => -;
            v_interp_p1lv_f16        VOP3    [    X, 0x275, 0x343,     X,     X] d:F32 = va:F32, attr, vc:F32 | m0 .plus(HIGH).on(GRAPHICS) => -;
            v_interp_p2_legacy_f16   VOP3    [    X, 0x276,     X,     X,     X] d:F16 = va:F32, attr, vc:F32 | m0 .plus(HIGH).less(OM).on(GRAPHICS).named(&[(GFX8, "v_interp_p2_f16")]) => -;
            v_interp_p2_attr_f16     VOP3    [    X, 0x277, 0x35a,     X,     X] d:F16 = va:F32, attr, vc:F32 | m0 .plus(HIGH).less(OM).on(GRAPHICS.without(GFX8)).named(&[(ALL, "v_interp_p2_f16")]) => -;
            exp                      EXP     [ 0x00,  0x00,  0x00,  0x00,  0x00] = tgt, e0:0, e1:1, e2:2, e3:3 .on(GRAPHICS).named(&[(GFX12, "export")]) => do exp(tgt, [e0, e1, e2, e3]);
        }
    };
}

pub(super) const ROWS: &[Row] = export_rows!(rows);
