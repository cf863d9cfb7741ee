//! Dwords of lanes anywhere.
//!
//! A gather instruction takes more than twice as long on some processors as the loads that it is made of, with the offsets taken out of their
//! register and the dwords put into one: for sixteen lanes 4.9 ns and 2.4. On those that [`Host::gathers`](super::host::Host::gathers) tells it takes
//! less. Where the distance from lane to lane is known the loads need no offsets at all; where it is 1 to 4 bytes all are in one load.
//!
//! ```text
//! t          o0 o1 o2 o3 | o4 ...        turned by four lanes for each quarter
//! quarter    [host + o0] [host + o1] [host + o2] [host + o3]
//! result     quarter 0 | quarter 1 | quarter 2 | quarter 3
//! ```

use super::addresses::is_close;
use super::avx2::{S0, S1, S2};
use super::memory::Access;
use super::quads::DWORDS_OF_QWORDS;
use super::{Wide, X};
use wavejit_ir::{Block, Inst, MemKind, Op, Space};
use wavejit_x86::{Cond, Gpr, Len, Mem, Rm, Shift, Size, Vector};

/// Most loads of lanes anywhere in a block of which each is done one lane after the other: beyond it their code takes more time to fetch than gathers do.
const FEW: usize = 24;

impl Access {
    /// Is it a load whose lanes may be anywhere, for all that is known, and one of a few? It then has a register to spare ([`Access::raw`]) if there are sixteen lanes in one.
    pub(super) fn is_apart(&self) -> bool {
        !self.is_store && self.known.stride.is_none() && !self.gathers
    }
}

impl<'a> Wide<'a> {
    /// Are there more than a few loads of lanes anywhere in a block?
    pub(super) fn has_many_apart(&self, block: &Block) -> bool {
        let is_apart = |inst: &&Inst| match &inst.op {
            Op::Load { addr, .. } => addr.offset.is_some_and(|v| self.strides.of(v).is_none()),
            _ => false,
        };
        block.insts.iter().filter(is_apart).nth(FEW).is_some()
    }

    /// Are loads of lanes anywhere gathers in this block, since they are better for all, or since there are more than a few? A gather for each dword of four never is better
    /// than a load for all of them.
    pub(super) fn prefers_gathers(&self, kind: MemKind) -> bool {
        self.has_many_apart || self.host.gathers && kind != MemKind::B128
    }

    /// Dwords at `from` + t, one after the other; of smaller elements what is above them is cut off.
    pub(super) fn gather_dwords(&mut self, a: &Access, p: usize, from: Gpr, disp: i32) {
        if a.kind == MemKind::B64 && !a.is_store && !self.is_avx2() {
            return self.gather_qwords(a, p, from, disp);
        }
        if a.is_store && self.is_avx2() {
            let data: Vec<u8> = a.data.iter().map(|d| d[p]).collect();
            return self.scatter_lane_by_lane(a, p, &data, from, disp);
        }
        for (j, data) in a.data.iter().enumerate() {
            let at = Mem::gather(from, a.t, 1, disp + 4 * j as i32);
            if a.is_full {
                self.k(X::Kxnorw, a.k2, a.k2, a.k2);
            } else {
                self.k(X::Kmovw, a.k2, 0, a.exec[p]);
            }
            if !a.is_store && !self.is_avx2() {
                self.no_wait(data[p]);
            }
            self.may_fault(a);
            let op = if a.is_store { X::Scatterdd } else { X::Gatherdd };
            self.vector(Vector::new(op, Len::Z, data[p], 0, Rm::Mem(at)).mask(a.k2));
        }
        self.cut_off(a, a.data[0][p]);
    }

    /// A gather keeps what lanes have that are off, and so waits for it: there is nothing to wait for.
    fn no_wait(&mut self, reg: u8) {
        self.v(X::Pxord, reg, reg, Rm::Reg(reg));
    }

    /// The same for qwords, eight at a time.
    fn gather_qwords(&mut self, a: &Access, p: usize, from: Gpr, disp: i32) {
        for (half, to) in a.raw[..2].iter().enumerate() {
            let offsets = if half == 0 { a.t } else { a.raw[2] };
            if half == 1 {
                self.vi(X::Extract64x4, a.t, 0, Rm::Reg(offsets), 1);
            }
            match half {
                _ if a.is_full => self.k(X::Kxnorw, a.k2, a.k2, a.k2),
                0 => self.k(X::Kmovw, a.k2, 0, a.exec[p]),
                _ => self.vector(Vector::new(X::Kshiftrw, Len::X, a.k2, 0, Rm::Reg(a.exec[p])).imm(8)),
            }
            self.no_wait(*to);
            self.may_fault(a);
            self.vector(Vector::new(X::Gatherdq, Len::Z, *to, 0, Rm::Mem(Mem::gather(from, offsets, 1, disp))).mask(a.k2));
        }
        if a.as_quads { self.halves_of_qwords(a, p) } else { self.apart(a, p) }
    }

    /// Dwords of a part's lanes at `host` + `offsets`, which are unsigned and may be `t`: one by one, or by `gather`.
    pub(super) fn apart_or(&mut self, a: &Access, p: usize, offsets: u8, gather: impl FnOnce(&mut Self)) {
        if !a.is_apart() {
            return gather(self);
        }
        // In AVX2 there is no cheap way to give other lanes the offset of an active one.
        let whole_only = self.is_avx2() && !a.is_full;
        let (some, done) = (self.a.label(), self.a.label());
        if whole_only {
            self.every(a.exec[p]);
            self.a.jcc(Cond::Ae, some);
        }
        self.gather_apart(a, p, offsets);
        if a.as_quads {
            self.dwords_to_quads(a, p);
        }
        if whole_only {
            self.a.jmp(done);
            self.a.bind(some);
            gather(self);
            self.a.bind(done);
        }
    }

    pub(super) fn gather_apart(&mut self, a: &Access, p: usize, offsets: u8) {
        if self.is_avx2() {
            return self.gather_apart_in_avx2(a, p, offsets);
        }
        let (t, quarter) = (a.t, a.raw[0]);
        if offsets != t {
            self.v(X::MovAligned, t, 0, Rm::Reg(offsets));
        }
        if !a.is_full {
            // Other lanes have the offset of the first active one.
            let (k, all) = (a.exec[p], self.a.label());
            self.every(k);
            self.a.jcc(Cond::B, all);
            self.vector(Vector::new(X::Compressd, Len::Z, t, 0, Rm::Reg(quarter)).zeroing(k));
            self.v(X::Broadcast, quarter, 0, Rm::Reg(quarter));
            self.vector(Vector::new(X::MovAligned, Len::Z, quarter, 0, Rm::Reg(t)).mask(k));
            self.v(X::MovAligned, t, 0, Rm::Reg(quarter));
            self.a.bind(all);
        }
        let [high, low] = a.spare;
        let mut turned = true;
        self.sixteen(a, p, quarter, |w, lane| {
            if lane % 4 == 0 && !std::mem::take(&mut turned) {
                w.vi(X::Valignd, t, t, Rm::Reg(t), 4);
            }
            if lane % 2 == 0 {
                w.two_offsets(t, lane % 4 / 2, low, high);
            }
            Mem::indexed(a.host, [low, high][lane as usize % 2], 1, 0)
        });
    }

    /// The elements of sixteen lanes, whose places `at` says in order: in elements of two or four dwords once, else for each dword.
    fn sixteen(&mut self, a: &Access, p: usize, quarter: u8, mut at: impl FnMut(&mut Self, u32) -> Mem) {
        let to: Vec<u8> = a.data.iter().map(|d| d[p]).collect();
        match to[..] {
            [low, high] => {
                // Lanes 0 and 1 of each quarter in one register, 2 and 3 in another.
                let (halves, two) = (&a.raw[..2], a.raw[2]);
                for lane in 0..16 {
                    let (n, half) = (lane as u8 / 4, halves[lane as usize % 4 / 2]);
                    let from = at(self, lane);
                    let to = if n == 0 { half } else { two };
                    self.may_fault(a);
                    self.exactly(match lane % 2 {
                        0 => Vector::new(X::MovqFromGpr, Len::X, to, 0, Rm::Mem(from)),
                        _ => Vector::new(X::Pinsrq, Len::X, to, to, Rm::Mem(from)).imm(1),
                    });
                    if n > 0 && lane % 2 == 1 {
                        self.vi(X::Insert32x4, half, half, Rm::Reg(two), n);
                    }
                }
                for (to, pick) in [low, high].into_iter().zip(DWORDS_OF_QWORDS) {
                    self.vi(X::Shufps, to, halves[0], Rm::Reg(halves[1]), pick);
                }
            }
            [d0, d1, d2, d3] => {
                let r = &a.raw[..4];
                for lane in 0..16 {
                    let (n, reg) = (lane as u8 / 4, r[lane as usize % 4]);
                    let place = at(self, lane);
                    let from = Rm::Mem(place);
                    self.may_fault(a);
                    match n {
                        0 => self.vector(Vector::new(X::MovLoad, Len::X, reg, 0, from)),
                        _ => self.vi(X::Insert32x4, reg, reg, from, n),
                    }
                    self.ask_for_next(a, place);
                }
                self.v(X::Punpckldq, d0, r[0], Rm::Reg(r[1]));
                self.v(X::Punpckhdq, r[0], r[0], Rm::Reg(r[1]));
                self.v(X::Punpckldq, d2, r[2], Rm::Reg(r[3]));
                self.v(X::Punpckhdq, r[2], r[2], Rm::Reg(r[3]));
                self.v(X::Punpckhqdq, d1, d0, Rm::Reg(d2));
                self.v(X::Punpcklqdq, d0, d0, Rm::Reg(d2));
                self.v(X::Punpckhqdq, d3, r[0], Rm::Reg(r[2]));
                self.v(X::Punpcklqdq, d2, r[0], Rm::Reg(r[2]));
            }
            _ => {
                for (j, to) in to.into_iter().enumerate() {
                    for lane in 0..16 {
                        let (n, from) = (lane as u8 / 4, at(self, lane).plus(4 * j as i32));
                        self.one_of_four(a, if n == 0 { to } else { quarter }, lane as u8 % 4, from);
                        if n > 0 && lane % 4 == 3 {
                            self.vi(X::Insert32x4, to, to, Rm::Reg(quarter), n);
                        }
                    }
                }
                self.cut_off(a, a.data[0][p]);
            }
        }
    }

    fn gather_apart_in_avx2(&mut self, a: &Access, p: usize, offsets: u8) {
        for (j, data) in a.data.iter().enumerate() {
            let from = self.source(offsets, S0);
            self.four_apart(a, S1, from, 4 * j as i32);
            self.exactly(Vector::new(X::Extracti128, Len::Y, from, 0, Rm::Reg(S0)).imm(1));
            self.four_apart(a, S2, S0, 4 * j as i32);
            self.halves(data[p]);
        }
        self.cut_off(a, a.data[0][p]);
    }

    /// Four dwords at `host` + the first four lanes of `offsets` + `disp`.
    fn four_apart(&mut self, a: &Access, to: u8, offsets: u8, disp: i32) {
        let [high, low] = a.spare;
        for half in 0..2 {
            self.two_offsets(offsets, half, low, high);
            for (i, offset) in [low, high].into_iter().enumerate() {
                self.one_of_four(a, to, 2 * half as u8 + i as u8, Mem::indexed(a.host, offset, 1, disp));
                if disp == 0 {
                    self.ask_for_next(a, Mem::indexed(a.host, offset, 1, 0));
                }
            }
        }
    }

    /// Lanes 0 and 1 of a register in general registers, or 2 and 3.
    fn two_offsets(&mut self, offsets: u8, half: u32, low: Gpr, high: Gpr) {
        self.exactly(match half {
            0 => Vector::new(X::MovqToGpr, Len::X, offsets, 0, Rm::Reg(high.0)),
            _ => Vector::new(X::Pextrq, Len::X, offsets, 0, Rm::Reg(high.0)).imm(1),
        });
        self.a.mov(Size::D, low, high);
        self.a.shift(Shift::Shr, Size::Q, high, 32);
    }

    /// Loads a dword into a lane of the first four; lane 0 comes first.
    fn one_of_four(&mut self, a: &Access, to: u8, lane: u8, from: Mem) {
        self.may_fault(a);
        self.exactly(match lane {
            0 => Vector::new(X::MovdFromGpr, Len::X, to, 0, Rm::Mem(from)),
            _ => Vector::new(X::Pinsrd, Len::X, to, to, Rm::Mem(from)).imm(lane),
        });
    }

    /// Dwords of a part's lanes, so many bytes from one to the next. `t` is changed.
    pub(super) fn gather_steps(&mut self, a: &Access, p: usize, start: Mem, from: Gpr, step: u32) {
        if self.prefers_gathers(a.kind) && a.dwords() == 1 && !self.is_avx2() && !is_close(self.r.level, a.kind, step) {
            self.load_table(a.t, move |i| i * step);
            return self.gather_dwords(a, p, from, start.disp);
        }
        // What other lanes have in LDS is there.
        if !a.is_full && a.space != Space::Lds {
            let (some, done) = (self.a.label(), self.a.label());
            self.every(a.exec[p]);
            self.a.jcc(Cond::Ae, some);
            // Dwords here and there, which are put together behind.
            let (a, pc) = (Access { as_quads: false, ..a.clone() }, self.pc);
            self.gather_all_steps(&a, p, start, step);
            self.a.bind(done);
            return self.stubs.push(Box::new(move |w| {
                w.a.bind(some);
                w.map.push((w.a.offset(), pc));
                w.load_table(a.t, move |i| i * step);
                w.gather_dwords(&a, p, from, start.disp);
                w.a.jmp(done);
            }));
        }
        self.gather_all_steps(a, p, start, step);
    }

    fn gather_all_steps(&mut self, a: &Access, p: usize, start: Mem, step: u32) {
        if is_close(self.r.level, a.kind, step) {
            return self.pick_out_bytes(a, p, start, step);
        }
        self.load_each(a, p, |lane| start.plus((lane * step) as i32));
    }

    /// The elements of a part's lanes, one after the other. `t` is changed.
    pub(super) fn load_each(&mut self, a: &Access, p: usize, at: impl Fn(u32) -> Mem) {
        if !self.is_avx2() {
            return self.sixteen(a, p, a.t, |_, lane| at(lane));
        }
        for (j, data) in a.data.iter().enumerate() {
            for lane in 0..8 {
                self.one_of_four(a, if lane < 4 { S1 } else { S2 }, lane as u8 % 4, at(lane).plus(4 * j as i32));
            }
            self.halves(data[p]);
        }
        self.cut_off(a, a.data[0][p]);
    }

    /// Elements of up to a dword that lie close together: each quarter of the register gets the 16 bytes in which its four elements are.
    fn pick_out_bytes(&mut self, a: &Access, p: usize, start: Mem, step: u32) {
        let (to, bytes) = (a.data[0][p], a.kind.bytes() as u32);
        let dwords = (15 * step + bytes).div_ceil(4);
        let from = Vector::new(X::MovLoad, Len::Z, to, 0, Rm::Mem(start));
        let from = if dwords == 16 {
            from
        } else {
            self.a.mov_imm(a.spare[0], (1 << dwords) - 1);
            self.k(X::KmovwFromGpr, a.k, 0, a.spare[0].0);
            from.zeroing(a.k)
        };
        self.may_fault(a);
        self.vector(from);
        if step != 4 {
            self.load_table(a.t, move |i| (step * (i / 4) + i % 4).min(dwords - 1));
            self.v(X::Permd, to, a.t, Rm::Reg(to));
        }
        // A sign is spread from the top.
        let empty = if matches!(a.kind, MemKind::I8 | MemKind::I16) { 4 - bytes } else { 0 };
        let order = self.table(move |i| {
            let byte = |b: u32| b.checked_sub(empty).filter(|b| *b < bytes).map_or(0x80, |b| step * (i % 4) + b);
            (0..4).fold(0, |dword, b| dword | byte(b) << (8 * b))
        });
        self.v(X::Pshufb, to, to, order);
        if empty != 0 {
            self.vi(X::PsradImm, 0, to, Rm::Reg(to), 8 * empty as u8);
        }
    }

    /// Puts two registers of AVX2 of four dwords together.
    fn halves(&mut self, to: u8) {
        let result = self.destination_or(to, S1);
        self.exactly(Vector::new(X::Inserti128, Len::Y, result, S1, Rm::Reg(S2)).imm(1));
        self.deliver(to, result);
    }
}
