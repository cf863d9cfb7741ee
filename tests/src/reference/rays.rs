//! Ray tracing: the nearest triangle of each ray.

use crate::case::{Case, Random};
use wavejit_texture::ray::build::{BoxFormat, Corners, build};

/// A ray: origin, direction.
type Ray = [f32; 6];

/// The nearest triangle by Cramer's rule in f64, over all triangles: its distance and number.
fn cast(triangles: &[Corners], ray: &Ray) -> (f64, u32) {
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let [ox, oy, oz, dx, dy, dz] = ray.map(f64::from);
    let minus_d = [-dx, -dy, -dz];
    let mut best = (f64::INFINITY, u32::MAX);
    for (n, triangle) in triangles.iter().enumerate() {
        let [v0, v1, v2] = triangle.map(|v| v.map(f64::from));
        let (e1, e2, r) = (sub(v1, v0), sub(v2, v0), sub([ox, oy, oz], v0));
        let all = det(minus_d, e1, e2);
        let (t, u, v) = (det(r, e1, e2) / all, det(minus_d, r, e2) / all, det(minus_d, e1, r) / all);
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0 && t < best.0 {
            best = (t, n as u32);
        }
    }
    best
}

/// Rays through scattered triangles, in a hierarchy of f32 boxes.
pub fn trace_rays(_wave: u32) -> Case {
    let mut r = Random(5);
    let mut point = |size: f32| [0; 3].map(|_| r.f32(-size, size));
    let triangles: Vec<Corners> = (0..200)
        .map(|_| {
            let at = point(1.0);
            [0; 3].map(|_| {
                let p = point(0.3);
                [0, 1, 2].map(|axis| at[axis] + p[axis])
            })
        })
        .collect();
    let rays: Vec<Ray> = (0..300)
        .map(|_| {
            let (from, to) = (point(3.0), point(1.0));
            [from[0], from[1], from[2], to[0] - from[0], to[1] - from[1], to[2] - from[2]]
        })
        .collect();
    let bvh = build(&triangles, BoxFormat::F32);
    let nearest: Vec<(f64, u32)> = rays.iter().map(|ray| cast(&triangles, ray)).collect();
    Case::line("trace_rays", 320, 64)
        .input(&bvh.bytes)
        .value(bvh.root)
        .value((bvh.bytes.len() / 64) as u32)
        .input(&rays.concat())
        .close(&[], nearest.iter().map(|n| n.0).collect(), 64.0, 1e-4)
        .output(&nearest.iter().map(|n| n.1).collect::<Vec<u32>>())
        .value(rays.len() as u32)
}
