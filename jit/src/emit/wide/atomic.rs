//! Atomics of 32 bits: lane after lane, in order, as the guest sees them.
//!
//! LDS belongs to the thread that runs the workgroup, so plain loads and stores do; in memory each lane is one step for all threads. Offsets and
//! operands lie in rows, `left` has the lanes that are still to be done. An access that faults, or one of a kind that does not fit, is done by
//! the helper for the lanes that are left; what earlier ones gave is in the row of results already.

use super::calls::{CAREFUL_ADDR, CAREFUL_DATA, CAREFUL_DST, CARGO_BASE, CARGO_EXEC, CARGO_HELPER, CARGO_OP};
use super::memory::Access;
use super::regs::{Class, NO_PARTS};
use super::{ROWS, Wide, X, off};
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp};
use wavejit_ir::{Addr, AtomicOp, Data, Inst, MemKind, Space, Value};
use wavejit_x86::{Alu, Cond, Gpr, Len, Mem, Rm, Size, Vector};

impl<'a> Wide<'a> {
    /// Is there code for it?
    pub(super) fn atomic_is_inline(&self, space: Space, op: AtomicOp, addr: &Addr, returns: bool) -> bool {
        use AtomicOp::*;
        let is_small = addr.imm.unsigned_abs() < 1 << 28;
        addr.offset.is_some()
            && match space {
                Space::Lds => {
                    let known = matches!(op, Swap | Add | Sub | And | Or | Xor | SMin | SMax | UMin | UMax);
                    known && addr.base.is_none()
                }
                Space::Global | Space::Flat => is_small && (matches!(op, Add | Sub | Swap) || !returns && matches!(op, And | Or | Xor)),
                _ => false,
            }
    }

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
        let value = data[0].expect("the verifier has counted the operands");
        let parts = self.val(value).lo;
        let operands: Vec<u8> = (0..self.parts).map(|p| self.reg(parts[p])).collect();
        let m = MemOp { atomic: op as u8, flags: u8::from(returns) << 1, ..self.mem_op(inst, space, addr.imm) };
        let a = self.access(m, space, MemKind::B32, addr, exec, true, false);
        let (left, old) = (self.temp_general(), self.temp_general());
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
        for (p, reg) in operands.iter().enumerate() {
            let to = self.row_mem(CAREFUL_DATA, p);
            self.v(X::MovStore, *reg, 0, Rm::Mem(to));
        }
        let (next, end) = (self.a.label(), self.a.label());
        let [lane, value] = a.spare;
        let row_bytes = self.row_bytes();
        let row = move |row: u16, lane: Gpr| Mem::indexed(ROWS, lane, 4, i32::from(row) * row_bytes);
        self.a.bind(next);
        self.a.test(Size::Q, left, left);
        self.a.jcc(Cond::E, end);
        self.a.tzcnt(Size::Q, lane, left);
        self.a.load(Size::D, value, row(CAREFUL_DATA, lane));
        self.a.load(Size::D, old, row(CAREFUL_ADDR, lane));
        let at = Mem::indexed(a.host, old, 1, 0);
        if space == Space::Lds {
            self.step_in_lds(op, at, value, returns);
        } else {
            self.recover.push((self.a.offset(), a.careful));
            self.step_in_memory(op, at, value, returns);
        }
        if returns {
            self.a.store(Size::D, row(CAREFUL_DST, lane), value);
        }
        self.vector(Vector::new(X::BlsrQ, Len::X, 0, left.0, Rm::Reg(left.0)));
        self.a.jmp(next);
        self.a.bind(end);
        for (p, reg) in regs.iter().enumerate() {
            let from = self.row_mem(CAREFUL_DST, p);
            self.v(X::MovLoad, *reg, 0, Rm::Mem(from));
        }
        self.careful_label();
        let pc = inst.pc;
        self.stubs.push(Box::new(move |w| {
            w.a.bind(a.careful);
            w.map.push((w.a.offset(), pc));
            w.careful_atomic(&a, &operands, left, returns);
            w.a.jmp(end);
        }));
        if returns {
            self.set_lo(inst.result(0), results);
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

    /// One lane in LDS: what was there goes to `value` if it is wanted.
    fn step_in_lds(&mut self, op: AtomicOp, at: Mem, value: Gpr, returns: bool) {
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
            (Some(alu), false) => self.a.alu_store(alu, Size::D, at, value),
            // Without lock: nobody else is in this workgroup's LDS.
            (Some(Alu::Add), true) => self.a.xadd(Size::D, at, value),
            _ => self.load_change_store(op, at, value, returns),
        }
    }

    /// The same for what no single instruction does; the old value is in a register that is borrowed meanwhile.
    fn load_change_store(&mut self, op: AtomicOp, at: Mem, value: Gpr, returns: bool) {
        use AtomicOp::*;
        let uses = |g: Gpr| match (at.base, at.index) {
            (wavejit_x86::Base::Reg(b), Some((wavejit_x86::Index::Gpr(i), _))) => b == g || i == g,
            _ => false,
        };
        let borrowed = [Gpr::RAX, Gpr::RCX, Gpr::RDX, Gpr::RSI].into_iter().find(|g| *g != value && !uses(*g)).expect("three are in use");
        let kept = Mem::at(Gpr::RSP, CARGO_BASE);
        self.a.store(Size::Q, kept, borrowed);
        self.a.load(Size::D, borrowed, at);
        let cond = match op {
            SMin => Some(Cond::L),
            SMax => Some(Cond::G),
            UMin => Some(Cond::B),
            UMax => Some(Cond::A),
            _ => None,
        };
        match (op, cond) {
            (Swap, _) => self.a.store(Size::D, at, value),
            (_, Some(cond)) => {
                // value = the old one if that is the one to stay
                self.a.alu(Alu::Cmp, Size::D, borrowed, value);
                self.a.cmov(cond, Size::D, value, borrowed);
                self.a.store(Size::D, at, value);
            }
            (Sub, _) => {
                self.a.neg(Size::D, value);
                self.a.alu(Alu::Add, Size::D, value, borrowed);
                self.a.store(Size::D, at, value);
            }
            _ => {
                let alu = match op {
                    And => Alu::And,
                    Or => Alu::Or,
                    _ => Alu::Xor,
                };
                self.a.alu(alu, Size::D, value, borrowed);
                self.a.store(Size::D, at, value);
            }
        }
        if returns {
            self.a.mov(Size::D, value, borrowed);
        }
        self.a.load(Size::Q, borrowed, kept);
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
    fn careful_atomic(&mut self, a: &Access, operands: &[u8], left: Gpr, returns: bool) {
        let mut op = a.op;
        let mut sources: Vec<(u16, &[u8])> = vec![(CAREFUL_ADDR, &a.low), (CAREFUL_DATA, operands)];
        op.offset[0] = CAREFUL_ADDR;
        op.data[0] = CAREFUL_DATA;
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
        let pinned = Box::new(op);
        let at = std::ptr::from_ref(&*pinned) as u64;
        self.pinned.mem_ops.push(pinned);
        self.store_imm64(Mem::at(Gpr::RSP, CARGO_OP), at);
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
