//! One node, one ray.

use super::*;

const G: Generation = Generation::Gfx11;
const MISS: [u32; 4] = [0x7f80_0000, 0x3f80_0000, 0, 0];
const NONE: [u32; 4] = [INVALID; 4];

/// A node of four f32 boxes of side 1 at (x, 0, 0), children 0x100, 0x108, ...; a child of an infinite box does not exist.
fn boxes32(x: [f32; 4], flags: [u8; 4]) -> Vec<u8> {
    let mut node = vec![0; 128];
    for i in 0..4 {
        let child = if x[i].is_finite() { 0x100 + 8 * i as u32 } else { INVALID };
        node[4 * i..4 * i + 4].copy_from_slice(&child.to_le_bytes());
        for (n, v) in [x[i], 0.0, 0.0, x[i] + 1.0, 1.0, 1.0].iter().enumerate() {
            node[16 + 24 * i + 4 * n..][..4].copy_from_slice(&v.to_le_bytes());
        }
    }
    node[112..116].copy_from_slice(&flags);
    node
}

fn boxes16(x: [f32; 4]) -> Vec<u8> {
    let mut node = vec![0; 64];
    for i in 0..4 {
        node[4 * i..4 * i + 4].copy_from_slice(&(0x100 + 8 * i as u32).to_le_bytes());
        for (n, v) in [x[i], 0.0, 0.0, x[i] + 1.0, 1.0, 1.0].iter().enumerate() {
            node[16 + 12 * i + 2 * n..][..2].copy_from_slice(&half::f16::from_f32(*v).to_le_bytes());
        }
    }
    node
}

/// A node with the triangles (0,0,0) (1,0,0) (0,1,0) and (1,0,0) (1,1,0) (0,1,0).
fn triangles(id: u32) -> Vec<u8> {
    let mut node: Vec<u8> = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0f32].iter().flat_map(|v| v.to_le_bytes()).collect();
    node.resize(64, 0);
    node[60..].copy_from_slice(&id.to_le_bytes());
    node
}

fn along_x(from: f32) -> Ray {
    ray([from, 0.5, 0.5], [1.0, 0.0, 0.0], 100.0)
}

fn one(bytes: Vec<u8>, descriptor: BvhDescriptor, node: u32, ray: &Ray) -> [u32; 4] {
    intersect(&descriptor, node, ray, &FlatMemory::new(BASE, bytes))
}

#[test]
fn box_nodes_return_the_children_that_are_hit() {
    // BVH-04: in place where nothing is sorted; behind the ray and beyond its extent is a miss, as is a child that is not there.
    for generation in [Generation::Gfx103, G, Generation::Gfx12] {
        let d = descriptor(generation, 128);
        let node = boxes32([5.0, -3.0, 2.0, f32::INFINITY], [0; 4]);
        assert_eq!(one(node.clone(), d, 5, &along_x(0.0)), [0x100, INVALID, 0x110, INVALID], "{generation:?}");
        let short = Ray { extent: 3.0, ..along_x(0.0) };
        assert_eq!(one(node.clone(), d, 5, &short), [INVALID, INVALID, 0x110, INVALID]);
        assert_eq!(one(node, d, 5, &along_x(-10.0)), [0x100, 0x108, 0x110, INVALID]);
        // f16 boxes.
        let node = boxes16([5.0, -3.0, 2.0, 500.0]);
        assert_eq!(one(node, d, 4, &along_x(0.0)), [0x100, INVALID, 0x110, INVALID], "{generation:?}");
    }
}

#[test]
fn children_are_sorted_with_misses_last() {
    // BVH-04, BVH-11
    let d = BvhDescriptor { box_sort: true, ..descriptor(G, 128) };
    let node = || boxes32([5.0, -3.0, 2.0, 1.0], [0; 4]);
    assert_eq!(one(node(), d, 5, &along_x(0.0)), [0x118, 0x110, 0x100, INVALID]);
    // Largest interval first: all are 1 long but the one the ray begins in.
    let largest = BvhDescriptor { box_sort_heuristic: 1, ..d };
    assert_eq!(one(node(), largest, 5, &along_x(1.5))[2], 0x118);
    // Middle: by the unclamped ends, so what the ray is in comes first.
    let middle = BvhDescriptor { box_sort_heuristic: 2, ..d };
    assert_eq!(one(node(), middle, 5, &along_x(1.5)), [0x118, 0x110, 0x100, INVALID]);
    // gfx10.3 has no heuristic.
    let words = BvhDescriptor { base: 0, ..descriptor(Generation::Gfx103, 128) }.encode().unwrap();
    assert_eq!(BvhDescriptor::decode(&[words[0], words[1] | 3 << 21, words[2], words[3]], Generation::Gfx103).box_sort_heuristic, 0);
}

#[test]
fn touching_a_box_is_a_hit_and_growth_helps() {
    // BVH-11: 1 ulp of growth is 2^-24 of the far end.
    let node = boxes32([1.0, 1.0, 1.0, 1.0], [0; 4]);
    let corner = ray([0.0, 1.0, 0.5], [1.0, 0.0, 0.0], 100.0);
    assert_eq!(one(node.clone(), descriptor(G, 128), 5, &corner)[0], 0x100, "0 * infinity does not count");
    // Enters at x = 1 (t = 1) and leaves at y = 1 a little before.
    let graze = Ray { inverse: [1.0, 0.999_999_9, f32::INFINITY], ..ray([0.0, 0.0, 0.5], [1.0, 1.0, 0.0], 100.0) };
    assert_eq!(one(node.clone(), descriptor(G, 128), 5, &graze)[0], INVALID);
    assert_eq!(one(node, BvhDescriptor { box_grow_ulps: 6, ..descriptor(G, 128) }, 5, &graze)[0], 0x100);
}

#[test]
fn triangle_nodes_return_a_fraction_and_more() {
    // BVH-05, BVH-11: the worked example of images.md section 9.2: t = 1, u = v = 0.25, both negated by the facing.
    let d = descriptor(G, 64);
    let up = ray([0.25, 0.25, -1.0], [0.0, 0.0, 1.0], 100.0);
    let f = |r: [u32; 4]| r.map(f32::from_bits);
    // Selectors 1 and 2: I and J.
    assert_eq!(f(one(triangles(0x89), d, 0, &up)), [-1.0, -1.0, -0.25, -0.25]);
    // Selectors 0 (the rest) and 3 (nothing).
    assert_eq!(f(one(triangles(0x0c), d, 0, &up)), [-1.0, -1.0, -0.5, 0.0]);
    // The other mode: the node's dword and whether it was hit.
    let named = BvhDescriptor { returns_barycentrics: false, ..d };
    let r = one(triangles(0x1234_5689), named, 0, &up);
    assert_eq!((f(r)[0] / f(r)[1], r[2], r[3]), (1.0, 0x1234_5689, 1));
    // Beside it, and behind.
    let beside = ray([0.75, 0.75, -1.0], [0.0, 0.0, 1.0], 100.0);
    assert_eq!(one(triangles(0x89), d, 0, &beside), MISS);
    assert_eq!(one(triangles(0x89), named, 0, &beside), MISS);
    assert_eq!(one(triangles(0x89), d, 0, &ray([0.25, 0.25, 1.0], [0.0, 0.0, 1.0], 100.0)), MISS);
    // The second triangle has it; the extent is the shader's business.
    let r = f(one(triangles(0x8989), d, 1, &Ray { extent: 0.5, ..beside }));
    assert_eq!((r[0] / r[1], r[2] / r[1], r[3] / r[1]), (1.0, 0.5, 0.25));
}

#[test]
fn shared_edges_let_nothing_through() {
    // BVH-11: rays at the diagonal hit one of the two triangles.
    let d = descriptor(G, 64);
    let memory = FlatMemory::new(BASE, triangles(0x8989));
    for i in 0..=1000 {
        let x = i as f32 / 1000.0;
        let r = ray([x * 3.0 - 1.0, 2.0 - x * 2.0, -1.7], [x - (x * 3.0 - 1.0), (1.0 - x) - (2.0 - x * 2.0), 1.7], 100.0);
        let hits = [0, 1].map(|n| intersect(&d, n, &r, &memory) != MISS);
        // Directions are rounded, so the ray may end a little beside the diagonal, but on one side of it.
        assert!(hits[0] || hits[1] || x == 0.0 || x == 1.0, "{x}");
    }
}

#[test]
fn node_pointers_have_32_or_64_bits() {
    // BVH-01, BVH-02, BVH-10: type in the low bits, an eighth of the byte offset above.
    let mut bytes = vec![0; 64 * 5];
    bytes[192..320].copy_from_slice(&boxes32([2.0; 4], [0; 4]));
    let memory = FlatMemory::new(BASE, bytes);
    let d = descriptor(G, 320);
    let hit = [0x100, 0x108, 0x110, 0x118];
    assert_eq!(intersect(&d, (192 / 8) | 5, &along_x(0.0), &memory), hit);
    let op = RayOp::new(Form::Bvh64, G, false).unwrap();
    assert_eq!(run(&op, &d, &registers(&[(192 / 8) | 5, 0], &along_x(0.0)), &memory).unwrap()[..4], hit);
    // Absolute pointers, as drivers use them.
    let all = BvhDescriptor { base: 0, bytes: 1 << 48, ..d };
    let pointer = ((BASE + 192) / 8) | 5;
    assert_eq!(run(&op, &all, &registers(&[pointer as u32, (pointer >> 32) as u32], &along_x(0.0)), &memory).unwrap()[..4], hit);
    assert_eq!([11, 12, 8, 9], {
        let n = |form, a16| RayOp::new(form, G, a16).unwrap().address_dwords();
        [n(Form::Bvh, false), n(Form::Bvh64, false), n(Form::Bvh, true), n(Form::Bvh64, true)]
    });
    assert_eq!(RayOp::new(Form::Bvh, Generation::Gfx10, false), None);
}

#[test]
fn what_is_outside_is_not_fetched() {
    // BVH-09, BVH-10
    let memory = FlatMemory::new(BASE, vec![0; 64]);
    let d = descriptor(G, 64);
    assert_eq!(intersect(&d, (64 / 8) | 4, &along_x(0.0), &memory), NONE);
    assert_eq!(intersect(&d, 5, &along_x(0.0), &memory), NONE, "a node of 128 bytes in 64");
    assert_eq!(intersect(&d, 64 / 8, &along_x(0.0), &memory), MISS);
    for words in [[0; 4], [0, 0, 0, 9 << 28]] {
        let none = BvhDescriptor::decode(&words, G);
        assert_eq!(intersect(&none, 5, &along_x(0.0), &memory), NONE);
        assert_eq!(intersect(&none, 0, &along_x(0.0), &memory), MISS);
    }
    // Allowed but not there: an error.
    let op = RayOp::new(Form::Bvh, G, false).unwrap();
    let large = descriptor(G, 1 << 20);
    assert_eq!(
        run(&op, &large, &registers(&[0x1000 | 5], &along_x(0.0)), &memory),
        Err(RayError::Unmapped { lane: 5, address: BASE + 0x8000 })
    );
}

#[test]
fn nodes_of_the_shader_return_ones() {
    // BVH-10
    let memory = FlatMemory::new(BASE, vec![0; 128]);
    for generation in [Generation::Gfx103, G] {
        for kind in [6, 7] {
            assert_eq!(intersect(&descriptor(generation, 128), kind, &along_x(0.0), &memory), NONE);
        }
    }
    assert_eq!(intersect(&descriptor(G, 128), INVALID, &along_x(0.0), &memory), NONE);
    let instances = BvhDescriptor { instance_nodes: true, ..descriptor(Generation::Gfx12, 128) };
    let op = RayOp::new(Form::Bvh, Generation::Gfx12, false).unwrap();
    let done = run(&op, &instances, &registers(&[6], &along_x(0.0)), &memory);
    assert!(matches!(done, Err(RayError::Node { what: "instance nodes", .. })), "{done:?}");
}

#[test]
fn halves_are_packed_as_the_generation_has_them() {
    // BVH-06, BVH-08: direction (1, 2, 4) and inverse, one of them at a time; the node is a box only that ray hits.
    let h = |x: f32| u32::from(half::f16::from_f32(x).to_bits());
    let (dir, inv) = ([1.0, 2.0, 4.0], [1.0, 0.5, 0.25]);
    let six = [h(dir[0]) | h(dir[1]) << 16, h(dir[2]) | h(inv[0]) << 16, h(inv[1]) | h(inv[2]) << 16];
    let by_axis = [0, 1, 2].map(|a| h(dir[a]) | h(inv[a]) << 16);
    let inverse_low = [0, 1, 2].map(|a| h(inv[a]) | h(dir[a]) << 16);
    // A triangle in the plane z = 4 around (1, 2, 4), which needs the direction, and a box there, which needs the inverse.
    let mut triangle: Vec<u8> = [0.5, 1.5, 4.0, 3.0, 1.5, 4.0, 0.5, 4.0, 4.0f32].iter().flat_map(|v| v.to_le_bytes()).collect();
    triangle.resize(64, 0);
    let mut bytes = triangle;
    let mut node = vec![0xff; 16];
    node[..4].copy_from_slice(&0x100u32.to_le_bytes());
    node.extend([0.9, 1.9, 3.9, 1.1, 2.1, 4.1f32].iter().flat_map(|v| v.to_le_bytes()));
    node.resize(128, 0);
    bytes.extend(node);
    let memory = FlatMemory::new(BASE, bytes);
    for (generation, order, packed) in [
        (Generation::Gfx103, HalfOrder::Guide, six),
        (Generation::Gfx103, HalfOrder::Llvm, six),
        (G, HalfOrder::Guide, by_axis),
        (G, HalfOrder::Llvm, inverse_low),
        (Generation::Gfx12, HalfOrder::Guide, six),
        (Generation::Gfx12, HalfOrder::Llvm, inverse_low),
    ] {
        let op = RayOp { half_order: order, ..RayOp::new(Form::Bvh, generation, true).unwrap() };
        let d = descriptor(generation, 192);
        let registers = |node: u32| [node, 100f32.to_bits(), 0, 0, 0].into_iter().chain(packed).collect::<Vec<_>>();
        let t = run(&op, &d, &registers(0), &memory).unwrap().map(f32::from_bits);
        assert_eq!(t[0] / t[1], 1.0, "{generation:?} {order:?}");
        assert_eq!(run(&op, &d, &registers((64 / 8) | 5), &memory).unwrap()[0], 0x100, "{generation:?} {order:?}");
    }
}

#[test]
fn encoding_is_fixed() {
    // BVH-03: what an instruction has beside its registers is the pointer's size and A16; BVH-07: registers come one by one, so groups may
    // lie anywhere.
    let op = RayOp::new(Form::Bvh, G, false).unwrap();
    let memory = FlatMemory::new(BASE, boxes32([2.0; 4], [0; 4]));
    let names = [30, 3, 9, 10, 11, 17, 18, 19, 0, 1, 2, 0];
    let mut rows = vec![0; 40 * LANES];
    for (name, value) in names.iter().zip(registers(&[5], &along_x(0.0))) {
        rows[usize::from(*name) * LANES] = value;
    }
    let mut wave = Wave::new(&mut rows, LANES, 1);
    // Results over the operands.
    let dst = [9, 10, 11, 3, 0, 0, 0, 0, 0, 0];
    execute(&op, &descriptor(G, 128), &mut wave, &Rows { address: names, dst }, &memory).unwrap();
    assert_eq!([9, 10, 11, 3].map(|r: usize| rows[r * LANES]), [0x100, 0x108, 0x110, 0x118]);
}

#[test]
fn pointer_flags_cull() {
    // BVH-11 (gfx11 and later, 64-bit pointers)
    let d = BvhDescriptor { pointer_flags: true, ..descriptor(G, 128) };
    let op = RayOp::new(Form::Bvh64, G, false).unwrap();
    let go = |bytes: &[u8], node: u32, flags: u16, ray: &Ray| {
        let memory = FlatMemory::new(BASE, bytes.to_vec());
        let out = run(&op, &d, &registers(&[node, u32::from(flags) << 22], ray), &memory).unwrap();
        [out[0], out[1], out[2], out[3]]
    };
    let hit = |r: [u32; 4]| r.map(|p| p != INVALID);
    // Children: only opaque, only not opaque, only triangles, only procedural.
    let node = boxes32([2.0; 4], [1, 2, 4, 8]);
    let x = along_x(0.0);
    assert_eq!(hit(go(&node, 5, 0, &x)), [true; 4]);
    assert_eq!(hit(go(&node, 5, Flags::CULL_OPAQUE, &x)), [false, true, true, true]);
    assert_eq!(hit(go(&node, 5, Flags::CULL_NON_OPAQUE, &x)), [true, false, true, true]);
    assert_eq!(hit(go(&node, 5, Flags::SKIP_TRIANGLES, &x)), [true, true, false, true]);
    assert_eq!(hit(go(&node, 5, Flags::SKIP_PROCEDURAL, &x)), [true, true, true, false]);
    assert_eq!(hit(go(&node, 5, Flags::FORCE_OPAQUE | Flags::CULL_OPAQUE, &x)), [false; 4]);
    assert_eq!(hit(go(&node, 5, Flags::FORCE_NON_OPAQUE | Flags::CULL_OPAQUE, &x)), [true; 4]);
    // Triangles: seen from behind (denominator below 0) and from the front.
    let (behind, front) = (ray([0.25, 0.25, -1.0], [0.0, 0.0, 1.0], 9.0), ray([0.25, 0.25, 1.0], [0.0, 0.0, -1.0], 9.0));
    let opaque = triangles(0x89);
    for (id, flags, behind_hit, front_hit) in [
        (0x89, 0, true, true),
        (0x89, Flags::CULL_BACK, false, true),
        (0x89, Flags::CULL_FRONT, true, false),
        (0x89, Flags::CULL_BACK | Flags::NO_FACE_CULL, true, true),
        (0x89, Flags::CULL_BACK | Flags::FLIP_FACING, true, false),
        (0x99, Flags::CULL_BACK, true, true),
        (0xa9, Flags::CULL_BACK, true, false),
        (0x89, Flags::CULL_OPAQUE, false, false),
        (0x89, Flags::CULL_NON_OPAQUE, true, true),
        (0x09, Flags::CULL_NON_OPAQUE, false, false),
        (0x89, Flags::SKIP_TRIANGLES, false, false),
        (0xc9, Flags::SKIP_TRIANGLES, true, true),
        (0xc9, Flags::SKIP_PROCEDURAL, false, false),
    ] {
        let got = [behind, front].map(|r| go(&triangles(id), 0, flags, &r) != MISS);
        assert_eq!(got, [behind_hit, front_hit], "{id:#x} {flags:#x}");
    }
    // Flipped, the signs change and the ratios stay.
    let f = |r: [u32; 4]| r.map(f32::from_bits);
    assert_eq!(f(go(&opaque, 0, Flags::FLIP_FACING, &behind)), [1.0, 1.0, 0.25, 0.25]);
}

#[test]
fn two_nodes_at_once_sort_together() {
    // gfx12: the dual form, and the network over eight.
    let g = Generation::Gfx12;
    let mut bytes = boxes32([5.0, 1.0, 9.0, -4.0], [0; 4]);
    let mut second = boxes32([3.0, 7.0, f32::INFINITY, 2.0], [0; 4]);
    for i in 0..4 {
        if second[4 * i] != 0xff {
            second[4 * i + 1] = 2;
        }
    }
    bytes.extend(second);
    let memory = FlatMemory::new(BASE, bytes);
    let op = RayOp::new(Form::Dual, g, false).unwrap();
    let f = f32::to_bits;
    let registers = [0, 0, f(100.0), 0xff, f(0.0), f(0.5), f(0.5), f(1.0), f(0.0), f(0.0), 5, (128 / 8) | 5];
    let wide = BvhDescriptor { box_sort: true, wide_sort: true, ..descriptor(g, 256) };
    let out = run(&op, &wide, &registers, &memory).unwrap();
    assert_eq!(out[..8], [0x108, 0x218, 0x200, 0x100, 0x208, 0x110, INVALID, INVALID]);
    let apart = BvhDescriptor { wide_sort: false, ..wide };
    let out = run(&op, &apart, &registers, &memory).unwrap();
    assert_eq!(out[..8], [0x108, 0x100, 0x110, INVALID, 0x218, 0x200, 0x208, INVALID]);
}
