//! Queues of commands: what streams of HIP, and rings of a GPU, are made of.
//!
//! A [`Queue`] runs its commands one after the other; queues run beside each other. Each has a counter of commands that are complete, and
//! a [`Point`] is a queue and a value of its counter. A command may wait for points of other queues: then its queue is *parked* at that
//! point, and no thread waits. Whoever completes the last command before the point schedules it again.
//!
//! ```text
//! push -> commands -> [ready list] -> a runner takes the queue, runs commands
//!                          ^                 | the next command waits for a point
//!                          +-- complete() <--+ parked there
//! ```
//!
//! A queue is in the ready list, at a runner, parked, or has nothing to do: in one of these places only, which is what `State::is_active` says
//! (the first three). Runners (`runners.rs`) are threads beside those that run workgroups; a thread that waits for a point helps.
//!
//! In a child of fork(2) there are no runners, and what was pushed before is not run: counters jump to their ends.

mod runners;
#[cfg(test)]
mod tests;

use crate::host::fork::generation;
use crate::host::sync::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread::Thread;
use std::time::Duration;

/// Commands that a runner takes from one queue before it looks at others.
const TURN: usize = 64;
/// How long a thread that waits sleeps before it looks whether runners are missing.
const PATIENCE: Duration = Duration::from_millis(5);

/// What a command says when it has been run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is complete.
    Done,
    /// Not yet, for it waits for something that nobody announces, such as a value in memory: it is to be run again after a while.
    Again,
}

/// What a command does.
pub type Work = Box<dyn FnMut() -> Outcome + Send>;

/// Commands that run one after the other. Cheap to clone; clones are the same queue. What has been pushed runs even if all of them are dropped.
///
/// ```
/// use wavejit::queue::{Outcome, Queue};
/// use std::sync::{Arc, Mutex};
///
/// let (first, second) = (Queue::new(), Queue::new());
/// let seen = Arc::new(Mutex::new(Vec::new()));
/// let note = |what: &'static str| {
///     let seen = seen.clone();
///     Box::new(move || { seen.lock().unwrap().push(what); Outcome::Done })
/// };
/// let produced = first.push(vec![], note("produced"));
/// second.push(vec![produced], note("consumed")).wait();
/// assert_eq!(*seen.lock().unwrap(), ["produced", "consumed"]);
/// ```
#[derive(Clone)]
pub struct Queue(Arc<Inner>);

/// The end of a command, and of all before it in its queue.
#[derive(Clone)]
pub struct Point {
    queue: Arc<Inner>,
    value: u64,
}

struct Inner {
    state: Mutex<State>,
    /// Commands that are complete.
    completed: AtomicU64,
    /// Waiters in `state`.
    waiting: AtomicUsize,
}

#[derive(Default)]
struct State {
    commands: VecDeque<Command>,
    /// Commands ever pushed.
    pushed: u64,
    /// See the module.
    is_active: bool,
    waiters: Vec<(u64, Waiter)>,
    /// See [`generation`].
    generation: u32,
}

struct Command {
    /// What it waits for; the last one first.
    waits: Vec<Point>,
    work: Work,
}

/// Who is to be told when a counter has reached a value.
enum Waiter {
    Queue(Arc<Inner>),
    Thread(Thread),
}

impl Waiter {
    fn wake(self) {
        match self {
            Waiter::Queue(queue) => runners::schedule(queue),
            Waiter::Thread(thread) => thread.unpark(),
        }
    }
}

/// How a turn of a queue ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    /// Nothing to do, or parked.
    Left,
    /// There is more to do.
    More,
    /// Its next command wants to be run again later.
    Again,
}

impl Default for Queue {
    fn default() -> Self {
        Queue::new()
    }
}

impl Queue {
    /// An empty queue.
    pub fn new() -> Queue {
        crate::host::fork::install();
        let state = State { generation: generation(), ..Default::default() };
        Queue(Arc::new(Inner { state: Mutex::new(state), completed: AtomicU64::new(0), waiting: AtomicUsize::new(0) }))
    }

    /// Adds a command that runs after all before it in this queue, and after `waits`. The point at its end.
    pub fn push(&self, mut waits: Vec<Point>, work: Work) -> Point {
        waits.retain(|point| !Arc::ptr_eq(&point.queue, &self.0) && !point.is_reached());
        let mut state = self.0.lock();
        state.pushed += 1;
        let value = state.pushed;
        state.commands.push_back(Command { waits, work });
        let is_new = !std::mem::replace(&mut state.is_active, true);
        drop(state);
        if is_new {
            runners::schedule(self.0.clone());
        }
        Point { queue: self.0.clone(), value }
    }

    /// The end of all that has been pushed so far.
    pub fn last(&self) -> Point {
        Point { queue: self.0.clone(), value: self.0.lock().pushed }
    }

    /// Is everything complete that has been pushed?
    pub fn is_idle(&self) -> bool {
        self.last().is_reached()
    }

    /// Commands that have been pushed and are not complete.
    pub fn backlog(&self) -> u64 {
        self.0.lock().pushed.saturating_sub(self.0.completed.load(SeqCst))
    }
}

impl Point {
    /// Has the queue got there?
    pub fn is_reached(&self) -> bool {
        self.queue.completed.load(SeqCst) >= self.value
    }

    /// Waits until the queue has got there. Runs what is ready meanwhile, so it must not be called with locks that commands take, nor by commands.
    pub fn wait(&self) {
        while !self.is_reached() {
            // Forgets what a fork has taken from us.
            drop(self.queue.lock());
            if runners::help(&self.queue, self.value) {
                continue;
            }
            if self.queue.park(self.value, || Waiter::Thread(std::thread::current())) {
                std::thread::park_timeout(PATIENCE);
                self.queue.forget_thread();
                if !self.is_reached() {
                    runners::reinforce();
                }
            }
        }
    }

    /// The queue and the value, as numbers that tell points apart.
    pub fn id(&self) -> (usize, u64) {
        (Arc::as_ptr(&self.queue) as usize, self.value)
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        if state.generation != generation() {
            // Runners of another process may have been in the middle of these.
            std::mem::forget(std::mem::take(&mut state.commands));
            std::mem::forget(std::mem::take(&mut state.waiters));
            (state.is_active, state.generation) = (false, generation());
            self.waiting.store(0, SeqCst);
            self.completed.store(state.pushed, SeqCst);
        }
        state
    }

    /// Has `waiter` told when the counter reaches `value`; false if it has.
    fn park(&self, value: u64, waiter: impl FnOnce() -> Waiter) -> bool {
        let mut state = self.lock();
        // First this, then the counter; whoever completes does it the other way round.
        self.waiting.fetch_add(1, SeqCst);
        if self.completed.load(SeqCst) >= value {
            self.waiting.fetch_sub(1, SeqCst);
            return false;
        }
        state.waiters.push((value, waiter()));
        true
    }

    /// This thread does not wait any more.
    fn forget_thread(&self) {
        let me = std::thread::current().id();
        let mut state = self.lock();
        let before = state.waiters.len();
        state.waiters.retain(|(_, waiter)| !matches!(waiter, Waiter::Thread(thread) if thread.id() == me));
        self.waiting.fetch_sub(before - state.waiters.len(), SeqCst);
    }

    /// Counts a command as complete and tells who waits for that.
    fn complete(&self) {
        let completed = self.completed.fetch_add(1, SeqCst) + 1;
        if self.waiting.load(SeqCst) == 0 {
            return;
        }
        let mut state = self.lock();
        let (told, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut state.waiters).into_iter().partition(|(value, _)| *value <= completed);
        state.waiters = waiting;
        self.waiting.fetch_sub(told.len(), SeqCst);
        drop(state);
        told.into_iter().for_each(|(_, waiter)| waiter.wake());
    }

    /// Runs commands until the counter has reached `until`, as whoever has taken the queue from the ready list.
    fn run(self: &Arc<Self>, until: u64) -> Turn {
        for _ in 0..TURN {
            if self.completed.load(SeqCst) >= until {
                return Turn::More;
            }
            let mut state = self.lock();
            let Some(command) = state.commands.front_mut() else {
                state.is_active = false;
                return Turn::Left;
            };
            while command.waits.last().is_some_and(Point::is_reached) {
                command.waits.pop();
            }
            if let Some(point) = command.waits.last().cloned() {
                drop(state);
                if point.queue.park(point.value, || Waiter::Queue(self.clone())) {
                    return Turn::Left;
                }
                continue;
            }
            let Some(mut command) = state.commands.pop_front() else { return Turn::Left };
            drop(state);
            // What panics has said so; those behind it are not to wait for ever.
            let outcome = catch_unwind(AssertUnwindSafe(&mut command.work)).unwrap_or(Outcome::Done);
            if outcome == Outcome::Again {
                self.lock().commands.push_front(command);
                return Turn::Again;
            }
            drop(command);
            self.complete();
        }
        Turn::More
    }
}
