//! The elements of the matrices that WMMA and SWMMAC multiply, in registers as an operation of the IR multiplies them: pairs of 16-bit floats, or four or
//! eight integers (numerics.md sections 8 and 13).
//!
//! An 8-bit float, e4m3 or e5m2 of OCP, is an f16 exactly, so that a register of four becomes two of pairs. Nibbles become bytes where single ones
//! are chosen.

use super::cx::{Arg, Cx};
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, PureOp, Value};
use wavejit_isa::Operand;

/// An 8-bit float of OCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum F8 {
    /// fp8: no infinities, NaN where all bits but the sign are set.
    E4M3,
    /// bf8: the high byte of an f16.
    E5M2,
}

/// What the elements of A and B are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Factors {
    F16,
    Bf16,
    /// Of A and of B.
    F8(F8, F8),
    /// Bytes; neg\[0\] and neg\[1\] say that A and B are signed.
    Iu8,
    /// Nibbles, the same.
    Iu4,
}

impl Factors {
    /// The dot product of a register of A and one of B: (a, b, sum) of floats, (a, b) of integers.
    pub(super) fn dot(self, neg: u8) -> PureOp {
        let signs = usize::from(neg & 3);
        match self {
            Factors::F16 | Factors::F8(..) => Dot2F32F16,
            Factors::Bf16 => Dot2F32Bf16,
            Factors::Iu8 => [Dot4UU, Dot4SU, Dot4US, Dot4SS][signs],
            Factors::Iu4 => [Dot8UU, Dot8SU, Dot8US, Dot8SS][signs],
        }
    }

    /// Elements in a dword.
    pub(super) fn in_dword(self) -> u32 {
        match self {
            Factors::F16 | Factors::Bf16 => 2,
            Factors::F8(..) | Factors::Iu8 => 4,
            Factors::Iu4 => 8,
        }
    }

    /// `regs` of A (`source` 0) or B (1) as the dot product takes them.
    pub(super) fn widened(self, b: &mut Builder, regs: Vec<Value>, source: usize) -> Vec<Value> {
        match self {
            Factors::F8(of_a, of_b) => {
                let of = if source == 0 { of_a } else { of_b };
                regs.into_iter().flat_map(|v| [0x010c_000c, 0x030c_020c].map(|bytes| halves(b, v, bytes, of))).collect()
            }
            _ => regs,
        }
    }
}

/// The registers of a source, all lanes, as they are.
pub(super) fn registers(c: &mut Cx, arg: Arg) -> Vec<Value> {
    let regs = usize::from(arg.ty.dwords(c.wave_size));
    let Operand::Vgpr { n, .. } = arg.op else {
        c.unsupported("VGPRs expected");
        return vec![];
    };
    (0..regs)
        .map(|r| {
            let reg = c.source(n, regs, r);
            c.b.vget(reg, None)
        })
        .collect()
}

/// The registers with neg on low and neg_hi on high halves, where `of` is a float of 16 bits.
pub(super) fn negated(c: &mut Cx, regs: Vec<Value>, source: usize, of: Factors) -> Vec<Value> {
    let m = c.inst.mods;
    let flips = u32::from(m.neg >> source & 1) << 15 | u32::from(m.neg_hi >> source & 1) << 31;
    if flips == 0 || !matches!(of, Factors::F16 | Factors::Bf16) {
        return regs;
    }
    let k = c.b.const32(flips);
    regs.into_iter().map(|v| c.b.pure2(Xor32, v, k)).collect()
}

/// Two 8-bit floats, moved by `bytes` to the high bytes of halves, as f16.
fn halves(b: &mut Builder, v: Value, bytes: u32, of: F8) -> Value {
    let bytes = b.const32(bytes);
    let v = b.pure3(Perm32, v, v, bytes);
    if of == F8::E5M2 {
        return v;
    }
    // Exponent and mantissa stand one bit lower in an f16, whose bias is 8 more: times 2^8, which keeps denormals.
    let (sign, one) = (b.const32(0x8000_8000), b.const32(1));
    let sign = b.pure2(And32, v, sign);
    let rest = b.pure2(Xor32, v, sign);
    let rest = b.pure2(LShr32, rest, one);
    let scale = b.const32(0x5c00_5c00);
    let number = b.pure2(PkFMul16, rest, scale);
    // All bits set is a NaN: of 0x4000 in a half, 0x8000 - 0x200 makes the bits of one.
    let (last, carry, five) = (b.const32(0x0080_0080), b.const32(0x4000_4000), b.const32(5));
    let carried = b.pure2(IAdd32, rest, last);
    let carried = b.pure2(And32, carried, carry);
    let (high, low) = (b.pure2(Shl32, carried, one), b.pure2(LShr32, carried, five));
    let nan = b.pure2(ISub32, high, low);
    let number = b.pure2(Or32, number, sign);
    b.pure2(Or32, number, nan)
}

/// Eight nibbles as two registers of four bytes.
pub(super) fn bytes_of_nibbles(b: &mut Builder, v: Value, signed: bool) -> [Value; 2] {
    let (four, low) = (b.const32(4), b.const32(0x0f0f_0f0f));
    let odd = b.pure2(LShr32, v, four);
    let [even, odd] = [v, odd].map(|v| b.pure2(And32, v, low));
    // Nibbles 0, 2, 4, 6 and 1, 3, 5, 7 take turns.
    [0x0501_0400, 0x0703_0602].map(|turns| {
        let turns = b.const32(turns);
        let v = b.pure3(Perm32, odd, even, turns);
        if !signed {
            return v;
        }
        let (sign, up) = (b.const32(0x0808_0808), b.const32(0x1e));
        let sign = b.pure2(And32, v, sign);
        let above = b.pure2(IMul32, sign, up);
        b.pure2(Or32, v, above)
    })
}
