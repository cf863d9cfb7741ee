//! `wavejit cc` with a clang of the machine: sources in `sources/`, compiled and run. Without clang they are skipped and say so; what needs none
//! is tested beside the code.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sources");

/// The program, which keeps no compiled code in the user's directories.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavejit"));
    command.env(wavejit::CODE_CACHE_VARIABLE, "off");
    command
}

fn wavejit(args: &[&str]) -> Output {
    command().args(args).output().unwrap()
}

fn source(name: &str) -> String {
    format!("{SOURCES}/{name}")
}

/// Is there a clang with all that `wavejit cc` needs? If not, says what is missing.
fn has_clang() -> bool {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let out = wavejit(&["cc", &source("vecadd.cl"), "-o", &format!("{}/probe.hsaco", env!("CARGO_TARGET_TMPDIR"))]);
        let message = String::from_utf8_lossy(&out.stderr).into_owned();
        if out.status.success() || !message.contains("install it with:") { Ok(()) } else { Err(message) }
    });
    if let Err(why) = found {
        println!("skipped: {why}");
    }
    found.is_ok()
}

/// Standard output of a run that must succeed.
fn stdout(args: &[&str]) -> String {
    let out = wavejit(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The code object of a source file, compiled with these flags once.
fn built(file: &str, flags: &str) -> String {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let out = format!("{}/{file}{}.hsaco", env!("CARGO_TARGET_TMPDIR"), flags.replace([' ', '-'], ""));
    let mut built = BUILT.lock().unwrap();
    if built.insert(out.clone()) {
        let source = source(file);
        stdout(&["cc", &source, "-o", &out].into_iter().chain(flags.split_whitespace()).collect::<Vec<_>>());
    }
    out
}

/// Numbers that `run` prints for a kernel of a source file compiled with these flags.
fn run_as<T: std::str::FromStr>(file: &str, flags: &str, kernel: &str, args: &str) -> Vec<T> {
    let file = built(file, flags);
    let args: Vec<&str> = ["run", &file, "--kernel", kernel].into_iter().chain(args.split_whitespace()).collect();
    stdout(&args).lines().map(|line| line.parse().unwrap_or_else(|_| panic!("{args:?}: {line}"))).collect()
}

fn run<T: std::str::FromStr>(file: &str, kernel: &str, args: &str) -> Vec<T> {
    run_as(file, "", kernel, args)
}

/// Numbers of a run by each optimization level and wave size; all must agree.
fn run_each<T: std::str::FromStr + PartialEq + std::fmt::Debug>(file: &str, kernel: &str, args: &str) -> Vec<T> {
    let first = run(file, kernel, args);
    for flags in ["-O0", "--wave 64"] {
        assert_eq!(run_as::<T>(file, flags, kernel, args), first, "{kernel} {flags}");
    }
    first
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= 4e-6 * e.abs().max(1e-3), "{i}: {f}, expected {e}");
    }
}

#[test]
fn opencl_is_compiled_and_run() {
    if !has_clang() {
        return;
    }
    let out = format!("{}/named.hsaco", env!("CARGO_TARGET_TMPDIR"));
    let made = wavejit(&["cc", &source("vecadd.cl"), "-o", &out]);
    assert_eq!(String::from_utf8_lossy(&made.stderr), format!("{out}: gfx1100, kernels vecadd\n"));
    let args = "--grid 1000 --arg buf:zero=4000 --arg buf:count=f32:1000 --arg buf:fill=f32:0.5*1000 --arg u32=1000 --out 0=-:f32";
    let expected: Vec<f64> = (0..1000).map(|i| f64::from(i) + 0.5).collect();
    assert_eq!(run::<f64>("vecadd.cl", "vecadd", args), expected);
    let file = source("vecadd.cl");
    let args: Vec<&str> = ["run", &file].into_iter().chain(args.split_whitespace()).collect();
    assert_eq!(stdout(&args).lines().next(), Some("0.5"), "the source runs as its code object does");
}

// The commands of README's section, but for those that install and build.
#[test]
fn readme_works_as_typed() {
    if !has_clang() {
        return;
    }
    let readme = include_str!("../../../README.md");
    let section = readme.split("### Compile your own").nth(1).and_then(|s| s.split("\n### ").next()).unwrap();
    let typed = section.lines().filter_map(|l| l.strip_prefix("    ").or(l.is_empty().then_some("")));
    let typed: Vec<&str> = typed.filter(|l| !["sudo ", "cargo ", "export "].iter().any(|c| l.starts_with(c))).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    std::fs::create_dir_all(&folder).unwrap();
    let tools = Path::new(env!("CARGO_BIN_EXE_wavejit")).parent().unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let out = Command::new("sh")
        .args(["-euc", &typed.join("\n")])
        .current_dir(&folder)
        .env("PATH", path)
        .env(wavejit::CODE_CACHE_VARIABLE, "off")
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(String::from_utf8_lossy(&out.stdout), "0.5\n1.5\n2.5\n3.5\n999000\n");
}

#[test]
fn opencl_has_its_library() {
    if !has_clang() {
        return;
    }
    let x = [0.5f64, 1.0, 2.0, 3.0];
    let args = "--grid 4 --arg buf:zero=64 --arg buf:list=f32:0.5,1,2,3 --out 0=-:f32";
    let expected: Vec<f64> = x.iter().flat_map(|x| [x.sin(), x.exp(), x.powf(2.5), x.sqrt()]).collect();
    close(&run("functions.cl", "mathematics", args), &expected);
    let args = "--grid 4 --arg buf:zero=32 --arg buf:list=f64:0.5,1,2,3 --out 0=-:f64";
    let expected: Vec<f64> = x.iter().map(|x| x.powf(1.5) + x.ln()).collect();
    close(&run("functions.cl", "doubles", args), &expected);
    let args = "--grid 4 --arg buf:zero=8 --arg buf:list=f16:0.5,1,2,3 --arg f16=2 --out 0=-:f16";
    assert_eq!(run::<f64>("functions.cl", "halves", args), [1.5, 3.0, 6.0, 9.0]);
    let args = "--grid 8 --group 4 --arg buf:count=i32:8 --arg lds=16 --out 0=-";
    assert_eq!(run::<i32>("functions.cl", "reversed", args), [3, 2, 1, 0, 7, 6, 5, 4]);
    let args = "--grid 2 --arg buf:zero=8 --arg f32=1,2,3,0 --arg i32=4,5 --arg buf:list=f32:1,10,100 --out 0=-:f32";
    assert_eq!(run::<f64>("functions.cl", "vectors", args), [341.0, 341.0]);
}

#[test]
fn opencl_has_images() {
    if !has_clang() {
        return;
    }
    let (from, to) = (format!("{}/from.png", env!("CARGO_TARGET_TMPDIR")), format!("{}/to.png", env!("CARGO_TARGET_TMPDIR")));
    let tiles = format!("{}/../../shaders/data/tiles.png", env!("CARGO_MANIFEST_DIR"));
    let file = built("functions.cl", "");
    let mirror = |from: &str, to: &str| {
        let (from, to) = (format!("image={from}"), format!("1={to}"));
        stdout(&[
            "run",
            &file,
            "--kernel",
            "mirrored",
            "--grid",
            "128,128",
            "--group",
            "16,16",
            "--arg",
            &from,
            "--arg",
            "image:new=128x128",
            "--out",
            &to,
        ]);
    };
    mirror(&tiles, &from);
    mirror(&from, &to);
    let pixels = |file: &str| {
        let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).unwrap())).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (128, 128));
        bytes.chunks_exact(info.line_size / 128).map(|p| [p[0], p[1], p[2]]).collect::<Vec<_>>()
    };
    let (original, once) = (pixels(&tiles), pixels(&from));
    assert_eq!(once[..128].iter().rev().collect::<Vec<_>>(), original[..128].iter().collect::<Vec<_>>());
    assert_eq!(pixels(&to), original, "mirrored twice");
}

#[test]
fn a_hip_program_is_compiled_with_our_headers() {
    if !has_clang() {
        return;
    }
    let args = "--grid 1024 --group 128 --arg buf:fill=f32:1*1000 --arg buf:count=f32:1000 --arg f32=2 --arg i32=1000 --arg buf:zero=128";
    let y: Vec<f64> = run_each("saxpy.hip", "saxpy", &format!("{args} --out 0=-:f32"));
    assert_eq!(y, (0..1000).map(|i| 2.0 * f64::from(i) + 1.0).collect::<Vec<_>>());
    // Waves see their workgroup's x from the last to the first.
    let sums: Vec<f64> = run("saxpy.hip", "saxpy", &format!("{args} --out 4=-:f32"));
    let sum = |w: u32| (0..32).map(|l| w / 4 * 128 + 127 - (w % 4 * 32 + l)).filter(|i| *i < 1000).map(f64::from).sum::<f64>();
    assert_eq!(sums, (0..32).map(sum).collect::<Vec<_>>());
}

#[test]
fn hip_indices_count_workgroups_and_lanes() {
    if !has_clang() {
        return;
    }
    let found: Vec<u32> = run_each("header.hip", "indices", "--grid 8,6 --group 4,2 --arg buf:zero=192 --out 0=-:u32");
    let expected = (0..6u32).flat_map(|g| (0..8u32).map(move |t| (2 << 24) | ((g / 2) << 16) | ((t / 4) << 8) | (t % 4)));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn hip_shuffles_votes_and_barriers() {
    if !has_clang() {
        return;
    }
    let found: Vec<i32> = run_each("header.hip", "shuffles", "--grid 64 --group 64 --arg buf:zero=2304 --out 0=-:i32");
    let lanes = |f: fn(i32) -> i32| (0..64).map(f).collect::<Vec<_>>();
    let rows: [fn(i32) -> i32; 7] = [
        |i| i / 32 * 32 + 3,
        |i| if i % 16 < 2 { i } else { i - 2 },
        |i| if i % 16 + 5 >= 16 { i } else { i + 5 },
        |i| i ^ 9,
        |i| i ^ 1,
        |i| (i / 8 * 8 + 6) / 2,
        |_| 0xaaaa_aaaau32 as i32,
    ];
    for (n, row) in rows.into_iter().enumerate() {
        assert_eq!(found[64 * n..][..64], lanes(row), "{n}");
    }
    assert_eq!(found[64 * 7..][..64], lanes(|_| 22), "multiples of 3 below 64");
    assert_eq!(found[64 * 8..][..64], lanes(|_| 1));
    // Lane 40 is in the second wave of 32.
    for (flags, with_40) in [("", 32..64), ("--wave 64", 0..64)] {
        let votes: Vec<i32> = run_as("header.hip", flags, "votes", "--grid 64 --group 64 --arg buf:zero=256 --out 0=-:i32");
        assert_eq!(votes, (0..64).map(|i| i32::from(with_40.contains(&i)) | 6).collect::<Vec<_>>(), "{flags}");
    }
}

#[test]
fn hip_atomics() {
    if !has_clang() {
        return;
    }
    let args = "--grid 64 --group 64 --arg buf:list=i32:0,0,5,5,0,0,-1,0,0 --arg buf:list=u32:0,0,0,0 --arg buf:zero=8 --arg buf:zero=8 --arg buf:list=f64:1";
    let i: Vec<i32> = run_each("header.hip", "atomics", &format!("{args} --out 0=-"));
    assert_eq!(i[..7], [2016, -2016, -63, 63, -1, 0, 0]);
    assert!((1..=64).contains(&i[7]), "{}", i[7]);
    assert_eq!(i[8], 77);
    let u: Vec<u32> = run_each("header.hip", "atomics", &format!("{args} --out 1=-"));
    assert_eq!(u, [4, 6, 128, 192]);
    assert_eq!(run::<u64>("header.hip", "atomics", &format!("{args} --out 2=-:u64")), [64 << 32]);
    assert_eq!(run::<f64>("header.hip", "atomics", &format!("{args} --out 3=-:f32")), [32.0, 63.0]);
    assert_eq!(run::<f64>("header.hip", "atomics", &format!("{args} --out 4=-")), [17.0]);
}

#[test]
fn hip_bit_functions_and_conversions() {
    if !has_clang() {
        return;
    }
    let (v, s, f) = (0x8001_2340u32, -5i32, 2.5f32);
    let args = format!("--grid 1 --arg buf:zero=80 --arg u32={v} --arg i32={s} --arg f32={f} --out 0=-:u32");
    let found: Vec<u32> = run_each("header.hip", "bits", &args);
    let wide = |n: u32| u64::from(0x1234_5678u32) << 32 | u64::from(n);
    let expected = [
        v.count_ones(),
        v.count_ones() + 1,
        v.leading_zeros(),
        32,
        v.trailing_zeros() + 1,
        0,
        v.reverse_bits(),
        ((u64::from(v) * u64::from(v)) >> 32) as u32,
        ((i64::from(s) * (1 << 30)) >> 32) as u32,
        (s * 3) as u32,
        (wide(v) << 8 >> 32) as u32,
        (wide(v) >> 8) as u32,
        f.to_bits(),
        2,
        2,
        3,
        2,
        (-3i32 + 2) as u32,
        0x4100,
        12 << 16 | 16 << 8 | 4,
    ];
    assert_eq!(found, expected);
}

#[test]
fn hip_vectors_and_halves() {
    if !has_clang() {
        return;
    }
    let args = "--grid 2 --group 2 --arg buf:count=f32:8 --arg buf:count=f32:6 --arg buf:count=u8:8 --arg buf:list=f16:0,1,2,3 --arg f32=3";
    let out = |n: usize| -> Vec<f64> { run_each("header.hip", "vectors", &format!("{args} --out {n}=-")) };
    let lanes = |n: u32, f: fn(u32) -> f64| (0..n).map(f).collect::<Vec<_>>();
    assert_eq!(out(0), lanes(8, |i| -((f64::from(i) + f64::from(i % 4 + 1)) * 3.0 - 0.5) / 2.0));
    assert_eq!(out(1), lanes(6, |i| f64::from(i) * f64::from(i % 3 + 1) + 1.0));
    assert_eq!(out(2), lanes(8, |i| f64::from((i + [250, 1, 2, 3][i as usize % 4]) as u8)));
    assert_eq!(out(3), [1.0, 1.0, 5.0, 5.0]);
}

#[test]
fn hip_mathematics_and_dynamic_lds() {
    if !has_clang() {
        return;
    }
    let args = "--grid 3 --group 3 --arg buf:list=f32:0.5,1,2 --arg buf:list=f64:0.5,1,2";
    let x = [0.5f64, 1.0, 2.0];
    let expected: Vec<f64> = x.iter().map(|x| x.sin() + (-x).exp() + x.powf(1.5) + x).collect();
    close(&run("header.hip", "mathematics", &format!("{args} --out 0=-")), &expected);
    let expected: Vec<f64> = x.iter().map(|x| x.powf(2.5) + x.ln()).collect();
    close(&run("header.hip", "mathematics", &format!("{args} --out 1=-")), &expected);
    let args = "--grid 5 --group 5 --lds 20 --arg buf:count=i32:5 --out 0=-";
    assert_eq!(run_each::<i32>("header.hip", "rotated", args), [1, 2, 3, 4, 0]);
}

#[test]
fn assembly_is_compiled_and_other_commands_take_sources() {
    if !has_clang() {
        return;
    }
    let state = format!("{}/../../shaders/state.s", env!("CARGO_MANIFEST_DIR"));
    assert!(stdout(&["info", &state]).starts_with("target gfx1100,"));
    assert!(stdout(&["disasm", &source("vecadd.cl"), "--target", "gfx906"]).contains("<vecadd>:"));
    assert!(stdout(&["lift", &source("vecadd.cl")]).starts_with("func \"vecadd\" wave32 {"));
}

#[test]
fn messages_of_clang_are_shown_with_file_and_line() {
    if !has_clang() {
        return;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong.cl");
    std::fs::write(&file, "kernel void k(global int *p) {\n  p[0] = nothing;\n}\n").unwrap();
    let out = wavejit(&["run", file.to_str().unwrap(), "--grid", "1"]);
    let message = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1));
    assert!(message.contains("wrong.cl:2:10: error: use of undeclared identifier 'nothing'"), "{message}");
    assert!(message.contains("\nerror: ") && message.contains("did not compile it") && !message.contains("panicked"), "{message}");
}

#[test]
fn what_is_wrong_with_sources_needs_no_clang() {
    let message = |args: &[&str]| {
        let out = wavejit(args);
        assert_eq!(out.status.code(), Some(1), "{args:?}");
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    assert_eq!(message(&["cc", "/no/such/file.cl"]), "error: /no/such/file.cl: No such file or directory (os error 2)\n");
    assert!(message(&["cc", "kernel.txt"]).contains("expected a source file that ends in .cl, .hip, .cpp or .s"));
    assert!(message(&["cc", &source("vecadd.cl"), "--target", "gfx9999"]).contains("--target gfx9999: "));
    let object = format!("{}/../tests/data/small-v5.hsaco", env!("CARGO_MANIFEST_DIR"));
    for (flags, named) in [(&["-O0"][..], "-O0"), (&["--wave", "64"], "--wave 64"), (&["--", "-DX"], "-DX")] {
        let text = message(&[&["run", &object, "--grid", "1"][..], flags].concat());
        assert!(text.contains(&format!("{named} is for source files")), "{text}");
    }
    let mut command = command();
    command.args(["cc", &source("vecadd.cl")]).env("WAVEJIT_CLANG", "/bin/true");
    let text = String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
    assert_eq!(text, "error: $WAVEJIT_CLANG is /bin/true, which is not a clang\n");
}
