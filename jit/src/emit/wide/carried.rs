//! Addresses of 64 bits in pairs of rows that a loop moves on by one distance for all lanes, or leaves as they are.
//!
//! The rows stay what they were at the entry of the loop. What is added to them is summed up in a scalar of the frame, and whether lanes are in a row is
//! looked at once: at the entry, and where the loop writes the pair anew. Where the loop is left the sum is added to the rows.
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

use super::addresses::Way;
use super::lanes::{LT, NE};
use super::level::Level;
use super::memory::Access;
use super::view::View;
use super::windows::{self, Accesses, Window};
use super::{ROWS, Wide, X, sreg};
use crate::opt::{liveness::VgprLiveness, strides::Strides};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Func, Op, PureOp, SReg, Space, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Shift, Size, Vector};

/// Pairs of a loop, at most.
const MOST: usize = 8;
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
    /// Of the last of its moves: by how much, if that is a constant.
    step: Option<i32>,
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

/// A block, looked at.
struct Seen<'a> {
    view: View<'a>,
    /// After [`Seen::find_users`].
    users: FxHashMap<Value, Vec<u32>>,
    blend: &'a [bool],
}

/// A sum of a pair and a scalar: its dwords, or all of it, what is added, and the instructions that make it.
struct Sum {
    low: Value,
    high: Value,
    whole: Option<Value>,
    by: Distance,
    made_by: Vec<u32>,
}

impl<'a> Seen<'a> {
    fn new(func: &'a Func, lanes: &'a VgprLiveness, block: usize) -> Seen<'a> {
        Seen { view: View::of(&func.blocks[block]), users: FxHashMap::default(), blend: lanes.blend(block) }
    }

    fn find_users(&mut self) {
        for (k, inst) in self.view.block.insts.iter().enumerate() {
            inst.op.for_each_arg(|v| self.users.entry(v).or_default().push(k as u32));
        }
        self.view.block.term.for_each_arg(|v| self.users.entry(v).or_default().push(u32::MAX));
    }

    /// Writes of a row, by place.
    fn writes(&self, row: u16) -> Vec<u32> {
        let writes = |k: &usize| matches!(self.view.block.insts[*k].op, Op::VSet { reg, .. } if reg.0 == row);
        (0..self.view.block.insts.len()).filter(writes).map(|k| k as u32).collect()
    }

    /// What the writes of a pair at these places add to it, if that is one scalar for all lanes.
    fn sum(&self, pair: (u16, u16), at: (u32, u32)) -> Option<Sum> {
        let insts = &self.view.block.insts;
        let (Op::VSet { value: low, exec, .. }, Op::VSet { value: high, exec: same, .. }) =
            (&insts[at.0 as usize].op, &insts[at.1 as usize].op)
        else {
            return None;
        };
        if let Some((PureOp::Hi64, [Some(whole), ..])) = self.view.pure(*high) {
            return if exec == same { self.sum_of_qwords(pair, *low, *high, whole) } else { None };
        }
        let (PureOp::IAdd32, [Some(p), Some(q), _]) = self.view.pure(*low)? else { return None };
        let (old, by) = if self.view.row(p) == Some(pair.0) { (p, q) } else { (q, p) };
        let by_low = self.view.splat(by)?;
        if self.view.row(old) != Some(pair.0) || exec != same {
            return None;
        }
        // The terms of the high sum: the row, a carry, and perhaps a scalar.
        let mut made_by = vec![self.view.defs[low]];
        let (mut row, mut carry, mut scalar) = (0, None, None);
        let mut terms = vec![*high];
        while let Some(v) = terms.pop() {
            if self.view.row(v) == Some(pair.1) {
                row += 1;
            } else if let Some(s) = self.view.splat(v) {
                if scalar.replace(s).is_some() {
                    return None;
                }
            } else {
                match self.view.pure(v)? {
                    (PureOp::IAdd32, [Some(p), Some(q), _]) if made_by.len() < 4 => terms.extend([p, q]),
                    (PureOp::BToInt, [Some(m), ..]) if carry.replace(m).is_none() => {}
                    _ => return None,
                }
                made_by.push(self.view.defs[&v]);
            }
        }
        let mut mask = carry.filter(|_| row == 1)?;
        made_by.push(self.view.defs.get(&mask).copied()?);
        if let (PureOp::BAnd, [Some(p), Some(q), _]) = self.view.pure(mask)? {
            // Other lanes are not looked at.
            mask = if q == *exec { p } else { q };
            if q != *exec && p != *exec {
                return None;
            }
            made_by.push(self.view.defs.get(&mask).copied()?);
        }
        let (PureOp::ICmpUlt32, [Some(sum), Some(than), _]) = self.view.pure(mask)? else { return None };
        (sum == *low && (than == old || than == by)).then_some(Sum {
            low: *low,
            high: *high,
            whole: None,
            by: Distance::Dwords(by_low, scalar),
            made_by,
        })
    }

    /// The same where the high dword is that of a sum of 64 bits, `whole`. The low dword may be a sum of its own.
    fn sum_of_qwords(&self, pair: (u16, u16), low: Value, high: Value, whole: Value) -> Option<Sum> {
        let (PureOp::IAdd64, [Some(p), Some(q), _]) = self.view.pure(whole)? else { return None };
        let is_pair = |v: Value| match self.view.pure(v) {
            Some((PureOp::Pack64, [Some(low), Some(high), _])) => (self.view.row(low), self.view.row(high)) == (Some(pair.0), Some(pair.1)),
            _ => false,
        };
        let by = self.view.splat(if is_pair(p) { q } else { p })?;
        if !is_pair(p) && !is_pair(q) {
            return None;
        }
        match self.view.pure(low)? {
            (PureOp::Lo64, [Some(of), ..]) if of == whole => {}
            (PureOp::IAdd32, [Some(p), Some(q), _]) => {
                let (old, more) = if self.view.row(p) == Some(pair.0) { (p, q) } else { (q, p) };
                let same = self.view.constant(by).is_some() && self.view.constant(by) == self.view.constant(self.view.splat(more)?);
                if self.view.row(old) != Some(pair.0) || !same {
                    return None;
                }
            }
            _ => return None,
        }
        let made_by = [low, high, whole].map(|v| self.view.defs[&v]).to_vec();
        Some(Sum { low, high, whole: Some(whole), by: Distance::Qword(by), made_by })
    }

    /// The distance, if it is a constant that is not far.
    fn ahead(&self, by: Distance) -> Option<i32> {
        let by = match by {
            Distance::Dwords(low, high) => {
                let high = high.map_or(Some(0), |h| self.view.constant(h))?;
                i64::from(self.view.constant(low)?) | i64::from(high as i32) << 32
            }
            Distance::Qword(v) => match self.view.op(v)? {
                Op::Const { bits, .. } => *bits as i64,
                _ => return None,
            },
        };
        (by.unsigned_abs() < MOST_AHEAD as u64).then_some(by as i32)
    }

    /// What the block does with a pair, whose number is `n`; none: something else than accesses and sums. Shows the accesses, and how far ahead they are.
    fn of_pair(&self, pair: (u16, u16), n: usize, to: &mut InBlock, mut access: impl FnMut(&Op, i32)) -> Option<()> {
        let insts = &self.view.block.insts;
        let (lows, highs) = (self.writes(pair.0), self.writes(pair.1));
        let writes = match (&lows[..], &highs[..]) {
            ([], []) => None,
            ([low], [high]) => Some((*low, *high)),
            _ => return None,
        };
        if writes.is_some_and(|(low, high)| self.blend[low as usize] || self.blend[high as usize]) {
            return None;
        }
        let sum = writes.and_then(|at| self.sum(pair, at));
        let made_by = sum.as_ref().map_or(&[][..], |s| &s.made_by);
        // Is it an offset of accesses and nothing else?
        let mut offsets = vec![];
        let mut is_offset = |v: Value, ahead: i32| {
            let users = self.users.get(&v).map_or(&[][..], |u| u);
            let users: Vec<u32> = users.iter().copied().filter(|k| !made_by.contains(k)).collect();
            let all = users.iter().all(|k| insts.get(*k as usize).is_some_and(|i| is_access(&i.op) == Some(v)));
            // Once in each.
            let once = users.windows(2).all(|w| w[0] != w[1]);
            offsets.push((v, ahead));
            users.iter().filter(|_| all && once).for_each(|k| access(&insts[*k as usize].op, ahead));
            all && once
        };
        let mut skipped = made_by.to_vec();
        for (k, inst) in insts.iter().enumerate() {
            match &inst.op {
                Op::VGet { reg, .. } if reg.0 == pair.0 || reg.0 == pair.1 => {
                    self.view.row(inst.first)?;
                    for user in self.users.get(&inst.first).into_iter().flatten() {
                        let of = insts.get(*user as usize)?;
                        match &of.op {
                            _ if made_by.contains(user) => {}
                            Op::Pure { op: PureOp::Pack64, args: [Some(low), Some(high), _], .. }
                                if self.view.row(*low) == Some(pair.0) && self.view.row(*high) == Some(pair.1) => {}
                            _ => return None,
                        }
                    }
                    skipped.push(k as u32);
                }
                Op::Pure { op: PureOp::Pack64, args: [Some(low), Some(high), _], .. } => {
                    let is_row = self.view.row(*low) == Some(pair.0) && self.view.row(*high) == Some(pair.1);
                    let next = sum.as_ref().filter(|s| s.low == *low && s.high == *high);
                    let by = match next {
                        Some(s) => self.ahead(s.by)?,
                        None if is_row => 0,
                        None => continue,
                    };
                    if !is_offset(inst.first, by) {
                        return None;
                    }
                    skipped.push(k as u32);
                }
                _ if sum.as_ref().is_some_and(|s| s.whole == Some(inst.first)) => {
                    let is_used = self.users.get(&inst.first).into_iter().flatten().any(|user| !made_by.contains(user));
                    if is_used && !is_offset(inst.first, self.ahead(sum.as_ref()?.by)?) {
                        return None;
                    }
                }
                _ => {}
            }
        }
        if let (Some(s), Some((low, high))) = (&sum, writes) {
            // What the sum is made of is for the sum alone.
            for k in made_by {
                let result = insts[*k as usize].first;
                for user in self.users.get(&result).into_iter().flatten() {
                    let is_pack = || offsets.iter().any(|(v, _)| self.view.defs[v] == *user);
                    let is_end = result == s.low && *user == low || result == s.high && *user == high;
                    let is_access = s.whole == Some(result);
                    if !(made_by.contains(user) || is_end || is_access || (result == s.low || result == s.high) && is_pack()) {
                        return None;
                    }
                }
            }
            skipped.extend([low, high]);
            to.moves.push(Move { pair: n, by: s.by });
            to.step = self.ahead(s.by);
        } else if let Some((low, high)) = writes {
            // The rows are then others.
            let is_before = |v: &Value| self.users.get(v).is_none_or(|users| users.iter().all(|k| *k < low.min(high)));
            if !offsets.iter().all(|(v, _)| is_before(v)) {
                return None;
            }
            to.anew.push(n);
        }
        to.skipped.extend(skipped);
        to.offsets.extend(offsets.into_iter().map(|(v, ahead)| (v, Offset { pair: n, ahead })));
        Some(())
    }
}

/// The offset of a load or store that may be made of a pair.
fn is_access(op: &Op) -> Option<Value> {
    let (Op::Load { space, addr, .. } | Op::Store { space, addr, .. }) = op else { return None };
    let fits = matches!(space, Space::Global | Space::Flat) && addr.imm.unsigned_abs() < (1 << 30) - MOST_AHEAD as u64;
    addr.offset.filter(|_| fits)
}

/// The pairs of a loop, and what its blocks do with them.
pub(super) fn find(
    func: &Func,
    level: Level,
    lanes: &VgprLiveness,
    strides: &Strides,
    blocks: &[u32],
) -> (Vec<Pair>, FxHashMap<u32, InBlock>) {
    let (mut pairs, mut found): (Vec<Pair>, FxHashMap<u32, InBlock>) = Default::default();
    let ops = || blocks.iter().flat_map(|b| &func.blocks[*b as usize].insts).map(|i| &i.op);
    let may_be = level == Level::Avx512 && func.wave_size == 32 && ops().any(|op| is_access(op).is_some());
    if !may_be || ops().any(|op| matches!(op, Op::VGetRel { .. } | Op::VSetRel { .. })) {
        return (pairs, found);
    }
    let memory_is_let_be = ops().all(windows::lets_memory_be);
    let is_pair_of = |seen: &Seen, v: Value| match seen.view.pure(v)? {
        (PureOp::Pack64, [Some(low), Some(high), _]) => Some((seen.view.row(low)?, seen.view.row(high)?)),
        _ => None,
    };
    let mut seen: Vec<(u32, Seen)> = blocks.iter().map(|b| (*b, Seen::new(func, lanes, *b as usize))).collect();
    let mut candidates: Vec<(u16, u16)> = vec![];
    for (_, block) in &seen {
        let offsets = block.view.block.insts.iter().filter_map(|i| is_access(&i.op));
        candidates.extend(offsets.filter_map(|v| is_pair_of(block, v)).filter(|(low, high)| low != high));
    }
    candidates.sort_unstable();
    candidates.dedup();
    if !candidates.is_empty() {
        seen.iter_mut().for_each(|(_, block)| block.find_users());
    }
    for (low, high) in candidates {
        let taken = pairs.iter().any(|p| [p.low, p.high].iter().any(|row| *row == low || *row == high));
        if taken || pairs.len() == MOST {
            continue;
        }
        let (mut stride, mut accesses) = (None, Accesses::default());
        let mut of_access = |op: &Op, ahead: i32| {
            accesses.add(op, ahead);
            let (is_store, Op::Load { space, kind, addr, .. } | Op::Store { space, kind, addr, .. }) = (matches!(op, Op::Store { .. }), op)
            else {
                return;
            };
            let known = addr.offset.and_then(|v| strides.of(v)).map(|s| s.stride);
            let wanted = Way::of(level, *space, is_store, *kind, known).map(|way| way.stride().unwrap_or(kind.bytes() as u32));
            stride = stride.or(wanted);
        };
        let mut parts = vec![];
        for (b, block) in &seen {
            let mut part = InBlock::default();
            match block.of_pair((low, high), pairs.len(), &mut part, &mut of_access) {
                Some(()) => parts.push((*b, part)),
                None => break,
            }
        }
        if parts.len() < seen.len() || parts.iter().all(|(_, part)| part.offsets.is_empty()) {
            continue;
        }
        let moves: Vec<Option<i32>> = parts.iter().filter(|(_, part)| !part.moves.is_empty()).map(|(_, part)| part.step).collect();
        let step = if let [Some(step)] = moves[..] { step } else { 0 };
        let window = (memory_is_let_be && accesses.want_window(step)).then(Window::default);
        pairs.push(Pair { low, high, stride: stride.unwrap_or(u32::MAX), is_moved: !moves.is_empty(), window, slots: [0; SLOTS] });
        for (b, part) in parts {
            let all = found.entry(b).or_default();
            all.offsets.extend(part.offsets);
            all.skipped.extend(part.skipped);
            all.moves.extend(part.moves);
            all.anew.extend(part.anew);
        }
    }
    (pairs, found)
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
        for Move { pair, by } in moves {
            let pair = self.loops.list[list].pairs[pair];
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
