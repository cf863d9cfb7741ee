//! Ray instructions: one triangle, hit in the middle.

use crate::scene::{ADDRESS, LANES, T_SHARP, check};
use wavejit_isa::Gfx;
use wavejit_tests::machine::{MEM, Machine};
use wavejit_texture::descriptor::BvhDescriptor;

/// `image_bvh*_intersect_ray` on the triangle (0,0,0) (1,0,0) (0,1,0), from (0.25, 0.25, -1) along z: BVH-05.
pub(crate) fn run(name: &str, target: Gfx) -> Result<(), String> {
    let mut start = Machine::new(LANES as u32);
    (start.sregs[126], start.sregs[127]) = (1, 0);
    let t = BvhDescriptor { base: MEM, bytes: 4096, returns_barycentrics: false, ..BvhDescriptor::new(target.descriptors()) };
    start.sregs[T_SHARP..T_SHARP + 4].copy_from_slice(&t.encode().expect("the test's descriptor can be written"));
    // Vertices of triangle 0 are dwords 0 to 8 of a node.
    start.mem_mut()[3] = 1f32.to_bits();
    start.mem_mut()[7] = 1f32.to_bits();
    // Its number, whose low byte says which vertices I and J belong to.
    start.mem_mut()[15] = 0x0123_4509;
    let node: &[u32] = if name.contains("bvh64") { &[0, 0] } else { &[0] };
    let (inf, zero) = (f32::INFINITY, 0f32);
    let floats = [9.0, 0.25, 0.25, -1.0, zero, zero, 1.0, inf, inf, 1.0].map(f32::to_bits);
    let registers: Vec<u32> = node.iter().chain(&floats).copied().collect();
    for (n, value) in registers.iter().enumerate() {
        start.vgpr_mut(ADDRESS + n)[0] = *value;
    }
    let mut expected = start.clone();
    // t = -1 / -1, the id of the triangle, a hit.
    for (n, value) in [(-1f32).to_bits(), (-1f32).to_bits(), 0x0123_4509, 1].into_iter().enumerate() {
        expected.vgpr_mut(n)[0] = value;
    }
    let n = node.len();
    let tuple = |first: usize, count: usize| match count {
        1 => format!("v{}", ADDRESS + first),
        _ => format!("v[{}:{}]", ADDRESS + first, ADDRESS + first + count - 1),
    };
    let address = match target.0 {
        ..0x1200 => tuple(0, n + 10),
        _ => format!("[{}, {}, {}, {}, {}]", tuple(0, n), tuple(n, 1), tuple(n + 1, 3), tuple(n + 4, 3), tuple(n + 7, 3)),
    };
    check(&format!("{name} v[0:3], {address}, s[8:11]"), target, &start, &expected)
}
