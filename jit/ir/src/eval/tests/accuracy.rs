//! Transcendentals: the f64 algorithms against the host's library, f32 results against their rounding, exact cases.

use super::*;
use crate::eval::trans;

fn relative(got: f64, want: f64) -> f64 {
    if got == want { 0.0 } else { ((got - want) / want).abs() }
}

#[test]
fn polynomials_are_good_to_1e_13() {
    for i in 0..200_000 {
        let x = (i as f64 - 100_000.0) / 700.0 + 1e-5;
        let error = relative(trans::exp2(x), x.exp2());
        assert!(error < 1e-13, "2^{x}: {error:e}");
        let positive = x.exp2();
        let error = relative(trans::log2(positive), positive.log2());
        assert!(error < 1e-13, "log2 {positive}: {error:e}");
        let turn = x - x.round();
        for (quarters, want) in [(0, (turn * std::f64::consts::TAU).sin()), (1, (turn * std::f64::consts::TAU).cos())] {
            let error = (trans::sin_turns(x, quarters) - want).abs();
            assert!(error < 1e-13, "sin of {x} turns + {quarters}/4: {error:e}");
        }
    }
}

#[test]
fn small_angles_keep_relative_accuracy() {
    for e in 3..140 {
        let x = 1.1 * 2.0f64.powi(-e);
        assert!(relative(trans::sin_turns(x, 0), (x * std::f64::consts::TAU).sin()) < 1e-13, "{x:e}");
    }
    for e in 1..24 {
        for sign in [1.0, -1.0] {
            let f = sign * 2.0f64.powi(-e);
            assert!(relative(trans::log2(1.0 + f), f.ln_1p() / std::f64::consts::LN_2) < 1e-13, "1 + {f:e}");
        }
    }
}

#[test]
fn f32_results_are_the_rounded_ones() {
    let mut random = Random(4);
    let mut misses = 0;
    for _ in 0..100_000 {
        let x = random.f32_bits();
        let v = f32::from_bits(x);
        if !v.is_finite() || v.is_subnormal() {
            continue;
        }
        let wide = f64::from(v);
        let reduced = std::f64::consts::TAU * (wide - wide.round());
        for (op, want) in [(FExp232, wide.exp2()), (FLog232, wide.abs().log2()), (FRsq32, wide.abs().sqrt().recip())] {
            let want = want as f32;
            let want = if want.is_subnormal() { 0.0 } else { want };
            let operand = if op == FExp232 { x } else { x & 0x7fff_ffff };
            let got = f32::from_bits(op1(op, HSA, operand) as u32);
            assert!((got.to_bits() as i64 - want.to_bits() as i64).abs() <= 1, "{op} {v:e}: {got:e}, not {want:e}");
            misses += u32::from(got != want);
        }
        for (op, want) in [(FSin32, reduced.sin()), (FCos32, reduced.cos())] {
            let got = f32::from_bits(op1(op, HSA, x) as u32);
            assert!((f64::from(got) - want).abs() < 4e-8, "{op} {v:e}: {got:e}, not {want:e}");
        }
    }
    assert!(misses < 5, "{misses} results differ from the rounded ones");
}

#[test]
fn exact_cases() {
    let f = |op, x: f32| f32::from_bits(op1(op, HSA, bits(x)) as u32);
    for n in -126..128 {
        assert_eq!(f(FExp232, n as f32), 2.0f32.powi(n));
        assert_eq!(f(FLog232, 2.0f32.powi(n)), n as f32);
    }
    for k in -9i32..=9 {
        let x = k as f32 / 4.0;
        let sine = [0.0, 1.0, 0.0, -1.0];
        assert_eq!(f(FSin32, x), sine[k.rem_euclid(4) as usize]);
        assert_eq!(f(FCos32, x), sine[(k + 1).rem_euclid(4) as usize]);
        if k != 0 {
            assert_eq!(bits(f(FSin32, x)) & bits(f(FCos32, x)) & 0x8000_0000, 0, "no negative zeros");
        }
    }
    assert_eq!(bits(f(FSin32, -0.0)), 0x8000_0000);
    assert_eq!(f(FSin32, f32::MAX), 0.0);
    assert_eq!(f(FCos32, -f32::MAX), 1.0);
    assert_eq!(f(FExp232, f32::NEG_INFINITY), 0.0);
    assert_eq!(f(FExp232, 128.0), f32::INFINITY);
    assert_eq!(f(FLog232, -0.0), f32::NEG_INFINITY);
    assert_eq!(f(FLog232, f32::INFINITY), f32::INFINITY);
    assert_eq!(f(FRcp32, -0.0), f32::NEG_INFINITY);
    assert_eq!(bits(f(FRcp32, f32::NEG_INFINITY)), 0x8000_0000);
    assert_eq!(f(FRsq32, -0.0), f32::NEG_INFINITY);
    assert_eq!(bits(f(FSqrt32, -0.0)), 0x8000_0000);
    assert_eq!(f(FRsq32, f32::INFINITY), 0.0);
    assert_eq!(f(FRsq32, 0.25), 2.0);
}

fn nearest_half(x: f64) -> u16 {
    use rustc_apfloat::{Float, FloatConvert, ieee};
    let half: ieee::Half = ieee::Double::from_bits(x.to_bits().into()).convert(&mut false).value;
    half.to_bits() as u16
}

#[test]
fn f16_results_over_all_operands() {
    for x in 0..=0xffffu32 {
        let v = ::half::f16::from_bits(x as u16).to_f64();
        if v.is_nan() {
            continue;
        }
        let wants = [
            (FRcp16, v.recip()),
            (FSqrt16, v.sqrt()),
            (FRsq16, v.sqrt().recip()),
            (FExp216, v.exp2()),
            (FLog216, v.log2()),
            (FFloor16, v.floor()),
            (FRndne16, v.round_ties_even()),
        ];
        for (op, want) in wants {
            let got = op1(op, HSA, x) as u16;
            let want = if want.is_nan() { 0xfe00 } else { nearest_half(want) };
            assert_eq!(got, want, "{op} {x:#x}");
        }
        if v.is_finite() {
            let turn = std::f64::consts::TAU * (v - v.round());
            for (op, want) in [(FSin16, turn.sin()), (FCos16, turn.cos())] {
                let got = ::half::f16::from_bits(op1(op, HSA, x) as u16).to_f64();
                assert!((got - want).abs() < 2.5e-4, "{op} {x:#x}");
            }
        }
    }
}

#[test]
fn trig_preop_segments_add_up_to_two_over_pi() {
    let segment = |x: f64, s: u32| f64::from_bits(op2(TrigPreop64, HSA, bits64(x), s));
    assert_eq!(segment(1.0, 0), 0.6366197723675813, "rounded down");
    assert!(segment(1.0, 1) < 2.0f64.powi(-53) && segment(1.0, 1) > 0.0);
    assert_eq!(segment(1.0, 0) + segment(1.0, 1), std::f64::consts::FRAC_2_PI);
    // exponent 1100 moves on by 23 bits: the segment starts with what the first one has below 2^-23
    let moved = segment(2.0f64.powi(1100 - 1023), 0);
    let rest = (segment(1.0, 0) * 2.0f64.powi(23)).fract() * 2.0f64.powi(-23);
    assert!(rest <= moved && moved < rest + 2.0f64.powi(-53));
    assert_eq!(segment(1.0, 31), 0.0, "past the end of the constant");
    // from exponent 1968 on, 2^128 larger
    let (below, above) = (segment(2.0f64.powi(944), 0), segment(2.0f64.powi(945), 0));
    assert!(below < 2.0f64.powi(-889) && above < 2.0f64.powi(-890 + 128) && above > 2.0f64.powi(-920 + 128));
}

#[test]
fn trig_preop_cuts_off_what_lies_below_the_normal_numbers() {
    use crate::eval::trans::TWO_OVER_PI;
    use rustc_apfloat::{Float, Round, ieee::Double};
    let segment = |x: u64, s: u32| op2(TrigPreop64, HSA, x, s);
    let bit = |i: usize| TWO_OVER_PI.get(i / 64).map_or(0, |word| word >> (63 - i % 64) & 1);
    let mut denormal = 0;
    for e in (0..2048u64).step_by(7) {
        for s in 0..32 {
            let at = 53 * s as usize + (e as usize).saturating_sub(1077);
            let word = (at..at + 53).fold(0, |w, i| w << 1 | bit(i));
            let exponent = -53 - at as i32 + if e >= 1968 { 128 } else { 0 };
            let want = Double::from_bits(u128::from((word as f64).to_bits())).scalbn_r(exponent, Round::TowardZero).to_bits() as u64;
            assert_eq!(segment(e << 52 | 12345, s), want, "{e} {s}");
            denormal += u32::from(want != 0 && want >> 52 == 0);
        }
    }
    assert!(denormal > 0);
}
