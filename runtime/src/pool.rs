//! Persistent threads that run dispatches. The thread that launches works too; the others are started when they are first needed.

use crate::dispatch::Job;
use crate::fork::generation;
use crate::memory::fault;
use crate::memory::texture::SharedRoutines;
use crate::sync::Mutex;
use crate::workgroup::Workgroup;
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::sync::{Arc, Condvar, PoisonError};

/// A dispatch on offer to the threads.
struct Offer {
    job: Arc<Job>,
    gate: Arc<Gate>,
}

/// Who is inside a dispatch, and whether others may still enter.
#[derive(Default)]
struct Gate {
    /// Waited for, so not one of [`crate::sync`]; a child of fork(2) does not know this dispatch.
    inside: std::sync::Mutex<Inside>,
    left: Condvar,
}
#[derive(Default)]
struct Inside {
    threads: usize,
    closed: bool,
}

impl Gate {
    fn lock(&self) -> std::sync::MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn enter(&self) -> bool {
        let mut inside = self.lock();
        if inside.closed {
            return false;
        }
        inside.threads += 1;
        true
    }
    fn leave(&self) {
        let mut inside = self.lock();
        inside.threads -= 1;
        if inside.threads == 0 {
            self.left.notify_all();
        }
    }
    /// Lets nobody in any more and waits for those inside.
    fn close(&self) {
        let mut inside = self.lock();
        inside.closed = true;
        while inside.threads != 0 {
            inside = self.left.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Leaves the gate even if a defect of ours panics.
struct ActiveGuard<'a>(&'a Gate);
impl Drop for ActiveGuard<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// The way to the threads of a process.
struct Offers {
    sender: Sender<Offer>,
    /// See [`generation`].
    generation: u32,
}

/// What a thread keeps between the dispatches of a device.
#[derive(Default)]
pub(crate) struct Locals {
    /// Storage of workgroups.
    pub spare: Vec<Workgroup>,
    /// What it knows of image instructions; the waves of `spare` refer to it.
    pub routines: SharedRoutines,
}

// SAFETY: spare workgroups hold no live waves, and their pointers are set anew at every start. `routines` is counted without atomics, but all
// that refer to it are waves of `spare`, which go where it goes.
unsafe impl Send for Locals {}

/// The threads of a device.
pub struct Pool {
    threads: usize,
    /// Where the threads take dispatches from, once they have been started.
    offers: Mutex<Option<Offers>>,
    /// What launching threads keep: each dispatch takes one.
    kept: Mutex<Vec<Locals>>,
}

impl Pool {
    /// `threads` threads, the launching one included; 0: as many as the host has.
    pub fn new(threads: usize) -> Pool {
        let host = || std::thread::available_parallelism().map_or(1, usize::from);
        Pool { threads: if threads == 0 { host() } else { threads.min(1024) }, offers: Mutex::default(), kept: Mutex::default() }
    }

    /// Threads that run a dispatch at most.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What launching threads know of image instructions.
    #[cfg(test)]
    pub(crate) fn routines(&self) -> Vec<std::rc::Weak<std::cell::RefCell<crate::memory::texture::Routines>>> {
        self.kept.lock().iter().map(|l| std::rc::Rc::downgrade(&l.routines)).collect()
    }

    /// Runs `job` on at most `threads` threads; returns when all have left it.
    pub(crate) fn run(&self, job: &Arc<Job>, threads: usize) {
        let mut locals = self.kept.lock().pop().unwrap_or_default();
        if threads <= 1 {
            job.work(&mut locals);
        } else {
            let gate = Arc::new(Gate::default());
            let offers = self.offers();
            for _ in 1..threads {
                // Fails only when no thread could be started; then this one does it all.
                let _ = offers.send(Offer { job: job.clone(), gate: gate.clone() });
            }
            job.work(&mut locals);
            gate.close();
        }
        self.kept.lock().push(locals);
    }

    /// The way to the threads, which are started now if there are none.
    fn offers(&self) -> Sender<Offer> {
        let mut offers = self.offers.lock();
        if let Some(known) = offers.as_ref().filter(|o| o.generation == generation()) {
            return known.sender.clone();
        }
        forget_others(offers.take());
        let sender = self.start();
        *offers = Some(Offers { sender: sender.clone(), generation: generation() });
        sender
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

impl Drop for Pool {
    fn drop(&mut self) {
        forget_others(self.offers.get_mut().take());
    }
}

/// The threads of another process may have been in the middle of taking an offer when this one was forked: what they share with us is
/// not touched again.
fn forget_others(offers: Option<Offers>) {
    if offers.as_ref().is_some_and(|o| o.generation != generation()) {
        std::mem::forget(offers);
    }
}

/// A pool thread: until the pool is dropped.
fn serve(offers: &Receiver<Offer>) {
    let _unblocked = fault::unblock();
    let mut locals = Locals::default();
    while let Ok(offer) = offers.recv() {
        if offer.gate.enter() {
            let _inside = ActiveGuard(&offer.gate);
            offer.job.work(&mut locals);
        }
    }
}
