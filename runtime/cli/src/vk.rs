//! `wavejit vk`: Vulkan programs, unmodified, through Mesa's unmodified driver for AMD GPUs.

use crate::library;
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// The library that takes the place of the kernel's driver.
const LIBRARY: &str = "libwavejit_drm.so";
/// Where packages put descriptions of Vulkan drivers.
const DRIVER_FOLDERS: [&str; 3] = ["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"];
/// Options of the driver: surfaces without metadata.
const DRIVER_OPTIONS: &str = "nodcc,nohiz,nofastclears";
/// Options of its presentation: pictures are copied by the host, from linear memory.
const WINDOW_OPTIONS: &str = "sw,linear";

const EXAMPLES: &str = "\
Examples:
  wavejit vk -- vulkaninfo --summary
  wavejit vk --threads 8 -- ./program with its arguments
  wavejit vk --dump jobs -- ./program; wavejit replay jobs

Needs Mesa's driver RADV, 22.3 or newer. On Debian 12: sudo apt-get install mesa-vulkan-drivers vulkan-tools";

/// Run a Vulkan program on a simulated AMD GPU, through Mesa's driver RADV.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct VkArgs {
    /// Processor of the GPU.
    #[arg(long, default_value = "gfx1100", value_parser = ["gfx1100"])]
    target: String,
    /// Description of the driver (radeon_icd*.json); default: where packages put it.
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
    /// Threads that run workgroups; default: as many as the host has.
    #[arg(long)]
    threads: Option<u32>,
    /// Guest instructions that a wave may run before the device is lost; 0: any number.
    #[arg(long, value_name = "N")]
    max_insts: Option<u64>,
    /// Folder that every job is recorded in, for `wavejit replay`: its packets, and memory before and after.
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

/// Becomes the program.
pub(crate) fn vk(args: &VkArgs) -> Result<()> {
    let library = library::own_folder(LIBRARY, "wavejit-drm")?.join(LIBRARY);
    let driver = match &args.driver {
        Some(file) => std::fs::canonicalize(file).with_context(|| file.display().to_string())?,
        None => find_driver()?,
    };
    let [program, rest @ ..] = &args.program[..] else { bail!("expected a program") };
    let mut command = Command::new(program);
    command.args(rest).env("LD_PRELOAD", joined(library.as_os_str(), ":", std::env::var_os("LD_PRELOAD")));
    // The second is for loaders before 1.3.207.
    command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver);
    command.env("RADV_DEBUG", joined(OsStr::new(DRIVER_OPTIONS), ",", std::env::var_os("RADV_DEBUG")));
    command.env("MESA_VK_WSI_DEBUG", WINDOW_OPTIONS).env("WAVEJIT_TARGET", &args.target);
    if let Some(threads) = args.threads {
        command.env("WAVEJIT_THREADS", threads.to_string());
    }
    if let Some(max_insts) = args.max_insts {
        command.env("WAVEJIT_MAX_INSTS", max_insts.to_string());
    }
    if let Some(folder) = &args.dump {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        command.env("WAVEJIT_DUMP", std::fs::canonicalize(folder).with_context(|| folder.display().to_string())?);
    }
    let why = command.exec();
    Err(why).with_context(|| format!("cannot run {}", program.display()))
}

/// Ours, and then what the variable has already.
fn joined(ours: &OsStr, separator: &str, present: Option<OsString>) -> OsString {
    let mut all = ours.to_os_string();
    if let Some(present) = present.filter(|p| !p.is_empty()) {
        all.push(separator);
        all.push(present);
    }
    all
}

/// RADV's description for programs of this architecture.
fn find_driver() -> Result<PathBuf> {
    let names = ["radeon_icd.json".to_string(), format!("radeon_icd.{}.json", std::env::consts::ARCH)];
    let files = DRIVER_FOLDERS.iter().flat_map(|folder| names.iter().map(move |name| PathBuf::from(folder).join(name)));
    files.into_iter().find(|file| file.is_file()).with_context(|| {
        format!(
            "Mesa's driver RADV is not in {}: on Debian, sudo apt-get install mesa-vulkan-drivers; or say where it is with --driver",
            DRIVER_FOLDERS.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_variables_have_stays() {
        let of = |present: Option<&str>| joined(OsStr::new("a"), ",", present.map(OsString::from));
        assert_eq!([of(None), of(Some("")), of(Some("b,c"))], ["a", "a", "a,b,c"]);
    }
}
