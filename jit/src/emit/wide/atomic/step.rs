//! One step of an atomic: what a lane does to its cell, in LDS or in memory.

use super::super::calls::{CAREFUL_DATA, CARGO_BASE};
use super::super::lanes::{GE, LT};
use super::super::memory::Access;
use super::super::{Wide, X};
use wavejit_ir::{AtomicOp, Space};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Size, Vector};

/// Registers of one step, which is at host + offset: `value` has the operand and then, if it is wanted, what was there; `left` has the lanes that
/// are still to be done, `lane` the first of them. Where it faults it goes on at `careful`.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub host: Gpr,
    pub offset: Gpr,
    pub value: Gpr,
    pub lane: Gpr,
    pub left: Gpr,
    pub careful: Label,
    /// Of the cell.
    pub size: Size,
    /// Vector registers for sums of floats.
    pub floats: [u8; 2],
}

/// Twice an infinity: what is not below is one, or a NaN. Twice a denormal, less one, is below the other.
const INFINITY: u32 = 0xff00_0000;
const DENORMALS: u32 = 0x00ff_ffff;

impl Step {
    fn registers(&self) -> [Gpr; 5] {
        [self.host, self.offset, self.value, self.lane, self.left]
    }
}

/// rax is for comparisons and exchanges: what it had is in another register, and what that one had in the frame; or its own is.
#[derive(Clone, Copy)]
pub(super) struct Lent {
    /// What is in the frame is this one's.
    kept: Gpr,
}

/// Is a step of memory tried until nobody has come between, which takes rax?
pub(super) fn is_exchange(op: AtomicOp, returns: bool) -> bool {
    use AtomicOp::*;
    !matches!((op, returns), (Swap | Add | Sub, _) | (And | Or | Xor, false))
}

/// Where the frame has the value of a register that is used meanwhile.
const BORROWED: Mem = Mem::at(Gpr::RSP, CARGO_BASE);

impl Wide<'_> {
    /// One step at host + offset: what was there goes to `value` if it is wanted.
    pub(super) fn atomic_step(&mut self, a: &Access, step: &Step, op: AtomicOp, returns: bool) {
        let at = Mem::indexed(step.host, step.offset, 1, 0);
        if a.space == Space::Lds {
            return self.step_in_lds(step, op, at, returns);
        }
        if is_exchange(op, returns) {
            self.exchange_in_memory(step, op, at, returns);
        } else {
            self.recover.push((self.a.offset(), step.careful));
            self.step_in_memory(op, at, *step, returns);
        }
    }

    /// A step in LDS: nobody else is in this workgroup's.
    fn step_in_lds(&mut self, step: &Step, op: AtomicOp, at: Mem, returns: bool) {
        use AtomicOp::*;
        let alu = match op {
            Add => Some(Alu::Add),
            Sub => Some(Alu::Sub),
            And => Some(Alu::And),
            Or => Some(Alu::Or),
            Xor => Some(Alu::Xor),
            _ => None,
        };
        match (alu, returns) {
            (Some(alu), false) => self.a.alu_store(alu, step.size, at, step.value),
            (Some(Alu::Add), true) => self.a.xadd(step.size, at, step.value),
            _ => self.load_change_store(step, op, at, returns),
        }
    }

    /// A register that no step uses, whose value is in the frame meanwhile.
    fn borrow(&mut self, step: &Step) -> Gpr {
        let all = [Gpr::RAX, Gpr::RCX, Gpr::RDX, Gpr::RSI, Gpr::RDI, Gpr::R8, Gpr::R9];
        let borrowed = all.into_iter().find(|g| !step.registers().contains(g)).expect("a step has fewer registers");
        self.a.store(Size::Q, BORROWED, borrowed);
        borrowed
    }

    /// Has the steps leave rax alone. Faults go to a label of their own from then on.
    pub(super) fn lend_rax(&mut self, step: &mut Step) -> Lent {
        let kept = if step.registers().contains(&Gpr::RAX) { self.borrow(step) } else { Gpr::RAX };
        if kept == Gpr::RAX {
            self.a.store(Size::Q, BORROWED, kept);
        } else {
            self.a.mov(Size::Q, kept, Gpr::RAX);
            for reg in [&mut step.host, &mut step.offset, &mut step.value, &mut step.lane, &mut step.left] {
                *reg = if *reg == Gpr::RAX { kept } else { *reg };
            }
        }
        step.careful = self.a.label();
        Lent { kept }
    }

    pub(super) fn take_rax_back(&mut self, lent: Lent) {
        if lent.kept != Gpr::RAX {
            self.a.mov(Size::Q, Gpr::RAX, lent.kept);
        }
        self.a.load(Size::Q, lent.kept, BORROWED);
    }

    /// The same for what no single instruction does.
    fn load_change_store(&mut self, step: &Step, op: AtomicOp, at: Mem, returns: bool) {
        use AtomicOp::*;
        let Step { value, size, .. } = *step;
        let old = self.borrow(step);
        self.a.load(size, old, at);
        match op {
            Swap => self.a.store(size, at, value),
            CmpSwap => {
                let other = self.a.label();
                let comparand = self.comparand(step);
                self.a.alu_load(Alu::Cmp, size, old, comparand);
                self.a.jcc(Cond::Ne, other);
                self.a.store(size, at, value);
                self.a.bind(other);
            }
            FAdd => {
                let rare = self.a.label();
                self.sum_of_floats(step, value, old, rare);
                self.a.store(size, at, value);
                self.a.tzcnt(Size::Q, step.lane, step.left);
                let careful = step.careful;
                self.stubs.push(Box::new(move |w| {
                    w.a.bind(rare);
                    w.a.load(Size::Q, old, BORROWED);
                    w.a.jmp(careful);
                }));
            }
            _ => {
                self.changed(size, op, value, value, old);
                self.a.store(size, at, value);
            }
        }
        if returns {
            self.a.mov(size, value, old);
        }
        self.a.load(Size::Q, old, BORROWED);
    }

    /// What a lane compares.
    pub(super) fn comparand(&self, step: &Step) -> Mem {
        match step.size {
            Size::Q => self.qword_of_lane(CAREFUL_DATA + 2, step.lane),
            _ => self.of_lane(CAREFUL_DATA + 1, step.lane),
        }
    }

    /// to = the sum of two floats, of which `value` is an ordinary one. To `rare` if the other is a denormal, an infinity or a NaN, for which there are rules. `lane` is
    /// changed.
    fn sum_of_floats(&mut self, step: &Step, to: Gpr, old: Gpr, rare: Label) {
        let Step { value, lane, floats: [x, y], .. } = *step;
        // Without the sign.
        self.a.mov(Size::D, lane, old);
        self.a.alu(Alu::Add, Size::D, lane, lane);
        self.a.alu_imm(Alu::Cmp, Size::D, lane, INFINITY as i32);
        self.a.jcc(Cond::Ae, rare);
        self.a.alu_imm(Alu::Sub, Size::D, lane, 1);
        self.a.alu_imm(Alu::Cmp, Size::D, lane, DENORMALS as i32);
        self.a.jcc(Cond::B, rare);
        for (to, from) in [(x, value), (y, old)] {
            self.vector(Vector::new(X::MovdFromGpr, Len::X, to, 0, Rm::Reg(from.0)));
        }
        self.vector(Vector::new(X::Addps, Len::X, x, x, Rm::Reg(y)));
        self.first_dword(x, to);
    }

    /// To `rare` unless all floats are ordinary, in those lanes.
    pub(super) fn are_ordinary(&mut self, a: &Access, operands: &[u8], rare: Label) {
        let (infinity, denormals, one) = (self.splat32(INFINITY), self.splat32(DENORMALS), self.splat32(1));
        for (p, reg) in operands.iter().enumerate() {
            self.v(X::Paddd, a.t, *reg, Rm::Reg(*reg));
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, infinity).imm(GE).mask(a.exec[p]));
            self.v(X::Psubd, a.t, a.t, one);
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k2, a.t, denormals).imm(LT).mask(a.exec[p]));
            for k in [a.k, a.k2] {
                self.any(k);
                self.a.jcc(Cond::Ne, rare);
            }
        }
    }

    /// to = what an operation makes of `value`, which may be `to`, and what was there.
    fn changed(&mut self, size: Size, op: AtomicOp, to: Gpr, value: Gpr, old: Gpr) {
        use AtomicOp::*;
        if to != value {
            self.a.mov(size, to, value);
        }
        // The condition under which the old one stays.
        let cond = match op {
            SMin => Some(Cond::L),
            SMax => Some(Cond::G),
            UMin => Some(Cond::B),
            UMax => Some(Cond::A),
            _ => None,
        };
        if let Some(cond) = cond {
            self.a.alu(Alu::Cmp, size, old, to);
            return self.a.cmov(cond, size, to, old);
        }
        if op == Sub {
            self.a.neg(size, to);
        }
        let alu = match op {
            And => Alu::And,
            Or => Alu::Or,
            Xor => Alu::Xor,
            _ => Alu::Add,
        };
        self.a.alu(alu, size, to, old);
    }

    /// A step in memory that no single instruction does: it is tried until nobody has come between. rax is [lent](Self::lend_rax).
    fn exchange_in_memory(&mut self, step: &Step, op: AtomicOp, at: Mem, returns: bool) {
        use AtomicOp::*;
        let Step { value, lane, left, careful, size, .. } = *step;
        if op == CmpSwap {
            let comparand = self.comparand(step);
            self.a.load(size, Gpr::RAX, comparand);
            self.recover.push((self.a.offset(), careful));
            self.a.lock_cmpxchg(size, at, value);
        } else {
            self.recover.push((self.a.offset(), careful));
            self.a.load(size, Gpr::RAX, at);
            let (again, same) = (self.a.label(), self.a.label());
            self.a.bind(again);
            match op {
                FAdd => self.sum_of_floats(step, lane, Gpr::RAX, careful),
                _ => self.changed(size, op, lane, value, Gpr::RAX),
            }
            if matches!(op, SMin | SMax | UMin | UMax) {
                // Most change nothing, and to have looked is enough.
                self.a.alu(Alu::Cmp, size, lane, Gpr::RAX);
                self.a.jcc(Cond::E, same);
            }
            self.recover.push((self.a.offset(), careful));
            self.a.lock_cmpxchg(size, at, lane);
            self.a.jcc(Cond::Ne, again);
            self.a.bind(same);
            self.a.tzcnt(Size::Q, lane, left);
        }
        if returns {
            self.a.mov(size, value, Gpr::RAX);
        }
    }

    /// One lane in memory: what was there goes to `value` if it is wanted.
    fn step_in_memory(&mut self, op: AtomicOp, at: Mem, Step { value, size, .. }: Step, returns: bool) {
        use AtomicOp::*;
        let alu = match op {
            Add => Alu::Add,
            Sub => Alu::Sub,
            And => Alu::And,
            Or => Alu::Or,
            _ => Alu::Xor,
        };
        match (op, returns) {
            (Swap, _) => self.a.xchg(size, at, value),
            (_, false) => self.a.lock_alu_store(alu, size, at, value),
            (Sub, true) => {
                // The access is the instruction that may fault: the sign is changed before.
                let fault = self.recover.pop().expect("just pushed");
                self.a.neg(size, value);
                self.recover.push((self.a.offset(), fault.1));
                self.a.lock_xadd(size, at, value);
            }
            _ => self.a.lock_xadd(size, at, value),
        }
    }
}
