//! Scratch: `dword[index][lane]`, so equal offsets of all lanes are rows and an offset for each lane is a place in the lane's column.

use super::calls::{CARGO_BASE, CARGO_HELPER};
use super::lanes::GT;
use super::memory::Access;
use super::{Wide, X, state};
use std::mem::offset_of;
use wavejit_ir::abi::WaveState;
use wavejit_x86::{Alu, Cond, Gpr, Len, Mem, Rm, Shift, Size, Vector};

/// Constant offsets below this are displacements.
const MOST_KNOWN: i32 = 1 << 20;
/// A three-operand table: bits of the second operand where the third has ones, of the first elsewhere.
const BITS_OF_SECOND: u8 = 0xd8;

impl<'a> Wide<'a> {
    /// Scratch at one offset for all lanes: rows.
    pub(super) fn scratch_rows(&mut self, a: &Access) {
        // Bits that a small element is shifted by in its dword, if they are known.
        let mut shift = None;
        let mut first = 0;
        match a.base {
            None if (0..MOST_KNOWN).contains(&a.imm) => {
                if a.imm & (a.bytes().min(4) - 1) != 0 {
                    self.note_results(a);
                    return self.a.jmp(a.careful);
                }
                self.a.alu_store_imm(Alu::Cmp, Size::D, state(offset_of!(WaveState, scratch_bytes)), a.imm + a.bytes());
                self.a.jcc(Cond::B, a.careful);
                self.a.load(Size::Q, a.host, state(offset_of!(WaveState, scratch)));
                first = (a.imm >> 2) * self.row_bytes();
                shift = Some(8 * (a.imm & 3) as u8);
            }
            _ => self.scratch_row(a),
        }
        for (j, data) in a.data.iter().enumerate() {
            for (p, reg) in data.iter().enumerate() {
                let at = Rm::Mem(Mem::at(a.host, first + self.row_bytes() * j as i32 + self.part_bytes() * p as i32));
                let mut from = *reg;
                if a.is_store && a.bytes() < 4 {
                    self.may_fault(a);
                    self.v(X::MovLoad, a.raw[1], 0, at);
                    match shift {
                        Some(by) => self.insert_small_at(a, p, by),
                        None => self.insert_small(a, p),
                    }
                    from = a.raw[1];
                }
                if a.is_store && self.is_avx2() {
                    // Nobody else sees the row: a store under a mask takes longer.
                    self.v(X::MovLoad, a.t, 0, at);
                    self.vector(Vector::new(X::MovAligned, Len::Z, a.t, 0, Rm::Reg(from)).mask(a.exec[p]));
                    self.v(X::MovStore, a.t, 0, at);
                    continue;
                }
                self.may_fault(a);
                if a.is_store {
                    self.vector(Vector::new(X::MovStore, Len::Z, from, 0, at).mask(a.exec[p]));
                    continue;
                }
                self.v(X::MovLoad, *reg, 0, at);
                if a.bytes() < 4 {
                    match shift {
                        Some(0) => {}
                        Some(by) => self.vi(X::PsrldImm, 0, *reg, Rm::Reg(*reg), by),
                        None => self.v(X::Psrlvd, *reg, *reg, Rm::Reg(a.raw[0])),
                    }
                    self.cut_off(a, *reg);
                }
            }
        }
    }

    /// host = address of the row at base + imm, tested; raw\[0\] = the bits that a small element is shifted by in its dword.
    fn scratch_row(&mut self, a: &Access) {
        let t = a.spare[0];
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
        self.a.shift(Shift::Shl, Size::Q, a.host, self.row_bytes().trailing_zeros() as u8 - 2);
        self.a.alu_load(Alu::Add, Size::Q, a.host, state(offset_of!(WaveState, scratch)));
    }

    /// host = base + imm, 32 bits.
    pub(super) fn scratch_offset(&mut self, a: &Access) {
        match a.base {
            Some(b) => self.a.lea(Size::D, a.host, Mem::at(b, a.imm)),
            None => self.a.mov_imm(a.host, u64::from(a.imm as u32)),
        }
    }

    /// raw\[1\], dwords of scratch, with the elements to be stored in them: at bits raw\[0\] and up.
    pub(super) fn insert_small(&mut self, a: &Access, p: usize) {
        let (at, to, data, bits) = (a.raw[0], a.raw[1], a.raw[2], a.raw[3]);
        let ones = self.element32(u32::MAX >> (32 - 8 * a.bytes()));
        self.v(X::Broadcast, bits, 0, ones);
        self.v(X::Psllvd, bits, bits, Rm::Reg(at));
        self.v(X::Psllvd, data, a.data[0][p], Rm::Reg(at));
        self.vi(X::Pternlogd, to, data, Rm::Reg(bits), BITS_OF_SECOND);
    }

    /// The same where the bits are known.
    fn insert_small_at(&mut self, a: &Access, p: usize, by: u8) {
        let mut data = a.data[0][p];
        if by != 0 {
            self.vi(X::PslldImm, 0, a.raw[2], Rm::Reg(data), by);
            data = a.raw[2];
        }
        let bits = self.splat32(u32::MAX >> (32 - 8 * a.bytes()) << by);
        self.vi(X::Pternlogd, a.raw[1], data, bits, BITS_OF_SECOND);
    }

    /// Scratch at an offset for each lane: whole dwords in columns, of which smaller elements are parts.
    pub(super) fn scratch_lanes(&mut self, a: &Access) {
        let (add, limit) = (a.host, a.spare[0]);
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
            self.vector(Vector::new(X::Pcmpud, Len::Z, a.k, a.t, beyond).imm(GT).mask(a.exec[p]));
            if a.bytes() > 1 {
                let low_bits = self.splat32(a.bytes().min(4) as u32 - 1);
                self.vector(Vector::new(X::Ptestmd, Len::Z, a.k2, a.t, low_bits).mask(a.exec[p]));
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
            self.vi(X::PslldImm, 0, a.t, Rm::Reg(a.t), self.row_bytes().trailing_zeros() as u8 - 2);
            let lanes = self.part_lanes();
            let columns = self.table(move |i| 4 * (lanes * p as u32 + i));
            self.v(X::Paddd, a.t, a.t, columns);
            for (j, data) in a.data.iter().enumerate() {
                let at = self.row_bytes() * j as i32;
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
    pub(super) fn columns(&mut self, a: &Access, p: usize, op: X, reg: u8, disp: i32) {
        if op == X::Scatterdd && self.is_avx2() {
            return self.scatter_lane_by_lane(a, p, &[reg], a.host, disp);
        }
        let at = Rm::Mem(Mem::gather(a.host, a.t, 1, disp));
        self.k(X::Kmovw, a.k2, 0, a.exec[p]);
        self.may_fault(a);
        self.vector(Vector::new(op, Len::Z, reg, 0, at).mask(a.k2));
    }
}
