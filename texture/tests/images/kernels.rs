//! Vector kernels against the scalar form: the same bits, in every instruction set this processor has.

use super::support::{Call, Image, Random, linear, op};
use wavejit_texture::descriptor::{DstSel, ImageKind, SamplerDescriptor};
use wavejit_texture::image::{Dim, ImageOp, Isa, Routine};

const FORMATS: [&str; 22] = [
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
    "32_UINT",
    "32_32_32_32_SINT",
    "8_8_8_8_SINT",
    "8_8_UINT",
    "16_16_SINT",
    "2_10_10_10_UINT",
];

fn image(random: &mut Random, format: &str) -> (Image, Dim) {
    let (kind, dim) = random.pick(&[
        (ImageKind::Dim1, Dim::D1),
        (ImageKind::Dim2, Dim::D2),
        (ImageKind::Dim2Array, Dim::Array2),
        (ImageKind::Dim3, Dim::D3),
    ]);
    let mut extent = || if random.below(3) == 0 { 1 << random.below(6) } else { 1 + random.below(50) };
    let size = match dim {
        Dim::D1 => [extent(), 1, 1],
        Dim::D2 => [extent(), extent(), 1],
        _ => [extent(), extent(), 1 + extent() % 9],
    };
    let levels = 1 + random.below(size[0].max(size[1]).ilog2() + 1);
    let mode = match dim {
        Dim::D1 => 0,
        Dim::D3 => random.pick(&[0, 9, 25]),
        _ => random.pick(&[0, 10, 27]),
    };
    let image = Image::new(kind, format, size, levels, mode);
    let bytes = image.shape.element_bytes;
    image.fill(|_, _, _| (0..bytes).map(|_| random.next() as u8).collect());
    (image, dim)
}

/// Any float, often one of use.
fn coordinate(random: &mut Random) -> u32 {
    match random.below(12) {
        0 => random.next() as u32,
        1 => random.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, 1e30, -1e-40]).to_bits(),
        _ => random.between(-2.0, 3.0).to_bits(),
    }
}

fn compare(call: &Call, image: &Image, what: &str) -> bool {
    let scalar = call.run(&image.memory);
    let mut any = false;
    for isa in Isa::available() {
        let routine = Routine::new(&call.op, &call.config, &call.t, &call.s).unwrap().with_isa(Some(isa));
        any |= routine.has_kernel();
        let vector = Call { isa: Some(isa), ..call.clone() }.run(&image.memory);
        for (n, (v, s)) in vector.iter().zip(&scalar).enumerate() {
            let differs = v.iter().zip(s).position(|(v, s)| v != s);
            if let Some(lane) = differs {
                let address: Vec<f32> = call.address.iter().map(|r| f32::from_bits(r[lane])).collect();
                let (d, sampler) = (image.descriptor, SamplerDescriptor::decode(&call.s, call.op.generation));
                let format = d.format().map(ToString::to_string);
                panic!(
                    "{isa:?} {what} {format:?} register {n} lane {lane}: {:#x} instead of {:#x}\naddress {address:?}\n{:?}\n{d:?}\n{sampler:?}",
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
    if image.descriptor.kind == ImageKind::Dim2Array {
        image.descriptor.first_layer = random.below(image.descriptor.last_layer + 1);
    }
    ImageOp { dmask: 1 + random.below(15) as u8, tfe: random.below(4) == 0, ..op }
}

#[test]
fn sampling_kernels_give_the_bits_of_the_scalar_form() {
    let mut random = Random(0x5eed_0001);
    let mut with_kernel = 0;
    let rounds = 900;
    for _ in 0..rounds {
        let format = random.pick(&FORMATS[..16]);
        let (mut image, dim) = image(&mut random, format);
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
        let mut call = Call { lanes, exec: random.next() | random.next(), ..Call::new(op, image.words(), s.encode().unwrap()) };
        // Coordinates of a quad lie near each other, now and then.
        let step = random.between(0.0, 0.1);
        call.address = (0..registers)
            .map(|_| {
                let near = random.below(2) != 0;
                let start = random.between(-1.0, 2.0);
                (0..lanes).map(|lane| if near { (start + lane as f32 * step).to_bits() } else { coordinate(&mut random) }).collect()
            })
            .collect();
        with_kernel += u32::from(compare(&call, &image, mnemonic));
    }
    assert!(Isa::available().is_empty() || with_kernel > rounds * 9 / 10, "{with_kernel} of {rounds} have kernels");
}

// IMG-13, IMG-28: also outside the image
#[test]
fn load_kernels_give_the_bits_of_the_scalar_form() {
    let mut random = Random(0x5eed_0002);
    let mut with_kernel = 0;
    let rounds = 600;
    for _ in 0..rounds {
        let format = random.pick(&FORMATS);
        let (mut image, dim) = image(&mut random, format);
        let op = decorate(&mut random, op("image_load", dim), &mut image);
        let lanes = random.pick(&[32, 64]);
        let mut call = Call { lanes, exec: random.next() | random.next(), ..Call::new(op, image.words(), [0; 4]) };
        call.address = (0..op.layout(dim).registers)
            .map(|_| (0..lanes).map(|_| if random.below(10) == 0 { random.next() as u32 } else { random.below(40) }).collect())
            .collect();
        with_kernel += u32::from(compare(&call, &image, "image_load"));
    }
    assert!(Isa::available().is_empty() || with_kernel > rounds * 9 / 10, "{with_kernel} of {rounds} have kernels");
}
