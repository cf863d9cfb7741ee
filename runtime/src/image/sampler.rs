//! Samplers: a plain description, made a sampler descriptor (S#) in guest memory.
//!
//! Reference: RDNA3 ISA, table of S#. A sampler argument of a kernel is a pointer to its four dwords.

use crate::border::ENTRIES;
use crate::error::Error;
use crate::{Buffer, Device};
use wavejit_texture::Generation;
use wavejit_texture::descriptor::{Border, SamplerDescriptor};

/// Which texels of a level make a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Filter {
    /// The nearest.
    #[default]
    Point,
    /// The nearest two in each direction, blended.
    Linear,
}

/// Which levels make a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MipFilter {
    /// The first.
    #[default]
    None,
    /// The nearest.
    Point,
    /// The nearest two, blended.
    Linear,
}

/// What a coordinate outside the image means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Clamp {
    /// The image repeats.
    Wrap,
    /// It repeats, every other time mirrored.
    Mirror,
    /// The last texel.
    #[default]
    Edge,
    /// Mirrored once, then the last texel.
    MirrorOnceEdge,
    /// The border color.
    Border,
    /// Mirrored once, then the border color.
    MirrorOnceBorder,
}

/// Color beyond the edge, for [`Clamp::Border`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)] // the colors are the names
pub enum BorderColor {
    #[default]
    TransparentBlack,
    OpaqueBlack,
    OpaqueWhite,
    /// An entry of the device's table: see [`Device::border_color`].
    Table(u16),
}

/// When the reference of a comparing sample passes: `Less` if it is less than the texel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)] // the comparisons are the names
pub enum Compare {
    #[default]
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// What sampler to make.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerDesc {
    /// Whose descriptor; that of the kernels that use it.
    pub generation: Generation,
    /// Where an image is magnified.
    pub mag: Filter,
    /// Where it is made smaller.
    pub min: Filter,
    /// Between levels.
    pub mip: MipFilter,
    /// By coordinate.
    pub clamp: [Clamp; 3],
    /// Beyond the edge.
    pub border: BorderColor,
    /// Least and greatest level, which may be fractions.
    pub lod: (f32, f32),
    /// Added to the level.
    pub bias: f32,
    /// Most samples along the longer side of a pixel's footprint: 1, 2, 4, 8 or 16.
    pub max_anisotropy: u32,
    /// For comparing samples.
    pub compare: Compare,
    /// Coordinates are in texels instead of 0 to 1.
    pub unnormalized: bool,
}

impl Default for SamplerDesc {
    /// The nearest texel of level 0, clamped to the edge, for gfx11; all levels allowed.
    fn default() -> Self {
        SamplerDesc {
            generation: Generation::Gfx11,
            mag: Filter::Point,
            min: Filter::Point,
            mip: MipFilter::None,
            clamp: [Clamp::Edge; 3],
            border: BorderColor::TransparentBlack,
            lod: (0.0, 15.0),
            bias: 0.0,
            max_anisotropy: 1,
            compare: Compare::Never,
            unnormalized: false,
        }
    }
}

impl SamplerDesc {
    /// The descriptor (S#). An error names what does not fit.
    pub fn encode(&self) -> Result<[u32; 4], Error> {
        let refuse = |why: String| Error::Arg(format!("sampler: {why}"));
        if !self.max_anisotropy.is_power_of_two() || self.max_anisotropy > 16 {
            return Err(refuse(format!("anisotropy {} is not 1, 2, 4, 8 or 16", self.max_anisotropy)));
        }
        if !(0.0..16.0).contains(&self.lod.0) || self.lod.1 < self.lod.0 || self.bias.is_nan() {
            return Err(refuse(format!("levels {} to {} with bias {}", self.lod.0, self.lod.1, self.bias)));
        }
        // Bit 1 of a filter makes it anisotropic.
        let anisotropic = if self.max_anisotropy > 1 { 2 } else { 0 };
        let filter = |f: Filter| f as u8 | anisotropic;
        let clamp = self.clamp.map(|c| match c {
            Clamp::Wrap => 0,
            Clamp::Mirror => 1,
            Clamp::Edge => 2,
            Clamp::MirrorOnceEdge => 3,
            Clamp::Border => 6,
            Clamp::MirrorOnceBorder => 7,
        });
        let s = SamplerDescriptor::new(self.generation);
        let most = s.max_lod;
        let s = SamplerDescriptor {
            clamp,
            mag_filter: filter(self.mag),
            min_filter: filter(self.min),
            mip_filter: self.mip as u8,
            max_aniso_ratio: self.max_anisotropy.ilog2() as u8,
            compare: self.compare as u8,
            unnormalized: self.unnormalized,
            // As drivers do: the nearest texel is the one that holds the point, not the nearest 1/256 of one.
            trunc_coord: self.mag == Filter::Point && self.min == Filter::Point && self.compare == Compare::Never,
            min_lod: self.lod.0,
            max_lod: self.lod.1.min(most),
            lod_bias: self.bias,
            border: match self.border {
                BorderColor::TransparentBlack => Border::TransparentBlack,
                BorderColor::OpaqueBlack => Border::OpaqueBlack,
                BorderColor::OpaqueWhite => Border::OpaqueWhite,
                BorderColor::Table(entry) => Border::Table(entry),
            },
            ..s
        };
        s.encode().map_err(|e| refuse(e.to_string()))
    }
}

/// A sampler in guest memory, freed when dropped. [`Device::sampler`] makes one.
pub struct Sampler {
    desc: SamplerDesc,
    words: [u32; 4],
    /// The descriptor, where kernels read it.
    argument: Buffer,
}

impl Device {
    /// A border color of any components, for [`SamplerDesc::border`](crate::SamplerDesc): the entry that holds it, or a new one. An error when all
    /// 4096 are taken; they are never given back.
    pub fn border_color(&self, color: [f32; 4]) -> Result<BorderColor, Error> {
        let bits = color.map(f32::to_bits);
        let mut table = self.borders().lock();
        let entry = table.entry_for(bits).ok_or_else(|| Error::Arg(format!("a device has no more than {ENTRIES} border colors")))?;
        table.put(self.memory(), entry, bits)?;
        Ok(BorderColor::Table(entry))
    }

    /// Sets an entry of the table, for code with descriptors of its own and for integer formats. Samplers that name it see it at once.
    pub fn set_border_color(&self, entry: u16, color: [u32; 4]) -> Result<(), Error> {
        if entry >= ENTRIES {
            return Err(Error::Arg(format!("border color {entry}: entries are numbered from 0 to {}", ENTRIES - 1)));
        }
        self.borders().lock().put(self.memory(), entry, color)
    }
}

impl Device {
    /// Makes a sampler.
    pub fn sampler(&self, desc: &SamplerDesc) -> Result<Sampler, Error> {
        let words = desc.encode()?;
        let argument = self.upload(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())?;
        Ok(Sampler { desc: *desc, words, argument })
    }
}

impl Sampler {
    /// What it was made of.
    pub fn desc(&self) -> &SamplerDesc {
        &self.desc
    }

    /// Its descriptor (S#).
    pub fn descriptor(&self) -> [u32; 4] {
        self.words
    }

    /// Guest address of the descriptor: what a kernel's sampler argument is.
    pub fn descriptor_address(&self) -> u64 {
        self.argument.address()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RDNA3 ISA, table of S#: CLAMP_X/Y/Z 2:0 5:3 8:6, MAX_ANISO_RATIO 11:9, DEPTH_COMPARE_FUNC 14:12, FORCE_UNNORMALIZED 15, TRUNC_COORD 27;
    // MIN_LOD 43:32, MAX_LOD 55:44; XY_MAG_FILTER 85:84, XY_MIN_FILTER 87:86, MIP_FILTER 91:90.
    #[test]
    fn descriptions_become_the_fields_of_gfx11() {
        let desc = SamplerDesc {
            mag: Filter::Linear,
            min: Filter::Linear,
            mip: MipFilter::Linear,
            clamp: [Clamp::Wrap, Clamp::Mirror, Clamp::Border],
            lod: (0.5, 4.0),
            max_anisotropy: 8,
            compare: Compare::LessEqual,
            unnormalized: true,
            ..Default::default()
        };
        let [w0, w1, w2, _] = desc.encode().unwrap();
        assert_eq!(w0 & 0xffff, 1 << 3 | 6 << 6 | 3 << 9 | 3 << 12 | 1 << 15);
        assert_eq!(w1 & 0xff_ffff, 0x080 | 0x400 << 12);
        assert_eq!((w2 >> 20 & 3, w2 >> 22 & 3, w2 >> 26 & 3), (3, 3, 2));
        assert_eq!(SamplerDesc::default().encode().unwrap()[0] >> 27 & 1, 1, "point filters truncate");
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(SamplerDesc { max_anisotropy: 3, ..Default::default() }.encode().is_err());
        assert!(SamplerDesc { lod: (2.0, 1.0), ..Default::default() }.encode().is_err());
        assert!(SamplerDesc { bias: f32::NAN, ..Default::default() }.encode().is_err());
    }
}
