//! Deadlines of runs, and last words: a thread that cancels what takes too long, and says where the process is if even that does not help.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Exit code of a process that did not come back after it was canceled.
pub const HUNG: i32 = 98;
/// Exit code of a process that crashed.
pub const CRASHED: i32 = 99;

/// Watches the runs of one thread.
pub struct Watch {
    /// There until it is dropped.
    shared: Option<Arc<Shared>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    start: Instant,
    cancel: AtomicU32,
    /// When to cancel, and when that was done, in nanoseconds since `start`; 0: never, not yet.
    deadline: AtomicU64,
    fired: AtomicU64,
    /// How long a canceled run may take to end.
    patience: Duration,
    runner: libc::pthread_t,
}

impl Shared {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

impl Watch {
    /// Watches the calling thread. A canceled run that does not end within `patience` ends the process, with [`HUNG`].
    pub fn new(patience: Duration) -> Watch {
        // SAFETY: no arguments.
        let runner = unsafe { libc::pthread_self() };
        let shared = Arc::new(Shared {
            start: Instant::now(),
            cancel: AtomicU32::new(0),
            deadline: AtomicU64::new(0),
            fired: AtomicU64::new(0),
            patience,
            runner,
        });
        let watched = Arc::downgrade(&shared);
        let thread = std::thread::spawn(move || {
            while let Some(shared) = watched.upgrade() {
                look(&shared);
                drop(shared);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Watch { shared: Some(shared), thread: Some(thread) }
    }

    /// Runs something with a flag that is set after `limit`. Also: how long it took to end after that, if it did not end before.
    pub fn run<T>(&self, limit: Duration, run: impl FnOnce(&AtomicU32) -> T) -> (T, Option<Duration>) {
        let shared = self.shared.as_deref().expect("it is there until the watch is dropped");
        shared.cancel.store(0, SeqCst);
        shared.fired.store(0, SeqCst);
        shared.deadline.store(shared.now() + limit.as_nanos() as u64, SeqCst);
        let result = run(&shared.cancel);
        shared.deadline.store(0, SeqCst);
        let fired = shared.fired.swap(0, SeqCst);
        (result, (fired != 0).then(|| Duration::from_nanos(shared.now() - fired)))
    }
}

impl Drop for Watch {
    /// Waits for the thread, which sees within a millisecond that nobody is to be watched any more.
    fn drop(&mut self) {
        self.shared = None;
        if let Some(thread) = self.thread.take() {
            // It panics nowhere.
            let _ = thread.join();
        }
    }
}

fn look(shared: &Shared) {
    let now = shared.now();
    let (deadline, fired) = (shared.deadline.load(SeqCst), shared.fired.load(SeqCst));
    if deadline == 0 {
    } else if fired != 0 && now - fired > shared.patience.as_nanos() as u64 {
        // SAFETY: the thread lives as long as it is watched.
        unsafe { libc::pthread_kill(shared.runner, libc::SIGUSR2) };
        // If it cannot even take a signal.
        std::thread::sleep(Duration::from_secs(5));
        std::process::exit(HUNG);
    } else if fired == 0 && now >= deadline {
        shared.fired.store(now, SeqCst);
        shared.cancel.store(1, SeqCst);
    }
}

/// Makes the process say where it was when it crashes or hangs. To be called first: later handlers hand on what is not theirs.
pub fn install_last_words() {
    const STACK: usize = 1 << 20;
    let signals = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGUSR2];
    // SAFETY: plain calls; the stack lives for ever.
    unsafe {
        let stack = Box::leak(vec![0u8; STACK].into_boxed_slice());
        let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
        libc::sigaltstack(&stack, std::ptr::null_mut());
        for signal in signals {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = last_words as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn last_words(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // What follows is more than a handler may do. If it gets stuck, the alarm ends it.
    // SAFETY: plain calls; the kernel passes a valid pointer.
    let address = unsafe {
        libc::alarm(5);
        (*info).si_addr() as u64
    };
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    eprintln!("signal {signal}, address {address:#x}, in {}", ours(&trace).join(" < "));
    let code = if signal == libc::SIGUSR2 { HUNG } else { CRASHED };
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(code) }
}

/// Functions of this workspace in a backtrace, innermost first, and what they called outside of it.
fn ours(trace: &str) -> Vec<String> {
    const MOST: usize = 16;
    let lines: Vec<&str> = trace.lines().map(str::trim).collect();
    let mut out: Vec<String> = vec![];
    let mut outside = None;
    for pair in lines.windows(2) {
        let Some((number, name)) = pair[0].split_once(": ") else { continue };
        if !number.chars().all(|c| c.is_ascii_digit()) {
            continue;
        }
        let name = name.split_once('<').map_or(name, |(plain, _)| plain).to_string();
        if name == "work_until_error" {
            break;
        }
        match pair[1].strip_prefix("at ./") {
            Some(place) if ["jit/", "texture/", "runtime/"].iter().any(|folder| place.starts_with(folder)) => {
                out.extend(outside.take());
                out.push(format!("{name} {place}"));
            }
            _ => outside = Some(name),
        }
    }
    if out.len() > MOST {
        // Both ends matter: what it was doing, and in which phase of a launch.
        out.drain(MOST / 2..out.len() - MOST / 2);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_canceled() {
        let watch = Watch::new(Duration::from_secs(600));
        let (n, late) = watch.run(Duration::from_secs(600), |_| 7);
        assert_eq!((n, late), (7, None));
        let ((), late) = watch.run(Duration::from_millis(5), |cancel| {
            while cancel.load(SeqCst) == 0 {
                std::thread::yield_now();
            }
        });
        assert!(late.is_some());
    }
}
