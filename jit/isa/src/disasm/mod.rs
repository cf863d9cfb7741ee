//! [`Inst`] to text in the syntax of LLVM's assembler (LLVM 19), so that output can be assembled again and compared with llvm-objdump.
//!
//! `mnemonic operands modifiers`: operands come from the row in print order, modifiers in the fixed order of each format. Reference: LLVM
//! AMDGPUOperandSyntax and AMDGPUModifierSyntax.

pub(super) mod halves;
pub(super) mod memory;
pub(super) mod names;
mod operand;
mod packed;
mod stream;
mod vop;

pub use stream::{Line, disasm_stream};

use super::inst::{Dpp, Enc, Half, Inst, Operand};
use super::row::{Flags, Imm, Opd, Row};
use super::target::{Gfx, Space};
use crate::feature::Feature;
use std::fmt::Write;

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DisasmOptions {
    /// 32 or 64: the width of lane masks.
    pub wave_size: u32,
    /// Print 16-bit operands as halves (`v1.l`, `v1.h`), as LLVM does with real-true16.
    pub true16: bool,
    /// Guest address of the instruction. Branches print their raw distance with or without it, as llvm-objdump does.
    pub pc: Option<u64>,
}

impl Default for DisasmOptions {
    fn default() -> Self {
        DisasmOptions { wave_size: 32, true16: false, pc: None }
    }
}

/// Text of one instruction.
pub fn disasm(inst: &Inst, target: Gfx, opts: &DisasmOptions) -> String {
    let mut p = Printer { out: String::with_capacity(64), inst, target, opts };
    p.instruction();
    p.out
}

struct Printer<'a> {
    out: String,
    inst: &'a Inst,
    target: Gfx,
    opts: &'a DisasmOptions,
}

impl Printer<'_> {
    fn put(&mut self, s: &str) {
        self.out.push_str(s);
    }

    fn num(&mut self, args: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(args);
    }

    fn flag(&mut self, on: bool, text: &str) {
        if on {
            self.put(text);
        }
    }

    fn instruction(&mut self) {
        let inst = self.inst;
        self.put(inst.name());
        self.suffix();
        match inst.enc {
            Enc::VOPD => {
                self.operands(inst.row, 0, usize::from(inst.y_start));
                if let Some(y) = inst.row_y {
                    self.put(" :: ");
                    self.put(y.name_on(inst.target));
                    self.operands(y, usize::from(inst.y_start), inst.ops().len());
                }
            }
            Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE => self.image_operands(),
            _ => self.operands(inst.row, 0, inst.ops().len()),
        }
        self.modifiers();
    }

    /// `_e32`, `_e64`, `_dpp`, `_e64_dpp`: only where the instruction has a choice of formats.
    fn suffix(&mut self) {
        let inst = self.inst;
        let row = inst.row;
        let dpp = inst.mods.dpp != Dpp::None;
        let promoted = row.encs.len() > 1 && !row.ops.is_empty();
        match inst.enc {
            Enc::VOP1 if row.ops.is_empty() => {}
            Enc::VINTRP if self.target.space() != Space::Gfx6 => self.put("_e32"),
            Enc::VOP1 | Enc::VOP2 | Enc::VOPC if inst.mods.sdwa.present => {
                // Compares of gfx8 do not say so.
                self.flag(inst.enc != Enc::VOPC || self.target.has(Feature::SdwaScalars), "_sdwa");
            }
            Enc::VOPC if dpp => {}
            Enc::VOP1 | Enc::VOP2 | Enc::VOPC if dpp => self.put("_dpp"),
            Enc::VOP1 | Enc::VOP2 | Enc::VOPC if promoted || row.flags.intersects(Flags::HALF | Flags::E32) => self.put("_e32"),
            Enc::VOP3 | Enc::VOP3SD | Enc::VOP3P if dpp => self.put("_e64_dpp"),
            Enc::VOP3 | Enc::VOP3SD if promoted => self.put("_e64"),
            _ => {}
        }
    }

    /// Operands `from..to` of the instruction, which are those of `row`.
    fn operands(&mut self, row: &Row, from: usize, to: usize) {
        let ops = &self.inst.ops()[from..to];
        // A returning atomic without its result and a compare to VCC print fewer or more operands than the row lists.
        let mut columns = row.ops;
        if matches!(columns.first(), Some(Opd::RD(_))) && ops.len() < columns.len() {
            columns = &columns[1..];
        }
        for (i, op) in ops.iter().enumerate() {
            if columns[i] == Opd::M2 && self.prints_mask_within_abs() {
                continue;
            }
            // `exp pos0 v0, ...`: the target of an export is not a list element.
            self.put(if i == 0 || matches!(columns[i - 1], Opd::TGT) { " " } else { ", " });
            if self.inst.enc == Enc::SOPP && matches!(columns[i], Opd::K(Imm::Optional)) && *op == Operand::Imm(0) {
                self.out.pop();
                continue;
            }
            self.operand(columns[i], op);
        }
    }

    fn modifiers(&mut self) {
        match self.inst.enc {
            Enc::VOP1 | Enc::VOP2 | Enc::VOPC if self.inst.mods.sdwa.present => self.sdwa(),
            Enc::VOP1 | Enc::VOP2 | Enc::VOPC => self.dpp(),
            Enc::VOP3 | Enc::VOP3SD => {
                self.vop3_op_sel();
                self.vop3_output();
                self.dpp();
            }
            Enc::VOP3P => {
                self.packed();
                self.flag(self.inst.mods.clamp, " clamp");
                self.dpp();
            }
            Enc::MAI => self.mai(),
            Enc::VINTERP => {
                let m = &self.inst.mods;
                self.flag(m.clamp, " clamp");
                if m.op_sel != 0 {
                    self.list(" op_sel:", m.op_sel, 4);
                }
                self.num(format_args!(" wait_exp:{}", m.wait));
            }
            Enc::LDSDIR if self.target.space() == Space::Gfx12 => {
                let m = &self.inst.mods;
                self.num(format_args!(" wait_va_vdst:{} wait_vm_vsrc:{}", m.wait, u8::from(m.wait_vm_vsrc)));
            }
            Enc::LDSDIR => self.num(format_args!(" wait_vdst:{}", self.inst.mods.wait)),
            Enc::SMEM => {
                let m = &self.inst.mods;
                if m.has_offset {
                    self.put(" offset:");
                    self.signed_hex(m.offset);
                }
                self.cache();
            }
            Enc::DS => {
                let m = &self.inst.mods;
                if self.inst.row.flags.contains(Flags::TWO) {
                    if m.offset != 0 {
                        self.num(format_args!(" offset0:{}", m.offset));
                    }
                    if m.offset1 != 0 {
                        self.num(format_args!(" offset1:{}", m.offset1));
                    }
                } else if self.inst.row.flags.contains(Flags::SWIZZLE) {
                    self.swizzle();
                } else {
                    self.offset();
                }
                self.flag(m.gds, " gds");
            }
            Enc::FLAT | Enc::GLOBAL | Enc::SCRATCH => {
                self.offset();
                self.cache();
                self.flag(self.inst.mods.lds, " lds");
            }
            Enc::MUBUF | Enc::MTBUF => self.buffer(),
            Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE => self.image(),
            Enc::EXP => {
                let m = &self.inst.mods;
                self.flag(m.done, " done");
                self.flag(m.compr, " compr");
                self.flag(m.vm, " vm");
                self.flag(m.row_en, " row_en");
            }
            _ => {}
        }
    }

    fn offset(&mut self) {
        let offset = self.inst.mods.offset;
        if offset != 0 {
            self.num(format_args!(" offset:{offset}"));
        }
    }

    /// `name[a,b,..]` of the low `n` bits.
    fn list(&mut self, name: &str, bits: u8, n: usize) {
        self.put(name);
        for i in 0..n {
            self.put(if i == 0 { "[" } else { "," });
            self.num(format_args!("{}", (bits >> i) & 1));
        }
        self.put("]");
    }

    fn sources(&self) -> usize {
        self.inst.ops().len() - 1
    }

    /// ds_swizzle_b32: patterns have names, other offsets print as numbers.
    fn swizzle(&mut self) {
        let v = self.inst.mods.offset as u32;
        if v == 0 {
            return;
        }
        self.put(" offset:");
        if v & 0xff00 == 0x8000 {
            let q = |i: u32| (v >> (2 * i)) & 3;
            self.num(format_args!("swizzle(QUAD_PERM,{},{},{},{})", q(0), q(1), q(2), q(3)));
        } else if v & 0x8000 == 0 {
            self.swizzle_bitmask(v);
        } else {
            self.num(format_args!("{v}"));
        }
    }

    fn swizzle_bitmask(&mut self, v: u32) {
        let (and, or, xor) = (v & 31, (v >> 5) & 31, (v >> 10) & 31);
        if and == 31 && or == 0 && xor.is_power_of_two() {
            self.num(format_args!("swizzle(SWAP,{xor})"));
        } else if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
            self.num(format_args!("swizzle(REVERSE,{})", xor + 1));
        } else {
            let group = 32 - and;
            if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
                self.num(format_args!("swizzle(BROADCAST,{group},{or})"));
                return;
            }
            self.put("swizzle(BITMASK_PERM,\"");
            for bit in (0..5).rev() {
                // What a lane number bit of 0 and of 1 becomes.
                let p0 = ((or >> bit) & 1) ^ ((xor >> bit) & 1);
                let p1 = (((and >> bit) & 1) | ((or >> bit) & 1)) ^ ((xor >> bit) & 1);
                self.put(match (p0, p1) {
                    (0, 0) => "0",
                    (1, 1) => "1",
                    (0, 1) => "p",
                    _ => "i",
                });
            }
            self.put("\")");
        }
    }
}

/// The instruction names the high half of a register in a 32-bit format, which only true16 syntax can print.
pub fn needs_true16(inst: &Inst) -> bool {
    !inst.row.flags.contains(Flags::HALF) && inst.ops().iter().any(|o| matches!(o, Operand::Vgpr { half: Half::Hi, .. }))
}
