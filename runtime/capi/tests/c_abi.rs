//! Compiles the C programs of `c_abi/` against `include/wavejit.h`, links them with the shared library, and runs them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the shared library, which is built first: Cargo builds for tests only what Rust can link. With the packages that `.ci/run` tests
/// in this profile, so that what they have built serves.
fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
        let exe = std::env::current_exe().expect("this test is a file");
        // target/PROFILE/deps/c_abi-HASH, but `debug` for `dev`
        let folder = exe.ancestors().nth(2).expect("a folder of the profile");
        let profile = folder.file_name().and_then(|name| name.to_str()).map_or("dev", |name| if name == "debug" { "dev" } else { name });
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--lib", "--profile", profile])
            .args(if profile == "dev" { &["--workspace"][..] } else { &["-p", "wavejit", "-p", "wavejit-capi", "-p", "wavejit-tests"] })
            .arg("--target-dir")
            .arg(target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        folder.to_path_buf()
    })
}

/// Builds `c_abi/NAME.c`. Every test has a program of its own, since they run side by side.
fn build(name: &str, test: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = library_folder();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c_abi_{test}"));
    let compiler = std::env::var("CC").unwrap_or("cc".to_string());
    let compiled = Command::new(&compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-o"])
        .arg(&program)
        .arg(here.join(format!("tests/c_abi/{name}.c")))
        .arg("-I")
        .arg(here.join("include"))
        .arg("-L")
        .arg(folder)
        .arg("-lwavejit")
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .output()
        .unwrap_or_else(|e| panic!("{compiler}: {e}"));
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    program
}

/// Runs it on a code object that has the kernel `scale`.
fn run(program: &Path, args: &[&str]) {
    let code = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/small-v5.hsaco");
    // Threads of the pool have their part in it on any machine.
    let run = Command::new(program).arg(code).args(args).env("WAVEJIT_THREADS", "3").output().unwrap();
    assert!(run.status.success(), "{args:?}: {}: {}", run.status, String::from_utf8_lossy(&run.stderr));
}

#[test]
fn a_c_program_can_use_every_function() {
    run(&build("main", "main"), &[]);
}

#[test]
fn a_c_program_can_use_every_function_of_version_2() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = ["../tests/data/named.hsaco", "../../shaders/bin"].map(|p| here.join(p).display().to_string());
    run(&build("version2", "version2"), &[&paths[0], &paths[1]]);
}

/// What the header declares is defined, and used by the test program; what is defined is declared.
#[test]
fn the_header_of_version_2_has_every_function() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let names = |text: &str, before: &str| -> std::collections::BTreeSet<String> {
        let rest = text.match_indices(before).map(|(at, _)| &text[at + before.len()..]);
        let named = rest.filter_map(|r| r.split_once('(')).map(|(name, _)| format!("wavejit2_{name}"));
        named.filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).collect()
    };
    let header = read(here.join("include/wavejit2.h"));
    let sources: String = std::fs::read_dir(here.join("src/v2")).unwrap().map(|f| read(f.unwrap().path())).collect();
    let declared = names(&header, "_t wavejit2_");
    assert!(declared.len() > 50, "{declared:?}");
    assert_eq!(declared, names(&sources, "extern \"C\" fn wavejit2_"));
    let used = names(&read(here.join("tests/c_abi/version2.c")), "wavejit2_");
    assert!(declared.is_subset(&used), "{:?}", declared.difference(&used));
}

/// Each case is a process of its own, since handlers belong to the process.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn hosts_may_have_signal_handlers_of_their_own() {
    let program = build("signals", "signals");
    for case in [
        "handler_jumps",
        "handler_comes_later",
        "handlers_chain",
        "handler_comes_again",
        "handler_goes",
        "many_handlers",
        "faults_kill",
        "signals_are_sent",
        "handlers_have_mask_and_stack",
        "handler_is_used_up",
        "signals_are_blocked",
        "handlers_change_meanwhile",
    ] {
        run(&program, &[case]);
    }
}

/// Without care for it, one child in a hundred waits for ever for a lock that a thread of its parent held.
#[cfg(target_os = "linux")]
#[test]
fn hosts_may_fork_while_other_threads_launch() {
    run(&build("fork", "fork"), &[]);
}
