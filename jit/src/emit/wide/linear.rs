//! Addresses of arrays with an index of 32 bits, or a sum of two: offsets of 64 bits that are dwords extended, added and shifted.
//!
//! Where the lanes of the index are a known stride apart only the first of each 16 matters: it is extended and shifted in a general register,
//! once for all accesses of the block that have this offset, and what the IR does in all lanes is left out if only such accesses use it.
//!
//! ```text
//! %5: l64 = sext.64 %4               nothing
//! %6: l64 = shl.64 %5, 2             nothing
//! load [%7 + %6]                     eax, ecx = lanes 0 and 16 of %4, extended, shifted; ecx -= eax     [%7 + eax], [%7 + eax + ecx]
//! load [%8 + %6]                                                                                              [%8 + eax], [%8 + eax + ecx]
//! ```
//!
//! An index may be masked, as `x & 0x7fffffff` is: its lanes go on like those of x as long as they do not reach the mask.
//!
//! That holds while no lane of the index overflows and the two are less than 2 GiB apart, in ascending order. Where they are not the accesses go the general way, for
//! which the offsets are made in all lanes after all. As a rule an index is not negative, nor great: what has one index asks for no more at first, and a stub
//! asks for the rest. Further accesses learn of a test that failed by a distance of -1 (of an index that passed in the stub as well: they go there, too). Where it is
//! known how far a run is from the one before only the first lane of the wave matters, and its offset becomes -1, or odd if it is a sum, which may be negative.

use super::addresses::{Known, MOST_APART_RUNS, REACH_SLACK, Way};
use super::lanes::LT;
use super::level::Level;
use super::memory::{self, Access};
use super::regs::{Class, PieceId};
use super::{Wide, X};
use crate::opt::strides::{RUN, Stride};
use rustc_hash::FxHashMap;
use wavejit_ir::{Op, PureOp, Space, Ty, Value};
use wavejit_x86::{Alu, Cond, Gpr, Label, Len, Mem, Rm, Shift, Size, Vector};

/// Bytes between the first and the last lane of a run, at most.
const MOST_SPAN: u64 = 1 << 28;

/// A dword that is extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Term {
    index: Value,
    is_signed: bool,
    /// The greatest value behind which the lanes of the index would not go on as they do.
    limit: u32,
    /// What a lane of the index has more than the one before.
    stride: u32,
    /// What a run has more than the one before, if that is known.
    apart: Option<u32>,
}

/// A lane value of 64 bits that is a dword extended, or a sum of two, shifted to the left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Linear {
    term: Term,
    second: Option<Term>,
    shift: u8,
    /// The instruction that uses it last.
    last: u32,
}

impl Term {
    /// `index`, which is extended, if its lanes are so far apart at least up to a limit.
    fn of(w: &Wide, index: Value, is_signed: bool) -> Option<Term> {
        let limit = if is_signed { i32::MAX as u32 } else { u32::MAX };
        let of = |s: Stride, is_signed, limit| Term { index, is_signed, limit, stride: s.stride, apart: s.apart() };
        if let Some(s) = w.strides.in_sixteens(index) {
            return Some(of(s, is_signed, limit));
        }
        // Compilers make numbers that are not negative of those that they know are none.
        let Op::Pure { op: PureOp::And32, args: [Some(x), Some(y), _], .. } = w.def(index) else { return None };
        let (mask, lanes) = w.splat_constant(*x).map(|c| (c, *y)).or_else(|| w.splat_constant(*y).map(|c| (c, *x)))?;
        let mask = mask as u32;
        let is_low = mask & mask.wrapping_add(1) == 0 && mask <= limit;
        let term = w.strides.in_sixteens(lanes).filter(|_| is_low).map(|s| of(s, false, mask))?;
        let across = u64::from(term.apart.unwrap_or(0)) * (w.groups() as u64 - 1);
        (across + u64::from(term.stride) * u64::from(RUN - 1) <= u64::from(mask)).then_some(term)
    }
}

impl Linear {
    fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        [Some(self.term), self.second].into_iter().flatten()
    }

    /// The dwords.
    pub(super) fn indices(&self) -> impl Iterator<Item = Value> + use<> {
        self.terms().map(|t| t.index)
    }

    /// Bytes from a run to the next one, if that is known. Of a sum odd first lanes tell that a test failed: there are none if it is shifted.
    fn apart(&self) -> Option<i32> {
        let apart = self.terms().try_fold(0u32, |sum, t| t.apart.filter(|a| *a <= MOST_APART_RUNS).map(|a| sum + a))?;
        let bytes = apart << self.shift.min(16);
        ((self.shift != 0 || self.second.is_none()) && bytes <= MOST_APART_RUNS).then_some(bytes as i32)
    }

    /// Bytes from lane to lane.
    pub(super) fn stride(&self) -> u32 {
        self.terms().fold(0, |sum: u32, t| sum.wrapping_add(t.stride)) << self.shift
    }

    /// Are the lanes of a run close enough together?
    fn is_short(&self) -> bool {
        self.terms().all(|t| u64::from(t.stride) << self.shift < MOST_SPAN / u64::from(2 * RUN))
    }
}

/// The first lanes of an offset's runs of 16 in general registers: the first one's, and how far away the others are, or -1.
#[derive(Debug)]
pub(super) struct Firsts {
    offset: Value,
    pieces: Vec<PieceId>,
    last: u32,
}

/// What an access has to do with an offset of this kind.
#[derive(Clone, Debug)]
pub(super) struct LinearAccess {
    linear: Linear,
    /// Registers of the indices, by part.
    index: Vec<Vec<u8>>,
    /// Those of [`Firsts`], by run.
    firsts: Vec<Gpr>,
    /// It finds them.
    is_first: bool,
}

impl LinearAccess {
    /// What the last lane that is found by a first one has more than that of a term's index.
    fn most(&self, term: usize, a: &Access) -> u32 {
        let Term { stride, apart, .. } = self.linear.terms().nth(term).expect("it is one of them");
        let across = if self.firsts.len() == 1 { apart.unwrap_or(0) * (a.all_runs as u32 - 1) } else { 0 };
        (RUN - 1) * stride + across
    }

    /// Bytes from a run to the next one, if that is known.
    pub(super) fn apart(&self) -> Option<i32> {
        self.linear.apart()
    }

    /// The register in which a term's index has the first lane of a run.
    fn index_of(&self, term: usize, run: usize) -> u8 {
        let parts = &self.index[term];
        parts[run * parts.len() / self.firsts.len()]
    }

    /// Are lanes found by one index?
    pub(super) fn has_one_index(&self) -> bool {
        self.linear.second.is_none()
    }

    /// Is it by the first lane of one index that all are found?
    fn is_by_one(&self) -> bool {
        self.has_one_index() && self.firsts.len() == 1
    }
}

impl<'a> Wide<'a> {
    /// Finds the offsets of a block that are made in general registers alone. [`Wide::begin_values`] has noted where values are made.
    pub(super) fn find_linear(&mut self, block: usize) -> FxHashMap<Value, Linear> {
        let mut found: FxHashMap<Value, Linear> = FxHashMap::default();
        let level = self.r.level;
        let insts = &self.func.blocks[block].insts;
        for inst in insts {
            let Op::Pure { op, args: [Some(x), y, _], .. } = inst.op else { continue };
            if self.func.ty(inst.first) != Ty::L64 {
                continue;
            }
            let linear = match (op, y) {
                (PureOp::SExt64 | PureOp::ZExt64, _) if self.func.ty(x) == Ty::L32 => {
                    Term::of(self, x, op == PureOp::SExt64).map(|term| Linear { term, second: None, shift: 0, last: 0 })
                }
                // AVX2 has no registers for two.
                (PureOp::IAdd64, Some(y)) if !self.is_avx2() => match (found.get(&x), found.get(&y)) {
                    (Some(Linear { term, second: None, shift: 0, .. }), Some(Linear { term: other, second: None, shift: 0, .. })) => {
                        Some(Linear { term: *term, second: Some(*other), shift: 0, last: 0 })
                    }
                    _ => None,
                },
                (PureOp::Shl64, Some(n)) => self.splat_constant(n).and_then(|n| {
                    let of = found.get(&x)?;
                    let shift = u64::from(of.shift) + (n & 63);
                    (shift < 31).then_some(Linear { shift: shift as u8, ..*of })
                }),
                _ => None,
            };
            if let Some(linear) = linear.filter(Linear::is_short) {
                found.insert(inst.first, linear);
            }
        }
        if found.is_empty() {
            return found;
        }
        // Starts of all runs of 64 lanes, or their offsets beside several dwords, would be more registers than there are.
        let all_runs = self.groups();
        let has_few = |l: &Linear, op: &Op| {
            let dwords = if let Op::Load { kind, .. } | Op::Store { kind, .. } = op { kind.dwords() } else { 0 };
            all_runs == 2 || level == Level::Avx512 && l.apart().is_some() && dwords == 1
        };
        // Whatever else uses one needs it in all lanes. Uses are behind what they use.
        self.func.blocks[block].term.for_each_arg(|v| _ = found.remove(&v));
        for (at, inst) in insts.iter().enumerate().rev() {
            if found.contains_key(&inst.first) && matches!(inst.op, Op::Pure { .. }) {
                continue;
            }
            let offset = self.linear_offset(&inst.op, &found).filter(|v| found.get(v).is_some_and(|l| has_few(l, &inst.op)));
            if let Some(linear) = offset.and_then(|v| found.get_mut(&v)) {
                linear.last = linear.last.max(at as u32);
            }
            // As an operand of another kind it may be there, too.
            let mut uses = 0;
            inst.op.for_each_arg(|v| if Some(v) == offset { uses += 1 } else { _ = found.remove(&v) });
            if let Some(v) = offset.filter(|_| uses > 1) {
                found.remove(&v);
            }
        }
        found
    }

    /// The offset of an access that does with the first lanes of its parts.
    fn linear_offset(&self, op: &Op, found: &FxHashMap<Value, Linear>) -> Option<Value> {
        let (is_store, space, kind, addr) = match op {
            Op::Load { space, kind, addr, .. } => (false, *space, *kind, addr),
            Op::Store { space, kind, addr, .. } => (true, *space, *kind, addr),
            _ => return None,
        };
        let is_plain = matches!(space, Space::Global | Space::Flat) && memory::is_inline(self.func, space, addr);
        let stride = found.get(&addr.offset?)?.stride();
        // Nothing looks where the further lanes are: the way must be for just this stride.
        let way = Way::of(self.r.level, space, is_store, kind, Known::far(stride));
        (is_plain && way.is_some_and(|way| way.stride() == Some(stride))).then_some(addr.offset?)
    }

    /// `to` = the offset of the first lane.
    pub(super) fn first_of_linear(&mut self, linear: &Linear, to: Gpr) {
        let other = self.temp_general();
        for (term, to) in linear.terms().zip([to, other]) {
            let index = self.reg(self.val(term.index).lo[0]);
            self.first_dword(index, to);
            if term.is_signed {
                self.a.movsxd(to, to);
            }
        }
        if linear.second.is_some() {
            self.a.alu(Alu::Add, Size::Q, to, other);
        }
        if linear.shift != 0 {
            self.a.shift(Shift::Shl, Size::Q, to, linear.shift);
        }
        self.free_temp(Class::General, other.0);
    }

    /// Registers for an access to such an offset.
    pub(super) fn linear_access(&mut self, offset: Value) -> Option<LinearAccess> {
        let linear = *self.linear.get(&offset)?;
        let mut index = vec![];
        for v in linear.indices() {
            let parts = self.val(v).lo;
            index.push((0..self.parts).map(|p| self.reg(parts[p])).collect());
        }
        if let Some(i) = self.firsts.iter().position(|f| f.offset == offset) {
            let pieces = self.firsts[i].pieces.clone();
            let firsts = pieces.into_iter().map(|p| Gpr(self.reg(p))).collect();
            return Some(LinearAccess { linear, index, firsts, is_first: false });
        }
        let (mut pieces, mut firsts) = (vec![], vec![]);
        let runs = if linear.apart().is_some() { 1 } else { self.groups() };
        for _ in 0..runs {
            let (piece, reg) = self.new_in_register(Class::General);
            pieces.push(piece);
            firsts.push(Gpr(reg));
        }
        self.firsts.push(Firsts { offset, pieces, last: linear.last });
        Some(LinearAccess { linear, index, firsts, is_first: true })
    }

    /// `starts` = host addresses of the first lanes, without the constant that is not in `reach`, so far in range that `more` bytes behind them may be touched, too.
    /// If lanes are not where they should be, to `fail`; if they are out of range, to `out`.
    pub(super) fn linear_starts(&mut self, a: &Access, l: &LinearAccess, more: i32, [fail, out]: [Label; 2]) {
        if l.has_one_index() {
            return self.starts_by_index(a, l, more, [fail, out]);
        }
        let (first, apart) = (l.firsts[0], &l.firsts[1..]);
        if l.is_first {
            for (run, reg) in l.firsts.iter().enumerate() {
                for (i, term) in l.linear.terms().enumerate() {
                    let to = if i == 0 { *reg } else { a.host };
                    self.extended_index(to, term, l.index_of(i, run), l.most(i, a), fail);
                    if i > 0 {
                        self.a.alu(Alu::Add, Size::Q, *reg, to);
                    }
                }
                if l.linear.shift != 0 {
                    self.a.shift(Shift::Shl, Size::Q, *reg, l.linear.shift);
                }
            }
            for reg in apart {
                self.distance(*reg, first, a.host, fail);
            }
        } else if let [apart, ..] = apart {
            self.a.test(Size::Q, *apart, *apart);
            // Who builds on this access's test must see that there was none.
            self.a.jcc(Cond::S, fail);
        } else {
            self.a.test_imm(Size::D, first, 1);
            self.a.jcc(Cond::Ne, fail);
        }
        self.start_at(a, a.starts[0], first, more, out);
        self.further_starts(a, apart);
    }

    /// to -= first; to `fail` unless that is 0 to 2 GiB. `t` is changed.
    fn distance(&mut self, to: Gpr, first: Gpr, t: Gpr, fail: Label) {
        self.a.alu(Alu::Sub, Size::Q, to, first);
        self.a.mov(Size::Q, t, to);
        self.a.shift(Shift::Shr, Size::Q, t, 31);
        self.a.jcc(Cond::Ne, fail);
    }

    /// `starts[0]` is there, and how far the others are away.
    fn further_starts(&mut self, a: &Access, apart: &[Gpr]) {
        for (start, apart) in a.starts[1..].iter().zip(apart) {
            self.a.lea(Size::Q, *start, Mem::indexed(a.starts[0], *apart, 1, 0));
        }
    }

    /// The same with one index, of whose first lanes is asked. As a rule these are not negative, and so small that no lane is 4 GiB away: then a base which
    /// [has been looked at](super::memo::KeptBase) is in range with all of them. Else a stub looks at all of it.
    fn starts_by_index(&mut self, a: &Access, l: &LinearAccess, more: i32, [fail, out]: [Label; 2]) {
        const MOST_BYTES: u32 = 0xe000_0000;
        let (at, first, apart) = (a.starts[0], l.firsts[0], l.firsts[1..].to_vec());
        let (term, shift, most) = (l.linear.term, l.linear.shift, l.most(0, a));
        let indices: Vec<u8> = (0..l.firsts.len()).map(|run| l.index_of(0, run)).collect();
        let [other, found] = [(); 2].map(|()| self.a.label());
        // What tells further accesses that they have to look for themselves.
        let mark = apart.first().copied().unwrap_or(first);
        if l.is_first {
            let limit = (MOST_BYTES >> shift).min(term.limit).saturating_sub(most);
            for (to, index) in l.firsts.iter().zip(&indices) {
                self.first_dword(*index, *to);
                self.a.alu_imm(Alu::Cmp, Size::D, *to, limit as i32);
                self.a.jcc(Cond::A, other);
            }
            for to in &apart {
                self.a.alu(Alu::Sub, Size::Q, *to, first);
                self.a.jcc(Cond::B, other);
            }
            for to in l.firsts.iter().filter(|_| shift != 0) {
                self.a.shift(Shift::Shl, Size::Q, *to, shift);
            }
        } else {
            self.a.test(Size::Q, mark, mark);
            self.a.jcc(Cond::S, other);
        }
        let is_behind = (0..=(u32::MAX - MOST_BYTES) as i32 / 2).contains(&a.reach.least) && more <= REACH_SLACK;
        match a.kept_base.filter(|_| is_behind) {
            Some(kept) => {
                self.a.load(Size::Q, at, Mem::at(Gpr::RSP, kept.host));
                match a.reach.least {
                    0 => self.a.alu(Alu::Add, Size::Q, at, first),
                    least => self.a.lea(Size::Q, at, Mem::indexed(at, first, 1, least)),
                }
            }
            None => {
                self.load_kept_base(a);
                self.start_at(a, at, first, more, out);
            }
        }
        self.further_starts(a, &apart);
        self.a.bind(found);
        let (a, pc, is_first) = (a.clone(), self.pc, l.is_first);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(other);
            w.map.push((w.a.offset(), pc));
            if is_first {
                w.a.mov_imm(mark, u64::MAX);
            }
            w.load_kept_base(&a);
            for (to, index) in a.starts.iter().zip(&indices) {
                w.extended_index(*to, term, *index, most, fail);
                if shift != 0 {
                    w.a.shift(Shift::Shl, Size::Q, *to, shift);
                }
            }
            for to in &a.starts[1..] {
                w.distance(*to, at, a.host, fail);
            }
            w.start_at(&a, at, at, more, out);
            w.further_starts(&a, &a.starts[1..]);
            w.a.jmp(found);
        }));
    }

    /// to = a lane of an index, extended; to `fail` if one that is `most` greater would wrap.
    fn extended_index(&mut self, to: Gpr, term: Term, index: u8, most: u32, fail: Label) {
        self.first_dword(index, to);
        if most != 0 {
            self.a.alu_imm(Alu::Cmp, Size::D, to, term.limit.wrapping_sub(most) as i32);
            self.a.jcc(if term.is_signed { Cond::G } else { Cond::A }, fail);
        }
        if term.is_signed {
            self.a.movsxd(to, to);
        }
    }

    /// at = the host address of base + first.
    fn start_at(&mut self, a: &Access, at: Gpr, first: Gpr, more: i32, out: Label) {
        match a.base {
            Some(base) => self.a.lea(Size::Q, at, Mem::indexed(base, first, 1, a.reach.least)),
            None => self.a.lea(Size::Q, at, Mem::at(first, a.reach.least)),
        }
        self.range_with(at, more, out);
    }

    /// Nobody further on can do with the first lanes.
    pub(super) fn linear_fails(&mut self, a: &Access) {
        if let Some(l) = a.linear.as_ref().filter(|l| l.is_first) {
            match l.firsts[..] {
                [first] if !l.is_by_one() => self.a.mov_imm(first, 1),
                [mark] | [_, mark, ..] => self.a.mov_imm(mark, u64::MAX),
                [] => unreachable!("there is a first lane"),
            }
        }
    }

    /// Makes the offsets in all lanes.
    pub(super) fn linear_lanes(&mut self, a: &Access) {
        let Some(l) = &a.linear else { return };
        let (Linear { term, second, shift, .. }, rest) = (l.linear, 32 - l.linear.shift);
        for p in 0..self.parts {
            let (low, high, from) = (a.low[p], a.high[p], Rm::Reg(l.index[0][p]));
            if let Some(second) = second {
                let other = l.index[1][p];
                self.extension(high, from, term.is_signed);
                self.extension(a.t, Rm::Reg(other), second.is_signed);
                self.v(X::Paddd, high, high, Rm::Reg(a.t));
                self.v(X::Paddd, low, other, from);
                // The sum is less than a term if there was a carry.
                self.vi(X::Pcmpud, a.k2, low, from, LT);
                let one = self.element32(1);
                self.vector(Vector::new(X::Broadcast, Len::Z, a.t, 0, one).zeroing(a.k2));
                self.v(X::Paddd, high, high, Rm::Reg(a.t));
                if shift != 0 {
                    self.vi(X::PsrldImm, 0, a.t, Rm::Reg(low), rest);
                    self.vi(X::PslldImm, 0, high, Rm::Reg(high), shift);
                    self.v(X::Pord, high, high, Rm::Reg(a.t));
                    self.vi(X::PslldImm, 0, low, Rm::Reg(low), shift);
                }
                continue;
            }
            match shift {
                0 => self.v(X::MovAligned, low, 0, from),
                n => self.vi(X::PslldImm, 0, low, from, n),
            }
            match (term.is_signed, shift) {
                (_, 0) => self.extension(high, from, term.is_signed),
                (true, _) => self.vi(X::PsradImm, 0, high, from, rest),
                (false, _) => self.vi(X::PsrldImm, 0, high, from, rest),
            }
        }
    }

    /// to = the high dwords of dwords that are extended.
    fn extension(&mut self, to: u8, from: Rm, is_signed: bool) {
        match is_signed {
            true => self.vi(X::PsradImm, 0, to, from, 31),
            false => self.v(X::Pxord, to, to, Rm::Reg(to)),
        }
    }

    /// Gives up what no further access of the block uses.
    pub(super) fn end_of_firsts(&mut self) {
        while let Some(i) = self.firsts.iter().position(|f| f.last <= self.at) {
            let firsts = self.firsts.swap_remove(i);
            self.drop_pieces(&firsts.pieces);
        }
    }
}
