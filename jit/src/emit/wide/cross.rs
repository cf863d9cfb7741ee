//! Cross-lane operations.

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
            return self.vector(Vector::new(X::MovdToGpr, Len::X, from, 0, Rm::Reg(to.0)));
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
            return self.vector(Vector::new(X::MovdToGpr, Len::X, from, 0, Rm::Reg(to.0)));
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
            out[p] = match &sources[..] {
                [only] => self.permute_within(from[*only], index_parts[p]),
                [0, 1] => self.permute_two(from[0], from[1], index_parts[p]),
                [2, 3] => self.permute_two(from[2], from[3], index_parts[p]),
                _ => {
                    let (low, high) =
                        (self.permute_two(from[0], from[1], index_parts[p]), self.permute_two(from[2], from[3], index_parts[p]));
                    let (a, b, i) = (self.reg(low), self.reg(high), self.reg(index_parts[p]));
                    let (piece, to) = self.new_in_register(Class::Vector);
                    let k = self.temp_mask();
                    let bit = self.splat32(32);
                    self.v(X::Ptestmd, k, i, bit);
                    self.vector(Vector::new(X::Blendmd, Len::Z, to, a, Rm::Reg(b)).mask(k));
                    self.drop_pieces(&[low, high]);
                    piece
                }
            };
            self.release();
        }
        self.set_lo(r, out);
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
