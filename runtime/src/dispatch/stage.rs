//! Stages of draws: waves that start with registers and LDS that a [`StageSource`] writes, and whose exports it takes.

use crate::dispatch::slot::WaveSlot;
use crate::dispatch::source::{StartRegisters, Taken, Unit, WorkSource};
use crate::memory::exports::WaveExports;
use wavejit_ir::SReg;

/// Workgroups of a stage by number. Every number that [`StageSource::take`] gives out is started once and, unless the stage fails, ended once. The
/// waves of a workgroup without barriers run one after the other, each to its end, and all of a workgroup on one thread.
pub trait StageSource: Send + Sync {
    /// Work for a thread that has none.
    fn take(&self) -> Taken;

    /// Waves of a workgroup: at least 1, at most [`StageLaunch::group_waves`](crate::StageLaunch).
    fn waves(&self, group: u64) -> u32;

    /// Writes what a wave starts with beside what [`StageLaunch::init`](crate::StageLaunch) says. It writes the same registers for every wave: others
    /// hold anything of earlier waves of the stage.
    fn start_wave(&self, group: u64, wave: u32, start: &mut WaveStart<'_>);

    /// Writes what all waves of a workgroup start with: by [`StageSource::start_wave`], unless a source has a shorter way.
    fn start_group(&self, group: u64, start: &mut GroupStart<'_>) {
        (0..start.waves()).for_each(|wave| self.start_wave(group, wave, &mut start.wave(wave)));
    }

    /// May a workgroup find in its LDS what earlier ones of the stage left there? Otherwise its first wave finds zeros.
    fn keeps_lds(&self) -> bool {
        false
    }

    /// All waves of a workgroup have ended.
    fn end(&self, group: u64, exports: &GroupExports<'_>);

    /// Threads for which there is work at the start, at most so many.
    fn workers(&self, most: usize) -> usize {
        most
    }
}

/// The waves of a workgroup that is about to start.
pub struct GroupStart<'a> {
    waves: &'a mut [WaveSlot],
    lds: &'a mut [u8],
}

impl GroupStart<'_> {
    /// Waves of the workgroup.
    pub fn waves(&self) -> u32 {
        self.waves.len() as u32
    }

    /// One of them.
    ///
    /// # Panics
    /// If there is no such wave.
    #[inline]
    pub fn wave(&mut self, wave: u32) -> WaveStart<'_> {
        WaveStart { registers: self.waves[wave as usize].start_registers(), lds: self.lds }
    }
}

/// Registers of a wave that is about to start, and the LDS of its workgroup.
pub struct WaveStart<'a> {
    registers: StartRegisters<'a>,
    lds: &'a mut [u8],
}

impl WaveStart<'_> {
    /// Sets s`first` and those after it.
    ///
    /// # Panics
    /// If they go beyond s105.
    #[inline]
    pub fn set_sgprs(&mut self, first: usize, values: &[u32]) {
        let sgprs = &mut self.registers.sregs[..usize::from(SReg::VCC_LO.0)];
        sgprs[first..first + values.len()].copy_from_slice(values);
    }

    /// Sets M0.
    pub fn set_m0(&mut self, value: u32) {
        self.registers.sregs[usize::from(SReg::M0.0)] = value;
    }

    /// Sets EXEC, which is all lanes otherwise. In wave32 the low half counts.
    #[inline]
    pub fn set_exec(&mut self, lanes: u64) {
        self.registers.sregs[usize::from(SReg::EXEC_LO.0)] = lanes as u32;
        self.registers.sregs[usize::from(SReg::EXEC_HI.0)] = if self.registers.lanes == 64 { (lanes >> 32) as u32 } else { 0 };
    }

    /// v`register`: a dword for each lane.
    ///
    /// # Panics
    /// If there are not so many VGPRs.
    #[inline]
    pub fn vgpr(&mut self, register: usize) -> &mut [u32] {
        let lanes = self.registers.lanes;
        assert!(register < 256, "v{register}: there are 256 VGPRs");
        &mut self.registers.rows[register * lanes..][..lanes]
    }

    /// Lanes of the wave.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.registers.lanes
    }

    /// LDS of the workgroup, which its first wave finds zero, unless [`StageSource::keeps_lds`] says otherwise.
    #[inline]
    pub fn lds(&mut self) -> &mut [u8] {
        self.lds
    }
}

/// What the waves of a workgroup have exported.
pub struct GroupExports<'a> {
    waves: &'a [WaveSlot],
}

impl<'a> GroupExports<'a> {
    /// Waves of the workgroup.
    pub fn waves(&self) -> usize {
        self.waves.len()
    }

    /// What a wave has exported.
    ///
    /// # Panics
    /// If there is no such wave.
    pub fn wave(&self, wave: usize) -> WaveExports<'a> {
        WaveExports::of(&self.waves[wave].ctx.exports)
    }
}

/// A stage as the source of a dispatch.
pub(crate) struct Stage {
    source: *const dyn StageSource,
    lanes: u32,
}

// SAFETY: the source is `Sync`; it is there as long as threads use it, as `new` was promised.
unsafe impl Send for Stage {}
// SAFETY: as above.
unsafe impl Sync for Stage {}

impl Stage {
    /// The units of a source, for waves of so many lanes.
    ///
    /// # Safety
    /// `source` is there as long as any function of the result is called.
    pub(crate) unsafe fn new(source: &dyn StageSource, lanes: u32) -> Stage {
        // SAFETY: only the lifetime changes, for which the caller answers.
        let source = unsafe { std::mem::transmute::<*const dyn StageSource, *const (dyn StageSource + 'static)>(source) };
        Stage { source, lanes }
    }

    fn source(&self) -> &dyn StageSource {
        // SAFETY: see `new`.
        unsafe { &*self.source }
    }
}

impl WorkSource for Stage {
    const IS_STAGE: bool = true;

    fn take(&self, _thread: usize, _has_waiting: bool) -> Taken {
        self.source().take()
    }

    fn unit(&self, index: u64) -> Unit {
        let items = self.source().waves(index) * self.lanes;
        Unit { id: [index as u32, 0, 0], extent: [items, 1, 1], number: index }
    }

    fn start_waves(&self, index: u64, waves: &mut [WaveSlot], lds: &mut [u8]) {
        self.source().start_group(index, &mut GroupStart { waves, lds });
    }

    fn keeps_lds(&self) -> bool {
        self.source().keeps_lds()
    }

    fn end(&self, index: u64, waves: &[WaveSlot]) {
        self.source().end(index, &GroupExports { waves });
    }

    fn known(&self) -> u64 {
        0
    }

    fn workers(&self, most: usize) -> usize {
        self.source().workers(most)
    }
}
