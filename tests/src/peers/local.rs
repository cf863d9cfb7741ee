//! Workgroups that meet in local memory: sorting, scans, alignment, trees; and what 32 lanes do among themselves.

use super::Size;
use crate::case::{Case, Random};

/// 512 keys each.
pub(super) fn bitonic_lds(size: Size) -> Case {
    let groups = size.of(1024, 2usize);
    let input = Random(91).many(groups * 512, Random::u32);
    let mut want = input.clone();
    want.chunks_mut(512).for_each(<[u32]>::sort_unstable);
    Case::line("bitonic_lds", groups as u32 * 256, 256).input(&input).output(&want)
}

/// Running sums, the element included.
fn running(input: &[u32]) -> Vec<u32> {
    input.iter().scan(0u32, |sum, x| Some(*sum).map(|s| s.wrapping_add(*x)).inspect(|s| *sum = *s)).collect()
}

/// 256 each, the element included.
pub(super) fn scan_hs(size: Size) -> Case {
    let groups = size.of(1 << 14, 3usize);
    let input = Random(92).many(groups * 256, Random::u32);
    let want: Vec<u32> = input.chunks(256).flat_map(running).collect();
    Case::line("scan_hs", groups as u32 * 256, 256).input(&input).output(&want)
}

/// 512 each, the element excluded, and the totals.
pub(super) fn scan_blelloch(size: Size) -> Case {
    let groups = size.of(2048, 3usize);
    let input = Random(93).many(groups * 512, Random::u32);
    let sums: Vec<u32> = input.chunks(512).flat_map(running).collect();
    let want: Vec<u32> = sums.iter().zip(&input).map(|(s, x)| s.wrapping_sub(*x)).collect();
    let totals: Vec<u32> = sums.chunks(512).map(|c| c[511]).collect();
    Case::line("scan_blelloch", groups as u32 * 256, 256).input(&input).output(&want).output(&totals)
}

/// Scan and maximum of 32, again and again.
pub(super) fn subgroup_stats(size: Size) -> Case {
    let (n, rounds) = (size.of(1 << 20, 512usize), 8);
    let input = Random(94).many(n, Random::u32);
    let (mut sums, mut peaks) = (Vec::new(), Vec::new());
    for chunk in input.chunks(32) {
        let (mut v, mut last, mut peak) = (chunk.to_vec(), Vec::new(), 0);
        for _ in 0..rounds {
            last = running(&v);
            peak = v.iter().copied().max().unwrap_or(0);
            v = v.iter().zip(&last).map(|(v, s)| (v ^ s).wrapping_add(peak.wrapping_mul(3))).collect();
        }
        sums.extend(last);
        peaks.push(peak);
    }
    Case::line("subgroup_stats", n as u32, 256).input(&input).output(&sums).output(&peaks).value(rounds)
}

/// Scores of pairs of strings.
pub(super) fn nw_lds(size: Size) -> Case {
    const N: usize = 64;
    let groups = size.of(2048, 2usize);
    let mut r = Random(95);
    let (left, top) = (r.many(groups * N, |r| b'A' + r.below(4) as u8), r.many(groups * N, |r| b'A' + r.below(4) as u8));
    let (same, differs, gap) = (3i32, -1i32, -2i32);
    let score = |(left, top): (&[u8], &[u8])| {
        let mut row: Vec<i32> = (0..=N as i32).map(|k| k * gap).collect();
        for l in left {
            let mut corner = row[0];
            row[0] += gap;
            for (k, t) in top.iter().enumerate() {
                let step = corner + if l == t { same } else { differs };
                corner = row[k + 1];
                row[k + 1] = step.max(row[k].max(corner) + gap);
            }
        }
        row[N]
    };
    let want: Vec<i32> = left.chunks(N).zip(top.chunks(N)).map(score).collect();
    Case::line("nw_lds", (groups * N) as u32, N as u32).input(&left).input(&top).output(&want).value(same).value(differs).value(gap)
}

/// American puts by binomial trees of 255 steps (Cox, Ross, Rubinstein).
pub(super) fn binomial_lds(size: Size) -> Case {
    const N: usize = 256;
    let groups = size.of(1024, 1usize);
    let spot = Random(96).many(groups, |r| r.f32(80.0, 120.0));
    let (strike, rate, volatility, step) = (100f32, 0.05f64, 0.25f64, 1.0 / 255.0);
    let rise = (volatility * f64::sqrt(step)) as f32;
    let (u, d) = (f64::from(rise).exp(), (-f64::from(rise)).exp());
    let chance = ((rate * step).exp() - d) / (u - d);
    let (up, down) = ((chance * (-rate * step).exp()) as f32, ((1.0 - chance) * (-rate * step).exp()) as f32);
    let price = |s0: &f32| {
        let node = |steps: usize, ups: usize| f64::from(*s0) * (f64::from(rise) * (2.0 * ups as f64 - steps as f64)).exp();
        let mut value: Vec<f64> = (0..N).map(|k| (f64::from(strike) - node(N - 1, k)).max(0.0)).collect();
        for steps in (0..N - 1).rev() {
            for k in 0..=steps {
                let held = f64::from(up) * value[k + 1] + f64::from(down) * value[k];
                value[k] = held.max(f64::from(strike) - node(steps, k));
            }
        }
        value[0]
    };
    let want = spot.iter().map(price).collect();
    Case::line("binomial_lds", (groups * N) as u32, N as u32)
        .input(&spot)
        .near::<f32>(want, 1e-3, 1e-3)
        .value(strike)
        .value(rise)
        .value(up)
        .value(down)
}

/// Rows of probabilities.
pub(super) fn softmax_rows(size: Size) -> Case {
    let (rows, width) = size.of((4096, 1024), (3usize, 200usize));
    let input = Random(97).many(rows * width, |r| r.f32(0.0, 10.0));
    let row = |row: &[f32]| -> Vec<f64> {
        let peak = row.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f64> = row.iter().map(|x| f64::from(x - peak).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.iter().map(|p| p / sum).collect()
    };
    let want = input.chunks(width).flat_map(row).collect();
    Case::line("softmax_rows", rows as u32 * 128, 128).input(&input).near::<f32>(want, 1e-4, 1e-9).value(width as i32)
}
