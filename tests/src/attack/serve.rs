//! Two processes: one runs cases as it is told, the other tells it, and sees it crash or hang.
//!
//! The first reads lines `SEED COUNT` and writes a line for each thing that happens: `S seed` before a case, `F seed text` when one failed,
//! `B ...` with figures after each batch, `D` when the line is done. Text has its line ends escaped.

use super::Case;
use super::arena::Arena;
use super::watch::{CRASHED, HUNG, Watch, install_last_words};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// One case in so many runs on the free device too.
const FREELY: u64 = 4;
/// Classes of errors, and success.
const CODES: usize = 8;
/// Cases that share an arena.
pub const BATCH: u64 = 32;

/// What this process holds at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// Resident memory.
    pub rss_kib: u64,
    /// Mappings.
    pub mappings: u64,
    /// File descriptors.
    pub files: u64,
}

impl Held {
    /// Now.
    pub fn now() -> Held {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let rss = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).and_then(|l| l.split_whitespace().next()?.parse().ok());
        Held {
            rss_kib: rss.unwrap_or(0),
            mappings: std::fs::read_to_string("/proc/self/maps").map_or(0, |m| m.lines().count() as u64),
            files: std::fs::read_dir("/proc/self/fd").map_or(0, |d| d.count() as u64),
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\\\", "\\")
}

/// Runs cases until there are no more lines to read. `left_out`: parts of each case that are dropped. `patience`: see [`Watch`].
pub fn serve(left_out: &[usize], patience: Duration) {
    install_last_words();
    let watch = Watch::new(patience);
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        // If nobody listens any more, there is nobody to work for.
        if out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(0);
        }
    };
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut numbers = line.split_whitespace().filter_map(|n| n.parse::<u64>().ok());
        let (Some(first), Some(count)) = (numbers.next(), numbers.next()) else { continue };
        let mut seed = first;
        while seed < first + count {
            let end = (seed / BATCH * BATCH + BATCH).min(first + count);
            let (batch, mut compared, mut canceled, mut latest) = (seed..end, 0, 0, Duration::ZERO);
            let mut codes = [0u64; CODES];
            let arena = match Arena::open((seed / BATCH).is_multiple_of(2)) {
                Ok(arena) => arena,
                Err(e) => {
                    say(format!("F {seed} the attack itself: {}", escaped(&e)));
                    return;
                }
            };
            for seed in batch.clone() {
                say(format!("S {seed}"));
                let case = Case::of_seed(seed).without(left_out);
                let verdict = arena.run(&case, &watch, seed.is_multiple_of(FREELY));
                compared += u64::from(verdict.compared);
                canceled += u64::from(!verdict.latencies.is_empty());
                codes[verdict.code.unsigned_abs() as usize % CODES] += 1;
                latest = verdict.latencies.iter().copied().max().unwrap_or_default().max(latest);
                if let Some(failure) = verdict.failure {
                    say(format!("F {seed} {}", escaped(&format!("{failure}\n{}", case.describe()))));
                }
                if count == 1 {
                    say(format!("E {seed} {}", escaped(&format!("{}\n{}", verdict.ended, case.describe()))));
                }
            }
            if let Err(e) = arena.check() {
                say(format!("F {} {}", batch.start, escaped(&format!("canary, seeds {} to {}: {e}", batch.start, batch.end - 1))));
            }
            drop(arena);
            let Held { rss_kib, mappings, files } = Held::now();
            let cases = batch.end - batch.start;
            let codes: Vec<String> = codes.iter().map(u64::to_string).collect();
            say(format!("B {cases} {compared} {canceled} {} {rss_kib} {mappings} {files} {}", latest.as_micros(), codes.join(" ")));
            seed = end;
        }
        say("D".into());
    }
}

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The program that serves when its first argument is `--serve`.
    pub program: std::path::PathBuf,
    /// First seed.
    pub seed: u64,
    /// Seeds; the end if there is no other.
    pub count: u64,
    /// No new seeds after this time.
    pub time: Duration,
    /// Processes at a time.
    pub jobs: usize,
    /// See [`Watch`]; a process that is silent for twice as long is killed.
    pub patience: Duration,
    /// Parts of every case that are left out.
    pub left_out: Vec<usize>,
    /// Print figures every so often.
    pub report_every: Duration,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Cases that began.
    pub cases: u64,
    /// Of these, both engines ended by themselves.
    pub compared: u64,
    /// Of these, at least one engine was canceled at its deadline.
    pub canceled: u64,
    /// How many ended well, and with each class of error ([`wavejit::Error::code`], without sign).
    pub codes: [u64; CODES],
    /// Longest time from there to the end.
    pub latest: Duration,
    /// Failures by what they have in common: how many, and the first of each.
    pub failures: BTreeMap<String, (u64, u64, String)>,
    /// How the only case ended.
    pub ended: String,
    /// Of each process: held after its first batches, and now.
    pub held: Vec<(Held, Held)>,
    /// All seeds below were run.
    pub next_seed: u64,
}

impl Totals {
    fn fail(&mut self, seed: u64, text: String) {
        let entry = self.failures.entry(signature(&text)).or_insert_with(|| (0, seed, text));
        entry.0 += 1;
    }

    /// Resident memory, mappings or files grew by more than any case justifies.
    pub fn growth(&self) -> Option<String> {
        let grew = |(first, last): &(Held, Held)| {
            last.rss_kib > first.rss_kib + (96 << 10) || last.mappings > first.mappings + 512 || last.files > first.files + 8
        };
        self.held.iter().find(|h| grew(h)).map(|(first, last)| format!("a process grew: {first:?}, then {last:?}"))
    }
}

/// What failures of one cause have in common, more or less: their text without numbers; of hangs and crashes the outermost functions.
fn signature(text: &str) -> String {
    let no_bytes = |l: &str| l.find("; at +").unwrap_or(l.len());
    let mut head: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).map(|l| &l[..no_bytes(l)]).take(3).collect();
    let frames: Vec<&str> = text.lines().find_map(|l| l.split_once(", in ")).map_or(vec![], |(_, l)| l.split(" < ").collect());
    if !frames.is_empty() {
        head.truncate(1);
        head.extend(frames.iter().rev().take(4));
    }
    let letters = head.join("\n");
    let mut out = String::new();
    let mut skip = false;
    for c in letters.chars() {
        let digit = c.is_ascii_digit() || skip && c.is_ascii_hexdigit();
        if digit && !skip {
            out.push('#');
        }
        skip = digit || c == 'x' && skip;
        if !skip {
            out.push(c);
        }
    }
    out.chars().take(300).collect()
}

/// A process that serves.
struct Server {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    errors: Arc<Mutex<VecDeque<String>>>,
}

/// Lines of standard error that are kept.
const KEPT_LINES: usize = 80;

impl Server {
    fn start(campaign: &Campaign) -> std::io::Result<Server> {
        let left_out: Vec<String> = campaign.left_out.iter().map(usize::to_string).collect();
        let mut child = Command::new(&campaign.program)
            .args(["--serve", "--patience", &campaign.patience.as_secs().to_string()])
            .args((!left_out.is_empty()).then(|| format!("--drop={}", left_out.join(","))))
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let none = || std::io::Error::other("no pipe");
        let stdin = child.stdin.take().ok_or_else(none)?;
        let (stdout, stderr) = (child.stdout.take().ok_or_else(none)?, child.stderr.take().ok_or_else(none)?);
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let errors: Arc<Mutex<VecDeque<String>>> = Arc::default();
        let kept = errors.clone();
        std::thread::spawn(move || keep(stderr, &kept));
        Ok(Server { child, stdin, lines, errors })
    }

    /// Its end, and what it said last.
    fn last_words(mut self, killed: bool) -> String {
        if killed {
            let _ = self.child.kill();
        }
        let status = self.child.wait().ok();
        // The pipe may still have something.
        std::thread::sleep(Duration::from_millis(200));
        let said: Vec<String> = self.errors.lock().map_or_else(|_| vec![], |e| e.iter().cloned().collect());
        let how = match status.and_then(|s| s.code()) {
            Some(HUNG) => "hang: it did not end after it was canceled".to_string(),
            Some(CRASHED) => "crash".to_string(),
            _ if killed => "hang: killed, it did not even say where it was".to_string(),
            _ => format!("crash: {}", status.map_or("no status".to_string(), |s| s.to_string())),
        };
        format!("{how}\n{}", said.join("\n"))
    }
}

fn keep(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        let Ok(mut kept) = kept.lock() else { return };
        // Frames of the run time that every backtrace has.
        if kept.len() == KEPT_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}

/// Seeds given out at a time.
const BLOCK: u64 = 8 * BATCH;

/// Runs all cases of a campaign; `print` gets lines for people.
pub fn attack(campaign: &Campaign, print: &(dyn Fn(&str) + Sync)) -> Totals {
    let totals = Mutex::new(Totals { held: vec![Default::default(); campaign.jobs], next_seed: campaign.seed, ..Default::default() });
    let next = AtomicU64::new(campaign.seed);
    let start = Instant::now();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..campaign.jobs)
            .map(|job| {
                let (totals, next) = (&totals, &next);
                scope.spawn(move || work(campaign, job, totals, next, start, print))
            })
            .collect();
        let (totals, over) = (&totals, &over);
        scope.spawn(move || {
            let mut shown = Instant::now();
            while !over.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(50));
                if shown.elapsed() >= campaign.report_every {
                    shown = Instant::now();
                    if let Ok(t) = totals.lock() {
                        print(&format!("{:6} s  {}", start.elapsed().as_secs(), figures(&t)));
                    }
                }
            }
        });
        for job in jobs {
            let _ = job.join();
        }
        over.store(true, Relaxed);
    });
    let mut totals = totals.into_inner().unwrap_or_default();
    totals.next_seed = next.load(Relaxed).min(campaign.seed.saturating_add(campaign.count));
    totals
}

/// A line about what was done so far.
pub fn figures(t: &Totals) -> String {
    let held =
        t.held.iter().map(|(_, h)| format!("{} MiB, {} mappings, {} files", h.rss_kib >> 10, h.mappings, h.files)).collect::<Vec<_>>();
    let failures: u64 = t.failures.values().map(|f| f.0).sum();
    format!(
        "{} cases ({} well, {} refused, {} undecodable, {} unsupported, {} memory faults, {} limits, {} traps), {} compared, {} canceled \
         (latest {:.1} ms), {failures} failures of {} kinds; {}",
        t.cases,
        t.codes[0],
        t.codes[1],
        t.codes[2],
        t.codes[3],
        t.codes[4],
        t.codes[5],
        t.codes[7],
        t.compared,
        t.canceled,
        t.latest.as_secs_f64() * 1e3,
        t.failures.len(),
        held.join("; ")
    )
}

fn work(campaign: &Campaign, job: usize, totals: &Mutex<Totals>, next: &AtomicU64, start: Instant, print: &(dyn Fn(&str) + Sync)) {
    let mut server: Option<Server> = None;
    let end = campaign.seed.saturating_add(campaign.count);
    loop {
        let first = next.fetch_add(BLOCK, Relaxed);
        if first >= end || start.elapsed() >= campaign.time {
            // Not given out after all.
            next.fetch_min(first, Relaxed);
            return;
        }
        let mut seed = first;
        let last = (first + BLOCK).min(end);
        while seed < last {
            if server.is_none() {
                match Server::start(campaign) {
                    Ok(s) => server = Some(s),
                    Err(e) => {
                        print(&format!("{}: {e}", campaign.program.display()));
                        return;
                    }
                }
            }
            let Some(mut running) = server.take() else { return };
            match run_block(campaign, job, &mut running, seed, last - seed, totals, print) {
                Ok(()) => {
                    seed = last;
                    server = Some(running);
                }
                Err((bad, killed)) => {
                    let words = running.last_words(killed);
                    record(totals, bad, words, print);
                    seed = bad + 1;
                }
            }
        }
    }
}

fn record(totals: &Mutex<Totals>, seed: u64, text: String, print: &(dyn Fn(&str) + Sync)) {
    let Ok(mut t) = totals.lock() else { return };
    let is_new = !t.failures.contains_key(&signature(&text));
    if is_new {
        print(&format!("seed {seed}: {text}\n  again: attack --one {seed}; smaller: attack --minimize {seed}"));
    }
    t.fail(seed, text);
}

/// Has a server run some seeds. `Err`: the seed at which it ended, and whether it must be killed.
fn run_block(
    campaign: &Campaign,
    job: usize,
    server: &mut Server,
    first: u64,
    count: u64,
    totals: &Mutex<Totals>,
    print: &(dyn Fn(&str) + Sync),
) -> Result<(), (u64, bool)> {
    let mut at = first;
    if writeln!(server.stdin, "{first} {count}").and_then(|()| server.stdin.flush()).is_err() {
        return Err((at, false));
    }
    loop {
        let line = match server.lines.recv_timeout(2 * campaign.patience + Duration::from_secs(20)) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Err((at, true)),
            Err(RecvTimeoutError::Disconnected) => return Err((at, false)),
        };
        let (kind, rest) = line.split_at(line.len().min(1));
        let (number, text) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
        match kind {
            "S" => {
                at = number.parse().unwrap_or(at);
                if let Ok(mut t) = totals.lock() {
                    t.cases += 1;
                }
            }
            "F" => record(totals, number.parse().unwrap_or(at), unescaped(text), print),
            "E" => {
                if let Ok(mut t) = totals.lock() {
                    t.ended = unescaped(text);
                }
            }
            "B" => {
                let n: Vec<u64> = rest.split_whitespace().filter_map(|n| n.parse().ok()).collect();
                if let (&[_, compared, canceled, latest, rss_kib, mappings, files, ref codes @ ..], Ok(mut t)) = (&n[..], totals.lock()) {
                    t.codes.iter_mut().zip(codes).for_each(|(sum, n)| *sum += n);
                    t.compared += compared;
                    t.canceled += canceled;
                    t.latest = t.latest.max(Duration::from_micros(latest));
                    let now = Held { rss_kib, mappings, files };
                    let held = &mut t.held[job];
                    // The first ones fill caches.
                    if at < campaign.seed + 16 * BLOCK * campaign.jobs as u64 {
                        held.0 = now;
                    }
                    held.1 = now;
                }
            }
            "D" => return Ok(()),
            _ => {}
        }
    }
}

/// Runs one seed with some parts left out: what failed, or how it ended.
pub fn one(campaign: &Campaign, seed: u64, left_out: &[usize]) -> Result<String, String> {
    let campaign = Campaign {
        seed,
        count: 1,
        jobs: 1,
        time: Duration::MAX,
        report_every: Duration::MAX,
        left_out: left_out.to_vec(),
        ..campaign.clone()
    };
    let totals = attack(&campaign, &|_| ());
    match totals.failures.into_values().next() {
        Some((_, _, text)) => Err(text),
        None => Ok(totals.ended),
    }
}

/// Leaves out parts of a failing case while it still fails; the parts left out and the failure. `None`: it does not fail.
pub fn minimize(campaign: &Campaign, seed: u64, print: &dyn Fn(&str)) -> Option<(Vec<usize>, String)> {
    let mut left_out = vec![];
    let mut failure = one(campaign, seed, &left_out).err()?;
    let parts = Case::of_seed(seed).parts();
    // Halves, quarters, ..., one by one.
    let mut step = parts.div_ceil(2).max(1);
    loop {
        for first in (0..parts).step_by(step) {
            let more: Vec<usize> = (first..(first + step).min(parts)).filter(|p| !left_out.contains(p)).collect();
            if more.is_empty() {
                continue;
            }
            let tried: Vec<usize> = left_out.iter().chain(&more).copied().collect();
            if let Err(text) = one(campaign, seed, &tried) {
                print(&format!("still fails without {tried:?}"));
                (left_out, failure) = (tried, text);
            }
        }
        if step == 1 {
            return Some((left_out, failure));
        }
        step = step.div_ceil(2);
    }
}
