//! EXP, VINTRP and LDSDIR: what shaders exchange with fixed function hardware. RDNA3 ISA, chapters 15.6 and 15.9; GCN3 ISA, chapter 13.

use super::{Decoder, Result1};
use crate::bits::Bits;
use crate::inst::{Enc, Operand};
use crate::row::Opd;
use crate::target::Space;

/// Fields of a number space's EXP.
pub(crate) struct Exp {
    /// Top bits.
    pub prefix: u32,
    pub en: Bits,
    pub target: Bits,
    pub done: Bits,
    /// Two halves per register (up to gfx10).
    pub compr: Bits,
    /// The mask of valid pixels is final (up to gfx10).
    pub vm: Bits,
    /// M0 holds the row to export (from gfx11).
    pub row_en: Bits,
    pub src: [Bits; 4],
}

const GFX6_EXP: Exp = Exp {
    prefix: 0x3e << 26,
    en: Bits::at(3, 0),
    target: Bits::at(9, 4),
    done: Bits::bit(11),
    compr: Bits::bit(10),
    vm: Bits::bit(12),
    row_en: Bits::NONE,
    src: [Bits::at(39, 32), Bits::at(47, 40), Bits::at(55, 48), Bits::at(63, 56)],
};
const GFX8_EXP: Exp = Exp { prefix: 0x31 << 26, ..GFX6_EXP };
const GFX11_EXP: Exp = Exp { compr: Bits::NONE, vm: Bits::NONE, row_en: Bits::bit(13), ..GFX6_EXP };
/// By number space.
pub(crate) static EXP: [Exp; 5] = [GFX6_EXP, GFX8_EXP, GFX6_EXP, GFX11_EXP, GFX11_EXP];

/// Fields of VINTRP, which are alike where the format exists.
pub(crate) struct Vintrp {
    pub opcode: Bits,
    pub vdst: Bits,
    /// Attribute and channel together.
    pub attr: Bits,
    pub vsrc: Bits,
}

pub(crate) static VINTRP: Vintrp = Vintrp { opcode: Bits::at(17, 16), vdst: Bits::at(25, 18), attr: Bits::at(15, 8), vsrc: Bits::at(7, 0) };

/// Top bits of VINTRP.
pub(crate) fn vintrp_prefix(space: Space) -> u32 {
    if space == Space::Gfx8 { 0x35 << 26 } else { 0x32 << 26 }
}

/// Fields of LDSDIR, which gfx12 calls VDSDIR.
pub(crate) struct Ldsdir {
    /// Top bits.
    pub prefix: u32,
    pub opcode: Bits,
    pub vdst: Bits,
    /// Attribute and channel together.
    pub attr: Bits,
    pub wait_vdst: Bits,
    pub wait_vm_vsrc: Bits,
}

const GFX11_LDSDIR: Ldsdir = Ldsdir {
    prefix: 0xce << 24,
    opcode: Bits::at(23, 20),
    vdst: Bits::at(7, 0),
    attr: Bits::at(15, 8),
    wait_vdst: Bits::at(19, 16),
    wait_vm_vsrc: Bits::NONE,
};
static GFX12_LDSDIR: Ldsdir = Ldsdir { opcode: Bits::at(22, 20), wait_vm_vsrc: Bits::bit(23), ..GFX11_LDSDIR };

impl Ldsdir {
    /// Layout of a number space.
    pub(crate) fn of(space: Space) -> &'static Ldsdir {
        static GFX11: Ldsdir = GFX11_LDSDIR;
        if space == Space::Gfx12 { &GFX12_LDSDIR } else { &GFX11 }
    }
}

impl Decoder<'_> {
    pub(super) fn exp(&mut self) -> Result1<()> {
        let f = &EXP[self.space as usize];
        let row = self.row(Enc::EXP, 0)?;
        self.start(row, Enc::EXP, 2)?;
        let w = self.inst.words;
        let m = &mut self.inst.mods;
        m.en = f.en.get(&w) as u8;
        m.done = f.done.is_set(&w);
        m.row_en = f.row_en.is_set(&w);
        m.compr = f.compr.is_set(&w);
        m.vm = f.vm.is_set(&w);
        let (en, compr) = (m.en, m.compr);
        let target = f.target.get(&w);
        // No disassembler of LLVM tells what is valid on gfx6 and gfx7; its assembler takes known targets and whole pairs.
        let halved = compr && (en ^ (en >> 1)) & 0b0101 != 0;
        if self.space == Space::Gfx6 && (halved || matches!(target, 10 | 11 | 16..=31)) {
            return self.reserved();
        }
        self.push(Operand::Imm(target));
        for i in 0..4 {
            // Compressed data stands in the first two registers, each of which is shown twice.
            let field = f.src[if compr { i / 2 } else { i }];
            let op = if (en >> i) & 1 != 0 { self.vgpr(field.get(&w), 1)? } else { Operand::Off };
            self.push(op);
        }
        Ok(())
    }

    pub(super) fn ldsdir(&mut self) -> Result1<()> {
        let f = Ldsdir::of(self.space);
        let w = self.first();
        let row = self.row(Enc::LDSDIR, f.opcode.get(&w))?;
        self.start(row, Enc::LDSDIR, 1)?;
        self.inst.mods.wait = f.wait_vdst.get(&w) as u8;
        self.inst.mods.wait_vm_vsrc = f.wait_vm_vsrc.is_set(&w);
        let dst = self.vgpr(f.vdst.get(&w), 1)?;
        self.push(dst);
        if row.ops.contains(&Opd::ATTR) {
            self.push(Operand::Imm(f.attr.get(&w)));
        }
        Ok(())
    }

    pub(super) fn vintrp(&mut self) -> Result1<()> {
        let f = &VINTRP;
        let w = self.first();
        let row = self.row(Enc::VINTRP, f.opcode.get(&w))?;
        self.start(row, Enc::VINTRP, 1)?;
        for opd in row.ops {
            // LLVM's assembler takes 33 attributes and three parameters, its disassembler of later families all numbers.
            let limited = self.space == Space::Gfx6;
            let op = match opd {
                Opd::PARAM if limited && f.vsrc.get(&w) > 2 => return Err(self.bad(f.vsrc.get(&w))),
                Opd::ATTR if limited && f.attr.get(&w) >> 2 > 32 => return Err(self.bad(f.attr.get(&w))),
                Opd::D(_) => self.vgpr(f.vdst.get(&w), 1)?,
                Opd::V0(_) => self.vgpr(f.vsrc.get(&w), 1)?,
                Opd::PARAM => Operand::Imm(f.vsrc.get(&w)),
                Opd::ATTR => Operand::Imm(f.attr.get(&w)),
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(())
    }
}
