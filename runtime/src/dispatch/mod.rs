//! A dispatch: workgroups of a [`WorkSource`], spread over threads.
//!
//! Grid sizes count work-items; the last workgroup of a dimension may be partial (HSA, kernel dispatch packet). Each thread gets
//! neighbouring ones, in order, a batch at a time. A workgroup whose waves only wait (spin loops, s_sleep) stays resident while its thread begins others, so
//! that kernels whose workgroups wait for each other go on. The first error stops all threads; [`run`] returns when all have left.
//!
//! | file | holds |
//! |---|---|
//! | `config.rs` | what a caller decides: [`config::DeviceConfig`], [`config::LaunchConfig`] |
//! | `shares.rs` | which thread runs which workgroups of a grid |
//! | `source.rs`, `stage.rs` | where workgroups come from: `WorkSource`, grids; stages of draws |
//! | `wave_init.rs`, `block.rs` | what a wave starts with; memory for arguments and packet |
//! | `job.rs` | what the threads of a dispatch share |
//! | `pool.rs`, this file | threads, and what each of them does |
//! | `workgroup.rs`, `turn.rs`, `lockstep.rs` | a workgroup and how its waves take turns, or go an instruction each |
//! | `slot.rs`, `status.rs`, `arena.rs`, `scratch.rs` | a wave, its storage, where it is |
//! | `step.rs`, `stepwise.rs`, `snapshot.rs` | the hook before every instruction; going back |
//! | `parts.rs` | going on with other code in the middle of a dispatch |
//! | `rest.rs` | when a thread leaves its core to those it waits for |
//! | `stuck.rs` | whether all wait for what none of them writes |
//! | `report.rs`, `progress.rs`, `profile.rs` | why a dispatch ended; what it is doing; what its instructions were |

mod arena;
pub(crate) mod block;
pub(crate) mod config;
pub(crate) mod job;
mod lockstep;
mod parts;
pub(crate) mod pool;
pub mod profile;
pub mod progress;
mod report;
mod rest;
mod scratch;
mod shares;
mod slot;
pub mod snapshot;
pub(crate) mod source;
pub(crate) mod stage;
mod status;
pub mod step;
mod stepwise;
mod stuck;
mod turn;
pub(crate) mod wave_init;
mod workgroup;

use crate::Error;
use crate::dispatch::job::{Dispatch, Job};
use crate::dispatch::parts::{Choice, run_parts};
use crate::dispatch::pool::{Pool, Work};
use crate::dispatch::rest::Crew;
use crate::dispatch::scratch::{ScratchLimits, ScratchSize};
use crate::dispatch::slot::WaveSlot;
use crate::dispatch::source::{GridSource, Taken, WorkSource};
use crate::dispatch::stage::{Stage, StageSource};
use crate::dispatch::stuck::Watcher;
use crate::dispatch::turn::Turn;
use crate::dispatch::workgroup::{WorkerState, Workgroup};
use crate::host::float::{forget_denormals, met_denormals};
use crate::host::fork::Section;
use crate::memory::address_space::AddressSpace;
use crate::memory::context::SharedRoutines;
use crate::program::{Arrival, Code, CodeKey};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use wavejit_ir::Ids;

/// Most workgroups a thread keeps in flight: those that wait for later ones.
const MAX_RESIDENT: usize = 4096;
/// Between two looks of a thread that has nothing to do, while work may still appear.
const PATIENCE: Duration = Duration::from_micros(50);
/// Guest instructions of a thread between two looks at whether the dispatch [makes way](parts) for other code.
const INSTS_BETWEEN_LOOKS: u64 = 1 << 18;

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

/// What a thread keeps between the dispatches of a device.
#[derive(Default)]
pub(crate) struct Locals {
    /// Storage of workgroups.
    spare: Vec<Workgroup>,
    /// What it knows of image instructions; the waves of `spare` refer to it.
    pub routines: SharedRoutines,
}

// SAFETY: spare workgroups hold no live waves, and their pointers are set anew at every start. `routines` is counted without atomics, but all
// that refer to it are waves of `spare`, which go where it goes.
unsafe impl Send for Locals {}

/// A dispatch and where its workgroups come from.
struct Running<S> {
    job: Job,
    source: S,
    crew: Crew,
}

impl<S: WorkSource> Work<Locals> for Running<S> {
    /// Runs workgroups until there are none left or the dispatch stops.
    fn work(&self, Locals { spare, routines }: &mut Locals) {
        let job = &self.job;
        let mut worker = WorkerState::new(routines, job.config().profile.is_some());
        forget_denormals();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.work_until_error(spare, &mut worker)));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(e)) => job.fail(e),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
                job.fail(Error::Internal(format!("kernel `{}`: {}", job.name, text.unwrap_or("panic"))));
            }
        }
        if met_denormals() {
            job.has_met_denormals.store(true, Relaxed);
        }
        self.tell(&mut worker);
        if let (Some(profile), Some(counters)) = (job.config().profile, &worker.counters) {
            profile.add(counters, &|pc| report::uncounted(job, pc));
        }
        if job.is_stopping() {
            // Where a workgroup failed, it was the last one.
            spare.pop();
        }
        spare.truncate(8);
        spare.iter_mut().for_each(Workgroup::trim);
        for (total, n) in job.totals.iter().zip([worker.waves, worker.workgroups, worker.done.guest_insts]) {
            total.fetch_add(n, Relaxed);
        }
    }
}

impl<S: WorkSource> Running<S> {
    fn work_until_error(&self, spare: &mut Vec<Workgroup>, worker: &mut WorkerState) -> Result<(), Error> {
        let Running { job, source, .. } = self;
        let mut waiting: Vec<Workgroup> = Vec::new();
        let mut mine = 0..0;
        let (thread, mut rest) = self.crew.join();
        if job.has_given_way() {
            // It comes when the others leave.
            return Ok(());
        }
        let mut watcher = job.config().on_deadlock.map(|_| Watcher::new(job));
        let between_looks = if job.code.is_cold() { 1 } else { INSTS_BETWEEN_LOOKS };
        let mut look = between_looks;
        loop {
            job.check_stop()?;
            let has_room = waiting.len() < job.residents;
            let mut is_over = true;
            if mine.is_empty() && waiting.is_empty() && worker.done.guest_insts >= look {
                look = worker.done.guest_insts + between_looks;
                if job.leaves(|| self.crew.at_work()) {
                    return Ok(());
                }
            }
            if mine.is_empty() && has_room {
                self.tell(worker);
                match source.take(thread, !waiting.is_empty()) {
                    Taken::Units(units) => mine = units,
                    Taken::Later => is_over = false,
                    Taken::Nothing => {}
                }
            }
            let next = if has_room { mine.next() } else { None };
            match next {
                Some(index) => {
                    if spare.is_empty() {
                        spare.push(Workgroup::default());
                    }
                    // It stays where it is while it runs: to move what has just been written in parts is slow.
                    let at = spare.len() - 1;
                    let group = &mut spare[at];
                    group.start(job, source, index, worker)?;
                    if self.run_group(group, worker, waiting.len())? && self.run_alike(group, &mut mine, worker, waiting.len())? {
                        self.end(group, worker);
                    } else {
                        job.stays();
                        waiting.push(spare.swap_remove(at));
                    }
                }
                None if !waiting.is_empty() => {}
                None if is_over => return Ok(()),
                None => std::thread::sleep(PATIENCE),
            }
            let may_begin = has_room && (next.is_some() || !is_over);
            let mut all_wait = next.is_none() && !waiting.is_empty();
            let mut i = 0;
            while i < waiting.len() {
                let turn = waiting[i].turn(job, worker)?;
                self.note(worker);
                all_wait &= matches!(turn, Turn::Waiting { worked: false, .. });
                if turn == Turn::Done {
                    self.end(&waiting[i], worker);
                    spare.push(waiting.swap_remove(i));
                } else {
                    if watcher.is_some() {
                        waiting[i].note_waiting(job, turn);
                    }
                    i += 1;
                }
            }
            if let Some(watcher) = &mut watcher {
                watcher.look(&waiting, may_begin)?;
            }
            if all_wait {
                rest.take();
            } else {
                rest.end();
            }
        }
    }

    /// Runs a workgroup until it is done (true), or seems to wait for others (false).
    fn run_group(&self, group: &mut Workgroup, worker: &mut WorkerState, residents: usize) -> Result<bool, Error> {
        // A loop that merely takes long looks like a spin loop without s_sleep: be slow to believe it, slower the more there are. (If each waits
        // for the last of n, they take n squared times this.)
        let patience = 64 * (1 + residents as u32);
        loop {
            let turn = group.turn(&self.job, worker)?;
            self.note(worker);
            match turn {
                Turn::Done => return Ok(true),
                Turn::Progress => {}
                Turn::Waiting { slept, .. } => {
                    self.tell(worker);
                    if slept && group.idle_turns >= 4 || group.idle_turns >= patience {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// A workgroup is done: so are, after this, those of the next units that are [like it](WorkSource::alike), while all goes straight on. False: the last that
    /// was begun seems to wait for others.
    fn run_alike(&self, group: &mut Workgroup, next: &mut Range<u64>, worker: &mut WorkerState, residents: usize) -> Result<bool, Error> {
        // Those that wait want their turns.
        if !group.was_straight || residents != 0 {
            return Ok(true);
        }
        let is_whole = group.waves[..group.count].iter().all(WaveSlot::is_whole);
        let whole = is_whole.then(|| self.job.init.x_registers(&self.job.facts));
        let mut alike = self.source.alike(group.index).min(next.end - next.start);
        while alike != 0 {
            self.end(group, worker);
            self.job.check_stop()?;
            let run = 1 + group.run_next(&self.job, worker, whole, alike - 1);
            next.start += run;
            alike -= run;
            self.note(worker);
            if !group.was_straight {
                return self.run_group(group, worker, residents);
            }
        }
        Ok(true)
    }

    /// After a turn: tells who watches what was done, if it is worth it.
    #[inline(always)]
    fn note(&self, worker: &mut WorkerState) {
        if worker.done.is_news(&worker.told) {
            self.tell(worker);
        }
    }

    /// Tells who watches what was done since the last call.
    fn tell(&self, worker: &mut WorkerState) {
        if let Some(progress) = self.job.config().progress {
            progress.add(&worker.done, &mut worker.told);
        }
    }

    /// A workgroup is done.
    #[inline(always)]
    fn end(&self, group: &Workgroup, worker: &mut WorkerState) {
        worker.done.workgroups += 1;
        worker.done.waves_running -= group.count as u64;
        self.source.end(group.index, &group.waves[..group.count]);
    }
}

/// Runs a grid, or a part of one, to its end. The section ends when waves begin.
pub(crate) fn run(d: &Dispatch, space: &Arc<AddressSpace>, pool: &Pool<Locals>, section: Section) -> Result<DispatchStats, Error> {
    d.config.geometry.check(d.name, None)?;
    run_source(d, space, pool, section, |threads| GridSource::new(&d.config.geometry, threads))
}

/// Runs a stage of a draw to its end. `d` says how large its largest workgroup is.
pub(crate) fn run_stage(
    d: &Dispatch,
    space: &Arc<AddressSpace>,
    pool: &Pool<Locals>,
    source: &dyn StageSource,
) -> Result<DispatchStats, Error> {
    // SAFETY: `run_source` returns when all threads have left the source.
    let source = unsafe { Stage::new(source, d.init.wave_size) };
    run_source(d, space, pool, Section::begin(), |_| source)
}

/// Runs what a source has, which is made for so many threads, to its end. All that is locked before and after is so in one section each (`before`).
fn run_source<S: WorkSource + 'static>(
    d: &Dispatch,
    space: &Arc<AddressSpace>,
    pool: &Pool<Locals>,
    mut before: Section,
    make_source: impl FnOnce(usize) -> S,
) -> Result<DispatchStats, Error> {
    d.init.check(d.name)?;
    let scratch = ScratchSize::new(d.name, d.init.target, d.init.wave_size, d.init.scratch_bytes)?;
    let threads = if d.device.deterministic { 1 } else { pool.threads() };
    let waves = d.init.waves(d.config.geometry.group);
    let limits = ScratchLimits::new(d.name, scratch, waves, d.device.scratch_limit(), threads, MAX_RESIDENT)?;
    if let Some(progress) = d.config.progress {
        progress.prepare();
    }
    let ids = if S::IS_STAGE { Ids::Any } else { d.init.ids(&d.config.geometry) };
    let key = CodeKey { ids, counted: d.config.profile.is_some(), ..d.init.code_key() };
    let all_waves = u64::from(waves).saturating_mul(d.config.geometry.part().groups());
    let arrival = Arrival::Start { waves: (!S::IS_STAGE).then_some(all_waves) };
    let (code, compile_time) = match d.program.known(&key) {
        Some(code) => (code, Duration::ZERO),
        None => {
            // Another thread may be at it.
            drop(before);
            let start = Instant::now();
            let code = d.program.code(d.name, key, arrival, &|| d.config.is_canceled())?;
            before = Section::begin();
            let is_new = code.compile_time <= start.elapsed();
            let compile_time = if is_new { code.compile_time } else { Duration::ZERO };
            (code, compile_time)
        }
    };
    let may_choose = d.config.hook.is_none() && !key.counted;
    if may_choose && code.deserves_masks() {
        drop(before);
        d.program.make_masked(d.name, key, &code, &|| d.config.is_canceled());
        before = Section::begin();
    }
    let launched = if may_choose { code.to_launch() } else { code.clone() };
    // It is made where it stays: to move what has just been written in parts is slow.
    let mut running = Arc::new_uninit();
    Arc::get_mut(&mut running).expect("it is new").write(Running {
        job: Job::new(d, space, launched, scratch, limits.residents),
        source: make_source(limits.threads),
        crew: Crew::default(),
    });
    // SAFETY: it has just been written.
    let mut running = unsafe { running.assume_init() };
    if let Some(progress) = d.config.progress {
        progress.begin(running.source.known());
    }
    // What the program frees meanwhile stays where it is.
    let hold = space.hold();
    let trial = |code: &Code, launched: &Code| if S::IS_STAGE { None } else { code.trial(launched) };
    let better = || d.program.code(d.name, key, arrival, &|| d.config.is_canceled());
    let make_other = |code: &Arc<Code>| {
        d.program.make_masked(d.name, key, code, &|| d.config.is_canceled());
        !code.deserves_masks()
    };
    let choice =
        may_choose.then_some(Choice { code, better: arrival.has_many_waves().then_some(&better), trial: &trial, make_other: &make_other });
    let (_after, run_time) = run_parts(&mut running, choice, pool, limits.threads, before);
    drop(hold);
    let job = &running.job;
    if let Some(e) = job.take_error() {
        space.after_failure(d.name);
        return Err(e);
    }
    space.after_dispatch(d.name)?;
    let [waves, workgroups, guest_insts] = job.totals.each_ref().map(|n| n.load(Relaxed));
    Ok(DispatchStats { waves, workgroups, guest_insts, compile_time, run_time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_object::PgmRsrc;
    use crate::dispatch::config::{DeviceConfig, LaunchConfig};
    use crate::dispatch::job::Offered;
    use crate::dispatch::source::Unit;
    use crate::dispatch::wave_init::{RawInit, WaveInit};
    use crate::host::sync::Mutex;
    use crate::memory::context::TextureConfig;
    use crate::program::Engine;
    use crate::{Buffer, Device};
    use wavejit_isa::{Gfx, assemble};

    /// A tree: a unit that ends makes two more, until there are so many.
    struct Tree {
        most: u64,
        /// Units that there are, are taken, have ended.
        state: Mutex<[u64; 3]>,
    }

    impl WorkSource for Tree {
        fn take(&self, _thread: usize, _has_waiting: bool) -> Taken {
            let [there, taken, ended] = &mut *self.state.lock();
            match *taken {
                n if n < *there => {
                    *taken += 1;
                    Taken::Units(n..n + 1)
                }
                _ if *ended == self.most => Taken::Nothing,
                _ => Taken::Later,
            }
        }
        fn unit(&self, index: u64) -> Unit {
            Unit { id: [index as u32, 0, 0], extent: [32, 1, 1], number: index }
        }
        fn start_waves(&self, index: u64, waves: &mut [super::slot::WaveSlot], _lds: &mut [u8]) {
            let [wave] = waves else { panic!("units have one wave each") };
            let registers = wave.start_registers();
            registers.sregs[9] = index as u32 * 3;
            registers.rows[5 * 32..][..32].fill(index as u32 + 7);
        }
        fn end(&self, _index: u64, _waves: &[super::slot::WaveSlot]) {
            let [there, _, ended] = &mut *self.state.lock();
            *there = (*there + 2).min(self.most);
            *ended += 1;
        }
        fn known(&self) -> u64 {
            1
        }
    }

    fn tree(engine: Engine, threads: usize, most: u64) -> Vec<u32> {
        let config = DeviceConfig { engine, threads, ..Default::default() };
        let device = Device::new(config).expect("a device");
        let text = "s_lshl_b32 s5, s2, 2
            v_mov_b32 v1, s5
            v_add_nc_u32 v5, s9, v5
            global_store_b32 v1, v5, s[0:1]
            s_endpgm";
        let code = device.upload(&assemble(text, Gfx::GFX1100, 32).expect("it assembles").bytes).expect("code");
        let out: Buffer = device.alloc(4 * most as usize).expect("memory");
        let rsrc = PgmRsrc { rsrc1: 3 | 0xf0 << 12, rsrc2: 2 << 1 | 1 << 7, rsrc3: 0 };
        let user_data = [out.address() as u32, (out.address() >> 32) as u32];
        let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry: code.address(), rsrc, user_data: &user_data, scratch_bytes: 0 };
        let program = device.new_program(Gfx::GFX1100, (code.address(), code.address() + code.len() as u64));
        let launch = LaunchConfig::new([32, 1, 1], [32, 1, 1]);
        let d = Dispatch {
            name: "tree",
            program: &program,
            init: WaveInit::raw(&raw),
            config: &launch,
            device: &config,
            textures: TextureConfig::default(),
            offered: Offered::default(),
        };
        let pool = Pool::new(threads);
        let source = |_| Tree { most, state: Mutex::new([1, 0, 0]) };
        let _ready = crate::memory::fault::ready(device.memory());
        let stats = run_source(&d, device.memory(), &pool, Section::begin(), source).expect("it runs");
        assert_eq!((stats.workgroups, stats.waves), (most, most));
        out.to_vec().expect("it can be read").chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    #[test]
    fn units_appear_while_others_run_and_start_in_a_state_of_their_own() {
        for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
            for threads in [1, 4] {
                let expected: Vec<u32> = (0..100).map(|i| 4 * i + 7).collect();
                assert_eq!(tree(engine, threads, 100), expected, "{engine:?}, {threads} threads");
            }
        }
    }
}
