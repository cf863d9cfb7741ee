//! Loads and stores, inside the code.
//!
//! An access looks whether the addresses of the active lanes are consecutive in each 16 lanes, as seen from lane 0: then it is one move a part.
//! Where they are not it gathers or scatters; and what fits neither (a lane out of range, lanes far apart, an element across dwords) is done by the
//! helper, lane by lane, with all registers kept. The helper also runs if a fast access faults: the handler of the signal goes to where it is
//! called ([`crate::code_memory`]), and it finds lane and address, or that no active lane was to blame.
//!
//! ```text
//! code:     pattern test -> no: general     range test -> no: careful     move (may fault -> careful)
//! general:  find the base among active lanes, test all -> no: careful     gather or scatter (may fault -> careful)
//! careful:  operands to rows, call, results from rows
//! ```
//!
//! One range test for a wave: an offset of 32 bits reaches 4 GiB, so the start must be that far below the end of what may be touched
//! ([`WaveState::mem_reach`]). A load under partial EXEC reads no byte of the other lanes.

use super::calls::{CAREFUL_ADDR, CAREFUL_DATA, CAREFUL_DST, CARGO_BASE, CARGO_EXEC, CARGO_HELPER, CARGO_OP};
use super::lanes::{GT, NE};
use super::regs::{Class, NO_PARTS, Parts};
use super::{BASE, ROWS, Wide, X, off, state};
use crate::emit::EmitError;
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp, WaveState};
use wavejit_ir::{Addr, Data, Inst, MemKind, Space, Ty, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Shift, Size, Vector};

/// How many waves ahead of an access its lines are asked for.
const AHEAD: usize = 4;

/// An access on its way: registers that stay what they are until it is done.
#[derive(Clone)]
pub(super) struct Access {
    pub is_store: bool,
    pub kind: MemKind,
    pub space: Space,
    pub op: MemOp,
    /// Mask registers of EXEC.
    pub exec: Vec<u8>,
    /// Offsets by part: low dwords, high dwords.
    pub low: Vec<u8>,
    pub high: Vec<u8>,
    /// Data by dword and part: of a store, or the results of a load.
    pub data: Vec<Vec<u8>>,
    /// What is known of the offsets: in each part so much more from lane to lane.
    pub stride: Option<u32>,
    /// Scalar part of the address.
    pub base: Option<Gpr>,
    /// The constant part, as a displacement.
    pub imm: i32,
    pub general: Label,
    pub careful: Label,
    pub done: Label,
    /// Temporaries: host address, offsets of lane 0 by part.
    pub host: Gpr,
    pub starts: Vec<Gpr>,
    pub t: u8,
    pub k: u8,
    pub k2: u8,
    /// Room to put elements of several dwords together or apart.
    pub raw: Vec<u8>,
}

impl Access {
    fn dwords(&self) -> usize {
        self.kind.dwords()
    }
    fn bytes(&self) -> i32 {
        self.kind.bytes() as i32
    }
}

impl<'a> Wide<'a> {
    pub(super) fn load(&mut self, inst: &'a Inst, space: Space, kind: MemKind, addr: &Addr, exec: Value) -> Result<(), EmitError> {
        let op = MemOp { kind: kind as u8, ..self.mem_op(inst, space, addr.imm) };
        if !self.is_inline(space, addr) {
            return self.memory_call(inst, offset_of!(Helpers, load), op, addr, &[None; 4], exec);
        }
        let uniform = addr.offset.is_none() && space != Space::Scratch;
        let mut results: Vec<Parts> = vec![];
        let mut data = vec![];
        let mut a = self.access(op, space, kind, addr, exec, false);
        for _ in 0..kind.dwords() {
            let (mut parts, mut regs) = (NO_PARTS, vec![]);
            for p in 0..self.parts {
                if uniform && p > 0 {
                    parts[p] = parts[0];
                    regs.push(regs[0]);
                } else {
                    let (piece, reg) = self.new_in_register(Class::Vector);
                    parts[p] = piece;
                    regs.push(reg);
                }
            }
            results.push(parts);
            data.push(regs);
        }
        a.data = data;
        self.emit_access(inst, a, addr);
        for (i, parts) in results.into_iter().enumerate() {
            self.set_lo(inst.result(i), parts);
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        inst: &'a Inst,
        space: Space,
        kind: MemKind,
        addr: &Addr,
        data: &Data,
        exec: Value,
    ) -> Result<(), EmitError> {
        let op = MemOp { kind: kind as u8, ..self.mem_op(inst, space, addr.imm) };
        if !self.is_inline(space, addr) {
            return self.memory_call(inst, offset_of!(Helpers, store), op, addr, data, exec);
        }
        let mut regs = vec![];
        for v in data.iter().flatten() {
            let parts = self.val(*v).lo;
            regs.push((0..self.parts).map(|p| self.reg(parts[p])).collect::<Vec<u8>>());
        }
        let mut a = self.access(op, space, kind, addr, exec, true);
        a.data = regs;
        self.emit_access(inst, a, addr);
        Ok(())
    }

    /// Is there code for such an access?
    fn is_inline(&self, space: Space, addr: &Addr) -> bool {
        let is_small = addr.imm.unsigned_abs() < 1 << 30;
        let is_narrow = addr.offset.is_none_or(|v| self.func.ty(v) == Ty::L32);
        match space {
            Space::Global | Space::Flat => is_small,
            // Sums of 32 bits: the constant may be a difference.
            Space::Lds => addr.base.is_none() && is_narrow && (addr.offset.is_some() || is_small && addr.imm >= 0),
            Space::Scratch => is_narrow,
            Space::Gds => false,
        }
    }

    /// Operands and temporaries of an access in registers.
    pub(super) fn access(&mut self, op: MemOp, space: Space, kind: MemKind, addr: &Addr, exec: Value, is_store: bool) -> Access {
        let exec = self.mask_parts(exec);
        let exec: Vec<u8> = (0..self.parts).map(|p| self.reg(exec[p])).collect();
        let (mut low, mut high) = (vec![], vec![]);
        if let Some(v) = addr.offset {
            let (lo, hi) = if self.func.ty(v) == Ty::L64 { self.split(v) } else { (self.val(v).lo, NO_PARTS) };
            low = (0..self.parts).map(|p| self.reg(lo[p])).collect();
            if self.func.ty(v) == Ty::L64 {
                high = (0..self.parts).map(|p| self.reg(hi[p])).collect();
            }
        }
        let base = addr.base.map(|b| self.scalar(b));
        let host = self.temp_general();
        let starts = (0..if low.is_empty() { 2 } else { self.parts }).map(|_| self.temp_general()).collect();
        let (t, k, k2) = (self.temp(), self.temp_mask(), self.temp_mask());
        let raw = match (space, kind.bytes()) {
            (Space::Scratch, 1 | 2) => 4,
            (Space::Scratch, _) | (_, ..=4) => 0,
            _ if addr.offset.is_none() => 0,
            _ => kind.dwords() + 1,
        };
        let raw = (0..raw).map(|_| self.temp()).collect();
        // Of sums of 32 bits the low bits.
        let imm = addr.imm as i32;
        Access {
            is_store,
            kind,
            space,
            op,
            exec,
            low,
            high,
            data: vec![],
            stride: addr.offset.and_then(|v| self.strides.of(v)).map(|s| s.stride),
            base,
            imm,
            general: self.a.label(),
            careful: self.a.label(),
            done: self.a.label(),
            host,
            starts,
            t,
            k,
            k2,
            raw,
        }
    }

    fn emit_access(&mut self, inst: &'a Inst, a: Access, addr: &Addr) {
        match (a.space, addr.offset) {
            (Space::Scratch, None) => self.scratch_rows(&a),
            (Space::Scratch, _) => self.scratch_lanes(&a),
            (_, None) => self.one_element(&a),
            _ => self.lanes_access(&a),
        }
        self.a.bind(a.done);
        let pc = inst.pc;
        let needs_general = addr.offset.is_some() && a.space != Space::Scratch;
        self.careful_label();
        self.stubs.push(Box::new(move |w| {
            if needs_general {
                w.a.bind(a.general);
                w.map.push((w.a.offset(), pc));
                w.general(&a);
            }
            w.a.bind(a.careful);
            w.map.push((w.a.offset(), pc));
            w.careful_access(&a);
        }));
    }

    /// The next instruction may fault: then the access is done again with care.
    fn may_fault(&mut self, a: &Access) {
        self.recover.push((self.a.offset(), a.careful));
    }

    /// host = base + imm, less `mem_low`, tested; then as a host address.
    fn start_global(&mut self, a: &Access, t: Gpr) {
        match a.base {
            Some(b) if a.imm != 0 => self.a.lea(Size::Q, a.host, Mem::at(b, a.imm)),
            Some(b) => self.a.mov(Size::Q, a.host, b),
            None => self.a.mov_imm(a.host, i64::from(a.imm) as u64),
        }
        self.test_range(a, t);
    }

    /// Is the guest address in `host`, with 4 GiB behind it, in what may be touched? Then host = its host address.
    fn test_range(&mut self, a: &Access, t: Gpr) {
        self.a.mov(Size::Q, t, a.host);
        self.a.alu_load(Alu::Sub, Size::Q, t, state(offset_of!(WaveState, mem_low)));
        self.a.alu_load(Alu::Cmp, Size::Q, t, state(offset_of!(WaveState, mem_reach)));
        self.a.jcc(Cond::Ae, a.careful);
        self.a.alu(Alu::Add, Size::Q, a.host, BASE);
    }

    /// One address for all lanes.
    fn one_element(&mut self, a: &Access) {
        let t = a.starts[0];
        let at = match a.space {
            Space::Lds => {
                let end = a.imm + a.bytes();
                self.a.alu_store_imm(Alu::Cmp, Size::D, state(offset_of!(WaveState, lds_bytes)), end);
                self.a.jcc(Cond::B, a.careful);
                self.a.load(Size::Q, a.host, state(offset_of!(WaveState, lds)));
                Mem::at(a.host, a.imm)
            }
            _ => {
                self.start_global(a, t);
                Mem::at(a.host, 0)
            }
        };
        if a.is_store { self.store_last(a, at) } else { self.broadcast_element(a, at, t, None) }
    }

    /// Stores what the last active lane has: in lockstep order it comes behind the others.
    fn store_last(&mut self, a: &Access, to: Mem) {
        let (lane, value) = (a.starts[0], a.starts[1]);
        self.bits_in(&a.exec, lane, a.k2);
        self.a.test(Size::Q, lane, lane);
        self.a.jcc(Cond::E, a.done);
        self.a.lzcnt(Size::Q, lane, lane);
        self.a.alu_imm(Alu::Xor, Size::Q, lane, 63);
        for (j, data) in a.data.iter().enumerate() {
            if data.iter().all(|reg| *reg == data[0]) {
                self.a.vector(Vector::new(X::MovdToGpr, Len::X, data[0], 0, Rm::Reg(value.0)));
            } else {
                for (p, reg) in data.iter().enumerate() {
                    let row = self.row_mem(CAREFUL_DATA, p);
                    self.v(X::MovStore, *reg, 0, Rm::Mem(row));
                }
                self.a.load(Size::D, value, Mem::indexed(ROWS, lane, 4, i32::from(CAREFUL_DATA) * 64 * self.parts as i32));
            }
            let to = to.plus(4 * j as i32);
            self.may_fault(a);
            match a.kind {
                MemKind::U8 | MemKind::I8 => self.a.store8(to, value),
                MemKind::U16 | MemKind::I16 => self.a.store16(to, value),
                _ => self.a.store(Size::D, to, value),
            }
        }
    }

    /// Loads one element into all lanes of a part, or of all parts where they share registers.
    fn broadcast_element(&mut self, a: &Access, from: Mem, t: Gpr, part: Option<usize>) {
        let p = part.unwrap_or(0);
        match a.kind {
            MemKind::U8 | MemKind::I8 | MemKind::U16 | MemKind::I16 => {
                self.may_fault(a);
                match a.kind {
                    MemKind::U8 | MemKind::I8 => self.a.load_u8(t, from),
                    _ => self.a.load_u16(t, from),
                }
                match a.kind {
                    MemKind::I8 => self.a.movsx8(t, t),
                    MemKind::I16 => self.a.movsx16(t, t),
                    _ => {}
                }
                self.v(X::BroadcastGpr, a.data[0][p], 0, Rm::Reg(t.0));
            }
            _ => {
                for (j, data) in a.data.iter().enumerate() {
                    self.may_fault(a);
                    self.v(X::Broadcast, data[p], 0, Rm::Mem(from.plus(4 * j as i32)));
                }
            }
        }
    }

    /// Scratch at one offset for all lanes: rows.
    fn scratch_rows(&mut self, a: &Access) {
        let t = a.starts[0];
        self.scratch_offset(a);
        if a.bytes() > 1 {
            self.a.test_imm(Size::D, a.host, a.bytes().min(4) - 1);
            self.a.jcc(Cond::Ne, a.careful);
        }
        self.a.load(Size::D, t, state(offset_of!(WaveState, scratch_bytes)));
        self.a.alu_imm(Alu::Sub, Size::Q, t, a.bytes());
        self.a.alu(Alu::Cmp, Size::Q, t, a.host);
        // Signed: less bytes than one element give a negative number.
        self.a.jcc(Cond::L, a.careful);
        if a.bytes() < 4 {
            self.a.mov(Size::D, t, a.host);
            self.a.alu_imm(Alu::And, Size::D, t, 3);
            self.a.shift(Shift::Shl, Size::D, t, 3);
            self.v(X::BroadcastGpr, a.raw[0], 0, Rm::Reg(t.0));
            self.a.alu_imm(Alu::And, Size::D, a.host, !3);
        }
        self.a.shift(Shift::Shl, Size::Q, a.host, 4 + self.parts.trailing_zeros() as u8);
        self.a.alu_load(Alu::Add, Size::Q, a.host, state(offset_of!(WaveState, scratch)));
        for (j, data) in a.data.iter().enumerate() {
            for (p, reg) in data.iter().enumerate() {
                let at = Rm::Mem(Mem::at(a.host, (64 * self.parts * j + 64 * p) as i32));
                let mut from = *reg;
                if a.is_store && a.bytes() < 4 {
                    self.may_fault(a);
                    self.v(X::MovLoad, a.raw[1], 0, at);
                    self.insert_small(a, p);
                    from = a.raw[1];
                }
                self.may_fault(a);
                if a.is_store {
                    self.a.vector(Vector::new(X::MovStore, Len::Z, from, 0, at).mask(a.exec[p]));
                } else {
                    self.v(X::MovLoad, *reg, 0, at);
                }
                if !a.is_store && a.bytes() < 4 {
                    self.v(X::Psrlvd, *reg, *reg, Rm::Reg(a.raw[0]));
                    self.cut_off(a, *reg);
                }
            }
        }
    }

    /// host = base + imm, 32 bits.
    fn scratch_offset(&mut self, a: &Access) {
        match a.base {
            Some(b) => self.a.lea(Size::D, a.host, Mem::at(b, a.imm)),
            None => self.a.mov_imm(a.host, u64::from(a.imm as u32)),
        }
    }

    /// raw\[1\], dwords of scratch, with the elements to be stored in them: at bits raw\[0\] and up.
    fn insert_small(&mut self, a: &Access, p: usize) {
        let (at, to, data, bits) = (a.raw[0], a.raw[1], a.raw[2], a.raw[3]);
        let ones = self.element32(u32::MAX >> (32 - 8 * a.bytes()));
        self.v(X::Broadcast, bits, 0, ones);
        self.v(X::Psllvd, bits, bits, Rm::Reg(at));
        self.v(X::Psllvd, data, a.data[0][p], Rm::Reg(at));
        // bits ? data : to
        self.vi(X::Pternlogd, to, data, Rm::Reg(bits), 0xd8);
    }

    /// Scratch at an offset for each lane: whole dwords in columns, of which smaller elements are parts.
    fn scratch_lanes(&mut self, a: &Access) {
        let (add, limit) = (a.host, a.starts[0]);
        self.scratch_offset(a);
        // Column indices have 31 bits.
        const MOST_BYTES: i32 = 1 << 24;
        self.a.load(Size::D, limit, state(offset_of!(WaveState, scratch_bytes)));
        self.a.alu_imm(Alu::Cmp, Size::Q, limit, MOST_BYTES);
        self.a.jcc(Cond::A, a.careful);
        self.a.alu_imm(Alu::Sub, Size::Q, limit, a.bytes());
        self.a.jcc(Cond::S, a.careful);
        self.a.store(Size::D, Mem::at(Gpr::RSP, CARGO_HELPER), limit);
        self.a.store(Size::D, Mem::at(Gpr::RSP, CARGO_BASE), add);
        self.a.load(Size::Q, a.host, state(offset_of!(WaveState, scratch)));
        for p in 0..self.parts {
            self.v(X::Paddd, a.t, a.low[p], Rm::Bcst(Mem::at(Gpr::RSP, CARGO_BASE)));
            let beyond = Rm::Bcst(Mem::at(Gpr::RSP, CARGO_HELPER));
            self.a.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, beyond).imm(GT).mask(a.exec[p]));
            if a.bytes() > 1 {
                let low_bits = self.splat32(a.bytes().min(4) as u32 - 1);
                self.a.vector(Vector::new(X::Ptestmd, Len::Z, a.k2, a.t, low_bits).mask(a.exec[p]));
                self.k(X::Korw, a.k, a.k, a.k2);
            }
            self.any(a.k);
            self.a.jcc(Cond::Ne, a.careful);
        }
        for p in 0..self.parts {
            self.v(X::Paddd, a.t, a.low[p], Rm::Bcst(Mem::at(Gpr::RSP, CARGO_BASE)));
            if a.bytes() < 4 {
                self.vi(X::PslldImm, 0, a.raw[0], Rm::Reg(a.t), 3);
                let (bit, dword) = (self.splat32(24), self.splat32(!3));
                self.v(X::Pandd, a.raw[0], a.raw[0], bit);
                self.v(X::Pandd, a.t, a.t, dword);
            }
            self.vi(X::PslldImm, 0, a.t, Rm::Reg(a.t), 4 + self.parts.trailing_zeros() as u8);
            let columns = self.table(move |i| 4 * (16 * p as u32 + i));
            self.v(X::Paddd, a.t, a.t, columns);
            for (j, data) in a.data.iter().enumerate() {
                let at = (64 * self.parts * j) as i32;
                match (a.is_store, a.bytes() < 4) {
                    (false, _) => self.columns(a, p, X::Gatherdd, data[p], at),
                    (true, false) => self.columns(a, p, X::Scatterdd, data[p], at),
                    (true, true) => {
                        self.columns(a, p, X::Gatherdd, a.raw[1], at);
                        self.insert_small(a, p);
                        self.columns(a, p, X::Scatterdd, a.raw[1], at);
                    }
                }
                if !a.is_store && a.bytes() < 4 {
                    self.v(X::Psrlvd, data[p], data[p], Rm::Reg(a.raw[0]));
                    self.cut_off(a, data[p]);
                }
            }
        }
    }

    /// The dwords of a part's active lanes at `host` + t + `disp`.
    fn columns(&mut self, a: &Access, p: usize, op: X, reg: u8, disp: i32) {
        let at = Rm::Mem(Mem::gather(a.host, a.t, 1, disp));
        self.k(X::Kmovw, a.k2, 0, a.exec[p]);
        self.may_fault(a);
        self.a.vector(Vector::new(op, Len::Z, reg, 0, at).mask(a.k2));
    }

    /// kortestw: are all bits of the mask zero?
    pub(super) fn any(&mut self, k: u8) {
        self.k(X::Kortestw, k, 0, k);
    }

    /// Lanes at addresses of their own: the usual case, 16 consecutive ones in each part.
    fn lanes_access(&mut self, a: &Access) {
        let stride = a.bytes() as u32;
        // Stores of several lanes to one place, and elements that overlap, are for the general way.
        let known = a.stride.filter(|s| *s == stride || !a.is_store && a.bytes() >= 4 || *s == 0 && !a.is_store);
        let is_row = known.is_none_or(|s| s == stride);
        // What differs from consecutive addresses collects in k.
        let mut tested = false;
        for p in 0..self.parts {
            let k = if tested { a.k2 } else { a.k };
            self.a.vector(Vector::new(X::MovdToGpr, Len::X, a.low[p], 0, Rm::Reg(a.starts[p].0)));
            if known.is_some() {
                continue;
            }
            self.v(X::Broadcast, a.t, 0, Rm::Reg(a.low[p]));
            let steps = self.table(|i| i * stride);
            self.v(X::Paddd, a.t, a.t, steps);
            self.a.vector(Vector::new(X::Pcmpud, Len::Z, k, a.t, Rm::Reg(a.low[p])).imm(NE).mask(a.exec[p]));
            if tested {
                self.k(X::Korw, a.k, a.k, a.k2);
            }
            tested = true;
        }
        if !a.high.is_empty() {
            self.v(X::Broadcast, a.t, 0, Rm::Reg(a.high[0]));
            for p in 0..self.parts {
                let k = if tested { a.k2 } else { a.k };
                self.a.vector(Vector::new(X::Pcmpud, Len::Z, k, a.t, Rm::Reg(a.high[p])).imm(NE).mask(a.exec[p]));
                if tested {
                    self.k(X::Korw, a.k, a.k, a.k2);
                }
                tested = true;
            }
        }
        if a.dwords() > 1 && is_row {
            // Elements of several dwords are taken apart or put together for whole parts only.
            for p in 0..self.parts {
                let k = if tested { a.k2 } else { a.k };
                self.k(X::Knotw, k, 0, a.exec[p]);
                if tested {
                    self.k(X::Korw, a.k, a.k, a.k2);
                }
                tested = true;
            }
        }
        if tested {
            self.any(a.k);
            self.a.jcc(Cond::Ne, a.general);
        }
        // Bytes from the first lane's element to the end of the last one's.
        let Some(span) = known.unwrap_or(stride).checked_mul(15).and_then(|b| i32::try_from(b + stride).ok()).filter(|b| *b < 1 << 29)
        else {
            return self.a.jmp(a.general);
        };
        if a.space == Space::Lds {
            // Room up to the end of LDS for each part; there is none if it is smaller than a part.
            let limit = a.host;
            self.a.load(Size::D, limit, state(offset_of!(WaveState, lds_bytes)));
            self.a.alu_imm(Alu::Sub, Size::Q, limit, span);
            for p in 0..self.parts {
                if a.imm != 0 {
                    self.a.lea(Size::D, a.starts[p], Mem::at(a.starts[p], a.imm));
                }
                self.a.alu(Alu::Cmp, Size::Q, a.starts[p], limit);
                self.a.jcc(Cond::G, a.general);
            }
            self.a.load(Size::Q, a.host, state(offset_of!(WaveState, lds)));
        } else {
            // Offsets are zero-extended: they may not wrap within a part.
            for p in 0..self.parts {
                self.a.alu_imm(Alu::Cmp, Size::D, a.starts[p], -span);
                self.a.jcc(Cond::A, a.general);
            }
            if a.high.is_empty() {
                // The range test needs a register: the address itself is made again.
                self.range_of_base(a);
            } else {
                self.a.vector(Vector::new(X::MovdToGpr, Len::X, a.high[0], 0, Rm::Reg(a.host.0)));
                self.a.shift(Shift::Shl, Size::Q, a.host, 32);
                self.add_base(a);
                self.range_in_place(a);
            }
        }
        for p in 0..self.parts {
            let at = Mem::indexed(a.host, a.starts[p], 1, 0);
            match known {
                Some(0) => self.broadcast_element(a, at, a.starts[p], Some(p)),
                Some(s) if s != stride => {
                    self.load_table(a.t, move |i| i * s);
                    self.a.lea(Size::Q, a.starts[p], at);
                    self.gather_dwords(a, p, a.starts[p], 0);
                }
                _ => self.move_part(a, p, at),
            }
        }
    }

    /// host += base + imm
    fn add_base(&mut self, a: &Access) {
        if let Some(b) = a.base {
            self.a.alu(Alu::Add, Size::Q, a.host, b);
        }
        if a.imm != 0 {
            self.a.alu_imm(Alu::Add, Size::Q, a.host, a.imm);
        }
    }

    /// host = host address of base + imm, tested.
    pub(super) fn range_of_base(&mut self, a: &Access) {
        match a.base {
            Some(b) if a.imm != 0 => self.a.lea(Size::Q, a.host, Mem::at(b, a.imm)),
            Some(b) => self.a.mov(Size::Q, a.host, b),
            None => self.a.mov_imm(a.host, i64::from(a.imm) as u64),
        }
        self.range_in_place(a);
    }

    /// The range test without another register: subtracts, compares, adds again.
    fn range_in_place(&mut self, a: &Access) {
        let low = state(offset_of!(WaveState, mem_low));
        self.a.alu_load(Alu::Sub, Size::Q, a.host, low);
        self.a.alu_load(Alu::Cmp, Size::Q, a.host, state(offset_of!(WaveState, mem_reach)));
        self.a.jcc(Cond::Ae, a.careful);
        self.a.alu_load(Alu::Add, Size::Q, a.host, low);
        self.a.alu(Alu::Add, Size::Q, a.host, BASE);
    }

    /// Sixteen consecutive elements.
    fn move_part(&mut self, a: &Access, p: usize, at: Mem) {
        if a.space != Space::Lds {
            // Lines that a wave a few waves later will touch if waves walk through memory, as they mostly do.
            for line in 0..a.dwords() {
                self.a.prefetch(at.plus((AHEAD * 64 * self.parts * a.dwords() + 64 * line) as i32));
            }
        }
        let (reg, k) = (a.data[0][p], a.exec[p]);
        if a.dwords() > 1 {
            return if a.is_store { self.interleave(a, p, at) } else { self.deinterleave(a, p, at) };
        }
        let op = match (a.is_store, a.kind) {
            (false, MemKind::U8) => X::Pmovzxbd,
            (false, MemKind::I8) => X::Pmovsxbd,
            (false, MemKind::U16) => X::Pmovzxwd,
            (false, MemKind::I16) => X::Pmovsxwd,
            (false, _) => X::MovLoad,
            (true, MemKind::U8 | MemKind::I8) => X::Pmovdb,
            (true, MemKind::U16 | MemKind::I16) => X::Pmovdw,
            (true, _) => X::MovStore,
        };
        self.may_fault(a);
        let i = Vector::new(op, Len::Z, reg, 0, Rm::Mem(at));
        self.a.vector(if a.is_store { i.mask(k) } else { i.zeroing(k) });
    }

    /// Sixteen elements of several dwords from memory, to one register for each dword.
    fn deinterleave(&mut self, a: &Access, p: usize, at: Mem) {
        let n = a.dwords() as u32;
        let (raw, order) = (&a.raw[..n as usize], a.raw[n as usize]);
        for (m, reg) in raw.iter().enumerate() {
            self.may_fault(a);
            self.v(X::MovLoad, *reg, 0, Rm::Mem(at.plus(64 * m as i32)));
        }
        for (j, data) in a.data.iter().enumerate() {
            // Dword j of element i is dword n * i + j in memory.
            let place = move |i: u32| n * i + j as u32;
            self.load_table(data[p], move |i| if place(i) < 32 { place(i) } else { 0 });
            self.v(X::Permi2d, data[p], raw[0], Rm::Reg(raw[1]));
            for (m, reg) in raw.iter().enumerate().skip(2) {
                self.load_table(order, move |i| if place(i) / 16 == m as u32 { 16 + place(i) % 16 } else { i });
                self.v(X::Permt2d, data[p], order, Rm::Reg(*reg));
            }
        }
    }

    /// The other way round.
    fn interleave(&mut self, a: &Access, p: usize, at: Mem) {
        let n = a.dwords() as u32;
        let (to, order) = (a.raw[0], a.raw[1]);
        for m in 0..n {
            // Dword i of this register is dword (16 m + i) % n of element (16 m + i) / n.
            let (element, dword) = (move |i: u32| (16 * m + i) / n, move |i: u32| (16 * m + i) % n);
            self.load_table(to, move |i| element(i) + 16 * dword(i).min(1));
            self.v(X::Permi2d, to, a.data[0][p], Rm::Reg(a.data[1][p]));
            for c in 2..n {
                self.load_table(order, move |i| if dword(i) == c { 16 + element(i) } else { i });
                self.v(X::Permt2d, to, order, Rm::Reg(a.data[c as usize][p]));
            }
            self.may_fault(a);
            self.v(X::MovStore, to, 0, Rm::Mem(at.plus(64 * m as i32)));
        }
    }

    fn load_table(&mut self, to: u8, f: impl Fn(u32) -> u32) {
        let table = self.table(f);
        self.v(X::MovLoad, to, 0, table);
    }

    /// Dwords at `from` + t, one after the other; of smaller elements what is above them is cut off.
    fn gather_dwords(&mut self, a: &Access, p: usize, from: Gpr, disp: i32) {
        for (j, data) in a.data.iter().enumerate() {
            let at = Rm::Mem(Mem::gather(from, a.t, 1, disp + 4 * j as i32));
            self.k(X::Kmovw, a.k2, 0, a.exec[p]);
            self.may_fault(a);
            let op = if a.is_store { X::Scatterdd } else { X::Gatherdd };
            self.a.vector(Vector::new(op, Len::Z, data[p], 0, at).mask(a.k2));
        }
        self.cut_off(a, a.data[0][p]);
    }

    /// Of elements smaller than a dword: cuts off what is above them, or spreads the sign.
    fn cut_off(&mut self, a: &Access, to: u8) {
        let bits = 32 - 8 * a.kind.bytes().min(4) as u8;
        match a.kind {
            MemKind::U8 | MemKind::U16 => {
                let mask = self.splat32(u32::MAX >> bits);
                self.v(X::Pandd, to, to, mask);
            }
            MemKind::I8 | MemKind::I16 => {
                self.vi(X::PslldImm, 0, to, Rm::Reg(to), bits);
                self.vi(X::PsradImm, 0, to, Rm::Reg(to), bits);
            }
            _ => {}
        }
    }

    /// Lanes anywhere within 4 GiB.
    fn general(&mut self, a: &Access) {
        // Whole dwords are gathered for smaller elements: what they reach behind the last one, at the end of a page, is done with care.
        if a.is_store && a.bytes() < 4 {
            return self.store_one_by_one(a);
        }
        if a.space == Space::Lds {
            return self.general_lds(a);
        }
        if a.is_store && a.dwords() > 1 {
            self.test_alignment(a);
        }
        if a.high.is_empty() {
            self.range_of_base(a);
        } else {
            self.common_high(a);
        }
        // Indices are signed: offsets less 2^31, from a base that is so much higher.
        self.a.mov_imm(a.starts[0], 0x8000_0000);
        self.a.alu(Alu::Add, Size::Q, a.starts[0], a.host);
        for p in 0..self.parts {
            let next = self.a.label();
            if !a.is_store {
                self.all_equal(a, p, a.low[p], next);
            }
            let flip = self.splat32(0x8000_0000);
            self.v(X::Pxord, a.t, a.low[p], flip);
            self.gather_dwords(a, p, a.starts[0], 0);
            self.a.bind(next);
        }
        self.a.jmp(a.done);
    }

    /// If all active lanes have the offset of lane 0, loads the element once and goes to `next`.
    fn all_equal(&mut self, a: &Access, p: usize, offsets: u8, next: Label) {
        let differs = self.a.label();
        self.v(X::Broadcast, a.t, 0, Rm::Reg(offsets));
        self.a.vector(Vector::new(X::Pcmpud, Len::Z, a.k2, a.t, Rm::Reg(offsets)).imm(NE).mask(a.exec[p]));
        self.any(a.k2);
        self.a.jcc(Cond::Ne, differs);
        let t = a.starts[1];
        self.a.vector(Vector::new(X::MovdToGpr, Len::X, offsets, 0, Rm::Reg(t.0)));
        let from = Mem::indexed(a.host, t, 1, 0);
        self.broadcast_element(a, from, t, Some(p));
        self.a.jmp(next);
        self.a.bind(differs);
    }

    /// Lanes whose elements might overlap without being equal are stored one by one.
    fn test_alignment(&mut self, a: &Access) {
        if !(a.bytes() as u32).is_power_of_two() {
            return self.a.jmp(a.careful);
        }
        self.a.vector(Vector::new(X::MovdToGpr, Len::X, a.low[0], 0, Rm::Reg(a.host.0)));
        self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(a.host.0));
        for p in 0..self.parts {
            let t = a.t;
            // (t ^ offset) & (bytes - 1), by a table: (x ^ y) & z with z from memory.
            let rest = self.splat32(a.bytes() as u32 - 1);
            self.v(X::Pxord, t, t, Rm::Reg(a.low[p]));
            self.a.vector(Vector::new(X::Ptestmd, Len::Z, a.k, t, rest).mask(a.exec[p]));
            self.v(X::Pxord, t, t, Rm::Reg(a.low[p]));
            self.any(a.k);
            self.a.jcc(Cond::Ne, a.careful);
        }
    }

    fn general_lds(&mut self, a: &Access) {
        if a.is_store && a.dwords() > 1 {
            self.test_alignment(a);
        }
        // The last offset at which an element fits.
        self.a.load(Size::D, a.host, state(offset_of!(WaveState, lds_bytes)));
        self.a.alu_imm(Alu::Sub, Size::Q, a.host, a.bytes().max(4));
        self.a.jcc(Cond::S, a.careful);
        let limit = a.starts[0];
        self.a.mov(Size::Q, limit, a.host);
        self.a.store(Size::D, Mem::at(Gpr::RSP, CARGO_HELPER), limit);
        self.a.load(Size::Q, a.host, state(offset_of!(WaveState, lds)));
        for p in 0..self.parts {
            // Sums of offset and constant wrap at 2^32.
            let imm = self.splat32(a.imm as u32);
            self.v(X::Paddd, a.t, a.low[p], imm);
            let m = Rm::Bcst(Mem::at(Gpr::RSP, CARGO_HELPER));
            self.a.vector(Vector::new(X::Pcmpud, Len::Z, a.k2, a.t, m).imm(GT).mask(a.exec[p]));
            self.any(a.k2);
            self.a.jcc(Cond::Ne, a.careful);
            let next = self.a.label();
            if !a.is_store {
                // As in `all_equal`, on the sums.
                let differs = self.a.label();
                let t = a.starts[1];
                self.a.vector(Vector::new(X::MovdToGpr, Len::X, a.t, 0, Rm::Reg(t.0)));
                self.a.store(Size::D, Mem::at(Gpr::RSP, CARGO_BASE), t);
                let m = Rm::Bcst(Mem::at(Gpr::RSP, CARGO_BASE));
                self.a.vector(Vector::new(X::Pcmpud, Len::Z, a.k2, a.t, m).imm(NE).mask(a.exec[p]));
                self.any(a.k2);
                self.a.jcc(Cond::Ne, differs);
                // Lane 0 may be inactive and anywhere.
                self.a.alu(Alu::Cmp, Size::Q, t, limit);
                self.a.jcc(Cond::A, differs);
                self.broadcast_element(a, Mem::indexed(a.host, t, 1, 0), t, Some(p));
                self.a.jmp(next);
                self.a.bind(differs);
            }
            self.gather_dwords(a, p, a.host, 0);
            self.a.bind(next);
        }
        self.a.jmp(a.done);
    }

    /// Bytes and halfwords of lanes anywhere: one after the other, in order.
    fn store_one_by_one(&mut self, a: &Access) {
        let (lane, value) = (a.starts[0], a.starts[1]);
        if a.space == Space::Lds {
            self.a.load(Size::Q, a.host, state(offset_of!(WaveState, lds)));
            // All in range, or with care.
            self.a.load(Size::D, lane, state(offset_of!(WaveState, lds_bytes)));
            self.a.alu_imm(Alu::Sub, Size::Q, lane, a.bytes());
            self.a.jcc(Cond::S, a.careful);
            self.a.store(Size::D, Mem::at(Gpr::RSP, CARGO_HELPER), lane);
            for p in 0..self.parts {
                let imm = self.splat32(a.imm as u32);
                self.v(X::Paddd, a.t, a.low[p], imm);
                let beyond = Rm::Bcst(Mem::at(Gpr::RSP, CARGO_HELPER));
                self.a.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, beyond).imm(GT).mask(a.exec[p]));
                self.any(a.k);
                self.a.jcc(Cond::Ne, a.careful);
                let to = self.row_mem(CAREFUL_ADDR, p);
                self.v(X::MovStore, a.t, 0, Rm::Mem(to));
            }
        } else if a.high.is_empty() {
            self.range_of_base(a);
        } else {
            self.common_high(a);
        }
        for p in 0..self.parts {
            let (addr, data) = (self.row_mem(CAREFUL_ADDR, p), self.row_mem(CAREFUL_DATA, p));
            if a.space != Space::Lds {
                self.v(X::MovStore, a.low[p], 0, Rm::Mem(addr));
            }
            self.v(X::MovStore, a.data[0][p], 0, Rm::Mem(data));
        }
        // The lanes that are left, in the frame: there is no register to spare.
        let left = Mem::at(Gpr::RSP, CARGO_EXEC);
        self.bits_in(&a.exec, lane, a.k2);
        let (next, end) = (self.a.label(), self.a.label());
        self.a.store(Size::Q, left, lane);
        self.a.bind(next);
        self.a.load(Size::Q, value, left);
        self.a.test(Size::Q, value, value);
        self.a.jcc(Cond::E, end);
        self.a.tzcnt(Size::Q, lane, value);
        // left &= left - 1
        self.a.lea(Size::Q, value, Mem::at(value, -1));
        self.a.alu_store(Alu::And, Size::Q, left, value);
        let of = |row: u16, parts: usize| i32::from(row) * 64 * parts as i32;
        self.a.load(Size::D, value, Mem::indexed(ROWS, lane, 4, of(CAREFUL_DATA, self.parts)));
        self.a.load(Size::D, lane, Mem::indexed(ROWS, lane, 4, of(CAREFUL_ADDR, self.parts)));
        let to = Mem::indexed(a.host, lane, 1, 0);
        self.may_fault(a);
        match a.kind {
            MemKind::U8 | MemKind::I8 => self.a.store8(to, value),
            _ => self.a.store16(to, value),
        }
        self.a.jmp(next);
        self.a.bind(end);
        self.a.jmp(a.done);
    }

    /// host = host address of the high dword that all active lanes have, and the base; tested.
    pub(super) fn common_high(&mut self, a: &Access) {
        self.bits_in(&a.exec, a.host, a.k2);
        for p in 0..self.parts {
            let to = self.row_mem(CAREFUL_ADDR + 1, p);
            self.v(X::MovStore, a.high[p], 0, Rm::Mem(to));
        }
        self.a.tzcnt(Size::Q, a.host, a.host);
        self.a.alu_imm(Alu::And, Size::D, a.host, 16 * self.parts as i32 - 1);
        let row = i32::from(CAREFUL_ADDR + 1) * 64 * self.parts as i32;
        self.a.load(Size::D, a.host, Mem::indexed(ROWS, a.host, 4, row));
        self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(a.host.0));
        for p in 0..self.parts {
            self.a.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, Rm::Reg(a.high[p])).imm(NE).mask(a.exec[p]));
            self.any(a.k);
            self.a.jcc(Cond::Ne, a.careful);
        }
        self.a.shift(Shift::Shl, Size::Q, a.host, 32);
        self.add_base(a);
        self.range_in_place(a);
    }

    /// The bits of mask registers in a general register; k0 and `t` are changed.
    pub(super) fn bits_in(&mut self, k: &[u8], to: Gpr, t: u8) {
        match k {
            [lo, hi] => {
                self.k(X::Kunpckwd, 0, *hi, *lo);
                self.k(X::KmovdToGpr, to.0, 0, 0);
            }
            [a, b, c, d] => {
                self.k(X::Kunpckwd, 0, *b, *a);
                self.k(X::Kunpckwd, t, *d, *c);
                self.k(X::Kunpckdq, 0, t, 0);
                self.k(X::KmovqToGpr, to.0, 0, 0);
            }
            _ => unreachable!("waves have 32 or 64 lanes"),
        }
    }

    /// The access by its helper, all registers kept but for results.
    fn careful_access(&mut self, a: &Access) {
        let store_row = |w: &mut Self, row: u16, regs: &[u8]| {
            for (p, reg) in regs.iter().enumerate() {
                let to = w.row_mem(row, p);
                w.v(X::MovStore, *reg, 0, Rm::Mem(to));
            }
        };
        let mut op = a.op;
        if !a.low.is_empty() {
            store_row(self, CAREFUL_ADDR, &a.low);
            op.offset[0] = CAREFUL_ADDR;
        }
        if !a.high.is_empty() {
            store_row(self, CAREFUL_ADDR + 1, &a.high);
            op.offset[1] = CAREFUL_ADDR + 1;
        }
        for (j, regs) in a.data.iter().enumerate() {
            if a.is_store {
                op.data[j] = CAREFUL_DATA + j as u16;
                store_row(self, op.data[j], regs);
            } else {
                op.dst[j] = CAREFUL_DST + j as u16;
            }
        }
        let pinned = Box::new(op);
        let at = std::ptr::from_ref(&*pinned) as u64;
        self.pinned.mem_ops.push(pinned);
        self.store_imm64(Mem::at(Gpr::RSP, CARGO_OP), at);
        self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_EXEC), 0);
        for (p, k) in a.exec.iter().enumerate() {
            let to = Rm::Mem(Mem::at(Gpr::RSP, CARGO_EXEC + 2 * p as i32));
            self.a.vector(Vector::new(X::KmovwStore, Len::X, *k, 0, to));
        }
        match a.base {
            Some(b) => self.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_BASE), b),
            None => self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_BASE), 0),
        }
        let helper = if a.is_store { offset_of!(Helpers, store) } else { offset_of!(Helpers, load) };
        self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_HELPER), off(helper));
        let careful = self.careful_label();
        self.a.call(careful);
        for (j, regs) in a.data.iter().enumerate().take(if a.is_store { 0 } else { a.data.len() }) {
            let row = CAREFUL_DST + j as u16;
            if regs[0] == regs[1] {
                // One register for all parts: any active lane has the result.
                self.bits_in(&a.exec, a.host, a.k2);
                self.a.tzcnt(Size::Q, a.host, a.host);
                self.a.alu_imm(Alu::And, Size::D, a.host, 16 * self.parts as i32 - 1);
                let lane = Mem::indexed(ROWS, a.host, 4, i32::from(row) * 64 * self.parts as i32);
                self.v(X::Broadcast, regs[0], 0, Rm::Mem(lane));
                continue;
            }
            for (p, reg) in regs.iter().enumerate() {
                let from = self.row_mem(row, p);
                self.v(X::MovLoad, *reg, 0, Rm::Mem(from));
            }
        }
        self.a.jmp(a.done);
    }
}
