//! VOP3P rows: packed, mixed precision, dot products and WMMA. RDNA3 ISA, chapter 16.10.

use super::names::vector::*;
use super::prelude::*;

/// Dot products came late to gfx9 and gfx10.
const DOT: Procs = Procs::range(0x906, 0x908).or(GFX90A_940).or(Procs::range(0x1011, 0x1012)).or(SINCE_GFX10_3);
/// Mixed precision without rounding between multiply and add; the first gfx9 processors round ([`MAD_MIX`]).
const FMA_MIX: Procs = FROM_GFX9.without(MAD_MIX);
const MAD_MIX: Procs = Procs::range(0x900, 0x902).or(Procs::one(0x909)).or(Procs::one(0x90c));

/// VOP3P rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! vop3p_rows {
    ($use:ident) => {
        $use! {
            v_pk_mad_i16                  VOP3P [   X, 0x00, 0x00, 0x00, 0x00] d:I16X2 = a:I16X2, b:I16X2, c:I16X2 .on(FROM_GFX9) => pk_mad([a, b, c]), clamp pk_mad_sat([a, b, c], true);
            v_pk_mad_u16                  VOP3P [   X, 0x09, 0x09, 0x09, 0x09] d:U16X2 = a:U16X2, b:U16X2, c:U16X2 .on(FROM_GFX9) => pk_mad([a, b, c]), clamp pk_mad_sat([a, b, c], false);
            v_pk_fma_f16                  VOP3P [   X, 0x0e, 0x0e, 0x0e, 0x0e] d:F16X2 = a:F16X2, b:F16X2, c:F16X2 .on(FROM_GFX9) => PkFFma16(a, b, c);
            v_dot2_f32_f16                VOP3P [   X, 0x23, 0x13, 0x13, 0x13] d:F32 = a:F16X2, b:F16X2, c:F32 .plus(CL | NEG | PK).on(DOT) => do dot2_f32(d, [a, b, c], Dot2F32F16);
            v_dot4_i32_iu8                VOP3P [   X,    X,    X, 0x16, 0x16] d:I32 = a:B32, b:B32, c:I32 .plus(CL | IU | NODPP | PK) => do dot_iu(d, [a, b, c], [Dot4UU, Dot4SU, Dot4US, Dot4SS]);
            v_dot4_u32_u8                 VOP3P [   X, 0x29, 0x17, 0x17, 0x17] d:U32 = a:B32, b:B32, c:U32 .plus(CL | IU | NODPP | PK).on(DOT) => do dot(d, [a, b, c], Dot4UU, IAdd32, UAddSat32);
            v_dot8_i32_iu4                VOP3P [   X,    X,    X, 0x18, 0x18] d:I32 = a:B32, b:B32, c:I32 .plus(CL | IU | NODPP | PK) => do dot_iu(d, [a, b, c], [Dot8UU, Dot8SU, Dot8US, Dot8SS]);
            v_dot8_u32_u4                 VOP3P [   X, 0x2b, 0x19, 0x19, 0x19] d:U32 = a:B32, b:B32, c:U32 .plus(CL | IU | NODPP | PK).on(DOT) => do dot(d, [a, b, c], Dot8UU, IAdd32, UAddSat32);
            v_dot2_f32_bf16               VOP3P [   X,    X,    X, 0x1a, 0x1a] d:F32 = a:BF16X2, b:BF16X2, c:F32 .plus(CL | NEG | NODPP | PK) => do dot2_f32(d, [a, b, c], Dot2F32Bf16);
            v_fma_mix_f32                 VOP3P [   X, 0x20, 0x20, 0x20, 0x20] d:F32 = a:F32, b:F32, c:F32 .plus(CL | MIX | PK).on(FMA_MIX) => do mix(d, [a, b, c]);
            v_fma_mixlo_f16               VOP3P [   X, 0x21, 0x21, 0x21, 0x21] d:F16 rw = a:F32, b:F32, c:F32 .plus(CL | MIX | PK).on(FMA_MIX) => do mix_half(d, [a, b, c], false);
            v_fma_mixhi_f16               VOP3P [   X, 0x22, 0x22, 0x22, 0x22] d:F16 rw = a:F32, b:F32, c:F32 .plus(CL | MIX | PK).on(FMA_MIX) => do mix_half(d, [a, b, c], true);
            v_wmma_f32_16x16x16_f16       VOP3P [   X,    X,    X, 0x40,    X] d:AccF32 = va:B256, vb:B256, acc:AccF32 .plus(NEG | NODPP) => do wmma(d, [va, vb, acc], Factors::F16);
            v_wmma_f32_16x16x16_f16       VOP3P [   X,    X,    X,    X, 0x40] d:AccF32 = va:Frag(4), vb:Frag(4), acc:AccF32 .plus(NEG | NODPP) => do wmma_split(d, [va, vb, acc], 8, Factors::F16);
            v_wmma_f32_16x16x16_bf16      VOP3P [   X,    X,    X, 0x41,    X] d:AccF32 = va:B256, vb:B256, acc:AccF32 .plus(NEG | NODPP) => do wmma(d, [va, vb, acc], Factors::Bf16);
            v_wmma_f32_16x16x16_bf16      VOP3P [   X,    X,    X,    X, 0x41] d:AccF32 = va:Frag(4), vb:Frag(4), acc:AccF32 .plus(NEG | NODPP) => do wmma_split(d, [va, vb, acc], 8, Factors::Bf16);
            v_wmma_f16_16x16x16_f16       VOP3P [   X,    X,    X, 0x42,    X] d:AccF16 rw = va:B256, vb:B256, acc:AccF16 .plus(NEG | NODPP | PK) => do wmma(d, [va, vb, acc], Factors::F16);
            v_wmma_f16_16x16x16_f16       VOP3P [   X,    X,    X,    X, 0x42] d:AccPkF16 = va:Frag(4), vb:Frag(4), acc:AccPkF16 .plus(NEG | NODPP) => do wmma_split(d, [va, vb, acc], 8, Factors::F16);
            v_wmma_bf16_16x16x16_bf16     VOP3P [   X,    X,    X, 0x43,    X] d:AccBF16 rw = va:B256, vb:B256, acc:AccBF16 .plus(NEG | NODPP | PK) => do wmma(d, [va, vb, acc], Factors::Bf16);
            v_wmma_bf16_16x16x16_bf16     VOP3P [   X,    X,    X,    X, 0x43] d:AccPkBF16 = va:Frag(4), vb:Frag(4), acc:AccPkBF16 .plus(NEG | NODPP) => do wmma_split(d, [va, vb, acc], 8, Factors::Bf16);
            v_wmma_i32_16x16x16_iu8       VOP3P [   X,    X,    X, 0x44,    X] d:AccI32 = va:B128, vb:B128, acc:AccI32 .plus(CL | IU | NODPP) => do wmma(d, [va, vb, acc], Factors::Iu8);
            v_wmma_i32_16x16x16_iu8       VOP3P [   X,    X,    X,    X, 0x44] d:AccI32 = va:Frag(2), vb:Frag(2), acc:AccI32 .plus(CL | IU | NODPP) => do wmma_split(d, [va, vb, acc], 4, Factors::Iu8);
            v_wmma_i32_16x16x16_iu4       VOP3P [   X,    X,    X, 0x45,    X] d:AccI32 = va:B64, vb:B64, acc:AccI32 .plus(CL | IU | NODPP) => do wmma(d, [va, vb, acc], Factors::Iu4);
            v_wmma_i32_16x16x16_iu4       VOP3P [   X,    X,    X,    X, 0x45] d:AccI32 = va:B32, vb:B32, acc:AccI32 .plus(CL | IU | NODPP) => do wmma_split(d, [va, vb, acc], 2, Factors::Iu4);
            v_pk_mul_lo_u16               VOP3P [   X, 0x01, 0x01, 0x01, 0x01] d:U16X2 = a:U16X2, b:U16X2 .on(FROM_GFX9)     => PkIMul16(a, b);
            v_pk_add_i16                  VOP3P [   X, 0x02, 0x02, 0x02, 0x02] d:I16X2 = a:I16X2, b:I16X2 .on(FROM_GFX9)     => PkIAdd16(a, b), clamp PkSAddSat16(a, b);
            v_pk_sub_i16                  VOP3P [   X, 0x03, 0x03, 0x03, 0x03] d:I16X2 = a:I16X2, b:I16X2 .on(FROM_GFX9)     => PkISub16(a, b), clamp PkSSubSat16(a, b);
            v_pk_lshlrev_b16              VOP3P [   X, 0x04, 0x04, 0x04, 0x04] d:U16X2 = a:U16X2, b:U16X2 .on(FROM_GFX9)     => PkShl16(b, a);
            v_pk_lshrrev_b16              VOP3P [   X, 0x05, 0x05, 0x05, 0x05] d:U16X2 = a:U16X2, b:U16X2 .on(FROM_GFX9)     => PkLShr16(b, a);
            v_pk_ashrrev_i16              VOP3P [   X, 0x06, 0x06, 0x06, 0x06] d:I16X2 = a:U16X2, b:I16X2 .on(FROM_GFX9)     => PkAShr16(b, a);
            v_pk_max_i16                  VOP3P [   X, 0x07, 0x07, 0x07, 0x07] d:I16X2 = a:I16X2, b:I16X2 .on(FROM_GFX9)     => PkSMax16(a, b);
            v_pk_min_i16                  VOP3P [   X, 0x08, 0x08, 0x08, 0x08] d:I16X2 = a:I16X2, b:I16X2 .on(FROM_GFX9)     => PkSMin16(a, b);
            v_pk_add_u16                  VOP3P [   X, 0x0a, 0x0a, 0x0a, 0x0a] d:U16X2 = a:U16X2, b:U16X2 .on(FROM_GFX9)     => PkIAdd16(a, b), clamp PkUAddSat16(a, b);
            v_pk_sub_u16                  VOP3P [   X, 0x0b, 0x0b, 0x0b, 0x0b] d:U16X2 = a:U16X2, b:U16X2 .on(FROM_GFX9)     => PkISub16(a, b), clamp PkUSubSat16(a, b);
            v_pk_max_u16                  VOP3P [   X, 0x0c, 0x0c, 0x0c, 0x0c] d:U16X2 = a:U16X2, b:U16X2 .on(FROM_GFX9)     => PkUMax16(a, b);
            v_pk_min_u16                  VOP3P [   X, 0x0d, 0x0d, 0x0d, 0x0d] d:U16X2 = a:U16X2, b:U16X2 .on(FROM_GFX9)     => PkUMin16(a, b);
            v_pk_add_f16                  VOP3P [   X, 0x0f, 0x0f, 0x0f, 0x0f] d:F16X2 = a:F16X2, b:F16X2 .on(FROM_GFX9)     => PkFAdd16(a, b);
            v_pk_mul_f16                  VOP3P [   X, 0x10, 0x10, 0x10, 0x10] d:F16X2 = a:F16X2, b:F16X2 .on(FROM_GFX9)     => PkFMul16(a, b);
            v_pk_min_f16                  VOP3P [   X, 0x11, 0x11, 0x11,    X] d:F16X2 = a:F16X2, b:F16X2 .on(FROM_GFX9)     => PkFMin16(a, b);
            v_pk_min_num_f16              VOP3P [   X,    X,    X,    X, 0x1b] d:F16X2 = a:F16X2, b:F16X2 .named(&[(ALSO, "v_pk_min_f16")]) => PkFMinNum16(a, b);
            v_pk_max_f16                  VOP3P [   X, 0x12, 0x12, 0x12,    X] d:F16X2 = a:F16X2, b:F16X2 .on(FROM_GFX9)     => PkFMax16(a, b);
            v_pk_max_num_f16              VOP3P [   X,    X,    X,    X, 0x1c] d:F16X2 = a:F16X2, b:F16X2 .named(&[(ALSO, "v_pk_max_f16")]) => PkFMaxNum16(a, b);
            // Not in gfx11.
            v_pk_minimum_f16              VOP3P [   X,    X,    X,    X, 0x1d] d:F16X2 = a:F16X2, b:F16X2 .plus(EXACT)       => -;
            v_pk_maximum_f16              VOP3P [   X,    X,    X,    X, 0x1e] d:F16X2 = a:F16X2, b:F16X2 .plus(EXACT)       => -;
            v_dot4_f32_fp8_bf8            VOP3P [   X,    X,    X,    X, 0x24] d:F32 = a:B32, b:B32, c:F32 .plus(NEG2)       => -;
            v_dot4_f32_bf8_fp8            VOP3P [   X,    X,    X,    X, 0x25] d:F32 = a:B32, b:B32, c:F32 .plus(NEG2)       => -;
            v_dot4_f32_fp8_fp8            VOP3P [   X,    X,    X,    X, 0x26] d:F32 = a:B32, b:B32, c:F32 .plus(NEG2)       => -;
            v_dot4_f32_bf8_bf8            VOP3P [   X,    X,    X,    X, 0x27] d:F32 = a:B32, b:B32, c:F32 .plus(NEG2)       => -;
            v_wmma_f32_16x16x16_fp8_fp8   VOP3P [   X,    X,    X,    X, 0x46] d:AccF32 = va:Frag(2), vb:Frag(2), acc:AccF32 .plus(NEG2 | NODPP) => do wmma_split(d, [va, vb, acc], 4, Factors::F8(F8::E4M3, F8::E4M3));
            v_wmma_f32_16x16x16_fp8_bf8   VOP3P [   X,    X,    X,    X, 0x47] d:AccF32 = va:Frag(2), vb:Frag(2), acc:AccF32 .plus(NEG2 | NODPP) => do wmma_split(d, [va, vb, acc], 4, Factors::F8(F8::E4M3, F8::E5M2));
            v_wmma_f32_16x16x16_bf8_fp8   VOP3P [   X,    X,    X,    X, 0x48] d:AccF32 = va:Frag(2), vb:Frag(2), acc:AccF32 .plus(NEG2 | NODPP) => do wmma_split(d, [va, vb, acc], 4, Factors::F8(F8::E5M2, F8::E4M3));
            v_wmma_f32_16x16x16_bf8_bf8   VOP3P [   X,    X,    X,    X, 0x49] d:AccF32 = va:Frag(2), vb:Frag(2), acc:AccF32 .plus(NEG2 | NODPP) => do wmma_split(d, [va, vb, acc], 4, Factors::F8(F8::E5M2, F8::E5M2));
            v_wmma_i32_16x16x32_iu4       VOP3P [   X,    X,    X,    X, 0x4a] d:AccI32 = va:Frag(2), vb:Frag(2), acc:AccI32 .plus(CL | IU | NODPP) => do wmma_split(d, [va, vb, acc], 4, Factors::Iu4);
            v_swmmac_f32_16x16x32_f16     VOP3P [   X,    X,    X,    X, 0x50] d:AccF32 rw = va:Frag(4), vb:Frag(8), index:16 .plus(NEG | NODPP) => do swmmac(d, va, vb, index, 8, Factors::F16);
            v_swmmac_f32_16x16x32_bf16    VOP3P [   X,    X,    X,    X, 0x51] d:AccF32 rw = va:Frag(4), vb:Frag(8), index:16 .plus(NEG | NODPP) => do swmmac(d, va, vb, index, 8, Factors::Bf16);
            v_swmmac_f16_16x16x32_f16     VOP3P [   X,    X,    X,    X, 0x52] d:AccPkF16 rw = va:Frag(4), vb:Frag(8), index:16 .plus(NEG | NODPP) => do swmmac(d, va, vb, index, 8, Factors::F16);
            v_swmmac_bf16_16x16x32_bf16   VOP3P [   X,    X,    X,    X, 0x53] d:AccPkBF16 rw = va:Frag(4), vb:Frag(8), index:16 .plus(NEG | NODPP) => do swmmac(d, va, vb, index, 8, Factors::Bf16);
            v_swmmac_i32_16x16x32_iu8     VOP3P [   X,    X,    X,    X, 0x54] d:AccI32 rw = va:Frag(2), vb:Frag(4), index:8 .plus(CL | IU | NODPP) => do swmmac(d, va, vb, index, 4, Factors::Iu8);
            v_swmmac_i32_16x16x32_iu4     VOP3P [   X,    X,    X,    X, 0x55] d:AccI32 rw = va:B32, vb:Frag(2), index:4 .plus(CL | IU | NODPP) => do swmmac(d, va, vb, index, 2, Factors::Iu4);
            v_swmmac_i32_16x16x64_iu4     VOP3P [   X,    X,    X,    X, 0x56] d:AccI32 rw = va:Frag(2), vb:Frag(4), index:4 .plus(CL | IU | NODPP) => do swmmac(d, va, vb, index, 4, Factors::Iu4);
            v_swmmac_f32_16x16x32_fp8_fp8 VOP3P [   X,    X,    X,    X, 0x57] d:AccF32 rw = va:Frag(2), vb:Frag(4), index:8 .plus(NODPP) => do swmmac(d, va, vb, index, 4, Factors::F8(F8::E4M3, F8::E4M3));
            v_swmmac_f32_16x16x32_fp8_bf8 VOP3P [   X,    X,    X,    X, 0x58] d:AccF32 rw = va:Frag(2), vb:Frag(4), index:8 .plus(NODPP) => do swmmac(d, va, vb, index, 4, Factors::F8(F8::E4M3, F8::E5M2));
            v_swmmac_f32_16x16x32_bf8_fp8 VOP3P [   X,    X,    X,    X, 0x59] d:AccF32 rw = va:Frag(2), vb:Frag(4), index:8 .plus(NODPP) => do swmmac(d, va, vb, index, 4, Factors::F8(F8::E5M2, F8::E4M3));
            v_swmmac_f32_16x16x32_bf8_bf8 VOP3P [   X,    X,    X,    X, 0x5a] d:AccF32 rw = va:Frag(2), vb:Frag(4), index:8 .plus(NODPP) => do swmmac(d, va, vb, index, 4, Factors::F8(F8::E5M2, F8::E5M2));
            v_dot2_i32_i16                VOP3P [   X, 0x26, 0x14,    X,    X] d:I32 = a:I16X2, b:I16X2, c:I32 .plus(CL | NEG | NODPP | PK).on(DOT) => do dot2_int(d, [a, b, c], true);
            v_dot2_u32_u16                VOP3P [   X, 0x27, 0x15,    X,    X] d:U32 = a:U16X2, b:U16X2, c:U32 .plus(CL | NEG | NODPP | PK).on(DOT) => do dot2_int(d, [a, b, c], false);
            v_dot4_i32_i8                 VOP3P [   X, 0x28, 0x16,    X,    X] d:I32 = a:B32, b:B32, c:I32 .plus(CL | NEG | NODPP | PK).on(DOT) => do dot(d, [a, b, c], Dot4SS, IAdd32, SAddSat32);
            v_dot8_i32_i4                 VOP3P [   X, 0x2a, 0x18,    X,    X] d:I32 = a:B32, b:B32, c:I32 .plus(CL | NEG | NODPP | PK).on(DOT) => do dot(d, [a, b, c], Dot8SS, IAdd32, SAddSat32);
            v_mad_mix_f32                 VOP3P [   X, 0x20,    X,    X,    X] d:F32 = a:F32, b:F32, c:F32 .plus(CL | MIX | NODPP | PK).on(MAD_MIX) => -;
            v_mad_mixlo_f16               VOP3P [   X, 0x21,    X,    X,    X] d:F16 rw = a:F32, b:F32, c:F32 .plus(CL | MIX | NODPP | PK).on(MAD_MIX) => -;
            v_mad_mixhi_f16               VOP3P [   X, 0x22,    X,    X,    X] d:F16 rw = a:F32, b:F32, c:F32 .plus(CL | MIX | NODPP | PK).on(MAD_MIX) => -;
            v_pk_fma_f32                  VOP3P [   X, 0x30,    X,    X,    X] d:F32X2 = a:F32X2, b:F32X2, c:F32X2 .on(GFX90A_940) => -;
            v_pk_mul_f32                  VOP3P [   X, 0x31,    X,    X,    X] d:F32X2 = a:F32X2, b:F32X2 .on(GFX90A_940)    => -;
            v_pk_add_f32                  VOP3P [   X, 0x32,    X,    X,    X] d:F32X2 = a:F32X2, b:F32X2 .on(GFX90A_940)    => -;
            v_pk_mov_b32                  VOP3P [   X, 0x33,    X,    X,    X] d:B32X2 = a:B32X2, b:B32X2 .on(GFX90A_940)    => -;
        }
    };
}

pub(super) const ROWS: &[Row] = vop3p_rows!(rows);
