//! Comparisons and mask registers, which are vectors with all ones in the lanes of the mask.

use super::super::calls::CARGO_BITS;
use super::super::memory::Access;
use super::super::regs::{Class, PieceId};
use super::super::{Wide, X, sreg};
use super::{S0, S1, S2};
use wavejit_ir::SReg;
use wavejit_x86::{Alu, Gpr, Len, Mem, Rm, Shift, Size, Vector};

const SIGN: u32 = 0x8000_0000;

/// How an integer comparison is made.
struct Comparison {
    unsigned: bool,
    wide: bool,
    /// Predicate of vpcmp.
    predicate: u8,
}

fn comparison(i: Vector) -> Option<Comparison> {
    let predicate = i.imm.unwrap_or(0);
    Some(match i.op {
        X::Pcmpd => Comparison { unsigned: false, wide: false, predicate },
        X::Pcmpud => Comparison { unsigned: true, wide: false, predicate },
        X::Pcmpq => Comparison { unsigned: false, wide: true, predicate },
        X::Pcmpuq => Comparison { unsigned: true, wide: true, predicate },
        _ => return None,
    })
}

impl Wide<'_> {
    /// A comparison under a mask: its result is zero in other lanes. False: it is none.
    pub(super) fn compare_under_mask(&mut self, i: Vector) -> bool {
        let negated = if let Some(c) = comparison(i) {
            self.compare_in_avx2(i, &c, S0)
        } else if matches!(i.op, X::Ptestmd | X::Ptestmq | X::Ptestnmd) {
            self.test_in_avx2(i, S0)
        } else if matches!(i.op, X::Cmpps | X::Cmppd) {
            self.compute(Vector { mask: 0, ..i }, S0);
            false
        } else {
            return false;
        };
        let mask = self.source(i.mask, S2);
        let to = self.destination(i.reg);
        self.y(if negated { X::Pandn } else { X::Pand }, to, S0, Rm::Reg(mask));
        self.deliver(i.reg, to);
        true
    }

    /// Computes a mask; false: the instruction gives none.
    pub(super) fn masks_in_avx2(&mut self, i: Vector, to: u8) -> bool {
        if let Some(c) = comparison(i) {
            if self.compare_in_avx2(i, &c, to) {
                self.invert(to, to);
            }
            return true;
        }
        match i.op {
            X::Ptestmd | X::Ptestmq | X::Ptestnmd => {
                if self.test_in_avx2(i, to) {
                    self.invert(to, to);
                }
            }
            X::Fpclassps => self.class32(i, to),
            X::Fpclasspd => self.class64(i, to),
            X::Knotw => {
                let Rm::Reg(k) = i.rm else { unreachable!("a mask register") };
                let k = self.source(k, S1);
                self.invert(to, k);
            }
            X::Kandw | X::Kandnw | X::Korw | X::Kxorw => {
                let op = super::same(i.op).expect("they are logic of vectors");
                let (a, b) = (self.source(i.v, S1), self.operand(i.rm, i.op.row().tuple));
                self.y(op, to, a, b);
            }
            X::Kxnorw => {
                debug_assert_eq!(Rm::Reg(i.v), i.rm, "all ones");
                self.ones(to);
            }
            X::Kmovw => match i.rm {
                Rm::Reg(k) => self.copy(to, k),
                // Bits in memory.
                rm => {
                    self.y(X::Broadcast, S0, 0, rm);
                    self.spread_bits(to, S0, 0);
                }
            },
            _ => return false,
        }
        true
    }

    pub(super) fn move_result(&mut self, to: u8) {
        if to != S0 {
            self.y(X::MovAlignedY, to, 0, Rm::Reg(S0));
        }
    }

    /// to = ~from
    fn invert(&mut self, to: u8, from: u8) {
        let ones = self.all32(u32::MAX);
        self.y(X::Pxor, to, from, ones);
    }

    /// to = a comparison of integers. Returns whether it is its opposite.
    fn compare_in_avx2(&mut self, i: Vector, c: &Comparison, to: u8) -> bool {
        use super::super::lanes::{EQ, GE, GT, LE, NE};
        let tuple = i.op.row().tuple;
        let (equal, greater) = if c.wide { (X::Pcmpeqq, X::Pcmpgtq) } else { (X::Pcmpeqd, X::Pcmpgtd) };
        let a = self.source(i.v, S1);
        if matches!(c.predicate, EQ | NE) {
            let b = self.operand(i.rm, tuple);
            self.y(equal, to, a, b);
            return c.predicate == NE;
        }
        if c.unsigned && !c.wide {
            let b = self.operand(i.rm, tuple);
            // At least: the greater one is a. At most: the less one is a.
            let at_least = matches!(c.predicate, GE | super::super::lanes::LT);
            self.y(if at_least { X::Pmaxud } else { X::Pminud }, S0, a, b);
            self.y(equal, to, S0, Rm::Reg(a));
            return !matches!(c.predicate, GE | LE);
        }
        let mut a = a;
        let mut b = self.operand_in_register(i.rm, tuple);
        if c.unsigned {
            let sign = self.all64(1 << 63);
            self.y(X::Pxor, S0, a, sign);
            self.y(X::Pxor, S2, b, sign);
            (a, b) = (S0, S2);
        }
        if matches!(c.predicate, GT | LE) {
            self.y(greater, to, a, Rm::Reg(b));
        } else {
            self.y(greater, to, b, Rm::Reg(a));
        }
        matches!(c.predicate, LE | GE)
    }

    /// to = lanes in which the operands have a bit in common. Returns whether it is its opposite.
    fn test_in_avx2(&mut self, i: Vector, to: u8) -> bool {
        let (a, b) = (self.source(i.v, S1), self.operand(i.rm, i.op.row().tuple));
        self.y(X::Pand, S0, a, b);
        self.zero(S1);
        self.y(if i.op == X::Ptestmq { X::Pcmpeqq } else { X::Pcmpeqd }, to, S0, Rm::Reg(S1));
        i.op != X::Ptestnmd
    }

    /// to = mask of 8 bits, of the dword that `from` has in every lane: from bit 8 * `byte` on.
    pub(in super::super) fn spread_bits(&mut self, to: u8, from: u8, byte: usize) {
        let bytes: Vec<u8> = (0..8).flat_map(|i| (1u32 << (8 * byte + i)).to_le_bytes()).collect();
        let bits = Rm::Mem(Mem::constant(self.a.constant(&bytes)));
        self.y(X::Pand, S0, from, bits);
        let to_compute = self.destination(to);
        self.y(X::Pcmpeqd, to_compute, S0, bits);
        self.deliver(to, to_compute);
    }

    /// The mask of a part, in `reg`, from the bits in a word. `spread` has the dword of the part before in every lane, if there was one; returns
    /// that of this part.
    pub(in super::super) fn mask_of_part(&mut self, word: PieceId, reg: u8, part: usize, spread: Option<u8>) -> Option<u8> {
        let t = match spread {
            Some(t) if !part.is_multiple_of(4) => t,
            _ => {
                let t = spread.unwrap_or_else(|| self.temp());
                let word = Gpr(self.reg(word));
                if part == 0 {
                    self.v(X::BroadcastGpr, t, 0, Rm::Reg(word.0));
                } else {
                    let high = self.temp_general();
                    self.a.mov(Size::Q, high, word);
                    self.a.shift(Shift::Shr, Size::Q, high, 32);
                    self.v(X::BroadcastGpr, t, 0, Rm::Reg(high.0));
                    self.free_temp(Class::General, high.0);
                }
                t
            }
        };
        let from = self.source(t, S1);
        self.spread_bits(reg, from, part % 4);
        Some(t)
    }

    /// The masks of an access that come late, from their word.
    pub(in super::super) fn make_masks(&mut self, a: &Access) {
        let Some(word) = a.word else { return };
        for (p, reg) in a.exec.iter().enumerate() {
            if p % 4 == 0 {
                self.append(Vector::new(X::MovqFromGpr, Len::X, S1, 0, Rm::Reg(word.0)));
                if p > 0 {
                    self.append(Vector::new(X::Pshufd, Len::X, S1, 0, Rm::Reg(S1)).imm(0x55));
                }
                self.y(X::Broadcast, S1, 0, Rm::Reg(S1));
            }
            self.spread_bits(*reg, S1, p % 4);
        }
    }

    /// Sets the carry if a mask has all lanes.
    pub(in super::super) fn every(&mut self, k: u8) {
        if !self.is_avx2() {
            return self.any(k);
        }
        let (k, ones) = (self.source(k, S0), self.all32(u32::MAX));
        self.y(X::Ptest, k, 0, ones);
    }

    /// The mask of a part, from scalar registers.
    pub(in super::super) fn mask_from_sreg(&mut self, to: u8, from: SReg, part: u8) {
        let dword = Rm::Mem(sreg(from).plus(4 * i32::from(part / 4)));
        self.y(X::Broadcast, S1, 0, dword);
        self.spread_bits(to, S1, usize::from(part % 4));
    }

    /// The bits of the masks of a wave, in a general register.
    pub(in super::super) fn bits_in_avx2(&mut self, k: &[u8], to: Gpr) {
        for (n, k) in k.chunks(4).enumerate().rev() {
            // Bytes of lanes 0 to 3 of all parts, then of lanes 4 to 7.
            let a = self.source(k[0], S0);
            let b = self.operand(Rm::Reg(k[1]), wavejit_x86::table::Tuple::Whole);
            self.y(X::Packssdw, S0, a, b);
            let c = self.source(k[2], S1);
            let d = self.operand(Rm::Reg(k[3]), wavejit_x86::table::Tuple::Whole);
            self.y(X::Packssdw, S1, c, d);
            self.y(X::Packsswb, S0, S0, Rm::Reg(S1));
            let order = self.table(|i| i / 2 + i % 2 * 4);
            self.y(X::MovLoadY, S1, 0, order);
            self.y(X::Permd, S0, S1, Rm::Reg(S0));
            self.y(X::Pmovmskb, to.0, 0, Rm::Reg(S0));
            let kept = Mem::at(Gpr::RSP, CARGO_BITS);
            if n > 0 {
                self.a.shift(Shift::Shl, Size::Q, to, 32);
                self.a.store(Size::Q, kept, to);
            } else if self.is_wave64() {
                self.a.alu_load(Alu::Or, Size::Q, to, kept);
            }
        }
    }

    /// Floats of the kinds that vfpclass has: quiet NaN, zeros, infinities, denormals, negative numbers, signaling NaN from bit 0 on.
    fn class32(&mut self, i: Vector, to: u8) {
        let kinds = i.imm.unwrap_or(0);
        let x = self.operand_in_register(i.rm, i.op.row().tuple);
        if kinds == 0xff {
            // All but positive normal numbers: x - first > last - first, unsigned, or signed with the other sign.
            let (first, last) = (self.all32(SIGN - 0x0080_0000), self.all32((0x7f7f_ffff_u32 - 0x0080_0000).wrapping_sub(SIGN)));
            self.y(X::Paddd, S0, x, first);
            return self.y(X::Pcmpgtd, to, S0, last);
        }
        // What is found collects in S0; S1 is free.
        let mut found = false;
        let mut collect = |w: &mut Self, from: u8, with: Rm| {
            w.y(X::Pcmpeqd, if found { S1 } else { S0 }, from, with);
            if found {
                w.y(X::Por, S0, S0, Rm::Reg(S1));
            }
            found = true;
        };
        for (list, least) in [(0x06, 0u32), (0x18, 0x7f80_0000)] {
            let (bits, magnitude) = (self.all32(least), self.all32(!SIGN));
            match kinds & list {
                0 => {}
                both if both == list => {
                    self.y(X::Pand, S1, x, magnitude);
                    collect(self, S1, bits);
                }
                first if first & 0x0a != 0 => collect(self, x, bits),
                _ => {
                    let negative = self.all32(least | SIGN);
                    collect(self, x, negative);
                }
            }
        }
        // Ranges of magnitudes, or of all bits: from the first on, so many.
        let ranges = [
            (0x20, true, 1u32, 0x007f_ffffu32),
            (0x80, true, 0x7f80_0001, 0x003f_ffff),
            (0x01, true, 0x7fc0_0000, 0x0040_0000),
            (0x40, false, SIGN + 1, 0x7f7f_ffff),
        ];
        for (kind, is_magnitude, first, count) in ranges {
            if kinds & kind == 0 {
                continue;
            }
            let mut from = x;
            if is_magnitude {
                let magnitude = self.all32(!SIGN);
                self.y(X::Pand, S1, x, magnitude);
                from = S1;
            }
            // x - first <= count - 1, unsigned: the latter is the greater one.
            let (first, most) = (self.all32(first), self.all32(count - 1));
            self.y(X::Psubd, S1, from, first);
            self.y(X::Pmaxud, S1, S1, most);
            collect(self, S1, most);
        }
        if !found {
            self.zero(S0);
        }
        self.move_result(to);
    }

    fn class64(&mut self, i: Vector, to: u8) {
        let kinds = i.imm.unwrap_or(0);
        let x = self.operand_in_register(i.rm, i.op.row().tuple);
        self.zero(S0);
        let exact = [(0x02, 0u64), (0x04, 1 << 63), (0x08, 0x7ff0_0000_0000_0000), (0x10, 0xfff0_0000_0000_0000)];
        for (kind, bits) in exact {
            if kinds & kind != 0 {
                let c = self.all64(bits);
                self.y(X::Pcmpeqq, S1, x, c);
                self.y(X::Por, S0, S0, Rm::Reg(S1));
            }
        }
        // Ranges of magnitudes, or of all bits, which shifting out the sign or not makes ones of positive numbers:
        // x - first < count, unsigned, by the sign bits.
        let quiet = 0x7ff8_0000_0000_0000u64;
        let infinity = 0x7ff0_0000_0000_0000u64;
        let ranges = [
            (0x20, true, 1u64, (1u64 << 52) - 1),
            (0x80, true, infinity + 1, quiet - infinity - 1),
            (0x01, true, quiet, 1u64 << 51),
            (0x40, false, (1 << 63) + 1, infinity - 1),
        ];
        for (kind, magnitude, first, count) in ranges {
            if kinds & kind == 0 {
                continue;
            }
            let mut from = x;
            if magnitude {
                let m = self.all64(u64::MAX >> 1);
                self.y(X::Pand, S1, x, m);
                from = S1;
            }
            // (x - first) ^ sign < count ^ sign; the sign is as well added.
            let c = self.all64(first.wrapping_add(1 << 63));
            self.y(X::Psubq, S1, from, c);
            // Not greater than count - 1: its opposite is taken out of all ones.
            let most = self.all64((count - 1).wrapping_add(1 << 63));
            self.y(X::Pcmpgtq, S1, S1, most);
            // S0 | ~S1 = ~(~S0 & S1)
            self.y(X::Pandn, S0, S0, Rm::Reg(S1));
            self.invert(S0, S0);
        }
        self.move_result(to);
    }
}
