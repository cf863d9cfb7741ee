//! The translation of one entry: how it runs, what it was made of, how much it has been used.

use super::key::CodeKey;
use super::store::Head;
use crate::dispatch::config::Accuracy;
use crate::host::fork::Section;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use wavejit_ir::abi::EntryFn;
use wavejit_ir::interp::{INTERP_TEMP_ROWS, Prepared};
use wavejit_ir::{self as ir, Failure, FpMode, Func, SReg};
use wavejit_isa::Gfx;
use wavejit_jit::emit::Compiled;
use wavejit_jit::lift::CodeRead;
use wavejit_jit::opt::liveness::{Rows, Spoiled};

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
    heat: Heat,
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

/// Code that is interpreted until it has earned its compilation.
#[derive(Default)]
struct Heat {
    /// Guest instructions interpreted.
    interpreted: AtomicU64,
    /// How many make it hot; 0: it stays as it is.
    hot_at: AtomicU64,
}

/// How the IR of an entry was made, before passes.
pub(super) struct Origin {
    pub key: CodeKey,
    pub resume: Vec<(u64, FpMode)>,
    pub failures: Vec<Failure>,
    pub read: CodeRead,
    pub counted: Vec<Vec<u64>>,
}

impl Origin {
    pub(super) fn new(key: CodeKey, func: &Func, read: CodeRead, counted: Vec<Vec<u64>>) -> Origin {
        let resume = ir::resume_points(func).iter().map(|b| (func.block(*b).pc, func.block(*b).mode)).collect();
        Origin { key, resume, failures: func.failures.clone(), read, counted }
    }

    fn code(self, rows: (u32, Rows, Spoiled), body: Body, bytes: usize, compile_time: Duration) -> Code {
        let (temp_rows, read_first, spoiled) = rows;
        let counted_bytes: usize = self.counted.iter().map(|span| size_of_val(span) + size_of_val(&span[..])).sum();
        let bytes = bytes + self.read.bytes() + 16 * self.resume.len() + counted_bytes + size_of::<Code>();
        let Origin { key, resume, failures, read, counted } = self;
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
            heat: Heat::default(),
            bytes,
        }
    }
}

impl Code {
    /// Code that is interpreted; `hot_at`: so many guest instructions, and it wants to be compiled (0: never).
    pub(super) fn interpreted(origin: Origin, func: Func, hot_at: u64, compile_time: Duration) -> Code {
        let func = Prepared::new(func);
        let bytes = func.bytes();
        let code = origin.code((INTERP_TEMP_ROWS, Rows::ALL, Spoiled::ALL), Body::Interp(Arc::new(func)), bytes, compile_time);
        code.heat.hot_at.store(hot_at, Relaxed);
        code
    }

    /// Code of the host.
    pub(super) fn compiled(origin: Origin, compiled: Compiled, compile_time: Duration) -> Code {
        let (rows, bytes) = ((compiled.temp_rows, compiled.read_first, compiled.spoiled), compiled.bytes());
        origin.code(rows, Body::Jit(HostCode(Some(Box::new(compiled)))), bytes, compile_time)
    }

    /// What a wave's `code_delta` is when the code's entry is here.
    pub(crate) fn delta(&self, entry: u64) -> u64 {
        entry.wrapping_sub(self.key.entry)
    }

    /// Code of the host that was loaded from a file.
    pub(super) fn loaded(head: Head, compiled: Compiled, load_time: Duration) -> Code {
        let Head { key, resume, failures, read, .. } = head;
        Code::compiled(Origin { key, resume, failures, read, counted: vec![] }, compiled, load_time)
    }

    /// What a file needs to say of it.
    pub(super) fn head(&self, target: Gfx, accuracy: Accuracy) -> Head {
        let (resume, failures, read) = (self.resume.clone(), self.failures.clone(), self.read.clone());
        Head { key: self.key, target: target.to_string(), accuracy, resume, failures, read }
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
        self.heat.interpreted.fetch_add(insts, Relaxed);
    }

    /// Is it a translation of the code at `entry`, of which `read` fills in bytes or gives false?
    pub(super) fn is_of(&self, entry: u64, read: &dyn Fn(u64, &mut [u8]) -> bool) -> bool {
        self.read.matches(entry, read)
    }

    /// Is it interpreted until it is hot?
    pub(crate) fn is_cold(&self) -> bool {
        self.heat.hot_at.load(Relaxed) != 0
    }

    /// Has it been interpreted so much that it should be compiled?
    pub(crate) fn is_hot(&self) -> bool {
        let hot_at = self.heat.hot_at.load(Relaxed);
        hot_at != 0 && self.heat.interpreted.load(Relaxed) >= hot_at
    }

    /// Is it worth so much work? If not, it is asked again when it has been used accordingly.
    pub(super) fn deserves(&self, insts: u64) -> bool {
        self.heat.hot_at.store(insts.max(1), Relaxed);
        self.is_hot()
    }

    /// Bytes of memory it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
