//! Names of numbers: messages, image dimensions, buffer formats.

use crate::target::{Gfx, Procs};

/// 1/(2 pi) as a double prints with more digits.
pub(crate) const INV_2PI_F64: &str = "0.15915494309189532";

const ALL: Procs = Procs::ALL;
const TO_GFX8: Procs = Procs::BEFORE_GFX9;
const TO_GFX10: Procs = Procs::BEFORE_GFX11;
const GFX8_10: Procs = Procs::SINCE_GFX8.and(Procs::BEFORE_GFX11);
const GFX9_10: Procs = Procs::SINCE_GFX9.and(Procs::BEFORE_GFX11);
const GFX9_11: Procs = Procs::SINCE_GFX9.and(Procs::BEFORE_GFX12);
const FROM_GFX9: Procs = Procs::SINCE_GFX9;
const GFX10: Procs = Procs::GFX10;
const FROM_GFX11: Procs = Procs::SINCE_GFX11;
const GFX12: Procs = Procs::GFX12;

/// A number, its name, and the processors that call it so.
type Named = (u32, &'static str, Procs);

fn name_of(table: &[Named], target: Gfx, number: u32) -> Option<&'static str> {
    table.iter().find(|n| n.0 == number && n.2.has(target)).map(|n| n.1)
}

/// Message that carries an operation of the system.
pub(crate) const SYSMSG: u32 = 15;

/// Messages, without MSG_.
#[rustfmt::skip]
const MESSAGES: &[Named] = &[
    (1, "INTERRUPT", ALL),
    (2, "GS", TO_GFX10),                        (2, "HS_TESSFACTOR", FROM_GFX11),
    (3, "GS_DONE", TO_GFX10),                   (3, "DEALLOC_VGPRS", FROM_GFX11),
    (4, "SAVEWAVE", GFX8_10),
    (5, "STALL_WAVE_GEN", GFX9_11),
    (6, "HALT_WAVES", GFX9_11),
    (7, "ORDERED_PS_DONE", GFX9_10),
    (8, "EARLY_PRIM_DEALLOC", GFX9_10),
    (9, "GS_ALLOC_REQ", FROM_GFX9),
    (10, "GET_DOORBELL", GFX9_10),
    (11, "GET_DDID", GFX10),
    (SYSMSG, "SYSMSG", ALL),
    (128, "RTN_GET_DOORBELL", FROM_GFX11),
    (129, "RTN_GET_DDID", FROM_GFX11),
    (130, "RTN_GET_TMA", FROM_GFX11),
    (131, "RTN_GET_REALTIME", FROM_GFX11),
    (132, "RTN_SAVE_WAVE", FROM_GFX11),
    (133, "RTN_GET_TBA", FROM_GFX11),
    (134, "RTN_GET_TBA_TO_PC", FROM_GFX11),
    (135, "RTN_GET_SE_AID_ID", GFX12),
];

/// Operations of MSG_SYSMSG, without SYSMSG_OP_.
const SYSTEM_OPS: &[Named] = &[(1, "ECC_ERR_INTERRUPT", ALL), (2, "REG_RD", ALL), (3, "HOST_TRAP_ACK", TO_GFX8), (4, "TTRACE_PC", ALL)];

/// Operations of MSG_GS and MSG_GS_DONE, without GS_OP_.
pub(crate) const STREAM_OPS: [&str; 4] = ["NOP", "CUT", "EMIT", "EMIT_CUT"];

/// Name of a message, without MSG_.
pub(crate) fn message(target: Gfx, id: u32) -> Option<&'static str> {
    name_of(MESSAGES, target, id)
}

/// Name of a system message's operation, without SYSMSG_OP_.
pub(crate) fn system_op(target: Gfx, op: u32) -> Option<&'static str> {
    name_of(SYSTEM_OPS, target, op)
}

/// Operands that s_set_gpr_idx_mode chooses, lowest bit first.
pub(crate) const INDEXED: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];

/// s_delay_alu instid values from 1.
pub(crate) const DELAY_ID: [&str; 11] = [
    "VALU_DEP_1",
    "VALU_DEP_2",
    "VALU_DEP_3",
    "VALU_DEP_4",
    "TRANS32_DEP_1",
    "TRANS32_DEP_2",
    "TRANS32_DEP_3",
    "FMA_ACCUM_CYCLE_1",
    "SALU_CYCLE_1",
    "SALU_CYCLE_2",
    "SALU_CYCLE_3",
];

/// s_delay_alu instskip values from 1.
pub(crate) const DELAY_SKIP: [&str; 5] = ["NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];

/// Image dimensions, without SQ_RSRC_IMG_.
pub(crate) const DIMS: [&str; 8] = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"];

/// Buffer formats of gfx11 and gfx12, without BUF_FMT_.
#[rustfmt::skip]
pub(in crate) const FORMATS: [&str; 64] = [
    "INVALID", "8_UNORM", "8_SNORM", "8_USCALED", "8_SSCALED", "8_UINT",
    "8_SINT", "16_UNORM", "16_SNORM", "16_USCALED", "16_SSCALED", "16_UINT",
    "16_SINT", "16_FLOAT", "8_8_UNORM", "8_8_SNORM", "8_8_USCALED", "8_8_SSCALED",
    "8_8_UINT", "8_8_SINT", "32_UINT", "32_SINT", "32_FLOAT", "16_16_UNORM",
    "16_16_SNORM", "16_16_USCALED", "16_16_SSCALED", "16_16_UINT", "16_16_SINT", "16_16_FLOAT",
    "10_11_11_FLOAT", "11_11_10_FLOAT", "10_10_10_2_UNORM", "10_10_10_2_SNORM", "10_10_10_2_UINT", "10_10_10_2_SINT",
    "2_10_10_10_UNORM", "2_10_10_10_SNORM", "2_10_10_10_USCALED", "2_10_10_10_SSCALED", "2_10_10_10_UINT", "2_10_10_10_SINT",
    "8_8_8_8_UNORM", "8_8_8_8_SNORM", "8_8_8_8_USCALED", "8_8_8_8_SSCALED", "8_8_8_8_UINT", "8_8_8_8_SINT",
    "32_32_UINT", "32_32_SINT", "32_32_FLOAT", "16_16_16_16_UNORM", "16_16_16_16_SNORM", "16_16_16_16_USCALED",
    "16_16_16_16_SSCALED", "16_16_16_16_UINT", "16_16_16_16_SINT", "16_16_16_16_FLOAT", "32_32_32_UINT", "32_32_32_SINT",
    "32_32_32_FLOAT", "32_32_32_32_UINT", "32_32_32_32_SINT", "32_32_32_32_FLOAT",
];

/// Buffer formats of gfx10, without BUF_FMT_.
#[rustfmt::skip]
pub(in crate) const FORMATS_GFX10: &[&str] = &[
    "INVALID", "8_UNORM", "8_SNORM", "8_USCALED", "8_SSCALED", "8_UINT",
    "8_SINT", "16_UNORM", "16_SNORM", "16_USCALED", "16_SSCALED", "16_UINT",
    "16_SINT", "16_FLOAT", "8_8_UNORM", "8_8_SNORM", "8_8_USCALED", "8_8_SSCALED",
    "8_8_UINT", "8_8_SINT", "32_UINT", "32_SINT", "32_FLOAT", "16_16_UNORM",
    "16_16_SNORM", "16_16_USCALED", "16_16_SSCALED", "16_16_UINT", "16_16_SINT", "16_16_FLOAT",
    "10_11_11_UNORM", "10_11_11_SNORM", "10_11_11_USCALED", "10_11_11_SSCALED", "10_11_11_UINT", "10_11_11_SINT",
    "10_11_11_FLOAT", "11_11_10_UNORM", "11_11_10_SNORM", "11_11_10_USCALED", "11_11_10_SSCALED", "11_11_10_UINT",
    "11_11_10_SINT", "11_11_10_FLOAT", "10_10_10_2_UNORM", "10_10_10_2_SNORM", "10_10_10_2_USCALED", "10_10_10_2_SSCALED",
    "10_10_10_2_UINT", "10_10_10_2_SINT", "2_10_10_10_UNORM", "2_10_10_10_SNORM", "2_10_10_10_USCALED", "2_10_10_10_SSCALED",
    "2_10_10_10_UINT", "2_10_10_10_SINT", "8_8_8_8_UNORM", "8_8_8_8_SNORM", "8_8_8_8_USCALED", "8_8_8_8_SSCALED",
    "8_8_8_8_UINT", "8_8_8_8_SINT", "32_32_UINT", "32_32_SINT", "32_32_FLOAT", "16_16_16_16_UNORM",
    "16_16_16_16_SNORM", "16_16_16_16_USCALED", "16_16_16_16_SSCALED", "16_16_16_16_UINT", "16_16_16_16_SINT", "16_16_16_16_FLOAT",
    "32_32_32_UINT", "32_32_32_SINT", "32_32_32_FLOAT", "32_32_32_32_UINT", "32_32_32_32_SINT", "32_32_32_32_FLOAT",
];

/// Buffer data formats before gfx10, without BUF_DATA_FORMAT_.
#[rustfmt::skip]
pub(in crate) const DATA_FORMATS: [&str; 16] = [
    "INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2",
    "2_10_10_10", "8_8_8_8", "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15",
];

/// Buffer number formats before gfx10, without BUF_NUM_FORMAT_.
pub(crate) const NUMBER_FORMATS: [&str; 8] = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"];
