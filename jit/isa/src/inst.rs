//! A decoded instruction: its row, operands in LLVM's print order, and modifiers. Plain data, no allocation.

use super::beyond::Tolerance;
use super::counters::{Counter, Waits, waitcnt};
pub use super::enc::Enc;
use super::row::Row;
use super::scalars::{InlineFloat, Special, VCC_LO};
use super::target::Gfx;
use std::fmt;

/// Half of a 32-bit register that a 16-bit operand names (true16 forms print `.l` and `.h`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)]
pub enum Half {
    #[default]
    Whole,
    Lo,
    Hi,
}

/// One operand. Register operands have a number, a count of consecutive dwords and, for VGPRs, the half a 16-bit operand uses.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand {
    /// `count` consecutive VGPRs from v`n`.
    Vgpr { n: u16, count: u8, half: Half },
    /// `count` consecutive AGPRs.
    Agpr { n: u16, count: u8 },
    /// The `count` dwords at a scalar code below 128; [`ScalarSpace`](crate::scalars::ScalarSpace) says which registers these are.
    /// Lane-mask operands have the count of the wave size (1 in wave32, 2 in wave64).
    Sgpr { n: u8, count: u8 },
    /// A scalar source that is neither a register nor a constant.
    Special(Special),
    /// Inline integer constant -16..=64.
    Int(i32),
    /// Inline float constant. Its bits depend on the operand's type.
    Float(InlineFloat),
    /// 32-bit literal dword as it stands in the code. How it widens (f64: high half) depends on the operand's type.
    Literal(u32),
    /// simm16 and other immediates that print as numbers or named values (branch offsets, hwreg, sendmsg, waitcnt, ...).
    Imm(u32),
    /// No register: prints `off` or `null`.
    Off,
}

impl fmt::Display for Operand {
    /// What it is, without what only the instruction or the processor knows: which register a scalar code above the SGPRs is, and types.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |f: &mut fmt::Formatter<'_>, file: &str, n: u32, count: u8| match count {
            0 | 1 => write!(f, "{file}{n}"),
            _ => write!(f, "{file}[{n}:{}]", n + u32::from(count) - 1),
        };
        match *self {
            Operand::Vgpr { n, count, half } => {
                range(f, "v", n.into(), count)?;
                f.write_str(match half {
                    Half::Whole => "",
                    Half::Lo => ".l",
                    Half::Hi => ".h",
                })
            }
            Operand::Agpr { n, count } => range(f, "a", n.into(), count),
            Operand::Sgpr { n: n @ ..VCC_LO, count } => range(f, "s", n.into(), count),
            Operand::Sgpr { n, .. } => write!(f, "scalar register {n}"),
            Operand::Special(special) => f.write_str(special.name()),
            Operand::Int(n) => write!(f, "{n}"),
            Operand::Float(float) => f.write_str(float.text()),
            Operand::Literal(v) => write!(f, "literal {v:#x}"),
            Operand::Imm(v) => write!(f, "immediate {v:#x}"),
            Operand::Off => f.write_str("off"),
        }
    }
}

/// What a DPP form adds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Dpp {
    #[default]
    None,
    Dpp16 {
        ctrl: u16,
        row_mask: u8,
        bank_mask: u8,
        bound_ctrl: bool,
        fi: bool,
    },
    /// Eight 3-bit selects, lane 0 lowest.
    Dpp8 {
        sel: u32,
        fi: bool,
    },
}

/// SDWA selects (gfx8 to gfx10), as encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Sdwa {
    pub present: bool,
    pub dst_sel: u8,
    pub dst_unused: u8,
    pub src_sel: [u8; 2],
}

/// Modifiers. Bit i of a per-source field belongs to source i (src0, src1, src2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Mods {
    pub neg: u8,
    pub abs: u8,
    /// Integer sources: sign extension of the selected part (SDWA); elsewhere it prints and means nothing.
    pub sext: u8,
    /// gfx12: which byte of the source or destination a conversion of fp8 uses.
    pub byte_sel: u8,
    /// Interpolation of 16-bit attributes: the high half.
    pub high: bool,
    /// VOP3P: neg_hi (neg is neg_lo).
    pub neg_hi: u8,
    /// Bits 0-2 sources, bit 3 destination.
    pub op_sel: u8,
    pub op_sel_hi: u8,
    /// 0 none, 1 *2, 2 *4, 3 /2
    pub omod: u8,
    pub clamp: bool,
    pub dpp: Dpp,
    pub sdwa: Sdwa,
    /// Byte offset of memory forms (signed where the form has it signed), DS offset0 in two-address forms.
    pub offset: i32,
    /// SMEM: an immediate offset stands beside the register, even if it is 0.
    pub has_offset: bool,
    /// DS offset1 in two-address forms.
    pub offset1: i32,
    pub glc: bool,
    pub slc: bool,
    pub dlc: bool,
    pub tfe: bool,
    pub lwe: bool,
    pub d16: bool,
    pub a16: bool,
    pub g16: bool,
    pub unorm: bool,
    pub r128: bool,
    pub offen: bool,
    pub idxen: bool,
    pub addr64: bool,
    /// Image: an array (before gfx10 says so with dim).
    pub da: bool,
    pub lds: bool,
    pub gds: bool,
    pub dmask: u8,
    pub dim: u8,
    /// MTBUF format number: unified from gfx10, before that data format 3:0 and number format 6:4.
    pub format: u8,
    /// gfx90a scc, gfx94x sc1 (there glc is sc0 and slc is nt).
    pub scc: bool,
    /// gfx12 th and scope.
    pub th: u8,
    pub scope: u8,
    /// EXP: done, row_en, vm, compr.
    pub done: bool,
    pub row_en: bool,
    pub vm: bool,
    pub compr: bool,
    /// EXP enable mask; VINTERP wait_exp; LDSDIR wait counts (wait_vm_vsrc from gfx12).
    pub en: u8,
    pub wait: u8,
    pub wait_vm_vsrc: bool,
    /// MAI: broadcast of matrix A, its block, lane group pattern of matrix B (F64 on gfx94x: negation).
    pub cbsz: u8,
    pub abid: u8,
    pub blgp: u8,
    /// Which index of a sparse matrix's index register.
    pub index_key: u8,
}

/// Most operands an instruction prints (VOPD with both halves, MIMG with NSA).
pub const MAX_OPERANDS: usize = 16;

/// A decoded instruction.
#[derive(Clone, Copy)]
pub struct Inst {
    /// Its row; for VOPD the X half's.
    pub row: &'static Row,
    /// Processor it was decoded for.
    pub target: Gfx,
    /// VOPD: the Y half's row.
    pub row_y: Option<&'static Row>,
    /// Format it was found in (a VOP2 instruction in its VOP3 form says VOP3; SDWA and DPP keep their base format).
    pub enc: Enc,
    /// Dwords of code.
    pub words: [u32; 5],
    /// How many of `words`.
    pub len: u8,
    /// Operands in LLVM's print order, destinations first; implicit VCC operands that LLVM prints are listed too.
    pub operands: [Operand; MAX_OPERANDS],
    /// How many.
    pub count: u8,
    /// VOPD: index of the first operand of the Y half.
    pub y_start: u8,
    /// Modifiers.
    pub mods: Mods,
    /// What made it an instruction though LLVM 19 takes it for none.
    pub tolerated: Tolerance,
}

impl Inst {
    /// Counters of an s_waitcnt, s_waitcnt_vscnt or the like, with their values; none of other instructions. A counter with a register beside it (which
    /// compilers leave NULL) has the value of the immediate.
    pub fn counters(&self) -> impl Iterator<Item = (&'static Counter, u32)> {
        let immediate = self.ops().iter().find_map(|op| match op {
            Operand::Imm(value) => Some(*value & 0xffff),
            _ => None,
        });
        let counters: &'static [Counter] = match self.row.waits {
            Waits::One(counter) => std::slice::from_ref(counter),
            Waits::Packed => waitcnt(self.target),
            Waits::No => &[],
        };
        counters.iter().filter_map(move |c| Some((c, c.get(immediate?).min(c.max()))))
    }

    /// One that is yet to be filled in.
    #[inline]
    pub(crate) fn blank(row: &'static Row, target: Gfx) -> Inst {
        Inst {
            row,
            target,
            row_y: None,
            enc: Enc::SOP1,
            words: [0; 5],
            len: 0,
            operands: [Operand::Off; MAX_OPERANDS],
            count: 0,
            y_start: 0,
            mods: Mods::default(),
            tolerated: Tolerance::empty(),
        }
    }

    /// Operands in print order.
    pub fn ops(&self) -> &[Operand] {
        &self.operands[..usize::from(self.count)]
    }
    /// Size in bytes.
    pub fn bytes(&self) -> u32 {
        u32::from(self.len) * 4
    }
    /// The dwords.
    pub fn dwords(&self) -> &[u32] {
        &self.words[..usize::from(self.len)]
    }
    /// Mnemonic on its processor, without encoding suffix. What an instruction means follows from `row.name`, which is one for all.
    pub fn name(&self) -> &'static str {
        self.row.name_on(self.target)
    }
}

impl fmt::Debug for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {:08x?} {:?}", self.name(), self.enc, self.dwords(), self.ops())
    }
}
