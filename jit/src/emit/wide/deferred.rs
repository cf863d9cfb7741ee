//! Loads of LDS that wait for the operations which use them, and become their memory operands.
//!
//! Where the lanes of a load are known to be in a row, or at one element, nothing but the test of its range stands between it and the data; and loads of a
//! block that differ in the constant alone share that test (`addresses.rs`). The first of such a group finds the addresses. What the loads give is at home in
//! LDS ([`Home::Lds`]) as other values are in rows: who uses it once reads it there, who uses it more often loads it first.
//!
//! ```text
//! %8 = load lds [%5]          rcx = lds + %5, with 320 bytes behind it in LDS? -> no: slow
//! %9 = load lds [%5 + 256]    nothing
//! fadd %8, %9                 zmm1 = [rcx]; zmm1 += [rcx + 256]
//! slow: both, lane by lane, into a room of the frame; rcx = room
//! ```
//!
//! Before something that may write LDS, what is still wanted goes into registers. If the test fails a stub does all loads of the group, and puts each where it
//! would be in LDS, but in the frame: the code behind it does not see a difference. So loads of a group must not overlap, unless they are the same.

use super::addresses::{FARTHEST, Reach, Test};
use super::calls::CAREFUL_DST;
use super::memory::Access;
use super::moves::Runs;
use super::regs::{Class, Home, InLds, NEVER, NO_PARTS, PieceId};
use super::{ROWS, Wide, X};
use wavejit_ir::abi::MemOp;
use wavejit_ir::{Addr, Inst, MemKind, Op, Space};
use wavejit_x86::{Alu, Gpr, Label, Len, Mem, Rm, Size, Vector};

/// Bytes from the first to the last of a group, at most: so much room in the frame it may need for each run of lanes.
const MOST_ROOM: i32 = 4096;
/// Groups at a time: each has general registers for its addresses.
pub(super) const MOST_GROUPS: usize = 2;

/// Loads that share a test.
#[derive(Debug)]
pub(super) struct Group {
    test: Test,
    least: i32,
    most: i32,
    /// Their constants.
    imms: Vec<i32>,
    /// Nothing from this instruction on belongs to it.
    end: u32,
    /// The last of them.
    last: u32,
    /// The first lanes of the runs, by run.
    starts: Vec<PieceId>,
    /// In [`Wide::late_loads`].
    number: usize,
    /// Which room of the frame it has.
    room: usize,
}

/// A load of a group, for the stub.
#[derive(Clone, Copy)]
pub(super) struct LateLoad {
    op: MemOp,
    imm: i32,
}

/// Room in the frame for what groups load with care.
#[derive(Debug, Default)]
pub(super) struct Room {
    at: i32,
    bytes: i32,
}

/// May an operation change what LDS holds?
pub(super) fn may_write_lds(op: &Op) -> bool {
    match op {
        Op::Load { .. } | Op::SLoad { .. } | Op::SBufferLoad { .. } => false,
        Op::Store { space, .. } | Op::Atomic { space, .. } | Op::ExchangeSum { space, .. } => {
            !matches!(space, Space::Global | Space::Scratch)
        }
        _ => !op.effect().stays_in_registers(),
    }
}

impl<'a> Wide<'a> {
    /// A load that is left to those who use it; false: it is done here and now.
    pub(super) fn defer(&mut self, inst: &'a Inst, addr: &Addr) -> bool {
        let Op::Load { space: Space::Lds, kind, .. } = inst.op else { return false };
        let apart = self.apart_of(addr);
        let is_quads = kind == MemKind::B64;
        if self.groups() != 2 && apart.is_none() || !self.may_wait(&inst.op, self.at) {
            return false;
        }
        let is_near =
            |test: &Test| !test.way.is_by_eights() && test.way.stride().is_some_and(|stride| stride == 0 || stride == kind.bytes() as u32);
        let Some((test, imm)) = self.test_of(&inst.op).filter(|(test, _)| is_near(test)) else { return false };
        let is_one = test.way.stride() == Some(0);
        let is_its = |g: &Group, at: u32| g.test == test && at < g.end && g.imms.contains(&imm);
        let i = match self.waiting.iter().position(|g| is_its(g, self.at)) {
            Some(i) => i,
            None => {
                let Some(group) = self.new_group(test, imm, apart) else { return false };
                self.waiting.push(group);
                self.begin_group(inst, addr);
                self.waiting.len() - 1
            }
        };
        let Group { least, ref starts, number, .. } = self.waiting[i];
        let starts = starts.clone();
        let op = MemOp { kind: kind as u8, ..self.mem_op(inst, Space::Lds, addr.imm) };
        self.late_loads[number].push(LateLoad { op, imm });
        let mut pieces = |what: InLds| {
            let mut parts = NO_PARTS;
            for p in 0..self.parts {
                // Parts that are one piece are one element in all lanes.
                if p > 0 && apart == Some(0) && is_one {
                    parts[p] = parts[0];
                    continue;
                }
                let (run, first) = self.group_of(p);
                let (start, more) = if apart.is_some() { (starts[0], apart.unwrap_or(0) * run as i32) } else { (starts[run], 0) };
                let behind = test.way.stride().map_or(0, |stride| (stride * first) as i32);
                let home = Home::Lds { start, disp: imm - least + more + behind, what };
                parts[p] = self.r.new_piece(Class::Vector, home);
                self.r.in_lds.push(parts[p]);
            }
            parts
        };
        let [first, second] = match (is_quads, is_one) {
            (false, false) => [pieces(InLds::Dwords), NO_PARTS],
            (false, true) => [pieces(InLds::Dword), NO_PARTS],
            (true, true) => [pieces(InLds::Qword); 2],
            (true, false) => [0, 1].map(|half| pieces(InLds::Quads { half })),
        };
        if self.takes_quads() {
            self.set_lo(inst.result(1), second);
        }
        self.set_lo(inst.result(0), first);
        true
    }

    /// Is it a load of dwords, or of qwords that are wanted as such?
    fn may_wait(&self, op: &Op, at: u32) -> bool {
        let Op::Load { kind, .. } = op else { return false };
        kind.bytes() == 4 || *kind == MemKind::B64 && self.takes_quads_at(at)
    }

    /// The group that begins with this load, if there is to be one.
    fn new_group(&mut self, test: Test, imm: i32, apart: Option<i32>) -> Option<Group> {
        if self.waiting.len() == MOST_GROUPS || self.run.is_some() || self.tested.iter().any(|t| t.holds_for(test, imm)) {
            return None;
        }
        let bytes = test.way.span();
        let across = apart.unwrap_or(0) * (self.groups() as i32 - 1);
        // Does a run of one reach into a run of the other, without being the same?
        let runs = if apart.is_some() { self.groups() as i32 - 1 } else { 0 };
        let overlaps = |x: i32, y: i32| (-runs..=runs).map(|k| x - y + k * apart.unwrap_or(0)).any(|far| far != 0 && far.abs() < bytes);
        let insts = &self.func.blocks[self.r.block].insts;
        let mut group =
            Group { test, least: imm, most: imm, imms: vec![], end: insts.len() as u32, last: self.at, starts: vec![], number: 0, room: 0 };
        let mut used_once = 0;
        for (inst, at) in insts.iter().zip(0..).skip(self.at as usize).take(FARTHEST) {
            if may_write_lds(&inst.op) {
                group.end = at;
                break;
            }
            let Some((_, imm)) = self.test_of(&inst.op).filter(|(other, _)| *other == test && matches!(inst.op, Op::Load { .. })) else {
                continue;
            };
            // Those that do not wait test for themselves.
            if !self.may_wait(&inst.op, at) {
                continue;
            }
            let (least, most) = (group.least.min(imm), group.most.max(imm));
            if most - least + bytes + across > MOST_ROOM || overlaps(imm, imm) || group.imms.iter().any(|other| overlaps(*other, imm)) {
                return None;
            }
            (group.least, group.most) = (least, most);
            group.imms.push(imm);
            group.last = at;
            let takes_memory = |at: u32| insts.get(at as usize).is_some_and(|user| matches!(user.op, Op::Pure { .. }));
            used_once += usize::from(self.only_use(inst.first).is_some_and(takes_memory));
        }
        (2 * used_once >= group.imms.len()).then_some(group)
    }

    /// Finds the addresses of a group, which is the last one, for its first load.
    fn begin_group(&mut self, inst: &'a Inst, addr: &Addr) {
        let Op::Load { kind, exec, .. } = inst.op else { unreachable!("a group begins with a load") };
        let op = MemOp { kind: kind as u8, ..self.mem_op(inst, Space::Lds, addr.imm) };
        let mut a = self.access(op, Space::Lds, kind, addr, exec, false, true);
        // Only the stub has something in them.
        a.data = (0..kind.dwords()).map(|_| (0..self.parts).map(|_| self.temp_in_place()).collect()).collect();
        let mut pieces = vec![];
        for _ in 0..a.runs {
            let (piece, reg) = self.new_in_register(Class::General);
            pieces.push(piece);
            a.starts.push(Gpr(reg));
        }
        let number = self.late_loads.len();
        self.late_loads.push(vec![]);
        let taken = |room: usize, w: &Self| w.waiting.iter().rev().skip(1).any(|g| g.room == room);
        let room = (0..MOST_GROUPS).find(|room| !taken(*room, self)).expect("there are no more groups");
        let group = self.waiting.last_mut().expect("it is there");
        (group.starts, group.number, group.room) = (pieces, number, room);
        let (least, most, way) = (group.least, group.most, group.test.way);
        a.reach = Reach { least, most, is_first: true, is_tested: false };
        let bytes = most - least + way.span() + a.across();
        let at = self.room(room, bytes * a.runs as i32);
        let fail = self.a.label();
        self.note_access(&a, addr);
        self.test_lanes(&a, way, a.reach, fail);
        self.a.bind(a.done);
        self.careful_label();
        self.stubs.push(Box::new(move |w| w.load_late(&a, fail, number, at, bytes)));
    }

    /// So many bytes of the frame, for one group at a time.
    fn room(&mut self, room: usize, bytes: i32) -> i32 {
        if self.rooms[room].bytes < bytes {
            self.rooms[room] = Room { at: self.r.new_kept_room(bytes), bytes };
        }
        self.rooms[room].at
    }

    /// A stub: all loads of a group, each for itself, into its room, for each run so many bytes.
    fn load_late(&mut self, a: &Access, fail: Label, number: usize, room: i32, bytes: i32) {
        self.a.bind(fail);
        self.make_masks(a);
        self.make_lanes(a);
        for LateLoad { op, imm } in std::mem::take(&mut self.late_loads[number]) {
            let [general, careful, done] = [(); 3].map(|()| self.a.label());
            let one = Access { imm, op, general, careful, done, reach: Reach::default(), ..a.clone() };
            self.map.push((self.a.offset(), op.pc));
            self.a.bind(general);
            self.general(&one);
            self.a.jmp(done);
            self.a.bind(careful);
            self.map.push((self.a.offset(), op.pc));
            self.careful_access(&one);
            self.a.bind(done);
            for p in 0..self.parts {
                let apart = if a.runs == 1 { a.apart } else { bytes };
                let (run, first) = self.group_of(p);
                let to = Mem::at(Gpr::RSP, room + apart * run as i32 + imm - a.reach.least);
                if let Some(stride @ 1..) = a.known.stride {
                    // Runs may be at one place.
                    let to = to.plus((stride * first) as i32);
                    if one.dwords() > 1 {
                        self.interleave(&Access { is_store: true, ..one.clone() }, p, Runs::One(to));
                    } else {
                        self.vector(Vector::new(X::MovStore, Len::Z, one.data[0][p], 0, Rm::Mem(to)).mask(a.exec[p]));
                    }
                    continue;
                }
                // What an active lane has.
                let next = self.a.label();
                self.skip_idle(a, p, next);
                for (j, data) in one.data.iter().enumerate() {
                    let row = self.row_mem(CAREFUL_DST, p);
                    self.v(X::MovStore, data[p], 0, Rm::Mem(row));
                    self.vector(Vector::new(X::KmovwToGpr, Len::X, a.host.0, 0, Rm::Reg(a.exec[p])));
                    self.a.tzcnt(Size::D, a.host, a.host);
                    self.a.alu_imm(Alu::And, Size::D, a.host, self.part_lanes() as i32 - 1);
                    self.a.load(Size::D, a.host, Mem::indexed(ROWS, a.host, 4, row.disp));
                    self.a.store(Size::D, to.plus(4 * j as i32), a.host);
                }
                self.a.bind(next);
            }
        }
        for (p, start) in a.starts.iter().enumerate() {
            self.a.lea(Size::Q, *start, Mem::at(Gpr::RSP, room + bytes * p as i32));
        }
        self.a.jmp(a.done);
    }

    /// Another piece of the same value that is in a register, and at the same place: runs of lanes may be there together.
    pub(super) fn twin(&self, p: PieceId) -> Option<(PieceId, u8)> {
        let piece = &self.r.pieces[p as usize];
        if !matches!(piece.home, Home::Lds { .. }) {
            return None;
        }
        let twins = self.r.in_lds.iter().filter(|q| **q != p).map(|q| (*q, &self.r.pieces[*q as usize]));
        let of_same = |owners: [u32; 2]| owners.iter().any(|o| *o != NEVER && piece.owners.contains(o));
        let mut there = twins.filter(|(_, twin)| twin.home == piece.home && of_same(twin.owners));
        there.find_map(|(q, twin)| twin.reg.map(|reg| (q, reg)))
    }

    /// Does a further part of the operation want what is at the same place?
    pub(super) fn is_wanted_again(&self, p: PieceId) -> bool {
        let home = self.r.pieces[p as usize].home;
        self.pending.iter().any(|q| *q != p && self.r.pieces[*q as usize].home == home)
    }

    /// LDS may be written now: what is at home there moves into registers.
    pub(super) fn lds_changes(&mut self) {
        let list: Vec<PieceId> = std::mem::take(&mut self.r.in_lds);
        let list: Vec<PieceId> = list.into_iter().filter(|p| matches!(self.r.pieces[*p as usize].home, Home::Lds { .. })).collect();
        self.move_out(&list);
        self.no_groups();
    }

    /// Gives up the addresses of all groups.
    pub(super) fn no_groups(&mut self) {
        for group in std::mem::take(&mut self.waiting) {
            self.drop_pieces(&group.starts);
        }
    }

    /// Gives up the addresses of groups that nobody uses any more.
    pub(super) fn end_of_groups(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let pieces = &self.r.pieces;
        self.r.in_lds.retain(|p| pieces[*p as usize].refs > 0);
        let is_there = |w: &Self, g: &Group| {
            let is_of = |p: &PieceId| matches!(w.r.pieces[*p as usize].home, Home::Lds { start, .. } if g.starts.contains(&start));
            w.r.in_lds.iter().any(is_of)
        };
        let is_chained = |w: &Self, g: &Group| w.chain.as_ref().is_some_and(|chain| g.starts.iter().any(|start| chain.needs(*start)));
        while let Some(i) = self.waiting.iter().position(|g| g.last <= self.at && !is_there(self, g) && !is_chained(self, g)) {
            let group = self.waiting.swap_remove(i);
            self.drop_pieces(&group.starts);
        }
    }
}
