//! Kernels that stream through memory.

use crate::case::{Case, Random};

/// out = a + scale * b, fused.
pub fn triad(_wave: u32) -> Case {
    let (n, scale) = (1000, 1.7f32);
    let mut r = Random(1);
    let (a, b) = (r.many(n, |r| r.f32(-9.0, 9.0)), r.many(n, |r| r.f32(-2.0, 2.0)));
    let want: Vec<f32> = (0..n).map(|i| scale.mul_add(b[i], a[i])).collect();
    Case::line("triad", 1024, 256).output(&want).input(&a).input(&b).value(scale).value(n as i32)
}

/// Saturating add to bytes, by a grid smaller than the data.
pub fn brighten(_wave: u32) -> Case {
    let (n, delta) = (5003, -77i8);
    let before = Random(2).many(n, |r| r.u32() as u8);
    let want: Vec<u8> = before.iter().map(|&p| (i32::from(p) + i32::from(delta)).clamp(0, 255) as u8).collect();
    Case::line("brighten", 384, 128).update(&before, &want).value(delta).value(n as u64)
}

/// Five-point stencil, edges clamped.
pub fn stencil5(_wave: u32) -> Case {
    let (w, h) = (61usize, 37usize);
    let input = Random(3).many(w * h, |r| r.f32(-1.0, 1.0));
    let at = |x: usize, y: usize| input[y * w + x];
    let mut want = Vec::new();
    for y in 0..h {
        for x in 0..w {
            let (xl, xr, yu, yd) = (x.saturating_sub(1), (x + 1).min(w - 1), y.saturating_sub(1), (y + 1).min(h - 1));
            let sum = at(xl, y) + at(xr, y) + at(x, yu) + at(x, yd);
            want.push(0.5 * at(x, y) + 0.125 * sum);
        }
    }
    Case::grid("stencil5", [64, 40, 1], [16, 8, 1]).input(&input).output(&want).value(w as i32).value(h as i32)
}

/// y = a * x + y + (the mirrored y of the block), through LDS, from HIP C++.
pub fn hip_saxpy(_wave: u32) -> Case {
    let (n, a) = (500usize, 0.75f32);
    let mut r = Random(4);
    let (y, x) = (r.many(n, |r| r.f32(-1.0, 1.0)), r.many(n, |r| r.f32(-1.0, 1.0)));
    let tile = |i: usize| if i < n { x[i] } else { 0.0 };
    let want: Vec<f32> = (0..n).map(|i| a.mul_add(x[i], y[i] + tile(i / 128 * 128 + 127 - i % 128))).collect();
    Case::line("hip_saxpy", 512, 128).update(&y, &want).input(&x).value(a).value(n as i32)
}
