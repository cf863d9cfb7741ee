//! Minimum and maximum by IEEE mode, and scaling by powers of two.

use super::super::calls::{CAREFUL_ADDR, CAREFUL_DATA};
use super::super::{Wide, X};
use super::{S0, S1, S2};
use wavejit_x86::table::Tuple;
use wavejit_x86::{Cond, Rm, Vector};

const UNORDERED: u8 = 3;
/// vrangeps: the lesser, with the sign of the comparison.
const LESSER: u8 = 4;

impl<'a> Wide<'a> {
    /// vrangeps and vrangepd as forms have them: -0 is below +0, a number wins over a quiet NaN, and a signaling one over all.
    pub(super) fn range_in_avx2(&mut self, i: Vector, to: u8) {
        let wide = i.op == X::Rangepd;
        let lesser = i.imm == Some(LESSER);
        let (pick, compare, blend) = match (wide, lesser) {
            (false, true) => (X::Minps, X::CmppsY, X::Blendvps),
            (false, false) => (X::Maxps, X::CmppsY, X::Blendvps),
            (true, true) => (X::Minpd, X::CmppdY, X::Blendvpd),
            (true, false) => (X::Maxpd, X::CmppdY, X::Blendvpd),
        };
        let join = if lesser { X::Por } else { X::Pand };
        let a = self.source(i.v, S1);
        let b = self.operand_in_register(i.rm, i.op.row().tuple);
        let (rare, done) = (self.a.label(), self.a.label());
        self.yi(compare, S0, a, Rm::Reg(b), UNORDERED);
        self.y(X::Ptest, S0, 0, Rm::Reg(S0));
        self.a.jcc(Cond::Ne, rare);
        // Of two equal ones these give both: zeros differ in the sign.
        self.y(pick, S0, a, Rm::Reg(b));
        self.y(pick, S2, b, Rm::Reg(a));
        self.y(join, S0, S0, Rm::Reg(S2));
        self.a.bind(done);
        self.move_result(to);
        let [at_a, at_b, numbers] =
            [(CAREFUL_ADDR, 0), (CAREFUL_ADDR, 1), (CAREFUL_DATA, 0)].map(|(row, part)| Rm::Mem(self.row_mem(row, part)));
        let quiet = if wide { self.all64(1 << 51) } else { self.all32(1 << 22) };
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            w.y(X::MovStoreY, a, 0, at_a);
            w.y(X::MovStoreY, b, 0, at_b);
            w.y(pick, S0, a, Rm::Reg(b));
            w.y(pick, S2, b, Rm::Reg(a));
            w.y(join, S0, S0, Rm::Reg(S2));
            w.y(X::MovStoreY, S0, 0, numbers);
            // The other one where one is a NaN: the second if it is the first.
            w.y(X::MovLoadY, S0, 0, at_b);
            w.y(X::MovLoadY, S1, 0, at_b);
            w.yi(compare, S2, S1, Rm::Reg(S1), UNORDERED);
            w.yi(blend, S0, S0, at_a, S2 << 4);
            // Signaling ones, quieted: of two the first.
            for from in [at_b, at_a] {
                w.y(X::MovLoadY, S1, 0, from);
                w.yi(compare, S2, S1, Rm::Reg(S1), UNORDERED);
                w.yi(if wide { X::PsllqImm } else { X::PslldImm }, 0, S1, Rm::Reg(S1), if wide { 12 } else { 9 });
                w.y(X::Pandn, S2, S1, Rm::Reg(S2));
                w.y(X::MovLoadY, S1, 0, from);
                w.y(X::Por, S1, S1, quiet);
                w.yi(blend, S0, S0, Rm::Reg(S1), S2 << 4);
            }
            // Lanes of numbers.
            w.y(X::MovLoadY, S1, 0, at_a);
            w.yi(compare, S2, S1, at_b, UNORDERED);
            w.y(X::MovLoadY, S1, 0, numbers);
            w.yi(blend, S0, S1, Rm::Reg(S0), S2 << 4);
            w.a.jmp(done);
        }));
    }

    /// to = x * 2^e, rounded once: by a product, if all e are small enough.
    pub(in super::super) fn ldexp32_in_avx2(&mut self, to: u8, x: u8, e: u8) {
        let (rare, done) = (self.a.label(), self.a.label());
        let (large, one) = (self.all32(!63), self.all32(1f32.to_bits()));
        let power = self.source(e, S2);
        self.y(X::Pabsd, S0, 0, Rm::Reg(power));
        self.y(X::Ptest, S0, 0, large);
        self.a.jcc(Cond::Ne, rare);
        self.yi(X::PslldImm, 0, S0, Rm::Reg(power), 23);
        self.y(X::Paddd, S0, S0, one);
        let factor = self.operand(Rm::Reg(x), Tuple::Whole);
        let result = self.destination(to);
        self.y(X::Mulps, result, S0, factor);
        self.deliver(to, result);
        self.a.bind(done);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            w.ldexp32_by_f64(to, x, e);
            w.a.jmp(done);
        }));
    }

    /// The same in f64, where it is exact.
    fn ldexp32_by_f64(&mut self, to: u8, x: u8, e: u8) {
        let (x, e) = (self.operand(Rm::Reg(x), Tuple::Whole), self.operand(Rm::Reg(e), Tuple::Whole));
        let (least, most, bias) = (self.all32(-300i32 as u32), self.all32(300), self.all32(1023));
        self.y(X::MovLoadY, S0, 0, least);
        self.y(X::Pmaxsd, S0, S0, e);
        self.y(X::Pminsd, S0, S0, most);
        self.y(X::Paddd, S0, S0, bias);
        self.y(X::Pmovzxdq, S2, 0, Rm::Reg(S0));
        self.yi(X::PsllqImm, 0, S2, Rm::Reg(S2), 52);
        self.y(X::Cvtps2pd, S1, 0, x);
        self.y(X::Mulpd, S1, S1, Rm::Reg(S2));
        self.y(X::Cvtpd2ps, S1, 0, Rm::Reg(S1));
        self.yi(X::Extracti128, S0, 0, Rm::Reg(S0), 1);
        self.y(X::Pmovzxdq, S0, 0, Rm::Reg(S0));
        self.yi(X::PsllqImm, 0, S0, Rm::Reg(S0), 52);
        let mut high = Rm::Reg(S2);
        match x {
            Rm::Reg(x) => self.yi(X::Extracti128, x, 0, high, 1),
            Rm::Mem(m) | Rm::Bcst(m) => high = Rm::Mem(m.plus(16)),
        }
        self.y(X::Cvtps2pd, S2, 0, high);
        self.y(X::Mulpd, S2, S2, Rm::Reg(S0));
        self.y(X::Cvtpd2ps, S2, 0, Rm::Reg(S2));
        let result = self.destination(to);
        self.yi(X::Inserti128, result, S1, Rm::Reg(S2), 1);
        self.deliver(to, result);
    }

    /// to = x * 2^e for dwords e from -1022 to 1023, of which the first four count.
    pub(in super::super) fn scale64_in_avx2(&mut self, to: u8, x: u8, e: u8) {
        let bias = self.all32(1023);
        let e = self.source(e, S0);
        self.y(X::Paddd, S0, e, bias);
        self.y(X::Pmovzxdq, S0, 0, Rm::Reg(S0));
        self.yi(X::PsllqImm, 0, S0, Rm::Reg(S0), 52);
        let x = self.operand(Rm::Reg(x), Tuple::Whole);
        let result = self.destination(to);
        self.y(X::Mulpd, result, S0, x);
        self.deliver(to, result);
    }

    /// Leaves "not equal" if a dword is not within -1022 to 1023.
    pub(in super::super) fn test_scale64(&mut self, e: u8) {
        let (least, count) = (self.all32(1022), self.all32(2046));
        let e = self.source(e, S0);
        self.y(X::Paddd, S0, e, least);
        self.y(X::Pmaxud, S1, S0, count);
        self.y(X::Pcmpeqd, S0, S0, Rm::Reg(S1));
        self.y(X::Ptest, S0, 0, Rm::Reg(S0));
    }
}
