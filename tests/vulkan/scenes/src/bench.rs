//! Frames and pixels per second.

use std::process::ExitCode;

/// Runs them all.
pub fn run() -> ExitCode {
    ExitCode::SUCCESS
}
