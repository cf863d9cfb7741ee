//! Global wave sync: 64 resources of a dispatch, each a counter at which waves wait as at a barrier or a semaphore (RDNA3 ISA, DS_GWS_*).
//!
//! A wave that has to wait gets a [`Ticket`] and leaves with `Exit::Yield`; the scheduler asks for it when it has its turn. Waves at a
//! semaphore go on in the order in which they came.

use crate::host::sync::Mutex;
use std::collections::VecDeque;
use wavejit_ir::abi::GwsOp;

/// Resources of a dispatch.
const RESOURCES: u32 = 64;

/// The resources of a dispatch; none before the first wave asks for one.
#[derive(Default)]
pub(crate) struct Gws(Mutex<Vec<Resource>>);

/// One of them.
#[derive(Clone, Default)]
struct Resource {
    /// Waves that a barrier still waits for before the one that opens it; or that may pass a semaphore.
    counter: u32,
    /// Changes when a barrier opens.
    flag: bool,
    /// Numbers of the waves at the semaphore.
    queue: VecDeque<u64>,
    /// Number of the next one.
    next: u64,
}

/// What a wave waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket {
    resource: u32,
    wait: Wait,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wait {
    /// For the other state of the flag.
    Flag(bool),
    /// To be first in the queue of a semaphore that lets somebody pass.
    Number(u64),
}

impl Gws {
    /// What a wave asks of a resource (by number modulo 64); what it waits for, if it may not go on.
    pub(crate) fn ask(&self, op: GwsOp, resource: u32, value: u32) -> Option<Ticket> {
        let resource = resource % RESOURCES;
        let mut all = self.0.lock();
        if all.is_empty() {
            all.resize(RESOURCES as usize, Resource::default());
        }
        let r = &mut all[resource as usize];
        let wait = match op {
            GwsOp::Init => {
                (r.counter, r.flag) = (value, false);
                None
            }
            GwsOp::SemaV => {
                r.counter = r.counter.saturating_add(1);
                None
            }
            GwsOp::SemaBr => {
                r.counter = r.counter.saturating_add(value);
                None
            }
            GwsOp::ReleaseAll => {
                r.counter = r.queue.len() as u32;
                None
            }
            GwsOp::SemaP => {
                let number = r.next;
                r.next += 1;
                r.queue.push_back(number);
                (!r.pass(number)).then_some(Wait::Number(number))
            }
            GwsOp::Barrier => r.arrive(value),
        };
        wait.map(|wait| Ticket { resource, wait })
    }

    /// May the wave with this ticket go on now? Then the ticket is spent.
    pub(crate) fn may_go_on(&self, ticket: Ticket) -> bool {
        let mut all = self.0.lock();
        let Some(r) = all.get_mut(ticket.resource as usize) else { return true };
        match ticket.wait {
            Wait::Flag(flag) => r.flag != flag,
            Wait::Number(number) => r.pass(number),
        }
    }

    /// Its state, to go back to.
    pub(crate) fn copy(&self) -> Gws {
        Gws(Mutex::new(self.0.lock().clone()))
    }

    /// Goes back to a state.
    pub(crate) fn set(&self, to: &Gws) {
        let to = to.0.lock().clone();
        *self.0.lock() = to;
    }
}

impl Resource {
    fn pass(&mut self, number: u64) -> bool {
        let passes = self.counter > 0 && self.queue.front() == Some(&number);
        if passes {
            self.counter -= 1;
            self.queue.pop_front();
        }
        passes
    }

    /// The wave that finds the counter at 0 opens the barrier and says how many come before the one that opens the next.
    fn arrive(&mut self, others: u32) -> Option<Wait> {
        if self.counter == 0 {
            (self.flag, self.counter) = (!self.flag, others);
            return None;
        }
        self.counter -= 1;
        Some(Wait::Flag(self.flag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GwsOp::*;

    /// Waves that ask one resource.
    #[derive(Default)]
    struct Waves {
        gws: Gws,
        tickets: [Option<Ticket>; 8],
    }

    impl Waves {
        /// Asks, and says whether the wave may go on at once.
        fn ask(&mut self, wave: usize, op: GwsOp, value: u32) -> bool {
            self.tickets[wave] = self.gws.ask(op, 5, value);
            self.tickets[wave].is_none()
        }
        /// Asks again for waves that wait: which of them may go on?
        fn turn(&mut self, waves: &[usize]) -> Vec<usize> {
            let go = |w: &&usize| self.tickets[**w].is_none_or(|t| self.gws.may_go_on(t));
            waves.iter().filter(go).copied().collect()
        }
    }

    #[test]
    fn a_barrier_opens_for_the_wave_that_finds_the_counter_at_zero() {
        let mut w = Waves::default();
        w.ask(0, Init, 2);
        for _ in 0..3 {
            assert_eq!([w.ask(0, Barrier, 2), w.ask(1, Barrier, 2)], [false; 2]);
            assert_eq!(w.turn(&[0, 1]), []);
            assert!(w.ask(2, Barrier, 2));
            // The first one may be at the next barrier before the second has left this one.
            assert_eq!(w.turn(&[0]), [0]);
            assert!(!w.ask(0, Barrier, 2));
            assert_eq!(w.turn(&[0, 1]), [1]);
            assert!(!w.ask(1, Barrier, 2) && w.ask(2, Barrier, 2));
            assert_eq!(w.turn(&[0, 1]), [0, 1]);
        }
        // Sizes may change from barrier to barrier.
        w.ask(0, Init, 0);
        assert!(w.ask(0, Barrier, 1));
        assert!(!w.ask(1, Barrier, 0));
        assert!(w.ask(0, Barrier, 0));
        assert!(w.ask(3, Barrier, 0));
    }

    #[test]
    fn a_semaphore_lets_waves_pass_in_order() {
        let mut w = Waves::default();
        w.ask(0, Init, 1);
        assert_eq!([0, 1, 2].map(|i| w.ask(i, SemaP, 0)), [true, false, false]);
        w.ask(0, SemaV, 0);
        assert_eq!(w.turn(&[2]), [], "not its turn");
        assert!(!w.ask(3, SemaP, 0), "it came last");
        assert_eq!(w.turn(&[3, 2, 1]), [1]);
        w.ask(0, SemaBr, 3);
        assert_eq!(w.turn(&[2, 3]), [2, 3]);
        assert_eq!([4, 5].map(|i| w.ask(i, SemaP, 0)), [true, false]);
    }

    #[test]
    fn all_that_wait_are_released_and_nobody_else() {
        let mut w = Waves::default();
        w.ask(7, ReleaseAll, 0);
        assert_eq!([0, 1].map(|i| w.ask(i, SemaP, 0)), [false; 2]);
        w.ask(7, ReleaseAll, 0);
        assert!(!w.ask(3, SemaP, 0));
        assert_eq!(w.turn(&[3, 0, 1, 3]), [0, 1]);
    }

    #[test]
    fn resources_are_apart_and_go_back_to_what_they_were() {
        let gws = Gws::default();
        gws.ask(Init, 3, 2);
        let before = gws.copy();
        assert_eq!(gws.ask(SemaP, 3 + 64, 0), None, "numbers have six bits");
        assert_eq!(gws.ask(SemaP, 3, 0), None);
        assert!(gws.ask(SemaP, 4, 0).is_some() && gws.ask(SemaP, 3, 0).is_some());
        gws.set(&before);
        assert_eq!(gws.ask(SemaP, 3, 0), None);
    }
}
