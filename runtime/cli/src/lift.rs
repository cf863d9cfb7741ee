//! `wavejit lift`: the wave IR of a kernel.

use anyhow::{Context, Result};
use std::path::PathBuf;
use wavejit_ir::{self as ir, Func};
use wavejit_jit::lift::{LiftSource, lift};
use wavejit_jit::opt::{self, OptOptions};

/// Print the wave IR of a kernel.
#[derive(clap::Args, Debug)]
pub struct LiftArgs {
    /// Code object, offload bundle, program with HIP device code, or source file (.cl, .hip, .cpp, .s).
    file: PathBuf,
    /// Kernel; may be left out if there is only one.
    #[arg(long)]
    kernel: Option<String>,
    /// Target to take from a bundle, such as gfx1100 or gfx90a:xnack+.
    #[arg(long)]
    target: Option<String>,
    /// After all passes.
    #[arg(long)]
    optimized: bool,
}

/// Runs it.
pub fn lift_command(args: &LiftArgs) -> Result<()> {
    let mut func = lifted(&args.file, args.kernel.as_deref(), args.target.as_deref())?;
    if args.optimized {
        opt::run(&mut func, OptOptions::default());
    }
    super::print(&ir::text::print(&func))
}

/// The wave IR of a kernel, before any pass.
pub fn lifted(file: &std::path::Path, kernel: Option<&str>, target: Option<&str>) -> Result<Func> {
    let bytes = super::read_code(file, target, &Default::default())?;
    let object = super::load(file, &bytes, target, kernel)?;
    let kernel = super::one_kernel(file, &object, kernel)?;
    let image = object.image(0).with_context(|| file.display().to_string())?;
    let read = |address: u64| image.dword(address);
    Ok(lift(&LiftSource {
        name: &kernel.name,
        entry: kernel.code_address,
        target: kernel.target,
        wave_size: kernel.wave_size,
        mode: kernel.descriptor.rsrc.fp_mode(kernel.target),
        vgprs: kernel.descriptor.rsrc.allocated_vgprs(kernel.target, kernel.wave_size),
        read: &read,
    }))
}
