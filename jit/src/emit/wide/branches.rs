//! Comparisons of scalars that nobody reads but the branch at the end of the block: they are made there, and jumped on.
//!
//! ```text
//! %7: s1 = ult.32 %5, %6                   nothing
//! %8: s1 = not.1 %7                        nothing
//! branch %8, b1, b2                        cmp; jae b1; jmp b2
//! ```

use super::Wide;
use super::scalar::condition;
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

impl Compared {
    /// Is an instruction of the block done with the branch?
    pub(super) fn has(&self, inst: usize) -> bool {
        self.insts.contains(&Some(inst as u32))
    }

    pub(super) fn operands(&self) -> [Value; 2] {
        [self.x, self.y]
    }
}

impl Wide<'_> {
    /// The comparison that the branch at the end of a block is on, if it is of scalars and for the branch alone.
    pub(super) fn find_compared(&self, block: &Block) -> Option<Compared> {
        let Term::Branch { cond: mut wanted, .. } = block.term else { return None };
        let (mut is_negated, mut negation) = (false, None);
        loop {
            let at = self.val(wanted).def;
            let inst = &block.insts[at as usize];
            let is_once = self.memos[self.r.block].as_ref().is_some_and(|m| m.once[at as usize]);
            if is_once || inst.results != 1 || self.func.ty(wanted).shape != Shape::Scalar || is_read(block, at, wanted) {
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

    /// Compares; the condition on which the branch is taken.
    pub(super) fn compare_scalars(&mut self, c: &Compared) -> Cond {
        let size = if c.is_wide { Size::Q } else { Size::D };
        let x = self.scalar(c.x);
        match self.immediate(c.y, size) {
            Ok(0) => self.a.test(size, x, x),
            Ok(imm) => self.a.alu_imm(Alu::Cmp, size, x, imm),
            Err(()) => {
                let y = self.scalar(c.y);
                self.a.alu(Alu::Cmp, size, x, y);
            }
        }
        c.cond
    }
}

/// Does an instruction behind `at` read `v`, other than a negation for the branch?
fn is_read(block: &Block, at: u32, v: Value) -> bool {
    let is_branch_on = |of: Value| matches!(block.term, Term::Branch { cond, .. } if cond == of);
    block.insts[at as usize + 1..].iter().any(|inst| {
        let mut reads = false;
        inst.op.for_each_arg(|arg| reads |= arg == v);
        reads && !(matches!(inst.op, Op::Pure { op: PureOp::BNot, .. }) && is_branch_on(inst.first))
    })
}
