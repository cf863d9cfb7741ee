//! What an image is: [`ImageDesc`].

use super::format::ImageFormat;
use wavejit_texture::Generation;

/// Shape of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)] // the shapes are the names
pub enum ImageKind {
    OneD,
    OneDArray,
    #[default]
    TwoD,
    TwoDArray,
    ThreeD,
    /// Six faces +X -X +Y -Y +Z -Z, which are its layers; several cubes: a multiple of six.
    Cube,
}

/// How texels lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ImageTiling {
    /// In blocks, so that neighbors are near each other; which ones is up to the generation.
    #[default]
    Optimal,
    /// Row after row.
    Linear,
}

/// What image to make.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageDesc {
    /// Whose descriptor; that of the kernels that use it.
    pub generation: Generation,
    /// Shape.
    pub kind: ImageKind,
    /// Texels.
    pub format: ImageFormat,
    /// Texels of level 0.
    pub width: u32,
    /// Texels of level 0; 1D: 1.
    pub height: u32,
    /// Slices of level 0 of a 3D image, layers of arrays, 6 of a cube; else 1.
    pub depth: u32,
    /// Mip levels; 0: all down to one texel.
    pub levels: u32,
    /// Samples of a texel, 1 2 4 or 8 (2D without mip levels). On gfx6 to gfx8 1: where more are is up to the chip, which nothing here names.
    pub samples: u32,
    /// Order in memory.
    pub tiling: ImageTiling,
}

impl Default for ImageDesc {
    /// One RGBA8 texel for gfx11.
    fn default() -> Self {
        ImageDesc {
            generation: Generation::Gfx11,
            kind: ImageKind::TwoD,
            format: ImageFormat::Rgba8,
            width: 1,
            height: 1,
            depth: 1,
            levels: 1,
            samples: 1,
            tiling: ImageTiling::Optimal,
        }
    }
}
