//! Divisions and square roots that compilers have spelled out, put together again.
//!
//! The guest has no correctly rounded division, and none of f64 square roots, so LLVM writes an estimate, steps that refine it, and what is
//! to be done about operands near the ends of the exponent range. Here estimates are correctly rounded themselves, and the whole is one
//! instruction of the host:
//!
//! ```text
//! %d = divscale.64 D, D, N      %n = divscale.64 N, D, N      %m = divscaleflag.64 N, D, N
//! %y = frcp.64 %d, refined      %q = fmul.64 %n, %y           %e = ffma.64 -%d, %q, %n
//! divfixup.64 (sel.64 %m, (divfmas.64 %e, %y, %q), (ffma.64 %e, %y, %q)), D, N                     fdiv.64 N, D
//! ```
//!
//! # Why the quotient is the correctly rounded one
//!
//! With p bits, d in \[1, 2) and y = RN(1/d), y is off by at most 2^-(p+1). A step of refinement computes RN(y + y (1 - d y)), and
//! y (2 - d y) differs from 1/d by less than any number of p + 1 bits does, so that RN gives y again. For the quotient t = n/d let m be the
//! midpoint of two numbers that is nearest to t; |t - m| >= u/(2^p d), u being the unit of t's last place, and t = m never. The last step
//! computes RN(q + (n - d q) y), which is off by |t - q| |d y - 1| before it is rounded. If t is so near to m that it matters, q is a
//! neighbor of m, and |t - q| is u/2: the error is at most u d/2^(p+1), and less than the distance for d < 2. Powers of two change nothing
//! of this within the range, and divscale keeps it there; at the ends divfmas rounds once, and divfixup says what IEEE 754 does of zeros,
//! infinities and NaNs. Square roots: the same argument, with |x - m²| for the distance, leaves two numbers for each parity of the exponent
//! to be looked at. The tests do that, and go through all exponents.
//!
//! Matched are values, wherever in the block they were computed; steps of refinement may be missing, factors may change places. Masks may be
//! cut by the EXEC under which the last operation runs: other lanes of its result cannot be seen.

use super::local::Facts;
use wavejit_ir::{FpMode, Op, PureOp, Shape, Ty, Value, Width};

/// The operations of a format.
pub(super) struct Format {
    width: Width,
    pub sign: u64,
    one: u64,
    half: u64,
    mul: PureOp,
    fma: PureOp,
    xor: PureOp,
    sel: PureOp,
    lt: PureOp,
    gt: PureOp,
    rcp: PureOp,
    scale: PureOp,
    flag: PureOp,
    scaled_fma: PureOp,
    quotient: PureOp,
    root: PureOp,
}

pub(super) const F32: Format = Format {
    width: Width::B32,
    sign: 1 << 31,
    one: 0x3f80_0000,
    half: 0x3f00_0000,
    mul: PureOp::FMul32,
    fma: PureOp::FFma32,
    xor: PureOp::Xor32,
    sel: PureOp::Sel32,
    lt: PureOp::FCmpLt32,
    gt: PureOp::FCmpGt32,
    rcp: PureOp::FRcp32,
    scale: PureOp::DivScale32,
    flag: PureOp::DivScaleFlag32,
    scaled_fma: PureOp::DivFmasScaled32,
    quotient: PureOp::FDiv32,
    root: PureOp::FSqrtDenorm32,
};

const F64: Format = Format {
    width: Width::B64,
    sign: 1 << 63,
    one: 0x3ff << 52,
    half: 0x3fe << 52,
    mul: PureOp::FMul64,
    fma: PureOp::FFma64,
    xor: PureOp::Xor64,
    sel: PureOp::Sel64,
    lt: PureOp::FCmpLt64,
    gt: PureOp::FCmpGt64,
    rcp: PureOp::FRcp64,
    scale: PureOp::DivScale64,
    flag: PureOp::DivScaleFlag64,
    scaled_fma: PureOp::DivFmasScaled64,
    quotient: PureOp::FDiv64,
    root: PureOp::FSqrt64,
};

/// +0, -0 and +infinity, of which the square root is themselves.
const OWN_ROOT: u64 = 0x260;

/// What the operation is the end of, as one operation.
pub(super) fn whole(f: &mut Facts, op: PureOp, mode: FpMode, args: [Option<Value>; 3]) -> Option<Value> {
    let [Some(a), Some(b), Some(c)] = args else { return None };
    let format = match op {
        PureOp::DivFixup32 if mode.is_plain32() => &F32,
        PureOp::DivFixup64 if mode.is_plain16_64() => &F64,
        PureOp::Sel32 | PureOp::Sel64 => return root(f, op, [a, b, c]),
        _ => return None,
    };
    if f.func.ty(a).shape != Shape::Lane || !(Chain { f, is: format }).is_quotient(a, b, c) {
        return None;
    }
    Some(f.make(Op::Pure { op: format.quotient, mode, args: [Some(c), Some(b), None] }, Ty { shape: Shape::Lane, width: format.width }))
}

/// The square root that `sel m, a, b` chooses the end of, or one half of it.
fn root(f: &mut Facts, op: PureOp, [m, a, b]: [Value; 3]) -> Option<Value> {
    let (class, [Some(scaled), Some(kinds), _]) = f.pure(Chain { f, is: &F64 }.uncut(m))? else { return None };
    let (format, half, result) = match (class, op, f.pure(a), f.pure(b)) {
        (PureOp::FClass32, PureOp::Sel32, ..) if a == scaled => (&F32, None, b),
        (PureOp::FClass64, PureOp::Sel64, ..) if a == scaled => (&F64, None, b),
        (PureOp::FClass64, PureOp::Sel32, Some((half @ (PureOp::Lo64 | PureOp::Hi64), [Some(x), ..])), Some((same, [Some(y), ..])))
            if half == same && x == scaled =>
        {
            (&F64, Some(half), y)
        }
        _ => return None,
    };
    let chain = Chain { f, is: format };
    if !chain.is_splat(kinds, OWN_ROOT) {
        return None;
    }
    let is_f32 = format.width == Width::B32;
    let (x, mode) = if is_f32 { chain.root_of_f32(scaled, result)? } else { chain.root_of_f64(scaled, result)? };
    let ty = Ty { shape: Shape::Lane, width: format.width };
    if !(if is_f32 { mode.is_plain32() } else { mode.is_plain16_64() }) || f.func.ty(x) != ty {
        return None;
    }
    let whole = f.make(Op::Pure { op: format.root, mode, args: [Some(x), None, None] }, ty);
    Some(half.map_or(whole, |half| f.make_pure(half, &[whole])))
}

/// Reads the operations that values come from.
pub(super) struct Chain<'a, 'f> {
    pub f: &'a Facts<'f>,
    pub is: &'a Format,
}

impl Chain<'_, '_> {
    pub(super) fn pure(&self, v: Value, op: PureOp) -> Option<[Option<Value>; 3]> {
        self.f.pure(v).filter(|(o, _)| *o == op).map(|(_, args)| args)
    }

    pub(super) fn is_splat(&self, v: Value, bits: u64) -> bool {
        matches!(self.f.op(v), Some(Op::Splat(s)) if self.f.constant(*s) == Some(bits))
    }

    /// The mask without the present EXEC, if it is cut by it.
    pub(super) fn uncut(&self, m: Value) -> Value {
        match self.pure(m, PureOp::BAnd) {
            Some([Some(x), Some(e), _]) if Some(e) == self.f.exec() => x,
            Some([Some(e), Some(x), _]) if Some(e) == self.f.exec() => x,
            _ => m,
        }
    }

    /// Two operands, in any order.
    fn are(&self, found: [Option<Value>; 2], wanted: [Value; 2]) -> bool {
        found == wanted.map(Some) || found == [Some(wanted[1]), Some(wanted[0])]
    }

    fn is_minus(&self, v: Value, x: Value) -> bool {
        match self.pure(v, self.is.xor) {
            Some([Some(a), Some(b), _]) => a == x && self.is_splat(b, self.is.sign) || b == x && self.is_splat(a, self.is.sign),
            _ => false,
        }
    }

    /// Is `v` the sum of `c` and the product of `a` and `b`?
    fn is_fma(&self, v: Value, a: Value, b: Value, c: Value) -> bool {
        matches!(self.pure(v, self.is.fma), Some([x, y, z]) if z == Some(c) && self.are([x, y], [a, b]))
    }

    /// Is `v` what `c` is more than the product of `a` and `b`? The sign is `a`'s or `b`'s.
    fn is_rest(&self, v: Value, a: Value, b: Value, c: Value) -> bool {
        let Some([Some(x), Some(y), Some(z)]) = self.pure(v, self.is.fma) else { return false };
        let is = |m, p, q| self.is_minus(m, p) && q == if p == a { b } else { a };
        z == c && (is(x, a, y) || is(x, b, y) || is(y, a, x) || is(y, b, x))
    }

    /// The number that a reciprocal is of, after steps of refinement.
    fn refined_reciprocal(&self, mut y: Value) -> Option<Value> {
        // y' = y + y (1 - d y)
        while let Some([Some(a), Some(b), Some(before)]) = self.pure(y, self.is.fma) {
            let e = if a == before { b } else { a };
            let [_, _, Some(one)] = self.pure(e, self.is.fma)? else { return None };
            if b != before && a != before || !self.is_splat(one, self.is.one) || !self.is_rest(e, self.refined(before)?, before, one) {
                return None;
            }
            y = before;
        }
        self.refined(y)
    }

    /// As [`Self::refined_reciprocal`], asked of each step: the reciprocal that it began with.
    fn refined(&self, mut y: Value) -> Option<Value> {
        for _ in 0..4 {
            match (self.pure(y, self.is.rcp), self.pure(y, self.is.fma)) {
                (Some([d, ..]), _) => return d,
                (_, Some([_, _, Some(before)])) => y = before,
                _ => return None,
            }
        }
        None
    }

    /// Is `v` the quotient of `n` and `d`, but for what `div_fixup` does?
    fn is_quotient(&self, v: Value, d: Value, n: Value) -> bool {
        let found = || {
            let [Some(m), Some(scaled), Some(plain)] = self.pure(v, self.is.sel)? else { return None };
            let fma = self.pure(plain, self.is.fma)?;
            let [Some(e), Some(y), Some(mut q)] = fma else { return None };
            let flag = self.pure(self.uncut(m), self.is.flag)?;
            let scaled_d = self.refined_reciprocal(y)?;
            let [Some(_), Some(_), Some(scaled_n)] = self.pure(e, self.is.fma)? else { return None };
            let scale = |v| self.pure(v, self.is.scale);
            let fits = self.pure(scaled, self.is.scaled_fma)? == fma
                && flag == [n, d, n].map(Some)
                && scale(scaled_d)? == [d, d, n].map(Some)
                && scale(scaled_n)? == [n, d, n].map(Some)
                && self.is_rest(e, scaled_d, q, scaled_n);
            // q' = q + y (n - d q)
            while let Some([Some(a), Some(b), Some(before)]) = self.pure(q, self.is.fma) {
                let rest = if a == y { b } else { a };
                if !self.is_fma(q, rest, y, before) || !self.is_rest(rest, scaled_d, before, scaled_n) {
                    return None;
                }
                q = before;
            }
            let [a, b, _] = self.pure(q, self.is.mul)?;
            Some(fits && self.are([a, b], [scaled_n, y]))
        };
        found() == Some(true)
    }

    /// Is the mask that of lanes in which `x` is below `limit`?
    pub(super) fn is_below(&self, m: Value, x: Value, limit: u64) -> bool {
        let m = self.uncut(m);
        let lt = self.pure(m, self.is.lt).is_some_and(|a| a[0] == Some(x) && a[1].is_some_and(|c| self.is_splat(c, limit)));
        let gt = self.pure(m, self.is.gt).is_some_and(|a| a[1] == Some(x) && a[0].is_some_and(|c| self.is_splat(c, limit)));
        lt || gt
    }

    /// `sel m, yes, no` of constants: the mask.
    pub(super) fn choice(&self, v: Value, yes: u64, no: u64) -> Option<Value> {
        let [m, Some(a), Some(b)] = self.pure(v, PureOp::Sel32)? else { return None };
        m.filter(|_| self.is_splat(a, yes) && self.is_splat(b, no))
    }

    pub(super) fn mode(&self, v: Value) -> Option<FpMode> {
        match self.f.op(v)? {
            Op::Pure { mode, .. } => Some(*mode),
            _ => None,
        }
    }

    /// The number of which `result` is the root, `scaled` being that number times 2^256 where it is below 2^-767.
    fn root_of_f64(&self, scaled: Value, result: Value) -> Option<(Value, FpMode)> {
        use PureOp::*;
        let [Some(x), Some(up), _] = self.pure(scaled, FLdexp64)? else { return None };
        let [Some(last), Some(down), _] = self.pure(result, FLdexp64)? else { return None };
        let raised = match self.pure(up, Shl32) {
            Some([Some(bit), Some(n), _]) if self.is_splat(n, 8) => self.choice(bit, 1, 0)?,
            _ => self.choice(up, 256, 0)?,
        };
        let lowered = self.choice(down, u64::from((-128i32).cast_unsigned()), 0)?;
        let limit = (1023 - 767) << 52;
        if !self.is_below(raised, x, limit) || !self.is_below(lowered, x, limit) {
            return None;
        }
        // From the last step back: two for the root, then one for root and half of its reciprocal at once.
        let step = |v| -> Option<(Value, Value)> {
            let [Some(a), Some(b), Some(root)] = self.pure(v, FFma64)? else { return None };
            if self.is_rest(a, root, root, scaled) { Some((root, b)) } else { self.is_rest(b, root, root, scaled).then_some((root, a)) }
        };
        let (root, h) = step(last)?;
        let (root, also_h) = step(root)?;
        let [Some(_), Some(_), Some(first)] = self.pure(root, FFma64)? else { return None };
        let [Some(a), Some(b), Some(first_h)] = self.pure(h, FFma64)? else { return None };
        let e = if a == first_h { b } else { a };
        let [.., Some(half)] = self.pure(e, FFma64)? else { return None };
        let [Some(x0), Some(y0), _] = self.pure(first, FMul64)? else { return None };
        let y = if x0 == scaled { y0 } else { x0 };
        let [Some(p), Some(q), _] = self.pure(first_h, FMul64)? else { return None };
        let fits = h == also_h
            && self.is_splat(half, self.is.half)
            && self.is_rest(e, first_h, first, half)
            && self.is_fma(root, first, e, first)
            && self.is_fma(h, first_h, e, first_h)
            && self.are([Some(x0), Some(y0)], [scaled, y])
            && self.pure(y, FRsq64)?[0] == Some(scaled)
            && (p == y && self.is_splat(q, self.is.half) || q == y && self.is_splat(p, self.is.half));
        Some((x, self.mode(last)?)).filter(|_| fits)
    }

    /// The number of which `result` is the root, `scaled` being that number times 2^32 where it is below 2^-96.
    fn root_of_f32(&self, scaled: Value, result: Value) -> Option<(Value, FpMode)> {
        use PureOp::*;
        let times = |v, by: u32| -> Option<Value> {
            let [Some(a), Some(b), _] = self.pure(v, FMul32)? else { return None };
            let by = u64::from(by);
            if self.is_splat(a, by) { Some(b) } else { self.is_splat(b, by).then_some(a) }
        };
        let [Some(raised), Some(up), Some(x)] = self.pure(scaled, Sel32)? else { return None };
        let [Some(lowered), Some(down), Some(last)] = self.pure(result, Sel32)? else { return None };
        let limit = (127 - 96) << 23;
        if times(up, (127 + 32) << 23)? != x
            || times(down, (127 - 16) << 23)? != last
            || !self.is_below(raised, x, limit)
            || !self.is_below(lowered, x, limit)
        {
            return None;
        }
        // The estimate or a neighbor: `sel (0 < x - s above), above, (sel (0 >= x - s below), below, s)`.
        let [Some(too_low), Some(above), Some(rest)] = self.pure(last, Sel32)? else { return None };
        let [Some(too_high), Some(below), Some(s)] = self.pure(rest, Sel32)? else { return None };
        let neighbor = |v, by: u64| matches!(self.pure(v, IAdd32), Some([Some(a), Some(b), _]) if a == s && self.is_splat(b, by) || b == s && self.is_splat(a, by));
        let compared = |m, of, forms: [(PureOp, bool); 2]| {
            forms.into_iter().any(|(op, zero_first)| match self.pure(self.uncut(m), op) {
                Some([Some(a), Some(b), _]) => {
                    let (zero, rest) = if zero_first { (a, b) } else { (b, a) };
                    self.is_splat(zero, 0) && self.is_rest(rest, of, s, scaled)
                }
                _ => false,
            })
        };
        let fits = neighbor(above, 1)
            && neighbor(below, u64::from(u32::MAX))
            && self.pure(s, FSqrt32)?[0] == Some(scaled)
            && compared(too_low, above, [(FCmpLt32, true), (FCmpGt32, false)])
            && compared(too_high, below, [(FCmpGe32, true), (FCmpLe32, false)]);
        Some((x, self.mode(up)?)).filter(|_| fits)
    }
}
