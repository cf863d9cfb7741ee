//! Encoding of VOP1, VOP2, VOPC, VOP3 and VOP3SD with DPP and SDWA: the layouts are those of `decode/vop.rs`, `dpp.rs` and `sdwa.rs`.

use super::{Code, EncodeError, Words, no_form};
use crate::bits::Bits;
use crate::decode::dpp::{DPP, dpp_sext, has_dpp};
use crate::decode::sdwa::{SDWA_DWORD, SDWA_DWORD_SEL, has_omod, has_sdwa, is_float};
use crate::decode::vector::VOP;
use crate::decode::vop::{DPP8, DPP8_FI, DPP16, SDWA, VOP3, Vop3Mods, has_clamp, reads_attribute};
use crate::feature::Feature;
use crate::inst::{Dpp, Enc, Half, Inst, Operand};
use crate::row::{Flags, Opd, Ty};
use crate::scalars::{EXEC_LO, VCC_LO};
use crate::target::Space;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    match inst.enc {
        Enc::VOP1 | Enc::VOP2 | Enc::VOPC if inst.mods.sdwa.present => sdwa(inst),
        Enc::VOP1 | Enc::VOP2 | Enc::VOPC => vop(inst),
        Enc::VOP3 | Enc::VOP3SD => vop3(inst),
        _ => Err(no_form(inst)),
    }
}

impl Words<'_> {
    /// A scalar register or special code where an instruction names one.
    fn sreg_8(&self, op: &Operand) -> Result<u32, EncodeError> {
        match *op {
            Operand::Special(special) if self.scalars.reads_special(special) => Ok(special.code()),
            _ => self.sreg(op),
        }
    }

    /// The VCC that VOP2 and VOPC cannot choose.
    fn vcc(&self, op: &Operand) -> Result<(), EncodeError> {
        if is_vcc(op) { Ok(()) } else { Err(self.bad_operand(op, " in place of VCC")) }
    }

    /// A VGPR of a 32-bit format: from gfx11 a 16-bit operand has seven bits of number, and one for its half.
    fn vgpr_e32(&self, op: &Operand, ty: Ty) -> Result<u32, EncodeError> {
        let n = self.vgpr(op)?;
        if !ty.is_16() || self.inst.target.space() < Space::Gfx11 {
            return Ok(n);
        }
        match op {
            Operand::Vgpr { .. } if n > 127 => Err(self.bad_operand(op, " as a 16-bit operand")),
            Operand::Vgpr { half: Half::Hi, .. } => Ok(n | 0x80),
            _ => Ok(n),
        }
    }

    /// Puts a DPP dword at `at` and gives the source 0 code that announces it; `None` without DPP.
    pub(super) fn dpp(&mut self, at: u8) -> Result<Option<u32>, EncodeError> {
        let inst = self.inst;
        let (code, src0) = match inst.mods.dpp {
            Dpp::None => return Ok(None),
            Dpp::Dpp8 { fi, .. } => (if fi { DPP8_FI } else { DPP8 }, source_0(inst)),
            Dpp::Dpp16 { .. } => (DPP16, source_0(inst)),
        };
        if !has_dpp(inst.row, inst.enc, inst.target, code) {
            return Err(no_form(inst));
        }
        let n = match src0 {
            Some((op @ Operand::Vgpr { .. }, ty)) if at == 1 => self.vgpr_e32(op, ty)?,
            Some((op @ Operand::Vgpr { .. }, _)) => self.vgpr(op)?,
            None => 0,
            Some((op, _)) => return Err(self.bad_operand(op, " with DPP")),
        };
        self.len = at + 1;
        let in_dword = |f: Bits| Bits { shift: f.shift + 32 * at, ..f };
        self.set(in_dword(DPP.src0), n, "source 0")?;
        match inst.mods.dpp {
            Dpp::Dpp8 { sel, .. } => self.set(in_dword(DPP.sel), sel, "dpp8")?,
            Dpp::Dpp16 { ctrl, row_mask, bank_mask, bound_ctrl, fi } => {
                if fi && inst.target.space() < Space::Gfx10 {
                    return Err(self.bad("fi"));
                }
                self.set(in_dword(DPP.ctrl), u32::from(ctrl), "dpp_ctrl")?;
                self.set(in_dword(DPP.row_mask), u32::from(row_mask), "row_mask")?;
                self.set(in_dword(DPP.bank_mask), u32::from(bank_mask), "bank_mask")?;
                self.set(in_dword(DPP.bound_ctrl), u32::from(bound_ctrl), "bound_ctrl")?;
                self.set(in_dword(DPP.fi), u32::from(fi), "fi")?;
                if at == 1 {
                    self.dpp_source_mods()?;
                }
            }
            Dpp::None => {}
        }
        Ok(Some(code))
    }

    /// neg and abs of a 32-bit format's DPP16 dword.
    fn dpp_source_mods(&mut self) -> Result<(), EncodeError> {
        let (row, m) = (self.inst.row, self.inst.mods);
        let valued = (row.flags & Flags::M01).bits() as u32;
        let sext = dpp_sext(row) & (valued | 1);
        let (neg, abs) = (u32::from(m.neg), u32::from(m.abs));
        if (neg | abs) & !(valued & !sext) != 0 || u32::from(m.sext) & !sext != 0 {
            return Err(self.bad("neg, abs or sext"));
        }
        for i in 0..2 {
            self.set(moved(DPP.neg[i]), ((neg | u32::from(m.sext)) >> i) & 1, "neg")?;
            self.set(moved(DPP.abs[i]), (abs >> i) & 1, "abs")?;
        }
        Ok(())
    }
}

/// A field of the second dword.
fn moved(f: Bits) -> Bits {
    Bits { shift: f.shift + 32, ..f }
}

fn is_vcc(op: &Operand) -> bool {
    matches!(op, Operand::Sgpr { n, .. } if *n == VCC_LO)
}

/// The operand that reads source field 0, and its type.
fn source_0(inst: &Inst) -> Option<(&Operand, Ty)> {
    inst.row.ops.iter().zip(inst.ops()).find_map(|(opd, op)| match *opd {
        Opd::S0(ty) | Opd::V0(ty) | Opd::R0(ty) => Some((op, ty)),
        _ => None,
    })
}

fn vop(inst: &Inst) -> Result<Code, EncodeError> {
    let (row, m) = (inst.row, &inst.mods);
    let mut w = Words::new(inst, 1);
    let (prefix, opcode) = VOP.opcode(inst.enc);
    w.words[0] = prefix;
    if row.enc() != inst.enc {
        return Err(no_form(inst));
    }
    let number = w.number()?;
    w.set(opcode, number, "opcode")?;
    let dpp = w.dpp(1)?;
    if m.clamp || m.omod != 0 || m.op_sel != 0 || !matches!(m.dpp, Dpp::Dpp16 { .. }) && (m.neg | m.abs | m.sext) != 0 {
        return Err(w.bad("a modifier of the long form"));
    }
    if row.ops.is_empty() {
        w.set(VOP.src0, dpp.unwrap_or(0), "source 0")?;
    }
    for (opd, op) in row.ops.iter().zip(inst.ops()) {
        match (*opd, *op) {
            (Opd::D(ty), _) => {
                let n = w.vgpr_e32(op, ty)?;
                w.set(VOP.vdst, n, "destination")?;
            }
            (Opd::SD(_), _) => {
                let n = w.sreg_8(op)?;
                w.set(VOP.vdst, n, "destination")?;
            }
            (Opd::MD | Opd::M2, _) => w.vcc(op)?,
            (Opd::AD(_), Operand::Agpr { n, .. }) => w.set(VOP.vdst, u32::from(n), "destination")?,
            (Opd::A0(_), Operand::Agpr { n, .. }) => w.set(VOP.src0, 256 + u32::from(n), "source 0")?,
            (Opd::A0(_), _) => {
                let code = w.sreg_8(op)?;
                w.set(VOP.src0, code, "source 0")?;
            }
            (Opd::S0(ty) | Opd::V0(ty) | Opd::R0(ty), _) => {
                let code = match (dpp, op) {
                    (Some(code), _) => code,
                    (None, Operand::Vgpr { .. }) => 256 + w.vgpr_e32(op, ty)?,
                    (None, _) => w.ssrc(op)?,
                };
                w.set(VOP.src0, code, "source 0")?;
            }
            (Opd::S1(ty), _) => {
                let n = w.vgpr_e32(op, ty)?;
                w.set(VOP.src1, n, "source 1")?;
            }
            (Opd::R1(_), _) => {
                let code = w.ssrc(op)?;
                w.set(VOP.src1, code, "source 1")?;
            }
            (Opd::LIT(_), Operand::Literal(v)) => w.set_literal(v)?,
            _ => return Err(w.bad_operand(op, "")),
        }
    }
    Ok(w.finish())
}

fn sdwa(inst: &Inst) -> Result<Code, EncodeError> {
    let (row, m, l) = (inst.row, &inst.mods, &SDWA_DWORD);
    let s = &m.sdwa;
    if row.enc() != inst.enc || !has_sdwa(row, inst.target) {
        return Err(no_form(inst));
    }
    let mut w = Words::new(inst, 2);
    let (prefix, opcode) = VOP.opcode(inst.enc);
    w.words[0] = prefix;
    let number = w.number()?;
    w.set(opcode, number, "opcode")?;
    w.set(VOP.src0, SDWA, "source 0")?;
    let has_scalars = inst.target.has(Feature::SdwaScalars);
    let vopc = inst.enc == Enc::VOPC;
    if !vopc && !row.ops.is_empty() {
        let bytes = row.flags.contains(Flags::BYTES);
        w.set(l.dst_sel, u32::from(if bytes { SDWA_DWORD_SEL } else { s.dst_sel }), "dst_sel")?;
        w.set(l.dst_unused, if bytes { 0 } else { u32::from(s.dst_unused) }, "dst_unused")?;
    }
    if m.omod != 0 && !has_omod(row, inst.target) || m.clamp && vopc && has_scalars {
        return Err(w.bad("clamp or omod"));
    }
    if !vopc {
        w.set(l.omod, u32::from(m.omod), "omod")?;
    }
    w.set(l.clamp, u32::from(m.clamp), "clamp")?;
    for (opd, op) in row.ops.iter().zip(inst.ops()) {
        match *opd {
            Opd::D(_) => {
                let n = w.vgpr(op)?;
                w.set(VOP.vdst, n, "destination")?;
            }
            Opd::MD if vopc && has_scalars && !is_vcc(op) => {
                let n = w.sreg(op)?;
                w.set(l.sdst, n, "destination")?;
                w.set(l.has_sdst, 1, "destination")?;
            }
            Opd::MD | Opd::M2 => w.vcc(op)?,
            Opd::S0(ty) | Opd::V0(ty) | Opd::S1(ty) => {
                let i = usize::from(matches!(opd, Opd::S1(_)));
                let number = if i == 0 { l.src0 } else { VOP.src1 };
                let scalar = !matches!(op, Operand::Vgpr { .. });
                if scalar && !has_scalars || matches!(op, Operand::Literal(_)) {
                    return Err(w.bad_operand(op, " with SDWA"));
                }
                let n = if scalar { w.ssrc(op)? } else { w.vgpr(op)? };
                w.set(number, n, "source")?;
                w.set(l.scalar[i], u32::from(scalar), "source")?;
                w.set(l.sel[i], u32::from(s.src_sel[i]), "src_sel")?;
                let bit = |bits: u8| u32::from(bits >> i) & 1;
                if if is_float(ty) { bit(m.sext) != 0 } else { bit(m.neg | m.abs) != 0 } {
                    return Err(w.bad("neg, abs or sext"));
                }
                w.set(l.neg[i], bit(m.neg), "neg")?;
                w.set(l.abs[i], bit(m.abs), "abs")?;
                w.set(l.sext[i], bit(m.sext), "sext")?;
            }
            _ => return Err(w.bad_operand(op, "")),
        }
    }
    Ok(w.finish())
}

fn vop3(inst: &Inst) -> Result<Code, EncodeError> {
    let (row, m) = (inst.row, &inst.mods);
    let space = inst.target.space();
    let layout = &VOP3[space as usize];
    let sd = inst.enc == Enc::VOP3SD;
    let mut w = Words::new(inst, 2);
    w.words[0] = layout.prefix;
    let number = row.vop3_number(space).filter(|_| row.exists_on(inst.target) && row.has(inst.enc)).ok_or_else(|| no_form(inst))?;
    w.set(layout.opcode, u32::from(number), "opcode")?;
    let dpp = w.dpp(2)?;
    let allowed = Vop3Mods::of(row, space, dpp.is_some());
    // Interpolation has its attribute in field 0 and its source in field 1.
    let swap = reads_attribute(row);
    let fields = if swap { [layout.src[1], layout.src[0], layout.src[2]] } else { layout.src };
    let place = |bits: u8| u32::from(if swap { bits & 4 | bits << 1 & 2 | bits >> 1 & 1 } else { bits });
    if u32::from(m.neg | m.abs) & !allowed.valued != 0 || u32::from(m.sext) & !allowed.sext != 0 || sd && m.abs != 0 {
        return Err(w.bad("neg, abs or sext"));
    }
    if m.clamp && !has_clamp(row, space) || m.omod != 0 && !row.flags.contains(Flags::OM) {
        return Err(w.bad("clamp or omod"));
    }
    w.set(layout.neg, place(m.neg | m.sext), "neg")?;
    w.set(if sd { layout.sd_clamp } else { layout.clamp }, u32::from(m.clamp), "clamp")?;
    w.set(layout.omod, u32::from(m.omod), "omod")?;
    if !sd {
        w.set(layout.abs, place(m.abs), "abs")?;
        let byte = u32::from(m.byte_sel);
        let op_sel = match allowed.op_sel {
            3 if row.flags.contains(Flags::BYTE) => byte << 1 & 2 | byte >> 1,
            12 if row.flags.contains(Flags::BYTE) => byte << 2,
            _ if byte != 0 => return Err(w.bad("byte_sel")),
            _ => u32::from(m.op_sel),
        };
        if op_sel & !allowed.op_sel != 0 || op_sel & allowed.no_op_sel != 0 {
            return Err(w.bad("op_sel"));
        }
        w.set(layout.op_sel, op_sel, "op_sel")?;
    }
    // A compare that writes only EXEC says so.
    if row.is_compare() && !row.ops.contains(&Opd::MD) {
        w.set(layout.vdst, EXEC_LO.into(), "destination")?;
    }
    for (opd, op) in row.ops.iter().zip(inst.ops()) {
        let (field, code) = match (*opd, *op) {
            (Opd::D(_), _) => (layout.vdst, w.vgpr(op)?),
            (Opd::MD, _) if sd => (layout.sdst, w.sreg(op)?),
            (Opd::SD(_) | Opd::MD, _) => (layout.vdst, w.sreg_8(op)?),
            (Opd::M2, _) => (fields[2], w.sreg_8(op)?),
            (Opd::ATTR, Operand::Imm(v)) if v < 0x100 => (fields[1], v >> 2 | (v & 3) << 6 | u32::from(m.high) << 8),
            (Opd::PARAM, Operand::Imm(v)) => (fields[0], v),
            (Opd::S0(_) | Opd::V0(_) | Opd::R0(_), _) => match dpp {
                Some(code) => (fields[0], code),
                None => (fields[0], w.src(op)?),
            },
            (Opd::S1(_) | Opd::V1(_) | Opd::R1(_), _) => (fields[1], w.src(op)?),
            (Opd::S2(_) | Opd::V2(_) | Opd::R2(_), _) => (fields[2], w.src(op)?),
            _ => return Err(w.bad_operand(op, "")),
        };
        w.set(field, code, "operand")?;
    }
    if space < Space::Gfx10 && w.literal.is_some() {
        return Err(w.bad("literal in the long form"));
    }
    Ok(w.finish())
}

#[cfg(test)]
mod tests {
    use crate::{DisasmOptions, Gfx, decode, disasm, encode};

    /// Code reads as `text` and encodes back to itself.
    fn both_ways(target: u16, words: &[u32], text: &str) {
        let target = Gfx(target);
        let wave_size = target.default_wave_size();
        let inst = decode(words, target, wave_size).expect(text);
        let opts = DisasmOptions { wave_size, ..Default::default() };
        assert_eq!(disasm(&inst, target, &opts), text);
        assert_eq!(encode(&inst).expect(text).dwords(), words, "{text}");
    }

    #[test]
    fn sdwa_names_scalars_from_gfx9() {
        both_ways(
            0x803,
            &[0x0202_04f9, 0x0016_0601],
            "v_add_f32_sdwa v1, -v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0",
        );
        both_ways(
            0x900,
            &[0x0202_04f9, 0x0086_0601],
            "v_add_f32_sdwa v1, s1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0",
        );
    }

    #[test]
    fn compares_of_gfx8_write_vcc_and_do_not_say_sdwa() {
        both_ways(0x803, &[0x7d84_04f9, 0x0606_0001], "v_cmp_eq_i32 vcc, v1, v2 src0_sel:DWORD src1_sel:DWORD");
        both_ways(0x900, &[0x7d84_04f9, 0x0606_8401], "v_cmp_eq_i32_sdwa s[4:5], v1, v2 src0_sel:DWORD src1_sel:DWORD");
    }

    #[test]
    fn lanes_of_two_registers_move_on_gfx90a() {
        both_ways(0x90a, &[0x7e04_2efa, 0xff01_5004], "v_trunc_f64_dpp v[2:3], v[4:5] row_newbcast:0 row_mask:0xf bank_mask:0xf");
        assert!(decode(&[0x7e04_2efa, 0xff01_5004], Gfx(0x900), 64).is_err());
    }

    #[test]
    fn the_opcode_of_the_long_form_moved_with_gfx8_and_its_place_with_gfx10() {
        both_ways(0x600, &[0xd206_0800, 0x0002_0501], "v_add_f32_e64 v0, v1, v2 clamp");
        both_ways(0x900, &[0xd101_8000, 0x0002_0501], "v_add_f32_e64 v0, v1, v2 clamp");
        both_ways(0x1010, &[0xd503_8000, 0x0002_0501], "v_add_f32_e64 v0, v1, v2 clamp");
    }

    #[test]
    fn compares_to_exec_alone_have_exec_as_destination() {
        both_ways(0x1010, &[0xd411_007e, 0x0002_0501], "v_cmpx_lt_f32_e64 v1, v2");
    }

    #[test]
    fn conversions_of_fp8_choose_a_byte() {
        both_ways(0x1200, &[0xd5ec_1001, 0x0000_0102], "v_cvt_f32_fp8_e64 v1, v2 byte_sel:1");
    }

    #[test]
    fn the_vector_unit_of_gfx6_takes_one_scalar() {
        assert!(decode(&[0xd206_0000, 0x0000_0401], Gfx(0x600), 64).is_err(), "s1 and s2");
        assert!(decode(&[0xd206_0000, 0x0000_0201], Gfx(0x600), 64).is_ok(), "s1 twice");
    }
}
