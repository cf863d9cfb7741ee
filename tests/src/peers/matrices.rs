//! Matrices: products in f32 and bytes, transposition, LU decomposition, shortest paths.

use super::Size;
use crate::case::{Case, Random};

/// A case with the product of two random matrices; the order of the sum is one after the other, but only nearness is asked.
fn product(kernel: &'static str, grid: [u32; 3], group: [u32; 3], [m, n, k]: [usize; 3]) -> Case {
    let mut r = Random(101);
    let (a, b) = (r.many(m * k, |r| r.f32(-0.5, 0.5)), r.many(k * n, |r| r.f32(-0.5, 0.5)));
    let mut want = vec![0f64; m * n];
    for (row, out) in want.chunks_mut(n).enumerate() {
        for i in 0..k {
            let left = f64::from(a[row * k + i]);
            out.iter_mut().zip(&b[i * n..]).for_each(|(c, &b)| *c += left * f64::from(b));
        }
    }
    Case::grid(kernel, grid, group).input(&a).input(&b).near::<f32>(want, 1e-4, 1e-4).value(m as i32).value(n as i32).value(k as i32)
}

/// From global memory.
pub(super) fn sgemm_naive(size: Size) -> Case {
    let [m, n, k] = size.of([384; 3], [19, 37, 23usize]);
    product("sgemm_naive", [n.next_multiple_of(16) as u32, m.next_multiple_of(16) as u32, 1], [16, 16, 1], [m, n, k])
}

/// By tiles in local memory.
pub(super) fn sgemm_lds(size: Size) -> Case {
    let [m, n, k] = size.of([512; 3], [32, 48, 64]);
    product("sgemm_lds", [n as u32, m as u32, 1], [16, 16, 1], [m, n, k])
}

/// By tiles in local memory and registers.
pub(super) fn sgemm_reg(size: Size) -> Case {
    let [m, n, k] = size.of([768; 3], [64, 128, 48]);
    product("sgemm_reg", [n as u32 / 4, m as u32 / 4, 1], [16, 16, 1], [m, n, k])
}

/// Signed bytes.
pub(super) fn gemm_bytes(size: Size) -> Case {
    let (n, k) = size.of((512, 1024), (32usize, 64usize));
    let mut r = Random(102);
    let (a, b) = (r.many(n * k, |r| r.u32() as i8), r.many(n * k, |r| r.u32() as i8));
    let dot = |x: &[i8], y: &[i8]| x.iter().zip(y).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum::<i32>();
    let want: Vec<i32> = a.chunks(k).flat_map(|x| b.chunks(k).map(move |y| dot(x, y))).collect();
    Case::grid("gemm_bytes", [n as u32, n as u32, 1], [16, 16, 1]).input(&a).input(&b).output(&want).value(n as i32).value(k as i32 / 4)
}

/// Rows to columns.
pub(super) fn transpose_lds(size: Size) -> Case {
    let (w, h) = size.of((4096, 2048), (96usize, 64usize));
    let input = Random(103).many(w * h, |r| r.f32(0.0, 1.0));
    let want: Vec<f32> = (0..w * h).map(|i| input[i % h * w + i / h]).collect();
    Case::grid("transpose_lds", [w as u32, h as u32 / 4, 1], [32, 8, 1]).input(&input).output(&want).value(w as i32).value(h as i32)
}

/// 16x16 matrices whose diagonals outweigh the rest.
pub(super) fn lud_tile(size: Size) -> Case {
    const N: usize = 16;
    let groups = size.of(8192, 2usize);
    let mut r = Random(104);
    let input: Vec<f32> =
        (0..groups * N * N).map(|i| r.f32(0.0, 1.0) + if (i % (N * N)).is_multiple_of(N + 1) { 16.0 } else { 0.0 }).collect();
    let mut want: Vec<f64> = input.iter().map(|&x| f64::from(x)).collect();
    for a in want.chunks_mut(N * N) {
        for k in 0..N {
            for row in k + 1..N {
                a[row * N + k] /= a[k * N + k];
                for c in k + 1..N {
                    a[row * N + c] -= a[row * N + k] * a[k * N + c];
                }
            }
        }
    }
    Case::grid("lud_tile", [(groups * N) as u32, N as u32, 1], [16, 16, 1]).input(&input).near::<f32>(want, 1e-4, 1e-5)
}

/// A step of all shortest paths.
pub(super) fn floyd_step(size: Size) -> Case {
    let (n, via) = size.of((2048, 17), (48usize, 5usize));
    let mut r = Random(105);
    let (input, before) = (r.many(n * n, |r| 1 + r.below(1000) as i32), r.many(n * n, |r| r.below(n as u32) as i32));
    let detour = |i: usize| input[i / n * n + via] + input[via * n + i % n];
    let want: Vec<i32> = (0..n * n).map(|i| input[i].min(detour(i))).collect();
    let after: Vec<i32> = (0..n * n).map(|i| if detour(i) < input[i] { via as i32 } else { before[i] }).collect();
    Case::grid("floyd_step", [n as u32, n as u32, 1], [16, 16, 1])
        .input(&input)
        .output(&want)
        .input(&before)
        .output(&after)
        .value(n as i32)
        .value(via as i32)
}
