//! Conversions to integers of 16 and 8 bits, and between them; those to 32 bits that saturate.

use super::lanes::{ORDERED, Part};
use super::regs::{Class, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, PureOp, Value};
use wavejit_x86::{Len, Rm, Vector};

/// vcmpps: the first of two numbers is at least the second.
const AT_LEAST: u8 = 0x1d;

/// What a 16-bit integer is made of.
#[derive(Clone, Copy)]
enum From16 {
    /// f32, toward zero.
    F32,
    /// f16, toward zero.
    F16,
    /// f32 times the greatest integer, to nearest even.
    Norm32,
    /// The same of f16.
    Norm16,
    Integer,
}

impl Wide<'_> {
    /// Emits the operation; none: it has no form here.
    pub(super) fn small_integers(&mut self, op: PureOp, mode: FpMode, args: &[Option<Value>; 3], operands: [Parts; 3]) -> Option<Parts> {
        use PureOp::*;
        let [x, y, _] = operands;
        Some(match op {
            CvtPkI16F32 => self.two_words(From16::F32, true, x, y),
            CvtPkU16F32 => self.two_words(From16::F32, false, x, y),
            CvtPkI16I32 => self.two_words(From16::Integer, true, x, y),
            CvtPkU16U32 => self.two_words(From16::Integer, false, x, y),
            CvtPkNormI16F32 => self.two_words(From16::Norm32, true, x, y),
            CvtPkNormU16F32 => self.two_words(From16::Norm32, false, x, y),
            CvtPkNormI16F16 => self.two_words(From16::Norm16, true, x, y),
            CvtPkNormU16F16 => self.two_words(From16::Norm16, false, x, y),
            CvtNormI16F16 => self.one_word(From16::Norm16, true, x),
            CvtNormU16F16 => self.one_word(From16::Norm16, false, x),
            CvtI16F16 => self.one_word(From16::F16, true, x),
            CvtU16F16 => self.one_word(From16::F16, false, x),
            CvtPkU8F32 => {
                let byte = args[1].and_then(|v| self.splat_constant(v)).map(|n| n as u8 & 3);
                self.each_part(&operands, |w, part| w.byte_into(part, byte))
            }
            CvtNearestI32F32 | CvtFloorI32F32 if mode.is_plain32() => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let t = w.temp();
                w.vi(X::Rndscaleps, t, 0, Rm::Reg(from), 9);
                if op == CvtNearestI32F32 {
                    // One more where the rest, which is exact unless it is nearly 1, is a half or more.
                    let k = w.temp_mask();
                    w.v(X::Subps, to, from, Rm::Reg(t));
                    let (half, one) = (w.splat32(0.5f32.to_bits()), w.splat32(1f32.to_bits()));
                    w.vi(X::Cmpps, k, to, half, AT_LEAST);
                    w.vector(Vector::new(X::Addps, Len::Z, t, t, one).mask(k));
                    w.free_temp(Class::Mask, k);
                }
                w.saturated_i32(to, t);
                new
            }),
            CvtOffF32I4 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.vi(X::PslldImm, 0, to, Rm::Reg(from), 28);
                w.vi(X::PsradImm, 0, to, Rm::Reg(to), 28);
                w.v(X::Cvtdq2ps, to, 0, Rm::Reg(to));
                let unit = w.splat32(0.0625f32.to_bits());
                w.v(X::Mulps, to, to, unit);
                new
            }),
            SatPkU8I16 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let t = w.temp();
                let most = w.table(|_| 0x00ff_00ff);
                w.v(X::Pxord, to, to, Rm::Reg(to));
                w.v(X::Pmaxsw, to, to, Rm::Reg(from));
                w.v(X::Pminsw, to, to, most);
                w.vi(X::PsrldImm, 0, t, Rm::Reg(to), 8);
                w.v(X::Pord, to, to, Rm::Reg(t));
                let low = w.splat32(0xffff);
                w.v(X::Pandd, to, to, low);
                new
            }),
            _ => return None,
        })
    }

    /// to = the i32 toward zero of an f32; of NaNs 0, beyond the range its ends. Not over the operand.
    pub(super) fn saturated_i32(&mut self, to: u8, from: u8) {
        let k = self.temp_mask();
        self.vi(X::Cmpps, k, from, Rm::Reg(from), ORDERED);
        self.vector(Vector::new(X::Cvttps2dq, Len::Z, to, 0, Rm::Reg(from)).zeroing(k));
        // 2^31 and more: the greatest number. What is below -2^31 gives the least by itself.
        let limit = self.splat32(2147483648f32.to_bits());
        self.vi(X::Cmpps, k, from, limit, AT_LEAST);
        self.set_lanes(to, k, i32::MAX as u32);
        self.free_temp(Class::Mask, k);
    }

    fn one_word(&mut self, kind: From16, is_signed: bool, x: Parts) -> Parts {
        self.each_part(&[x], |w, part| {
            let from = w.reg(part.ops[0]);
            let (new, to) = w.new_in_register(Class::Vector);
            w.word_of(to, from, kind, is_signed);
            let low = w.splat32(0xffff);
            w.v(X::Pandd, to, to, low);
            new
        })
    }

    fn two_words(&mut self, kind: From16, is_signed: bool, x: Parts, y: Parts) -> Parts {
        self.each_part(&[x, y], |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
            let (new, to) = w.new_in_register(Class::Vector);
            let t = w.temp();
            w.word_of(to, a, kind, is_signed);
            w.word_of(t, b, kind, is_signed);
            let low = w.splat32(0xffff);
            w.v(X::Pandd, to, to, low);
            w.vi(X::PslldImm, 0, t, Rm::Reg(t), 16);
            w.v(X::Pord, to, to, Rm::Reg(t));
            new
        })
    }

    /// to = a 16-bit integer, in a dword. Not over the operand.
    fn word_of(&mut self, to: u8, from: u8, kind: From16, is_signed: bool) {
        let ends = if is_signed { [-32768f32, 32767.0] } else { [0.0, 65535.0] };
        let from = match kind {
            From16::Integer => {
                if is_signed {
                    let (least, most) = (self.splat32(-32768i32 as u32), self.splat32(32767));
                    self.v(X::Pmaxsd, to, from, least);
                    self.v(X::Pminsd, to, to, most);
                } else {
                    let most = self.splat32(65535);
                    self.v(X::Pminud, to, from, most);
                }
                return;
            }
            From16::F16 | From16::Norm16 => {
                self.f32_of_low(to, from);
                to
            }
            From16::F32 | From16::Norm32 => from,
        };
        // A NaN is 0.
        let k = self.temp_mask();
        self.vi(X::Cmpps, k, from, Rm::Reg(from), ORDERED);
        if matches!(kind, From16::F32 | From16::F16) {
            let [least, most] = ends.map(|end| self.splat32(end.to_bits()));
            self.vector(Vector::new(X::Maxps, Len::Z, to, from, least).zeroing(k));
            self.v(X::Minps, to, to, most);
            self.v(X::Cvttps2dq, to, 0, Rm::Reg(to));
        } else {
            // Products are exact in f64.
            let factor = f64::from(ends[1]);
            self.by_halves(to, from, |w, d| {
                let (by, least) = (w.splat64(factor.to_bits()), w.splat64(if is_signed { (-factor).to_bits() } else { 0 }));
                w.v(X::Mulpd, d, d, by);
                w.v(X::Maxpd, d, d, least);
                w.v(X::Minpd, d, d, by);
                w.vi(X::Rndscalepd, d, 0, Rm::Reg(d), 8);
            });
            self.vector(Vector::new(X::Cvtps2dq, Len::Z, to, 0, Rm::Reg(to)).zeroing(k));
        }
        self.free_temp(Class::Mask, k);
    }

    /// An f32, toward zero to a byte, in the place of one of the bytes of a dword: in a known one, or in that which each lane names.
    fn byte_into(&mut self, part: Part, byte: Option<u8>) -> PieceId {
        let [x, n, old] = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        let (value, count) = (self.temp(), self.temp());
        // Of a NaN and 0 the greater is the second operand.
        self.v(X::Pxord, value, value, Rm::Reg(value));
        self.v(X::Maxps, value, x, Rm::Reg(value));
        let most = self.splat32(255f32.to_bits());
        self.v(X::Minps, value, value, most);
        self.v(X::Cvttps2dq, value, 0, Rm::Reg(value));
        let bits = self.element32(0xff << (8 * byte.unwrap_or(0)));
        self.v(X::Broadcast, to, 0, bits);
        match byte {
            Some(byte) => self.vi(X::PslldImm, 0, value, Rm::Reg(value), 8 * byte),
            None => {
                let which = self.splat32(3);
                self.v(X::Pandd, count, n, which);
                self.vi(X::PslldImm, 0, count, Rm::Reg(count), 3);
                self.v(X::Psllvd, value, value, Rm::Reg(count));
                self.v(X::Psllvd, to, to, Rm::Reg(count));
            }
        }
        // to ? value : old
        self.vi(X::Pternlogd, to, value, Rm::Reg(old), 0xca);
        new
    }
}
