//! How fast is wavejit beside OpenCL implementations for CPUs? Runs the kernels of `shaders/peers` from their code objects on wavejit and from
//! their sources on every OpenCL library that is named, judges each result, and compares CPU time and wall time. `benches/README.md` has
//! the command behind `docs/performance.md`.
//!
//! | file | idea |
//! |---|---|
//! | `backend.rs` | a backend is a process of its own; what is said to it |
//! | `worker.rs` | the other end: loads, launches, judges, times |
//! | `runner.rs` | what every implementation offers |
//! | `wavejit.rs`, `opencl.rs` | the two kinds of runners behind it |
//! | `icd.rs` | what of OpenCL is needed, through a library opened at run time |
//! | `results.rs` | measured times, ratios, means |
//! | `report.rs`, `chart.rs` | the document and the picture |

mod backend;
mod chart;
mod icd;
mod opencl;
mod report;
mod results;
mod runner;
mod wavejit;
mod worker;

use backend::{Backend, Kind, Measured};
use clap::Parser;
use results::Results;
use wavejit_isa::HostIsa;
use wavejit_tests::peers::{PEERS, Peer, Size};

/// Compares wavejit with OpenCL implementations on the kernels of `shaders/peers`.
///
/// Times are of all threads together, divided by their number: the wall time of an idle machine with perfect sharing. The rounds of all
/// backends are interleaved and the best of each is taken, so that a busy machine disturbs them alike.
#[derive(Parser)]
struct Options {
    /// An OpenCL library, a driver's or a loader's: `--opencl pocl=libpocl.so.2`. Again for more.
    #[arg(long, value_name = "NAME=LIBRARY")]
    opencl: Vec<String>,
    /// Also run wavejit with these host instructions: portable, avx2, avx512. Again for more.
    #[arg(long, value_name = "LEVEL")]
    isa: Vec<String>,
    /// Also run wavejit with roots, powers and logarithms of f32 within 1 ulp.
    #[arg(long)]
    one_ulp: bool,
    /// Only these kernels, separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Timed rounds.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// The small sizes of the tests: to see that everything works, not for the times.
    #[arg(long)]
    small: bool,
    /// Write docs/performance.md and docs/performance.svg.
    #[arg(long, conflicts_with_all = ["small", "only"])]
    report: bool,
    /// The other end of a pipe to this program; what it runs.
    #[arg(long, hide = true)]
    worker: Option<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    if let Some(kind) = &options.worker {
        worker::serve(&Kind::parse(kind)?);
        return Ok(());
    }
    if let Some(unknown) = options.only.iter().find(|name| !PEERS.iter().any(|p| p.name == **name)) {
        return Err(format!("--only {unknown}: shaders/peers has no such kernel").into());
    }
    let size = if options.small { Size::Small } else { Size::Full };
    let mut backends = vec![Backend::start("wavejit", Kind::Wavejit(Vec::new()))?];
    for level in &options.isa {
        backends.push(Backend::start(&format!("wavejit, {level}"), Kind::Wavejit(vec![(HostIsa::VARIABLE, level.clone())]))?);
    }
    if options.one_ulp {
        backends.push(Backend::start("wavejit, 1 ulp", Kind::Wavejit(vec![(::wavejit::ACCURACY_VARIABLE, "1ulp".into())]))?);
    }
    for peer in &options.opencl {
        let (name, library) = peer.split_once('=').ok_or_else(|| format!("--opencl {peer}: NAME=LIBRARY is wanted"))?;
        backends.push(Backend::start(name, Kind::OpenCl(library.to_string()))?);
    }

    let mut results = Results::new(&backends, options.rounds);
    println!("{}", results.machine);
    for peer in PEERS.iter().filter(|p| options.only.is_empty() || options.only.iter().any(|name| name == p.name)) {
        let measured = measure(peer, size, &mut backends, options.rounds);
        results.print(peer, &measured);
        results.add(peer, measured);
    }
    println!("\n{}", results.summary());
    if options.report {
        report::write(&results)?;
    }
    match results.wrong() {
        0 => Ok(()),
        n => Err(format!("{n} results of wavejit are wrong or missing").into()),
    }
}

/// One kernel on all backends: loaded and judged one after the other, timed in turns, judged again.
fn measure(peer: &Peer, size: Size, backends: &mut [Backend], rounds: u32) -> Vec<Result<Measured, String>> {
    let mut all: Vec<Result<Measured, String>> = backends.iter_mut().map(|b| b.load(peer.name, size)).collect();
    for _ in 0..rounds {
        for (backend, result) in backends.iter_mut().zip(&mut all) {
            *result = std::mem::replace(result, Err(String::new())).and_then(|m| Ok(m.and(backend.time()?)));
        }
    }
    for (backend, result) in backends.iter_mut().zip(&mut all) {
        *result = std::mem::replace(result, Err(String::new())).and_then(|m| backend.check().map(|()| m));
    }
    all
}
