//! Cuts a block into steps: what runs once per wave, what runs as a lane region, what runs on whole rows.
//!
//! A *region* is a run of lane-wise operations that a back end compiles as one function; inside it values stay in host registers. Row
//! steps (transcendental functions, shuffles, memory) work on rows in memory between regions. Scalar operations do not end a region
//! unless they need something it computes and it needs something they compute: those that do not depend on the open region run before
//! it, the others after it.
//!
//! Lockstep order (DESIGN.md section 5) holds because every memory and cross-lane operation is a step of its own: a region, which runs a
//! few lanes to its end before the next few, contains none. Loads from LDS that need nothing of the open region run before it.
//!
//! *Rematerializable* values (splats, lane numbers, reads of a VGPR that is not written before their last use) are computed again in every region
//! that uses them. All other lane values that outlive their region get a *home*: rows of temporaries, or for loads the VGPR itself.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use wavejit_ir::abi::{NO_ROW, TEMP_ROW};
use wavejit_ir::{Block, BlockId, Effect, Func, Inst, Op, ProbeKind, Shape, Space, Term, Ty, VReg, Value, Width, goes_back, loop_headers};

/// Longest region, in IR instructions. Beyond it compile time grows faster than the code gets better.
pub const MAX_REGION: usize = 600;

/// A run of lane-wise operations.
#[derive(Clone, Debug)]
pub struct Region {
    /// Indices into the block's instructions, in order.
    pub insts: Vec<usize>,
    /// Scalars it reads (for splats), in slot order after the masks.
    pub scalars: Vec<Value>,
    /// Masks it reads, in slot order.
    pub masks: Vec<Value>,
    /// Masks it hands out, in slot order.
    pub mask_outs: Vec<Value>,
    /// Lane values it writes to their homes.
    pub row_outs: Vec<Value>,
    /// Back ends that take all of it (bit i: the i-th).
    pub back_ends: u8,
}

impl Default for Region {
    fn default() -> Self {
        Region { insts: vec![], scalars: vec![], masks: vec![], mask_outs: vec![], row_outs: vec![], back_ends: u8::MAX }
    }
}

/// A single-entry piece of the control-flow graph that a back end may compile as a whole: an innermost loop that nothing suspends. Edges
/// that go back ([`wavejit_ir::resume`]) go to its entry, or leave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The loop header, where it is entered.
    pub entry: BlockId,
    /// Its blocks, ascending.
    pub blocks: Vec<BlockId>,
    /// Blocks outside that it may go to, ascending. Either all its edges to such a block go back, or none.
    pub exits: Vec<BlockId>,
}

impl Piece {
    /// What its code returns when the fuel ran out on the way back to the entry.
    pub fn out_of_fuel(&self) -> u32 {
        self.exits.len() as u32
    }
    /// What its code returns after a fault.
    pub fn fault(&self) -> u32 {
        self.exits.len() as u32 + 1
    }
}

/// Innermost loops with one entry whose blocks end in jumps and branches only. Takes at most a walk over all blocks for each loop.
pub fn pieces(func: &Func) -> Vec<Piece> {
    let headers = loop_headers(func);
    let mut preds: Vec<Vec<u32>> = vec![vec![]; func.blocks.len()];
    // Entered from outside: block 0, and where a wave goes on after a pause.
    let mut entered = vec![false; func.blocks.len()];
    entered[0] = true;
    for (i, b) in func.blocks.iter().enumerate() {
        b.term.for_each_successor(|s| preds[s.0 as usize].push(i as u32));
        if let Term::Pause { next, .. } = b.term {
            entered[next.0 as usize] = true;
        }
    }
    (0..func.blocks.len() as u32).filter(|h| headers[*h as usize]).filter_map(|h| innermost(func, &headers, &preds, &entered, h)).collect()
}

/// The natural loop of the edges that go back to `h`, which is all that reaches them without passing `h`; if it is a piece.
fn innermost(func: &Func, headers: &[bool], preds: &[Vec<u32>], entered: &[bool], h: u32) -> Option<Piece> {
    let block = |b: u32| &func.blocks[b as usize];
    let plain = |b: u32| matches!(block(b).term, Term::Jump(_) | Term::Branch { .. });
    let mut inside = FxHashSet::from_iter([h]);
    let mut work: Vec<u32> = preds[h as usize].iter().copied().filter(|p| goes_back(block(*p), block(h))).collect();
    while let Some(b) = work.pop() {
        if inside.insert(b) {
            if headers[b as usize] || entered[b as usize] || !plain(b) {
                return None;
            }
            work.extend(&preds[b as usize]);
        }
    }
    let mut blocks: Vec<BlockId> = inside.iter().map(|b| BlockId(*b)).collect();
    blocks.sort_unstable();
    // A jump from outside into the middle would have led to block 0.
    let mut exits: BTreeMap<BlockId, bool> = BTreeMap::new();
    for b in &blocks {
        for s in block(b.0).term.successors().into_iter().filter(|s| !inside.contains(&s.0)) {
            let back = goes_back(block(b.0), func.block(s));
            if *exits.entry(s).or_insert(back) != back {
                return None;
            }
        }
    }
    plain(h).then(|| Piece { entry: BlockId(h), blocks, exits: exits.into_keys().collect() })
}

/// One step of a block.
#[derive(Clone, Debug)]
pub enum Step {
    /// An instruction of the skeleton: scalar, row or memory operation.
    Inst(usize),
    /// A lane region.
    Region(Region),
}

/// Rows a lane value lives in: low and high dword; `NO_ROW` where it has none.
pub type Home = [u16; 2];

/// How a block is run.
#[derive(Debug, Default)]
pub struct Plan {
    /// In order.
    pub steps: Vec<Step>,
    /// Where lane values live outside regions.
    pub homes: FxHashMap<Value, Home>,
    /// `VSet`s that a load does by itself, since its home is the VGPR.
    pub fused: FxHashSet<usize>,
    /// Temporaries used, from `TEMP_ROW` on.
    pub temp_rows: u16,
}

/// Which back ends (bit i: the i-th) take a lane operation, asked once per instruction: the operation, the defining instruction of a value
/// in the same block, the block.
pub type Accepts<'a> = &'a dyn Fn(&Op, &dyn Fn(Value) -> Option<usize>, &Block) -> u8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// Runs in the skeleton; may move before the open region.
    Scalar,
    /// Lane-wise, made where it is used.
    Rematerializable,
    /// Lane-wise; these back ends take it.
    Lane(u8),
    /// Whole rows or memory: a step of its own, in order.
    Row,
}

/// Plans block `b`.
pub fn plan(func: &Func, b: usize, accepts: Accepts) -> Plan {
    Planner::new(func, &func.blocks[b], accepts).run()
}

struct Planner<'a> {
    func: &'a Func,
    block: &'a Block,
    def: FxHashMap<Value, usize>,
    uses: FxHashMap<Value, Vec<usize>>,
    class: Vec<Class>,
    plan: Plan,
    open: Region,
    /// Values defined in the open region.
    inside: FxHashSet<Value>,
    /// VGPRs the open region writes.
    written: FxHashSet<VReg>,
    /// Scalar instructions that must wait for the open region, and their values.
    post: Vec<usize>,
    after: FxHashSet<Value>,
}

impl<'a> Planner<'a> {
    fn new(func: &'a Func, block: &'a Block, accepts: Accepts) -> Self {
        let (mut def, mut uses): (FxHashMap<Value, usize>, FxHashMap<Value, Vec<usize>>) = Default::default();
        for (i, inst) in block.insts.iter().enumerate() {
            for r in 0..inst.results {
                def.insert(inst.result(r.into()), i);
            }
            inst.op.for_each_arg(|v| uses.entry(v).or_default().push(i));
        }
        block.term.for_each_arg(|v| uses.entry(v).or_default().push(block.insts.len()));
        let mut p = Planner {
            func,
            block,
            def,
            uses,
            class: vec![],
            plan: Plan::default(),
            open: Region::default(),
            inside: FxHashSet::default(),
            written: FxHashSet::default(),
            post: vec![],
            after: FxHashSet::default(),
        };
        p.fuse_loads();
        p.class = (0..block.insts.len()).map(|i| p.classify(i, accepts)).collect();
        p
    }

    /// Gives results of loads and atomics the VGPR they go to as home, where nothing can tell the difference.
    fn fuse_loads(&mut self) {
        for (i, inst) in self.block.insts.iter().enumerate() {
            let exec = match inst.op {
                Op::Load { exec, .. }
                | Op::Atomic { exec, returns: true, .. }
                | Op::ExchangeSum { exec, .. }
                | Op::Resource { exec, .. } => exec,
                _ => continue,
            };
            for v in (0..inst.results).map(|r| inst.result(r.into())) {
                if let Some((k, reg)) = self.fusible(i, v, exec) {
                    self.plan.fused.insert(k);
                    self.plan.homes.insert(v, [reg.0, NO_ROW]);
                }
            }
        }
    }

    fn fusible(&self, load: usize, v: Value, exec: Value) -> Option<(usize, VReg)> {
        let uses = self.uses.get(&v)?;
        let set = |k: &usize| match self.block.insts.get(*k)?.op {
            Op::VSet { reg, value, exec: e } if value == v && e == exec => Some((*k, reg)),
            _ => None,
        };
        let (k, reg) = uses.iter().find_map(set)?;
        let last = *uses.last()?;
        let harmless = |j: usize| match self.block.insts[j].op {
            Op::VSet { reg: r, .. } => r != reg || j == k,
            // The old row must not be looked at between the load and the write it stands for.
            Op::VGet { reg: r, .. } => r != reg || j > k,
            Op::VGetRel { .. } => j > k,
            Op::VSetRel { .. } => false,
            _ => true,
        };
        // Values read from the row before the load but used after it would see the new content.
        // Resource calls may write results before they have read everything, so none of their operands may be there.
        let is_resource = matches!(self.block.insts[load].op, Op::Resource { .. });
        let done = |last_use: usize| last_use < load || last_use == load && !is_resource;
        let old_reads_done = self.block.insts[..load].iter().all(|inst| match inst.op {
            Op::VGet { reg: r, .. } if r == reg => {
                let next = self.next_write(self.def[&inst.first], reg);
                next < load || self.uses.get(&inst.first).is_none_or(|u| done(*u.last().expect("uses are not empty")))
            }
            _ => true,
        });
        // Nor may another load's result still live in that row.
        let old_reads_done = old_reads_done
            && self
                .plan
                .homes
                .iter()
                .filter(|(o, h)| h[0] == reg.0 && self.def[o] != load)
                .all(|(o, _)| self.uses[o].last().is_none_or(|u| done(*u)));
        let other_dest = self.plan.homes.iter().any(|(o, h)| h[0] == reg.0 && self.def[o] == load);
        (old_reads_done && !other_dest && (load + 1..=last.min(self.block.insts.len() - 1)).all(harmless)).then_some((k, reg))
    }

    /// Index of the first write to `reg` after instruction `i`.
    fn next_write(&self, i: usize, reg: VReg) -> usize {
        let writes = |inst: &Inst| match inst.op {
            Op::VSet { reg: r, .. } => r == reg,
            Op::VSetRel { .. } => true,
            _ => (0..inst.results).any(|k| self.plan.homes.get(&inst.result(k.into())).is_some_and(|h| h[0] == reg.0)),
        };
        self.block.insts[i + 1..].iter().position(writes).map_or(usize::MAX, |k| k + i + 1)
    }

    fn classify(&self, i: usize, accepts: Accepts) -> Class {
        let inst = &self.block.insts[i];
        match &inst.op {
            Op::Splat(_) if self.func.ty(inst.first) == Ty::MASK => Class::Scalar,
            Op::Splat(_) | Op::LaneId | Op::LaneTable(_) => Class::Rematerializable,
            Op::VGet { reg, .. } => {
                let last = self.uses.get(&inst.first).and_then(|u| u.last()).copied().unwrap_or(0);
                if last <= self.next_write(i, *reg) { Class::Rematerializable } else { Class::Lane(u8::MAX) }
            }
            Op::VSet { .. } => Class::Lane(u8::MAX),
            Op::Pure { .. } => {
                let t = self.func.ty(inst.first);
                let lane_operand = |v: Value| self.func.ty(v).shape == Shape::Lane && self.func.ty(v) != Ty::MASK;
                let mut lanes = t.shape == Shape::Lane && t != Ty::MASK;
                inst.op.for_each_arg(|v| lanes |= lane_operand(v));
                if !lanes {
                    Class::Scalar // masks are words in the skeleton; `add` moves mask logic into a region if it must
                } else {
                    match accepts(&inst.op, &|v| self.def.get(&v).copied(), self.block) {
                        0 => Class::Row,
                        accepting => Class::Lane(accepting),
                    }
                }
            }
            Op::VGetRel { .. }
            | Op::VSetRel { .. }
            | Op::WriteLane { .. }
            | Op::Shuffle { .. }
            | Op::Permute { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::ExchangeSum { .. }
            | Op::Resource { .. }
            | Op::GetReg { .. }
            | Op::SetReg { .. }
            | Op::SendMsg { .. }
            | Op::SendMsgRtn { .. }
            | Op::Gws { .. }
            | Op::SGetRel { .. }
            | Op::SSetRel { .. }
            | Op::Export { .. }
            | Op::Probe { kind: ProbeKind::Call, .. } => Class::Row,
            _ => Class::Scalar,
        }
    }

    fn run(mut self) -> Plan {
        for i in 0..self.block.insts.len() {
            if !self.plan.fused.contains(&i) {
                self.add(i);
            }
        }
        self.close();
        self.place();
        self.plan
    }

    fn add(&mut self, i: usize) {
        let inst = &self.block.insts[i];
        let (mut on_open, mut on_post) = (false, false);
        inst.op.for_each_arg(|v| {
            on_open |= self.inside.contains(&v) || self.reads_written(v);
            on_post |= self.after.contains(&v);
        });
        match self.class[i] {
            Class::Rematerializable => {
                // Depends on what its operand depends on.
                if on_post {
                    self.after.extend([inst.first]);
                }
            }
            Class::Lane(accepting_back_ends) => self.add_lane(i, on_post, accepting_back_ends),
            Class::Row if !on_open && !on_post && self.may_pass(i) => self.plan.steps.push(Step::Inst(i)),
            Class::Row => {
                self.close();
                self.plan.steps.push(Step::Inst(i));
            }
            Class::Scalar
                if on_open && !on_post && self.func.ty_of_result(inst) == Some(Ty::MASK) && matches!(inst.op, Op::Pure { .. }) =>
            {
                self.add_lane(i, false, u8::MAX)
            }
            Class::Scalar if matches!(inst.op, Op::ReadLane { .. } | Op::ReadFirstLane { .. }) => {
                if on_open || on_post {
                    self.close();
                }
                self.plan.steps.push(Step::Inst(i));
            }
            Class::Scalar if on_open || on_post || self.must_wait(inst) => {
                self.post.push(i);
                self.after.extend((0..inst.results).map(|r| inst.result(r.into())));
            }
            Class::Scalar => self.plan.steps.push(Step::Inst(i)),
        }
    }

    /// May an operation that needs nothing of the open region be done before it? Loads from LDS never fault, so that nobody sees what was not done yet;
    /// they must leave the rows alone that the region works on.
    fn may_pass(&self, i: usize) -> bool {
        let inst = &self.block.insts[i];
        let goes_to = |reg: VReg| (0..inst.results).any(|r| self.plan.homes.get(&inst.result(r.into())).is_some_and(|h| h[0] == reg.0));
        let reads = |v: Value| match self.def.get(&v).map(|d| &self.block.insts[*d].op) {
            Some(Op::VGet { reg, .. }) => goes_to(*reg),
            _ => self.plan.homes.get(&v).is_some_and(|h| goes_to(VReg(h[0]))), // what a load has put there
        };
        let touches = |k: &usize| {
            let op = &self.block.insts[*k].op;
            let mut is_touched = matches!(op, Op::VGet { reg, .. } | Op::VSet { reg, .. } if goes_to(*reg));
            op.for_each_arg(|v| is_touched |= reads(v));
            is_touched
        };
        matches!(inst.op, Op::Load { space: Space::Lds, .. }) && !self.open.insts.iter().any(touches)
    }

    /// Effects of the skeleton keep their order among themselves, and reads stay behind the writes of what they read.
    fn must_wait(&self, inst: &Inst) -> bool {
        let mut before = self.post.iter().map(|p| &self.block.insts[*p].op);
        match &inst.op {
            Op::SGet(read) => before.any(|op| matches!(op, Op::SSet(reg, _) if reg == read)),
            Op::ExecGet => before.any(|op| matches!(op, Op::ExecSet(_))),
            op => op.effect() != Effect::None && before.any(Op::has_effect),
        }
    }

    /// Is `v` a rematerializable read of a VGPR that the open region writes?
    fn reads_written(&self, v: Value) -> bool {
        match self.def.get(&v).map(|i| &self.block.insts[*i].op) {
            Some(Op::VGet { reg, .. }) => self.written.contains(reg),
            _ => false,
        }
    }

    fn add_lane(&mut self, i: usize, on_post: bool, accepting_back_ends: u8) {
        if on_post
            || self.open.back_ends & accepting_back_ends == 0
            || self.open.insts.len() >= MAX_REGION
            || self.open_inputs() >= wavejit_ir::abi::SLOTS - 8
        {
            self.close();
        }
        let inst = &self.block.insts[i];
        self.open.back_ends &= accepting_back_ends;
        self.open.insts.push(i);
        self.inside.extend((0..inst.results).map(|r| inst.result(r.into())));
        if let Op::VSet { reg, .. } = inst.op {
            self.written.insert(reg);
        }
        let mut inputs = vec![];
        inst.op.for_each_arg(|v| self.collect_inputs(v, &mut inputs));
        for v in inputs {
            let list = if self.func.ty(v) == Ty::MASK { &mut self.open.masks } else { &mut self.open.scalars };
            if !list.contains(&v) {
                list.push(v);
            }
        }
    }

    fn open_inputs(&self) -> usize {
        self.open.masks.len() + self.open.scalars.len() + self.open.insts.len() / 8
    }

    /// Scalars and masks that using `v` in the open region takes from outside.
    fn collect_inputs(&self, v: Value, out: &mut Vec<Value>) {
        if self.inside.contains(&v) {
            return;
        }
        let t = self.func.ty(v);
        if t == Ty::MASK || t.shape == Shape::Scalar {
            out.push(v);
        } else if let Some(Op::Splat(s)) = self.def.get(&v).map(|i| &self.block.insts[*i].op)
            && !self.is_constant(*s)
        {
            out.push(*s);
        }
    }

    /// Regions have constants in their code.
    fn is_constant(&self, s: Value) -> bool {
        matches!(self.def.get(&s).map(|i| &self.block.insts[*i].op), Some(Op::Const { .. }))
    }

    fn close(&mut self) {
        if !self.open.insts.is_empty() {
            self.plan.steps.push(Step::Region(std::mem::take(&mut self.open)));
        }
        self.plan.steps.extend(std::mem::take(&mut self.post).into_iter().map(Step::Inst));
        self.inside.clear();
        self.after.clear();
        self.written.clear();
    }

    /// Finds what each region hands out, computes rematerializable values that row steps need, and gives out temporary rows.
    fn place(&mut self) {
        self.rematerialize();
        let mut step_of: FxHashMap<usize, usize> = FxHashMap::default();
        for (s, step) in self.plan.steps.iter().enumerate() {
            match step {
                Step::Inst(i) => {
                    step_of.insert(*i, s);
                }
                Step::Region(r) => step_of.extend(r.insts.iter().map(|i| (*i, s))),
            }
        }
        let end = self.plan.steps.len();
        // Last step that reads each value; rematerializable values pass their readers on to nobody (they are rematerialized).
        let last_step = |v: Value, home_step: usize| -> Option<usize> {
            let later = |i: &usize| step_of.get(i).copied().unwrap_or(if *i >= self.block.insts.len() { end } else { 0 });
            self.uses.get(&v)?.iter().filter(|i| !self.plan.fused.contains(*i)).map(later).filter(|s| *s != home_step).max()
        };
        let mut free: Vec<u16> = vec![];
        let mut expiring: Vec<Vec<u16>> = vec![vec![]; end + 1];
        let mut next = 0u16;
        let mut homes = std::mem::take(&mut self.plan.homes);
        let mut steps = std::mem::take(&mut self.plan.steps);
        for (s, step) in steps.iter_mut().enumerate() {
            let mut defs: Vec<Value> = vec![];
            match step {
                Step::Inst(i) => {
                    let inst = &self.block.insts[*i];
                    defs.extend((0..inst.results).map(|r| inst.result(r.into())));
                }
                Step::Region(r) => {
                    for i in &r.insts {
                        let inst = &self.block.insts[*i];
                        defs.extend((0..inst.results).map(|k| inst.result(k.into())));
                    }
                }
            }
            for v in defs {
                let t = self.func.ty(v);
                if t.shape == Shape::Scalar || homes.contains_key(&v) {
                    continue;
                }
                let (is_region, last) = match step {
                    Step::Region(_) => (true, last_step(v, s)),
                    Step::Inst(_) => (false, last_step(v, s).or(Some(s))),
                };
                let Some(last) = last else { continue };
                if t == Ty::MASK {
                    if let Step::Region(r) = step {
                        r.mask_outs.push(v);
                    }
                    continue;
                }
                let mut take = || {
                    free.pop().unwrap_or_else(|| {
                        next += 1;
                        TEMP_ROW + next - 1
                    })
                };
                let rows = if t.width == Width::B64 { [take(), take()] } else { [take(), NO_ROW] };
                expiring[last.max(s)].extend(rows.iter().filter(|r| **r != NO_ROW));
                homes.insert(v, rows);
                if let (true, Step::Region(r)) = (is_region, &mut *step) {
                    r.row_outs.push(v);
                }
            }
            free.append(&mut expiring[s]);
        }
        self.plan.steps = steps;
        self.plan.homes = homes;
        self.plan.temp_rows = next;
    }

    /// Row steps and lane reads need their operands in rows: a rematerializable VGPR read is its row; other rematerializable values are computed by a
    /// small region before the step.
    fn rematerialize(&mut self) {
        let steps = std::mem::take(&mut self.plan.steps);
        let mut out: Vec<Step> = vec![];
        let mut made: FxHashSet<Value> = FxHashSet::default();
        for step in steps {
            if let Step::Inst(i) = step {
                let mut region = Region::default();
                self.block.insts[i].op.for_each_arg(|v| {
                    let Some(d) = self.def.get(&v).copied() else { return };
                    if self.func.ty(v) == Ty::MASK || self.class[d] != Class::Rematerializable {
                        return;
                    }
                    match self.block.insts[d].op {
                        Op::VGet { reg, .. } => {
                            self.plan.homes.insert(v, [reg.0, NO_ROW]);
                        }
                        Op::Splat(s) if made.insert(v) => {
                            region.insts.push(d);
                            if !self.is_constant(s) && !region.scalars.contains(&s) {
                                region.scalars.push(s);
                            }
                        }
                        _ if made.insert(v) => region.insts.push(d),
                        _ => {}
                    }
                });
                if !region.insts.is_empty() {
                    out.push(Step::Region(region));
                }
            }
            out.push(step);
        }
        self.plan.steps = out;
    }
}

/// Number of dwords of rows a value takes.
pub fn is_wide(func: &Func, v: Value) -> bool {
    func.ty(v).width == Width::B64
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::text::parse;

    /// Steps of the block in which instructions are, by their text.
    fn order(text: &str, what: &[fn(&Op) -> bool]) -> Vec<usize> {
        let func = parse(text).unwrap();
        let insts = &func.blocks[0].insts;
        let plan = plan(&func, 0, &|_, _, _| 1);
        let step = |is: &fn(&Op) -> bool| {
            plan.steps.iter().position(|s| match s {
                Step::Inst(i) => is(&insts[*i].op),
                Step::Region(r) => r.insts.iter().any(|i| is(&insts[*i].op)),
            })
        };
        what.iter().map(|is| step(is).expect("a step")).collect()
    }

    const LOADS: &str = r#"func "f" wave32 {
b0 pc=0 mode=0x3f0 insts=4:
  %0: mask = exec
  %1: l32 = vget v0 demand %0
  %2: l32 = vget v1 demand %0
  %3: l32 = iadd.32 %1, %2
  vset v2, %3, exec %0
  %4: l32 = load lds.b32 [lane %1 + 4], exec %0
  vset REG, %4, exec %0
  %5: l32 = iadd.32 %3, %4
  vset v4, %5, exec %0
  end
}"#;

    #[test]
    fn loads_from_lds_run_before_a_region_that_they_do_not_touch() {
        let sum: fn(&Op) -> bool = |op| matches!(op, Op::Pure { op: wavejit_ir::PureOp::IAdd32, .. });
        let load: fn(&Op) -> bool = |op| matches!(op, Op::Load { .. });
        let steps = |reg: &str| order(&LOADS.replace("REG", reg), &[sum, load]);
        let free = steps("v3");
        assert!(free[1] < free[0], "{free:?}");
        // The region writes v2 and reads v1.
        for reg in ["v1", "v2"] {
            let bound = steps(reg);
            assert!(bound[0] < bound[1], "{reg}: {bound:?}");
        }
    }

    #[test]
    fn loads_stay_behind_a_region_that_reads_what_a_load_has_put_into_their_row() {
        let text = |row: &str| {
            format!(
                r#"func "f" wave32 {{
b0 pc=0 mode=0x3f0 insts=4:
  %0: mask = exec
  %1: l32 = vget v0 demand %0
  %3: s64 = const.64 64
  %2: l32 = load global.b32 [%3], exec %0
  vset v2, %2, exec %0
  vset v3, %2, exec %0
  %4: l32 = load lds.b32 [lane %1 + 4], exec %0
  vset {row}, %4, exec %0
  end
}}"#
            )
            .replace(
                "  %2:",
                "  %3: s64 = const.64 64
  %2:",
            )
        };
        let copy: fn(&Op) -> bool = |op| matches!(op, Op::VSet { reg: VReg(3), .. });
        let load: fn(&Op) -> bool = |op| matches!(op, Op::Load { space: Space::Lds, .. });
        let [bound, free] = ["v2", "v4"].map(|row| order(&text(row), &[copy, load]));
        assert!(bound[0] < bound[1], "{bound:?}");
        assert!(free[1] < free[0], "{free:?}");
    }

    #[test]
    fn reads_of_scalar_registers_stay_behind_writes_that_wait_for_a_region() {
        let text = r#"func "f" wave32 {
b0 pc=0 mode=0x3f0 insts=1:
  %0: mask = exec
  %1: l32 = vget v0 demand %0
  %2: l32 = vget v1 demand %0
  %3: mask = eq.32 %1, %2
  %4: s64 = maskbits %3
  %5: s32 = lo.64 %4
  sset vcc_lo, %5
  %6: s32 = sget vcc_lo
  %7: s32 = sget s4
  %8: s64 = zext.64 %6
  %9: mask = bitsmask %8
  setexec %9
  %10: mask = exec
  %11: l32 = sel.32 %10, %1, %2
  vset v2, %11, exec %0
  end
}"#;
        let steps = order(
            text,
            &[
                |op| matches!(op, Op::SGet(r) if r.0 == 4),
                |op| matches!(op, Op::Pure { op: wavejit_ir::PureOp::ICmpEq32, .. }),
                |op| matches!(op, Op::SSet(..)),
                |op| matches!(op, Op::SGet(r) if r.0 != 4),
                |op| matches!(op, Op::ExecSet(_)),
                |op| matches!(op, Op::VSet { .. }),
            ],
        );
        assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
    }
}
