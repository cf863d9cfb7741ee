//! What must not work: each bad input gives an error of the right class with a message that names what is wrong, and neither a crash nor a
//! hang. Faults inside kernels are those of `shaders/faults.s`.

use std::sync::OnceLock;
use wavejit::{Arg, Device, Engine, Error, Kernel, Launch, LaunchConfig};
use wavejit_tests::case::{Setting, device};
use wavejit_tests::code_object;

/// Codes of the C ABI (`runtime/capi/include/wavejit.h`).
const ARG: i32 = -1;
const DECODE: i32 = -2;
const UNSUPPORTED: i32 = -3;
const MEMORY: i32 = -4;
const LIMIT: i32 = -5;
const TRAP: i32 = -7;

const ENGINES: [Engine; 3] = [Engine::Jit, Engine::Interp, Engine::Tiered];

fn open(engine: Engine) -> Device {
    device(Setting { engine, threads: 2 }).expect("a device")
}

fn triad() -> Vec<u8> {
    code_object("triad.gfx1100.wave32.hsaco")
}

/// Loads and takes the kernel; whichever step fails.
fn load(bytes: &[u8]) -> Result<(Device, Kernel), Error> {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    let device = DEVICE.get_or_init(|| open(Engine::Jit)).clone();
    let kernel = device.load(bytes)?.kernel("triad")?;
    Ok((device, kernel))
}

fn assert_error<T>(result: Result<T, Error>, code: i32, words: &[&str]) {
    let error = match result {
        Ok(_) => panic!("worked; expected code {code} and {words:?}"),
        Err(e) => e,
    };
    let text = error.to_string();
    assert_eq!(error.code(), code, "{text}");
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
}

#[test]
fn truncated_code_objects_are_refused_at_every_length() {
    let bytes = triad();
    for len in (0..bytes.len()).step_by(61) {
        // the section table at the end is not needed to run, so a cut there may pass
        if let Err(e) = load(&bytes[..len]) {
            assert_eq!(e.code(), ARG, "{len} bytes: {e}");
            assert!(!e.to_string().is_empty());
        } else {
            assert!(len > bytes.len() / 2, "{len} of {} bytes load", bytes.len());
        }
    }
    assert_error(load(&[]), ARG, &[]);
}

#[test]
fn flipped_bits_never_crash() {
    let bytes = triad();
    let mut loaded = 0;
    // every bit of the file header and program headers, and a sample of the rest
    for bit in (0..0x200 * 8).chain((0x200 * 8..bytes.len() * 8).step_by(131)) {
        let mut bad = bytes.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        loaded += usize::from(load(&bad).is_ok());
    }
    assert!(loaded > 0, "flips outside anything that is read leave a good file");
}

#[test]
fn another_machine_is_refused_by_name() {
    let mut bytes = triad();
    bytes[18] = 62; // EM_X86_64
    assert_error(load(&bytes), ARG, &["62"]);
}

#[test]
fn an_unknown_processor_is_refused() {
    let mut bytes = triad();
    bytes[48] = 0xfe; // EF_AMDGPU_MACH
    let error = load(&bytes).err().expect("refused");
    assert!([ARG, UNSUPPORTED].contains(&error.code()), "{error}");
}

#[test]
fn a_missing_kernel_is_named_with_those_there_are() {
    let device = open(Engine::Jit);
    let module = device.load(&triad()).expect("loads");
    assert_error(module.kernel("quadrad"), ARG, &["quadrad", "triad"]);
}

#[test]
fn argument_lists_must_fit() {
    let (device, kernel) = load(&triad()).expect("loads");
    let buffer = device.alloc(4096).expect("memory");
    let (a, n) = (1f32.to_le_bytes(), 16u32.to_le_bytes());
    let all = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::bytes(&a), Arg::bytes(&n), Arg::bytes(&n)];
    let launch = |args: &[Arg<'_>]| kernel.launch(&Launch::new([16, 1, 1], [16, 1, 1], args));
    launch(&all[..5]).expect("five arguments are right");
    assert_error(launch(&all[..4]), ARG, &["triad"]);
    assert_error(launch(&all[..0]), ARG, &["triad"]);
    assert_error(launch(&all), ARG, &["triad"]);
    let wide = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::bytes(&[0; 8]), Arg::bytes(&n)];
    assert_error(launch(&wide), ARG, &["triad", "8"]);
}

#[test]
fn grids_and_groups_must_be_possible() {
    let (device, kernel) = load(&triad()).expect("loads");
    let buffer = device.alloc(4096).expect("memory");
    let (a, n) = (1f32.to_le_bytes(), 16u32.to_le_bytes());
    let args = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::bytes(&a), Arg::bytes(&n)];
    let launch = |grid, group| kernel.launch(&Launch::new(grid, group, &args));
    assert_error(launch([0, 1, 1], [16, 1, 1]), ARG, &["grid"]);
    assert_error(launch([16, 1, 0], [16, 1, 1]), ARG, &["grid"]);
    assert_error(launch([16, 1, 1], [0, 1, 1]), ARG, &["group"]);
    assert_error(launch([512, 1, 1], [512, 1, 1]), ARG, &["group", "256"]); // what the compiler assumed
    assert_error(launch([1, 1, 1], [65536, 65536, 65536]), ARG, &["group"]);
    assert_error(launch([u32::MAX; 3], [256, 1, 1]), ARG, &["grid"]);
    launch([1, 1, 1], [256, 1, 1]).expect("a workgroup larger than the grid is partial");
}

#[test]
fn a_required_workgroup_size_is_enforced() {
    let device = open(Engine::Jit);
    let module = device.load(&code_object("scan_block.gfx1100.wave32.hsaco")).expect("loads");
    let kernel = module.kernel("scan_block").expect("there");
    let buffer = device.alloc(1 << 16).expect("memory");
    let n = 16u32.to_le_bytes();
    let args = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::bytes(&n)];
    let launch = Launch::new([512, 1, 1], [256, 1, 1], &args);
    assert_error(kernel.launch(&launch), ARG, &["512"]);
}

/// Runs a kernel of `faults.s` with one buffer of 1 KiB, 64 work-items in one workgroup.
fn fault(name: &str, engine: Engine, max_insts: u64) -> Result<Vec<u8>, Error> {
    let device = open(engine);
    let module = device.load(&code_object("faults.gfx1100.wave32.hsaco"))?;
    let buffer = device.upload(&[0; 1024])?;
    let args = [Arg::Buffer(&buffer)];
    module.kernel(name)?.launch(&Launch {
        args: &args,
        config: LaunchConfig { max_insts, ..LaunchConfig::new([64, 1, 1], [64, 1, 1]) },
        ..Default::default()
    })?;
    let mut bytes = vec![0; 1024];
    buffer.read(0, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn faults_name_kernel_and_place() {
    for engine in ENGINES {
        for (name, code, words) in [
            ("unknown_instruction", DECODE, "fe000001"),
            ("wild_store", MEMORY, "lane 5"),
            ("wild_scalar_load", MEMORY, "0x1000"),
            ("misaligned_atomic", MEMORY, "align"),
            ("misaligned_lds_atomic", MEMORY, "align"), // LDS-06
            ("wild_jump", MEMORY, "0x10"),
            ("trapping", TRAP, "2"),
            ("shading", UNSUPPORTED, "ds_add_gs_reg_rtn"),
            ("wild_buffer_load", MEMORY, "buffer_load_b32 v4, v3, s[4:7], 0 offen`), workgroup (0, 0, 0), wave 0, lane 5: address"),
            ("misaligned_buffer_atomic", MEMORY, "align"), // BUF-23
            ("buffer_of_blocks", UNSUPPORTED, "format"),
        ] {
            assert_error(fault(name, engine, 1_000_000), code, &[name, words]);
        }
    }
}

#[test]
fn endless_loops_end_with_their_budget() {
    for engine in ENGINES {
        assert_error(fault("endless_loop", engine, 100_000), LIMIT, &["endless_loop"]);
    }
}

#[test]
fn waves_that_wait_for_each_other_end_with_their_budget() {
    for engine in ENGINES {
        assert_error(fault("barrier_deadlock", engine, 100_000), LIMIT, &["barrier_deadlock"]);
    }
}

#[test]
fn lds_out_of_range_reads_zero_and_drops_stores() {
    // LDS-01, LDS-02
    for engine in ENGINES {
        let bytes = fault("lds_out_of_range", engine, 0).expect("no fault");
        assert!(bytes[..256].chunks(4).all(|w| w == [0x44, 0x33, 0x22, 0x11]), "{engine:?}");
    }
}

#[test]
fn a_device_works_after_a_fault() {
    let device = open(Engine::Jit);
    let faults = device.load(&code_object("faults.gfx1100.wave32.hsaco")).expect("loads");
    let buffer = device.upload(&[0; 1024]).expect("memory");
    let args = [Arg::Buffer(&buffer)];
    let launch = Launch::new([6400, 1, 1], [64, 1, 1], &args);
    assert_error(faults.kernel("wild_store").expect("there").launch(&launch), MEMORY, &[]);
    let case = wavejit_tests::reference::stream::triad(32);
    let module = case.module(&device, 32).expect("loads");
    let after = case.run_on(&device, &module).expect("runs");
    case.check(&after).expect("right");
}
