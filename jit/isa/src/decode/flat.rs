//! FLAT, GLOBAL and SCRATCH. RDNA3 ISA, chapter 15.9; gfx12 calls them VFLAT, VGLOBAL and VSCRATCH.
//!
//! The segment decides how an address is made:
//!
//! ```text
//! FLAT     64-bit vaddr
//! GLOBAL   64-bit vaddr, or scalar base + 32-bit vaddr
//! SCRATCH  base + vaddr or base + saddr; from gfx94x and gfx11 both or none too (gfx10.3: none)
//! ```

use super::cache::CachePolicy;
use super::{DecodeError, Decoder, Result1};
use crate::beyond::{Beyond, Tolerance};
use crate::bits::Bits;
use crate::feature::Feature;
use crate::inst::{Enc, Operand};
use crate::row::{Flags, Opd, Row, Ty};
use crate::target::{Family, Gfx, Space};

/// Fields of a FLAT instruction.
pub(crate) struct Flat {
    pub dwords: u8,
    /// The format's six bits.
    pub prefix: u32,
    pub op: Bits,
    /// 0 FLAT, 1 SCRATCH, 2 GLOBAL.
    pub segment: Bits,
    pub addr: Bits,
    pub data: Bits,
    pub vdst: Bits,
    pub saddr: Bits,
    /// SCRATCH uses vaddr.
    pub sve: Bits,
    /// The load writes LDS.
    pub lds: Bits,
    /// Data and result are AGPRs.
    pub acc: Bits,
    /// Must be zero.
    pub zero: Bits,
    pub offset: Bits,
    pub cache: CachePolicy,
    /// Code of saddr that says there is none, in FLAT and elsewhere.
    pub flat_saddr: u32,
    pub no_saddr: u32,
    /// Code of saddr that says there is neither scalar nor vector address (gfx10 SCRATCH).
    pub no_address: Option<u32>,
}

/// Code of saddr that says there is none, beside NULL, where [`Tolerance::SADDR_OFF`] holds.
const SADDR_OFF: u32 = 0x7f;

/// Fields that most families have in one place.
const BASE: Flat = Flat {
    dwords: 2,
    prefix: 0x37,
    op: Bits::at(24, 18),
    segment: Bits::NONE,
    addr: Bits::at(39, 32),
    data: Bits::at(47, 40),
    vdst: Bits::at(63, 56),
    saddr: Bits::at(54, 48),
    sve: Bits::NONE,
    lds: Bits::NONE,
    acc: Bits::bit(55),
    zero: Bits::NONE,
    offset: Bits::NONE,
    cache: CachePolicy { glc: Bits::bit(16), slc: Bits::bit(17), ..CachePolicy::NONE },
    flat_saddr: 0,
    no_saddr: 0x7f,
    no_address: None,
};
static GFX7: Flat = BASE;
/// The offset came with gfx9; LLVM reads it on gfx8.
static GFX8: Flat = Flat {
    segment: Bits::at(15, 14),
    lds: Bits::bit(13),
    offset: Bits::at(12, 0),
    cache: CachePolicy { scc: Bits::bit(25), ..BASE.cache },
    ..BASE
};
static GFX94X: Flat = Flat { sve: Bits::bit(13), lds: Bits::NONE, ..GFX8 };
static GFX10: Flat = Flat {
    segment: Bits::at(15, 14),
    lds: Bits::bit(13),
    acc: Bits::NONE,
    zero: Bits::bit(55),
    offset: Bits::at(11, 0),
    cache: CachePolicy { dlc: Bits::bit(12), ..BASE.cache },
    flat_saddr: 0x7d,
    no_saddr: 0x7d,
    no_address: Some(0x7f),
    ..BASE
};
static GFX11: Flat = Flat {
    segment: Bits::at(17, 16),
    sve: Bits::bit(55),
    acc: Bits::NONE,
    offset: Bits::at(12, 0),
    cache: CachePolicy { dlc: Bits::bit(13), glc: Bits::bit(14), slc: Bits::bit(15), ..CachePolicy::NONE },
    flat_saddr: 0x7c,
    no_saddr: 0x7c,
    ..BASE
};
static GFX12: Flat = Flat {
    dwords: 3,
    prefix: 0x3b,
    op: Bits::at(21, 14),
    segment: Bits::at(25, 24),
    addr: Bits::at(71, 64),
    data: Bits::at(62, 55),
    vdst: Bits::at(39, 32),
    saddr: Bits::at(6, 0),
    sve: Bits::bit(49),
    lds: Bits::NONE,
    acc: Bits::NONE,
    zero: Bits::NONE,
    offset: Bits::at(95, 72),
    cache: CachePolicy::GFX12,
    flat_saddr: 0x7c,
    no_saddr: 0x7c,
    no_address: None,
};

impl Flat {
    /// The layout of a processor.
    pub(crate) fn of(target: Gfx) -> &'static Flat {
        match (target.space(), target.family()) {
            (Space::Gfx6, _) => &GFX7,
            (_, Family::Gfx940) => &GFX94X,
            (Space::Gfx8, _) => &GFX8,
            (Space::Gfx10, _) => &GFX10,
            (Space::Gfx11, _) => &GFX11,
            (Space::Gfx12, _) => &GFX12,
        }
    }

    /// SCRATCH says with a bit of its own whether it uses vaddr.
    pub(crate) fn has_sve(&self) -> bool {
        self.sve.width != 0
    }
}

/// Is the offset signed?
pub(crate) fn has_signed_offset(enc: Enc, target: Gfx) -> bool {
    enc != Enc::FLAT || target.space() == Space::Gfx12
}

/// A float atomic: gfx908's and gfx90a's have no scc bit.
fn is_float_atomic(row: &Row) -> bool {
    row.flags.contains(Flags::ATOMIC) && row.ops.iter().any(|o| matches!(o, Opd::DA(Ty::F32 | Ty::F64 | Ty::F16X2 | Ty::BF16X2)))
}

/// Is scalar address 0x7f another way to say that there is none?
fn saddr_may_be_off(target: Gfx) -> bool {
    Beyond::of(Tolerance::SADDR_OFF).is_some_and(|b| b.on.has(target))
}

impl Decoder<'_> {
    pub(super) fn flat(&mut self) -> Result1<()> {
        let layout = Flat::of(self.target);
        let first = self.first();
        let enc = match layout.segment.get(&first) {
            0 => Enc::FLAT,
            1 => Enc::SCRATCH,
            2 => Enc::GLOBAL,
            _ => return Err(DecodeError::Format { word: first[0] }),
        };
        let row = self.row(enc, layout.op.get(&first))?;
        self.start(row, enc, usize::from(layout.dwords))?.flat_fields(layout)
    }
}

impl Decoder<'_> {
    fn flat_fields(&mut self, layout: &Flat) -> Result1<()> {
        let row = self.inst.row;
        let enc = self.inst.enc;
        let words = self.inst.words;
        let mut saddr = layout.saddr.get(&words);
        let sve = layout.sve.is_set(&words);
        let acc = layout.acc.is_set(&words);
        let lds = layout.lds.is_set(&words);
        let no_address = enc == Enc::SCRATCH && layout.no_address == Some(saddr) && self.has_no_address(lds);
        if saddr == SADDR_OFF && enc != Enc::FLAT && !no_address && layout.no_saddr != SADDR_OFF && saddr_may_be_off(self.target) {
            self.tolerate(Tolerance::SADDR_OFF);
            saddr = layout.no_saddr;
        }
        let has_saddr = !no_address && saddr != if enc == Enc::FLAT { layout.flat_saddr } else { layout.no_saddr };
        let has_vaddr = match enc {
            Enc::SCRATCH if layout.has_sve() => sve,
            Enc::SCRATCH => !has_saddr && !no_address,
            _ => true,
        };
        if enc == Enc::FLAT && has_saddr || enc != Enc::SCRATCH && sve {
            return self.reserved();
        }
        if row.ops.is_empty() && has_saddr || lds && !row.flags.contains(Flags::LDS) {
            return self.reserved();
        }
        self.zero(layout.zero.get(&words))?;
        if self.space == Space::Gfx6 {
            // No offset yet; LLVM's assembler writes zeros there.
            self.zero(words[0] & 0xffff)?;
        }
        let target = self.target;
        let mods = &mut self.inst.mods;
        layout.cache.read(&words, target, mods);
        mods.lds = lds;
        let offset = layout.offset.get(&words);
        mods.offset = if has_signed_offset(enc, self.target) { layout.offset.signed(offset) } else { offset as i32 };
        if row.ops.is_empty() {
            mods.offset = 0;
        }
        let returns = mods.glc || mods.th & 1 != 0;
        if row.flags.contains(Flags::ATOMIC) {
            if returns && !row.ops.iter().any(|o| matches!(o, Opd::RD(_) | Opd::D(_))) {
                return self.reserved();
            }
            if self.target.has(Feature::FloatAtomicsWithoutScc) && is_float_atomic(row) {
                self.zero(layout.cache.scc.get(&words))?;
            }
        }
        let mut has_data = false;
        for &opd in row.ops {
            let op = match opd {
                Opd::RD(_) if !returns => continue,
                Opd::D(_) if lds => continue,
                Opd::D(ty) | Opd::RD(ty) => self.memory_data(layout.vdst.get(&words), self.width(ty), acc)?,
                Opd::DA(ty) => self.memory_data(layout.data.get(&words), self.width(ty), acc)?,
                Opd::ADDR if !has_vaddr => Operand::Off,
                Opd::ADDR => self.vgpr(layout.addr.get(&words), if enc == Enc::SCRATCH || has_saddr { 1 } else { 2 })?,
                Opd::SADDR if !has_saddr => Operand::Off,
                // EXEC_HI is not a scratch offset.
                Opd::SADDR if enc == Enc::SCRATCH && saddr == 127 => return Err(self.bad(saddr)),
                Opd::SADDR => self.sreg(saddr, if enc == Enc::SCRATCH { 1 } else { 2 })?,
                _ => return self.reserved(),
            };
            has_data |= matches!(opd, Opd::D(_) | Opd::RD(_) | Opd::DA(_));
            self.push(op);
        }
        if !has_data {
            self.zero(layout.acc.get(&words))?;
        }
        Ok(())
    }

    /// gfx10.3 can leave out both addresses of SCRATCH. LLVM reads that on gfx10.1 too where the load writes LDS.
    fn has_no_address(&self, lds: bool) -> bool {
        self.target.has(Feature::ScratchWithoutAddress) || lds
    }
}

#[cfg(test)]
mod tests {
    use crate::{Gfx, Half, Operand, decode, encode};

    #[test]
    fn scratch_without_addresses_came_with_gfx10_3() {
        let words = [0xdc30_4010, 0x017f_0000]; // scratch_load_dword v1, off, off offset:16
        let i = decode(&words, Gfx(0x1030), 32).unwrap();
        assert_eq!(i.ops(), [Operand::Vgpr { n: 1, count: 1, half: Half::Whole }, Operand::Off, Operand::Off]);
        assert_eq!(encode(&i).unwrap().dwords(), words);
        assert!(decode(&words, Gfx(0x1010), 32).is_err());
    }

    #[test]
    fn offsets_are_signed_outside_the_flat_segment() {
        let offset = |words: [u32; 3], target| decode(&words, Gfx(target), 32).unwrap().mods.offset;
        assert_eq!(offset([0xdc50_1fff, 0x0100_0002, 0], 0x906), 0x1fff, "flat");
        assert_eq!(offset([0xdc50_9fff, 0x017f_0002, 0], 0x906), -1, "global");
        assert_eq!(offset([0xdc30_8fff, 0x017d_0002, 0], 0x1010), -1, "global, twelve bits");
        assert_eq!(offset([0xec05_007c, 0x0000_0001, 0xffff_ff02], 0x1200), -1, "gfx12: flat too");
    }

    #[test]
    fn atomics_return_where_glc_or_th_says_so() {
        let count = |words: [u32; 3], target| decode(&words, Gfx(target), 32).unwrap().ops().len();
        assert_eq!(count([0xdd08_0000, 0x0100_0302, 0], 0x906), 2);
        assert_eq!(count([0xdd09_0000, 0x0100_0302, 0], 0x906), 3);
        assert_eq!(count([0xec0d_407c, 0x0190_0001, 2], 0x1200), 3);
    }
}
