//! A dispatch: a grid of workgroups, spread over threads.
//!
//! Grid sizes count work-items; the last workgroup of a dimension may be partial (HSA, kernel dispatch packet). Workgroups are handed out
//! in order, a chunk at a time. A workgroup whose waves only wait (spin loops, s_sleep) stays resident while its thread begins others, so
//! that kernels whose workgroups wait for each other go on. The first error stops all threads; [`run`] returns when all have left.

use crate::Error;
use crate::address_space::AddressSpace;
use crate::fault::Limit;
use crate::hidden_use::MissingArg;
use crate::kernarg::Geometry;
use crate::memory::gws::Gws;
use crate::pool::{Locals, Pool};
use crate::profile::Profile;
use crate::program::{Arrival, Code, CodeKey, Program};
use crate::progress::Progress;
use crate::scratch::{ScratchPlan, ScratchSize};
use crate::step::{Action, Hook, Step};
use crate::sync::Mutex;
use crate::wave_init::WaveInit;
use crate::workgroup::{Turn, WorkerState, Workgroup};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use wavejit_texture::image::ImageConfig;
use wavejit_texture::ray::HalfOrder;

/// Most workgroups a thread keeps in flight.
const MAX_RESIDENT: usize = 256;

/// What a dispatch did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DispatchStats {
    /// Waves started.
    pub waves: u64,
    /// Workgroups started.
    pub workgroups: u64,
    /// Guest instructions run, all waves together.
    pub guest_insts: u64,
    /// Time to compile the kernel when it was first needed; 0 if it had been before.
    pub compile_time: Duration,
    /// From the first workgroup's start to the last one's end.
    pub run_time: Duration,
}

/// What to run.
pub struct Dispatch<'a> {
    /// Name, for messages.
    pub name: &'a str,
    /// Code, and what it may jump to.
    pub program: &'a Arc<Program>,
    /// State of waves at their start.
    pub init: WaveInit,
    /// Work-items.
    pub grid: [u32; 3],
    /// Work-items of a full workgroup.
    pub group: [u32; 3],
    /// Guest instructions a wave may run; 0: any number.
    pub max_insts: u64,
    /// Non-zero: stop.
    pub cancel: Option<&'a AtomicU32>,
    /// See [`Hook`].
    pub hook: Option<Hook<'a>>,
    /// Told what the dispatch is doing.
    pub progress: Option<&'a Progress>,
    /// Counts of its instructions are added there.
    pub profile: Option<&'a Profile>,
    /// Hidden arguments that are 0 and that the kernel may use, for messages.
    pub hidden: &'a [MissingArg],
    /// One thread, workgroups in order, registers and scratch zero at the start, clocks that count their readings.
    pub deterministic: bool,
    /// How directions of 16 bits are packed.
    pub ray_half_order: HalfOrder,
    /// What image instructions see of the device.
    pub images: ImageConfig,
    /// Bytes of scratch that waves may hold at a time.
    pub scratch_limit_bytes: u64,
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
    pub scratch: ScratchSize,
    /// Workgroups that a thread may keep in flight.
    residents: usize,
    pub grid: [u32; 3],
    pub group: [u32; 3],
    /// Workgroups in each dimension.
    pub groups: [u32; 3],
    pub max_insts: u64,
    pub deterministic: bool,
    pub ray_half_order: HalfOrder,
    pub images: ImageConfig,
    total: u64,
    chunk: u64,
    next: AtomicU64,
    stop: AtomicBool,
    error: Mutex<Option<Error>>,
    cancel: Option<*const AtomicU32>,
    progress: Option<*const Progress>,
    profile: Option<*const Profile>,
    pub hidden: Vec<MissingArg>,
    hook: Option<*const (dyn Fn(&Step) -> Action + Sync)>,
    /// The injected clock (deterministic mode).
    pub ticks: AtomicU64,
    /// Global wave sync.
    pub gws: Gws,
    totals: [AtomicU64; 3],
}

// SAFETY: `cancel`, `progress`, `profile` and `hook` point to what `run`'s caller lent for its duration; threads use the job only while `run` waits for them.
unsafe impl Send for Job {}
// SAFETY: as above; all are `Sync` themselves.
unsafe impl Sync for Job {}

impl Job {
    /// The injected clock, or null.
    pub fn clock(&self) -> *const AtomicU64 {
        if self.deterministic { &self.ticks } else { std::ptr::null() }
    }

    pub fn hook(&self) -> Option<&(dyn Fn(&Step) -> Action + Sync)> {
        // SAFETY: see the `Send` impl.
        self.hook.map(|h| unsafe { &*h })
    }

    /// Who watches.
    pub fn progress(&self) -> Option<&Progress> {
        // SAFETY: see the `Send` impl.
        self.progress.map(|p| unsafe { &*p })
    }

    /// Who wants instructions counted.
    fn profile(&self) -> Option<&Profile> {
        // SAFETY: see the `Send` impl.
        self.profile.map(|p| unsafe { &*p })
    }

    /// What the code at its entry is translated for.
    pub fn code_key(&self) -> CodeKey {
        CodeKey { counted: self.profile.is_some(), ..self.init.code_key() }
    }

    /// Tells who watches how many instructions were run since the last call.
    fn note(&self, worker: &mut WorkerState) {
        if let Some(progress) = self.progress() {
            progress.count(worker.guest_insts - worker.noted_insts);
            worker.noted_insts = worker.guest_insts;
        }
    }

    /// An error if the dispatch was canceled or another thread failed.
    pub fn check_stop(&self) -> Result<(), Error> {
        // SAFETY: see the `Send` impl.
        let canceled = self.cancel.is_some_and(|c| unsafe { &*c }.load(Relaxed) != 0);
        if canceled || self.stop.load(Relaxed) { Err(self.stopped()) } else { Ok(()) }
    }

    /// The error of a wave whose dispatch stops.
    #[cold]
    pub fn stopped(&self) -> Error {
        Limit::Canceled { kernel: self.name.clone() }.into()
    }

    fn take(&self) -> std::ops::Range<u64> {
        let start = self.next.fetch_add(self.chunk, Relaxed).min(self.total);
        start..(start + self.chunk).min(self.total)
    }

    fn fail(&self, e: Error) {
        let mut first = self.error.lock();
        if first.is_none() {
            *first = Some(e);
        }
        self.stop.store(true, Relaxed);
    }

    /// Runs workgroups until there are none left or the dispatch stops.
    pub fn work(&self, Locals { spare, routines }: &mut Locals) {
        let mut worker = WorkerState::new(routines, self.profile.is_some());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.work_until_error(spare, &mut worker)));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(e)) => self.fail(e),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
                self.fail(Error::Internal(format!("kernel `{}`: {}", self.name, text.unwrap_or("panic"))));
            }
        }
        spare.truncate(8);
        spare.iter_mut().for_each(Workgroup::trim);
        if let (Some(profile), Some(counters)) = (self.profile(), &worker.counters) {
            profile.add(self, counters);
        }
        for (total, n) in self.totals.iter().zip([worker.waves, worker.workgroups, worker.guest_insts]) {
            total.fetch_add(n, Relaxed);
        }
    }

    fn work_until_error(&self, spare: &mut Vec<Workgroup>, worker: &mut WorkerState) -> Result<(), Error> {
        let mut waiting: Vec<Workgroup> = Vec::new();
        let mut mine = 0..0;
        loop {
            self.check_stop()?;
            if mine.is_empty() && waiting.len() < self.residents {
                mine = self.take();
            }
            let next = if waiting.len() < self.residents { mine.next() } else { None };
            match next {
                Some(linear) => {
                    let mut group = spare.pop().unwrap_or_default();
                    group.start(self, linear, worker)?;
                    if let Some(progress) = self.progress() {
                        progress.start_group(group.count);
                    }
                    if self.run_group(&mut group, worker, waiting.len())? {
                        self.finish(group, spare);
                    } else {
                        waiting.push(group);
                    }
                }
                None if waiting.is_empty() => return Ok(()),
                None => {}
            }
            let mut i = 0;
            while i < waiting.len() {
                let turn = waiting[i].turn(self, worker)?;
                self.note(worker);
                if turn == Turn::Done {
                    self.finish(waiting.swap_remove(i), spare);
                } else {
                    i += 1;
                }
            }
        }
    }

    /// Keeps a workgroup that is done for the next one.
    fn finish(&self, group: Workgroup, spare: &mut Vec<Workgroup>) {
        if let Some(progress) = self.progress() {
            progress.end_group(group.count);
        }
        spare.push(group);
    }

    /// Runs a workgroup until it is done (true), or seems to wait for others (false).
    fn run_group(&self, group: &mut Workgroup, worker: &mut WorkerState, residents: usize) -> Result<bool, Error> {
        // A loop that merely takes long looks like a spin loop without s_sleep: be slow to believe it, slower the more there are.
        let patience = 64 * (1 + residents as u32).pow(2);
        loop {
            let turn = group.turn(self, worker)?;
            self.note(worker);
            match turn {
                Turn::Done => return Ok(true),
                Turn::Progress => {}
                Turn::Waiting { slept } => {
                    if slept && group.idle_turns >= 4 || group.idle_turns >= patience {
                        return Ok(false);
                    }
                }
            }
        }
    }
}

/// Runs a dispatch to its end.
pub fn run(d: &Dispatch, space: &Arc<AddressSpace>, pool: &Pool) -> Result<DispatchStats, Error> {
    let geometry = Geometry::new(d.grid, d.group);
    geometry.check(d.name, None)?;
    d.init.check(d.name)?;
    let groups = geometry.groups();
    // `check` allows far fewer than 2^64.
    let total: u64 = groups.iter().map(|n| u64::from(*n)).product();
    let scratch = ScratchSize::new(d.name, d.init.target, d.init.wave_size, d.init.scratch_bytes)?;
    let threads = if d.deterministic { 1 } else { pool.threads() };
    let plan = ScratchPlan::new(d.name, scratch, d.init.waves(d.group), d.scratch_limit_bytes, threads, MAX_RESIDENT)?;
    if let Some(progress) = d.progress {
        progress.prepare();
    }
    let before = Instant::now();
    let canceled = || d.cancel.is_some_and(|c| c.load(Relaxed) != 0);
    let key = CodeKey { counted: d.profile.is_some(), ..d.init.code_key() };
    let code = d.program.code(d.name, key, Arrival::Start, &canceled)?;
    let compile_time = if code.compile_time <= before.elapsed() { code.compile_time } else { Duration::ZERO };
    let threads = plan.threads as u64;
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    let job = Arc::new(Job {
        serial: SERIAL.fetch_add(1, Relaxed),
        name: d.name.to_string(),
        program: d.program.clone(),
        code,
        space: space.clone(),
        init: d.init.clone(),
        scratch,
        residents: plan.residents,
        grid: d.grid,
        group: d.group,
        groups,
        max_insts: d.max_insts,
        deterministic: d.deterministic,
        ray_half_order: d.ray_half_order,
        images: d.images,
        total,
        chunk: (total / (threads * 16)).clamp(1, 64),
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        error: Mutex::default(),
        cancel: d.cancel.map(std::ptr::from_ref),
        progress: d.progress.map(std::ptr::from_ref),
        profile: d.profile.map(std::ptr::from_ref),
        hidden: d.hidden.to_vec(),
        // SAFETY: only the lifetime changes; see the `Send` impl of `Job`.
        hook: d.hook.map(|h| unsafe { std::mem::transmute::<Hook, *const (dyn Fn(&Step) -> Action + Sync)>(h) }),
        ticks: AtomicU64::new(0),
        gws: Gws::default(),
        totals: Default::default(),
    });
    if let Some(progress) = d.progress {
        progress.begin(total);
    }
    let start = Instant::now();
    // What the program frees meanwhile stays where it is.
    let hold = space.hold();
    pool.run(&job, (total.div_ceil(job.chunk)).min(threads) as usize);
    drop(hold);
    let run_time = start.elapsed();
    if let Some(e) = job.error.lock().take() {
        return Err(e);
    }
    let [waves, workgroups, guest_insts] = [0, 1, 2].map(|i| job.totals[i].load(Relaxed));
    Ok(DispatchStats { waves, workgroups, guest_insts, compile_time, run_time })
}
