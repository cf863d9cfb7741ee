//! What is foreseen of the operations of a function: whether they call something, and how many registers they need.
//!
//! Loops keep rows in registers that their operations do without, and only if nothing in them is called; runs that are done part by part
//! have no calls either. Both are known for sure when the function has been emitted. They are foreseen, so that once is enough for most functions.

use super::level::Level;
use super::regs::Needs;
use super::{Wide, atomic, memory};
use crate::emit::EmitError;
use wavejit_ir::{Addr, Block, FpMode, Func, Inst, Op, ProbeKind, Space};

/// By block: registers that its operations need at a time, none if it gives them all up; and which of its operations do so.
pub(super) struct Found {
    pub needs: Vec<Option<Needs>>,
    pub calls: Vec<Vec<bool>>,
}

impl Found {
    /// What is foreseen of a function.
    pub(super) fn foreseen(func: &Func, level: Level) -> Found {
        let is_call = |b: &Block, inst: &Inst| is_call(func, level, b.mode, &inst.op);
        let calls: Vec<Vec<bool>> = func.blocks.iter().map(|b| b.insts.iter().map(|inst| is_call(b, inst)).collect()).collect();
        let needs = func.blocks.iter().zip(&calls).map(|(b, calls)| {
            let most = || b.insts.iter().map(|inst| needs(&inst.op)).fold(USUAL, Needs::max);
            (!calls.contains(&true)).then(most)
        });
        Found { needs: needs.collect(), calls }
    }
}

/// Does an operation call something for sure? Pure ones are not thought to.
fn is_call(func: &Func, level: Level, mode: FpMode, op: &Op) -> bool {
    match op {
        Op::Load { space, addr, .. } | Op::Store { space, addr, .. } => !memory::is_inline(func, *space, addr),
        // Those of 64 bits take so many registers that loops with them keep none, as if they called.
        Op::Atomic { wide, .. } => *wide || !atomic::is_inline(func, level, mode, op),
        Op::SGetRel { .. } | Op::SSetRel { .. } | Op::VGetRel { .. } | Op::VSetRel { .. } => true,
        Op::SBufferLoad { .. } | Op::Resource { .. } | Op::Export { .. } => true,
        Op::GetReg { .. } | Op::SetReg { .. } | Op::SendMsg { .. } | Op::SendMsgRtn { .. } | Op::Gws { .. } | Op::Time { .. } => true,
        Op::Probe { kind, .. } => *kind == ProbeKind::Call,
        _ => false,
    }
}

/// Registers that the operations of most blocks need at most: fewer change nothing.
const USUAL: Needs = Needs { vectors: 8, generals: 8 };

/// Registers that an operation is thought to need, as measured.
fn needs(op: &Op) -> Needs {
    match op {
        Op::Load { space, addr, kind, .. } | Op::Store { space, addr, kind, .. } => of_access(*space, addr, kind.dwords() as u32),
        Op::Atomic { space, addr, .. } => of_access(*space, addr, 1),
        _ => USUAL,
    }
}

fn of_access(space: Space, addr: &Addr, dwords: u32) -> Needs {
    let generals = match space {
        Space::Global | Space::Flat if addr.offset.is_some() => 10 + u32::from(addr.base.is_some()),
        Space::Lds if addr.offset.is_some() => 10,
        Space::Scratch => 9,
        _ => USUAL.generals,
    };
    Needs { vectors: if addr.offset.is_some() && dwords > 1 { 4 + 3 * dwords } else { USUAL.vectors }, generals }
}

impl Wide<'_> {
    /// What was found of the function that has been emitted.
    pub(super) fn found(&mut self) -> Found {
        Found { needs: std::mem::take(&mut self.needs), calls: std::mem::take(&mut self.made_calls) }
    }

    /// An error where an operation calls something in a run or in a loop that keeps rows: nobody is prepared for it.
    pub(super) fn may_call(&mut self) -> Result<(), EmitError> {
        let is_unforeseen = self.run.is_some() || self.loops.of(self.r.block).is_some();
        if is_unforeseen { Err(self.unforeseen_call()) } else { Ok(()) }
    }

    pub(super) fn unforeseen_call(&mut self) -> EmitError {
        self.is_misjudged = true;
        EmitError::internal("a call that was not foreseen")
    }
}
