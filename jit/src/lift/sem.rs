//! What an instruction means, as data: the right-hand side of a table row.
//!
//! Most rows are a function from operands to a result, named by a [`PureOp`] or written over the [`Builder`]; [`super::cx`] fetches the
//! operands, applies modifiers and DPP, and writes the result. The others are a function over [`Cx`] in the file of their topic.
//! Operands come in LLVM's print order (`isa::inst`).

use super::control::Control;
use super::cx::Cx;
use wavejit_ir::{Builder, NoteKind, PureOp, Value};

/// Type of an operand: how many bits, how constants widen, whether neg and abs apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum T {
    /// 16-bit float, in a half of a register.
    F16,
    F32,
    F64,
    /// 16-bit integer or bits, in a half of a register.
    B16,
    /// 32-bit integer, bits or packed halves.
    B32,
    /// Two f16 in a register: a float constant stands in the low half as f16.
    H2,
    /// Two bf16 in a register: a float constant stands in the low half as bf16.
    Bf2,
    /// 64-bit unsigned integer or bits: literals are zero-extended.
    B64,
    /// 64-bit signed integer: literals are sign-extended.
    I64,
    /// Lane mask (one SGPR in wave32, a pair in wave64). Left out in assembly: VCC.
    Mask,
    /// simm16, sign-extended.
    K,
}
pub use T::{B16, B32, B64, Bf2, F16, F32, F64, H2, I64, K, Mask};

impl T {
    /// Do neg, abs, omod and the float clamp apply?
    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }
    /// Does it live in a half of a register?
    pub fn is_16(self) -> bool {
        matches!(self, F16 | B16)
    }
    /// Does it need two registers?
    pub fn is_64(self) -> bool {
        matches!(self, F64 | B64 | I64)
    }
}

/// A function of operand values.
#[derive(Clone, Copy)]
pub enum F {
    /// The operation itself.
    Op(PureOp),
    /// First two operands exchanged (`*rev` forms).
    Rev(PureOp),
    /// Anything made of pure operations.
    Fn(fn(&mut Builder, &[Value]) -> Value),
}

impl F {
    /// Appends the operations.
    pub fn apply(self, b: &mut Builder, v: &[Value]) -> Value {
        match self {
            F::Fn(f) => f(b, v),
            F::Op(op) => match *v {
                [a] => b.pure1(op, a),
                [a, c] => b.pure2(op, a, c),
                [a, c, d] => b.pure3(op, a, c, d),
                _ => unreachable!("pure operations have one to three operands"),
            },
            F::Rev(op) => b.pure2(op, v[1], v[0]),
        }
    }
}

/// A vector result of vector operands.
#[derive(Clone, Copy)]
pub struct Lane {
    pub dst: T,
    pub src: &'static [T],
    pub f: F,
    /// The destination is also the last source (fmac).
    pub acc: bool,
    /// What `clamp` makes of an integer operation.
    pub saturate: Option<F>,
}

/// What a scalar instruction does to SCC.
#[derive(Clone, Copy)]
pub enum Scc {
    Keep,
    /// Result is not zero.
    NonZero,
}

/// Meaning of a row.
#[derive(Clone, Copy)]
pub enum Sem {
    Lane(Lane),
    /// A vector result and a lane mask, in this order.
    LaneCarry {
        dst: T,
        src: &'static [T],
        f: fn(&mut Builder, &[Value]) -> (Value, Value),
        saturate: Option<F>,
    },
    /// A lane mask: v_cmp to its destination, v_cmpx to EXEC.
    Compare {
        src: &'static [T],
        f: F,
    },
    /// A scalar result.
    Scalar {
        dst: T,
        src: &'static [T],
        f: F,
        scc: Scc,
    },
    /// A scalar result and SCC (S1).
    ScalarScc {
        dst: T,
        src: &'static [T],
        f: fn(&mut Builder, &[Value]) -> (Value, Value),
    },
    /// SCC only.
    ScalarCompare {
        src: &'static [T],
        f: F,
    },
    /// Everything else that does not end a block.
    Wave(fn(&mut Cx)),
    /// Ends a block, or may.
    Control(Control),
    /// Nothing to do; kept for tools.
    Note(NoteKind),
}

/// A row: mnemonic and meaning.
pub type Row = (&'static str, Sem);

/// `dst = op(src...)`.
pub const fn lane(dst: T, src: &'static [T], op: PureOp) -> Sem {
    Sem::Lane(Lane { dst, src, f: F::Op(op), acc: false, saturate: None })
}
/// `dst = op(src1, src0)`.
pub const fn lane_rev(dst: T, src: &'static [T], op: PureOp) -> Sem {
    Sem::Lane(Lane { dst, src, f: F::Rev(op), acc: false, saturate: None })
}
/// `dst = f(src...)`.
pub const fn lane_fn(dst: T, src: &'static [T], f: fn(&mut Builder, &[Value]) -> Value) -> Sem {
    Sem::Lane(Lane { dst, src, f: F::Fn(f), acc: false, saturate: None })
}
/// One operand, all of one type.
pub const fn lane1(t: &'static [T; 1], op: PureOp) -> Sem {
    lane(t[0], t, op)
}
/// Two operands, all of one type.
pub const fn lane2(t: &'static [T; 2], op: PureOp) -> Sem {
    lane(t[0], t, op)
}
/// Three operands, all of one type.
pub const fn lane3(t: &'static [T; 3], op: PureOp) -> Sem {
    lane(t[0], t, op)
}
/// `dst = op(src..., dst)`.
pub const fn lane_acc(src: &'static [T], op: PureOp) -> Sem {
    Sem::Lane(Lane { dst: src[0], src, f: F::Op(op), acc: true, saturate: None })
}
/// `dst = op(src0, src1)`, saturating with clamp.
pub const fn lane_sat(t: &'static [T; 2], op: PureOp, saturate: PureOp) -> Sem {
    Sem::Lane(Lane { dst: t[0], src: t, f: F::Op(op), acc: false, saturate: Some(F::Op(saturate)) })
}
/// `dst = op(src1, src0)`, saturating with clamp.
pub const fn lane_rev_sat(t: &'static [T; 2], op: PureOp, saturate: PureOp) -> Sem {
    Sem::Lane(Lane { dst: t[0], src: t, f: F::Rev(op), acc: false, saturate: Some(F::Rev(saturate)) })
}
/// `dst = f(src...)`, with clamp `saturate(src...)`.
pub const fn lane_fn_sat(
    dst: T,
    src: &'static [T],
    f: fn(&mut Builder, &[Value]) -> Value,
    saturate: fn(&mut Builder, &[Value]) -> Value,
) -> Sem {
    Sem::Lane(Lane { dst, src, f: F::Fn(f), acc: false, saturate: Some(F::Fn(saturate)) })
}
/// A result and a carry.
pub const fn carry(dst: T, src: &'static [T], f: fn(&mut Builder, &[Value]) -> (Value, Value)) -> Sem {
    Sem::LaneCarry { dst, src, f, saturate: None }
}
/// A result and a carry; the result saturates with clamp.
pub const fn carry_sat(
    dst: T,
    src: &'static [T],
    f: fn(&mut Builder, &[Value]) -> (Value, Value),
    saturate: fn(&mut Builder, &[Value]) -> Value,
) -> Sem {
    Sem::LaneCarry { dst, src, f, saturate: Some(F::Fn(saturate)) }
}
/// v_cmp and v_cmpx.
pub const fn cmp(src: &'static [T], op: PureOp) -> Sem {
    Sem::Compare { src, f: F::Op(op) }
}
/// v_cmp and v_cmpx of a composed condition.
pub const fn cmp_fn(src: &'static [T], f: fn(&mut Builder, &[Value]) -> Value) -> Sem {
    Sem::Compare { src, f: F::Fn(f) }
}
/// `sdst = op(src...)`, SCC = result not zero.
pub const fn snz(dst: T, src: &'static [T], op: PureOp) -> Sem {
    Sem::Scalar { dst, src, f: F::Op(op), scc: Scc::NonZero }
}
/// `sdst = f(src...)`, SCC = result not zero.
pub const fn snz_fn(dst: T, src: &'static [T], f: fn(&mut Builder, &[Value]) -> Value) -> Sem {
    Sem::Scalar { dst, src, f: F::Fn(f), scc: Scc::NonZero }
}
/// `sdst = op(src...)`, SCC unchanged.
pub const fn s(dst: T, src: &'static [T], op: PureOp) -> Sem {
    Sem::Scalar { dst, src, f: F::Op(op), scc: Scc::Keep }
}
/// `sdst = f(src...)`, SCC unchanged.
pub const fn s_fn(dst: T, src: &'static [T], f: fn(&mut Builder, &[Value]) -> Value) -> Sem {
    Sem::Scalar { dst, src, f: F::Fn(f), scc: Scc::Keep }
}
/// `(sdst, SCC) = f(src...)`.
pub const fn s_scc(dst: T, src: &'static [T], f: fn(&mut Builder, &[Value]) -> (Value, Value)) -> Sem {
    Sem::ScalarScc { dst, src, f }
}
/// `SCC = op(src...)`.
pub const fn scmp(src: &'static [T], op: PureOp) -> Sem {
    Sem::ScalarCompare { src, f: F::Op(op) }
}
/// `SCC = f(src...)`.
pub const fn scmp_fn(src: &'static [T], f: fn(&mut Builder, &[Value]) -> Value) -> Sem {
    Sem::ScalarCompare { src, f: F::Fn(f) }
}
