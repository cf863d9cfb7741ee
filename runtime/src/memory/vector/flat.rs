//! Flat addresses: each lane in the space its address lies in.

use super::{first_lane, lane_address, row};
use crate::memory::lanes::*;
use wavejit_ir::Space;
use wavejit_ir::abi::{MemOp, NO_ROW, PRIVATE_APERTURE_HI, SHARED_APERTURE_HI, WaveState};

/// Runs an access through flat addresses, by what `access` does in a space for some lanes.
///
/// # Safety
/// See [`super::load_global`].
#[inline(always)]
pub(crate) unsafe fn flat<I: Isa, const N: usize>(
    state: *const WaveState,
    op: &MemOp,
    exec: u64,
    base: u64,
    access: impl FnMut(Space, u64) -> u32,
) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on. The reference ends here: `access` changes the state.
    let (lds, scratch) = unsafe { apertures::<I, N>(&*state, op, exec, base) };
    in_lane_order(exec, lds, scratch, access)
}

/// Lanes whose flat address lies in (LDS, scratch).
///
/// # Safety
/// The rows that `op` names exist.
#[inline(always)]
unsafe fn apertures<I: Isa, const N: usize>(state: &WaveState, op: &MemOp, exec: u64, base: u64) -> (u64, u64) {
    // SAFETY: passed on.
    unsafe {
        if op.offset[1] != NO_ROW {
            // All lanes in one 4 GiB range, neither it nor the next an aperture: the usual global access.
            let high = row::<N>(state, op.offset[1]);
            let high0 = *high.add(first_lane(exec));
            let start = (base.wrapping_add(op.imm as u64).wrapping_add(u64::from(high0) << 32) >> 32) as u32;
            let near = |aperture: u32| aperture.wrapping_sub(start) <= 1;
            if I::eq_iota::<N>(high, high0, 0) & exec == exec && !near(SHARED_APERTURE_HI) && !near(PRIVATE_APERTURE_HI) {
                return (0, 0);
            }
        }
        let (mut lds, mut scratch) = (0, 0);
        for lane in LaneIter(exec) {
            let high = (lane_address::<N>(state, op, lane, base) >> 32) as u32;
            lds |= u64::from(high == SHARED_APERTURE_HI) << lane;
            scratch |= u64::from(high == PRIVATE_APERTURE_HI) << lane;
        }
        (lds, scratch)
    }
}

/// Runs a flat access space by space, neighboring lanes of one space together, until a part faults.
#[inline(always)]
fn in_lane_order(exec: u64, lds: u64, scratch: u64, mut access: impl FnMut(Space, u64) -> u32) -> u32 {
    let global = exec & !(lds | scratch);
    let mut left = exec;
    while left != 0 {
        let lowest = left & left.wrapping_neg();
        let (space, mine) = match (lds & lowest, scratch & lowest) {
            (0, 0) => (Space::Global, global),
            (0, _) => (Space::Scratch, scratch),
            _ => (Space::Lds, lds),
        };
        // Up to the first lane that lies elsewhere.
        let others = left & !mine;
        let lanes = left & mine & (others & others.wrapping_neg()).wrapping_sub(1);
        if access(space, lanes) != 0 {
            return 1;
        }
        left &= !lanes;
    }
    0
}
