//! Accesses whose lanes are in a row by eight lanes: what 8 x 8 work-items of an image do. Where it is [known](super::addresses::Known::eights) how far a row is from
//! the one before they are moved without a look; else it is found as they run, where not all lanes of a part are in one row.
//!
//! ```text
//! load global.b32 [%5]     lanes 1-7 behind lane 0, 9-15 behind lane 8? -> no: gather
//!                          vmovups ymm0, [first]; vinserti64x4 zmm0, zmm0, [second], 1
//! ```

use super::lanes::EQ;
use super::memory::Access;
use super::moves::Runs;
use super::{Wide, X};
use wavejit_ir::{Ids, MemKind, Space};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Size, Vector};

/// Lanes of such a row.
const EIGHT: u32 = 8;

impl<'a> Wide<'a> {
    /// Are lanes of an access likely to be in rows of eight, if they are not in longer ones, and worth a look? One gather is no slower than that on hosts that are
    /// quick at it.
    pub(super) fn may_be_in_eights(&self, a: &Access) -> bool {
        let is_likely = self.func.ids.run() == Ids::EIGHT && a.known.stride.is_none() && !a.is_scattered && a.carried.is_none();
        is_likely && a.kind.bytes() <= 16 && (a.is_store || a.dwords() > 1 || !a.gathers)
    }

    /// If all lanes of a part are active and each eight are in a row, moves them and goes to `next`. Of global memory `host` is the host address of its base and
    /// constant, of LDS that of LDS, where all lanes have been found to be in range. Returns whether there is code for
    /// it: that changes `spare` and `t`.
    pub(super) fn in_eights(&mut self, a: &Access, p: usize, next: Label) -> bool {
        if !self.may_be_in_eights(a) {
            return false;
        }
        // Elements of several dwords may overlap: compilers load neighbors at once.
        let overlap = (a.dwords() > 1 && !a.is_store && !a.as_quads && !a.is_lying).then_some(4);
        for step in [Some(a.bytes() as u32), overlap].into_iter().flatten() {
            let other = self.a.label();
            let starts = self.find_eights(a, p, step, other);
            let at = |start: &Gpr| Mem::indexed(a.host, *start, 1, 0);
            match starts {
                [first, second] if step == a.bytes() as u32 => self.move_eights(a, p, [at(first), at(second)]),
                [first, second] => {
                    for (data, j) in a.data.iter().zip(0..) {
                        self.move_register(a, data[p], Runs::Two([first, second].map(|start| at(start).plus(4 * j))), None);
                    }
                }
                [first] if step == a.bytes() as u32 => {
                    self.a.alu(Alu::Add, Size::Q, *first, a.host);
                    self.move_part(&Access { step: None, ..a.clone() }, p, *first, 0);
                }
                starts => (0..a.dwords()).for_each(|j| self.load_dwords(a, a.data[j][p], p, at(&starts[0]).plus(4 * j as i32))),
            }
            self.a.jmp(next);
            self.a.bind(other);
        }
        true
    }

    /// Goes to `other` unless all lanes of a part are active and each eight are in a row, `step` bytes from one to the next; the offsets of the first of each.
    fn find_eights<'b>(&mut self, a: &'b Access, p: usize, step: u32, other: Label) -> &'b [Gpr] {
        let offsets = a.low[p];
        if !a.is_full {
            self.every(a.exec[p]);
            self.a.jcc(Cond::Ae, other);
        }
        if self.is_avx2() {
            self.v(X::Broadcast, a.t, 0, Rm::Reg(offsets));
        } else {
            self.load_table(a.t, |i| i / EIGHT * EIGHT);
            self.v(X::Permd, a.t, a.t, Rm::Reg(offsets));
        }
        let steps = self.table(move |i| i % EIGHT * step);
        self.v(X::Paddd, a.t, a.t, steps);
        self.vi(X::Pcmpd, a.k2, a.t, Rm::Reg(offsets), EQ);
        self.every(a.k2);
        self.a.jcc(Cond::Ae, other);
        let starts = &a.spare[..self.part_lanes() as usize / EIGHT as usize];
        self.first_dword(offsets, starts[0]);
        if let [_, second] = starts {
            self.vi(X::Extract32x4, offsets, 0, Rm::Reg(a.t), 2);
            self.first_dword(a.t, *second);
        }
        for start in starts {
            if a.space == Space::Lds {
                self.a.lea(Size::D, *start, Mem::at(*start, a.imm));
            } else {
                // Offsets are zero-extended: they may not wrap within a row.
                self.a.alu_imm(Alu::Cmp, Size::D, *start, -((EIGHT * step) as i32 + a.bytes()));
                self.a.jcc(Cond::A, other);
            }
        }
        starts
    }

    /// Loads or stores a part of an access whose lanes are known to be in runs of eight, `step` bytes from one to the next and `apart` from run to run.
    pub(super) fn eights_of_part(&mut self, a: &Access, p: usize, from: Gpr, disp: i32, step: u32, apart: i32) {
        let is_in_row = step == a.bytes() as u32;
        if self.is_avx2() {
            let disp = disp + apart * (p as i32 % 2);
            let at = Mem::at(from, disp);
            return match step {
                0 => self.broadcast_element(a, at, a.spare[0], Some(p)),
                _ if is_in_row => self.move_part(&Access { step: None, ..a.clone() }, p, from, disp),
                _ if step != 4 || a.dwords() == 1 => self.load_each(a, p, |lane| at.plus((lane * step) as i32)),
                _ => (0..a.dwords()).for_each(|j| self.load_dwords(a, a.data[j][p], p, at.plus(4 * j as i32))),
            };
        }
        let rows = [0, apart].map(|more| Mem::at(from, disp + more));
        if is_in_row {
            return self.move_eights(a, p, rows);
        }
        match step {
            1.. if self.prefers_gathers(a.kind) && a.dwords() == 1 => {
                self.load_table(a.t, |i| i / EIGHT * apart as u32 + i % EIGHT * step);
                self.gather_dwords(a, p, from, disp);
            }
            1.. if step != 4 || a.dwords() == 1 => {
                self.load_each(a, p, |lane| rows[(lane / EIGHT) as usize].plus((lane % EIGHT * step) as i32))
            }
            0 if a.bytes() < 4 => {
                let [low, high] = rows;
                self.broadcast_element(a, low, a.spare[0], Some(p));
                // What the first eight have is put aside.
                self.v(X::MovAligned, a.t, 0, Rm::Reg(a.data[0][p]));
                self.broadcast_element(a, high, a.spare[0], Some(p));
                self.vi(X::Shufi64x2, a.data[0][p], a.t, Rm::Reg(a.data[0][p]), 0x44);
            }
            _ => {
                for (j, data) in a.data.iter().enumerate() {
                    let rows = rows.map(|row| row.plus(4 * j as i32));
                    if step != 0 {
                        self.move_register(a, data[p], Runs::Two(rows), None);
                        continue;
                    }
                    for (reg, at) in [data[p], a.t].into_iter().zip(rows) {
                        self.may_fault(a);
                        self.exactly(Vector::new(X::Broadcast, Len::Y, reg, 0, Rm::Mem(at)));
                    }
                    self.vi(X::Insert64x4, data[p], data[p], Rm::Reg(a.t), 1);
                }
            }
        }
        if a.as_quads {
            self.dwords_to_quads(a, p);
        }
    }

    fn move_eights(&mut self, a: &Access, p: usize, rows: [Mem; 2]) {
        let (reg, t) = (a.data[0][p], a.t);
        let [low, high] = rows.map(Rm::Mem);
        match (a.is_store, a.kind) {
            (false, _) if a.dwords() > 1 => self.deinterleave(a, p, Runs::Two(rows)),
            (true, _) if a.dwords() > 1 => self.interleave(a, p, Runs::Two(rows)),
            (false, MemKind::U8 | MemKind::I8) => {
                self.may_fault(a);
                self.exactly(Vector::new(X::MovqFromGpr, Len::X, reg, 0, low));
                self.may_fault(a);
                self.exactly(Vector::new(X::Pinsrq, Len::X, reg, reg, high).imm(1));
                self.v(if a.kind == MemKind::U8 { X::Pmovzxbd } else { X::Pmovsxbd }, reg, 0, Rm::Reg(reg));
            }
            (false, MemKind::U16 | MemKind::I16) => {
                self.may_fault(a);
                self.exactly(Vector::new(X::MovLoad, Len::X, reg, 0, low));
                self.may_fault(a);
                self.exactly(Vector::new(X::Insert32x4, Len::Y, reg, reg, high).imm(1));
                self.v(if a.kind == MemKind::U16 { X::Pmovzxwd } else { X::Pmovsxwd }, reg, 0, Rm::Reg(reg));
            }
            (true, MemKind::U8 | MemKind::I8) => {
                self.v(X::Pmovdb, reg, 0, Rm::Reg(t));
                self.may_fault(a);
                self.exactly(Vector::new(X::MovqToGpr, Len::X, t, 0, low));
                self.may_fault(a);
                self.exactly(Vector::new(X::Pextrq, Len::X, t, 0, high).imm(1));
            }
            (true, MemKind::U16 | MemKind::I16) => {
                self.v(X::Pmovdw, reg, 0, Rm::Reg(t));
                self.may_fault(a);
                self.exactly(Vector::new(X::MovStore, Len::X, t, 0, low));
                self.may_fault(a);
                self.exactly(Vector::new(X::Extract32x4, Len::Y, t, 0, high).imm(1));
            }
            _ => self.move_register(a, reg, Runs::Two(rows), None),
        }
    }
}
