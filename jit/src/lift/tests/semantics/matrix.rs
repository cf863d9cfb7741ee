//! WMMA of gfx11; that of gfx12 is in `tests/tests/exact/matrices.rs`.

use super::*;

fn element(row: u32, col: u32) -> i32 {
    ((row * 3 + col * 5) % 7) as i32 - 3
}
fn half_bits(x: i32) -> u32 {
    half::f16::from_f32(x as f32).to_bits().into()
}
/// A in v16.., B in v32.., C in v0.. of a WMMA with 16-bit A and B; result of row, col.
fn float_matrices(mut r: Run, d: fn(u32, u32) -> u32) -> Run {
    for v in 0..8u32 {
        let pair = |f: fn(u32, u32) -> i32| move |l: u32| half_bits(f(l % 16, 2 * v)) | half_bits(f(l % 16, 2 * v + 1)) << 16;
        r = r.v(16 + v as usize, pair(element)).v(32 + v as usize, pair(|col, k| element(k + 1, col)));
    }
    let per = r.state.wave_size / 16;
    for v in 0..16 / per {
        r = r.v(v as usize, move |l| d(per * v + l / 16, l % 16));
    }
    r
}
fn product(row: u32, col: u32) -> i32 {
    (0..16).map(|k| element(row, k) * element(k + 1, col)).sum()
}

#[test]
fn wmma_multiplies_and_adds_whatever_exec_is() {
    let r = float_matrices(Run::new("v_wmma_f32_16x16x16_f16 v[0:7], v[16:23], v[32:39], v[0:7]").exec(0), |row, col| {
        f((row * 16 + col) as f32)
    })
    .run();
    let r64 = float_matrices(
        Run::on(Gfx::GFX1100, 64, "v_wmma_f32_16x16x16_f16 v[0:3], v[16:23], v[32:39], v[0:3] neg_lo:[0,0,1]"),
        |row, col| f((row * 16 + col) as f32),
    )
    .run();
    let h = float_matrices(Run::new("v_wmma_f16_16x16x16_f16 v[0:7], v[16:23], v[32:39], v[0:7] op_sel:[0,0,1]"), |row, _| {
        half_bits(row as i32) << 16 | 7
    })
    .run();
    for (row, col) in (0..256u32).map(|i| (i / 16, i % 16)) {
        let c = (row * 16 + col) as i32;
        assert_eq!(r.at(row as usize / 2, (row % 2 * 16 + col) as usize), f((product(row, col) + c) as f32), "{row} {col}");
        assert_eq!(r64.at(row as usize / 4, (row % 4 * 16 + col) as usize), f((product(row, col) - c) as f32), "{row} {col}");
        assert_eq!(h.at(row as usize / 2, (row % 2 * 16 + col) as usize), half_bits(product(row, col) + row as i32) << 16 | 7);
    }
}

#[test]
fn wmma_of_bytes_is_signed_by_neg() {
    let mut r = Run::new("v_wmma_i32_16x16x16_iu8 v[0:7], v[16:19], v[20:23], v[0:7] neg_lo:[1,0,0]");
    for v in 0..4u32 {
        let bytes = move |f: fn(u32, u32) -> u32| move |l: u32| (0..4).map(|i| (f(l % 16, 4 * v + i) & 0xff) << (8 * i)).sum::<u32>();
        r = r.v(16 + v as usize, bytes(|row, k| element(row, k) as u32)).v(20 + v as usize, bytes(|col, k| 200 + col + k));
    }
    let r = r.v(0, |_| 0).run();
    for (row, col) in (0..256u32).map(|i| (i / 16, i % 16)) {
        let want: i32 = (0..16).map(|k| element(row, k) * (200 + col + k) as i32).sum();
        assert_eq!(r.at(row as usize / 2, (row % 2 * 16 + col) as usize), want as u32, "{row} {col}");
    }
}
