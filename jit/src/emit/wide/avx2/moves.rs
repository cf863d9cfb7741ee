//! Elements of several dwords, and elements anywhere, without permutations of two sources and without scatters.

use super::super::calls::{CAREFUL_ADDR, CAREFUL_DATA};
use super::super::memory::Access;
use super::super::{ROWS, Wide, X};
use super::{S0, S1, S2};
use wavejit_ir::Space;
use wavejit_x86::table::Tuple;
use wavejit_x86::{Alu, Cond, Gpr, Len, Mem, Rm, Size, Vector};

/// Quarters 0, 2, 1, 3.
const MIDDLE_SWAPPED: u8 = 0xd8;
/// Low halves of both; high ones.
const LOW_HALVES: u8 = 0x20;
const HIGH_HALVES: u8 = 0x31;

impl Wide<'_> {
    /// Eight elements of two or four dwords from memory, to one register for each dword. False: they have another size.
    pub(in super::super) fn take_apart(&mut self, a: &Access, p: usize, at: Mem) -> bool {
        let data: Vec<u8> = a.data.iter().map(|d| d[p]).collect();
        match data[..] {
            [low, high] => {
                for (m, reg) in [S0, S1].into_iter().enumerate() {
                    self.may_fault(a);
                    self.v(X::MovLoad, reg, 0, Rm::Mem(at.plus(32 * m as i32)));
                }
                for (to, pick) in [(low, 0x88), (high, 0xdd)] {
                    self.yi(X::Shufps, S2, S0, Rm::Reg(S1), pick);
                    let result = self.destination_or(to, S2);
                    self.yi(X::Permq, result, 0, Rm::Reg(S2), MIDDLE_SWAPPED);
                    self.deliver(to, result);
                }
            }
            [d0, d1, d2, d3] => {
                let mut free = a.raw.iter().copied().filter(|raw| !self.r.is_place(*raw));
                match (free.next(), free.next()) {
                    (Some(x), Some(y)) => self.four_in_registers(a, at, [d0, d1, d2, d3], [x, y]),
                    _ => self.four_in_places(a, at, [d0, d1, d2, d3]),
                }
            }
            _ => return false,
        }
        true
    }

    /// Elements of four dwords with numbers `i` and `i` + 4, in the halves of a register.
    fn load_two_elements(&mut self, a: &Access, to: u8, at: Mem, i: i32) {
        let first = at.plus(16 * i);
        self.may_fault(a);
        self.vector(Vector::new(X::MovLoad, Len::X, to, 0, Rm::Mem(first)));
        self.may_fault(a);
        self.vi(X::Insert64x4, to, to, Rm::Mem(first.plus(64)), 1);
    }

    /// Takes eight elements of four dwords apart, with two registers more than the three for single instructions: what goes to places is stored once.
    fn four_in_registers(&mut self, a: &Access, at: Mem, data: [u8; 4], [x, y]: [u8; 2]) {
        for (i, reg) in (0..).zip([S0, S1, S2, x]) {
            self.load_two_elements(a, reg, at, i);
        }
        for (op, to, from) in
            [(X::Punpckldq, y, [S0, S1]), (X::Punpckhdq, S0, [S0, S1]), (X::Punpckldq, S1, [S2, x]), (X::Punpckhdq, S2, [S2, x])]
        {
            self.y(op, to, from[0], Rm::Reg(from[1]));
        }
        let pairs = [(X::Punpcklqdq, y, S1), (X::Punpckhqdq, y, S1), (X::Punpcklqdq, S0, S2), (X::Punpckhqdq, S0, S2)];
        for (to, (op, first, second)) in data.into_iter().zip(pairs) {
            let result = self.destination_or(to, x);
            self.y(op, result, first, Rm::Reg(second));
            self.deliver(to, result);
        }
    }

    /// The same with those three alone: where the results go, what is between waits.
    fn four_in_places(&mut self, a: &Access, at: Mem, [d0, d1, d2, d3]: [u8; 4]) {
        self.load_two_elements(a, S0, at, 0);
        self.load_two_elements(a, S1, at, 1);
        for (op, to) in [(X::Punpckldq, d0), (X::Punpckhdq, d2)] {
            self.y(op, S2, S0, Rm::Reg(S1));
            self.deliver(to, S2);
        }
        self.load_two_elements(a, S0, at, 2);
        self.load_two_elements(a, S1, at, 3);
        self.y(X::Punpckldq, S2, S0, Rm::Reg(S1));
        self.y(X::Punpckhdq, S1, S0, Rm::Reg(S1));
        self.deliver(d3, S1);
        let low = self.source(d0, S0);
        self.y(X::Punpckhqdq, S1, low, Rm::Reg(S2));
        self.deliver(d1, S1);
        self.y(X::Punpcklqdq, S1, low, Rm::Reg(S2));
        self.deliver(d0, S1);
        let (high, other) = (self.source(d2, S0), self.operand(Rm::Reg(d3), Tuple::Whole));
        self.y(X::Punpcklqdq, S1, high, other);
        self.y(X::Punpckhqdq, S2, high, other);
        self.deliver(d2, S1);
        self.deliver(d3, S2);
    }

    /// The other way round.
    pub(in super::super) fn put_together(&mut self, a: &Access, p: usize, at: Mem) -> bool {
        let data: Vec<u8> = a.data.iter().map(|d| d[p]).collect();
        match data[..] {
            [low, high] => {
                let (first, second) = (self.source(low, S0), self.operand(Rm::Reg(high), Tuple::Whole));
                self.y(X::Punpckldq, S1, first, second);
                self.y(X::Punpckhdq, S2, first, second);
                for (m, halves) in [LOW_HALVES, HIGH_HALVES].into_iter().enumerate() {
                    self.yi(X::Perm2i128, S0, S1, Rm::Reg(S2), halves);
                    self.may_fault(a);
                    self.v(X::MovStore, S0, 0, Rm::Mem(at.plus(32 * m as i32)));
                }
            }
            [d0, d1, d2, d3] => {
                for (pick, i) in [(X::Punpckldq, 0), (X::Punpckhdq, 2)] {
                    for (to, first, second) in [(S1, d0, d1), (S2, d2, d3)] {
                        let (first, second) = (self.source(first, S0), self.operand(Rm::Reg(second), Tuple::Whole));
                        self.y(pick, to, first, second);
                    }
                    for (op, i) in [(X::Punpcklqdq, i), (X::Punpckhqdq, i + 1)] {
                        self.y(op, S0, S1, Rm::Reg(S2));
                        let first = at.plus(16 * i);
                        self.may_fault(a);
                        self.vector(Vector::new(X::MovStore, Len::X, S0, 0, Rm::Mem(first)));
                        self.may_fault(a);
                        self.vi(X::Extract64x4, S0, 0, Rm::Mem(first.plus(64)), 1);
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// The lanes of a register in memory: where they are, or in a part of a row.
    fn lanes_in_memory(&mut self, reg: u8, row: u16, part: usize) -> Mem {
        match self.place(reg) {
            Some(m) => m,
            None => {
                let to = self.row_mem(row, part);
                self.y(X::MovStoreY, reg, 0, Rm::Mem(to));
                to
            }
        }
    }

    /// Stores the dwords of a part's active lanes at `from` + t + `disp`, one lane after the other. `data` are those of an element, in order.
    pub(in super::super) fn scatter_lane_by_lane(&mut self, a: &Access, p: usize, data: &[u8], from: Gpr, disp: i32) {
        let mut free = [a.host, a.spare[0], a.spare[1]].into_iter().filter(|g| *g != from);
        let (Some(left), Some(lane)) = (free.next(), free.next()) else { unreachable!("two of three are free") };
        let offsets = self.lanes_in_memory(a.t, CAREFUL_ADDR, p);
        let values: Vec<Mem> = (CAREFUL_DATA..).zip(data).map(|(row, data)| self.lanes_in_memory(*data, row, p)).collect();
        let done = self.a.label();
        if !a.is_full {
            let mask = self.source(a.exec[p], S2);
            self.y(X::Movmskps, left.0, 0, Rm::Reg(mask));
            if a.space == Space::Scratch {
                // Many of them would make much code.
                return self.scatter_some(a, offsets, &values, [left, lane], from, disp);
            }
            self.a.alu_imm(Alu::Cmp, Size::D, left, 0xff);
            let some = self.a.label();
            self.a.jcc(Cond::Ne, some);
            let (a, values, pc) = (a.clone(), values.clone(), self.pc);
            self.stubs.push(Box::new(move |w| {
                w.a.bind(some);
                w.map.push((w.a.offset(), pc));
                w.scatter_some(&a, offsets, &values, [left, lane], from, disp);
                w.a.jmp(done);
            }));
        }
        let (value, offset) = (left, lane);
        for lane in 0..8 {
            self.a.load(Size::D, offset, offsets.plus(4 * lane));
            self.a.movsxd(offset, offset);
            for (j, values) in (0..).zip(&values) {
                self.a.load(Size::D, value, values.plus(4 * lane));
                self.may_fault(a);
                self.a.store(Size::D, Mem::indexed(from, offset, 1, disp + 4 * j), value);
            }
        }
        self.a.bind(done);
    }

    /// The same for the lanes whose bits are in `left`, which may be none: one active lane after the other, since a branch for each lane would be
    /// foreseen badly.
    fn scatter_some(&mut self, a: &Access, offsets: Mem, values: &[Mem], [left, lane]: [Gpr; 2], from: Gpr, disp: i32) {
        let (next, end) = (self.a.label(), self.a.label());
        let of_lane = |lanes: Mem| Mem::indexed(ROWS, lane, 4, lanes.disp);
        self.a.test(Size::D, left, left);
        self.a.jcc(Cond::E, end);
        self.a.bind(next);
        self.a.tzcnt(Size::Q, lane, left);
        // Two dwords are a register's and are stored as one.
        for (values, reg) in values.chunks(2).zip([S0, S1]) {
            self.a.vector(Vector::new(X::MovdFromGpr, Len::X, reg, 0, Rm::Mem(of_lane(values[0]))));
            if let Some(second) = values.get(1) {
                self.a.vector(Vector::new(X::Pinsrd, Len::X, reg, reg, Rm::Mem(of_lane(*second))).imm(1));
            }
        }
        self.a.load(Size::D, lane, of_lane(offsets));
        self.a.movsxd(lane, lane);
        for ((j, values), reg) in (0..).zip(values.chunks(2)).zip([S0, S1]) {
            let op = if values.len() == 2 { X::MovqToGpr } else { X::MovdToGpr };
            self.may_fault(a);
            self.a.vector(Vector::new(op, Len::X, reg, 0, Rm::Mem(Mem::indexed(from, lane, 1, disp + 8 * j))));
        }
        self.a.vector(Vector::new(X::BlsrQ, Len::X, 0, left.0, Rm::Reg(left.0)));
        self.a.jcc(Cond::Ne, next);
        self.a.bind(end);
    }
}
