//! Host code for a function: the skeleton and its regions, compiled with Cranelift, in one module that is freed with it.
//!
//! `skeleton` compiles control flow and scalar code; `lanes` is the portable region back end (see [`crate::region`]); `rows` has the row
//! operations that compiled code calls.

mod lanes;
mod rows;
mod skeleton;

use crate::{
    abi::WaveState,
    ir::{Block, Func, Op, Value},
    opt::{OptOptions, liveness::VgprLiveness},
    region::{self, Plan, Region, Step},
};
use cranelift_codegen::{
    Context,
    ir::{AbiParam, Signature, types},
    isa::OwnedTargetIsa,
    settings::{self, Configurable},
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use std::{collections::HashMap, sync::LazyLock};

/// Why a function could not be compiled: always a defect of ours or of the host, never of the shader.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// Cranelift refused.
    #[error("code generation failed: {0}")]
    Backend(String),
    /// An invariant of ours does not hold.
    #[error("internal error in code generation: {0}")]
    Internal(String),
}

impl EmitError {
    fn internal(s: &str) -> Self {
        EmitError::Internal(s.to_owned())
    }
}

impl From<cranelift_module::ModuleError> for EmitError {
    fn from(e: cranelift_module::ModuleError) -> Self {
        EmitError::Backend(format!("{e:?}"))
    }
}

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EmitOptions {
    /// Leave every register as the guest left it when the wave ends, for comparison with the interpreter.
    pub keep_final_state: bool,
}

/// What this host can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostFeatures {
    /// Fused multiply-add whose NaN results can be made the guest's.
    pub fma: Option<FmaOrder>,
    /// NaN operands and results of additions and multiplications behave as the guest's (x86).
    pub x86_nans: bool,
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
    static HOST: LazyLock<HostFeatures> = LazyLock::new(|| HostFeatures { fma: fma_order(), x86_nans: cfg!(target_arch = "x86_64") });
    *HOST
}

#[cfg(not(target_arch = "x86_64"))]
fn fma_order() -> Option<FmaOrder> {
    None
}

/// Asks the processor, since manuals and processors do not agree on it.
#[cfg(target_arch = "x86_64")]
fn fma_order() -> Option<FmaOrder> {
    use std::arch::x86_64::*;
    if !(std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx")) {
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
    // SAFETY: the features were detected.
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
    entry: unsafe extern "C" fn(*mut WaveState) -> u32,
    /// Rows it needs beyond `TEMP_ROW`.
    pub temp_rows: u32,
    /// Guest instructions compiled.
    pub guest_insts: u32,
    /// Host code bytes.
    pub code_bytes: usize,
    ranges: Vec<(usize, usize)>,
    /// (host address, guest address) where the guest address changes, ascending.
    pc_map: Vec<(usize, u64)>,
    module: Option<JITModule>,
    /// Call descriptors and the function's lane tables, whose addresses are in the code.
    _pinned: Pinned,
}

#[derive(Default)]
#[allow(clippy::vec_box)] // the boxes' addresses are in the code; the vectors grow
struct Pinned {
    mem_ops: Vec<Box<crate::abi::MemOp>>,
    sources: Vec<Box<[u16; 8]>>,
    func: Option<Box<Func>>,
}

// SAFETY: the code and its pinned data are immutable after construction; `JITModule` is only touched again by `drop`, which has `&mut`.
unsafe impl Send for Compiled {}
// SAFETY: as for `Send`: nothing behind a shared reference is ever written.
unsafe impl Sync for Compiled {}

impl Compiled {
    /// The function to enter a wave with; returns an [`crate::abi::Exit`] as a number.
    pub fn entry(&self) -> unsafe extern "C" fn(*mut WaveState) -> u32 {
        self.entry
    }

    /// Guest pc of a host pc inside this code.
    pub fn guest_pc(&self, host_pc: usize) -> Option<u64> {
        self.code_ranges().iter().any(|r| (r.0..r.1).contains(&host_pc)).then_some(())?;
        let i = self.pc_map.partition_point(|e| e.0 <= host_pc);
        i.checked_sub(1).map(|i| self.pc_map[i].1)
    }

    /// Host address ranges of the code.
    pub fn code_ranges(&self) -> &[(usize, usize)] {
        &self.ranges
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(m) = self.module.take() {
            // SAFETY: nobody can enter the code any more: `entry` was borrowed from `self`, and users keep `self` while waves run.
            unsafe { m.free_memory() }
        }
    }
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("code_bytes", &self.code_bytes).field("temp_rows", &self.temp_rows).finish()
    }
}

static ISA: LazyLock<Result<OwnedTargetIsa, String>> = LazyLock::new(|| {
    let mut flags = settings::builder();
    for (k, v) in [("opt_level", "speed"), ("is_pic", "false"), ("enable_probestack", "false"), ("unwind_info", "false")] {
        flags.set(k, v).map_err(|e| e.to_string())?;
    }
    flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).map_err(|e| e.to_string())?;
    let triple = target_lexicon::Triple::host();
    #[allow(unused_mut)] // other hosts have no features to enable
    let mut isa = cranelift_codegen::isa::lookup(triple).map_err(|e| e.to_string())?;
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! enable {
            ($($host:tt $flag:literal),*) => { $(
                if std::arch::is_x86_feature_detected!($host) { isa.enable($flag).map_err(|e| e.to_string())?; }
            )* };
        }
        enable!("sse3" "has_sse3", "ssse3" "has_ssse3", "sse4.1" "has_sse41", "sse4.2" "has_sse42", "avx" "has_avx", "avx2" "has_avx2",
            "fma" "has_fma", "bmi1" "has_bmi1", "bmi2" "has_bmi2", "lzcnt" "has_lzcnt", "popcnt" "has_popcnt");
    }
    isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
});

struct CraneliftRegions;

impl region::Accepts for CraneliftRegions {
    fn accepts(&self, op: &Op, def: &dyn Fn(Value) -> Option<usize>, block: &Block) -> bool {
        lanes::accepts(op, def, block, host_features())
    }
}

/// Compiles `func`, which the passes have run on.
pub fn compile(func: &Func, opts: &EmitOptions) -> Result<Compiled, EmitError> {
    Emitter::new(func, *opts)?.run(&mut None)
}

/// Compiles `func` and returns the Cranelift IR of every function made.
pub fn compile_to_text(func: &Func, opts: &EmitOptions) -> Result<String, EmitError> {
    let mut text = Some(String::new());
    Emitter::new(func, *opts)?.run(&mut text)?;
    Ok(text.unwrap_or_default())
}

/// One function on its way to host code.
struct Emitter {
    func: Box<Func>,
    opts: EmitOptions,
    module: JITModule,
    ctx: Context,
    fctx: FunctionBuilderContext,
    pinned: Pinned,
    /// (function, size, source map relative to its start)
    done: Vec<(FuncId, usize, Vec<(u32, u64)>)>,
}

impl Emitter {
    fn new(func: &Func, opts: EmitOptions) -> Result<Self, EmitError> {
        let isa = ISA.as_ref().map_err(|e| EmitError::Backend(e.clone()))?.clone();
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let ctx = module.make_context();
        Ok(Emitter {
            func: Box::new(func.clone()),
            opts,
            module,
            ctx,
            fctx: FunctionBuilderContext::new(),
            pinned: Pinned::default(),
            done: vec![],
        })
    }

    fn run(mut self, text: &mut Option<String>) -> Result<Compiled, EmitError> {
        let plans: Vec<Plan> = (0..self.func.blocks.len()).map(|b| region::plan(&self.func, b, &CraneliftRegions)).collect();
        let lanes = VgprLiveness::new(&self.func, OptOptions { keep_final_state: self.opts.keep_final_state });
        let mut regions: Vec<Vec<FuncId>> = vec![];
        for (b, plan) in plans.iter().enumerate() {
            let blend = lanes.blend(&self.func, b);
            let defs = definitions(&self.func.blocks[b]);
            let mut ids = vec![];
            for step in &plan.steps {
                if let Step::Region(r) = step {
                    ids.push(self.region(b, plan, &defs, r, &blend, text)?);
                }
            }
            regions.push(ids);
        }
        let entry = self.skeleton(&plans, &regions, text)?;
        self.module.finalize_definitions()?;
        let mut ranges = vec![];
        let mut pc_map = vec![];
        for (id, size, map) in &self.done {
            let start = self.module.get_finalized_function(*id) as usize;
            ranges.push((start, start + size));
            pc_map.extend(map.iter().map(|(at, pc)| (start + *at as usize, *pc)));
        }
        pc_map.sort_unstable();
        let code = self.module.get_finalized_function(entry);
        self.pinned.func = Some(self.func);
        Ok(Compiled {
            // SAFETY: `skeleton` declared the function with exactly this signature and convention.
            entry: unsafe { std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut WaveState) -> u32>(code) },
            // Row functions put up to three masks behind the temporaries of their block.
            temp_rows: plans.iter().map(|p| u32::from(p.temp_rows)).max().unwrap_or(0) + 3,
            guest_insts: self.pinned.func.iter().flat_map(|f| &f.blocks).map(|b| b.guest_insts).sum(),
            code_bytes: ranges.iter().map(|r| r.1 - r.0).sum(),
            ranges,
            pc_map,
            module: Some(self.module),
            _pinned: self.pinned,
        })
    }

    fn signature(&self, returns: bool) -> Signature {
        let mut sig = self.module.make_signature();
        sig.params.push(AbiParam::new(types::I64));
        if returns {
            sig.returns.push(AbiParam::new(types::I32));
        }
        sig
    }

    fn region(
        &mut self,
        b: usize,
        plan: &Plan,
        defs: &HashMap<Value, usize>,
        region: &Region,
        blend: &[bool],
        text: &mut Option<String>,
    ) -> Result<FuncId, EmitError> {
        self.ctx.func.signature = self.signature(false);
        let id = self.module.declare_anonymous_function(&self.ctx.func.signature)?;
        let builder = FunctionBuilder::new(&mut self.ctx.func, &mut self.fctx);
        let lanes = lanes::Lanes { func: &self.func, block: &self.func.blocks[b], plan, defs, region, blend, b: builder };
        lanes.compile(self.module.target_config())?;
        self.define(id, &format!("region of block {b}"), text)?;
        Ok(id)
    }

    fn skeleton(&mut self, plans: &[Plan], regions: &[Vec<FuncId>], text: &mut Option<String>) -> Result<FuncId, EmitError> {
        self.ctx.func.signature = self.signature(true);
        let sig = self.ctx.func.signature.clone();
        let id = self.module.declare_function("wave", Linkage::Local, &sig)?;
        let builder = FunctionBuilder::new(&mut self.ctx.func, &mut self.fctx);
        skeleton::Skeleton::new(&self.func, self.opts, plans, regions, &mut self.module, &mut self.pinned, builder).compile()?;
        self.define(id, "skeleton", text)?;
        Ok(id)
    }

    fn define(&mut self, id: FuncId, what: &str, text: &mut Option<String>) -> Result<(), EmitError> {
        if let Some(t) = text {
            t.push_str(&format!("; {what}\n{}\n", self.ctx.func.display()));
            self.ctx.set_disasm(true);
        }
        self.module.define_function(id, &mut self.ctx).map_err(|e| EmitError::Backend(format!("{what}: {e:?}")))?;
        let code = self.ctx.compiled_code().ok_or_else(|| EmitError::internal("no code after compilation"))?;
        if let (Some(t), Some(asm)) = (text.as_mut(), &code.vcode) {
            t.push_str(asm);
            t.push('\n');
        }
        let base = self.func.blocks[0].pc;
        let locs = code.buffer.get_srclocs_sorted().iter().map(|l| (l.start, base.wrapping_add(i64::from(l.loc.bits() as i32) as u64)));
        self.done.push((id, code.code_info().total_size as usize, locs.collect()));
        self.module.clear_context(&mut self.ctx);
        Ok(())
    }
}

fn definitions(block: &Block) -> HashMap<Value, usize> {
    let mut defs = HashMap::new();
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
