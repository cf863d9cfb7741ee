//! The general way of an access whose lanes are not in a row: gathers and scatters, and small elements one after the other.

use super::calls::{CAREFUL_ADDR, CAREFUL_DATA, CARGO_BASE, CARGO_EXEC, CARGO_HELPER};
use super::lanes::NE;
use super::memory::Access;
use super::{ROWS, Wide, X};
use wavejit_ir::{MemKind, Space};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Size, Vector};

impl<'a> Wide<'a> {
    /// Lanes anywhere within 4 GiB. Qwords come [as they are wanted](Access::as_quads).
    pub(super) fn general(&mut self, a: &Access) {
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
        self.range_of_lanes(a);
        // Stores of lanes one by one in AVX2 need the register of the base for something else.
        let by_eights = self.may_be_in_eights(a) && !(a.is_store && self.is_avx2());
        if !a.is_apart() && !by_eights {
            self.base_of_indices(a);
        }
        for p in 0..self.parts {
            let next = self.a.label();
            let dwords = if a.is_lying { self.a.label() } else { next };
            self.skip_idle(a, p, next);
            if a.may_be_equal() {
                self.all_equal(a, p, a.low[p], dwords);
            }
            if by_eights {
                self.in_eights(a, p, next);
            }
            self.apart_or(a, p, a.low[p], |w| {
                if a.is_apart() || by_eights {
                    w.base_of_indices(a);
                }
                let flip = w.splat32(0x8000_0000);
                w.v(X::Pxord, a.t, a.low[p], flip);
                w.gather_dwords(a, p, a.spare[0], 0);
            });
            self.end_of_dwords(a, p, dwords, next);
        }
    }

    /// Where the general way has a part in dwords.
    fn end_of_dwords(&mut self, a: &Access, p: usize, dwords: Label, next: Label) {
        if a.is_lying {
            self.a.bind(dwords);
            self.dwords_to_lying(a, p);
        }
        self.a.bind(next);
    }

    /// host = the host address that offsets of lanes are from; tested.
    pub(super) fn range_of_lanes(&mut self, a: &Access) {
        if a.high.is_empty() { self.range_of_base(a) } else { self.common_high(a) }
    }

    /// Moves all parts if lanes are in rows of eight; goes to `slow` if not all are: what has been stored until then is stored again.
    pub(super) fn all_in_eights(&mut self, a: &Access, slow: Label) {
        for p in 0..self.parts {
            let moved = self.a.label();
            self.skip_idle(a, p, moved);
            self.in_eights(a, p, moved);
            self.a.jmp(slow);
            self.a.bind(moved);
        }
    }

    /// Indices are signed: offsets less 2^31, from a base that is so much higher.
    fn base_of_indices(&mut self, a: &Access) {
        self.a.mov_imm(a.spare[0], 0x8000_0000);
        self.a.alu(Alu::Add, Size::Q, a.spare[0], a.host);
    }

    /// Goes to `next` if no lane of a part is active: what such lanes have for addresses may lead anywhere.
    pub(super) fn skip_idle(&mut self, a: &Access, p: usize, next: Label) {
        if !a.is_full {
            self.any(a.exec[p]);
            self.a.jcc(Cond::E, next);
        }
    }

    /// If all active lanes, of which there are some, have the offset of lane 0, loads the element once and goes to `next`.
    pub(super) fn all_equal(&mut self, a: &Access, p: usize, offsets: u8, next: Label) {
        let differs = self.a.label();
        self.v(X::Broadcast, a.t, 0, Rm::Reg(offsets));
        self.vector(Vector::new(X::Pcmpud, Len::Z, a.k2, a.t, Rm::Reg(offsets)).imm(NE).mask(a.exec[p]));
        self.any(a.k2);
        self.a.jcc(Cond::Ne, differs);
        let t = a.spare[1];
        self.first_dword(offsets, t);
        let from = Mem::indexed(a.host, t, 1, 0);
        self.broadcast_for_part(a, from, t, p);
        self.a.jmp(next);
        self.a.bind(differs);
    }

    /// Loads one element into all lanes of a part.
    fn broadcast_for_part(&mut self, a: &Access, from: Mem, t: Gpr, p: usize) {
        if a.as_quads { self.broadcast_qword(a, from, p) } else { self.broadcast_element(a, from, t, Some(p)) }
    }

    /// Lanes whose elements might overlap without being equal are stored one by one.
    pub(super) fn test_alignment(&mut self, a: &Access) {
        if !(a.bytes() as u32).is_power_of_two() {
            return self.a.jmp(a.careful);
        }
        self.first_dword(a.low[0], a.host);
        self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(a.host.0));
        for p in 0..self.parts {
            let t = a.t;
            // (t ^ offset) & (bytes - 1), by a table: (x ^ y) & z with z from memory.
            let rest = self.splat32(a.bytes() as u32 - 1);
            self.v(X::Pxord, t, t, Rm::Reg(a.low[p]));
            self.vector(Vector::new(X::Ptestmd, Len::Z, a.k, t, rest).mask(a.exec[p]));
            self.v(X::Pxord, t, t, Rm::Reg(a.low[p]));
            self.any(a.k);
            self.a.jcc(Cond::Ne, a.careful);
        }
    }

    pub(super) fn general_lds(&mut self, a: &Access) {
        if a.is_store && a.dwords() > 1 {
            self.test_alignment(a);
        }
        self.each_lds_offset(a, a.bytes().max(4), |w, p, offsets| {
            if offsets != a.t {
                w.lds_offsets(a, p);
            }
            let next = w.a.label();
            let dwords = if a.is_lying { w.a.label() } else { next };
            if a.may_be_equal() {
                // As in `all_equal`, on the sums.
                let differs = w.a.label();
                let t = a.spare[1];
                w.first_dword(a.t, t);
                w.a.store(Size::D, Mem::at(Gpr::RSP, CARGO_BASE), t);
                let m = Rm::Bcst(Mem::at(Gpr::RSP, CARGO_BASE));
                w.vector(Vector::new(X::Pcmpud, Len::Z, a.k2, a.t, m).imm(NE).mask(a.exec[p]));
                w.any(a.k2);
                w.a.jcc(Cond::Ne, differs);
                // Lane 0 may be inactive and anywhere.
                w.a.alu_load(Alu::Cmp, Size::Q, t, Mem::at(Gpr::RSP, CARGO_HELPER));
                w.a.jcc(Cond::A, differs);
                w.broadcast_for_part(a, Mem::indexed(a.host, t, 1, 0), t, p);
                w.a.jmp(dwords);
                w.a.bind(differs);
            }
            if w.in_eights(a, p, next) {
                w.lds_offsets(a, p);
            }
            w.apart_or(a, p, a.t, |w| w.gather_dwords(a, p, a.host, 0));
            w.end_of_dwords(a, p, dwords, next);
        });
    }

    /// `t` = the offsets in LDS of a part.
    fn lds_offsets(&mut self, a: &Access, p: usize) {
        if a.imm == 0 {
            return self.v(X::MovAligned, a.t, 0, Rm::Reg(a.low[p]));
        }
        // Sums of offset and constant wrap at 2^32.
        let imm = self.splat32(a.imm as u32);
        self.v(X::Paddd, a.t, a.low[p], imm);
    }

    /// Bytes and halfwords of lanes anywhere: one after the other, in order.
    pub(super) fn store_one_by_one(&mut self, a: &Access) {
        let [lane, value] = a.spare;
        if a.space == Space::Lds {
            self.each_lds_offset(a, a.bytes(), |w, p, offsets| {
                let to = w.row_mem(CAREFUL_ADDR, p);
                w.v(X::MovStore, offsets, 0, Rm::Mem(to));
            });
        } else {
            self.range_of_lanes(a);
        }
        let (next, end) = (self.a.label(), self.a.label());
        if self.may_be_in_eights(a) {
            // Where one part is not in such rows, all are stored again, in order.
            let slow = self.a.label();
            self.all_in_eights(a, slow);
            self.a.jmp(end);
            self.a.bind(slow);
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
        self.active_lanes(a, lane);
        let lanes = self.func.wave_size;
        if lanes == 32 {
            let some = self.a.label();
            self.a.alu_imm(Alu::Cmp, Size::D, lane, -1);
            self.a.jcc(Cond::Ne, some);
            (0..lanes as i32).for_each(|i| self.store_lane(a, value, lane, Mem::at(ROWS, 4 * i)));
            self.a.jmp(end);
            self.a.bind(some);
        }
        self.a.store(Size::Q, left, lane);
        self.a.bind(next);
        self.a.load(Size::Q, value, left);
        self.a.test(Size::Q, value, value);
        self.a.jcc(Cond::E, end);
        self.a.tzcnt(Size::Q, lane, value);
        // left &= left - 1
        self.a.lea(Size::Q, value, Mem::at(value, -1));
        self.a.alu_store(Alu::And, Size::Q, left, value);
        self.store_lane(a, value, lane, Mem::indexed(ROWS, lane, 4, 0));
        self.a.jmp(next);
        self.a.bind(end);
    }

    /// Stores the byte or halfword of a lane, which stands there in the rows of data and of addresses.
    fn store_lane(&mut self, a: &Access, value: Gpr, address: Gpr, lane: Mem) {
        let row = |row: u16| lane.plus(i32::from(row) * self.row_bytes());
        let (data, offset) = (row(CAREFUL_DATA), row(CAREFUL_ADDR));
        self.a.load(Size::D, value, data);
        self.a.load(Size::D, address, offset);
        let to = Mem::indexed(a.host, address, 1, 0);
        self.may_fault(a);
        match a.kind {
            MemKind::U8 | MemKind::I8 => self.a.store8(to, value),
            _ => self.a.store16(to, value),
        }
    }
}
