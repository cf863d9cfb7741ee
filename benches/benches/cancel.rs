//! How long does a canceled launch take to end? Milliseconds from the flag to the return, median and longest, over random moments.
//!
//! Launches that would run or be translated for long: loops with and without pauses, many workgroups, control flow that is hard to translate.
//! The flag is set at a random moment of the launch, translation included. The target is 50 ms at most; a launch that ended before its moment
//! does not count.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};
use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{CodeLaunch, Device, DeviceConfig, Engine, Error, LaunchConfig};
use wavejit_benches::{is_smoke_test, machine};
use wavejit_isa::Gfx;
use wavejit_random::Random;
use wavejit_tests::control_flow::ControlFlow;

/// What is launched.
struct Row {
    name: &'static str,
    kind: ControlFlow,
    /// See [`ControlFlow::text`].
    size: usize,
    groups: u32,
    scratch_bytes: u32,
    /// Moments are spread over this many milliseconds.
    spread_ms: u32,
}

const fn row(name: &'static str, kind: ControlFlow, size: usize, groups: u32, spread_ms: u32) -> Row {
    Row { name, kind, size, groups, scratch_bytes: 0, spread_ms }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("endless loop",             ControlFlow::Endless,  1,      1,       50),
    row("endless loop, 2^20 groups", ControlFlow::Endless, 1,      1 << 20, 50),
    row("s_sleep in a loop",        ControlFlow::Sleeping, 1,      64,      50),
    row("s_barrier in a loop",      ControlFlow::Barriers, 1,      64,      50),
    row("2^31 workgroups",          ControlFlow::Straight, 1,      1 << 26, 50),
    Row { scratch_bytes: 64 << 10, ..row("64 KiB of scratch, 2^20 groups", ControlFlow::Straight, 1, 1 << 20, 50) },
    row("jump to itself",           ControlFlow::OddJump,  1,      1,       50),
    row("1,024 modes",              ControlFlow::Modes,    100,    1,       400),
    row("1,000 jump targets",       ControlFlow::Jumps,    1000,   1,       400),
    row("10,000 branches",          ControlFlow::Branches, 10_000, 1,       400),
    row("1,000 nested loops",       ControlFlow::Nest,     1000,   1,       400),
    row("20,000 loops",             ControlFlow::Loops,    20_000, 1,       400),
    row("5,000 regions",            ControlFlow::Regions,  5000,   1,       400),
    row("50,000 instructions",      ControlFlow::Straight, 50_000, 1,       400),
];

fn main() -> Result<(), Error> {
    println!("{}", machine());
    println!("{:32}{:>8}{:>11}{:>12}{:>11}", "launch", "engine", "canceled", "median ms", "longest ms");
    let rounds = if is_smoke_test() { 1 } else { 15 };
    let mut longest = 0f64;
    for row in ROWS {
        // Large ones take long where there is nothing to measure.
        let size = if is_smoke_test() { row.size.min(50) } else { row.size };
        for engine in [Engine::Jit, Engine::Tiered, Engine::Interp] {
            let mut late = measure(row, size, engine, rounds)?;
            late.sort_by(f64::total_cmp);
            let (median, last) = (late.get(late.len() / 2).copied().unwrap_or(0.0), late.last().copied().unwrap_or(0.0));
            longest = longest.max(last);
            println!("{:32}{:>8}{:11}{median:12.2}{last:11.2}", row.name, format!("{engine:?}"), late.len());
        }
    }
    println!("longest of all: {longest:.2} ms");
    Ok(())
}

/// Milliseconds from the flag to the end, of the launches that were canceled.
fn measure(row: &Row, size: usize, engine: Engine, rounds: u64) -> Result<Vec<f64>, Error> {
    let mut rng = Random(rounds);
    let mut late = vec![];
    for round in 0..rounds {
        // Each time anew, so that each is translated anew.
        let device = Device::new(DeviceConfig { engine, ..Default::default() })?;
        let mut words = row.kind.code(size, 32, round);
        words.push(0xbfb0_0000); // s_endpgm
        let code = device.upload(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())?;
        let rsrc = PgmRsrc { rsrc1: 31 | 0xf0 << 12 | 1 << 21 | 1 << 23, rsrc2: 0, rsrc3: 0 };
        let entry = code.address();
        let scratch_bytes = row.scratch_bytes;
        let init = WaveInit::raw(&RawInit { target: Gfx::GFX1100, wave_size: 32, entry, rsrc, user_data: &[], scratch_bytes });
        let flag = AtomicU32::new(0);
        let launch = CodeLaunch {
            name: row.name,
            code: (entry, entry + 4 * words.len() as u64),
            init,
            config: LaunchConfig { cancel: Some(&flag), ..LaunchConfig::new([32 * row.groups, 1, 1], [32, 1, 1]) },
        };
        let moment = Duration::from_micros(u64::from(rng.below(row.spread_ms * 1000)));
        let (start, mut set) = (Instant::now(), None);
        let result = std::thread::scope(|scope| {
            let setter = scope.spawn(|| {
                std::thread::sleep(moment);
                flag.store(1, SeqCst);
                start.elapsed()
            });
            let result = device.run_code(&launch);
            let ended = start.elapsed();
            set = setter.join().ok().map(|set| ended.saturating_sub(set));
            result
        });
        match (result, set) {
            (Ok(_), _) => {}
            (Err(Error::Limit(_)), Some(after)) => late.push(after.as_secs_f64() * 1e3),
            (Err(e), _) => return Err(e),
        }
    }
    Ok(late)
}
