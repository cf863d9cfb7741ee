//! f64 beside sums, products and comparisons: exponents and fractions, classes, conversions, 2/pi.

use super::lanes::ORDERED;
use super::rare::Lanes;
use super::regs::{Class, NO_PARTS, Parts, PieceId};
use super::wide64::Quad;
use super::{Wide, X};
use wavejit_ir::{FpMode, PureOp, Value, eval::TWO_OVER_PI, eval::eval};
use wavejit_x86::{Cond, Len, Mem, Rm, Size, Vector};

const AT_LEAST: u8 = 5;
/// What vfixupimmpd makes of each class of numbers: 0 of NaNs, the largest numbers of infinities, and of others what they are.
const FINITE: u64 = 0x11ef_1188;

impl<'a> Wide<'a> {
    /// Emits the operation; false: it has no form here.
    pub(super) fn float64(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> bool {
        use PureOp::*;
        let arg = |i: usize| args[i].expect("the verifier has counted the operands");
        let plain = mode.is_plain16_64();
        match op {
            FLdexp64 if plain && self.is_avx2() => self.scale64(r, mode, arg(0), arg(1)),
            FLdexp64 if plain => {
                let (x, n) = (self.quad(arg(0)), self.val(arg(1)).lo);
                let asking = self.asking_quads(r, &[x]);
                let out = [0, 1].map(|half| {
                    let operands = [x[half], n, asking.map_or(NO_PARTS, |k| k[half])];
                    self.each_part(&operands, |w, part| {
                        let (from, n) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                        let (new, to) = w.new_in_register(Class::Vector);
                        w.widen_lanes(to, n, 2 * half as u32, X::Cvtdq2pd);
                        w.scale_asked64(to, from, part.ops[2]);
                        new
                    })
                });
                self.set_quad(r, out);
            }
            FScale64 if plain && !self.is_avx2() => {
                let (x, n) = (self.quad(arg(0)), self.quad(arg(1)));
                let asking = self.asking_quads(r, &[x]).unwrap_or([NO_PARTS; 2]);
                let out = self.each_quad([x, n, asking], |w, part| {
                    let (from, n) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                    let (new, to) = w.new_in_register(Class::Vector);
                    w.v(X::Pxord, to, to, Rm::Reg(to));
                    let table = w.splat64(FINITE);
                    w.vi(X::Fixupimmpd, to, n, table, 0);
                    w.scale_asked64(to, from, part.ops[2]);
                    new
                });
                self.set_quad(r, out);
            }
            FFract64 if plain => self.by_quads(r, arg(0), |w, to, from| {
                w.vi(X::Rndscalepd, to, 0, Rm::Reg(from), 9);
                w.v(X::Subpd, to, from, Rm::Reg(to));
                // Below 1; a NaN is the second operand, and stays.
                let (t, most) = (w.temp(), w.element64(1f64.to_bits() - 1));
                w.v(X::BroadcastQ, t, 0, most);
                w.v(X::Minpd, to, t, Rm::Reg(to));
            }),
            FFrexpMant64 if plain => self.by_quads(r, arg(0), |w, to, from| {
                let k = w.temp_mask();
                // Magnitudes in 0.5 to 1, of their sign; zeros and infinities stay.
                w.vi(X::Getmantpd, to, 0, Rm::Reg(from), 2);
                w.vi(X::Fpclasspd, k, 0, Rm::Reg(from), 0x1e);
                w.vector(Vector::new(X::Addpd, Len::Z, to, from, Rm::Reg(from)).mask(k));
            }),
            FFrexpExp64 if plain => {
                let quad = self.quad(arg(0));
                let low = self.narrow(quad, |w, to, from| {
                    let k = w.temp_mask();
                    // One more than the exponent of 1.m; of what has none, 0.
                    w.vi(X::Fpclasspd, k, 0, Rm::Reg(from), 0x9f);
                    w.k(X::Knotw, k, 0, k);
                    w.v(X::Getexppd, to, 0, Rm::Reg(from));
                    let one = w.splat64(1f64.to_bits());
                    w.vector(Vector::new(X::Addpd, Len::Z, to, to, one).zeroing(k));
                    w.v(X::Cvtpd2dq, to, 0, Rm::Reg(to));
                    w.free_temp(Class::Mask, k);
                });
                self.set_lo(r, low);
            }
            FClass64 => {
                let Some(kinds) = self.splat_constant(arg(1)) else { return false };
                let quad = self.quad(arg(0));
                self.masks_of_qwords(r, &[quad], |w, k, from| w.class(X::Fpclasspd, k, from[0], kinds as u32));
            }
            CvtF32F64 if mode.is_plain32() && plain => {
                let quad = self.quad(arg(0));
                let low = self.narrow(quad, |w, to, from| w.v(X::Cvtpd2ps, to, 0, Rm::Reg(from)));
                self.set_lo(r, low);
            }
            CvtI32F64 => {
                let quad = self.quad(arg(0));
                let low = self.narrow(quad, |w, to, from| {
                    let k = w.temp_mask();
                    // Into the range first, where truncation leaves it; a NaN is 0.
                    w.vi(X::Cmppd, k, from, Rm::Reg(from), ORDERED);
                    let (least, most) = (w.splat64(f64::from(i32::MIN).to_bits()), w.splat64(f64::from(i32::MAX).to_bits()));
                    w.v(X::Maxpd, to, from, least);
                    w.vector(Vector::new(X::Minpd, Len::Z, to, to, most).zeroing(k));
                    w.v(X::Cvttpd2dq, to, 0, Rm::Reg(to));
                    w.free_temp(Class::Mask, k);
                });
                self.set_lo(r, low);
            }
            CvtU32F64 => {
                let quad = self.quad(arg(0));
                let low = self.narrow(quad, |w, to, from| {
                    // Of a NaN and 0 the greater is the second operand.
                    w.v(X::Pxord, to, to, Rm::Reg(to));
                    w.v(X::Maxpd, to, from, Rm::Reg(to));
                    let most = w.splat64(f64::from(u32::MAX).to_bits());
                    w.v(X::Minpd, to, to, most);
                    w.v(X::Cvttpd2udq, to, 0, Rm::Reg(to));
                });
                self.set_lo(r, low);
            }
            // Later segments may lie below the normal numbers, where the definition cuts them off.
            TrigPreop64 => match self.splat_constant(arg(1)) {
                Some(segment) if segment & 31 <= 2 => {
                    self.by_quads(r, arg(0), |w, to, from| w.two_over_pi(to, from, 53 * (segment & 31)));
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    /// x * 2^n where the power is a number; else the row function does it.
    fn scale64(&mut self, r: Value, mode: FpMode, x: Value, n: Value) {
        let (x, n) = (self.quad(x), self.val(n).lo);
        let out = self.each_part_twice(&[x[0], x[1], n], |w, part| {
            let [first, second, n] = [0, 1, 2].map(|i| w.reg(part.ops[i]));
            let ((low, to), (high, to_2)) = (w.new_in_register(Class::Vector), w.new_in_register(Class::Vector));
            let t = w.temp();
            for (at, from, to) in [(0, first, to), (2, second, to_2)] {
                w.order_lanes(t, n, at);
                w.scale64_in_avx2(to, from, t);
            }
            w.test_scale64(n);
            w.rarely(Cond::Ne, PureOp::FLdexp64, mode, vec![Lanes::Qwords(first, second), Lanes::Dwords(n)], Lanes::Qwords(to, to_2));
            [low, high]
        });
        self.set_quad(r, out);
    }

    /// A result of one operand, eight qwords at a time: `f` makes its first register of the second, which is another.
    fn by_quads(&mut self, r: Value, x: Value, mut f: impl FnMut(&mut Self, u8, u8)) {
        let quad = self.quad(x);
        let out = self.each_quad([quad], |w, part| {
            let from = w.reg(part.ops[0]);
            let (new, to) = w.new_in_register(Class::Vector);
            f(w, to, from);
            new
        });
        self.set_quad(r, out);
    }

    /// Integers of 64 bits to doubles, rounded to the nearest.
    pub(super) fn quads_to_doubles(&mut self, r: Value, x: Value, is_signed: bool) {
        if !self.is_avx2() {
            let op = if is_signed { X::Cvtqq2pd } else { X::Cvtuqq2pd };
            return self.by_quads(r, x, |w, to, from| w.v(op, to, 0, Rm::Reg(from)));
        }
        // 2^52 + the low half, and 2^84 + the high half * 2^32: the sum of both, less what was put on top, is rounded once. A signed high half is 2^31 more.
        const LOW: u64 = 0x4330_0000_0000_0000;
        let (high, both) = match is_signed {
            true => (0x4530_0000_8000_0000, 0x4530_0000_8010_0000),
            false => (0x4530_0000_0000_0000, 0x4530_0000_0010_0000),
        };
        self.by_quads(r, x, |w, to, from| {
            let t = w.temp();
            w.vi(X::PsrlqImm, 0, to, Rm::Reg(from), 32);
            let high = w.splat64(high);
            w.v(X::Pxord, to, to, high);
            let both = w.splat64(both);
            w.v(X::Subpd, to, to, both);
            let half = w.splat64(u32::MAX.into());
            w.v(X::Pandd, t, from, half);
            let low = w.splat64(LOW);
            w.v(X::Pord, t, t, low);
            w.v(X::Addpd, to, to, Rm::Reg(t));
        });
    }

    /// 53 bits of 2/pi behind the first `first`, from farther behind for exponents above 1077.
    fn two_over_pi(&mut self, to: u8, from: u8, first: u64) {
        // The bits from back to front, so that eight bytes from any place on are a number; further bytes are zero.
        const BYTES: usize = 192;
        let front = TWO_OVER_PI.iter().flat_map(|word| word.to_be_bytes());
        let mut table: Vec<u8> = front.collect();
        table.resize(BYTES, 0);
        table.reverse();
        let table = self.a.constant(&table);
        let [exponent, shift, t] = [self.temp(), self.temp(), self.temp()];
        let (base, k) = (self.temp_general(), self.temp_mask());
        // Up to 2^55 it is the same for all lanes, and compilers ask for it whether they need it or not.
        let nearest = eval(PureOp::TrigPreop64, FpMode::HSA, 0, first / 53, 0);
        let nearest = self.element64(nearest);
        self.v(X::BroadcastQ, to, 0, nearest);
        self.vi(X::PsllqImm, 0, t, Rm::Reg(from), 1);
        let far = self.splat64(1078 << 53);
        self.vi(X::Pcmpuq, k, t, far, AT_LEAST);
        let done = self.a.label();
        self.k(X::Kortestw, k, 0, k);
        self.a.jcc(Cond::E, done);
        // How far behind the point.
        self.vi(X::PsllqImm, 0, exponent, Rm::Reg(from), 1);
        self.vi(X::PsrlqImm, 0, exponent, Rm::Reg(exponent), 53);
        let near = self.element64(1077);
        self.v(X::BroadcastQ, t, 0, near);
        self.v(X::Pmaxud, shift, exponent, Rm::Reg(t));
        self.v(X::Psubq, shift, shift, Rm::Reg(t));
        let first = self.splat64(first);
        self.v(X::Paddq, shift, shift, first);
        // The bytes there, then the bits.
        self.vi(X::PsrlqImm, 0, to, Rm::Reg(shift), 3);
        let last = self.element64(BYTES as u64 - 8);
        self.v(X::BroadcastQ, t, 0, last);
        self.v(X::Psubq, to, t, Rm::Reg(to));
        self.k(X::Kxnorw, k, k, k);
        self.a.lea(Size::Q, base, Mem::constant(table));
        self.vector(Vector::new(X::Gatherqq, Len::Z, t, 0, Rm::Mem(Mem::gather(base, to, 1, 0))).mask(k));
        let seven = self.splat64(7);
        self.v(X::Pandq, to, shift, seven);
        self.v(X::Psllvq, t, t, Rm::Reg(to));
        self.vi(X::PsrlqImm, 0, t, Rm::Reg(t), 11);
        self.v(X::Cvtqq2pd, t, 0, Rm::Reg(t));
        // Their exponent, 128 more for the greatest numbers.
        let c = self.element64((-53i64) as u64);
        self.v(X::BroadcastQ, to, 0, c);
        self.v(X::Psubq, to, to, Rm::Reg(shift));
        let great = self.splat64(1968);
        self.vi(X::Pcmpuq, k, exponent, great, AT_LEAST);
        let more = self.splat64(128);
        self.vector(Vector::new(X::Paddq, Len::Z, to, to, more).mask(k));
        self.v(X::Cvtqq2pd, to, 0, Rm::Reg(to));
        self.v(X::Scalefpd, to, t, Rm::Reg(to));
        self.a.bind(done);
        for t in [exponent, shift, t] {
            self.free_temp(Class::Vector, t);
        }
        self.free_temp(Class::General, base.0);
        self.free_temp(Class::Mask, k);
    }

    /// Which lanes of a float are of the kinds of a v_cmp_class mask: signaling NaN, quiet NaN, then from -infinity to +infinity.
    pub(super) fn class(&mut self, op: X, to: u8, from: u8, kinds: u32) {
        // The host's mask has a bit for denormals of both signs and one for all negative numbers, so that positive numbers are what is left.
        let negated = kinds >> 8 & 1 != 0;
        let kinds = if negated { !kinds } else { kinds };
        let has = |n: u32| kinds >> n & 1 != 0;
        let mut mask = 0;
        for (n, bit) in [(0, 0x80), (1, 0x01), (2, 0x10), (5, 0x04), (6, 0x02), (9, 0x08)] {
            if has(n) {
                mask |= bit;
            }
        }
        let (normal, low, high) = (has(3), has(4), has(7));
        let mut rest = None;
        match (normal, low, high) {
            (false, false, false) => {}
            (false, true, true) => mask |= 0x20,
            (true, true, false) => mask |= 0x40,
            (true, true, true) => mask |= 0x60,
            // Negative and denormal, one but not the other, ...
            (false, true, false) => rest = Some(X::Kandw),
            (true, false, true) => rest = Some(X::Kxorw),
            (true, false, false) | (false, false, true) => rest = Some(X::Kandnw),
        }
        let k = self.temp_mask();
        self.vi(op, to, 0, Rm::Reg(from), mask);
        if let Some(how) = rest {
            let second = self.temp_mask();
            // kandnw: without what the first one has.
            let (first_kind, second_kind) = if normal && how == X::Kandnw { (0x20, 0x40) } else { (0x40, 0x20) };
            self.vi(op, k, 0, Rm::Reg(from), first_kind);
            self.vi(op, second, 0, Rm::Reg(from), second_kind);
            self.k(how, k, k, second);
            self.k(X::Korw, to, to, k);
            self.free_temp(Class::Mask, second);
        }
        if negated {
            self.k(X::Knotw, to, 0, to);
        }
        self.free_temp(Class::Mask, k);
    }

    /// A conversion of dwords to qwords: what comes out in the order of lanes is brought into that of qwords.
    pub(super) fn widen(&mut self, r: Value, x: Parts, op: X) {
        let quad = [0, 2].map(|first| {
            self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.widen_lanes(to, from, first, op);
                new
            })
        });
        self.set_quad(r, quad);
    }

    /// Lanes 0, 1, 4, 5, ... or, from `first` 2 on, 2, 3, 6, 7, ... in qwords.
    fn widen_lanes(&mut self, to: u8, from: u8, first: u32, op: X) {
        self.order_lanes(to, from, first);
        self.v(op, to, 0, Rm::Reg(to));
    }

    /// The same, still as dwords.
    fn order_lanes(&mut self, to: u8, from: u8, first: u32) {
        let half = self.part_lanes() / 2;
        let order = self.table(move |i| if i < half { (i & 1) + (i >> 1) * 4 + first } else { 0 });
        self.v(X::MovLoad, to, 0, order);
        self.v(X::Permd, to, to, Rm::Reg(from));
    }

    /// A conversion of qwords to dwords: `f` makes eight dwords of as many qwords, in another register.
    fn narrow(&mut self, x: Quad, mut f: impl FnMut(&mut Self, u8, u8)) -> Parts {
        self.each_part(&[x[0], x[1]], |w, part| -> PieceId {
            let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
            let (new, to) = w.new_in_register(Class::Vector);
            let (t, order) = (w.temp(), w.temp());
            f(w, to, a);
            f(w, t, b);
            // Lane i stands in place (i & 1) + (i >> 2) * 2 of the first or, with bit 1 set, the second.
            let lanes = w.part_lanes();
            let table = w.table(move |i| (i & 1) + (i >> 2) * 2 + if i & 2 != 0 { lanes } else { 0 });
            w.v(X::MovLoad, order, 0, table);
            w.v(X::Permi2d, order, to, Rm::Reg(t));
            w.v(X::MovAligned, to, 0, Rm::Reg(order));
            new
        })
    }
}
