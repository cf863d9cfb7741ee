//! What follows in loops that add floats by comparing and exchanging: rare where lanes have places of their own, so that nothing is spilled for it.

use super::atomic::MOST_REGISTERS;
use super::calls::{CAREFUL_ADDR, CAREFUL_DATA, CAREFUL_DST, CARGO_BASE, CARGO_EXEC, CARGO_HELPER, CARGO_OP};
use super::regs::{Class, NO_PARTS};
use super::{FUEL, Wide, X, off, slot, state};
use crate::emit::EmitError;
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp, WaveState};
use wavejit_ir::{Addr, Data, Inst, Ty, Value};
use wavejit_x86::{Alu, Cond, Gpr, Mem, Rm, Size};

/// Lanes that have failed for which a call costs less than the rounds they take.
const SOME: i32 = 4;

/// Rows in registers: where they go in memory, and the registers of their parts.
type Rows = Vec<(u16, Vec<u8>)>;

impl<'a> Wide<'a> {
    pub(super) fn exchange_sum(&mut self, inst: &'a Inst, m: MemOp, addr: &Addr, data: &Data, masks: [Value; 2]) -> Result<(), EmitError> {
        let addresses = addr.offset.map_or(0, |v| if self.func.ty(v) == Ty::L64 { 2 } else { 1 });
        let dwords = addresses + data.iter().flatten().count() + usize::from(inst.results);
        if self.is_avx2() || dwords * self.parts > MOST_REGISTERS {
            let left = self.scalar(masks[1]);
            self.a.store(Size::Q, slot(0), left);
            self.release();
            self.a.store(Size::Q, state(offset_of!(WaveState, fuel)), FUEL);
            self.memory_call(inst, offset_of!(Helpers, exchange_sum), m, addr, data, masks[0])?;
            self.a.load(Size::Q, FUEL, state(offset_of!(WaveState, fuel)));
            return Ok(());
        }
        let (exec, left) = (self.scalar(masks[0]), self.scalar(masks[1]));
        let base = addr.base.map(|b| self.scalar(b));
        let operands = self.operands_of_sum(addr, data);
        let mut results: Rows = vec![];
        for i in 0..usize::from(inst.results) {
            let mut parts = NO_PARTS;
            let mut regs = vec![];
            for part in &mut parts[..self.parts] {
                let (piece, reg) = self.new_in_register(Class::Vector);
                *part = piece;
                regs.push(reg);
            }
            results.push((CAREFUL_DST + i as u16, regs));
            self.set_lo(inst.result(i), parts);
        }
        let (some, end, count) = (self.a.label(), self.a.label(), self.temp_general());
        self.a.popcnt(Size::Q, count, exec);
        self.a.alu_imm(Alu::Cmp, Size::D, count, SOME);
        self.a.jcc(Cond::Ae, some);
        // Nothing: what was seen, and 0.
        let seen: Vec<Vec<u8>> = operands.iter().rev().take(results.len() - 1).rev().map(|(_, regs)| regs.clone()).collect();
        for (i, (_, regs)) in results.iter().enumerate() {
            for (p, reg) in regs.iter().enumerate() {
                match seen.get(i) {
                    Some(from) => self.v(X::MovLoad, *reg, 0, Rm::Reg(from[p])),
                    None => self.v(X::Pxord, *reg, *reg, Rm::Reg(*reg)),
                }
            }
        }
        self.a.bind(end);
        let careful = self.careful_label();
        let pc = inst.pc;
        self.stubs.push(Box::new(move |w| {
            w.a.bind(some);
            w.map.push((w.a.offset(), pc));
            w.call_of_sum(m, &operands, exec, left, base);
            w.a.call(careful);
            w.a.load(Size::Q, FUEL, state(offset_of!(WaveState, fuel)));
            w.move_rows(&results, X::MovLoad);
            w.a.jmp(end);
        }));
        Ok(())
    }

    fn operands_of_sum(&mut self, addr: &Addr, data: &Data) -> Rows {
        let mut rows = vec![];
        if let Some(v) = addr.offset {
            if self.func.ty(v) == Ty::L64 {
                let (low, high) = self.split(v);
                rows.extend([(CAREFUL_ADDR, low), (CAREFUL_ADDR + 1, high)]);
            } else {
                rows.push((CAREFUL_ADDR, self.val(v).lo));
            }
        }
        for (v, row) in data.iter().flatten().zip(CAREFUL_DATA..) {
            rows.push((row, self.val(*v).lo));
        }
        rows.into_iter().map(|(row, parts)| (row, (0..self.parts).map(|p| self.reg(parts[p])).collect())).collect()
    }

    /// Before a careful call: what it is to do.
    fn call_of_sum(&mut self, mut m: MemOp, operands: &Rows, exec: Gpr, left: Gpr, base: Option<Gpr>) {
        self.move_rows(operands, X::MovStore);
        for (row, _) in operands {
            match *row {
                CAREFUL_DATA.. => m.data[usize::from(row - CAREFUL_DATA)] = *row,
                _ => m.offset[usize::from(row - CAREFUL_ADDR)] = *row,
            }
        }
        m.dst = [0, 1, 2, 3].map(|i| CAREFUL_DST + i);
        let op = self.pins.mem_op(m);
        let cargo = |at: i32| Mem::at(Gpr::RSP, at);
        self.store_address(cargo(CARGO_OP), op);
        self.a.store(Size::Q, cargo(CARGO_EXEC), exec);
        match base {
            Some(base) => self.a.store(Size::Q, cargo(CARGO_BASE), base),
            None => self.a.store_imm(Size::Q, cargo(CARGO_BASE), 0),
        }
        self.a.store_imm(Size::Q, cargo(CARGO_HELPER), off(offset_of!(Helpers, exchange_sum)));
        self.a.store(Size::Q, slot(0), left);
        self.a.store(Size::Q, state(offset_of!(WaveState, fuel)), FUEL);
    }

    fn move_rows(&mut self, rows: &Rows, with: X) {
        for (row, regs) in rows {
            for (p, reg) in regs.iter().enumerate() {
                let at = self.row_mem(*row, p);
                self.v(with, *reg, 0, Rm::Mem(at));
            }
        }
    }
}
