//! Deadlocks: all waves of a dispatch that have begun wait for memory that none of them writes.
//!
//! Whether a wave writes what another waits for cannot be seen from outside. What can be seen is that a wave comes back from its turns with
//! the registers that it had before: it has read the same again, and has learned nothing. A workgroup whose waves have done so for many turns
//! *stands*; where for a while all workgroups that have begun stand, and no other can begin, nothing will change unless the host or another
//! dispatch writes. A wave that reads clocks or counts its attempts does not stand.
//!
//! Nobody looks unless the launch asks for it ([`LaunchConfig::on_deadlock`](crate::LaunchConfig::on_deadlock)).

use crate::Error;
use crate::dispatch::job::Job;
use crate::dispatch::report;
use crate::dispatch::status::Status;
use crate::dispatch::turn::Turn;
use crate::dispatch::workgroup::Workgroup;
use crate::fault::{Deadlock, Limit};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Turns between two looks at registers.
const TURNS: u32 = 8;
/// States that a workgroup may go through again and again: ends of time slices come anywhere in a loop.
const STATES: usize = 16;
/// Looks without a new state after which a workgroup stands.
const LOOKS: u32 = 32;
/// How long all workgroups have to stand.
const WHILE: Duration = Duration::from_secs(1);
/// Waves that are told of at most.
const PLACES: usize = 8;

/// How long a workgroup has gone through the same states.
#[derive(Default)]
pub(super) struct Standing {
    turns: u32,
    /// Digests of the states.
    states: Vec<u64>,
    /// Looks since the last new one.
    same: u32,
}

impl Standing {
    /// Something has happened.
    pub(super) fn reset(&mut self) {
        (self.turns, self.same) = (0, 0);
        self.states.clear();
    }

    fn is_standing(&self) -> bool {
        self.same >= LOOKS
    }
}

impl Workgroup {
    /// After a turn.
    pub(super) fn note_waiting(&mut self, job: &Job, turn: Turn) {
        if turn == Turn::Progress {
            return self.standing.reset();
        }
        self.standing.turns = self.standing.turns.wrapping_add(1);
        if !self.standing.turns.is_multiple_of(TURNS) {
            return;
        }
        let digest = self.digest(job);
        let standing = &mut self.standing;
        if standing.states.contains(&digest) {
            standing.same = standing.same.saturating_add(1);
        } else {
            standing.same = 0;
            if standing.states.len() == STATES {
                standing.states.clear();
            }
            standing.states.push(digest);
        }
    }

    /// Of all that its waves know.
    fn digest(&self, job: &Job) -> u64 {
        let mut digest = 0_u64;
        let mut add = |word: u64| digest = (digest.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let lanes = job.init.wave_size as usize;
        for wave in self.waves[..self.count].iter().filter(|w| w.status != Status::Ended) {
            add(u64::from(wave.state.resume) << 8 | wave.status as u64);
            wave.state.sregs.iter().for_each(|word| add(u64::from(*word)));
            for (first, count) in job.init.registers().runs() {
                let rows = &wave.registers()[usize::from(first) * lanes..][..usize::from(count) * lanes];
                rows.iter().for_each(|word| add(u64::from(*word)));
            }
        }
        for word in self.lds().chunks(8) {
            add(word.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)));
        }
        digest
    }
}

/// What the threads of a dispatch know of each other's workgroups.
#[derive(Default)]
pub(crate) struct Stuck {
    /// Threads that have begun, and have not left for lack of work.
    threads: AtomicUsize,
    /// Of these, those all of whose workgroups have stood for a while; and these workgroups.
    standing: AtomicUsize,
    groups: AtomicUsize,
    /// Has it been told?
    is_told: AtomicBool,
}

/// A thread at work, for [`Stuck`].
pub(super) struct Watcher<'a> {
    job: &'a Job,
    /// Since when all its workgroups stand.
    since: Option<Instant>,
    /// How many of them are counted in [`Stuck::groups`].
    counted: Option<usize>,
}

impl<'a> Watcher<'a> {
    /// A thread that begins.
    pub(super) fn new(job: &'a Job) -> Watcher<'a> {
        job.stuck.threads.fetch_add(1, Relaxed);
        Watcher { job, since: None, counted: None }
    }

    /// After turns of the workgroups that wait. `may_begin`: there are others, for which there is room.
    pub(super) fn look(&mut self, waiting: &[Workgroup], may_begin: bool) -> Result<(), Error> {
        let stuck = &self.job.stuck;
        if may_begin || waiting.is_empty() || !waiting.iter().all(|group| group.standing.is_standing()) {
            self.since = None;
            if let Some(groups) = self.counted.take() {
                stuck.standing.fetch_sub(1, Relaxed);
                stuck.groups.fetch_sub(groups, Relaxed);
            }
            return Ok(());
        }
        if self.since.get_or_insert_with(Instant::now).elapsed() < WHILE {
            return Ok(());
        }
        if self.counted.is_none() {
            self.counted = Some(waiting.len());
            stuck.groups.fetch_add(waiting.len(), Relaxed);
            stuck.standing.fetch_add(1, Relaxed);
        }
        if stuck.standing.load(Relaxed) < stuck.threads.load(Relaxed) || stuck.is_told.swap(true, Relaxed) {
            return Ok(());
        }
        let deadlock = self.describe(waiting);
        match self.job.config().on_deadlock {
            Some(on_deadlock) if on_deadlock(&deadlock) => Err(Limit::Deadlock(Box::new(deadlock)).into()),
            _ => Ok(()),
        }
    }

    fn describe(&self, waiting: &[Workgroup]) -> Deadlock {
        let job = self.job;
        let waves = waiting.iter().flat_map(|group| group.describe(job).into_iter().map(move |wave| (group.id, wave)));
        let waves: Vec<_> = waves.collect();
        let places =
            waves.iter().take(PLACES).map(|(group, (wave, status, pc))| (report::place(job, *group, *wave, *pc), report::doing(*status)));
        Deadlock { workgroups: job.stuck.groups.load(Relaxed), places: places.collect() }
    }
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        self.job.stuck.threads.fetch_sub(1, Relaxed);
    }
}
