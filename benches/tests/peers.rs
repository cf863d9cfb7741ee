//! The comparison with OpenCL implementations, on wavejit alone and at small sizes.

use std::process::{Command, Output};

fn peers(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_peers")).args(args).output().expect("the program runs")
}

#[test]
fn wavejit_runs_alone() {
    let out = peers(&["--small", "--rounds", "1", "--only", "vector_add,hist_lds", "--isa", "portable"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("2 of 2 kernels right") && text.contains("wavejit, portable"), "{text}");
}

#[test]
fn what_is_missing_is_named() {
    for (args, name) in [(["--opencl", "none=/no/such.so"], "/no/such.so"), (["--only", "no_such_kernel"], "no_such_kernel")] {
        let out = peers(&args);
        assert!(!out.status.success() && String::from_utf8_lossy(&out.stderr).contains(name), "{out:?}");
    }
}
