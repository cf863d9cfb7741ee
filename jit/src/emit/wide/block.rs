//! A block: its operations one after the other, its end.

use super::chains::Chain;
use super::dead_stores::Register;
use super::deferred::may_write_lds;
use super::regs::{Class, Home, NO_PARTS, NONE, Needs, Parts};
use super::slices::{self, Run, Turn};
use super::values::Stretch;
use super::{FUEL, ROWS, STATE, Wide, X, off, sreg, state};
use crate::emit::EmitError;
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use wavejit_ir::abi::{Counter, Exit, MemOp, WaveState};
use wavejit_ir::{Block, Inst, Op, Pause, ProbeKind, SReg, Shape, Term, Ty, VReg, Value, Width};
use wavejit_x86::{Alu, Cond, Gpr, Mem, Rm, Shift, Size, Vector};

impl<'a> Wide<'a> {
    /// Operands and results, in place of what is in `list`.
    fn values_of(&self, block: &Block, k: usize, list: &mut Vec<Value>) {
        let inst = &block.insts[k];
        list.clear();
        list.extend_from_slice(self.operands.of(k));
        list.extend((0..inst.results).map(|r| inst.result(r.into())));
    }

    pub(super) fn block(&mut self, i: usize) -> Result<(), EmitError> {
        let block = &self.func.blocks[i];
        let label = self.labels[i];
        self.a.bind(label);
        match self.loops.of(i) {
            Some(l) => self.r.fix(&self.loops.list[l].rows, &self.loops.list[l].sregs),
            None => self.r.fix(&FxHashMap::default(), &FxHashMap::default()),
        }
        (self.r.gave_up, self.r.most_pinned) = (false, Needs::default());
        self.has_many_apart = self.has_many_apart(block);
        self.map.push((self.a.offset(), block.pc));
        if block.guest_insts != 0 {
            self.a.alu_imm(Alu::Sub, Size::Q, FUEL, block.guest_insts as i32);
        }
        self.begin_values(i);
        self.needless = super::wanted::needless_ands(self.func, block, &mut self.asked);
        self.asking =
            if self.masks_idle { super::wanted::lanes_of_values(self.func, block, &mut self.asked) } else { FxHashMap::default() };
        let blend = self.lanes.blend(i);
        let runs = match &self.calls {
            Some(calls) => {
                let free = (!self.by_parts).then(|| self.r.free_vectors());
                slices::runs(self.func, self.r.level, i, &calls[i], self.alive, free)
            }
            None => vec![],
        };
        let mut runs = runs.into_iter().peekable();
        self.memo(i, block)?;
        let mut calls = vec![false; block.insts.len()];
        let mut values = vec![];
        let mut k = 0;
        while k < block.insts.len() {
            if let Some(run) = runs.next_if(|run| run.start == k) {
                k = run.end;
                self.part_by_part(block, run, blend)?;
                self.end_of_groups();
                continue;
            }
            let gave_up = std::mem::replace(&mut self.r.gave_up, false);
            self.one_inst(block, k, blend[k])?;
            calls[k] = self.r.gave_up;
            self.r.gave_up |= gave_up;
            self.values_of(block, k, &mut values);
            self.end_inst(&values);
            self.end_of_groups();
            k += 1;
        }
        self.made_calls.push(calls);
        self.at = block.insts.len() as u32;
        self.note_step();
        self.pc = block.term_pc;
        self.map.push((self.a.offset(), block.term_pc));
        self.end_of_pairs(i);
        self.term(i)?;
        values.clear();
        values.extend_from_slice(self.operands.of(block.insts.len()));
        self.end_inst(&values);
        if self.chain.is_some() {
            return Err(EmitError::internal("a chain of products without an end"));
        }
        self.no_groups();
        self.no_circles();
        self.end_copies(i);
        for (_, slot) in std::mem::take(&mut self.odd_divisions) {
            self.r.free_frame_slot(slot);
        }
        self.has_calls |= self.r.gave_up;
        self.needs[i] = if self.r.gave_up { None } else { Some(self.r.most_pinned) };
        Ok(())
    }

    /// Emits an instruction of the block.
    pub(super) fn one_inst(&mut self, block: &'a Block, k: usize, blend: bool) -> Result<(), EmitError> {
        let inst = &block.insts[k];
        self.at = k as u32;
        if !self.in_memo && self.memos[self.r.block].as_ref().is_some_and(|m| m.once[k]) {
            return Ok(());
        }
        if inst.pc != self.pc || k == 0 {
            self.pc = inst.pc;
            self.map.push((self.a.offset(), inst.pc));
        }
        if self.operands.is_left_out(k) {
            return Ok(());
        }
        self.note_step();
        if !self.r.in_lds.is_empty() && may_write_lds(&inst.op) {
            self.lds_changes();
        }
        self.inst(inst, blend)?;
        if self.r.gave_up && self.loops.of(self.r.block).is_some() {
            return Err(self.unforeseen_call());
        }
        if self.r.is_short {
            return Err(EmitError::OutOfRegisters(format!("{:?}", inst.op)));
        }
        Ok(())
    }

    /// Emits a run, each part of the wave going through all of it (`slices.rs`).
    fn part_by_part(&mut self, block: &'a Block, run: Run, blend: &[bool]) -> Result<(), EmitError> {
        let last = self.parts - 1;
        let mut values = vec![];
        if let Some(last) = self.chain.as_ref().map(Chain::last) {
            let sum = self.val(last).lo;
            self.close_chain(sum);
        }
        self.run = Some(Stretch { start: run.start as u32, end: run.end as u32, part: 0 });
        for part in 0..self.parts {
            if let Some(stretch) = &mut self.run {
                stretch.part = part;
            }
            for (k, turn) in (run.start..run.end).zip(&run.turns) {
                let now = match turn {
                    Turn::First => part == 0,
                    Turn::Each => true,
                    Turn::Last => part == last,
                };
                if now {
                    self.part = (*turn == Turn::Each).then_some(part);
                    let emitted = self.one_inst(block, k, blend[k]);
                    self.part = None;
                    emitted?;
                    self.release();
                }
                self.at = k as u32;
                self.values_of(block, k, &mut values);
                for &v in &values {
                    let ty = self.func.ty(v);
                    match turn {
                        _ if !self.dies(v) => {}
                        _ if part == last => self.forget(v),
                        _ if run.late.contains(&v) => {}
                        Turn::Each => self.forget_part(v, part),
                        Turn::First if part == 0 && ty.shape == Shape::Scalar => self.forget(v),
                        _ => {}
                    }
                }
            }
        }
        self.run = None;
        Ok(())
    }

    /// A scalar result that is a constant.
    fn set_imm(&mut self, v: Value, bits: u64) {
        let p = self.r.new_piece(Class::General, Home::Imm(bits));
        self.set_word(v, p);
    }

    /// A new register for a scalar result.
    pub(super) fn new_word(&mut self, v: Value) -> Gpr {
        let (p, reg) = self.new_in_register(Class::General);
        self.set_word(v, p);
        Gpr(reg)
    }

    fn inst(&mut self, inst: &'a Inst, blend: bool) -> Result<(), EmitError> {
        let r = inst.first;
        match &inst.op {
            Op::Const { width, bits } => self.set_imm(r, if *width == Width::B64 { *bits } else { *bits & 0xffff_ffff }),
            Op::CodeAddress { pc } => {
                let to = self.new_word(r);
                self.a.mov_imm(to, *pc);
                self.a.alu_load(Alu::Add, Size::Q, to, state(offset_of!(WaveState, code_delta)));
                self.a.shift(Shift::Shl, Size::Q, to, 16);
                self.a.shift(Shift::Sar, Size::Q, to, 16);
            }
            Op::Splat(s) => self.splat(r, *s),
            Op::LaneId => {
                let parts = self.pool_parts(|lane| lane);
                self.set_lo(r, parts);
            }
            Op::LaneTable(t) => {
                let table = self.func.tables[*t as usize];
                let parts = self.pool_parts(|lane| table[lane as usize]);
                self.set_lo(r, parts);
            }
            Op::Pure { op, mode, args } => self.pure(inst, *op, *mode, args)?,
            Op::MaskBits(m) => {
                let word = self.word(*m);
                self.set_word(r, word);
            }
            Op::BitsMask(bits) => self.bits_mask(r, *bits),
            Op::ExecGet => {
                let p = match self.r.fixed_sreg(SReg::EXEC_LO) {
                    Some(reg) => self.r.new_fixed_scalar(SReg::EXEC_LO, reg),
                    None if !self.is_wave64() => self.r.piece_at(Class::General, Home::SReg(SReg::EXEC_LO)),
                    None => self.r.piece_at(Class::General, Home::Exec64),
                };
                self.set_word(r, p);
            }
            Op::ExecSet(m) if self.sets_exec_from_masks(*m) => {
                self.sreg_changes(SReg::EXEC_LO);
                self.store_exec_from_masks(*m);
                self.settle_exec(*m);
            }
            Op::ExecSet(m) => {
                let from = self.scalar(*m);
                self.sreg_changes(SReg::EXEC_LO);
                let size = if !self.is_wave64() { Size::D } else { Size::Q };
                match self.r.fixed_sreg(SReg::EXEC_LO) {
                    Some(reg) => self.a.mov(size, reg, from),
                    None => {
                        let start = self.a.offset();
                        self.a.store(size, sreg(SReg::EXEC_LO), from);
                        self.note_guest_store(start, Register::Scalar(SReg::EXEC_LO));
                        self.settle_exec(*m);
                    }
                }
            }
            Op::SGet(reg) => {
                let p = match self.r.fixed_sreg(*reg) {
                    Some(fixed) => self.r.new_fixed_scalar(*reg, fixed),
                    None => self.r.piece_at(Class::General, Home::SReg(*reg)),
                };
                self.set_word(r, p);
            }
            Op::SSet(reg, v) => match self.sreg_pairs.write(self.at) {
                Some(pair) => self.sset_pair(*reg, pair),
                None => self.sset(*reg, *v),
            },
            Op::SGetRel { reg, index } => self.sget_relative(r, *reg, *index),
            Op::SSetRel { reg, index, value } => self.sset_relative(*reg, *index, *value),
            Op::VGet { reg, .. } => {
                let mut parts = NO_PARTS;
                let fixed = self.r.fixed(reg.0);
                let is_shared = self.is_shared(r);
                for p in self.slice() {
                    if p > 0 && is_shared {
                        parts[p] = parts[0];
                        continue;
                    }
                    parts[p] = match fixed {
                        Some(regs) => self.r.new_fixed_piece(reg.0, regs[p]),
                        None => self.r.piece_at(Class::Vector, Home::Row { row: reg.0, part: p as u8 }),
                    };
                }
                self.set_lo(r, parts);
            }
            Op::VSet { .. } if self.write_of_couple().is_some() => self.write_couple(),
            Op::VSet { reg, value, exec } => self.vset(*reg, *value, *exec, blend),
            Op::VGetRel { reg, index, .. } => self.vget_relative(r, *reg, *index)?,
            Op::VSetRel { reg, index, value, exec } => self.vset_relative(*reg, *index, *value, *exec)?,
            Op::ReadLane { value, lane } => self.read_lane(r, *value, *lane),
            Op::ReadFirstLane { value, exec } => self.read_first_lane(r, *value, *exec),
            Op::WriteLane { old, data, lane } => self.write_lane(r, *old, *data, *lane),
            Op::Shuffle { value, index } => self.shuffle(r, *value, *index),
            Op::Permute { value, index, exec } => self.permute(r, *value, *index, *exec)?,
            Op::Load { space, kind, addr, exec } => self.load(inst, *space, *kind, addr, *exec)?,
            Op::Store { space, kind, addr, data, exec } => self.store(inst, *space, *kind, addr, data, *exec)?,
            Op::Atomic { space, op, wide, addr, data, exec, returns } => {
                self.atomic(inst, *space, *op, *wide, addr, data, *exec, *returns)?
            }
            Op::ExchangeSum { space, wide, comparand_first, addr, data, exec, left, insts } => {
                let mut m = self.mem_op(inst, *space, addr.imm);
                (m.kind, m.flags) = (*insts, MemOp::flags_of_sum(*wide, *comparand_first));
                self.exchange_sum(inst, m, addr, data, [*exec, *left])?
            }
            Op::SLoad { base, offset, imm, dwords } => self.scalar_load(inst, *base, *offset, *imm, *dwords),
            Op::SBufferLoad { desc, offset, imm, dwords } => self.scalar_buffer_load(inst, desc, *offset, *imm, *dwords),
            Op::Resource { site, args, exec } => self.resource(inst, *site, args, *exec)?,
            Op::GetReg { id } => self.getreg(r, *id),
            Op::SetReg { id, value } => self.setreg(*id, *value),
            Op::SendMsg { simm, m0 } => self.sendmsg(*simm, *m0),
            Op::SendMsgRtn { msg } => self.sendmsg_rtn(r, *msg),
            Op::Gws { op, resource, value } => self.gws(*op, *resource, *value),
            Op::Time { realtime } => self.time(r, *realtime),
            Op::Note { .. } => {}
            Op::Refund { insts, unused } => {
                let (unused, more) = (self.scalar(*unused), self.temp_general());
                self.a.mov(Size::D, more, unused);
                self.a.neg(Size::D, more);
                self.a.alu_imm(Alu::And, Size::D, more, *insts as i32);
                self.a.alu(Alu::Add, Size::Q, FUEL, more);
            }
            Op::Probe { kind: ProbeKind::Count, id, exec, .. } => self.count(*id, *exec)?,
            Op::Probe { kind: ProbeKind::Call, id, exec, args } => self.probe(inst, *id, args, *exec)?,
            Op::Export { kind, exec, args } => self.export(inst, *kind, args, *exec)?,
        }
        Ok(())
    }

    fn pool_parts(&mut self, f: impl Fn(u32) -> u32) -> Parts {
        let mut parts = NO_PARTS;
        for (p, part) in parts[..self.parts].iter_mut().enumerate() {
            let bytes: Vec<u8> = (0..self.part_lanes()).flat_map(|i| f(self.part_lanes() * p as u32 + i).to_le_bytes()).collect();
            let c = self.a.constant(&bytes);
            *part = self.r.new_piece(Class::Vector, Home::Pool(c));
        }
        parts
    }

    /// All parts that are being made are one piece.
    pub(super) fn all(&self, p: u32) -> Parts {
        let mut parts = NO_PARTS;
        parts[self.slice()].fill(p);
        parts
    }

    fn splat(&mut self, r: Value, s: Value) {
        match self.func.ty(r) {
            Ty::MASK => {
                // 0 or 1 to all zeros or all ones.
                let from = self.scalar(s);
                let to = self.new_word(r);
                self.a.mov(Size::Q, to, from);
                self.a.neg(if !self.is_wave64() { Size::D } else { Size::Q }, to);
            }
            ty if ty.width == Width::B64 => {
                let Some(bits) = self.constant(s) else {
                    let word = self.word(s);
                    let piece = match self.r.pieces[word as usize].home {
                        Home::SRegPair(low) => self.r.piece_at(Class::Vector, Home::Bcst64(sreg(low))),
                        _ => {
                            let from = self.scalar(s);
                            let (new, to) = self.new_in_register(Class::Vector);
                            self.v(X::BroadcastGprQ, to, 0, Rm::Reg(from.0));
                            new
                        }
                    };
                    let parts = self.all(piece);
                    return self.set_quad(r, [parts; 2]);
                };
                let (lo, hi) = (self.broadcast_constant(bits as u32), self.broadcast_constant((bits >> 32) as u32));
                let (lo, hi) = (self.all(lo), self.all(hi));
                self.set_split(r, lo, hi);
            }
            _ => {
                let p = match self.constant(s) {
                    Some(bits) => self.broadcast_constant(bits as u32),
                    None => {
                        let word = self.word(s);
                        let piece = self.r.pieces[word as usize];
                        match piece.home {
                            Home::SReg(reg) => self.new_broadcast_of_sreg(reg),
                            Home::Kept(at) => self.r.new_piece(Class::Vector, Home::Bcst(Mem::at(Gpr::RSP, at))),
                            _ => {
                                let from = self.scalar(s);
                                self.broadcast_register(from)
                            }
                        }
                    }
                };
                let parts = self.all(p);
                self.set_lo(r, parts);
            }
        }
    }

    fn broadcast_constant(&mut self, bits: u32) -> u32 {
        if self.is_avx2() {
            let c = self.a.constant(&[bits; 8].map(u32::to_le_bytes).concat());
            return self.r.new_piece(Class::Vector, Home::Pool(c));
        }
        let c = self.a.constant32(bits);
        self.r.new_piece(Class::Vector, Home::Bcst(Mem::constant(c)))
    }

    fn broadcast_register(&mut self, from: Gpr) -> u32 {
        let (p, reg) = self.new_in_register(Class::Vector);
        self.v(X::BroadcastGpr, reg, 0, Rm::Reg(from.0));
        p
    }

    /// The mask of a word; often it is the zero-extension of a scalar register.
    fn bits_mask(&mut self, r: Value, bits: Value) {
        if self.is_wave64() {
            let word = self.word(bits);
            return self.set_word(r, word);
        }
        if let Op::Pure { op: wavejit_ir::PureOp::ZExt64, args: [Some(low), ..], .. } = self.def(bits) {
            let val = *self.val(*low);
            if val.word != NONE {
                return self.set_word(r, val.word);
            }
        }
        let from = self.scalar(bits);
        let to = self.new_word(r);
        self.a.mov(Size::D, to, from);
    }

    fn sset(&mut self, reg: SReg, v: Value) {
        if let Some(bits) = self.constant(v) {
            self.sreg_changes(reg);
            if let Some(fixed) = self.r.fixed_sreg(reg) {
                return self.a.mov_imm(fixed, bits & 0xffff_ffff);
            }
            let start = self.a.offset();
            self.a.store_imm(Size::D, sreg(reg), bits as u32 as i32);
            return self.note_guest_store(start, Register::Scalar(reg));
        }
        let from = self.scalar(v);
        self.sreg_changes(reg);
        if let Some(fixed) = self.r.fixed_sreg(reg) {
            return self.a.mov(Size::D, fixed, from);
        }
        let start = self.a.offset();
        self.a.store(Size::D, sreg(reg), from);
        self.note_guest_store(start, Register::Scalar(reg));
        let word = self.word(v);
        self.is_at_home_in_sreg(word, reg);
    }

    fn vset(&mut self, reg: VReg, value: Value, exec: Value, blend: bool) {
        let parts = self.val(value).lo;
        debug_assert!(parts[self.index()] != NONE, "{value:?} is nowhere");
        // What is still read from the row leaves it first; the value itself may be there.
        for p in self.slice() {
            self.reg(parts[p]);
            self.release();
        }
        match self.part {
            Some(part) => self.row_part_changes(reg.0, part),
            None => self.row_changes(reg.0),
        }
        if let Some(fixed) = self.r.fixed(reg.0) {
            let k = blend.then(|| self.mask_parts(exec));
            for p in self.slice() {
                if k.is_none() && self.r.pieces[parts[p] as usize].reg == Some(fixed[p]) {
                    // It has been made there.
                    continue;
                }
                let from = self.reg(parts[p]);
                let i = Vector::new(X::MovAligned, wavejit_x86::Len::Z, fixed[p], 0, Rm::Reg(from));
                let i = match k {
                    Some(k) => i.mask(self.reg(k[p])),
                    None => i,
                };
                self.vector(i);
                self.release();
            }
            return;
        }
        if !blend {
            for p in self.slice() {
                let from = self.reg(parts[p]);
                self.store_row(reg, p, from);
                if parts.iter().filter(|x| **x == parts[p]).count() == 1 {
                    self.is_at_home_in(parts[p], reg.0, p);
                }
                self.release();
            }
            return;
        }
        let k = self.mask_parts(exec);
        for p in self.slice() {
            let (from, k) = (self.reg(parts[p]), self.reg(k[p]));
            let t = self.temp();
            let row = Rm::Mem(self.row_mem(reg.0, p));
            self.v(X::MovLoad, t, 0, row);
            self.vector(Vector::new(X::MovAligned, wavejit_x86::Len::Z, t, 0, Rm::Reg(from)).mask(k));
            self.store_row(reg, p, t);
            self.keep_copy(Class::Vector, t, Home::Row { row: reg.0, part: p as u8 });
            self.release();
        }
    }

    /// Stores a part of a row.
    fn store_row(&mut self, reg: VReg, p: usize, from: u8) {
        let (start, to) = (self.a.offset(), self.row_mem(reg.0, p));
        self.v(X::MovStore, from, 0, Rm::Mem(to));
        self.note_guest_store(start, Register::Row(reg.0));
    }

    fn sget_relative(&mut self, r: Value, reg: SReg, index: Value) {
        self.r.gave_up = true;
        let at = self.relative_sreg(reg, index);
        // Out of range reads s0 (STATE-27).
        let to = self.new_word(r);
        self.a.mov_imm(to, 0);
        self.a.alu_imm(Alu::Cmp, Size::D, at, SReg::VCC_HI.0.into());
        self.a.cmov(Cond::A, Size::D, at, to);
        self.a.load(Size::D, to, Mem::indexed(STATE, at, 4, off(offset_of!(WaveState, sregs))));
    }

    fn sset_relative(&mut self, reg: SReg, index: Value, value: Value) {
        self.r.gave_up = true;
        let from = self.scalar(value);
        self.all_sregs_change();
        let at = self.relative_sreg(reg, index);
        let go = self.a.label();
        self.a.alu_imm(Alu::Cmp, Size::D, at, SReg::VCC_HI.0.into());
        self.a.jcc(Cond::A, go);
        self.a.store(Size::D, Mem::indexed(STATE, at, 4, off(offset_of!(WaveState, sregs))), from);
        self.a.bind(go);
    }

    /// reg + index, in a temporary.
    fn relative_sreg(&mut self, reg: SReg, index: Value) -> Gpr {
        let index = self.scalar(index);
        let at = self.temp_general();
        self.a.mov(Size::D, at, index);
        self.a.alu_imm(Alu::Add, Size::D, at, reg.0.into());
        at
    }

    /// reg + index as a row offset in dwords of a row file of this wave size, in a temporary; the flags tell whether it is above the last VGPR.
    fn relative_row(&mut self, reg: VReg, index: Value) -> Gpr {
        let index = self.scalar(index);
        let at = self.temp_general();
        self.a.mov(Size::D, at, index);
        self.a.alu_imm(Alu::Add, Size::D, at, reg.0.into());
        at
    }

    fn vget_relative(&mut self, r: Value, reg: VReg, index: Value) -> Result<(), EmitError> {
        self.r.gave_up = true;
        let at = self.relative_row(reg, index);
        let zero = self.temp_general();
        self.a.mov_imm(zero, 0);
        self.a.alu_imm(Alu::Cmp, Size::D, at, 255);
        // Out of range reads v0 (STATE-30).
        self.a.cmov(Cond::A, Size::D, at, zero);
        self.a.shift(Shift::Shl, Size::D, at, self.row_bytes().trailing_zeros() as u8);
        let mut parts = NO_PARTS;
        for p in 0..self.parts {
            let (piece, to) = self.new_in_register(Class::Vector);
            parts[p] = piece;
            self.v(X::MovLoad, to, 0, Rm::Mem(Mem::indexed(ROWS, at, 1, self.part_bytes() * p as i32)));
        }
        self.set_lo(r, parts);
        Ok(())
    }

    fn vset_relative(&mut self, reg: VReg, index: Value, value: Value, exec: Value) -> Result<(), EmitError> {
        self.r.gave_up = true;
        let parts = self.val(value).lo;
        self.all_rows_change();
        let at = self.relative_row(reg, index);
        let k = self.mask_parts(exec);
        // Everything is in registers before the way parts.
        let regs: Vec<(u8, u8, u8)> = (0..self.parts).map(|p| (self.reg(parts[p]), self.reg(k[p]), self.temp())).collect();
        let go = self.a.label();
        self.a.alu_imm(Alu::Cmp, Size::D, at, 255);
        self.a.jcc(Cond::A, go);
        self.a.shift(Shift::Shl, Size::D, at, self.row_bytes().trailing_zeros() as u8);
        for (p, (from, k, t)) in regs.into_iter().enumerate() {
            let row = Rm::Mem(Mem::indexed(ROWS, at, 1, self.part_bytes() * p as i32));
            self.v(X::MovLoad, t, 0, row);
            self.vector(Vector::new(X::MovAligned, wavejit_x86::Len::Z, t, 0, Rm::Reg(from)).mask(k));
            self.v(X::MovStore, t, 0, row);
        }
        self.a.bind(go);
        Ok(())
    }

    /// Adds 1 and the lanes of EXEC to a counter. The table is the thread's own, so no atomics.
    fn count(&mut self, id: u32, exec: Value) -> Result<(), EmitError> {
        let exec = self.scalar(exec);
        let (n, table) = (self.temp_general(), self.temp_general());
        self.a.popcnt(Size::Q, n, exec);
        self.a.load(Size::Q, table, state(offset_of!(WaveState, counters)));
        let at = i32::try_from(id as usize * size_of::<Counter>()).map_err(|_| EmitError::internal("a counter out of reach"))?;
        self.a.alu_store_imm(Alu::Add, Size::Q, Mem::at(table, at + off(offset_of!(Counter, executions))), 1);
        self.a.alu_store(Alu::Add, Size::Q, Mem::at(table, at + off(offset_of!(Counter, active_lanes))), n);
        Ok(())
    }

    fn term(&mut self, i: usize) -> Result<(), EmitError> {
        let block = &self.func.blocks[i];
        match &block.term {
            Term::Jump(to) => {
                let label = self.edge(i, *to);
                self.go_to(i, *to, label);
            }
            Term::Branch { cond, then, otherwise } => {
                let taken = match self.flags.branch.take() {
                    Some(compared) => self.compare_scalars(&compared),
                    None => {
                        let c = self.scalar(*cond);
                        self.a.test(Size::D, c, c);
                        Cond::Ne
                    }
                };
                let (t, e) = (self.edge(i, *then), self.edge(i, *otherwise));
                let (mut first, mut last) = ((*then, t), (*otherwise, e));
                // What goes round the loop comes last, or what stands next.
                let goes_on = self.stands_next(i, first.0, first.1) && !self.goes_round_to(i, last.0);
                let is_swapped = goes_on || self.goes_round_to(i, first.0);
                if is_swapped {
                    std::mem::swap(&mut first, &mut last);
                }
                self.a.jcc(if is_swapped { !taken } else { taken }, first.1);
                self.go_to(i, last.0, last.1);
            }
            Term::Indirect { target, known } => {
                let target = self.scalar(*target);
                let (lifted, t) = (self.temp_general(), self.temp_general());
                self.a.mov(Size::Q, lifted, target);
                self.a.alu_load(Alu::Sub, Size::Q, lifted, state(offset_of!(WaveState, code_delta)));
                for (pc, to) in known {
                    let to = self.edge(i, *to);
                    self.a.mov_imm(t, *pc);
                    self.a.alu(Alu::Cmp, Size::Q, lifted, t);
                    self.a.jcc(Cond::E, to);
                }
                self.a.mov_imm(t, block.term_pc);
                self.a.alu_load(Alu::Add, Size::Q, t, state(offset_of!(WaveState, code_delta)));
                self.a.store(Size::Q, state(offset_of!(WaveState, exit_pc)), t);
                self.a.store(Size::Q, state(offset_of!(WaveState, exit_arg)), target);
                self.leave_function(block.mode);
            }
            Term::Leave { pc } => {
                let t = self.temp_general();
                self.a.mov_imm(t, *pc);
                self.a.alu_load(Alu::Add, Size::Q, t, state(offset_of!(WaveState, code_delta)));
                self.a.store(Size::Q, state(offset_of!(WaveState, exit_arg)), t);
                self.a.store_imm(Size::Q, state(offset_of!(WaveState, exit_pc)), 0);
                self.leave_function(block.mode);
            }
            Term::NewMode { pc, mode } => {
                let mode = self.scalar(*mode);
                let t = self.temp_general();
                self.a.store(Size::D, state(offset_of!(WaveState, exit_mode)), mode);
                self.a.mov_imm(t, *pc);
                self.a.alu_load(Alu::Add, Size::Q, t, state(offset_of!(WaveState, code_delta)));
                self.a.store(Size::Q, state(offset_of!(WaveState, exit_arg)), t);
                self.a.store_imm(Size::D, state(offset_of!(WaveState, resume)), 0);
                self.leave_with(Exit::NewMode);
            }
            Term::Pause { why, next } => self.suspend(if *why == Pause::Barrier { Exit::Barrier } else { Exit::Yield }, *next),
            Term::End => self.leave_with(Exit::End),
            Term::Trap { id } => {
                self.a.store_imm(Size::Q, state(offset_of!(WaveState, exit_arg)), i32::from(*id));
                let t = self.temp_general();
                self.a.mov_imm(t, block.term_pc);
                self.a.store(Size::Q, state(offset_of!(WaveState, fault_pc)), t);
                self.leave_with(Exit::Trap);
            }
            Term::Fail(index) => {
                self.a.store_imm(Size::Q, state(offset_of!(WaveState, exit_arg)), *index as i32);
                self.leave_with(Exit::Fail);
            }
        }
        Ok(())
    }

    /// Out to the run time, which goes on at the guest address in `exit_arg`.
    fn leave_function(&mut self, mode: wavejit_ir::FpMode) {
        self.a.store_imm(Size::D, state(offset_of!(WaveState, exit_mode)), i32::from(mode.0));
        self.a.store_imm(Size::D, state(offset_of!(WaveState, resume)), 0);
        self.leave_with(Exit::NewPc);
    }

    /// Lane values, and not scalars or masks, are operands or result.
    pub(super) fn has_lanes(&self, r: Value, args: &[Option<Value>; 3]) -> bool {
        self.func.ty(r).shape == Shape::Lane && self.func.ty(r) != Ty::MASK || args.iter().flatten().any(|v| self.is_lane(*v))
    }
}
