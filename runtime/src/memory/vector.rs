//! Loads and stores of a whole wave, in every space.
//!
//! Each access is first planned: are the addresses of the active lanes consecutive, all equal, or neither, and are they all in range? The
//! three cases are one copy, one element, and a gather or scatter. Whatever does not fit (an address out of range, a fault, lanes 4 GiB
//! apart) goes lane by lane through `load_lanes` and `store_lanes`, which know the lane to blame. Loads reach the destination rows only
//! when all of them went well, since those may be the address rows.
//!
//! An access that faults blames the first lane, and of it the first dword, that cannot be reached. A store has then stored what comes before,
//! lane by lane and dword by dword, and nothing else, whichever way it was planned; so it is with atomics, and with flat accesses, whose lanes
//! may lie in several spaces.
//!
//! Stores to one address by several lanes: the highest lane wins. LDS: requirements LDS-01 to LDS-05 (out of range reads 0, writes
//! nothing; any alignment). Scratch: `dword[index][lane]`.

use super::access::{self, Failed};
use super::checked::{self, CHECKED, verify_row};
use super::context::WaveContext;
use super::lanes::*;
use wavejit_ir::Space;
use wavejit_ir::abi::{FaultKind, MemOp, NO_ROW, PRIVATE_APERTURE_HI, SHARED_APERTURE_HI, WaveState};

/// A row of the wave.
///
/// # Safety
/// The wave has that row.
#[inline(always)]
pub unsafe fn row<const N: usize>(state: &WaveState, r: u16) -> *mut u32 {
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
pub unsafe fn context<'a>(state: &WaveState) -> &'a mut WaveContext {
    // SAFETY: passed on.
    unsafe { &mut *state.ctx.cast::<WaveContext>() }
}

/// Notes a fault; the value a helper then returns.
#[cold]
pub fn fault(state: &mut WaveState, pc: u64, exec: u64, kind: FaultKind, lane: u32, address: u64) -> u32 {
    state.fault_kind = kind as u32;
    state.fault_addr = address;
    state.fault_pc = pc;
    state.fault_exec = exec;
    state.fault_lane = lane;
    1
}

/// Host address of a guest address that passes the range test.
#[inline(always)]
pub fn host(state: &WaveState, address: u64) -> Option<u64> {
    (address.wrapping_sub(state.mem_low) < state.mem_size).then(|| state.mem_base.wrapping_add(address))
}

/// How the lanes' addresses relate; addresses are host addresses.
enum Plan {
    /// First active lane's address; the others follow.
    Consecutive(u64),
    /// The one address.
    Uniform(u64),
    /// `base + row[lane]`, in these lanes.
    Rows { base: u64, row: *const u32, lanes: u64 },
    /// Something is out of range.
    Lanes,
}

impl Plan {
    /// Checked builds see that every lane stays in what the wave was lent.
    #[inline(always)]
    fn verify<const N: usize, const K: u8>(&self, state: &WaveState, op: &MemOp, exec: u64, access: &str, of: checked::Of) {
        if !CHECKED {
            return;
        }
        let lent = of(state);
        let lanes = match *self {
            Plan::Rows { lanes, .. } => lanes,
            Plan::Lanes => 0,
            Plan::Consecutive(_) | Plan::Uniform(_) => exec,
        };
        assert!(lanes & !exec == 0 && exec & !full(N) == 0, "{access} at pc {:#x}: lanes {lanes:#x} of {exec:#x}", op.pc);
        for lane in Bits(lanes) {
            let address = match *self {
                Plan::Consecutive(first) => first.wrapping_add(((lane - first_lane(exec)) * bytes(K)) as u64),
                // SAFETY: rows have N lanes, and `lane` is one of `exec`.
                Plan::Rows { base, row, .. } => base.wrapping_add(unsafe { *row.add(lane) }.into()),
                Plan::Uniform(address) => address,
                Plan::Lanes => return,
            };
            lent.verify(access, op.pc, lane, address, bytes(K));
        }
    }
}

#[inline(always)]
fn first_lane(exec: u64) -> usize {
    exec.trailing_zeros() as usize
}
#[inline(always)]
fn last_lane(exec: u64) -> usize {
    63 - exec.leading_zeros() as usize
}

/// `exec` has a lane.
#[inline(always)]
unsafe fn plan_global<I: Isa, const N: usize, const K: u8>(state: &WaveState, op: &MemOp, exec: u64, base: u64) -> Plan {
    let mut base = base.wrapping_add(op.imm as u64);
    if op.offset[0] == NO_ROW {
        return host(state, base).map_or(Plan::Lanes, Plan::Uniform);
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
                return Plan::Lanes;
            }
            base = base.wrapping_add(u64::from(high0) << 32);
        }
        let address = base.wrapping_add(low0.into());
        if I::eq_iota::<N>(low, low0.wrapping_sub(first as u32 * stride), stride) & exec == exec
            && low0.checked_add((last - first) as u32 * stride).is_some()
        {
            return host(state, address).map_or(Plan::Lanes, Plan::Consecutive);
        }
        if I::eq_iota::<N>(low, low0, 0) & exec == exec {
            return host(state, address).map_or(Plan::Lanes, Plan::Uniform);
        }
        // In range are the least and the greatest, so all are: the guard behind the window catches an element that sticks out.
        let (least, most) = I::min_max::<N>(low, exec);
        if host(state, base.wrapping_add(least.into())).is_some() && host(state, base.wrapping_add(most.into())).is_some() {
            return Plan::Rows { base: state.mem_base.wrapping_add(base), row: low, lanes: exec };
        }
        Plan::Lanes
    }
}

/// Address bits an LDS access uses (LDS-04).
#[inline(always)]
fn lds_mask(lds_bytes: u32) -> u32 {
    if lds_bytes > 0x1_0000 { lds_bytes.next_power_of_two() - 1 } else { 0xffff }
}

/// `exec` has a lane. Never `Lanes`: lanes out of range are missing from `Rows`.
#[inline(always)]
unsafe fn plan_lds<I: Isa, const N: usize, const K: u8>(state: &WaveState, op: &MemOp, exec: u64, base: u64) -> Plan {
    let (mask, limit, len) = (lds_mask(state.lds_bytes), u64::from(state.lds_bytes), bytes(K) as u64);
    let add = (base as u32).wrapping_add(op.imm as u32);
    let lds = state.lds as u64;
    // SAFETY: rows of the wave have N lanes; `addrs` has room for 64 dwords.
    unsafe {
        let offsets = context(state).addrs.as_mut_ptr().cast::<u32>();
        let nowhere = Plan::Rows { base: lds, row: offsets, lanes: 0 };
        if op.offset[0] == NO_ROW {
            let at = u64::from(add & mask);
            return if at + len <= limit { Plan::Uniform(lds + at) } else { nowhere };
        }
        let low = row::<N>(state, op.offset[0]);
        let (first, last) = (first_lane(exec), last_lane(exec));
        let low0 = *low.add(first);
        let at = u64::from(low0.wrapping_add(add) & mask);
        let stride = bytes(K) as u32;
        if at + (last - first) as u64 * len + len <= limit
            && I::eq_iota::<N>(low, low0.wrapping_sub(first as u32 * stride), stride) & exec == exec
        {
            return Plan::Consecutive(lds + at);
        }
        if I::eq_iota::<N>(low, low0, 0) & exec == exec {
            return if at + len <= limit { Plan::Uniform(lds + at) } else { nowhere };
        }
        let ok = I::lds_offsets::<N>(low, add, mask, stride, state.lds_bytes, offsets);
        Plan::Rows { base: lds, row: offsets, lanes: exec & ok }
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
unsafe fn load_planned<I: Isa, const N: usize, const K: u8>(state: &WaveState, op: &MemOp, exec: u64, plan: Plan, of: checked::Of) -> bool {
    let mut e = Failed::no();
    plan.verify::<N, K>(state, op, exec, "load", of);
    // SAFETY: `MemOp` names rows of the wave; `stage` has room for any access (`N * bytes(K)` is `STAGE_BYTES` at most); `plan_global` and
    // `plan_lds` have tested the addresses.
    unsafe {
        let stage = context(state).stage.as_mut_ptr();
        let dst = op.dst.map(|r| if r == NO_ROW { state.rows } else { row::<N>(state, r) });
        match plan {
            Plan::Consecutive(address) => {
                fetch_ahead(address, N * bytes(K));
                I::load_consecutive::<N, K>(address, exec, stage, &dst, &mut e);
            }
            Plan::Uniform(address) => {
                load_element::<K>(stage, address, &mut e);
                if !e.any() {
                    for (d, dst) in dst.iter().enumerate().take(dwords(K)) {
                        I::broadcast::<N>(element_dword::<K>(stage, d), *dst, exec);
                    }
                }
            }
            Plan::Rows { base, row, lanes } => {
                I::gather::<N, K>(base, row, lanes, stage, &dst, &mut e);
                if lanes != exec && !e.any() {
                    for dst in dst.iter().take(dwords(K)) {
                        I::broadcast::<N>(0, *dst, exec & !lanes);
                    }
                }
            }
            Plan::Lanes => return false,
        }
    }
    !e.any()
}

/// Runs a planned store; false if lane by lane is needed.
#[inline(always)]
unsafe fn store_planned<I: Isa, const N: usize, const K: u8>(
    state: &WaveState,
    op: &MemOp,
    exec: u64,
    plan: Plan,
    of: checked::Of,
) -> bool {
    let mut e = Failed::no();
    plan.verify::<N, K>(state, op, exec, "store", of);
    // SAFETY: as for loads.
    unsafe {
        let stage = context(state).stage.as_mut_ptr();
        let src = op.data.map(|r| if r == NO_ROW { state.rows } else { row::<N>(state, r) }.cast_const());
        match plan {
            Plan::Consecutive(address) => {
                fetch_ahead(address, N * bytes(K));
                I::store_consecutive::<N, K>(address, exec, stage, &src, &mut e);
            }
            Plan::Uniform(address) => {
                stage_lane::<K>(stage, &src, last_lane(exec));
                store_element::<K>(address, stage, &mut e);
            }
            Plan::Rows { base, row, lanes } => {
                I::pack::<N, K>(&src, stage);
                I::scatter::<N, K>(base, row, lanes, stage, &mut e);
            }
            Plan::Lanes => return false,
        }
    }
    !e.any()
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
pub unsafe fn lane_address<const N: usize>(state: &WaveState, op: &MemOp, lane: usize, base: u64) -> u64 {
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
unsafe fn load_lanes<const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    for lane in Bits(exec) {
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
unsafe fn store_lanes<const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    for lane in Bits(exec) {
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

/// Lanes whose flat address lies in (LDS, scratch).
///
/// # Safety
/// The rows that `op` names exist.
#[inline(always)]
pub unsafe fn apertures<I: Isa, const N: usize>(state: &WaveState, op: &MemOp, exec: u64, base: u64) -> (u64, u64) {
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
        for lane in Bits(exec) {
            let high = (lane_address::<N>(state, op, lane, base) >> 32) as u32;
            lds |= u64::from(high == SHARED_APERTURE_HI) << lane;
            scratch |= u64::from(high == PRIVATE_APERTURE_HI) << lane;
        }
        (lds, scratch)
    }
}

/// Runs a flat access space by space, neighboring lanes of one space together, until a part faults.
#[inline(always)]
pub fn in_lane_order(exec: u64, lds: u64, scratch: u64, mut access: impl FnMut(Space, u64) -> u32) -> u32 {
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

/// A load from the global space.
///
/// # Safety
/// `state` is a complete wave of `N` lanes; `op` names rows it has; the host has what `I` needs. So for all below.
#[inline(always)]
pub unsafe fn load_global<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        let plan = plan_global::<I, N, K>(state, op, exec, base);
        if load_planned::<I, N, K>(state, op, exec, plan, checked::guest) { 0 } else { load_lanes::<N, K>(state, op, exec, base) }
    }
}

/// A store to the global space.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub unsafe fn store_global<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        let plan = plan_global::<I, N, K>(state, op, exec, base);
        if store_planned::<I, N, K>(state, op, exec, plan, checked::guest) { 0 } else { store_lanes::<N, K>(state, op, exec, base) }
    }
}

/// A load from LDS.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub unsafe fn load_lds<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec != 0 {
        // SAFETY: passed on. LDS is always mapped, so the plan succeeds.
        unsafe {
            let plan = plan_lds::<I, N, K>(state, op, exec, base);
            load_planned::<I, N, K>(state, op, exec, plan, checked::lds);
        }
    }
    0
}

/// A store to LDS.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub unsafe fn store_lds<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec != 0 {
        // SAFETY: passed on. LDS is always mapped, so the plan succeeds.
        unsafe {
            let plan = plan_lds::<I, N, K>(state, op, exec, base);
            store_planned::<I, N, K>(state, op, exec, plan, checked::lds);
        }
    }
    0
}

/// Scratch offset of a lane.
#[inline(always)]
unsafe fn scratch_offset<const N: usize>(state: &WaveState, op: &MemOp, lane: usize, base: u64) -> u32 {
    let add = (base as u32).wrapping_add(op.imm as u32);
    // SAFETY: rows of the wave.
    if op.offset[0] == NO_ROW { add } else { unsafe { (*row::<N>(state, op.offset[0]).add(lane)).wrapping_add(add) } }
}

/// Are `bytes` bytes from offset `at` on in a lane's scratch?
#[inline(always)]
pub fn in_scratch(state: &WaveState, at: u32, bytes: usize) -> bool {
    u64::from(at) + bytes as u64 <= u64::from(state.scratch_bytes)
}

/// Host address of byte `at` of a lane's scratch.
#[inline(always)]
pub fn scratch_byte<const N: usize>(state: &WaveState, at: u32, lane: usize) -> u64 {
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
/// See [`load_global`].
#[inline(always)]
pub unsafe fn load_scratch<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
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
        for lane in Bits(exec) {
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
/// See [`load_global`].
#[inline(always)]
pub unsafe fn store_scratch<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
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
        for lane in Bits(exec) {
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

/// A load through a flat address: each lane in the space its address lies in.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub unsafe fn load_flat<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        let (lds, scratch) = apertures::<I, N>(state, op, exec, base);
        in_lane_order(exec, lds, scratch, |space, lanes| match space {
            Space::Lds => load_lds::<I, N, K>(state, op, lanes, base),
            Space::Scratch => load_scratch::<I, N, K>(state, op, lanes, base),
            _ => load_global::<I, N, K>(state, op, lanes, base),
        })
    }
}

/// A store through a flat address.
///
/// # Safety
/// See [`load_global`].
#[inline(always)]
pub unsafe fn store_flat<I: Isa, const N: usize, const K: u8>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        let (lds, scratch) = apertures::<I, N>(state, op, exec, base);
        in_lane_order(exec, lds, scratch, |space, lanes| match space {
            Space::Lds => store_lds::<I, N, K>(state, op, lanes, base),
            Space::Scratch => store_scratch::<I, N, K>(state, op, lanes, base),
            _ => store_global::<I, N, K>(state, op, lanes, base),
        })
    }
}

/// Checked builds find plans whose bounds are broken on purpose.
#[cfg(all(test, target_arch = "x86_64", target_os = "linux", any(debug_assertions, feature = "checked")))]
mod tests {
    use super::super::tests::Bench;
    use super::*;
    use crate::memory::address_space::AddressMode;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use wavejit_ir::MemKind;

    const OP: MemOp =
        MemOp { pc: 0x40, imm: 0, offset: [1, NO_ROW], data: [5; 4], dst: [9; 4], space: 0, kind: MemKind::B32 as u8, atomic: 0, flags: 0 };

    fn panic_of(run: impl FnOnce() -> bool) -> Option<String> {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(_) => None,
            Err(panic) => Some(panic.downcast_ref::<String>().expect("a message").clone()),
        }
    }

    /// Loads and stores dwords by a plan, in every instruction set; what they panic with. All lanes of EXEC, or a few.
    fn run(mode: AddressMode, of: checked::Of, plan: fn(&mut Bench) -> Plan) -> Vec<Option<String>> {
        fn both<I: Isa>(mode: AddressMode, of: checked::Of, plan: fn(&mut Bench) -> Plan, exec: u64) -> [Option<String>; 2] {
            let mut bench = Bench::new(mode, 32);
            let plans = [plan(&mut bench), plan(&mut bench)];
            let [first, second] = plans;
            let state = &*bench.state;
            // SAFETY: the bench is a complete wave with these rows; the host has what `I` needs.
            unsafe {
                [
                    panic_of(|| load_planned::<I, 32, B32>(state, &OP, exec, first, of)),
                    panic_of(|| store_planned::<I, 32, B32>(state, &OP, exec, second, of)),
                ]
            }
        }
        let mut out = vec![];
        for exec in [0xffff_ffff, 0x0000_0f08] {
            out.extend(both::<Portable>(mode, of, plan, exec));
            if wavejit_isa::HostLevel::host() == wavejit_isa::HostLevel::Avx512 {
                out.extend(both::<crate::memory::avx512::Avx512>(mode, of, plan, exec));
            }
        }
        out
    }

    fn found(results: &[Option<String>], words: &[&str]) {
        for result in results {
            let message = result.as_ref().expect("checked builds panic");
            assert!(words.iter().all(|w| message.contains(w)), "{words:?} in {message}");
        }
    }

    #[test]
    fn a_lane_outside_of_lds_is_found() {
        // Every lane a dword, the last of them where LDS ends; then one dword farther.
        let good = |b: &mut Bench| Plan::Consecutive(b.state.lds as u64 + u64::from(b.state.lds_bytes) - 4 * 32);
        let bad = |b: &mut Bench| Plan::Consecutive(b.state.lds as u64 + u64::from(b.state.lds_bytes) - 4 * 8);
        let before = |b: &mut Bench| Plan::Uniform(b.state.lds as u64 - 1);
        assert!(run(AddressMode::Isolated, checked::lds, good).iter().all(Option::is_none));
        found(&run(AddressMode::Isolated, checked::lds, bad), &["at pc 0x40", "4 bytes", "bytes of LDS"]);
        found(&run(AddressMode::Isolated, checked::lds, before), &["at pc 0x40", "4 bytes", "bytes of LDS"]);
    }

    #[test]
    fn a_lane_outside_of_guest_memory_is_found() {
        fn rows(b: &mut Bench, last: u32) -> Plan {
            let base = b.state.mem_base.wrapping_add(b.buffer);
            let row = b.row(1);
            (0..32).for_each(|lane| row[lane as usize] = 16 * lane);
            row[11] = last;
            Plan::Rows { base, row: b.row(1).as_ptr(), lanes: 0xf08 }
        }
        let words = ["at pc 0x40", "lane 11", "4 bytes", "guest memory"];
        assert!(run(AddressMode::Isolated, checked::guest, |b| rows(b, 64)).iter().all(Option::is_none));
        // Below the reservation, and far behind it.
        found(
            &run(AddressMode::Isolated, checked::guest, |b| match rows(b, 0) {
                Plan::Rows { base, row, lanes } => Plan::Rows { base: base.wrapping_sub(1 << 45), row, lanes },
                other => other,
            }),
            &["at pc 0x40", "lane 3", "guest memory"],
        );
        fn far(b: &mut Bench) -> Plan {
            b.state.mem_size = 1 << 20;
            b.state.mem_low = b.buffer;
            rows(b, 0x9000_0000)
        }
        found(&run(AddressMode::Isolated, checked::guest, far), &words);
        // The host's memory is all lent.
        assert!(run(AddressMode::Shared, checked::guest, |b| rows(b, 64)).iter().all(Option::is_none));
    }

    #[test]
    fn a_row_that_the_wave_lacks_is_found() {
        let mut bench = Bench::new(AddressMode::Isolated, 32);
        // SAFETY: the bench has its context, which nobody else uses.
        unsafe { context(&bench.state) }.rows = 9;
        let state = &mut *bench.state;
        // SAFETY: the bench is a complete wave, with more rows than it says.
        let message = panic_of(|| unsafe { load_lds::<Portable, 32, B32>(state, &OP, 1, 0) == 0 }).expect("checked builds panic");
        assert!(message.contains("row 9 of a wave with 9"), "{message}");
    }

    #[test]
    fn scratch_beyond_what_was_lent_is_found() {
        let bench = Bench::new(AddressMode::Isolated, 32);
        let lent = checked::scratch(&bench.state);
        let end = bench.state.scratch as u64 + 32 * u64::from(bench.state.scratch_bytes);
        lent.verify("load", 0x40, 31, end - 4, 4);
        let message = panic_of(|| {
            lent.verify("load", 0x40, 31, end - 3, 4);
            true
        });
        assert!(message.expect("checked builds panic").contains("scratch"));
    }
}
