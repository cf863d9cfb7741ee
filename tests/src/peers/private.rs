//! What a lane keeps to itself: scratch, indexed registers, halves.

use super::Size;
use crate::case::{Case, Random};
use half::f16;

/// 64 numbers sorted by each lane.
pub(super) fn scratch_heap(size: Size) -> Case {
    let count = size.of(1 << 15, 128usize);
    let input = Random(31).many(64 * count, Random::u32);
    let mut want = vec![0; input.len()];
    for me in 0..count {
        let mut mine: Vec<u32> = (0..64).map(|k| input[k * count + me]).collect();
        mine.sort_unstable();
        mine.iter().enumerate().for_each(|(k, &x)| want[k * count + me] = x);
    }
    Case::line("scratch_heap", count as u32, 64).input(&input).output(&want).value(count as i32)
}

/// A ring of 16 floats.
pub(super) fn movrel_ring(size: Size) -> Case {
    let (count, steps) = size.of((1 << 14, 256), (128usize, 50));
    let input = Random(32).many(16 * count, |r| r.f32(0.0, 1.0));
    let one = |me: usize| {
        let mut ring: [f32; 16] = std::array::from_fn(|k| input[k * count + me]);
        let mut head = 0;
        for _ in 0..steps {
            let near = ring[(head + 10) % 16].mul_add(0.25, ring[head] * 0.375);
            ring[head] = ring[(head + 7) % 16].mul_add(0.375, near);
            head = (head + 5) % 16;
        }
        ring.iter().fold(0f32, |sum, &x| sum.mul_add(0.9375, x))
    };
    let want: Vec<f32> = (0..count).map(one).collect();
    Case::line("movrel_ring", count as u32, 64).input(&input).output(&want).value(count as i32).value(steps)
}

/// A polynomial in halves: each operation is exact in f64 and rounded once, so that nothing else is right; but a library may use f32 throughout.
pub(super) fn half_horner(size: Size) -> Case {
    let (n, rounds) = size.of((1 << 16, 32), (256usize, 5));
    let input = Random(33).many(n * 2, |r| f16::from_f32(r.f32(-1.0, 1.0)));
    let fma = |a: f16, b: f16, c: f64| f16::from_f64(a.to_f64() * b.to_f64() + c);
    let one = |x: f16| {
        let mut y = x;
        for _ in 0..rounds {
            let mut p = fma(y, f16::from_f32(0.0625), -0.25);
            for c in [0.5, -0.75, 0.875] {
                p = fma(p, y, c);
            }
            let product = f16::from_f64(p.to_f64() * x.to_f64());
            y = f16::from_f64((f16::from_f64(product.to_f64() + 0.125)).to_f64().clamp(-1.0, 1.0));
        }
        y.to_f64()
    };
    let want = input.chunks(2).map(|pair| one(pair[0]) * one(pair[1])).flat_map(|product| [product; 2]).collect();
    Case::line("half_horner", n as u32, 256).input(&input).near::<f16>(want, 0.02, 0.01).value(rounds)
}
