//! The commands that compile a source file, and the files they need that no package has.

use super::tools::Toolchain;
use super::{Language, Options, Target};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Our headers: `hip/NAME`.
const HEADERS: [(&str, &str); 9] = [
    ("hip_runtime.h", include_str!("hip/hip_runtime.h")),
    ("hip_runtime_api.h", include_str!("hip/hip_runtime_api.h")),
    ("hip_vector_types.h", include_str!("hip/hip_vector_types.h")),
    ("hip_texture.h", include_str!("hip/hip_texture.h")),
    ("hip_texture_types.h", include_str!("hip/hip_texture_types.h")),
    ("hip_version.h", include_str!("hip/hip_version.h")),
    ("hip_fp16.h", include_str!("hip/hip_fp16.h")),
    ("hip_cooperative_groups.h", include_str!("hip/hip_cooperative_groups.h")),
    ("hiprtc.h", include_str!("hip/hiprtc.h")),
];

/// What to compile.
pub(super) struct Job<'a> {
    pub file: &'a Path,
    pub language: Language,
    pub target: Target,
    pub options: &'a Options,
    /// The whole program, host and device; none: device code only.
    pub program: Option<Program<'a>>,
}

/// A program to make.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Where it goes.
    pub out: &'a Path,
    /// Folder of `libamdhip64.so`, where the program will look for it.
    pub library: &'a Path,
}

/// One command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What it compiles, for messages.
    pub what: String,
    /// What to run.
    pub program: PathBuf,
    /// What it is given.
    pub args: Vec<OsString>,
}

impl Step {
    /// The command as a shell takes it.
    pub fn text(&self) -> String {
        let quoted = |word: &str| match word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_=+:,./%@".contains(&b)) && !word.is_empty() {
            true => word.to_string(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        };
        let words = std::iter::once(self.program.as_os_str()).chain(self.args.iter().map(OsString::as_os_str));
        words.map(|w| quoted(&w.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

/// A folder for one compilation, removed with its contents when dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one.
    pub(super) fn new() -> Result<Scratch> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let base = std::env::temp_dir();
        loop {
            let folder = base.join(format!("wavejit-cc-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed)));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Scratch(folder)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e).with_context(|| format!("cannot make {}", folder.display())),
            }
        }
    }

    /// Where the result goes.
    pub(super) fn code_object(&self) -> PathBuf {
        self.0.join("out.hsaco")
    }

    pub(super) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.0.join(name);
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to the system, which clears its temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The commands of a job, in order; writes headers and links to libraries into `scratch`.
pub(super) fn steps(job: &Job, tools: &Toolchain, scratch: &Scratch) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mut libraries = None;
    if let Some(folder) = &tools.device_libs {
        let (folder, made) = control_files(job, tools, folder, scratch)?;
        steps.extend(made);
        libraries = Some(folder);
    }
    let mut args = flags(job, tools, libraries.as_deref())?;
    if job.language == Language::Hip && tools.hip_headers.is_none() {
        let folder = scratch.folder("include/hip")?;
        for (name, text) in HEADERS {
            std::fs::write(folder.join(name), text).with_context(|| folder.join(name).display().to_string())?;
        }
        // After all others: who brings HIP headers along gets those.
        args.extend(["-idirafter".into(), scratch.folder("include")?.into_os_string()]);
    }
    args.extend(job.options.clang_flags.iter().map(OsString::from));
    let out = job.program.map_or(scratch.code_object(), |p| p.out.to_path_buf());
    args.extend(["-o".into(), out.into_os_string(), job.file.as_os_str().to_os_string()]);
    if let Some(program) = job.program {
        let mut path = OsString::from("-Wl,-rpath,");
        path.push(program.library);
        args.extend(["-L".into(), program.library.as_os_str().to_os_string(), "-lamdhip64".into(), path]);
    }
    steps.push(Step { what: job.file.display().to_string(), program: tools.clang.clone(), args });
    Ok(steps)
}

/// The flags of the language and the target.
fn flags(job: &Job, tools: &Toolchain, libraries: Option<&Path>) -> Result<Vec<OsString>> {
    let target = &job.target;
    let mut args: Vec<OsString> = Vec::new();
    let mut add = |list: &[&str]| args.extend(list.iter().map(OsString::from));
    let level = format!("-O{}", job.options.opt_level.as_deref().unwrap_or("3"));
    let version = format!("-mcode-object-version={}", target.code_object_version());
    let processor = format!("-mcpu={}", target.0);
    match job.language {
        Language::OpenCl => {
            add(&["-x", "cl", "-cl-std=CL2.0", "-cl-kernel-arg-info", "-target", "amdgcn-amd-amdhsa", &processor, &level, &version]);
        }
        Language::Hip => {
            let arch = format!("--offload-arch={}", target.0);
            match job.program {
                Some(_) => add(&["--driver-mode=g++", "-D__HIP_PLATFORM_AMD__=1"]),
                None => add(&["--offload-device-only", "--no-gpu-bundle-output"]),
            }
            add(&["-x", "hip", "-fuse-cuid=none", &arch, &level, &version]);
            // The names of arguments, for our messages.
            add(&["-fhip-kernel-arg-name"]);
            // clang insists on finding a whole ROCm, or none of it.
            add(&["-nogpuinc", "-include", "__clang_hip_runtime_wrapper.h"]);
        }
        Language::Assembly => {
            let kind = if job.file.extension().is_some_and(|e| e == "S") { "assembler-with-cpp" } else { "assembler" };
            add(&["-x", kind, "-target", "amdgcn-amd-amdhsa", &processor]);
        }
    }
    match (job.options.wave, target.0.processor.default_wave_size()) {
        (None, _) | (Some(64), 64) => {}
        (Some(32), 32) => add(&["-mno-wavefrontsize64"]),
        (Some(64), _) => add(&["-mwavefrontsize64"]),
        (Some(32), _) => bail!("--wave 32: {} has waves of 64 only", target.name()),
        (Some(n), _) => bail!("--wave {n}: expected 32 or 64"),
    }
    if let Some(folder) = libraries {
        let mut path = OsString::from("--rocm-device-lib-path=");
        path.push(folder);
        args.push(path);
    }
    if let Some(folder) = &tools.hip_headers {
        args.extend(["-isystem".into(), folder.clone().into_os_string()]);
    }
    Ok(args)
}

/// The folder of device libraries to give to clang, and the commands that make what it lacks.
///
/// Two files hold one number each: the processor's and the code object version's. Libraries that are older than the processor have none for it.
fn control_files(job: &Job, tools: &Toolchain, folder: &Path, scratch: &Scratch) -> Result<(PathBuf, Vec<Step>)> {
    let chosen = job.options.clang_flags.iter().rev().find_map(|f| f.strip_prefix("-mcode-object-version=")?.parse().ok());
    let abi = 100 * chosen.unwrap_or(job.target.code_object_version());
    let wanted = [
        (format!("oclc_isa_version_{}", job.target.name().trim_start_matches("gfx")), "oclc_ISA_version", job.target.isa_version()),
        (format!("oclc_abi_version_{abi}"), "oclc_ABI_version", abi),
    ];
    let missing: Vec<_> = wanted.into_iter().filter(|(name, ..)| !folder.join(format!("{name}.bc")).exists()).collect();
    if missing.is_empty() {
        return Ok((folder.to_path_buf(), Vec::new()));
    }
    let ours = scratch.folder("bitcode")?;
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())?.flatten() {
        let link = ours.join(entry.file_name());
        std::os::unix::fs::symlink(entry.path(), &link).with_context(|| link.display().to_string())?;
    }
    let sources = scratch.folder("control")?;
    let mut steps = Vec::new();
    for (name, constant, value) in missing {
        let source = sources.join(format!("{name}.cl"));
        let text = format!("const __constant int __{constant} __attribute__((weak, visibility(\"protected\"))) = {value};\n");
        std::fs::write(&source, text).with_context(|| source.display().to_string())?;
        let flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-Xclang", "-mcode-object-version=none"];
        let mut args: Vec<OsString> = flags.iter().chain(&["-emit-llvm", "-c", "-O3", "-o"]).map(OsString::from).collect();
        args.extend([ours.join(format!("{name}.bc")).into_os_string(), source.into_os_string()]);
        steps.push(Step { what: format!("the control file {name}.bc"), program: tools.clang.clone(), args });
    }
    Ok((ours, steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(change: impl Fn(&mut Options)) -> Options {
        let mut options = Options::default();
        change(&mut options);
        options
    }

    /// The commands for a file, as text, in which `SCRATCH` and `LIBS` stand for folders. `libs`: files of the device libraries.
    fn commands(file: &str, target: &str, options: &Options, libs: &[&str]) -> Result<Vec<String>> {
        let (scratch, folder) = (Scratch::new()?, Scratch::new()?);
        for name in libs {
            std::fs::write(folder.0.join(name), "")?;
        }
        let file = Path::new(file);
        let program = options
            .clang_flags
            .iter()
            .any(|f| f == "-DWHOLE")
            .then_some(Program { out: "prog".as_ref(), library: "/lib/wavejit".as_ref() });
        let job = Job { file, language: Language::of(file).unwrap(), target: Target::parse(target)?, options, program };
        let device_libs = (!libs.is_empty()).then(|| folder.0.clone());
        let tools = Toolchain { clang: "clang-19".into(), device_libs, hip_headers: None };
        let place = |text: String| text.replace(scratch.0.to_str().unwrap(), "SCRATCH").replace(folder.0.to_str().unwrap(), "LIBS");
        let steps = steps(&job, &tools, &scratch)?.iter().map(|s| place(s.text())).collect();
        if job.language == Language::Hip {
            assert!(scratch.0.join("include/hip/hip_runtime.h").is_file());
        }
        if libs.contains(&"ocml.bc") {
            assert!(scratch.0.join("bitcode/ocml.bc").is_symlink());
        }
        Ok(steps)
    }

    #[test]
    fn opencl_is_compiled_with_the_libraries_as_they_are_if_they_are_complete() {
        let complete = ["oclc_isa_version_1100.bc", "oclc_abi_version_500.bc"];
        let expected = "clang-19 -x cl -cl-std=CL2.0 -cl-kernel-arg-info -target amdgcn-amd-amdhsa -mcpu=gfx1100 -O3 -mcode-object-version=5 \
                        --rocm-device-lib-path=LIBS -DN=4 -o SCRATCH/out.hsaco a/k.cl";
        let with = options(|o| o.clang_flags = vec!["-DN=4".into()]);
        assert_eq!(commands("a/k.cl", "gfx1100", &with, &complete).unwrap(), [expected]);
    }

    #[test]
    fn control_files_that_the_libraries_lack_are_made() {
        let made = commands("k.cl", "gfx90a", &Options::default(), &["ocml.bc", "oclc_abi_version_500.bc"]).unwrap();
        assert_eq!(made.len(), 2);
        assert!(
            made[0].ends_with("-emit-llvm -c -O3 -o SCRATCH/bitcode/oclc_isa_version_90a.bc SCRATCH/control/oclc_isa_version_90a.cl"),
            "{made:?}"
        );
        assert!(made[1].contains("--rocm-device-lib-path=SCRATCH/bitcode"), "{made:?}");
        let six = options(|o| o.clang_flags = vec!["-mcode-object-version=6".into()]);
        let made = commands("k.cl", "gfx1100", &six, &["ocml.bc", "oclc_isa_version_1100.bc", "oclc_abi_version_500.bc"]).unwrap();
        assert!(made[0].contains("oclc_abi_version_600.bc"), "{made:?}");
    }

    #[test]
    fn hip_gets_our_headers_and_a_device_side_only() {
        let text = commands("k.hip", "gfx1100", &options(|o| o.opt_level = Some("1".into())), &[]).unwrap().remove(0);
        for flag in ["-x hip", "--offload-device-only", "--offload-arch=gfx1100", "-O1", "-nogpuinc", "-idirafter SCRATCH/include"] {
            assert!(text.contains(flag), "{flag}: {text}");
        }
        assert!(commands("k.s", "gfx1100", &Options::default(), &[]).unwrap()[0].contains("-x assembler -target"));
    }

    #[test]
    fn a_whole_program_is_linked_with_our_library() {
        let text = commands("k.hip", "gfx1100", &options(|o| o.clang_flags = vec!["-DWHOLE".into()]), &[]).unwrap().remove(0);
        assert!(text.ends_with("-o prog k.hip -L /lib/wavejit -lamdhip64 -Wl,-rpath,/lib/wavejit"), "{text}");
        assert!(text.contains("--driver-mode=g++") && !text.contains("--offload-device-only"), "{text}");
    }

    #[test]
    fn wave_sizes_are_those_of_the_processor() {
        let wave = |n: u32, target: &str| commands("k.cl", target, &options(|o| o.wave = Some(n)), &[]).map(|s| s[0].clone());
        assert!(wave(64, "gfx1100").unwrap().contains(" -mwavefrontsize64 "));
        assert!(wave(32, "gfx1100").unwrap().contains(" -mno-wavefrontsize64 "));
        assert!(!wave(64, "gfx906").unwrap().contains("wavefrontsize"));
        assert_eq!(wave(32, "gfx906").unwrap_err().to_string(), "--wave 32: gfx906 has waves of 64 only");
        assert_eq!(wave(16, "gfx1100").unwrap_err().to_string(), "--wave 16: expected 32 or 64");
    }

    #[test]
    fn commands_are_printed_as_a_shell_takes_them() {
        let step = Step { what: "x".into(), program: "/a b/clang".into(), args: ["-DX=\"it's\"", "-O3", ""].map(OsString::from).to_vec() };
        assert_eq!(step.text(), r#"'/a b/clang' '-DX="it'\''s"' -O3 ''"#);
    }

    #[test]
    fn a_scratch_folder_goes_with_its_contents() {
        let scratch = Scratch::new().unwrap();
        let folder = scratch.folder("a/b").unwrap();
        drop(scratch);
        assert!(!folder.exists());
    }
}
