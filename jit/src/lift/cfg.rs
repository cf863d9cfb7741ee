//! From an entry address to the blocks of a function: discovery of the reachable code, up to [`Limits`].
//!
//! A block is a run of instructions with one entry, in one float mode: its identity is (pc, mode). Discovery walks the code with the
//! scalars known at each point, so that calls through s_getpc_b64 and s_swappc_b64 are followed; a callee's blocks join the same
//! function. A return through a register whose value is not known goes to any of the return addresses seen (or out to the run time).
//! Knowledge only ever becomes less, so the walk ends; what it first resolved and later could not is dropped as unreachable.
//!
//! Blocks are walked in the order of their addresses, from a little before the entry on and then round from address 0. When a limit is reached, no more
//! blocks are added; edges to others leave the function. A short loop that is cut this way runs on in the function that starts where it was
//! cut, which contains the way back. Of code that is longer than a function each one so has the part that follows the one before; a loop over all of
//! it comes back to where one begins, and [`Plan::ends`](super::Plan::ends) has the last one end there.
//!
//! Work is proportional to the limits, whatever the code: if the walk has to repeat itself too often, a plain one follows that knows no
//! scalars and visits every instruction once.

use super::code::Code;
use super::consts::Consts;
use super::control::{self, Control, Flow};
use super::rows::semantics;
use super::sem::Sem;
use super::source::{Limits, Plan, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use wavejit_ir::FpMode;
use wavejit_isa as isa;

/// Steps of discovery for each instruction that a function may have, before it makes do with the plain walk.
const STEPS: usize = 16;
/// One in so many of a function's instructions is there before it ends where another one begins: a short loop is not divided.
const APART: usize = 8;
/// Most return addresses that a return is compared with. More are left to the run time.
const MAX_RETURNS: usize = 32;
/// Steps between two looks at cancellation.
const STEPS_BETWEEN_LOOKS: usize = 256;

/// Identity of a block.
pub(super) type Key = (u64, FpMode);

/// A block as discovery sees it.
pub(super) struct Node {
    /// What is known at its start. It is large, and nodes move.
    pub consts: Box<Consts>,
    pub successors: Vec<Key>,
    /// Ends in a jump to an unknown address.
    is_return: bool,
    /// Ends before the instruction here, which starts another block; else with an instruction of its own.
    pub falls: Option<u64>,
}

impl Node {
    fn new(consts: &Consts) -> Node {
        Node { consts: Box::new(consts.clone()), successors: vec![], is_return: false, falls: None }
    }
}

/// What discovery found.
pub(super) struct Discovery<'a> {
    pub code: Code<'a>,
    pub nodes: BTreeMap<Key, Node>,
    /// Their keys.
    begins: FxHashSet<Key>,
    /// Block an instruction was last seen in.
    inside: FxHashMap<Key, Key>,
    /// Addresses behind calls.
    pub returns: BTreeSet<u64>,
    /// All of them, with the modes of the calls.
    pub calls: BTreeSet<Key>,
    /// Blocks to be walked, by their places: distances from `origin`.
    work: BTreeSet<Key>,
    origin: u64,
    limits: Limits,
    ends: &'a dyn Fn(u64, FpMode) -> bool,
    reaches: &'a dyn Fn(u64, FpMode) -> bool,
    steps: usize,
}

impl<'a> Discovery<'a> {
    /// Finds the blocks reachable from `entry`, as many as `limits` allow, which may be less than the plan's.
    pub(super) fn run(code: Code<'a>, entry: Key, plan: &Plan<'a>, limits: Limits, stop: &dyn Fn() -> bool) -> Result<Self, Stopped> {
        let mut found = Discovery {
            code,
            nodes: BTreeMap::new(),
            begins: FxHashSet::default(),
            inside: FxHashMap::default(),
            returns: BTreeSet::new(),
            calls: BTreeSet::new(),
            work: BTreeSet::new(),
            origin: entry.0.wrapping_sub(limits.insts.into()),
            limits,
            ends: plan.ends,
            reaches: plan.reaches,
            steps: 0,
        };
        found.reach(entry, &Consts::unknown());
        let most = STEPS * limits.insts as usize;
        let mut look = 0;
        while let Some(place) = found.work.pop_first() {
            found.walk(found.at(place));
            if found.steps >= look {
                look = found.steps + STEPS_BETWEEN_LOOKS;
                if stop() {
                    return Err(Stopped);
                }
            }
            if found.steps > most {
                // What was resolved so far may be wrong: nothing of it is kept.
                found.walk_plainly(entry);
                break;
            }
        }
        if found.returns.len() > MAX_RETURNS {
            found.returns.clear();
        }
        Ok(found)
    }

    /// Is there room for another instruction?
    fn has_room(&self) -> bool {
        self.inside.len() < self.limits.insts as usize
    }

    /// Does another function begin at `at`, where this one is long enough to end?
    fn ends_at(&self, at: Key) -> bool {
        self.inside.len() >= self.limits.insts as usize / APART && !self.inside.contains_key(&at) && (self.ends)(at.0, at.1)
    }

    /// Where a block is in the order of the walk.
    fn place(&self, (pc, mode): Key) -> Key {
        (pc.wrapping_sub(self.origin), mode)
    }

    /// The block at a place.
    fn at(&self, (place, mode): Key) -> Key {
        (place.wrapping_add(self.origin), mode)
    }

    /// Control may reach `to` with `consts`.
    fn reach(&mut self, to: Key, consts: &Consts) {
        if let Some(node) = self.nodes.get_mut(&to) {
            if node.consts.meet(consts) {
                self.work.insert(self.place(to));
            }
            return;
        }
        let middle_of = self.inside.get(&to).copied();
        let has_room = middle_of.is_some() || self.has_room() && !self.ends_at(to) && (self.nodes.is_empty() || (self.reaches)(to.0, to.1));
        if self.nodes.len() < self.limits.blocks as usize && has_room {
            // A jump into the middle of a block cuts it.
            self.work.extend(middle_of.map(|key| self.place(key)));
            self.work.insert(self.place(to));
            self.nodes.insert(to, Node::new(consts));
            self.begins.insert(to);
        }
    }

    /// Walks the block at `key` and reaches its successors.
    fn walk(&mut self, key: Key) {
        let (mut pc, mode) = key;
        let mut consts = (*self.nodes[&key].consts).clone();
        let (mut successors, mut is_return, mut falls) = (vec![], false, None);
        loop {
            self.steps += 1;
            let at = (pc, mode);
            let ends = || !self.has_room() && !self.inside.contains_key(&at) || self.ends_at(at);
            if pc != key.0 && (self.begins.contains(&at) || ends()) {
                successors.push(at);
                falls = Some(pc);
                break;
            }
            self.inside.insert(at, key);
            let Some(inst) = self.code.decode(pc) else { break };
            let next = pc.wrapping_add(inst.bytes().into());
            match semantics(inst) {
                None => break,
                Some(Sem::Control(_)) if isa::reserved(inst).is_some() => break,
                Some(Sem::Control(of)) => {
                    let control = of(inst);
                    let flow = control::flow(control, inst, pc, mode, &consts);
                    consts.step(inst, pc);
                    if is_call(control) {
                        self.calls.insert((next, mode));
                        if self.returns.insert(next) {
                            let place = |(pc, mode): Key| (pc.wrapping_sub(self.origin), mode);
                            self.work.extend(self.nodes.iter().filter(|(_, n)| n.is_return).map(|(k, _)| place(*k)));
                        }
                    }
                    if flow != Flow::Next {
                        successors = leads_to(flow, next, mode);
                        is_return = matches!(flow, Flow::Indirect { is_return: true, .. });
                        if is_return && self.returns.len() <= MAX_RETURNS {
                            successors.extend(self.returns.iter().map(|pc| (*pc, mode)));
                        }
                        break;
                    }
                }
                Some(_) => consts.step(inst, pc),
            }
            pc = next;
        }
        for s in &successors {
            self.reach(*s, &consts);
        }
        let known = self.nodes.get_mut(&key).expect("a walked block is known");
        (known.successors, known.is_return, known.falls) = (successors, is_return, falls);
    }

    /// Finds blocks without knowing scalars: first where blocks begin, then where they end.
    fn walk_plainly(&mut self, entry: Key) {
        let unknown = Consts::unknown();
        self.nodes.clear();
        self.begins.clear();
        self.inside.clear();
        self.returns.clear();
        self.calls.clear();
        // Places.
        let mut begins: BTreeSet<Key> = BTreeSet::from([self.place(entry)]);
        let mut work = begins.clone();
        let mut seen: FxHashSet<Key> = FxHashSet::default();
        while let Some(place) = work.pop_first() {
            let (mut pc, mode) = self.at(place);
            while seen.len() < self.limits.insts as usize {
                let is_apart = seen.len() >= self.limits.insts as usize / APART && !seen.contains(&(pc, mode));
                if is_apart && (self.ends)(pc, mode) {
                    break;
                }
                if !seen.insert((pc, mode)) {
                    // Two ways meet here.
                    begins.insert(self.place((pc, mode)));
                    break;
                }
                let Some((next, flow)) = self.plain_step(pc, mode, &unknown) else { break };
                if flow != Flow::Next {
                    let reached = leads_to(flow, next, mode).into_iter().filter(|s| (self.reaches)(s.0, s.1));
                    work.extend(reached.map(|s| self.place(s)).filter(|s| begins.insert(*s)));
                    break;
                }
                pc = next;
            }
        }
        // Those that come first are blocks, as far as there is room.
        begins.retain(|place| seen.contains(&self.at(*place)));
        let others = begins.iter().map(|place| self.at(*place)).filter(|k| *k != entry).take(self.limits.blocks as usize - 1);
        let blocks: BTreeSet<Key> = others.chain([entry]).collect();
        for key in &blocks {
            let (mut pc, mode) = *key;
            let mut node = Node::new(&unknown);
            loop {
                if pc != key.0 && (begins.contains(&self.place((pc, mode))) || !seen.contains(&(pc, mode))) {
                    node.successors.push((pc, mode));
                    node.falls = Some(pc);
                    break;
                }
                let Some((next, flow)) = self.plain_step(pc, mode, &unknown) else { break };
                if flow != Flow::Next {
                    node.successors = leads_to(flow, next, mode);
                    break;
                }
                pc = next;
            }
            self.nodes.insert(*key, node);
        }
    }

    /// The next instruction's address, and where control goes; none if the instruction cannot run.
    fn plain_step(&mut self, pc: u64, mode: FpMode, unknown: &Consts) -> Option<(u64, Flow)> {
        let inst = *self.code.decode(pc)?;
        let next = pc.wrapping_add(inst.bytes().into());
        Some(match semantics(&inst)? {
            Sem::Control(of) => {
                let control = of(&inst);
                if is_call(control) {
                    self.calls.insert((next, mode));
                }
                (next, control::flow(control, &inst, pc, mode, unknown))
            }
            _ => (next, Flow::Next),
        })
    }

    /// Blocks reachable from `entry`, which comes first; the others by address.
    pub(super) fn reachable(&self, entry: Key) -> Vec<Key> {
        let mut seen = BTreeSet::new();
        let mut stack = vec![entry];
        while let Some(k) = stack.pop() {
            if let Some(node) = self.nodes.get(&k)
                && seen.insert(k)
            {
                stack.extend(&node.successors);
            }
        }
        std::iter::once(entry).chain(seen.into_iter().filter(|k| *k != entry)).collect()
    }
}

/// Does it leave behind it the address of what follows?
fn is_call(control: Control) -> bool {
    matches!(control, Control::SwapPc(..) | Control::Call(..))
}

/// Where control goes for sure or perhaps, but for returns.
fn leads_to(flow: Flow, next: u64, mode: FpMode) -> Vec<Key> {
    match flow {
        Flow::Branch { target, .. } => vec![(target, mode), (next, mode)],
        Flow::Goto(target) => vec![(target, mode)],
        Flow::Mode(m) => vec![(next, m)],
        Flow::Next | Flow::Pause(_) => vec![(next, mode)],
        Flow::Indirect { .. } | Flow::NewMode | Flow::End | Flow::Trap(_) => vec![],
    }
}
