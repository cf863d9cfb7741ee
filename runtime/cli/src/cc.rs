//! `wavejit cc`: OpenCL C, HIP C++ and assembly to a code object, or HIP to a program. `wavejit_cc` does it; here is what the user says and sees.

use crate::library;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use wavejit::code_object::CodeObject;
use wavejit_cc::{Language, Options, Program, Step, Target};

/// Processor to compile for when nobody says which.
const DEFAULT_TARGET: &str = "gfx1100";

const EXAMPLES: &str = "\
Examples:
  wavejit cc vecadd.cl
  wavejit cc saxpy.hip -o saxpy.hsaco -O2
  wavejit cc program.hip -o program     host and device: a program that runs on wavejit
  wavejit cc vecadd.cl --target gfx1102 --wave 64 -- -DTILE=16 -cl-fast-relaxed-math

Needs clang 15 or newer with its lld, and AMD's device libraries. On Debian 12:
  sudo apt-get install clang-19 lld-19 rocm-device-libs
The newest clang-N is taken, or the one that $WAVEJIT_CLANG names, or ROCm's.";

/// Compile OpenCL C (.cl), HIP C++ (.hip, .cpp) or assembly (.s) to a code object, or a HIP file to a whole program.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CcArgs {
    /// Source file.
    file: PathBuf,
    /// Processor.
    #[arg(long, default_value = DEFAULT_TARGET, visible_alias = "mcpu")]
    target: String,
    /// Where the code object goes; default: the file's name with .hsaco, in the current folder. For HIP C++ a name without extension asks for a
    /// whole program, linked with wavejit's libamdhip64.so.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    options: SourceOptions,
}

/// How to compile a source file.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct SourceOptions {
    /// Optimization level of source files, as clang's: 0, 1, 2, 3 (the default), s.
    #[arg(short = 'O', value_name = "LEVEL")]
    opt_level: Option<String>,
    /// Wave size of source files, 32 or 64; default: 32 from gfx10 on, else 64.
    #[arg(long)]
    wave: Option<u32>,
    /// Print the commands that compile a source file.
    #[arg(short, long)]
    verbose: bool,
    /// More flags for clang, when the file is a source.
    #[arg(last = true, value_name = "CLANG FLAGS", allow_hyphen_values = true)]
    clang_flags: Vec<String>,
}

impl SourceOptions {
    fn options(&self) -> Options {
        Options { opt_level: self.opt_level.clone(), wave: self.wave, clang_flags: self.clang_flags.clone() }
    }

    /// Refuses what only source files take.
    pub(crate) fn check_unused(&self, file: &Path) -> Result<()> {
        let given = match self {
            SourceOptions { opt_level: Some(level), .. } => format!("-O{level}"),
            SourceOptions { wave: Some(n), .. } => format!("--wave {n}"),
            SourceOptions { clang_flags, .. } if !clang_flags.is_empty() => clang_flags.join(" "),
            _ => return Ok(()),
        };
        bail!("{}: {given} is for source files (.cl, .hip, .cpp, .s); this one is compiled already", file.display())
    }
}

/// Is this a file to compile before it can be loaded?
pub(crate) fn is_source(path: &Path) -> bool {
    Language::of(path).is_some()
}

/// Runs it.
pub(crate) fn cc_command(args: &CcArgs) -> Result<()> {
    if let Some(out) = args.out.as_deref().filter(|out| out.extension().is_none() && Language::of(&args.file) == Some(Language::Hip)) {
        return build_program(args, out);
    }
    let code = compile(&args.file, Some(&args.target), &args.options)?;
    let object = CodeObject::load(&code).with_context(|| args.file.display().to_string())?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => Path::new(args.file.file_name().context("expected a file")?).with_extension("hsaco"),
    };
    std::fs::write(&out, &code).with_context(|| format!("cannot write {}", out.display()))?;
    let kernels = object.short_names();
    let kernels = if kernels.is_empty() { "no kernels".to_string() } else { format!("kernels {}", kernels.join(", ")) };
    eprintln!("{}: {}, {kernels}", out.display(), object.target());
    Ok(())
}

/// The file of the library that programs need.
const LIBRARY: &str = "libamdhip64.so";

/// Compiles host and device code to a program.
fn build_program(args: &CcArgs, out: &Path) -> Result<()> {
    let library = library::own_folder(LIBRARY, "wavejit-hip")?;
    let target = Target::parse(&args.target)?;
    let name = target.0.to_string();
    let program = Program { out, library: &library };
    wavejit_cc::build_program(&args.file, target, &args.options.options(), program, |step| run(step, args.options.verbose))?;
    eprintln!("{}: a program for {}, which finds {LIBRARY} in {}", out.display(), name, library.display());
    Ok(())
}

/// A source file as a code object for a target such as `gfx1100`, which is the default.
pub(crate) fn compile(file: &Path, target: Option<&str>, options: &SourceOptions) -> Result<Vec<u8>> {
    let target = Target::parse(target.unwrap_or(DEFAULT_TARGET))?;
    wavejit_cc::compile(file, target, &options.options(), |step| run(step, options.verbose))
}

/// Runs clang, whose messages are the user's to see.
fn run(step: &Step, verbose: bool) -> Result<()> {
    if verbose {
        eprintln!("{}", step.text());
    }
    let status = Command::new(&step.program)
        .args(&step.args)
        .stdin(std::process::Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}", step.program.display()))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(_) => bail!("{}: {} did not compile it (its messages are above; -v shows the command)", step.what, step.program.display()),
        None => bail!("{}: {} died: {status}", step.what, step.program.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_known_by_their_ending() {
        assert!(
            is_source(Path::new("a/b.cl")) && is_source(Path::new("b.hip")) && is_source(Path::new("b.cpp")) && is_source(Path::new("b.s"))
        );
        assert!(!is_source(Path::new("b.hsaco")) && !is_source(Path::new("cl")) && !is_source(Path::new("-")));
    }
}
