//! The Cranelift region back end: a region as a loop over chunks of four lanes.
//!
//! ```text
//! extern "C" fn region(state: *mut WaveState)
//!   slots[0..m] masks, slots[m..m+s] scalars; after the loop slots[m+s..] = masks handed out
//!   for chunk in 0..wave_size/4 { load rows, compute in 128-bit vectors, blend, store rows }
//! ```
//!
//! Scalars are broadcast before the loop, as many as registers may hold; constants have no slots, but are in the code. 64-bit lanes are qwords or, as
//! long as only logic, selections and shifts by constants work on them, pairs of dwords, as rows have them.
//!
//! If a write must keep lanes outside its mask there are two loops: one for the case that every such mask is full, without blends, and
//! one with. Cranelift has 128-bit vectors only; operations it has no good instruction for are refused ([`accepts`]) and run as row
//! functions. NaN results rely on x86: the first NaN operand in order, quieted, and the negative default NaN. Hosts that differ refuse
//! float arithmetic. Loads are bit-cast before float use, which keeps Cranelift from folding a load into an operation with swapped operands.

use super::EmitError;
use crate::region::{Plan, Region};
use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::FloatCC, condcodes::IntCC, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use wavejit_ir::abi::{NO_ROW, WaveState};
use wavejit_ir::op::pure::{BackEnd, Support};
use wavejit_ir::{Block, Func, Op, PureOp, VReg, Value, Width};

/// Lanes of a chunk.
const CHUNK: u32 = 4;

/// Nibble of a mask -> four lanes of all ones or zeros.
static LANE_MASKS: [[u32; 4]; 16] = {
    let mut t = [[0; 4]; 16];
    let mut i = 0;
    while i < 16 {
        let mut k = 0;
        while k < 4 {
            t[i][k] = if i >> k & 1 != 0 { u32::MAX } else { 0 };
            k += 1;
        }
        i += 1;
    }
    t
};

/// Can this back end compile the pure operation `op` in a region? `def` and `block` give the definitions of its operands.
pub(super) fn accepts(op: &Op, def: &dyn Fn(Value) -> Option<usize>, block: &Block, host: super::HostFeatures) -> bool {
    let Op::Pure { op, mode, args } = op else { return false };
    let splat = |v: Option<Value>| matches!(v.and_then(def).map(|i| &block.insts[i].op), Some(Op::Splat(_)));
    let constant = |v: Option<Value>| splat_constant(block, def, v).is_some();
    let from = |first: usize, holds: &dyn Fn(Option<Value>) -> bool| args[first..op.args().len()].iter().all(|v| holds(*v));
    let is_plain = host.x86_nans && if op.args()[0] == Width::B64 { mode.is_plain16_64() } else { mode.is_plain32() };
    match op.support(BackEnd::Lanes) {
        Support::Never => false,
        Support::Always => true,
        Support::UniformFrom1 => from(1, &splat),
        Support::ConstantFrom1 => from(1, &constant),
        Support::ConstantFrom2 => from(2, &constant),
        Support::Plain => is_plain,
        Support::PlainFma => is_plain && host.fma.is_some(),
        Support::PlainIeee => is_plain && mode.ieee(),
        Support::PlainClamp => is_plain && mode.dx10_clamp(),
    }
}

/// The constant that `v` is a splat of.
fn splat_constant(block: &Block, def: &dyn Fn(Value) -> Option<usize>, v: Option<Value>) -> Option<u64> {
    let op = |v: Value| def(v).map(|i| &block.insts[i].op);
    match op(v?)? {
        Op::Splat(s) => match op(*s)? {
            Op::Const { bits, .. } => Some(*bits),
            _ => None,
        },
        _ => None,
    }
}

enum Cond {
    Plain(FloatCC),
    /// Ordered and not equal, which x86 vectors have no code for.
    LessOrGreater,
    /// Its complement.
    NotLessOrGreater,
}

/// f32 and f64 comparisons.
fn float_condition(op: PureOp) -> Option<Cond> {
    use Cond::*;
    use PureOp::*;
    Some(match op {
        FCmpLt32 | FCmpLt64 => Plain(FloatCC::LessThan),
        FCmpEq32 | FCmpEq64 => Plain(FloatCC::Equal),
        FCmpLe32 | FCmpLe64 => Plain(FloatCC::LessThanOrEqual),
        FCmpGt32 | FCmpGt64 => Plain(FloatCC::GreaterThan),
        FCmpGe32 | FCmpGe64 => Plain(FloatCC::GreaterThanOrEqual),
        FCmpO32 | FCmpO64 => Plain(FloatCC::Ordered),
        FCmpU32 | FCmpU64 => Plain(FloatCC::Unordered),
        FCmpNge32 | FCmpNge64 => Plain(FloatCC::UnorderedOrLessThan),
        FCmpNgt32 | FCmpNgt64 => Plain(FloatCC::UnorderedOrLessThanOrEqual),
        FCmpNle32 | FCmpNle64 => Plain(FloatCC::UnorderedOrGreaterThan),
        FCmpNlt32 | FCmpNlt64 => Plain(FloatCC::UnorderedOrGreaterThanOrEqual),
        FCmpNeq32 | FCmpNeq64 => Plain(FloatCC::NotEqual),
        FCmpLg32 | FCmpLg64 => LessOrGreater,
        FCmpNlg32 | FCmpNlg64 => NotLessOrGreater,
        _ => return None,
    })
}

/// Integer comparisons, any width.
fn int_condition(op: PureOp) -> Option<IntCC> {
    use PureOp::*;
    Some(match op {
        ICmpEq32 | ICmpEq64 => IntCC::Equal,
        ICmpNe32 | ICmpNe64 => IntCC::NotEqual,
        ICmpSlt32 | ICmpSlt64 => IntCC::SignedLessThan,
        ICmpSle32 | ICmpSle64 => IntCC::SignedLessThanOrEqual,
        ICmpSgt32 | ICmpSgt64 => IntCC::SignedGreaterThan,
        ICmpSge32 | ICmpSge64 => IntCC::SignedGreaterThanOrEqual,
        ICmpUlt32 | ICmpUlt64 => IntCC::UnsignedLessThan,
        ICmpUle32 | ICmpUle64 => IntCC::UnsignedLessThanOrEqual,
        ICmpUgt32 | ICmpUgt64 => IntCC::UnsignedGreaterThan,
        ICmpUge32 | ICmpUge64 => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

/// Shifts whose amounts are scalars here.
fn is_shift(op: PureOp) -> bool {
    use PureOp::*;
    matches!(op, Shl32 | LShr32 | AShr32 | Shl64 | LShr64 | AShr64)
}

/// Can the operation be done on dwords of 64-bit lanes? Shifts only by constants.
fn takes_pairs(op: PureOp, by_constant: bool) -> bool {
    use PureOp::*;
    matches!(op, And64 | Or64 | Xor64 | Sel64 | Lo64 | Hi64) || by_constant && is_shift(op)
}

/// A lane value of one chunk.
#[derive(Clone, Copy)]
enum Chunk {
    /// i32x4: four dwords, or four lane masks of all ones or zeros.
    Word(cl::Value),
    /// Two i64x2: lanes 0, 1 and lanes 2, 3.
    Wide(cl::Value, cl::Value),
    /// Two i32x4: low and high dwords of 64-bit lanes.
    Pair(cl::Value, cl::Value),
}

/// One compiled region body.
pub(super) struct Lanes<'a, 'b> {
    pub func: &'a Func,
    /// The function's lane tables, where they live as long as the compiled function.
    pub tables: &'a [[u32; 64]],
    pub block: &'a Block,
    pub plan: &'a Plan,
    /// Index of the defining instruction of each value of the block.
    pub defs: &'a FxHashMap<Value, usize>,
    pub region: &'a Region,
    /// For each instruction of the block: must a `VSet` keep the other lanes?
    pub blend: &'a [bool],
    pub b: FunctionBuilder<'b>,
}

/// What the chunk loop carries.
struct Loop {
    /// Address of the column of rows of the first chunk.
    column: cl::Value,
    /// Bytes from there to the column of the chunk in work.
    at: i32,
    chunk: FxHashMap<Value, Chunk>,
    /// Scalars in all lanes, made before the loop: by scalar and whether the lanes are of 64 bits.
    splats: FxHashMap<(Value, bool), cl::Value>,
    /// Values that are [`Chunk::Pair`] as qwords, too.
    qwords: FxHashMap<Value, Chunk>,
    /// Incoming masks known to be full.
    full: Vec<Value>,
}

/// Operations of a turn of the loop, if it is of more than one chunk.
const LONG_TURN: usize = 80;

/// Splats made before the loop, at most. Each takes a register, or a place on the stack, all through it.
const MAX_SPLATS: usize = 12;

impl Lanes<'_, '_> {
    fn def(&self, v: Value) -> Option<&Op> {
        self.defs.get(&v).map(|i| &self.block.insts[*i].op)
    }

    fn flags() -> MemFlagsData {
        MemFlagsData::trusted()
    }

    fn cast(&mut self, ty: cl::Type, v: cl::Value) -> cl::Value {
        if self.b.func.dfg.value_type(v) == ty {
            return v;
        }
        self.b.ins().bitcast(ty, MemFlagsData::new().with_endianness(cl::Endianness::Little), v)
    }

    fn slot(i: usize) -> i32 {
        (offset_of!(WaveState, slots) + 8 * i) as i32
    }

    fn row_bytes(&self) -> i32 {
        4 * self.func.wave_size as i32
    }

    /// Compiles the region into the builder's function, whose signature is `fn(state)`.
    pub(super) fn compile(mut self, config: TargetFrontendConfig) -> Result<(), EmitError> {
        let entry = self.b.create_block();
        self.b.append_block_params_for_function_params(entry);
        self.b.switch_to_block(entry);
        self.b.seal_block(entry);
        let state = self.b.block_params(entry)[0];
        let rows = self.b.ins().load(types::I64, Self::flags(), state, offset_of!(WaveState, rows) as i32);
        let masks: Vec<cl::Value> =
            (0..self.region.masks.len()).map(|i| self.b.ins().load(types::I64, Self::flags(), state, Self::slot(i))).collect();
        let blended = self.masks_that_blend();
        if !blended.is_empty() && self.region.insts.len() <= 400 {
            let (full, partial) = (self.b.create_block(), self.b.create_block());
            let mut all = masks[blended[0]];
            for m in &blended[1..] {
                all = self.b.ins().band(all, masks[*m]);
            }
            let want = if self.func.wave_size == 64 { -1 } else { 0xffff_ffff };
            let is_full = self.b.ins().icmp_imm_s(IntCC::Equal, all, want);
            self.b.ins().brif(is_full, full, &[], partial, &[]);
            for (block, is_full) in [(full, true), (partial, false)] {
                self.b.switch_to_block(block);
                self.b.seal_block(block);
                self.chunk_loop(state, rows, &masks, is_full.then_some(&blended[..]))?;
            }
        } else {
            self.chunk_loop(state, rows, &masks, None)?;
        }
        self.b.finalize(config);
        Ok(())
    }

    /// Indices of incoming masks under which a write must keep other lanes.
    fn masks_that_blend(&self) -> Vec<usize> {
        let mut out = vec![];
        for i in &self.region.insts {
            if let Op::VSet { exec, .. } = self.block.insts[*i].op
                && self.blend[*i]
                && let Some(m) = self.region.masks.iter().position(|m| *m == exec)
                && !out.contains(&m)
            {
                out.push(m);
            }
        }
        out
    }

    /// The loop over chunks and the return. `full`: incoming masks known to be full.
    fn chunk_loop(&mut self, state: cl::Value, rows: cl::Value, masks: &[cl::Value], full: Option<&[usize]>) -> Result<(), EmitError> {
        let body = self.b.create_block();
        let exit = self.b.create_block();
        let known_full = |i: usize| full.is_some_and(|f| f.contains(&i));
        let outs = self.region.mask_outs.len();
        let zero = self.b.ins().iconst(types::I64, 0);
        let mut args = vec![cl::BlockArg::Value(rows)];
        args.extend((0..outs).map(|_| cl::BlockArg::Value(zero)));
        args.extend((0..masks.len()).filter(|i| !known_full(*i)).map(|i| cl::BlockArg::Value(masks[i])));
        for _ in 0..args.len() {
            self.b.append_block_param(body, types::I64);
        }
        let bytes = i64::from(self.row_bytes());
        let end = self.b.ins().iadd_imm_s(rows, bytes);
        let splats = self.splats(state)?;
        self.b.ins().jump(body, &args);
        self.b.switch_to_block(body);
        let params: Vec<cl::Value> = self.b.block_params(body).to_vec();
        let (column, accs, bits) = (params[0], &params[1..1 + outs], &params[1 + outs..]);

        let known: Vec<Value> = full.unwrap_or_default().iter().map(|i| self.region.masks[*i]).collect();
        let mut l = Loop { column, at: 0, chunk: FxHashMap::default(), splats, qwords: FxHashMap::default(), full: known };
        let table = self.b.ins().iconst(types::I64, LANE_MASKS.as_ptr() as i64);
        let (region, count) = (self.region, self.unroll());
        let turn_lanes = i64::from(CHUNK * count);
        let down = |s: &mut Self, word| s.b.ins().ushr_imm_s(word, turn_lanes);
        let mut finals: Vec<cl::Value> =
            if turn_lanes < i64::from(self.func.wave_size) { accs.iter().map(|acc| down(self, *acc)).collect() } else { vec![zero; outs] };
        for turn in 0..count {
            l.at = (4 * CHUNK * turn) as i32;
            l.chunk.clear();
            l.qwords.clear();
            // Masks become vectors.
            let mut words = bits.iter();
            for (i, m) in region.masks.iter().enumerate() {
                let v = if known_full(i) {
                    self.splat32(u32::MAX)
                } else {
                    let word = *words.next().expect("one parameter for each mask");
                    // Times the bytes of an entry.
                    let word = match 4 - i64::from(CHUNK * turn) {
                        0 => word,
                        up if up > 0 => self.b.ins().ishl_imm_s(word, up),
                        up => self.b.ins().ushr_imm_s(word, -up),
                    };
                    let offset = self.b.ins().band_imm_s(word, 0xf0);
                    let at = self.b.ins().iadd(table, offset);
                    self.b.ins().load(types::I32X4, Self::flags(), at, 0)
                };
                l.chunk.insert(*m, Chunk::Word(v));
            }
            for i in &region.insts {
                self.inst(&mut l, state, *i)?;
            }
            for v in &region.row_outs {
                let (c, home) = (self.value(&mut l, state, *v)?, self.plan.homes[v]);
                self.store_home(&l, home, c);
            }
            // Bits of the masks handed out come in at the top and move down.
            for (acc, m) in finals.iter_mut().zip(&region.mask_outs) {
                let Chunk::Word(v) = self.value(&mut l, state, *m)? else { return Err(EmitError::internal("a mask is not a word")) };
                let nibble = self.b.ins().vhigh_bits(types::I32, v);
                let nibble = self.b.ins().uextend(types::I64, nibble);
                let top = i64::from(self.func.wave_size) - turn_lanes + i64::from(CHUNK * turn);
                let nibble = self.b.ins().ishl_imm_s(nibble, top);
                *acc = self.b.ins().bor(*acc, nibble);
            }
        }
        let column_next = self.b.ins().iadd_imm_s(column, 4 * turn_lanes);
        let mut next = vec![cl::BlockArg::Value(column_next)];
        next.extend(finals.iter().map(|acc| cl::BlockArg::Value(*acc)));
        // Last, so that the words can move down in their registers.
        next.extend(bits.iter().map(|word| cl::BlockArg::Value(down(self, *word))));
        if turn_lanes < i64::from(self.func.wave_size) {
            let done = self.b.ins().icmp(IntCC::Equal, column_next, end);
            self.b.ins().brif(done, exit, &[], body, &next);
        } else {
            self.b.ins().jump(exit, &[]);
        }
        self.b.seal_block(body);
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        let base = self.region.masks.len() + self.region.scalars.len();
        for (k, acc) in finals.into_iter().enumerate() {
            self.b.ins().store(Self::flags(), acc, state, Self::slot(base + k));
        }
        self.b.ins().return_(&[]);
        Ok(())
    }

    /// Chunks of one turn of the loop: several of short regions.
    fn unroll(&self) -> u32 {
        let (most, all) = (LONG_TURN / self.region.insts.len().max(1), self.func.wave_size / CHUNK);
        [8, 4, 2].into_iter().find(|n| *n <= all && *n as usize <= most).unwrap_or(1)
    }

    fn row_offset(&self, l: &Loop, row: u16) -> i32 {
        i32::from(row) * self.row_bytes() + l.at
    }

    fn load_row(&mut self, l: &Loop, row: u16) -> cl::Value {
        let at = self.row_offset(l, row);
        self.b.ins().load(types::I32X4, Self::flags(), l.column, at)
    }

    fn store_row(&mut self, l: &Loop, row: u16, v: cl::Value) {
        let at = self.row_offset(l, row);
        let v = self.cast(types::I32X4, v);
        self.b.ins().store(Self::flags(), v, l.column, at);
    }

    fn store_home(&mut self, l: &Loop, home: [u16; 2], c: Chunk) {
        match c {
            Chunk::Word(v) => self.store_row(l, home[0], v),
            Chunk::Wide(..) | Chunk::Pair(..) => {
                let (lo, hi) = self.halves(c);
                self.store_row(l, home[0], lo);
                self.store_row(l, home[1], hi);
            }
        }
    }

    fn shuffle(&mut self, a: cl::Value, b: cl::Value, lanes: [u8; 4]) -> cl::Value {
        let bytes: Vec<u8> = lanes.iter().flat_map(|l| (0..4).map(move |k| l * 4 + k)).collect();
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        let (a, b) = (self.cast(types::I8X16, a), self.cast(types::I8X16, b));
        self.b.ins().shuffle(a, b, mask)
    }

    /// Low and high dwords (i32x4 each) of a chunk.
    fn halves(&mut self, c: Chunk) -> (cl::Value, cl::Value) {
        match c {
            Chunk::Word(v) => (v, v),
            Chunk::Pair(lo, hi) => (lo, hi),
            Chunk::Wide(a, b) => {
                let lo = self.shuffle(a, b, [0, 2, 4, 6]);
                let hi = self.shuffle(a, b, [1, 3, 5, 7]);
                (self.cast(types::I32X4, lo), self.cast(types::I32X4, hi))
            }
        }
    }

    fn wide(&mut self, lo: cl::Value, hi: cl::Value) -> Chunk {
        let a = self.shuffle(lo, hi, [0, 4, 1, 5]);
        let b = self.shuffle(lo, hi, [2, 6, 3, 7]);
        Chunk::Wide(self.cast(types::I64X2, a), self.cast(types::I64X2, b))
    }

    /// 64-bit lanes as qwords; others as they are.
    fn qwords(&mut self, c: Chunk) -> Chunk {
        match c {
            Chunk::Pair(lo, hi) => self.wide(lo, hi),
            c => c,
        }
    }

    /// The splats of the region's scalars, as far as they are made before the loop. Constants are not: they are loaded where they are used.
    fn splats(&mut self, state: cl::Value) -> Result<FxHashMap<(Value, bool), cl::Value>, EmitError> {
        let mut keys: Vec<(Value, bool)> = vec![];
        let add = |v: Value, keys: &mut Vec<(Value, bool)>| {
            if let Some(Op::Splat(s)) = self.def(v)
                && !matches!(self.def(*s), Some(Op::Const { .. }))
                && self.func.ty(v) != wavejit_ir::Ty::MASK
            {
                let key = (*s, crate::region::is_wide(self.func, v));
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        };
        for i in &self.region.insts {
            match &self.block.insts[*i].op {
                Op::Pure { op, args, .. } if is_shift(*op) => args[..1].iter().flatten().for_each(|v| add(*v, &mut keys)),
                op => op.for_each_arg(|v| add(v, &mut keys)),
            }
        }
        keys.truncate(MAX_SPLATS);
        keys.into_iter().map(|(s, wide)| Ok(((s, wide), self.splat_of(state, s, wide)?))).collect()
    }

    /// A scalar from its slot, in all lanes.
    fn splat_of(&mut self, state: cl::Value, s: Value, wide: bool) -> Result<cl::Value, EmitError> {
        let at = self.scalar_slot(s)?;
        let (word, lanes) = if wide { (types::I64, types::I64X2) } else { (types::I32, types::I32X4) };
        let word = self.b.ins().load(word, Self::flags(), state, at);
        Ok(self.b.ins().splat(lanes, word))
    }

    fn vconst(&mut self, ty: cl::Type, bytes: [u8; 16]) -> cl::Value {
        let c = self.b.func.dfg.constants.insert(bytes.to_vec().into());
        self.b.ins().vconst(ty, c)
    }

    fn splat64(&mut self, bits: u64) -> cl::Value {
        let mut bytes = [0; 16];
        bytes.as_chunks_mut::<8>().0.fill(bits.to_le_bytes());
        self.vconst(types::I64X2, bytes)
    }

    /// `m ? a : b` of lanes that are all ones or zeros in `m`.
    fn blend(&mut self, m: cl::Value, a: cl::Value, b: cl::Value) -> cl::Value {
        if !super::host_features().blends {
            return self.b.ins().bitselect(m, a, b);
        }
        let ty = self.b.func.dfg.value_type(a);
        let m = self.cast(ty, m);
        self.b.ins().blendv(m, a, b)
    }

    /// The chunk of a lane value or mask.
    fn value(&mut self, l: &mut Loop, state: cl::Value, v: Value) -> Result<Chunk, EmitError> {
        if let Some(c) = l.chunk.get(&v) {
            return Ok(*c);
        }
        let c = match self.def(v).cloned() {
            Some(Op::Splat(s)) => {
                let wide = crate::region::is_wide(self.func, v);
                // A load where it is used is better than a register all the way from its first use.
                match self.def(s) {
                    Some(Op::Const { bits, .. }) if wide => {
                        let x = self.splat64(*bits);
                        return Ok(Chunk::Wide(x, x));
                    }
                    Some(Op::Const { bits, .. }) => {
                        let bits = *bits as u32;
                        return Ok(Chunk::Word(self.splat32(bits)));
                    }
                    _ => {}
                }
                let x = match l.splats.get(&(s, wide)) {
                    Some(x) => *x,
                    None => self.splat_of(state, s, wide)?,
                };
                if wide { Chunk::Wide(x, x) } else { Chunk::Word(x) }
            }
            Some(Op::LaneId) => {
                let rows = self.b.ins().load(types::I64, Self::flags(), state, offset_of!(WaveState, rows) as i32);
                let bytes = self.b.ins().isub(l.column, rows);
                let bytes = self.b.ins().iadd_imm_s(bytes, i64::from(l.at));
                let first = self.b.ins().ushr_imm_s(bytes, 2);
                let first = self.b.ins().ireduce(types::I32, first);
                let first = self.b.ins().splat(types::I32X4, first);
                let iota = self.vconst(types::I32X4, std::array::from_fn(|i| if i % 4 == 0 { i as u8 / 4 } else { 0 }));
                Chunk::Word(self.b.ins().iadd(first, iota))
            }
            Some(Op::LaneTable(t)) => {
                let rows = self.b.ins().load(types::I64, Self::flags(), state, offset_of!(WaveState, rows) as i32);
                let bytes = self.b.ins().isub(l.column, rows);
                let bytes = self.b.ins().iadd_imm_s(bytes, i64::from(l.at));
                let table = self.b.ins().iconst(types::I64, self.tables[t as usize].as_ptr() as i64);
                let at = self.b.ins().iadd(table, bytes);
                Chunk::Word(self.b.ins().load(types::I32X4, MemFlagsData::new().with_notrap(), at, 0))
            }
            // A rematerialized read; one with a home was read before its register changed.
            Some(Op::VGet { reg: VReg(row), .. }) if !self.plan.homes.contains_key(&v) => Chunk::Word(self.load_row(l, row)),
            _ => {
                let home = self.plan.homes.get(&v).copied().ok_or_else(|| EmitError::internal(&format!("{v:?} has no home")))?;
                let lo = self.load_row(l, home[0]);
                if home[1] == NO_ROW { Chunk::Word(lo) } else { Chunk::Pair(lo, self.load_row(l, home[1])) }
            }
        };
        l.chunk.insert(v, c);
        Ok(c)
    }

    fn scalar_slot(&self, s: Value) -> Result<i32, EmitError> {
        let i = self.region.scalars.iter().position(|x| *x == s).ok_or_else(|| EmitError::internal("a scalar of a region has no slot"))?;
        Ok(Self::slot(self.region.masks.len() + i))
    }

    fn inst(&mut self, l: &mut Loop, state: cl::Value, i: usize) -> Result<(), EmitError> {
        let inst = &self.block.insts[i];
        self.b.set_srcloc(super::source_loc(self.func, inst.pc));
        match inst.op {
            Op::VGet { reg, .. } => {
                let v = self.load_row(l, reg.0);
                l.chunk.insert(inst.first, Chunk::Word(v));
            }
            Op::VSet { reg, value, exec } => {
                let Chunk::Word(new) = self.value(l, state, value)? else { return Err(EmitError::internal("a VGPR write of 64 bits")) };
                let mut v = self.cast(types::I32X4, new);
                if self.blend[i] && !l.full.contains(&exec) {
                    let old = self.load_row(l, reg.0);
                    let Chunk::Word(m) = self.value(l, state, exec)? else { return Err(EmitError::internal("EXEC is not a mask")) };
                    v = self.blend(m, v, old);
                }
                self.store_row(l, reg.0, v);
            }
            Op::Splat(_) | Op::LaneId | Op::LaneTable(_) => {
                self.value(l, state, inst.first)?;
            }
            Op::Pure { op, args, .. } => {
                let mut a = [Chunk::Word(l.column); 3];
                for (slot, v) in a.iter_mut().zip(args) {
                    if let Some(v) = v {
                        *slot = self.value(l, state, v)?;
                    }
                }
                let consts = [1, 2].map(|k| self.constant_operand(args[k]));
                if !takes_pairs(op, consts[0].is_some()) {
                    for (c, v) in a.iter_mut().zip(args) {
                        if let (Chunk::Pair(lo, hi), Some(v)) = (*c, v) {
                            *c = match l.qwords.get(&v) {
                                Some(c) => *c,
                                None => self.wide(lo, hi),
                            };
                            l.qwords.insert(v, *c);
                        }
                    }
                }
                if op == PureOp::BAnd
                    && let Some(k) = (0..2).find(|k| args[*k].is_some_and(|v| l.full.contains(&v)))
                {
                    l.chunk.insert(inst.first, a[1 - k]);
                    return Ok(());
                }
                let shift = match args[1].and_then(|v| self.uniform_operand(v)) {
                    Some(_) if consts[0].is_some() => None,
                    Some(s) if is_shift(op) => {
                        let at = self.scalar_slot(s)?;
                        Some(self.b.ins().load(types::I32, Self::flags(), state, at))
                    }
                    _ => None,
                };
                let first = inst.first;
                let c = match op {
                    PureOp::FMin32 | PureOp::FMax32 => self.min_max(args, a, op == PureOp::FMin32)?,
                    _ => self.pure(op, a, consts, shift)?,
                };
                l.chunk.insert(first, c);
            }
            _ => return Err(EmitError::internal(&format!("{:?} in a region", inst.op))),
        }
        Ok(())
    }

    fn uniform_operand(&self, v: Value) -> Option<Value> {
        match self.def(v)? {
            Op::Splat(s) => Some(*s),
            _ => None,
        }
    }

    fn constant_operand(&self, v: Option<Value>) -> Option<u64> {
        match self.def(self.uniform_operand(v?)?)? {
            Op::Const { bits, .. } => Some(*bits),
            _ => None,
        }
    }

    fn splat32(&mut self, bits: u32) -> cl::Value {
        let mut bytes = [0; 16];
        bytes.as_chunks_mut::<4>().0.fill(bits.to_le_bytes());
        self.vconst(types::I32X4, bytes)
    }

    /// Applies `f` to vectors of type `ty`.
    fn map1(&mut self, ty: cl::Type, a: Chunk, mut f: impl FnMut(&mut Self, cl::Value) -> cl::Value) -> Chunk {
        match self.qwords(a) {
            Chunk::Pair(..) => unreachable!("qwords() returns none"),
            Chunk::Word(a) => {
                let a = self.cast(ty, a);
                let r = f(self, a);
                Chunk::Word(self.cast(types::I32X4, r))
            }
            Chunk::Wide(a0, a1) => {
                let (a0, a1) = (self.cast(ty, a0), self.cast(ty, a1));
                let (r0, r1) = (f(self, a0), f(self, a1));
                Chunk::Wide(self.cast(types::I64X2, r0), self.cast(types::I64X2, r1))
            }
        }
    }

    /// The vectors for the first and the second half of 64-bit lanes, or the one there is.
    fn vectors(&mut self, c: Chunk) -> (cl::Value, cl::Value) {
        match self.qwords(c) {
            Chunk::Word(v) => (v, v),
            Chunk::Wide(a, b) | Chunk::Pair(a, b) => (a, b),
        }
    }

    /// Logic on 64-bit lanes: on dwords if both operands are in dwords.
    fn logic64(&mut self, a: Chunk, b: Chunk, mut f: impl FnMut(&mut Self, cl::Value, cl::Value) -> cl::Value) -> Chunk {
        match (a, b) {
            (Chunk::Pair(a0, a1), Chunk::Pair(b0, b1)) => {
                let [a0, a1, b0, b1] = [a0, a1, b0, b1].map(|v| self.cast(types::I32X4, v));
                Chunk::Pair(f(self, a0, b0), f(self, a1, b1))
            }
            _ => self.map2(types::I64X2, a, b, f),
        }
    }

    /// A shift of 64-bit lanes by a constant, as dwords if they are in dwords.
    fn shift64(&mut self, op: PureOp, x: Chunk, n: i64) -> Chunk {
        use types::{I32X4, I64X2};
        let Chunk::Pair(lo, hi) = x else {
            return self.map1(I64X2, x, |s, a| match op {
                PureOp::Shl64 => s.b.ins().ishl_imm_s(a, n),
                PureOp::LShr64 => s.b.ins().ushr_imm_s(a, n),
                _ => s.b.ins().sshr_imm_s(a, n),
            });
        };
        if n == 0 {
            return x;
        }
        let (lo, hi) = (self.cast(I32X4, lo), self.cast(I32X4, hi));
        let zero = self.splat32(0);
        let left = |s: &mut Self, v, n| if n == 0 { v } else { s.b.ins().ishl_imm_s(v, n) };
        let right = |s: &mut Self, v, n| if n == 0 { v } else { s.b.ins().ushr_imm_s(v, n) };
        let signed = |s: &mut Self, v, n| if n == 0 { v } else { s.b.ins().sshr_imm_s(v, n) };
        match op {
            PureOp::Shl64 if n >= 32 => Chunk::Pair(zero, left(self, lo, n - 32)),
            PureOp::Shl64 => {
                let (high, carried) = (left(self, hi, n), right(self, lo, 32 - n));
                Chunk::Pair(left(self, lo, n), self.b.ins().bor(high, carried))
            }
            PureOp::LShr64 if n >= 32 => Chunk::Pair(right(self, hi, n - 32), zero),
            PureOp::AShr64 if n >= 32 => Chunk::Pair(signed(self, hi, n - 32), signed(self, hi, 31)),
            _ => {
                let (low, carried) = (right(self, lo, n), left(self, hi, 32 - n));
                let high = if op == PureOp::LShr64 { right(self, hi, n) } else { signed(self, hi, n) };
                Chunk::Pair(self.b.ins().bor(low, carried), high)
            }
        }
    }

    fn map2(&mut self, ty: cl::Type, a: Chunk, b: Chunk, mut f: impl FnMut(&mut Self, cl::Value, cl::Value) -> cl::Value) -> Chunk {
        let (b0, b1) = self.vectors(b);
        let mut second = false;
        self.map1(ty, a, |s, x| {
            let y = s.cast(ty, if second { b1 } else { b0 });
            second = true;
            f(s, x, y)
        })
    }

    fn map3(
        &mut self,
        ty: cl::Type,
        [a, b, c]: [Chunk; 3],
        mut f: impl FnMut(&mut Self, cl::Value, cl::Value, cl::Value) -> cl::Value,
    ) -> Chunk {
        let (c0, c1) = self.vectors(c);
        let mut second = false;
        self.map2(ty, a, b, |s, x, y| {
            let z = s.cast(ty, if second { c1 } else { c0 });
            second = true;
            f(s, x, y, z)
        })
    }

    /// A comparison of 64-bit lanes gives two i64x2; the mask of the chunk is every other dword of them.
    fn mask_of(&mut self, c: Chunk) -> Chunk {
        Chunk::Word(self.halves(c).0)
    }

    /// A lane mask for 64-bit lanes: each dword twice.
    fn widen_mask(&mut self, m: Chunk) -> (cl::Value, cl::Value) {
        let Chunk::Word(m) = m else { unreachable!("masks are words") };
        let Chunk::Wide(a, b) = self.wide(m, m) else { unreachable!("wide() returns wide chunks") };
        (a, b)
    }

    fn pure(&mut self, op: PureOp, a: [Chunk; 3], consts: [Option<u64>; 2], shift: Option<cl::Value>) -> Result<Chunk, EmitError> {
        use PureOp::*;
        use types::{F32X4, F64X2, I16X8, I32X4, I64X2};
        let [x, y, z] = a;
        let missing = || EmitError::internal(&format!("{op} lacks a uniform operand"));
        Ok(match op {
            BAnd | And32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().band(a, b)),
            BOr | Or32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().bor(a, b)),
            BXor | Xor32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().bxor(a, b)),
            BAndNot => self.map2(I32X4, x, y, |s, a, b| s.b.ins().band_not(a, b)),
            BNot | Not32 => self.map1(I32X4, x, |s, a| s.b.ins().bnot(a)),
            And64 => self.logic64(x, y, |s, a, b| s.b.ins().band(a, b)),
            Or64 => self.logic64(x, y, |s, a, b| s.b.ins().bor(a, b)),
            Xor64 => self.logic64(x, y, |s, a, b| s.b.ins().bxor(a, b)),
            Not64 => self.map1(I64X2, x, |s, a| s.b.ins().bnot(a)),
            Sel32 => self.map3(I32X4, a, Self::blend),
            Bfi32 => self.map3(I32X4, a, |s, m, a, b| s.b.ins().bitselect(m, a, b)),
            Sel64 => match (x, y, z) {
                (Chunk::Word(m), Chunk::Pair(y0, y1), Chunk::Pair(z0, z1)) => {
                    let [y0, y1, z0, z1] = [y0, y1, z0, z1].map(|v| self.cast(I32X4, v));
                    Chunk::Pair(self.blend(m, y0, z0), self.blend(m, y1, z1))
                }
                _ => {
                    let (m0, m1) = self.widen_mask(x);
                    self.map3(I64X2, [Chunk::Wide(m0, m1), y, z], Self::blend)
                }
            },
            BToInt => self.map1(I32X4, x, |s, m| s.b.ins().ushr_imm_s(m, 31)),
            IAdd32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().iadd(a, b)),
            ISub32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().isub(a, b)),
            IMul32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().imul(a, b)),
            SMin32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().smin(a, b)),
            SMax32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().smax(a, b)),
            UMin32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().umin(a, b)),
            UMax32 => self.map2(I32X4, x, y, |s, a, b| s.b.ins().umax(a, b)),
            IAdd64 => self.map2(I64X2, x, y, |s, a, b| s.b.ins().iadd(a, b)),
            ISub64 => self.map2(I64X2, x, y, |s, a, b| s.b.ins().isub(a, b)),
            Shl64 | LShr64 | AShr64 if consts[0].is_some() => self.shift64(op, x, (consts[0].ok_or_else(missing)? & 63) as i64),
            Shl32 | LShr32 | AShr32 if consts[0].is_some() => {
                let n = (consts[0].ok_or_else(missing)? & 31) as i64;
                self.map1(I32X4, x, |s, a| match op {
                    Shl32 => s.b.ins().ishl_imm_s(a, n),
                    LShr32 => s.b.ins().ushr_imm_s(a, n),
                    _ => s.b.ins().sshr_imm_s(a, n),
                })
            }
            Shl32 | LShr32 | AShr32 | Shl64 | LShr64 | AShr64 => {
                let n = shift.ok_or_else(missing)?;
                let ty = if matches!(op, Shl32 | LShr32 | AShr32) { I32X4 } else { I64X2 };
                self.map1(ty, x, |s, a| match op {
                    Shl32 | Shl64 => s.b.ins().ishl(a, n),
                    LShr32 | LShr64 => s.b.ins().ushr(a, n),
                    _ => s.b.ins().sshr(a, n),
                })
            }
            AlignBit32 => {
                let n = (consts[1].ok_or_else(missing)? & 31) as i64;
                if n == 0 {
                    return Ok(y);
                }
                self.map2(I32X4, x, y, |s, hi, lo| {
                    let hi = s.b.ins().ishl_imm_s(hi, 32 - n);
                    let lo = s.b.ins().ushr_imm_s(lo, n);
                    s.b.ins().bor(hi, lo)
                })
            }
            BfeU32 | BfeI32 => {
                let (off, width) = ((consts[0].ok_or_else(missing)? & 31) as i64, (consts[1].ok_or_else(missing)? & 31) as i64);
                if width == 0 {
                    return Ok(Chunk::Word(self.splat32(0)));
                }
                let signed = op == BfeI32;
                self.map1(I32X4, x, |s, a| {
                    if off + width >= 32 {
                        return if signed { s.b.ins().sshr_imm_s(a, off) } else { s.b.ins().ushr_imm_s(a, off) };
                    }
                    if !signed && off == 0 {
                        let mask = s.splat32((1u32 << width) - 1);
                        return s.b.ins().band(a, mask);
                    }
                    let top = s.b.ins().ishl_imm_s(a, 32 - off - width);
                    if signed { s.b.ins().sshr_imm_s(top, 32 - width) } else { s.b.ins().ushr_imm_s(top, 32 - width) }
                })
            }
            Pack64 => {
                let (Chunk::Word(lo), Chunk::Word(hi)) = (x, y) else { return Err(missing()) };
                Chunk::Pair(lo, hi)
            }
            Lo64 => Chunk::Word(self.halves(x).0),
            Hi64 => Chunk::Word(self.halves(x).1),
            ZExt64 => {
                let (Chunk::Word(lo), zero) = (x, self.splat32(0)) else { return Err(missing()) };
                Chunk::Pair(lo, zero)
            }
            SExt64 => {
                let Chunk::Word(lo) = x else { return Err(missing()) };
                let lo = self.cast(I32X4, lo);
                let sign = self.b.ins().sshr_imm_s(lo, 31);
                Chunk::Pair(lo, sign)
            }
            UMulWide32 | UMulHi32 => {
                let (Chunk::Word(p), Chunk::Word(q)) = (x, y) else { return Err(missing()) };
                let (p, q) = (self.cast(I32X4, p), self.cast(I32X4, q));
                let (p0, q0) = (self.b.ins().uwiden_low(p), self.b.ins().uwiden_low(q));
                let (p1, q1) = (self.b.ins().uwiden_high(p), self.b.ins().uwiden_high(q));
                let product = Chunk::Wide(self.b.ins().imul(p0, q0), self.b.ins().imul(p1, q1));
                if op == UMulHi32 { Chunk::Word(self.halves(product).1) } else { product }
            }
            IAdd16 | ISub16 | IMul16 => {
                let mask = self.splat32(0xffff);
                self.map2(I32X4, x, y, |s, a, b| {
                    let r = match op {
                        IAdd16 => s.b.ins().iadd(a, b),
                        ISub16 => s.b.ins().isub(a, b),
                        _ => s.b.ins().imul(a, b),
                    };
                    s.b.ins().band(r, mask)
                })
            }
            PkIAdd16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().iadd(a, b)),
            PkISub16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().isub(a, b)),
            PkIMul16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().imul(a, b)),
            PkSMin16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().smin(a, b)),
            PkSMax16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().smax(a, b)),
            PkUMin16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().umin(a, b)),
            PkUMax16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().umax(a, b)),
            PkUAddSat16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().uadd_sat(a, b)),
            PkUSubSat16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().usub_sat(a, b)),
            PkSAddSat16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().sadd_sat(a, b)),
            PkSSubSat16 => self.map2(I16X8, x, y, |s, a, b| s.b.ins().ssub_sat(a, b)),
            FAdd32 => self.map2(F32X4, x, y, |s, a, b| s.b.ins().fadd(a, b)),
            FSub32 => self.map2(F32X4, x, y, |s, a, b| s.b.ins().fsub(a, b)),
            FMul32 => self.map2(F32X4, x, y, |s, a, b| s.b.ins().fmul(a, b)),
            FDiv32 => self.map2(F32X4, x, y, |s, a, b| s.b.ins().fdiv(a, b)),
            FFma32 => self.map3(F32X4, a, Self::fma),
            FAdd64 => self.map2(F64X2, x, y, |s, a, b| s.b.ins().fadd(a, b)),
            FSub64 => self.map2(F64X2, x, y, |s, a, b| s.b.ins().fsub(a, b)),
            FMul64 => self.map2(F64X2, x, y, |s, a, b| s.b.ins().fmul(a, b)),
            FDiv64 => self.map2(F64X2, x, y, |s, a, b| s.b.ins().fdiv(a, b)),
            FFma64 => self.map3(F64X2, a, Self::fma),
            FFloor32 => self.map1(F32X4, x, |s, a| s.b.ins().floor(a)),
            FCeil32 => self.map1(F32X4, x, |s, a| s.b.ins().ceil(a)),
            FTrunc32 => self.map1(F32X4, x, |s, a| s.b.ins().trunc(a)),
            FRndne32 => self.map1(F32X4, x, |s, a| s.b.ins().nearest(a)),
            CvtF32I32 => self.map1(I32X4, x, |s, a| s.b.ins().fcvt_from_sint(F32X4, a)),
            CvtF32U32 => self.map1(I32X4, x, |s, a| s.b.ins().fcvt_from_uint(F32X4, a)),
            CvtI32F32 => self.map1(F32X4, x, |s, a| s.b.ins().fcvt_to_sint_sat(I32X4, a)),
            CvtU32F32 => self.map1(F32X4, x, |s, a| s.b.ins().fcvt_to_uint_sat(I32X4, a)),
            FClamp32 => self.map1(F32X4, x, |s, a| {
                // maxps returns its second operand for NaN and for equal zeros: NaN and -0 become +0.
                let [zero, one] = [0.0f32, 1.0].map(f32::to_bits).map(|bits| {
                    let v = s.splat32(bits);
                    s.cast(F32X4, v)
                });
                let low = s.x86_max(a, zero);
                s.x86_min(low, one)
            }),
            _ => {
                if let Some(cc) = int_condition(op) {
                    return Ok(if op.args()[0] == wavejit_ir::Width::B64 {
                        let c = self.map2(I64X2, x, y, |s, a, b| s.compare64(cc, a, b));
                        self.mask_of(c)
                    } else {
                        self.map2(I32X4, x, y, |s, a, b| s.b.ins().icmp(cc, a, b))
                    });
                }
                let cond = float_condition(op).ok_or_else(|| EmitError::internal(&format!("{op} was accepted but has no lowering")))?;
                let wide = op.args()[0] == wavejit_ir::Width::B64;
                let ty = if wide { F64X2 } else { F32X4 };
                let c = self.map2(ty, x, y, |s, a, b| match cond {
                    Cond::Plain(cc) => s.b.ins().fcmp(cc, a, b),
                    Cond::LessOrGreater | Cond::NotLessOrGreater => {
                        let ordered = s.b.ins().fcmp(FloatCC::Ordered, a, b);
                        let differ = s.b.ins().fcmp(FloatCC::NotEqual, a, b);
                        let lg = s.b.ins().band(ordered, differ);
                        if matches!(cond, Cond::LessOrGreater) { lg } else { s.b.ins().bnot(lg) }
                    }
                });
                if wide { self.mask_of(c) } else { c }
            }
        })
    }

    /// a * b + c with the guest's choice among NaNs.
    fn fma(&mut self, a: cl::Value, b: cl::Value, c: cl::Value) -> cl::Value {
        match super::host_features().fma {
            Some(super::FmaOrder::Second) => self.b.ins().fma(b, a, c),
            _ => self.b.ins().fma(a, b, c),
        }
    }

    /// Signed comparisons are the only ordered ones x86 has for 64-bit lanes.
    fn compare64(&mut self, cc: IntCC, a: cl::Value, b: cl::Value) -> cl::Value {
        if cc == cc.unsigned() && cc != IntCC::Equal && cc != IntCC::NotEqual {
            let top = self.b.ins().iconst(types::I64, i64::MIN);
            let top = self.b.ins().splat(types::I64X2, top);
            let (a, b) = (self.b.ins().bxor(a, top), self.b.ins().bxor(b, top));
            let signed = match cc {
                IntCC::UnsignedLessThan => IntCC::SignedLessThan,
                IntCC::UnsignedLessThanOrEqual => IntCC::SignedLessThanOrEqual,
                IntCC::UnsignedGreaterThan => IntCC::SignedGreaterThan,
                _ => IntCC::SignedGreaterThanOrEqual,
            };
            self.b.ins().icmp(signed, a, b)
        } else {
            self.b.ins().icmp(cc, a, b)
        }
    }

    /// `a < b ? a : b`, which is one instruction of x86.
    fn x86_min(&mut self, a: cl::Value, b: cl::Value) -> cl::Value {
        let less = self.b.ins().fcmp(FloatCC::LessThan, a, b);
        let less = self.cast(types::F32X4, less);
        self.b.ins().bitselect(less, a, b)
    }

    /// `b < a ? a : b`, which is one instruction of x86.
    fn x86_max(&mut self, a: cl::Value, b: cl::Value) -> cl::Value {
        let less = self.b.ins().fcmp(FloatCC::LessThan, b, a);
        let less = self.cast(types::F32X4, less);
        self.b.ins().bitselect(less, a, b)
    }

    /// Can no lane of an f32 be a signaling NaN, since arithmetic made it?
    fn is_quiet(&self, v: Value) -> bool {
        use PureOp::*;
        match self.def(v) {
            Some(Op::Pure { op, .. }) => {
                matches!(op, FAdd32 | FSub32 | FMul32 | FFma32 | FDiv32 | FMin32 | FMax32 | CvtF32I32 | CvtF32U32)
            }
            _ => self.constant_operand(Some(v)).is_some_and(|bits| bits & 0x7fc0_0000 != 0x7f80_0000 || bits & 0x003f_ffff == 0),
        }
    }

    /// v_min_f32 / v_max_f32 with MODE.IEEE = 1: see [`Lanes::any_min_max`], which this is short for where operands are known.
    fn min_max(&mut self, args: [Option<Value>; 3], [x, y, _]: [Chunk; 3], is_min: bool) -> Result<Chunk, EmitError> {
        use types::{F32X4, I32X4};
        let (Some(p), Some(q), Chunk::Word(a), Chunk::Word(b)) = (args[0], args[1], x, y) else {
            return Err(EmitError::internal("a minimum lacks an operand"));
        };
        if p == q {
            // It is quieted, no more.
            let one = self.splat32(1f32.to_bits());
            let (a, one) = (self.cast(F32X4, a), self.cast(F32X4, one));
            let r = self.b.ins().fmul(a, one);
            return Ok(Chunk::Word(self.cast(I32X4, r)));
        }
        if !self.is_quiet(p) || !self.is_quiet(q) {
            let (a, b) = (self.cast(I32X4, a), self.cast(I32X4, b));
            return Ok(Chunk::Word(self.any_min_max(a, b, is_min)));
        }
        let number = |v| self.constant_operand(Some(v)).map(|bits| bits as u32).filter(|c| c & 0x7fff_ffff <= 0x7f80_0000);
        // A constant is second: the instruction returns its second operand if one is a NaN.
        let (a, b, constant) = if let Some(c) = number(p) { (b, a, Some(c)) } else { (a, b, number(q)) };
        let (a, b) = (self.cast(F32X4, a), self.cast(F32X4, b));
        let first = if is_min { self.x86_min(a, b) } else { self.x86_max(a, b) };
        // Of equal zeros, too.
        let zero_is_right = |c: u32| c << 1 != 0 || (c != 0) == is_min;
        if constant.is_some_and(zero_is_right) {
            return Ok(Chunk::Word(self.cast(I32X4, first)));
        }
        // Equal ones differ at most in the sign of zero.
        let (bits, first) = (self.cast(I32X4, a), self.cast(I32X4, first));
        let ordered = if is_min {
            let equal = self.b.ins().fcmp(FloatCC::Equal, a, b);
            let sign = self.b.ins().band(equal, bits);
            self.b.ins().bor(first, sign)
        } else {
            let differ = self.b.ins().fcmp(FloatCC::NotEqual, a, b);
            let keep = self.b.ins().bor(differ, bits);
            self.b.ins().band(first, keep)
        };
        let nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
        Ok(Chunk::Word(self.blend(nan, bits, ordered)))
    }

    /// v_min_f32 / v_max_f32 with MODE.IEEE = 1 (numerics.md section 4): a signaling NaN of src0, then of src1, is quieted and returned;
    /// a quiet NaN loses to the other operand; -0 is less than +0.
    fn any_min_max(&mut self, a: cl::Value, b: cl::Value, is_min: bool) -> cl::Value {
        use types::{F32X4, I32X4};
        let (fa, fb) = (self.cast(F32X4, a), self.cast(F32X4, b));
        let cc = if is_min { FloatCC::LessThan } else { FloatCC::GreaterThan };
        // Ordered operands: whichever is less; equal ones differ at most in the sign of zero, which or (and) resolves.
        let ab = self.b.ins().fcmp(cc, fa, fb);
        let ba = self.b.ins().fcmp(cc, fb, fa);
        let p = self.b.ins().bitselect(ab, a, b);
        let q = self.b.ins().bitselect(ba, b, a);
        let ordered = if is_min { self.b.ins().bor(p, q) } else { self.b.ins().band(p, q) };
        let nan_a = self.b.ins().fcmp(FloatCC::Unordered, fa, fa);
        let nan_b = self.b.ins().fcmp(FloatCC::Unordered, fb, fb);
        // qNaN src1 -> src0, else qNaN src0 -> src1
        let r = self.b.ins().bitselect(nan_a, b, ordered);
        let r = self.b.ins().bitselect(nan_b, a, r);
        let quiet = self.splat32(0x0040_0000);
        let sig = |s: &mut Self, nan, x| {
            let q = s.b.ins().band(x, quiet);
            let zero = s.splat32(0);
            let signals = s.b.ins().icmp(IntCC::Equal, q, zero);
            s.b.ins().band(nan, signals)
        };
        let (snan_a, snan_b) = (sig(self, nan_a, a), sig(self, nan_b, b));
        let (qa, qb) = (self.b.ins().bor(a, quiet), self.b.ins().bor(b, quiet));
        let r = self.blend(snan_b, qb, r);
        let r = self.blend(snan_a, qa, r);
        self.cast(I32X4, r)
    }
}
