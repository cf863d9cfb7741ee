//! Tests that need the whole of wavejit: kernels of `shaders/` against plain-Rust references, compiled code against the interpreter,
//! filetests, golden disassembly, bad input.
//!
//! [`mod@reference`] and [`peers`] hold expected results of kernels, [`case`] launches and compares. [`mod@filetest`] reads filetests, [`machine`] and [`memory`]
//! are the small machine that runs them, [`mod@picture`] compares pictures, [`limit`] counts memory. `tests/*.rs` are the tests. Requirements that
//! they cite by id are
//! listed in `docs/requirements.md`.

pub mod attack;
pub mod case;
pub mod control_flow;
pub mod coverage;
pub mod cycles;
pub mod filetest;
pub mod limit;
pub mod machine;
pub mod memory;
pub mod peers;
pub mod picture;
pub mod random_programs;
pub mod reference;

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A committed code object.
///
/// # Panics
/// When it cannot be read: a broken checkout.
pub fn code_object(name: &str) -> Vec<u8> {
    let path = root().join("shaders/bin").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
