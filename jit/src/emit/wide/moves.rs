//! Loads and stores whose addresses have been tested: an element for all lanes, and sixteen in a row.

use super::calls::CAREFUL_DATA;
use super::memory::Access;
use super::steps::Step;
use super::{ROWS, Wide, X, sreg};
use wavejit_ir::{MemKind, NextRun, Space};
use wavejit_x86::{Alu, Cond, Gpr, Len, Mem, Rm, Shift, Size, Vector};

/// How many waves ahead of an access its lines are asked for: near by, and from memory, which takes as long as some twenty short waves.
const AHEAD: i32 = 4;
const FAR_AHEAD: i32 = 24;
/// How many ways round a loop ahead, as a power of two, where it moves on by a [`Step`].
const WAYS: u8 = 2;
/// Into which cache. More lines can be on their way to the second than to the first: that is 1.5 times the bandwidth where they are far apart (measured on
/// Zen 5), and not less where they are not.
const FIRST_LEVEL: u8 = 1;
const SECOND_LEVEL: u8 = 2;
/// Bytes of a line.
pub(super) const LINE: i32 = 64;

/// Where the elements of a part lie: in a row, or in two of eight lanes each.
#[derive(Clone, Copy)]
pub(super) enum Runs {
    One(Mem),
    Two([Mem; 2]),
}

impl Runs {
    /// Where register `m`, of so many bytes, of all elements in order lies, or its halves, if elements have so many dwords.
    pub(super) fn register(self, m: usize, dwords: usize, bytes: i32) -> Runs {
        match self {
            Runs::One(at) => Runs::One(at.plus(bytes * m as i32)),
            Runs::Two(runs) => {
                let half = |h: usize| runs[h / dwords].plus(bytes / 2 * (h % dwords) as i32);
                let (low, high) = (2 * m, 2 * m + 1);
                if low / dwords == high / dwords { Runs::One(half(low)) } else { Runs::Two([half(low), half(high)]) }
            }
        }
    }
}

impl<'a> Wide<'a> {
    /// Loads or stores a register. `k`: the qwords of it that are active, if not all are moved.
    pub(super) fn move_register(&mut self, a: &Access, reg: u8, at: Runs, k: Option<u8>) {
        self.may_fault(a);
        match (at, k, a.is_store) {
            (Runs::One(at), Some(k), false) => self.vector(Vector::new(X::MovLoad64, Len::Z, reg, 0, Rm::Mem(at)).zeroing(k)),
            (Runs::One(at), Some(k), true) => self.vector(Vector::new(X::MovStore64, Len::Z, reg, 0, Rm::Mem(at)).mask(k)),
            (Runs::One(at), None, is_store) => self.v(if is_store { X::MovStore } else { X::MovLoad }, reg, 0, Rm::Mem(at)),
            (Runs::Two([low, high]), _, is_store) => {
                self.exactly(Vector::new(if is_store { X::MovStore } else { X::MovLoad }, Len::Y, reg, 0, Rm::Mem(low)));
                self.may_fault(a);
                match is_store {
                    true => self.vi(X::Extract64x4, reg, 0, Rm::Mem(high), 1),
                    false => self.vi(X::Insert64x4, reg, reg, Rm::Mem(high), 1),
                }
            }
        }
    }

    /// `to` = the first dword of a register.
    pub(super) fn first_dword(&mut self, from: u8, to: Gpr) {
        self.vector(Vector::new(X::MovdToGpr, Len::X, from, 0, Rm::Reg(to.0)));
    }

    /// Loads one element into all lanes of a part, or of all parts where they share registers.
    pub(super) fn broadcast_element(&mut self, a: &Access, from: Mem, t: Gpr, part: Option<usize>) {
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
            _ if a.is_one_qword() => self.broadcast_qword(a, from, p),
            _ => {
                for (j, data) in a.data.iter().enumerate() {
                    self.may_fault(a);
                    self.v(X::Broadcast, data[p], 0, Rm::Mem(from.plus(4 * j as i32)));
                }
            }
        }
    }

    /// Loads a qword into all lanes of a part: both halves of its qwords, which may be one register.
    pub(super) fn broadcast_qword(&mut self, a: &Access, from: Mem, p: usize) {
        let [first, second] = [a.data[0][p], a.data[1][p]];
        for reg in [first, second].into_iter().take(if first == second { 1 } else { 2 }) {
            self.may_fault(a);
            self.v(X::BroadcastQ, reg, 0, Rm::Mem(from));
        }
    }

    /// Stores what the last active lane has: in lockstep order it comes behind the others.
    pub(super) fn store_last(&mut self, a: &Access, to: Mem) {
        let [lane, value] = a.spare;
        self.active_lanes(a, lane);
        self.a.test(Size::Q, lane, lane);
        self.a.jcc(Cond::E, a.done);
        self.a.lzcnt(Size::Q, lane, lane);
        self.a.alu_imm(Alu::Xor, Size::Q, lane, 63);
        for (j, data) in a.data.iter().enumerate() {
            if data.iter().all(|reg| *reg == data[0]) {
                self.first_dword(data[0], value);
            } else {
                for (p, reg) in data.iter().enumerate() {
                    let row = self.row_mem(CAREFUL_DATA, p);
                    self.v(X::MovStore, *reg, 0, Rm::Mem(row));
                }
                self.a.load(Size::D, value, Mem::indexed(ROWS, lane, 4, i32::from(CAREFUL_DATA) * self.row_bytes()));
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

    /// Consecutive elements for a part, of which the first one comes before the others.
    pub(super) fn move_part(&mut self, a: &Access, p: usize, from: Gpr, disp: i32) {
        let at = Mem::at(from, disp);
        self.ask_ahead(a, p, at, a.bytes());
        if let Some(step) = a.step {
            self.ask_for_steps(a, step, p, from, disp);
        }
        let (reg, k) = (a.data[0][p], a.exec[p]);
        if a.dwords() > 1 {
            let runs = Runs::One(at);
            return if a.is_store { self.interleave(a, p, runs) } else { self.deinterleave(a, p, runs) };
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
        self.vector(match a.is_store {
            // All lanes are active, or in LDS, where others may be read.
            _ if a.is_full || self.is_avx2() && (a.bytes() < 4 || a.space == Space::Lds && !a.is_store) => i,
            true => i.mask(k),
            false => i.zeroing(k),
        });
    }

    /// Asks for lines that later waves will touch if waves walk through memory, as they mostly do: of a part that begins at `at`, so many bytes a lane; once for
    /// neighbors, and for parts of one line (but dwords in loops, and in narrow rows, where measurements are against it). A wave that goes round a loop takes longer,
    /// and lines that are far away would be gone until then, and so would those that are in the first-level cache; of small elements the near ones are far
    /// enough; of narrow rows the far ones are another row's.
    pub(super) fn ask_ahead(&mut self, a: &Access, p: usize, at: Mem, bytes: i32) {
        let has_neighbor = a.reach.is_tested && a.reach.most - a.reach.least < LINE;
        if a.space == Space::Lds || has_neighbor {
            return;
        }
        let next = self.func.ids.next();
        // Waves of other rows come between two of one row: until it is there, what is a wave away has waited for them.
        let (near, far) = match next {
            NextRun::Any | NextRun::Line => (AHEAD, Some(FAR_AHEAD)),
            NextRun::Lines => (1, Some(FAR_AHEAD)),
            NextRun::Row => (1, None),
        };
        let goes_round = self.goes_round[self.r.block];
        let near = (near, if goes_round { SECOND_LEVEL } else { FIRST_LEVEL });
        let far = far.filter(|_| !goes_round && a.bytes() >= 4).map(|far| (far, SECOND_LEVEL));
        let is_narrow = next == NextRun::Row;
        // How far the part is behind where a first one begins, and the lines from there that begin in it.
        let (group, first) = self.group_of(p);
        let is_counted = a.bytes() < 4 || !goes_round && !is_narrow;
        let behind = if is_counted { a.start(group).1 + first as i32 * bytes } else { 0 };
        let line_of = |at: i32| (at + LINE - 1) / LINE;
        let lines = if is_counted { line_of(behind)..line_of(behind + bytes * self.part_lanes() as i32) } else { 0..bytes / 4 };
        let wave = self.row_bytes() * (bytes / 4).max(1);
        for (waves, level) in [Some(near), far].into_iter().flatten() {
            for line in lines.clone() {
                self.a.prefetch(level, at.plus(waves * wave + LINE * line - behind));
            }
        }
    }

    /// Asks for what a lane that is here will want later, if it [goes on](Access::ahead).
    pub(super) fn ask_for_next(&mut self, a: &Access, at: Mem) {
        if let Some(bytes) = a.ahead {
            self.a.prefetch(FIRST_LEVEL, at.plus(bytes));
        }
    }

    /// Asks for what a part will want [some ways round](WAYS) its loop later. How far that is the first part finds out for all.
    fn ask_for_steps(&mut self, a: &Access, step: Step, p: usize, from: Gpr, disp: i32) {
        let by = a.spare[0];
        if p == 0 {
            self.a.load(Size::D, by, sreg(step.register));
            self.a.movsxd(by, by);
            self.a.shift(Shift::Shl, Size::Q, by, WAYS);
        }
        for line in 0..a.dwords() as i32 {
            self.a.prefetch(FIRST_LEVEL, Mem::indexed(from, by, 1 << step.shift, disp + LINE * line));
        }
    }

    /// Consecutive dwords for a part.
    pub(super) fn load_dwords(&mut self, a: &Access, to: u8, p: usize, at: Mem) {
        self.may_fault(a);
        let i = Vector::new(X::MovLoad, Len::Z, to, 0, Rm::Mem(at));
        let reads_all = a.is_full || self.is_avx2() && a.space == Space::Lds;
        self.vector(if reads_all { i } else { i.zeroing(a.exec[p]) });
    }

    /// A part's elements, `m` dwords from one to the next, to one register for each dword of them: all that lies between the first and the last is loaded.
    pub(super) fn pick_out(&mut self, a: &Access, p: usize, at: Mem, m: u32) {
        let lanes = self.part_lanes();
        let (raw, order) = (&a.raw[..m as usize], a.raw[m as usize]);
        // The last register ends where the last element does.
        let last = (lanes - 1) * m + a.dwords() as u32 - lanes;
        for (v, reg) in raw.iter().enumerate() {
            let first = if v as u32 == m - 1 { last } else { lanes * v as u32 };
            self.may_fault(a);
            self.v(X::MovLoad, *reg, 0, Rm::Mem(at.plus(4 * first as i32)));
        }
        for (j, data) in a.data.iter().enumerate() {
            // The register that dword j of element i is in, and where.
            let place = move |i: u32| {
                let dword = m * i + j as u32;
                let v = (dword / lanes).min(m - 1);
                (v, dword - if v == m - 1 { last } else { lanes * v })
            };
            let (to, first) = (data[p], move |i: u32| place(i).0 * lanes + place(i).1);
            self.load_table(to, move |i| if place(i).0 < 2 { first(i) } else { 0 });
            self.v(X::Permi2d, to, raw[0], Rm::Reg(raw[1]));
            for (v, reg) in raw.iter().enumerate().skip(2) {
                self.load_table(order, move |i| if place(i).0 == v as u32 { lanes + place(i).1 } else { i });
                self.v(X::Permt2d, to, order, Rm::Reg(*reg));
            }
        }
    }

    /// A part's elements of several dwords from memory, to one register for each dword.
    pub(super) fn deinterleave(&mut self, a: &Access, p: usize, runs: Runs) {
        match runs {
            Runs::One(at) if self.is_avx2() && self.take_apart(a, p, at) => return,
            _ if a.is_lying => return self.move_lying(a, p, runs),
            _ => self.load_raw(a, p, runs),
        }
        if a.as_quads { self.halves_of_qwords(a, p) } else { self.apart(a, p) }
    }

    /// A part's elements of several dwords from [raw registers](Access::raw), where they lie as in memory.
    pub(super) fn apart(&mut self, a: &Access, p: usize) {
        if a.dwords() == 4 {
            return self.four_apart_by_halves(a, p);
        }
        let (n, lanes) = (a.dwords() as u32, self.part_lanes());
        let (raw, order) = (&a.raw[..n as usize], a.raw[n as usize]);
        for (j, data) in a.data.iter().enumerate() {
            // Dword j of element i is dword n * i + j in memory.
            let place = move |i: u32| n * i + j as u32;
            self.load_table(data[p], move |i| if place(i) < 2 * lanes { place(i) } else { 0 });
            self.v(X::Permi2d, data[p], raw[0], Rm::Reg(raw[1]));
            for (m, reg) in raw.iter().enumerate().skip(2) {
                self.load_table(order, move |i| if place(i) / lanes == m as u32 { lanes + place(i) % lanes } else { i });
                self.v(X::Permt2d, data[p], order, Rm::Reg(*reg));
            }
        }
    }

    /// Of elements of four dwords: first two dwords of eight lanes to a register, then the halves of those together.
    fn four_apart_by_halves(&mut self, a: &Access, p: usize) {
        let (raw, other) = (&a.raw[..4], a.raw[4]);
        for (first, data) in [0, 2].into_iter().zip(a.data.chunks(2)) {
            let (low, high) = (data[0][p], data[1][p]);
            for (to, [x, y]) in [low, other].into_iter().zip([[raw[0], raw[1]], [raw[2], raw[3]]]) {
                self.load_table(to, move |i| 4 * (i % 8) + first + i / 8);
                self.v(X::Permi2d, to, x, Rm::Reg(y));
            }
            self.vi(X::Shufi64x2, high, low, Rm::Reg(other), 0xee);
            self.vi(X::Insert64x4, low, low, Rm::Reg(other), 1);
        }
    }

    /// The other way round.
    pub(super) fn interleave(&mut self, a: &Access, p: usize, runs: Runs) {
        match runs {
            Runs::One(at) if self.is_avx2() && self.put_together(a, p, at) => return,
            _ if a.is_lying => return self.move_lying(a, p, runs),
            _ if !a.quads.is_empty() => return self.store_quads(a, p, runs),
            _ if a.dwords() == 4 => return self.four_together_by_halves(a, p, runs),
            _ => {}
        }
        let (n, lanes) = (a.dwords() as u32, self.part_lanes());
        let (to, order) = (a.raw[0], a.raw[1]);
        let masks = self.qword_masks(a, p);
        for m in 0..n {
            // Dword i of this register is dword (lanes m + i) % n of element (lanes m + i) / n.
            let (element, dword) = (move |i: u32| (lanes * m + i) / n, move |i: u32| (lanes * m + i) % n);
            self.load_table(to, move |i| element(i) + lanes * dword(i).min(1));
            self.v(X::Permi2d, to, a.data[0][p], Rm::Reg(a.data[1][p]));
            for c in 2..n {
                self.load_table(order, move |i| if dword(i) == c { lanes + element(i) } else { i });
                self.v(X::Permt2d, to, order, Rm::Reg(a.data[c as usize][p]));
            }
            let at = runs.register(m as usize, a.dwords(), self.part_bytes());
            self.move_register(a, to, at, masks.map(|k| k[m as usize]));
        }
    }

    /// Elements of four dwords: the first two dwords of eight lanes to a register and the others, so that pairs of each lane meet.
    fn four_together_by_halves(&mut self, a: &Access, p: usize, runs: Runs) {
        let (pairs, to) = ([a.raw[0], a.raw[1]], [a.raw[2], a.raw[3]]);
        for half in 0..2 {
            self.pairs_of_dwords(a, p, half as u32, pairs);
            self.pairs_together(pairs, to);
            for (reg, quarter) in to.into_iter().zip(0..) {
                let at = runs.register(2 * half + quarter, a.dwords(), self.part_bytes());
                self.move_register(a, reg, at, None);
            }
        }
    }

    /// The first two dwords of lanes 0, 4, 1, 5, 2, 6, 3, 7 of a half of a part, and the other two.
    pub(super) fn pairs_of_dwords(&mut self, a: &Access, p: usize, half: u32, to: [u8; 2]) {
        for (to, data) in to.into_iter().zip(a.data.chunks(2)) {
            self.load_table(to, move |i| 8 * half + i / 4 + 4 * (i / 2 % 2) + 16 * (i % 2));
            self.v(X::Permi2d, to, data[0][p], Rm::Reg(data[1][p]));
        }
    }

    /// Elements 0 to 3 of them, and 4 to 7.
    pub(super) fn pairs_together(&mut self, [first, second]: [u8; 2], to: [u8; 2]) {
        for (op, to) in [X::Punpcklqdq, X::Punpckhqdq].into_iter().zip(to) {
            self.v(op, to, first, Rm::Reg(second));
        }
    }

    pub(super) fn load_table(&mut self, to: u8, f: impl Fn(u32) -> u32) {
        let table = self.table(f);
        self.v(X::MovLoad, to, 0, table);
    }

    /// Of elements smaller than a dword: cuts off what is above them, or spreads the sign.
    pub(super) fn cut_off(&mut self, a: &Access, to: u8) {
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
}
