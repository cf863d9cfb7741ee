//! Accesses lane by lane, for what was not planned: they know the lane to blame, and the address.

use super::{element_dword, fault, host, lane_address, row, stage_lane};
use crate::memory::access::Failed;
use crate::memory::lanes::*;
use wavejit_ir::abi::{FaultKind, MemOp, NO_ROW, WaveState};

/// Loads an element dword by dword. `Err`: the first address where that is not possible.
fn load_parts<const K: u8>(state: &WaveState, address: u64, data: &mut [u8; 16]) -> Result<(), u64> {
    for at in (0..bytes(K)).step_by(4) {
        let mut e = Failed::no();
        let (part, to) = (address.wrapping_add(at as u64), data[at..].as_mut_ptr());
        // SAFETY: `data` has room for any element.
        unsafe {
            match host(state, part) {
                Some(from) if K < B32 => load_element::<K>(to, from, &mut e),
                Some(from) => load_element::<B32>(to, from, &mut e),
                None => e.note(false),
            }
        }
        if e.any() {
            return Err(part);
        }
    }
    Ok(())
}

/// Stores an element dword by dword. `Err`: the first address where that is not possible; what is below has been stored.
fn store_parts<const K: u8>(state: &WaveState, address: u64, data: &[u8; 16]) -> Result<(), u64> {
    for at in (0..bytes(K)).step_by(4) {
        let mut e = Failed::no();
        let (part, from) = (address.wrapping_add(at as u64), data[at..].as_ptr());
        // SAFETY: `data` holds any element.
        unsafe {
            match host(state, part) {
                Some(to) if K < B32 => store_element::<K>(to, from, &mut e),
                Some(to) => store_element::<B32>(to, from, &mut e),
                None => e.note(false),
            }
        }
        if e.any() {
            return Err(part);
        }
    }
    Ok(())
}

#[cold]
pub(super) unsafe fn load_lanes<const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    for lane in LaneIter(exec) {
        let mut data = [0u8; 16];
        // SAFETY: rows of the wave.
        unsafe {
            let address = lane_address::<N>(state, op, lane, base);
            if let Err(address) = load_parts::<K>(state, address, &mut data) {
                return fault(state, op.pc, exec, FaultKind::Unmapped, lane as u32, address);
            }
            for (d, r) in op.dst.iter().enumerate().take(dwords(K)) {
                *row::<N>(state, *r).add(lane) = element_dword::<K>(data.as_ptr(), d);
            }
        }
    }
    0
}

#[cold]
pub(super) unsafe fn store_lanes<const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    for lane in LaneIter(exec) {
        let mut data = [0u8; 16];
        // SAFETY: rows of the wave; `data` has room for any element.
        unsafe {
            let src = op.data.map(|r| if r == NO_ROW { state.rows } else { row::<N>(state, r) }.cast_const());
            let address = lane_address::<N>(state, op, lane, base);
            stage_lane::<K>(data.as_mut_ptr(), &src, lane);
            if let Err(address) = store_parts::<K>(state, address, &data) {
                return fault(state, op.pc, exec, FaultKind::Unmapped, lane as u32, address);
            }
        }
    }
    0
}
