//! Tests of addresses: what accesses ask before they move anything.
//!
//! Accesses of a block that differ in the constant alone, such as the rows of a tile, share one test: the first asks for the whole reach from the least
//! constant to the greatest, and keeps the host address of lane 0 of each part in registers. Where the test fails the first of them becomes 0:
//! the access itself goes the general way and comes back, and the further ones see the 0 and go the general way, which tests for itself.
//!
//! ```text
//! load lds [%5 + 64]     lanes in a row? %5 + 64 and %5 + 4096 with 64 bytes behind it in LDS? -> no: start = 0, general
//!                        start = lds + %5 + 64; move [start]
//! load lds [%5 + 4096]   start = 0? -> general; move [start + 4032]
//! ```

use super::calls::{CAREFUL_ADDR, CARGO_HELPER};
use super::lanes::{EQ, GT, NE};
use super::level::Level;
use super::linear::Linear;
use super::memory::{self, Access};
use super::regs::{Class, Home, PieceId};
use super::{BASE, ROWS, Wide, X, state};
use std::mem::offset_of;
use wavejit_ir::abi::WaveState;
use wavejit_ir::{Addr, MemKind, Op, Space, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Shift, Size, Vector};

/// Bytes that `mem_reach` leaves behind offsets of 32 bits, less what an access has behind its first byte.
pub(super) const REACH_SLACK: i32 = 2048;
/// Operations behind an access among which others are looked for: compilers put them close together, and blocks may be long.
pub(super) const FARTHEST: usize = 512;
/// Bytes between the constants of accesses that share a test, at most.
const MOST_APART: i32 = 1 << 16;

/// Bytes from a run of lanes to the next, at most, where that is known.
pub(super) const MOST_APART_RUNS: u32 = 1 << 12;

/// Dwords between elements that are picked out of all in between, at most.
const MOST_SPREAD: u32 = 4;

/// Are elements that are so many bytes apart picked out of all that lies in between, 64 bytes at most?
pub(super) fn is_close(level: Level, kind: MemKind, step: u32) -> bool {
    level == Level::Avx512 && kind.bytes() <= 4 && (1..=4).contains(&step)
}

/// Operations between a load and an address that is made of what it gave, at most.
pub(super) const MOST_STEPS: u32 = 6;

/// What is known of how the lanes of an access lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Known {
    /// From lane to lane of each 16, or of each 8 if that is [all there is](Self::eights).
    pub stride: Option<u32>,
    /// From lane to lane, perhaps.
    pub guess: Option<u32>,
    /// Of lanes in runs of eight: from each run to the next one.
    pub eights: Option<u32>,
}

impl Known {
    /// So many bytes from lane to lane.
    pub(super) fn far(stride: u32) -> Known {
        Known { stride: Some(stride), ..Known::default() }
    }
}

/// How lanes lie that an access is short for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// From lane to lane, if that is known; else the way tests for it.
    stride: Option<u32>,
    /// From lane to lane, if it is for them.
    step: u32,
    /// From eight lanes to the next, if it is for those.
    eights: Option<u32>,
    /// All lanes must be active: elements of several dwords are taken apart or put together for whole parts only.
    is_whole: bool,
    /// Bytes from the first lane's element to the end of the last one's.
    span: i32,
}

impl Way {
    /// None if there is none but the general one. The guess: where nothing is known, a smaller access at the same addresses lets think that elements overlap so.
    pub(super) fn of(level: Level, space: Space, is_store: bool, kind: MemKind, Known { stride, guess, eights }: Known) -> Option<Way> {
        let bytes = kind.bytes() as u32;
        if eights.is_some() && is_store && stride != Some(bytes) {
            return None;
        }
        let guess = guess.filter(|_| stride.is_none() && !is_store);
        // Stores of several lanes to one place, elements that overlap, and stores of small ones are for the general way.
        let stride = stride.filter(|s| *s == bytes || !is_store || bytes >= 4 && *s > bytes);
        let step = stride.or(guess).unwrap_or(bytes);
        let is_apart = step != bytes;
        // Whole dwords are gathered for smaller elements.
        let last = if !is_apart || step == 0 { bytes } else { bytes.max(4) };
        // Of close ones, too.
        let end = |b: u32| if is_apart && eights.is_none() && is_close(level, kind, step) { b.next_multiple_of(4) } else { b };
        let last_lane = if eights.is_some() { 7 } else { 15 };
        let span = step.checked_mul(last_lane)?.checked_add(last).map(end)?;
        let span = i32::try_from(span).ok().filter(|b| *b < 1 << 29)?;
        // What other lanes have in LDS is there, and nobody sees that it is read.
        // AVX2 has masks for dwords only, AVX-512 for qwords, too.
        let taken_apart = kind.dwords() > if level == Level::Avx512 { 2 } else { 1 } || bytes < 4 && level == Level::Avx2;
        let is_whole = (taken_apart && !is_apart || eights.is_some()) && (is_store || space != Space::Lds);
        Some(Way { stride, step, eights, is_whole, span })
    }

    /// From lane to lane, if it is for lanes so far apart; it then does not look.
    pub(super) fn stride(self) -> Option<u32> {
        self.stride
    }

    /// Is it for runs of eight lanes?
    pub(super) fn is_by_eights(self) -> bool {
        self.eights.is_some()
    }

    /// Bytes from the first lane's element to the end of the last one's.
    pub(super) fn span(self) -> i32 {
        self.span
    }

    /// Loads of dwords that lie closer together than a gather is worth: dwords from one lane's element to the next one's. These elements are
    /// picked out of all that lies between them; those that overlap are loads of their own.
    pub(super) fn spread(self, level: Level, is_store: bool, kind: MemKind) -> Option<u32> {
        let (bytes, n) = (kind.bytes() as u32, kind.dwords() as u32);
        let stride = self.stride.filter(|s| self.eights.is_none() && !is_store && bytes >= 4 && *s != 0 && *s != bytes && s % 4 == 0)?;
        let m = stride / 4;
        (m == 1 || level == Level::Avx512 && n <= m && m <= MOST_SPREAD).then_some(m)
    }
}

/// What a test asks, but for the constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Test {
    space: Space,
    base: Option<Value>,
    offset: Option<Value>,
    exec: Value,
    kind_bytes: i32,
    pub way: Way,
}

/// A test that further accesses build on.
#[derive(Debug)]
pub(super) struct Tested {
    test: Test,
    /// The constants it holds for.
    least: i32,
    most: i32,
    /// The instruction that builds on it last.
    last: u32,
    /// Host addresses of the first of each 16 lanes, at the least constant.
    starts: Vec<PieceId>,
}

impl Tested {
    /// Can an access build on it that would test this?
    pub(super) fn holds_for(&self, test: Test, imm: i32) -> bool {
        self.test == test && (self.least..=self.most).contains(&imm)
    }
}

/// What an access has to do with the tests of others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    /// Constants that are tested at once.
    pub least: i32,
    pub most: i32,
    /// Others build on this one's test.
    pub is_first: bool,
    /// This one builds on another's.
    pub is_tested: bool,
}

impl<'a> Wide<'a> {
    /// Sixteen lanes are looked at together: so many of them there are.
    pub(super) fn groups(&self) -> usize {
        self.func.wave_size as usize / 16
    }

    /// The sixteen lanes that a part is of, and its first lane there.
    pub(super) fn group_of(&self, part: usize) -> (usize, u32) {
        let lane = part as u32 * self.part_lanes();
        ((lane / 16) as usize, lane % 16)
    }

    /// Lanes at addresses of their own: the usual case, 16 consecutive ones in a row.
    pub(super) fn lanes_access(&mut self, a: &Access, fail: Label) {
        let Some(way) = Way::of(self.r.level, a.space, a.is_store, a.kind, a.known) else {
            self.note_results(a);
            return self.a.jmp(a.general);
        };
        match a.reach {
            Reach { is_tested: true, .. } => {
                self.a.test(Size::Q, a.starts[0], a.starts[0]);
                self.a.jcc(Cond::E, a.general);
            }
            reach => self.test_lanes(a, way, reach, fail),
        }
        let spread = way.spread(self.r.level, a.is_store, a.kind);
        if spread.is_some_and(|m| m > 1) && a.space != Space::Lds && !a.is_full {
            // What lies between the elements of active lanes may be that of others.
            let some = self.a.label();
            for p in 1..self.parts {
                self.k(X::Kandw, a.k, if p == 1 { a.exec[0] } else { a.k }, a.exec[p]);
            }
            self.every(a.k);
            self.a.jcc(Cond::Ae, some);
            let (a, pc) = (a.clone(), self.pc);
            self.stubs.push(Box::new(move |w| {
                w.a.bind(some);
                w.map.push((w.a.offset(), pc));
                (0..w.parts).for_each(|p| w.lanes_of_part(&a, p, way, None));
                w.a.jmp(a.finished);
            }));
        }
        for p in 0..self.parts {
            self.lanes_of_part(a, p, way, spread);
        }
    }

    /// A part of such an access, whose addresses have been tested. `spread`: as [`Way::spread`] says, if that may be.
    fn lanes_of_part(&mut self, a: &Access, p: usize, way: Way, spread: Option<u32>) {
        let (group, first) = self.group_of(p);
        let stride = way.step;
        let (from, apart) = a.start(group);
        let start = Mem::at(from, apart + a.imm - a.reach.least + (stride * first) as i32);
        // Lines between the first element and the last, if those are all wanted.
        if let Some(m) = spread {
            self.ask_ahead(a, p, start, 4 * m as i32);
        }
        if let Some(eights) = way.eights {
            return self.eights_of_part(a, p, from, apart + a.imm - a.reach.least, stride, eights as i32);
        }
        match (stride, spread) {
            (0, _) if a.as_quads => self.broadcast_qword(a, start, p),
            (0, _) => self.broadcast_element(a, start, a.spare[0], Some(p)),
            (_, Some(1)) => (0..a.dwords()).for_each(|j| self.load_dwords(a, a.data[j][p], p, start.plus(4 * j as i32))),
            (_, Some(m)) => self.pick_out(a, p, start, m),
            (s, _) if s != a.bytes() as u32 && !a.is_store => self.gather_steps(a, p, start, from, s),
            (s, _) if s != a.bytes() as u32 => {
                self.load_table(a.t, move |i| i * s);
                self.gather_dwords(a, p, from, start.disp);
            }
            _ => self.move_part(a, p, from, start.disp),
        }
        // A part in a row is loaded so, and one at one place.
        if a.as_quads && stride != a.bytes() as u32 && stride != 0 {
            self.dwords_to_quads(a, p);
        }
    }

    /// Goes to `fail` unless lanes are where the way wants them and all that `reach` asks for is in range; finds `starts`.
    pub(super) fn test_lanes(&mut self, a: &Access, way: Way, reach: Reach, fail: Label) {
        let stride = way.step;
        // What differs from consecutive addresses collects in k.
        let mut tested = false;
        let by_lanes = a.linear.is_none() && a.carried.is_none();
        for p in 0..if by_lanes { self.parts } else { 0 } {
            let k = if tested { a.k2 } else { a.k };
            let (group, first) = self.group_of(p);
            let origin = a.low[p - (first / self.part_lanes()) as usize];
            if let Some(start) = a.starts.get(group).filter(|_| first == 0) {
                match a.low_in_rows.get(p) {
                    Some(row) => self.a.load(Size::D, *start, *row),
                    None => self.first_dword(origin, *start),
                }
            }
            if way.stride.is_some() {
                continue;
            }
            if a.is_full {
                self.in_a_row(a, p, origin, first, stride, tested);
                tested = true;
                continue;
            }
            self.v(X::Broadcast, a.t, 0, Rm::Reg(origin));
            let steps = self.table(move |i| (first + i) * stride);
            self.v(X::Paddd, a.t, a.t, steps);
            self.vector(Vector::new(X::Pcmpud, Len::Z, k, a.t, Rm::Reg(a.low[p])).imm(NE).mask(a.exec[p]));
            if tested {
                self.k(X::Korw, a.k, a.k, a.k2);
            }
            tested = true;
        }
        if !a.high.is_empty() && by_lanes {
            self.v(X::Broadcast, a.t, 0, Rm::Reg(a.high[0]));
            for p in 0..self.parts {
                let k = if tested { a.k2 } else { a.k };
                if a.is_full {
                    self.vi(X::Pcmpd, k, a.t, Rm::Reg(a.high[p]), EQ);
                    if tested {
                        self.k(X::Kandw, a.k, a.k, a.k2);
                    }
                    tested = true;
                    continue;
                }
                self.vector(Vector::new(X::Pcmpud, Len::Z, k, a.t, Rm::Reg(a.high[p])).imm(NE).mask(a.exec[p]));
                if tested {
                    self.k(X::Korw, a.k, a.k, a.k2);
                }
                tested = true;
            }
        }
        if way.is_whole && !a.is_full {
            for p in 0..self.parts {
                let k = if tested { a.k2 } else { a.k };
                self.k(X::Knotw, k, 0, a.exec[p]);
                if tested {
                    self.k(X::Korw, a.k, a.k, a.k2);
                }
                tested = true;
            }
        }
        if tested && a.is_full {
            self.every(a.k);
            self.a.jcc(Cond::Ae, fail);
        } else if tested {
            self.any(a.k);
            self.a.jcc(Cond::Ne, fail);
        }
        let more = reach.most - reach.least + a.across();
        if a.space == Space::Lds {
            // Room up to the end of LDS for each part; there is none if it is smaller than a part.
            let limit = a.host;
            self.a.load(Size::D, limit, state(offset_of!(WaveState, lds_bytes)));
            self.a.alu_imm(Alu::Sub, Size::Q, limit, way.span + more);
            for start in &a.starts {
                if reach.least != 0 {
                    self.a.lea(Size::D, *start, Mem::at(*start, reach.least));
                }
                self.a.alu(Alu::Cmp, Size::Q, *start, limit);
                self.a.jcc(Cond::G, fail);
            }
            for start in &a.starts {
                self.a.alu_load(Alu::Add, Size::Q, *start, state(offset_of!(WaveState, lds)));
            }
            return;
        }
        let out = if reach.is_first { fail } else { a.careful };
        if let Some(l) = &a.linear {
            return self.linear_starts(a, l, more, [fail, out]);
        } else if let Some(c) = &a.carried {
            self.carried_start(a, c, stride, reach.least, fail);
        } else {
            // Offsets are zero-extended: they may not wrap within 16 lanes.
            for start in &a.starts {
                self.a.alu_imm(Alu::Cmp, Size::D, *start, -(way.span + a.across()));
                self.a.jcc(Cond::A, fail);
            }
        }
        if !by_lanes {
            // Found.
        } else if a.high.is_empty() {
            self.base_and(a, reach.least);
        } else {
            self.first_dword(a.high[0], a.host);
            self.a.shift(Shift::Shl, Size::Q, a.host, 32);
            self.a.alu(Alu::Add, Size::Q, a.host, a.starts[0]);
            self.add_base(a, reach.least);
        }
        let is_pair = by_lanes && !a.high.is_empty();
        if is_pair {
            self.distances(a, out);
        }
        self.range_with(a.host, more, out);
        let is_first_there = is_pair || a.carried.is_some();
        if is_first_there {
            self.a.mov(Size::Q, a.starts[0], a.host);
        }
        for start in &a.starts[usize::from(is_first_there)..] {
            self.a.alu(Alu::Add, Size::Q, *start, a.host);
        }
    }

    /// `host` is the guest address of the first lane, which is what is tested: `starts` = how far the other runs are away. Those below it, of which that
    /// test says nothing, have one of their own.
    fn distances(&mut self, a: &Access, out: Label) {
        for start in &a.starts[1..] {
            let (below, tested) = (self.a.label(), self.a.label());
            self.a.alu(Alu::Sub, Size::Q, *start, a.starts[0]);
            self.a.jcc(Cond::B, below);
            self.a.bind(tested);
            let (host, at, start, pc) = (a.host, a.spare[0], *start, self.pc);
            self.stubs.push(Box::new(move |w| {
                w.a.bind(below);
                w.map.push((w.a.offset(), pc));
                w.a.lea(Size::Q, at, Mem::indexed(host, start, 1, 0));
                w.range_in_place(at, out);
                w.a.jmp(tested);
            }));
        }
    }

    /// Where the dwords of an offset in LDS are, by part, if they are in rows, for an access that looks at no more than the first lanes; who uses it next must not, either.
    pub(super) fn first_lanes_in_rows(&mut self, offset: Value) -> Option<Vec<Mem>> {
        let pieces = self.val(offset).lo;
        let pieces = &pieces[..self.parts];
        let is_in_row =
            |p: &PieceId| self.r.pieces[*p as usize].reg.is_none() && matches!(self.r.pieces[*p as usize].home, Home::Row { .. });
        if !pieces.iter().all(is_in_row) {
            return None;
        }
        let next = self.next_use_of_piece(pieces[0]);
        let next = self.func.blocks[self.r.block].insts.get(next as usize).and_then(|inst| self.test_of(&inst.op));
        let is_alike = |t: &Test| t.space == Space::Lds && t.offset == Some(offset) && t.way.stride.is_some();
        if !next.is_some_and(|(test, _)| is_alike(&test)) && !pieces.iter().all(|p| self.stays_in_memory(*p)) {
            return None;
        }
        Some(pieces.iter().map(|p| self.row_of_piece(*p)).collect())
    }

    /// k = are the offsets of a part in a row, and those of parts before? `t` has the first one in every lane from the first part of 16 lanes on.
    fn in_a_row(&mut self, a: &Access, p: usize, origin: u8, first: u32, stride: u32, tested: bool) {
        if first == 0 {
            self.v(X::Broadcast, a.t, 0, Rm::Reg(origin));
        }
        let steps = self.table(move |i| (first + i) * stride);
        let k = if tested { a.k2 } else { a.k };
        self.v(X::Paddd, k, a.t, steps);
        self.vi(X::Pcmpd, k, k, Rm::Reg(a.low[p]), EQ);
        if tested {
            self.k(X::Kandw, a.k, a.k, a.k2);
        }
    }

    /// Do offsets of lanes come from memory, each for itself? Such an access has hardly ever its lanes in a row, so it does not look.
    pub(super) fn is_scattered(&self, offset: Value, steps: u32) -> bool {
        if self.strides.of(offset).is_some() || !self.is_lane(offset) {
            return false;
        }
        match self.def(offset) {
            Op::Load { addr, .. } => self.stride_of(addr).is_none_or(|s| s != 0) && addr.offset.is_some(),
            // A list that begins where memory says is in a row all the same.
            Op::Pure { args, .. } if steps > 0 => {
                let counts_up = |v: Value| self.strides.of(v).is_some_and(|s| s.stride != 0);
                let args = || args.iter().flatten().copied();
                !args().any(counts_up) && args().any(|v| self.is_scattered(v, steps - 1))
            }
            _ => false,
        }
    }

    /// What is known of the offsets of an access: in each part so much more from lane to lane.
    pub(super) fn stride_of(&self, addr: &Addr) -> Option<u32> {
        let offset = addr.offset?;
        self.linear.get(&offset).map(Linear::stride).or_else(|| Some(self.strides.in_sixteens(offset)?.stride))
    }

    /// All that is known of them.
    pub(super) fn known_of(&self, addr: &Addr, kind: MemKind) -> Known {
        let (stride, guess) = (self.stride_of(addr), self.guess_of(addr, kind));
        match addr.offset.filter(|v| stride.is_none() && !self.is_carried(*v)).and_then(|v| self.strides.in_eights(v)) {
            Some((stride, apart)) if apart <= MOST_APART_RUNS => Known { stride: Some(stride), guess: None, eights: Some(apart) },
            _ => Known { stride, guess, eights: None },
        }
    }

    /// The bytes of the smallest access of the block to the addresses of one to more of them, of up to a dword.
    pub(super) fn guess_of(&self, addr: &Addr, kind: MemKind) -> Option<u32> {
        let least = *self.least_bytes.get(&addr.offset?)?;
        (least < kind.bytes() as u32 && kind.bytes() <= 4).then_some(least)
    }

    /// Finds the smallest load from each address of a block that has small ones; those of addresses that loops keep know their lanes.
    pub(super) fn find_least_bytes(&mut self, block: usize) {
        self.least_bytes.clear();
        let insts = &self.func.blocks[block].insts;
        let carried = self.loops.carried.get(&(block as u32));
        let accesses = || {
            let all = insts.iter().filter_map(|inst| match &inst.op {
                Op::Load { space: Space::Global | Space::Flat | Space::Lds, kind, addr, .. } => Some((kind.bytes() as u32, addr.offset?)),
                _ => None,
            });
            all.filter(|(_, offset)| !carried.is_some_and(|c| c.is_offset(*offset)))
        };
        if accesses().any(|(bytes, _)| bytes < 4) {
            for (bytes, offset) in accesses() {
                self.least_bytes.entry(offset).and_modify(|least| *least = bytes.min(*least)).or_insert(bytes);
            }
        }
    }

    /// Is it an address that the block's loop moves on?
    pub(super) fn is_carried(&self, offset: Value) -> bool {
        self.loops.carried.get(&(self.r.block as u32)).is_some_and(|c| c.is_offset(offset))
    }

    /// Bytes from a run of lanes to the next one, if that is known.
    pub(super) fn apart_of(&self, addr: &Addr) -> Option<i32> {
        let apart = self.strides.in_sixteens(addr.offset?)?.apart()?;
        (apart <= MOST_APART_RUNS).then_some(apart as i32)
    }

    /// Finds the accesses of the rest of the block that can build on this one's tests, or the earlier one that this one can build on.
    pub(super) fn share_tests(&mut self, a: &mut Access, addr: &Addr, exec: Value) {
        a.reach = Reach { least: a.imm, most: a.imm, ..Reach::default() };
        let groups = if addr.offset.is_none() { 1 } else { a.runs };
        let way = Way::of(self.r.level, a.space, a.is_store, a.kind, a.known);
        let mine = way.map(|way| Test { space: a.space, base: addr.base, offset: addr.offset, exec, kind_bytes: a.bytes(), way });
        if let Some(i) = mine.and_then(|mine| self.tested.iter().position(|t| t.holds_for(mine, a.imm))) {
            let tested = &self.tested[i];
            a.reach = Reach { least: tested.least, most: tested.most, is_first: false, is_tested: true };
            let pieces = tested.starts.clone();
            a.starts = pieces.into_iter().map(|p| Gpr(self.reg(p))).collect();
            return;
        }
        let Some(mine) = mine.filter(|_| a.reach.least.unsigned_abs() < 1 << 30) else {
            a.starts = (0..groups).map(|_| self.temp_general()).collect();
            return;
        };
        let insts = self.func.blocks[self.r.block].insts.iter().zip(0..).skip(self.at as usize + 1).take(FARTHEST);
        let (mut least, mut most, mut last) = (a.imm, a.imm, self.at);
        for (inst, i) in insts {
            if let Some((_, imm)) = self.test_of(&inst.op).filter(|(test, _)| *test == mine) {
                let (low, high) = (least.min(imm), most.max(imm));
                // The farther apart they are the likelier one of them is out of range where the others are not.
                if high - low > MOST_APART {
                    continue;
                }
                (least, most, last) = (low, high, i);
            }
        }
        if last == self.at {
            a.starts = (0..groups).map(|_| self.temp_general()).collect();
            return;
        }
        let mut starts = vec![];
        for _ in 0..groups {
            let (piece, reg) = self.new_in_register(Class::General);
            starts.push(piece);
            a.starts.push(Gpr(reg));
        }
        a.reach = Reach { least, most, is_first: true, is_tested: false };
        self.tested.push(Tested { test: mine, least, most, last, starts });
    }

    /// The test that an operation begins with, and its constant.
    pub(super) fn test_of(&self, op: &Op) -> Option<(Test, i32)> {
        let (is_store, space, kind, addr, exec) = match op {
            Op::Load { space, kind, addr, exec } => (false, *space, *kind, addr, *exec),
            Op::Store { space, kind, addr, exec, .. } => (true, *space, *kind, addr, *exec),
            _ => return None,
        };
        let is_tested = addr.offset.is_some() || space == Space::Lds && addr.base.is_some();
        let is_shared = is_tested && !matches!(space, Space::Scratch | Space::Gds) && memory::is_inline(self.func, space, addr);
        let imm = addr.imm as i32;
        let way = is_shared.then(|| Way::of(self.r.level, space, is_store, kind, self.known_of(addr, kind))).flatten()?;
        let test = Test { space, base: addr.base, offset: addr.offset, exec, kind_bytes: kind.bytes() as i32, way };
        (imm.unsigned_abs() < 1 << 30).then_some((test, imm))
    }

    /// Tests on which no access builds any more are given up.
    pub(super) fn end_of_sharing(&mut self) {
        while let Some(i) = self.tested.iter().position(|t| t.last <= self.at) {
            let tested = self.tested.swap_remove(i);
            self.drop_pieces(&tested.starts);
        }
    }

    /// Tests an LDS access lane by lane: goes to `careful` unless the elements of all active lanes are in range. host = LDS; `then` is called for each
    /// part with the register of its offsets.
    pub(super) fn each_lds_offset(&mut self, a: &Access, bytes: i32, then: impl Fn(&mut Self, usize, u8)) {
        // The last offset at which an element fits.
        let limit = a.host;
        self.a.load(Size::D, limit, state(offset_of!(WaveState, lds_bytes)));
        self.a.alu_imm(Alu::Sub, Size::Q, limit, bytes);
        self.a.jcc(Cond::S, a.careful);
        self.a.store(Size::Q, Mem::at(Gpr::RSP, CARGO_HELPER), limit);
        self.a.load(Size::Q, a.host, state(offset_of!(WaveState, lds)));
        for p in 0..self.parts {
            let next = self.a.label();
            self.skip_idle(a, p, next);
            let mut offsets = a.low[p];
            if a.imm != 0 {
                // Sums of offset and constant wrap at 2^32.
                let imm = self.splat32(a.imm as u32);
                self.v(X::Paddd, a.t, offsets, imm);
                offsets = a.t;
            }
            let limit = Rm::Bcst(Mem::at(Gpr::RSP, CARGO_HELPER));
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k, offsets, limit).imm(GT).mask(a.exec[p]));
            self.any(a.k);
            self.a.jcc(Cond::Ne, a.careful);
            then(self, p, offsets);
            self.a.bind(next);
        }
    }

    /// One address for all lanes.
    pub(super) fn one_element(&mut self, a: &Access) {
        let at = match a.space {
            Space::Lds => {
                let end = a.imm + a.bytes();
                self.a.alu_store_imm(Alu::Cmp, Size::D, state(offset_of!(WaveState, lds_bytes)), end);
                self.a.jcc(Cond::B, a.careful);
                self.a.load(Size::Q, a.host, state(offset_of!(WaveState, lds)));
                Mem::at(a.host, a.imm)
            }
            _ => {
                self.range_of_base(a);
                Mem::at(a.host, 0)
            }
        };
        if a.is_store { self.store_last(a, at) } else { self.broadcast_element(a, at, a.spare[0], None) }
    }

    /// One address of LDS for all lanes, which is not a constant: tests are shared as those of lanes are.
    pub(super) fn element_of_lds(&mut self, a: &Access, fail: Label) {
        let (Some(base), Some(&start)) = (a.base, a.starts.first()) else { unreachable!("an address in a register") };
        let Reach { least, most, is_tested, .. } = a.reach;
        if is_tested {
            self.a.test(Size::Q, start, start);
            self.a.jcc(Cond::E, a.careful);
        } else {
            self.a.lea(Size::D, start, Mem::at(base, least));
            self.a.load(Size::D, a.host, state(offset_of!(WaveState, lds_bytes)));
            self.a.alu_imm(Alu::Sub, Size::Q, a.host, a.bytes() + most - least);
            self.a.alu(Alu::Cmp, Size::Q, start, a.host);
            self.a.jcc(Cond::G, fail);
            self.a.alu_load(Alu::Add, Size::Q, start, state(offset_of!(WaveState, lds)));
        }
        let at = Mem::at(start, a.imm - least);
        if a.is_store { self.store_last(a, at) } else { self.broadcast_element(a, at, a.spare[0], None) }
    }

    /// host += base + `imm`
    pub(super) fn add_base(&mut self, a: &Access, imm: i32) {
        if let Some(b) = a.base {
            self.a.alu(Alu::Add, Size::Q, a.host, b);
        }
        if imm != 0 {
            self.a.alu_imm(Alu::Add, Size::Q, a.host, imm);
        }
    }

    /// host = base + `imm`
    pub(super) fn base_and(&mut self, a: &Access, imm: i32) {
        if let Some(c) = &a.carried {
            return self.carried_base(a, c, imm);
        }
        match a.base {
            Some(b) if imm != 0 => self.a.lea(Size::Q, a.host, Mem::at(b, imm)),
            Some(b) => self.a.mov(Size::Q, a.host, b),
            None => self.a.mov_imm(a.host, i64::from(imm) as u64),
        }
    }

    /// host = host address of base + imm, tested.
    pub(super) fn range_of_base(&mut self, a: &Access) {
        self.base_and(a, a.imm);
        self.range_in_place(a.host, a.careful);
    }

    /// Is the guest address in `at`, with 4 GiB behind it, in what may be touched? Then `at` = its host address.
    /// The same with so many bytes behind all that the reach of an access has.
    pub(super) fn range_with(&mut self, at: Gpr, more: i32, out: Label) {
        if more > REACH_SLACK {
            self.a.alu_imm(Alu::Add, Size::Q, at, more);
            self.range_in_place(at, out);
            self.a.alu(Alu::Sub, Size::Q, at, BASE);
            self.a.alu_load(Alu::Add, Size::Q, at, state(offset_of!(WaveState, mem_low)));
            self.a.alu_imm(Alu::Sub, Size::Q, at, more);
        }
        self.range_in_place(at, out);
    }

    fn range_in_place(&mut self, at: Gpr, out: Label) {
        self.a.alu_load(Alu::Sub, Size::Q, at, state(offset_of!(WaveState, mem_low)));
        self.a.alu_load(Alu::Cmp, Size::Q, at, state(offset_of!(WaveState, mem_reach)));
        self.a.jcc(Cond::Ae, out);
        self.a.alu(Alu::Add, Size::Q, at, BASE);
    }

    /// host = host address of the high dword that all active lanes have, and the base; tested. That is lane 0's, unless it is inactive and anywhere.
    pub(super) fn common_high(&mut self, a: &Access) {
        let (other, found) = (self.a.label(), self.a.label());
        self.first_dword(a.high[0], a.host);
        self.v(X::Broadcast, a.t, 0, Rm::Reg(a.high[0]));
        for p in 0..self.parts {
            let k = if p == 0 { a.k } else { a.k2 };
            self.vector(Vector::new(X::Pcmpud, Len::Z, k, a.t, Rm::Reg(a.high[p])).imm(NE).mask(a.exec[p]));
            if p > 0 {
                self.k(X::Korw, a.k, a.k, a.k2);
            }
        }
        self.any(a.k);
        self.a.jcc(Cond::Ne, other);
        self.a.bind(found);
        self.a.shift(Shift::Shl, Size::Q, a.host, 32);
        self.add_base(a, a.imm);
        self.range_in_place(a.host, a.careful);
        let a = a.clone();
        self.stubs.push(Box::new(move |w| {
            w.a.bind(other);
            w.map.push((w.a.offset(), a.op.pc));
            w.high_of_first_active(&a);
            w.a.jmp(found);
        }));
    }

    /// host = the high dword that all active lanes have, as the first of them has it.
    fn high_of_first_active(&mut self, a: &Access) {
        self.active_lanes(a, a.host);
        for p in 0..self.parts {
            let to = self.row_mem(CAREFUL_ADDR + 1, p);
            self.v(X::MovStore, a.high[p], 0, Rm::Mem(to));
        }
        self.a.tzcnt(Size::Q, a.host, a.host);
        self.a.alu_imm(Alu::And, Size::D, a.host, self.func.wave_size as i32 - 1);
        let row = i32::from(CAREFUL_ADDR + 1) * self.row_bytes();
        self.a.load(Size::D, a.host, Mem::indexed(ROWS, a.host, 4, row));
        self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(a.host.0));
        for p in 0..self.parts {
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, Rm::Reg(a.high[p])).imm(NE).mask(a.exec[p]));
            self.any(a.k);
            self.a.jcc(Cond::Ne, a.careful);
        }
    }

    /// The bits of mask registers in a general register; k0 and `t` are changed.
    pub(super) fn bits_in(&mut self, k: &[u8], to: Gpr, t: u8) {
        if self.is_avx2() {
            return self.bits_in_avx2(k, to);
        }
        self.join_masks(k, t);
        self.k(if k.len() == 2 { X::KmovdToGpr } else { X::KmovqToGpr }, to.0, 0, 0);
    }

    /// k0 = the bits of mask registers one after the other; `t` is changed.
    pub(super) fn join_masks(&mut self, k: &[u8], t: u8) {
        match k {
            [lo, hi] => self.k(X::Kunpckwd, 0, *hi, *lo),
            [a, b, c, d] => {
                self.k(X::Kunpckwd, 0, *b, *a);
                self.k(X::Kunpckwd, t, *d, *c);
                self.k(X::Kunpckdq, 0, t, 0);
            }
            _ => unreachable!("waves have 32 or 64 lanes"),
        }
    }

    /// kortestw: are all bits of the mask zero?
    pub(super) fn any(&mut self, k: u8) {
        self.k(X::Kortestw, k, 0, k);
    }
}
