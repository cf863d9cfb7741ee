//! Points: gravity, neighbors, clusters.

use super::Size;
use crate::case::{Case, Random};

/// Gravity among all pairs.
pub(super) fn nbody_f32(size: Size) -> Case {
    let n = size.of(8192, 256usize);
    let bodies: Vec<[f32; 4]> = Random(111).many(n, |r| [r.f32(-1.0, 1.0), r.f32(-1.0, 1.0), r.f32(-1.0, 1.0), r.f32(0.0, 1.0)]);
    let softening = 0.01f32;
    let mut want = Vec::new();
    for p in &bodies {
        let mut pull = [0f64; 4];
        for q in &bodies {
            let d: [f64; 3] = std::array::from_fn(|i| f64::from(q[i]) - f64::from(p[i]));
            let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + f64::from(softening);
            let force = f64::from(q[3]) / (squared * squared.sqrt());
            (0..3).for_each(|i| pull[i] += d[i] * force);
        }
        want.extend(pull);
    }
    // sums of up to 8192 terms with both signs
    Case::line("nbody_f32", n as u32, 128).input(&bodies).near::<f32>(want, 1e-3, 0.05).value(n as i32).value(softening)
}

/// The nearest center of each point.
pub(super) fn kmeans_assign(size: Size) -> Case {
    let (count, clusters) = size.of(((1 << 20) - 7, 32), (300usize, 9));
    let mut r = Random(112);
    let (points, centers) = (r.many(8 * count, |r| r.f32(0.0, 1.0)), r.many(8 * clusters, |r| r.f32(0.0, 1.0)));
    let one = |me: usize| {
        let mut best = (f32::MAX, 0);
        for (c, center) in centers.chunks(8).enumerate() {
            let mut distance = 0f32;
            for (d, x) in center.iter().enumerate() {
                let apart = points[d * count + me] - x;
                distance = apart.mul_add(apart, distance);
            }
            if distance < best.0 {
                best = (distance, c as i32);
            }
        }
        best.1
    };
    let want: Vec<i32> = (0..count).map(one).collect();
    Case::line("kmeans_assign", count.next_multiple_of(128) as u32, 128)
        .input(&points)
        .input(&centers)
        .output(&want)
        .value(count as i32)
        .value(clusters as i32)
}

/// The nearest point of each query.
pub(super) fn nearest(size: Size) -> Case {
    let (count, queries) = size.of((8192, 8192), (256usize, 128usize));
    let mut r = Random(113);
    let mut places = |n: usize| -> Vec<[f32; 4]> { r.many(n, |r| [r.f32(0.0, 1.0), r.f32(0.0, 1.0), r.f32(0.0, 1.0), 0.0]) };
    let (points, wanted) = (places(count), places(queries));
    let (mut found, mut squares) = (Vec::new(), Vec::new());
    for q in &wanted {
        let mut best = (f32::MAX, -1);
        for (k, p) in points.iter().enumerate() {
            let [dx, dy, dz] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
            let square = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
            if square < best.0 {
                best = (square, k as i32);
            }
        }
        squares.push(best.0);
        found.push(best.1);
    }
    Case::line("nearest", queries as u32, 128).input(&points).input(&wanted).output(&found).output(&squares).value(count as i32)
}

/// Lennard-Jones forces. Atoms stand on a jittered lattice, as in a liquid: none are very near, and none of the distances are at the cutoff.
pub(super) fn md_lj(size: Size) -> Case {
    let (side, each) = size.of((40, 64), (6usize, 16usize));
    let count = (side * side * side).next_multiple_of(128);
    let mut r = Random(114);
    let atoms: Vec<[f32; 4]> = (0..count)
        .map(|i| [i % side, i / side % side, i / side / side].map(|k| k as f32 * 1.2 + r.f32(-0.1, 0.1)))
        .map(|[x, y, z]| [x, y, z, 0.0])
        .collect();
    let cutoff = 6.25f32;
    let mut neighbors = vec![0i32; each * count];
    let mut want = Vec::new();
    for (me, p) in atoms.iter().enumerate() {
        let mut force = [0f64; 4];
        for k in 0..each {
            // near by in the list, where most are near by in space, too
            let other = (me + 1 + r.below(3 * side as u32) as usize) % count;
            let d: [f64; 3] = std::array::from_fn(|i| f64::from(p[i]) - f64::from(atoms[other][i]));
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let other = if (square - f64::from(cutoff)).abs() < 1e-3 { (me + 1) % count } else { other };
            neighbors[k * count + me] = other as i32;
            let d: [f64; 3] = std::array::from_fn(|i| f64::from(p[i]) - f64::from(atoms[other][i]));
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if square < f64::from(cutoff) {
                let sixth = square.powi(-3);
                let strength = sixth / square * (1.5 * sixth - 2.0);
                (0..3).for_each(|i| force[i] += d[i] * strength);
            }
        }
        want.extend(force);
    }
    Case::line("md_lj", count as u32, 128)
        .input(&atoms)
        .input(&neighbors)
        .near::<f32>(want, 1e-4, 1e-3)
        .value(count as i32)
        .value(each as i32)
        .value(cutoff)
}
