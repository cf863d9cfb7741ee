//! Built hierarchies, traversed with the instructions, against a ray caster that tests every triangle in f64.

use super::super::build::{BoxFormat, Corners, build};
use super::*;
use wavejit_random::Random;

fn point(random: &mut Random, size: f32) -> [f32; 3] {
    [0; 3].map(|_| random.f32(-size, size))
}

/// Nearest triangle by distance, in f64: (distance, number), and how near its edges the ray passes.
fn cast(triangles: &[Corners], ray: &Ray) -> Option<(f64, u32)> {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let (o, d) = (wide(ray.origin), wide(ray.direction));
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let mut best: Option<(f64, u32)> = None;
    for (n, t) in triangles.iter().enumerate() {
        // o + t d = v0 + u e1 + v e2 by Cramer's rule.
        let [v0, v1, v2] = t.map(wide);
        let (e1, e2, r) = (sub(v1, v0), sub(v2, v0), sub(o, v0));
        let minus_d = d.map(|x| -x);
        let all = det(minus_d, e1, e2);
        let (dist, u, v) = (det(r, e1, e2) / all, det(minus_d, r, e2) / all, det(minus_d, e1, r) / all);
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && dist >= 0.0 && best.is_none_or(|b| dist < b.0) {
            best = Some((dist, n as u32));
        }
    }
    best
}

/// What a shader does: nearest triangle by a stack of node pointers.
fn traverse(bvh: &Bvh, d: &BvhDescriptor, ray: &Ray, memory: &FlatMemory) -> Option<(f32, u32)> {
    let mut best: Option<(f32, u32)> = None;
    let mut stack = vec![bvh.root];
    while let Some(node) = stack.pop() {
        let ray = Ray { extent: best.map_or(ray.extent, |b| b.0), ..*ray };
        let r = intersect(d, node, &ray, memory);
        if node & 7 < 4 {
            let t = f32::from_bits(r[0]) / f32::from_bits(r[1]);
            if t.is_finite() && best.is_none_or(|b| t < b.0) {
                best = Some((t, bvh.triangle(node).unwrap()));
            }
        } else {
            stack.extend(r.iter().rev().filter(|p| **p != INVALID));
        }
    }
    best
}

fn compare(triangles: &[Corners], rays: usize, seed: u64) {
    for (format, generation) in
        [(BoxFormat::F32, Generation::Gfx11), (BoxFormat::F16, Generation::Gfx103), (BoxFormat::F32, Generation::Gfx12)]
    {
        let bvh = build(triangles, format);
        let memory = memory_of(&bvh);
        let d = BvhDescriptor { box_sort: true, box_grow_ulps: 6, ..descriptor(generation, bvh.bytes.len()) };
        let mut random = Random(seed);
        let mut hits = 0;
        for n in 0..rays {
            let (from, to) = (point(&mut random, 3.0), point(&mut random, 1.0));
            let ray = ray(from, [0, 1, 2].map(|a| to[a] - from[a]), 1000.0);
            let (got, want) = (traverse(&bvh, &d, &ray, &memory), cast(triangles, &ray));
            match (got, want) {
                (Some(got), Some(want)) => {
                    hits += 1;
                    assert!((f64::from(got.0) - want.0).abs() < 1e-4 * want.0.max(1.0), "ray {n}: {got:?}, not {want:?}");
                }
                (None, None) => {}
                other => panic!("ray {n}: {other:?}"),
            }
        }
        assert!(hits * 10 > rays, "{hits} of {rays}");
    }
}

#[test]
fn traversal_finds_what_a_ray_caster_finds() {
    // BVH-04, BVH-05, BVH-11: scattered triangles.
    let mut random = Random(7);
    let scattered: Vec<Corners> = (0..300)
        .map(|_| {
            let at = point(&mut random, 1.0);
            [0; 3].map(|_| {
                let p = point(&mut random, 0.3);
                [0, 1, 2].map(|a| at[a] + p[a])
            })
        })
        .collect();
    compare(&scattered, 400, 11);
}

#[test]
fn closed_surfaces_are_closed() {
    // A sphere of triangles that share their edges, half of them paired in nodes.
    let (rings, sectors) = (16, 24);
    let at = |ring: usize, sector: usize| {
        let (a, b) =
            (std::f32::consts::PI * ring as f32 / rings as f32, std::f32::consts::TAU * (sector % sectors) as f32 / sectors as f32);
        [a.sin() * b.cos(), a.cos(), a.sin() * b.sin()]
    };
    let mut sphere: Vec<Corners> = vec![];
    for ring in 0..rings {
        for sector in 0..sectors {
            let [a, b, c, d] = [at(ring, sector), at(ring, sector + 1), at(ring + 1, sector), at(ring + 1, sector + 1)];
            sphere.push([a, b, c]);
            sphere.push([b, d, c]);
        }
    }
    compare(&sphere, 400, 23);
    // From the middle every ray hits.
    let bvh = build(&sphere, BoxFormat::F32);
    let memory = memory_of(&bvh);
    let d = BvhDescriptor { box_sort: true, box_grow_ulps: 6, ..descriptor(Generation::Gfx11, bvh.bytes.len()) };
    let mut random = Random(5);
    for n in 0..500 {
        let ray = ray([0.0; 3], point(&mut random, 1.0), 1000.0);
        assert!(traverse(&bvh, &d, &ray, &memory).is_some(), "ray {n} {ray:?}");
    }
}

#[test]
fn every_triangle_is_in_the_hierarchy_once() {
    // A fan with equal middles, single triangles, none, and corners that are NaN.
    for count in [0usize, 1, 2, 3, 5, 64] {
        let mut triangles: Vec<Corners> = (0..count).map(|i| [[0.0; 3], [1.0, i as f32, 0.0], [0.0, 0.0, 1.0]]).collect();
        triangles.push([[f32::NAN; 3]; 3]);
        if count == 64 {
            triangles[..64].fill([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        }
        let bvh = build(&triangles, BoxFormat::F32);
        let mut seen = vec![0; count + 1];
        let mut stack = vec![bvh.root];
        while let Some(node) = stack.pop().filter(|n| *n != INVALID) {
            match bvh.triangle(node) {
                Some(t) => seen[t as usize] += 1,
                None => {
                    let at = (node & !7) as usize * 8;
                    let child = |i: usize| u32::from_le_bytes(bvh.bytes[at + 4 * i..][..4].try_into().unwrap());
                    stack.extend((0..4).map(child).filter(|c| *c != INVALID));
                }
            }
        }
        assert_eq!(seen[..count], vec![1; count], "{count}");
        assert_eq!(seen[count], 0);
    }
}

#[test]
fn any_node_is_survived() {
    // Random bytes, pointers and descriptors: only memory of the device is read, nothing panics.
    let mut random = Random(3);
    let bytes: Vec<u8> = (0..4096).map(|_| random.u32() as u8).collect();
    let memory = FlatMemory::new(BASE, bytes);
    let forms = [Form::Bvh, Form::Bvh64, Form::Dual];
    for n in 0..3000 {
        let op = RayOp::new(forms[n % 3], Generation::Gfx12, n % 3 != 2 && n % 2 == 0).unwrap();
        let mut word = || random.u32();
        let words = [(); 4].map(|()| word());
        let mut d = BvhDescriptor::decode(&words, Generation::Gfx12);
        if n % 4 == 0 {
            d = BvhDescriptor { is_bvh: true, base: BASE, ..d };
        }
        let registers: Vec<u32> = (0..op.address_dwords()).map(|_| word() >> (n % 20)).collect();
        let _ = run(&op, &d, &registers, &memory);
    }
}
