//! Loops that keep rows in registers, and the edges between blocks.
//!
//! Between blocks values are in the wave's state; but a loop in which nothing is called, or a nest of them, keeps the rows and scalar registers that go round in it, and if
//! there is room those it reads, in registers of their own from block to block. They are loaded on the way in and stored on the way out:
//!
//! ```text
//! b0 -> b1            load the loop's rows; b1
//! b1 -> b1            fuel? b1             used up: store what the loop writes; leave
//! b1 -> b2            store what the loop writes; b2
//! ```

use super::carried::{self, InBlock, Pair};
use super::couples::{self, Couple};
use super::facts::Facts;
use super::level::Level;
use super::regs::{MAX_PARTS, Needs};
use super::{FUEL, Wide, X, sreg};
use crate::circles::Circles;
use rustc_hash::FxHashMap;
use std::ops::Range;
use wavejit_ir::abi::Exit;
use wavejit_ir::{BlockId, Func, Op, SReg, Term, goes_back};
use wavejit_x86::{Cond, Gpr, Label, Rm, Size};

/// A loop.
pub(super) struct Loop {
    /// Rows and their registers, by part.
    pub rows: FxHashMap<u16, [u8; MAX_PARTS]>,
    /// Those that it writes.
    written: Vec<u16>,
    /// Scalar registers that go round, by [`SReg`], and their registers. EXEC is its low word.
    pub sregs: FxHashMap<u8, Gpr>,
    /// Rows of addresses that stay as they are (`carried`).
    pub pairs: Vec<Pair>,
    /// Rows that are kept as qwords, two by two.
    pub couples: Vec<Couple>,
    /// What its operations leave.
    room: Room,
    /// Rows and scalar registers that it could keep.
    wanted: (usize, usize),
    /// A few more registers for values that are alive, as far as that is not too much to keep any row.
    alive: u8,
}

/// Registers that the operations of a loop leave to what it keeps.
struct Room {
    vectors: Range<u8>,
    generals: usize,
}

impl Room {
    /// Of operations with these needs, for a loop that has so many scalar registers to keep.
    fn new(level: Level, most: Needs, alive: u8, scalars: usize) -> Room {
        let Range { start, end } = level.loop_registers();
        let vectors = match level {
            Level::Avx512 => start.max(most.vectors as u8 + 2).max(alive)..end,
            // Operations that need more have places.
            Level::Avx2 => start..end,
        };
        // Two to spare beyond what the operations pin.
        Room { vectors, generals: 14usize.saturating_sub(most.generals as usize).min(scalars).min(SCALARS.len()) }
    }
}

/// The loops of a function that keep rows.
pub(super) struct Loops {
    pub list: Vec<Loop>,
    /// By block.
    of: Vec<Option<u32>>,
    /// What blocks have to do with the pairs of their loops.
    pub carried: FxHashMap<u32, InBlock>,
    /// The same for their couples.
    pub couples: FxHashMap<u32, couples::InBlock>,
}

/// An edge between blocks that has code of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Edge {
    /// The loop that it comes from.
    from: Option<u32>,
    to: u32,
    /// It looks at the fuel.
    back: bool,
}

impl Loops {
    /// No loop keeps anything.
    pub(super) fn none(func: &Func) -> Loops {
        Loops { list: vec![], of: vec![None; func.blocks.len()], carried: FxHashMap::default(), couples: FxHashMap::default() }
    }

    /// Chooses rows for the loops whose blocks do not give up their registers, of which they need so many.
    pub(super) fn new(func: &Func, level: Level, needs: &[Option<Needs>], facts: &Facts) -> Loops {
        let mut loops = Loops::none(func);
        let parts = (func.wave_size / level.lanes()) as usize;
        let inside = |b: u32| stays_inside(func, b) && needs[b as usize].is_some();
        let eligible: Vec<u32> = (0..func.blocks.len() as u32).filter(|b| inside(*b)).collect();
        let mut depth = vec![0u32; func.blocks.len()];
        let mut circles = Circles::new(func);
        let mut outer = circles.among(&eligible);
        // In an order that does not depend on blocks that are in none.
        outer.sort_unstable();
        nest(&mut circles, outer.clone(), &mut depth);
        for blocks in outer {
            let most = blocks.iter().filter_map(|b| needs[*b as usize]).fold(Needs::default(), Needs::max);
            // (writes, reads) of each row, those of inner loops for more
            let mut uses: FxHashMap<u16, (u32, u32)> = FxHashMap::default();
            let mut scalar_uses: FxHashMap<u8, (u32, u32)> = FxHashMap::default();
            for b in &blocks {
                let weight = 1 << (4 * (depth[*b as usize] - 1)).min(16);
                for inst in &func.blocks[*b as usize].insts {
                    match inst.op {
                        Op::VGet { reg, .. } => uses.entry(reg.0).or_default().1 += weight,
                        Op::VSet { reg, .. } => uses.entry(reg.0).or_default().0 += weight,
                        Op::SGet(reg) => scalar_uses.entry(reg.0).or_default().1 += weight,
                        Op::SSet(reg, _) => scalar_uses.entry(reg.0).or_default().0 += weight,
                        Op::ExecGet => scalar_uses.entry(SReg::EXEC_LO.0).or_default().1 += weight,
                        Op::ExecSet(_) => scalar_uses.entry(SReg::EXEC_LO.0).or_default().0 += weight,
                        _ => {}
                    }
                }
            }
            let (pairs, carried) = carried::find(func, level, &facts.lanes, &facts.strides, &blocks);
            pairs.iter().flat_map(|p| [p.low, p.high]).for_each(|row| _ = uses.remove(&row));
            // What goes round is worth most; what is only written least.
            let mut order: Vec<(u16, (u32, u32))> = uses.into_iter().collect();
            order.sort_unstable_by_key(|(row, (writes, reads))| {
                let worth = if *writes == 0 || *reads == 0 { (writes + reads) / 8 } else { writes + reads };
                (u32::MAX - worth, *row)
            });
            let alive = blocks.iter().map(|b| facts.alive.wanted(*b as usize)).max().unwrap_or(0).min(20) as u8;
            let scalar_order = scalars(scalar_uses);
            let room = Room::new(level, most, alive, scalar_order.len());
            let mut registers = room.vectors.clone();
            let (mut rows, mut written) = (FxHashMap::default(), vec![]);
            let wanted = (order.len(), scalar_order.len());
            for (row, (writes, _)) in order {
                if registers.len() < parts {
                    break;
                }
                let mut regs = [0; MAX_PARTS];
                regs[..parts].fill_with(|| registers.next().expect("counted"));
                rows.insert(row, regs);
                if writes > 0 {
                    written.push(row);
                }
            }
            let sregs: FxHashMap<u8, Gpr> = scalar_order.iter().copied().zip(SCALARS).take(room.generals).collect();
            if written.is_empty() && sregs.is_empty() && pairs.is_empty() {
                continue;
            }
            written.sort_unstable();
            let (couples, with_couples) = match level {
                Level::Avx512 => couples::find(func, &facts.lanes, &blocks, &rows),
                Level::Avx2 => Default::default(),
            };
            for b in &blocks {
                loops.of[*b as usize] = Some(loops.list.len() as u32);
            }
            loops.list.push(Loop { rows, written, sregs, pairs, couples, room, alive, wanted });
            loops.couples.extend(with_couples);
            loops.carried.extend(carried);
        }
        loops
    }

    /// Do they keep what they would if these were the needs of the blocks? Those of large functions may keep one row more, so that operations have what they
    /// need and nothing to spare: that is not worth emitting all again.
    pub(super) fn fit(&self, level: Level, parts: usize, needs: &[Option<Needs>]) -> bool {
        let mut most = vec![Some(Needs::default()); self.list.len()];
        for (of, needs) in self.of.iter().zip(needs) {
            if let Some(l) = of {
                let most = &mut most[*l as usize];
                *most = most.zip(*needs).map(|(a, b)| a.max(b));
            }
        }
        self.list.iter().zip(most).all(|(l, most)| {
            let (rows, scalars) = l.wanted;
            let room = most.map(|most| Room::new(level, most, l.alive, scalars));
            room.is_some_and(|room| {
                let more = l.rows.len().checked_sub(rows.min(room.vectors.len() / parts));
                room.generals == l.room.generals && more.is_some_and(|more| more <= usize::from(self.of.len() > LARGE))
            })
        })
    }

    /// The loop a block is in.
    pub(super) fn of(&self, block: usize) -> Option<usize> {
        self.of[block].map(|l| l as usize)
    }
}

/// Blocks of a function that is not large.
const LARGE: usize = 64;

/// The registers in which loops keep scalar registers.
const SCALARS: [Gpr; 6] = [Gpr::RBP, Gpr::R15, Gpr::R11, Gpr::R10, Gpr::R9, Gpr::R8];

/// The scalar registers that are both read and written, most used first. Those that are only read are as good in memory, from where they can be broadcast.
fn scalars(uses: FxHashMap<u8, (u32, u32)>) -> Vec<u8> {
    let mut order: Vec<(u8, u32)> = uses.into_iter().filter(|(_, (w, r))| *w > 0 && *r > 0).map(|(reg, (w, r))| (reg, w + r)).collect();
    order.sort_unstable_by_key(|(reg, uses)| (u32::MAX - uses, *reg));
    order.into_iter().map(|(reg, _)| reg).collect()
}

/// By block: can it come to itself again?
pub(super) fn goes_round(func: &Func) -> Vec<bool> {
    let all: Vec<u32> = (0..func.blocks.len() as u32).collect();
    let mut found = vec![false; func.blocks.len()];
    Circles::new(func).among(&all).into_iter().flatten().for_each(|b| found[b as usize] = true);
    found
}

/// Does a block lead to nothing but other blocks?
fn stays_inside(func: &Func, block: u32) -> bool {
    matches!(func.blocks[block as usize].term, Term::Jump(_) | Term::Branch { .. })
}

/// By block: may it be in a loop that keeps rows, if all is done inside the code?
pub(super) fn may_keep(func: &Func) -> Vec<bool> {
    let mut may = vec![false; func.blocks.len()];
    let among: Vec<u32> = (0..func.blocks.len() as u32).filter(|b| stays_inside(func, *b)).collect();
    Circles::new(func).among(&among).into_iter().flatten().for_each(|b| may[b as usize] = true);
    may
}

/// How deep in loops blocks are: of each circle, what still goes round without the blocks where it is entered is one deeper.
fn nest(circles: &mut Circles, circles_here: Vec<Vec<u32>>, depth: &mut [u32]) {
    const DEEPEST: u32 = 5;
    let mut work = circles_here;
    while let Some(set) = work.pop() {
        set.iter().for_each(|b| depth[*b as usize] += 1);
        let (_, inner) = circles.entries(&set);
        if inner.len() < set.len() && depth[set[0] as usize] < DEEPEST {
            work.extend(circles.among(&inner));
        }
    }
}

impl Wide<'_> {
    /// Where an edge leads.
    pub(super) fn edge(&mut self, from: usize, to: BlockId) -> Label {
        let back = goes_back(&self.func.blocks[from], self.func.block(to));
        self.way_to(self.loops.of[from], to, back)
    }

    /// The way to a block from a loop, or from where no rows are in registers.
    pub(super) fn way_to(&mut self, from: Option<u32>, to: BlockId, back: bool) -> Label {
        if from == self.loops.of[to.0 as usize] && !back {
            return self.labels[to.0 as usize];
        }
        let a = &mut self.a;
        *self.edges.entry(Edge { from, to: to.0, back }).or_insert_with(|| a.label())
    }

    /// Does an edge lead back into the loop that it is in, whose registers stay as they are?
    pub(super) fn goes_round_to(&self, from: usize, to: BlockId) -> bool {
        self.loops.of[from] == self.loops.of[to.0 as usize] && goes_back(&self.func.blocks[from], self.func.block(to))
    }

    /// Is the block that an edge leads to the next one, with nothing to do on the way?
    pub(super) fn stands_next(&self, from: usize, to: BlockId, edge: Label) -> bool {
        to.0 as usize == from + 1 && edge == self.labels[from + 1]
    }

    /// Goes along an edge at the end of a block: round the loop at once while there is fuel, on to the next block without a jump.
    pub(super) fn go_to(&mut self, from: usize, to: BlockId, edge: Label) {
        if self.goes_round_to(from, to) {
            self.a.test(Size::Q, FUEL, FUEL);
            let to = self.labels[to.0 as usize];
            self.a.jcc(Cond::G, to);
        }
        if !self.stands_next(from, to, edge) {
            self.a.jmp(edge);
        }
    }

    /// The code of an edge.
    pub(super) fn edge_code(&mut self, edge: Edge, label: Label) {
        self.a.bind(label);
        let inside = self.loops.of[edge.to as usize];
        let empty = self.a.label();
        if edge.back {
            self.a.test(Size::Q, FUEL, FUEL);
            self.a.jcc(Cond::Le, empty);
        }
        if edge.from != inside {
            self.store_rows_of(edge.from);
            if let Some(l) = inside {
                for (reg, to) in self.sregs_of_loop(l) {
                    let size = self.size_of_sreg(reg);
                    self.a.load(size, to, sreg(reg));
                }
                for (row, regs) in self.rows_of_loop(l) {
                    for (p, reg) in regs.into_iter().enumerate() {
                        let from = self.row_mem(row, p);
                        self.v(X::MovLoad, reg, 0, Rm::Mem(from));
                    }
                }
                self.unpack_couples_of(l);
                self.begin_pairs_of(l);
            }
        }
        let to = self.labels[edge.to as usize];
        self.a.jmp(to);
        self.a.bind(empty);
        if edge.back {
            self.store_rows_of(edge.from);
            self.suspend(Exit::Fuel, BlockId(edge.to));
        }
    }

    /// Scalar registers of a loop in order, with their registers.
    fn sregs_of_loop(&self, l: u32) -> Vec<(SReg, Gpr)> {
        let mut sregs: Vec<(SReg, Gpr)> = self.loops.list[l as usize].sregs.iter().map(|(s, r)| (SReg(*s), *r)).collect();
        sregs.sort_unstable();
        sregs
    }

    /// EXEC of wave64 is two words.
    fn size_of_sreg(&self, reg: SReg) -> Size {
        if reg == SReg::EXEC_LO && self.is_wave64() { Size::Q } else { Size::D }
    }

    /// Rows of a loop in order, with their registers.
    fn rows_of_loop(&self, l: u32) -> Vec<(u16, Vec<u8>)> {
        let mut rows: Vec<(u16, Vec<u8>)> =
            self.loops.list[l as usize].rows.iter().map(|(row, regs)| (*row, regs[..self.parts].to_vec())).collect();
        rows.sort_unstable();
        rows
    }

    /// Stores what a loop writes.
    fn store_rows_of(&mut self, l: Option<u32>) {
        let Some(l) = l else { return };
        self.end_pairs_of(l);
        for (reg, from) in self.sregs_of_loop(l) {
            let size = self.size_of_sreg(reg);
            self.a.store(size, sreg(reg), from);
        }
        for (row, regs) in self.rows_of_loop(l) {
            if self.loops.list[l as usize].written.contains(&row) {
                for (p, reg) in regs.into_iter().enumerate() {
                    let (from, to) = (self.packed_from_couples(l, row, p, reg), self.row_mem(row, p));
                    self.v(X::MovStore, from, 0, Rm::Mem(to));
                }
            }
        }
    }
}
