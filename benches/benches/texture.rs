//! How many texels per second does one core fetch, and how long is the way to the routine? Mtexel/s of one thread, a texel being one lane's
//! result; the image is 1024x1024 (3D: 128x128x128) and the coordinates walk over it as a picture's would, 8x4 lanes at a time, slightly turned.
//!
//! Each call goes through the cache's look-up, as calls of compiled waves do. `scalar` is the lane-by-lane form the kernels equal.

use std::hint::black_box;
use wavejit_benches::{best, machine, ns_each};
use wavejit_texture::descriptor::{ImageDescriptor, ImageKind, SamplerDescriptor};
use wavejit_texture::format::{Format, FormatNumber};
use wavejit_texture::image::{Dim, ImageConfig, ImageOp, Isa, Kind, Operands, Routine, RoutineCache};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::{Generation, Wave};

const BASE: u64 = 0x1_0000_0000;
const LANES: usize = 32;
/// Swizzle modes of gfx11.
const LINEAR: u8 = 0;
const R_X_64KB: u8 = 27;
const S_X_64KB: u8 = 25;

struct Case {
    name: &'static str,
    mnemonic: &'static str,
    format: &'static str,
    mode: u8,
    kind: ImageKind,
    levels: u8,
    /// Texels of level 0 from a lane to the next: above 1, smaller levels take part.
    step: f32,
    linear: bool,
}

#[rustfmt::skip]
const CASES: [Case; 14] = [
    Case { name: "bilinear, tiled",             mnemonic: "image_sample_lz", format: "8_8_8_8_UNORM",     mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 0.9, linear: true },
    Case { name: "bilinear, linear",            mnemonic: "image_sample_lz", format: "8_8_8_8_UNORM",     mode: LINEAR,   kind: ImageKind::Dim2, levels: 1,  step: 0.9, linear: true },
    Case { name: "bilinear",                    mnemonic: "image_sample_lz", format: "8_8_8_8_SRGB",      mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 0.9, linear: true },
    Case { name: "bilinear",                    mnemonic: "image_sample_lz", format: "16_16_16_16_FLOAT", mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 0.9, linear: true },
    Case { name: "bilinear",                    mnemonic: "image_sample_lz", format: "32_32_32_32_FLOAT", mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 0.9, linear: true },
    Case { name: "bilinear",                    mnemonic: "image_sample_lz", format: "32_FLOAT",          mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 0.9, linear: true },
    Case { name: "trilinear, tiled",            mnemonic: "image_sample",    format: "8_8_8_8_UNORM",     mode: R_X_64KB, kind: ImageKind::Dim2, levels: 11, step: 2.7, linear: true },
    Case { name: "trilinear, linear",           mnemonic: "image_sample",    format: "8_8_8_8_UNORM",     mode: LINEAR,   kind: ImageKind::Dim2, levels: 11, step: 2.7, linear: true },
    Case { name: "trilinear",                   mnemonic: "image_sample",    format: "16_16_16_16_FLOAT", mode: R_X_64KB, kind: ImageKind::Dim2, levels: 11, step: 2.7, linear: true },
    Case { name: "3D, linear in x, y, z",       mnemonic: "image_sample_lz", format: "8_8_8_8_UNORM",     mode: S_X_64KB, kind: ImageKind::Dim3, levels: 1,  step: 0.9, linear: true },
    Case { name: "point",                       mnemonic: "image_sample_lz", format: "8_8_8_8_UNORM",     mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 0.9, linear: false },
    Case { name: "image_load, tiled",           mnemonic: "image_load",      format: "8_8_8_8_UNORM",     mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 1.0, linear: false },
    Case { name: "image_load, linear",          mnemonic: "image_load",      format: "8_8_8_8_UNORM",     mode: LINEAR,   kind: ImageKind::Dim2, levels: 1,  step: 1.0, linear: false },
    Case { name: "image_load",                  mnemonic: "image_load",      format: "32_32_32_32_FLOAT", mode: R_X_64KB, kind: ImageKind::Dim2, levels: 1,  step: 1.0, linear: false },
];

fn main() {
    println!("{}, kernels {:?}", machine(), Isa::detect());
    println!("{:26}{:20}{:>10}{:>10}{:>10}", "", "format", "Mtexel/s", "ns/wave", "scalar");
    for case in &CASES {
        let setup = Setup::new(case);
        let (fast, slow) = (setup.time(true), setup.time(false));
        let rate = |ns_per_wave: f64| LANES as f64 / ns_per_wave * 1e3;
        println!("{:26}{:20}{:10.0}{:10.1}{:10.1}", case.name, case.format, rate(fast), fast, rate(slow));
    }
    look_up();
}

/// An instruction, its image in memory, and the coordinates of many waves.
struct Setup {
    op: ImageOp,
    t: [u32; 8],
    s: [u32; 4],
    memory: FlatMemory,
    /// Address registers of each wave.
    waves: Vec<[[u32; LANES]; 3]>,
}

impl Setup {
    fn new(case: &Case) -> Setup {
        let generation = Generation::Gfx11;
        let is_named = |&n: &u16| Format::unified(generation, n).is_some_and(|f| f.to_string() == case.format);
        let number = (1..256).find(is_named).unwrap_or_default();
        let is_volume = case.kind == ImageKind::Dim3;
        let size: u32 = if is_volume { 128 } else { 1024 };
        let mut d = ImageDescriptor::new(generation, case.kind, FormatNumber::Unified(number), size, size);
        (d.base, d.mode, d.levels, d.last_level) = (BASE, case.mode, case.levels, case.levels - 1);
        d.depth = if is_volume { size } else { 1 };
        let bytes = Format::unified(generation, number).map_or(0, |f| f.bytes);
        // Room for the smaller levels and for padding to blocks.
        let image_bytes = (size * size * d.depth) as usize * usize::from(bytes) * 2 + (1 << 20);
        // Small numbers, as bytes or as floats.
        let memory = FlatMemory::new(BASE, (0..image_bytes).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 16) as u8 & 0x3b).collect());
        let filter = u8::from(case.linear);
        let s = SamplerDescriptor { mag_filter: filter, min_filter: filter, mip_filter: 2, ..SamplerDescriptor::new(generation) };
        let (kind, _) = Kind::parse(case.mnemonic).unwrap_or((Kind::GetLod, false));
        let dim = if is_volume { Dim::D3 } else { Dim::D2 };
        Setup {
            op: ImageOp::new(kind, generation, dim),
            t: d.encode().unwrap_or_default(),
            s: s.encode().unwrap_or_default(),
            memory,
            waves: coordinates(case, size),
        }
    }

    /// Nanoseconds per wave.
    fn time(&self, with_kernel: bool) -> f64 {
        let mut rows = vec![0; 16 * LANES];
        let registers = self.op.layout(self.op.dim.unwrap_or(Dim::D2)).registers;
        let address = [0, 1, 2];
        let operands = Operands { address: &address[..usize::from(registers)], source: &[], result: &[8, 9, 10, 11] };
        let mut cache = RoutineCache::new(ImageConfig::default());
        let scalar = Routine::new(&self.op, &ImageConfig::default(), &self.t, &self.s).map(|r| r.with_isa(None));
        // Many short rounds: one of them is undisturbed.
        let (rounds, waves) = if with_kernel { (300, &self.waves[..]) } else { (10, &self.waves[..100]) };
        let time = best(rounds, || {
            for wave in waves {
                for (row, lanes) in wave.iter().enumerate() {
                    rows[row * LANES..][..LANES].copy_from_slice(lanes);
                }
                let mut wave = Wave::new(&mut rows, LANES, u64::MAX);
                let done = match (&scalar, with_kernel) {
                    (Ok(routine), false) => routine.execute(&operands, &mut wave, &self.memory),
                    _ => cache.execute(0, &self.op, &self.t, &self.s, &operands, &mut wave, &self.memory),
                };
                if let Err(error) = black_box(done) {
                    eprintln!("{error}");
                }
            }
        });
        ns_each(time, waves.len() as f64)
    }
}

/// A turned picture of 256x128 lanes, 8x4 to a wave, quads together.
fn coordinates(case: &Case, size: u32) -> Vec<[[u32; LANES]; 3]> {
    let (sin, cos) = 0.1_f32.sin_cos();
    let mut waves = vec![];
    for tile in 0..32 * 32 {
        let mut wave = [[0; LANES]; 3];
        #[allow(clippy::needless_range_loop)] // the lane is the inner index
        for lane in 0..LANES {
            let (quad, place) = (lane / 4, lane % 4);
            let x = (tile % 32 * 8 + quad % 4 * 2 + place % 2) as f32 * case.step;
            let y = (tile / 32 * 4 + quad / 4 * 2 + place / 2) as f32 * case.step;
            let (u, v) = (x * cos + y * sin + 3.3, y * cos + x * sin + 5.7);
            let texels = [u, v, (u + v) * 0.25];
            for (axis, texel) in texels.into_iter().enumerate() {
                wave[axis][lane] = if case.mnemonic == "image_load" { texel as u32 } else { (texel / size as f32).to_bits() };
            }
        }
        waves.push(wave);
    }
    waves
}

/// The cache's look-up alone: one descriptor at a site, and four in turn.
fn look_up() {
    let setup = Setup::new(&CASES[0]);
    let mut cache = RoutineCache::new(ImageConfig::default());
    let calls = 10_000;
    for descriptors in [1, 2, 4] {
        let t = [0, 1, 2, 3].map(|n| {
            let mut t = setup.t;
            t[7] = n;
            t
        });
        let time = best(300, || {
            for n in 0..calls {
                let found = cache.find(0, black_box(&setup.op), black_box(&t[n % descriptors]), black_box(&setup.s));
                black_box(std::ptr::from_ref(found));
            }
        });
        println!("look-up of a routine, {descriptors} descriptors in turn: {:.1} ns", ns_each(time, calls as f64));
    }
}
