//! The workgroups of a grid shared among threads: neighbours to the same thread, so that what they have in common stays in its caches and threads do not write
//! to the same lines; and no thread without work while another has a lot.
//!
//! A thread claims spans in ascending order, and works through each from its start, a batch at a time. When all are claimed it takes the back half of what
//! another one still has. So the first workgroup that has not ended always runs or is the next of its thread: kernels in which workgroups wait for
//! earlier ones go on.

use crate::host::sync::Mutex;
use crossbeam::utils::CachePadded;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Numbers that a thread takes at once, at most.
const MAX_BATCH: u64 = 64;
/// Spans for each thread.
const SPANS: u64 = 4;
/// Batches for each thread, where the largest allow it.
const BATCHES: u64 = 16;

/// The numbers from 0 on, and which thread has which.
pub(super) struct Shares {
    total: u64,
    batch: u64,
    span: u64,
    /// The first of the next span.
    unclaimed: AtomicU64,
    /// What each thread has claimed and not taken; none where threads claim single batches.
    held: Box<[CachePadded<Mutex<Range<u64>>>]>,
}

impl Shares {
    /// The numbers below `total` for so many threads.
    pub(super) fn new(total: u64, threads: usize) -> Shares {
        let of_each = total / threads as u64;
        let batch = (of_each / BATCHES).clamp(1, MAX_BATCH);
        let is_shared = threads > 1 && of_each >= 2 * BATCHES;
        let span = if is_shared { of_each.div_ceil(SPANS) } else { batch };
        let held = (0..if is_shared { threads } else { 0 }).map(|_| CachePadded::default()).collect();
        Shares { total, batch, span, unclaimed: AtomicU64::new(0), held }
    }

    /// All of them.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Threads for which there is work.
    pub(super) fn threads(&self) -> u64 {
        self.total.div_ceil(self.batch)
    }

    /// The next for a thread; none are left if there are none. One that has units which wait for others takes only higher ones.
    pub(super) fn take(&self, thread: usize, has_waiting: bool) -> Option<Range<u64>> {
        let Some(own) = self.held.get(thread) else { return self.claim() };
        {
            let mut own = own.lock();
            if own.is_empty() {
                *own = self.claim().unwrap_or_default();
            }
            if let Some(batch) = self.cut(&mut own) {
                return Some(batch);
            }
        }
        if has_waiting {
            return None;
        }
        let mut others = self.held[thread + 1..].iter().chain(&self.held[..thread]);
        let mut half = others.find_map(|other| {
            let mut other = other.lock();
            let middle = other.start + (other.end - other.start) / 2;
            let half = middle..std::mem::replace(&mut other.end, middle);
            (!half.is_empty()).then_some(half)
        })?;
        let batch = self.cut(&mut half);
        *own.lock() = half;
        batch
    }

    /// A span that nobody has.
    fn claim(&self) -> Option<Range<u64>> {
        // Asked again and again by who has waiting units: the count stays where it is.
        if self.unclaimed.load(Relaxed) >= self.total {
            return None;
        }
        let start = self.unclaimed.fetch_add(self.span, Relaxed);
        (start < self.total).then(|| start..(start + self.span).min(self.total))
    }

    /// The first batch of a span.
    fn cut(&self, span: &mut Range<u64>) -> Option<Range<u64>> {
        let start = span.start;
        span.start = (start + self.batch).min(span.end);
        (start < span.end).then_some(start..span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number once, whoever takes them in whatever order.
    #[test]
    fn every_number_is_given_once() {
        for (total, threads) in
            [(0, 1), (1, 1), (1, 4), (5, 2), (63, 2), (64, 2), (65, 2), (1000, 1), (1000, 3), (1001, 16), (100_000, 2), (99_991, 7)]
        {
            for turns in 1..=3usize {
                let shares = Shares::new(total, threads);
                let mut found = vec![];
                let mut rest = threads;
                // Threads that take once, twice, … as often as the first, and some that come late.
                for round in 0.. {
                    if rest == 0 {
                        break;
                    }
                    rest = 0;
                    for thread in (0..threads).filter(|t| round >= t * 3) {
                        for _ in 0..1 + thread % turns {
                            if let Some(batch) = shares.take(thread, false) {
                                assert!(!batch.is_empty() && batch.end - batch.start <= MAX_BATCH);
                                found.extend(batch);
                                rest += 1;
                            }
                        }
                    }
                }
                found.sort_unstable();
                assert!(found.iter().copied().eq(0..total), "{total} for {threads}");
            }
        }
    }

    /// While others stand still, one that waits gets what is behind its own, and never what is before.
    #[test]
    fn who_waits_takes_higher_ones_only() {
        let shares = Shares::new(10_000, 2);
        let first = shares.take(0, false).unwrap();
        assert_eq!(first.start, 0);
        let mut last = shares.take(1, false).unwrap();
        while let Some(next) = shares.take(1, true) {
            assert!(next.start >= last.end);
            last = next;
        }
        assert_eq!(last.end, 10_000);
        // What is left of the other's span, from its back on, once nothing waits.
        let half = shares.take(1, false).unwrap();
        assert!(first.end <= half.start && half.end < 10_000 / 2);
        let rest: u64 = std::iter::from_fn(|| shares.take(0, false)).map(|r| r.end - r.start).sum();
        assert!(rest > 0);
    }

    /// Threads that really run at once.
    #[test]
    fn threads_share_all() {
        let shares = Shares::new(50_000, 4);
        let sum = AtomicU64::new(0);
        std::thread::scope(|s| {
            for thread in 0..4 {
                let (shares, sum) = (&shares, &sum);
                s.spawn(move || {
                    while let Some(batch) = shares.take(thread, false) {
                        sum.fetch_add(batch.sum(), Relaxed);
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 50_000 * 49_999 / 2);
    }
}
