//! A workgroup at one instruction, to go back to: what [`crate::dispatch::step::Step::snapshot`] copies and [`crate::dispatch::step::Action::Restore`] puts back.
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

use crate::dispatch::status::{Status, TurnAt};
use crate::memory::address_space::MemorySnapshot;
use crate::memory::gws::{Gws, Ticket};
use crate::program::Code;
use std::sync::Arc;
use wavejit_ir::interp::Position;
use wavejit_ir::{FpMode, SReg};

/// See the module.
pub struct Snapshot {
    /// Serial number of the dispatch.
    pub(crate) dispatch: u64,
    pub(crate) group: [u32; 3],
    pub(crate) at: TurnAt,
    pub(crate) pc: u64,
    pub(crate) position: Position,
    pub(crate) idle_turns: u32,
    pub(crate) waves: Vec<WaveCopy>,
    pub(crate) lds: Vec<u8>,
    pub(crate) memory: MemorySnapshot,
    pub(crate) ticks: u64,
    pub(crate) gws: Gws,
}

/// What changes of a wave while it runs.
pub(crate) struct WaveCopy {
    pub(crate) sregs: [u32; SReg::COUNT],
    pub(crate) registers: Vec<u32>,
    pub(crate) scratch: Vec<u32>,
    pub(crate) resume: u32,
    pub(crate) fuel: i64,
    pub(crate) given: i64,
    pub(crate) used: u64,
    pub(crate) status: Status,
    pub(crate) code: Option<Arc<Code>>,
    pub(crate) code_delta: u64,
    pub(crate) mode: FpMode,
    pub(crate) ticket: Option<Ticket>,
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
}
