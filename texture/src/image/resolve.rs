//! From descriptors to what instructions use: an image's levels and their layout, a sampler's modes.
//!
//! Reference: RDNA3 ISA, tables of T# and S#; requirements of unbound and mismatched descriptors are IMG-14, IMG-27 and IMG-29.

use super::coord::Clamp;
use super::error::ImageError;
use super::filter::Reduction;
use super::lod::{Bounds, MipFilter, to_lambda};
use super::op::{Dim, ImageOp, Kind};
use super::routine::ImageConfig;
use super::sampler::{Sampler, XyFilter};
use super::surface::{Surface, ViewLevel};
use crate::Generation;
use crate::descriptor::{Border, ImageDescriptor, ImageType, SamplerDescriptor};
use crate::format::{Format, FormatNumber, Numeric};
use crate::tiling::{self, SurfaceParams, Tiling};

fn dim(kind: ImageType) -> Option<Dim> {
    Some(match kind {
        ImageType::Dim1 => Dim::D1,
        ImageType::Dim2 => Dim::D2,
        ImageType::Dim3 => Dim::D3,
        ImageType::Cube => Dim::Cube,
        ImageType::Dim1Array => Dim::Array1,
        ImageType::Dim2Array => Dim::Array2,
        ImageType::Msaa => Dim::Msaa,
        ImageType::MsaaArray => Dim::MsaaArray,
        ImageType::Other(_) => return None,
    })
}

/// May an instruction read an image of samples per texel (IMG-14)?
fn takes_msaa(kind: Kind) -> bool {
    match kind {
        Kind::Load { mip, .. } | Kind::Store { mip, .. } => !mip,
        Kind::Atomic(_) | Kind::MsaaLoad | Kind::ResInfo => true,
        _ => false,
    }
}

/// The format as the sampler wants it read: FORCE_DEGAMMA of 8-bit UNORM, and SKIP_DEGAMMA.
fn degamma(format: &Format, sampler: &SamplerDescriptor) -> Format {
    let is_bytes = format.is_block() || format.channels.iter().all(|c| matches!(c.bits, 0 | 8));
    let numeric = match format.numeric {
        Numeric::Unorm if sampler.force_degamma && is_bytes => Numeric::Srgb,
        Numeric::Srgb if sampler.skip_degamma => Numeric::Unorm,
        numeric => numeric,
    };
    Format { numeric, ..format.clone() }
}

/// The view a T# describes; `None` if the instruction reads 0 from it.
pub(super) fn surface(op: &ImageOp, config: &ImageConfig, t: &[u32; 8], s: &[u32; 4]) -> Result<Option<Surface>, ImageError> {
    let d = ImageDescriptor::decode(t, op.generation, op.r128);
    let Some(dim) = dim(d.kind).filter(|_| !d.is_unbound) else { return Ok(None) };
    if d.kind.is_msaa() && !takes_msaa(op.kind) {
        return Ok(None);
    }
    let Some(format) = d.format() else {
        let number = match d.format {
            FormatNumber::Unified(n) => n.into(),
            FormatNumber::Split { data, number } => u32::from(data) | if data == 0 { 0 } else { u32::from(number) << 8 },
        };
        return if number == 0 { Ok(None) } else { Err(ImageError::Format { format: number, generation: op.generation }) };
    };
    let format = if op.kind.sampling().is_some() { degamma(format, &SamplerDescriptor::decode(s, op.generation)) } else { format.clone() };

    let height = if matches!(dim, Dim::D1 | Dim::Array1) { 1 } else { d.height };
    let levels = u32::from(d.levels);
    let first_level = u32::from(d.base_level).min(levels - 1);
    // A view of slices says how many there are in its first level.
    let depth = if d.is_sliced { (d.last_layer + 1) << first_level } else { d.depth };
    let tiling = Tiling::new(&SurfaceParams {
        generation: op.generation,
        mode: d.mode,
        kind: match dim {
            Dim::D1 | Dim::Array1 => tiling::Kind::OneD,
            Dim::D3 => tiling::Kind::ThreeD,
            _ => tiling::Kind::TwoD,
        },
        // elements of two texels side by side are laid out as elements, blocks of 4x4 are counted by the layout
        width: if format.block == [2, 1] { d.width.div_ceil(2) } else { d.width },
        height,
        depth_or_layers: if dim == Dim::D3 { depth } else { d.layers(t) },
        levels,
        samples: 1 << d.samples_log2,
        element_bytes: u32::from(format.bytes),
        compressed: format.block == [4, 4],
        pitch: d.pitch,
        pow2_pad: d.pow2_pad,
        pipe_bank_xor: (d.base >> 8) as u32,
        config: config.addresses,
    })?;
    let last_level = u32::from(d.last_level).clamp(first_level, levels - 1);
    let view = (first_level..=last_level).filter_map(|level| {
        let halve = |extent: u32| (extent >> level).max(1) as i32;
        let z = match dim {
            Dim::D3 if d.is_sliced => (d.last_layer + 1).saturating_sub(d.first_layer).max(1) as i32,
            Dim::D3 => halve(depth),
            _ => 1,
        };
        Some(ViewLevel { size: [halve(d.width), if height == 1 { 1 } else { halve(height) }, z], layout: tiling.level(level)? })
    });
    Ok(Some(Surface {
        dim,
        format,
        address: tiling.base(d.base),
        bytes: tiling.size(),
        first_level,
        levels: view.collect(),
        first_layer: d.first_layer,
        last_layer: d.last_layer.saturating_sub(d.first_layer),
        samples: tiling.samples(),
        dst_sel: d.dst_sel,
        border_order: d.border_order(),
        min_lod: to_lambda(d.min_lod),
        min_lod_warn: to_lambda(d.min_lod_warn),
        prt_default: d.prt_default,
    }))
}

/// The sampler an S# describes for an instruction and an image.
pub(super) fn sampler(op: &ImageOp, config: &ImageConfig, s: &[u32; 4], surface: &Surface) -> Sampler {
    let d = SamplerDescriptor::decode(s, op.generation);
    let unnormalized = op.unorm || d.unnormalized;
    let clamp = d.clamp.map(|mode| {
        let mode = Clamp::from_field(mode.into());
        if unnormalized { mode.unnormalized() } else { mode }
    });
    let (border_type, border_index) = match d.border {
        Border::TransparentBlack => (0, 0),
        Border::OpaqueBlack => (1, 0),
        Border::OpaqueWhite => (2, 0),
        Border::Table(index) => (3, index.into()),
    };
    let single = surface.last_level() == 0;
    Sampler {
        clamp,
        unnormalized,
        mag: XyFilter::from_field(d.mag_filter.into()),
        min: XyFilter::from_field(d.min_filter.into()),
        z_linear: [None, Some(false), Some(true), None][usize::from(d.z_filter & 3)],
        mip: match d.mip_filter & 3 {
            0 => MipFilter::None,
            2 if !surface.format.is_integer() => MipFilter::Linear, // integers are not blended
            _ => MipFilter::Point,
        },
        bounds: Bounds {
            bias: to_lambda(d.lod_bias) + to_lambda(d.lod_bias_sec),
            min: to_lambda(d.min_lod),
            max: to_lambda(d.max_lod),
            view_min: surface.min_lod - surface.first_level as i32 * 256,
        },
        max_ratio: if single && d.aniso_override { 0 } else { d.max_aniso_ratio.min(4).into() },
        compare: d.compare.into(),
        limits_reference: d.upgraded_depth || surface.format.numeric == Numeric::Unorm || surface.format.layout_name == "32_FLOAT_CLAMP",
        truncate: d.trunc_coord,
        truncate_layer: d.trunc_coord && !(config.conformant_truncation && op.generation >= Generation::Gfx11),
        coarse: d.mc_coord_trunc,
        separate_faces: d.disable_cube_wrap,
        reduction: [Reduction::Blend, Reduction::Min, Reduction::Max, Reduction::Blend][usize::from(d.filter_mode & 3)],
        border_type,
        border_index,
    }
}
