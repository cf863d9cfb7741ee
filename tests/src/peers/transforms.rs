//! Fourier transforms, here by recursion in f64.

use super::Size;
use crate::case::{Case, Random};
use std::f64::consts::TAU;

fn transform(x: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let n = x.len();
    if n == 1 {
        return x.to_vec();
    }
    let half = |odd: usize| transform(&x.iter().copied().skip(odd).step_by(2).collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let mut out = vec![[0.0; 2]; n];
    for k in 0..n / 2 {
        let (s, c) = (-TAU * k as f64 / n as f64).sin_cos();
        let t = [odd[k][0] * c - odd[k][1] * s, odd[k][0] * s + odd[k][1] * c];
        out[k] = [even[k][0] + t[0], even[k][1] + t[1]];
        out[k + n / 2] = [even[k][0] - t[0], even[k][1] - t[1]];
    }
    out
}

fn signals(kernel: &'static str, points: usize, groups: usize, lanes: u32) -> Case {
    let input: Vec<[f32; 2]> = Random(121).many(points * groups, |r| [r.f32(-0.5, 0.5), r.f32(-0.5, 0.5)]);
    let wide: Vec<[f64; 2]> = input.iter().map(|x| x.map(f64::from)).collect();
    let want = wide.chunks(points).flat_map(transform).flatten().collect();
    Case::line(kernel, groups as u32 * lanes, lanes).input(&input).near::<f32>(want, 1e-4, 2e-4)
}

/// 512 points, radix 2.
pub(super) fn fft2_lds(size: Size) -> Case {
    signals("fft2_lds", 512, size.of(2048, 2), 256)
}

/// 256 points, radix 4, with a table of factors.
pub(super) fn fft4_lds(size: Size) -> Case {
    let factor = |k: i32| (-TAU * f64::from(k) / 256.0).sin_cos();
    let factors: Vec<[f32; 2]> = (0..256).map(factor).map(|(s, c)| [c as f32, s as f32]).collect();
    signals("fft4_lds", 256, size.of(4096, 3), 64).input(&factors)
}
