//! In which lanes the values of a block are wanted.
//!
//! What comes of a comparison is narrowed to EXEC, since the register that it goes to has zeros elsewhere. Where only lanes of EXEC ask for it, as
//! a selection does whose result goes to a row under EXEC, the comparison itself is as good.

use rustc_hash::FxHashMap;
use wavejit_ir::{Block, Func, Op, PureOp, Shape, Value};

/// Lanes that ask for a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// Some of those of a mask.
    Of(Value),
    Any,
}

/// The lanes that ask for each value of a block so far.
#[derive(Default)]
struct Wanted {
    lanes: FxHashMap<Value, Lanes>,
}

impl Wanted {
    fn of(&self, v: Value) -> Option<Lanes> {
        self.lanes.get(&v).copied()
    }

    fn want(&mut self, v: Value, by: Lanes) {
        self.lanes.entry(v).and_modify(|lanes| *lanes = if *lanes == by { by } else { Lanes::Any }).or_insert(by);
    }
}

/// The ands of two masks in a block of which one has every lane that asks for the result: the other one, which is as good as the result.
pub(super) fn needless_ands(func: &Func, block: &Block) -> FxHashMap<Value, Value> {
    let mut found = FxHashMap::default();
    if !block.insts.iter().any(|inst| matches!(inst.op, Op::Pure { op: PureOp::BAnd, .. })) {
        return found;
    }
    let mut wanted = Wanted::default();
    block.term.for_each_arg(|v| wanted.want(v, Lanes::Any));
    for inst in block.insts.iter().rev() {
        match &inst.op {
            Op::VSet { value, exec, .. } => {
                wanted.want(*value, Lanes::Of(*exec));
                wanted.want(*exec, Lanes::Any);
            }
            // They are done lane by lane.
            Op::Pure { op, args, .. } if inst.results == 1 && func.ty(inst.first).shape == Shape::Lane => {
                let Some(lanes) = wanted.of(inst.first) else { continue };
                if let (PureOp::BAnd, Lanes::Of(mask), [Some(x), Some(y), _]) = (op, lanes, args)
                    && (*x == mask || *y == mask)
                {
                    let other = if *y == mask { *x } else { *y };
                    found.insert(inst.first, other);
                    wanted.want(other, lanes);
                    continue;
                }
                args.iter().flatten().for_each(|v| wanted.want(*v, lanes));
            }
            op => op.for_each_arg(|v| wanted.want(v, Lanes::Any)),
        }
    }
    found
}
