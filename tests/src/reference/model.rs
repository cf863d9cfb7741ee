//! The model kernels of the benches, at a size for tests: a wrong kernel is not worth timing.

use crate::case::{Case, Random};

/// K1: mandelbrot steps in the lanes whose bit is set.
pub fn model_k1(_wave: u32) -> Case {
    let (n, steps, lanes) = (64u32, 20u32, 0x8f0f_f0a5u32);
    let (cr, ci) = (-0.4f32, 0.59f32);
    let before: Vec<[f32; 2]> = Random(61).many(n as usize, |r| [r.f32(-0.5, 0.5), r.f32(-0.5, 0.5)]);
    let mut want = before.clone();
    for (i, z) in want.iter_mut().enumerate().filter(|(i, _)| lanes >> (i & 31) & 1 == 1) {
        let _ = i;
        for _ in 0..steps {
            let [x, y] = *z;
            let yy = y * y;
            if x.mul_add(x, yy) > 1e30 {
                break;
            }
            *z = [x.mul_add(x, cr - yy), (x + x).mul_add(y, ci)];
        }
    }
    Case::line("model_k1", n, 32).update(&before, &want).value(cr).value(ci).value(steps).value(lanes)
}

/// K2: an 8 x 8 block of products per lane; the final weighted sum is contracted to fused multiply-adds in order.
pub fn model_k2(_wave: u32) -> Case {
    let steps = 7usize;
    let input: Vec<[f32; 4]> = Random(62).many(512, |r| std::array::from_fn(|_| r.f32(-1.0, 1.0)));
    let mut want = Vec::new();
    for l in 0..32usize {
        let mut s = [[0f32; 8]; 8];
        for k in 0..steps {
            let (pa, pb) = (((l & 6) + 8 * k) & 255, ((l >> 1 & 6) + 8 * k) & 255);
            let take = |p: usize, i: usize| input[p + i / 4][i % 4];
            for (y, row) in s.iter_mut().enumerate() {
                for (x, sum) in row.iter_mut().enumerate() {
                    *sum = take(pa, y).mul_add(take(256 + pb, x), *sum);
                }
            }
        }
        want.push(s.iter().flatten().enumerate().fold(0f32, |sum, (i, v)| v.mul_add((i + 1) as f32, sum)));
    }
    Case::line("model_k2", 32, 32).input(&input).output(&want).value(steps as i32)
}

/// K3: c = a + b.
pub fn model_k3(_wave: u32) -> Case {
    let n = 700usize;
    let mut r = Random(63);
    let (a, b) = (r.many(n, |r| r.f32(-9.0, 9.0)), r.many(n, |r| r.f32(-9.0, 9.0)));
    let want: Vec<f32> = (0..n).map(|i| a[i] + b[i]).collect();
    Case::line("model_k3", 256, 64).input(&a).input(&b).output(&want).value(n as i32)
}

/// Nothing.
pub fn empty(_wave: u32) -> Case {
    Case::line("empty", 100, 64)
}
