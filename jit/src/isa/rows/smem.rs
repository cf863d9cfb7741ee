//! SMEM rows: scalar loads and cache control. RDNA3 ISA, chapter 16.6.

use super::prelude::*;

#[rustfmt::skip] // opcode numbers by space: gfx6/7, gfx8/9, gfx10, gfx11, gfx12
pub(super) const ROWS: &[Row] = &[
    row("s_load_b32",                  SMEM, [X, X, X, 0x00, X], &[SD(B32), SBASE(B64), SOFF], NONE),
    row("s_load_b64",                  SMEM, [X, X, X, 0x01, X], &[SD(B64), SBASE(B64), SOFF], NONE),
    row("s_load_b128",                 SMEM, [X, X, X, 0x02, X], &[SD(B128), SBASE(B64), SOFF], NONE),
    row("s_load_b256",                 SMEM, [X, X, X, 0x03, X], &[SD(B256), SBASE(B64), SOFF], NONE),
    row("s_load_b512",                 SMEM, [X, X, X, 0x04, X], &[SD(B512), SBASE(B64), SOFF], NONE),
    row("s_buffer_load_b32",           SMEM, [X, X, X, 0x08, X], &[SD(B32), SBASE(B128), SOFF], NONE),
    row("s_buffer_load_b64",           SMEM, [X, X, X, 0x09, X], &[SD(B64), SBASE(B128), SOFF], NONE),
    row("s_buffer_load_b128",          SMEM, [X, X, X, 0x0a, X], &[SD(B128), SBASE(B128), SOFF], NONE),
    row("s_buffer_load_b256",          SMEM, [X, X, X, 0x0b, X], &[SD(B256), SBASE(B128), SOFF], NONE),
    row("s_buffer_load_b512",          SMEM, [X, X, X, 0x0c, X], &[SD(B512), SBASE(B128), SOFF], NONE),
    row("s_gl1_inv",                   SMEM, [X, X, X, 0x20, X], &[], NONE),
    row("s_dcache_inv",                SMEM, [X, X, X, 0x21, X], &[], NONE),
    row("s_atc_probe",                 SMEM, [X, X, X, 0x22, X], &[SIMM, SBASE(B64), SOFF], NONE),
    row("s_atc_probe_buffer",          SMEM, [X, X, X, 0x23, X], &[SIMM, SBASE(B128), SOFF], NONE),
];
