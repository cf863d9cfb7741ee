//! What does a launch cost beside the kernel's work? Empty kernels: us per launch, ns per workgroup and per wave. And how many workgroups does it
//! take for threads to share the work: speed-up of all threads over one by the size of a dispatch, with workgroups of 20 us.

use std::time::{Duration, Instant};
use wavejit::{Arg, Error, Kernel, Launch};
use wavejit_benches::{best, is_smoke_test, machine, ns_each, open};

fn main() -> Result<(), Error> {
    println!("{}", machine());
    empty()?;
    shared()
}

/// Launches that do nothing.
fn empty() -> Result<(), Error> {
    println!("{:44}{:>12}{:>16}", "empty kernel", "1 thread", "all threads");
    let (many, launches) = if is_smoke_test() { (1000, 10) } else { (1_000_000, 1000) };
    for (what, unit, groups, waves, launches) in [
        ("us per launch of one workgroup of one wave", 1e-3, 1, 1, launches),
        ("ns per wave, 1,000,000 workgroups of one", 1.0, many, 1, 1),
        ("ns per wave, 250,000 workgroups of 8", 1.0, many / 4, 8, 1),
    ] {
        let mut row = [0.0; 2];
        for (column, threads) in [1, 0].into_iter().enumerate() {
            let (_device, module) = open("empty", threads)?;
            let kernel = module.kernel("empty")?;
            let group = 32 * waves;
            let launch = Launch::new([group * groups, 1, 1], [group, 1, 1], &[]);
            let mut failure = None;
            let time = best(7, || {
                for _ in 0..launches {
                    failure = kernel.launch(&launch).err().or(failure.take());
                }
            });
            failure.map_or(Ok(()), Err)?;
            row[column] = unit * ns_each(time, f64::from(groups) * f64::from(waves) * f64::from(launches));
        }
        println!("{what:44}{:12.2}{:16.2}", row[0], row[1]);
    }
    Ok(())
}

/// What one workgroup of one wave is to take.
const EACH: Duration = Duration::from_micros(20);

/// Dispatches of few and many workgroups.
fn shared() -> Result<(), Error> {
    let mut counts = Vec::new();
    let mut times: [Vec<Vec<f64>>; 2] = [Vec::new(), Vec::new()];
    let mut points = 0u32;
    for (threads, times) in [1, 0].into_iter().zip(&mut times) {
        let (device, module) = open("peers/monte_pi", threads)?;
        let kernel = module.kernel("monte_pi")?;
        let out = device.alloc(4096 * 32 * 4)?;
        let run = |groups: u32, points: u32| {
            let args = [Arg::Buffer(&out), Arg::U32(1), Arg::U32(points)];
            launch(&kernel, &Launch::new([groups * 32, 1, 1], [32, 1, 1], &args))
        };
        if points == 0 {
            // as many points as take that long, by the slope between two counts
            let (few, many) = (least(|| run(16, 1000))?, least(|| run(16, 3000))?);
            points = (EACH.as_secs_f64() * 16.0 / (many - few) * 2000.0).max(1.0) as u32;
        }
        counts = (0..=12).map(|k| 1 << k).filter(|&n| !is_smoke_test() || n < 8).collect();
        for &groups in &counts {
            let rounds = if is_smoke_test() { 2 } else { (8192 / groups).clamp(7, 51) };
            run(groups, points)?;
            let mut all = Vec::new();
            for _ in 0..rounds {
                all.push(run(groups, points)?);
            }
            for _ in 0..rounds {
                std::thread::sleep(Duration::from_millis(2)); // long enough for threads to go to sleep
                all.push(run(groups, points)?);
            }
            times.push(all);
        }
    }
    println!("\nspeed-up of all threads over one (medians), workgroups of {EACH:?} in one dispatch");
    println!("{:>12}{:>16}{:>14}{:>14}{:>14}{:>14}", "workgroups", "1 thread, us", "right after", "least", "most", "after 2 ms");
    for (i, groups) in counts.iter().enumerate() {
        let (after, rested) = times[1][i].split_at(times[1][i].len() / 2);
        let one = middle(&times[0][i]);
        let (least, most) = (after.iter().copied().fold(0.0, f64::max), after.iter().copied().fold(f64::MAX, f64::min));
        println!(
            "{groups:12}{:16.1}{:14.2}{:14.2}{:14.2}{:14.2}",
            one * 1e6,
            one / middle(after),
            one / least,
            one / most,
            one / middle(rested)
        );
    }
    Ok(())
}

/// Seconds of a launch.
fn launch(kernel: &Kernel, launch: &Launch<'_>) -> Result<f64, Error> {
    let start = Instant::now();
    kernel.launch(launch)?;
    Ok(start.elapsed().as_secs_f64())
}

/// The least of nine times, after one that is not counted.
fn least(mut time: impl FnMut() -> Result<f64, Error>) -> Result<f64, Error> {
    time()?;
    (0..9).try_fold(f64::MAX, |least, _| Ok(least.min(time()?)))
}

fn middle(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
