//! Functions with operands scaled for denormals, as compilers spell them out, are bit for bit and for NaNs too the operations that the passes make of them.

use super::*;

/// 2^e, bits.
fn power(e: i32) -> u32 {
    bits(2f32.powi(e))
}

fn chosen(is_low: bool, yes: u32, no: u32) -> u64 {
    u64::from(if is_low { yes } else { no })
}

fn is_below(x: u32, limit: f32) -> bool {
    op2(FCmpLt32, HSA, x, bits(limit)) != 0
}

fn root(of: PureOp, x: u32) -> u64 {
    let low = is_below(x, 2f32.powi(-100));
    let scaled = op2(FMul32, HSA, x, chosen(low, power(100), power(0)));
    op2(FMul32, HSA, op1(of, HSA, scaled), chosen(low, power(50), power(0)))
}

fn power_of_two(of: PureOp, x: u32) -> u64 {
    let low = is_below(x, -126.0);
    let raised = op2(FAdd32, HSA, x, chosen(low, bits(64.0), 0));
    op2(FMul32, HSA, op1(of, HSA, raised), chosen(low, power(-64), power(0)))
}

fn logarithm(of: PureOp, low: bool, x: u32) -> u64 {
    let scaled = op2(FMul32, HSA, x, chosen(low, power(32), power(0)));
    op2(FSub32, HSA, op1(of, HSA, scaled), chosen(low, bits(32.0), 0))
}

fn square_root(x: u32) -> u64 {
    let low = is_below(x, f32::MIN_POSITIVE);
    let scaled = op2(FLdexp32, HSA, x, chosen(low, 32, 0));
    op2(FLdexp32, HSA, op1(FSqrt32, HSA, scaled), chosen(low, (-16i32).cast_unsigned(), 0))
}

fn quotient(n: u32, d: u32) -> u64 {
    let y = op1(FRcp32, HSA, op1(FFrexpMant32, HSA, d));
    let mantissa = op2(FMul32, HSA, op1(FFrexpMant32, HSA, n), y);
    let exponent = op2(ISub32, HSA, op1(FFrexpExp32, HSA, n), op1(FFrexpExp32, HSA, d));
    op2(FLdexp32, HSA, mantissa, exponent)
}

fn reciprocal(d: u32) -> u64 {
    let exponent = op2(ISub32, HSA, 0u32, op1(FFrexpExp32, HSA, d));
    op2(FLdexp32, HSA, op1(FRcp32, HSA, op1(FFrexpMant32, HSA, d)), exponent)
}

fn compare_functions(x: u32) {
    let is_denormal = op2(FClass32, HSA, x, 0x90u32) != 0;
    let low = is_below(x, f32::MIN_POSITIVE);
    for (op, spelled_out) in [
        (FRsqDenorm32, root(FRsq32, x)),
        (FRsqNearDenorm32, root(FRsqNear32, x)),
        (FExp2Denorm32, power_of_two(FExp232, x)),
        (FExp2Denorm32, power_of_two(FExp2Denorm32, x)),
        (FLog2Denorm32, logarithm(FLog232, low, x)),
        (FLog2Denorm32, logarithm(FLog232, is_denormal, x)),
        (FLog2Denorm32, logarithm(FLog2Denorm32, is_denormal, x)),
        (FSqrtDenorm32, square_root(x)),
    ] {
        assert_eq!(op1(op, HSA, x), spelled_out, "{op} of {x:#x}");
    }
    assert_eq!(op2(FDivMant32, HSA, power(0), x), reciprocal(x), "1 / {x:#x}");
}

fn compare_quotients(n: u32, d: u32) {
    let got = op2(FDivMant32, HSA, n, d);
    assert_eq!(got, quotient(n, d), "{n:#x} / {d:#x}");
    let (exact, got) = (f32::from_bits(n) as f64 / f32::from_bits(d) as f64, f32::from_bits(got as u32));
    if (exact as f32).is_normal() && got.is_normal() {
        assert!(((f64::from(got) - exact) / exact).abs() < 2.5 * 2f64.powi(-23), "{n:#x} / {d:#x}: {got}, not {exact}");
    }
}

#[test]
fn functions_with_scaled_operands_are_one_operation() {
    (0..=u32::MAX).step_by(9973).for_each(compare_functions);
    for e in 0..512u32 {
        for m in [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x7f_fffe, 0x7f_ffff] {
            compare_functions(e << 23 | m);
        }
    }
    // Powers around the least ones.
    for x in -200..=-100 {
        (-3..=3).for_each(|i| compare_functions(bits(x as f32).wrapping_add_signed(i)));
    }
}

#[test]
#[ignore = "takes minutes: all numbers"]
fn functions_of_all_numbers_with_scaled_operands_are_one_operation() {
    (0..=u32::MAX).for_each(compare_functions);
}

#[test]
fn quotients_of_mantissas_are_one_operation() {
    let mut random = Random(11);
    for _ in 0..400_000 {
        compare_quotients(random.f32_bits(), random.f32_bits());
    }
}
