//! The precise mode: a hook before every guest instruction, which reads the wave, and may stop the dispatch or go back in time.
//!
//! It needs `Engine::Interp`: compiled code keeps registers elsewhere between two suspensions. Waves run as without a hook: each to its
//! next barrier, sleep or end of its time slice, then the next one of its workgroup. [`Step::snapshot`] and [`Action::Restore`] are the
//! base of debuggers and replay; see [`crate::dispatch::snapshot`] for what they hold.

use crate::Error;
use crate::dispatch::snapshot::Snapshot;
use std::sync::Arc;
use wavejit_ir::SReg;
use wavejit_ir::abi::WaveState;

/// Called before every guest instruction (`Engine::Interp` only), by the thread that runs the workgroup.
pub type Hook<'a> = &'a (dyn Fn(&Step) -> Action + Sync);

/// What happens after a hook returned.
#[derive(Clone, Default)]
pub enum Action {
    /// The instruction runs.
    #[default]
    Continue,
    /// The workgroup is again what it was when the snapshot was taken, and the hook is called again for the instruction of the snapshot.
    /// A snapshot of another dispatch or workgroup is an [`Error::Arg`] of the launch.
    Restore(Arc<Snapshot>),
    /// The dispatch ends with an [`Error::Limit`] that says where.
    Stop,
}

/// The instruction a wave is about to run.
pub struct Step<'a> {
    /// Workgroup id.
    pub group: [u32; 3],
    /// Wave in the workgroup.
    pub wave: usize,
    /// Guest address of the instruction.
    pub pc: u64,
    /// The wave before it.
    pub state: &'a WaveState,
    pub(crate) parts: Parts<'a>,
}

/// What else can be seen of the wave and its workgroup.
pub(crate) struct Parts<'a> {
    /// Vector registers: `[register][lane]`.
    pub registers: &'a [u32],
    pub lds: &'a [u8],
    pub scratch: &'a [u32],
    /// MODE, float fields included.
    pub mode: u32,
    pub snapshot: &'a dyn Fn() -> Result<Snapshot, Error>,
}

impl Step<'_> {
    /// Scalar register `n`. Panics if `n` is above 105.
    pub fn sgpr(&self, n: u8) -> u32 {
        assert!(n < SReg::VCC_LO.0, "there are s0..s105");
        self.state.sregs[usize::from(n)]
    }

    /// Scalar register by name: `s5`, `vcc_lo`, `m0`, `exec_hi`, `scc`, `mode`, ...; `None` if there is none of that name.
    pub fn sreg(&self, name: &str) -> Option<u32> {
        let register = SReg::from_name(name)?;
        Some(if register == SReg::MODE { self.mode() } else { self.state.sregs[usize::from(register.0)] })
    }

    /// Vector register v`n`, lane by lane.
    pub fn vgpr(&self, n: u8) -> &[u32] {
        self.row(n.into())
    }

    /// Accumulation register a`n`, lane by lane.
    pub fn agpr(&self, n: u8) -> &[u32] {
        self.row(256 + usize::from(n))
    }

    fn row(&self, row: usize) -> &[u32] {
        let lanes = self.state.wave_size as usize;
        &self.parts.registers[row * lanes..][..lanes]
    }

    /// EXEC, lane 0 lowest; in wave32 the high half is 0.
    pub fn exec(&self) -> u64 {
        self.mask(SReg::EXEC_LO)
    }

    /// VCC, lane 0 lowest; in wave32 the high half is 0.
    pub fn vcc(&self) -> u64 {
        self.mask(SReg::VCC_LO)
    }

    fn mask(&self, low: SReg) -> u64 {
        let word = |i: u8| u64::from(self.state.sregs[usize::from(low.0 + i)]);
        word(0) | if self.state.wave_size == 64 { word(1) << 32 } else { 0 }
    }

    /// SCC.
    pub fn scc(&self) -> bool {
        self.state.sregs[usize::from(SReg::SCC.0)] != 0
    }

    /// MODE, float fields included, as s_getreg_b32 reads it.
    pub fn mode(&self) -> u32 {
        self.parts.mode
    }

    /// LDS of the workgroup.
    pub fn lds(&self) -> &[u8] {
        self.parts.lds
    }

    /// Scratch of the wave: `dword[index][lane]`.
    pub fn scratch(&self) -> &[u32] {
        self.parts.scratch
    }

    /// Copies the workgroup and guest memory as they are before this instruction, for [`Action::Restore`].
    ///
    /// Costs 64 KiB a wave (wave64: 128), LDS, scratch and all guest allocations of the device. An [`Error::Arg`] unless the device is
    /// `deterministic`: other threads change guest memory meanwhile.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, Error> {
        (self.parts.snapshot)().map(Arc::new)
    }
}
