//! A backend is a process of its own, so that idle threads of one do not count for another and a crash ends one backend only. It is this
//! program with `--worker`, and is spoken to by lines on its standard input and output; what drivers print there themselves is passed over.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use wavejit_tests::peers::Size;

/// Times of one kernel on one backend, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    /// Building and the first launch together.
    pub first: f64,
    /// The best wall time of a launch.
    pub wall: f64,
    /// The best CPU time of a launch, of all threads.
    pub cpu: f64,
}

impl Measured {
    /// With one more round.
    pub(crate) fn and(self, (wall, cpu): (f64, f64)) -> Measured {
        Measured { wall: self.wall.min(wall), cpu: self.cpu.min(cpu), ..self }
    }
}

/// What stands before every answer, so that it is told from what drivers print.
pub(crate) const ANSWER: &str = "peers>\t";

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a worker runs kernels on.
#[derive(Clone)]
pub(crate) enum Kind {
    /// wavejit, with what the environment of its process says beside this one's.
    Wavejit(Vec<(&'static str, String)>),
    /// A library with OpenCL.
    OpenCl(String),
}

impl Kind {
    /// From the text of `--worker`.
    pub(crate) fn parse(text: &str) -> Result<Kind, String> {
        match text.split_once(':') {
            Some(("opencl", library)) => Ok(Kind::OpenCl(library.to_string())),
            Some(("wavejit", _)) => Ok(Kind::Wavejit(Vec::new())), // it is in the environment already
            _ => Err(format!("--worker {text} is not known")),
        }
    }
}

/// A running backend.
pub(crate) struct Backend {
    /// The name in tables.
    pub name: String,
    /// Is it wavejit, and not a peer?
    pub is_ours: bool,
    /// What it says it is.
    pub version: String,
    process: Child,
    cache: PathBuf,
    to: ChildStdin,
    from: Receiver<String>,
}

impl Backend {
    /// Starts the process and hears what it is.
    pub(crate) fn start(name: &str, kind: Kind) -> Result<Backend, String> {
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        match &kind {
            Kind::Wavejit(variables) => {
                command.args(["--worker", "wavejit:"]).envs(variables.iter().map(|(name, value)| (name, value)));
            }
            Kind::OpenCl(library) => {
                command.args(["--worker", &format!("opencl:{library}")]);
            }
        }
        // PoCL keeps what it compiles on disk; an empty place makes first launches compile.
        let cache = std::env::temp_dir().join(format!("wavejit-peers-{}-{}", std::process::id(), name.replace(['/', ' '], "_")));
        fs::create_dir_all(&cache).map_err(|e| format!("{}: {e}", cache.display()))?;
        command.env("POCL_CACHE_DIR", &cache);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|e| format!("{name}: {e}"))?;
        let (Some(to), Some(out)) = (process.stdin.take(), process.stdout.take()) else { return Err(format!("{name}: no pipes")) };
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if let Some(answer) = line.strip_prefix(ANSWER) {
                    let _ = sender.send(answer.to_string());
                }
            }
        });
        let is_ours = matches!(kind, Kind::Wavejit(_));
        let mut backend = Backend { name: name.to_string(), is_ours, version: String::new(), process, cache, to, from };
        backend.version = backend.hear().map_err(|e| format!("{name}: {e}"))?;
        Ok(backend)
    }

    fn hear(&mut self) -> Result<String, String> {
        let answer = self.from.recv_timeout(PATIENCE).map_err(|e| format!("no answer ({e})"))?;
        match answer.split_once('\t') {
            Some(("failed", why)) => Err(why.to_string()),
            Some((_, rest)) => Ok(rest.to_string()),
            None => Err(format!("`{answer}` is not an answer")),
        }
    }

    fn ask(&mut self, what: &str) -> Result<String, String> {
        writeln!(self.to, "{what}").map_err(|e| format!("the process is gone: {e}"))?;
        self.hear()
    }

    /// Builds a kernel, launches it once, and judges the result.
    pub(crate) fn load(&mut self, kernel: &str, size: Size) -> Result<Measured, String> {
        let answer = self.ask(&format!("load\t{kernel}\t{}", if size == Size::Full { "full" } else { "small" }))?;
        Ok(Measured { first: number(&answer)?, wall: f64::MAX, cpu: f64::MAX })
    }

    /// One timed round: seconds of a launch on the wall, and of all threads.
    pub(crate) fn time(&mut self) -> Result<(f64, f64), String> {
        let answer = self.ask("time")?;
        let (wall, cpu) = answer.split_once('\t').ok_or("two times are wanted")?;
        Ok((number(wall)?, number(cpu)?))
    }

    /// Launches once more on cleared outputs and judges the result.
    pub(crate) fn check(&mut self) -> Result<(), String> {
        self.ask("check").map(drop)
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.cache);
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|e| format!("`{text}`: {e}"))
}
