//! GLSL in scenes, compiled by glslangValidator. The results are kept beside the program.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// SPIR-V of a shader. `stage` is one of glslangValidator's: vert, geom, frag, comp. `#version 460` stands before the source.
pub fn compile(stage: &str, source: &str) -> Result<Vec<u32>, Failure> {
    let mut hash = DefaultHasher::new();
    (stage, source).hash(&mut hash);
    let folder: PathBuf = std::env::current_exe()?.with_file_name("spirv");
    let path = folder.join(format!("{:016x}.spv", hash.finish()));
    if !path.exists() {
        std::fs::create_dir_all(&folder)?;
        let other = folder.join(format!("{:016x}.{}", hash.finish(), std::process::id()));
        let mut child = Command::new("glslangValidator")
            .args(["--stdin", "-S", stage, "--target-env", "vulkan1.2", "-o"])
            .arg(&other)
            // What runs the driver has no business in the compiler.
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| Failure::Wrong(format!("glslangValidator (package glslang-tools): {e}")))?;
        child.stdin.take().unwrap().write_all(format!("#version 460\n{source}").as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(Failure::Wrong(format!("{stage} shader:\n{source}\n{}", String::from_utf8_lossy(&output.stdout))));
        }
        std::fs::rename(other, &path)?;
    }
    Ok(std::fs::read(path)?.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect())
}
