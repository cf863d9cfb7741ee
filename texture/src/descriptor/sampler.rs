//! Sampler descriptors (S#, four dwords).
//!
//! [`SamplerDescriptor`] has the numbers resolved; modes are kept as the small codes of the fields, which [`crate::image`] gives their meaning.
//! `sampler_fields.rs` says where the bits are. Reference: RDNA3.5 guide, table 51; RDNA4 guide, table 61; Mesa 25.0.7 for the older ones.

use super::field::{EncodeError, from_fixed, from_signed_fixed, to_fixed, to_signed_fixed};
use super::sampler_fields as at;
use crate::Generation;

/// What taps outside the image read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Border {
    /// (0, 0, 0, 0).
    #[default]
    TransparentBlack,
    /// (0, 0, 0, 1).
    OpaqueBlack,
    /// (1, 1, 1, 1).
    OpaqueWhite,
    /// An entry of 16 bytes of the driver's table.
    Table(u16),
}

/// An S#, decoded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerDescriptor {
    /// Whose layout the dwords have.
    pub generation: Generation,
    /// Clamp modes of s, t and r: 0 wrap, 1 mirror, 2 last texel, 3 mirror once last texel, 4 half border, 5 mirror once half border, 6 border,
    /// 7 mirror once border.
    pub clamp: [u8; 3],
    /// Filter of magnified levels: bit 0 bilinear, bit 1 anisotropic.
    pub mag_filter: u8,
    /// Filter of minified levels, likewise.
    pub min_filter: u8,
    /// Filter along r of 3D images: 0 as the others, 1 point, 2 linear.
    pub z_filter: u8,
    /// Filter between levels: 0 first level only, 1 point, 2 linear; 3 on gfx9: point, adjusted for anisotropy.
    pub mip_filter: u8,
    /// How taps become one value: 0 blend, 1 minimum, 2 maximum.
    pub filter_mode: u8,
    /// Log2 of the most samples of an anisotropic filter: 0 to 4, above reserved.
    pub max_aniso_ratio: u8,
    /// Quality of anisotropic filtering.
    pub aniso_threshold: u8,
    /// Quality of anisotropic filtering.
    pub aniso_bias: f32,
    /// Images with one level are filtered isotropically (gfx8+).
    pub aniso_override: bool,
    /// Depth comparison: 0 never, 1 <, 2 =, 3 <=, 4 >, 5 !=, 6 >=, 7 always; the reference is on the left.
    pub compare: u8,
    /// Coordinates are in texels.
    pub unnormalized: bool,
    /// Coordinates are rounded down instead of to nearest.
    pub trunc_coord: bool,
    /// Weights have one bit (motion compensation).
    pub mc_coord_trunc: bool,
    /// Faces of a cube are images of their own.
    pub disable_cube_wrap: bool,
    /// UNORM texels of 8 bits are sRGB.
    pub force_degamma: bool,
    /// sRGB texels are not decoded (gfx9+).
    pub skip_degamma: bool,
    /// Smallest level of the view.
    pub min_lod: f32,
    /// Largest level of the view.
    pub max_lod: f32,
    /// Added to the level.
    pub lod_bias: f32,
    /// Added to the level too.
    pub lod_bias_sec: f32,
    /// Quality between levels; 0: exact.
    pub perf_mip: u8,
    /// Quality between slices; 0: exact.
    pub perf_z: u8,
    /// The level is clamped before a point filter between levels rounds it (gfx6 to gfx10.3).
    pub mip_point_preclamp: bool,
    /// Precision option (gfx6 to gfx8).
    pub disable_lsb_ceil: bool,
    /// Precision option (gfx6 to gfx9).
    pub filter_prec_fix: bool,
    /// Texels that are absent blend into the result (gfx9 to gfx11).
    pub blend_prt: bool,
    /// Compatibility of gfx8 and gfx9.
    pub compat_mode: bool,
    /// Depth of 24 bits is kept as f32 (gfx6 to gfx8).
    pub upgraded_depth: bool,
    /// Color of taps outside.
    pub border: Border,
}

impl SamplerDescriptor {
    /// A point filter that wraps: what a builder starts from. All fields are 0, except that every level may be used.
    pub fn new(generation: Generation) -> SamplerDescriptor {
        let max_lod = from_fixed((1 << at::MAX_LOD.width(generation)) - 1, 8);
        SamplerDescriptor { max_lod, ..SamplerDescriptor::decode(&[0; 4], generation) }
    }

    /// Decodes an S#. Every bit pattern is one.
    pub fn decode(words: &[u32; 4], generation: Generation) -> SamplerDescriptor {
        let get = |field: &super::Field| field.get(words, generation);
        let code = |field: &super::Field| get(field) as u8;
        let flag = |field: &super::Field| get(field) != 0;
        SamplerDescriptor {
            generation,
            clamp: [&at::CLAMP_X, &at::CLAMP_Y, &at::CLAMP_Z].map(code),
            mag_filter: code(&at::XY_MAG_FILTER),
            min_filter: code(&at::XY_MIN_FILTER),
            z_filter: code(&at::Z_FILTER),
            mip_filter: code(&at::MIP_FILTER),
            filter_mode: code(&at::FILTER_MODE),
            max_aniso_ratio: code(&at::MAX_ANISO_RATIO),
            aniso_threshold: code(&at::ANISO_THRESHOLD),
            aniso_bias: from_fixed(get(&at::ANISO_BIAS), 5),
            aniso_override: flag(&at::ANISO_OVERRIDE),
            compare: code(&at::DEPTH_COMPARE_FUNC),
            unnormalized: flag(&at::FORCE_UNNORMALIZED),
            trunc_coord: flag(&at::TRUNC_COORD),
            mc_coord_trunc: flag(&at::MC_COORD_TRUNC),
            disable_cube_wrap: flag(&at::DISABLE_CUBE_WRAP),
            force_degamma: flag(&at::FORCE_DEGAMMA),
            skip_degamma: flag(&at::SKIP_DEGAMMA),
            min_lod: from_fixed(get(&at::MIN_LOD), 8),
            max_lod: from_fixed(get(&at::MAX_LOD), 8),
            lod_bias: from_signed_fixed(get(&at::LOD_BIAS), 14, 8),
            lod_bias_sec: from_signed_fixed(get(&at::LOD_BIAS_SEC), 6, 4),
            perf_mip: code(&at::PERF_MIP),
            perf_z: code(&at::PERF_Z),
            mip_point_preclamp: flag(&at::MIP_POINT_PRECLAMP),
            disable_lsb_ceil: flag(&at::DISABLE_LSB_CEIL),
            filter_prec_fix: flag(&at::FILTER_PREC_FIX),
            blend_prt: flag(&at::BLEND_PRT),
            compat_mode: flag(&at::COMPAT_MODE),
            upgraded_depth: flag(&at::UPGRADED_DEPTH),
            border: match get(&at::BORDER_COLOR_TYPE) {
                0 => Border::TransparentBlack,
                1 => Border::OpaqueBlack,
                2 => Border::OpaqueWhite,
                _ => Border::Table(get(&at::BORDER_COLOR_PTR) as u16),
            },
        }
    }

    /// The dwords of this descriptor. The biases saturate; everything else that does not fit is refused.
    pub fn encode(&self) -> Result<[u32; 4], EncodeError> {
        let mut words = [0; 4];
        let mut put = |field: &super::Field, value: u64| field.put(&mut words, self.generation, value);
        for (field, mode) in [&at::CLAMP_X, &at::CLAMP_Y, &at::CLAMP_Z].into_iter().zip(self.clamp) {
            put(field, mode.into())?;
        }
        put(&at::XY_MAG_FILTER, self.mag_filter.into())?;
        put(&at::XY_MIN_FILTER, self.min_filter.into())?;
        put(&at::Z_FILTER, self.z_filter.into())?;
        put(&at::MIP_FILTER, self.mip_filter.into())?;
        put(&at::FILTER_MODE, self.filter_mode.into())?;
        put(&at::MAX_ANISO_RATIO, self.max_aniso_ratio.into())?;
        put(&at::ANISO_THRESHOLD, self.aniso_threshold.into())?;
        put(&at::ANISO_BIAS, to_fixed(self.aniso_bias, 5))?;
        put(&at::ANISO_OVERRIDE, self.aniso_override.into())?;
        put(&at::DEPTH_COMPARE_FUNC, self.compare.into())?;
        put(&at::FORCE_UNNORMALIZED, self.unnormalized.into())?;
        put(&at::TRUNC_COORD, self.trunc_coord.into())?;
        put(&at::MC_COORD_TRUNC, self.mc_coord_trunc.into())?;
        put(&at::DISABLE_CUBE_WRAP, self.disable_cube_wrap.into())?;
        put(&at::FORCE_DEGAMMA, self.force_degamma.into())?;
        put(&at::SKIP_DEGAMMA, self.skip_degamma.into())?;
        put(&at::MIN_LOD, to_fixed(self.min_lod, 8))?;
        put(&at::MAX_LOD, to_fixed(self.max_lod, 8))?;
        put(&at::LOD_BIAS, to_signed_fixed(self.lod_bias, 14, 8))?;
        put(&at::LOD_BIAS_SEC, to_signed_fixed(self.lod_bias_sec, 6, 4))?;
        put(&at::PERF_MIP, self.perf_mip.into())?;
        put(&at::PERF_Z, self.perf_z.into())?;
        put(&at::MIP_POINT_PRECLAMP, self.mip_point_preclamp.into())?;
        put(&at::DISABLE_LSB_CEIL, self.disable_lsb_ceil.into())?;
        put(&at::FILTER_PREC_FIX, self.filter_prec_fix.into())?;
        put(&at::BLEND_PRT, self.blend_prt.into())?;
        put(&at::COMPAT_MODE, self.compat_mode.into())?;
        put(&at::UPGRADED_DEPTH, self.upgraded_depth.into())?;
        let (kind, entry) = match self.border {
            Border::TransparentBlack => (0, 0),
            Border::OpaqueBlack => (1, 0),
            Border::OpaqueWhite => (2, 0),
            Border::Table(entry) => (3, entry),
        };
        put(&at::BORDER_COLOR_TYPE, kind)?;
        put(&at::BORDER_COLOR_PTR, entry.into())?;
        Ok(words)
    }
}
