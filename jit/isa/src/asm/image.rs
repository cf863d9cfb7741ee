//! Registers of image instructions: LLVM's assembler takes more counts than its disassembler prints, for one code.

use super::Form;
use crate::decode::image::{address_bounds, address_dwords};
use crate::feature::Feature;
use crate::inst::{Enc, Inst, Operand};
use crate::row::{Flags, Opd};
use crate::target::Space;

impl Form<'_> {
    /// Does `back`, decoded from our code, say what was written? Data may have the count the modifiers ask for though no form of the
    /// instruction has it (LLVM's disassembler shows its first form then), and an address may be longer than `back` says.
    pub(super) fn is_same_image(&self, back: &Inst) -> bool {
        let image = matches!(self.inst.enc, Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE) && !self.inst.row.flags.contains(Flags::BVH);
        image
            && back.count == self.inst.count
            && back.ops().iter().zip(self.inst.ops()).enumerate().all(|(i, (read, written))| {
                read == written
                    || match (*read, *written) {
                        (Operand::Vgpr { n: a, .. }, Operand::Vgpr { n: b, count, .. })
                        | (Operand::Agpr { n: a, .. }, Operand::Agpr { n: b, count }) => {
                            a == b && if i == 0 { self.takes_data(count) } else { self.takes_address(i, count) }
                        }
                        _ => false,
                    }
            })
    }

    /// Is `count` what the modifiers ask for, and does some class of registers have it?
    fn takes_data(&self, count: u8) -> bool {
        let flags = self.inst.row.flags;
        let m = &self.inst.mods;
        let mut data = if flags.contains(Flags::GATHER) { 4 } else { (m.dmask.count_ones() as u8).max(1) };
        if m.d16 && !self.inst.target.has(Feature::UnpackedD16) {
            data = data.div_ceil(2);
        }
        let pairs = matches!(self.inst.row.ops.first(), Some(Opd::VDATA(ty)) if ty.is_64());
        let fits = !flags.contains(Flags::ATOMIC) || matches!(m.dmask, 1 | 3 | 15) && if pairs { count > 1 } else { count != 4 };
        fits && count == data + u8::from(m.tfe)
    }

    /// Before gfx10 any length that the instruction has with some dimension; from gfx10 what the modifiers ask for, or eight registers in
    /// place of five to seven.
    fn takes_address(&self, operand: usize, count: u8) -> bool {
        if operand != 1 {
            return false;
        }
        match self.inst.target.space() {
            Space::Gfx6 | Space::Gfx8 => {
                let (least, most) = address_bounds(self.inst.row);
                (least..=most.next_power_of_two()).contains(&count) && (count <= most || count.is_power_of_two())
            }
            Space::Gfx10 | Space::Gfx11 => {
                let m = &self.inst.mods;
                let needed = address_dwords(self.inst.row, m);
                count == needed || count == 8 && (5..8).contains(&needed)
            }
            Space::Gfx12 => false,
        }
    }
}
