//! A block whose values are looked up.

use crate::opt::places::Places;
use wavejit_ir::{Block, Func, Op, PureOp, Value};

#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    func: &'a Func,
    pub block: &'a Block,
    places: &'a Places,
}

impl<'a> View<'a> {
    pub(super) fn of(func: &'a Func, block: usize, places: &'a Places) -> View<'a> {
        View { func, block: &func.blocks[block], places }
    }

    /// Where a value of the block is made.
    pub(super) fn def(&self, v: Value) -> u32 {
        self.places.def(v)
    }

    /// The instructions that use it, by place.
    pub(super) fn users(&self, v: Value) -> &'a [u32] {
        self.places.users(self.func, v)
    }

    pub(super) fn op(&self, v: Value) -> Option<&'a Op> {
        self.places.op(self.block, v)
    }

    pub(super) fn pure(&self, v: Value) -> Option<(PureOp, [Option<Value>; 3])> {
        self.places.pure(self.block, v)
    }

    /// The row that a value is, as it is at the start of the block.
    pub(super) fn row(&self, v: Value) -> Option<u16> {
        let Op::VGet { reg, .. } = self.op(v)? else { return None };
        let before = &self.block.insts[..self.def(v) as usize];
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
