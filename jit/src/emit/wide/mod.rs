//! The wide back end: a whole function as AVX-512 or AVX2 code of our own, without Cranelift. Forms are written in AVX-512; `avx2` says what becomes of
//! them where there is none.
//!
//! A wave is done at once, not a few lanes at a time: a lane value is two vector registers in wave32, four in wave64 (in AVX2 twice as many), and what is emitted
//! for an operation does all lanes of it before the next begins. So lockstep order (DESIGN.md section 5) holds by itself, and memory and
//! cross-lane operations stand between the others without ending anything.
//!
//! ```text
//! entry: save registers
//! wave:  load what belongs to the wave; go where `resume` says
//! block: fuel -= instructions; operations; end
//! ...
//! stubs: what rarely happens: fuel used up, accesses that do not fit the fast way
//! ended, at_barrier: is there another wave in the queue, are all at the barrier, or is there another workgroup? -> wave
//! ```
//!
//! Between blocks everything is in the wave's state, and may be in registers, too. Inside a block values are in registers, taken as they are needed and given up
//! farthest next use first (`regs`); a value that came from a row, a scalar register or a constant is read from there again rather than kept.
//! What has no form of its own here is a call: pure operations run on whole rows ([`wavejit_ir::rowfn`]), others are the helpers of the run time.
//!
//! Fixed registers: rbx the wave's state, r12 its rows, r13 the base of guest memory, r14 the fuel.
//!
//! | file | holds |
//! |---|---|
//! | `level.rs` | the instruction set that code is made for |
//! | `avx2` | AVX-512 instructions in AVX2 |
//! | `values.rs` | values of a block: the pieces they are made of, and when each is needed next |
//! | `wanted.rs` | in which lanes they are wanted |
//! | `regs.rs`, `allocate.rs` | registers and homes of pieces; who gets a register, who has to leave |
//! | `plan` | what all of that comes to, operation by operation: as text, and for a checker |
//! | `copies.rs` | what registers hold of guest registers from block to block |
//! | `loops.rs` | registers that hold rows throughout a loop; edges between blocks |
//! | `memo.rs` | what the waves of a call have in common, loaded, tested and computed once |
//! | `forms.rs` | one value in several forms: masks as bits or mask registers, 64 bits as two dwords or one qword |
//! | `block.rs` | a block: its operations one after the other, its end |
//! | `slices.rs` | which runs of operations go through a part of the wave at a time |
//! | `timing.rs` | how long operations take, and so which runs wait |
//! | `lanes.rs`, `wide64.rs` | pure lane operations of 32 bits and less, of 64 bits |
//! | `bytes.rs`, `float16.rs` | dwords as bytes and nibbles; f16 |
//! | `bits.rs` | bit fields, the order and number of bits |
//! | `conversions.rs` | conversions to integers of 8, 16 and 32 bits |
//! | `legacy.rs` | f32 operations of older generations and of graphics |
//! | `float64.rs` | what f64 has beside sums, products and comparisons |
//! | `division.rs` | the operations that division sequences are made of; quotients of mantissas |
//! | `shifts.rs` | shifts of dwords and words |
//! | `limits.rs` | saturating sums, minima and maxima of gfx12, medians |
//! | `rare.rs` | operations whose rare cases call row functions |
//! | `transcendental.rs`, `powers.rs` | powers, logarithms, sine and cosine of f32; the first two in AVX-512 |
//! | `dead_stores.rs` | stores of guest registers that nobody reads |
//! | `foreseen.rs` | which operations call something, and how many registers they need, before they are emitted |
//! | `sreg_pairs.rs` | two scalar registers that are written at once |
//! | `facts.rs` | what is known of a function before any of it is emitted |
//! | `flags.rs` | comparisons of scalars, or of masks with zero, for the branch at the end of a block; carries |
//! | `scalar.rs` | pure scalar operations and logic on masks |
//! | `memory.rs` | loads and stores: operands, and what is done where the short ways do not fit |
//! | `addresses.rs` | tests of addresses, which accesses share |
//! | `deferred.rs` | loads of LDS that wait for those who use them |
//! | `products.rs` | products and sums of them, in the lanes that ask for them |
//! | `chains.rs` | sums of products with factors in LDS, and NaNs among them |
//! | `carried` | addresses that a loop moves on by one distance for all lanes |
//! | `couples.rs` | rows that loops keep as qwords |
//! | `windows.rs` | loads of lanes that each go through memory of their own |
//! | `linear.rs` | offsets of 64 bits that are an index of 32 bits, extended and shifted |
//! | `steps.rs` | how far accesses move on in a loop |
//! | `view.rs` | a block whose values are looked up |
//! | `moves.rs` | loads and stores of elements in a row, and of one for all lanes |
//! | `general.rs` | lanes anywhere |
//! | `gathers.rs` | their dwords, by gather instructions or one by one |
//! | `scratch.rs` | scratch |
//! | `atomic` | atomics: lanes and their addresses, one step of one lane |
//! | `exchange_sum.rs` | what follows in loops that add floats by comparing and exchanging |
//! | `cross.rs` | cross-lane operations |
//! | `calls.rs` | row functions and helpers |
//! | `quads.rs` | loads that give qwords, stores that take them |
//! | `vectors.rs` | loads and stores of elements of four dwords that stay as they lie in memory |
//! | `eights.rs` | accesses in rows of eight lanes |
//! | `queue.rs` | from wave to wave, and from workgroup to workgroup |

mod addresses;
mod allocate;
mod atomic;
mod avx2;
mod bits;
mod block;
mod bytes;
mod calls;
mod carried;
mod chains;
mod conversions;
mod copies;
mod couples;
mod cross;
mod dead_stores;
mod deferred;
mod division;
mod eights;
mod exchange_sum;
mod facts;
mod flags;
mod float16;
mod float64;
mod flushing;
mod foreseen;
mod forms;
mod gathers;
mod general;
mod host;
mod lanes;
mod legacy;
mod level;
mod limits;
mod linear;
mod loops;
mod memo;
mod memory;
mod moves;
mod pins;
mod plan;
mod powers;
mod products;
mod quads;
mod queue;
mod rare;
mod regs;
mod scalar;
mod scratch;
mod shifts;
mod slices;
mod sreg_pairs;
mod steps;
mod timing;
mod transcendental;
mod values;
mod vectors;
mod view;
mod wanted;
mod wide64;
mod windows;

use super::saved::Head;
use super::{Compiled, EmitError, EmitOptions, Pinned, rows};
use crate::code_memory::{self, CodeMap};
use crate::opt::{
    liveness::{Rows, SRegs, Spoiled, VgprLiveness},
    strides::Strides,
};
use facts::Facts;
use foreseen::Found;
use level::Level;
use loops::{Edge, Loops};
use pins::Pins;
use regs::{Needs, PieceId, Regs};
use rustc_hash::FxHashMap;
use slices::Alive;
use std::mem::offset_of;
use std::ops::Range;
use values::{Stretch, Val};
use wavejit_ir::abi::{EntryFn, Exit, WaveState};
use wavejit_ir::{BlockId, Func, Op, PureOp, SReg, Value};
use wavejit_x86::{Alu, Asm, Cond, Gpr, Label, Len, Mem, Op as X, Rm, Size, Vector};

pub(super) use host::{has_slow_denormals, is_available, key as host_key};
pub(super) use pins::{Place, value as address};

use plan::{Event, Log, Plan, check};

/// The wave's state.
const STATE: Gpr = Gpr::RBX;
/// Its rows.
const ROWS: Gpr = Gpr::R12;
/// Host address of the lowest guest address that may be touched.
const BASE: Gpr = Gpr::R13;
/// Fuel left.
const FUEL: Gpr = Gpr::R14;
/// Saved by the function, in this order.
const SAVED: [Gpr; 6] = [Gpr::RBX, Gpr::RBP, Gpr::R12, Gpr::R13, Gpr::R14, Gpr::R15];

/// Something put behind the code.
type Stub<'a> = Box<dyn FnOnce(&mut Wide<'a>) + 'a>;

/// A function being compiled.
struct Wide<'a> {
    func: &'a Func,
    a: Asm,
    /// Vector registers of a lane value of 32 bits.
    parts: usize,
    pins: Pins,
    host: host::Host,
    labels: Vec<Label>,
    loops: Loops,
    /// Edges that have code of their own.
    edges: FxHashMap<Edge, Label>,
    /// By block: the registers that its operations need at a time; `None` if it gives them all up ([`Regs::gave_up`]).
    needs: Vec<Option<Needs>>,
    resume: &'a [BlockId],
    /// Leaves with what is in eax.
    leave: Label,
    /// Begins or resumes the wave in `STATE`.
    wave: Label,
    /// The wave has ended, or is at a barrier: goes on with the next one of the queue, if there is one.
    ended: Label,
    at_barrier: Label,
    fault: Label,
    /// Calls a helper for an access in a stub, with all registers kept.
    careful: Option<Label>,
    /// Calls a row function for [`Wide::rarely`], with all registers kept.
    careful_function: Option<Label>,
    stubs: Vec<Stub<'a>>,
    /// Of the block's divisions, by denominator and numerator: where in the frame stands whether a lane is an odd one (`division.rs`).
    odd_divisions: FxHashMap<(Value, Value, Option<usize>), i32>,
    /// [`EmitOptions::by_parts`].
    by_parts: bool,
    /// The part of the wave that is being emitted alone.
    part: Option<usize>,
    /// The run that goes part by part (`slices.rs`).
    run: Option<Stretch>,
    /// By block and instruction: does it call something? From an earlier pass.
    calls: Option<Vec<Vec<bool>>>,
    /// The same of this pass.
    made_calls: Vec<Vec<bool>>,
    map: Vec<(u32, u64)>,
    /// Accesses: where one may fault, and where it is done again with care.
    recover: Vec<(u32, Label)>,
    /// Where the next instruction is, and where an access that it makes is done again with care.
    guard: Option<(u32, Label)>,
    /// The latter, while that instruction is made of several.
    guarded: Option<Label>,
    /// Tests of addresses that further accesses of the block build on (`addresses.rs`).
    tested: Vec<addresses::Tested>,
    /// Loads of the block that wait for those who use them (`deferred.rs`).
    waiting: Vec<deferred::Group>,
    /// Sines and cosines that were made beside the other one, and have not been asked for.
    circles: Vec<transcendental::Circle>,
    /// Those of the function's groups, and room in the frame for what they load with care.
    late_loads: Vec<Vec<deferred::LateLoad>>,
    rooms: [deferred::Room; deferred::MOST_GROUPS],
    /// Values of the block that are offsets made in general registers, and those that are (`linear.rs`).
    linear: FxHashMap<Value, linear::Linear>,
    /// By offset, the bytes of the smallest access of the block.
    least_bytes: FxHashMap<Value, u32>,
    /// Masks of the block that are comparisons made under another mask, and those comparisons.
    under: FxHashMap<Value, Value>,
    /// Masks of the block that are as good as one of the two that they are made of (`wanted.rs`), and that one.
    needless: FxHashMap<Value, Value>,
    chain: Option<chains::Chain>,
    /// See [`wanted::lanes_of_values`]; of products, where idle lanes are masked.
    asking: FxHashMap<Value, Vec<Value>>,
    /// For looking at a block.
    asked: wanted::Asked,
    /// [`EmitOptions::masks_idle`].
    masks_idle: bool,
    /// Bases of addresses in the frame.
    host_bases: FxHashMap<Value, memo::KeptBase>,
    firsts: Vec<linear::Firsts>,
    /// Stores of guest registers that may turn out to be of no use, and whether there may be such.
    guest_stores: Vec<dead_stores::GuestStore>,
    goes_straight: bool,
    /// Did registers have to be given up for something so far?
    has_calls: bool,
    /// Was something called where that was not foreseen? Then the code is of no use.
    is_misjudged: bool,
    /// Comparisons of the block that are made where they are used.
    flags: flags::Flags,
    sreg_pairs: sreg_pairs::SRegPairs,
    /// See [`sreg_pairs::read_as_one`].
    pairs_read: SRegs,
    /// Loads of the block that give qwords.
    quads: quads::Quads,
    vectors: vectors::Vectors,
    quad_stores: quads::QuadStores,
    /// By block: can it come to itself again?
    goes_round: &'a [bool],
    steps: &'a steps::Steps,
    lanes: &'a VgprLiveness,
    strides: &'a Strides,
    alive: &'a Alive,
    /// Are there more than a few loads of lanes anywhere in this block ([`gathers`])?
    has_many_apart: bool,
    r: Regs,
    /// Local number of each value of the block.
    local: Vec<u32>,
    vals: Vec<Val>,
    operands: values::Operands,
    /// By block: what is in registers at its end, and in guest registers too.
    copies: Vec<Option<Vec<copies::Copied>>>,
    /// By block: those that lead to it.
    entered: &'a [Vec<u32>],
    /// By block: what is done once for all waves that run in one call, and whether that is being emitted.
    memos: Vec<Option<memo::Memo>>,
    in_memo: bool,
    /// The result of the instruction is [the same in all parts](Wide::is_shared).
    shares: bool,
    /// Pieces that parts of the instruction want which come after the one that is emitted.
    pending: Vec<PieceId>,
    /// The instruction of the block that is being compiled.
    at: u32,
    /// The block's.
    pc: u64,
}

fn off(field: usize) -> i32 {
    i32::try_from(field).expect("the state is small")
}

fn state(field: usize) -> Mem {
    Mem::at(STATE, off(field))
}

fn sreg(r: SReg) -> Mem {
    state(offset_of!(WaveState, sregs) + 4 * usize::from(r.0))
}

fn slot(i: usize) -> Mem {
    state(offset_of!(WaveState, slots) + 8 * i)
}

/// Code that is not placed yet.
pub(super) struct Assembled {
    pub bytes: Vec<u8>,
    /// Where the constants behind the code begin.
    pub code_bytes: usize,
    /// Where what rarely happens begins: stubs.
    pub usual_bytes: usize,
    /// (offset, guest address) where the latter changes.
    pub map: Vec<(u32, u64)>,
    recover: Vec<(u32, u32)>,
    temp_rows: u32,
    read_first: Rows,
    spoiled: Spoiled,
    pinned: Pinned,
    /// Where its addresses are; `None` if it can only run in this process.
    places: Option<Vec<Place>>,
    /// If it was to be noted.
    plan: Option<Plan>,
}

/// Compiles `func`, which the passes have run on.
pub(super) fn compile(func: &Func, opts: &EmitOptions, stop: &dyn Fn() -> bool) -> Result<Compiled, EmitError> {
    let code = assemble(func, opts, stop)?;
    let saved = if opts.savable { code.saved() } else { None };
    let placed = code_memory::place(&code.bytes, CodeMap::with_recovery(code.map, code.recover))?;
    let start = placed.start();
    Ok(Compiled {
        // SAFETY: the code begins with the function's entry, which has exactly this signature and convention.
        entry: unsafe { std::mem::transmute::<usize, EntryFn>(start) },
        temp_rows: code.temp_rows,
        read_first: code.read_first,
        spoiled: code.spoiled,
        code_bytes: code.bytes.len(),
        placed,
        pinned: code.pinned,
        saved,
    })
}

impl Assembled {
    /// As bytes, if it can run elsewhere.
    fn saved(&self) -> Option<Vec<u8>> {
        let head = Head {
            map: self.map.clone(),
            recover: self.recover.clone(),
            temp_rows: self.temp_rows,
            read_first: self.read_first,
            spoiled: self.spoiled,
            mem_ops: self.pinned.mem_ops.iter().map(|op| **op).collect(),
            probe_calls: self.pinned.probe_calls.iter().map(|call| **call).collect(),
            sources: self.pinned.sources.iter().map(|rows| **rows).collect(),
            places: self.places.clone()?,
        };
        head.followed_by(&self.bytes)
    }
}

/// Code for `func`, and what goes with it. It is emitted once with what is foreseen of its operations. Where it comes otherwise, that is of no use: then it is
/// emitted again with what was found; or, where so much was not found, without all that depends on it, and again.
pub(super) fn assemble(func: &Func, opts: &EmitOptions, stop: &dyn Fn() -> bool) -> Result<Assembled, EmitError> {
    let level = Level::of(opts);
    let facts = Facts::new(func, opts);
    let emit = |known: Found, accepts: &dyn Fn(&Wide) -> bool| -> Result<Attempt, EmitError> {
        let loops = Loops::new(func, level, &known.needs, &facts);
        let mut wide = Wide::new(func, opts, &facts, loops, Some(known.calls));
        match wide.body(stop) {
            Ok(frame) if accepts(&wide) => Ok(Attempt::Done(Box::new(wide.finish(frame, &facts)?))),
            Ok(_) => Ok(Attempt::Other(wide.found())),
            Err(EmitError::OutOfRegisters(_)) => Ok(Attempt::Off),
            Err(_) if wide.is_misjudged => Ok(Attempt::Off),
            Err(e) => Err(e),
        }
    };
    let mut attempt = emit(Found::foreseen(func, level), &|wide| wide.loops.fit(level, wide.parts, &wide.needs))?;
    if let Attempt::Other(found) = attempt {
        attempt = emit(found, &|_| true)?;
    }
    if let Attempt::Done(code) = attempt {
        return Ok(*code);
    }
    let mut plain = Wide::new(func, opts, &facts, Loops::none(func), None);
    let frame = plain.body(stop)?;
    let found = plain.found();
    let free = (!opts.by_parts).then_some(level.vectors().len());
    let crowded = || (0..func.blocks.len()).any(|b| !slices::runs(func, level, b, &found.calls[b], &facts.alive, free).is_empty());
    if (!Loops::new(func, level, &found.needs, &facts).list.is_empty() || crowded())
        && let Attempt::Done(code) = emit(found, &|_| true)?
    {
        return Ok(*code);
    }
    plain.finish(frame, &facts)
}

/// What came of emitting a function with what was known of it.
enum Attempt {
    Done(Box<Assembled>),
    /// It is otherwise.
    Other(Found),
    /// It was called off.
    Off,
}

/// The plan for `func` as text, after the checker has seen it ([`plan`]).
pub(super) fn plan_text(func: &Func, opts: &EmitOptions, guest: &dyn Fn(u64) -> Option<String>) -> Result<String, EmitError> {
    let code = assemble(func, &EmitOptions { check_plan: true, ..*opts }, &|| false)?;
    let plan = code.plan.expect("it was to be noted");
    Ok(plan::print(func, &plan, guest))
}

impl<'a> Wide<'a> {
    /// `calls`: which operations call something; none if nothing is known.
    fn new(func: &'a Func, opts: &EmitOptions, facts: &'a Facts, mut loops: Loops, calls: Option<Vec<Vec<bool>>>) -> Wide<'a> {
        let mut a = Asm::new();
        let level = Level::of(opts);
        let parts = (func.wave_size / level.lanes()) as usize;
        let labels = func.blocks.iter().map(|_| a.label()).collect();
        let [leave, fault, wave, ended, at_barrier] = [(); 5].map(|()| a.label());
        let mut r = Regs::new(level, parts);
        if cfg!(debug_assertions) || opts.check_plan {
            r.log = Log::noting();
        }
        loops
            .list
            .iter_mut()
            .flat_map(|l| &mut l.pairs)
            .for_each(|pair| pair.settle(4 * func.wave_size as i32, |bytes| r.new_kept_room(bytes)));
        let memos = memo::plan(func, &facts.entered, &facts.goes_round, || r.new_kept_slot());
        Wide {
            func,
            a,
            parts,
            pins: Pins::of(func),
            host: host::Host::at(level, opts.gathers),
            labels,
            loops,
            edges: FxHashMap::default(),
            needs: vec![None; func.blocks.len()],
            resume: &facts.resume,
            leave,
            wave,
            ended,
            at_barrier,
            fault,
            careful: None,
            careful_function: None,
            odd_divisions: FxHashMap::default(),
            by_parts: opts.by_parts,
            part: None,
            run: None,
            calls,
            made_calls: vec![],
            stubs: vec![],
            map: vec![],
            recover: vec![],
            guard: None,
            guarded: None,
            tested: vec![],
            waiting: vec![],
            circles: vec![],
            late_loads: vec![],
            rooms: Default::default(),
            linear: FxHashMap::default(),
            least_bytes: FxHashMap::default(),
            flags: flags::Flags::default(),
            sreg_pairs: sreg_pairs::SRegPairs::default(),
            pairs_read: facts.pairs_read,
            quads: quads::Quads::default(),
            vectors: vectors::Vectors::default(),
            quad_stores: quads::QuadStores::default(),
            guest_stores: vec![],
            goes_straight: facts.goes_straight,
            has_calls: false,
            is_misjudged: false,
            under: FxHashMap::default(),
            needless: FxHashMap::default(),
            chain: None,
            asking: FxHashMap::default(),
            asked: wanted::Asked::of(func),
            masks_idle: opts.masks_idle,
            host_bases: FxHashMap::default(),
            firsts: vec![],
            goes_round: &facts.goes_round,
            steps: &facts.steps,
            copies: vec![None; func.blocks.len()],
            entered: &facts.entered,
            memos,
            in_memo: false,
            shares: false,
            pending: vec![],
            strides: &facts.strides,
            has_many_apart: false,
            lanes: &facts.lanes,
            alive: &facts.alive,
            r,
            local: vec![u32::MAX; func.types.len()],
            vals: vec![],
            operands: values::Operands::default(),
            at: 0,
            pc: 0,
        }
    }

    /// The function's blocks. Returns where the size of the frame stands.
    fn body(&mut self, stop: &dyn Fn() -> bool) -> Result<u32, EmitError> {
        let frame = self.prologue();
        for i in 0..self.func.blocks.len() {
            if stop() {
                return Err(EmitError::Stopped);
            }
            self.block(i)?;
        }
        self.next_wave();
        Ok(frame)
    }

    /// The function's entry. Returns where the size of the frame stands.
    fn prologue(&mut self) -> u32 {
        if self.goes_straight {
            self.a.watch(&[ROWS, STATE]);
        }
        for r in SAVED {
            self.a.push(r);
        }
        self.a.alu_imm(Alu::Sub, Size::Q, Gpr::RSP, 0x7fff_0000);
        let frame = self.a.offset() - 4;
        self.a.mov(Size::Q, STATE, Gpr::RDI);
        self.a.store(Size::Q, Mem::at(Gpr::RSP, calls::CARGO_QUEUE), Gpr::RSI);
        self.a.load(Size::Q, BASE, state(offset_of!(WaveState, mem_base)));
        self.a.alu_load(Alu::Add, Size::Q, BASE, state(offset_of!(WaveState, mem_low)));
        self.begin_memos();
        let wave = self.wave;
        self.a.bind(wave);
        self.a.load(Size::Q, ROWS, state(offset_of!(WaveState, rows)));
        self.a.load(Size::Q, FUEL, state(offset_of!(WaveState, fuel)));
        let points = self.resume;
        if points.len() > 1 {
            self.a.load(Size::D, Gpr::RAX, state(offset_of!(WaveState, resume)));
            self.choose(points, 0);
        } else {
            let first = self.way_to(None, points[0], false);
            // The first block is next.
            if first != self.labels[0] {
                self.a.jmp(first);
            }
        }
        frame
    }

    /// Goes to the resume point whose number less `first` is in eax: by halves.
    fn choose(&mut self, points: &[BlockId], first: usize) {
        if let [only] = points {
            let to = self.way_to(None, *only, false);
            return self.a.jmp(to);
        }
        let (low, high) = points.split_at(points.len() / 2);
        self.a.alu_imm(Alu::Cmp, Size::D, Gpr::RAX, (first + low.len()) as i32);
        if let [only] = high {
            let to = self.way_to(None, *only, false);
            self.a.jcc(Cond::Ae, to);
            return self.choose(low, first);
        }
        let upper = self.a.label();
        self.a.jcc(Cond::Ae, upper);
        self.choose(low, first);
        self.a.bind(upper);
        self.choose(high, first + low.len());
    }

    /// What stands behind the blocks.
    fn finish(mut self, frame: u32, facts: &Facts) -> Result<Assembled, EmitError> {
        let alike = |events: &[Event]| {
            let values = events.iter().filter_map(|e| if let Event::Is { value, .. } = e { Some(*value) } else { None });
            values.filter(|v| self.strides.is_one(*v)).collect()
        };
        let masks_idle = self.masks_idle;
        let plan =
            self.r.log.take().map(|events| Plan { alike: alike(&events), events, level: self.r.level, parts: self.parts, masks_idle });
        if let Some(plan) = &plan {
            check(self.func, plan).map_err(|e| EmitError::internal(&e.to_string()))?;
        }
        let mut edges: Vec<(Edge, Label)> = self.edges.drain().collect();
        edges.sort_unstable_by_key(|(edge, _)| *edge);
        for (edge, label) in edges {
            self.edge_code(edge, label);
        }
        let usual_bytes = self.a.offset() as usize;
        self.r.gave_up = false;
        while !self.stubs.is_empty() {
            for stub in std::mem::take(&mut self.stubs) {
                stub(&mut self);
            }
        }
        self.a.bind(self.fault);
        self.a.mov_imm(Gpr::RAX, Exit::Fault as u64);
        self.a.bind(self.leave);
        self.a.vzeroupper();
        let bytes = self.r.frame_bytes(self.careful.is_some() || self.careful_function.is_some());
        self.a.alu_imm(Alu::Add, Size::Q, Gpr::RSP, bytes);
        for r in SAVED.iter().rev() {
            self.a.pop(*r);
        }
        self.a.ret();
        if let Some(careful) = self.careful {
            self.careful_call(careful);
        }
        if let Some(careful) = self.careful_function {
            self.careful_function(careful);
        }
        self.a.patch(frame, bytes);
        let (moved, spoiled) = self.drop_dead_stores(Spoiled::new(self.func, facts.kept, self.lanes));
        let code = self.a.finish().map_err(|_| EmitError::internal("a place in the code that is not there"))?;
        let recover = self.recover.iter().map(|(at, to)| (moved.at(*at), code.offset(*to).expect("stubs are bound"))).collect();
        let (pinned, mut places) = self.pins.finish();
        for place in places.iter_mut().flatten() {
            (place.low, place.high) = (moved.at(place.low), moved.at(place.high));
        }
        self.map.iter_mut().for_each(|(at, _)| *at = moved.at(*at));
        Ok(Assembled {
            bytes: code.bytes,
            code_bytes: code.code_bytes,
            usual_bytes: moved.at(usual_bytes as u32) as usize,
            map: self.map,
            recover,
            temp_rows: self.r.temp_rows(),
            read_first: self.lanes.read_first(),
            spoiled,
            pinned,
            places,
            plan,
        })
    }

    /// Leaves, to go on at `next`.
    fn suspend(&mut self, exit: Exit, next: BlockId) {
        let index = self.resume.iter().position(|b| *b == next).expect("every suspension has a resume point");
        self.a.store_imm(Size::D, state(offset_of!(WaveState, resume)), index as i32);
        self.leave_with(exit);
    }

    fn leave_with(&mut self, exit: Exit) {
        self.a.store(Size::Q, state(offset_of!(WaveState, fuel)), FUEL);
        match exit {
            // Behind the last block that is next.
            Exit::End if self.r.block + 1 == self.func.blocks.len() => {}
            Exit::End => self.a.jmp(self.ended),
            Exit::Barrier => self.a.jmp(self.at_barrier),
            exit => {
                self.a.mov_imm(Gpr::RAX, exit as u64);
                self.a.jmp(self.leave);
            }
        }
    }

    /// The parts that an operation is emitted for.
    fn slice(&self) -> Range<usize> {
        match self.part {
            Some(p) => p..p + 1,
            None => 0..self.parts,
        }
    }

    /// The first of them.
    fn index(&self) -> usize {
        self.part.unwrap_or(0)
    }

    /// Lanes of a part.
    pub(super) fn part_lanes(&self) -> u32 {
        self.r.level.lanes()
    }

    /// Bytes of a part of a row.
    fn part_bytes(&self) -> i32 {
        4 * self.r.level.lanes() as i32
    }

    /// Bytes of a row.
    fn row_bytes(&self) -> i32 {
        4 * self.func.wave_size as i32
    }

    /// Has the wave 64 lanes, or 32?
    fn is_wave64(&self) -> bool {
        self.func.wave_size == 64
    }

    /// A vector or mask instruction. Vectors of the greatest length are whole parts.
    fn vector(&mut self, i: Vector) {
        self.note_write(&i);
        match self.r.level {
            Level::Avx512 => self.a.vector(i),
            Level::Avx2 => self.in_avx2(i),
        }
    }

    /// An instruction as it is, at each level.
    fn exactly(&mut self, i: Vector) {
        self.note_write(&i);
        self.a.vector(i);
    }

    /// A vector instruction on whole registers.
    fn v(&mut self, op: X, reg: u8, v: u8, rm: Rm) {
        self.vector(Vector::new(op, Len::Z, reg, v, rm));
    }

    fn vi(&mut self, op: X, reg: u8, v: u8, rm: Rm, imm: u8) {
        self.vector(Vector::new(op, Len::Z, reg, v, rm).imm(imm));
    }

    /// A mask instruction, or one of general registers.
    fn k(&mut self, op: X, reg: u8, v: u8, rm: u8) {
        self.vector(Vector::new(op, Len::X, reg, v, Rm::Reg(rm)));
    }

    /// A dword, as the memory operand of a broadcast.
    fn element32(&mut self, bits: u32) -> Rm {
        Rm::Mem(Mem::constant(self.a.constant32(bits)))
    }

    /// A qword, as the memory operand of a broadcast.
    fn element64(&mut self, bits: u64) -> Rm {
        Rm::Mem(Mem::constant(self.a.constant64(bits)))
    }

    /// A dword in every lane, as a memory operand.
    fn splat32(&mut self, bits: u32) -> Rm {
        if self.is_avx2() {
            return self.all32(bits);
        }
        Rm::Bcst(Mem::constant(self.a.constant32(bits)))
    }

    /// A qword in every lane, as a memory operand.
    fn splat64(&mut self, bits: u64) -> Rm {
        if self.is_avx2() {
            return self.all64(bits);
        }
        Rm::Bcst(Mem::constant(self.a.constant64(bits)))
    }

    /// A dword for each lane of a part, as a memory operand.
    fn table(&mut self, f: impl Fn(u32) -> u32) -> Rm {
        let bytes: Vec<u8> = (0..self.part_lanes()).flat_map(|i| f(i).to_le_bytes()).collect();
        Rm::Mem(Mem::constant(self.a.constant(&bytes)))
    }

    fn is_lane(&self, v: Value) -> bool {
        let ty = self.func.ty(v);
        ty.shape == wavejit_ir::Shape::Lane && ty != wavejit_ir::Ty::MASK
    }

    /// The operation that defines a value of this block.
    fn def(&self, v: Value) -> &'a Op {
        &self.func.blocks[self.r.block].insts[self.val(v).def as usize].op
    }

    /// The constant a scalar is.
    fn constant(&self, v: Value) -> Option<u64> {
        match self.def(v) {
            Op::Const { bits, .. } => Some(*bits),
            Op::Pure { op: PureOp::Pack64, args: [Some(lo), Some(hi), _], .. } => {
                Some(self.constant(*lo)? & 0xffff_ffff | self.constant(*hi)? << 32)
            }
            _ => None,
        }
    }

    /// The constant that a lane value is in every lane.
    fn splat_constant(&self, v: Value) -> Option<u64> {
        match self.def(v) {
            Op::Splat(s) => self.constant(*s),
            _ => None,
        }
    }
}
