//! Rewrites of one effect-free operation, given what is known of its operands.
//!
//! Three kinds: constants are folded; lane operations on splats become scalar operations; words that hold lane masks (`s_and_b32` of two
//! comparison results, say) become mask operations, so that they can stay in vector registers next to the comparisons they came from.

use super::local::Facts;
use super::{constants, dots, doubles, idioms, narrow, qwords, scaled, uniform};
use wavejit_ir::{Op, PureOp, Shape, Ty, Value, Width, eval::eval};

/// What to do with an operation.
pub(super) enum Simpler {
    /// Use this value.
    Value(Value),
    /// Use this operation.
    Op(Op),
}

/// Simplifies `op`; may add instructions before it.
pub(super) fn simplify(f: &mut Facts, op: Op) -> Simpler {
    match op {
        Op::Pure { op: p, mode, args } => {
            let args = narrow::operands(f, p, args);
            if let Some(v) = identity(f, p, args)
                .or_else(|| constants::pure(f, p, args))
                .or_else(|| fold(f, p, args))
                .or_else(|| narrow::pure(f, p, args))
                .or_else(|| on_masks(f, p, args))
                .or_else(|| unsplat(f, p, args))
                .or_else(|| idioms::whole(f, p, mode, args))
                .or_else(|| scaled::whole(f, p, mode, args))
                .or_else(|| dots::whole(f, p, mode, args))
                .or_else(|| doubles::whole(f, p, mode, args))
                .or_else(|| uniform::in_lanes(f, p, mode, args))
            {
                Simpler::Value(v)
            } else {
                Simpler::Op(Op::Pure { op: p, mode, args })
            }
        }
        Op::Splat(s) => f.in_all_lanes(s).map_or(Simpler::Op(op), Simpler::Value),
        Op::MaskBits(m) => match f.op(m) {
            Some(Op::BitsMask(x)) if f.func.wave_size == 64 || is_word(f, *x) => Simpler::Value(*x),
            _ => Simpler::Op(op),
        },
        Op::Shuffle { value, index } => match constants::shuffle(f, value, index) {
            Some(v) => Simpler::Value(v),
            None => Simpler::Op(op),
        },
        Op::BitsMask(x) => match mask_of_64(f, x) {
            Some(m) => Simpler::Value(m),
            None => Simpler::Op(op),
        },
        op => Simpler::Op(op),
    }
}

/// Are the upper 32 bits of `x` zero?
fn is_word(f: &Facts, x: Value) -> bool {
    matches!(f.pure(x), Some((PureOp::ZExt64, _))) || f.constant(x).is_some_and(|c| c >> 32 == 0)
}

fn is_const(f: &Facts, v: Option<Value>, bits: u64) -> bool {
    let Some(v) = v else { return false };
    match f.op(v) {
        Some(Op::Const { bits: b, .. }) => *b == bits,
        Some(Op::Splat(s)) => f.constant(*s) == Some(bits),
        _ => false,
    }
}

/// Operations that return one of their operands, or part of what made it.
fn identity(f: &mut Facts, p: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    use PureOp::*;
    let [a, b, c] = args;
    let zero = |v| is_const(f, v, 0);
    match p {
        IAdd32 | Or32 | Xor32 | IAdd64 | Or64 | Xor64 if zero(b) => a,
        IAdd32 | Or32 | Xor32 | IAdd64 | Or64 | Xor64 if zero(a) => b,
        ISub32 | ISub64 | Shl32 | LShr32 | AShr32 | Shl64 | LShr64 | AShr64 if zero(b) => a,
        And32 if zero(b) => b,
        And32 if zero(a) => a,
        And32 if is_const(f, b, u32::MAX.into()) => a,
        And32 if is_const(f, a, u32::MAX.into()) => b,
        And64 if is_const(f, b, u64::MAX) => a,
        IMul32 if is_const(f, b, 1) => a,
        IMul32 if is_const(f, a, 1) => b,
        And32 | Or32 | And64 | Or64 | BAnd | BOr if a == b => a,
        BAnd | BOr | BXor | BAndNot => absorbed(f, p, a?, b?),
        Sel32 | Sel64 if b == c => b,
        Lo64 => {
            if let Some(Op::Splat(s)) = f.op(a?) {
                let s = *s;
                let low = f.make_pure(Lo64, &[s]);
                return Some(f.make(Op::Splat(low), Ty::L32));
            }
            // The low word of a sum needs no high words.
            let narrow = match f.pure(a?)? {
                (Pack64 | ZExt64 | SExt64, [x, ..]) => return x,
                (RotL64, [Some(x), n, _]) if is_const(f, n, 32) => return Some(f.make_pure(Hi64, &[x])),
                (UMulWide32 | SMulWide32, [Some(x), Some(y), _]) => return Some(f.make_pure(IMul32, &[x, y])),
                (IAdd64, [Some(x), Some(y), _]) => (IAdd32, x, y),
                (ISub64, [Some(x), Some(y), _]) => (ISub32, x, y),
                (And64, [Some(x), Some(y), _]) => (And32, x, y),
                (Or64, [Some(x), Some(y), _]) => (Or32, x, y),
                (Xor64, [Some(x), Some(y), _]) => (Xor32, x, y),
                _ => return None,
            };
            let (x, y) = (f.make_pure(Lo64, &[narrow.1]), f.make_pure(Lo64, &[narrow.2]));
            Some(f.make_pure(narrow.0, &[x, y]))
        }
        Hi64 if matches!(f.op(a?), Some(Op::Splat(_))) => {
            let Some(Op::Splat(s)) = f.op(a?).cloned() else { return None };
            let high = f.make_pure(Hi64, &[s]);
            Some(f.make(Op::Splat(high), Ty::L32))
        }
        Hi64 => match f.pure(a?)? {
            (Pack64, [_, y, _]) => y,
            (RotL64, [Some(x), n, _]) if is_const(f, n, 32) => Some(f.make_pure(Lo64, &[x])),
            (ZExt64, [Some(x), ..]) => {
                let z = f.make_const(Width::B32, 0);
                Some(if f.func.ty(x).shape == Shape::Lane { f.make(Op::Splat(z), Ty::L32) } else { z })
            }
            _ => None,
        },
        // Any split of the high words will do: only their sum matters.
        IAdd64 if f.is_wide => match (f.pure(a?), f.pure(b?)) {
            (Some((Pack64, [Some(x), Some(high), _])), Some((Pack64, [Some(y), Some(other), _]))) => {
                let (whole, low, high) = match (qwords::whole(f, x, other), qwords::whole(f, y, high)) {
                    (Some(whole), _) => (whole, y, high),
                    (None, Some(whole)) => (whole, x, other),
                    (None, None) => return None,
                };
                let rest = f.make_pure(Pack64, &[low, high]);
                Some(f.make_pure(IAdd64, &[whole, rest]))
            }
            _ => None,
        },
        Pack64 => match (f.pure(a?), f.pure(b?)) {
            (_, Some((Hi64, _))) if let Some(x) = qwords::whole(f, a?, b?) => Some(x),
            _ if zero(b) => Some(f.make_pure(ZExt64, &[a?])),
            (_, Some((AShr32, [x, Some(n), _]))) if x == a && is_const(f, Some(n), 31) => Some(f.make_pure(SExt64, &[a?])),
            _ if f.is_wide => qwords::joined(f, a?, b?),
            _ => None,
        },
        AShr64 | LShr64 => {
            // Of the upper half alone: compilers multiply indices so.
            let (Pack64, [low, Some(high), _]) = f.pure(a?)? else { return None };
            let n = match f.op(b?)? {
                Op::Splat(s) => f.constant(*s)?,
                Op::Const { bits, .. } => *bits,
                _ => return None,
            };
            let (n, extend) = (n & 63, if p == AShr64 { SExt64 } else { ZExt64 });
            if !zero(low) {
                return None;
            }
            let whole = f.make_pure(extend, &[high]);
            let shifted = |f: &mut Facts, op, n: u64| {
                let n = f.make_const(Width::B32, n);
                let n = if f.func.ty(high).shape == Shape::Lane { f.make(Op::Splat(n), Ty::L32) } else { n };
                f.make_pure(op, &[whole, n])
            };
            Some(match n {
                0..32 => shifted(f, Shl64, 32 - n),
                32 => whole,
                _ => shifted(f, p, n - 32),
            })
        }
        ZExt64 if f.func.wave_size == 32 => match f.pure(a?)? {
            // zext(lo(mask bits)) = mask bits in wave32
            (Lo64, [Some(x), ..]) if matches!(f.op(x), Some(Op::MaskBits(_))) => Some(x),
            _ => None,
        },
        Or64 | Xor64 if f.is_wide => qwords::rotation(f, a?, b?),
        Perm32 => bytes_as_shifts(f, a?, b?, c?),
        BNot => match f.pure(a?)? {
            (BNot, [x, ..]) => x,
            _ => None,
        },
        _ => None,
    }
}

/// Logic on masks of which one is part of the other, or none is. What compilers make of `if`, `else` and what follows them is such: EXEC is cut down, turned
/// over and put together again, and is then seen to be what it was.
fn absorbed(f: &mut Facts, p: PureOp, a: Value, b: Value) -> Option<Value> {
    use PureOp::*;
    // or(andn(x, y), y) = or(x, y)
    let whole = |f: &Facts, x: Value, y: Value| match f.pure(x) {
        Some((BAndNot, [Some(of), Some(without), _])) if p == BOr && without == y => Some((of, y)),
        _ => None,
    };
    if let Some((x, y)) = whole(f, a, b).or_else(|| whole(f, b, a)) {
        return Some(f.make_pure(BOr, &[x, y]));
    }
    let is_in = |x, y| f.is_subset(x, y);
    match p {
        BAnd if is_in(a, b) => Some(a),
        BAnd if is_in(b, a) => Some(b),
        BOr if is_in(a, b) => Some(b),
        BOr if is_in(b, a) => Some(a),
        BXor if is_in(a, b) => Some(f.make_pure(BAndNot, &[b, a])),
        BXor if is_in(b, a) => Some(f.make_pure(BAndNot, &[a, b])),
        BAndNot if f.are_disjoint(a, b) => Some(a),
        _ => None,
    }
}

/// A choice of bytes by a known selector, as at most two words shifted and masked: packing, unpacking and swapping of halves. Bytes 0 to 3
/// are those of `low`, 4 to 7 those of `high`, 12 is 0, 13 and more are 0xff.
fn bytes_as_shifts(f: &mut Facts, high: Value, low: Value, selector: Value) -> Option<Value> {
    let selector = match f.op(selector) {
        Some(Op::Splat(s)) => f.constant(*s)?,
        _ => f.constant(selector)?,
    };
    // (word, bytes to the left, mask of its bytes in the result)
    let (mut parts, mut ones): (Vec<(Value, i32, u32)>, u32) = (vec![], 0);
    for to in 0..4 {
        let mask = 0xff << (8 * to);
        match (selector >> (8 * to)) as u8 {
            from @ 0..8 => {
                let word = if from < 4 { low } else { high };
                let left = to - i32::from(from % 4);
                match parts.iter_mut().find(|p| (p.0, p.1) == (word, left)) {
                    Some(part) => part.2 |= mask,
                    None => parts.push((word, left, mask)),
                }
            }
            12 => {}
            13.. => ones |= mask,
            _ => return None,
        }
    }
    if parts.len() > 2 || parts.is_empty() {
        return None;
    }
    let mut terms = vec![];
    for (word, left, mask) in parts {
        let is_lane = f.func.ty(word).shape == Shape::Lane;
        let with = |f: &mut Facts, op, x, k: u32| {
            let k = f.make_const(Width::B32, k.into());
            let k = if is_lane { f.make(Op::Splat(k), Ty::L32) } else { k };
            f.make_pure(op, &[x, k])
        };
        let bits = 8 * left.unsigned_abs();
        let (moved, kept) = match left {
            0 => (word, u32::MAX),
            1.. => (with(f, PureOp::Shl32, word, bits), u32::MAX << bits),
            _ => (with(f, PureOp::LShr32, word, bits), u32::MAX >> bits),
        };
        terms.push(if mask == kept { moved } else { with(f, PureOp::And32, moved, mask) });
        if ones != 0 {
            let last = terms.pop()?;
            terms.push(with(f, PureOp::Or32, last, ones));
            ones = 0;
        }
    }
    match terms[..] {
        [x, y] => Some(f.make_pure(PureOp::Or32, &[x, y])),
        _ => terms.pop(),
    }
}

/// Scalar operations on constants.
fn fold(f: &mut Facts, p: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    if p.reads_mode() {
        return None;
    }
    let mut bits = [0; 3];
    for (b, a) in bits.iter_mut().zip(args).take(p.args().len()) {
        *b = f.constant(a?)?;
    }
    let r = eval(p, wavejit_ir::FpMode(0), bits[0], bits[1], bits[2]);
    Some(f.make_const(p.ret(), r))
}

/// Lane operations whose operands are all splats: once per wave is enough. Float operations stay where the vector unit is.
fn unsplat(f: &mut Facts, p: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    if p.reads_mode() || p.ret() == Width::B1 || p.args().contains(&Width::B1) {
        return None;
    }
    let mut scalars = [None; 3];
    for (s, a) in scalars.iter_mut().zip(args).take(p.args().len()) {
        match f.op(a?)? {
            Op::Splat(x) => *s = Some(*x),
            _ => return None,
        }
    }
    let is_constant = |i: usize| scalars[i].is_some_and(|s| f.constant(s).is_some());
    if f.is_wide && !uniform::has_scalar_code(p, is_constant) {
        return None;
    }
    let vals: Vec<Value> = scalars.into_iter().flatten().collect();
    let s = f.make_pure(p, &vals);
    Some(f.make(Op::Splat(s), Ty { shape: Shape::Lane, width: p.ret() }))
}

/// The mask whose bits an S64 value is made of, if it comes from masks.
fn mask_of_64(f: &mut Facts, x: Value) -> Option<Value> {
    use PureOp::*;
    if let Some(Op::MaskBits(m)) = f.op(x) {
        return Some(*m);
    }
    match f.pure(x)? {
        (ZExt64, [Some(w), ..]) if f.func.wave_size == 32 => mask_of_32(f, w),
        (op @ (And64 | Or64 | Xor64), [Some(a), Some(b), _]) if f.func.wave_size == 64 => {
            if mask_of_64(f, a).is_none() && mask_of_64(f, b).is_none() {
                return None;
            }
            let (ma, mb) = (as_mask_64(f, a), as_mask_64(f, b));
            Some(mask_logic(f, op, ma, mb))
        }
        (Not64, [Some(a), ..]) if f.func.wave_size == 64 => {
            let m = mask_of_64(f, a)?;
            Some(f.make_pure(BNot, &[m]))
        }
        _ => None,
    }
}

fn mask_of_32(f: &mut Facts, w: Value) -> Option<Value> {
    use PureOp::*;
    match f.pure(w)? {
        (Lo64, [Some(x), ..]) => mask_of_64(f, x),
        (op @ (And32 | Or32 | Xor32), [Some(a), Some(b), _]) => {
            if mask_of_32(f, a).is_none() && mask_of_32(f, b).is_none() {
                return None;
            }
            let (ma, mb) = (as_mask_32(f, a), as_mask_32(f, b));
            Some(mask_logic(f, op, ma, mb))
        }
        (Not32, [Some(a), ..]) => {
            let m = mask_of_32(f, a)?;
            Some(f.make_pure(BNot, &[m]))
        }
        _ => None,
    }
}

fn as_mask_64(f: &mut Facts, x: Value) -> Value {
    mask_of_64(f, x).unwrap_or_else(|| f.make(Op::BitsMask(x), Ty::MASK))
}

fn as_mask_32(f: &mut Facts, w: Value) -> Value {
    mask_of_32(f, w).unwrap_or_else(|| {
        let x = f.make_pure(PureOp::ZExt64, &[w]);
        f.make(Op::BitsMask(x), Ty::MASK)
    })
}

fn mask_logic(f: &mut Facts, op: PureOp, a: Value, b: Value) -> Value {
    use PureOp::*;
    if matches!(op, And32 | And64) {
        // and(x, not(y)) = andn(x, y)
        if let Some((BNot, [Some(y), ..])) = f.pure(b) {
            return f.make_pure(BAndNot, &[a, y]);
        }
        if let Some((BNot, [Some(x), ..])) = f.pure(a) {
            return f.make_pure(BAndNot, &[b, x]);
        }
    }
    let p = match op {
        And32 | And64 => BAnd,
        Or32 | Or64 => BOr,
        _ => BXor,
    };
    f.make_pure(p, &[a, b])
}

/// `ne(bits, 0)` and the like stay scalar; nothing to do yet beyond masks of masks.
fn on_masks(f: &mut Facts, p: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    match (p, args) {
        // x & !y on masks
        (PureOp::BAnd, [Some(a), Some(b), _]) => {
            if let Some((PureOp::BNot, [Some(y), ..])) = f.pure(b) {
                return Some(f.make_pure(PureOp::BAndNot, &[a, y]));
            }
            if let Some((PureOp::BNot, [Some(x), ..])) = f.pure(a) {
                return Some(f.make_pure(PureOp::BAndNot, &[b, x]));
            }
            None
        }
        _ => None,
    }
}
