//! Ray hierarchies: triangles in guest memory as nodes that the intersection instructions read, with their descriptor.
//!
//! A kernel's argument is a pointer to eight dwords: the four of the descriptor, the pointer of the root node, and zeros.

use crate::error::Error;
use crate::{Buffer, Device};
use wavejit_texture::descriptor::BvhDescriptor;
use wavejit_texture::ray::build::{self, BoxFormat, Corners};
use wavejit_texture::{Generation, ray};

/// A bounding volume hierarchy in guest memory, freed when dropped. [`Device::bvh`] makes one.
pub struct Bvh {
    generation: Generation,
    words: [u32; 4],
    hierarchy: ray::build::Bvh,
    /// Holds the nodes; they live as long as this does.
    _nodes: Buffer,
    /// Descriptor and root, where kernels read them.
    argument: Buffer,
}

impl Device {
    /// Makes a hierarchy of triangles, for gfx10.3 and later. Hits return the triangle's number as byte offset 48 of its node, and barycentric
    /// coordinates.
    pub fn bvh(&self, generation: Generation, triangles: &[Corners]) -> Result<Bvh, Error> {
        if generation < Generation::Gfx103 {
            return Err(Error::Arg(format!("{generation:?} traces no rays")));
        }
        if triangles.is_empty() || triangles.len() > 1 << 24 {
            return Err(Error::Arg(format!("a ray hierarchy of {} triangles: expected 1 to 16 million", triangles.len())));
        }
        let hierarchy = build::build(triangles, BoxFormat::F32);
        let nodes = self.upload(&hierarchy.bytes)?;
        let bytes = (hierarchy.bytes.len() as u64).next_multiple_of(64).max(64);
        let t = BvhDescriptor { base: nodes.address(), bytes, ..BvhDescriptor::new(generation) };
        let words = t.encode().map_err(|e| Error::Arg(format!("ray hierarchy: {e}")))?;
        let all = words.iter().copied().chain([hierarchy.root, 0, 0, 0]);
        let argument = self.upload(&all.flat_map(u32::to_le_bytes).collect::<Vec<_>>())?;
        Ok(Bvh { generation, words, hierarchy, _nodes: nodes, argument })
    }
}

impl Bvh {
    /// Whose descriptor it has.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> [u32; 4] {
        self.words
    }

    /// Pointer of the node a traversal begins with.
    pub fn root(&self) -> u32 {
        self.hierarchy.root
    }

    /// Number of the triangle that a node pointer names.
    pub fn triangle(&self, pointer: u32) -> Option<u32> {
        self.hierarchy.triangle(pointer)
    }

    /// Guest address of the descriptor: what a kernel's argument is.
    pub fn descriptor_address(&self) -> u64 {
        self.argument.address()
    }
}
