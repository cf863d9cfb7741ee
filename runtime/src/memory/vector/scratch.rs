//! Loads and stores of scratch: `dword[index][lane]`.

use super::{context, element_dword, fault, first_lane, row, stage_lane};
use crate::memory::access::{self, Failed};
use crate::memory::checked;
use crate::memory::lanes::*;
use wavejit_ir::abi::{FaultKind, MemOp, NO_ROW, WaveState};

/// Scratch offset of a lane.
#[inline(always)]
unsafe fn scratch_offset<const N: usize>(state: &WaveState, op: &MemOp, lane: usize, base: u64) -> u32 {
    let add = (base as u32).wrapping_add(op.imm as u32);
    // SAFETY: rows of the wave.
    if op.offset[0] == NO_ROW { add } else { unsafe { (*row::<N>(state, op.offset[0]).add(lane)).wrapping_add(add) } }
}

/// Are `bytes` bytes from offset `at` on in a lane's scratch?
#[inline(always)]
pub(crate) fn in_scratch(state: &WaveState, at: u32, bytes: usize) -> bool {
    u64::from(at) + bytes as u64 <= u64::from(state.scratch_bytes)
}

/// Host address of byte `at` of a lane's scratch.
#[inline(always)]
pub(crate) fn scratch_byte<const N: usize>(state: &WaveState, at: u32, lane: usize) -> u64 {
    let (dword, byte, lane) = (u64::from(at / 4), u64::from(at % 4), lane as u64);
    (state.scratch as u64).wrapping_add(dword.wrapping_mul(4 * N as u64)).wrapping_add(lane << 2).wrapping_add(byte)
}

/// Elements of all lanes at one offset of scratch.
struct ScratchRow {
    /// The offset.
    at: u32,
    /// Address of the first row.
    row: u64,
}

impl ScratchRow {
    /// Address of dword `d` of the elements.
    #[inline(always)]
    fn dword<const N: usize>(&self, d: usize) -> u64 {
        self.row.wrapping_add((4 * N * d) as u64)
    }

    /// First bit of elements of less than a dword.
    #[inline(always)]
    fn bit(&self) -> u32 {
        self.at % 4 * 8
    }
}

/// Where elements are if all lanes of `exec` have one offset, which is in range: dwords are whole rows then, bytes and halfwords fields of one.
/// Those that lie across dwords go lane by lane.
#[inline(always)]
unsafe fn scratch_row<I: Isa, const N: usize, const K: u8>(state: &WaveState, op: &MemOp, exec: u64, base: u64) -> Option<ScratchRow> {
    // SAFETY: rows of the wave.
    unsafe {
        let at = scratch_offset::<N>(state, op, first_lane(exec), base);
        if at as usize % 4 + bytes(K).min(4) > 4 || !in_scratch(state, at, bytes(K)) {
            return None;
        }
        if op.offset[0] != NO_ROW {
            let low = row::<N>(state, op.offset[0]);
            if I::eq_iota::<N>(low, *low.add(first_lane(exec)), 0) & exec != exec {
                return None;
            }
        }
        let row = scratch_byte::<N>(state, at & !3, 0);
        checked::scratch(state).verify("access to rows", op.pc, 0, row, 4 * N * dwords(K));
        Some(ScratchRow { at, row })
    }
}

/// Scratch in range that is not there: the host has taken it away.
#[cold]
fn lost_scratch(state: &mut WaveState, op: &MemOp, exec: u64, at: u32) -> u32 {
    fault(state, op.pc, exec, FaultKind::Scratch, first_lane(exec) as u32, at.into())
}

/// A load from scratch.
///
/// # Safety
/// See [`super::load_global`].
#[inline(always)]
pub(crate) unsafe fn load_scratch<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    let mut e = Failed::no();
    // SAFETY: rows of the wave. Offsets are tested against `scratch_bytes`, of which `scratch` has whole rows; memory is touched by accessors.
    unsafe {
        if let Some(first) = scratch_row::<I, N, K>(state, op, exec, base) {
            let stage = context(state).stage.as_mut_ptr();
            if bytes(K) < 4 {
                I::load_field::<N, K>(first.row, first.bit(), row::<N>(state, op.dst[0]), exec, stage, &mut e);
            } else {
                for d in 0..dwords(K) {
                    I::load_row::<N>(first.dword::<N>(d), row::<N>(state, op.dst[d]), exec, stage, &mut e);
                }
            }
            return if e.any() { lost_scratch(state, op, exec, first.at) } else { 0 };
        }
        for lane in LaneIter(exec) {
            let at = scratch_offset::<N>(state, op, lane, base);
            let mut data = [0u8; 16];
            e = Failed::no();
            e.note(in_scratch(state, at, bytes(K)));
            for (byte, at) in data.iter_mut().zip(at..).take(if e.any() { 0 } else { bytes(K) }) {
                let from = scratch_byte::<N>(state, at, lane);
                checked::scratch(state).verify("load", op.pc, lane, from, 1);
                *byte = access::load8(from, &mut e);
            }
            if e.any() {
                return fault(state, op.pc, exec, FaultKind::Scratch, lane as u32, at.into());
            }
            for d in 0..dwords(K) {
                *row::<N>(state, op.dst[d]).add(lane) = element_dword::<K>(data.as_ptr(), d);
            }
        }
    }
    0
}

/// A store to scratch.
///
/// # Safety
/// See [`super::load_global`].
#[inline(always)]
pub(crate) unsafe fn store_scratch<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    let mut e = Failed::no();
    // SAFETY: as for loads.
    unsafe {
        if let Some(first) = scratch_row::<I, N, K>(state, op, exec, base) {
            let stage = context(state).stage.as_mut_ptr();
            if bytes(K) < 4 {
                I::store_field::<N, K>(first.row, first.bit(), row::<N>(state, op.data[0]), exec, stage, &mut e);
            } else {
                for d in 0..dwords(K) {
                    I::store_row::<N>(first.dword::<N>(d), row::<N>(state, op.data[d]), exec, stage, &mut e);
                }
            }
            return if e.any() { lost_scratch(state, op, exec, first.at) } else { 0 };
        }
        let src = op.data.map(|r| if r == NO_ROW { state.rows } else { row::<N>(state, r) }.cast_const());
        for lane in LaneIter(exec) {
            let at = scratch_offset::<N>(state, op, lane, base);
            let mut data = [0u8; 16];
            stage_lane::<K>(data.as_mut_ptr(), &src, lane);
            e = Failed::no();
            e.note(in_scratch(state, at, bytes(K)));
            for (byte, at) in data.iter().zip(at..).take(if e.any() { 0 } else { bytes(K) }) {
                let to = scratch_byte::<N>(state, at, lane);
                checked::scratch(state).verify("store", op.pc, lane, to, 1);
                access::store8(to, *byte, &mut e);
            }
            if e.any() {
                return fault(state, op.pc, exec, FaultKind::Scratch, lane as u32, at.into());
            }
        }
    }
    0
}
