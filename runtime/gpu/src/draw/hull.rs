//! Patches of a draw, merged vertex and hull waves (LS+HS), and the subgroups of their domains' points, which are drawn like vertices.
//!
//! Lane i of a group is vertex i and invocation i of its patches, one patch after the other. Waves write outputs to the group's off-chip buffer and
//! levels to its part of a ring; the tessellator reads these. Reference: RDNA3 ISA, ch. 3; Mesa, `radv_shader_args.c`,
//! `ac_nir_lower_tess_io_to_mem.c`; requirements.md INIT-07.

use super::groups::{Group, MOST_LANES, Request};
use super::indices::{Index, Indices};
use super::start::HullStart;
use super::tessellator::{Cut, Form};
use crate::error::Refusal;
use crate::registers::geometry::GeometryState;
use crate::registers::tessellation::TessellationState;
use crate::ring::GpuInner;
use crate::stage::GraphicsStage;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use wavejit::stage::{GroupExports, StageSource, Taken, WaveStart};

/// Most groups that are run at once.
const MOST_GROUPS: u64 = 64;
/// A group has not told its levels by a message: they are in memory.
const IN_MEMORY: u32 = u32::MAX;

/// Points of domains that are vertices of a subgroup.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct DomainPoints {
    /// For each vertex u, v, the patch's number in its group, its number in the draw.
    pub points: Vec<[u32; 4]>,
    /// For each primitive the number of its patch in the draw.
    pub patches: Vec<u32>,
    /// Byte offset of the group's off-chip buffer.
    pub offchip_base: u32,
}

/// Patches of a group.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Patches {
    /// Indices of all control points.
    indices: Vec<u32>,
    /// Number of the first patch in the instance.
    first: u32,
    count: u32,
    instance: u32,
    /// Byte offsets of the group's off-chip buffer, and of its levels in the ring.
    offchip_base: u32,
    levels: u32,
}

/// Makes the subgroups of a draw with tessellation, in order.
pub(crate) struct Cutter<'a> {
    gpu: &'a GpuInner,
    state: &'a GeometryState,
    hull: TessellationState,
    request: Request,
    border_colors: Option<u64>,
    indices: Indices<'a>,
    /// Place of the next index, the instance, and the number of the next patch in it.
    at: u32,
    instance: u32,
    patch: u32,
    /// Groups have been run so many times: the half of off-chip buffers that the next ones take.
    runs: u32,
    groups: Vec<Patches>,
    levels: Vec<Vec<f32>>,
    /// The group, and the patch of it, that is cut next.
    next: (usize, u32),
    /// A patch that is cut, its number in its group, and how many of its primitives have gone.
    cut: Option<(Cut, u32, usize)>,
    /// The last subgroup, which comes again for other invocations.
    repeated: Option<Group>,
    /// Patches, vertices and invocations so far.
    pub counts: [u64; 2],
}

impl<'a> Cutter<'a> {
    /// The subgroups of a draw; an error if GE_CNTL or the rings leave no room.
    pub(crate) fn new(
        gpu: &'a GpuInner,
        state: &'a GeometryState,
        hull: TessellationState,
        request: Request,
        border_colors: Option<u64>,
    ) -> Result<Cutter<'a>, Refusal> {
        let cutter = Cutter {
            gpu,
            state,
            indices: Indices::new(gpu.device.memory(), state, request.source, request.count),
            hull,
            request,
            border_colors,
            at: 0,
            instance: 0,
            patch: 0,
            runs: 0,
            groups: Vec::new(),
            levels: Vec::new(),
            next: (0, 0),
            cut: None,
            repeated: None,
            counts: [0; 2],
        };
        let lanes = cutter.hull.patches * cutter.hull.points[0].max(cutter.hull.points[1]);
        if lanes > MOST_LANES {
            return Err(Refusal::new(format!("VGT_LS_HS_CONFIG: groups of {lanes} lanes are not supported")));
        }
        if cutter.groups_at_once() == 0 {
            return Err(Refusal::new("VGT_TF_RING_SIZE, VGT_HS_OFFCHIP_PARAM: no room for a group of patches"));
        }
        let (primitives, vertices) = cutter.limits();
        if primitives == 0 || vertices < cutter.corners() {
            return Err(Refusal::new("GE_CNTL: no primitive of a patch fits"));
        }
        Ok(cutter)
    }

    fn level_bytes(&self) -> u64 {
        (self.hull.patches as usize * self.hull.tessellator.levels() * 4) as u64
    }

    /// Groups for which there are off-chip buffers, half of all of them, and room for levels.
    fn groups_at_once(&self) -> u64 {
        let fit = self.hull.levels.1 / self.level_bytes();
        fit.min(u64::from(self.hull.buffers.0) / 2).min(MOST_GROUPS)
    }

    /// Vertices of a primitive of a cut patch.
    fn corners(&self) -> usize {
        match self.hull.tessellator.form {
            Form::Points => 1,
            Form::Lines => 2,
            Form::Triangles { .. } => 3,
        }
    }

    /// Primitives and vertices of a subgroup.
    fn limits(&self) -> (usize, usize) {
        let instances = if self.state.splits_instances { 1 } else { self.state.instances.min(MOST_LANES) };
        (self.state.group_primitives.min(MOST_LANES / instances) as usize, self.state.group_vertices.min(MOST_LANES) as usize)
    }

    /// The next subgroup; `None` after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<Group>, Refusal> {
        if let Some(group) = self.repeated.take() {
            return Ok(Some(self.repeating(Group { invocation: group.invocation + 1, ..group })));
        }
        loop {
            while self.next.0 < self.groups.len() {
                let group = self.fill();
                if !group.primitives.is_empty() {
                    return Ok(Some(self.repeating(group)));
                }
            }
            if !self.run()? {
                return Ok(None);
            }
        }
    }

    /// A subgroup, which comes again if its primitives have more invocations that are subgroups of their own.
    fn repeating(&mut self, group: Group) -> Group {
        if self.state.splits_instances && group.invocation + 1 < self.state.instances {
            self.repeated = Some(group.clone());
        }
        group
    }

    /// A subgroup of the current group of patches; without primitives if it has no more.
    fn fill(&mut self) -> Group {
        let (most_primitives, most_vertices) = self.limits();
        let corners = self.corners();
        let patches = &self.groups[self.next.0];
        let mut domain = DomainPoints { offchip_base: patches.offchip_base, ..DomainPoints::default() };
        let mut group = Group { instance: patches.instance, ..Group::default() };
        // Numbers in the subgroup of the patch's points.
        let mut known: Vec<Option<u16>> = Vec::new();
        loop {
            let Some((cut, patch, gone)) = &mut self.cut else {
                let (number, patch) = self.next;
                if patch == self.groups[number].count {
                    self.next = (number + 1, 0);
                    break;
                }
                self.next.1 += 1;
                let count = self.hull.tessellator.levels();
                let cut = self.hull.tessellator.cut(&self.levels[number][patch as usize * count..][..count]);
                self.cut = cut.map(|cut| (cut, patch, 0));
                known.clear();
                continue;
            };
            known.resize(cut.points.len(), None);
            let number = self.groups[self.next.0].first + *patch;
            while let Some(primitive) = cut.primitives.get(*gone) {
                if group.primitives.len() == most_primitives || group.vertices.len() + corners > most_vertices {
                    group.domain = Some(domain);
                    return group;
                }
                let mut numbers = [0; 6];
                for (slot, point) in numbers.iter_mut().zip(&primitive[..corners]) {
                    *slot = *known[usize::from(*point)].get_or_insert_with(|| {
                        let [u, v] = cut.points[usize::from(*point)].map(f32::to_bits);
                        domain.points.push([u, v, *patch, number]);
                        group.vertices.push(0);
                        (group.vertices.len() - 1) as u16
                    });
                }
                group.primitives.push(numbers);
                domain.patches.push(number);
                *gone += 1;
            }
            self.cut = None;
        }
        group.domain = Some(domain);
        group
    }

    /// Runs the next groups of patches, and reads their levels. Were there any?
    fn run(&mut self) -> Result<bool, Refusal> {
        let half = self.runs % 2 * (self.hull.buffers.0 / 2);
        self.groups.clear();
        (self.next, self.runs) = ((0, 0), self.runs + 1);
        while (self.groups.len() as u64) < self.groups_at_once() {
            let number = self.groups.len() as u32;
            let Some(patches) = self.gather()? else { break };
            let offchip_base = (half + number) * self.hull.buffers.1;
            self.groups.push(Patches { offchip_base, levels: number * self.level_bytes() as u32, ..patches });
        }
        if self.groups.is_empty() {
            return Ok(false);
        }
        let mut user_data = vec![0; 8];
        user_data.extend(&self.hull.user_data);
        let stage = GraphicsStage {
            what: "vertex or hull shader",
            entry: self.hull.entry,
            rsrc: self.hull.rsrc,
            fp16_ovfl: 1 << 30,
            wave_size: self.hull.wave_size,
            user_data: &user_data,
            wave_scratch_bytes: self.hull.wave_scratch_bytes,
            group_waves: MOST_LANES / self.hull.wave_size,
            lds_bytes: self.hull.lds_bytes,
            border_colors: self.border_colors,
        };
        let messages = self.groups.iter().map(|_| AtomicU32::new(IN_MEMORY)).collect();
        let waves = HullWaves { hull: &self.hull, groups: &self.groups, next: AtomicU64::new(0), messages };
        stage.run(self.gpu, &waves)?;
        self.levels.clear();
        for (group, message) in self.groups.iter().zip(&waves.messages) {
            let count = group.count as usize * self.hull.tessellator.levels();
            self.levels.push(match message.load(Relaxed) {
                IN_MEMORY => {
                    let mut bytes = vec![0; count * 4];
                    self.gpu.device.memory().read(self.hull.levels.0 + u64::from(group.levels), &mut bytes)?;
                    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
                }
                all => vec![(all & 1) as f32; count],
            });
            self.counts[0] += group.indices.len() as u64;
            self.counts[1] += u64::from(group.count);
        }
        Ok(true)
    }

    /// The next patches of a group, all of one instance; `None` after the last one.
    fn gather(&mut self) -> Result<Option<Patches>, Refusal> {
        let points = self.hull.points[0] as usize;
        let mut patches = Patches { first: self.patch, instance: self.instance, ..Patches::default() };
        while self.instance < self.request.instances {
            while patches.count < self.hull.patches && self.at < self.indices.count() {
                let next = self.indices.get(self.at)?;
                self.at += 1;
                match next {
                    Index::Vertex(index) => patches.indices.push(index),
                    // What is not a whole patch is dropped.
                    Index::Restart => patches.indices.truncate(patches.count as usize * points),
                }
                patches.count = (patches.indices.len() / points) as u32;
            }
            patches.indices.truncate(patches.count as usize * points);
            if patches.count > 0 {
                self.patch += patches.count;
                return Ok(Some(patches));
            }
            // All instances have the same patches: none if this one had none.
            self.instance = if self.patch == 0 { self.request.instances } else { self.instance + 1 };
            (self.at, self.patch) = (0, 0);
            (patches.first, patches.instance) = (0, self.instance);
        }
        Ok(None)
    }
}

/// The waves of some groups of patches.
struct HullWaves<'a> {
    hull: &'a TessellationState,
    groups: &'a [Patches],
    next: AtomicU64,
    /// What each group has told by a message: levels that are all 0, or all 1.
    messages: Vec<AtomicU32>,
}

impl HullWaves<'_> {
    /// Vertices and hull invocations of a group.
    fn lanes(&self, group: u64) -> [u32; 2] {
        self.hull.points.map(|points| points * self.groups[group as usize].count)
    }
}

impl StageSource for HullWaves<'_> {
    fn take(&self) -> Taken {
        let next = self.next.fetch_add(1, Relaxed);
        if next < self.groups.len() as u64 { Taken::Units(next..next + 1) } else { Taken::Nothing }
    }

    fn waves(&self, group: u64) -> u32 {
        let [vertices, invocations] = self.lanes(group);
        vertices.max(invocations).div_ceil(self.hull.wave_size)
    }

    fn start_wave(&self, number: u64, wave: u32, start: &mut WaveStart<'_>) {
        let group = &self.groups[number as usize];
        let size = self.hull.wave_size;
        let first = wave * size;
        let sgprs = HullStart {
            program: self.hull.first_sgprs,
            offchip_base: group.offchip_base,
            wave: self.lanes(number).map(|all| all.saturating_sub(first).min(size)),
            patches: group.count,
            number: [wave, self.waves(number)],
            factors: group.levels,
        };
        start.set_sgprs(0, &sgprs.sgprs());
        let points = self.hull.points[1];
        let lanes = first..first + size;
        start.vgpr(0).iter_mut().zip(lanes.clone()).for_each(|(v, lane)| *v = group.first + lane / points);
        start.vgpr(1).iter_mut().zip(lanes.clone()).for_each(|(v, lane)| *v = (lane % points) << 8 | (lane / points) & 0xff);
        let indices = start.vgpr(2).iter_mut().zip(lanes);
        indices.for_each(|(v, lane)| *v = group.indices.get(lane as usize).copied().unwrap_or(0));
        start.vgpr(3).fill(0);
        start.vgpr(4).fill(0);
        start.vgpr(5).fill(group.instance);
    }

    fn end(&self, number: u64, exports: &GroupExports<'_>) {
        let message = (0..exports.waves()).find_map(|wave| exports.wave(wave).levels());
        if let Some(levels) = message {
            self.messages[number as usize].store(levels & 1, Relaxed);
        }
    }

    fn workers(&self, most: usize) -> usize {
        self.groups.len().min(most)
    }
}
