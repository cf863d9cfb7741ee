//! When something is done: the end of a job, or from the start.

use crate::context::RingQueue;
use std::sync::Arc;
use std::sync::atomic::Ordering::Acquire;
use wavejit::queue::Point;

/// Something that ends.
#[derive(Clone)]
pub(crate) enum Fence {
    /// It has.
    Done,
    /// A job of a ring.
    Job(Job),
}

/// A job.
#[derive(Clone)]
pub(crate) struct Job {
    pub ring: Arc<RingQueue>,
    /// Its number in the ring.
    pub sequence: u64,
    /// For queues that wait for it.
    pub point: Point,
}

impl Fence {
    /// Has it ended?
    pub(crate) fn is_done(&self) -> bool {
        match self {
            Fence::Done => true,
            Fence::Job(job) => job.ring.completed.load(Acquire) >= job.sequence,
        }
    }

    /// What a queue has to wait for.
    pub(crate) fn point(&self) -> Option<Point> {
        match self {
            Fence::Job(job) if !self.is_done() => Some(job.point.clone()),
            _ => None,
        }
    }
}
