//! Modifiers of packed and matrix instructions.

use super::Printer;
use crate::feature::Feature;
use crate::row::{Flags, Opd, Ty};

impl Printer<'_> {
    /// Broadcast of matrix A and pattern of matrix B; where 64-bit floats are multiplied, gfx94x negates instead.
    pub(super) fn mai(&mut self) {
        let m = &self.inst.mods;
        for (name, value) in [("cbsz", m.cbsz), ("abid", m.abid)] {
            if value != 0 {
                self.num(format_args!(" {name}:{value}"));
            }
        }
        let negates =
            self.target.has(Feature::NegatedF64Matrices) && matches!(self.inst.row.ops.last(), Some(Opd::C2(Ty::F64 | Ty::F64X4)));
        if m.blgp != 0 && negates {
            self.list(" neg:", m.blgp, 3);
        } else if m.blgp != 0 {
            self.num(format_args!(" blgp:{}", m.blgp));
        }
    }

    pub(super) fn packed(&mut self) {
        let m = &self.inst.mods;
        if m.index_key != 0 {
            self.num(format_args!(" index_key:{}", m.index_key));
        }
        let flags = self.inst.row.flags;
        let n = self.sources();
        let all = (1 << n) - 1;
        if flags.contains(Flags::PK) {
            if m.op_sel != 0 {
                self.list(" op_sel:", m.op_sel, n);
            }
            let default = if flags.contains(Flags::MIX) { 0 } else { all };
            if m.op_sel_hi != default {
                self.list(" op_sel_hi:", m.op_sel_hi, n);
            }
        }
        if !flags.contains(Flags::MIX) {
            if m.neg != 0 {
                self.list(" neg_lo:", m.neg, n);
            }
            if m.neg_hi != 0 {
                self.list(" neg_hi:", m.neg_hi, n);
            }
        }
    }
}
