//! Operations of which only low bits matter, or have any.
//!
//! Instructions of 16 bits read low halves, and many keep the high half of their destination: to the next one that half, and what put it there, is of no
//! use. Where the high halves are known to be zero, as those of bytes that were loaded, dwords do as well and need no mask behind them.
//!
//! ```text
//! %1 = load.u8; %2 = load.u8
//! %3 = umin.16 %1, %2                  umin.32 %1, %2
//! %4 = bfi.32 0xffff, %3, %old         %old is still wanted by others only
//! %5 = umax.16 %4, %1                  umax.32 %3, %1
//! and.32 %5, 0xff                      %5
//! ```

use super::local::Facts;
use wavejit_ir::{Data, MemKind, Op, PureOp, Value, Width};

/// How far back bits are looked for.
const DEEP: u32 = 5;

/// Does it read low halves alone, and is its result, if that is a dword, one with no high half?
fn is_of_halves(op: PureOp) -> bool {
    use PureOp::*;
    matches!(
        op,
        IAdd16
            | ISub16
            | IMul16
            | Shl16
            | LShr16
            | AShr16
            | SMin16
            | SMax16
            | UMin16
            | UMax16
            | UAddSat16
            | USubSat16
            | SAddSat16
            | SSubSat16
            | ICmpEq16
            | ICmpNe16
            | ICmpSlt16
            | ICmpSle16
            | ICmpSgt16
            | ICmpSge16
            | ICmpUlt16
            | ICmpUle16
            | ICmpUgt16
            | ICmpUge16
            | FAdd16
            | FSub16
            | FMul16
            | FFma16
            | FMin16
            | FMax16
            | FMinNum16
            | FMaxNum16
            | FMinimum16
            | FMaximum16
            | FRcp16
            | FRsq16
            | FSqrt16
            | FExp216
            | FLog216
            | FFract16
            | FFloor16
            | FCeil16
            | FTrunc16
            | FRndne16
            | FClamp16
            | FCmpLt16
            | FCmpEq16
            | FCmpLe16
            | FCmpGt16
            | FCmpLg16
            | FCmpGe16
            | FCmpO16
            | FCmpU16
            | FCmpNge16
            | FCmpNlg16
            | FCmpNgt16
            | FCmpNle16
            | FCmpNeq16
            | FCmpNlt16
    )
}

fn constant(f: &Facts, v: Value) -> Option<u32> {
    f.constant(v).or_else(|| f.lanes_constant(v)).map(|c| c as u32)
}

/// A constant operand, and the other one.
fn with_constant(f: &Facts, x: Value, y: Value) -> Option<(u32, Value)> {
    constant(f, x).map(|c| (c, y)).or_else(|| constant(f, y).map(|c| (c, x)))
}

/// Bits up to the highest one of a constant.
fn length(c: u32) -> u32 {
    32 - c.leading_zeros()
}

/// Low bits of a dword behind which none is set.
fn bits(f: &Facts, v: Value, deep: u32) -> u32 {
    use PureOp::*;
    if let Some(c) = constant(f, v) {
        return length(c);
    }
    let of = |v: Value| if deep == 0 { 32 } else { bits(f, v, deep - 1) };
    let (op, args) = match f.op(v) {
        Some(Op::Load { kind: MemKind::U8, .. }) => return 8,
        Some(Op::Load { kind: MemKind::U16, .. }) => return 16,
        Some(Op::Pure { op, args, .. }) => (*op, args),
        _ => return 32,
    };
    let most = match (op, args) {
        (BToInt, _) => 1,
        (Or32 | Xor32 | UMax32, [Some(x), Some(y), _]) | (Sel32, [_, Some(x), Some(y)]) => of(*x).max(of(*y)),
        (And32 | UMin32, [Some(x), Some(y), _]) => of(*x).min(of(*y)),
        (IAdd32, [Some(x), Some(y), _]) => of(*x).max(of(*y)) + 1,
        (IMul32, [Some(x), Some(y), _]) => of(*x) + of(*y),
        (Shl32, [Some(x), Some(n), _]) => constant(f, *n).map_or(32, |n| of(*x) + (n & 31)),
        (LShr32, [Some(x), Some(n), _]) => constant(f, *n).map_or(32, |n| of(*x).saturating_sub(n & 31)),
        (BfeU32, [_, _, Some(n)]) => constant(f, *n).map_or(32, |n| n & 31),
        (Bfi32, [Some(c), Some(x), Some(y)]) => constant(f, *c).map_or(32, |c| of(*x).min(length(c)).max(of(*y).min(length(!c)))),
        // One that is short is no less than what comes out.
        (UMin16, [Some(x), Some(y), _]) => of(*x).min(of(*y)).min(16),
        (UMax16, [Some(x), Some(y), _]) => of(*x).max(of(*y)).min(16),
        _ if is_of_halves(op) && op.ret() == Width::B32 => 16,
        _ => 32,
    };
    // Sums and products wrap.
    most.min(32)
}

/// What has the same bits under a mask, with less in front of it.
fn peeled(f: &Facts, mut v: Value, mask: u32) -> Value {
    loop {
        v = match f.pure(v) {
            Some((PureOp::And32, [Some(x), Some(y), _])) => match with_constant(f, x, y) {
                Some((c, of)) if c & mask == mask => of,
                _ => return v,
            },
            Some((PureOp::Bfi32, [Some(c), Some(x), Some(y)])) => match constant(f, c) {
                Some(c) if c & mask == mask => x,
                Some(c) if c & mask == 0 => y,
                _ => return v,
            },
            _ => return v,
        }
    }
}

/// Operands of an operation without what it does not look at.
pub(super) fn operands(f: &Facts, op: PureOp, args: [Option<Value>; 3]) -> [Option<Value>; 3] {
    if is_of_halves(op) || op == PureOp::CvtF32F16 {
        return args.map(|v| v.map(|v| peeled(f, v, 0xffff)));
    }
    args
}

/// What a store writes without what it does not look at.
pub(super) fn stored(f: &Facts, kind: MemKind, data: Data) -> Data {
    let mask = match kind {
        MemKind::U8 => 0xff,
        MemKind::U16 => 0xffff,
        _ => return data,
    };
    data.map(|v| v.map(|v| peeled(f, v, mask)))
}

/// The same on dwords, or with less.
pub(super) fn pure(f: &mut Facts, op: PureOp, args: [Option<Value>; 3]) -> Option<Value> {
    use PureOp::*;
    let [Some(x), Some(y), None] = args else { return None };
    if op == And32 {
        let (c, of) = with_constant(f, x, y)?;
        if bits(f, of, DEEP) <= c.trailing_ones() {
            return Some(of);
        }
        let inner = peeled(f, of, c);
        let mask = if of == x { y } else { x };
        return (inner != of).then(|| f.make_pure(And32, &[mask, inner]));
    }
    if !is_of_halves(op) {
        return None;
    }
    let of = |v: Value| bits(f, v, DEEP);
    // Without signs, with a bit to spare for one, with a bit to spare for a carry.
    let are = |most: u32| of(x) <= most && of(y) <= most;
    let on_dwords = match op {
        UMin16 => are(16).then_some(UMin32),
        UMax16 => are(16).then_some(UMax32),
        SMin16 => are(15).then_some(SMin32),
        SMax16 => are(15).then_some(SMax32),
        IAdd16 | UAddSat16 => are(15).then_some(IAdd32),
        IMul16 => (of(x) + of(y) <= 16).then_some(IMul32),
        Shl16 => constant(f, y).filter(|n| *n < 16 && of(x) + n <= 16).map(|_| Shl32),
        LShr16 => constant(f, y).filter(|n| *n < 16 && of(x) <= 16).map(|_| LShr32),
        AShr16 => constant(f, y).filter(|n| *n < 16 && of(x) <= 15).map(|_| LShr32),
        ICmpEq16 => are(16).then_some(ICmpEq32),
        ICmpNe16 => are(16).then_some(ICmpNe32),
        ICmpUlt16 => are(16).then_some(ICmpUlt32),
        ICmpUle16 => are(16).then_some(ICmpUle32),
        ICmpUgt16 => are(16).then_some(ICmpUgt32),
        ICmpUge16 => are(16).then_some(ICmpUge32),
        ICmpSlt16 => are(15).then_some(ICmpSlt32),
        ICmpSle16 => are(15).then_some(ICmpSle32),
        ICmpSgt16 => are(15).then_some(ICmpSgt32),
        ICmpSge16 => are(15).then_some(ICmpSge32),
        _ => None,
    }?;
    Some(f.make_pure(on_dwords, &[x, y]))
}

#[cfg(test)]
mod tests {
    use super::is_of_halves;
    use crate::opt::{OptOptions, run};
    use wavejit_ir::text::{parse, print};
    use wavejit_ir::{FpMode, PureOp, eval::eval};

    /// Bytes %6 and %7, v2 (%8), 0xffff in all lanes (%10), 0xff in all lanes (%12), and this; after the passes.
    fn passed(body: &str) -> String {
        let mut func = parse(&format!(
            "func \"f\" wave32 {{
            b0 pc=0 mode=0x3f0 insts=1:
              %0: mask = exec
              %1: s32 = sget s0
              %2: s32 = sget s1
              %3: s64 = pack.64 %1, %2
              %4: l32 = vget v0 demand %0
              %5: l32 = vget v1 demand %0
              %6: l32 = load global.u8 [%3 + lane %4], exec %0
              %7: l32 = load global.u8 [%3 + lane %5], exec %0
              %8: l32 = vget v2 demand %0
              %9: s32 = const.32 0xffff
              %10: l32 = splat %9
              %11: s32 = const.32 255
              %12: l32 = splat %11
              {body}
              end
            }}"
        ))
        .unwrap();
        run(&mut func, OptOptions { keep_final_state: true, is_wide: true, ..OptOptions::default() });
        print(&func)
    }

    #[test]
    fn operations_of_halves_look_at_no_more_and_give_no_more() {
        let mut rng = wavejit_random::Random(7);
        for op in PureOp::ALL.iter().copied().filter(|op| is_of_halves(*op)) {
            for mode in [0x3f0, 0x300, 0x0f0, 0x3ff].map(FpMode) {
                for _ in 0..500 {
                    let args: [u64; 3] = std::array::from_fn(|_| rng.below64(1 << 16));
                    let noise: [u64; 3] = args.map(|x| x | rng.below64(1 << 16) << 16);
                    let [short, long] = [args, noise].map(|[a, b, c]| eval(op, mode, a, b, c));
                    assert!(short == long && short < 1 << 16, "{op:?} {mode:?} {noise:x?}: {long:x} for {short:x}");
                }
            }
        }
    }

    #[test]
    fn halves_of_bytes_are_dwords_and_what_is_kept_above_them_is_not_waited_for() {
        let text = passed(
            "%13: l32 = umin.16 %6, %7
             %14: l32 = bfi.32 %10, %13, %8
             %15: l32 = iadd.16 %14, %6
             %16: l32 = bfi.32 %10, %15, %8
             %17: l32 = and.32 %16, %10
             vset v3, %17, exec %0",
        );
        assert!(text.contains("umin.32 %6, %7") && text.contains("iadd.32") && !text.contains("bfi") && !text.contains(".16"), "{text}");
        // Somebody wants all of it.
        let text = passed("%13: l32 = umin.16 %6, %7\n%14: l32 = bfi.32 %10, %13, %8\nvset v3, %14, exec %0");
        assert!(text.contains("bfi.32"), "{text}");
    }

    #[test]
    fn what_may_have_higher_bits_or_a_sign_stays_as_it_is() {
        let text = passed(
            "%13: l32 = umin.16 %6, %8
             %14: l32 = smax.16 %10, %7
             %15: l32 = isub.16 %6, %7
             %16: l32 = imul.16 %6, %12
             %17: l32 = imul.16 %16, %7
             vset v3, %13, exec %0
             vset v4, %14, exec %0
             vset v5, %15, exec %0
             vset v6, %17, exec %0",
        );
        for op in ["umin.16", "smax.16", "isub.16", "imul.16", "imul.32"] {
            assert!(text.contains(op), "{op}: {text}");
        }
    }

    #[test]
    fn a_mask_that_leaves_all_bits_is_left_out_and_one_of_two_is() {
        let text = passed(
            "%13: l32 = and.32 %6, %12
             %14: l32 = iadd.32 %13, %7
             %15: l32 = and.32 %14, %10
             %16: l32 = and.32 %14, %12
             %17: l32 = and.32 %8, %10
             %18: l32 = and.32 %12, %17
             store global.u8 [%3 + lane %5], %16, exec %0
             vset v3, %15, exec %0
             vset v4, %16, exec %0
             vset v5, %18, exec %0",
        );
        assert_eq!(text.matches("and.32").count(), 2, "{text}");
        // What an operation gives, by its text.
        let name =
            |op: &str| text.lines().find_map(|l| l.trim().strip_suffix(op)?.split(':').next()).unwrap_or_else(|| panic!("{op}: {text}"));
        let (v2, byte) = (name("l32 = vget v2 demand %0"), name(&format!("splat {}", name("const.32 255"))));
        assert!([[byte, v2], [v2, byte]].iter().any(|[x, y]| text.contains(&format!("and.32 {x}, {y}"))), "{text}");
        let sum = text.lines().find_map(|l| l.trim().split_once(": l32 = iadd.32")).expect("there is a sum").0;
        assert!(text.lines().any(|l| l.contains("store global.u8") && l.contains(&format!("], {sum},"))), "{text}");
    }
}
