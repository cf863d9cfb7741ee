//! Loads and stores of a whole wave, in every space.
//!
//! Each access is first planned: are the addresses of the active lanes consecutive, all equal, or neither, and are they all in range? The
//! three cases are one copy, one element, and a gather or scatter. Whatever does not fit (an address out of range, a fault, lanes 4 GiB
//! apart) goes lane by lane (`by_lane`), where one knows the lane to blame. Loads reach the destination rows only
//! when all of them went well, since those may be the address rows.
//!
//! An access that faults blames the first lane, and of it the first dword, that cannot be reached. A store has then stored what comes before,
//! lane by lane and dword by dword, and nothing else, whichever way it was planned; so it is with atomics, and with flat accesses, whose lanes
//! may lie in several spaces.
//!
//! Stores to one address by several lanes: the highest lane wins. LDS: requirements LDS-01 to LDS-05 (out of range reads 0, writes
//! nothing; any alignment). Scratch: `dword[index][lane]`.

mod by_lane;
mod flat;
mod pattern;
mod scratch;

use super::checked::{self, verify_row};
use super::context::WaveContext;
use super::lanes::*;
use by_lane::{load_lanes, store_lanes};
pub(crate) use flat::flat;
use pattern::{global_pattern, lds_pattern, load_by_pattern, store_by_pattern};
pub(crate) use scratch::{in_scratch, load_scratch, scratch_byte, store_scratch};
use wavejit_ir::abi::{FaultKind, MemOp, NO_ROW, WaveState};

/// A row of the wave.
///
/// # Safety
/// The wave has that row.
#[inline(always)]
pub(crate) unsafe fn row<const N: usize>(state: &WaveState, r: u16) -> *mut u32 {
    // SAFETY: passed on.
    unsafe {
        verify_row(state, r);
        state.rows.add(usize::from(r) * N)
    }
}

/// What helpers know beyond the state.
///
/// # Safety
/// `state.ctx` points to a [`WaveContext`] nobody else uses.
#[inline(always)]
pub(crate) unsafe fn context<'a>(state: &WaveState) -> &'a mut WaveContext {
    // SAFETY: passed on.
    unsafe { &mut *state.ctx.cast::<WaveContext>() }
}

/// Notes a fault; the value a helper then returns.
#[cold]
pub(crate) fn fault(state: &mut WaveState, pc: u64, exec: u64, kind: FaultKind, lane: u32, address: u64) -> u32 {
    state.fault_kind = kind as u32;
    state.fault_addr = address;
    state.fault_pc = pc;
    state.fault_exec = exec;
    state.fault_lane = lane;
    1
}

/// Host address of a guest address that passes the range test.
#[inline(always)]
pub(crate) fn host(state: &WaveState, address: u64) -> Option<u64> {
    (address.wrapping_sub(state.mem_low) < state.mem_size).then(|| state.mem_base.wrapping_add(address))
}

#[inline(always)]
fn first_lane(exec: u64) -> usize {
    exec.trailing_zeros() as usize
}
#[inline(always)]
fn last_lane(exec: u64) -> usize {
    63 - exec.leading_zeros() as usize
}

/// Register dword `d` of the element at `at`.
#[inline(always)]
unsafe fn element_dword<const K: u8>(at: *const u8, d: usize) -> u32 {
    // SAFETY: the element has `bytes(K)` bytes.
    unsafe {
        match K {
            U8 => u32::from(*at),
            I8 => i32::from(*at.cast::<i8>()) as u32,
            U16 => u32::from(at.cast::<u16>().read_unaligned()),
            I16 => i32::from(at.cast::<i16>().read_unaligned()) as u32,
            _ => at.cast::<u32>().add(d).read_unaligned(),
        }
    }
}

/// Puts one lane's data at `to`, as in memory.
#[inline(always)]
unsafe fn stage_lane<const K: u8>(to: *mut u8, src: &[*const u32; 4], lane: usize) {
    for (d, src) in src.iter().enumerate().take(dwords(K)) {
        // SAFETY: `to` has room for 16 bytes; little endian, so low bytes come first.
        unsafe { to.cast::<u32>().add(d).write_unaligned(*src.add(lane)) };
    }
}

/// Guest address of a lane.
///
/// # Safety
/// The rows that `op` names exist.
#[inline(always)]
pub(crate) unsafe fn lane_address<const N: usize>(state: &WaveState, op: &MemOp, lane: usize, base: u64) -> u64 {
    let dword = |r: u16| {
        if r == NO_ROW {
            0
        } else {
            /* SAFETY: passed on. */
            unsafe { u64::from(*row::<N>(state, r).add(lane)) }
        }
    };
    base.wrapping_add(op.imm as u64).wrapping_add(dword(op.offset[0]) | dword(op.offset[1]) << 32)
}

/// A load from the global space.
///
/// # Safety
/// `state` is a complete wave of `N` lanes; `op` names rows it has; the host has what `I` needs. So for all below.
#[inline(always)]
pub(crate) unsafe fn load_global<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        let pattern = global_pattern::<I, N, K>(state, op, exec, base);
        if load_by_pattern::<I, N, K>(state, op, exec, pattern, checked::guest) { 0 } else { load_lanes::<N, K>(state, op, exec, base) }
    }
}

/// A store to the global space.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub(crate) unsafe fn store_global<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        let pattern = global_pattern::<I, N, K>(state, op, exec, base);
        if store_by_pattern::<I, N, K>(state, op, exec, pattern, checked::guest) { 0 } else { store_lanes::<N, K>(state, op, exec, base) }
    }
}

/// A load from LDS.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub(crate) unsafe fn load_lds<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec != 0 {
        // SAFETY: passed on. LDS is always mapped, so the pattern succeeds.
        unsafe {
            let pattern = lds_pattern::<I, N, K>(state, op, exec, base);
            load_by_pattern::<I, N, K>(state, op, exec, pattern, checked::lds);
        }
    }
    0
}

/// A store to LDS.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub(crate) unsafe fn store_lds<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec != 0 {
        // SAFETY: passed on. LDS is always mapped, so the pattern succeeds.
        unsafe {
            let pattern = lds_pattern::<I, N, K>(state, op, exec, base);
            store_by_pattern::<I, N, K>(state, op, exec, pattern, checked::lds);
        }
    }
    0
}

#[cfg(all(test, target_arch = "x86_64", target_os = "linux", any(debug_assertions, feature = "checked")))]
mod tests;
