//! `wavejit cc`: OpenCL C, HIP C++ and assembly to a code object, with a clang of the machine.
//!
//! A clang alone does not make AMD code objects out of these: OpenCL's and HIP's functions are bitcode of the package rocm-device-libs, which
//! Debian ships without the small control files of newer processors; and HIP's headers come with ROCm, which few have. `tools` finds what is
//! there and says what to install; `command` makes the missing files and the command line; `hip` holds headers of our own.

mod command;
mod tools;

use crate::library;
use anyhow::{Context, Result, bail};
use command::Scratch;
use std::path::{Path, PathBuf};
use std::process::Command;
use tools::{Host, Toolchain};
use wavejit::code_object::CodeObject;
use wavejit_isa::TargetId;

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

/// What a source file is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    OpenCl,
    Hip,
    Assembly,
}

impl Language {
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "cl" => Some(Language::OpenCl),
            "hip" | "cpp" | "cc" | "cxx" => Some(Language::Hip),
            "s" | "S" => Some(Language::Assembly),
            _ => None,
        }
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
    let program = Some(command::Program { out, library: &library });
    let job =
        command::Job { file: &args.file, language: Language::Hip, target: Target::parse(&args.target)?, options: &args.options, program };
    std::fs::metadata(&args.file).with_context(|| args.file.display().to_string())?;
    let tools = Toolchain::find(&Host::of_machine(), Language::Hip, &job.target, &args.options)?;
    let scratch = Scratch::new()?;
    command::steps(&job, &tools, &scratch)?.iter().try_for_each(|step| run(step, args.options.verbose))?;
    eprintln!("{}: a program for {}, which finds {LIBRARY} in {}", out.display(), job.target.0, library.display());
    Ok(())
}

/// A source file as a code object for a target such as `gfx1100`, which is the default.
pub(crate) fn compile(file: &Path, target: Option<&str>, options: &SourceOptions) -> Result<Vec<u8>> {
    let Some(language) = Language::of(file) else {
        bail!("{}: expected a source file that ends in .cl, .hip, .cpp or .s", file.display());
    };
    let job = command::Job { file, language, target: Target::parse(target.unwrap_or(DEFAULT_TARGET))?, options, program: None };
    std::fs::metadata(file).with_context(|| file.display().to_string())?;
    let tools = Toolchain::find(&Host::of_machine(), language, &job.target, options)?;
    let scratch = Scratch::new()?;
    for step in command::steps(&job, &tools, &scratch)? {
        run(&step, options.verbose)?;
    }
    std::fs::read(scratch.code_object()).with_context(|| format!("{}: clang made no code object", file.display()))
}

/// Runs clang, whose messages are the user's to see.
fn run(step: &command::Step, verbose: bool) -> Result<()> {
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

/// What to compile for.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Target(TargetId);

impl Target {
    fn parse(text: &str) -> Result<Target> {
        TargetId::parse(text).map(Target).with_context(|| format!("--target {text}"))
    }

    /// The name without features.
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The number that device libraries know it by: 11000 for gfx1100, 9010 for gfx90a.
    fn isa_version(&self) -> u32 {
        let n = u32::from(self.0.processor.0);
        10_000 * (n >> 12) + 1000 * (n >> 8 & 0xf) + 100 * (n >> 4 & 0xf) + (n & 0xf)
    }

    /// Code object version that is made unless a flag says otherwise: generic targets need the newest.
    fn code_object_version(&self) -> u32 {
        if self.0.is_generic() { 6 } else { 5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_have_the_numbers_of_the_device_libraries() {
        for (name, number, plain) in [("gfx1100", 11000, "gfx1100"), ("gfx90a:xnack+", 9010, "gfx90a"), ("fiji", 8003, "gfx803")] {
            let target = Target::parse(name).unwrap();
            assert_eq!((target.isa_version(), target.name()), (number, plain), "{name}");
        }
        assert_eq!(Target::parse("gfx11-generic").unwrap().code_object_version(), 6);
        assert!(format!("{:#}", Target::parse("gfx11000").unwrap_err()).starts_with("--target gfx11000: "));
    }

    #[test]
    fn sources_are_known_by_their_ending() {
        assert!(
            is_source(Path::new("a/b.cl")) && is_source(Path::new("b.hip")) && is_source(Path::new("b.cpp")) && is_source(Path::new("b.s"))
        );
        assert!(!is_source(Path::new("b.hsaco")) && !is_source(Path::new("cl")) && !is_source(Path::new("-")));
    }
}
