//! f16, alone and in pairs. Sums, products and functions of one operand are made in f32 and rounded again, which is right: f32 has more than twice the bits and
//! two, and of functions all operands have been looked at (`jit/tests/wide.rs`). Minima and maxima are those of integers that are in the same order.

use super::lanes::{EQ, GE, LE, Part, float_condition};
use super::rare::Lanes;
use super::regs::{Class, NO_PARTS, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, PureOp, Value};
use wavejit_x86::{Cond, Len, Rm, Vector};

/// Pairs of halves: the sign, infinity, what makes a NaN quiet, one.
const SIGNS: u32 = 0x8000_8000;
const INFINITIES: u32 = 0x7c00_7c00;
const QUIET: u32 = 0x0200_0200;
const ONES: u32 = 0x3c00_3c00;

/// The operation of f32 that gives what one of f16 does, rounded once more.
fn of_f32(op: PureOp) -> Option<PureOp> {
    use PureOp::*;
    Some(match op {
        FSqrt16 => FSqrtDenorm32,
        FRsq16 => FRsq32,
        FExp216 => FExp232,
        FLog216 => FLog232,
        FSin16 => FSin32,
        FCos16 => FCos32,
        FFloor16 => FFloor32,
        FCeil16 => FCeil32,
        FTrunc16 => FTrunc32,
        FRndne16 => FRndne32,
        FFrexpMant16 => FFrexpMant32,
        FClamp16 => FClamp32,
        _ => return None,
    })
}

/// The comparison of f32 that is the same.
fn comparison_of_f32(op: PureOp) -> Option<PureOp> {
    use PureOp::*;
    Some(match op {
        FCmpLt16 => FCmpLt32,
        FCmpEq16 => FCmpEq32,
        FCmpLe16 => FCmpLe32,
        FCmpGt16 => FCmpGt32,
        FCmpLg16 => FCmpLg32,
        FCmpGe16 => FCmpGe32,
        FCmpO16 => FCmpO32,
        FCmpU16 => FCmpU32,
        FCmpNge16 => FCmpNge32,
        FCmpNlg16 => FCmpNlg32,
        FCmpNgt16 => FCmpNgt32,
        FCmpNle16 => FCmpNle32,
        FCmpNeq16 => FCmpNeq32,
        FCmpNlt16 => FCmpNlt32,
        _ => return None,
    })
}

/// What a minimum or maximum makes of NaNs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nans {
    /// The other operand wins, but over a signaling one in IEEE mode.
    Lose { ieee: bool },
    /// Any number wins.
    AlwaysLose,
    /// The first one wins.
    Win,
}

impl Wide<'_> {
    /// Emits the operation; none: it has no form here.
    pub(super) fn float16(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3], operands: [Parts; 3]) -> Option<Parts> {
        use PureOp::*;
        if !mode.is_plain16_64() || mode.fp16_ovfl() {
            return None;
        }
        let [x, y, z] = operands;
        if let Some(of_f32) = of_f32(op) {
            return (op != FClamp16 || mode.dx10_clamp()).then(|| self.through_f32(r, of_f32, mode, args, [x, NO_PARTS])).flatten();
        }
        if let Some(predicate) = comparison_of_f32(op).and_then(float_condition) {
            return Some(self.compare_made(r, X::Cmpps, [x, y], predicate, |w, to, p| {
                let from = w.reg(p);
                w.f32_of_low(to, from);
            }));
        }
        Some(match op {
            CvtF32F16 => self.f32_parts(x, false),
            CvtF16F32 if mode.is_plain32() => self.f16_parts(x),
            CvtF16I16 | CvtF16U16 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.vi(X::PslldImm, 0, to, Rm::Reg(from), 16);
                w.vi(if op == CvtF16I16 { X::PsradImm } else { X::PsrldImm }, 0, to, Rm::Reg(to), 16);
                w.v(X::Cvtdq2ps, to, 0, Rm::Reg(to));
                w.f16_of(to, to);
                new
            }),
            FAdd16 | PkFAdd16 => self.sums_and_products(X::Addps, op == PkFAdd16, x, y),
            FSub16 => self.sums_and_products(X::Subps, false, x, y),
            FMul16 | PkFMul16 => self.sums_and_products(X::Mulps, op == PkFMul16, x, y),
            FRcp16 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let (t, one) = (w.temp(), w.element32(1f32.to_bits()));
                w.f32_of_low(t, from);
                w.v(X::Broadcast, to, 0, one);
                w.v(X::Divps, to, to, Rm::Reg(t));
                w.f16_of(to, to);
                new
            }),
            FFract16 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let (t, most) = (w.temp(), w.element32((1.0 - f32::EPSILON * 4096.0).to_bits()));
                w.f32_of_low(t, from);
                w.vi(X::Rndscaleps, to, 0, Rm::Reg(t), 9);
                w.v(X::Subps, to, t, Rm::Reg(to));
                // Below 1; a NaN is the second operand, and stays.
                w.v(X::Broadcast, t, 0, most);
                w.v(X::Minps, to, t, Rm::Reg(to));
                w.f16_of(to, to);
                new
            }),
            FFrexpExp16 => {
                let wide = self.f32_parts(x, false);
                let exponent = self.lanes_of(r, FFrexpExp32, mode.plain32(), args, [wide, NO_PARTS, NO_PARTS])?;
                self.drop_parts(&wide);
                let out = self.low_words(exponent);
                self.drop_parts(&exponent);
                out
            }
            FLdexp16 => {
                let exponents = self.each_part(&[y], |w, part| {
                    let from = w.reg(part.ops[0]);
                    let (new, to) = w.new_in_register(Class::Vector);
                    w.vi(X::PslldImm, 0, to, Rm::Reg(from), 16);
                    w.vi(X::PsradImm, 0, to, Rm::Reg(to), 16);
                    new
                });
                let out = self.through_f32(r, FLdexp32, mode, args, [x, exponents]);
                self.drop_parts(&exponents);
                return out;
            }
            FFma16 | PkFFma16 => self.each_part(&operands, |w, part| w.fused(part, op == PkFFma16)),
            FMed316 | FMed3Num16 => self.each_part(&operands, |w, part| {
                let from = [0, 1, 2].map(|i| w.reg(part.ops[i]));
                let (new, to) = w.new_in_register(Class::Vector);
                let wide = [w.temp(), w.temp(), w.temp()];
                wide.into_iter().zip(from).for_each(|(t, from)| w.f32_of_low(t, from));
                w.median(to, wide);
                w.f16_of(to, to);
                w.if_nan(wide);
                w.rarely(Cond::Ne, op, mode, from.map(Lanes::Dwords).to_vec(), Lanes::Dwords(to));
                new
            }),
            FMin16 | FMax16 | FMinNum16 | FMaxNum16 | FMinimum16 | FMaximum16 | PkFMin16 | PkFMax16 | PkFMinNum16 | PkFMaxNum16 => {
                let pick = if matches!(op, FMin16 | FMinNum16 | FMinimum16 | PkFMin16 | PkFMinNum16) { X::Pminsw } else { X::Pmaxsw };
                let nans = match op {
                    FMin16 | FMax16 | PkFMin16 | PkFMax16 => Nans::Lose { ieee: mode.ieee() },
                    FMinimum16 | FMaximum16 => Nans::Win,
                    _ => Nans::AlwaysLose,
                };
                let is_pair = matches!(op, PkFMin16 | PkFMax16 | PkFMinNum16 | PkFMaxNum16);
                self.each_part(&[x, y], |w, part| w.lesser_or_greater_halves(pick, nans, is_pair, part))
            }
            PkFClamp16 if mode.dx10_clamp() => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let t = w.temp();
                // Negative ones are 0, and so are NaNs, which are above infinity.
                w.v(X::Pxord, to, to, Rm::Reg(to));
                w.v(X::Pmaxsw, to, to, Rm::Reg(from));
                w.above_infinity(t, to);
                w.v(X::Pandnd, to, t, Rm::Reg(to));
                let one = w.table(|_| ONES);
                w.v(X::Pminsw, to, to, one);
                new
            }),
            FClass16 => {
                let kinds = args[1].and_then(|v| self.splat_constant(v))?;
                self.each_part(&[x], |w, part| w.class_of_half(part, kinds as u32))
            }
            // Modifiers that a mode ignores in which denormals are kept.
            FOmod2x16 | FOmod4x16 | FOmodHalf16 => self.low_words(x),
            DivFixup16 => self.each_part(&operands, |w, part| w.fixed_quotient(mode, part)),
            Dot2F32F16 if mode.is_plain32() => {
                let [low, high] = [false, true].map(|is_high| [x, y].map(|v| self.f32_parts(v, is_high)));
                self.dot_of_two(low, high, z)
            }
            Dot2F16F16 => self.each_part(&operands, |w, part| {
                let [a, b, c] = [0, 1, 2].map(|i| w.reg(part.ops[i]));
                let (new, to) = w.new_in_register(Class::Vector);
                let wide = [w.temp(), w.temp(), w.temp()];
                wide.into_iter().zip([a, b, c]).for_each(|(t, from)| w.f32_of_low(t, from));
                w.half_fma(to, wide);
                wide.into_iter().zip([a, b]).for_each(|(t, from)| w.f32_of_high(t, from));
                w.f32_of_low(wide[2], to);
                w.half_fma(to, wide);
                new
            }),
            _ => return None,
        })
    }

    /// A function of f32 on f16, rounded again. The second operand, if there is one, is taken as it is.
    fn through_f32(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3], [x, y]: [Parts; 2]) -> Option<Parts> {
        let wide = self.f32_parts(x, false);
        let result = self.lanes_of(r, op, mode.plain32(), args, [wide, y, NO_PARTS])?;
        let out = if op == PureOp::FExp232 {
            // The power of this one is so near to the middle between two numbers that f32 does not tell on which side.
            let near = f32::from_bits(0x3a38_a000);
            self.each_part(&[result, wide], |w, part| {
                let (from, x) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                let (new, to) = w.new_in_register(Class::Vector);
                let (k, near, one) = (w.temp_mask(), w.splat32(near.to_bits()), w.splat32(1));
                w.vi(X::Pcmpd, k, x, near, EQ);
                w.v(X::MovAligned, to, 0, Rm::Reg(from));
                w.vector(Vector::new(X::Paddd, Len::Z, to, to, one).mask(k));
                w.f16_of(to, to);
                new
            })
        } else {
            self.f16_parts(result)
        };
        self.drop_parts(&wide);
        self.drop_parts(&result);
        Some(out)
    }

    /// f32 of the low halves, or of the high ones.
    fn f32_parts(&mut self, x: Parts, is_high: bool) -> Parts {
        self.each_part(&[x], |w, part| {
            let from = w.reg(part.ops[0]);
            let (new, to) = w.new_in_register(Class::Vector);
            if is_high {
                w.f32_of_high(to, from)
            } else {
                w.f32_of_low(to, from)
            }
            new
        })
    }

    fn f16_parts(&mut self, x: Parts) -> Parts {
        self.each_part(&[x], |w, part| {
            let from = w.reg(part.ops[0]);
            let (new, to) = w.new_in_register(Class::Vector);
            w.f16_of(to, from);
            new
        })
    }

    fn low_words(&mut self, x: Parts) -> Parts {
        self.each_part(&[x], |w, part| {
            let from = w.reg(part.ops[0]);
            let (new, to) = w.new_over(part.free);
            let low = w.splat32(0xffff);
            w.v(X::Pandd, to, from, low);
            new
        })
    }

    /// Sums or products of low halves, or of both.
    fn sums_and_products(&mut self, op: X, is_pair: bool, x: Parts, y: Parts) -> Parts {
        self.each_part(&[x, y], |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
            let (new, to) = w.new_in_register(Class::Vector);
            let t = w.temp();
            w.f32_of_low(to, a);
            w.f32_of_low(t, b);
            w.v(op, to, to, Rm::Reg(t));
            w.f16_of(to, to);
            if is_pair {
                let high = w.temp();
                w.f32_of_high(high, a);
                w.f32_of_high(t, b);
                w.v(op, high, high, Rm::Reg(t));
                w.f16_of(high, high);
                w.vi(X::PslldImm, 0, high, Rm::Reg(high), 16);
                w.v(X::Pord, to, to, Rm::Reg(high));
            }
            new
        })
    }

    fn fused(&mut self, part: Part, is_pair: bool) -> PieceId {
        let from = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        let wide = [self.temp(), self.temp(), self.temp()];
        wide.into_iter().zip(from).for_each(|(t, from)| self.f32_of_low(t, from));
        self.half_fma(to, wide);
        if is_pair {
            let high = self.temp();
            wide.into_iter().zip(from).for_each(|(t, from)| self.f32_of_high(t, from));
            self.half_fma(high, wide);
            self.vi(X::PslldImm, 0, high, Rm::Reg(high), 16);
            self.v(X::Pord, to, to, Rm::Reg(high));
        }
        new
    }

    /// to = all ones in the words that are above infinity, of words without a sign.
    fn above_infinity(&mut self, to: u8, from: u8) {
        let infinity = self.table(|_| INFINITIES);
        self.v(X::MovLoad, to, 0, infinity);
        self.v(X::Psubw, to, to, Rm::Reg(from));
        self.vi(X::PsrawImm, 0, to, Rm::Reg(to), 15);
    }

    /// to = all ones in the words that are NaNs.
    fn nan_words(&mut self, to: u8, from: u8, t: u8) {
        let magnitude = self.splat32(!SIGNS);
        self.v(X::Pandd, t, from, magnitude);
        self.above_infinity(to, t);
    }

    /// to = all ones in the words that are NaNs and quiet, and in others.
    fn quiet_words(&mut self, to: u8, from: u8) {
        self.vi(X::PsllwImm, 0, to, Rm::Reg(from), 6);
        self.vi(X::PsrawImm, 0, to, Rm::Reg(to), 15);
    }

    /// Integers in the order of the words as f16, and back.
    fn ordered_words(&mut self, to: u8, from: u8, t: u8) {
        self.vi(X::PsrawImm, 0, t, Rm::Reg(from), 15);
        self.vi(X::PsrlwImm, 0, t, Rm::Reg(t), 1);
        self.v(X::Pxord, to, from, Rm::Reg(t));
    }

    /// Minimum or maximum of halves, -0 below +0. Where one is a NaN, a stub chooses.
    fn lesser_or_greater_halves(&mut self, pick: X, nans: Nans, is_pair: bool, part: Part) -> PieceId {
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let [t, of_a, of_b] = [self.temp(), self.temp(), self.temp()];
        self.ordered_words(to, a, t);
        self.ordered_words(of_b, b, t);
        self.v(pick, to, to, Rm::Reg(of_b));
        self.ordered_words(to, to, t);
        self.nan_words(of_a, a, t);
        self.nan_words(of_b, b, t);
        let k = self.temp_mask();
        let (rare, done) = (self.a.label(), self.a.label());
        self.v(X::Pord, t, of_a, Rm::Reg(of_b));
        self.v(X::Ptestmd, k, t, Rm::Reg(t));
        self.any(k);
        self.a.jcc(Cond::Ne, rare);
        self.a.bind(done);
        if !is_pair {
            let low = self.splat32(0xffff);
            self.v(X::Pandd, to, to, low);
        }
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            // to = mask ? x : to
            let choose = |w: &mut Self, mask: u8, x: u8| w.choose_words(to, mask, x);
            let quieted = |w: &mut Self, t: u8, x: u8| {
                let quiet = w.splat32(QUIET);
                w.v(X::Pord, t, x, quiet);
            };
            match nans {
                Nans::Lose { ieee } => {
                    choose(w, of_a, b);
                    choose(w, of_b, a);
                    for (x, is_nan) in [(b, of_b), (a, of_a)].into_iter().filter(|_| ieee) {
                        w.quiet_words(t, x);
                        w.v(X::Pandnd, is_nan, t, Rm::Reg(is_nan));
                        quieted(w, t, x);
                        choose(w, is_nan, t);
                    }
                }
                Nans::AlwaysLose => {
                    choose(w, of_b, a);
                    choose(w, of_a, b);
                    w.v(X::Pandd, of_a, of_a, Rm::Reg(of_b));
                    quieted(w, t, a);
                    choose(w, of_a, t);
                }
                Nans::Win => {
                    for (x, is_nan) in [(b, of_b), (a, of_a)] {
                        quieted(w, t, x);
                        choose(w, is_nan, t);
                    }
                }
            }
            w.a.jmp(done);
        }));
        new
    }

    /// to = the bits of x where the mask has some, else its own.
    fn choose_words(&mut self, to: u8, mask: u8, x: u8) {
        self.vi(X::Pternlogd, to, x, Rm::Reg(mask), 0xd8);
    }

    /// v_div_fixup_f16: the magnitude of a quotient with the sign of the operands. Where the denominator is no finite number but 0, or the numerator no finite
    /// one, the row function does it.
    fn fixed_quotient(&mut self, mode: FpMode, part: Part) -> PieceId {
        let [q, d, n] = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        let t = self.temp();
        let (k, odd, zero) = (self.temp_mask(), self.temp_mask(), self.temp_mask());
        // Magnitudes in the upper halves of dwords.
        self.vi(X::PslldImm, 0, t, Rm::Reg(d), 17);
        let (unit, beyond) = (self.splat32(1 << 17), self.splat32(0x7bff << 17));
        self.v(X::Psubd, t, t, unit);
        self.vi(X::Pcmpud, odd, t, beyond, GE);
        self.vi(X::PslldImm, 0, t, Rm::Reg(n), 17);
        self.v(X::Ptestnmd, zero, t, Rm::Reg(t));
        let infinity = self.splat32(0x7c00 << 17);
        self.vi(X::Pcmpud, k, t, infinity, GE);
        self.k(X::Korw, odd, odd, k);
        self.k(X::Knotw, zero, 0, zero);
        let (magnitude, sign, infinity) = (self.splat32(0x7fff), self.splat32(0x8000), self.splat32(0x7c00));
        self.v(X::Pandd, to, q, magnitude);
        self.v(X::Pminud, to, to, infinity);
        self.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(to)).zeroing(zero));
        self.v(X::Pxord, t, d, Rm::Reg(n));
        self.v(X::Pandd, t, t, sign);
        self.v(X::Pord, to, to, Rm::Reg(t));
        self.any(odd);
        self.rarely(Cond::Ne, PureOp::DivFixup16, mode, [q, d, n].map(Lanes::Dwords).to_vec(), Lanes::Dwords(to));
        new
    }

    /// Which lanes are of the kinds of a v_cmp_class mask: those in a few ranges of integers.
    fn class_of_half(&mut self, part: Part, kinds: u32) -> PieceId {
        // In the order of the bits as an integer: the number of the class and its first member.
        const CLASSES: [(u32, u32); 12] = [
            (6, 0),
            (7, 1),
            (8, 0x400),
            (9, 0x7c00),
            (0, 0x7c01),
            (1, 0x7e00),
            (5, 0x8000),
            (4, 0x8001),
            (3, 0x8400),
            (2, 0xfc00),
            (0, 0xfc01),
            (1, 0xfe00),
        ];
        let from = self.reg(part.ops[0]);
        let (new, to) = self.new_in_register(Class::Mask);
        let (t, u, k) = (self.temp(), self.temp(), self.temp_mask());
        self.k(X::Kxorw, to, to, to);
        self.vi(X::PslldImm, 0, t, Rm::Reg(from), 16);
        let is_in = |i: usize| CLASSES.get(i).is_some_and(|(class, _)| kinds >> class & 1 != 0);
        for i in (0..CLASSES.len()).filter(|i| is_in(*i) && (*i == 0 || !is_in(i - 1))) {
            let end = (i..).find(|i| !is_in(*i)).and_then(|i| CLASSES.get(i)).map_or(0x1_0000, |(_, first)| *first);
            let first = CLASSES[i].1;
            let (least, span) = (self.splat32(first << 16), self.splat32((end - first - 1) << 16));
            self.v(X::Psubd, u, t, least);
            self.vi(X::Pcmpud, k, u, span, LE);
            self.k(X::Korw, to, to, k);
        }
        new
    }

    /// to = f32 of the high halves of `from`.
    fn f32_of_high(&mut self, to: u8, from: u8) {
        self.vi(X::PsrldImm, 0, to, Rm::Reg(from), 16);
        self.f32_of_low(to, to);
    }

    /// to = f32 of the low halves of `from`.
    pub(super) fn f32_of_low(&mut self, to: u8, from: u8) {
        self.v(X::Pmovdw, from, 0, Rm::Reg(to));
        self.v(X::Cvtph2ps, to, 0, Rm::Reg(to));
    }

    /// to = f16, to nearest even, of `from`.
    pub(super) fn f16_of(&mut self, to: u8, from: u8) {
        self.vi(X::Cvtps2ph, from, 0, Rm::Reg(to), 0);
        self.v(X::Pmovzxwd, to, 0, Rm::Reg(to));
    }

    /// Two f16 in a dword, toward zero, of two f32.
    pub(super) fn pack_toward_zero(&mut self, part: Part) -> PieceId {
        let (low, high) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let t = self.temp();
        for (to, from) in [(to, low), (t, high)] {
            self.vi(X::Cvtps2ph, from, 0, Rm::Reg(to), 3);
            self.v(X::Pmovzxwd, to, 0, Rm::Reg(to));
        }
        self.vi(X::PslldImm, 0, t, Rm::Reg(t), 16);
        self.v(X::Pord, to, to, Rm::Reg(t));
        new
    }

    /// to = f16 of a * b + c, rounded once, of f16 in f32. The product is exact; the sum is rounded to odd, so that the second rounding is right.
    pub(super) fn half_fma(&mut self, to: u8, [a, b, c]: [u8; 3]) {
        let [p, s, q, t] = [self.temp(), self.temp(), self.temp(), self.temp()];
        let k = self.temp_mask();
        self.v(X::Mulps, p, a, Rm::Reg(b));
        self.v(X::Addps, s, p, Rm::Reg(c));
        // What the sum lost: p is its error from here on.
        self.v(X::Subps, q, s, Rm::Reg(p));
        self.v(X::Subps, t, s, Rm::Reg(q));
        self.v(X::Subps, p, p, Rm::Reg(t));
        self.v(X::Subps, q, c, Rm::Reg(q));
        self.v(X::Addps, p, p, Rm::Reg(q));
        // If it lost anything and is even, the odd number on the side of the error.
        let one = self.splat32(1);
        self.v(X::Pxord, t, t, Rm::Reg(t));
        self.vi(X::Cmpps, k, p, Rm::Reg(t), 0x0c);
        self.vector(Vector::new(X::Ptestnmd, Len::Z, k, s, one).mask(k));
        self.v(X::Pxord, t, s, Rm::Reg(p));
        self.vi(X::PsradImm, 0, t, Rm::Reg(t), 31);
        self.v(X::Pord, t, t, one);
        self.vector(Vector::new(X::Paddd, Len::Z, s, s, Rm::Reg(t)).mask(k));
        // A NaN of c wins over that of an invalid product.
        self.vi(X::Cmpps, k, c, Rm::Reg(c), 3);
        self.vector(Vector::new(X::Cmpps, Len::Z, k, a, Rm::Reg(b)).imm(7).mask(k));
        self.vector(Vector::new(X::MovAligned, Len::Z, s, 0, Rm::Reg(c)).mask(k));
        self.f16_of(to, s);
        for t in [p, s, q, t] {
            self.free_temp(Class::Vector, t);
        }
        self.free_temp(Class::Mask, k);
    }
}
