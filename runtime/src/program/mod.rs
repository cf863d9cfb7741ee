//! Translations of one piece of machine code (a code object, or raw code): found or made by [`CodeKey`].
//!
//! Code is translated when a wave gets there. A kernel's entry is compiled at once, with as much of what follows as a function may have. Other
//! entries that waves come to (addresses and float modes that are only known when they run, and what did not fit into a function) are
//! interpreted first, a small function each, and compiled when they have been used so much that it costs no more than their use did. So a
//! program that jumps to a thousand places, or through a thousand float modes, pays for a thousand small lifts.
//!
//! Where the host has no memory for host code, code is interpreted.
//!
//! A program holds at most [`MAX_ENTRIES`] entries and [`MAX_BYTES`] bytes; those not used for longest go. Where the same bytes have been
//! translated before for the same device, the [`cache`] has the translation.

mod cache;
mod code;
mod compiler;
mod key;
mod recent;
mod store;

pub(crate) use cache::CodeCache;
pub use cache::CodeStats;
pub(crate) use code::{Body, Code};
pub use key::Engine;
pub(crate) use key::{CodeKey, MadeBy};
pub(crate) use recent::RecentPrograms;
pub use store::CODE_CACHE_VARIABLE;
pub(crate) use store::directory as code_directory;

use crate::dispatch::config::Accuracy;
use crate::error::{Error, NoCode};
use crate::fault::Limit;
use crate::host::fork::Section;
use crate::host::sync::RwLock;
use crate::memory::address_space::AddressSpace;
use cache::ContentKey;
use code::Origin;
use compiler::OneAtATime;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use store::Wanted;
use wavejit_ir::verify::verify;
use wavejit_isa::Gfx;
use wavejit_jit::emit::EmitError;
use wavejit_jit::lift::{self, LiftSource, Lifted, Limits};
use wavejit_jit::opt::one_ulp::one_ulp;

/// Most entries of a program that are kept.
const MAX_ENTRIES: usize = 4096;
/// Most bytes of translations of a program that are kept.
const MAX_BYTES: usize = 32 << 20;
/// Guest instructions interpreted in an entry, for each that would be compiled, before it is: about what compiling one costs.
const HOT: u64 = 16;
/// Guest instructions interpreted before anybody looks how many would be compiled.
const WARM: u64 = 4096;
/// No code is at or above this address: the program counter has 48 bits and a sign.
const CODE_END: u64 = 1 << 47;
/// Between two looks at cancellation while another thread compiles.
const PATIENCE: Duration = Duration::from_micros(200);
/// Guest instructions that are interpreted for want of memory for host code, before there is another try.
const UNTIL_NEXT_TRY: u64 = 1 << 24;

/// How a wave comes to an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrival {
    /// It is a kernel's.
    Start,
    /// From other code of the program.
    Jump,
}

/// Machine code in guest memory and its translations.
pub(crate) struct Program {
    space: Arc<AddressSpace>,
    target: Gfx,
    made_by: MadeBy,
    /// Guest addresses code may be read from.
    range: (u64, u64),
    cache: Arc<CodeCache>,
    codes: RwLock<Codes>,
    compiling: OneAtATime,
}

/// Translations by where they are.
#[derive(Default)]
struct Codes {
    map: HashMap<CodeKey, Held>,
    bytes: usize,
    /// Counts insertions.
    now: u64,
}

struct Held {
    code: Arc<Code>,
    /// The last insertion before its last use.
    used: AtomicU64,
}

impl Codes {
    fn get(&self, key: &CodeKey) -> Option<Arc<Code>> {
        let held = self.map.get(key)?;
        held.used.store(self.now, Relaxed);
        Some(held.code.clone())
    }

    fn insert(&mut self, key: CodeKey, code: Arc<Code>) {
        self.now += 1;
        self.bytes += code.bytes();
        if let Some(old) = self.map.insert(key, Held { code, used: AtomicU64::new(self.now) }) {
            self.bytes -= old.code.bytes();
        }
        if self.map.len() > MAX_ENTRIES || self.bytes > MAX_BYTES {
            self.shrink(MAX_ENTRIES / 4 * 3, MAX_BYTES / 4 * 3);
        }
    }

    /// Lets go of what was not used for longest, but not of the newest.
    fn shrink(&mut self, entries: usize, bytes: usize) {
        let mut uses: Vec<(u64, CodeKey)> = self.map.iter().map(|(k, h)| (h.used.load(Relaxed), *k)).collect();
        uses.sort_unstable_by_key(|u| u.0);
        uses.pop();
        for (_, key) in uses {
            if self.map.len() <= entries && self.bytes <= bytes {
                break;
            }
            if let Some(old) = self.map.remove(&key) {
                self.bytes -= old.code.bytes();
            }
        }
    }
}

impl Program {
    /// A program of guest code at `start..end`.
    pub(crate) fn new(space: Arc<AddressSpace>, cache: Arc<CodeCache>, target: Gfx, made_by: MadeBy, (start, end): (u64, u64)) -> Program {
        let range = (start, end.min(CODE_END));
        Program { space, target, made_by, range, cache, codes: RwLock::default(), compiling: OneAtATime::default() }
    }

    /// Processor the code is for.
    pub(crate) fn target(&self) -> Gfx {
        self.target
    }

    /// The dword at a guest address inside the program.
    pub(crate) fn read(&self, address: u64) -> Option<u32> {
        self.contains(address, 4).then(|| self.space.read_u32(address)).flatten()
    }

    /// Fills in the bytes at a guest address; false if not all of them are in the program.
    fn read_bytes(&self, address: u64, to: &mut [u8]) -> bool {
        self.contains(address, to.len()) && self.space.read(address, to).is_ok()
    }

    fn contains(&self, address: u64, bytes: usize) -> bool {
        address >= self.range.0 && address.checked_add(bytes as u64).is_some_and(|end| end <= self.range.1)
    }

    /// The translation of an entry, made now if there is none. `name` is for messages, `stop` says whether to give up.
    pub(crate) fn code(&self, name: &str, key: CodeKey, arrival: Arrival, stop: &dyn Fn() -> bool) -> Result<Arc<Code>, Error> {
        let known = self.codes.read().get(&key);
        let request = Request { program: self, name, key, stop };
        match (known, arrival) {
            (Some(code), Arrival::Start) if !code.is_cold() => Ok(code),
            (Some(code), Arrival::Jump) if code.is_hot() => Ok(request.compile_hot(&code)?.unwrap_or(code)),
            (Some(code), Arrival::Jump) => Ok(code),
            (_, Arrival::Start) => request.first(Limits::WHOLE),
            (None, Arrival::Jump) => request.first(Limits::COLD),
        }
    }

    /// A better translation of an entry that a wave came to in `cold`, which has been interpreted much. None: not yet.
    pub(crate) fn hot_code(&self, name: &str, key: CodeKey, cold: &Code, stop: &dyn Fn() -> bool) -> Result<Option<Arc<Code>>, Error> {
        let known = self.codes.read().get(&key).filter(|c| !c.is_cold());
        if known.is_some() { Ok(known) } else { Request { program: self, name, key, stop }.compile_hot(cold) }
    }

    /// Lets go of translations of code that has changed in memory since.
    pub(crate) fn forget_changed(&self) {
        let same = |(key, held): (&CodeKey, &Held)| held.code.is_of(key.entry, &|at, to| self.read_bytes(at, to));
        let all = self.codes.read().map.iter().all(same);
        if !all {
            let mut codes = self.codes.write();
            codes.map.retain(|key, held| same((key, held)));
            codes.bytes = codes.map.values().map(|h| h.code.bytes()).sum();
        }
    }
}

/// Somebody wants the translation of an entry.
struct Request<'a> {
    program: &'a Program,
    name: &'a str,
    key: CodeKey,
    stop: &'a dyn Fn() -> bool,
}

impl Request<'_> {
    /// The first translation of an entry.
    fn first(&self, limits: Limits) -> Result<Arc<Code>, Error> {
        let program = self.program;
        if !self.key.entry.is_multiple_of(4) || program.read(self.key.entry).is_none() {
            return Err(Error::NoCode(NoCode { kernel: self.name.into(), address: self.key.entry, code: program.range }));
        }
        let content = self.content_key();
        if let Some(code) = self.cached(&content) {
            return Ok(code);
        }
        if limits == Limits::COLD {
            let start = Instant::now();
            let Lifted { func, code, counted } = self.lift(limits)?;
            let origin = Origin::new(self.key, &func, code, counted);
            let hot_at = if program.made_by.engine == Engine::Jit { WARM } else { 0 };
            return Ok(self.hold(Code::interpreted(origin, func, hot_at, start.elapsed())));
        }
        let _one_at_a_time = loop {
            match program.compiling.try_take() {
                Some(turn) => break turn,
                None => self.check_stop()?,
            }
            std::thread::sleep(PATIENCE);
        };
        // Somebody else may have made it meanwhile.
        let made = program.codes.read().get(&self.key).filter(|c| !c.is_cold());
        let made = made.or_else(|| self.cached(&content)).or_else(|| self.stored(&content));
        made.map_or_else(|| self.make(self.lift(limits)?, content), Ok)
    }

    /// Compiles an entry if `cold`, from where the wave comes, has been interpreted enough. While another thread compiles it is interpreted on.
    fn compile_hot(&self, cold: &Code) -> Result<Option<Arc<Code>>, Error> {
        let Some(_one_at_a_time) = self.program.compiling.try_take() else { return Ok(None) };
        let content = self.content_key();
        if let Some(code) = self.cached(&content).or_else(|| self.stored(&content)) {
            return Ok(Some(code));
        }
        let lifted = self.lift(Limits::WHOLE)?;
        if cold.deserves(HOT * u64::from(lifted.func.guest_insts())) { self.make(lifted, content).map(Some) } else { Ok(None) }
    }

    fn content_key(&self) -> ContentKey {
        ContentKey::new(self.program.target, self.program.made_by, self.key, &|at| self.program.read(at))
    }

    /// The translation of the same code somewhere.
    fn cached(&self, content: &ContentKey) -> Option<Arc<Code>> {
        let program = self.program;
        let code = program.cache.find(content, self.key.entry, &|at, to| program.read_bytes(at, to))?;
        program.codes.write().insert(self.key, code.clone());
        Some(code)
    }

    /// The translation of the same code in a file.
    fn stored(&self, content: &ContentKey) -> Option<Arc<Code>> {
        let program = self.program;
        if program.made_by.engine != Engine::Jit || self.key.counted {
            return None;
        }
        let store = program.cache.store.get()?;
        let _section = Section::begin();
        let code = self.hold(store.find(&self.wanted())?);
        program.cache.insert(*content, code.clone());
        Some(code)
    }

    /// This, as files know it.
    fn wanted(&self) -> Wanted<'_> {
        Wanted { program: self.program, key: self.key }
    }

    fn lift(&self, limits: Limits) -> Result<Lifted, Error> {
        let CodeKey { entry, mode, wave_size, vgprs, ids, counted } = self.key;
        let program = self.program;
        // Tables are made when they are first asked for: a child of a fork would wait for ever for one that was being made.
        let _section = Section::begin();
        let source = LiftSource { name: self.name, entry, target: program.target, wave_size, mode, vgprs, read: &|at| program.read(at) };
        let lift = if counted { lift::lift_counted } else { lift::lift_piece };
        let mut lifted = lift(&source, limits, self.stop).map_err(|_| self.stopped())?;
        lifted.func.ids = ids;
        if program.made_by.accuracy == Accuracy::OneUlp {
            one_ulp(&mut lifted.func);
        }
        debug_assert_eq!(verify(&lifted.func).err(), None, "lifted code passes the verifier");
        program.cache.counters.lift(lifted.func.guest_insts());
        Ok(lifted)
    }

    /// Compiles, or prepares for the interpreter, what was lifted; for this program and for others.
    fn make(&self, lifted: Lifted, content: ContentKey) -> Result<Arc<Code>, Error> {
        let start = Instant::now();
        let _section = Section::begin();
        let Lifted { func, code, counted } = lifted;
        let origin = Origin::new(self.key, &func, code, counted);
        if self.program.made_by.engine == Engine::Interp {
            let code = self.hold(Code::interpreted(origin, func, 0, start.elapsed()));
            self.program.cache.insert(content, code.clone());
            return Ok(code);
        }
        let insts = func.guest_insts();
        let program = self.program;
        let store = program.cache.store.get().filter(|_| !self.key.counted);
        match compiler::compile(func, store.is_some(), self.stop) {
            Ok(mut compiled) => {
                program.cache.counters.compile(insts);
                let saved = compiled.take_saved();
                let code = self.hold(Code::compiled(origin, compiled, start.elapsed()));
                program.cache.insert(content, code.clone());
                if let (Some(store), Some(saved)) = (store, saved) {
                    store.keep(&self.wanted(), &code.head(program.target, program.made_by.accuracy), &saved);
                }
                Ok(code)
            }
            Err(EmitError::Stopped) => Err(self.stopped()),
            Err(EmitError::OutOfMemory(_)) => {
                // Makes room for the next try.
                self.program.cache.halve();
                let Lifted { func, code, counted } = self.lift(Limits::WHOLE)?;
                let origin = Origin::new(self.key, &func, code, counted);
                Ok(self.hold(Code::interpreted(origin, func, UNTIL_NEXT_TRY, start.elapsed())))
            }
            Err(e) => Err(Error::Internal(format!("kernel `{}`: {e}", self.name))),
        }
    }

    fn hold(&self, code: Code) -> Arc<Code> {
        let code = Arc::new(code);
        self.program.codes.write().insert(self.key, code.clone());
        code
    }

    fn check_stop(&self) -> Result<(), Error> {
        if (self.stop)() { Err(self.stopped()) } else { Ok(()) }
    }

    fn stopped(&self) -> Error {
        Limit::Canceled { kernel: self.name.into() }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::FpMode;
    use wavejit_ir::text::parse;

    fn tiny(entry: u64) -> (CodeKey, Arc<Code>) {
        let key = CodeKey { entry, mode: FpMode::HSA, wave_size: 32, vgprs: 32, ids: wavejit_ir::Ids::Any, counted: false };
        let func = parse("func \"f\" wave32 {\nb0 pc=0 mode=0x3f0 insts=1:\nend\n}").unwrap();
        let origin = Origin::new(key, &func, Default::default(), vec![]);
        (key, Arc::new(Code::interpreted(origin, func, 0, Duration::ZERO)))
    }

    #[test]
    fn a_program_holds_a_bounded_number_of_entries_and_lets_the_least_used_go() {
        let mut codes = Codes::default();
        let kept = tiny(0);
        codes.insert(kept.0, kept.1.clone());
        for entry in 1..20_000 {
            let (key, code) = tiny(entry);
            codes.insert(key, code);
            assert!(codes.map.len() <= MAX_ENTRIES && codes.bytes <= MAX_BYTES);
            assert!(codes.get(&kept.0).is_some() && codes.get(&key).is_some());
        }
        assert!(codes.get(&tiny(1).0).is_none());
        assert_eq!(codes.bytes, codes.map.values().map(|h| h.code.bytes()).sum::<usize>());
    }

    #[test]
    fn a_program_holds_a_bounded_number_of_bytes() {
        let mut codes = Codes::default();
        let (key, code) = tiny(0);
        let size = code.bytes();
        codes.insert(key, code);
        codes.bytes += MAX_BYTES - size;
        let (key, code) = tiny(1);
        codes.insert(key, code);
        assert!(codes.get(&key).is_some() && codes.map.len() == 1);
    }
}
