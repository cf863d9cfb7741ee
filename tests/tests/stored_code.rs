//! Translations in files (`Device::keep_code_in`): what one device compiled another loads, and it does the same; what is not whole, or not
//! what is looked for, is compiled anew.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use wavejit::{Arg, CodeStats, Device, DeviceConfig, Engine, Error, Launch};
use wavejit_jit::emit::Isa;
use wavejit_tests::case::{Case, Setting, device};
use wavejit_tests::peers::{PEERS, Size};
use wavejit_tests::reference::{self, KERNELS};

/// A directory of its own, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("wavejit-stored-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        Directory(path)
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(&self.0).unwrap().map(|f| f.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Is there a back end whose code can be kept?
fn is_kept() -> bool {
    Isa::Best.is_wide()
}

fn new_device(directory: &Path) -> Device {
    let device = device(Setting { engine: Engine::Jit, threads: 1 }).unwrap();
    device.keep_code_in(directory).unwrap();
    device
}

/// Runs a case on a new device.
fn run(case: &Case, wave: u32, directory: &Path) -> (Vec<Vec<u8>>, CodeStats) {
    let device = new_device(directory);
    let module = case.module(&device, wave).unwrap();
    let after = case.run_on(&device, &module).unwrap_or_else(|e| panic!("{} wave{wave}: {e}", case.kernel));
    case.check(&after).unwrap_or_else(|e| panic!("{} wave{wave}: {e}", case.kernel));
    (after, device.code_stats())
}

/// Runs it twice: the second time nothing is compiled that can be loaded. Says whether anything was.
fn loaded_code_does_the_same(case: &Case, wave: u32, directory: &Path) -> bool {
    let (first, made) = run(case, wave, directory);
    let (second, found) = run(case, wave, directory);
    assert!(first == second, "{} wave{wave}: loaded code differs", case.kernel);
    assert_eq!(found.compiled + found.loaded, made.compiled + made.loaded, "{} wave{wave}", case.kernel);
    found.loaded != 0
}

#[test]
fn loaded_code_of_every_kernel_does_what_compiled_code_does() {
    let directory = Directory::new("all");
    let mut loaded = vec![];
    for peer in PEERS {
        if loaded_code_does_the_same(&peer.case(Size::Small), 32, &directory.0) {
            loaded.push(peer.name);
        }
    }
    for (name, waves, _) in KERNELS {
        let (_, _, make) = reference::find(name).unwrap();
        for wave in *waves {
            if loaded_code_does_the_same(&make(*wave), *wave, &directory.0) {
                loaded.push(name);
            }
        }
    }
    // Only what asks for images and buffers cannot be kept.
    assert!(!is_kept() || loaded.len() > 100, "{} of them: {loaded:?}", loaded.len());
}

#[test]
fn a_fault_in_loaded_code_says_the_same() {
    let directory = Directory::new("fault");
    let code = wavejit_tests::code_object("triad.gfx1100.wave32.hsaco");
    let fault = || {
        let device = new_device(&directory.0);
        let a = device.alloc(4000).unwrap();
        // The second buffer is nowhere.
        let args = [Arg::Buffer(&a), Arg::Buffer(&a), Arg::U64(0xdead_0000), Arg::F32(3.0), Arg::I32(1000)];
        let kernel = device.load(&code).unwrap().kernel("triad").unwrap();
        let error = kernel.launch(&Launch::new([1000, 1, 1], [256, 1, 1], &args)).unwrap_err();
        assert!(matches!(error, Error::Fault(_)), "{error}");
        (error.to_string(), device.code_stats())
    };
    let (compiled, _) = fault();
    let (loaded, stats) = fault();
    assert_eq!(stats.loaded, u64::from(is_kept()));
    assert_eq!(compiled, loaded);
}

#[test]
fn damaged_files_are_made_again() {
    let directory = Directory::new("damage");
    let case = PEERS.iter().find(|p| p.name == "axpy").unwrap().case(Size::Small);
    let (right, _) = run(&case, 32, &directory.0);
    if !is_kept() {
        return;
    }
    let [file] = &directory.files()[..] else { panic!("{:?}", directory.files()) };
    let whole = fs::read(file).unwrap();
    let damage = |bytes: &[u8], what: &str| {
        fs::write(file, bytes).unwrap();
        let (after, stats) = run(&case, 32, &directory.0);
        assert!(after == right, "{what}");
        assert_eq!((stats.compiled, stats.loaded), (1, 0), "{what}");
        assert!(fs::read(file).unwrap().len() == whole.len(), "{what}: it is whole again");
    };
    for at in (0..16).chain((16..whole.len()).step_by(whole.len() / 24)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        damage(&bytes, &format!("bit {} of byte {at}", at % 8));
    }
    for bytes in [0, 1, 8, 15, 16, 17, whole.len() / 2, whole.len() - 1] {
        damage(&whole[..bytes], &format!("{bytes} bytes left"));
    }
    damage(&[&whole[..], &[0]].concat(), "a byte too much");
}

#[test]
fn code_that_differs_behind_its_beginning_is_not_taken_for_the_other() {
    let directory = Directory::new("other");
    let code = |last: &str| {
        let source = format!("{} {last}\n s_endpgm", " v_mov_b32 v1, 7\n".repeat(2000));
        wavejit_isa::asm::assemble(&source, wavejit_isa::Gfx::GFX1100, 32).unwrap().bytes
    };
    let run = |last: &str| {
        use wavejit::code_object::PgmRsrc;
        use wavejit::wave_init::{RawInit, WaveInit};
        let device = new_device(&directory.0);
        let out = device.alloc(4).unwrap();
        let program = device.program(&code(last), wavejit_isa::Gfx::GFX1100).unwrap();
        let raw = RawInit {
            target: wavejit_isa::Gfx::GFX1100,
            wave_size: 32,
            entry: program.range().0,
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12 | 2, rsrc2: 2 << 1, rsrc3: 0 },
            user_data: &[out.address() as u32, (out.address() >> 32) as u32],
            scratch_bytes: 0,
        };
        let config = wavejit::LaunchConfig::new([1; 3], [1; 3]);
        program.run(&wavejit::CodeLaunch { name: "other", code: program.range(), init: WaveInit::raw(&raw), config }).unwrap();
        (out.to_vec().unwrap()[0], device.code_stats().loaded)
    };
    let store = |n: u32| format!("v_mov_b32 v1, {n}\n v_mov_b32 v2, 0\n global_store_b32 v2, v1, s[0:1]");
    assert_eq!(run(&store(1)), (1, 0));
    assert_eq!(run(&store(2)), (2, 0));
    assert_eq!(run(&store(2)), (2, u64::from(is_kept())));
}

#[test]
fn directories_that_others_may_write_to_are_refused() {
    let directory = Directory::new("others");
    let device = Device::new(DeviceConfig { engine: Engine::Jit, ..Default::default() }).unwrap();
    fs::create_dir(&directory.0).unwrap();
    fs::set_permissions(&directory.0, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = device.keep_code_in(&directory.0).unwrap_err().to_string();
    assert!(refused.contains("others may write to it"), "{refused}");
    let file = directory.0.join("file");
    fs::write(&file, "").unwrap();
    assert!(device.keep_code_in(&file).is_err());
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let directory = Directory::new("killed");
    fs::create_dir(&directory.0).unwrap();
    fs::set_permissions(&directory.0, fs::Permissions::from_mode(0o700)).unwrap();
    let [old, new] = ["old", "new"].map(|name| directory.0.join(format!("{name}.1-0.part")));
    for path in [&old, &new] {
        fs::write(path, "half of it").unwrap();
    }
    fs::File::options().append(true).open(&old).unwrap().set_modified(SystemTime::now() - Duration::from_secs(7200)).unwrap();
    let case = PEERS.iter().find(|p| p.name == "axpy").unwrap().case(Size::Small);
    run(&case, 32, &directory.0);
    if is_kept() {
        assert!(!old.exists() && new.exists(), "{:?}", directory.files());
    }
}

#[test]
fn a_directory_that_is_gone_costs_nothing_but_the_gain() {
    let directory = Directory::new("gone");
    let device = new_device(&directory.0);
    fs::remove_dir_all(&directory.0).unwrap();
    let case = PEERS.iter().find(|p| p.name == "axpy").unwrap().case(Size::Small);
    let after = case.run_on(&device, &case.module(&device, 32).unwrap()).unwrap();
    case.check(&after).unwrap();
}
