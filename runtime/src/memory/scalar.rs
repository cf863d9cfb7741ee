//! Scalar loads: s_load, s_buffer_load.
//!
//! Addresses are dword-aligned by clearing the low bits. Results go to the low halves of `slots`. A fault names the first dword that is not
//! mapped.

use super::access;
use super::vector::{context, fault, host};
use wavejit_ir::abi::{FaultKind, WaveState};
use wavejit_texture::BufferDescriptor;

/// See `Helpers::sload`.
///
/// # Safety
/// `state` is a complete wave.
pub(crate) unsafe extern "C" fn sload(state: *mut WaveState, addr: u64, dwords: u32, pc: u64) -> u32 {
    // SAFETY: passed on.
    let state = unsafe { &mut *state };
    let (address, dwords) = (addr & !3, dwords.min(32) as usize);
    // The guard behind the window catches what sticks out.
    if let Some(p) = host(state, address) {
        if dwords <= 4 {
            // Kernel arguments: a few dwords, and often.
            let mut e = access::Failed::no();
            let words = [0, 1, 2, 3].map(|i| if i < dwords { access::load32(p.wrapping_add(4 * i as u64), &mut e) } else { 0 });
            if !e.any() {
                for (slot, word) in state.slots.iter_mut().zip(&words[..dwords]) {
                    *slot = (*word).into();
                }
                return 0;
            }
        } else {
            let mut words = [0u32; 32];
            // SAFETY: `words` has room for 32.
            if unsafe { access::copy_in(words.as_mut_ptr().cast(), p, 4 * dwords) } {
                for (slot, word) in state.slots.iter_mut().zip(&words[..dwords]) {
                    *slot = (*word).into();
                }
                return 0;
            }
        }
    }
    // The first dword to blame, as a fault of compiled loads names it.
    let each = (0..dwords as u64).map(|i| address.wrapping_add(4 * i));
    let lost = each.into_iter().find(|a| host(state, *a).and_then(access::read_u32).is_none()).unwrap_or(address);
    fault(state, pc, sregs_exec(state), FaultKind::Unmapped, u32::MAX, lost)
}

/// See `Helpers::sbuffer_load`. BUF-18: a dword at `offset >= max(stride, 1) * num_records` reads 0 (gfx8: `num_records` counts bytes).
///
/// # Safety
/// `state` is a complete wave with its context.
pub unsafe extern "C" fn sbuffer_load(state: *mut WaveState, offset: u64, dwords: u32, pc: u64) -> u32 {
    // SAFETY: passed on.
    let (state, ctx) = unsafe { (&mut *state, context(&*state)) };
    let words = [0, 1, 2, 3].map(|i| state.slots[i] as u32);
    let buffer = BufferDescriptor::decode(words, ctx.target.descriptors());
    let (base, limit) = (buffer.base, buffer.scalar_limit());
    let offset = offset & !3;
    let mut words = [0u64; 32];
    let dwords = dwords.min(32) as usize;
    for (i, word) in words.iter_mut().enumerate().take(dwords) {
        let at = offset.wrapping_add(4 * i as u64);
        if at >= limit {
            continue;
        }
        let address = (base & !3).wrapping_add(at);
        match host(state, address).and_then(access::read_u32) {
            Some(v) => *word = v.into(),
            None => return fault(state, pc, sregs_exec(state), FaultKind::Unmapped, u32::MAX, address),
        }
    }
    state.slots[..dwords].copy_from_slice(&words[..dwords]);
    0
}

fn sregs_exec(state: &WaveState) -> u64 {
    u64::from(state.sregs[126]) | u64::from(state.sregs[127]) << 32
}
