//! What lanes find a few bytes further on: lanes that each go through memory of their own, in a loop, load sixteen bytes at a time.
//!
//! ```text
//! row of a matrix for each lane, string, list of neighbours:      load [pair]; pair += 4
//! not in the window: the sixteen bytes at each active lane's address, turned so that four rows have a dword of each lane
//! in the window:     one of these rows, or two of them
//! ```
//!
//! The addresses are a pair of rows that the loop moves on by a few bytes (`carried`), and lanes are not in a row. The window belongs to a round of the
//! loop and those that come next: it is empty where the loop is entered. Nothing of it is seen twice, so that a loop that waits for memory to change sees
//! that it does; and in such a loop nothing is stored. Bytes behind those that the wave asks for are read where they can be: if they cannot, the
//! access alone is done with care.

use super::carried::CarriedAccess;
use super::memory::Access;
use super::moves::LINE;
use super::{Wide, X};
use wavejit_ir::{MemKind, NoteKind, Op, ProbeKind, Space};
use wavejit_x86::{Alu, Cond, Gpr, Mem, Rm, Shift, Size};

/// Bytes of a window.
const BYTES: i32 = 16;
/// What a loop moves on by, at most, if it loads once, or more often.
const MOST_STEPS: [i32; 2] = [8, 16];
/// Loads of a window, more often than which is more often.
const FEW: usize = 2;

/// Where the frame has a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// Lanes that have one; 0: it is empty.
    lanes: i32,
    /// How far the pair had moved on, with the constant of the access that filled it.
    filled: i32,
    /// What it has for those that come: the end of the last that was taken out.
    next: i32,
    /// Four rows.
    rows: i32,
}

impl Window {
    /// Takes places in the frame. `room`: for so many bytes.
    pub(super) fn settle(&mut self, row_bytes: i32, mut room: impl FnMut(i32) -> i32) {
        *self = Window { lanes: room(8), filled: room(8), next: room(8), rows: room(4 * row_bytes) };
    }

    /// Where it is seen whether it is empty.
    pub(super) fn lanes(&self) -> Mem {
        Mem::at(Gpr::RSP, self.lanes)
    }
}

/// The accesses of a loop to a pair, as far as they are looked at.
#[derive(Default)]
pub(super) struct Accesses {
    constants: Vec<i64>,
    most_bytes: i64,
    others: bool,
}

impl Accesses {
    /// An access, and how far ahead of its pair it is.
    pub(super) fn add(&mut self, op: &Op, ahead: i32) {
        match op {
            Op::Load { space: Space::Global, kind, addr, .. } if kind.bytes() <= 8 && addr.base.is_none() => {
                self.constants.push(addr.imm + i64::from(ahead));
                self.most_bytes = self.most_bytes.max(kind.bytes() as i64);
            }
            _ => self.others = true,
        }
    }

    /// Is a window worth its while, where the loop moves on by so much?
    pub(super) fn want_window(&self, step: i32) -> bool {
        let (Some(least), Some(most)) = (self.constants.iter().min(), self.constants.iter().max()) else { return false };
        let most_step = MOST_STEPS[usize::from(self.constants.len() > FEW)];
        !self.others && most - least <= i64::from(BYTES) - self.most_bytes.max(4) && (1..=most_step).contains(&step)
    }
}

/// May what is loaded in a loop with this operation have been read some rounds before?
pub(super) fn lets_memory_be(op: &Op) -> bool {
    match op {
        Op::Store { space, .. } | Op::Atomic { space, .. } | Op::ExchangeSum { space, .. } => matches!(space, Space::Lds | Space::Scratch),
        Op::Note { kind, .. } => *kind != NoteKind::Cache,
        Op::Probe { kind, .. } => *kind == ProbeKind::Count,
        Op::Resource { .. } | Op::Export { .. } | Op::SendMsg { .. } | Op::Gws { .. } => false,
        _ => true,
    }
}

impl Wide<'_> {
    /// A load of lanes anywhere that has a window.
    pub(super) fn load_from_window(&mut self, a: &Access, c: &CarriedAccess, window: &Window) {
        let [at, t] = a.spare;
        let slot = |offset: i32| Mem::at(Gpr::RSP, offset);
        let (refill, found) = (self.a.label(), self.a.label());
        // The active lanes must have one.
        self.active_lanes(a, at);
        self.a.load(Size::D, t, slot(window.lanes));
        self.a.alu(Alu::And, Size::D, t, at);
        self.a.alu(Alu::Cmp, Size::D, t, at);
        self.a.jcc(Cond::Ne, refill);
        self.carried_distance(c, a.imm, at);
        self.a.mov(Size::Q, t, at);
        self.a.alu_load(Alu::Sub, Size::Q, t, slot(window.next));
        self.a.jcc(Cond::S, refill);
        self.a.mov(Size::Q, t, at);
        self.a.alu_load(Alu::Sub, Size::Q, t, slot(window.filled));
        self.a.alu_imm(Alu::Cmp, Size::Q, t, BYTES - a.bytes());
        self.a.jcc(Cond::A, refill);
        if a.bytes() > 1 {
            // No element is in two rows.
            self.a.test_imm(Size::D, t, a.bytes() - 1);
            self.a.jcc(Cond::Ne, refill);
        }
        self.a.bind(found);
        self.a.alu_imm(Alu::Add, Size::Q, at, a.bytes());
        self.a.store(Size::Q, slot(window.next), at);
        self.a.mov(Size::D, at, t);
        self.a.alu_imm(Alu::And, Size::D, at, -4);
        self.a.shift(Shift::Shl, Size::D, at, (self.row_bytes() / 4).trailing_zeros() as u8);
        for (j, data) in a.data.iter().enumerate() {
            for (p, to) in data.iter().enumerate() {
                let from = window.rows + self.row_bytes() * j as i32 + self.part_bytes() * p as i32;
                self.v(X::MovLoad, *to, 0, Rm::Mem(Mem::indexed(Gpr::RSP, at, 1, from)));
            }
        }
        if a.bytes() < 4 {
            self.a.alu_imm(Alu::And, Size::D, t, 3);
            self.a.shift(Shift::Shl, Size::D, t, 3);
            self.v(X::BroadcastGpr, a.t, 0, Rm::Reg(t.0));
            for p in 0..self.parts {
                let to = a.data[0][p];
                self.v(X::Psrlvd, to, to, Rm::Reg(a.t));
                self.cut_off(a, to);
            }
        }
        self.a.jmp(a.done);
        self.a.bind(refill);
        self.fill_window(a, c, window);
        self.carried_distance(c, a.imm, at);
        self.a.store(Size::Q, slot(window.filled), at);
        self.a.alu(Alu::Xor, Size::D, t, t);
        self.a.jmp(found);
    }

    /// Fills a window from here on. The lanes are in as many lines, which no processor expects to be read on: each asks for its next one.
    fn fill_window(&mut self, a: &Access, c: &CarriedAccess, window: &Window) {
        // It is empty if an access faults.
        self.a.store_imm(Size::Q, window.lanes(), 0);
        self.range_of_base(a);
        // Registers that nothing else needs until the loads are done.
        let d = [a.t, a.low[0], a.low[1], a.high[0]];
        let four = Access {
            kind: MemKind::B128,
            raw: vec![a.raw[0], a.data[0][0], a.data[0][1], a.high[1]],
            data: d.iter().map(|r| vec![*r; self.parts]).collect(),
            high: vec![],
            ahead: Some(LINE),
            ..a.clone()
        };
        for p in 0..self.parts {
            let next = self.a.label();
            self.skip_idle(a, p, next);
            let low = Rm::Mem(self.row_mem(c.pair.low, p));
            self.v(X::MovLoad, a.low[p], 0, low);
            self.gather_apart(&four, p, a.low[p]);
            for (i, reg) in d.into_iter().enumerate() {
                let to = Mem::at(Gpr::RSP, window.rows + self.row_bytes() * i as i32 + self.part_bytes() * p as i32);
                self.v(X::MovStore, reg, 0, Rm::Mem(to));
            }
            self.a.bind(next);
        }
        let lanes = a.spare[0];
        self.active_lanes(a, lanes);
        self.a.store(Size::Q, window.lanes(), lanes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::{Addr, Value, Waits};

    const EXEC: Value = Value(0);

    fn load(space: Space, kind: MemKind, imm: i64) -> Op {
        Op::Load { space, kind, addr: Addr { base: None, offset: Some(Value(1)), imm }, exec: EXEC }
    }

    /// Do loads at these constants want a window where a loop moves on by `step`?
    fn want(kind: MemKind, constants: &[i64], step: i32) -> bool {
        let mut accesses = Accesses::default();
        constants.iter().for_each(|imm| accesses.add(&load(Space::Global, kind, *imm), 0));
        accesses.want_window(step)
    }

    #[test]
    fn windows_are_for_a_few_bytes_on() {
        assert!(want(MemKind::B32, &[0], 4) && want(MemKind::B32, &[0], 8) && want(MemKind::U8, &[7], 1));
        // Backwards, nowhere, or too far to find anything there.
        assert!(![-4, 0, 12, 64].iter().any(|step| want(MemKind::B32, &[0], *step)));
        // Loops that have been unrolled.
        assert!(want(MemKind::B32, &[0, 4, 8, 12], 16) && !want(MemKind::B32, &[0, 4, 8, 16], 16) && !want(MemKind::B32, &[], 4));
        // Two elements of two dwords.
        assert!(
            want(MemKind::B64, &[0], 8)
                && want(MemKind::B64, &[0, 8], 8)
                && !want(MemKind::B64, &[0, 16], 8)
                && !want(MemKind::B128, &[0], 8)
        );
    }

    #[test]
    fn other_accesses_to_the_pair_are_in_the_way() {
        let addr = Addr { base: None, offset: Some(Value(1)), imm: 0 };
        let store = Op::Store { space: Space::Global, kind: MemKind::B32, addr, data: [Some(Value(2)), None, None, None], exec: EXEC };
        for other in [store, load(Space::Flat, MemKind::B32, 0), load(Space::Global, MemKind::B128, 0)] {
            let mut accesses = Accesses::default();
            accesses.add(&load(Space::Global, MemKind::B32, 0), 0);
            assert!(accesses.want_window(4));
            accesses.add(&other, 0);
            assert!(!accesses.want_window(4), "{other:?}");
        }
    }

    #[test]
    fn loops_that_change_memory_or_look_at_it_anew_have_none() {
        let addr = Addr { base: None, offset: Some(Value(1)), imm: 0 };
        let store = |space| Op::Store { space, kind: MemKind::B32, addr, data: [Some(Value(2)), None, None, None], exec: EXEC };
        let note = |kind| Op::Note { kind, waits: Waits::default() };
        assert!(lets_memory_be(&store(Space::Lds)) && lets_memory_be(&store(Space::Scratch)) && lets_memory_be(&note(NoteKind::Wait)));
        assert!(!lets_memory_be(&store(Space::Global)) && !lets_memory_be(&store(Space::Flat)) && !lets_memory_be(&note(NoteKind::Cache)));
    }
}
