//! Compiled code of one loaded piece of machine code (a code object, or raw code): found or made by [`CodeKey`].
//!
//! The cache belongs to the program, so it goes when the module goes; nothing else changes what an entry compiles to (the guest address
//! is the entry itself; target and engine are the program's; the host does not change).

use crate::Error;
use crate::address_space::AddressSpace;
use crate::memory::fault::{GuestPc, Registration, register_code};
use crate::sync::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wavejit_jit::emit::{self, Compiled, EmitOptions};
use wavejit_jit::ir::{self, Failure, FpMode, Func};
use wavejit_jit::isa::Gfx;
use wavejit_jit::lift::{self, LiftSource};
use wavejit_jit::opt::{self, liveness::Rows};

/// What runs waves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Engine {
    /// Host code.
    #[default]
    Jit,
    /// The interpreter of the wave IR: slow, simple, exact; can stop at every instruction.
    Interp,
}

/// Machine code in guest memory and what has been compiled of it.
pub struct Program {
    space: Arc<AddressSpace>,
    target: Gfx,
    engine: Engine,
    /// Guest addresses code may be read from.
    range: (u64, u64),
    codes: RwLock<HashMap<CodeKey, Arc<Code>>>,
    compiling: Mutex<()>,
}

/// What code is translated for: where it starts, and the state of a wave that the translation takes for granted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CodeKey {
    /// Guest address.
    pub entry: u64,
    /// Float mode at the entry.
    pub mode: FpMode,
    /// 32 or 64.
    pub wave_size: u32,
    /// VGPRs of a wave.
    pub vgprs: u32,
}

/// One entry, ready to run.
pub struct Code {
    /// Guest address.
    pub entry: u64,
    /// Rows needed beyond `TEMP_ROW`.
    pub temp_rows: u32,
    /// Rows of VGPRs and AGPRs that waves may read before they write them.
    pub read_first: Rows,
    /// Guest pc of each resume point.
    pub resume_pcs: Vec<u64>,
    /// What `Exit::Fail` names.
    pub failures: Vec<Failure>,
    /// How long it took to make.
    pub compile_time: Duration,
    pub(crate) body: Body,
}

/// How it runs.
pub(crate) enum Body {
    Jit { code: Arc<Jit>, _registered: Vec<Registration> },
    Interp(Func),
}

pub(crate) struct Jit(pub Compiled);
impl GuestPc for Jit {
    fn guest_pc(&self, host_pc: usize) -> Option<u64> {
        self.0.guest_pc(host_pc)
    }
}

impl Program {
    /// A program of guest code at `start..end`.
    pub fn new(space: Arc<AddressSpace>, target: Gfx, engine: Engine, start: u64, end: u64) -> Program {
        Program { space, target, engine, range: (start, end), codes: RwLock::default(), compiling: Mutex::default() }
    }

    /// Processor the code is for.
    pub fn target(&self) -> Gfx {
        self.target
    }

    /// The code of an entry, compiled now if it is new. `name` is for messages.
    pub fn code(&self, name: &str, key: CodeKey) -> Result<Arc<Code>, Error> {
        if let Some(code) = self.codes.read().get(&key) {
            return Ok(code.clone());
        }
        let _one_at_a_time = self.compiling.lock();
        if let Some(code) = self.codes.read().get(&key) {
            return Ok(code.clone());
        }
        let code = Arc::new(self.compile(name, key)?);
        self.codes.write().insert(key, code.clone());
        Ok(code)
    }

    /// The dword at a guest address inside the program.
    pub fn read(&self, address: u64) -> Option<u32> {
        let inside = address >= self.range.0 && address.checked_add(4).is_some_and(|end| end <= self.range.1);
        if inside { self.space.read_u32(address) } else { None }
    }

    fn compile(&self, name: &str, CodeKey { entry, mode, wave_size, vgprs }: CodeKey) -> Result<Code, Error> {
        let start = Instant::now();
        if !entry.is_multiple_of(4) || self.read(entry).is_none() {
            let (low, high) = self.range;
            return Err(Error::Memory(format!("kernel `{name}`: no code at {entry:#x}: its code lies in {low:#x}..{high:#x}")));
        }
        let read = |address| self.read(address);
        let mut func = lift::lift(&LiftSource { name, entry, target: self.target, wave_size, mode, vgprs, read: &read });
        debug_assert_eq!(ir::verify::verify(&func).err(), None, "lifted code passes the verifier");
        let resume_pcs = ir::resume_points(&func).iter().map(|b| func.block(*b).pc).collect();
        let failures = func.failures.clone();
        let (body, temp_rows, read_first) = match self.engine {
            Engine::Interp => (Body::Interp(func), ir::interp::INTERP_TEMP_ROWS, Rows::ALL),
            Engine::Jit => {
                opt::run(&mut func, opt::OptOptions::default());
                let compiled =
                    emit::compile(&func, &EmitOptions::default()).map_err(|e| Error::Internal(format!("kernel `{name}`: {e}")))?;
                let (temp_rows, read_first) = (compiled.temp_rows, compiled.read_first);
                let code = Arc::new(Jit(compiled));
                let register = |r: &(usize, usize)| register_code(r.0, r.1, code.clone());
                let _registered = code.0.code_ranges().iter().map(register).collect();
                (Body::Jit { code, _registered }, temp_rows, read_first)
            }
        };
        Ok(Code { entry, temp_rows, read_first, resume_pcs, failures, compile_time: start.elapsed(), body })
    }
}
