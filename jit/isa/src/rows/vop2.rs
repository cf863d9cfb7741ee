//! VOP2 rows (with their VOP3 and DPP forms). RDNA3 ISA, chapter 16.7.

use super::names::vector::*;
use super::prelude::*;

/// VOP2 rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! vop2_rows {
    ($use:ident) => {
        $use! {
            v_illegal             VOP2_ONLY [   X,    X, 0x00, 0x00, 0x00]  .plus(LISTED | NODPP)               => -;
            v_cndmask_b32         VOP2      [0x00, 0x00, 0x01, 0x01, 0x01] d:B32 = a:F32, b:F32, ci .plus(MASK_IN_ABS | EXACT).less(CL) => Sel32(ci, b, a);
            v_dot2acc_f32_f16     VOP2_ONLY [   X,    X, 0x02, 0x02,    X] d:F32 rw = a:F16X2, b:F16X2 .plus(M01).on(DOT).named(&[(TO_GFX10, "v_dot2c_f32_f16")]) => Dot2F32F16(a, b, d);
            v_dot2acc_f32_f16     VOP2      [   X, 0x37,    X,    X,    X] d:F32 rw = a:F16X2, b:F16X2 .on(DOT).named(&[(TO_GFX9, "v_dot2c_f32_f16")]) => Dot2F32F16(a, b, d);
            v_add_f32             VOP2      [0x03, 0x01, 0x03, 0x03, 0x03] d:F32 = a:F32, b:F32        => FAdd32(a, b);
            v_sub_f32             VOP2      [0x04, 0x02, 0x04, 0x04, 0x04] d:F32 = a:F32, b:F32        => FSub32(a, b);
            v_subrev_f32          VOP2      [0x05, 0x03, 0x05, 0x05, 0x05] d:F32 = a:F32, b:F32 .plus(REV) => FSub32(b, a);
            v_fmac_dx9_zero_f32   VOP2      [   X,    X, 0x06, 0x06,    X] d:F32 rw = a:F32, b:F32 .plus(NODPP).on(SINCE_GFX10_3).named(&[(GFX10_3, "v_fmac_legacy_f32")]) => FFmaDx932(a, b, d);
            v_mul_dx9_zero_f32    VOP2      [0x07, 0x04, 0x07, 0x07, 0x07] d:F32 = a:F32, b:F32 .on(NOT_90A).named(&[(TO_GFX10, "v_mul_legacy_f32")]) => FMulDx932(a, b);
            v_mul_f32             VOP2      [0x08, 0x05, 0x08, 0x08, 0x08] d:F32 = a:F32, b:F32        => FMul32(a, b);
            v_mul_i32_i24         VOP2      [0x09, 0x06, 0x09, 0x09, 0x09] d:I32 = a:I32, b:I32 .plus(CL) => mul24([a, b], true, false);
            v_mul_hi_i32_i24      VOP2      [0x0a, 0x07, 0x0a, 0x0a, 0x0a] d:I32 = a:I32, b:I32        => mul24([a, b], true, true);
            v_mul_u32_u24         VOP2      [0x0b, 0x08, 0x0b, 0x0b, 0x0b] d:U32 = a:U32, b:U32 .plus(CL) => mul24([a, b], false, false);
            v_mul_hi_u32_u24      VOP2      [0x0c, 0x09, 0x0c, 0x0c, 0x0c] d:U32 = a:U32, b:U32        => mul24([a, b], false, true);
            v_min_f32             VOP2      [0x0f, 0x0a, 0x0f, 0x0f,    X] d:F32 = a:F32, b:F32        => FMin32(a, b);
            v_min_num_f32         VOP2      [   X,    X,    X,    X, 0x15] d:F32 = a:F32, b:F32 .named(&[(ALSO, "v_min_f32")]) => FMinNum32(a, b);
            v_max_f32             VOP2      [0x10, 0x0b, 0x10, 0x10,    X] d:F32 = a:F32, b:F32        => FMax32(a, b);
            v_max_num_f32         VOP2      [   X,    X,    X,    X, 0x16] d:F32 = a:F32, b:F32 .named(&[(ALSO, "v_max_f32")]) => FMaxNum32(a, b);
            v_min_i32             VOP2      [0x11, 0x0c, 0x11, 0x11, 0x11] d:I32 = a:I32, b:I32        => SMin32(a, b);
            v_max_i32             VOP2      [0x12, 0x0d, 0x12, 0x12, 0x12] d:I32 = a:I32, b:I32        => SMax32(a, b);
            v_min_u32             VOP2      [0x13, 0x0e, 0x13, 0x13, 0x13] d:U32 = a:U32, b:U32        => UMin32(a, b);
            v_max_u32             VOP2      [0x14, 0x0f, 0x14, 0x14, 0x14] d:U32 = a:U32, b:U32        => UMax32(a, b);
            v_lshlrev_b32         VOP2      [0x1a, 0x12, 0x1a, 0x18, 0x18] d:B32 = a:U32, b:B32 .plus(REV) => Shl32(b, a);
            v_lshrrev_b32         VOP2      [0x16, 0x10, 0x16, 0x19, 0x19] d:B32 = a:U32, b:B32 .plus(REV) => LShr32(b, a);
            v_ashrrev_i32         VOP2      [0x18, 0x11, 0x18, 0x1a, 0x1a] d:I32 = a:U32, b:I32 .plus(REV) => AShr32(b, a);
            v_and_b32             VOP2      [0x1b, 0x13, 0x1b, 0x1b, 0x1b] d:B32 = a:B32, b:B32        => And32(a, b);
            v_or_b32              VOP2      [0x1c, 0x14, 0x1c, 0x1c, 0x1c] d:B32 = a:B32, b:B32        => Or32(a, b);
            v_xor_b32             VOP2      [0x1d, 0x15, 0x1d, 0x1d, 0x1d] d:B32 = a:B32, b:B32        => Xor32(a, b);
            v_xnor_b32            VOP2      [   X, 0x3d, 0x1e, 0x1e, 0x1e] d:B32 = a:B32, b:B32 .on(DL) => Not32(Xor32(a, b));
            v_add_co_ci_u32       VOP2SD    [0x28, 0x1c, 0x28, 0x20, 0x20] d:U32, co = a:U32, b:U32, ci .plus(CL).named(&[(TO_GFX8, "v_addc_u32"), (ALL_GFX9, "v_addc_co_u32")]) => with_carry(a, b, ci, false), clamp carry_sat_ci(a, b, ci, false);
            v_sub_co_ci_u32       VOP2SD    [0x29, 0x1d, 0x29, 0x21, 0x21] d:U32, co = a:U32, b:U32, ci .plus(CL).named(&[(TO_GFX8, "v_subb_u32"), (ALL_GFX9, "v_subb_co_u32")]) => with_carry(a, b, ci, true), clamp carry_sat_ci(a, b, ci, true);
            v_subrev_co_ci_u32    VOP2SD    [0x2a, 0x1e, 0x2a, 0x22, 0x22] d:U32, co = a:U32, b:U32, ci .plus(REV | CL).named(&[(TO_GFX8, "v_subbrev_u32"), (ALL_GFX9, "v_subbrev_co_u32")]) => with_carry(b, a, ci, true), clamp carry_sat_ci(b, a, ci, true);
            v_add_nc_u32          VOP2      [   X, 0x34, 0x25, 0x25, 0x25] d:U32 = a:U32, b:U32 .plus(CL).on(FROM_GFX9).named(&[(TO_GFX9, "v_add_u32")]) => IAdd32(a, b), clamp UAddSat32(a, b);
            v_sub_nc_u32          VOP2      [   X, 0x35, 0x26, 0x26, 0x26] d:U32 = a:U32, b:U32 .plus(CL).on(FROM_GFX9).named(&[(TO_GFX9, "v_sub_u32")]) => ISub32(a, b), clamp USubSat32(a, b);
            v_subrev_nc_u32       VOP2      [   X, 0x36, 0x27, 0x27, 0x27] d:U32 = a:U32, b:U32 .plus(REV | CL).on(FROM_GFX9).named(&[(TO_GFX9, "v_subrev_u32")]) => ISub32(b, a), clamp USubSat32(b, a);
            v_fmac_f32            VOP2      [   X, 0x3b, 0x2b, 0x2b, 0x2b] d:F32 rw = a:F32, b:F32 .on(DL) => FFma32(a, b, d);
            v_fmamk_f32           VOP2_ONLY [   X, 0x17, 0x2c, 0x2c, 0x2c] d:F32 = a:F32, k:F32, b:F32 .plus(NODPP).on(FROM_GFX940) => FFma32(a, k, b);
            v_fmaak_f32           VOP2_ONLY [   X, 0x18, 0x2d, 0x2d, 0x2d] d:F32 = a:F32, b:F32, k:F32 .plus(NODPP).on(FROM_GFX940) => FFma32(a, b, k);
            v_cvt_pk_rtz_f16_f32  VOP2      [0x2f,    X, 0x2f, 0x2f, 0x2f] d:F16X2 = a:F32, b:F32 .plus(OM).named(&[(TO_GFX10, "v_cvt_pkrtz_f16_f32")]) => CvtPkRtzF16F32(a, b);
            v_add_f16             VOP2      [   X, 0x1f, 0x32, 0x32, 0x32] d:F16 = a:F16, b:F16 .plus(TRUE16) => FAdd16(a, b);
            v_sub_f16             VOP2      [   X, 0x20, 0x33, 0x33, 0x33] d:F16 = a:F16, b:F16 .plus(TRUE16) => FSub16(a, b);
            v_subrev_f16          VOP2      [   X, 0x21, 0x34, 0x34, 0x34] d:F16 = a:F16, b:F16 .plus(REV | TRUE16) => FSub16(b, a);
            v_mul_f16             VOP2      [   X, 0x22, 0x35, 0x35, 0x35] d:F16 = a:F16, b:F16 .plus(TRUE16) => FMul16(a, b);
            v_fmac_f16            VOP2      [   X,    X,    X, 0x36, 0x36] d:F16 rw = a:F16, b:F16 .plus(OS) => FFma16(a, b, d);
            v_fmac_f16            VOP2      [   X,    X, 0x36,    X,    X] d:F16 rw = a:F16, b:F16     => FFma16(a, b, d);
            v_fmamk_f16           VOP2_ONLY [   X,    X, 0x37, 0x37, 0x37] d:F16 = a:F16, k:F16, b:F16 .plus(NODPP) => FFma16(a, k, b);
            v_fmaak_f16           VOP2_ONLY [   X,    X, 0x38, 0x38, 0x38] d:F16 = a:F16, b:F16, k:F16 .plus(NODPP) => FFma16(a, b, k);
            v_max_f16             VOP2      [   X, 0x2d, 0x39, 0x39,    X] d:F16 = a:F16, b:F16 .plus(TRUE16) => FMax16(a, b);
            v_max_num_f16         VOP2      [   X,    X,    X,    X, 0x31] d:F16 = a:F16, b:F16 .plus(TRUE16).named(&[(ALSO, "v_max_f16")]) => FMaxNum16(a, b);
            v_min_f16             VOP2      [   X, 0x2e, 0x3a, 0x3a,    X] d:F16 = a:F16, b:F16 .plus(TRUE16) => FMin16(a, b);
            v_min_num_f16         VOP2      [   X,    X,    X,    X, 0x30] d:F16 = a:F16, b:F16 .plus(TRUE16).named(&[(ALSO, "v_min_f16")]) => FMinNum16(a, b);
            v_ldexp_f16           VOP2      [   X, 0x33, 0x3b, 0x3b, 0x3b] d:F16 = a:F16, b:I16 .plus(M1) => FLdexp16(a, b);
            v_pk_fmac_f16         VOP2_ONLY [   X,    X,    X, 0x3c, 0x3c] d:F16X2 rw = a:F16X2, b:F16X2 .plus(M01) => PkFFma16(a, b, d);
            v_pk_fmac_f16         VOP2_ONLY [   X,    X, 0x3c,    X,    X] d:F16X2 rw = a:F16X2, b:F16X2 .plus(M01 | NODPP) => PkFFma16(a, b, d);
            v_pk_fmac_f16         VOP2_ONLY [   X, 0x3c,    X,    X,    X] d:F16X2 rw = a:F16X2, b:F16X2 .plus(M01 | E32 | NODPP).on(PKFMAC) => PkFFma16(a, b, d);
            v_add_f64             VOP2      [   X,    X,    X,    X, 0x02] d:F64 = a:F64, b:F64        => FAdd64(a, b);
            v_mul_f64             VOP2      [   X,    X,    X,    X, 0x06] d:F64 = a:F64, b:F64        => FMul64(a, b);
            v_min_num_f64         VOP2      [   X,    X,    X,    X, 0x0d] d:F64 = a:F64, b:F64 .named(&[(ALSO, "v_min_f64")]) => FMinNum64(a, b);
            v_max_num_f64         VOP2      [   X,    X,    X,    X, 0x0e] d:F64 = a:F64, b:F64 .named(&[(ALSO, "v_max_f64")]) => FMaxNum64(a, b);
            v_lshlrev_b64         VOP2      [   X,    X,    X,    X, 0x1f] d:B64 = a:U32, b:B64 .plus(REV) => Shl64(b, a);
            v_mac_legacy_f32      VOP2      [0x06,    X, 0x06,    X,    X] d:F32 rw = a:F32, b:F32 .plus(NODPP).on(MAD) => -;
            v_dot4c_i32_i8        VOP2_ONLY [   X,    X, 0x0d,    X,    X] d:I32 rw = a:B32, b:B32 .plus(IGN01 | CL).on(DOT) => -;
            v_mac_f32             VOP2      [0x1f, 0x16, 0x1f,    X,    X] d:F32 rw = a:F32, b:F32 .on(MAD) => FMad32(a, b, d);
            v_madmk_f32           VOP2_ONLY [0x20, 0x17, 0x20,    X,    X] d:F32 = a:F32, k:F32, b:F32 .plus(NODPP).on(MAD) => FMad32(a, k, b);
            v_madak_f32           VOP2_ONLY [0x21, 0x18, 0x21,    X,    X] d:F32 = a:F32, b:F32, k:F32 .plus(NODPP).on(MAD) => FMad32(a, b, k);
            v_fmac_f64            VOP2      [   X, 0x04,    X,    X,    X] d:F64 rw = a:F64, b:F64 .on(GFX90A_940) => -;
            v_add_co_u32          VOP2SD    [0x25, 0x19,    X,    X,    X] d:U32, co = a:U32, b:U32 .plus(CL).named(&[(TO_GFX7, "v_add_i32"), (GFX8, "v_add_u32")]) => add_carry(a, b), clamp UAddSat32(a, b);
            v_sub_co_u32          VOP2SD    [0x26, 0x1a,    X,    X,    X] d:U32, co = a:U32, b:U32 .plus(CL).named(&[(TO_GFX7, "v_sub_i32"), (GFX8, "v_sub_u32")]) => sub_borrow(a, b), clamp USubSat32(a, b);
            v_subrev_co_u32       VOP2SD    [0x27, 0x1b,    X,    X,    X] d:U32, co = a:U32, b:U32 .plus(REV | CL).named(&[(TO_GFX7, "v_subrev_i32"), (GFX8, "v_subrev_u32")]) => sub_borrow(b, a), clamp USubSat32(b, a);
            v_mac_f16             VOP2      [   X, 0x23,    X,    X,    X] d:F16 rw = a:F16, b:F16     => -;
            v_madmk_f16           VOP2_ONLY [   X, 0x24,    X,    X,    X] d:F16 = a:F16, k:F16, b:F16 .plus(NODPP) => -;
            v_madak_f16           VOP2_ONLY [   X, 0x25,    X,    X,    X] d:F16 = a:F16, b:F16, k:F16 .plus(NODPP) => -;
            v_add_nc_u16          VOP2      [   X, 0x26,    X,    X,    X] d:U16 = a:U16, b:U16 .plus(CL).named(&[(TO_GFX9, "v_add_u16")]) => IAdd16(a, b), clamp UAddSat16(a, b);
            v_sub_nc_u16          VOP2      [   X, 0x27,    X,    X,    X] d:U16 = a:U16, b:U16 .plus(CL).named(&[(TO_GFX9, "v_sub_u16")]) => ISub16(a, b), clamp USubSat16(a, b);
            v_subrev_u16          VOP2      [   X, 0x28,    X,    X,    X] d:U16 = a:U16, b:U16 .plus(REV | CL) => -;
            v_mul_lo_u16          VOP2      [   X, 0x29,    X,    X,    X] d:U16 = a:U16, b:U16        => IMul16(a, b);
            v_lshlrev_b16         VOP2      [   X, 0x2a,    X,    X,    X] d:B16 = a:U16, b:B16 .plus(REV) => Shl16(b, a);
            v_lshrrev_b16         VOP2      [   X, 0x2b,    X,    X,    X] d:B16 = a:U16, b:B16 .plus(REV) => LShr16(b, a);
            v_ashrrev_i16         VOP2      [   X, 0x2c,    X,    X,    X] d:I16 = a:U16, b:I16 .plus(REV) => AShr16(b, a);
            v_max_u16             VOP2      [   X, 0x2f,    X,    X,    X] d:U16 = a:U16, b:U16        => UMax16(a, b);
            v_max_i16             VOP2      [   X, 0x30,    X,    X,    X] d:I16 = a:I16, b:I16        => SMax16(a, b);
            v_min_u16             VOP2      [   X, 0x31,    X,    X,    X] d:U16 = a:U16, b:U16        => UMin16(a, b);
            v_min_i16             VOP2      [   X, 0x32,    X,    X,    X] d:I16 = a:I16, b:I16        => SMin16(a, b);
            v_dot2c_i32_i16       VOP2      [   X, 0x38,    X,    X,    X] d:I32 rw = a:I16X2, b:I16X2 .plus(IGN01 | CL).on(DOT) => -;
            v_dot4c_i32_i8        VOP2      [   X, 0x39,    X,    X,    X] d:I32 rw = a:B32, b:B32 .plus(IGN01 | CL).on(DOT) => -;
            v_dot8c_i32_i4        VOP2      [   X, 0x3a,    X,    X,    X] d:I32 rw = a:B32, b:B32 .plus(IGN01 | CL).on(DOT) => -;
            v_readlane_b32        VOP2_ONLY [0x01,    X,    X,    X,    X] sd:B32 = va:B32, rb:B32 .follow(ReadLane).plus(ANY_LANE | NODPP) => do readlane(sd, va, rb);
            v_writelane_b32       VOP2_ONLY [0x02,    X,    X,    X,    X] d:B32 rw = ra:B32, rb:B32 .follow(WriteLane).plus(ANY_LANE | NODPP) => do writelane(d, ra, rb);
            v_min_legacy_f32      VOP2      [0x0d,    X,    X,    X,    X] d:F32 = a:F32, b:F32        => -;
            v_max_legacy_f32      VOP2      [0x0e,    X,    X,    X,    X] d:F32 = a:F32, b:F32        => -;
            v_lshr_b32            VOP2      [0x15,    X,    X,    X,    X] d:B32 = a:B32, b:U32        => -;
            v_ashr_i32            VOP2      [0x17,    X,    X,    X,    X] d:I32 = a:I32, b:U32        => -;
            v_lshl_b32            VOP2      [0x19,    X,    X,    X,    X] d:B32 = a:B32, b:U32        => -;
            v_bfm_b32             VOP2      [0x1e,    X,    X,    X,    X] d:B32 = a:B32, b:B32        => Bfm32(a, b);
            v_bcnt_u32_b32        VOP2      [0x22,    X,    X,    X,    X] d:U32 = a:B32, b:U32        => IAdd32(Popcnt32(a), b);
            v_mbcnt_lo_u32_b32    VOP2      [0x23,    X,    X,    X,    X] d:U32 = a:B32, b:U32        => mbcnt([a, b], false);
            v_mbcnt_hi_u32_b32    VOP2      [0x24,    X,    X,    X,    X] d:U32 = a:B32, b:U32        => mbcnt([a, b], true);
            v_ldexp_f32           VOP2      [0x2b,    X,    X,    X,    X] d:F32 = a:F32, b:I32 .plus(NEG1) => FLdexp32(a, b);
            v_cvt_pkaccum_u8_f32  VOP2      [0x2c,    X,    X,    X,    X] d:B32 = a:F32, b:U32 .plus(NEG1) => -;
            v_cvt_pk_norm_i16_f32 VOP2      [0x2d,    X,    X,    X,    X] d:I16X2 = a:F32, b:F32 .plus(EXACT).named(&[(TO_GFX7, "v_cvt_pknorm_i16_f32")]) => CvtPkNormI16F32(a, b);
            v_cvt_pk_norm_u16_f32 VOP2      [0x2e,    X,    X,    X,    X] d:U16X2 = a:F32, b:F32 .plus(EXACT).named(&[(TO_GFX7, "v_cvt_pknorm_u16_f32")]) => CvtPkNormU16F32(a, b);
            v_cvt_pk_u16_u32      VOP2      [0x30,    X,    X,    X,    X] d:U16X2 = a:U32, b:U32      => CvtPkU16U32(a, b);
            v_cvt_pk_i16_i32      VOP2      [0x31,    X,    X,    X,    X] d:I16X2 = a:I32, b:I32      => CvtPkI16I32(a, b);
        }
    };
}

pub(super) const ROWS: &[Row] = vop2_rows!(rows);
