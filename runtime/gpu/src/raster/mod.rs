//! The fixed function behind the geometry stages: primitives to pixels in memory (graphics.md 3.3 to 3.9, 4.5, 4.6, 5, 6).
//!
//! | file | holds |
//! |---|---|
//! | `clip.rs` | what of a primitive is in front and inside |
//! | `setup.rs` | primitives to shapes: viewport, facing, culling, polygon mode, bias |
//! | `shape.rs` | which pixels a shape covers; planes |
//! | `block.rs` | blocks of 8 x 8 pixels: waves of their own, straight to memory; which draws may have them |
//! | `tile.rs` | quads and blocks of a tile, early and late tests, colors |
//! | `pass.rs` | tiles of a draw as a source of pixel waves |
//! | `inputs.rs` | what pixel waves start with |
//! | `packers.rs` | their numbers |
//! | `export.rs` | what they export |
//! | `fill.rs` | draws that leave the same everywhere |
//! | `depth.rs`, `blend.rs` | tests; blending, logic operations, masks |
//! | `surface.rs` | tiles to and from memory |
//!
//! A draw's primitives are set up in order and put on lists of tiles of 64 x 64 pixels; a tile's work is done in order by one thread at a time,
//! tiles side by side. A tile is read when its work begins, or when the first of its pixels needs it, and written when it ends, so that
//! everything is in memory between draws.

mod blend;
mod block;
mod clip;
mod depth;
mod export;
mod fill;
mod inputs;
mod packers;
mod pass;
mod setup;
mod shape;
mod surface;
mod tile;

use crate::draw::primitives::Batch;
use crate::error::Refusal;
use crate::registers::color::{ColorMode, ColorState, Target};
use crate::registers::depth::{DepthFormat, DepthState, TestOrder};
use crate::registers::pixel::PixelState;
use crate::registers::raster::{RasterState, Rect};
use crate::ring::Ring;
use crate::stage::GraphicsStage;
use fill::{Fill, OneWave};
use inputs::Parameters;
pub(crate) use packers::Packers;
use pass::{Draw, Pass, Surfaces, bin, chunk};
use rustc_hash::FxHashMap;
use setup::Setup;
use shape::Shape;
use std::sync::Arc;
use surface::{Surface, SurfaceKey};
use wavejit::stage::StageSource;
use wavejit_texture::tiling::{AddressConfig, Kind};

/// Most shapes that are drawn at once: each time every tile that they cover is read and written.
const MOST_SHAPES: usize = 1 << 17;
/// Most surfaces whose layout is remembered.
const MOST_SURFACES: usize = 256;

/// What primitives are made of: VGT_GS_OUT_PRIM_TYPE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputKind {
    Points,
    Lines,
    Triangles,
    /// Three corners of a rectangle.
    Rectangles,
}

/// What a ring remembers of its draws.
#[derive(Default)]
pub(crate) struct Rasterizer {
    surfaces: FxHashMap<SurfaceKey, Arc<Surface>>,
    /// Room for the shapes of a draw.
    shapes: Vec<Shape>,
    /// Samples that have passed while they were counted.
    pub samples_passed: u64,
    /// Pixels for which shaders have run.
    pub pixel_invocations: u64,
    /// Primitives that came to the clipper, and that it left.
    pub clipped: [u64; 2],
}

impl Rasterizer {
    fn surface(&mut self, ring: &crate::ring::GpuInner, key: SurfaceKey) -> Result<Arc<Surface>, Refusal> {
        if let Some(known) = self.surfaces.get(&key) {
            return Ok(known.clone());
        }
        if self.surfaces.len() >= MOST_SURFACES {
            self.surfaces.clear();
        }
        let generation = ring.target.descriptors();
        let config = AddressConfig::from_register(generation, ring.device.config().gb_addr_config)
            .ok_or_else(|| Refusal::new("GB_ADDR_CONFIG: pipes do not take turns every 256 bytes"))?;
        let surface = Arc::new(Surface::new(&key, generation, config)?);
        self.surfaces.insert(key, surface.clone());
        Ok(surface)
    }
}

/// Draws primitives as the registers say. `next` has the batches, some at a time: attributes of those are in memory until it is called again.
pub(crate) fn draw(
    ring: &mut Ring,
    kind: OutputKind,
    mut next: impl FnMut() -> Result<Option<Vec<Batch>>, Refusal>,
) -> Result<(), Refusal> {
    let mut raster = RasterState::of(&ring.registers)?;
    let color = ColorState::of(&ring.registers)?;
    // Surfaces with metadata are refused, so that there is nothing to eliminate or to decompress.
    if raster.discards || color.mode == ColorMode::Metadata {
        while next()?.is_some() {}
        return Ok(());
    }
    let depth = DepthState::of(&ring.registers)?;
    let pixel = PixelState::of(&ring.registers)?;
    let gpu = ring.gpu.clone();
    let gpu = gpu.inner();
    let mut surfaces = Surfaces::default();
    let mut limit: Option<Rect> = None;
    let mut limited = |surface: &Surface| limit = Some(limit.map_or(surface.rect(), |l| l.and(surface.rect())));
    for (slot, target) in surfaces.colors.iter_mut().zip(&color.targets) {
        if let Some(target) = target {
            if target.samples < raster.samples {
                return Err(Refusal::new(format!("a target of {} samples drawn to with {}", target.samples, raster.samples)));
            }
            let surface = ring.raster.surface(gpu, color_key(target))?;
            limited(&surface);
            *slot = Some(surface);
        }
    }
    if depth.is_used() {
        if depth.samples < raster.samples {
            return Err(Refusal::new(format!("depth of {} samples drawn to with {}", depth.samples, raster.samples)));
        }
        if let Some((plane, format)) = depth.depth {
            let bytes = if format == DepthFormat::Unorm16 { 2 } else { 4 };
            surfaces.depth = Some(ring.raster.surface(gpu, depth_key(&depth, plane.address, plane.mode, bytes))?);
        }
        if let Some(plane) = depth.stencil.filter(|_| depth.faces.is_some() || depth.clear_stencil.is_some()) {
            surfaces.stencil = Some(ring.raster.surface(gpu, depth_key(&depth, plane.address, plane.mode, 1))?);
        }
        [&surfaces.depth, &surfaces.stencil].into_iter().flatten().for_each(|s| limited(s));
    }
    // A multiple of two in each direction below 2^14 where no surface says less.
    let limit = limit.unwrap_or(Rect { x0: 0, y0: 0, x1: 1 << 14, y1: 1 << 14 });
    raster.viewports.iter_mut().for_each(|v| v.scissor = v.scissor.and(limit));
    let changes_with_shader = color.is_written() || depth.exports != [false; 3] || depth.kills || depth.alpha_to_coverage.is_some();
    let runs_shader = changes_with_shader || depth.always_shades || depth.order == TestOrder::Late && !depth.is_used();
    let order = if runs_shader { depth.order } else { TestOrder::Early };

    let mut setup = Setup::new(&raster, kind);
    let mut shapes = std::mem::take(&mut ring.raster.shapes);
    shapes.clear();
    let mut parameters: Vec<Parameters> = Vec::new();
    let mut totals = tile::Counts::default();
    let mut run = |shapes: &mut Vec<Shape>, parameters: &mut Vec<Parameters>| -> Result<(), Refusal> {
        let draw = Draw {
            memory: gpu.device.memory(),
            pixel: &pixel,
            raster: &raster,
            depth: &depth,
            color: &color,
            surfaces: &surfaces,
            order,
            shapes,
            parameters,
            shared: Default::default(),
            stop: &gpu.stop,
            packers: &gpu.packers,
        };
        let mut add = |counts: tile::Counts| {
            totals.samples_passed += counts.samples_passed;
            totals.pixels_shaded += counts.pixels_shaded;
        };
        let fill = Fill::of(&draw).filter(|_| !runs_shader || fill::is_uniform(draw.memory, gpu.target, &pixel));
        let tiles = if fill.is_some() { Vec::new() } else { bin(shapes) };
        if let Some(fill) = fill {
            let wave = OneWave::new(&draw);
            if runs_shader {
                start(ring, &pixel, &wave)?;
            }
            let counts = fill.write(&draw, &wave.colors())?;
            add(tile::Counts { pixels_shaded: if runs_shader { counts.pixels_shaded } else { 0 }, ..counts });
        } else if !tiles.is_empty() {
            let pass = Pass::new(&draw, tiles);
            if runs_shader {
                start(ring, &pixel, &pass)?
            } else {
                pass.run_tests()
            }
            add(pass.finish()?);
        }
        shapes.clear();
        parameters.clear();
        Ok(())
    };
    while let Some(batches) = next()? {
        for batch in &batches {
            let mut from = 0;
            loop {
                let number = parameters.len() as u32;
                from = setup.batch(number, batch, from, MOST_SHAPES, &mut shapes);
                // Most shapes of batches before it are not this one's: nothing to read if it left none.
                let is_used = shapes.last().is_some_and(|s| s.batch == number);
                parameters.push(if is_used && !pixel.attributes.is_empty() {
                    Parameters::read(gpu.device.memory(), batch)?
                } else {
                    Parameters::default()
                });
                if from == batch.primitives.len() {
                    break;
                }
                run(&mut shapes, &mut parameters)?;
            }
        }
    }
    run(&mut shapes, &mut parameters)?;
    ring.raster.shapes = shapes;
    if depth.counts_samples {
        ring.raster.samples_passed = ring.raster.samples_passed.wrapping_add(totals.samples_passed);
    }
    if ring.counts_statistics {
        ring.raster.pixel_invocations = ring.raster.pixel_invocations.wrapping_add(totals.pixels_shaded);
        ring.raster.clipped[0] = ring.raster.clipped[0].wrapping_add(setup.counts.invocations);
        ring.raster.clipped[1] = ring.raster.clipped[1].wrapping_add(setup.counts.primitives);
    }
    Ok(())
}

/// Runs pixel waves.
fn start(ring: &Ring, pixel: &PixelState, waves: &dyn StageSource) -> Result<(), Refusal> {
    let (group_waves, wave_lds) = chunk(pixel.attributes.len());
    let stage = GraphicsStage {
        what: "pixel shader",
        entry: pixel.entry,
        rsrc: [pixel.rsrc1, pixel.rsrc2],
        fp16_ovfl: 1 << 29,
        wave_size: pixel.wave_size,
        user_data: &[],
        wave_scratch_bytes: pixel.wave_scratch_bytes,
        group_waves,
        lds_bytes: group_waves * wave_lds,
        border_colors: crate::registers::compute::ComputeState::border_colors(&ring.registers),
    };
    stage.run(ring.gpu.inner(), waves)
}

fn color_key(target: &Target) -> SurfaceKey {
    SurfaceKey {
        address: target.address,
        mode: target.mode,
        kind: target.kind,
        size: target.size,
        level: target.level,
        levels: target.levels,
        samples: target.samples,
        bytes: u32::from(target.format.bytes),
    }
}

fn depth_key(state: &DepthState, address: u64, mode: u8, bytes: u32) -> SurfaceKey {
    let [width, height] = state.size;
    // How many layers there are changes nothing but which of them there are.
    let layers = state.layers[1] + 1;
    SurfaceKey {
        address,
        mode,
        kind: Kind::TwoD,
        size: [width, height, layers],
        level: state.level,
        levels: state.levels,
        samples: state.samples,
        bytes,
    }
}

#[cfg(test)]
pub(crate) mod tests;
