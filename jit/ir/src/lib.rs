//! Wave IR: what one wave does, typed, in SSA, with EXEC as an ordinary value.
//!
//! A value has a shape (one per wave, or one per lane) and a width (1, 32 or 64 bits). A `Lane` value of width 1 is a *mask*.
//! Guest registers are named storage: `SGet`/`SSet` for scalar registers, `VGet`/`VSet` for VGPR rows, `ExecGet`/`ExecSet`. Values are
//! local to their block: what lives from block to block lives in guest registers, so that a suspended wave is its registers and nothing
//! else (DESIGN.md section 5). Inside a block the passes turn register traffic into plain SSA.
//!
//! EXEC is explicit: `VSet` and memory operations name the mask they run under, comparisons are `and`ed with it by the lifter. `VGet`
//! names a *demand* mask: lanes outside it may hold anything.
//!
//! Files: `op` pure operations, `eval` their meaning, `interp` the interpreter, `text` printer and parser, `verify` the verifier.

pub mod abi;
pub mod build;
pub mod eval;
pub mod interp;
pub mod op;
pub mod resume;
pub mod rowfn;
pub mod site;
pub mod text;
pub mod verify;

pub use build::Builder;
pub use op::{Addr, Data, Effect, Op, PureOp, Results, Term, Width};
pub use resume::{goes_back, loop_headers, resume_points};
pub use site::Site;
use std::fmt;
use std::sync::Arc;
pub use wavejit_isa::{AtomicOp, MemKind};

/// One value per wave, or one per lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// One value per wave.
    Scalar,
    /// One value per lane.
    Lane,
}

/// Type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty {
    /// One per wave or one per lane.
    pub shape: Shape,
    /// Bits of each.
    pub width: Width,
}

#[allow(missing_docs)]
impl Ty {
    pub const S1: Ty = Ty { shape: Shape::Scalar, width: Width::B1 };
    pub const S32: Ty = Ty { shape: Shape::Scalar, width: Width::B32 };
    pub const S64: Ty = Ty { shape: Shape::Scalar, width: Width::B64 };
    /// One bit per lane.
    pub const MASK: Ty = Ty { shape: Shape::Lane, width: Width::B1 };
    pub const L32: Ty = Ty { shape: Shape::Lane, width: Width::B32 };
    pub const L64: Ty = Ty { shape: Shape::Lane, width: Width::B64 };

    /// `s1 s32 s64 mask l32 l64`, as the text form has them.
    pub fn text(self) -> &'static str {
        match (self.shape, self.width) {
            (Shape::Scalar, Width::B1) => "s1",
            (Shape::Scalar, Width::B32) => "s32",
            (Shape::Scalar, Width::B64) => "s64",
            (Shape::Lane, Width::B1) => "mask",
            (Shape::Lane, Width::B32) => "l32",
            (Shape::Lane, Width::B64) => "l64",
        }
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A value: the index into [`Func::types`]. Prints as `%7`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// A basic block: the index into [`Func::blocks`]. Prints as `b3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl fmt::Debug for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

/// A scalar register of the wave: the index into `WaveState::sregs`. All hold 32 bits; [`SReg::SCC`] holds 0 or 1.
///
/// 0..=105 are s0..s105, 106/107 VCC, 108..=123 TTMP0..15. EXEC's low word (or both in wave64) is not here: see `ExecGet`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SReg(pub u8);

#[allow(missing_docs)]
impl SReg {
    pub const VCC_LO: SReg = SReg(106);
    pub const VCC_HI: SReg = SReg(107);
    pub const TTMP0: SReg = SReg(108);
    pub const M0: SReg = SReg(124);
    /// EXEC as two words: storage behind `ExecGet`/`ExecSet`. In wave32 EXEC_HI is a plain register.
    pub const EXEC_LO: SReg = SReg(126);
    pub const EXEC_HI: SReg = SReg(127);
    pub const SCC: SReg = SReg(128);
    pub const FLAT_SCRATCH_LO: SReg = SReg(129);
    pub const FLAT_SCRATCH_HI: SReg = SReg(130);
    pub const XNACK_MASK_LO: SReg = SReg(131);
    pub const XNACK_MASK_HI: SReg = SReg(132);
    /// Bits of the MODE register that are not in [`FpMode`]; the float fields live in the block's [`FpMode`].
    pub const MODE: SReg = SReg(133);
    pub const STATUS: SReg = SReg(134);
    pub const TRAPSTS: SReg = SReg(135);
    /// How many there are.
    pub const COUNT: usize = 144;

    /// Type of its value.
    pub fn ty(self) -> Ty {
        if self == SReg::SCC { Ty::S1 } else { Ty::S32 }
    }

    /// Name in the text form: `s5`, `vcc_lo`, `m0`, `scc`, ...
    pub fn name(self) -> String {
        match self.0 {
            n @ 0..=105 => format!("s{n}"),
            106 => "vcc_lo".into(),
            107 => "vcc_hi".into(),
            n @ 108..=123 => format!("ttmp{}", n - 108),
            124 => "m0".into(),
            126 => "exec_lo".into(),
            127 => "exec_hi".into(),
            128 => "scc".into(),
            129 => "flat_scratch_lo".into(),
            130 => "flat_scratch_hi".into(),
            131 => "xnack_mask_lo".into(),
            132 => "xnack_mask_hi".into(),
            133 => "mode".into(),
            134 => "status".into(),
            135 => "trapsts".into(),
            n => format!("sr{n}"),
        }
    }

    /// The register of a name.
    pub fn from_name(s: &str) -> Option<SReg> {
        (0..Self::COUNT as u8).map(SReg).find(|r| r.name() == s)
    }
}

impl fmt::Debug for SReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A VGPR row: 0..=255 are v0..v255, 256..=511 are a0..a255 (AGPRs).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VReg(pub u16);

impl fmt::Debug for VReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 256 { write!(f, "v{}", self.0) } else { write!(f, "a{}", self.0 - 256) }
    }
}

/// The float fields of MODE, a compile-time fact of each block (numerics.md section 1).
///
/// Bits: 1:0 rounding f32, 3:2 rounding f64/f16 (0 nearest even, 1 up, 2 down, 3 to zero), 5:4 denormals f32, 7:6 denormals f64/f16
/// (bit 0 inputs kept, bit 1 outputs kept), 8 DX10_CLAMP, 9 IEEE, 10 FP16_OVFL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct FpMode(pub u16);

#[allow(missing_docs)]
impl FpMode {
    /// What HSA kernels start with on gfx9 and later: nearest even, denormals kept, DX10_CLAMP, IEEE.
    pub const HSA: FpMode = FpMode(0x3f0);
    pub fn round32(self) -> u32 {
        u32::from(self.0 & 3)
    }
    pub fn round16_64(self) -> u32 {
        u32::from(self.0 >> 2 & 3)
    }
    pub fn denorm_in32(self) -> bool {
        self.0 & 0x10 != 0
    }
    pub fn denorm_out32(self) -> bool {
        self.0 & 0x20 != 0
    }
    pub fn denorm_in16_64(self) -> bool {
        self.0 & 0x40 != 0
    }
    pub fn denorm_out16_64(self) -> bool {
        self.0 & 0x80 != 0
    }
    pub fn dx10_clamp(self) -> bool {
        self.0 & 0x100 != 0
    }
    pub fn ieee(self) -> bool {
        self.0 & 0x200 != 0
    }
    pub fn fp16_ovfl(self) -> bool {
        self.0 & 0x400 != 0
    }
    /// Nearest even and denormals kept both ways, for f32.
    pub fn is_plain32(self) -> bool {
        self.0 & 0x33 == 0x30
    }
    /// The mode that [is plain](FpMode::is_plain32) for f32, and otherwise the same.
    pub fn plain32(self) -> FpMode {
        FpMode(self.0 & !0x33 | 0x30)
    }
    /// Nearest even and denormals flushed both ways, for f32: what drivers set for graphics.
    pub fn is_flushing32(self) -> bool {
        self.0 & 0x33 == 0
    }
    /// Nearest even and denormals kept both ways, for f64 and f16.
    pub fn is_plain16_64(self) -> bool {
        self.0 & 0xcc == 0xc0
    }
}

impl fmt::Debug for FpMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#05x}", self.0)
    }
}

/// Where a memory operation goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Space {
    /// 64-bit global addresses.
    Global,
    /// 64-bit addresses that may fall into the LDS or scratch aperture.
    Flat,
    /// Per-lane offsets into scratch.
    Scratch,
    /// Byte offsets into the workgroup's LDS.
    Lds,
    /// Global data share.
    Gds,
}

/// What a [`Op::Note`] stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum NoteKind {
    Wait,
    Cache,
    Delay,
    Clause,
    Prio,
    Prefetch,
    Other,
}

/// What an s_waitcnt or the like waits for: until at most so many operations of a kind are under way. `None`: it does not wait for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    /// Vector memory operations that return data (from gfx12 on those of loadcnt).
    pub vmcnt: Option<u8>,
    /// Exports and GDS.
    pub expcnt: Option<u8>,
    /// LDS, GDS, scalar memory and messages.
    pub lgkmcnt: Option<u8>,
    /// Vector memory operations that return nothing, from gfx10 on.
    pub vscnt: Option<u8>,
}

impl Waits {
    /// All of them, by name.
    pub fn named(&self) -> [(&'static str, Option<u8>); 4] {
        [("vmcnt", self.vmcnt), ("expcnt", self.expcnt), ("lgkmcnt", self.lgkmcnt), ("vscnt", self.vscnt)]
    }

    /// The counter of a name.
    pub fn counter(&mut self, name: &str) -> Option<&mut Option<u8>> {
        match name {
            "vmcnt" => Some(&mut self.vmcnt),
            "expcnt" => Some(&mut self.expcnt),
            "lgkmcnt" => Some(&mut self.lgkmcnt),
            "vscnt" => Some(&mut self.vscnt),
            _ => None,
        }
    }
}

/// What a [`Op::Probe`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProbeKind {
    /// Adds 1 and the number of active lanes to a counter of [`abi::WaveState::counters`]; no call, no operands.
    Count,
    /// Calls [`abi::Helpers::probe`].
    Call,
}

/// An instruction with its results and origin.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// First result; results are consecutive values.
    pub first: Value,
    /// Number of results.
    pub results: u8,
    /// Guest address of the instruction it came from.
    pub pc: u64,
}

impl Inst {
    /// Its `i`-th result.
    pub fn result(&self, i: usize) -> Value {
        debug_assert!(i < usize::from(self.results));
        Value(self.first.0 + i as u32)
    }
}

/// Why a wave stops running for a while. It returns to the run time and is entered again at the successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pause {
    /// s_barrier
    Barrier,
    /// s_sleep and the like: let other waves run
    Yield,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Guest address of its first instruction.
    pub pc: u64,
    /// Float mode throughout.
    pub mode: FpMode,
    /// Body.
    pub insts: Vec<Inst>,
    /// End.
    pub term: Term,
    /// Guest address of the instruction that ends it.
    pub term_pc: u64,
    /// Guest instructions in it, for budgets and statistics.
    pub guest_insts: u32,
}

/// Why a block ends in [`Term::Fail`].
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Failure {
    /// Guest address.
    pub pc: u64,
    /// True: no such instruction. False: known, but without semantics here.
    pub undecodable: bool,
    /// The instruction's text, or the dwords.
    pub text: String,
}

/// What is known of the work-item ids in the first VGPRs when a wave starts at a function's entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum Ids {
    /// Nothing.
    #[default]
    Any,
    /// In every run of 16 lanes, from lane 0 on, x counts up from a multiple of 16, and y and z are the same: each in a VGPR of its own.
    Runs(NextRun),
    /// The same, all three in v0: x in bits 9:0, y in 19:10, z in 29:20.
    PackedRuns(NextRun),
    /// As [`Runs`](Self::Runs), in runs of 8 lanes.
    Eights(NextRun),
    /// As [`PackedRuns`](Self::PackedRuns), in runs of 8 lanes.
    PackedEights(NextRun),
}

/// What is known of work-item ids from a run of lanes to the next one of the wave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum NextRun {
    /// Nothing.
    #[default]
    Any,
    /// x counts on, in the wave from a multiple of its size; y and z stay the same: the workgroup has one row.
    Line,
    /// It is the next row: x begins at 0 again; y counts up, in the wave from a multiple of its runs; z stays the same.
    Row,
    /// As in a [line](Self::Line), in workgroups of several rows.
    Lines,
}

impl Ids {
    /// Lanes of a run, unless it is an eight.
    pub const RUN: u32 = 16;
    /// Lanes of a run of [`Eights`](Self::Eights).
    pub const EIGHT: u32 = 8;

    /// What is known of waves in workgroups of this extent, and of those at the end of the grid, which have `rest` work-items in a dimension where that is not 0.
    pub fn of(is_packed: bool, wave_size: u32, group: [u32; 3], rest: [u32; 3]) -> Ids {
        let all = |i: usize, n: u32| group[i].is_multiple_of(n) && rest[i].is_multiple_of(n);
        let is_line = group[1..].iter().all(|n| *n <= 1);
        let run = if is_line || all(0, Ids::RUN) {
            Ids::RUN
        } else if all(0, Ids::EIGHT) {
            Ids::EIGHT
        } else {
            return Ids::Any;
        };
        let next = if is_line {
            NextRun::Line
        } else if all(0, wave_size) {
            NextRun::Lines
        } else if group[0] == run && rest[0] == 0 && all(1, wave_size / run) {
            NextRun::Row
        } else {
            NextRun::Any
        };
        match (is_packed, run) {
            (true, Ids::RUN) => Ids::PackedRuns(next),
            (false, Ids::RUN) => Ids::Runs(next),
            (true, _) => Ids::PackedEights(next),
            (false, _) => Ids::Eights(next),
        }
    }

    /// Lanes of a run.
    pub fn run(self) -> u32 {
        if matches!(self, Ids::Eights(_) | Ids::PackedEights(_)) { Ids::EIGHT } else { Ids::RUN }
    }

    /// What is known from a run to the next.
    pub fn next(self) -> NextRun {
        match self {
            Ids::Any => NextRun::Any,
            Ids::Runs(next) | Ids::PackedRuns(next) | Ids::Eights(next) | Ids::PackedEights(next) => next,
        }
    }
}

/// A function: all code reachable from one entry, for one wave size and one initial mode.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Func {
    /// Kernel name, for messages.
    pub name: String,
    /// 32 or 64.
    pub wave_size: u32,
    /// What its first registers hold at the entry.
    pub ids: Ids,
    /// Blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Type of each value.
    pub types: Vec<Ty>,
    /// Constants per lane for `LaneTable`.
    pub tables: Vec<[u32; 64]>,
    /// Instructions that `Resource` names.
    pub sites: Vec<Arc<Site>>,
    /// What `Term::Fail` names.
    pub failures: Vec<Failure>,
}

impl Func {
    /// Type of `v`.
    pub fn ty(&self, v: Value) -> Ty {
        self.types[v.0 as usize]
    }
    /// Type of the only result of `inst`.
    pub fn ty_of_result(&self, inst: &Inst) -> Option<Ty> {
        (inst.results == 1).then(|| self.ty(inst.first))
    }
    /// A block.
    pub fn block(&self, b: BlockId) -> &Block {
        &self.blocks[b.0 as usize]
    }
    /// Guest instructions in it.
    pub fn guest_insts(&self) -> u32 {
        self.blocks.iter().map(|b| b.guest_insts).sum()
    }
    /// Makes consecutive new values of the given types; returns the first.
    pub fn new_values(&mut self, tys: &[Ty]) -> Value {
        let v = Value(self.types.len() as u32);
        self.types.extend_from_slice(tys);
        v
    }
    /// Index of a lane table, shared if equal.
    pub fn table(&mut self, t: [u32; 64]) -> u32 {
        if let Some(i) = self.tables.iter().position(|x| *x == t) {
            return i as u32;
        }
        self.tables.push(t);
        self.tables.len() as u32 - 1
    }
}
