//! Pieces in registers: who gets one, who has to leave, and what becomes of those whose home is about to change.

use super::level::Level;
use super::plan::Event;
use super::quads::HALF_OF_QWORDS;
use super::regs::{Class, FIXED, Home, InLds, NEVER, NONE, Needs, PieceId, Pins, TEMP, members, through};
use super::{BASE, FUEL, ROWS, STATE, Wide, X, sreg};
use wavejit_ir::{Inst, Op, SReg};
use wavejit_x86::{Gpr, Len, Mem, Rm, Size, Vector};

impl Wide<'_> {
    /// Unpins registers and frees temporaries.
    pub(super) fn release(&mut self) {
        let r = &mut self.r;
        for (file, pinned, fixed) in [
            (&mut r.vector, &mut r.pinned_vector, r.level.reserved()),
            (&mut r.mask, &mut r.pinned_mask, 1),
            (&mut r.general, &mut r.pinned_general, 1 << Gpr::RSP.0 | 1 << STATE.0 | 1 << ROWS.0 | 1 << BASE.0 | 1 << FUEL.0),
        ] {
            *pinned &= fixed;
            members(file.temporaries & !fixed).for_each(|reg| file.set(reg, NONE));
        }
    }

    /// A register for piece `p`, pinned; somebody may have to leave.
    fn take_register(&mut self, class: Class, p: PieceId) -> u8 {
        let reg = self.free_register(class);
        let (file, pinned) = self.r.file(class);
        file.set(reg.into(), p);
        *pinned |= 1 << reg;
        self.r.log.note(|| if p == TEMP { Event::Temporary { class, reg } } else { Event::Taken { id: p, reg } });
        // Places beyond 32 do not count.
        let vectors = ((self.r.pinned_vector & self.r.level.set()) as u32).count_ones();
        let pinned = Needs { vectors, generals: self.r.pinned_generals() };
        self.r.most_pinned = self.r.most_pinned.max(pinned);
        reg
    }

    fn free_register(&mut self, class: Class) -> u8 {
        let is_vector = class == Class::Vector || class == Class::Mask && self.r.level == Level::Avx2;
        let all = self.r.file(class).0.len();
        let registers = if is_vector { self.r.level.vectors().end.into() } else { all };
        // Places only when operands take all registers.
        for range in [through(registers), through(all) & !through(registers)] {
            let (file, pinned) = self.r.file(class);
            if let Some(free) = file.first_free(range) {
                return free as u8;
            }
            let among = range & !*pinned;
            if let Some(reg) = self.r.oldest_copy(class, among) {
                let p = self.r.file_of(class)[reg];
                self.r.piece(p).reg = None;
                self.r.vacate(class, reg as u8);
                return reg as u8;
            }
            // Farthest next use; of equal ones that which need not be stored; of equal ones the last.
            let mut farthest: Option<((u32, bool), usize, PieceId)> = None;
            for i in members(among) {
                let p = self.r.file_of(class)[i];
                if p < FIXED {
                    let is_stored = self.r.pieces[p as usize].home != Home::None;
                    let key = (self.next_use_of_piece(p), is_stored);
                    if farthest.is_none_or(|(most, ..)| key >= most) {
                        farthest = Some((key, i, p));
                    }
                }
            }
            if let Some((_, reg, p)) = farthest {
                self.spill(p);
                self.r.file(class).0.set(reg, NONE);
                self.r.piece(p).reg = None;
                return reg as u8;
            }
        }
        // What is emitted from here on is thrown away.
        self.r.is_short = true;
        0
    }

    /// Sees to it that a piece in a register has a home.
    pub(super) fn spill(&mut self, p: PieceId) {
        let piece = self.r.pieces[p as usize];
        let Some(reg) = piece.reg else { return };
        if piece.home != Home::None {
            return;
        }
        let home = match piece.class {
            Class::Mask if self.r.level == Level::Avx512 => {
                let at = self.r.new_frame_slot();
                self.vector(Vector::new(X::KmovwStore, Len::X, reg, 0, Rm::Mem(Mem::at(Gpr::RSP, at))));
                Home::Frame(at)
            }
            Class::Vector | Class::Mask => {
                let (row, part) = self.r.new_temp_part();
                let to = self.row_mem(row, part.into());
                self.v(X::MovStore, reg, 0, Rm::Mem(to));
                Home::Row { row, part }
            }
            Class::General => {
                let at = self.r.new_frame_slot();
                self.a.store(Size::Q, Mem::at(Gpr::RSP, at), Gpr(reg));
                Home::Frame(at)
            }
        };
        self.r.log.note(|| Event::Stored { id: p, home });
        self.r.piece(p).home = home;
    }

    /// Address of a part of a row.
    pub(super) fn row_mem(&self, row: u16, part: usize) -> Mem {
        Mem::at(ROWS, i32::from(row) * self.row_bytes() + self.part_bytes() * part as i32)
    }

    /// A register that holds nothing, until the end of the instruction.
    pub(super) fn temp(&mut self) -> u8 {
        self.take_register(Class::Vector, TEMP)
    }
    /// A place that stands for a register, until the end of the instruction.
    pub(super) fn temp_in_place(&mut self) -> u8 {
        let places = usize::from(self.r.level.vectors().end);
        match self.r.vector.first_free(!through(places)) {
            Some(reg) => {
                self.r.vector.set(reg, TEMP);
                self.r.log.note(|| Event::Temporary { class: Class::Vector, reg: reg as u8 });
                self.r.pin(Class::Vector, reg as u8);
                reg as u8
            }
            None => self.temp(),
        }
    }
    pub(super) fn temp_mask(&mut self) -> u8 {
        self.take_register(Class::Mask, TEMP)
    }
    pub(super) fn temp_general(&mut self) -> Gpr {
        Gpr(self.take_register(Class::General, TEMP))
    }
    /// Gives a temporary back before the end of the instruction.
    pub(super) fn free_temp(&mut self, class: Class, reg: u8) {
        let (file, pinned) = self.r.file(class);
        debug_assert_eq!(file[usize::from(reg)], TEMP);
        file.set(reg.into(), NONE);
        *pinned &= !(1 << reg);
    }

    /// A new piece in a register of its own, which the caller fills.
    pub(super) fn new_in_register(&mut self, class: Class) -> (PieceId, u8) {
        let p = self.r.new_piece(class, Home::None);
        let reg = self.take_register(class, p);
        self.r.piece(p).reg = Some(reg);
        (p, reg)
    }

    /// As [`Self::new_in_register`]; the register is that of the first of `from` that nobody needs after this, if there is one. Then what
    /// is in it may be read until the first write.
    pub(super) fn new_over(&mut self, from: &[PieceId]) -> (PieceId, u8) {
        if let Some((reg, row, part)) = from.iter().find_map(|p| self.moved_on(*p)) {
            self.r.log.note(|| Event::RowChanges { row, part: Some(part) });
            return (self.r.new_piece_for_loop(reg), reg);
        }
        let is_tight = self.r.vector.first_free(Pins::MAX).is_none();
        for p in from {
            if *p != NONE
                && (is_tight || !self.r.pieces[*p as usize].home.is_guest())
                && self.r.pieces[*p as usize].class == Class::Vector
                && self.is_last_use(*p)
                && !self.r.pieces[*p as usize].reg.is_some_and(|reg| self.r.is_fixed(Class::Vector, reg) || self.r.is_place(reg))
                && let Some(reg) = self.r.piece(*p).reg.take()
            {
                let home = std::mem::replace(&mut self.r.piece(*p).home, Home::None);
                self.r.free_home(home);
                let class = self.r.pieces[*p as usize].class;
                let new = self.r.new_piece(class, Home::None);
                self.r.file(class).0.set(reg.into(), new);
                self.r.pin(class, reg);
                self.r.piece(new).reg = Some(reg);
                self.r.log.note(|| Event::Over { id: new, from: *p });
                return (new, reg);
            }
        }
        self.new_in_register(Class::Vector)
    }

    /// Is a piece what the loop keeps of a row in a register, and its operation the one that makes what the row holds next? Then that may be made there: the
    /// register, the row, the part.
    fn moved_on(&self, p: PieceId) -> Option<(u8, u16, u8)> {
        let piece = self.r.pieces.get(p as usize)?;
        let reg =
            piece.reg.filter(|reg| piece.class == Class::Vector && piece.home == Home::None && self.r.is_fixed(Class::Vector, *reg))?;
        let insts = &self.func.blocks[self.r.block].insts;
        let inst = insts.get(self.at as usize).filter(|inst| matches!(inst.op, Op::Pure { .. }) && inst.results == 1)?;
        let set = self.only_use(inst.first)? as usize;
        let Op::VSet { reg: row, value, .. } = insts.get(set)?.op else { return None };
        // Of a couple the other row, and the place of its other write.
        let couples = self.couples_in_block(self.r.block);
        let write = couples.and_then(|t| t.write(set as u32));
        let couple = match write {
            Some(write) => Some(write.of_whole(inst.first)?),
            None => None,
        };
        let rows = couple.map_or([row.0; 2], |(rows, _)| [rows.low, rows.high]);
        let is_there = |row: u16| self.r.fixed(row)?[..self.parts].iter().position(|r| *r == reg).map(|part| (row, part));
        let (row, part) = is_there(rows[0]).or_else(|| is_there(rows[1]))?;
        let is_whole = couple.is_some() || value == inst.first && !self.lanes.blend(self.r.block)[set];
        // Nobody looks at the rows in between, and nothing there may end the wave.
        let is_quiet = |(inst, at): (&Inst, u32)| match &inst.op {
            Op::VGet { reg, .. } => !rows.contains(&reg.0),
            Op::VSet { reg, .. } => !rows.contains(&reg.0) || couple.is_some_and(|(_, first)| first == at),
            Op::Pure { .. } if couple.zip(couples).is_some_and(|((rows, _), t)| t.holds(inst.first, rows)) => false,
            op => op.effect().stays_in_registers(),
        };
        let others = self.r.in_row.of(row).iter();
        let is_shared = others.filter(|q| **q != p).any(|q| {
            let other = &self.r.pieces[*q as usize];
            other.refs > 0 && other.reg == Some(reg)
        });
        (is_whole && !is_shared && self.is_last_use(p) && insts[self.at as usize + 1..set].iter().zip(self.at + 1..).all(is_quiet))
            .then_some((reg, row, part as u8))
    }

    /// Will nobody use this piece after the instruction?
    pub(super) fn is_last_use(&self, p: PieceId) -> bool {
        if self.in_memo {
            // Those who use it may come later that stand before.
            return false;
        }
        let piece = &self.r.pieces[p as usize];
        if let Some(run) = self.run.filter(|run| run.part + 1 < self.parts)
            && piece.owners.iter().filter(|o| **o != NEVER).any(|o| self.part_of(*o, p) != Some(run.part))
        {
            return false;
        }
        piece.refs == 1 && !piece.many && piece.owners.iter().filter(|o| **o != NEVER).all(|o| self.vals[*o as usize].last <= self.at)
    }

    /// Puts a piece into a register, for the instruction to use, and keeps it there until its end.
    pub(super) fn reg(&mut self, p: PieceId) -> u8 {
        if self.r.pieces[p as usize].reg.is_none()
            && let Some((twin, reg)) = self.twin(p)
        {
            self.r.pin(Class::Vector, reg);
            self.r.log.note(|| Event::UseTwin { id: p, twin, reg });
            return reg;
        }
        self.own_reg(p)
    }

    /// The same for who takes parts in one register for one element in all lanes.
    pub(super) fn own_reg(&mut self, p: PieceId) -> u8 {
        let reg = self.fill(p);
        self.r.log.note(|| Event::Use { id: p, reg });
        reg
    }

    /// The same, without a use.
    pub(super) fn fill(&mut self, p: PieceId) -> u8 {
        let piece = self.r.pieces[p as usize];
        if let Some(reg) = piece.reg {
            self.r.pin(piece.class, reg);
            return reg;
        }
        let reg = self.take_register(piece.class, p);
        self.r.piece(p).reg = Some(reg);
        self.r.note_copy(p);
        match (piece.class, piece.home) {
            (Class::Vector | Class::Mask, Home::Row { row, part }) => {
                let from = self.row_mem(row, part.into());
                self.v(X::MovLoad, reg, 0, Rm::Mem(from));
            }
            (Class::Vector, Home::Bcst(m)) => self.v(X::Broadcast, reg, 0, Rm::Mem(m)),
            (Class::Vector, Home::Bcst64(m)) => self.v(X::BroadcastQ, reg, 0, Rm::Mem(m)),
            (Class::Vector, Home::Pool(c)) => self.v(X::MovLoad, reg, 0, Rm::Mem(Mem::constant(c))),
            (Class::Vector, Home::Lds { start, disp, what }) => {
                let from = Mem::at(Gpr(self.reg(start)), disp);
                match what {
                    InLds::Dwords => self.v(X::MovLoad, reg, 0, Rm::Mem(from)),
                    InLds::Dword => self.v(X::Broadcast, reg, 0, Rm::Mem(from)),
                    InLds::Qword => self.v(X::BroadcastQ, reg, 0, Rm::Mem(from)),
                    InLds::Quads { half } => {
                        self.v(X::MovLoad, reg, 0, Rm::Mem(from));
                        self.vi(X::Shufi64x2, reg, reg, Rm::Mem(from.plus(self.part_bytes())), HALF_OF_QWORDS[usize::from(half)]);
                    }
                }
            }
            (Class::Mask, Home::SRegMask { reg: from, part }) if self.r.level == Level::Avx2 => self.mask_from_sreg(reg, from, part),
            (Class::Mask, home) => {
                let from = match home {
                    Home::Frame(at) => Mem::at(Gpr::RSP, at),
                    Home::SRegMask { reg, part } => sreg(reg).plus(2 * i32::from(part)),
                    home => unreachable!("a mask register from {home:?}"),
                };
                self.vector(Vector::new(X::Kmovw, Len::X, reg, 0, Rm::Mem(from)));
            }
            (Class::General, Home::Frame(at) | Home::Kept(at)) => self.a.load(Size::Q, Gpr(reg), Mem::at(Gpr::RSP, at)),
            (Class::General, Home::SReg(s)) => self.a.load(Size::D, Gpr(reg), sreg(s)),
            (Class::General, Home::SRegPair(s)) => self.a.load(Size::Q, Gpr(reg), sreg(s)),
            (Class::General, Home::Exec64) => self.a.load(Size::Q, Gpr(reg), sreg(SReg::EXEC_LO)),
            (Class::General, Home::Imm(bits)) => self.a.mov_imm(Gpr(reg), bits),
            (class, home) => unreachable!("{class:?} register from {home:?}"),
        }
        self.r.log.note(|| Event::Loaded { id: p, home: piece.home });
        reg
    }

    /// Is a piece in memory used from there? It is if nobody wants it later, or if all who are in registers are wanted sooner.
    pub(super) fn stays_in_memory(&mut self, p: PieceId) -> bool {
        let next = self.next_use_of_piece(p);
        if next == NEVER {
            return true;
        }
        let registers = self.r.level.vectors();
        let pinned = self.r.pinned_vector;
        registers.into_iter().all(|reg| {
            let other = self.r.vector[usize::from(reg)];
            other != NONE && (pinned >> reg & 1 != 0 || other >= FIXED || !self.r.is_copy(other) && self.next_use_of_piece(other) <= next)
        })
    }

    /// A piece as the last operand of a vector instruction with elements of 32 bits: from memory if it stays there.
    pub(super) fn rm(&mut self, p: PieceId) -> Rm {
        let piece = self.r.pieces[p as usize];
        let place = match piece.home {
            _ if piece.reg.is_some() => None,
            Home::Row { row, part } if self.stays_in_memory(p) => Some(Rm::Mem(self.row_mem(row, part.into()))),
            Home::Lds { start, disp, what: what @ (InLds::Dwords | InLds::Dword) } if self.is_read_in_lds(p) => {
                let from = Mem::at(Gpr(self.reg(start)), disp);
                Some(if what == InLds::Dword { Rm::Bcst(from) } else { Rm::Mem(from) })
            }
            Home::Bcst(m) => Some(Rm::Bcst(m)),
            Home::Pool(c) => Some(Rm::Mem(Mem::constant(c))),
            _ => None,
        };
        self.in_memory_or_register(p, place)
    }

    /// The same for instructions with elements of 64 bits.
    pub(super) fn rm64(&mut self, p: PieceId) -> Rm {
        let piece = self.r.pieces[p as usize];
        let place = match piece.home {
            _ if piece.reg.is_some() => None,
            Home::Bcst64(m) => Some(Rm::Bcst(m)),
            Home::Pool(c) => Some(Rm::Mem(Mem::constant(c))),
            Home::Row { row, part } if self.stays_in_memory(p) => Some(Rm::Mem(self.row_mem(row, part.into()))),
            Home::Lds { start, disp, what: InLds::Qword } if self.is_read_in_lds(p) => Some(Rm::Bcst(Mem::at(Gpr(self.reg(start)), disp))),
            _ => None,
        };
        self.in_memory_or_register(p, place)
    }

    /// Is a piece that is at home in LDS read there by the operation that uses it now?
    fn is_read_in_lds(&mut self, p: PieceId) -> bool {
        self.twin(p).is_none() && !self.is_wanted_again(p) && self.stays_in_memory(p)
    }

    fn in_memory_or_register(&mut self, p: PieceId, place: Option<Rm>) -> Rm {
        match place {
            Some(place) => {
                let home = self.r.pieces[p as usize].home;
                self.r.log.note(|| Event::UseInMemory { id: p, home });
                place
            }
            None => Rm::Reg(self.reg(p)),
        }
    }

    /// Where a piece is that is at home in a row and not in a register, for one who reads it there.
    pub(super) fn row_of_piece(&mut self, p: PieceId) -> Mem {
        let home = self.r.pieces[p as usize].home;
        let Home::Row { row, part } = home else { unreachable!("a piece in a row") };
        self.r.log.note(|| Event::UseInMemory { id: p, home });
        self.row_mem(row, part.into())
    }

    /// All registers will be lost: what is used after this instruction gets a home.
    pub(super) fn before_call(&mut self) {
        self.r.gave_up = true;
        for class in [Class::Vector, Class::Mask, Class::General] {
            for reg in 0..self.r.file(class).0.len() {
                let p = self.r.file(class).0[reg];
                // What is in a place of memory stays there.
                let is_place = class == Class::Vector && self.r.is_place(reg as u8);
                if p == NONE || p == TEMP || p == FIXED || is_place {
                    continue;
                }
                if self.next_use_of_piece(p) != NEVER {
                    self.spill(p);
                }
                self.r.piece(p).reg = None;
                self.r.file(class).0.set(reg, NONE);
            }
        }
        self.r.log.note(|| Event::Call);
    }

    /// A row is about to be written: who is at home there moves into a register.
    pub(super) fn row_changes(&mut self, row: u16) {
        let list = self.r.in_row.take(row);
        self.move_out(&list);
        self.r.in_row.recycle(row, list);
        self.r.log.note(|| Event::RowChanges { row, part: None });
    }

    /// Any VGPR may be written.
    pub(super) fn all_rows_change(&mut self) {
        self.r.in_row.registers().into_iter().for_each(|r| self.row_changes(r));
        self.r.log.note(|| Event::AllRowsChange);
    }

    /// A part of a row is about to be written.
    pub(super) fn row_part_changes(&mut self, row: u16, part: usize) {
        let mut list = self.r.in_row.take(row);
        let fixed = self.r.fixed(row).map(|regs| regs[part]);
        let is_here = |p: PieceId| {
            let piece = &self.r.pieces[p as usize];
            matches!(piece.home, Home::Row { row: r, part: q } if (r, usize::from(q)) == (row, part))
                || fixed.is_some() && piece.reg == fixed
        };
        let here: Vec<PieceId> = list.extract_if(.., |p| is_here(*p)).collect();
        list.into_iter().for_each(|p| self.r.in_row.add(row, p));
        self.move_out(&here);
        self.r.log.note(|| Event::RowChanges { row, part: Some(part as u8) });
    }

    /// A scalar register is about to be written.
    pub(super) fn sreg_changes(&mut self, r: SReg) {
        let list = self.r.in_sreg.take(r.0.into());
        self.move_out(&list);
        self.r.in_sreg.recycle(r.0.into(), list);
        self.r.log.note(|| Event::SRegChanges { reg: r });
    }

    /// Any scalar register may be written.
    pub(super) fn all_sregs_change(&mut self) {
        self.r.in_sreg.registers().into_iter().for_each(|r| self.sreg_changes(SReg(r as u8)));
        self.r.log.note(|| Event::AllSRegsChange);
    }

    /// Which registers are pinned, to be handed to [`Self::pin_only`].
    pub(super) fn pins(&self) -> [Pins; 3] {
        [self.r.pinned_vector, self.r.pinned_mask, self.r.pinned_general]
    }

    /// Unpins what was pinned since.
    pub(super) fn pin_only(&mut self, pins: [Pins; 3]) {
        [self.r.pinned_vector, self.r.pinned_mask, self.r.pinned_general] = pins;
    }

    pub(super) fn move_out(&mut self, list: &[PieceId]) {
        let pins = self.pins();
        for p in list {
            let piece = self.r.pieces[*p as usize];
            if let Some(fixed) = piece.reg.filter(|reg| piece.refs > 0 && self.r.is_fixed(piece.class, *reg)) {
                let reg = self.take_register(piece.class, *p);
                match piece.class {
                    Class::General => self.a.mov(Size::Q, Gpr(reg), Gpr(fixed)),
                    _ => self.v(X::MovAligned, reg, 0, Rm::Reg(fixed)),
                }
                self.r.log.note(|| Event::Filled { id: *p });
                self.r.piece(*p).reg = Some(reg);
                // Another guest register may have been written with it: perhaps that is the one that changes.
                if piece.home.is_guest() {
                    self.r.log.note(|| Event::Homeless { id: *p });
                    self.r.piece(*p).home = Home::None;
                }
                self.pin_only(pins);
                continue;
            }
            if !piece.home.is_guest() && !matches!(piece.home, Home::Lds { .. }) {
                continue;
            }
            if piece.refs == 0 {
                self.r.discard(*p);
                continue;
            }
            // Needed after this instruction, or by it.
            self.fill(*p);
            self.r.log.note(|| Event::Homeless { id: *p });
            self.r.piece(*p).home = Home::None;
            self.pin_only(pins);
        }
    }

    /// A piece in a register now has a copy in this row.
    pub(super) fn is_at_home_in(&mut self, p: PieceId, row: u16, part: usize) {
        self.r.settle(p, Home::Row { row, part: part as u8 });
    }

    /// A scalar in a register now has a copy in this scalar register.
    pub(super) fn is_at_home_in_sreg(&mut self, p: PieceId, r: SReg) {
        self.r.settle(p, Home::SReg(r));
    }

    /// A piece that is a dword of the state, in every lane.
    pub(super) fn new_broadcast_of_sreg(&mut self, r: SReg) -> PieceId {
        self.r.piece_at(Class::Vector, Home::Bcst(sreg(r)))
    }
}
