//! Calls that wait: until a job, a fence or a synchronization object is there or done, or until a time.

use crate::door::{Door, State};
use crate::errno::{Errno, Result};
use crate::fence::Fence;
use crate::raw::read_all;
use crate::uapi::{self, GemWaitIdle, WaitCs, WaitFences};
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::time::Duration;

/// Between two looks of somebody whom nobody wakes.
const PATIENCE: Duration = Duration::from_millis(50);

/// A time on the clock that the kernel calls CLOCK_MONOTONIC, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Deadline(u64);

impl Deadline {
    pub(crate) const NEVER: Deadline = Deadline(u64::MAX);

    /// As calls of amdgpu say it: without a sign, the largest is never.
    pub(crate) fn unsigned(ns: u64) -> Deadline {
        Deadline(ns)
    }

    /// As calls about synchronization objects say it: with a sign; what is past is now.
    pub(crate) fn signed(ns: u64) -> Deadline {
        Deadline(if ns as i64 == i64::MAX { u64::MAX } else { (ns as i64).max(0) as u64 })
    }

    /// A while from now.
    pub(crate) fn after(time: Duration) -> Deadline {
        Deadline(now() + time.as_nanos() as u64)
    }

    fn left(self) -> Option<Duration> {
        if self == Deadline::NEVER {
            return Some(PATIENCE);
        }
        self.0.checked_sub(now()).filter(|left| *left != 0).map(|left| Duration::from_nanos(left).min(PATIENCE))
    }

    /// Looks until there is something, at every change; none when the time has come.
    pub(crate) fn wait_for<T>(self, door: &Door, mut look: impl FnMut(&mut State) -> Option<T>) -> Option<T> {
        let mut state = door.lock();
        loop {
            if let Some(found) = look(&mut state) {
                return Some(found);
            }
            state = door.await_change(state, self.left()?);
        }
    }
}

/// Nanoseconds on that clock.
fn now() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: filled in.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// WAIT_CS: 0 if the job is done, 1 if not.
pub(crate) fn cs(door: &Door, args: &mut WaitCs) -> Result<u64> {
    let WaitCs { handle, timeout, ip_type, ip_instance, ring, ctx_id } = *args;
    let context = door.lock().contexts.get(&ctx_id).cloned().ok_or(Errno::INVAL)?;
    let ring = context.ring(&door.gpu, ip_type, ip_instance, ring)?;
    let submitted = ring.submitted.load(Relaxed);
    let sequence = if handle == u64::MAX { submitted } else { handle };
    if sequence > submitted {
        return Err(Errno::INVAL);
    }
    let is_done = Deadline::unsigned(timeout).wait_for(door, |_| (ring.completed.load(Acquire) >= sequence).then_some(()));
    Ok(u64::from(is_done.is_none()))
}

/// WAIT_FENCES: 1 if they are done, and the number of the first.
pub(crate) fn fences(door: &Door, args: &mut WaitFences) -> Result<u64> {
    let fences = read_all::<uapi::Fence>(args.fences, args.fence_count as usize)?;
    let fences = fences.iter().map(|fence| job(door, fence)).collect::<Result<Vec<_>>>()?;
    let look = |_: &mut State| {
        let first = fences.iter().position(Fence::is_done);
        let is_done = if args.wait_all != 0 { fences.iter().all(Fence::is_done) } else { first.is_some() || fences.is_empty() };
        is_done.then(|| first.unwrap_or(0) as u64)
    };
    let first = Deadline::unsigned(args.timeout_ns).wait_for(door, look);
    Ok(first.map_or(0, |first| 1 | first << 32))
}

/// A job by context, ring and number.
pub(crate) fn job(door: &Door, fence: &uapi::Fence) -> Result<Fence> {
    let context = door.lock().contexts.get(&fence.ctx_id).cloned().ok_or(Errno::INVAL)?;
    let ring = context.ring(&door.gpu, fence.ip_type, fence.ip_instance, fence.ring)?;
    if fence.seq_no > ring.submitted.load(Relaxed) {
        return Err(Errno::INVAL);
    }
    Ok(match ring.point(fence.seq_no) {
        Some(point) => Fence::Job(crate::fence::Job { ring, sequence: fence.seq_no, point }),
        None => Fence::Done,
    })
}

/// GEM_WAIT_IDLE: 0 if no work can be using the buffer.
pub(crate) fn idle(door: &Door, args: &mut GemWaitIdle) -> Result<u64> {
    door.lock().buffers.get(args.handle)?;
    let look = |state: &mut State| {
        let rings = state.contexts.values().flat_map(|context| context.all_rings());
        rings.into_iter().all(|ring| ring.completed.load(Acquire) >= ring.submitted.load(Relaxed)).then_some(())
    };
    const DOMAIN_VRAM: u64 = 4;
    let is_idle = Deadline::unsigned(args.timeout).wait_for(door, look).is_some();
    Ok(u64::from(!is_idle) | DOMAIN_VRAM << 32)
}
