//! Scalar ALU: SOP1, SOP2, SOPC, SOPK (RDNA3 ISA, scalar ALU instructions; requirements.md STATE-35; numerics.md section 8).
//!
//! SCC: bitwise and shifts say whether the result is not zero, arithmetic gives carry or overflow, moves keep it.

use super::cx::{Cx, nonzero};
use super::sem::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, Op, PureOp, SReg, Ty, Value};

fn k(b: &mut Builder, v: u32) -> Value {
    b.const32(v)
}

/// a + b and carry.
pub fn add_carry(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let v = b.pure2(IAdd32, x, y);
    let c = b.pure2(ICmpUlt32, v, x);
    (v, c)
}
/// a - b and borrow.
pub fn sub_borrow(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let v = b.pure2(ISub32, x, y);
    let c = b.pure2(ICmpUlt32, x, y);
    (v, c)
}
/// a + b and signed overflow: the result's sign differs from both operands'.
fn add_overflow(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let v = b.pure2(IAdd32, x, y);
    let p = b.pure2(Xor32, x, v);
    let q = b.pure2(Xor32, y, v);
    (v, both_negative(b, p, q))
}
/// a - b and signed overflow: the operands' signs differ, and the result's from a's.
fn sub_overflow(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
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
fn lshl_add(b: &mut Builder, s: &[Value], n: u32) -> (Value, Value) {
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
fn choose(b: &mut Builder, s: &[Value], cmp: PureOp) -> (Value, Value) {
    let c = b.pure2(cmp, s[0], s[1]);
    let v = b.pure3(Sel32, c, s[0], s[1]);
    (v, c)
}
/// `op` with its second operand inverted.
fn not1(b: &mut Builder, s: &[Value], op: PureOp, not: PureOp) -> Value {
    let n = b.pure1(not, s[1]);
    b.pure2(op, s[0], n)
}
/// `op`, inverted.
fn inverted(b: &mut Builder, s: &[Value], op: PureOp, not: PureOp) -> Value {
    let v = b.pure2(op, s[0], s[1]);
    b.pure1(not, v)
}
/// {low, high} halves of two operands, each by bit number.
fn pack(b: &mut Builder, s: &[Value], lo_shift: u32, hi_shift: u32) -> Value {
    let sel = if lo_shift == 0 { 0x0504 } else { 0x0706 } | if hi_shift == 0 { 0x0100_0000 } else { 0x0302_0000 };
    let sel = k(b, sel);
    b.pure3(Perm32, s[0], s[1], sel)
}
/// s_bfe: offset s1\[4:0\] (64-bit: \[5:0\]), width s1\[22:16\]; a width of 32 (64) or more means everything above the offset.
fn bfe(b: &mut Builder, s: &[Value], signed: bool, wide: bool) -> Value {
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
fn bfm64(b: &mut Builder, s: &[Value]) -> Value {
    let one = b.const64(1);
    let m = b.pure2(Shl64, one, s[0]);
    let m = b.pure2(ISub64, m, one);
    b.pure2(Shl64, m, s[1])
}
fn bit_of(b: &mut Builder, s: &[Value], wide: bool, want: bool) -> Value {
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
/// s_bitset0/1: reads its destination.
fn bitset(c: &mut Cx, wide: bool, set: bool) {
    let (d, op) = (c.op(0), c.op(1));
    let n = c.src(op, B32);
    let t = if wide { B64 } else { B32 };
    let old = c.src(d, t);
    let b = &mut c.b;
    let v = if wide {
        let one = b.const64(1);
        let bit = b.pure2(Shl64, one, n);
        if set {
            b.pure2(Or64, old, bit)
        } else {
            let m = b.pure1(Not64, bit);
            b.pure2(And64, old, m)
        }
    } else {
        let one = b.const32(1);
        let bit = b.pure2(Shl32, one, n);
        if set {
            b.pure2(Or32, old, bit)
        } else {
            let m = b.pure1(Not32, bit);
            b.pure2(And32, old, m)
        }
    };
    c.sdst(d, t, v);
}
fn addc(c: &mut Cx, sub: bool) {
    let (d, x, y) = (c.op(0), c.op(1), c.op(2));
    let (x, y) = (c.src(x, B32), c.src(y, B32));
    let scc = c.scc();
    let b = &mut c.b;
    let carry = b.pure1(BToInt, scc);
    let step = if sub { sub_borrow } else { add_carry };
    let (t, c0) = step(b, x, y);
    let (v, c1) = step(b, t, carry);
    let out = b.pure2(BOr, c0, c1);
    c.sdst(d, B32, v);
    c.set_scc(out);
}
/// s_fmac: the destination is the addend.
fn fmac(c: &mut Cx, t: T, fma: PureOp) {
    let (d, x, y) = (c.op(0), c.op(1), c.op(2));
    let (x, y, z) = (c.src(x, t), c.src(y, t), c.src(d, t));
    let v = c.b.pure3(fma, x, y, z);
    c.sdst(d, t, v);
}
fn cselect(c: &mut Cx, t: T) {
    let (d, x, y) = (c.op(0), c.op(1), c.op(2));
    let (x, y) = (c.src(x, t), c.src(y, t));
    let scc = c.scc();
    let v = c.b.pure3(if t.is_64() { Sel64 } else { Sel32 }, scc, x, y);
    c.sdst(d, t, v);
}
/// s_cmov: the destination keeps its value when SCC is 0.
fn cmov(c: &mut Cx, t: T, src: T) {
    let (d, x) = (c.op(0), c.op(1));
    let (old, x) = (c.src(d, t), c.src(x, src));
    let scc = c.scc();
    let v = c.b.pure3(if t.is_64() { Sel64 } else { Sel32 }, scc, x, old);
    c.sdst(d, t, v);
}
fn getpc(c: &mut Cx) {
    let v = c.code_address(c.next_pc());
    let d = c.op(0);
    c.sdst(d, B64, v);
}
fn sgpr(c: &mut Cx, i: usize, wide: bool) -> SReg {
    let op = c.op(i);
    c.indexable(op, if wide { 2 } else { 1 }).unwrap_or_else(|| {
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
fn movrels(c: &mut Cx, wide: bool) {
    let (d, reg, index) = (c.op(0), sgpr(c, 1, wide), m0(c, wide));
    let lo = c.b.push(Op::SGetRel { reg, index }, &[Ty::S32]);
    if !wide {
        return c.sdst(d, B32, lo);
    }
    let hi = c.b.push(Op::SGetRel { reg: SReg(reg.0 + 1), index }, &[Ty::S32]);
    let (base, last, s1) = (k(&mut c.b, reg.0.into()), k(&mut c.b, SReg::VCC_LO.0.into()), c.sread(1));
    let at = c.b.pure2(IAdd32, base, index);
    let there = c.b.pure2(ICmpUle32, at, last);
    let hi = c.b.pure3(Sel32, there, hi, s1);
    let v = c.b.pure2(Pack64, lo, hi);
    c.sdst(d, B64, v);
}
/// s_movreld: SGPR destination relative to M0.
fn movreld(c: &mut Cx, wide: bool) {
    let (reg, src, index) = (sgpr(c, 0, wide), c.op(1), m0(c, wide));
    let v = c.src(src, if wide { B64 } else { B32 });
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
fn movrelsd2(c: &mut Cx) {
    let (d, s) = (sgpr(c, 0, false), sgpr(c, 1, false));
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
fn cmpk_unsigned(b: &mut Builder, s: &[Value], op: PureOp) -> Value {
    let imm = low16(b, s[1]);
    b.pure2(op, s[0], imm)
}
fn sext(b: &mut Builder, v: Value, bits: u32) -> Value {
    let n = k(b, 32 - bits);
    let v = b.pure2(Shl32, v, n);
    b.pure2(AShr32, v, n)
}
fn bcnt0(b: &mut Builder, v: Value, wide: bool) -> Value {
    let n = if wide { Not64 } else { Not32 };
    let v = b.pure1(n, v);
    b.pure1(if wide { Popcnt64 } else { Popcnt32 }, v)
}
fn wqm32(b: &mut Builder, v: Value, op: PureOp) -> Value {
    let v = b.pure1(ZExt64, v);
    let v = b.pure1(op, v);
    b.pure1(Lo64, v)
}

const WW: &[T] = &[B32, B32];
const W: &[T] = &[B32];
const D: &[T] = &[B64];
const DD: &[T] = &[B64, B64];
const DW: &[T] = &[B64, B32];
const WK: &[T] = &[B32, K];
const FF: &[T] = &[F32, F32];
const FFF: &[T] = &[F32, F32, F32];
const H: &[T] = &[F16];
const HH: &[T] = &[F16, F16];

/// SOP1, SOP2, SOPC, SOPK rows, in the manual's order.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    // SOP2
    ("s_add_u32",            s_scc(B32, WW, |b, s| add_carry(b, s[0], s[1]))),
    ("s_sub_u32",            s_scc(B32, WW, |b, s| sub_borrow(b, s[0], s[1]))),
    ("s_add_i32",            s_scc(B32, WW, |b, s| add_overflow(b, s[0], s[1]))),
    ("s_sub_i32",            s_scc(B32, WW, |b, s| sub_overflow(b, s[0], s[1]))),
    ("s_addc_u32",           Sem::Wave(|c| addc(c, false))),
    ("s_subb_u32",           Sem::Wave(|c| addc(c, true))),
    ("s_absdiff_i32",        s_scc(B32, WW, |b, s| { let d = b.pure2(ISub32, s[0], s[1]); let z = k(b, 0); let n = b.pure2(ISub32, z, d); let v = b.pure2(SMax32, d, n); let c = nonzero(b, v); (v, c) })),
    ("s_min_i32",            s_scc(B32, WW, |b, s| choose(b, s, ICmpSlt32))),
    ("s_min_u32",            s_scc(B32, WW, |b, s| choose(b, s, ICmpUlt32))),
    ("s_max_i32",            s_scc(B32, WW, |b, s| choose(b, s, ICmpSgt32))),
    ("s_max_u32",            s_scc(B32, WW, |b, s| choose(b, s, ICmpUgt32))),
    ("s_cselect_b32",        Sem::Wave(|c| cselect(c, B32))),
    ("s_cselect_b64",        Sem::Wave(|c| cselect(c, B64))),
    ("s_and_b32",            snz(B32, WW, And32)),
    ("s_and_b64",            snz(B64, DD, And64)),
    ("s_or_b32",             snz(B32, WW, Or32)),
    ("s_or_b64",             snz(B64, DD, Or64)),
    ("s_xor_b32",            snz(B32, WW, Xor32)),
    ("s_xor_b64",            snz(B64, DD, Xor64)),
    ("s_and_not1_b32",       snz_fn(B32, WW, |b, s| not1(b, s, And32, Not32))),
    ("s_and_not1_b64",       snz_fn(B64, DD, |b, s| not1(b, s, And64, Not64))),
    ("s_or_not1_b32",        snz_fn(B32, WW, |b, s| not1(b, s, Or32, Not32))),
    ("s_or_not1_b64",        snz_fn(B64, DD, |b, s| not1(b, s, Or64, Not64))),
    ("s_nand_b32",           snz_fn(B32, WW, |b, s| inverted(b, s, And32, Not32))),
    ("s_nand_b64",           snz_fn(B64, DD, |b, s| inverted(b, s, And64, Not64))),
    ("s_nor_b32",            snz_fn(B32, WW, |b, s| inverted(b, s, Or32, Not32))),
    ("s_nor_b64",            snz_fn(B64, DD, |b, s| inverted(b, s, Or64, Not64))),
    ("s_xnor_b32",           snz_fn(B32, WW, |b, s| inverted(b, s, Xor32, Not32))),
    ("s_xnor_b64",           snz_fn(B64, DD, |b, s| inverted(b, s, Xor64, Not64))),
    ("s_lshl_b32",           snz(B32, WW, Shl32)),
    ("s_lshl_b64",           snz(B64, DW, Shl64)),
    ("s_lshr_b32",           snz(B32, WW, LShr32)),
    ("s_lshr_b64",           snz(B64, DW, LShr64)),
    ("s_ashr_i32",           snz(B32, WW, AShr32)),
    ("s_ashr_i64",           snz(B64, &[I64, B32], AShr64)),
    ("s_lshl1_add_u32",      s_scc(B32, WW, |b, s| lshl_add(b, s, 1))),
    ("s_lshl2_add_u32",      s_scc(B32, WW, |b, s| lshl_add(b, s, 2))),
    ("s_lshl3_add_u32",      s_scc(B32, WW, |b, s| lshl_add(b, s, 3))),
    ("s_lshl4_add_u32",      s_scc(B32, WW, |b, s| lshl_add(b, s, 4))),
    ("s_bfm_b32",            s(B32, WW, Bfm32)),
    ("s_bfm_b64",            s_fn(B64, WW, bfm64)),
    ("s_mul_i32",            s(B32, WW, IMul32)),
    ("s_mul_hi_u32",         s(B32, WW, UMulHi32)),
    ("s_mul_hi_i32",         s(B32, WW, SMulHi32)),
    ("s_bfe_u32",            snz_fn(B32, WW, |b, s| bfe(b, s, false, false))),
    ("s_bfe_i32",            snz_fn(B32, WW, |b, s| bfe(b, s, true, false))),
    ("s_bfe_u64",            snz_fn(B64, DW, |b, s| bfe(b, s, false, true))),
    ("s_bfe_i64",            snz_fn(B64, &[I64, B32], |b, s| bfe(b, s, true, true))),
    ("s_pack_ll_b32_b16",    s_fn(B32, WW, |b, s| pack(b, s, 0, 0))),
    ("s_pack_lh_b32_b16",    s_fn(B32, WW, |b, s| pack(b, s, 0, 16))),
    ("s_pack_hh_b32_b16",    s_fn(B32, WW, |b, s| pack(b, s, 16, 16))),
    ("s_pack_hl_b32_b16",    s_fn(B32, WW, |b, s| pack(b, s, 16, 0))),
    // gfx11.5: SALU float
    ("s_add_f32",            s(F32, FF, FAdd32)),
    ("s_sub_f32",            s(F32, FF, FSub32)),
    ("s_mul_f32",            s(F32, FF, FMul32)),
    ("s_min_f32",            s(F32, FF, FMin32)),
    ("s_min_num_f32",            s(F32, FF, FMinNum32)),
    ("s_max_f32",            s(F32, FF, FMax32)),
    ("s_max_num_f32",            s(F32, FF, FMaxNum32)),
    ("s_cvt_f32_i32",        s(F32, W, CvtF32I32)),
    ("s_cvt_f32_u32",        s(F32, W, CvtF32U32)),
    ("s_cvt_i32_f32",        s(B32, &[F32], CvtI32F32)),
    ("s_cvt_u32_f32",        s(B32, &[F32], CvtU32F32)),
    ("s_ceil_f32",           s(F32, &[F32], FCeil32)),
    ("s_floor_f32",          s(F32, &[F32], FFloor32)),
    ("s_trunc_f32",          s(F32, &[F32], FTrunc32)),
    ("s_rndne_f32",          s(F32, &[F32], FRndne32)),
    ("s_fmaak_f32",          s(F32, FFF, FFma32)),
    ("s_fmamk_f32",          s(F32, FFF, FFma32)),
    ("s_fmac_f32",           Sem::Wave(|c| fmac(c, F32, FFma32))),
    ("s_cvt_pk_rtz_f16_f32", s(B32, FF, CvtPkRtzF16F32)),
    ("s_cvt_f16_f32",        s(F16, &[F32], CvtF16F32)),
    ("s_cvt_f32_f16",        s(F32, H, CvtF32F16)),
    ("s_cvt_hi_f32_f16",     s_fn(F32, W, |b, s| { let n = k(b, 16); let v = b.pure2(LShr32, s[0], n); b.pure1(CvtF32F16, v) })),
    ("s_add_f16",            s(F16, HH, FAdd16)),
    ("s_sub_f16",            s(F16, HH, FSub16)),
    ("s_mul_f16",            s(F16, HH, FMul16)),
    ("s_min_f16",            s(F16, HH, FMin16)),
    ("s_min_num_f16",            s(F16, HH, FMinNum16)),
    ("s_max_f16",            s(F16, HH, FMax16)),
    ("s_max_num_f16",            s(F16, HH, FMaxNum16)),
    ("s_fmac_f16",           Sem::Wave(|c| fmac(c, F16, FFma16))),
    ("s_ceil_f16",           s(F16, H, FCeil16)),
    ("s_floor_f16",          s(F16, H, FFloor16)),
    ("s_trunc_f16",          s(F16, H, FTrunc16)),
    ("s_rndne_f16",          s(F16, H, FRndne16)),
    // SOP1
    ("s_mov_b32",            s_fn(B32, W, |_, s| s[0])),
    ("s_mov_b64",            s_fn(B64, D, |_, s| s[0])),
    ("s_cmov_b32",           Sem::Wave(|c| cmov(c, B32, B32))),
    ("s_cmov_b64",           Sem::Wave(|c| cmov(c, B64, B64))),
    ("s_not_b32",            snz(B32, W, Not32)),
    ("s_not_b64",            snz(B64, D, Not64)),
    ("s_wqm_b32",            snz_fn(B32, W, |b, s| wqm32(b, s[0], Wqm64))),
    ("s_wqm_b64",            snz(B64, D, Wqm64)),
    ("s_brev_b32",           s(B32, W, BitRev32)),
    ("s_brev_b64",           s(B64, D, BitRev64)),
    ("s_bcnt0_i32_b32",      snz_fn(B32, W, |b, s| bcnt0(b, s[0], false))),
    ("s_bcnt0_i32_b64",      snz_fn(B32, D, |b, s| bcnt0(b, s[0], true))),
    ("s_bcnt1_i32_b32",      snz(B32, W, Popcnt32)),
    ("s_bcnt1_i32_b64",      snz(B32, D, Popcnt64)),
    ("s_ctz_i32_b32",        s(B32, W, FfblB32)),
    ("s_ctz_i32_b64",        s(B32, D, FfblB64)),
    ("s_ff0_i32_b32",        s_fn(B32, W, |b, s| { let n = b.pure1(Not32, s[0]); b.pure1(FfblB32, n) })),
    ("s_ff0_i32_b64",        s_fn(B32, D, |b, s| { let n = b.pure1(Not64, s[0]); b.pure1(FfblB64, n) })),
    ("s_clz_i32_u32",        s(B32, W, FfbhU32)),
    ("s_clz_i32_u64",        s(B32, D, FfbhU64)),
    ("s_cls_i32",            s(B32, W, FfbhI32)),
    ("s_cls_i32_i64",        s(B32, D, FfbhI64)),
    ("s_sext_i32_i8",        s_fn(B32, W, |b, s| sext(b, s[0], 8))),
    ("s_sext_i32_i16",       s_fn(B32, W, |b, s| sext(b, s[0], 16))),
    ("s_bitset0_b32",        Sem::Wave(|c| bitset(c, false, false))),
    ("s_bitset0_b64",        Sem::Wave(|c| bitset(c, true, false))),
    ("s_bitset1_b32",        Sem::Wave(|c| bitset(c, false, true))),
    ("s_bitset1_b64",        Sem::Wave(|c| bitset(c, true, true))),
    ("s_bitreplicate_b64_b32", s(B64, W, BitReplicate)),
    ("s_getpc_b64",          Sem::Wave(getpc)),
    ("s_quadmask_b32",       snz_fn(B32, W, |b, s| wqm32(b, s[0], QuadMask64))),
    ("s_quadmask_b64",       snz(B64, D, QuadMask64)),
    ("s_abs_i32",            snz_fn(B32, W, |b, s| { let z = k(b, 0); let n = b.pure2(ISub32, z, s[0]); b.pure2(SMax32, n, s[0]) })),
    ("s_movrels_b32",        Sem::Wave(|c| movrels(c, false))),
    ("s_movrels_b64",        Sem::Wave(|c| movrels(c, true))),
    ("s_movreld_b32",        Sem::Wave(|c| movreld(c, false))),
    ("s_movreld_b64",        Sem::Wave(|c| movreld(c, true))),
    ("s_movrelsd_2_b32",     Sem::Wave(movrelsd2)),
    // SOPC
    ("s_cmp_eq_i32",         scmp(WW, ICmpEq32)),
    ("s_cmp_lg_i32",         scmp(WW, ICmpNe32)),
    ("s_cmp_gt_i32",         scmp(WW, ICmpSgt32)),
    ("s_cmp_ge_i32",         scmp(WW, ICmpSge32)),
    ("s_cmp_lt_i32",         scmp(WW, ICmpSlt32)),
    ("s_cmp_le_i32",         scmp(WW, ICmpSle32)),
    ("s_cmp_eq_u32",         scmp(WW, ICmpEq32)),
    ("s_cmp_lg_u32",         scmp(WW, ICmpNe32)),
    ("s_cmp_gt_u32",         scmp(WW, ICmpUgt32)),
    ("s_cmp_ge_u32",         scmp(WW, ICmpUge32)),
    ("s_cmp_lt_u32",         scmp(WW, ICmpUlt32)),
    ("s_cmp_le_u32",         scmp(WW, ICmpUle32)),
    ("s_cmp_eq_u64",         scmp(DD, ICmpEq64)),
    ("s_cmp_lg_u64",         scmp(DD, ICmpNe64)),
    ("s_bitcmp0_b32",        scmp_fn(WW, |b, s| bit_of(b, s, false, false))),
    ("s_bitcmp1_b32",        scmp_fn(WW, |b, s| bit_of(b, s, false, true))),
    ("s_bitcmp0_b64",        scmp_fn(DW, |b, s| bit_of(b, s, true, false))),
    ("s_bitcmp1_b64",        scmp_fn(DW, |b, s| bit_of(b, s, true, true))),
    ("s_cmp_lt_f32",         scmp(FF, FCmpLt32)),
    ("s_cmp_eq_f32",         scmp(FF, FCmpEq32)),
    ("s_cmp_le_f32",         scmp(FF, FCmpLe32)),
    ("s_cmp_gt_f32",         scmp(FF, FCmpGt32)),
    ("s_cmp_lg_f32",         scmp(FF, FCmpLg32)),
    ("s_cmp_ge_f32",         scmp(FF, FCmpGe32)),
    ("s_cmp_o_f32",          scmp(FF, FCmpO32)),
    ("s_cmp_u_f32",          scmp(FF, FCmpU32)),
    ("s_cmp_nge_f32",        scmp(FF, FCmpNge32)),
    ("s_cmp_nlg_f32",        scmp(FF, FCmpNlg32)),
    ("s_cmp_ngt_f32",        scmp(FF, FCmpNgt32)),
    ("s_cmp_nle_f32",        scmp(FF, FCmpNle32)),
    ("s_cmp_neq_f32",        scmp(FF, FCmpNeq32)),
    ("s_cmp_nlt_f32",        scmp(FF, FCmpNlt32)),
    ("s_cmp_lt_f16",         scmp(HH, FCmpLt16)),
    ("s_cmp_eq_f16",         scmp(HH, FCmpEq16)),
    ("s_cmp_le_f16",         scmp(HH, FCmpLe16)),
    ("s_cmp_gt_f16",         scmp(HH, FCmpGt16)),
    ("s_cmp_lg_f16",         scmp(HH, FCmpLg16)),
    ("s_cmp_ge_f16",         scmp(HH, FCmpGe16)),
    ("s_cmp_o_f16",          scmp(HH, FCmpO16)),
    ("s_cmp_u_f16",          scmp(HH, FCmpU16)),
    ("s_cmp_nge_f16",        scmp(HH, FCmpNge16)),
    ("s_cmp_nlg_f16",        scmp(HH, FCmpNlg16)),
    ("s_cmp_ngt_f16",        scmp(HH, FCmpNgt16)),
    ("s_cmp_nle_f16",        scmp(HH, FCmpNle16)),
    ("s_cmp_neq_f16",        scmp(HH, FCmpNeq16)),
    ("s_cmp_nlt_f16",        scmp(HH, FCmpNlt16)),
    // SOPK
    ("s_movk_i32",           s_fn(B32, &[K], |_, s| s[0])),
    ("s_cmovk_i32",          Sem::Wave(|c| cmov(c, B32, K))),
    ("s_cmpk_eq_i32",        scmp(WK, ICmpEq32)),
    ("s_cmpk_lg_i32",        scmp(WK, ICmpNe32)),
    ("s_cmpk_gt_i32",        scmp(WK, ICmpSgt32)),
    ("s_cmpk_ge_i32",        scmp(WK, ICmpSge32)),
    ("s_cmpk_lt_i32",        scmp(WK, ICmpSlt32)),
    ("s_cmpk_le_i32",        scmp(WK, ICmpSle32)),
    ("s_cmpk_eq_u32",        scmp_fn(WK, |b, s| cmpk_unsigned(b, s, ICmpEq32))),
    ("s_cmpk_lg_u32",        scmp_fn(WK, |b, s| cmpk_unsigned(b, s, ICmpNe32))),
    ("s_cmpk_gt_u32",        scmp_fn(WK, |b, s| cmpk_unsigned(b, s, ICmpUgt32))),
    ("s_cmpk_ge_u32",        scmp_fn(WK, |b, s| cmpk_unsigned(b, s, ICmpUge32))),
    ("s_cmpk_lt_u32",        scmp_fn(WK, |b, s| cmpk_unsigned(b, s, ICmpUlt32))),
    ("s_cmpk_le_u32",        scmp_fn(WK, |b, s| cmpk_unsigned(b, s, ICmpUle32))),
    ("s_addk_i32",           s_scc(B32, WK, |b, s| add_overflow(b, s[0], s[1]))),
    ("s_mulk_i32",           s(B32, WK, IMul32)),
];
