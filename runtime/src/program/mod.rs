//! Translations of one piece of machine code (a code object, or raw code): found or made by [`CodeKey`].
//!
//! Code is translated when a wave gets there. A kernel's entry that few waves are launched from is interpreted first, until it has been used so much
//! that compiling it costs no more than that did ([`Engine::Tiered`]); then, or for many waves at once, it is compiled, with as much of what follows as a
//! function may have. Of long code that was interpreted it is the part that has been used; waves leave it for what was not, and where they do again and again, or
//! many waves are launched, all of it is compiled. Kernels that call functions begin so for many waves, too, which then go over to the compiled part together.
//!
//! Where translations are kept in files ([`store`]) short code is compiled at once, so that this is done once, and parts are kept, too.
//!
//! What did not fit into a function is compiled at once, too, when a wave comes to where a compiled function ends, or back to behind one of its calls
//! ([`Lifted::ways_on`](wavejit_jit::lift::Lifted::ways_on)): each such function has the part that follows, up to where the next one begins, and a kernel of any
//! length runs compiled. With tiers it is used a little first, as the entry is. Other entries that waves come to (addresses and float modes that are only known when
//! they run) are interpreted first in any case, a small function each, and compiled when they have been used so much that it costs no more than their use did. So a
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
mod request;
mod store;

pub(crate) use cache::CodeCache;
pub use cache::CodeStats;
pub(crate) use code::{Body, Code};
pub(crate) use idle::Trial;
pub(crate) use key::{CodeKey, MadeBy};
pub use key::{ENGINE_VARIABLE, Engine};
pub(crate) use recent::RecentPrograms;
pub use store::CODE_CACHE_VARIABLE;
pub(crate) use store::directory as code_directory;

use crate::error::Error;
use crate::host::fork::Section;
use crate::host::sync::RwLock;
use crate::memory::address_space::AddressSpace;
use code::Origin;
use compiler::{OneAtATime, Wish};
use foldhash::fast::RandomState;
use request::{FEW_WAVES, Request};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use wavejit_ir::FpMode;
use wavejit_isa::Gfx;
use wavejit_jit::emit::EmitError;
use wavejit_jit::lift::{Limits, Plan};

/// Most entries of a program that are kept.
const MAX_ENTRIES: usize = 4096;
/// Most bytes of translations of a program that are kept.
const MAX_BYTES: usize = 128 << 20;
/// Guest instructions that are compiled at once, for each dword of a program, before no more are but at kernels' entries.
const REPEATS: u64 = 8;
/// No code is at or above this address: the program counter has 48 bits and a sign.
const CODE_END: u64 = 1 << 47;

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

    /// Is a part too little? Waves leave it again and again, or so many come that all of it pays, unless the rest is what they call rarely.
    fn outgrows(self, part: &Code) -> bool {
        let Arrival::Start { waves } = self else { return false };
        part.is_outgrown() || waves.is_none_or(|n| n > FEW_WAVES && !part.has_calls)
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
        self.compiled(key).filter(|code| !code.is_part)
    }

    /// The translation of an entry that is not interpreted until it is hot.
    fn compiled(&self, key: &CodeKey) -> Option<Arc<Code>> {
        self.codes.read().get(key).filter(|code| !code.is_cold())
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
            (Some(code), _) if code.is_part && arrival.outgrows(&code) => request.first(|| request.lift(&Plan::new(Limits::WHOLE)), false),
            (Some(code), _) if !code.is_cold() => Ok(code),
            (known, Arrival::Start { waves }) => request.start(known, waves),
            (known, _) if known.as_ref().is_none_or(|code| code.is_small()) && self.goes_on_compiled(&key) => {
                if request.is_tiered() {
                    request.next_tier(known)
                } else {
                    let plan = Plan { ends: &|entry, mode| request.begins(entry, mode), ..Plan::new(Limits::WHOLE) };
                    request.first(|| request.lift(&plan), false)
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
        let known = self.compiled(&key);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use wavejit_ir::FpMode;
    use wavejit_ir::text::parse;
    use wavejit_jit::lift::Lifted;

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
