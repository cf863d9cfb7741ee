//! The skeleton of a wave function: control flow, scalar code, calls of regions, row functions and helpers.
//!
//! Scalar registers, EXEC and the fuel are Cranelift variables. They are loaded from the wave state at the entry and at resume points (those
//! that live there) and stored before the wave leaves. `resume` selects where to start:
//!
//! ```text
//! entry: br_table state.resume -> [load live registers; jump resume point 0], [...1], ...
//! ```

mod lds;
mod memory;
mod probe;
mod scalar;

use super::{CompiledLoop, EmitError, EmitOptions, Pinned, back_end::RegionCode, rows};
use crate::{
    opt::{
        OptOptions,
        liveness::{self, SRegs},
        strides::Strides,
    },
    region::{Plan, Region, Step},
};
use cranelift_codegen::ir::{self as cl, AbiParam, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use lds::LdsPattern;
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use wavejit_ir::abi::{Exit, Helpers, MemOp, WaveState};
use wavejit_ir::{
    self as ir, Block, BlockId, Func, Inst, Op, Pause, ProbeKind, PureOp, SReg, Shape, Term, Ty, Value, Width, goes_back, resume_points,
    rowfn,
};

pub(super) struct Skeleton<'a, 'b> {
    func: &'a Func,
    opts: EmitOptions,
    plans: &'a [Plan],
    regions: &'a [Vec<RegionCode>],
    loops: &'a [CompiledLoop],
    module: &'a mut JITModule,
    pinned: &'a mut Pinned,
    b: FunctionBuilder<'b>,
    state: cl::Value,
    blocks: Vec<cl::Block>,
    sregs: FxHashMap<SReg, Variable>,
    /// Registers the function writes: what must be stored when it leaves.
    written: SRegs,
    live_in: Vec<SRegs>,
    strides: &'a Strides,
    resume: Vec<BlockId>,
    /// Where edges that go back to a block look at the fuel.
    gates: Vec<Option<cl::Block>>,
    exec: Variable,
    fuel: Variable,
    fault: cl::Block,
    /// Scalars and masks of the current block.
    vals: FxHashMap<Value, cl::Value>,
}

fn flags() -> MemFlagsData {
    MemFlagsData::trusted()
}

fn clif(width: Width) -> cl::Type {
    match width {
        Width::B1 => types::I8,
        Width::B32 => types::I32,
        Width::B64 => types::I64,
    }
}

impl<'a, 'b> Skeleton<'a, 'b> {
    pub(super) fn new(
        func: &'a Func,
        opts: EmitOptions,
        plans: &'a [Plan],
        regions: &'a [Vec<RegionCode>],
        loops: &'a [CompiledLoop],
        module: &'a mut JITModule,
        pinned: &'a mut Pinned,
        strides: &'a Strides,
        mut b: FunctionBuilder<'b>,
    ) -> Self {
        let blocks = func.blocks.iter().map(|_| b.create_block()).collect();
        let fault = b.create_block();
        let (exec, fuel) = (b.declare_var(types::I64), b.declare_var(types::I64));
        let live_in = liveness::sregs_live_in(func, OptOptions { keep_final_state: opts.keep_final_state, ..OptOptions::default() });
        Skeleton {
            func,
            opts,
            plans,
            regions,
            loops,
            module,
            pinned,
            b,
            state: cl::Value::from_u32(0),
            blocks,
            sregs: FxHashMap::default(),
            written: SRegs::default(),
            live_in,
            strides,
            resume: resume_points(func),
            gates: vec![None; func.blocks.len()],
            exec,
            fuel,
            fault,
            vals: FxHashMap::default(),
        }
    }

    pub(super) fn compile(mut self) -> Result<(), EmitError> {
        for inst in self.func.blocks.iter().flat_map(|b| &b.insts) {
            match inst.op {
                Op::SSet(r, _) => {
                    self.written.add(r);
                    self.declare(r);
                }
                Op::SGet(r) => self.declare(r),
                _ => {}
            }
        }
        self.dispatch();
        for i in 0..self.func.blocks.len() {
            let id = BlockId(i as u32);
            let loops = self.loops;
            match loops.iter().find(|l| l.piece.blocks.contains(&id)) {
                Some(l) if l.piece.entry == id => self.compiled_loop(l),
                Some(_) => {} // reached through the entry only
                None => self.block(i)?,
            }
        }
        (0..self.func.blocks.len()).for_each(|i| self.gate(i));
        self.b.switch_to_block(self.fault);
        let code = self.b.ins().iconst(types::I32, Exit::Fault as i64);
        self.b.ins().return_(&[code]);
        self.b.seal_all_blocks();
        let config = self.module.target_config();
        self.b.finalize(config);
        Ok(())
    }

    fn declare(&mut self, r: SReg) {
        if !self.sregs.contains_key(&r) {
            let v = self.b.declare_var(if r == SReg::SCC { types::I8 } else { types::I32 });
            self.sregs.insert(r, v);
        }
    }

    fn sreg_offset(r: SReg) -> i32 {
        (offset_of!(WaveState, sregs) + 4 * usize::from(r.0)) as i32
    }

    fn slot(i: usize) -> i32 {
        (offset_of!(WaveState, slots) + 8 * i) as i32
    }

    /// The function's entry: goes to the resume point the state names.
    fn dispatch(&mut self) {
        let entry = self.b.create_block();
        self.b.append_block_params_for_function_params(entry);
        self.b.switch_to_block(entry);
        self.state = self.b.block_params(entry)[0];
        let fuel = self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, fuel) as i32);
        self.b.def_var(self.fuel, fuel);
        self.load_exec();
        let points = self.resume.clone();
        let stubs: Vec<cl::Block> = points.iter().map(|_| self.b.create_block()).collect();
        if stubs.len() == 1 {
            self.b.ins().jump(stubs[0], &[]);
        } else {
            let resume = self.b.ins().load(types::I32, flags(), self.state, offset_of!(WaveState, resume) as i32);
            let calls: Vec<cl::BlockCall> = stubs.iter().map(|s| self.b.func.dfg.block_call(*s, &[])).collect();
            let table = self.b.create_jump_table(cl::JumpTableData::new(calls[0], &calls));
            self.b.ins().br_table(resume, table);
        }
        for (point, stub) in points.iter().zip(stubs) {
            self.b.switch_to_block(stub);
            let live = self.live_in[point.0 as usize];
            self.load_sregs(|r| live.has(r));
            self.b.ins().jump(self.blocks[point.0 as usize], &[]);
        }
    }

    fn load_exec(&mut self) {
        let at = Self::sreg_offset(SReg::EXEC_LO);
        let mask = if self.func.wave_size == 64 {
            // Two loads: the words may have been stored apart, which a wide load would stall on.
            let lo = self.b.ins().load(types::I32, flags(), self.state, at);
            let hi = self.b.ins().load(types::I32, flags(), self.state, at + 4);
            self.concat(lo, hi)
        } else {
            self.b.ins().uload32(flags(), self.state, at)
        };
        self.b.def_var(self.exec, mask);
    }

    fn concat(&mut self, lo: cl::Value, hi: cl::Value) -> cl::Value {
        let lo = self.b.ins().uextend(types::I64, lo);
        let hi = self.b.ins().uextend(types::I64, hi);
        let hi = self.b.ins().ishl_imm_s(hi, 32);
        self.b.ins().bor(lo, hi)
    }

    fn sorted_sregs(&self) -> Vec<(SReg, Variable)> {
        let mut all: Vec<_> = self.sregs.iter().map(|(r, v)| (*r, *v)).collect();
        all.sort_by_key(|e| e.0);
        all
    }

    fn load_sregs(&mut self, which: impl Fn(SReg) -> bool) {
        for (r, var) in self.sorted_sregs() {
            if which(r) {
                let v = self.b.ins().load(types::I32, flags(), self.state, Self::sreg_offset(r));
                let v = if r == SReg::SCC { self.b.ins().ireduce(types::I8, v) } else { v };
                self.b.def_var(var, v);
            }
        }
    }

    fn store_sregs(&mut self, which: impl Fn(SReg) -> bool) {
        for (r, var) in self.sorted_sregs() {
            if self.written.has(r) && which(r) {
                let mut v = self.b.use_var(var);
                if r == SReg::SCC {
                    v = self.b.ins().uextend(types::I32, v);
                }
                self.b.ins().store(flags(), v, self.state, Self::sreg_offset(r));
            }
        }
    }

    fn store_exec(&mut self) {
        let exec = self.b.use_var(self.exec);
        let lo = self.b.ins().ireduce(types::I32, exec);
        self.b.ins().store(flags(), lo, self.state, Self::sreg_offset(SReg::EXEC_LO));
        if self.func.wave_size == 64 {
            let hi = self.b.ins().ushr_imm_s(exec, 32);
            let hi = self.b.ins().ireduce(types::I32, hi);
            self.b.ins().store(flags(), hi, self.state, Self::sreg_offset(SReg::EXEC_HI));
        }
    }

    fn store_fuel(&mut self) {
        let fuel = self.b.use_var(self.fuel);
        self.b.ins().store(flags(), fuel, self.state, offset_of!(WaveState, fuel) as i32);
    }

    /// Leaves with `exit`, registers stored as `which` says.
    fn leave(&mut self, exit: Exit, which: impl Fn(SReg) -> bool) {
        self.store_sregs(which);
        self.store_exec();
        self.store_fuel();
        let code = self.b.ins().iconst(types::I32, exit as i64);
        self.b.ins().return_(&[code]);
    }

    /// Suspends, to go on at `next`.
    fn suspend(&mut self, exit: Exit, next: BlockId) {
        let index = self.resume.iter().position(|b| *b == next).expect("every suspension has a resume point");
        let index = self.b.ins().iconst(types::I32, index as i64);
        self.b.ins().store(flags(), index, self.state, offset_of!(WaveState, resume) as i32);
        let live = self.live_in[next.0 as usize];
        self.leave(exit, |r| live.has(r) || r.0 > SReg::SCC.0);
    }

    fn set_exit_arg(&mut self, v: cl::Value) {
        self.b.ins().store(flags(), v, self.state, offset_of!(WaveState, exit_arg) as i32);
    }

    fn block(&mut self, i: usize) -> Result<(), EmitError> {
        let block = &self.func.blocks[i];
        self.b.switch_to_block(self.blocks[i]);
        self.vals.clear();
        let fuel = self.b.use_var(self.fuel);
        let fuel = self.b.ins().iadd_imm_s(fuel, -i64::from(block.guest_insts));
        self.b.def_var(self.fuel, fuel);

        let plan = &self.plans[i];
        let mut ids = self.regions[i].iter();
        for step in &plan.steps {
            match step {
                Step::Inst(k) => {
                    let inst = &block.insts[*k];
                    self.b.set_srcloc(super::source_loc(self.func, inst.pc));
                    self.inst(plan, inst)?;
                }
                Step::Region(r) => self.call_region(r, *ids.next().expect("one function for each region"))?,
            }
        }
        self.b.set_srcloc(super::source_loc(self.func, block.term_pc));
        self.term(block)
    }

    /// Where an edge leads: the block, or, if it goes back, the look at the fuel before it.
    fn edge(&mut self, from: &Block, to: BlockId) -> cl::Block {
        let i = to.0 as usize;
        if !goes_back(from, self.func.block(to)) {
            return self.blocks[i];
        }
        *self.gates[i].get_or_insert_with(|| self.b.create_block())
    }

    /// The look at the fuel on the way back to block `i`, if there is such a way.
    fn gate(&mut self, i: usize) {
        let Some(gate) = self.gates[i] else { return };
        self.b.switch_to_block(gate);
        let fuel = self.b.use_var(self.fuel);
        let empty = self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, fuel, 0);
        let out = self.b.create_block();
        self.b.set_cold_block(out);
        self.b.ins().brif(empty, out, &[], self.blocks[i], &[]);
        self.b.switch_to_block(out);
        self.suspend(Exit::Fuel, BlockId(i as u32));
    }

    fn term(&mut self, block: &Block) -> Result<(), EmitError> {
        match &block.term {
            Term::Jump(b) => {
                let to = self.edge(block, *b);
                self.b.ins().jump(to, &[]);
            }
            Term::Branch { cond, then, otherwise } => {
                let c = self.val(*cond)?;
                let (t, e) = (self.edge(block, *then), self.edge(block, *otherwise));
                self.b.ins().brif(c, t, &[], e, &[]);
            }
            Term::Indirect { target, known } => {
                let t = self.val(*target)?;
                let delta = self.code_delta();
                let as_lifted = self.b.ins().isub(t, delta);
                for (pc, to) in known {
                    let hit = self.b.ins().icmp_imm_s(IntCC::Equal, as_lifted, *pc as i64);
                    let (to, miss) = (self.edge(block, *to), self.b.create_block());
                    self.b.ins().brif(hit, to, &[], miss, &[]);
                    self.b.switch_to_block(miss);
                }
                let from = self.b.ins().iadd_imm_s(delta, block.term_pc as i64);
                self.leave_to(t, from, block.mode);
            }
            Term::Leave { pc } => {
                let delta = self.code_delta();
                let (to, from) = (self.b.ins().iadd_imm_s(delta, *pc as i64), self.b.ins().iconst(types::I64, 0));
                self.leave_to(to, from, block.mode);
            }
            Term::NewMode { pc, mode } => {
                let m = self.val(*mode)?;
                self.b.ins().store(flags(), m, self.state, offset_of!(WaveState, exit_mode) as i32);
                let delta = self.code_delta();
                let pc = self.b.ins().iadd_imm_s(delta, *pc as i64);
                self.set_exit_arg(pc);
                self.reset_resume();
                self.leave(Exit::NewMode, |_| true);
            }
            Term::Pause { why, next } => self.suspend(if *why == Pause::Barrier { Exit::Barrier } else { Exit::Yield }, *next),
            Term::End => {
                let keep = self.opts.keep_final_state;
                self.leave(Exit::End, |r| keep || r.0 > SReg::SCC.0);
            }
            Term::Trap { id } => {
                let id = self.b.ins().iconst(types::I64, i64::from(*id));
                self.set_exit_arg(id);
                let pc = self.b.ins().iconst(types::I64, block.term_pc as i64);
                self.b.ins().store(flags(), pc, self.state, offset_of!(WaveState, fault_pc) as i32);
                self.leave(Exit::Trap, |_| true);
            }
            Term::Fail(index) => {
                let index = self.b.ins().iconst(types::I64, i64::from(*index));
                self.set_exit_arg(index);
                let keep = self.opts.keep_final_state;
                self.leave(Exit::Fail, |_| keep);
            }
        }
        Ok(())
    }

    /// Out to the run time, which goes on at the guest address `to`.
    fn leave_to(&mut self, to: cl::Value, from: cl::Value, mode: ir::FpMode) {
        self.set_exit_arg(to);
        self.b.ins().store(flags(), from, self.state, offset_of!(WaveState, exit_pc) as i32);
        let mode = self.b.ins().iconst(types::I32, i64::from(mode.0));
        self.b.ins().store(flags(), mode, self.state, offset_of!(WaveState, exit_mode) as i32);
        self.reset_resume();
        self.leave(Exit::NewPc, |_| true);
    }

    fn code_delta(&mut self) -> cl::Value {
        self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, code_delta) as i32)
    }

    fn reset_resume(&mut self) {
        let zero = self.b.ins().iconst(types::I32, 0);
        self.b.ins().store(flags(), zero, self.state, offset_of!(WaveState, resume) as i32);
    }

    fn val(&self, v: Value) -> Result<cl::Value, EmitError> {
        self.vals.get(&v).copied().ok_or_else(|| EmitError::internal(&format!("{v:?} is not known in the skeleton")))
    }

    fn full_mask(&self) -> i64 {
        if self.func.wave_size == 64 { -1 } else { 0xffff_ffff }
    }

    /// Calls a region's code.
    fn call_code(&mut self, code: RegionCode, returns: Option<cl::Type>) -> Option<cl::Value> {
        match code {
            RegionCode::Address(at) => self.call(at, &[self.state], returns),
            RegionCode::Function(id) => {
                let f = self.module.declare_func_in_func(id, self.b.func);
                let call = self.b.ins().call(f, &[self.state]);
                returns.map(|_| self.b.inst_results(call)[0])
            }
        }
    }

    /// A loop that is one region: registers go through the state, the code says where it left.
    fn compiled_loop(&mut self, l: &CompiledLoop) {
        self.b.switch_to_block(self.blocks[l.piece.entry.0 as usize]);
        self.vals.clear();
        self.store_sregs(|_| true);
        self.store_exec();
        self.store_fuel();
        let exit = self.call_code(l.code, Some(types::I32)).expect("loops return where they left");
        let fuel = self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, fuel) as i32);
        self.b.def_var(self.fuel, fuel);
        self.load_exec();
        self.load_sregs(|_| true);
        let out_of_fuel = self.b.create_block();
        let from = |to: &BlockId| l.piece.blocks.iter().map(|b| self.func.block(*b)).find(|b| b.term.successors().contains(to));
        let exits: Vec<(&Block, BlockId)> = l.piece.exits.iter().map(|to| (from(to).expect("exits have an edge"), *to)).collect();
        let mut targets: Vec<cl::Block> = exits.into_iter().map(|(from, to)| self.edge(from, to)).collect();
        targets.push(out_of_fuel);
        let calls: Vec<cl::BlockCall> = targets.iter().map(|t| self.b.func.dfg.block_call(*t, &[])).collect();
        let fault = self.b.func.dfg.block_call(self.fault, &[]);
        let table = self.b.create_jump_table(cl::JumpTableData::new(fault, &calls));
        self.b.ins().br_table(exit, table);
        self.b.switch_to_block(out_of_fuel);
        self.suspend(Exit::Fuel, l.piece.entry);
    }

    fn call_region(&mut self, r: &Region, code: RegionCode) -> Result<(), EmitError> {
        for (i, v) in r.masks.iter().chain(&r.scalars).enumerate() {
            let v = self.val(*v)?;
            self.b.ins().store(flags(), v, self.state, Self::slot(i));
        }
        self.call_code(code, None);
        let base = r.masks.len() + r.scalars.len();
        for (k, m) in r.mask_outs.iter().enumerate() {
            let v = self.b.ins().load(types::I64, flags(), self.state, Self::slot(base + k));
            self.vals.insert(*m, v);
        }
        Ok(())
    }

    /// Calls a host function at a fixed address.
    fn call(&mut self, address: usize, args: &[cl::Value], returns: Option<cl::Type>) -> Option<cl::Value> {
        let address = self.b.ins().iconst(types::I64, address as i64);
        self.call_value(address, args, returns)
    }

    fn call_value(&mut self, address: cl::Value, args: &[cl::Value], returns: Option<cl::Type>) -> Option<cl::Value> {
        let mut sig = self.module.make_signature();
        sig.params = args.iter().map(|a| AbiParam::new(self.b.func.dfg.value_type(*a))).collect();
        sig.returns = returns.map(AbiParam::new).into_iter().collect();
        let sig = self.b.import_signature(sig);
        let call = self.b.ins().call_indirect(sig, address, args);
        returns.map(|_| self.b.inst_results(call)[0])
    }

    /// Calls a function of the helper table.
    fn helper(&mut self, offset: usize, args: &[cl::Value], returns: Option<cl::Type>) -> Option<cl::Value> {
        let table = self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, helpers) as i32);
        let f = self.b.ins().load(types::I64, flags().with_readonly(), table, offset as i32);
        let mut all = vec![self.state];
        all.extend(args);
        self.call_value(f, &all, returns)
    }

    /// Leaves with a fault if `code` is not 0.
    fn check(&mut self, code: cl::Value) {
        let go = self.b.create_block();
        self.b.ins().brif(code, self.fault, &[], go, &[]);
        self.b.switch_to_block(go);
    }

    fn rows(&mut self) -> cl::Value {
        self.b.ins().load(types::I64, flags(), self.state, offset_of!(WaveState, rows) as i32)
    }

    fn home(&self, plan: &Plan, v: Value) -> Result<[u16; 2], EmitError> {
        plan.homes.get(&v).copied().ok_or_else(|| EmitError::internal(&format!("{v:?} has no rows")))
    }

    fn row_number(&mut self, row: u16) -> cl::Value {
        self.b.ins().iconst(types::I32, i64::from(row))
    }

    fn inst(&mut self, plan: &Plan, inst: &Inst) -> Result<(), EmitError> {
        let out = match &inst.op {
            Op::Const { width, bits } => {
                let ty = clif(*width);
                let bits = if ty == types::I32 { i64::from(*bits as i32) } else { *bits as i64 };
                Some(self.b.ins().iconst(ty, bits))
            }
            Op::CodeAddress { pc } => {
                let delta = self.code_delta();
                let at = self.b.ins().iadd_imm_s(delta, *pc as i64);
                let at = self.b.ins().ishl_imm_s(at, 16);
                Some(self.b.ins().sshr_imm_s(at, 16))
            }
            Op::SGet(r) => Some(self.b.use_var(self.sregs[r])),
            Op::SSet(r, v) => {
                let v = self.val(*v)?;
                self.b.def_var(self.sregs[r], v);
                None
            }
            Op::ExecGet => Some(self.b.use_var(self.exec)),
            Op::ExecSet(m) => {
                let v = self.val(*m)?;
                self.b.def_var(self.exec, v);
                None
            }
            Op::MaskBits(m) => Some(self.val(*m)?),
            Op::BitsMask(x) => {
                let x = self.val(*x)?;
                let full = self.full_mask();
                Some(if self.func.wave_size == 64 { x } else { self.b.ins().band_imm_s(x, full) })
            }
            Op::Splat(bit) if self.func.ty(inst.first) == Ty::MASK => {
                let bit = self.val(*bit)?;
                let full = self.full_mask();
                let (full, none) = (self.b.ins().iconst(types::I64, full), self.b.ins().iconst(types::I64, 0));
                Some(self.b.ins().select(bit, full, none))
            }
            Op::Splat(_) | Op::LaneId | Op::LaneTable(_) | Op::VGet { .. } | Op::VSet { .. } => {
                return Err(EmitError::internal("a lane operation outside a region"));
            }
            Op::Pure { op, mode, args } => {
                let lanes = self.func.ty(inst.first).shape == Shape::Lane && self.func.ty(inst.first) != Ty::MASK
                    || args.iter().flatten().any(|v| self.func.ty(*v).shape == Shape::Lane && self.func.ty(*v) != Ty::MASK);
                if lanes { self.row_function(plan, inst, *op, *mode, args)? } else { Some(self.scalar(inst, *op, *mode, args)?) }
            }
            Op::ReadLane { value, lane } => {
                let lane = self.val(*lane)?;
                let lane = self.b.ins().band_imm_s(lane, i64::from(self.func.wave_size) - 1);
                Some(self.read_lane(plan, *value, lane)?)
            }
            Op::ReadFirstLane { value, exec } => {
                let exec = self.val(*exec)?;
                // Lane 0 if no lane is active (STATE-13): trailing zeros of 0 are 64, which the mask takes to 0.
                let first = self.b.ins().ctz(exec);
                let first = self.b.ins().ireduce(types::I32, first);
                let first = self.b.ins().band_imm_s(first, 63);
                Some(self.read_lane(plan, *value, first)?)
            }
            Op::WriteLane { old, data, lane } => {
                let (dst, old) = (self.home(plan, inst.first)?[0], self.home(plan, *old)?[0]);
                let (dst, old) = (self.row_number(dst), self.row_number(old));
                let (data, lane) = (self.val(*data)?, self.val(*lane)?);
                self.call(rows::write_lane as *const () as usize, &[self.state, dst, old, data, lane], None);
                None
            }
            Op::Shuffle { value, index } => {
                let rows = [self.home(plan, inst.first)?[0], self.home(plan, *value)?[0], self.home(plan, *index)?[0]];
                let [dst, value, index] = rows.map(|r| self.row_number(r));
                self.call(rows::shuffle(self.func.wave_size) as *const () as usize, &[self.state, dst, value, index], None);
                None
            }
            Op::Permute { value, index, exec } => {
                let rows = [self.home(plan, inst.first)?[0], self.home(plan, *value)?[0], self.home(plan, *index)?[0]];
                let [dst, value, index] = rows.map(|r| self.row_number(r));
                let exec = self.val(*exec)?;
                self.call(rows::permute as *const () as usize, &[self.state, dst, value, index, exec], None);
                None
            }
            Op::VGetRel { reg, index, .. } => {
                let (dst, reg, index) = (self.home(plan, inst.first)?[0], reg.0, self.val(*index)?);
                let (dst, reg) = (self.row_number(dst), self.row_number(reg));
                self.call(rows::get_relative as *const () as usize, &[self.state, dst, reg, index], None);
                None
            }
            Op::VSetRel { reg, index, value, exec } => {
                let (value, reg, index, exec) = (self.home(plan, *value)?[0], reg.0, self.val(*index)?, self.val(*exec)?);
                let (value, reg) = (self.row_number(value), self.row_number(reg));
                self.call(rows::set_relative as *const () as usize, &[self.state, reg, index, value, exec], None);
                None
            }
            Op::SGetRel { reg, index } => {
                self.store_sregs(|_| true);
                let at = self.relative_sreg(*reg, *index)?;
                // Out of range reads s0 (STATE-27).
                let zero = self.b.ins().iconst(types::I64, 0);
                let ok = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThanOrEqual, at, i64::from(SReg::VCC_HI.0));
                let at = self.b.ins().select(ok, at, zero);
                let at = self.sreg_address(at);
                Some(self.b.ins().load(types::I32, flags(), at, 0))
            }
            Op::SSetRel { reg, index, value } => {
                self.store_sregs(|_| true);
                let at = self.relative_sreg(*reg, *index)?;
                let ok = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThanOrEqual, at, i64::from(SReg::VCC_HI.0));
                let (write, go) = (self.b.create_block(), self.b.create_block());
                let v = self.val(*value)?;
                self.b.ins().brif(ok, write, &[], go, &[]);
                self.b.switch_to_block(write);
                let at = self.sreg_address(at);
                self.b.ins().store(flags(), v, at, 0);
                self.b.ins().jump(go, &[]);
                self.b.switch_to_block(go);
                self.load_sregs(|r| r.0 <= SReg::VCC_HI.0);
                None
            }
            Op::Load { space, kind, addr, exec } => {
                let mut m = self.mem_op(plan, inst, *space, addr)?;
                m.kind = *kind as u8;
                self.results(plan, inst, &mut m)?;
                match self.lds_pattern(*space, *kind, addr) {
                    Some(pattern) => self.load_lds_inline(pattern, m, *exec, addr.base)?,
                    None => self.memory(offset_of!(Helpers, load), m, *exec, addr.base)?,
                }
                None
            }
            Op::Store { space, kind, addr, data, exec } => {
                let mut m = self.mem_op(plan, inst, *space, addr)?;
                m.kind = *kind as u8;
                self.data(plan, data, &mut m)?;
                match self.lds_pattern(*space, *kind, addr) {
                    Some(LdsPattern::Consecutive) => self.store_lds_inline(m, *exec, addr.base)?,
                    _ => self.memory(offset_of!(Helpers, store), m, *exec, addr.base)?,
                }
                None
            }
            Op::Atomic { space, op, wide, addr, data, exec, returns } => {
                let mut m = self.mem_op(plan, inst, *space, addr)?;
                m.atomic = *op as u8;
                m.flags = MemOp::flags_of_atomic(*wide, *returns);
                self.data(plan, data, &mut m)?;
                if *returns {
                    self.results(plan, inst, &mut m)?;
                }
                self.memory(offset_of!(Helpers, atomic), m, *exec, addr.base)?;
                None
            }
            Op::ExchangeSum { .. } => {
                self.exchange_sum(plan, inst)?;
                None
            }
            Op::SLoad { base, offset, imm, dwords } => {
                let mut at = self.val(*base)?;
                if let Some(o) = offset {
                    let o = self.val(*o)?;
                    let o = self.b.ins().uextend(types::I64, o);
                    at = self.b.ins().iadd(at, o);
                }
                let at = self.b.ins().iadd_imm_s(at, *imm);
                self.scalar_load_inline(at, *dwords, inst);
                None
            }
            Op::SBufferLoad { desc, offset, imm, dwords } => {
                for (i, d) in desc.iter().enumerate() {
                    let d = self.val(*d)?;
                    self.b.ins().store(flags(), d, self.state, Self::slot(i));
                }
                let at = match offset {
                    Some(o) => {
                        let o = self.val(*o)?;
                        let o = self.b.ins().uextend(types::I64, o);
                        self.b.ins().iadd_imm_s(o, *imm)
                    }
                    None => self.b.ins().iconst(types::I64, *imm),
                };
                self.scalar_load(offset_of!(Helpers, sbuffer_load), at, *dwords, inst);
                None
            }
            Op::Resource { site, args, exec } => {
                self.resource(plan, inst, *site, args, *exec)?;
                None
            }
            Op::GetReg { id } => {
                let id = self.b.ins().iconst(types::I32, i64::from(*id));
                self.store_sregs(|_| true);
                self.helper(offset_of!(Helpers, getreg), &[id], Some(types::I32))
            }
            Op::SetReg { id, value } => {
                let id = self.b.ins().iconst(types::I32, i64::from(*id));
                let v = self.val(*value)?;
                self.store_sregs(|_| true);
                self.helper(offset_of!(Helpers, setreg), &[id, v], None);
                self.load_sregs(|r| r.0 > SReg::SCC.0);
                None
            }
            Op::SendMsg { simm, m0 } => {
                let simm = self.b.ins().iconst(types::I32, i64::from(*simm));
                let m0 = self.val(*m0)?;
                self.helper(offset_of!(Helpers, sendmsg), &[simm, m0], None);
                None
            }
            Op::SendMsgRtn { msg } => {
                let msg = self.b.ins().iconst(types::I32, i64::from(*msg));
                self.helper(offset_of!(Helpers, sendmsg_rtn), &[msg], Some(types::I64))
            }
            Op::Gws { op, resource, value } => {
                let op = self.b.ins().iconst(types::I32, i64::from(*op));
                let (resource, value) = (self.val(*resource)?, self.val(*value)?);
                self.helper(offset_of!(Helpers, gws), &[op, resource, value], None);
                None
            }
            Op::Time { realtime } => {
                let r = self.b.ins().iconst(types::I32, i64::from(*realtime));
                self.helper(offset_of!(Helpers, time), &[r], Some(types::I64))
            }
            Op::Note { .. } => None,
            Op::Refund { insts, unused } => {
                let unused = self.val(*unused)?;
                let more = self.b.ins().uextend(types::I64, unused);
                let more = self.b.ins().imul_imm_s(more, i64::from(*insts));
                let fuel = self.b.use_var(self.fuel);
                let fuel = self.b.ins().iadd(fuel, more);
                self.b.def_var(self.fuel, fuel);
                None
            }
            Op::Probe { kind: ProbeKind::Count, id, exec, .. } => {
                self.count(*id, *exec)?;
                None
            }
            Op::Probe { kind: ProbeKind::Call, id, exec, args } => {
                self.probe(plan, inst, *id, args, *exec)?;
                None
            }
            Op::Export { kind, exec, args } => {
                self.export(plan, inst, *kind, args, *exec)?;
                None
            }
        };
        if let Some(v) = out {
            self.vals.insert(inst.first, v);
        }
        Ok(())
    }

    fn relative_sreg(&mut self, reg: SReg, index: Value) -> Result<cl::Value, EmitError> {
        let i = self.val(index)?;
        let i = self.b.ins().sextend(types::I64, i);
        Ok(self.b.ins().iadd_imm_s(i, i64::from(reg.0)))
    }

    fn sreg_address(&mut self, number: cl::Value) -> cl::Value {
        let bytes = self.b.ins().ishl_imm_s(number, 2);
        let at = self.b.ins().iadd(self.state, bytes);
        self.b.ins().iadd_imm_s(at, offset_of!(WaveState, sregs) as i64)
    }

    fn read_lane(&mut self, plan: &Plan, value: Value, lane: cl::Value) -> Result<cl::Value, EmitError> {
        let row = i32::from(self.home(plan, value)?[0]) * 4 * self.func.wave_size as i32;
        let rows = self.rows();
        let lane = self.b.ins().uextend(types::I64, lane);
        let bytes = self.b.ins().ishl_imm_s(lane, 2);
        let at = self.b.ins().iadd(rows, bytes);
        Ok(self.b.ins().load(types::I32, flags(), at, row))
    }

    /// A pure lane operation on whole rows.
    fn row_function(
        &mut self,
        plan: &Plan,
        inst: &Inst,
        op: PureOp,
        mode: ir::FpMode,
        args: &[Option<Value>; 3],
    ) -> Result<Option<cl::Value>, EmitError> {
        let mut src = Box::new([0u16; 8]);
        for (i, v) in args.iter().enumerate() {
            let Some(v) = *v else { continue };
            if self.func.ty(v) == Ty::MASK {
                // The mask's bits go into the first bytes of a row of their own.
                let row = wavejit_ir::abi::TEMP_ROW + plan.temp_rows + i as u16;
                let (bits, rows) = (self.val(v)?, self.rows());
                self.b.ins().store(flags(), bits, rows, i32::from(row) * 4 * self.func.wave_size as i32);
                src[2 * i] = row;
            } else {
                let home = self.home(plan, v)?;
                src[2 * i..2 * i + 2].copy_from_slice(&home);
            }
        }
        let predicate = op.ret() == Width::B1;
        let dst = if predicate { [0; 2] } else { self.home(plan, inst.first)? };
        let rows = self.rows();
        let lanes = self.b.ins().iconst(types::I32, i64::from(self.func.wave_size));
        let f = rowfn::row_fn(op, mode);
        let mode = self.b.ins().iconst(types::I32, i64::from(mode.0));
        let dst = self.b.ins().iconst(types::I64, i64::from(dst[0]) | i64::from(dst[1]) << 16);
        let list = self.b.ins().iconst(types::I64, src.as_ptr() as i64);
        self.pinned.sources.push(src);
        let r = self.call(f as *const () as usize, &[rows, lanes, mode, dst, list], Some(types::I64));
        Ok(predicate.then_some(r).flatten())
    }
}
