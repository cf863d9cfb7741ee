//! The first seeds of the executing attack (`tests/fuzz/README.md`): hostile kernels, launches and descriptors on compiled code and on the
//! interpreter. `.ci/full attack` goes on from there.

use std::time::Duration;
use wavejit_tests::attack::serve::{Campaign, attack, figures, one};

const CASES: u64 = 960;
/// Cases that once ended otherwise in compiled code: where the slice of a wave ended at a jump back to another function, the host was not asked for what it
/// had to answer.
const ONCE_UNLIKE: [u64; 1] = [104_739];

// In a process of its own, whose crash or hang is reported with the seed. Two jobs, so that a slow case holds up only half.
#[test]
fn hostile_cases_end_alike_on_both_engines() {
    let campaign = Campaign { count: CASES, jobs: 2, ..campaign() };
    let totals = attack(&campaign, &|line| println!("{line}"));
    assert!(totals.failures.is_empty(), "{}\n{:#?}", figures(&totals), totals.failures);
    assert_eq!(totals.cases, CASES);
    // Most must have run to an end of their own, or little was compared.
    assert!(totals.compared > CASES * 9 / 10, "{}", figures(&totals));
}

#[test]
fn cases_that_once_ended_unlike_end_alike() {
    for seed in ONCE_UNLIKE {
        if let Err(text) = one(&campaign(), seed, &[]) {
            panic!("{text}");
        }
    }
}

fn campaign() -> Campaign {
    Campaign {
        program: env!("CARGO_BIN_EXE_attack").into(),
        seed: 1,
        count: 1,
        time: Duration::from_secs(3600),
        jobs: 1,
        patience: Duration::from_secs(120),
        left_out: vec![],
        report_every: Duration::from_secs(3600),
    }
}
