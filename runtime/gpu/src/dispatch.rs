//! DISPATCH_DIRECT and DISPATCH_INDIRECT: compute waves from registers.
//!
//! The sizes of a dispatch are the ends of its workgroups, and COMPUTE_START where they begin, unless the initiator says that they begin at 0.
//! With PARTIAL_TG_EN the last workgroup of each dimension has NUM_THREAD_PARTIAL work-items.

use crate::error::Refusal;
use crate::packet::{Flow, address, check_bits};
use crate::registers::compute::ComputeState;
use crate::ring::{Engine, Ring};
use crate::stream::read_dwords;
use wavejit::wave_init::{RawInit, WaveInit};
use wavejit::{Geometry, GuestLaunch, LaunchConfig, Part};

type Result<T = Flow> = std::result::Result<T, Refusal>;

/// COMPUTE_DISPATCH_INITIATOR.
mod initiator {
    pub(super) const COMPUTE_SHADER_EN: u32 = 1;
    pub(super) const PARTIAL_TG_EN: u32 = 1 << 1;
    pub(super) const FORCE_START_AT_000: u32 = 1 << 2;
    /// The dispatch counts work-items, and not workgroups.
    pub(super) const USE_THREAD_DIMENSIONS: u32 = 1 << 5;
    /// Workgroups start in order, as they do here in any case.
    pub(super) const ORDER_MODE: u32 = 1 << 6;
    /// A hint.
    pub(super) const TUNNEL_ENABLE: u32 = 1 << 13;
    pub(super) const CS_W32_EN: u32 = 1 << 15;
    pub(super) const UNDERSTOOD: u32 =
        COMPUTE_SHADER_EN | PARTIAL_TG_EN | FORCE_START_AT_000 | USE_THREAD_DIMENSIONS | ORDER_MODE | TUNNEL_ENABLE | CS_W32_EN;
}

/// x, y, z, initiator.
pub(crate) fn direct(ring: &mut Ring, body: &[u32]) -> Result {
    dispatch(ring, [body[0], body[1], body[2]], body[3])
}

/// Graphics ring: offset from the base of arguments, initiator. Compute ring: address, initiator.
pub(crate) fn indirect(ring: &mut Ring, body: &[u32]) -> Result {
    let (at, initiator) = match (ring.engine, body) {
        (Engine::Graphics, [offset, initiator]) => (ring.indirect_base.wrapping_add(u64::from(*offset)), *initiator),
        (Engine::Compute, [low, high, initiator]) => (address(*low, *high), *initiator),
        _ => return Err(Refusal::new(format!("a body of {} dwords on the {} ring", body.len(), ring.engine))),
    };
    let mut sizes = Vec::new();
    read_dwords(ring.gpu.memory(), at, 3, &mut sizes)?;
    dispatch(ring, [sizes[0], sizes[1], sizes[2]], initiator)
}

fn dispatch(ring: &mut Ring, sizes: [u32; 3], initiator: u32) -> Result {
    check_bits("initiator", initiator, initiator::UNDERSTOOD)?;
    if initiator & initiator::COMPUTE_SHADER_EN == 0 {
        return Err(Refusal::new("initiator: compute shaders are not enabled"));
    }
    let state = ComputeState::of(&ring.registers);
    ring.dispatches += 1;
    let Some(geometry) = geometry(&state, sizes, initiator)? else { return Ok(Flow::Next) };
    let gpu = ring.gpu.clone();
    let gpu = gpu.inner();
    let wave_size = if initiator & initiator::CS_W32_EN != 0 { 32 } else { 64 };
    let scratch_bytes = if state.rsrc.scratch() { state.wave_scratch_bytes / wave_size } else { 0 };
    let raw = RawInit { target: gpu.target, wave_size, entry: state.entry, rsrc: state.rsrc, user_data: &state.user_data, scratch_bytes };
    let shader = gpu.shaders.at(&gpu.device, gpu.target, state.entry);
    let launch = GuestLaunch {
        name: &shader.name,
        init: WaveInit::raw(&raw),
        config: LaunchConfig { geometry, max_insts: gpu.options.max_insts, cancel: Some(&gpu.stop), ..Default::default() },
        border_colors: ComputeState::border_colors(&ring.registers),
    };
    shader.code.run(&launch).map_err(|source| {
        let Part { count: [x, y, z], .. } = geometry.part();
        let hash = crate::shaders::hash(gpu.device.memory(), state.entry);
        let number = ring.dispatches;
        Refusal::Wave {
            shader: format!("compute shader of hash {hash:016x}, dispatch {number} of the ring, {x} x {y} x {z} workgroups"),
            source: Box::new(source),
        }
    })?;
    const COMPUTE_PIPELINESTAT_ENABLE: u32 = 0xb828;
    if ring.counts_statistics && ring.registers.get(COMPUTE_PIPELINESTAT_ENABLE) & 1 != 0 {
        ring.compute_invocations = ring.compute_invocations.wrapping_add(work_items(&geometry));
    }
    Ok(Flow::Next)
}

/// Work-items and the part of the workgroups that run; none if there are none.
fn geometry(state: &ComputeState, sizes: [u32; 3], initiator: u32) -> Result<Option<Geometry>> {
    let is_set = |flag| initiator & flag != 0;
    let start = if is_set(initiator::FORCE_START_AT_000) { [0; 3] } else { state.start };
    let full = state.full;
    if let Some(d) = full.iter().position(|n| *n == 0) {
        return Err(Refusal::new(format!("COMPUTE_NUM_THREAD_{}: a workgroup of 0 work-items", ["X", "Y", "Z"][d])));
    }
    let (mut grid, mut ends) = ([0; 3], [0; 3]);
    for d in 0..3 {
        let full = u64::from(full[d]);
        let last = if is_set(initiator::PARTIAL_TG_EN) { u64::from(state.partial[d]) } else { full };
        let (items, end) = if is_set(initiator::USE_THREAD_DIMENSIONS) {
            (u64::from(sizes[d]), sizes[d].div_ceil(full as u32))
        } else if last == 0 || last > full {
            return Err(Refusal::new(format!("a last workgroup of {last} work-items in dimension {d}, where others have {full}")));
        } else {
            ((u64::from(sizes[d]) * full).saturating_sub(full - last), sizes[d])
        };
        if end <= start[d] {
            return Ok(None);
        }
        let too_many = |_| Refusal::new(format!("{items} work-items in dimension {d}: more than 32 bits can count are not supported"));
        (grid[d], ends[d]) = (u32::try_from(items).map_err(too_many)?, end);
    }
    let part = (start != [0; 3]).then(|| Part { first: start, count: [0, 1, 2].map(|d| ends[d] - start[d]) });
    Ok(Some(Geometry { part, ..Geometry::new(grid, full) }))
}

/// Work-items of the workgroups that run.
fn work_items(geometry: &Geometry) -> u64 {
    let Part { first, count } = geometry.part();
    (0..3).fold(1, |all: u64, d| {
        let (group, grid) = (u64::from(geometry.group[d]), u64::from(geometry.grid[d]));
        let from = u64::from(first[d]) * group;
        all.wrapping_mul((from + u64::from(count[d]) * group).min(grid) - from)
    })
}
