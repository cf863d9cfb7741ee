//! A sampler as filtering needs it: the fields of an S#, resolved together with what the instruction and the image say.

use super::coord::Clamp;
use super::filter::Reduction;
use super::lod::{Bounds, Lambda, MipFilter};

/// One of the two filters within a level (XY_MAG_FILTER, XY_MIN_FILTER).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct XyFilter {
    /// Bilinear.
    pub linear: bool,
    /// Several samples along the longer derivative.
    pub anisotropic: bool,
}

impl XyFilter {
    /// The filter of a field of two bits.
    pub fn from_field(n: u32) -> XyFilter {
        XyFilter { linear: n & 1 != 0, anisotropic: n & 2 != 0 }
    }
}

/// A sampler, resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampler {
    /// By axis.
    pub clamp: [Clamp; 3],
    /// Coordinates are in texels (IMG-34).
    pub unnormalized: bool,
    /// Filter of levels of 0 and less.
    pub mag: XyFilter,
    /// Filter of other levels.
    pub min: XyFilter,
    /// Filter along z of 3D images: as the others (`None`), or linear, or not.
    pub z_linear: Option<bool>,
    /// Between levels.
    pub mip: MipFilter,
    /// Of the level.
    pub bounds: Bounds,
    /// Log2 of the most samples of an anisotropic filter.
    pub max_ratio: u32,
    /// Function of the depth comparison.
    pub compare: u32,
    /// References of comparisons are limited to 0 to 1, as depth is: UNORM, and depth of 16 or 24 bits that is kept as f32.
    pub limits_reference: bool,
    /// Point filters round down exactly.
    pub truncate: bool,
    /// Array layers are rounded down too.
    pub truncate_layer: bool,
    /// Weights have one bit.
    pub coarse: bool,
    /// Faces of a cube are images of their own.
    pub separate_faces: bool,
    /// How taps become one value.
    pub reduction: Reduction,
    /// Type of the border color.
    pub border_type: u32,
    /// Its entry in the table, for type 3.
    pub border_index: u32,
}

impl Sampler {
    /// The filter for a level.
    pub fn filter(&self, lambda: Lambda) -> XyFilter {
        if lambda <= 0 { self.mag } else { self.min }
    }

    /// The reference of a comparison; a limited one that is NaN is 0.
    pub fn reference(&self, reference: f32) -> f32 {
        match self.limits_reference {
            true if reference.is_nan() => 0.0,
            true => reference.clamp(0.0, 1.0),
            false => reference,
        }
    }

    /// May the filter of some level be anisotropic?
    pub fn is_anisotropic(&self) -> bool {
        self.max_ratio > 0 && (self.mag.anisotropic || self.min.anisotropic)
    }
}
