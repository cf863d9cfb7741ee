//! Volumes whose first slice is not at the start of its block: levels in the tail of a thick one.

use super::support::{BASE, Call, Image};
use wavejit_texture::Generation;
use wavejit_texture::descriptor::{ImageDescriptor, ImageType};
use wavejit_texture::format::FormatNumber;
use wavejit_texture::image::{Dim, HostLevel, ImageOp, Kind};

#[test]
fn levels_in_a_thick_block_are_found_by_kernels_too() {
    for mode in [5, 9] {
        let number = FormatNumber::Split { data: 1, number: 4 }; // 8_UINT
        let mut d = ImageDescriptor::new(Generation::Gfx9, ImageType::Dim3, number, 16, 8);
        (d.base, d.mode, d.depth, d.last_layer, d.levels, d.last_level) = (BASE, mode, 8, 7, 5, 4);
        let image = Image::of(d);
        let texel = |level: u32, [x, y, z]: [u32; 3]| (x + 16 * y + 31 * z + 101 * level) as u8;
        image.fill(|level, at, _| vec![texel(level, at)]);
        let op = ImageOp { dmask: 1, ..ImageOp::new(Kind::named("image_load_mip").unwrap().0, Generation::Gfx9, Dim::D3) };
        for host in HostLevel::available() {
            for level in 0..5 {
                let [w, h, depth] = image.level_size(level);
                for (z, y) in (0..depth).flat_map(|z| (0..h).map(move |y| (z, y))) {
                    let xs: Vec<u32> = (0..w).collect();
                    let mut call = Call::new(op, image.words(), [0; 4]).address(&[&xs, &[y], &[z], &[level]]);
                    call.level = host;
                    let want: Vec<u32> = xs.iter().map(|&x| texel(level, [x, y, z]).into()).collect();
                    assert_eq!(call.run(&image.memory)[0][..w as usize], want, "mode {mode} {host} level {level} row {y} of {z}");
                }
            }
        }
    }
}
