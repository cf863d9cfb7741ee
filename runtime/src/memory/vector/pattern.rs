//! How the addresses of a wave's lanes relate, and accesses that use it.

use super::{context, element_dword, first_lane, host, last_lane, row, stage_lane};
use crate::memory::access::Failed;
use crate::memory::checked::{self, CHECKED};
use crate::memory::lanes::*;
use wavejit_ir::abi::{MemOp, NO_ROW, WaveState};

/// How the lanes' addresses relate; addresses are host addresses.
pub(super) enum Pattern {
    /// First active lane's address; the others follow.
    Consecutive(u64),
    /// The one address.
    Uniform(u64),
    /// `base + row[lane]`, in these lanes.
    Rows { base: u64, row: *const u32, lanes: u64 },
    /// Something is out of range.
    Lanes,
}

impl Pattern {
    /// Checked builds see that every lane stays in what the wave was lent.
    #[inline(always)]
    fn verify<const N: usize, const K: u8>(&self, state: &WaveState, op: &MemOp, exec: u64, access: &str, of: checked::Of) {
        if !CHECKED {
            return;
        }
        let lent = of(state);
        let lanes = match *self {
            Pattern::Rows { lanes, .. } => lanes,
            Pattern::Lanes => 0,
            Pattern::Consecutive(_) | Pattern::Uniform(_) => exec,
        };
        assert!(lanes & !exec == 0 && exec & !full(N) == 0, "{access} at pc {:#x}: lanes {lanes:#x} of {exec:#x}", op.pc);
        for lane in LaneIter(lanes) {
            let address = match *self {
                Pattern::Consecutive(first) => first.wrapping_add(((lane - first_lane(exec)) * bytes(K)) as u64),
                // SAFETY: rows have N lanes, and `lane` is one of `exec`.
                Pattern::Rows { base, row, .. } => base.wrapping_add(unsafe { *row.add(lane) }.into()),
                Pattern::Uniform(address) => address,
                Pattern::Lanes => return,
            };
            lent.verify(access, op.pc, lane, address, bytes(K));
        }
    }
}

/// `exec` has a lane.
#[inline(always)]
pub(super) unsafe fn global_pattern<I: Isa, const N: usize, const K: u8>(state: &WaveState, op: &MemOp, exec: u64, base: u64) -> Pattern {
    let mut base = base.wrapping_add(op.imm as u64);
    if op.offset[0] == NO_ROW {
        return host(state, base).map_or(Pattern::Lanes, Pattern::Uniform);
    }
    let (first, last, stride) = (first_lane(exec), last_lane(exec), bytes(K) as u32);
    // SAFETY: rows of the wave have N lanes.
    unsafe {
        let low = row::<N>(state, op.offset[0]);
        let low0 = *low.add(first);
        if op.offset[1] != NO_ROW {
            let high = row::<N>(state, op.offset[1]);
            let high0 = *high.add(first);
            if I::eq_iota::<N>(high, high0, 0) & exec != exec {
                return Pattern::Lanes;
            }
            base = base.wrapping_add(u64::from(high0) << 32);
        }
        let address = base.wrapping_add(low0.into());
        if I::eq_iota::<N>(low, low0.wrapping_sub(first as u32 * stride), stride) & exec == exec
            && low0.checked_add((last - first) as u32 * stride).is_some()
        {
            return host(state, address).map_or(Pattern::Lanes, Pattern::Consecutive);
        }
        if I::eq_iota::<N>(low, low0, 0) & exec == exec {
            return host(state, address).map_or(Pattern::Lanes, Pattern::Uniform);
        }
        // In range are the least and the greatest, so all are: the guard behind the window catches an element that sticks out.
        let (least, most) = I::min_max::<N>(low, exec);
        if host(state, base.wrapping_add(least.into())).is_some() && host(state, base.wrapping_add(most.into())).is_some() {
            return Pattern::Rows { base: state.mem_base.wrapping_add(base), row: low, lanes: exec };
        }
        Pattern::Lanes
    }
}

/// Address bits an LDS access uses (LDS-04).
#[inline(always)]
fn lds_mask(lds_bytes: u32) -> u32 {
    if lds_bytes > 0x1_0000 { lds_bytes.next_power_of_two() - 1 } else { 0xffff }
}

/// `exec` has a lane. Never `Lanes`: lanes out of range are missing from `Rows`.
#[inline(always)]
pub(super) unsafe fn lds_pattern<I: Isa, const N: usize, const K: u8>(state: &WaveState, op: &MemOp, exec: u64, base: u64) -> Pattern {
    let (mask, limit, len) = (lds_mask(state.lds_bytes), u64::from(state.lds_bytes), bytes(K) as u64);
    let add = (base as u32).wrapping_add(op.imm as u32);
    let lds = state.lds as u64;
    // SAFETY: rows of the wave have N lanes; `addrs` has room for 64 dwords.
    unsafe {
        let offsets = context(state).addrs.as_mut_ptr().cast::<u32>();
        let nowhere = Pattern::Rows { base: lds, row: offsets, lanes: 0 };
        if op.offset[0] == NO_ROW {
            let at = u64::from(add & mask);
            return if at + len <= limit { Pattern::Uniform(lds + at) } else { nowhere };
        }
        let low = row::<N>(state, op.offset[0]);
        let (first, last) = (first_lane(exec), last_lane(exec));
        let low0 = *low.add(first);
        let at = u64::from(low0.wrapping_add(add) & mask);
        let stride = bytes(K) as u32;
        if at + (last - first) as u64 * len + len <= limit
            && I::eq_iota::<N>(low, low0.wrapping_sub(first as u32 * stride), stride) & exec == exec
        {
            return Pattern::Consecutive(lds + at);
        }
        if I::eq_iota::<N>(low, low0, 0) & exec == exec {
            return if at + len <= limit { Pattern::Uniform(lds + at) } else { nowhere };
        }
        let ok = I::lds_offsets::<N>(low, add, mask, stride, state.lds_bytes, offsets);
        Pattern::Rows { base: lds, row: offsets, lanes: exec & ok }
    }
}

/// Asks for the lines that a wave a few waves later will touch if waves walk through memory, as they mostly do. Never faults.
#[inline(always)]
fn fetch_ahead(address: u64, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address has no effect but on caches.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add((4 * bytes + line) as u64) as *const i8) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (address, bytes);
}

/// Runs a planned load; false if lane by lane is needed.
#[inline(always)]
pub(super) unsafe fn load_by_pattern<I: Isa, const N: usize, const K: u8>(
    state: &WaveState,
    op: &MemOp,
    exec: u64,
    pattern: Pattern,
    of: checked::Of,
) -> bool {
    let mut e = Failed::no();
    pattern.verify::<N, K>(state, op, exec, "load", of);
    // SAFETY: `MemOp` names rows of the wave; `stage` has room for any access (`N * bytes(K)` is `STAGE_BYTES` at most); `global_pattern` and
    // `lds_pattern` have tested the addresses.
    unsafe {
        let stage = context(state).stage.as_mut_ptr();
        let dst = op.dst.map(|r| if r == NO_ROW { state.rows } else { row::<N>(state, r) });
        match pattern {
            Pattern::Consecutive(address) => {
                fetch_ahead(address, N * bytes(K));
                I::load_consecutive::<N, K>(address, exec, stage, &dst, &mut e);
            }
            Pattern::Uniform(address) => {
                load_element::<K>(stage, address, &mut e);
                if !e.any() {
                    for (d, dst) in dst.iter().enumerate().take(dwords(K)) {
                        I::broadcast::<N>(element_dword::<K>(stage, d), *dst, exec);
                    }
                }
            }
            Pattern::Rows { base, row, lanes } => {
                I::gather::<N, K>(base, row, lanes, stage, &dst, &mut e);
                if lanes != exec && !e.any() {
                    for dst in dst.iter().take(dwords(K)) {
                        I::broadcast::<N>(0, *dst, exec & !lanes);
                    }
                }
            }
            Pattern::Lanes => return false,
        }
    }
    !e.any()
}

/// Runs a planned store; false if lane by lane is needed.
#[inline(always)]
pub(super) unsafe fn store_by_pattern<I: Isa, const N: usize, const K: u8>(
    state: &WaveState,
    op: &MemOp,
    exec: u64,
    pattern: Pattern,
    of: checked::Of,
) -> bool {
    let mut e = Failed::no();
    pattern.verify::<N, K>(state, op, exec, "store", of);
    // SAFETY: as for loads.
    unsafe {
        let stage = context(state).stage.as_mut_ptr();
        let src = op.data.map(|r| if r == NO_ROW { state.rows } else { row::<N>(state, r) }.cast_const());
        match pattern {
            Pattern::Consecutive(address) => {
                fetch_ahead(address, N * bytes(K));
                I::store_consecutive::<N, K>(address, exec, stage, &src, &mut e);
            }
            Pattern::Uniform(address) => {
                stage_lane::<K>(stage, &src, last_lane(exec));
                store_element::<K>(address, stage, &mut e);
            }
            Pattern::Rows { base, row, lanes } => {
                I::pack::<N, K>(&src, stage);
                I::scatter::<N, K>(base, row, lanes, stage, &mut e);
            }
            Pattern::Lanes => return false,
        }
    }
    !e.any()
}
