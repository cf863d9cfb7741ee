//! Kernels that every benchmark has: streams, a fractal, options, sums, histograms.

use super::Size;
use crate::case::{Case, Random};
use half::f16;

/// c = a + b, not a multiple of the workgroup.
pub(super) fn vector_add(size: Size) -> Case {
    let n = size.of((8 << 20) - 13, 1000usize);
    let mut r = Random(1);
    let (a, b) = (r.many(n, |r| r.f32(0.0, 1.0)), r.many(n, |r| r.f32(0.0, 1.0)));
    let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    Case::line("vector_add", n.next_multiple_of(256) as u32, 256).input(&a).input(&b).output(&want).value(n as i32)
}

/// a x + y.
pub(super) fn axpy(size: Size) -> Case {
    let n = size.of((8 << 20) - 16, 1000usize);
    let mut r = Random(2);
    let (x, y, a) = (r.many(n, |r| r.f32(0.0, 1.0)), r.many(n, |r| r.f32(0.0, 1.0)), 1.3f32);
    let want: Vec<f32> = x.iter().zip(&y).map(|(&x, &y)| a.mul_add(x, y)).collect();
    Case::line("axpy", n.next_multiple_of(256) as u32, 256).input(&x).input(&y).output(&want).value(a).value(n as i32)
}

/// The same in f16. Products and sums of f16 are exact in f64, so that one rounding is left.
pub(super) fn axpy_f16(size: Size) -> Case {
    let n = size.of(16 << 20, 1024usize);
    let mut r = Random(3);
    let (x, y, a) = (r.many(n, |r| f16::from_f32(r.f32(0.0, 1.0))), r.many(n, |r| f16::from_f32(r.f32(0.0, 1.0))), 1.5f32);
    let want: Vec<f16> = x.iter().zip(&y).map(|(x, y)| f16::from_f64(f64::from(a) * x.to_f64() + y.to_f64())).collect();
    Case::line("axpy_f16", n as u32 / 2, 256).input(&x).input(&y).output(&want).value(a).value(n as i32 / 2)
}

/// Steps to escape. The kernel's roundings decide, so that they are repeated here.
pub(super) fn fractal(size: Size) -> Case {
    let (w, h, limit) = size.of((1024usize, 1024usize, 512), (50, 30, 40));
    let (left, top, pixel) = (-2.0f32, -1.25f32, 2.5 / h as f32);
    let steps = |x: usize, y: usize| -> i32 {
        let (cx, cy) = ((x as f32).mul_add(pixel, left), (y as f32).mul_add(pixel, top));
        let (mut x, mut y) = (0f32, 0f32);
        for k in 0..limit {
            let (xx, yy) = (x * x, y * y);
            if xx + yy > 4.0 {
                return k;
            }
            y = (2.0 * x).mul_add(y, cy);
            x = (xx - yy) + cx;
        }
        limit
    };
    let want: Vec<i32> = (0..w * h).map(|i| steps(i % w, i / w)).collect();
    Case::grid("fractal", [w.next_multiple_of(16) as u32, h.next_multiple_of(16) as u32, 1], [16, 16, 1])
        .output(&want)
        .value(left)
        .value(top)
        .value(pixel)
        .value(w as i32)
        .value(h as i32)
        .value(limit)
}

/// Calls and puts; the distribution is the kernel's polynomial, in f64.
pub(super) fn blackscholes_f32(size: Size) -> Case {
    let n = size.of(2 << 20, 512usize);
    let mut r = Random(4);
    let (spot, strike, years) = (r.many(n, |r| r.f32(5.0, 30.0)), r.many(n, |r| r.f32(1.0, 100.0)), r.many(n, |r| r.f32(0.25, 10.0)));
    let (rate, volatility) = (0.02f32, 0.3f32);
    let below = |x: f64| {
        let t = 1.0 / (1.0 + 0.2316419 * x.abs());
        let p = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
        let tail = 0.39894228 * (-0.5 * x * x).exp() * p;
        if x < 0.0 { tail } else { 1.0 - tail }
    };
    let (calls, puts) = options(&spot, &strike, &years, f64::from(rate), f64::from(volatility), below);
    Case::line("blackscholes_f32", n as u32, 128)
        .input(&spot)
        .input(&strike)
        .input(&years)
        .near::<f32>(calls, 1e-4, 2e-4)
        .near::<f32>(puts, 1e-4, 2e-4)
        .value(rate)
        .value(volatility)
}

/// Prices of calls and puts after Black and Scholes, with a function for the normal distribution.
pub(super) fn options<T: Copy + Into<f64>>(
    spot: &[T],
    strike: &[T],
    years: &[T],
    rate: f64,
    volatility: f64,
    below: impl Fn(f64) -> f64,
) -> (Vec<f64>, Vec<f64>) {
    let one = |((&s, &k), &t): ((&T, &T), &T)| -> (f64, f64) {
        let (s, k, t): (f64, f64, f64) = (s.into(), k.into(), t.into());
        let spread = volatility * t.sqrt();
        let high = ((s / k).ln() + (rate + 0.5 * volatility * volatility) * t) / spread;
        let (low, discounted) = (high - spread, k * (-rate * t).exp());
        (s * below(high) - discounted * below(low), discounted * below(-low) - s * below(-high))
    };
    spot.iter().zip(strike).zip(years).map(one).unzip()
}

/// One sum for each workgroup, whose order of additions nobody prescribes.
pub(super) fn sum_lds(size: Size) -> Case {
    let (n, groups) = size.of((16 << 20, 256usize), (5000, 3));
    let input = Random(5).many(n, |r| r.f32(0.0, 1.0));
    let mut sums = vec![0f64; groups];
    for (i, &x) in input.iter().enumerate() {
        sums[i / 256 % groups] += f64::from(x);
    }
    Case::line("sum_lds", groups as u32 * 256, 256).input(&input).near::<f32>(sums, 1e-4, 0.0).value(n as i32)
}

/// Counts of bytes.
pub(super) fn hist_lds(size: Size) -> Case {
    let (words, groups) = size.of((8 << 20, 64), (3000usize, 3u32));
    let data = Random(6).many(words, Random::u32);
    let mut bins = [0u32; 256];
    for byte in data.iter().flat_map(|w| w.to_le_bytes()) {
        bins[usize::from(byte)] += 1;
    }
    Case::line("hist_lds", groups * 256, 256).input(&data).output(&bins).value(words as i32)
}
