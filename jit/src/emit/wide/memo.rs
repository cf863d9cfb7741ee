//! What is the same for the waves of a dispatch, and is found once for all that run in one call.
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
//! So are lanes that are made of such scalars alone, and are all alike: the reciprocal of a divisor, what a power of an argument takes. Of these a dword is
//! kept, and masks and 64-bit lanes stay inside. If it is enough work, any block does it, and looks at more scalar registers than its loads need.
//!
//! For the next wave that is as if it had run so far, and no farther, when the first one loaded: waves of a workgroup run side by side, and so
//! may workgroups, and it has seen nothing yet of what others do. Behind the first access of another kind, in loops and behind barriers every wave loads for itself.

use super::memory::Access;
use super::plan::Event;
use super::regs::{Class, FIXED, Home, NO_PARTS, NONE, PieceId};
use super::wanted::{self, needless_ands};
use super::{BASE, Wide, X, sreg, state};
use crate::by_value::ByValue;
use crate::emit::EmitError;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::mem::offset_of;
use wavejit_ir::abi::WaveState;
use wavejit_ir::{Addr, Block, Func, Inst, Op, SReg, Shape, Term, Ty, Value};
use wavejit_x86::{Alu, Cond, Gpr, Len, Mem, Rm, Size, Vector};

/// Blocks of a function that keep something, at most.
const MOST: usize = 6;

/// So many operations on lanes are worth a test of whether they have been done, and so many more for each further scalar register that the test has to look at.
const FEWEST_LANES: usize = 6;
const LANES_FOR_INPUT: usize = 3;

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
    let (mut found, mut asked, marks) = (0, wanted::Asked::of(func), RefCell::new(ByValue::of(func)));
    let writes = |op: &Op, inputs: &BTreeSet<u8>| match op {
        Op::SSet(r, _) => inputs.contains(&r.0),
        op => matches!(op, Op::SSetRel { .. }),
    };
    for (b, block) in func.blocks.iter().enumerate() {
        let from = &entered[b];
        let begins =
            if b == 0 { from.is_empty() } else { !from.is_empty() && from.iter().all(|p| (*p as usize) < b && is_early[*p as usize]) };
        if goes_round[b] {
            continue;
        }
        let end = if begins { block.insts.iter().position(|inst| !is_quiet(&inst.op)).unwrap_or(block.insts.len()) } else { 0 };
        is_early[b] = begins && end == block.insts.len() && matches!(block.term, Term::Jump(_) | Term::Branch { .. });
        if found < MOST
            && let Some((once, inputs)) = choose(func, block, end, &mut asked, &marks)
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

/// The scalar loads up to `end`, what they need, and what is made of them alone, and the scalar registers on which it depends; none if there is too little.
fn choose(
    func: &Func,
    block: &Block,
    end: usize,
    asked: &mut wanted::Asked,
    marks: &RefCell<ByValue<()>>,
) -> Option<(Vec<bool>, BTreeSet<u8>)> {
    let is_load = |inst: &Inst| matches!(inst.op, Op::SLoad { .. });
    let is_of_lanes = |inst: &Inst| is_lane_work(func, inst);
    if !block.insts[..end].iter().any(is_load) && block.insts.iter().filter(|inst| is_of_lanes(inst)).count() < FEWEST_LANES {
        return None;
    }
    let any = |r: SReg| r < SReg::VCC_LO;
    let mut once = Once::new(func, block, end, marks);
    let mut known = once.known(&any, &[]);
    if !once.lanes_done(&known).contains(&true) {
        // None of it but loads.
        known.iter_mut().zip(&block.insts).for_each(|(known, inst)| *known = *known && func.ty(inst.first).shape == Shape::Scalar);
    } else {
        once.needless = needless_ands(func, block, asked);
        known = once.known(&any, &[]);
    }
    let loads: Vec<bool> = block.insts.iter().zip(&known).map(|(inst, known)| *known && is_load(inst)).collect();
    let of_loads = once.inputs(&known, &loads);
    let few = once.choose(&of_loads);
    let is_any = loads.contains(&true);
    let lanes = once.lanes_done(&known);
    if !lanes.contains(&true) {
        return is_any.then_some((few, of_loads));
    }
    // With all that lanes depend on.
    let mut of_lanes = once.inputs(&known, &lanes);
    of_lanes.extend(&of_loads);
    let many = once.choose(&of_lanes);
    let work = |once: &[bool]| block.insts.iter().zip(once).filter(|(inst, once)| **once && is_of_lanes(inst)).count();
    let further = of_lanes.len() - of_loads.len();
    if work(&many) >= work(&few) + LANES_FOR_INPUT * further && work(&many) >= FEWEST_LANES {
        Some((many, of_lanes))
    } else {
        (is_any || work(&few) >= FEWEST_LANES).then_some((few, of_loads))
    }
}

/// Is it an operation on the lanes of a wave that looks at nothing else?
fn is_lane_work(func: &Func, inst: &Inst) -> bool {
    matches!(inst.op, Op::Pure { .. }) && func.ty(inst.first).shape == Shape::Lane
}

/// What of a block may be done once.
struct Once<'a> {
    func: &'a Func,
    block: &'a Block,
    /// Behind it nothing is loaded. A load that every wave does for itself is the last: were a later one done before it, its fault would be told first.
    end: usize,
    /// By instruction: does it read a scalar register that the block has not written?
    is_read_first: Vec<bool>,
    /// Masks that are as good without the other one that they are narrowed to.
    needless: FxHashMap<Value, Value>,
    marks: &'a RefCell<ByValue<()>>,
}

impl Once<'_> {
    fn new<'a>(func: &'a Func, block: &'a Block, end: usize, marks: &'a RefCell<ByValue<()>>) -> Once<'a> {
        let mut written = [false; SReg::COUNT];
        let is_read_first = block.insts.iter().map(|inst| {
            match inst.op {
                Op::SSet(r, _) => written[usize::from(r.0)] = true,
                Op::SSetRel { .. } => written.fill(true),
                _ => {}
            }
            matches!(inst.op, Op::SGet(r) if !written[usize::from(r.0)])
        });
        let mut once = Once { func, block, end, is_read_first: is_read_first.collect(), needless: FxHashMap::default(), marks };
        let is_load = |inst: &Inst| matches!(inst.op, Op::SLoad { .. });
        if block.insts[..end].iter().any(is_load) {
            let known = once.known(&|r| r < SReg::VCC_LO, &[]);
            let own = block.insts.iter().zip(&known).position(|(inst, known)| !known && is_load(inst));
            once.end = own.map_or(end, |own| end.min(own));
        }
        once
    }

    /// By instruction: is it made of constants, of registers that are allowed and of loads alone? Lanes that are excluded are not.
    fn known(&self, allows: &dyn Fn(SReg) -> bool, excluded: &[Value]) -> Vec<bool> {
        let values = &mut *self.marks.borrow_mut();
        values.begin(self.func);
        let is_known = |(k, inst): (usize, &Inst)| {
            let mut all = true;
            match self.needless.get(&inst.first) {
                Some(other) => all = values.has(*other),
                None => inst.op.for_each_arg(|v| all &= values.has(v)),
            }
            let is_known = match &inst.op {
                Op::Const { .. } | Op::CodeAddress { .. } => true,
                Op::SGet(r) => allows(*r) && self.is_read_first[k],
                Op::Pure { .. } | Op::Splat(_) | Op::MaskBits(_) => all && !excluded.contains(&inst.first),
                Op::SLoad { .. } => all && k < self.end,
                _ => false,
            };
            if is_known {
                (0..inst.results).for_each(|i| values.insert(inst.result(i.into()), ()));
            }
            is_known
        };
        self.block.insts.iter().enumerate().map(is_known).collect()
    }

    /// Of what is known that which is operations on lanes.
    fn lanes_done(&self, known: &[bool]) -> Vec<bool> {
        self.block.insts.iter().zip(known).map(|(inst, known)| *known && is_lane_work(self.func, inst)).collect()
    }

    /// The registers that some known instructions depend on.
    fn inputs(&self, known: &[bool], of: &[bool]) -> BTreeSet<u8> {
        let needed = &mut *self.marks.borrow_mut();
        needed.begin(self.func);
        let mut inputs = BTreeSet::new();
        for (k, inst) in self.block.insts.iter().enumerate().rev().filter(|(k, _)| known[*k]) {
            if of[k] || (0..inst.results).any(|i| needed.has(inst.result(i.into()))) {
                inst.op.for_each_arg(|v| needed.insert(v, ()));
                if let Op::SGet(r) = inst.op {
                    inputs.insert(r.0);
                }
            }
        }
        inputs
    }

    /// By instruction: is it done once, where these registers are looked at? What others use of it is scalars and dwords that all lanes have.
    fn choose(&self, inputs: &BTreeSet<u8>) -> Vec<bool> {
        let mut excluded: Vec<Value> = vec![];
        loop {
            let once = self.without_idle_splats(self.known(&|r| inputs.contains(&r.0), &excluded));
            let is_of_lanes = |(inst, once): &(&Inst, &bool)| **once && inst.results == 1 && self.func.ty(inst.first).shape == Shape::Lane;
            let lanes: Vec<Value> = self.block.insts.iter().zip(&once).filter(is_of_lanes).map(|(inst, _)| inst.first).collect();
            if lanes.is_empty() {
                return once;
            }
            let used = used_by_others(self.block, &once);
            let before = excluded.len();
            excluded.extend(lanes.into_iter().filter(|v| self.func.ty(*v) != Ty::L32 && used.contains(v)));
            if excluded.len() == before {
                return once;
            }
        }
    }

    /// Splats that no operation on lanes needs are made where they are used.
    fn without_idle_splats(&self, mut once: Vec<bool>) -> Vec<bool> {
        let needed = &mut *self.marks.borrow_mut();
        needed.begin(self.func);
        for (k, inst) in self.block.insts.iter().enumerate().rev() {
            if once[k] && matches!(inst.op, Op::Splat(_)) && !needed.has(inst.first) {
                once[k] = false;
            } else if once[k] {
                inst.op.for_each_arg(|v| needed.insert(v, ()));
            }
        }
        once
    }
}

/// What is used of what is done once by instructions that are not.
fn used_by_others(block: &Block, once: &[bool]) -> FxHashSet<Value> {
    let mut used: FxHashSet<Value> = FxHashSet::default();
    for (inst, _) in block.insts.iter().zip(once).filter(|(_, once)| !**once) {
        inst.op.for_each_arg(|v| _ = used.insert(v));
    }
    block.term.for_each_arg(|v| _ = used.insert(v));
    used
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
        let copies = self.copies_of_lanes();
        let used = used_by_others(block, &once);
        let gone = self.gone_after(block, &once, &used);
        for k in (0..once.len()).filter(|k| once[*k]) {
            self.one_inst(block, k, false)?;
            self.release();
            gone[k].iter().for_each(|v| self.forget(*v));
        }
        self.in_memo = false;
        self.keep(block, &once, &used, copies);
        self.a.store_imm(Size::Q, at(flag), 1);
        self.a.bind(have);
        self.vals.iter_mut().for_each(|v| v.rewind());
        (self.at, self.pc) = (0, u64::MAX);
        Ok(())
    }

    /// By instruction: the lanes that nobody uses behind it, and others do not use at all.
    fn gone_after(&self, block: &Block, once: &[bool], used: &FxHashSet<Value>) -> Vec<Vec<Value>> {
        let mut gone = vec![vec![]; once.len()];
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        for (k, inst) in block.insts.iter().enumerate().rev().filter(|(k, _)| once[*k]) {
            let mut note = |v: Value| {
                if self.func.ty(v).shape == Shape::Lane && !used.contains(&v) && seen.insert(v) {
                    gone[k].push(v);
                }
            };
            inst.op.for_each_arg(&mut note);
            (0..inst.results).for_each(|i| note(inst.result(i.into())));
        }
        gone
    }

    /// The vector and mask registers that hold what guest registers do.
    fn copies_of_lanes(&self) -> Vec<(Class, u8, PieceId)> {
        let of_class = |class: Class| self.r.file_of(class).iter().zip(0..).map(move |(p, reg)| (class, reg, *p));
        [Class::Vector, Class::Mask].into_iter().flat_map(of_class).filter(|(.., p)| *p < FIXED && self.r.is_copy(*p)).collect()
    }

    /// Puts what other instructions use into the frame, and empties the registers but for copies of lanes that were there before: where another wave has done
    /// this the others hold other things.
    fn keep(&mut self, block: &'a Block, once: &[bool], used: &FxHashSet<Value>, mut copies: Vec<(Class, u8, PieceId)>) {
        let bases = self.linear_bases(block);
        for (inst, _) in block.insts.iter().zip(once).filter(|(_, once)| **once) {
            for v in (0..inst.results).map(|i| inst.result(i.into())).filter(|v| used.contains(v)) {
                if self.func.ty(v).shape == Shape::Lane {
                    self.keep_lanes(v);
                    continue;
                }
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
        copies.retain(|(class, reg, p)| self.r.file_of(*class)[usize::from(*reg)] == *p);
        self.r.log.note(|| Event::RegistersEmptied { but: copies.iter().map(|(class, reg, _)| (*class, *reg)).collect() });
        for class in [Class::General, Class::Vector, Class::Mask] {
            for reg in 0..self.r.file_of(class).len() {
                let p = self.r.file_of(class)[reg];
                if p < FIXED && p != NONE && !copies.contains(&(class, reg as u8, p)) {
                    self.r.piece(p).reg = None;
                    self.r.file(class).0.set(reg, NONE);
                }
            }
        }
    }

    /// Puts the dword that all lanes have into the frame, unless it is in memory that stays.
    fn keep_lanes(&mut self, v: Value) {
        let first = self.val(v).lo[0];
        if matches!(self.r.pieces[first as usize].home, Home::Bcst(_) | Home::Pool(_)) {
            return;
        }
        let (from, t, slot) = (self.fill(first), self.temp_general(), self.r.new_kept_slot());
        self.vector(Vector::new(X::MovdToGpr, Len::X, from, 0, Rm::Reg(t.0)));
        self.a.store(Size::D, Mem::at(Gpr::RSP, slot), t);
        self.release();
        self.forget(v);
        let piece = self.r.new_piece(Class::Vector, Home::Bcst(Mem::at(Gpr::RSP, slot)));
        let mut parts = NO_PARTS;
        parts[..self.parts].fill(piece);
        self.set_lo(v, parts);
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
