//! Which clang, linker, device libraries and HIP headers the machine has, and what to install where one is missing.

use super::{Language, Options, Target};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names the clang to use.
const CLANG_VARIABLE: &str = "WAVEJIT_CLANG";
/// The clang that is proposed where there is none.
const PROPOSED: u32 = 19;

/// Where to look. Tests have one of their own.
pub(super) struct Host {
    /// Folders of $PATH.
    pub path: Vec<PathBuf>,
    /// Environment variables that say where things are.
    pub env: fn(&str) -> Option<OsString>,
    /// What absolute folders are below: `/`.
    pub root: PathBuf,
}

/// What compiles a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Toolchain {
    /// The clang.
    pub clang: PathBuf,
    /// Folder with `ocml.bc` and its like; none: not wanted.
    pub device_libs: Option<PathBuf>,
    /// Folder with ROCm's `hip/hip_runtime.h`; none: ours are used.
    pub hip_headers: Option<PathBuf>,
}

impl Host {
    /// This machine.
    pub(super) fn of_machine() -> Host {
        let path = std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
        Host { path, env: |name| std::env::var_os(name), root: "/".into() }
    }

    fn below_root(&self, folder: &str) -> PathBuf {
        self.root.join(folder.trim_start_matches('/'))
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        (self.env)(name).filter(|v| !v.is_empty()).map(PathBuf::from)
    }

    /// Folders that `pattern` names, in which each `*` stands for part of one name; those with greater numbers first.
    fn folders(&self, pattern: &str) -> Vec<PathBuf> {
        let mut found = vec![self.root.clone()];
        for part in pattern.split('/').filter(|p| !p.is_empty()) {
            found = match part.split_once('*') {
                None => found.into_iter().map(|f| f.join(part)).collect(),
                Some((start, end)) => found.iter().flat_map(|f| matching(f, start, end)).collect(),
            };
        }
        found.retain(|f| f.is_dir());
        found
    }

    /// Roots of ROCm installations.
    fn rocm(&self) -> Vec<PathBuf> {
        let named = self.variable("ROCM_PATH").into_iter();
        named.chain(self.folders("/opt/rocm")).chain(self.folders("/opt/rocm-*")).collect()
    }

    /// Compilers in order of preference: the newest `clang-N`, then `clang`, then ROCm's.
    fn compilers(&self) -> Vec<PathBuf> {
        let mut numbered: Vec<(u32, PathBuf)> = Vec::new();
        for folder in &self.path {
            for file in matching(folder, "clang-", "") {
                if let Some(n) = version_in(&file) {
                    numbered.push((n, file));
                }
            }
        }
        numbered.extend(self.folders("/usr/lib/llvm-*/bin").into_iter().filter_map(|f| Some((version_in(f.parent()?)?, f.join("clang")))));
        numbered.sort_by_key(|(n, _)| std::cmp::Reverse(*n)); // stable: what is in PATH stays first
        let plain = self.path.iter().map(|f| f.join("clang"));
        let rocm = self.rocm().into_iter().map(|r| r.join("llvm/bin/clang"));
        let mut all: Vec<PathBuf> = numbered.into_iter().map(|n| n.1).chain(plain).chain(rocm).filter(|f| f.is_file()).collect();
        all.dedup();
        all
    }

    /// Folders that may hold the device libraries, best first.
    fn library_folders(&self, clang: &Path) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.variable("HIP_DEVICE_LIB_PATH").into_iter().collect();
        folders.extend(self.rocm().into_iter().map(|r| r.join("amdgcn/bitcode")));
        if let Some(resources) = answer(clang, &["-print-resource-dir"]) {
            let resources = PathBuf::from(resources.trim());
            folders.extend(["lib/amdgcn/bitcode", "amdgcn/bitcode"].map(|f| resources.join(f)));
        }
        for pattern in [
            "/usr/lib/*/amdgcn/bitcode", // Debian 12, Ubuntu
            "/usr/lib/amdgcn/bitcode",
            "/usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode",
            "/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode",
            "/usr/lib/clang/*/lib/amdgcn/bitcode",
            "/usr/lib/clang/*/amdgcn/bitcode", // Fedora
            "/usr/share/amdgcn/bitcode",
        ] {
            folders.extend(self.folders(pattern));
        }
        folders
    }

    /// The command that installs the missing pieces: a clang, its linker, the device libraries.
    fn advice(&self, clang: bool, linker: Option<u32>, libraries: bool) -> String {
        let has = |tool: &str| self.below_root(&format!("usr/bin/{tool}")).exists();
        let list = |clang_name: String, lld_name: String| {
            let names = [(clang, clang_name), (clang || linker.is_some(), lld_name), (clang || libraries, "rocm-device-libs".to_string())];
            names.into_iter().filter(|n| n.0).map(|n| n.1).collect::<Vec<_>>().join(" ")
        };
        let plain = || list("clang".into(), "lld".into());
        let command = if has("dnf") {
            format!("sudo dnf install {}", plain())
        } else if has("pacman") {
            format!("sudo pacman -S {}", plain())
        } else {
            let n = linker.unwrap_or(PROPOSED);
            format!("sudo apt-get install {}", list(format!("clang-{n}"), format!("lld-{n}")))
        };
        format!("install it with:  {command}")
    }
}

/// Files and folders of `folder` whose names start and end so; those with greater numbers first.
fn matching(folder: &Path, start: &str, end: &str) -> Vec<PathBuf> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut found: Vec<PathBuf> = names
        .filter(|n| n.to_str().is_some_and(|n| n.len() >= start.len() + end.len() && n.starts_with(start) && n.ends_with(end)))
        .map(|n| folder.join(n))
        .collect();
    found.sort_by_key(|f| (std::cmp::Reverse(version_in(f)), f.clone()));
    found
}

/// `19` of `clang-19` or `llvm-19`, `17` of a folder `17` or `17.0.6`.
fn version_in(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    name.rsplit('-').next()?.split('.').next()?.parse().ok()
}

/// What a command prints, on both streams; none if it does not run to its end well.
fn answer(program: &Path, args: &[&str]) -> Option<String> {
    let out = Command::new(program).args(args).stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr))
}

/// Why a compiler cannot be used; none: it can.
fn objection(clang: &Path, target: &Target) -> Option<String> {
    let Some(version) = answer(clang, &["--version"]) else { return Some("does not run".into()) };
    if !version.contains("clang version") {
        return Some("is not a clang".into());
    }
    match answer(clang, &["--target=amdgcn-amd-amdhsa", "-nogpulib", "--print-supported-cpus"]) {
        None => Some("has no AMDGPU target".into()),
        Some(list) if list.split_whitespace().any(|word| word == target.name()) => None,
        Some(_) => Some(format!("does not know {}", target.name())),
    }
}

impl Toolchain {
    /// Finds what a language needs, or says what to install.
    pub(super) fn find(host: &Host, language: Language, target: &Target, options: &Options) -> Result<Toolchain> {
        let clang = match host.variable(CLANG_VARIABLE) {
            Some(named) => match objection(&named, target) {
                None => named,
                Some(why) => bail!("${CLANG_VARIABLE} is {}, which {why}", named.display()),
            },
            None => compiler(host, target)?,
        };
        let linker = answer(&clang, &["-print-prog-name=ld.lld"]).unwrap_or_default();
        if !Path::new(linker.trim()).is_file() {
            let version = answer(&clang, &["--version"]).and_then(|v| major_version(&v)).unwrap_or(PROPOSED);
            bail!("{} has no linker (ld.lld); {}", clang.display(), host.advice(false, Some(version), false));
        }
        let wants_libs = language != Language::Assembly && !options.clang_flags.iter().any(|f| f == "-nogpulib" || f == "-nocudalib");
        let device_libs = if wants_libs { Some(device_libs(host, &clang, language)?) } else { None };
        let hip_roots = host.rocm().into_iter().map(|r| r.join("include")).chain([host.below_root("usr/include")]);
        let hip_headers = hip_roots.into_iter().find(|r| language == Language::Hip && r.join("hip/hip_runtime.h").is_file());
        Ok(Toolchain { clang, device_libs, hip_headers })
    }
}

fn compiler(host: &Host, target: &Target) -> Result<PathBuf> {
    let mut rejected = String::new();
    for clang in host.compilers() {
        match objection(&clang, target) {
            None => return Ok(clang),
            Some(why) => rejected += &format!("\n  {} {why}", clang.display()),
        }
    }
    bail!(
        "no clang for {} was found in PATH, /usr/lib/llvm-*/bin or /opt/rocm/llvm/bin{rejected}\n{}\nor name one in ${CLANG_VARIABLE}",
        target.name(),
        host.advice(true, None, true)
    )
}

/// `19` of `Debian clang version 19.1.7 (3~deb12u1)`.
fn major_version(text: &str) -> Option<u32> {
    text.split("clang version ").nth(1)?.split('.').next()?.parse().ok()
}

fn device_libs(host: &Host, clang: &Path, language: Language) -> Result<PathBuf> {
    let needed: &[&str] = if language == Language::OpenCl { &["ocml.bc", "ockl.bc", "opencl.bc"] } else { &["ocml.bc", "ockl.bc"] };
    let found = host.library_folders(clang).into_iter().find(|f| needed.iter().all(|file| f.join(file).is_file()));
    match found {
        Some(folder) => Ok(folder),
        None => bail!(
            "AMD's device libraries ({}) were not found; {}\nor name their folder in $HIP_DEVICE_LIB_PATH",
            needed.join(", "),
            host.advice(false, None, true)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine of fake tools in a folder of its own, which is removed at the end.
    struct Machine {
        root: PathBuf,
    }

    impl Machine {
        fn new(name: &str) -> Machine {
            let root = std::env::temp_dir().join(format!("wavejit-tools-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&root);
            std::fs::create_dir_all(root.join("usr/bin")).unwrap();
            Machine { root }
        }

        fn file(&self, name: &str, text: &str) -> PathBuf {
            let file = self.root.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            file
        }

        /// A script that answers as a clang of this version does, with these processors; and its linker if it has one.
        fn clang(&self, name: &str, version: u32, processors: &str, has_linker: bool) -> PathBuf {
            let linker = self.root.join(format!("usr/lib/llvm-{version}/bin/ld.lld"));
            if has_linker {
                self.file(&format!("usr/lib/llvm-{version}/bin/ld.lld"), "");
            }
            let linker = if has_linker { linker.display().to_string() } else { "ld.lld".into() };
            let cpus = if processors.is_empty() { "exit 1".to_string() } else { format!("printf '\\t%s\\n' {processors} >&2") };
            let script = format!(
                "#!/bin/sh\ncase \"$*\" in\n*--version*) echo 'Debian clang version {version}.1.7 (3)' ;;\n*-cpus*) {cpus} ;;\n\
                 *-prog-name*) echo '{linker}' ;;\n*-resource-dir*) echo '{}/usr/lib/llvm-{version}/lib/clang/{version}' ;;\nesac\n",
                self.root.display()
            );
            self.program(name, &script)
        }

        /// A script that can be run. A process of its own writes it: a file that this one writes stays open in what another test starts at that
        /// moment, and what is open for writing does not run ("text file busy").
        fn program(&self, name: &str, script: &str) -> PathBuf {
            let (text, file) = (self.file("script", script), self.root.join(name));
            let is_installed = Command::new("install").args(["-D", "-m", "755"]).args([&text, &file]).status().is_ok_and(|s| s.success());
            assert!(is_installed, "{} is not written", file.display());
            file
        }

        fn libraries(&self, folder: &str) -> PathBuf {
            for name in ["ocml", "ockl", "opencl"] {
                self.file(&format!("{folder}/{name}.bc"), "");
            }
            self.root.join(folder)
        }

        fn host(&self) -> Host {
            Host { path: vec![self.root.join("usr/bin")], env: |_| None, root: self.root.clone() }
        }

        fn find(&self, language: Language) -> Result<Toolchain, String> {
            find(&self.host(), language)
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.root);
        }
    }

    fn find(host: &Host, language: Language) -> Result<Toolchain, String> {
        Toolchain::find(host, language, &Target::parse("gfx1100").unwrap(), &Options::default()).map_err(|e| format!("{e:#}"))
    }

    #[test]
    fn the_newest_clang_that_knows_the_processor_is_taken() {
        let m = Machine::new("newest");
        m.clang("usr/bin/clang", 14, "gfx900", true);
        m.clang("usr/bin/clang-9", 9, "gfx1100", true);
        let seventeen = m.clang("usr/bin/clang-17", 17, "gfx900 gfx1100", true);
        m.clang("usr/bin/clang-18", 18, "gfx900", true);
        m.clang("usr/bin/clang-20", 20, "", true);
        let libs = m.libraries("usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
        let found = m.find(Language::OpenCl).unwrap();
        assert_eq!(found, Toolchain { clang: seventeen, device_libs: Some(libs), hip_headers: None });
    }

    #[test]
    fn rocm_brings_its_own_compiler_libraries_and_headers() {
        let m = Machine::new("rocm");
        let clang = m.clang("opt/rocm/llvm/bin/clang", 18, "gfx1100", true);
        let libs = m.libraries("opt/rocm/amdgcn/bitcode");
        m.file("opt/rocm/include/hip/hip_runtime.h", "");
        let headers = Some(m.root.join("opt/rocm/include"));
        assert_eq!(m.find(Language::Hip).unwrap(), Toolchain { clang, device_libs: Some(libs), hip_headers: headers });
        assert_eq!(m.find(Language::OpenCl).unwrap().hip_headers, None, "OpenCL has no use for them");
    }

    #[test]
    fn each_missing_piece_comes_with_the_command_that_installs_it() {
        let m = Machine::new("missing");
        let message = m.find(Language::OpenCl).unwrap_err();
        assert!(message.contains("no clang for gfx1100 was found"), "{message}");
        assert!(message.contains("sudo apt-get install clang-19 lld-19 rocm-device-libs\n"), "{message}");
        assert!(message.contains("$WAVEJIT_CLANG"), "{message}");

        m.clang("usr/bin/clang-14", 14, "gfx900", false);
        let message = m.find(Language::OpenCl).unwrap_err();
        assert!(message.contains("usr/bin/clang-14 does not know gfx1100"), "{message}");

        m.clang("usr/bin/clang-17", 17, "gfx1100", false);
        let message = m.find(Language::OpenCl).unwrap_err();
        assert!(message.contains("clang-17 has no linker (ld.lld); install it with:  sudo apt-get install lld-17"), "{message}");

        m.clang("usr/bin/clang-17", 17, "gfx1100", true);
        let message = m.find(Language::OpenCl).unwrap_err();
        assert!(
            message.contains("(ocml.bc, ockl.bc, opencl.bc) were not found; install it with:  sudo apt-get install rocm-device-libs"),
            "{message}"
        );
        assert!(message.contains("$HIP_DEVICE_LIB_PATH"), "{message}");
        assert!(m.find(Language::Assembly).is_ok(), "assembly needs no libraries");

        m.file("usr/bin/dnf", "");
        assert!(m.find(Language::Hip).unwrap_err().contains("sudo dnf install rocm-device-libs"));
    }

    #[test]
    fn variables_name_what_is_elsewhere() {
        let m = Machine::new("variables");
        m.clang("usr/bin/clang-19", 19, "gfx1100", true);
        let named = |value: fn(&str) -> Option<OsString>| find(&Host { env: value, ..m.host() }, Language::Assembly);
        let message = named(|v| (v == CLANG_VARIABLE).then(|| "/no/such/clang".into())).unwrap_err();
        assert_eq!(message, "$WAVEJIT_CLANG is /no/such/clang, which does not run");
        let message = named(|v| (v == CLANG_VARIABLE).then(|| "/bin/true".into())).unwrap_err();
        assert_eq!(message, "$WAVEJIT_CLANG is /bin/true, which is not a clang");
        assert!(named(|v| (v == CLANG_VARIABLE).then(OsString::new)).is_ok(), "an empty variable says nothing");
    }

    #[test]
    fn library_folders_of_other_systems_are_known() {
        for folder in [
            "usr/lib/llvm-19/lib/clang/19/lib/amdgcn/bitcode",
            "usr/lib/clang/18/amdgcn/bitcode",
            "usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode",
        ] {
            let m = Machine::new("folders");
            m.clang("usr/bin/clang-19", 19, "gfx1100", true);
            let libs = m.libraries(folder);
            assert_eq!(m.find(Language::OpenCl).map(|t| t.device_libs), Ok(Some(libs)), "{folder}");
        }
    }
}
