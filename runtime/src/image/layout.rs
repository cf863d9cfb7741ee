//! The swizzle mode an image gets: the first of those that suit its dimensions which its generation can lay out. On gfx6 to gfx8 it is an entry of
//! the chip's tile mode table; those used here are the same on every chip (tested).

use super::desc::{ImageDesc, ImageKind, ImageTiling};
use crate::error::Error;
use wavejit_texture::Generation;
use wavejit_texture::descriptor::ImageDescriptor;
use wavejit_texture::format::Format;
use wavejit_texture::tiling::{self, AddressConfig, SurfaceParams, Tiling, TilingError};

const LINEAR: u8 = 0;
/// Tile modes of gfx6 to gfx8.
const LINEAR_ALIGNED: u8 = 8;
const THIN_1D: u8 = 13;
const THICK_1D: u8 = 18;
/// Level 0 of an image up to this size goes into the small blocks of 4 KiB.
const SMALL_BYTES: u64 = 16 << 10;

/// Swizzle modes to try, best first: numbers of gfx9 to gfx11, then of gfx12.
fn candidates(desc: &ImageDesc, small: bool) -> &'static [u8] {
    let gfx12 = desc.generation >= Generation::Gfx12;
    if desc.generation <= Generation::Gfx8 {
        return match (desc.tiling, desc.kind) {
            (ImageTiling::Linear, _) | (_, ImageKind::OneD | ImageKind::OneDArray) => &[LINEAR_ALIGNED],
            (_, ImageKind::ThreeD) => &[THICK_1D, THIN_1D],
            _ => &[THIN_1D],
        };
    }
    match (desc.tiling, desc.kind) {
        (ImageTiling::Linear, _) | (_, ImageKind::OneD | ImageKind::OneDArray) => &[LINEAR],
        (_, ImageKind::ThreeD) if gfx12 && small => &[5, 6], // 4KB, 64KB, thick
        (_, ImageKind::ThreeD) if gfx12 => &[6, 5],
        _ if gfx12 && small && desc.samples == 1 => &[2, 3], // 4KB, 64KB
        _ if gfx12 => &[3, 2],
        _ if desc.samples > 1 => &[27, 24, 8, 26],  // 64KB_R_X, 64KB_Z_X, 64KB_Z, 64KB_D_X
        (_, ImageKind::ThreeD) if small => &[5, 9], // 4KB_S, 64KB_S
        (_, ImageKind::ThreeD) => &[9, 25, 5],      // 64KB_S, 64KB_S_X, 4KB_S
        _ if small => &[6, 5, 10],                  // 4KB_D, 4KB_S, 64KB_D
        _ => &[27, 26, 10, 9],                      // 64KB_R_X, 64KB_D_X, 64KB_D, 64KB_S
    }
}

/// Swizzle mode and layout of an image.
pub(super) fn choose(desc: &ImageDesc, t: &ImageDescriptor, format: &Format, config: AddressConfig) -> Result<(u8, Tiling), Error> {
    let [columns, rows] = format.block.map(u32::from);
    let elements = u64::from(desc.width.div_ceil(columns)) * u64::from(desc.height.div_ceil(rows)) * u64::from(desc.depth);
    let params = SurfaceParams {
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
        config,
    };
    let mut refused: Option<TilingError> = None;
    for &mode in candidates(desc, elements * u64::from(format.bytes) <= SMALL_BYTES) {
        match Tiling::new(&SurfaceParams { mode, ..params.clone() }) {
            Ok(tiling) => return Ok((mode, tiling)),
            Err(e) => refused = refused.or(Some(e)),
        }
    }
    Err(Error::Arg(format!("image: {}", refused.map_or(String::new(), |e| e.to_string()))))
}

/// What the descriptor says a row of level 0 takes, padding included: gfx6 to gfx8 in texels, gfx9 in elements and without mip levels.
pub(super) fn pitch(desc: &ImageDesc, tiling: &Tiling, format: &Format) -> Option<u32> {
    let texels = match desc.generation {
        Generation::Gfx6 | Generation::Gfx8 => u32::from(format.block[0]),
        Generation::Gfx9 if desc.levels == 1 => 1,
        _ => return None,
    };
    let level = tiling.levels().first()?;
    let column_bytes = u64::from(tiling.element_bytes() * tiling.samples()) << (level.shift[1] + level.shift[2]);
    Some((level.step[1] / column_bytes) as u32 * texels)
}
