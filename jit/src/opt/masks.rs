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

#[cfg(test)]
mod tests {
    use crate::opt::{OptOptions, execs_set, local, with_masks};
    use wavejit_ir::{Op, Value};

    /// What a mask is that EXEC is set to, made of EXEC (%0), two masks in it (%5, and %7 where %5 is not) and any other (%9).
    fn made(mask: &str) -> Op {
        let mut func = with_masks(&format!(
            "%6: mask = ne.32 %1, %3\n%7: mask = and.1 %6, %0\n%8: mask = slt.32 %1, %3\n%9: mask = or.1 %8, %8\n{mask}\nsetexec %20"
        ));
        local::run(&mut func, OptOptions::default());
        let set = execs_set(&func)[0];
        let insts = &func.blocks[0].insts;
        let at: Vec<(Value, &Op)> = insts.iter().map(|i| (i.first, &i.op)).collect();
        at.into_iter().find(|(v, op)| *v == set && !matches!(op, Op::ExecSet(_))).expect("it is made").1.clone()
    }

    #[test]
    fn what_was_cut_down_and_put_together_again_is_what_it_was() {
        let (exec, part) = (made("%20: mask = and.1 %0, %0"), made("%20: mask = and.1 %5, %5"));
        assert_eq!(exec, Op::ExecGet);
        for whole in [
            "%20: mask = or.1 %5, %0",
            "%10: mask = andn.1 %0, %5\n%20: mask = or.1 %10, %5",
            "%10: mask = xor.1 %0, %5\n%20: mask = or.1 %5, %10",
            "%10: mask = and.1 %9, %5\n%20: mask = or.1 %10, %0",
        ] {
            assert_eq!(made(whole), exec, "{whole}");
        }
        for same in ["%20: mask = and.1 %0, %5", "%20: mask = andn.1 %5, %7", "%10: mask = andn.1 %9, %5\n%20: mask = andn.1 %5, %10"] {
            assert_eq!(made(same), part, "{same}");
        }
        // With a mask of no lanes, or of all, which compilers write as a carry that is known.
        for (bit, same) in [
            (0, "or.1 %11, %5"),
            (0, "or.1 %5, %11"),
            (0, "xor.1 %11, %5"),
            (0, "xor.1 %5, %11"),
            (0, "andn.1 %5, %11"),
            (1, "and.1 %11, %5"),
            (1, "and.1 %5, %11"),
        ] {
            let known = format!("%10: s1 = const.1 {bit}\n%11: mask = splat %10\n%20: mask = {same}");
            assert_eq!(made(&known), part, "{known}");
        }
        for (bit, known) in [
            (0, "and.1 %11, %5"),
            (0, "and.1 %5, %11"),
            (0, "andn.1 %11, %5"),
            (1, "andn.1 %5, %11"),
            (1, "or.1 %11, %5"),
            (1, "or.1 %5, %11"),
        ] {
            let text = format!("%10: s1 = const.1 {bit}\n%11: mask = splat %10\n%20: mask = {known}");
            assert!(matches!(made(&text), Op::BitsMask(_) | Op::Splat(_)), "{text}");
        }
    }

    #[test]
    fn masks_that_may_be_anything_stay() {
        for other in ["or.1 %9, %0", "and.1 %9, %0", "andn.1 %9, %5", "xor.1 %9, %5", "andn.1 %0, %5", "or.1 %5, %7"] {
            assert!(matches!(made(&format!("%20: mask = {other}")), Op::Pure { .. }), "{other}");
        }
    }
}
