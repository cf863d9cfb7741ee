//! Operands as text: registers, constants by type, named immediates.

use super::{Printer, names};
use crate::counters::{self, Counter};
use crate::hwreg::HwReg;
use crate::inst::{Enc, Operand};
use crate::row::{Flags, Imm, Opd, Row, Ty};
use crate::scalars::{InlineFloat, Scalar, ScalarSpace, int_code};
use crate::target::Space;

impl Printer<'_> {
    pub(super) fn operand(&mut self, column: Opd, op: &Operand) {
        let (source, ty) = match column {
            Opd::S0(t) | Opd::V0(t) | Opd::R0(t) | Opd::AV0(t) | Opd::A0(t) => (Some(0), t),
            Opd::S1(t) | Opd::V1(t) | Opd::R1(t) | Opd::AV1(t) => (Some(1), t),
            Opd::S2(t) | Opd::V2(t) | Opd::R2(t) | Opd::C2(t) => (Some(2), t),
            Opd::D(t) | Opd::SD(t) | Opd::SS(t) | Opd::SR0(t) | Opd::LIT(t) => (None, t),
            Opd::MD | Opd::M2 => (None, Ty::Mask),
            _ => (None, Ty::B32),
        };
        match column {
            Opd::LIT(Ty::F32 | Ty::F16) => {
                if let Operand::Literal(v) = *op {
                    return self.num(format_args!("{v:#x}"));
                }
            }
            Opd::K(kind) => {
                if let Operand::Imm(v) = *op {
                    return self.immediate(kind, v);
                }
            }
            Opd::MSG => {
                if let Operand::Imm(v) = *op {
                    return self.message(v);
                }
            }
            Opd::IDX => {
                if let Operand::Imm(v) = *op {
                    return self.indexed(v);
                }
            }
            Opd::SIMM => {
                if let Operand::Imm(v) = *op {
                    return self.immediate(Imm::Auto, v);
                }
            }
            Opd::SOFF => {
                if let Operand::Literal(v) = *op {
                    return self.num(format_args!("{v:#x}"));
                }
            }
            Opd::ATTR => {
                if let Operand::Imm(v) = *op {
                    let channel = ["x", "y", "z", "w"][v as usize & 3];
                    return self.num(format_args!("attr{}.{channel}", v >> 2));
                }
            }
            Opd::PARAM => {
                if let Operand::Imm(v) = *op {
                    return match ["p10", "p20", "p0"].get(v as usize) {
                        Some(name) => self.put(name),
                        None => self.num(format_args!("invalid_param_{v}")),
                    };
                }
            }
            Opd::TGT => {
                if let Operand::Imm(v) = *op {
                    return self.target(v);
                }
            }
            _ => {}
        }
        let half = self.half_name(column, op);
        match source {
            // The exponent of v_ldexp_f16 has float modifiers in the long form, and float constants with them.
            Some(1) if self.inst.enc == Enc::VOP3 && ty == Ty::I16 && self.inst.row.flags.contains(Flags::M01) => {
                self.modified(1, Ty::F16, op, half);
            }
            // The class mask of v_cmp_class_f16 is 16 bits wide in the short form only.
            Some(1) if self.inst.enc == Enc::VOP3 && self.inst.row.is_compare() && ty == Ty::B16 => self.modified(1, Ty::B32, op, half),
            Some(i) => self.modified(i, ty.in_text(self.inst.enc), op, half),
            None => self.plain(ty, op, half),
        }
    }

    /// A source with its neg and abs. A negated constant prints `neg(1.0)`, as `-1.0` would be another constant.
    fn modified(&mut self, i: u8, ty: Ty, op: &Operand, half: &str) {
        let m = &self.inst.mods;
        let packed = self.inst.enc == Enc::VOP3P && !self.inst.row.flags.contains(Flags::MIX);
        let (neg, abs) = if packed { (false, false) } else { ((m.neg >> i) & 1 != 0, (m.abs >> i) & 1 != 0) };
        let constant = matches!(op, Operand::Int(_) | Operand::Float(_) | Operand::Literal(_) | Operand::Imm(_));
        let sext = (m.sext >> i) & 1 != 0;
        let call = sext || neg && !abs && constant;
        if sext {
            self.put("sext(");
        } else if neg {
            self.put(if call { "neg(" } else { "-" });
        }
        self.flag(abs, "|");
        self.plain(ty, op, half);
        if i == 1 && self.prints_mask_within_abs() {
            self.put(", ");
            self.plain(Ty::Mask, &self.inst.ops()[3], "");
        }
        self.flag(abs, "|");
        self.flag(call, ")");
    }

    fn plain(&mut self, ty: Ty, op: &Operand, half: &str) {
        match *op {
            Operand::Vgpr { n, count, .. } => {
                self.tuple("v", u32::from(n), count);
                self.put(half);
            }
            Operand::Agpr { n, count } => self.tuple("a", u32::from(n), count),
            Operand::Sgpr { n, count } => self.scalar(u32::from(n), count),
            Operand::Special(special) => self.put(special.name()),
            Operand::Int(v) => self.num(format_args!("{v}")),
            Operand::Float(float) => self.float_constant(ty, float),
            Operand::Literal(v) => self.literal(ty, v),
            Operand::Imm(v) => self.signed_hex(v as i32),
            Operand::Off => self.put("off"),
        }
    }

    pub(super) fn signed_hex(&mut self, v: i32) {
        let sign = if v < 0 { "-" } else { "" };
        self.num(format_args!("{sign}{:#x}", v.unsigned_abs()));
    }

    fn tuple(&mut self, file: &str, n: u32, count: u8) {
        if count == 1 {
            self.num(format_args!("{file}{n}"));
        } else {
            self.num(format_args!("{file}[{n}:{}]", n + u32::from(count) - 1));
        }
    }

    fn scalar(&mut self, code: u32, count: u8) {
        match ScalarSpace::of(self.target).register(code) {
            Some(Scalar::Sgpr(n)) => self.tuple("s", n, count),
            Some(Scalar::Ttmp(n)) => self.tuple("ttmp", n, count),
            Some(Scalar::Pair(pair, half)) => {
                self.put(pair.name());
                self.put(if count == 2 { "" } else { ["_lo", "_hi"][half as usize] });
            }
            Some(Scalar::Null) => self.put("null"),
            Some(Scalar::M0) => self.put("m0"),
            None => self.num(format_args!("src_{code}")),
        }
    }

    /// Inline float constants. Where the operand is a 16-bit integer LLVM prints the bits instead of the value.
    fn float_constant(&mut self, ty: Ty, float: InlineFloat) {
        let is_inv_2pi = float == InlineFloat::INV_2PI;
        match ty {
            Ty::I16 | Ty::U16 | Ty::B16 => self.num(format_args!("{:#x}", float.f16())),
            Ty::F64 | Ty::F64X4 | Ty::B64 | Ty::I64 | Ty::U64 if is_inv_2pi => self.put(names::INV_2PI_F64),
            Ty::AccF32 | Ty::AccI32 | Ty::AccF16 | Ty::AccBF16 if is_inv_2pi && self.wide_accumulator() => {
                self.put(names::INV_2PI_F64);
            }
            _ => self.put(float.text()),
        }
    }

    /// A literal prints like the inline constant of the same value, if there is one.
    fn literal(&mut self, ty: Ty, v: u32) {
        match ty {
            // A 16-bit integer is looked at as the 32 bits it stands in.
            Ty::I16 | Ty::U16 | Ty::B16 => {
                if self.inline_int(i64::from(v as i32)) {
                    return;
                }
                match self.inline_float(|f| f.f32() == v) {
                    Some(f) => self.put(f.text()),
                    None => self.num(format_args!("{:#x}", v & 0xffff)),
                }
            }
            Ty::F16 | Ty::BF16 => self.half(ty, v),
            Ty::AccPkF16 => self.half(Ty::F16, v),
            Ty::AccPkBF16 => self.half(Ty::BF16, v),
            Ty::F32 if self.inst.row.flags.contains(Flags::MIX) => self.half(Ty::F16, v),
            // Beside fmaak and fmamk LLVM types every source of a dual instruction as f32.
            Ty::F16X2 if !self.has_constant() => self.packed_literal(v, InlineFloat::f16),
            Ty::BF16X2 => self.packed_literal(v, InlineFloat::bf16),
            // Wide matrix accumulators print literals as they stand.
            Ty::AccF32 | Ty::AccI32 | Ty::AccF16 | Ty::AccBF16 if self.wide_accumulator() => self.num(format_args!("{v:#x}")),
            Ty::F64 | Ty::F64X4 => {
                let wide = u64::from(v) << 32;
                if self.inline_int(wide as i64) {
                    return;
                }
                match self.inline_float(|f| f.f64() == wide && f != InlineFloat::INV_2PI) {
                    Some(f) => self.put(f.text()),
                    None => self.num(format_args!("{v:#x}")),
                }
            }
            Ty::B64 | Ty::I64 | Ty::U64 => {
                if !self.inline_int(i64::from(v)) {
                    self.num(format_args!("{v:#x}"));
                }
            }
            _ => self.word(v),
        }
    }

    /// LLVM types gfx11's accumulators of eight registers as 64-bit floats.
    fn wide_accumulator(&self) -> bool {
        self.opts.wave_size == 32 && self.target.space() == Space::Gfx11
    }

    /// A dual instruction one of whose halves has its own constant.
    fn has_constant(&self) -> bool {
        let has = |r: &Row| r.ops.iter().any(|o| matches!(o, Opd::LIT(_)));
        self.inst.row_y.is_some_and(|y| has(self.inst.row) || has(y))
    }

    /// A 16-bit float. LLVM prints a bf16 with all 32 bits of the literal.
    fn half(&mut self, ty: Ty, v: u32) {
        let bf16 = ty == Ty::BF16;
        if self.inline_int(i64::from(v as u16 as i16)) {
            return;
        }
        let shown = if bf16 { v } else { v & 0xffff };
        match self.inline_float(|f| shown == u32::from(if bf16 { f.bf16() } else { f.f16() })) {
            Some(f) => self.put(f.text()),
            None => self.num(format_args!("{shown:#x}")),
        }
    }

    /// A pair of halves: an inline constant sets the low one.
    fn packed_literal(&mut self, v: u32, bits: fn(InlineFloat) -> u16) {
        if self.inline_int(i64::from(v as i32)) {
            return;
        }
        match self.inline_float(|f| u32::from(bits(f)) == v) {
            Some(f) => self.put(f.text()),
            None => self.num(format_args!("{v:#x}")),
        }
    }

    /// A 32-bit constant.
    pub(super) fn word(&mut self, v: u32) {
        if self.inline_int(i64::from(v as i32)) {
            return;
        }
        match self.inline_float(|f| f.f32() == v) {
            Some(f) => self.put(f.text()),
            None => self.num(format_args!("{v:#x}")),
        }
    }

    /// The processor's inline float constant of which `is_it` holds.
    fn inline_float(&self, is_it: impl FnMut(InlineFloat) -> bool) -> Option<InlineFloat> {
        ScalarSpace::of(self.target).float(is_it)
    }

    fn inline_int(&mut self, v: i64) -> bool {
        let inline = i32::try_from(v).is_ok_and(|v| int_code(v).is_some());
        if inline {
            self.num(format_args!("{v}"));
        }
        inline
    }

    fn immediate(&mut self, kind: Imm, v: u32) {
        match kind {
            Imm::Auto if v <= 64 => self.num(format_args!("{v}")),
            Imm::Auto | Imm::Hex => self.num(format_args!("{v:#x}")),
            Imm::Branch | Imm::Optional => self.num(format_args!("{v}")),
            Imm::Version => self.version(v),
            Imm::Hwreg => self.hwreg(v),
            Imm::Sendmsg => self.message(v),
            Imm::Waitcnt => self.counters(counters::waitcnt(self.target), v),
            Imm::Depctr => self.depctr(v),
            Imm::DelayAlu => self.delay_alu(v),
            Imm::GprIdx => self.indexed(v),
        }
    }

    /// hwreg(id, offset, size): id 5:0, offset 10:6, size - 1 15:11.
    fn hwreg(&mut self, v: u32) {
        let (id, offset, size) = (v & 63, (v >> 6) & 31, (v >> 11) + 1);
        self.put("hwreg(");
        match HwReg::of(self.target, id) {
            Some(register) => self.num(format_args!("HW_REG_{}", register.name())),
            None => self.num(format_args!("{id}")),
        }
        if (offset, size) != (0, 32) {
            self.num(format_args!(", {offset}, {size}"));
        }
        self.put(")");
    }

    /// s_version: number 7:0 (by name where it has one), then the wave sizes it was built for as a chain of ors.
    fn version(&mut self, v: u32) {
        if v & 0x1f00 != 0 {
            return self.num(format_args!("{v:#x}"));
        }
        let mut text = match v & 0xff {
            0 => "UC_VERSION_GFX7".to_string(),
            4 => "UC_VERSION_GFX10".to_string(),
            6 => "UC_VERSION_GFX11".to_string(),
            9 => "UC_VERSION_GFX12".to_string(),
            n => n.to_string(),
        };
        let mut nested = false;
        for (bit, name) in [(0x2000, "W64"), (0x4000, "W32"), (0x8000, "MDP")] {
            if v & bit != 0 {
                text = if nested { format!("({text})|UC_VERSION_{name}_BIT") } else { format!("{text}|UC_VERSION_{name}_BIT") };
                nested = true;
            }
        }
        self.put(&text);
    }

    /// s_sendmsg: message 7:0 from gfx11; before, message 3:0, operation 6:4, stream of a geometry shader 9:8.
    fn message(&mut self, v: u32) {
        let single = self.target.space() >= Space::Gfx11;
        let (id, op, stream) = if single { (v & 0xff, 0, 0) } else { (v & 15, (v >> 4) & 7, (v >> 8) & 3) };
        let name = names::message(self.target, id).unwrap_or_default();
        // MSG_GS is 2 and MSG_GS_DONE is 3; only the latter may have nothing to do.
        let geometry = !single && matches!(id, 2 | 3);
        let text = match names::STREAM_OPS.get(op as usize) {
            _ if name.is_empty() => None,
            Some(_) if geometry && op == 0 => (id == 3 && stream == 0).then(|| format!("MSG_{name}, GS_OP_NOP")),
            Some(op) if geometry => Some(format!("MSG_{name}, GS_OP_{op}, {stream}")),
            _ if stream != 0 => None,
            _ if id == names::SYSMSG => names::system_op(self.target, op).map(|op| format!("MSG_{name}, SYSMSG_OP_{op}")),
            _ => (op == 0).then(|| format!("MSG_{name}")),
        };
        match text {
            Some(text) => self.num(format_args!("sendmsg({text})")),
            None if v == id | op << 4 | stream << 8 => self.num(format_args!("sendmsg({id}, {op}, {stream})")),
            None => self.num(format_args!("{v}")),
        }
    }

    /// s_set_gpr_idx_on and s_set_gpr_idx_mode: the operands that M0 indexes.
    fn indexed(&mut self, v: u32) {
        if v > 15 {
            return self.num(format_args!("{v:#x}"));
        }
        let chosen: Vec<&str> = names::INDEXED.iter().enumerate().filter(|(i, _)| (v >> i) & 1 != 0).map(|(_, n)| *n).collect();
        self.num(format_args!("gpr_idx({})", chosen.join(",")));
    }

    /// Counters at their maximum do not wait and are left out, unless all are.
    fn counters(&mut self, counters: &[Counter], v: u32) {
        let all = counters.iter().all(|c| c.get(v) == c.max());
        let mut separator = "";
        for c in counters.iter().filter(|c| all || c.get(v) != c.max()) {
            self.num(format_args!("{separator}{}({})", c.name, c.get(v)));
            separator = " ";
        }
    }

    fn depctr(&mut self, v: u32) {
        let counters = counters::depctr(self.target);
        if v & counters::outside(counters) == 0 {
            self.counters(counters, v);
        } else {
            self.num(format_args!("{v:#x}"));
        }
    }

    /// s_delay_alu: instid0 3:0, instskip 6:4, instid1 10:7.
    fn delay_alu(&mut self, v: u32) {
        let (id0, skip, id1) = (v & 15, (v >> 4) & 7, (v >> 7) & 15);
        let name = |table: &[&'static str], i: u32, bad: &'static str| table.get(i as usize - 1).copied().unwrap_or(bad);
        let mut parts = Vec::new();
        if id0 != 0 {
            parts.push(format!("instid0({})", name(&names::DELAY_ID, id0, "/* invalid instid value */")));
        }
        if skip != 0 {
            parts.push(format!("instskip({})", name(&names::DELAY_SKIP, skip, "/* invalid instskip value */")));
        }
        if id1 != 0 {
            parts.push(format!("instid1({})", name(&names::DELAY_ID, id1, "/* invalid instid value */")));
        }
        if parts.is_empty() {
            parts.push("0".into());
        }
        self.put(&parts.join(" | "));
    }

    /// EXP target. gfx10 adds pos4 and prim; gfx11 adds dual source blending and drops null and the parameters.
    fn target(&mut self, v: u32) {
        let space = self.target.space();
        match v {
            0..=7 => self.num(format_args!("mrt{v}")),
            8 => self.put("mrtz"),
            9 if space < Space::Gfx11 => self.put("null"),
            16 | 20 if space < Space::Gfx10 => self.num(format_args!("invalid_target_{v}")),
            12..=16 => self.num(format_args!("pos{}", v - 12)),
            20 => self.put("prim"),
            21 | 22 if space >= Space::Gfx11 => self.num(format_args!("dual_src_blend{}", v - 21)),
            32..=63 if space < Space::Gfx11 => self.num(format_args!("param{}", v - 32)),
            _ => self.num(format_args!("invalid_target_{v}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{DisasmOptions, Gfx, decode, disasm};

    // As LLVM 19 prints them.
    #[test]
    fn the_literal_accumulator_of_packed_halves_is_one_half() {
        let gfx1200 = Gfx(0x1200);
        for (op, literal, text) in [
            (0xcc42_403c, 0xede0_7caf, "v_wmma_f16_16x16x16_f16 v[60:63], v[237:240], v[104:107], 0x7caf"),
            (0xcc42_403c, 0xffff_3c00, "v_wmma_f16_16x16x16_f16 v[60:63], v[237:240], v[104:107], 1.0"),
            (0xcc43_403c, 0xede0_7caf, "v_wmma_bf16_16x16x16_bf16 v[60:63], v[237:240], v[104:107], 0xede07caf"),
            (0xcc43_403c, 0x3f80, "v_wmma_bf16_16x16x16_bf16 v[60:63], v[237:240], v[104:107], 1.0"),
        ] {
            let inst = decode(&[op, 0x1bfe_d1ed, literal], gfx1200, 32).expect(text);
            assert_eq!(disasm(&inst, gfx1200, &DisasmOptions::default()), text);
        }
    }
}
