//! Rounding against independent computation: exact values in f64 for f16 and f32 results, apfloat for f16 to nearest.

use super::*;
use rustc_apfloat::{Float, ieee::Half};

/// f32 neighbors of an exactly known value, by rounding mode.
fn f32_by_mode(exact: f64, mode: u16) -> u32 {
    let nearest = exact as f32;
    let below = if nearest as f64 > exact { nearest.next_down() } else { nearest };
    let above = if (nearest as f64) < exact { nearest.next_up() } else { nearest };
    match mode {
        0 => nearest,
        1 => above,
        2 => below,
        _ if exact < 0.0 => above,
        _ => below,
    }
    .to_bits()
}

#[test]
fn f32_products_and_sums_round_by_mode() {
    let mut random = Random(7);
    for _ in 0..30000 {
        let (a, b) = (random.f32_bits(), random.f32_bits());
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        if !(x.is_finite() && y.is_finite()) {
            continue;
        }
        let product = x as f64 * y as f64;
        let sum = x as f64 + y as f64;
        let close = sum - x as f64 == y as f64 && sum - y as f64 == x as f64;
        for round in 0..4 {
            let mode = FpMode(HSA.0 | round);
            if product != 0.0 {
                assert_eq!(op2(FMul32, mode, a, b), f32_by_mode(product, round).into(), "{x:e} * {y:e} {round}");
                assert_eq!(op3(FFma32, mode, a, b, 0u32), f32_by_mode(product, round).into());
            }
            if close && sum != 0.0 {
                assert_eq!(op2(FAdd32, mode, a, b), f32_by_mode(sum, round).into(), "{x:e} + {y:e} {round}");
                assert_eq!(op2(FSub32, mode, a, b ^ 0x8000_0000), f32_by_mode(sum, round).into());
            }
        }
    }
}

#[test]
fn zero_sums_are_negative_only_when_rounding_down() {
    for round in 0..4 {
        let mode = FpMode(HSA.0 | round | round << 2);
        let minus = u64::from(round == 2);
        assert_eq!(op2(FSub32, mode, bits(1.0), bits(1.0)), minus << 31);
        assert_eq!(op2(FSub64, mode, bits64(1.0), bits64(1.0)), minus << 63);
        assert_eq!(op2(FSub16, mode, 0x3c00u32, 0x3c00u32), minus << 15);
        assert_eq!(op3(FFma32, mode, bits(1.0), bits(1.0), bits(-1.0)), minus << 31);
        assert_eq!(op3(FFma16, mode, 0x3c00u32, 0x3c00u32, 0xbc00u32), minus << 15);
    }
}

#[test]
fn conversions_round_by_mode() {
    for (x, [even, up, down, zero]) in
        [(16777217.0, [16777216, 16777218, 16777216, 16777216]), (-16777219.0, [-16777220, -16777218, -16777220, -16777218])]
    {
        for (round, want) in [even, up, down, zero].into_iter().enumerate() {
            let want = u64::from(bits(want as f32));
            let mode = FpMode(HSA.0 | round as u16);
            assert_eq!(op1(CvtF32I32, mode, x as i32 as u32), want);
            assert_eq!(op1(CvtF32F64, mode, bits64(x)), want);
        }
    }
    for (round, want) in [0x6800, 0x6801, 0x6800, 0x6800].into_iter().enumerate() {
        let mode = FpMode(HSA.0 | (round as u16) << 2);
        assert_eq!(op1(CvtF16F32, mode, bits(2049.0)), want);
        assert_eq!(op1(CvtF16I16, mode, 2049u32), want);
        assert_eq!(op1(CvtF16U16, mode, 2049u32), want);
    }
    let up = FpMode(HSA.0 | 1);
    assert_eq!(op2(FLdexp32, up, bits(1.0), (-200i32) as u32), 1);
    assert_eq!(op1(CvtF32U32, up, 0xffff_ffffu32), bits(4294967296.0).into());
}

/// A finite f16 pattern, often with a far or near exponent.
fn half(random: &mut Random) -> u16 {
    let r = random.u64() >> 20;
    let x = r as u16;
    match r >> 16 & 3 {
        0 => x & 0x83ff,
        1 => x & 0x87ff | 0x7000,
        _ => x,
    }
}

#[test]
fn f16_arithmetic_is_correctly_rounded() {
    let mut random = Random(99);
    for _ in 0..300_000 {
        let [a, b, c] = [0; 3].map(|_| half(&mut random));
        let [x, y, z] = [a, b, c].map(|v| Half::from_bits(v.into()));
        let wants = [(FAdd16, (x + y).value), (FSub16, (x - y).value), (FMul16, (x * y).value), (FFma16, x.mul_add(y, z).value)];
        for (op, want) in wants {
            let got = op3(op, HSA, a, b, c);
            let want = want.to_bits() as u64;
            assert!(got == want || got & 0x7fff > 0x7c00 && want & 0x7fff > 0x7c00, "{op} {a:#x} {b:#x} {c:#x}: {got:#x}, not {want:#x}");
        }
    }
}

#[test]
fn f16_fma_midpoints_with_tiny_addends() {
    // products that lie on a midpoint of f16 results, moved off it by the smallest addends, and sums with far smaller products
    let mut random = Random(5);
    for _ in 0..200_000 {
        let a = 0x3c00 | random.u64() as u16 & 0x3ff;
        let b = (0x3800 + (random.u64() as u16 & 0x1000)) | (1 << (random.u64() % 10));
        let c = (random.u64() as u16 & 0x8003) | ((random.u64() as u16 & 1) * 0x4000);
        let got = op3(FFma16, HSA, a, b, c);
        let want = Half::from_bits(a.into()).mul_add(Half::from_bits(b.into()), Half::from_bits(c.into())).value.to_bits() as u64;
        assert_eq!(got, want, "{a:#x} {b:#x} {c:#x}");
        let got = op3(FFma16, HSA, c & 0x83ff, b & 0x3ff, a);
        let want =
            Half::from_bits((c & 0x83ff).into()).mul_add(Half::from_bits((b & 0x3ff).into()), Half::from_bits(a.into())).value.to_bits()
                as u64;
        assert_eq!(got, want, "{a:#x} {b:#x} {c:#x}");
    }
}

#[test]
fn every_f16_converts_and_comes_back() {
    for x in 0..=0xffffu32 {
        let wide = op1(CvtF32F16, HSA, x);
        assert_eq!(wide, ::half::f16::from_bits(x as u16).to_f32().to_bits().into());
        let quiet = if x & 0x7fff > 0x7c00 { x | 0x200 } else { x };
        assert_eq!(op1(CvtF16F32, HSA, wide), quiet.into());
    }
}

#[test]
fn f32_to_f16_agrees_with_another_implementation() {
    let mut random = Random(3);
    for _ in 0..200_000 {
        let r = random.u64() as u32;
        let x = if r & 1 == 0 { r } else { (r & 0x9fff_ffff) + 0x3000_0000 };
        let value = f32::from_bits(x);
        if !value.is_nan() {
            assert_eq!(op1(CvtF16F32, HSA, x), ::half::f16::from_f32(value).to_bits().into(), "{x:#x}");
        }
    }
}

#[test]
fn packed_is_twice_single() {
    let mut random = Random(11);
    for _ in 0..20000 {
        let (a, b, c) = (random.u64() as u32, random.u64() as u32, random.u64() as u32);
        for (pk, one) in [(PkFAdd16, FAdd16), (PkFMul16, FMul16), (PkFFma16, FFma16), (PkFMin16, FMin16), (PkFMax16, FMax16)] {
            let want = op3(one, HSA, a, b, c) | op3(one, HSA, a >> 16, b >> 16, c >> 16) << 16;
            assert_eq!(op3(pk, HSA, a, b, c), want);
        }
    }
}
