//! MIMG rows (VIMAGE and VSAMPLE on gfx12). RDNA3 ISA, chapter 16.19, and the same chapters of the other manuals.
//!
//! Data and address widths depend on dmask, dim, a16, d16 and tfe: see `decode/image.rs`. What the instruction does, and so what its
//! address holds, stands after `does`.

use super::prelude::*;
use crate::memory::AtomicOp::*;
use crate::memory::MemoryKind;
use crate::memory::image::Lod::{Bias, Derivatives, Explicit, Implicit, Zero};
use crate::memory::image::Packing::{Converted, Raw, RawSigned};
use crate::memory::image::{Kind, Lod, Packing, Sampling};
use crate::memory::ray::Form;
use crate::row::Opd;

/// Suffixes: compare, offset, a least level.
const C: u8 = 1;
const O: u8 = 2;
const CL: u8 = 4;

/// gfx940 has no image instructions.
const WITH_IMAGES: Procs = Procs::ALL.without(Procs::GFX940);
const NOT_GFX90A: Procs = WITH_IMAGES.without(Procs::GFX90A);
const NOT_GFX8_90A: Procs = NOT_GFX90A.without(Procs::GFX8);
/// gfx1013, gfx10.3 and later: ray intersection.
const WITH_BVH: Procs = Procs::range(0x1013, 0xffff);

/// An instruction that gfx12 has in VIMAGE.
const fn image(name: &'static str, numbers: [u16; 5], ops: &'static [Opd], flags: u64) -> Row {
    plain(name, &[Enc::MIMG, Enc::VIMAGE], numbers, ops, flags).on(WITH_IMAGES)
}

/// An instruction that gfx12 has in VSAMPLE.
const fn sample(name: &'static str, numbers: [u16; 5], ops: &'static [Opd], flags: u64) -> Row {
    plain(name, &[Enc::MIMG, Enc::VSAMPLE], numbers, ops, flags).on(WITH_IMAGES)
}

const fn kind(kind: Kind) -> MemoryKind {
    MemoryKind::Image { kind, g16: false }
}
/// With derivatives of 16 bits.
const fn kind_g16(kind: Kind) -> MemoryKind {
    MemoryKind::Image { kind, g16: true }
}
const fn load(mip: bool, packing: Packing) -> MemoryKind {
    kind(Kind::Load { mip, packing })
}
const fn store(mip: bool, packing: Packing) -> MemoryKind {
    kind(Kind::Store { mip, raw: matches!(packing, Raw) })
}
const fn s(lod: Lod, suffixes: u8) -> Sampling {
    Sampling { compare: suffixes & C != 0, offset: suffixes & O != 0, clamp: suffixes & CL != 0, lod }
}

#[rustfmt::skip] // opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12
pub(super) const ROWS: &[Row] = &[
    image("image_load",                  [0x00, 0x00, 0x00, 0x00, 0x00], &[VDATA(B32), IADDR, RSRC(B256)], D16).does(load(false, Converted)),
    image("image_load_mip",              [0x01, 0x01, 0x01, 0x01, 0x01], &[VDATA(B32), IADDR, RSRC(B256)], D16).does(load(true, Converted)),
    image("image_load_pck",              [0x02, 0x02, 0x02, 0x02, 0x02], &[VDATA(B32), IADDR, RSRC(B256)], NONE).does(load(false, Raw)),
    image("image_load_pck_sgn",          [0x03, 0x03, 0x03, 0x03, 0x03], &[VDATA(B32), IADDR, RSRC(B256)], NONE).does(load(false, RawSigned)),
    image("image_load_mip_pck",          [0x04, 0x04, 0x04, 0x04, 0x04], &[VDATA(B32), IADDR, RSRC(B256)], NONE).does(load(true, Raw)),
    image("image_load_mip_pck_sgn",      [0x05, 0x05, 0x05, 0x05, 0x05], &[VDATA(B32), IADDR, RSRC(B256)], NONE).does(load(true, RawSigned)),
    image("image_store",                 [0x08, 0x08, 0x08, 0x06, 0x06], &[VDATA(B32), IADDR, RSRC(B256)], STORE | D16).does(store(false, Converted)),
    image("image_store_mip",             [0x09, 0x09, 0x09, 0x07, 0x07], &[VDATA(B32), IADDR, RSRC(B256)], STORE | D16).does(store(true, Converted)),
    image("image_store_pck",             [0x0a, 0x0a, 0x0a, 0x08, 0x08], &[VDATA(B32), IADDR, RSRC(B256)], STORE).does(store(false, Raw)),
    image("image_store_mip_pck",         [0x0b, 0x0b, 0x0b, 0x09, 0x09], &[VDATA(B32), IADDR, RSRC(B256)], STORE).does(store(true, Raw)),
    image("image_atomic_swap",           [0x0f, 0x10, 0x0f, 0x0a, 0x0a], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(Swap))),
    image("image_atomic_cmpswap",        [0x10, 0x11, 0x10, 0x0b, 0x0b], &[VDATA(B64), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(CmpSwap))),
    image("image_atomic_add",            [0x11, 0x12, 0x11, 0x0c, 0x0c], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(Add))).named(&[(Procs::GFX12, "image_atomic_add_uint")]),
    image("image_atomic_sub",            [0x12, 0x13, 0x12, 0x0d, 0x0d], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(Sub))).named(&[(Procs::GFX12, "image_atomic_sub_uint")]),
    image("image_atomic_smin",           [0x14, 0x14, 0x14, 0x0e, 0x0e], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(SMin))).named(&[(Procs::GFX12, "image_atomic_min_int")]),
    image("image_atomic_umin",           [0x15, 0x15, 0x15, 0x0f, 0x0f], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(UMin))).named(&[(Procs::GFX12, "image_atomic_min_uint")]),
    image("image_atomic_smax",           [0x16, 0x16, 0x16, 0x10, 0x10], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(SMax))).named(&[(Procs::GFX12, "image_atomic_max_int")]),
    image("image_atomic_umax",           [0x17, 0x17, 0x17, 0x11, 0x11], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(UMax))).named(&[(Procs::GFX12, "image_atomic_max_uint")]),
    image("image_atomic_and",            [0x18, 0x18, 0x18, 0x12, 0x12], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(And))),
    image("image_atomic_or",             [0x19, 0x19, 0x19, 0x13, 0x13], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(Or))),
    image("image_atomic_xor",            [0x1a, 0x1a, 0x1a, 0x14, 0x14], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(Xor))),
    image("image_atomic_inc",            [0x1b, 0x1b, 0x1b, 0x15, 0x15], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(Inc))).named(&[(Procs::GFX12, "image_atomic_inc_uint")]),
    image("image_atomic_dec",            [0x1c, 0x1c, 0x1c, 0x16, 0x16], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(Dec))).named(&[(Procs::GFX12, "image_atomic_dec_uint")]),
    image("image_atomic_rsub",           [0x13,    X,    X,    X,    X], &[VDATA(B32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(RSub))),
    image("image_atomic_fcmpswap",       [0x1d,    X, 0x1d,    X,    X], &[VDATA(B64), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(FCmpSwap))),
    image("image_atomic_fmin",           [0x1e,    X, 0x1e,    X,    X], &[VDATA(F32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(FMin))),
    image("image_atomic_fmax",           [0x1f,    X, 0x1f,    X,    X], &[VDATA(F32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(FMax))),
    image("image_atomic_add_flt",        [   X,    X,    X,    X, 0x83], &[VDATA(F32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(FAdd))),
    image("image_atomic_min_flt",        [   X,    X,    X,    X, 0x84], &[VDATA(F32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(FMin))),
    image("image_atomic_max_flt",        [   X,    X,    X,    X, 0x85], &[VDATA(F32), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(FMax))),
    image("image_atomic_pk_add_f16",     [   X,    X,    X,    X, 0x86], &[VDATA(F16X2), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(PkAddF16))),
    image("image_atomic_pk_add_bf16",    [   X,    X,    X,    X, 0x87], &[VDATA(BF16X2), IADDR, RSRC(B256)], ATOMIC).does(kind(Kind::Atomic(PkAddBf16))),
    image("image_get_resinfo",           [0x0e, 0x0e, 0x0e, 0x17, 0x17], &[VDATA(B32), IADDR, RSRC(B256)], NONE).does(kind(Kind::ResInfo)),
    image("image_msaa_load",             [   X,    X, 0x80,    X,    X], &[VDATA(B32), IADDR, RSRC(B256)], D16).does(kind(Kind::MsaaLoad)).on(WITH_BVH),
    sample("image_msaa_load",            [   X,    X,    X, 0x18, 0x18], &[VDATA(B32), IADDR, RSRC(B256)], GATHER | D16).does(kind(Kind::MsaaLoad)),
    image("image_bvh_intersect_ray",     [   X,    X, 0xe6, 0x19, 0x19], &[VDATA(B128), IADDR, RSRC(B128)], BVH).does(MemoryKind::Ray(Form::Bvh)).on(WITH_BVH),
    image("image_bvh64_intersect_ray",   [   X,    X, 0xe7, 0x1a, 0x1a], &[VDATA(B128), IADDR, RSRC(B128)], BVH).does(MemoryKind::Ray(Form::Bvh64)).on(WITH_BVH),
    sample("image_sample",               [0x20, 0x20, 0x20, 0x1b, 0x1b], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, 0)))),
    sample("image_sample_d",             [0x22, 0x22, 0x22, 0x1c, 0x1c], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, 0)))).on(NOT_GFX90A),
    sample("image_sample_l",             [0x24, 0x24, 0x24, 0x1d, 0x1d], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Explicit, 0)))).on(NOT_GFX90A),
    sample("image_sample_b",             [0x25, 0x25, 0x25, 0x1e, 0x1e], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, 0)))).on(NOT_GFX90A),
    sample("image_sample_lz",            [0x27, 0x27, 0x27, 0x1f, 0x1f], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Zero, 0)))).on(NOT_GFX90A),
    sample("image_sample_c",             [0x28, 0x28, 0x28, 0x20, 0x20], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, C)))).on(NOT_GFX90A),
    sample("image_sample_c_d",           [0x2a, 0x2a, 0x2a, 0x21, 0x21], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C)))).on(NOT_GFX90A),
    sample("image_sample_c_l",           [0x2c, 0x2c, 0x2c, 0x22, 0x22], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Explicit, C)))).on(NOT_GFX90A),
    sample("image_sample_c_b",           [0x2d, 0x2d, 0x2d, 0x23, 0x23], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, C)))).on(NOT_GFX90A),
    sample("image_sample_c_lz",          [0x2f, 0x2f, 0x2f, 0x24, 0x24], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Zero, C)))).on(NOT_GFX90A),
    sample("image_sample_o",             [0x30, 0x30, 0x30, 0x25, 0x25], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, O)))).on(NOT_GFX90A),
    sample("image_sample_d_o",           [0x32, 0x32, 0x32, 0x26, 0x26], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, O)))).on(NOT_GFX90A),
    sample("image_sample_l_o",           [0x34, 0x34, 0x34, 0x27, 0x27], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Explicit, O)))).on(NOT_GFX90A),
    sample("image_sample_b_o",           [0x35, 0x35, 0x35, 0x28, 0x28], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, O)))).on(NOT_GFX90A),
    sample("image_sample_lz_o",          [0x37, 0x37, 0x37, 0x29, 0x29], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Zero, O)))).on(NOT_GFX90A),
    sample("image_sample_c_o",           [0x38, 0x38, 0x38, 0x2a, 0x2a], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, C | O)))).on(NOT_GFX90A),
    sample("image_sample_c_d_o",         [0x3a, 0x3a, 0x3a, 0x2b, 0x2b], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C | O)))).on(NOT_GFX90A),
    sample("image_sample_c_l_o",         [0x3c, 0x3c, 0x3c, 0x2c, 0x2c], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Explicit, C | O)))).on(NOT_GFX90A),
    sample("image_sample_c_b_o",         [0x3d, 0x3d, 0x3d, 0x2d, 0x2d], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, C | O)))).on(NOT_GFX90A),
    sample("image_sample_c_lz_o",        [0x3f, 0x3f, 0x3f, 0x2e, 0x2e], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Zero, C | O)))).on(NOT_GFX90A),
    sample("image_gather4",              [0x40, 0x40, 0x40, 0x2f, 0x2f], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, 0)))).on(NOT_GFX90A),
    sample("image_gather4_l",            [0x44, 0x44, 0x44, 0x30, 0x30], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Explicit, 0)))).on(NOT_GFX90A),
    sample("image_gather4_b",            [0x45, 0x45, 0x45, 0x31, 0x31], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, 0)))).on(NOT_GFX90A),
    sample("image_gather4_lz",           [0x47, 0x47, 0x47, 0x32, 0x32], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Zero, 0)))).on(NOT_GFX90A),
    sample("image_gather4_c",            [0x48, 0x48, 0x48, 0x33, 0x33], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, C)))).on(NOT_GFX90A),
    sample("image_gather4_c_lz",         [0x4f, 0x4f, 0x4f, 0x34, 0x34], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Zero, C)))).on(NOT_GFX90A),
    sample("image_gather4_o",            [0x50, 0x50, 0x50, 0x35, 0x35], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, O)))).on(NOT_GFX90A),
    sample("image_gather4_lz_o",         [0x57, 0x57, 0x57, 0x36, 0x36], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Zero, O)))).on(NOT_GFX90A),
    sample("image_gather4_c_lz_o",       [0x5f, 0x5f, 0x5f, 0x37, 0x37], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Zero, C | O)))).on(NOT_GFX90A),
    sample("image_get_lod",              [0x60, 0x60, 0x60, 0x38, 0x38], &[VDATA(B32), IADDR, RSRC(B256), SAMP], NONE).does(kind(Kind::GetLod)).on(NOT_GFX90A),
    sample("image_sample_d_g16",         [   X,    X, 0xa2, 0x39, 0x39], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, 0)))),
    sample("image_sample_c_d_g16",       [   X,    X, 0xaa, 0x3a, 0x3a], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C)))),
    sample("image_sample_d_o_g16",       [   X,    X, 0xb2, 0x3b, 0x3b], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, O)))),
    sample("image_sample_c_d_o_g16",     [   X,    X, 0xba, 0x3c, 0x3c], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C | O)))),
    sample("image_sample_cl",            [0x21, 0x21, 0x21, 0x40, 0x40], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, CL)))).on(NOT_GFX90A),
    sample("image_sample_d_cl",          [0x23, 0x23, 0x23, 0x41, 0x41], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, CL)))).on(NOT_GFX90A),
    sample("image_sample_b_cl",          [0x26, 0x26, 0x26, 0x42, 0x42], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, CL)))).on(NOT_GFX90A),
    sample("image_sample_c_cl",          [0x29, 0x29, 0x29, 0x43, 0x43], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, C | CL)))).on(NOT_GFX90A),
    sample("image_sample_c_d_cl",        [0x2b, 0x2b, 0x2b, 0x44, 0x44], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C | CL)))).on(NOT_GFX90A),
    sample("image_sample_c_b_cl",        [0x2e, 0x2e, 0x2e, 0x45, 0x45], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, C | CL)))).on(NOT_GFX90A),
    sample("image_sample_cl_o",          [0x31, 0x31, 0x31, 0x46, 0x46], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, CL | O)))).on(NOT_GFX90A),
    sample("image_sample_d_cl_o",        [0x33, 0x33, 0x33, 0x47, 0x47], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, CL | O)))).on(NOT_GFX90A),
    sample("image_sample_b_cl_o",        [0x36, 0x36, 0x36, 0x48, 0x48], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, CL | O)))).on(NOT_GFX90A),
    sample("image_sample_c_cl_o",        [0x39, 0x39, 0x39, 0x49, 0x49], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Implicit, C | CL | O)))).on(NOT_GFX90A),
    sample("image_sample_c_d_cl_o",      [0x3b, 0x3b, 0x3b, 0x4a, 0x4a], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C | CL | O)))).on(NOT_GFX90A),
    sample("image_sample_c_b_cl_o",      [0x3e, 0x3e, 0x3e, 0x4b, 0x4b], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Bias, C | CL | O)))).on(NOT_GFX90A),
    sample("image_sample_c_d_cl_g16",    [   X,    X, 0xab, 0x54, 0x54], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C | CL)))),
    sample("image_sample_d_cl_o_g16",    [   X,    X, 0xb3, 0x55, 0x55], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, CL | O)))),
    sample("image_sample_c_d_cl_o_g16",  [   X,    X, 0xbb, 0x56, 0x56], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C | CL | O)))),
    sample("image_sample_d_cl_g16",      [   X,    X, 0xa3, 0x5f, 0x5f], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, CL)))),
    sample("image_sample_cd",            [0x68, 0x68, 0x68,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, 0)))).on(NOT_GFX90A),
    sample("image_sample_cd_cl",         [0x69, 0x69, 0x69,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, CL)))).on(NOT_GFX90A),
    sample("image_sample_c_cd",          [0x6a, 0x6a, 0x6a,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C)))).on(NOT_GFX90A),
    sample("image_sample_c_cd_cl",       [0x6b, 0x6b, 0x6b,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C | CL)))).on(NOT_GFX90A),
    sample("image_sample_cd_o",          [0x6c, 0x6c, 0x6c,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, O)))).on(NOT_GFX90A),
    sample("image_sample_cd_cl_o",       [0x6d, 0x6d, 0x6d,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, CL | O)))).on(NOT_GFX90A),
    sample("image_sample_c_cd_o",        [0x6e, 0x6e, 0x6e,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C | O)))).on(NOT_GFX90A),
    sample("image_sample_c_cd_cl_o",     [0x6f, 0x6f, 0x6f,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind(Kind::Sample(s(Derivatives, C | CL | O)))).on(NOT_GFX90A),
    sample("image_sample_cd_g16",        [   X,    X, 0xe8,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, 0)))),
    sample("image_sample_cd_cl_g16",     [   X,    X, 0xe9,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, CL)))),
    sample("image_sample_c_cd_g16",      [   X,    X, 0xea,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C)))),
    sample("image_sample_c_cd_cl_g16",   [   X,    X, 0xeb,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C | CL)))),
    sample("image_sample_cd_o_g16",      [   X,    X, 0xec,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, O)))),
    sample("image_sample_cd_cl_o_g16",   [   X,    X, 0xed,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, CL | O)))),
    sample("image_sample_c_cd_o_g16",    [   X,    X, 0xee,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C | O)))),
    sample("image_sample_c_cd_cl_o_g16", [   X,    X, 0xef,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], D16).does(kind_g16(Kind::Sample(s(Derivatives, C | CL | O)))),
    sample("image_gather4_cl",           [0x41, 0x41, 0x41, 0x60, 0x60], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, CL)))).on(NOT_GFX90A),
    sample("image_gather4_b_cl",         [0x46, 0x46, 0x46, 0x61, 0x61], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, CL)))).on(NOT_GFX90A),
    sample("image_gather4_c_cl",         [0x49, 0x49, 0x49, 0x62, 0x62], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, C | CL)))).on(NOT_GFX90A),
    sample("image_gather4_c_l",          [0x4c, 0x4c, 0x4c, 0x63, 0x63], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Explicit, C)))).on(NOT_GFX90A),
    sample("image_gather4_c_b",          [0x4d, 0x4d, 0x4d, 0x64, 0x64], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, C)))).on(NOT_GFX90A),
    sample("image_gather4_c_b_cl",       [0x4e, 0x4e, 0x4e, 0x65, 0x65], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, C | CL)))).on(NOT_GFX90A),
    sample("image_gather4_cl_o",         [0x51, 0x51, 0x51,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, CL | O)))).on(NOT_GFX90A),
    sample("image_gather4_l_o",          [0x54, 0x54, 0x54,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Explicit, O)))).on(NOT_GFX90A),
    sample("image_gather4_b_o",          [0x55, 0x55, 0x55,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, O)))).on(NOT_GFX90A),
    sample("image_gather4_b_cl_o",       [0x56, 0x56, 0x56,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, CL | O)))).on(NOT_GFX90A),
    sample("image_gather4_c_o",          [0x58, 0x58, 0x58,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, C | O)))).on(NOT_GFX90A),
    sample("image_gather4_c_cl_o",       [0x59, 0x59, 0x59,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Implicit, C | CL | O)))).on(NOT_GFX90A),
    sample("image_gather4_c_l_o",        [0x5c, 0x5c, 0x5c,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Explicit, C | O)))).on(NOT_GFX90A),
    sample("image_gather4_c_b_o",        [0x5d, 0x5d, 0x5d,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, C | O)))).on(NOT_GFX90A),
    sample("image_gather4_c_b_cl_o",     [0x5e, 0x5e, 0x5e,    X,    X], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4(s(Bias, C | CL | O)))).on(NOT_GFX90A),
    sample("image_gather4h",             [   X, 0x42, 0x61, 0x90, 0x90], &[VDATA(B32), IADDR, RSRC(B256), SAMP], GATHER | D16).does(kind(Kind::Gather4h(s(Implicit, 0)))).on(NOT_GFX8_90A),
];
