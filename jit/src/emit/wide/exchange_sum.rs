//! What follows in loops that add floats by comparing and exchanging: rare where lanes have places of their own, so that nothing is spilled for it.

use super::atomic::MOST_REGISTERS;
use super::calls::{CAREFUL_DST, CARGO_EXEC};
use super::{FUEL, Wide, X, slot, state};
use crate::emit::EmitError;
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp, WaveState};
use wavejit_ir::{Addr, Data, Inst, Ty, Value};
use wavejit_x86::{Alu, Cond, Gpr, Mem, Rm, Size};

/// Lanes that have failed for which a call costs less than the rounds they take.
const SOME: i32 = 4;

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
        let [low, high] = addr.offset.map_or([vec![], vec![]], |v| self.dwords_in_registers(v));
        let operands: Vec<Vec<u8>> = data.iter().flatten().map(|v| std::mem::take(&mut self.dwords_in_registers(*v)[0])).collect();
        let results = self.new_results(inst);
        let (some, end, count) = (self.a.label(), self.a.label(), self.temp_general());
        self.a.popcnt(Size::Q, count, exec);
        self.a.alu_imm(Alu::Cmp, Size::D, count, SOME);
        self.a.jcc(Cond::Ae, some);
        // Nothing: what was seen, and 0.
        let seen = &operands[operands.len() / 2..];
        for (i, regs) in results.iter().enumerate() {
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
            w.careful_operands(m, [&low, &high], &operands, results.len(), base, offset_of!(Helpers, exchange_sum));
            w.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_EXEC), exec);
            w.a.store(Size::Q, slot(0), left);
            w.a.store(Size::Q, state(offset_of!(WaveState, fuel)), FUEL);
            w.a.call(careful);
            w.a.load(Size::Q, FUEL, state(offset_of!(WaveState, fuel)));
            w.move_rows(X::MovLoad, (CAREFUL_DST..).zip(results.iter().map(Vec::as_slice)));
            w.a.jmp(end);
        }));
        Ok(())
    }

    /// The registers of a value's low and high dwords, none of the latter where it has 32 bits.
    fn dwords_in_registers(&mut self, v: Value) -> [Vec<u8>; 2] {
        let (low, high) = if self.func.ty(v) == Ty::L64 {
            let (low, high) = self.split(v);
            (low, Some(high))
        } else {
            (self.val(v).lo, None)
        };
        [Some(low), high].map(|parts| parts.map_or(vec![], |parts| (0..self.parts).map(|p| self.reg(parts[p])).collect()))
    }
}
