//! A workgroup at one instruction, to go back to: what [`crate::step::Step::snapshot`] copies and [`crate::step::Action::Restore`] puts back.
//!
//! It holds everything that decides how the workgroup goes on: of all its waves the registers (scalar, VGPRs, AGPRs), scratch, resume
//! point, budget and whether they wait at a barrier; of the wave at the instruction its place in the middle of the interpreter's block;
//! LDS; whose turn it is; the injected clock; the counters of global wave sync; and the contents of all guest allocations. Running on from a restored snapshot gives
//! what running on from the snapshot gave, to the bit.
//!
//! It belongs to its dispatch and workgroup and can be restored, any number of times, while that workgroup runs. Outside it: workgroups
//! that had begun and wait for each other (spin loops) keep their registers, and only memory goes back under them; allocations made since
//! keep their contents, and to have freed one is an error; what the host did to guest allocations since is undone, but host memory that a
//! kernel reaches in `AddressMode::Shared` stays as it is.

use crate::Error;
use crate::address_space::MemorySnapshot;
use crate::dispatch::Job;
use crate::memory::gws::{Gws, Ticket};
use crate::program::Code;
use crate::workgroup::{Status, TurnAt, WaveSlot, WorkerState, Workgroup};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use wavejit_ir::interp::Position;
use wavejit_ir::{FpMode, SReg};

/// See the module.
pub struct Snapshot {
    /// Serial number of the dispatch.
    dispatch: u64,
    group: [u32; 3],
    at: TurnAt,
    pc: u64,
    position: Position,
    idle_turns: u32,
    waves: Vec<WaveCopy>,
    lds: Vec<u8>,
    memory: MemorySnapshot,
    ticks: u64,
    gws: Gws,
}

/// What changes of a wave while it runs.
struct WaveCopy {
    sregs: [u32; SReg::COUNT],
    registers: Vec<u32>,
    scratch: Vec<u32>,
    resume: u32,
    fuel: i64,
    given: i64,
    used: u64,
    status: Status,
    code: Option<Arc<Code>>,
    code_delta: u64,
    mode: FpMode,
    ticket: Option<Ticket>,
}

impl Snapshot {
    /// Workgroup id.
    pub fn group(&self) -> [u32; 3] {
        self.group
    }

    /// Wave that was about to run an instruction.
    pub fn wave(&self) -> usize {
        self.at.wave
    }

    /// Guest address of the instruction.
    pub fn pc(&self) -> u64 {
        self.pc
    }

    pub(crate) fn take(job: &Job, workgroup: &Workgroup, at: TurnAt, pc: u64, position: Position) -> Result<Snapshot, Error> {
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
    pub(crate) fn restore(&self, job: &Job, workgroup: &mut Workgroup, worker: &mut WorkerState) -> Result<TurnAt, Error> {
        if (self.dispatch, self.group) != (job.serial, workgroup.id) {
            let ([x, y, z], [ox, oy, oz]) = (workgroup.id, self.group);
            let of = if self.dispatch == job.serial { "this" } else { "another" };
            return Err(Error::Arg(format!(
                "kernel `{}`, workgroup ({x}, {y}, {z}): cannot restore a snapshot of workgroup ({ox}, {oy}, {oz}) of {of} dispatch",
                job.name
            )));
        }
        job.space.restore(&self.memory)?;
        job.ticks.store(self.ticks, Relaxed);
        job.gws.set(&self.gws);
        workgroup.lds_mut().copy_from_slice(&self.lds);
        workgroup.idle_turns = self.idle_turns;
        for (wave, copy) in workgroup.waves.iter_mut().zip(&self.waves) {
            // What is counted is what the waves have booked.
            worker.guest_insts = worker.guest_insts - wave.used + copy.used;
            copy.restore(wave);
        }
        let code = workgroup.waves[self.at.wave].code(job).prepared().expect("snapshots are taken of interpreted code");
        worker.interp(code).set_position(&self.position);
        Ok(self.at)
    }
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
