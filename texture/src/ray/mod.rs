//! Ray intersection instructions: image_bvh_intersect_ray and image_bvh64_intersect_ray of gfx10.3 to gfx12, and the dual form of gfx12.
//!
//! A lane names a node of a bounding volume hierarchy and has a ray; the instruction tests the ray against the boxes or the triangle of the
//! node and returns what a traversal loop needs next. `node` is how nodes lie in memory, `intersect` the arithmetic, `sort` the order of
//! children, `build` makes a hierarchy of triangles; `vector` does for a vector of lanes what the common nodes take. References: RDNA3.5 ISA,
//! "ray tracing"; images.md section 9, descriptors.md section 6; requirements BVH-01 to BVH-11.

pub mod build;
pub mod intersect;
pub mod node;
mod sort;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use sort::Heuristic;
pub use wavejit_isa::memory::ray::Form;

use crate::descriptor::BvhDescriptor;
use crate::wave::LaneIter;
use crate::{Generation, Memory, Wave};
use intersect::{Ray, TriangleHit};
use node::{Flags, INVALID, Kind, Pointer};
#[cfg(target_arch = "x86_64")]
#[cfg(target_arch = "x86_64")]
use wavejit_isa::HostLevel;

/// How directions of 16 bits are packed (BVH-08). The sources disagree for gfx11 and gfx12.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HalfOrder {
    /// As AMD's guides print it: gfx11 a register per axis with the direction in the low half, gfx10.3 and gfx12 six halves in a row.
    #[default]
    Guide,
    /// As LLVM 19 emits it: from gfx11 on a register per axis with the inverse in the low half.
    Llvm,
}

/// A ray instruction, without its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RayOp {
    /// Whose rules hold.
    pub generation: Generation,
    /// Which instruction.
    pub form: Form,
    /// Directions have 16 bits (BVH-06).
    pub a16: bool,
    /// How they are packed.
    pub half_order: HalfOrder,
}

impl RayOp {
    /// The instruction on a generation. `None`: it does not exist there, or is not supported.
    pub fn new(form: Form, generation: Generation, a16: bool) -> Option<RayOp> {
        let exists = match form {
            Form::Dual => generation >= Generation::Gfx12 && !a16,
            _ => generation >= Generation::Gfx103,
        };
        exists.then_some(RayOp { generation, form, a16, half_order: HalfOrder::default() })
    }

    /// Registers of address it reads (BVH-02).
    pub fn address_dwords(&self) -> usize {
        self.form.address_dwords(self.a16)
    }

    /// Registers it writes.
    pub fn result_dwords(&self) -> usize {
        if self.form == Form::Dual { 10 } else { 4 }
    }
}

/// Row numbers of the registers of a ray instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rows {
    /// Node pointer (or base), extent (and mask), origin, direction, inverse direction (or node pointers).
    pub address: [u16; 12],
    /// Results.
    pub dst: [u16; 10],
}

/// Why an access was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RayError {
    /// No such memory, though the descriptor allows it.
    #[error("lane {lane}: BVH node at unmapped address {address:#x}")]
    Unmapped {
        /// First lane.
        lane: usize,
        /// Its node.
        address: u64,
    },
    /// A node that is not supported.
    #[error("lane {lane}: BVH {what} at {address:#x} are not supported")]
    Node {
        /// First lane.
        lane: usize,
        /// Its node.
        address: u64,
        /// What it is.
        what: &'static str,
    },
}

/// Runs a ray instruction for the active lanes of `wave`.
pub fn execute<M: Memory + ?Sized>(op: &RayOp, bvh: &BvhDescriptor, wave: &mut Wave, rows: &Rows, memory: &M) -> Result<(), RayError> {
    #[cfg(target_arch = "x86_64")]
    let left = wave.exec & !vector::execute(HostLevel::get(), op, bvh, wave, rows, memory);
    #[cfg(not(target_arch = "x86_64"))]
    let left = wave.exec;
    execute_by_lane(op, bvh, wave, rows, memory, left)
}

/// The scalar form, for some lanes.
fn execute_by_lane<M: Memory + ?Sized>(
    op: &RayOp,
    bvh: &BvhDescriptor,
    wave: &mut Wave,
    rows: &Rows,
    memory: &M,
    lanes: u64,
) -> Result<(), RayError> {
    let n = op.result_dwords();
    for lane in LaneIter(lanes) {
        let results = Tester { op, bvh, memory, lane }.lane(|i| wave.get(rows.address[i], lane))?;
        for (row, value) in rows.dst.iter().zip(results).take(n) {
            wave.set(*row, lane, value);
        }
    }
    Ok(())
}

/// A hierarchy seen by one lane.
struct Tester<'a, M: ?Sized> {
    op: &'a RayOp,
    bvh: &'a BvhDescriptor,
    memory: &'a M,
    lane: usize,
}

impl<M: Memory + ?Sized> Tester<'_, M> {
    fn lane(&self, register: impl Fn(usize) -> u32) -> Result<[u32; 10], RayError> {
        let mut out = [0; 10];
        if self.op.form == Form::Dual {
            let base = u64::from(register(0)) | u64::from(register(1)) << 32;
            let ray = ray_of(&register, 2, [4, 5, 6], |axis| {
                let dir = f32::from_bits(register(7 + axis));
                (dir, 1.0 / dir)
            });
            let nodes = [register(10), register(11)].map(|n| Pointer::in_base(base, n));
            return self.dual(nodes, &ray);
        }
        let wide = usize::from(self.op.form == Form::Bvh64);
        let pointer = match wide {
            0 => Pointer::of_32(register(0)),
            _ => Pointer::of_64(u64::from(register(0)) | u64::from(register(1)) << 32, self.bvh.pointer_flags),
        };
        let at = 2 + wide;
        let directions = |axis: usize| self.direction(&register, at + 3, axis);
        let ray = ray_of(&register, at - 1, [at, at + 1, at + 2], directions);
        out[..4].copy_from_slice(&self.node(pointer, &ray)?);
        Ok(out)
    }

    /// Direction and its inverse along an axis, registers from `at` on.
    fn direction(&self, register: &impl Fn(usize) -> u32, at: usize, axis: usize) -> (f32, f32) {
        if !self.op.a16 {
            return (f32::from_bits(register(at + axis)), f32::from_bits(register(at + 3 + axis)));
        }
        let half = |n: usize| half::f16::from_bits((register(at + n / 2) >> (16 * (n % 2))) as u16).to_f32();
        match (self.op.generation, self.op.half_order) {
            (Generation::Gfx103, _) | (Generation::Gfx12, HalfOrder::Guide) => (half(axis), half(3 + axis)),
            (_, HalfOrder::Guide) => (half(2 * axis), half(2 * axis + 1)),
            (_, HalfOrder::Llvm) => (half(2 * axis + 1), half(2 * axis)),
        }
    }

    /// Tests one node.
    fn node(&self, pointer: Pointer, ray: &Ray) -> Result<[u32; 4], RayError> {
        match pointer.kind {
            Kind::Triangle(_) => Ok(self.triangle(pointer, ray)?),
            Kind::Box16 | Kind::Box32 => {
                let mut children = self.children(pointer, ray)?;
                if self.bvh.box_sort {
                    sort::four(&mut children);
                }
                Ok(children.map(|c| c.pointer))
            }
            // The shader deals with these before gfx12, and with procedural ones always.
            Kind::Instance if self.bvh.instance_nodes => {
                Err(RayError::Node { lane: self.lane, address: self.address(pointer), what: "instance nodes" })
            }
            Kind::Instance | Kind::Procedural => Ok([INVALID; 4]),
        }
    }

    /// Tests two box nodes, sorted together if the descriptor says so; other nodes keep to their half. The last two results are for
    /// instances, which this has none of.
    fn dual(&self, nodes: [Pointer; 2], ray: &Ray) -> Result<[u32; 10], RayError> {
        let mut out = [0; 10];
        let boxes = nodes.map(|n| matches!(n.kind, Kind::Box16 | Kind::Box32));
        if boxes == [true; 2] && self.bvh.box_sort && self.bvh.wide_sort {
            let [a, b] = [self.children(nodes[0], ray)?, self.children(nodes[1], ray)?];
            let mut all = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
            sort::eight(&mut all);
            out[..8].copy_from_slice(&all.map(|c| c.pointer));
        } else {
            for (n, node) in nodes.into_iter().enumerate() {
                out[4 * n..4 * n + 4].copy_from_slice(&self.node(node, ray)?);
            }
        }
        Ok(out)
    }

    fn address(&self, pointer: Pointer) -> u64 {
        self.bvh.base.wrapping_add(pointer.offset)
    }

    /// Reads a node. `None`: it is outside the hierarchy, or nothing is one (BVH-09, BVH-10).
    fn fetch<const N: usize>(&self, pointer: Pointer) -> Result<Option<[u8; N]>, RayError> {
        let inside = pointer.offset.checked_add(N as u64).is_some_and(|end| end <= self.bvh.bytes);
        if !self.bvh.is_bvh || !inside {
            return Ok(None);
        }
        let address = self.address(pointer);
        let mut node = [0; N];
        if self.memory.read(address, &mut node) {
            Ok(Some(node))
        } else if self.memory.resident(address >> 16) {
            Err(RayError::Unmapped { lane: self.lane, address })
        } else {
            Ok(None)
        }
    }

    fn children(&self, pointer: Pointer, ray: &Ray) -> Result<[sort::Child; 4], RayError> {
        let node = match pointer.kind {
            Kind::Box16 if self.bvh.box_node_64b => {
                return Err(RayError::Node { lane: self.lane, address: self.address(pointer), what: "high precision box nodes" });
            }
            Kind::Box16 => self.fetch::<64>(pointer)?.map(|n| node::box16(&n)),
            _ => self.fetch::<128>(pointer)?.map(|n| node::box32(&n)),
        };
        let Some(node) = node else { return Ok([sort::Child::MISS; 4]) };
        let has_flags = pointer.kind == Kind::Box32 && self.bvh.pointer_flags;
        let heuristic = Heuristic::of(self.bvh.box_sort_heuristic);
        Ok([0, 1, 2, 3].map(|i| {
            let child = node.children[i];
            if child == INVALID || has_flags && pointer.flags.culls_child(node.flags[i]) {
                return sort::Child::MISS;
            }
            let interval = intersect::slab(&node.boxes[i], ray);
            if interval.is_hit(self.bvh.box_grow_ulps) {
                sort::Child { pointer: child, key: heuristic.key(&interval) }
            } else {
                sort::Child::MISS
            }
        }))
    }

    fn triangle(&self, pointer: Pointer, ray: &Ray) -> Result<[u32; 4], RayError> {
        let Some(node) = self.fetch::<64>(pointer)? else { return Ok(TriangleHit::MISS.miss_result()) };
        let triangle = node::triangle(&node, pointer.kind);
        Ok(report(self.bvh, pointer, triangle.id, intersect::triangle(&triangle.vertices, ray)))
    }
}

/// Results of a triangle whose node has the triangle_id dword `id`.
fn report(bvh: &BvhDescriptor, pointer: Pointer, id: u32, hit: TriangleHit) -> [u32; 4] {
    let properties = node::Properties::of(id, pointer.kind);
    let mut hit = hit;
    if bvh.pointer_flags {
        let flips = properties.flips_winding() != pointer.flags.has(Flags::FLIP_FACING);
        if flips {
            hit = hit.flipped();
        }
        if pointer.flags.culls_triangle(properties, hit.denominator >= 0.0) {
            return TriangleHit::MISS.miss_result();
        }
    }
    if !hit.is_hit {
        return TriangleHit::MISS.miss_result();
    }
    let [a, b] =
        if bvh.returns_barycentrics { [properties.source(0), properties.source(1)].map(|s| hit.barycentric(s).to_bits()) } else { [id, 1] };
    [hit.numerator.to_bits(), hit.denominator.to_bits(), a, b]
}

/// A ray from registers: extent, origin, and a function for direction and inverse.
fn ray_of(register: &impl Fn(usize) -> u32, extent: usize, origin: [usize; 3], direction: impl Fn(usize) -> (f32, f32)) -> Ray {
    let float = |i: usize| f32::from_bits(register(i));
    let axes = [0, 1, 2].map(direction);
    Ray { extent: float(extent), origin: origin.map(float), direction: axes.map(|a| a.0), inverse: axes.map(|a| a.1) }
}
