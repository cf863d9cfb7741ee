//! Comparisons of scalars that are made where they are used: by the branch at the end of the block, which jumps on them, or by a sum, which adds the carry.
//!
//! ```text
//! %7: s1 = ult.32 %5, %6                   nothing
//! %8: s1 = not.1 %7                        nothing
//! branch %8, b1, b2                        cmp; jae b1; jmp b2
//!
//! %4: s1 = ult.32 %3, %1                   nothing
//! %5: s32 = btoint %4                      nothing
//! %6: s32 = iadd.32 %2, %5                 mov; cmp; adc
//! ```

use super::Wide;
use super::scalar::condition;
use rustc_hash::FxHashMap;
use wavejit_ir::{Block, Op, PureOp, Shape, Term, Value, Width};
use wavejit_x86::{Alu, Cond, Size};

/// What a branch compares.
pub(super) struct Compared {
    cond: Cond,
    x: Value,
    y: Value,
    is_wide: bool,
    /// The instructions that are done with that.
    insts: [Option<u32>; 2],
}

/// What a sum adds to a value: 1 where the first of two is below the second.
#[derive(Clone, Copy)]
pub(super) struct Carry {
    to: Value,
    x: Value,
    y: Value,
    /// The instructions that are done with that.
    insts: [u32; 2],
}

impl Compared {
    /// Is an instruction of the block done with the branch?
    pub(super) fn has(&self, inst: usize) -> bool {
        self.insts.contains(&Some(inst as u32))
    }

    pub(super) fn operands(&self) -> [Value; 2] {
        [self.x, self.y]
    }
}

impl Carry {
    pub(super) fn operands(&self) -> [Value; 3] {
        [self.to, self.x, self.y]
    }
}

impl Wide<'_> {
    /// Finds the comparisons of a block that are made where they are used.
    pub(super) fn find_flags(&mut self, block: &Block) {
        (self.compared, self.carries) = (None, FxHashMap::default());
        let has_carries = block.insts.iter().any(|inst| matches!(inst.op, Op::Pure { op: PureOp::BToInt, .. }));
        let branches = matches!(block.term, Term::Branch { .. });
        if !branches && !has_carries {
            return;
        }
        self.count_readers(block);
        self.compared = self.find_compared(block);
        if has_carries {
            self.carries = self.find_carries(block);
        }
    }

    /// The comparison that the branch at the end of a block is on, if it is of scalars and for the branch alone.
    fn find_compared(&self, block: &Block) -> Option<Compared> {
        let Term::Branch { cond: mut wanted, .. } = block.term else { return None };
        let (mut is_negated, mut negation) = (false, None);
        loop {
            let at = self.val(wanted).def;
            let inst = &block.insts[at as usize];
            if self.is_once(at) || self.func.ty(wanted).shape != Shape::Scalar || self.val(wanted).readers() != 1 {
                return None;
            }
            match inst.op {
                Op::Pure { op: PureOp::BNot, args: [Some(of), ..], .. } if negation.is_none() => {
                    (is_negated, negation, wanted) = (true, Some(at), of);
                }
                // By the operand's width it is told what is compared.
                Op::Pure { op, args: [Some(x), Some(y), _], .. } if self.func.ty(x).shape == Shape::Scalar => {
                    let cond = condition(op)?;
                    let cond = if is_negated { !cond } else { cond };
                    return Some(Compared { cond, x, y, is_wide: op.args()[0] == Width::B64, insts: [Some(at), negation] });
                }
                _ => return None,
            }
        }
    }

    /// The block's sums of scalars with a carry that nobody else reads.
    fn find_carries(&self, block: &Block) -> FxHashMap<u32, Carry> {
        let mut found = FxHashMap::default();
        for (at, inst) in block.insts.iter().enumerate() {
            let Op::Pure { op: PureOp::BToInt, args: [Some(bit), ..], .. } = inst.op else { continue };
            let compared = self.val(bit).def;
            let Op::Pure { op: PureOp::ICmpUlt32, args: [Some(x), Some(y), _], .. } = block.insts[compared as usize].op else { continue };
            let is_scalar = self.func.ty(x).shape == Shape::Scalar && self.func.ty(inst.first).shape == Shape::Scalar;
            if !is_scalar || self.val(bit).readers() != 1 || self.val(inst.first).readers() != 1 {
                continue;
            }
            let sum = block.insts[at..].iter().position(
                |sum| matches!(sum.op, Op::Pure { op: PureOp::IAdd32, args: [Some(_), Some(carry), _], .. } if carry == inst.first),
            );
            let Some(sum) = sum.map(|behind| (at + behind) as u32) else { continue };
            let Op::Pure { args: [Some(to), ..], .. } = block.insts[sum as usize].op else { continue };
            let insts = [compared, at as u32];
            if insts.iter().all(|i| self.is_once(*i) == self.is_once(sum)) && to != inst.first {
                found.insert(sum, Carry { to, x, y, insts });
            }
        }
        found
    }

    fn is_once(&self, inst: u32) -> bool {
        self.memos[self.r.block].as_ref().is_some_and(|m| m.once[inst as usize])
    }

    /// Is an instruction of the block done with another, for its flags?
    pub(super) fn is_for_flags(&self, inst: usize) -> bool {
        self.compared.as_ref().is_some_and(|c| c.has(inst)) || self.carries.values().any(|c| c.insts.contains(&(inst as u32)))
    }

    /// Compares; the condition on which the branch is taken.
    pub(super) fn compare_scalars(&mut self, c: &Compared) -> Cond {
        self.flags_of(c.x, c.y, if c.is_wide { Size::Q } else { Size::D });
        c.cond
    }

    /// A sum with a carry.
    pub(super) fn add_carry(&mut self, r: Value, c: &Carry) {
        let to = self.copy_word(r, c.to);
        self.flags_of(c.x, c.y, Size::D);
        self.a.alu_imm(Alu::Adc, Size::D, to, 0);
    }

    fn flags_of(&mut self, x: Value, y: Value, size: Size) {
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
