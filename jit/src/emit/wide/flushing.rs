//! f32 operations in the mode that drivers set for graphics: to nearest even, denormals are zero, NaNs as they come.
//!
//! Operands are flushed, the operation is that of the plain mode, its result is flushed: tininess is judged after rounding, as a comparison
//! of the result does and the host's own mode would not. What an operation of this kind has made, or a constant, is flushed already.

use super::lanes::Part;
use super::regs::{Class, NO_PARTS, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, Op, PureOp, Value};
use wavejit_x86::{Len, Rm, Vector};

/// Is an operation what it is in the plain mode, of flushed operands, with its result flushed?
pub(super) fn takes(op: PureOp) -> bool {
    use PureOp::*;
    gives(op)
        || matches!(op, CvtF16F32 | FFrexpExp32 | CvtFloorI32F32 | CvtNearestI32F32)
        || super::lanes::float_condition(op).is_some() && op.args()[0] == wavejit_ir::Width::B32
}

/// Those whose result is an f32, which is none that would be flushed.
fn gives(op: PureOp) -> bool {
    use PureOp::*;
    let limits = matches!(op, FMin32 | FMax32 | FMed332 | FMinNum32 | FMaxNum32 | FMed3Num32 | FMinimum32 | FMaximum32);
    may_underflow(op) || limits || matches!(op, FFloor32 | FCeil32 | FTrunc32 | FRndne32 | FFract32 | FFrexpMant32)
}

/// Those whose result may have to be flushed though no operand had to be.
fn may_underflow(op: PureOp) -> bool {
    use PureOp::*;
    matches!(op, FAdd32 | FSub32 | FMul32 | FFma32 | FLdexp32)
}

impl Wide<'_> {
    /// Emits an operation that [`takes`] says yes to.
    pub(super) fn flushing(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> bool {
        let is_float = |i: usize| i == 0 || op != PureOp::FLdexp32;
        let mut before = [NO_PARTS; 3];
        let mut new = [NO_PARTS; 3];
        for (i, v) in args.iter().enumerate() {
            let Some(v) = *v else { continue };
            before[i] = self.val(v).lo;
            if !is_float(i) || self.is_flushed(v) {
                continue;
            }
            // Both of two equal operands.
            let same = (0..i).find(|j| args[*j] == Some(v) && new[*j] != NO_PARTS);
            if same.is_none() {
                new[i] = self.flush_parts(&before[i]);
            }
        }
        let flushed = |i: usize| {
            let same = (0..=i).find(|j| args[*j] == args[i] && new[*j] != NO_PARTS);
            same.filter(|_| is_float(i)).map_or(before[i], |j| new[j])
        };
        let operands = [flushed(0), flushed(1), flushed(2)];
        let out = self.lanes_of(r, op, mode.plain32(), args, operands);
        new.iter().filter(|parts| **parts != NO_PARTS).for_each(|parts| self.drop_parts(parts));
        let Some(mut out) = out else { return false };
        if may_underflow(op) {
            let tiny = std::mem::replace(&mut out, NO_PARTS);
            out = self.flush_parts(&tiny);
            self.drop_parts(&tiny);
        }
        self.set_lo(r, out);
        true
    }

    /// Is there no denormal among its lanes, as far as its operation says?
    fn is_flushed(&self, v: Value) -> bool {
        match self.def(v) {
            Op::Splat(_) => self.splat_constant(v).is_some_and(|bits| bits & 0x7f80_0000 != 0 || bits & 0x7fff_ffff == 0),
            Op::Pure { op, mode, .. } => {
                use PureOp::*;
                let of_mode = mode.is_flushing32() && gives(*op);
                of_mode || matches!(op, FRcp32 | FRsq32 | FRsqNear32 | FSqrt32 | FExp232 | FLog232 | CvtF32I32 | CvtF32U32 | CvtF32F16)
            }
            _ => false,
        }
    }

    /// Copies in which denormals are zeros of their sign.
    fn flush_parts(&mut self, parts: &Parts) -> Parts {
        self.each_part(&[*parts], |w, part| {
            let from = w.reg(part.ops[0]);
            let (new, to) = w.new_in_register(Class::Vector);
            w.flush(to, from);
            new
        })
    }

    /// The lesser or the greater of two numbers where the mode is not IEEE's: the other operand for a NaN, which stays as it is; the first of two.
    pub(super) fn lesser_or_greater(&mut self, lesser: bool, part: Part) -> PieceId {
        let (a, b) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let k = self.temp_mask();
        self.vi(X::Rangeps, to, a, Rm::Reg(b), if lesser { 4 } else { 5 });
        for (nan, other) in [(a, b), (b, a)] {
            self.vi(X::Cmpps, k, nan, Rm::Reg(nan), 3);
            self.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(other)).mask(k));
        }
        new
    }
}
