//! Vector forms of sample and image_load for the common images: 1D, 2D, arrays of them and 3D in memory of one piece, blended or point filtered,
//! with clamp modes that know no border; of compressed images lanes decode their texels one by one. Each gives the bits of the scalar form, to
//! which tests hold them.
//!
//! [`Kernel::new`] decides whether an instruction and its descriptors have one. Everything an image fixes is in the [`Kernel`]; the functions
//! are instantiated per instruction set and kind of texel.

#![allow(unsafe_code)] // gathers from guest memory, and vector instructions

mod load;
mod sample;
mod simd;
mod taps;
mod texels;

use std::sync::{Arc, LazyLock};

use super::coord::Clamp;
use super::filter::Reduction;
use super::lod::{Bounds, LOG_TABLE, MipFilter};
use super::op::{Dim, Kind, Layout, Lod, Packing, Slot};
use super::routine::Routine;
use super::surface::Surface;
use crate::descriptor::DstSel;
use crate::format::{Layout as FormatLayout, Numeric, SRGB_TO_LINEAR};
use crate::image::Operands;
use crate::{Memory, Wave};
use simd::{Avx2, Avx512};
use taps::{Flips, Level};
use texels::{Blocks, Bytes, Dwords, Element, Halves, Packed, Srgb};

/// Directions of the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// 1D.
    Row,
    /// 2D.
    Plane,
    /// 2D array.
    Layers,
    /// 3D.
    Volume,
}

impl Shape {
    /// Directions that have derivatives.
    fn axes(self) -> usize {
        match self {
            Shape::Row => 1,
            Shape::Plane | Shape::Layers => 2,
            Shape::Volume => 3,
        }
    }
}

/// Where a result VGPR comes from.
#[derive(Clone, Copy, Debug)]
enum Out {
    /// A memory channel.
    Channel(u8),
    /// A channel the format lacks; loads outside the image read 0 from it all the same.
    Missing(u32),
    /// A constant of dst_sel, or the status dword.
    Constant(u32),
}

type Run = unsafe fn(&Kernel, &Operands, &mut Wave, *const u8);

/// An instruction with its image and sampler, in the form the vector functions want.
#[derive(Debug)]
pub(super) struct Kernel {
    levels: Vec<Level>,
    element: Element,
    shape: Shape,
    layout: Layout,
    /// Body component that is the layer.
    layer_component: usize,
    first_layer: i32,
    last_layer: i32,
    clamp: [Clamp; 3],
    linear: bool,
    z_linear: bool,
    unnormalised: bool,
    coarse: bool,
    truncate: bool,
    truncate_layer: bool,
    mip: MipFilter,
    bounds: Bounds,
    lod: Lod,
    clamps_level: bool,
    out: Vec<Out>,
    log_table: &'static [u32; 256],
    address: u64,
    bytes: u64,
    run: Run,
}

/// The instruction sets kernels exist for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isa {
    /// 8 lanes.
    Avx2,
    /// 16 lanes.
    Avx512,
}

impl Isa {
    /// The best one this processor has; the environment variable `WAVEJIT_TEXTURE_ISA` (`scalar`, `avx2`) takes a lesser one.
    pub fn detect() -> Option<Isa> {
        static FOUND: LazyLock<Option<Isa>> = LazyLock::new(|| {
            let limit = std::env::var("WAVEJIT_TEXTURE_ISA").unwrap_or_default();
            let wide = Isa::available().contains(&Isa::Avx512) && limit != "avx2";
            let best = if wide { Some(Isa::Avx512) } else { Isa::available().first().copied() };
            best.filter(|_| limit != "scalar")
        });
        *FOUND
    }

    /// Those this processor has.
    pub fn available() -> Vec<Isa> {
        let narrow = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
        let wide = narrow
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        [(narrow, Isa::Avx2), (wide, Isa::Avx512)].into_iter().filter(|(has, _)| *has).map(|(_, isa)| isa).collect()
    }
}

/// Functions for one kind of texel, each for both instruction sets.
macro_rules! instances {
    ($($name:ident = $function:ident, $texels:ty;)*) => {
        $(
            fn $name(isa: Isa) -> Run {
                #[target_feature(enable = "avx2,fma,f16c")]
                unsafe fn avx2(k: &Kernel, operands: &Operands, wave: &mut Wave, base: *const u8) {
                    // SAFETY: this function is only reached where the processor has the features, with an image the caller vouches for.
                    unsafe { $function::$function::<Avx2, $texels>(k, operands, wave, base) }
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")]
                unsafe fn avx512(k: &Kernel, operands: &Operands, wave: &mut Wave, base: *const u8) {
                    // SAFETY: as above.
                    unsafe { $function::$function::<Avx512, $texels>(k, operands, wave, base) }
                }
                match isa {
                    Isa::Avx2 => avx2,
                    Isa::Avx512 => avx512,
                }
            }
        )*
    };
}

instances! {
    sample_bytes = sample, Bytes;
    sample_blocks = sample, Blocks;
    load_blocks = load, Blocks;
    sample_srgb = sample, Srgb;
    sample_half1 = sample, Halves<1>;
    sample_half2 = sample, Halves<2>;
    sample_half4 = sample, Halves<4>;
    sample_dword1 = sample, Dwords<1>;
    sample_dword2 = sample, Dwords<2>;
    sample_dword4 = sample, Dwords<4>;
    load_bytes = load, Bytes;
    load_srgb = load, Srgb;
    load_packed = load, Packed;
    load_half1 = load, Halves<1>;
    load_half2 = load, Halves<2>;
    load_half4 = load, Halves<4>;
    load_dword1 = load, Dwords<1>;
    load_dword2 = load, Dwords<2>;
    load_dword4 = load, Dwords<4>;
}

/// The functions for a surface's format.
fn instance(surface: &Surface, isa: Isa, is_load: bool) -> Option<Run> {
    let format = &surface.format;
    let channels = format.channels;
    let count = channels.iter().filter(|c| c.bits != 0).count();
    if let FormatLayout::Block(_) = format.layout {
        return Some(if is_load { load_blocks(isa) } else { sample_blocks(isa) });
    }
    let all = |bits: u8| (0..count).all(|c| channels[c].bits == bits && usize::from(channels[c].shift) == c * usize::from(bits));
    if format.layout != FormatLayout::Plain || usize::from(format.bytes) * 8 != channels.iter().map(|c| usize::from(c.bits)).sum() {
        return None;
    }
    let [sample, load]: [fn(Isa) -> Run; 2] = match (format.numeric, count) {
        (Numeric::Unorm, 1 | 2 | 4) if all(8) => [sample_bytes, load_bytes],
        (Numeric::Srgb, 1 | 2 | 4) if all(8) => [sample_srgb, load_srgb],
        (Numeric::Float, 1) if all(16) => [sample_half1, load_half1],
        (Numeric::Float, 2) if all(16) => [sample_half2, load_half2],
        (Numeric::Float, 4) if all(16) => [sample_half4, load_half4],
        (Numeric::Float | Numeric::Uint | Numeric::Sint, 1) if all(32) => [sample_dword1, load_dword1],
        (Numeric::Float | Numeric::Uint | Numeric::Sint, 2) if all(32) => [sample_dword2, load_dword2],
        (Numeric::Float | Numeric::Uint | Numeric::Sint, 4) if all(32) => [sample_dword4, load_dword4],
        (Numeric::Uint | Numeric::Sint, _) if is_load && format.bytes <= 4 => [load_packed, load_packed],
        _ => return None,
    };
    Some(if is_load { load(isa) } else { sample(isa) })
}

/// The levels, if all their texels lie in the image and offsets fit 31 bits.
fn levels(surface: &Surface, shape: Shape) -> Option<Vec<Level>> {
    // The aligned dword around a small texel is read: images are whole dwords.
    if surface.bytes >= 1 << 31 || !surface.bytes.is_multiple_of(4) {
        return None;
    }
    // Offsets of compressed texels count sixteenths of blocks ([`Blocks`]); coordinates are in texels.
    let (texels_log2, scale) = match surface.format.layout {
        FormatLayout::Block(_) => ([2, 2, 0], 16 / u32::from(surface.format.bytes)),
        _ => ([0; 3], 1),
    };
    if surface.bytes * u64::from(scale) >= 1 << 31 {
        return None;
    }
    let flips_of = |xor: &Arc<[u32]>, axis: usize| match texels_log2[axis] {
        0 if scale == 1 => Flips::new(xor.clone()),
        log2 => {
            let low = |i: usize| (i as u32 & ((1 << log2) - 1)) << (2 * axis);
            Flips::new((0..xor.len() << log2).map(|i| (xor[i >> log2] * scale) | low(i)).collect())
        }
    };
    let layered = shape == Shape::Layers;
    let has_slices = layered || shape == Shape::Volume;
    let convert = |view: &super::surface::ViewLevel| {
        let layout = &view.layout;
        if !layout.is_plain() {
            return None;
        }
        // The largest coordinate of each direction, in the image.
        let z_last = surface.first_layer + if layered { surface.last_layer } else { view.size[2] as u32 - 1 };
        let most = [(view.size[0] as u32 - 1) >> texels_log2[0], (view.size[1] as u32 - 1) >> texels_log2[1], z_last];
        let mut sum = layout.base;
        let mut flips = *layout.sample_xor.first()?;
        for (axis, last) in most.into_iter().enumerate() {
            sum = sum.checked_add(u64::from(last >> layout.shift[axis]).checked_mul(layout.step[axis])?)?;
            flips |= layout.xor[axis].iter().fold(0, |all, x| all | x);
        }
        if sum.checked_add(flips.into())?.checked_add(surface.format.bytes.into())? > surface.bytes {
            return None;
        }
        // Without a direction of slices, the share of the only one is part of the level's.
        let only = layout.slice(surface.first_layer, 0);
        let (base, flips) = if has_slices { (layout.base, *layout.sample_xor.first()?) } else { (only.base, only.flips) };
        let step = |axis: usize| i32::try_from(layout.step[axis].checked_mul(scale.into())?).ok();
        Some(Level {
            size: view.size,
            base: i32::try_from(base * u64::from(scale)).ok()?,
            flips: (flips * scale) as i32,
            shift: [0, 1, 2].map(|axis| (layout.shift[axis] + texels_log2[axis]) as i32),
            step: [step(0)?, step(1)?, step(2).or((most[2] >> layout.shift[2] == 0).then_some(0))?],
            xor: [0, 1, 2].map(|axis| flips_of(&layout.xor[axis], axis)),
        })
    };
    surface.levels.iter().map(convert).collect()
}

impl Kernel {
    /// The kernel of an instruction, if there is one for the instruction set.
    pub(super) fn new(routine: &Routine, isa: Isa) -> Option<Kernel> {
        let surface = routine.surface.as_ref()?;
        let op = &routine.op;
        let sampling = match op.kind {
            Kind::Sample(sampling) => Some(sampling),
            Kind::Load { mip: false, packing: Packing::Converted } => None,
            _ => return None,
        };
        let shape = match surface.dim {
            Dim::D1 => Shape::Row,
            Dim::D2 => Shape::Plane,
            Dim::Array2 => Shape::Layers,
            Dim::D3 => Shape::Volume,
            _ => return None,
        };
        // The addresses have the image's shape, in whole registers.
        let whole = |slot: &Option<Slot>| matches!(slot, None | Some(Slot::Whole(_)));
        let layout = routine.layout;
        let slots = [layout.bias, layout.level].into_iter().chain(layout.dh).chain(layout.dv).chain(layout.body);
        let is_plain = routine.dim == surface.dim && slots.collect::<Vec<_>>().iter().all(whole) && !op.d16;
        let is_slices = shape == Shape::Volume && surface.first_layer != 0;
        if !is_plain || is_slices || surface.min_lod_warn != 0 || op.dmask & 15 == 0 || sampling.is_some_and(|s| s.compare) {
            return None;
        }
        let is_load = sampling.is_none();
        let sampler = routine.sampler.as_ref();
        if let Some(s) = sampler {
            let same_filters = s.mag.linear == s.min.linear && !s.is_anisotropic();
            let has_border = s.clamp.iter().take(shape.axes()).any(|c| c.has_border());
            if !same_filters || has_border || s.reduction != Reduction::Blend || surface.format.is_integer() {
                return None;
            }
        } else if !is_load {
            return None;
        }
        let one = if surface.format.is_integer() { 1 } else { 1.0_f32.to_bits() };
        let has_channels = surface.format.layout == FormatLayout::Plain;
        let sources = surface.dst_sel.map(|sel| match sel {
            DstSel::Zero | DstSel::Reserved => Out::Constant(0),
            DstSel::One => Out::Constant(one),
            DstSel::Component(c) if has_channels && surface.format.channels[usize::from(c & 3)].bits == 0 => {
                Out::Missing(if c & 3 == 3 { one } else { 0 })
            }
            DstSel::Component(c) => Out::Channel(c),
        });
        let mut out: Vec<Out> = (0..4).filter(|k| op.dmask >> k & 1 != 0).map(|k| sources[k]).collect();
        if op.has_status() {
            out.push(Out::Constant(0));
        }
        let linear = sampler.is_some_and(|s| s.mag.linear);
        Some(Kernel {
            levels: levels(surface, shape)?,
            element: Element::new(&surface.format, &SRGB_TO_LINEAR),
            shape,
            layout,
            layer_component: 2,
            first_layer: i32::try_from(surface.first_layer).ok()?,
            last_layer: i32::try_from(surface.last_layer).ok()?,
            clamp: sampler.map_or([Clamp::LastTexel; 3], |s| s.clamp),
            linear,
            z_linear: sampler.and_then(|s| s.z_linear).unwrap_or(linear),
            unnormalised: sampler.is_some_and(|s| s.unnormalised),
            coarse: sampler.is_some_and(|s| s.coarse),
            truncate: sampler.is_some_and(|s| s.truncate),
            truncate_layer: sampler.is_some_and(|s| s.truncate_layer),
            mip: sampler.map_or(MipFilter::None, |s| s.mip),
            bounds: sampler.map_or(Bounds::default(), |s| s.bounds),
            lod: sampling.map_or(Lod::Zero, |s| s.lod),
            clamps_level: sampling.is_some_and(|s| s.clamp),
            out,
            log_table: &LOG_TABLE,
            address: surface.address,
            bytes: surface.bytes,
            run: instance(surface, isa, is_load)?,
        })
    }

    /// Executes the instruction, if the image is in one piece of memory; `false`: nothing was done. The caller has checked that the
    /// instruction's registers are there.
    pub(super) fn execute(&self, operands: &Operands, wave: &mut Wave, memory: &dyn Memory) -> bool {
        let Some(base) = memory.view(self.address, self.bytes) else { return false };
        // SAFETY: `new` chose `run` for an instruction set that was detected. `base` points to `bytes` readable bytes, as `view` promises, and
        // `levels` has made sure that no texel of any level reaches beyond them.
        unsafe { (self.run)(self, operands, wave, base) };
        true
    }

    /// Does every lane read the first level only?
    fn is_single_level(&self) -> bool {
        self.levels.len() == 1 || self.mip == MipFilter::None || self.unnormalised
    }
}
