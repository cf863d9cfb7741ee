//! Scalar registers that hold masks: those of which EXEC will come, by logic. A compiler saves EXEC in them, narrows it and puts it back. What such a register
//! holds at other times, an address say, is not of interest.

use super::lane_states::lanewise;
use crate::by_value::ByValue;
use wavejit_ir::{Block, Func, Op, SReg, Shape, Ty, Value};

/// A set of registers that may hold masks, by number; EXEC has the place of its low half.
pub(super) type Masks = u128;
pub(super) const EXEC: Masks = 1 << SReg::EXEC_LO.0;

/// None of registers of one bit, and of those behind EXEC.
pub(super) fn bit_of(r: SReg) -> Option<Masks> {
    (r.0 < SReg::EXEC_LO.0).then(|| 1 << r.0)
}

/// The registers of a set, in order.
pub(super) fn registers(of: Masks) -> impl Iterator<Item = SReg> {
    (0..SReg::EXEC_LO.0).map(SReg).filter(move |r| of >> r.0 & 1 != 0)
}

/// Of what a block's masks come.
struct Flow {
    /// Of which registers, as they were at its start, EXEC is set.
    wanted: Masks,
    /// The same of the registers that it sets.
    set: Vec<(SReg, Masks)>,
    /// Of the others nothing is left: they were set by number.
    is_lost: bool,
}

impl Flow {
    fn of(func: &Func, block: &Block, half: usize, of: &mut ByValue<Masks>) -> Flow {
        let mut flow = Flow { set: vec![], is_lost: false, wanted: 0 };
        of.begin(func);
        for inst in &block.insts {
            let get = |v: Value| of.get(v).unwrap_or(0);
            let masks = match &inst.op {
                Op::ExecSet(m) => {
                    flow.wanted |= get(*m);
                    continue;
                }
                Op::SSet(r, x) => {
                    let to = get(*x);
                    match flow.set.iter_mut().find(|(of, _)| of == r) {
                        Some((_, masks)) => *masks = to,
                        None => flow.set.push((*r, to)),
                    }
                    continue;
                }
                Op::SSetRel { .. } | Op::SetReg { .. } => {
                    flow.set.clear();
                    flow.is_lost = true;
                    continue;
                }
                Op::SGet(r) => flow.register(*r),
                Op::Pure { .. } if func.ty(inst.first).shape == Shape::Lane && func.ty(inst.first) != Ty::MASK => continue,
                op => lanewise(op, half).into_iter().flatten().flatten().fold(0, |all, v| all | get(v)),
            };
            if masks != 0 {
                of.insert(inst.first, masks);
            }
        }
        flow
    }

    fn register(&self, r: SReg) -> Masks {
        let kept = || if self.is_lost { 0 } else { bit_of(r).unwrap_or(0) };
        self.set.iter().find(|(of, _)| *of == r).map_or_else(kept, |(_, masks)| *masks)
    }

    /// What it reads to set EXEC, and registers that are `wanted` behind it.
    fn before(&self, wanted: Masks) -> Masks {
        let set = || self.set.iter().filter_map(|(r, masks)| Some((bit_of(*r)?, *masks)));
        let kept = if self.is_lost { 0 } else { wanted & !set().fold(0, |all, (bit, _)| all | bit) };
        set().filter(|(bit, _)| wanted & bit != 0).fold(self.wanted | kept, |all, (_, masks)| all | masks)
    }
}

/// By block: registers at its start of which EXEC will come, in one half of the wave.
pub(super) fn wanted(func: &Func, half: usize) -> Vec<Masks> {
    let mut of = ByValue::default();
    let flows: Vec<Flow> = func.blocks.iter().map(|block| Flow::of(func, block, half, &mut of)).collect();
    let mut wanted = vec![0; flows.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (b, flow) in flows.iter().enumerate().rev() {
            let mut behind = 0;
            func.blocks[b].term.for_each_successor(|s| behind |= wanted[s.0 as usize]);
            let before = flow.before(behind);
            changed |= std::mem::replace(&mut wanted[b], before) != before;
        }
    }
    wanted
}
