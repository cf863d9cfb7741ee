//! Gives `libamdhip64.so` the version nodes that programs linked with ROCm's ask for, and leaves what nobody calls out of it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=versions.map");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|v| v == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    // Threads of the run time and handlers of signals are there until the process ends.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    if is("PROFILE", "release") && is("DEBUG", "false") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--strip-all");
    }
    // Only lld, which is Rust's own for this target, takes a second version script beside rustc's. Without it programs run, too, after a line of
    // the dynamic linker about each library without versions.
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let other_linker = ["fuse-ld", "linker", "link-self-contained"].iter().any(|word| flags.contains(word));
    if is("TARGET", "x86_64-unknown-linux-gnu") && !other_linker {
        let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
        println!("cargo:rustc-cdylib-link-arg=-Wl,--version-script={here}/versions.map");
    }
}
