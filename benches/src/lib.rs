//! What the benches share: timing, the committed code objects, a line about the machine.
//!
//! A timing is the best of several rounds: on a shared machine everything but the best is other people's work. Each bench is a plain program
//! (`harness = false`) that prints a table; `cargo bench --bench NAME` runs it, and `cargo test --benches` runs it once with tiny sizes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wavejit::{Device, DeviceConfig, Engine, Error, Module};

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Is this a run to see whether the bench works, not for its numbers? (`cargo test` passes no `--bench`.)
pub fn is_smoke_test() -> bool {
    !std::env::args().any(|a| a == "--bench")
}

/// The best wall time of `rounds` calls, after one that is not counted.
pub fn best(rounds: u32, mut work: impl FnMut()) -> Duration {
    work();
    let mut best = Duration::MAX;
    for _ in 0..if is_smoke_test() { 1 } else { rounds } {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}

/// Nanoseconds of a duration, divided by a count.
pub fn ns_each(time: Duration, count: f64) -> f64 {
    time.as_secs_f64() * 1e9 / count
}

/// A committed code object, wave32 unless the name says otherwise.
///
/// # Errors
/// When the file cannot be read.
pub fn code_object(name: &str) -> std::io::Result<Vec<u8>> {
    std::fs::read(root().join("shaders/bin").join(format!("{name}.gfx1100.wave32.hsaco")))
}

/// A device with so many threads (0: all), and a kernel's module on it.
///
/// # Errors
/// When the code object is missing or refused.
pub fn open(name: &str, threads: usize) -> Result<(Device, Module), Error> {
    let device = Device::new(DeviceConfig { engine: Engine::Jit, threads, ..Default::default() })?;
    let bytes = code_object(name).map_err(|e| Error::Arg(format!("{name}: {e}")))?;
    let module = device.load(&bytes)?;
    Ok((device, module))
}

/// One line about machine and build, to stand above every table.
pub fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|t| t.lines().find_map(|l| l.strip_prefix("model name").map(|l| l.trim_start_matches([' ', '\t', ':']).to_string())))
        .unwrap_or_else(|| std::env::consts::ARCH.to_string());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cpu}, {threads} threads, wavejit {}", env!("CARGO_PKG_VERSION"))
}
