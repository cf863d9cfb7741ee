//! Persistent threads that work together on what they are offered. The thread that launches works too; the others are started when they are first needed.

use crate::host::fork::{Section, generation};
use crate::host::sync::Mutex;
use crate::memory::fault;
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::sync::{Arc, Condvar, PoisonError};

/// What several threads can work on, each with what it keeps (`L`) between two of them.
pub(crate) trait Work<L>: Send + Sync {
    /// Works until there is nothing left to do.
    fn work(&self, locals: &mut L);
}

/// Work on offer to the threads.
struct Offer<L> {
    work: Arc<dyn Work<L>>,
    gate: Arc<Gate>,
}

/// Who is at work on an offer, and whether others may still enter.
#[derive(Default)]
struct Gate {
    /// Waited for, so not one of [`crate::host::sync`]; a child of fork(2) does not know this work.
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
struct Offers<L> {
    sender: Sender<Offer<L>>,
    /// See [`generation`].
    generation: u32,
}

/// The threads of a device.
pub(crate) struct Pool<L> {
    threads: usize,
    /// Where the threads take offers from, once they have been started.
    offers: Mutex<Option<Offers<L>>>,
    /// What launching threads keep: each takes one.
    kept: Mutex<Vec<L>>,
}

impl<L: Default + Send + 'static> Pool<L> {
    /// `threads` threads, the launching one included; 0: as many as the host has.
    pub(crate) fn new(threads: usize) -> Pool<L> {
        let host = || std::thread::available_parallelism().map_or(1, usize::from);
        Pool { threads: if threads == 0 { host() } else { threads.min(1024) }, offers: Mutex::default(), kept: Mutex::default() }
    }

    /// Threads that work together at most.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// What launching threads keep.
    #[cfg(test)]
    pub(crate) fn kept<T>(&self, look: impl Fn(&L) -> T) -> Vec<T> {
        self.kept.lock().iter().map(look).collect()
    }

    /// Has at most `threads` threads at work, this one included; returns when all have left it. The section `before` ends when it begins; one for what follows
    /// is returned.
    pub(crate) fn run<W: Work<L> + 'static>(&self, work: &Arc<W>, threads: usize, before: Section) -> Section {
        let mut locals = self.kept.lock().pop().unwrap_or_default();
        if threads <= 1 {
            drop(before);
            work.work(&mut locals);
        } else {
            let gate = Arc::new(Gate::default());
            let offers = self.offers();
            for _ in 1..threads {
                // Fails only when no thread could be started; then this one does it all.
                let _ = offers.send(Offer { work: work.clone(), gate: gate.clone() });
            }
            drop(before);
            work.work(&mut locals);
            gate.close();
        }
        let after = Section::begin();
        self.kept.lock().push(locals);
        after
    }

    /// The way to the threads, which are started now if there are none.
    fn offers(&self) -> Sender<Offer<L>> {
        let mut offers = self.offers.lock();
        if let Some(known) = offers.as_ref().filter(|o| o.generation == generation()) {
            return known.sender.clone();
        }
        forget_others(offers.take());
        let sender = self.start();
        *offers = Some(Offers { sender: sender.clone(), generation: generation() });
        sender
    }

    fn start(&self) -> Sender<Offer<L>> {
        let (send, receive) = unbounded();
        for i in 1..self.threads {
            let receive = receive.clone();
            // A host that refuses threads leaves the work to those there are.
            let _ = std::thread::Builder::new().name(format!("wavejit-{i}")).spawn(move || serve(&receive));
        }
        send
    }
}

impl<L> Drop for Pool<L> {
    fn drop(&mut self) {
        forget_others(self.offers.get_mut().take());
    }
}

/// The threads of another process may have been in the middle of taking an offer when this one was forked: what they share with us is
/// not touched again.
fn forget_others<L>(offers: Option<Offers<L>>) {
    if offers.as_ref().is_some_and(|o| o.generation != generation()) {
        std::mem::forget(offers);
    }
}

/// A pool thread: until the pool is dropped.
fn serve<L: Default>(offers: &Receiver<Offer<L>>) {
    let _ready = fault::ready_for_others();
    let mut locals = L::default();
    while let Ok(offer) = offers.recv() {
        if offer.gate.enter() {
            let _inside = ActiveGuard(&offer.gate);
            offer.work.work(&mut locals);
        }
    }
}
