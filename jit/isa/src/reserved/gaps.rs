//! Bits that are set though no field of the format has them on the processor: `compr` of exports on gfx11, `fi` of DPP before gfx10.

use crate::bits::{Bits, MAX_DWORDS};
use crate::decode::buffer;
use crate::decode::cache::CachePolicy;
use crate::decode::dpp::DPP;
use crate::decode::ds::DS;
use crate::decode::export::EXP;
use crate::decode::flat::Flat;
use crate::decode::image;
use crate::decode::packed::interp;
use crate::decode::sdwa::SDWA_DWORD;
use crate::decode::smem::Smem;
use crate::decode::vop::VOP3;
use crate::feature::Feature;
use crate::inst::{Dpp, Enc, Inst};
use crate::target::Space;

/// Bits that are set though no field has them, by dword.
pub(super) fn gaps(inst: &Inst) -> [u32; MAX_DWORDS] {
    let mut known = Known([0; MAX_DWORDS]);
    known.format(inst);
    std::array::from_fn(|i| if i < usize::from(inst.len) { inst.words[i] & !known.0[i] } else { 0 })
}

/// Bits that some field has.
struct Known([u32; MAX_DWORDS]);

impl Known {
    fn add(&mut self, fields: &[Bits]) {
        for f in fields {
            self.0[usize::from(f.shift / 32)] |= f.max() << (f.shift % 32);
        }
    }

    /// All of dwords `from..`.
    fn rest(&mut self, from: usize) {
        self.0[from..].fill(!0);
    }

    fn cache(&mut self, cache: &CachePolicy) {
        self.add(&[cache.glc, cache.slc, cache.dlc, cache.scc, cache.th, cache.scope]);
    }

    /// The fields of the instruction's format.
    fn format(&mut self, inst: &Inst) {
        let (target, space) = (inst.target, inst.target.space());
        match inst.enc {
            Enc::SMEM => {
                let f = Smem::of(target);
                self.add(&[f.opcode, f.sdata, f.sbase, f.offset, f.soffset, f.imm, f.soffset_en, f.soffset_beside]);
                self.cache(&f.cache);
                self.0[0] |= if f.dwords == 1 { 0x1f << 27 } else { 0x3f << 26 };
                self.rest(f.dwords.into());
            }
            Enc::VOP1 | Enc::VOP2 | Enc::VOPC => {
                self.0[0] = !0;
                self.second_dword(inst);
                self.rest(2);
            }
            Enc::VOP3 | Enc::VOP3SD => {
                let f = &VOP3[space as usize];
                self.0[0] |= 0x3f << 26;
                self.add(&[f.opcode, f.vdst, f.src[0], f.src[1], f.src[2], f.omod, f.neg]);
                if inst.enc == Enc::VOP3SD {
                    self.add(&[f.sdst, f.sd_clamp])
                } else {
                    self.add(&[f.abs, f.op_sel, f.clamp])
                }
                self.long_dpp(inst);
            }
            Enc::VOP3P => {
                self.0[..2].fill(!0);
                self.long_dpp(inst);
            }
            Enc::VINTERP => {
                let f = interp(target);
                self.0[0] |= 0xff << 24;
                self.add(&[f.op, f.vdst, f.wait_exp, f.op_sel, f.clamp, f.src[0], f.src[1], f.src[2], f.neg]);
                self.rest(2);
            }
            Enc::DS => {
                let f = &DS[space as usize];
                self.0[0] |= 0x3f << 26;
                self.add(&[f.op, f.offset, f.gds, f.acc, f.addr, f.data0, f.data1, f.vdst]);
            }
            Enc::MUBUF | Enc::MTBUF => {
                let f = buffer::layout(inst.enc, space);
                self.0[0] |= 0x3f << 26 | f.prefix;
                self.add(&[
                    f.op, f.op_3, f.offset, f.offen, f.idxen, f.addr64, f.lds, f.format, f.vaddr, f.vdata, f.srsrc, f.tfe, f.soffset,
                ]);
                self.cache(&f.cache);
                if space == Space::Gfx12 {
                    // Untyped instructions ignore it, and LLVM sets it to 1. The opcode has eight bits.
                    self.add(&[buffer::FORMAT_GFX12, Bits::at(21, 14)]);
                }
                self.rest(f.len.into());
            }
            Enc::MIMG | Enc::VIMAGE | Enc::VSAMPLE => {
                let f = image::layout(inst.enc, space);
                self.0[0] |= 0x3f << 26;
                self.add(&[
                    f.op, f.op_7, f.nsa, f.dim, f.da, f.unorm, f.dmask, f.r128, f.a16, f.d16, f.tfe, f.lwe, f.vdata, f.srsrc, f.ssamp,
                ]);
                self.add(&f.vaddr);
                self.cache(&f.cache);
                self.rest(f.len.into());
            }
            Enc::FLAT | Enc::GLOBAL | Enc::SCRATCH => {
                let f = Flat::of(target);
                self.0[0] |= 0x3f << 26;
                self.add(&[f.op, f.segment, f.addr, f.data, f.vdst, f.saddr, f.sve, f.lds, f.acc, f.zero, f.offset]);
                self.cache(&f.cache);
                self.rest(f.dwords.into());
            }
            Enc::EXP => {
                let f = &EXP[space as usize];
                self.0[0] |= 0x3f << 26;
                self.add(&[f.en, f.target, f.done, f.compr, f.vm, f.row_en]);
                self.add(&f.src);
            }
            _ => self.rest(0),
        }
    }

    /// The DPP or SDWA dword, or the literal, of a 32-bit format.
    fn second_dword(&mut self, inst: &Inst) {
        let m = &inst.mods;
        if m.sdwa.present {
            let l = &SDWA_DWORD;
            self.add(&[l.src0, l.clamp, l.sel[0], l.sel[1], l.sext[0], l.sext[1], l.neg[0], l.neg[1], l.abs[0], l.abs[1]]);
            let has_scalars = inst.target.has(Feature::SdwaScalars);
            if inst.enc == Enc::VOPC && has_scalars {
                self.add(&[l.sdst, l.has_sdst])
            } else {
                self.add(&[l.dst_sel, l.dst_unused])
            }
            if has_scalars {
                self.add(&[l.omod, l.scalar[0], l.scalar[1]]);
            }
        } else if matches!(m.dpp, Dpp::Dpp16 { .. }) {
            self.dpp16(inst, 1);
            self.add(&[DPP.neg[0], DPP.neg[1], DPP.abs[0], DPP.abs[1]].map(|f| Bits { shift: f.shift + 32, ..f }));
        } else {
            self.0[1] = !0;
        }
    }

    /// The DPP dword of a long format; literals after it.
    fn long_dpp(&mut self, inst: &Inst) {
        self.rest(2);
        if matches!(inst.mods.dpp, Dpp::Dpp16 { .. }) {
            self.0[2] = 0;
            self.dpp16(inst, 2);
            // Long formats have modifiers of their own; compilers (Mesa 25's ACO) repeat them where short formats have theirs.
            let m = &inst.mods;
            for source in 0..2 {
                let fields = [(m.neg, DPP.neg[source]), (m.abs | m.neg_hi, DPP.abs[source])];
                let repeated = fields.into_iter().filter(|(mods, _)| mods >> source & 1 != 0);
                repeated.for_each(|(_, f)| self.add(&[Bits { shift: f.shift + 64, ..f }]));
            }
        }
    }

    fn dpp16(&mut self, inst: &Inst, dword: u8) {
        let place = |f: Bits| Bits { shift: f.shift + 32 * dword, ..f };
        self.add(&[DPP.src0, DPP.ctrl, DPP.bound_ctrl, DPP.bank_mask, DPP.row_mask].map(place));
        if inst.target.space() >= Space::Gfx10 {
            self.add(&[place(DPP.fi)]);
        }
    }
}
