//! Addresses of 64 bits in pairs of rows that a loop moves on by one distance for all lanes, or leaves as they are.
//!
//! The rows stay what they were at the entry of the loop. What is added to them is summed up in a scalar of the frame, and whether lanes are in a row is
//! looked at once: at the entry, and where the loop writes the pair anew. Where the loop is left the sum is added to the rows. `find.rs` says which pairs
//! those are.
//!
//! ```text
//! %5 = iadd.32 %low, splat %s0                           nothing
//! %6 = ult.32 %5, %low                                   nothing
//! %7 = iadd.32 (iadd.32 splat %s1, %high), b2i %6        nothing
//! vset v2, %5; vset v3, %7                               moved += s[0:1], at the end of the block
//! load [pack.64 %low, %high]                             first lane + moved
//! ```
//!
//! The sum may be one of 64 bits, too: `%5 = iadd.64 (pack.64 %low, %high), splat %s; vset v2, lo.64 %5; vset v3, hi.64 %5`.
//!
//! Sums of 64 bits wrap as those of pairs of dwords do, so that this holds for all lanes, whatever they have. Lanes whose high dword is not that of
//! the first active one at the entry are noted: accesses in which such lanes are active are done with care.
//!
//! Where all lanes have one address ([`Strides::is_at_one`](crate::opt::strides::Strides::is_at_one)) there is nothing to look at: the first lane's is theirs.

mod find;

pub(in crate::emit::wide) use find::find;

use super::lanes::{LT, NE};
use super::memory::Access;
use super::plan::Event;
use super::windows::Window;
use super::{ROWS, Wide, X, sreg};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{SReg, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Shift, Size, Vector};

/// Bytes that an access may be ahead of its pair, at most.
const MOST_AHEAD: i64 = 1 << 20;
/// Bytes from lane to lane that are looked for, at most.
const MOST_STRIDE: u32 = 1 << 20;

/// What the frame holds of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    /// What has been added.
    Moved,
    /// The high dwords, shifted to the left.
    High,
    /// The first lane.
    First,
    /// How far the other run of lanes is away from it; -1: lanes are not in a row.
    Apart,
    /// Lanes with other high dwords.
    Others,
}
const SLOTS: usize = 5;

/// Rows of low and of high dwords.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub low: u16,
    pub high: u16,
    /// From lane to lane, where they are in a row.
    stride: u32,
    pub is_moved: bool,
    /// Its accesses are loads at one address for all lanes.
    is_one: bool,
    /// If it has one (`windows.rs`).
    pub window: Option<Window>,
    slots: [i32; SLOTS],
}

impl Pair {
    fn at(&self, slot: Slot) -> Mem {
        Mem::at(Gpr::RSP, self.slots[slot as usize])
    }

    /// Takes places in the frame. `room`: for so many bytes.
    pub(super) fn settle(&mut self, row_bytes: i32, mut room: impl FnMut(i32) -> i32) {
        self.slots.fill_with(|| room(8));
        if let Some(window) = &mut self.window {
            window.settle(row_bytes, room);
        }
    }
}

/// A pair as an offset, and how far ahead of it.
#[derive(Clone, Copy, Debug)]
struct Offset {
    pair: usize,
    ahead: i32,
}

/// A scalar that is added to a pair.
#[derive(Clone, Copy, Debug)]
enum Distance {
    /// Low and high dwords; no high one: 0.
    Dwords(Value, Option<Value>),
    Qword(Value),
}

/// What is added to a pair.
#[derive(Clone, Copy, Debug)]
struct Move {
    pair: usize,
    by: Distance,
    /// Where the high dword of the sum is made.
    at: u32,
    /// The distance, if it is a constant that is not far.
    step: Option<i32>,
}

/// What a block of a loop does with its pairs.
#[derive(Default, Debug)]
pub(super) struct InBlock {
    offsets: FxHashMap<Value, Offset>,
    /// Instructions left out, by place.
    skipped: FxHashSet<u32>,
    moves: Vec<Move>,
    /// Pairs that it writes anew.
    anew: Vec<usize>,
}

impl InBlock {
    pub(super) fn skips(&self, inst: usize) -> bool {
        self.skipped.contains(&(inst as u32))
    }

    pub(super) fn is_offset(&self, v: Value) -> bool {
        self.offsets.contains_key(&v)
    }

    /// What the end of the block reads.
    pub(super) fn for_each_arg(&self, mut f: impl FnMut(Value)) {
        for m in &self.moves {
            match m.by {
                Distance::Dwords(low, high) => [Some(low), high].into_iter().flatten().for_each(&mut f),
                Distance::Qword(v) => f(v),
            }
        }
    }
}

/// What an access has to do with a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarriedAccess {
    pub pair: Pair,
    ahead: i32,
}

/// Registers to change.
struct Free {
    v: [u8; 3],
    k: [u8; 2],
    g: [Gpr; 4],
}

impl Free {
    /// Those that hold nothing on the way from block to block, if that is into or out of a loop.
    const ON_EDGES: Free = Free { v: [0, 1, 2], k: [1, 2], g: [Gpr::RAX, Gpr::RCX, Gpr::RDX, Gpr::RSI] };
}

impl Wide<'_> {
    /// What the block has to do with pairs.
    pub(super) fn carried_in_block(&self, block: usize) -> Option<&InBlock> {
        self.loops.carried.get(&(block as u32))
    }

    /// What an access to this offset has to do with a pair.
    pub(super) fn carried_access(&self, offset: Value) -> Option<CarriedAccess> {
        let Offset { pair, ahead } = *self.carried_in_block(self.r.block)?.offsets.get(&offset)?;
        let list = self.loops.of(self.r.block)?;
        Some(CarriedAccess { pair: self.loops.list[list].pairs[pair], ahead })
    }

    /// Behind the operations of a block: what it adds to pairs, and pairs that it has written anew.
    pub(super) fn end_of_pairs(&mut self, block: usize) {
        let Some(InBlock { moves, anew, .. }) = self.carried_in_block(block) else { return };
        let (moves, anew) = (moves.clone(), anew.clone());
        let list = self.loops.of(block).expect("pairs are those of a loop");
        for Move { pair, by, at, step } in moves {
            self.r.log.note(|| Event::Together { at });
            let pair = self.loops.list[list].pairs[pair];
            if let Some(step) = step {
                self.a.alu_store_imm(Alu::Add, Size::Q, pair.at(Slot::Moved), step);
                continue;
            }
            let (t, u) = (self.temp_general(), self.temp_general());
            match by {
                Distance::Qword(v) => {
                    let word = self.scalar(v);
                    self.a.mov(Size::Q, t, word);
                }
                Distance::Dwords(low, high) => {
                    let low = self.scalar(low);
                    self.a.mov(Size::D, t, low);
                    if let Some(high) = high {
                        let high = self.scalar(high);
                        self.a.mov(Size::D, u, high);
                        self.a.shift(Shift::Shl, Size::Q, u, 32);
                        self.a.alu(Alu::Or, Size::Q, t, u);
                    }
                }
            }
            self.a.alu_store(Alu::Add, Size::Q, pair.at(Slot::Moved), t);
            self.release();
        }
        for pair in anew {
            let pair = self.loops.list[list].pairs[pair];
            let free =
                Free { v: [(); 3].map(|()| self.temp()), k: [(); 2].map(|()| self.temp_mask()), g: [(); 4].map(|()| self.temp_general()) };
            let exec = self.r.fixed_sreg(SReg::EXEC_LO);
            self.begin_pair(pair, exec, &free);
            self.release();
        }
    }

    /// At the entry of a loop, whose rows are in memory.
    pub(super) fn begin_pairs_of(&mut self, l: u32) {
        let exec = self.loops.list[l as usize].sregs.get(&SReg::EXEC_LO.0).copied();
        for pair in self.loops.list[l as usize].pairs.clone() {
            self.begin_pair(pair, exec, &Free::ON_EDGES);
        }
    }

    /// Looks at a pair in memory. `exec`: where EXEC is, if not in memory.
    fn begin_pair(&mut self, pair: Pair, exec: Option<Gpr>, free: &Free) {
        let Free { v: [v, ..], k: [k, k2], g: [high, first, second, others] } = *free;
        self.a.store_imm(Size::Q, pair.at(Slot::Moved), 0);
        if pair.is_one {
            for (to, row) in [(first, pair.low), (high, pair.high)] {
                self.a.load(Size::D, to, self.row_mem(row, 0));
            }
            self.a.shift(Shift::Shl, Size::Q, high, 32);
            self.a.alu(Alu::Or, Size::Q, first, high);
            return self.a.store(Size::Q, pair.at(Slot::First), first);
        }
        if let Some(window) = pair.window {
            self.a.store_imm(Size::Q, window.lanes(), 0);
        }
        match exec {
            Some(exec) => self.a.tzcnt(Size::D, others, exec),
            None => {
                self.a.load(Size::D, others, sreg(SReg::EXEC_LO));
                self.a.tzcnt(Size::D, others, others);
            }
        }
        self.a.alu_imm(Alu::And, Size::D, others, 31);
        self.a.load(Size::D, high, Mem::indexed(ROWS, others, 4, i32::from(pair.high) * self.row_bytes()));
        self.v(X::BroadcastGpr, v, 0, Rm::Reg(high.0));
        for (p, k) in [k, k2].into_iter().enumerate() {
            let row = Rm::Mem(self.row_mem(pair.high, p));
            self.vi(X::Pcmpud, k, v, row, NE);
        }
        self.k(X::Kunpckwd, k, k2, k);
        self.k(X::KmovdToGpr, others.0, 0, k);
        self.a.store(Size::Q, pair.at(Slot::Others), others);
        self.a.shift(Shift::Shl, Size::Q, high, 32);
        self.a.store(Size::Q, pair.at(Slot::High), high);
        let (apart, done) = (self.a.label(), self.a.label());
        let rows = [0, 1].map(|p| self.row_mem(pair.low, p));
        self.a.load(Size::D, first, rows[0]);
        self.a.load(Size::D, second, rows[1]);
        if pair.stride <= MOST_STRIDE {
            self.a.test(Size::D, others, others);
            self.a.jcc(Cond::Ne, apart);
            for (row, k) in rows.into_iter().zip([k, k2]) {
                let stride = pair.stride;
                let steps = self.table(move |i| i * stride);
                self.v(X::Broadcast, v, 0, Rm::Mem(row));
                self.v(X::Paddd, v, v, steps);
                self.vi(X::Pcmpud, k, v, Rm::Mem(row), NE);
            }
            self.k(X::Korw, k, k, k2);
            self.any(k);
            self.a.jcc(Cond::Ne, apart);
            // No lane wraps.
            for first in [first, second] {
                self.a.alu_imm(Alu::Cmp, Size::D, first, -(15 * pair.stride as i32 + 64));
                self.a.jcc(Cond::A, apart);
            }
            self.a.alu(Alu::Sub, Size::Q, second, first);
            self.a.jcc(Cond::B, apart);
            self.a.alu(Alu::Add, Size::Q, first, high);
            self.a.store(Size::Q, pair.at(Slot::First), first);
            self.a.store(Size::Q, pair.at(Slot::Apart), second);
            self.a.jmp(done);
        }
        self.a.bind(apart);
        self.a.store_imm(Size::Q, pair.at(Slot::Apart), -1);
        self.a.bind(done);
    }

    /// Where a loop is left: adds to rows what has been added to their pairs.
    pub(super) fn end_pairs_of(&mut self, l: u32) {
        let Free { v: [low, high, t], k: [k, _], g: [moved, ..] } = Free::ON_EDGES;
        for pair in self.loops.list[l as usize].pairs.clone().into_iter().filter(|p| p.is_moved) {
            self.a.load(Size::Q, moved, pair.at(Slot::Moved));
            self.v(X::BroadcastGpr, low, 0, Rm::Reg(moved.0));
            self.a.shift(Shift::Shr, Size::Q, moved, 32);
            self.v(X::BroadcastGpr, high, 0, Rm::Reg(moved.0));
            for p in 0..self.parts {
                let rows = [pair.low, pair.high].map(|row| Rm::Mem(self.row_mem(row, p)));
                self.v(X::Paddd, t, low, rows[0]);
                self.v(X::MovStore, t, 0, rows[0]);
                self.vi(X::Pcmpud, k, t, Rm::Reg(low), LT);
                self.v(X::Paddd, t, high, rows[1]);
                let one = self.splat32(1);
                self.vector(Vector::new(X::Paddd, Len::Z, t, t, one).mask(k));
                self.v(X::MovStore, t, 0, rows[1]);
            }
        }
    }

    /// host = guest address of the first lane + `imm`, the other run = how far it is away. To `fail` if lanes are not in a row of such a stride.
    pub(super) fn carried_start(&mut self, a: &Access, c: &CarriedAccess, stride: u32, imm: i32, fail: Label) {
        if stride != c.pair.stride {
            self.a.jmp(fail);
        }
        self.a.load(Size::Q, a.starts[1], c.pair.at(Slot::Apart));
        self.a.test(Size::Q, a.starts[1], a.starts[1]);
        self.a.jcc(Cond::S, fail);
        self.a.load(Size::Q, a.host, c.pair.at(Slot::First));
        self.carried_sum(a, c, imm);
    }

    /// host = what lanes' low dwords are added to + `imm`.
    pub(super) fn carried_base(&mut self, a: &Access, c: &CarriedAccess, imm: i32) {
        self.a.load(Size::Q, a.host, c.pair.at(Slot::High));
        self.carried_sum(a, c, imm);
    }

    /// to = how far a pair has moved on + `imm`.
    pub(super) fn carried_distance(&mut self, c: &CarriedAccess, imm: i32, to: Gpr) {
        self.a.load(Size::Q, to, c.pair.at(Slot::Moved));
        self.a.alu_imm(Alu::Add, Size::Q, to, imm + c.ahead);
    }

    /// to = the address that all lanes have, of the pair alone; false: the offset is that of no such pair.
    pub(super) fn carried_address(&mut self, offset: Value, to: Gpr) -> bool {
        let Some(c) = self.carried_access(offset) else { return false };
        debug_assert!(c.pair.is_one, "a load at one address of a pair with others");
        self.a.load(Size::Q, to, c.pair.at(Slot::First));
        self.a.alu_load(Alu::Add, Size::Q, to, c.pair.at(Slot::Moved));
        if c.ahead != 0 {
            self.a.alu_imm(Alu::Add, Size::Q, to, c.ahead);
        }
        true
    }

    fn carried_sum(&mut self, a: &Access, c: &CarriedAccess, imm: i32) {
        if c.pair.is_moved {
            self.a.alu_load(Alu::Add, Size::Q, a.host, c.pair.at(Slot::Moved));
        }
        self.add_base(a, imm + c.ahead);
    }

    /// Lanes anywhere.
    pub(super) fn carried_general(&mut self, a: &Access, c: &CarriedAccess) {
        let active = a.spare[0];
        self.active_lanes(a, active);
        self.a.alu_load(Alu::And, Size::D, active, c.pair.at(Slot::Others));
        self.a.jcc(Cond::Ne, a.careful);
        if let Some(window) = c.pair.window.filter(|_| a.is_apart()) {
            return self.load_from_window(a, c, &window);
        }
        for p in 0..self.parts {
            let from = Rm::Mem(self.row_mem(c.pair.low, p));
            self.v(X::MovLoad, a.low[p], 0, from);
        }
        self.general(&Access { high: vec![], ..a.clone() });
    }

    /// Makes the offsets in all lanes.
    pub(super) fn carried_lanes(&mut self, a: &Access) {
        let Some(c) = &a.carried else { return };
        self.a.load(Size::Q, a.host, c.pair.at(Slot::Moved));
        self.a.alu_imm(Alu::Add, Size::Q, a.host, c.ahead);
        self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(a.host.0));
        self.a.shift(Shift::Shr, Size::Q, a.host, 32);
        for p in 0..self.parts {
            let (low, high) = (Rm::Mem(self.row_mem(c.pair.low, p)), Rm::Mem(self.row_mem(c.pair.high, p)));
            self.v(X::Paddd, a.low[p], a.t, low);
            self.vi(X::Pcmpud, a.k2, a.low[p], Rm::Reg(a.t), LT);
            self.v(X::BroadcastGpr, a.high[p], 0, Rm::Reg(a.host.0));
            self.v(X::Paddd, a.high[p], a.high[p], high);
            let one = self.splat32(1);
            self.vector(Vector::new(X::Paddd, Len::Z, a.high[p], a.high[p], one).mask(a.k2));
        }
    }
}
