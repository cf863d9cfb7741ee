//! Rows that a loop keeps in registers as qwords: the halves of values of 64 bits that nobody looks at on their own.
//!
//! ```text
//! %1 = pack.64 (vget v2), (vget v3)          what the registers hold
//! %2 = ffma.64 %1, %1, %4                    in qwords
//! vset v2, lo.64 %2; vset v3, hi.64 %2       the registers = %2, at the second of the two
//! ```
//!
//! The registers of the two rows hold the qwords that unpacking gives (`forms.rs`); rows are unpacked on the way into the loop, and packed on the way out.

use super::plan::Event;
use super::quads::DWORDS_OF_QWORDS;
use super::regs::{MAX_PARTS, NO_PARTS, PieceId};
use super::view::View;
use super::{Wide, X};
use crate::opt::liveness::VgprLiveness;
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Func, Op, PureOp, Shape, Value, Width};
use wavejit_x86::{Len, Rm, Vector};

/// Rows of low and of high dwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Couple {
    pub low: u16,
    pub high: u16,
}

/// What is written to both rows.
#[derive(Clone, Copy, Debug)]
enum From {
    /// A value of 64 bits.
    Whole(Value),
    /// Low and high dwords.
    Halves(Value, Value),
}

/// A write of both rows, at the second of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    rows: Couple,
    from: From,
    /// The place of the first.
    first: u32,
}

impl Write {
    /// The rows that become a value of 64 bits at the second of two writes; `first` is the place of the first.
    pub(super) fn of_whole(&self, v: Value) -> Option<(Couple, u32)> {
        matches!(self.from, From::Whole(of) if of == v).then_some((self.rows, self.first))
    }
}

/// What a block of a loop does with its couples.
#[derive(Default, Debug)]
pub(super) struct InBlock {
    /// Instructions left out, by place.
    skipped: FxHashSet<u32>,
    /// Values that are what the registers hold.
    packs: FxHashMap<Value, Couple>,
    /// By place.
    writes: FxHashMap<u32, Write>,
}

impl InBlock {
    pub(super) fn skips(&self, inst: usize) -> bool {
        self.skipped.contains(&(inst as u32))
    }

    /// The write of both rows at a place.
    pub(super) fn write(&self, at: u32) -> Option<Write> {
        self.writes.get(&at).copied()
    }

    /// Is a value what the registers of these rows hold?
    pub(super) fn holds(&self, v: Value, rows: Couple) -> bool {
        self.packs.get(&v) == Some(&rows)
    }

    /// What an instruction reads, if that is not what it says.
    pub(super) fn operands(&self, at: usize, op: &Op, result: Value) -> Option<Vec<Value>> {
        if self.packs.contains_key(&result) && matches!(op, Op::Pure { .. }) {
            return Some(vec![]);
        }
        let Op::VSet { exec, .. } = op else { return None };
        Some(match self.writes.get(&(at as u32))?.from {
            From::Whole(v) => vec![v, *exec],
            From::Halves(low, high) => vec![low, high, *exec],
        })
    }
}

/// A block, looked at.
struct Seen<'a> {
    view: View<'a>,
    blend: &'a [bool],
}

impl<'a> Seen<'a> {
    fn new(func: &'a Func, lanes: &'a VgprLiveness, block: u32) -> Seen<'a> {
        Seen { view: View::of(func, block as usize, lanes.places()), blend: lanes.blend(block as usize) }
    }

    /// The rows whose dwords an instruction puts together, as they are at the start of the block.
    fn packed(&self, at: u32) -> Option<Couple> {
        let inst = self.view.block.insts.get(at as usize)?;
        match &inst.op {
            Op::Pure { op: PureOp::Pack64, args: [Some(low), Some(high), _], .. } => {
                Some(Couple { low: self.view.row(*low)?, high: self.view.row(*high)? })
            }
            _ => None,
        }
    }

    /// What the block does with two rows, and how many times it need not shuffle for it; none: it looks at one of them alone, or writes it in some lanes.
    fn of_rows(&self, rows: Couple, func: &Func, to: &mut InBlock) -> Option<i32> {
        let insts = &self.view.block.insts;
        let (mut gain, mut last_read) = (0, None);
        let mut writes: [Vec<u32>; 2] = Default::default();
        for (inst, at) in insts.iter().zip(0..) {
            match inst.op {
                Op::VGet { reg, .. } if reg.0 == rows.low || reg.0 == rows.high => {
                    self.view.row(inst.first)?;
                    if !self.view.users(inst.first).iter().all(|user| self.packed(*user) == Some(rows)) {
                        return None;
                    }
                    to.skipped.insert(at);
                }
                Op::VSet { reg, .. } if reg.0 == rows.low => writes[0].push(at),
                Op::VSet { reg, .. } if reg.0 == rows.high => writes[1].push(at),
                Op::Pure { op: PureOp::Pack64, .. } if self.packed(at) == Some(rows) => {
                    to.packs.insert(inst.first, rows);
                    (gain, last_read) = (gain + 1, Some(at));
                }
                _ => {}
            }
        }
        let (low_at, high_at) = match (&writes[0][..], &writes[1][..]) {
            ([], []) => return Some(gain),
            ([low], [high]) => (*low, *high),
            _ => return None,
        };
        let (Op::VSet { value: low, exec, .. }, Op::VSet { value: high, exec: same, .. }) =
            (&insts[low_at as usize].op, &insts[high_at as usize].op)
        else {
            return None;
        };
        let (first, second) = (low_at.min(high_at), low_at.max(high_at));
        if exec != same || self.blend[low_at as usize] || self.blend[high_at as usize] || last_read.is_some_and(|read| read > first) {
            return None;
        }
        let halves = (self.view.pure(*low), self.view.pure(*high));
        let from = match halves {
            (Some((PureOp::Lo64, [Some(of), ..])), Some((PureOp::Hi64, [Some(and), ..])))
                if of == and && self.view.users(*low) == [low_at] && self.view.users(*high) == [high_at] =>
            {
                to.skipped.extend([self.view.def(*low), self.view.def(*high)]);
                gain += 1;
                From::Whole(of)
            }
            _ => {
                gain -= 1;
                From::Halves(*low, *high)
            }
        };
        let is_lane = |v: Value, width| func.ty(v).shape == Shape::Lane && func.ty(v).width == width;
        let fits = match from {
            From::Whole(v) => is_lane(v, Width::B64),
            From::Halves(low, high) => is_lane(low, Width::B32) && is_lane(high, Width::B32),
        };
        to.skipped.insert(first);
        to.writes.insert(second, Write { rows, from, first });
        fits.then_some(gain)
    }
}

/// The couples of a loop among the rows that it keeps, and what its blocks do with them.
pub(super) fn find(
    func: &Func,
    lanes: &VgprLiveness,
    blocks: &[u32],
    rows: &FxHashMap<u16, [u8; MAX_PARTS]>,
) -> (Vec<Couple>, FxHashMap<u32, InBlock>) {
    let (mut couples, mut found): (Vec<Couple>, FxHashMap<u32, InBlock>) = Default::default();
    let packs = |b: &u32| func.blocks[*b as usize].insts.iter().any(|i| matches!(i.op, Op::Pure { op: PureOp::Pack64, .. }));
    if !blocks.iter().any(packs) {
        return (couples, found);
    }
    let seen: Vec<(u32, Seen)> = blocks.iter().map(|b| (*b, Seen::new(func, lanes, *b))).collect();
    let mut candidates: Vec<Couple> = vec![];
    for (_, block) in &seen {
        candidates.extend((0..block.view.block.insts.len() as u32).filter_map(|at| block.packed(at)));
    }
    candidates.retain(|t| t.low != t.high && rows.contains_key(&t.low) && rows.contains_key(&t.high));
    candidates.sort_unstable_by_key(|t| (t.low, t.high));
    candidates.dedup();
    for rows_of in candidates {
        let is_taken = couples.iter().any(|t: &Couple| [t.low, t.high].iter().any(|row| *row == rows_of.low || *row == rows_of.high));
        if is_taken {
            continue;
        }
        let mut parts = vec![];
        let gain = seen.iter().try_fold(0, |sum, (b, block)| {
            let mut part = InBlock::default();
            let gain = block.of_rows(rows_of, func, &mut part)?;
            parts.push((*b, part));
            Some(sum + gain)
        });
        if gain.is_none_or(|gain| gain <= 0) {
            continue;
        }
        couples.push(rows_of);
        for (b, part) in parts {
            let all = found.entry(b).or_default();
            all.skipped.extend(part.skipped);
            all.packs.extend(part.packs);
            all.writes.extend(part.writes);
        }
    }
    (couples, found)
}

impl Wide<'_> {
    /// What the block has to do with couples.
    pub(super) fn couples_in_block(&self, block: usize) -> Option<&InBlock> {
        self.loops.couples.get(&(block as u32))
    }

    /// The rows whose registers a value is, if it is that.
    pub(super) fn couple_of(&self, v: Value) -> Option<Couple> {
        self.couples_in_block(self.r.block)?.packs.get(&v).copied()
    }

    /// Such a value.
    pub(super) fn take_couple(&mut self, v: Value) {
        let Couple { low, high } = self.couple_of(v).expect("it is what registers of the loop hold");
        let mut quad = [NO_PARTS; 2];
        for (half, row) in quad.iter_mut().zip([low, high]) {
            let regs = self.r.fixed(row).expect("couples are rows of the loop");
            for p in self.slice() {
                half[p] = self.r.new_fixed_piece(row, regs[p]);
            }
        }
        self.set_quad(v, quad);
    }

    /// The write of couples whose second part the operation is.
    pub(super) fn write_of_couple(&self) -> Option<Write> {
        self.couples_in_block(self.r.block)?.write(self.at)
    }

    /// Does both parts of it.
    pub(super) fn write_couple(&mut self) {
        let Write { rows: Couple { low, high }, from, first } = self.write_of_couple().expect("it is the second part of one");
        self.r.log.note(|| Event::Together { at: first });
        // In halves: qwords, or low and high dwords.
        let (halves, is_whole) = match from {
            From::Whole(v) => (self.quad(v), true),
            From::Halves(low, high) => ([self.val(low).lo, self.val(high).lo], false),
        };
        // What is still read from the rows leaves them first; the value itself may be there.
        for p in self.slice() {
            halves.iter().for_each(|half| _ = self.reg(half[p]));
            self.release();
        }
        for row in [low, high] {
            match self.part {
                Some(part) => self.row_part_changes(row, part),
                None => self.row_changes(row),
            }
        }
        let [low, high] = [low, high].map(|row| self.r.fixed(row).expect("couples are rows of the loop"));
        for p in self.slice() {
            if is_whole {
                self.move_to_loop(low[p], halves[0][p]);
                self.move_to_loop(high[p], halves[1][p]);
            } else {
                let [x, y] = halves.map(|half| self.reg(half[p]));
                self.v(X::Punpckldq, low[p], x, Rm::Reg(y));
                self.v(X::Punpckhdq, high[p], x, Rm::Reg(y));
            }
            self.release();
        }
    }

    /// Moves what has not been made there.
    fn move_to_loop(&mut self, to: u8, piece: PieceId) {
        if self.r.pieces[piece as usize].reg != Some(to) {
            let from = self.reg(piece);
            self.v(X::MovAligned, to, 0, Rm::Reg(from));
        }
    }

    /// Registers that have been loaded with rows, on the way into a loop: as qwords.
    pub(super) fn unpack_couples_of(&mut self, l: u32) {
        const FREE: u8 = 0;
        for Couple { low, high } in self.loops.list[l as usize].couples.clone() {
            let rows = &self.loops.list[l as usize].rows;
            let (low, high) = (rows[&low], rows[&high]);
            for (lo, hi) in low.into_iter().zip(high).take(self.parts) {
                self.v(X::Punpckldq, FREE, lo, Rm::Reg(hi));
                self.v(X::Punpckhdq, hi, lo, Rm::Reg(hi));
                self.v(X::MovAligned, lo, 0, Rm::Reg(FREE));
            }
        }
    }

    /// What is to be stored to a part of a row on the way out of a loop, that is in `reg` unless the row is one of couples.
    pub(super) fn packed_from_couples(&mut self, l: u32, row: u16, part: usize, reg: u8) -> u8 {
        const FREE: u8 = 0;
        let list = &self.loops.list[l as usize];
        let Some(couples) = list.couples.iter().find(|t| t.low == row || t.high == row).copied() else { return reg };
        let (low, high) = (list.rows[&couples.low][part], list.rows[&couples.high][part]);
        let pick = DWORDS_OF_QWORDS[usize::from(couples.low != row)];
        self.vector(Vector::new(X::Shufps, Len::Z, FREE, low, Rm::Reg(high)).imm(pick));
        FREE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::OptOptions;
    use wavejit_ir::text::parse;

    /// What the block of a loop has to do with v2 and v3, which it keeps: does it leave out, take as one value and write so many?
    fn found(body: &str) -> Option<[usize; 3]> {
        let text = format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\njump b1\nb1 pc=4 mode=0x3f0 insts=1:\n%0: mask = exec\n\
             %1: l32 = vget v2 demand %0\n%2: l32 = vget v3 demand %0\n%3: l64 = pack.64 %1, %2\n%4: l64 = fadd.64 %3, %3\n\
             %5: l32 = lo.64 %4\n%6: l32 = hi.64 %4\n{body}\n%20: s1 = sget scc\nbranch %20, b1, b2\nb2 pc=8 mode=0x3f0 insts=1:\n\
             %30: mask = exec\n%31: l32 = vget v2 demand %30\n%32: l32 = vget v3 demand %30\n%33: l32 = xor.32 %31, %32\n\
             vset v9, %33, exec %30\nend\n}}"
        );
        let func = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let lanes = VgprLiveness::new(&func, OptOptions::default()).with_blends(&func, OptOptions::default());
        let rows = [2, 3].map(|row| (row, [0; MAX_PARTS])).into_iter().collect();
        let (couples, blocks) = find(&func, &lanes, &[1], &rows);
        assert!(couples.is_empty() || couples == [Couple { low: 2, high: 3 }]);
        blocks.get(&1).map(|b| [b.skipped.len(), b.packs.len(), b.writes.len()])
    }

    #[test]
    fn halves_that_nobody_looks_at_alone_are_couples() {
        // The reads, the halves, one of the writes.
        assert_eq!(found("vset v2, %5, exec %0\nvset v3, %6, exec %0"), Some([5, 1, 1]));
        assert_eq!(found("vset v3, %6, exec %0\nvset v2, %5, exec %0"), Some([5, 1, 1]));
        // Kept, and not written.
        assert_eq!(found("vset v1, %5, exec %0"), Some([2, 1, 0]));
    }

    #[test]
    fn rows_that_are_dwords_too_are_none() {
        // One of them alone is read, or written, or is not what the other is half of: as much to shuffle as before.
        assert_eq!(found("%7: l32 = xor.32 %1, %5\nvset v1, %7, exec %0\nvset v2, %5, exec %0\nvset v3, %6, exec %0"), None);
        assert_eq!(found("vset v2, %5, exec %0"), None);
        assert_eq!(found("vset v2, %6, exec %0\nvset v3, %5, exec %0"), None);
        // They are put together once more when one has been written.
        assert_eq!(
            found("vset v2, %5, exec %0\n%7: l64 = pack.64 %1, %2\n%8: l32 = lo.64 %7\nvset v1, %8, exec %0\nvset v3, %6, exec %0"),
            None
        );
        // Written in the lanes of two masks.
        assert_eq!(found("%7: s64 = const.64 5\n%8: mask = bitsmask %7\nvset v2, %5, exec %0\nvset v3, %6, exec %8"), None);
    }
}
