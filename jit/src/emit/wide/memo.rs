//! Scalars that are the same for the waves of a dispatch, and are found once for all that run in one call.
//!
//! Kernels begin with loads of their arguments. A block whose scalar loads come before anything that reads or writes memory otherwise, on every
//! way from the entry, keeps what it loaded, and scalars made of that alone, in the frame; the next wave that comes to the block with the same
//! base registers takes it from there:
//!
//! ```text
//! b1: kept, and s[0:1] as then? -> else: load, test, compute; keep
//!     ...
//! ```
//!
//! Bases of addresses are tested there, too, and their host addresses kept ([`KeptBase`]).
//!
//! For the next wave that is as if it had run so far, and no farther, when the first one loaded: waves of a workgroup run side by side, and so
//! may workgroups, and it has seen nothing yet of what others do. Behind the first access of another kind, in loops and behind barriers every wave loads for itself.

use super::memory::Access;
use super::plan::Event;
use super::regs::{Class, FIXED, Home, NONE};
use super::{BASE, Wide, sreg, state};
use crate::emit::EmitError;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::mem::offset_of;
use wavejit_ir::abi::WaveState;
use wavejit_ir::{Addr, Block, Func, Op, SReg, Shape, Term, Value};
use wavejit_x86::{Alu, Cond, Gpr, Mem, Size};

/// Blocks of a function that keep scalars, at most.
const MOST: usize = 4;

/// What a block keeps.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    /// By instruction: is it done once?
    pub once: Vec<bool>,
    /// Scalar registers that all depends on.
    inputs: BTreeSet<u8>,
    /// Where in the frame stands whether the rest does.
    flag: i32,
    /// It has the inputs of the entry's, which nobody writes: what the entry has found out holds here.
    is_like_entry: bool,
}

/// Where the frame has a base of addresses: as the guest has it, and its host address. That is one which nobody can touch if the base itself is out of range.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptBase {
    pub guest: i32,
    pub host: i32,
}

/// No host address, and none within 4 GiB of it: the processor refuses them, and the access is done again with care.
const NOWHERE: u64 = 1 << 62;

/// By block: what it keeps. `slot` gives room in the frame.
pub(super) fn plan(func: &Func, entered: &[Vec<u32>], goes_round: &[bool], mut slot: impl FnMut() -> i32) -> Vec<Option<Memo>> {
    let mut plan: Vec<Option<Memo>> = vec![None; func.blocks.len()];
    // Has nothing but scalar loads looked at memory when the block ends?
    let mut is_early = vec![false; func.blocks.len()];
    let mut found = 0;
    let writes = |op: &Op, inputs: &BTreeSet<u8>| match op {
        Op::SSet(r, _) => inputs.contains(&r.0),
        op => matches!(op, Op::SSetRel { .. }),
    };
    for (b, block) in func.blocks.iter().enumerate() {
        let from = &entered[b];
        let begins =
            if b == 0 { from.is_empty() } else { !from.is_empty() && from.iter().all(|p| (*p as usize) < b && is_early[*p as usize]) };
        if !begins || goes_round[b] {
            continue;
        }
        let end = block.insts.iter().position(|inst| !is_quiet(&inst.op)).unwrap_or(block.insts.len());
        is_early[b] = end == block.insts.len() && matches!(block.term, Term::Jump(_) | Term::Branch { .. });
        if found < MOST
            && let Some((once, inputs)) = choose(func, block, end)
        {
            let of_entry = plan[0].as_ref().is_some_and(|entry| entry.inputs == inputs);
            let is_like_entry = of_entry && !func.blocks.iter().flat_map(|b| &b.insts).any(|inst| writes(&inst.op, &inputs));
            plan[b] = Some(Memo { once, inputs, flag: slot(), is_like_entry });
            found += 1;
        }
    }
    plan
}

/// Does it look at nothing but the wave's own registers, or is it a scalar load?
fn is_quiet(op: &Op) -> bool {
    matches!(op, Op::SLoad { .. }) || op.effect().stays_in_registers()
}

/// The scalar loads up to `end`, what they need, and what is made of them alone; none if there are no loads.
fn choose(func: &Func, block: &Block, end: usize) -> Option<(Vec<bool>, BTreeSet<u8>)> {
    if !block.insts[..end].iter().any(|inst| matches!(inst.op, Op::SLoad { .. })) {
        return None;
    }
    let is_scalar = |v: Value| func.ty(v).shape == Shape::Scalar;
    // What loads may depend on, and on which registers it does.
    let mut known: FxHashSet<Value> = FxHashSet::default();
    let mut needed: FxHashSet<Value> = FxHashSet::default();
    let step = |known: &mut FxHashSet<Value>, op: &Op, of: Value, allows: &dyn Fn(SReg) -> bool, may_load: bool| {
        let mut all = true;
        op.for_each_arg(|v| all &= known.contains(&v));
        match op {
            Op::Const { .. } | Op::CodeAddress { .. } => true,
            Op::SGet(r) => allows(*r),
            Op::Pure { .. } => all && is_scalar(of),
            Op::SLoad { .. } => all && may_load,
            _ => false,
        }
    };
    let mut written = [false; SReg::COUNT];
    let mut loads = vec![];
    // One that every wave does for itself is the last: were a later one done before it, its fault would be told first.
    let mut end = end;
    let mut is_read_first = vec![false; block.insts.len()];
    for (k, inst) in block.insts.iter().enumerate() {
        match inst.op {
            Op::SSet(r, _) => written[usize::from(r.0)] = true,
            Op::SSetRel { .. } => written.fill(true),
            Op::SGet(r) => is_read_first[k] = !written[usize::from(r.0)],
            _ => {}
        }
        if step(&mut known, &inst.op, inst.first, &|r| r < SReg::VCC_LO && is_read_first[k], k < end) {
            (0..inst.results).for_each(|i| _ = known.insert(inst.result(i.into())));
            if matches!(inst.op, Op::SLoad { .. }) {
                loads.push(k);
            }
        } else if matches!(inst.op, Op::SLoad { .. }) {
            end = end.min(k);
        }
    }
    // Of the registers those that some load needs.
    let mut inputs = BTreeSet::new();
    for (k, inst) in block.insts.iter().enumerate().rev() {
        let is_load = loads.contains(&k);
        let mut wanted = is_load;
        (0..inst.results).for_each(|i| wanted |= needed.contains(&inst.result(i.into())));
        if wanted && (is_load || known.contains(&inst.first)) {
            inst.op.for_each_arg(|v| _ = needed.insert(v));
            if let Op::SGet(r) = inst.op {
                inputs.insert(r.0);
            }
        }
    }
    let mut known: FxHashSet<Value> = FxHashSet::default();
    let mut once = vec![false; block.insts.len()];
    for (k, inst) in block.insts.iter().enumerate() {
        if step(&mut known, &inst.op, inst.first, &|r| inputs.contains(&r.0) && is_read_first[k], k < end) {
            (0..inst.results).for_each(|i| _ = known.insert(inst.result(i.into())));
            once[k] = true;
        }
    }
    (!loads.is_empty()).then_some((once, inputs))
}

impl<'a> Wide<'a> {
    /// At the entry of the function: nothing is kept yet.
    pub(super) fn begin_memos(&mut self) {
        for flag in self.memos.iter().flatten().map(|m| m.flag).collect::<Vec<_>>() {
            self.a.store_imm(Size::Q, Mem::at(Gpr::RSP, flag), 0);
        }
    }

    /// Does the instructions of a block that are done once, unless another wave has.
    pub(super) fn memo(&mut self, i: usize, block: &'a Block) -> Result<(), EmitError> {
        let Some(Memo { once, inputs, flag, is_like_entry }) = self.memos[i].clone() else { return Ok(()) };
        let at = |slot: i32| Mem::at(Gpr::RSP, slot);
        let (compute, have) = (self.a.label(), self.a.label());
        // Pairs are looked at together.
        let mut pairs: Vec<(SReg, Size, i32)> = vec![];
        for r in inputs.iter().filter(|_| !is_like_entry) {
            match pairs.last_mut() {
                Some((first, size, _)) if *size == Size::D && first.0 + 1 == *r => *size = Size::Q,
                _ => pairs.push((SReg(*r), Size::D, self.r.new_kept_slot())),
            }
        }
        let t = self.temp_general();
        self.a.alu_store_imm(Alu::Cmp, Size::D, at(flag), 0);
        self.a.jcc(if pairs.is_empty() { Cond::Ne } else { Cond::E }, if pairs.is_empty() { have } else { compute });
        for (i, (r, size, slot)) in pairs.iter().enumerate() {
            self.a.load(*size, t, sreg(*r));
            self.a.alu_load(Alu::Cmp, *size, t, at(*slot));
            let is_last = i + 1 == pairs.len();
            self.a.jcc(if is_last { Cond::E } else { Cond::Ne }, if is_last { have } else { compute });
        }
        self.a.bind(compute);
        for (r, size, slot) in &pairs {
            self.a.load(*size, t, sreg(*r));
            self.a.store(*size, at(*slot), t);
        }
        if i == 0 {
            for other in self.memos.iter().flatten().filter(|m| m.is_like_entry).map(|m| m.flag).collect::<Vec<_>>() {
                self.a.store_imm(Size::Q, at(other), 0);
            }
        }
        self.release();
        self.in_memo = true;
        for k in (0..once.len()).filter(|k| once[*k]) {
            self.one_inst(block, k, false)?;
            self.release();
        }
        self.in_memo = false;
        self.keep(block, &once);
        self.a.store_imm(Size::Q, at(flag), 1);
        self.a.bind(have);
        self.vals.iter_mut().for_each(|v| v.rewind());
        (self.at, self.pc) = (0, u64::MAX);
        Ok(())
    }

    /// Puts what other instructions use into the frame, and empties the general registers: where another wave has done this they hold other things.
    fn keep(&mut self, block: &'a Block, once: &[bool]) {
        let mut used: FxHashSet<Value> = FxHashSet::default();
        for (inst, _) in block.insts.iter().zip(once).filter(|(_, once)| !**once) {
            inst.op.for_each_arg(|v| _ = used.insert(v));
        }
        block.term.for_each_arg(|v| _ = used.insert(v));
        let bases = self.linear_bases(block);
        for (inst, _) in block.insts.iter().zip(once).filter(|(_, once)| **once) {
            for v in (0..inst.results).map(|i| inst.result(i.into())).filter(|v| used.contains(v)) {
                let word = self.val(v).word;
                if matches!(self.r.pieces[word as usize].home, Home::None | Home::Frame(_)) {
                    let from = self.fill(word);
                    let slot = self.r.new_kept_slot();
                    self.a.store(Size::Q, Mem::at(Gpr::RSP, slot), Gpr(from));
                    self.r.move_home(word, Home::Kept(slot));
                    if bases.contains(&v) {
                        self.keep_host_base(v, Gpr(from), slot);
                    }
                    self.release();
                }
            }
        }
        self.r.log.note(|| Event::GeneralsEmptied);
        for reg in 0..self.r.file_of(Class::General).len() {
            let p = self.r.file_of(Class::General)[reg];
            if p < FIXED && p != NONE {
                self.r.piece(p).reg = None;
                self.r.file(Class::General).0.set(reg, NONE);
            }
        }
    }

    /// Bases of a block's accesses whose lanes are found by an index.
    fn linear_bases(&self, block: &Block) -> FxHashSet<Value> {
        let base = |op: &Op| match op {
            Op::Load { addr: Addr { base, offset: Some(offset), .. }, .. }
            | Op::Store { addr: Addr { base, offset: Some(offset), .. }, .. } => base.filter(|_| self.linear.contains_key(offset)),
            _ => None,
        };
        block.insts.iter().filter_map(|inst| base(&inst.op)).collect()
    }

    /// Puts the host address of a base into the frame, too, with which accesses of 4 GiB behind it are in range.
    fn keep_host_base(&mut self, base: Value, from: Gpr, guest: i32) {
        let (t, host, ends) = (self.temp_general(), self.r.new_kept_slot(), self.a.label());
        self.a.mov(Size::Q, t, from);
        self.a.alu_load(Alu::Sub, Size::Q, t, state(offset_of!(WaveState, mem_low)));
        self.a.alu_load(Alu::Cmp, Size::Q, t, state(offset_of!(WaveState, mem_reach)));
        self.a.jcc(Cond::B, ends);
        self.a.mov_imm(t, NOWHERE);
        self.a.bind(ends);
        self.a.alu(Alu::Add, Size::Q, t, BASE);
        self.a.store(Size::Q, Mem::at(Gpr::RSP, host), t);
        self.free_temp(Class::General, t.0);
        self.host_bases.insert(base, KeptBase { guest, host });
    }

    /// Where a base is kept.
    pub(super) fn kept_base(&self, base: Value) -> Option<KeptBase> {
        self.host_bases.get(&base).copied()
    }

    /// Gives the register of an access's base what it stands for.
    pub(super) fn load_kept_base(&mut self, a: &Access) {
        if let (Some(kept), Some(base)) = (a.kept_base, a.base) {
            self.a.load(Size::Q, base, Mem::at(Gpr::RSP, kept.guest));
        }
    }
}
