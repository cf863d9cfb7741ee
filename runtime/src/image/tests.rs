//! Images keep what is written to them, in every shape, layout and generation that has it.

use super::*;
use crate::DeviceOptions;

fn device() -> Device {
    Device::new(DeviceOptions::default()).unwrap()
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
    for generation in [Gfx10, Gfx103, Gfx11, Gfx12] {
        for (kind, [width, height, depth], levels, samples) in shapes {
            for format in [ImageFormat::R8, ImageFormat::Rgba8, ImageFormat::Rgba32Float, ImageFormat::Bc1] {
                for tiling in [ImageTiling::Optimal, ImageTiling::Linear] {
                    if samples > 1 && (tiling == ImageTiling::Linear || format == ImageFormat::Bc1)
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
    assert!(refused(ImageDesc { generation: Generation::Gfx8, ..one }).contains("tile modes"));
    assert!(refused(ImageDesc { samples: 3, ..one }).contains("samples"));
}
