//! Shifts of lanes: by a constant, by each lane's own count; of dwords and of low words.

use super::regs::{Class, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{PureOp, Value};
use wavejit_x86::Rm;

impl Wide<'_> {
    /// Shift counts, modulo `bits`: a constant, or in registers.
    pub(super) fn shift_count(&mut self, v: Value, bits: u32) -> Result<u8, Parts> {
        match self.splat_constant(v) {
            Some(n) => Ok((n as u32 & (bits - 1)) as u8),
            None => {
                let parts = self.val(v).lo;
                Err(self.each_part(&[parts], |w, part| {
                    let from = w.reg(part.ops[0]);
                    // Not over the operand: the mask must not outlive the instruction.
                    let (new, to) = w.new_in_register(Class::Vector);
                    let mask = w.splat32(bits - 1);
                    w.v(X::Pandd, to, from, mask);
                    new
                }))
            }
        }
    }

    /// A shift of dwords.
    pub(super) fn lane_shift(&mut self, x: Value, n: Value, by_constant: X, by_lane: X) -> Parts {
        let x = self.val(x).lo;
        self.shift_of(&x, n, by_constant, by_lane)
    }

    /// The same of pieces: these themselves if there is nothing to shift by.
    pub(super) fn shift_of(&mut self, x: &Parts, n: Value, by_constant: X, by_lane: X) -> Parts {
        let x = *x;
        match self.shift_count(n, 32) {
            Ok(0) => x,
            Ok(n) => self.unary(by_constant, x, Some(n)),
            Err(counts) => {
                let out = self.binary(by_lane, x, counts, false);
                self.drop_parts(&counts);
                out
            }
        }
    }

    /// A shift of low words.
    pub(super) fn shift16(&mut self, op: PureOp, x: Value, n: Value) -> Parts {
        let (x, left) = (self.val(x).lo, op == PureOp::Shl16);
        let (by_constant, by_lane) = match op {
            PureOp::Shl16 => (X::PslldImm, X::Psllvd),
            PureOp::LShr16 => (X::PsrldImm, X::Psrlvd),
            _ => (X::PsradImm, X::Psravd),
        };
        // What is shifted to the right is made a dword first.
        let widened = |w: &mut Self, from: PieceId| {
            let a = w.reg(from);
            if left {
                return a;
            }
            let t = w.temp();
            if op == PureOp::AShr16 {
                w.vi(X::PslldImm, 0, t, Rm::Reg(a), 16);
                w.vi(X::PsradImm, 0, t, Rm::Reg(t), 16);
            } else {
                let mask = w.splat32(0xffff);
                w.v(X::Pandd, t, a, mask);
            }
            t
        };
        let cut = |w: &mut Self, to: u8| {
            let mask = w.splat32(0xffff);
            w.v(X::Pandd, to, to, mask);
        };
        match self.shift_count(n, 16) {
            Ok(n) => self.each_part(&[x], |w, part| {
                let a = widened(w, part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.vi(by_constant, 0, to, Rm::Reg(a), n);
                cut(w, to);
                new
            }),
            Err(counts) => {
                let out = self.each_part(&[x, counts], |w, part| {
                    let (a, n) = (widened(w, part.ops[0]), w.reg(part.ops[1]));
                    let (new, to) = w.new_in_register(Class::Vector);
                    w.v(by_lane, to, a, Rm::Reg(n));
                    cut(w, to);
                    new
                });
                self.drop_parts(&counts);
                out
            }
        }
    }
}
