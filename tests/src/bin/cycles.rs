//! Opens, launches and closes kernels over and over, and fails if the process grows: see `wavejit_tests::cycles`.

use clap::Parser;
use std::process::ExitCode;
use std::time::Instant;
use wavejit_tests::cycles::{Interface, Kernels, run};

/// Opens, launches and closes many different kernels, by the Rust API and by the C interface.
#[derive(Parser)]
struct Options {
    /// Cycles of each interface; of whole devices a tenth.
    #[arg(long, default_value_t = 100_000)]
    cycles: u64,
    /// Different kernels.
    #[arg(long, default_value_t = 1000)]
    kernels: u32,
    /// Cycles between two lines.
    #[arg(long, default_value_t = 1000)]
    checkpoint: u64,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let kernels = match Kernels::new(options.kernels) {
        Ok(kernels) => kernels,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    println!("{:8}{:>10}{:>12}{:>10}{:>8}{:>14}", "", "cycles", "RSS KiB", "mappings", "files", "us a cycle");
    for (interface, cycles) in
        [(Interface::Rust, options.cycles), (Interface::C, options.cycles), (Interface::Devices, options.cycles / 10)]
    {
        let mut since = Instant::now();
        let result = run(&kernels, interface, cycles, options.checkpoint.max(1), |done, held| {
            let each = since.elapsed().as_secs_f64() * 1e6 / options.checkpoint.max(1) as f64;
            println!("{:8}{done:10}{:12}{:10}{:8}{each:14.0}", format!("{interface:?}"), held.rss_kib, held.mappings, held.files);
            since = Instant::now();
        });
        if let Err(e) = result {
            println!("{e}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
