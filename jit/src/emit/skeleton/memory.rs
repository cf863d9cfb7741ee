//! Memory operations: helper calls with a [`MemOp`] for what is static, and scalar loads inline.

use super::super::EmitError;
use super::{Skeleton, flags};
use crate::region::Plan;
use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp, NO_ROW, ResourceCall, WaveState};
use wavejit_ir::{self as ir, Inst, Op, Space, Ty, Value, site::SITE_ROWS};

impl Skeleton<'_, '_> {
    /// A scalar load straight from guest memory if its start passes the range test; else the helper, which knows what to say. A fault in
    /// the loads themselves is found through the map of host to guest addresses.
    pub(super) fn scalar_load_inline(&mut self, at: cl::Value, dwords: u8, inst: &Inst) {
        let [base, low, size] = [offset_of!(WaveState, mem_base), offset_of!(WaveState, mem_low), offset_of!(WaveState, mem_size)]
            .map(|o| self.b.ins().load(types::I64, flags(), self.state, o as i32));
        let at = self.b.ins().band_imm_s(at, !3);
        let offset = self.b.ins().isub(at, low);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, offset, size);
        let (direct, helper, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(helper);
        self.b.ins().brif(inside, direct, &[], helper, &[]);
        for _ in 0..dwords {
            self.b.append_block_param(done, types::I32);
        }
        self.b.switch_to_block(direct);
        let host = self.b.ins().iadd(base, at);
        let words: Vec<cl::BlockArg> =
            (0..i32::from(dwords)).map(|i| cl::BlockArg::Value(self.b.ins().load(types::I32, MemFlagsData::new(), host, 4 * i))).collect();
        self.b.ins().jump(done, &words);
        self.b.switch_to_block(helper);
        self.scalar_load(offset_of!(Helpers, sload), at, dwords, inst);
        let words: Vec<cl::BlockArg> = (0..usize::from(dwords)).map(|i| cl::BlockArg::Value(self.vals[&inst.result(i)])).collect();
        self.b.ins().jump(done, &words);
        self.b.switch_to_block(done);
        for i in 0..usize::from(dwords) {
            let v = self.b.block_params(done)[i];
            self.vals.insert(inst.result(i), v);
        }
    }

    pub(super) fn scalar_load(&mut self, helper: usize, at: cl::Value, dwords: u8, inst: &Inst) {
        let n = self.b.ins().iconst(types::I32, i64::from(dwords));
        let pc = self.b.ins().iconst(types::I64, inst.pc as i64);
        let code = self.helper(helper, &[at, n, pc], Some(types::I32)).expect("returns a code");
        self.check(code);
        for i in 0..usize::from(dwords) {
            let v = self.b.ins().load(types::I32, flags(), self.state, Self::slot(i));
            self.vals.insert(inst.result(i), v);
        }
    }

    pub(super) fn mem_op(&mut self, plan: &Plan, inst: &Inst, space: Space, addr: &ir::Addr) -> Result<MemOp, EmitError> {
        let offset = match addr.offset {
            Some(v) => self.home(plan, v)?,
            None => [NO_ROW; 2],
        };
        Ok(MemOp {
            pc: inst.pc,
            imm: addr.imm,
            offset,
            data: [NO_ROW; 4],
            dst: [NO_ROW; 4],
            space: space as u8,
            kind: 0,
            atomic: 0,
            flags: 0,
        })
    }

    pub(super) fn results(&self, plan: &Plan, inst: &Inst, m: &mut MemOp) -> Result<(), EmitError> {
        for i in 0..usize::from(inst.results) {
            m.dst[i] = self.home(plan, inst.result(i))?[0];
        }
        Ok(())
    }

    pub(super) fn data(&self, plan: &Plan, data: &[Option<Value>; 4], m: &mut MemOp) -> Result<(), EmitError> {
        for (slot, v) in m.data.iter_mut().zip(data) {
            if let Some(v) = v {
                *slot = self.home(plan, *v)?[0];
            }
        }
        Ok(())
    }

    /// A buffer, image or ray instruction: scalar operands in slots, the rest is static.
    pub(super) fn resource(&mut self, plan: &Plan, inst: &Inst, site: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        let site = self.func.sites.get(site as usize).ok_or_else(|| EmitError::internal("a site that is not there"))?.clone();
        let (scalars, lanes) = args.split_at(site.scalars.into());
        for (i, v) in scalars.iter().enumerate() {
            let v = self.val(*v)?;
            self.b.ins().store(flags(), v, self.state, Self::slot(i));
        }
        // The function, and with it the site, is pinned with the code.
        let mut call = Box::new(ResourceCall { pc: inst.pc, site: std::sync::Arc::as_ptr(&site), rows: [NO_ROW; SITE_ROWS] });
        let results = (0..inst.results).map(|i| inst.result(i.into()));
        for (row, v) in call.rows.iter_mut().zip(lanes.iter().copied().chain(results)) {
            *row = self.home(plan, v)?[0];
        }
        let pointer = self.b.ins().iconst(types::I64, std::ptr::from_ref(&*call) as i64);
        self.pinned.resource_calls.push(call);
        let exec = self.val(exec)?;
        let code = self.helper(offset_of!(Helpers, resource), &[pointer, exec], Some(types::I32)).expect("returns a code");
        self.check(code);
        Ok(())
    }

    /// An [`Op::ExchangeSum`]. Its helper has the fuel, and takes from it.
    pub(super) fn exchange_sum(&mut self, plan: &Plan, inst: &Inst) -> Result<(), EmitError> {
        let Op::ExchangeSum { space, wide, comparand_first, addr, data, exec, left, insts } = &inst.op else {
            return Err(EmitError::internal("a sum by exchanges that is none"));
        };
        let mut m = self.mem_op(plan, inst, *space, addr)?;
        (m.kind, m.flags) = (*insts, MemOp::flags_of_sum(*wide, *comparand_first));
        self.data(plan, data, &mut m)?;
        self.results(plan, inst, &mut m)?;
        let left = self.val(*left)?;
        self.b.ins().store(flags(), left, self.state, Self::slot(0));
        self.store_fuel();
        self.memory(offset_of!(Helpers, exchange_sum), m, *exec, addr.base)?;
        let fuel = self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, fuel) as i32);
        self.b.def_var(self.fuel, fuel);
        Ok(())
    }

    pub(super) fn memory(&mut self, helper: usize, m: MemOp, exec: Value, base: Option<Value>) -> Result<(), EmitError> {
        let pinned = Box::new(m);
        let op = self.b.ins().iconst(types::I64, std::ptr::from_ref(&*pinned) as i64);
        self.pinned.mem_ops.push(pinned);
        let exec = self.val(exec)?;
        let base = match base {
            Some(v) if self.func.ty(v) == Ty::S32 => {
                let v = self.val(v)?;
                self.b.ins().uextend(types::I64, v)
            }
            Some(v) => self.val(v)?,
            None => self.b.ins().iconst(types::I64, 0),
        };
        let code = self.helper(helper, &[op, exec, base], Some(types::I32)).expect("returns a code");
        self.check(code);
        Ok(())
    }
}
