//! What an instruction means: the right-hand side of its row with the types of the left one.
//!
//! Most rows are a function from operands to a result, an operation of the IR or a function over the [`Builder`]; [`super::cx`] fetches the
//! operands, applies modifiers and DPP, and writes the result. The others are a function over [`Cx`] in the file of their topic, which gets the operands that the row
//! hands it by name ([`Arg`](super::cx::Arg)).

use super::control::Control;
use super::cx::Cx;
use super::meaning::{Meaning, Results};
use wavejit_ir::{Builder, NoteKind, Value};
use wavejit_isa::{self as isa, Opd, Ty};

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
    /// SCC (S1).
    Scc,
}
pub(super) use T::{B16, B32, B64, Bf2, F16, F32, F64, H2, I64, K, Mask};

impl T {
    /// Do neg, abs, omod and the float clamp apply?
    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }
    /// Two floats in a register: neg and abs apply to both.
    pub fn is_packed_float(self) -> bool {
        matches!(self, H2 | Bf2)
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

/// A function of operand values, in the order of the row.
pub(super) type F = fn(&mut Builder, &[Value]) -> Value;
/// The same with two results.
pub(super) type F2 = fn(&mut Builder, &[Value]) -> (Value, Value);

/// A vector result of vector operands.
#[derive(Clone)]
pub struct Lane {
    pub dst: T,
    pub src: Box<[T]>,
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

/// Meaning of a row, with the types of its operands.
#[derive(Clone)]
pub enum Sem {
    Lane(Lane),
    /// The same on both halves of packed operands.
    Packed(Lane),
    /// A vector result and a lane mask, in this order.
    LaneCarry {
        dst: T,
        src: Box<[T]>,
        f: F2,
        saturate: Option<F>,
    },
    /// A lane mask: v_cmp to its destination, v_cmpx to EXEC.
    Compare {
        src: Box<[T]>,
        f: F,
    },
    /// A scalar result.
    Scalar {
        dst: T,
        src: Box<[T]>,
        f: F,
        /// The destination is also the last source.
        acc: bool,
        scc: Scc,
    },
    /// A scalar result and SCC (S1).
    ScalarScc {
        dst: T,
        src: Box<[T]>,
        f: F2,
        /// The destination is also the last source.
        acc: bool,
    },
    /// SCC only.
    ScalarCompare {
        src: Box<[T]>,
        f: F,
    },
    /// Everything else that does not end a block.
    Wave(fn(&mut Cx)),
    /// Ends a block, or may.
    Control(fn(&isa::Inst) -> Control),
    /// Nothing to do; kept for tools.
    Note(NoteKind),
}

impl T {
    /// How a row's type is read, in a format whose neg and abs bits the row has or has not (`sign`): bits whose sign can be changed are a float.
    fn of(ty: Ty, sign: bool) -> T {
        match ty {
            Ty::F16 => F16,
            Ty::F32 => F32,
            Ty::F64 => F64,
            Ty::B16 | Ty::BF16 if sign => F16,
            Ty::B16 | Ty::I16 | Ty::U16 | Ty::BF16 => B16,
            Ty::F16X2 => H2,
            Ty::BF16X2 => Bf2,
            Ty::B64 | Ty::U64 => B64,
            Ty::I64 => I64,
            Ty::Mask => Mask,
            _ => B32,
        }
    }

    /// How a column of a row is read; its type, and which source it is.
    pub fn of_column(row: &isa::Row, column: Opd) -> (T, Ty, usize) {
        let (ty, source) = match column {
            Opd::S0(t) | Opd::V0(t) | Opd::R0(t) | Opd::SR0(t) | Opd::A0(t) | Opd::AV0(t) => (t, Some(0)),
            Opd::S1(t) | Opd::V1(t) | Opd::R1(t) | Opd::AV1(t) => (t, Some(1)),
            Opd::S2(t) | Opd::V2(t) | Opd::R2(t) | Opd::C2(t) => (t, Some(2)),
            Opd::M2 => (Ty::Mask, Some(2)),
            Opd::MD => (Ty::Mask, None),
            Opd::D(t) | Opd::AD(t) | Opd::RD(t) | Opd::SD(t) | Opd::SS(t) | Opd::LIT(t) => (t, None),
            Opd::DA(t) | Opd::DB(t) | Opd::SBASE(t) => (t, None),
            Opd::K(_) => return (K, Ty::I16, 0),
            _ => (Ty::B32, None),
        };
        let sign = source.is_some_and(|i: usize| row.flags.bits() >> i & 1 != 0);
        (T::of(ty, sign), ty, source.unwrap_or(0))
    }
}

impl Sem {
    /// `meaning` on the operands of `row`; none if there is none.
    pub fn new(row: &isa::Row, meaning: Meaning) -> Option<Sem> {
        let (f, saturate, reads) = match meaning {
            Meaning::None => return None,
            Meaning::Wave(f) => return Some(Sem::Wave(f)),
            Meaning::Control(c) => return Some(Sem::Control(c)),
            Meaning::Note(kind) => return Some(Sem::Note(kind)),
            Meaning::Value { f, clamped, reads } => (f, clamped, reads),
        };
        let (mut dst, mut mask, mut src) = (None, false, vec![]);
        for op in row.ops {
            let (t, ..) = T::of_column(row, *op);
            match *op {
                Opd::D(_) | Opd::SD(_) | Opd::AD(_) => dst = Some(t),
                Opd::MD => mask = true,
                Opd::M2 | Opd::LIT(_) | Opd::SS(_) | Opd::K(_) | Opd::SR0(_) => src.push(t),
                Opd::S0(_) | Opd::V0(_) | Opd::R0(_) | Opd::S1(_) | Opd::V1(_) | Opd::R1(_) => src.push(t),
                Opd::S2(_) | Opd::V2(_) | Opd::R2(_) => src.push(t),
                _ => panic!("{}: a function of values takes no {op:?}", row.name),
            }
        }
        for state in reads {
            match *state {
                "vcc" => src.push(Mask),
                "scc" => src.push(T::Scc),
                other => panic!("{}: {other} is not a value", row.name),
            }
        }
        let src = src.into_boxed_slice();
        let acc = row.flags.contains(isa::Flags::ACC);
        let scc = row.writes.contains(isa::Implicit::SCC);
        if row.enc().is_salu() {
            return Some(match (f, dst) {
                (Results::One(f), None) => Sem::ScalarCompare { src, f },
                (Results::One(f), Some(dst)) => Sem::Scalar { dst, src, f, acc, scc: if scc { Scc::NonZero } else { Scc::Keep } },
                (Results::Two(f), Some(dst)) if scc => Sem::ScalarScc { dst, src, f, acc },
                (Results::Two(_), _) => panic!("{}: a result and SCC, which the row does not write", row.name),
            });
        }
        Some(match (f, dst) {
            (Results::One(f), None) => Sem::Compare { src, f },
            (Results::One(f), Some(dst)) => {
                let lane = Lane { dst, src, f, acc, saturate };
                if row.enc() == isa::Enc::VOP3P { Sem::Packed(lane) } else { Sem::Lane(lane) }
            }
            (Results::Two(f), Some(dst)) if mask => Sem::LaneCarry { dst, src, f, saturate },
            (Results::Two(_), _) => panic!("{}: two results", row.name),
        })
    }
}
