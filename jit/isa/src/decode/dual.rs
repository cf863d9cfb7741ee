//! VOPD: two instructions in one, wave32 only. RDNA3 ISA, chapters 7.6 and 15.4.

use super::vector::source_count;
use super::{Decoder, Result1};
use crate::beyond::Tolerance;
use crate::bits::Bits;
use crate::inst::{Enc, Operand};
use crate::row::{Flags, Opd, Row};

/// Fields of one half. The destinations are one even and one odd register: Y's low bit is not stored.
pub(crate) struct Half {
    pub op: Bits,
    pub src0: Bits,
    pub vsrc1: Bits,
    pub vdst: Bits,
}

pub(crate) static DUAL: [Half; 2] = [
    Half { op: Bits::at(25, 22), src0: Bits::at(8, 0), vsrc1: Bits::at(16, 9), vdst: Bits::at(63, 56) },
    Half { op: Bits::at(21, 17), src0: Bits::at(40, 32), vsrc1: Bits::at(48, 41), vdst: Bits::at(55, 49) },
];

impl Decoder<'_> {
    pub(super) fn vopd(&mut self) -> Result1<()> {
        let first = self.first();
        let x = self.row(Enc::VOPD, DUAL[0].op.get(&first))?;
        let y = self.row(Enc::VOPD, DUAL[1].op.get(&first))?;
        self.start(x, Enc::VOPD, 2)?.vopd_fields(y)
    }
}

impl Decoder<'_> {
    fn vopd_fields(&mut self, y: &'static Row) -> Result1<()> {
        let x = self.inst.row;
        let words = self.inst.words;
        if x.flags.contains(Flags::Y_ONLY) {
            return self.reserved();
        }
        let dst_x = DUAL[0].vdst.get(&words);
        let dst_y = DUAL[1].vdst.get(&words) << 1 | !dst_x & 1;
        self.inst.row_y = Some(y);
        self.half(&DUAL[0], x, dst_x)?;
        self.inst.y_start = self.inst.count;
        self.half(&DUAL[1], y, dst_y)?;
        Ok(())
    }

    fn half(&mut self, layout: &Half, row: &'static Row, dst: u32) -> Result1<()> {
        let words = self.inst.words;
        let src1 = layout.vsrc1.get(&words);
        if source_count(row) < 2 {
            self.unused(src1, Tolerance::UNUSED_SOURCE)?;
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::D(_) => self.vgpr(dst, 1)?,
                Opd::S0(ty) => self.src(layout.src0.get(&words), ty)?,
                Opd::S1(_) => self.vgpr(src1, 1)?,
                Opd::LIT(_) => Operand::Literal(self.literal()?),
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Gfx, decode, encode};

    #[test]
    fn destinations_are_one_even_and_one_odd() {
        let words = [0xc906_0501, 0x0400_0903]; // v_dual_add_f32 v4, v1, v2 :: v_dual_mul_f32 v1, v3, v4
        let i = decode(&words, Gfx::GFX1100, 32).unwrap();
        let code = encode(&i).unwrap();
        assert_eq!(code.dwords(), words);
        let mut both_even = i;
        both_even.operands[usize::from(i.y_start)] = i.operands[0];
        assert!(encode(&both_even).is_err());
        assert!(decode(&words, Gfx::GFX1100, 64).is_err(), "wave64 has no dual issue");
    }
}
