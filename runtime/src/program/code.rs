//! The translation of one entry: how it runs, what it was made of, how much it has been used.

use super::idle::Idle;
use super::key::CodeKey;
use super::store::Head;
use crate::dispatch::config::Accuracy;
use crate::host::fork::Section;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use wavejit_ir::abi::EntryFn;
use wavejit_ir::interp::{INTERP_TEMP_ROWS, Prepared};
use wavejit_ir::{self as ir, Failure, FpMode, Func, SReg};
use wavejit_isa::Gfx;
use wavejit_jit::emit::Compiled;
use wavejit_jit::lift::{CodeRead, Lifted};
use wavejit_jit::opt::liveness::{Rows, Spoiled};

/// Guest instructions of a function that is compiled as far as it has been used.
const LONG: u32 = 512;
/// Jumps out of a part that are many.
const OFTEN: u64 = 64;

/// A translated entry. It runs wherever the same code is: guest addresses in it are as lifted, and a wave's `code_delta` says how far away
/// it is.
pub(crate) struct Code {
    /// What it was translated for, as lifted.
    pub key: CodeKey,
    /// Rows needed beyond `TEMP_ROW`.
    pub temp_rows: u32,
    /// Rows of VGPRs and AGPRs that waves may read before they write them.
    pub read_first: Rows,
    /// Scalar registers, and rows, that a wave has to be given anew where another of this code has been.
    pub spoiled_sregs: Box<[SReg]>,
    pub spoiled_rows: Rows,
    /// Guest pc and float mode of each resume point, as lifted.
    resume: Vec<(u64, FpMode)>,
    /// What `Exit::Fail` names; addresses as lifted.
    pub failures: Vec<Failure>,
    /// How long it took to make.
    pub compile_time: Duration,
    pub(crate) body: Body,
    /// The code it depends on.
    read: CodeRead,
    /// Of each counter, the guest addresses of the instructions that it counts, as lifted.
    pub counted: Vec<Vec<u64>>,
    /// Where waves go on in other functions, in order: [`Lifted::ways_on`].
    pub ways_on: Box<[(u64, FpMode)]>,
    heat: Option<Arc<Heat>>,
    /// There is better code for its entry.
    is_superseded: AtomicBool,
    /// The function that it is made of, or was first made of, calls others.
    pub has_calls: bool,
    /// Waves leave it for parts of its function that had not been used when it was made.
    pub is_part: bool,
    /// How often waves have left a part.
    jumps: AtomicU64,
    pub(super) idle: Idle,
    bytes: usize,
}

/// How it runs.
pub(crate) enum Body {
    Jit(HostCode),
    Interp(Arc<Prepared>),
}

/// Host code, until it is dropped.
pub(crate) struct HostCode(Option<Box<Compiled>>);

impl HostCode {
    pub(crate) fn entry(&self) -> EntryFn {
        self.0.as_ref().expect("there until it is dropped").entry()
    }
}

impl Drop for HostCode {
    fn drop(&mut self) {
        // The arena for code has locks.
        let _section = Section::begin();
        self.0 = None;
    }
}

/// How much code has been interpreted that is until it has earned its compilation. Functions that follow one another share it: they are used as
/// much as the first one.
pub(super) struct Heat {
    /// Guest instructions interpreted.
    interpreted: AtomicU64,
    /// How many make it hot.
    hot_at: AtomicU64,
    /// How often a launch has found it interpreted. What was launched again and again is likely to be so on: each time half as much makes it hot.
    launches: AtomicU32,
    /// It is a small function, for code that may run only once.
    pub is_small: bool,
}

impl Heat {
    /// Of code that is hot after so many instructions.
    pub(super) fn new(hot_at: u64, is_small: bool) -> Arc<Heat> {
        Arc::new(Heat { interpreted: AtomicU64::new(0), hot_at: AtomicU64::new(hot_at), launches: AtomicU32::new(0), is_small })
    }
}

/// How the IR of an entry was made, before passes.
pub(super) struct Origin {
    pub key: CodeKey,
    pub resume: Vec<(u64, FpMode)>,
    pub failures: Vec<Failure>,
    pub read: CodeRead,
    pub counted: Vec<Vec<u64>>,
    pub ways_on: Vec<(u64, FpMode)>,
    pub has_calls: bool,
}

impl Origin {
    /// Of what was lifted, and its function.
    pub(super) fn new(key: CodeKey, lifted: Lifted) -> (Origin, Func) {
        let Lifted { func, code: read, ways_on, has_calls, counted } = lifted;
        let resume = ir::resume_points(&func).iter().map(|b| (func.block(*b).pc, func.block(*b).mode)).collect();
        (Origin { key, resume, failures: func.failures.clone(), read, counted, ways_on, has_calls }, func)
    }

    fn code(self, rows: (u32, Rows, Spoiled), body: Body, bytes: usize, compile_time: Duration) -> Code {
        let (temp_rows, read_first, spoiled) = rows;
        let counted_bytes: usize = self.counted.iter().map(|span| size_of_val(span) + size_of_val(&span[..])).sum();
        let bytes = bytes + self.read.bytes() + 16 * (self.resume.len() + self.ways_on.len()) + counted_bytes + size_of::<Code>();
        let Origin { key, resume, failures, read, counted, ways_on, has_calls } = self;
        Code {
            key,
            temp_rows,
            read_first,
            spoiled_sregs: spoiled.sregs.iter().collect(),
            spoiled_rows: spoiled.rows,
            resume,
            failures,
            compile_time,
            body,
            read,
            counted,
            ways_on: ways_on.into(),
            heat: None,
            is_superseded: AtomicBool::new(false),
            has_calls,
            is_part: false,
            jumps: AtomicU64::new(0),
            idle: Idle::default(),
            bytes,
        }
    }
}

impl Code {
    /// Code that is interpreted; without heat it is never compiled.
    pub(super) fn interpreted(origin: Origin, func: Func, heat: Option<Arc<Heat>>, compile_time: Duration) -> Code {
        let func = Prepared::new(func);
        let bytes = func.bytes();
        let code = origin.code((INTERP_TEMP_ROWS, Rows::ALL, Spoiled::ALL), Body::Interp(Arc::new(func)), bytes, compile_time);
        Code { heat, ..code }
    }

    /// Code of the host.
    pub(super) fn compiled(origin: Origin, compiled: Compiled, compile_time: Duration) -> Code {
        let (rows, bytes) = ((compiled.temp_rows, compiled.read_first, compiled.spoiled), compiled.bytes());
        origin.code(rows, Body::Jit(HostCode(Some(Box::new(compiled)))), bytes, compile_time)
    }

    /// It, as all of its function or as a part.
    pub(super) fn made_whole(self, is_whole: bool) -> Code {
        Code { is_part: !is_whole, ..self }
    }

    /// What it is a translation for, where a wave has that `code_delta`.
    pub(crate) fn key_at(&self, delta: u64) -> CodeKey {
        CodeKey { entry: self.key.entry.wrapping_add(delta), ..self.key }
    }

    /// What a wave's `code_delta` is when the code's entry is here.
    pub(crate) fn delta(&self, entry: u64) -> u64 {
        entry.wrapping_sub(self.key.entry)
    }

    /// Code of the host that was loaded from a file.
    pub(super) fn loaded(head: Head, compiled: Compiled, load_time: Duration) -> Code {
        let Head { key, resume, failures, read, ways_on, is_part, has_calls, .. } = head;
        Code::compiled(Origin { key, resume, failures, read, counted: vec![], ways_on, has_calls }, compiled, load_time)
            .made_whole(!is_part)
    }

    /// What a file needs to say of it.
    pub(super) fn head(&self, target: Gfx, accuracy: Accuracy) -> Head {
        let (resume, failures, read) = (self.resume.clone(), self.failures.clone(), self.read.clone());
        let (ways_on, is_part, has_calls) = (self.ways_on.to_vec(), self.is_part, self.has_calls);
        Head { key: self.key, target: target.to_string(), accuracy, resume, failures, read, ways_on, is_part, has_calls }
    }

    /// The function, if it is interpreted.
    pub(crate) fn prepared(&self) -> Option<&Arc<Prepared>> {
        match &self.body {
            Body::Interp(prepared) => Some(prepared),
            Body::Jit(_) => None,
        }
    }

    /// Guest address, as lifted, and float mode where a suspended wave goes on.
    pub(crate) fn resume_at(&self, index: u32) -> (u64, FpMode) {
        self.resume.get(index as usize).copied().unwrap_or((self.key.entry, self.key.mode))
    }

    /// Counts guest instructions that were interpreted.
    pub(crate) fn add_heat(&self, insts: u64) {
        if let Some(heat) = &self.heat {
            heat.interpreted.fetch_add(insts, Relaxed);
        }
    }

    /// Is it a translation of the code at `entry`, of which `read` fills in bytes or gives false?
    pub(super) fn is_of(&self, entry: u64, read: &dyn Fn(u64, &mut [u8]) -> bool) -> bool {
        self.read.matches(entry, read)
    }

    /// Is it interpreted until it is hot?
    pub(crate) fn is_cold(&self) -> bool {
        self.heat.is_some()
    }

    /// Is it, as a small function?
    pub(super) fn is_small(&self) -> bool {
        self.heat.as_ref().is_some_and(|heat| heat.is_small)
    }

    /// The heat of a function to which this one leads at an address, as lifted.
    pub(super) fn heat_at(&self, pc: u64, mode: FpMode) -> Option<Arc<Heat>> {
        self.heat.clone().filter(|heat| heat.is_small && self.ways_on.binary_search(&(pc, mode)).is_ok())
    }

    /// Would compiling all of it, or of what it leads to, take long?
    pub(super) fn is_long(&self) -> bool {
        self.prepared().is_some_and(|p| p.func().guest_insts() >= LONG) || !self.ways_on.is_empty()
    }

    /// A wave leaves it for other code.
    pub(super) fn note_jump(&self) {
        if self.is_part {
            self.jumps.fetch_add(1, Relaxed);
        }
    }

    /// Is it a part that waves leave again and again?
    pub(super) fn is_outgrown(&self) -> bool {
        self.jumps.load(Relaxed) >= OFTEN
    }

    /// Has it been interpreted so much that it should be compiled?
    pub(crate) fn is_hot(&self) -> bool {
        self.heat.as_ref().is_some_and(|heat| heat.interpreted.load(Relaxed) >= heat.hot_at.load(Relaxed))
    }

    /// It is launched once more.
    pub(super) fn note_launched_cold(&self) {
        if let Some(heat) = &self.heat {
            heat.launches.fetch_add(1, Relaxed);
            heat.hot_at.store(heat.hot_at.load(Relaxed) / 2, Relaxed);
        }
    }

    /// Guest instructions, interpreted, that make it hot.
    pub(crate) fn hot_at(&self) -> u64 {
        self.heat.as_ref().map_or(u64::MAX, |heat| heat.hot_at.load(Relaxed))
    }

    /// Guest instructions that are to be interpreted before it is hot.
    pub(crate) fn until_hot(&self) -> i64 {
        let left = |heat: &Arc<Heat>| heat.hot_at.load(Relaxed).saturating_sub(heat.interpreted.load(Relaxed));
        self.heat.as_ref().map_or(i64::MAX, |heat| i64::try_from(left(heat)).unwrap_or(i64::MAX))
    }

    /// Is there better code for its entry?
    pub(crate) fn is_superseded(&self) -> bool {
        self.is_superseded.load(Relaxed)
    }

    /// There is better code for its entry now.
    pub(super) fn supersede(&self) {
        self.is_superseded.store(true, Relaxed);
    }

    /// Is it worth so much work, were it launched once? If so, the functions that share its heat have to earn theirs from now on; if not, it is asked again
    /// when it has been used accordingly.
    pub(super) fn deserves(&self, insts: u64) -> bool {
        let Some(heat) = &self.heat else { return false };
        let insts = insts >> heat.launches.load(Relaxed).min(u64::BITS - 1);
        heat.hot_at.store(insts, Relaxed);
        let is_hot = heat.interpreted.load(Relaxed) >= insts;
        if is_hot {
            heat.interpreted.store(0, Relaxed);
        }
        is_hot
    }

    /// Bytes of memory it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
