//! Several conditions of an `if`, each tested where those before it hold.
//!
//! A compiler compares under EXEC, once for each condition, and puts the results together. Under the results so far each comparison gives what is wanted: a host
//! with comparisons under masks needs no logic then, and holds one mask in place of several.
//!
//! ```text
//! %3 = and.1 %1, exec                                %3 = and.1 %1, exec
//! %4 = and.1 %2, exec         nothing else    =>     %4 = and.1 %2, %3
//! %5 = and.1 %3, %4           reads %4               %4 for %5
//! ```
//!
//! Before and after: any verified function. What nobody reads any more is for `dead`.

use super::masks::is_subset;
use wavejit_ir::{Block, Func, Inst, Op, PureOp, Ty, Value};

/// Fewest ands of masks in a block for which there is something to do.
const FEWEST: usize = 3;

/// What is known of the values of a function, each of which belongs to one block.
struct Conditions {
    /// By value: how often it is read.
    reads: Vec<u32>,
    /// By value: the instruction of its block that makes it.
    made: Vec<u32>,
    /// By and of two masks that is what another value is by now: which.
    same: Vec<Option<Value>>,
}

/// Runs on the function. Has anything changed?
pub(super) fn run(func: &mut Func) -> bool {
    let count = func.types.len();
    let mut conditions: Option<Conditions> = None;
    let mut changed = false;
    for b in 0..func.blocks.len() {
        let insts = &func.blocks[b].insts;
        if insts.iter().filter(|inst| and_of(func, inst).is_some()).count() < FEWEST {
            continue;
        }
        let all = conditions.get_or_insert_with(|| Conditions { reads: vec![0; count], made: vec![0; count], same: vec![None; count] });
        all.look_at(&func.blocks[b]);
        changed |= all.narrow(func, b);
    }
    changed
}

/// The operands of an and of two masks.
fn and_of(func: &Func, inst: &Inst) -> Option<[Value; 2]> {
    match inst.op {
        Op::Pure { op: PureOp::BAnd, args: [Some(x), Some(y), _], .. } if func.ty(inst.first) == Ty::MASK => Some([x, y]),
        _ => None,
    }
}

impl Conditions {
    fn look_at(&mut self, block: &Block) {
        for (inst, at) in block.insts.iter().zip(0..) {
            (0..inst.results).for_each(|r| self.made[inst.result(r.into()).0 as usize] = at);
            inst.op.for_each_arg(|v| self.reads[v.0 as usize] += 1);
        }
        block.term.for_each_arg(|v| self.reads[v.0 as usize] += 1);
    }

    fn narrow(&mut self, func: &mut Func, b: usize) -> bool {
        let mut changed = false;
        for at in 0..func.blocks[b].insts.len() {
            let inst = &func.blocks[b].insts[at];
            let Some(operands) = and_of(func, inst) else { continue };
            let result = inst.first;
            let is = |v: Value| self.same[v.0 as usize].unwrap_or(v);
            let made = |v: Value| self.made[is(v).0 as usize] as usize;
            let [x, y] = operands;
            // The one that is made later is read here and nowhere else; it is cut down to the other one.
            let (first, second) = if made(x) < made(y) { (is(x), y) } else { (is(y), x) };
            if made(x) == made(y) || self.reads[second.0 as usize] != 1 {
                continue;
            }
            let (later, second) = (made(second), is(second));
            let insts = &func.blocks[b].insts;
            let Some([p, q]) = and_of(func, &insts[later]) else { continue };
            let defs = |v: Value| match insts[made(v)].op {
                Op::Pure { op, args, .. } if insts[made(v)].first == v => Some((op, args)),
                _ => None,
            };
            let condition = match () {
                () if is_subset(&defs, first, q) => p,
                () if is_subset(&defs, first, p) => q,
                () => continue,
            };
            if let Op::Pure { args, .. } = &mut func.blocks[b].insts[later].op {
                *args = [Some(condition), Some(first), None];
            }
            self.same[result.0 as usize] = Some(second);
            changed = true;
        }
        if changed {
            let block = &mut func.blocks[b];
            block.insts.iter_mut().for_each(|inst| inst.op.map_args(|v| self.same[v.0 as usize].unwrap_or(v)));
            block.term.map_args(|v| self.same[v.0 as usize].unwrap_or(v));
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use crate::opt::{conditions, dead, execs_set, with_masks};
    use wavejit_ir::{Func, Op, PureOp};

    /// What EXEC is set to, of EXEC and as many conditions as there are.
    fn set_to(body: &str) -> (Func, Vec<u32>) {
        let mut func = with_masks(body);
        conditions::run(&mut func);
        dead::run(&mut func);
        wavejit_ir::verify::verify(&func).unwrap();
        // Up the chain of ands: each value's number.
        let mut chain = vec![];
        let mut next = Some(execs_set(&func)[0]);
        while let Some(v) = next.take() {
            let inst = func.blocks[0].insts.iter().find(|inst| inst.first == v && inst.results == 1).unwrap();
            if let Op::Pure { op: PureOp::BAnd, args: [_, Some(y), _], .. } = inst.op {
                chain.push(v.0);
                next = Some(y);
            }
        }
        (func, chain)
    }

    fn ands(func: &Func) -> usize {
        func.blocks[0].insts.iter().filter(|inst| matches!(inst.op, Op::Pure { op: PureOp::BAnd, .. })).count()
    }

    const CONDITIONS: &str = "%6: mask = ne.32 %1, %3\n%7: mask = and.1 %6, %0\n%8: mask = slt.32 %1, %3\n%9: mask = and.1 %8, %0\n\
                              %10: mask = sgt.32 %1, %3\n%11: mask = and.1 %10, %0\n";

    #[test]
    fn conditions_are_tested_one_after_the_other() {
        for ands_of_all in [
            "%12: mask = and.1 %5, %7\n%13: mask = and.1 %9, %12\n%14: mask = and.1 %11, %13\n",
            "%12: mask = and.1 %9, %7\n%13: mask = and.1 %12, %11\n%14: mask = or.1 %13, %13\n",
        ] {
            let (func, chain) = set_to(&format!("{CONDITIONS}{ands_of_all}setexec %14"));
            assert_eq!(ands(&func), if ands_of_all.contains("or") { 3 } else { 4 }, "{ands_of_all}");
            assert!(ands_of_all.contains("or") || chain == [11, 9, 7, 5], "{chain:?}");
        }
    }

    #[test]
    fn what_others_read_stays() {
        for (other, count) in [("%18: s64 = maskbits %9\n%20: s32 = lo.64 %18\nsset s4, %20\n", 3), ("", 2)] {
            let text = format!("{}{other}%14: mask = and.1 %9, %7\nsetexec %14", CONDITIONS.replace("%11: mask = and.1 %10, %0\n", ""));
            let (func, _) = set_to(&text);
            assert_eq!(ands(&func), count, "{other}");
        }
    }

    #[test]
    fn masks_of_different_lanes_stay() {
        // %9 is cut down to %5, of which %7 is no part.
        let text = CONDITIONS.replace("%9: mask = and.1 %8, %0", "%9: mask = and.1 %8, %5");
        let (func, _) = set_to(&format!("{text}%14: mask = and.1 %9, %7\nsetexec %14"));
        assert_eq!(ands(&func), 4);
    }
}
