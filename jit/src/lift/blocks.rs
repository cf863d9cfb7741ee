//! Lifting of the blocks that discovery found.

use super::apply::lift_inst;
use super::cfg::{Discovery, Key};
use super::control::{self, Flow};
use super::count::Spans;
use super::cx::Cx;
use super::rows::semantics;
use super::sem::Sem;
use super::source::{LiftSource, Stopped};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use wavejit_ir::{Block, BlockId, Builder, Failure, Func, Term, Value};
use wavejit_isa::{self as isa, Inst};

/// Lifts the blocks of `order`, of which the first is the entry; with probes, if their spans are wanted.
pub(super) fn lift(found: &Discovery, order: &[Key], spans: Option<&mut Spans>, stop: &dyn Fn() -> bool) -> Result<Func, Stopped> {
    let src = found.code.src;
    let ids = order.iter().enumerate().map(|(i, k)| (*k, BlockId(i as u32))).collect();
    let mut func = Func { name: src.name.to_string(), wave_size: src.wave_size, ..Func::default() };
    let mut lifter = Lifter { src, found, ids, outside: vec![], func: &mut func, spans };
    let mut blocks = vec![];
    for key in order {
        if stop() {
            return Err(Stopped);
        }
        blocks.push(lifter.block(*key));
    }
    blocks.extend(lifter.outside.iter().map(|(pc, mode)| Block {
        pc: *pc,
        mode: *mode,
        insts: vec![],
        term: Term::Leave { pc: *pc },
        term_pc: *pc,
        guest_insts: 0,
    }));
    func.blocks = blocks;
    Ok(func)
}

struct Lifter<'a, 'f> {
    src: &'a LiftSource<'a>,
    found: &'a Discovery<'a>,
    /// Numbers of blocks, those that stand for code outside the function included.
    ids: FxHashMap<Key, BlockId>,
    /// Code outside the function that its edges go to. Its blocks come last.
    outside: Vec<Key>,
    func: &'f mut Func,
    spans: Option<&'f mut Spans>,
}

/// How the body of a block ended.
enum End {
    /// The next instruction starts another block.
    Falls,
    Control(Flow, Option<Value>),
    Undecodable,
    Unsupported(Cow<'static, str>),
}

impl Lifter<'_, '_> {
    fn block(&mut self, key: Key) -> Block {
        let (start, mode) = key;
        let node = &self.found.nodes[&key];
        let mut consts = (*node.consts).clone();
        let mut pc = start;
        let mut term_pc = start;
        let mut guest_insts = 0;
        let (src, code) = (self.src, &self.found.code);
        let Some(first) = code.get(pc) else {
            let term = Term::Fail(self.undecodable(pc));
            return Block { pc, mode, insts: vec![], term, term_pc: pc, guest_insts: 0 };
        };
        let mut cx = Cx::new(Builder::new(self.func, pc, mode), first, src);
        if let Some(spans) = &mut self.spans {
            spans.start_block();
        }
        let end = loop {
            if node.falls == Some(pc) {
                break End::Falls;
            }
            term_pc = pc;
            let Some(inst) = code.get(pc) else { break End::Undecodable };
            cx.b.pc = pc;
            cx.inst = inst;
            if let Some(value) = isa::reserved(inst) {
                break End::Unsupported(value.to_string().into());
            }
            let mark = cx.b.insts.len();
            if let Some(spans) = &mut self.spans {
                spans.begin(&mut cx);
            }
            let mut flow = Flow::Next;
            let mut value = None;
            match semantics(inst) {
                Some(Sem::Control(of)) => {
                    let control = of(inst);
                    flow = control::flow(control, inst, pc, mode, &consts);
                    value = control::effects(&mut cx, control, flow);
                }
                Some(sem) => lift_inst(&mut cx, sem),
                None => cx.unsupported("no semantics"),
            }
            if let Some(why) = cx.unsupported {
                cx.b.insts.truncate(mark);
                if let Some(spans) = &mut self.spans {
                    spans.take_back();
                }
                break End::Unsupported(why.into());
            }
            if let Some(spans) = &mut self.spans {
                spans.end(&cx.b.insts[mark..]);
            }
            guest_insts += 1;
            consts.step(inst, pc);
            if flow != Flow::Next {
                break End::Control(flow, value);
            }
            pc = pc.wrapping_add(inst.bytes().into());
        };
        let next = pc.wrapping_add(code.get(pc).map_or(0, |i| i.bytes().into()));
        let body = std::mem::take(&mut cx.b.insts);
        drop(cx);
        let term = match end {
            End::Falls => Term::Jump(self.to((pc, mode))),
            End::Undecodable => Term::Fail(self.undecodable(pc)),
            End::Unsupported(why) => {
                let inst = code.get(pc).expect("it was decoded");
                let text = format!("{} ({why}; {})", text(inst, src), hex(inst.dwords()));
                Term::Fail(self.fail(Failure { pc, undecodable: false, text }))
            }
            End::Control(flow, value) => match (flow, value) {
                (Flow::Branch { target, .. }, Some(cond)) => {
                    Term::Branch { cond, then: self.to((target, mode)), otherwise: self.to((next, mode)) }
                }
                (Flow::Goto(target), _) => Term::Jump(self.to((target, mode))),
                (Flow::Indirect { is_return, .. }, Some(target)) => {
                    let known = |pc: &u64| self.ids.get(&(*pc, mode)).map(|b| (*pc, *b));
                    Term::Indirect { target, known: if is_return { self.found.returns.iter().filter_map(known).collect() } else { vec![] } }
                }
                (Flow::Mode(m), _) => Term::Jump(self.to((next, m))),
                (Flow::NewMode, Some(mode)) => Term::NewMode { pc: next, mode },
                (Flow::Pause(why), _) => Term::Pause { why, next: self.to((next, mode)) },
                (Flow::End, _) => Term::End,
                (Flow::Trap(id), _) => Term::Trap { id },
                (flow, _) => unreachable!("{flow:?} ends a block and has its value"),
            },
        };
        Block { pc: start, mode, insts: body, term, term_pc, guest_insts }
    }

    /// The block at `to`, or one that leaves for it.
    fn to(&mut self, to: Key) -> BlockId {
        let next = BlockId(self.ids.len() as u32);
        *self.ids.entry(to).or_insert_with(|| {
            self.outside.push(to);
            next
        })
    }

    fn fail(&mut self, failure: Failure) -> u32 {
        self.func.failures.push(failure);
        self.func.failures.len() as u32 - 1
    }

    fn undecodable(&mut self, pc: u64) -> u32 {
        let words = self.found.code.bad_dwords(pc);
        let text = if words.is_empty() { "no code here".into() } else { hex(&words[..words.len().min(2)]) };
        self.fail(Failure { pc, undecodable: true, text })
    }
}

fn hex(words: &[u32]) -> String {
    words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>().join(" ")
}

/// The instruction as assembly, the same wherever it is.
fn text(inst: &Inst, src: &LiftSource) -> String {
    let opts = isa::DisasmOptions { wave_size: src.wave_size, true16: false, pc: None };
    isa::disasm(inst, src.target, &opts)
}
