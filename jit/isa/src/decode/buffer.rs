//! MUBUF and MTBUF (VBUFFER on gfx12). RDNA3 ISA, chapter 15.9, and the same chapters of the other manuals.

use super::cache::CachePolicy;
use super::{Decoder, LDS_DIRECT, LITERAL, Result1};
use crate::bits::Bits;
use crate::feature::Feature;
use crate::inst::{Enc, Mods, Operand};
use crate::row::{Flags, Opd, Ty};
use crate::target::{Family, Space};

/// Fields of a buffer format in one number space.
pub(crate) struct Buffer {
    /// Fixed bits of the first dword.
    pub prefix: u32,
    /// Dwords.
    pub len: u8,
    pub op: Bits,
    /// Bit 3 of the opcode where it stands apart (MTBUF of gfx10).
    pub op_3: Bits,
    pub offset: Bits,
    pub offen: Bits,
    pub idxen: Bits,
    pub addr64: Bits,
    pub lds: Bits,
    pub cache: CachePolicy,
    pub format: Bits,
    pub vaddr: Bits,
    pub vdata: Bits,
    /// Number of the first SGPR, in fours before gfx12.
    pub srsrc: Bits,
    /// Before gfx11 gfx90a and gfx940 have the bit that tells AGPRs from VGPRs here instead.
    pub tfe: Bits,
    pub soffset: Bits,
}

const NO: Bits = Bits::NONE;

/// What all but gfx12 share.
const GFX6: Buffer = Buffer {
    prefix: 0x38 << 26,
    len: 2,
    op: Bits::at(24, 18),
    op_3: NO,
    offset: Bits::at(11, 0),
    offen: Bits::bit(12),
    idxen: Bits::bit(13),
    addr64: Bits::bit(15),
    lds: Bits::bit(16),
    cache: CachePolicy { glc: Bits::bit(14), slc: Bits::bit(54), ..CachePolicy::NONE },
    format: NO,
    vaddr: Bits::at(39, 32),
    vdata: Bits::at(47, 40),
    srsrc: Bits::at(52, 48),
    tfe: Bits::bit(55),
    soffset: Bits::at(63, 56),
};
const GFX8: Buffer = Buffer { addr64: NO, cache: CachePolicy { slc: Bits::bit(17), scc: Bits::bit(15), ..GFX6.cache }, ..GFX6 };
const GFX10: Buffer = Buffer { op: Bits::at(25, 18), addr64: NO, cache: CachePolicy { dlc: Bits::bit(15), ..GFX6.cache }, ..GFX6 };
const GFX11: Buffer = Buffer {
    op: Bits::at(25, 18),
    offen: Bits::bit(54),
    idxen: Bits::bit(55),
    addr64: NO,
    lds: NO,
    cache: CachePolicy { slc: Bits::bit(12), dlc: Bits::bit(13), ..GFX6.cache },
    tfe: Bits::bit(53),
    ..GFX6
};
const GFX12: Buffer = Buffer {
    prefix: 0x31 << 26,
    len: 3,
    op: Bits::at(21, 14),
    op_3: NO,
    offset: Bits::at(95, 72),
    offen: Bits::bit(62),
    idxen: Bits::bit(63),
    addr64: NO,
    lds: NO,
    cache: CachePolicy::GFX12,
    format: NO,
    vaddr: Bits::at(71, 64),
    vdata: Bits::at(39, 32),
    srsrc: Bits::at(49, 41),
    tfe: Bits::bit(22),
    soffset: Bits::at(6, 0),
};

/// Fixed bits and fields that MTBUF adds or moves.
const MTBUF_PREFIX: u32 = 0x3a << 26;
const FORMAT: Bits = Bits::at(25, 19);
/// Untyped instructions ignore it.
pub(crate) const FORMAT_GFX12: Bits = Bits::at(61, 55);

/// By number space.
static MUBUF: [Buffer; 5] = [GFX6, GFX8, GFX10, GFX11, GFX12];
static MTBUF: [Buffer; 5] = [
    Buffer { prefix: MTBUF_PREFIX, op: Bits::at(18, 16), format: FORMAT, lds: NO, ..GFX6 },
    Buffer {
        prefix: MTBUF_PREFIX,
        op: Bits::at(18, 15),
        format: FORMAT,
        lds: NO,
        cache: CachePolicy { slc: Bits::bit(54), scc: Bits::bit(53), ..GFX8.cache },
        ..GFX8
    },
    Buffer { prefix: MTBUF_PREFIX, op: Bits::at(18, 16), op_3: Bits::bit(53), format: FORMAT, lds: NO, ..GFX10 },
    Buffer { prefix: MTBUF_PREFIX, op: Bits::at(18, 15), format: FORMAT, ..GFX11 },
    // gfx12 has one format; its typed instructions are numbered from 128.
    Buffer { prefix: GFX12.prefix | 0x80 << 14, op: Bits::at(17, 14), format: FORMAT_GFX12, ..GFX12 },
];

/// The layout of MUBUF or MTBUF.
pub(crate) fn layout(enc: Enc, space: Space) -> &'static Buffer {
    if enc == Enc::MTBUF { &MTBUF[space as usize] } else { &MUBUF[space as usize] }
}

impl Decoder<'_> {
    /// Any buffer instruction of gfx12.
    pub(super) fn vbuffer(&mut self) -> Result1<()> {
        match (self.words[0] >> 18) & 15 {
            0..8 => self.mubuf(),
            8 => self.mtbuf(),
            _ => Err(super::DecodeError::Format { word: self.words[0] }),
        }
    }

    pub(super) fn mubuf(&mut self) -> Result1<()> {
        self.buffer_format(Enc::MUBUF)
    }

    pub(super) fn mtbuf(&mut self) -> Result1<()> {
        self.buffer_format(Enc::MTBUF)
    }

    fn buffer_format(&mut self, enc: Enc) -> Result1<()> {
        let f = layout(enc, self.space);
        let words = self.first_two();
        let row = self.row(enc, f.op.get(&words) | f.op_3.get(&words) << 3)?;
        self.start(row, enc, usize::from(f.len))?.buffer_fields(f)
    }

    fn buffer_fields(&mut self, f: &Buffer) -> Result1<()> {
        let row = self.inst.row;
        let w = self.inst.words;
        let target = self.inst.target;
        let agpr = target.has(Feature::UnifiedVgprs) && f.tfe.is_set(&w);
        let mut mods = Mods {
            offset: f.offset.get(&w) as i32,
            offen: f.offen.is_set(&w),
            idxen: f.idxen.is_set(&w),
            addr64: f.addr64.is_set(&w),
            lds: f.lds.is_set(&w),
            format: f.format.get(&w) as u8,
            tfe: f.tfe.is_set(&w) && !target.has(Feature::UnifiedVgprs),
            ..Mods::default()
        };
        f.cache.read(&w, target, &mut mods);
        if target.space() == Space::Gfx12 {
            mods.offset = mods.offset << 8 >> 8;
        }
        if row.ops.is_empty() {
            self.inst.mods = mods;
            return self.cache_control(f);
        }
        let address = mods.offen || mods.idxen;
        if mods.addr64 && address || mods.tfe && row.flags.contains(Flags::NOTFE) {
            return self.reserved();
        }
        // LLVM's assembler, the measure for gfx6 and gfx7, knows that a store returns nothing.
        if mods.tfe && row.flags.contains(Flags::STORE) && target.space() == Space::Gfx6 {
            return self.reserved();
        }
        if row.flags.contains(Flags::ATOMIC) && self.atomic_lacks_cache_bit(f) {
            return self.reserved();
        }
        // Data that goes to LDS or comes from there is in no registers, and nothing comes with it.
        let direct = row.flags.contains(Flags::LDS) && !row.ops.contains(&Opd::VADDR);
        if mods.lds && (!row.flags.contains(Flags::LDS) || f.tfe.is_set(&w)) || direct && (!mods.lds || address || f.tfe.is_set(&w)) {
            return self.reserved();
        }
        self.inst.mods = mods;
        for &opd in row.ops {
            let op = match opd {
                Opd::VDATA(_) if mods.lds => continue,
                Opd::VDATA(ty) => self.data(f.vdata.get(&w), self.width(ty) + u8::from(mods.tfe), agpr)?,
                Opd::VADDR if !address && !mods.addr64 => Operand::Off,
                Opd::VADDR => self.vgpr(f.vaddr.get(&w), 1 + u8::from(mods.offen && mods.idxen || mods.addr64))?,
                Opd::RSRC(ty) => {
                    let fours = if f.srsrc.width == 5 { 2 } else { 0 };
                    self.sreg_anywhere(f.srsrc.get(&w) << fours, self.width(ty))?
                }
                Opd::SOFFSET if f.soffset.get(&w) == LDS_DIRECT => return Err(self.bad(LDS_DIRECT)),
                // Memory instructions have literals from gfx10.
                Opd::SOFFSET if f.soffset.get(&w) == LITERAL && target.space() < Space::Gfx10 => return Err(self.bad(LITERAL)),
                Opd::SOFFSET => self.ssrc(f.soffset.get(&w), Ty::B32)?,
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(())
    }

    /// Is a cache policy bit set that atomics do not have? That is dlc on gfx10 and, where floats are added or compared, scc on gfx90a
    /// and glc on gfx908.
    fn atomic_lacks_cache_bit(&self, f: &Buffer) -> bool {
        let w = &self.inst.words;
        let float = matches!(self.inst.row.ops.first(), Some(Opd::VDATA(Ty::F32 | Ty::F64 | Ty::F16X2)));
        match self.family {
            Family::Gfx10 | Family::Gfx103 => f.cache.dlc.is_set(w),
            Family::Gfx90a => float && f.cache.scc.is_set(w),
            // gfx908 returns nothing.
            Family::Gfx9 => float && f.cache.glc.is_set(w),
            _ => false,
        }
    }

    /// Instructions on caches: address and data fields are ignored, modifiers must be clear, but for the scope of gfx90a and gfx940.
    fn cache_control(&mut self, f: &Buffer) -> Result1<()> {
        let m = self.inst.mods;
        let scoped = self.inst.row.flags.contains(Flags::SCOPED);
        if m.offen || m.idxen || m.addr64 || m.lds || m.dlc || f.tfe.is_set(&self.inst.words) {
            return self.reserved();
        }
        if !scoped && (m.glc || f.cache.scc.is_set(&self.inst.words)) {
            return self.reserved();
        }
        // gfx90a has the bits without a meaning.
        let shown = scoped && self.target.has(Feature::Sc0Sc1);
        self.inst.mods = Mods { glc: m.glc && shown, scc: m.scc && shown, ..Mods::default() };
        Ok(())
    }

    /// Data register tuple of a memory instruction.
    pub(super) fn data(&self, n: u32, count: u8, agpr: bool) -> Result1<Operand> {
        let op = self.vgpr(n, count)?;
        Ok(if agpr { Operand::Agpr { n: n as u16, count } } else { op })
    }
}
