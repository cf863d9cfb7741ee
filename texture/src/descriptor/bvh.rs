//! BVH descriptors (four dwords): where the nodes of ray tracing are and how intersections are reported.
//!
//! `bvh_fields.rs` says where the bits are. Reference: RDNA3.5 guide, table 54; RDNA4 guide, table 65.

use super::bvh_fields as at;
use super::field::{EncodeError, in_units};
use crate::Generation;

/// The TYPE of a BVH.
const BVH: u64 = 8;

/// A BVH resource, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BvhDescriptor {
    /// Whose layout the dwords have.
    pub generation: Generation,
    /// TYPE is that of a BVH and the generation traces rays; if not, every ray misses (BVH-09).
    pub is_bvh: bool,
    /// Byte address of the nodes, a multiple of 256.
    pub base: u64,
    /// Bytes from `base` on that nodes may be in: a multiple of 64, at least 64.
    pub bytes: u64,
    /// Ulps by which boxes grow.
    pub box_grow_ulps: u8,
    /// Children of boxes are sorted.
    pub box_sort: bool,
    /// By what children are sorted: 0 nearest entry, 1 longest interval, 2 nearest middle, 3 undefined (gfx11+).
    pub box_sort_heuristic: u8,
    /// Triangles come before boxes (gfx12).
    pub sort_triangles_first: bool,
    /// Nodes are compressed (gfx12).
    pub compressed_format: bool,
    /// Nodes of type 4 are boxes of 64 bytes of high precision (gfx12).
    pub box_node_64b: bool,
    /// All eight children are sorted together (gfx12).
    pub wide_sort: bool,
    /// Nodes of type 6 are instances (gfx12).
    pub instance_nodes: bool,
    /// Node pointers of 64 bits carry flags (gfx11+).
    pub pointer_flags: bool,
    /// Triangles return barycentric coordinates instead of their identity and whether they were hit (BVH-05).
    pub returns_barycentrics: bool,
}

impl BvhDescriptor {
    /// A BVH of all memory that sorts by nearest entry and returns barycentrics, which is what drivers use.
    pub fn new(generation: Generation) -> BvhDescriptor {
        BvhDescriptor {
            generation,
            is_bvh: generation >= Generation::Gfx103,
            base: 0,
            bytes: 1 << 48,
            box_grow_ulps: 0,
            box_sort: true,
            box_sort_heuristic: 0,
            sort_triangles_first: false,
            compressed_format: false,
            box_node_64b: false,
            wide_sort: false,
            instance_nodes: false,
            pointer_flags: false,
            returns_barycentrics: true,
        }
    }

    /// Decodes a BVH resource. Every bit pattern is one.
    pub fn decode(words: &[u32; 4], generation: Generation) -> BvhDescriptor {
        let get = |field: &super::Field| field.get(words, generation);
        let flag = |field: &super::Field| get(field) != 0;
        BvhDescriptor {
            generation,
            is_bvh: get(&at::TYPE) == BVH,
            base: get(&at::BASE_ADDRESS) << 8,
            bytes: (get(&at::SIZE) + 1) << 6,
            box_grow_ulps: get(&at::BOX_GROW_VALUE) as u8,
            box_sort: flag(&at::BOX_SORT_EN),
            box_sort_heuristic: get(&at::BOX_SORTING_HEURISTIC) as u8,
            sort_triangles_first: flag(&at::SORT_TRIANGLES_FIRST),
            compressed_format: flag(&at::COMPRESSED_FORMAT_EN),
            box_node_64b: flag(&at::BOX_NODE_64B),
            wide_sort: flag(&at::WIDE_SORT_EN),
            instance_nodes: flag(&at::INSTANCE_EN),
            pointer_flags: flag(&at::POINTER_FLAGS),
            returns_barycentrics: flag(&at::TRIANGLE_RETURN_MODE),
        }
    }

    /// The dwords of this descriptor.
    pub fn encode(&self) -> Result<[u32; 4], EncodeError> {
        let mut words = [0; 4];
        let mut put = |field: &super::Field, value: u64| field.put(&mut words, self.generation, value);
        put(&at::TYPE, if self.is_bvh { BVH } else { 0 })?;
        put(&at::BASE_ADDRESS, in_units(&at::BASE_ADDRESS, self.base, 256)?)?;
        put(&at::SIZE, in_units(&at::SIZE, self.bytes, 64)?.wrapping_sub(1))?;
        put(&at::BOX_GROW_VALUE, self.box_grow_ulps.into())?;
        put(&at::BOX_SORT_EN, self.box_sort.into())?;
        put(&at::BOX_SORTING_HEURISTIC, self.box_sort_heuristic.into())?;
        put(&at::SORT_TRIANGLES_FIRST, self.sort_triangles_first.into())?;
        put(&at::COMPRESSED_FORMAT_EN, self.compressed_format.into())?;
        put(&at::BOX_NODE_64B, self.box_node_64b.into())?;
        put(&at::WIDE_SORT_EN, self.wide_sort.into())?;
        put(&at::INSTANCE_EN, self.instance_nodes.into())?;
        put(&at::POINTER_FLAGS, self.pointer_flags.into())?;
        put(&at::TRIANGLE_RETURN_MODE, self.returns_barycentrics.into())?;
        Ok(words)
    }
}
