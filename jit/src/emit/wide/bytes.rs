//! Dwords as four bytes: permutations and dot products.

use super::regs::{Class, Parts};
use super::{Wide, X};
use wavejit_ir::PureOp;
use wavejit_x86::Rm;

impl Wide<'_> {
    /// v_perm_b32 with a constant selector whose bytes name bytes of y (0 to 3), of x (4 to 7), zero (12) or ones (above).
    pub(super) fn byte_permutation(&mut self, x: Parts, y: Parts, selector: u32) -> Parts {
        let bytes = selector.to_le_bytes();
        // Index tables for the two operands: 0x80 gives zero.
        let pick = |from: std::ops::Range<u8>| {
            move |lane: u32| {
                u32::from_le_bytes(std::array::from_fn(|i| {
                    if from.contains(&bytes[i]) { (bytes[i] - from.start) + 4 * (lane as u8 % 4) } else { 0x80 }
                }))
            }
        };
        let ones = u32::from_le_bytes(bytes.map(|b| if b > 12 { 0xff } else { 0 }));
        let (from_x, from_y) = (bytes.iter().any(|b| (4..8).contains(b)), bytes.iter().any(|b| *b < 4));
        self.each_part(&[x, y], |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
            let (new, to) = w.new_in_register(Class::Vector);
            match (from_x, from_y) {
                (true, true) => {
                    let t = w.temp();
                    let table = w.table(pick(4..8));
                    w.v(X::Pshufb, to, a, table);
                    let table = w.table(pick(0..4));
                    w.v(X::Pshufb, t, b, table);
                    w.v(X::Pord, to, to, Rm::Reg(t));
                }
                (true, false) => {
                    let table = w.table(pick(4..8));
                    w.v(X::Pshufb, to, a, table);
                }
                (false, true) => {
                    let table = w.table(pick(0..4));
                    w.v(X::Pshufb, to, b, table);
                }
                (false, false) => w.v(X::Pxord, to, to, Rm::Reg(to)),
            }
            if ones != 0 {
                let ones = w.splat32(ones);
                w.v(X::Pord, to, to, ones);
            }
            new
        })
    }

    /// Sums of four products of bytes: those of even bytes, and those of odd ones, as words.
    pub(super) fn dot4_by_words(&mut self, x: Parts, y: Parts, op: PureOp) -> Parts {
        let signed = match op {
            PureOp::Dot4SS => [true, true],
            PureOp::Dot4SU => [true, false],
            PureOp::Dot4US => [false, true],
            _ => [false, false],
        };
        self.each_part(&[x, y], |w, part| {
            let from = [w.reg(part.ops[0]), w.reg(part.ops[1])];
            let (new, to) = w.new_in_register(Class::Vector);
            let [t, u] = [w.temp(), w.temp()];
            for ((to, from), signed) in [to, t].into_iter().zip(from).zip(signed) {
                w.vi(X::PsllwImm, 0, to, Rm::Reg(from), 8);
                w.vi(if signed { X::PsrawImm } else { X::PsrlwImm }, 0, to, Rm::Reg(to), 8);
            }
            w.v(X::Pmaddwd, to, to, Rm::Reg(t));
            for ((to, from), signed) in [t, u].into_iter().zip(from).zip(signed) {
                w.vi(if signed { X::PsrawImm } else { X::PsrlwImm }, 0, to, Rm::Reg(from), 8);
            }
            w.v(X::Pmaddwd, t, t, Rm::Reg(u));
            w.v(X::Paddd, to, to, Rm::Reg(t));
            new
        })
    }

    /// Sums of four products of bytes. The instruction takes unsigned by signed ones; others are moved by 128 and put right.
    pub(super) fn dot4(&mut self, x: Parts, y: Parts, op: PureOp) -> Parts {
        let (x, y) = if op == PureOp::Dot4SU { (y, x) } else { (x, y) };
        self.each_part(&[x, y], |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
            let (new, to) = w.new_in_register(Class::Vector);
            w.v(X::Pxord, to, to, Rm::Reg(to));
            match op {
                PureOp::Dot4SS => {
                    // (a + 128) * b - 128 * b
                    let (t, bias) = (w.temp(), w.temp());
                    let c = w.element32(0x8080_8080);
                    w.v(X::Broadcast, bias, 0, c);
                    w.v(X::Pxord, t, a, Rm::Reg(bias));
                    w.v(X::Pdpbusd, to, bias, Rm::Reg(b));
                    w.v(X::Pxord, bias, bias, Rm::Reg(bias));
                    w.v(X::Pdpbusd, bias, t, Rm::Reg(b));
                    w.v(X::Psubd, to, bias, Rm::Reg(to));
                }
                PureOp::Dot4UU => {
                    // a * (b - 128) + 128 * a
                    let (t, sum) = (w.temp(), w.temp());
                    let bias = w.splat32(0x8080_8080);
                    w.v(X::Pxord, t, b, bias);
                    w.v(X::Pdpbusd, to, a, Rm::Reg(t));
                    w.v(X::Pxord, sum, sum, Rm::Reg(sum));
                    let ones = w.splat32(0x0101_0101);
                    w.v(X::Pdpbusd, sum, a, ones);
                    w.vi(X::PslldImm, 0, sum, Rm::Reg(sum), 7);
                    w.v(X::Paddd, to, to, Rm::Reg(sum));
                }
                _ => w.v(X::Pdpbusd, to, a, Rm::Reg(b)),
            }
            new
        })
    }
}
