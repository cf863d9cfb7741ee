//! Clipping: what of a primitive is in front of the eye, between near and far, inside the user's planes and not too far outside the viewport.
//!
//! A corner keeps its weights of the original corners; attributes are never clipped, since I and J of what is left are those of the whole
//! triangle (graphics.md 5.2). Most primitives are inside everything and only tested: [`outcode`].

use crate::registers::raster::RasterState;

/// A corner of what is left of a primitive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Corner {
    /// x, y, z, w.
    pub position: [f64; 4],
    /// How much of each original corner is in it.
    pub weights: [f64; 3],
}

/// Least w of what is left of a primitive that reaches behind the eye.
const LEAST_W: f64 = 1.0 / (1u64 << 30) as f64;

/// Planes that a corner may be outside of, as bits.
pub(crate) mod outside {
    /// w is not positive.
    pub(crate) const EYE: u32 = 1;
    pub(crate) const NEAR: u32 = 1 << 1;
    pub(crate) const FAR: u32 = 1 << 2;
    /// Left, right, above, below the guard band.
    pub(crate) const GUARD: u32 = 0xf << 3;
    /// Left, right, above, below what is worth drawing: primitives all outside one of these are dropped.
    pub(crate) const DISCARD: u32 = 0xf << 7;
    /// Clip distances that are negative, one bit each.
    pub(crate) const USER: u32 = 0xff << 11;
    /// Not a number, or infinite: never drawn.
    pub(crate) const INVALID: u32 = 1 << 31;
    /// Primitives with all corners outside one of these are not drawn.
    pub(crate) const DROPS: u32 = EYE | NEAR | FAR | DISCARD | USER;
    /// Primitives with a corner outside one of these are cut.
    pub(crate) const CUTS: u32 = EYE | NEAR | FAR | GUARD | USER;
}

/// What a vertex is outside of.
pub(crate) fn outcode(state: &RasterState, position: [f32; 4], distances: &[f32; 8]) -> u32 {
    let [x, y, z, w] = position;
    if !position.iter().all(|v| v.is_finite()) {
        return outside::INVALID;
    }
    let bit = |condition: bool, bit: u32| if condition { bit } else { 0 };
    let mut code = bit(w <= 0.0, outside::EYE);
    if state.clip_disabled {
        return code;
    }
    let near = if state.near_is_zero { z < 0.0 } else { z < -w };
    code |= bit(near && state.clips_depth[0], outside::NEAR) | bit(z > w && state.clips_depth[1], outside::FAR);
    let [gx, gy] = state.guard_clip.map(|g| g * w);
    let [dx, dy] = state.guard_discard.map(|g| g * w);
    code |= bit(x < -gx, 1 << 3) | bit(x > gx, 1 << 4) | bit(y < -gy, 1 << 5) | bit(y > gy, 1 << 6);
    code |= bit(x < -dx, 1 << 7) | bit(x > dx, 1 << 8) | bit(y < -dy, 1 << 9) | bit(y > dy, 1 << 10);
    let mut user = u32::from(state.clip_distances);
    while user != 0 {
        let n = user.trailing_zeros();
        code |= bit(is_outside(distances[n as usize]), 1 << (11 + n));
        user &= user - 1;
    }
    code
}

/// A distance that is negative, or not a number.
fn is_outside(distance: f32) -> bool {
    distance < 0.0 || distance.is_nan()
}

/// Is a primitive dropped since one of its cull distances is negative at all its corners?
pub(crate) fn is_culled(mask: u8, corners: &[&[f32; 8]]) -> bool {
    (0..8).any(|n| mask >> n & 1 != 0 && corners.iter().all(|d| is_outside(d[n])))
}

/// Cuts a polygon (or a line of two corners) at the planes that `code` names. `distances`: of the original corners. What is left may be nothing.
pub(crate) fn clip(state: &RasterState, code: u32, distances: [&[f32; 8]; 3], polygon: &mut Vec<Corner>) {
    let mut at = |plane: &dyn Fn(&Corner) -> f64| cut(polygon, plane);
    if code & outside::EYE != 0 {
        at(&|c| c.position[3] - LEAST_W);
    }
    if code & outside::NEAR != 0 {
        at(&|c| if state.near_is_zero { c.position[2] } else { c.position[2] + c.position[3] });
    }
    if code & outside::FAR != 0 {
        at(&|c| c.position[3] - c.position[2]);
    }
    // Cutting at w may have brought corners far outside the guard band.
    let guard = if code & outside::EYE != 0 { outside::GUARD } else { code & outside::GUARD };
    for side in 0..4 {
        if guard >> (3 + side) & 1 != 0 {
            let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
            let factor = f64::from(state.guard_clip[axis]);
            at(&|c| factor * c.position[3] + sign * c.position[axis]);
        }
    }
    for n in (0..8).filter(|n| code >> (11 + n) & 1 != 0) {
        at(&|c| c.weights.iter().zip(distances).map(|(weight, d)| weight * f64::from(d[n])).sum());
    }
}

/// Leaves of a polygon what is not negative.
fn cut(polygon: &mut Vec<Corner>, plane: impl Fn(&Corner) -> f64) {
    let values: Vec<f64> = polygon.iter().map(&plane).collect();
    let corners = std::mem::take(polygon);
    let count = corners.len();
    // A line has one side, and not two.
    let sides = if count == 2 { 1 } else { count };
    for n in 0..count {
        let next = (n + 1) % count;
        if values[n] >= 0.0 {
            polygon.push(corners[n]);
        }
        let crosses = (values[n] >= 0.0) != (values[next] >= 0.0);
        if n < sides && crosses {
            let t = values[n] / (values[n] - values[next]);
            let mix = |a: f64, b: f64| a + (b - a) * t;
            polygon.push(Corner {
                position: std::array::from_fn(|d| mix(corners[n].position[d], corners[next].position[d])),
                weights: std::array::from_fn(|d| mix(corners[n].weights[d], corners[next].weights[d])),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::tests::state;

    fn polygon(positions: &[[f64; 4]]) -> Vec<Corner> {
        let corner = |(n, p): (usize, &[f64; 4])| Corner { position: *p, weights: std::array::from_fn(|k| f64::from(u8::from(k == n))) };
        positions.iter().enumerate().map(corner).collect()
    }

    const NONE: [f32; 8] = [0.0; 8];

    // graphics.md 5.2: a triangle through the near plane; what is left has z >= 0, and its weights make its corners.
    #[test]
    fn what_is_left_is_in_front_and_a_mix_of_the_corners() {
        let state = state();
        let whole = [[0.0, 0.0, -1.0, 1.0], [1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 1.0, 2.0]];
        let mut left = polygon(&whole);
        clip(&state, outside::NEAR, [&NONE; 3], &mut left);
        assert_eq!(left.len(), 4);
        for corner in &left {
            assert!(corner.position[2] >= 0.0);
            for (d, value) in corner.position.iter().enumerate() {
                let mixed: f64 = (0..3).map(|k| corner.weights[k] * whole[k][d]).sum();
                assert!((mixed - value).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_triangle_behind_the_eye_is_cut_where_w_is_positive() {
        let mut left = polygon(&[[0.0, 0.0, 0.5, -1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0]]);
        clip(&state(), outside::EYE, [&NONE; 3], &mut left);
        assert!(left.len() >= 3 && left.iter().all(|c| c.position[3] > 0.0));
    }

    // graphics.md 4.4: CLIP_DIST_ENA clips by distance, CULL_DIST_ENA drops, a NaN is negative.
    #[test]
    fn distances_of_the_user_clip_and_cull() {
        let mut some = state();
        some.clip_distances = 2;
        let code = |d: f32| outcode(&some, [0.0, 0.0, 0.5, 1.0], &[0.0, d, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((code(0.0), code(-1.0), code(f32::NAN)), (0, 1 << 12, 1 << 12));
        let (plus, minus) = ([1.0; 8], [-1.0, f32::NAN, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]);
        assert!(is_culled(2, &[&minus, &minus]) && !is_culled(2, &[&minus, &plus]) && !is_culled(0, &[&minus]));
        let mut line = polygon(&[[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]);
        let d = |v: f32| [0.0, v, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        clip(&some, 1 << 12, [&d(-1.0), &d(3.0), &NONE], &mut line);
        assert_eq!(line.len(), 2);
        assert!((line[0].position[0] - 0.25).abs() < 1e-12 && line[1].position[0] == 1.0);
    }

    #[test]
    fn positions_that_are_not_numbers_are_never_drawn() {
        assert_eq!(outcode(&state(), [f32::NAN, 0.0, 0.0, 1.0], &NONE), outside::INVALID);
        assert_eq!(outcode(&state(), [0.0, f32::INFINITY, 0.0, 1.0], &NONE), outside::INVALID);
    }
}
