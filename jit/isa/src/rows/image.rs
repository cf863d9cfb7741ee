//! MIMG rows (VIMAGE and VSAMPLE on gfx12). RDNA3 ISA, chapter 16.19, and the same chapters of the other manuals.
//!
//! Data and address widths depend on dmask, dim, a16, d16 and tfe: see `decode/image.rs`. What the instruction does, and so what its
//! address holds, stands after `does`.

use super::names::resource::*;
use super::prelude::*;
use crate::memory::AtomicOp::*;
use crate::memory::image::Lod::{Bias, Derivatives, Explicit, Implicit, Zero};
use crate::memory::image::Packing::{Converted, Raw, RawSigned};
use crate::memory::image::{Kind, Lod, Packing, Sampling};
use crate::memory::ray::Form;
use crate::memory::{AtomicOp, MemoryKind};

/// Suffixes: compare, offset, a least level.
const C: u8 = 1;
const O: u8 = 2;
const CL: u8 = 4;

const NOT_GFX90A: Procs = Procs::ALL.without(Procs::GFX940).without(Procs::GFX90A);
const NOT_GFX8_90A: Procs = NOT_GFX90A.without(Procs::GFX8);
/// gfx1013, gfx10.3 and later: ray intersection.
const WITH_BVH: Procs = Procs::range(0x1013, 0xffff);

/// An instruction that gfx12 has in VIMAGE.
const IMAGE: &[Enc] = &[Enc::MIMG, Enc::VIMAGE];
/// An instruction that gfx12 has in VSAMPLE.
const SAMPLE: &[Enc] = &[Enc::MIMG, Enc::VSAMPLE];

const fn kind(kind: Kind) -> MemoryKind {
    MemoryKind::Image { kind, g16: false }
}
const fn load(mip: bool, packing: Packing) -> MemoryKind {
    kind(Kind::Load { mip, packing })
}
const fn store(mip: bool, packing: Packing) -> MemoryKind {
    kind(Kind::Store { mip, raw: matches!(packing, Raw) })
}
const fn atomic(op: AtomicOp) -> MemoryKind {
    kind(Kind::Atomic(op))
}
const fn suffixed(lod: Lod, suffixes: u8) -> Sampling {
    Sampling { compare: suffixes & C != 0, offset: suffixes & O != 0, clamp: suffixes & CL != 0, lod }
}
const fn sample(lod: Lod, suffixes: u8) -> MemoryKind {
    kind(Kind::Sample(suffixed(lod, suffixes)))
}
/// With derivatives of 16 bits.
const fn sample_g16(lod: Lod, suffixes: u8) -> MemoryKind {
    MemoryKind::Image { kind: Kind::Sample(suffixed(lod, suffixes)), g16: true }
}
const fn gather4(lod: Lod, suffixes: u8) -> MemoryKind {
    kind(Kind::Gather4(suffixed(lod, suffixes)))
}
const fn gather4h(lod: Lod, suffixes: u8) -> MemoryKind {
    kind(Kind::Gather4h(suffixed(lod, suffixes)))
}
const fn ray(form: Form) -> MemoryKind {
    MemoryKind::Ray(form)
}

/// Image and ray rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! image_rows {
    ($use:ident) => {
        $use! {
            image_load                 IMAGE  [0x00, 0x00, 0x00, 0x00, 0x00] data:B32 = addr, rsrc:B256 .does(load(false, Converted)).plus(D16) => do resource();
            image_load_mip             IMAGE  [0x01, 0x01, 0x01, 0x01, 0x01] data:B32 = addr, rsrc:B256 .does(load(true, Converted)).plus(D16) => do resource();
            image_load_pck             IMAGE  [0x02, 0x02, 0x02, 0x02, 0x02] data:B32 = addr, rsrc:B256 .does(load(false, Raw)) => do resource();
            image_load_pck_sgn         IMAGE  [0x03, 0x03, 0x03, 0x03, 0x03] data:B32 = addr, rsrc:B256 .does(load(false, RawSigned)) => do resource();
            image_load_mip_pck         IMAGE  [0x04, 0x04, 0x04, 0x04, 0x04] data:B32 = addr, rsrc:B256 .does(load(true, Raw)) => do resource();
            image_load_mip_pck_sgn     IMAGE  [0x05, 0x05, 0x05, 0x05, 0x05] data:B32 = addr, rsrc:B256 .does(load(true, RawSigned)) => do resource();
            image_store                IMAGE  [0x08, 0x08, 0x08, 0x06, 0x06] = data:B32, addr, rsrc:B256 .does(store(false, Converted)).plus(D16) => do resource();
            image_store_mip            IMAGE  [0x09, 0x09, 0x09, 0x07, 0x07] = data:B32, addr, rsrc:B256 .does(store(true, Converted)).plus(D16) => do resource();
            image_store_pck            IMAGE  [0x0a, 0x0a, 0x0a, 0x08, 0x08] = data:B32, addr, rsrc:B256 .does(store(false, Raw)) => do resource();
            image_store_mip_pck        IMAGE  [0x0b, 0x0b, 0x0b, 0x09, 0x09] = data:B32, addr, rsrc:B256 .does(store(true, Raw)) => do resource();
            image_atomic_swap          IMAGE  [0x0f, 0x10, 0x0f, 0x0a, 0x0a] data:B32 rw = addr, rsrc:B256 .does(atomic(Swap)) => do resource();
            image_atomic_cmpswap       IMAGE  [0x10, 0x11, 0x10, 0x0b, 0x0b] data:B64 rw = addr, rsrc:B256 .does(atomic(CmpSwap)) => do resource();
            image_atomic_add           IMAGE  [0x11, 0x12, 0x11, 0x0c, 0x0c] data:B32 rw = addr, rsrc:B256 .does(atomic(Add)).named(&[(Procs::GFX12, "image_atomic_add_uint")]) => do resource();
            image_atomic_sub           IMAGE  [0x12, 0x13, 0x12, 0x0d, 0x0d] data:B32 rw = addr, rsrc:B256 .does(atomic(Sub)).named(&[(Procs::GFX12, "image_atomic_sub_uint")]) => do resource();
            image_atomic_smin          IMAGE  [0x14, 0x14, 0x14, 0x0e, 0x0e] data:B32 rw = addr, rsrc:B256 .does(atomic(SMin)).named(&[(Procs::GFX12, "image_atomic_min_int")]) => do resource();
            image_atomic_umin          IMAGE  [0x15, 0x15, 0x15, 0x0f, 0x0f] data:B32 rw = addr, rsrc:B256 .does(atomic(UMin)).named(&[(Procs::GFX12, "image_atomic_min_uint")]) => do resource();
            image_atomic_smax          IMAGE  [0x16, 0x16, 0x16, 0x10, 0x10] data:B32 rw = addr, rsrc:B256 .does(atomic(SMax)).named(&[(Procs::GFX12, "image_atomic_max_int")]) => do resource();
            image_atomic_umax          IMAGE  [0x17, 0x17, 0x17, 0x11, 0x11] data:B32 rw = addr, rsrc:B256 .does(atomic(UMax)).named(&[(Procs::GFX12, "image_atomic_max_uint")]) => do resource();
            image_atomic_and           IMAGE  [0x18, 0x18, 0x18, 0x12, 0x12] data:B32 rw = addr, rsrc:B256 .does(atomic(And)) => do resource();
            image_atomic_or            IMAGE  [0x19, 0x19, 0x19, 0x13, 0x13] data:B32 rw = addr, rsrc:B256 .does(atomic(Or)) => do resource();
            image_atomic_xor           IMAGE  [0x1a, 0x1a, 0x1a, 0x14, 0x14] data:B32 rw = addr, rsrc:B256 .does(atomic(Xor)) => do resource();
            image_atomic_inc           IMAGE  [0x1b, 0x1b, 0x1b, 0x15, 0x15] data:B32 rw = addr, rsrc:B256 .does(atomic(Inc)).named(&[(Procs::GFX12, "image_atomic_inc_uint")]) => do resource();
            image_atomic_dec           IMAGE  [0x1c, 0x1c, 0x1c, 0x16, 0x16] data:B32 rw = addr, rsrc:B256 .does(atomic(Dec)).named(&[(Procs::GFX12, "image_atomic_dec_uint")]) => do resource();
            image_atomic_rsub          IMAGE  [0x13,    X,    X,    X,    X] data:B32 rw = addr, rsrc:B256 .does(atomic(RSub)) => do resource();
            image_atomic_fcmpswap      IMAGE  [0x1d,    X, 0x1d,    X,    X] data:B64 rw = addr, rsrc:B256 .does(atomic(FCmpSwap)) => do resource();
            image_atomic_fmin          IMAGE  [0x1e,    X, 0x1e,    X,    X] data:F32 rw = addr, rsrc:B256 .does(atomic(FMin)) => do resource();
            image_atomic_fmax          IMAGE  [0x1f,    X, 0x1f,    X,    X] data:F32 rw = addr, rsrc:B256 .does(atomic(FMax)) => do resource();
            image_atomic_add_flt       IMAGE  [   X,    X,    X,    X, 0x83] data:F32 rw = addr, rsrc:B256 .does(atomic(FAdd)) => do resource();
            image_atomic_min_flt       IMAGE  [   X,    X,    X,    X, 0x84] data:F32 rw = addr, rsrc:B256 .does(atomic(FMinNum)) => do resource();
            image_atomic_max_flt       IMAGE  [   X,    X,    X,    X, 0x85] data:F32 rw = addr, rsrc:B256 .does(atomic(FMaxNum)) => do resource();
            image_atomic_pk_add_f16    IMAGE  [   X,    X,    X,    X, 0x86] data:F16X2 rw = addr, rsrc:B256 .does(atomic(PkAddF16)) => do resource();
            image_atomic_pk_add_bf16   IMAGE  [   X,    X,    X,    X, 0x87] data:BF16X2 rw = addr, rsrc:B256 .does(atomic(PkAddBf16)) => do resource();
            image_get_resinfo          IMAGE  [0x0e, 0x0e, 0x0e, 0x17, 0x17] data:B32 = addr, rsrc:B256 .does(kind(Kind::ResInfo)) => do resource();
            image_msaa_load            IMAGE  [   X,    X, 0x80,    X,    X] data:B32 = addr, rsrc:B256 .does(kind(Kind::MsaaLoad)).plus(D16).on(WITH_BVH) => do resource();
            image_msaa_load            SAMPLE [   X,    X,    X, 0x18, 0x18] data:B32 = addr, rsrc:B256 .does(kind(Kind::MsaaLoad)).plus(GATHER | D16) => do resource();
            image_bvh_intersect_ray    IMAGE  [   X,    X, 0xe6, 0x19, 0x19] data:B128 = addr, rsrc:B128 .does(ray(Form::Bvh)).on(WITH_BVH) => do resource();
            image_bvh64_intersect_ray  IMAGE  [   X,    X, 0xe7, 0x1a, 0x1a] data:B128 = addr, rsrc:B128 .does(ray(Form::Bvh64)).on(WITH_BVH) => do resource();
            image_sample               SAMPLE [0x20, 0x20, 0x20, 0x1b, 0x1b] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, 0)).plus(D16) => do resource();
            image_sample_d             SAMPLE [0x22, 0x22, 0x22, 0x1c, 0x1c] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_l             SAMPLE [0x24, 0x24, 0x24, 0x1d, 0x1d] data:B32 = addr, rsrc:B256, samp .does(sample(Explicit, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_b             SAMPLE [0x25, 0x25, 0x25, 0x1e, 0x1e] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_lz            SAMPLE [0x27, 0x27, 0x27, 0x1f, 0x1f] data:B32 = addr, rsrc:B256, samp .does(sample(Zero, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c             SAMPLE [0x28, 0x28, 0x28, 0x20, 0x20] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_d           SAMPLE [0x2a, 0x2a, 0x2a, 0x21, 0x21] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_l           SAMPLE [0x2c, 0x2c, 0x2c, 0x22, 0x22] data:B32 = addr, rsrc:B256, samp .does(sample(Explicit, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_b           SAMPLE [0x2d, 0x2d, 0x2d, 0x23, 0x23] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_lz          SAMPLE [0x2f, 0x2f, 0x2f, 0x24, 0x24] data:B32 = addr, rsrc:B256, samp .does(sample(Zero, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_o             SAMPLE [0x30, 0x30, 0x30, 0x25, 0x25] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_d_o           SAMPLE [0x32, 0x32, 0x32, 0x26, 0x26] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_l_o           SAMPLE [0x34, 0x34, 0x34, 0x27, 0x27] data:B32 = addr, rsrc:B256, samp .does(sample(Explicit, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_b_o           SAMPLE [0x35, 0x35, 0x35, 0x28, 0x28] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_lz_o          SAMPLE [0x37, 0x37, 0x37, 0x29, 0x29] data:B32 = addr, rsrc:B256, samp .does(sample(Zero, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_o           SAMPLE [0x38, 0x38, 0x38, 0x2a, 0x2a] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_d_o         SAMPLE [0x3a, 0x3a, 0x3a, 0x2b, 0x2b] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_l_o         SAMPLE [0x3c, 0x3c, 0x3c, 0x2c, 0x2c] data:B32 = addr, rsrc:B256, samp .does(sample(Explicit, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_b_o         SAMPLE [0x3d, 0x3d, 0x3d, 0x2d, 0x2d] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_lz_o        SAMPLE [0x3f, 0x3f, 0x3f, 0x2e, 0x2e] data:B32 = addr, rsrc:B256, samp .does(sample(Zero, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4              SAMPLE [0x40, 0x40, 0x40, 0x2f, 0x2f] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_l            SAMPLE [0x44, 0x44, 0x44, 0x30, 0x30] data:B32 = addr, rsrc:B256, samp .does(gather4(Explicit, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_b            SAMPLE [0x45, 0x45, 0x45, 0x31, 0x31] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_lz           SAMPLE [0x47, 0x47, 0x47, 0x32, 0x32] data:B32 = addr, rsrc:B256, samp .does(gather4(Zero, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c            SAMPLE [0x48, 0x48, 0x48, 0x33, 0x33] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_lz         SAMPLE [0x4f, 0x4f, 0x4f, 0x34, 0x34] data:B32 = addr, rsrc:B256, samp .does(gather4(Zero, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_o            SAMPLE [0x50, 0x50, 0x50, 0x35, 0x35] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_lz_o         SAMPLE [0x57, 0x57, 0x57, 0x36, 0x36] data:B32 = addr, rsrc:B256, samp .does(gather4(Zero, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_lz_o       SAMPLE [0x5f, 0x5f, 0x5f, 0x37, 0x37] data:B32 = addr, rsrc:B256, samp .does(gather4(Zero, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_get_lod              SAMPLE [0x60, 0x60, 0x60, 0x38, 0x38] data:B32 = addr, rsrc:B256, samp .does(kind(Kind::GetLod)).on(NOT_GFX90A) => do resource();
            image_sample_d_g16         SAMPLE [   X,    X, 0xa2, 0x39, 0x39] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, 0)).plus(D16) => do resource();
            image_sample_c_d_g16       SAMPLE [   X,    X, 0xaa, 0x3a, 0x3a] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C)).plus(D16) => do resource();
            image_sample_d_o_g16       SAMPLE [   X,    X, 0xb2, 0x3b, 0x3b] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, O)).plus(D16) => do resource();
            image_sample_c_d_o_g16     SAMPLE [   X,    X, 0xba, 0x3c, 0x3c] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C | O)).plus(D16) => do resource();
            image_sample_cl            SAMPLE [0x21, 0x21, 0x21, 0x40, 0x40] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_d_cl          SAMPLE [0x23, 0x23, 0x23, 0x41, 0x41] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_b_cl          SAMPLE [0x26, 0x26, 0x26, 0x42, 0x42] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_cl          SAMPLE [0x29, 0x29, 0x29, 0x43, 0x43] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, C | CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_d_cl        SAMPLE [0x2b, 0x2b, 0x2b, 0x44, 0x44] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C | CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_b_cl        SAMPLE [0x2e, 0x2e, 0x2e, 0x45, 0x45] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, C | CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_cl_o          SAMPLE [0x31, 0x31, 0x31, 0x46, 0x46] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_d_cl_o        SAMPLE [0x33, 0x33, 0x33, 0x47, 0x47] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_b_cl_o        SAMPLE [0x36, 0x36, 0x36, 0x48, 0x48] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_cl_o        SAMPLE [0x39, 0x39, 0x39, 0x49, 0x49] data:B32 = addr, rsrc:B256, samp .does(sample(Implicit, C | CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_d_cl_o      SAMPLE [0x3b, 0x3b, 0x3b, 0x4a, 0x4a] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C | CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_b_cl_o      SAMPLE [0x3e, 0x3e, 0x3e, 0x4b, 0x4b] data:B32 = addr, rsrc:B256, samp .does(sample(Bias, C | CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_d_cl_g16    SAMPLE [   X,    X, 0xab, 0x54, 0x54] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C | CL)).plus(D16) => do resource();
            image_sample_d_cl_o_g16    SAMPLE [   X,    X, 0xb3, 0x55, 0x55] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, CL | O)).plus(D16) => do resource();
            image_sample_c_d_cl_o_g16  SAMPLE [   X,    X, 0xbb, 0x56, 0x56] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C | CL | O)).plus(D16) => do resource();
            image_sample_d_cl_g16      SAMPLE [   X,    X, 0xa3, 0x5f, 0x5f] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, CL)).plus(D16) => do resource();
            image_sample_cd            SAMPLE [0x68, 0x68, 0x68,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, 0)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_cd_cl         SAMPLE [0x69, 0x69, 0x69,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_cd          SAMPLE [0x6a, 0x6a, 0x6a,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_cd_cl       SAMPLE [0x6b, 0x6b, 0x6b,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C | CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_cd_o          SAMPLE [0x6c, 0x6c, 0x6c,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_cd_cl_o       SAMPLE [0x6d, 0x6d, 0x6d,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_cd_o        SAMPLE [0x6e, 0x6e, 0x6e,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_c_cd_cl_o     SAMPLE [0x6f, 0x6f, 0x6f,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample(Derivatives, C | CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_sample_cd_g16        SAMPLE [   X,    X, 0xe8,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, 0)).plus(D16) => do resource();
            image_sample_cd_cl_g16     SAMPLE [   X,    X, 0xe9,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, CL)).plus(D16) => do resource();
            image_sample_c_cd_g16      SAMPLE [   X,    X, 0xea,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C)).plus(D16) => do resource();
            image_sample_c_cd_cl_g16   SAMPLE [   X,    X, 0xeb,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C | CL)).plus(D16) => do resource();
            image_sample_cd_o_g16      SAMPLE [   X,    X, 0xec,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, O)).plus(D16) => do resource();
            image_sample_cd_cl_o_g16   SAMPLE [   X,    X, 0xed,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, CL | O)).plus(D16) => do resource();
            image_sample_c_cd_o_g16    SAMPLE [   X,    X, 0xee,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C | O)).plus(D16) => do resource();
            image_sample_c_cd_cl_o_g16 SAMPLE [   X,    X, 0xef,    X,    X] data:B32 = addr, rsrc:B256, samp .does(sample_g16(Derivatives, C | CL | O)).plus(D16) => do resource();
            image_gather4_cl           SAMPLE [0x41, 0x41, 0x41, 0x60, 0x60] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_b_cl         SAMPLE [0x46, 0x46, 0x46, 0x61, 0x61] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_cl         SAMPLE [0x49, 0x49, 0x49, 0x62, 0x62] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, C | CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_l          SAMPLE [0x4c, 0x4c, 0x4c, 0x63, 0x63] data:B32 = addr, rsrc:B256, samp .does(gather4(Explicit, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_b          SAMPLE [0x4d, 0x4d, 0x4d, 0x64, 0x64] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, C)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_b_cl       SAMPLE [0x4e, 0x4e, 0x4e, 0x65, 0x65] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, C | CL)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_cl_o         SAMPLE [0x51, 0x51, 0x51,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_l_o          SAMPLE [0x54, 0x54, 0x54,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Explicit, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_b_o          SAMPLE [0x55, 0x55, 0x55,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_b_cl_o       SAMPLE [0x56, 0x56, 0x56,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_o          SAMPLE [0x58, 0x58, 0x58,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_cl_o       SAMPLE [0x59, 0x59, 0x59,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Implicit, C | CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_l_o        SAMPLE [0x5c, 0x5c, 0x5c,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Explicit, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_b_o        SAMPLE [0x5d, 0x5d, 0x5d,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, C | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4_c_b_cl_o     SAMPLE [0x5e, 0x5e, 0x5e,    X,    X] data:B32 = addr, rsrc:B256, samp .does(gather4(Bias, C | CL | O)).plus(D16).on(NOT_GFX90A) => do resource();
            image_gather4h             SAMPLE [   X, 0x42, 0x61, 0x90, 0x90] data:B32 = addr, rsrc:B256, samp .does(gather4h(Implicit, 0)).plus(D16).on(NOT_GFX8_90A) => do resource();
        }
    };
}

pub(super) const ROWS: &[Row] = image_rows!(rows);
