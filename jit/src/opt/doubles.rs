//! Doubles that compilers make in steps, since GPUs have no instruction for the whole.
//!
//! ```text
//! fldexp.64 x, n                                                    fmul.64 x, 2^n        where n is a constant and 2^n a normal number
//! fldexp.64 x, (cvt.i32.f64 n)                                      fscale.64 x, n          where n is integral, on AVX-512
//! fadd.64 (fldexp.64 (cvt.f64.u32 high), 32), (cvt.f64.u32 low)  => cvt.f64.u64 {low, high}
//! ```
//!
//! Both round once, as the mode says. In the sum the high half times 2^32 is exact, as is the low half: what is rounded is the integer.

use super::local::Facts;
use wavejit_ir::{FpMode, Op, PureOp, Shape, Ty, Value, Width};

pub(super) fn whole(f: &mut Facts, op: PureOp, mode: FpMode, args: [Option<Value>; 3]) -> Option<Value> {
    let [Some(x), Some(y), None] = args else { return None };
    if f.func.ty(x).shape != Shape::Lane {
        return None;
    }
    match op {
        PureOp::FLdexp64 if f.lanes_constant(y).is_none() => {
            let (PureOp::CvtI32F64, [Some(n), ..]) = f.pure(y).filter(|_| f.is_avx512)? else { return None };
            use PureOp::{FCeil64, FFloor64, FRndne64, FTrunc64};
            matches!(f.pure(n)?.0, FRndne64 | FTrunc64 | FFloor64 | FCeil64)
                .then(|| f.make(Op::Pure { op: PureOp::FScale64, mode, args: [Some(x), Some(n), None] }, Ty::L64))
        }
        PureOp::FLdexp64 => {
            let n = f.lanes_constant(y)? as u32 as i32;
            let factor = (-1022..=1023).contains(&n).then(|| (1023 + n) as u64)? << 52;
            let factor = f.make_const(Width::B64, factor);
            let factor = f.make(Op::Splat(factor), Ty::L64);
            Some(f.make(Op::Pure { op: PureOp::FMul64, mode, args: [Some(x), Some(factor), None] }, Ty::L64))
        }
        PureOp::FAdd64 if f.is_wide => {
            let (op, low, high) = halves(f, x, y).or_else(|| halves(f, y, x))?;
            let integer = f.make_pure(PureOp::Pack64, &[low, high]);
            Some(f.make(Op::Pure { op, mode, args: [Some(integer), None, None] }, Ty::L64))
        }
        _ => None,
    }
}

/// Is one the high half of an integer times 2^32, and the other its low half? The conversion of it, and its halves.
fn halves(f: &Facts, scaled: Value, other: Value) -> Option<(PureOp, Value, Value)> {
    let (PureOp::CvtF64U32, [Some(low), ..]) = f.pure(other)? else { return None };
    let (PureOp::FMul64, [Some(high), Some(factor), _]) = f.pure(scaled)? else { return None };
    let is_2_to_32 = f.lanes_constant(factor) == Some(4_294_967_296f64.to_bits());
    match f.pure(high)? {
        (PureOp::CvtF64U32, [Some(high), ..]) if is_2_to_32 => Some((PureOp::CvtF64U64, low, high)),
        (PureOp::CvtF64I32, [Some(high), ..]) if is_2_to_32 => Some((PureOp::CvtF64I64, low, high)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::opt::{OptOptions, run};
    use wavejit_ir::text::{parse, print};

    /// What the passes make of v0 and v1, converted, scaled and added.
    fn passed(high: &str, n: &str, is_wide: bool) -> String {
        let mut func = parse(&format!(
            "func \"f\" wave32 {{
            b0 pc=0 mode=0x3f0 insts=1:
              %0: mask = exec
              %1: l32 = vget v0 demand %0
              %2: l32 = vget v1 demand %0
              %3: s32 = const.32 {n}
              %4: l32 = splat %3
              %5: l64 = {high} %2
              %6: l64 = fldexp.64 %5, %4
              %7: l64 = cvt.f64.u32 %1
              %8: l64 = fadd.64 %6, %7
              %9: l32 = lo.64 %8
              vset v0, %9, exec %0
              %10: l32 = hi.64 %8
              vset v1, %10, exec %0
              end
            }}"
        ))
        .unwrap();
        run(&mut func, OptOptions { keep_final_state: true, is_wide, ..OptOptions::default() });
        print(&func)
    }

    #[test]
    fn integers_of_64_bits_are_converted_at_once() {
        for (high, whole) in [("cvt.f64.u32", "cvt.f64.u64"), ("cvt.f64.i32", "cvt.f64.i64")] {
            let text = passed(high, "32", true);
            assert!(text.contains(whole) && !text.contains("fadd"), "{text}");
        }
    }

    #[test]
    fn other_sums_stay_sums_of_products() {
        for (n, factor, is_wide) in [("31", 1023 + 31, true), ("32", 1023 + 32, false), ("0xfffffc02", 1, true)] {
            let text = passed("cvt.f64.u32", n, is_wide);
            let factor = format!("const.64 {:#x}", (factor as u64) << 52);
            assert!(text.contains("fadd.64") && text.contains("fmul.64") && text.contains(&factor), "{text}");
        }
        // No normal number.
        for n in ["0xfffffc01", "1024"] {
            assert!(passed("cvt.f64.u32", n, true).contains("fldexp.64"), "{n}");
        }
    }
}
