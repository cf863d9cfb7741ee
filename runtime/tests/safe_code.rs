//! What code without `unsafe` may try on a device of its own: whatever it hands in, it gets an error (or a result), and nothing outside guest
//! memory is read or written. What must not even compile is in the documentation of `Device::shared`, `Device::memory` and the crate.
#![forbid(unsafe_code)]

use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Arg, Buffer, CodeLaunch, Device, DeviceConfig, DispatchStats, Engine, Error, Kernel, Launch, LaunchConfig};
use wavejit_isa::{Gfx, assemble};

const ENGINES: [Engine; 3] = [Engine::Interp, Engine::Jit, Engine::Tiered];

/// Host memory that must stay as it is.
struct Victim(Vec<u8>);

impl Victim {
    fn new() -> Victim {
        Victim(vec![0x5a; 4096])
    }

    fn address(&self) -> u64 {
        self.0.as_ptr().addr() as u64
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        assert!(std::thread::panicking() || self.0.iter().all(|b| *b == 0x5a), "host memory was written");
    }
}

fn device(engine: Engine) -> Device {
    Device::new(DeviceConfig { engine, threads: 2, ..Default::default() }).unwrap()
}

/// A device with code that stores 7 to s[0:1], and a launch of one wave of it.
struct Setup {
    device: Device,
    code: Buffer,
    init: WaveInit,
}

impl Setup {
    fn new(engine: Engine, to: u64) -> Setup {
        let device = device(engine);
        let text = "v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 7\nglobal_store_b32 v1, v2, s[0:1]\ns_endpgm";
        let code = device.upload(&assemble(text, Gfx::GFX1100, 32).unwrap().bytes).unwrap();
        let init = WaveInit::raw(&RawInit {
            target: Gfx::GFX1100,
            wave_size: 32,
            entry: code.address(),
            rsrc: PgmRsrc { rsrc1: 0xf0 << 12, rsrc2: 2 << 1, rsrc3: 0 },
            user_data: &[to as u32, (to >> 32) as u32],
            scratch_bytes: 0,
        });
        Setup { device, code, init }
    }

    fn range(&self) -> (u64, u64) {
        (self.code.address(), self.code.address() + self.code.len() as u64)
    }

    fn launch(&self) -> CodeLaunch<'static> {
        let (code, init) = (self.range(), self.init.clone());
        CodeLaunch { name: "safe", code, init, config: LaunchConfig { max_insts: 1000, ..LaunchConfig::new([32, 1, 1], [32, 1, 1]) } }
    }
}

fn refused(result: Result<DispatchStats, Error>, word: &str) {
    match result {
        Err(e) if matches!(e.code(), -1 | -3 | -4) => assert!(e.to_string().contains(word), "no `{word}` in: {e}"),
        other => panic!("expected an error about {word}, got {other:?}"),
    }
}

#[test]
fn code_launches_of_any_shape_are_checked() {
    for engine in ENGINES {
        let victim = Victim::new();
        let out = Setup::new(engine, 0);
        let to = out.device.alloc(4 * 1024).unwrap();
        let s = Setup { init: WaveInit { sgprs: vec![to.address() as u32, (to.address() >> 32) as u32], ..out.init.clone() }, ..out };
        s.device.run_code(&s.launch()).unwrap();
        assert_eq!(to.to_vec().unwrap()[..4], [7, 0, 0, 0]);

        // Geometry
        for group in [[0, 1, 1], [1025, 1, 1], [32, 33, 1], [65536; 3], [u32::MAX; 3], [1024, 1024, 1], [1, 1, u32::MAX]] {
            refused(s.device.run_code(&CodeLaunch { config: LaunchConfig::new(group, group), ..s.launch() }), "work-items");
            refused(s.device.run_code(&CodeLaunch { config: LaunchConfig::new([32, 1, 1], group), ..s.launch() }), "work-items");
        }
        for grid in [[0, 1, 1], [u32::MAX; 3], [u32::MAX, u32::MAX, 1]] {
            refused(s.device.run_code(&CodeLaunch { config: LaunchConfig::new(grid, [1; 3]), ..s.launch() }), "at");
        }
        // Code
        let (start, end) = s.range();
        let host = victim.address() & !3;
        let codes = [
            (start, u64::MAX),
            (0, u64::MAX),
            (0, !3),
            (end, start),
            (start, start),
            (start + 1, end),
            (start, end - 1),
            (start, start + 4 * (1 << 40)),
            (host, host + 64),
            (u64::MAX - 3, u64::MAX),
        ];
        for code in codes {
            refused(s.device.run_code(&CodeLaunch { code, ..s.launch() }), "");
            let there = WaveInit { entry: code.0, ..s.init.clone() };
            refused(s.device.run_code(&CodeLaunch { code, init: there, ..s.launch() }), "");
        }
        for entry in [0, end, start - 4, start + 1, u64::MAX, host] {
            let init = WaveInit { entry, ..s.init.clone() };
            refused(s.device.run_code(&CodeLaunch { init, ..s.launch() }), "code");
        }
        // What a wave starts with
        for wave_size in [0, 1, 16, 31, 48, 128, u32::MAX] {
            refused(s.device.run_code(&CodeLaunch { init: WaveInit { wave_size, ..s.init.clone() }, ..s.launch() }), "wave size");
        }
        for lds_bytes in [65537, 1 << 31, u32::MAX] {
            refused(s.device.run_code(&CodeLaunch { init: WaveInit { lds_bytes, ..s.init.clone() }, ..s.launch() }), "LDS");
        }
        for scratch_bytes in [1 << 20, u32::MAX - 2, u32::MAX] {
            refused(s.device.run_code(&CodeLaunch { init: WaveInit { scratch_bytes, ..s.init.clone() }, ..s.launch() }), "scratch");
        }
        for vgprs in [0, 513, u32::MAX] {
            refused(s.device.run_code(&CodeLaunch { init: WaveInit { vgprs, ..s.init.clone() }, ..s.launch() }), "VGPRs");
        }
        let inits = [
            WaveInit { sgprs: vec![1; 107], ..s.init.clone() },
            WaveInit { sgprs: vec![1; 100_000], ..s.init.clone() },
            WaveInit { group_id_sgprs: [None, Some(106), None], ..s.init.clone() },
            WaveInit { group_id_sgprs: [Some(255); 3], ..s.init.clone() },
            WaveInit { group_info_sgpr: Some(200), ..s.init.clone() },
            WaveInit { scratch_offset_sgpr: Some(250), ..s.init.clone() },
        ];
        for init in inits {
            refused(s.device.run_code(&CodeLaunch { init, ..s.launch() }), "SGPRs");
        }
        for target in [0, 1, 0x600, 0x90a, 0x1200, u16::MAX] {
            let init = WaveInit { target: Gfx(target), ..s.init.clone() };
            refused(s.device.run_code(&CodeLaunch { init, ..s.launch() }), "");
        }
    }
}

#[test]
fn kernels_and_memory_reach_nothing_of_the_host() {
    let victim = Victim::new();
    for engine in ENGINES {
        let s = Setup::new(engine, victim.address());
        refused(s.device.run_code(&s.launch()), &format!("{:#x}", victim.address()));
        let memory = s.device.memory();
        for address in [victim.address(), 0, 8, u64::MAX, u64::MAX - 15] {
            assert!(memory.write(address, &[1; 16]).is_err() && memory.read(address, &mut [0; 16]).is_err());
            assert!(memory.read_u32(address).is_none() && memory.find(address).is_none());
        }
        // The very end of what a device may have.
        let end = memory.mem_low() + memory.mem_size();
        assert!(memory.write(end - 8, &[1; 16]).is_err() && memory.write(end, &[1; 1 << 20]).is_err());
    }
}

fn triad(device: &Device) -> Kernel {
    device.load(include_bytes!("../../shaders/bin/triad.gfx1100.wave32.hsaco")).unwrap().kernel("triad").unwrap()
}

#[test]
fn addresses_and_blocks_of_arguments_are_the_guests() {
    let victim = Victim::new();
    for engine in ENGINES {
        let device = device(engine);
        let triad = triad(&device);
        let p = Arg::Address(victim.address());
        let args = [p, p, p, Arg::F32(3.0), Arg::U32(4)];
        let launch = Launch::new([4, 1, 1], [4, 1, 1], &args);
        refused(triad.launch(&launch), &format!("{:#x}", victim.address()));
        // A packed segment of any length.
        for len in [0, 1, 63, 4096, 1 << 20] {
            let packed = vec![0xff; len];
            let result = triad.launch(&Launch { kernarg: Some(&packed), ..launch });
            assert!(!matches!(result, Err(Error::Internal(_))), "{result:?}");
        }
        refused(triad.launch(&Launch { dynamic_lds: u32::MAX, ..launch }), "LDS");
    }
}

#[test]
fn what_a_device_gave_out_outlives_it() {
    let device = device(Engine::Jit);
    let triad = triad(&device);
    let buffers = [(); 3].map(|()| device.upload(&[0; 16]).unwrap());
    drop(device);
    let [out, a, b] = &buffers;
    let args = [Arg::Buffer(out), Arg::Buffer(a), Arg::Buffer(b), Arg::F32(3.0), Arg::U32(4)];
    triad.launch(&Launch::new([4, 1, 1], [4, 1, 1], &args)).unwrap();
    drop(triad);
    assert_eq!(out.to_vec().unwrap(), [0; 16]);
    assert!(out.write(1, &[0; 16]).is_err() && out.read(usize::MAX, &mut [0; 16]).is_err() && out.write(17, &[]).is_err());
}
