//! Stencils and noise over grids of floats. The kernels name their operations, so that results are exact.

use super::Size;
use crate::case::{Case, Random};

/// One step of heat with clamped borders.
fn heat(cells: &[f32], w: usize, h: usize, rate: f32) -> Vec<f32> {
    let one = |i: usize| {
        let (x, y) = (i % w, i / w);
        let at = |x: usize, y: usize| cells[y.min(h - 1) * w + x.min(w - 1)];
        let around = (at(x.saturating_sub(1), y) + at(x + 1, y)) + (at(x, y.saturating_sub(1)) + at(x, y + 1));
        rate.mul_add((-4f32).mul_add(cells[i], around), cells[i])
    };
    (0..w * h).map(one).collect()
}

/// One step.
pub(super) fn heat2d(size: Size) -> Case {
    let (w, h) = size.of((4096, 4096), (75usize, 37usize));
    let (input, rate) = (Random(81).many(w * h, |r| r.f32(0.0, 1.0)), 0.2f32);
    let want = heat(&input, w, h, rate);
    Case::grid("heat2d", [w.next_multiple_of(32) as u32, h.next_multiple_of(8) as u32, 1], [32, 8, 1])
        .input(&input)
        .output(&want)
        .value(w as i32)
        .value(h as i32)
        .value(rate)
}

/// Four steps.
pub(super) fn heat2d_lds(size: Size) -> Case {
    let (w, h) = size.of((1024, 1024), (40usize, 24usize));
    let (input, rate) = (Random(82).many(w * h, |r| r.f32(0.0, 1.0)), 0.2f32);
    let want = (0..4).fold(input.clone(), |cells, _| heat(&cells, w, h, rate));
    Case::grid("heat2d_lds", [w as u32 * 2, h as u32 * 2, 1], [16, 16, 1])
        .input(&input)
        .output(&want)
        .value(w as i32)
        .value(h as i32)
        .value(rate)
}

/// Six neighbors; borders are copied.
pub(super) fn stencil7(size: Size) -> Case {
    let n = size.of(192, 32usize);
    let (input, c0, c1) = (Random(83).many(n * n * n, |r| r.f32(0.0, 1.0)), 0.7f32, 0.13f32);
    let one = |i: usize| {
        let inner = |k: usize| (1..n - 1).contains(&k);
        if !(inner(i % n) && inner(i / n % n) && inner(i / n / n)) {
            return input[i];
        }
        let pair = |d: usize| input[i - d] + input[i + d];
        c1.mul_add(pair(1) + pair(n) + pair(n * n), -(input[i] * c0))
    };
    let want: Vec<f32> = (0..n * n * n).map(one).collect();
    let side = n as i32;
    Case::grid("stencil7", [n as u32; 3], [32, 4, 1]).input(&input).output(&want).value(side).value(side).value(side).value(c0).value(c1)
}

/// Six octaves of noise.
pub(super) fn noise(size: Size) -> Case {
    let n = size.of(2048, 64usize);
    let scale = 0.0137f32;
    let corner = |x: i32, y: i32| {
        let mut h = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77);
        h = (h ^ h >> 15).wrapping_mul(0x2c1b_3c6d);
        h = (h ^ h >> 12).wrapping_mul(0x297a_2d39);
        ((h ^ h >> 15) >> 8) as f32 / 16_777_216.0
    };
    let one = |i: usize| {
        let (mut x, mut y) = ((i % n) as f32 * scale, (i / n) as f32 * scale);
        let (mut sum, mut strength) = (0f32, 0.5f32);
        for _ in 0..6 {
            let (tx, ty, ix, iy) = (x - x.floor(), y - y.floor(), x.floor() as i32, y.floor() as i32);
            let smooth = |t: f32| t * t * (-2f32).mul_add(t, 3.0);
            let mix = |t: f32, a: f32, b: f32| t.mul_add(b - a, a);
            let upper = mix(smooth(tx), corner(ix, iy), corner(ix + 1, iy));
            let lower = mix(smooth(tx), corner(ix, iy + 1), corner(ix + 1, iy + 1));
            sum = strength.mul_add(mix(smooth(ty), upper, lower), sum);
            strength *= 0.5;
            x *= 2.0;
            y *= 2.0;
        }
        sum
    };
    let want: Vec<f32> = (0..n * n).map(one).collect();
    Case::grid("noise", [n as u32, n as u32, 1], [32, 4, 1]).output(&want).value(n as i32).value(scale)
}
