//! NaNs, denormals, minima, classes, output modifiers and conversions: numerics.md sections 1 to 5 and 7.

use super::*;

const QNAN: u32 = 0x7fc0_1111;
const SNAN: u32 = 0xff80_2222;
const SNAN_QUIETED: u64 = 0xffc0_2222;
const DEFAULT: u64 = 0xffc0_0000;
const INF: u32 = 0x7f80_0000;

#[test]
fn first_nan_operand_is_quieted() {
    let one = bits(1.0);
    for op in [FAdd32, FSub32, FMul32] {
        assert_eq!(op2(op, HSA, SNAN, QNAN), SNAN_QUIETED, "{op}");
        assert_eq!(op2(op, HSA, QNAN, SNAN), QNAN.into(), "{op}");
        assert_eq!(op2(op, HSA, one, SNAN), SNAN_QUIETED, "{op}");
    }
    assert_eq!(op3(FFma32, HSA, one, QNAN, SNAN), QNAN.into());
    assert_eq!(op3(FFma32, HSA, INF, 0u32, SNAN), SNAN_QUIETED, "an operand goes before the generated NaN");
    assert_eq!(op2(FAdd64, HSA, 0x7ff0_0000_0000_0001u64, 1u64), 0x7ff8_0000_0000_0001);
    assert_eq!(op2(FMul16, HSA, 0x3c00u32, 0xfd01u32), 0xff01);
}

#[test]
fn invalid_operations_give_the_negative_quiet_nan() {
    assert_eq!(op2(FSub32, HSA, INF, INF), DEFAULT);
    assert_eq!(op2(FMul32, HSA, INF, 0u32), DEFAULT);
    assert_eq!(op3(FFma32, HSA, INF, 0u32, bits(1.0)), DEFAULT);
    assert_eq!(op2(FMul16, HSA, 0x7c00u32, 0u32), 0xfe00);
    assert_eq!(op2(FMul64, HSA, 0x7ff0u64 << 48, 0u64), 0xfff8 << 48);
    for op in [FSqrt32, FRsq32, FLog232] {
        assert_eq!(op1(op, HSA, bits(-1.0)), DEFAULT, "{op}");
    }
    for op in [FSin32, FCos32] {
        assert_eq!(op1(op, HSA, INF), DEFAULT, "{op}");
    }
    for op in [FSqrt16, FRsq16, FLog216] {
        assert_eq!(op1(op, HSA, 0xbc00u32), 0xfe00, "{op}");
    }
    assert_eq!(op1(FSqrt64, HSA, bits64(-4.0)), 0xfff8 << 48);
    assert_eq!(op1(FFract32, HSA, INF), DEFAULT);
}

#[test]
fn min_and_max_follow_mode_ieee() {
    let two = bits(2.0);
    // IEEE on: signaling NaNs are quieted and win, quiet ones lose
    for op in [FMin32, FMax32] {
        assert_eq!(op2(op, HSA, SNAN, two), SNAN_QUIETED);
        assert_eq!(op2(op, HSA, two, SNAN), SNAN_QUIETED);
        assert_eq!(op2(op, HSA, QNAN, SNAN), SNAN_QUIETED);
        assert_eq!(op2(op, HSA, two, QNAN), two.into());
        assert_eq!(op2(op, HSA, QNAN, two), two.into());
        assert_eq!(op2(op, HSA, QNAN, QNAN | 1), QNAN.into());
        // IEEE off: every NaN loses
        assert_eq!(op2(op, GRAPHICS, SNAN, two), two.into());
        assert_eq!(op2(op, GRAPHICS, two, SNAN), two.into());
        assert_eq!(op2(op, GRAPHICS, SNAN, QNAN), SNAN.into());
    }
    for mode in [HSA, GRAPHICS] {
        assert_eq!(op2(FMin32, mode, 0u32, 0x8000_0000u32), 0x8000_0000);
        assert_eq!(op2(FMin32, mode, 0x8000_0000u32, 0u32), 0x8000_0000);
        assert_eq!(op2(FMax32, mode, 0u32, 0x8000_0000u32), 0);
        assert_eq!(op2(FMax32, mode, 0x8000_0000u32, 0u32), 0);
        assert_eq!(op2(FMin32, mode, bits(-1.0), two), bits(-1.0).into());
        assert_eq!(op2(FMax16, mode, 0xbc00u32, 0x0001u32), 1);
    }
}

#[test]
fn gfx12_minima() {
    let two = bits(2.0);
    for op in [FMinNum32, FMaxNum32] {
        assert_eq!(op2(op, HSA, SNAN, two), two.into());
        assert_eq!(op2(op, HSA, two, QNAN), two.into());
        assert_eq!(op2(op, HSA, SNAN, QNAN), SNAN_QUIETED);
        assert_eq!(op2(op, GRAPHICS, SNAN, QNAN), SNAN_QUIETED, "whatever MODE.IEEE was on gfx11");
    }
    let (one, three) = (bits(1.0), bits(3.0));
    assert_eq!(op3(FMed3Num32, HSA, three, one, two), two.into());
    assert_eq!(op3(FMed3Num32, HSA, three, SNAN, two), two.into(), "with a NaN: the least number");
    assert_eq!(op3(FMed3Num16, HSA, 0x4000u32, 0x3c00u32, 0x4200u32), 0x4000);
    assert_eq!(op2(PkFMinNum16, HSA, 0x7d00_3c00u32, 0x4000_4000u32), 0x4000_3c00);
    for op in [FMinimum32, FMaximum32] {
        assert_eq!(op2(op, HSA, SNAN, two), SNAN_QUIETED);
        assert_eq!(op2(op, HSA, two, QNAN), QNAN.into());
    }
    assert_eq!(op2(FMinimum32, HSA, 0u32, 0x8000_0000u32), 0x8000_0000);
}

#[test]
fn median_of_three() {
    let v = [bits(1.0), bits(2.0), bits(3.0)];
    for [i, j, k] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(op3(FMed332, HSA, v[i], v[j], v[k]), v[1].into());
    }
    assert_eq!(op3(FMed332, HSA, v[2], QNAN, v[1]), v[1].into(), "with a NaN: the minimum");
    assert_eq!(op3(FMed316, HSA, 0x4000u32, 0x3c00u32, 0x4200u32), 0x4000);
    assert_eq!(op3(FMed316, HSA, 0x0002u32, 0x8001u32, 0x0001u32), 0x0001);
    assert_eq!(op3(FMed316, FpMode(0x330), 0x0002u32, 0x8001u32, 0x0001u32), 0, "flushed");
    assert_eq!(op3(FMed316, HSA, 0x4200u32, 0xfd00u32, 0x3c00u32), 0x3c00, "the signaling NaN is quieted by the first minimum, then loses");
}

#[test]
fn comparisons_with_nan() {
    let one = bits(1.0);
    for (op, ordered_equal, unordered) in [
        (FCmpLt32, 0, 0),
        (FCmpEq32, 1, 0),
        (FCmpLe32, 1, 0),
        (FCmpGt32, 0, 0),
        (FCmpLg32, 0, 0),
        (FCmpGe32, 1, 0),
        (FCmpO32, 1, 0),
        (FCmpU32, 0, 1),
        (FCmpNge32, 0, 1),
        (FCmpNlg32, 1, 1),
        (FCmpNgt32, 1, 1),
        (FCmpNle32, 0, 1),
        (FCmpNeq32, 0, 1),
        (FCmpNlt32, 1, 1),
    ] {
        assert_eq!(op2(op, HSA, one, one), ordered_equal, "{op}");
        assert_eq!(op2(op, HSA, one, QNAN), unordered, "{op}");
        assert_eq!(op2(op, HSA, SNAN, one), unordered, "{op}");
    }
    assert_eq!(op2(FCmpEq32, HSA, 0u32, 0x8000_0000u32), 1);
    assert_eq!(op2(FCmpEq16, HSA, 0u32, 0x8000u32), 1);
    assert_eq!(op2(FCmpEq32, FpMode(0), 1u32, 0x8000_0000u32), 1, "denormals are flushed before comparing");
    assert_eq!(op2(FCmpEq32, HSA, 1u32, 0x8000_0000u32), 0);
}

#[test]
fn class_bits() {
    let by_bit = [SNAN, QNAN, INF | 1 << 31, bits(-1.0), 0x8000_0001, 0x8000_0000, 0, 1, bits(1.0), INF];
    for (bit, x) in by_bit.into_iter().enumerate() {
        for test in 0..10 {
            assert_eq!(op2(FClass32, FpMode(0), x, 1u32 << test), u64::from(bit == test), "{x:#x} {test}");
        }
    }
    assert_eq!(op2(FClass16, FpMode(0), 0x8001u32, 1u32 << 4), 1);
    assert_eq!(op2(FClass64, FpMode(0), 0x7ff0_0000_0000_0001u64, 1u32), 1);
}

#[test]
fn denormals_by_mode() {
    let (tiny, half_min) = (0x8000_0001u32, 0x0040_0000u32);
    let flush_in = FpMode(0x3e0);
    let flush_out = FpMode(0x3d0);
    assert_eq!(op2(FAdd32, HSA, half_min, 0u32), half_min.into());
    assert_eq!(op2(FAdd32, flush_out, half_min, half_min), 0x0080_0000, "two denormals make a normal number");
    assert_eq!(op2(FAdd32, flush_out, half_min, 0u32), 0);
    assert_eq!(op2(FAdd32, flush_in, half_min, half_min), 0);
    assert_eq!(op2(FMul32, flush_in, tiny, bits(1.0)), 0x8000_0000, "the sign stays");
    assert_eq!(op2(FMul32, flush_out, 0x8080_0000u32, bits(0.5)), 0x8000_0000);
    assert_eq!(op2(FMul16, FpMode(0x330), 0x0001u32, 0x6400u32), 0, "f16 has its own field");
    assert_eq!(op2(FMul16, FpMode(0x3c0), 0x0001u32, 0x3c00u32), 1);
    for op in [FRcp32, FRsq32] {
        assert_eq!(op1(op, HSA, tiny), 0xff80_0000, "{op} flushes always");
    }
    assert_eq!(op1(FRcp32, HSA, bits(2.0f32.powi(127))), 0);
    assert_eq!(op1(FExp232, HSA, bits(-127.0)), 0);
    assert_eq!(op1(FSin32, FpMode(0), 0x8000_0010u32), 0x8000_0065, "16 units times 2 pi; sine keeps denormals");
}

#[test]
fn mad_and_legacy_products() {
    assert_eq!(op3(FMad32, HSA, bits(1.0 + 2.0f32.powi(-12)), bits(1.0 + 2.0f32.powi(-12)), bits(-1.0)), bits(2.0f32.powi(-11)).into());
    assert_eq!(
        op3(FFma32, HSA, bits(1.0 + 2.0f32.powi(-12)), bits(1.0 + 2.0f32.powi(-12)), bits(-1.0)),
        bits(2.0f32.powi(-11) + 2.0f32.powi(-24)).into()
    );
    assert_eq!(op3(FMad32, HSA, 0x0080_0000u32, bits(0.5), 0u32), 0, "the product is flushed");
    assert_eq!(op2(FMulDx932, HSA, 0x8000_0000u32, INF), 0);
    assert_eq!(op2(FMulDx932, HSA, QNAN, 1u32), 0, "a denormal is a zero");
    assert_eq!(op3(FFmaDx932, HSA, 0u32, QNAN, 0x8000_0000u32), 0x8000_0000);
    assert_eq!(op3(FFmaDx932, HSA, bits(2.0), bits(3.0), bits(4.0)), bits(10.0).into());
    let lowest = u64::from(bits(f32::MIN));
    assert_eq!(op3(FMullit32, HSA, bits(2.0), bits(3.0), bits(1.0)), bits(6.0).into());
    for (b, c) in [(bits(3.0), 0), (bits(3.0), QNAN), (QNAN, bits(1.0)), (INF | 1 << 31, bits(1.0)), (lowest as u32, bits(1.0))] {
        assert_eq!(op3(FMullit32, HSA, bits(2.0), b, c), lowest);
    }
}

#[test]
fn output_modifiers() {
    assert_eq!(op1(FClamp32, HSA, bits(1.5)), bits(1.0).into());
    assert_eq!(op1(FClamp32, HSA, 0x8000_0000u32), 0);
    assert_eq!(op1(FClamp32, HSA, SNAN), 0);
    assert_eq!(op1(FClamp32, FpMode(0x2f0), QNAN), QNAN.into(), "DX10_CLAMP off");
    assert_eq!(op1(FClamp16, HSA, 0x7c00u32), 0x3c00);
    assert_eq!(op1(PkFClamp16, HSA, 0xfc00_7e00u32), 0);
    let works = FpMode(0x100);
    assert_eq!(op1(FOmod2x32, works, bits(1.5)), bits(3.0).into());
    assert_eq!(op1(FOmod4x32, works, bits(1.5)), bits(6.0).into());
    assert_eq!(op1(FOmodHalf32, works, bits(1.5)), bits(0.75).into());
    assert_eq!(op1(FOmodHalf32, works, 0x8080_0000u32), 0, "a denormal result is flushed, and -0 becomes +0");
    assert_eq!(op1(FOmod2x32, HSA, bits(1.5)), bits(1.5).into(), "ignored with result denormals or IEEE");
    assert_eq!(op1(FOmod2x16, FpMode(0x30), 0x3c00u32), 0x4000);
    assert_eq!(op1(FOmod2x64, FpMode(0xf0), bits64(1.5)), bits64(1.5));
}

#[test]
fn fraction_rounding_and_parts() {
    assert_eq!(op1(FFract32, HSA, bits(-0.25)), bits(0.75).into());
    assert_eq!(op1(FFract32, HSA, bits(-1e-20)), 0x3f7f_ffff);
    assert_eq!(op1(FFract64, HSA, bits64(-1e-40)), 0x3fef_ffff_ffff_ffff);
    assert_eq!(op1(FFract16, HSA, 0x8001u32), 0x3bff);
    for (x, floor, ceil, trunc, even) in
        [(2.5, 2.0, 3.0, 2.0, 2.0), (-2.5, -3.0, -2.0, -2.0, -2.0), (3.5, 3.0, 4.0, 3.0, 4.0), (-0.25, -1.0, -0.0, -0.0, -0.0)]
    {
        for (op, want) in [(FFloor32, floor), (FCeil32, ceil), (FTrunc32, trunc), (FRndne32, even)] {
            assert_eq!(op1(op, HSA, bits(x)), bits(want).into(), "{op} {x}");
        }
    }
    assert_eq!(op1(FFrexpMant32, HSA, bits(-12.0)), bits(-0.75).into());
    assert_eq!(op1(FFrexpExp32, HSA, bits(-12.0)), 4);
    assert_eq!(op1(FFrexpMant32, HSA, 3u32), bits(0.75).into());
    assert_eq!(op1(FFrexpExp32, HSA, 3u32) as u32 as i32, -147);
    assert_eq!(op1(FFrexpExp32, HSA, INF), 0);
    assert_eq!(op1(FFrexpExp32, HSA, 0x8000_0000u32), 0);
    assert_eq!(op1(FFrexpMant32, HSA, 0x8000_0000u32), 0x8000_0000);
    assert_eq!(op1(FFrexpExp64, HSA, 1u64) as u32 as i32, -1073);
    assert_eq!(op1(FFrexpExp16, HSA, 1u32), (-23i16) as u16 as u64);
    assert_eq!(op1(FFrexpMant16, HSA, 0x8001u32), 0xb800);
    assert_eq!(op2(FLdexp32, HSA, bits(1.5), (-149i32) as u32), 2, "tie to even");
    assert_eq!(op2(FLdexp32, HSA, bits(1.0), 0x7fff_ffffu32), INF.into());
    assert_eq!(op2(FLdexp32, HSA, 1u32, 276u32), bits(2.0f32.powi(127)).into());
    assert_eq!(op2(FLdexp64, HSA, 1u64, 2097u32), bits64(2.0f64.powi(1023)));
    assert_eq!(op2(FLdexp64, HSA, bits64(1.0), (-1074i32) as u32), 1);
    assert_eq!(op2(FLdexp64, HSA, bits64(1.5), (-1074i32) as u32), 2);
    assert_eq!(op2(FLdexp64, HSA, bits64(1.0), (-5000i32) as u32), 0);
    assert_eq!(op2(FLdexp16, HSA, 0x3c00u32, 0xffe8u32), 1, "the exponent has 16 bits");
    let scaled = |x: f64, n: f64| f64::from_bits(op2(FScale64, HSA, bits64(x), bits64(n)));
    assert_eq!((scaled(1.5, 3.0), scaled(1.5, -1.5), scaled(-1.0, 0.75)), (12.0, 0.375, -1.0), "powers are rounded down");
    assert_eq!((scaled(3.0, f64::NAN), scaled(0.0, f64::INFINITY), scaled(1.0, 1e300)), (3.0, 0.0, f64::INFINITY));
    assert_eq!(
        (scaled(f64::INFINITY, f64::NEG_INFINITY), scaled(1.0, -1e300), scaled(1.0, -1074.0)),
        (f64::INFINITY, 0.0, f64::from_bits(1))
    );
}

#[test]
fn conversions_saturate() {
    for (op, x, want) in [
        (CvtI32F32, 3e9, 0x7fff_ffff),
        (CvtI32F32, -3e9, 0x8000_0000u32),
        (CvtI32F32, -2.9, -2i32 as u32),
        (CvtU32F32, -1.0, 0),
        (CvtU32F32, 5e9, 0xffff_ffff),
        (CvtI32F32, f32::NAN, 0),
        (CvtU32F32, f32::INFINITY, 0xffff_ffff),
        (CvtNearestI32F32, 0.49999997, 0),
        (CvtNearestI32F32, -0.5, 0),
        (CvtNearestI32F32, 2.5, 3),
        (CvtNearestI32F32, 8388609.0, 8388609),
        (CvtFloorI32F32, -0.1, !0),
        (CvtFloorI32F32, 1e20, 0x7fff_ffff),
    ] {
        assert_eq!(op1(op, HSA, bits(x)), want.into(), "{op} {x}");
    }
    assert_eq!(op1(CvtI32F64, HSA, bits64(-1e300)), 0x8000_0000);
    assert_eq!(op1(CvtU32F64, HSA, bits64(4294967295.9)), 0xffff_ffff);
    assert_eq!(op1(CvtI16F16, HSA, 0x7bffu32), 0x7fff);
    assert_eq!(op1(CvtI16F16, HSA, 0xfc00u32), 0x8000);
    assert_eq!(op1(CvtU16F16, HSA, 0x7bffu32), 65504);
    assert_eq!(op1(CvtU16F16, HSA, 0x7c00u32), 65535);
    assert_eq!(op1(CvtU16F16, HSA, 0x7e00u32), 0);
    assert_eq!(op2(CvtPkI16I32, HSA, 0x8000u32, 0xffff_0000u32), 0x8000_7fff);
    assert_eq!(op2(CvtPkU16U32, HSA, 0x10000u32, 7u32), 0x0007_ffff);
    assert_eq!(op2(CvtPkI16F32, HSA, bits(-1e9), bits(1.9)), 0x0001_8000);
    assert_eq!(op2(CvtPkU16F32, HSA, bits(-1.0), bits(1e9)), 0xffff_0000);
    assert_eq!(op3(CvtPkU8F32, HSA, bits(300.0), 2u32, 0x1111_1111u32), 0x11ff_1111);
    assert_eq!(op3(CvtPkU8F32, HSA, bits(1.9), 4u32, 0u32), 1, "toward zero, byte number modulo 4");
}

#[test]
fn normalized_conversions() {
    assert_eq!(op2(CvtPkNormI16F32, HSA, bits(-2.0), bits(1.0)), 0x7fff_8001);
    assert_eq!(op2(CvtPkNormI16F32, HSA, QNAN, bits(0.5)), 0x4000_0000, "16383.5 to even");
    assert_eq!(op2(CvtPkNormU16F32, HSA, bits(-1.0), bits(0.5)), 0x8000_0000, "32767.5 to even");
    assert_eq!(op2(CvtPkNormU16F16, HSA, 0x3c00u32, 0x7e00u32), 0xffff);
    assert_eq!(op1(CvtNormI16F16, HSA, 0xbc00u32), 0x8001);
    assert_eq!(op1(CvtNormU16F16, HSA, 0x3800u32), 0x8000);
    for i in 0..16i32 {
        let signed = if i < 8 { i } else { i - 16 };
        assert_eq!(op1(CvtOffF32I4, HSA, i as u32 | 0xf0), bits(signed as f32 / 16.0).into());
    }
}

#[test]
fn conversions_between_formats_keep_and_quiet_nans() {
    assert_eq!(op1(CvtF16F32, HSA, 0xff80_2000u32), 0xfe01);
    assert_eq!(op1(CvtF16F32, HSA, 0x7f80_0001u32), 0x7e00, "the payload's top is what fits");
    assert_eq!(op1(CvtF32F16, HSA, 0xfc01u32), 0xffc0_2000);
    assert_eq!(op1(CvtF64F32, HSA, 0x7f80_0001u32), 0x7ff8_0000_2000_0000);
    assert_eq!(op1(CvtF32F64, HSA, 0xfff0_0000_2000_0000u64), 0xffc0_0001);
    assert_eq!(op1(CvtF32F16, HSA, 0x0001u32), bits(2.0f32.powi(-24)).into());
    assert_eq!(op1(CvtF32F16, FpMode(0x330), 0x8001u32), 0x8000_0000, "flushed input");
    assert_eq!(op1(CvtF64F32, FpMode(0x3c0), 0x8000_0001u32), 1 << 63);
}

#[test]
fn packed_halves_toward_zero() {
    assert_eq!(op2(CvtPkRtzF16F32, HSA, bits(65519.0), bits(1e10)), 0x7bff_7bff);
    assert_eq!(op2(CvtPkRtzF16F32, HSA, INF, bits(-1.9999)), 0xbfff_7c00);
    assert_eq!(op2(CvtPkRtzF16F32, HSA, bits(2.0f32.powi(-24) * 1.99), bits(-(2.0f32.powi(-25)))), 0x8000_0001);
    assert_eq!(op2(CvtPkRtzF16F32, FpMode(0x370), bits(2.0f32.powi(-24)), bits(1.0)), 0x3c00_0000, "result denormals flushed");
    assert_eq!(op2(CvtPkRtzF16F32, HSA, SNAN, 0u32), 0xfe01);
}

#[test]
fn fp16_ovfl_clamps_overflow_but_not_infinity() {
    let ovfl = FpMode(HSA.0 | 0x400);
    let max = 0x7bffu32;
    for (mode, want) in [(HSA, 0x7c00), (ovfl, 0x7bff)] {
        assert_eq!(op2(FAdd16, mode, max, max), want);
        assert_eq!(op2(FMul16, mode, max, max), want);
        assert_eq!(op3(FFma16, mode, max, max, 0u32), want);
        assert_eq!(op1(CvtF16F32, mode, bits(65520.0)), want);
        assert_eq!(op1(FExp216, mode, 0x4c00u32), want, "2^16");
        assert_eq!(op1(CvtF16U16, mode, 65535u32), want);
        assert_eq!(op2(FLdexp16, mode, 0x3c00u32, 16u32), want);
    }
    for round in 0..4 {
        let mode = FpMode(ovfl.0 | round << 2);
        assert_eq!(op2(FMul16, mode, max, max), 0x7bff, "whatever the rounding");
        assert_eq!(op2(FMul16, mode, max, max | 0x8000), 0xfbff);
        assert_eq!(op2(FAdd16, mode, 0x7c00u32, max), 0x7c00);
        assert_eq!(op1(FRcp16, mode, 0u32), 0x7c00);
        assert_eq!(op1(CvtF16F32, mode, INF), 0x7c00);
    }
}

#[test]
fn cube_faces() {
    let cube =
        |x: f32, y: f32, z: f32| [CubeId, CubeSc, CubeTc, CubeMa].map(|op| f32::from_bits(op3(op, HSA, bits(x), bits(y), bits(z)) as u32));
    assert_eq!(cube(1.0, 0.0, 0.0), [0.0, 0.0, 0.0, 2.0]);
    assert_eq!(cube(-2.0, 1.0, -4.0), [5.0, 2.0, -1.0, -8.0]);
    assert_eq!(cube(-3.0, 1.0, 2.0), [1.0, 2.0, -1.0, -6.0]);
    assert_eq!(cube(1.0, 2.0, -1.0), [2.0, 1.0, -1.0, 4.0]);
    assert_eq!(cube(1.0, -2.0, -1.0), [3.0, 1.0, 1.0, -4.0]);
    assert_eq!(cube(1.0, 1.0, 1.0), [4.0, 1.0, -1.0, 2.0], "z goes first");
}

#[test]
fn dot_products() {
    // 1*3 + 2*4 + 0.5
    let (a, b) = (0x4000_3c00u32, 0x4400_4200u32);
    assert_eq!(op3(Dot2F32F16, HSA, a, b, bits(0.5)), bits(11.5).into());
    assert_eq!(op3(Dot2F16F16, HSA, a, b, 0x3800u32), 0x49c0);
    let (a, b) = (0x4000_3f80u32, 0x4080_4040u32);
    assert_eq!(op3(Dot2F32Bf16, HSA, a, b, bits(0.5)), bits(11.5).into());
    assert_eq!(op3(Dot2Bf16Bf16, HSA, a, b, 0x3f00u32), 0x4138);
    assert_eq!(op3(Dot2Bf16Bf16, HSA, 0x3f80u32, 0x3f80u32, 0x3b80u32), 0x3f80, "1 + 2^-8 is a tie, to even");
    assert_eq!(op3(Dot2Bf16Bf16, HSA, 0x7f81u32, 0x3f80u32, 0u32), 0x7fc1);
}
