//! Which hidden arguments a kernel uses that are made only for those that do, or not at all: a buffer for printf, one for calls to the host, a heap,
//! queues.
//!
//! Metadata lists what a kernel may use, not what it does: without optimization, or beside a call that the compiler cannot see through, it lists
//! everything; and it leaves out printf's buffer where the library's own printf was linked. So the code is read: from the entry, along branches and
//! calls whose targets are known, with what is known of registers. What matters is few things:
//!
//! ```text
//! s_add_u32 s8, s2, 8            the kernarg address and constants are followed through scalar moves and sums,
//! s_addc_u32 s9, s3, 0           v_mov, v_writelane and v_readlane, and spills to scratch
//! s_swappc_b64 s[30:31], s[4:5]  calls lead to their target, and behind themselves with the callee's registers forgotten
//! s_load_b64 s[0:1], s[8:9], 72  a load of a hidden argument gives a value that is known to be it,
//! s_load_b32 s2, s[0:1], 4       and this uses it. Moves and compares do not: a kernel may ask whether it has the argument.
//! ```
//!
//! Whatever is not understood makes registers unknown, and unknown values are not uses: a kernel is never refused for what cannot be seen. It then
//! faults at an address near 0 when it gets there, and the report of the fault names the arguments.
//!
//! Reference: LLVM AMDGPUUsage, "Implicit arguments" and "Non-Kernel Functions".

use crate::code_object::{ArgKind, HiddenArg, KernelArg, KernelInfo, property};
use foldhash::fast::RandomState;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use wavejit_isa::scalars::{Pair, REGISTERS, Scalar, ScalarSpace, VCC_LO};
use wavejit_isa::{Access, Enc, Feature, Flags, Follow, Gfx, Implicit, Inst, Opd, Operand, Part, Ty, decode};

/// Most instructions that are looked at, and values copied; after that the kernel is taken at its word.
const MAX_STEPS: usize = 50_000;

/// First scalar register that a called function must give back as it was.
const FIRST_KEPT_SGPR: usize = 30;
/// The same of vector registers, a part of which are kept.
const FIRST_KEPT_VGPR: u16 = 40;

/// A hidden argument that not every launch provides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MissingArg {
    /// Which it is.
    pub(crate) which: HiddenArg,
    /// Its `.value_kind`.
    pub name: &'static str,
    /// Source constructs that need it.
    pub purpose: &'static str,
    /// Its offset in the argument segment.
    pub offset: u32,
}

/// Which, name, what for, offset in the implicit arguments of version 4, and from version 5 on.
type HiddenEntry = (HiddenArg, &'static str, &'static str, Option<u32>, u32);
#[rustfmt::skip]
const HIDDEN: [HiddenEntry; 6] = [
    (HiddenArg::PrintfBuffer,     "hidden_printf_buffer",      "printf",               Some(24), 72),
    (HiddenArg::HostcallBuffer,   "hidden_hostcall_buffer",    "printf or assert",     Some(24), 80),
    (HiddenArg::MultigridSync,    "hidden_multigrid_sync_arg", "a cooperative launch", Some(48), 88),
    (HiddenArg::Heap,             "hidden_heap_v1",            "malloc or free",       None,     96),
    (HiddenArg::DefaultQueue,     "hidden_default_queue",      "enqueue_kernel",       Some(32), 104),
    (HiddenArg::CompletionAction, "hidden_completion_action",  "enqueue_kernel",       Some(40), 112),
];

/// What a kernel has to do with hidden arguments that not every launch provides.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct HiddenUse {
    /// Its code uses them.
    pub used: Vec<MissingArg>,
    /// Its metadata lists them, so a part of the code that was not understood may use them.
    pub listed: Vec<MissingArg>,
}

impl HiddenUse {
    /// Reads the metadata and the code of a kernel; `version` is the code object's, `entry` and the addresses of `read` are the guest's.
    pub(crate) fn of(info: &KernelInfo, version: u8, entry: u64, read: &dyn Fn(u64) -> Option<u32>) -> HiddenUse {
        let candidates = candidates(info, version);
        let used = used(info, entry, &candidates, read);
        let is_listed = |m: &&MissingArg| info.args.iter().any(|a| a.kind.is_hidden() && a.offset == m.offset);
        // The buffer of a linked printf is never listed; where the compiler knew nothing, all others are.
        let knew_nothing = candidates.iter().filter(is_listed).count() + 1 == HIDDEN.len();
        HiddenUse { listed: candidates.iter().filter(|m| knew_nothing || is_listed(m)).copied().collect(), used }
    }
}

/// `hidden_heap_v1 (for malloc or free), ...`
pub(crate) fn names<'a>(list: impl Iterator<Item = &'a MissingArg>) -> String {
    list.map(|m| format!("{} (for {})", m.name, m.purpose)).collect::<Vec<_>>().join(", ")
}

/// The hidden arguments that a kernel of this version may have and that not every launch provides.
fn candidates(info: &KernelInfo, version: u8) -> Vec<MissingArg> {
    let hidden = |a: &KernelArg| match a.kind {
        ArgKind::Hidden(which) => Some((which, a.offset)),
        _ => None,
    };
    // The first of each version, which is always listed, is where they begin.
    let first = if version >= 5 { HiddenArg::BlockCount(0) } else { HiddenArg::GlobalOffset(0) };
    let Some(base) = info.args.iter().filter_map(hidden).find(|h| h.0 == first).map(|h| h.1) else { return Vec::new() };
    let is_listed = |which| info.args.iter().filter_map(hidden).any(|h| h.0 == which);
    let place = |&(which, name, purpose, v4, v5): &HiddenEntry| {
        // In version 4 the two kinds of printf share a place.
        if version < 5 && which == HiddenArg::PrintfBuffer && !is_listed(which) {
            return None;
        }
        let offset = base + if version >= 5 { v5 } else { v4? };
        (offset + 8 <= info.kernarg_bytes).then_some(MissingArg { which, name, purpose, offset })
    };
    let mut found: Vec<MissingArg> = HIDDEN.iter().filter_map(place).collect();
    found.dedup_by_key(|m| m.offset);
    found
}

/// Those of `candidates` that the code uses. Addresses are those that `read` takes.
fn used(info: &KernelInfo, entry: u64, candidates: &[MissingArg], read: &dyn Fn(u64) -> Option<u32>) -> Vec<MissingArg> {
    let Some(kernarg) = kernarg_register(info) else { return Vec::new() };
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut walk = Walk { target: info.target, wave_size: info.wave_size, candidates, read, used: vec![false; candidates.len()] };
    let mut state = State::unknown(info.target);
    state.sgprs[kernarg] = Some(Known::Low(0));
    state.sgprs[kernarg + 1] = Some(Known::High);
    walk.run(entry, state);
    candidates.iter().zip(walk.used).filter(|c| c.1).map(|c| *c.0).collect()
}

/// The first of the two SGPRs with the kernarg address.
fn kernarg_register(info: &KernelInfo) -> Option<usize> {
    let kd = &info.descriptor;
    let before = [(property::PRIVATE_SEGMENT_BUFFER, 4), (property::DISPATCH_PTR, 2), (property::QUEUE_PTR, 2)];
    kd.has(property::KERNARG_SEGMENT_PTR).then(|| before.iter().filter(|p| kd.has(p.0)).map(|p| p.1).sum())
}

/// What a register holds in all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Const(u32),
    /// The low half of the kernarg address plus this.
    Low(u32),
    /// Its high half: segments do not cross 4 GiB.
    High,
    /// The low or high half of a candidate.
    Candidate(usize),
}

/// What a vector register holds: the same in all lanes, or a value per lane written by v_writelane.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Lanes {
    all: Option<Known>,
    single: BTreeMap<u32, Known>,
}

impl Lanes {
    fn uniform(value: Known) -> Lanes {
        Lanes { all: Some(value), single: BTreeMap::new() }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    space: &'static ScalarSpace,
    /// By code.
    sgprs: [Option<Known>; REGISTERS as usize],
    vgprs: BTreeMap<u16, Lanes>,
    /// Dwords by their offset.
    scratch: BTreeMap<u32, Lanes>,
    carry: Option<bool>,
}

impl State {
    /// Nothing is known.
    fn unknown(target: Gfx) -> Self {
        State {
            space: ScalarSpace::of(target),
            sgprs: [None; REGISTERS as usize],
            vgprs: BTreeMap::new(),
            scratch: BTreeMap::new(),
            carry: None,
        }
    }

    /// The scalar register `dword` behind `code`, if it keeps what is written there and nothing else writes it.
    fn kept(&self, code: u8, dword: usize) -> Option<usize> {
        let code = usize::from(code) + dword;
        match self.space.register(code as u32)? {
            Scalar::Sgpr(_) | Scalar::M0 | Scalar::Pair(Pair::Vcc | Pair::FlatScratch | Pair::XnackMask, _) => Some(code),
            Scalar::Pair(Pair::Exec | Pair::Tba | Pair::Tma, _) | Scalar::Ttmp(_) | Scalar::Null => None,
        }
    }

    /// Keeps what both know. True if that is less than before.
    fn join(&mut self, other: &State) -> bool {
        let mut is_less = false;
        for (mine, theirs) in self.sgprs.iter_mut().zip(&other.sgprs) {
            if mine.is_some() && *mine != *theirs {
                (*mine, is_less) = (None, true);
            }
        }
        let maps = self.vgprs.len() + self.scratch.len();
        self.vgprs.retain(|n, lanes| other.vgprs.get(n) == Some(lanes));
        self.scratch.retain(|at, lanes| other.scratch.get(at) == Some(lanes));
        if self.carry.is_some() && self.carry != other.carry {
            (self.carry, is_less) = (None, true);
        }
        is_less || self.vgprs.len() + self.scratch.len() != maps
    }

    /// Values in maps, which take their time to copy.
    fn entries(&self) -> usize {
        self.scratch.len() + self.vgprs.values().map(|l| 1 + l.single.len()).sum::<usize>()
    }

    /// What a function that returns leaves: registers that it must keep.
    fn after_call(&self) -> State {
        let mut state = self.clone();
        state.sgprs[..FIRST_KEPT_SGPR].fill(None);
        state.sgprs[VCC_LO.into()..].fill(None);
        state.vgprs.retain(|n, _| *n >= FIRST_KEPT_VGPR);
        state.carry = None;
        state
    }

    /// One dword of a scalar source.
    fn scalar(&self, op: &Operand, dword: usize) -> Option<Known> {
        match *op {
            Operand::Sgpr { n, .. } if Some(u32::from(n)) == self.space.null => Some(Known::Const(0)),
            Operand::Sgpr { n, .. } => self.sgprs[self.kept(n, dword)?],
            Operand::Int(v) => Some(Known::Const(if dword == 0 { v as u32 } else { (v >> 31) as u32 })),
            Operand::Literal(v) if dword == 0 => Some(Known::Const(v)),
            Operand::Literal(_) => Some(Known::Const(0)),
            _ => None,
        }
    }

    /// A source that is the same in all lanes.
    fn uniform(&self, op: &Operand, dword: usize) -> Option<Known> {
        match *op {
            Operand::Vgpr { n, .. } => self.vgprs.get(&(n + dword as u16)).and_then(|l| l.all),
            _ => self.scalar(op, dword),
        }
    }

    fn set_scalar(&mut self, op: &Operand, dword: usize, value: Option<Known>) {
        if let Operand::Sgpr { n, .. } = *op
            && let Some(place) = self.kept(n, dword)
        {
            self.sgprs[place] = value;
        }
    }

    fn set_vgpr(&mut self, n: u16, value: Option<Lanes>) {
        match value {
            Some(lanes) => self.vgprs.insert(n, lanes),
            None => self.vgprs.remove(&n),
        };
    }

    /// Forgets what a destination held.
    fn forget(&mut self, op: &Operand) {
        match *op {
            Operand::Sgpr { count, .. } => (0..count.max(1)).for_each(|i| self.set_scalar(op, i.into(), None)),
            Operand::Vgpr { n, count, .. } => (0..count.max(1)).for_each(|i| self.set_vgpr(n + u16::from(i), None)),
            _ => {}
        }
    }

    /// A 64-bit constant in two scalar registers.
    fn constant_64(&self, op: &Operand) -> Option<u64> {
        match (self.scalar(op, 0)?, self.scalar(op, 1)?) {
            (Known::Const(low), Known::Const(high)) => Some(u64::from(low) | u64::from(high) << 32),
            _ => None,
        }
    }
}

/// Sum of two values, and the carry of two constants.
fn sum(a: Option<Known>, b: Option<Known>, carry_in: Option<bool>) -> (Option<Known>, Option<bool>) {
    match (a, b, carry_in) {
        (Some(Known::Const(a)), Some(Known::Const(b)), Some(c)) => {
            let wide = u64::from(a) + u64::from(b) + u64::from(c);
            (Some(Known::Const(wide as u32)), Some(wide >> 32 != 0))
        }
        (Some(Known::Low(a)), Some(Known::Const(b)), Some(c)) | (Some(Known::Const(b)), Some(Known::Low(a)), Some(c)) => {
            // A negative constant carries out of the low half; nothing else does.
            (Some(Known::Low(a.wrapping_add(b).wrapping_add(u32::from(c)))), Some(b >> 31 != 0))
        }
        (Some(Known::High), Some(Known::Const(n)), Some(c)) | (Some(Known::Const(n)), Some(Known::High), Some(c))
            if n.wrapping_add(u32::from(c)) == 0 =>
        {
            (Some(Known::High), None)
        }
        _ => (None, None),
    }
}

/// How control goes on after an instruction.
enum Next {
    Through,
    /// Here, and behind the instruction.
    Either(u64),
    Only(u64),
    /// To a function, if known, and behind.
    Call(Option<u64>),
    Nowhere,
}

struct Walk<'a> {
    target: Gfx,
    wave_size: u32,
    candidates: &'a [MissingArg],
    read: &'a dyn Fn(u64) -> Option<u32>,
    used: Vec<bool>,
}

/// Where the walk has come to by jumps.
#[derive(Default)]
struct Places {
    /// What is known there, whichever way one comes.
    known: HashMap<u64, State, RandomState>,
    /// Those to walk on from: the lowest first, so that most ways have met before it goes on from where they do.
    work: BTreeSet<u64>,
}

impl Places {
    /// Control may reach `to` in this state.
    fn reach(&mut self, to: u64, state: State) {
        let is_news = match self.known.entry(to) {
            Entry::Occupied(mut known) => known.get_mut().join(&state),
            Entry::Vacant(new) => {
                new.insert(state);
                true
            }
        };
        if is_news {
            self.work.insert(to);
        }
    }

    /// Where to walk on from.
    fn next(&mut self) -> Option<(u64, State)> {
        let start = self.work.pop_first()?;
        Some((start, self.known[&start].clone()))
    }
}

impl Walk<'_> {
    fn run(&mut self, entry: u64, state: State) {
        let mut places = Places::default();
        places.reach(entry, state);
        // The same instructions are looked at for several ways to them.
        let mut decoded: HashMap<u64, Option<Inst>, RandomState> = HashMap::default();
        let mut steps = 0;
        while let Some((start, mut state)) = places.next() {
            steps += state.entries() / 16;
            let mut pc = start;
            loop {
                steps += 1;
                if steps > MAX_STEPS {
                    return;
                }
                let Some(inst) = decoded.entry(pc).or_insert_with(|| self.instruction(pc)) else { break };
                let behind = pc.wrapping_add(inst.bytes().into());
                match self.step(&mut state, inst, behind) {
                    Next::Through => {}
                    Next::Either(to) => places.reach(to, state.clone()),
                    Next::Only(to) => {
                        places.reach(to, state);
                        break;
                    }
                    Next::Call(to) => {
                        places.reach(behind, state.after_call());
                        if let Some(to) = to {
                            places.reach(to, state);
                        }
                        break;
                    }
                    Next::Nowhere => break,
                }
                // A known place: the other way here may know less.
                if places.known.contains_key(&behind) {
                    places.reach(behind, state);
                    break;
                }
                pc = behind;
            }
        }
    }

    fn instruction(&self, pc: u64) -> Option<Inst> {
        let mut words = [0; 5];
        let mut count = 0;
        while count < words.len()
            && let Some(word) = (self.read)(pc.wrapping_add(4 * count as u64))
        {
            words[count] = word;
            count += 1;
        }
        decode(&words[..count], self.target, self.wave_size).ok()
    }

    /// Notes the use of a value.
    fn use_of(&mut self, value: Option<Known>) {
        if let Some(Known::Candidate(i)) = value {
            self.used[i] = true;
        }
    }

    fn step(&mut self, state: &mut State, inst: &Inst, behind: u64) -> Next {
        let Some(follow) = inst.row.follow else {
            self.other(state, inst);
            return Next::Through;
        };
        let branch = |op: &Operand| match op {
            Operand::Imm(offset) => Some(behind.wrapping_add_signed(i64::from(*offset as u16 as i16) * 4)),
            _ => None,
        };
        match (follow, inst.ops()) {
            (Follow::End, _) => return Next::Nowhere,
            (Follow::Goto, [to]) => return branch(to).map_or(Next::Nowhere, Next::Only),
            (Follow::Either, [to]) => return branch(to).map_or(Next::Nowhere, Next::Either),
            (Follow::SetPc, [to]) => return state.constant_64(to).map_or(Next::Nowhere, Next::Only),
            (Follow::SwapPc, [link, to]) => {
                let to = state.constant_64(to);
                state.forget(link);
                return Next::Call(to);
            }
            (Follow::Call, [link, to]) => {
                let to = branch(to);
                state.forget(link);
                return Next::Call(to);
            }
            (Follow::GetPc, [d]) => {
                state.set_scalar(d, 0, Some(Known::Const(behind as u32)));
                state.set_scalar(d, 1, Some(Known::Const((behind >> 32) as u32)));
            }
            (Follow::Move, [d @ Operand::Sgpr { .. }, s]) => state.set_scalar(d, 0, state.scalar(s, 0)),
            (Follow::Move64, [d, s]) => {
                let pair = [0, 1].map(|i| state.scalar(s, i));
                pair.into_iter().enumerate().for_each(|(i, v)| state.set_scalar(d, i, v));
            }
            (Follow::Add | Follow::AddSigned | Follow::AddCarry, [d, a, b]) => {
                let carry_in = if follow == Follow::AddCarry { state.carry } else { Some(false) };
                let (a, b) = (state.scalar(a, 0), state.scalar(b, 0));
                self.use_of(a);
                self.use_of(b);
                let (value, carry) = sum(a, b, carry_in);
                state.set_scalar(d, 0, value);
                // The other sum of signed numbers says something else in SCC.
                state.carry = carry.filter(|_| follow != Follow::AddSigned);
            }
            (Follow::Add64, [d, a, b]) => {
                let (low, carry) = sum(state.scalar(a, 0), state.scalar(b, 0), Some(false));
                let (high, _) = sum(state.scalar(a, 1), state.scalar(b, 1), carry);
                self.use_of(state.scalar(a, 0));
                self.use_of(state.scalar(b, 0));
                state.set_scalar(d, 0, low);
                state.set_scalar(d, 1, high);
            }
            (Follow::Move, [Operand::Vgpr { n, .. }, s, rest @ ..]) => {
                // Both halves of a dual instruction read before either writes.
                let value = state.uniform(s, 0).map(Lanes::uniform);
                match (inst.row_y.map(|r| r.follow), rest) {
                    (Some(Some(Follow::Move)), [Operand::Vgpr { n, .. }, s]) => {
                        let value = state.uniform(s, 0).map(Lanes::uniform);
                        state.set_vgpr(*n, value);
                    }
                    (Some(_), [d, ..]) => state.forget(d),
                    _ => {}
                }
                state.set_vgpr(*n, value);
            }
            (Follow::FirstLane, [d, s]) => state.set_scalar(d, 0, state.uniform(s, 0)),
            (Follow::WriteLane, [Operand::Vgpr { n, .. }, s, lane]) => {
                let value = state.scalar(s, 0);
                let lanes = state.vgprs.entry(*n).or_default();
                lanes.all = None;
                match (lane, value) {
                    (Operand::Int(lane), Some(value)) => drop(lanes.single.insert(*lane as u32, value)),
                    (Operand::Int(lane), None) => drop(lanes.single.remove(&(*lane as u32))),
                    _ => lanes.single.clear(),
                }
            }
            (Follow::ReadLane, [d, Operand::Vgpr { n, .. }, lane]) => {
                let lanes = state.vgprs.get(n);
                let value = match lane {
                    Operand::Int(lane) => lanes.and_then(|l| l.single.get(&(*lane as u32)).copied().or(l.all)),
                    _ => lanes.and_then(|l| l.all),
                };
                state.set_scalar(d, 0, value);
            }
            _ => self.other(state, inst),
        }
        Next::Through
    }

    /// Instructions that matter by what they load or store, and all others.
    fn other(&mut self, state: &mut State, inst: &Inst) {
        let row = inst.row;
        // Asking whether there is an argument is not a use of it.
        if row.enc() == Enc::SOPC || row.is_compare() {
            return overwrite(state, inst);
        }
        match (inst.enc, inst.ops()) {
            (Enc::SMEM, [d, base, offset])
                if loads_dwords(inst) && row.ops.contains(&Opd::SBASE(Ty::B64)) && !row.reads.contains(Implicit::FLAT_SCR) =>
            {
                self.use_of(state.scalar(base, 0));
                let offset = match offset {
                    Operand::Imm(n) | Operand::Literal(n) if self.target.has(Feature::SmemCountsDwords) => {
                        Some(Known::Const(n.wrapping_mul(4)))
                    }
                    Operand::Imm(n) => Some(Known::Const(*n)),
                    register => state.scalar(register, 0),
                };
                let immediate = if inst.mods.has_offset { inst.mods.offset as u32 } else { 0 };
                let (start, _) = sum(state.scalar(base, 0), offset, Some(false));
                let (start, _) = sum(start, Some(Known::Const(immediate)), Some(false));
                let start = start.filter(|_| state.scalar(base, 1) == Some(Known::High));
                let Operand::Sgpr { count, .. } = *d else { return };
                for i in 0..count {
                    state.set_scalar(d, i.into(), self.loaded(start, i));
                }
            }
            (Enc::GLOBAL | Enc::FLAT, [d, address, rest @ ..]) if loads_dwords(inst) => {
                let start = match rest.first().filter(|s| matches!(s, Operand::Sgpr { .. })) {
                    Some(base) => {
                        self.use_of(state.scalar(base, 0));
                        sum(state.scalar(base, 0), state.uniform(address, 0), Some(false)).0
                    }
                    None => {
                        self.use_of(state.uniform(address, 0));
                        state.uniform(address, 0)
                    }
                };
                let (start, _) = sum(start, Some(Known::Const(inst.mods.offset as u32)), Some(false));
                let Operand::Vgpr { n, count, .. } = *d else { return };
                for i in 0..count {
                    state.set_vgpr(n + u16::from(i), self.loaded(start, i).map(Lanes::uniform));
                }
            }
            (Enc::SCRATCH, [first, second, third]) => spill(state, inst, [first, second, third]),
            (enc, ops) => {
                // Everything else that reads it uses it. These have no destination in front when they store.
                let first_source = usize::from(!matches!(enc, Enc::GLOBAL | Enc::FLAT | Enc::DS));
                for op in &ops[first_source.min(ops.len())..] {
                    self.use_of(state.uniform(op, 0));
                }
                overwrite(state, inst);
            }
        }
    }

    /// What the dword behind a load's first `dword` is, if it loads from the argument segment.
    fn loaded(&self, start: Option<Known>, dword: u8) -> Option<Known> {
        let Some(Known::Low(at)) = start else { return None };
        let offset = at.wrapping_add(4 * u32::from(dword));
        self.candidates.iter().position(|c| (c.offset..c.offset + 8).contains(&offset)).map(Known::Candidate)
    }
}

/// Does it load whole dwords?
fn loads_dwords(inst: &Inst) -> bool {
    matches!(inst.row.access, Some(Access::Load(kind, Part::Whole)) if kind.bytes() >= 4)
}

/// Spills: scratch loads and stores at known offsets.
fn spill(state: &mut State, inst: &Inst, ops: [&Operand; 3]) {
    let is_load = matches!(inst.row.access, Some(Access::Load(..)));
    let (data, address, base) = if is_load { (ops[0], ops[1], ops[2]) } else { (ops[1], ops[0], ops[2]) };
    let part = |op: &Operand| match op {
        Operand::Off => Some(0),
        op => match state.uniform(op, 0) {
            Some(Known::Const(v)) => Some(v),
            _ => None,
        },
    };
    let is_whole = match inst.row.access {
        Some(Access::Load(kind, part) | Access::Store(kind, part)) => kind.bytes() >= 4 && part == Part::Whole,
        _ => false,
    };
    let at = part(address).zip(part(base)).map(|(a, b)| a.wrapping_add(b).wrapping_add(inst.mods.offset as u32)).filter(|_| is_whole);
    let Operand::Vgpr { n, count, .. } = *data else { return overwrite(state, inst) };
    for i in 0..count {
        let n = n + u16::from(i);
        let at = at.map(|at| at.wrapping_add(4 * u32::from(i)));
        match (is_load, at) {
            (true, at) => {
                let value = at.and_then(|at| state.scratch.get(&at).cloned());
                state.set_vgpr(n, value);
            }
            // Anywhere.
            (false, None) => state.scratch.clear(),
            (false, Some(at)) => match state.vgprs.get(&n).cloned() {
                Some(lanes) => drop(state.scratch.insert(at, lanes)),
                None => drop(state.scratch.remove(&at)),
            },
        }
    }
}

/// Forgets the destinations of an instruction, and more where it is not clear what they are.
fn overwrite(state: &mut State, inst: &Inst) {
    let ops = inst.ops();
    if inst.row.follow == Some(Follow::AnyScalar) {
        state.sgprs = [None; REGISTERS as usize];
    }
    state.carry = None;
    ops.first().into_iter().for_each(|op| state.forget(op));
    if let Some(op) = ops.get(usize::from(inst.y_start)).filter(|_| inst.row_y.is_some()) {
        state.forget(op);
    }
    // The second operand is a destination where it is a lane mask or a register to swap with.
    if inst.row.flags.contains(Flags::WRITES_SOURCE) || matches!(inst.row.ops.get(1), Some(Opd::MD)) {
        ops.get(1).into_iter().for_each(|op| state.forget(op));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_object::CodeObject;

    const V5: &[u8] = include_bytes!("../../tests/data/hidden-v5.hsaco");
    const O0: &[u8] = include_bytes!("../../tests/data/hidden-O0.hsaco");
    const PRINTS: &[u8] = include_bytes!("../../tests/data/prints.hsaco");

    fn of(file: &[u8], kernel: &str) -> HiddenUse {
        let object = CodeObject::load(file).unwrap();
        let image = object.image(0).unwrap();
        let info = object.kernel(kernel).unwrap();
        HiddenUse::of(info, object.version(), info.code_address, &|at| image.dword(at))
    }

    fn used(file: &[u8], kernel: &str) -> Vec<&'static str> {
        of(file, kernel).used.iter().map(|m| m.name).collect()
    }

    #[test]
    fn what_the_code_follows_is_used() {
        assert_eq!(used(V5, "hostcall"), ["hidden_hostcall_buffer"]);
        assert_eq!(used(V5, "multigrid"), ["hidden_multigrid_sync_arg"]);
        assert_eq!(used(V5, "queue"), ["hidden_default_queue"]);
        assert_eq!(used(V5, "completion"), ["hidden_completion_action"]);
        assert_eq!(used(V5, "heap"), ["hidden_heap_v1"], "behind a loop, a branch and a call");
    }

    #[test]
    fn asking_for_an_argument_or_listing_it_is_no_use() {
        for kernel in ["asks", "sizes", "unknown"] {
            assert_eq!((used(V5, kernel), used(O0, kernel)), (vec![], vec![]), "{kernel}");
        }
        assert_eq!(of(V5, "sizes").listed, []);
        assert_eq!(of(V5, "unknown").listed.len(), HIDDEN.len(), "the compiler cannot see what it calls");
        assert_eq!(names(of(V5, "heap").listed.iter()), "hidden_heap_v1 (for malloc or free)");
    }

    // The metadata of `prints` lists no printf buffer; `quiet` is of the same module.
    #[test]
    fn a_linked_printf_is_seen_in_the_code() {
        assert_eq!(used(PRINTS, "prints"), ["hidden_printf_buffer"]);
        assert_eq!(used(PRINTS, "quiet"), [""; 0]);
    }

    // LLVM AMDGPUUsage, "Implicit arguments": 56 bytes of version 4, of which one place is for either kind of printf.
    #[test]
    fn places_of_version_4() {
        let object = CodeObject::load(include_bytes!("../../../shaders/bin/grid3d.gfx1100.wave32.v4.hsaco")).unwrap();
        let info = object.kernel("grid3d").unwrap();
        let first = ArgKind::Hidden(HiddenArg::GlobalOffset(0));
        let base = info.args.iter().find(|a| a.kind == first).unwrap().offset;
        let places: Vec<(&str, u32)> = candidates(info, 4).iter().map(|m| (m.name, m.offset - base)).collect();
        let expected = [
            ("hidden_hostcall_buffer", 24),
            ("hidden_multigrid_sync_arg", 48),
            ("hidden_default_queue", 32),
            ("hidden_completion_action", 40),
        ];
        let end = info.kernarg_bytes - base;
        assert_eq!(places, expected.into_iter().filter(|p| p.1 + 8 <= end).collect::<Vec<_>>());
    }

    // Random code and branches to everywhere: reading it ends.
    #[test]
    fn reading_hostile_code_ends() {
        let object = CodeObject::load(V5).unwrap();
        let info = object.kernel("heap").unwrap();
        let mut random = wavejit_random::Random(1);
        for round in 0..20 {
            let mut words = random.many(2000, |r| r.u32());
            if round % 2 == 0 {
                // s_cbranch_scc0, near and far.
                words.iter_mut().step_by(2).for_each(|w| *w = 0xbfa1_0000 | (*w & 0x83ff));
            }
            HiddenUse::of(info, 5, 0, &|at| words.get(at as usize / 4).copied());
        }
    }
}
