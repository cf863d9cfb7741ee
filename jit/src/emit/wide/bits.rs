//! Bit fields whose place or width is found out at run time, masks of bits, and the order and number of bits.

use super::lanes::Part;
use super::regs::{Class, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{PureOp, Value};
use wavejit_x86::{Len, Rm, Vector};

impl Wide<'_> {
    /// Emits the operation; none: it has no form here.
    pub(super) fn bit_fields(&mut self, op: PureOp, args: &[Option<Value>; 3], operands: [Parts; 3]) -> Option<Parts> {
        use PureOp::*;
        let arg = |i: usize| args[i].expect("the verifier has counted the operands");
        let x = operands[0];
        Some(match op {
            BfeU32 | BfeI32 => self.bit_field(op == BfeI32, arg(0), arg(1), arg(2)),
            Bfm32 => {
                let ones = match self.shift_count(arg(0), 32) {
                    Ok(n) => {
                        let (new, to) = self.new_in_register(Class::Vector);
                        let ones = self.element32((1 << n) - 1);
                        self.v(X::Broadcast, to, 0, ones);
                        self.all(new)
                    }
                    Err(counts) => self.ones_below(counts),
                };
                let out = self.shift_of(&ones, arg(1), X::PslldImm, X::Psllvd);
                if out != ones {
                    self.drop_parts(&ones);
                }
                out
            }
            BitRev32 => self.each_part(&[x], |w, part| w.reversed_bits(part)),
            Popcnt32 if self.host.popcnt => self.unary(X::Popcntd, x, None),
            FfbhU32 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.leading_zeros(to, from);
                new
            }),
            FfbhI32 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let t = w.temp();
                w.vi(X::PsradImm, 0, t, Rm::Reg(from), 31);
                w.v(X::Pxord, t, t, Rm::Reg(from));
                w.leading_zeros(to, t);
                new
            }),
            FfblB32 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                // 31 - leading zeros of the lowest bit: -1 for none.
                let t = w.temp();
                w.v(X::Pxord, to, to, Rm::Reg(to));
                w.v(X::Psubd, to, to, Rm::Reg(from));
                w.v(X::Pandd, to, to, Rm::Reg(from));
                w.v(X::Plzcntd, t, 0, Rm::Reg(to));
                let c = w.element32(31);
                w.v(X::Broadcast, to, 0, c);
                w.v(X::Psubd, to, to, Rm::Reg(t));
                new
            }),
            _ => return None,
        })
    }

    fn leading_zeros(&mut self, to: u8, from: u8) {
        let k = self.temp_mask();
        self.v(X::Ptestnmd, k, from, Rm::Reg(from));
        self.v(X::Plzcntd, to, 0, Rm::Reg(from));
        self.vector(Vector::new(X::Pternlogd, Len::Z, to, to, Rm::Reg(to)).imm(0xff).mask(k));
        self.free_temp(Class::Mask, k);
    }

    /// `x >> offset`, of which so many bits are kept.
    fn bit_field(&mut self, is_signed: bool, x: Value, offset: Value, width: Value) -> Parts {
        let (shift, by_lane) = if is_signed { (X::PsradImm, X::Psravd) } else { (X::PsrldImm, X::Psrlvd) };
        let from = self.val(x).lo;
        let width = match self.shift_count(width, 32) {
            Ok(width) => width,
            Err(widths) => {
                let field = self.field_from(&from, offset, shift, by_lane);
                let out = if is_signed {
                    let out = self.each_part(&[field, widths], |w, part| {
                        let (a, n) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                        let (new, to) = w.new_in_register(Class::Vector);
                        // Counts of 32 shift all out, and the sign of nothing in.
                        let (t, bits) = (w.temp(), w.element32(32));
                        w.v(X::Broadcast, t, 0, bits);
                        w.v(X::Psubd, t, t, Rm::Reg(n));
                        w.v(X::Psllvd, to, a, Rm::Reg(t));
                        w.v(X::Psravd, to, to, Rm::Reg(t));
                        new
                    });
                    self.drop_parts(&widths);
                    out
                } else {
                    let ones = self.ones_below(widths);
                    let out = self.binary(X::Pandd, field, ones, true);
                    self.drop_parts(&ones);
                    out
                };
                self.drop_parts(&field);
                return out;
            }
        };
        if width == 0 {
            let (new, to) = self.new_in_register(Class::Vector);
            self.v(X::Pxord, to, to, Rm::Reg(to));
            return self.all(new);
        }
        match self.splat_constant(offset).map(|n| n as u8 & 31) {
            Some(offset) if offset + width >= 32 => self.unary(shift, from, Some(offset)),
            Some(0) if !is_signed => self.each_part(&[from], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_over(part.free);
                let mask = w.splat32((1 << width) - 1);
                w.v(X::Pandd, to, from, mask);
                new
            }),
            Some(offset) => self.each_part(&[from], |w, part| {
                let from = w.rm(part.ops[0]);
                let (new, to) = w.new_over(part.free);
                w.vi(X::PslldImm, 0, to, from, 32 - offset - width);
                w.vi(shift, 0, to, Rm::Reg(to), 32 - width);
                new
            }),
            None => {
                let field = self.field_from(&from, offset, shift, by_lane);
                let out = self.each_part(&[field], |w, part| {
                    let from = w.reg(part.ops[0]);
                    let (new, to) = w.new_over(part.free);
                    if is_signed {
                        w.vi(X::PslldImm, 0, to, Rm::Reg(from), 32 - width);
                        w.vi(X::PsradImm, 0, to, Rm::Reg(to), 32 - width);
                    } else {
                        let mask = w.splat32((1 << width) - 1);
                        w.v(X::Pandd, to, from, mask);
                    }
                    new
                });
                self.drop_parts(&field);
                out
            }
        }
    }

    /// `x >> offset` in registers of its own: what comes between must not stand where the result of the instruction may.
    fn field_from(&mut self, x: &Parts, offset: Value, shift: X, by_lane: X) -> Parts {
        match self.shift_count(offset, 32) {
            Ok(n) => self.each_part(&[*x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.vi(shift, 0, to, Rm::Reg(from), n);
                new
            }),
            Err(counts) => {
                let out = self.each_part(&[*x, counts], |w, part| {
                    let (from, n) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                    let (new, to) = w.new_in_register(Class::Vector);
                    w.v(by_lane, to, from, Rm::Reg(n));
                    new
                });
                self.drop_parts(&counts);
                out
            }
        }
    }

    /// 2^n - 1 for counts below 32, which are given up.
    fn ones_below(&mut self, counts: Parts) -> Parts {
        let out = self.each_part(&[counts], |w, part| {
            let n = w.reg(part.ops[0]);
            let (new, to) = w.new_in_register(Class::Vector);
            w.vi(X::Pternlogd, to, to, Rm::Reg(to), 0xff);
            w.v(X::Psllvd, to, to, Rm::Reg(n));
            w.vi(X::Pternlogd, to, to, Rm::Reg(to), 0x55);
            new
        });
        self.drop_parts(&counts);
        out
    }

    /// Nibbles by a table, then bytes.
    fn reversed_bits(&mut self, part: Part) -> PieceId {
        let from = self.reg(part.ops[0]);
        let (new, to) = self.new_in_register(Class::Vector);
        let (t, table) = (self.temp(), self.temp());
        let nibble = |lane: u32, shift: u32| {
            u32::from_le_bytes(std::array::from_fn(|i| ((lane % 4 * 4 + i as u32).reverse_bits() >> 28 << shift) as u8))
        };
        let low = self.splat32(0x0f0f_0f0f);
        let reversed = self.table(|lane| nibble(lane, 4));
        self.v(X::MovLoad, table, 0, reversed);
        self.v(X::Pandd, to, from, low);
        self.v(X::Pshufb, to, table, Rm::Reg(to));
        let reversed = self.table(|lane| nibble(lane, 0));
        self.v(X::MovLoad, table, 0, reversed);
        self.vi(X::PsrldImm, 0, t, Rm::Reg(from), 4);
        self.v(X::Pandd, t, t, low);
        self.v(X::Pshufb, t, table, Rm::Reg(t));
        self.v(X::Pord, to, to, Rm::Reg(t));
        let order = self.table(|lane| u32::from_be_bytes(std::array::from_fn(|i| (lane % 4 * 4) as u8 + i as u8)));
        self.v(X::Pshufb, to, to, order);
        new
    }
}
