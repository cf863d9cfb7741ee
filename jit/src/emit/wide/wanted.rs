//! In which lanes the values of a block are wanted.
//!
//! What comes of a comparison is narrowed to EXEC, since the register that it goes to has zeros elsewhere. Where only lanes of EXEC ask for it, as
//! a selection does whose result goes to a row under EXEC, the comparison itself is as good.

use crate::by_value::ByValue;
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Block, Func, Inst, Op, PureOp, Shape, Ty, Value};

/// Lanes that ask for a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Some of those of a mask.
    Of(Value),
    Any,
}

/// The lanes that ask for each value of a block.
pub(super) type Asked = ByValue<Lanes>;

/// What is known of a block so far.
struct Wanted<'a> {
    lanes: &'a mut Asked,
    /// Of masks that are the lanes of two others at once, these.
    ands: FxHashMap<Value, [Value; 2]>,
}

impl Wanted<'_> {
    fn of(&self, v: Value) -> Option<Lanes> {
        self.lanes.get(v)
    }

    fn want(&mut self, v: Value, by: Lanes) {
        let lanes = match self.of(v) {
            None => by,
            Some(lanes) => self.all_of(lanes, by),
        };
        self.lanes.insert(v, lanes);
    }

    /// A mask, and those that have all of its lanes.
    fn around(&self, mask: Value) -> Vec<Value> {
        let mut all = vec![mask];
        let mut i = 0;
        while i < all.len().min(MOST_AROUND) {
            all.extend(self.ands.get(&all[i]).into_iter().flatten());
            i += 1;
        }
        all
    }

    fn all_of(&self, x: Lanes, y: Lanes) -> Lanes {
        match (x, y) {
            (Lanes::Of(x), Lanes::Of(y)) if x == y => Lanes::Of(x),
            (Lanes::Of(x), Lanes::Of(y)) => {
                let around = self.around(y);
                self.around(x).into_iter().find(|mask| around.contains(mask)).map_or(Lanes::Any, Lanes::Of)
            }
            _ => Lanes::Any,
        }
    }
}

/// So many masks around one are looked at.
const MOST_AROUND: usize = 12;

/// The ands of two masks in a block of which one has every lane that asks for the result: the other one, which is as good as the result.
pub(super) fn needless_ands(func: &Func, block: &Block, asked: &mut Asked) -> FxHashMap<Value, Value> {
    if !block.insts.iter().any(|inst| matches!(inst.op, Op::Pure { op: PureOp::BAnd, .. })) {
        return FxHashMap::default();
    }
    find(func, block, asked).1
}

/// The values of a block that only lanes of one mask ask for, and masks that have these lanes.
pub(super) fn lanes_of_values(func: &Func, block: &Block, asked: &mut Asked) -> FxHashMap<Value, Vec<Value>> {
    let (wanted, _) = find(func, block, asked);
    let of_one = |(v, lanes): &(Value, Lanes)| if let Lanes::Of(mask) = lanes { Some((*v, wanted.around(*mask))) } else { None };
    wanted.lanes.iter().filter_map(of_one).collect()
}

/// Who asks for what, and needless ands.
fn find<'a>(func: &Func, block: &Block, asked: &'a mut Asked) -> (Wanted<'a>, FxHashMap<Value, Value>) {
    let mut found = FxHashMap::default();
    asked.begin(func);
    let and = |inst: &Inst| match inst.op {
        Op::Pure { op: PureOp::BAnd, args: [Some(x), Some(y), _], .. } if func.ty(inst.first) == Ty::MASK => Some((inst.first, [x, y])),
        _ => None,
    };
    let mut wanted = Wanted { lanes: asked, ands: block.insts.iter().filter_map(and).collect() };
    let execs: FxHashSet<Value> = block.insts.iter().filter(|inst| matches!(inst.op, Op::ExecGet)).map(|inst| inst.first).collect();
    block.term.for_each_arg(|v| wanted.want(v, Lanes::Any));
    for inst in block.insts.iter().rev() {
        match &inst.op {
            Op::VSet { value, exec, .. } => {
                wanted.want(*value, Lanes::Of(*exec));
                wanted.want(*exec, Lanes::Any);
            }
            Op::Store { addr, data, exec, .. } => {
                addr.base.into_iter().chain(addr.offset).chain([*exec]).for_each(|v| wanted.want(v, Lanes::Any));
                data.iter().flatten().for_each(|v| wanted.want(*v, Lanes::Of(*exec)));
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
                if let (PureOp::BAnd, Lanes::Any, [Some(x), Some(y), _]) = (op, lanes, args)
                    && let Some((other, exec)) = [(*x, *y), (*y, *x)].into_iter().find(|(_, exec)| execs.contains(exec))
                {
                    wanted.want(other, Lanes::Of(exec));
                    wanted.want(exec, Lanes::Any);
                    continue;
                }
                args.iter().flatten().for_each(|v| wanted.want(*v, lanes));
            }
            op => op.for_each_arg(|v| wanted.want(v, Lanes::Any)),
        }
    }
    (wanted, found)
}
