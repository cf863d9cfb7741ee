//! What is going on while something takes long: a spinner on a terminal, and every now and then, terminal or not, what the waves are doing.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use wavejit::{Look, Progress as Dispatch};

/// Work that takes less than this shows no spinner.
const SPINNER_AFTER: Duration = Duration::from_millis(500);
/// Time between two turns of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// Shows what is going on until it is dropped.
pub(crate) struct Progress {
    /// Closed when the work is done.
    done: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// A run to report on.
pub(crate) struct Watched {
    pub kernel: String,
    pub dispatch: Arc<Dispatch>,
    /// First report after this; the next after twice as long, and so on.
    pub patience: Duration,
}

impl Progress {
    /// Starts waiting, then spinning, with a message; reports on `watched`.
    pub(crate) fn start(message: &str, watched: Option<Watched>) -> Progress {
        let (done, is_done) = channel();
        let message = message.to_string();
        let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let wanted = is_terminal || watched.is_some();
        let thread = wanted.then(|| std::thread::spawn(move || show(&message, is_terminal, watched, &is_done)));
        Progress { done: Some(done), thread }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // The thread only draws; if it panicked, there is nothing to show.
            let _ = thread.join();
        }
    }
}

fn show(message: &str, is_terminal: bool, watched: Option<Watched>, is_done: &Receiver<()>) {
    let start = Instant::now();
    let mut bar = None;
    let mut reports = watched.map(|w| Reports::new(w, start));
    loop {
        let next_report = reports.as_ref().map_or(TICK, |r| r.next.saturating_duration_since(Instant::now()));
        let wait = if is_terminal { next_report.min(TICK) } else { next_report };
        // Whoever holds the other end drops it when the work is done.
        match is_done.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
        if let Some(text) = reports.as_mut().and_then(|r| r.due(start)) {
            match &bar {
                Some(bar) => ProgressBar::suspend(bar, || eprintln!("{text}")),
                None => eprintln!("{text}"),
            }
        }
        if is_terminal && start.elapsed() >= SPINNER_AFTER {
            bar.get_or_insert_with(|| spinner(message, start)).tick();
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn spinner(message: &str, start: Instant) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message.to_string()).with_elapsed(start.elapsed());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// When to report next, and what was known when it was prepared.
struct Reports {
    watched: Watched,
    /// When there is something to do: to ask, then to report.
    next: Instant,
    /// Time between the start and the next report.
    after: Duration,
    /// What was known when a wave was asked for its place, and when that was.
    asked: Option<(Look, Instant)>,
}

impl Reports {
    fn new(watched: Watched, start: Instant) -> Reports {
        let after = watched.patience;
        Reports { next: start + after - question_time(after), after, asked: None, watched }
    }

    /// Does what is to be done by now; a report if it is time for one.
    fn due(&mut self, start: Instant) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        let dispatch = &self.watched.dispatch;
        match self.asked.take() {
            None => {
                self.asked = Some((dispatch.look(), now));
                dispatch.ask();
                self.next = start + self.after;
                None
            }
            Some((before, asked_at)) => {
                let mut text = report(&self.watched.kernel, start.elapsed(), &dispatch.look(), &before, now - asked_at);
                if self.after == self.watched.patience {
                    text += HINT;
                }
                self.after *= 2;
                self.next = start + self.after - question_time(self.after);
                Some(text)
            }
        }
    }
}

/// How long before a report a wave is asked where it is.
fn question_time(after: Duration) -> Duration {
    (after / 5).min(Duration::from_secs(1))
}

/// What the first report adds.
const HINT: &str =
    "\n  (--max-insts N ends a run whose waves take more than N instructions, and says where they are; --patience 0 is silent)";

/// `before`: what was known this long before.
fn report(kernel: &str, elapsed: Duration, now: &Look, before: &Look, between: Duration) -> String {
    let after = format!("after {:.1} s", elapsed.as_secs_f64());
    if now.workgroups == 0 {
        return format!("still translating kernel `{kernel}` {after}");
    }
    // A new launch has begun to count anew.
    let insts = now.guest_insts.saturating_sub(before.guest_insts) as f64;
    let rate = insts / between.as_secs_f64().max(1e-9) / 1e6;
    let mut text = format!(
        "still running {after}: kernel `{kernel}`, {} of {} workgroups done, {} waves running, {rate:.1} million instructions a second",
        now.workgroups_done, now.workgroups, now.waves_running
    );
    if let Some(place) = &now.place {
        text += &format!("\n  a wave is at {place}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit::Place;

    #[test]
    fn reports_say_what_the_waves_are_doing() {
        let before = Look { workgroups: 8, guest_insts: 1_000_000, ..Default::default() };
        let inst = Some("s_nop 0".to_string());
        let place = Some(Place { kernel: "k".into(), entry: 0, pc: 8, inst, workgroup: [1, 0, 0], wave: 2 });
        let now = Look { workgroups: 8, workgroups_done: 3, waves_running: 4, guest_insts: 5_000_000, place };
        let text = report("k", Duration::from_secs(5), &now, &before, Duration::from_secs(2));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "still running after 5.0 s: kernel `k`, 3 of 8 workgroups done, 4 waves running, 2.0 million instructions a second"
        );
        assert_eq!(lines[1], "  a wave is at kernel `k`+0x8 (pc 0x8: `s_nop 0`), workgroup (1, 0, 0), wave 2");
        assert_eq!(lines.len(), 2);
        assert_eq!(
            report("k", Duration::from_secs(5), &Look::default(), &before, Duration::from_secs(1)),
            "still translating kernel `k` after 5.0 s"
        );
    }

    #[test]
    fn each_report_comes_twice_as_late_as_the_one_before() {
        let start = Instant::now() - Duration::from_secs(100);
        let watched = Watched { kernel: "k".into(), dispatch: Default::default(), patience: Duration::from_secs(5) };
        let mut reports = Reports::new(watched, start);
        assert_eq!((reports.next - start).as_secs(), 4, "a wave is asked a second before");
        assert_eq!((reports.due(start), (reports.next - start).as_secs()), (None, 5));
        assert!(reports.due(start).is_some_and(|text| text.contains("--max-insts N")));
        assert_eq!((reports.next - start).as_secs(), 9);
        assert_eq!(reports.due(Instant::now()), None);
    }
}
