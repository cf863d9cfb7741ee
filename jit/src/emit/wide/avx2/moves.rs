//! Elements of several dwords, and elements anywhere, without permutations of two sources and without scatters.

use super::super::calls::{CAREFUL_ADDR, CAREFUL_DATA};
use super::super::memory::Access;
use super::super::{ROWS, Wide, X};
use super::{S0, S1, S2};
use wavejit_x86::table::Tuple;
use wavejit_x86::{Cond, Gpr, Len, Mem, Rm, Size, Vector};

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
                for (m, reg) in a.raw[..2].iter().enumerate() {
                    self.may_fault(a);
                    self.v(X::MovLoad, *reg, 0, Rm::Mem(at.plus(32 * m as i32)));
                }
                for (to, pick) in [(low, 0x88), (high, 0xdd)] {
                    self.vi(X::Shufps, a.raw[2], a.raw[0], Rm::Reg(a.raw[1]), pick);
                    let from = self.operand(Rm::Reg(a.raw[2]), Tuple::Whole);
                    let result = self.destination(to);
                    self.yi(X::Permq, result, 0, from, MIDDLE_SWAPPED);
                    self.deliver(to, result);
                }
            }
            [d0, d1, d2, d3] => {
                // Elements i and i + 4 in the halves of a register.
                for (i, reg) in a.raw[..4].iter().enumerate() {
                    let first = at.plus(16 * i as i32);
                    self.may_fault(a);
                    self.vector(Vector::new(X::MovLoad, Len::X, *reg, 0, Rm::Mem(first)));
                    self.may_fault(a);
                    self.vi(X::Insert64x4, *reg, *reg, Rm::Mem(first.plus(64)), 1);
                }
                let [r0, r1, r2, r3] = [0, 1, 2, 3].map(|i| a.raw[i]);
                self.v(X::Punpckldq, d0, r0, Rm::Reg(r1));
                self.v(X::Punpckhdq, d1, r0, Rm::Reg(r1));
                self.v(X::Punpckldq, d2, r2, Rm::Reg(r3));
                self.v(X::Punpckhdq, d3, r2, Rm::Reg(r3));
                self.v(X::Punpcklqdq, r0, d0, Rm::Reg(d2));
                self.v(X::Punpckhqdq, r1, d0, Rm::Reg(d2));
                self.v(X::Punpcklqdq, d2, d1, Rm::Reg(d3));
                self.v(X::Punpckhqdq, d3, d1, Rm::Reg(d3));
                self.v(X::MovAligned, d0, 0, Rm::Reg(r0));
                self.v(X::MovAligned, d1, 0, Rm::Reg(r1));
            }
            _ => return false,
        }
        true
    }

    /// The other way round.
    pub(in super::super) fn put_together(&mut self, a: &Access, p: usize, at: Mem) -> bool {
        let data: Vec<u8> = a.data.iter().map(|d| d[p]).collect();
        match data[..] {
            [low, high] => {
                let [x, y] = [a.raw[0], a.raw[1]];
                self.v(X::Punpckldq, x, low, Rm::Reg(high));
                self.v(X::Punpckhdq, y, low, Rm::Reg(high));
                for (m, halves) in [LOW_HALVES, HIGH_HALVES].into_iter().enumerate() {
                    let (first, second) = (self.source(x, S1), self.operand(Rm::Reg(y), Tuple::Whole));
                    self.yi(X::Perm2i128, S1, first, second, halves);
                    self.may_fault(a);
                    self.v(X::MovStore, S1, 0, Rm::Mem(at.plus(32 * m as i32)));
                }
            }
            [d0, d1, d2, d3] => {
                let [t0, t1, t2, t3, e] = [0, 1, 2, 3, 4].map(|i| a.raw[i]);
                self.v(X::Punpckldq, t0, d0, Rm::Reg(d1));
                self.v(X::Punpckhdq, t1, d0, Rm::Reg(d1));
                self.v(X::Punpckldq, t2, d2, Rm::Reg(d3));
                self.v(X::Punpckhdq, t3, d2, Rm::Reg(d3));
                let pairs = [(X::Punpcklqdq, t0, t2), (X::Punpckhqdq, t0, t2), (X::Punpcklqdq, t1, t3), (X::Punpckhqdq, t1, t3)];
                for (i, (op, x, y)) in pairs.into_iter().enumerate() {
                    self.v(op, e, x, Rm::Reg(y));
                    let first = at.plus(16 * i as i32);
                    self.may_fault(a);
                    self.vector(Vector::new(X::MovStore, Len::X, e, 0, Rm::Mem(first)));
                    self.may_fault(a);
                    self.vi(X::Extract64x4, e, 0, Rm::Mem(first.plus(64)), 1);
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

    /// Stores the dwords of a part's active lanes at `from` + t + `disp`, in order: those of all lanes, or of one active lane after the other, since
    /// a branch for each lane would be foreseen badly.
    pub(in super::super) fn scatter_lane_by_lane(&mut self, a: &Access, p: usize, data: u8, from: Gpr, disp: i32) {
        let mut free = [a.host, a.spare[0], a.spare[1]].into_iter().filter(|g| *g != from);
        let (Some(left), Some(lane)) = (free.next(), free.next()) else { unreachable!("two of three are free") };
        let offsets = self.lanes_in_memory(a.t, CAREFUL_ADDR, p);
        let values = self.lanes_in_memory(data, CAREFUL_DATA, p);
        if a.is_full {
            let (value, offset) = (left, lane);
            for lane in 0..8 {
                self.a.load(Size::D, offset, offsets.plus(4 * lane));
                self.a.load(Size::D, value, values.plus(4 * lane));
                self.a.movsxd(offset, offset);
                self.may_fault(a);
                self.a.store(Size::D, Mem::indexed(from, offset, 1, disp), value);
            }
            return;
        }
        let mask = self.source(a.exec[p], S2);
        self.y(X::Movmskps, left.0, 0, Rm::Reg(mask));
        let (next, end) = (self.a.label(), self.a.label());
        let of_lane = |lanes: Mem| Mem::indexed(ROWS, lane, 4, lanes.disp);
        self.a.test(Size::D, left, left);
        self.a.jcc(Cond::E, end);
        self.a.bind(next);
        self.a.tzcnt(Size::Q, lane, left);
        self.a.vector(Vector::new(X::MovdFromGpr, Len::X, S0, 0, Rm::Mem(of_lane(values))));
        self.a.load(Size::D, lane, of_lane(offsets));
        self.a.movsxd(lane, lane);
        self.may_fault(a);
        self.a.vector(Vector::new(X::MovdToGpr, Len::X, S0, 0, Rm::Mem(Mem::indexed(from, lane, 1, disp))));
        self.a.vector(Vector::new(X::BlsrQ, Len::X, 0, left.0, Rm::Reg(left.0)));
        self.a.jcc(Cond::Ne, next);
        self.a.bind(end);
    }
}
