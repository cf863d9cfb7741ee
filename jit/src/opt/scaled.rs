//! Functions of f32 that compilers have spelled out for denormals, as one operation each.
//!
//! The guest's roots, powers and logarithms take denormals for zeros, and its reciprocal is rounded once more than a quotient. So LLVM scales what is small by
//! a power of two before, and scales or shifts the result; and where OpenCL asks for no more than 2.5 ulp of a quotient, it divides mantissas:
//!
//! ```text
//! fmul.32 (frsq.32 (fmul.32 x, (sel.32 m, 2^100, 1))), (sel.32 m, 2^50, 1)                      frsqdenorm.32 x      m: x < 2^-100
//! fmul.32 (fexp2.32 (fadd.32 x, (sel.32 m, 64, 0))), (sel.32 m, 2^-64, 1)                       fexp2denorm.32 x     m: x < -126
//! fsub.32 (flog2.32 (fmul.32 x, (sel.32 m, 2^32, 1))), (sel.32 m, 32, 0)                        flog2denorm.32 x     m: x < 2^-126, or a denormal
//! fldexp.32 (fsqrt.32 (fldexp.32 x, (sel.32 m, 32, 0))), (sel.32 m, -16, 0)                     fsqrtdenorm.32 x     m: x < 2^-126
//! fldexp.32 (fmul.32 (ffrexpm.32 n), (frcp.32 (ffrexpm.32 d))), (isub.32 (ffrexpe.32 n), (ffrexpe.32 d))      fdivmant.32 n, d
//! ```
//!
//! Libraries do it to what compilers will do it to again, so that powers and logarithms may be scaled twice: the second time changes nothing.
//! Numerators that are constants are mantissa and exponent already; that of a reciprocal is 1.

use super::idioms::{Chain, F32};
use super::local::Facts;
use wavejit_ir::{FpMode, Op, PureOp, Shape, Ty, Value, Width};

/// The bits of 2^e.
const fn power(e: i32) -> u64 {
    ((127 + e) as u64) << 23
}

/// 64, 32.
const RAISED: u64 = power(6);
const LOWERED: u64 = power(5);
/// -126.
const LEAST_POWER: u64 = 0xc2fc_0000;
/// Of v_cmp_class_f32.
const DENORMALS: u64 = 0x90;

/// What the operation is the end of, as one operation.
pub(super) fn whole(f: &mut Facts, op: PureOp, mode: FpMode, args: [Option<Value>; 3]) -> Option<Value> {
    use PureOp::*;
    let [Some(a), Some(b), None] = args else { return None };
    if !matches!(op, FMul32 | FSub32 | FLdexp32) || !mode.is_plain32() || f.func.ty(a) != Ty::L32 {
        return None;
    }
    let chain = Chain { f, is: &F32 };
    let ends = Ends { chain: &chain, mode };
    let (op, operands) = match op {
        FMul32 => ends.root_or_power(a, b).or_else(|| ends.root_or_power(b, a))?,
        FSub32 => ends.logarithm(a, b)?,
        _ => match ends.root(a, b) {
            Some(x) => (FSqrtDenorm32, [Some(x), None]),
            None => {
                let (n, d) = ends.quotient(a, b)?;
                let n = match n {
                    Numerator::Is(n) => n,
                    Numerator::Bits(bits) => {
                        let bits = f.make_const(Width::B32, bits);
                        f.make(Op::Splat(bits), Ty::L32)
                    }
                };
                (FDivMant32, [Some(n), Some(d)])
            }
        },
    };
    let [x, y] = operands;
    // What is alike in all lanes is a scalar by now.
    if x.is_some_and(|x| f.func.ty(x).shape != Shape::Lane) {
        return None;
    }
    Some(f.make(Op::Pure { op, mode, args: [x, y, None] }, Ty::L32))
}

enum Numerator {
    Is(Value),
    Bits(u64),
}

/// Reads from the last operation back.
struct Ends<'a, 'f> {
    chain: &'a Chain<'a, 'f>,
    mode: FpMode,
}

impl Ends<'_, '_> {
    /// Operands, if `v` is made by this operation in the mode of the last one.
    fn made_by(&self, v: Value, op: PureOp) -> Option<[Option<Value>; 3]> {
        self.chain.pure(v, op).filter(|_| self.chain.mode(v) == Some(self.mode))
    }

    /// If `v` is made of something by `op` and of what is `yes` under a mask, else `no`: the former, and the mask.
    fn scaled(&self, v: Value, op: PureOp, yes: u64, no: u64) -> Option<(Value, Value)> {
        let [Some(a), Some(b), _] = self.made_by(v, op)? else { return None };
        let with = |x, choice| Some((x, self.chain.choice(choice, yes, no)?));
        with(a, b).or_else(|| with(b, a).filter(|_| op != PureOp::FLdexp32))
    }

    fn root_or_power(&self, made: Value, scale: Value) -> Option<(PureOp, [Option<Value>; 2])> {
        use PureOp::*;
        let of = |op| self.made_by(made, op).and_then(|args| args[0]);
        let root = |plain, denorm| Some((of(plain)?, denorm));
        if let Some((inner, denorm)) = root(FRsq32, FRsqDenorm32).or_else(|| root(FRsqNear32, FRsqNearDenorm32)) {
            let lowered = self.chain.choice(scale, power(50), power(0))?;
            let (x, raised) = self.scaled(inner, FMul32, power(100), power(0))?;
            return [lowered, raised].iter().all(|m| self.chain.is_below(*m, x, power(-100))).then_some((denorm, [Some(x), None]));
        }
        let inner = of(FExp232).or_else(|| of(FExp2Denorm32))?;
        let lowered = self.chain.choice(scale, power(-64), power(0))?;
        let (x, raised) = self.scaled(inner, FAdd32, RAISED, 0)?;
        [lowered, raised].iter().all(|m| self.chain.is_below(*m, x, LEAST_POWER)).then_some((FExp2Denorm32, [Some(x), None]))
    }

    fn logarithm(&self, made: Value, less: Value) -> Option<(PureOp, [Option<Value>; 2])> {
        use PureOp::*;
        let of = |op| self.made_by(made, op).and_then(|args| args[0]);
        let inner = of(FLog232).or_else(|| of(FLog2Denorm32))?;
        let lowered = self.chain.choice(less, LOWERED, 0)?;
        let (x, raised) = self
            .scaled(inner, FMul32, power(32), power(0))
            .or_else(|| self.raised_by(inner, 5).filter(|_| self.chain.mode(inner) == Some(self.mode)))?;
        let is_low = |m: Value| self.chain.is_below(m, x, power(-126)) || self.is_denormal(m, x);
        (is_low(lowered) && is_low(raised) && self.is_denormal(lowered, x) == self.is_denormal(raised, x))
            .then_some((FLog2Denorm32, [Some(x), None]))
    }

    fn is_denormal(&self, m: Value, x: Value) -> bool {
        let class = self.chain.pure(self.chain.uncut(m), PureOp::FClass32);
        class.is_some_and(|args| args[0] == Some(x) && args[1].is_some_and(|kinds| self.chain.is_splat(kinds, DENORMALS)))
    }

    /// If `v` is `x` times 2^(2^n) under a mask: x and the mask.
    fn raised_by(&self, v: Value, n: u64) -> Option<(Value, Value)> {
        use PureOp::*;
        let [Some(x), Some(up), _] = self.chain.pure(v, FLdexp32)? else { return None };
        let mask = match self.chain.pure(up, Shl32) {
            Some([Some(bit), Some(shift), _]) if self.chain.is_splat(shift, n) => self.chain.choice(bit, 1, 0)?,
            _ => self.chain.choice(up, 1 << n, 0)?,
        };
        Some((x, mask))
    }

    /// The number of which `made` by 2^`down` is the square root.
    fn root(&self, made: Value, down: Value) -> Option<Value> {
        let inner = self.made_by(made, PureOp::FSqrt32)?[0]?;
        let lowered = self.chain.choice(down, u64::from((-16i32).cast_unsigned()), 0)?;
        let (x, raised) = self.raised_by(inner, 5).filter(|_| self.chain.mode(inner) == Some(self.mode))?;
        [lowered, raised].iter().all(|m| self.chain.is_below(*m, x, power(-126))).then_some(x)
    }

    /// Without what only changes its sign.
    fn unsigned(&self, v: Value) -> Value {
        use PureOp::*;
        let with = |op, bits| {
            let [Some(a), Some(b), _] = self.chain.pure(v, op)? else { return None };
            if self.chain.is_splat(b, bits) { Some(a) } else { self.chain.is_splat(a, bits).then_some(b) }
        };
        let sign = self.chain.is.sign;
        with(Xor32, sign).or_else(|| with(And32, sign - 1)).or_else(|| with(Or32, sign)).map_or(v, |x| self.unsigned(x))
    }

    /// The number that `exponent` is the exponent of, but for the sign, if it is `x`'s.
    fn is_exponent_of(&self, exponent: Value, x: Value) -> bool {
        let of = self.made_by(exponent, PureOp::FFrexpExp32).and_then(|args| args[0]);
        of.is_some_and(|of| self.unsigned(of) == self.unsigned(x))
    }

    /// Numerator and denominator of a quotient of mantissas.
    fn quotient(&self, mantissa: Value, exponent: Value) -> Option<(Numerator, Value)> {
        use PureOp::*;
        let [Some(of_n), Some(of_d), _] = self.chain.pure(exponent, ISub32)? else { return None };
        let reciprocal = |v| {
            let d = self.made_by(self.made_by(v, FRcp32)?[0]?, FFrexpMant32)?[0]?;
            self.is_exponent_of(of_d, d).then_some(d)
        };
        if let Some(d) = reciprocal(mantissa) {
            return self.chain.is_splat(of_n, 0).then_some((Numerator::Bits(power(0)), d));
        }
        let [Some(a), Some(b), _] = self.made_by(mantissa, FMul32)? else { return None };
        if let Some(d) = reciprocal(b)
            && let Some([Some(n), ..]) = self.made_by(a, FFrexpMant32)
        {
            return self.is_exponent_of(of_n, n).then_some((Numerator::Is(n), d));
        }
        // Of a constant: its mantissa, from 1/2 to 1, and its exponent.
        let (c, d) = reciprocal(b).map(|d| (a, d)).or_else(|| reciprocal(a).map(|d| (b, d)))?;
        let (c, e) = (self.splat(c)? as u32, self.splat(of_n)? as u32 as i32);
        let is_mantissa = c & 0x7f80_0000 == 126 << 23;
        (is_mantissa && (-120..120).contains(&e)).then(|| (Numerator::Bits(u64::from(c.wrapping_add_signed(e << 23))), d))
    }

    fn splat(&self, v: Value) -> Option<u64> {
        match self.chain.f.op(v)? {
            Op::Splat(s) => self.chain.f.constant(*s),
            _ => None,
        }
    }
}
