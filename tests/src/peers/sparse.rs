//! Sparse matrices by rows (CSR).

use super::Size;
use crate::case::{Case, Random};

/// One row per lane.
pub(super) fn spmv_scalar(size: Size) -> Case {
    let rows = size.of((1 << 17) - 5, 200);
    multiply("spmv_scalar", rows, rows, 4..60, rows.next_multiple_of(128))
}

/// One row per 32 lanes.
pub(super) fn spmv_wave(size: Size) -> Case {
    let rows = size.of((1 << 15) - 3, 31);
    multiply("spmv_wave", rows, size.of(1 << 16, 500), 30..300, (rows * 32).next_multiple_of(128))
}

fn multiply(kernel: &'static str, rows: u32, columns: u32, each: std::ops::Range<u32>, items: u32) -> Case {
    let mut r = Random(41);
    let (mut starts, mut places, mut values, mut want) = (vec![0i32], Vec::new(), Vec::new(), Vec::new());
    let x = r.many(columns as usize, |r| r.f32(0.0, 1.0));
    for _ in 0..rows {
        let mut sum = 0f64;
        for _ in 0..each.start + r.below(each.end - each.start) {
            let (place, value) = (r.below(columns), r.f32(0.0, 1.0));
            sum += f64::from(value) * f64::from(x[place as usize]);
            places.push(place as i32);
            values.push(value);
        }
        starts.push(places.len() as i32);
        want.push(sum);
    }
    Case::line(kernel, items, 128).input(&starts).input(&places).input(&values).input(&x).near::<f32>(want, 1e-4, 0.0).value(rows as i32)
}
