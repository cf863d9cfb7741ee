//! Which pairs a loop has, and what its blocks do with them.

use super::{Distance, InBlock, MOST_AHEAD, Move, Offset, Pair, SLOTS};
use crate::emit::wide::addresses::{Known, Way};
use crate::emit::wide::level::Level;
use crate::emit::wide::view::View;
use crate::emit::wide::windows::{self, Accesses, Window};
use crate::opt::{liveness::VgprLiveness, strides::Strides};
use rustc_hash::FxHashMap;
use wavejit_ir::{Func, Op, PureOp, Space, Value};

/// Pairs of a loop, at most.
const MOST: usize = 8;

/// A block, looked at.
struct Seen<'a> {
    view: View<'a>,
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
        Seen { view: View::of(func, block, lanes.places()), blend: lanes.blend(block) }
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
        let mut made_by = vec![self.view.def(*low)];
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
                made_by.push(self.view.def(v));
            }
        }
        let mut mask = carry.filter(|_| row == 1)?;
        made_by.push(self.view.def(mask));
        if let (PureOp::BAnd, [Some(p), Some(q), _]) = self.view.pure(mask)? {
            // Other lanes are not looked at.
            mask = if q == *exec { p } else { q };
            if q != *exec && p != *exec {
                return None;
            }
            made_by.push(self.view.def(mask));
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
        let made_by = [low, high, whole].map(|v| self.view.def(v)).to_vec();
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
            let users: Vec<u32> = self.view.users(v).iter().copied().filter(|k| !made_by.contains(k)).collect();
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
                    for user in self.view.users(inst.first) {
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
                    let is_used = self.view.users(inst.first).iter().any(|user| !made_by.contains(user));
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
                for user in self.view.users(result) {
                    let is_pack = || offsets.iter().any(|(v, _)| self.view.def(*v) == *user);
                    let is_end = result == s.low && *user == low || result == s.high && *user == high;
                    let is_access = s.whole == Some(result);
                    if !(made_by.contains(user) || is_end || is_access || (result == s.low || result == s.high) && is_pack()) {
                        return None;
                    }
                }
            }
            skipped.extend([low, high]);
            to.moves.push(Move { pair: n, by: s.by, at: self.view.def(s.high), step: self.ahead(s.by) });
        } else if let Some((low, high)) = writes {
            // The rows are then others.
            let is_before = |v: &Value| self.view.users(*v).iter().all(|k| *k < low.min(high));
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
pub(in crate::emit::wide) fn find(
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
    let seen: Vec<(u32, Seen)> = blocks.iter().map(|b| (*b, Seen::new(func, lanes, *b as usize))).collect();
    let mut candidates: Vec<(u16, u16)> = vec![];
    for (_, block) in &seen {
        let offsets = block.view.block.insts.iter().filter_map(|i| is_access(&i.op));
        candidates.extend(offsets.filter_map(|v| is_pair_of(block, v)).filter(|(low, high)| low != high));
    }
    candidates.sort_unstable();
    candidates.dedup();
    for (low, high) in candidates {
        let taken = pairs.iter().any(|p| [p.low, p.high].iter().any(|row| *row == low || *row == high));
        if taken || pairs.len() == MOST {
            continue;
        }
        let (mut stride, mut accesses) = (None, Accesses::default());
        // Accesses by loads of one address for all lanes, and others.
        let mut by_one = [false; 2];
        let mut of_access = |op: &Op, ahead: i32| {
            accesses.add(op, ahead);
            by_one[usize::from(matches!(op, Op::Load { space, addr, .. } if strides.is_at_one(func, *space, addr)))] = true;
            let (is_store, Op::Load { space, kind, addr, .. } | Op::Store { space, kind, addr, .. }) = (matches!(op, Op::Store { .. }), op)
            else {
                return;
            };
            let known = Known { stride: addr.offset.and_then(|v| strides.in_sixteens(v)).map(|s| s.stride), ..Known::default() };
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
        let moves: Vec<Option<i32>> = parts.iter().flat_map(|(_, part)| &part.moves).map(|m| m.step).collect();
        let is_one = by_one[1];
        // What has one address, and stays there, needs no pair.
        if is_one && (by_one[0] || moves.is_empty()) {
            continue;
        }
        let step = if let [Some(step)] = moves[..] { step } else { 0 };
        let window = (!is_one && memory_is_let_be && accesses.want_window(step)).then(Window::default);
        let stride = stride.unwrap_or(u32::MAX);
        pairs.push(Pair { low, high, stride, is_moved: !moves.is_empty(), is_one, window, slots: [0; SLOTS] });
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
