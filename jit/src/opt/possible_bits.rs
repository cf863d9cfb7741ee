//! The bits that values of 32 bits may have, in all lanes of which [`super::strides`] knows something: those of one are often none of another's, and then
//! putting both together is adding them.
//!
//! `narrow.rs` looks how long values are, through sums and products too; here it matters which bits there are.

use wavejit_ir::{MemKind, Op, PureOp, Value};

/// By value: its bits.
#[derive(Debug)]
pub(super) struct PossibleBits(Vec<u32>);

impl PossibleBits {
    /// Of so many values, of which nothing is known.
    pub(super) fn new(count: usize) -> PossibleBits {
        PossibleBits(vec![u32::MAX; count])
    }

    /// What an operation gives. `lanes`: of a wave; `constants`: of values that have one.
    pub(super) fn note(&mut self, v: Value, op: &Op, lanes: u32, constants: &[Option<u64>]) {
        self.0[v.0 as usize] = self.of_op(op, lanes, constants);
    }

    /// Have they no bit in common?
    pub(super) fn are_apart(&self, x: Option<Value>, y: Option<Value>) -> bool {
        self.of(x) & self.of(y) == 0
    }

    fn of(&self, v: Option<Value>) -> u32 {
        v.map_or(u32::MAX, |v| self.0[v.0 as usize])
    }

    fn of_op(&self, op: &Op, lanes: u32, constants: &[Option<u64>]) -> u32 {
        use PureOp::*;
        match op {
            Op::Const { bits, .. } => *bits as u32,
            Op::Splat(s) => self.of(Some(*s)),
            Op::LaneId => lanes - 1,
            Op::Load { kind: MemKind::U8, .. } => 0xff,
            Op::Load { kind: MemKind::U16, .. } => 0xffff,
            Op::Pure { op, args, .. } => {
                let of = |i: usize| self.of(args[i]);
                let constant = |i: usize| args[i].and_then(|v| constants[v.0 as usize]).map(|c| c as u32 & 31);
                match (op, constant(1), constant(2)) {
                    (And32, ..) => of(0) & of(1),
                    (Or32 | Xor32, ..) => of(0) | of(1),
                    (Sel32, ..) => of(1) | of(2),
                    (Shl32, Some(n), _) => of(0) << n,
                    (LShr32, Some(n), _) => of(0) >> n,
                    (BfeU32, Some(at), Some(width)) => of(0) >> at & ((1 << width) - 1),
                    (BfeU32, _, Some(width)) => (1 << width) - 1,
                    _ => u32::MAX,
                }
            }
            _ => u32::MAX,
        }
    }
}
