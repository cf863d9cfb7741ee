//! Random images, samplers and coordinates against the reference: within 1/256 of the range where 8-bit formats are blended, exact where
//! nothing is.

use super::reference::{self, ImageKind, Level, Lod, Request, Sampler};
use super::support::{BORDER_TABLE, Call, Image, Random, linear, op};
use wavejit_texture::Memory;
use wavejit_texture::descriptor::{Border, ImageType, SamplerDescriptor};
use wavejit_texture::image::Dim;

/// A format with a decoder of its own.
struct Format {
    name: &'static str,
    bytes: usize,
    decode: fn(&[u8]) -> [f64; 4],
    /// Largest difference of a blend.
    tolerance: f64,
    /// Random bytes make NaNs and infinities: small floats instead.
    float_bits: u32,
}

fn unorm(b: u8) -> f64 {
    f64::from(b) / 255.0
}

fn srgb(b: u8) -> f64 {
    let c = unorm(b);
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn half(b: &[u8]) -> f64 {
    let bits = u16::from_le_bytes([b[0], b[1]]);
    let (sign, exponent, mantissa) = (if bits >> 15 != 0 { -1.0 } else { 1.0 }, i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * if exponent == 0 { mantissa / 1024.0 * 2f64.powi(-14) } else { (1.0 + mantissa / 1024.0) * 2f64.powi(exponent - 15) }
}

fn float(b: &[u8]) -> f64 {
    f32::from_le_bytes([b[0], b[1], b[2], b[3]]).into()
}

#[rustfmt::skip]
const FORMATS: [Format; 9] = [
    Format { name: "8_8_8_8_UNORM", bytes: 4, decode: |b| [0, 1, 2, 3].map(|n| unorm(b[n])), tolerance: 1.0 / 256.0, float_bits: 0 },
    Format { name: "8_UNORM", bytes: 1, decode: |b| [unorm(b[0]), 0.0, 0.0, 1.0], tolerance: 1.0 / 256.0, float_bits: 0 },
    Format { name: "8_8_8_8_SRGB", bytes: 4, decode: |b| [srgb(b[0]), srgb(b[1]), srgb(b[2]), unorm(b[3])], tolerance: 1.0 / 256.0, float_bits: 0 },
    Format { name: "8_8_SNORM", bytes: 2, decode: |b| { let s = |b: u8| (f64::from(b as i8) / 127.0).max(-1.0); [s(b[0]), s(b[1]), 0.0, 1.0] }, tolerance: 2.0 / 256.0, float_bits: 0 },
    Format { name: "16_16_16_16_FLOAT", bytes: 8, decode: |b| [0, 2, 4, 6].map(|n| half(&b[n..])), tolerance: 1.0 / 256.0, float_bits: 16 },
    Format { name: "32_32_32_32_FLOAT", bytes: 16, decode: |b| [0, 4, 8, 12].map(|n| float(&b[n..])), tolerance: 1.0 / 256.0, float_bits: 32 },
    Format { name: "32_FLOAT", bytes: 4, decode: |b| [float(b), 0.0, 0.0, 1.0], tolerance: 1.0 / 256.0, float_bits: 32 },
    Format { name: "5_6_5_UNORM", bytes: 2, decode: |b| { let v = u16::from_le_bytes([b[0], b[1]]); [f64::from(v & 31) / 31.0, f64::from(v >> 5 & 63) / 63.0, f64::from(v >> 11) / 31.0, 1.0] }, tolerance: 1.0 / 256.0, float_bits: 0 },
    Format { name: "2_10_10_10_UNORM", bytes: 4, decode: |b| { let v = u32::from_le_bytes([b[0], b[1], b[2], b[3]]); let c = |at: u32| f64::from(v >> at & 1023) / 1023.0; [c(0), c(10), c(20), f64::from(v >> 30) / 3.0] }, tolerance: 1.0 / 256.0, float_bits: 0 },
];

impl Format {
    /// A random element, all of whose channels are from -1 to 1.
    fn element(&self, random: &mut Random) -> Vec<u8> {
        match self.float_bits {
            0 => (0..self.bytes).map(|_| random.u64() as u8).collect(),
            16 => (0..self.bytes / 2).flat_map(|_| (random.below(0x3c01) as u16 | (random.below(2) as u16) << 15).to_le_bytes()).collect(),
            _ => (0..self.bytes / 4).flat_map(|_| random.f32(-1.0, 1.0).to_le_bytes()).collect(),
        }
    }
}

struct Case {
    image: Image,
    reference: reference::Image,
    dim: Dim,
}

fn case(random: &mut Random, format: &Format) -> Case {
    let (kind, dim, image_kind) = random.pick(&[
        (ImageType::Dim1, Dim::D1, ImageKind::Line),
        (ImageType::Dim2, Dim::D2, ImageKind::Plane),
        (ImageType::Dim2, Dim::D2, ImageKind::Plane),
        (ImageType::Dim2Array, Dim::Array2, ImageKind::Layers),
        (ImageType::Dim3, Dim::D3, ImageKind::Volume),
        (ImageType::Cube, Dim::Cube, ImageKind::Cube),
    ]);
    let mut extent = || 1 + random.below(if image_kind == ImageKind::Volume { 20 } else { 70 });
    let (w, h) = (extent(), extent());
    let size = match image_kind {
        ImageKind::Line => [w, 1, 1],
        ImageKind::Plane => [w, h, 1],
        ImageKind::Layers => [w, h, 1 + random.below(4)],
        ImageKind::Volume => [w, h, extent()],
        ImageKind::Cube => [w, w, 6 * (1 + random.below(2))],
    };
    let largest = if image_kind == ImageKind::Volume { size[0].max(size[1]).max(size[2]) } else { size[0].max(size[1]) };
    let levels = 1 + random.below(largest.ilog2() + 1);
    // LINEAR, 64KB_D, 64KB_R_X; volumes: LINEAR, 64KB_S, 64KB_S_X
    let mode = match image_kind {
        ImageKind::Line => 0,
        ImageKind::Volume => random.pick(&[0, 9, 25]),
        _ => random.pick(&[0, 10, 27]),
    };
    let image = Image::new(kind, format.name, size, levels, mode);
    let mut reference = vec![];
    for level in 0..levels {
        let size = image.level_size(level);
        let mut texels = vec![];
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let element = format.element(random);
                    image.put(level, [x, y, z], 0, &element);
                    texels.push((format.decode)(&element));
                }
            }
        }
        reference.push(Level { size: size.map(i64::from), texels });
    }
    Case { image, reference: reference::Image { kind: image_kind, levels: reference }, dim }
}

/// A sampler as descriptor and as the reference has it.
fn sampler(random: &mut Random, memory: &dyn Memory) -> (SamplerDescriptor, Sampler) {
    let border = random.pick(&[Border::TransparentBlack, Border::OpaqueBlack, Border::OpaqueWhite, Border::Table(5)]);
    let table = [0.25_f32, 0.5, 0.125, 0.75];
    let bytes: Vec<u8> = table.iter().flat_map(|c| c.to_le_bytes()).collect();
    assert!(memory.write(BORDER_TABLE + 5 * 16, &bytes));
    let s = SamplerDescriptor {
        clamp: [0, 1, 2].map(|_| random.below(8) as u8),
        mag_filter: random.below(2) as u8,
        min_filter: random.below(2) as u8,
        z_filter: random.below(3) as u8,
        mip_filter: random.below(3) as u8,
        filter_mode: random.pick(&[0, 0, 0, 1, 2]),
        trunc_coord: random.below(2) != 0,
        min_lod: random.pick(&[0.0, 0.0, 0.5, 1.25]),
        max_lod: random.pick(&[15.0, 15.0, 2.5]),
        lod_bias: random.pick(&[0.0, 0.0, -0.75, 1.5]),
        border,
        ..linear()
    };
    let reference = Sampler {
        clamp: s.clamp,
        mag_linear: s.mag_filter == 1,
        min_linear: s.min_filter == 1,
        z_filter: s.z_filter,
        mip: s.mip_filter,
        min_lod: s.min_lod.into(),
        max_lod: s.max_lod.into(),
        bias: s.lod_bias.into(),
        truncate: s.trunc_coord,
        unnormalized: false,
        border: match border {
            Border::TransparentBlack => [0.0; 4],
            Border::OpaqueBlack => [0.0, 0.0, 0.0, 1.0],
            Border::OpaqueWhite => [1.0; 4],
            Border::Table(_) => table.map(f64::from),
        },
        reduction: s.filter_mode,
        compare: None,
    };
    (s, reference)
}

/// Border colors in channels that a format lacks are as texels there.
fn border_of(format: &Format, border: [f64; 4]) -> [f64; 4] {
    let sample = (format.decode)(&vec![0x55; format.bytes]);
    let other = (format.decode)(&vec![0xaa; format.bytes]);
    std::array::from_fn(|c| if sample[c] == other[c] { sample[c] } else { border[c] })
}

fn round(count: usize, seed: u64) {
    let mut random = Random(seed);
    let (mut compared, mut skipped) = (0, 0);
    for n in 0..count {
        let format = &FORMATS[n % FORMATS.len()];
        let case = case(&mut random, format);
        let (s, mut rs) = sampler(&mut random, &case.image.memory);
        rs.border = border_of(format, rs.border);
        let explicit = random.below(2) != 0;
        let with_offset = random.below(3) == 0 && case.dim != Dim::Cube;
        let mnemonic = match (explicit, with_offset) {
            (true, false) => "image_sample_l",
            (true, true) => "image_sample_l_o",
            (false, false) => "image_sample_d_cl",
            (false, true) => "image_sample_d_cl_o",
        };
        let axes = case.dim.axes();
        let is_cube = case.dim == Dim::Cube;
        let layered = matches!(case.dim, Dim::Array2 | Dim::Cube);
        let components = axes + usize::from(layered);
        let mut registers: Vec<Vec<u32>> = vec![];
        let mut requests = vec![];
        for _ in 0..32 {
            let mut coordinates = [0.0; 3];
            for c in coordinates.iter_mut().take(axes) {
                *c = if is_cube {
                    match random.below(3) {
                        0 => random.pick(&[1.0, 2.0]),
                        _ => random.f32(1.0, 2.0),
                    }
                } else {
                    random.f32(-2.5, 3.5)
                };
            }
            if layered {
                coordinates[2] = if is_cube { (random.below(2) * 8 + random.below(6)) as f32 } else { random.f32(-1.0, 5.0) };
            }
            let offset = if with_offset { [0, 1, 2].map(|n| if n < axes { random.below(64) as i32 - 32 } else { 0 }) } else { [0; 3] };
            let mut lane = vec![];
            if with_offset {
                lane.push((offset[0] & 63 | (offset[1] & 63) << 8 | (offset[2] & 63) << 16) as u32);
            }
            let (lod, last) = if explicit {
                let lod = random.f32(-1.0, 7.0);
                (Lod::Explicit(lod), lod)
            } else {
                let scale = random.f32(0.0, 0.3);
                let mut d = || [0, 1, 2].map(|n| if n < axes { random.f32(-scale, scale) } else { 0.0 });
                let (h, v) = (d(), d());
                lane.extend(h[..axes].iter().chain(&v[..axes]).map(|f| f.to_bits()));
                (Lod::Derivatives { h, v, bias: 0.0 }, random.f32(0.0, 2.0))
            };
            lane.extend(coordinates[..axes].iter().map(|f| f.to_bits()));
            if layered {
                lane.push(coordinates[2].to_bits());
            }
            lane.push(last.to_bits());
            requests.push(Request { coordinates, lod, least: (!explicit).then_some(last), offset, reference: 0.0 });
            registers.resize(lane.len(), vec![]);
            for (register, value) in registers.iter_mut().zip(lane) {
                register.push(value);
            }
        }
        assert!(registers.len() > components);
        let mut call = Call::new(op(mnemonic, case.dim), case.image.words(), s.encode().unwrap());
        call.address = registers;
        let results = call.run(&case.image.memory);
        for (lane, request) in requests.iter().enumerate() {
            let Ok(expected) = reference::sample(&case.reference, &rs, request) else {
                skipped += 1;
                continue;
            };
            compared += 1;
            let lambda = reference::lambda(&case.reference, &rs, request).unwrap_or(0.0);
            let blends = if lambda <= 0.0 { rs.mag_linear } else { rs.min_linear } || rs.mip == 2 || rs.z_filter == 2;
            for c in 0..4 {
                let got = f64::from(f32::from_bits(results[c][lane]));
                // Without blending the nearest f32 of the exact value.
                let same = if blends && rs.reduction == 0 {
                    (got - expected[c]).abs() <= format.tolerance
                } else {
                    got == f64::from(expected[c] as f32)
                };
                assert!(
                    same,
                    "case {n} lane {lane} channel {c}: {got} instead of {} ({}, {:?}, {mnemonic}, {:?}, lambda {lambda}, coordinates {:?}, {s:?})",
                    expected[c], format.name, case.dim, case.image.params, request.coordinates
                );
            }
        }
    }
    assert!(compared > 30 * skipped, "{skipped} of {} lanes were too close to call", compared + skipped);
}

// IMG-15, IMG-17, IMG-18, IMG-19, IMG-20, IMG-28, GCN-10, GCN-13
#[test]
fn samples_are_those_of_the_reference() {
    round(360, 0x1234_5678_9abc_def1);
}

/// The same for a long time: `cargo test -p wavejit-texture --test images -- --ignored`.
#[test]
#[ignore = "minutes"]
fn many_samples_are_those_of_the_reference() {
    round(20_000, 0x0fed_cba9_8765_4321);
}
