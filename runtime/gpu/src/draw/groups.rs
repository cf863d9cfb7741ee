//! Primitives to subgroups: as many as GE_CNTL allows, of one instance, with the vertices that they share once.

use super::assembly::{Assembler, Corners};
use super::hull::DomainPoints;
use super::indices::{IndexSource, Indices};
use super::primitives::Attributes;
use crate::error::Refusal;
use crate::registers::geometry::{GeometryState, Topology};
use wavejit::AddressSpace;

/// Most lanes of a subgroup.
pub(super) const MOST_LANES: u32 = 256;
/// Places of the table of vertices that a subgroup has.
const KNOWN: usize = 1024;

/// A workgroup of geometry waves: lane i is vertex i and primitive i.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Group {
    /// Indices of its vertices.
    pub vertices: Vec<u32>,
    /// Vertices of its primitives, by their number in `vertices`: as many as the topology has.
    pub primitives: Vec<[u16; 6]>,
    /// Numbers of those that begin a strip of lines.
    pub strips: Vec<u16>,
    /// Number of its first primitive in the instance.
    pub first_primitive: u32,
    /// Instance.
    pub instance: u32,
    /// The first invocation for each primitive.
    pub invocation: u32,
    /// Its vertices are points of domains, and `vertices` says only how many there are.
    pub domain: Option<DomainPoints>,
    /// Where its attributes go.
    pub attributes: Attributes,
}

/// What a draw draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    /// Where indices come from.
    pub source: IndexSource,
    /// How many vertices.
    pub count: u32,
    /// How many instances.
    pub instances: u32,
}

/// Makes the subgroups of a draw, in order.
pub(crate) struct Grouper<'a> {
    state: &'a GeometryState,
    memory: &'a AddressSpace,
    request: Request,
    indices: Indices<'a>,
    assembler: Assembler,
    instance: u32,
    /// Number of the next primitive in its instance.
    primitive: u32,
    /// One that did not fit.
    pending: Option<(Corners, bool)>,
    /// A subgroup that comes again for other invocations.
    repeated: Option<Group>,
    limits: (usize, usize),
    known: Vec<Known>,
    generation: u32,
    /// Primitives so far.
    pub primitives: u64,
}

#[derive(Clone, Copy, Default)]
struct Known {
    generation: u32,
    index: u32,
    number: u16,
}

impl<'a> Grouper<'a> {
    /// The subgroups of a draw; an error if the limits of GE_CNTL leave no room for a primitive.
    pub(crate) fn new(memory: &'a AddressSpace, state: &'a GeometryState, request: Request) -> Result<Grouper<'a>, Refusal> {
        let vertices = state.group_vertices.min(MOST_LANES);
        let instances = if state.splits_instances { 1 } else { state.instances.min(MOST_LANES) };
        let primitives = state.group_primitives.min(MOST_LANES / instances);
        if primitives == 0 || (vertices as usize) < state.topology.vertices() {
            let (p, v) = (state.group_primitives, state.group_vertices);
            return Err(Refusal::new(format!("GE_CNTL: subgroups of {p} primitives and {v} vertices: no primitive fits")));
        }
        Ok(Grouper {
            state,
            memory,
            request,
            indices: Indices::new(memory, state, request.source, request.count),
            assembler: Assembler::new(state.topology, state.provokes_last),
            instance: 0,
            primitive: 0,
            pending: None,
            repeated: None,
            limits: (primitives as usize, vertices as usize),
            known: vec![Known::default(); KNOWN],
            generation: 0,
            primitives: 0,
        })
    }

    /// The next subgroup; `None` after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<Group>, Refusal> {
        if let Some(group) = self.repeated.take() {
            // The next invocation for the same primitives.
            return Ok(Some(self.repeating(Group { invocation: group.invocation + 1, ..group })));
        }
        while self.instance < self.request.instances {
            let group = self.fill()?;
            if !group.primitives.is_empty() {
                self.primitives += group.primitives.len() as u64;
                return Ok(Some(self.repeating(group)));
            }
            if self.primitive == 0 {
                // What forms no primitive in one instance forms none in any other.
                return Ok(None);
            }
            self.instance += 1;
            self.primitive = 0;
            self.indices = Indices::new(self.memory, self.state, self.request.source, self.request.count);
            self.assembler = Assembler::new(self.state.topology, self.state.provokes_last);
        }
        Ok(None)
    }

    /// A subgroup, which comes again if its primitives have more invocations that are subgroups of their own.
    fn repeating(&mut self, group: Group) -> Group {
        if self.state.splits_instances && group.invocation + 1 < self.state.instances {
            self.repeated = Some(group.clone());
        }
        group
    }

    /// A subgroup of this instance; without primitives if there are no more.
    fn fill(&mut self) -> Result<Group, Refusal> {
        let corners = self.state.topology.vertices();
        // Each corner of a rectangle is a vertex of its own; few share any.
        let shares = self.state.shares_vertices && !matches!(self.state.topology, Topology::Points | Topology::Rectangles);
        self.generation += 1;
        let (most_primitives, most_vertices) = self.limits;
        let mut group = Group { first_primitive: self.primitive, instance: self.instance, ..Group::default() };
        while group.primitives.len() < most_primitives {
            let next = match self.pending.take() {
                Some(pending) => Some(pending),
                None => self.assembler.next(&mut self.indices)?.map(|corners| (corners, self.assembler.begins_lines())),
            };
            let Some((indices, begins)) = next else { break };
            if group.vertices.len() + corners > most_vertices {
                self.pending = Some((indices, begins));
                break;
            }
            let mut numbers = [0; 6];
            for (number, index) in numbers.iter_mut().zip(&indices[..corners]) {
                let place = &mut self.known[index.wrapping_mul(0x9e37_79b1) as usize >> 8 & (KNOWN - 1)];
                if shares && place.generation == self.generation && place.index == *index {
                    *number = place.number;
                    continue;
                }
                *number = group.vertices.len() as u16;
                *place = Known { generation: self.generation, index: *index, number: *number };
                group.vertices.push(*index);
            }
            if begins {
                group.strips.push(group.primitives.len() as u16);
            }
            group.primitives.push(numbers);
        }
        self.primitive += group.primitives.len() as u32;
        Ok(group)
    }
}
