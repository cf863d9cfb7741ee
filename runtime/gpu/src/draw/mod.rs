//! Draws: from the packet to primitives, which go to the rasterizer.
//!
//! | file | holds |
//! |---|---|
//! | `packets.rs` | draw packets |
//! | `indices.rs`, `assembly.rs`, `groups.rs` | indices; primitives of them; subgroups of those |
//! | `hull.rs`, `tessellator.rs` | patches: waves that compute their levels, and how these cut them |
//! | `start.rs`, `geometry.rs` | what geometry waves start with; the waves of a draw and their exports |
//! | `primitives.rs` | what geometry stages hand to the rasterizer |
//!
//! As many subgroups as the attribute ring has room for are run side by side; then their primitives are set up, their attributes copied, and the ring
//! is free again.

mod assembly;
mod geometry;
mod groups;
mod hull;
mod indices;
pub(crate) mod packets;
pub(crate) mod primitives;
mod start;
pub(crate) mod tessellator;
#[cfg(test)]
mod tests;

use crate::error::Refusal;
use crate::raster::{self, OutputKind};
use crate::registers::compute::ComputeState;
use crate::registers::geometry::{GeometryState, Topology};
use crate::registers::raster::{Fill, RasterState};
use crate::registers::tessellation::TessellationState;
use crate::ring::{GpuInner, Ring};
use crate::stage::GraphicsStage;
use geometry::GeometryWaves;
use groups::{Group, Grouper, Request};
use hull::Cutter;
use primitives::{Attributes, Batch};

/// Most subgroups that are run before their primitives are set up.
const MOST_GROUPS: usize = 512;
/// Bytes that s5 of geometry waves can tell.
const RING_REACH: u64 = 32768 * 512;

/// What geometry stages have done while statistics were counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Statistics {
    /// Vertices and primitives that draws had.
    pub input: [u64; 2],
    /// Invocations of vertex shaders.
    pub vertex_invocations: u64,
    /// Patches, and invocations for points of their domains.
    pub tessellation: [u64; 2],
    /// Invocations of geometry shaders, and their primitives.
    pub geometry: [u64; 2],
}

/// Draws.
fn draw(ring: &mut Ring, request: Request) -> Result<(), Refusal> {
    ring.draw.draws += 1;
    if request.count == 0 || request.instances == 0 {
        return Ok(());
    }
    let number = ring.draw.draws;
    draw_numbered(ring, request).map_err(|why| match why {
        Refusal::Wave { shader, source } => Refusal::Wave { shader: format!("{shader}, draw {number} of the ring"), source },
        Refusal::What(what) => Refusal::What(format!("{what} (draw {number} of the ring)")),
        other => other,
    })
}

fn draw_numbered(ring: &mut Ring, request: Request) -> Result<(), Refusal> {
    let state = GeometryState::of(&ring.registers)?;
    let kind = output_kind(state.output)?;
    if ring.registers.get(0x2_8a48) >> 2 & 1 != 0 {
        refuse_stipples(&state, &RasterState::of(&ring.registers)?)?;
    }
    let gpu = ring.gpu.clone();
    let gpu = gpu.inner();
    let borders = ComputeState::border_colors(&ring.registers);
    let mut grouper = match TessellationState::of(&ring.registers)? {
        Some(hull) => Source::Patches(Box::new(Cutter::new(gpu, &state, hull, request, borders)?)),
        None => Source::Primitives(Box::new(Grouper::new(gpu.device.memory(), &state, request)?)),
    };
    let (mut groups, mut done) = (Vec::new(), 0);
    let mut next = grouper.next()?;
    let mut statistics = ring.draw.statistics;
    raster::draw(ring, kind, || {
        let Some(group) = next.take() else { return Ok(None) };
        groups.clear();
        let mut used = room(&state, &group, 0).ok_or_else(|| too_small(&state))?;
        groups.push(placed(&state, group, 0));
        loop {
            next = grouper.next()?;
            let end = next.as_ref().filter(|_| groups.len() < MOST_GROUPS).and_then(|group| room(&state, group, used));
            let (Some(end), Some(group)) = (end, next.take_if(|_| end.is_some())) else { break };
            groups.push(placed(&state, group, used));
            used = end;
        }
        let batches = run(gpu, &state, kind, &groups, done, borders)?;
        count(&mut statistics, &state, &groups, &batches);
        done += groups.len() as u32;
        Ok(Some(batches))
    })?;
    if ring.counts_statistics {
        let s = &mut statistics;
        s.input[0] = s.input[0].wrapping_add(u64::from(request.count) * u64::from(request.instances));
        match &grouper {
            Source::Primitives(grouper) => s.input[1] = s.input[1].wrapping_add(grouper.primitives),
            Source::Patches(cutter) => {
                let [vertices, patches] = cutter.counts;
                s.input[1] = s.input[1].wrapping_add(patches);
                s.vertex_invocations = s.vertex_invocations.wrapping_add(vertices);
                s.tessellation[0] = s.tessellation[0].wrapping_add(patches);
            }
        }
        ring.draw.statistics = statistics;
    }
    Ok(())
}

/// Where the subgroups of a draw come from.
enum Source<'a> {
    Primitives(Box<Grouper<'a>>),
    Patches(Box<Cutter<'a>>),
}

impl Source<'_> {
    fn next(&mut self) -> Result<Option<Group>, Refusal> {
        match self {
            Source::Primitives(grouper) => grouper.next(),
            Source::Patches(cutter) => cutter.next(),
        }
    }
}

/// Where the place of a subgroup in the attribute ring ends, if it begins at this byte; `None`: there is no room.
fn room(state: &GeometryState, group: &Group, start: u64) -> Option<u64> {
    let exported = if state.is_passthrough { 0 } else { state.group_exports };
    let primitives = if state.prim_params == 0 { 0 } else { group.primitives.len() as u32 };
    let vertices = (group.vertices.len() as u32).max(exported).max(primitives);
    let end = start + u64::from(vertices.div_ceil(32)) * 512 * u64::from(state.params);
    (end <= state.ring.1.min(RING_REACH)).then_some(end)
}

/// A subgroup whose attributes begin at this byte of the ring.
fn placed(state: &GeometryState, group: Group, start: u64) -> Group {
    let attributes = Attributes { ring: state.ring.0.wrapping_add(start), params: state.params, prim_params: state.prim_params };
    Group { attributes, ..group }
}

/// Stipples that go on from line to line, where it is not known which lines go on.
fn refuse_stipples(state: &GeometryState, raster: &RasterState) -> Result<(), Refusal> {
    let Some(stipple) = raster.stipple else { return Ok(()) };
    let of_strips = state.topology == Topology::LineStrip && !state.has_geometry_shader;
    if state.output == 1 && !stipple.resets_each_line && !of_strips {
        return Err(Refusal::new("PA_SC_LINE_STIPPLE: AUTO_RESET_CNTL 2 of lines that are not of a draw's strip is not supported"));
    }
    if state.output == 2 && raster.fill.contains(&Fill::Lines) {
        return Err(Refusal::new("PA_SC_MODE_CNTL_0: LINE_STIPPLE_ENABLE of the edges of polygons is not supported"));
    }
    Ok(())
}

/// VGT_GS_OUT_PRIM_TYPE.
fn output_kind(number: u32) -> Result<OutputKind, Refusal> {
    Ok(match number {
        0 => OutputKind::Points,
        1 => OutputKind::Lines,
        2 => OutputKind::Triangles,
        3 | 4 => OutputKind::Rectangles,
        other => return Err(Refusal::new(format!("VGT_GS_OUT_PRIM_TYPE {other} is not supported"))),
    })
}

/// Vertices of an exported primitive.
fn corners(kind: OutputKind) -> usize {
    match kind {
        OutputKind::Points => 1,
        OutputKind::Lines => 2,
        OutputKind::Triangles | OutputKind::Rectangles => 3,
    }
}

fn too_small(state: &GeometryState) -> Refusal {
    Refusal::new(format!("SPI_ATTRIBUTE_RING_SIZE: {} bytes have no room for a subgroup", state.ring.1))
}

/// Runs the geometry waves of subgroups, the first of which has number `first` in the draw.
fn run(
    gpu: &GpuInner,
    state: &GeometryState,
    kind: OutputKind,
    groups: &[Group],
    first: u32,
    border_colors: Option<u64>,
) -> Result<Vec<Batch>, Refusal> {
    let mut user_data = vec![0; 8];
    user_data.extend(&state.user_data);
    let stage = GraphicsStage {
        what: "vertex or geometry shader",
        entry: state.entry,
        rsrc: state.rsrc,
        fp16_ovfl: 1 << 31,
        wave_size: state.wave_size,
        user_data: &user_data,
        wave_scratch_bytes: state.wave_scratch_bytes,
        group_waves: 256 / state.wave_size,
        lds_bytes: state.lds_bytes,
        border_colors,
    };
    let waves = GeometryWaves::new(state, kind, groups, first);
    stage.run(gpu, &waves)?;
    waves.finish().map_err(|what| Refusal::new(format!("{what} ({})", stage.name(gpu))))
}

fn count(s: &mut Statistics, state: &GeometryState, groups: &[Group], batches: &[Batch]) {
    for group in groups {
        let invocations = if group.domain.is_some() { &mut s.tessellation[1] } else { &mut s.vertex_invocations };
        *invocations = invocations.wrapping_add(group.vertices.len() as u64);
    }
    if state.has_geometry_shader {
        let instances = if state.splits_instances { 1 } else { state.instances as usize };
        let invocations: usize = groups.iter().map(|g| g.primitives.len() * instances).sum();
        let primitives: usize = batches.iter().map(|b| b.primitives.len()).sum();
        s.geometry[0] = s.geometry[0].wrapping_add(invocations as u64);
        s.geometry[1] = s.geometry[1].wrapping_add(primitives as u64);
    }
}
