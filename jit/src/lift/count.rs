//! Counting probes: how often each guest instruction runs, and with how many lanes, at the price of a few host instructions a *span*.
//!
//! A span is a run of instructions of a block that run equally often with the same EXEC: the first begins the block or follows one that
//! may write EXEC or may fault, and none but the last does either. Its probe stands before its first instruction, so every instruction of
//! it has begun as often as the counter says, the one that faults included.

use super::cx::Cx;
use wavejit_ir::{Effect, Inst, Op, ProbeKind};

/// The spans of a function: the number of each is that of its probe.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// Guest addresses of their instructions, as lifted.
    pub all: Vec<Vec<u64>>,
    /// The last one goes on.
    open: bool,
}

impl Spans {
    /// A block begins.
    pub(super) fn start_block(&mut self) {
        self.open = false;
    }

    /// The instruction at `cx.b.pc` is about to be lifted.
    pub(super) fn begin(&mut self, cx: &mut Cx) {
        if !self.open {
            let (id, exec) = (self.all.len() as u32, cx.exec());
            cx.b.push(Op::Probe { kind: ProbeKind::Count, id, exec, args: [].into() }, &[]);
            self.all.push(vec![]);
            self.open = true;
        }
        self.all.last_mut().expect("one is open").push(cx.b.pc);
    }

    /// The instruction has become `insts`.
    pub(super) fn end(&mut self, insts: &[Inst]) {
        let ends = |i: &Inst| matches!(i.op, Op::ExecSet(_)) || i.op.effect() == Effect::Memory;
        self.open &= !insts.iter().any(ends);
    }

    /// The instruction cannot be lifted after all: it does not run.
    pub(super) fn take_back(&mut self) {
        if let Some(span) = self.all.last_mut() {
            span.pop();
            if span.is_empty() {
                // Its probe goes with what was lifted of the instruction.
                self.all.pop();
            }
        }
    }
}
