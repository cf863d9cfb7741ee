//! Atomics: lane after lane, in order, as the guest sees them; or one step for all lanes, if they have one address and nobody wants to know
//! what was there, or if they compare the same, of which all but one fail.
//!
//! LDS belongs to the thread that runs the workgroup, so plain loads and stores do; in memory each lane is one [`step`] for all threads. Offsets and
//! operands lie in rows, those of 64 bits as qwords; `left` has the lanes that are still to be done. An access that faults, or one of a kind that does not fit, is done by
//! the helper for the lanes that are left; what earlier ones gave is in the rows of results already.

mod step;

use super::calls::{CAREFUL_ADDR, CAREFUL_DATA, CAREFUL_DST, CARGO_EXEC};
use super::lanes::{EQ, NE};
use super::level::Level;
use super::memory::Access;
use super::{ROWS, Wide, X};
use std::mem::offset_of;
use step::{Step, is_exchange};
use wavejit_ir::abi::{Helpers, MemOp};
use wavejit_ir::{Addr, AtomicOp, Data, FpMode, Func, Inst, MemKind, Op, Space, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Shift, Size, Vector};

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

/// Vector registers that rows of operands and results may have.
pub(super) const MOST_REGISTERS: usize = 20;

/// Is there code for an atomic, in a block of that float mode?
pub(super) fn is_inline(func: &Func, level: Level, mode: FpMode, op: &Op) -> bool {
    let Op::Atomic { space, op, wide, addr, data, returns, .. } = op else { return false };
    let is_avx512 = level == Level::Avx512;
    let is_float = *op == AtomicOp::FAdd && !wide && mode.is_plain32() && is_avx512;
    let is_known = matches!(op, AtomicOp::Swap | AtomicOp::CmpSwap) || combination(*op).is_some() || is_float;
    let dwords = if *wide { 2 } else { 1 };
    let rows = 2 + data.iter().flatten().count() + if *returns { dwords } else { 0 };
    let fits = !wide || is_avx512 && rows * func.wave_size as usize / 16 <= MOST_REGISTERS;
    is_known
        && fits
        && addr.offset.is_some()
        && match space {
            Space::Lds => addr.base.is_none(),
            Space::Global | Space::Flat => addr.imm.unsigned_abs() < 1 << 28,
            _ => false,
        }
}

impl<'a> Wide<'a> {
    pub(super) fn atomic_lanes(
        &mut self,
        inst: &'a Inst,
        space: Space,
        op: AtomicOp,
        is_wide: bool,
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
        let m = MemOp { atomic: op as u8, flags: MemOp::flags_of_atomic(is_wide, returns), ..self.mem_op(inst, space, addr.imm) };
        let a = self.access(m, space, MemKind::B32, addr, exec, true, false);
        let (left, offset) = (self.temp_general(), self.temp_general());
        let combined = combination(op).filter(|_| !returns && !is_wide).map(|how| (how, self.temp()));
        let floats = if op == AtomicOp::FAdd { [self.temp(), self.temp()] } else { [0; 2] };
        let size = if is_wide { Size::Q } else { Size::D };
        let results = self.new_results(inst);
        self.bits_in(&a.exec, left, a.k2);
        self.start_of_lanes(&a, size);
        if op == AtomicOp::FAdd {
            self.are_ordinary(&a, &operands[0], a.careful);
        }
        self.operands_in_rows(&a, &operands, is_wide);
        let (next, done, end) = (self.a.label(), self.a.label(), self.a.label());
        let [lane, value] = a.spare;
        self.a.test(Size::Q, left, left);
        self.a.jcc(Cond::E, end);
        let mut step = Step { host: a.host, offset, value, lane, left, careful: a.careful, size, floats };
        let lent = (space != Space::Lds && is_exchange(op, returns)).then(|| self.lend_rax(&mut step));
        if let Some(((with, nothing), sum)) = combined {
            self.one_address(&a, &step, next);
            self.combine(&a, with, nothing, &operands[0], sum, value);
            self.atomic_step(&a, &step, op, returns);
            self.a.jmp(done);
        }
        let finds_alike = op == AtomicOp::CmpSwap && returns && !is_wide && !self.is_avx2();
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
        self.move_rows(X::MovLoad, (CAREFUL_DST..).zip(results.iter().map(Vec::as_slice)));
        let careful = self.careful_label();
        let pc = inst.pc;
        self.stubs.push(Box::new(move |w| {
            if let Some(lent) = lent {
                w.a.bind(step.careful);
                w.take_rax_back(lent);
            }
            w.a.bind(a.careful);
            w.map.push((w.a.offset(), pc));
            let addresses = [&a.low[..], &a.high];
            w.careful_operands(a.op, addresses, &operands, results.len(), a.base, offset_of!(Helpers, atomic));
            w.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_EXEC), left);
            w.a.call(careful);
            w.a.jmp(end);
        }));
    }

    /// Operands where lanes find theirs: rows of dwords, or pairs of rows of qwords.
    fn operands_in_rows(&mut self, a: &Access, operands: &[Vec<u8>], is_wide: bool) {
        if !is_wide {
            self.move_rows(X::MovStore, (CAREFUL_DATA..).zip(operands.iter().map(Vec::as_slice)));
            return;
        }
        for (pair, row) in operands.chunks(2).zip((CAREFUL_DATA..).step_by(2)) {
            for half in 0..2 {
                // Dwords of the first and of the second register by turns.
                let order = self.table(move |i| 8 * half + i / 2 + 16 * (i % 2));
                for (p, (low, high)) in pair[0].iter().zip(&pair[1]).enumerate() {
                    self.v(X::MovLoad, a.t, 0, order);
                    self.v(X::Permi2d, a.t, *low, Rm::Reg(*high));
                    let to = self.row_mem(row, 0).plus(128 * p as i32 + 64 * half as i32);
                    self.v(X::MovStore, a.t, 0, Rm::Mem(to));
                }
            }
        }
    }

    /// The first lane that is left.
    fn one_lane(&mut self, a: &Access, step: &Step, op: AtomicOp, returns: bool) {
        let Step { offset, value, lane, left, .. } = *step;
        self.a.tzcnt(Size::Q, lane, left);
        let from = if step.size == Size::Q { self.qword_of_lane(CAREFUL_DATA, lane) } else { self.of_lane(CAREFUL_DATA, lane) };
        self.a.load(step.size, value, from);
        let from = self.of_lane(CAREFUL_ADDR, lane);
        self.a.load(Size::D, offset, from);
        self.atomic_step(a, step, op, returns);
        if returns {
            let to = self.of_lane(CAREFUL_DST, lane);
            self.a.store(Size::D, to, value);
            if step.size == Size::Q {
                self.a.shift(Shift::Shr, Size::Q, value, 32);
                let to = self.of_lane(CAREFUL_DST + 1, lane);
                self.a.store(Size::D, to, value);
            }
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

    /// The qword of a lane in a pair of rows.
    fn qword_of_lane(&self, row: u16, lane: Gpr) -> Mem {
        Mem::indexed(ROWS, lane, 8, i32::from(row) * self.row_bytes())
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

    /// host = address of offset 0, offsets in their row; goes to `careful` unless all active lanes are in range and aligned.
    fn start_of_lanes(&mut self, a: &Access, size: Size) {
        let bytes: i32 = if size == Size::Q { 8 } else { 4 };
        let is_aligned = |w: &mut Self, offsets: u8, p: usize| {
            let below = w.splat32(bytes as u32 - 1);
            w.vector(Vector::new(X::Ptestmd, Len::Z, a.k, offsets, below).mask(a.exec[p]));
            w.any(a.k);
            w.a.jcc(Cond::Ne, a.careful);
            let to = w.row_mem(CAREFUL_ADDR, p);
            w.v(X::MovStore, offsets, 0, Rm::Mem(to));
        };
        if a.space == Space::Lds {
            return self.each_lds_offset(a, bytes, |w, p, offsets| is_aligned(w, offsets, p));
        }
        if a.high.is_empty() {
            self.range_of_base(a);
        } else {
            self.common_high(a);
        }
        // Both of a guest address and its host address are aligned, or neither.
        self.a.test_imm(Size::Q, a.host, bytes - 1);
        self.a.jcc(Cond::Ne, a.careful);
        for p in 0..self.parts {
            is_aligned(self, a.low[p], p);
        }
    }
}
