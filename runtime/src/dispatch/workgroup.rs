//! One workgroup on its thread: its waves, LDS, and what the thread keeps from workgroup to workgroup ([`WorkerState`]).
//!
//! Waves, LDS and scratch are reused. How waves take turns is in [`crate::dispatch::turn`], what a new one may find of earlier ones in
//! [`WaveSlot`]. LDS is zero at the start of every workgroup.

use crate::Error;
use crate::dispatch::arena::Arena;
use crate::dispatch::job::Job;
use crate::dispatch::profile::WorkerCounters;
use crate::dispatch::progress::Done;
use crate::dispatch::slot::{QUANTUM, StartPlace, WaveSlot, interp_of};
use crate::dispatch::source::{Unit, WorkSource};
use crate::dispatch::status::TurnAt;
use crate::dispatch::stuck::Standing;
use crate::memory::context::SharedRoutines;
use crate::memory::fault::Entered;
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wavejit_ir::SReg;
use wavejit_ir::abi::{AlikeGroups, Exit, WaveState};
use wavejit_ir::interp::{Interp, Prepared};

/// Where the turn of a wave led to. It fits a register: a `Result` with its error inside goes through memory, written in parts and read as a
/// whole, which no store buffer forwards.
#[derive(Clone, Copy)]
pub(crate) enum Ran {
    /// A suspension, or the end.
    To(Exit),
    /// An earlier moment of the workgroup, which is in [`WorkerState::back`].
    Back,
    /// The error is in [`WorkerState::error`].
    Failed,
}

/// A workgroup and the storage of its waves.
#[derive(Default)]
pub(crate) struct Workgroup {
    pub waves: Vec<WaveSlot>,
    /// Waves of the current workgroup.
    pub count: usize,
    lds: Arena,
    lds_bytes: usize,
    /// The dispatch whose data may be in LDS; 0: none.
    lds_owner: u64,
    /// Workgroup id.
    pub id: [u32; 3],
    /// Its index in the source of the dispatch.
    pub index: u64,
    /// Its number in the grid, which its waves know too.
    number: Arc<AtomicU64>,
    /// Did the host answer a call in this turn?
    pub(super) was_answered: bool,
    /// Turns without progress, for the scheduler.
    pub idle_turns: u32,
    /// What came of them, for who asks about deadlocks.
    pub(super) standing: Standing,
    /// The state of each of `waves`.
    pub states: Vec<*mut WaveState>,
    /// Its waves are as [`WaveSlot::restart`] leaves them: compiled code may run them, and what else is to be set is not yet.
    pub(super) is_fresh: bool,
    /// All of its waves have come to their ends in one go, as restarted ones.
    pub(super) was_straight: bool,
    /// How a first turn went that is still to be looked at.
    pub(super) entered: Option<Entered>,
    /// All of its waves went from one barrier to the next in the last turn.
    pub(super) in_step: bool,
    /// Of each wave, the interpreter that is in the middle of its code ([`Schedule::Lockstep`](crate::Schedule)).
    pub(super) steppers: Vec<Option<Interp>>,
}

/// What a thread keeps while it runs workgroups of one dispatch.
pub(crate) struct WorkerState {
    pub waves: u64,
    pub workgroups: u64,
    pub done: Done,
    /// Of that, what whoever watches has been told of.
    pub told: Done,
    /// Why a wave failed ([`Ran::Failed`]).
    pub error: Option<Error>,
    /// Where a restored snapshot leads to ([`Ran::Back`]).
    pub back: TurnAt,
    /// Where the code of a profiled dispatch counts.
    pub counters: Option<Box<WorkerCounters>>,
    /// The interpreter, as the code left it that was interpreted last.
    pub interp: Option<Interp>,
    /// For new waves.
    routines: SharedRoutines,
}

impl Workgroup {
    /// Makes the waves of unit `index` of the source ready.
    pub(super) fn start<S: WorkSource>(&mut self, job: &Job, source: &S, index: u64, worker: &mut WorkerState) -> Result<(), Error> {
        let Unit { id, extent, number } = source.unit(index);
        (self.id, self.index) = (id, index);
        self.count = job.init.waves(extent) as usize;
        (self.idle_turns, self.in_step, self.was_straight, self.entered) = (0, false, false, None);
        self.number.store(number, Relaxed);
        self.forget_steppers();
        self.standing.reset();
        let lds_bytes = job.facts.lds_bytes as usize;
        let lds = self.lds.at_least(lds_bytes + 64)?;
        self.lds_bytes = lds_bytes;
        // Without LDS there is a page that nobody has touched, and clearing none of its bytes is a masked store to it, for which processors
        // take 100 ns.
        let is_new = std::mem::replace(&mut self.lds_owner, job.serial) != job.serial;
        if lds_bytes != 0 && (is_new || !source.keeps_lds()) {
            self.lds_mut().fill(0);
        }
        while self.waves.len() < self.count {
            let index = self.waves.len();
            let mut wave = WaveSlot::new(job, index, &worker.routines, &self.number);
            self.states.push(&raw mut *wave.state);
            self.waves.push(wave);
        }
        let place = StartPlace { group: id, extent, lds };
        // In most workgroups all waves begin where others have ended.
        let runs_at_once = job.runs_at_once && worker.counters.is_none();
        self.is_fresh = runs_at_once && self.waves[..self.count].iter().all(|wave| wave.can_restart(job, extent));
        for (i, wave) in self.waves[..self.count].iter_mut().enumerate() {
            if self.is_fresh {
                wave.restart(job, &place);
            } else {
                wave.start(job, &place, i)?;
            }
            if S::IS_STAGE {
                wave.ctx.exports.begin(job.init.wave_size as usize);
            }
        }
        source.start_waves(index, &mut self.waves[..self.count], self.lds.bytes_mut(lds_bytes));
        self.count_start(worker);
        Ok(())
    }

    fn count_start(&self, worker: &mut WorkerState) {
        worker.workgroups += 1;
        worker.waves += self.count as u64;
        worker.done.waves_running += self.count as u64;
    }

    /// Runs the unit behind its own, which is [like it](WorkSource::alike), where that [went straight to its end](Workgroup::was_straight), and perhaps units
    /// behind that, at most `more`: how many of those. Most workgroups of a grid are run so, and of many the waves do little: what can stay as it is
    /// stays. The last one [went straight](Workgroup::was_straight), too, or its first turn is still to be looked at. `whole`: the registers that hold the x of
    /// its id, if all of its waves [are whole](WaveSlot::is_whole).
    #[inline(always)]
    pub(super) fn run_next(&mut self, job: &Job, worker: &mut WorkerState, whole: Option<[Option<SReg>; 2]>, more: u64) -> u64 {
        self.id[0] += 1;
        self.index += 1;
        self.number.store(self.number.load(Relaxed) + 1, Relaxed);
        if self.lds_bytes != 0 {
            self.lds_mut().fill(0);
        }
        let id = self.id;
        match whole {
            // SAFETY: the waves' own, which nobody else uses.
            Some(x) => unsafe { WaveSlot::restart_whole(&self.states[..self.count], x, id[0]) },
            None => self.waves[..self.count].iter_mut().for_each(|wave| wave.restart_beside(job, id)),
        }
        self.count_start(worker);
        let mut behind = whole.and_then(|x| self.alike(job, x, more)).unwrap_or(AlikeGroups::NONE);
        let before = behind.left;
        self.was_straight = self.run_fresh(job, worker, &mut behind);
        let begun = before - behind.left;
        self.id[0] += begun as u32;
        self.index += begun;
        // Code that looks at it spoils registers.
        self.number.store(self.number.load(Relaxed) + begun, Relaxed);
        let waves = begun * self.count as u64;
        worker.workgroups += begun;
        worker.waves += waves;
        worker.done.workgroups += begun;
        worker.done.guest_insts += WaveSlot::insts(waves, behind.fuel_left);
        begun
    }

    /// So many workgroups behind it, for compiled code to run them at once. Their waves start with registers alone: with LDS somebody has to clear it.
    fn alike(&self, job: &Job, x: [Option<SReg>; 2], left: u64) -> Option<AlikeGroups> {
        let at = |r: SReg| (offset_of!(WaveState, sregs) + size_of::<u32>() * usize::from(r.0)) as u32;
        let x_at = [x[0].or(x[1])?, x[1].or(x[0])?].map(at);
        (self.lds_bytes == 0 && left != 0).then(|| AlikeGroups {
            left,
            first: self.states.as_ptr(),
            x: self.id[0],
            x_at,
            fuel: QUANTUM,
            fuel_left: 0,
            stop: job.stop_words(),
        })
    }

    /// Gives back what would be too much to keep for workgroups that may never come.
    pub(super) fn trim(&mut self) {
        for wave in &mut self.waves {
            wave.trim();
        }
    }

    /// Its LDS.
    pub(super) fn lds(&self) -> &[u8] {
        self.lds.bytes(self.lds_bytes)
    }

    pub(super) fn lds_mut(&mut self) -> &mut [u8] {
        self.lds.bytes_mut(self.lds_bytes)
    }
}

impl WorkerState {
    /// Nothing so far.
    pub(super) fn new(routines: &SharedRoutines, is_profiled: bool) -> WorkerState {
        let counters = is_profiled.then(Box::default);
        let (error, back, interp) = (None, TurnAt::default(), None);
        let (done, told) = (Done::default(), Done::default());
        WorkerState { waves: 0, workgroups: 0, done, told, error, back, counters, interp, routines: routines.clone() }
    }

    /// Notes why a wave failed.
    #[cold]
    pub(super) fn fail(&mut self, e: Error) -> Ran {
        self.error = Some(e);
        Ran::Failed
    }

    /// Notes where a workgroup goes back to.
    pub(super) fn go_back(&mut self, to: TurnAt) -> Ran {
        self.back = to;
        Ran::Back
    }

    /// The interpreter, ready for this code.
    pub(super) fn interp(&mut self, code: &Arc<Prepared>) -> &mut Interp {
        interp_of(&mut self.interp, code)
    }
}
