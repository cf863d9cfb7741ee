//! Halves of registers by name: `v1.l` and `v1.h`.
//!
//! A 16-bit operand of a 32-bit format has the half in its register number, one of a long format in op_sel. LLVM 19 names halves with
//! `+real-true16` (and always in v_mov_b16), but of the long forms only in the rows with [`Flags::TRUE16`], which are printed as there:
//! DPP forms name the halves of destination and source 0 beside `op_sel`, other forms write `.l` and leave the half to `op_sel`. All other
//! rows are printed as LLVM 20 and later do, every half by name and `op_sel` besides; LLVM 19 prints them as if they had no halves.

use super::Printer;
use crate::inst::{Dpp, Enc, Half, Operand};
use crate::row::{Flags, Opd, Row, Ty};
use crate::target::Space;

/// Bit of op_sel for the destination.
const DESTINATION: u8 = 8;

/// The op_sel bit of a column, and its type.
fn place(column: Opd) -> Option<(u8, Ty)> {
    match column {
        Opd::D(ty) => Some((DESTINATION, ty)),
        Opd::S0(ty) | Opd::V0(ty) | Opd::R0(ty) => Some((1, ty)),
        Opd::S1(ty) | Opd::V1(ty) | Opd::R1(ty) => Some((2, ty)),
        Opd::S2(ty) | Opd::V2(ty) | Opd::R2(ty) => Some((4, ty)),
        _ => None,
    }
}

/// The op_sel bit of a 16-bit operand in a long form; none where the form reads 32 bits.
pub(crate) fn half_bit(row: &Row, column: Opd) -> Option<u8> {
    let (bit, ty) = place(column)?;
    // The class mask of v_cmp_class_f16 is 16 bits wide in the short form only.
    let class = row.is_compare() && bit == 2 && ty == Ty::B16;
    (ty.is_16() && !class).then_some(bit)
}

/// The op_sel bits of all 16-bit operands of a row's long form.
pub(crate) fn half_bits(row: &Row) -> u8 {
    row.ops.iter().filter_map(|o| half_bit(row, *o)).fold(0, |bits, bit| bits | bit)
}

fn is_short(enc: Enc) -> bool {
    matches!(enc, Enc::VOP1 | Enc::VOP2 | Enc::VOPC)
}

fn is_long(enc: Enc) -> bool {
    matches!(enc, Enc::VOP3 | Enc::VOP3SD)
}

impl Printer<'_> {
    /// Are halves of this instruction named?
    fn names_halves(&self) -> bool {
        let row = self.inst.row;
        // LLVM 19 takes a bit that belongs to no operand for an instruction from before there were halves.
        let old = row.flags.contains(Flags::TRUE16) && is_long(self.inst.enc) && self.inst.mods.op_sel & !half_bits(row) != 0;
        (self.opts.true16 || row.flags.contains(Flags::HALF)) && self.target.space() >= Space::Gfx11 && !old
    }

    /// `.l` or `.h` after the register of a column, or nothing.
    pub(super) fn half_name(&self, column: Opd, op: &Operand) -> &'static str {
        let inst = self.inst;
        let Operand::Vgpr { half, .. } = *op else { return "" };
        if !self.names_halves() || !is_short(inst.enc) && !is_long(inst.enc) {
            return "";
        }
        let by = |high: bool| if high { ".h" } else { ".l" };
        if is_short(inst.enc) {
            return if place(column).is_some_and(|p| p.1.is_16()) { by(half == Half::Hi) } else { "" };
        }
        match half_bit(inst.row, column) {
            None => "",
            Some(bit) if !inst.row.flags.contains(Flags::TRUE16) => by(inst.mods.op_sel & bit != 0),
            Some(_) if inst.mods.dpp == Dpp::None => ".l",
            Some(2) => "",
            Some(bit) => by(inst.mods.op_sel & bit != 0),
        }
    }

    /// op_sel as far as it chooses halves, where names of halves make it visible.
    pub(super) fn half_selects(&self) -> u8 {
        if self.names_halves() { self.inst.mods.op_sel & half_bits(self.inst.row) } else { 0 }
    }
}
