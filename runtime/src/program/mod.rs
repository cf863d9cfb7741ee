//! Translations of one piece of machine code (a code object, or raw code): found or made by [`CodeKey`].
//!
//! Code is translated when a wave gets there. A kernel's entry that few waves are launched from is interpreted first, until it has been used so much
//! that compiling it costs no more than that did ([`Engine::Tiered`]); then, or for many waves at once, it is compiled, with as much of what follows as a function may have. So is what
//! did not fit, when a wave comes to where a compiled function ends, or back to behind one of its calls ([`Lifted::ways_on`]): each such function
//! has the part that follows, up to where the next one begins, and a kernel of any length runs compiled. Other
//! entries that waves come to (addresses and float modes that are only known when they run) are
//! interpreted first, a small function each, and compiled when they have been used so much that it costs no more than their use did. So a
//! program that jumps to a thousand places, or through a thousand float modes, pays for a thousand small lifts. Code that jumps between its functions
//! so that they have the same instructions again and again is compiled at once so often only ([`REPEATS`]).
//!
//! Where the host has no memory for host code, code is interpreted.
//!
//! Code of a kernel's entry that computes with denormals, where these are slow, is made a second time ([`idle`]).
//!
//! A program holds at most [`MAX_ENTRIES`] entries and [`MAX_BYTES`] bytes; those not used for longest go. Where the same bytes have been
//! translated before for the same device, the [`cache`] has the translation.

mod cache;
mod code;
mod compiler;
mod idle;
mod key;
mod recent;
mod store;

pub(crate) use cache::CodeCache;
pub use cache::CodeStats;
pub(crate) use code::{Body, Code};
pub(crate) use idle::Trial;
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
use code::{Heat, Origin};
use compiler::{OneAtATime, Wish};
use foldhash::fast::RandomState;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use store::Wanted;
use wavejit_ir::FpMode;
use wavejit_ir::verify::verify;
use wavejit_isa::Gfx;
use wavejit_jit::emit::EmitError;
use wavejit_jit::lift::{self, LiftSource, Lifted, Limits, Plan};
use wavejit_jit::opt::one_ulp::one_ulp;

/// Most entries of a program that are kept.
const MAX_ENTRIES: usize = 4096;
/// Most bytes of translations of a program that are kept.
const MAX_BYTES: usize = 128 << 20;
/// Guest instructions interpreted in an entry, for each that would be compiled, before it is: about what compiling one costs.
const HOT: u64 = 16;
/// The same where kernels are interpreted first: about what compiling takes.
const TIER: u64 = 32;
/// Waves of a launch that may be interpreted first: each of more waves runs all of the code, nearly, and then it is hot.
const FEW_WAVES: u64 = TIER;
/// Guest instructions interpreted before anybody looks how many would be compiled.
const WARM: u64 = 4096;
/// Guest instructions interpreted, for each of code that calls functions, before anybody looks how much of it was used.
const LITTLE: u64 = 4;
/// Guest instructions that are compiled at once, for each dword of a program, before no more are but at kernels' entries.
const REPEATS: u64 = 8;
/// No code is at or above this address: the program counter has 48 bits and a sign.
const CODE_END: u64 = 1 << 47;
/// Between two looks at cancellation while another thread compiles.
const PATIENCE: Duration = Duration::from_micros(200);
/// Guest instructions that are interpreted for want of memory for host code, before there is another try.
const UNTIL_NEXT_TRY: u64 = 1 << 24;

/// How a wave comes to an entry.
#[derive(Clone, Copy)]
pub(crate) enum Arrival<'a> {
    /// It is a kernel's, and so many waves come; none: it is to be compiled, whatever comes.
    Start { waves: Option<u64> },
    /// From other code of the program, whose waves have that `code_delta`.
    Jump { from: &'a Code, delta: u64 },
}

impl Arrival<'_> {
    /// Do so many waves come that code is compiled for them before all of them have begun?
    pub(crate) fn has_many_waves(self) -> bool {
        matches!(self, Arrival::Start { waves } if waves > Some(FEW_WAVES))
    }
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
    /// Guest instructions that were compiled at once.
    at_once: AtomicU64,
}

/// Translations by where they are.
#[derive(Default)]
struct Codes {
    /// Hashed so that no choice of addresses makes it slow.
    map: HashMap<CodeKey, Held, RandomState>,
    /// Where waves go on that leave what is compiled.
    ways_on: HashSet<(u64, FpMode)>,
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
        self.ways_on.extend(ways_on(&key, &code));
        if let Some(old) = self.map.insert(key, Held { code, used: AtomicU64::new(self.now) }) {
            self.bytes -= old.code.bytes();
            old.code.supersede();
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

/// Where waves go on that leave an entry's code, if it is compiled.
fn ways_on(key: &CodeKey, code: &Code) -> impl Iterator<Item = (u64, FpMode)> {
    let delta = code.delta(key.entry);
    let known = if code.prepared().is_none() && !code.is_part { &code.ways_on[..] } else { &[] };
    known.iter().map(move |(pc, mode)| (pc.wrapping_add(delta), *mode))
}

impl Program {
    /// A program of guest code at `start..end`.
    pub(crate) fn new(space: Arc<AddressSpace>, cache: Arc<CodeCache>, target: Gfx, made_by: MadeBy, (start, end): (u64, u64)) -> Program {
        let range = (start, end.min(CODE_END));
        Program {
            space,
            target,
            made_by,
            range,
            cache,
            codes: RwLock::default(),
            compiling: OneAtATime::default(),
            at_once: AtomicU64::new(0),
        }
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

    /// The translation of an entry, if there is one that is not to be better soon.
    pub(crate) fn known(&self, key: &CodeKey) -> Option<Arc<Code>> {
        self.codes.read().get(key).filter(|code| !code.is_cold() && !code.is_part)
    }

    /// Guest addresses of instructions that the interpreter has come to, with their float modes.
    fn reached(&self) -> HashSet<(u64, FpMode), RandomState> {
        let mut reached = HashSet::default();
        for (key, held) in &self.codes.read().map {
            let delta = held.code.delta(key.entry);
            for block in held.code.prepared().iter().flat_map(|p| p.reached()) {
                let pcs = block.insts.iter().map(|inst| inst.pc).chain([block.pc, block.term_pc]);
                reached.extend(pcs.map(|pc| (pc.wrapping_add(delta), block.mode)));
            }
        }
        reached
    }

    /// The translation of an entry, made now if there is none. `name` is for messages, `stop` says whether to give up.
    pub(crate) fn code(&self, name: &str, key: CodeKey, arrival: Arrival, stop: &dyn Fn() -> bool) -> Result<Arc<Code>, Error> {
        let known = self.codes.read().get(&key);
        let request = Request { program: self, name, key, stop };
        if let Arrival::Jump { from, .. } = arrival {
            from.note_jump();
        }
        match (known, arrival) {
            (Some(code), Arrival::Start { waves }) if code.is_part && code.is_too_little_for(waves) => {
                request.first(&Plan::new(Limits::WHOLE), false)
            }
            (Some(code), _) if !code.is_cold() => Ok(code),
            (known, Arrival::Start { waves }) => request.start(known, waves),
            (known, _) if known.as_ref().is_none_or(|code| code.is_small()) && self.goes_on_compiled(&key) => {
                if request.is_tiered() {
                    request.next_tier(known)
                } else {
                    request.first(&Plan { ends: &|entry, mode| request.begins(entry, mode), ..Plan::new(Limits::WHOLE) }, false)
                }
            }
            (Some(code), _) if code.is_hot() => Ok(request.compile_hot(&code)?.unwrap_or(code)),
            (Some(code), _) => Ok(code),
            (None, Arrival::Jump { from, delta }) => request.small(from.heat_at(key.entry.wrapping_sub(delta), key.mode)),
        }
    }

    /// Is an entry the continuation of compiled code, to be compiled at once?
    fn goes_on_compiled(&self, key: &CodeKey) -> bool {
        self.codes.read().ways_on.contains(&(key.entry, key.mode))
            && self.at_once.load(Relaxed) <= REPEATS.saturating_mul((self.range.1 - self.range.0) / 4)
    }

    /// Counts guest instructions that were interpreted.
    pub(crate) fn count_interpreted(&self, insts: u64) {
        self.cache.counters.interpreted_insts.fetch_add(insts, Relaxed);
    }

    /// A better translation of an entry that a wave came to in `cold`, which has been interpreted much. None: not yet.
    pub(crate) fn hot_code(&self, name: &str, key: CodeKey, cold: &Code, stop: &dyn Fn() -> bool) -> Result<Option<Arc<Code>>, Error> {
        let known = self.codes.read().get(&key).filter(|code| !code.is_cold());
        if known.is_some() { Ok(known) } else { Request { program: self, name, key, stop }.compile_hot(cold) }
    }

    /// Makes code that [deserves it](Code::deserves_masks) a second time, with idle lanes masked, unless somebody else compiles something.
    pub(crate) fn make_masked(&self, name: &str, key: CodeKey, code: &Code, stop: &dyn Fn() -> bool) {
        let Some(_one_at_a_time) = self.compiling.try_take() else { return };
        if !code.deserves_masks() {
            return;
        }
        let start = Instant::now();
        let Ok(lifted) = (Request { program: self, name, key, stop }).lift(&Plan::new(Limits::WHOLE)) else { return };
        if !code.is_of(key.entry, &|at, to| self.read_bytes(at, to)) {
            // The memory has changed meanwhile, and other programs may have this code.
            return;
        }
        let _section = Section::begin();
        let (origin, func) = Origin::new(key, lifted);
        match compiler::compile(func, Wish { savable: false, masks_idle: true }, stop) {
            Ok(compiled) => code.set_masked(Some(Arc::new(Code::compiled(origin, compiled, start.elapsed())))),
            Err(EmitError::Stopped) => {}
            Err(_) => code.set_masked(None),
        }
    }

    /// Lets go of translations of code that has changed in memory since.
    pub(crate) fn forget_changed(&self) {
        let same = |(key, held): (&CodeKey, &Held)| held.code.is_of(key.entry, &|at, to| self.read_bytes(at, to));
        let all = self.codes.read().map.iter().all(same);
        if !all {
            let mut codes = self.codes.write();
            codes.map.retain(|key, held| same((key, held)));
            codes.bytes = codes.map.values().map(|h| h.code.bytes()).sum();
            codes.ways_on = codes.map.iter().flat_map(|(key, held)| ways_on(key, &held.code)).collect();
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
    /// The translation of a kernel's entry for so many waves. `known` is interpreted.
    fn start(&self, known: Option<Arc<Code>>, waves: Option<u64>) -> Result<Arc<Code>, Error> {
        let is_tiered = self.is_tiered() && waves.is_some();
        let is_tried = known.as_ref().is_some_and(|code| code.has_calls);
        if is_tiered && (is_tried || waves <= Some(FEW_WAVES)) {
            self.next_tier(known)
        } else {
            self.first(&Plan::new(Limits::WHOLE), is_tiered)
        }
    }

    /// Is interpreted first what may be used little?
    fn is_tiered(&self) -> bool {
        self.program.made_by.engine == Engine::Tiered && !self.key.counted
    }

    /// The translation of an entry that is compiled when it has been used enough. `known` is interpreted.
    fn next_tier(&self, known: Option<Arc<Code>>) -> Result<Arc<Code>, Error> {
        match known {
            Some(cold) if cold.is_hot() => Ok(self.compile_hot(&cold)?.unwrap_or(cold)),
            Some(cold) => Ok(cold),
            None => self.first_tier(),
        }
    }

    /// The translation of an entry that may be used little: the interpreter's, if there is no better one.
    fn first_tier(&self) -> Result<Arc<Code>, Error> {
        self.check_entry()?;
        let content = self.content_key();
        if let Some(code) = self.cached(&content).or_else(|| self.stored(&content)) {
            return Ok(code);
        }
        Ok(self.hold_first(self.lift(&Plan::new(Limits::FIRST))?))
    }

    /// For the interpreter, until it is hot.
    fn hold_first(&self, lifted: Lifted) -> Arc<Code> {
        let start = Instant::now();
        let has_calls = lifted.has_calls;
        let (origin, func) = Origin::new(self.key, lifted);
        // Nobody knows how much of code that calls functions is used.
        let insts = if has_calls { WARM.min(LITTLE * u64::from(func.guest_insts())) } else { TIER * u64::from(func.guest_insts()) };
        let heat = Heat::new(insts, true);
        self.hold(Code::interpreted(origin, func, Some(heat), start.elapsed()).calling(has_calls))
    }

    /// The translation of an entry that is interpreted first, with the heat of the function that leads there.
    fn small(&self, heat: Option<Arc<Heat>>) -> Result<Arc<Code>, Error> {
        self.check_entry()?;
        if let Some(code) = self.cached(&self.content_key()) {
            return Ok(code);
        }
        let start = Instant::now();
        let (origin, func) = Origin::new(self.key, self.lift(&Plan::new(Limits::COLD))?);
        let heat = (self.program.made_by.engine != Engine::Interp).then(|| heat.unwrap_or_else(|| Heat::new(WARM, true)));
        Ok(self.hold(Code::interpreted(origin, func, heat, start.elapsed())))
    }

    /// Is there compiled code for an entry?
    fn begins(&self, entry: u64, mode: FpMode) -> bool {
        self.program.codes.read().map.get(&CodeKey { entry, mode, ..self.key }).is_some_and(|h| !h.code.is_cold())
    }

    fn check_entry(&self) -> Result<(), Error> {
        let (program, address) = (self.program, self.key.entry);
        if !address.is_multiple_of(4) || program.read(address).is_none() {
            return Err(Error::NoCode(NoCode { kernel: self.name.into(), address, code: program.range }));
        }
        Ok(())
    }

    /// The translation of an entry that is compiled at once; of one that calls functions, if that may be tried, the interpreter's: what such code calls is
    /// for what happens rarely, as often as not, such as a failed assertion, and then only the rest is to be compiled.
    fn first(&self, plan: &Plan, may_try: bool) -> Result<Arc<Code>, Error> {
        let program = self.program;
        self.check_entry()?;
        let content = self.content_key();
        if let Some(code) = self.cached(&content) {
            return Ok(code);
        }
        let _one_at_a_time = loop {
            match program.compiling.try_take() {
                Some(turn) => break turn,
                None => self.check_stop()?,
            }
            std::thread::sleep(PATIENCE);
        };
        // Somebody else may have made it meanwhile.
        let made = program.known(&self.key);
        let made = made.or_else(|| self.cached(&content)).or_else(|| self.stored(&content));
        if let Some(made) = made {
            return Ok(made);
        }
        let lifted = self.lift(plan)?;
        if may_try && lifted.has_calls {
            return Ok(self.hold_first(lifted));
        }
        program.at_once.fetch_add(lifted.func.guest_insts().into(), Relaxed);
        self.make(lifted, Some(content), false)
    }

    /// Compiles an entry if `cold`, from where the wave comes, has been interpreted enough. While another thread compiles it is interpreted on.
    fn compile_hot(&self, cold: &Code) -> Result<Option<Arc<Code>>, Error> {
        let Some(_one_at_a_time) = self.program.compiling.try_take() else { return Ok(None) };
        let content = self.content_key();
        if let Some(code) = self.cached(&content).or_else(|| self.stored(&content)) {
            return Ok(Some(code));
        }
        // Of long code it is the part that has been used.
        let is_part = self.is_tiered() && cold.is_long();
        let reached = if is_part { self.program.reached() } else { HashSet::default() };
        let plan = Plan {
            ends: &|entry, mode| self.begins(entry, mode),
            reaches: &|pc, mode| !is_part || reached.contains(&(pc, mode)),
            ..Plan::new(Limits::WHOLE)
        };
        let lifted = self.lift(&plan)?;
        let hot = if self.is_tiered() { TIER } else { HOT };
        if !cold.deserves(hot * u64::from(lifted.func.guest_insts())) {
            return Ok(None);
        }
        let has_calls = lifted.has_calls || cold.has_calls;
        self.make(lifted, (!is_part).then_some(content), has_calls).map(Some)
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
        if program.made_by.engine == Engine::Interp || self.key.counted {
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

    fn lift(&self, plan: &Plan) -> Result<Lifted, Error> {
        let CodeKey { entry, mode, wave_size, vgprs, ids, counted } = self.key;
        let program = self.program;
        // Tables are made when they are first asked for: a child of a fork would wait for ever for one that was being made.
        let _section = Section::begin();
        let source = LiftSource { name: self.name, entry, target: program.target, wave_size, mode, vgprs, read: &|at| program.read(at) };
        let mut lifted = lift::lift_as(&source, &Plan { counted, ..*plan }, self.stop).map_err(|_| self.stopped())?;
        lifted.func.ids = ids;
        if program.made_by.accuracy == Accuracy::OneUlp {
            one_ulp(&mut lifted.func);
        }
        debug_assert_eq!(verify(&lifted.func).err(), None, "lifted code passes the verifier");
        program.cache.counters.lift(lifted.func.guest_insts());
        Ok(lifted)
    }

    /// Compiles, or prepares for the interpreter, what was lifted; for this program and, by its content, for others. A part is for this one alone.
    fn make(&self, lifted: Lifted, content: Option<ContentKey>, has_calls: bool) -> Result<Arc<Code>, Error> {
        let start = Instant::now();
        let _section = Section::begin();
        let (origin, func) = Origin::new(self.key, lifted);
        if self.program.made_by.engine == Engine::Interp {
            let code = self.hold(Code::interpreted(origin, func, None, start.elapsed()));
            if let Some(content) = content {
                self.program.cache.insert(content, code.clone());
            }
            return Ok(code);
        }
        let insts = func.guest_insts();
        let program = self.program;
        let store = program.cache.store.get().filter(|_| !self.key.counted && content.is_some());
        match compiler::compile(func, Wish { savable: store.is_some(), masks_idle: false }, self.stop) {
            Ok(mut compiled) => {
                program.cache.counters.compile(insts);
                let saved = compiled.take_saved();
                let code = Code::compiled(origin, compiled, start.elapsed()).made_whole(content.is_some()).calling(has_calls);
                let code = self.hold(code);
                if let Some(content) = content {
                    program.cache.insert(content, code.clone());
                }
                if let (Some(store), Some(saved)) = (store, saved) {
                    store.keep(&self.wanted(), &code.head(program.target, program.made_by.accuracy), &saved);
                }
                Ok(code)
            }
            Err(EmitError::Stopped) => Err(self.stopped()),
            Err(EmitError::OutOfMemory(_)) => {
                // Makes room for the next try.
                self.program.cache.halve();
                let (origin, func) = Origin::new(self.key, self.lift(&Plan::new(Limits::WHOLE))?);
                Ok(self.hold(Code::interpreted(origin, func, Some(Heat::new(UNTIL_NEXT_TRY, false)), start.elapsed())))
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
        let (origin, func) =
            Origin::new(key, Lifted { func, code: Default::default(), ways_on: vec![], has_calls: false, counted: vec![] });
        (key, Arc::new(Code::interpreted(origin, func, None, Duration::ZERO)))
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
