//! Text compiled to a code object: HIP C++ that a program has made while it runs.

use super::command::{self, Job, Scratch, Step};
use super::tools::{Host, Toolchain};
use super::{Language, Options, Target};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// What to compile.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// What messages call the text.
    pub name: &'a str,
    /// HIP C++ of the device.
    pub source: &'a str,
    /// Headers: what `#include` names, and the text.
    pub headers: &'a [(String, String)],
    /// Processor, with features.
    pub target: &'a str,
    /// More flags for clang.
    pub flags: &'a [String],
    /// Expressions whose names in the code object are wanted: `kernel<float>`, `&variable`.
    pub expressions: &'a [String],
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The code object.
    pub code: Vec<u8>,
    /// What clang said.
    pub log: String,
    /// The names of the expressions, in their order.
    pub names: Vec<String>,
}

/// Compiles; an error is a text for who wrote the source, or who runs the program.
pub fn compile_unit(unit: &Unit) -> Result<Compiled, String> {
    build(unit).map_err(|e| format!("{e:#}"))
}

fn build(unit: &Unit) -> anyhow::Result<Compiled> {
    let scratch = Scratch::new()?;
    let file = scratch.folder("source")?.join(Path::new(unit.name).file_name().unwrap_or_else(|| "source.hip".as_ref()));
    std::fs::write(&file, with_names(unit))?;
    let headers = scratch.folder("headers")?;
    for (name, text) in unit.headers {
        let path = place(&headers, name)?;
        std::fs::create_dir_all(path.parent().unwrap_or(&headers))?;
        std::fs::write(path, text)?;
    }
    let mut clang_flags: Vec<String> = ["-include", "hip/hip_runtime.h", "-Wno-inline-new-delete", "-I"].map(String::from).to_vec();
    clang_flags.push(headers.display().to_string());
    clang_flags.extend(unit.flags.iter().cloned());
    let options = Options { clang_flags, ..Default::default() };
    let target = Target::parse(unit.target)?;
    let tools = Toolchain::find(&Host::of_machine(), Language::Hip, &target, &options)?;
    let job = Job { file: &file, language: Language::Hip, target, options: &options, program: None };
    let steps = command::steps(&job, &tools, &scratch)?;
    let mut log = String::new();
    for step in &steps {
        log += &run(step, &[])?;
    }
    let code = std::fs::read(scratch.code_object())?;
    let names = match (unit.expressions, steps.last()) {
        ([], _) | (_, None) => Vec::new(),
        (_, Some(step)) => {
            // The same once more as text, in which each expression is a variable that holds an address.
            let text = scratch.folder("text")?.join("names.ll");
            run(step, &["-S".into(), "-emit-llvm".into(), "-o".into(), text.clone().into_os_string()])?;
            names_in(&std::fs::read_to_string(text)?, unit.expressions.len())?
        }
    };
    Ok(Compiled { code, log, names })
}

/// The name of the variable that holds an expression's address.
const VARIABLE: &str = "wavejit_name_";

/// The source, with a variable for each expression behind it, which also makes instances of templates.
fn with_names(unit: &Unit) -> String {
    let mut text = format!("#line 1 \"{}\"\n{}\n", unit.name.replace('\\', "\\\\").replace('"', "\\\""), unit.source);
    for (i, expression) in unit.expressions.iter().enumerate() {
        text += &format!(
            "#line 1 \"name expression {i}\"\nextern \"C\" __device__ __attribute__((used)) const void *const {VARIABLE}{i} = (const void *)({expression});\n"
        );
    }
    text
}

/// What each variable holds the address of.
fn names_in(text: &str, count: usize) -> anyhow::Result<Vec<String>> {
    let name = |i: usize| {
        let start = format!("@{VARIABLE}{i} = ");
        let line = text.lines().find_map(|line| line.strip_prefix(&start))?;
        let symbol = line.rsplit_once('@')?.1;
        let end = symbol.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c))).unwrap_or(symbol.len());
        Some(symbol[..end].to_string())
    };
    (0..count).map(|i| name(i).ok_or_else(|| anyhow::anyhow!("name expression {i} names neither a kernel nor a variable"))).collect()
}

/// Where a header goes: below the folder.
fn place(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(name);
    match !name.is_empty() && path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) {
        true => Ok(folder.join(path)),
        false => anyhow::bail!("header {name}: expected a name below a folder"),
    }
}

/// Runs clang; what it says, or as an error if it fails.
fn run(step: &Step, more: &[OsString]) -> anyhow::Result<String> {
    let out = Command::new(&step.program).args(&step.args).args(more).stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    if out.status.success() { Ok(text) } else { Err(anyhow::anyhow!("{text}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_the_text_of_a_module() {
        let text = "@wavejit_name_0 = protected addrspace(4) constant ptr @_Z4axpyIfEvPT_, align 8\n\
                    @wavejit_name_1 = protected constant ptr addrspacecast (ptr addrspace(1) @_ZN1n7counterE to ptr), align 8\n";
        assert_eq!(names_in(text, 2).unwrap(), ["_Z4axpyIfEvPT_", "_ZN1n7counterE"]);
        assert!(names_in(text, 3).unwrap_err().to_string().starts_with("name expression 2"));
    }

    #[test]
    fn headers_stay_below_their_folder() {
        let folder = Path::new("/f");
        assert_eq!(place(folder, "a/b.h").unwrap(), Path::new("/f/a/b.h"));
        assert!(place(folder, "../b.h").is_err() && place(folder, "/b.h").is_err() && place(folder, "").is_err());
    }
}
