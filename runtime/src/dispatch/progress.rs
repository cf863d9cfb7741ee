//! What a dispatch is doing, for a thread that watches it: lend a [`Progress`] to the launch, and look at it meanwhile.
//!
//! ```
//! use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
//! use wavejit::{Device, DeviceConfig, Launch, LaunchConfig, Progress};
//!
//! // A kernel that never ends, until it is canceled.
//! let code = include_bytes!("../../../shaders/bin/faults.gfx1100.wave32.hsaco");
//! let device = Device::new(DeviceConfig::default())?;
//! let (kernel, buffer) = (device.load(code)?.kernel("endless_loop")?, device.alloc(4)?);
//! let (progress, cancel) = (Progress::default(), AtomicU32::new(0));
//! std::thread::scope(|s| {
//!     s.spawn(|| {
//!         progress.ask();
//!         while progress.look().place.is_none() {
//!             std::thread::yield_now();
//!         }
//!         cancel.store(1, Relaxed);
//!     });
//!     let kernarg = buffer.address().to_le_bytes();
//!     let config = LaunchConfig { progress: Some(&progress), cancel: Some(&cancel), ..Default::default() };
//!     let launch = Launch { config, kernarg: Some(&kernarg), ..Default::default() };
//!     assert!(kernel.launch(&launch).is_err(), "it was canceled");
//! });
//! let look = progress.look();
//! assert_eq!((look.workgroups, look.workgroups_done), (1, 0));
//! assert_eq!(look.place.unwrap().kernel, "endless_loop");
//! # Ok::<(), wavejit::Error>(())
//! ```

use crate::fault::Place;
use crate::host::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What a dispatch is doing. Reading it does not slow the dispatch down; the counts are those of slices that have ended, so a moment old.
#[derive(Default, Debug)]
pub struct Progress {
    /// Of the whole dispatch; 0 while it is translated.
    workgroups: AtomicU64,
    workgroups_done: AtomicU64,
    waves_running: AtomicU64,
    guest_insts: AtomicU64,
    is_asked: AtomicBool,
    place: Mutex<Option<Place>>,
}

/// A look at a [`Progress`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// Workgroups of the dispatch; 0: the kernel is being translated, or no launch has begun.
    pub workgroups: u64,
    /// Workgroups that have ended.
    pub workgroups_done: u64,
    /// Waves of workgroups that have begun and not ended.
    pub waves_running: u64,
    /// Guest instructions run, all waves together.
    pub guest_insts: u64,
    /// Where a wave was when [`Progress::ask`] was answered.
    pub place: Option<Place>,
}

/// What a thread has done. It does not tell of every workgroup: threads would fight for the line of memory that the counts are in.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Done {
    /// Workgroups that have ended.
    pub workgroups: u64,
    /// Waves of workgroups that have begun and not ended.
    pub waves_running: u64,
    /// Guest instructions run.
    pub guest_insts: u64,
}

impl Done {
    /// Guest instructions after which it tells: those of 0.1 ms and more.
    const ENOUGH: u64 = 1 << 16;

    /// Is there enough that is not told?
    pub(crate) fn is_news(&self, told: &Done) -> bool {
        self.guest_insts.abs_diff(told.guest_insts) >= Done::ENOUGH
    }
}

impl Progress {
    /// What is known now.
    pub fn look(&self) -> Look {
        Look {
            workgroups: self.workgroups.load(Relaxed),
            workgroups_done: self.workgroups_done.load(Relaxed),
            waves_running: self.waves_running.load(Relaxed),
            guest_insts: self.guest_insts.load(Relaxed),
            place: self.place.lock().clone(),
        }
    }

    /// Asks the next wave whose slice ends where it is; [`Look::place`] has the answer, usually within a millisecond.
    pub fn ask(&self) {
        *self.place.lock() = None;
        self.is_asked.store(true, Relaxed);
    }

    /// A dispatch begins to be translated.
    pub(crate) fn prepare(&self) {
        for count in [&self.workgroups, &self.workgroups_done, &self.waves_running, &self.guest_insts] {
            count.store(0, Relaxed);
        }
        *self.place.lock() = None;
    }

    /// A dispatch of this many workgroups begins to run.
    pub(crate) fn begin(&self, workgroups: u64) {
        self.workgroups.store(workgroups, Relaxed);
    }

    /// Adds what a thread has done since it said so last.
    pub(crate) fn add(&self, done: &Done, told: &mut Done) {
        let before = std::mem::replace(told, *done);
        self.workgroups_done.fetch_add(done.workgroups - before.workgroups, Relaxed);
        self.waves_running.fetch_add(done.waves_running.wrapping_sub(before.waves_running), Relaxed);
        // A wave that goes back to a snapshot takes back what it has run.
        self.guest_insts.fetch_add(done.guest_insts.wrapping_sub(before.guest_insts), Relaxed);
    }

    /// A wave can say where it is.
    pub(crate) fn answer(&self, place: impl FnOnce() -> Place) {
        if self.is_asked.load(Relaxed) && self.is_asked.swap(false, Relaxed) {
            *self.place.lock() = Some(place());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arg, Device, DeviceConfig, Engine, Launch, LaunchConfig};

    #[test]
    fn at_the_end_everything_is_done_and_counted() {
        for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
            let device = Device::new(DeviceConfig { engine, threads: 3, ..Default::default() }).unwrap();
            let kernel = device.load(include_bytes!("../../../shaders/bin/triad.gfx1100.wave32.hsaco")).unwrap().kernel("triad").unwrap();
            let buffer = device.alloc(4000).unwrap();
            let args = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::F32(2.0), Arg::U32(1000)];
            let progress = Progress::default();
            let launch = Launch {
                args: &args,
                config: LaunchConfig { progress: Some(&progress), ..LaunchConfig::new([1000, 1, 1], [64, 1, 1]) },
                ..Default::default()
            };
            // A second launch counts anew.
            for _ in 0..2 {
                let stats = kernel.launch(&launch).unwrap();
                let look = progress.look();
                assert_eq!((look.workgroups, look.workgroups_done, look.waves_running), (16, 16, 0), "{engine:?}");
                assert_eq!(look.guest_insts, stats.guest_insts, "{engine:?}");
            }
        }
    }
}
