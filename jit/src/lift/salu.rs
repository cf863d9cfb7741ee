//! Meanings of the scalar ALU: SOP1, SOP2, SOPC, SOPK (RDNA3 ISA, scalar ALU instructions; requirements.md STATE-35; numerics.md section 8).
//!
//! SCC: bitwise and shifts say whether the result is not zero, arithmetic gives carry or overflow, moves keep it.

use super::cx::{Arg, Cx, nonzero};
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, Op, PureOp, SReg, Ty, Value, Width};

fn k(b: &mut Builder, v: u32) -> Value {
    b.const32(v)
}

/// a + b and carry.
pub(super) fn add_carry(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let v = b.pure2(IAdd32, x, y);
    let c = b.pure2(ICmpUlt32, v, x);
    (v, c)
}
/// a - b and borrow.
pub(super) fn sub_borrow(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let v = b.pure2(ISub32, x, y);
    let c = b.pure2(ICmpUlt32, x, y);
    (v, c)
}
/// a + b and signed overflow: the result's sign differs from both operands'.
pub(super) fn add_overflow(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let v = b.pure2(IAdd32, x, y);
    let p = b.pure2(Xor32, x, v);
    let q = b.pure2(Xor32, y, v);
    (v, both_negative(b, p, q))
}
/// a - b and signed overflow: the operands' signs differ, and the result's from a's.
pub(super) fn sub_overflow(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let v = b.pure2(ISub32, x, y);
    let p = b.pure2(Xor32, x, y);
    let q = b.pure2(Xor32, x, v);
    (v, both_negative(b, p, q))
}
fn both_negative(b: &mut Builder, p: Value, q: Value) -> Value {
    let a = b.pure2(And32, p, q);
    let z = k(b, 0);
    b.pure2(ICmpSlt32, a, z)
}
/// s_lshlN_add_u32: carry out of bit 31 of the exact sum.
pub(super) fn lshl_add(b: &mut Builder, s: [Value; 2], n: u32) -> (Value, Value) {
    let x = b.pure1(ZExt64, s[0]);
    let n = k(b, n);
    let x = b.pure2(Shl64, x, n);
    let y = b.pure1(ZExt64, s[1]);
    let sum = b.pure2(IAdd64, x, y);
    let lo = b.pure1(Lo64, sum);
    let hi = b.pure1(Hi64, sum);
    let c = nonzero(b, hi);
    (lo, c)
}
/// min and max: SCC says that the first operand won. Hardware clears it for equal operands in s_max too, where the guides print >=.
pub(super) fn choose(b: &mut Builder, s: [Value; 2], cmp: PureOp) -> (Value, Value) {
    let c = b.pure2(cmp, s[0], s[1]);
    let v = b.pure3(Sel32, c, s[0], s[1]);
    (v, c)
}
/// `op` with its second operand inverted.
pub(super) fn not1(b: &mut Builder, s: [Value; 2], op: PureOp, not: PureOp) -> Value {
    let n = b.pure1(not, s[1]);
    b.pure2(op, s[0], n)
}
/// `op`, inverted.
pub(super) fn inverted(b: &mut Builder, s: [Value; 2], op: PureOp, not: PureOp) -> Value {
    let v = b.pure2(op, s[0], s[1]);
    b.pure1(not, v)
}
/// {low, high} halves of two operands, each by bit number.
pub(super) fn pack(b: &mut Builder, s: [Value; 2], lo_shift: u32, hi_shift: u32) -> Value {
    let sel = if lo_shift == 0 { 0x0504 } else { 0x0706 } | if hi_shift == 0 { 0x0100_0000 } else { 0x0302_0000 };
    let sel = k(b, sel);
    b.pure3(Perm32, s[0], s[1], sel)
}
/// s_bfe: offset s1\[4:0\] (64-bit: \[5:0\]), width s1\[22:16\]; a width of 32 (64) or more means everything above the offset.
pub(super) fn bfe(b: &mut Builder, s: [Value; 2], signed: bool, wide: bool) -> Value {
    let (sixteen, m7, bits) = (k(b, 16), k(b, 0x7f), k(b, if wide { 64 } else { 32 }));
    let width = b.pure2(LShr32, s[1], sixteen);
    let width = b.pure2(And32, width, m7);
    let width = b.pure2(UMin32, width, bits);
    let unused = b.pure2(ISub32, bits, width);
    let none = {
        let z = k(b, 0);
        b.pure2(ICmpEq32, width, z)
    };
    if wide {
        // The field's bits above what is left after the shift are zero (or sign) bits of the shifted value.
        let shifted = b.pure2(if signed { AShr64 } else { LShr64 }, s[0], s[1]);
        let top = b.pure2(Shl64, shifted, unused);
        let v = b.pure2(if signed { AShr64 } else { LShr64 }, top, unused);
        let z = b.const64(0);
        return b.pure3(Sel64, none, z, v);
    }
    let shifted = b.pure2(if signed { AShr32 } else { LShr32 }, s[0], s[1]);
    let top = b.pure2(Shl32, shifted, unused);
    let v = b.pure2(if signed { AShr32 } else { LShr32 }, top, unused);
    let z = k(b, 0);
    b.pure3(Sel32, none, z, v)
}
pub(super) fn bfm64(b: &mut Builder, s: [Value; 2]) -> Value {
    let one = b.const64(1);
    let m = b.pure2(Shl64, one, s[0]);
    let m = b.pure2(ISub64, m, one);
    b.pure2(Shl64, m, s[1])
}
pub(super) fn bit_of(b: &mut Builder, s: [Value; 2], wide: bool, want: bool) -> Value {
    let v = if wide {
        let v = b.pure2(LShr64, s[0], s[1]);
        b.pure1(Lo64, v)
    } else {
        b.pure2(LShr32, s[0], s[1])
    };
    let one = k(b, 1);
    let v = b.pure2(And32, v, one);
    let z = k(b, 0);
    b.pure2(if want { ICmpNe32 } else { ICmpEq32 }, v, z)
}
/// s_bitset0/1: `old` with bit `n` cleared or set.
pub(super) fn bitset(b: &mut Builder, old: Value, n: Value, set: bool) -> Value {
    if b.ty(old).width == Width::B64 {
        let one = b.const64(1);
        let bit = b.pure2(Shl64, one, n);
        if set {
            return b.pure2(Or64, old, bit);
        }
        let m = b.pure1(Not64, bit);
        return b.pure2(And64, old, m);
    }
    let one = b.const32(1);
    let bit = b.pure2(Shl32, one, n);
    if set {
        return b.pure2(Or32, old, bit);
    }
    let m = b.pure1(Not32, bit);
    b.pure2(And32, old, m)
}
/// |a - b|, and whether it is not zero.
pub(super) fn absdiff(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let d = b.pure2(ISub32, x, y);
    let v = abs(b, d);
    let c = nonzero(b, v);
    (v, c)
}
/// s_abs_i32
pub(super) fn abs(b: &mut Builder, v: Value) -> Value {
    let z = k(b, 0);
    let n = b.pure2(ISub32, z, v);
    b.pure2(SMax32, v, n)
}
/// Bits 31:16.
pub(super) fn high_half(b: &mut Builder, v: Value) -> Value {
    let n = k(b, 16);
    b.pure2(LShr32, v, n)
}
pub(super) fn getpc(c: &mut Cx, d: Arg) {
    let v = c.code_address(c.next_pc());
    c.write_scalar(d, v);
}
fn sgpr(c: &mut Cx, arg: Arg) -> SReg {
    c.indexable(arg.op, if arg.t.is_64() { 2 } else { 1 }).unwrap_or_else(|| {
        c.unsupported("relative addressing of this operand");
        SReg(0)
    })
}
fn m0(c: &mut Cx, wide: bool) -> Value {
    let i = c.b.sget(SReg::M0);
    if !wide {
        return i;
    }
    let m = c.b.const32(!1);
    c.b.pure2(And32, i, m)
}
/// s_movrels: SGPR source relative to M0; 64-bit forms drop the index's low bit (STATE-18). Out of range it is s0, or s\[0:1\] (STATE-27).
pub(super) fn movrels(c: &mut Cx, d: Arg, s: Arg) {
    let wide = s.t.is_64();
    let (reg, index) = (sgpr(c, s), m0(c, wide));
    let lo = c.b.push(Op::SGetRel { reg, index }, &[Ty::S32]);
    if !wide {
        return c.write_scalar(d, lo);
    }
    let hi = c.b.push(Op::SGetRel { reg: SReg(reg.0 + 1), index }, &[Ty::S32]);
    let (base, last, s1) = (k(&mut c.b, reg.0.into()), k(&mut c.b, SReg::VCC_LO.0.into()), c.sread(1));
    let at = c.b.pure2(IAdd32, base, index);
    let there = c.b.pure2(ICmpUle32, at, last);
    let hi = c.b.pure3(Sel32, there, hi, s1);
    let v = c.b.pure2(Pack64, lo, hi);
    c.write_scalar(d, v);
}
/// s_movreld: SGPR destination relative to M0.
pub(super) fn movreld(c: &mut Cx, d: Arg, s: Arg) {
    let wide = d.t.is_64();
    let (reg, index) = (sgpr(c, d), m0(c, wide));
    let v = c.read(s);
    if !wide {
        c.b.push(Op::SSetRel { reg, index, value: v }, &[]);
        return;
    }
    let lo = c.b.pure1(Lo64, v);
    let hi = c.b.pure1(Hi64, v);
    c.b.push(Op::SSetRel { reg, index, value: lo }, &[]);
    c.b.push(Op::SSetRel { reg: SReg(reg.0 + 1), index, value: hi }, &[]);
}
/// s_movrelsd_2: source index M0\[9:0\], destination index M0\[25:16\].
pub(super) fn movrelsd2(c: &mut Cx, d: Arg, s: Arg) {
    let (d, s) = (sgpr(c, d), sgpr(c, s));
    let m0 = c.b.sget(SReg::M0);
    let (ten, m) = (c.b.const32(16), c.b.const32(0x3ff));
    let si = c.b.pure2(And32, m0, m);
    let di = c.b.pure2(LShr32, m0, ten);
    let di = c.b.pure2(And32, di, m);
    let value = c.b.push(Op::SGetRel { reg: s, index: si }, &[Ty::S32]);
    c.b.push(Op::SSetRel { reg: d, index: di, value }, &[]);
}
fn low16(b: &mut Builder, v: Value) -> Value {
    let m = k(b, 0xffff);
    b.pure2(And32, v, m)
}
/// s_cmpk_*_u32 zero-extend their constant.
pub(super) fn cmpk_unsigned(b: &mut Builder, s: [Value; 2], op: PureOp) -> Value {
    let imm = low16(b, s[1]);
    b.pure2(op, s[0], imm)
}
pub(super) fn sext(b: &mut Builder, v: Value, bits: u32) -> Value {
    let n = k(b, 32 - bits);
    let v = b.pure2(Shl32, v, n);
    b.pure2(AShr32, v, n)
}
pub(super) fn bcnt0(b: &mut Builder, v: Value, wide: bool) -> Value {
    let n = if wide { Not64 } else { Not32 };
    let v = b.pure1(n, v);
    b.pure1(if wide { Popcnt64 } else { Popcnt32 }, v)
}
pub(super) fn wqm32(b: &mut Builder, v: Value, op: PureOp) -> Value {
    let v = b.pure1(ZExt64, v);
    let v = b.pure1(op, v);
    b.pure1(Lo64, v)
}
