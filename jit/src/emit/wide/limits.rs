//! Sums that stop at a limit; minima and maxima of gfx12; the median of three, which is how compilers put a value between two.

use super::lanes::{Part, UNORDERED};
use super::rare::Lanes;
use super::regs::{Class, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, Op, PureOp, Value};
use wavejit_x86::{Cond, Len, Rm, Vector};

/// vrangeps: the lesser or the greater of two, -0 below +0; the other one of a quiet NaN.
const LESSER: u8 = 4;
const GREATER: u8 = 5;

impl Wide<'_> {
    pub(super) fn saturated_unsigned(&mut self, op: PureOp, part: Part) -> PieceId {
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        if op == PureOp::UAddSat32 {
            // As much of a as there is room for above b.
            let ones = self.splat32(u32::MAX);
            self.v(X::Pxord, to, b, ones);
            self.v(X::Pminud, to, to, Rm::Reg(a));
            self.v(X::Paddd, to, to, Rm::Reg(b));
        } else {
            self.v(X::Pmaxud, to, a, Rm::Reg(b));
            self.v(X::Psubd, to, to, Rm::Reg(b));
        }
        new
    }

    pub(super) fn saturated_signed(&mut self, op: PureOp, part: Part) -> PieceId {
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let (t, limit, k) = (self.temp(), self.temp(), self.temp_mask());
        let is_sum = op == PureOp::SAddSat32;
        self.v(if is_sum { X::Paddd } else { X::Psubd }, to, a, Rm::Reg(b));
        // Too far: the sign is not that of a, and what is added has that of a.
        self.v(X::Pxord, t, a, Rm::Reg(to));
        self.v(X::Pxord, limit, b, Rm::Reg(if is_sum { to } else { a }));
        self.v(X::Pandd, t, t, Rm::Reg(limit));
        self.v(X::Pmovd2m, k, 0, Rm::Reg(t));
        self.vi(X::PsradImm, 0, limit, Rm::Reg(a), 31);
        let most = self.splat32(i32::MAX as u32);
        self.v(X::Pxord, limit, limit, most);
        self.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(limit)).mask(k));
        new
    }

    /// Emits a minimum, maximum or median of f32 where denormals are kept; none: it has no form here.
    pub(super) fn limits(&mut self, op: PureOp, mode: FpMode, args: &[Option<Value>; 3], operands: [Parts; 3]) -> Option<Parts> {
        use PureOp::*;
        if !mode.is_plain32() {
            return None;
        }
        Some(match op {
            FMed332 | FMed3Num32 => self.each_part(&operands, |w, part| w.median_part(op, mode, part)),
            FMinNum32 | FMaxNum32 => {
                let is_quiet = [0, 1].map(|i| args[i].is_some_and(|v| self.is_quiet(v)));
                self.each_part(&operands[..2], |w, part| {
                    let [mut a, mut b] = [0, 1].map(|i| w.reg(part.ops[i]));
                    let (new, to) = w.new_in_register(Class::Vector);
                    // Signaling NaNs, which would win, are quiet in a sum; it is that with -0, which changes nothing else.
                    for (x, is_quiet) in [&mut a, &mut b].into_iter().zip(is_quiet) {
                        if !is_quiet {
                            let (t, zero) = (w.temp(), w.splat32((-0f32).to_bits()));
                            w.v(X::Addps, t, *x, zero);
                            *x = t;
                        }
                    }
                    w.vi(X::Rangeps, to, a, Rm::Reg(b), if op == FMinNum32 { LESSER } else { GREATER });
                    new
                })
            }
            FMinimum32 | FMaximum32 => self.each_part(&operands[..2], |w, part| {
                let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                let (new, to) = w.new_in_register(Class::Vector);
                let k = w.temp_mask();
                w.vi(X::Cmpps, k, a, Rm::Reg(b), UNORDERED);
                w.vi(X::Rangeps, to, a, Rm::Reg(b), if op == FMinimum32 { LESSER } else { GREATER });
                // Of a sum the NaN is the first one, and quiet.
                w.vector(Vector::new(X::Addps, Len::Z, to, a, Rm::Reg(b)).mask(k));
                new
            }),
            _ => return None,
        })
    }

    /// Minima and maxima of gfx12, of f64.
    pub(super) fn number_or_nan64(&mut self, op: PureOp, part: Part) -> PieceId {
        use PureOp::*;
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let pick = if matches!(op, FMinNum64 | FMinimum64) { LESSER } else { GREATER };
        if matches!(op, FMinNum64 | FMaxNum64) {
            let (t, zero) = (self.temp(), self.splat64((-0f64).to_bits()));
            self.v(X::Addpd, to, a, zero);
            self.v(X::Addpd, t, b, zero);
            self.vi(X::Rangepd, to, to, Rm::Reg(t), pick);
        } else {
            let k = self.temp_mask();
            self.vi(X::Cmppd, k, a, Rm::Reg(b), UNORDERED);
            self.vi(X::Rangepd, to, a, Rm::Reg(b), pick);
            self.vector(Vector::new(X::Addpd, Len::Z, to, a, Rm::Reg(b)).mask(k));
        }
        new
    }

    /// Can it be no signaling NaN?
    fn is_quiet(&self, v: Value) -> bool {
        match self.def(v) {
            Op::Splat(_) => self.splat_constant(v).is_some_and(|bits| !f32::from_bits(bits as u32).is_nan()),
            Op::Pure { op, .. } => {
                use PureOp::*;
                matches!(
                    op,
                    FAdd32
                        | FSub32
                        | FMul32
                        | FFma32
                        | FDiv32
                        | FMinNum32
                        | FMaxNum32
                        | FMinimum32
                        | FMaximum32
                        | FRcp32
                        | FRsq32
                        | FRsqNear32
                        | FSqrt32
                        | FSqrtDenorm32
                        | FExp232
                        | FLog232
                        | FFloor32
                        | FCeil32
                        | FTrunc32
                        | FRndne32
                        | CvtF32I32
                        | CvtF32U32
                        | CvtF32F16
                )
            }
            _ => false,
        }
    }

    /// The median of three f32: the greatest of those that are left without the greatest. NaNs are the row function's.
    fn median_part(&mut self, op: PureOp, mode: FpMode, part: Part) -> PieceId {
        let from = [0, 1, 2].map(|i| self.reg(part.ops[i]));
        let (new, to) = self.new_in_register(Class::Vector);
        self.median(to, from);
        self.if_nan(from);
        self.rarely(Cond::Ne, op, mode, from.map(Lanes::Dwords).to_vec(), Lanes::Dwords(to));
        new
    }

    /// to = the median of three f32 that are numbers.
    pub(super) fn median(&mut self, to: u8, [a, b, c]: [u8; 3]) {
        let (top, k, other) = (self.temp(), self.temp_mask(), self.temp_mask());
        self.vi(X::Rangeps, to, a, Rm::Reg(b), GREATER);
        self.vi(X::Rangeps, top, to, Rm::Reg(c), GREATER);
        self.vi(X::Cmpps, k, top, Rm::Reg(b), 0);
        self.vi(X::Cmpps, other, top, Rm::Reg(a), 0);
        self.vector(Vector::new(X::Rangeps, Len::Z, to, a, Rm::Reg(c)).imm(GREATER).mask(k));
        self.vector(Vector::new(X::Rangeps, Len::Z, to, b, Rm::Reg(c)).imm(GREATER).mask(other));
        self.free_temp(Class::Vector, top);
        self.free_temp(Class::Mask, k);
        self.free_temp(Class::Mask, other);
    }

    /// Leaves "not equal" if a lane of these is a NaN.
    pub(super) fn if_nan(&mut self, [a, b, c]: [u8; 3]) {
        let (k, other) = (self.temp_mask(), self.temp_mask());
        self.vi(X::Cmpps, k, a, Rm::Reg(b), UNORDERED);
        self.vi(X::Cmpps, other, c, Rm::Reg(c), UNORDERED);
        self.k(X::Kortestw, k, 0, other);
        self.free_temp(Class::Mask, k);
        self.free_temp(Class::Mask, other);
    }
}
