//! Cubes: every seamless edge in every form, and T#s whose faces are not square, of which a filter across edges would find texels that are
//! not there.

use super::support::{BASE, Call, Image, Random, linear, op, point};
use wavejit_texture::descriptor::{ImageDescriptor, ImageType, SamplerDescriptor};
use wavejit_texture::image::{Dim, HostLevel, ImageError, ImageOp};
use wavejit_texture::memory::{FlatMemory, Update};
use wavejit_texture::{Generation, Memory};

/// Sizes of faces: hostile ones first.
const SIZES: [[u32; 2]; 12] =
    [[16384, 1], [1, 16384], [16384, 2], [2, 16384], [1, 2], [2, 1], [3, 5], [64, 4], [4, 64], [63, 64], [1000, 10], [7, 300]];

const READS: [&str; 6] = ["image_sample", "image_sample_lz", "image_sample_l", "image_sample_d", "image_gather4_lz", "image_gather4h"];

fn forms() -> impl Iterator<Item = HostLevel> {
    HostLevel::available()
}

/// A cube (or an array of them) of R32_FLOAT, linear in memory.
fn cube([width, height]: [u32; 2], faces: u32) -> ImageDescriptor {
    let format = wavejit_texture::format::FormatNumber::Unified(super::support::gfx11_format("32_FLOAT"));
    let d = ImageDescriptor::new(Generation::Gfx11, ImageType::Cube, format, width, height);
    ImageDescriptor { base: BASE, last_layer: faces - 1, ..d }
}

/// Memory that is lent as a whole, and holds every access to a range.
struct Watched<'a> {
    memory: &'a FlatMemory,
    range: std::ops::Range<u64>,
    lends: bool,
}

impl Watched<'_> {
    fn check(&self, address: u64, bytes: usize) {
        let end = address + bytes as u64;
        assert!(address >= self.range.start && end <= self.range.end, "{address:#x}..{end:#x} is outside of {:#x?}", self.range);
    }
}

// SAFETY: lends what another memory lends.
unsafe impl Memory for Watched<'_> {
    fn view(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        if self.lends { self.memory.view(address, bytes) } else { None }
    }
    fn read(&self, address: u64, out: &mut [u8]) -> bool {
        self.check(address, out.len());
        self.memory.read(address, out)
    }
    fn write(&self, address: u64, data: &[u8]) -> bool {
        self.check(address, data.len());
        self.memory.write(address, data)
    }
    fn atomic32(&self, address: u64, update: Update) -> Option<u32> {
        self.memory.atomic32(address, update)
    }
    fn atomic64(&self, address: u64, update: Update) -> Option<u64> {
        self.memory.atomic64(address, update)
    }
}

/// Coordinates about all edges and corners of faces of all cubes, and some that are NaN.
fn around(random: &mut Random, registers: usize, lanes: usize, faces: u32) -> Vec<Vec<u32>> {
    let edges = [1.0, 2.0, 1.0 - 1e-6, 2.0 + 1e-6, 0.0, 3.0, 1.00001, 1.99999, f32::NAN, f32::INFINITY, -1e30];
    let mut coordinate = |_| {
        let c = if random.below(3) == 0 { random.f32(0.9, 2.1) } else { random.pick(&edges) };
        c.to_bits()
    };
    let mut rows: Vec<Vec<u32>> = (0..registers).map(|_| (0..lanes).map(&mut coordinate).collect()).collect();
    if let Some(last) = rows.get_mut(2) {
        let ids = |lane: usize| lane as u32 % faces / 6 * 8 + lane as u32 % 6;
        *last = (0..lanes).map(|lane| (ids(lane) as f32).to_bits()).collect();
    }
    rows
}

fn call(random: &mut Random, mnemonic: &str, d: &ImageDescriptor, s: &SamplerDescriptor) -> Call {
    let op = ImageOp { dmask: 1, ..op(mnemonic, Dim::Cube) };
    let registers = op.layout(Dim::Cube).registers.into();
    let mut call = Call::new(op, d.encode().expect("a T#"), s.encode().expect("an S#"));
    call.lanes = 64;
    call.address = around(random, registers, 64, d.last_layer + 1);
    // image_sample_d has derivatives before the coordinates, image_sample_l the level after them.
    if mnemonic == "image_sample_d" {
        call.address.rotate_right(4);
        call.address[..4].iter_mut().for_each(|row| row.fill(0.01_f32.to_bits()));
    }
    call
}

/// The words of an image that begin at [`BASE`], each its own number, with memory before and behind.
fn memory(bytes: usize) -> FlatMemory {
    FlatMemory::from_words(BASE - 4096, &(0..(4096 + bytes as u32) / 4 + 1024).map(|n| (n as f32).to_bits()).collect::<Vec<_>>())
}

#[test]
fn faces_that_are_not_square_are_refused_where_filters_cross_edges() {
    let mut random = Random(0x5eed_c0be);
    // Less than the image: what is not read must not be there either.
    let memory = memory(4 << 20);
    for [width, height] in SIZES {
        for faces in [6, 12, 9, 3, 1] {
            for (mnemonic, s) in READS.iter().flat_map(|m| [(m, linear()), (m, point())]) {
                let d = cube([width, height], faces);
                for level in forms() {
                    let result = Call { level, ..call(&mut random, mnemonic, &d, &s) }.try_run(&memory);
                    assert_eq!(result, Err(ImageError::Cube { width, height }), "{mnemonic} {level} {faces} faces");
                }
            }
        }
    }
    let text = ImageError::Cube { width: 16384, height: 1 }.to_string();
    assert!(text.contains("16384x1") && text.contains("DISABLE_CUBE_WRAP"), "{text}");
}

#[test]
fn separate_faces_of_any_shape_are_images_of_their_own() {
    let mut random = Random(0x5eed_c0bf);
    for [width, height] in SIZES.into_iter().filter(|[w, h]| w * h <= 1 << 14) {
        for faces in [6, 12, 9, 3, 1] {
            let image = Image::new(ImageType::Cube, "32_FLOAT", [width, height, faces], 1, 0);
            image.fill(|_, [x, y, z], _| ((x + 20000 * y + 7 * z) as f32).to_le_bytes().to_vec());
            let range = BASE..BASE + image.tiling.size();
            for (mnemonic, s) in READS.iter().flat_map(|m| [(m, linear()), (m, point())]) {
                let s = SamplerDescriptor { disable_cube_wrap: true, clamp: [0, 1, 2].map(|_| random.below(4) as u8), ..s };
                let call = call(&mut random, mnemonic, &image.descriptor, &s);
                let scalar = call.run(&Watched { memory: &image.memory, range: range.clone(), lends: false });
                for level in forms() {
                    let vector = Call { level, ..call.clone() }.run(&Watched { memory: &image.memory, range: range.clone(), lends: true });
                    assert_eq!(vector, scalar, "{mnemonic} {level} {width}x{height}, {faces} faces");
                }
            }
        }
    }
}

#[test]
fn loads_of_cubes_of_any_shape_stay_in_the_image() {
    let mut random = Random(0x5eed_c0c0);
    for [width, height] in SIZES.into_iter().filter(|[w, h]| w * h <= 1 << 14) {
        for faces in [6, 12, 3] {
            let image = Image::new(ImageType::Cube, "32_FLOAT", [width, height, faces], 1, 0);
            image.fill(|_, [x, y, z], _| ((x + 20000 * y + 7 * z) as f32).to_le_bytes().to_vec());
            let range = BASE..BASE + image.tiling.size();
            let op = ImageOp { dmask: 1, ..op("image_load", Dim::Cube) };
            let mut call = Call::new(op, image.words(), [0; 4]);
            let extents = [width, height, faces];
            call.address =
                extents.map(|n| (0..32).map(|_| random.pick(&[0, 1, n - 1, n, n / 2, 4 * n, u32::MAX, 1 << 31])).collect()).to_vec();
            let inside = |lane: usize| (0..3).all(|axis| call.address[axis][lane] < extents[axis]);
            let expected: Vec<u32> = (0..32)
                .map(|lane| {
                    let [x, y, z] = [0, 1, 2].map(|axis| call.address[axis][lane]);
                    if inside(lane) { ((x + 20000 * y + 7 * z) as f32).to_bits() } else { 0 }
                })
                .collect();
            for level in forms() {
                for lends in [false, true] {
                    let watched = Watched { memory: &image.memory, range: range.clone(), lends };
                    let loaded = Call { level, ..call.clone() }.run(&watched);
                    assert_eq!(loaded[0], expected, "{level} {width}x{height}, {faces} faces");
                }
            }
        }
    }
}

// Also views of fewer faces than a cube has, and of cubes and a part of one: their last face stands for those that are missing.
#[test]
fn taps_across_every_edge_stay_in_the_image() {
    let mut random = Random(0x5eed_c0c1);
    for size in [1_u32, 2, 3, 5, 16, 33] {
        for faces in [1, 2, 3, 5, 6, 7, 11, 12, 18] {
            let levels = size.ilog2() + 1;
            let image = Image::new(ImageType::Cube, "32_FLOAT", [size, size, faces], levels, random.pick(&[0, 10, 27]));
            image.fill(|level, [x, y, z], _| ((x + 64 * y + 4096 * z + 65536 * level) as f32).to_le_bytes().to_vec());
            let range = BASE..BASE + image.tiling.size();
            for (mnemonic, s) in READS.iter().flat_map(|m| [(m, linear()), (m, point())]) {
                let call = call(&mut random, mnemonic, &image.descriptor, &s);
                let scalar = call.run(&Watched { memory: &image.memory, range: range.clone(), lends: false });
                for level in forms() {
                    let vector = Call { level, ..call.clone() }.run(&Watched { memory: &image.memory, range: range.clone(), lends: true });
                    assert_eq!(vector, scalar, "{mnemonic} {level} {size}x{size}, {faces} faces");
                }
            }
        }
    }
}
