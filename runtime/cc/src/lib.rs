//! Compiles OpenCL C, HIP C++ and assembly to code objects, and HIP files to whole programs, with a clang of the machine.
//!
//! A clang alone does not make AMD code objects out of these: OpenCL's and HIP's functions are bitcode of the package rocm-device-libs, which
//! Debian ships without the small control files of newer processors; and HIP's headers come with ROCm, which few have. `tools` finds what is
//! there and says what to install; `command` makes the missing files and the command line; `hip` holds headers of our own; `unit` compiles text.

mod command;
mod tools;
mod unit;

pub use command::{Program, Step};
pub use unit::{Compiled, Unit, compile_unit};

use anyhow::{Context, Result, bail};
use command::{Job, Scratch};
use std::path::Path;
use tools::{Host, Toolchain};
use wavejit_isa::TargetId;

/// What a source file is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// OpenCL C.
    OpenCl,
    /// HIP C++.
    Hip,
    /// LLVM's assembly.
    Assembly,
}

impl Language {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "cl" => Some(Language::OpenCl),
            "hip" | "cpp" | "cc" | "cxx" => Some(Language::Hip),
            "s" | "S" => Some(Language::Assembly),
            _ => None,
        }
    }
}

/// How to compile.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Optimization level, as clang's: 0, 1, 2, 3 (the default), s.
    pub opt_level: Option<String>,
    /// Wave size, 32 or 64; none: the processor's own.
    pub wave: Option<u32>,
    /// More flags for clang.
    pub clang_flags: Vec<String>,
}

/// What to compile for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target(pub TargetId);

impl Target {
    /// Of a name such as `gfx1100` or `gfx90a:xnack+`.
    pub fn parse(text: &str) -> Result<Target> {
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

/// Compiles a source file to a code object. `run` is given each command, in order.
pub fn compile(file: &Path, target: Target, options: &Options, mut run: impl FnMut(&Step) -> Result<()>) -> Result<Vec<u8>> {
    let Some(language) = Language::of(file) else {
        bail!("{}: expected a source file that ends in .cl, .hip, .cpp or .s", file.display());
    };
    let job = Job { file, language, target, options, program: None };
    std::fs::metadata(file).with_context(|| file.display().to_string())?;
    let tools = Toolchain::find(&Host::of_machine(), language, &job.target, options)?;
    let scratch = Scratch::new()?;
    command::steps(&job, &tools, &scratch)?.iter().try_for_each(&mut run)?;
    std::fs::read(scratch.code_object()).with_context(|| format!("{}: clang made no code object", file.display()))
}

/// Compiles a HIP file to a program, host and device code.
pub fn build_program(file: &Path, target: Target, options: &Options, program: Program, run: impl FnMut(&Step) -> Result<()>) -> Result<()> {
    let job = Job { file, language: Language::Hip, target, options, program: Some(program) };
    std::fs::metadata(file).with_context(|| file.display().to_string())?;
    let tools = Toolchain::find(&Host::of_machine(), Language::Hip, &job.target, options)?;
    let scratch = Scratch::new()?;
    command::steps(&job, &tools, &scratch)?.iter().try_for_each(run)
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
}
