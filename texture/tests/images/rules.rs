//! One rule of the manual per test; expected values are worked out by hand from the rule.

use super::support::{BASE, BORDER_TABLE, Call, Image, UNTOUCHED, linear, op, point};
use wavejit_texture::descriptor::{Border, DstSel, ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::image::{Dim, HostLevel, ImageError, ImageOp, Kind};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::{Generation, Memory};

/// An image whose texel (x, y, z) of level l is x + 10 y + 100 z + 1000 l.
fn numbered(kind: ImageType, size: [u32; 3], levels: u32) -> Image {
    let image = Image::new(kind, "32_UINT", size, levels, 0);
    image.fill(|l, [x, y, z], s| (x + 10 * y + 100 * z + 1000 * l + 10_000 * s).to_le_bytes().to_vec());
    image
}

/// The same as floats.
fn numbered_floats(kind: ImageType, size: [u32; 3], levels: u32) -> Image {
    let image = Image::new(kind, "32_FLOAT", size, levels, 0);
    image.fill(|l, [x, y, z], _| ((x + 10 * y + 100 * z + 1000 * l) as f32).to_le_bytes().to_vec());
    image
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn encode(s: SamplerDescriptor) -> [u32; 4] {
    s.encode().unwrap()
}

/// A partially resident image of two pages side by side, the right one missing, of texels 7.
fn sparse() -> Image {
    let mut image = Image::new(ImageType::Dim2, "32_FLOAT", [256, 128, 1], 1, 10); // 64KB_D: blocks of 128x128
    image.descriptor.min_lod_warn = 2.0;
    image.fill(|_, _, _| 7.0_f32.to_le_bytes().to_vec());
    image.memory = image.memory.with_residency(|page| page != (BASE >> 16) + 1);
    image
}

// IMG-01, IMG-02, IMG-03, IMG-05, GCN-02: data first, then the status dword; 1 and the level for what is missing, which reads 0
#[test]
fn missing_texels_are_reported_after_the_data() {
    let image = sparse();
    let load = ImageOp { dmask: 1, tfe: true, ..op("image_load", Dim::D2) };
    let call = Call::new(load, image.words(), [0; 4]).address(&[&[127, 128, 500], &[0]]);
    let r = call.run(&image.memory);
    assert_eq!((&r[0][..3], &r[1][..3]), (&[7.0_f32.to_bits(), 0, 0][..], &[0, 1, 0][..]), "outside the image is not a failure");
    assert_eq!(r[2][0], UNTOUCHED);
    // without TFE: the same data and no status
    let r = Call { op: ImageOp { tfe: false, ..load }, ..call }.run(&image.memory);
    assert_eq!((r[0][1], r[1][1]), (0, UNTOUCHED));
}

// IMG-02, IMG-03: a blend with what is missing, which counts as 0
#[test]
fn missing_texels_blend_as_zero() {
    let image = sparse();
    let sample = ImageOp { dmask: 1, tfe: true, ..op("image_sample_lz", Dim::D2) };
    let s = SamplerDescriptor { clamp: [2; 3], ..linear() };
    let at = [128.0 / 256.0, 127.5 / 256.0];
    let r = Call::new(sample, image.words(), encode(s)).coordinates(&[&at, &[0.5 / 128.0]]).run(&image.memory);
    assert_eq!((f32::from_bits(r[0][0]), r[1][0]), (3.5, 1));
    assert_eq!((f32::from_bits(r[0][1]), r[1][1]), (7.0, 0), "a tap of weight 0 is not touched");
}

// IMG-04: below the warning level, unless something failed; loads do not warn
#[test]
fn levels_below_the_limit_warn() {
    let image = sparse();
    let sample = ImageOp { dmask: 1, tfe: true, lwe: true, ..op("image_sample_l", Dim::D2) };
    let call = Call::new(sample, image.words(), encode(SamplerDescriptor { clamp: [2; 3], ..point() }));
    let call = call.coordinates(&[&[0.25, 0.25, 0.75], &[0.5], &[1.5, 2.0, 1.0]]);
    let r = call.run(&image.memory);
    assert_eq!(r[1][..3], [2 | 1 << 16, 0, 1], "the failure was in level 0, the only one");
    let load = ImageOp { dmask: 1, lwe: true, ..op("image_load", Dim::D2) };
    assert_eq!(Call::new(load, image.words(), [0; 4]).address(&[&[0], &[0]]).run(&image.memory)[1][0], 0);
}

// IMG-06: without min_lod_warn nothing is missing; the default of PRT_DEFAULT is not a failure
#[test]
fn ordinary_images_are_resident() {
    let mut image = sparse();
    let load = ImageOp { dmask: 1, tfe: true, ..op("image_load", Dim::D2) };
    let run = |image: &Image| Call::new(load, image.words(), [0; 4]).address(&[&[200], &[0]]).run(&image.memory);
    image.descriptor.prt_default = true;
    assert_eq!((run(&image)[0][0], run(&image)[1][0]), (0, 0));
    image.descriptor.min_lod_warn = 0.0;
    assert_eq!((run(&image)[0][0], run(&image)[1][0]), (7.0_f32.to_bits(), 0));
}

// IMG-06: stores to what is missing are dropped, atomics return 0
#[test]
fn writes_to_missing_pages_are_dropped() {
    let image = sparse();
    let before = image.memory.bytes();
    let store = ImageOp { dmask: 1, ..op("image_store", Dim::D2) };
    Call::new(store, image.words(), [0; 4]).address(&[&[200], &[0]]).source(&[&[5]]).run(&image.memory);
    let add = ImageOp { dmask: 1, returns: true, ..op("image_atomic_add", Dim::D2) };
    let r = Call::new(add, image.words(), [0; 4]).address(&[&[200], &[0]]).source(&[&[5]]).run(&image.memory);
    assert_eq!(r[0][0], 0);
    assert_eq!(image.memory.bytes(), before);
}

// IMG-07, IMG-08, IMG-26: halves of floats; integers keep their low 16 bits
#[test]
fn sixteen_bit_loads_pack_two_components() {
    let image = Image::new(ImageType::Dim2, "16_16_16_16_SINT", [1, 1, 1], 1, 0);
    image.put(0, [0; 3], 0, &[1, 0, 0xfe, 0xff, 3, 0, 4, 0]);
    let load = ImageOp { d16: true, dmask: 0b1011, ..op("image_load", Dim::D2) };
    let r = Call::new(load, image.words(), [0; 4]).address(&[&[0], &[0]]).lane0(&image.memory);
    assert_eq!(r[..3], [0xfffe_0001, UNTOUCHED & 0xffff_0000 | 4, UNTOUCHED]);
    // 32-bit floats are truncated, others rounded to nearest
    let image = Image::new(ImageType::Dim2, "32_FLOAT", [1, 1, 1], 1, 0);
    image.put(0, [0; 3], 0, &(1.0_f32 + 1.5 / 1024.0).to_le_bytes());
    let r = Call::new(ImageOp { dmask: 1, ..load }, image.words(), [0; 4]).address(&[&[0], &[0]]).lane0(&image.memory);
    assert_eq!(r[0] & 0xffff, 0x3c01);
    let s = encode(point());
    let sample = ImageOp { d16: true, dmask: 1, ..op("image_sample_lz", Dim::D2) };
    let r = Call::new(sample, image.words(), s).coordinates(&[&[0.5], &[0.5]]).lane0(&image.memory);
    assert_eq!(r[0] & 0xffff, 0x3c02, "results of samplers are rounded to nearest even");
}

// IMG-09, IMG-12: integer pairs for loads, f16 pairs for samplers
#[test]
fn sixteen_bit_addresses() {
    let image = numbered(ImageType::Dim2Array, [8, 8, 4], 1);
    let load = ImageOp { dmask: 1, a16: true, ..op("image_load", Dim::Array2) };
    let r = Call::new(load, image.words(), [0; 4]).address(&[&[5 << 16 | 6], &[3]]).lane0(&image.memory);
    assert_eq!(r[0], 6 + 50 + 300);
    let image = numbered_floats(ImageType::Dim2, [8, 8, 1], 1);
    let sample = ImageOp { dmask: 1, a16: true, ..op("image_sample_lz", Dim::D2) };
    let half = |f: f32| u32::from(half::f16::from_f32(f).to_bits());
    let address = half(6.5 / 8.0) | half(2.5 / 8.0) << 16;
    let r = Call::new(sample, image.words(), encode(point())).address(&[&[address]]).floats(&image.memory);
    assert_eq!(r[0], 26.0);
}

// IMG-10: derivatives in pairs, two texels apart: level 1
#[test]
fn sixteen_bit_derivatives() {
    let image = numbered_floats(ImageType::Dim2, [8, 8, 1], 2);
    let sample = ImageOp { dmask: 1, ..op("image_sample_d_g16", Dim::D2) };
    let two_texels = u32::from(half::f16::from_f32(2.0 / 8.0).to_bits());
    let call = Call::new(sample, image.words(), encode(point()));
    let coordinates = [0.1_f32.to_bits()];
    for (h, v, expected) in [(0, 0, 0.0), (two_texels << 16, 0, 1000.0), (0, two_texels, 1000.0)] {
        let r = call.clone().address(&[&[h], &[v], &coordinates, &coordinates]).floats(&image.memory);
        assert_eq!(r[0], expected);
    }
}

// IMG-13, IMG-15, GCN-04: a face is 6 to a cube for loads, 8 to a cube for samplers
#[test]
fn faces_of_cube_arrays() {
    let image = numbered_floats(ImageType::Cube, [4, 4, 12], 1);
    let load = ImageOp { dmask: 1, ..op("image_load", Dim::Cube) };
    let r = Call::new(load, image.words(), [0; 4]).address(&[&[1], &[2], &[7]]).floats(&image.memory);
    assert_eq!(r[0], 721.0);
    let sample = ImageOp { dmask: 1, ..op("image_sample_lz", Dim::Cube) };
    let r = Call::new(sample, image.words(), encode(point())).coordinates(&[&[1.375], &[1.625], &[9.0]]).floats(&image.memory);
    assert_eq!(r[0], 721.0);
}

// IMG-14: samplers and levels do not go with samples; loads, stores and msaa_load do
#[test]
fn msaa_images_are_loaded_by_fragment() {
    let mut image = Image::new(ImageType::Msaa, "32_UINT", [8, 8, 1], 1, 24); // 64KB_Z_X
    image.descriptor.samples_log2 = 2;
    image = Image::of(image.descriptor);
    image.fill(|_, [x, y, _], s| (x + 10 * y + 100 * s).to_le_bytes().to_vec());
    let load = ImageOp { dmask: 1, ..op("image_load", Dim::Msaa) };
    let r = Call::new(load, image.words(), [0; 4]).address(&[&[3], &[4], &[0, 3, 4]]).run(&image.memory);
    assert_eq!(r[0][..3], [43, 343, 0]);
    // IMG-33: four fragments of one component from a fragment on
    let load = ImageOp { dmask: 1, ..op("image_msaa_load", Dim::Msaa) };
    let r = Call::new(load, image.words(), [0; 4]).address(&[&[3], &[4], &[1]]).lane0(&image.memory);
    assert_eq!(r[..5], [143, 243, 343, 0, UNTOUCHED]);
    let sample = ImageOp { dmask: 1, ..op("image_sample_lz", Dim::Msaa) };
    let r = Call::new(sample, image.words(), encode(point())).coordinates(&[&[0.5], &[0.5], &[0.0]]).lane0(&image.memory);
    assert_eq!(r[0], 0);
}

// IMG-16, IMG-18, IMG-19, GCN-13, GCN-14, GCN-22: offset, reference, derivatives, coordinates, level bound, in this order
#[test]
fn operands_of_the_longest_instruction() {
    let image = numbered_floats(ImageType::Dim3, [8, 8, 8], 3);
    let s = encode(SamplerDescriptor { compare: 4, ..point() });
    let sample = ImageOp { dmask: 1, ..op("image_sample_c_d_cl_o", Dim::D3) };
    let level_1 = 2.0 / 8.0;
    let mut address = vec![vec![1_u32 | 0x3f << 8]];
    // level 1 has 4x4x4 texels: (1, 2, 3) moved by (1, -1, 0) is 1000 + 2 + 10 + 300
    address.extend(bits(&[1311.0, 0.0, level_1, 0.0, 0.0, 0.0, 0.0, 1.5 / 4.0, 2.5 / 4.0, 3.5 / 4.0, 0.0]).into_iter().map(|b| vec![b]));
    let mut call = Call::new(sample, image.words(), s);
    call.address = address;
    assert_eq!(call.floats(&image.memory)[0], 0.0, "1311 > 1312");
    call.address[1] = vec![1313.0_f32.to_bits()];
    assert_eq!(call.floats(&image.memory)[0], 1.0, "1313 > 1312");
    call.address[11] = vec![2.0_f32.to_bits()];
    call.address[1] = vec![2001.0_f32.to_bits()];
    // level 2 has 2x2x2: (0, 1, 1) moved and wrapped is (1, 0, 1)
    assert_eq!(call.floats(&image.memory)[0], 0.0, "2001 > 2101");
    call.address.pop();
    assert!(matches!(call.try_run(&image.memory), Err(ImageError::Registers { needed: 12, given: 11, .. })));
}

// Depth that a driver keeps as f32 compares as the UNORM it was: references are limited to 0 to 1 (format 32_FLOAT_CLAMP; UPGRADED_DEPTH of
// the samplers of gfx6 to gfx8). Depth that is f32 takes them as they are.
#[test]
fn references_of_upgraded_depth_are_limited() {
    use wavejit_texture::format::{Format, FormatNumber};
    let format = |generation: Generation, name: &str| {
        let numbers = match generation {
            Generation::Gfx8 => (1..64).flat_map(|data| (0..16).map(move |number| FormatNumber::Split { data, number })).collect(),
            _ => (1..256).map(FormatNumber::Unified).collect::<Vec<_>>(),
        };
        let named = |n: &FormatNumber| Format::find(generation, *n).is_some_and(|f| f.to_string() == name);
        numbers.into_iter().find(named).unwrap_or_else(|| panic!("{generation:?} has no {name}"))
    };
    let passes = |generation: Generation, name: &str, upgraded_depth: bool, reference: f32| {
        let mut d = ImageDescriptor::new(generation, ImageType::Dim2, format(generation, name), 8, 8);
        (d.base, d.mode) = (BASE, if generation == Generation::Gfx8 { 8 } else { 0 });
        let image = Image::of(d);
        image.fill(|_, _, _| 1f32.to_le_bytes().to_vec());
        let s = SamplerDescriptor { compare: 3, upgraded_depth, ..SamplerDescriptor::new(generation) };
        let kind = Kind::named("image_sample_c_lz").unwrap().0;
        let o = ImageOp { dmask: 1, ..ImageOp::new(kind, generation, Dim::D2) };
        let mut call = Call::new(o, image.words(), encode(s)).coordinates(&[&[reference], &[0.5], &[0.5]]);
        let results = HostLevel::available().map(|level| {
            call.level = level;
            call.floats(&image.memory)[0]
        });
        let results: Vec<f32> = results.collect();
        assert!(results.iter().all(|r| *r == results[0]), "{generation:?} {name} {results:?}");
        results[0] == 1.0
    };
    // 1.5 <= 1 only if it is limited.
    assert!(!passes(Generation::Gfx11, "32_FLOAT", false, 1.5));
    assert!(passes(Generation::Gfx10, "32_FLOAT_CLAMP_FLOAT", false, 1.5));
    assert!(passes(Generation::Gfx10, "32_FLOAT_CLAMP_FLOAT", false, f32::NAN));
    assert!(!passes(Generation::Gfx8, "32_FLOAT", false, 1.5));
    assert!(passes(Generation::Gfx8, "32_FLOAT", true, 1.5));
}

// IMG-05: a status without a register is an error, not a register that is left alone. Kernels wrote it all the same (found by fuzzing).
#[test]
fn a_status_needs_its_register() {
    let image = numbered_floats(ImageType::Dim2, [8, 8, 1], 1);
    let sample = ImageOp { dmask: 4, tfe: true, ..op("image_sample_lz", Dim::D2) };
    let mut call = Call::new(sample, image.words(), encode(linear())).coordinates(&[&[0.5], &[0.5]]);
    for level in HostLevel::available() {
        call.level = level;
        call.results = 2;
        assert!(call.try_run(&image.memory).is_ok());
        call.results = 1;
        assert!(matches!(call.try_run(&image.memory), Err(ImageError::Registers { what: "result", needed: 2, given: 1 })), "{level}");
    }
}

// IMG-20, IMG-21: selected components to consecutive registers; no DMASK is one component that is 0
#[test]
fn dst_sel_comes_before_dmask() {
    let mut image = Image::new(ImageType::Dim2, "8_8_8_8_UINT", [1, 1, 1], 1, 0);
    image.put(0, [0; 3], 0, &[1, 2, 3, 4]);
    image.descriptor.dst_sel = [DstSel::Component(2), DstSel::Zero, DstSel::One, DstSel::Component(0)];
    let load = ImageOp { dmask: 0b1101, ..op("image_load", Dim::D2) };
    let run = |op, lane_x| Call::new(op, image.words(), [0; 4]).address(&[&[lane_x], &[0]]).lane0(&image.memory);
    assert_eq!(run(load, 0)[..4], [3, 1, 1, UNTOUCHED]);
    assert_eq!(run(load, 1)[..4], [0, 1, 0, UNTOUCHED], "IMG-28: outside the image constants remain");
    let none = ImageOp { dmask: 0, tfe: true, ..load };
    assert_eq!(run(none, 0)[..3], [0, UNTOUCHED, UNTOUCHED]);
    assert_eq!(run(ImageOp { lwe: true, ..none }, 0)[..3], [0, 0, UNTOUCHED]);
}

// IMG-22: whole texels are stored; what DMASK leaves out is 0, on gfx12 the X component
#[test]
fn stores_write_whole_texels() {
    let image = Image::new(ImageType::Dim2, "8_8_8_8_UINT", [2, 1, 1], 1, 0);
    image.fill(|_, _, _| vec![9; 4]);
    let store = ImageOp { dmask: 0b1001, ..op("image_store", Dim::D2) };
    Call::new(store, image.words(), [0; 4]).address(&[&[1], &[0]]).source(&[&[5], &[300]]).run(&image.memory);
    assert_eq!((image.get(0, [1, 0, 0], 0), image.get(0, [0; 3], 0)), (vec![5, 0, 0, 255], vec![9; 4]), "integers saturate");
    let d = wavejit_texture::ImageDescriptor { generation: Generation::Gfx12, ..image.descriptor };
    let image = Image::of(d);
    let store = ImageOp { generation: Generation::Gfx12, dmask: 0b0101, ..store };
    Call::new(store, image.words(), [0; 4]).address(&[&[1], &[0]]).source(&[&[5], &[6]]).run(&image.memory);
    assert_eq!(image.get(0, [1, 0, 0], 0), [5, 5, 6, 5]);
}

// IMG-23: the set bits of DMASK take 16-bit values in sequence
#[test]
fn sixteen_bit_stores_unpack() {
    let image = Image::new(ImageType::Dim2, "32_32_32_32_FLOAT", [1, 1, 1], 1, 0);
    let store = ImageOp { dmask: 0b1101, d16: true, ..op("image_store", Dim::D2) };
    Call::new(store, image.words(), [0; 4]).address(&[&[0], &[0]]).source(&[&[0x4000_3c00], &[0xffff_c200]]).run(&image.memory);
    let expected: Vec<u8> = [1.0_f32, 0.0, 2.0, -3.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    assert_eq!(image.get(0, [0; 3], 0), expected);
}

// IMG-24, GCN-17, GCN-18, GCN-19: atomics on dwords and quadwords
#[test]
fn atomics_return_the_old_value() {
    let image = Image::new(ImageType::Dim2, "32_UINT", [1, 1, 1], 1, 0);
    let run = |mnemonic: &str, old: u32, data: &[u32]| {
        image.put(0, [0; 3], 0, &old.to_le_bytes());
        let atomic = ImageOp { dmask: if data.len() == 2 { 3 } else { 1 }, returns: true, ..op(mnemonic, Dim::D2) };
        let mut call = Call::new(atomic, image.words(), [0; 4]).address(&[&[0], &[0]]);
        call.source = data.iter().map(|&d| vec![d]).collect();
        call.exec = 1;
        let returned = call.lane0(&image.memory)[0];
        let new = image.get(0, [0; 3], 0);
        (returned, u32::from_le_bytes([new[0], new[1], new[2], new[3]]))
    };
    let minus = |n: u32| n.wrapping_neg();
    let rows: &[(&str, u32, &[u32], u32)] = &[
        ("swap", 5, &[7], 7),
        ("cmpswap", 5, &[7, 5], 7),
        ("cmpswap", 5, &[7, 6], 5),
        ("add", 5, &[minus(7)], minus(2)),
        ("sub", 5, &[7], minus(2)),
        ("rsub", 5, &[7], 2),
        ("smin", 5, &[minus(1)], minus(1)),
        ("umin", 5, &[minus(1)], 5),
        ("smax", 5, &[minus(1)], 5),
        ("umax", 5, &[minus(1)], minus(1)),
        ("and", 6, &[3], 2),
        ("or", 6, &[3], 7),
        ("xor", 6, &[3], 5),
        ("inc", 5, &[7], 6),
        ("inc", 7, &[7], 0),
        ("dec", 5, &[7], 4),
        ("dec", 0, &[7], 7),
        ("dec", 9, &[7], 7),
        ("fmin", 0x4000_0000, &[0xbf80_0000], 0xbf80_0000),
        ("fmax", 0x4000_0000, &[0xbf80_0000], 0x4000_0000),
        ("fcmpswap", 0x8000_0000, &[0x3f80_0000, 0], 0x3f80_0000),
        ("fcmpswap", 0x7fc0_0000, &[1, 0x7fc0_0000], 0x7fc0_0000),
        ("add_flt", 0x3f80_0000, &[0x3f80_0000], 0x4000_0000),
        ("pk_add_f16", 0x3c00_4000, &[0x3c00_3c00], 0x4000_4200),
    ];
    for &(name, old, data, new) in rows {
        assert_eq!(run(&format!("image_atomic_{name}"), old, data), (old, new), "{name} {old:#x} {data:x?}");
    }
    // without return the register keeps its value
    let add = ImageOp { dmask: 1, ..op("image_atomic_add", Dim::D2) };
    let call = Call::new(add, image.words(), [0; 4]).address(&[&[0], &[0]]).source(&[&[1]]);
    assert_eq!(call.lane0(&image.memory)[0], UNTOUCHED);
    let odd = Call { op: ImageOp { dmask: 5, ..add }, ..call };
    assert!(matches!(odd.try_run(&image.memory), Err(ImageError::AtomicMask(5))));
    // a 64-bit operation on 32-bit texels: nothing
    let wide = Call { op: ImageOp { dmask: 3, returns: true, ..add }, ..odd }.source(&[&[1], &[1]]);
    assert_eq!(wide.lane0(&image.memory)[..2], [0, 0]);
}

// IMG-24: 64 bits
#[test]
fn atomics_of_quadwords() {
    let image = Image::new(ImageType::Dim2, "32_32_UINT", [1, 1, 1], 1, 0);
    image.put(0, [0; 3], 0, &0xffff_ffff_u64.to_le_bytes());
    let add = ImageOp { dmask: 3, returns: true, ..op("image_atomic_add", Dim::D2) };
    let mut call = Call::new(add, image.words(), [0; 4]).address(&[&[0], &[0]]).source(&[&[1], &[2]]);
    call.exec = 1;
    assert_eq!(call.lane0(&image.memory)[..2], [0xffff_ffff, 0]);
    assert_eq!(image.get(0, [0; 3], 0), (0x3_0000_0000_u64).to_le_bytes());
    let swap = Call { op: ImageOp { dmask: 15, ..op("image_atomic_cmpswap", Dim::D2) }, ..call }.source(&[&[8], &[9], &[0], &[3]]);
    swap.run(&image.memory);
    assert_eq!(image.get(0, [0; 3], 0), (0x9_0000_0008_u64).to_le_bytes());
}

// IMG-25: denormal texels are 0 to samplers, themselves to loads
#[test]
fn samplers_flush_denormals() {
    let image = Image::new(ImageType::Dim2, "32_FLOAT", [1, 1, 1], 1, 0);
    image.put(0, [0; 3], 0, &5_u32.to_le_bytes());
    let load = ImageOp { dmask: 1, ..op("image_load", Dim::D2) };
    assert_eq!(Call::new(load, image.words(), [0; 4]).address(&[&[0], &[0]]).lane0(&image.memory)[0], 5);
    let sample = ImageOp { dmask: 1, ..op("image_sample_lz", Dim::D2) };
    assert_eq!(Call::new(sample, image.words(), encode(point())).coordinates(&[&[0.5], &[0.5]]).lane0(&image.memory)[0], 0);
}

// IMG-27, IMG-29: nothing bound, or something that is not an image
#[test]
fn unbound_and_wrong_descriptors_read_zero() {
    let memory = FlatMemory::new(0, vec![0x55; 4096]);
    let before = memory.bytes();
    let buffer = [0, 0, 0x1000, 0, 0, 0, 0, 0];
    for t in [[0; 8], buffer] {
        for name in ["image_load", "image_sample_lz", "image_gather4_lz", "image_get_resinfo", "image_get_lod"] {
            let o = ImageOp { dmask: 1, tfe: true, ..op(name, Dim::D2) };
            let r = Call::new(o, t, [0; 4]).coordinates(&[&[0.0], &[0.0]]).lane0(&memory);
            let n = o.components();
            assert!(r[..=n].iter().all(|&v| v == 0) && r[n + 1] == UNTOUCHED, "{name} {r:x?}");
        }
        Call::new(ImageOp { dmask: 1, ..op("image_store", Dim::D2) }, t, [0; 4]).address(&[&[0], &[0]]).source(&[&[7]]).run(&memory);
        let add = ImageOp { dmask: 1, returns: true, ..op("image_atomic_add", Dim::D2) };
        assert_eq!(Call::new(add, t, [0; 4]).address(&[&[0], &[0]]).source(&[&[7]]).lane0(&memory)[0], 0);
    }
    assert_eq!(memory.bytes(), before);
    // RESOURCE_LEVEL, a bit that gfx10 always sets, does not bind
    let gfx10 = ImageOp { dmask: 1, ..ImageOp::new(Kind::named("image_load").unwrap().0, Generation::Gfx10, Dim::D2) };
    let mut t = [0; 8];
    t[2] = 1 << 31;
    assert_eq!(Call::new(gfx10, t, [0; 4]).address(&[&[0], &[0]]).lane0(&memory)[0], 0);
}

// IMG-28: outside the image nothing is stored, whatever the coordinate
#[test]
fn stores_outside_are_dropped() {
    let image = numbered(ImageType::Dim2Array, [4, 4, 3], 2);
    let before = image.memory.bytes();
    let store = ImageOp { dmask: 1, ..op("image_store_mip", Dim::Array2) };
    let call = Call::new(store, image.words(), [0; 4]).source(&[&[7]]);
    let call = call.address(&[&[4, 0, 0, 0, u32::MAX, 2], &[0, 4, 0, 0, 0, 0], &[0, 0, 3, 0, 0, 0], &[0, 0, 0, 2, 0, 1]]);
    Call { exec: 0x3f, ..call }.run(&image.memory);
    assert_eq!(image.memory.bytes(), before);
}

// IMG-30, GCN-20: lower left, lower right, upper right, upper left
#[test]
fn gather4_takes_the_footprint_counterclockwise() {
    let image = numbered_floats(ImageType::Dim2, [8, 8, 1], 1);
    let gather = ImageOp { dmask: 1, ..op("image_gather4_lz", Dim::D2) };
    let s = encode(SamplerDescriptor { clamp: [2; 3], ..linear() });
    let at = |x: f32, y: f32| [x / 8.0, y / 8.0];
    let run = |op, [x, y]: [f32; 2]| Call::new(op, image.words(), s).coordinates(&[&[x], &[y]]).floats(&image.memory);
    assert_eq!(run(gather, at(3.2, 5.9)), [62.0 - 0.0, 63.0, 53.0, 52.0]);
    let row = ImageOp { dmask: 1, ..op("image_gather4h", Dim::D2) };
    assert_eq!(run(row, at(3.2, 5.9)), [52.0, 53.0, 54.0, 55.0]);
    // packed in 16 bits: two registers
    let call = Call::new(ImageOp { d16: true, ..gather }, image.words(), s).coordinates(&[&[3.2 / 8.0], &[5.9 / 8.0]]);
    let r = call.lane0(&image.memory);
    let half = |f: f32| u32::from(half::f16::from_f32(f).to_bits());
    assert_eq!(r[..3], [half(62.0) | half(63.0) << 16, half(53.0) | half(52.0) << 16, UNTOUCHED]);
}

// IMG-31
#[test]
fn resinfo_gives_sizes_of_a_level() {
    let image = numbered(ImageType::Dim3, [40, 20, 12], 4);
    let info = op("image_get_resinfo", Dim::D3);
    let r = Call::new(info, image.words(), [0; 4]).address(&[&[0, 2, 4]]).run(&image.memory);
    let lane = |n: usize| [r[0][n], r[1][n], r[2][n], r[3][n]];
    assert_eq!((lane(0), lane(1), lane(2)), ([40, 20, 12, 4], [10, 5, 3, 4], [0, 0, 0, 4]));
    let cube = numbered(ImageType::Cube, [4, 4, 12], 1);
    let info = ImageOp { dmask: 0b0101, ..op("image_get_resinfo", Dim::Cube) };
    assert_eq!(Call::new(info, cube.words(), [0; 4]).address(&[&[0]]).lane0(&cube.memory)[..3], [4, 12, UNTOUCHED]);
}

// IMG-32: within a quad two texels apart: level 1; limits apply to the first result only
#[test]
fn get_lod_gives_clamped_and_raw_levels() {
    let image = numbered_floats(ImageType::Dim2, [64, 64, 1], 3);
    let s = encode(SamplerDescriptor { max_lod: 0.5, mip_filter: 2, ..linear() });
    let lod = ImageOp { dmask: 3, ..op("image_get_lod", Dim::D2) };
    let (near, far) = (0.25, 0.25 + 2.0 / 64.0);
    let mut call = Call::new(lod, image.words(), s).coordinates(&[&[near, far, near, far], &[near, near, far, far]]);
    call.exec = 8;
    let r = call.run(&image.memory);
    assert_eq!((f32::from_bits(r[0][3]), f32::from_bits(r[1][3]), r[0][2]), (0.5, 1.0, UNTOUCHED));
}

// IMG-34: coordinates in texels, by instruction or sampler
#[test]
fn unnormalized_coordinates_count_texels() {
    let image = numbered_floats(ImageType::Dim2, [8, 8, 1], 2);
    let sample = ImageOp { dmask: 1, ..op("image_sample_l", Dim::D2) };
    let s = SamplerDescriptor { clamp: [2; 3], ..point() };
    for (o, s) in [(ImageOp { unorm: true, ..sample }, s), (sample, SamplerDescriptor { unnormalized: true, ..s })] {
        let r = Call::new(o, image.words(), encode(s)).coordinates(&[&[2.5], &[11.0], &[1.0]]).floats(&image.memory);
        assert_eq!(r[0], 72.0);
    }
}

// GCN-15, GCN-16: raw dwords, sign-extended components, raw stores
#[test]
fn packed_loads_and_stores_do_not_convert() {
    let image = Image::new(ImageType::Dim2, "16_16_16_16_FLOAT", [1, 1, 1], 2, 0);
    image.put(0, [0; 3], 0, &[1, 0x80, 2, 0, 3, 0, 4, 0]);
    let run = |name: &str, dmask| {
        let o = ImageOp { dmask, ..op(name, Dim::D2) };
        Call::new(o, image.words(), [0; 4]).address(&[&[0], &[0], &[0]]).lane0(&image.memory)
    };
    assert_eq!(run("image_load_pck", 0b0011)[..3], [0x0002_8001, 0x0004_0003, UNTOUCHED]);
    assert_eq!(run("image_load_mip_pck", 0b0010)[..2], [0x0004_0003, UNTOUCHED]);
    assert_eq!(run("image_load_pck_sgn", 0b1001)[..3], [0xffff_8001, 4, UNTOUCHED]);
    assert_eq!(run("image_load_mip_pck_sgn", 0b0001)[0], 0xffff_8001);
    let store = ImageOp { dmask: 3, ..op("image_store_mip_pck", Dim::D2) };
    Call::new(store, image.words(), [0; 4]).address(&[&[0], &[0], &[0]]).source(&[&[0x1234_5678], &[0x9abc_def0]]).run(&image.memory);
    assert_eq!(image.get(0, [0; 3], 0), [0x78, 0x56, 0x34, 0x12, 0xf0, 0xde, 0xbc, 0x9a]);
}

// GCN-13: what each suffix does to the level
#[test]
fn suffixes_choose_the_level() {
    let image = numbered_floats(ImageType::Dim2, [8, 8, 1], 4);
    let s = encode(SamplerDescriptor { clamp: [2; 3], ..point() });
    // quads two texels apart: level 1
    let (near, far) = (0.01, 0.01 + 2.0 / 8.0);
    let (x, y) = ([near, far, near, far], [near, near, far, far]);
    let run = |name: &str, registers: &[&[f32]]| {
        let o = ImageOp { dmask: 1, ..op(name, Dim::D2) };
        Call::new(o, image.words(), s).coordinates(registers).floats(&image.memory)[0]
    };
    assert_eq!(run("image_sample", &[&x, &y]), 1000.0);
    assert_eq!(run("image_sample_b", &[&[1.0], &x, &y]), 2000.0);
    assert_eq!(run("image_sample_b_cl", &[&[-1.0], &x, &y, &[3.0]]), 3000.0);
    assert_eq!(run("image_sample_cl", &[&x, &y, &[0.0]]), 1000.0);
    assert_eq!(run("image_sample_l", &[&x, &y, &[1.6]]), 2000.0);
    assert_eq!(run("image_sample_lz", &[&x, &y]), 0.0);
    let d = 4.0 / 8.0;
    assert_eq!(run("image_sample_d", &[&[0.0], &[d], &[0.0], &[0.0], &x, &y]), 2000.0);
    assert_eq!(run("image_sample_cd_cl", &[&[0.0], &[0.0], &[d], &[0.0], &x, &y, &[2.6]]), 3000.0);
}

// GCN-21: comparison before blending, reference on the left, limited for UNORM
#[test]
fn comparison_comes_before_blending() {
    let image = Image::new(ImageType::Dim2, "16_UNORM", [2, 1, 1], 1, 0);
    image.put(0, [0, 0, 0], 0, &[0xff, 0xff]);
    image.put(0, [1, 0, 0], 0, &[0, 0]);
    let s = encode(SamplerDescriptor { compare: 3, clamp: [2; 3], ..linear() });
    let sample = ImageOp { dmask: 1, ..op("image_sample_c_lz", Dim::D2) };
    let run = |reference| Call::new(sample, image.words(), s).coordinates(&[&[reference], &[0.375], &[0.5]]).floats(&image.memory)[0];
    assert_eq!((run(0.5), run(-3.0), run(9.0)), (0.75, 1.0, 0.75));
    let gather = ImageOp { dmask: 1, ..op("image_gather4_c_lz", Dim::D2) };
    let r = Call::new(gather, image.words(), s).coordinates(&[&[0.5], &[0.5], &[0.5]]).floats(&image.memory);
    assert_eq!(r, [1.0, 0.0, 0.0, 1.0]);
}

// images.md 5.4: fixed colors, the table, the order of channels
#[test]
fn border_colors() {
    let mut image = Image::new(ImageType::Dim2, "32_32_32_32_FLOAT", [1, 1, 1], 1, 0);
    let table: Vec<u8> = [0.5_f32, -2.0, 3.0, 4.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    assert!(image.memory.write(BORDER_TABLE + 7 * 16, &table));
    let run = |image: &Image, border| {
        let s = encode(SamplerDescriptor { clamp: [6; 3], border, ..point() });
        Call::new(op("image_sample_lz", Dim::D2), image.words(), s).coordinates(&[&[-0.5], &[0.5]]).floats(&image.memory)
    };
    assert_eq!(run(&image, Border::TransparentBlack), [0.0; 4]);
    assert_eq!(run(&image, Border::OpaqueBlack), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(run(&image, Border::OpaqueWhite), [1.0; 4]);
    assert_eq!(run(&image, Border::Table(7)), [0.5, -2.0, 3.0, 4.0]);
    // a BGRA view: channels in memory are z, y, x, w, and dst_sel brings them back
    image.descriptor.bc_swizzle = 4;
    image.descriptor.dst_sel = [2, 1, 0, 3].map(DstSel::Component);
    assert_eq!(run(&image, Border::Table(7)), [0.5, -2.0, 3.0, 4.0]);
}

// images.md 3.4: one sample is plain filtering; more lie along the longer derivative
#[test]
fn anisotropic_filtering() {
    let image = numbered_floats(ImageType::Dim2, [64, 64, 1], 1);
    let isotropic = SamplerDescriptor { clamp: [2; 3], ..linear() };
    let anisotropic = SamplerDescriptor { mag_filter: 3, min_filter: 3, max_aniso_ratio: 4, ..isotropic };
    let sample = ImageOp { dmask: 1, ..op("image_sample_d", Dim::D2) };
    let texel = 1.0 / 64.0;
    let run = |s, dx: f32| {
        let registers = [dx, 0.0, 0.0, texel, 20.3 * texel, 30.9 * texel].map(|r| [r]);
        let registers: Vec<&[f32]> = registers.iter().map(|r| &r[..]).collect();
        Call::new(sample, image.words(), encode(s)).coordinates(&registers).floats(&image.memory)[0]
    };
    assert_eq!(run(anisotropic, texel), run(isotropic, texel));
    // The image is linear: samples spread evenly about the center have its value.
    assert!((run(anisotropic, 8.0 * texel) - run(isotropic, texel)).abs() < 0.1);
}

// images.md 2.4: at an edge the tap beyond is on the neighboring face
#[test]
fn cubes_are_filtered_across_edges() {
    let image = Image::new(ImageType::Cube, "32_FLOAT", [4, 4, 6], 1, 0);
    image.fill(|_, [.., face], _| (face as f32).to_le_bytes().to_vec());
    let sample = ImageOp { dmask: 1, ..op("image_sample_lz", Dim::Cube) };
    let run = |s: SamplerDescriptor, x, y, face: f32| {
        Call::new(sample, image.words(), encode(s)).coordinates(&[&[x], &[y], &[face]]).floats(&image.memory)[0]
    };
    // +X (0): its s = 0 edge meets +Z (4), s = 1 meets -Z (5), t = 0 meets +Y (2), t = 1 meets -Y (3)
    let s = linear();
    let halves = [run(s, 1.0, 1.5, 0.0), run(s, 2.0, 1.5, 0.0), run(s, 1.5, 1.0, 0.0), run(s, 1.5, 2.0, 0.0)];
    assert_eq!(halves, [2.0, 2.5, 1.0, 1.5]);
    let corner = run(s, 1.0, 1.0, 0.0);
    assert!((corner - (0.0 + 4.0 + 2.0 + 2.0) / 4.0).abs() < 1e-6, "the missing texel is the mean of three");
    let separate = SamplerDescriptor { disable_cube_wrap: true, clamp: [2; 3], ..s };
    assert_eq!(run(separate, 1.0, 1.5, 0.0), 0.0);
}

// GCN-05: four dwords, the rest does not count; IMG-27 in it
#[test]
fn short_descriptors_ignore_the_upper_words() {
    let image = numbered(ImageType::Dim2, [8, 8, 1], 1);
    let load = ImageOp { dmask: 1, r128: true, ..op("image_load", Dim::D2) };
    let mut t = image.words();
    t[4..].fill(0xffff_ffff);
    assert_eq!(Call::new(load, t, [0; 4]).address(&[&[3], &[4]]).lane0(&image.memory)[0], 43);
    assert_eq!(Call::new(load, [0, 0, 0, 0, 1, 1, 1, 1], [0; 4]).address(&[&[3], &[4]]).lane0(&image.memory)[0], 0);
}

// images.md 5.1: view bounds: levels, layers, and unsigned comparisons
#[test]
fn views_count_levels_and_layers_from_their_own_first() {
    let mut image = numbered(ImageType::Dim2Array, [16, 16, 6], 4);
    image.descriptor.base_level = 1;
    image.descriptor.first_layer = 2;
    image.descriptor.last_layer = 4;
    let load = ImageOp { dmask: 1, ..op("image_load_mip", Dim::Array2) };
    let call = Call::new(load, image.words(), [0; 4]).address(&[&[1, 1, 7, 8], &[0], &[2, 3, 0, 0], &[1, 1, 0, 0]]);
    let r = call.run(&image.memory);
    assert_eq!(r[0][..4], [2401, 0, 1207, 0]);
}

// images.md 5.5: the sampler decides about the sRGB curve
#[test]
fn samplers_force_and_skip_the_srgb_curve() {
    for (format, s, expected) in [
        ("8_8_8_8_UNORM", point(), 128.0 / 255.0),
        ("8_8_8_8_UNORM", SamplerDescriptor { force_degamma: true, ..point() }, 0.215_860_5),
        ("8_8_8_8_SRGB", point(), 0.215_860_5),
        ("8_8_8_8_SRGB", SamplerDescriptor { skip_degamma: true, ..point() }, 128.0 / 255.0),
    ] {
        let image = Image::new(ImageType::Dim2, format, [1, 1, 1], 1, 0);
        image.put(0, [0; 3], 0, &[128; 4]);
        let r = Call::new(op("image_sample_lz", Dim::D2), image.words(), encode(s)).coordinates(&[&[0.5], &[0.5]]).floats(&image.memory);
        assert_eq!((r[0], r[3]), (expected, 128.0 / 255.0), "{format}");
    }
}

// GCN-01, GCN-06: the same through the descriptors of every generation
#[test]
fn generations_load_and_sample_alike() {
    use wavejit_texture::descriptor::ImageDescriptor;
    use wavejit_texture::format::FormatNumber;
    let generations =
        [Generation::Gfx6, Generation::Gfx8, Generation::Gfx9, Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12];
    for generation in generations {
        let format = match generation {
            Generation::Gfx6 | Generation::Gfx8 | Generation::Gfx9 => FormatNumber::Split { data: 4, number: 7 }, // 32, FLOAT
            _ => FormatNumber::Unified(22),                                                                       // 32_FLOAT
        };
        let mut d = ImageDescriptor::new(generation, ImageType::Dim2, format, 64, 4);
        d.base = BASE;
        d.mode = if generation <= Generation::Gfx8 { 8 } else { 0 }; // linear: a tile mode index, a swizzle mode
        let image = Image::of(d);
        image.fill(|_, [x, y, _], _| ((x + 100 * y) as f32).to_le_bytes().to_vec());
        let load = ImageOp { dmask: 1, ..ImageOp::new(Kind::named("image_load").unwrap().0, generation, Dim::D2) };
        assert_eq!(Call::new(load, image.words(), [0; 4]).address(&[&[3], &[2]]).floats(&image.memory)[0], 203.0, "{generation:?}");
        let s = SamplerDescriptor { mag_filter: 1, min_filter: 1, ..SamplerDescriptor::new(generation) };
        let sample = ImageOp { dmask: 1, ..ImageOp::new(Kind::named("image_sample_lz").unwrap().0, generation, Dim::D2) };
        let call = Call::new(sample, image.words(), encode(s)).coordinates(&[&[4.0 / 64.0], &[2.5 / 4.0]]);
        assert_eq!(call.floats(&image.memory)[0], 203.5, "{generation:?}");
    }
}

// images.md 6: texels of compressed blocks, loaded and blended
#[test]
fn compressed_blocks_are_read_by_texel() {
    let image = Image::new(ImageType::Dim2, "BC1_UNORM", [8, 8, 1], 1, 0);
    // ends red (255, 0, 0) and blue (0, 0, 255); indices 0 1 2 3 in every row: red, blue, and thirds between them
    let block = [0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4];
    image.put(0, [1, 1, 0], 0, &block);
    let load = op("image_load", Dim::D2);
    let r = Call::new(load, image.words(), [0; 4]).address(&[&[4, 5, 6, 7], &[5]]).run(&image.memory);
    let texel = |r: &[Vec<u32>], lane: usize| [0, 1, 2, 3].map(|c| (f32::from_bits(r[c][lane]) * 255.0).round());
    assert_eq!(
        [0, 1, 2, 3].map(|lane| texel(&r, lane)),
        [[255.0, 0.0, 0.0, 255.0], [0.0, 0.0, 255.0, 255.0], [170.0, 0.0, 85.0, 255.0], [85.0, 0.0, 170.0, 255.0]]
    );
    let s = encode(SamplerDescriptor { clamp: [2; 3], ..linear() });
    let r = Call::new(op("image_sample_lz", Dim::D2), image.words(), s).coordinates(&[&[5.0 / 8.0], &[6.5 / 8.0]]).run(&image.memory);
    let mix = f32::from_bits(r[0][0]) * 255.0;
    assert!((mix - 127.5).abs() < 0.01 && r[2][0] == r[0][0], "{mix}");
    // stores to them are dropped
    let before = image.memory.bytes();
    Call::new(op("image_store", Dim::D2), image.words(), [0; 4])
        .address(&[&[4], &[5]])
        .source(&[&[1], &[1], &[1], &[1]])
        .run(&image.memory);
    assert_eq!(image.memory.bytes(), before);
}

// GCN-04: on gfx6 to gfx9 the descriptor may ask for more registers than the instruction was given
#[test]
fn address_registers_that_are_missing_are_zero() {
    let format = wavejit_texture::FormatNumber::Split { data: 4, number: 4 }; // 32, UINT
    let mut d = wavejit_texture::ImageDescriptor::new(Generation::Gfx9, ImageType::Dim2, format, 64, 4);
    d.base = BASE;
    let image = Image::of(d);
    image.fill(|_, [x, y, _], _| (x + 100 * y).to_le_bytes().to_vec());
    let load = ImageOp { dmask: 1, ..ImageOp::new(Kind::named("image_load").unwrap().0, Generation::Gfx9, Dim::D2) };
    for level in [HostLevel::Baseline, HostLevel::get()] {
        let call = Call { level, ..Call::new(load, image.words(), [0; 4]) };
        assert_eq!(call.clone().address(&[&[7], &[3]]).lane0(&image.memory)[0], 307);
        assert_eq!(call.address(&[&[7]]).lane0(&image.memory)[0], 7);
    }
}
