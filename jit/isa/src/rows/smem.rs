//! SMEM (SMRD on gfx6 and gfx7) rows: scalar loads, stores, atomics, prefetch, clocks and cache control. RDNA3 ISA, chapter 16.6; GCN3
//! ISA, chapter 12.6; RDNA1 ISA, chapter 12.6.

use super::names::smem::*;
use super::prelude::*;

/// SMEM rows, for the macro `$use`. Opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12.
#[macro_export]
#[rustfmt::skip]
macro_rules! smem_rows {
    ($use:ident) => {
        $use! {
            s_load_b32                 SMEM [0x00, 0x00, 0x00, 0x00, 0x00] d:B32 = base:B64, off .load(b32).named(&[(TO_GFX10, "s_load_dword")]) => do s_load(d, base, off);
            s_load_b64                 SMEM [0x01, 0x01, 0x01, 0x01, 0x01] d:B64 = base:B64, off .load(b32).named(&[(TO_GFX10, "s_load_dwordx2")]) => do s_load(d, base, off);
            s_load_b128                SMEM [0x02, 0x02, 0x02, 0x02, 0x02] d:B128 = base:B64, off .load(b32).named(&[(TO_GFX10, "s_load_dwordx4")]) => do s_load(d, base, off);
            s_load_b256                SMEM [0x03, 0x03, 0x03, 0x03, 0x03] d:B256 = base:B64, off .load(b32).named(&[(TO_GFX10, "s_load_dwordx8")]) => do s_load(d, base, off);
            s_load_b512                SMEM [0x04, 0x04, 0x04, 0x04, 0x04] d:B512 = base:B64, off .load(b32).named(&[(TO_GFX10, "s_load_dwordx16")]) => do s_load(d, base, off);
            s_buffer_load_b32          SMEM [0x08, 0x08, 0x08, 0x08, 0x10] d:B32 = base:B128, off .load(b32).named(&[(TO_GFX10, "s_buffer_load_dword")]) => do s_buffer_load(d, base, off);
            s_buffer_load_b64          SMEM [0x09, 0x09, 0x09, 0x09, 0x11] d:B64 = base:B128, off .load(b32).named(&[(TO_GFX10, "s_buffer_load_dwordx2")]) => do s_buffer_load(d, base, off);
            s_buffer_load_b128         SMEM [0x0a, 0x0a, 0x0a, 0x0a, 0x12] d:B128 = base:B128, off .load(b32).named(&[(TO_GFX10, "s_buffer_load_dwordx4")]) => do s_buffer_load(d, base, off);
            s_buffer_load_b256         SMEM [0x0b, 0x0b, 0x0b, 0x0b, 0x13] d:B256 = base:B128, off .load(b32).named(&[(TO_GFX10, "s_buffer_load_dwordx8")]) => do s_buffer_load(d, base, off);
            s_buffer_load_b512         SMEM [0x0c, 0x0c, 0x0c, 0x0c, 0x14] d:B512 = base:B128, off .load(b32).named(&[(TO_GFX10, "s_buffer_load_dwordx16")]) => do s_buffer_load(d, base, off);
            s_gl1_inv                  SMEM [   X,    X, 0x1f, 0x20,    X]                              => note Cache;
            s_dcache_inv               SMEM [0x1f, 0x20, 0x20, 0x21, 0x21]                              => note Cache;
            s_atc_probe                SMEM [   X, 0x26, 0x26, 0x22, 0x22] = simm, base:B64, off        => note Prefetch;
            s_atc_probe_buffer         SMEM [   X, 0x27, 0x27, 0x23, 0x23] = simm, base:B128, off       => note Prefetch;
            s_load_b96                 SMEM [   X,    X,    X,    X, 0x05] d:B96 = base:B64, off .load(b32) => -;
            s_load_i8                  SMEM [   X,    X,    X,    X, 0x08] d:B32 = base:B64, off .load(i8) => -;
            s_load_u8                  SMEM [   X,    X,    X,    X, 0x09] d:B32 = base:B64, off .load(u8) => -;
            s_load_i16                 SMEM [   X,    X,    X,    X, 0x0a] d:B32 = base:B64, off .load(i16) => -;
            s_load_u16                 SMEM [   X,    X,    X,    X, 0x0b] d:B32 = base:B64, off .load(u16) => -;
            s_buffer_load_b96          SMEM [   X,    X,    X,    X, 0x15] d:B96 = base:B128, off .load(b32) => -;
            s_buffer_load_i8           SMEM [   X,    X,    X,    X, 0x18] d:B32 = base:B128, off .load(i8) => -;
            s_buffer_load_u8           SMEM [   X,    X,    X,    X, 0x19] d:B32 = base:B128, off .load(u8) => -;
            s_buffer_load_i16          SMEM [   X,    X,    X,    X, 0x1a] d:B32 = base:B128, off .load(i16) => -;
            s_buffer_load_u16          SMEM [   X,    X,    X,    X, 0x1b] d:B32 = base:B128, off .load(u16) => -;
            s_prefetch_inst            SMEM [   X,    X,    X,    X, 0x24] = base:B64, offi, offr, simm => -;
            s_prefetch_inst_pc_rel     SMEM [   X,    X,    X,    X, 0x25] = offi, offr, simm           => -;
            s_prefetch_data            SMEM [   X,    X,    X,    X, 0x26] = base:B64, offi, offr, simm => -;
            s_buffer_prefetch_data     SMEM [   X,    X,    X,    X, 0x27] = base:B128, offi, offr, simm => -;
            s_prefetch_data_pc_rel     SMEM [   X,    X,    X,    X, 0x28] = offi, offr, simm           => -;
            s_scratch_load_dword       SMEM [   X, 0x05, 0x05,    X,    X] d:B32 = base:B64, off | flat_scr .load(b32).on(GFX9_10_1) => -;
            s_scratch_load_dwordx2     SMEM [   X, 0x06, 0x06,    X,    X] d:B64 = base:B64, off | flat_scr .load(b32).on(GFX9_10_1) => -;
            s_scratch_load_dwordx4     SMEM [   X, 0x07, 0x07,    X,    X] d:B128 = base:B64, off | flat_scr .load(b32).on(GFX9_10_1) => -;
            s_store_dword              SMEM [   X, 0x10, 0x10,    X,    X] = data:B32, base:B64, off .store(b32).on(GFX8_10_1) => -;
            s_store_dwordx2            SMEM [   X, 0x11, 0x11,    X,    X] = data:B64, base:B64, off .store(b32).on(GFX8_10_1) => -;
            s_store_dwordx4            SMEM [   X, 0x12, 0x12,    X,    X] = data:B128, base:B64, off .store(b32).on(GFX8_10_1) => -;
            s_scratch_store_dword      SMEM [   X, 0x15, 0x15,    X,    X] = data:B32, base:B64, off | flat_scr .store(b32).on(GFX9_10_1) => -;
            s_scratch_store_dwordx2    SMEM [   X, 0x16, 0x16,    X,    X] = data:B64, base:B64, off | flat_scr .store(b32).on(GFX9_10_1) => -;
            s_scratch_store_dwordx4    SMEM [   X, 0x17, 0x17,    X,    X] = data:B128, base:B64, off | flat_scr .store(b32).on(GFX9_10_1) => -;
            s_buffer_store_dword       SMEM [   X, 0x18, 0x18,    X,    X] = data:B32, base:B128, off .store(b32).on(GFX8_10_1) => -;
            s_buffer_store_dwordx2     SMEM [   X, 0x19, 0x19,    X,    X] = data:B64, base:B128, off .store(b32).on(GFX8_10_1) => -;
            s_buffer_store_dwordx4     SMEM [   X, 0x1a, 0x1a,    X,    X] = data:B128, base:B128, off .store(b32).on(GFX8_10_1) => -;
            s_dcache_wb                SMEM [   X, 0x21, 0x21,    X,    X]  .on(GFX8_10_1)              => note Cache;
            s_memtime                  SMEM [0x1e, 0x24, 0x24,    X,    X] d:B64                        => do time(d, false);
            s_memrealtime              SMEM [   X, 0x25, 0x25,    X,    X] d:B64                        => do time(d, true);
            s_dcache_discard           SMEM [   X, 0x28, 0x28,    X,    X] = base:B64, off .on(GFX9_10_1) => -;
            s_dcache_discard_x2        SMEM [   X, 0x29, 0x29,    X,    X] = base:B64, off .on(GFX9_10_1) => -;
            s_get_waveid_in_workgroup  SMEM [   X,    X, 0x2a,    X,    X] d:B32 .on(GFX10_1)           => -;
            s_buffer_atomic_swap       SMEM [   X, 0x40, 0x40,    X,    X] = data:B32, base:B128, off .atomic(Swap).on(GFX9_10_1) => -;
            s_buffer_atomic_cmpswap    SMEM [   X, 0x41, 0x41,    X,    X] = data:B64, base:B128, off .atomic(CmpSwap).on(GFX9_10_1) => -;
            s_buffer_atomic_add        SMEM [   X, 0x42, 0x42,    X,    X] = data:B32, base:B128, off .atomic(Add).on(GFX9_10_1) => -;
            s_buffer_atomic_sub        SMEM [   X, 0x43, 0x43,    X,    X] = data:B32, base:B128, off .atomic(Sub).on(GFX9_10_1) => -;
            s_buffer_atomic_smin       SMEM [   X, 0x44, 0x44,    X,    X] = data:B32, base:B128, off .atomic(SMin).on(GFX9_10_1) => -;
            s_buffer_atomic_umin       SMEM [   X, 0x45, 0x45,    X,    X] = data:B32, base:B128, off .atomic(UMin).on(GFX9_10_1) => -;
            s_buffer_atomic_smax       SMEM [   X, 0x46, 0x46,    X,    X] = data:B32, base:B128, off .atomic(SMax).on(GFX9_10_1) => -;
            s_buffer_atomic_umax       SMEM [   X, 0x47, 0x47,    X,    X] = data:B32, base:B128, off .atomic(UMax).on(GFX9_10_1) => -;
            s_buffer_atomic_and        SMEM [   X, 0x48, 0x48,    X,    X] = data:B32, base:B128, off .atomic(And).on(GFX9_10_1) => -;
            s_buffer_atomic_or         SMEM [   X, 0x49, 0x49,    X,    X] = data:B32, base:B128, off .atomic(Or).on(GFX9_10_1) => -;
            s_buffer_atomic_xor        SMEM [   X, 0x4a, 0x4a,    X,    X] = data:B32, base:B128, off .atomic(Xor).on(GFX9_10_1) => -;
            s_buffer_atomic_inc        SMEM [   X, 0x4b, 0x4b,    X,    X] = data:B32, base:B128, off .atomic(Inc).on(GFX9_10_1) => -;
            s_buffer_atomic_dec        SMEM [   X, 0x4c, 0x4c,    X,    X] = data:B32, base:B128, off .atomic(Dec).on(GFX9_10_1) => -;
            s_buffer_atomic_swap_x2    SMEM [   X, 0x60, 0x60,    X,    X] = data:B64, base:B128, off .atomic(Swap).on(GFX9_10_1) => -;
            s_buffer_atomic_cmpswap_x2 SMEM [   X, 0x61, 0x61,    X,    X] = data:B128, base:B128, off .atomic(CmpSwap).on(GFX9_10_1) => -;
            s_buffer_atomic_add_x2     SMEM [   X, 0x62, 0x62,    X,    X] = data:B64, base:B128, off .atomic(Add).on(GFX9_10_1) => -;
            s_buffer_atomic_sub_x2     SMEM [   X, 0x63, 0x63,    X,    X] = data:B64, base:B128, off .atomic(Sub).on(GFX9_10_1) => -;
            s_buffer_atomic_smin_x2    SMEM [   X, 0x64, 0x64,    X,    X] = data:B64, base:B128, off .atomic(SMin).on(GFX9_10_1) => -;
            s_buffer_atomic_umin_x2    SMEM [   X, 0x65, 0x65,    X,    X] = data:B64, base:B128, off .atomic(UMin).on(GFX9_10_1) => -;
            s_buffer_atomic_smax_x2    SMEM [   X, 0x66, 0x66,    X,    X] = data:B64, base:B128, off .atomic(SMax).on(GFX9_10_1) => -;
            s_buffer_atomic_umax_x2    SMEM [   X, 0x67, 0x67,    X,    X] = data:B64, base:B128, off .atomic(UMax).on(GFX9_10_1) => -;
            s_buffer_atomic_and_x2     SMEM [   X, 0x68, 0x68,    X,    X] = data:B64, base:B128, off .atomic(And).on(GFX9_10_1) => -;
            s_buffer_atomic_or_x2      SMEM [   X, 0x69, 0x69,    X,    X] = data:B64, base:B128, off .atomic(Or).on(GFX9_10_1) => -;
            s_buffer_atomic_xor_x2     SMEM [   X, 0x6a, 0x6a,    X,    X] = data:B64, base:B128, off .atomic(Xor).on(GFX9_10_1) => -;
            s_buffer_atomic_inc_x2     SMEM [   X, 0x6b, 0x6b,    X,    X] = data:B64, base:B128, off .atomic(Inc).on(GFX9_10_1) => -;
            s_buffer_atomic_dec_x2     SMEM [   X, 0x6c, 0x6c,    X,    X] = data:B64, base:B128, off .atomic(Dec).on(GFX9_10_1) => -;
            s_atomic_swap              SMEM [   X, 0x80, 0x80,    X,    X] = data:B32, base:B64, off .atomic(Swap).on(GFX9_10_1) => -;
            s_atomic_cmpswap           SMEM [   X, 0x81, 0x81,    X,    X] = data:B64, base:B64, off .atomic(CmpSwap).on(GFX9_10_1) => -;
            s_atomic_add               SMEM [   X, 0x82, 0x82,    X,    X] = data:B32, base:B64, off .atomic(Add).on(GFX9_10_1) => -;
            s_atomic_sub               SMEM [   X, 0x83, 0x83,    X,    X] = data:B32, base:B64, off .atomic(Sub).on(GFX9_10_1) => -;
            s_atomic_smin              SMEM [   X, 0x84, 0x84,    X,    X] = data:B32, base:B64, off .atomic(SMin).on(GFX9_10_1) => -;
            s_atomic_umin              SMEM [   X, 0x85, 0x85,    X,    X] = data:B32, base:B64, off .atomic(UMin).on(GFX9_10_1) => -;
            s_atomic_smax              SMEM [   X, 0x86, 0x86,    X,    X] = data:B32, base:B64, off .atomic(SMax).on(GFX9_10_1) => -;
            s_atomic_umax              SMEM [   X, 0x87, 0x87,    X,    X] = data:B32, base:B64, off .atomic(UMax).on(GFX9_10_1) => -;
            s_atomic_and               SMEM [   X, 0x88, 0x88,    X,    X] = data:B32, base:B64, off .atomic(And).on(GFX9_10_1) => -;
            s_atomic_or                SMEM [   X, 0x89, 0x89,    X,    X] = data:B32, base:B64, off .atomic(Or).on(GFX9_10_1) => -;
            s_atomic_xor               SMEM [   X, 0x8a, 0x8a,    X,    X] = data:B32, base:B64, off .atomic(Xor).on(GFX9_10_1) => -;
            s_atomic_inc               SMEM [   X, 0x8b, 0x8b,    X,    X] = data:B32, base:B64, off .atomic(Inc).on(GFX9_10_1) => -;
            s_atomic_dec               SMEM [   X, 0x8c, 0x8c,    X,    X] = data:B32, base:B64, off .atomic(Dec).on(GFX9_10_1) => -;
            s_atomic_swap_x2           SMEM [   X, 0xa0, 0xa0,    X,    X] = data:B64, base:B64, off .atomic(Swap).on(GFX9_10_1) => -;
            s_atomic_cmpswap_x2        SMEM [   X, 0xa1, 0xa1,    X,    X] = data:B128, base:B64, off .atomic(CmpSwap).on(GFX9_10_1) => -;
            s_atomic_add_x2            SMEM [   X, 0xa2, 0xa2,    X,    X] = data:B64, base:B64, off .atomic(Add).on(GFX9_10_1) => -;
            s_atomic_sub_x2            SMEM [   X, 0xa3, 0xa3,    X,    X] = data:B64, base:B64, off .atomic(Sub).on(GFX9_10_1) => -;
            s_atomic_smin_x2           SMEM [   X, 0xa4, 0xa4,    X,    X] = data:B64, base:B64, off .atomic(SMin).on(GFX9_10_1) => -;
            s_atomic_umin_x2           SMEM [   X, 0xa5, 0xa5,    X,    X] = data:B64, base:B64, off .atomic(UMin).on(GFX9_10_1) => -;
            s_atomic_smax_x2           SMEM [   X, 0xa6, 0xa6,    X,    X] = data:B64, base:B64, off .atomic(SMax).on(GFX9_10_1) => -;
            s_atomic_umax_x2           SMEM [   X, 0xa7, 0xa7,    X,    X] = data:B64, base:B64, off .atomic(UMax).on(GFX9_10_1) => -;
            s_atomic_and_x2            SMEM [   X, 0xa8, 0xa8,    X,    X] = data:B64, base:B64, off .atomic(And).on(GFX9_10_1) => -;
            s_atomic_or_x2             SMEM [   X, 0xa9, 0xa9,    X,    X] = data:B64, base:B64, off .atomic(Or).on(GFX9_10_1) => -;
            s_atomic_xor_x2            SMEM [   X, 0xaa, 0xaa,    X,    X] = data:B64, base:B64, off .atomic(Xor).on(GFX9_10_1) => -;
            s_atomic_inc_x2            SMEM [   X, 0xab, 0xab,    X,    X] = data:B64, base:B64, off .atomic(Inc).on(GFX9_10_1) => -;
            s_atomic_dec_x2            SMEM [   X, 0xac, 0xac,    X,    X] = data:B64, base:B64, off .atomic(Dec).on(GFX9_10_1) => -;
            s_dcache_inv_vol           SMEM [0x1d, 0x22,    X,    X,    X]  .on(GFX7_9)                 => -;
            s_dcache_wb_vol            SMEM [   X, 0x23,    X,    X,    X]                              => -;
        }
    };
}

pub(super) const ROWS: &[Row] = smem_rows!(rows);
