//! Vector kernels against the scalar form: the same bits, in every instruction set this processor has.

use super::support::{BASE, BORDER_TABLE, Call, Image, Random, linear, op};

use wavejit_texture::descriptor::{Border, DstSel, ImageType, SamplerDescriptor};
use wavejit_texture::image::{Dim, HostLevel, ImageConfig, ImageOp, Operands, Routine, Slot};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::{Memory, Wave};

/// Formats that can be filtered, then integers.
const FILTERED: usize = 31;
const FORMATS: [&str; 40] = [
    "BC1_UNORM",
    "BC3_SRGB",
    "BC4_SNORM",
    "BC6_SFLOAT",
    "BC7_UNORM",
    "8_8_8_8_UNORM",
    "8_8_UNORM",
    "8_UNORM",
    "8_8_8_8_SRGB",
    "8_SRGB",
    "16_FLOAT",
    "16_16_FLOAT",
    "16_16_16_16_FLOAT",
    "32_FLOAT",
    "32_32_FLOAT",
    "32_32_32_32_FLOAT",
    "8_8_8_8_SNORM",
    "8_SNORM",
    "16_UNORM",
    "16_16_UNORM",
    "16_16_16_16_UNORM",
    "16_16_16_16_SNORM",
    "16_16_SNORM",
    "10_11_11_FLOAT",
    "2_10_10_10_UNORM",
    "2_10_10_10_SNORM",
    "5_9_9_9_FLOAT",
    "5_6_5_UNORM",
    "4_4_4_4_UNORM",
    "1_5_5_5_UNORM",
    "32_FLOAT_CLAMP_FLOAT",
    "32_UINT",
    "32_32_32_32_SINT",
    "8_8_8_8_SINT",
    "8_8_UINT",
    "16_16_SINT",
    "2_10_10_10_UINT",
    "16_16_16_16_UINT",
    "8_UINT",
    "32_32_UINT",
];

const DIMS: [(ImageType, Dim); 8] = [
    (ImageType::Dim1, Dim::D1),
    (ImageType::Dim2, Dim::D2),
    (ImageType::Dim2Array, Dim::Array2),
    (ImageType::Dim3, Dim::D3),
    (ImageType::Dim1Array, Dim::Array1),
    (ImageType::Cube, Dim::Cube),
    (ImageType::Msaa, Dim::Msaa),
    (ImageType::MsaaArray, Dim::MsaaArray),
];

fn image(random: &mut Random, format: &str, dims: &[(ImageType, Dim)]) -> (Image, Dim) {
    let (kind, dim) = random.pick(dims);
    let mut extent = || if random.below(3) == 0 { 1 << random.below(6) } else { 1 + random.below(50) };
    let width = extent();
    let size = match dim {
        Dim::D1 => [width, 1, 1],
        Dim::D2 | Dim::Msaa => [width, extent(), 1],
        Dim::Array1 => [width, 1, 1 + extent() % 9],
        Dim::Cube => [width, width, random.pick(&[6, 12, 15])],
        _ => [width, extent(), 1 + extent() % 9],
    };
    let is_multisampled = matches!(dim, Dim::Msaa | Dim::MsaaArray);
    let levels = if is_multisampled { 1 } else { 1 + random.below(size[0].max(size[1]).ilog2() + 1) };
    let mode = match dim {
        Dim::D1 | Dim::Array1 => 0,
        Dim::D3 => random.pick(&[0, 9, 25]),
        Dim::Msaa | Dim::MsaaArray => random.pick(&[24, 27]),
        _ => random.pick(&[0, 10, 27]),
    };
    let image = Image::new(kind, format, size, levels, mode);
    let image = if is_multisampled {
        let samples_log2 = random.below(4) as u8;
        Image::of(wavejit_texture::descriptor::ImageDescriptor { samples_log2, ..image.descriptor })
    } else {
        image
    };
    let colors: Vec<u8> = [0.25_f32, -0.5, 100.0 / 255.0, 3.0, 0.7, 1e-40, 0.1, 1.0].iter().flat_map(|c| c.to_le_bytes()).collect();
    assert!(image.memory.write(BORDER_TABLE, &colors));
    let bytes = image.params.element_bytes;
    image.fill(|_, _, _| (0..bytes).map(|_| random.u64() as u8).collect());
    (image, dim)
}

/// Any float, often one of use.
fn coordinate(random: &mut Random) -> u32 {
    match random.below(12) {
        0 => random.u64() as u32,
        1 => random.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, 1e30, -1e-40]).to_bits(),
        _ => random.f32(-2.0, 3.0).to_bits(),
    }
}

fn compare(call: &Call, image: &Image, what: &str) -> bool {
    let scalar = call.run(&image.memory);
    let mut any = false;
    for level in HostLevel::available().skip(1) {
        let routine = Routine::new(&call.op, &call.config, &call.t, &call.s).unwrap().at_level(level);
        any |= routine.has_kernel();
        let vector = Call { level, ..call.clone() }.run(&image.memory);
        for (n, (v, s)) in vector.iter().zip(&scalar).enumerate() {
            let differs = v.iter().zip(s).position(|(v, s)| v != s);
            if let Some(lane) = differs {
                let address: Vec<f32> = call.address.iter().map(|r| f32::from_bits(r[lane])).collect();
                let (d, sampler) = (image.descriptor, SamplerDescriptor::decode(&call.s, call.op.generation));
                let format = d.format().map(ToString::to_string);
                panic!(
                    "{level} {what} {format:?} register {n} lane {lane}: {:#x} instead of {:#x}\naddress {address:?}\n{:?}\n{d:?}\n{sampler:?}",
                    v[lane], s[lane], call.op
                );
            }
        }
    }
    any
}

fn decorate(random: &mut Random, op: ImageOp, image: &mut Image) -> ImageOp {
    if random.below(3) == 0 {
        image.descriptor.dst_sel = [0, 1, 2, 3].map(|_| random.pick(&[0, 1, 4, 5, 6, 7])).map(DstSel::from_field);
    }
    image.descriptor.base_level = random.below(u32::from(image.descriptor.levels)) as u8;
    if matches!(image.descriptor.kind, ImageType::Dim1Array | ImageType::Dim2Array | ImageType::MsaaArray) {
        image.descriptor.first_layer = random.below(image.descriptor.last_layer + 1);
    }
    let [a16, d16, g16] = [0; 3].map(|_| random.below(4) == 0);
    ImageOp { dmask: 1 + random.below(15) as u8, tfe: random.below(4) == 0, a16, d16, g16, ..op }
}

/// Address registers of sampler instructions; coordinates of a quad lie near each other, now and then.
fn coordinates(random: &mut Random, registers: u8, lanes: usize) -> Vec<Vec<u32>> {
    let step = random.f32(0.0, 0.1);
    let mut register = |_| {
        let near = random.below(2) != 0;
        let start = random.f32(-1.0, 2.0);
        (0..lanes).map(|lane| if near { (start + lane as f32 * step).to_bits() } else { coordinate(random) }).collect()
    };
    (0..registers).map(&mut register).collect()
}

#[test]
fn sampling_kernels_give_the_bits_of_the_scalar_form() {
    let mut random = Random(0x5eed_0001);
    let mut with_kernel = 0;
    let rounds = 900;
    for _ in 0..rounds {
        let format = random.pick(&FORMATS[..FILTERED]);
        let (mut image, dim) = image(&mut random, format, &DIMS[..4]);
        let filter = random.below(2) as u8;
        let s = SamplerDescriptor {
            clamp: [0, 1, 2].map(|_| random.below(4) as u8),
            mag_filter: filter,
            min_filter: filter,
            z_filter: random.below(3) as u8,
            mip_filter: random.below(3) as u8,
            min_lod: random.pick(&[0.0, 0.5]),
            lod_bias: random.pick(&[0.0, -0.7, 1.3]),
            trunc_coord: random.below(2) != 0,
            mc_coord_trunc: random.below(8) == 0,
            unnormalized: random.below(8) == 0,
            ..linear()
        };
        let mnemonic = random.pick(&[
            "image_sample",
            "image_sample_l",
            "image_sample_lz",
            "image_sample_b",
            "image_sample_d",
            "image_sample_cl",
            "image_sample_b_cl_o",
            "image_sample_d_o",
            "image_sample_lz_o",
        ]);
        let op = decorate(&mut random, op(mnemonic, dim), &mut image);
        let lanes = random.pick(&[32, 64]);
        let registers = op.layout(dim).registers;
        let mut call = Call { lanes, exec: random.u64() | random.u64(), ..Call::new(op, image.words(), s.encode().unwrap()) };
        call.address = coordinates(&mut random, registers, lanes);
        with_kernel += u32::from(compare(&call, &image, mnemonic));
    }
    assert!(HostLevel::host() == HostLevel::Baseline || with_kernel > rounds * 9 / 10, "{with_kernel} of {rounds} have kernels");
}

/// A plane or layers of several blocks, and an instruction on it that has a short form.
fn common(random: &mut Random, mnemonic: &str, formats: &[&str]) -> (Image, Call) {
    let (kind, dim) = random.pick(&DIMS[1..3]);
    let [width, height] = [0; 2].map(|_| if random.below(2) == 0 { 16 << random.below(5) } else { 1 + random.below(300) });
    let levels = 1 + random.below(width.max(height).ilog2() + 1);
    let layers = if dim == Dim::Array2 { 3 } else { 1 };
    let mut image = Image::new(kind, random.pick(formats), [width, height, layers], levels, random.pick(&[0, 10, 22, 27, 31]));
    let bytes = image.params.element_bytes as usize;
    let mut bits = random.u64();
    image.fill(|_, [x, y, _], _| {
        bits = bits.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(x + 1000 * y);
        bits.to_le_bytes().into_iter().cycle().take(bytes).collect()
    });
    let s = SamplerDescriptor {
        clamp: [0; 3].map(|_| random.pick(&[0, 2])),
        mip_filter: random.below(3) as u8,
        lod_bias: random.pick(&[0.0, -0.7, 1.3]),
        trunc_coord: random.below(2) != 0,
        mc_coord_trunc: random.below(8) == 0,
        unnormalized: random.below(8) == 0,
        ..if random.below(3) == 0 { SamplerDescriptor { mag_filter: 0, min_filter: 0, ..linear() } } else { linear() }
    };
    let op = decorate(random, op(mnemonic, dim), &mut image);
    let op = ImageOp { d16: false, dmask: random.pick(&[1, 3, 7, 15, 15]), tfe: op.tfe && !mnemonic.contains("store"), ..op };
    image.descriptor.dst_sel = random.pick(&[[4, 5, 6, 7], [6, 5, 4, 7], [4, 0, 0, 1]]).map(DstSel::from_field);
    let lanes = random.pick(&[32, 64]);
    let exec = if random.below(2) == 0 { u64::MAX } else { random.u64() | random.u64() };
    let mut call = Call { lanes, exec, ..Call::new(op, image.words(), s.encode().unwrap()) };
    call.address =
        if op.kind.sampling().is_some() { coordinates(random, op.layout(dim).registers, lanes) } else { texels(random, &op, dim, lanes) };
    (image, call)
}

// IMG-28: the short forms, on images of many blocks
#[test]
fn short_forms_give_the_bits_of_the_scalar_form() {
    let mut random = Random(0x5eed_0006);
    let mnemonics =
        ["image_load", "image_sample_lz", "image_sample", "image_sample_l", "image_sample_b", "image_sample_d", "image_sample_cl"];
    for _ in 0..150 {
        let mnemonic = random.pick(&mnemonics);
        let (image, call) = common(&mut random, mnemonic, &FORMATS[5..FILTERED]);
        assert!(compare(&call, &image, mnemonic) || HostLevel::host() == HostLevel::Baseline);
        let level = HostLevel::host();
        let routine = Routine::new(&call.op, &call.config, &call.t, &call.s).unwrap().at_level(level);
        assert!(routine.has_short_form() || level == HostLevel::Baseline, "{:?} {:?}", call.op, image.descriptor);
    }
}

// IMG-22, IMG-28: the same of stores
#[test]
fn short_stores_leave_the_memory_of_the_scalar_form() {
    let mut random = Random(0x5eed_0007);
    let formats = ["8_8_8_8_UNORM", "16_16_FLOAT", "16_16_16_16_FLOAT", "32_FLOAT", "32_32_UINT", "32_SINT", "32_32_32_32_FLOAT"];
    for _ in 0..80 {
        let (image, mut call) = common(&mut random, "image_store", &formats);
        call.source = (0..4).map(|_| (0..call.lanes).map(|_| coordinate(&mut random)).collect()).collect();
        let before = image.memory.bytes();
        call.run(&image.memory);
        let scalar = image.memory.bytes();
        for level in HostLevel::available().skip(1) {
            let routine = Routine::new(&call.op, &call.config, &call.t, &call.s).unwrap().at_level(level);
            assert!(routine.has_short_form());
            let memory = FlatMemory::new(BASE - 4096, before.clone());
            Call { level, ..call.clone() }.run(&memory);
            assert!(memory.bytes() == scalar, "{level} {:?}\n{:?}", call.op, image.descriptor);
        }
    }
}

// Border colors, comparisons, reductions, gathers, cubes, anisotropic filters, integers
#[test]
fn kernels_of_all_samplers_give_the_bits_of_the_scalar_form() {
    let mut random = Random(0x5eed_0003);
    let mut with_kernel = 0;
    let rounds = 3000;
    for _ in 0..rounds {
        let format = random.pick(&FORMATS);
        let (mut image, dim) = image(&mut random, format, &DIMS[..6]);
        let gathers = dim != Dim::D3 && random.below(4) == 0;
        let border = [Border::TransparentBlack, Border::OpaqueBlack, Border::OpaqueWhite, Border::Table(0), Border::Table(1)];
        let modes = if random.below(2) == 0 { 4 } else { 8 };
        let s = SamplerDescriptor {
            clamp: [0, 1, 2].map(|_| random.below(modes) as u8),
            border: random.pick(&border),
            mag_filter: random.below(4) as u8,
            min_filter: random.below(4) as u8,
            max_aniso_ratio: random.pick(&[0, 0, 1, 2, 4]),
            z_filter: random.below(3) as u8,
            mip_filter: random.below(3) as u8,
            min_lod: random.pick(&[0.0, 0.5]),
            lod_bias: random.pick(&[0.0, -0.7, 1.3]),
            filter_mode: random.pick(&[0, 0, 1, 2]),
            compare: random.below(8) as u8,
            trunc_coord: random.below(2) != 0,
            mc_coord_trunc: random.below(8) == 0,
            unnormalized: dim != Dim::Cube && random.below(8) == 0,
            disable_cube_wrap: random.below(3) == 0,
            ..linear()
        };
        let suffixes = ["", "_l", "_lz", "_b", "_cl", "_b_cl_o", "_lz_o", "_d", "_d_cl_o"];
        let suffix = random.pick(if gathers { &suffixes[..7] } else { &suffixes });
        let compares = if random.below(3) == 0 { "_c" } else { "" };
        let mnemonic = format!("image_{}{compares}{suffix}", if gathers { "gather4" } else { "sample" });
        let op = decorate(&mut random, op(&mnemonic, dim), &mut image);
        let op = if gathers { ImageOp { dmask: 1 << random.below(4), ..op } } else { op };
        let lanes = random.pick(&[32, 64]);
        let mut call = Call { lanes, exec: random.u64() | random.u64(), ..Call::new(op, image.words(), s.encode().unwrap()) };
        call.config.unpacked_d16 = random.below(4) == 0;
        call.address = coordinates(&mut random, op.layout(dim).registers, lanes);
        if let (true, Some(Slot::Whole(n))) = (dim == Dim::Cube, op.layout(dim).body[2]) {
            call.address[usize::from(n)] = (0..lanes).map(|_| (random.below(24) as f32).to_bits()).collect();
        }
        with_kernel += u32::from(compare(&call, &image, &mnemonic));
    }
    assert!(HostLevel::host() == HostLevel::Baseline || with_kernel > rounds * 9 / 10, "{with_kernel} of {rounds} have kernels");
}

// Lanes near the corners of a cube are left to the scalar form, which must still find its neighbors' coordinates under the results of others.
#[test]
fn results_may_replace_the_coordinates_of_a_cube() {
    let mut random = Random(0x5eed_0004);
    for _ in 0..50 {
        let (mut image, dim) = image(&mut random, "8_8_8_8_UNORM", &DIMS[5..6]);
        image.descriptor.dst_sel = [4, 5, 6, 7].map(DstSel::from_field);
        let s = SamplerDescriptor { mip_filter: 2, ..linear() }.encode().unwrap();
        let op = op("image_sample", dim);
        let mut rows: Vec<u32> = (0..4 * 32).map(|_| random.f32(0.9, 2.1).to_bits()).collect();
        rows[64..96].iter_mut().for_each(|face| *face = (random.below(6) as f32).to_bits());
        let mut results = HostLevel::available().map(|level| {
            let routine = Routine::new(&op, &ImageConfig::default(), &image.words(), &s).unwrap().at_level(level);
            let mut rows = rows.clone();
            let operands = Operands { address: &[0, 1, 2], source: &[], result: &[0, 1, 2, 3] };
            routine.execute(&operands, &mut Wave::new(&mut rows, 32, 0xffff_7ffe), &image.memory).unwrap();
            rows
        });
        let scalar = results.next().unwrap();
        assert!(results.all(|vector| vector == scalar));
    }
}

// IMG-13, IMG-28: also outside the image, of levels and samples there are not
#[test]
fn load_kernels_give_the_bits_of_the_scalar_form() {
    let mut random = Random(0x5eed_0002);
    let mut with_kernel = 0;
    let rounds = 1500;
    for _ in 0..rounds {
        let format = random.pick(&FORMATS);
        let dims = if format.starts_with("BC") { &DIMS[..6] } else { &DIMS };
        let (mut image, dim) = image(&mut random, format, dims);
        let is_multisampled = matches!(dim, Dim::Msaa | Dim::MsaaArray);
        let mnemonic = random.pick(&["image_load", if is_multisampled { "image_msaa_load" } else { "image_load_mip" }]);
        let op = decorate(&mut random, op(mnemonic, dim), &mut image);
        let lanes = random.pick(&[32, 64]);
        let mut call = Call { lanes, exec: random.u64() | random.u64(), ..Call::new(op, image.words(), [0; 4]) };
        call.config.unpacked_d16 = random.below(4) == 0;
        call.address = texels(&mut random, &op, dim, lanes);
        with_kernel += u32::from(compare(&call, &image, mnemonic));
    }
    assert!(HostLevel::host() == HostLevel::Baseline || with_kernel > rounds * 9 / 10, "{with_kernel} of {rounds} have kernels");
}

/// Address registers of instructions without sampler: coordinates of small images, small levels and samples, and now and then others.
fn texels(random: &mut Random, op: &ImageOp, dim: Dim, lanes: usize) -> Vec<Vec<u32>> {
    let layout = op.layout(dim);
    let mut rows = vec![vec![0; lanes]; layout.registers.into()];
    let slots = layout.body.into_iter().map(|slot| (slot, 40)).chain([(layout.level, 4), (layout.fragment, 5)]);
    for (slot, most) in slots {
        let mut value = |_| if random.below(10) == 0 { random.u64() as u32 } else { random.below(most) };
        let values: Vec<u32> = (0..lanes).map(&mut value).collect();
        let Some(Slot::Whole(n) | Slot::Low(n) | Slot::High(n)) = slot else { continue };
        for (bits, value) in rows[usize::from(n)].iter_mut().zip(values) {
            match slot {
                Some(Slot::Low(_)) => *bits |= value & 0xffff,
                Some(Slot::High(_)) => *bits |= value << 16,
                _ => *bits = value,
            }
        }
    }
    rows
}

// IMG-22, IMG-28: of lanes that store to one texel the last one wins
#[test]
fn store_kernels_leave_the_memory_of_the_scalar_form() {
    let mut random = Random(0x5eed_0005);
    let mut with_kernel = 0;
    let rounds = 600;
    for _ in 0..rounds {
        let format = random.pick(&FORMATS[5..]);
        let (mut image, dim) = image(&mut random, format, &DIMS);
        let is_multisampled = matches!(dim, Dim::Msaa | Dim::MsaaArray);
        let mnemonic = if is_multisampled { "image_store" } else { random.pick(&["image_store", "image_store_mip"]) };
        let op = ImageOp { tfe: false, ..decorate(&mut random, op(mnemonic, dim), &mut image) };
        let lanes = random.pick(&[32, 64]);
        let mut call = Call { lanes, exec: random.u64() | random.u64(), ..Call::new(op, image.words(), [0; 4]) };
        call.config.unpacked_d16 = random.below(4) == 0;
        call.address = texels(&mut random, &op, dim, lanes);
        call.source = (0..4).map(|_| (0..lanes).map(|_| coordinate(&mut random)).collect()).collect();
        let before = image.memory.bytes();
        call.run(&image.memory);
        let scalar = image.memory.bytes();
        for level in HostLevel::available().skip(1) {
            let routine = Routine::new(&call.op, &call.config, &call.t, &call.s).unwrap().at_level(level);
            with_kernel += u32::from(routine.has_kernel());
            let memory = FlatMemory::new(BASE - 4096, before.clone());
            Call { level, ..call.clone() }.run(&memory);
            assert!(memory.bytes() == scalar, "{level} {mnemonic} {format} {:?}\n{:?}", call.op, image.descriptor);
        }
    }
    let all = rounds * HostLevel::available().skip(1).count() as u32;
    assert!(with_kernel >= all * 9 / 10, "{with_kernel} of {all} have kernels");
}
