//! Register promotion and simplification inside each block.
//!
//! Before: registers are read and written at every instruction. After: in each block a scalar register is read at most once before its
//! first write and written at most once, at the end; VGPR reads that a write in the block covers use the written value; constants are
//! folded, equal pure operations are one.
//!
//! ```text
//! vset v1, %3, exec %0            vset v1, %3, exec %0      (dropped later if a write follows)
//! %5 = vget v1 demand %0     =>
//! %6 = fadd.32 %5, %4             %6 = fadd.32 %3, %4
//! ```
//!
//! The proof obligation for VGPRs (DESIGN.md section 5): a write under EXEC `e` stands for a read under demand `d` only if `d` is a
//! subset of `e`; `masks::is_subset` proves that from the masks' definitions. A read that demands all lanes reads the row.

use super::{
    OptOptions, constants, masks,
    simplify::{self, Simpler},
};
use foldhash::fast::RandomState;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;
use wavejit_ir::{Block, FpMode, Func, Inst, MemKind, Op, PureOp, SReg, Shape, Term, Ty, VReg, Value, Width, goes_back};

/// Runs on every block.
pub fn run(func: &mut Func, opts: OptOptions) {
    let from = straight_from(func);
    let mut ends: Vec<Constants> = vec![];
    let mut facts = Facts::new(func, opts);
    for (i, from) in from.iter().enumerate() {
        let (insts, term_pc) = (std::mem::take(&mut facts.func.blocks[i].insts), facts.func.blocks[i].term_pc);
        facts.begin(insts.len());
        if let [first, others @ ..] = &from[..] {
            facts.before = ends[*first as usize].common(others.iter().map(|b| &ends[*b as usize]));
        }
        for inst in insts {
            facts.add(inst);
        }
        ends.push(facts.constants_at_end());
        facts.flush_scalars(term_pc);
        let block = &mut facts.func.blocks[i];
        block.term.map_args(|v| facts.alias.get(v).unwrap_or(v));
        block.insts = std::mem::take(&mut facts.out);
        drop_covered_vsets(block);
    }
}

/// By block: all that lead to it, if they stand before it and go straight there.
fn straight_from(func: &Func) -> Vec<Vec<u32>> {
    let mut from: Vec<Option<Vec<u32>>> = vec![Some(vec![]); func.blocks.len()];
    for (block, i) in func.blocks.iter().zip(0..) {
        let is_plain = matches!(block.term, Term::Jump(_) | Term::Branch { .. });
        block.term.for_each_successor(|s| {
            let is_straight = is_plain && i < s.0 && !goes_back(block, func.block(s));
            match &mut from[s.0 as usize] {
                Some(list) if is_straight => list.push(i),
                list => *list = None,
            }
        });
    }
    from[0] = None;
    from.into_iter().map(Option::unwrap_or_default).collect()
}

/// Registers that hold constants: scalar ones, and rows in all lanes of EXEC.
#[derive(Clone, Default)]
struct Constants {
    scalars: FxHashMap<SReg, u32>,
    rows: FxHashMap<VReg, u32>,
}

impl Constants {
    /// What all have in common.
    fn common<'a>(&self, others: impl Iterator<Item = &'a Constants>) -> Constants {
        let mut common = self.clone();
        for other in others {
            common.scalars.retain(|r, bits| other.scalars.get(r) == Some(bits));
            common.rows.retain(|r, bits| other.rows.get(r) == Some(bits));
        }
        common
    }
}

/// What is known of values. Those of other blocks may stay: no block asks for them.
struct ByValue<T>(Vec<Option<T>>);

impl<T: Copy> ByValue<T> {
    fn get(&self, v: Value) -> Option<T> {
        self.0.get(v.0 as usize).copied().flatten()
    }

    fn insert(&mut self, v: Value, what: T) {
        let i = v.0 as usize;
        if i >= self.0.len() {
            self.0.resize(i + 1, None);
        }
        self.0[i] = Some(what);
    }
}

/// What is known while walking a block.
pub(super) struct Facts<'f> {
    pub func: &'f mut Func,
    /// [`OptOptions::is_wide`].
    pub is_wide: bool,
    /// [`OptOptions::is_avx512`].
    pub is_avx512: bool,
    out: Vec<Inst>,
    /// value -> what stands for it now
    alias: ByValue<Value>,
    /// dword -> the half of a 64-bit value that stands for it now
    halves: ByValue<Value>,
    /// value -> index in `out` of its definition
    def: ByValue<u32>,
    /// scalar that was read from a lane -> the lane value that is it in all lanes
    lanes: ByValue<Value>,
    /// effect-free operation -> its value; hashed so that no choice of constants makes it slow
    seen: HashMap<Key, Value, RandomState>,
    scalars: FxHashMap<SReg, Value>,
    /// Written, in order of first write.
    dirty: Vec<SReg>,
    exec: Option<Value>,
    /// row -> (value, lanes in which the row equals it; None: all)
    rows: FxHashMap<VReg, (Value, Option<Value>)>,
    /// The same of more lanes, of rows that were written in some of those: the written value and what was there before, chosen by the mask.
    chosen: FxHashMap<VReg, (Value, Value)>,
    /// What blocks before have left, of what this one has not written so far.
    before: Constants,
    pc: u64,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Const(Width, u64),
    CodeAddress(u64),
    Splat(Value),
    LaneId,
    LaneTable(u32),
    Pure(PureOp, FpMode, [Option<Value>; 3]),
    MaskBits(Value),
    BitsMask(Value),
}

impl<'f> Facts<'f> {
    fn new(func: &'f mut Func, opts: OptOptions) -> Self {
        // Most values have a definition, few stand for others' halves.
        let values = func.types.len();
        Facts {
            func,
            is_wide: opts.is_wide,
            is_avx512: opts.is_avx512,
            out: vec![],
            alias: ByValue(vec![None; values]),
            halves: ByValue(vec![]),
            def: ByValue(vec![None; values]),
            lanes: ByValue(vec![]),
            seen: HashMap::default(),
            scalars: FxHashMap::default(),
            dirty: vec![],
            exec: None,
            rows: FxHashMap::default(),
            chosen: FxHashMap::default(),
            before: Constants::default(),
            pc: 0,
        }
    }

    /// Begins a block of about so many instructions.
    fn begin(&mut self, insts: usize) {
        self.out.reserve(insts);
        self.seen.clear();
        self.scalars.clear();
        self.dirty.clear();
        self.rows.clear();
        self.chosen.clear();
        self.before = Constants::default();
        (self.exec, self.pc) = (None, 0);
    }

    /// What stands for `v` now.
    pub(super) fn resolve(&self, v: Value) -> Value {
        let v = self.alias.get(v).unwrap_or(v);
        self.halves.get(v).unwrap_or(v)
    }

    /// From here on the dwords are those of `whole`, which they are the halves of.
    pub(super) fn take_halves(&mut self, low: Value, high: Value, whole: Value) {
        self.take_half(PureOp::Lo64, low, whole);
        self.take_half(PureOp::Hi64, high, whole);
    }

    fn take_half(&mut self, op: PureOp, dword: Value, whole: Value) {
        let half = self.find_pure(op, &[whole]).unwrap_or_else(|| {
            let half = self.func.new_values(&[Ty::L32]);
            let args = [Some(whole), None, None];
            self.append(Op::Pure { op, mode: FpMode(0), args }, half, 1);
            self.seen.insert(Key::Pure(op, FpMode(0), args), half);
            half
        });
        if half == dword {
            return;
        }
        self.halves.insert(dword, half);
        self.rows.values_mut().filter(|(v, _)| *v == dword).for_each(|(v, _)| *v = half);
        self.chosen.values_mut().filter(|(v, _)| *v == dword).for_each(|(v, _)| *v = half);
        self.write_instead(dword, half);
    }

    /// Writes of a dword to rows that nobody can have seen yet write what stands for it.
    fn write_instead(&mut self, dword: Value, half: Value) {
        let (mut found, mut later) = (vec![], FxHashSet::default());
        for (i, inst) in self.out.iter().enumerate().rev() {
            match inst.op {
                Op::VSet { reg, value, .. } => {
                    let is_last = later.insert(reg);
                    if is_last && value == dword {
                        found.push(i);
                    }
                }
                Op::Note { .. } | Op::Refund { .. } => {}
                Op::VGet { .. } => break,
                ref op if op.has_effect() => break,
                _ => {}
            }
        }
        for i in found.into_iter().rev() {
            let Op::VSet { reg, exec, .. } = self.out[i].op else { continue };
            let pc = std::mem::replace(&mut self.pc, self.out[i].pc);
            // In its place, something that nobody uses.
            let nothing = self.func.new_values(&[Ty { shape: Shape::Scalar, width: Width::B32 }]);
            self.out[i] = Inst { op: Op::Const { width: Width::B32, bits: 0 }, first: nothing, results: 1, pc: self.pc };
            self.append(Op::VSet { reg, value: half, exec }, nothing, 0);
            self.pc = pc;
        }
    }

    /// Defining operation of `v`, if it is in this block.
    pub(super) fn op(&self, v: Value) -> Option<&Op> {
        self.def.get(v).map(|i| &self.out[i as usize].op)
    }

    /// The pure operation that defines `v`.
    pub(super) fn pure(&self, v: Value) -> Option<(PureOp, [Option<Value>; 3])> {
        match self.op(v)? {
            Op::Pure { op, args, .. } => Some((*op, *args)),
            _ => None,
        }
    }

    /// EXEC here, if the block has it.
    pub(super) fn exec(&self) -> Option<Value> {
        self.exec
    }

    /// Bits of `v` if it is a scalar constant.
    pub(super) fn constant(&self, v: Value) -> Option<u64> {
        match self.op(v)? {
            Op::Const { bits, .. } => Some(*bits),
            _ => None,
        }
    }

    /// The constant that a value is in all lanes.
    pub(super) fn lanes_constant(&self, v: Value) -> Option<u64> {
        match self.op(v)? {
            Op::Splat(s) => self.constant(*s),
            _ => None,
        }
    }

    /// The lane value that is known to be a scalar in all lanes, if that was read from one.
    pub(super) fn in_all_lanes(&self, scalar: Value) -> Option<Value> {
        self.lanes.get(scalar)
    }

    /// From here on `lanes` is known to be `scalar` in all lanes.
    pub(super) fn note_lanes(&mut self, scalar: Value, lanes: Value) {
        self.lanes.insert(scalar, lanes);
    }

    /// A dword that is the same in all lanes.
    pub(super) fn make_splat32(&mut self, bits: u64) -> Value {
        let bits = self.make_const(Width::B32, bits);
        self.make(Op::Splat(bits), Ty::L32)
    }

    /// Is mask `a` provably a subset of mask `b`?
    pub(super) fn is_subset(&self, a: Value, b: Value) -> bool {
        constants::is_all(self, b) || masks::is_subset(&|v| self.pure(v), a, b)
    }

    /// Do masks provably have no lane in common?
    pub(super) fn are_disjoint(&self, a: Value, b: Value) -> bool {
        masks::are_disjoint(&|v| self.pure(v), a, b)
    }

    /// Appends an operation with an effect and one result.
    pub(super) fn append_effect(&mut self, op: Op, ty: Ty) -> Value {
        let v = self.func.new_values(&[ty]);
        self.append(op, v, 1);
        v
    }

    /// Appends `op` as is.
    fn append(&mut self, op: Op, first: Value, results: u8) {
        for r in 0..results {
            self.def.insert(Value(first.0 + u32::from(r)), self.out.len() as u32);
        }
        self.out.push(Inst { op, first, results, pc: self.pc });
    }

    /// A new instruction with one result, simplified and shared like any other.
    pub(super) fn make(&mut self, op: Op, ty: Ty) -> Value {
        let v = self.func.new_values(&[ty]);
        self.emit(op, v);
        self.resolve(v)
    }

    /// A new pure operation of mode-free kind; shape from its operands, which must agree.
    pub(super) fn make_pure(&mut self, op: PureOp, vals: &[Value]) -> Value {
        let mut args = [None; 3];
        for (a, v) in args.iter_mut().zip(vals) {
            *a = Some(*v);
        }
        let shape = vals.first().map_or(Shape::Scalar, |v| self.func.ty(*v).shape);
        self.make(Op::Pure { op, mode: FpMode(0), args }, Ty { shape, width: op.ret() })
    }

    /// What such an instruction has made, if there is one.
    pub(super) fn find_pure(&self, op: PureOp, vals: &[Value]) -> Option<Value> {
        let args = std::array::from_fn(|i| vals.get(i).copied());
        self.seen.get(&Key::Pure(op, FpMode(0), args)).copied()
    }

    /// A scalar constant.
    pub(super) fn make_const(&mut self, width: Width, bits: u64) -> Value {
        self.make(Op::Const { width, bits }, Ty { shape: Shape::Scalar, width })
    }

    /// Effect-free instruction with the one result `v`.
    fn emit(&mut self, op: Op, v: Value) {
        let op = match simplify::simplify(self, op) {
            Simpler::Value(x) => {
                self.alias.insert(v, x);
                return;
            }
            Simpler::Op(op) => op,
        };
        let key = match &op {
            Op::Const { width, bits } => Key::Const(*width, *bits),
            Op::CodeAddress { pc } => Key::CodeAddress(*pc),
            Op::Splat(a) => Key::Splat(*a),
            Op::LaneId => Key::LaneId,
            Op::LaneTable(t) => Key::LaneTable(*t),
            Op::Pure { op, mode, args } => Key::Pure(*op, *mode, *args),
            Op::MaskBits(a) => Key::MaskBits(*a),
            Op::BitsMask(a) => Key::BitsMask(*a),
            _ => {
                self.append(op, v, 1);
                return;
            }
        };
        match self.seen.get(&key) {
            Some(x) => {
                self.alias.insert(v, *x);
            }
            None => {
                self.seen.insert(key, v);
                self.append(op, v, 1);
            }
        }
    }

    fn add(&mut self, mut inst: Inst) {
        self.pc = inst.pc;
        let (alias, halves) = (&self.alias, &self.halves);
        inst.op.map_args(|v| {
            let v = alias.get(v).unwrap_or(v);
            halves.get(v).unwrap_or(v)
        });
        let v = inst.first;
        if let Op::Load { space, addr, exec, .. } | Op::Store { space, addr, exec, .. } | Op::Atomic { space, addr, exec, .. } =
            &mut inst.op
        {
            *addr = super::address::split(self, *space, *addr, *exec);
        }
        if let Op::Store { kind, data, .. } = &mut inst.op {
            *data = super::narrow::stored(self, *kind, *data);
            if self.is_avx512 && *kind == MemKind::B64 {
                *data = super::qwords::stored(self, *data);
            }
        }
        if let Some(same) = constants::load(self, &inst.op) {
            self.alias.insert(inst.first, same);
            return;
        }
        match inst.op {
            Op::SGet(r) => {
                if let Some(x) = self.scalars.get(&r) {
                    self.alias.insert(v, *x);
                } else if let Some(bits) = self.before.scalars.get(&r).copied().filter(|_| self.func.ty(v).width == Width::B32) {
                    let x = self.make_const(Width::B32, bits.into());
                    self.scalars.insert(r, x);
                    self.alias.insert(v, x);
                } else {
                    self.scalars.insert(r, v);
                    self.append(inst.op, v, 1);
                }
            }
            Op::SSet(r, x) => {
                self.scalars.insert(r, x);
                if !self.dirty.contains(&r) {
                    self.dirty.push(r);
                }
            }
            Op::ExecGet => {
                if let Some(x) = self.exec {
                    self.alias.insert(v, x);
                } else {
                    self.exec = Some(v);
                    self.append(inst.op, v, 1);
                }
            }
            Op::ExecSet(x) => {
                // Lanes that are turned on may hold anything.
                if !self.exec.is_some_and(|exec| self.is_subset(x, exec)) {
                    self.before.rows.clear();
                }
                self.exec = Some(x);
                self.append(inst.op, v, 0);
            }
            Op::VGet { reg, demand } => match self.rows.get(&reg).copied() {
                Some((x, None)) => {
                    self.alias.insert(v, x);
                }
                Some((x, Some(e))) if demand.is_some_and(|d| self.is_subset(d, e)) => {
                    self.alias.insert(v, x);
                }
                None if self.before.rows.contains_key(&reg) && demand.is_some_and(|d| self.is_active(d)) => {
                    let bits = self.make_const(Width::B32, self.before.rows[&reg].into());
                    let x = self.make(Op::Splat(bits), Ty::L32);
                    self.alias.insert(v, x);
                }
                Some(_) if let Some((x, _)) = self.chosen_in(reg, demand) => {
                    self.alias.insert(v, x);
                }
                known => {
                    self.append(inst.op, v, 1);
                    // What a write left is worth more than a read of the same row under another mask.
                    if known.is_none() || demand.is_none() {
                        self.rows.insert(reg, (v, demand));
                    }
                }
            },
            Op::VSet { reg, value, exec } => {
                let value = self.sum_of_halves(value, exec).unwrap_or(value);
                if self.is_wide {
                    super::qwords::join_logic(self, value);
                }
                let value = self.resolve(value);
                let lanes = (!constants::is_all(self, exec)).then_some(exec);
                self.before.rows.remove(&reg);
                self.choose(reg, value, exec);
                self.rows.insert(reg, (value, lanes));
                self.append(Op::VSet { reg, value, exec }, v, 0);
            }
            Op::GetReg { .. } | Op::SetReg { .. } | Op::SendMsg { .. } | Op::SendMsgRtn { .. } => {
                // The run time may look at the wave's registers.
                self.flush_scalars(inst.pc);
                self.append(inst.op, v, inst.results);
            }
            Op::VSetRel { .. } => {
                self.append(inst.op, v, inst.results);
                self.rows.clear();
                self.chosen.clear();
                self.before.rows.clear();
            }
            Op::SGetRel { .. } | Op::SSetRel { .. } => {
                self.flush_scalars(inst.pc);
                self.append(inst.op, v, inst.results);
                self.scalars.clear();
                self.before.scalars.clear();
            }
            ref op if op.has_effect() || inst.results != 1 => self.append(inst.op, v, inst.results),
            op => self.emit(op, v),
        }
    }

    /// What a row is in these lanes, and the lanes in which it is that, if it was written in some of them.
    fn chosen_in(&self, reg: VReg, demand: Option<Value>) -> Option<(Value, Value)> {
        self.chosen.get(&reg).copied().filter(|(_, lanes)| demand.is_some_and(|d| self.is_subset(d, *lanes)))
    }

    /// Before a row is written in the lanes of `exec`: what it will be in those in which it is known.
    fn choose(&mut self, reg: VReg, value: Value, exec: Value) {
        let known = self.chosen.remove(&reg).or_else(|| self.rows.get(&reg).and_then(|(v, lanes)| Some((*v, (*lanes)?))));
        if let Some((old, lanes)) = known.filter(|(_, lanes)| *lanes != exec && self.is_subset(exec, *lanes) && self.is_wide) {
            let both = self.make_pure(PureOp::Sel32, &[exec, value, old]);
            self.chosen.insert(reg, (both, lanes));
        }
    }

    /// Are all lanes of a mask provably active?
    fn is_active(&self, lanes: Value) -> bool {
        self.exec.is_some_and(|exec| self.is_subset(lanes, exec))
    }

    /// What the block leaves, before its scalars are written back.
    fn constants_at_end(&self) -> Constants {
        let mut end = self.before.clone();
        for (r, x) in &self.scalars {
            // Hardware registers may change behind our back.
            match self.constant(*x).filter(|_| *r <= SReg::VCC_HI && self.func.ty(*x).width == Width::B32) {
                Some(bits) => end.scalars.insert(*r, bits as u32),
                None => end.scalars.remove(r),
            };
        }
        for (row, (x, lanes)) in &self.rows {
            let bits = self.lanes_constant(*x);
            let is_everywhere = lanes.is_none_or(|lanes| self.exec.is_some_and(|exec| self.is_subset(exec, lanes)));
            match bits.filter(|_| is_everywhere && self.func.ty(*x) == Ty::L32) {
                Some(bits) => end.rows.insert(*row, bits as u32),
                None => end.rows.remove(row),
            };
        }
        end
    }

    /// The high half of a 64-bit sum that stands for `high` where it is written in the lanes of `exec`.
    fn sum_of_halves(&mut self, high: Value, exec: Value) -> Option<Value> {
        let (whole, low) = self.is_wide.then(|| super::qwords::carried(self, high, exec)).flatten()?;
        // In other lanes the high half may be another.
        self.take_half(PureOp::Lo64, low, whole);
        Some(self.make_pure(PureOp::Hi64, &[whole]))
    }

    fn write_scalar(&mut self, r: SReg) {
        let (x, v) = (self.scalars[&r], self.func.new_values(&[]));
        self.append(Op::SSet(r, x), v, 0);
    }

    /// Writes this scalar register and the next, as halves of one sum if they are that: who reads an address reads both.
    fn write_pair(&mut self, low: SReg) {
        let high = SReg(low.0 + 1);
        let [x, y] = [low, high].map(|r| self.scalars[&r]);
        if self.is_wide
            && let Some(sum) = super::qwords::scalar_sum(self, x, y)
        {
            for (r, half) in [(low, PureOp::Lo64), (high, PureOp::Hi64)] {
                let half = self.make_pure(half, &[sum]);
                self.scalars.insert(r, half);
            }
        }
        self.write_scalar(low);
        self.write_scalar(high);
    }

    /// Writes back what is only known here.
    fn flush_scalars(&mut self, pc: u64) {
        self.pc = pc;
        let dirty = std::mem::take(&mut self.dirty);
        for r in &dirty {
            let (low, high) = (SReg(r.0 & !1), SReg(r.0 | 1));
            let is_pair = high <= SReg::VCC_HI && dirty.contains(&low) && dirty.contains(&high);
            match is_pair {
                true if *r == low => self.write_pair(low),
                true => {}
                false => self.write_scalar(*r),
            }
        }
        // Hardware registers may change behind our back; the others do not.
        self.scalars.retain(|r, _| r.0 <= SReg::SCC.0);
    }
}

/// Drops a `VSet` that a later one to the same row covers before anybody reads the row.
fn drop_covered_vsets(block: &mut Block) {
    let mut covered: FxHashMap<VReg, Vec<Value>> = FxHashMap::default(); // row -> masks of later writes with no read between
    let mut keep = vec![true; block.insts.len()];
    for (i, inst) in block.insts.iter().enumerate().rev() {
        match &inst.op {
            Op::VSet { reg, exec, .. } => {
                let later = covered.entry(*reg).or_default();
                if later.contains(exec) {
                    keep[i] = false;
                } else {
                    later.push(*exec);
                }
            }
            Op::VGet { reg, .. } => {
                covered.remove(reg);
            }
            Op::VGetRel { .. } | Op::VSetRel { .. } => covered.clear(),
            _ => {}
        }
    }
    let mut k = keep.iter();
    block.insts.retain(|_| *k.next().expect("one flag per instruction"));
}

#[cfg(test)]
mod tests;
