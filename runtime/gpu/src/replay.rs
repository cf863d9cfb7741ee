//! Runs recorded jobs again, one after the other, and says where memory ends up different.

use crate::dump::{Dump, PAGE};
use crate::error::Error;
use crate::ring::{Engine, Gpu, Progress, Ring};
use crate::sdma::SdmaRing;
use rustc_hash::FxHashMap;
use wavejit::Device;

/// A device on which recordings run, and the registers that one job has left to the next. The device is a [`Device::window`] that holds all
/// recorded addresses.
pub struct Replay {
    device: Device,
    gpu: Gpu,
    rings: FxHashMap<(u32, Engine, u32), AnyRing>,
}

enum AnyRing {
    Pm4(Box<Ring>),
    Sdma(SdmaRing),
}

/// How a job went.
#[derive(Debug)]
pub struct Outcome {
    /// Why it ended early.
    pub failure: Option<Error>,
    /// It waits for something that nobody will do: another ring was to do it at the same time, or the host.
    pub is_stuck: bool,
    /// Dispatches of its ring so far.
    pub dispatches: u64,
    /// Guest addresses of dwords that are not as recorded after the job, and what they are and were.
    pub differences: Vec<(u64, u32, u32)>,
}

impl Replay {
    /// Nothing has run yet.
    pub fn new(device: Device, gpu: Gpu) -> Replay {
        Replay { device, gpu, rings: FxHashMap::default() }
    }

    /// Brings memory into the recorded state, runs the job, and compares.
    pub fn run(&mut self, dump: &Dump) -> Result<Outcome, wavejit::Error> {
        let memory = self.device.memory().clone();
        for (address, bytes) in &dump.mapped {
            memory.commit(*address, *bytes)?;
        }
        for (address, page) in &dump.before {
            memory.write(*address, page)?;
        }
        let job = &dump.job;
        let gpu = &self.gpu;
        let ring = self.rings.entry((job.context, job.engine, job.ring)).or_insert_with(|| match job.engine {
            Engine::Sdma => AnyRing::Sdma(SdmaRing::new(gpu.clone())),
            engine => AnyRing::Pm4(Box::new(Ring::new(gpu.clone(), engine))),
        });
        let (result, dispatches) = match ring {
            AnyRing::Pm4(ring) => {
                job.ibs.iter().for_each(|(address, dwords)| ring.start(*address, *dwords));
                let result = ring.run();
                (result, ring.dispatches)
            }
            AnyRing::Sdma(ring) => {
                job.ibs.iter().for_each(|(address, dwords)| ring.start(*address, *dwords));
                (ring.run(), 0)
            }
        };
        let (failure, is_stuck) = match result {
            Ok(progress) => (None, progress == Progress::Waiting),
            Err(e) => (Some(e), false),
        };
        let mut differences = vec![];
        for (address, page) in &dump.after {
            let mut found = [0; PAGE];
            memory.read(*address, &mut found)?;
            let dword = |b: &[u8; 4]| u32::from_le_bytes(*b);
            let pairs = found.as_chunks::<4>().0.iter().zip(page.as_chunks::<4>().0).zip((*address..).step_by(4));
            differences.extend(pairs.filter(|((is, was), _)| is != was).map(|((is, was), at)| (at, dword(is), dword(was))));
            // The next job starts from what was recorded.
            memory.write(*address, page)?;
        }
        Ok(Outcome { failure, is_stuck, dispatches, differences })
    }
}
