//! How far accesses move on from one way round a loop to the next, where that is in a scalar register: columns of matrices, strides of whole grids. Lines so
//! far apart no processor expects; they are asked for some ways round before they are wanted.
//!
//! ```text
//! %5 = vget v0; %6: l64 = shl.64 (sext.64 %5), 2; load [%7 + %6]
//! vset v0, iadd.32 %5, splat (sget s8)                               the load moves on by s8 << 2
//! ```
//!
//! A line that is asked for in vain costs little, so that this may be wrong: what a loop does on other ways is not looked at.

use super::view::View;
use crate::opt::places::Places;
use rustc_hash::FxHashMap;
use wavejit_ir::{Func, Op, PureOp, SReg, Space, Value};

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

/// Finds them. `in_loops`: the blocks that are in loops which waves go round without a stop.
pub(super) fn find(func: &Func, places: &Places, in_loops: &[bool]) -> Steps {
    let mut steps = Steps::default();
    let in_loops = || (0..func.blocks.len()).filter(|b| in_loops[*b]);
    if !in_loops().any(|b| func.blocks[b].insts.iter().any(|inst| access(&inst.op).is_some())) {
        return steps;
    }
    let views: Vec<(u32, View)> = in_loops().map(|b| (b as u32, View::of(func, b, places))).collect();
    let mut moved = Moved::default();
    for (_, view) in &views {
        for inst in &view.block.insts {
            match inst.op {
                Op::VSet { reg, value, .. } => {
                    let by = sum(view, value, |v| view.row(v) == Some(reg.0));
                    by.map(|by| moved.rows.insert(reg.0, by));
                }
                Op::SSet(reg, value) => {
                    let by = sum(view, value, |v| matches!(view.op(v), Some(Op::SGet(r)) if *r == reg));
                    by.map(|by| moved.scalars.insert(reg.0, by));
                }
                _ => {}
            }
        }
    }
    // How far they move must stay as it is.
    for (_, view) in &views {
        for inst in &view.block.insts {
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
        for (inst, at) in view.block.insts.iter().zip(0..) {
            let parts = access(&inst.op).into_iter().flatten().flatten();
            if let Some(step) = parts.filter_map(|v| step(view, v, &moved, DEPTH)).find(|s| s.shift <= MOST_SHIFT) {
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
    (is_far && kind.bytes() >= 4).then_some([addr.offset, addr.base])
}

/// What a sum of two dwords adds to the one of which `is_old` says so: a scalar register.
fn sum(view: &View, v: Value, is_old: impl Fn(Value) -> bool) -> Option<SReg> {
    let [a, b] = match view.pure(v)? {
        (PureOp::IAdd32, [Some(a), Some(b), _]) => [a, b],
        // The low half of a sum of pairs.
        (PureOp::Lo64, [Some(sum), ..]) => match view.pure(sum)? {
            (PureOp::IAdd64, [Some(a), Some(b), _]) => [low(view, a)?, low(view, b)?],
            _ => return None,
        },
        _ => return None,
    };
    let by = match (is_old(a), is_old(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    match view.op(view.splat(by).unwrap_or(by))? {
        Op::SGet(r) => Some(*r),
        _ => None,
    }
}

/// The low dword of a pair.
fn low(view: &View, v: Value) -> Option<Value> {
    match view.pure(v)? {
        (PureOp::Pack64, [Some(low), ..]) => Some(low),
        _ => None,
    }
}

/// How far a value moves on.
fn step(view: &View, v: Value, moved: &Moved, depth: u32) -> Option<Step> {
    let of = |register: Option<&SReg>| register.map(|r| Step { register: *r, shift: 0 });
    let inner = |v: Value| depth.checked_sub(1).and_then(|depth| step(view, v, moved, depth));
    match view.op(v)? {
        Op::VGet { reg, .. } => of(moved.rows.get(&reg.0)),
        Op::SGet(r) => of(moved.scalars.get(&r.0)),
        Op::Splat(s) => inner(*s),
        Op::Pure { op, args: [Some(a), b, _], .. } => match (op, b) {
            (PureOp::SExt64 | PureOp::ZExt64 | PureOp::Pack64, _) => inner(*a),
            (PureOp::IAdd32 | PureOp::IAdd64, Some(b)) => inner(*a).or_else(|| inner(*b)),
            (PureOp::Shl32 | PureOp::Shl64, Some(n)) => {
                let n = view.constant(view.splat(*n).unwrap_or(*n))?;
                let step = inner(*a)?;
                Some(Step { shift: step.shift + n.min(u32::from(MOST_SHIFT) + 1) as u8, ..step })
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::text::parse;

    /// The steps of a loop of one block, which loads, and in which v0 has become %4 by then: (register, shift) of each.
    fn steps(load: &str) -> Vec<(u8, u8)> {
        let text = format!(
            "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 jump b1
b1 pc=4 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: l32 = vget v0 demand %0
 %2: s32 = sget s8
 %3: l32 = splat %2
 %4: l32 = iadd.32 %1, %3
 %5: s32 = sget s2
 %6: s32 = sget s3
 %7: s64 = pack.64 %5, %6
 %8: s32 = const.32 2
 %9: l32 = splat %8
 %10: l64 = sext.64 %1
 %11: l64 = shl.64 %10, %9
 %12: l64 = zext.64 %3
 %13: s32 = sget s9
 %14: s32 = iadd.32 %5, %13
 {load}
 vset v0, %4, exec %0
 sset s2, %14
 %31: s1 = sget scc
 branch %31, b1, b2
b2 pc=8 mode=0x3f0 insts=1:
 end
}}"
        );
        let func = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let mut found: Vec<_> = find(&func, &Places::new(&func), &[false, true, false]).into_iter().collect();
        found.sort_unstable_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, s)| (s.register.0, s.shift)).collect()
    }

    #[test]
    fn rows_and_bases_that_a_scalar_register_moves_on_are_found() {
        // The index, shifted; the base, beside an offset that stays; nothing.
        assert_eq!(steps("%20: l32 = load global.b32 [%7 + lane %11], exec %0"), [(8, 2)]);
        assert_eq!(steps("%20: l32 = load global.b32 [%7 + lane %12], exec %0"), [(9, 0)]);
        assert_eq!(steps("%20: l32 = load global.b32 [lane %12], exec %0"), []);
        assert_eq!(steps("%20: l32 = load global.b32 [lane %11], exec %0\nstore global.b32 [lane %11], %20, exec %0"), [(8, 2); 2]);
        // Bytes are close together, and LDS is.
        assert_eq!(steps("%20: l32 = load global.u8 [lane %11], exec %0"), []);
        assert_eq!(steps("%20: l32 = load lds.b32 [lane %1], exec %0"), []);
    }

    #[test]
    fn how_far_it_moves_must_stay_as_it_is() {
        assert_eq!(steps("sset s8, %5\n%20: l32 = load global.b32 [lane %11], exec %0"), []);
    }
}
