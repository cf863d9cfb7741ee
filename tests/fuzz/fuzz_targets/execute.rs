//! Any choices of a hostile kernel, launch or descriptor: compiled code and interpreter end alike and leave the same memory, a canceled launch
//! ends, and nothing outside of guest memory is touched. `wavejit_tests::attack` has the cases; its program `attack` runs them by seed, each in
//! a process that may crash.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::time::Duration;
use wavejit_tests::attack::Case;
use wavejit_tests::attack::arena::Arena;
use wavejit_tests::attack::serve::BATCH;
use wavejit_tests::attack::source::Source;
use wavejit_tests::attack::watch::Watch;

/// Devices and canaries of some inputs, and how many those were.
type Current = Option<(Arena, Watch, u64)>;

thread_local! {
    static CURRENT: RefCell<Current> = const { RefCell::new(None) };
}

fuzz_target!(|bytes: &[u8]| {
    let case = Case::random(&mut Source::of_bytes(bytes));
    CURRENT.with_borrow_mut(|current| {
        let open = || (Arena::open(true).expect("address space for an arena"), Watch::new(Duration::from_secs(20)), 0);
        let (arena, watch, runs) = current.get_or_insert_with(open);
        let verdict = arena.run(&case, watch, true);
        let canaries = arena.check();
        *runs += 1;
        if *runs == BATCH {
            *current = None;
        }
        assert!(verdict.failure.is_none() && canaries.is_ok(), "{:?}, {canaries:?}\n{}", verdict.failure, case.describe());
    });
});
