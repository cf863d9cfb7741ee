//! DS: LDS and GDS. RDNA3 ISA, chapter 15.8.

use super::{Decoder, Result1};
use crate::beyond::Tolerance;
use crate::bits::Bits;
use crate::feature::Feature;
use crate::inst::{Enc, Half, Operand};
use crate::row::{Flags, Opd, Row};
use crate::target::SPACES;

/// Fields of a DS instruction.
pub(crate) struct Ds {
    pub op: Bits,
    /// One offset, or two in its halves.
    pub offset: Bits,
    pub offset0: Bits,
    pub offset1: Bits,
    pub gds: Bits,
    /// Data and result are AGPRs (gfx90a, gfx94x; not looked at elsewhere).
    pub acc: Bits,
    pub addr: Bits,
    pub data0: Bits,
    pub data1: Bits,
    pub vdst: Bits,
}

const DS_BASE: Ds = Ds {
    op: Bits::at(25, 18),
    offset: Bits::at(15, 0),
    offset0: Bits::at(7, 0),
    offset1: Bits::at(15, 8),
    gds: Bits::bit(17),
    acc: Bits::NONE,
    addr: Bits::at(39, 32),
    data0: Bits::at(47, 40),
    data1: Bits::at(55, 48),
    vdst: Bits::at(63, 56),
};

/// By number space. gfx12 has no GDS; its bit stays and is zero.
pub(crate) static DS: [Ds; SPACES] =
    [DS_BASE, Ds { op: Bits::at(24, 17), gds: Bits::bit(16), acc: Bits::bit(25), ..DS_BASE }, DS_BASE, DS_BASE, DS_BASE];

impl Ds {
    /// Where a register operand stands. The one operand of GWS instructions is data in the address field.
    pub(crate) fn register(&self, opd: Opd) -> Option<Bits> {
        match opd {
            Opd::ADDR => Some(self.addr),
            Opd::DA(_) => Some(self.data0),
            Opd::DB(_) => Some(self.data1),
            Opd::D(_) => Some(self.vdst),
            _ => None,
        }
    }

    /// Is the operand data, so that it can be an AGPR?
    pub(crate) fn is_data(&self, row: &Row, opd: Opd) -> bool {
        opd != Opd::ADDR || row.ops.len() == 1 && row.flags.contains(Flags::GDS)
    }
}

impl Decoder<'_> {
    pub(super) fn ds(&mut self) -> Result1<()> {
        let row = self.row(Enc::DS, DS[self.space as usize].op.get(&self.first()))?;
        self.start(row, Enc::DS, 2)?.ds_fields()
    }
}

impl Decoder<'_> {
    fn ds_fields(&mut self) -> Result1<()> {
        let layout = &DS[self.space as usize];
        let row = self.inst.row;
        let words = self.inst.words;
        let gds = layout.gds.is_set(&words);
        let never = row.flags.contains(Flags::NOGDS) || !self.target.has(Feature::Gds);
        if gds && never || !gds && row.flags.contains(Flags::GDS) {
            return self.reserved();
        }
        // Processors without GDS have the bit, and LLVM does not look at it.
        self.inst.mods.gds = gds && (!self.target.has(Feature::UnifiedVgprs) || row.flags.contains(Flags::GDS));
        if row.flags.contains(Flags::TWO) {
            self.inst.mods.offset = layout.offset0.get(&words) as i32;
            self.inst.mods.offset1 = layout.offset1.get(&words) as i32;
        } else {
            self.inst.mods.offset = layout.offset.get(&words) as i32;
        }
        let mut unused = u32::MAX;
        let mut has_data = false;
        for &opd in row.ops {
            let Some(field) = layout.register(opd) else { return self.reserved() };
            unused &= !(field.max() << (field.shift - 32));
            let data = layout.is_data(row, opd);
            has_data |= data;
            let count = match opd {
                Opd::DA(ty) | Opd::DB(ty) | Opd::D(ty) => self.width(ty),
                _ => 1,
            };
            let acc = data && layout.acc.is_set(&words);
            let op = self.memory_data(field.get(&words), count, acc)?;
            self.push(op);
        }
        // Stores and atomics without return do not look at their destination.
        if has_data {
            let vdst = unused & layout.vdst.max() << (layout.vdst.shift - 32);
            self.unused(words[1] & vdst, Tolerance::UNUSED_VDST)?;
            unused &= !vdst;
        }
        self.zero(words[1] & unused)?;
        if !has_data {
            self.zero(layout.acc.get(&words))?;
        }
        if row.ops.is_empty() && !gds {
            self.zero(layout.offset.get(&words))?;
        }
        Ok(())
    }

    /// Data register of a memory instruction: an AGPR where the bit says so and the processor has them.
    pub(super) fn memory_data(&self, n: u32, count: u8, acc: bool) -> Result1<Operand> {
        Ok(match self.vgpr(n, count)? {
            Operand::Vgpr { n, count, half: Half::Whole } if acc && self.target.has(Feature::UnifiedVgprs) => Operand::Agpr { n, count },
            op => op,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Gfx, Half, Operand, decode, encode};

    /// ds_write2_b32 with the AGPR bit (25) set.
    const WRITE2: [u32; 2] = [0xd81c_0000 | 1 << 25, 0x0002_0100];

    #[test]
    fn the_agpr_bit_speaks_of_all_data_and_only_where_there_are_agprs() {
        let vgpr = |n| Operand::Vgpr { n, count: 1, half: Half::Whole };
        let agpr = |n| Operand::Agpr { n, count: 1 };
        let i = decode(&WRITE2, Gfx(0x90a), 64).unwrap();
        assert_eq!(i.ops(), [vgpr(0), agpr(1), agpr(2)]);
        assert_eq!(decode(&WRITE2, Gfx(0x906), 64).unwrap().ops(), [vgpr(0), vgpr(1), vgpr(2)]);
        let mut mixed = i;
        mixed.operands[2] = vgpr(2);
        assert!(encode(&mixed).is_err(), "one bit for both");
        assert_eq!(encode(&i).unwrap().dwords(), WRITE2);
    }

    #[test]
    fn gfx12_has_no_gds() {
        let words = [0xd8d8_0000 | 1 << 17, 0x0100_0000]; // ds_load_b32 v1, v0 gds
        assert!(decode(&words, Gfx::GFX1100, 32).unwrap().mods.gds);
        assert!(decode(&words, Gfx(0x1200), 32).is_err());
    }
}
