//! A dispatch: what is asked for ([`Dispatch`]), and what its threads share while it runs ([`Job`]).

use crate::Error;
use crate::code_object::hidden_use::MissingArg;
use crate::dispatch::config::{DeviceConfig, LaunchConfig};
use crate::dispatch::parts::GivesWay;
use crate::dispatch::scratch::ScratchSize;
use crate::dispatch::stuck::Stuck;
use crate::dispatch::wave_init::{StartFacts, WaveInit};
use crate::fault::Limit;
use crate::host::sync::Mutex;
use crate::memory::address_space::AddressSpace;
use crate::memory::context::TextureConfig;
use crate::memory::gws::Gws;
use crate::program::{Body, Code, CodeKey, Program};
use crate::services::Services;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use wavejit_ir::abi::GwsOp;

/// What to run.
pub(crate) struct Dispatch<'a> {
    /// Name, for messages.
    pub name: &'a str,
    /// Code, and what it may jump to.
    pub program: &'a Arc<Program>,
    /// State of waves at their start.
    pub init: WaveInit,
    /// What the caller decided.
    pub config: &'a LaunchConfig<'a>,
    /// What the device's owner decided.
    pub device: &'a DeviceConfig,
    /// What image and ray instructions see of the device.
    pub textures: TextureConfig,
    /// What its waves find beside memory.
    pub offered: Offered<'a>,
}

/// What waves of a dispatch find beside memory.
#[derive(Clone, Copy, Default)]
pub(crate) struct Offered<'a> {
    /// What waves that wait may have asked for.
    pub services: Option<&'a Arc<Services>>,
    /// Workgroups that wait for each other in resource 0 of global wave sync.
    pub sync_groups: Option<u32>,
    /// Hidden arguments that are 0 and that the kernel may use, for messages.
    pub missing: &'a [MissingArg],
}

/// A dispatch while it runs, shared by its threads.
pub(crate) struct Job {
    /// Tells dispatches apart; never 0.
    pub serial: u64,
    pub name: String,
    pub program: Arc<Program>,
    pub code: Arc<Code>,
    pub space: Arc<AddressSpace>,
    pub init: WaveInit,
    pub facts: StartFacts,
    pub scratch: ScratchSize,
    /// Workgroups that a thread may keep in flight.
    pub residents: usize,
    /// A wave that starts where another of the dispatch has been is given the registers that the code may have changed and may look at, and no
    /// others: nobody sees those.
    pub keeps_registers: bool,
    /// All waves of a workgroup are run by compiled code, without a look at any budget between them.
    pub runs_at_once: bool,
    config: *const LaunchConfig<'static>,
    pub device: DeviceConfig,
    pub textures: TextureConfig,
    pub hidden: Vec<MissingArg>,
    services: Option<Arc<Services>>,
    /// Not 0: all threads are to leave.
    stop: AtomicU32,
    error: Mutex<Option<Error>>,
    /// The injected clock (deterministic mode).
    pub ticks: AtomicU64,
    /// Global wave sync.
    pub gws: Gws,
    /// Whether all wait.
    pub stuck: Stuck,
    pub totals: [AtomicU64; 3],
    /// Has some thread computed with denormals?
    pub has_met_denormals: AtomicBool,
    /// When threads that have nothing under way leave, though there is more to do: the rest is for other code, perhaps.
    pub gives_way: Option<GivesWay>,
}

// SAFETY: `config` points to what `run_source`'s caller lent for its duration; threads use the job only while it waits for them.
unsafe impl Send for Job {}
// SAFETY: as above; all that it has is `Sync` itself.
unsafe impl Sync for Job {}

fn may_run_at_once(code: &Code, config: &LaunchConfig) -> bool {
    matches!(code.body, Body::Jit(_)) && config.max_insts == 0 && config.hook.is_none()
}

fn new_serial() -> u64 {
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    SERIAL.fetch_add(1, Relaxed)
}

impl Job {
    /// A dispatch that begins; what `d` lends must be there until no thread runs it.
    pub(crate) fn new(d: &Dispatch, space: &Arc<AddressSpace>, code: Arc<Code>, scratch: ScratchSize, residents: usize) -> Job {
        let gws = Gws::default();
        if let Some(groups) = d.offered.sync_groups {
            gws.ask(GwsOp::Init, 0, groups.saturating_sub(1));
        }
        Job {
            serial: new_serial(),
            name: d.name.to_string(),
            program: d.program.clone(),
            runs_at_once: may_run_at_once(&code, d.config),
            code,
            space: space.clone(),
            init: d.init.clone(),
            facts: d.init.facts(),
            scratch,
            residents,
            keeps_registers: !d.device.deterministic && d.config.hook.is_none(),
            config: std::ptr::from_ref(d.config).cast(),
            device: *d.device,
            textures: d.textures,
            hidden: d.offered.missing.to_vec(),
            services: d.offered.services.cloned(),
            stop: AtomicU32::new(0),
            error: Mutex::default(),
            ticks: AtomicU64::new(0),
            gws,
            stuck: Stuck::default(),
            totals: Default::default(),
            has_met_denormals: AtomicBool::new(false),
            gives_way: None,
        }
    }

    /// Goes on with other code: what waves find of earlier ones is for theirs.
    pub(crate) fn go_on_with(&mut self, code: Arc<Code>) {
        self.runs_at_once = may_run_at_once(&code, self.config());
        (self.serial, self.code) = (new_serial(), code);
    }

    /// Is a thread that has nothing under way to leave, with all others? `at_work` says how many there are.
    pub(crate) fn leaves(&self, at_work: impl Fn() -> usize) -> bool {
        self.gives_way.as_ref().is_some_and(|g| g.leave(at_work, || self.is_stopping()))
    }

    /// A workgroup waits for others: threads stay.
    pub(crate) fn stays(&self) {
        self.gives_way.iter().for_each(GivesWay::call_off);
    }

    /// Have threads begun to leave?
    pub(crate) fn has_given_way(&self) -> bool {
        self.gives_way.as_ref().is_some_and(GivesWay::has_come)
    }

    /// Has a thread failed?
    #[inline(always)]
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Relaxed) != 0
    }

    /// What is not 0 when the dispatch is to stop: one or the other.
    pub(crate) fn stop_words(&self) -> [*const u32; 2] {
        [self.config().cancel.unwrap_or(&self.stop), &self.stop].map(|word| word.as_ptr().cast_const())
    }

    /// Why it failed.
    pub(crate) fn take_error(&self) -> Option<Error> {
        // All threads have left: who has failed has said so.
        if self.is_stopping() { self.error.lock().take() } else { None }
    }

    /// What the caller decided.
    #[inline(always)]
    pub(crate) fn config(&self) -> &LaunchConfig<'_> {
        // SAFETY: see the `Send` impl.
        unsafe { &*self.config }
    }

    /// Does what waves that wait have asked the host for; false if they have not.
    pub(crate) fn serve(&self) -> Result<bool, Error> {
        self.services.as_ref().map_or(Ok(false), |s| s.serve())
    }

    /// The injected clock, or null.
    pub(crate) fn clock(&self) -> *const AtomicU64 {
        if self.device.deterministic { &self.ticks } else { std::ptr::null() }
    }

    /// What code that a wave jumps to is translated for, but for its entry.
    pub(crate) fn code_key(&self) -> CodeKey {
        CodeKey { counted: self.config().profile.is_some(), ..self.init.code_key() }
    }

    /// An error if the dispatch was canceled or another thread failed.
    #[inline(always)]
    pub(crate) fn check_stop(&self) -> Result<(), Error> {
        if self.config().is_canceled() || self.is_stopping() { Err(self.stopped()) } else { Ok(()) }
    }

    /// The error of a wave whose dispatch stops.
    #[cold]
    pub(crate) fn stopped(&self) -> Error {
        Limit::Canceled { kernel: self.name.clone() }.into()
    }

    /// Ends the dispatch; the first error is that of the launch.
    pub(crate) fn fail(&self, e: Error) {
        let mut first = self.error.lock();
        if first.is_none() {
            *first = Some(e);
        }
        self.stop.store(1, Relaxed);
    }
}
