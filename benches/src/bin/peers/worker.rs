//! The process behind a backend: reads commands, answers with a line each.

use crate::backend::{ANSWER, Kind};
use crate::opencl::OpenCl;
use crate::runner::Runner;
use crate::wavejit::Wavejit;
use std::io::BufRead;
use std::time::{Duration, Instant};
use wavejit_tests::case::{Case, Value};
use wavejit_tests::peers::{PEERS, Size};

/// How long a timed round should take at least; shorter launches are repeated.
const ROUND: Duration = Duration::from_millis(30);

/// The kernel in work.
struct Current {
    case: Case,
    adds: bool,
    repeats: u32,
}

/// Answers until the input ends.
pub(crate) fn serve(kind: &Kind) {
    let made: Result<Box<dyn Runner>, String> = match kind {
        Kind::Wavejit(_) => Wavejit::new().map(|r| Box::new(r) as Box<dyn Runner>),
        Kind::OpenCl(library) => OpenCl::new(library).map(|r| Box::new(r) as Box<dyn Runner>),
    };
    let mut runner = match made {
        Ok(runner) => {
            answer(Ok(runner.version()));
            runner
        }
        Err(e) => return answer(Err(e)),
    };
    let mut current = None;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split('\t').collect();
        answer(match (words[..].first().copied(), &mut current) {
            (Some("load"), _) => load(&mut *runner, &words, &mut current),
            (Some("time"), Some(c)) => time(&mut *runner, c),
            (Some("check"), Some(c)) => clear(&mut *runner, c).and_then(|()| runner.launch()).and_then(|()| judge(&mut *runner, c)),
            _ => Err(format!("`{line}` is not a command, or too early")),
        });
    }
    // Threads of drivers do not always survive the destructors of their libraries.
    std::process::exit(0);
}

fn answer(what: Result<String, String>) {
    match what {
        Ok(text) => println!("{ANSWER}ok\t{text}"),
        Err(e) => println!("{ANSWER}failed\t{}", e.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

fn load(runner: &mut dyn Runner, words: &[&str], current: &mut Option<Current>) -> Result<String, String> {
    let [_, name, size] = words else { return Err("load NAME SIZE".into()) };
    let peer = PEERS.iter().find(|p| p.name == *name).ok_or_else(|| format!("no kernel {name}"))?;
    let case = peer.case(if *size == "full" { Size::Full } else { Size::Small });
    *current = None;
    runner.prepare(peer, &case)?;
    let start = Instant::now();
    runner.build(peer, &case)?;
    runner.launch()?;
    let first = start.elapsed();
    let mut new = Current { case, adds: peer.adds, repeats: 1 };
    judge(runner, &new)?;
    clear(runner, &new)?;
    let start = Instant::now();
    runner.launch()?;
    let second = start.elapsed();
    if !new.adds {
        new.repeats = (ROUND.as_secs_f64() / second.as_secs_f64().max(1e-7)).clamp(1.0, 1000.0) as u32;
    }
    *current = Some(new);
    Ok(first.as_secs_f64().to_string())
}

/// Writes what the outputs held at first.
fn clear(runner: &mut dyn Runner, current: &Current) -> Result<(), String> {
    for (argument, _) in &current.case.expect {
        if let Value::Buffer(before) = &current.case.args[*argument] {
            runner.write(*argument, before)?;
        }
    }
    Ok(())
}

fn judge(runner: &mut dyn Runner, current: &Current) -> Result<String, String> {
    let mut after = vec![Vec::new(); current.case.args.len()];
    for (argument, _) in &current.case.expect {
        if let Value::Buffer(before) = &current.case.args[*argument] {
            after[*argument] = vec![0; before.len()];
            runner.read(*argument, &mut after[*argument])?;
        }
    }
    current.case.check(&after).map(|()| "right".into()).map_err(|e| format!("WRONG: {e}"))
}

fn time(runner: &mut dyn Runner, current: &Current) -> Result<String, String> {
    if current.adds {
        clear(runner, current)?;
    }
    let (start, cpu) = (Instant::now(), cpu_time());
    for _ in 0..current.repeats {
        runner.launch()?;
    }
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_time() - cpu);
    Ok(format!("{}\t{}", wall / f64::from(current.repeats), cpu / f64::from(current.repeats)))
}

/// CPU seconds of all threads of this process so far.
fn cpu_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec to write to; the clock exists on every Linux, and elsewhere the call fails and writes nothing.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
