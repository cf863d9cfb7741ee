//! What can be proved about lane masks from how they are computed.

use wavejit_ir::{PureOp, Value};

/// Pure operation that defines a value, if known.
pub type Defs<'a> = &'a dyn Fn(Value) -> Option<(PureOp, [Option<Value>; 3])>;

/// Is mask `a` provably a subset of mask `b`?
pub fn is_subset(defs: Defs, a: Value, b: Value) -> bool {
    to_depth(defs, a, b, 6)
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
