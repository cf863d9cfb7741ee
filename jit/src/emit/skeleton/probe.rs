//! Probes: those that count are a few instructions, the others call, as exports do.

use super::super::EmitError;
use super::{Skeleton, flags};
use crate::region::Plan;
use cranelift_codegen::ir::{self as cl, InstBuilder, types};
use std::mem::offset_of;
use wavejit_ir::abi::{Counter, Helpers, NO_ROW, PROBE_ARGS, ProbeCall, WaveState};
use wavejit_ir::{Inst, Shape, Ty, Value};

impl Skeleton<'_, '_> {
    /// Adds 1 and the lanes of EXEC to a counter. The table is the thread's own, so no atomics.
    pub(super) fn count(&mut self, id: u32, exec: Value) -> Result<(), EmitError> {
        let exec = self.val(exec)?;
        let lanes = self.b.ins().popcnt(exec);
        let one = self.b.ins().iconst(types::I64, 1);
        let table = self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, counters) as i32);
        let at = id as usize * size_of::<Counter>();
        for (field, more) in [(offset_of!(Counter, executions), one), (offset_of!(Counter, active_lanes), lanes)] {
            let offset = i32::try_from(at + field).map_err(|_| EmitError::internal("a counter out of reach"))?;
            let count = self.b.ins().load(types::I64, flags(), table, offset);
            let count = self.b.ins().iadd(count, more);
            self.b.ins().store(flags(), count, table, offset);
        }
        Ok(())
    }

    /// A probe that calls.
    pub(super) fn probe(&mut self, plan: &Plan, inst: &Inst, id: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        self.call_with_rows(plan, inst, offset_of!(Helpers, probe), id, args, exec)
    }

    /// An export.
    pub(super) fn export(&mut self, plan: &Plan, inst: &Inst, kind: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        self.call_with_rows(plan, inst, offset_of!(Helpers, export), kind, args, exec)
    }

    /// Calls a helper with scalars and masks in slots; the rest is static.
    fn call_with_rows(&mut self, plan: &Plan, inst: &Inst, helper: usize, id: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        let mut call = Box::new(ProbeCall { pc: inst.pc, id, scalars: 0, rows: [NO_ROW; PROBE_ARGS] });
        let mut rows = call.rows.iter_mut();
        for arg in args {
            let ty = self.func.ty(*arg);
            if ty.shape == Shape::Lane && ty != Ty::MASK {
                let home = self.home(plan, *arg)?;
                home.iter().filter(|row| **row != NO_ROW).zip(&mut rows).for_each(|(row, slot)| *slot = *row);
                continue;
            }
            let v = self.val(*arg)?;
            let v = if self.b.func.dfg.value_type(v) == types::I64 { v } else { self.b.ins().uextend(types::I64, v) };
            self.b.ins().store(flags(), v, self.state, Self::slot(call.scalars as usize));
            call.scalars += 1;
        }
        let pointer: cl::Value = self.b.ins().iconst(types::I64, std::ptr::from_ref(&*call) as i64);
        self.pinned.probe_calls.push(call);
        let exec = self.val(exec)?;
        let code = self.helper(helper, &[pointer, exec], Some(types::I32)).expect("returns a code");
        self.check(code);
        Ok(())
    }
}
