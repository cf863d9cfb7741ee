//! Removes instructions whose results nobody uses and that have no effect, and writes of EXEC that only arithmetic sees before the next one: of an `if` whose
//! results are chosen by its mask that is all that is left. Before and after: any verified function.

use wavejit_ir::{Block, Func, Op};

/// Runs on every block.
pub fn run(func: &mut Func) {
    let mut used = vec![false; func.types.len()];
    let mut keep = vec![];
    for b in &mut func.blocks {
        b.term.for_each_arg(|v| used[v.0 as usize] = true);
        keep.clear();
        keep.resize(b.insts.len(), false);
        // Is EXEC written again before anything looks at it?
        let mut is_covered = false;
        for (i, inst) in b.insts.iter().enumerate().rev() {
            match &inst.op {
                Op::ExecSet(_) if std::mem::replace(&mut is_covered, true) => continue,
                Op::ExecSet(_) | Op::Note { .. } | Op::Refund { .. } => {}
                Op::VGet { demand, .. } => is_covered &= demand.is_some(),
                op => is_covered &= !op.has_effect() && !matches!(op, Op::ExecGet | Op::VGetRel { .. }),
            }
            let live = (0..inst.results).any(|r| used[inst.result(r.into()).0 as usize]);
            // A load nobody looks at may still fault: it has an effect, and stays as the hardware would run it.
            if live || inst.op.has_effect() {
                keep[i] = true;
                inst.op.for_each_arg(|v| used[v.0 as usize] = true);
            }
        }
        retain(b, keep.iter().copied());
    }
}

/// Leaves those instructions of a block, in order, of which `keep` says so.
pub(super) fn retain(block: &mut Block, mut keep: impl Iterator<Item = bool>) {
    block.insts.retain(|_| keep.next().expect("it says so of each instruction"));
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::opt::{execs_set, with_masks};

    /// The values that EXEC is set to where an `if` has this inside.
    fn execs(inside: &str) -> Vec<u32> {
        let mut func = with_masks(&format!("setexec %5\n{inside}\nsetexec %0"));
        run(&mut func);
        execs_set(&func).into_iter().map(|v| v.0).collect()
    }

    #[test]
    fn exec_that_only_arithmetic_sees_is_not_written() {
        assert_eq!(execs("%6: l32 = iadd.32 %1, %3"), [0]);
        assert_eq!(execs("%6: l32 = vget v1 demand %5"), [0]);
        for seen in [
            "vset v1, %1, exec %5",
            "%6: mask = exec\nvset v1, %1, exec %6",
            "store lds.b32 [lane %1], %3, exec %5",
            "%6: l32 = load global.b32 [lane %1], exec %5",
        ] {
            assert_eq!(execs(seen), [5, 0], "{seen}");
        }
    }
}
