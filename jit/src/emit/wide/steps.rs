//! How far accesses move on from one way round a loop to the next, where that is in a scalar register: columns of matrices, strides of whole grids. Lines so
//! far apart no processor expects; they are asked for some ways round before they are wanted.
//!
//! ```text
//! %5 = vget v0; %6: l64 = shl.64 (sext.64 %5), 2; load [%7 + %6]
//! vset v0, iadd.32 %5, splat (sget s8)                               the load moves on by s8 << 2
//! ```
//!
//! A line that is asked for in vain costs little, so that this may be wrong: what a loop does on other ways is not looked at.

use rustc_hash::FxHashMap;
use wavejit_ir::{Func, Inst, MemKind, Op, PureOp, SReg, Space, Value};

/// Sums in sums, at most.
const DEPTH: u32 = 4;
/// Bits that a step is shifted by, at most: what an index register is scaled by.
const MOST_SHIFT: u8 = 3;

/// Bytes from one way round to the next: a scalar register, shifted to the left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub register: SReg,
    pub shift: u8,
}

/// The steps of a function's accesses, by block and instruction.
pub(super) type Steps = FxHashMap<(u32, u32), Step>;

/// What moves on in the loops of a function, by how much.
#[derive(Default)]
struct Moved {
    rows: FxHashMap<u16, SReg>,
    scalars: FxHashMap<u8, SReg>,
}

/// A block whose values are looked up.
struct View<'a> {
    insts: &'a [Inst],
    defs: FxHashMap<Value, u32>,
}

/// Finds them. `in_loops`: the blocks that are in loops which waves go round without a stop.
pub(super) fn find(func: &Func, in_loops: &[bool]) -> Steps {
    let mut steps = Steps::default();
    let is_far = |op: &Op| access(op).is_some();
    let views: Vec<(u32, View)> =
        func.blocks.iter().zip(0..).filter(|(_, b)| in_loops[*b as usize]).map(|(block, b)| (b, View::of(&block.insts))).collect();
    if !views.iter().any(|(_, view)| view.insts.iter().any(|i| is_far(&i.op))) {
        return steps;
    }
    let mut moved = Moved::default();
    for (_, view) in &views {
        for inst in view.insts {
            match inst.op {
                Op::VSet { reg, value, .. } => {
                    let by = view.sum(value, |v| matches!(view.op(v), Some(Op::VGet { reg: r, .. }) if *r == reg));
                    by.map(|by| moved.rows.insert(reg.0, by));
                }
                Op::SSet(reg, value) => {
                    let by = view.sum(value, |v| matches!(view.op(v), Some(Op::SGet(r)) if *r == reg));
                    by.map(|by| moved.scalars.insert(reg.0, by));
                }
                _ => {}
            }
        }
    }
    // How far they move must stay as it is.
    for (_, view) in &views {
        for inst in view.insts {
            if let Op::SSet(r, _) = inst.op {
                moved.rows.retain(|_, by| *by != r);
                moved.scalars.retain(|_, by| *by != r);
            }
        }
    }
    if moved.rows.is_empty() && moved.scalars.is_empty() {
        return steps;
    }
    for (b, view) in &views {
        for (inst, at) in view.insts.iter().zip(0..) {
            let parts = access(&inst.op).into_iter().flatten().flatten();
            if let Some(step) = parts.filter_map(|v| view.step(v, &moved, DEPTH)).find(|s| s.shift <= MOST_SHIFT) {
                steps.insert((*b, at), step);
            }
        }
    }
    steps
}

/// The parts of the address of a dword or more in memory.
fn access(op: &Op) -> Option<[Option<Value>; 2]> {
    let (Op::Load { space, kind, addr, .. } | Op::Store { space, kind, addr, .. }) = op else { return None };
    let is_far = matches!(space, Space::Global | Space::Flat) && addr.offset.is_some();
    let is_small = matches!(kind, MemKind::U8 | MemKind::I8 | MemKind::U16 | MemKind::I16);
    (is_far && !is_small).then_some([addr.offset, addr.base])
}

impl<'a> View<'a> {
    fn of(insts: &'a [Inst]) -> View<'a> {
        let mut defs = FxHashMap::default();
        for (inst, at) in insts.iter().zip(0..) {
            (0..inst.results).for_each(|r| _ = defs.insert(inst.result(r.into()), at));
        }
        View { insts, defs }
    }

    fn op(&self, v: Value) -> Option<&'a Op> {
        self.defs.get(&v).map(|at| &self.insts[*at as usize].op)
    }

    /// The scalar register that a value is.
    fn register(&self, v: Value) -> Option<SReg> {
        match self.op(v)? {
            Op::Splat(s) => self.register(*s),
            Op::SGet(r) => Some(*r),
            _ => None,
        }
    }

    /// What a sum of two dwords adds to one of which `is_old` says so.
    fn sum(&self, v: Value, is_old: impl Fn(Value) -> bool) -> Option<SReg> {
        let Op::Pure { op: PureOp::IAdd32, args: [Some(a), Some(b), _], .. } = self.op(v)? else { return None };
        match (is_old(*a), is_old(*b)) {
            (true, false) => self.register(*b),
            (false, true) => self.register(*a),
            _ => None,
        }
    }

    /// How far a value moves on.
    fn step(&self, v: Value, moved: &Moved, depth: u32) -> Option<Step> {
        let of = |register: Option<&SReg>| register.map(|r| Step { register: *r, shift: 0 });
        let inner = |v: Value| depth.checked_sub(1).and_then(|depth| self.step(v, moved, depth));
        match self.op(v)? {
            Op::VGet { reg, .. } => of(moved.rows.get(&reg.0)),
            Op::SGet(r) => of(moved.scalars.get(&r.0)),
            Op::Splat(s) => inner(*s),
            Op::Pure { op, args: [Some(a), b, _], .. } => match (op, b) {
                (PureOp::SExt64 | PureOp::ZExt64 | PureOp::Pack64, _) => inner(*a),
                (PureOp::IAdd32 | PureOp::IAdd64, Some(b)) => inner(*a).or_else(|| inner(*b)),
                (PureOp::Shl32 | PureOp::Shl64, Some(n)) => {
                    let n = match self.op(*n)? {
                        Op::Splat(n) => self.op(*n)?,
                        n => n,
                    };
                    let Op::Const { bits, .. } = n else { return None };
                    let step = inner(*a)?;
                    Some(Step { shift: step.shift + (*bits).min(u64::from(MOST_SHIFT) + 1) as u8, ..step })
                }
                _ => None,
            },
            _ => None,
        }
    }
}
