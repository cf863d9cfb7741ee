//! MIMG. RDNA3 ISA, chapter 15.11.

use super::{Build, Decoder, Result1};
use crate::isa::inst::{Enc, Inst};
use crate::isa::row::{Flags, Opd};

impl Decoder<'_> {
    pub(super) fn mimg(self) -> Result1<Inst> {
        let row = self.row(Enc::MIMG, (self.words[0] >> 18) & 0xff)?;
        self.start(row, Enc::MIMG, 2)?.mimg()
    }
}

/// What a dimension adds to an address: coordinates and gradients per direction.
struct Dim {
    coords: u8,
    gradients: u8,
}

/// By `dim`: 1D, 2D, 3D, CUBE, 1D_ARRAY, 2D_ARRAY, 2D_MSAA, 2D_MSAA_ARRAY.
const DIMS: [Dim; 8] = [
    Dim { coords: 1, gradients: 1 },
    Dim { coords: 2, gradients: 2 },
    Dim { coords: 3, gradients: 3 },
    Dim { coords: 3, gradients: 2 },
    Dim { coords: 2, gradients: 1 },
    Dim { coords: 3, gradients: 2 },
    Dim { coords: 3, gradients: 2 },
    Dim { coords: 4, gradients: 2 },
];

/// Address components a mnemonic asks for, from the parts of its name.
struct Parts {
    extra: u8,
    gradients: bool,
    coords: bool,
    lod: bool,
}

fn parts(name: &str) -> Parts {
    let mut p = Parts { extra: 0, gradients: false, coords: true, lod: false };
    for part in name.split('_').skip(2) {
        match part {
            "o" | "c" | "b" => p.extra += 1,
            "d" => p.gradients = true,
            "l" | "cl" | "mip" => p.lod = true,
            "resinfo" => {
                p.coords = false;
                p.lod = true;
            }
            _ => {}
        }
    }
    p
}

/// Register counts of one way to encode an image instruction.
struct Shape {
    data: u8,
    addr: u8,
    /// Address registers print one by one even beyond what `addr` needs.
    spread: bool,
}

impl Build<'_> {
    /// Dwords of address by the RDNA3 rules: offset, bias, compare, gradients, coordinates, lod; a16 packs coordinates and lod in pairs of
    /// halves, g16 the gradients of each direction.
    fn address_dwords(&self, p: &Parts, dim: usize, a16: bool) -> u8 {
        let dim = &DIMS[dim];
        let g16 = self.inst.row.flags.contains(Flags::G16);
        let body = if p.coords { dim.coords } else { 0 } + u8::from(p.lod);
        let gradients = match (p.gradients, g16) {
            (false, _) => 0,
            (true, false) => 2 * dim.gradients,
            (true, true) => 2 * dim.gradients.div_ceil(2),
        };
        p.extra + gradients + if a16 { body.div_ceil(2) } else { body }
    }

    /// The counts the modifiers ask for, or the instruction's base counts where no encoding has those: LLVM keeps its first match then, and
    /// so do we, because the hardware's answer to such code is not defined.
    fn shape(&self, nsa: bool) -> Result1<Shape> {
        let row = self.inst.row;
        let mods = &self.inst.mods;
        let sampler = row.ops.contains(&Opd::SAMP);
        let atomic = row.flags.contains(Flags::ATOMIC);
        let p = parts(row.name);
        let addr = self.address_dwords(&p, usize::from(mods.dim), mods.a16);
        let most = match (sampler, p.coords) {
            (true, _) => self.address_dwords(&p, 2, false),
            (false, true) => 4,
            (false, false) => 1,
        };
        let least = p.extra + u8::from(p.gradients) + 1;
        let addr_ok = if nsa { (2..=most).contains(&addr) } else { addr <= most || addr == most.next_power_of_two() };
        let base_data = if row.flags.contains(Flags::GATHER) {
            4
        } else if row.name == "image_atomic_cmpswap" {
            2
        } else {
            1
        };
        let mut data = if row.flags.contains(Flags::GATHER) { 4 } else { (mods.dmask.count_ones() as u8).max(1) };
        if mods.d16 {
            data = data.div_ceil(2);
        }
        data += u8::from(mods.tfe);
        let data_ok = match base_data {
            4 => !sampler || data != 3,
            2 => matches!(data, 2 | 4),
            _ => !atomic || matches!(data, 1 | 2 | 4),
        };
        // LLVM's four-dword form of single-value atomics names five registers.
        if atomic && base_data == 1 && data == 4 {
            data = 5;
        }
        let hi = self.inst.words[1];
        let fits = |n: u32, count: u8| n + u32::from(count) <= 256;
        let addr_fits = if nsa {
            let last = if addr > 5 { self.d.words.get(2).map_or(0, |w| w >> 24) } else { 0 };
            addr <= 5 || fits(last, addr - 4)
        } else {
            fits(hi & 0xff, addr)
        };
        // The base counts must fit in any case.
        if !fits((hi >> 8) & 0xff, base_data) || !nsa && !fits(hi & 0xff, least) {
            return self.reserved();
        }
        Ok(if addr_ok && data_ok && addr_fits && fits((hi >> 8) & 0xff, data) {
            Shape { data, addr, spread: nsa }
        } else if nsa {
            Shape { data: base_data, addr: if sampler { most.min(5) } else { 4 }, spread: true }
        } else {
            Shape { data: base_data, addr: least, spread: false }
        })
    }

    /// MIMG: nsa 0, dim 4:2, unorm 7, dmask 11:8, slc 12, dlc 13, glc 14, r128 15, a16 16, d16 17; vaddr 7:0, vdata 15:8, srsrc 20:16,
    /// tfe 21, lwe 22, ssamp 30:26 of the second dword; NSA adds one dword with addresses 1 to 4.
    fn mimg(mut self) -> Result1<Inst> {
        let row = self.inst.row;
        let (lo, hi) = (self.inst.words[0], self.inst.words[1]);
        let nsa = lo & 1 != 0;
        let mods = &mut self.inst.mods;
        mods.dim = (lo >> 2) as u8 & 7;
        mods.unorm = (lo >> 7) & 1 != 0;
        mods.dmask = (lo >> 8) as u8 & 15;
        mods.slc = (lo >> 12) & 1 != 0;
        mods.dlc = (lo >> 13) & 1 != 0;
        mods.glc = (lo >> 14) & 1 != 0;
        mods.r128 = (lo >> 15) & 1 != 0;
        mods.a16 = (lo >> 16) & 1 != 0;
        mods.d16 = (lo >> 17) & 1 != 0;
        mods.tfe = (hi >> 21) & 1 != 0;
        mods.lwe = (hi >> 22) & 1 != 0;
        if row.flags.contains(Flags::BVH) {
            return self.bvh(nsa);
        }
        if mods.d16 && !row.flags.contains(Flags::D16) {
            return self.reserved();
        }
        if !row.ops.contains(&Opd::SAMP) {
            self.zero((hi >> 26) & 0x1f)?;
        }
        let shape = self.shape(nsa)?;
        for &opd in row.ops {
            let op = match opd {
                Opd::VDATA(_) => self.vgpr((hi >> 8) & 0xff, shape.data)?,
                Opd::IADDR if shape.spread => {
                    let more = self.word(2)?;
                    for i in 0..shape.addr.min(5) {
                        let count = if i == 4 { shape.addr - 4 } else { 1 };
                        self.nsa(more, i, count)?;
                    }
                    continue;
                }
                Opd::IADDR => self.vgpr(hi & 0xff, shape.addr)?,
                Opd::RSRC(ty) => self.sreg(((hi >> 16) & 0x1f) << 2, self.width(ty))?,
                Opd::SAMP => self.sreg(((hi >> 26) & 0x1f) << 2, 4)?,
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(self.inst)
    }

    /// Pushes address operand `i` of an NSA form.
    fn nsa(&mut self, more: u32, i: u8, count: u8) -> Result1<()> {
        let n = if i == 0 { self.inst.words[1] & 0xff } else { (more >> (8 * (i - 1))) & 0xff };
        let op = self.vgpr(n, count)?;
        self.push(op);
        Ok(())
    }

    /// Ray intersection: node, extent, origin, direction and inverse direction (halves packed in three dwords with a16).
    fn bvh(mut self, nsa: bool) -> Result1<Inst> {
        let (lo, hi) = (self.inst.words[0], self.inst.words[1]);
        // dmask must be 15, unorm and r128 set, everything else about images clear.
        self.zero((lo & 0x0002_ff9c) ^ 0x8f80)?;
        self.zero(hi & 0x7c60_0000)?;
        let node = if self.inst.row.name.contains("64") { 2 } else { 1 };
        let data = self.vgpr((hi >> 8) & 0xff, 4)?;
        self.push(data);
        let vectors: &[u8] = if self.inst.mods.a16 { &[3, 3] } else { &[3, 3, 3] };
        if nsa {
            let more = self.word(2)?;
            self.nsa(more, 0, node)?;
            self.nsa(more, 1, 1)?;
            for (i, &count) in vectors.iter().enumerate() {
                self.nsa(more, i as u8 + 2, count)?;
            }
        } else {
            let op = self.vgpr(hi & 0xff, node + 1 + vectors.iter().sum::<u8>())?;
            self.push(op);
        }
        let rsrc = self.sreg(((hi >> 16) & 0x1f) << 2, 4)?;
        self.push(rsrc);
        Ok(self.inst)
    }
}
