//! What follows in loops that add floats by comparing and exchanging until all lanes have succeeded
//! ([`Op::ExchangeSum`](wavejit_ir::Op::ExchangeSum)): all of the rounds at once, where that can be told to be the same.
//!
//! Of lanes at one place that all compare the same, one succeeds in each round, in order, and the others see what it has left and compare that next. So their operands are
//! added in order, and the sum of all goes to the place in one step. A lane whose sum is what it compared changes nothing, and the next one succeeds in the same round.
//! If the place holds something else than the lanes compare, they all see that in a first round. What the loop takes is what the place with most rounds takes.
//!
//! Where lanes at one place compare different values, or something cannot be reached, nothing is done: the loop goes on.

use super::access::Failed;
use super::atomic::{Cell, data_rows, lane_data, lds_places};
use super::checked;
use super::lanes::*;
use super::vector::{fault, host, lane_address, row};
use std::mem::MaybeUninit;
use wavejit_ir::abi::{FaultKind, MemOp, NO_ROW, WaveState};
use wavejit_ir::eval::eval;
use wavejit_ir::{FpMode, PureOp};
use wavejit_texture::atomic::AtomicOp;

/// Rounds at one place in which others come between, before the loop is to go on: it looks whether the launch was canceled.
const PATIENCE: i64 = 64;

/// A cell that holds a float.
trait Float: Cell + Eq {
    /// As [`FpMode::HSA`] has it.
    fn sum(self, other: Self) -> Self;
}

macro_rules! float {
    ($cell:ty, $float:ty, $op:expr) => {
        impl Float for $cell {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                let sum = <$float>::from_bits(self) + <$float>::from_bits(other);
                // Which one a NaN is differs between hosts.
                if sum.is_nan() { eval($op, FpMode::HSA, self.into(), other.into(), 0) as $cell } else { sum.to_bits() }
            }
        }
    };
}
float!(u32, f32, PureOp::FAdd32);
float!(u64, f64, PureOp::FAdd64);

/// Where the cell of a lane is: its host address, if it is there and aligned.
trait Places {
    /// It is LDS, which nobody else touches meanwhile.
    const IS_LDS: bool;
    fn at(&self, state: &WaveState, lane: usize) -> Option<u64>;
}

struct InMemory<'a, const N: usize> {
    op: &'a MemOp,
    base: u64,
    bytes: u64,
}

impl<const N: usize> Places for InMemory<'_, N> {
    const IS_LDS: bool = false;
    #[inline(always)]
    fn at(&self, state: &WaveState, lane: usize) -> Option<u64> {
        // SAFETY: the caller's `op` names rows of the wave.
        let address = unsafe { lane_address::<N>(state, self.op, lane, self.base) };
        host(state, address).filter(|_| address.is_multiple_of(self.bytes))
    }
}

struct InLds {
    offsets: [u32; 64],
    /// Lanes whose cell is there.
    inside: u64,
    bytes: u32,
}

impl Places for InLds {
    const IS_LDS: bool = true;
    #[inline(always)]
    fn at(&self, state: &WaveState, lane: usize) -> Option<u64> {
        let offset = self.offsets[lane];
        (self.inside >> lane & 1 != 0 && offset.is_multiple_of(self.bytes)).then(|| state.lds as u64 + u64::from(offset))
    }
}

/// # Safety
/// `at` is an aligned cell of guest memory, or unmapped; of the workgroup's LDS, if it is LDS.
#[inline(always)]
unsafe fn exchange<C: Float, P: Places>(at: u64, old: C, new: C, e: &mut Failed) -> C {
    if !P::IS_LDS {
        // SAFETY: passed on.
        return unsafe { C::compare_swap(at, old, new, e) };
    }
    let cell = at as *mut C;
    // SAFETY: LDS is always mapped, and its workgroup runs on this thread.
    unsafe {
        let seen = *cell;
        if seen == old {
            *cell = new;
        }
        seen
    }
}

/// One instruction.
struct Rest<'a, const N: usize> {
    op: &'a MemOp,
    exec: u64,
    data: [*const u32; 4],
}

impl<const N: usize> Rest<'_, N> {
    /// What a lane adds, and what it compares.
    #[inline(always)]
    fn operands<C: Float>(&self, lane: usize) -> [C; 2] {
        // SAFETY: the caller's `op` names rows of the wave.
        unsafe { lane_data::<C>(AtomicOp::CmpSwap, &self.data, lane) }
    }

    #[inline(always)]
    fn sum<C: Float>(&self, operand: C, comparand: C) -> C {
        if self.op.flags & MemOp::COMPARAND_FIRST != 0 { comparand.sum(operand) } else { operand.sum(comparand) }
    }

    #[inline(always)]
    fn put<C: Float>(&self, state: &WaveState, lane: usize, compared: C, is_done: bool) {
        let dwords = usize::from(C::BYTES == 8) + 1;
        let results = compared.dwords().into_iter().take(dwords).chain([is_done.into()]);
        for (value, to) in results.zip(self.op.dst) {
            // SAFETY: the caller's `op` names rows of the wave.
            unsafe { *row::<N>(state, to).add(lane) = value };
        }
    }

    /// Lanes of EXEC that have the address of one of them.
    ///
    /// # Safety
    /// The host has what `I` needs.
    #[inline(always)]
    unsafe fn alike<I: Isa>(&self, state: &WaveState, lane: usize) -> u64 {
        let mut alike = self.exec;
        for offset in self.op.offset.into_iter().filter(|r| *r != NO_ROW) {
            // SAFETY: the caller's `op` names rows of the wave.
            alike &= unsafe {
                let row = row::<N>(state, offset);
                I::eq_iota::<N>(row, *row.add(lane), 0)
            };
        }
        alike
    }

    /// All rounds of lanes at one place: how many. Err: it cannot be written.
    #[inline(always)]
    fn at_one_place<C: Float, P: Places>(&self, state: &WaveState, at: u64, lanes: u64) -> Result<i64, ()> {
        let first = lanes.trailing_zeros() as usize;
        let mut held = self.operands::<C>(first)[1];
        // Rounds in which all fail.
        let mut in_vain = 0;
        loop {
            let (mut sum, mut changes, mut is_changed) = (held, 0, false);
            for lane in LaneIter(lanes) {
                changes += i64::from(is_changed);
                self.put(state, lane, sum, true);
                let new = self.sum(self.operands::<C>(lane)[0], sum);
                (is_changed, sum) = (new != sum, new);
            }
            let mut failed = Failed::no();
            // SAFETY: the place is in range and aligned.
            let seen = unsafe { exchange::<C, P>(at, held, sum, &mut failed) };
            if failed.any() {
                return Err(());
            }
            if seen == held {
                return Ok(in_vain + 1 + changes);
            }
            (held, in_vain) = (seen, in_vain + 1);
            if in_vain == PATIENCE {
                LaneIter(lanes).for_each(|lane| self.put(state, lane, held, false));
                return Ok(in_vain);
            }
        }
    }

    /// All rounds, if they are sure to be the loop's: false if nothing was done. Err: the lane whose cell cannot be written.
    ///
    /// # Safety
    /// The host has what `I` needs; `op` names rows of the wave.
    #[inline(always)]
    unsafe fn rounds<C: Float, I: Isa, P: Places>(&self, state: &mut WaveState, places: &P) -> Result<bool, (usize, u64)> {
        let insts = i64::from(self.op.kind);
        if state.slots[0] & self.exec != 0 || state.fuel <= insts * (N as i64 + 1) {
            return Ok(false);
        }
        let mut groups = [const { MaybeUninit::<(u64, u64)>::uninit() }; 64];
        let (mut left, mut count) = (self.exec, 0);
        let mut failed = Failed::no();
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let Some(at) = places.at(state, first) else { return Ok(false) };
            // SAFETY: passed on.
            let lanes = unsafe { self.alike::<I>(state, first) } & left;
            let comparand = self.operands::<C>(first)[1];
            if LaneIter(lanes).any(|lane| self.operands::<C>(lane)[1] != comparand) {
                return Ok(false);
            }
            C::load(at, &mut failed);
            groups[count].write((at, lanes));
            count += 1;
            left &= !lanes;
        }
        if failed.any() {
            return Ok(false);
        }
        let mut most = 0;
        for group in &groups[..count] {
            // SAFETY: just written.
            let (at, lanes) = unsafe { group.assume_init() };
            let lane = lanes.trailing_zeros() as usize;
            let checked = if P::IS_LDS { checked::lds(state) } else { checked::guest(state) };
            checked.verify("atomic", self.op.pc, lane, at, C::BYTES as usize);
            most = most.max(self.at_one_place::<C, P>(state, at, lanes).map_err(|()| (lane, at))?);
        }
        state.fuel -= most * insts;
        Ok(true)
    }

    /// # Safety
    /// See [`Self::rounds`].
    #[inline(always)]
    unsafe fn run<C: Float, I: Isa, P: Places>(&self, state: &mut WaveState, places: &P) -> u32 {
        // SAFETY: passed on.
        match unsafe { self.rounds::<C, I, P>(state, places) } {
            Ok(true) => {}
            Ok(false) => LaneIter(self.exec).for_each(|lane| self.put(state, lane, self.operands::<C>(lane)[1], false)),
            Err((lane, at)) => {
                let address = at.wrapping_sub(if P::IS_LDS { state.lds as u64 } else { state.mem_base });
                return fault(state, self.op.pc, self.exec, FaultKind::Unmapped, lane as u32, address);
            }
        }
        0
    }
}

/// In the global space.
///
/// # Safety
/// As for [`atomic_global`](super::atomic::atomic_global). So for the next.
#[inline(always)]
pub(crate) unsafe fn in_memory<I: Isa, const N: usize>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        let rest = Rest::<N> { op, exec, data: data_rows::<N>(state, op) };
        match op.flags & MemOp::WIDE != 0 {
            false => rest.run::<u32, I, _>(state, &InMemory::<N> { op, base, bytes: 4 }),
            true => rest.run::<u64, I, _>(state, &InMemory::<N> { op, base, bytes: 8 }),
        }
    }
}

/// In LDS.
///
/// # Safety
/// See [`in_memory`].
#[inline(always)]
pub(crate) unsafe fn in_lds<I: Isa, const N: usize>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    let bytes = if op.flags & MemOp::WIDE != 0 { 8 } else { 4 };
    // SAFETY: passed on; offsets are checked against `lds_bytes`.
    unsafe {
        let mut places = InLds { offsets: [0; 64], inside: 0, bytes };
        let zero = [0u32; 64];
        let low = if op.offset[0] == NO_ROW { zero.as_ptr() } else { row::<N>(state, op.offset[0]).cast_const() };
        places.inside = lds_places::<I, N>(state, op, low, base, bytes, places.offsets.as_mut_ptr());
        let rest = Rest::<N> { op, exec, data: data_rows::<N>(state, op) };
        if bytes == 4 { rest.run::<u32, I, _>(state, &places) } else { rest.run::<u64, I, _>(state, &places) }
    }
}

#[cfg(test)]
mod tests;
