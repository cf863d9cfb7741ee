//! Rules of ray instructions, and traversal against a plain ray caster.

mod nodes;
mod trace;
#[cfg(target_arch = "x86_64")]
mod vectors;

use super::build::Bvh;
use super::*;
use crate::memory::FlatMemory;

/// Guest address of the hierarchy.
pub(super) const BASE: u64 = 0x10_0000;
const LANES: usize = 32;

/// A descriptor over `bytes` bytes at [`BASE`].
pub(super) fn descriptor(generation: Generation, bytes: usize) -> BvhDescriptor {
    BvhDescriptor { base: BASE, bytes: bytes.max(64) as u64, box_sort: false, ..BvhDescriptor::new(generation) }
}

/// A ray with its inverse direction.
pub(super) fn ray(origin: [f32; 3], direction: [f32; 3], extent: f32) -> Ray {
    Ray { extent, origin, direction, inverse: direction.map(|d| 1.0 / d) }
}

/// Runs an instruction on one lane with these address registers.
pub(super) fn run(op: &RayOp, bvh: &BvhDescriptor, registers: &[u32], memory: &impl Memory) -> Result<[u32; 10], RayError> {
    assert_eq!(registers.len(), op.address_dwords(), "BVH-02");
    let mut rows = vec![0; 32 * LANES];
    let names: [u16; 12] = std::array::from_fn(|i| i as u16);
    for (i, r) in registers.iter().enumerate() {
        rows[i * LANES + 5] = *r;
    }
    let mut wave = Wave::new(&mut rows, LANES, 1 << 5);
    let dst = std::array::from_fn(|i| 20 + i as u16);
    execute(op, bvh, &mut wave, &Rows { address: names, dst }, memory)?;
    Ok(std::array::from_fn(|i| rows[(20 + i) * LANES + 5]))
}

/// Address registers of a node and a ray, full floats.
pub(super) fn registers(node: &[u32], ray: &Ray) -> Vec<u32> {
    let floats = [ray.extent].into_iter().chain(ray.origin).chain(ray.direction).chain(ray.inverse);
    node.iter().copied().chain(floats.map(f32::to_bits)).collect()
}

/// image_bvh_intersect_ray on a node.
pub(super) fn intersect(bvh: &BvhDescriptor, node: u32, ray: &Ray, memory: &impl Memory) -> [u32; 4] {
    let op = RayOp::new(Form::Bvh, bvh.generation, false).unwrap();
    let out = run(&op, bvh, &registers(&[node], ray), memory).unwrap();
    [out[0], out[1], out[2], out[3]]
}

/// Memory with a hierarchy.
pub(super) fn memory_of(bvh: &Bvh) -> FlatMemory {
    FlatMemory::new(BASE, bvh.bytes.clone())
}
