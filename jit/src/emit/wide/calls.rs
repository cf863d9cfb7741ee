//! Calls: row functions, helpers of the run time, and careful calls, which keep all registers.

use super::atomic;
use super::pins::{Address, row_function};
use super::plan::Event;
use super::regs::{CARGO_BYTES, Class, Home, NO_PARTS, Parts, distinct};
use super::{ROWS, STATE, Wide, X, off, slot, state};
use crate::emit::EmitError;
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp, NO_ROW, PROBE_ARGS, ProbeCall, ResourceCall, TEMP_ROW, WaveState};
use wavejit_ir::site::SITE_ROWS;
use wavejit_ir::{Addr, AtomicOp, Data, FpMode, Inst, PureOp, Shape, Space, Ty, Value, Width};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Size, Vector};

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    Imm(u64),
    Address(Address),
    Reg(Gpr),
    /// What is in memory.
    Load(Mem),
}

/// Registers that a callee may change.
const CALLER_SAVED: [Gpr; 9] = [Gpr::RAX, Gpr::RCX, Gpr::RDX, Gpr::RSI, Gpr::RDI, Gpr::R8, Gpr::R9, Gpr::R10, Gpr::R11];

/// Temporary rows of careful calls: lane address (2), data (4), results (4).
pub(super) const CAREFUL_ROWS: u16 = 10;
pub(super) const CAREFUL_ADDR: u16 = TEMP_ROW;
pub(super) const CAREFUL_DATA: u16 = TEMP_ROW + 2;
pub(super) const CAREFUL_DST: u16 = TEMP_ROW + 6;

/// Cargo of a careful call, in the frame.
pub(super) const CARGO_OP: i32 = 0;
pub(super) const CARGO_EXEC: i32 = 8;
pub(super) const CARGO_BASE: i32 = 16;
pub(super) const CARGO_HELPER: i32 = 24;
/// Beside it: the upper bits of a mask.
pub(super) const CARGO_BITS: i32 = 32;
/// Not of calls: the queue of waves that the function was entered with.
pub(super) const CARGO_QUEUE: i32 = 48;

impl<'a> Wide<'a> {
    /// Moves arguments to their registers, all at once. What was in the registers is lost.
    fn move_args(&mut self, list: &[(Gpr, Arg)]) {
        let mut left: Vec<(Gpr, Arg)> = list.to_vec();
        left.retain(|(to, arg)| !matches!(arg, Arg::Reg(r) if r == to));
        while !left.is_empty() {
            let is_source = |r: Gpr, but: usize, left: &[(Gpr, Arg)]| {
                left.iter().enumerate().any(|(i, (_, a))| i != but && matches!(a, Arg::Reg(s) if *s == r))
            };
            match (0..left.len()).find(|i| !is_source(left[*i].0, *i, &left)) {
                Some(i) => match left.remove(i) {
                    (to, Arg::Imm(bits)) => self.a.mov_imm(to, bits),
                    (to, Arg::Address(of)) => self.mov_address(to, of),
                    (to, Arg::Reg(from)) => self.a.mov(Size::Q, to, from),
                    (to, Arg::Load(m)) => self.a.load(Size::Q, to, m),
                },
                None => {
                    // A circle: one source goes through memory.
                    let cargo = Mem::at(Gpr::RSP, CARGO_BYTES - 8);
                    let Some((_, arg)) = left.iter_mut().find(|(_, a)| matches!(a, Arg::Reg(_))) else {
                        unreachable!("a circle of registers")
                    };
                    let Arg::Reg(from) = *arg else { unreachable!("just found") };
                    self.a.store(Size::Q, cargo, from);
                    *arg = Arg::Load(cargo);
                }
            }
        }
    }

    /// Calls a function of the host. [`Wide::before_call`] has been called.
    pub(super) fn call_host(&mut self, function: Address, list: &[(Gpr, Arg)]) {
        self.move_args(list);
        self.a.vzeroupper();
        self.mov_address(Gpr::RAX, function);
        self.a.call_reg(Gpr::RAX);
    }

    /// Calls a helper; the state is its first argument.
    fn call_helper(&mut self, helper: usize, args: &[Arg]) {
        let mut list = vec![(Gpr::RDI, Arg::Reg(STATE))];
        list.extend([Gpr::RSI, Gpr::RDX, Gpr::RCX, Gpr::R8].into_iter().zip(args.iter().copied()));
        self.move_args(&list);
        self.a.vzeroupper();
        self.a.load(Size::Q, Gpr::RAX, state(offset_of!(WaveState, helpers)));
        self.a.call_mem(Mem::at(Gpr::RAX, off(helper)));
    }

    /// Leaves if a helper found a fault.
    fn check(&mut self) {
        self.a.test(Size::D, Gpr::RAX, Gpr::RAX);
        let fault = self.fault;
        self.a.jcc(Cond::Ne, fault);
    }

    /// What a call returned is the scalar `r`.
    pub(super) fn take_result(&mut self, r: Value) {
        let p = self.r.result_in(Gpr::RAX);
        self.set_word(r, p);
    }

    /// The row that holds a lane value, or one it is copied to; the latter are in `copies`, to be given back.
    fn row_of(&mut self, parts: &Parts, copies: &mut Vec<u16>) -> u16 {
        if let Home::Row { row, .. } = self.r.pieces[parts[0] as usize].home
            && (0..self.parts).all(|p| self.r.pieces[parts[p] as usize].home == Home::Row { row, part: p as u8 })
        {
            for (p, id) in parts[..self.parts].iter().enumerate() {
                self.r.log.note(|| Event::UseInMemory { id: *id, home: Home::Row { row, part: p as u8 } });
            }
            return row;
        }
        let row = self.r.new_temp_row();
        let keep = !self.is_uniform(parts) && parts[..self.parts].iter().all(|p| self.r.pieces[*p as usize].home == Home::None);
        let keep = keep && distinct(&parts[..self.parts]).count() == self.parts;
        for (p, part) in parts.iter().enumerate().take(self.parts) {
            let from = self.reg(*part);
            let to = self.row_mem(row, p);
            self.v(X::MovStore, from, 0, Rm::Mem(to));
            if keep {
                self.r.move_home(*part, Home::Row { row, part: p as u8 });
            }
        }
        if !keep {
            copies.push(row);
        }
        row
    }

    /// Rows of a lane value: low and high dwords.
    fn rows_of(&mut self, v: Value, copies: &mut Vec<u16>) -> [u16; 2] {
        if self.func.ty(v).width == Width::B64 {
            let (lo, hi) = self.split(v);
            [self.row_of(&lo, copies), self.row_of(&hi, copies)]
        } else {
            let lo = self.val(v).lo;
            [self.row_of(&lo, copies), NO_ROW]
        }
    }

    /// A new row of results: pieces that are at home there.
    fn result_row(&mut self) -> (u16, Parts) {
        let row = self.r.new_temp_row();
        let mut parts = NO_PARTS;
        for (p, part) in parts[..self.parts].iter_mut().enumerate() {
            *part = self.r.new_piece(Class::Vector, Home::Row { row, part: p as u8 });
        }
        (row, parts)
    }

    /// A pure lane operation on whole rows.
    pub(super) fn row_function(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> Result<(), EmitError> {
        self.may_call()?;
        let mut src = [0u16; 8];
        let mut copies = vec![];
        for (i, v) in args.iter().enumerate() {
            let Some(v) = *v else { continue };
            if self.func.ty(v) == Ty::MASK {
                // The mask's bits go into the first bytes of a row of their own.
                let row = self.r.new_temp_row();
                copies.push(row);
                let word = self.scalar(v);
                let to = self.row_mem(row, 0);
                self.a.store(Size::Q, to, word);
                src[2 * i] = row;
            } else {
                let rows = self.rows_of(v, &mut copies);
                src[2 * i] = rows[0];
                src[2 * i + 1] = if rows[1] == NO_ROW { 0 } else { rows[1] };
            }
            self.release();
        }
        self.before_call();
        let predicate = op.ret() == Width::B1;
        let mut dst = [0; 2];
        let mut results = [NO_PARTS; 2];
        if !predicate {
            for i in 0..if op.ret() == Width::B64 { 2 } else { 1 } {
                (dst[i], results[i]) = self.result_row();
            }
        }
        let list = self.pins.source(src);
        self.call_host(
            row_function(op, mode),
            &[
                (Gpr::RDI, Arg::Reg(ROWS)),
                (Gpr::RSI, Arg::Imm(self.func.wave_size.into())),
                (Gpr::RDX, Arg::Imm(mode.0.into())),
                (Gpr::RCX, Arg::Imm(u64::from(dst[0]) | u64::from(dst[1]) << 16)),
                (Gpr::R8, Arg::Address(list)),
            ],
        );
        copies.into_iter().for_each(|row| self.r.free_temp_row(row));
        match op.ret() {
            Width::B1 => self.take_result(r),
            Width::B32 => self.set_lo(r, results[0]),
            Width::B64 => self.set_split(r, results[0], results[1]),
        }
        Ok(())
    }

    /// What is static of a memory instruction, without rows.
    pub(super) fn mem_op(&self, inst: &Inst, space: Space, imm: i64) -> MemOp {
        MemOp {
            pc: inst.pc,
            imm,
            offset: [NO_ROW; 2],
            data: [NO_ROW; 4],
            dst: [NO_ROW; 4],
            space: space as u8,
            kind: 0,
            atomic: 0,
            flags: 0,
        }
    }

    /// An access through its helper.
    pub(super) fn memory_call(
        &mut self,
        inst: &Inst,
        helper: usize,
        mut op: MemOp,
        addr: &Addr,
        data: &Data,
        exec: Value,
    ) -> Result<(), EmitError> {
        let mut copies = vec![];
        if let Some(v) = addr.offset {
            op.offset = self.rows_of(v, &mut copies);
            self.release();
        }
        for (i, v) in data.iter().enumerate() {
            if let Some(v) = *v {
                op.data[i] = self.rows_of(v, &mut copies)[0];
                self.release();
            }
        }
        let exec = self.scalar(exec);
        let base = addr.base.map_or(Arg::Imm(0), |b| Arg::Reg(self.scalar(b)));
        self.before_call();
        let mut results = vec![];
        for i in 0..usize::from(inst.results) {
            let (row, parts) = self.result_row();
            op.dst[i] = row;
            results.push(parts);
        }
        let op = self.pins.mem_op(op);
        self.call_helper(helper, &[Arg::Address(op), Arg::Reg(exec), base]);
        self.check();
        copies.into_iter().for_each(|row| self.r.free_temp_row(row));
        for (i, parts) in results.into_iter().enumerate() {
            self.set_lo(inst.result(i), parts);
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        inst: &'a Inst,
        space: Space,
        op: AtomicOp,
        wide: bool,
        addr: &Addr,
        data: &Data,
        exec: Value,
        returns: bool,
    ) -> Result<(), EmitError> {
        let flags = MemOp::flags_of_atomic(wide, returns);
        if atomic::is_inline(self.func, self.r.level, self.func.blocks[self.r.block].mode, &inst.op) {
            self.atomic_lanes(inst, space, op, wide, addr, data, exec, returns);
            return Ok(());
        }
        let m = MemOp { atomic: op as u8, flags, ..self.mem_op(inst, space, addr.imm) };
        self.memory_call(inst, offset_of!(Helpers, atomic), m, addr, data, exec)
    }

    /// A buffer, image or ray instruction: scalar operands in slots, the rest is static.
    pub(super) fn resource(&mut self, inst: &Inst, site: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        let site = self.func.sites.get(site as usize).ok_or_else(|| EmitError::internal("a site that is not there"))?.clone();
        let (scalars, lanes) = args.split_at(site.scalars.into());
        for (i, v) in scalars.iter().enumerate() {
            let from = self.scalar(*v);
            self.a.store(Size::Q, slot(i), from);
            self.release();
        }
        // The function, and with it the site, is pinned with the code.
        let mut call = ResourceCall { pc: inst.pc, site: std::sync::Arc::as_ptr(&site), rows: [NO_ROW; SITE_ROWS] };
        let mut copies = vec![];
        for (row, v) in call.rows.iter_mut().zip(lanes) {
            *row = self.rows_of(*v, &mut copies)[0];
            self.release();
        }
        let exec = self.scalar(exec);
        self.before_call();
        let mut results = vec![];
        for row in call.rows[lanes.len()..].iter_mut().take(inst.results.into()) {
            let (new, parts) = self.result_row();
            *row = new;
            results.push(parts);
        }
        let call = self.pins.resource(call);
        self.call_helper(offset_of!(Helpers, resource), &[Arg::Address(call), Arg::Reg(exec)]);
        self.check();
        copies.into_iter().for_each(|row| self.r.free_temp_row(row));
        for (i, parts) in results.into_iter().enumerate() {
            self.set_lo(inst.result(i), parts);
        }
        Ok(())
    }

    /// A probe that calls.
    pub(super) fn probe(&mut self, inst: &Inst, id: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        self.call_with_rows(inst, offset_of!(Helpers, probe), id, args, exec)
    }

    /// An export.
    pub(super) fn export(&mut self, inst: &Inst, kind: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        self.call_with_rows(inst, offset_of!(Helpers, export), kind, args, exec)
    }

    /// Calls a helper with scalars and masks in slots; the rest is static.
    fn call_with_rows(&mut self, inst: &Inst, helper: usize, id: u32, args: &[Value], exec: Value) -> Result<(), EmitError> {
        let mut call = ProbeCall { pc: inst.pc, id, scalars: 0, rows: [NO_ROW; PROBE_ARGS] };
        let mut copies = vec![];
        let mut rows = 0;
        for v in args {
            let ty = self.func.ty(*v);
            if ty.shape == Shape::Lane && ty != Ty::MASK {
                for row in self.rows_of(*v, &mut copies).into_iter().filter(|row| *row != NO_ROW) {
                    call.rows[rows] = row;
                    rows += 1;
                }
            } else {
                let from = self.scalar(*v);
                self.a.store(Size::Q, slot(call.scalars as usize), from);
                call.scalars += 1;
            }
            self.release();
        }
        let exec = self.scalar(exec);
        self.before_call();
        let call = self.pins.probe(call);
        self.call_helper(helper, &[Arg::Address(call), Arg::Reg(exec)]);
        self.check();
        copies.into_iter().for_each(|row| self.r.free_temp_row(row));
        Ok(())
    }

    /// Scalars from memory: straight if the address passes the range test; else through the helper, which knows what to say.
    pub(super) fn scalar_load(&mut self, inst: &'a Inst, base: Value, offset: Option<Value>, imm: i64, dwords: u8) {
        let at = self.scalar_address(Some(base), offset, imm);
        self.a.alu_imm(Alu::And, Size::Q, at, !3);
        let results: Vec<(u32, Gpr)> = (0..dwords)
            .map(|_| {
                let (p, reg) = self.scalar_result();
                (p, reg)
            })
            .collect();
        let t = self.temp_general();
        let (slow, done) = (self.a.label(), self.a.label());
        self.a.mov(Size::Q, t, at);
        self.a.alu_load(Alu::Sub, Size::Q, t, state(offset_of!(WaveState, mem_low)));
        self.a.alu_load(Alu::Cmp, Size::Q, t, state(offset_of!(WaveState, mem_size)));
        self.a.jcc(Cond::Ae, slow);
        // Results that were short of registers are in the frame.
        let places: Vec<Place> = results.iter().map(|(p, reg)| self.place_of(*p, *reg)).collect();
        for (i, place) in places.iter().enumerate() {
            let from = Mem::indexed(super::BASE, t, 1, 4 * i as i32);
            match place {
                Place::Register(r) => self.a.load(Size::D, *r, from),
                Place::Frame(slot) => {
                    self.a.load(Size::D, at, from);
                    self.a.store(Size::Q, Mem::at(Gpr::RSP, *slot), at);
                }
            }
        }
        self.a.bind(done);
        let careful = self.careful_label();
        let pc = inst.pc;
        self.stubs.push(Box::new(move |w| {
            w.a.bind(slow);
            w.map.push((w.a.offset(), pc));
            w.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_OP), at);
            w.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_EXEC), dwords.into());
            w.store_imm64(Mem::at(Gpr::RSP, CARGO_BASE), pc);
            w.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_HELPER), off(offset_of!(Helpers, sload)));
            w.a.call(careful);
            for (i, place) in places.iter().enumerate() {
                match place {
                    Place::Register(r) => w.a.load(Size::D, *r, slot(i)),
                    Place::Frame(at) => {
                        w.a.load(Size::D, t, slot(i));
                        w.a.store(Size::Q, Mem::at(Gpr::RSP, *at), t);
                    }
                }
            }
            w.a.jmp(done);
        }));
        for (i, (p, _)) in results.into_iter().enumerate() {
            self.set_word(inst.result(i), p);
        }
    }

    /// A piece for a scalar result: in a register that later ones may push out.
    fn scalar_result(&mut self) -> (u32, Gpr) {
        let (p, reg) = self.new_in_register(Class::General);
        if self.r.pinned_generals() >= 14 {
            // Too many results for the registers: this one lives in the frame.
            self.r.move_to_frame(p);
        }
        (p, Gpr(reg))
    }

    fn place_of(&self, p: u32, reg: Gpr) -> Place {
        match self.r.pieces[p as usize].home {
            Home::Frame(at) => Place::Frame(at),
            _ => Place::Register(reg),
        }
    }

    /// base + offset + imm, in a temporary.
    pub(super) fn scalar_address(&mut self, base: Option<Value>, offset: Option<Value>, imm: i64) -> Gpr {
        let at = self.temp_general();
        match base.map(|b| self.scalar(b)) {
            Some(b) => match i32::try_from(imm) {
                Ok(imm) if imm != 0 => self.a.lea(Size::Q, at, Mem::at(b, imm)),
                Ok(_) => self.a.mov(Size::Q, at, b),
                Err(_) => {
                    self.a.mov_imm(at, imm as u64);
                    self.a.alu(Alu::Add, Size::Q, at, b);
                }
            },
            None => self.a.mov_imm(at, imm as u64),
        }
        if let Some(o) = offset {
            let o = self.scalar(o);
            self.a.alu(Alu::Add, Size::Q, at, o);
        }
        at
    }

    pub(super) fn scalar_buffer_load(&mut self, inst: &Inst, desc: &[Value; 4], offset: Option<Value>, imm: i64, dwords: u8) {
        for (i, v) in desc.iter().enumerate() {
            let from = self.scalar(*v);
            self.a.store(Size::Q, slot(i), from);
            self.release();
        }
        let at = self.scalar_address(None, offset, imm);
        self.before_call();
        self.call_helper(offset_of!(Helpers, sbuffer_load), &[Arg::Reg(at), Arg::Imm(dwords.into()), Arg::Imm(inst.pc)]);
        self.check();
        for i in 0..usize::from(dwords) {
            let (p, reg) = self.new_in_register(Class::General);
            self.a.load(Size::D, Gpr(reg), slot(i));
            self.set_word(inst.result(i), p);
            self.release();
        }
    }

    pub(super) fn getreg(&mut self, r: Value, id: u8) {
        self.before_call();
        self.call_helper(offset_of!(Helpers, getreg), &[Arg::Imm(id.into())]);
        self.take_word(r);
    }

    /// A returned dword.
    fn take_word(&mut self, r: Value) {
        self.a.mov(Size::D, Gpr::RAX, Gpr::RAX);
        self.take_result(r);
    }

    pub(super) fn setreg(&mut self, id: u8, value: Value) {
        let value = self.scalar(value);
        // It may write scalar registers.
        self.all_sregs_change();
        self.before_call();
        self.call_helper(offset_of!(Helpers, setreg), &[Arg::Imm(id.into()), Arg::Reg(value)]);
    }

    pub(super) fn sendmsg(&mut self, simm: u16, m0: Value) {
        let m0 = self.scalar(m0);
        self.before_call();
        self.call_helper(offset_of!(Helpers, sendmsg), &[Arg::Imm(simm.into()), Arg::Reg(m0)]);
    }

    pub(super) fn sendmsg_rtn(&mut self, r: Value, msg: u8) {
        self.before_call();
        self.call_helper(offset_of!(Helpers, sendmsg_rtn), &[Arg::Imm(msg.into())]);
        self.take_result(r);
    }

    pub(super) fn gws(&mut self, op: u8, resource: Value, value: Value) {
        let (resource, value) = (self.scalar(resource), self.scalar(value));
        self.before_call();
        self.call_helper(offset_of!(Helpers, gws), &[Arg::Imm(op.into()), Arg::Reg(resource), Arg::Reg(value)]);
    }

    pub(super) fn time(&mut self, r: Value, realtime: bool) {
        self.before_call();
        self.call_helper(offset_of!(Helpers, time), &[Arg::Imm(realtime.into())]);
        self.take_result(r);
    }

    /// The routine behind all careful calls.
    /// Rows of an access that go to memory, or come from it.
    pub(super) fn move_rows<'r>(&mut self, with: X, rows: impl IntoIterator<Item = (u16, &'r [u8])>) {
        for (row, regs) in rows {
            for (p, reg) in regs.iter().enumerate() {
                let at = self.row_mem(row, p);
                self.v(with, *reg, 0, Rm::Mem(at));
            }
        }
    }

    /// Results of an operation in registers, by dword: their parts, and the registers.
    pub(super) fn new_results(&mut self, inst: &Inst) -> Vec<Vec<u8>> {
        let mut regs = vec![];
        for i in 0..usize::from(inst.results) {
            let (pieces, dword): (Vec<_>, Vec<u8>) = (0..self.parts).map(|_| self.new_in_register(Class::Vector)).unzip();
            let mut parts = NO_PARTS;
            parts[..self.parts].copy_from_slice(&pieces);
            self.set_lo(inst.result(i), parts);
            regs.push(dword);
        }
        regs
    }

    /// Before a careful call of an access, whose EXEC is in the cargo: its operands go from registers to rows (low and high dwords of addresses, then data), results are
    /// to come to so many.
    pub(super) fn careful_operands(
        &mut self,
        mut op: MemOp,
        [low, high]: [&[u8]; 2],
        data: &[Vec<u8>],
        results: usize,
        base: Option<Gpr>,
        helper: usize,
    ) {
        for (i, regs) in [low, high].into_iter().enumerate().filter(|(_, regs)| !regs.is_empty()) {
            op.offset[i] = CAREFUL_ADDR + i as u16;
            self.move_rows(X::MovStore, [(op.offset[i], regs)]);
        }
        for (i, regs) in data.iter().enumerate() {
            op.data[i] = CAREFUL_DATA + i as u16;
            self.move_rows(X::MovStore, [(op.data[i], &regs[..])]);
        }
        for (to, row) in op.dst.iter_mut().zip(CAREFUL_DST..).take(results) {
            *to = row;
        }
        let op = self.pins.mem_op(op);
        self.store_address(Mem::at(Gpr::RSP, CARGO_OP), op);
        match base {
            Some(base) => self.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_BASE), base),
            None => self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_BASE), 0),
        }
        self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_HELPER), off(helper));
    }

    pub(super) fn careful_label(&mut self) -> Label {
        let a = &mut self.a;
        *self.careful.get_or_insert_with(|| a.label())
    }

    /// 64 bits to memory, without a register.
    pub(super) fn store_imm64(&mut self, to: Mem, bits: u64) {
        self.a.store_imm(Size::D, to, bits as u32 as i32);
        self.a.store_imm(Size::D, to.plus(4), (bits >> 32) as u32 as i32);
    }

    /// In a routine of careful calls: stores all registers that a callee may change, or loads them again.
    pub(super) fn registers_in_frame(&mut self, store: bool) {
        // The return address lies below the frame.
        let vectors = 8 + self.r.save_area();
        let masks = vectors + 32 * 64;
        let generals = masks + 8 * 8;
        let frame = |at: i32| Mem::at(Gpr::RSP, at);
        for r in self.r.level.vectors() {
            self.v(if store { X::MovStore } else { X::MovLoad }, r, 0, Rm::Mem(frame(vectors + 64 * i32::from(r))));
        }
        let mask_registers = if self.is_avx2() { 0..0 } else { 1..8u8 };
        for k in mask_registers {
            let at = Rm::Mem(frame(masks + 8 * i32::from(k)));
            self.vector(Vector::new(if store { X::KmovwStore } else { X::Kmovw }, Len::X, k, 0, at));
        }
        for (i, r) in CALLER_SAVED.into_iter().enumerate() {
            let at = frame(generals + 8 * i as i32);
            if store { self.a.store(Size::Q, at, r) } else { self.a.load(Size::Q, r, at) }
        }
    }

    /// Saves registers, calls the helper that the cargo names, leaves if it found a fault, restores.
    pub(super) fn careful_call(&mut self, label: Label) {
        // The return address lies below the frame.
        let frame = |at: i32| Mem::at(Gpr::RSP, 8 + at);
        self.a.bind(label);
        self.registers_in_frame(true);
        self.a.vzeroupper();
        self.a.mov(Size::Q, Gpr::RDI, STATE);
        self.a.load(Size::Q, Gpr::RSI, frame(CARGO_OP));
        self.a.load(Size::Q, Gpr::RDX, frame(CARGO_EXEC));
        self.a.load(Size::Q, Gpr::RCX, frame(CARGO_BASE));
        self.a.load(Size::Q, Gpr::RAX, state(offset_of!(WaveState, helpers)));
        self.a.alu_load(Alu::Add, Size::Q, Gpr::RAX, frame(CARGO_HELPER));
        self.a.alu_imm(Alu::Sub, Size::Q, Gpr::RSP, 8);
        self.a.call_mem(Mem::at(Gpr::RAX, 0));
        self.a.alu_imm(Alu::Add, Size::Q, Gpr::RSP, 8);
        let fault = self.a.label();
        self.a.test(Size::D, Gpr::RAX, Gpr::RAX);
        self.a.jcc(Cond::Ne, fault);
        self.registers_in_frame(false);
        self.a.ret();
        self.a.bind(fault);
        self.a.alu_imm(Alu::Add, Size::Q, Gpr::RSP, 8);
        let leave = self.fault;
        self.a.jmp(leave);
    }
}

/// Where a scalar result goes.
#[derive(Clone, Copy)]
enum Place {
    Register(Gpr),
    Frame(i32),
}
