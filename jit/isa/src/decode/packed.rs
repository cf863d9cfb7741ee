//! VOP3P (packed, mixed precision, dot products, WMMA), MAI (MFMA and AGPR moves) and VINTERP: three layouts over the bits of VOP3. RDNA3
//! ISA, chapters 15.4 and 15.5; CDNA3 ISA, chapters 7 and 13.3.

use super::vector::source_count;
use super::vop::{DPP8, DPP8_FI, DPP16};
use super::{Decoder, Result1};
use crate::bits::Bits;
use crate::feature::Feature;
use crate::inst::{Enc, Half, Operand};
use crate::row::{Flags, Opd, Row, Ty};
use crate::target::{Gfx, Space};

/// Fields of VOP3P.
pub(crate) struct Packed {
    pub op: Bits,
    pub vdst: Bits,
    pub neg_hi: Bits,
    pub op_sel: Bits,
    /// op_sel_hi of source 2, and of sources 0 and 1.
    pub op_sel_hi2: Bits,
    pub op_sel_hi: Bits,
    pub clamp: Bits,
    pub src: [Bits; 3],
    pub neg_lo: Bits,
}

const SRC: [Bits; 3] = [Bits::at(40, 32), Bits::at(49, 41), Bits::at(58, 50)];

pub(crate) static PACKED: Packed = Packed {
    op: Bits::at(22, 16),
    vdst: Bits::at(7, 0),
    neg_hi: Bits::at(10, 8),
    op_sel: Bits::at(13, 11),
    op_sel_hi2: Bits::bit(14),
    op_sel_hi: Bits::at(60, 59),
    clamp: Bits::bit(15),
    src: SRC,
    neg_lo: Bits::at(63, 61),
};

/// The nine bits above the opcode.
pub(crate) fn packed_prefix(target: Gfx) -> u32 {
    if target.space() == Space::Gfx8 { 0x1a7 } else { 0x198 }
}

/// Fields of MAI.
pub(crate) struct Mai {
    pub op: Bits,
    pub vdst: Bits,
    pub cbsz: Bits,
    pub abid: Bits,
    /// The destination (and what is added) is in AGPRs; gfx908 knows no other.
    pub acc_cd: Bits,
    pub src: [Bits; 3],
    /// Sources 0 and 1 are AGPRs.
    pub acc: [Bits; 2],
    pub blgp: Bits,
}

pub(crate) static MAI: Mai = Mai {
    op: Bits::at(22, 16),
    vdst: Bits::at(7, 0),
    cbsz: Bits::at(10, 8),
    abid: Bits::at(14, 11),
    acc_cd: Bits::bit(15),
    src: SRC,
    acc: [Bits::bit(59), Bits::bit(60)],
    blgp: Bits::at(63, 61),
};

/// Fields of VINTERP.
pub(crate) struct Interp {
    pub op: Bits,
    pub vdst: Bits,
    pub wait_exp: Bits,
    pub op_sel: Bits,
    pub clamp: Bits,
    pub src: [Bits; 3],
    pub neg: Bits,
}

/// gfx11 has seven bits of opcode, of which gfx12 looks at five; none uses more.
pub(crate) fn interp(target: Gfx) -> &'static Interp {
    const GFX11: Interp = Interp {
        op: Bits::at(22, 16),
        vdst: Bits::at(7, 0),
        wait_exp: Bits::at(10, 8),
        op_sel: Bits::at(14, 11),
        clamp: Bits::bit(15),
        src: SRC,
        neg: Bits::at(63, 61),
    };
    static LAYOUTS: [Interp; 2] = [GFX11, Interp { op: Bits::at(20, 16), ..GFX11 }];
    &LAYOUTS[usize::from(target.space() == Space::Gfx12)]
}

/// WMMA or SWMMAC: the matrices stand in VGPRs.
pub(crate) fn is_matrix(row: &Row) -> bool {
    row.ops.iter().any(|o| matches!(o, Opd::V0(_)))
}

/// Sources that can have neg_lo and neg_hi.
pub(crate) fn packed_neg(row: &Row, target: Gfx) -> (u32, u32) {
    let sparse = row.ops.iter().any(|o| matches!(o, Opd::INDEX(_)));
    let used = (1 << (source_count(row) - usize::from(sparse))) - 1;
    if row.flags.contains(Flags::NEG2) {
        (4, 4)
    } else if row.flags.contains(Flags::IU) && is_matrix(row) && target.space() == Space::Gfx12 {
        (3, 0)
    } else if row.flags.intersects(Flags::NEG | Flags::IU | Flags::MIX) {
        (used, used)
    } else {
        (0, 0)
    }
}

/// Bits of index_key: a lane's indices take two bits for each element of the sparse matrix it holds, and share a register of 32.
pub(crate) fn index_key_bits(row: &Row, wave_size: u32) -> u32 {
    let elements = row.ops.iter().find_map(|o| if let Opd::V0(ty) = o { Some(u32::from(ty.dwords(wave_size)) * 32) } else { None });
    let size = row.ops.iter().find_map(|o| if let Opd::INDEX(bits) = o { Some(u32::from(*bits)) } else { None });
    match (elements, size) {
        (Some(bits), Some(size)) => (32 / (2 * bits / size)).ilog2(),
        _ => 0,
    }
}

impl Decoder<'_> {
    pub(super) fn vop3p(&mut self) -> Result1<()> {
        if self.words[0] >> 23 != packed_prefix(self.target) {
            return Err(super::DecodeError::Format { word: self.words[0] });
        }
        let row = self.row(Enc::VOP3P, PACKED.op.get(&self.first()))?;
        if row.has(Enc::MAI) { self.start(row, Enc::MAI, 2)?.mai_fields() } else { self.start(row, Enc::VOP3P, 2)?.vop3p_fields() }
    }

    pub(super) fn vinterp(&mut self) -> Result1<()> {
        let layout = interp(self.target);
        let row = self.row(Enc::VINTERP, layout.op.get(&self.first()))?;
        self.start(row, Enc::VINTERP, 2)?.vinterp_fields(layout)
    }
}

impl Decoder<'_> {
    fn vop3p_fields(&mut self) -> Result1<()> {
        let row = self.inst.row;
        let words = self.inst.words;
        let flags = row.flags;
        let sources = source_count(row);
        let mut src = PACKED.src.map(|f| f.get(&words));
        for &field in &src[sources..] {
            self.unused_source(field)?;
        }
        let used = (1 << sources) - 1;
        let (neg_lo, neg_hi) = (PACKED.neg_lo.get(&words), PACKED.neg_hi.get(&words));
        let sel = PACKED.op_sel.get(&words);
        let sel_hi = PACKED.op_sel_hi.get(&words) | PACKED.op_sel_hi2.get(&words) << 2;
        let clamp = PACKED.clamp.is_set(&words);
        let (lo_allowed, hi_allowed) = packed_neg(row, self.target);
        self.zero(neg_lo & !lo_allowed | neg_hi & !hi_allowed)?;
        let key = if flags.contains(Flags::PK) { 0 } else { sel };
        self.zero(key >> index_key_bits(row, self.wave_size))?;
        if flags.contains(Flags::PK) {
            self.zero(sel & !used)?;
        } else if self.space == Space::Gfx12 && sel_hi != 7 {
            return self.reserved();
        }
        if clamp && !flags.contains(Flags::CL) {
            return self.reserved();
        }
        let mods = &mut self.inst.mods;
        mods.neg = neg_lo as u8;
        if flags.contains(Flags::MIX) {
            mods.abs = neg_hi as u8;
        } else {
            mods.neg_hi = neg_hi as u8;
        }
        mods.op_sel = (sel ^ key) as u8;
        mods.index_key = key as u8;
        mods.op_sel_hi = (sel_hi & used) as u8;
        mods.clamp = clamp;
        if self.space >= Space::Gfx11 && matches!(src[0], DPP8 | DPP8_FI | DPP16) {
            src[0] = self.dpp(src[0], 2, flags)?;
            // Mixed precision and 8-bit floats take no scalar beside DPP.
            let registers = if flags.contains(Flags::MIX) { 1..2 } else { 1..if flags.contains(Flags::NEG2) { 3 } else { 1 } };
            for i in registers {
                if src[i] < 256 {
                    self.special(src[i])?;
                }
            }
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::D(ty) => self.vgpr(PACKED.vdst.get(&words), self.width(ty))?,
                Opd::INDEX(_) => self.vsrc(src[2], Ty::B32)?,
                _ => self.source(opd, &src)?,
            };
            self.push(op);
        }
        Ok(())
    }

    fn mai_fields(&mut self) -> Result1<()> {
        let row = self.inst.row;
        let words = self.inst.words;
        let src = MAI.src.map(|f| f.get(&words));
        let acc = [MAI.acc[0].is_set(&words), MAI.acc[1].is_set(&words)];
        let acc_cd = self.target.has(Feature::MatrixResultsInAgprs) || MAI.acc_cd.is_set(&words);
        let mods = &mut self.inst.mods;
        mods.cbsz = MAI.cbsz.get(&words) as u8;
        mods.abid = MAI.abid.get(&words) as u8;
        mods.blgp = MAI.blgp.get(&words) as u8;
        let (cbsz, abid, blgp) = (mods.cbsz, mods.abid, mods.blgp);
        if row.ops.len() == 2 {
            // AGPR moves: source 0 only; the highest bit of abid means nothing.
            self.zero(u32::from(cbsz | abid & 7) | u32::from(blgp) | src[1] | src[2])?;
            self.inst.mods.abid = 0;
        } else if row.ops.contains(&Opd::V2(Ty::B32)) {
            self.zero(u32::from(blgp))?;
        }
        for &opd in row.ops {
            let op = match opd {
                Opd::AD(ty) => self.register(MAI.vdst.get(&words), ty, true)?,
                Opd::D(ty) if row.ops.len() == 2 => self.vgpr(MAI.vdst.get(&words), self.width(ty))?,
                Opd::D(ty) => self.register(MAI.vdst.get(&words), ty, acc_cd)?,
                Opd::AV0(ty) => self.vector_source(src[0], ty, acc[0])?,
                Opd::AV1(ty) => self.vector_source(src[1], ty, acc[1])?,
                Opd::A0(ty) => self.vector_source(src[0], ty, true)?,
                Opd::C2(ty) if src[2] >= 256 => self.register(src[2] - 256, ty, acc_cd)?,
                _ => self.source(opd, &src)?,
            };
            self.push(op);
        }
        Ok(())
    }

    /// VGPRs or AGPRs.
    fn register(&self, n: u32, ty: Ty, acc: bool) -> Result1<Operand> {
        Ok(match self.vgpr(n, self.width(ty))? {
            Operand::Vgpr { n, count, half: Half::Whole } if acc => Operand::Agpr { n, count },
            op => op,
        })
    }

    fn vector_source(&self, code: u32, ty: Ty, acc: bool) -> Result1<Operand> {
        if code < 256 { self.special(code) } else { self.register(code - 256, ty, acc) }
    }

    fn vinterp_fields(&mut self, layout: &Interp) -> Result1<()> {
        let row = self.inst.row;
        let words = self.inst.words;
        let sel = layout.op_sel.get(&words);
        if !row.flags.contains(Flags::OS) {
            self.zero(sel)?;
        }
        let mods = &mut self.inst.mods;
        mods.wait = layout.wait_exp.get(&words) as u8;
        mods.op_sel = sel as u8;
        mods.clamp = layout.clamp.is_set(&words);
        mods.neg = layout.neg.get(&words) as u8;
        let src = layout.src.map(|f| f.get(&words));
        for &opd in row.ops {
            let op = match opd {
                Opd::D(ty) => self.vgpr(layout.vdst.get(&words), self.width(ty))?,
                _ => self.source(opd, &src)?,
            };
            self.push(op);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::index_key_bits;
    use crate::{Gfx, Operand, decode, encode, rows};

    #[test]
    fn index_keys_choose_among_the_parts_of_an_index_register() {
        let bits = |name| {
            let row = rows::all().iter().find(|r| r.name == name).unwrap();
            (index_key_bits(row, 32), index_key_bits(row, 64))
        };
        assert_eq!(bits("v_swmmac_f32_16x16x32_f16"), (1, 2));
        assert_eq!(bits("v_swmmac_i32_16x16x32_iu8"), (1, 2));
        assert_eq!(bits("v_swmmac_i32_16x16x32_iu4"), (1, 1));
        assert_eq!(bits("v_swmmac_i32_16x16x64_iu4"), (0, 1));
        assert_eq!(bits("v_pk_add_f16"), (0, 0));
    }

    #[test]
    fn matrices_add_in_agprs_on_gfx908_and_where_the_bit_says_so_later() {
        let words = [0xd3c2_0000, 0x0402_0300]; // v_mfma_f32_4x4x1f32 v[0:3], v0, v1, v[0:3]
        let first = |target| decode(&words, Gfx(target), 64).unwrap().ops()[0];
        assert_eq!(first(0x908), Operand::Agpr { n: 0, count: 4 });
        assert!(matches!(first(0x90a), Operand::Vgpr { n: 0, count: 4, .. }));
        let i = decode(&words, Gfx(0x90a), 64).unwrap();
        assert_eq!(encode(&i).unwrap().dwords(), words);
    }

    #[test]
    fn gfx94x_calls_matrices_by_shape_and_blocks() {
        let name = |target| decode(&[0xd3c2_0000, 0x0402_0300], Gfx(target), 64).unwrap().name();
        assert_eq!((name(0x908), name(0x942)), ("v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32"));
    }
}
