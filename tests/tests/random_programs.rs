//! Random programs, as many as `WAVEJIT_RANDOM_PROGRAMS` says (300), from seed `WAVEJIT_SEED` on (1).

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |v| v.parse().unwrap_or_else(|e| panic!("{name}={v}: {e}")))
}

#[test]
fn all_engines_agree_on_random_programs() {
    if let Err(e) = wavejit_tests::random_programs::run(number("WAVEJIT_SEED", 1), number("WAVEJIT_RANDOM_PROGRAMS", 300)) {
        panic!("{e}");
    }
}

// A mask that a division looks at again after its last use, where parts of the wave go through a run one after the other.
#[test]
fn masks_of_divisions_are_not_left_behind() {
    for seed in [2_599_597, 2_908_561] {
        if let Err(e) = wavejit_tests::random_programs::run(seed, 1) {
            panic!("{e}");
        }
    }
}
