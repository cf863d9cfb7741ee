//! Geometry waves of a draw: what they start with (graphics waves, NGG), and their exports as batches.
//!
//! Lane i of wave w of a subgroup is its vertex and its primitive `wave_size * w + i`. Reference: RDNA3 ISA, ch. 3 and EXP; Mesa,
//! `radv_shader_args.c`, `ac_nir_lower_ngg.c`; requirements.md INIT-07.

use super::groups::{Group, MOST_LANES};
use super::primitives::{Batch, Primitive, Vertex};
use super::start::GeometryStart;
use crate::raster::OutputKind;
use crate::registers::geometry::GeometryState;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wavejit::fork::Mutex;
use wavejit::stage::{Export, GroupExports, StageSource, Taken, WaveStart};

/// Most subgroups that a thread takes at once.
const MOST_AT_ONCE: u64 = 8;

/// Export targets (RDNA3 ISA, EXP).
const POS0: u8 = 12;
const POS4: u8 = 16;
const PRIM: u8 = 20;

/// The waves of some subgroups, and what came of them.
pub(crate) struct GeometryWaves<'a> {
    state: &'a GeometryState,
    kind: OutputKind,
    groups: &'a [Group],
    /// Number of the first one in the draw.
    first: u32,
    /// Subgroups that a thread takes.
    step: u64,
    next: AtomicU64,
    batches: Vec<Mutex<Result<Batch, String>>>,
}

impl<'a> GeometryWaves<'a> {
    /// Waves of subgroups, the first of which has this number in the draw.
    pub(crate) fn new(state: &'a GeometryState, kind: OutputKind, groups: &'a [Group], first: u32) -> GeometryWaves<'a> {
        let step = (groups.len() as u64 / 32).clamp(1, MOST_AT_ONCE);
        let batches = groups.iter().map(|_| Mutex::new(Ok(Batch::default()))).collect();
        GeometryWaves { state, kind, groups, first, step, next: AtomicU64::new(0), batches }
    }

    /// What the waves have exported, subgroup by subgroup; or what is wrong with it.
    pub(crate) fn finish(self) -> Result<Vec<Batch>, String> {
        self.batches.into_iter().map(|batch| std::mem::replace(&mut *batch.lock(), Ok(Batch::default()))).collect()
    }

    /// Invocations for each primitive in a subgroup.
    fn instances(&self) -> u32 {
        if self.state.splits_instances { 1 } else { self.state.instances }
    }

    /// Invocations for vertices and for primitives of a subgroup.
    fn lanes(&self, group: &Group) -> (u32, u32) {
        (group.vertices.len() as u32, group.primitives.len() as u32 * self.instances())
    }

    /// Vertices that a subgroup may export, a lane for each: its own, or what a geometry shader may emit.
    fn exporting_lanes(&self, group: &Group) -> u32 {
        let (vertices, primitives) = self.lanes(group);
        if !self.state.has_geometry_shader {
            return vertices;
        }
        let most = if self.state.group_exports == 0 { MOST_LANES } else { self.state.group_exports.min(MOST_LANES) };
        (primitives * self.state.amplification).min(most)
    }

    fn write_primitives(&self, group: &Group, first: usize, start: &mut WaveStart) {
        let GeometryState { item_dwords, is_passthrough, .. } = *self.state;
        let instances = self.instances() as usize;
        // Offsets of vertices in LDS, two in a dword.
        let offsets = |p: &[u16; 6], i: usize| {
            let offset = |n: u16| u32::from(n).wrapping_mul(item_dwords) & 0xffff;
            offset(p[2 * i]) | offset(p[2 * i + 1]) << 16
        };
        // Indices of vertices with the edge between each and the next one.
        let word = |p: &[u16; 6]| {
            let corner = |i: usize| u32::from(p[i]) & 0x1ff | 1 << 9;
            corner(0) | corner(1) << 10 | corner(2) << 20
        };
        let words: [&dyn Fn(&[u16; 6]) -> u32; 3] =
            if is_passthrough { [&word, &|_| 0, &|_| 0] } else { [&|p| offsets(p, 0), &|p| offsets(p, 1), &|p| offsets(p, 2)] };
        for (row, word) in [0, 1, 4].into_iter().zip(words) {
            let lanes = start.vgpr(row).iter_mut().enumerate();
            lanes.for_each(|(lane, v)| *v = group.primitives.get((first + lane) / instances).map_or(0, word));
        }
        let ids = start.vgpr(2).iter_mut().enumerate();
        match &group.domain {
            Some(domain) => ids.for_each(|(lane, v)| *v = domain.patches.get((first + lane) / instances).copied().unwrap_or(0)),
            None => ids.for_each(|(lane, v)| *v = group.first_primitive.wrapping_add(((first + lane) / instances) as u32)),
        }
        let invocations = start.vgpr(3).iter_mut().enumerate();
        // Bits 10:8: all edges are.
        invocations.for_each(|(lane, v)| *v = (group.invocation + ((first + lane) % instances) as u32) | 7 << 8);
    }

    fn gather(&self, group: &Group, exports: &GroupExports) -> Result<Batch, String> {
        let mut batch = Batch { attributes: group.attributes, ..Batch::default() };
        let allocated = (0..exports.waves()).find_map(|wave| exports.wave(wave).allocated());
        let most = allocated.map_or(usize::MAX, |(_, primitives)| primitives as usize);
        for wave in 0..exports.waves() {
            let first = wave * self.state.wave_size as usize;
            for export in exports.wave(wave).iter() {
                match export.target {
                    POS0..=POS4 => self.add_position(&mut batch.vertices, first, &export),
                    PRIM => self.add_primitives(&mut batch.primitives, group, first, most, &export),
                    other => return Err(format!("an export to target {other} by a geometry stage")),
                }
            }
        }
        let corners = super::corners(self.kind);
        let worst = batch.primitives.iter().flat_map(|p| &p.corners[..corners]).max();
        match worst {
            Some(n) if usize::from(*n) >= batch.vertices.len() => {
                Err(format!("a primitive of vertex {n}, where the subgroup has exported {}", batch.vertices.len()))
            }
            _ => Ok(batch),
        }
    }

    fn add_position(&self, vertices: &mut Vec<Vertex>, first: usize, export: &Export) {
        let positions = &self.state.positions;
        let [x, y, z, w] = export.data;
        let get = |row: &[u32], lane: usize| row.get(lane).copied().unwrap_or(0);
        let float = |row: &[u32], lane: usize| f32::from_bits(get(row, lane));
        let lanes = lanes(export.exec);
        let count = first + lanes.clone().last().map_or(0, |lane| lane + 1);
        if vertices.len() < count {
            vertices.resize(count, MISSING);
        }
        // Which of those that there are.
        let others = [positions.misc, positions.distances[0], positions.distances[1]];
        let number = usize::from(export.target - POS0);
        let what = if number == 0 { Some(3) } else { (0..3).filter(|i| others[*i]).nth(number - 1) };
        for lane in lanes {
            let vertex = &mut vertices[first + lane];
            match what {
                Some(3) => vertex.position = [x, y, z, w].map(|row| float(row, lane)),
                Some(0) => {
                    if positions.point_size {
                        vertex.point_size = float(x, lane);
                    }
                    vertex.misc_z = get(z, lane) & positions.misc_mask;
                }
                Some(half) => {
                    let distances = &mut vertex.distances[4 * (half - 1)..][..4];
                    distances.iter_mut().zip([x, y, z, w]).for_each(|(d, row)| *d = float(row, lane));
                }
                None => {}
            }
        }
    }

    fn add_primitives(&self, primitives: &mut Vec<Primitive>, group: &Group, first: usize, most: usize, export: &Export) {
        let [word, second, ..] = export.data;
        for lane in lanes(export.exec).filter(|lane| first + lane < most) {
            let word = word.get(lane).copied().unwrap_or(1 << 31);
            if word >> 31 != 0 {
                continue;
            }
            primitives.push(Primitive {
                corners: [0, 10, 20].map(|shift| (word >> shift & 0x1ff) as u16),
                edges: [9, 19, 29].map(|bit| !self.state.has_edge_flags || word >> bit & 1 != 0),
                number: (first + lane) as u16,
                begins_strip: group.strips.contains(&((first + lane) as u16)),
                second: second.get(lane).copied().unwrap_or(0),
            });
        }
    }
}

/// A vertex without a position: no primitive of it is drawn.
const MISSING: Vertex = Vertex { position: [f32::NAN; 4], point_size: f32::NAN, misc_z: 0, distances: [0.0; 8] };

/// Lanes of a mask.
fn lanes(mask: u64) -> impl Iterator<Item = usize> + Clone {
    (0..64).filter(move |lane| mask >> lane & 1 != 0)
}

impl StageSource for GeometryWaves<'_> {
    fn take(&self) -> Taken {
        let all = self.groups.len() as u64;
        let start = self.next.fetch_add(self.step, Relaxed).min(all);
        let end = (start + self.step).min(all);
        if start < end { Taken::Units(start..end) } else { Taken::Nothing }
    }

    fn waves(&self, group: u64) -> u32 {
        let (vertices, primitives) = self.lanes(&self.groups[group as usize]);
        let group = &self.groups[group as usize];
        vertices.max(primitives).max(self.exporting_lanes(group)).div_ceil(self.state.wave_size)
    }

    fn start_wave(&self, number: u64, wave: u32, start: &mut WaveStart<'_>) {
        let group = &self.groups[number as usize];
        let size = self.state.wave_size;
        let (vertices, primitives) = self.lanes(group);
        let first = wave * size;
        let within = |all: u32| all.saturating_sub(first).min(size);
        let sgprs = GeometryStart {
            program: self.state.first_sgprs,
            ordered_id: self.first.wrapping_add(number as u32),
            group: [self.exporting_lanes(group), primitives],
            wave: [within(vertices), within(primitives)],
            number: [wave, self.waves(number)],
            offchip_base: group.domain.as_ref().map_or(0, |domain| domain.offchip_base),
            attributes: (group.attributes.ring.wrapping_sub(self.state.ring.0) / 512) as u32,
        };
        start.set_sgprs(0, &sgprs.sgprs());
        let first = first as usize;
        self.write_primitives(group, first, start);
        if let Some(domain) = &group.domain {
            for n in 0..4 {
                let values = start.vgpr(5 + n).iter_mut().enumerate();
                values.for_each(|(lane, v)| *v = domain.points.get(first + lane).map_or(0, |point| point[n]));
            }
            return;
        }
        let indices = start.vgpr(5).iter_mut().enumerate();
        indices.for_each(|(lane, v)| *v = group.vertices.get(first + lane).copied().unwrap_or(0));
        start.vgpr(6).fill(0);
        start.vgpr(7).fill(0);
        start.vgpr(8).fill(group.instance);
    }

    fn end(&self, number: u64, exports: &GroupExports<'_>) {
        let group = number as usize;
        let batch = self.gather(&self.groups[group], exports);
        *self.batches[group].lock() = batch;
    }

    fn workers(&self, most: usize) -> usize {
        self.groups.len().div_ceil(self.step as usize).min(most)
    }
}
