//! Host code for a function: the skeleton and its regions, compiled with Cranelift, in one module that is placed as one.
//!
//! `skeleton` compiles control flow and scalar code; `back_end` says what a region back end is, `lanes` is the portable one (see
//! [`crate::region`]); `rows` has the row operations that compiled code calls; `staging` is where code is before it is placed.

mod back_end;
mod lanes;
mod rows;
pub mod saved;
mod skeleton;
mod staging;
#[cfg(test)]
mod tests;
mod wide;

use crate::{
    code_memory::{self, CodeMap, OutOfCodeMemory, Placed},
    opt::{
        OptOptions,
        liveness::{Rows, Spoiled, VgprLiveness},
        strides::Strides,
    },
    region::{self, Piece, Plan, Step},
};
use back_end::{RegionBackend, RegionCode, RegionJob};
use cranelift_codegen::{
    Context, FinalizedRelocTarget,
    binemit::Reloc,
    ir::{AbiParam, ExternalName, types},
    isa::OwnedTargetIsa,
    settings::{self, Configurable},
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, default_libcall_names};
use rustc_hash::FxHashMap;
use staging::Staging;
use std::sync::LazyLock;
use wavejit_ir::abi::EntryFn;
use wavejit_ir::{self as ir, Block, Func, Op, Value};
#[cfg(target_arch = "x86_64")]
use wavejit_isa::{HostIsa, HostLevel};

/// Why a function could not be compiled: never a mistake of the shader.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// Cranelift refused.
    #[error("code generation failed: {0}")]
    Backend(String),
    /// An invariant of ours does not hold.
    #[error("internal error in code generation: {0}")]
    Internal(String),
    /// An operation has more operands and temporaries than registers are free.
    #[error("{0} needs more registers than there are")]
    OutOfRegisters(String),
    /// The host has no memory for code.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfCodeMemory),
    /// It was called off.
    #[error("called off")]
    Stopped,
}

impl EmitError {
    fn internal(s: &str) -> Self {
        EmitError::Internal(s.to_owned())
    }
}

impl From<ModuleError> for EmitError {
    fn from(e: ModuleError) -> Self {
        match e {
            ModuleError::Allocation { err } => EmitError::OutOfMemory(OutOfCodeMemory { bytes: 0, why: err }),
            e => EmitError::Backend(format!("{e:?}")),
        }
    }
}

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EmitOptions {
    /// Leave every register as the guest left it when the wave ends, for comparison with the interpreter.
    pub keep_final_state: bool,
    /// Which back end.
    pub isa: Isa,
    /// Has all runs of operations that can go through the wave a register's lanes at a time do so, and not only where values are short of
    /// registers: for tests of the wide back end.
    pub by_parts: bool,
    /// Are dwords of lanes anywhere loaded by gather instructions, and not lane by lane? None: by what the host does faster.
    pub gathers: Option<bool>,
    /// Products are made in the lanes that ask for them alone, at the price of waiting for their mask, and in AVX2 of one more operation: see
    /// [`masking_may_pay`]. Of code of the wide back end only.
    pub masks_idle: bool,
    /// Note the plan of the wide back end, and check it; debug builds always do.
    pub check_plan: bool,
    /// Keep the function as bytes too ([`Compiled::take_saved`]).
    pub savable: bool,
}

/// Does arithmetic on denormal numbers take so long on this host that [masking idle lanes](EmitOptions::masks_idle) may be worth it, where any came up? What a lane
/// holds that is off may be an integer, which is denormal as a number.
pub fn masking_may_pay() -> bool {
    Isa::Best.is_wide() && wide::has_slow_denormals()
}

/// A back end for a whole function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Isa {
    /// That of the host instructions in use ([`HostIsa::get`]).
    #[default]
    Best,
    /// Cranelift alone.
    Portable,
    /// Whole waves in AVX2 registers.
    Avx2,
    /// Whole waves in AVX-512 registers.
    Avx512,
}

impl Isa {
    /// Those that this host can run.
    pub fn available() -> Vec<Isa> {
        let mut all = vec![Isa::Portable];
        all.extend(wide::is_available(HostLevel::Avx2).then_some(Isa::Avx2));
        all.extend(wide::is_available(HostLevel::Avx512).then_some(Isa::Avx512));
        all
    }

    /// Is it the back end of whole waves? Its code holds 64-bit lanes as qwords, so that joined operations are less than two on dwords.
    pub fn is_wide(self) -> bool {
        match self {
            Isa::Best => HostIsa::get().is_wide() && wide::is_available(HostLevel::get()),
            Isa::Portable => false,
            Isa::Avx2 | Isa::Avx512 => true,
        }
    }

    /// Is its code of AVX-512?
    pub fn is_avx512(self) -> bool {
        self == Isa::Avx512 || self == Isa::Best && self.is_wide() && HostLevel::get() == HostLevel::Avx512
    }

    /// What the passes do for its code.
    pub fn passes(self, keep_final_state: bool) -> OptOptions {
        OptOptions { keep_final_state, is_wide: self.is_wide(), is_avx512: self.is_avx512() }
    }
}

/// What this host can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostFeatures {
    /// Fused multiply-add whose NaN results can be made the guest's.
    pub fma: Option<FmaOrder>,
    /// NaN operands and results of additions and multiplications behave as the guest's (x86).
    pub x86_nans: bool,
    /// Blends of vectors by the top bits of lanes (SSE4.1).
    pub blends: bool,
}

/// Which factor of `vfmadd213 a, b, c` (a = b * a + c) a host prefers if both are NaNs. The guest prefers the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FmaOrder {
    /// The destination operand.
    First,
    /// The other one: factors are handed over swapped.
    Second,
}

/// The host, found once.
pub fn host_features() -> HostFeatures {
    static HOST: LazyLock<HostFeatures> = LazyLock::new(|| HostFeatures {
        fma: fma_order(),
        x86_nans: cfg!(target_arch = "x86_64"),
        blends: cfg!(target_arch = "x86_64") && HostLevel::get() >= HostLevel::Avx2,
    });
    *HOST
}

#[cfg(not(target_arch = "x86_64"))]
fn fma_order() -> Option<FmaOrder> {
    None
}

/// Asks the processor, since manuals and processors do not agree on it. `None` too below the level that has the instructions.
#[cfg(target_arch = "x86_64")]
fn fma_order() -> Option<FmaOrder> {
    use std::arch::x86_64::*;
    if HostLevel::get() < HostLevel::Avx2 {
        return None;
    }
    #[target_feature(enable = "fma,avx")]
    fn run(a: u32, b: u32, c: u32) -> u32 {
        let [mut x, y, z] = [a, b, c].map(|v| _mm_castsi128_ps(_mm_set1_epi32(v as i32)));
        // SAFETY: the features are enabled; registers only.
        unsafe {
            std::arch::asm!("vfmadd213ps {0}, {1}, {2}", inout(xmm_reg) x, in(xmm_reg) y, in(xmm_reg) z, options(pure, nomem, nostack))
        };
        _mm_cvtsi128_si32(_mm_castps_si128(x)) as u32
    }
    const ONE: u32 = 0x3f80_0000;
    const NANS: [u32; 3] = [0x7fc0_0001, 0x7fc0_0002, 0x7fc0_0003];
    // SAFETY: hosts of the level have the features.
    let (both, first, second) = unsafe { (run(NANS[0], NANS[1], NANS[2]), run(NANS[0], ONE, NANS[2]), run(ONE, NANS[1], NANS[2])) };
    // A factor must win over the summand in any case.
    match (both, first, second) {
        (0x7fc0_0001, 0x7fc0_0001, 0x7fc0_0002) => Some(FmaOrder::First),
        (0x7fc0_0002, 0x7fc0_0001, 0x7fc0_0002) => Some(FmaOrder::Second),
        _ => None,
    }
}

/// A compiled wave function. Enter it with [`Compiled::entry`]; the memory is freed when it is dropped.
pub struct Compiled {
    entry: EntryFn,
    /// Rows it needs beyond `TEMP_ROW`.
    pub temp_rows: u32,
    /// Rows of VGPRs and AGPRs of which it may read a lane that it has not written.
    pub read_first: Rows,
    /// Registers that a wave has to be given anew where another has been.
    pub spoiled: Spoiled,
    /// Host code bytes.
    pub code_bytes: usize,
    placed: Placed,
    /// Call descriptors and the function's lane tables, whose addresses are in the code.
    pinned: Pinned,
    saved: Option<Vec<u8>>,
}

#[derive(Default)]
#[allow(clippy::vec_box)] // the boxes' addresses are in the code; the vectors grow
struct Pinned {
    mem_ops: Vec<Box<wavejit_ir::abi::MemOp>>,
    resource_calls: Vec<Box<wavejit_ir::abi::ResourceCall>>,
    probe_calls: Vec<Box<wavejit_ir::abi::ProbeCall>>,
    sources: Vec<Box<[u16; 8]>>,
    tables: Vec<[u32; 64]>,
    sites: Vec<std::sync::Arc<ir::Site>>,
}

impl Pinned {
    /// Copies of what the code of `func` will have addresses of.
    fn of(func: &Func) -> Pinned {
        Pinned { tables: func.tables.clone(), sites: func.sites.clone(), ..Pinned::default() }
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.mem_ops) * 6
            + self.resource_calls.len() * (8 + size_of::<wavejit_ir::abi::ResourceCall>())
            + self.probe_calls.len() * (8 + size_of::<wavejit_ir::abi::ProbeCall>())
            + self.sources.len() * 24
            + size_of_val(&*self.tables)
            + self.sites.len() * 512
    }
}

// SAFETY: the code and its pinned data are immutable after construction (sites synchronize what they resolve to).
unsafe impl Send for Compiled {}
// SAFETY: as for `Send`: nothing behind a shared reference is ever written.
unsafe impl Sync for Compiled {}

impl Compiled {
    /// The function to enter a wave with.
    pub fn entry(&self) -> EntryFn {
        self.entry
    }

    /// Guest pc of a host pc inside this code.
    pub fn guest_pc(&self, host_pc: usize) -> Option<u64> {
        self.placed.guest_pc(host_pc)
    }

    /// Bytes of memory it takes, about.
    pub fn bytes(&self) -> usize {
        self.placed.bytes() + self.pinned.bytes() + size_of::<Self>()
    }
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("code_bytes", &self.code_bytes).field("temp_rows", &self.temp_rows).finish()
    }
}

static ISA: LazyLock<Result<OwnedTargetIsa, String>> = LazyLock::new(|| {
    let mut flags = settings::builder();
    // Our passes have done what Cranelift's would: its mid-end costs a quarter of the compile time and gains nothing measurable.
    for (k, v) in [("opt_level", "none"), ("is_pic", "false"), ("enable_probestack", "false"), ("unwind_info", "false")] {
        flags.set(k, v).map_err(|e| e.to_string())?;
    }
    flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).map_err(|e| e.to_string())?;
    let triple = target_lexicon::Triple::host();
    #[allow(unused_mut)] // other hosts have no features to enable
    let mut isa = cranelift_codegen::isa::lookup(triple).map_err(|e| e.to_string())?;
    #[cfg(target_arch = "x86_64")]
    {
        const AVX2: [&str; 11] = [
            "has_sse3",
            "has_ssse3",
            "has_sse41",
            "has_sse42",
            "has_avx",
            "has_avx2",
            "has_fma",
            "has_bmi1",
            "has_bmi2",
            "has_lzcnt",
            "has_popcnt",
        ];
        let flags: &[&str] = if HostLevel::get() >= HostLevel::Avx2 { &AVX2 } else { &[] };
        for flag in flags {
            isa.enable(flag).map_err(|e| e.to_string())?;
        }
    }
    isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
});

/// The portable back end: `lanes`.
struct CraneliftRegions;

impl RegionBackend for CraneliftRegions {
    fn accepts(&self, op: &Op, def: &dyn Fn(Value) -> Option<usize>, block: &Block) -> bool {
        lanes::accepts(op, def, block, host_features())
    }

    fn compile(&mut self, job: &RegionJob, session: &mut CodegenSession) -> Result<RegionCode, EmitError> {
        let RegionJob::Line { func, block, plan, defs, region, blend } = *job else {
            return Err(EmitError::internal("a loop for a back end that accepts none"));
        };
        let id = session.declare(false)?;
        let config = session.module.target_config();
        let b = FunctionBuilder::new(&mut session.ctx.func, &mut session.fctx);
        let tables = &session.pinned.tables;
        lanes::Lanes { func, tables, block: func.block(block), plan, defs, region, blend, b }.compile(config)?;
        session.define(id, &format!("region of {block:?}"), func)?;
        Ok(RegionCode::Function(id))
    }
}

/// Compiles `func`, which the passes have run on.
pub fn compile(func: &Func, opts: &EmitOptions) -> Result<Compiled, EmitError> {
    compile_unless(func, opts, &|| false)
}

/// As [`compile`], but asks `stop` now and then whether to go on: [`EmitError::Stopped`] if not.
pub fn compile_unless(func: &Func, opts: &EmitOptions, stop: &dyn Fn() -> bool) -> Result<Compiled, EmitError> {
    if opts.isa.is_wide() {
        match wide::compile(func, opts, stop) {
            // Nobody should have to do without because of a defect of one back end.
            Err(EmitError::Internal(_)) if opts.isa == Isa::Best => {}
            result => return result,
        }
    }
    emit(func, opts, vec![Box::new(CraneliftRegions)], false, stop).map(|c| c.0)
}

/// Compiles `func` and returns the Cranelift IR and the host code of every function made.
pub fn compile_to_text(func: &Func, opts: &EmitOptions) -> Result<String, EmitError> {
    emit(func, opts, vec![Box::new(CraneliftRegions)], true, &|| false).map(|c| c.1)
}

/// Host code as bytes, to look at.
pub struct HostCode {
    /// Instructions.
    pub bytes: Vec<u8>,
    /// Those of them before what rarely happens: accesses that do not fit their fast way, faults, the end of the fuel.
    pub usual_bytes: usize,
    /// (offset, guest address as lifted) where the latter changes, ascending.
    pub map: Vec<(u32, u64)>,
}

/// What the back end of whole waves decides for `func`, which the passes have run on, as text: for each operation how it is done, the registers and
/// places of memory that its operands and results are in, and what moves for it. `guest` says what the instruction at an address is. A checker has seen it:
/// an error names an operation that would not find its operands.
pub fn plan_text(func: &Func, opts: &EmitOptions, guest: &dyn Fn(u64) -> Option<String>) -> Result<String, EmitError> {
    wide::plan_text(func, opts, guest)
}

/// The AVX-512 or AVX2 code of `func`, which the passes have run on, whether this host can run it or not.
pub fn wide_code(func: &Func, opts: &EmitOptions) -> Result<HostCode, EmitError> {
    let mut code = wide::assemble(func, opts, &|| false)?;
    code.bytes.truncate(code.code_bytes);
    code.map.sort_unstable();
    Ok(HostCode { bytes: code.bytes, usual_bytes: code.usual_bytes, map: code.map })
}

/// Where functions are made: the module and what code generation reuses.
pub(crate) struct CodegenSession {
    module: JITModule,
    /// Where the module's memory begins.
    start: usize,
    ctx: Context,
    fctx: FunctionBuilderContext,
    pinned: Pinned,
    /// (function, size, source map relative to its start)
    done: Vec<(FuncId, usize, Vec<(u32, u64)>)>,
    /// Readable form of everything made, if wanted.
    text: Option<String>,
}

/// A loop that a back end compiled.
struct CompiledLoop {
    piece: Piece,
    code: RegionCode,
}

fn emit(
    func: &Func,
    opts: &EmitOptions,
    mut back_ends: Vec<Box<dyn RegionBackend>>,
    with_text: bool,
    stop: &dyn Fn() -> bool,
) -> Result<(Compiled, String), EmitError> {
    let go_on = || if stop() { Err(EmitError::Stopped) } else { Ok(()) };
    let isa = ISA.as_ref().map_err(|e| EmitError::Backend(e.clone()))?.clone();
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    let memory = Staging::new().map_err(|why| OutOfCodeMemory { bytes: 0, why })?;
    let start = memory.start();
    builder.memory_provider(Box::new(memory));
    let module = JITModule::new(builder);
    let ctx = module.make_context();
    let mut session = CodegenSession {
        module,
        start,
        ctx,
        fctx: FunctionBuilderContext::new(),
        pinned: Pinned::of(func),
        done: vec![],
        text: with_text.then(String::new),
    };
    let mut loops = vec![];
    for piece in region::pieces(func) {
        if let Some(taker) = back_ends.iter_mut().find(|b| b.accepts_loop(func, &piece)) {
            let code = taker.compile(&RegionJob::Loop { func, piece: &piece }, &mut session)?;
            loops.push(CompiledLoop { piece, code });
        }
    }
    let accepting_back_ends = |op: &Op, def: &dyn Fn(Value) -> Option<usize>, block: &Block| {
        back_ends.iter().enumerate().fold(0, |set, (i, b)| set | u8::from(b.accepts(op, def, block)) << i)
    };
    let mut plans: Vec<Plan> = vec![];
    for b in 0..func.blocks.len() {
        go_on()?;
        plans.push(region::plan(func, b, &accepting_back_ends));
    }
    let kept = OptOptions { keep_final_state: opts.keep_final_state, ..OptOptions::default() };
    let mut lanes = VgprLiveness::new(func, kept).with_blends(func, kept);
    let strides = Strides::new(func, &mut lanes, false);
    let mut regions: Vec<Vec<RegionCode>> = vec![];
    for (b, plan) in plans.iter().enumerate() {
        let blend = lanes.blend(b);
        let defs = definitions(&func.blocks[b]);
        let mut codes = vec![];
        for step in &plan.steps {
            if let Step::Region(region) = step {
                go_on()?;
                let first = region.back_ends.trailing_zeros() as usize;
                let taker = back_ends.get_mut(first).ok_or_else(|| EmitError::internal("a region that no back end takes"))?;
                let job = RegionJob::Line { func, block: ir::BlockId(b as u32), plan, defs: &defs, region, blend };
                codes.push(taker.compile(&job, &mut session)?);
            }
        }
        regions.push(codes);
    }
    go_on()?;
    let entry = session.declare(true)?;
    let builder = FunctionBuilder::new(&mut session.ctx.func, &mut session.fctx);
    let (module, pinned) = (&mut session.module, &mut session.pinned);
    skeleton::Skeleton::new(func, *opts, &plans, &regions, &loops, module, pinned, &strides, builder).compile()?;
    session.define(entry, "skeleton", func)?;
    // Row functions put up to three masks behind the temporaries of their block.
    let temp_rows = plans.iter().map(|p| u32::from(p.temp_rows)).max().unwrap_or(0) + 3;
    session.finish(entry, temp_rows, lanes.read_first(), Spoiled::new(func, kept, &lanes))
}

impl CodegenSession {
    /// Declares the next function: `fn(state)`, or `fn(state) -> u32`.
    fn declare(&mut self, returns: bool) -> Result<FuncId, EmitError> {
        let mut sig = self.module.make_signature();
        sig.params.push(AbiParam::new(types::I64));
        if returns {
            sig.returns.push(AbiParam::new(types::I32));
        }
        self.ctx.func.signature = sig;
        Ok(self.module.declare_anonymous_function(&self.ctx.func.signature)?)
    }

    /// Compiles the function that was built in `ctx`.
    fn define(&mut self, id: FuncId, what: &str, func: &Func) -> Result<(), EmitError> {
        if let Some(t) = &mut self.text {
            t.push_str(&format!("; {what}\n{}\n", self.ctx.func.display()));
            self.ctx.set_disasm(true);
        }
        self.module.define_function(id, &mut self.ctx).map_err(|e| match EmitError::from(e) {
            EmitError::Backend(e) => EmitError::Backend(format!("{what}: {e}")),
            e => e,
        })?;
        let code = self.ctx.compiled_code().ok_or_else(|| EmitError::internal("no code after compilation"))?;
        // The module is moved as one: what is inside is named by distance, what is outside by address.
        let moves_well = |kind, target: &FinalizedRelocTarget| {
            let inside = !matches!(target, FinalizedRelocTarget::ExternalName(ExternalName::LibCall(_) | ExternalName::KnownSymbol(_)));
            inside != matches!(kind, Reloc::Abs4 | Reloc::Abs8)
        };
        if !code.buffer.relocs().iter().all(|r| moves_well(r.kind, &r.target)) {
            return Err(EmitError::internal("code that depends on its address"));
        }
        if let (Some(t), Some(asm)) = (&mut self.text, &code.vcode) {
            t.push_str(asm);
            t.push('\n');
        }
        let base = func.blocks[0].pc;
        let locs = code.buffer.get_srclocs_sorted().iter().map(|l| (l.start, base.wrapping_add(i64::from(l.loc.bits() as i32) as u64)));
        self.done.push((id, code.code_info().total_size as usize, locs.collect()));
        self.module.clear_context(&mut self.ctx);
        Ok(())
    }

    /// Makes everything executable.
    fn finish(mut self, entry: FuncId, temp_rows: u32, read_first: Rows, spoiled: Spoiled) -> Result<(Compiled, String), EmitError> {
        self.module.finalize_definitions()?;
        let (mut map, mut end, mut code_bytes) = (vec![], 0, 0);
        for (id, size, srclocs) in &self.done {
            let at = self.module.get_finalized_function(*id) as usize - self.start;
            end = end.max(at + size);
            code_bytes += size;
            map.extend(srclocs.iter().map(|(offset, pc)| (at as u32 + offset, *pc)));
        }
        // SAFETY: the module's functions are there, and the module is alive.
        let code = unsafe { std::slice::from_raw_parts(self.start as *const u8, end) };
        let placed = code_memory::place(code, CodeMap::new(map))?;
        let entry = placed.start() + (self.module.get_finalized_function(entry) as usize - self.start);
        let compiled = Compiled {
            // SAFETY: the skeleton was declared with exactly this signature and convention, and has been moved there.
            entry: unsafe { std::mem::transmute::<usize, EntryFn>(entry) },
            temp_rows,
            read_first,
            spoiled,
            code_bytes,
            placed,
            pinned: self.pinned,
            saved: None,
        };
        // SAFETY: nothing refers to the module's memory any more.
        unsafe { self.module.free_memory() };
        Ok((compiled, self.text.unwrap_or_default()))
    }
}

fn definitions(block: &Block) -> FxHashMap<Value, usize> {
    let mut defs = FxHashMap::default();
    for (i, inst) in block.insts.iter().enumerate() {
        for r in 0..inst.results {
            defs.insert(inst.result(r.into()), i);
        }
    }
    defs
}

/// Source location of a guest pc: its distance from the entry, which fits 31 bits for any code that can be lifted.
fn source_loc(func: &Func, pc: u64) -> cranelift_codegen::ir::SourceLoc {
    cranelift_codegen::ir::SourceLoc::new(pc.wrapping_sub(func.blocks[0].pc) as u32 & 0xffff_fffe)
}
