//! MIMG (VIMAGE and VSAMPLE on gfx12). RDNA3 ISA, chapter 15.11, and the same chapters of the other manuals.
//!
//! The registers of an image instruction follow from its modifiers: data from dmask, d16 and tfe; from gfx10 the address from dim, a16 and
//! what the row says an address holds. Before gfx10 nothing tells the length of an address, and LLVM prints the shortest one.

use super::cache::CachePolicy;
use super::{Decoder, Result1};
use crate::bits::Bits;
use crate::feature::Feature;
use crate::inst::{Enc, Mods, Operand};
use crate::memory::MemoryKind;
use crate::memory::image::Dim;
use crate::memory::ray::Form;
use crate::row::{Flags, Opd, Row};
use crate::target::Space;

/// Fields of an image format in one number space.
pub(crate) struct Image {
    /// Fixed bits of the first dword.
    pub prefix: u32,
    /// Dwords without those that NSA adds.
    pub len: u8,
    pub op: Bits,
    /// Bit 7 of the opcode where it stands apart.
    pub op_7: Bits,
    /// Dwords with further addresses: non-sequential address.
    pub nsa: Bits,
    pub dim: Bits,
    pub da: Bits,
    pub unorm: Bits,
    pub dmask: Bits,
    pub cache: CachePolicy,
    pub r128: Bits,
    pub a16: Bits,
    pub d16: Bits,
    /// gfx90a has the bit that tells AGPRs from VGPRs here instead.
    pub tfe: Bits,
    pub lwe: Bits,
    /// The first address, and on gfx12 the next.
    pub vaddr: [Bits; 5],
    pub vdata: Bits,
    /// Number of the first SGPR, in fours before gfx12.
    pub srsrc: Bits,
    /// Number of the first SGPR, in fours before gfx12.
    pub ssamp: Bits,
}

const NO: Bits = Bits::NONE;

const GFX6: Image = Image {
    prefix: 0x3c << 26,
    len: 2,
    op: Bits::at(24, 18),
    op_7: Bits::bit(0),
    nsa: NO,
    dim: NO,
    da: Bits::bit(14),
    unorm: Bits::bit(12),
    dmask: Bits::at(11, 8),
    cache: CachePolicy { glc: Bits::bit(13), slc: Bits::bit(25), scc: Bits::bit(7), ..CachePolicy::NONE },
    r128: Bits::bit(15),
    a16: NO,
    d16: Bits::bit(63),
    tfe: Bits::bit(16),
    lwe: Bits::bit(17),
    vaddr: [Bits::at(39, 32), NO, NO, NO, NO],
    vdata: Bits::at(47, 40),
    srsrc: Bits::at(52, 48),
    ssamp: Bits::at(57, 53),
};
const GFX10: Image = Image {
    nsa: Bits::at(2, 1),
    dim: Bits::at(5, 3),
    da: NO,
    cache: CachePolicy { dlc: Bits::bit(7), scc: NO, ..GFX6.cache },
    a16: Bits::bit(62),
    ..GFX6
};
const GFX11: Image = Image {
    op: Bits::at(25, 18),
    op_7: NO,
    nsa: Bits::bit(0),
    dim: Bits::at(4, 2),
    unorm: Bits::bit(7),
    cache: CachePolicy { glc: Bits::bit(14), slc: Bits::bit(12), dlc: Bits::bit(13), ..CachePolicy::NONE },
    a16: Bits::bit(16),
    d16: Bits::bit(17),
    tfe: Bits::bit(53),
    lwe: Bits::bit(54),
    ssamp: Bits::at(62, 58),
    ..GFX10
};
const VIMAGE: Image = Image {
    prefix: 0x34 << 26,
    len: 3,
    op: Bits::at(21, 14),
    nsa: NO,
    dim: Bits::at(2, 0),
    unorm: NO,
    dmask: Bits::at(25, 22),
    cache: CachePolicy::GFX12,
    r128: Bits::bit(4),
    a16: Bits::bit(6),
    d16: Bits::bit(5),
    tfe: Bits::bit(55),
    lwe: NO,
    vaddr: [Bits::at(71, 64), Bits::at(79, 72), Bits::at(87, 80), Bits::at(95, 88), Bits::at(63, 56)],
    vdata: Bits::at(39, 32),
    srsrc: Bits::at(49, 41),
    ssamp: NO,
    ..GFX11
};
const VSAMPLE: Image = Image {
    prefix: 0x39 << 26,
    unorm: Bits::bit(13),
    tfe: Bits::bit(3),
    lwe: Bits::bit(40),
    vaddr: [VIMAGE.vaddr[0], VIMAGE.vaddr[1], VIMAGE.vaddr[2], VIMAGE.vaddr[3], NO],
    ssamp: Bits::at(63, 55),
    ..VIMAGE
};

/// MIMG by number space; gfx12 has VIMAGE and VSAMPLE.
static MIMG: [Image; 4] = [GFX6, GFX6, GFX10, GFX11];
static GFX12: [Image; 2] = [VIMAGE, VSAMPLE];

/// The layout of an image format.
pub(crate) fn layout(enc: Enc, space: Space) -> &'static Image {
    match enc {
        Enc::VIMAGE => &GFX12[0],
        Enc::VSAMPLE => &GFX12[1],
        _ => &MIMG[(space as usize).min(3)],
    }
}

/// Addresses that can stand in registers of their own; the last of them names a tuple when there are more.
pub(crate) fn spread_limit(enc: Enc, space: Space) -> u8 {
    match (enc, space) {
        (Enc::VSAMPLE, _) => 4,
        (_, Space::Gfx10) => MOST_ADDRESSES as u8,
        _ => 5,
    }
}

/// One in the second dword and four in each of three more.
const MOST_ADDRESSES: usize = 13;

/// Dwords of address that the modifiers ask for.
pub(crate) fn address_dwords(row: &Row, mods: &Mods) -> u8 {
    match row.memory {
        Some(MemoryKind::Image { kind, g16 }) => kind.layout(Dim::from_field(mods.dim.into()), mods.a16, g16).registers,
        _ => 0,
    }
}

/// Shortest and longest address of an instruction.
pub(crate) fn address_bounds(row: &Row) -> (u8, u8) {
    match row.memory {
        Some(MemoryKind::Image { kind, g16 }) => kind.address_bounds(g16),
        _ => (0, 0),
    }
}

/// The fixed modifiers of a ray intersection beside those that are its own.
pub(crate) fn bvh_mods(f: &Image, own: Mods) -> Mods {
    Mods { dmask: 15, unorm: f.unorm != NO, r128: true, ..own }
}

/// Registers that a code names for its address.
struct Addresses {
    n: [u8; MOST_ADDRESSES],
    /// How many of them.
    given: u8,
    /// One by one; else one tuple.
    spread: bool,
}

/// Register counts of one way to encode an image instruction.
struct RegisterCounts {
    data: u8,
    addr: u8,
}

impl Decoder<'_> {
    pub(super) fn mimg(&mut self) -> Result1<()> {
        self.image_format(Enc::MIMG)
    }

    pub(super) fn vimage(&mut self) -> Result1<()> {
        self.image_format(Enc::VIMAGE)
    }

    pub(super) fn vsample(&mut self) -> Result1<()> {
        self.image_format(Enc::VSAMPLE)
    }

    fn image_format(&mut self, enc: Enc) -> Result1<()> {
        let f = layout(enc, self.space);
        let words = self.first_two();
        // The two formats of gfx12 share one number space with MIMG.
        let row = self.row(Enc::MIMG, f.op.get(&words) | f.op_7.get(&words) << 7)?;
        if !row.has(enc) {
            return Err(super::DecodeError::Format { word: self.words[0] });
        }
        self.start(row, enc, usize::from(f.len))?.image_fields(f)
    }

    fn image_fields(&mut self, f: &Image) -> Result1<()> {
        let row = self.inst.row;
        let target = self.inst.target;
        let w = self.inst.words;
        let agpr = target.has(Feature::UnifiedVgprs) && f.tfe.is_set(&w);
        self.inst.mods = Mods {
            dim: f.dim.get(&w) as u8,
            da: f.da.is_set(&w),
            unorm: f.unorm.is_set(&w),
            dmask: f.dmask.get(&w) as u8,
            r128: f.r128.is_set(&w),
            a16: f.a16.is_set(&w),
            d16: f.d16.is_set(&w),
            tfe: f.tfe.is_set(&w) && !target.has(Feature::UnifiedVgprs),
            lwe: f.lwe.is_set(&w),
            ..Mods::default()
        };
        f.cache.read(&w, target, &mut self.inst.mods);
        if target.has(Feature::R128IsA16) {
            self.inst.mods.a16 = self.inst.mods.r128;
            self.inst.mods.r128 = false;
        }
        let nsa = f.nsa.get(&w) as usize;
        if row.flags.contains(Flags::BVH) {
            return self.bvh(f, nsa);
        }
        if self.inst.mods.d16 && (!row.flags.contains(Flags::D16) || !target.has(Feature::D16Images)) {
            return self.reserved();
        }
        if !row.ops.contains(&Opd::SAMP) {
            self.zero(f.ssamp.get(&w))?;
        }
        let addresses = self.addresses(f, nsa)?;
        let shape = self.register_counts(&addresses)?;
        for &opd in row.ops {
            let op = match opd {
                Opd::VDATA(_) => self.data(f.vdata.get(&w), shape.data, agpr)?,
                Opd::IADDR => {
                    self.push_addresses(&addresses, shape.addr)?;
                    continue;
                }
                Opd::RSRC(ty) => self.descriptor(f.srsrc, self.width(ty))?,
                Opd::SAMP => self.descriptor(f.ssamp, 4)?,
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(())
    }

    fn descriptor(&mut self, field: Bits, count: u8) -> Result1<Operand> {
        let fours = if field.width == 5 { 2 } else { 0 };
        match field.get(&self.inst.words) << fours {
            // Nine-bit fields name more than registers, though only those have a meaning.
            code @ 128.. => self.special(code),
            code => self.sreg_anywhere(code, count),
        }
    }

    fn addresses(&mut self, f: &Image, nsa: usize) -> Result1<Addresses> {
        let mut a = Addresses { n: [0; MOST_ADDRESSES], given: 1, spread: false };
        for (n, field) in a.n.iter_mut().zip(f.vaddr) {
            *n = field.get(&self.inst.words) as u8;
        }
        if self.inst.enc != Enc::MIMG {
            return Ok(Addresses { given: spread_limit(self.inst.enc, Space::Gfx12), spread: true, ..a });
        }
        for i in 0..nsa {
            let more = self.word(2 + i)?.to_le_bytes();
            a.n[1 + 4 * i..5 + 4 * i].copy_from_slice(&more);
        }
        Ok(Addresses { given: 1 + 4 * nsa as u8, spread: nsa > 0, ..a })
    }

    /// Registers of data: those that can be asked for, and what the modifiers ask for if some encoding has it.
    fn data_dwords(&self) -> (u8, Option<u8>) {
        let row = self.inst.row;
        let mods = &self.inst.mods;
        let atomic = row.flags.contains(Flags::ATOMIC);
        let gather = row.flags.contains(Flags::GATHER);
        let base = match row.ops.first() {
            _ if gather => 4,
            Some(Opd::VDATA(ty)) => self.width(*ty),
            _ => 1,
        };
        let mut data = if gather { 4 } else { (mods.dmask.count_ones() as u8).max(1) };
        if mods.d16 && !self.inst.target.has(Feature::UnpackedD16) {
            data = data.div_ceil(2);
        }
        data += u8::from(mods.tfe);
        let encoded = match base {
            4 => !row.ops.contains(&Opd::SAMP) || data != 3,
            2 => matches!(data, 2 | 4),
            _ => !atomic || matches!(data, 1 | 2 | 4),
        };
        // LLVM's four-dword form of single-value atomics names five registers.
        if atomic && base == 1 && data == 4 {
            data = 5;
        }
        (base, encoded.then_some(data))
    }

    /// The counts the modifiers ask for, or the instruction's base counts where no encoding has those: LLVM keeps its first match then, and
    /// so do we, because the hardware's answer to such code is not defined.
    fn register_counts(&self, a: &Addresses) -> Result1<RegisterCounts> {
        let row = self.inst.row;
        let enc = self.inst.enc;
        let space = self.space;
        let (base_data, data) = self.data_dwords();
        let vdata = layout(enc, space).vdata.get(&self.inst.words);
        let fits = |n: u32, count: u8| n + u32::from(count) <= 256;
        let data = data.filter(|&d| fits(vdata, d));
        let (least, most) = address_bounds(row);
        if !fits(vdata, base_data) || !a.spread && !fits(u32::from(a.n[0]), least) {
            return self.reserved();
        }
        if space == Space::Gfx6 {
            return Ok(RegisterCounts { data: self.assembled_data_dwords(base_data)?, addr: least });
        }
        if space < Space::Gfx10 {
            return Ok(RegisterCounts { data: data.unwrap_or(base_data), addr: least });
        }
        let base_addr = if a.spread { self.base_addresses(a, most)? } else { least };
        let addr = address_dwords(row, &self.inst.mods);
        let limit = spread_limit(enc, space);
        let addr_ok = match space {
            _ if !a.spread => (addr <= most || addr == most.next_power_of_two()) && fits(u32::from(a.n[0]), addr),
            Space::Gfx10 => (2..=base_addr).contains(&addr),
            _ => {
                let first = if enc == Enc::MIMG { 2 } else { 1 };
                let last = u32::from(a.n[usize::from(limit) - 1]);
                (first..=most).contains(&addr) && (addr <= limit || fits(last, addr + 1 - limit))
            }
        };
        Ok(match data {
            Some(data) if addr_ok => RegisterCounts { data, addr },
            _ => RegisterCounts { data: base_data, addr: base_addr },
        })
    }

    /// Data registers on gfx6 and gfx7. LLVM's assembler is the measure there, and takes only data that fits the modifiers.
    fn assembled_data_dwords(&self, base: u8) -> Result1<u8> {
        let flags = self.inst.row.flags;
        let mods = &self.inst.mods;
        let gather = flags.contains(Flags::GATHER);
        let data = if gather { 4 } else { (mods.dmask.count_ones() as u8).max(1) } + u8::from(mods.tfe);
        let legal = if flags.contains(Flags::ATOMIC) {
            matches!(mods.dmask, 1 | 3 | 15) && data >= base && (base == 2 || data != 4)
        } else {
            !gather || mods.dmask.is_power_of_two()
        };
        if legal { Ok(data) } else { self.reserved() }
    }

    /// Addresses that an instruction with spread addresses names before its modifiers are looked at.
    fn base_addresses(&self, a: &Addresses, most: u8) -> Result1<u8> {
        // A further dword of addresses must be needed by some form of the instruction.
        if self.inst.enc == Enc::MIMG && a.given - 4 >= most {
            return self.reserved();
        }
        // gfx12's instructions with one address have zeros in place of the others.
        let single = self.inst.enc == Enc::VIMAGE && a.n[1..].iter().all(|&n| n == 0);
        let base = if single { 1 } else { most.min(a.given) };
        if self.inst.enc != Enc::MIMG && a.n[usize::from(base)..].iter().any(|&n| n != 0) {
            return self.reserved();
        }
        Ok(base)
    }

    fn push_addresses(&mut self, a: &Addresses, addr: u8) -> Result1<()> {
        if !a.spread {
            let op = self.vgpr(u32::from(a.n[0]), addr)?;
            self.push(op);
            return Ok(());
        }
        let limit = spread_limit(self.inst.enc, self.space);
        for i in 0..addr.min(limit) {
            let count = if i + 1 == limit { addr - i } else { 1 };
            let op = self.vgpr(u32::from(a.n[usize::from(i)]), count)?;
            self.push(op);
        }
        Ok(())
    }

    /// Ray intersection: node, extent, origin, direction and inverse direction (halves packed in three dwords with a16).
    fn bvh(&mut self, f: &Image, nsa: usize) -> Result1<()> {
        let mods = Mods { a16: self.inst.mods.a16, ..Mods::default() };
        if self.inst.mods != bvh_mods(f, mods) {
            return self.reserved();
        }
        self.inst.mods = mods;
        self.zero(f.ssamp.get(&self.inst.words))?;
        let data = self.vgpr(f.vdata.get(&self.inst.words), 4)?;
        self.push(data);
        let node = if self.inst.row.memory == Some(MemoryKind::Ray(Form::Bvh64)) { 2 } else { 1 };
        let tuples: &[u8] = if mods.a16 { &[node, 1, 3, 3] } else { &[node, 1, 3, 3, 3] };
        let dwords: u8 = tuples.iter().sum();
        let a = self.addresses(f, nsa)?;
        if !a.spread {
            self.push_addresses(&a, dwords)?;
        } else if self.space == Space::Gfx10 {
            if nsa != usize::from(dwords - 1).div_ceil(4) {
                return self.reserved();
            }
            self.push_addresses(&a, dwords)?;
        } else {
            self.zero(a.n[tuples.len()..].iter().map(|&n| u32::from(n)).sum::<u32>() * u32::from(self.inst.enc == Enc::VIMAGE))?;
            for (&n, &count) in a.n.iter().zip(tuples) {
                let op = self.vgpr(u32::from(n), count)?;
                self.push(op);
            }
        }
        let rsrc = self.descriptor(f.srsrc, 4)?;
        self.push(rsrc);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{DisasmOptions, Gfx, decode, disasm};

    #[test]
    fn derivatives_of_16_bits_make_the_longest_address_shorter() {
        // image_sample_c_d_g16 has eight dwords of address at most, never ten.
        let words = |dwords: u32| [0xf2a9_0ec1 | dwords << 1, 0x3fc4_5f30, 0x56a6_1166, 0x354c_d81f, 0xb1e6_b870];
        assert!(decode(&words(2), Gfx(0x1010), 32).is_ok() && decode(&words(3), Gfx(0x1010), 32).is_err());
    }

    // The first three as LLVM 19 prints them; of the others it shows the first address only, though its assembler makes this code of the
    // text here.
    #[test]
    fn addresses_of_gfx12_that_are_all_v0_are_still_addresses() {
        let cases: [([u32; 3], &str); 6] = [
            ([0xd0c2_c000, 0x0080_1000, 4], "image_atomic_cmpswap v[0:1], v4, s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_1D tfe"),
            ([0xd0c2_c000, 0x0080_1000, 0x504], "image_atomic_cmpswap v[0:1], [v4, v5, v0, v0], s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_1D tfe"),
            ([0xd043_0000, 0x0080_1000, 4], "image_atomic_add_uint v[0:1], v4, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D tfe"),
            ([0xd043_0001, 0x0080_1000, 4], "image_atomic_add_uint v[0:1], [v4, v0], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe"),
            ([0xd3c0_0001, 0x0000_1000, 4], "image_load v[0:3], [v4, v0], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D"),
            ([0xd0c2_c002, 0x0000_1000, 4], "image_atomic_cmpswap v[0:1], [v4, v0, v0], s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_3D"),
        ];
        for (words, text) in cases {
            let inst = decode(&words, Gfx(0x1200), 32).expect(text);
            assert_eq!(disasm(&inst, Gfx(0x1200), &DisasmOptions::default()), text);
        }
    }
}
