//! Matrix instructions on VGPRs and AGPRs: MFMA, sparse SMFMAC and the AGPR moves of gfx908 to gfx94x. CDNA3 ISA, chapter 7.
//!
//! Accumulator types say the size only: a constant accumulator is one 32-bit (F64: 64-bit) value for every element.

use super::names::vector::*;
use super::prelude::*;

/// With MFMA.
const MFMA: Procs = Procs::one(0x908).or(GFX90A_940);
/// gfx94x renamed the instructions it kept.
const FIRST: Procs = Procs::one(0x908).or(Procs::GFX90A);

/// MAI rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! mai_rows {
    ($use:ident) => {
        $use! {
            v_mfma_f32_16x16x8_xf32       MAI [   X, 0x3e,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x4_xf32       MAI [   X, 0x3f,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x1_2b_f32     MAI [   X, 0x40,    X,    X,    X] d:B1024 = aa:B32, ab:B32, acc:B1024 .on(MFMA).named(&[(FIRST, "v_mfma_f32_32x32x1f32")]) => -;
            v_mfma_f32_16x16x1_4b_f32     MAI [   X, 0x41,    X,    X,    X] d:B512 = aa:B32, ab:B32, acc:B512 .on(MFMA).named(&[(FIRST, "v_mfma_f32_16x16x1f32")]) => -;
            v_mfma_f32_4x4x1_16b_f32      MAI [   X, 0x42,    X,    X,    X] d:B128 = aa:B32, ab:B32, acc:B128 .on(MFMA).named(&[(FIRST, "v_mfma_f32_4x4x1f32")]) => -;
            v_mfma_f32_32x32x2_f32        MAI [   X, 0x44,    X,    X,    X] d:B512 = aa:B32, ab:B32, acc:B512 .on(MFMA).named(&[(FIRST, "v_mfma_f32_32x32x2f32")]) => -;
            v_mfma_f32_16x16x4_f32        MAI [   X, 0x45,    X,    X,    X] d:B128 = aa:B32, ab:B32, acc:B128 .on(MFMA).named(&[(FIRST, "v_mfma_f32_16x16x4f32")]) => -;
            v_mfma_f32_32x32x4_2b_f16     MAI [   X, 0x48,    X,    X,    X] d:B1024 = aa:B64, ab:B64, acc:B1024 .on(MFMA).named(&[(FIRST, "v_mfma_f32_32x32x4f16")]) => -;
            v_mfma_f32_16x16x4_4b_f16     MAI [   X, 0x49,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(MFMA).named(&[(FIRST, "v_mfma_f32_16x16x4f16")]) => -;
            v_mfma_f32_4x4x4_16b_f16      MAI [   X, 0x4a,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(MFMA).named(&[(FIRST, "v_mfma_f32_4x4x4f16")]) => -;
            v_mfma_f32_32x32x8_f16        MAI [   X, 0x4c,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(MFMA).named(&[(FIRST, "v_mfma_f32_32x32x8f16")]) => -;
            v_mfma_f32_16x16x16_f16       MAI [   X, 0x4d,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(MFMA).named(&[(FIRST, "v_mfma_f32_16x16x16f16")]) => -;
            v_mfma_i32_32x32x4_2b_i8      MAI [   X, 0x50,    X,    X,    X] d:B1024 = aa:B32, ab:B32, acc:B1024 .on(MFMA).named(&[(FIRST, "v_mfma_i32_32x32x4i8")]) => -;
            v_mfma_i32_16x16x4_4b_i8      MAI [   X, 0x51,    X,    X,    X] d:B512 = aa:B32, ab:B32, acc:B512 .on(MFMA).named(&[(FIRST, "v_mfma_i32_16x16x4i8")]) => -;
            v_mfma_i32_4x4x4_16b_i8       MAI [   X, 0x52,    X,    X,    X] d:B128 = aa:B32, ab:B32, acc:B128 .on(MFMA).named(&[(FIRST, "v_mfma_i32_4x4x4i8")]) => -;
            v_mfma_i32_32x32x8i8          MAI [   X, 0x54,    X,    X,    X] d:B512 = aa:B32, ab:B32, acc:B512 .on(FIRST) => -;
            v_mfma_i32_16x16x16i8         MAI [   X, 0x55,    X,    X,    X] d:B128 = aa:B32, ab:B32, acc:B128 .on(FIRST) => -;
            v_mfma_i32_32x32x16_i8        MAI [   X, 0x56,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_mfma_i32_16x16x32_i8        MAI [   X, 0x57,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_accvgpr_read_b32            MAI [   X, 0x58,    X,    X,    X] d:B32 = xa:B32 .on(MFMA)            => -;
            v_accvgpr_write_b32           MAI [   X, 0x59,    X,    X,    X] ad:B32 = a:B32 .on(MFMA)            => -;
            v_mfma_f32_32x32x4_2b_bf16    MAI [   X, 0x5d,    X,    X,    X] d:B1024 = aa:B64, ab:B64, acc:B1024 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x4_4b_bf16    MAI [   X, 0x5e,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_mfma_f32_4x4x4_16b_bf16     MAI [   X, 0x5f,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x8_bf16       MAI [   X, 0x60,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x16_bf16      MAI [   X, 0x61,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_smfmac_f32_16x16x32_f16     MAI [   X, 0x62,    X,    X,    X] d:B128 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x4_2b_bf16    MAI [   X, 0x63,    X,    X,    X] d:B1024 = aa:B64, ab:B64, acc:B1024 .on(Procs::GFX90A).named(&[(Procs::ALL, "v_mfma_f32_32x32x4bf16_1k")]) => -;
            v_mfma_f32_16x16x4_4b_bf16    MAI [   X, 0x64,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX90A).named(&[(Procs::ALL, "v_mfma_f32_16x16x4bf16_1k")]) => -;
            v_smfmac_f32_32x32x16_f16     MAI [   X, 0x64,    X,    X,    X] d:B512 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_mfma_f32_4x4x4_16b_bf16     MAI [   X, 0x65,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX90A).named(&[(Procs::ALL, "v_mfma_f32_4x4x4bf16_1k")]) => -;
            v_mfma_f32_32x32x8_bf16       MAI [   X, 0x66,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX90A).named(&[(Procs::ALL, "v_mfma_f32_32x32x8bf16_1k")]) => -;
            v_smfmac_f32_16x16x32_bf16    MAI [   X, 0x66,    X,    X,    X] d:B128 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x16_bf16      MAI [   X, 0x67,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX90A).named(&[(Procs::ALL, "v_mfma_f32_16x16x16bf16_1k")]) => -;
            v_mfma_f32_32x32x2bf16        MAI [   X, 0x68,    X,    X,    X] d:B1024 = aa:B32, ab:B32, acc:B1024 .on(FIRST) => -;
            v_smfmac_f32_32x32x16_bf16    MAI [   X, 0x68,    X,    X,    X] d:B512 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x2bf16        MAI [   X, 0x69,    X,    X,    X] d:B512 = aa:B32, ab:B32, acc:B512 .on(FIRST) => -;
            v_smfmac_i32_16x16x64_i8      MAI [   X, 0x6a,    X,    X,    X] d:B128 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_mfma_f32_4x4x2bf16          MAI [   X, 0x6b,    X,    X,    X] d:B128 = aa:B32, ab:B32, acc:B128 .on(FIRST) => -;
            v_mfma_f32_32x32x4bf16        MAI [   X, 0x6c,    X,    X,    X] d:B512 = aa:B32, ab:B32, acc:B512 .on(FIRST) => -;
            v_smfmac_i32_32x32x32_i8      MAI [   X, 0x6c,    X,    X,    X] d:B512 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x8bf16        MAI [   X, 0x6d,    X,    X,    X] d:B128 = aa:B32, ab:B32, acc:B128 .on(FIRST) => -;
            v_mfma_f64_16x16x4_f64        MAI [   X, 0x6e,    X,    X,    X] d:B256 = aa:B64, ab:B64, acc:F64X4 .on(GFX90A_940).named(&[(Procs::GFX90A, "v_mfma_f64_16x16x4f64")]) => -;
            v_mfma_f64_4x4x4_4b_f64       MAI [   X, 0x6f,    X,    X,    X] d:B64 = aa:B64, ab:B64, acc:F64 .on(GFX90A_940).named(&[(Procs::GFX90A, "v_mfma_f64_4x4x4f64")]) => -;
            v_mfma_f32_16x16x32_bf8_bf8   MAI [   X, 0x70,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x32_bf8_fp8   MAI [   X, 0x71,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x32_fp8_bf8   MAI [   X, 0x72,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_mfma_f32_16x16x32_fp8_fp8   MAI [   X, 0x73,    X,    X,    X] d:B128 = aa:B64, ab:B64, acc:B128 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x16_bf8_bf8   MAI [   X, 0x74,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x16_bf8_fp8   MAI [   X, 0x75,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x16_fp8_bf8   MAI [   X, 0x76,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_mfma_f32_32x32x16_fp8_fp8   MAI [   X, 0x77,    X,    X,    X] d:B512 = aa:B64, ab:B64, acc:B512 .on(Procs::GFX940) => -;
            v_smfmac_f32_16x16x64_bf8_bf8 MAI [   X, 0x78,    X,    X,    X] d:B128 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_smfmac_f32_16x16x64_bf8_fp8 MAI [   X, 0x79,    X,    X,    X] d:B128 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_smfmac_f32_16x16x64_fp8_bf8 MAI [   X, 0x7a,    X,    X,    X] d:B128 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_smfmac_f32_16x16x64_fp8_fp8 MAI [   X, 0x7b,    X,    X,    X] d:B128 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_smfmac_f32_32x32x32_bf8_bf8 MAI [   X, 0x7c,    X,    X,    X] d:B512 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_smfmac_f32_32x32x32_bf8_fp8 MAI [   X, 0x7d,    X,    X,    X] d:B512 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_smfmac_f32_32x32x32_fp8_bf8 MAI [   X, 0x7e,    X,    X,    X] d:B512 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
            v_smfmac_f32_32x32x32_fp8_fp8 MAI [   X, 0x7f,    X,    X,    X] d:B512 = aa:B64, ab:B128, vc:B32 .on(Procs::GFX940) => -;
        }
    };
}

pub(super) const ROWS: &[Row] = mai_rows!(rows);
