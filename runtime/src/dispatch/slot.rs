//! A wave and its storage: registers, scratch, and the code that it is in.
//!
//! Where one wave of a dispatch follows another in a slot most registers are as the new one needs them: it is given those that the code may
//! have changed and may look at ([`Code::spoiled_sregs`]), and the ids of its workgroup.
//!
//! A wave may find in its registers and its scratch what earlier waves of its dispatch left there, as on a chip, but nothing of another
//! dispatch: with the first wave of a dispatch that a slot runs, scratch and the registers that the code may read before it writes them
//! become zero ([`WaveSlot::forget`]).

use crate::Error;
use crate::dispatch::arena::Arena;
use crate::dispatch::job::Job;
use crate::dispatch::profile::WorkerCounters;
use crate::dispatch::source::StartRegisters;
use crate::dispatch::status::Status;
use crate::dispatch::wave_init::WavePlace;
use crate::memory::address_space::AddressMode;
use crate::memory::context::{SharedRoutines, WaveContext, blank_state};
use crate::memory::fault::enter;
use crate::memory::helpers;
use crate::program::{Arrival, Body, Code, CodeKey};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use wavejit_ir::abi::{Exit, TEMP_ROW, WaveState, reach};
use wavejit_ir::interp::{Interp, Prepared};
use wavejit_ir::{FpMode, SReg};
use wavejit_jit::opt::liveness::Rows;

/// Guest instructions a wave runs before others get their turn.
const SLICE: i64 = 1 << 16;
/// Guest instructions before cancellation is looked at: compiled ones, and interpreted ones, after which there may be compiled code.
pub(super) const QUANTUM: i64 = 1 << 13;
const INTERPRETED_QUANTUM: i64 = 1 << 11;
/// Interpreted guest instructions before it is asked whether code is hot, at least.
const LEAST_INTERPRETED: i64 = 1 << 6;
/// A wave in the middle of code that is hot goes on compiled if it has run one in so many of the instructions that made it hot.
const SHARE: u64 = 4;
/// Interpreted guest instructions before cancellation is looked at, whatever they are.
const STEPS: u32 = 256;

/// Room for [`WaveSlot::stagger`].
const STAGGER: usize = 4096;

/// Scalar registers that are restored one by one; of more it is less to copy all.
const FEW: usize = 24;

/// Scratch that a wave's slot keeps between dispatches at most.
const KEPT_SCRATCH_BYTES: usize = 256 << 10;

/// Where a workgroup starts.
pub(super) struct StartPlace {
    /// Its id.
    pub group: [u32; 3],
    /// Work-items in each dimension.
    pub extent: [u32; 3],
    pub lds: *mut u8,
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
    pub asked: u64,
    /// What it starts with in most workgroups of a dispatch.
    first: FirstRegisters,
    /// Guest instructions run in earlier slices.
    pub used: u64,
    /// Fuel it was given for this slice.
    pub given: i64,
    /// Of that, what compiled code does not get at once.
    kept: i64,
}

/// Registers as the wave of a slot starts with them, in all workgroups of one extent.
struct FirstRegisters {
    /// Serial of the dispatch, extent of the workgroup ([`extent_key`]).
    of: (u64, u64),
    /// But for the workgroup's ids.
    sregs: [u32; SReg::COUNT],
    /// Those that a wave has to be given anew, by number, with their values; `None`: all, since they are many.
    given: Option<Vec<(u8, u32)>>,
    /// Work-item ids.
    ids: Vec<u32>,
    /// Which of their rows a wave has to be given anew.
    id_rows: [bool; 3],
}

impl Default for FirstRegisters {
    fn default() -> FirstRegisters {
        FirstRegisters { of: (0, 0), sregs: [0; SReg::COUNT], given: None, ids: Vec::new(), id_rows: [false; 3] }
    }
}

/// Makes waves new ones that differ from those before in what `write` writes.
///
/// # Safety
/// The states are there, and nobody uses them.
#[inline(always)]
unsafe fn restart_each(states: &[*mut WaveState], write: impl Fn(&mut WaveState)) {
    for state in states {
        // SAFETY: passed on.
        let state = unsafe { &mut **state };
        (state.resume, state.fuel) = (0, QUANTUM);
        write(state);
    }
}

/// The extent of a workgroup, which has 2^20 work-items at most, in one register: three words that have just been written apart are slow to
/// compare, since that reads them together.
#[inline(always)]
fn extent_key([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) | u64::from(y) << 21 | u64::from(z) << 42
}

impl WaveSlot {
    pub(super) fn new(job: &Job, index: usize, routines: &SharedRoutines, group: &Arc<AtomicU64>) -> WaveSlot {
        let mut ctx = WaveContext::new(job.init.target);
        (ctx.routines, ctx.group) = (routines.clone(), group.clone());
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
            first: FirstRegisters::default(),
            used: 0,
            given: 0,
            kept: 0,
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

    /// Makes it the wave of this number in a workgroup.
    #[inline(always)]
    pub(super) fn start(&mut self, job: &Job, place: &StartPlace, wave: usize) -> Result<(), Error> {
        if self.can_restart(job, place.extent) {
            self.restore();
        } else {
            self.prepare(job, place, wave)?;
        }
        self.enter_group(job, place);
        self.begin(job);
        Ok(())
    }

    /// May it start with what the wave before it left?
    #[inline(always)]
    pub(super) fn can_restart(&self, job: &Job, extent: [u32; 3]) -> bool {
        self.first.of == (job.serial, extent_key(extent)) && self.code.is_none() && job.keeps_registers
    }

    /// Makes it the next wave, where the last one left a slot that [can restart](WaveSlot::can_restart), as far as compiled code looks at it: for
    /// all else there is [`WaveSlot::begin`]. Stores are what a wave that does little takes its time for.
    #[inline(always)]
    pub(super) fn restart(&mut self, job: &Job, place: &StartPlace) {
        self.restore();
        self.enter_group(job, place);
        self.state.fuel = QUANTUM;
    }

    /// What is the workgroup's.
    #[inline(always)]
    fn enter_group(&mut self, job: &Job, place: &StartPlace) {
        let s = &mut *self.state;
        job.init.write_group(&job.facts, place.group, &mut s.sregs);
        if s.lds != place.lds {
            s.lds = place.lds;
        }
        if s.resume != 0 {
            s.resume = 0;
        }
        if self.ctx.ticket.is_some() {
            self.ctx.ticket = None;
        }
    }

    /// Makes it the wave of the workgroup behind, which is like the one before but for the x of its id, where all waves have come to their ends as
    /// [restarted](WaveSlot::restart) ones.
    #[inline(always)]
    pub(super) fn restart_beside(&mut self, job: &Job, group: [u32; 3]) {
        self.restore();
        job.init.write_group(&job.facts, group, &mut self.state.sregs);
        (self.state.resume, self.state.fuel) = (0, QUANTUM);
    }

    /// The same for waves' states of which nothing [is spoiled](WaveSlot::is_whole), where such registers hold the x. The waves may do so little that
    /// this is what they take their time for.
    ///
    /// # Safety
    /// The states are there, and nobody uses them.
    #[inline(always)]
    pub(super) unsafe fn restart_whole(states: &[*mut WaveState], [first, second]: [Option<SReg>; 2], x: u32) {
        // SAFETY: passed on, for each of the calls.
        unsafe {
            match (first, second) {
                (None, None) => restart_each(states, |_| ()),
                (Some(only), None) | (None, Some(only)) => restart_each(states, |state| state.sregs[usize::from(only.0)] = x),
                (Some(a), Some(b)) => {
                    restart_each(states, |state| [a, b].into_iter().for_each(|r| state.sregs[usize::from(r.0)] = x));
                }
            }
        }
    }

    /// Does the code leave all registers alone that a wave starts with, the ids of its workgroup aside?
    pub(super) fn is_whole(&self) -> bool {
        self.first.given.as_ref().is_some_and(Vec::is_empty) && self.first.id_rows == [false; 3]
    }

    /// A wave that is about to run for the first time.
    fn begin(&mut self, job: &Job) {
        self.status = Status::Ready;
        (self.asked, self.used) = (0, 0);
        self.refuel(job);
    }

    /// Sets what [`WaveSlot::restart`] has not, after compiled code had its turn with the wave, or has not come to it.
    #[cold]
    pub(super) fn begin_late(&mut self, job: &Job) {
        let left = self.state.fuel;
        self.begin(job);
        self.ration();
        self.state.fuel = left;
    }

    /// Guest instructions of waves that were restarted and have ended.
    ///
    /// # Safety
    /// The states are there, and nobody uses them.
    #[inline(always)]
    pub(super) unsafe fn restarted_insts(states: &[*mut WaveState]) -> u64 {
        // SAFETY: passed on.
        let left = states.iter().fold(0i64, |left, state| left.wrapping_add(unsafe { (**state).fuel }));
        WaveSlot::insts(states.len() as u64, left)
    }

    /// Guest instructions of so many restarted waves that have ended, by what is left of their fuel.
    #[inline(always)]
    pub(super) fn insts(waves: u64, fuel_left: i64) -> u64 {
        (QUANTUM * waves as i64 - fuel_left) as u64
    }

    /// Gives a wave the registers that the one before it may have changed and that it may look at.
    #[inline(always)]
    fn restore(&mut self) {
        let s = &mut *self.state;
        match &self.first.given {
            Some(given) => given.iter().for_each(|&(r, value)| s.sregs[usize::from(r)] = value),
            None => s.sregs = self.first.sregs,
        }
        self.restore_ids();
    }

    /// Writes the rows of work-item ids that it has to be given.
    #[inline(always)]
    fn restore_ids(&mut self) {
        let s = &mut *self.state;
        let lanes = s.wave_size as usize;
        for row in 0..self.first.id_rows.len() {
            if self.first.id_rows[row] {
                // SAFETY: the row file has `TEMP_ROW` rows at least, `ids` three of so many lanes; a wave has 32 or 64.
                unsafe {
                    let (from, to) = (self.first.ids.as_ptr().add(row * lanes), s.rows.add(row * lanes));
                    to.cast::<[u32; 32]>().copy_from_nonoverlapping(from.cast(), 1);
                    if lanes == 64 {
                        to.add(32).cast::<[u32; 32]>().copy_from_nonoverlapping(from.add(32).cast(), 1);
                    }
                }
            }
        }
    }

    /// Sets what the waves of this slot have in common in all workgroups of one extent, as long as they stay in the kernel's code.
    #[cold]
    fn prepare(&mut self, job: &Job, &StartPlace { group, extent, .. }: &StartPlace, wave: usize) -> Result<(), Error> {
        let init = &job.init;
        // An SGPR has the low bits.
        let scratch_offset = (job.scratch.wave_bytes() * wave) as u32;
        let place = &WavePlace { group, extent, wave: wave as u32, scratch_offset };
        let s = &mut *self.state;
        s.wave_size = init.wave_size;
        s.helpers = helpers::table();
        (s.mem_base, s.mem_low, s.mem_size) = (job.space.mem_base(), job.space.mem_low(), job.space.mem_size());
        s.mem_reach = reach(job.space.mem_size());
        s.ctx = (&raw mut *self.ctx).cast();
        self.ctx.target = init.target;
        (self.ctx.wave, self.ctx.mode) = (place.wave, init.mode);
        self.ctx.clock = job.clock();
        self.ctx.textures = job.textures;
        self.ctx.gws = &job.gws;
        self.ctx.exports.ignore();
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
        let s = &mut *self.state;
        s.code_delta = job.code.delta(init.entry);
        (s.lds_bytes, s.scratch_bytes) = (job.facts.lds_bytes, job.scratch.lane_bytes());
        self.code = None;
        let first = &mut self.first;
        first.of = (job.serial, extent_key(place.extent));
        init.first_sregs(&job.facts, place, &mut first.sregs);
        let spoiled = &job.code.spoiled_sregs;
        let given = || spoiled.iter().map(|r| (r.0, first.sregs[usize::from(r.0)])).collect();
        first.given = (spoiled.len() <= FEW).then(given);
        first.ids.resize(3 * init.wave_size as usize, 0);
        init.write_vgprs(place, &mut first.ids);
        // Who looks at every instruction sees the others too.
        let is_watched = job.config().hook.is_some();
        first.id_rows = std::array::from_fn(|row| row < job.facts.id_rows && (is_watched || job.code.read_first.has(row as u16)));
        self.state.sregs = first.sregs;
        self.restore_ids();
        for (row, is_given) in self.first.id_rows.iter_mut().enumerate() {
            *is_given &= job.code.spoiled_rows.has(row as u16);
        }
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
    pub(super) fn run(&mut self, job: &Job, interp: &mut Option<Interp>) -> Option<Exit> {
        let code = self.code.as_ref().unwrap_or(&job.code);
        match &code.body {
            Body::Jit(code) => {
                let entry = code.entry();
                self.ration();
                // SAFETY: `start` and `go_to` made the state complete for this code, which `self.code` or `job` keeps alive.
                unsafe { enter(entry, &mut *self.state) };
                Some(self.came_back())
            }
            Body::Interp(prepared) => {
                let given = self.state.fuel.min(code.until_hot().clamp(LEAST_INTERPRETED, INTERPRETED_QUANTUM));
                let later = self.state.fuel - given;
                self.state.fuel = given;
                let interp = interp_of(interp, prepared);
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

    /// Keeps fuel back, so that compiled code returns soon enough to see a cancellation.
    pub(super) fn ration(&mut self) {
        self.kept = self.state.fuel - self.state.fuel.min(QUANTUM);
        self.state.fuel -= self.kept;
    }

    /// Undoes [`WaveSlot::ration`].
    pub(super) fn unration(&mut self) {
        self.state.fuel += std::mem::take(&mut self.kept);
    }

    /// Books the end of a wave that compiled code has run to it. How many guest instructions it was since the last booking.
    pub(super) fn end(&mut self) -> u64 {
        self.unration();
        self.status = Status::Ended;
        let before = self.used;
        self.book();
        self.used - before
    }

    /// After compiled code has run: how it came back, with all the fuel that it has left.
    pub(super) fn came_back(&mut self) -> Exit {
        self.unration();
        let exit = self.state.exit;
        Exit::from_u32(exit).unwrap_or_else(|| panic!("compiled code returns exits, not {exit}"))
    }

    /// Shows the code that it runs where to count.
    pub(super) fn count_in(&mut self, job: &Job, counters: &mut WorkerCounters) {
        let code = self.code.as_ref().unwrap_or(&job.code);
        self.state.counters = counters.of(code, self.state.code_delta);
    }

    /// Gives fuel for a slice, or what is left of the budget.
    pub(super) fn refuel(&mut self, job: &Job) {
        let max_insts = job.config().max_insts;
        let left = if max_insts == 0 { i64::MAX } else { i64::try_from(max_insts - self.used.min(max_insts)).unwrap_or(i64::MAX) };
        self.given = left.min(SLICE);
        self.state.fuel = self.given;
    }

    /// Has it run more instructions than it may?
    pub(super) fn is_over_budget(&self, job: &Job) -> bool {
        let max_insts = job.config().max_insts;
        max_insts != 0 && self.used > max_insts
    }

    /// Books what the slice used.
    pub(super) fn book(&mut self) {
        self.used += u64::try_from(self.given.saturating_sub(self.state.fuel)).unwrap_or(0);
        self.given = self.state.fuel;
    }

    pub(super) fn code<'a>(&'a self, job: &'a Job) -> &'a Code {
        self.code.as_ref().unwrap_or(&job.code)
    }

    /// The rows of VGPRs and AGPRs.
    pub(super) fn registers(&self) -> &[u32] {
        // SAFETY: `make_rows` made `TEMP_ROW` rows and more; only the wave's own thread writes them, through `&mut self`.
        unsafe { std::slice::from_raw_parts(self.state.rows, self.register_words()) }
    }

    pub(super) fn registers_mut(&mut self) -> &mut [u32] {
        // SAFETY: as for `registers`.
        unsafe { std::slice::from_raw_parts_mut(self.state.rows, self.register_words()) }
    }

    /// Gives back what would be too much to keep.
    pub(super) fn trim(&mut self) {
        self.scratch.trim(KEPT_SCRATCH_BYTES);
        self.state.scratch_bytes = 0;
    }

    /// What a source may change before the wave starts.
    #[inline(always)]
    pub(super) fn start_registers(&mut self) -> StartRegisters<'_> {
        let words = self.register_words();
        // SAFETY: as for `registers`.
        let rows = unsafe { std::slice::from_raw_parts_mut(self.state.rows, words) };
        StartRegisters { lanes: self.state.wave_size as usize, sregs: &mut self.state.sregs, rows }
    }

    fn register_words(&self) -> usize {
        usize::from(TEMP_ROW) * self.state.wave_size as usize
    }

    /// `dword[index][lane]`.
    pub(super) fn scratch(&self) -> &[u32] {
        match self.scratch_words() {
            0 => &[],
            // SAFETY: `start` made room for this many, page-aligned; only the wave's own thread writes them, through `&mut self`.
            words => unsafe { std::slice::from_raw_parts(self.state.scratch.cast(), words) },
        }
    }

    pub(super) fn scratch_mut(&mut self) -> &mut [u32] {
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
    pub(super) fn resume_at(&self, job: &Job) -> (u64, FpMode) {
        let (pc, mode) = self.code(job).resume_at(self.state.resume);
        (pc.wrapping_add(self.state.code_delta), mode)
    }

    /// Goes on at another entry.
    pub(super) fn go_to(&mut self, job: &Job, pc: u64, mode: FpMode) -> Result<(), Error> {
        let key = CodeKey { entry: pc, mode, ..job.code_key() };
        let arrival = Arrival::Jump { from: self.code(job), delta: self.state.code_delta };
        let code = job.program.code(&job.name, key, arrival, &|| job.check_stop().is_err())?;
        self.enter(code, pc, mode)
    }

    /// Is it worth asking for compiled code?
    pub(super) fn may_go_on_compiled(&self, job: &Job) -> bool {
        let code = self.code(job);
        match self.state.resume {
            0 => code.is_hot() || code.is_superseded(),
            // One that does little of all that made the code hot may be at its end.
            _ => code.is_hot() && (self.code.is_some() || self.used >= code.hot_at() / SHARE),
        }
    }

    /// Goes on in compiled code, if there is such by now, where code that is interpreted [is hot](Code::is_hot).
    pub(super) fn go_on_compiled(&mut self, job: &Job) -> Result<(), Error> {
        let code = self.code(job);
        let key = match self.state.resume {
            0 => code.key_at(self.state.code_delta),
            // It cannot go over into the middle of what is compiled for the entry: such code knows what is in its registers, in lanes that are off, too.
            _ => {
                let (entry, mode) = self.resume_at(job);
                CodeKey { entry, mode, ..job.code_key() }
            }
        };
        let better = job.program.hot_code(&job.name, key, code, &|| job.check_stop().is_err())?;
        better.map_or(Ok(()), |code| self.enter(code, key.entry, key.mode))
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

/// The interpreter of a thread, ready for this code.
pub(crate) fn interp_of<'a>(interp: &'a mut Option<Interp>, code: &Arc<Prepared>) -> &'a mut Interp {
    let interp = interp.get_or_insert_with(|| Interp::of(code.clone()));
    if !interp.is_at(code) {
        interp.switch_to(code);
    }
    interp
}
