//! Scalar operations that general registers have no instructions for, such as all of floats: they are done in lanes, and one lane is read.
//!
//! A vector instruction whose operands are all scalar registers or constants, `v_cvt_f32_u32 v1, s4`, is lifted as a scalar operation and a splat, and so is
//! all that is computed from its result; scalar instructions of floats are scalar operations too. In lanes an operation that is the same in all of them is done
//! once; as a scalar one it would be a call.
//!
//! ```text
//! %3: s32 = cvt.f32.u32 %2          %3: l32 = splat %2
//! %4: l32 = splat %3                %4: l32 = cvt.f32.u32 %3
//!                              =>   %5: s32 = readlane %4, 0         for those who want it as a scalar
//! ```

use super::local::Facts;
use wavejit_ir::{FpMode, Op, PureOp, Shape, Ty, Value, Width};

/// Do general registers have instructions for an operation? `is_constant` tells of its operands whether they are constants.
pub(super) fn has_scalar_code(op: PureOp, is_constant: impl Fn(usize) -> bool) -> bool {
    use PureOp::*;
    match op {
        BAnd | BOr | BXor | BNot | BAndNot | BToInt | Sel32 | Sel64 => true,
        And32 | Or32 | Xor32 | Not32 | IAdd32 | ISub32 | IMul32 | UMulHi32 | SMulHi32 | UMulWide32 | SMulWide32 => true,
        And64 | Or64 | Xor64 | Not64 | IAdd64 | ISub64 | IMul64 | ZExt64 | SExt64 | Lo64 | Hi64 | Pack64 => true,
        Shl32 | LShr32 | AShr32 | Shl64 | LShr64 | AShr64 | SMin32 | SMax32 | UMin32 | UMax32 => true,
        Popcnt32 | Popcnt64 | FfblB32 | FfblB64 | FfbhU32 | FfbhU64 | FfbhI32 | FfbhI64 | Wqm64 => true,
        ICmpEq32 | ICmpNe32 | ICmpSlt32 | ICmpSle32 | ICmpSgt32 | ICmpSge32 | ICmpUlt32 | ICmpUle32 | ICmpUgt32 | ICmpUge32 => true,
        ICmpEq64 | ICmpNe64 | ICmpSlt64 | ICmpSle64 | ICmpSgt64 | ICmpSge64 | ICmpUlt64 | ICmpUle64 | ICmpUgt64 | ICmpUge64 => true,
        BfeU32 => is_constant(1) && is_constant(2),
        RotL64 => is_constant(1),
        // In lanes these are calls as well.
        BitRev64 | QuadMask64 | BitReplicate | FMullit32 | FOmod2x64 | FOmod4x64 | FOmodHalf64 | Dot2Bf16Bf16 => true,
        FClass16 | FClass32 | FClass64 | TrigPreop64 => !is_constant(1),
        _ => false,
    }
}

/// The scalar that such an operation makes.
pub(super) fn in_lanes(f: &mut Facts, op: PureOp, mode: FpMode, args: [Option<Value>; 3]) -> Option<Value> {
    let all = || args.iter().flatten().copied();
    let is_scalar = all().next().is_some() && all().all(|v| f.func.ty(v).shape == Shape::Scalar && f.func.ty(v).width != Width::B1);
    let is_constant = |i: usize| args[i].is_some_and(|v| f.constant(v).is_some());
    if !f.is_wide || !is_scalar || has_scalar_code(op, is_constant) {
        return None;
    }
    let args = args.map(|v| {
        let v = v?;
        Some(f.make(Op::Splat(v), Ty { shape: Shape::Lane, width: f.func.ty(v).width }))
    });
    let lanes = f.make(Op::Pure { op, mode, args }, Ty { shape: Shape::Lane, width: op.ret() });
    Some(match op.ret() {
        Width::B1 => {
            let bits = f.make(Op::MaskBits(lanes), Ty::S64);
            let (low, one, zero) = (f.make_pure(PureOp::Lo64, &[bits]), f.make_const(Width::B32, 1), f.make_const(Width::B32, 0));
            let first = f.make_pure(PureOp::And32, &[low, one]);
            f.make_pure(PureOp::ICmpNe32, &[first, zero])
        }
        Width::B32 => first_lane(f, lanes),
        Width::B64 => {
            let [low, high] = [PureOp::Lo64, PureOp::Hi64].map(|half| {
                let half = f.make_pure(half, &[lanes]);
                first_lane(f, half)
            });
            f.make_pure(PureOp::Pack64, &[low, high])
        }
    })
}

/// What a dword that is the same in all lanes is in the first one; the dword stands for its splats.
fn first_lane(f: &mut Facts, lanes: Value) -> Value {
    if let Some(Op::Splat(s)) = f.op(lanes) {
        return *s;
    }
    let zero = f.make_const(Width::B32, 0);
    let first = f.make(Op::ReadLane { value: lanes, lane: zero }, Ty::S32);
    f.note_lanes(first, lanes);
    first
}

#[cfg(test)]
mod tests {
    use crate::opt::{OptOptions, run};
    use wavejit_ir::{Func, Op, Shape, text};

    /// What becomes of `%4 = {op} %1, %2` on s0 and s1, and of what reads it.
    fn optimized(op: &str, ty: &str, uses: &str, is_wide: bool) -> Func {
        let text = format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n%1: s32 = sget s0\n%2: s32 = sget s1\n%4: {ty} = {op} %1, %2\n{uses}end\n}}"
        );
        let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        run(&mut func, OptOptions { keep_final_state: true, is_wide, ..OptOptions::default() });
        func
    }

    fn shape(func: &Func) -> Option<Shape> {
        let pure = |i: &&wavejit_ir::Inst| matches!(i.op, Op::Pure { op, .. } if op.reads_mode() || op == wavejit_ir::PureOp::IAdd32);
        func.blocks[0].insts.iter().find(pure).map(|i| func.ty(i.first).shape)
    }

    fn reads_lanes(func: &Func) -> usize {
        func.blocks[0].insts.iter().filter(|i| matches!(i.op, Op::ReadLane { .. })).count()
    }

    #[test]
    fn floats_are_added_in_lanes() {
        let row = "%5: l32 = splat %4\nvset v0, %5, exec %0\n";
        let func = optimized("fadd.32", "s32", row, true);
        assert_eq!((shape(&func), reads_lanes(&func)), (Some(Shape::Lane), 0), "nobody wants the scalar");
        let func = optimized("fadd.32", "s32", "sset s2, %4\n", true);
        assert_eq!((shape(&func), reads_lanes(&func)), (Some(Shape::Lane), 1));
        let func = optimized("flt.32", "s1", "%5: s32 = b2i.32 %4\nsset s2, %5\n", true);
        assert_eq!(shape(&func), Some(Shape::Lane));
        // Other back ends have functions for them.
        assert_eq!(shape(&optimized("fadd.32", "s32", row, false)), Some(Shape::Scalar));
    }

    #[test]
    fn integers_are_added_once() {
        let func = optimized("iadd.32", "s32", "%5: l32 = splat %4\nvset v0, %5, exec %0\nsset s2, %4\n", true);
        assert_eq!((shape(&func), reads_lanes(&func)), (Some(Shape::Scalar), 0));
    }
}
