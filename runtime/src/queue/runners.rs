//! The threads that run commands of queues, and the list of queues that have something to run.
//!
//! Some are started as soon as there are so many ready queues; more only where those there are do not get on, as kernels that wait for other
//! queues, or for the host, keep theirs: a lookout sees that, because those who wait may themselves be busy with such a command. They end with the process. Threads sleep by std's parking, whose state is their own: a child of fork(2)
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
/// In which runners should get on with the list, or others are added.
const PATIENCE: Duration = Duration::from_millis(1);
/// How long the lookout stays with an empty list, in units of that.
const LINGER: u32 = 100;

struct Ready {
    queues: VecDeque<Arc<Inner>>,
    /// Runners that sleep.
    idle: Vec<Thread>,
    /// Runners there are.
    runners: usize,
    /// Queues that have been taken from the list so far.
    taken: u64,
    /// Is there a thread that looks whether runners get on?
    has_lookout: bool,
    /// See [`generation`].
    generation: u32,
}

static READY: Mutex<Ready> =
    Mutex::new(Ready { queues: VecDeque::new(), idle: Vec::new(), runners: 0, taken: 0, has_lookout: false, generation: 0 });

fn lock() -> MutexGuard<'static, Ready> {
    let mut ready = READY.lock();
    if ready.generation != generation() {
        std::mem::forget(std::mem::take(&mut ready.queues));
        std::mem::forget(std::mem::take(&mut ready.idle));
        (ready.runners, ready.has_lookout, ready.generation) = (0, false, generation());
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
    } else if most == FEW && !ready.has_lookout {
        ready.has_lookout = true;
        drop(ready);
        if std::thread::Builder::new().name("wavejit-lookout".into()).spawn(look_out).is_err() {
            lock().has_lookout = false;
        }
    }
}

/// Adds runners while none of those there are takes what is in the list; ends when there has been nothing for a while.
fn look_out() {
    let (mut before, mut idle) = (0, 0);
    loop {
        std::thread::sleep(PATIENCE);
        let mut ready = lock();
        if ready.queues.is_empty() {
            idle += 1;
            if idle == LINGER {
                ready.has_lookout = false;
                return;
            }
            continue;
        }
        idle = 0;
        if std::mem::replace(&mut before, ready.taken) == ready.taken {
            engage(ready, MANY);
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
    ready.taken += 1;
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
        ready.taken += 1;
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
