//! Which writes in loops need not keep the lanes outside their mask, and which nobody reads, from the masks that a loop keeps in scalar registers.
//!
//! [`super::liveness`] knows of a lane only whether it is in EXEC. A loop that lanes leave one by one saves EXEC, narrows it, puts back what it saved,
//! and takes away the lanes that are done; there it must assume that every lane that is put back goes on, and so that every write has to keep what
//! lanes outside its mask have. But masks are combined lane by lane: what becomes of one lane depends on its own bits only. So a lane is followed
//! by itself here. Its *state* is its bit in EXEC and in up to [`REGISTERS`] scalar registers that hold masks, one of at most 64; a block takes
//! a state to a set of states, since comparisons may go either way. Of a row it is then known in which states its lane may be read before it is
//! written: a write need not keep lanes outside its mask if no lane can be outside in such a state, and is of no use if none can be inside.
//!
//! ```text
//! saved = exec; exec &= goes_on          a lane that is done: exec 0, done 1, saved 1
//! ...
//! exec |= saved; exec &= ~done           and here it leaves: its x is not read again
//! ```
//!
//! In wave64 the lanes of each half have their bits in registers of their own, so that each half is looked at by itself. What is not known
//! (another register, a loaded mask, arithmetic) may be either way everywhere, which is always safe.

use super::OptOptions;
use super::liveness::{Lanes, leaves_everything_live};
use super::mask_registers::{self, Masks};
use crate::by_value::ByValue;
use crate::circles::Circles;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use wavejit_ir::{Block, Func, Inst, Op, PureOp, SReg, Ty, Value, Width};

/// Registers of masks that a state has a bit of, beside EXEC.
pub(super) const REGISTERS: usize = 5;
/// Comparisons of a block whose results are followed; those of later ones may be either way at each use.
const CHOICES: usize = 2;
const WORDS: usize = 1 << CHOICES;
/// Regions of more blocks are left as they are.
const MOST_BLOCKS: usize = 64;
/// The values of bit `i` of the numbers 0 to 63.
pub(super) const COUNTING: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// A set of states.
pub(super) type States = u64;
/// A set of (state at a block's start, results of its comparisons): a word of states for each of the latter.
pub(super) type Points = [States; WORDS];

fn both(x: Points, y: Points) -> Points {
    std::array::from_fn(|i| x[i] & y[i])
}
fn either(x: Points, y: Points) -> Points {
    std::array::from_fn(|i| x[i] | y[i])
}

/// What `f` gives for the results of so many comparisons, which are the low bits of a word's number.
fn by_choices<T: Copy>(choices: usize, mut f: impl FnMut(usize) -> T) -> [T; WORDS] {
    let mut words = [f(0); WORDS];
    for w in 1..WORDS {
        words[w] = if w >> choices == 0 { f(w) } else { words[w & ((1 << choices) - 1)] };
    }
    words
}

/// One lane's bit of a value: where it may be 1, and where it may be 0.
#[derive(Clone, Copy)]
pub(super) struct Bit {
    one: Points,
    zero: Points,
}

impl Bit {
    pub(super) const UNKNOWN: Bit = Bit { one: [!0; WORDS], zero: [!0; WORDS] };

    /// 1 in some states, 0 in others.
    pub(super) fn of_lanes(one: States, zero: States) -> Bit {
        Bit { one: [one; WORDS], zero: [zero; WORDS] }
    }
    /// Where it may be 1.
    pub(super) fn ones(self) -> Points {
        self.one
    }
    /// Where it may be 0.
    pub(super) fn zeros(self) -> Points {
        self.zero
    }
    /// Bit `i` of a state's number.
    pub(super) fn of_states(i: usize) -> Bit {
        Bit::known([COUNTING[i]; WORDS])
    }
    fn known(one: Points) -> Bit {
        Bit { one, zero: one.map(|w| !w) }
    }
    fn constant(b: bool) -> Bit {
        Bit::known([if b { !0 } else { 0 }; WORDS])
    }
    fn not(self) -> Bit {
        Bit { one: self.zero, zero: self.one }
    }
    fn and(self, o: Bit) -> Bit {
        Bit { one: both(self.one, o.one), zero: either(self.zero, o.zero) }
    }
    fn or(self, o: Bit) -> Bit {
        self.not().and(o.not()).not()
    }
    /// `self ? x : y`
    fn select(self, x: Bit, y: Bit) -> Bit {
        let of = |x: Points, y: Points| either(both(self.one, x), both(self.zero, y));
        Bit { one: of(x.one, y.one), zero: of(x.zero, y.zero) }
    }
}

/// Bits of values.
pub(super) type Bits = ByValue<Bit>;

/// Something that a block does to a row.
enum Event {
    /// Read where the mask is 1.
    Read(Points),
    /// Written where the mask is 1, by this instruction.
    Write(usize, Bit),
}

/// What a block does to a lane.
struct Steps {
    /// What it leaves in EXEC, then in the registers.
    ends: Vec<Bit>,
    /// Comparisons whose results are followed.
    choices: usize,
    /// All states.
    all: States,
    /// What [`Steps::leading_to`] found for the ends that it was asked about: also whatever comparisons give.
    found: RefCell<Vec<(States, Points, States)>>,
    /// By row, in order.
    events: FxHashMap<u16, Vec<Event>>,
    /// It may read any row, in any lane.
    reads_all: bool,
}

/// Blocks that may be run again and again: each may lead to each.
struct Region {
    blocks: Vec<usize>,
    entries: Vec<usize>,
}

/// A definition that says what an operation makes of one lane's bits, with its operands.
pub(super) fn lanewise(op: &Op, half: usize) -> Option<[Option<Value>; 3]> {
    use PureOp::*;
    match op {
        Op::MaskBits(x) | Op::BitsMask(x) | Op::Splat(x) => Some([Some(*x), None, None]),
        Op::Pure { op, args, .. } => {
            let args = *args;
            match op {
                BAnd | BOr | BXor | BNot | BAndNot | And32 | Or32 | Xor32 | Not32 | And64 | Or64 | Xor64 | Not64 | Sel32 | Sel64 => {
                    Some(args)
                }
                ZExt64 | Lo64 if half == 0 => Some(args),
                Hi64 if half == 1 => Some(args),
                Pack64 => Some([args[half], None, None]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Follows values through a block.
pub(super) struct Walk<'a> {
    func: &'a Func,
    half: usize,
    bits: Bits,
    exec: Bit,
    registers: Vec<(SReg, Bit)>,
    choices: usize,
}

impl<'a> Walk<'a> {
    /// From a start of which EXEC and registers are known. `bits` is what an earlier walk [left](Walk::into_bits).
    pub(super) fn new(func: &'a Func, half: usize, mut bits: Bits, (exec, registers): (Bit, Vec<(SReg, Bit)>)) -> Walk<'a> {
        bits.begin(func);
        Walk { func, half, bits, exec, registers, choices: 0 }
    }

    /// Comparisons whose results are followed.
    pub(super) fn choices(&self) -> usize {
        self.choices
    }

    /// What a register has now.
    pub(super) fn register(&self, r: SReg) -> Bit {
        self.registers.iter().find(|(of, _)| *of == r).map_or(Bit::UNKNOWN, |(_, b)| *b)
    }

    pub(super) fn exec(&self) -> Bit {
        self.exec
    }

    /// For the next walk.
    pub(super) fn into_bits(self) -> Bits {
        self.bits
    }

    /// EXEC, then the registers.
    fn ends(&self) -> impl Iterator<Item = Bit> {
        std::iter::once(self.exec).chain(self.registers.iter().map(|(_, b)| *b))
    }

    pub(super) fn bit(&self, v: Value) -> Bit {
        self.bits.get(v).unwrap_or(Bit::UNKNOWN)
    }

    fn constant(&self, width: Width, bits: u64) -> Bit {
        let word = match width {
            Width::B1 => return Bit::constant(bits & 1 != 0),
            Width::B32 => bits as u32,
            Width::B64 => (bits >> (32 * self.half)) as u32,
        };
        match word {
            0 => Bit::constant(false),
            u32::MAX => Bit::constant(true),
            _ => Bit::UNKNOWN,
        }
    }

    /// What becomes of the masks; `v`: the instruction's result, if it has one.
    pub(super) fn step(&mut self, op: &Op, v: Value) {
        use PureOp::*;
        let bit = match op {
            Op::ExecSet(m) => return self.exec = self.bit(*m),
            Op::SSet(r, x) => {
                let to = self.bit(*x);
                self.registers.iter_mut().filter(|(of, _)| of == r).for_each(|(_, b)| *b = to);
                return;
            }
            Op::SSetRel { .. } | Op::SetReg { .. } => return self.registers.iter_mut().for_each(|(_, b)| *b = Bit::UNKNOWN),
            Op::ExecGet => self.exec,
            Op::SGet(r) => self.register(*r),
            Op::Const { width, bits } => self.constant(*width, *bits),
            Op::Pure { op: ZExt64, .. } if self.half == 1 => Bit::constant(false),
            Op::Pure { .. } if self.func.ty(v) == Ty::L32 || self.func.ty(v) == Ty::L64 => return,
            _ => match (op, lanewise(op, self.half)) {
                (Op::Pure { op, .. }, Some(args)) => {
                    let x = |i: usize| args[i].map_or(Bit::UNKNOWN, |v| self.bit(v));
                    match op {
                        BAnd | And32 | And64 => x(0).and(x(1)),
                        BOr | Or32 | Or64 => x(0).or(x(1)),
                        BXor | Xor32 | Xor64 => x(0).select(x(1).not(), x(1)),
                        BNot | Not32 | Not64 => x(0).not(),
                        BAndNot => x(0).and(x(1).not()),
                        Sel32 | Sel64 => x(0).select(x(1), x(2)),
                        _ => x(0),
                    }
                }
                (_, Some([Some(of), ..])) => self.bit(of),
                _ if op.has_effect() => return,
                // A comparison, for each lane.
                _ if self.func.types.get(v.0 as usize) == Some(&Ty::MASK) && self.choices < CHOICES => {
                    let i = self.choices;
                    self.choices += 1;
                    Bit::known(std::array::from_fn(|w| if w >> i & 1 != 0 { !0 } else { 0 }))
                }
                _ => return,
            },
        };
        self.bits.insert(v, bit);
    }
}

/// One region, and one half of the wave.
struct Problem<'a> {
    func: &'a Func,
    region: &'a Region,
    half: usize,
    registers: Vec<SReg>,
    bits: RefCell<Bits>,
}

impl<'a> Problem<'a> {
    /// `wanted`: by block of the function, [registers of which EXEC will come](mask_registers::wanted).
    fn new(func: &'a Func, region: &'a Region, half: usize, wanted: &[Masks]) -> Problem<'a> {
        let of_region = region.blocks.iter().fold(0, |all, b| all | wanted[*b]);
        let registers = mask_registers::registers(of_region).take(REGISTERS).collect();
        Problem { func, region, half, registers, bits: RefCell::default() }
    }

    fn states(&self) -> usize {
        2 << self.registers.len()
    }

    /// All states.
    fn all(&self) -> States {
        if self.states() == 64 { !0 } else { (1 << self.states()) - 1 }
    }

    fn steps(&self, block: &Block, rows: &FxHashSet<u16>) -> Steps {
        let start = Bit::of_states;
        let registers = self.registers.iter().enumerate().map(|(i, r)| (*r, start(i + 1))).collect();
        let mut walk = Walk::new(self.func, self.half, self.bits.take(), (start(0), registers));
        let (mut events, mut reads_all) = (FxHashMap::<u16, Vec<Event>>::default(), false);
        for (at, inst) in block.insts.iter().enumerate() {
            match inst.op {
                Op::VGet { reg, demand } if rows.contains(&reg.0) => {
                    let mask = demand.map_or(Bit::constant(true), |m| walk.bit(m));
                    events.entry(reg.0).or_default().push(Event::Read(mask.one));
                }
                Op::VSet { reg, exec, .. } if rows.contains(&reg.0) => {
                    events.entry(reg.0).or_default().push(Event::Write(at, walk.bit(exec)));
                }
                Op::VGetRel { .. } => reads_all = true,
                _ => {}
            }
            walk.step(&inst.op, inst.first);
        }
        let (ends, choices) = (walk.ends().collect(), walk.choices);
        self.bits.replace(walk.into_bits());
        Steps { ends, choices, all: self.all(), found: RefCell::default(), events, reads_all }
    }

    /// Of the region's blocks, those that one leads to, by their places; and the others.
    fn successors(&self, i: usize) -> (Vec<usize>, Vec<usize>) {
        let mut of = (vec![], vec![]);
        self.func.blocks[self.region.blocks[i]].term.for_each_successor(|s| match self.region.blocks.binary_search(&(s.0 as usize)) {
            Ok(place) => of.0.push(place),
            Err(_) => of.1.push(s.0 as usize),
        });
        of
    }

    /// States in which a lane may be at the start of each block.
    fn reached(&self, steps: &[Steps], successors: &[(Vec<usize>, Vec<usize>)]) -> Vec<States> {
        let is_entry = |b| self.region.entries.contains(b);
        let mut at: Vec<States> = self.region.blocks.iter().map(|b| if is_entry(b) { self.all() } else { 0 }).collect();
        // Those that were looked at.
        let mut seen = vec![0; steps.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..steps.len() {
                let new = at[i] & !seen[i];
                if new != 0 {
                    (seen[i], changed) = (at[i], true);
                    let end = steps[i].reached_from(new);
                    successors[i].0.iter().for_each(|s| at[*s] |= end);
                }
            }
        }
        at
    }

    /// Looks at the writes of `candidates`.
    fn solve(&self, starts: &[Lanes], opts: OptOptions, candidates: &FxHashMap<u16, Vec<(usize, usize)>>) -> Found {
        let rows: FxHashSet<u16> = candidates.keys().copied().collect();
        let steps: Vec<Steps> = self.region.blocks.iter().map(|b| self.steps(&self.func.blocks[*b], &rows)).collect();
        let successors: Vec<_> = (0..steps.len()).map(|i| self.successors(i)).collect();
        let reached = self.reached(&steps, &successors);
        let blocks = &self.region.blocks;
        let leaves: Vec<bool> = blocks.iter().map(|b| leaves_everything_live(&self.func.blocks[*b].term, opts)).collect();
        let mut found = Found::default();
        // By block: where the row lives behind it outside of the region, and at its start, and the ends that were looked at last.
        let (mut outside, mut live, mut ends) = (vec![], vec![], vec![]);
        for (row, writes) in candidates {
            outside.clear();
            outside.extend(successors.iter().zip(&leaves).map(|((_, others), leaves)| {
                let of = |s: &usize| {
                    let at = &starts[*s];
                    (if at.active.has(*row) { COUNTING[0] } else { 0 }) | (if at.resting.has(*row) { !COUNTING[0] } else { 0 })
                };
                others.iter().fold(if *leaves { !0 } else { 0 }, |set, s| set | of(s)) & self.all()
            }));
            let events: Vec<&[Event]> = steps.iter().map(|s| s.events.get(row).map_or(&[][..], |events| events)).collect();
            live.clear();
            live.resize(blocks.len(), 0);
            ends.clear();
            ends.resize(blocks.len(), None);
            let stop = |live: &[States], i: usize| successors[i].0.iter().fold(outside[i], |set, s| set | live[*s]);
            let mut changed = true;
            while changed {
                changed = false;
                for i in (0..blocks.len()).rev() {
                    let end = stop(&live, i);
                    if ends[i].replace(end) == Some(end) {
                        continue;
                    }
                    let start = steps[i].before(events[i], end, &mut |_, _, _| {});
                    changed |= start != live[i];
                    live[i] = start;
                }
            }
            for (i, b) in blocks.iter().enumerate().filter(|(i, _)| !events[*i].is_empty()) {
                steps[i].before(events[i], stop(&live, i), &mut |at, mask, after| {
                    let nowhere = |lanes: Points| both(both(lanes, after), [reached[i]; WORDS]) == [0; WORDS];
                    if writes.contains(&(*b, at)) {
                        found.note((*b, at), nowhere(mask.zero), nowhere(mask.one));
                    }
                });
            }
        }
        found
    }
}

/// A bit of a state's number: which, where it may be 1, and where 0.
type Change = (usize, States, States);

/// Tells of the ends, for one word of results of comparisons, that are not what that bit was at the start.
fn with_changes<T>(ends: &[Bit], word: usize, then: impl FnOnce(&[Change]) -> T) -> T {
    let (mut changes, mut count) = ([(0, 0, 0); COUNTING.len()], 0);
    for (k, bit) in ends.iter().enumerate() {
        let (one, zero) = (bit.one[word], bit.zero[word]);
        if one != COUNTING[k] || zero != !COUNTING[k] {
            changes[count] = (k, one, zero);
            count += 1;
        }
    }
    then(&changes[..count])
}

/// States from which these ends, for one word of results of comparisons, lead to some of `to`. Each is a bit of a state's number, in order.
fn states_before(ends: &[Bit], word: usize, to: States) -> States {
    fn before(changes: &[Change], to: States) -> States {
        let Some(((k, one, zero), others)) = changes.split_first().filter(|_| to != 0) else { return to };
        // Whatever the bit was.
        let (with, without) = (to & COUNTING[*k], to & !COUNTING[*k]);
        zero & before(others, without | without << (1 << k)) | one & before(others, with | with >> (1 << k))
    }
    with_changes(ends, word, |changes| before(changes, to))
}

/// States to which they lead from some of `from`; these may have other bits.
pub(super) fn states_after(ends: &[Bit], word: usize, from: States) -> States {
    fn after(changes: &[Change], from: States) -> States {
        let Some(((k, one, zero), others)) = changes.split_first().filter(|_| from != 0) else { return from };
        set(after(others, from & one), *k) | clear(after(others, from & zero), *k)
    }
    let to = with_changes(ends, word, |changes| after(changes, from));
    (ends.len()..COUNTING.len()).fold(to, clear)
}

/// States with a bit set.
fn set(of: States, bit: usize) -> States {
    of & COUNTING[bit] | (of & !COUNTING[bit]) << (1 << bit)
}

/// States without it.
fn clear(of: States, bit: usize) -> States {
    of & !COUNTING[bit] | (of & COUNTING[bit]) >> (1 << bit)
}

impl Steps {
    /// States at the end to which the block leads from some of these.
    fn reached_from(&self, start: States) -> States {
        if start == 0 {
            return 0;
        }
        (0..1 << self.choices).fold(0, |set, word| set | states_after(&self.ends, word, start))
    }

    /// States at the start from which the block leads to some of these, by results of comparisons, and whatever these give. Rows ask for the same again
    /// and again.
    fn leading_to(&self, end: States) -> (Points, States) {
        if end == 0 {
            return ([0; WORDS], 0);
        }
        let of_word = |w: usize| states_before(&self.ends, w, end) & self.all;
        let mut found = self.found.borrow_mut();
        if let Some((_, points, any)) = found.iter().find(|(of, ..)| *of == end) {
            return (*points, *any);
        }
        let points = by_choices(self.choices, of_word);
        let any = points.iter().fold(0, |x, y| x | y);
        found.push((end, points, any));
        (points, any)
    }

    /// States in which a row lives at the start, from those at the end and what the block does to it; tells of each write its instruction, its mask, and
    /// where the row lives after it.
    fn before(&self, events: &[Event], end: States, write: &mut dyn FnMut(usize, &Bit, Points)) -> States {
        if self.reads_all {
            // Where between the others it is read does not matter: it lives everywhere.
            for event in events {
                if let Event::Write(at, mask) = event {
                    write(*at, mask, [self.all; WORDS]);
                }
            }
            return self.all;
        }
        let (mut live, any) = self.leading_to(end);
        if events.is_empty() {
            return any;
        }
        for event in events.iter().rev() {
            match event {
                Event::Read(mask) => live = either(live, *mask),
                Event::Write(at, mask) => {
                    write(*at, mask, live);
                    live = both(live, mask.zero);
                }
            }
        }
        live.iter().fold(0, |x, y| x | y) & self.all
    }
}

/// Circles of blocks among these, those inside them when their entries are taken out, and so on.
fn regions(circles: &mut Circles, among: &[u32], depth: usize, list: &mut Vec<Region>) {
    for set in circles.among(among) {
        let (entries, inner) = circles.entries(&set);
        if depth > 0 && inner.len() < set.len() {
            regions(circles, &inner, depth - 1, list);
        }
        let [blocks, entries] = [set, entries].map(|list| list.into_iter().map(|b| b as usize).collect());
        list.push(Region { blocks, entries });
    }
}

/// Writes, by block and instruction.
#[derive(Default)]
pub(super) struct Found {
    /// They need not keep lanes outside their mask.
    pub whole: FxHashSet<(usize, usize)>,
    /// Nobody reads what they write.
    pub dead: FxHashSet<(usize, usize)>,
}

impl Found {
    fn note(&mut self, write: (usize, usize), is_whole: bool, is_dead: bool) {
        if is_whole {
            self.whole.insert(write);
        }
        if is_dead {
            self.dead.insert(write);
        }
    }

    fn extend(&mut self, o: Found) {
        self.whole.extend(o.whole);
        self.dead.extend(o.dead);
    }

    /// What both halves of a wave say.
    fn within(mut self, o: &Found) -> Found {
        self.whole.retain(|w| o.whole.contains(w));
        self.dead.retain(|w| o.dead.contains(w));
        self
    }
}

/// Of the writes that must keep lanes outside their mask for all that [`super::liveness`] knows (`keeps`, by block), those that need not, and those that nobody
/// reads. `starts` is what lives at the start of each block.
pub(super) fn look_at_writes(func: &Func, starts: &[Lanes], opts: OptOptions, keeps: &[Vec<bool>]) -> Found {
    let is_kept = |inst: &Inst, keeps: bool| keeps && matches!(inst.op, Op::VSet { .. });
    let has_kept = |b: &usize| func.blocks[*b].insts.iter().zip(&keeps[*b]).any(|(inst, keeps)| is_kept(inst, *keeps));
    let sets_exec = |b: &usize| func.blocks[*b].insts.iter().any(|i| matches!(i.op, Op::ExecSet(_)));
    let all: Vec<usize> = (0..func.blocks.len()).collect();
    let mut found = Found::default();
    if !all.iter().any(has_kept) || !all.iter().any(sets_exec) {
        return found;
    }
    let mut loops = vec![];
    let numbers: Vec<u32> = (0..func.blocks.len() as u32).collect();
    regions(&mut Circles::new(func), &numbers, 3, &mut loops);
    let halves = (func.wave_size as usize).div_ceil(32);
    let wanted: Vec<Vec<Masks>> = (0..halves).map(|half| mask_registers::wanted(func, half)).collect();
    let mut look_at = |region: &Region| {
        if region.blocks.len() > MOST_BLOCKS || !region.blocks.iter().any(sets_exec) {
            return;
        }
        let mut candidates = FxHashMap::<u16, Vec<(usize, usize)>>::default();
        for b in &region.blocks {
            for (i, (inst, kept)) in func.blocks[*b].insts.iter().zip(&keeps[*b]).enumerate() {
                let is_known = || found.whole.contains(&(*b, i)) && found.dead.contains(&(*b, i));
                if let (Op::VSet { reg, .. }, true) = (&inst.op, *kept)
                    && !is_known()
                {
                    candidates.entry(reg.0).or_default().push((*b, i));
                }
            }
        }
        if candidates.is_empty() {
            return;
        }
        let of_half = |(half, wanted): (usize, &Vec<Masks>)| Problem::new(func, region, half, wanted).solve(starts, opts, &candidates);
        let of_region = wanted.iter().enumerate().map(of_half).reduce(|x, y| x.within(&y));
        found.extend(of_region.unwrap_or_default());
    };
    loops.iter().for_each(&mut look_at);
    // What is put back in a loop was saved before it, and the lanes that a guard has sent home are not in it: writes before loops are looked at in the whole.
    let is_in_loop = |b: &usize| loops.iter().any(|l| l.blocks.binary_search(b).is_ok());
    if !loops.is_empty() && all.iter().any(|b| !is_in_loop(b) && has_kept(b)) {
        look_at(&Region { blocks: all, entries: vec![0] });
    }
    found
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::liveness::VgprLiveness;
    use super::*;

    /// Of the writes of `row` in block `block`, which must keep the other lanes.
    fn keeps(text: &str, block: usize, row: u16) -> Vec<bool> {
        keeps_with(OptOptions::default(), text, block, row)
    }

    pub(in crate::opt) fn keeps_with(opts: OptOptions, text: &str, block: usize, row: u16) -> Vec<bool> {
        let func = wavejit_ir::text::parse(text).unwrap();
        wavejit_ir::verify::verify(&func).unwrap();
        let blend = VgprLiveness::new(&func, opts).with_blends(&func, opts).blend(block).to_vec();
        let of_row = |op: &Op| matches!(op, Op::VSet { reg, .. } if reg.0 == row);
        func.blocks[block].insts.iter().zip(blend).filter(|(i, _)| of_row(&i.op)).map(|(_, b)| b).collect()
    }

    /// `%v: s64`, the mask that s`r` holds, with s`r + 1` in wave64; numbers from `10 * v` on are its own.
    pub(in crate::opt) fn get(wave: u32, v: u32, r: u32) -> String {
        let (low, high) = (10 * v, 10 * v + 1);
        match wave {
            64 => format!("%{low}: s32 = sget s{r}\n%{high}: s32 = sget s{}\n%{v}: s64 = pack.64 %{low}, %{high}", r + 1),
            _ => format!("%{low}: s32 = sget s{r}\n%{v}: s64 = zext.64 %{low}"),
        }
    }

    /// The reverse of it.
    pub(in crate::opt) fn set(wave: u32, v: u32, r: u32) -> String {
        let (low, high) = (10 * v + 2, 10 * v + 3);
        let of_high = if wave == 64 { format!("\n%{high}: s32 = hi.64 %{v}\nsset s{}, %{high}", r + 1) } else { String::new() };
        format!("%{low}: s32 = lo.64 %{v}\nsset s{r}, %{low}{of_high}")
    }

    /// A loop that lanes leave when a comparison says so: s0 has those that are done, s2 what EXEC was. `back` says what EXEC is at its end: %39, of %30
    /// (EXEC), %32 (saved) and %34 (done). Behind the loop `read` is read in all lanes that entered it. v1 is moved on in it, v2 only written.
    fn leaving(wave: u32, back: &str, read: &str) -> String {
        let [old, saved, done, entered] = [(17, 0), (32, 2), (34, 0), (51, 4)].map(|(v, r)| get(wave, v, r));
        let [enter, save, mark] = [(1, 4), (14, 2), (18, 0)].map(|(v, r)| set(wave, v, r));
        format!(
            "func \"f\" wave{wave} {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: s64 = maskbits %0
 {enter}
 %2: s32 = const.32 0
 sset s0, %2
 sset s1, %2
 jump b1
b1 pc=4 mode=0x3f0 insts=1:
 %3: mask = exec
 %4: l32 = vget v1 demand %3
 %5: l32 = vget v3 demand %3
 %6: mask = slt.32 %4, %5
 %14: s64 = maskbits %3
 %15: mask = andn.1 %3, %6
 %16: s64 = maskbits %15
 {old}
 %18: s64 = or.64 %17, %16
 {save}
 {mark}
 %24: mask = and.1 %3, %6
 setexec %24
 %25: l32 = iadd.32 %4, %5
 vset v1, %25, exec %24
 vset v2, %25, exec %24
 jump b2
b2 pc=8 mode=0x3f0 insts=1:
 %29: mask = exec
 %30: s64 = maskbits %29
 {saved}
 {done}
 {back}
 %40: mask = bitsmask %39
 setexec %40
 %41: s64 = maskbits %40
 %42: s64 = const.64 0
 %43: s1 = eq.64 %41, %42
 branch %43, b3, b1
b3 pc=12 mode=0x3f0 insts=1:
 {entered}
 %52: mask = bitsmask %51
 setexec %52
 %53: l32 = vget {read} demand %52
 store lds.b32 [lane %53], %53, exec %52
 end
}}
"
        )
    }

    const DONE_LEAVE: &str = "%36: s64 = or.64 %30, %32\n%37: s64 = not.64 %34\n%39: s64 = and.64 %36, %37";

    #[test]
    fn lanes_that_have_left_a_loop_need_not_keep_what_only_the_loop_reads() {
        for wave in [32, 64] {
            // v1 and v2 of lanes that left are not read again, v3 is only read.
            let text = leaving(wave, DONE_LEAVE, "v3");
            assert_eq!(keeps(&text, 1, 1), [false], "wave{wave}");
            assert_eq!(keeps(&text, 1, 2), [false], "wave{wave}");
        }
    }

    #[test]
    fn what_is_read_behind_the_loop_is_kept() {
        for wave in [32, 64] {
            assert_eq!(keeps(&leaving(wave, DONE_LEAVE, "v1"), 1, 1), [true], "wave{wave}");
            assert_eq!(keeps(&leaving(wave, DONE_LEAVE, "v2"), 1, 2), [true], "wave{wave}");
        }
    }

    #[test]
    fn lanes_that_may_come_back_keep_what_they_had() {
        // Lanes that are done are not taken away; or others than those; or only what is saved is looked at, which lanes outside may have set.
        for back in [
            "%39: s64 = or.64 %30, %32",
            "%36: s64 = or.64 %30, %32\n%39: s64 = and.64 %36, %34",
            "%36: s64 = or.64 %30, %34\n%37: s64 = not.64 %30\n%39: s64 = or.64 %36, %37",
        ] {
            assert_eq!(keeps(&leaving(32, back, "v3"), 1, 1), [true], "{back}");
        }
    }

    #[test]
    fn states_follow_from_ends_one_by_one() {
        let mut rng = wavejit_random::Random(3);
        for _ in 0..2_000 {
            let bits = 1 + rng.u64() as usize % 6;
            let word = |rng: &mut wavejit_random::Random| rng.u64() & rng.u64();
            let ends: Vec<Bit> = (0..bits)
                .map(|k| match rng.u64() % 4 {
                    0 => Bit::of_lanes(word(&mut rng), word(&mut rng)),
                    1 => Bit::of_states(rng.u64() as usize % 6),
                    _ => Bit::of_states(k),
                })
                .collect();
            let leads =
                |from: u32, to: u32| (0..bits).all(|k| if to >> k & 1 != 0 { ends[k].one } else { ends[k].zero }[0] >> from & 1 != 0);
            let some = rng.u64();
            let after =
                (0..1 << bits).filter(|to| (0..64).any(|from| some >> from & 1 != 0 && leads(from, *to))).fold(0, |all, to| all | 1 << to);
            assert_eq!(states_after(&ends, 0, some), after);
            // Going back, states have as many bits as there are ends.
            let all = if bits == 6 { !0 } else { (1 << (1 << bits)) - 1 };
            let to = some & all;
            let before =
                (0..1 << bits).filter(|from| (0..1 << bits).any(|t| to >> t & 1 != 0 && leads(*from, t))).fold(0, |all, s| all | 1u64 << s);
            assert_eq!(states_before(&ends, 0, to) & all, before);
        }
    }

    #[test]
    fn parts_that_lead_to_each_other_are_found_and_those_inside_them() {
        let block = |i: usize, term: &str| format!("b{i} pc={} mode=0x3f0 insts=1:\n %{i}: s1 = sget scc\n {term}\n", 4 * i);
        let terms = ["jump b1", "jump b2", "branch %2, b2, b3", "branch %3, b1, b4", "branch %4, b5, b6", "jump b6", "end"];
        let text: String = terms.iter().enumerate().map(|(i, t)| block(i, t)).collect();
        let func = wavejit_ir::text::parse(&format!("func \"f\" wave32 {{\n{text}}}\n")).unwrap();
        let mut list = vec![];
        regions(&mut Circles::new(&func), &[0, 1, 2, 3, 4, 5, 6], 3, &mut list);
        let found: Vec<_> = list.iter().map(|r| (r.blocks.clone(), r.entries.clone())).collect();
        assert_eq!(found, [(vec![2], vec![2]), (vec![1, 2, 3], vec![1])]);
    }
}
