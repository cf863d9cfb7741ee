//! Integers, logic and permutations that AVX2 has no instruction for.

use super::super::{Wide, X};
use super::{S0, S1, S2};
use wavejit_x86::table::Tuple;
use wavejit_x86::{Len, Mem, Rm, Vector};

/// Odd words.
const ODD_WORDS: u8 = 0xaa;

impl Wide<'_> {
    /// Computes the instruction in `to`; false: it is none of these.
    pub(super) fn integers_in_avx2(&mut self, i: Vector, to: u8) -> bool {
        let tuple = i.op.row().tuple;
        let imm = i.imm.unwrap_or(0);
        match i.op {
            X::BroadcastGpr | X::BroadcastGprQ => {
                let (mov, spread) = if i.op == X::BroadcastGpr { (X::MovdFromGpr, X::Broadcast) } else { (X::MovqFromGpr, X::BroadcastQ) };
                self.append(Vector::new(mov, Len::X, to, 0, i.rm));
                self.y(spread, to, 0, Rm::Reg(to));
            }
            X::Pternlogd => self.logic_of_three(i, to),
            X::Pmullq => self.products64(i, to),
            X::PsraqImm => {
                let x = self.operand_in_register(i.rm, tuple);
                // (x >> n ^ m) - m with the bit m where the sign has come to.
                let sign = self.all64(1 << (63 - imm));
                self.yi(X::PsrlqImm, 0, S0, Rm::Reg(x), imm);
                self.y(X::Pxor, S0, S0, sign);
                self.y(X::Psubq, to, S0, sign);
            }
            X::Psravq => {
                let (x, n) = (self.source(i.v, S1), self.operand(i.rm, tuple));
                let sign = self.all64(1 << 63);
                self.y(X::MovLoadY, S0, 0, sign);
                self.y(X::Psrlvq, S0, S0, n);
                self.y(X::Psrlvq, S1, x, n);
                self.y(X::Pxor, S1, S1, Rm::Reg(S0));
                self.y(X::Psubq, to, S1, Rm::Reg(S0));
            }
            X::PrordImm => {
                let x = self.operand_in_register(i.rm, tuple);
                if imm.is_multiple_of(8) {
                    let order = self.bytes_of_parts(|lane, byte| lane % 4 * 4 + (byte + imm / 8) % 4);
                    self.y(X::Pshufb, to, x, order);
                } else {
                    self.yi(X::PsrldImm, 0, S0, Rm::Reg(x), imm);
                    self.yi(X::PslldImm, 0, S1, Rm::Reg(x), 32 - imm);
                    self.y(X::Por, to, S0, Rm::Reg(S1));
                }
            }
            X::ProlqImm => {
                let x = self.operand_in_register(i.rm, tuple);
                if imm.is_multiple_of(8) {
                    let order = self.bytes_of_parts(|lane, byte| lane % 4 / 2 * 8 + (lane % 2 * 4 + byte + 8 - imm / 8) % 8);
                    self.y(X::Pshufb, to, x, order);
                } else {
                    self.yi(X::PsllqImm, 0, S0, Rm::Reg(x), imm);
                    self.yi(X::PsrlqImm, 0, S1, Rm::Reg(x), 64 - imm);
                    self.y(X::Por, to, S0, Rm::Reg(S1));
                }
            }
            X::Prolvq => {
                let (x, n) = (self.source(i.v, S1), self.operand(i.rm, tuple));
                let bits = self.all64(64);
                self.y(X::MovLoadY, S0, 0, bits);
                self.y(X::Psubq, S0, S0, n);
                self.y(X::Psrlvq, S0, x, Rm::Reg(S0));
                self.y(X::Psllvq, S1, x, n);
                self.y(X::Por, to, S0, Rm::Reg(S1));
            }
            X::Prorvd => {
                let (x, n) = (self.source(i.v, S1), self.operand(i.rm, tuple));
                let bits = self.all32(32);
                self.y(X::MovLoadY, S0, 0, bits);
                self.y(X::Psubd, S0, S0, n);
                self.y(X::Psllvd, S0, x, Rm::Reg(S0));
                self.y(X::Psrlvd, S1, x, n);
                self.y(X::Por, to, S0, Rm::Reg(S1));
            }
            X::Plzcntd => {
                let x = self.operand_in_register(i.rm, tuple);
                // The exponent of the number as a float; without the bit below the first one it is not rounded up.
                self.yi(X::PsrldImm, 0, S0, Rm::Reg(x), 1);
                self.y(X::Pandn, S0, S0, Rm::Reg(x));
                self.y(X::Cvtdq2ps, S0, 0, Rm::Reg(S0));
                self.yi(X::PsrldImm, 0, S0, Rm::Reg(S0), 23);
                // Of a negative number the sign makes it more than 158; 0 has no exponent.
                let (exponent, all) = (self.all32(127 + 31), self.all32(32));
                self.y(X::MovLoadY, S1, 0, exponent);
                self.y(X::Psubusw, S0, S1, Rm::Reg(S0));
                self.y(X::Pminsd, to, S0, all);
            }
            X::Popcntd => {
                let x = self.operand_in_register(i.rm, tuple);
                let counts = self.bytes_of_parts(|lane, byte| (lane % 4 * 4 + byte).count_ones() as u8);
                let (low, ones, words) = (self.all32(0x0f0f_0f0f), self.all32(0x0101_0101), self.all32(0x0001_0001));
                self.y(X::MovLoadY, S1, 0, counts);
                self.y(X::Pand, S0, x, low);
                self.y(X::Pshufb, S0, S1, Rm::Reg(S0));
                self.yi(X::PsrldImm, 0, S2, Rm::Reg(x), 4);
                self.y(X::Pand, S2, S2, low);
                self.y(X::Pshufb, S2, S1, Rm::Reg(S2));
                self.y(X::Paddb, S0, S0, Rm::Reg(S2));
                self.y(X::Pmaddubsw, S0, S0, ones);
                self.y(X::Pmaddwd, to, S0, words);
            }
            X::Psllvw | X::Psrlvw | X::Psravw => self.shift_words(i, to),
            X::Permi2d | X::Permt2d => {
                // Of the index, bit 3 says which of the two.
                let (index, first) = if i.op == X::Permi2d { (i.reg, i.v) } else { (i.v, i.reg) };
                let index = self.source(index, S1);
                let first = self.operand(Rm::Reg(first), Tuple::Whole);
                self.y(X::Permd, S0, index, first);
                let second = self.operand(i.rm, tuple);
                self.y(X::Permd, S2, index, second);
                self.yi(X::PslldImm, 0, S1, Rm::Reg(index), 28);
                self.blend(to, S0, Rm::Reg(S2), S1);
            }
            X::Valignd => {
                debug_assert_eq!(Rm::Reg(i.v), i.rm, "a rotation");
                let order = self.table(|lane| (lane + u32::from(imm)) % 8);
                self.y(X::MovLoadY, S0, 0, order);
                let from = self.operand(i.rm, tuple);
                self.y(X::Permd, to, S0, from);
            }
            X::Blendmd | X::Blendmq => {
                let (x, y) = (self.source(i.v, S1), self.operand(i.rm, tuple));
                let mask = self.source(i.mask, S0);
                self.blend(to, x, y, mask);
            }
            _ => return false,
        }
        true
    }

    /// A byte for each of the four of each lane.
    fn bytes_of_parts(&mut self, f: impl Fn(u8, u8) -> u8) -> Rm {
        let bytes: Vec<u8> = (0..32).map(|i| f(i / 4, i % 4)).collect();
        Rm::Mem(Mem::constant(self.a.constant(&bytes)))
    }

    /// to = the bits of y where x has some, those of z elsewhere: (y ^ z) & x ^ z. Of y and z one is in a register: the first one is, which is z or not.
    pub(in super::super) fn choose_bits(&mut self, to: u8, x: Rm, first: u8, second: Rm, z_first: bool) {
        let (first, second) = (self.source(first, S1), self.operand(second, Tuple::Whole));
        let (x, z) = (self.operand(x, Tuple::Whole), if z_first { Rm::Reg(first) } else { second });
        self.y(X::Pxor, S0, first, second);
        self.y(X::Pand, S0, S0, x);
        let result = self.destination(to);
        self.y(X::Pxor, result, S0, z);
        self.deliver(to, result);
    }

    /// vpternlogd with one of the tables that forms have.
    fn logic_of_three(&mut self, i: Vector, to: u8) {
        let rm = self.operand(i.rm, Tuple::Full32);
        match i.imm {
            // ~z
            Some(0x55) => {
                self.ones(S0);
                self.y(X::Pxor, to, S0, rm);
            }
            Some(0xff) => self.ones(to),
            // x ? y : z = (y ^ z) & x ^ z
            Some(0xca) => {
                let y = self.source(i.v, S1);
                self.y(X::Pxor, S0, y, rm);
                let x = self.operand(Rm::Reg(i.reg), Tuple::Whole);
                self.y(X::Pand, S0, S0, x);
                self.y(X::Pxor, to, S0, rm);
            }
            // z ? y : x = (x ^ y) & z ^ x
            Some(0xd8) => {
                let y = self.source(i.v, S1);
                let x = self.operand(Rm::Reg(i.reg), Tuple::Whole);
                self.y(X::Pxor, S0, y, x);
                self.y(X::Pand, S0, S0, rm);
                self.y(X::Pxor, to, S0, x);
            }
            table => unreachable!("logic by table {table:x?}"),
        }
    }

    /// Low halves of products of qwords.
    fn products64(&mut self, i: Vector, to: u8) {
        let (x, y) = (self.source(i.v, S1), self.operand(i.rm, Tuple::Full64));
        // The low dword of each times the high one of the other, summed in the high half.
        self.yi(X::Pshufd, S0, 0, y, 0xb1);
        self.y(X::Pmulld, S0, S0, Rm::Reg(x));
        self.y(X::Pmuludq, S2, x, y);
        self.yi(X::PsllqImm, 0, S1, Rm::Reg(S0), 32);
        let high = self.all64(0xffff_ffff << 32);
        self.y(X::Pand, S0, S0, high);
        self.y(X::Paddq, S0, S0, Rm::Reg(S1));
        self.y(X::Paddq, to, S0, Rm::Reg(S2));
    }

    /// Words shifted by words: odd and even ones as dwords.
    fn shift_words(&mut self, i: Vector, to: u8) {
        let x = self.source(i.v, S1);
        let n = self.operand_in_register(i.rm, Tuple::Whole);
        let (low, high) = (self.all32(0xffff), self.all32(0xffff_0000));
        // Counts of odd words in S0, of even ones in S2.
        self.yi(X::PsrldImm, 0, S0, Rm::Reg(n), 16);
        self.y(X::Pand, S2, n, low);
        match i.op {
            X::Psllvw => {
                self.y(X::Psllvd, S2, x, Rm::Reg(S2));
                self.y(X::Pand, S1, x, high);
                self.y(X::Psllvd, S0, S1, Rm::Reg(S0));
            }
            X::Psrlvw => {
                self.y(X::Psrlvd, S0, x, Rm::Reg(S0));
                self.y(X::Pand, S1, x, low);
                self.y(X::Psrlvd, S2, S1, Rm::Reg(S2));
            }
            _ => {
                self.y(X::Psravd, S0, x, Rm::Reg(S0));
                self.yi(X::PslldImm, 0, S1, Rm::Reg(x), 16);
                self.y(X::Psravd, S2, S1, Rm::Reg(S2));
                self.yi(X::PsrldImm, 0, S2, Rm::Reg(S2), 16);
            }
        }
        self.yi(X::Pblendw, to, S2, Rm::Reg(S0), ODD_WORDS);
    }

    /// The low words, or bytes, of the dwords of `from`, to a register or to memory.
    pub(super) fn narrow_in_avx2(&mut self, i: Vector, from: u8) {
        debug_assert_eq!(i.mask, 0, "all lanes");
        let size = if i.op == X::Pmovdw { 2 } else { 1 };
        // In each half of the register the elements in a row, then both halves.
        let order = self.bytes_of_parts(|lane, byte| {
            let place = lane % 4 * 4 + byte;
            if place < 4 * size { place / size * 4 + place % size } else { 0x80 }
        });
        self.y(X::Pshufb, S0, from, order);
        if size == 2 {
            self.yi(X::Permq, S0, 0, Rm::Reg(S0), 0x08);
        } else {
            let halves = self.table(|lane| if lane == 1 { 4 } else { 0 });
            self.y(X::MovLoadY, S1, 0, halves);
            self.y(X::Permd, S0, S1, Rm::Reg(S0));
        }
        match i.rm {
            Rm::Reg(reg) => self.deliver(reg, S0),
            rm if size == 2 => self.append(Vector::new(X::MovStoreY, Len::X, S0, 0, rm)),
            rm => self.append(Vector::new(X::MovqToGpr, Len::X, S0, 0, rm)),
        }
    }
}
