//! The swizzle mode an image gets: the first of those that suit its shape which its generation can lay out.

use super::{ImageDesc, ImageKind, ImageTiling};
use crate::error::Error;
use wavejit_texture::Generation;
use wavejit_texture::descriptor::ImageDescriptor;
use wavejit_texture::format::Format;
use wavejit_texture::tiling::{self, SurfaceShape, Tiling, TilingError};

const LINEAR: u8 = 0;
/// Level 0 of an image up to this size goes into the small blocks of 4 KiB.
const SMALL_BYTES: u64 = 16 << 10;

/// Swizzle modes to try, best first: numbers of gfx9 to gfx11, then of gfx12.
fn candidates(desc: &ImageDesc, small: bool) -> &'static [u8] {
    let gfx12 = desc.generation >= Generation::Gfx12;
    match (desc.tiling, desc.kind) {
        (ImageTiling::Linear, _) | (_, ImageKind::OneD | ImageKind::OneDArray) => &[LINEAR],
        (_, ImageKind::ThreeD) if gfx12 && small => &[5, 6], // 4KB, 64KB, thick
        (_, ImageKind::ThreeD) if gfx12 => &[6, 5],
        _ if gfx12 && small && desc.samples == 1 => &[2, 3], // 4KB, 64KB
        _ if gfx12 => &[3, 2],
        _ if desc.samples > 1 => &[27, 24, 8],      // 64KB_R_X, 64KB_Z_X, 64KB_Z
        (_, ImageKind::ThreeD) if small => &[5, 9], // 4KB_S, 64KB_S
        (_, ImageKind::ThreeD) => &[9, 25, 5],      // 64KB_S, 64KB_S_X, 4KB_S
        _ if small => &[6, 5, 10],                  // 4KB_D, 4KB_S, 64KB_D
        _ => &[27, 26, 10, 9],                      // 64KB_R_X, 64KB_D_X, 64KB_D, 64KB_S
    }
}

/// Swizzle mode and layout of an image.
pub(super) fn choose(desc: &ImageDesc, t: &ImageDescriptor, format: &Format) -> Result<(u8, Tiling), Error> {
    let [columns, rows] = format.block.map(u32::from);
    let elements = u64::from(desc.width.div_ceil(columns)) * u64::from(desc.height.div_ceil(rows)) * u64::from(desc.depth);
    let shape = SurfaceShape {
        generation: desc.generation,
        mode: LINEAR,
        kind: match desc.kind {
            ImageKind::OneD | ImageKind::OneDArray => tiling::Kind::OneD,
            ImageKind::ThreeD => tiling::Kind::ThreeD,
            _ => tiling::Kind::TwoD,
        },
        width: desc.width,
        height: desc.height,
        depth_or_layers: desc.depth,
        levels: desc.levels,
        samples: desc.samples,
        element_bytes: format.bytes.into(),
        compressed: format.is_block(),
        pitch: t.pitch,
        pow2_pad: false,
        pipe_bank_xor: 0,
        config: Default::default(),
    };
    let mut refused: Option<TilingError> = None;
    for &mode in candidates(desc, elements * u64::from(format.bytes) <= SMALL_BYTES) {
        match Tiling::new(&SurfaceShape { mode, ..shape.clone() }) {
            Ok(tiling) => return Ok((mode, tiling)),
            Err(e) => refused = refused.or(Some(e)),
        }
    }
    Err(Error::Arg(format!("image: {}", refused.map_or(String::new(), |e| e.to_string()))))
}
