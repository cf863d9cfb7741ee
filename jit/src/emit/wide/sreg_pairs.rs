//! Two scalar registers, one behind the other, that become the halves of one 64-bit value: addresses that move on, masks of 64 lanes. One store writes both, for
//! who reads them next loads 64 bits at once, and no processor hands two younger stores on to one load.
//!
//! ```text
//! %5: s32 = lo.64 %4; %6: s32 = hi.64 %4          nothing
//! sset s2, %5                                     mov %4, s[2:3]
//! sset s3, %6                                     nothing
//! ```

use super::dead_stores::Register;
use super::plan::Event;
use super::{Wide, sreg};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Block, Op, PureOp, SReg, Shape, Value};
use wavejit_x86::Size;

/// Those of a block.
#[derive(Default)]
pub(super) struct SRegPairs {
    /// By the instruction that writes the low register: what is written to both.
    whole: FxHashMap<u32, Value>,
    /// The instructions that are done with these.
    done: FxHashSet<u32>,
}

impl SRegPairs {
    pub(super) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Is an instruction of the block done with another one?
    pub(super) fn has_done(&self, inst: usize) -> bool {
        self.done.contains(&(inst as u32))
    }

    /// What an instruction that writes a register writes to this one and the next.
    pub(super) fn whole(&self, inst: u32) -> Option<Value> {
        self.whole.get(&inst).copied()
    }
}

/// Is a scalar the low half of another one? Of a sum of pairs that is the sum of the low ones.
fn is_low(op: &impl Fn(Value) -> Op, low: Value, whole: Value) -> bool {
    match (op(low), op(whole)) {
        (Op::Pure { op: PureOp::Lo64, args: [of, ..], .. }, _) => of == Some(whole),
        (
            Op::Pure { op: PureOp::IAdd32, args: [Some(a), Some(b), _], .. },
            Op::Pure { op: PureOp::IAdd64, args: [Some(x), Some(y), _], .. },
        ) => is_low_of_pair(op, a, x) && is_low_of_pair(op, b, y),
        _ => false,
    }
}

fn is_low_of_pair(op: &impl Fn(Value) -> Op, low: Value, pair: Value) -> bool {
    match (op(low), op(pair)) {
        (_, Op::Pure { op: PureOp::Pack64, args: [of, ..], .. }) => of == Some(low),
        (Op::Const { bits: low, .. }, Op::Const { bits: pair, .. }) => low as u32 == pair as u32,
        _ => false,
    }
}

/// May a block have such pairs?
pub(super) fn may_be_in(block: &Block) -> bool {
    block.insts.windows(2).any(|two| matches!([&two[0].op, &two[1].op], [Op::SSet(low, _), Op::SSet(high, _)] if is_pair(*low, *high)))
}

fn is_pair(low: SReg, high: SReg) -> bool {
    low.0.is_multiple_of(2) && high.0 == low.0 + 1 && high <= SReg::VCC_HI
}

impl Wide<'_> {
    /// Finds the pairs of a block, whose readers have been counted.
    pub(super) fn find_sreg_pairs(&self, block: &Block) -> SRegPairs {
        let mut pairs = SRegPairs::default();
        let def = |v: Value| self.val(v).def;
        let op = |v: Value| block.insts[def(v) as usize].op.clone();
        for (two, at) in block.insts.windows(2).zip(0..) {
            let [Op::SSet(low, x), Op::SSet(high, y)] = [&two[0].op, &two[1].op].map(|op| op.clone()) else { continue };
            let Op::Pure { op: PureOp::Hi64, args: [Some(whole), ..], .. } = op(y) else { continue };
            let is_in_memory = [low, high].iter().all(|r| self.r.fixed_sreg(*r).is_none());
            let is_once = [x, y, whole].iter().any(|v| self.is_once(def(*v)));
            if !is_pair(low, high) || !is_low(&op, x, whole) || !is_in_memory || is_once || self.func.ty(whole).shape != Shape::Scalar {
                continue;
            }
            pairs.whole.insert(at, whole);
            let halves = [x, y].into_iter().filter(|v| self.val(*v).readers() == 1).map(def);
            pairs.done.extend(halves.chain([at + 1]));
        }
        pairs
    }

    /// Writes both registers.
    pub(super) fn sset_pair(&mut self, low: SReg, whole: Value) {
        let second = self.at + 1;
        self.r.log.note(|| Event::Together { at: second });
        let from = self.scalar(whole);
        self.sreg_changes(low);
        self.sreg_changes(SReg(low.0 + 1));
        let start = self.a.offset();
        self.a.store(Size::Q, sreg(low), from);
        self.note_guest_store(start, Register::Pair(low));
    }
}
