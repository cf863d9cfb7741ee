//! A spinner on the terminal while something takes long. Short work and redirected output show nothing.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Work that takes less than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows the spinner until it is dropped.
pub struct Progress {
    done: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Progress {
    /// Starts waiting, then spinning, with a message.
    pub fn start(message: &str) -> Progress {
        let done = Arc::new(AtomicBool::new(false));
        let (ours, message) = (done.clone(), message.to_string());
        let show = move || {
            std::thread::park_timeout(PATIENCE);
            if ours.load(Ordering::Acquire) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(message);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            while !ours.load(Ordering::Acquire) {
                bar.tick();
                std::thread::park_timeout(Duration::from_millis(100));
            }
            bar.finish_and_clear();
        };
        let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        Progress { done, thread: is_terminal.then(|| std::thread::spawn(show)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread only draws; if it panicked, there is nothing to show.
            let _ = thread.join();
        }
    }
}
