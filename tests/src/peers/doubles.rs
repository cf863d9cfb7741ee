//! f64: gravity, oscillators, options, LU decomposition.

use super::Size;
use super::common::options;
use crate::case::{Case, Random};

/// Gravity among all pairs; square roots and divisions are correctly rounded everywhere, but a sum may cancel.
pub(super) fn nbody_f64(size: Size) -> Case {
    let n = size.of(8192, 128usize);
    let bodies: Vec<[f64; 4]> = Random(11).many(n, |r| [r.f64(-1.0, 1.0), r.f64(-1.0, 1.0), r.f64(-1.0, 1.0), r.f64(0.0, 1.0)]);
    let softening = 0.01;
    let mut want = Vec::new();
    for p in &bodies {
        let mut pull = [0f64; 4];
        for q in &bodies {
            let [dx, dy, dz] = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
            let squared = dx * dx + dy * dy + dz * dz + softening;
            let force = q[3] / (squared * squared.sqrt());
            pull[0] += dx * force;
            pull[1] += dy * force;
            pull[2] += dz * force;
        }
        want.extend(pull);
    }
    Case::line("nbody_f64", n as u32, 64).input(&bodies).near::<f64>(want, 1e-10, 1e-8).value(n as i32).value(softening)
}

/// Coupled oscillators.
pub(super) fn kuramoto_f64(size: Size) -> Case {
    let n = size.of(4096, 64usize);
    let phase = Random(12).many(n, |r| r.f64(0.0, std::f64::consts::TAU));
    let second = 0.25;
    let drift = |mine: f64| phase.iter().map(|p| (p - mine).sin_cos()).map(|(s, c)| s * (1.0 + second * c)).sum::<f64>() / n as f64;
    let want: Vec<f64> = phase.iter().map(|&p| drift(p)).collect();
    Case::line("kuramoto_f64", n as u32, 64).input(&phase).near::<f64>(want, 1e-10, 1e-12).value(n as i32).value(second)
}

/// Calls and puts.
pub(super) fn blackscholes_f64(size: Size) -> Case {
    let n = size.of(1 << 20, 256usize);
    let mut r = Random(13);
    let (spot, strike, years) = (r.many(n, |r| r.f64(5.0, 30.0)), r.many(n, |r| r.f64(1.0, 100.0)), r.many(n, |r| r.f64(0.25, 10.0)));
    let (rate, volatility) = (0.02, 0.3);
    let (calls, puts) = options(&spot, &strike, &years, rate, volatility, below);
    Case::line("blackscholes_f64", n as u32, 128)
        .input(&spot)
        .input(&strike)
        .input(&years)
        .near::<f64>(calls, 1e-10, 1e-10)
        .near::<f64>(puts, 1e-10, 1e-10)
        .value(rate)
        .value(volatility)
}

/// The normal distribution: a series of positive terms in the middle (Abramowitz and Stegun, 26.2.11), a continued fraction at the ends (26.2.14).
fn below(x: f64) -> f64 {
    let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    if x.abs() < 5.0 {
        let (mut term, mut sum) = (x, x);
        for k in 1..120 {
            term *= x * x / f64::from(2 * k + 1);
            sum += term;
        }
        return 0.5 + density * sum;
    }
    let fraction = (1..60).rev().fold(x.abs(), |f, k| x.abs() + f64::from(k) / f);
    if x < 0.0 { density / fraction } else { 1.0 - density / fraction }
}

/// 6x6 matrices that need no pivots: the diagonal outweighs the rest.
pub(super) fn lu_f64(size: Size) -> Case {
    const N: usize = 6;
    let count = size.of(1 << 17, 192usize);
    let mut r = Random(14);
    let input: Vec<f64> = (0..N * N * count).map(|i| r.f64(0.0, 1.0) + if (i / count).is_multiple_of(N + 1) { 6.0 } else { 0.0 }).collect();
    let mut want = input.clone();
    for me in 0..count {
        let at = |r: usize, c: usize| (r * N + c) * count + me;
        for k in 0..N {
            for r in k + 1..N {
                want[at(r, k)] /= want[at(k, k)];
                for c in k + 1..N {
                    want[at(r, c)] = (-want[at(r, k)]).mul_add(want[at(k, c)], want[at(r, c)]);
                }
            }
        }
    }
    Case::line("lu_f64", count as u32, 64).input(&input).output(&want).value(count as i32)
}
