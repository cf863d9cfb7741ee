//! MIMG and EXP. RDNA3 ISA, chapters 15.11 and 15.12.

use super::{Build, Decoder, Result1};
use crate::isa::inst::{Enc, Inst, Operand};
use crate::isa::row::{Flags, Opd};

impl Decoder<'_> {
    pub(super) fn mimg(self) -> Result1<Inst> {
        let row = self.row(Enc::MIMG, (self.words[0] >> 18) & 0xff)?;
        self.start(row, Enc::MIMG, 2)?.mimg()
    }

    /// EXP: en 3:0, target 9:4, done 11, row_en 13; four VGPR fields in the second dword.
    pub(super) fn exp(self) -> Result1<Inst> {
        let row = self.row(Enc::EXP, 0)?;
        let mut b = self.start(row, Enc::EXP, 2)?;
        let (lo, hi) = (b.inst.words[0], b.inst.words[1]);
        b.inst.mods.en = lo as u8 & 15;
        b.inst.mods.done = (lo >> 11) & 1 != 0;
        b.inst.mods.row_en = (lo >> 13) & 1 != 0;
        b.push(Operand::Imm((lo >> 4) & 0x3f));
        for i in 0..4 {
            let on = (lo >> i) & 1 != 0;
            let op = if on { b.vgpr((hi >> (8 * i)) & 0xff, 1)? } else { Operand::Off };
            b.push(op);
        }
        Ok(b.inst)
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

impl Build<'_> {
    /// Dwords of address by the RDNA3 rules: offset, bias, compare, gradients, coordinates, lod; a16 packs bias, coordinates and lod in
    /// pairs of halves, g16 (and a16) the gradients.
    fn address_dwords(&self) -> u8 {
        let mods = &self.inst.mods;
        let p = parts(self.inst.row.name);
        let dim = &DIMS[usize::from(mods.dim)];
        let g16 = self.inst.row.flags.contains(Flags::G16);
        let mut n = p.extra;
        let body = if p.coords { dim.coords } else { 0 } + u8::from(p.lod);
        n += if mods.a16 { body.div_ceil(2) } else { body };
        if p.gradients {
            // Packed gradients of each direction fill whole dwords.
            n += if g16 { 2 * dim.gradients.div_ceil(2) } else { 2 * dim.gradients };
        }
        n
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
        let (d16, tfe, dmask) = (mods.d16, mods.tfe, mods.dmask);
        if d16 && !row.flags.contains(Flags::D16) {
            return self.reserved();
        }
        if !row.ops.contains(&Opd::SAMP) {
            self.zero(hi >> 26 & 0x1f)?;
        }
        let addr = self.address_dwords();
        for &opd in row.ops {
            let op = match opd {
                Opd::VDATA(_) => {
                    let mut n = if row.flags.contains(Flags::GATHER) { 4 } else { (dmask.count_ones() as u8).max(1) };
                    if d16 {
                        n = n.div_ceil(2);
                    }
                    self.vgpr((hi >> 8) & 0xff, n + u8::from(tfe))?
                }
                Opd::IADDR if nsa && addr > 1 => {
                    self.nsa(addr)?;
                    continue;
                }
                Opd::IADDR => self.vgpr(hi & 0xff, addr)?,
                Opd::RSRC(ty) => self.sreg(((hi >> 16) & 0x1f) << 2, self.width(ty))?,
                Opd::SAMP => self.sreg(((hi >> 26) & 0x1f) << 2, 4)?,
                _ => return self.reserved(),
            };
            self.push(op);
        }
        Ok(self.inst)
    }

    /// Addresses spread over single registers; the fifth takes all that remain.
    fn nsa(&mut self, addr: u8) -> Result1<()> {
        let more = self.word(2)?;
        for i in 0..addr.min(5) {
            let n = if i == 0 { self.inst.words[1] & 0xff } else { (more >> (8 * (i - 1))) & 0xff };
            let count = if i == 4 { addr - 4 } else { 1 };
            let op = self.vgpr(n, count)?;
            self.push(op);
        }
        Ok(())
    }
}
