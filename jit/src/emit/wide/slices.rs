//! Runs of pure operations that are done a register's lanes at a time.
//!
//! As a rule an operation is done in all lanes before the next one begins. Where nothing looks across lanes that order is not needed, and where
//! more values are alive than registers can hold it costs: a value of f64 takes four registers in wave32, eight in AVX2. So in a run of such operations
//! (pure ones, and reads and writes of rows) whose values do not fit, each part of the wave goes through the whole run before the next one:
//!
//! ```text
//! v = fmul.64 a, b       part 0 | part 1           v part 0
//! w = ffma.64 v, c, d    part 0 | part 1    -->    w part 0
//!                                                  v part 1
//!                                                  w part 1
//! ```
//!
//! The parts are then far from one another, so that the processor sees less that it can do at a time. So a run ends where few values are alive, and where they
//! fit in between nothing is done part by part; nor is it where the operations of a part [wait for one another](Time::waits) most of the time, which those of the
//! next one would fill.
//!
//! What is scalar in a run, or the same in all lanes, is done once, with the first part; what needs all lanes of a mask, such as its bits, with
//! the last.

use super::level::Level;
use super::sreg_pairs::are_pair;
use super::timing::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use wavejit_ir::{Block, Func, Inst, Op, PureOp, Shape, Ty, Value, Width};

/// When an instruction of a run is emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// Once, with the first part.
    First,
    /// For each part.
    Each,
    /// Once, with the last part.
    Last,
}

/// Instructions of a block, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub start: usize,
    pub end: usize,
    /// By instruction from `start` on.
    pub turns: Vec<Turn>,
    /// Values that an instruction of the last turn reads.
    pub late: FxHashSet<Value>,
}

impl Run {
    /// Do its instructions, all of which are there, wait for one another most of the time?
    fn waits(&self, insts: &[Inst], level: Level) -> bool {
        let turns = insts[self.start..self.end].iter().zip(&self.turns);
        Time::of(turns.filter(|(_, turn)| **turn == Turn::Each).map(|(inst, _)| inst), level).waits(level)
    }
}

/// Fewer instructions are not worth it.
const LEAST: usize = 8;
/// Registers for temporaries of an operation.
const TEMPORARIES: usize = 5;
/// Instructions of a run before it may end where few values are alive.
const SHORTEST: usize = 16;

/// What is known of the values of a block.
struct Facts<'a> {
    func: &'a Func,
    /// Those that are the same in all lanes.
    uniform: FxHashSet<Value>,
    /// Masks whose bits are at hand in a word.
    word: FxHashSet<Value>,
    /// Those of an instruction of the last turn, with the number of its run.
    late: FxHashMap<Value, u32>,
    /// The run that is looked at.
    run: u32,
    /// Masks of which nothing but their bits is wanted.
    bits_only: FxHashSet<Value>,
}

/// The runs of a block worth doing part by part, if `calls` says which of its instructions call something and so many registers are free; no
/// number: all of them.
pub(super) fn runs(func: &Func, level: Level, block: usize, calls: &[bool], alive: &Alive, free: Option<usize>) -> Vec<Run> {
    let insts = &func.blocks[block].insts;
    let parts = (func.wave_size / level.lanes()) as usize;
    if free.is_some_and(|free| !alive.is_crowded(block, parts, free)) {
        return vec![];
    }
    // With AVX-512, where all registers are free. In loops that keep rows, and with AVX2, which has few registers, there was nothing to gain.
    let few = free
        .filter(|free| level == Level::Avx512 && *free == level.vectors().len())
        .map_or(0, |free| free.saturating_sub(TEMPORARIES) * 3 / 4);
    let mut facts = Facts {
        func,
        uniform: FxHashSet::default(),
        word: FxHashSet::default(),
        late: FxHashMap::default(),
        run: 0,
        bits_only: bits_only(&func.blocks[block]),
    };
    let mut runs: Vec<Run> = vec![];
    let mut open: Option<Run> = None;
    let mut effects_are_late = false;
    let mut close = |open: &mut Option<Run>, end: usize| {
        if let Some(mut run) = open.take() {
            run.end = end;
            let each = run.turns.iter().filter(|t| **t == Turn::Each).count();
            let is_worth_it = |free| each >= LEAST && alive.are_too_many(block, run.start..end, parts, free) && !run.waits(insts, level);
            if free.is_none_or(is_worth_it) {
                runs.push(run);
            }
        }
    };
    for (k, inst) in insts.iter().enumerate() {
        let is_over = open.as_ref().is_some_and(|run| k - run.start >= SHORTEST) && alive.at(block, k) * parts < few;
        let mut turn = if is_over { None } else { facts.turn(&inst.op, inst.first, calls[k], effects_are_late) };
        if turn.is_none() && open.is_some() {
            close(&mut open, k);
            facts.run += 1;
            effects_are_late = false;
            turn = facts.turn(&inst.op, inst.first, calls[k], false);
        }
        let Some(mut turn) = turn else {
            facts.note(inst, Turn::Each);
            continue;
        };
        // Two registers that may be written at once wait for both values.
        if let Some(next) = insts.get(k + 1).filter(|next| are_pair(&inst.op, &next.op))
            && facts.turn(&next.op, next.first, false, effects_are_late) == Some(Turn::Last)
        {
            turn = Turn::Last;
        }
        let run = open.get_or_insert_with(|| Run { start: k, end: k, turns: vec![], late: FxHashSet::default() });
        run.turns.push(turn);
        if turn == Turn::Last {
            inst.op.for_each_arg(|v| _ = run.late.insert(v));
            effects_are_late |= matches!(inst.op, Op::SSet(..) | Op::ExecSet(_));
        }
        facts.note(inst, turn);
    }
    close(&mut open, insts.len());
    runs
}

/// The masks of a block of which nothing but their bits is wanted.
fn bits_only(block: &Block) -> FxHashSet<Value> {
    let (mut found, mut others) = (FxHashSet::default(), FxHashSet::default());
    for inst in &block.insts {
        match inst.op {
            Op::MaskBits(m) | Op::ExecSet(m) => _ = found.insert(m),
            ref op => op.for_each_arg(|v| _ = others.insert(v)),
        }
    }
    block.term.for_each_arg(|v| _ = others.insert(v));
    found.retain(|m| !others.contains(m));
    found
}

impl Facts<'_> {
    /// When the instruction may be done in a run; none: it ends one.
    fn turn(&self, op: &Op, result: Value, calls: bool, effects_are_late: bool) -> Option<Turn> {
        if calls {
            return None;
        }
        let mut waits = false;
        op.for_each_arg(|v| waits |= self.late.get(&v) == Some(&self.run));
        let once = if waits { Turn::Last } else { Turn::First };
        match op {
            Op::Const { .. } | Op::CodeAddress { .. } | Op::LaneId | Op::LaneTable(_) | Op::Note { .. } => Some(Turn::First),
            Op::Splat(_) if self.func.ty(result) != Ty::MASK => (!waits).then_some(Turn::First),
            Op::BitsMask(_) | Op::Splat(_) => (!waits).then_some(Turn::First),
            Op::SGet(_) | Op::ExecGet => Some(if effects_are_late { Turn::Last } else { Turn::First }),
            Op::SSet(..) => Some(if effects_are_late { Turn::Last } else { once }),
            Op::ExecSet(m) => Some(if effects_are_late || !self.word.contains(m) { Turn::Last } else { once }),
            Op::MaskBits(m) => Some(if self.word.contains(m) { once } else { Turn::Last }),
            Op::VGet { .. } | Op::VSet { .. } => (!waits).then_some(Turn::Each),
            Op::Pure { op, args, .. } => self.turn_of_pure(*op, args, result, once),
            _ => None,
        }
    }

    fn turn_of_pure(&self, op: PureOp, args: &[Option<Value>; 3], result: Value, once: Turn) -> Option<Turn> {
        let ty = |v: Value| self.func.ty(v);
        let is_lane = |v: Value| ty(v).shape == Shape::Lane && ty(v) != Ty::MASK;
        let all = || args.iter().flatten().copied();
        if is_lane(result) || all().any(is_lane) {
            let uniform = all().all(|v| if is_lane(v) { self.uniform.contains(&v) } else { ty(v) != Ty::MASK });
            // Nothing of the vector kind waits for a last turn.
            return match (uniform && is_lane(result), once) {
                (_, Turn::Last) => None,
                (true, _) => Some(Turn::First),
                _ => Some(Turn::Each),
            };
        }
        if ty(result) == Ty::MASK {
            if all().all(|v| self.word.contains(&v)) {
                return Some(once);
            }
            // In a general register it is one operation for all parts.
            if all().any(|v| self.word.contains(&v)) && self.bits_only.contains(&result) {
                return Some(Turn::Last);
            }
            let logic = matches!(op, PureOp::BAnd | PureOp::BOr | PureOp::BXor | PureOp::BAndNot | PureOp::BNot);
            return (logic && once == Turn::First).then_some(Turn::Each);
        }
        // Scalars; one of a mask needs its bits.
        let bits = all().any(|v| ty(v) == Ty::MASK && !self.word.contains(&v));
        Some(if bits { Turn::Last } else { once })
    }

    /// Notes what is known of the results.
    fn note(&mut self, inst: &wavejit_ir::Inst, turn: Turn) {
        for k in 0..inst.results {
            let v = inst.result(k.into());
            if turn == Turn::Last {
                self.late.insert(v, self.run);
            }
            if self.func.ty(v) == Ty::MASK {
                let mut words = true;
                inst.op.for_each_arg(|a| words &= self.func.ty(a) != Ty::MASK || self.word.contains(&a));
                let is_word = match &inst.op {
                    Op::ExecGet | Op::BitsMask(_) | Op::Splat(_) => true,
                    Op::Pure { args, .. } => words && args.iter().flatten().all(|a| self.func.ty(*a) == Ty::MASK),
                    _ => false,
                };
                if is_word {
                    self.word.insert(v);
                }
            } else {
                let is_uniform = match &inst.op {
                    Op::Splat(_) => true,
                    Op::Pure { .. } => turn == Turn::First,
                    _ => false,
                };
                if is_uniform {
                    self.uniform.insert(v);
                }
            }
        }
    }
}

/// By block and instruction: registers of 16 lanes that the values take which are alive there; rows and constants can be read again.
pub(super) struct Alive(Vec<Vec<u32>>);

impl Alive {
    pub(super) fn new(func: &Func) -> Alive {
        // By value: its last use.
        let mut last = vec![None; func.types.len()];
        Alive(func.blocks.iter().map(|b| Alive::in_block(func, b, &mut last)).collect())
    }

    fn in_block(func: &Func, b: &Block, last: &mut [Option<u32>]) -> Vec<u32> {
        for (k, inst) in b.insts.iter().enumerate() {
            inst.op.for_each_arg(|v| last[v.0 as usize] = Some(k as u32));
        }
        b.term.for_each_arg(|v| last[v.0 as usize] = Some(b.insts.len() as u32));
        // Ends, by place.
        let mut ends = vec![0; b.insts.len() + 1];
        let (mut alive, mut all) = (0, Vec::with_capacity(b.insts.len()));
        for (k, inst) in b.insts.iter().enumerate() {
            let weight = |v: Value| match func.ty(v) {
                Ty::MASK => 0,
                ty if ty.shape != Shape::Lane => 0,
                ty if ty.width == Width::B64 => 2,
                _ => 1,
            };
            let counts = match inst.op {
                Op::VGet { .. } | Op::Splat(_) | Op::LaneId | Op::LaneTable(_) => false,
                // They take over what they are made of.
                Op::Pure { op, .. } => !matches!(op, PureOp::Pack64 | PureOp::Lo64 | PureOp::Hi64),
                _ => true,
            };
            if counts {
                for r in 0..inst.results {
                    let v = inst.result(r.into());
                    let weight = weight(v);
                    if let (1.., Some(end)) = (weight, last[v.0 as usize]) {
                        alive += weight;
                        ends[end as usize] += weight;
                    }
                }
            }
            all.push(alive);
            alive -= ends[k];
        }
        all
    }

    /// Registers of 16 lanes before an instruction.
    fn at(&self, block: usize, k: usize) -> usize {
        k.checked_sub(1).map_or(0, |before| self.0[block][before] as usize)
    }

    fn most(&self, block: usize, range: Range<usize>) -> usize {
        self.0[block][range].iter().max().map_or(0, |n| *n as usize)
    }

    /// Registers that a block wants if its parts are done one after the other.
    pub(super) fn wanted(&self, block: usize) -> usize {
        self.most(block, 0..self.0[block].len()) + TEMPORARIES
    }

    /// May the values of a block be too many for so many registers?
    pub(super) fn is_crowded(&self, block: usize, parts: usize, free: usize) -> bool {
        self.are_too_many(block, 0..self.0[block].len(), parts, free)
    }

    fn are_too_many(&self, block: usize, range: Range<usize>, parts: usize, free: usize) -> bool {
        self.most(block, range) * parts + TEMPORARIES > free
    }
}
