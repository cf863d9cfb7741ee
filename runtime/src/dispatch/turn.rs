//! Turns: the waves of a workgroup run one after the other, from barrier to barrier.
//!
//! Every wave runs until it suspends. At s_barrier it waits until all waves that have not ended are there. After s_sleep, or when its fuel
//! is used up, the next wave gets its turn.

use crate::Error;
use crate::dispatch::config::Schedule;
use crate::dispatch::job::Job;
use crate::dispatch::report;
use crate::dispatch::slot::WaveSlot;
use crate::dispatch::status::{Status, TurnAt};
use crate::dispatch::workgroup::{Ran, WorkerState, Workgroup};
use crate::memory::fault::{Entered, enter_all, enter_groups};
use crate::program::Body;
use wavejit_ir::abi::{AlikeGroups, Exit};
use wavejit_ir::{FpMode, SReg};

/// How a turn of all waves ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// All waves ended.
    Done,
    /// Some wave ended or passed a barrier.
    Progress,
    /// All waves that could run came back asking for time: from s_sleep or global wave sync (`slept` if any), or out of fuel (`worked` if any).
    Waiting { slept: bool, worked: bool },
}

impl Workgroup {
    /// Gives each wave that can run one turn.
    pub(super) fn turn(&mut self, job: &Job, worker: &mut WorkerState) -> Result<Turn, Error> {
        // A loop of barriers uses little fuel.
        job.check_stop()?;
        if job.device.schedule == Schedule::Lockstep {
            return self.turn_in_lockstep(job, worker);
        }
        if std::mem::take(&mut self.is_fresh) {
            let mut none = AlikeGroups::NONE;
            self.was_straight = self.run_fresh(job, worker, &mut none);
            if self.was_straight {
                return Ok(Turn::Done);
            }
        }
        let mut at = TurnAt::default();
        while at.wave < self.count {
            if self.waves[at.wave].status == Status::Gws {
                if self.ask_again(at.wave, job)? {
                    at.progress = true;
                } else {
                    at.slept = true;
                }
            }
            if self.waves[at.wave].status == Status::Ready {
                let exit = self.run_compiled(&mut at, job, worker);
                if at.wave == self.count {
                    break;
                }
                if exit.is_none() && self.waves[at.wave].status != Status::Ready {
                    continue;
                }
                match self.run_wave(at, job, worker, exit) {
                    Ran::To(Exit::Yield) => at.slept = true,
                    Ran::To(Exit::Fuel) => at.worked = true,
                    Ran::To(_) => at.progress = true,
                    Ran::Back => {
                        at = worker.back;
                        continue;
                    }
                    Ran::Failed => return Err(worker.error.take().expect("a failure leaves its error")),
                }
            }
            at.wave += 1;
        }
        if self.in_step {
            self.idle_turns = 0;
            return Ok(Turn::Progress);
        }
        let TurnAt { mut progress, slept, worked, .. } = at;
        // A wave that the host has answered waits for nobody else.
        progress |= std::mem::take(&mut self.was_answered);
        match self.release() {
            Some(Turn::Done) => return Ok(Turn::Done),
            Some(_) => progress = true,
            None => {}
        }
        self.idle_turns = if progress { 0 } else { self.idle_turns + 1 };
        Ok(if progress { Turn::Progress } else { Turn::Waiting { slept, worked } })
    }

    /// Are all waves at their end ([`Turn::Done`]), or at a barrier, which they then pass ([`Turn::Progress`])?
    pub(super) fn release(&mut self) -> Option<Turn> {
        let waves = &mut self.waves[..self.count];
        if waves.iter().all(|w| w.status == Status::Ended) {
            return Some(Turn::Done);
        }
        if !waves.iter().all(|w| matches!(w.status, Status::Barrier | Status::Ended)) {
            return None;
        }
        waves.iter_mut().filter(|w| w.status == Status::Barrier).for_each(|w| w.status = Status::Ready);
        Some(Turn::Progress)
    }

    /// Runs waves that were restarted. True if all have ended; else they are as if they had been started, and had run so far, in their turn.
    /// Then the same for the workgroups `behind` it, as [`Workgroup::run_next`] says.
    #[inline(always)]
    pub(super) fn run_fresh(&mut self, job: &Job, worker: &mut WorkerState, behind: &mut AlikeGroups) -> bool {
        let Body::Jit(code) = &job.code.body else { unreachable!("only compiled waves are restarted") };
        // SAFETY: the states are complete for the kernel's code, which `job` keeps alive.
        let entered = unsafe { enter_groups(code.entry(), &self.states[..self.count], true, behind) };
        let Entered { done, barriers, .. } = entered;
        if done == self.count && barriers == 0 {
            // SAFETY: the waves' own, which nobody else uses.
            worker.done.guest_insts += unsafe { WaveSlot::restarted_insts(&self.states[..self.count]) };
            return true;
        }
        self.waves[..self.count].iter_mut().for_each(|wave| wave.begin_late(job));
        self.entered = Some(entered);
        false
    }

    /// Runs compiled waves from `at` on one after the other, until one comes back otherwise than from its end or from a barrier: then `at` is
    /// that one, and this its exit.
    fn run_compiled(&mut self, at: &mut TurnAt, job: &Job, worker: &mut WorkerState) -> Option<Exit> {
        let config = job.config();
        let Body::Jit(code) = &job.code.body else { return None };
        if config.hook.is_some() || worker.counters.is_some() {
            return None;
        }
        let mut end = at.wave;
        if self.in_step {
            end = self.count;
        } else {
            for wave in &mut self.waves[at.wave..self.count] {
                if wave.status != Status::Ready || wave.code.is_some() {
                    break;
                }
                // Those of a first turn that has been run have been given theirs.
                if self.entered.is_none() {
                    wave.ration();
                }
                end += 1;
                // One that ends over its budget is the last that has run.
                if config.max_insts != 0 {
                    break;
                }
            }
        }
        let entered = self.entered.take().unwrap_or_else(|| {
            // SAFETY: `start` made the states complete for the kernel's code, in which these waves are, and which `job` keeps alive.
            unsafe { enter_all(code.entry(), &self.states[at.wave..end], end - at.wave == self.count) }
        });
        let Entered { done, barriers, passed } = entered;
        at.progress |= passed;
        // Where all are at a barrier there is nothing to look at: they stay ready, with the fuel they have.
        self.in_step = barriers == self.count;
        if self.in_step {
            at.wave = self.count;
            return None;
        }
        if barriers == 0 && at.wave + done == end && config.max_insts == 0 {
            for wave in &mut self.waves[at.wave..end] {
                worker.done.guest_insts += wave.end();
            }
            (at.progress, at.wave) = (at.progress | (done != 0), end);
            return None;
        }
        let mut last = None;
        for (k, wave) in self.waves[at.wave..end].iter_mut().enumerate() {
            if k > done {
                // Its turn has not begun.
                wave.unration();
                continue;
            }
            let exit = wave.came_back();
            if k == done {
                last = Some(exit);
                continue;
            }
            let before = wave.used;
            wave.book();
            worker.done.guest_insts += wave.used - before;
            if exit == Exit::End && wave.is_over_budget(job) {
                at.wave += k;
                return Some(exit);
            }
            wave.status = if exit == Exit::End { Status::Ended } else { Status::Barrier };
        }
        at.progress |= done != 0;
        at.wave += done;
        last
    }

    /// Runs a wave to its next suspension: End, Barrier, Yield or Fuel. `first`: it has been run, and came back so.
    fn run_wave(&mut self, at: TurnAt, job: &Job, worker: &mut WorkerState, mut first: Option<Exit>) -> Ran {
        let i = at.wave;
        loop {
            if let Some(counters) = &mut worker.counters {
                self.waves[i].count_in(job, counters);
            }
            if first.is_none()
                && self.waves[i].may_go_on_compiled(job)
                && let Err(e) = self.waves[i].go_on_compiled(job)
            {
                return worker.fail(e);
            }
            let exit = match (first.take(), job.config().hook) {
                (Some(exit), _) => exit,
                (None, None) => match self.waves[i].run(job, &mut worker.interp) {
                    Some(exit) => exit,
                    None => return worker.fail(job.stopped()),
                },
                (None, Some(hook)) => match self.run_stepwise(at, job, worker, hook) {
                    Ran::To(exit) => exit,
                    other => return other,
                },
            };
            let wave = &mut self.waves[i];
            let before = wave.used;
            wave.book();
            worker.done.guest_insts += wave.used - before;
            if wave.code(job).prepared().is_some() {
                job.program.count_interpreted(wave.used - before);
            }
            match exit {
                // Straight-line code has no loop header to stop at.
                Exit::End if !wave.is_over_budget(job) => {
                    wave.status = Status::Ended;
                    return Ran::To(exit);
                }
                Exit::Barrier => {
                    wave.status = Status::Barrier;
                    return Ran::To(exit);
                }
                _ => match self.after(exit, i, job) {
                    Ok(None) => {}
                    Ok(Some(exit)) => return Ran::To(exit),
                    Err(e) => return worker.fail(e),
                },
            }
        }
    }

    /// What follows a rarer exit of a wave: how it is suspended, or none if it runs on at once.
    pub(super) fn after(&mut self, exit: Exit, i: usize, job: &Job) -> Result<Option<Exit>, Error> {
        let wave = &mut self.waves[i];
        match exit {
            Exit::End => {
                // Where it has ended is not noted, and where it came in last depends on how the code was cut into functions: told is where it began.
                let mut waiting = self.describe(job);
                waiting.iter_mut().filter(|w| w.0 == i).for_each(|w| w.2 = job.init.entry);
                Err(report::budget(job, self.id, i, &waiting))
            }
            Exit::Barrier => Ok(Some(exit)),
            Exit::Fuel if wave.state.fuel > 0 => {
                job.check_stop()?;
                Ok(None)
            }
            Exit::Yield | Exit::Fuel => {
                job.check_stop()?;
                self.was_answered |= job.serve()?;
                let wave = &mut self.waves[i];
                if wave.ctx.ticket.is_some() {
                    wave.status = Status::Gws;
                }
                self.check_budget(job, i)?;
                if exit == Exit::Yield {
                    // Who waits again and again never comes to the end of a slice, as who works does.
                    self.waves[i].refuel(job);
                }
                Ok(Some(exit))
            }
            Exit::NewPc => {
                let (pc, mode) = (wave.state.exit_arg, FpMode(wave.state.exit_mode as u16));
                let back = pc <= wave.state.exit_pc;
                self.go_on(job, i, pc, mode, back)
            }
            Exit::NewMode => {
                let (pc, mode) = (wave.state.exit_arg, wave.state.exit_mode);
                wave.state.sregs[usize::from(SReg::MODE.0)] = mode;
                let mode = FpMode((mode & 0x3ff | (mode >> 23 & 1) << 10) as u16);
                self.go_on(job, i, pc, mode, false)
            }
            Exit::Fault => Err(report::fault(job, self.id, i, &wave.state)),
            Exit::Trap => Err(report::trap(job, self.id, i, &mut wave.state)),
            Exit::Fail => {
                let failure = wave.code(job).failures.get(wave.state.exit_arg as usize);
                Err(report::failure(job, self.id, i, failure, wave.state.code_delta))
            }
        }
    }

    /// A wave waits in global wave sync: makes it ready if it may go on.
    pub(super) fn ask_again(&mut self, i: usize, job: &Job) -> Result<bool, Error> {
        let wave = &mut self.waves[i];
        if wave.ctx.ticket.is_none_or(|ticket| job.gws.may_go_on(ticket)) {
            wave.ctx.ticket = None;
            wave.status = Status::Ready;
            return Ok(true);
        }
        wave.asked += 1;
        self.check_budget(job, i)?;
        Ok(false)
    }

    /// Looks at the budget of a wave that is between two instructions; gives it fuel for its next slice if it has none.
    fn check_budget(&mut self, job: &Job, i: usize) -> Result<(), Error> {
        if let Some(progress) = job.config().progress {
            progress.answer(|| report::place(job, self.id, i, self.waves[i].resume_at(job).0));
        }
        let wave = &mut self.waves[i];
        let max_insts = job.config().max_insts;
        if max_insts != 0 && wave.used.saturating_add(wave.asked) >= max_insts {
            let waiting = self.describe(job);
            return Err(report::budget(job, self.id, i, &waiting));
        }
        if wave.state.fuel <= 0 {
            wave.refuel(job);
        }
        Ok(())
    }

    /// Goes on at an entry that the wave jumped to. If it jumped back and has no fuel, its slice ends there: [`Exit::Fuel`].
    fn go_on(&mut self, job: &Job, i: usize, pc: u64, mode: FpMode, back: bool) -> Result<Option<Exit>, Error> {
        job.check_stop()?;
        self.waves[i].go_to(job, pc, mode).map_err(|e| report::bad_jump(job, self.id, i, pc, e))?;
        if !back || self.waves[i].state.fuel > 0 {
            return Ok(None);
        }
        // As where a loop inside its code ends the slice: which of the two it is depends on how the code was cut into functions.
        self.after(Exit::Fuel, i, job)
    }

    /// Where each wave that has not ended is.
    pub(super) fn describe(&self, job: &Job) -> Vec<(usize, Status, u64)> {
        let live = self.waves[..self.count].iter().enumerate().filter(|(_, w)| w.status != Status::Ended);
        live.map(|(i, w)| (i, w.status, w.resume_at(job).0)).collect()
    }
}
