//! Comparisons of scalars that are made where they are used: by the branch at the end of the block, which jumps on them, or by a sum, which adds the carry.
//!
//! ```text
//! %7: s1 = ult.32 %5, %6                   nothing
//! %8: s1 = not.1 %7                        nothing
//! branch %8, b1, b2                        cmp; jae b1; jmp b2
//!
//! %5: s64 = maskbits %4                     nothing
//! %7: s1 = eq.64 %5, 0                     nothing
//! branch %7, b1, b2                        kortest; je b1; jmp b2
//!
//! %4: s1 = ult.32 %3, %1                   nothing
//! %5: s32 = btoint %4                      nothing
//! %6: s32 = iadd.32 %2, %5                 mov; cmp; adc
//! ```

use super::regs::NONE;
use super::scalar::condition;
use super::{Wide, X};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Block, Inst, Op, PureOp, Shape, Term, Value, Width};
use wavejit_x86::{Alu, Cond, Size};

/// The comparisons of a block that are made where they are used.
#[derive(Default)]
pub(super) struct Flags {
    pub branch: Option<Compared>,
    /// By sum.
    carries: FxHashMap<u32, Carry>,
    /// The instructions that are done with these.
    done: FxHashSet<u32>,
    /// Masks whose bits others ask for.
    words: FxHashSet<Value>,
}

/// What a branch compares.
pub(super) enum Compared {
    Scalars {
        cond: Cond,
        x: Value,
        y: Value,
        is_wide: bool,
    },
    /// A mask with zero. Its bits are wanted by nobody else.
    Mask {
        cond: Cond,
        mask: Value,
    },
}

/// What a sum adds to a value: 1 where the first of two is below the second.
#[derive(Clone, Copy)]
pub(super) struct Carry {
    to: Value,
    x: Value,
    y: Value,
}

impl Flags {
    pub(super) fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Is an instruction of the block done where its result is used?
    pub(super) fn has_done(&self, inst: usize) -> bool {
        self.done.contains(&(inst as u32))
    }

    /// Will somebody ask for the bits of a mask?
    pub(super) fn wants_word(&self, mask: Value) -> bool {
        self.words.contains(&mask)
    }

    /// The sum that adds a carry.
    pub(super) fn carry(&self, inst: u32) -> Option<Carry> {
        self.carries.get(&inst).copied()
    }
}

/// May a block have such comparisons?
pub(super) fn may_be_in(block: &Block) -> bool {
    matches!(block.term, Term::Branch { .. }) || block.insts.iter().any(|inst| matches!(inst.op, Op::Pure { op: PureOp::BToInt, .. }))
}

impl Compared {
    pub(super) fn operands(&self) -> [Value; 2] {
        match *self {
            Compared::Scalars { x, y, .. } => [x, y],
            Compared::Mask { mask, .. } => [mask; 2],
        }
    }
}

impl Carry {
    pub(super) fn operands(&self) -> [Value; 3] {
        [self.to, self.x, self.y]
    }
}

impl Wide<'_> {
    /// Finds the comparisons of a block that are made where they are used. `is_counted`: it is known who reads what.
    pub(super) fn find_flags(&mut self, block: &Block, is_counted: bool) {
        self.flags = Flags::default();
        if is_counted {
            self.find_compared(block);
            self.find_carries(block);
        }
        let asks = |(i, inst): (usize, &Inst)| match inst.op {
            Op::MaskBits(mask) if !self.flags.has_done(i) => Some(mask),
            _ => None,
        };
        self.flags.words = block.insts.iter().enumerate().filter_map(asks).collect();
    }

    /// Is the branch at the end of the block on a comparison of scalars that is for the branch alone?
    fn find_compared(&mut self, block: &Block) {
        let Term::Branch { cond: mut wanted, .. } = block.term else { return };
        let mut negation = None;
        loop {
            let at = self.val(wanted).def;
            if self.is_once(at) || self.func.ty(wanted).shape != Shape::Scalar || self.val(wanted).readers() != 1 {
                return;
            }
            match block.insts[at as usize].op {
                Op::Pure { op: PureOp::BNot, args: [Some(of), ..], .. } if negation.is_none() => (negation, wanted) = (Some(at), of),
                Op::Pure { op, args: [Some(x), Some(y), _], .. } if self.func.ty(x).shape == Shape::Scalar => {
                    let Some(cond) = condition(op) else { return };
                    let cond = if negation.is_some() { !cond } else { cond };
                    // By the operand's width it is told what is compared.
                    let is_wide = op.args()[0] == Width::B64;
                    let mask = self.tested_mask(block, cond, x, y);
                    self.flags.branch = Some(match mask {
                        Some(mask) => Compared::Mask { cond, mask },
                        None => Compared::Scalars { cond, x, y, is_wide },
                    });
                    let bits = mask.map(|_| self.val(x).def);
                    self.flags.done.extend(negation.into_iter().chain(bits).chain([at]));
                    return;
                }
                _ => return,
            }
        }
    }

    /// The mask of which a comparison asks no more than whether there are lanes in it.
    fn tested_mask(&self, block: &Block, cond: Cond, x: Value, y: Value) -> Option<Value> {
        let bits = self.val(x);
        let made_by = &block.insts[bits.def as usize].op;
        let is_test = !self.is_avx2()
            && matches!(cond, Cond::E | Cond::Ne)
            && self.constant(y) == Some(0)
            && bits.readers() == 1
            && !self.is_once(bits.def);
        match *made_by {
            Op::MaskBits(mask) if is_test => Some(mask),
            _ => None,
        }
    }

    /// Finds the sums of scalars with a carry that nobody else reads.
    fn find_carries(&mut self, block: &Block) {
        for (sum, inst) in (0..).zip(&block.insts) {
            let Op::Pure { op: PureOp::IAdd32, args: [Some(to), Some(carry), _], .. } = inst.op else { continue };
            let made_by = |v: Value| &block.insts[self.val(v).def as usize].op;
            let Op::Pure { op: PureOp::BToInt, args: [Some(bit), ..], .. } = *made_by(carry) else { continue };
            let Op::Pure { op: PureOp::ICmpUlt32, args: [Some(x), Some(y), _], .. } = *made_by(bit) else { continue };
            let insts = [bit, carry].map(|v| self.val(v).def);
            let is_theirs = |v: Value| self.func.ty(v).shape == Shape::Scalar && self.val(v).readers() == 1;
            if [bit, carry].into_iter().all(is_theirs) && insts.iter().all(|i| self.is_once(*i) == self.is_once(sum)) {
                self.flags.carries.insert(sum, Carry { to, x, y });
                self.flags.done.extend(insts);
            }
        }
    }

    pub(super) fn is_once(&self, inst: u32) -> bool {
        self.memos[self.r.block].as_ref().is_some_and(|m| m.once[inst as usize])
    }

    /// Compares; the condition on which the branch is taken.
    pub(super) fn compare_scalars(&mut self, c: &Compared) -> Cond {
        match *c {
            Compared::Scalars { cond, x, y, is_wide } => {
                self.flags_of(x, y, if is_wide { Size::Q } else { Size::D });
                cond
            }
            Compared::Mask { cond, mask } => {
                self.is_empty_mask(mask);
                cond
            }
        }
    }

    /// Leaves "equal" if there is no lane in a mask.
    fn is_empty_mask(&mut self, mask: Value) {
        let val = *self.val(mask);
        if val.word != NONE || val.lo[0] == NONE {
            // Above a half-wave's bits there are none.
            let word = self.scalar(mask);
            return self.a.test(Size::Q, word, word);
        }
        let k: Vec<u8> = val.lo[..self.parts].iter().map(|p| self.reg(*p)).collect();
        let mut all = k[0];
        if self.parts > 2 {
            let t = self.temp_mask();
            for other in &k[1..self.parts - 1] {
                self.k(X::Korw, t, all, *other);
                all = t;
            }
        }
        self.k(X::Kortestw, all, 0, k[self.parts - 1]);
    }

    /// A sum with a carry.
    pub(super) fn add_carry(&mut self, r: Value, c: &Carry) {
        let to = self.copy_word(r, c.to);
        self.flags_of(c.x, c.y, Size::D);
        self.a.alu_imm(Alu::Adc, Size::D, to, 0);
    }

    /// Sets the flags as the first of two stands to the second.
    pub(super) fn flags_of(&mut self, x: Value, y: Value, size: Size) {
        let x = self.scalar(x);
        match self.immediate(y, size) {
            // Nothing is below 0: there is no carry either way.
            Ok(0) => self.a.test(size, x, x),
            Ok(imm) => self.a.alu_imm(Alu::Cmp, size, x, imm),
            Err(()) => {
                let y = self.scalar(y);
                self.a.alu(Alu::Cmp, size, x, y);
            }
        }
    }
}
