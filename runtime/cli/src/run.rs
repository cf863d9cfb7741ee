//! `wavejit run`: one kernel, with buffers from files, numbers or generators.

use super::cc::SourceOptions;
use super::dtype::DType;
use super::image;
use super::npy;
use super::output::{self, Output};
use super::profile;
use super::progress::{Progress, Watched};
use super::value::{self, AccuracyArg, ArgSpec};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wavejit::arg_type;
use wavejit::code_object::{ArgKind, KernelInfo};
use wavejit::{
    Accuracy, Arg, Buffer, Bvh, CODE_CACHE_VARIABLE, Device, DeviceConfig, DispatchStats, Engine, Generation, Geometry, Image, Kernel,
    Launch, LaunchConfig, Part, Profile, Sampler, Schedule,
};

fn help() -> String {
    let examples = "\
Examples:
  wavejit run vecadd.cl --grid 1000 --arg buf:zero=4000 --arg buf:count=f32:1000 --arg buf:fill=f32:0.5*1000 --arg u32=1000 --out 0=-:f32:8
  wavejit run kernels.hsaco --kernel saxpy --grid 1024 --group 256 \\
      --arg buf:rand=f32:1024:seed=1 --arg buf:fill=f32:2*1024 --arg f32=0.5 --out 1=-:f32:8
  wavejit run mandelbrot.hsaco --kernel mandelbrot --grid 640,480 --group 16,16 \\
      --arg buf:zero=1228800 --arg u32=640 --arg u32=480 --out 0=picture.png:640x480 --time
  wavejit run image_plane.hsaco --kernel image_plane --grid 640,480 --group 16,16 \\
      --arg image=tiles.png:levels --arg sampler=trilinear,wrap,aniso=16 --arg image:new=640x480 --out 2=plane.png
  wavejit run loops.cl --grid 4096 --arg buf:zero=16384 --profile=loops.json";
    format!("{}\n\n{}\n\n{}\n\n{}\n\n{examples}", value::SYNTAX, image::SYNTAX, output::SYNTAX, profile::SYNTAX)
}

/// Run a kernel of a code object, or of a source file, which is compiled first.
#[derive(clap::Args, Debug)]
#[command(after_help = help())]
pub(crate) struct RunArgs {
    /// Code object, offload bundle, program with HIP device code, or a source file for `wavejit cc` (.cl, .hip, .cpp, .s).
    file: PathBuf,
    /// Kernel to run; may be left out if there is only one.
    #[arg(long)]
    kernel: Option<String>,
    /// Work-items in each dimension; the last workgroup may be partial.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims)]
    grid: [u32; 3],
    /// Work-items of a workgroup in each dimension; default: what the kernel was compiled for, or 64.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims)]
    group: Option<[u32; 3]>,
    /// Run only these workgroups of the grid: id of the first one + how many in each dimension. Kernels see the whole grid.
    #[arg(long, value_name = "X[,Y[,Z]]+NX[,NY[,NZ]]", value_parser = part)]
    groups: Option<Part>,
    /// A kernel argument, in order; see below.
    #[arg(long = "arg", value_name = "KIND=VALUE", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Where a buffer goes afterwards; see below.
    #[arg(long = "out", value_name = "I=WHERE")]
    outs: Vec<String>,
    /// Take arguments as bytes: do not compare their types with those of the code object.
    #[arg(long)]
    untyped: bool,
    /// Run a kernel that uses hidden arguments which are not provided (a queue to enqueue kernels on), until a wave gets there.
    #[arg(long)]
    allow_missing: bool,
    /// LDS added at launch (HIP's dynamic shared memory), in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    lds: u32,
    /// Target to take from a bundle, such as gfx1100 or gfx90a:xnack+, or to compile a source file for.
    #[arg(long)]
    target: Option<String>,
    /// Print how long loading, compiling and running took.
    #[arg(long)]
    time: bool,
    /// Launch this often; buffers keep their contents in between. With --time, the best is printed, too.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print numbers of workgroups, waves and instructions.
    #[arg(long)]
    wave_stats: bool,
    /// Count executions and active lanes of every instruction, and print them beside the disassembly; with a file, as JSON there, too. All
    /// launches of --repeat together.
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true)]
    profile: Option<Option<PathBuf>>,
    /// Threads of the pool; 0: one for each processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Stop with an error when a wave has run this many instructions; 0: never.
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_insts: u64,
    /// Say on standard error what the waves are doing when a run takes longer than this; 0: never.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    patience: Duration,
    /// Compile the kernel at once (jit), once it has been interpreted for as long as that takes (tiered), or never (interp).
    #[arg(long, value_enum, default_value_t = EngineArg::Tiered)]
    engine: EngineArg,
    /// Run workgroups and waves in a fixed order, with clocks that count how often they are read.
    #[arg(long)]
    deterministic: bool,
    /// GB_ADDR_CONFIG of the device, which spreads images over pipes and banks; 0: the simplest chip.
    #[arg(long, value_name = "REGISTER", value_parser = register, default_value = "0")]
    gb_addr_config: u32,
    /// How the waves of a workgroup take turns.
    #[arg(long, value_enum, default_value = "turns")]
    schedule: ScheduleArg,
    /// How near to the exact results v_rsq_f32, v_exp_f32 and v_log_f32 are.
    #[arg(long, value_enum, default_value = "nearest")]
    accuracy: AccuracyArg,
    /// Watch bytes beside buffers: a kernel that changes some is an error that names the buffer and the offset.
    #[arg(long)]
    canaries: bool,
    #[command(flatten)]
    source: SourceOptions,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ScheduleArg {
    /// Each wave to its next barrier, sleep or end of a time slice.
    Turns,
    /// Each wave of a workgroup an instruction, by the interpreter.
    Lockstep,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum EngineArg {
    Tiered,
    Jit,
    Interp,
}

/// `X`, `X,Y` or `X,Y,Z`.
fn dims(text: &str) -> Result<[u32; 3], String> {
    let mut out = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err(format!("{} dimensions; at most 3 are possible", parts.len()));
    }
    for (place, part) in out.iter_mut().zip(parts) {
        *place = part.trim().parse().map_err(|_| format!("`{part}` is not a number"))?;
    }
    Ok(out)
}

/// `X,Y,Z+NX,NY,NZ`: the first workgroup, 0 where nothing is said, and how many, 1 where nothing is said.
fn part(text: &str) -> Result<Part, String> {
    let (start, count) = text.split_once('+').ok_or_else(|| format!("`{text}`: expected the first workgroup, +, and how many: 0,2+4,1"))?;
    let mut first = dims(start)?;
    let given = start.split([',', 'x']).count();
    first[given..].fill(0);
    Ok(Part { first, count: dims(count)? })
}

/// Seconds, such as `2.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok()).filter(|d| d.as_secs() <= 1 << 20);
    seconds.ok_or_else(|| format!("`{text}` is not a number of seconds"))
}

/// A register's value, decimal or with `0x`.
fn register(text: &str) -> Result<u32, String> {
    let value = text.strip_prefix("0x").map_or_else(|| text.parse(), |hex| u32::from_str_radix(hex, 16));
    value.map_err(|_| format!("`{text}` is not a 32-bit number"))
}

/// An argument ready for the launch.
enum Ready {
    Buffer(Buffer, npy::Array),
    Same(usize),
    Bytes(Vec<u8>),
    Numbers(Vec<u8>, DType),
    Lds(u32),
    Image(Image),
    SameImage(usize),
    Sampler(Sampler),
    Bvh(Bvh),
}

/// Runs it.
pub(crate) fn run(args: &RunArgs) -> Result<()> {
    let specs: Vec<ArgSpec> = args.args.iter().map(|a| ArgSpec::parse(a)).collect::<Result<_>>()?;
    let outs: Vec<Output> = args.outs.iter().map(|o| Output::parse(o)).collect::<Result<_>>()?;
    check_references(&specs, &outs)?;
    let start = Instant::now();
    let bytes = super::read_code(&args.file, args.target.as_deref(), &args.source)?;
    let object = super::load(&args.file, &bytes, args.target.as_deref(), args.kernel.as_deref())?;
    let name = super::one_kernel(&args.file, &object, args.kernel.as_deref())?.name.clone();
    let device = Device::new(DeviceConfig {
        threads: args.threads,
        engine: match args.engine {
            EngineArg::Tiered => Engine::Tiered,
            EngineArg::Jit => Engine::Jit,
            EngineArg::Interp => Engine::Interp,
        },
        deterministic: args.deterministic,
        gb_addr_config: args.gb_addr_config,
        canaries: args.canaries,
        schedule: match args.schedule {
            ScheduleArg::Turns => Schedule::Turns,
            ScheduleArg::Lockstep => Schedule::Lockstep,
        },
        accuracy: match args.accuracy {
            AccuracyArg::Nearest => Accuracy::Nearest,
            AccuracyArg::OneUlp => Accuracy::OneUlp,
        },
        ..Default::default()
    })?;
    device.keep_code_as_told(true).context(CODE_CACHE_VARIABLE)?;
    let kernel = device.load_object(object)?.kernel(&name)?;
    if !args.untyped {
        check_types(kernel.info(), &specs)?;
    }
    let ready = upload(&device, specs)?;
    let load_time = start.elapsed();
    let profile = args.profile.as_ref().map(|_| Profile::default());
    let launched = launch(args, &kernel, &name, &ready, profile.as_ref());
    if let (Some(profile), Some(file)) = (&profile, &args.profile) {
        // Of a launch that failed it says how far it came.
        let counts = profile.counts();
        super::print(&profile::table(&name, &counts))?;
        if let Some(file) = file {
            std::fs::write(file, profile::json(&name, &counts)).with_context(|| file.display().to_string())?;
        }
    }
    let (stats, best) = launched?;
    for out in &outs {
        write_output(out, &ready)?;
    }
    if args.time {
        eprintln!("load     {:>12.6} s", load_time.as_secs_f64());
        eprintln!("compile  {:>12.6} s", stats.compile_time.as_secs_f64());
        eprintln!("run      {:>12.6} s", stats.run_time.as_secs_f64());
        if args.repeat > 1 {
            eprintln!("best     {best:>12.6} s of {} launches", args.repeat);
        }
    }
    if args.wave_stats {
        eprintln!("workgroups    {:>14}", stats.workgroups);
        eprintln!("waves         {:>14} of {} work-items", stats.waves, kernel.info().wave_size);
        eprintln!("instructions  {:>14}, {:.1} a wave", stats.guest_insts, stats.guest_insts as f64 / stats.waves.max(1) as f64);
    }
    Ok(())
}

/// Are all arguments that are named there, and buffers?
fn check_references(specs: &[ArgSpec], outs: &[Output]) -> Result<()> {
    let buffer = |i: usize| matches!(specs.get(i), Some(ArgSpec::Buffer(_) | ArgSpec::Raw(_)));
    let image = |i: usize| matches!(specs.get(i), Some(ArgSpec::Image(_)));
    for (i, spec) in specs.iter().enumerate() {
        match spec {
            ArgSpec::Same(j) if *j >= i || !buffer(*j) => bail!("argument {i}: buf:same={j} must name an earlier buffer argument"),
            ArgSpec::SameImage(j) if *j >= i || !image(*j) => bail!("argument {i}: image:same={j} must name an earlier image argument"),
            _ => {}
        }
    }
    match outs.iter().find(|o| !buffer(o.arg) && !image(o.arg)) {
        Some(out) => bail!("--out {}=...: argument {} is neither buffer nor image; there are {} arguments", out.arg, out.arg, specs.len()),
        None => Ok(()),
    }
}

/// Do buffers hold what the kernel's pointers point to, and are images and samplers where it wants them? Values are compared at the launch.
fn check_types(kernel: &KernelInfo, specs: &[ArgSpec]) -> Result<()> {
    for (i, (arg, given)) in kernel.explicit_args().zip(specs).enumerate() {
        let spec = if let ArgSpec::Same(j) = given { &specs[*j] } else { given };
        let why = match (arg.kind, spec) {
            (ArgKind::Image, ArgSpec::Buffer(_)) => Some("it is an image: give image=FILE.png or image:new=WIDTHxHEIGHT".to_string()),
            (ArgKind::Sampler, ArgSpec::Buffer(_)) => Some("it is a sampler: give sampler=linear or the like".to_string()),
            (_, ArgSpec::Buffer(array)) => arg_type::refuse_contents(arg, array.dtype.element()),
            _ => None,
        };
        if let Some(why) = why {
            let what = wavejit::kernarg::describe(arg);
            bail!("kernel `{}`, argument {i} ({what}): {why} (--untyped passes the bytes as they are)", kernel.name);
        }
    }
    let is_compared = |i: usize| matches!(specs.get(i), Some(ArgSpec::Buffer(_) | ArgSpec::Numbers(..)));
    let unnamed: Vec<String> =
        kernel.explicit_args().enumerate().filter(|(i, a)| a.type_name.is_none() && is_compared(*i)).map(|(i, _)| i.to_string()).collect();
    if kernel.has_metadata && !unnamed.is_empty() {
        let s = if unnamed.len() == 1 { "" } else { "s" };
        eprintln!("note: the code object does not name the type{s} of argument{s} {}: only sizes were compared", unnamed.join(", "));
    }
    Ok(())
}

fn upload(device: &Device, specs: Vec<ArgSpec>) -> Result<Vec<Ready>> {
    let one = |(i, spec): (usize, ArgSpec)| {
        Ok(match spec {
            ArgSpec::Buffer(array) | ArgSpec::Raw(array) => {
                let buffer = device.upload(&array.bytes).with_context(|| format!("argument {i}, {} bytes", array.bytes.len()))?;
                Ready::Buffer(buffer, array)
            }
            ArgSpec::Same(i) => Ready::Same(i),
            ArgSpec::Bytes(bytes) => Ready::Bytes(bytes),
            ArgSpec::Numbers(bytes, dtype) => Ready::Numbers(bytes, dtype),
            ArgSpec::Lds(bytes) => Ready::Lds(bytes),
            ArgSpec::Image(spec) => Ready::Image(spec.make(device).with_context(|| format!("argument {i}"))?),
            ArgSpec::SameImage(i) => Ready::SameImage(i),
            ArgSpec::Sampler(desc) => Ready::Sampler(desc.make(device)?),
            ArgSpec::Bvh(triangles) => Ready::Bvh(device.bvh(Generation::Gfx11, &triangles)?),
        })
    };
    specs.into_iter().enumerate().map(one).collect()
}

/// Launches as often as asked; returns the statistics of the first launch and the best time in seconds.
fn launch(args: &RunArgs, kernel: &Kernel, name: &str, ready: &[Ready], profile: Option<&Profile>) -> Result<(DispatchStats, f64)> {
    let kernel_args: Vec<Arg> = ready
        .iter()
        .map(|r| match r {
            Ready::Buffer(buffer, _) => Arg::Buffer(buffer),
            Ready::Same(i) => match &ready[*i] {
                Ready::Buffer(buffer, _) => Arg::Buffer(buffer),
                _ => Arg::bytes(&[]), // `check_references` has refused this
            },
            Ready::Bytes(bytes) => Arg::bytes(bytes),
            Ready::Numbers(bytes, _) if args.untyped => Arg::bytes(bytes),
            Ready::Numbers(bytes, dtype) => Arg::Numbers(bytes, dtype.element()),
            Ready::Lds(bytes) => Arg::LocalBytes(*bytes),
            Ready::Image(image) => Arg::Image(image),
            Ready::SameImage(i) => match &ready[*i] {
                Ready::Image(image) => Arg::Image(image),
                _ => Arg::bytes(&[]), // as above
            },
            Ready::Sampler(sampler) => Arg::Sampler(sampler),
            Ready::Bvh(bvh) => Arg::Bvh(bvh),
        })
        .collect();
    let dispatch = Arc::new(wavejit::Progress::default());
    let group = args.group.or(kernel.info().required_group).unwrap_or([64, 1, 1]);
    let geometry = Geometry { part: args.groups, ..Geometry::new(args.grid, group) };
    let config = LaunchConfig {
        geometry,
        max_insts: args.max_insts,
        progress: Some(&dispatch),
        profile,
        on_deadlock: Some(&|_| true),
        ..Default::default()
    };
    let launch = Launch { config, args: &kernel_args, dynamic_lds: args.lds, allow_missing: args.allow_missing, ..Default::default() };
    let watched = Watched { kernel: name.to_string(), dispatch: dispatch.clone(), patience: args.patience };
    let watched = (!args.patience.is_zero()).then_some(watched);
    let progress = Progress::start(&format!("running {name}"), watched);
    let mut first = None;
    let mut best = f64::INFINITY;
    for _ in 0..args.repeat {
        let stats = kernel.launch(&launch).with_context(|| args.file.display().to_string())?;
        best = best.min(stats.run_time.as_secs_f64());
        first.get_or_insert(stats);
    }
    drop(progress);
    Ok((first.context("no launch")?, best))
}

fn write_output(out: &Output, ready: &[Ready]) -> Result<()> {
    let text = &mut std::io::stdout().lock();
    match ready.get(out.arg) {
        Some(Ready::Buffer(buffer, array)) => {
            let mut now = array.clone();
            buffer.read(0, &mut now.bytes)?;
            out.write(&now, text)
        }
        Some(Ready::Image(image)) => out.write_image(image, text),
        _ => bail!("argument {} is neither buffer nor image", out.arg),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_default_to_one() {
        assert_eq!(dims("5"), Ok([5, 1, 1]));
        assert_eq!(dims("5,6,7"), Ok([5, 6, 7]));
        assert_eq!(dims("640x480"), Ok([640, 480, 1]));
        assert!(dims("1,2,3,4").is_err() && dims("x").is_err() && dims("-1").is_err());
    }

    #[test]
    fn a_part_of_the_grid_is_a_first_workgroup_and_a_count() {
        assert_eq!(part("1,2,3+4,5,6"), Ok(Part { first: [1, 2, 3], count: [4, 5, 6] }));
        assert_eq!(part("7+9"), Ok(Part { first: [7, 0, 0], count: [9, 1, 1] }));
        assert!(part("7").is_err() && part("+1").is_err() && part("1+").is_err());
    }

    #[test]
    fn outputs_must_name_buffers() {
        let specs = [ArgSpec::parse("f32=1").unwrap(), ArgSpec::parse("buf:zero=4").unwrap(), ArgSpec::parse("buf:same=1").unwrap()];
        let out = |text: &str| Output::parse(text).unwrap();
        assert!(check_references(&specs, &[out("1=-")]).is_ok());
        assert!(check_references(&specs, &[out("0=-")]).is_err());
        assert!(check_references(&specs, &[out("9=-")]).is_err());
        assert!(check_references(&[ArgSpec::Same(0)], &[]).is_err());
    }
}
