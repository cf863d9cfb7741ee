//! Arithmetic on 64-bit lanes that compilers have split into dwords, put together again.
//!
//! The guest has 64-bit shifts and multiply-adds, but no 64-bit logic, products or selections, so compilers do these on the halves. Where
//! vector registers hold qwords as well as dwords, taking a value apart and together again costs more than the operation:
//!
//! ```text
//! pack.64(xor.32(lo.64 a, x), xor.32(hi.64 a, y))                                    xor.64 a, pack.64(x, y)
//! pack.64(or.32(lo.64 a, x), hi.64 a)                                                or.64 a, zext.64 x
//! pack.64(or.32(lo.64(shl.64 a, 7), lshr.32(hi.64 a, 25)), hi.64(shl.64 a, 7))       or.64 (shl.64 a, 7), (lshr.64 a, 57)
//! or.64 (shl.64 a, 7), (lshr.64 a, 57)                                               rotl.64 a, 7
//! pack.64(hi.64 a, lo.64 a)                                                          rotl.64 a, 32
//! pack.64(sel.32(m, lo.64 a, x), sel.32(m, hi.64 a, y))                              sel.64 m, a, pack.64(x, y)
//! pack.64(sel.32(m & n, lo.64 a, x), sel.32(m, sel.32(n, hi.64 a, y), z))            sel.64 m, (sel.64 n, a, pack.64(x, y)), pack.64(x, z)
//! p = umulwide.32(x0, y0)
//! pack.64(lo.64 p, iadd.32(iadd.32(hi.64 p, imul.32(x0, y1)), imul.32(x1, y0)))      imul.64 pack.64(x0, x1), pack.64(y0, y1)
//! vset low: xor.32(lo.64 a, lo.64 b); vset high: xor.32(hi.64 a, hi.64 b)           halves of xor.64 a, b
//! low = iadd.32 x0, y0; vset high: iadd.32(iadd.32(x1, y1), b2i(ult.32(low, x0)))    hi.64 (iadd.64 pack.64(x0, x1), pack.64(y0, y1))
//! ```

use super::address::carry_of;
use super::local::Facts;
use wavejit_ir::{Data, Op, PureOp, Shape, Value, Width};

/// What `pack.64 low, high` is in one 64-bit operation, if it is that.
pub(super) fn joined(f: &mut Facts, low: Value, high: Value) -> Option<Value> {
    if f.func.ty(low).shape != Shape::Lane {
        return None;
    }
    if let Some(selected) = selection(f, low, high) {
        return Some(selected);
    }
    if let Some(swapped) = whole(f, high, low) {
        let n = f.make_splat32(32);
        return Some(f.make_pure(PureOp::RotL64, &[swapped, n]));
    }
    let whole = shifts(f, low, high).or_else(|| logic(f, low, high)).or_else(|| product(f, low, high))?;
    // What else is done with the dwords is done with the halves, so that they need not be made twice. (A selection of dwords is less than
    // taking one of qwords apart.)
    f.take_halves(low, high, whole);
    Some(whole)
}

/// Sums in sums whose low half is looked for.
const DEPTH: u32 = 3;

/// The 64-bit value of which these are the halves.
pub(super) fn whole(f: &Facts, low: Value, high: Value) -> Option<Value> {
    match f.pure(high)? {
        (PureOp::Hi64, [Some(of), ..]) if is_low(f, low, of, DEPTH) => Some(of),
        _ => None,
    }
}

/// Is a dword the low half of a value, which of a sum is the sum of low halves?
fn is_low(f: &Facts, low: Value, of: Value, depth: u32) -> bool {
    use PureOp::*;
    if let Some((Lo64, [Some(v), ..])) = f.pure(low)
        && v == of
    {
        return true;
    }
    if let (Some(Op::Splat(low)), Some(Op::Splat(of))) = (f.op(low), f.op(of)) {
        return is_low(f, *low, *of, depth) || f.constant(*low).is_some_and(|c| f.constant(*of).is_some_and(|of| of as u32 == c as u32));
    }
    match (f.pure(of), f.pure(low)) {
        (Some((Pack64 | ZExt64 | SExt64, [Some(v), ..])), _) => v == low,
        (Some((IAdd64, [Some(x), Some(y), _])), Some((IAdd32, [Some(p), Some(q), _]))) if depth > 0 => {
            let both = |p, q| is_low(f, p, x, depth - 1) && is_low(f, q, y, depth - 1);
            both(p, q) || both(q, p)
        }
        _ => false,
    }
}

/// Are these made of the halves of one 64-bit value?
fn are_halves(f: &Facts, low: Value, high: Value) -> bool {
    whole(f, low, high).is_some()
}

fn pack(f: &mut Facts, low: Value, high: Value) -> Value {
    match (f.lanes_constant(low), f.lanes_constant(high)) {
        (Some(l), Some(h)) => {
            let c = f.make_const(Width::B64, l & 0xffff_ffff | h << 32);
            f.make(Op::Splat(c), wavejit_ir::Ty::L64)
        }
        _ => f.make_pure(PureOp::Pack64, &[low, high]),
    }
}

/// What is written as a high half in the lanes of `exec`, if it is that of a sum whose low half has carried into it: the sum, and its low half.
pub(super) fn carried(f: &mut Facts, high: Value, exec: Value) -> Option<(Value, Value)> {
    let (PureOp::IAdd32, [Some(x), Some(y), _]) = f.pure(high)? else { return None };
    let compared = |f: &Facts, carry: Value| {
        let (PureOp::BToInt, [Some(mut m), ..]) = f.pure(carry)? else { return None };
        if let Some((PureOp::BAnd, [Some(a), Some(b), _])) = f.pure(m) {
            m = if matches!(f.pure(a), Some((PureOp::ICmpUlt32, _))) { a } else { b };
        }
        let (PureOp::ICmpUlt32, [Some(low), Some(_), _]) = f.pure(m)? else { return None };
        let (PureOp::IAdd32, [Some(p), Some(q), _]) = f.pure(low)? else { return None };
        carry_of(f, carry, low, [p, q], Some(exec)).then_some((low, p, q))
    };
    let (sum, (low, p, q)) = match (compared(f, y), compared(f, x)) {
        (Some(found), _) => (x, found),
        (None, Some(found)) => (y, found),
        (None, None) => return None,
    };
    // Any split of the high words will do: only their sum matters. Which goes with which is said by what they are halves of.
    let (r, s) = match f.pure(sum) {
        Some((PureOp::IAdd32, [Some(r), Some(s), _])) => (r, s),
        _ => (sum, f.make_splat32(0)),
    };
    let is_one = |v: Value| matches!(f.op(v), Some(Op::Splat(_)));
    // What is one for all lanes goes together.
    let is_crossed = is_one(p) != is_one(q) && is_one(p) == is_one(s) && is_one(q) == is_one(r);
    let (r, s) = if are_halves(f, p, s) || are_halves(f, q, r) || is_crossed { (s, r) } else { (r, s) };
    let (first, second) = (pack(f, p, r), pack(f, q, s));
    let whole = f.make_pure(PureOp::IAdd64, &[first, second]);
    Some((whole, low))
}

/// A sum of two pairs of scalars, of which these are the halves.
pub(super) fn scalar_sum(f: &mut Facts, low: Value, high: Value) -> Option<Value> {
    let (PureOp::IAdd32, [Some(x), Some(y), _]) = f.pure(low)? else { return None };
    let (PureOp::IAdd32, [Some(a), Some(b), _]) = f.pure(high)? else { return None };
    let is_carry = |v: Value| carry_of(f, v, low, [x, y], None);
    let other = match (is_carry(a), is_carry(b)) {
        (false, true) => a,
        (true, false) => b,
        _ => return None,
    };
    // Any split of the high words will do: only their sum matters.
    let (r, s) = match (f.pure(other), f.constant(x), f.constant(y)) {
        (Some((PureOp::IAdd32, [Some(r), Some(s), _])), _, Some(_)) if f.constant(s).is_some() => (r, s),
        (Some((PureOp::IAdd32, [Some(r), Some(s), _])), _, Some(_)) if f.constant(r).is_some() => (s, r),
        (_, _, Some(_)) => (other, f.make_const(Width::B32, 0)),
        (Some((PureOp::IAdd32, [Some(r), Some(s), _])), None, None) => (r, s),
        _ => return None,
    };
    let second = match (f.constant(y), f.constant(s)) {
        (Some(low), Some(high)) => f.make_const(Width::B64, low & 0xffff_ffff | high << 32),
        _ => f.make_pure(PureOp::Pack64, &[y, s]),
    };
    let first = f.make_pure(PureOp::Pack64, &[x, r]);
    Some(f.make_pure(PureOp::IAdd64, &[first, second]))
}

/// A shifted value, and of what is set in one of its halves the shift by 32 or more that it is.
fn shifts(f: &mut Facts, low: Value, high: Value) -> Option<Value> {
    use PureOp::*;
    for (half, other, far, of_dword, near) in [(low, high, LShr64, LShr32, Shl64), (high, low, Shl64, Shl32, LShr64)] {
        let Some((op @ (Or32 | Xor32), [Some(a), Some(b), _])) = f.pure(half) else { continue };
        for (x, rest) in [(a, b), (b, a)] {
            let shifted = if half == low { whole(f, x, other) } else { whole(f, other, x) };
            let (Some(shifted), Some((shift, [Some(dword), Some(n), _]))) = (shifted, f.pure(rest)) else { continue };
            let (Some((by, [Some(of), ..])), Some(n @ 0..32)) = (f.pure(shifted), f.lanes_constant(n)) else { continue };
            if shift == of_dword && by == near && is_half(f, dword, of, half == low) {
                let n = f.make_splat32(32 + n);
                let second = f.make_pure(far, &[of, n]);
                return Some(f.make_pure(if op == Or32 { Or64 } else { Xor64 }, &[shifted, second]));
            }
        }
    }
    None
}

/// A rotation, of its two shifts.
pub(super) fn rotation(f: &mut Facts, a: Value, b: Value) -> Option<Value> {
    use PureOp::*;
    for (left, right) in [(a, b), (b, a)] {
        let (Some((Shl64, [Some(x), Some(n), _])), Some((LShr64, [Some(y), Some(m), _]))) = (f.pure(left), f.pure(right)) else { continue };
        let (Some(by), Some(back)) = (f.lanes_constant(n), f.lanes_constant(m)) else { continue };
        if x == y && (1..64).contains(&by) && by + back == 64 {
            return Some(f.make_pure(RotL64, &[x, n]));
        }
    }
    None
}

/// Is a dword the high, or else the low, half of a value?
fn is_half(f: &Facts, dword: Value, of: Value, is_high: bool) -> bool {
    let half = if is_high { PureOp::Hi64 } else { PureOp::Lo64 };
    matches!(f.pure(dword), Some((op, [Some(v), ..])) if op == half && v == of)
        || matches!(f.pure(of), Some((PureOp::Pack64, [Some(l), Some(h), _])) if dword == if is_high { h } else { l })
}

fn logic(f: &mut Facts, low: Value, high: Value) -> Option<Value> {
    use PureOp::*;
    let (op, [Some(a), Some(b), _]) = f.pure(low)? else { return None };
    let wide = match op {
        And32 => And64,
        Or32 => Or64,
        Xor32 => Xor64,
        _ => return None,
    };
    if op != And32 {
        for (x, rest) in [(a, b), (b, a)] {
            if let Some(first) = whole(f, x, high) {
                let second = f.make_pure(ZExt64, &[rest]);
                return Some(f.make_pure(wide, &[first, second]));
            }
        }
    }
    let (other, [Some(c), Some(d), _]) = f.pure(high)? else { return None };
    if op != other {
        return None;
    }
    for [x, y, z, w] in [[a, c, b, d], [a, d, b, c], [b, c, a, d], [b, d, a, c]] {
        if are_halves(f, x, y) {
            let (first, second) = (whole(f, x, y)?, pack(f, z, w));
            return Some(f.make_pure(wide, &[first, second]));
        }
    }
    None
}

/// Logic on halves of two 64-bit values, of which one is written to a row: both halves at once, if the other one has been made as well.
pub(super) fn join_logic(f: &mut Facts, half: Value) {
    use PureOp::*;
    let Some((op @ (And32 | Or32 | Xor32), [Some(x), Some(y), _])) = f.pure(half) else { return };
    let of = |v: Value| match f.pure(v) {
        Some((side @ (Lo64 | Hi64), [Some(whole), ..])) if f.func.ty(whole).shape == Shape::Lane => Some((side, whole)),
        _ => None,
    };
    let (Some((side, a)), Some((same, b))) = (of(x), of(y)) else { return };
    if side != same {
        return;
    }
    let others = [a, b].map(|whole| f.find_pure(if side == Lo64 { Hi64 } else { Lo64 }, &[whole]));
    let [Some(x), Some(y)] = others else { return };
    let Some(other) = f.find_pure(op, &[x, y]).or_else(|| f.find_pure(op, &[y, x])) else { return };
    let (low, high) = if side == Lo64 { (half, other) } else { (other, half) };
    joined(f, low, high);
}

fn selection(f: &mut Facts, low: Value, high: Value) -> Option<Value> {
    let (PureOp::Sel32, [Some(m), Some(a), Some(b)]) = f.pure(low)? else { return None };
    let (PureOp::Sel32, [Some(n), Some(c), Some(d)]) = f.pure(high)? else { return None };
    if m == n {
        return (are_halves(f, a, c) || are_halves(f, b, d)).then(|| select(f, m, [a, c], [b, d]));
    }
    if !f.is_avx512 {
        return None;
    }
    nested(f, m, [a, b], n, [c, d], |[of_low, of_high]| [of_low, of_high])
        .or_else(|| nested(f, n, [c, d], m, [a, b], |[of_high, of_low]| [of_low, of_high]))
}

/// `sel.64` of the qwords of these halves.
fn select(f: &mut Facts, mask: Value, x: [Value; 2], y: [Value; 2]) -> Value {
    let (x, y) = (pack(f, x[0], x[1]), pack(f, y[0], y[1]));
    f.make_pure(PureOp::Sel64, &[mask, x, y])
}

/// A half that is selected by two masks at once, and the other by one after the other: `low_high` puts halves of the two in order.
fn nested(
    f: &mut Facts,
    both: Value,
    [a, b]: [Value; 2],
    outer: Value,
    [c, d]: [Value; 2],
    low_high: impl Fn([Value; 2]) -> [Value; 2],
) -> Option<Value> {
    use PureOp::{BAnd, BOr, Sel32};
    let (op @ (BAnd | BOr), [Some(p), Some(q), _]) = f.pure(both)? else { return None };
    let inner = if p == outer {
        q
    } else if q == outer {
        p
    } else {
        return None;
    };
    // Where the outer mask decides for both, and where the inner one does.
    let (Sel32, [Some(k), Some(e), Some(g)]) = f.pure(if op == BAnd { c } else { d })? else { return None };
    if k != inner {
        return None;
    }
    let halves = |x: Value, y: Value| low_high([x, y]);
    let is_whole = |f: &Facts, [low, high]: [Value; 2]| are_halves(f, low, high);
    let (x, y) = (halves(a, e), halves(b, g));
    if !is_whole(f, x) && !is_whole(f, y) {
        return None;
    }
    let by_inner = select(f, inner, x, y);
    let decided = halves(if op == BAnd { b } else { a }, if op == BAnd { d } else { c });
    let decided = pack(f, decided[0], decided[1]);
    let (x, y) = if op == BAnd { (by_inner, decided) } else { (decided, by_inner) };
    Some(f.make_pure(PureOp::Sel64, &[outer, x, y]))
}

/// What a store of 64 bits stores: halves of one selection, if they are that.
pub(super) fn stored(f: &mut Facts, data: Data) -> Data {
    let [Some(low), Some(high), ..] = data else { return data };
    let Some(whole) = selection(f, low, high) else { return data };
    let [low, high] = [PureOp::Lo64, PureOp::Hi64].map(|half| Some(f.make_pure(half, &[whole])));
    [low, high, None, None]
}

fn product(f: &mut Facts, low: Value, high: Value) -> Option<Value> {
    use PureOp::*;
    // The terms of the high half: one is that of a wide product, or of such a one and an addend; two are cross products.
    let mut terms = vec![high];
    let mut sums = 0;
    while let Some(i) = terms.iter().position(|t| matches!(f.pure(*t), Some((IAdd32, _)))) {
        let Some((_, [Some(x), Some(y), _])) = f.pure(terms.swap_remove(i)) else { return None };
        terms.extend([x, y]);
        sums += 1;
        if sums > 2 {
            return None;
        }
    }
    let [first, second, third] = terms[..] else { return None };
    for (main, p, q) in [(first, second, third), (second, first, third), (third, first, second)] {
        let (Some((Hi64, [Some(sum), ..])), Some((IMul32, [Some(a), Some(b), _])), Some((IMul32, [Some(c), Some(d), _]))) =
            (f.pure(main), f.pure(p), f.pure(q))
        else {
            continue;
        };
        // Either side of an addition may be the product.
        let (wide, addend) = match f.pure(sum)? {
            (UMulWide32, _) => (sum, None),
            (IAdd64, [Some(x), Some(y), _]) if matches!(f.pure(x), Some((UMulWide32, _))) => (x, Some(y)),
            (IAdd64, [Some(x), Some(y), _]) if matches!(f.pure(y), Some((UMulWide32, _))) => (y, Some(x)),
            _ => continue,
        };
        let Some((_, [Some(x0), Some(y0), _])) = f.pure(wide) else { continue };
        if f.make_pure(Lo64, &[sum]) != low {
            continue;
        }
        // x0 * y1 and x1 * y0, factors in any order.
        let with = |factor: Value, [a, b]: [Value; 2]| match factor {
            v if v == a => Some(b),
            v if v == b => Some(a),
            _ => None,
        };
        let pairs = [([a, b], [c, d]), ([c, d], [a, b])];
        let Some((y1, x1)) = pairs.into_iter().find_map(|(p, q)| Some((with(x0, p)?, with(y0, q)?))) else { continue };
        let (x, y) = (pack(f, x0, x1), pack(f, y0, y1));
        let product = f.make_pure(IMul64, &[x, y]);
        return Some(match addend {
            Some(addend) => f.make_pure(IAdd64, &[product, addend]),
            None => product,
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{OptOptions, local, with_masks};
    use wavejit_ir::text::print;

    #[test]
    fn a_pair_that_moves_on_by_one_number_stays_a_pair() {
        let passed = |sum: &str, than: u32| {
            let mut func = with_masks(&format!(
                "%6: l32 = vget v1 demand %0
 %7: s32 = const.32 256
 %8: l32 = splat %7
 %9: l32 = iadd.32 {sum}
 %10: mask = ult.32 %9, %{than}
 %11: l32 = b2i.32 %10
 %12: l32 = iadd.32 %6, %11
 vset v0, %9, exec %0
 vset v1, %12, exec %0"
            ));
            local::run(&mut func, OptOptions { is_wide: true, ..OptOptions::default() });
            print(&func)
        };
        for (sum, than) in [("%1, %8", 1), ("%8, %1", 1), ("%1, %8", 8), ("%8, %1", 8)] {
            let text = passed(sum, than);
            assert!(text.contains("pack.64 %1, %6") && text.contains("const.64 256") && !text.contains("zext.64"), "{sum}: {text}");
        }
    }
}
