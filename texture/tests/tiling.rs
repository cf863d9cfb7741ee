//! Image layouts against the answers of Mesa's address library (`data/*.csv`, one element per line), and against what any
//! layout has to satisfy: no two elements share bytes, and none is outside the image.

use std::collections::HashMap;

use wavejit_texture::Generation;
use wavejit_texture::tiling::{AddressConfig, CopyError, Kind, Rows, SurfaceParams, TileTables, Tiling};

/// One line of the file, by the names of its first line.
struct Vector<'a> {
    fields: HashMap<&'a str, &'a str>,
}

impl<'a> Vector<'a> {
    fn all(text: &'a str) -> impl Iterator<Item = Vector<'a>> {
        let mut lines = text.lines().filter(|l| !l.starts_with('#'));
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        lines.map(move |line| Vector { fields: names.iter().copied().zip(line.split(',')).collect() })
    }

    fn number(&self, name: &str) -> u64 {
        self.fields[name].parse().unwrap()
    }

    /// A number that the first field adds to the generation: `gfx9:banks_log2=4:se_log2=2`.
    fn extra(&self, name: &str) -> u32 {
        let found = self.fields["gen"].split(':').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        found.map_or(0, |n| n.parse().unwrap())
    }

    fn shape(&self) -> SurfaceParams {
        let number = |name: &str| if self.fields.contains_key(name) { self.number(name) as u32 } else { 0 };
        let generation = match self.fields["gen"].split(':').next().unwrap() {
            "gfx10.1" | "gfx1010" => Generation::Gfx10,
            "gfx10.3" => Generation::Gfx103,
            "gfx11" => Generation::Gfx11,
            "gfx12" => Generation::Gfx12,
            "gfx6" | "gfx7" => Generation::Gfx6,
            "gfx8" => Generation::Gfx8,
            "gfx9" => Generation::Gfx9,
            other => panic!("{other}"),
        };
        SurfaceParams {
            generation,
            mode: number("sw_mode") as u8,
            kind: if number("dim3d") == 1 { Kind::ThreeD } else { Kind::TwoD },
            width: number("width"),
            height: number("height"),
            depth_or_layers: number("slices_or_depth"),
            levels: number("levels"),
            samples: number("samples"),
            element_bytes: number("bits_per_element") / 8,
            compressed: false,
            pitch: None,
            pow2_pad: false,
            pipe_bank_xor: number("pipe_bank_xor"),
            config: AddressConfig {
                pipes_log2: number("pipes_log2"),
                packers_log2: number("packers_log2"),
                shader_engines_log2: self.extra("se_log2"),
                banks_log2: self.extra("banks_log2"),
                unscaled_depth_tail: self.fields["gen"] == "gfx1010",
                tile_modes: self.fields["gen"].split(':').nth(1).and_then(TileTables::of),
            },
        }
    }

    fn at(&self) -> [u32; 5] {
        ["level", "x", "y", "slice_or_z", "sample"].map(|name| self.number(name) as u32)
    }
}

// images.md 8: every answer of the library.
#[test]
fn offsets_are_those_of_the_address_library() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let files = [include_str!("data/tiling_vectors.csv"), include_str!("data/tiling_sizes.csv"), include_str!("data/tiling_legacy.csv")];
    for vector in files.into_iter().flat_map(Vector::all) {
        let shape = vector.shape();
        let [level, x, y, z, sample] = vector.at();
        let expected = vector.number("byte_offset");
        let tiling = Tiling::new(&shape).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
        count += 1;
        if tiling.offset(level, x, y, z, sample) != expected {
            wrong.push(format!("{shape:?} {level} {x} {y} {z} {sample}: {} not {expected}", tiling.offset(level, x, y, z, sample)));
        }
        assert_eq!(tiling.level(level).unwrap().offset(x, y, z, sample), tiling.offset(level, x, y, z, sample), "{shape:?}");
        if let Some(size) = vector.fields.get("size") {
            assert_eq!(tiling.size().to_string(), *size, "{shape:?}");
        }
    }
    assert_eq!(count, 4085 + 1320 + 1400);
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A small odd image, to be changed by each test.
fn odd_image(generation: Generation, mode: u8, kind: Kind) -> SurfaceParams {
    SurfaceParams {
        generation,
        mode,
        kind,
        width: 69,
        height: 37,
        depth_or_layers: 3,
        levels: 1,
        samples: 1,
        element_bytes: 4,
        compressed: false,
        pitch: None,
        pow2_pad: false,
        pipe_bank_xor: 0,
        config: AddressConfig::default(),
    }
}

/// Every mode of every generation, kind, element size, sample count and mip chain, on two chips, as far as it has a layout.
fn every_layout() -> Vec<(SurfaceParams, Tiling)> {
    let simple = AddressConfig::default();
    let large = AddressConfig { pipes_log2: 4, packers_log2: 3, banks_log2: 3, ..simple };
    let chip = |name| AddressConfig { tile_modes: TileTables::of(name), ..simple };
    let chips = [
        (Generation::Gfx6, chip("verde"), 0x5),
        (Generation::Gfx6, chip("hainan"), 0),
        (Generation::Gfx6, chip("kaveri"), 0x3),
        (Generation::Gfx8, chip("tonga"), 0x1b),
        (Generation::Gfx9, simple, 0),
        (Generation::Gfx9, large, 0x2d),
        (Generation::Gfx10, AddressConfig { unscaled_depth_tail: true, ..simple }, 0),
        (Generation::Gfx10, large, 0x2d),
        (Generation::Gfx103, simple, 0),
        (Generation::Gfx103, large, 0x2d),
        (Generation::Gfx11, simple, 0),
        (Generation::Gfx11, large, 0x2d),
        (Generation::Gfx12, simple, 0x2d),
    ];
    let mut shapes = Vec::new();
    for (generation, config, pipe_bank_xor) in chips {
        for (mode, kind) in (0..32).flat_map(|mode| [(mode, Kind::TwoD), (mode, Kind::ThreeD)]) {
            for (samples, levels) in [(1, 1), (2, 1), (4, 1), (8, 1), (1, 7)] {
                for element_bytes in [1, 2, 4, 8, 12, 16] {
                    let image = odd_image(generation, mode, kind);
                    shapes.push(SurfaceParams { samples, levels, element_bytes, pipe_bank_xor, config, ..image });
                }
            }
        }
        for (width, levels, element_bytes) in [(85, 3, 12), (77, 6, 8), (77, 6, 16)] {
            for mode in [0, 3, 8, 9, 13, 14, 27] {
                let image = odd_image(generation, mode, Kind::TwoD);
                shapes.push(SurfaceParams { width, levels, element_bytes, config, compressed: element_bytes != 12, ..image });
            }
        }
    }
    shapes.into_iter().filter_map(|shape| Tiling::new(&shape).ok().map(|tiling| (shape, tiling))).collect()
}

// images.md 8.4: a layout that lost or shared bytes would corrupt images.
#[test]
fn no_two_elements_share_bytes_and_none_is_outside() {
    for (shape, tiling) in every_layout() {
        let unit = if shape.element_bytes == 12 { 4 } else { shape.element_bytes as usize };
        let mut taken = vec![false; tiling.size() as usize / unit];
        for (number, level) in tiling.levels().iter().enumerate() {
            let layout = tiling.level(number as u32).unwrap();
            let [w, h, d] = level.size;
            for z in 0..d {
                for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
                    for sample in 0..shape.samples {
                        let offset = layout.offset(x, y, z, sample);
                        if (x + y) % 7 == 0 {
                            assert_eq!(level.offset(x, y, z, sample), offset, "{shape:?} level {number} at {x} {y} {z}");
                        }
                        for i in 0..shape.element_bytes as usize / unit {
                            let place = &mut taken[offset as usize / unit + i];
                            assert!(!*place, "{shape:?} level {number} at {x} {y} {z} sample {sample}");
                            *place = true;
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn hostile_shapes_are_refused_or_laid_out() {
    let image = odd_image(Generation::Gfx11, 27, Kind::TwoD);
    let refused = |shape: SurfaceParams| assert!(Tiling::new(&shape).is_err(), "{shape:?}");
    for mode in [1, 12, 28 + 4, 255] {
        refused(SurfaceParams { mode, ..image.clone() });
    }
    for extent in [0, 65537, u32::MAX] {
        refused(SurfaceParams { width: extent, ..image.clone() });
        refused(SurfaceParams { height: extent, ..image.clone() });
        refused(SurfaceParams { depth_or_layers: extent, ..image.clone() });
    }
    for levels in [0, 18, u32::MAX] {
        refused(SurfaceParams { levels, ..image.clone() });
    }
    for samples in [0, 3, 16] {
        refused(SurfaceParams { samples, ..image.clone() });
    }
    for element_bytes in [0, 3, 12, 32] {
        refused(SurfaceParams { element_bytes, ..image.clone() });
    }
    for pitch in [0, 4, u32::MAX] {
        refused(SurfaceParams { pitch: Some(pitch), mode: 0, ..image.clone() });
        refused(SurfaceParams { pitch: Some(pitch), generation: Generation::Gfx9, ..image.clone() });
        let config = AddressConfig { tile_modes: TileTables::of("hawaii"), ..image.config };
        refused(SurfaceParams { pitch: Some(pitch), generation: Generation::Gfx6, mode: 14, config, ..image.clone() });
    }
    refused(SurfaceParams { generation: Generation::Gfx8, mode: 8, ..image.clone() });
    refused(SurfaceParams { config: AddressConfig { pipes_log2: 99, packers_log2: u32::MAX, ..image.config }, ..image.clone() });

    for generation in
        [Generation::Gfx6, Generation::Gfx8, Generation::Gfx9, Generation::Gfx10, Generation::Gfx103, Generation::Gfx11, Generation::Gfx12]
    {
        for mode in 0..=255 {
            for kind in [Kind::OneD, Kind::TwoD, Kind::ThreeD] {
                for (levels, samples, element_bytes) in [(17, 1, 1), (1, 8, 16), (17, 1, 16), (1, 1, 12)] {
                    for (width, height, depth_or_layers) in [(1, 1, 1), (65536, 65536, 65536), (65536, 1, 65536)] {
                        let shape = odd_image(generation, mode, kind);
                        let name = if generation == Generation::Gfx6 { "tahiti" } else { "gfx803" };
                        let config = AddressConfig { tile_modes: TileTables::of(name), ..shape.config };
                        let shape = SurfaceParams { levels, samples, element_bytes, width, height, depth_or_layers, config, ..shape };
                        if let Ok(tiling) = Tiling::new(&shape) {
                            let last = tiling.levels()[0].size.map(|e| e - 1);
                            assert!(tiling.offset(0, last[0], last[1], last[2], samples - 1) < tiling.size());
                            tiling.offset(u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX);
                            tiling.offset(0, u32::MAX, u32::MAX, u32::MAX, u32::MAX);
                        }
                    }
                }
            }
        }
    }
}

// images.md 8.4: rows into the image and back, in every layout; the bytes between rows must survive both.
#[test]
fn copies_in_and_out_are_inverse_and_follow_the_offsets() {
    for (shape, tiling) in every_layout() {
        let mut image = vec![0; tiling.size() as usize];
        let bytes = shape.element_bytes as usize;
        let mut seed = 1u32;
        let mut all_rows = Vec::new();
        for (number, level) in tiling.levels().iter().enumerate() {
            let tight = Rows::tight(level.size, shape.element_bytes);
            let row_bytes = tight.row_bytes + 3;
            let slice_bytes = row_bytes * level.size[1] as usize + 5;
            let rows = Rows { row_bytes, slice_bytes, sample_bytes: slice_bytes * level.size[2] as usize };
            let mut buffer = vec![0; rows.sample_bytes * shape.samples as usize];
            buffer.fill_with(|| {
                seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
                (seed >> 24) as u8
            });
            tiling.tile(number as u32, &buffer, &rows, &mut image).unwrap();
            all_rows.push((rows, buffer));
        }
        for ((rows, buffer), (level, number)) in all_rows.iter().zip(tiling.levels().iter().zip(0..)) {
            let mut back = vec![0xee; buffer.len()];
            tiling.detile(number, &image, &mut back, rows).unwrap();
            let [w, h, d] = level.size;
            for sample in 0..shape.samples {
                for (z, y) in (0..d).flat_map(|z| (0..h).map(move |y| (z, y))) {
                    let row = sample as usize * rows.sample_bytes + z as usize * rows.slice_bytes + y as usize * rows.row_bytes;
                    let end = row + w as usize * bytes;
                    assert_eq!(back[row..end], buffer[row..end], "{shape:?} level {number} row {y} {z} {sample}");
                    assert_eq!(back[end..end + 3], [0xee; 3]);
                    let x = (y * 7 + z) % w;
                    let at = tiling.offset(number, x, y, z, sample) as usize;
                    assert_eq!(image[at..at + bytes], buffer[row + x as usize * bytes..][..bytes], "{shape:?}");
                }
            }
        }
    }
}

#[test]
fn copies_that_do_not_fit_are_refused() {
    let tiling = Tiling::new(&odd_image(Generation::Gfx11, 27, Kind::TwoD)).unwrap();
    let mut image = vec![0; tiling.size() as usize];
    let tight = Rows::tight([69, 37, 3], 4);
    let mut out = vec![0; 69 * 37 * 3 * 4];
    assert_eq!(tiling.detile(0, &image, &mut out, &tight), Ok(()));
    assert_eq!(tiling.detile(1, &image, &mut out, &tight), Err(CopyError::Level(1)));
    assert_eq!(tiling.detile(0, &image, &mut out[1..], &tight), Err(CopyError::Rows { given: 69 * 37 * 3 * 4 - 1 }));
    let huge = Rows { slice_bytes: usize::MAX / 2, ..tight };
    assert_eq!(tiling.tile(0, &out, &huge, &mut image), Err(CopyError::Rows { given: out.len() }));
    let short = image.len() - 1;
    assert!(matches!(tiling.tile(0, &out, &tight, &mut image[..short]), Err(CopyError::Image { .. })));
}

// A pitch counts where the generation has one: whole blocks of it make a row.
#[test]
fn rows_follow_at_the_pitch_of_the_descriptor() {
    let row = |generation, mode, pitch, levels, y| {
        let config = AddressConfig { tile_modes: TileTables::of("polaris10"), ..AddressConfig::default() };
        let image = odd_image(generation, mode, Kind::TwoD);
        Tiling::new(&SurfaceParams { pitch, levels, config, ..image }).unwrap().offset(0, 0, y, 0, 0)
    };
    assert_eq!(row(Generation::Gfx103, 0, Some(100), 1, 1), 400);
    assert_eq!(row(Generation::Gfx9, 0, Some(256), 1, 1), 1024);
    assert_eq!(row(Generation::Gfx9, 5, Some(96), 1, 32), 3 * 4096); // blocks of 32x32
    assert_eq!(row(Generation::Gfx9, 5, Some(90), 1, 32), 3 * 4096);
    assert_eq!(row(Generation::Gfx8, 8, Some(128), 1, 1), 512);
    assert_eq!(row(Generation::Gfx8, 13, Some(256), 1, 8), 32 * 256); // tiles of 8x8
    // Elsewhere it has another meaning, or none.
    assert_eq!(row(Generation::Gfx11, 27, Some(3), 1, 8), row(Generation::Gfx11, 27, None, 1, 8));
    assert_eq!(row(Generation::Gfx9, 5, Some(3), 3, 32), row(Generation::Gfx9, 5, None, 3, 32));
}
