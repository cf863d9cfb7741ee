//! Moves vector arithmetic from behind a barrier to before it, where fewer rows then live over the barrier.
//!
//! At a barrier a wave is left and entered again, and what lives over it goes through memory. Compilers for GPUs load early and compute late: of
//! the products of a tile of a matrix the last ones often stand behind the barrier, and all of their operands live over it.
//!
//! ```text
//! %1 = load ..                        %1 = load ..
//! vset v10, %1                        vset v10, %1
//! pause barrier, b1                   vset v4, v4 + v10 * v11
//! b1: vset v4, v4 + v10 * v11   =>    pause barrier, b1
//!                                     b1:
//! ```
//!
//! What is moved is a write of a row with all that its value is computed from, if that is nothing but rows, scalar registers and pure operations,
//! and nothing that stays reads the row as it was before, writes it earlier, or writes what it reads. The float mode of both blocks is the same, and
//! the block behind the barrier has no other predecessor.
//!
//! Before: what `local` leaves; after: the same but that in a block before a barrier rows may be read behind their writes, so `local` runs again.

use super::liveness::VgprLiveness;
use super::{OptOptions, dead};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Block, Func, Inst, Op, Pause, SReg, Term, VReg, Value};

/// Instructions behind a barrier that are looked at.
const MOST: usize = 512;

/// Runs on every barrier. Has anything been moved?
pub(super) fn run(func: &mut Func, opts: OptOptions) -> bool {
    let moves =
        barriers(func).into_iter().map(|(from, to)| (from, to, movable(&func.blocks[to]))).filter(|(_, _, writes)| !writes.is_empty());
    // A block between two barriers takes part in one move only.
    let mut taken = FxHashSet::default();
    let moves: Vec<_> = moves.filter(|(from, to, _)| !taken.contains(to) && taken.insert(*from) && taken.insert(*to)).collect();
    if moves.is_empty() {
        return false;
    }
    let before = VgprLiveness::new(func, opts);
    let old: Vec<_> = moves.iter().map(|(from, to, _)| [*from, *to].map(|b| func.blocks[b].insts.clone())).collect();
    moves.iter().for_each(|(from, to, writes)| carry_over(func, *from, *to, writes));
    // What they were computed from is not read any more.
    dead::run(func);
    let after = VgprLiveness::new(func, opts);
    let mut moved = false;
    for ((from, to, _), [old_from, old_to]) in moves.into_iter().zip(old) {
        // What is moved over one barrier changes little of what lives over others, and nothing of what is right.
        if after.rows_at_start(to) < before.rows_at_start(to) {
            moved = true;
        } else {
            (func.blocks[from].insts, func.blocks[to].insts) = (old_from, old_to);
        }
    }
    moved
}

/// Blocks that end in a barrier, and those behind them, where nothing else leads there.
fn barriers(func: &Func) -> Vec<(usize, usize)> {
    let mut leading = vec![0; func.blocks.len()];
    func.blocks.iter().for_each(|b| b.term.for_each_successor(|to| leading[to.0 as usize] += 1));
    let pair = |(from, block): (usize, &Block)| match block.term {
        Term::Pause { why: Pause::Barrier, next } if next.0 != 0 => Some((from, next.0 as usize)),
        _ => None,
    };
    let are_alike = |&(from, to): &(usize, usize)| from != to && leading[to] == 1 && func.blocks[from].mode == func.blocks[to].mode;
    func.blocks.iter().enumerate().filter_map(pair).filter(are_alike).collect()
}

/// The writes of rows in a block that may be done before it, by index.
fn movable(block: &Block) -> Vec<usize> {
    let insts = &block.insts;
    // Behind what may touch any register nothing is moved.
    let reaches = |op: &Op| !op.has_effect() && !matches!(op, Op::VGetRel { .. } | Op::SGetRel { .. });
    let is_known = |op: &Op| {
        let writes_one = matches!(op, Op::VSet { .. } | Op::SSet(..) | Op::ExecSet(_));
        let touches_memory =
            matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } | Op::SLoad { .. } | Op::SBufferLoad { .. });
        writes_one || touches_memory || matches!(op, Op::Note { .. }) || reaches(op)
    };
    if insts.iter().any(|i| matches!(i.op, Op::VGetRel { .. })) {
        return vec![];
    }
    let limit = insts.iter().take(MOST).position(|i| !is_known(&i.op)).unwrap_or(insts.len().min(MOST));
    let sources = Sources::of(block);
    // Each with what its value is computed from.
    let mut chosen: Vec<(usize, Vec<usize>)> = (0..limit)
        .filter(|k| matches!(insts[*k].op, Op::VSet { .. }))
        .map(|k| (k, sources.slice(insts, [k]).into_iter().filter(|at| *at != k).collect::<Vec<_>>()))
        .filter(|(_, from)| from.iter().all(|at| reaches(&insts[*at].op)))
        .collect();
    loop {
        let going: FxHashSet<usize> = chosen.iter().map(|(k, _)| *k).collect();
        let staying = || (0..insts.len()).filter(|k| insts[*k].op.has_effect() && !going.contains(k));
        let read = Firsts::of(sources.slice_with_end(block, staying()).into_iter().map(|k| (k, &insts[k].op)));
        let written = Firsts::of(staying().map(|k| (k, &insts[k].op)));
        let sees_the_same = |at: &usize| match insts[*at].op {
            Op::VGet { reg, .. } => !written.is_before(&Register::Row(reg), *at),
            Op::SGet(reg) => !written.is_before(&Register::Scalar(reg), *at),
            Op::ExecGet => !written.is_before(&Register::Exec, *at),
            _ => true,
        };
        let count = chosen.len();
        chosen.retain(|(k, from)| {
            let Op::VSet { reg, .. } = insts[*k].op else { return false };
            let row = Register::Row(reg);
            !read.is_before(&row, *k) && !written.is_before(&row, *k) && from.iter().all(sees_the_same)
        });
        if chosen.len() == count {
            return chosen.into_iter().map(|(k, _)| k).collect();
        }
    }
}

/// Registers as they are read and written one by one.
#[derive(PartialEq, Eq, Hash)]
enum Register {
    Row(VReg),
    Scalar(SReg),
    Exec,
}

/// Where registers are read or written first.
struct Firsts(FxHashMap<Register, usize>);

impl Firsts {
    /// Of instructions with their indices, ascending.
    fn of<'a>(ops: impl Iterator<Item = (usize, &'a Op)>) -> Firsts {
        let mut firsts = FxHashMap::default();
        for (k, op) in ops {
            let register = match *op {
                Op::VGet { reg, .. } | Op::VSet { reg, .. } => Register::Row(reg),
                Op::SGet(reg) | Op::SSet(reg, _) => Register::Scalar(reg),
                Op::ExecGet | Op::ExecSet(_) => Register::Exec,
                _ => continue,
            };
            firsts.entry(register).or_insert(k);
        }
        Firsts(firsts)
    }

    fn is_before(&self, register: &Register, at: usize) -> bool {
        self.0.get(register).is_some_and(|first| *first < at)
    }
}

/// Where the values of a block come from.
struct Sources(FxHashMap<Value, usize>);

impl Sources {
    fn of(block: &Block) -> Sources {
        let results = |(k, inst): (usize, &Inst)| (0..inst.results).map(|r| (inst.result(r.into()), k)).collect::<Vec<_>>();
        Sources(block.insts.iter().enumerate().flat_map(results).collect())
    }

    /// Instructions, and all that they use the results of; ascending.
    fn slice(&self, insts: &[Inst], of: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut open: Vec<usize> = of.into_iter().collect();
        let mut found: FxHashSet<usize> = open.iter().copied().collect();
        while let Some(k) = open.pop() {
            insts[k].op.for_each_arg(|v| open.extend(self.0.get(&v).filter(|at| found.insert(**at))));
        }
        let mut all: Vec<usize> = found.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The same with what the block's end uses.
    fn slice_with_end(&self, block: &Block, of: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut of: Vec<usize> = of.collect();
        block.term.for_each_arg(|v| of.extend(self.0.get(&v)));
        self.slice(&block.insts, of)
    }
}

/// EXEC at the end of a block, if it has a name.
fn exec_at_end(block: &Block) -> Option<Value> {
    block.insts.iter().rev().find_map(|inst| match inst.op {
        Op::ExecSet(mask) => Some(mask),
        Op::ExecGet => Some(inst.first),
        _ => None,
    })
}

/// Moves writes to the end of another block, with copies of what they are computed from.
fn carry_over(func: &mut Func, from: usize, to: usize, writes: &[usize]) {
    let insts = func.blocks[to].insts.clone();
    let slice = Sources::of(&func.blocks[to]).slice(&insts, writes.iter().copied());
    let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
    let exec = exec_at_end(&func.blocks[from]);
    for k in slice {
        if let (Op::ExecGet, Some(exec)) = (&insts[k].op, exec) {
            copies.insert(insts[k].first, exec);
            continue;
        }
        let mut inst = insts[k].clone();
        inst.op.map_args(|v| copies[&v]);
        let types: Vec<_> = (0..inst.results).map(|r| func.ty(inst.result(r.into()))).collect();
        let first = func.new_values(&types);
        let copy = Inst { first, ..inst.clone() };
        copies.extend((0..inst.results).map(|r| (inst.result(r.into()), copy.result(r.into()))));
        func.blocks[from].insts.push(copy);
    }
    let mut k = 0..;
    func.blocks[to].insts.retain(|_| k.next().is_none_or(|k| !writes.contains(&k)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::{text, verify::verify};

    /// Two blocks with a barrier between them; what is read of the second in a third lives.
    fn blocks(second: &str, mode: &str) -> Func {
        let text = format!(
            "func \"f\" wave32 {{
             b0 pc=0 mode=0x3f0 insts=1:
               %0: mask = exec
               %1: l32 = vget v0 demand %0
               %2: l32 = load lds.b32 [lane %1], exec %0
               vset v10, %2, exec %0
               %3: l32 = load lds.b32 [lane %1 + 4], exec %0
               vset v11, %3, exec %0
               pause barrier, b1
             b1 pc=4 mode={mode} insts=1:
             {second}
               jump b2
             b2 pc=8 mode={mode} insts=1:
               %90: mask = exec
               %91: l32 = vget v0 demand %90
               %92: l32 = vget v4 demand %90
               store lds.b32 [lane %91], %92, exec %90
               end
             }}"
        );
        let func = text::parse(&text).expect("it parses");
        verify(&func).expect("it is right");
        func
    }

    /// The writes of rows in the second block after the pass, and whether anything was moved.
    fn left(second: &str, mode: &str) -> (Vec<u16>, bool) {
        let mut func = blocks(second, mode);
        let moved = run(&mut func, OptOptions::default());
        verify(&func).expect("it is right");
        let write = |i: &Inst| if let Op::VSet { reg, .. } = i.op { Some(reg.0) } else { None };
        (func.blocks[1].insts.iter().filter_map(write).collect(), moved)
    }

    const SUM: &str = "%10: mask = exec
               %11: l32 = vget v10 demand %10
               %12: l32 = vget v11 demand %10
               %13: l32 = vget v4 demand %10
               %14: l32 = ffma.32 %11, %12, %13
               vset v4, %14, exec %10";

    #[test]
    fn a_sum_of_what_was_loaded_is_done_before_the_barrier() {
        assert_eq!(left(SUM, "0x3f0"), (vec![], true));
    }

    #[test]
    fn another_float_mode_keeps_it() {
        assert_eq!(left(SUM, "0x3c0"), (vec![4], false));
    }

    #[test]
    fn what_makes_more_rows_live_stays() {
        let second = "%10: mask = exec
               %11: l32 = vget v0 demand %10
               %12: l32 = iadd.32 %11, %11
               vset v4, %12, exec %10";
        assert_eq!(left(second, "0x3f0"), (vec![4], false));
    }

    #[test]
    fn what_depends_on_memory_or_on_a_changed_mask_stays() {
        let load = "%10: mask = exec
               %11: l32 = vget v10 demand %10
               %12: l32 = load lds.b32 [lane %11], exec %10
               %13: l32 = vget v11 demand %10
               %14: l32 = fadd.32 %12, %13
               vset v4, %14, exec %10";
        assert_eq!(left(load, "0x3f0"), (vec![4], false));
        let narrowed = format!(
            "%20: mask = exec
               %21: l32 = vget v0 demand %20
               %22: l32 = vget v10 demand %20
               %23: mask = ult.32 %21, %22
               %24: mask = and.1 %23, %20
               setexec %24
               {SUM}"
        );
        assert_eq!(left(&narrowed, "0x3f0"), (vec![4], false));
    }

    #[test]
    fn a_row_that_something_reads_before_stays() {
        let read = format!(
            "%20: mask = exec
               %21: l32 = vget v0 demand %20
               %22: l32 = vget v4 demand %20
               store lds.b32 [lane %21], %22, exec %20
               {SUM}"
        );
        assert_eq!(left(&read, "0x3f0"), (vec![4], false));
        // The old value is used behind the write, too.
        let kept = format!("{SUM}\n%20: l32 = vget v0 demand %10\nstore lds.b32 [lane %20], %13, exec %10");
        assert_eq!(left(&kept, "0x3f0"), (vec![4], false));
    }

    #[test]
    fn of_two_writes_of_a_row_the_first_does_not_stay_alone() {
        let twice = "%10: mask = exec
               %11: l32 = vget v0 demand %10
               %12: l32 = load lds.b32 [lane %11 + 8], exec %10
               vset v4, %12, exec %10
               %13: l32 = vget v10 demand %10
               %14: l32 = vget v11 demand %10
               %15: l32 = fadd.32 %13, %14
               vset v4, %15, exec %10";
        assert_eq!(left(twice, "0x3f0"), (vec![4, 4], false));
    }
}
