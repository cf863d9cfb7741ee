//! FLAT, GLOBAL and SCRATCH rows. RDNA3 ISA, chapter 16.16. The segment is part of the format, the opcode numbers overlap.

use super::names::memory::*;
use super::prelude::*;

/// 64-bit float minimum and maximum.
const FLOAT_64: Procs = Procs::GFX7.or(Procs::GFX10_1).or(Procs::GFX10_3).or(GFX90A_940);

/// FLAT, GLOBAL and SCRATCH rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! flat_rows {
    ($use:ident) => {
        $use! {
            // FLAT
            flat_load_u8                  FLAT    [0x08, 0x10, 0x08, 0x10, 0x10] d:B32 = addr .load(u8).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_ubyte")]) => do flat_load(d, addr);
            flat_load_i8                  FLAT    [0x09, 0x11, 0x09, 0x11, 0x11] d:B32 = addr .load(i8).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_sbyte")]) => do flat_load(d, addr);
            flat_load_u16                 FLAT    [0x0a, 0x12, 0x0a, 0x12, 0x12] d:B32 = addr .load(u16).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_ushort")]) => do flat_load(d, addr);
            flat_load_i16                 FLAT    [0x0b, 0x13, 0x0b, 0x13, 0x13] d:B32 = addr .load(i16).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_sshort")]) => do flat_load(d, addr);
            flat_load_b32                 FLAT    [0x0c, 0x14, 0x0c, 0x14, 0x14] d:B32 = addr .load(b32).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_dword")]) => do flat_load(d, addr);
            flat_load_b64                 FLAT    [0x0d, 0x15, 0x0d, 0x15, 0x15] d:B64 = addr .load(b64).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_dwordx2")]) => do flat_load(d, addr);
            flat_load_b96                 FLAT    [0x0f, 0x16, 0x0f, 0x16, 0x16] d:B96 = addr .load(b96).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_dwordx3")]) => do flat_load(d, addr);
            flat_load_b128                FLAT    [0x0e, 0x17, 0x0e, 0x17, 0x17] d:B128 = addr .load(b128).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_load_dwordx4")]) => do flat_load(d, addr);
            flat_store_b8                 FLAT    [0x18, 0x18, 0x18, 0x18, 0x18] = addr, data:B32 .store(u8).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_store_byte")]) => do flat_store(addr, data);
            flat_store_b16                FLAT    [0x1a, 0x1a, 0x1a, 0x19, 0x19] = addr, data:B32 .store(u16).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_store_short")]) => do flat_store(addr, data);
            flat_store_b32                FLAT    [0x1c, 0x1c, 0x1c, 0x1a, 0x1a] = addr, data:B32 .store(b32).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_store_dword")]) => do flat_store(addr, data);
            flat_store_b64                FLAT    [0x1d, 0x1d, 0x1d, 0x1b, 0x1b] = addr, data:B64 .store(b64).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_store_dwordx2")]) => do flat_store(addr, data);
            flat_store_b96                FLAT    [0x1f, 0x1e, 0x1f, 0x1c, 0x1c] = addr, data:B96 .store(b96).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_store_dwordx3")]) => do flat_store(addr, data);
            flat_store_b128               FLAT    [0x1e, 0x1f, 0x1e, 0x1d, 0x1d] = addr, data:B128 .store(b128).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_store_dwordx4")]) => do flat_store(addr, data);
            flat_load_d16_u8              FLAT    [   X, 0x20, 0x20, 0x1e, 0x1e] d:B32 = addr .load(u8).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_load_ubyte_d16")]) => do flat_load(d, addr);
            flat_load_d16_i8              FLAT    [   X, 0x22, 0x22, 0x1f, 0x1f] d:B32 = addr .load(i8).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_load_sbyte_d16")]) => do flat_load(d, addr);
            flat_load_d16_b16             FLAT    [   X, 0x24, 0x24, 0x20, 0x20] d:B32 = addr .load(u16).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_load_short_d16")]) => do flat_load(d, addr);
            flat_load_d16_hi_u8           FLAT    [   X, 0x21, 0x21, 0x21, 0x21] d:B32 = addr .load(u8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_load_ubyte_d16_hi")]) => do flat_load(d, addr);
            flat_load_d16_hi_i8           FLAT    [   X, 0x23, 0x23, 0x22, 0x22] d:B32 = addr .load(i8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_load_sbyte_d16_hi")]) => do flat_load(d, addr);
            flat_load_d16_hi_b16          FLAT    [   X, 0x25, 0x25, 0x23, 0x23] d:B32 = addr .load(u16).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_load_short_d16_hi")]) => do flat_load(d, addr);
            flat_store_d16_hi_b8          FLAT    [   X, 0x19, 0x19, 0x24, 0x24] = addr, data:B32 .store(u8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_store_byte_d16_hi")]) => do flat_store(addr, data);
            flat_store_d16_hi_b16         FLAT    [   X, 0x1b, 0x1b, 0x25, 0x25] = addr, data:B32 .store(u16).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "flat_store_short_d16_hi")]) => do flat_store(addr, data);
            flat_atomic_swap_b32          FLAT    [0x30, 0x40, 0x30, 0x33, 0x33] rd:B32 = addr, data:B32 .atomic(Swap).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_swap")]) => do flat_atomic(rd, addr, data);
            flat_atomic_cmpswap_b32       FLAT    [0x31, 0x41, 0x31, 0x34, 0x34] rd:B32 = addr, data:B64 .atomic(CmpSwap).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_cmpswap")]) => do flat_atomic(rd, addr, data);
            flat_atomic_add_u32           FLAT    [0x32, 0x42, 0x32, 0x35, 0x35] rd:U32 = addr, data:U32 .atomic(Add).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_add")]) => do flat_atomic(rd, addr, data);
            flat_atomic_sub_u32           FLAT    [0x33, 0x43, 0x33, 0x36, 0x36] rd:U32 = addr, data:U32 .atomic(Sub).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_sub")]) => do flat_atomic(rd, addr, data);
            flat_atomic_min_i32           FLAT    [0x35, 0x44, 0x35, 0x38, 0x38] rd:I32 = addr, data:I32 .atomic(SMin).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_smin")]) => do flat_atomic(rd, addr, data);
            flat_atomic_min_u32           FLAT    [0x36, 0x45, 0x36, 0x39, 0x39] rd:U32 = addr, data:U32 .atomic(UMin).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_umin")]) => do flat_atomic(rd, addr, data);
            flat_atomic_max_i32           FLAT    [0x37, 0x46, 0x37, 0x3a, 0x3a] rd:I32 = addr, data:I32 .atomic(SMax).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_smax")]) => do flat_atomic(rd, addr, data);
            flat_atomic_max_u32           FLAT    [0x38, 0x47, 0x38, 0x3b, 0x3b] rd:U32 = addr, data:U32 .atomic(UMax).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_umax")]) => do flat_atomic(rd, addr, data);
            flat_atomic_and_b32           FLAT    [0x39, 0x48, 0x39, 0x3c, 0x3c] rd:B32 = addr, data:B32 .atomic(And).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_and")]) => do flat_atomic(rd, addr, data);
            flat_atomic_or_b32            FLAT    [0x3a, 0x49, 0x3a, 0x3d, 0x3d] rd:B32 = addr, data:B32 .atomic(Or).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_or")]) => do flat_atomic(rd, addr, data);
            flat_atomic_xor_b32           FLAT    [0x3b, 0x4a, 0x3b, 0x3e, 0x3e] rd:B32 = addr, data:B32 .atomic(Xor).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_xor")]) => do flat_atomic(rd, addr, data);
            flat_atomic_inc_u32           FLAT    [0x3c, 0x4b, 0x3c, 0x3f, 0x3f] rd:U32 = addr, data:U32 .atomic(Inc).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_inc")]) => do flat_atomic(rd, addr, data);
            flat_atomic_dec_u32           FLAT    [0x3d, 0x4c, 0x3d, 0x40, 0x40] rd:U32 = addr, data:U32 .atomic(Dec).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_dec")]) => do flat_atomic(rd, addr, data);
            flat_atomic_swap_b64          FLAT    [0x50, 0x60, 0x50, 0x41, 0x41] rd:B64 = addr, data:B64 .atomic(Swap).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_swap_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_cmpswap_b64       FLAT    [0x51, 0x61, 0x51, 0x42, 0x42] rd:B64 = addr, data:B128 .atomic(CmpSwap).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_cmpswap_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_add_u64           FLAT    [0x52, 0x62, 0x52, 0x43, 0x43] rd:U64 = addr, data:U64 .atomic(Add).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_add_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_sub_u64           FLAT    [0x53, 0x63, 0x53, 0x44, 0x44] rd:U64 = addr, data:U64 .atomic(Sub).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_sub_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_min_i64           FLAT    [0x55, 0x64, 0x55, 0x45, 0x45] rd:I64 = addr, data:I64 .atomic(SMin).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_smin_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_min_u64           FLAT    [0x56, 0x65, 0x56, 0x46, 0x46] rd:U64 = addr, data:U64 .atomic(UMin).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_umin_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_max_i64           FLAT    [0x57, 0x66, 0x57, 0x47, 0x47] rd:I64 = addr, data:I64 .atomic(SMax).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_smax_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_max_u64           FLAT    [0x58, 0x67, 0x58, 0x48, 0x48] rd:U64 = addr, data:U64 .atomic(UMax).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_umax_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_and_b64           FLAT    [0x59, 0x68, 0x59, 0x49, 0x49] rd:B64 = addr, data:B64 .atomic(And).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_and_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_or_b64            FLAT    [0x5a, 0x69, 0x5a, 0x4a, 0x4a] rd:B64 = addr, data:B64 .atomic(Or).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_or_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_xor_b64           FLAT    [0x5b, 0x6a, 0x5b, 0x4b, 0x4b] rd:B64 = addr, data:B64 .atomic(Xor).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_xor_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_inc_u64           FLAT    [0x5c, 0x6b, 0x5c, 0x4c, 0x4c] rd:U64 = addr, data:U64 .atomic(Inc).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_inc_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_dec_u64           FLAT    [0x5d, 0x6c, 0x5d, 0x4d, 0x4d] rd:U64 = addr, data:U64 .atomic(Dec).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_dec_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_cmpswap_f32       FLAT    [0x3e,    X, 0x3e, 0x50,    X] rd:F32 = addr, data:B64 .atomic(FCmpSwap).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_fcmpswap")]) => do flat_atomic(rd, addr, data);
            flat_atomic_min_f32           FLAT    [0x3f,    X, 0x3f, 0x51,    X] rd:F32 = addr, data:F32 .atomic(FMin).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_fmin")]) => do flat_atomic(rd, addr, data);
            flat_atomic_min_num_f32       FLAT    [   X,    X,    X,    X, 0x51] rd:F32 = addr, data:F32 .atomic(FMinNum).named(&[(ALSO, "flat_atomic_min_f32")]) => do flat_atomic(rd, addr, data);
            flat_atomic_max_f32           FLAT    [0x40,    X, 0x40, 0x52,    X] rd:F32 = addr, data:F32 .atomic(FMax).on(SINCE_GFX7).named(&[(BEFORE_GFX11, "flat_atomic_fmax")]) => do flat_atomic(rd, addr, data);
            flat_atomic_max_num_f32       FLAT    [   X,    X,    X,    X, 0x52] rd:F32 = addr, data:F32 .atomic(FMaxNum).named(&[(ALSO, "flat_atomic_max_f32")]) => do flat_atomic(rd, addr, data);
            flat_atomic_add_f32           FLAT    [   X, 0x4d,    X, 0x56, 0x56] rd:F32 = addr, data:F32 .atomic(FAdd).on(Procs::GFX940.or(SINCE_GFX11)) => do flat_atomic(rd, addr, data);
            // Not in gfx11.
            flat_atomic_add_f64           FLAT    [   X, 0x4f,    X,    X,    X] rd:F64 = addr, data:F64 .atomic(FAdd).on(GFX90A_940) => do flat_atomic(rd, addr, data);
            flat_atomic_cond_sub_u32      FLAT    [   X,    X,    X,    X, 0x50] rd:U32 = addr, data:U32 .atomic(CondSub) => do flat_atomic(rd, addr, data);
            flat_atomic_sub_clamp_u32     FLAT    [   X,    X,    X,    X, 0x37] rd:U32 = addr, data:U32 .atomic(CSub) => do flat_atomic(rd, addr, data);
            flat_atomic_fcmpswap_x2       FLAT    [0x5e,    X, 0x5e,    X,    X] rd:B64 = addr, data:B128 .atomic(FCmpSwap).on(SINCE_GFX7) => do flat_atomic(rd, addr, data);
            flat_atomic_max_f64           FLAT    [0x60, 0x51, 0x60,    X,    X] rd:F64 = addr, data:F64 .atomic(FMax).on(FLOAT_64).named(&[(Procs::ALL.without(GFX90A_940), "flat_atomic_fmax_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_min_f64           FLAT    [0x5f, 0x50, 0x5f,    X,    X] rd:F64 = addr, data:F64 .atomic(FMin).on(FLOAT_64).named(&[(Procs::ALL.without(GFX90A_940), "flat_atomic_fmin_x2")]) => do flat_atomic(rd, addr, data);
            flat_atomic_pk_add_bf16       FLAT    [   X, 0x52,    X,    X, 0x5a] rd:BF16X2 = addr, data:BF16X2 .atomic(PkAddBf16).on(Procs::GFX940.or(Procs::GFX12)) => do flat_atomic(rd, addr, data);
            flat_atomic_pk_add_f16        FLAT    [   X, 0x4e,    X,    X, 0x59] rd:F16X2 = addr, data:F16X2 .atomic(PkAddF16).on(Procs::GFX940.or(Procs::GFX12)) => do flat_atomic(rd, addr, data);
            // GLOBAL
            global_load_u8                GLOBAL  [   X, 0x10, 0x08, 0x10, 0x10] d:B32 = addr, saddr .load(u8).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_ubyte")]) => do load(d, addr, saddr);
            global_load_i8                GLOBAL  [   X, 0x11, 0x09, 0x11, 0x11] d:B32 = addr, saddr .load(i8).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_sbyte")]) => do load(d, addr, saddr);
            global_load_u16               GLOBAL  [   X, 0x12, 0x0a, 0x12, 0x12] d:B32 = addr, saddr .load(u16).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_ushort")]) => do load(d, addr, saddr);
            global_load_i16               GLOBAL  [   X, 0x13, 0x0b, 0x13, 0x13] d:B32 = addr, saddr .load(i16).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_sshort")]) => do load(d, addr, saddr);
            global_load_b32               GLOBAL  [   X, 0x14, 0x0c, 0x14, 0x14] d:B32 = addr, saddr .load(b32).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_dword")]) => do load(d, addr, saddr);
            global_load_b64               GLOBAL  [   X, 0x15, 0x0d, 0x15, 0x15] d:B64 = addr, saddr .load(b64).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_dwordx2")]) => do load(d, addr, saddr);
            global_load_b96               GLOBAL  [   X, 0x16, 0x0f, 0x16, 0x16] d:B96 = addr, saddr .load(b96).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_dwordx3")]) => do load(d, addr, saddr);
            global_load_b128              GLOBAL  [   X, 0x17, 0x0e, 0x17, 0x17] d:B128 = addr, saddr .load(b128).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_dwordx4")]) => do load(d, addr, saddr);
            global_store_b8               GLOBAL  [   X, 0x18, 0x18, 0x18, 0x18] = addr, data:B32, saddr .store(u8).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_byte")]) => do store(addr, data, saddr);
            global_store_b16              GLOBAL  [   X, 0x1a, 0x1a, 0x19, 0x19] = addr, data:B32, saddr .store(u16).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_short")]) => do store(addr, data, saddr);
            global_store_b32              GLOBAL  [   X, 0x1c, 0x1c, 0x1a, 0x1a] = addr, data:B32, saddr .store(b32).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_dword")]) => do store(addr, data, saddr);
            global_store_b64              GLOBAL  [   X, 0x1d, 0x1d, 0x1b, 0x1b] = addr, data:B64, saddr .store(b64).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_dwordx2")]) => do store(addr, data, saddr);
            global_store_b96              GLOBAL  [   X, 0x1e, 0x1f, 0x1c, 0x1c] = addr, data:B96, saddr .store(b96).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_dwordx3")]) => do store(addr, data, saddr);
            global_store_b128             GLOBAL  [   X, 0x1f, 0x1e, 0x1d, 0x1d] = addr, data:B128, saddr .store(b128).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_dwordx4")]) => do store(addr, data, saddr);
            global_load_d16_u8            GLOBAL  [   X, 0x20, 0x20, 0x1e, 0x1e] d:B32 = addr, saddr .load(u8).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_ubyte_d16")]) => do load(d, addr, saddr);
            global_load_d16_i8            GLOBAL  [   X, 0x22, 0x22, 0x1f, 0x1f] d:B32 = addr, saddr .load(i8).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_sbyte_d16")]) => do load(d, addr, saddr);
            global_load_d16_b16           GLOBAL  [   X, 0x24, 0x24, 0x20, 0x20] d:B32 = addr, saddr .load(u16).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_short_d16")]) => do load(d, addr, saddr);
            global_load_d16_hi_u8         GLOBAL  [   X, 0x21, 0x21, 0x21, 0x21] d:B32 = addr, saddr .load(u8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_ubyte_d16_hi")]) => do load(d, addr, saddr);
            global_load_d16_hi_i8         GLOBAL  [   X, 0x23, 0x23, 0x22, 0x22] d:B32 = addr, saddr .load(i8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_sbyte_d16_hi")]) => do load(d, addr, saddr);
            global_load_d16_hi_b16        GLOBAL  [   X, 0x25, 0x25, 0x23, 0x23] d:B32 = addr, saddr .load(u16).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_load_short_d16_hi")]) => do load(d, addr, saddr);
            global_store_d16_hi_b8        GLOBAL  [   X, 0x19, 0x19, 0x24, 0x24] = addr, data:B32, saddr .store(u8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_byte_d16_hi")]) => do store(addr, data, saddr);
            global_store_d16_hi_b16       GLOBAL  [   X, 0x1b, 0x1b, 0x25, 0x25] = addr, data:B32, saddr .store(u16).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_store_short_d16_hi")]) => do store(addr, data, saddr);
            global_load_addtid_b32        GLOBAL  [   X,    X, 0x16, 0x28, 0x28] d:B32 = saddr .load(b32).on(SINCE_GFX10_3).named(&[(Procs::GFX10_3, "global_load_dword_addtid")]) => do addtid(d, saddr);
            global_store_addtid_b32       GLOBAL  [   X,    X, 0x17, 0x29, 0x29] = data:B32, saddr .store(b32).on(SINCE_GFX10_3).named(&[(Procs::GFX10_3, "global_store_dword_addtid")]) => do addtid(data, saddr);
            global_atomic_swap_b32        GLOBAL  [   X, 0x40, 0x30, 0x33, 0x33] rd:B32 = addr, data:B32, saddr .atomic(Swap).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_swap")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_cmpswap_b32     GLOBAL  [   X, 0x41, 0x31, 0x34, 0x34] rd:B32 = addr, data:B64, saddr .atomic(CmpSwap).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_cmpswap")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_add_u32         GLOBAL  [   X, 0x42, 0x32, 0x35, 0x35] rd:U32 = addr, data:U32, saddr .atomic(Add).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_add")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_sub_u32         GLOBAL  [   X, 0x43, 0x33, 0x36, 0x36] rd:U32 = addr, data:U32, saddr .atomic(Sub).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_sub")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_csub_u32        GLOBAL  [   X,    X, 0x34, 0x37, 0x37] rd:U32 = addr, data:U32, saddr .atomic(CSub).on(SINCE_GFX10_3).named(&[(Procs::GFX10_3, "global_atomic_csub"), (Procs::GFX12, "global_atomic_sub_clamp_u32")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_min_i32         GLOBAL  [   X, 0x44, 0x35, 0x38, 0x38] rd:I32 = addr, data:I32, saddr .atomic(SMin).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_smin")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_min_u32         GLOBAL  [   X, 0x45, 0x36, 0x39, 0x39] rd:U32 = addr, data:U32, saddr .atomic(UMin).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_umin")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_max_i32         GLOBAL  [   X, 0x46, 0x37, 0x3a, 0x3a] rd:I32 = addr, data:I32, saddr .atomic(SMax).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_smax")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_max_u32         GLOBAL  [   X, 0x47, 0x38, 0x3b, 0x3b] rd:U32 = addr, data:U32, saddr .atomic(UMax).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_umax")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_and_b32         GLOBAL  [   X, 0x48, 0x39, 0x3c, 0x3c] rd:B32 = addr, data:B32, saddr .atomic(And).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_and")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_or_b32          GLOBAL  [   X, 0x49, 0x3a, 0x3d, 0x3d] rd:B32 = addr, data:B32, saddr .atomic(Or).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_or")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_xor_b32         GLOBAL  [   X, 0x4a, 0x3b, 0x3e, 0x3e] rd:B32 = addr, data:B32, saddr .atomic(Xor).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_xor")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_inc_u32         GLOBAL  [   X, 0x4b, 0x3c, 0x3f, 0x3f] rd:U32 = addr, data:U32, saddr .atomic(Inc).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_inc")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_dec_u32         GLOBAL  [   X, 0x4c, 0x3d, 0x40, 0x40] rd:U32 = addr, data:U32, saddr .atomic(Dec).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_dec")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_swap_b64        GLOBAL  [   X, 0x60, 0x50, 0x41, 0x41] rd:B64 = addr, data:B64, saddr .atomic(Swap).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_swap_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_cmpswap_b64     GLOBAL  [   X, 0x61, 0x51, 0x42, 0x42] rd:B64 = addr, data:B128, saddr .atomic(CmpSwap).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_cmpswap_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_add_u64         GLOBAL  [   X, 0x62, 0x52, 0x43, 0x43] rd:U64 = addr, data:U64, saddr .atomic(Add).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_add_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_sub_u64         GLOBAL  [   X, 0x63, 0x53, 0x44, 0x44] rd:U64 = addr, data:U64, saddr .atomic(Sub).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_sub_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_min_i64         GLOBAL  [   X, 0x64, 0x55, 0x45, 0x45] rd:I64 = addr, data:I64, saddr .atomic(SMin).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_smin_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_min_u64         GLOBAL  [   X, 0x65, 0x56, 0x46, 0x46] rd:U64 = addr, data:U64, saddr .atomic(UMin).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_umin_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_max_i64         GLOBAL  [   X, 0x66, 0x57, 0x47, 0x47] rd:I64 = addr, data:I64, saddr .atomic(SMax).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_smax_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_max_u64         GLOBAL  [   X, 0x67, 0x58, 0x48, 0x48] rd:U64 = addr, data:U64, saddr .atomic(UMax).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_umax_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_and_b64         GLOBAL  [   X, 0x68, 0x59, 0x49, 0x49] rd:B64 = addr, data:B64, saddr .atomic(And).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_and_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_or_b64          GLOBAL  [   X, 0x69, 0x5a, 0x4a, 0x4a] rd:B64 = addr, data:B64, saddr .atomic(Or).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_or_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_xor_b64         GLOBAL  [   X, 0x6a, 0x5b, 0x4b, 0x4b] rd:B64 = addr, data:B64, saddr .atomic(Xor).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_xor_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_inc_u64         GLOBAL  [   X, 0x6b, 0x5c, 0x4c, 0x4c] rd:U64 = addr, data:U64, saddr .atomic(Inc).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_inc_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_dec_u64         GLOBAL  [   X, 0x6c, 0x5d, 0x4d, 0x4d] rd:U64 = addr, data:U64, saddr .atomic(Dec).on(FROM_GFX9).named(&[(BEFORE_GFX11, "global_atomic_dec_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_cmpswap_f32     GLOBAL  [   X,    X, 0x3e, 0x50,    X] rd:F32 = addr, data:B64, saddr .atomic(FCmpSwap).named(&[(BEFORE_GFX11, "global_atomic_fcmpswap")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_min_f32         GLOBAL  [   X,    X, 0x3f, 0x51,    X] rd:F32 = addr, data:F32, saddr .atomic(FMin).named(&[(BEFORE_GFX11, "global_atomic_fmin")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_min_num_f32     GLOBAL  [   X,    X,    X,    X, 0x51] rd:F32 = addr, data:F32, saddr .atomic(FMinNum).named(&[(ALSO, "global_atomic_min_f32")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_max_f32         GLOBAL  [   X,    X, 0x40, 0x52,    X] rd:F32 = addr, data:F32, saddr .atomic(FMax).named(&[(BEFORE_GFX11, "global_atomic_fmax")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_max_num_f32     GLOBAL  [   X,    X,    X,    X, 0x52] rd:F32 = addr, data:F32, saddr .atomic(FMaxNum).named(&[(ALSO, "global_atomic_max_f32")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_add_f32         GLOBAL  [   X, 0x4d,    X, 0x56, 0x56] rd:F32 = addr, data:F32, saddr .atomic(FAdd).on(SINCE_GFX11.or(GFX90A_940)) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_add_f32         GLOBAL  [   X, 0x4d,    X,    X,    X] = addr, data:F32, saddr .atomic(FAdd).on(Procs::one(0x908)) => do atomic(None, addr, data, saddr);
            // Not in gfx11.
            global_atomic_add_f64         GLOBAL  [   X, 0x4f,    X,    X,    X] rd:F64 = addr, data:F64, saddr .atomic(FAdd).on(GFX90A_940) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_cond_sub_u32    GLOBAL  [   X,    X,    X,    X, 0x50] rd:U32 = addr, data:U32, saddr .atomic(CondSub) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_fcmpswap_x2     GLOBAL  [   X,    X, 0x5e,    X,    X] rd:B64 = addr, data:B128, saddr .atomic(FCmpSwap) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_max_f64         GLOBAL  [   X, 0x51, 0x60,    X,    X] rd:F64 = addr, data:F64, saddr .atomic(FMax).on(FLOAT_64).named(&[(Procs::ALL.without(GFX90A_940), "global_atomic_fmax_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_min_f64         GLOBAL  [   X, 0x50, 0x5f,    X,    X] rd:F64 = addr, data:F64, saddr .atomic(FMin).on(FLOAT_64).named(&[(Procs::ALL.without(GFX90A_940), "global_atomic_fmin_x2")]) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_ordered_add_b64 GLOBAL  [   X,    X,    X,    X, 0x73] rd:B64 = addr, data:B64, saddr .moves(OrderedAdd) => -;
            global_atomic_pk_add_bf16     GLOBAL  [   X, 0x52,    X,    X, 0x5a] rd:BF16X2 = addr, data:BF16X2, saddr .atomic(PkAddBf16).on(Procs::GFX940.or(Procs::GFX12)) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_pk_add_f16      GLOBAL  [   X, 0x4e,    X,    X, 0x59] rd:F16X2 = addr, data:F16X2, saddr .atomic(PkAddF16).on(Procs::GFX12.or(GFX90A_940)) => do atomic(Some(rd), addr, data, saddr);
            global_atomic_pk_add_f16      GLOBAL  [   X, 0x4e,    X,    X,    X] = addr, data:F16X2, saddr .atomic(PkAddF16).on(Procs::one(0x908)) => do atomic(None, addr, data, saddr);
            global_inv                    GLOBAL  [   X,    X,    X,    X, 0x2b]                                => note Cache;
            global_load_block             GLOBAL  [   X,    X,    X,    X, 0x53] d:B1024 = addr, saddr | m0 .moves(LoadBlock) => -;
            global_load_tr_b128           GLOBAL  [   X,    X,    X,    X, 0x57] d:Frag(4) = addr, saddr .moves(LoadTransposed(u16)) => -;
            global_load_tr_b64            GLOBAL  [   X,    X,    X,    X, 0x58] d:Frag(2) = addr, saddr .moves(LoadTransposed(u8)) => -;
            global_load_lds_dword         GLOBAL  [   X, 0x2a,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(b32)).on(Procs::GFX940) => -;
            global_load_lds_sbyte         GLOBAL  [   X, 0x27,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(i8)).on(Procs::GFX940) => -;
            global_load_lds_sshort        GLOBAL  [   X, 0x29,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(i16)).on(Procs::GFX940) => -;
            global_load_lds_ubyte         GLOBAL  [   X, 0x26,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(u8)).on(Procs::GFX940) => -;
            global_load_lds_ushort        GLOBAL  [   X, 0x28,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(u16)).on(Procs::GFX940) => -;
            global_store_block            GLOBAL  [   X,    X,    X,    X, 0x54] = addr, data:B1024, saddr | m0 .moves(StoreBlock) => -;
            global_wbinv                  GLOBAL  [   X,    X,    X,    X, 0x4f]                                => note Cache;
            global_wb                     GLOBAL  [   X,    X,    X,    X, 0x2c]                                => note Cache;
            // SCRATCH
            scratch_load_u8               SCRATCH [   X, 0x10, 0x08, 0x10, 0x10] d:B32 = addr, saddr .load(u8).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_ubyte")]) => do load(d, addr, saddr);
            scratch_load_i8               SCRATCH [   X, 0x11, 0x09, 0x11, 0x11] d:B32 = addr, saddr .load(i8).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_sbyte")]) => do load(d, addr, saddr);
            scratch_load_u16              SCRATCH [   X, 0x12, 0x0a, 0x12, 0x12] d:B32 = addr, saddr .load(u16).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_ushort")]) => do load(d, addr, saddr);
            scratch_load_i16              SCRATCH [   X, 0x13, 0x0b, 0x13, 0x13] d:B32 = addr, saddr .load(i16).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_sshort")]) => do load(d, addr, saddr);
            scratch_load_b32              SCRATCH [   X, 0x14, 0x0c, 0x14, 0x14] d:B32 = addr, saddr .load(b32).plus(LDS).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_dword")]) => do load(d, addr, saddr);
            scratch_load_b64              SCRATCH [   X, 0x15, 0x0d, 0x15, 0x15] d:B64 = addr, saddr .load(b64).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_dwordx2")]) => do load(d, addr, saddr);
            scratch_load_b96              SCRATCH [   X, 0x16, 0x0f, 0x16, 0x16] d:B96 = addr, saddr .load(b96).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_dwordx3")]) => do load(d, addr, saddr);
            scratch_load_b128             SCRATCH [   X, 0x17, 0x0e, 0x17, 0x17] d:B128 = addr, saddr .load(b128).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_dwordx4")]) => do load(d, addr, saddr);
            scratch_store_b8              SCRATCH [   X, 0x18, 0x18, 0x18, 0x18] = addr, data:B32, saddr .store(u8).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_byte")]) => do store(addr, data, saddr);
            scratch_store_b16             SCRATCH [   X, 0x1a, 0x1a, 0x19, 0x19] = addr, data:B32, saddr .store(u16).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_short")]) => do store(addr, data, saddr);
            scratch_store_b32             SCRATCH [   X, 0x1c, 0x1c, 0x1a, 0x1a] = addr, data:B32, saddr .store(b32).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_dword")]) => do store(addr, data, saddr);
            scratch_store_b64             SCRATCH [   X, 0x1d, 0x1d, 0x1b, 0x1b] = addr, data:B64, saddr .store(b64).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_dwordx2")]) => do store(addr, data, saddr);
            scratch_store_b96             SCRATCH [   X, 0x1e, 0x1f, 0x1c, 0x1c] = addr, data:B96, saddr .store(b96).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_dwordx3")]) => do store(addr, data, saddr);
            scratch_store_b128            SCRATCH [   X, 0x1f, 0x1e, 0x1d, 0x1d] = addr, data:B128, saddr .store(b128).on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_dwordx4")]) => do store(addr, data, saddr);
            scratch_load_d16_u8           SCRATCH [   X, 0x20, 0x20, 0x1e, 0x1e] d:B32 = addr, saddr .load(u8).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_ubyte_d16")]) => do load(d, addr, saddr);
            scratch_load_d16_i8           SCRATCH [   X, 0x22, 0x22, 0x1f, 0x1f] d:B32 = addr, saddr .load(i8).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_sbyte_d16")]) => do load(d, addr, saddr);
            scratch_load_d16_b16          SCRATCH [   X, 0x24, 0x24, 0x20, 0x20] d:B32 = addr, saddr .load(u16).low().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_short_d16")]) => do load(d, addr, saddr);
            scratch_load_d16_hi_u8        SCRATCH [   X, 0x21, 0x21, 0x21, 0x21] d:B32 = addr, saddr .load(u8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_ubyte_d16_hi")]) => do load(d, addr, saddr);
            scratch_load_d16_hi_i8        SCRATCH [   X, 0x23, 0x23, 0x22, 0x22] d:B32 = addr, saddr .load(i8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_sbyte_d16_hi")]) => do load(d, addr, saddr);
            scratch_load_d16_hi_b16       SCRATCH [   X, 0x25, 0x25, 0x23, 0x23] d:B32 = addr, saddr .load(u16).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_load_short_d16_hi")]) => do load(d, addr, saddr);
            scratch_store_d16_hi_b8       SCRATCH [   X, 0x19, 0x19, 0x24, 0x24] = addr, data:B32, saddr .store(u8).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_byte_d16_hi")]) => do store(addr, data, saddr);
            scratch_store_d16_hi_b16      SCRATCH [   X, 0x1b, 0x1b, 0x25, 0x25] = addr, data:B32, saddr .store(u16).high().on(FROM_GFX9).named(&[(BEFORE_GFX11, "scratch_store_short_d16_hi")]) => do store(addr, data, saddr);
            // Not in gfx11.
            scratch_load_block            SCRATCH [   X,    X,    X,    X, 0x53] d:B1024 = addr, saddr | m0 .moves(LoadBlock) => -;
            scratch_load_lds_dword        SCRATCH [   X, 0x2a,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(b32)).on(Procs::GFX940) => -;
            scratch_load_lds_sbyte        SCRATCH [   X, 0x27,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(i8)).on(Procs::GFX940) => -;
            scratch_load_lds_sshort       SCRATCH [   X, 0x29,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(i16)).on(Procs::GFX940) => -;
            scratch_load_lds_ubyte        SCRATCH [   X, 0x26,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(u8)).on(Procs::GFX940) => -;
            scratch_load_lds_ushort       SCRATCH [   X, 0x28,    X,    X,    X] = addr, saddr | m0 .moves(LoadToLds(u16)).on(Procs::GFX940) => -;
            scratch_store_block           SCRATCH [   X,    X,    X,    X, 0x54] = addr, data:B1024, saddr | m0 .moves(StoreBlock) => -;
        }
    };
}

pub(super) const ROWS: &[Row] = flat_rows!(rows);
