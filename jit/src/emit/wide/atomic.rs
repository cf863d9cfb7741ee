//! Atomics of 32 bits: lane after lane, in order, as the guest sees them; or one step for all lanes, if they have one address and nobody wants to know
//! what was there, or if they compare the same, of which all but one fail.
//!
//! LDS belongs to the thread that runs the workgroup, so plain loads and stores do; in memory each lane is one step for all threads. Offsets and
//! operands lie in rows, `left` has the lanes that are still to be done. An access that faults, or one of a kind that does not fit, is done by
//! the helper for the lanes that are left; what earlier ones gave is in the row of results already.

use super::calls::{CAREFUL_ADDR, CAREFUL_DATA, CAREFUL_DST, CARGO_BASE, CARGO_EXEC, CARGO_HELPER, CARGO_OP};
use super::lanes::{EQ, NE};
use super::memory::Access;
use super::regs::{Class, NO_PARTS};
use super::{ROWS, Wide, X, off};
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp};
use wavejit_ir::{Addr, AtomicOp, Data, Inst, MemKind, Space, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Shift, Size, Vector};

/// Registers of one step, which is at host + offset: `value` has the operand and then, if it is wanted, what was there; `left` has the lanes that
/// are still to be done, `lane` the first of them. Where it faults it goes on at `careful`.
#[derive(Clone, Copy)]
struct Step {
    host: Gpr,
    offset: Gpr,
    value: Gpr,
    lane: Gpr,
    left: Gpr,
    careful: Label,
}

impl Step {
    fn registers(&self) -> [Gpr; 5] {
        [self.host, self.offset, self.value, self.lane, self.left]
    }
}

/// rax is for comparisons and exchanges: what it had is in another register, and what that one had in the frame; or its own is.
#[derive(Clone, Copy)]
struct Lent {
    /// What is in the frame is this one's.
    kept: Gpr,
}

/// Is a step of memory tried until nobody has come between, which takes rax?
fn is_exchange(op: AtomicOp, returns: bool) -> bool {
    use AtomicOp::*;
    !matches!((op, returns), (Swap | Add | Sub, _) | (And | Or | Xor, false))
}

/// The vector operation that makes one operand of those of two lanes, and the operand that changes nothing; none: each lane needs a step.
fn combination(op: AtomicOp) -> Option<(X, u32)> {
    use AtomicOp::*;
    Some(match op {
        // What is taken off is a sum, too.
        Add | Sub => (X::Paddd, 0),
        And => (X::Pandd, u32::MAX),
        Or => (X::Pord, 0),
        Xor => (X::Pxord, 0),
        SMin => (X::Pminsd, i32::MAX as u32),
        SMax => (X::Pmaxsd, i32::MIN as u32),
        UMin => (X::Pminud, u32::MAX),
        UMax => (X::Pmaxud, 0),
        _ => return None,
    })
}

/// Is there code for it?
pub(super) fn is_inline(space: Space, op: AtomicOp, is_wide: bool, addr: &Addr) -> bool {
    let is_known = op == AtomicOp::Swap || op == AtomicOp::CmpSwap || combination(op).is_some();
    !is_wide
        && is_known
        && addr.offset.is_some()
        && match space {
            Space::Lds => addr.base.is_none(),
            Space::Global | Space::Flat => addr.imm.unsigned_abs() < 1 << 28,
            _ => false,
        }
}

/// Where the frame has the value of a register that is used meanwhile.
const BORROWED: Mem = Mem::at(Gpr::RSP, CARGO_BASE);

impl<'a> Wide<'a> {
    pub(super) fn atomic_lanes(
        &mut self,
        inst: &'a Inst,
        space: Space,
        op: AtomicOp,
        addr: &Addr,
        data: &Data,
        exec: Value,
        returns: bool,
    ) {
        let mut operands: Vec<Vec<u8>> = vec![];
        for value in data.iter().flatten() {
            let parts = self.val(*value).lo;
            operands.push((0..self.parts).map(|p| self.reg(parts[p])).collect());
        }
        let m = MemOp { atomic: op as u8, flags: u8::from(returns) << 1, ..self.mem_op(inst, space, addr.imm) };
        let a = self.access(m, space, MemKind::B32, addr, exec, true, false);
        let (left, offset) = (self.temp_general(), self.temp_general());
        let combined = combination(op).filter(|_| !returns).map(|how| (how, self.temp()));
        let mut results = NO_PARTS;
        let mut regs = vec![];
        if returns {
            for part in &mut results[..self.parts] {
                let (piece, reg) = self.new_in_register(Class::Vector);
                *part = piece;
                regs.push(reg);
            }
        }
        self.bits_in(&a.exec, left, a.k2);
        self.start_of_lanes(&a);
        for (j, regs) in operands.iter().enumerate() {
            for (p, reg) in regs.iter().enumerate() {
                let to = self.row_mem(CAREFUL_DATA + j as u16, p);
                self.v(X::MovStore, *reg, 0, Rm::Mem(to));
            }
        }
        let (next, done, end) = (self.a.label(), self.a.label(), self.a.label());
        let [lane, value] = a.spare;
        self.a.test(Size::Q, left, left);
        self.a.jcc(Cond::E, end);
        let mut step = Step { host: a.host, offset, value, lane, left, careful: a.careful };
        let lent = (space != Space::Lds && is_exchange(op, returns)).then(|| self.lend_rax(&mut step));
        if let Some(((with, nothing), sum)) = combined {
            self.one_address(&a, &step, next);
            self.combine(&a, with, nothing, &operands[0], sum, value);
            self.atomic_step(&a, &step, op, returns);
            self.a.jmp(done);
        }
        let finds_alike = op == AtomicOp::CmpSwap && returns && !self.is_avx2();
        let (with_alike, alone) = (self.a.label(), self.a.label());
        if finds_alike {
            let first = self.a.label();
            self.a.bind(first);
            self.one_lane(&a, &step, op, returns);
            self.a.bind(with_alike);
            self.with_alike(&a, &step, alone);
            self.without_first(step.left);
            self.a.jcc(Cond::Ne, first);
            self.a.jmp(done);
            self.a.bind(alone);
            self.without_first(step.left);
            self.a.jcc(Cond::E, done);
        }
        self.a.bind(next);
        self.one_lane(&a, &step, op, returns);
        if finds_alike {
            // Somebody was there before: so will those be that come to the same place.
            let comparand = self.of_lane(CAREFUL_DATA + 1, step.lane);
            self.a.alu_load(Alu::Cmp, Size::D, step.value, comparand);
            self.a.jcc(Cond::Ne, with_alike);
        }
        self.without_first(step.left);
        self.a.jcc(Cond::Ne, next);
        self.a.bind(done);
        lent.iter().for_each(|lent| self.take_rax_back(*lent));
        self.a.bind(end);
        for (p, reg) in regs.iter().enumerate() {
            let from = self.row_mem(CAREFUL_DST, p);
            self.v(X::MovLoad, *reg, 0, Rm::Mem(from));
        }
        self.careful_label();
        let pc = inst.pc;
        self.stubs.push(Box::new(move |w| {
            if let Some(lent) = lent {
                w.a.bind(step.careful);
                w.take_rax_back(lent);
            }
            w.a.bind(a.careful);
            w.map.push((w.a.offset(), pc));
            w.careful_atomic(&a, &operands, left, returns);
            w.a.jmp(end);
        }));
        if returns {
            self.set_lo(inst.result(0), results);
        }
    }

    /// The first lane that is left.
    fn one_lane(&mut self, a: &Access, step: &Step, op: AtomicOp, returns: bool) {
        let Step { offset, value, lane, left, .. } = *step;
        self.a.tzcnt(Size::Q, lane, left);
        let from = self.of_lane(CAREFUL_DATA, lane);
        self.a.load(Size::D, value, from);
        let from = self.of_lane(CAREFUL_ADDR, lane);
        self.a.load(Size::D, offset, from);
        self.atomic_step(a, step, op, returns);
        if returns {
            let to = self.of_lane(CAREFUL_DST, lane);
            self.a.store(Size::D, to, value);
        }
    }

    /// Takes the first lane out of a set; zero: it was the last.
    fn without_first(&mut self, lanes: Gpr) {
        self.vector(Vector::new(X::BlsrQ, Len::X, 0, lanes.0, Rm::Reg(lanes.0)));
    }

    /// After a comparison and exchange by a lane: those by all lanes that are left and have the same address and comparand. They find what that lane has left there,
    /// and leave it. To `alone` if there are none, or if it is not so simple: one of them would succeed, or some lane compares the same place with something else.
    ///
    /// Loops that add floats so have all lanes try each time, of which one succeeds.
    fn with_alike(&mut self, a: &Access, step: &Step, alone: Label) {
        // The next lane has an offset and a value of its own.
        let Step { offset: alike, value: found, lane, left, .. } = *step;
        let (address, comparand) = (self.of_lane(CAREFUL_ADDR, lane), self.of_lane(CAREFUL_DATA + 1, lane));
        self.a.mov_imm(alike, 0);
        for p in (0..self.parts).rev() {
            self.a.shift(Shift::Shl, Size::Q, alike, 16);
            let addresses = self.row_mem(CAREFUL_ADDR, p);
            self.v(X::MovLoad, a.t, 0, Rm::Mem(addresses));
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, Rm::Bcst(address)).imm(EQ).mask(a.exec[p]));
            let comparands = self.row_mem(CAREFUL_DATA + 1, p);
            self.v(X::MovLoad, a.t, 0, Rm::Mem(comparands));
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k2, a.t, Rm::Bcst(comparand)).imm(NE).mask(a.k));
            self.any(a.k2);
            self.a.jcc(Cond::Ne, alone);
            self.vector(Vector::new(X::KmovwToGpr, Len::X, found.0, 0, Rm::Reg(a.k)));
            self.a.alu(Alu::Or, Size::Q, alike, found);
        }
        // But for the lane itself, which is the first.
        self.a.alu(Alu::And, Size::Q, alike, left);
        self.without_first(alike);
        self.a.jcc(Cond::E, alone);
        let result = self.of_lane(CAREFUL_DST, lane);
        self.a.load(Size::D, found, result);
        self.a.alu_load(Alu::Cmp, Size::D, found, comparand);
        let failed = self.a.label();
        self.a.jcc(Cond::Ne, failed);
        let written = self.of_lane(CAREFUL_DATA, lane);
        self.a.load(Size::D, found, written);
        self.a.alu_load(Alu::Cmp, Size::D, found, comparand);
        self.a.jcc(Cond::E, alone);
        self.a.bind(failed);
        self.a.alu(Alu::Xor, Size::Q, left, alike);
        self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(found.0));
        for p in 0..self.parts {
            if p > 0 {
                self.a.shift(Shift::Shr, Size::Q, alike, 16);
            }
            self.k(X::KmovwFromGpr, a.k, 0, alike.0);
            let to = self.row_mem(CAREFUL_DST, p);
            self.vector(Vector::new(X::MovStore, Len::Z, a.t, 0, Rm::Mem(to)).mask(a.k));
        }
    }

    /// The dword of a lane in a row.
    fn of_lane(&self, row: u16, lane: Gpr) -> Mem {
        Mem::indexed(ROWS, lane, 4, i32::from(row) * self.row_bytes())
    }

    /// offset = that of all active lanes, of which there are some; where they have several, to `several`.
    fn one_address(&mut self, a: &Access, step: &Step, several: Label) {
        self.a.tzcnt(Size::Q, step.lane, step.left);
        let from = self.of_lane(CAREFUL_ADDR, step.lane);
        self.a.load(Size::D, step.offset, from);
        self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(step.offset.0));
        for p in 0..self.parts {
            let offsets = Rm::Mem(self.row_mem(CAREFUL_ADDR, p));
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, offsets).imm(NE).mask(a.exec[p]));
            self.any(a.k);
            self.a.jcc(Cond::Ne, several);
        }
    }

    /// to = the operands of all active lanes together.
    fn combine(&mut self, a: &Access, with: X, nothing: u32, operands: &[u8], sum: u8, to: Gpr) {
        let nothing = self.element32(nothing);
        self.v(X::Broadcast, sum, 0, nothing);
        for (p, reg) in operands.iter().enumerate() {
            self.vector(Vector::new(with, Len::Z, sum, sum, Rm::Reg(*reg)).mask(a.exec[p]));
        }
        let lanes = self.part_lanes();
        let mut apart = lanes / 2;
        while apart > 0 {
            self.load_table(a.t, move |i| (i + apart) % lanes);
            self.v(X::Permd, a.t, a.t, Rm::Reg(sum));
            self.v(with, sum, sum, Rm::Reg(a.t));
            apart /= 2;
        }
        self.first_dword(sum, to);
    }

    /// One step at host + offset: what was there goes to `value` if it is wanted.
    fn atomic_step(&mut self, a: &Access, step: &Step, op: AtomicOp, returns: bool) {
        let at = Mem::indexed(step.host, step.offset, 1, 0);
        if a.space == Space::Lds {
            return self.step_in_lds(step, op, at, returns);
        }
        if is_exchange(op, returns) {
            self.exchange_in_memory(step, op, at, returns);
        } else {
            self.recover.push((self.a.offset(), step.careful));
            self.step_in_memory(op, at, step.value, returns);
        }
    }

    /// host = address of offset 0, offsets in their row; goes to `careful` unless all active lanes are in range and aligned.
    fn start_of_lanes(&mut self, a: &Access) {
        let is_aligned = |w: &mut Self, offsets: u8, p: usize| {
            let three = w.splat32(3);
            w.vector(Vector::new(X::Ptestmd, Len::Z, a.k, offsets, three).mask(a.exec[p]));
            w.any(a.k);
            w.a.jcc(Cond::Ne, a.careful);
            let to = w.row_mem(CAREFUL_ADDR, p);
            w.v(X::MovStore, offsets, 0, Rm::Mem(to));
        };
        if a.space == Space::Lds {
            return self.each_lds_offset(a, 4, |w, p, offsets| is_aligned(w, offsets, p));
        }
        if a.high.is_empty() {
            self.range_of_base(a);
        } else {
            self.common_high(a);
        }
        // Both of a guest address and its host address are aligned, or neither.
        self.a.test_imm(Size::Q, a.host, 3);
        self.a.jcc(Cond::Ne, a.careful);
        for p in 0..self.parts {
            is_aligned(self, a.low[p], p);
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
            (Some(alu), false) => self.a.alu_store(alu, Size::D, at, step.value),
            (Some(Alu::Add), true) => self.a.xadd(Size::D, at, step.value),
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
    fn lend_rax(&mut self, step: &mut Step) -> Lent {
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

    fn take_rax_back(&mut self, lent: Lent) {
        if lent.kept != Gpr::RAX {
            self.a.mov(Size::Q, Gpr::RAX, lent.kept);
        }
        self.a.load(Size::Q, lent.kept, BORROWED);
    }

    /// The same for what no single instruction does.
    fn load_change_store(&mut self, step: &Step, op: AtomicOp, at: Mem, returns: bool) {
        use AtomicOp::*;
        let value = step.value;
        let old = self.borrow(step);
        self.a.load(Size::D, old, at);
        match op {
            Swap => self.a.store(Size::D, at, value),
            CmpSwap => {
                let other = self.a.label();
                let comparand = self.of_lane(CAREFUL_DATA + 1, step.lane);
                self.a.alu_load(Alu::Cmp, Size::D, old, comparand);
                self.a.jcc(Cond::Ne, other);
                self.a.store(Size::D, at, value);
                self.a.bind(other);
            }
            _ => {
                self.changed(op, value, value, old);
                self.a.store(Size::D, at, value);
            }
        }
        if returns {
            self.a.mov(Size::D, value, old);
        }
        self.a.load(Size::Q, old, BORROWED);
    }

    /// to = what an operation makes of `value`, which may be `to`, and what was there.
    fn changed(&mut self, op: AtomicOp, to: Gpr, value: Gpr, old: Gpr) {
        use AtomicOp::*;
        if to != value {
            self.a.mov(Size::D, to, value);
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
            self.a.alu(Alu::Cmp, Size::D, old, to);
            return self.a.cmov(cond, Size::D, to, old);
        }
        if op == Sub {
            self.a.neg(Size::D, to);
        }
        let alu = match op {
            And => Alu::And,
            Or => Alu::Or,
            Xor => Alu::Xor,
            _ => Alu::Add,
        };
        self.a.alu(alu, Size::D, to, old);
    }

    /// A step in memory that no single instruction does: it is tried until nobody has come between. rax is [lent](Self::lend_rax).
    fn exchange_in_memory(&mut self, step: &Step, op: AtomicOp, at: Mem, returns: bool) {
        let Step { value, lane, left, careful, .. } = *step;
        if op == AtomicOp::CmpSwap {
            let comparand = self.of_lane(CAREFUL_DATA + 1, lane);
            self.a.load(Size::D, Gpr::RAX, comparand);
            self.recover.push((self.a.offset(), careful));
            self.a.lock_cmpxchg(Size::D, at, value);
        } else {
            self.recover.push((self.a.offset(), careful));
            self.a.load(Size::D, Gpr::RAX, at);
            let again = self.a.label();
            self.a.bind(again);
            self.changed(op, lane, value, Gpr::RAX);
            self.recover.push((self.a.offset(), careful));
            self.a.lock_cmpxchg(Size::D, at, lane);
            self.a.jcc(Cond::Ne, again);
            self.a.tzcnt(Size::Q, lane, left);
        }
        if returns {
            self.a.mov(Size::D, value, Gpr::RAX);
        }
    }

    /// One lane in memory: what was there goes to `value` if it is wanted.
    fn step_in_memory(&mut self, op: AtomicOp, at: Mem, value: Gpr, returns: bool) {
        use AtomicOp::*;
        let alu = match op {
            Add => Alu::Add,
            Sub => Alu::Sub,
            And => Alu::And,
            Or => Alu::Or,
            _ => Alu::Xor,
        };
        match (op, returns) {
            (Swap, _) => self.a.xchg(Size::D, at, value),
            (_, false) => self.a.lock_alu_store(alu, Size::D, at, value),
            (Sub, true) => {
                // The access is the instruction that may fault: the sign is changed before.
                let fault = self.recover.pop().expect("just pushed");
                self.a.neg(Size::D, value);
                self.recover.push((self.a.offset(), fault.1));
                self.a.lock_xadd(Size::D, at, value);
            }
            _ => self.a.lock_xadd(Size::D, at, value),
        }
    }

    /// The lanes that are left, by the helper.
    fn careful_atomic(&mut self, a: &Access, operands: &[Vec<u8>], left: Gpr, returns: bool) {
        let mut op = a.op;
        let mut sources: Vec<(u16, &[u8])> = vec![(CAREFUL_ADDR, &a.low)];
        op.offset[0] = CAREFUL_ADDR;
        for (j, regs) in (0..).zip(operands) {
            sources.push((CAREFUL_DATA + j, regs));
            op.data[usize::from(j)] = CAREFUL_DATA + j;
        }
        if !a.high.is_empty() {
            sources.push((CAREFUL_ADDR + 1, &a.high));
            op.offset[1] = CAREFUL_ADDR + 1;
        }
        if returns {
            op.dst[0] = CAREFUL_DST;
        }
        for (row, regs) in sources {
            for (p, reg) in regs.iter().enumerate() {
                let to = self.row_mem(row, p);
                self.v(X::MovStore, *reg, 0, Rm::Mem(to));
            }
        }
        let op = self.pins.mem_op(op);
        self.store_address(Mem::at(Gpr::RSP, CARGO_OP), op);
        self.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_EXEC), left);
        match a.base {
            Some(b) => self.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_BASE), b),
            None => self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_BASE), 0),
        }
        self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_HELPER), off(offset_of!(Helpers, atomic)));
        let careful = self.careful_label();
        self.a.call(careful);
    }
}
