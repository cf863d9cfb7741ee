//! How many texels per second does one core fetch, and how long is the way to the routine? Mtexel/s of one thread, a texel being one lane's
//! result; the image is 1024x1024 (3D: 128x128x128, cube: 256x256) and the coordinates walk over it as a picture's would, 8x4 lanes at a time,
//! slightly turned.
//!
//! Each call after the first is a known one, as calls of compiled waves are. `scalar` is the lane-by-lane form the kernels equal.
//!
//! Other implementations, timed in the same run: `WAVEJIT_PEERS='NAME=COMMAND;NAME=COMMAND'`, where a command prints lines "case format",
//! a tab and Mtexel/s of one core, as the programs in `benches/peers` do. `texture NAME...` runs those whose names contain one of the words.

use std::collections::HashMap;
use std::hint::black_box;
use std::process::Command;
use wavejit_benches::{best, machine, ns_each};
use wavejit_texture::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::format::{Format, FormatNumber};
use wavejit_texture::image::{Dim, HostLevel, ImageConfig, ImageOp, Kind, Operands, Routine, RoutineCache, RoutineCaches, SiteCall};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::{Generation, Wave};

const BASE: u64 = 0x1_0000_0000;
const LANES: usize = 32;
/// Swizzle modes of gfx11.
const LINEAR: u8 = 0;
const R_X_64KB: u8 = 27;
const S_X_64KB: u8 = 25;

/// Rows: the data of stores, results, and then the addresses of each wave.
const SOURCE: u16 = 8;
const RESULT: u16 = 12;
const ROWS: usize = 20;

struct Case {
    /// Up to the comma, and the format: the peers' name for it.
    name: &'static str,
    mnemonic: &'static str,
    format: &'static str,
    mode: u8,
    kind: ImageType,
    levels: u8,
    /// Texels of level 0 from a lane to the next: above 1, smaller levels take part.
    step: f32,
    sampler: fn(&mut SamplerDescriptor),
    op: fn(&mut ImageOp),
}

const fn case(name: &'static str, mnemonic: &'static str, format: &'static str) -> Case {
    Case { name, mnemonic, format, mode: R_X_64KB, kind: ImageType::Dim2, levels: 1, step: 0.9, sampler: linear, op: |_| () }
}

const fn load(name: &'static str, mnemonic: &'static str, format: &'static str) -> Case {
    Case { step: 1.0, sampler: |_| (), ..case(name, mnemonic, format) }
}

fn linear(s: &mut SamplerDescriptor) {
    (s.mag_filter, s.min_filter, s.mip_filter) = (1, 1, 2);
}
fn anisotropic(s: &mut SamplerDescriptor) {
    (s.mag_filter, s.min_filter, s.mip_filter, s.max_aniso_ratio) = (3, 3, 2, 2);
}
fn border(s: &mut SamplerDescriptor) {
    linear(s);
    s.clamp = [6; 3];
}
fn less(s: &mut SamplerDescriptor) {
    linear(s);
    s.compare = 1;
}
fn minimum(s: &mut SamplerDescriptor) {
    linear(s);
    s.filter_mode = 1;
}

const RGBA8: &str = "8_8_8_8_UNORM";

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    let bilinear = |format| case("bilinear", "image_sample_lz", format);
    let trilinear = |format| Case { levels: 11, step: 2.7, ..case("trilinear", "image_sample", format) };
    vec![
        bilinear(RGBA8),
        Case { name: "bilinear, linear memory", mode: LINEAR, ..bilinear(RGBA8) },
        bilinear("8_8_8_8_SRGB"),
        bilinear("16_16_16_16_FLOAT"),
        bilinear("32_32_32_32_FLOAT"),
        bilinear("32_FLOAT"),
        bilinear("16_FLOAT"),
        bilinear("16_16_FLOAT"),
        bilinear("32_32_FLOAT"),
        bilinear("16_16_16_16_UNORM"),
        bilinear("8_8_8_8_SNORM"),
        bilinear("10_11_11_FLOAT"),
        bilinear("2_10_10_10_UNORM"),
        bilinear("5_9_9_9_FLOAT"),
        bilinear("BC7_UNORM"),
        trilinear(RGBA8),
        Case { name: "trilinear, linear memory", mode: LINEAR, ..trilinear(RGBA8) },
        trilinear("16_16_16_16_FLOAT"),
        Case { name: "anisotropic", levels: 11, step: 10.8, sampler: anisotropic, ..case("", "image_sample_d", RGBA8) },
        Case { name: "3D", mode: S_X_64KB, kind: ImageType::Dim3, ..bilinear(RGBA8) },
        Case { name: "cube", kind: ImageType::Cube, ..bilinear(RGBA8) },
        Case { name: "border", sampler: border, ..bilinear(RGBA8) },
        Case { name: "minimum", sampler: minimum, ..bilinear(RGBA8) },
        Case { name: "bilinear, a16", op: |op| op.a16 = true, ..bilinear(RGBA8) },
        Case { name: "bilinear, d16", op: |op| op.d16 = true, ..bilinear(RGBA8) },
        Case { name: "compare", sampler: less, op: |op| op.dmask = 1, ..case("", "image_sample_c_lz", "32_FLOAT") },
        Case { op: |op| op.dmask = 1, ..case("gather4", "image_gather4_lz", RGBA8) },
        Case { sampler: less, op: |op| op.dmask = 1, ..case("gather4 compare", "image_gather4_c_lz", "32_FLOAT") },
        Case { name: "point", sampler: |_| (), ..bilinear(RGBA8) },
        load("load", "image_load", RGBA8),
        Case { mode: LINEAR, ..load("load, linear memory", "image_load", RGBA8) },
        load("load", "image_load", "32_32_32_32_FLOAT"),
        load("load", "image_load", "16_16_16_16_UNORM"),
        Case { op: |op| op.d16 = true, ..load("load, d16", "image_load", "16_16_16_16_FLOAT") },
        Case { levels: 11, ..load("load_mip", "image_load_mip", RGBA8) },
        Case { kind: ImageType::Msaa, op: |op| op.dmask = 1, ..load("msaa_load", "image_msaa_load", RGBA8) },
        load("store", "image_store", RGBA8),
        load("store", "image_store", "32_32_32_32_FLOAT"),
        load("store", "image_store", "16_16_16_16_FLOAT"),
        load("store", "image_store", "32_FLOAT"),
    ]
}

fn main() {
    println!("{}, kernels {}", machine(), HostLevel::get());
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let peers = peers();
    print!("{:26}{:20}{:>10}{:>10}{:>10}", "Mtexel/s", "format", "wavejit", "ns/wave", "scalar");
    peers.iter().for_each(|(name, _)| print!("{name:>10}"));
    println!();
    for case in cases().into_iter().filter(|c| words.is_empty() || words.iter().any(|w| c.name.contains(w.as_str()))) {
        let setup = Setup::new(&case);
        let (fast, slow) = (setup.time(true), setup.time(false));
        let rate = |ns_per_wave: f64| LANES as f64 / ns_per_wave * 1e3;
        print!("{:26}{:20}{:10.0}{:10.1}{:10.1}", case.name, case.format, rate(fast), fast, rate(slow));
        let key = format!("{} {}", case.name.split(',').next().unwrap_or_default(), case.format);
        for (_, rates) in &peers {
            rates.get(&key).map_or_else(|| print!("{:>10}", "-"), |rate| print!("{rate:10.0}"));
        }
        println!();
    }
    if words.is_empty() {
        look_up();
    }
}

/// What the programs of `WAVEJIT_PEERS` say, by case.
fn peers() -> Vec<(String, HashMap<String, f64>)> {
    let list = std::env::var("WAVEJIT_PEERS").unwrap_or_default();
    let peers = list.split(';').filter_map(|peer| peer.split_once('='));
    peers
        .map(|(name, command)| {
            let output = Command::new("sh").args(["-c", command]).output();
            let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
            text.lines().filter(|line| line.starts_with('#')).for_each(|line| println!("{name}: {}", &line[1..]));
            let rates = text.lines().filter_map(|line| line.split_once('\t'));
            (name.to_string(), rates.filter_map(|(case, rate)| Some((case.to_string(), rate.parse().ok()?))).collect())
        })
        .collect()
}

/// An instruction, its image in memory, and the coordinates of many waves.
struct Setup {
    op: ImageOp,
    t: [u32; 8],
    s: [u32; 4],
    memory: FlatMemory,
    /// Address registers of each wave.
    waves: Vec<Vec<[u32; LANES]>>,
}

impl Setup {
    fn new(case: &Case) -> Setup {
        let generation = Generation::Gfx11;
        let is_named = |&n: &u16| Format::unified(generation, n).is_some_and(|f| f.to_string() == case.format);
        let number = (1..256).find(is_named).unwrap_or_default();
        let (size, depth, dim) = match case.kind {
            ImageType::Dim3 => (128, 128, Dim::D3),
            ImageType::Cube => (256, 1, Dim::Cube),
            ImageType::Msaa => (1024, 1, Dim::Msaa),
            _ => (1024, 1, Dim::D2),
        };
        let mut d = ImageDescriptor::new(generation, case.kind, FormatNumber::Unified(number), size, size);
        (d.base, d.mode, d.levels, d.last_level, d.depth) = (BASE, case.mode, case.levels, case.levels - 1, depth);
        let layers = if case.kind == ImageType::Cube { 6 } else { 1 };
        (d.last_layer, d.samples_log2) = (layers - 1, if case.kind == ImageType::Msaa { 2 } else { 0 });
        let bytes = Format::unified(generation, number).map_or(0, |f| f.bytes);
        // Room for the smaller levels and for padding to blocks.
        let image_bytes = ((size * size * depth * layers) as usize * usize::from(bytes) * 2 + (1 << 20)) << d.samples_log2;
        // Small numbers, as bytes or as floats.
        let mut bytes: Vec<u8> = (0..image_bytes + 4096).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 16) as u8 & 0x3b).collect();
        // Guest pages are pages of the host.
        let before = bytes.as_ptr().align_offset(4096);
        bytes.truncate(before + image_bytes);
        let memory = FlatMemory::new(BASE - before as u64, bytes);
        let mut s = SamplerDescriptor { mip_filter: 2, ..SamplerDescriptor::new(generation) };
        (case.sampler)(&mut s);
        let (kind, g16) = Kind::named(case.mnemonic).unwrap_or((Kind::GetLod, false));
        let mut op = ImageOp { g16, ..ImageOp::new(kind, generation, dim) };
        (case.op)(&mut op);
        Setup { op, t: d.encode().unwrap_or_default(), s: s.encode().unwrap_or_default(), memory, waves: coordinates(case, &op, dim, size) }
    }

    /// Nanoseconds per wave.
    fn time(&self, with_kernel: bool) -> f64 {
        // 64-byte aligned, as the rows of waves are.
        let given = self.waves[0].len();
        let count = ROWS + given * self.waves.len();
        let mut room = vec![0x3e80_0000; count * LANES + 16];
        let first = room.as_ptr().align_offset(64);
        let rows = &mut room[first..][..count * LANES];
        // Registers with the coordinates of all waves: to move them would be measured, too.
        for (row, lanes) in rows.chunks_exact_mut(LANES).skip(ROWS).zip(self.waves.iter().flatten()) {
            row.copy_from_slice(lanes);
        }
        let address: Vec<u16> = (ROWS as u16..count as u16).collect();
        let (source, result) = ([0, 1, 2, 3].map(|n| SOURCE + n), [0, 1, 2, 3, 4].map(|n| RESULT + n));
        let mut caches = RoutineCaches::default();
        let words = if self.op.kind.sampling().is_some() { 12 } else { 8 };
        let words: Vec<u64> = self.t.iter().chain(&self.s).take(words).map(|&w| w.into()).collect();
        let scalar = Routine::new(&self.op, &ImageConfig::default(), &self.t, &self.s).map(|r| r.at_level(HostLevel::Baseline));
        // Many short rounds: one of them is undisturbed.
        let (rounds, waves) = if with_kernel { (300, self.waves.len()) } else { (10, 100) };
        let time = best(rounds, || {
            for address in address.chunks_exact(given).take(waves) {
                let operands = Operands { address, source: &source, result: &result };
                let call = SiteCall { site: 0, op: &self.op, words: &words, window: [0, BASE, 1 << 32], operands: &operands };
                let mut wave = Wave::new(rows, LANES, u64::MAX);
                let done = match (&scalar, with_kernel) {
                    (Ok(routine), false) => routine.execute(&operands, &mut wave, &self.memory),
                    _ if caches.execute_known(&call, &mut wave) == Some(0) => Ok(()),
                    _ => caches.execute(ImageConfig::default(), &call, &mut wave, &self.memory),
                };
                if let Err(error) = done {
                    eprintln!("{error}");
                }
            }
        });
        ns_each(time, waves as f64)
    }
}

/// A turned picture of 256x128 lanes, 8x4 to a wave, quads together.
fn coordinates(case: &Case, op: &ImageOp, dim: Dim, size: u32) -> Vec<Vec<[u32; LANES]>> {
    let (sin, cos) = 0.1_f32.sin_cos();
    let is_load = !case.mnemonic.starts_with("image_sample") && !case.mnemonic.starts_with("image_gather");
    let layout = op.layout(dim);
    let wave = |tile: u32| {
        let mut rows = vec![[0; LANES]; layout.registers.into()];
        let mut set = |slot: Option<wavejit_texture::image::Slot>, lane: usize, bits: u32| {
            use wavejit_texture::image::Slot;
            let half = || if is_load { bits } else { u32::from(half(f32::from_bits(bits))) };
            match slot {
                None => {}
                Some(Slot::Whole(n)) => rows[usize::from(n)][lane] = bits,
                Some(Slot::Low(n)) => rows[usize::from(n)][lane] |= half(),
                Some(Slot::High(n)) => rows[usize::from(n)][lane] |= half() << 16,
            }
        };
        for lane in 0..LANES as u32 {
            let (quad, place) = (lane / 4, lane % 4);
            let x = (tile % 32 * 8 + quad % 4 * 2 + place % 2) as f32 * case.step;
            let y = (tile / 32 * 4 + quad / 4 * 2 + place / 2) as f32 * case.step;
            let (u, v) = (x * cos + y * sin + 3.3, y * cos + x * sin + 5.7);
            let mut texels = [u, v, (u + v) * 0.25];
            if dim == Dim::Cube {
                // Over the edges between four faces; coordinates on them run from 1 to 2.
                let (u, v) = (u - 25.0, v - 25.0);
                let face = u8::from(u < 0.0) + 2 * u8::from(v < 0.0);
                texels = [u.abs() + 256.0, v.abs() + 256.0, f32::from(face) * 256.0];
            }
            for (slot, texel) in layout.body.into_iter().zip(texels) {
                set(slot, lane as usize, if is_load { texel as u32 } else { (texel / size as f32).to_bits() });
            }
            let derivatives = [[cos, sin, 0.0], [sin * 0.25, cos * 0.25, 0.0]];
            for (slots, values) in [layout.dh, layout.dv].into_iter().zip(derivatives) {
                for (slot, value) in slots.into_iter().zip(values) {
                    set(slot, lane as usize, (value * case.step / size as f32).to_bits());
                }
            }
            set(layout.compare, lane as usize, 0.1_f32.to_bits());
        }
        rows
    };
    (0..32 * 32).map(wave).collect()
}

/// f16 bits of a number from 2^-14 on.
fn half(x: f32) -> u16 {
    ((x.to_bits() >> 13) - (112 << 10)) as u16
}

/// The cache's look-up alone: one descriptor at a site, and four in turn.
fn look_up() {
    let setup = Setup::new(&cases()[0]);
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
