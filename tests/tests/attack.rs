//! The first seeds of the executing attack (`tests/fuzz/README.md`): hostile kernels, launches and descriptors on compiled code and on the
//! interpreter. `.ci/full attack` goes on from there.

use std::time::Duration;
use wavejit_tests::attack::serve::{Campaign, attack, figures};

const CASES: u64 = 960;

// In a process of its own, whose crash or hang is reported with the seed. Two jobs, so that a slow case holds up only half.
#[test]
fn hostile_cases_end_alike_on_both_engines() {
    let campaign = Campaign {
        program: env!("CARGO_BIN_EXE_attack").into(),
        seed: 1,
        count: CASES,
        time: Duration::from_secs(3600),
        jobs: 2,
        patience: Duration::from_secs(120),
        left_out: vec![],
        report_every: Duration::from_secs(3600),
    };
    let totals = attack(&campaign, &|line| println!("{line}"));
    assert!(totals.failures.is_empty(), "{}\n{:#?}", figures(&totals), totals.failures);
    assert_eq!(totals.cases, CASES);
    // Most must have run to an end of their own, or little was compared.
    assert!(totals.compared > CASES * 9 / 10, "{}", figures(&totals));
}
