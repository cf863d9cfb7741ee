//! What can be proved about lane masks from how they are computed.

use wavejit_ir::{PureOp, Value};

/// Pure operation that defines a value, if known.
pub type Defs<'a> = &'a dyn Fn(Value) -> Option<(PureOp, [Option<Value>; 3])>;

/// Operations that are looked through, one after the other.
const DEPTH: u32 = 6;

/// Is mask `a` provably a subset of mask `b`?
pub fn is_subset(defs: Defs, a: Value, b: Value) -> bool {
    to_depth(defs, a, b, DEPTH)
}

fn to_depth(defs: Defs, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    if depth == 0 {
        return false;
    }
    let sub = |x, y| to_depth(defs, x, y, depth - 1);
    let below = match defs(a) {
        Some((PureOp::BAnd, [Some(x), Some(y), _])) => sub(x, b) || sub(y, b),
        Some((PureOp::BAndNot, [Some(x), ..])) => sub(x, b),
        Some((PureOp::BOr, [Some(x), Some(y), _])) => sub(x, b) && sub(y, b),
        _ => false,
    };
    let above = match defs(b) {
        Some((PureOp::BOr, [Some(x), Some(y), _])) => sub(a, x) || sub(a, y),
        _ => false,
    };
    below || above
}

/// Do masks `a` and `b` provably have no lane in common?
pub fn are_disjoint(defs: Defs, a: Value, b: Value) -> bool {
    let (mut of_a, mut of_b) = (vec![], vec![]);
    conditions(defs, a, DEPTH, &mut of_a);
    conditions(defs, b, DEPTH, &mut of_b);
    let without = |all: &[Condition], other: Value| {
        all.iter().any(|c| match c {
            Condition::Not(m) => is_subset(defs, other, *m),
            Condition::Is(_) => false,
        })
    };
    let contradict = |x: Value, y: Value| match (defs(x), defs(y)) {
        (Some((p, of_x)), Some((q, of_y))) => of_x == of_y && p.complement() == Some(q),
        _ => false,
    };
    let is = |c: &Condition| match c {
        Condition::Is(m) => Some(*m),
        Condition::Not(_) => None,
    };
    without(&of_a, b) || without(&of_b, a) || of_a.iter().filter_map(is).any(|x| of_b.iter().filter_map(is).any(|y| contradict(x, y)))
}

/// What holds in all lanes of a mask.
enum Condition {
    Is(Value),
    Not(Value),
}

fn conditions(defs: Defs, m: Value, depth: u32, found: &mut Vec<Condition>) {
    found.push(Condition::Is(m));
    let Some(depth) = depth.checked_sub(1) else { return };
    match defs(m) {
        Some((PureOp::BAnd, [Some(x), Some(y), _])) => [x, y].into_iter().for_each(|v| conditions(defs, v, depth, found)),
        Some((PureOp::BAndNot, [Some(x), Some(y), _])) => {
            found.push(Condition::Not(y));
            conditions(defs, x, depth, found);
        }
        Some((PureOp::BNot, [Some(x), ..])) => found.push(Condition::Not(x)),
        _ => {}
    }
}
