//! MUBUF and MTBUF rows (VBUFFER on gfx12). RDNA3 ISA, chapters 16.17 and 16.18, and the same chapters of the other manuals.
//!
//! Loads with the LDS flag can write to LDS instead of VGPRs up to gfx10, chosen by a bit of the code; gfx11 has instructions of their own.

use super::names::resource::*;
use super::prelude::*;
use crate::memory::AtomicOp::*;
use crate::memory::buffer::D16::{High as HighHalf, Low as LowHalf, No};
use crate::memory::buffer::Part::{High, Low, Whole};
use crate::memory::buffer::{D16, Opcode, Part};
use crate::memory::{AtomicOp, MemoryKind};

const PRE_GFX11: Procs = Procs::range(0x600, 0x10ff);
const SINCE_GFX7: Procs = Procs::range(0x700, 0xffff);
const FROM_GFX908: Procs = Procs::range(0x908, 0x908).or(FROM_GFX90A);
const FROM_GFX90A: Procs = Procs::GFX90A.or(Procs::range(0x940, 0xffff));
const SINCE_GFX10_3: Procs = Procs::range(0x1030, 0xffff);
/// All but gfx8 and the gfx9 processors before gfx90a.
const NOT_GFX8_9: Procs = Procs::range(0x600, 0x7ff).or(FROM_GFX90A);
const NOT_GFX90A: Procs = Procs::ALL.without(Procs::GFX90A).without(Procs::GFX940);
/// gfx8 before gfx810 keeps every 16-bit component in a register of its own.
const UNPACKED_D16: Procs = Procs::range(0x801, 0x805);
const PACKED_D16: Procs = Procs::ALL.without(UNPACKED_D16);

const fn access(opcode: Opcode) -> MemoryKind {
    MemoryKind::Buffer { opcode, to_lds: false }
}
const fn load(bytes: u8, part: Part) -> MemoryKind {
    access(Opcode::Load { bytes, signed: false, part })
}
const fn load_signed(bytes: u8, part: Part) -> MemoryKind {
    access(Opcode::Load { bytes, signed: true, part })
}
const fn store(bytes: u8, part: Part) -> MemoryKind {
    access(Opcode::Store { bytes, part })
}
const fn load_format(components: u8, d16: D16) -> MemoryKind {
    access(Opcode::LoadFormat { components, d16 })
}
const fn store_format(components: u8, d16: D16) -> MemoryKind {
    access(Opcode::StoreFormat { components, d16 })
}
const fn atomic(op: AtomicOp) -> MemoryKind {
    access(Opcode::Atomic { op, wide: false })
}
const fn atomic64(op: AtomicOp) -> MemoryKind {
    access(Opcode::Atomic { op, wide: true })
}
const STORE_LDS: MemoryKind = access(Opcode::StoreLds);
/// A load that has no form without LDS.
const fn to_lds(load: MemoryKind) -> MemoryKind {
    match load {
        MemoryKind::Buffer { opcode, .. } => MemoryKind::Buffer { opcode, to_lds: true },
        other => other,
    }
}

/// MUBUF and MTBUF rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! buffer_rows {
    ($use:ident) => {
        $use! {
            // MUBUF
            buffer_load_format_x          MUBUF [0x00, 0x00, 0x00, 0x00, 0x00] data:B32 = vaddr, rsrc:B128, soffset .does(load_format(1, No)).plus(LDS) => do resource();
            buffer_load_format_xy         MUBUF [0x01, 0x01, 0x01, 0x01, 0x01] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(2, No)) => do resource();
            buffer_load_format_xyz        MUBUF [0x02, 0x02, 0x02, 0x02, 0x02] data:B96 = vaddr, rsrc:B128, soffset .does(load_format(3, No)) => do resource();
            buffer_load_format_xyzw       MUBUF [0x03, 0x03, 0x03, 0x03, 0x03] data:B128 = vaddr, rsrc:B128, soffset .does(load_format(4, No)) => do resource();
            buffer_store_format_x         MUBUF [0x04, 0x04, 0x04, 0x04, 0x04] = data:B32, vaddr, rsrc:B128, soffset .does(store_format(1, No)) => do resource();
            buffer_store_format_xy        MUBUF [0x05, 0x05, 0x05, 0x05, 0x05] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(2, No)) => do resource();
            buffer_store_format_xyz       MUBUF [0x06, 0x06, 0x06, 0x06, 0x06] = data:B96, vaddr, rsrc:B128, soffset .does(store_format(3, No)) => do resource();
            buffer_store_format_xyzw      MUBUF [0x07, 0x07, 0x07, 0x07, 0x07] = data:B128, vaddr, rsrc:B128, soffset .does(store_format(4, No)) => do resource();
            buffer_load_d16_format_x      MUBUF [   X, 0x08, 0x80, 0x08, 0x08] data:B32 = vaddr, rsrc:B128, soffset .does(load_format(1, LowHalf)).named(&[(PRE_GFX11, "buffer_load_format_d16_x")]) => do resource();
            buffer_load_d16_format_xy     MUBUF [   X, 0x09, 0x81, 0x09, 0x09] data:B32 = vaddr, rsrc:B128, soffset .does(load_format(2, LowHalf)).on(PACKED_D16).named(&[(PRE_GFX11, "buffer_load_format_d16_xy")]) => do resource();
            buffer_load_d16_format_xy     MUBUF [   X, 0x09,    X,    X,    X] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(2, LowHalf)).on(UNPACKED_D16).named(&[(PRE_GFX11, "buffer_load_format_d16_xy")]) => do resource();
            buffer_load_d16_format_xyz    MUBUF [   X, 0x0a, 0x82, 0x0a, 0x0a] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(3, LowHalf)).on(PACKED_D16).named(&[(PRE_GFX11, "buffer_load_format_d16_xyz")]) => do resource();
            buffer_load_d16_format_xyz    MUBUF [   X, 0x0a,    X,    X,    X] data:B96 = vaddr, rsrc:B128, soffset .does(load_format(3, LowHalf)).on(UNPACKED_D16).named(&[(PRE_GFX11, "buffer_load_format_d16_xyz")]) => do resource();
            buffer_load_d16_format_xyzw   MUBUF [   X, 0x0b, 0x83, 0x0b, 0x0b] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(4, LowHalf)).on(PACKED_D16).named(&[(PRE_GFX11, "buffer_load_format_d16_xyzw")]) => do resource();
            buffer_load_d16_format_xyzw   MUBUF [   X, 0x0b,    X,    X,    X] data:B128 = vaddr, rsrc:B128, soffset .does(load_format(4, LowHalf)).on(UNPACKED_D16).named(&[(PRE_GFX11, "buffer_load_format_d16_xyzw")]) => do resource();
            buffer_store_d16_format_x     MUBUF [   X, 0x0c, 0x84, 0x0c, 0x0c] = data:B32, vaddr, rsrc:B128, soffset .does(store_format(1, LowHalf)).named(&[(PRE_GFX11, "buffer_store_format_d16_x")]) => do resource();
            buffer_store_d16_format_xy    MUBUF [   X, 0x0d, 0x85, 0x0d, 0x0d] = data:B32, vaddr, rsrc:B128, soffset .does(store_format(2, LowHalf)).on(PACKED_D16).named(&[(PRE_GFX11, "buffer_store_format_d16_xy")]) => do resource();
            buffer_store_d16_format_xy    MUBUF [   X, 0x0d,    X,    X,    X] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(2, LowHalf)).on(UNPACKED_D16).named(&[(PRE_GFX11, "buffer_store_format_d16_xy")]) => do resource();
            buffer_store_d16_format_xyz   MUBUF [   X, 0x0e, 0x86, 0x0e, 0x0e] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(3, LowHalf)).on(PACKED_D16).named(&[(PRE_GFX11, "buffer_store_format_d16_xyz")]) => do resource();
            buffer_store_d16_format_xyz   MUBUF [   X, 0x0e,    X,    X,    X] = data:B96, vaddr, rsrc:B128, soffset .does(store_format(3, LowHalf)).on(UNPACKED_D16).named(&[(PRE_GFX11, "buffer_store_format_d16_xyz")]) => do resource();
            buffer_store_d16_format_xyzw  MUBUF [   X, 0x0f, 0x87, 0x0f, 0x0f] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(4, LowHalf)).on(PACKED_D16).named(&[(PRE_GFX11, "buffer_store_format_d16_xyzw")]) => do resource();
            buffer_store_d16_format_xyzw  MUBUF [   X, 0x0f,    X,    X,    X] = data:B128, vaddr, rsrc:B128, soffset .does(store_format(4, LowHalf)).on(UNPACKED_D16).named(&[(PRE_GFX11, "buffer_store_format_d16_xyzw")]) => do resource();
            buffer_load_u8                MUBUF [0x08, 0x10, 0x08, 0x10, 0x10] data:B32 = vaddr, rsrc:B128, soffset .does(load(1, Whole)).plus(LDS).named(&[(PRE_GFX11, "buffer_load_ubyte")]) => do resource();
            buffer_load_i8                MUBUF [0x09, 0x11, 0x09, 0x11, 0x11] data:B32 = vaddr, rsrc:B128, soffset .does(load_signed(1, Whole)).plus(LDS).named(&[(PRE_GFX11, "buffer_load_sbyte")]) => do resource();
            buffer_load_u16               MUBUF [0x0a, 0x12, 0x0a, 0x12, 0x12] data:B32 = vaddr, rsrc:B128, soffset .does(load(2, Whole)).plus(LDS).named(&[(PRE_GFX11, "buffer_load_ushort")]) => do resource();
            buffer_load_i16               MUBUF [0x0b, 0x13, 0x0b, 0x13, 0x13] data:B32 = vaddr, rsrc:B128, soffset .does(load_signed(2, Whole)).plus(LDS).named(&[(PRE_GFX11, "buffer_load_sshort")]) => do resource();
            buffer_load_b32               MUBUF [0x0c, 0x14, 0x0c, 0x14, 0x14] data:B32 = vaddr, rsrc:B128, soffset .does(load(4, Whole)).plus(LDS).named(&[(PRE_GFX11, "buffer_load_dword")]) => do resource();
            buffer_load_b64               MUBUF [0x0d, 0x15, 0x0d, 0x15, 0x15] data:B64 = vaddr, rsrc:B128, soffset .does(load(8, Whole)).named(&[(PRE_GFX11, "buffer_load_dwordx2")]) => do resource();
            buffer_load_b96               MUBUF [0x0f, 0x16, 0x0f, 0x16, 0x16] data:B96 = vaddr, rsrc:B128, soffset .does(load(12, Whole)).named(&[(PRE_GFX11, "buffer_load_dwordx3")]) => do resource();
            buffer_load_b128              MUBUF [0x0e, 0x17, 0x0e, 0x17, 0x17] data:B128 = vaddr, rsrc:B128, soffset .does(load(16, Whole)).named(&[(PRE_GFX11, "buffer_load_dwordx4")]) => do resource();
            buffer_store_b8               MUBUF [0x18, 0x18, 0x18, 0x18, 0x18] = data:B32, vaddr, rsrc:B128, soffset .does(store(1, Whole)).named(&[(PRE_GFX11, "buffer_store_byte")]) => do resource();
            buffer_store_b16              MUBUF [0x1a, 0x1a, 0x1a, 0x19, 0x19] = data:B32, vaddr, rsrc:B128, soffset .does(store(2, Whole)).named(&[(PRE_GFX11, "buffer_store_short")]) => do resource();
            buffer_store_b32              MUBUF [0x1c, 0x1c, 0x1c, 0x1a, 0x1a] = data:B32, vaddr, rsrc:B128, soffset .does(store(4, Whole)).named(&[(PRE_GFX11, "buffer_store_dword")]) => do resource();
            buffer_store_b64              MUBUF [0x1d, 0x1d, 0x1d, 0x1b, 0x1b] = data:B64, vaddr, rsrc:B128, soffset .does(store(8, Whole)).named(&[(PRE_GFX11, "buffer_store_dwordx2")]) => do resource();
            buffer_store_b96              MUBUF [0x1f, 0x1e, 0x1f, 0x1c, 0x1c] = data:B96, vaddr, rsrc:B128, soffset .does(store(12, Whole)).named(&[(PRE_GFX11, "buffer_store_dwordx3")]) => do resource();
            buffer_store_b128             MUBUF [0x1e, 0x1f, 0x1e, 0x1d, 0x1d] = data:B128, vaddr, rsrc:B128, soffset .does(store(16, Whole)).named(&[(PRE_GFX11, "buffer_store_dwordx4")]) => do resource();
            buffer_load_d16_u8            MUBUF [   X, 0x20, 0x20, 0x1e, 0x1e] data:B32 = vaddr, rsrc:B128, soffset .does(load(1, Low)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_load_ubyte_d16")]) => do resource();
            buffer_load_d16_i8            MUBUF [   X, 0x22, 0x22, 0x1f, 0x1f] data:B32 = vaddr, rsrc:B128, soffset .does(load_signed(1, Low)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_load_sbyte_d16")]) => do resource();
            buffer_load_d16_b16           MUBUF [   X, 0x24, 0x24, 0x20, 0x20] data:B32 = vaddr, rsrc:B128, soffset .does(load(2, Low)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_load_short_d16")]) => do resource();
            buffer_load_d16_hi_u8         MUBUF [   X, 0x21, 0x21, 0x21, 0x21] data:B32 = vaddr, rsrc:B128, soffset .does(load(1, High)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_load_ubyte_d16_hi")]) => do resource();
            buffer_load_d16_hi_i8         MUBUF [   X, 0x23, 0x23, 0x22, 0x22] data:B32 = vaddr, rsrc:B128, soffset .does(load_signed(1, High)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_load_sbyte_d16_hi")]) => do resource();
            buffer_load_d16_hi_b16        MUBUF [   X, 0x25, 0x25, 0x23, 0x23] data:B32 = vaddr, rsrc:B128, soffset .does(load(2, High)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_load_short_d16_hi")]) => do resource();
            buffer_store_d16_hi_b8        MUBUF [   X, 0x19, 0x19, 0x24, 0x24] = data:B32, vaddr, rsrc:B128, soffset .does(store(1, High)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_store_byte_d16_hi")]) => do resource();
            buffer_store_d16_hi_b16       MUBUF [   X, 0x1b, 0x1b, 0x25, 0x25] = data:B32, vaddr, rsrc:B128, soffset .does(store(2, High)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_store_short_d16_hi")]) => do resource();
            buffer_load_d16_hi_format_x   MUBUF [   X, 0x26, 0x26, 0x26, 0x26] data:B32 = vaddr, rsrc:B128, soffset .does(load_format(1, HighHalf)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_load_format_d16_hi_x")]) => do resource();
            buffer_store_d16_hi_format_x  MUBUF [   X, 0x27, 0x27, 0x27, 0x27] = data:B32, vaddr, rsrc:B128, soffset .does(store_format(1, HighHalf)).on(FROM_GFX9).named(&[(PRE_GFX11, "buffer_store_format_d16_hi_x")]) => do resource();
            buffer_gl0_inv                MUBUF [   X,    X, 0x71, 0x2b,    X]  => note Cache;
            buffer_gl1_inv                MUBUF [   X,    X, 0x72, 0x2c,    X]  => note Cache;
            buffer_wbl2                   MUBUF [   X, 0x28,    X,    X,    X]  .plus(SCOPED).on(FROM_GFX90A) => note Cache;
            buffer_invl2                  MUBUF [   X, 0x29,    X,    X,    X]  .on(Procs::GFX90A) => note Cache;
            buffer_inv                    MUBUF [   X, 0x29,    X,    X,    X]  .plus(SCOPED).on(Procs::GFX940) => note Cache;
            buffer_store_lds_dword        MUBUF [   X, 0x3d,    X,    X,    X] = rsrc:B128, soffset .does(STORE_LDS).plus(LDS | NOTFE) => do resource();
            buffer_wbinvl1                MUBUF [0x71, 0x3e,    X,    X,    X]  => note Cache;
            buffer_wbinvl1_vol            MUBUF [0x70, 0x3f,    X,    X,    X]  .on(SINCE_GFX7) => note Cache;
            buffer_wbinvl1_sc             MUBUF [0x70,    X,    X,    X,    X]  .on(Procs::GFX6) => note Cache;
            buffer_load_lds_u8            MUBUF [   X,    X,    X, 0x2d,    X] = vaddr, rsrc:B128, soffset | m0 .does(to_lds(load(1, Whole))).plus(NOTFE) => do resource();
            buffer_load_lds_i8            MUBUF [   X,    X,    X, 0x2e,    X] = vaddr, rsrc:B128, soffset | m0 .does(to_lds(load_signed(1, Whole))).plus(NOTFE) => do resource();
            buffer_load_lds_u16           MUBUF [   X,    X,    X, 0x2f,    X] = vaddr, rsrc:B128, soffset | m0 .does(to_lds(load(2, Whole))).plus(NOTFE) => do resource();
            buffer_load_lds_i16           MUBUF [   X,    X,    X, 0x30,    X] = vaddr, rsrc:B128, soffset | m0 .does(to_lds(load_signed(2, Whole))).plus(NOTFE) => do resource();
            buffer_load_lds_b32           MUBUF [   X,    X,    X, 0x31,    X] = vaddr, rsrc:B128, soffset | m0 .does(to_lds(load(4, Whole))).plus(NOTFE) => do resource();
            buffer_load_lds_format_x      MUBUF [   X,    X,    X, 0x32,    X] = vaddr, rsrc:B128, soffset | m0 .does(to_lds(load_format(1, No))).plus(NOTFE) => do resource();
            buffer_atomic_swap_b32        MUBUF [0x30, 0x40, 0x30, 0x33, 0x33] data:B32 rw = vaddr, rsrc:B128, soffset .does(atomic(Swap)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_swap")]) => do resource();
            buffer_atomic_cmpswap_b32     MUBUF [0x31, 0x41, 0x31, 0x34, 0x34] data:B64 rw = vaddr, rsrc:B128, soffset .does(atomic(CmpSwap)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_cmpswap")]) => do resource();
            buffer_atomic_add_u32         MUBUF [0x32, 0x42, 0x32, 0x35, 0x35] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(Add)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_add")]) => do resource();
            buffer_atomic_sub_u32         MUBUF [0x33, 0x43, 0x33, 0x36, 0x36] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(Sub)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_sub")]) => do resource();
            buffer_atomic_csub_u32        MUBUF [   X,    X, 0x34, 0x37, 0x37] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(CSub)).plus(NOTFE).on(SINCE_GFX10_3).named(&[(PRE_GFX11, "buffer_atomic_csub"), (Procs::GFX12, "buffer_atomic_sub_clamp_u32")]) => do resource();
            buffer_atomic_min_i32         MUBUF [0x35, 0x44, 0x35, 0x38, 0x38] data:I32 rw = vaddr, rsrc:B128, soffset .does(atomic(SMin)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_smin")]) => do resource();
            buffer_atomic_min_u32         MUBUF [0x36, 0x45, 0x36, 0x39, 0x39] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(UMin)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_umin")]) => do resource();
            buffer_atomic_max_i32         MUBUF [0x37, 0x46, 0x37, 0x3a, 0x3a] data:I32 rw = vaddr, rsrc:B128, soffset .does(atomic(SMax)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_smax")]) => do resource();
            buffer_atomic_max_u32         MUBUF [0x38, 0x47, 0x38, 0x3b, 0x3b] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(UMax)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_umax")]) => do resource();
            buffer_atomic_and_b32         MUBUF [0x39, 0x48, 0x39, 0x3c, 0x3c] data:B32 rw = vaddr, rsrc:B128, soffset .does(atomic(And)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_and")]) => do resource();
            buffer_atomic_or_b32          MUBUF [0x3a, 0x49, 0x3a, 0x3d, 0x3d] data:B32 rw = vaddr, rsrc:B128, soffset .does(atomic(Or)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_or")]) => do resource();
            buffer_atomic_xor_b32         MUBUF [0x3b, 0x4a, 0x3b, 0x3e, 0x3e] data:B32 rw = vaddr, rsrc:B128, soffset .does(atomic(Xor)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_xor")]) => do resource();
            buffer_atomic_inc_u32         MUBUF [0x3c, 0x4b, 0x3c, 0x3f, 0x3f] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(Inc)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_inc")]) => do resource();
            buffer_atomic_dec_u32         MUBUF [0x3d, 0x4c, 0x3d, 0x40, 0x40] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(Dec)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_dec")]) => do resource();
            buffer_atomic_swap_b64        MUBUF [0x50, 0x60, 0x50, 0x41, 0x41] data:B64 rw = vaddr, rsrc:B128, soffset .does(atomic64(Swap)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_swap_x2")]) => do resource();
            buffer_atomic_cmpswap_b64     MUBUF [0x51, 0x61, 0x51, 0x42, 0x42] data:B128 rw = vaddr, rsrc:B128, soffset .does(atomic64(CmpSwap)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_cmpswap_x2")]) => do resource();
            buffer_atomic_add_u64         MUBUF [0x52, 0x62, 0x52, 0x43, 0x43] data:U64 rw = vaddr, rsrc:B128, soffset .does(atomic64(Add)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_add_x2")]) => do resource();
            buffer_atomic_sub_u64         MUBUF [0x53, 0x63, 0x53, 0x44, 0x44] data:U64 rw = vaddr, rsrc:B128, soffset .does(atomic64(Sub)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_sub_x2")]) => do resource();
            buffer_atomic_min_i64         MUBUF [0x55, 0x64, 0x55, 0x45, 0x45] data:I64 rw = vaddr, rsrc:B128, soffset .does(atomic64(SMin)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_smin_x2")]) => do resource();
            buffer_atomic_min_u64         MUBUF [0x56, 0x65, 0x56, 0x46, 0x46] data:U64 rw = vaddr, rsrc:B128, soffset .does(atomic64(UMin)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_umin_x2")]) => do resource();
            buffer_atomic_max_i64         MUBUF [0x57, 0x66, 0x57, 0x47, 0x47] data:I64 rw = vaddr, rsrc:B128, soffset .does(atomic64(SMax)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_smax_x2")]) => do resource();
            buffer_atomic_max_u64         MUBUF [0x58, 0x67, 0x58, 0x48, 0x48] data:U64 rw = vaddr, rsrc:B128, soffset .does(atomic64(UMax)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_umax_x2")]) => do resource();
            buffer_atomic_and_b64         MUBUF [0x59, 0x68, 0x59, 0x49, 0x49] data:B64 rw = vaddr, rsrc:B128, soffset .does(atomic64(And)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_and_x2")]) => do resource();
            buffer_atomic_or_b64          MUBUF [0x5a, 0x69, 0x5a, 0x4a, 0x4a] data:B64 rw = vaddr, rsrc:B128, soffset .does(atomic64(Or)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_or_x2")]) => do resource();
            buffer_atomic_xor_b64         MUBUF [0x5b, 0x6a, 0x5b, 0x4b, 0x4b] data:B64 rw = vaddr, rsrc:B128, soffset .does(atomic64(Xor)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_xor_x2")]) => do resource();
            buffer_atomic_inc_u64         MUBUF [0x5c, 0x6b, 0x5c, 0x4c, 0x4c] data:U64 rw = vaddr, rsrc:B128, soffset .does(atomic64(Inc)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_inc_x2")]) => do resource();
            buffer_atomic_dec_u64         MUBUF [0x5d, 0x6c, 0x5d, 0x4d, 0x4d] data:U64 rw = vaddr, rsrc:B128, soffset .does(atomic64(Dec)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_dec_x2")]) => do resource();
            buffer_atomic_cmpswap_f32     MUBUF [0x3e,    X, 0x3e, 0x50,    X] data:B64 rw = vaddr, rsrc:B128, soffset .does(atomic(FCmpSwap)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_fcmpswap")]) => do resource();
            buffer_atomic_min_f32         MUBUF [0x3f,    X, 0x3f, 0x51,    X] data:F32 rw = vaddr, rsrc:B128, soffset .does(atomic(FMin)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_fmin")]) => do resource();
            buffer_atomic_min_num_f32     MUBUF [   X,    X,    X,    X, 0x51] data:F32 rw = vaddr, rsrc:B128, soffset .does(atomic(FMinNum)).plus(NOTFE).named(&[(ALSO, "buffer_atomic_min_f32")]) => do resource();
            buffer_atomic_max_f32         MUBUF [0x40,    X, 0x40, 0x52,    X] data:F32 rw = vaddr, rsrc:B128, soffset .does(atomic(FMax)).plus(NOTFE).named(&[(PRE_GFX11, "buffer_atomic_fmax")]) => do resource();
            buffer_atomic_max_num_f32     MUBUF [   X,    X,    X,    X, 0x52] data:F32 rw = vaddr, rsrc:B128, soffset .does(atomic(FMaxNum)).plus(NOTFE).named(&[(ALSO, "buffer_atomic_max_f32")]) => do resource();
            buffer_atomic_add_f32         MUBUF [   X, 0x4d,    X, 0x56, 0x56] data:F32 rw = vaddr, rsrc:B128, soffset .does(atomic(FAdd)).plus(NOTFE).on(FROM_GFX908) => do resource();
            buffer_atomic_add_f64         MUBUF [   X, 0x4f,    X,    X,    X] data:F64 rw = vaddr, rsrc:B128, soffset .does(atomic64(FAdd)).plus(NOTFE).on(FROM_GFX90A) => do resource();
            buffer_atomic_cond_sub_u32    MUBUF [   X,    X,    X,    X, 0x50] data:U32 rw = vaddr, rsrc:B128, soffset .does(atomic(CondSub)).plus(NOTFE) => do resource();
            buffer_atomic_pk_add_f16      MUBUF [   X, 0x4e,    X,    X, 0x59] data:F16X2 rw = vaddr, rsrc:B128, soffset .does(atomic(PkAddF16)).plus(NOTFE).on(FROM_GFX908) => do resource();
            buffer_atomic_pk_add_bf16     MUBUF [   X,    X,    X,    X, 0x5a] data:BF16X2 rw = vaddr, rsrc:B128, soffset .does(atomic(PkAddBf16)).plus(NOTFE) => do resource();
            buffer_atomic_fcmpswap_x2     MUBUF [0x5e,    X, 0x5e,    X,    X] data:B128 rw = vaddr, rsrc:B128, soffset .does(atomic64(FCmpSwap)).plus(NOTFE) => do resource();
            buffer_atomic_min_f64         MUBUF [0x5f, 0x50, 0x5f,    X,    X] data:F64 rw = vaddr, rsrc:B128, soffset .does(atomic64(FMin)).plus(NOTFE).on(NOT_GFX8_9).named(&[(NOT_GFX90A, "buffer_atomic_fmin_x2")]) => do resource();
            buffer_atomic_max_f64         MUBUF [0x60, 0x51, 0x60,    X,    X] data:F64 rw = vaddr, rsrc:B128, soffset .does(atomic64(FMax)).plus(NOTFE).on(NOT_GFX8_9).named(&[(NOT_GFX90A, "buffer_atomic_fmax_x2")]) => do resource();
            // MTBUF
            tbuffer_load_format_x         MTBUF [0x00, 0x00, 0x00, 0x00, 0x00] data:B32 = vaddr, rsrc:B128, soffset .does(load_format(1, No)).plus(NOTFE) => do resource();
            tbuffer_load_format_xy        MTBUF [0x01, 0x01, 0x01, 0x01, 0x01] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(2, No)).plus(NOTFE) => do resource();
            tbuffer_load_format_xyz       MTBUF [0x02, 0x02, 0x02, 0x02, 0x02] data:B96 = vaddr, rsrc:B128, soffset .does(load_format(3, No)).plus(NOTFE) => do resource();
            tbuffer_load_format_xyzw      MTBUF [0x03, 0x03, 0x03, 0x03, 0x03] data:B128 = vaddr, rsrc:B128, soffset .does(load_format(4, No)).plus(NOTFE) => do resource();
            tbuffer_store_format_x        MTBUF [0x04, 0x04, 0x04, 0x04, 0x04] = data:B32, vaddr, rsrc:B128, soffset .does(store_format(1, No)).plus(NOTFE) => do resource();
            tbuffer_store_format_xy       MTBUF [0x05, 0x05, 0x05, 0x05, 0x05] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(2, No)).plus(NOTFE) => do resource();
            tbuffer_store_format_xyz      MTBUF [0x06, 0x06, 0x06, 0x06, 0x06] = data:B96, vaddr, rsrc:B128, soffset .does(store_format(3, No)).plus(NOTFE) => do resource();
            tbuffer_store_format_xyzw     MTBUF [0x07, 0x07, 0x07, 0x07, 0x07] = data:B128, vaddr, rsrc:B128, soffset .does(store_format(4, No)).plus(NOTFE) => do resource();
            tbuffer_load_d16_format_x     MTBUF [   X, 0x08, 0x08, 0x08, 0x08] data:B32 = vaddr, rsrc:B128, soffset .does(load_format(1, LowHalf)).plus(NOTFE).named(&[(PRE_GFX11, "tbuffer_load_format_d16_x")]) => do resource();
            tbuffer_load_d16_format_xy    MTBUF [   X, 0x09, 0x09, 0x09, 0x09] data:B32 = vaddr, rsrc:B128, soffset .does(load_format(2, LowHalf)).plus(NOTFE).on(PACKED_D16).named(&[(PRE_GFX11, "tbuffer_load_format_d16_xy")]) => do resource();
            tbuffer_load_d16_format_xy    MTBUF [   X, 0x09,    X,    X,    X] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(2, LowHalf)).plus(NOTFE).on(UNPACKED_D16).named(&[(PRE_GFX11, "tbuffer_load_format_d16_xy")]) => do resource();
            tbuffer_load_d16_format_xyz   MTBUF [   X, 0x0a, 0x0a, 0x0a, 0x0a] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(3, LowHalf)).plus(NOTFE).on(PACKED_D16).named(&[(PRE_GFX11, "tbuffer_load_format_d16_xyz")]) => do resource();
            tbuffer_load_d16_format_xyz   MTBUF [   X, 0x0a,    X,    X,    X] data:B96 = vaddr, rsrc:B128, soffset .does(load_format(3, LowHalf)).plus(NOTFE).on(UNPACKED_D16).named(&[(PRE_GFX11, "tbuffer_load_format_d16_xyz")]) => do resource();
            tbuffer_load_d16_format_xyzw  MTBUF [   X, 0x0b, 0x0b, 0x0b, 0x0b] data:B64 = vaddr, rsrc:B128, soffset .does(load_format(4, LowHalf)).plus(NOTFE).on(PACKED_D16).named(&[(PRE_GFX11, "tbuffer_load_format_d16_xyzw")]) => do resource();
            tbuffer_load_d16_format_xyzw  MTBUF [   X, 0x0b,    X,    X,    X] data:B128 = vaddr, rsrc:B128, soffset .does(load_format(4, LowHalf)).plus(NOTFE).on(UNPACKED_D16).named(&[(PRE_GFX11, "tbuffer_load_format_d16_xyzw")]) => do resource();
            tbuffer_store_d16_format_x    MTBUF [   X, 0x0c, 0x0c, 0x0c, 0x0c] = data:B32, vaddr, rsrc:B128, soffset .does(store_format(1, LowHalf)).plus(NOTFE).named(&[(PRE_GFX11, "tbuffer_store_format_d16_x")]) => do resource();
            tbuffer_store_d16_format_xy   MTBUF [   X, 0x0d, 0x0d, 0x0d, 0x0d] = data:B32, vaddr, rsrc:B128, soffset .does(store_format(2, LowHalf)).plus(NOTFE).on(PACKED_D16).named(&[(PRE_GFX11, "tbuffer_store_format_d16_xy")]) => do resource();
            tbuffer_store_d16_format_xy   MTBUF [   X, 0x0d,    X,    X,    X] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(2, LowHalf)).plus(NOTFE).on(UNPACKED_D16).named(&[(PRE_GFX11, "tbuffer_store_format_d16_xy")]) => do resource();
            tbuffer_store_d16_format_xyz  MTBUF [   X, 0x0e, 0x0e, 0x0e, 0x0e] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(3, LowHalf)).plus(NOTFE).on(PACKED_D16).named(&[(PRE_GFX11, "tbuffer_store_format_d16_xyz")]) => do resource();
            tbuffer_store_d16_format_xyz  MTBUF [   X, 0x0e,    X,    X,    X] = data:B96, vaddr, rsrc:B128, soffset .does(store_format(3, LowHalf)).plus(NOTFE).on(UNPACKED_D16).named(&[(PRE_GFX11, "tbuffer_store_format_d16_xyz")]) => do resource();
            tbuffer_store_d16_format_xyzw MTBUF [   X, 0x0f, 0x0f, 0x0f, 0x0f] = data:B64, vaddr, rsrc:B128, soffset .does(store_format(4, LowHalf)).plus(NOTFE).on(PACKED_D16).named(&[(PRE_GFX11, "tbuffer_store_format_d16_xyzw")]) => do resource();
            tbuffer_store_d16_format_xyzw MTBUF [   X, 0x0f,    X,    X,    X] = data:B128, vaddr, rsrc:B128, soffset .does(store_format(4, LowHalf)).plus(NOTFE).on(UNPACKED_D16).named(&[(PRE_GFX11, "tbuffer_store_format_d16_xyzw")]) => do resource();
        }
    };
}

pub(super) const ROWS: &[Row] = buffer_rows!(rows);
