//! Cross-lane operations.

use super::lanes::EQ;
use super::regs::{Class, Home, NO_PARTS, NONE, Parts};
use super::{ROWS, Wide, X};
use crate::emit::EmitError;
use wavejit_ir::{Op, Value};
use wavejit_x86::{Alu, Gpr, Len, Mem, Rm, Size, Vector};

impl<'a> Wide<'a> {
    /// Stores a lane value to a row, unless it is in one. The row, and whether it is to be given back.
    fn row_in_memory(&mut self, v: Value) -> (u16, bool) {
        let parts = self.val(v).lo;
        if let Home::Row { row, .. } = self.r.pieces[parts[0] as usize].home
            && (0..self.parts).all(|p| self.r.pieces[parts[p] as usize].home == Home::Row { row, part: p as u8 })
        {
            return (row, false);
        }
        let row = self.r.new_temp_row();
        for (p, part) in parts[..self.parts].iter().enumerate() {
            let from = self.reg(*part);
            let to = self.row_mem(row, p);
            self.v(X::MovStore, from, 0, Rm::Mem(to));
            self.release();
        }
        (row, true)
    }

    pub(super) fn read_lane(&mut self, r: Value, value: Value, lane: Value) {
        let (lanes, per_part) = (u64::from(self.func.wave_size), self.part_lanes() as usize);
        if let Some(lane) = self.constant(lane) {
            let lane = (lane % lanes) as usize;
            let part = self.val(value).lo[lane / per_part];
            let to = self.new_word(r);
            let piece = self.r.pieces[part as usize];
            if let (None, Home::Row { row, part }) = (piece.reg, piece.home) {
                let from = self.row_mem(row, part.into()).plus(4 * (lane % per_part) as i32);
                return self.a.load(Size::D, to, from);
            }
            let mut from = self.reg(part);
            if !lane.is_multiple_of(per_part) {
                let t = self.temp();
                self.vi(X::Valignd, t, from, Rm::Reg(from), (lane % per_part) as u8);
                from = t;
            }
            return self.first_dword(from, to);
        }
        let (row, given) = self.row_in_memory(value);
        let lane = self.scalar(lane);
        let to = self.new_word(r);
        self.a.mov(Size::D, to, lane);
        self.a.alu_imm(Alu::And, Size::D, to, lanes as i32 - 1);
        self.load_lane(to, row, given);
    }

    /// to = the row's lane `to`.
    fn load_lane(&mut self, to: Gpr, row: u16, given: bool) {
        let at = i32::from(row) * self.row_bytes();
        self.a.load(Size::D, to, Mem::indexed(ROWS, to, 4, at));
        if given {
            self.r.free_temp_row(row);
        }
    }

    pub(super) fn read_first_lane(&mut self, r: Value, value: Value, exec: Value) {
        let parts = self.val(value).lo;
        if self.is_uniform(&parts) {
            // Equal parts are equal in all their lanes.
            let from = self.reg(parts[0]);
            let to = self.new_word(r);
            return self.first_dword(from, to);
        }
        let (row, given) = self.row_in_memory(value);
        let exec = self.scalar(exec);
        let to = self.new_word(r);
        // Lane 0 if no lane is active (STATE-13): trailing zeros of 0 are 64, which the mask takes to 0.
        self.a.tzcnt(Size::Q, to, exec);
        self.a.alu_imm(Alu::And, Size::D, to, self.func.wave_size as i32 - 1);
        self.load_lane(to, row, given);
    }

    pub(super) fn write_lane(&mut self, r: Value, old: Value, data: Value, lane: Value) {
        let parts = self.val(old).lo;
        let (data, lane) = (self.scalar(data), self.scalar(lane));
        if self.is_avx2() {
            return self.write_lane_by_number(r, parts, data, lane);
        }
        let t = self.temp_general();
        let k = self.temp_mask();
        let mut out = NO_PARTS;
        for p in 0..self.parts {
            let (from, (piece, to)) = (self.reg(parts[p]), self.new_in_register(Class::Vector));
            out[p] = piece;
            // Bit `lane` of the wave, of which some bits are this part's.
            self.a.mov_imm(t, 1);
            if self.is_wave64() {
                self.k(X::ShlxQ, t.0, lane.0, t.0);
            } else {
                self.k(X::Shlx, t.0, lane.0, t.0);
            }
            if p > 0 {
                self.a.shift(wavejit_x86::Shift::Shr, Size::Q, t, self.part_lanes() as u8 * p as u8);
            }
            self.k(X::KmovwFromGpr, k, 0, t.0);
            self.v(X::MovAligned, to, 0, Rm::Reg(from));
            self.vector(Vector::new(X::BroadcastGpr, Len::Z, to, 0, Rm::Reg(data.0)).mask(k));
        }
        self.set_lo(r, out);
    }

    /// The lane whose number is the one that is asked for, in all parts.
    fn write_lane_by_number(&mut self, r: Value, parts: Parts, data: Gpr, lane: Gpr) {
        let (number, value, k) = (self.temp(), self.temp(), self.temp_mask());
        let which = self.temp_general();
        self.a.mov(Size::D, which, lane);
        self.a.alu_imm(Alu::And, Size::D, which, self.func.wave_size as i32 - 1);
        self.v(X::BroadcastGpr, number, 0, Rm::Reg(which.0));
        self.v(X::BroadcastGpr, value, 0, Rm::Reg(data.0));
        let mut out = NO_PARTS;
        let lanes = self.part_lanes();
        let pins = self.pins();
        for p in 0..self.parts {
            let (from, (piece, to)) = (self.rm(parts[p]), self.new_in_register(Class::Vector));
            out[p] = piece;
            let numbers = self.table(move |i| lanes * p as u32 + i);
            self.vi(X::Pcmpd, k, number, numbers, EQ);
            let from = match from {
                Rm::Reg(from) => from,
                from => {
                    self.v(X::MovLoad, to, 0, from);
                    to
                }
            };
            self.vector(Vector::new(X::Blendmd, Len::Z, to, from, Rm::Reg(value)).mask(k));
            self.pin_only(pins);
        }
        self.set_lo(r, out);
    }

    /// Lanes of `value` in the order that `index` names.
    pub(super) fn shuffle(&mut self, r: Value, value: Value, index: Value) {
        let (from, index_parts) = (self.val(value).lo, self.val(index).lo);
        if self.is_uniform(&from) {
            return self.set_lo(r, from);
        }
        let table = match self.def(index) {
            Op::LaneTable(t) => Some(self.func.tables[*t as usize]),
            _ => None,
        };
        let mut out = NO_PARTS;
        let lanes = self.part_lanes() as usize;
        for p in 0..self.parts {
            let mut sources: Vec<usize> = (0..self.parts).collect();
            if let Some(t) = &table {
                sources.retain(|s| t[lanes * p..][..lanes].iter().any(|i| *i as usize % (lanes * self.parts) / lanes == *s));
            }
            // Pairs that are asked for, then pairs of those, until one is left.
            let mut bit = 2 * lanes as u32;
            let mut list: Vec<(usize, u32)> = vec![];
            for pair in (0..self.parts).step_by(2) {
                let (first, second) = (sources.contains(&pair), sources.contains(&(pair + 1)));
                let made = match (first, second) {
                    (true, true) => self.permute_two(from[pair], from[pair + 1], index_parts[p]),
                    (true, false) => self.permute_within(from[pair], index_parts[p]),
                    (false, true) => self.permute_within(from[pair + 1], index_parts[p]),
                    (false, false) => continue,
                };
                list.push((pair / 2, made));
            }
            while list.len() > 1 {
                let mut next: Vec<(usize, u32)> = vec![];
                for (n, made) in list {
                    match next.last_mut() {
                        Some((m, low)) if *m == n / 2 => *low = self.one_of_two(*low, made, index_parts[p], bit),
                        _ => next.push((n / 2, made)),
                    }
                }
                (list, bit) = (next, 2 * bit);
            }
            out[p] = list[0].1;
            self.release();
        }
        self.set_lo(r, out);
    }

    /// Of two pieces nobody owns, the second where the index has this bit.
    fn one_of_two(&mut self, low: u32, high: u32, index: u32, bit: u32) -> u32 {
        let (a, b, i) = (self.reg(low), self.reg(high), self.reg(index));
        let (piece, to) = self.new_in_register(Class::Vector);
        let k = self.temp_mask();
        let bit = self.splat32(bit);
        self.v(X::Ptestmd, k, i, bit);
        self.vector(Vector::new(X::Blendmd, Len::Z, to, a, Rm::Reg(b)).mask(k));
        self.free_temp(Class::Mask, k);
        self.drop_pieces(&[low, high]);
        piece
    }

    fn permute_within(&mut self, from: u32, index: u32) -> u32 {
        let (i, from) = (self.reg(index), self.rm(from));
        let (piece, to) = self.new_in_register(Class::Vector);
        self.v(X::Permd, to, i, from);
        piece
    }

    fn permute_two(&mut self, first: u32, second: u32, index: u32) -> u32 {
        let (a, b) = (self.reg(first), self.rm(second));
        let (piece, to) = self.copy_of(index, &[]);
        self.v(X::Permi2d, to, a, b);
        piece
    }

    /// Lanes of `value` to the places that `index` names; through memory, where the highest lane of several for one place wins.
    pub(super) fn permute(&mut self, r: Value, value: Value, index: Value, exec: Value) -> Result<(), EmitError> {
        let (from, index, k): (Parts, Parts, Parts) = (self.val(value).lo, self.val(index).lo, self.mask_parts(exec));
        let row = self.r.new_temp_row();
        let zero = self.temp();
        self.v(X::Pxord, zero, zero, Rm::Reg(zero));
        for p in 0..self.parts {
            let to = self.row_mem(row, p);
            self.v(X::MovStore, zero, 0, Rm::Mem(to));
        }
        let at = self.temp_general();
        let first = self.row_mem(row, 0);
        self.a.lea(Size::Q, at, first);
        let (t, m) = (self.temp(), self.temp_mask());
        for p in 0..self.parts {
            let (v, i, k) = (self.reg(from[p]), self.reg(index[p]), self.reg(k[p]));
            let lanes = self.splat32(self.func.wave_size - 1);
            self.v(X::Pandd, t, i, lanes);
            if self.is_avx2() {
                self.scatter_to_row(v, t, k, at);
                continue;
            }
            self.k(X::Kmovw, m, 0, k);
            self.vector(Vector::new(X::Scatterdd, Len::Z, v, 0, Rm::Mem(Mem::gather(at, t, 4, 0))).mask(m));
        }
        let mut out = NO_PARTS;
        for (p, part) in out[..self.parts].iter_mut().enumerate() {
            *part = self.r.new_piece(Class::Vector, Home::Row { row, part: p as u8 });
        }
        debug_assert!(out[0] != NONE);
        self.set_lo(r, out);
        Ok(())
    }
}
