//! One workgroup on its thread: its waves in turn, from barrier to barrier.
//!
//! Every wave runs until it suspends. At s_barrier it waits until all waves that have not ended are there. After s_sleep, or when its fuel
//! is used up, the next wave gets its turn. Waves, LDS and scratch are reused from workgroup to workgroup.
//!
//! A wave may find in its registers and its scratch what earlier waves of its dispatch left there, as on a chip, but nothing of another
//! dispatch: with the first wave of a dispatch that a slot runs, scratch and the registers that the code may read before it writes them
//! become zero ([`WaveSlot::forget`]). LDS is zero at the start of every workgroup.

use crate::Error;
use crate::address_space::AddressMode;
use crate::dispatch::Job;
use crate::memory::fault::enter;
use crate::memory::helpers;
use crate::memory::texture::SharedRoutines;
use crate::profile::WorkerCounters;
use crate::program::{Arrival, Body, Code, CodeKey};
use crate::report;
use crate::source::{StartRegisters, Unit, WorkSource};
use crate::wave::{Arena, WaveContext, blank_state};
use crate::wave_init::WavePlace;
use std::sync::Arc;
use wavejit_ir::abi::{Exit, TEMP_ROW, WaveState};
use wavejit_ir::interp::{Interp, Prepared};
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::Feature;
use wavejit_jit::opt::liveness::Rows;

/// Guest instructions a wave runs before others get their turn.
const SLICE: i64 = 1 << 16;
/// Guest instructions before cancellation is looked at: compiled ones, and interpreted ones, after which there may be compiled code.
const QUANTUM: i64 = 1 << 13;
const INTERPRETED_QUANTUM: i64 = 1 << 11;
/// Interpreted guest instructions before cancellation is looked at, whatever they are.
const STEPS: u32 = 256;

/// Room for [`WaveSlot::stagger`].
const STAGGER: usize = 4096;

/// Scratch that a wave's slot keeps between dispatches at most.
const KEPT_SCRATCH_BYTES: usize = 256 << 10;

/// Where a wave is between two entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// May run.
    Ready,
    /// At a barrier.
    Barrier,
    /// In global wave sync, with a ticket.
    Gws,
    Ended,
}

/// A wave and its storage.
pub(crate) struct WaveSlot {
    pub state: Box<WaveState>,
    pub ctx: Box<WaveContext>,
    rows: Arena,
    /// Where the row file starts in `rows`, in bytes: files of neighboring waves that started at equal page offsets would fight for the
    /// same few sets of the first-level cache.
    stagger: usize,
    scratch: Arena,
    /// The dispatch whose data may be in registers and scratch; 0: none.
    owner: u64,
    /// Bytes of scratch that waves have had.
    scratch_used: usize,
    /// Code it went on to; `None`: the kernel's entry.
    pub code: Option<Arc<Code>>,
    pub status: Status,
    /// How often it has asked whether it may go on (global wave sync): that uses its budget as running does.
    asked: u64,
    /// Work-item ids as the wave starts with them, and what they belong to: most workgroups of a dispatch have the same.
    ids: Vec<u32>,
    ids_of: (u64, [u32; 3], u32),
    /// Guest instructions run in earlier slices.
    pub used: u64,
    /// Fuel it was given for this slice.
    pub given: i64,
}

/// How a turn of all waves ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// All waves ended.
    Done,
    /// Some wave ended or passed a barrier.
    Progress,
    /// All waves that could run came back asking for time: from s_sleep (true if any), or out of fuel.
    Waiting { slept: bool },
}

/// Where a turn of all waves is.
#[derive(Clone, Copy, Default)]
pub(crate) struct TurnAt {
    /// Whose turn it is.
    pub wave: usize,
    /// Some wave ended or reached a barrier.
    progress: bool,
    /// Some wave came to s_sleep.
    slept: bool,
}

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
    /// Workgroup id.
    pub id: [u32; 3],
    /// Its index in the source of the dispatch.
    pub index: u64,
    /// Turns without progress, for the scheduler.
    pub idle_turns: u32,
}

/// What a thread keeps while it runs workgroups of one dispatch.
pub(crate) struct WorkerState {
    pub waves: u64,
    pub workgroups: u64,
    pub guest_insts: u64,
    /// Of these, those that whoever watches has been told of.
    pub noted_insts: u64,
    /// Why a wave failed ([`Ran::Failed`]).
    error: Option<Error>,
    /// Where a restored snapshot leads to ([`Ran::Back`]).
    back: TurnAt,
    /// Where the code of a profiled dispatch counts.
    pub counters: Option<Box<WorkerCounters>>,
    /// The interpreter, as the code left it that was interpreted last.
    interp: Option<Interp>,
    /// For new waves.
    routines: SharedRoutines,
}

impl WaveSlot {
    fn new(job: &Job, index: usize, routines: &SharedRoutines) -> WaveSlot {
        let mut ctx = WaveContext::new(job.init.target);
        ctx.routines = routines.clone();
        WaveSlot {
            state: blank_state(),
            ctx,
            rows: Arena::default(),
            stagger: index * 13 * 64 % STAGGER,
            scratch: Arena::default(),
            owner: 0,
            scratch_used: 0,
            code: None,
            status: Status::Ended,
            asked: 0,
            ids: Vec::new(),
            ids_of: (0, [0; 3], 0),
            used: 0,
            given: 0,
        }
    }

    /// Storage for `temp_rows`, contents kept.
    fn make_rows(&mut self, temp_rows: u32) -> Result<(), Error> {
        let start = self.rows.at_least(self.arena_bytes(temp_rows))?;
        // SAFETY: the arena has `STAGGER` bytes more than the rows.
        self.state.rows = unsafe { start.add(self.stagger) }.cast();
        self.ctx.rows = u32::from(TEMP_ROW) + temp_rows;
        Ok(())
    }

    fn arena_bytes(&self, temp_rows: u32) -> usize {
        (usize::from(TEMP_ROW) + temp_rows as usize) * self.state.wave_size as usize * 4 + STAGGER
    }

    fn start(&mut self, job: &Job, place: &WavePlace, number: u64, lds: *mut u8) -> Result<(), Error> {
        let init = &job.init;
        let s = &mut *self.state;
        s.wave_size = init.wave_size;
        s.helpers = helpers::table();
        (s.mem_base, s.mem_low, s.mem_size) = (job.space.mem_base(), job.space.mem_low(), job.space.mem_size());
        s.lds = lds;
        s.ctx = (&raw mut *self.ctx).cast();
        self.ctx.mode = init.mode;
        self.ctx.target = init.target;
        self.ctx.wave = place.wave;
        self.ctx.group = number;
        self.ctx.clock = job.clock();
        self.ctx.textures = job.textures;
        (self.ctx.gws, self.ctx.ticket, self.asked) = (&job.gws, None, 0);
        self.make_rows(job.code.temp_rows)?;
        if self.owner != job.serial {
            self.forget(job);
        }
        let scratch_bytes = job.scratch.wave_bytes();
        if scratch_bytes != 0 {
            self.state.scratch = self.scratch.at_least(scratch_bytes)?;
            self.scratch_used = self.scratch_used.max(scratch_bytes);
        }
        if job.device.deterministic {
            let bytes = self.arena_bytes(job.code.temp_rows);
            self.rows.bytes_mut(bytes).fill(0);
            self.scratch.zero(scratch_bytes);
        }
        let of = (job.serial, place.extent, place.wave);
        if self.ids_of != of {
            self.ids.resize(3 * init.wave_size as usize, 0);
            init.write_vgprs(place, &mut self.ids);
            self.ids_of = of;
        }
        let rows = if init.target.has(Feature::PackedWorkItemIds) { 1 } else { 3 };
        let s = &mut *self.state;
        // SAFETY: the row file has `TEMP_ROW` rows at least, `ids` three.
        unsafe { std::ptr::copy_nonoverlapping(self.ids.as_ptr(), s.rows, rows * init.wave_size as usize) };
        init.write_sregs(place, &mut s.sregs);
        (s.resume, s.code_delta) = (0, job.code.delta(init.entry));
        (s.lds_bytes, s.scratch_bytes) = (init.allocated_lds(), job.scratch.lane_bytes());
        self.code = None;
        self.status = Status::Ready;
        self.used = 0;
        self.refuel(job);
        Ok(())
    }

    /// Clears what the dispatch's waves could see of an earlier one. Code that a wave goes on to later needs no more: an entry from which it
    /// can leave the function counts all registers as read.
    #[cold]
    fn forget(&mut self, job: &Job) {
        if std::mem::replace(&mut self.owner, job.serial) == 0 || job.space.mode() == AddressMode::Shared {
            return;
        }
        // A hook sees registers that the wave does not have.
        let limit = if job.config().hook.is_some() { Rows::ALL } else { job.init.registers() };
        let lanes = self.state.wave_size as usize;
        for (first, count) in job.code.read_first.within(&limit).runs() {
            self.registers_mut()[usize::from(first) * lanes..][..usize::from(count) * lanes].fill(0);
        }
        self.scratch.zero(self.scratch_used.min(job.scratch.wave_bytes()));
    }

    /// Runs to the next exit, but not for long: [`Exit::Fuel`] with fuel left is not the end of the slice. None if the dispatch stops.
    fn run(&mut self, job: &Job, worker: &mut WorkerState) -> Option<Exit> {
        let code = self.code.as_ref().unwrap_or(&job.code);
        match &code.body {
            Body::Jit(code) => {
                let later = self.state.fuel - self.state.fuel.min(QUANTUM);
                self.state.fuel -= later;
                // SAFETY: `start` and `go_to` made the state complete for this code, which `self.code` or `job` keeps alive.
                let exit = unsafe { enter(code.entry(), &mut *self.state) };
                self.state.fuel += later;
                Some(Exit::from_u32(exit).unwrap_or_else(|| panic!("compiled code returns exits, not {exit}")))
            }
            Body::Interp(prepared) => {
                let given = self.state.fuel.min(INTERPRETED_QUANTUM);
                let later = self.state.fuel - given;
                self.state.fuel = given;
                let interp = worker.interp(prepared);
                let exit = loop {
                    // SAFETY: as above.
                    match unsafe { interp.run_some(&mut self.state, STEPS) } {
                        None if job.check_stop().is_err() => {
                            interp.forget();
                            return None;
                        }
                        None => {}
                        exit => break exit,
                    }
                };
                code.add_heat(u64::try_from(given - self.state.fuel).unwrap_or(0));
                self.state.fuel += later;
                exit
            }
        }
    }

    /// Shows the code that it runs where to count.
    fn count_in(&mut self, job: &Job, counters: &mut WorkerCounters) {
        let code = self.code.as_ref().unwrap_or(&job.code);
        self.state.counters = counters.of(code, self.state.code_delta);
    }

    /// Gives fuel for a slice, or what is left of the budget.
    fn refuel(&mut self, job: &Job) {
        let max_insts = job.config().max_insts;
        let left = if max_insts == 0 { i64::MAX } else { i64::try_from(max_insts - self.used.min(max_insts)).unwrap_or(i64::MAX) };
        self.given = left.min(SLICE);
        self.state.fuel = self.given;
    }

    /// Books what the slice used.
    fn book(&mut self) {
        self.used += u64::try_from(self.given.saturating_sub(self.state.fuel)).unwrap_or(0);
        self.given = self.state.fuel;
    }

    pub fn code<'a>(&'a self, job: &'a Job) -> &'a Code {
        self.code.as_ref().unwrap_or(&job.code)
    }

    /// The rows of VGPRs and AGPRs.
    pub fn registers(&self) -> &[u32] {
        // SAFETY: `make_rows` made `TEMP_ROW` rows and more; only the wave's own thread writes them, through `&mut self`.
        unsafe { std::slice::from_raw_parts(self.state.rows, self.register_words()) }
    }

    pub fn registers_mut(&mut self) -> &mut [u32] {
        // SAFETY: as for `registers`.
        unsafe { std::slice::from_raw_parts_mut(self.state.rows, self.register_words()) }
    }

    /// What a source may change before the wave starts.
    #[inline(always)]
    fn start_registers(&mut self) -> StartRegisters<'_> {
        let words = self.register_words();
        // SAFETY: as for `registers`.
        let rows = unsafe { std::slice::from_raw_parts_mut(self.state.rows, words) };
        StartRegisters { sregs: &mut self.state.sregs, rows }
    }

    fn register_words(&self) -> usize {
        usize::from(TEMP_ROW) * self.state.wave_size as usize
    }

    /// `dword[index][lane]`.
    pub fn scratch(&self) -> &[u32] {
        match self.scratch_words() {
            0 => &[],
            // SAFETY: `start` made room for this many, page-aligned; only the wave's own thread writes them, through `&mut self`.
            words => unsafe { std::slice::from_raw_parts(self.state.scratch.cast(), words) },
        }
    }

    pub fn scratch_mut(&mut self) -> &mut [u32] {
        match self.scratch_words() {
            0 => &mut [],
            // SAFETY: as for `scratch`.
            words => unsafe { std::slice::from_raw_parts_mut(self.state.scratch.cast(), words) },
        }
    }

    fn scratch_words(&self) -> usize {
        self.state.scratch_bytes as usize / 4 * self.state.wave_size as usize
    }

    /// Guest address and float mode where a suspended wave goes on.
    pub fn resume_at(&self, job: &Job) -> (u64, FpMode) {
        let (pc, mode) = self.code(job).resume_at(self.state.resume);
        (pc.wrapping_add(self.state.code_delta), mode)
    }

    /// Goes on at another entry.
    fn go_to(&mut self, job: &Job, pc: u64, mode: FpMode) -> Result<(), Error> {
        let key = CodeKey { entry: pc, mode, ..job.code_key() };
        let code = job.program.code(&job.name, key, Arrival::Jump, &|| job.check_stop().is_err())?;
        self.enter(code, pc, mode)
    }

    /// Goes on in compiled code, if there is such by now, where interpreted code has been suspended.
    fn go_on_compiled(&mut self, job: &Job) -> Result<(), Error> {
        let (pc, mode) = self.resume_at(job);
        let key = CodeKey { entry: pc, mode, ..job.code_key() };
        match job.program.hot_code(&job.name, key, self.code(job), &|| job.check_stop().is_err())? {
            Some(code) => self.enter(code, pc, mode),
            None => Ok(()),
        }
    }

    /// Goes on at the entry of `code`, which is at `pc`.
    fn enter(&mut self, code: Arc<Code>, pc: u64, mode: FpMode) -> Result<(), Error> {
        let old = self.state.rows;
        let len = usize::from(TEMP_ROW) * self.state.wave_size as usize;
        if self.rows.holds(self.arena_bytes(code.temp_rows)) {
            self.make_rows(code.temp_rows)?;
        } else {
            // SAFETY: the old file has `TEMP_ROW` rows; it is copied before it is replaced.
            let saved = unsafe { std::slice::from_raw_parts(old, len) }.to_vec();
            self.make_rows(code.temp_rows)?;
            // SAFETY: so has the new one.
            unsafe { std::ptr::copy_nonoverlapping(saved.as_ptr(), self.state.rows, len) };
        }
        self.ctx.mode = mode;
        self.state.resume = 0;
        self.state.code_delta = code.delta(pc);
        self.code = Some(code);
        Ok(())
    }
}

impl Workgroup {
    /// Makes the waves of unit `index` of the source ready.
    pub fn start<S: WorkSource>(&mut self, job: &Job, source: &S, index: u64, worker: &mut WorkerState) -> Result<(), Error> {
        let Unit { id, extent, number } = source.unit(index);
        (self.id, self.index) = (id, index);
        self.count = job.init.waves(extent) as usize;
        self.idle_turns = 0;
        let lds_bytes = job.init.allocated_lds() as usize;
        let lds = self.lds.at_least(lds_bytes + 64)?;
        self.lds_bytes = lds_bytes;
        // Without LDS there is a page that nobody has touched, and clearing none of its bytes is a masked store to it, for which processors
        // take 100 ns.
        if lds_bytes != 0 {
            self.lds_mut().fill(0);
        }
        while self.waves.len() < self.count {
            let index = self.waves.len();
            self.waves.push(WaveSlot::new(job, index, &worker.routines));
        }
        for (i, wave) in self.waves[..self.count].iter_mut().enumerate() {
            // An SGPR has the low bits.
            let scratch_offset = (job.scratch.wave_bytes() * i) as u32;
            wave.start(job, &WavePlace { group: id, extent, wave: i as u32, scratch_offset }, number, lds)?;
            source.start_wave(index, i as u32, wave.start_registers());
        }
        worker.workgroups += 1;
        worker.waves += self.count as u64;
        Ok(())
    }

    /// Gives back what would be too much to keep for workgroups that may never come.
    pub fn trim(&mut self) {
        for wave in &mut self.waves {
            wave.scratch.trim(KEPT_SCRATCH_BYTES);
            wave.state.scratch_bytes = 0;
        }
    }

    /// Its LDS.
    pub fn lds(&self) -> &[u8] {
        self.lds.bytes(self.lds_bytes)
    }

    pub fn lds_mut(&mut self) -> &mut [u8] {
        self.lds.bytes_mut(self.lds_bytes)
    }

    /// Gives each wave that can run one turn.
    pub fn turn(&mut self, job: &Job, worker: &mut WorkerState) -> Result<Turn, Error> {
        // A loop of barriers uses little fuel.
        job.check_stop()?;
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
                match self.run_wave(at, job, worker) {
                    Ran::To(Exit::Yield) => at.slept = true,
                    Ran::To(Exit::Fuel) => {}
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
        let TurnAt { mut progress, slept, .. } = at;
        let waves = &mut self.waves[..self.count];
        if waves.iter().all(|w| w.status == Status::Ended) {
            return Ok(Turn::Done);
        }
        if waves.iter().all(|w| matches!(w.status, Status::Barrier | Status::Ended)) {
            waves.iter_mut().filter(|w| w.status == Status::Barrier).for_each(|w| w.status = Status::Ready);
            progress = true;
        }
        self.idle_turns = if progress { 0 } else { self.idle_turns + 1 };
        Ok(if progress { Turn::Progress } else { Turn::Waiting { slept } })
    }

    /// Runs a wave to its next suspension: End, Barrier, Yield or Fuel.
    fn run_wave(&mut self, at: TurnAt, job: &Job, worker: &mut WorkerState) -> Ran {
        let i = at.wave;
        loop {
            if let Some(counters) = &mut worker.counters {
                self.waves[i].count_in(job, counters);
            }
            let exit = match job.config().hook {
                None => match self.waves[i].run(job, worker) {
                    Some(exit) => exit,
                    None => return worker.fail(job.stopped()),
                },
                Some(hook) => match self.run_stepwise(at, job, worker, hook) {
                    Ran::To(exit) => exit,
                    other => return other,
                },
            };
            let wave = &mut self.waves[i];
            let before = wave.used;
            wave.book();
            worker.guest_insts += wave.used - before;
            match exit {
                // Straight-line code has no loop header to stop at.
                Exit::End if job.config().max_insts == 0 || wave.used <= job.config().max_insts => {
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
    fn after(&mut self, exit: Exit, i: usize, job: &Job) -> Result<Option<Exit>, Error> {
        let wave = &mut self.waves[i];
        match exit {
            Exit::End => {
                let waiting = self.describe(job);
                Err(report::budget(job, self.id, i, &waiting))
            }
            Exit::Barrier => Ok(Some(exit)),
            Exit::Fuel if wave.state.fuel > 0 => {
                job.check_stop()?;
                if wave.code(job).is_hot() {
                    wave.go_on_compiled(job)?;
                }
                Ok(None)
            }
            Exit::Yield | Exit::Fuel => {
                job.check_stop()?;
                if wave.ctx.ticket.is_some() {
                    wave.status = Status::Gws;
                }
                self.check_budget(job, i)?;
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
    fn ask_again(&mut self, i: usize, job: &Job) -> Result<bool, Error> {
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
        self.check_budget(job, i)?;
        Ok(Some(Exit::Fuel))
    }

    /// Where each wave that has not ended is.
    fn describe(&self, job: &Job) -> Vec<(usize, Status, u64)> {
        let live = self.waves[..self.count].iter().enumerate().filter(|(_, w)| w.status != Status::Ended);
        live.map(|(i, w)| (i, w.status, w.resume_at(job).0)).collect()
    }
}

impl WorkerState {
    /// Nothing so far.
    pub fn new(routines: &SharedRoutines, is_profiled: bool) -> WorkerState {
        let counters = is_profiled.then(Box::default);
        let (error, back, interp) = (None, TurnAt::default(), None);
        WorkerState { waves: 0, workgroups: 0, guest_insts: 0, noted_insts: 0, error, back, counters, interp, routines: routines.clone() }
    }

    /// Notes why a wave failed.
    #[cold]
    pub fn fail(&mut self, e: Error) -> Ran {
        self.error = Some(e);
        Ran::Failed
    }

    /// Notes where a workgroup goes back to.
    pub fn go_back(&mut self, to: TurnAt) -> Ran {
        self.back = to;
        Ran::Back
    }

    /// The interpreter, ready for this code.
    pub fn interp(&mut self, code: &Arc<Prepared>) -> &mut Interp {
        let interp = self.interp.get_or_insert_with(|| Interp::of(code.clone()));
        if !interp.is_at(code) {
            interp.switch_to(code);
        }
        interp
    }
}
