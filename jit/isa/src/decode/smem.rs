//! SMEM, and SMRD as gfx6 and gfx7 call it. RDNA3 ISA, chapter 15.2; GCN3 ISA, chapter 13.1.
//!
//! The offset is an immediate, a register or both, and each family says so in its own way: gfx6 to gfx8 by one bit, gfx9 by two, later ones
//! always have both and name NULL where no register is meant.

use super::cache::CachePolicy;
use super::{Decoder, Result1};
use crate::bits::{Bits, MAX_DWORDS};
use crate::feature::Feature;
use crate::inst::{Enc, Operand};
use crate::row::{Opd, Ty};
use crate::scalars::EXEC_LO;
use crate::target::{Family, Gfx, Space};

/// Fields of a family's SMEM.
pub(crate) struct Smem {
    /// Top bits.
    pub prefix: u32,
    pub dwords: u8,
    pub opcode: Bits,
    pub sdata: Bits,
    /// Half of the first register's number.
    pub sbase: Bits,
    pub cache: CachePolicy,
    pub offset: Bits,
    pub is_signed: bool,
    /// Register offset. Up to gfx9 it stands where the immediate would.
    pub soffset: Bits,
    /// The immediate is used (gfx6 to gfx9).
    pub imm: Bits,
    /// Beside the immediate, or instead of it, this register is used (gfx9).
    pub soffset_en: Bits,
    pub soffset_beside: Bits,
}

const NONE: Bits = Bits::NONE;

#[rustfmt::skip]
static GFX6: Smem = Smem {
    prefix: 0x18 << 27, dwords: 1, opcode: Bits::at(26, 22), sdata: Bits::at(21, 15), sbase: Bits::at(14, 9),
    cache: CachePolicy::NONE,
    offset: Bits::at(7, 0), is_signed: false, soffset: Bits::at(7, 0), imm: Bits::bit(8), soffset_en: NONE, soffset_beside: NONE,
};
#[rustfmt::skip]
static GFX8: Smem = Smem {
    prefix: 0x30 << 26, dwords: 2, opcode: Bits::at(25, 18), sdata: Bits::at(12, 6), sbase: Bits::at(5, 0), cache: CachePolicy { glc: Bits::bit(16), ..CachePolicy::NONE },
    offset: Bits::at(51, 32), soffset: Bits::at(38, 32), imm: Bits::bit(17), ..GFX6
};
#[rustfmt::skip]
static GFX9: Smem = Smem {
    offset: Bits::at(52, 32), is_signed: true, soffset_en: Bits::bit(14), soffset_beside: Bits::at(63, 57), ..GFX8
};
#[rustfmt::skip]
static GFX10: Smem = Smem {
    prefix: 0x3d << 26, cache: CachePolicy { dlc: Bits::bit(14), ..GFX9.cache }, soffset: Bits::at(63, 57), imm: NONE, soffset_en: NONE, soffset_beside: NONE, ..GFX9
};
static GFX11: Smem = Smem { cache: CachePolicy { glc: Bits::bit(14), dlc: Bits::bit(13), ..CachePolicy::NONE }, ..GFX10 };
#[rustfmt::skip]
static GFX12: Smem = Smem {
    opcode: Bits::at(18, 13), cache: CachePolicy { scope: Bits::at(22, 21), th: Bits::at(24, 23), ..CachePolicy::NONE }, offset: Bits::at(55, 32), ..GFX11
};

impl Smem {
    /// Layout of a processor.
    pub(crate) fn of(target: Gfx) -> &'static Smem {
        match target.family() {
            Family::Gfx6 | Family::Gfx7 => &GFX6,
            Family::Gfx8 => &GFX8,
            Family::Gfx9 | Family::Gfx90a | Family::Gfx940 => &GFX9,
            Family::Gfx10 | Family::Gfx103 => &GFX10,
            Family::Gfx11 | Family::Gfx115 => &GFX11,
            Family::Gfx12 => &GFX12,
        }
    }
}

/// Loads, stores and atomics have a cache policy; prefetches, probes and clocks do not.
pub(crate) fn has_policy(ops: &[Opd]) -> bool {
    matches!(ops.first(), Some(Opd::SD(_) | Opd::SS(_))) && ops.contains(&Opd::SOFF)
}

impl Decoder<'_> {
    pub(super) fn smem(&mut self) -> Result1<()> {
        let layout = Smem::of(self.target);
        let row = self.row(Enc::SMEM, layout.opcode.get(&self.first()))?;
        self.start(row, Enc::SMEM, usize::from(layout.dwords))?.smem_fields(layout)
    }
}

impl Decoder<'_> {
    fn smem_fields(&mut self, f: &Smem) -> Result1<()> {
        let w = self.inst.words;
        let row = self.inst.row;
        let sdata = f.sdata.get(&w);
        if has_policy(row.ops) {
            // Atomics of gfx10 have dlc too, as a bit that the hardware ignores.
            f.cache.read(&w, self.target, &mut self.inst.mods);
        } else if self.space == Space::Gfx11 {
            self.zero(f.cache.glc.get(&w) | f.cache.dlc.get(&w))?;
        }
        if !row.ops.contains(&Opd::SOFF) {
            self.zero(f.imm.get(&w))?;
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::SD(ty) | Opd::SS(ty) => self.sdata(sdata, ty)?,
                Opd::SIMM => {
                    // gfx12 keeps five bits.
                    self.zero(if self.space == Space::Gfx12 { sdata >> 5 } else { 0 })?;
                    Operand::Imm(sdata)
                }
                Opd::SBASE(ty) => self.sreg_anywhere(f.sbase.get(&w) << 1, self.width(ty))?,
                Opd::SOFF => self.scalar_offset(f)?,
                Opd::SOFFI => Operand::Imm(f.immediate(&w)),
                Opd::SOFFR => self.sreg(f.soffset.get(&w), 1)?,
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(())
    }

    /// Data of a scalar memory access: not M0, not EXEC.
    fn sdata(&mut self, code: u32, ty: Ty) -> Result1<Operand> {
        if code == self.scalars.m0 || code >= EXEC_LO.into() { Err(self.bad(code)) } else { self.sreg_anywhere(code, self.width(ty)) }
    }

    /// An immediate alone is the operand itself; beside a register it is the `offset:` modifier.
    fn scalar_offset(&mut self, f: &Smem) -> Result1<Operand> {
        let w = self.inst.words;
        let register = f.soffset.get(&w);
        let immediate = f.immediate(&w);
        match self.space {
            Space::Gfx6 | Space::Gfx8 if f.soffset_en.max() == 0 => match f.imm.is_set(&w) {
                true => Ok(Operand::Imm(immediate)),
                false if register == super::LITERAL && self.target.has(Feature::SmemLiteralOffset) => Ok(Operand::Literal(self.literal()?)),
                false => self.sreg(register, 1),
            },
            Space::Gfx6 | Space::Gfx8 => match (f.soffset_en.is_set(&w), f.imm.is_set(&w)) {
                (false, false) => self.sreg(register, 1),
                (false, true) => Ok(Operand::Imm(immediate)),
                (true, has_offset) => {
                    self.inst.mods.has_offset = has_offset;
                    self.inst.mods.offset = if has_offset { immediate as i32 } else { 0 };
                    self.sreg(f.soffset_beside.get(&w), 1)
                }
            },
            Space::Gfx10 | Space::Gfx11 | Space::Gfx12 => {
                let gfx12 = self.space == Space::Gfx12;
                // NULL and no offset: gfx10 and gfx11 print the register, gfx12 the offset.
                if self.is_null(register) && (immediate != 0 || gfx12) {
                    return Ok(Operand::Imm(immediate));
                }
                self.inst.mods.has_offset = immediate != 0 || gfx12;
                self.inst.mods.offset = immediate as i32;
                self.sreg(register, 1)
            }
        }
    }
}

impl Smem {
    /// The immediate offset, sign extended.
    fn immediate(&self, words: &[u32; MAX_DWORDS]) -> u32 {
        let v = self.offset.get(words);
        let unused = 32 - u32::from(self.offset.width);
        if self.is_signed { (((v << unused) as i32) >> unused) as u32 } else { v }
    }
}
