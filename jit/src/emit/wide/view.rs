//! A block whose values are looked up.

use rustc_hash::FxHashMap;
use wavejit_ir::{Block, Op, PureOp, Value};

pub(super) struct View<'a> {
    pub block: &'a Block,
    /// Where values are made.
    pub defs: FxHashMap<Value, u32>,
}

/// The instructions that use each value of a block, by place; its end counts as [`END`].
pub(super) fn users(block: &Block) -> FxHashMap<Value, Vec<u32>> {
    let mut users: FxHashMap<Value, Vec<u32>> = FxHashMap::default();
    for (inst, at) in block.insts.iter().zip(0..) {
        inst.op.for_each_arg(|v| users.entry(v).or_default().push(at));
    }
    block.term.for_each_arg(|v| users.entry(v).or_default().push(END));
    users
}

/// The place of the end of a block.
pub(super) const END: u32 = u32::MAX;

impl<'a> View<'a> {
    pub(super) fn of(block: &'a Block) -> View<'a> {
        let mut defs = FxHashMap::default();
        for (inst, at) in block.insts.iter().zip(0..) {
            (0..inst.results).for_each(|r| _ = defs.insert(inst.result(r.into()), at));
        }
        View { block, defs }
    }

    pub(super) fn op(&self, v: Value) -> Option<&'a Op> {
        self.defs.get(&v).map(|at| &self.block.insts[*at as usize].op)
    }

    pub(super) fn pure(&self, v: Value) -> Option<(PureOp, [Option<Value>; 3])> {
        match self.op(v)? {
            Op::Pure { op, args, .. } => Some((*op, *args)),
            _ => None,
        }
    }

    /// The row that a value is, as it is at the start of the block.
    pub(super) fn row(&self, v: Value) -> Option<u16> {
        let Op::VGet { reg, .. } = self.op(v)? else { return None };
        let before = &self.block.insts[..self.defs[&v] as usize];
        (!before.iter().any(|i| matches!(i.op, Op::VSet { reg: r, .. } if r.0 == reg.0))).then_some(reg.0)
    }

    /// The scalar that is in all lanes.
    pub(super) fn splat(&self, v: Value) -> Option<Value> {
        match self.op(v)? {
            Op::Splat(s) => Some(*s),
            _ => None,
        }
    }

    pub(super) fn constant(&self, v: Value) -> Option<u32> {
        match self.op(v)? {
            Op::Const { bits, .. } => Some(*bits as u32),
            _ => None,
        }
    }
}
