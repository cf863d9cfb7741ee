//! Lockstep: the waves of a workgroup run an instruction each, in turn, as the waves of a chip nearly do.
//!
//! For programs that rely on it, such as those that use LDS again without a barrier. It is the interpreter that runs the waves
//! ([`Schedule::Lockstep`](crate::Schedule)): compiled code comes back at barriers, sleeps and ends of slices only. A chip does not promise
//! the order either: its waves wait for memory, and one may be many instructions ahead of another.
//!
//! What is one instruction here is one guest instruction; waves at a barrier or in global wave sync wait, and all others go on. Other
//! workgroups run on other threads, or before and after, as they do otherwise.

use crate::Error;
use crate::dispatch::job::Job;
use crate::dispatch::slot::interp_of;
use crate::dispatch::status::Status;
use crate::dispatch::turn::Turn;
use crate::dispatch::workgroup::{WorkerState, Workgroup};
use wavejit_ir::abi::Exit;
use wavejit_ir::interp::Interp;

/// Instructions of each wave in a turn.
const ROUNDS: u32 = 1 << 10;

impl Workgroup {
    /// Gives each wave that can run an instruction at a time, until all have ended or the turn is over.
    pub(super) fn turn_in_lockstep(&mut self, job: &Job, worker: &mut WorkerState) -> Result<Turn, Error> {
        let (mut progress, mut slept) = (false, false);
        self.steppers.resize_with(self.count.max(self.steppers.len()), || None);
        for _ in 0..ROUNDS {
            job.check_stop()?;
            for i in 0..self.count {
                if self.waves[i].status == Status::Gws {
                    if self.ask_again(i, job)? {
                        progress = true;
                    } else {
                        slept = true;
                    }
                }
                if self.waves[i].status != Status::Ready {
                    continue;
                }
                match self.step(i, job, worker)? {
                    None | Some(Exit::Fuel) => {}
                    Some(Exit::Yield) => slept = true,
                    Some(_) => progress = true,
                }
            }
            progress |= std::mem::take(&mut self.was_answered);
            match self.release() {
                Some(Turn::Done) => return Ok(Turn::Done),
                Some(_) => progress = true,
                None => {}
            }
        }
        self.idle_turns = if progress { 0 } else { self.idle_turns + 1 };
        Ok(if progress { Turn::Progress } else { Turn::Waiting { slept, worked: true } })
    }

    /// One instruction of a wave: how it is suspended, or none if it runs on.
    fn step(&mut self, i: usize, job: &Job, worker: &mut WorkerState) -> Result<Option<Exit>, Error> {
        if let Some(counters) = &mut worker.counters {
            self.waves[i].count_in(job, counters);
        }
        let code = self.waves[i].code(job).prepared().expect("a device that runs in lockstep interprets").clone();
        let interp = interp_of(&mut self.steppers[i], &code);
        let wave = &mut self.waves[i];
        // SAFETY: the slot made the state complete for this code.
        let Some(exit) = (unsafe { interp.step(&mut wave.state) }) else { return Ok(None) };
        let before = wave.used;
        wave.book();
        worker.done.guest_insts += wave.used - before;
        job.program.count_interpreted(wave.used - before);
        match exit {
            Exit::End if !wave.is_over_budget(job) => wave.status = Status::Ended,
            Exit::Barrier => wave.status = Status::Barrier,
            _ => return self.after(exit, i, job),
        }
        Ok(Some(exit))
    }

    /// Interpreters of waves that are new: none is in the middle of a block.
    pub(super) fn forget_steppers(&mut self) {
        self.steppers.iter_mut().flatten().for_each(Interp::forget);
    }
}
