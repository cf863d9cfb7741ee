//! How long does the first launch of a kernel take? ms from loading the code object to the end of a small grid, in a new process: translated
//! then and there, and loaded from the cache of code files.
//!
//! Kernels are those of the directories given behind `--`, else of `shaders/bin`. Each is measured in processes of its own, so that nothing is
//! warm but the files; the least of all rounds counts. Where there are no files most of code that so few waves use is interpreted. Arguments are the same for
//! all kernels: pointers lead to a zeroed buffer each, numbers are 1, images have 16 by 16 texels. With these a few end in a fault, which is said beside their row. The second launch shows what is the
//! kernel's own work.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use wavejit::code_object::{ArgKind, CodeObject, KernelArg, KernelInfo};
use wavejit::{Buffer, Device, DeviceConfig, ImageDesc, Launch, LaunchConfig, SamplerDesc};
use wavejit_benches::{is_smoke_test, machine, root};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Argument of a process that measures one launch; the file, the kernel, and the directory of translations or `off` follow.
const ONE: &str = "--one";
/// What is to be reached, in ms: cold, from files.
const GOALS: [f64; 2] = [5.0, 2.0];
/// Bytes behind a pointer.
const BUFFER_BYTES: usize = 4 << 20;
/// Bytes of a `__local` argument.
const LOCAL_BYTES: u32 = 4096;
/// Guest instructions of a wave, at most: with arguments that mean nothing a kernel may run for ever.
const MAX_INSTS: u64 = 1_000_000;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match &args[..] {
        [one, file, kernel, cache] if one == ONE => measure_here(Path::new(file), kernel, cache),
        directories => print_table(directories),
    }
}

/// One process's measurement, in ms.
struct Times {
    load: f64,
    launch: f64,
    second: f64,
    /// Guest instructions that were compiled, functions that came from files.
    compiled: u64,
    loaded: u64,
    /// What the first launch ended with.
    end: String,
}

impl Times {
    fn total(&self) -> f64 {
        self.load + self.launch
    }
}

/// Measures one kernel in this process, and prints what [`measure`] reads.
fn measure_here(file: &Path, kernel: &str, cache: &str) -> Result<()> {
    let bytes = std::fs::read(file)?;
    let device = Device::new(DeviceConfig::default())?;
    if cache != "off" {
        device.keep_code_in(Path::new(cache))?;
    }
    let start = Instant::now();
    let module = device.load(&bytes)?;
    let load = start.elapsed();
    let info = module.object().kernel(kernel)?;
    let (packed, local_bytes, _held) = arguments(&device, info)?;
    let group = info.required_group.unwrap_or([info.max_group_work_items.unwrap_or(64).min(64), 1, 1]);
    let config = LaunchConfig { max_insts: MAX_INSTS, ..LaunchConfig::new([2 * group[0], group[1], group[2]], group) };
    let how = Launch { config, explicit: Some(&packed), dynamic_lds: local_bytes, allow_missing: true, ..Launch::default() };
    let start = Instant::now();
    let kernel = module.kernel(kernel)?;
    let first = kernel.launch(&how);
    let launch = start.elapsed();
    let stats = device.code_stats();
    let start = Instant::now();
    let _ = kernel.launch(&how);
    let second = start.elapsed();
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let end = first.err().map_or("-".into(), |e| e.to_string().lines().next().unwrap_or_default().to_string());
    println!("{} {} {} {} {} {end}", ms(load), ms(launch), ms(second), stats.compiled_insts, stats.loaded);
    Ok(())
}

/// The packed arguments of a kernel, the bytes of LDS that they stand for, and what has to live as long.
fn arguments(device: &Device, kernel: &KernelInfo) -> Result<(Vec<u8>, u32, Vec<Box<dyn Any>>)> {
    let mut packed = vec![];
    let mut local_bytes = 0;
    let mut held: Vec<Box<dyn Any>> = vec![];
    for arg in kernel.explicit_args() {
        let value = match arg.kind {
            ArgKind::DynamicSharedPointer => {
                local_bytes += LOCAL_BYTES;
                u64::from(local_bytes - LOCAL_BYTES)
            }
            ArgKind::Image => {
                let image = device.image(&ImageDesc { width: 16, height: 16, ..Default::default() })?;
                let address = image.descriptor_address();
                held.push(Box::new(image));
                address
            }
            ArgKind::Sampler => {
                let sampler = device.sampler(&SamplerDesc::default())?;
                let address = sampler.descriptor_address();
                held.push(Box::new(sampler));
                address
            }
            ArgKind::ByValue => one(arg),
            _ => {
                let buffer: Buffer = device.alloc(BUFFER_BYTES)?;
                let address = buffer.address();
                held.push(Box::new(buffer));
                address
            }
        };
        let (at, len) = (arg.offset as usize, arg.bytes as usize);
        packed.resize(packed.len().max(at + len), 0);
        let used = len.min(8);
        packed[at..at + used].copy_from_slice(&value.to_le_bytes()[..used]);
    }
    packed.truncate(kernel.kernarg_bytes as usize);
    Ok((packed, local_bytes, held))
}

/// The bits of the number 1.
fn one(arg: &KernelArg) -> u64 {
    match arg.type_name.as_deref() {
        Some("float") => 1f32.to_bits().into(),
        Some("double") => 1f64.to_bits(),
        _ => 1,
    }
}

fn print_table(directories: &[String]) -> Result<()> {
    println!("{}", machine());
    println!("{:44}{:>8}{:>10}{:>10}{:>10}{:>12}{:>10}  (ms)", "kernel", "insts", "load", "launch", "cold", "from files", "second");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, kernel) in kernels(directories)? {
        let name = format!("{} {kernel}", file.file_stem().unwrap_or_default().to_string_lossy());
        let cache = std::env::temp_dir().join(format!("wavejit-first-launch-{}", std::process::id()));
        let cache_name = cache.to_string_lossy();
        let rows = least(&file, &kernel, "off").and_then(|cold| {
            // The first of these puts the translation into the directory.
            measure(&file, &kernel, &cache_name)?;
            Ok((cold, least(&file, &kernel, &cache_name)?))
        });
        let _ = std::fs::remove_dir_all(&cache);
        let (cold, warm) = match rows {
            Ok(rows) => rows,
            Err(e) => {
                *counts.entry("not launched").or_default() += 1;
                println!("{name:44}  {e}");
                continue;
            }
        };
        let is_stored = warm.compiled == 0 && warm.loaded > 0;
        let is_interpreted = cold.compiled == 0 && warm.compiled == 0;
        let mut notes = String::new();
        for (missed, note) in [
            (cold.total() > GOALS[0], "cold misses its goal"),
            (is_stored && warm.total() > GOALS[1], "from files misses its goal"),
            (is_interpreted && !is_stored, "interpreted"),
            (!is_interpreted && !is_stored, "not kept in files"),
        ] {
            if missed {
                *counts.entry(note).or_default() += 1;
                notes += &format!("  {note};");
            }
        }
        if cold.end != "-" {
            notes += &format!("  {}", cold.end);
        }
        *counts.entry("kernels").or_default() += 1;
        println!(
            "{name:44}{:8}{:10.2}{:10.2}{:10.2}{:12.2}{:10.2}{notes}",
            cold.compiled,
            cold.load,
            cold.launch,
            cold.total(),
            warm.total(),
            warm.second
        );
    }
    println!("goals: cold {} ms, from files {} ms", GOALS[0], GOALS[1]);
    for (what, count) in counts {
        println!("{what}: {count}");
    }
    Ok(())
}

/// Kernels of the code objects in these directories, by file.
fn kernels(directories: &[String]) -> Result<Vec<(PathBuf, String)>> {
    let shipped = ["shaders/bin", "shaders/bin/peers"].map(|d| root().join(d));
    let directories = if directories.is_empty() { shipped.to_vec() } else { directories.iter().map(PathBuf::from).collect() };
    let mut files = vec![];
    for directory in directories {
        let in_it = std::fs::read_dir(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        files.extend(in_it.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.extension().is_some_and(|e| e == "hsaco")));
    }
    files.sort();
    if is_smoke_test() {
        files.truncate(2);
    }
    let mut kernels = vec![];
    for file in files {
        if let Ok(object) = CodeObject::load(&std::fs::read(&file)?) {
            kernels.extend(object.kernels().iter().map(|k| (file.clone(), k.name.clone())));
        }
    }
    Ok(kernels)
}

/// The process with the least time among some.
fn least(file: &Path, kernel: &str, cache: &str) -> Result<Times> {
    let mut best = measure(file, kernel, cache)?;
    for _ in 1..if is_smoke_test() { 1 } else { 7 } {
        let next = measure(file, kernel, cache)?;
        if next.total() < best.total() {
            best = next;
        }
    }
    Ok(best)
}

/// What a process of its own says.
fn measure(file: &Path, kernel: &str, cache: &str) -> Result<Times> {
    let out = Command::new(std::env::current_exe()?).arg(ONE).arg(file).args([kernel, cache]).output()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let said = text.lines().last().map(|l| l.splitn(6, ' ').collect::<Vec<_>>());
    match said.as_deref() {
        Some([load, launch, second, compiled, loaded, end]) if out.status.success() => Ok(Times {
            load: load.parse()?,
            launch: launch.parse()?,
            second: second.parse()?,
            compiled: compiled.parse()?,
            loaded: loaded.parse()?,
            end: end.to_string(),
        }),
        _ => Err(String::from_utf8_lossy(&out.stderr).lines().last().unwrap_or("no figures").to_string().into()),
    }
}
