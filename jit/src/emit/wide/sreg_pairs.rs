//! Two scalar registers, one behind the other, that are written at once: the halves of one 64-bit value, as addresses that move on and masks of 64 lanes are, or
//! two words that some block reads as one. Who reads them next loads 64 bits, and no processor hands two younger stores on to one load.
//!
//! ```text
//! %5: s32 = lo.64 %4; %6: s32 = hi.64 %4          nothing
//! sset s2, %5                                     mov %4, s[2:3]
//! sset s3, %6                                     nothing
//!
//! sset s4, %7                                     rax = %8 << 32 | %7
//! sset s5, %8                                     mov rax, s[4:5]
//! ```

use super::dead_stores::Register;
use super::plan::Event;
use super::regs::Home;
use super::{Wide, sreg};
use crate::opt::{liveness::SRegs, places::Places};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Block, Func, Op, PureOp, SReg, Shape, Value};
use wavejit_x86::Size;

/// What is written to both.
#[derive(Clone, Copy)]
pub(super) enum Pair {
    Whole(Value),
    Halves(Value, Value),
}

impl Pair {
    fn values(self) -> impl Iterator<Item = Value> {
        match self {
            Pair::Whole(v) => [Some(v), None],
            Pair::Halves(low, high) => [Some(low), Some(high)],
        }
        .into_iter()
        .flatten()
    }
}

/// Those of a block.
#[derive(Default)]
pub(super) struct SRegPairs {
    /// By the instruction that writes the low register.
    writes: FxHashMap<u32, Pair>,
    /// The instructions that are done with these.
    done: FxHashSet<u32>,
}

impl SRegPairs {
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Is an instruction of the block done with another one?
    pub(super) fn has_done(&self, inst: usize) -> bool {
        self.done.contains(&(inst as u32))
    }

    /// What an instruction that writes a register writes to this one and the next.
    pub(super) fn write(&self, inst: u32) -> Option<Pair> {
        self.writes.get(&inst).copied()
    }

    /// What such an instruction reads.
    pub(super) fn operands(&self, inst: usize) -> Option<impl Iterator<Item = Value> + use<>> {
        self.write(inst as u32).map(Pair::values)
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
    block.insts.windows(2).any(|two| are_pair(&two[0].op, &two[1].op))
}

/// Do these write a register and the next?
pub(super) fn are_pair(first: &Op, second: &Op) -> bool {
    matches!([first, second], [Op::SSet(low, _), Op::SSet(high, _)] if is_pair(*low, *high))
}

fn is_pair(low: SReg, high: SReg) -> bool {
    low.0.is_multiple_of(2) && high.0 == low.0 + 1 && high <= SReg::VCC_HI
}

/// The low registers of which a block somewhere reads this one and the next as one value.
pub(super) fn read_as_one(func: &Func, places: &Places) -> SRegs {
    let mut low = SRegs::default();
    for block in &func.blocks {
        for inst in &block.insts {
            if let Op::Pure { op: PureOp::Pack64, args: [Some(x), Some(y), _], .. } = inst.op
                && let (Some(Op::SGet(x)), Some(Op::SGet(y))) = (places.op(block, x), places.op(block, y))
                && is_pair(*x, *y)
            {
                low.add(*x);
            }
        }
    }
    low
}

impl Wide<'_> {
    /// Finds the pairs of a block, whose readers have been counted.
    pub(super) fn find_sreg_pairs(&self, block: &Block) -> SRegPairs {
        let mut pairs = SRegPairs::default();
        let def = |v: Value| self.val(v).def;
        let op = |v: Value| block.insts[def(v) as usize].op.clone();
        for (two, at) in block.insts.windows(2).zip(0..) {
            let [Op::SSet(low, x), Op::SSet(high, y)] = [&two[0].op, &two[1].op] else { continue };
            let (low, x, high, y) = (*low, *x, *high, *y);
            if !is_pair(low, high) || [low, high].iter().any(|r| self.r.fixed_sreg(*r).is_some()) {
                continue;
            }
            let is_here = |v: Value| self.func.ty(v).shape == Shape::Scalar && !self.is_once(def(v));
            match op(y) {
                Op::Pure { op: PureOp::Hi64, args: [Some(whole), ..], .. }
                    if is_low(&op, x, whole) && [x, y, whole].into_iter().all(is_here) =>
                {
                    pairs.writes.insert(at, Pair::Whole(whole));
                    pairs.done.extend([x, y].into_iter().filter(|v| self.val(*v).readers() == 1).map(def));
                }
                // What is a constant is stored as that.
                _ if self.pairs_read.has(low) && self.constant(x).is_none() && self.constant(y).is_none_or(|y| y as u32 == 0) => {
                    pairs.writes.insert(at, Pair::Halves(x, y));
                }
                _ => continue,
            }
            pairs.done.insert(at + 1);
        }
        pairs
    }

    /// Writes both registers.
    pub(super) fn sset_pair(&mut self, low: SReg, pair: Pair) {
        let (second, high) = (self.at + 1, SReg(low.0 + 1));
        self.r.log.note(|| Event::Together { at: second });
        let (low_word, high_word) = match pair {
            Pair::Whole(v) => (self.scalar(v), None),
            // Words have zeros above.
            Pair::Halves(x, y) if self.constant(y).is_some() => (self.scalar(x), None),
            Pair::Halves(x, y) => (self.scalar(x), Some(self.scalar(y))),
        };
        self.sreg_changes(low);
        self.sreg_changes(high);
        if let Some(high_word) = high_word {
            let both = self.temp_general();
            let start = self.a.offset();
            self.a.mov(Size::D, both, high_word);
            self.join_words(both, low_word);
            self.a.store(Size::Q, sreg(low), both);
            self.note_guest_stores(start, 4, Register::Pair(low));
        } else {
            let start = self.a.offset();
            self.a.store(Size::Q, sreg(low), low_word);
            self.note_guest_store(start, Register::Pair(low));
        }
        match pair {
            Pair::Whole(v) => {
                let word = self.word(v);
                self.r.settle(word, Home::SRegPair(low));
            }
            Pair::Halves(x, y) => {
                for (v, r) in [(x, low), (y, high)] {
                    if self.constant(v).is_none() {
                        let word = self.word(v);
                        self.is_at_home_in_sreg(word, r);
                    }
                }
            }
        }
    }
}
