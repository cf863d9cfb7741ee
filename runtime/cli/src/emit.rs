//! `wavejit emit`: the host code of a kernel, as Cranelift IR and as host instructions.

use super::lift::lifted;
use super::progress::Progress;
use anyhow::{Context, Result};
use std::path::PathBuf;
use wavejit_jit::emit::{EmitOptions, compile_to_text};
use wavejit_jit::opt::{self, OptOptions};

/// Print the host code of a kernel: Cranelift IR, then host instructions, of each function made.
#[derive(clap::Args, Debug)]
pub struct EmitArgs {
    /// Code object, offload bundle, program with HIP device code, or source file (.cl, .hip, .cpp, .s).
    file: PathBuf,
    /// Kernel; may be left out if there is only one.
    #[arg(long)]
    kernel: Option<String>,
    /// Target to take from a bundle, such as gfx1100 or gfx90a:xnack+.
    #[arg(long)]
    target: Option<String>,
}

/// Runs it.
pub fn emit_command(args: &EmitArgs) -> Result<()> {
    let mut func = lifted(&args.file, args.kernel.as_deref(), args.target.as_deref())?;
    let progress = Progress::start(&format!("compiling {}", func.name), None);
    opt::run(&mut func, OptOptions::default());
    let text =
        compile_to_text(&func, &EmitOptions::default()).with_context(|| format!("{}: kernel `{}`", args.file.display(), func.name))?;
    drop(progress);
    super::print(&text)
}
