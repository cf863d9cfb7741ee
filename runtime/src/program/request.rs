//! How the translation of an entry is made: whether it is interpreted first, and how much of it is compiled when.

use super::Program;
use super::cache::ContentKey;
use super::code::{Code, Heat, Origin};
use super::compiler::{self, Wish};
use super::key::{CodeKey, Engine};
use super::store::{Head, Wanted};
use crate::dispatch::config::Accuracy;
use crate::error::{Error, NoCode};
use crate::fault::Limit;
use crate::host::fork::Section;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use wavejit_ir::FpMode;
use wavejit_ir::verify::verify;
use wavejit_jit::emit::{EmitError, Isa};
use wavejit_jit::lift::{self, LiftSource, Lifted, Limits, Plan};
use wavejit_jit::opt::one_ulp::one_ulp;

/// Guest instructions interpreted in an entry, for each that would be compiled, before it is: about what compiling one costs.
const HOT: u64 = 32;
/// Waves of a launch that may be interpreted first: each of more waves runs all of the code, nearly, and then it is hot.
pub(super) const FEW_WAVES: u64 = HOT;
/// Guest instructions of code that is compiled at once where that can be kept in files, so that it is done once.
const KEPT: u32 = 2048;
/// Guest instructions interpreted before anybody looks how many would be compiled.
const WARM: u64 = 4096;
/// Guest instructions interpreted, for each of code that calls functions, before anybody looks how much of it was used.
const LITTLE: u64 = 4;
/// Between two looks at cancellation while another thread compiles.
const PATIENCE: Duration = Duration::from_micros(200);
/// Guest instructions that are interpreted for want of memory for host code, before there is another try.
const UNTIL_NEXT_TRY: u64 = 1 << 24;

/// Somebody wants the translation of an entry.
pub(super) struct Request<'a> {
    pub program: &'a Program,
    pub name: &'a str,
    pub key: CodeKey,
    pub stop: &'a dyn Fn() -> bool,
}

impl Request<'_> {
    /// The translation of a kernel's entry for so many waves. `known` is interpreted.
    pub(super) fn start(&self, known: Option<Arc<Code>>, waves: Option<u64>) -> Result<Arc<Code>, Error> {
        let is_tiered = self.is_tiered() && waves.is_some();
        let is_tried = known.as_ref().is_some_and(|code| code.has_calls);
        if is_tiered && (is_tried || waves <= Some(FEW_WAVES)) {
            known.iter().for_each(|code| code.note_launched_cold());
            self.next_tier(known)
        } else {
            self.first(|| self.lift(&Plan::new(Limits::WHOLE)), is_tiered)
        }
    }

    /// Is interpreted first what may be used little?
    pub(super) fn is_tiered(&self) -> bool {
        self.program.made_by.engine == Engine::Tiered && !self.key.counted
    }

    /// The translation of an entry that is compiled when it has been used enough. `known` is interpreted.
    pub(super) fn next_tier(&self, known: Option<Arc<Code>>) -> Result<Arc<Code>, Error> {
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
        if let Some(code) = self.cached(&content).or_else(|| self.stored(&content, |_| true)) {
            return Ok(code);
        }
        let lifted = self.lift(&Plan::new(Limits::FIRST))?;
        if self.is_kept(&lifted) {
            return self.first(|| Ok(lifted), false);
        }
        Ok(self.hold_first(lifted))
    }

    /// Is it worth its compilation, since there are files to keep it in?
    fn is_kept(&self, lifted: &Lifted) -> bool {
        let is_small = lifted.func.guest_insts() <= KEPT && lifted.ways_on.is_empty() && !lifted.has_calls;
        let has_files = self.program.cache.store.get().is_some() && Isa::Best.is_wide();
        // What goes through descriptors cannot be kept.
        is_small && has_files && lifted.func.sites.is_empty()
    }

    /// For the interpreter, until it is hot.
    fn hold_first(&self, lifted: Lifted) -> Arc<Code> {
        let start = Instant::now();
        let (origin, func) = Origin::new(self.key, lifted);
        // Nobody knows how much of code that calls functions is used.
        let insts = u64::from(func.guest_insts());
        let heat = Heat::new(if origin.has_calls { WARM.min(LITTLE * insts) } else { HOT * insts }, true);
        self.hold(Code::interpreted(origin, func, Some(heat), start.elapsed()))
    }

    /// The translation of an entry that is interpreted first, with the heat of the function that leads there.
    pub(super) fn small(&self, heat: Option<Arc<Heat>>) -> Result<Arc<Code>, Error> {
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
    pub(super) fn begins(&self, entry: u64, mode: FpMode) -> bool {
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
    pub(super) fn first(&self, lift: impl FnOnce() -> Result<Lifted, Error>, may_try: bool) -> Result<Arc<Code>, Error> {
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
        let will_do = |head: &Head| !head.is_part || may_try && head.has_calls;
        let made = made.or_else(|| self.cached(&content)).or_else(|| self.stored(&content, will_do));
        if let Some(made) = made {
            return Ok(made);
        }
        let lifted = lift()?;
        if may_try && lifted.has_calls {
            return Ok(self.hold_first(lifted));
        }
        program.at_once.fetch_add(lifted.func.guest_insts().into(), Relaxed);
        self.make(lifted, content, false)
    }

    /// Compiles an entry if `cold`, from where the wave comes, has been interpreted enough. While another thread compiles it is interpreted on.
    pub(super) fn compile_hot(&self, cold: &Code) -> Result<Option<Arc<Code>>, Error> {
        let Some(_one_at_a_time) = self.program.compiling.try_take() else { return Ok(None) };
        let content = self.content_key();
        if let Some(code) = self.cached(&content).or_else(|| self.stored(&content, |_| true)) {
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
        let mut lifted = self.lift(&plan)?;
        if !cold.deserves(HOT * u64::from(lifted.func.guest_insts())) {
            return Ok(None);
        }
        // Those of a part may be in what it leaves out.
        lifted.has_calls |= cold.has_calls;
        self.make(lifted, content, is_part).map(Some)
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

    /// The translation of the same code in a file, if it will do.
    fn stored(&self, content: &ContentKey, will_do: impl Fn(&Head) -> bool) -> Option<Arc<Code>> {
        let program = self.program;
        if program.made_by.engine == Engine::Interp || self.key.counted {
            return None;
        }
        let store = program.cache.store.get()?;
        let _section = Section::begin();
        let code = self.hold(store.find(&self.wanted(), will_do)?);
        self.keep_for_others(*content, &code);
        Some(code)
    }

    /// Keeps a translation for other programs of the device: but a part, of what this one uses.
    fn keep_for_others(&self, content: ContentKey, code: &Arc<Code>) {
        if !code.is_part {
            self.program.cache.insert(content, code.clone());
        }
    }

    /// This, as files know it.
    fn wanted(&self) -> Wanted<'_> {
        Wanted { program: self.program, key: self.key }
    }

    pub(super) fn lift(&self, plan: &Plan) -> Result<Lifted, Error> {
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

    /// Compiles, or prepares for the interpreter, what was lifted; for this program, by its content for others, and for files.
    fn make(&self, lifted: Lifted, content: ContentKey, is_part: bool) -> Result<Arc<Code>, Error> {
        let start = Instant::now();
        let _section = Section::begin();
        let (origin, func) = Origin::new(self.key, lifted);
        if self.program.made_by.engine == Engine::Interp {
            let code = self.hold(Code::interpreted(origin, func, None, start.elapsed()));
            self.keep_for_others(content, &code);
            return Ok(code);
        }
        let insts = func.guest_insts();
        let program = self.program;
        let store = program.cache.store.get().filter(|_| !self.key.counted);
        match compiler::compile(func, Wish { savable: store.is_some(), masks_idle: false }, self.stop) {
            Ok(mut compiled) => {
                program.cache.counters.compile(insts);
                let saved = compiled.take_saved();
                let code = self.hold(Code::compiled(origin, compiled, start.elapsed()).made_whole(!is_part));
                self.keep_for_others(content, &code);
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
