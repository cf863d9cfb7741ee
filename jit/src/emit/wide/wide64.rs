//! Pure lane operations with operands or results of 64 bits.
//!
//! Integers are done on dwords where those are at hand and it costs little more, since addresses and products come and go as dwords; f64
//! and shifts are done on qwords.

use super::lanes::{EQ, GT, LT, NE, Part, float_condition, int_condition};
use super::regs::{Class, NONE, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, Op, PureOp, Value, Width};
use wavejit_x86::{Len, Rm, Vector};

/// Qwords of a value.
pub(super) type Quad = [Parts; 2];

impl<'a> Wide<'a> {
    /// As [`Self::each_part`], for both halves of qwords.
    pub(super) fn each_quad<const N: usize>(&mut self, operands: [Quad; N], mut f: impl FnMut(&mut Self, Part) -> PieceId) -> Quad {
        let half = |h: usize| operands.map(|q| q[h]);
        let second = half(1);
        let parts = self.slice();
        self.pending.extend(second.iter().flat_map(|o| &o[parts.clone()]).filter(|x| **x != NONE));
        let low = self.each_part(&half(0), &mut f);
        self.pending.clear();
        [low, self.each_part(&second, f)]
    }

    /// Emits the operation; false: it has no form here.
    pub(super) fn wide_lanes(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> bool {
        use PureOp::*;
        let arg = |i: usize| args[i].expect("the verifier has counted the operands");
        let lo = |w: &Self, i: usize| w.val(arg(i)).lo;
        let plain = mode.is_plain16_64();
        match op {
            Pack64 if self.couple_of(r).is_some() => self.take_couple(r),
            Pack64 if self.is_loaded_as_quads(r) => {
                let quad = [lo(self, 0), lo(self, 1)];
                self.set_quad(r, quad);
            }
            Pack64 => {
                let (low, high) = (lo(self, 0), lo(self, 1));
                self.set_split(r, low, high);
            }
            Lo64 | Hi64 => {
                let (low, high) = self.split(arg(0));
                self.set_lo(r, if op == Lo64 { low } else { high });
            }
            ZExt64 => {
                let (zero, reg) = self.new_in_register(Class::Vector);
                self.v(X::Pxord, reg, reg, Rm::Reg(reg));
                let high = self.all(zero);
                let low = lo(self, 0);
                self.set_split(r, low, high);
            }
            SExt64 => {
                let low = lo(self, 0);
                let high = self.each_part(&[low], |w, part| {
                    let from = w.rm(part.ops[0]);
                    let (new, to) = w.new_in_register(Class::Vector);
                    w.vi(X::PsradImm, 0, to, from, 31);
                    new
                });
                self.set_split(r, low, high);
            }
            And64 | Or64 | Xor64 => {
                let op = match op {
                    And64 => X::Pandd,
                    Or64 => X::Pord,
                    _ => X::Pxord,
                };
                if self.are_quads(&[arg(0), arg(1)]) {
                    // Sixty-four bits at a time, so that constants are.
                    let op = match op {
                        X::Pandd => X::Pandq,
                        X::Pord => X::Porq,
                        _ => X::Pxorq,
                    };
                    let (x, y) = if self.splat_constant(arg(0)).is_some() { (arg(1), arg(0)) } else { (arg(0), arg(1)) };
                    self.by_qwords(r, x, y, op);
                } else {
                    self.by_dwords(r, arg(0), arg(1), |w, x, y| w.dword_binary(op, x, y));
                }
            }
            Not64 => {
                let (low, high) = self.split(arg(0));
                let [low, high] = [low, high].map(|x| {
                    self.each_part(&[x], |w, part| {
                        let from = w.rm(part.ops[0]);
                        let (new, to) = w.new_in_register(Class::Vector);
                        w.vi(X::Pternlogd, to, to, from, 0x55);
                        new
                    })
                });
                self.set_split(r, low, high);
            }
            Sel64 if self.are_quads(&[arg(1), arg(2)]) && self.is_avx2() => {
                let k = self.mask_parts(arg(0));
                let (x, y) = (self.quad(arg(1)), self.quad(arg(2)));
                let out = self.each_part_twice(&[k, x[0], x[1], y[0], y[1]], |w, part| {
                    let (k, t, of_half) = (w.reg(part.ops[0]), w.temp(), w.temp_mask());
                    w.v(X::Pmovm2d, t, 0, Rm::Reg(k));
                    [(0, X::Punpckldq), (1, X::Punpckhdq)].map(|(half, unpack)| {
                        let (x, y) = (w.reg(part.ops[1 + half]), w.reg(part.ops[3 + half]));
                        let (new, to) = w.new_in_register(Class::Vector);
                        w.v(unpack, to, t, Rm::Reg(t));
                        w.v(X::Pmovq2m, of_half, 0, Rm::Reg(to));
                        w.vector(Vector::new(X::Blendmq, Len::Z, to, y, Rm::Reg(x)).mask(of_half));
                        new
                    })
                });
                self.set_quad(r, out);
            }
            Sel64 if self.are_quads(&[arg(1), arg(2)]) => {
                let k = self.qword_mask_parts(arg(0));
                let (x, y) = (self.quad(arg(1)), self.quad(arg(2)));
                let out = self.each_part_twice(&[k, x[0], x[1], y[0], y[1]], |w, part| {
                    let (k, of_second) = (w.reg(part.ops[0]), w.temp_mask());
                    w.vector(Vector::new(X::Kshiftrw, Len::X, of_second, 0, Rm::Reg(k)).imm(8));
                    [(0, k), (1, of_second)].map(|(half, k)| {
                        let (x, y) = (w.rm64(part.ops[1 + half]), w.reg(part.ops[3 + half]));
                        let (new, to) = w.new_in_register(Class::Vector);
                        w.vector(Vector::new(X::Blendmq, Len::Z, to, y, x).mask(k));
                        new
                    })
                });
                self.set_quad(r, out);
            }
            Sel64 => {
                let k = self.mask_parts(arg(0));
                self.by_dwords(r, arg(1), arg(2), |w, x, y| w.select(k, x, y));
            }
            IAdd64 | ISub64 => {
                // Those of a splat cost next to nothing either way.
                let counts = |w: &Self, i: usize| w.has_quads(arg(i)) && !matches!(w.def(arg(i)), Op::Splat(_));
                if self.are_quads(&[arg(0), arg(1)]) || counts(self, 0) || counts(self, 1) {
                    self.by_qwords(r, arg(0), arg(1), if op == IAdd64 { X::Paddq } else { X::Psubq });
                } else {
                    self.sum(r, arg(0), arg(1), op == IAdd64);
                }
            }
            IMul64 => self.by_qwords(r, arg(0), arg(1), X::Pmullq),
            UMulWide32 | SMulWide32 => {
                let product = self.products(arg(0), arg(1), op == SMulWide32);
                self.set_quad(r, product);
            }
            RotL64 if self.splat_constant(arg(1)).is_some_and(|n| n & 63 == 32) && !self.has_quads(arg(0)) => {
                let (low, high) = self.split(arg(0));
                self.set_split(r, high, low);
            }
            Shl64 | LShr64 | AShr64 | RotL64 => {
                let Some(n) = self.splat_constant(arg(1)) else {
                    return self.shift_by_lane(r, op, arg(0), arg(1));
                };
                let op = match op {
                    Shl64 => X::PsllqImm,
                    LShr64 => X::PsrlqImm,
                    RotL64 => X::ProlqImm,
                    _ => X::PsraqImm,
                };
                let quad = self.quad(arg(0));
                let quad = self.each_quad([quad], |w, part| {
                    let from = w.reg(part.ops[0]);
                    let (new, to) = w.new_over(part.free);
                    w.vi(op, 0, to, Rm::Reg(from), n as u8 & 63);
                    new
                });
                self.set_quad(r, quad);
            }
            FAdd64 if plain => self.by_qwords(r, arg(0), arg(1), X::Addpd),
            FSub64 if plain => self.by_qwords(r, arg(0), arg(1), X::Subpd),
            FDiv64 if plain => self.product_or_quotient64(r, X::Divpd, arg(0), arg(1)),
            FMul64 if plain => self.product_or_quotient64(r, X::Mulpd, arg(0), arg(1)),
            FFma64 if plain => self.multiply_add64(r, [0, 1, 2].map(arg)),
            FFloor64 | FCeil64 | FTrunc64 | FRndne64 if plain => {
                let imm = match op {
                    FFloor64 => 9,
                    FCeil64 => 10,
                    FTrunc64 => 11,
                    _ => 8,
                };
                let quad = self.quad(arg(0));
                let quad = self.each_quad([quad], |w, part| {
                    let from = w.reg(part.ops[0]);
                    let (new, to) = w.new_over(part.free);
                    w.vi(X::Rndscalepd, to, 0, Rm::Reg(from), imm);
                    new
                });
                self.set_quad(r, quad);
            }
            FRcp64 | FSqrt64 | FRsq64 => {
                let quad = self.quad(arg(0));
                let quad = self.each_quad([quad], |w, part| {
                    let from = w.reg(part.ops[0]);
                    let (new, to) = w.new_in_register(Class::Vector);
                    let one = w.element64(1f64.to_bits());
                    match op {
                        FSqrt64 => w.v(X::Sqrtpd, to, 0, Rm::Reg(from)),
                        FRcp64 => {
                            w.v(X::BroadcastQ, to, 0, one);
                            w.v(X::Divpd, to, to, Rm::Reg(from));
                        }
                        _ => {
                            let t = w.temp();
                            w.v(X::Sqrtpd, t, 0, Rm::Reg(from));
                            w.v(X::BroadcastQ, to, 0, one);
                            w.v(X::Divpd, to, to, Rm::Reg(t));
                        }
                    }
                    new
                });
                self.set_quad(r, quad);
            }
            FMin64 | FMax64 if plain && mode.ieee() => {
                let (x, y) = (self.quad(arg(0)), self.quad(arg(1)));
                let out = self.each_quad([x, y], |w, part| {
                    let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                    let (new, to) = w.new_over(part.free);
                    w.vi(X::Rangepd, to, a, Rm::Reg(b), if op == FMin64 { 4 } else { 5 });
                    new
                });
                self.set_quad(r, out);
            }
            FMinNum64 | FMaxNum64 | FMinimum64 | FMaximum64 if plain => {
                let (x, y) = (self.quad(arg(0)), self.quad(arg(1)));
                let out = self.each_quad([x, y], |w, part| w.number_or_nan64(op, part));
                self.set_quad(r, out);
            }
            FClamp64 if mode.dx10_clamp() => {
                let x = self.quad(arg(0));
                let out = self.each_quad([x], |w, part| {
                    let from = w.reg(part.ops[0]);
                    let (new, to) = w.new_in_register(Class::Vector);
                    // The greater is the second operand for NaN and for two zeros.
                    w.v(X::Pxord, to, to, Rm::Reg(to));
                    w.v(X::Maxpd, to, from, Rm::Reg(to));
                    let one = w.splat64(1f64.to_bits());
                    w.v(X::Minpd, to, to, one);
                    new
                });
                self.set_quad(r, out);
            }
            CvtF64I32 | CvtF64U32 => {
                let low = lo(self, 0);
                self.widen(r, low, if op == CvtF64I32 { X::Cvtdq2pd } else { X::Cvtudq2pd });
            }
            CvtF64I64 | CvtF64U64 if plain => self.quads_to_doubles(r, arg(0), op == CvtF64I64),
            CvtF64F32 if mode.is_plain32() => {
                let low = lo(self, 0);
                self.widen(r, low, X::Cvtps2pd);
            }
            _ => {
                if self.float64(r, op, mode, args) {
                    return true;
                }
                if let Some((unsigned, predicate)) = int_condition(op)
                    && op.args()[0] == Width::B64
                {
                    let mask = self.compare_dwords(arg(0), arg(1), unsigned, predicate);
                    self.set_lo(r, mask);
                } else if let (Some(predicate), true, Width::B64) = (float_condition(op), plain, op.args()[0]) {
                    let (x, y) = (self.quad(arg(0)), self.quad(arg(1)));
                    self.masks_of_qwords(r, &[x, y], |w, k, ops| w.vi(X::Cmppd, k, ops[0], Rm::Reg(ops[1]), predicate));
                } else {
                    return false;
                }
            }
        }
        true
    }

    /// Is it at hand as qwords only?
    fn has_quads(&self, v: Value) -> bool {
        let val = self.val(v);
        val.quad[0][self.index()] != NONE && val.lo[self.index()] == NONE
    }

    /// Are all at hand as qwords, or constants, but not only constants?
    fn are_quads(&self, list: &[Value]) -> bool {
        list.iter().all(|v| self.has_quads(*v) || self.splat_constant(*v).is_some()) && list.iter().any(|v| self.has_quads(*v))
    }

    fn dword_binary(&mut self, op: X, x: Parts, y: Parts) -> Parts {
        self.each_part(&[x, y], |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.rm(part.ops[1]));
            let (new, to) = w.new_in_register(Class::Vector);
            w.v(op, to, a, b);
            new
        })
    }

    fn by_dwords(&mut self, r: Value, x: Value, y: Value, mut f: impl FnMut(&mut Self, Parts, Parts) -> Parts) {
        let ((x_lo, x_hi), (y_lo, y_hi)) = (self.split(x), self.split(y));
        let low = f(self, x_lo, y_lo);
        let high = f(self, x_hi, y_hi);
        self.set_split(r, low, high);
    }

    pub(super) fn by_qwords(&mut self, r: Value, x: Value, y: Value, op: X) {
        let (x, y) = (self.quad(x), self.quad(y));
        let out = self.each_quad([x, y], |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.rm64(part.ops[1]));
            let (new, to) = w.new_over(part.free);
            w.v(op, to, a, b);
            new
        });
        self.set_quad(r, out);
    }

    /// Products of dwords, which nobody owns yet.
    pub(super) fn products(&mut self, x: Value, y: Value, signed: bool) -> Quad {
        // What is the same in all lanes is so in the low halves of qwords.
        let spread = [x, y].map(|v| !matches!(self.def(v), Op::Splat(_)));
        let (x, y) = (self.val(x).lo, self.val(y).lo);
        [X::Punpckldq, X::Punpckhdq].map(|unpack| {
            self.each_part(&[x, y], |w, part| {
                let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                let (new, to) = w.new_in_register(Class::Vector);
                let mut from = [a, b];
                if spread[0] {
                    w.v(unpack, to, a, Rm::Reg(a));
                    from = if a == b { [to, to] } else { [to, b] };
                }
                if spread[1] && a != b {
                    let t = w.temp();
                    w.v(unpack, t, b, Rm::Reg(b));
                    from[1] = t;
                    w.free_temp(Class::Vector, t);
                }
                w.v(if signed { X::Pmuldq } else { X::Pmuludq }, to, from[0], Rm::Reg(from[1]));
                new
            })
        })
    }

    /// Sum or difference on dwords, the carry in a mask register.
    fn sum(&mut self, r: Value, x: Value, y: Value, adds: bool) {
        let ((x_lo, x_hi), (y_lo, y_hi)) = (self.split(x), self.split(y));
        let [low, high] = self.each_part_twice(&[x_lo, x_hi, y_lo, y_hi], |w, part| {
            let [a, b] = [part.ops[0], part.ops[2]].map(|p| w.reg(p));
            let (low, to) = w.new_in_register(Class::Vector);
            let k = w.temp_mask();
            w.v(if adds { X::Paddd } else { X::Psubd }, to, a, Rm::Reg(b));
            // The sum is less than a term; the difference borrows if what is taken is more.
            if adds {
                w.vi(X::Pcmpud, k, to, Rm::Reg(a), LT);
            } else {
                w.vi(X::Pcmpud, k, a, Rm::Reg(b), LT);
            }
            let (a, b) = (w.reg(part.ops[1]), w.rm(part.ops[3]));
            let (high, to) = w.new_in_register(Class::Vector);
            w.v(if adds { X::Paddd } else { X::Psubd }, to, a, b);
            let op = if adds { X::Psubd } else { X::Paddd };
            if w.is_avx2() {
                // The mask itself is -1 where it is set.
                w.v(op, to, to, Rm::Reg(k));
            } else {
                let minus_one = w.splat32(u32::MAX);
                w.vector(Vector::new(op, Len::Z, to, to, minus_one).mask(k));
            }
            [low, high]
        });
        self.set_split(r, low, high);
    }

    fn shift_by_lane(&mut self, r: Value, op: PureOp, x: Value, n: Value) -> bool {
        let op = match op {
            PureOp::Shl64 => X::Psllvq,
            PureOp::LShr64 => X::Psrlvq,
            PureOp::RotL64 => X::Prolvq,
            _ => X::Psravq,
        };
        let (quad, n) = (self.quad(x), self.val(n).lo);
        let unpack = [X::Punpckldq, X::Punpckhdq];
        let out = [0, 1].map(|h| {
            self.each_part(&[quad[h], n], |w, part| {
                let (from, n) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                let (new, to) = w.new_in_register(Class::Vector);
                w.v(unpack[h], to, n, Rm::Reg(n));
                let mask = w.splat64(63);
                w.v(X::Pandq, to, to, mask);
                w.v(op, to, from, Rm::Reg(to));
                new
            })
        });
        self.set_quad(r, out);
        true
    }

    /// Masks of comparisons of 64-bit integers.
    fn compare_dwords(&mut self, x: Value, y: Value, unsigned: bool, predicate: u8) -> Parts {
        let ((x_lo, x_hi), (y_lo, y_hi)) = (self.split(x), self.split(y));
        // Greater and the like are less with the operands exchanged; at least is not less.
        let (x_lo, x_hi, y_lo, y_hi, negated, less) = match predicate {
            EQ => (x_lo, x_hi, y_lo, y_hi, false, false),
            NE => (x_lo, x_hi, y_lo, y_hi, true, false),
            LT => (x_lo, x_hi, y_lo, y_hi, false, true),
            GT => (y_lo, y_hi, x_lo, x_hi, false, true),
            super::lanes::GE => (x_lo, x_hi, y_lo, y_hi, true, true),
            _ => (y_lo, y_hi, x_lo, x_hi, true, true),
        };
        self.each_part(&[x_lo, x_hi, y_lo, y_hi], |w, part| {
            let [a, c] = [part.ops[0], part.ops[1]].map(|p| w.reg(p));
            let [b, d] = [part.ops[2], part.ops[3]].map(|p| w.reg(p));
            let (new, k) = w.new_in_register(Class::Mask);
            let t = w.temp_mask();
            w.vi(X::Pcmpd, t, c, Rm::Reg(d), EQ);
            w.vector(Vector::new(X::Pcmpud, Len::Z, k, a, Rm::Reg(b)).imm(if less { LT } else { EQ }).mask(t));
            if less {
                w.vi(if unsigned { X::Pcmpud } else { X::Pcmpd }, t, c, Rm::Reg(d), LT);
                w.k(X::Korw, k, k, t);
            }
            if negated {
                w.k(X::Knotw, k, 0, k);
            }
            new
        })
    }

    /// Masks made of qwords, whose lanes stand in an order of their own: `f` makes that of eight. They are left in that order if it is all that is wanted.
    pub(super) fn masks_of_qwords(&mut self, r: Value, operands: &[Quad], mut f: impl FnMut(&mut Self, u8, &[u8])) {
        let stays = self.is_for_qwords(r);
        let list: Vec<Parts> = operands.iter().flatten().copied().collect();
        let out = self.each_part(&list, |w, part| {
            let regs: Vec<u8> = part.ops.iter().map(|p| w.reg(*p)).collect();
            let [first, second] = [0, 1].map(|half| regs.iter().skip(half).step_by(2).copied().collect::<Vec<u8>>());
            let (new, k) = w.new_in_register(Class::Mask);
            if stays {
                let low = w.temp_mask();
                f(w, low, &first);
                f(w, k, &second);
                w.k(X::Kunpckbw, k, k, low);
                return new;
            }
            let (t, u) = (w.temp(), w.temp());
            for (ops, t) in [(first, t), (second, u)] {
                f(w, k, &ops);
                w.v(X::Pmovm2q, t, 0, Rm::Reg(k));
            }
            w.vi(X::Shufps, t, t, Rm::Reg(u), 0x88);
            w.v(X::Pmovd2m, k, 0, Rm::Reg(t));
            new
        });
        if stays {
            self.set_order_of_qwords(r, out);
        } else {
            self.set_lo(r, out);
        }
    }
}
