//! Persistent threads that run dispatches. The thread that launches works too; the others are started when they are first needed.

use crate::dispatch::Job;
use crate::memory::fault;
use crate::workgroup::Workgroup;
use crossbeam::channel::{Receiver, Sender, unbounded};
use parking_lot::{Condvar, Mutex};
use std::sync::{Arc, OnceLock};

/// A dispatch on offer to the threads.
struct Offer {
    job: Arc<Job>,
    gate: Arc<Gate>,
}

/// Who is inside a dispatch, and whether others may still enter.
#[derive(Default)]
struct Gate {
    inside: Mutex<Inside>,
    left: Condvar,
}
#[derive(Default)]
struct Inside {
    threads: usize,
    closed: bool,
}

impl Gate {
    fn enter(&self) -> bool {
        let mut inside = self.inside.lock();
        if inside.closed {
            return false;
        }
        inside.threads += 1;
        true
    }
    fn leave(&self) {
        let mut inside = self.inside.lock();
        inside.threads -= 1;
        if inside.threads == 0 {
            self.left.notify_all();
        }
    }
    /// Lets nobody in any more and waits for those inside.
    fn close(&self) {
        let mut inside = self.inside.lock();
        inside.closed = true;
        while inside.threads != 0 {
            self.left.wait(&mut inside);
        }
    }
}

/// Leaves the gate even if a defect of ours panics.
struct Inhabitant<'a>(&'a Gate);
impl Drop for Inhabitant<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// The threads of a device.
pub struct Pool {
    threads: usize,
    offers: OnceLock<Sender<Offer>>,
    /// Storage of workgroups, kept by launching threads between dispatches.
    spare: Mutex<Vec<Vec<Workgroup>>>,
}

// SAFETY: spare workgroups hold no live waves; their pointers are set anew at every start.
unsafe impl Send for Pool {}
// SAFETY: as above; access goes through the mutex.
unsafe impl Sync for Pool {}

impl Pool {
    /// `threads` threads, the launching one included; 0: as many as the host has.
    pub fn new(threads: usize) -> Pool {
        let host = || std::thread::available_parallelism().map_or(1, usize::from);
        Pool { threads: if threads == 0 { host() } else { threads.min(1024) }, offers: OnceLock::new(), spare: Mutex::default() }
    }

    /// Threads that run a dispatch at most.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `job` on at most `threads` threads; returns when all have left it.
    pub(crate) fn run(&self, job: &Arc<Job>, threads: usize) {
        let mut spare = self.spare.lock().pop().unwrap_or_default();
        if threads <= 1 {
            job.work(&mut spare);
        } else {
            let gate = Arc::new(Gate::default());
            let offers = self.offers.get_or_init(|| self.start());
            for _ in 1..threads {
                // Fails only when no thread could be started; then this one does it all.
                let _ = offers.send(Offer { job: job.clone(), gate: gate.clone() });
            }
            job.work(&mut spare);
            gate.close();
        }
        self.spare.lock().push(spare);
    }

    fn start(&self) -> Sender<Offer> {
        let (send, receive) = unbounded();
        for i in 1..self.threads {
            let receive = receive.clone();
            // A host that refuses threads leaves the work to those there are.
            let _ = std::thread::Builder::new().name(format!("wavejit-{i}")).spawn(move || serve(&receive));
        }
        send
    }
}

/// A pool thread: until the pool is dropped.
fn serve(offers: &Receiver<Offer>) {
    let _unblocked = fault::unblock();
    let mut spare = Vec::new();
    while let Ok(offer) = offers.recv() {
        if offer.gate.enter() {
            let _inside = Inhabitant(&offer.gate);
            offer.job.work(&mut spare);
        }
    }
}
