//! Leaves the symbol table out of optimized builds of `libwavejit.so`: a seventh of the file, and nothing that its users could call.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|v| v == value);
    // Profilers want it: `--profile profiling` has debug information.
    if is("PROFILE", "release") && is("DEBUG", "false") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--strip-all");
    }
}
