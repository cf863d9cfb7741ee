//! What checked builds verify: every address of a wave's loads, stores and atomics against what the wave was lent, before it is touched.
//!
//! The helpers prove their bounds once for a whole wave, and guest memory is touched by accessors that survive a fault; a proof that is wrong
//! would still reach what is mapped beside. Builds with debug assertions, and those with the feature `checked` (optimized ones, for fuzzing), test
//! each lane. What they find is a defect of ours: a panic that names the access. Helpers cannot unwind into compiled code, so there it ends
//! the process.

use super::EDGE;
use super::context::WaveContext;
use wavejit_ir::abi::WaveState;

/// Does this build verify?
pub(crate) const CHECKED: bool = cfg!(any(debug_assertions, feature = "checked"));

/// Memory that a wave may touch.
pub(crate) struct Lent {
    what: &'static str,
    /// Host address.
    start: u64,
    bytes: u64,
}

/// Which of a wave's memories.
pub(crate) type Of = fn(&WaveState) -> Lent;

/// Guest memory. The guard on both sides of it belongs to it: an access that is in range with its first byte may stick out.
pub(crate) fn guest(state: &WaveState) -> Lent {
    if state.mem_size == u64::MAX {
        return Lent { what: "host memory", start: 0, bytes: u64::MAX };
    }
    let start = state.mem_base.wrapping_add(state.mem_low).wrapping_sub(EDGE);
    Lent { what: "guest memory", start, bytes: state.mem_size.saturating_add(2 * EDGE) }
}

/// LDS of the workgroup.
pub(crate) fn lds(state: &WaveState) -> Lent {
    Lent { what: "LDS", start: state.lds as u64, bytes: state.lds_bytes.into() }
}

/// Scratch of the wave.
pub(crate) fn scratch(state: &WaveState) -> Lent {
    Lent { what: "scratch", start: state.scratch as u64, bytes: u64::from(state.scratch_bytes) * u64::from(state.wave_size) }
}

impl Lent {
    /// Panics unless `bytes` bytes from a host address on are part of it.
    #[inline(always)]
    pub(crate) fn verify(&self, access: &str, pc: u64, lane: usize, address: u64, bytes: usize) {
        if CHECKED && self.bytes != u64::MAX {
            let at = address.wrapping_sub(self.start);
            assert!(
                at <= self.bytes && bytes as u64 <= self.bytes - at,
                "{access} at pc {pc:#x}: lane {lane}: {bytes} bytes at host address {address:#x}, which is not in the {:#x} bytes of {} at {:#x}",
                self.bytes,
                self.what,
                self.start
            );
        }
    }
}

/// Panics unless the wave has a row, where it is known how many it has.
///
/// # Safety
/// `state.ctx` is null or points to a [`WaveContext`].
#[inline(always)]
pub(crate) unsafe fn verify_row(state: &WaveState, row: u16) {
    if CHECKED && !state.ctx.is_null() {
        // SAFETY: passed on.
        let rows = unsafe { (*state.ctx.cast::<WaveContext>()).rows };
        assert!(rows == 0 || u32::from(row) < rows, "row {row} of a wave with {rows}");
    }
}
