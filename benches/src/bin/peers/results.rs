//! Measured times of all kernels on all backends, and what follows from them.

use crate::backend::{Backend, Measured};
use std::process::Command;
use wavejit_tests::peers::{COMMON, Peer};

/// One kernel.
pub(crate) struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it stands for.
    pub class: &'static str,
    /// By backend.
    pub measured: Vec<Result<Measured, String>>,
}

/// Everything that was measured. Backend 0 is wavejit.
pub(crate) struct Results {
    /// Processor and threads.
    pub machine: String,
    /// Hash of the commit, and whether files were changed.
    pub commit: String,
    /// How many processes wanted a processor in the minute before, where the host says it.
    pub load: Option<f64>,
    /// Threads that all backends have.
    pub threads: usize,
    /// Timed rounds.
    pub rounds: u32,
    /// Name, version, and whether it is wavejit.
    pub backends: Vec<(String, String, bool)>,
    /// In the order of the table of kernels.
    pub rows: Vec<Row>,
}

/// A geometric mean or a median, and of how many.
#[derive(Clone, Copy)]
pub(crate) struct Mean(pub f64, pub usize);

impl std::fmt::Display for Mean {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.1 == 0 { f.write_str("-") } else { write!(f, "{:.2} ({})", self.0, self.1) }
    }
}

/// Which of a kernel's times to compare.
pub(crate) type Time = fn(&Measured) -> f64;

impl Results {
    /// Nothing measured yet.
    pub(crate) fn new(backends: &[Backend], rounds: u32) -> Results {
        let git = |args: &[&str]| {
            let out = Command::new("git").current_dir(wavejit_benches::root()).args(args).output().ok().filter(|o| o.status.success());
            out.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string())
        };
        let mut commit = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".into());
        if git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|changed| !changed.is_empty()) {
            commit += " and changes";
        }
        Results {
            machine: wavejit_benches::machine(),
            commit,
            load: std::fs::read_to_string("/proc/loadavg").ok().and_then(|t| t.split(' ').next()?.parse().ok()),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            rounds,
            backends: backends.iter().map(|b| (b.name.clone(), b.version.clone(), b.is_ours)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a kernel.
    pub(crate) fn add(&mut self, peer: &Peer, measured: Vec<Result<Measured, String>>) {
        self.rows.push(Row { name: peer.name, class: peer.class, measured });
    }

    /// Indices of the backends that are wavejit, or that are not.
    pub(crate) fn indices(&self, ours: bool) -> Vec<usize> {
        (0..self.backends.len()).filter(|&i| self.backends[i].2 == ours).collect()
    }

    /// How often as fast `ours` is as `peer` on a kernel that both have right.
    pub(crate) fn ratio(row: &Row, ours: usize, peer: usize, time: Time) -> Option<f64> {
        match (&row.measured[ours], &row.measured[peer]) {
            (Ok(a), Ok(b)) => Some(time(b) / time(a)),
            _ => None,
        }
    }

    /// The geometric mean of the ratios of some kernels.
    pub(crate) fn mean(&self, ours: usize, peer: usize, time: Time, wanted: impl Fn(&Row) -> bool) -> Mean {
        let rows = self.rows.iter().filter(|row| wanted(row));
        let logs: Vec<f64> = rows.filter_map(|row| Self::ratio(row, ours, peer, time)).map(f64::ln).collect();
        Mean((logs.iter().sum::<f64>() / logs.len() as f64).exp(), logs.len())
    }

    /// The ratio in the middle, which no extreme moves.
    pub(crate) fn median(&self, ours: usize, peer: usize, time: Time) -> Mean {
        let mut ratios: Vec<f64> = self.rows.iter().filter_map(|row| Self::ratio(row, ours, peer, time)).collect();
        ratios.sort_by(f64::total_cmp);
        Mean(ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN), ratios.len())
    }

    /// CPU milliseconds of a launch, shared among the threads.
    pub(crate) fn cpu_ms(&self, measured: &Measured) -> f64 {
        measured.cpu * 1e3 / self.threads as f64
    }

    /// A line about a kernel.
    pub(crate) fn print(&self, peer: &Peer, measured: &[Result<Measured, String>]) {
        print!("{:18}", peer.name);
        let mut notes = String::new();
        for (i, (name, _, is_ours)) in self.backends.iter().enumerate() {
            match (&measured[i], &measured[0]) {
                (Ok(m), Ok(first)) if !is_ours => print!("  {name} {:8.3} ms {:6.2}", self.cpu_ms(m), m.cpu / first.cpu),
                (Ok(m), _) => print!("  {name} {:8.3} ms", self.cpu_ms(m)),
                (Err(e), _) => notes += &format!("  {name}: {e}"),
            }
        }
        println!("{notes}");
    }

    /// Means, a line for each pair of wavejit and a peer.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::new();
        for ours in self.indices(true) {
            for peer in self.indices(false) {
                let (all, common, others) = (
                    self.mean(ours, peer, |m| m.cpu, |_| true),
                    self.mean(ours, peer, |m| m.cpu, is_common),
                    self.mean(ours, peer, |m| m.cpu, is_other),
                );
                let wall = self.mean(ours, peer, |m| m.wall, |_| true);
                let (a, b) = (&self.backends[ours].0, &self.backends[peer].0);
                text += &format!("{a} over {b}: all {all}, common {common}, others {others}; by wall time {wall}\n");
            }
        }
        text + &format!("{} of {} kernels right", self.rows.len() - self.wrong(), self.rows.len())
    }

    /// Kernels that wavejit, at any level, has not right.
    pub(crate) fn wrong(&self) -> usize {
        let ours = self.indices(true);
        self.rows.iter().filter(|row| ours.iter().any(|&i| row.measured[i].is_err())).count()
    }
}

/// Is it one of the kernels that every benchmark has?
pub(crate) fn is_common(row: &Row) -> bool {
    row.class == COMMON
}

/// Is it one of the others?
pub(crate) fn is_other(row: &Row) -> bool {
    row.class != COMMON
}
