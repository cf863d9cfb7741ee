//! The command line: `wavejit run`, `vk`, `replay`, `cc`, `info`, `disasm`, `asm`, `lift`, `emit`. One file per command; `--help` of each is the manual.
//!
//! Exit status: 0 done, 1 failed with a message on standard error, 2 wrong usage.

mod asm;
mod cc;
mod code;
mod disasm;
mod dtype;
mod emit;
mod file;
mod hex;
mod image;
mod info;
mod library;
mod lift;
mod npy;
mod output;
mod plan;
mod profile;
mod progress;
mod replay;
mod run;
mod value;
#[cfg(unix)]
mod vk;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use wavejit::code_object::{CodeObject, KernelInfo, TargetId};
use wavejit_isa::{Gfx, HostIsa};

const EXAMPLES: &str = "\
Examples:
  wavejit info kernels.hsaco
  wavejit run kernels.hsaco --kernel saxpy --grid 1024 --group 256 \\
      --arg buf:rand=f32:1024:seed=1 --arg buf:fill=f32:2*1024 --arg f32=0.5 --out 1=-:f32:8
  wavejit disasm kernels.hsaco
  echo '01 02 04 7e' | wavejit disasm --mcpu gfx1100 --hex -
  wavejit lift kernels.hsaco --kernel saxpy --optimized
  wavejit emit --asm 'v_add_f32 v0, v1, v2' --mcpu gfx1100";

/// A software GPU: runs AMD GPU machine code on the CPU, and shows it at every stage.
#[derive(Parser, Debug)]
#[command(name = "wavejit", version, after_help = EXAMPLES, max_term_width = 120)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Run(run::RunArgs),
    #[cfg(unix)]
    Vk(vk::VkArgs),
    Replay(replay::ReplayArgs),
    Cc(cc::CcArgs),
    Info(info::InfoArgs),
    Disasm(disasm::DisasmArgs),
    Asm(asm::AsmArgs),
    Lift(lift::LiftArgs),
    Emit(emit::EmitArgs),
    Plan(plan::PlanArgs),
}

/// Parses the command line and does what it says.
fn main() -> ExitCode {
    match execute(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(e) if e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: &Command) -> Result<()> {
    HostIsa::check().context(HostIsa::VARIABLE)?;
    match command {
        Command::Run(args) => run::run(args),
        #[cfg(unix)]
        Command::Vk(args) => vk::vk(args),
        Command::Replay(args) => replay::replay(args),
        Command::Cc(args) => cc::cc_command(args),
        Command::Info(args) => info::info(args),
        Command::Disasm(args) => disasm::disasm_command(args),
        Command::Asm(args) => asm::asm_command(args),
        Command::Lift(args) => lift::lift_command(args),
        Command::Emit(args) => emit::emit_command(args),
        Command::Plan(args) => plan::plan_command(args),
    }
}

/// Writes to standard output.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Contents of a file, or of standard input for `-`.
fn read_file(path: &Path) -> Result<Vec<u8>> {
    file::read(path, file::MAX_FILE_BYTES)
}

/// The processor of `--mcpu`.
fn processor(mcpu: &str) -> Result<Gfx> {
    let id = TargetId::parse(mcpu).with_context(|| format!("--mcpu {mcpu}"))?;
    Ok(id.processor)
}

/// Bytes of a code object: the file's, or what a source file is compiled to.
fn read_code(path: &Path, target: Option<&str>, options: &cc::SourceOptions) -> Result<Vec<u8>> {
    match cc::is_source(path) {
        true => cc::compile(path, target, options),
        false => {
            options.check_unused(path)?;
            read_file(path)
        }
    }
}

/// A code object from a file's bytes.
fn load(path: &Path, bytes: &[u8], target: Option<&str>, kernel: Option<&str>) -> Result<CodeObject> {
    CodeObject::load_for(bytes, target, kernel).with_context(|| path.display().to_string())
}

/// The kernel that is asked for; without a name, the only one.
fn one_kernel<'a>(path: &Path, object: &'a CodeObject, name: Option<&str>) -> Result<&'a KernelInfo> {
    match (name, object.kernels()) {
        (Some(name), _) => kernel(path, object, name),
        (None, [only]) => Ok(only),
        (None, []) => bail!("{}: there are no kernels in it", path.display()),
        (None, _) => bail!("{}: choose one of its kernels with --kernel: {}", path.display(), object.short_names().join(", ")),
    }
}

/// A kernel of a code object.
fn kernel<'a>(path: &Path, object: &'a CodeObject, name: &str) -> Result<&'a KernelInfo> {
    object.kernel(name).with_context(|| path.display().to_string())
}
