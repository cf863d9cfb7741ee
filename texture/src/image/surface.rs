//! An image as instructions see it: a T# resolved to sizes, a format and the place of every texel of every level of the view.

use super::coord::BORDER;
use super::error::ImageError;
use super::lod::Lambda;
use super::op::Dim;
use crate::Memory;
use crate::descriptor::DstSel;
use crate::format::{Format, Layout, Numeric};
use crate::tiling::LevelLayout;

/// A mip level of a view.
#[derive(Clone, Debug)]
pub struct ViewLevel {
    /// Width, height and depth in texels; 1 in directions that the image does not have.
    pub size: [i32; 3],
    /// Where its elements are.
    pub layout: LevelLayout,
}

/// A view of an image.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Dimension of the T#'s type.
    pub dim: Dim,
    /// Of the texels.
    pub format: Format,
    /// Guest address that offsets count from.
    pub address: u64,
    /// Bytes of the image.
    pub bytes: u64,
    /// Number of the view's first level in the image.
    pub first_level: u32,
    /// Levels of the view, the largest first; never none.
    pub levels: Vec<ViewLevel>,
    /// First layer (face, slice of a 3D view of slices) of the view.
    pub first_layer: u32,
    /// Last layer counted from the first; 0 without layers.
    pub last_layer: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Output components.
    pub dst_sel: [DstSel; 4],
    /// Which component of a border color is in each memory channel (BC_SWIZZLE).
    pub border_order: [u8; 4],
    /// T#.min_lod, counted from the image's first level.
    pub min_lod: Lambda,
    /// T#.min_lod_warn; not 0: the image is partially resident (IMG-06).
    pub min_lod_warn: Lambda,
    /// What is not resident reads as 0 and does not fail.
    pub prt_default: bool,
}

/// Place of a texel: level of the view, x, y, z or layer of the image, sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Counted from the view's first.
    pub level: u32,
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// Slice, or layer of the image.
    pub z: u32,
    /// Sample.
    pub sample: u32,
}

/// A texel, read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Texel {
    /// Its memory channels, as f32 bits or integers.
    Value([u32; 4]),
    /// Its page is not resident.
    NotResident,
}

impl Surface {
    /// Number of the last level, counted from the first of the view.
    pub fn last_level(&self) -> u32 {
        self.levels.len() as u32 - 1
    }

    /// Guest address of the element (texel or block) a texel is in.
    pub fn element(&self, at: Place) -> u64 {
        let [x, y] = [at.x / u32::from(self.format.block[0]), at.y / u32::from(self.format.block[1])];
        self.address.wrapping_add(self.levels[at.level as usize].layout.offset(x, y, at.z, at.sample))
    }

    /// Is the page of an address there? Always, unless the image is partially resident.
    pub fn is_resident(&self, memory: &dyn Memory, address: u64) -> bool {
        self.min_lod_warn == 0 || memory.resident(address >> 16)
    }

    /// The bytes of the element at a place; `None`: not resident.
    pub fn bytes(&self, memory: &dyn Memory, at: Place, lane: usize) -> Result<Option<[u8; 16]>, ImageError> {
        let address = self.element(at);
        if !self.is_resident(memory, address) {
            return Ok(None);
        }
        let mut bytes = [0; 16];
        if !memory.read(address, &mut bytes[..usize::from(self.format.bytes)]) {
            return Err(ImageError::Unmapped { lane: lane as u32, address });
        }
        Ok(Some(bytes))
    }

    /// The texel at a place.
    pub fn texel(&self, memory: &dyn Memory, at: Place, lane: usize) -> Result<Texel, ImageError> {
        Ok(match self.bytes(memory, at, lane)? {
            None => Texel::NotResident,
            Some(bytes) => Texel::Value(self.decode(&bytes, at)),
        })
    }

    /// The memory channels of the texel at a place, from the bytes of its element.
    pub fn decode(&self, bytes: &[u8; 16], at: Place) -> [u32; 4] {
        let [w, h] = self.format.block.map(u32::from);
        self.format.decode_texel(&bytes[..usize::from(self.format.bytes)], at.x % w, at.y % h)
    }

    /// Are all channels 8-bit UNORM? Such images are blended in whole numbers.
    pub fn is_bytes(&self) -> bool {
        self.format.layout == Layout::Plain
            && self.format.numeric == Numeric::Unorm
            && self.format.channels.iter().all(|c| matches!(c.bits, 0 | 8))
    }

    /// Range of normalized channels.
    pub fn range(&self) -> Option<(f32, f32)> {
        match self.format.numeric {
            Numeric::Unorm | Numeric::Srgb => Some((0.0, 1.0)),
            Numeric::Snorm | Numeric::SnormOgl => Some((-1.0, 1.0)),
            _ => None,
        }
    }

    /// The place of integer coordinates, if they are in the image (images.md 5.1): everything unsigned, layers and levels counted from the
    /// view's first.
    pub fn place(&self, [x, y, z]: [u32; 3], level: u32, sample: u32) -> Option<Place> {
        let view = self.levels.get(level as usize)?;
        let inside = |c: u32, axis: usize| i64::from(c) < i64::from(view.size[axis]);
        let y = if matches!(self.dim, Dim::D1 | Dim::Array1) { 0 } else { y };
        let (z, z_inside) = match self.dim {
            Dim::D3 => (z, inside(z, 2)),
            Dim::Array1 | Dim::Array2 | Dim::Cube | Dim::MsaaArray => (z, z <= self.last_layer),
            _ => (0, true),
        };
        let z = z.wrapping_add(self.first_layer);
        let sample = if matches!(self.dim, Dim::Msaa | Dim::MsaaArray) { sample } else { 0 };
        (inside(x, 0) && inside(y, 1) && z_inside && sample < self.samples).then_some(Place { level, x, y, z, sample })
    }

    /// The place of wrapped taps of a sampler in a level; `None`: border.
    pub fn tap(&self, level: u32, [x, y, z]: [i32; 3], layer: u32) -> Option<Place> {
        if x == BORDER || y == BORDER || z == BORDER {
            return None;
        }
        let z = if self.dim == Dim::D3 { z as u32 } else { layer };
        Some(Place { level, x: x as u32, y: y as u32, z: self.first_layer + z, sample: 0 })
    }
}
