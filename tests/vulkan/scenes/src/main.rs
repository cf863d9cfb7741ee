//! Scenes for Vulkan drivers: each draws something, and compares it with what the specification says, computed here (reference/).
//!
//!     scenes                     all scenes, in two sizes, but for those that lose the device
//!     scenes --list              their names, and what each is about
//!     scenes NAME...             these
//!     scenes --keep DIR ...      keeps pictures of what differs: found, expected, difference beside each other
//!     scenes --save DIR ...      keeps all pictures that are compared
//!     scenes --bench [PART]      frames and pixels per second; of those whose names have this part
//!
//! A line for each scene and size; exit code 1 if one fails. A device that lacks what a scene needs skips it, and so does one whose
//! compiler is known not to compile its shaders (unless the scene is named).

mod bench;
mod failure;
mod format;
mod frame;
mod gpu;
mod picture;
mod reference;
mod scenes;
mod shader;
mod state;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use failure::Failure;
use gpu::Gpu;
use scenes::{KNOWN, NOT_COMPILED, SCENES};
use test::Test;

/// Widths and heights: a multiple of 64, and not.
const SIZES: [(u32, u32); 2] = [(128, 128), (201, 77)];

fn main() -> ExitCode {
    let mut names = Vec::new();
    let (mut keep, mut save) = (None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => {
                for scene in SCENES {
                    println!("{:20} {}", scene.name, scene.rule);
                }
                return ExitCode::SUCCESS;
            }
            "--bench" => return bench::run(&arguments.next().unwrap_or_default()),
            "--keep" => keep = arguments.next().map(PathBuf::from),
            "--save" => save = arguments.next().map(PathBuf::from),
            name if SCENES.iter().any(|s| s.name == name) => names.push(name.to_owned()),
            other => {
                eprintln!("no scene is called {other}; scenes --list");
                return ExitCode::from(2);
            }
        }
    }
    for folder in keep.iter().chain(&save) {
        if let Err(error) = std::fs::create_dir_all(folder) {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::from(2);
        }
    }
    let (mut passed, mut failed, mut skipped, mut known) = (0, 0, 0, 0);
    for scene in SCENES.iter().filter(|s| if names.is_empty() { !s.asked } else { names.iter().any(|n| n == s.name) }) {
        for size in SIZES {
            let label = format!("{} {}x{}", scene.name, size.0, size.1);
            let start = std::time::Instant::now();
            // A device of its own: one that is lost does not matter to the next.
            let result = Gpu::new().and_then(|gpu| {
                if let Some(known) = NOT_COMPILED.iter().find(|k| names.is_empty() && k.is_of(scene, &gpu.name)) {
                    return Err(Failure::NotCompiled(known.why));
                }
                let mut test = Test::new(&gpu, size, scene, keep.as_deref(), save.as_deref());
                (scene.run)(&mut test)?;
                let reason = KNOWN.iter().find(|k| k.is_of(scene, &gpu.name));
                test.finish().map(|summary| (summary, None)).or_else(|failure| match reason {
                    Some(known) => Ok((failure.to_string(), Some(known.why))),
                    None => Err(failure),
                })
            });
            let seconds = start.elapsed().as_secs_f64();
            match result {
                Ok((summary, None)) => {
                    passed += 1;
                    println!("{label}: ok ({summary}; {seconds:.1} s)");
                }
                Ok((failure, Some(why))) => {
                    known += 1;
                    println!("{label}: differs, as is known: {why}\n    {}", failure.replace('\n', "\n    "));
                }
                Err(Failure::Missing(what)) => {
                    skipped += 1;
                    println!("{label}: skipped: the device has no {what}");
                }
                Err(Failure::NotCompiled(why)) => {
                    skipped += 1;
                    println!("{label}: skipped: {why}");
                }
                Err(failure) => {
                    failed += 1;
                    println!("{label}: FAILED\n    {}", failure.to_string().replace('\n', "\n    "));
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed, {known} differ as is known, {skipped} skipped");
    ExitCode::from(u8::from(failed > 0))
}
