//! Compiles `c_abi/main.c` against `include/wavejit.h`, links it with the shared library, and runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this test program, where Cargo also puts the shared library.
fn library_folder() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    if deps.join("libwavejit.so").exists() { deps } else { deps.parent().unwrap().to_path_buf() }
}

#[test]
fn a_c_program_can_use_every_function() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = library_folder();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_abi");
    let compiler = std::env::var("CC").unwrap_or("cc".to_string());
    let compiled = Command::new(&compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(here.join("tests/c_abi/main.c"))
        .arg("-I")
        .arg(here.join("include"))
        .arg("-L")
        .arg(&folder)
        .arg("-lwavejit")
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .output()
        .unwrap_or_else(|e| panic!("{compiler}: {e}"));
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).arg(here.join("tests/data/small-v5.hsaco")).output().unwrap();
    assert!(run.status.success(), "{}: {}", run.status, String::from_utf8_lossy(&run.stderr));
}
