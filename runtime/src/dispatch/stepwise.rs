//! Runs a wave with a call of the hook before each instruction; takes snapshots of its workgroup and goes back to them.

use crate::Error;
use crate::dispatch::job::Job;
use crate::dispatch::report;
use crate::dispatch::slot::WaveSlot;
use crate::dispatch::snapshot::{Snapshot, WaveCopy};
use crate::dispatch::status::TurnAt;
use crate::dispatch::step::{Action, Parts, Step};
use crate::dispatch::workgroup::{Ran, WorkerState, Workgroup};
use crate::memory::hwreg;
use std::sync::atomic::Ordering::Relaxed;
use wavejit_ir::interp::Position;

impl Workgroup {
    /// Runs a wave to its next exit with a call of `hook` before each instruction.
    pub(super) fn run_stepwise(&mut self, at: TurnAt, job: &Job, worker: &mut WorkerState, hook: &(dyn Fn(&Step) -> Action + Sync)) -> Ran {
        let code = self.waves[at.wave].code(job).prepared().expect("hooks need the interpreter").clone();
        let interp = worker.interp(&code);
        loop {
            let wave = &self.waves[at.wave];
            let state = &*wave.state;
            let pc = interp.next_pc(state);
            let snapshot = || take(job, self, at, pc, interp.position());
            let parts = Parts {
                registers: wave.registers(),
                lds: self.lds(),
                scratch: wave.scratch(),
                mode: hwreg::mode(state, &wave.ctx),
                snapshot: &snapshot,
            };
            let action = if interp.leaves(state) {
                // The function ends here; the instruction is another one's first.
                Action::Continue
            } else {
                hook(&Step { group: self.id, wave: at.wave, pc, state, parts })
            };
            match action {
                // Hooks take their time: the end of a slice would be too late.
                Action::Continue => {
                    if let Err(e) = job.check_stop() {
                        return worker.fail(e);
                    }
                }
                Action::Stop => return worker.fail(report::stopped(job, self.id, at.wave, pc)),
                Action::Restore(snapshot) => {
                    interp.forget();
                    // A hook that always goes back must not keep the dispatch from being canceled.
                    return match job.check_stop().and_then(|()| restore(&snapshot, job, self, worker)) {
                        Ok(to) => worker.go_back(to),
                        Err(e) => worker.fail(e),
                    };
                }
            }
            // SAFETY: the slot made the state complete for this code.
            if let Some(exit) = unsafe { interp.step(&mut self.waves[at.wave].state) } {
                return Ran::To(exit);
            }
        }
    }
}

/// Copies all that decides how the workgroup goes on.
fn take(job: &Job, workgroup: &Workgroup, at: TurnAt, pc: u64, position: Position) -> Result<Snapshot, Error> {
    if !job.device.deterministic {
        return Err(Error::Arg(format!("kernel `{}`: a snapshot needs a deterministic device", job.name)));
    }
    Ok(Snapshot {
        dispatch: job.serial,
        group: workgroup.id,
        at,
        pc,
        position,
        idle_turns: workgroup.idle_turns,
        waves: workgroup.waves[..workgroup.count].iter().map(WaveCopy::take).collect(),
        lds: workgroup.lds().to_vec(),
        memory: job.space.snapshot()?,
        ticks: job.ticks.load(Relaxed),
        gws: job.gws.copy(),
    })
}

/// Makes the workgroup what it was; whose turn it is then.
fn restore(snapshot: &Snapshot, job: &Job, workgroup: &mut Workgroup, worker: &mut WorkerState) -> Result<TurnAt, Error> {
    if (snapshot.dispatch, snapshot.group) != (job.serial, workgroup.id) {
        let ([x, y, z], [ox, oy, oz]) = (workgroup.id, snapshot.group);
        let of = if snapshot.dispatch == job.serial { "this" } else { "another" };
        return Err(Error::Arg(format!(
            "kernel `{}`, workgroup ({x}, {y}, {z}): cannot restore a snapshot of workgroup ({ox}, {oy}, {oz}) of {of} dispatch",
            job.name
        )));
    }
    job.space.restore(&snapshot.memory)?;
    job.ticks.store(snapshot.ticks, Relaxed);
    job.gws.set(&snapshot.gws);
    workgroup.lds_mut().copy_from_slice(&snapshot.lds);
    workgroup.idle_turns = snapshot.idle_turns;
    for (wave, copy) in workgroup.waves.iter_mut().zip(&snapshot.waves) {
        // What is counted is what the waves have booked.
        worker.done.guest_insts = worker.done.guest_insts - wave.used + copy.used;
        copy.restore(wave);
    }
    let code = workgroup.waves[snapshot.at.wave].code(job).prepared().expect("snapshots are taken of interpreted code");
    worker.interp(code).set_position(&snapshot.position);
    Ok(snapshot.at)
}

impl WaveCopy {
    fn take(wave: &WaveSlot) -> WaveCopy {
        WaveCopy {
            sregs: wave.state.sregs,
            registers: wave.registers().to_vec(),
            scratch: wave.scratch().to_vec(),
            resume: wave.state.resume,
            fuel: wave.state.fuel,
            given: wave.given,
            used: wave.used,
            status: wave.status,
            code: wave.code.clone(),
            code_delta: wave.state.code_delta,
            mode: wave.ctx.mode,
            ticket: wave.ctx.ticket,
        }
    }

    /// Rows beyond the registers, transfer slots and the `exit_*` and `fault_*` fields say nothing between two instructions.
    fn restore(&self, wave: &mut WaveSlot) {
        wave.registers_mut().copy_from_slice(&self.registers);
        wave.scratch_mut().copy_from_slice(&self.scratch);
        wave.state.sregs = self.sregs;
        (wave.state.resume, wave.state.fuel) = (self.resume, self.fuel);
        (wave.given, wave.used, wave.status) = (self.given, self.used, self.status);
        wave.code = self.code.clone();
        wave.state.code_delta = self.code_delta;
        (wave.ctx.mode, wave.ctx.ticket) = (self.mode, self.ticket);
    }
}
