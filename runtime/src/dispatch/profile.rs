//! Exact counts of every guest instruction: lend a [`Profile`] to launches, and look at it afterwards.
//!
//! ```
//! use wavejit::{Arg, Device, DeviceConfig, Launch, LaunchConfig, Profile};
//!
//! // 1000 work-items are 32 waves; the last has 8 lanes.
//! let device = Device::new(DeviceConfig::default())?;
//! let triad = device.load(include_bytes!("../../../shaders/bin/triad.gfx1100.wave32.hsaco"))?.kernel("triad")?;
//! let (buffer, profile) = (device.alloc(4000)?, Profile::default());
//! let args = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::F32(3.0), Arg::I32(1000)];
//! let config = LaunchConfig { profile: Some(&profile), ..LaunchConfig::new([1000, 1, 1], [256, 1, 1]) };
//! triad.launch(&Launch { config, args: &args, ..Default::default() })?;
//! let counts = profile.counts();
//! let store = counts.iter().find(|c| c.text.starts_with("global_store")).expect("it stores its result");
//! assert_eq!((store.executions, store.active_lanes), (32, 1000));
//! # Ok::<(), wavejit::Error>(())
//! ```
//!
//! Counting is compiled in: code of a launch without a profile is another translation and has nothing of it. The code counts by *span*: a run of
//! instructions, none but the last of which may fault or write EXEC, so that one counter is exact for each of them. Every thread counts in
//! tables of its own, which are added up when it has no more work.
//!
//! An instruction counts when a wave begins it, with the lanes of EXEC at that moment: one that faults or traps is counted, those behind it are not, and
//! one that this processor cannot run (an error) is not. Waves that are abandoned where they are, because the launch was canceled or
//! another wave failed, may have counted to the end of their span. What a hook took back by going back in time stays counted.

use crate::host::sync::Mutex;
use crate::program::Code;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wavejit_ir::abi::Counter;

/// Counts of the instructions of all launches that it was lent to.
#[derive(Default, Debug)]
pub struct Profile(Mutex<BTreeMap<u64, InstCount>>);

/// What was counted of one guest instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InstCount {
    /// Its guest address.
    pub pc: u64,
    /// Kernel of the launch that came to it first.
    pub kernel: String,
    /// Bytes from the entry of that kernel.
    pub offset: i64,
    /// The instruction, as `wavejit disasm` prints it.
    pub text: String,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Times a wave began it; 0: it was translated, but no wave came there.
    pub executions: u64,
    /// Lanes that were active then, all executions together.
    pub active_lanes: u64,
}

impl Profile {
    /// All instructions that were translated, by address.
    pub fn counts(&self) -> Vec<InstCount> {
        self.0.lock().values().cloned().collect()
    }

    /// Adds what a thread has counted; `uncounted` describes an instruction that nobody has counted before.
    pub(crate) fn add(&self, counters: &WorkerCounters, uncounted: &dyn Fn(u64) -> InstCount) {
        let mut counts = self.0.lock();
        for (Place { delta, .. }, Table { code, counters }) in &counters.tables {
            for (span, counter) in code.counted.iter().zip(counters) {
                for pc in span.iter().map(|pc| pc.wrapping_add(*delta)) {
                    let count = counts.entry(pc).or_insert_with(|| uncounted(pc));
                    count.executions += counter.executions;
                    count.active_lanes += counter.active_lanes;
                }
            }
        }
    }
}

/// Code where it runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    code: *const Code,
    /// How far from where it was lifted.
    delta: u64,
}

struct Table {
    /// Keeps its address from being another's.
    code: Arc<Code>,
    counters: Vec<Counter>,
}

/// The tables of a thread that runs a profiled dispatch.
#[derive(Default)]
pub(crate) struct WorkerCounters {
    tables: HashMap<Place, Table>,
    /// What was asked for last: mostly the same again.
    last: Option<(Place, *mut Counter)>,
}

impl WorkerCounters {
    /// The counters of `code` that runs at `delta`, zero at first. They stay where they are.
    pub(crate) fn of(&mut self, code: &Arc<Code>, delta: u64) -> *mut Counter {
        let place = Place { code: Arc::as_ptr(code), delta };
        if let Some((_, counters)) = self.last.filter(|last| last.0 == place) {
            return counters;
        }
        let make = || Table { code: code.clone(), counters: vec![Counter::default(); code.counted.len()] };
        let counters = self.tables.entry(place).or_insert_with(make).counters.as_mut_ptr();
        self.last = Some((place, counters));
        counters
    }
}
