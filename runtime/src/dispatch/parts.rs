//! A dispatch in parts: its threads leave when code has been on [trial](Trial) for long enough, or interpreted so much that it is to be compiled, and go on where
//! they were with what is better.
//!
//! They leave together, when none has anything under way: a thread that left alone could have claimed workgroups that those of another one wait for, which does not
//! take them. As soon as a workgroup waits for others the dispatch stays in one part.

use super::{Locals, PATIENCE, Running};
use crate::Error;
use crate::dispatch::pool::Pool;
use crate::dispatch::source::WorkSource;
use crate::host::float::met_denormals;
use crate::host::fork::Section;
use crate::program::{Code, Trial};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU8, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::time::{Duration, Instant};

/// Times that a dispatch lets others go first before it gives up going on with other code.
const TURNS_FOR_LATE_THREADS: u32 = 64;

/// When a dispatch makes way for other code.
pub(crate) struct GivesWay {
    when: When,
    state: AtomicU8,
    /// Threads that would leave. They wait for each other: what one has not begun another one may be waiting for, which could not take it.
    leaving: AtomicUsize,
}

/// What a dispatch waits for.
enum When {
    /// Until then; only if a thread has met denormals.
    At(Instant, bool),
    /// There is to be better code than this, or there is.
    Hot(Arc<Code>),
}

impl GivesWay {
    const NOT_YET: u8 = 0;
    const NOW: u8 = 1;
    /// There is no other code for it, or there cannot be.
    const NEVER: u8 = 2;

    pub(crate) fn new(since: Instant, trial: Trial) -> GivesWay {
        GivesWay::of(When::At(since + trial.after, trial.if_met))
    }

    /// When this has been interpreted enough.
    pub(crate) fn when_hot(code: Arc<Code>) -> GivesWay {
        GivesWay::of(When::Hot(code))
    }

    fn of(when: When) -> GivesWay {
        GivesWay { when, state: AtomicU8::new(GivesWay::NOT_YET), leaving: AtomicUsize::new(0) }
    }

    /// As this thread sees it.
    fn is_time(&self) -> bool {
        let is_time = || match &self.when {
            When::At(at, if_met) => Instant::now() >= *at && (!if_met || met_denormals()),
            When::Hot(code) => code.is_hot() || code.is_superseded(),
        };
        if self.state.load(Relaxed) == GivesWay::NOT_YET && is_time() {
            // Some thread may have called it off meanwhile.
            let _ = self.state.compare_exchange(GivesWay::NOT_YET, GivesWay::NOW, SeqCst, SeqCst);
        }
        self.has_come()
    }

    /// A thread without anything under way would leave, if it is time: true if all do, of so many that are at work; false if it is to go on.
    pub(crate) fn leave(&self, at_work: impl Fn() -> usize, is_stopping: impl Fn() -> bool) -> bool {
        if !self.is_time() {
            return false;
        }
        self.leaving.fetch_add(1, SeqCst);
        while self.has_come() && !is_stopping() {
            if self.leaving.load(SeqCst) >= at_work() {
                return true;
            }
            std::thread::sleep(PATIENCE);
        }
        self.leaving.fetch_sub(1, SeqCst);
        false
    }

    /// Have threads left for it?
    pub(crate) fn has_come(&self) -> bool {
        self.state.load(SeqCst) == GivesWay::NOW
    }

    /// It goes on as it is.
    pub(crate) fn call_off(&self) {
        self.state.store(GivesWay::NEVER, SeqCst);
    }
}

/// The code of a dispatch, where it need not be that from beginning to end.
pub(super) struct Choice<'a> {
    pub code: Arc<Code>,
    /// What there is in place of code that is interpreted, if so many waves run that they should all go over to it.
    pub better: Option<&'a dyn Fn() -> Result<Arc<Code>, Error>>,
    /// [`Code::trial`] of what runs.
    pub trial: &'a dyn Fn(&Code, &Code) -> Option<Trial>,
    /// Makes the other one, if the code deserves that. False: it may, but not now.
    pub make_other: &'a dyn Fn(&Arc<Code>) -> bool,
}

/// Runs what a source has, in parts while code is on [trial](crate::program::Trial): each with what is better as far as is known. Gives the time in which waves ran.
pub(super) fn run_parts<S: WorkSource + 'static>(
    running: &mut Arc<Running<S>>,
    mut choice: Option<Choice<'_>>,
    pool: &Pool<Locals>,
    threads: usize,
    mut before: Section,
) -> (Section, Duration) {
    let (mut run_time, mut guest_insts) = (Duration::ZERO, 0);
    let mut is_open = true;
    loop {
        let start = Instant::now();
        if let (Some(Choice { code, better, trial, .. }), Some(running)) = (&choice, Arc::get_mut(running))
            && is_open
        {
            let job = &mut running.job;
            job.gives_way = match job.code.is_cold() {
                true => better.map(|_| GivesWay::when_hot(job.code.clone())),
                false => trial(code, &job.code).map(|trial| GivesWay::new(start, trial)),
            };
        }
        before = pool.run(running, running.source.workers(threads), before);
        let (time, job) = (start.elapsed(), &running.job);
        run_time += time;
        let Some(Choice { code, better, make_other, .. }) = &mut choice else { break };
        let insts = job.totals[2].load(Relaxed);
        code.note_launch(&job.code, job.has_met_denormals.load(Relaxed), time, insts - guest_insts);
        let Some(gives_way) = job.gives_way.as_ref().filter(|g| g.has_come() && !job.is_stopping()) else { break };
        guest_insts = insts;
        drop(before);
        is_open = if let (true, Some(better)) = (job.code.is_cold(), better) {
            match better() {
                Ok(better) => *code = better,
                Err(e) => job.fail(e),
            }
            true
        } else {
            make_other(code)
        };
        before = Section::begin();
        gives_way.call_off();
        running.crew.begin_again();
        // Threads that come too late for what is over hold it for a moment.
        for _ in 0..TURNS_FOR_LATE_THREADS {
            if let Some(running) = Arc::get_mut(running) {
                running.job.go_on_with(code.to_launch());
                break;
            }
            std::thread::yield_now();
        }
    }
    (before, run_time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_object::PgmRsrc;
    use crate::dispatch::config::{DeviceConfig, LaunchConfig};
    use crate::dispatch::job::{Dispatch, Job, Offered};
    use crate::dispatch::rest::Crew;
    use crate::dispatch::scratch::ScratchSize;
    use crate::dispatch::source::GridSource;
    use crate::dispatch::wave_init::{RawInit, WaveInit};
    use crate::memory::context::TextureConfig;
    use crate::program::{Arrival, Engine};
    use crate::{Buffer, Device};
    use wavejit_isa::{Gfx, assemble};

    #[test]
    fn a_dispatch_goes_on_where_it_was_when_threads_have_left_for_other_code() {
        // Each wave counts down from 4,000, and then adds 1 where its number says.
        // On a busy host one of many threads may have run all before the others have come.
        assert!([1, 4].into_iter().all(|threads| (0..100).any(|_| parts_of("", threads) > 2)));
        // Before it waits for the wave before it: no thread may leave that another one waits for.
        let waits = "s_cmp_eq_u32 s2, 0
            s_cbranch_scc1 first
            again:
            global_load_b32 v3, v1, s[0:1] offset:-4 glc
            s_waitcnt vmcnt(0)
            v_readfirstlane_b32 s7, v3
            s_sleep 1
            s_cmp_eq_u32 s7, 0
            s_cbranch_scc1 again
            first:";
        for threads in [1, 2, 4] {
            parts_of(waits, threads);
        }
    }

    /// In how many parts a dispatch ran whose waves do this first.
    fn parts_of(first: &str, threads: usize) -> u32 {
        let text = format!(
            "s_lshl_b32 s5, s2, 2
            v_mov_b32 v1, s5
            v_mov_b32 v2, 1
            {first}
            s_movk_i32 s6, 4000
            s_sub_u32 s6, s6, 1
            s_cmp_lg_u32 s6, 0
            s_cbranch_scc1 65533
            v_cmp_eq_u32 vcc_lo, 0, v0
            s_and_b32 exec_lo, exec_lo, vcc_lo
            global_atomic_add_u32 v1, v2, s[0:1]
            s_endpgm"
        );
        let config = DeviceConfig { engine: Engine::Jit, threads, ..Default::default() };
        let device = Device::new(config).expect("a device");
        let code = device.upload(&assemble(&text, Gfx::GFX1100, 32).expect("it assembles").bytes).expect("code");
        const WAVES: u32 = 1500;
        let out: Buffer = device.alloc(4 * WAVES as usize).expect("memory");
        let rsrc = PgmRsrc { rsrc1: 3 | 0xf0 << 12, rsrc2: 2 << 1 | 1 << 7, rsrc3: 0 };
        let user_data = [out.address() as u32, (out.address() >> 32) as u32];
        let raw = RawInit { target: Gfx::GFX1100, wave_size: 32, entry: code.address(), rsrc, user_data: &user_data, scratch_bytes: 0 };
        let program = device.new_program(Gfx::GFX1100, (code.address(), code.address() + code.len() as u64));
        let launch = LaunchConfig::new([32 * WAVES, 1, 1], [32, 1, 1]);
        let init = WaveInit::raw(&raw);
        let translation = program.code("counts", init.code_key(), Arrival::Start { waves: None }, &|| false).expect("it is translated");
        let d = Dispatch {
            name: "counts",
            program: &program,
            init,
            config: &launch,
            device: &config,
            textures: TextureConfig::default(),
            offered: Offered::default(),
        };
        let pool = Pool::new(threads);
        let _ready = crate::memory::fault::ready(device.memory());
        let scratch = ScratchSize::new("counts", Gfx::GFX1100, 32, 0).expect("none");
        let mut running = Arc::new(Running {
            job: Job::new(&d, device.memory(), translation.clone(), scratch, 8),
            source: GridSource::new(&launch.geometry, threads),
            crew: Crew::default(),
        });
        let parts = std::cell::Cell::new(0);
        let choice = Choice {
            code: translation.clone(),
            better: None,
            trial: &|_, _| Some(Trial { after: Duration::ZERO, if_met: false }),
            make_other: &|_| {
                parts.set(parts.get() + 1);
                true
            },
        };
        drop(run_parts(&mut running, Some(choice), &pool, threads, Section::begin()));
        assert!(running.job.take_error().is_none());
        let counts = out.to_vec().expect("it can be read");
        assert!(counts.chunks(4).all(|n| n == [1, 0, 0, 0]), "every wave runs once, with {threads} threads");
        assert_eq!(running.job.totals[1].load(Relaxed), u64::from(WAVES));
        parts.get()
    }
}
