//! Libraries that programs need beside `wavejit`: where they are.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The folder of a library: beside the program, or where packages put libraries. `package` is what builds it.
pub(crate) fn folder(exe: &Path, library: &str, package: &str) -> Result<PathBuf> {
    let beside = exe.parent().unwrap_or(Path::new("."));
    let folders = [beside.to_path_buf(), beside.join("../lib")];
    match folders.iter().find(|f| f.join(library).is_file()) {
        Some(folder) => std::fs::canonicalize(folder).with_context(|| folder.display().to_string()),
        None => bail!("{library} is not in {}; build it with: cargo build --release -p {package}", beside.display()),
    }
}

/// The folder of a library of this program.
pub(crate) fn own_folder(library: &str, package: &str) -> Result<PathBuf> {
    folder(&std::env::current_exe().context("cannot tell where wavejit is")?, library, package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_comes_with_the_command_that_builds_it() {
        let message = folder(Path::new("/nowhere/wavejit"), "libamdhip64.so", "wavejit-hip").unwrap_err().to_string();
        assert_eq!(message, "libamdhip64.so is not in /nowhere; build it with: cargo build --release -p wavejit-hip");
    }
}
