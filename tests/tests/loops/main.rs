//! What loops keep in registers in forms of their own, and what is known of lanes behind bodies that not all of them enter: compiled code against the
//! interpreter, on random programs of that kind. (Those of `random_programs` keep all registers to their end, which compiled kernels need not do.)

mod addresses;
mod alike;
mod atomics;
mod chains;
mod eights;
mod exchanges;
mod masks;
mod one_address;
mod qwords;
mod scalars;
mod vectors;

use wavejit::code_object::PgmRsrc;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{CodeLaunch, Device, DeviceConfig, Engine, LaunchConfig};
use wavejit_isa::{Gfx, assemble};
use wavejit_random::Random;

const BYTES: usize = 64 << 10;
/// Work items: two waves.
const ITEMS: u32 = 64;

/// Work items of a grid and of its one workgroup, which the grid may leave a part of.
#[derive(Clone, Copy)]
struct Launch {
    grid: [u32; 3],
    group: [u32; 3],
}

impl Launch {
    /// Two waves in a row.
    const ROW: Launch = Launch { grid: [ITEMS, 1, 1], group: [ITEMS, 1, 1] };
}

/// v[low:low+1] = s[base:base+1] + v`of`
fn address(low: u32, base: u32, of: u32) -> String {
    let (high, next) = (low + 1, base + 1);
    format!(
        "v_add_co_u32 v{low}, vcc_lo, s{base}, v{of}\nv_mov_b32 v{high}, s{next}\nv_add_co_ci_u32_e64 v{high}, vcc_lo, 0, v{high}, vcc_lo"
    )
}

/// Launches where code becomes better from one to the next.
const LAUNCHES: usize = 5;

/// What a program stores, and how many instructions that was, with s[0:1] at the input and s[2:3] at as many bytes for its results.
fn run(engine: Engine, text: &str, launch: Launch, input: &[u8]) -> Vec<u8> {
    let device = Device::new(DeviceConfig { engine, threads: 1, ..Default::default() }).unwrap();
    let code = device.upload(&assemble(text, Gfx::GFX1100, 32).unwrap_or_else(|e| panic!("{e:?}\n{text}")).bytes).unwrap();
    let (from, to) = (device.upload(input).unwrap(), device.alloc(BYTES).unwrap());
    let [a, b] = [from.address(), to.address()];
    let init = WaveInit::raw(&RawInit {
        target: Gfx::GFX1100,
        wave_size: 32,
        entry: code.address(),
        rsrc: PgmRsrc { rsrc1: 0xf0 << 12 | 3, rsrc2: 4 << 1 | 2 << 11 | 8 << 15, rsrc3: 0 },
        user_data: &[a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32],
        scratch_bytes: 0,
    });
    let range = (code.address(), code.address() + code.len() as u64);
    let config = LaunchConfig::new(launch.grid, launch.group);
    let mut outs = (0..if engine == Engine::Tiered { LAUNCHES } else { 1 }).map(|_| {
        from.write(0, input).unwrap();
        to.write(0, &[0; BYTES]).unwrap();
        let launch = CodeLaunch { name: "loop", code: range, init: init.clone(), config };
        let stats = device.run_code(&launch).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut out = vec![0; BYTES];
        to.read(0, &mut out).unwrap();
        out.extend(stats.guest_insts.to_le_bytes());
        out
    });
    let first = outs.next().expect("one at least");
    assert!(outs.all(|out| out == first), "a later launch differs from the first:\n{text}");
    first
}

/// Runs programs with all engines.
fn compare(program: impl Fn(&mut Random) -> (String, Launch)) {
    let programs = std::env::var("WAVEJIT_RANDOM_PROGRAMS").map_or(200, |n| n.parse().unwrap());
    let first = std::env::var("WAVEJIT_SEED").map_or(1, |n| n.parse().unwrap());
    for seed in first..first + programs {
        let mut rng = Random(seed);
        let input: Vec<u8> = (0..BYTES).map(|_| rng.below(256) as u8).collect();
        let (text, launch) = program(&mut rng);
        let expected = run(Engine::Interp, &text, launch, &input);
        for engine in [Engine::Jit, Engine::Tiered] {
            let got = run(engine, &text, launch, &input);
            let first = got.iter().zip(&expected).position(|(got, want)| got != want);
            let Launch { grid, group, .. } = launch;
            assert!(first.is_none(), "seed {seed}, {engine:?}, {grid:?} of {group:?}, byte {first:?} of the results:\n{text}");
        }
    }
}
