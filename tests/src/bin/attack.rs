//! Attacks wavejit with hostile kernels, launches and descriptors: see `wavejit_tests::attack` and `tests/fuzz/README.md`.

use clap::Parser;
use std::process::ExitCode;
use std::time::Duration;
use wavejit_tests::attack::serve::{Campaign, attack, figures, minimize, one, serve};

/// Runs hostile kernels, launches and descriptors on both engines, side by side.
#[derive(Parser)]
struct Options {
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds at most.
    #[arg(long, default_value_t = u64::MAX)]
    count: u64,
    /// How long, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Processes at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Seconds that a canceled run may take to end before it counts as a hang.
    #[arg(long, default_value_t = 10)]
    patience: u64,
    /// Runs this seed alone and shows it.
    #[arg(long, value_name = "SEED")]
    one: Option<u64>,
    /// Makes the case of this seed smaller while it still fails.
    #[arg(long, value_name = "SEED")]
    minimize: Option<u64>,
    /// Parts of the case that are left out.
    #[arg(long, value_delimiter = ',', value_name = "PARTS")]
    drop: Vec<usize>,
    /// Takes orders from another process.
    #[arg(long, hide = true)]
    serve: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let patience = Duration::from_secs(options.patience);
    if options.serve {
        serve(&options.drop, patience);
        return ExitCode::SUCCESS;
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(e) => {
            eprintln!("where is this program? {e}");
            return ExitCode::FAILURE;
        }
    };
    let campaign = Campaign {
        program,
        seed: options.seed,
        count: options.count,
        time: Duration::from_secs(options.seconds),
        jobs: options.jobs.max(1),
        patience,
        left_out: options.drop.clone(),
        report_every: Duration::from_secs(60),
    };
    if let Some(seed) = options.one {
        return match one(&campaign, seed, &options.drop) {
            Ok(ended) => {
                println!("seed {seed}: {ended}");
                ExitCode::SUCCESS
            }
            Err(text) => {
                println!("seed {seed}: {text}");
                ExitCode::FAILURE
            }
        };
    }
    if let Some(seed) = options.minimize {
        match minimize(&campaign, seed, &|line| println!("{line}")) {
            None => println!("seed {seed} does not fail"),
            Some((left_out, text)) => {
                let list: Vec<String> = left_out.iter().map(usize::to_string).collect();
                println!("attack --one {seed} --drop {}\n{text}", list.join(","));
            }
        }
        return ExitCode::SUCCESS;
    }
    let totals = attack(&campaign, &|line| println!("{line}"));
    println!("{}", figures(&totals));
    for (signature, (count, seed, _)) in &totals.failures {
        println!("{count:6} like seed {seed}: {}", signature.lines().take(5).collect::<Vec<_>>().join(" | "));
    }
    if let Some(growth) = totals.growth() {
        println!("{growth}");
        return ExitCode::FAILURE;
    }
    println!("go on with --seed {}", totals.next_seed);
    if totals.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
