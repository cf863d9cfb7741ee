//! From an entry address to blocks: discovery of all reachable code, then lifting block by block.
//!
//! A block is a run of instructions with one entry, in one float mode: its identity is (pc, mode). Discovery walks the code with the
//! scalar constants known at each point, so that calls through s_getpc_b64 and s_swappc_b64 are followed; a callee's blocks join the same
//! function. A return through a register whose value is not known goes to any of the return addresses seen (or out to the run time).
//! Constants only ever become unknown, so the walk ends; what it first resolved and later could not is dropped as unreachable. Work on
//! hostile code is bounded by [`LIMIT`].

use super::consts::Consts;
use super::control::{self, Control, Flow};
use super::cx::Cx;
use super::sem::Sem;
use super::{LiftSource, lift_inst, semantics};
use crate::ir::{Block, BlockId, Builder, Failure, FpMode, Func, Term, Value};
use crate::isa::{self, Inst};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Steps of discovery, and so a bound on instructions in a function.
pub const LIMIT: usize = 1 << 20;

/// Identity of a block.
type Key = (u64, FpMode);

/// A block as discovery sees it.
struct Node {
    consts: Consts,
    successors: Vec<Key>,
    /// Ends in a jump to an unknown address.
    is_return: bool,
}

/// Decoded code, by address.
struct Code<'a> {
    src: &'a LiftSource<'a>,
    insts: HashMap<u64, Option<Inst>>,
}

impl Code<'_> {
    /// The instruction at `pc`; none if there is no such instruction.
    fn at(&mut self, pc: u64) -> Option<&Inst> {
        let src = self.src;
        self.insts
            .entry(pc)
            .or_insert_with(|| {
                let words: Vec<u32> = dwords(src, pc);
                // The word 0 has a name, but is an instruction only in listings.
                isa::decode_lenient(&words, src.target, src.wave_size).ok().filter(|i| i.row.name != "v_illegal")
            })
            .as_ref()
    }
}

/// Up to five dwords of code at `pc`.
fn dwords(src: &LiftSource, pc: u64) -> Vec<u32> {
    (0..5).map_while(|i| (src.read)(pc.wrapping_add(4 * i))).collect()
}

struct Discovery<'a> {
    code: Code<'a>,
    nodes: BTreeMap<Key, Node>,
    /// Block an instruction was last seen in.
    inside: HashMap<Key, Key>,
    returns: BTreeSet<u64>,
    work: BTreeSet<Key>,
    steps: usize,
}

impl Discovery<'_> {
    /// Control may reach `to` with `consts`.
    fn reach(&mut self, to: Key, consts: &Consts) {
        match self.nodes.get_mut(&to) {
            Some(node) => {
                if node.consts.meet(consts) {
                    self.work.insert(to);
                }
            }
            None => {
                self.nodes.insert(to, Node { consts: consts.clone(), successors: vec![], is_return: false });
                self.work.insert(to);
                // A jump into the middle of a block cuts it.
                if let Some(cut) = self.inside.get(&to) {
                    self.work.insert(*cut);
                }
            }
        }
    }

    /// Walks the block at `key` and reaches its successors.
    fn walk(&mut self, key: Key) {
        let (mut pc, mode) = key;
        let mut consts = self.nodes[&key].consts.clone();
        let mut successors = vec![];
        let mut is_return = false;
        loop {
            self.steps += 1;
            if self.steps > LIMIT {
                break;
            }
            if pc != key.0 && self.nodes.contains_key(&(pc, mode)) {
                successors.push((pc, mode));
                break;
            }
            self.inside.insert((pc, mode), key);
            let Some(inst) = self.code.at(pc).copied() else { break };
            let next = pc.wrapping_add(inst.bytes().into());
            if let Some(Sem::Control(c)) = semantics(&inst) {
                let flow = control::flow(*c, &inst, pc, mode, &consts);
                consts.step(&inst, pc);
                if matches!(c, Control::SwapPc | Control::Call) && self.returns.insert(next) {
                    self.work.extend(self.nodes.iter().filter(|(_, n)| n.is_return).map(|(k, _)| *k));
                }
                match flow {
                    Flow::Next => {
                        pc = next;
                        continue;
                    }
                    Flow::Branch { target, .. } => successors.extend([(target, mode), (next, mode)]),
                    Flow::Goto(target) => successors.push((target, mode)),
                    Flow::Indirect { is_return: r, .. } => {
                        is_return = r;
                        if r {
                            successors.extend(self.returns.iter().map(|pc| (*pc, mode)));
                        }
                    }
                    Flow::Mode(m) => successors.push((next, m)),
                    Flow::Pause(_) => successors.push((next, mode)),
                    Flow::NewMode | Flow::End | Flow::Trap(_) => {}
                }
                break;
            }
            if semantics(&inst).is_none() {
                break;
            }
            consts.step(&inst, pc);
            pc = next;
        }
        for s in &successors {
            self.reach(*s, &consts);
        }
        let node = self.nodes.get_mut(&key).expect("a walked block is known");
        node.successors = successors;
        node.is_return = is_return;
    }

    fn run(&mut self, entry: Key) {
        self.reach(entry, &Consts::unknown());
        while let Some(key) = self.work.pop_first() {
            self.walk(key);
            if self.steps > LIMIT {
                // What was resolved so far may be wrong: trust nothing.
                self.nodes.values_mut().for_each(|n| n.consts = Consts::unknown());
                return;
            }
        }
    }

    /// Blocks reachable from `entry`, which comes first; the others by address.
    fn reachable(&self, entry: Key) -> Vec<Key> {
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

/// The function at `src.entry`.
pub fn lift(src: &LiftSource) -> Func {
    let entry = (src.entry & !3, src.mode);
    let code = Code { src, insts: HashMap::new() };
    let mut found =
        Discovery { code, nodes: BTreeMap::new(), inside: HashMap::new(), returns: BTreeSet::new(), work: BTreeSet::new(), steps: 0 };
    found.run(entry);
    let order = found.reachable(entry);
    let ids: HashMap<Key, BlockId> = order.iter().enumerate().map(|(i, k)| (*k, BlockId(i as u32))).collect();
    let mut func = Func { name: src.name.to_string(), wave_size: src.wave_size, ..Func::default() };
    let mut lifter = Lifter { src, found, ids, func: &mut func, too_large: None, count: order.len() as u32 };
    let mut blocks: Vec<Block> = order.iter().map(|k| lifter.block(*k)).collect();
    if let Some(failure) = lifter.too_large {
        let pc = src.entry;
        blocks.push(Block { pc, mode: src.mode, insts: vec![], term: Term::Fail(failure), term_pc: pc, guest_insts: 0 });
    }
    func.blocks = blocks;
    func
}

struct Lifter<'a, 'f> {
    src: &'a LiftSource<'a>,
    found: Discovery<'a>,
    ids: HashMap<Key, BlockId>,
    func: &'f mut Func,
    /// The failure that stands for code beyond the limit.
    too_large: Option<u32>,
    count: u32,
}

/// How the body of a block ended.
enum End {
    /// The next instruction starts another block.
    Falls,
    Control(Flow, Option<Value>),
    Undecodable,
    Unsupported(&'static str),
}

impl Lifter<'_, '_> {
    fn block(&mut self, key: Key) -> Block {
        let (start, mode) = key;
        let mut consts = self.found.nodes[&key].consts.clone();
        let mut pc = start;
        let mut term_pc = start;
        let mut guest_insts = 0;
        let (src, ids, nodes) = (self.src, &self.ids, &self.found.nodes);
        let insts = &self.found.code.insts;
        let Some(first) = insts.get(&pc).and_then(Option::as_ref) else {
            let term = Term::Fail(undecodable(self.func, src, pc));
            return Block { pc, mode, insts: vec![], term, term_pc: pc, guest_insts: 0 };
        };
        let mut cx = Cx::new(Builder::new(self.func, pc, mode), first, src);
        let end = loop {
            if pc != start && nodes.contains_key(&(pc, mode)) {
                break End::Falls;
            }
            term_pc = pc;
            let Some(inst) = insts.get(&pc).and_then(Option::as_ref) else { break End::Undecodable };
            cx.b.pc = pc;
            cx.inst = inst;
            let mark = cx.b.insts.len();
            let mut flow = Flow::Next;
            let mut value = None;
            match semantics(inst) {
                Some(Sem::Control(c)) => {
                    flow = control::flow(*c, inst, pc, mode, &consts);
                    value = control::effects(&mut cx, *c, flow);
                }
                Some(sem) => lift_inst(&mut cx, sem),
                None => cx.unsupported("no semantics"),
            }
            if let Some(why) = cx.unsupported {
                cx.b.insts.truncate(mark);
                break End::Unsupported(why);
            }
            guest_insts += 1;
            consts.step(inst, pc);
            if flow != Flow::Next {
                break End::Control(flow, value);
            }
            pc = pc.wrapping_add(inst.bytes().into());
        };
        let next = pc.wrapping_add(insts.get(&pc).and_then(Option::as_ref).map_or(0, |i| i.bytes().into()));
        let returns: Vec<u64> = self.found.returns.iter().copied().collect();
        let body = std::mem::take(&mut cx.b.insts);
        drop(cx);
        let mut to = |to: Key| {
            ids.get(&to).copied().unwrap_or_else(|| {
                self.too_large.get_or_insert_with(|| {
                    let text = format!("code of more than {LIMIT} steps at {:#x}", src.entry);
                    fail(self.func, Failure { pc: to.0, undecodable: false, text })
                });
                BlockId(self.count)
            })
        };
        let term = match end {
            End::Falls => Term::Jump(to((pc, mode))),
            End::Undecodable => Term::Fail(undecodable(self.func, src, pc)),
            End::Unsupported(why) => {
                let inst = insts[&pc].as_ref().expect("it was decoded");
                let text = format!("{} ({why}; {})", super::text(inst, src, pc), hex(inst.dwords()));
                Term::Fail(fail(self.func, Failure { pc, undecodable: false, text }))
            }
            End::Control(flow, value) => match (flow, value) {
                (Flow::Branch { target, .. }, Some(cond)) => Term::Branch { cond, then: to((target, mode)), otherwise: to((next, mode)) },
                (Flow::Goto(target), _) => Term::Jump(to((target, mode))),
                (Flow::Indirect { is_return, .. }, Some(target)) => {
                    let known = if is_return { returns.iter().map(|pc| (*pc, to((*pc, mode)))).collect() } else { vec![] };
                    Term::Indirect { target, known }
                }
                (Flow::Mode(m), _) => Term::Jump(to((next, m))),
                (Flow::NewMode, Some(mode)) => Term::NewMode { pc: next, mode },
                (Flow::Pause(why), _) => Term::Pause { why, next: to((next, mode)) },
                (Flow::End, _) => Term::End,
                (Flow::Trap(id), _) => Term::Trap { id },
                (flow, _) => unreachable!("{flow:?} ends a block and has its value"),
            },
        };
        Block { pc: start, mode, insts: body, term, term_pc, guest_insts }
    }
}

fn fail(func: &mut Func, failure: Failure) -> u32 {
    func.failures.push(failure);
    func.failures.len() as u32 - 1
}
fn undecodable(func: &mut Func, src: &LiftSource, pc: u64) -> u32 {
    let words = dwords(src, pc);
    let text = if words.is_empty() { "no code here".into() } else { hex(&words[..words.len().min(2)]) };
    fail(func, Failure { pc, undecodable: true, text })
}
fn hex(words: &[u32]) -> String {
    words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>().join(" ")
}
