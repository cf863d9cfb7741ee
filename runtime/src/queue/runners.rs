//! The threads that run commands of queues, and the list of queues that have something to run.
//!
//! Some are started as soon as there are so many ready queues; more only where those there are do not get on, as kernels that wait for other
//! queues, or for the host, keep theirs. They end with the process. Threads sleep by std's parking, whose state is their own: a child of fork(2)
//! finds the list at rest, and starts runners of its own.

use super::{Inner, Turn};
use crate::host::fork::generation;
use crate::host::sync::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::Thread;
use std::time::Duration;

/// Runners that are started without hesitation.
const FEW: usize = 4;
/// Most runners.
const MANY: usize = 64;
/// Between two runs of a command that asks for another one.
const PAUSE: Duration = Duration::from_micros(50);

struct Ready {
    queues: VecDeque<Arc<Inner>>,
    /// Runners that sleep.
    idle: Vec<Thread>,
    /// Runners there are.
    runners: usize,
    /// See [`generation`].
    generation: u32,
}

static READY: Mutex<Ready> = Mutex::new(Ready { queues: VecDeque::new(), idle: Vec::new(), runners: 0, generation: 0 });

fn lock() -> MutexGuard<'static, Ready> {
    let mut ready = READY.lock();
    if ready.generation != generation() {
        std::mem::forget(std::mem::take(&mut ready.queues));
        std::mem::forget(std::mem::take(&mut ready.idle));
        (ready.runners, ready.generation) = (0, generation());
    }
    ready
}

/// Puts an active queue into the list, and sees to it that somebody takes it.
pub(super) fn schedule(queue: Arc<Inner>) {
    let mut ready = lock();
    ready.queues.push_back(queue);
    engage(ready, FEW);
}

/// Wakes a runner, or starts one if there are fewer than `most`.
fn engage(mut ready: MutexGuard<'static, Ready>, most: usize) {
    if let Some(thread) = ready.idle.pop() {
        drop(ready);
        thread.unpark();
    } else if ready.runners < most {
        ready.runners += 1;
        let number = ready.runners;
        drop(ready);
        if std::thread::Builder::new().name(format!("wavejit-queue-{number}")).spawn(serve).is_err() {
            // Those who wait run commands, too.
            lock().runners -= 1;
        }
    }
}

/// There is somebody who waits: adds a runner if queues wait for one.
pub(super) fn reinforce() {
    let ready = lock();
    if !ready.queues.is_empty() {
        engage(ready, MANY);
    }
}

/// Runs commands of a queue, up to a value of its counter, if it is in the list. False if it was not.
pub(super) fn help(queue: &Arc<Inner>, until: u64) -> bool {
    let mut ready = lock();
    let Some(at) = ready.queues.iter().position(|q| Arc::ptr_eq(q, queue)) else { return false };
    ready.queues.remove(at);
    drop(ready);
    match queue.run(until) {
        Turn::Left => {}
        Turn::More => schedule(queue.clone()),
        Turn::Again => {
            std::thread::sleep(PAUSE);
            schedule(queue.clone());
        }
    }
    true
}

/// A runner.
fn serve() {
    loop {
        let mut ready = lock();
        let Some(queue) = ready.queues.pop_front() else {
            ready.idle.push(std::thread::current());
            drop(ready);
            std::thread::park();
            forget_idle();
            continue;
        };
        drop(ready);
        match queue.run(u64::MAX) {
            Turn::Left => {}
            Turn::More => lock().queues.push_back(queue),
            Turn::Again => {
                std::thread::sleep(PAUSE);
                lock().queues.push_back(queue);
            }
        }
    }
}

/// A runner that woke by itself is not idle.
fn forget_idle() {
    let me = std::thread::current().id();
    lock().idle.retain(|thread| thread.id() != me);
}
