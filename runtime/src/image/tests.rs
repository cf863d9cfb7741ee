//! Images keep what is written to them, in every shape, layout and generation that has it.

use super::*;
use crate::DeviceConfig;
use wavejit_texture::Generation;
use wavejit_texture::Wave;
use wavejit_texture::image::{Dim, ImageConfig, ImageOp, Kind, Operands, execute};
use wavejit_texture::memory::FlatMemory;
use wavejit_texture::tiling::{self, TileTables};

fn device() -> Device {
    Device::new(DeviceConfig::default()).unwrap()
}

fn noise(bytes: usize, seed: u32) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 13) as u8).collect()
}

#[test]
fn levels_come_back_as_they_were_written() {
    use Generation::*;
    let device = device();
    let shapes = [
        (ImageKind::OneD, [70, 1, 1], 1, 1),
        (ImageKind::TwoD, [70, 33, 1], 0, 1),
        (ImageKind::TwoD, [64, 64, 1], 1, 4),
        (ImageKind::TwoDArray, [20, 30, 3], 2, 1),
        (ImageKind::ThreeD, [33, 17, 9], 1, 1),
        (ImageKind::Cube, [32, 32, 6], 0, 1),
    ];
    for generation in [Gfx6, Gfx8, Gfx9, Gfx10, Gfx103, Gfx11, Gfx12] {
        for (kind, [width, height, depth], levels, samples) in shapes {
            for format in [ImageFormat::R8, ImageFormat::Rgba8, ImageFormat::Rgba32Float, ImageFormat::Bc1] {
                for tiling in [ImageTiling::Optimal, ImageTiling::Linear] {
                    if samples > 1 && (tiling == ImageTiling::Linear || format == ImageFormat::Bc1 || generation <= Gfx8)
                        || kind == ImageKind::OneD && format == ImageFormat::Bc1
                    {
                        continue;
                    }
                    let desc = ImageDesc { generation, kind, format, width, height, depth, levels, samples, tiling };
                    let image = device.image(&desc).unwrap_or_else(|e| panic!("{desc:?}: {e}"));
                    let rows = |level| noise(image.level_bytes(level).unwrap(), level);
                    (0..image.desc().levels).for_each(|l| image.write(l, &rows(l)).unwrap());
                    (0..image.desc().levels).for_each(|l| assert_eq!(image.read(l).unwrap(), rows(l), "{desc:?} level {l}"));
                    let t = ImageDescriptor::decode(&image.descriptor(), generation, false);
                    assert_eq!((t.base, t.width, u32::from(t.levels)), (image.address(), width, image.desc().levels));
                }
            }
        }
    }
}

/// What image_load_mip of a family finds at every texel of every level, from the descriptor alone; as rows.
fn loaded(image: &Image, level: u32) -> Vec<u8> {
    let desc = image.desc();
    let mut bytes = vec![0; image.tiling.size() as usize];
    image.space.read(image.address, &mut bytes).unwrap();
    let memory = FlatMemory::new(image.address, bytes);
    let (dim, has_level) = match desc.kind {
        ImageKind::OneD => (Dim::D1, true),
        ImageKind::OneDArray => (Dim::Array1, true),
        ImageKind::TwoD if desc.samples > 1 => (Dim::Msaa, false),
        ImageKind::TwoD => (Dim::D2, true),
        ImageKind::TwoDArray if desc.samples > 1 => (Dim::MsaaArray, false),
        ImageKind::TwoDArray => (Dim::Array2, true),
        ImageKind::ThreeD => (Dim::D3, true),
        // Without a sampler faces are layers.
        ImageKind::Cube => (Dim::Cube, true),
    };
    let kind = Kind::named(if has_level { "image_load_mip" } else { "image_load" }).unwrap().0;
    let op = ImageOp::new(kind, desc.generation, dim);
    let addresses = image_config::of_device(0, desc.generation).unwrap();
    let config = ImageConfig { addresses, ..Default::default() };
    let [w, h, d] = image.elements(level).unwrap();
    let mut rows = vec![];
    for sample in 0..desc.samples {
        for (z, y, x) in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (z, y, x)))) {
            let mut registers: Vec<u32> = match dim {
                Dim::D1 => vec![x],
                Dim::Array1 => vec![x, z],
                Dim::D2 | Dim::Msaa => vec![x, y],
                _ => vec![x, y, z],
            };
            registers.push(if has_level { level } else { sample });
            let address: Vec<u16> = (4..4 + registers.len() as u16).collect();
            let mut file: Vec<u32> = [0; 4].into_iter().chain(registers).flat_map(|r| [r; 64]).collect();
            let operands = Operands { address: &address, source: &[], result: &[0, 1, 2, 3] };
            execute(&op, &config, &image.descriptor(), &[0; 4], &operands, &mut Wave::new(&mut file, 64, 1), &memory).unwrap();
            let mut texel = vec![0; image.format().bytes.into()];
            image.format().encode([0, 64, 128, 192].map(|r| file[r]), &mut texel);
            rows.extend(texel);
        }
    }
    rows
}

#[test]
fn instructions_find_what_was_written_through_the_descriptor() {
    use Generation::*;
    let device = device();
    let shapes = [
        (ImageKind::OneD, [70, 1, 1], 1, 1),
        (ImageKind::TwoD, [37, 21, 1], 0, 1),
        (ImageKind::TwoD, [37, 21, 1], 1, 1),
        (ImageKind::TwoD, [20, 9, 1], 1, 4),
        (ImageKind::TwoDArray, [20, 10, 3], 2, 1),
        (ImageKind::ThreeD, [17, 9, 9], 1, 1),
        (ImageKind::ThreeD, [16, 8, 8], 0, 1),
        (ImageKind::Cube, [8, 8, 6], 0, 1),
    ];
    for generation in [Gfx6, Gfx8, Gfx9, Gfx10, Gfx103, Gfx11, Gfx12] {
        for (kind, [width, height, depth], levels, samples) in shapes {
            for format in [ImageFormat::R8Uint, ImageFormat::R32Uint, ImageFormat::Rgba32Uint] {
                for tiling in [ImageTiling::Optimal, ImageTiling::Linear] {
                    if samples > 1 && (tiling == ImageTiling::Linear || generation <= Gfx8) {
                        continue;
                    }
                    let desc = ImageDesc { generation, kind, format, width, height, depth, levels, samples, tiling };
                    let image = device.image(&desc).unwrap_or_else(|e| panic!("{desc:?}: {e}"));
                    let rows = |level| noise(image.level_bytes(level).unwrap(), level);
                    (0..image.desc().levels).for_each(|l| image.write(l, &rows(l)).unwrap());
                    (0..image.desc().levels).for_each(|l| assert!(loaded(&image, l) == rows(l), "{desc:?} level {l}"));
                }
            }
        }
    }
}

/// One chip stands for all that share a generation's descriptors ([`config::of_device`]): the tile modes used are alike on all.
#[test]
fn tile_modes_in_use_are_the_same_on_every_chip() {
    let chips = [
        (Generation::Gfx6, &["gfx600", "verde", "oland", "gfx602", "gfx700", "gfx701", "gfx704"][..]),
        (Generation::Gfx8, &["gfx801", "gfx802", "gfx803", "gfx810", "iceland", "fiji", "polaris11"]),
    ];
    for (generation, names) in chips {
        for (mode, kind, depth, samples) in [
            (8, tiling::Kind::TwoD, 3, 1),
            (13, tiling::Kind::TwoD, 3, 1),
            (13, tiling::Kind::ThreeD, 9, 1),
            (18, tiling::Kind::ThreeD, 9, 1),
        ] {
            for element_bytes in [1, 4, 16] {
                let layout = |name: &str| {
                    let tiling = Tiling::new(&tiling::SurfaceParams {
                        generation,
                        mode,
                        kind,
                        width: 37,
                        height: 21,
                        depth_or_layers: depth,
                        levels: 1,
                        samples,
                        element_bytes,
                        compressed: false,
                        pitch: None,
                        pow2_pad: false,
                        pipe_bank_xor: 0,
                        config: tiling::AddressConfig { tile_modes: TileTables::of(name), ..Default::default() },
                    });
                    tiling.map(|t| {
                        let at = |i: u32| t.offset(0, i % 37, i / 37 % 21, i / 777 % depth, i % samples);
                        (t.size(), (0..777 * depth).map(at).collect::<Vec<u64>>())
                    })
                };
                let first = layout(names[0]);
                for name in &names[1..] {
                    assert!(layout(name) == first, "{name} mode {mode} {kind:?} {element_bytes} bytes, {samples} samples");
                }
            }
        }
    }
}

/// Compressed images are counted in texels on gfx6 to gfx8.
#[test]
fn rows_are_padded_in_the_descriptor_too() {
    let device = device();
    let pitch = |generation, format, width| {
        let desc = ImageDesc { generation, format, width, height: 16, ..Default::default() };
        let image = device.image(&desc).unwrap();
        ImageDescriptor::decode(&image.descriptor(), generation, false).pitch
    };
    assert_eq!(pitch(Generation::Gfx6, ImageFormat::Rgba8, 37), Some(40));
    assert_eq!(pitch(Generation::Gfx8, ImageFormat::Bc1, 37), Some(64));
    assert_eq!(pitch(Generation::Gfx11, ImageFormat::Rgba8, 37), None);
}

#[test]
fn layers_are_written_one_by_one() {
    let desc = ImageDesc { kind: ImageKind::Cube, width: 4, height: 4, depth: 6, ..Default::default() };
    let image = device().image(&desc).unwrap();
    (0..6).for_each(|face| image.write_layer(0, face, &[face as u8; 64]).unwrap());
    assert_eq!(image.read_layer(0, 4).unwrap(), [4; 64]);
    assert_eq!(image.read(0).unwrap()[..64], [0; 64]);
    assert!(image.write_layer(0, 6, &[0; 64]).is_err());
    assert!(image.write_layer(0, 0, &[0; 63]).is_err());
}

#[test]
fn made_levels_are_means() {
    let image = device().image(&ImageDesc { width: 4, height: 2, levels: 0, ..Default::default() }).unwrap();
    let rows: Vec<u8> = [[0u8, 100, 200, 40], [40, 60, 0, 0]].concat().iter().flat_map(|v| [*v, 0, 0, 255]).collect();
    image.write(0, &rows).unwrap();
    image.make_levels().unwrap();
    assert_eq!(image.read(1).unwrap(), [50, 0, 0, 255, 60, 0, 0, 255]);
    assert_eq!(image.read(2).unwrap(), [55, 0, 0, 255]);
}

#[test]
fn impossible_images_are_refused() {
    let device = device();
    let refused = |desc: ImageDesc| device.image(&desc).err().map(|e| e.to_string()).unwrap_or_default();
    let one = ImageDesc::default();
    assert!(refused(ImageDesc { depth: 2, ..one }).contains("no such extent"));
    assert!(refused(ImageDesc { kind: ImageKind::Cube, depth: 5, ..one }).contains("six"));
    assert!(refused(ImageDesc { width: 16, height: 16, levels: 6, ..one }).contains("5 at most"));
    assert!(refused(ImageDesc { width: 0, ..one }).contains("out of range"));
    assert!(refused(ImageDesc { width: 1 << 20, ..one }).contains("out of range"));
    assert!(refused(ImageDesc { samples: 3, ..one }).contains("samples"));
    assert!(refused(ImageDesc { generation: Generation::Gfx8, samples: 4, ..one }).contains("no 1D_THIN1 layout"));
}
