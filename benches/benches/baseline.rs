//! What does the same work as the model kernels cost as plain native Rust? ns per iteration of 32 lanes, one thread, this build's target CPU.
//!
//! The loops are written over arrays of 32 so that the compiler may use the host's vectors; build with `RUSTFLAGS=-Ctarget-cpu=native` for
//! the best it can do (without it there is no fused multiply-add on x86-64, and each becomes a call).

use std::hint::black_box;
use wavejit_benches::{best, is_smoke_test, machine, ns_each};

const LANES: usize = 32;
type Row = [f32; LANES];

fn main() {
    println!("{}, fused multiply-add {}", machine(), if cfg!(target_feature = "fma") { "native" } else { "emulated by multiply and add" });
    println!("{:28}{:>20}", "native Rust", "ns per iteration");
    let scale = if is_smoke_test() { 1 } else { 1000 };
    println!("{:28}{:20.1}", "K1", k1(300 * scale));
    println!("{:28}{:20.1}", "K2", k2(20 * scale));
    println!("{:28}{:20.1}", "K3", k3(scale));
}

/// One rounding where the host has the instruction, else two: the library function would dominate everything.
fn fma(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

fn k1(steps: usize) -> f64 {
    let (mut x, mut y): (Row, Row) = ([0.0; LANES], [0.0; LANES]);
    let (cr, ci) = (black_box(-0.1), black_box(0.1));
    let time = best(7, || {
        for _ in 0..steps {
            let mut escaped = false;
            for l in 0..LANES {
                let yy = y[l] * y[l];
                escaped |= fma(x[l], x[l], yy) > 1e30;
                let t = fma(x[l], x[l], cr - yy);
                y[l] = fma(x[l] + x[l], y[l], ci);
                x[l] = t;
            }
            if black_box(escaped) {
                break;
            }
        }
        black_box((&mut x, &mut y));
    });
    ns_each(time, steps as f64)
}

/// 64 rows of sums; the operands of a step are 8 + 8 rows from a table.
fn k2(steps: usize) -> f64 {
    let table: Vec<[Row; 16]> = black_box(vec![[[0.5; LANES]; 16]; 32]);
    let mut sums: Vec<Row> = vec![[0.0; LANES]; 64];
    let time = best(7, || {
        for step in 0..steps {
            let rows = &table[step & 31];
            for (i, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (&rows[i / 8], &rows[8 + i % 8]);
                for l in 0..LANES {
                    sum[l] = fma(a[l], b[l], sum[l]);
                }
            }
            black_box(&mut sums);
        }
    });
    ns_each(time, steps as f64)
}

fn k3(passes: usize) -> f64 {
    let n = 8192;
    let (a, b, mut c) = (black_box(vec![1f32; n]), black_box(vec![2f32; n]), vec![0f32; n]);
    let time = best(5, || {
        for _ in 0..passes {
            for ((c, a), b) in c.iter_mut().zip(&a).zip(&b) {
                *c = a + b;
            }
            black_box(&mut c);
        }
    });
    ns_each(time, passes as f64 * n as f64 / LANES as f64)
}
