//! The plain interpreter: one IR instruction after the other, one lane after the other, over a [`WaveState`].
//!
//! It is the oracle of the compiled code, the tier for code that runs once, and the stepper of a debugger. It is meant to be believed by
//! reading it, so it does nothing clever: the values of a block sit in an array, pure operations go through [`super::eval`], registers and EXEC are read
//! and written in the state at once, memory goes through the state's helper table. Files: this one runs blocks, `exec` instructions,
//! `wave` is a safe view of the state.
//!
//! Where the IR leaves lanes undefined it picks what exposes mistakes: `vget` ignores its demand and gives the register, a load gives
//! [`POISON`] in the lanes outside its EXEC. Neither may ever show in the registers of a correct function.
//!
//! Entry, fuel and suspension follow [`super::resume`].

mod exec;
mod wave;

use super::site::SITE_ROWS;
use super::{Block, BlockId, Func, Pause, Term, Value, goes_back, resume_points};
use crate::abi::{Exit, WaveState};
use crate::eval::Elements;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wave::Wave;

/// Rows from [`crate::abi::TEMP_ROW`] on that the interpreter needs for the operands and results of memory instructions.
pub const INTERP_TEMP_ROWS: u32 = SITE_ROWS as u32;

/// Lanes that are done at a time.
const HALF: usize = size_of::<Elements>() / size_of::<u64>();

/// What a load leaves in lanes outside its EXEC.
pub const POISON: u32 = 0xdead_beef;

/// Runs a wave from `state.resume` until it suspends or ends.
///
/// # Safety
///
/// `state.rows` points to `TEMP_ROW + INTERP_TEMP_ROWS` rows of `state.wave_size` lanes, `state.helpers` to a table whose functions may be
/// called with this state, `state.counters` to one counter for each number that its counting probes have, if it has any; and nobody else
/// touches state, rows and counters meanwhile.
pub unsafe fn run(func: &Func, state: &mut WaveState) -> Exit {
    // SAFETY: the caller's promise is the one `Interp::run` asks for.
    unsafe { Interp::new(func).run(state) }
}

/// A function with what the interpreter needs to know of it. Any number of interpreters may run it.
#[derive(Debug)]
pub struct Prepared {
    func: Func,
    resume: Vec<BlockId>,
    /// Resume index of each block that has one.
    resume_index: Vec<Option<u32>>,
    /// Where each value is among those of its block that are wanted at the same time.
    places: Vec<u32>,
    /// Most places of a block.
    room: usize,
    /// Of each block, whether a wave has been there.
    reached: Box<[AtomicBool]>,
}

impl Prepared {
    /// Prepares `func`, which must pass the verifier.
    pub fn new(func: Func) -> Prepared {
        let resume = resume_points(&func);
        let mut resume_index = vec![None; func.blocks.len()];
        for (i, block) in resume.iter().enumerate() {
            resume_index[block.0 as usize] = Some(i as u32);
        }
        let (places, room) = places(&func);
        let reached = func.blocks.iter().map(|_| AtomicBool::new(false)).collect();
        Prepared { func, resume, resume_index, places, room, reached }
    }

    /// The function.
    pub fn func(&self) -> &Func {
        &self.func
    }

    /// The blocks that waves have been in.
    pub fn reached(&self) -> impl Iterator<Item = &Block> {
        self.func.blocks.iter().zip(&self.reached).filter(|(_, reached)| reached.load(Relaxed)).map(|(block, _)| block)
    }

    /// Heap bytes it takes, about.
    pub fn bytes(&self) -> usize {
        let insts: usize = self.func.blocks.iter().map(|b| b.insts.len()).sum();
        insts * size_of::<super::Inst>() + self.func.blocks.len() * size_of::<Block>() + self.func.types.len() * 8
    }
}

/// A place for each value, and how many places there are. Values of a block that are not wanted at the same time may share one, so that those of a long
/// block stay in the host's caches; no value has the place of an operand of the instruction that makes it.
fn places(func: &Func) -> (Vec<u32>, usize) {
    const NEVER: usize = 0;
    const AT_THE_END: usize = usize::MAX;
    let mut places = vec![0; func.types.len()];
    // One more than the index of the last instruction that reads it.
    let mut last_read = vec![NEVER; func.types.len()];
    let mut room = 0;
    for block in &func.blocks {
        for (i, inst) in block.insts.iter().enumerate() {
            inst.op.for_each_arg(|v| last_read[v.0 as usize] = i + 1);
        }
        block.term.for_each_arg(|v| last_read[v.0 as usize] = AT_THE_END);
        let (mut free, mut next) = (vec![], 0);
        for (i, inst) in block.insts.iter().enumerate() {
            let results = (0..usize::from(inst.results)).map(|k| inst.result(k).0 as usize);
            for result in results.clone() {
                places[result] = free.pop().unwrap_or_else(|| {
                    next += 1;
                    next - 1
                });
            }
            inst.op.for_each_arg(|v| {
                let v = v.0 as usize;
                if last_read[v] == i + 1 {
                    // It may be read twice.
                    last_read[v] = NEVER;
                    free.push(places[v]);
                }
            });
            free.extend(results.filter(|r| last_read[*r] == NEVER).map(|r| places[r]));
        }
        room = room.max(next as usize);
    }
    (places, room)
}

/// An interpreter, reusable for any number of functions and waves in turn.
///
/// Its methods panic if the function would not pass [`super::verify`], if state and function differ in wave size, or if `state.resume` is
/// no resume point of the function.
pub struct Interp {
    code: Arc<Prepared>,
    values: Values,
    /// Next instruction: block, and index in its body; `None`: enter at `state.resume`.
    at: Option<(BlockId, usize)>,
}

/// A place between two guest instructions, with the values of the block so far.
#[derive(Clone, Debug)]
pub struct Position {
    /// As [`Interp::at`].
    at: Option<(BlockId, usize)>,
    /// As many as a wave has lanes, for each value defined before `at` in its block. Of values that share a place it has the one that is there.
    words: Vec<u64>,
}

impl Interp {
    /// Prepares to interpret a copy of `func`, which must pass the verifier.
    pub fn new(func: &Func) -> Self {
        Interp::of(Arc::new(Prepared::new(func.clone())))
    }

    /// An interpreter of `code`.
    pub fn of(code: Arc<Prepared>) -> Self {
        let values = Values { lanes: 0, words: vec![], code: code.clone() };
        let mut interp = Interp { code: code.clone(), values, at: None };
        interp.switch_to(&code);
        interp
    }

    /// Goes on with another function. No wave may be in the middle of a block.
    pub fn switch_to(&mut self, code: &Arc<Prepared>) {
        self.at = None;
        (self.code, self.values.code) = (code.clone(), code.clone());
        self.values.lanes = code.func.wave_size as usize;
        let words = code.room * self.values.lanes;
        if self.values.words.len() < words {
            self.values.words.resize(words, 0);
        }
    }

    /// Is this what it interprets?
    pub fn is_at(&self, code: &Arc<Prepared>) -> bool {
        Arc::ptr_eq(&self.code, code)
    }

    /// Runs a wave for at most `steps` steps; none if it is in the middle of a block then.
    ///
    /// # Safety
    ///
    /// As [`run`].
    pub unsafe fn run_some(&mut self, state: &mut WaveState, steps: u32) -> Option<Exit> {
        // SAFETY: as promised by the caller.
        (0..steps).find_map(|_| unsafe { self.step(state) })
    }

    /// Runs a wave from where it is until it suspends or ends.
    ///
    /// # Safety
    ///
    /// As [`run`].
    pub unsafe fn run(&mut self, state: &mut WaveState) -> Exit {
        loop {
            // SAFETY: as promised by the caller.
            if let Some(exit) = unsafe { self.step(state) } {
                return exit;
            }
        }
    }

    /// Runs one guest instruction: all IR instructions up to a change of the guest address. `None` if the wave goes on.
    ///
    /// Between two steps the state holds the registers of the wave, provided the function is as lifted: passes may have moved or dropped
    /// register writes. A wave in the middle of a block can only go on in this `Interp`, because its values are here; see
    /// [`Interp::forget`].
    ///
    /// # Safety
    ///
    /// As [`run`].
    pub unsafe fn step(&mut self, state: &mut WaveState) -> Option<Exit> {
        assert_eq!(state.wave_size, self.code.func.wave_size, "function and state have the same wave size");
        // SAFETY: as promised by the caller.
        let mut wave = unsafe { Wave::new(state) };
        match self.step_wave(&mut wave) {
            Ok(at) => {
                self.at = Some(at);
                None
            }
            Err(exit) => {
                self.at = None;
                Some(exit)
            }
        }
    }

    /// Runs a wave to its next exit and calls `hook` before each guest instruction with its address and the state.
    ///
    /// # Safety
    ///
    /// As [`run`].
    pub unsafe fn run_stepwise(&mut self, state: &mut WaveState, mut hook: impl FnMut(u64, &WaveState)) -> Exit {
        loop {
            hook(self.next_pc(state), state);
            // SAFETY: as promised by the caller.
            if let Some(exit) = unsafe { self.step(state) } {
                return exit;
            }
        }
    }

    /// Guest address of the instruction that the next [`Interp::step`] runs.
    pub fn next_pc(&self, state: &WaveState) -> u64 {
        let (block, index) = self.next(state);
        self.pc_at(block, index).wrapping_add(state.code_delta)
    }

    /// Does the next [`Interp::step`] run no instruction, but leave the function for the one at [`Interp::next_pc`]?
    pub fn leaves(&self, state: &WaveState) -> bool {
        matches!(self.code.func.block(self.next(state).0).term, Term::Leave { .. })
    }

    fn next(&self, state: &WaveState) -> (BlockId, usize) {
        self.at.unwrap_or_else(|| (self.code.resume[state.resume as usize], 0))
    }

    /// Drops the position inside a block: the next step enters at `state.resume`. For a wave that is abandoned or replaced.
    pub fn forget(&mut self) {
        self.at = None;
    }

    /// Where the wave is between two steps. With a copy of its state, rows and memory that is all it needs to go on from here later.
    pub fn position(&self) -> Position {
        let mut words = Vec::new();
        for value in self.live() {
            words.extend_from_slice(self.values.of(value));
        }
        Position { at: self.at, words }
    }

    /// Goes back to a position of this function. State, rows and memory must be put back as they were then.
    ///
    /// Panics if the position is one of another function.
    pub fn set_position(&mut self, position: &Position) {
        self.at = position.at;
        let live: Vec<Value> = self.live().collect();
        assert_eq!(live.len() * self.values.lanes, position.words.len(), "a position belongs to one function");
        for (value, words) in live.into_iter().zip(position.words.chunks(self.values.lanes)) {
            self.values.of_mut(value).copy_from_slice(words);
        }
    }

    /// Values that the rest of the block may use: values are local to their block.
    fn live(&self) -> impl Iterator<Item = Value> {
        let (block, index) = self.at.unwrap_or((BlockId(0), 0));
        self.code.func.block(block).insts[..index].iter().flat_map(|inst| (0..usize::from(inst.results)).map(|i| inst.result(i)))
    }

    fn pc_at(&self, block: BlockId, index: usize) -> u64 {
        let block = self.code.func.block(block);
        block.insts.get(index).map_or(block.term_pc, |inst| inst.pc)
    }

    /// As `step`; the new position or the exit.
    fn step_wave(&mut self, wave: &mut Wave) -> Result<(BlockId, usize), Exit> {
        let (id, start) = match self.at {
            Some(at) => at,
            None => self.pay(wave, self.code.resume[wave.state.resume as usize]),
        };
        let pc = self.pc_at(id, start);
        let (code, values) = (&self.code, &mut self.values);
        let block = code.func.block(id);
        for (index, inst) in block.insts.iter().enumerate().skip(start) {
            if inst.pc != pc {
                return Ok((id, index));
            }
            exec::instruction(&code.func, values, wave, inst).map_err(|_| Exit::Fault)?;
        }
        if block.term_pc == pc { self.end_block(wave, block) } else { Ok((id, block.insts.len())) }
    }

    /// Takes an edge: looks at the fuel if it goes back.
    fn enter(&self, wave: &mut Wave, from: &Block, to: BlockId) -> Result<(BlockId, usize), Exit> {
        if wave.state.fuel <= 0 && goes_back(from, self.code.func.block(to)) {
            wave.state.resume = self.resume_index(to);
            return Err(Exit::Fuel);
        }
        Ok(self.pay(wave, to))
    }

    /// Goes to the start of a block and pays for it.
    fn pay(&self, wave: &mut Wave, block: BlockId) -> (BlockId, usize) {
        let reached = &self.code.reached[block.0 as usize];
        // Other threads' caches have it, too: it is written once.
        if !reached.load(Relaxed) {
            reached.store(true, Relaxed);
        }
        wave.state.fuel -= i64::from(self.code.func.block(block).guest_insts);
        (block, 0)
    }

    fn resume_index(&self, block: BlockId) -> u32 {
        self.code.resume_index[block.0 as usize].expect("waves are suspended at resume points")
    }

    fn end_block(&self, wave: &mut Wave, block: &Block) -> Result<(BlockId, usize), Exit> {
        match &block.term {
            Term::Jump(next) => self.enter(wave, block, *next),
            Term::Branch { cond, then, otherwise } => {
                self.enter(wave, block, if self.values.scalar(*cond) != 0 { *then } else { *otherwise })
            }
            Term::Indirect { target, known } => {
                let (pc, delta) = (self.values.scalar(*target), wave.state.code_delta);
                if let Some((_, next)) = known.iter().find(|k| k.0.wrapping_add(delta) == pc) {
                    return self.enter(wave, block, *next);
                }
                wave.state.exit_arg = pc;
                wave.state.exit_pc = block.term_pc.wrapping_add(delta);
                wave.state.exit_mode = block.mode.0.into();
                wave.state.resume = 0;
                Err(Exit::NewPc)
            }
            Term::Leave { pc } => {
                wave.state.exit_arg = pc.wrapping_add(wave.state.code_delta);
                wave.state.exit_pc = 0;
                wave.state.exit_mode = block.mode.0.into();
                wave.state.resume = 0;
                Err(Exit::NewPc)
            }
            Term::NewMode { pc, mode } => {
                wave.state.exit_arg = pc.wrapping_add(wave.state.code_delta);
                wave.state.exit_mode = self.values.scalar(*mode) as u32;
                wave.state.resume = 0;
                Err(Exit::NewMode)
            }
            Term::Pause { why, next } => {
                wave.state.resume = self.resume_index(*next);
                Err(match why {
                    Pause::Barrier => Exit::Barrier,
                    Pause::Yield => Exit::Yield,
                })
            }
            Term::End => Err(Exit::End),
            Term::Trap { id } => {
                wave.state.exit_arg = u64::from(*id);
                wave.state.fault_pc = block.term_pc;
                Err(Exit::Trap)
            }
            Term::Fail(failure) => {
                wave.state.exit_arg = u64::from(*failure);
                Err(Exit::Fail)
            }
        }
    }
}

/// The values of a block, a word for each lane: a lane value has lane `i` in word `i`; a scalar is word 0; a mask is word 0 with bit `i` for
/// lane `i`, and zeros from the wave size on.
struct Values {
    lanes: usize,
    words: Vec<u64>,
    code: Arc<Prepared>,
}

impl Values {
    /// Index of the first word of `v`.
    #[inline]
    fn at(&self, v: Value) -> usize {
        self.code.places[v.0 as usize] as usize * self.lanes
    }

    #[inline]
    fn lane(&self, v: Value, lane: usize) -> u64 {
        self.words[self.at(v) + lane]
    }

    #[inline]
    fn of(&self, v: Value) -> &[u64] {
        &self.words[self.at(v)..][..self.lanes]
    }

    #[inline]
    fn of_mut(&mut self, v: Value) -> &mut [u64] {
        let at = self.at(v);
        &mut self.words[at..][..self.lanes]
    }

    /// Lanes 0 to 31 or 32 to 63.
    #[inline]
    fn half(&self, v: Value, half: usize) -> &Elements {
        self.of(v)[half * HALF..].first_chunk().expect("a value has whole halves of a wave")
    }

    #[inline]
    fn half_mut(&mut self, v: Value, half: usize) -> &mut Elements {
        self.of_mut(v)[half * HALF..].first_chunk_mut().expect("a value has whole halves of a wave")
    }

    /// Sets every lane of `v` by `f`.
    #[inline]
    fn fill(&mut self, v: Value, f: impl Fn(&Values, usize) -> u64) {
        let at = self.at(v);
        for lane in 0..self.lanes {
            self.words[at + lane] = f(self, lane);
        }
    }

    /// Sets `v` to the lanes of a row.
    #[inline]
    fn take_row(&mut self, v: Value, row: &[u32]) {
        for (word, lane) in self.of_mut(v).iter_mut().zip(row) {
            *word = (*lane).into();
        }
    }

    #[inline]
    fn scalar(&self, v: Value) -> u64 {
        self.lane(v, 0)
    }

    #[inline]
    fn set_scalar(&mut self, v: Value, bits: u64) {
        let at = self.at(v);
        self.words[at] = bits;
    }

    #[inline]
    fn mask(&self, v: Value) -> u64 {
        self.lane(v, 0)
    }

    #[inline]
    fn set_mask(&mut self, v: Value, bits: u64) {
        self.set_scalar(v, bits & u64::MAX >> (64 - self.lanes));
    }
}

#[cfg(test)]
mod tests;
