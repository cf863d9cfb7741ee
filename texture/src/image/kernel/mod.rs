//! Vector forms of image instructions: sample and gather4, load, msaa_load and store, of all dimensions, clamp modes and filters, for images in
//! flat memory whose texels are plain channels or BC blocks (of which lanes decode theirs one by one). Each gives the bits of the scalar
//! form, to which tests hold them.
//!
//! [`Kernel::new`] decides whether an instruction and its descriptors have one. Everything an image fixes is in the [`Kernel`]; the functions
//! are put together of these parts, each generic over the instruction set ([`crate::simd`]) and where it matters over the kind of texel:
//!
//! | file | holds |
//! |---|---|
//! | `operands.rs` | address registers to coordinates, results to registers |
//! | `lod.rs` | levels of detail, anisotropic footprints |
//! | `taps.rs`, `cube.rs` | coordinates to texel indices |
//! | `level.rs` | indices to addresses |
//! | `texels.rs`, `channels.rs`, `fields.rs` | fetching and decoding texels |
//! | `filter.rs` | taps to a value |
//! | `sample.rs`, `load.rs` | the instructions |
//! | `pack.rs` | channels to texels of stores |
//! | `instances.rs` | the functions, compiled for each instruction set, kind of texel, and set of what images and samplers have ([`has`]) |
//!
//! What still goes lane by lane: partially resident images, gather4h, atomics, raw loads and stores, images whose offsets exceed 31 bits,
//! those whose layout splits tiles (gfx6 to gfx8), ETC2 and subsampled formats.

#![allow(unsafe_code)] // gathers from guest memory, and vector instructions
#![allow(clippy::needless_range_loop)] // vectors of channels, taps and axes are counted alike

mod channels;
mod cube;
mod fields;
mod filter;
mod instances;
mod level;
mod load;
mod lod;
mod operands;
mod pack;
mod sample;
mod taps;
#[cfg(all(test, any(debug_assertions, feature = "checked")))]
mod tests;
mod texels;

use super::coord::Clamp;
use super::filter::Reduction;
use super::lod::{Bounds, LOG_TABLE, MipFilter};
use super::op::{Dim, Kind, Layout, Lod, Packing, Slot};
use super::routine::Routine;
use super::sampler::Sampler;
use super::surface::Surface;
use super::values::Narrow;
use crate::descriptor::DstSel;
use crate::format::{Layout as FormatLayout, Numeric};
use crate::guarded::{Lost, View};
use crate::image::Operands;
use crate::{Memory, Wave};
use filter::Special;
use instances::{Offsets, Run};
use level::Level;
use operands::{Results, Source, Stored};
use texels::Element;
use wavejit_isa::HostLevel;

/// What a function has beside the common images and samplers, by bit: images of a plane or of layers of planes, one level, addresses from tables by
/// four bits, coordinates that repeat or stay at the last texel, and texels as they are or a blend of them.
mod has {
    /// Lanes choose levels.
    pub(super) const LEVELS: u32 = 1;
    /// Borders, comparisons, reductions and gathers.
    pub(super) const SPECIAL: u32 = 2;
    /// Rows and volumes, samples, offsets of coordinates, and all layouts and clamp modes; of loads and stores also levels.
    pub(super) const SHAPES: u32 = 4;
    /// Cubes, anisotropic filters, filters that depend on the level, integers.
    pub(super) const RARE: u32 = 8;
    /// Blends.
    pub(super) const LINEAR: u32 = 16;
    /// Layers, coordinates of 16 bits or in texels, results that are no channels in registers of their own.
    pub(super) const VARIED: u32 = 32;
    /// All of it.
    pub(super) const ALL: u32 = 63;
}

/// Directions of a slice or layer of the image, or of a volume.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Directions {
    Row,
    Plane,
    Volume,
}

impl Directions {
    /// Directions that have derivatives.
    fn axes(self) -> usize {
        match self {
            Directions::Row => 1,
            Directions::Plane => 2,
            Directions::Volume => 3,
        }
    }
}

/// What the third component of the address chooses, but for volumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slices {
    /// Nothing.
    One,
    /// A layer.
    Layers,
    /// A face of a cube as an image of its own.
    Faces,
    /// A face whose neighbors go on beyond its edges.
    SeamlessFaces,
}

impl Slices {
    fn are_faces(self) -> bool {
        matches!(self, Slices::Faces | Slices::SeamlessFaces)
    }
}

/// What one execution brings.
struct Call<'a> {
    operands: &'a Operands<'a>,
    image: View,
    /// Border color in memory channels.
    border: [u32; 4],
}

/// An instruction with its image and sampler, in the form the vector functions want.
#[derive(Debug)]
pub(super) struct Kernel {
    levels: Vec<Level>,
    element: Element,
    directions: Directions,
    slices: Slices,
    layout: Layout,
    first_layer: i32,
    last_layer: i32,
    /// Samples of a multisampled image, 0 of others.
    samples: i32,
    /// The level is an operand of a load or store.
    takes_level: bool,
    /// Component that msaa_load takes of four samples.
    fragments: Option<Source>,

    clamp: [Clamp; 3],
    has_border: bool,
    /// Filter of levels of 0 and less, and of others.
    linear: bool,
    min_linear: bool,
    mag_anisotropic: bool,
    min_anisotropic: bool,
    /// Does the filter depend on the level?
    filter_varies: bool,
    /// Log2 of the most samples, of an anisotropic sampler.
    max_ratio: Option<u32>,
    z_linear: Option<bool>,
    is_integer: bool,
    unnormalized: bool,
    coarse: bool,
    truncate: bool,
    truncate_layer: bool,
    mip: MipFilter,
    bounds: Bounds,
    lod: Lod,
    clamps_level: bool,
    special: Special,
    /// Is there more to the filter than a blend of texels?
    is_special: bool,
    /// References of comparisons are from 0 to 1.
    limits_reference: bool,

    results: Results,
    /// Of stores whose texels kernels pack.
    stored: Option<Stored>,
    log_table: &'static [u32; 256],
    address: u64,
    bytes: u64,
    /// The border color of samplers that have one, unless it is in memory.
    border: Option<[u32; 4]>,
    /// Of [`has`].
    has: u32,
    run: Function,
}

#[derive(Debug)]
enum Function {
    Run(Run),
    Store(Offsets),
}

/// What an instruction does, as far as kernels tell apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KernelOp {
    Sample,
    Gather,
    Load,
    LoadSamples,
    Store,
}

fn kernel_op(kind: Kind) -> Option<KernelOp> {
    Some(match kind {
        Kind::Sample(_) => KernelOp::Sample,
        Kind::Gather4(_) => KernelOp::Gather,
        Kind::Load { packing: Packing::Converted, .. } => KernelOp::Load,
        Kind::Store { raw: false, .. } => KernelOp::Store,
        Kind::MsaaLoad => KernelOp::LoadSamples,
        _ => return None,
    })
}

/// Directions and slices of an image.
fn directions(surface: &Surface, sampler: Option<&Sampler>) -> (Directions, Slices) {
    match surface.dim {
        Dim::D1 => (Directions::Row, Slices::One),
        Dim::Array1 => (Directions::Row, Slices::Layers),
        Dim::D2 | Dim::Msaa => (Directions::Plane, Slices::One),
        Dim::Array2 | Dim::MsaaArray => (Directions::Plane, Slices::Layers),
        Dim::D3 => (Directions::Volume, Slices::One),
        Dim::Cube => match sampler {
            None => (Directions::Plane, Slices::Layers),
            Some(s) if s.separate_faces => (Directions::Plane, Slices::Faces),
            Some(_) => (Directions::Plane, Slices::SeamlessFaces),
        },
    }
}

/// Where the four output components come from.
fn sources(surface: &Surface, is_sampled: bool) -> [Source; 4] {
    let one = surface.format.one();
    let is_plain = surface.format.layout == FormatLayout::Plain;
    surface.dst_sel.map(|sel| match sel {
        DstSel::Zero | DstSel::Reserved => Source::Constant(0),
        DstSel::One => Source::Constant(one),
        DstSel::Component(c) if is_plain && surface.format.channels[usize::from(c & 3)].bits == 0 => {
            Source::Missing(if c & 3 == 3 { one } else { 0 })
        }
        // which is border there for samplers
        DstSel::Component(3) if surface.format.layout == FormatLayout::SharedExponent && !is_sampled => Source::Missing(one),
        DstSel::Component(c) => Source::Channel(c & 3),
    })
}

impl Kernel {
    /// The kernel of an instruction, if there is one for the level, which the host has.
    pub(super) fn new(routine: &Routine, level: HostLevel) -> Option<Kernel> {
        let surface = routine.surface.as_ref()?;
        let op = &routine.op;
        let kernel_op = kernel_op(op.kind)?;
        let sampling = op.kind.sampling();
        let sampler = routine.sampler.as_ref();
        let (directions, slices) = directions(surface, sampler);
        let needs_whole_cube = slices == Slices::SeamlessFaces && surface.last_layer < 5;
        let is_slices = directions == Directions::Volume && surface.first_layer != 0;
        let is_flat = kernel_op != KernelOp::Gather || directions != Directions::Volume;
        // Derivatives are those of the instruction's directions.
        let is_like = routine.dim.axes() == surface.dim.axes();
        if needs_whole_cube || is_slices || !is_flat || !is_like || surface.min_lod_warn != 0 || op.dmask & 15 == 0 {
            return None;
        }

        let is_integer = surface.format.is_integer();
        let blends = sampler.is_some() && !is_integer;
        let gathers = kernel_op == KernelOp::Gather;
        let linear = sampler.is_some_and(|s| s.mag.linear) && blends || gathers;
        let min_linear = sampler.is_some_and(|s| s.min.linear) && blends || gathers;
        let filters = blends && !gathers;
        let [mag_anisotropic, min_anisotropic] =
            [sampler.map(|s| s.mag), sampler.map(|s| s.min)].map(|f| filters && f.is_some_and(|f| f.anisotropic));
        let max_ratio = sampler.filter(|s| s.is_anisotropic()).map(|s| s.max_ratio.min(4));
        let mip = match sampler.map_or(MipFilter::None, |s| s.mip) {
            MipFilter::Linear if gathers => MipFilter::Point,
            mip => mip,
        };
        let clamp = match slices {
            Slices::SeamlessFaces => [Clamp::HalfBorder; 3],
            _ => sampler.map_or([Clamp::LastTexel; 3], |s| s.clamp),
        };
        let has_border =
            slices != Slices::SeamlessFaces && sampler.is_some() && clamp.iter().take(directions.axes()).any(|c| c.has_border());

        // Components by DMASK; of gather4 and msaa_load four of one.
        let compares = sampling.is_some_and(|s| s.compare);
        let sources = sources(surface, sampler.is_some()).map(|source| match source {
            // The result of a comparison stands in all channels.
            Source::Missing(_) if compares => Source::Channel(0),
            source => source,
        });
        let one = sources[(op.dmask.trailing_zeros() as usize).min(3)];
        let components: Vec<Source> = match (kernel_op, one) {
            (KernelOp::LoadSamples, _) => (0..4).map(Source::Channel).collect(),
            (KernelOp::Gather, Source::Channel(_)) => (0..4).map(Source::Channel).collect(),
            (KernelOp::Gather, constant) => vec![constant; 4],
            _ => (0..4).filter(|k| op.dmask >> k & 1 != 0).map(|k| sources[k]).collect(),
        };
        let channel = |source: &Source| if let Source::Channel(c) = source { Some(*c) } else { None };
        let needed = match kernel_op {
            KernelOp::LoadSamples => channel(&one).map_or(0, |c| 1 << c),
            _ => components.iter().filter_map(channel).fold(0, |all, c| all | 1 << c),
        };
        let special = Special {
            compare: sampler.filter(|_| compares).map(|s| s.compare),
            reduction: sampler.map_or(Reduction::Blend, |s| s.reduction),
            gather: gathers.then(|| channel(&one).unwrap_or(0)),
        };
        let is_special = has_border || gathers || compares || special.reduction != Reduction::Blend;
        let filter_varies = sampler.is_some() && (linear != min_linear || mag_anisotropic != min_anisotropic);
        let levels = Level::all(surface, directions, slices)?;
        let takes_level = matches!(op.kind, Kind::Load { mip: true, .. } | Kind::Store { mip: true, .. });
        let unnormalized = sampler.is_some_and(|s| s.unnormalized);
        let is_multisampled = matches!(surface.dim, Dim::Msaa | Dim::MsaaArray);
        let is_single_level = levels.len() == 1 || mip == MipFilter::None || unnormalized;
        let is_common = |c: &Clamp| matches!(c, Clamp::Wrap | Clamp::LastTexel) || *c == Clamp::Border && has_border;
        let is_plane = directions == Directions::Plane && matches!(slices, Slices::One | Slices::Layers);
        let is_common = is_plane
            && !is_multisampled
            && !takes_level
            && routine.layout.offset.is_none()
            && clamp[..2].iter().all(is_common)
            && levels.iter().all(Level::has_tables);
        let is_rare = slices.are_faces() || max_ratio.is_some() || filter_varies || is_integer && sampler.is_some();
        let narrow = match surface.format.numeric {
            _ if is_integer => Narrow::Integer,
            Numeric::Float if surface.format.channels[0].bits == 32 && sampler.is_none() => Narrow::Truncate,
            _ => Narrow::Nearest,
        };
        let results = Results::new(op, routine.config.unpacked_d16, &components, narrow);
        let is_whole = |slot: &Option<Slot>| matches!(slot, None | Some(Slot::Whole(_)));
        let is_simple = slices == Slices::One && !unnormalized && routine.layout.body.iter().all(is_whole);
        let is_varied = !is_simple || kernel_op != KernelOp::Store && !results.are_channels();
        let needs = [
            (!is_single_level, has::LEVELS),
            (is_special, has::SPECIAL),
            (!is_common, has::SHAPES),
            (is_rare, has::RARE),
            (linear, has::LINEAR),
            (is_varied, has::VARIED),
        ];
        let needs = needs.into_iter().filter(|(is, _)| *is).fold(0, |all, (_, bit)| all | bit);
        let (has, run) = match kernel_op {
            KernelOp::Sample | KernelOp::Gather => instances::sampler(surface, level, needs)?,
            KernelOp::Load | KernelOp::LoadSamples => instances::loader(surface, level, needs)?,
            KernelOp::Store => instances::storer(surface, level, needs, op.d16)?,
        };
        Some(Kernel {
            levels,
            element: Element::new(&surface.format, sampler.is_some(), needed)?,
            directions,
            slices,
            layout: routine.layout,
            first_layer: i32::try_from(surface.first_layer).ok()?,
            last_layer: i32::try_from(surface.last_layer).ok()?,
            samples: if is_multisampled { surface.samples as i32 } else { 0 },
            takes_level,
            fragments: (kernel_op == KernelOp::LoadSamples).then_some(one),
            clamp,
            has_border,
            linear,
            min_linear,
            mag_anisotropic,
            min_anisotropic,
            filter_varies,
            max_ratio,
            z_linear: sampler.and_then(|s| s.z_linear),
            is_integer,
            unnormalized,
            coarse: sampler.is_some_and(|s| s.coarse),
            truncate: sampler.is_some_and(|s| s.truncate),
            truncate_layer: sampler.is_some_and(|s| s.truncate_layer),
            mip,
            bounds: sampler.map_or(Bounds::default(), |s| s.bounds),
            lod: sampling.map_or(Lod::Zero, |s| s.lod),
            clamps_level: sampling.is_some_and(|s| s.clamp),
            special,
            is_special,
            limits_reference: sampler.is_some_and(|s| s.limits_reference),
            results,
            stored: Stored::new(op, &surface.dst_sel),
            log_table: &LOG_TABLE,
            address: surface.address,
            bytes: surface.bytes,
            border: if has_border { sampler.and_then(|s| routine.constant_border(surface, s)) } else { Some([0; 4]) },
            has,
            run,
        })
    }

    /// Executes a load, a store of texels that kernels pack or a sampler instruction, if the image is in one piece of memory. The lanes that are
    /// left to the scalar form, those whose texels cannot be read among them; `None`: all. The caller has checked that the instruction's registers
    /// are there, and gives the border color of samplers that have one.
    pub(super) fn execute(&self, operands: &Operands, wave: &mut Wave, memory: &dyn Memory, border: [u32; 4]) -> Option<u64> {
        self.execute_at(self.view(memory)?, operands, wave, border)
    }

    /// The same on an image of [`Kernel::view`].
    #[inline]
    pub(super) fn execute_at(&self, image: View, operands: &Operands, wave: &mut Wave, border: [u32; 4]) -> Option<u64> {
        let Function::Run(run) = self.run else { return None };
        let call = Call { operands, image, border };
        // SAFETY: `new` chose `run` for an instruction set that was detected, and `Level::all` has made sure that no texel of any level reaches
        // beyond the image.
        Some(unsafe { run(self, &call, wave) })
    }

    /// Stores a texel of each active lane, `texels` holding those of all lanes side by side, if the image is in one piece of memory that can be
    /// written. If not, the first lanes may have been stored.
    pub(super) fn store(&self, operands: &Operands, wave: &Wave, memory: &dyn Memory, texels: &[u8]) -> bool {
        let Function::Store(offsets) = self.run else { return false };
        let Some(image) = self.view(memory) else { return false };
        let mut at = [0; 64];
        let bytes = self.element.bytes as usize;
        // SAFETY: as in `execute`; offsets of the lanes that store are those of texels, `bytes` long.
        unsafe {
            let lanes = crate::wave::LaneIter(offsets(self, operands, wave, &mut at));
            match bytes {
                1 => put::<1>(image, &at, lanes, texels),
                2 => put::<2>(image, &at, lanes, texels),
                4 => put::<4>(image, &at, lanes, texels),
                8 => put::<8>(image, &at, lanes, texels),
                12 => put::<12>(image, &at, lanes, texels),
                16 => put::<16>(image, &at, lanes, texels),
                _ => false,
            }
        }
    }

    /// The image in memory.
    pub(super) fn view(&self, memory: &dyn Memory) -> Option<View> {
        memory.view(self.address, self.bytes).map(|base| View::new(base, self.bytes))
    }

    /// Is it one of the short forms: a function with nothing beside the common images?
    pub(super) fn is_short(&self) -> bool {
        self.has & (has::SHAPES | has::RARE) == 0 && matches!(self.run, Function::Run(_))
    }

    /// The border color, 0 without one. `None`: it is in memory.
    pub(super) fn border(&self) -> Option<[u32; 4]> {
        self.border
    }

    /// Does every lane read the first level only?
    fn is_single_level(&self) -> bool {
        self.levels.len() == 1 || self.mip == MipFilter::None || self.unnormalized
    }
}

/// Writes a texel of `N` bytes for each lane, the last one last, up to one that cannot be written.
///
/// # Safety
/// For each of the lanes, `at` is the offset of a texel of the image.
unsafe fn put<const N: usize>(image: View, at: &[u32; 64], lanes: crate::wave::LaneIter, texels: &[u8]) -> bool {
    let (texels, _) = texels.as_chunks::<N>();
    let mut lost = Lost::none();
    for lane in lanes {
        if let Some(texel) = texels.get(lane) {
            // SAFETY: as the function says.
            unsafe { image.write(at[lane & 63].into(), texel, &mut lost) };
            if lost.any() {
                return false;
            }
        }
    }
    true
}
