//! Meanings of the vector ALU: VOP1, VOP2, VOP3 (RDNA3 ISA, chapter 7 and 16; numerics.md sections 2 to 8). Compares are in `compare`, packed and
//! mixed forms in `packed`, what moves data between lanes in `crosslane`.

use super::cx::{Arg, Cx};
use super::salu::{add_carry, sub_borrow};
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, Op, PureOp, Ty, Value};

fn k(b: &mut Builder, v: u32) -> Value {
    b.const32(v)
}
pub(super) fn mask(b: &mut Builder, v: Value, m: u32) -> Value {
    let m = k(b, m);
    b.pure2(And32, v, m)
}
/// Sign-extends the low `bits`.
pub(super) fn sext(b: &mut Builder, v: Value, bits: u32) -> Value {
    let (z, w) = (k(b, 0), k(b, bits));
    b.pure3(BfeI32, v, z, w)
}
/// Middle of three: max(min(a, b), min(max(a, b), c)).
pub(super) fn med(b: &mut Builder, s: [Value; 3], min: PureOp, max: PureOp) -> Value {
    let lo = b.pure2(min, s[0], s[1]);
    let hi = b.pure2(max, s[0], s[1]);
    let v = b.pure2(min, hi, s[2]);
    b.pure2(max, lo, v)
}
/// s0 + s1 + carry in, and carry out; subtraction likewise.
pub(super) fn with_carry(b: &mut Builder, x: Value, y: Value, carry: Value, sub: bool) -> (Value, Value) {
    let step = if sub { sub_borrow } else { add_carry };
    let c = b.pure1(BToInt, carry);
    let (t, c0) = step(b, x, y);
    let (v, c1) = step(b, t, c);
    (v, b.pure2(BOr, c0, c1))
}
pub(super) fn carry_sat_ci(b: &mut Builder, x: Value, y: Value, carry: Value, sub: bool) -> Value {
    let (v, c) = with_carry(b, x, y, carry, sub);
    let limit = k(b, if sub { 0 } else { !0 });
    b.pure3(Sel32, c, limit, v)
}
/// Exact s0 * s1 + s2 (64 bits) of sign- or zero-extended 32-bit operands.
pub(super) fn mad_wide(b: &mut Builder, s: [Value; 3], signed: bool) -> Value {
    let (mul, ext) = if signed { (SMulWide32, SExt64) } else { (UMulWide32, ZExt64) };
    let p = b.pure2(mul, s[0], s[1]);
    let c = b.pure1(ext, s[2]);
    b.pure2(IAdd64, p, c)
}
/// A 64-bit value saturated to 32 bits.
pub(super) fn saturate64(b: &mut Builder, v: Value, signed: bool) -> Value {
    let (lo, hi) = (b.pure1(Lo64, v), b.pure1(Hi64, v));
    let n31 = k(b, 31);
    if signed {
        let sign = b.pure2(AShr32, lo, n31);
        let fits = b.pure2(ICmpEq32, sign, hi);
        let top = b.pure2(AShr32, hi, n31);
        let max = k(b, 0x7fff_ffff);
        let limit = b.pure2(Xor32, top, max);
        b.pure3(Sel32, fits, lo, limit)
    } else {
        let z = k(b, 0);
        let fits = b.pure2(ICmpEq32, hi, z);
        let limit = k(b, !0);
        b.pure3(Sel32, fits, lo, limit)
    }
}
/// The 24-bit operands of *_24 instructions, extended.
fn narrow24(b: &mut Builder, s: &[Value], signed: bool) -> [Value; 2] {
    [0, 1].map(|i| if signed { sext(b, s[i], 24) } else { mask(b, s[i], 0xff_ffff) })
}
pub(super) fn mul24(b: &mut Builder, s: [Value; 2], signed: bool, high: bool) -> Value {
    let [x, y] = narrow24(b, &s, signed);
    if !high {
        return b.pure2(IMul32, x, y);
    }
    let p = b.pure2(if signed { SMulWide32 } else { UMulWide32 }, x, y);
    b.pure1(Hi64, p)
}
pub(super) fn mad24(b: &mut Builder, s: [Value; 3], signed: bool) -> Value {
    let [x, y] = narrow24(b, &s, signed);
    let p = b.pure2(IMul32, x, y);
    b.pure2(IAdd32, p, s[2])
}
pub(super) fn mad24_sat(b: &mut Builder, s: [Value; 3], signed: bool) -> Value {
    let [x, y] = narrow24(b, &s, signed);
    let v = mad_wide(b, [x, y, s[2]], signed);
    saturate64(b, v, signed)
}
/// v_mad_u64_u32, v_mad_i64_i32: 64-bit sum and its unsigned carry.
pub(super) fn mad64(b: &mut Builder, s: [Value; 3], mul: PureOp) -> (Value, Value) {
    let p = b.pure2(mul, s[0], s[1]);
    let v = b.pure2(IAdd64, p, s[2]);
    let c = b.pure2(ICmpUlt64, v, p);
    (v, c)
}
/// The same with clamp: the sum saturates.
pub(super) fn mad64_sat(b: &mut Builder, s: [Value; 3], signed: bool) -> Value {
    let (sum, carry) = mad64(b, s, if signed { SMulWide32 } else { UMulWide32 });
    if !signed {
        let limit = b.const64(!0);
        return b.pure3(Sel64, carry, limit, sum);
    }
    // The sum overflowed if its sign is neither that of the product nor that of the addend.
    let product = b.pure2(ISub64, sum, s[2]);
    let (by_product, by_addend) = (b.pure2(Xor64, sum, product), b.pure2(Xor64, sum, s[2]));
    let both = b.pure2(And64, by_product, by_addend);
    let (zero, n63, max) = (b.const64(0), b.const32(63), b.const64(i64::MAX as u64));
    let overflow = b.pure2(ICmpSlt64, both, zero);
    let sign = b.pure2(AShr64, s[2], n63);
    let limit = b.pure2(Xor64, sign, max);
    b.pure3(Sel64, overflow, limit, sum)
}
pub(super) fn mad16(b: &mut Builder, s: [Value; 3]) -> Value {
    let p = b.pure2(IMul16, s[0], s[1]);
    b.pure2(IAdd16, p, s[2])
}
/// Saturating 16-bit mad through exact 32-bit arithmetic.
pub(super) fn mad16_sat(b: &mut Builder, s: [Value; 3], signed: bool) -> Value {
    let [x, y, c] = [0, 1, 2].map(|i| if signed { sext(b, s[i], 16) } else { mask(b, s[i], 0xffff) });
    let p = b.pure2(IMul32, x, y);
    if signed {
        let v = b.pure2(IAdd32, p, c);
        let (lo, hi) = (k(b, 0xffff_8000), k(b, 0x7fff));
        let v = b.pure2(SMax32, v, lo);
        b.pure2(SMin32, v, hi)
    } else {
        let v = b.pure2(UAddSat32, p, c);
        let hi = k(b, 0xffff);
        b.pure2(UMin32, v, hi)
    }
}
/// v_mad_i32_i16, v_mad_u32_u16.
pub(super) fn mad32_16(b: &mut Builder, s: [Value; 3], signed: bool, sat: bool) -> Value {
    let [x, y] = [0, 1].map(|i| if signed { sext(b, s[i], 16) } else { mask(b, s[i], 0xffff) });
    let p = b.pure2(IMul32, x, y);
    let add = match (sat, signed) {
        (false, _) => IAdd32,
        (true, true) => SAddSat32,
        (true, false) => UAddSat32,
    };
    b.pure2(add, p, s[2])
}
pub(super) fn cvt_ubyte(b: &mut Builder, s: [Value; 1], n: u32) -> Value {
    let (off, w) = (k(b, 8 * n), k(b, 8));
    let v = b.pure3(BfeU32, s[0], off, w);
    b.pure1(CvtF32U32, v)
}
/// Sums of absolute differences: the sum without accumulator, then the accumulator by `add`.
pub(super) fn sad(b: &mut Builder, s: [Value; 3], op: PureOp, add: PureOp) -> Value {
    let z = k(b, 0);
    let v = b.pure3(op, s[0], s[1], z);
    b.pure2(add, v, s[2])
}
pub(super) fn sad_hi(b: &mut Builder, s: [Value; 3], add: PureOp) -> Value {
    let z = k(b, 0);
    let v = b.pure3(SadU8, s[0], s[1], z);
    let n = k(b, 16);
    let v = b.pure2(Shl32, v, n);
    b.pure2(add, v, s[2])
}
/// qsad: four overlapping dwords of s0 against s1, 16-bit accumulators from s2, which saturate with clamp.
pub(super) fn qsad(b: &mut Builder, s: [Value; 3], op: PureOp, clamp: bool) -> Value {
    let mut r = [s[0]; 4];
    for (i, out) in r.iter_mut().enumerate() {
        let n = k(b, 8 * i as u32);
        let window = b.pure2(LShr64, s[0], n);
        let window = b.pure1(Lo64, window);
        let n = k(b, 16 * i as u32);
        let acc = b.pure2(LShr64, s[2], n);
        let acc = b.pure1(Lo64, acc);
        let acc = mask(b, acc, 0xffff);
        let start = if clamp { k(b, 0) } else { acc };
        let sum = b.pure3(op, window, s[1], start);
        *out = if clamp { b.pure2(UAddSat16, sum, acc) } else { sum };
    }
    let lo = pack16(b, r[0], r[1]);
    let hi = pack16(b, r[2], r[3]);
    b.pure2(Pack64, lo, hi)
}
/// v_mqsad_u32_u8: as `qsad` with four 32-bit accumulators in four registers.
pub(super) fn mqsad_u32(c: &mut Cx, d: Arg, s: [Arg; 3]) {
    let exec = c.exec();
    let (window, s1) = (c.read(s[0]), c.read(s[1]));
    let (Some(d), Some(a)) = (vgpr(d.op), vgpr(s[2].op)) else {
        return c.unsupported("operands");
    };
    let mut r = Vec::new();
    for i in 0..4 {
        let acc = c.b.vget(c.source(a, 4, i), Some(exec));
        let n = k(&mut c.b, 8 * i as u32);
        let w = c.b.pure2(LShr64, window, n);
        let w = c.b.pure1(Lo64, w);
        r.push(if c.inst.mods.clamp { sad(&mut c.b, [w, s1, acc], MsadU8, UAddSat32) } else { c.b.pure3(MsadU8, w, s1, acc) });
    }
    for (i, v) in r.into_iter().enumerate() {
        c.b.vset(wavejit_ir::VReg(d + i as u16), v, exec);
    }
}
/// {hi: y, lo: x} of low halves.
pub(super) fn pack16(b: &mut Builder, x: Value, y: Value) -> Value {
    let sel = k(b, 0x0504_0100);
    b.pure3(Perm32, y, x, sel)
}
/// v_mbcnt: set bits of s0 below this lane, in the low or high half of the wave, plus s1.
pub(super) fn mbcnt(b: &mut Builder, s: [Value; 2], high: bool) -> Value {
    let mut below = [0u32; 64];
    for (lane, m) in below.iter_mut().enumerate() {
        let all_below = (1u64 << lane) - 1;
        *m = (if high { all_below >> 32 } else { all_below }) as u32;
    }
    let table = b.func.table(below);
    let m = b.push(Op::LaneTable(table), &[Ty::L32]);
    let v = b.pure2(And32, s[0], m);
    let v = b.pure1(Popcnt32, v);
    b.pure2(IAdd32, v, s[1])
}
pub(super) fn div_fmas(b: &mut Builder, s: [Value; 4], wide: bool) -> Value {
    let (scaled, fma, sel) = if wide { (DivFmasScaled64, FFma64, Sel64) } else { (DivFmasScaled32, FFma32, Sel32) };
    let x = b.pure3(scaled, s[0], s[1], s[2]);
    let y = b.pure3(fma, s[0], s[1], s[2]);
    b.pure3(sel, s[3], x, y)
}
/// What moves do.
pub(super) fn same(_: &mut Builder, v: Value) -> Value {
    v
}
/// The scaled operand of a division, and whether the quotient must be scaled back.
pub(super) fn div_scale(b: &mut Builder, s: [Value; 3], scaled: PureOp, flag: PureOp) -> (Value, Value) {
    (b.pure3(scaled, s[0], s[1], s[2]), b.pure3(flag, s[0], s[1], s[2]))
}
/// v_alignbyte: 32 bits from a byte number on.
pub(super) fn alignbyte(b: &mut Builder, s: [Value; 3]) -> Value {
    let n = mask(b, s[2], 3);
    let e = k(b, 3);
    let n = b.pure2(Shl32, n, e);
    b.pure3(AlignBit32, s[0], s[1], n)
}
fn vgpr(op: wavejit_isa::Operand) -> Option<u16> {
    match op {
        wavejit_isa::Operand::Vgpr { n, .. } => Some(n),
        _ => None,
    }
}
