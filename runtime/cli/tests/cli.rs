//! The program `wavejit` from the outside: what it prints, and what it says when something is wrong.

use std::io::{BufRead, Write};
use std::process::{Command, Output, Stdio};
use wavejit_isa::HostIsa;

const V5: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/small-v5.hsaco");
const WAVE64: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/small-wave64.hsaco");
const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/compressed.bundle");

/// The program, which keeps no compiled code in the user's directories.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavejit"));
    command.env(wavejit::CODE_CACHE_VARIABLE, "off");
    command
}

fn wavejit(args: &[&str]) -> Output {
    command().args(args).output().unwrap()
}

/// Standard output of a run that must succeed.
fn stdout(args: &[&str]) -> String {
    let out = wavejit(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Message of a run that must fail: one `error:`, no panic, no backtrace.
fn failure(args: &[&str]) -> String {
    let out = wavejit(args);
    let message = String::from_utf8(out.stderr).unwrap();
    assert!(matches!(out.status.code(), Some(1 | 2)), "{args:?}: {:?}", out.status);
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{args:?}: {message}");
    message
}

fn with_input(args: &[&str], input: &[u8]) -> String {
    let mut command = command();
    let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn info_shows_kernels() {
    let text = stdout(&["info", V5]);
    assert!(text.starts_with("target gfx1100, code object version 5"), "{text}");
    assert!(text.contains("kernel reverse") && text.contains("256 bytes a workgroup") && text.contains("float*, global_buffer"));
    let json = stdout(&["info", BUNDLE, "--target", "gfx90a", "--json"]);
    assert!(json.contains("\"target\": \"gfx90a:xnack+\"") && json.contains("\"kind\": \"global_buffer\""), "{json}");
}

// Every form of host code gives the bits of the others; one that is not there is said, and not passed over.
#[test]
fn the_environment_chooses_the_host_instructions() {
    let args = run("reverse", &["--grid", "8", "--group", "8", "--arg", "buf:count=u32:8", "--arg", "lds=32", "--out", "0=-"]);
    let at = |isa: &str| command().args(&args).env(HostIsa::VARIABLE, isa).output().unwrap();
    let results: Vec<Vec<u8>> = HostIsa::available().map(|isa| at(isa.name()).stdout).collect();
    assert!(results.iter().all(|r| r == b"7\n6\n5\n4\n3\n2\n1\n0\n"), "{results:?}");
    let refused = |isa| String::from_utf8(at(isa).stderr).unwrap();
    let expected = "error: WAVEJIT_ISA: host instructions `scalar` are not known: baseline, portable, avx2 and avx512 are\n";
    assert_eq!(refused("scalar"), expected);
    if HostIsa::host() < HostIsa::Avx512 {
        let expected = format!("error: WAVEJIT_ISA: this host has not the instructions of avx512; its best are {}\n", HostIsa::host());
        assert_eq!(refused("avx512"), expected);
    }
}

// Expected text: llvm-mc-19 -mcpu=gfx1100 -disassemble.
#[test]
fn disasm_hex_gives_one_line_for_each() {
    let text = with_input(&["disasm", "--hex", "-"], b"01 02 04 7e\nffffffff\n0x01,0x02\n\n00 00 04 f4 00 00 00 f8\n");
    assert_eq!(text, "v_mov_b32_e32 v2, s1\n<invalid>\n<invalid>\n<invalid>\ns_load_b64 s[0:1], s[0:1], null\n");
    let wave64 = with_input(&["disasm", "--mcpu", "gfx1100", "--wave", "64", "--hex", "-"], b"03 02 98 7c");
    assert_eq!(wave64, "v_cmp_gt_u32_e32 vcc, s3, v1\n");
}

// Expected text: llvm-mc-19 with the same -mcpu; the last two take another name and a whole target id for a processor.
#[test]
fn processors_go_by_every_name_llvm_has_for_them() {
    let v_add_f16 = |mcpu| with_input(&["disasm", "--mcpu", mcpu, "--hex", "-"], b"02 07 02 3e");
    for fiji in ["fiji", "tonga", "polaris11", "gfx803", "amdgcn-amd-amdhsa--fiji"] {
        assert_eq!(v_add_f16(fiji), "v_add_f16_e32 v1, v2, v3\n", "{fiji}");
    }
    let v_ldexp_f32 = |mcpu| with_input(&["asm", "--mcpu", mcpu, "--hex", "-"], b"v_ldexp_f32 v1, v2, v3");
    assert_eq!(v_ldexp_f32("bonaire"), "02 07 02 56\n");
    assert_eq!(v_ldexp_f32("gfx11-generic"), "01 00 1c d7 02 07 02 00\n");
    assert_eq!(v_ldexp_f32("amdgcn-amd-amdhsa--gfx9-generic:xnack+"), "01 00 88 d2 02 07 02 00\n");
    assert!(failure(&["asm", "--mcpu", "gfx1100:xnack+", "-"]).contains("gfx1100 has no xnack setting"));
}

// Code as logs print it, and what `wavejit asm` prints, is read back.
#[test]
fn disasm_hex_takes_dwords_of_logs() {
    let text = with_input(&["disasm", "--hex", "-"], b"0x7e040201\n7E040201 // x\n0010: f4040000, f8000000\n/*14*/ 0xbfb00000\n");
    assert_eq!(text, "v_mov_b32_e32 v2, s1\nv_mov_b32_e32 v2, s1\ns_load_b64 s[0:1], s[0:1], null\ns_endpgm\n");
    let source = "v_mov_b32_e32 v2, s1\ns_load_b64 s[0:1], s[0:1], null\n";
    for flags in [&["asm", "-"][..], &["asm", "-", "--hex"]] {
        assert_eq!(with_input(&["disasm", "--hex", "-"], with_input(flags, source.as_bytes()).as_bytes()), source);
    }
}

#[test]
fn disasm_raw_goes_on_after_what_is_no_instruction() {
    let text = with_input(&["disasm", "--raw", "-"], b"\xff\xff\xff\xff\x01\x02\x04\x7e\x00\x00\xb0\xbf\x07");
    let expected =
        ".long 0xffffffff\t// 00000000: FFFFFFFF\nv_mov_b32_e32 v2, s1\t// 00000004: 7E040201\ns_endpgm\t// 00000008: BFB00000\n";
    assert_eq!(text, format!("{expected}.byte 0x07\t// 0000000C: 07\n"));
}

// The first lines as llvm-objdump-19 -d prints them.
#[test]
fn disasm_of_a_code_object_has_labels_and_branch_targets() {
    let text = stdout(&["disasm", V5]);
    assert!(
        text.contains(
            "\n0000000000002800 <scale>:\n\ts_clause 0x1                                               // 000000002800: BF850001\n"
        )
    );
    assert!(text.contains("// 000000002834: BFA5000F <scale+0x74>\n"), "{text}");
    assert!(text.contains("<look_up>:"));
    let one = stdout(&["disasm", V5, "--kernel", "table"]);
    assert!(one.contains("<table>:") && !one.contains("<scale>:"));
    assert!(stdout(&["disasm", WAVE64]).contains("v_add_co_u32 v0, vcc, s0, v2"), "wave64 code has 64-bit masks");
    assert!(stdout(&["disasm", WAVE64, "--wave", "32"]).contains("v_add_co_u32 v0, vcc_lo, s0, v2"));
}

// A symbol of no size and type inside `table`, as `inner:` in assembly leaves, is a label and not the end of it.
#[test]
fn disasm_of_a_kernel_goes_on_behind_inner_labels() {
    let mut bytes = std::fs::read(V5).unwrap();
    let listing = |args: &[&str]| -> Vec<String> {
        let text = stdout(args);
        text.lines().filter(|l| l.starts_with('\t')).map(|l| l.split(" <").next().unwrap_or(l).to_string()).collect()
    };
    let whole = listing(&["disasm", V5, "--kernel", "table"]);
    // Both symbol tables may have `look_up`: value 0x2ad0, 88 bytes.
    let entry: Vec<u8> = [0x2ad0u64, 88].iter().flat_map(|n| n.to_le_bytes()).collect();
    let table = whole.iter().find_map(|l| l.split("// ").nth(1)?.split(':').next().map(|a| u64::from_str_radix(a, 16).unwrap())).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 16).filter(|at| bytes[*at..at + 16] == entry).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at - 4] &= 0xf0; // STT_NOTYPE
        bytes[at..at + 8].copy_from_slice(&(table + 4).to_le_bytes());
        bytes[at + 8..at + 16].fill(0);
    }
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/inner.hsaco");
    std::fs::write(path, &bytes).unwrap();
    assert!(stdout(&["disasm", path, "--kernel", "table"]).contains("<look_up>:"));
    assert_eq!(listing(&["disasm", path, "--kernel", "table"]), whole);
    // A label is not a function: what it names goes on to the next one.
    assert!(listing(&["disasm", path, "--kernel", "look_up"]).starts_with(&whole[1..]));
}

// What has no end, no contents or no size that could be read.
#[test]
fn files_that_are_none_end_with_an_error() {
    let endless = "does not end after";
    for command in ["info", "disasm", "lift", "emit", "plan", "asm"] {
        assert!(failure(&[command, "/dev/zero"]).contains(endless), "{command}");
    }
    assert!(failure(&["run", "/dev/zero", "--grid", "1"]).contains(endless));
    assert!(failure(&["disasm", "--raw", "/dev/zero"]).contains(endless));
    assert!(failure(&["disasm", "--hex", "/dev/zero"]).contains(endless));
    for arg in ["buf:bin=/dev/zero", "buf:npy=/dev/zero", "image=/dev/zero", "bvh=/dev/zero"] {
        assert!(failure(&["run", V5, "--grid", "1", "--arg", arg]).contains(endless), "{arg}");
    }
    let folder = env!("CARGO_TARGET_TMPDIR");
    let (fifo, sparse) = (format!("{folder}/nobody.fifo"), format!("{folder}/sparse"));
    let _ = std::fs::remove_file(&fifo);
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::fs::File::create(&sparse).and_then(|f| f.set_len(1 << 40)).unwrap();
    for command in ["info", "disasm"] {
        assert!(failure(&[command, folder]).contains("is a directory"));
        assert!(failure(&[command, &fifo]).contains("found nothing"));
        assert!(failure(&[command, &sparse]).contains("has 1099511627776 bytes; at most"));
    }
    std::fs::remove_file(&sparse).unwrap();
}

#[test]
fn lift_and_emit_show_the_stages() {
    let ir = stdout(&["lift", V5, "--kernel", "scale"]);
    assert!(ir.starts_with("func \"scale\" wave32 {"), "{ir}");
    let optimized = stdout(&["lift", V5, "--kernel", "scale", "--optimized"]);
    assert!(optimized.len() < ir.len());
    assert!(stdout(&["emit", V5, "--kernel", "scale", "--isa", "portable"]).contains("function"));
    // Printed wherever it runs: each group of instructions under the guest address it stands for.
    let wide = stdout(&["emit", V5, "--kernel", "scale", "--isa", "avx512"]);
    assert!(wide.contains("; 0x") && wide.contains("%zmm") && wide.contains("ret"), "{wide}");
    let narrower = stdout(&["emit", V5, "--kernel", "scale", "--isa", "avx2"]);
    assert!(narrower.contains("; 0x") && narrower.contains("%ymm") && !narrower.contains("%zmm"), "{narrower}");
}

// v0 = v1 + v2: two registers a row of 32 lanes in AVX-512 (four in AVX2), two operands each; the row is written back.
#[test]
fn plan_shows_where_operands_are() {
    let plan = |isa| stdout(&["plan", "--asm", "v_add_f32 v0, v1, v2", "--wave", "32", "--isa", isa]);
    let wide = plan("avx512");
    assert!(wide.starts_with("plan of code: AVX-512, 2 registers a row; "), "{wide}");
    assert!(wide.contains("  0x0 v_add_f32_e32 v0, v1, v2\n") && wide.contains("= fadd.32 ") && wide.contains("writes v0; "), "{wide}");
    let sum = wide.lines().find(|line| line.contains("fadd.32")).unwrap();
    assert!(sum.contains(" = v1.0; ") && sum.contains(" v2.0 ") && sum.contains(" v2.1; makes zmm"), "{sum}");
    assert!(plan("avx2").starts_with("plan of code: AVX2, 4 registers a row; "));
    let kernel = stdout(&["plan", V5, "--kernel", "scale", "--isa", "avx512", "--group", "64"]);
    assert!(kernel.starts_with("plan of scale: ") && kernel.contains("\naccesses, in a row: "), "{kernel}");
    let refused = failure(&["plan", V5, "--kernel", "scale", "--isa", "portable"]);
    assert!(refused.contains("AVX-512 and AVX2 only"), "{refused}");
}

// One instruction, each way to give it. Encodings: llvm-mc-19 -show-encoding with the same -mcpu.
#[test]
fn lift_and_emit_take_a_few_instructions() {
    let lifted = stdout(&["lift", "--asm", "v_add_f32 v0, v1, v2", "--mcpu", "gfx1100"]);
    assert!(lifted.contains("fadd.32") && lifted.contains("vset v0") && lifted.contains("func \"code\" wave32 {"), "{lifted}");
    assert!(!lifted.contains("fail"), "what does not end is ended: {lifted}");
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/v_add_f32.bin");
    std::fs::write(file, [0x01, 0x05, 0x00, 0x06]).unwrap();
    for code in [&["--hex", "06000501"][..], &["--hex", "01 05 00 06 // v_add_f32"], &["--raw", file]] {
        assert_eq!(stdout(&[&["lift", "--mcpu", "gfx1100"], code].concat()), lifted, "{code:?}");
        assert_eq!(stdout(&[&["disasm"], code].concat()).split('\t').next().unwrap().trim(), "v_add_f32_e32 v0, v1, v2");
    }
    assert_eq!(with_input(&["lift", "--hex", "-"], b"06000501\n"), lifted);
    // Another family encodes it otherwise and has 64 lanes unless told.
    assert!(stdout(&["lift", "--asm", "v_add_f32 v0, v1, v2", "--mcpu", "gfx900"]).contains("func \"code\" wave64 {"));
    assert!(stdout(&["lift", "--raw", file, "--wave", "64"]).contains("func \"code\" wave64 {"));
    // Nobody reads v0, but it is what was asked for.
    for source in ["v_add_f32 v0, v1, v2; v_mov_b32 v3, v0", "v_add_f32 v0, v1, v2\nv_mov_b32 v3, v0 // twice"] {
        let optimized = stdout(&["lift", "--asm", source, "--optimized"]);
        assert!(optimized.contains("fadd.32") && optimized.contains("vset v0") && optimized.contains("vset v3"), "{optimized}");
    }
    let emit = |isa| stdout(&["emit", "--asm", "v_add_f32 v0, v1, v2", "--mcpu", "gfx1100", "--isa", isa]);
    let host = emit("portable");
    assert!(host.contains("; region of b0") && host.contains("fadd"), "{host}");
    assert!(emit("avx512").contains("vaddps") && emit("avx2").contains("vaddps"));
    let listing = stdout(&["disasm", "--asm", "v_add_f32 v0, v1, v2; s_endpgm", "--mcpu", "gfx1100"]);
    assert_eq!(listing, "v_add_f32_e32 v0, v1, v2\t// 00000000: 06000501\ns_endpgm\t// 00000004: BFB00000\n");
}

#[test]
fn mistakes_in_a_few_instructions_are_named() {
    for command in ["lift", "emit", "plan", "disasm"] {
        let message = |args: &[&str]| failure(&[&[command], args].concat());
        let wrong = message(&["--asm", "s_nop 0; v_ad_f32 v0, v1, v2", "--mcpu", "gfx1100"]);
        assert!(
            wrong.contains("--asm: ") && wrong.contains("line 2") && wrong.contains("`v_ad_f32` is not an instruction of gfx1100"),
            "{wrong}"
        );
        let neither = message(&["--hex", "no-such-file"]);
        assert!(neither.contains("`no-such-file` is not hexadecimal") && neither.contains("nor is there a file of this name"), "{neither}");
        assert!(message(&["--hex", "7e040201", "--asm", "s_nop 0"]).contains("cannot be used with"));
        assert!(message(&[V5, "--mcpu", "gfx900"]).contains("cannot be used with"));
        assert!(message(&["--asm", "s_nop 0", "--kernel", "scale"]).contains("cannot be used with"));
        assert!(message(&["--asm", "s_nop 0", "--wave", "16"]).contains("32 or 64"));
        assert!(message(&["--asm", "s_nop 0", "--mcpu", "gfx9999"]).contains("gfx9999"));
    }
    for command in ["lift", "emit", "plan"] {
        assert!(failure(&[command, "--hex", "7e0402"]).contains("3 bytes of code: expected one or more whole dwords"));
        assert!(failure(&[command, "--asm", "// nothing"]).contains("0 bytes of code"));
    }
    // Lifting does not fail: what is not an instruction is an error where it is reached.
    assert!(stdout(&["lift", "--hex", "ffffffff"]).contains("fail"));
}

/// `run` of a kernel of `small-v5.hsaco`, with these further arguments.
fn run<'a>(kernel: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&["run", V5, "--kernel", kernel][..], rest].concat()
}

#[test]
fn run_prints_results() {
    let args =
        ["--grid", "100", "--group", "64", "--arg", "buf:fill=f32:-1*110", "--arg", "f32=0.5", "--arg", "u32=90", "--out", "0=-:f32"];
    let text = stdout(&run("scale", &args));
    let expected: String = (0..110).map(|i| format!("{}\n", if i < 90 { 0.5 * f64::from(i) } else { -1.0 })).collect();
    assert_eq!(text, expected);
    for more in [&["--engine", "interp"][..], &["--deterministic"], &["--threads", "3"], &["--repeat", "2", "--time", "--wave-stats"]] {
        assert_eq!(stdout(&run("scale", &[&args, more].concat())), expected, "{more:?}");
    }
}

// 100 work-items are four waves, the last of 4 lanes; of 90 that pass the test the last wave has none and skips the rest.
#[test]
fn run_counts_every_instruction() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/scale.json");
    let args = ["--grid", "100", "--group", "64", "--arg", "buf:fill=f32:-1*110", "--arg", "f32=0.5", "--arg", "u32=90"];
    let to_file = format!("--profile={file}");
    let table = stdout(&run("scale", &[&args[..], &[&to_file]].concat()));
    assert!(table.starts_with("profile of kernel `scale`: "), "{table}");
    let line = |text: &str| table.lines().find(|l| l.contains(text)).unwrap_or_else(|| panic!("no {text}: {table}"));
    assert!(line("  s_clause 0x1").starts_with(">            4  "), "{table}");
    assert!(line("global_store_b32").starts_with("             3  ") && line("global_store_b32").contains("  93.8%  "), "{table}");
    let json = std::fs::read_to_string(file).unwrap();
    assert!(json.contains("\"kernel\": \"scale\"") && json.contains("\"executions\": 3,\n      \"active_lanes\": 90\n"), "{json}");
    for more in [&["--engine", "interp"][..], &["--threads", "3"]] {
        assert_eq!(stdout(&run("scale", &[&args[..], &["--profile"], more].concat())), table, "{more:?}");
    }
    // What a launch did before it failed is printed, too.
    let out = wavejit(&run("scale", &["--grid", "100000", "--arg", "buf:zero=64", "--arg", "f32=1", "--arg", "u32=90000", "--profile"]));
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stdout).contains("global_store_b32"));
}

#[test]
fn run_applies_relocations_and_lays_out_lds() {
    let table = run("table", &["--grid", "6", "--arg", "buf:fill=u32:0*6", "--arg", "u32=1", "--out", "0=-"]);
    assert_eq!(stdout(&table), "1\n4\n9\n16\n1\n4\n");
    let args = ["--grid", "8", "--group", "4", "--arg", "buf:count=u32:8", "--arg", "lds=16", "--out", "0=-"];
    assert_eq!(stdout(&run("reverse", &args)), "3\n2\n1\n0\n7\n6\n5\n4\n");
}

#[test]
fn run_reads_and_writes_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let (npy, bin, png) = (path("run.npy"), path("run.bin"), path("run.png"));
    let outs = [format!("0={npy}:u32:2x4"), format!("0={bin}"), format!("0={png}:4x2")];
    let mut args = run("reverse", &["--grid", "8", "--group", "8", "--arg", "buf:count=u32:8", "--arg", "lds=32"]);
    outs.iter().for_each(|o| args.extend(["--out", o]));
    stdout(&args);
    let bytes: Vec<u8> = (0..8u32).rev().flat_map(u32::to_le_bytes).collect();
    assert_eq!(std::fs::read(&bin).unwrap(), bytes);
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    // Once more through the file: reversed twice.
    let arg = format!("buf:npy={npy}");
    let text = stdout(&run("reverse", &["--grid", "8", "--group", "8", "--arg", &arg, "--arg", "lds=32", "--out", "0=-"]));
    assert_eq!(text, "0\n1\n2\n3\n4\n5\n6\n7\n");
}

#[test]
fn run_refuses_what_cannot_be() {
    let scale = |rest: &[&str]| failure(&run("scale", rest));
    let buffer = ["--arg", "buf:zero=64", "--arg", "f32=1"];
    assert!(scale(&[&["--grid", "1"], &buffer[..]].concat()).contains("expected 3 arguments (0: float*, 1: float, 2: uint), got 2"));
    let with_n = |grid: &[&str]| scale(&[grid, &buffer, &["--arg", "u32=4000000000"]].concat());
    assert!(with_n(&["--grid", "0"]).contains("at least 1"));
    assert!(with_n(&["--grid", "4294967296"]).contains("4294967296"));
    assert!(with_n(&["--grid", "4294967295,4294967295,4294967295"]).contains("at most"));
    assert!(with_n(&["--grid", "64", "--group", "512"]).contains("256"));
    let fault = with_n(&["--grid", "100000"]);
    assert!(fault.contains("scale") && fault.contains("global_store_b32") && fault.contains("not mapped"), "{fault}");
    let wrong = ["--grid", "1", "--arg", "buf:zero=64", "--arg", "f64=1", "--arg", "u32=1"];
    assert!(scale(&wrong).contains("argument 1 (float): expected 4 bytes, got 8 of f64: `float` is one f32: give f32"));
    assert!(failure(&["run", V5, "--grid", "1"]).contains("scale, where_am_i, reverse, table"));
    assert!(scale(&[&["--grid", "1", "--out", "1=-"], &buffer[..]].concat()).contains("argument 1 is neither buffer nor image"));
}

// The kernel is `scale(global float *, float, uint)`.
#[test]
fn types_of_arguments_are_those_of_the_kernel() {
    let scale = |args: [&str; 3], more: &[&str]| {
        let args: Vec<&str> = args.iter().flat_map(|a| ["--arg", *a]).chain(["--grid", "1"]).chain(more.iter().copied()).collect();
        let out = wavejit(&run("scale", &args));
        (out.status.success(), String::from_utf8(out.stderr).unwrap())
    };
    let refused = |args, expected: &str| {
        let (ran, message) = scale(args, &[]);
        assert!(!ran && message.contains(expected), "{args:?}: {message}");
    };
    assert_eq!(scale(["buf:fill=f32:0*9", "f32=1", "u32=1"], &[]), (true, String::new()));
    assert_eq!(scale(["buf:zero=36", "f32=1", "i32=1"], &[]), (true, String::new()), "zeros are of any type, and signs are not compared");
    let doubles = "kernel `scale`, argument 0 (float*): `float*` points to f32, but the buffer is of f64: give f32 (--untyped passes";
    refused(["buf:fill=f64:0*9", "f32=1", "u32=1"], doubles);
    refused(["buf:count=i32:9", "f32=1", "u32=1"], "`float*` points to f32, but the buffer is of i32");
    refused(["buf:zero=36", "i32=1", "u32=1"], "kernel `scale`, argument 1 (float): expected f32, got i32: `float` is one f32: give f32");
    refused(["buf:zero=36", "f32=1", "f32=1"], "argument 2 (uint): expected u32, got f32");
    refused(["f32=1", "f32=1", "u32=1"], "argument 0 (float*): expected 8 bytes, got 4: it is a pointer, so give a buffer");
    refused(["buf:zero=36", "buf:zero=4", "u32=1"], "argument 1 (float): expected 4 bytes by value, got a pointer of 8");
    for args in [["buf:fill=f64:0*9", "f32=1", "u32=1"], ["buf:zero=36", "i32=1", "u32=1"]] {
        assert_eq!(scale(args, &["--untyped"]), (true, String::new()));
    }
    assert!(!scale(["buf:zero=36", "f64=1", "u32=1"], &["--untyped"]).0, "sizes are compared always");
}

// HIP's metadata has no types; one line says so.
#[test]
fn where_the_code_object_names_no_types_only_sizes_are_compared() {
    let code = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/bin/hip_saxpy.gfx1100.wave32.hsaco");
    let saxpy = |a: &str| {
        let rest = ["--grid", "128", "--group", "128", "--arg", "buf:zero=512", "--arg", "buf:fill=f64:1*64", "--arg", a, "--arg", "i32=0"];
        wavejit(&[&["run", code, "--kernel", "hip_saxpy"][..], &rest].concat())
    };
    let out = saxpy("f32=2");
    assert!(out.status.success());
    let note = "note: the code object does not name the types of arguments 1, 2, 3: only sizes were compared\n";
    assert_eq!(String::from_utf8_lossy(&out.stderr), note);
    let message = String::from_utf8_lossy(&saxpy("f64=2").stderr).into_owned();
    assert!(
        message.contains("argument 2 (by_value of 4 bytes): expected 4 bytes, got 8 (the code object does not say of which type)"),
        "{message}"
    );
}

#[test]
fn hidden_arguments_that_nobody_provides_are_refused_by_name() {
    let data = |name: &str| format!("{}/../tests/data/{name}.hsaco", env!("CARGO_MANIFEST_DIR"));
    let run = |file: &str, kernel: &str, more: &[&str]| {
        let out = wavejit(&[&["run", &data(file), "--kernel", kernel, "--grid", "1", "--arg", "buf:fill=u64:9*8"][..], more].concat());
        (out.status.success(), String::from_utf8(out.stderr).unwrap())
    };
    for (file, kernel, more, named) in [
        ("prints", "prints", &["--untyped"][..], "hidden_printf_buffer (for printf)"),
        ("hidden-v5", "multigrid", &[], "hidden_multigrid_sync_arg (for a cooperative launch)"),
        ("hidden-v5", "queue", &[], "hidden_default_queue (for enqueue_kernel)"),
    ] {
        let (ran, message) = run(file, kernel, more);
        assert!(!ran && message.contains(&format!("kernel `{kernel}` uses {named}, which is not provided")), "{message}");
        let (ran, message) = run(file, kernel, &[more, &["--allow-missing"]].concat());
        assert!(!ran && message.contains("memory fault") && message.contains("are 0, for nobody provides them: hidden_"), "{message}");
    }
    for (file, kernel) in [("prints", "quiet"), ("hidden-v5", "asks"), ("hidden-v5", "sizes")] {
        assert!(run(file, kernel, &["--untyped"]).0, "{kernel}");
    }
    for (file, kernel, more) in
        [("hidden-v5", "hostcall", &[][..]), ("hidden-v5", "heap", &["--arg", "i32=1"]), ("hidden-O0", "heap", &["--arg", "i32=1"])]
    {
        assert!(run(file, kernel, more).0, "{file} {kernel}: this is provided");
    }
    // Without optimization, what the code does with an address is not seen before it does it.
    let (ran, message) = run("hidden-O0", "queue", &[]);
    assert!(!ran && message.contains("memory fault") && message.contains("hidden_default_queue (for enqueue_kernel)"), "{message}");
    assert!(run("hidden-v5", "unknown", &["--arg", "buf:zero=16"]).0, "what could be called is not called");
}

// Standard error is a pipe here, and no report may get into standard output.
#[test]
fn a_run_that_takes_long_says_what_its_waves_do() {
    let code = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/bin/faults.gfx1100.wave32.hsaco");
    let args = ["run", code, "--kernel", "endless_loop", "--grid", "128", "--group", "64", "--arg", "buf:zero=4", "--patience", "0.2"];
    let mut command = command();
    let mut child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let report: Vec<String> = lines.by_ref().take(3).collect();
    let again = lines.next().unwrap();
    child.kill().unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.stdout.is_empty());
    assert!(report[0].starts_with("still running after ") && again.starts_with("still running after "), "{report:?} {again}");
    assert!(report[0].contains("kernel `endless_loop`, 0 of 2 workgroups done, ") && report[0].contains("waves running, "), "{report:?}");
    assert!(report[1].starts_with("  a wave is at kernel `endless_loop`+0x"), "{report:?}");
    assert!(report[1].contains("workgroup (") && report[1].contains(": `s_"), "{report:?}");
    assert!(report[2].contains("--max-insts N"), "{report:?}");
    assert!(failure(&["run", code, "--kernel", "trapping", "--grid", "1", "--patience", "soon"]).contains("not a number of seconds"));
}

#[test]
fn images_go_in_and_out_as_pictures() {
    let file = |name: &str| format!("{}/{name}.png", env!("CARGO_TARGET_TMPDIR"));
    let run = |kernel: &str, args: &[&str]| {
        let code = format!("{}/../../shaders/bin/{kernel}.gfx1100.wave32.hsaco", env!("CARGO_MANIFEST_DIR"));
        let common = ["run", &code, "--kernel", kernel, "--grid", "32,32", "--group", "8,8"];
        wavejit(&[&common, args].concat())
    };
    let (tiles, copy) = (file("tiles"), file("copy"));
    let paint = |out: &str| run("image_paint", &["--arg", "image:new=32x32", "--arg", "i32=4", "--out", out]);
    assert!(paint(&format!("0={tiles}")).status.success());
    let (from, to) = (format!("image={tiles}:levels"), format!("2={copy}"));
    let args = ["--arg", &from, "--arg", "sampler=point", "--arg", "image:new=32x32:linear", "--arg", "f32=0", "--out", &to];
    assert!(run("image_swirl", &args).status.success());
    assert_eq!(std::fs::read(&tiles).unwrap(), std::fs::read(&copy).unwrap(), "a turn by nothing is a copy");
    let message = |out: Output| String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(message(run("image_swirl", &["--arg", "sampler=nearest"])).contains("`nearest` says nothing about a sampler"));
    assert!(message(run("image_paint", &["--arg", "image:new=32"])).contains("expected WxH"));
    assert!(message(paint("1=x.png")).contains("argument 1 is neither buffer nor image"));
}

#[test]
fn mistakes_are_named() {
    assert!(failure(&["info", "/no/such/file"]).contains("/no/such/file"));
    assert!(failure(&["info", env!("CARGO_MANIFEST_PATH")]).contains("Cargo.toml: not a code object"));
    assert!(failure(&["info", V5, "--kernel", "nope"]).contains("scale, where_am_i, reverse, table"));
    assert!(failure(&["info", V5, "--target", "gfx1200"]).contains("gfx1200"));
    assert!(failure(&["info", BUNDLE, "--target", "gfx906"]).contains("hipv4-amdgcn-amd-amdhsa--gfx1100"));
    assert!(failure(&["lift", V5]).contains("--kernel"));
    assert!(failure(&["lift", V5, "--kernel", "look_up"]).contains("look_up"));
    assert!(failure(&["disasm", "--mcpu", "gfx9999", "--hex", "-"]).contains("gfx9999"));
    assert!(failure(&["disasm", V5, "--wave", "16"]).contains("32 or 64"));
    assert!(failure(&["disasm"]).contains("required"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = command().args(["emit", V5, "--kernel", "table"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
