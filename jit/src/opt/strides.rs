//! Lane facts: which values are, in each run of lanes, a base plus a constant times the lane's place in the run. A run is 16 lanes, or 8 where workgroups have such
//! rows ([`Ids::run`]).
//!
//! They begin with the work-item ids of a kernel whose workgroups are such that x counts up in every run ([`Func::ids`]), with lane numbers
//! and with what is one value for the wave, and are closed under sums, products with constants, shifts, and bit fields that cut the lane bits off or
//! leave them whole. They tell a back end that an access is consecutive, or to one element, without a look at the addresses.
//!
//! ```text
//! %1 = and.32 v0, 0x3ff     stride 1, base a multiple of 16
//! %2 = shl.32 %1, 2         stride 4, base a multiple of 64
//! %3 = iadd.32 %2, splat s4 stride 4
//! load [s[0:1] + %3]        consecutive
//! ```
//!
//! Where it is known besides how far the runs of a wave are apart ([`Across`]) one address stands for all of them.
//!
//! A fact holds in all lanes that were on when the function was entered, now active or not: pure operations compute in every lane, and a register keeps a
//! fact if it was written as a whole ([`VgprLiveness::blend`]). Of a wave with work-item ids these are the first lanes, so that the first lane of a run
//! stands for all of them. Facts about registers flow forward through the blocks; where ways meet both must agree.
//!
//! Masks that come of comparisons of values that are one for the wave, and of nothing else, are *alike*: all those lanes are in them, or none. Then what is
//! chosen or written by one is what both values are. That holds for masks in scalar registers as well, and EXEC.

use super::initial_lanes::{self, Refined, Visit};
use super::lane_states::lanewise;
use super::liveness::VgprLiveness;
use super::mask_registers::{EXEC, Masks, bit_of};
use super::possible_bits::PossibleBits;
use super::worklist::Worklist;
use wavejit_ir::{Addr, Block, Func, Ids, Inst, NextRun, Op, PureOp, Shape, Space, Ty, VReg, Value, Width};

/// Lanes that back ends look at together.
pub const RUN: u32 = Ids::RUN;

/// Lane i of a run has base + i * stride, modulo 2^32. Of the base the low `clear` bits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stride {
    /// What a lane has more than the one before.
    pub stride: u32,
    /// Low bits of the base that are known to be 0: at most 32.
    pub clear: u32,
    /// What is known of the runs of a wave together.
    pub across: Option<Across>,
}

/// The base of a run is that of the wave's first one + the run's number * `apart`, modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Across {
    /// What a run has more than the one before.
    pub apart: u32,
    /// Low bits of the first run's base that are known to be 0: at most 32.
    pub clear: u32,
}

impl Across {
    const SAME: Option<Across> = Across::new(0, 0);

    const fn new(apart: u32, clear: u32) -> Option<Across> {
        Some(Across { apart, clear: if clear > 32 { 32 } else { clear } })
    }

    /// What two have in common that are added up.
    fn sum(x: Option<Across>, y: Option<Across>, apart: fn(u32, u32) -> u32) -> Option<Across> {
        let (x, y) = (x?, y?);
        Across::new(apart(x.apart, y.apart), x.clear.min(y.clear))
    }
}

/// 2^32 or more: no bit is known to be 0.
fn below(clear: u32) -> u64 {
    1 << clear
}

impl Stride {
    const fn new(stride: u32, clear: u32) -> Stride {
        Stride { stride, clear: if clear > 32 { 32 } else { clear }, across: None }
    }

    /// The same in all lanes of the wave.
    const fn same(clear: u32) -> Stride {
        Stride::new(0, clear).across(Across::new(0, clear))
    }

    /// What a run has more than the one before, if that is known.
    pub fn apart(self) -> Option<u32> {
        self.across.map(|w| w.apart)
    }

    const fn across(self, across: Option<Across>) -> Stride {
        Stride { across, ..self }
    }

    /// The bits in which the runs of a wave differ, if neither lanes of a run nor the first base have any of them: then adding is the same as setting
    /// bits, for all lanes of the wave.
    fn run_bits(self, run: u32, runs: u32) -> Option<u32> {
        let Across { apart, clear } = self.across?;
        let lanes = self.stride.checked_mul(run - 1)?;
        let most = u64::from(apart) * u64::from(runs - 1) + u64::from(lanes);
        let bits = (0..runs).fold(0, |bits, i| bits | apart.wrapping_mul(i));
        // Counting on is what a run does in the bits above its own.
        let apart_from_lanes = bits & (u64::from(lanes) + 1).next_power_of_two().wrapping_sub(1) as u32 == 0;
        (most < below(clear) && apart_from_lanes).then_some(bits)
    }

    /// The bits in which lanes of a run differ, if the base has none of them: then adding is the same as setting bits.
    fn lane_bits(self, run: u32) -> Option<u32> {
        let most = self.stride.checked_mul(run - 1)?;
        let bits = most.checked_add(1)?.checked_next_power_of_two()? - 1;
        (self.clear == 32 || bits < 1u32.checked_shl(self.clear).unwrap_or(0)).then_some(bits)
    }

    fn of_constant(c: u32) -> Stride {
        Stride::same(c.trailing_zeros())
    }

    /// What both are.
    fn meet(self, o: Stride) -> Option<Stride> {
        let across = match (self.across, o.across) {
            (Some(x), Some(y)) if x.apart == y.apart => Across::new(x.apart, x.clear.min(y.clear)),
            _ => None,
        };
        (self.stride == o.stride).then_some(Stride::new(self.stride, self.clear.min(o.clear)).across(across))
    }
}

/// Most rows that are followed: VGPRs.
const ROWS: usize = 256;
/// By row, as far as the function names any.
type Facts = Vec<Option<Stride>>;

/// What is known at the start of a block.
#[derive(Clone)]
struct Start {
    rows: Facts,
    /// Masks that are alike.
    alike: Masks,
    lanes: Refined,
}

impl Start {
    /// What is known here and at the end of another block, with these lanes. Has that changed anything?
    fn meet(&mut self, o: &Start, lanes: Refined) -> bool {
        let mut changed = initial_lanes::join(&mut self.lanes, lanes) | (self.alike & !o.alike != 0);
        self.alike &= o.alike;
        for (k, r) in self.rows.iter_mut().zip(&o.rows).filter(|(k, _)| k.is_some()) {
            let met = k.and_then(|k| r.and_then(|r| k.meet(r)));
            changed |= met != *k;
            *k = met;
        }
        changed
    }
}

/// Facts about the values of a function: of lane values of 32 bits, and of the low dwords of those of 64 bits.
#[derive(Debug)]
pub struct Strides {
    facts: Vec<Option<Stride>>,
    /// Lanes of a run.
    run: u32,
    /// Runs of a wave.
    runs: u32,
    /// Scalar constants, and lane values that are one.
    constants: Vec<Option<u64>>,
    /// Low bits of scalars that are known to be 0: at most 32.
    clear: Vec<u32>,
    bits: PossibleBits,
    /// By what a value is: of lanes, that it is one for the wave (of 64 bits a fact tells that for the low half only); of masks, and of scalars that hold one, that it is
    /// alike.
    same: Vec<bool>,
    /// Are masks looked at? (A wave of 64 has the bits of a mask in two registers.)
    has_masks: bool,
    /// Does a mask that is alike choose one value for all lanes that anybody sees?
    has_choices: bool,
    /// Does nothing look at the values of other lanes? Then a mask that is alike is one number in all lanes that anybody sees.
    has_numbers: bool,
    loads_all: bool,
}

impl Strides {
    /// The fact about a value, if there is one.
    pub fn of(&self, v: Value) -> Option<Stride> {
        self.facts[v.0 as usize]
    }

    /// The same for runs of [`RUN`] lanes.
    pub fn in_sixteens(&self, v: Value) -> Option<Stride> {
        let s = self.of(v)?;
        if self.run == RUN {
            return Some(s);
        }
        let w = s.across.filter(|w| w.apart == s.stride.wrapping_mul(self.run))?;
        Some(s.across(Across::new(w.apart.wrapping_mul(RUN / self.run), w.clear)))
    }

    /// What a lane of a run of eight has more than the one before, and the run more than the run before, if that is known and it is no run of sixteen.
    pub fn in_eights(&self, v: Value) -> Option<(u32, u32)> {
        let s = self.of(v).filter(|_| self.run == Ids::EIGHT && self.in_sixteens(v).is_none())?;
        Some((s.stride, s.apart()?))
    }

    /// Is a lane value of 32 bits, or the low half of one of 64, one for all lanes of the wave?
    pub fn is_one(&self, v: Value) -> bool {
        self.of(v).is_some_and(|s| s.stride == 0 && s.apart() == Some(0))
    }

    /// Is a lane value of 64 bits one for all lanes of the wave?
    pub fn is_one_qword(&self, v: Value) -> bool {
        self.same[v.0 as usize]
    }

    /// Is it a load from memory by lanes that all have one address, which gives all of them its element, active or not?
    pub fn is_at_one(&self, func: &Func, space: Space, addr: &Addr) -> bool {
        let is_one = |v: Value| if func.ty(v) == Ty::L64 { self.is_one_qword(v) } else { self.is_one(v) };
        self.loads_all
            && matches!(space, Space::Global | Space::Flat)
            && addr.imm.unsigned_abs() < 1 << 30
            && addr.offset.is_some_and(is_one)
    }

    /// Looks at a whole function, of whose writes it is known which are [whole](VgprLiveness::with_blends); from facts and jumps more may be
    /// found to be.
    ///
    /// `loads_all`: see [`Self::is_at_one`].
    pub fn new(func: &Func, liveness: &mut VgprLiveness, loads_all: bool) -> Strides {
        let count = func.types.len();
        let mut values = Strides {
            facts: vec![None; count],
            run: func.ids.run(),
            runs: func.wave_size / func.ids.run(),
            constants: vec![None; count],
            clear: vec![0; count],
            bits: PossibleBits::new(count),
            same: vec![false; count],
            has_masks: func.wave_size == 32,
            has_choices: false,
            has_numbers: false,
            loads_all,
        };
        // The lanes that were on are the first ones of a wave with ids.
        values.has_choices = func.ids != Ids::Any && liveness.stay_off;
        values.has_numbers = values.has_choices && !func.blocks.iter().flat_map(|b| &b.insts).any(looks_across);
        let is_unseen = |reg: VReg| liveness.initial.as_ref().is_some_and(|lanes| lanes.is_unseen(reg));
        let initial = liveness.initial.as_ref().filter(|lanes| lanes.has_jumps(func));
        let mut at_entry: Vec<Option<Start>> = vec![None; func.blocks.len()];
        let mut now = Start { rows: entry_facts(func), alike: EXEC, lanes: None };
        at_entry[0] = Some(now.clone());
        let mut work = Worklist::with_entry(func.blocks.len());
        while let Some(i) = work.next() {
            now.clone_from(at_entry[i].as_ref().expect("blocks are put to work with facts"));
            let visit = initial.and_then(|known| known.refined(func, i, now.lanes));
            let keeps = |inst: usize| liveness.blend(i)[inst] && !visit.as_ref().is_some_and(|v| v.writes_all(inst));
            values.block(func, &func.blocks[i], keeps, is_unseen, &mut now);
            let mut leads_to = |s: usize, lanes: Refined| match &mut at_entry[s] {
                Some(known) => {
                    if known.meet(&now, lanes) {
                        work.add(s);
                    }
                }
                none => {
                    *none = Some(Start { lanes, ..now.clone() });
                    work.add(s);
                }
            };
            match initial {
                Some(known) => known.for_each_end(func, i, visit, now.alike & EXEC != 0, leads_to),
                None => func.blocks[i].term.for_each_successor(|s| leads_to(s.0 as usize, None)),
            }
        }
        if let Some(known) = liveness.initial.take() {
            for (b, start) in at_entry.into_iter().enumerate() {
                let visit = start.and_then(|start| known.refined(func, b, start.lanes));
                visit.iter().flat_map(Visit::whole_writes).for_each(|i| liveness.write_whole(b, i));
            }
        }
        values
    }

    /// Is a value one for all lanes of the wave, or a mask alike?
    fn is_same(&self, func: &Func, v: Value) -> bool {
        func.ty(v).shape == Shape::Scalar || self.is_mask(v) || func.ty(v) == Ty::L32 && self.is_one(v)
    }

    /// Is it a mask that is alike? (Or a lane value of 64 bits that is one for all lanes.)
    fn is_mask(&self, v: Value) -> bool {
        self.same[v.0 as usize]
    }

    /// Does an operation give a mask that is alike, or a scalar that is such a mask?
    fn gives_mask(&self, func: &Func, inst: &Inst, alike: Masks) -> bool {
        let all = |args: &[Option<Value>]| args.iter().flatten().all(|v| self.is_mask(*v));
        match (&inst.op, lanewise(&inst.op, 0)) {
            (Op::ExecGet, _) => alike & EXEC != 0,
            (Op::SGet(r), _) => bit_of(*r).is_some_and(|r| alike & r != 0),
            (Op::Const { width, bits }, _) => *width != Width::B1 && [0, u32::MAX].contains(&(*bits as u32)),
            // The condition is one for the wave.
            (Op::Pure { op: PureOp::Sel32 | PureOp::Sel64, .. }, Some([_, x, y])) => all(&[x, y]),
            (Op::MaskBits(_) | Op::BitsMask(_) | Op::Pure { .. }, Some(args)) => all(&args),
            (Op::Pure { args, .. }, None) => func.ty(inst.first) == Ty::MASK && args.iter().flatten().all(|v| self.is_same(func, *v)),
            _ => false,
        }
    }

    fn block(&mut self, func: &Func, block: &Block, keeps: impl Fn(usize) -> bool, is_unseen: impl Fn(VReg) -> bool, now: &mut Start) {
        let Start { rows, alike, .. } = now;
        for (i, inst) in block.insts.iter().enumerate() {
            let ty = (inst.results == 1).then(|| func.ty(inst.first));
            if self.has_masks && ty.is_some_and(|ty| ty == Ty::MASK || ty.shape == Shape::Scalar) {
                self.same[inst.first.0 as usize] = self.gives_mask(func, inst, *alike);
            }
            let fact = match &inst.op {
                Op::Const { bits, .. } => {
                    self.constants[inst.first.0 as usize] = Some(*bits);
                    self.clear[inst.first.0 as usize] = bits.trailing_zeros().min(32);
                    None
                }
                Op::Splat(s) => {
                    let constant = self.constants[s.0 as usize];
                    self.constants[inst.first.0 as usize] = constant;
                    self.same[inst.first.0 as usize] = true;
                    Some(constant.map_or(Stride::same(self.clear[s.0 as usize]), |c| Stride::of_constant(c as u32)))
                }
                Op::LaneId => Some(Stride::new(1, self.run.trailing_zeros()).across(Across::new(self.run, 32))),
                Op::LaneTable(t) => of_table(&func.tables[*t as usize][..func.wave_size as usize], self.run),
                Op::VGet { reg, .. } => rows.get(usize::from(reg.0)).copied().flatten(),
                Op::VSet { reg, value, exec } => {
                    if let Some(row) = rows.get_mut(usize::from(reg.0)) {
                        let new = self.of(*value);
                        *row = match keeps(i) {
                            false => new,
                            true if self.chooses(func, *exec) && is_unseen(*reg) => new.and_then(|new| row.and_then(|old| old.meet(new))),
                            true => None,
                        };
                    }
                    None
                }
                Op::VSetRel { .. } => {
                    rows.fill(None);
                    None
                }
                Op::ExecSet(m) => {
                    *alike = if self.is_mask(*m) { *alike | EXEC } else { *alike & !EXEC };
                    None
                }
                Op::SSet(r, x) => {
                    let bit = bit_of(*r).unwrap_or(0);
                    *alike = if self.is_mask(*x) { *alike | bit } else { *alike & !bit };
                    None
                }
                Op::SSetRel { .. } | Op::SetReg { .. } => {
                    *alike &= EXEC;
                    None
                }
                // One element for all lanes.
                Op::Load { space, addr, .. } if is_one_element(*space, addr) || self.is_at_one(func, *space, addr) => Some(Stride::same(0)),
                Op::Pure { op, args, .. } if func.ty(inst.first).shape == Shape::Scalar => {
                    self.clear[inst.first.0 as usize] = self.clear_of(*op, args);
                    None
                }
                Op::Pure { .. } if ty == Some(Ty::MASK) => None,
                Op::Pure { op: PureOp::Sel32 | PureOp::Sel64, args: [Some(m), Some(x), Some(y)], .. } if self.chooses(func, *m) => {
                    self.same[inst.first.0 as usize] = [x, y].into_iter().all(|v| self.is_same(func, *v));
                    self.of(*x).and_then(|x| self.of(*y).and_then(|y| x.meet(y)))
                }
                Op::Pure { op, args, .. } => {
                    // A mask that is alike has other lanes, too, of which those who look across lanes would see a number.
                    let is_same = args.iter().flatten().all(|v| (self.has_numbers || func.ty(*v) != Ty::MASK) && self.is_same(func, *v));
                    self.same[inst.first.0 as usize] = is_same;
                    self.pure(*op, args).or(is_same.then_some(Stride::same(0)))
                }
                _ => None,
            };
            for r in 0..inst.results {
                self.facts[inst.result(r.into()).0 as usize] = fact;
            }
            if inst.results == 1 {
                self.bits.note(inst.first, &inst.op, func.wave_size, &self.constants);
            }
        }
    }

    /// Is it a mask by which one of two values is chosen for all lanes that were on?
    fn chooses(&self, func: &Func, m: Value) -> bool {
        self.has_choices && func.ty(m) == Ty::MASK && self.is_mask(m)
    }

    /// Low bits of a scalar result that are known to be 0: a workgroup's first item is often its number, shifted.
    fn clear_of(&self, op: PureOp, args: &[Option<Value>; 3]) -> u32 {
        use PureOp::*;
        let of = |i: usize| args[i].map_or(0, |v| self.clear[v.0 as usize]);
        let constant = |i: usize| args[i].and_then(|v| self.constants[v.0 as usize]);
        let clear = match op {
            Shl32 => constant(1).map_or(0, |n| of(0) + (n & 31) as u32),
            IMul32 => of(0) + of(1),
            IAdd32 | ISub32 | Or32 | Xor32 => of(0).min(of(1)),
            And32 => of(0).max(of(1)),
            _ => 0,
        };
        clear.min(32)
    }

    fn pure(&self, op: PureOp, args: &[Option<Value>; 3]) -> Option<Stride> {
        use PureOp::*;
        let constant = |i: usize| args[i].and_then(|v| self.constants[v.0 as usize]).map(|c| c as u32);
        let first = self.of(args[0]?);
        let second = args[1].and_then(|v| self.of(v));
        let scaled = |s: Stride, c: u32| {
            let across = s.across.and_then(|w| Across::new(w.apart.wrapping_mul(c), w.clear + c.trailing_zeros()));
            Stride::new(s.stride.wrapping_mul(c), s.clear + c.trailing_zeros()).across(across)
        };
        // Bits that one of them has the other one does not have.
        let is_sum = matches!(op, Or32 | Xor32) && self.bits.are_apart(args[0], args[1]);
        match (op, first, second) {
            (_, Some(a), Some(b)) if is_sum || matches!(op, IAdd32 | IAdd64) => {
                let across = Across::sum(a.across, b.across, u32::wrapping_add);
                Some(Stride::new(a.stride.wrapping_add(b.stride), a.clear.min(b.clear)).across(across))
            }
            (ISub32 | ISub64, Some(a), Some(b)) => {
                let across = Across::sum(a.across, b.across, u32::wrapping_sub);
                Some(Stride::new(a.stride.wrapping_sub(b.stride), a.clear.min(b.clear)).across(across))
            }
            (IMul32 | IMul64, Some(a), Some(b)) => match (constant(0), constant(1)) {
                (_, Some(c)) => Some(scaled(a, c)),
                (Some(c), _) => Some(scaled(b, c)),
                _ if a.stride == 0 && b.stride == 0 => Some(Stride::new(0, a.clear + b.clear).across(same_of(&[a, b]))),
                _ => None,
            },
            (Shl32, Some(a), _) if constant(1).is_some() => Some(scaled(a, 1 << (constant(1)? & 31))),
            // Only the low dword of a 64-bit shift to the left is like that.
            (Shl64, Some(a), _) if constant(1).is_some_and(|n| n & 63 < 32) => Some(scaled(a, 1 << (constant(1)? & 63))),
            (LShr32 | AShr32, Some(a), _) if constant(1).is_some() => self.shifted(a, constant(1)? & 31),
            (And32, Some(a), _) if constant(1).is_some() => self.masked(a, constant(1)?),
            (And32, _, Some(b)) if constant(0).is_some() => self.masked(b, constant(0)?),
            (BfeU32, Some(a), _) if constant(1).is_some() && constant(2).is_some() => {
                let (at, width) = (constant(1)? & 31, constant(2)? & 31);
                self.shifted(a, at).and_then(|s| self.masked(s, (1u32 << width) - 1))
            }
            (Or32 | Xor32, Some(a), Some(b)) if a.stride == 0 || b.stride == 0 => {
                let (lanes, other) = if a.stride == 0 { (b, a) } else { (a, b) };
                if lanes.stride == 0 {
                    return Some(Stride::new(0, a.clear.min(b.clear)).across(same_of(&[a, b])));
                }
                let bits = lanes.lane_bits(self.run)?;
                let across = lanes.across.zip(other.across).and_then(|(x, y)| match (x, y.apart) {
                    // The lanes have no other bits.
                    (Across { apart: 0, clear: 32 }, _) => Some(y),
                    (_, 0) => {
                        let all = u64::from(lanes.run_bits(self.run, self.runs)? | bits);
                        (all < below(y.clear)).then_some(Across::new(x.apart, x.clear.min(y.clear))?)
                    }
                    _ => None,
                });
                (other.clear == 32 || bits < 1 << other.clear)
                    .then_some(Stride::new(lanes.stride, lanes.clear.min(other.clear)).across(across))
            }
            (Pack64 | ZExt64 | SExt64 | Lo64, Some(a), _) => Some(a),
            // What is computed from equal lanes is equal in them.
            _ if op.ret() == Width::B32 && op != Hi64 => {
                let of: Vec<Stride> = args.iter().flatten().map_while(|v| self.of(*v).filter(|s| s.stride == 0)).collect();
                let narrow = op.args().iter().all(|w| *w == Width::B32);
                (narrow && of.len() == args.iter().flatten().count()).then_some(Stride::new(0, 0).across(same_of(&of)))
            }
            _ => None,
        }
    }

    /// `a >> n`, logical or arithmetic.
    fn shifted(&self, a: Stride, n: u32) -> Option<Stride> {
        let across = a.run_bits(self.run, self.runs).zip(a.across).and_then(|(bits, w)| {
            let apart = match bits >> n {
                0 => 0,
                _ if w.apart.trailing_zeros() >= n => w.apart >> n,
                _ => return None,
            };
            Across::new(apart, w.clear.saturating_sub(n))
        });
        let clear = a.clear.saturating_sub(n);
        if a.stride == 0 {
            return Some(Stride::new(0, clear).across(across));
        }
        let bits = a.lane_bits(self.run)?;
        let whole = || (a.stride.trailing_zeros() >= n).then_some(Stride::new(a.stride >> n, clear).across(across));
        if bits >> n == 0 { Some(Stride::new(0, clear).across(across)) } else { whole() }
    }

    /// `a & mask`
    fn masked(&self, a: Stride, mask: u32) -> Option<Stride> {
        // Low bits of the base that are 0 then.
        let left = |clear: u32| if u64::from(mask) < below(clear) { 32 } else { clear.max(mask.trailing_zeros()) };
        // Bits below all those that steps of so much change.
        let is_below = |step: u32| u64::from(mask) < below(step.trailing_zeros());
        if a.stride != 0 && is_below(a.stride) {
            let across = a.across.filter(|w| is_below(w.apart)).and_then(|w| Across::new(0, left(w.clear)));
            return Some(Stride::new(0, left(a.clear)).across(across));
        }
        let across = a.run_bits(self.run, self.runs).zip(a.across).and_then(|(bits, w)| {
            let apart = match mask & bits {
                0 => 0,
                all if all == bits => w.apart,
                _ => return None,
            };
            Across::new(apart, left(w.clear))
        });
        if a.stride == 0 {
            return Some(Stride::new(0, left(a.clear)).across(across));
        }
        let bits = a.lane_bits(self.run)?;
        match mask & bits {
            0 => Some(Stride::new(0, left(a.clear)).across(across)),
            all if all == bits => Some(Stride::new(a.stride, left(a.clear)).across(across)),
            _ => None,
        }
    }
}

/// Of operands whose lanes are equal in every run: what is computed from them has equal runs if they have.
fn same_of(all: &[Stride]) -> Option<Across> {
    all.iter().all(|s| s.across.is_some_and(|w| w.apart == 0)).then_some(Across::SAME).flatten()
}

/// Is it an access to one element for all lanes, small enough an offset that back ends which know strides make it one load?
pub fn is_one_element(space: Space, addr: &Addr) -> bool {
    let fits = addr.imm.unsigned_abs() < 1 << 30;
    let is_plain = match space {
        Space::Global | Space::Flat => true,
        Space::Lds => addr.imm >= 0,
        _ => false,
    };
    addr.offset.is_none() && fits && is_plain
}

/// Does an operation show one lane what another has?
fn looks_across(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::ReadLane { .. } | Op::Shuffle { .. } | Op::Permute { .. } | Op::Resource { .. } | Op::Export { .. } | Op::Probe { .. }
    )
}

/// What the registers hold when a wave starts.
fn entry_facts(func: &Func) -> Facts {
    let named = |op: &Op| match op {
        Op::VGet { reg, .. } | Op::VSet { reg, .. } => 1 + usize::from(reg.0),
        _ => 0,
    };
    let count = func.blocks.iter().flat_map(|b| &b.insts).map(|inst| named(&inst.op)).max().unwrap_or(0);
    // At least those that have work-item ids.
    let mut rows = vec![None; count.clamp(3, ROWS)];
    let run = func.ids.run();
    let ids = |x: Option<Across>, y, z| {
        [Stride::new(1, run.trailing_zeros()).across(x), Stride::new(0, 0).across(y), Stride::new(0, 0).across(z)].map(Some)
    };
    let wave = func.wave_size.trailing_zeros();
    let runs = (func.wave_size / run).trailing_zeros();
    // y and z are above x if they are packed: bits 10 and up.
    const Y: u32 = 10;
    match func.ids {
        Ids::Any => {}
        Ids::PackedRuns(next) | Ids::PackedEights(next) => {
            let across = match next {
                NextRun::Any => None,
                NextRun::Line | NextRun::Lines => Across::new(run, wave),
                NextRun::Row => Across::new(1 << Y, Y + runs),
            };
            rows[0] = ids(across, None, None)[0];
        }
        Ids::Runs(next) | Ids::Eights(next) => rows[..3].copy_from_slice(&match next {
            NextRun::Any => ids(None, None, None),
            NextRun::Line | NextRun::Lines => ids(Across::new(run, wave), Across::SAME, Across::SAME),
            NextRun::Row => ids(Across::new(0, 32), Across::new(1, runs), Across::SAME),
        }),
    }
    rows
}

/// The fact that a table of constants is, if it is one.
fn of_table(table: &[u32], run: u32) -> Option<Stride> {
    let mut fact: Option<Stride> = None;
    for lanes in table.chunks(run as usize) {
        let stride = lanes[1].wrapping_sub(lanes[0]);
        if !lanes.windows(2).all(|w| w[1].wrapping_sub(w[0]) == stride) {
            return None;
        }
        let this = Stride::new(stride, lanes[0].trailing_zeros());
        fact = Some(fact.map_or(Some(this), |f| f.meet(this))?);
    }
    let apart = table[run as usize].wrapping_sub(table[0]);
    let bases = || table.iter().step_by(run as usize);
    let is_even = bases().zip(bases().skip(1)).all(|(x, y)| y.wrapping_sub(*x) == apart);
    let across = if is_even { Across::new(apart, table[0].trailing_zeros()) } else { None };
    fact.map(|f| f.across(across))
}

#[cfg(test)]
mod tests;
