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

/// The ands of two masks in a block of which one has every lane that asks for the result: the other one, which is as good as the result.
pub(super) fn needless_ands(func: &Func, block: &Block) -> FxHashMap<Value, Value> {
    let mut wanted: FxHashMap<Value, Lanes> = FxHashMap::default();
    let mut found = FxHashMap::default();
    if !block.insts.iter().any(|inst| matches!(inst.op, Op::Pure { op: PureOp::BAnd, .. })) {
        return found;
    }
    fn want(wanted: &mut FxHashMap<Value, Lanes>, v: Value, by: Lanes) {
        wanted
            .entry(v)
            .and_modify(|lanes| {
                if *lanes != by {
                    *lanes = Lanes::Any
                }
            })
            .or_insert(by);
    }
    block.term.for_each_arg(|v| want(&mut wanted, v, Lanes::Any));
    for inst in block.insts.iter().rev() {
        match &inst.op {
            Op::VSet { value, exec, .. } => {
                want(&mut wanted, *value, Lanes::Of(*exec));
                want(&mut wanted, *exec, Lanes::Any);
            }
            // They are done lane by lane.
            Op::Pure { op, args, .. } if inst.results == 1 && func.ty(inst.first).shape == Shape::Lane => {
                let Some(lanes) = wanted.get(&inst.first).copied() else { continue };
                if let (PureOp::BAnd, Lanes::Of(mask), [Some(x), Some(y), _]) = (op, lanes, args)
                    && (*x == mask || *y == mask)
                {
                    let other = if *y == mask { *x } else { *y };
                    found.insert(inst.first, other);
                    want(&mut wanted, other, lanes);
                    continue;
                }
                args.iter().flatten().for_each(|v| want(&mut wanted, *v, lanes));
            }
            op => op.for_each_arg(|v| want(&mut wanted, v, Lanes::Any)),
        }
    }
    found
}
