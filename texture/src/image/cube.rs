//! Texels beyond the edges of cube faces.
//!
//! Faces are +X, -X, +Y, -Y, +Z, -Z; on each, i grows with the coordinate that v_cubesc gives and j with that of v_cubetc. A texel outside
//! is found by its direction from the center of the cube, in whole numbers: with n texels a side, texel (i, j) has the coordinates
//! (2i + 1 - n, 2j + 1 - n) on a face at distance n.
//!
//! Reference: the cube instructions of the RDNA3 ISA; seamless filtering as in the Direct3D 11.3 functional specification.

/// Direction of texel center (i, j) of a face of n texels a side.
fn direction(face: u32, i: i32, j: i32, n: i32) -> [i32; 3] {
    let (s, t) = (2 * i + 1 - n, 2 * j + 1 - n);
    match face {
        0 => [n, -t, -s],
        1 => [-n, -t, s],
        2 => [s, n, t],
        3 => [s, -n, -t],
        4 => [s, -t, n],
        _ => [-s, -t, -n],
    }
}

/// The face a direction goes through, with its two coordinates and the length along the major axis.
fn face_of([x, y, z]: [i32; 3]) -> (u32, i32, i32, i32) {
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0 { (5, -x, -y, -z) } else { (4, x, -y, z) }
    } else if y.abs() >= x.abs() {
        if y < 0 { (3, x, -z, -y) } else { (2, x, z, y) }
    } else if x < 0 {
        (1, z, -y, -x)
    } else {
        (0, -z, -y, x)
    }
}

/// Face, i and j of the texel at (i, j) of a face, at most one texel outside of it in one direction. `None`: outside in both, where three
/// faces meet and there is no texel.
pub fn neighbor(face: u32, i: i32, j: i32, n: i32) -> Option<(u32, i32, i32)> {
    let (i_inside, j_inside) = ((0..n).contains(&i), (0..n).contains(&j));
    if i_inside && j_inside {
        return Some((face, i, j));
    }
    if !i_inside && !j_inside {
        return None;
    }
    let (face, s, t, major) = face_of(direction(face, i, j, n));
    let texel = |c: i32| {
        let (c, n, major) = (i64::from(c), i64::from(n), i64::from(major));
        ((c * n + n * major).div_euclid(2 * major)).clamp(0, n - 1) as i32
    };
    Some((face, texel(s), texel(t)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_leads_to_a_neighbor_and_back() {
        for n in [1, 2, 5, 64] {
            for face in 0..6 {
                for k in 0..n {
                    for (i, j) in [(-1, k), (n, k), (k, -1), (k, n)] {
                        let (other, a, b) = neighbor(face, i, j, n).unwrap();
                        assert!(other != face && other != face ^ 1, "an edge leads neither back nor to the opposite face");
                        assert!(a == 0 || b == 0 || a == n - 1 || b == n - 1, "the texel lies at an edge");
                        // From there one of the four steps outward comes back to the texel the step came from.
                        let from = (face, i.clamp(0, n - 1), j.clamp(0, n - 1));
                        let back = [(a - 1, b), (a + 1, b), (a, b - 1), (a, b + 1)].map(|(a, b)| neighbor(other, a, b, n));
                        assert!(back.contains(&Some(from)), "face {face} {i} {j} of {n}: {other} {a} {b}");
                    }
                }
            }
        }
    }

    // images.md 2.4: direction (1, 0, 0) is the center of face 0; (-2, 1, -4) is face 5 at sc = 2, tc = -1
    #[test]
    fn faces_are_those_of_the_cube_instructions() {
        assert_eq!(face_of([1, 0, 0]), (0, 0, 0, 1));
        assert_eq!(face_of([-2, 1, -4]), (5, 2, -1, 4));
        for face in 0..6 {
            let (f, s, t, major) = face_of(direction(face, 2, 1, 8));
            assert_eq!((f, s, t, major), (face, -3, -5, 8));
        }
        assert_eq!(neighbor(0, -1, 8, 8), None);
    }
}
