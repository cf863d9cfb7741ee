//! Values that an instruction's processor does not have: they decode and print, as in LLVM, but must not run.
//!
//! LLVM's disassembler reads fields one by one, so most values of most fields print somehow: `row_bcast:15` on gfx10, which has other DPP
//! controls, as `/* row_bcast is not supported starting from GFX10 */`. [`reserved`] finds such a value, and the lifter refuses the
//! instruction by its name: `reserved dpp_ctrl 0x142 on gfx1100`. All of it is in one table, [`RULES`].
//!
//! Not here, because hardware is defined to ignore it: fields of operands that an instruction lacks, low bits of aligned tuples, clamp and
//! omod of integers (numerics.md section 3), op_sel_hi of VOP3P sources without halves (assemblers disagree), immediates of which the
//! manual uses the low bits (s_round_mode, s_trap), and everything that can only change time: counters of s_waitcnt (ACO sets bits above
//! those that gfx8 and gfx9 have), s_nop, s_sleep, s_setprio, s_clause. Values that depend on a register, as a format in a V#, are
//! refused when they are used.

mod find;
mod gaps;
#[cfg(test)]
mod tests;

use super::inst::{Enc, Inst};
use super::row::{Flags, Imm};
use super::target::Gfx;
use find::*;
use gaps::gaps;
use std::fmt;
use std::sync::LazyLock;

/// A value that the processor does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    /// The field, as in [`Rule::field`].
    pub field: &'static str,
    /// Its value, or the bits of it that are reserved.
    pub value: u32,
    /// Processor.
    pub target: Gfx,
}

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reserved {} {:#x} on {}", self.field, self.value, self.target)
    }
}

/// One kind of reserved value.
pub struct Rule {
    /// What assembly calls the field.
    pub field: &'static str,
    /// What is reserved, and who says so.
    pub why: &'static str,
    formats: &'static [Enc],
    /// The reserved value in an instruction.
    find: fn(&Inst) -> Option<u32>,
}

const SHORT: &[Enc] = &[Enc::VOP1, Enc::VOP2, Enc::VOPC];
const WITH_DPP: &[Enc] = &[Enc::VOP1, Enc::VOP2, Enc::VOPC, Enc::VOP3, Enc::VOP3SD, Enc::VOP3P];
const FLOAT_MODS: &[Enc] = &[Enc::VOP1, Enc::VOP2, Enc::VOPC, Enc::VOP3, Enc::VOP3SD];
const IMAGES: &[Enc] = &[Enc::MIMG, Enc::VIMAGE, Enc::VSAMPLE];
const CACHED: &[Enc] = &[Enc::SMEM, Enc::FLAT, Enc::GLOBAL, Enc::SCRATCH, Enc::MUBUF, Enc::MTBUF, Enc::MIMG, Enc::VIMAGE, Enc::VSAMPLE];
const TEXTURES: &[Enc] = &[Enc::MUBUF, Enc::MTBUF, Enc::MIMG, Enc::VIMAGE, Enc::VSAMPLE];
const WITH_SOURCES: &[Enc] = &[
    Enc::SOP1,
    Enc::SOP2,
    Enc::SOPC,
    Enc::SOPK,
    Enc::VOP1,
    Enc::VOP2,
    Enc::VOPC,
    Enc::VOP3,
    Enc::VOP3SD,
    Enc::VOP3P,
    Enc::MAI,
    Enc::VOPD,
    Enc::VINTERP,
    Enc::MUBUF,
    Enc::MTBUF,
];
/// Formats with bits that no field has on some processor.
const WITH_GAPS: &[Enc] = &[
    Enc::SMEM,
    Enc::VOP1,
    Enc::VOP2,
    Enc::VOPC,
    Enc::VOP3,
    Enc::VOP3SD,
    Enc::VOP3P,
    Enc::VINTERP,
    Enc::DS,
    Enc::MUBUF,
    Enc::MTBUF,
    Enc::MIMG,
    Enc::VIMAGE,
    Enc::VSAMPLE,
    Enc::FLAT,
    Enc::GLOBAL,
    Enc::SCRATCH,
    Enc::EXP,
];

impl Rule {
    /// Formats that have the field.
    pub fn formats(&self) -> &'static [Enc] {
        self.formats
    }
}

/// The table.
#[rustfmt::skip]
pub static RULES: [Rule; 29] = [
    Rule { field: "dpp_ctrl", why: "wave shifts and row_bcast ended with gfx9, row_share and row_xmask came with gfx10, row_newbcast with gfx90a, where it is all that 64-bit operands have (numerics.md section 10)", formats: WITH_DPP, find: dpp_ctrl },
    Rule { field: "literal with DPP", why: "no form has both (LLVM's assembler)", formats: WITH_DPP, find: dpp_literal },
    Rule { field: "source 1 with DPP", why: "a VGPR on gfx11; from gfx11.5 scalars and constants too (LLVM's assembler)", formats: LONG_AND_PACKED, find: dpp_source_1 },
    Rule { field: "dst_unused", why: "pads, extends or preserves (numerics.md section 9)", formats: SHORT, find: |i| (i.mods.sdwa.present && i.mods.sdwa.dst_unused == 3).then_some(3) },
    Rule { field: "neg", why: "undefined on integers (numerics.md section 3)", formats: FLOAT_MODS, find: |i| some_bits(source_mods(i)[0]) },
    Rule { field: "abs", why: "undefined on integers (numerics.md section 3)", formats: FLOAT_MODS, find: |i| some_bits(source_mods(i)[1]) },
    Rule { field: "op_sel", why: "chooses halves of 16-bit operands, of all from gfx11 (numerics.md section 3)", formats: &[Enc::VOP3], find: op_sel },
    Rule { field: "op_sel", why: "chooses halves of packed and mixed sources, and of gfx11's 16-bit accumulators (numerics.md sections 11 and 12)", formats: &[Enc::VOP3P], find: packed_op_sel },
    Rule { field: "neg_lo", why: "negates floats, and says which matrix or vector of integers is signed (numerics.md section 11)", formats: &[Enc::VOP3P], find: |i| some_bits(u32::from(i.mods.neg) & !packed_neg(i)[0]) },
    Rule { field: "neg_hi", why: "negates floats (numerics.md section 11)", formats: &[Enc::VOP3P], find: |i| some_bits(u32::from(i.mods.neg_hi | i.mods.abs) & !packed_neg(i)[1]) },
    Rule { field: "source operand", why: "apertures came with gfx9, NULL with gfx10; vccz, execz and lds_direct ended with gfx10, pops_exiting_wave_id is gfx9's and gfx10's, gfx90a and gfx94x have no lds_direct (LLVM's assembler)", formats: WITH_SOURCES, find: source_code },
    Rule { field: "register operand", why: "a field for registers names something else", formats: WITH_SOURCES, find: register_code },
    Rule { field: "hwreg", why: "numbers of descriptors.md section 10", formats: &[Enc::SOPK], find: |i| immediate(i, Imm::Hwreg).map(|v| v & 63).filter(|id| !has_hwreg(i.target, *id)) },
    Rule { field: "message", why: "numbers of descriptors.md section 13; those that return something are s_sendmsg_rtn's", formats: &[Enc::SOPP, Enc::SOP1], find: message },
    Rule { field: "delay", why: "instid0 and instid1 up to 11, instskip up to 5 (RDNA3 ISA, S_DELAY_ALU)", formats: &[Enc::SOPP], find: delay },
    Rule { field: "export target", why: "gfx10 added pos4 and prim; gfx11 added dual source blending and dropped null and parameters (RDNA3 ISA, chapter 15.10)", formats: &[Enc::EXP], find: export_target },
    Rule { field: "gds", why: "gfx90a and gfx94x have GWS alone", formats: &[Enc::DS], find: gds },
    Rule { field: "swizzle pattern", why: "rotation and FFT came with gfx9; unused bits are zero (numerics.md section 14)", formats: &[Enc::DS], find: swizzle },
    Rule { field: "AGPR bit", why: "gfx90a and gfx94x have data in AGPRs", formats: &[Enc::DS, Enc::FLAT, Enc::GLOBAL, Enc::SCRATCH], find: agpr_bit },
    Rule { field: "scc", why: "gfx90a's cache bit, sc1 of gfx94x", formats: CACHED, find: scc },
    Rule { field: "th", why: "temporal hints of gfx12 by instruction and scope (LLVM AMDGPUUsage)", formats: CACHED, find: temporal_hint },
    Rule { field: "flat offset", why: "gfx8 has none; before gfx12 the highest bit is zero in the FLAT segment", formats: &[Enc::FLAT], find: flat_offset },
    Rule { field: "format", why: "numbers that name no buffer format", formats: &[Enc::MTBUF], find: format },
    Rule { field: "tfe", why: "stores return no status", formats: TEXTURES, find: |i| (i.row.flags.contains(Flags::STORE) && i.mods.tfe).then_some(1) },
    Rule { field: "lwe", why: "stores return no status", formats: IMAGES, find: |i| (i.row.flags.contains(Flags::STORE) && i.mods.lwe).then_some(1) },
    Rule { field: "dmask", why: "one component for gather4, whole elements for atomics (RDNA3 ISA, chapter 10)", formats: IMAGES, find: dmask },
    Rule { field: "dim", why: "samplers read no multisampled images, and image_msaa_load no others", formats: IMAGES, find: dim },
    Rule { field: "bits of dword 0", why: "bits that no field of the format has on the processor", formats: WITH_GAPS, find: |i| some_bits(gaps(i)[0]) },
    Rule { field: "bits after dword 0", why: "the same in later dwords", formats: WITH_GAPS, find: |i| gaps(i)[1..].iter().copied().find(|b| *b != 0) },
];

const LONG_AND_PACKED: &[Enc] = &[Enc::VOP3, Enc::VOP3SD, Enc::VOP3P];

/// The first reserved value of an instruction.
pub fn reserved(inst: &Inst) -> Option<Reserved> {
    static BY_FORMAT: LazyLock<Vec<Vec<&Rule>>> = LazyLock::new(|| {
        let mut table = vec![Vec::new(); Enc::EXP as usize + 1];
        for rule in &RULES {
            rule.formats.iter().for_each(|enc| table[*enc as usize].push(rule));
        }
        table
    });
    BY_FORMAT[inst.enc as usize]
        .iter()
        .find_map(|rule| Some(Reserved { field: rule.field, value: (rule.find)(inst)?, target: inst.target }))
}
