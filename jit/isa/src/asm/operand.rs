//! Operand text to [`Operand`], by what the row's column wants there.

use super::expected::no_register;
use super::value::{File, Value, integer, source, value};
use super::{Form, named};
use crate::feature::Feature;
use crate::inst::{Enc, Half, Operand};
use crate::row::{Flags, Imm, Opd, Row, Ty};
use crate::scalars::{InlineFloat, REGISTERS, Scalar, ScalarSpace, Special};
use crate::target::Gfx;

/// Why a text is not the operand that is wanted.
pub(super) type Reason = String;

/// Source number of a column: which neg, abs and op_sel bits are its.
pub(super) fn source_index(column: Opd) -> Option<u8> {
    match column {
        Opd::S0(_) | Opd::V0(_) | Opd::R0(_) | Opd::AV0(_) | Opd::A0(_) => Some(0),
        Opd::S1(_) | Opd::V1(_) | Opd::R1(_) | Opd::AV1(_) => Some(1),
        Opd::S2(_) | Opd::V2(_) | Opd::R2(_) | Opd::C2(_) => Some(2),
        _ => None,
    }
}

/// Type of a column's operand; 32 bits where the form decides.
pub(super) fn column_type(column: Opd) -> Ty {
    match column {
        Opd::AV0(t) | Opd::AV1(t) | Opd::A0(t) | Opd::AD(t) => t,
        Opd::D(t) | Opd::SD(t) | Opd::SS(t) | Opd::SR0(t) | Opd::LIT(t) | Opd::SBASE(t) | Opd::RSRC(t) => t,
        Opd::S0(t) | Opd::S1(t) | Opd::S2(t) | Opd::V0(t) | Opd::V1(t) | Opd::V2(t) | Opd::R0(t) | Opd::R1(t) | Opd::R2(t) | Opd::C2(t) => {
            t
        }
        Opd::MD | Opd::M2 => Ty::Mask,
        _ => Ty::B32,
    }
}

/// Code of a scalar register by name: `vcc`, `flat_scratch_lo`, `m0`, `null`.
fn scalar_by_name(space: &ScalarSpace, name: &str) -> Option<Operand> {
    (0..REGISTERS).find_map(|code| {
        let count = match space.register(code.into())? {
            Scalar::Pair(pair, half) if name == pair.name() && half == 0 => 2,
            Scalar::Pair(pair, half) => (name.strip_prefix(pair.name())? == ["_lo", "_hi"][half as usize]).then_some(1)?,
            Scalar::Null => (name == "null").then_some(1)?,
            Scalar::M0 => (name == "m0").then_some(1)?,
            _ => return None,
        };
        Some(Operand::Sgpr { n: code, count })
    })
}

/// A register or a named source.
fn register(target: Gfx, v: &Value<'_>) -> Option<Operand> {
    let space = ScalarSpace::of(target);
    match *v {
        Value::Register { file: File::Vgpr, first, count, half } => Some(Operand::Vgpr { n: first as u16, count: count as u8, half }),
        Value::Register { file: File::Agpr, first, count, half: Half::Whole } => {
            Some(Operand::Agpr { n: first as u16, count: count as u8 })
        }
        Value::Register { file, first, count, half: Half::Whole } => {
            let wanted = if file == File::Ttmp { Scalar::Ttmp(first) } else { Scalar::Sgpr(first) };
            let code = (0..REGISTERS).find(|&c| space.register(c.into()) == Some(wanted))?;
            (space.tuple(code.into(), count as u8) == Some(code.into())).then_some(Operand::Sgpr { n: code, count: count as u8 })
        }
        Value::Name("off") => Some(Operand::Off),
        Value::Name(name) => scalar_by_name(space, name).or_else(|| {
            let is_named = |s: &Special| s.name() == name || s.name().strip_prefix("src_") == Some(name);
            let found = Special::ALL.into_iter().find(is_named)?;
            space.reads_special(found).then_some(Operand::Special(found))
        }),
        _ => None,
    }
}

/// A number as a source of type `ty`: inline where the hardware has the constant, else a literal.
fn constant(target: Gfx, ty: Ty, v: &Value<'_>) -> Result<Operand, Reason> {
    let space = ScalarSpace::of(target);
    let inline = |bits: u64, of: fn(InlineFloat) -> u64| space.float(|f| of(f) == bits).map(Operand::Float);
    let half: fn(InlineFloat) -> u64 = |f| f.f16().into();
    let single: fn(InlineFloat) -> u64 = |f| f.f32().into();
    let bfloat: fn(InlineFloat) -> u64 = |f| f.bf16().into();
    let double: fn(InlineFloat) -> u64 = |f| f.f64();
    match *v {
        Value::Int(n @ -16..=64) => Ok(Operand::Int(n as i32)),
        Value::Int(n) => {
            let fits = |bits: u32| n >= -(1i64 << (bits - 1)) && n < 1i64 << bits;
            match ty {
                Ty::F64 | Ty::B64 | Ty::I64 | Ty::U64 => match inline(n as u64, double) {
                    Some(op) => Ok(op),
                    None if fits(32) => Ok(Operand::Literal(n as u32)),
                    None => Err(format!("{n:#x} does not fit into a 32-bit literal")),
                },
                Ty::F16 if fits(16) => Ok(inline(n as u64 & 0xffff, half).unwrap_or(Operand::Literal(n as u32 & 0xffff))),
                // LLVM has no float constant stand for an integer of 16 bits.
                Ty::B16 | Ty::I16 | Ty::U16 if fits(16) => Ok(Operand::Literal(n as u32 & 0xffff)),
                Ty::BF16 if fits(16) => Ok(inline(n as u64 & 0xffff, bfloat).unwrap_or(Operand::Literal(n as u32 & 0xffff))),
                // All 32 bits of the literal are shown.
                Ty::BF16 if fits(32) => Ok(Operand::Literal(n as u32)),
                Ty::F16 | Ty::B16 | Ty::I16 | Ty::U16 | Ty::BF16 => Err(format!("{n:#x} does not fit into 16 bits")),
                _ if !fits(32) => Err(format!("{n:#x} does not fit into 32 bits")),
                Ty::F16X2 => Ok(inline(n as u64 & 0xffff_ffff, half).unwrap_or(Operand::Literal(n as u32))),
                Ty::BF16X2 => Ok(inline(n as u64 & 0xffff_ffff, bfloat).unwrap_or(Operand::Literal(n as u32))),
                Ty::I16X2 | Ty::U16X2 => Ok(inline(n as u64 & 0xffff_ffff, single).unwrap_or(Operand::Literal(n as u32))),
                _ => Ok(inline(n as u64 & 0xffff_ffff, single).unwrap_or(Operand::Literal(n as u32))),
            }
        }
        Value::Float(f) if f.to_bits() == 0 => Ok(Operand::Int(0)),
        Value::Float(f) => {
            // All types know the constants by the value of the shortest decimal.
            let wide = ty.is_64();
            let bits = if wide { f.to_bits() } else { u64::from((f as f32).to_bits()) };
            let literal = match ty {
                _ if wide => (bits >> 32) as u32,
                Ty::F16 | Ty::B16 | Ty::I16 | Ty::U16 | Ty::F16X2 => u32::from(half::f16::from_f64(f).to_bits()),
                Ty::BF16 | Ty::BF16X2 => u32::from(half::bf16::from_f64(f).to_bits()),
                _ => bits as u32,
            };
            Ok(inline(bits, if wide { double } else { single }).unwrap_or(Operand::Literal(literal)))
        }
        _ => Err("expected a register or a number".into()),
    }
}

/// The float constant whose 16 bits are these.
fn inline_16(target: Gfx, bits: u32) -> Option<Operand> {
    ScalarSpace::of(target).float(|f| u32::from(f.f16()) == bits).map(Operand::Float)
}

impl Form<'_> {
    /// Parses `text` for `column` and appends what it says to the instruction.
    pub(super) fn operand(&mut self, column: Opd, text: &str) -> Result<(), Reason> {
        let op = match column {
            Opd::IADDR => return self.addresses(text),
            Opd::K(kind) => Operand::Imm(self.immediate(kind, text)?),
            Opd::MSG => Operand::Imm(self.immediate(Imm::Sendmsg, text)?),
            Opd::IDX => Operand::Imm(self.immediate(Imm::GprIdx, text)?),
            Opd::SIMM => Operand::Imm(number(text, 7)?),
            Opd::ATTR => Operand::Imm(attribute(text)?),
            Opd::TGT => {
                Operand::Imm(named::export_target(self.inst.target, text).ok_or_else(|| format!("expected {}", self.expected(column)))?)
            }
            Opd::LIT(ty) => Operand::Literal(literal(self.inst.target, ty, text)?),
            Opd::PARAM => Operand::Imm(parameter(text)?),
            Opd::SOFF | Opd::SOFFI | Opd::SOFFR => match value(text) {
                // gfx7 counts in dwords and takes a literal where eight bits are not enough.
                Value::Int(n) if self.inst.target.has(Feature::SmemLiteralOffset) && n > 0xff => Operand::Literal(n as u32),
                Value::Int(n) => Operand::Imm(n as u32),
                v => register(self.inst.target, &v).ok_or_else(|| format!("expected {}", self.expected(column)))?,
            },
            _ => self.value(column, text)?,
        };
        self.push(op)
    }

    /// A register or constant, with its source modifiers.
    fn value(&mut self, column: Opd, text: &str) -> Result<Operand, Reason> {
        let (s, ty) = (source(text), column_type(column));
        if s.neg || s.abs || s.sext {
            let Some(i) = source_index(column) else { return Err("no neg, abs or sext here".into()) };
            let mods = &mut self.inst.mods;
            mods.neg |= u8::from(s.neg) << i;
            mods.abs |= u8::from(s.abs) << i;
            mods.sext |= u8::from(s.sext) << i;
        }
        let target = self.inst.target;
        if let Some(op) = register(target, &s.value) {
            return self.checked(column, ty, op);
        }
        if matches!(s.value, Value::Int(_) | Value::Float(_)) {
            let ty = self.constant_type(column, ty);
            // The disassembler writes a whole number in hexadecimal if it is the literal that is the high half of a float, not the
            // inline integer that sets the low half.
            if let (Ty::F64, true, Value::Int(n @ 0..=64)) = (ty, s.hex, &s.value) {
                return Ok(Operand::Literal(*n as u32));
            }
            return match constant(target, ty, &s.value)? {
                Operand::Literal(n) if self.prefers_inline && ty.is_16() => Ok(inline_16(target, n).unwrap_or(Operand::Literal(n))),
                op => Ok(op),
            };
        }
        Err(match text.split_once(char::is_whitespace) {
            Some((first, rest)) => format!("expected a comma or a modifier after `{first}`, found `{}`", rest.trim()),
            None => format!("{}; expected {}", no_register(text, target), self.expected(column)),
        })
    }

    /// The type a source's number is read by.
    fn constant_type(&self, column: Opd, ty: Ty) -> Ty {
        let row = self.inst.row;
        let long = self.inst.enc == Enc::VOP3;
        match ty {
            // Mixed precision reads its constants as f16.
            Ty::F32 if row.flags.contains(Flags::MIX) => Ty::F16,
            // The exponent of v_ldexp_f16 takes float constants in the long form.
            Ty::I16 if long && row.flags.contains(Flags::M01) => Ty::F16,
            // The class mask of v_cmp_class_f16 is 16 bits wide in the short form only.
            Ty::B16 if long && row.is_compare() && matches!(column, Opd::S1(_)) => Ty::B32,
            // Beside v_dual_fmaak_f32 and its like every source of a dual instruction reads its numbers as f32.
            Ty::F16X2 if has_constant(row) || self.inst.row_y.is_some_and(has_constant) => Ty::F32,
            t => t.in_text(self.inst.enc),
        }
    }

    /// The register count the column wants.
    fn checked(&self, column: Opd, ty: Ty, op: Operand) -> Result<Operand, Reason> {
        // Here the form decides the width.
        let free = matches!(
            column,
            Opd::ADDR
                | Opd::SADDR
                | Opd::VADDR
                | Opd::VDATA(_)
                | Opd::RSRC(_)
                | Opd::SAMP
                | Opd::SOFFSET
                | Opd::D(_)
                | Opd::RD(_)
                | Opd::DA(_)
                | Opd::DB(_)
                | Opd::E(_)
        );
        let wanted = ty.dwords(self.wave_size);
        match op {
            Operand::Vgpr { count, .. } | Operand::Agpr { count, .. } | Operand::Sgpr { count, .. } if !free && count != wanted => {
                let null = matches!(op, Operand::Sgpr { n, .. } if Some(u32::from(n)) == ScalarSpace::of(self.inst.target).null);
                match op {
                    Operand::Sgpr { n, .. } if null => Ok(Operand::Sgpr { n, count: wanted }),
                    _ => Err(format!("expected {}, found {count} of them", self.expected(column))),
                }
            }
            op => Ok(op),
        }
    }

    /// Image addresses: one range, or a list in brackets.
    fn addresses(&mut self, text: &str) -> Result<(), Reason> {
        let list = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).map_or_else(|| vec![text], super::line::items);
        for item in list {
            let op = register(self.inst.target, &value(item)).ok_or("expected VGPRs")?;
            self.push(op)?;
        }
        Ok(())
    }

    /// A named or plain immediate.
    fn immediate(&self, kind: Imm, text: &str) -> Result<u32, Reason> {
        if let Some(n) = integer(text) {
            let simm = (-0x8000..=0xffff).contains(&n);
            return if simm { Ok(n as u32 & 0xffff) } else { Err(format!("{n} does not fit into 16 bits")) };
        }
        if kind == Imm::Branch {
            return self.distance(text);
        }
        named::immediate(self.inst.target, kind, text)
    }

    /// Distance in dwords from the next instruction to a label.
    fn distance(&self, label: &str) -> Result<u32, Reason> {
        let Some(at) = (self.labels)(label) else {
            return Err(format!("`{label}` is not a label; expected {}", self.expected(Opd::K(Imm::Branch))));
        };
        let distance = (at as i64 - (self.offset as i64 + 4)) / 4;
        if i16::try_from(distance).is_err() {
            return Err(format!("`{label}` is {distance} dwords away, a branch reaches -32768 to 32767"));
        }
        Ok(distance as u32 & 0xffff)
    }
}

/// An unsigned number of `bits` bits.
pub(super) fn number(text: &str, bits: u32) -> Result<u32, Reason> {
    match integer(text) {
        Some(n) if n >= 0 && n < 1 << bits => Ok(n as u32),
        _ => Err(format!("expected a number below {}", 1u64 << bits)),
    }
}

/// Has the instruction a literal of its own?
fn has_constant(row: &Row) -> bool {
    row.ops.iter().any(|o| matches!(o, Opd::LIT(_)))
}

/// The literal that always follows.
fn literal(target: Gfx, ty: Ty, text: &str) -> Result<u32, Reason> {
    // The dword is there in full, also where 16 bits of it count.
    if let Some(n) = integer(text).and_then(|n| u32::try_from(n).ok()) {
        return Ok(n);
    }
    match constant(target, ty, &value(text))? {
        Operand::Literal(v) => Ok(v),
        Operand::Int(n) => Ok(n as u32),
        Operand::Float(f) => Ok(if ty.is_16() { f.f16().into() } else { f.f32() }),
        _ => Err("expected a number".into()),
    }
}

/// What v_interp_mov_f32 moves.
fn parameter(text: &str) -> Result<u32, Reason> {
    if let Some(n) = text.strip_prefix("invalid_param_") {
        return number(n, 9);
    }
    let at = ["p10", "p20", "p0"].iter().position(|p| *p == text);
    at.map(|n| n as u32).ok_or_else(|| "expected p10, p20 or p0".into())
}

/// `attr3.y`: attribute and channel.
fn attribute(text: &str) -> Result<u32, Reason> {
    let parse = || {
        let (n, channel) = text.strip_prefix("attr")?.split_once('.')?;
        let channel = ["x", "y", "z", "w"].iter().position(|c| *c == channel)? as u32;
        Some(n.parse::<u32>().ok().filter(|n| *n < 64)? << 2 | channel)
    };
    parse().ok_or_else(|| "expected an attribute and its channel, such as attr0.x".into())
}
