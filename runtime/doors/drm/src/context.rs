//! Contexts, and the rings of each: a queue of jobs, and the registers that one job leaves to the next.

use crate::door::Door;
use crate::errno::{Errno, Result, say};
use crate::info::rings;
use crate::raw::write_short;
use crate::uapi::{Ctx, Vm, ip};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use wavejit::queue::{Point, Queue};
use wavejit_gpu::{Engine, Error, Gpu, Progress, Ring, SdmaRing};

/// A context of a program.
#[derive(Default)]
pub(crate) struct Context {
    /// Work of it has failed: nothing more runs.
    pub is_lost: AtomicBool,
    rings: Mutex<FxHashMap<(u32, u32), Arc<RingQueue>>>,
}

/// A ring of a context.
pub(crate) struct RingQueue {
    pub queue: Queue,
    pub engine: Mutex<AnyRing>,
    /// Jobs that have ended: they do so in order.
    pub completed: AtomicU64,
    /// Jobs there are. Changed with the door's state locked.
    pub submitted: AtomicU64,
    /// Ends of jobs that have perhaps not been reached, by number.
    points: Mutex<VecDeque<(u64, Point)>>,
}

/// A ring of either kind.
pub(crate) enum AnyRing {
    Pm4(Box<Ring>),
    Sdma(SdmaRing),
}

impl AnyRing {
    fn new(gpu: &Gpu, ip_type: u32) -> AnyRing {
        match ip_type {
            ip::DMA => AnyRing::Sdma(SdmaRing::new(gpu.clone())),
            ip::COMPUTE => AnyRing::Pm4(Box::new(Ring::new(gpu.clone(), Engine::Compute))),
            _ => AnyRing::Pm4(Box::new(Ring::new(gpu.clone(), Engine::Graphics))),
        }
    }

    pub(crate) fn start(&mut self, address: u64, dwords: u32) {
        match self {
            AnyRing::Pm4(ring) => ring.start(address, dwords),
            AnyRing::Sdma(ring) => ring.start(address, dwords),
        }
    }

    pub(crate) fn run(&mut self) -> std::result::Result<Progress, Error> {
        match self {
            AnyRing::Pm4(ring) => ring.run(),
            AnyRing::Sdma(ring) => ring.run(),
        }
    }
}

impl Context {
    /// A ring; made when it is first used.
    pub(crate) fn ring(&self, gpu: &Gpu, ip_type: u32, instance: u32, ring: u32) -> Result<Arc<RingQueue>> {
        if instance != 0 || ring >= rings(ip_type) {
            return Err(Errno::INVAL);
        }
        let mut rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            Arc::new(RingQueue {
                queue: Queue::new(),
                engine: Mutex::new(AnyRing::new(gpu, ip_type)),
                completed: AtomicU64::new(0),
                submitted: AtomicU64::new(0),
                points: Mutex::default(),
            })
        };
        Ok(rings.entry((ip_type, ring)).or_insert_with(make).clone())
    }

    /// Everything that has been submitted.
    pub(crate) fn all_rings(&self) -> Vec<Arc<RingQueue>> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

impl RingQueue {
    /// Remembers the end of a job.
    pub(crate) fn note(&self, sequence: u64, point: Point) {
        let mut points = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        while points.pop_front_if(|(_, point)| point.is_reached()).is_some() {}
        points.push_back((sequence, point));
    }

    /// The end of a job, if it may still be ahead.
    pub(crate) fn point(&self, sequence: u64) -> Option<Point> {
        let points = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        points.iter().find(|(number, _)| *number >= sequence).map(|(_, point)| point.clone())
    }
}

/// CTX.
pub(crate) fn ctx(door: &Door, args: &mut Ctx, at: u64) -> Result {
    const ALLOC: u32 = 1;
    const FREE: u32 = 2;
    const QUERY_STATE: u32 = 3;
    const QUERY_STATE2: u32 = 4;
    const GET_STABLE_PSTATE: u32 = 5;
    const SET_STABLE_PSTATE: u32 = 6;
    const PRIORITY_NORMAL: i32 = 0;
    const PRIORITY_MOST: i32 = 1023;
    let mut state = door.lock();
    let context = |state: &crate::door::State| state.contexts.get(&args.ctx_id).cloned().ok_or(Errno::INVAL);
    let (low, high) = match args.op {
        ALLOC if args.priority > PRIORITY_NORMAL && args.priority <= PRIORITY_MOST => return Err(Errno::ACCES),
        ALLOC => {
            let id = state.new_handle();
            state.contexts.insert(id, Arc::default());
            (u64::from(id), 0)
        }
        FREE => {
            context(&state)?;
            state.contexts.remove(&args.ctx_id);
            (0, 0)
        }
        // flags, then hangs and the status of the last reset: none or guilty.
        QUERY_STATE => {
            let lost = u64::from(context(&state)?.is_lost.load(Relaxed));
            (0, lost | lost << 32)
        }
        // RESET, GUILTY.
        QUERY_STATE2 => (if context(&state)?.is_lost.load(Relaxed) { 1 | 4 } else { 0 }, 0),
        GET_STABLE_PSTATE | SET_STABLE_PSTATE => {
            context(&state)?;
            (0, 0)
        }
        other => {
            say(&format!("CTX: operation {other} is not known"));
            return Err(Errno::INVAL);
        }
    };
    write_short(at, &low, 8)?;
    write_short(at + 8, &high, 8)
}

/// VM: a number for traces.
pub(crate) fn vm(_: &Door, args: &mut Vm) -> Result {
    match args.op {
        1 | 2 => {
            *args = Vm { op: 0, flags: 0 };
            Ok(())
        }
        _ => Err(Errno::INVAL),
    }
}
