//! Address facts: splits lane addresses of memory operations into a part that is one per wave and a lane part as small as possible.
//!
//! Compilers add a 64-bit base to a 64-bit offset in two 32-bit steps with a carry per lane; what the memory operation wants is the scalar
//! base and the offset:
//!
//! ```text
//! %5 = iadd.32 %base_lo, %off_lo          load [pack.64(%base_lo, %base_hi) + lane pack.64(%off_lo, %off_hi)]
//! %6 = ult.32 %5, %base_lo            =>
//! %8 = iadd.32 (iadd.32 %base_hi, %off_hi), b2i(%6 and exec)
//! load [lane pack.64 %5, %8]
//! ```
//!
//! The rewritten address is equal in the lanes of the operation's EXEC, which are all it looks at: the carry may be cut to any mask that
//! contains them.

use super::local::Facts;
use wavejit_ir::{Addr, Op, PureOp, Space, Ty, Value};

/// Splits the address of an operation under `exec` as far as it goes.
pub(super) fn split(f: &mut Facts, space: Space, mut addr: Addr, exec: Value) -> Addr {
    while let Some(next) = match space {
        Space::Global | Space::Flat => step_64(f, addr, exec),
        Space::Lds => step_lds(f, addr),
        Space::Scratch | Space::Gds => None,
    } {
        addr = next;
    }
    addr
}

/// The scalar that `v` is a splat of.
fn splat_of(f: &Facts, v: Value) -> Option<Value> {
    match f.op(v)? {
        Op::Splat(s) => Some(*s),
        _ => None,
    }
}

fn with_base(f: &mut Facts, addr: Addr, base: Value, offset: Option<Value>) -> Option<Addr> {
    let base = match addr.base {
        Some(b) => f.make_pure(PureOp::IAdd64, &[b, base]),
        None => base,
    };
    Some(Addr { base: Some(base), offset, ..addr })
}

fn step_64(f: &mut Facts, addr: Addr, exec: Value) -> Option<Addr> {
    let offset = addr.offset?;
    if f.func.ty(offset) != Ty::L64 {
        return None;
    }
    if let Some(s) = splat_of(f, offset) {
        return with_base(f, addr, s, None);
    }
    match f.pure(offset)? {
        (PureOp::IAdd64, [Some(a), Some(b), _]) => {
            if let Some(s) = splat_of(f, a) {
                with_base(f, addr, s, Some(b))
            } else if let Some(s) = splat_of(f, b) {
                with_base(f, addr, s, Some(a))
            } else {
                let (s, rest) = inner_splat(f, a, b).or_else(|| inner_splat(f, b, a))?;
                with_base(f, addr, s, Some(rest))
            }
        }
        (PureOp::ZExt64, [Some(low), ..]) => Some(Addr { offset: Some(low), ..addr }),
        (PureOp::Pack64, [Some(low), Some(high), _]) => {
            if let Some((base, rest)) = carried_sum(f, low, high, exec) {
                return with_base(f, addr, base, Some(rest));
            }
            let offset = extended_sum(f, low, high, exec)?;
            Some(Addr { offset: Some(offset), ..addr })
        }
        (PureOp::Shl64, [Some(sum), Some(n), _]) => shifted_sum(f, addr, sum, n, exec),
        _ => None,
    }
}

/// `sum + other` as a scalar and the rest, if `sum` is one of a scalar and a lane value.
fn inner_splat(f: &mut Facts, sum: Value, other: Value) -> Option<(Value, Value)> {
    let (PureOp::IAdd64, [Some(a), Some(b), _]) = f.pure(sum)? else { return None };
    let (s, rest) = match (splat_of(f, a), splat_of(f, b)) {
        (Some(s), _) => (s, b),
        (None, Some(s)) => (s, a),
        (None, None) => return None,
    };
    Some((s, f.make_pure(PureOp::IAdd64, &[rest, other])))
}

/// `sum << n`, where `sum` is one of a scalar and a lane value, or of two dwords that are extended.
fn shifted_sum(f: &mut Facts, addr: Addr, sum: Value, n: Value, exec: Value) -> Option<Addr> {
    let by = splat_of(f, n)?;
    let (base, rest) = match f.pure(sum)? {
        (PureOp::IAdd64, [Some(a), Some(b), _]) => match (splat_of(f, a), splat_of(f, b)) {
            (Some(s), _) => (s, b),
            (None, Some(s)) => (s, a),
            (None, None) => return None,
        },
        (PureOp::Pack64, [Some(low), Some(high), _]) => {
            if let Some(parts) = carried_sum(f, low, high, exec) {
                parts
            } else {
                let sum = extended_sum(f, low, high, exec)?;
                let offset = f.make_pure(PureOp::Shl64, &[sum, n]);
                return Some(Addr { offset: Some(offset), ..addr });
            }
        }
        _ => return None,
    };
    let (base, rest) = (f.make_pure(PureOp::Shl64, &[base, by]), f.make_pure(PureOp::Shl64, &[rest, n]));
    with_base(f, addr, base, Some(rest))
}

/// `low`, `high` as a sum of two dwords that are sign-extended first, in 64 bits:
///
/// ```text
/// pack.64(%5 = iadd.32 %a, %b, iadd.32 (iadd.32 (ashr.32 %a, 31), (ashr.32 %b, 31)), b2i(ult.32 %5, %a and exec))     iadd.64 (sext.64 %a), (sext.64 %b)
/// ```
fn extended_sum(f: &mut Facts, low: Value, high: Value, exec: Value) -> Option<Value> {
    let (PureOp::IAdd32, [Some(p), Some(q), _]) = f.pure(low)? else { return None };
    let (PureOp::IAdd32, [Some(x), Some(y), _]) = f.pure(high)? else { return None };
    let sum = if carry_of(f, y, low, [p, q], Some(exec)) {
        x
    } else if carry_of(f, x, low, [p, q], Some(exec)) {
        y
    } else {
        return None;
    };
    let (PureOp::IAdd32, [Some(r), Some(s), _]) = f.pure(sum)? else { return None };
    let signs = |f: &Facts, sign: Value, of: Value| match f.pure(sign) {
        Some((PureOp::AShr32, [Some(v), Some(n), _])) => v == of && splat_of(f, n).and_then(|n| f.constant(n)) == Some(31),
        _ => false,
    };
    if !(signs(f, r, p) && signs(f, s, q) || signs(f, r, q) && signs(f, s, p)) {
        return None;
    }
    let [p, q] = [p, q].map(|v| f.make_pure(PureOp::SExt64, &[v]));
    Some(f.make_pure(PureOp::IAdd64, &[p, q]))
}

/// `low`, `high` as the sum of a scalar and a lane value, both 64 bits, if they are one.
fn carried_sum(f: &mut Facts, low: Value, high: Value, exec: Value) -> Option<(Value, Value)> {
    let (PureOp::IAdd32, [Some(p), Some(q), _]) = f.pure(low)? else { return None };
    let (PureOp::IAdd32, [Some(x), Some(y), _]) = f.pure(high)? else { return None };
    let carries = |f: &Facts, v: Value| carry_of(f, v, low, [p, q], Some(exec));
    let sum = if carries(f, y) {
        x
    } else if carries(f, x) {
        y
    } else {
        return None;
    };
    let (base_low, rest_low) = match (splat_of(f, p), splat_of(f, q)) {
        (Some(s), _) => (s, q),
        (None, Some(s)) => (s, p),
        (None, None) => return None,
    };
    // Any split of the high words will do: only their sum matters.
    let (base_high, rest_high) = match f.pure(sum) {
        Some((PureOp::IAdd32, [Some(r), Some(s), _])) => match (splat_of(f, r), splat_of(f, s)) {
            (Some(b), _) => (Some(b), Some(s)),
            (None, Some(b)) => (Some(b), Some(r)),
            (None, None) => (None, Some(sum)),
        },
        _ => match splat_of(f, sum) {
            Some(b) => (Some(b), None),
            None => (None, Some(sum)),
        },
    };
    let base = match base_high {
        Some(h) => f.make_pure(PureOp::Pack64, &[base_low, h]),
        None => f.make_pure(PureOp::ZExt64, &[base_low]),
    };
    let rest = match rest_high {
        Some(h) => f.make_pure(PureOp::Pack64, &[rest_low, h]),
        None => f.make_pure(PureOp::ZExt64, &[rest_low]),
    };
    Some((base, rest))
}

/// Is `v`, in the lanes of `exec` (none: of scalars), the carry (0 or 1) out of `sum` = one of `terms` + the other?
pub(super) fn carry_of(f: &Facts, v: Value, sum: Value, terms: [Value; 2], exec: Option<Value>) -> bool {
    let Some((PureOp::BToInt, [Some(mut m), ..])) = f.pure(v) else { return false };
    if let Some((PureOp::BAnd, [Some(a), Some(b), _])) = f.pure(m) {
        let is_within = |m: Value| exec.is_some_and(|exec| f.is_subset(exec, m));
        m = match () {
            () if is_within(b) => a,
            () if is_within(a) => b,
            () => return false,
        };
    }
    match f.pure(m) {
        Some((PureOp::ICmpUlt32, [Some(a), Some(b), _])) => a == sum && terms.contains(&b),
        Some((PureOp::ICmpUgt32, [Some(a), Some(b), _])) => b == sum && terms.contains(&a),
        _ => false,
    }
}

/// LDS addresses are sums modulo 2^32, so constants go into the immediate.
fn step_lds(f: &mut Facts, addr: Addr) -> Option<Addr> {
    let offset = addr.offset?;
    let constant = |f: &Facts, v: Value| splat_of(f, v).and_then(|s| f.constant(s));
    if let Some(c) = constant(f, offset) {
        return Some(Addr { offset: None, imm: i64::from((addr.imm as u32).wrapping_add(c as u32)), ..addr });
    }
    let (PureOp::IAdd32, [Some(a), Some(b), _]) = f.pure(offset)? else { return None };
    let (c, rest) = match (constant(f, a), constant(f, b)) {
        (Some(c), _) => (c, b),
        (None, Some(c)) => (c, a),
        (None, None) => return None,
    };
    Some(Addr { offset: Some(rest), imm: i64::from((addr.imm as u32).wrapping_add(c as u32)), ..addr })
}

#[cfg(test)]
mod tests {
    use crate::opt::{OptOptions, run};
    use wavejit_ir::text::{parse, print};

    /// A store of v0 to s[0:1] and the sum of v0 and v1 as dwords that are sign-extended, times 4, as compilers add it; the carry is cut to `carry`.
    fn passed(carry: &str) -> String {
        let mut func = parse(&format!(
            "func \"f\" wave32 {{
            b0 pc=0 mode=0x3f0 insts=1:
              %0: mask = exec
              %1: l32 = vget v0 demand %0
              %2: l32 = vget v1 demand %0
              %3: l32 = iadd.32 %1, %2
              %4: mask = ult.32 %3, %1
              %5: s32 = sget s2
              %6: s64 = zext.64 %5
              %7: mask = bitsmask %6
              %8: mask = and.1 %4, {carry}
              %9: l32 = b2i.32 %8
              %10: s32 = const.32 31
              %11: l32 = splat %10
              %12: l32 = ashr.32 %1, %11
              %13: l32 = ashr.32 %2, %11
              %14: l32 = iadd.32 %13, %12
              %15: l32 = iadd.32 %14, %9
              %16: l64 = pack.64 %3, %15
              %17: s32 = const.32 2
              %18: l32 = splat %17
              %19: l64 = shl.64 %16, %18
              %20: s32 = sget s0
              %21: s32 = sget s1
              %22: s64 = pack.64 %20, %21
              store global.b32 [%22 + lane %19], %1, exec %0
              end
            }}"
        ))
        .unwrap();
        run(&mut func, OptOptions::default());
        print(&func)
    }

    #[test]
    fn a_sum_of_extended_dwords_is_put_together_where_its_carry_is_whole() {
        let text = passed("%0");
        assert!(text.matches("sext.64").count() == 2 && text.contains("iadd.64") && !text.contains("b2i"), "{text}");
        let text = passed("%7");
        assert!(!text.contains("sext.64") && text.contains("b2i"), "{text}");
    }
}
