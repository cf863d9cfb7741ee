//! Types of operands as the lifter reads them.

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
