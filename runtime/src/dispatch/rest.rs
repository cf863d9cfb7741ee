//! Rest: a thread whose workgroups all wait for others, in s_sleep or in global wave sync, leaves its core to those others.
//!
//! A wave that waits in a loop runs instructions, and its budget counts them. While the host lets the thread that it waits for wait for a core, it
//! must not use its budget up, nor that core.

use crate::dispatch::PATIENCE;
use std::sync::atomic::{
    AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::time::{Duration, Instant};

/// Rounds without progress before a thread offers its core, and before it sleeps.
const OFFER: u32 = 64;
const SLEEP: u32 = 1024;
/// How long a thread rests while all others wait too: one of them may have been held up before it could see that it need not.
const ALL_WAIT: Duration = Duration::from_millis(250);

/// Threads of a dispatch that are at work.
#[derive(Default)]
pub(super) struct Crew {
    arrived: AtomicUsize,
    /// Of these, those that have left.
    left: AtomicUsize,
    /// Of these, those that wait for others, or have left.
    idle: AtomicUsize,
}

impl Crew {
    /// All threads have left: the next ones are numbered anew.
    pub(super) fn begin_again(&self) {
        self.arrived.store(0, SeqCst);
        self.left.store(0, SeqCst);
        self.idle.store(0, Relaxed);
    }

    /// Threads that have begun and have not left.
    pub(super) fn at_work(&self) -> usize {
        // In this order: who has left has begun before.
        let left = self.left.load(SeqCst);
        self.arrived.load(SeqCst) - left
    }

    /// A thread begins: its number, and its rest.
    pub(super) fn join(&self) -> (usize, Rest<'_>) {
        let number = self.arrived.fetch_add(1, SeqCst);
        (number, Rest { crew: self, rounds: 0, since: None })
    }
}

/// A thread of a [`Crew`].
pub(super) struct Rest<'a> {
    crew: &'a Crew,
    /// Rounds since it last got on.
    rounds: u32,
    /// Since when it waits, if it is counted as idle.
    since: Option<Instant>,
}

impl Rest<'_> {
    /// After a round in which something was done.
    #[inline(always)]
    pub(super) fn end(&mut self) {
        self.rounds = 0;
        if self.since.take().is_some() {
            self.crew.idle.fetch_sub(1, Relaxed);
        }
    }

    /// After a round in which all waves have waited.
    pub(super) fn take(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
        if self.rounds < OFFER || self.crew.arrived.load(Relaxed) == 1 {
            return;
        }
        let since = *self.since.get_or_insert_with(|| {
            self.crew.idle.fetch_add(1, Relaxed);
            Instant::now()
        });
        if self.crew.idle.load(Relaxed) == self.crew.arrived.load(Relaxed) && since.elapsed() > ALL_WAIT {
            return;
        }
        if self.rounds < SLEEP {
            std::thread::yield_now();
        } else {
            std::thread::sleep(PATIENCE);
        }
    }
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.crew.left.fetch_add(1, SeqCst);
        if self.since.is_none() {
            self.crew.idle.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle(crew: &Crew) -> usize {
        crew.idle.load(Relaxed)
    }

    #[test]
    fn a_thread_alone_never_rests() {
        let crew = Crew::default();
        let (number, mut rest) = crew.join();
        (0..2 * SLEEP).for_each(|_| rest.take());
        assert_eq!((number, idle(&crew), rest.since), (0, 0, None));
        drop(rest);
        assert_eq!(idle(&crew), 1);
    }

    #[test]
    fn threads_that_wait_or_have_left_are_idle() {
        let crew = Crew::default();
        let ((_, mut a), (number, b)) = (crew.join(), crew.join());
        assert_eq!(number, 1);
        (1..OFFER).for_each(|_| a.take());
        assert_eq!(idle(&crew), 0);
        (0..2).for_each(|_| a.take());
        assert_eq!(idle(&crew), 1);
        a.end();
        assert_eq!((idle(&crew), a.rounds), (0, 0));
        (0..OFFER).for_each(|_| a.take());
        drop(b);
        assert_eq!(idle(&crew), 2);
        drop(a);
        assert_eq!(idle(&crew), 2);
    }
}
