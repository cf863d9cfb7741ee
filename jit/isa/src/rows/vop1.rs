//! VOP1 rows (with their VOP3 and DPP forms). RDNA3 ISA, chapter 16.8.

use super::names::vector::*;
use super::prelude::*;

/// VOP1 rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! vop1_rows {
    ($use:ident) => {
        $use! {
            v_nop                      VOP1      [0x00, 0x00, 0x00, 0x00, 0x00] .plus(BARE) => note Other;
            v_mov_b32                  VOP1      [0x01, 0x01, 0x01, 0x01, 0x01] d:B32 = a:B32 .follow(Move) => same(a);
            v_readfirstlane_b32        VOP1_ONLY [0x02, 0x02, 0x02, 0x02, 0x02] sd:B32 = va:B32 .follow(FirstLane).plus(NODPP) => do readfirstlane(sd, va);
            v_cvt_i32_f64              VOP1      [0x03, 0x03, 0x03, 0x03, 0x03] d:I32 = a:F64      => CvtI32F64(a);
            v_cvt_f64_i32              VOP1      [0x04, 0x04, 0x04, 0x04, 0x04] d:F64 = a:I32      => CvtF64I32(a);
            v_cvt_f32_i32              VOP1      [0x05, 0x05, 0x05, 0x05, 0x05] d:F32 = a:I32      => CvtF32I32(a);
            v_cvt_f32_u32              VOP1      [0x06, 0x06, 0x06, 0x06, 0x06] d:F32 = a:U32      => CvtF32U32(a);
            v_cvt_u32_f32              VOP1      [0x07, 0x07, 0x07, 0x07, 0x07] d:U32 = a:F32      => CvtU32F32(a);
            v_cvt_i32_f32              VOP1      [0x08, 0x08, 0x08, 0x08, 0x08] d:I32 = a:F32      => CvtI32F32(a);
            v_cvt_f16_f32              VOP1      [0x0a, 0x0a, 0x0a, 0x0a, 0x0a] d:F16 = a:F32      => CvtF16F32(a);
            v_cvt_f32_f16              VOP1      [0x0b, 0x0b, 0x0b, 0x0b, 0x0b] d:F32 = a:F16      => CvtF32F16(a);
            v_cvt_nearest_i32_f32      VOP1      [0x0c, 0x0c, 0x0c, 0x0c, 0x0c] d:I32 = a:F32 .plus(EXACT).less(OM).named(&[(TO_GFX10, "v_cvt_rpi_i32_f32")]) => CvtNearestI32F32(a);
            v_cvt_floor_i32_f32        VOP1      [0x0d, 0x0d, 0x0d, 0x0d, 0x0d] d:I32 = a:F32 .plus(EXACT).less(OM).named(&[(TO_GFX10, "v_cvt_flr_i32_f32")]) => CvtFloorI32F32(a);
            v_cvt_off_f32_i4           VOP1      [0x0e, 0x0e, 0x0e, 0x0e, 0x0e] d:F32 = a:I32 .plus(EXACT) => CvtOffF32I4(a);
            v_cvt_f32_f64              VOP1      [0x0f, 0x0f, 0x0f, 0x0f, 0x0f] d:F32 = a:F64      => CvtF32F64(a);
            v_cvt_f64_f32              VOP1      [0x10, 0x10, 0x10, 0x10, 0x10] d:F64 = a:F32      => CvtF64F32(a);
            v_cvt_f32_ubyte0           VOP1      [0x11, 0x11, 0x11, 0x11, 0x11] d:F32 = a:U32 .plus(EXACT) => cvt_ubyte([a], 0);
            v_cvt_f32_ubyte1           VOP1      [0x12, 0x12, 0x12, 0x12, 0x12] d:F32 = a:U32 .plus(EXACT) => cvt_ubyte([a], 1);
            v_cvt_f32_ubyte2           VOP1      [0x13, 0x13, 0x13, 0x13, 0x13] d:F32 = a:U32 .plus(EXACT) => cvt_ubyte([a], 2);
            v_cvt_f32_ubyte3           VOP1      [0x14, 0x14, 0x14, 0x14, 0x14] d:F32 = a:U32 .plus(EXACT) => cvt_ubyte([a], 3);
            v_cvt_u32_f64              VOP1      [0x15, 0x15, 0x15, 0x15, 0x15] d:U32 = a:F64      => CvtU32F64(a);
            v_cvt_f64_u32              VOP1      [0x16, 0x16, 0x16, 0x16, 0x16] d:F64 = a:U32      => CvtF64U32(a);
            v_trunc_f64                VOP1      [0x17, 0x17, 0x17, 0x17, 0x17] d:F64 = a:F64 .on(SINCE_GFX7) => FTrunc64(a);
            v_ceil_f64                 VOP1      [0x18, 0x18, 0x18, 0x18, 0x18] d:F64 = a:F64 .on(SINCE_GFX7) => FCeil64(a);
            v_rndne_f64                VOP1      [0x19, 0x19, 0x19, 0x19, 0x19] d:F64 = a:F64 .on(SINCE_GFX7) => FRndne64(a);
            v_floor_f64                VOP1      [0x1a, 0x1a, 0x1a, 0x1a, 0x1a] d:F64 = a:F64 .on(SINCE_GFX7) => FFloor64(a);
            v_pipeflush                VOP1      [   X,    X, 0x1b, 0x1b, 0x1b]                    => note Other;
            v_mov_b16                  VOP1      [   X,    X,    X, 0x1c, 0x1c] d:B16 = a:B16 .plus(IGN0 | HALF | OS | TRUE16) => same(a);
            v_fract_f32                VOP1      [0x20, 0x1b, 0x20, 0x20, 0x20] d:F32 = a:F32      => FFract32(a);
            v_trunc_f32                VOP1      [0x21, 0x1c, 0x21, 0x21, 0x21] d:F32 = a:F32      => FTrunc32(a);
            v_ceil_f32                 VOP1      [0x22, 0x1d, 0x22, 0x22, 0x22] d:F32 = a:F32      => FCeil32(a);
            v_rndne_f32                VOP1      [0x23, 0x1e, 0x23, 0x23, 0x23] d:F32 = a:F32      => FRndne32(a);
            v_floor_f32                VOP1      [0x24, 0x1f, 0x24, 0x24, 0x24] d:F32 = a:F32      => FFloor32(a);
            v_exp_f32                  VOP1      [0x25, 0x20, 0x25, 0x25, 0x25] d:F32 = a:F32      => FExp232(a);
            v_log_f32                  VOP1      [0x27, 0x21, 0x27, 0x27, 0x27] d:F32 = a:F32      => FLog232(a);
            v_rcp_f32                  VOP1      [0x2a, 0x22, 0x2a, 0x2a, 0x2a] d:F32 = a:F32      => FRcp32(a);
            v_rcp_iflag_f32            VOP1      [0x2b, 0x23, 0x2b, 0x2b, 0x2b] d:F32 = a:F32      => FRcp32(a);
            v_rsq_f32                  VOP1      [0x2e, 0x24, 0x2e, 0x2e, 0x2e] d:F32 = a:F32      => FRsq32(a);
            v_rcp_f64                  VOP1      [0x2f, 0x25, 0x2f, 0x2f, 0x2f] d:F64 = a:F64      => FRcp64(a);
            v_rsq_f64                  VOP1      [0x31, 0x26, 0x31, 0x31, 0x31] d:F64 = a:F64      => FRsq64(a);
            v_sqrt_f32                 VOP1      [0x33, 0x27, 0x33, 0x33, 0x33] d:F32 = a:F32      => FSqrt32(a);
            v_sqrt_f64                 VOP1      [0x34, 0x28, 0x34, 0x34, 0x34] d:F64 = a:F64      => FSqrt64(a);
            v_sin_f32                  VOP1      [0x35, 0x29, 0x35, 0x35, 0x35] d:F32 = a:F32      => FSin32(a);
            v_cos_f32                  VOP1      [0x36, 0x2a, 0x36, 0x36, 0x36] d:F32 = a:F32      => FCos32(a);
            v_not_b32                  VOP1      [0x37, 0x2b, 0x37, 0x37, 0x37] d:B32 = a:B32      => Not32(a);
            v_bfrev_b32                VOP1      [0x38, 0x2c, 0x38, 0x38, 0x38] d:B32 = a:B32      => BitRev32(a);
            v_clz_i32_u32              VOP1      [0x39, 0x2d, 0x39, 0x39, 0x39] d:I32 = a:U32 .named(&[(TO_GFX10, "v_ffbh_u32")]) => FfbhU32(a);
            v_ctz_i32_b32              VOP1      [0x3a, 0x2e, 0x3a, 0x3a, 0x3a] d:I32 = a:B32 .named(&[(TO_GFX10, "v_ffbl_b32")]) => FfblB32(a);
            v_cls_i32                  VOP1      [0x3b, 0x2f, 0x3b, 0x3b, 0x3b] d:I32 = a:I32 .named(&[(TO_GFX10, "v_ffbh_i32")]) => FfbhI32(a);
            v_frexp_exp_i32_f64        VOP1      [0x3c, 0x30, 0x3c, 0x3c, 0x3c] d:I32 = a:F64      => FFrexpExp64(a);
            v_frexp_mant_f64           VOP1      [0x3d, 0x31, 0x3d, 0x3d, 0x3d] d:F64 = a:F64      => FFrexpMant64(a);
            v_fract_f64                VOP1      [0x3e, 0x32, 0x3e, 0x3e, 0x3e] d:F64 = a:F64      => FFract64(a);
            v_frexp_exp_i32_f32        VOP1      [0x3f, 0x33, 0x3f, 0x3f, 0x3f] d:I32 = a:F32 .less(OM) => FFrexpExp32(a);
            v_frexp_mant_f32           VOP1      [0x40, 0x34, 0x40, 0x40, 0x40] d:F32 = a:F32      => FFrexpMant32(a);
            v_movreld_b32              VOP1      [0x42,    X, 0x42, 0x42, 0x42] d:B32 = a:B32 | m0 => do movreld(d, a);
            v_movreld_b32              VOP1      [   X, 0x36,    X,    X,    X] d:B32 = a:B32 | m0 .plus(NODPP).on(GFX8) => do movreld(d, a);
            v_movrels_b32              VOP1      [0x43,    X, 0x43, 0x43, 0x43] d:B32 = va:B32 | m0 => do movrels(d, va);
            v_movrels_b32              VOP1      [   X, 0x37,    X,    X,    X] d:B32 = va:B32 | m0 .plus(NODPP).on(GFX8) => do movrels(d, va);
            v_movrelsd_b32             VOP1      [0x44,    X, 0x44, 0x44, 0x44] d:B32 = va:B32 | m0 => do movrelsd(d, va);
            v_movrelsd_b32             VOP1      [   X, 0x38,    X,    X,    X] d:B32 = va:B32 | m0 .plus(NODPP).on(GFX8) => do movrelsd(d, va);
            v_movrelsd_2_b32           VOP1      [   X,    X, 0x48, 0x48, 0x48] d:B32 = va:B32 | m0 => do movrelsd2(d, va);
            v_cvt_f16_u16              VOP1      [   X, 0x39, 0x50, 0x50, 0x50] d:F16 = a:U16      => CvtF16U16(a);
            v_cvt_f16_i16              VOP1      [   X, 0x3a, 0x51, 0x51, 0x51] d:F16 = a:I16      => CvtF16I16(a);
            v_cvt_u16_f16              VOP1      [   X, 0x3b, 0x52, 0x52, 0x52] d:U16 = a:F16      => CvtU16F16(a);
            v_cvt_i16_f16              VOP1      [   X, 0x3c, 0x53, 0x53, 0x53] d:I16 = a:F16      => CvtI16F16(a);
            v_rcp_f16                  VOP1      [   X, 0x3d, 0x54, 0x54, 0x54] d:F16 = a:F16 .plus(TRUE16) => FRcp16(a);
            v_sqrt_f16                 VOP1      [   X, 0x3e, 0x55, 0x55, 0x55] d:F16 = a:F16 .plus(TRUE16) => FSqrt16(a);
            v_rsq_f16                  VOP1      [   X, 0x3f, 0x56, 0x56, 0x56] d:F16 = a:F16 .plus(TRUE16) => FRsq16(a);
            v_log_f16                  VOP1      [   X, 0x40, 0x57, 0x57, 0x57] d:F16 = a:F16 .plus(TRUE16) => FLog216(a);
            v_exp_f16                  VOP1      [   X, 0x41, 0x58, 0x58, 0x58] d:F16 = a:F16 .plus(TRUE16) => FExp216(a);
            v_frexp_mant_f16           VOP1      [   X, 0x42, 0x59, 0x59, 0x59] d:F16 = a:F16      => FFrexpMant16(a);
            v_frexp_exp_i16_f16        VOP1      [   X, 0x43, 0x5a, 0x5a, 0x5a] d:I16 = a:F16      => FFrexpExp16(a);
            v_floor_f16                VOP1      [   X, 0x44, 0x5b, 0x5b, 0x5b] d:F16 = a:F16 .plus(TRUE16) => FFloor16(a);
            v_ceil_f16                 VOP1      [   X, 0x45, 0x5c, 0x5c, 0x5c] d:F16 = a:F16 .plus(TRUE16) => FCeil16(a);
            v_trunc_f16                VOP1      [   X, 0x46, 0x5d, 0x5d, 0x5d] d:F16 = a:F16      => FTrunc16(a);
            v_rndne_f16                VOP1      [   X, 0x47, 0x5e, 0x5e, 0x5e] d:F16 = a:F16      => FRndne16(a);
            v_fract_f16                VOP1      [   X, 0x48, 0x5f, 0x5f, 0x5f] d:F16 = a:F16      => FFract16(a);
            v_sin_f16                  VOP1      [   X, 0x49, 0x60, 0x60, 0x60] d:F16 = a:F16      => FSin16(a);
            v_cos_f16                  VOP1      [   X, 0x4a, 0x61, 0x61, 0x61] d:F16 = a:F16      => FCos16(a);
            v_sat_pk_u8_i16            VOP1      [   X, 0x4f, 0x62, 0x62, 0x62] d:B16 = a:I16X2 .on(FROM_GFX9) => SatPkU8I16(a);
            v_cvt_norm_i16_f16         VOP1      [   X, 0x4d, 0x63, 0x63, 0x63] d:I16 = a:F16 .on(FROM_GFX9) => CvtNormI16F16(a);
            v_cvt_norm_u16_f16         VOP1      [   X, 0x4e, 0x64, 0x64, 0x64] d:U16 = a:F16 .on(FROM_GFX9) => CvtNormU16F16(a);
            v_swap_b32                 VOP1_ONLY [   X, 0x51, 0x65, 0x65, 0x65] d:B32 rw = va:B32 wr .plus(NODPP).on(FROM_GFX9) => do swap(d, va);
            v_permlane64_b32           VOP1_ONLY [   X,    X,    X, 0x67, 0x67] d:B32 = va:B32 .plus(NODPP) => do permlane64(d, va);
            v_swaprel_b32              VOP1_ONLY [   X,    X, 0x68, 0x68, 0x68] d:B32 rw = va:B32 wr | m0 .plus(NODPP) => do swaprel(d, va);
            v_not_b16                  VOP1      [   X,    X,    X, 0x69, 0x69] d:B16 = a:B16      => Not32(a);
            v_cvt_i32_i16              VOP1      [   X,    X,    X, 0x6a, 0x6a] d:I32 = a:I16      => sext(a, 16);
            v_cvt_u32_u16              VOP1      [   X,    X,    X, 0x6b, 0x6b] d:U32 = a:U16      => mask(a, 0xffff);
            v_cvt_f32_fp8              VOP1      [   X,    X,    X,    X, 0x6c] d:F32 = a:B32 .plus(BYTE).less(CL | OM) => -;
            v_cvt_f32_bf8              VOP1      [   X,    X,    X,    X, 0x6d] d:F32 = a:B32 .plus(BYTE).less(CL | OM) => -;
            v_cvt_pk_f32_fp8           VOP1      [   X,    X,    X,    X, 0x6e] d:B64 = a:B32 .plus(CL | OM | NODPP | OS) => -;
            v_cvt_pk_f32_bf8           VOP1      [   X,    X,    X,    X, 0x6f] d:B64 = a:B32 .plus(CL | OM | NODPP | OS) => -;
            v_clrexcp                  VOP1      [0x41, 0x35, 0x41,    X,    X]                    => -;
            v_screen_partition_4se_b32 VOP1      [   X, 0x37,    X,    X,    X] d:B32 = a:B32 .on(ALL_GFX9) => -;
            v_accvgpr_mov_b32          VOP1_ONLY [   X, 0x52,    X,    X,    X] ad:B32 = xa:B32 .plus(NODPP).on(GFX90A_940) => -;
            v_mov_b64                  VOP1      [   X, 0x38,    X,    X,    X] d:B64 = a:B64 .on(GFX940) => -;
            v_exp_legacy_f32           VOP1      [0x46, 0x4b,    X,    X,    X] d:F32 = a:F32 .on(SINCE_GFX7) => -;
            v_log_legacy_f32           VOP1      [0x45, 0x4c,    X,    X,    X] d:F32 = a:F32 .on(SINCE_GFX7) => -;
            v_cvt_f32_fp8              VOP1      [   X, 0x54,    X,    X,    X] d:F32 = a:B32 .plus(BYTES).on(GFX940) => -;
            v_cvt_f32_bf8              VOP1      [   X, 0x55,    X,    X,    X] d:F32 = a:B32 .plus(BYTES).on(GFX940) => -;
            v_cvt_pk_f32_fp8           VOP1      [   X, 0x56,    X,    X,    X] d:B64 = a:B32 .plus(CL | OM | BYTES).on(GFX940) => -;
            v_cvt_pk_f32_bf8           VOP1      [   X, 0x57,    X,    X,    X] d:B64 = a:B32 .plus(CL | OM | BYTES).on(GFX940) => -;
            v_log_clamp_f32            VOP1      [0x26,    X,    X,    X,    X] d:F32 = a:F32      => -;
            v_rcp_clamp_f32            VOP1      [0x28,    X,    X,    X,    X] d:F32 = a:F32      => -;
            v_rcp_legacy_f32           VOP1      [0x29,    X,    X,    X,    X] d:F32 = a:F32      => -;
            v_rsq_clamp_f32            VOP1      [0x2c,    X,    X,    X,    X] d:F32 = a:F32      => -;
            v_rsq_legacy_f32           VOP1      [0x2d,    X,    X,    X,    X] d:F32 = a:F32      => -;
            v_rcp_clamp_f64            VOP1      [0x30,    X,    X,    X,    X] d:F64 = a:F64      => -;
            v_rsq_clamp_f64            VOP1      [0x32,    X,    X,    X,    X] d:F64 = a:F64      => -;
        }
    };
}

pub(super) const ROWS: &[Row] = vop1_rows!(rows);
