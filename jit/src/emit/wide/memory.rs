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
//! ([`wavejit_ir::abi::WaveState::mem_reach`]). A load under partial EXEC reads no byte of the other lanes.

use super::addresses::Known;
use super::addresses::{MOST_STEPS, Reach, Way};
use super::calls::{CAREFUL_DST, CARGO_EXEC};
use super::carried::CarriedAccess;
use super::level::Level;
use super::linear::LinearAccess;
use super::memo::KeptBase;
use super::quads::QuadRegs;
use super::regs::{Class, NO_PARTS, NONE, Parts};
use super::steps::Step;
use super::{ROWS, Wide, X};
use crate::emit::EmitError;
use std::mem::offset_of;
use wavejit_ir::abi::{Helpers, MemOp};
use wavejit_ir::{Addr, Data, Func, Inst, MemKind, Space, Ty, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Size, Vector};

/// An access on its way: registers that stay what they are until it is done.
#[derive(Clone)]
pub(super) struct Access {
    pub is_store: bool,
    pub kind: MemKind,
    pub space: Space,
    pub op: MemOp,
    /// Mask registers of EXEC.
    pub exec: Vec<u8>,
    /// EXEC as a word, where its masks are made in stubs: they are not needed while all lanes are active.
    pub word: Option<Gpr>,
    /// All lanes are active, which has been tested.
    pub is_full: bool,
    /// Offsets by part: low dwords, high dwords.
    pub low: Vec<u8>,
    pub high: Vec<u8>,
    /// Where the low dwords are, by part, if it is not in registers: nothing looks at more than the first lanes, and `low` is made when it is needed.
    pub low_in_rows: Vec<Mem>,
    /// Data by dword and part: of a store, or the results of a load.
    pub data: Vec<Vec<u8>>,
    /// What is known of the offsets.
    pub known: Known,
    /// Runs of 16 lanes that have a start of their own: one where it is known how far they are apart.
    pub runs: usize,
    /// Bytes from a run to the next one, then, and runs of the wave.
    pub apart: i32,
    pub all_runs: usize,
    /// They are an index, extended and shifted, which is in registers; `low` and `high` are made when they are needed.
    pub linear: Option<LinearAccess>,
    /// They are in a pair of rows that its loop moves on; `low` and `high` are made when they are needed.
    pub carried: Option<CarriedAccess>,
    /// Offsets come from memory: they are taken to be anywhere.
    pub is_scattered: bool,
    /// Loads of lanes anywhere are gathers in its block: they are faster here, or code for each lane of so many would not stay in the cache.
    pub gathers: bool,
    /// How far it moves on in its loop.
    pub step: Option<Step>,
    /// Each lane goes on through memory of its own: asks for what is so many bytes further on.
    pub ahead: Option<i32>,
    /// Scalar part of the address.
    pub base: Option<Gpr>,
    /// Where it is kept, if its register has not been given it: what needs it [loads it](Wide::load_kept_base).
    pub kept_base: Option<KeptBase>,
    /// The constant part, as a displacement.
    pub imm: i32,
    pub general: Label,
    pub careful: Label,
    /// Where the results are, or what a store had is stored, with care; of a load [as qwords](Self::as_quads) as dwords.
    pub done: Label,
    /// Where they are as they are wanted.
    pub finished: Label,
    /// It gives qwords ([`super::quads`]).
    pub as_quads: bool,
    /// Its elements are in registers as they lie in memory ([`super::vectors`]).
    pub is_lying: bool,
    /// By part, what a store has that takes qwords; who wants dwords [takes them apart](Wide::quads_to_dwords) into `data`.
    pub quads: Vec<QuadRegs>,
    /// Host addresses of the first of each 16 lanes, less a constant that `reach` has; the first is 0 if the tests that `reach` speaks of failed.
    pub starts: Vec<Gpr>,
    pub reach: Reach,
    /// Temporaries; the first ones often a host address.
    pub host: Gpr,
    pub spare: [Gpr; 2],
    pub t: u8,
    pub k: u8,
    pub k2: u8,
    /// Room to put elements of several dwords together or apart.
    pub raw: Vec<u8>,
}

impl Access {
    pub(super) fn dwords(&self) -> usize {
        self.kind.dwords()
    }
    pub(super) fn bytes(&self) -> i32 {
        self.kind.bytes() as i32
    }
    /// Where a run begins: so many bytes behind one of `starts`.
    pub(super) fn start(&self, run: usize) -> (Gpr, i32) {
        if self.starts.len() == 1 { (self.starts[0], self.apart * run as i32) } else { (self.starts[run], 0) }
    }
    /// Bytes from the first run that has a start to the last one that is found by it.
    pub(super) fn across(&self) -> i32 {
        match self.known.eights {
            Some(apart) => apart as i32 * (2 * self.all_runs as i32 - 1),
            None if self.runs == 1 => self.apart * (self.all_runs as i32 - 1),
            None => 0,
        }
    }
    /// Is it a load of one qword for all lanes?
    pub(super) fn is_one_qword(&self) -> bool {
        self.as_quads && self.data[0] == self.data[1]
    }
    /// Is it a load whose lanes might have one address all the same?
    pub(super) fn may_be_equal(&self) -> bool {
        !self.is_store && !self.is_scattered && self.known.stride.is_none_or(|s| s == 0)
    }
}

/// Is there code for such an access?
pub(super) fn is_inline(func: &Func, space: Space, addr: &Addr) -> bool {
    let is_small = addr.imm.unsigned_abs() < 1 << 30;
    let is_narrow = addr.offset.is_none_or(|v| func.ty(v) == Ty::L32);
    match space {
        Space::Global | Space::Flat => is_small,
        // Sums of 32 bits: the constant may be a difference.
        Space::Lds if addr.offset.is_some() => addr.base.is_none() && is_narrow,
        Space::Lds => is_small && addr.imm >= 0,
        Space::Scratch => is_narrow,
        Space::Gds => false,
    }
}

impl<'a> Wide<'a> {
    pub(super) fn load(&mut self, inst: &'a Inst, space: Space, kind: MemKind, addr: &Addr, exec: Value) -> Result<(), EmitError> {
        let op = MemOp { kind: kind as u8, ..self.mem_op(inst, space, addr.imm) };
        if !is_inline(self.func, space, addr) {
            return self.memory_call(inst, offset_of!(Helpers, load), op, addr, &[None; 4], exec);
        }
        if self.defer(inst, addr) {
            // Of those that do not wait one may have tested for this one, too.
            self.end_of_sharing();
            return Ok(());
        }
        let offset = addr.offset.filter(|_| self.strides.is_at_one(self.func, space, addr));
        let addr = &Addr { offset: addr.offset.filter(|_| offset.is_none()), ..*addr };
        let uniform = addr.offset.is_none() && space != Space::Scratch;
        let mut results: Vec<Parts> = vec![];
        let mut data = vec![];
        let mut a = self.access(op, space, kind, addr, exec, false, true);
        if let Some(offset) = offset {
            a.base = Some(self.first_address(a.base, offset));
        }
        a.as_quads = self.takes_quads();
        // One register is the qwords of all lanes.
        let made = if a.as_quads && uniform { 1 } else { kind.dwords() };
        for _ in 0..made {
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
        results.resize(kind.dwords(), results[0]);
        data.resize(kind.dwords(), data[0].clone());
        a.data = data;
        self.emit_access(inst, a, addr, exec);
        for (i, parts) in results.into_iter().enumerate() {
            self.set_lo(inst.result(i), parts);
        }
        Ok(())
    }

    /// `base` + the offset of the first lane, in a temporary.
    fn first_address(&mut self, base: Option<Gpr>, offset: Value) -> Gpr {
        let to = self.temp_general();
        if !self.carried_address(offset, to) {
            self.first_offset(offset, to);
        }
        if let Some(base) = base {
            self.a.alu(Alu::Add, Size::Q, to, base);
        }
        to
    }

    /// to = the offset of the first lane.
    fn first_offset(&mut self, offset: Value, to: Gpr) {
        if let Some(linear) = self.linear.get(&offset).copied() {
            self.first_of_linear(&linear, to);
        } else if self.func.ty(offset) == Ty::L32 {
            let from = self.reg(self.val(offset).lo[0]);
            self.first_dword(from, to);
        } else if self.val(offset).quad[0][0] != NONE {
            let from = self.reg(self.val(offset).quad[0][0]);
            self.vector(Vector::new(X::MovqToGpr, Len::X, from, 0, Rm::Reg(to.0)));
        } else {
            let (low, high) = self.split(offset);
            let t = self.temp_general();
            for (part, to) in [(low[0], t), (high[0], to)] {
                let from = self.reg(part);
                self.first_dword(from, to);
            }
            self.join_words(to, t);
            self.free_temp(Class::General, t.0);
        }
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
        if !is_inline(self.func, space, addr) {
            return self.memory_call(inst, offset_of!(Helpers, store), op, addr, data, exec);
        }
        let (mut regs, mut quads) = (vec![], vec![]);
        if let Some(v) = self.quad_stores.of(self.at as usize) {
            let [even, odd] = self.quad(v);
            quads = (0..self.parts).map(|p| [self.own_reg(even[p]), self.own_reg(odd[p])]).collect();
            regs = (0..kind.dwords()).map(|_| (0..self.parts).map(|_| self.temp()).collect()).collect();
        } else {
            for v in data.iter().flatten() {
                let parts = self.val(*v).lo;
                regs.push((0..self.parts).map(|p| self.own_reg(parts[p])).collect::<Vec<u8>>());
            }
        }
        let mut a = self.access(op, space, kind, addr, exec, true, true);
        (a.data, a.quads) = (regs, quads);
        self.emit_access(inst, a, addr, exec);
        Ok(())
    }

    /// Operands and temporaries of an access in registers. `is_move`: it may be one of lanes in a row.
    #[allow(clippy::too_many_arguments)] // what the instruction says, and two kinds
    pub(super) fn access(
        &mut self,
        op: MemOp,
        space: Space,
        kind: MemKind,
        addr: &Addr,
        exec: Value,
        is_store: bool,
        is_move: bool,
    ) -> Access {
        let is_scattered = addr.offset.is_some_and(|v| self.is_scattered(v, MOST_STEPS));
        // Registers are few, and places of memory that stand for some are slow.
        let is_tight = self.is_avx2() && addr.offset.is_some() && space != Space::Scratch;
        let late = is_tight && is_move && !is_scattered;
        let known = self.known_of(addr, kind);
        // What lanes are compared in, or small elements put together, comes before the address, which is read once.
        let works = is_tight && (known.stride.is_none() || kind.bytes() < 4);
        let early = works.then(|| (self.temp(), self.temp_mask(), self.temp_mask()));
        let word = late.then(|| self.scalar(exec));
        let exec: Vec<u8> = if late {
            (0..self.parts).map(|_| self.temp_in_place()).collect()
        } else {
            let exec = self.mask_parts(exec);
            (0..self.parts).map(|p| self.reg(exec[p])).collect()
        };
        let (mut low, mut high, mut low_in_rows) = (vec![], vec![], vec![]);
        let stride = known.stride;
        let way = Way::of(self.r.level, space, is_store, kind, Known { guess: None, ..known });
        let is_by_first = is_move && space == Space::Lds && way.is_some_and(|way| way.stride().is_some());
        let linear = addr.offset.and_then(|v| self.linear_access(v));
        let carried = addr.offset.and_then(|v| self.carried_access(v));
        if linear.is_some() || carried.is_some() {
            low = (0..self.parts).map(|_| self.temp_in_place()).collect();
            high = (0..self.parts).map(|_| self.temp_in_place()).collect();
        } else if let Some(rows) = addr.offset.filter(|_| is_by_first).and_then(|v| self.first_lanes_in_rows(v)) {
            low_in_rows = rows;
            low = (0..self.parts).map(|_| self.temp_in_place()).collect();
        } else if let Some(v) = addr.offset {
            let (lo, hi) = if self.func.ty(v) == Ty::L64 { self.split(v) } else { (self.val(v).lo, NO_PARTS) };
            low = (0..self.parts).map(|p| self.reg(lo[p])).collect();
            if self.func.ty(v) == Ty::L64 {
                high = (0..self.parts).map(|p| self.reg(hi[p])).collect();
            }
        }
        let kept_base = addr.base.filter(|_| linear.as_ref().is_some_and(LinearAccess::has_one_index)).and_then(|b| self.kept_base(b));
        let base = match kept_base {
            Some(_) => Some(self.temp_general()),
            None => addr.base.map(|b| self.scalar(b)),
        };
        let host = self.temp_general();
        let spare = [self.temp_general(), self.temp_general()];
        let (t, k, k2) = early.unwrap_or_else(|| (self.temp(), self.temp_mask(), self.temp_mask()));
        let apart = match &linear {
            Some(l) => l.apart(),
            None if carried.is_some() => None,
            None => known.eights.map(|apart| 2 * apart as i32).or_else(|| self.apart_of(addr)),
        };
        let spread = way.and_then(|way| way.spread(self.r.level, is_store, kind));
        let raw = match (space, kind.bytes()) {
            (Space::Scratch, 1 | 2) => 4,
            (Space::Scratch, _) => 0,
            _ if addr.offset.is_none() => 0,
            _ if spread.is_some_and(|m| m > 1) => spread.map_or(0, |m| m as usize + 1),
            (_, ..=4) if !is_store && stride.is_none() && !self.prefers_gathers(kind) && self.r.level == Level::Avx512 => 1,
            (_, ..=4) => 0,
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
            word,
            is_full: false,
            low,
            high,
            low_in_rows,
            data: vec![],
            known,
            runs: if apart.is_some() { 1 } else { self.groups() },
            apart: apart.unwrap_or(0),
            all_runs: self.groups(),
            linear,
            carried,
            is_scattered,
            gathers: self.prefers_gathers(kind),
            step: self.steps.get(&(self.r.block as u32, self.at)).copied(),
            ahead: None,
            base,
            kept_base,
            imm,
            general: self.a.label(),
            careful: self.a.label(),
            done: self.a.label(),
            finished: self.a.label(),
            as_quads: false,
            is_lying: is_move && self.has_vectors(),
            quads: vec![],
            starts: vec![],
            reach: Reach::default(),
            host,
            spare,
            t,
            k,
            k2,
            raw,
        }
    }

    pub(super) fn emit_access(&mut self, inst: &'a Inst, mut a: Access, addr: &Addr, exec: Value) {
        let fail = self.a.label();
        self.note_access(&a, addr);
        match (a.space, addr.offset) {
            (Space::Scratch, None) => self.scratch_rows(&a),
            (Space::Scratch, _) => self.scratch_lanes(&a),
            (Space::Lds, None) if a.base.is_some() => {
                self.share_tests(&mut a, addr, exec);
                self.element_of_lds(&a, fail);
                self.end_of_sharing();
            }
            (_, None) => self.one_element(&a),
            _ if a.is_scattered => self.general(&a),
            _ => {
                self.share_tests(&mut a, addr, exec);
                match a.word {
                    Some(word) => self.whole_wave_access(inst, &a, word, fail),
                    None => self.lanes_access(&a, fail),
                }
                self.end_of_sharing();
                self.end_of_firsts();
            }
        }
        let pc = inst.pc;
        let is_loaded_lying = a.is_lying && !a.is_store;
        if a.as_quads && !a.is_one_qword() || is_loaded_lying {
            self.a.bind(a.finished);
            let a = a.clone();
            self.stubs.push(Box::new(move |w| {
                w.a.bind(a.done);
                w.map.push((w.a.offset(), pc));
                (0..w.parts).for_each(|p| if is_loaded_lying { w.dwords_to_lying(&a, p) } else { w.dwords_to_quads(&a, p) });
                w.a.jmp(a.finished);
            }));
        } else {
            self.a.bind(a.done);
            self.a.bind(a.finished);
        }
        let is_common = addr.offset.is_none();
        let needs_general = addr.offset.is_some() && a.space != Space::Scratch && !a.is_scattered;
        self.careful_label();
        let careful_of_dwords = self.a.label();
        self.stubs.push(Box::new(move |w| {
            if needs_general {
                w.a.bind(fail);
                if a.reach.is_first {
                    w.a.mov_imm(a.starts[0], 0);
                }
                w.linear_fails(&a);
                w.a.bind(a.general);
                w.map.push((w.a.offset(), pc));
                w.load_kept_base(&a);
                w.make_lanes(&a);
                w.make_masks(&a);
                w.quads_to_dwords(&a);
                match a.carried {
                    Some(c) => w.carried_general(&a, &c),
                    None if a.is_lying && a.is_store => w.store_lying(&a, careful_of_dwords),
                    None => w.general(&a),
                }
                w.a.jmp(a.finished);
            }
            if is_common {
                w.a.bind(fail);
                if a.reach.is_first {
                    w.a.mov_imm(a.starts[0], 0);
                }
            }
            w.a.bind(a.careful);
            w.map.push((w.a.offset(), pc));
            w.load_kept_base(&a);
            w.make_lanes(&a);
            w.quads_to_dwords(&a);
            w.carried_lanes(&a);
            if a.is_lying && a.is_store {
                return w.store_lying_with_care(&a, careful_of_dwords);
            }
            w.careful_access(&a);
        }));
    }

    /// Makes offsets that have not been needed so far in all lanes.
    pub(super) fn make_lanes(&mut self, a: &Access) {
        self.linear_lanes(a);
        for (to, from) in a.low.iter().zip(&a.low_in_rows) {
            self.v(X::MovLoad, *to, 0, Rm::Mem(*from));
        }
    }

    /// An access in AVX2: without masks while all lanes are active; a stub has the way for other waves.
    fn whole_wave_access(&mut self, inst: &'a Inst, a: &Access, word: Gpr, fail: Label) {
        let some = self.a.label();
        self.a.alu_imm(Alu::Cmp, if self.is_wave64() { Size::Q } else { Size::D }, word, -1);
        self.a.jcc(Cond::Ne, some);
        self.lanes_access(&Access { is_full: true, ..a.clone() }, fail);
        let (a, pc) = (a.clone(), inst.pc);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(some);
            w.map.push((w.a.offset(), pc));
            w.make_masks(&a);
            w.lanes_access(&a, fail);
            w.a.jmp(a.finished);
        }));
    }

    /// The bits of the active lanes in a general register.
    pub(super) fn active_lanes(&mut self, a: &Access, to: Gpr) {
        match a.word {
            Some(word) => self.a.mov(if self.is_wave64() { Size::Q } else { Size::D }, to, word),
            None => self.bits_in(&a.exec, to, a.k2),
        }
    }

    /// The next instruction may fault: then the access is done again with care.
    pub(super) fn may_fault(&mut self, a: &Access) {
        self.recover.push((self.a.offset(), a.careful));
        self.guard = Some((self.a.offset(), a.careful));
    }

    /// The number of the first active lane, or of some lane if there is none.
    fn first_active_lane(&mut self, a: &Access, to: Gpr) {
        self.active_lanes(a, to);
        self.a.tzcnt(Size::Q, to, to);
        self.a.alu_imm(Alu::And, Size::D, to, self.func.wave_size as i32 - 1);
    }

    /// The access by its helper, all registers kept but for results.
    pub(super) fn careful_access(&mut self, a: &Access) {
        let (helper, data, results) = match a.is_store {
            true => (offset_of!(Helpers, store), &a.data[..], 0),
            false => (offset_of!(Helpers, load), &[][..], a.data.len()),
        };
        self.careful_operands(a.op, [&a.low, &a.high], data, results, a.base, helper);
        self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, CARGO_EXEC), 0);
        if self.is_avx2() {
            self.active_lanes(a, a.host);
            self.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_EXEC), a.host);
        }
        let masks = if self.is_avx2() { &[][..] } else { &a.exec };
        for (p, k) in masks.iter().enumerate() {
            let to = Rm::Mem(Mem::at(Gpr::RSP, CARGO_EXEC + 2 * p as i32));
            self.vector(Vector::new(X::KmovwStore, Len::X, *k, 0, to));
        }
        let careful = self.careful_label();
        self.a.call(careful);
        if !a.is_store && a.is_one_qword() {
            // Any active lane has the result.
            self.first_active_lane(a, a.host);
            let dword = |j: u16| Mem::indexed(ROWS, a.host, 4, i32::from(CAREFUL_DST + j) * self.row_bytes());
            let (low, high) = (dword(0), dword(1));
            self.a.load(Size::D, a.spare[0], low);
            self.a.load(Size::D, a.host, high);
            self.join_words(a.host, a.spare[0]);
            self.v(X::BroadcastGprQ, a.data[0][0], 0, Rm::Reg(a.host.0));
            return self.a.jmp(a.done);
        }
        for (j, regs) in a.data.iter().enumerate().take(if a.is_store { 0 } else { a.data.len() }) {
            let row = CAREFUL_DST + j as u16;
            if regs[0] == regs[1] {
                // One register for all parts: any active lane has the result.
                self.first_active_lane(a, a.host);
                let lane = Mem::indexed(ROWS, a.host, 4, i32::from(row) * self.row_bytes());
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
