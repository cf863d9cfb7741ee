//! Sums of two products of halves as two of f32, so that what is made of the factors is made once for all that have it: matrix instructions multiply each
//! row by each column.
//!
//! ```text
//! %3 = shuffle %1, %t                    %4 = cvt.f32.f16 %1; %5 = cvt.f32.f16 (lshr.32 %1, 16); the same of %2: %6, %7
//! %8 = dot2.f32f16 %3, %2, %c            ffma.32 (shuffle %5, %t), %7, (ffma.32 (shuffle %4, %t), %6, %c)
//! ```
//!
//! That is what the operation is defined as where f32 is rounded to nearest ([`FpMode::is_plain32`]), its halves included.

use super::local::Facts;
use wavejit_ir::{FpMode, Op, PureOp, Ty, Value};

/// The halves of a factor as f32, the low one first.
fn halves(f: &mut Facts, op: PureOp, mode: FpMode, v: Value) -> [Value; 2] {
    if let Some(Op::Shuffle { value, index }) = f.op(v) {
        let (value, index) = (*value, *index);
        return halves(f, op, mode, value).map(|value| f.make(Op::Shuffle { value, index }, Ty::L32));
    }
    let with = |f: &mut Facts, op: PureOp, n: u64| {
        let n = f.make_splat32(n);
        f.make_pure(op, &[v, n])
    };
    if op == PureOp::Dot2F32Bf16 {
        return [with(f, PureOp::Shl32, 16), with(f, PureOp::And32, 0xffff_0000)];
    }
    let high = with(f, PureOp::LShr32, 16);
    [v, high].map(|v| f.make(Op::Pure { op: PureOp::CvtF32F16, mode, args: [Some(v), None, None] }, Ty::L32))
}

/// The same as two sums, if there are lanes to be shuffled: alone, it is done at once.
pub(super) fn whole(f: &mut Facts, op: PureOp, mode: FpMode, args: [Option<Value>; 3]) -> Option<Value> {
    let [Some(x), Some(y), Some(z)] = args else { return None };
    let is_one = matches!(op, PureOp::Dot2F32F16 | PureOp::Dot2F32Bf16) && mode.is_plain32() && f.is_wide;
    // Shuffled are lanes.
    if !is_one || !matches!(f.op(x), Some(Op::Shuffle { .. })) {
        return None;
    }
    let (x, y) = (halves(f, op, mode, x), halves(f, op, mode, y));
    let sum =
        |f: &mut Facts, i: usize, z: Value| f.make(Op::Pure { op: PureOp::FFma32, mode, args: [Some(x[i]), Some(y[i]), Some(z)] }, Ty::L32);
    let low = sum(f, 0, z);
    Some(sum(f, 1, low))
}

#[cfg(test)]
mod tests {
    use crate::opt::{OptOptions, run};
    use wavejit_ir::text::{parse, print};

    /// Two rows of v0 by v1, added to v2, in a mode.
    fn passed(op: &str, mode: &str) -> String {
        let lanes = |n: usize| vec![n.to_string(); 32].join(" ");
        let mut func = parse(&format!(
            "func \"f\" wave32 {{
            table t0 = [{}]
            table t1 = [{}]
            b0 pc=0 mode={mode} insts=1:
              %0: mask = exec
              %1: l32 = vget v0
              %2: l32 = vget v1
              %3: l32 = vget v2
              %4: l32 = lanetable t0
              %5: l32 = shuffle %1, %4
              %6: l32 = {op} %5, %2, %3
              %7: l32 = lanetable t1
              %8: l32 = shuffle %1, %7
              %9: l32 = {op} %8, %2, %6
              vset v3, %9, exec %0
              end
            }}",
            lanes(0),
            lanes(1)
        ))
        .unwrap_or_else(|e| panic!("{e:?}"));
        run(&mut func, OptOptions { keep_final_state: true, is_wide: true, ..OptOptions::default() });
        print(&func)
    }

    #[test]
    fn halves_are_converted_once_for_all_rows() {
        let text = passed("dot2.f32f16", "0x3f0");
        assert_eq!(
            (text.matches("cvt.f32.f16").count(), text.matches("ffma.32").count(), text.matches("shuffle").count()),
            (4, 4, 4),
            "{text}"
        );
        let text = passed("dot2.f32bf16", "0x3f0");
        assert_eq!((text.matches("shl.32").count(), text.matches("and.32").count(), text.matches("ffma.32").count()), (2, 2, 4), "{text}");
        // Where sums are not rounded to nearest the operation is.
        let text = passed("dot2.f32f16", "0x3f3");
        assert!(text.contains("dot2.f32f16") && !text.contains("ffma.32"), "{text}");
    }
}
