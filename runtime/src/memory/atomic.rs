//! Read-modify-write operations of a wave: global (host atomics), LDS and scratch (plain, since one thread runs a workgroup).
//!
//! Lanes go in order, lowest first; each sees the effects of those before it. Meaning of the operations: numerics.md section 14.
//! Misaligned is a fault (LDS-06, BUF-23); out of range in LDS does nothing and returns 0.

use super::access::{self, Failed};
use super::checked;
use super::lanes::*;
use super::vector::{context, fault, host, in_scratch, lane_address, row, scratch_byte};
use wavejit_ir::abi::{FaultKind, MemOp, NO_ROW, WaveState};
use wavejit_isa::Feature;
use wavejit_texture::atomic::{AtomicOp, FloatRules, apply32, apply64};

/// A memory cell of 4 or 8 bytes, as the lane loop sees it.
pub(super) trait Cell: Copy + Default {
    const BYTES: u64;
    fn apply(op: AtomicOp, old: Self, data: [Self; 2], rules: FloatRules) -> Self;
    fn is_data(op: AtomicOp, dwords: [u32; 4]) -> [Self; 2];
    fn dwords(self) -> [u32; 2];
    fn load(p: u64, e: &mut Failed) -> Self;
    /// # Safety
    /// `p` is aligned guest memory, or unmapped. So for the next.
    unsafe fn compare_swap(p: u64, old: Self, new: Self, e: &mut Failed) -> Self;
    /// The operation as one host instruction, if there is one.
    unsafe fn direct(op: AtomicOp, p: u64, data: [Self; 2], e: &mut Failed) -> Option<Self>;
    fn bits_equal(self, other: Self) -> bool;
}

macro_rules! cell {
    ($ty:ty, $apply:ident, $load:ident, $cas:ident, $add:ident, $swap:ident, |$w:ident| $data:expr, |$v:ident| $dwords:expr) => {
        impl Cell for $ty {
            const BYTES: u64 = size_of::<$ty>() as u64;
            #[inline(always)]
            fn apply(op: AtomicOp, old: Self, data: [Self; 2], rules: FloatRules) -> Self {
                $apply(op, old, data, rules)
            }
            #[inline(always)]
            fn is_data(_op: AtomicOp, $w: [u32; 4]) -> [Self; 2] {
                $data
            }
            #[inline(always)]
            fn dwords(self) -> [u32; 2] {
                let $v = self;
                $dwords
            }
            #[inline(always)]
            fn load(p: u64, e: &mut Failed) -> Self {
                access::$load(p, e)
            }
            #[inline(always)]
            unsafe fn compare_swap(p: u64, old: Self, new: Self, e: &mut Failed) -> Self {
                // SAFETY: passed on.
                unsafe { access::$cas(p, old, new, e) }
            }
            #[inline(always)]
            unsafe fn direct(op: AtomicOp, p: u64, data: [Self; 2], e: &mut Failed) -> Option<Self> {
                // SAFETY: passed on.
                unsafe {
                    Some(match op {
                        AtomicOp::Add => access::$add(p, data[0], e),
                        AtomicOp::Sub => access::$add(p, data[0].wrapping_neg(), e),
                        AtomicOp::Swap => access::$swap(p, data[0], e),
                        AtomicOp::CmpSwap => access::$cas(p, data[1], data[0], e),
                        _ => return None,
                    })
                }
            }
            #[inline(always)]
            fn bits_equal(self, other: Self) -> bool {
                self == other
            }
        }
    };
}
cell!(u32, apply32, load32, compare_swap32, fetch_add32, swap32, |w| [w[0], w[1]], |v| [v, 0]);
cell!(
    u64,
    apply64,
    load64,
    compare_swap64,
    fetch_add64,
    swap64,
    |w| [u64::from(w[0]) | u64::from(w[1]) << 32, u64::from(w[2]) | u64::from(w[3]) << 32],
    |v| [v as u32, (v >> 32) as u32]
);

/// Data rows of an atomic; missing ones read row 0 and are not used.
#[inline(always)]
pub(super) unsafe fn data_rows<const N: usize>(state: &WaveState, op: &MemOp) -> [*const u32; 4] {
    // SAFETY: the caller's `op` names rows of the wave.
    op.data.map(|r| if r == NO_ROW { state.rows } else { unsafe { row::<N>(state, r) } }.cast_const())
}

#[inline(always)]
pub(super) unsafe fn lane_data<C: Cell>(op: AtomicOp, rows: &[*const u32; 4], lane: usize) -> [C; 2] {
    // SAFETY: the rows have that lane.
    C::is_data(op, rows.map(|r| unsafe { *r.add(lane) }))
}

#[inline(always)]
unsafe fn put_result<C: Cell, const N: usize>(state: &WaveState, op: &MemOp, lane: usize, old: C) {
    if op.flags & MemOp::RETURNS != 0 {
        let dwords = old.dwords();
        // SAFETY: the caller's `op` names rows of the wave.
        unsafe {
            *row::<N>(state, op.dst[0]).add(lane) = dwords[0];
            if C::BYTES == 8 {
                *row::<N>(state, op.dst[1]).add(lane) = dwords[1];
            }
        }
    }
}

#[inline(always)]
unsafe fn global_lanes<C: Cell, const N: usize>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    let what = AtomicOp::numbered(op.atomic);
    // SAFETY: the caller's `op` names rows of the wave; addresses are checked.
    unsafe {
        let rules = rules(state, false);
        let data = data_rows::<N>(state, op);
        for lane in LaneIter(exec) {
            let address = lane_address::<N>(state, op, lane, base);
            let mut e = Failed::no();
            let mut old = C::default();
            if !address.is_multiple_of(C::BYTES) {
                return fault(state, op.pc, exec, FaultKind::Misaligned, lane as u32, address);
            }
            match host(state, address) {
                Some(p) => {
                    checked::guest(state).verify("atomic", op.pc, lane, p, C::BYTES as usize);
                    let data = lane_data::<C>(what, &data, lane);
                    old = match C::direct(what, p, data, &mut e) {
                        Some(old) => old,
                        None => update(p, |old| C::apply(what, old, data, rules), is_min_max(what), &mut e),
                    };
                }
                None => e.note(false),
            }
            if e.any() {
                return fault(state, op.pc, exec, FaultKind::Unmapped, lane as u32, address);
            }
            put_result::<C, N>(state, op, lane, old);
        }
    }
    0
}

fn is_min_max(op: AtomicOp) -> bool {
    matches!(op, AtomicOp::SMin | AtomicOp::SMax | AtomicOp::UMin | AtomicOp::UMax)
}

/// Compare-and-swap loop; the old value. `may_look`: where nothing changes it is enough to have looked.
///
/// # Safety
/// `p` is aligned guest memory, or unmapped.
#[inline(always)]
unsafe fn update<C: Cell>(p: u64, f: impl Fn(C) -> C, may_look: bool, e: &mut Failed) -> C {
    let mut old = C::load(p, e);
    while !e.any() {
        let new = f(old);
        if may_look && new.bits_equal(old) {
            break;
        }
        // SAFETY: passed on.
        let seen = unsafe { C::compare_swap(p, old, new, e) };
        if seen.bits_equal(old) {
            break;
        }
        old = seen;
    }
    old
}

/// Integer operations whose combination does not depend on the order, so that equal addresses need one access.
fn combine(op: AtomicOp, a: u32, b: u32) -> Option<u32> {
    Some(match op {
        AtomicOp::Add | AtomicOp::Sub => a.wrapping_add(b),
        AtomicOp::And => a & b,
        AtomicOp::Or => a | b,
        AtomicOp::Xor => a ^ b,
        AtomicOp::UMin => a.min(b),
        AtomicOp::UMax => a.max(b),
        AtomicOp::SMin => (a as i32).min(b as i32) as u32,
        AtomicOp::SMax => (a as i32).max(b as i32) as u32,
        _ => return None,
    })
}

/// All lanes at one address, no result wanted, operands combinable: (combined operand, lane that stands for all).
#[inline(always)]
unsafe fn combined<I: Isa, const N: usize>(state: &WaveState, op: &MemOp, exec: u64) -> Option<(u32, usize)> {
    let what = AtomicOp::numbered(op.atomic);
    if op.flags & (MemOp::WIDE | MemOp::RETURNS) != 0 || combine(what, 0, 0).is_none() {
        return None;
    }
    let first = exec.trailing_zeros() as usize;
    // SAFETY: the caller's `op` names rows of the wave.
    unsafe {
        for r in op.offset.into_iter().filter(|r| *r != NO_ROW) {
            let row = row::<N>(state, r);
            if I::eq_iota::<N>(row, *row.add(first), 0) & exec != exec {
                return None;
            }
        }
        let data = row::<N>(state, op.data[0]);
        let mut all = *data.add(first);
        for lane in LaneIter(exec & (exec - 1)) {
            all = combine(what, all, *data.add(lane))?;
        }
        Some((all, first))
    }
}

/// Atomics of the global space.
///
/// # Safety
/// As for loads and stores: `state` is a complete wave of `N` lanes; `op` names rows it has; the host has what `I` needs. So for all below.
#[inline(always)]
pub(crate) unsafe fn atomic_global<I: Isa, const N: usize>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        if let Some((all, lane)) = combined::<I, N>(state, op, exec) {
            // One lane does it for all, with the combined operand in its place for the moment.
            let data = row::<N>(state, op.data[0]).add(lane);
            let own = std::mem::replace(&mut *data, all);
            let failed = global_lanes::<u32, N>(state, op, 1 << lane, base);
            *row::<N>(state, op.data[0]).add(lane) = own;
            state.fault_exec = exec;
            return failed;
        }
        if op.flags & MemOp::WIDE == 0 {
            global_lanes::<u32, N>(state, op, exec, base)
        } else {
            global_lanes::<u64, N>(state, op, exec, base)
        }
    }
}

/// Offsets in LDS of all lanes, from those in `row`: lanes that have `bytes` there.
///
/// # Safety
/// `row` and `offsets` have `N` dwords; the host has what `I` needs.
#[inline(always)]
pub(super) unsafe fn lds_places<I: Isa, const N: usize>(
    state: &WaveState,
    op: &MemOp,
    row: *const u32,
    base: u64,
    bytes: u32,
    offsets: *mut u32,
) -> u64 {
    let mask = if state.lds_bytes > 0x1_0000 { state.lds_bytes.next_power_of_two() - 1 } else { 0xffff };
    let add = (base as u32).wrapping_add(op.imm as u32);
    // SAFETY: passed on.
    unsafe { I::lds_offsets::<N>(row, add, mask, bytes, state.lds_bytes, offsets) }
}

/// The lane loop of LDS: `f` makes the new value.
#[inline(always)]
unsafe fn lds_lanes<C: Cell, I: Isa, const N: usize>(
    state: &mut WaveState,
    op: &MemOp,
    exec: u64,
    base: u64,
    f: impl Fn(C, [C; 2]) -> C,
) -> u32 {
    // SAFETY: the caller's `op` names rows of the wave; offsets are checked against `lds_bytes`.
    unsafe {
        let offsets = context(state).addrs.as_mut_ptr().cast::<u32>();
        let zero = [0u32; 64];
        let low = if op.offset[0] == NO_ROW { zero.as_ptr() } else { row::<N>(state, op.offset[0]).cast_const() };
        let inside = lds_places::<I, N>(state, op, low, base, C::BYTES as u32, offsets);
        let data = data_rows::<N>(state, op);
        let what = AtomicOp::numbered(op.atomic);
        for lane in LaneIter(exec) {
            let at = *offsets.add(lane);
            if !u64::from(at).is_multiple_of(C::BYTES) {
                return fault(state, op.pc, exec, FaultKind::Misaligned, lane as u32, at.into());
            }
            let mut old = C::default();
            if inside >> lane & 1 != 0 {
                checked::lds(state).verify("atomic", op.pc, lane, state.lds as u64 + u64::from(at), C::BYTES as usize);
                let cell = state.lds.add(at as usize).cast::<C>();
                old = *cell;
                *cell = f(old, lane_data::<C>(what, &data, lane));
            }
            put_result::<C, N>(state, op, lane, old);
        }
    }
    0
}

/// Atomics of LDS.
///
/// # Safety
/// See [`atomic_global`].
#[inline(always)]
pub(crate) unsafe fn atomic_lds<I: Isa, const N: usize>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    if exec == 0 {
        return 0;
    }
    let what = AtomicOp::numbered(op.atomic);
    // SAFETY: passed on.
    unsafe {
        let rules = rules(state, true);
        match (op.flags & MemOp::WIDE != 0, what) {
            // Those that kernels use all the time get a loop of their own.
            (false, AtomicOp::Add) => lds_lanes::<u32, I, N>(state, op, exec, base, |old, d| old.wrapping_add(d[0])),
            (false, AtomicOp::UMax) => lds_lanes::<u32, I, N>(state, op, exec, base, |old, d| old.max(d[0])),
            (false, AtomicOp::UMin) => lds_lanes::<u32, I, N>(state, op, exec, base, |old, d| old.min(d[0])),
            (false, AtomicOp::Or) => lds_lanes::<u32, I, N>(state, op, exec, base, |old, d| old | d[0]),
            (false, _) => lds_lanes::<u32, I, N>(state, op, exec, base, |old, d| apply32(what, old, d, rules)),
            (true, AtomicOp::Add) => lds_lanes::<u64, I, N>(state, op, exec, base, |old, d| old.wrapping_add(d[0])),
            (true, _) => lds_lanes::<u64, I, N>(state, op, exec, base, |old, d| apply64(what, old, d, rules)),
        }
    }
}

/// Atomics on cells of scratch.
///
/// # Safety
/// See [`atomic_global`].
#[cold]
unsafe fn cells_of_scratch<C: Cell, const N: usize>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    let what = AtomicOp::numbered(op.atomic);
    // SAFETY: the caller's `op` names rows of the wave; offsets are tested against `scratch_bytes`, and accessors touch memory.
    unsafe {
        let rules = rules(state, false);
        let data = data_rows::<N>(state, op);
        for lane in LaneIter(exec) {
            let at = lane_address::<N>(state, op, lane, base) as u32;
            if !u64::from(at).is_multiple_of(C::BYTES) {
                return fault(state, op.pc, exec, FaultKind::Misaligned, lane as u32, at.into());
            }
            let mut e = Failed::no();
            e.note(in_scratch(state, at, C::BYTES as usize));
            if !e.any() {
                let low = scratch_byte::<N>(state, at, lane);
                let high = low.wrapping_add(if C::BYTES == 8 { 4 * N as u64 } else { 0 });
                for dword in [low, high] {
                    checked::scratch(state).verify("atomic", op.pc, lane, dword, 4);
                }
                let old = C::is_data(what, [access::load32(low, &mut e), access::load32(high, &mut e), 0, 0])[0];
                let new = C::apply(what, old, lane_data::<C>(what, &data, lane), rules).dwords();
                if C::BYTES == 8 && !e.any() {
                    access::store32(high, new[1], &mut e);
                }
                if !e.any() {
                    access::store32(low, new[0], &mut e);
                    put_result::<C, N>(state, op, lane, old);
                }
            }
            if e.any() {
                return fault(state, op.pc, exec, FaultKind::Scratch, lane as u32, at.into());
            }
        }
    }
    0
}

/// Atomics that a flat address brings to scratch.
///
/// # Safety
/// See [`atomic_global`].
pub(crate) unsafe fn atomic_scratch<const N: usize>(state: &mut WaveState, op: &MemOp, exec: u64, base: u64) -> u32 {
    // SAFETY: passed on.
    unsafe {
        match op.flags & MemOp::WIDE != 0 {
            true => cells_of_scratch::<u64, N>(state, op, exec, base),
            false => cells_of_scratch::<u32, N>(state, op, exec, base),
        }
    }
}

/// numerics.md section 14 and LDS-11: memory flushes denormal inputs up to gfx11, LDS goes by MODE.
unsafe fn rules(state: &WaveState, lds: bool) -> FloatRules {
    // SAFETY: the caller's state has its context.
    let ctx = unsafe { context(state) };
    if lds {
        FloatRules { denorm_in: ctx.mode.denorm_in32(), denorm_out: ctx.mode.denorm_out32() }
    } else {
        FloatRules { denorm_in: ctx.target.has(Feature::AtomicsKeepDenormals), denorm_out: true }
    }
}
