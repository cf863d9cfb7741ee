//! WMMA.

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

/// Where gfx12 has a value of k: in the group of 16 lanes, register and element that this is for (RDNA4 ISA, 7.12.2).
type KOf = fn(group: u32, register: u32, element: u32) -> u32;

/// Fills `registers` registers from `first` on with elements of `bits` bits of row (or column) lane mod 16.
fn split(mut r: Run, first: usize, registers: u32, bits: u32, k: KOf, value: impl Fn(u32, u32) -> u32 + Copy) -> Run {
    for v in 0..registers {
        let packed = move |l: u32| (0..32 / bits).map(|i| (value(l % 16, k(l / 16, v, i)) & ((1 << bits) - 1)) << (bits * i)).sum();
        r = r.v(first + v as usize, packed);
    }
    r
}

#[test]
fn gfx12_matrices_repeat_nothing() {
    let gfx12 = Gfx(0x1200);
    let narrow: KOf = |group, v, i| 8 * (v >> 1) + 4 * group + 2 * (v & 1) + i;
    let wide: KOf = |group, v, i| 4 * group + 2 * v + i;
    let a = |row: u32, k: u32| half_bits(element(row, k));
    let b = |col: u32, k: u32| half_bits(element(k + 1, col));
    let run = |wave_size, text: &str, registers, k| {
        let r = split(Run::on(gfx12, wave_size, text), 16, registers, 16, k, a);
        split(r, 32, registers, 16, k, b).exec(0)
    };
    let f32_32 = run(32, "v_wmma_f32_16x16x16_f16 v[0:7], v[16:19], v[32:35], 0", 4, narrow).run();
    let f32_64 = run(64, "v_wmma_f32_16x16x16_f16 v[0:3], v[16:17], v[32:33], 0", 2, wide).run();
    // C is 5 in even rows and 7 in odd ones.
    let c = half_bits(5) | half_bits(7) << 16;
    let f16_32 = (0..4).fold(run(32, "v_wmma_f16_16x16x16_f16 v[0:3], v[16:19], v[32:35], v[0:3]", 4, narrow), |r, v| r.v(v, |_| c)).run();
    let f16_64 = (0..2).fold(run(64, "v_wmma_f16_16x16x16_f16 v[0:1], v[16:17], v[32:33], v[0:1]", 2, wide), |r, v| r.v(v, |_| c)).run();
    for (row, col) in (0..256u32).map(|i| (i / 16, i % 16)) {
        let lane32 = (row >> 3 << 4 | col) as usize;
        let lane64 = ((row >> 2 & 1) << 5 | row >> 3 << 4 | col) as usize;
        assert_eq!(f32_32.at(row as usize % 8, lane32), f(product(row, col) as f32), "{row} {col}");
        assert_eq!(f32_64.at(row as usize % 4, lane64), f(product(row, col) as f32), "{row} {col}");
        let want = half_bits(product(row, col) + if row % 2 == 0 { 5 } else { 7 });
        let half = |v: u32| if row % 2 == 0 { v & 0xffff } else { v >> 16 };
        assert_eq!(half(f16_32.at(row as usize % 8 / 2, lane32)), want, "{row} {col}");
        assert_eq!(half(f16_64.at(row as usize % 4 / 2, lane64)), want, "{row} {col}");
    }
}

#[test]
fn gfx12_integers_stand_in_groups_too() {
    let a = |row: u32, k: u32| element(row, k) as u32;
    let b = |col: u32, k: u32| col + k;
    let cases: [(u32, &str, u32, u32, KOf); 6] = [
        (32, "v_wmma_i32_16x16x16_iu8 v[0:7], v[16:17], v[32:33], 0 neg_lo:[1,0,0]", 2, 8, |group, v, i| 8 * group + 4 * v + i),
        (64, "v_wmma_i32_16x16x16_iu8 v[0:3], v16, v32, 0 neg_lo:[1,0,0]", 1, 8, |group, _, i| 8 * (group & 1) + 4 * (group >> 1) + i),
        (32, "v_wmma_i32_16x16x16_iu4 v[0:7], v16, v32, 0 neg_lo:[1,0,0]", 1, 4, |group, _, i| 8 * group + i),
        (64, "v_wmma_i32_16x16x16_iu4 v[0:3], v16, v32, 0 neg_lo:[1,0,0]", 1, 4, |group, _, i| 8 * group + i),
        (32, "v_wmma_i32_16x16x32_iu4 v[0:7], v[16:17], v[32:33], 0 neg_lo:[1,0,0]", 2, 4, |group, v, i| 16 * group + 8 * v + i),
        (64, "v_wmma_i32_16x16x32_iu4 v[0:3], v16, v32, 0 neg_lo:[1,0,0]", 1, 4, |group, _, i| 16 * (group & 1) + 8 * (group >> 1) + i),
    ];
    for (wave_size, text, registers, bits, k) in cases {
        let r = split(Run::on(Gfx(0x1200), wave_size, text), 16, registers, bits, k, a);
        let r = split(r, 32, registers, bits, k, b).run();
        let depth = if text.contains("x32") { 32 } else { 16 };
        for (row, col) in (0..256u32).map(|i| (i / 16, i % 16)) {
            let want: i32 = (0..depth).map(|k| element(row, k) * (b(col, k) & ((1 << bits) - 1)) as i32).sum();
            let (register, lane) = match wave_size {
                32 => (row % 8, row >> 3 << 4 | col),
                _ => (row % 4, (row >> 2 & 1) << 5 | row >> 3 << 4 | col),
            };
            assert_eq!(r.at(register as usize, lane as usize), want as u32, "{text}: {row} {col}");
        }
    }
}
