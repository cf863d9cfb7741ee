//! Dwords as four bytes, or eight nibbles: permutations, dot products, sums of differences, averages.

use super::lanes::Part;
use super::rare::Lanes;
use super::regs::{Class, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, PureOp};
use wavejit_x86::{Cond, Rm};

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

    /// v_perm_b32 whose selectors are found out at run time. Those that name no byte, but a sign or a constant, are the row function's.
    pub(super) fn permuted_bytes(&mut self, mode: FpMode, part: Part) -> PieceId {
        let [a, b, selector] = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        let (index, of_a, k) = (self.temp(), self.temp(), self.temp_mask());
        // Bit 2 says which of the two; an index with bit 7 set gives zero.
        let (which, within, top) = (self.splat32(0x0404_0404), self.splat32(0x0303_0303), self.splat32(0x8080_8080));
        self.v(X::Pandd, of_a, selector, which);
        self.vi(X::PslldImm, 0, of_a, Rm::Reg(of_a), 5);
        self.v(X::Pandd, index, selector, within);
        let lane = self.table(|lane| lane % 4 * 0x0404_0404);
        self.v(X::Pord, index, index, lane);
        self.v(X::Pord, index, index, Rm::Reg(of_a));
        self.v(X::Pshufb, to, b, Rm::Reg(index));
        self.v(X::Pxord, index, index, top);
        self.v(X::Pshufb, index, a, Rm::Reg(index));
        self.v(X::Pord, to, to, Rm::Reg(index));
        let others = self.splat32(0xf8f8_f8f8);
        self.v(X::Ptestmd, k, selector, others);
        self.any(k);
        self.rarely(Cond::Ne, PureOp::Perm32, mode, [a, b, selector].map(Lanes::Dwords).to_vec(), Lanes::Dwords(to));
        new
    }

    /// Emits the operation; none: it has no form here.
    pub(super) fn sums_of_bytes(&mut self, op: PureOp, operands: [Parts; 3]) -> Option<Parts> {
        use PureOp::*;
        Some(match op {
            SadU8 | MsadU8 | SadU16 | SadU32 => self.each_part(&operands, |w, part| w.sum_of_differences(op, part)),
            LerpU8 => self.each_part(&operands, |w, part| w.average_of_bytes(part)),
            Dot8SS | Dot8SU | Dot8US | Dot8UU => self.each_part(&operands[..2], |w, part| w.dot8(op, part)),
            _ => return None,
        })
    }

    fn sum_of_differences(&mut self, op: PureOp, part: Part) -> PieceId {
        let [a, b, c] = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        let t = self.temp();
        if op == PureOp::SadU32 {
            self.v(X::Pmaxud, to, a, Rm::Reg(b));
            self.v(X::Pminud, t, a, Rm::Reg(b));
            self.v(X::Psubd, to, to, Rm::Reg(t));
        } else {
            // One of the two differences is negative, which is zero here.
            let less = if op == PureOp::SadU16 { X::Psubusw } else { X::Psubusb };
            self.v(less, to, a, Rm::Reg(b));
            self.v(less, t, b, Rm::Reg(a));
            self.v(X::Pord, to, to, Rm::Reg(t));
        }
        match op {
            PureOp::SadU8 | PureOp::MsadU8 => {
                let (ones, words) = (self.table(|_| 0x0101_0101), self.table(|_| 0x0001_0001));
                if op == PureOp::MsadU8 {
                    self.v(X::Pminub, t, b, ones);
                    self.v(X::Pmaddubsw, to, to, Rm::Reg(t));
                } else {
                    self.v(X::Pmaddubsw, to, to, ones);
                }
                self.v(X::Pmaddwd, to, to, words);
            }
            PureOp::SadU16 => {
                self.vi(X::PsrldImm, 0, t, Rm::Reg(to), 16);
                let low = self.splat32(0xffff);
                self.v(X::Pandd, to, to, low);
                self.v(X::Paddd, to, to, Rm::Reg(t));
            }
            _ => {}
        }
        self.v(X::Paddd, to, to, Rm::Reg(c));
        new
    }

    fn average_of_bytes(&mut self, part: Part) -> PieceId {
        let [a, b, c] = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        let t = self.temp();
        // The instruction rounds up; where c says otherwise, odd sums are one less.
        self.v(X::Pxord, t, a, Rm::Reg(b));
        self.v(X::Pandnd, t, c, Rm::Reg(t));
        let ones = self.splat32(0x0101_0101);
        self.v(X::Pandd, t, t, ones);
        self.v(X::Pavgb, to, a, Rm::Reg(b));
        self.v(X::Psubb, to, to, Rm::Reg(t));
        new
    }

    /// Sums of eight products of nibbles: as bytes, those of even ones and those of odd ones. The instruction takes unsigned by signed ones; a signed
    /// first one is moved by 8, which is put right.
    fn dot8(&mut self, op: PureOp, part: Part) -> PieceId {
        let [a_signed, b_signed] = match op {
            PureOp::Dot8SS => [true, true],
            PureOp::Dot8SU => [true, false],
            PureOp::Dot8US => [false, true],
            _ => [false, false],
        };
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let [p, q, sum] = [self.temp(), self.temp(), self.temp()];
        let (low, eights) = (self.splat32(0x0f0f_0f0f), self.splat32(0x0808_0808));
        let bytes_of_eight = self.table(|_| 0x0808_0808);
        for is_odd in [false, true] {
            for (to, from, signed) in [(p, a, a_signed), (q, b, b_signed)] {
                if is_odd {
                    self.vi(X::PsrldImm, 0, to, Rm::Reg(from), 4);
                    self.v(X::Pandd, to, to, low);
                } else {
                    self.v(X::Pandd, to, from, low);
                }
                if signed {
                    self.v(X::Pxord, to, to, eights);
                }
            }
            if b_signed {
                self.v(X::Psubb, q, q, bytes_of_eight);
            }
            self.v(X::Pmaddubsw, p, p, Rm::Reg(q));
            if is_odd {
                self.v(X::Paddw, to, to, Rm::Reg(p));
                self.v(X::Paddb, sum, sum, Rm::Reg(q));
            } else {
                self.v(X::MovAligned, to, 0, Rm::Reg(p));
                self.v(X::MovAligned, sum, 0, Rm::Reg(q));
            }
        }
        if a_signed {
            self.v(X::MovLoad, p, 0, bytes_of_eight);
            self.v(X::Pmaddubsw, p, p, Rm::Reg(sum));
            self.v(X::Psubw, to, to, Rm::Reg(p));
        }
        let words = self.table(|_| 0x0001_0001);
        self.v(X::Pmaddwd, to, to, words);
        new
    }
}
