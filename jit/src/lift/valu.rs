//! Vector ALU: VOP1, VOP2, VOP3 (RDNA3 ISA, chapter 7 and 16; numerics.md sections 2 to 8). Compares are in `compare`, packed and
//! mixed forms in `packed`, what moves data between lanes in `crosslane`.

use super::cx::Cx;
use super::salu::{add_carry, sub_borrow};
use super::sem::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, Op, PureOp, Ty, Value};

fn k(b: &mut Builder, v: u32) -> Value {
    b.const32(v)
}
fn mask(b: &mut Builder, v: Value, m: u32) -> Value {
    let m = k(b, m);
    b.pure2(And32, v, m)
}
/// Sign-extends the low `bits`.
pub fn sext(b: &mut Builder, v: Value, bits: u32) -> Value {
    let (z, w) = (k(b, 0), k(b, bits));
    b.pure3(BfeI32, v, z, w)
}
/// op(op(s0, s1), s2)
fn chain(b: &mut Builder, s: &[Value], first: PureOp, then: PureOp) -> Value {
    let v = b.pure2(first, s[0], s[1]);
    b.pure2(then, v, s[2])
}
/// Middle of three: max(min(a, b), min(max(a, b), c)).
fn med(b: &mut Builder, s: &[Value], min: PureOp, max: PureOp) -> Value {
    let lo = b.pure2(min, s[0], s[1]);
    let hi = b.pure2(max, s[0], s[1]);
    let v = b.pure2(min, hi, s[2]);
    b.pure2(max, lo, v)
}
/// s0 + s1 + carry in, and carry out; subtraction likewise.
fn with_carry(b: &mut Builder, x: Value, y: Value, carry: Value, sub: bool) -> (Value, Value) {
    let step = if sub { sub_borrow } else { add_carry };
    let c = b.pure1(BToInt, carry);
    let (t, c0) = step(b, x, y);
    let (v, c1) = step(b, t, c);
    (v, b.pure2(BOr, c0, c1))
}
fn carry_sat_ci(b: &mut Builder, x: Value, y: Value, carry: Value, sub: bool) -> Value {
    let (v, c) = with_carry(b, x, y, carry, sub);
    let limit = k(b, if sub { 0 } else { !0 });
    b.pure3(Sel32, c, limit, v)
}
/// Exact s0 * s1 + s2 (64 bits) of sign- or zero-extended 32-bit operands.
fn mad_wide(b: &mut Builder, s: &[Value], signed: bool) -> Value {
    let (mul, ext) = if signed { (SMulWide32, SExt64) } else { (UMulWide32, ZExt64) };
    let p = b.pure2(mul, s[0], s[1]);
    let c = b.pure1(ext, s[2]);
    b.pure2(IAdd64, p, c)
}
/// A 64-bit value saturated to 32 bits.
pub fn saturate64(b: &mut Builder, v: Value, signed: bool) -> Value {
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
fn mul24(b: &mut Builder, s: &[Value], signed: bool, high: bool) -> Value {
    let [x, y] = narrow24(b, s, signed);
    if !high {
        return b.pure2(IMul32, x, y);
    }
    let p = b.pure2(if signed { SMulWide32 } else { UMulWide32 }, x, y);
    b.pure1(Hi64, p)
}
fn mad24(b: &mut Builder, s: &[Value], signed: bool) -> Value {
    let [x, y] = narrow24(b, s, signed);
    let p = b.pure2(IMul32, x, y);
    b.pure2(IAdd32, p, s[2])
}
fn mad24_sat(b: &mut Builder, s: &[Value], signed: bool) -> Value {
    let [x, y] = narrow24(b, s, signed);
    let v = mad_wide(b, &[x, y, s[2]], signed);
    saturate64(b, v, signed)
}
/// v_mad_u64_u32, v_mad_i64_i32: 64-bit sum and its unsigned carry.
fn mad64(b: &mut Builder, s: &[Value], mul: PureOp) -> (Value, Value) {
    let p = b.pure2(mul, s[0], s[1]);
    let v = b.pure2(IAdd64, p, s[2]);
    let c = b.pure2(ICmpUlt64, v, p);
    (v, c)
}
/// The same with clamp: the sum saturates.
fn mad64_sat(b: &mut Builder, s: &[Value], signed: bool) -> Value {
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
fn mad16(b: &mut Builder, s: &[Value]) -> Value {
    let p = b.pure2(IMul16, s[0], s[1]);
    b.pure2(IAdd16, p, s[2])
}
/// Saturating 16-bit mad through exact 32-bit arithmetic.
fn mad16_sat(b: &mut Builder, s: &[Value], signed: bool) -> Value {
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
fn mad32_16(b: &mut Builder, s: &[Value], signed: bool, sat: bool) -> Value {
    let [x, y] = [0, 1].map(|i| if signed { sext(b, s[i], 16) } else { mask(b, s[i], 0xffff) });
    let p = b.pure2(IMul32, x, y);
    let add = match (sat, signed) {
        (false, _) => IAdd32,
        (true, true) => SAddSat32,
        (true, false) => UAddSat32,
    };
    b.pure2(add, p, s[2])
}
fn cvt_ubyte(b: &mut Builder, s: &[Value], n: u32) -> Value {
    let (off, w) = (k(b, 8 * n), k(b, 8));
    let v = b.pure3(BfeU32, s[0], off, w);
    b.pure1(CvtF32U32, v)
}
/// Sums of absolute differences: the sum without accumulator, then the accumulator by `add`.
fn sad(b: &mut Builder, s: &[Value], op: PureOp, add: PureOp) -> Value {
    let z = k(b, 0);
    let v = b.pure3(op, s[0], s[1], z);
    b.pure2(add, v, s[2])
}
fn sad_hi(b: &mut Builder, s: &[Value], add: PureOp) -> Value {
    let z = k(b, 0);
    let v = b.pure3(SadU8, s[0], s[1], z);
    let n = k(b, 16);
    let v = b.pure2(Shl32, v, n);
    b.pure2(add, v, s[2])
}
/// qsad: four overlapping dwords of s0 against s1, 16-bit accumulators from s2, which saturate with clamp.
fn qsad(b: &mut Builder, s: &[Value], op: PureOp, clamp: bool) -> Value {
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
fn mqsad_u32(c: &mut Cx) {
    let ops = [c.op(0), c.op(1), c.op(2), c.op(3)];
    let exec = c.exec();
    let window = c.src(ops[1], B64);
    let s1 = c.src(ops[2], B32);
    let (Some(d), Some(a)) = (vgpr(ops[0]), vgpr(ops[3])) else {
        return c.unsupported("operands");
    };
    let mut r = Vec::new();
    for i in 0..4 {
        let acc = c.b.vget(c.source(a, 4, i), Some(exec));
        let n = k(&mut c.b, 8 * i as u32);
        let w = c.b.pure2(LShr64, window, n);
        let w = c.b.pure1(Lo64, w);
        r.push(if c.inst.mods.clamp { sad(&mut c.b, &[w, s1, acc], MsadU8, UAddSat32) } else { c.b.pure3(MsadU8, w, s1, acc) });
    }
    for (i, v) in r.into_iter().enumerate() {
        c.b.vset(wavejit_ir::VReg(d + i as u16), v, exec);
    }
}
/// {hi: y, lo: x} of low halves.
pub fn pack16(b: &mut Builder, x: Value, y: Value) -> Value {
    let sel = k(b, 0x0504_0100);
    b.pure3(Perm32, y, x, sel)
}
/// v_mbcnt: set bits of s0 below this lane, in the low or high half of the wave, plus s1.
fn mbcnt(b: &mut Builder, s: &[Value], high: bool) -> Value {
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
fn div_fmas(b: &mut Builder, s: &[Value], wide: bool) -> Value {
    let (scaled, fma, sel) = if wide { (DivFmasScaled64, FFma64, Sel64) } else { (DivFmasScaled32, FFma32, Sel32) };
    let x = b.pure3(scaled, s[0], s[1], s[2]);
    let y = b.pure3(fma, s[0], s[1], s[2]);
    b.pure3(sel, s[3], x, y)
}
fn same(_: &mut Builder, s: &[Value]) -> Value {
    s[0]
}
fn vgpr(op: wavejit_isa::Operand) -> Option<u16> {
    match op {
        wavejit_isa::Operand::Vgpr { n, .. } => Some(n),
        _ => None,
    }
}
const fn dot_acc(src: &'static [T], op: PureOp) -> Sem {
    Sem::Lane(Lane { dst: F32, src, f: F::Op(op), acc: true, saturate: None })
}

const H: &[T; 1] = &[F16];
const HH: &[T; 2] = &[F16, F16];
const HHH: &[T; 3] = &[F16, F16, F16];
const S: &[T; 1] = &[F32];
const SS: &[T; 2] = &[F32, F32];
const SSS: &[T; 3] = &[F32, F32, F32];
const D: &[T; 1] = &[F64];
const DD: &[T; 2] = &[F64, F64];
const DDD: &[T; 3] = &[F64, F64, F64];
const B: &[T; 1] = &[B16];
const BB: &[T; 2] = &[B16, B16];
const BBB: &[T; 3] = &[B16, B16, B16];
const W: &[T; 1] = &[B32];
const WW: &[T; 2] = &[B32, B32];
const WWW: &[T; 3] = &[B32, B32, B32];
const WWM: &[T] = &[B32, B32, Mask];

/// Rows of VOP1, VOP2 and VOP3.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    // VOP1
    ("v_nop",                    Sem::Note(wavejit_ir::NoteKind::Other)),
    ("v_pipeflush",              Sem::Note(wavejit_ir::NoteKind::Other)),
    ("v_mov_b32",                lane_fn(B32, S, same)),
    ("v_mov_b16",                lane_fn(B16, H, same)),
    ("v_cvt_i32_f64",            lane(B32, D, CvtI32F64)),
    ("v_cvt_f64_i32",            lane(F64, W, CvtF64I32)),
    ("v_cvt_f32_i32",            lane(F32, W, CvtF32I32)),
    ("v_cvt_f32_u32",            lane(F32, W, CvtF32U32)),
    ("v_cvt_u32_f32",            lane(B32, S, CvtU32F32)),
    ("v_cvt_i32_f32",            lane(B32, S, CvtI32F32)),
    ("v_cvt_f16_f32",            lane(F16, S, CvtF16F32)),
    ("v_cvt_f32_f16",            lane(F32, H, CvtF32F16)),
    ("v_cvt_nearest_i32_f32",    lane(B32, S, CvtNearestI32F32)),
    ("v_cvt_floor_i32_f32",      lane(B32, S, CvtFloorI32F32)),
    ("v_cvt_off_f32_i4",         lane(F32, W, CvtOffF32I4)),
    ("v_cvt_f32_f64",            lane(F32, D, CvtF32F64)),
    ("v_cvt_f64_f32",            lane(F64, S, CvtF64F32)),
    ("v_cvt_f32_ubyte0",         lane_fn(F32, W, |b, s| cvt_ubyte(b, s, 0))),
    ("v_cvt_f32_ubyte1",         lane_fn(F32, W, |b, s| cvt_ubyte(b, s, 1))),
    ("v_cvt_f32_ubyte2",         lane_fn(F32, W, |b, s| cvt_ubyte(b, s, 2))),
    ("v_cvt_f32_ubyte3",         lane_fn(F32, W, |b, s| cvt_ubyte(b, s, 3))),
    ("v_cvt_u32_f64",            lane(B32, D, CvtU32F64)),
    ("v_cvt_f64_u32",            lane(F64, W, CvtF64U32)),
    ("v_trunc_f64",              lane1(D, FTrunc64)),
    ("v_ceil_f64",               lane1(D, FCeil64)),
    ("v_rndne_f64",              lane1(D, FRndne64)),
    ("v_floor_f64",              lane1(D, FFloor64)),
    ("v_fract_f32",              lane1(S, FFract32)),
    ("v_trunc_f32",              lane1(S, FTrunc32)),
    ("v_ceil_f32",               lane1(S, FCeil32)),
    ("v_rndne_f32",              lane1(S, FRndne32)),
    ("v_floor_f32",              lane1(S, FFloor32)),
    ("v_exp_f32",                lane1(S, FExp232)),
    ("v_log_f32",                lane1(S, FLog232)),
    ("v_rcp_f32",                lane1(S, FRcp32)),
    ("v_rcp_iflag_f32",          lane1(S, FRcp32)),
    ("v_rsq_f32",                lane1(S, FRsq32)),
    ("v_rcp_f64",                lane1(D, FRcp64)),
    ("v_rsq_f64",                lane1(D, FRsq64)),
    ("v_sqrt_f32",               lane1(S, FSqrt32)),
    ("v_sqrt_f64",               lane1(D, FSqrt64)),
    ("v_sin_f32",                lane1(S, FSin32)),
    ("v_cos_f32",                lane1(S, FCos32)),
    ("v_not_b32",                lane1(W, Not32)),
    ("v_not_b16",                lane1(B, Not32)),
    ("v_bfrev_b32",              lane1(W, BitRev32)),
    ("v_clz_i32_u32",            lane1(W, FfbhU32)),
    ("v_ctz_i32_b32",            lane1(W, FfblB32)),
    ("v_cls_i32",                lane1(W, FfbhI32)),
    ("v_frexp_exp_i32_f64",      lane(B32, D, FFrexpExp64)),
    ("v_frexp_mant_f64",         lane1(D, FFrexpMant64)),
    ("v_fract_f64",              lane1(D, FFract64)),
    ("v_frexp_exp_i32_f32",      lane(B32, S, FFrexpExp32)),
    ("v_frexp_mant_f32",         lane1(S, FFrexpMant32)),
    ("v_cvt_f16_u16",            lane(F16, B, CvtF16U16)),
    ("v_cvt_f16_i16",            lane(F16, B, CvtF16I16)),
    ("v_cvt_u16_f16",            lane(B16, H, CvtU16F16)),
    ("v_cvt_i16_f16",            lane(B16, H, CvtI16F16)),
    ("v_rcp_f16",                lane1(H, FRcp16)),
    ("v_sqrt_f16",               lane1(H, FSqrt16)),
    ("v_rsq_f16",                lane1(H, FRsq16)),
    ("v_log_f16",                lane1(H, FLog216)),
    ("v_exp_f16",                lane1(H, FExp216)),
    ("v_frexp_mant_f16",         lane1(H, FFrexpMant16)),
    ("v_frexp_exp_i16_f16",      lane(B16, H, FFrexpExp16)),
    ("v_floor_f16",              lane1(H, FFloor16)),
    ("v_ceil_f16",               lane1(H, FCeil16)),
    ("v_trunc_f16",              lane1(H, FTrunc16)),
    ("v_rndne_f16",              lane1(H, FRndne16)),
    ("v_fract_f16",              lane1(H, FFract16)),
    ("v_sin_f16",                lane1(H, FSin16)),
    ("v_cos_f16",                lane1(H, FCos16)),
    ("v_sat_pk_u8_i16",          lane(B16, W, SatPkU8I16)),
    ("v_cvt_norm_i16_f16",       lane(B16, H, CvtNormI16F16)),
    ("v_cvt_norm_u16_f16",       lane(B16, H, CvtNormU16F16)),
    ("v_cvt_i32_i16",            lane_fn(B32, B, |b, s| sext(b, s[0], 16))),
    ("v_cvt_u32_u16",            lane_fn(B32, B, |b, s| mask(b, s[0], 0xffff))),
    // VOP2
    ("v_cndmask_b32",            lane_fn(B32, &[F32, F32, Mask], |b, s| b.pure3(Sel32, s[2], s[1], s[0]))),
    ("v_cndmask_b16",            lane_fn(B16, &[F16, F16, Mask], |b, s| b.pure3(Sel32, s[2], s[1], s[0]))),
    ("v_dot2acc_f32_f16",        dot_acc(&[H2, H2], Dot2F32F16)),
    ("v_add_f32",                lane2(SS, FAdd32)),
    ("v_sub_f32",                lane2(SS, FSub32)),
    ("v_subrev_f32",             lane_rev(F32, SS, FSub32)),
    ("v_fmac_dx9_zero_f32",      lane_acc(SS, FFmaDx932)),
    ("v_mul_dx9_zero_f32",       lane2(SS, FMulDx932)),
    ("v_mul_f32",                lane2(SS, FMul32)),
    ("v_mul_i32_i24",            lane_fn(B32, WW, |b, s| mul24(b, s, true, false))),
    ("v_mul_hi_i32_i24",         lane_fn(B32, WW, |b, s| mul24(b, s, true, true))),
    ("v_mul_u32_u24",            lane_fn(B32, WW, |b, s| mul24(b, s, false, false))),
    ("v_mul_hi_u32_u24",         lane_fn(B32, WW, |b, s| mul24(b, s, false, true))),
    ("v_min_f32",                lane2(SS, FMin32)),
    ("v_min_num_f32",                lane2(SS, FMinNum32)),
    ("v_max_f32",                lane2(SS, FMax32)),
    ("v_max_num_f32",                lane2(SS, FMaxNum32)),
    ("v_min_i32",                lane2(WW, SMin32)),
    ("v_max_i32",                lane2(WW, SMax32)),
    ("v_min_u32",                lane2(WW, UMin32)),
    ("v_max_u32",                lane2(WW, UMax32)),
    ("v_lshlrev_b32",            lane_rev(B32, WW, Shl32)),
    ("v_lshrrev_b32",            lane_rev(B32, WW, LShr32)),
    ("v_ashrrev_i32",            lane_rev(B32, WW, AShr32)),
    ("v_and_b32",                lane2(WW, And32)),
    ("v_or_b32",                 lane2(WW, Or32)),
    ("v_xor_b32",                lane2(WW, Xor32)),
    ("v_xnor_b32",               lane_fn(B32, WW, |b, s| { let v = b.pure2(Xor32, s[0], s[1]); b.pure1(Not32, v) })),
    ("v_add_co_ci_u32",          carry_sat(B32, WWM, |b, s| with_carry(b, s[0], s[1], s[2], false), |b, s| carry_sat_ci(b, s[0], s[1], s[2], false))),
    ("v_sub_co_ci_u32",          carry_sat(B32, WWM, |b, s| with_carry(b, s[0], s[1], s[2], true), |b, s| carry_sat_ci(b, s[0], s[1], s[2], true))),
    ("v_subrev_co_ci_u32",       carry_sat(B32, WWM, |b, s| with_carry(b, s[1], s[0], s[2], true), |b, s| carry_sat_ci(b, s[1], s[0], s[2], true))),
    ("v_add_nc_u32",             lane_sat(WW, IAdd32, UAddSat32)),
    ("v_sub_nc_u32",             lane_sat(WW, ISub32, USubSat32)),
    ("v_subrev_nc_u32",          lane_rev_sat(WW, ISub32, USubSat32)),
    ("v_fmac_f32",               lane_acc(SS, FFma32)),
    ("v_fmamk_f32",              lane3(SSS, FFma32)),
    ("v_fmaak_f32",              lane3(SSS, FFma32)),
    ("v_mac_f32",                lane_acc(SS, FMad32)),
    ("v_madmk_f32",              lane3(SSS, FMad32)),
    ("v_madak_f32",              lane3(SSS, FMad32)),
    ("v_cvt_pk_rtz_f16_f32",     lane(B32, SS, CvtPkRtzF16F32)),
    ("v_add_f16",                lane2(HH, FAdd16)),
    ("v_sub_f16",                lane2(HH, FSub16)),
    ("v_subrev_f16",             lane_rev(F16, HH, FSub16)),
    ("v_mul_f16",                lane2(HH, FMul16)),
    ("v_fmac_f16",               lane_acc(HH, FFma16)),
    ("v_fmamk_f16",              lane3(HHH, FFma16)),
    ("v_fmaak_f16",              lane3(HHH, FFma16)),
    ("v_max_f16",                lane2(HH, FMax16)),
    ("v_max_num_f16",                lane2(HH, FMaxNum16)),
    ("v_min_f16",                lane2(HH, FMin16)),
    ("v_min_num_f16",                lane2(HH, FMinNum16)),
    ("v_ldexp_f16",              lane(F16, &[F16, B16], FLdexp16)),
    // VOP3
    ("v_fma_dx9_zero_f32",       lane3(SSS, FFmaDx932)),
    ("v_mad_f32",                lane3(SSS, FMad32)),
    ("v_mad_i32_i24",            lane_fn_sat(B32, WWW, |b, s| mad24(b, s, true), |b, s| mad24_sat(b, s, true))),
    ("v_mad_u32_u24",            lane_fn_sat(B32, WWW, |b, s| mad24(b, s, false), |b, s| mad24_sat(b, s, false))),
    ("v_cubeid_f32",             lane3(SSS, CubeId)),
    ("v_cubesc_f32",             lane3(SSS, CubeSc)),
    ("v_cubetc_f32",             lane3(SSS, CubeTc)),
    ("v_cubema_f32",             lane3(SSS, CubeMa)),
    ("v_bfe_u32",                lane3(WWW, BfeU32)),
    ("v_bfe_i32",                lane3(WWW, BfeI32)),
    ("v_bfi_b32",                lane3(WWW, Bfi32)),
    ("v_fma_f32",                lane3(SSS, FFma32)),
    ("v_fma_f64",                lane3(DDD, FFma64)),
    ("v_lerp_u8",                lane3(WWW, LerpU8)),
    ("v_alignbit_b32",           lane3(WWW, AlignBit32)),
    ("v_alignbyte_b32",          lane_fn(B32, WWW, |b, s| { let n = mask(b, s[2], 3); let e = k(b, 3); let n = b.pure2(Shl32, n, e); b.pure3(AlignBit32, s[0], s[1], n) })),
    ("v_mullit_f32",             lane3(SSS, FMullit32)),
    ("v_min3_f32",               lane_fn(F32, SSS, |b, s| chain(b, s, FMin32, FMin32))),
    ("v_min3_num_f32",               lane_fn(F32, SSS, |b, s| chain(b, s, FMinNum32, FMinNum32))),
    ("v_min3_i32",               lane_fn(B32, WWW, |b, s| chain(b, s, SMin32, SMin32))),
    ("v_min3_u32",               lane_fn(B32, WWW, |b, s| chain(b, s, UMin32, UMin32))),
    ("v_max3_f32",               lane_fn(F32, SSS, |b, s| chain(b, s, FMax32, FMax32))),
    ("v_max3_num_f32",               lane_fn(F32, SSS, |b, s| chain(b, s, FMaxNum32, FMaxNum32))),
    ("v_max3_i32",               lane_fn(B32, WWW, |b, s| chain(b, s, SMax32, SMax32))),
    ("v_max3_u32",               lane_fn(B32, WWW, |b, s| chain(b, s, UMax32, UMax32))),
    ("v_med3_f32",               lane3(SSS, FMed332)),
    ("v_med3_num_f32",               lane3(SSS, FMed3Num32)),
    ("v_med3_i32",               lane_fn(B32, WWW, |b, s| med(b, s, SMin32, SMax32))),
    ("v_med3_u32",               lane_fn(B32, WWW, |b, s| med(b, s, UMin32, UMax32))),
    ("v_sad_u8",                 lane_fn_sat(B32, WWW, |b, s| b.pure3(SadU8, s[0], s[1], s[2]), |b, s| sad(b, s, SadU8, UAddSat32))),
    ("v_sad_hi_u8",              lane_fn_sat(B32, WWW, |b, s| sad_hi(b, s, IAdd32), |b, s| sad_hi(b, s, UAddSat32))),
    ("v_sad_u16",                lane_fn_sat(B32, WWW, |b, s| b.pure3(SadU16, s[0], s[1], s[2]), |b, s| sad(b, s, SadU16, UAddSat32))),
    ("v_sad_u32",                lane_fn_sat(B32, WWW, |b, s| b.pure3(SadU32, s[0], s[1], s[2]), |b, s| sad(b, s, SadU32, UAddSat32))),
    ("v_cvt_pk_u8_f32",          lane(B32, &[F32, B32, B32], CvtPkU8F32)),
    ("v_div_fixup_f32",          lane3(SSS, DivFixup32)),
    ("v_div_fixup_f64",          lane3(DDD, DivFixup64)),
    ("v_div_fmas_f32",           lane_fn(F32, &[F32, F32, F32, Mask], |b, s| div_fmas(b, s, false))),
    ("v_div_fmas_f64",           lane_fn(F64, &[F64, F64, F64, Mask], |b, s| div_fmas(b, s, true))),
    ("v_msad_u8",                lane_fn_sat(B32, WWW, |b, s| b.pure3(MsadU8, s[0], s[1], s[2]), |b, s| sad(b, s, MsadU8, UAddSat32))),
    ("v_qsad_pk_u16_u8",         lane_fn_sat(B64, &[B64, B32, B64], |b, s| qsad(b, s, SadU8, false), |b, s| qsad(b, s, SadU8, true))),
    ("v_mqsad_pk_u16_u8",        lane_fn_sat(B64, &[B64, B32, B64], |b, s| qsad(b, s, MsadU8, false), |b, s| qsad(b, s, MsadU8, true))),
    ("v_mqsad_u32_u8",           Sem::Wave(mqsad_u32)),
    ("v_xor3_b32",               lane_fn(B32, WWW, |b, s| chain(b, s, Xor32, Xor32))),
    ("v_mad_u16",                lane_fn_sat(B16, BBB, mad16, |b, s| mad16_sat(b, s, false))),
    ("v_perm_b32",               lane3(WWW, Perm32)),
    ("v_xad_u32",                lane_fn(B32, WWW, |b, s| chain(b, s, Xor32, IAdd32))),
    ("v_lshl_add_u32",           lane_fn(B32, WWW, |b, s| chain(b, s, Shl32, IAdd32))),
    ("v_add_lshl_u32",           lane_fn(B32, WWW, |b, s| chain(b, s, IAdd32, Shl32))),
    ("v_fma_f16",                lane3(HHH, FFma16)),
    ("v_min3_f16",               lane_fn(F16, HHH, |b, s| chain(b, s, FMin16, FMin16))),
    ("v_min3_num_f16",               lane_fn(F16, HHH, |b, s| chain(b, s, FMinNum16, FMinNum16))),
    ("v_min3_i16",               lane_fn(B16, BBB, |b, s| chain(b, s, SMin16, SMin16))),
    ("v_min3_u16",               lane_fn(B16, BBB, |b, s| chain(b, s, UMin16, UMin16))),
    ("v_max3_f16",               lane_fn(F16, HHH, |b, s| chain(b, s, FMax16, FMax16))),
    ("v_max3_num_f16",               lane_fn(F16, HHH, |b, s| chain(b, s, FMaxNum16, FMaxNum16))),
    ("v_max3_i16",               lane_fn(B16, BBB, |b, s| chain(b, s, SMax16, SMax16))),
    ("v_max3_u16",               lane_fn(B16, BBB, |b, s| chain(b, s, UMax16, UMax16))),
    ("v_med3_f16",               lane3(HHH, FMed316)),
    ("v_med3_num_f16",               lane3(HHH, FMed3Num16)),
    ("v_med3_i16",               lane_fn(B16, BBB, |b, s| med(b, s, SMin16, SMax16))),
    ("v_med3_u16",               lane_fn(B16, BBB, |b, s| med(b, s, UMin16, UMax16))),
    ("v_mad_i16",                lane_fn_sat(B16, BBB, mad16, |b, s| mad16_sat(b, s, true))),
    ("v_div_fixup_f16",          lane3(HHH, DivFixup16)),
    ("v_add3_u32",               lane_fn(B32, WWW, |b, s| chain(b, s, IAdd32, IAdd32))),
    ("v_lshl_or_b32",            lane_fn(B32, WWW, |b, s| chain(b, s, Shl32, Or32))),
    ("v_and_or_b32",             lane_fn(B32, WWW, |b, s| chain(b, s, And32, Or32))),
    ("v_or3_b32",                lane_fn(B32, WWW, |b, s| chain(b, s, Or32, Or32))),
    ("v_mad_u32_u16",            lane_fn_sat(B32, &[B16, B16, B32], |b, s| mad32_16(b, s, false, false), |b, s| mad32_16(b, s, false, true))),
    ("v_mad_i32_i16",            lane_fn_sat(B32, &[B16, B16, B32], |b, s| mad32_16(b, s, true, false), |b, s| mad32_16(b, s, true, true))),
    ("v_maxmin_f32",             lane_fn(F32, SSS, |b, s| chain(b, s, FMax32, FMin32))),
    ("v_maxmin_num_f32",             lane_fn(F32, SSS, |b, s| chain(b, s, FMaxNum32, FMinNum32))),
    ("v_minmax_f32",             lane_fn(F32, SSS, |b, s| chain(b, s, FMin32, FMax32))),
    ("v_minmax_num_f32",             lane_fn(F32, SSS, |b, s| chain(b, s, FMinNum32, FMaxNum32))),
    ("v_maxmin_f16",             lane_fn(F16, HHH, |b, s| chain(b, s, FMax16, FMin16))),
    ("v_maxmin_num_f16",             lane_fn(F16, HHH, |b, s| chain(b, s, FMaxNum16, FMinNum16))),
    ("v_minmax_f16",             lane_fn(F16, HHH, |b, s| chain(b, s, FMin16, FMax16))),
    ("v_minmax_num_f16",             lane_fn(F16, HHH, |b, s| chain(b, s, FMinNum16, FMaxNum16))),
    ("v_maxmin_u32",             lane_fn(B32, WWW, |b, s| chain(b, s, UMax32, UMin32))),
    ("v_minmax_u32",             lane_fn(B32, WWW, |b, s| chain(b, s, UMin32, UMax32))),
    ("v_maxmin_i32",             lane_fn(B32, WWW, |b, s| chain(b, s, SMax32, SMin32))),
    ("v_minmax_i32",             lane_fn(B32, WWW, |b, s| chain(b, s, SMin32, SMax32))),
    ("v_add_nc_u16",             lane_sat(BB, IAdd16, UAddSat16)),
    ("v_sub_nc_u16",             lane_sat(BB, ISub16, USubSat16)),
    ("v_mul_lo_u16",             lane2(BB, IMul16)),
    ("v_cvt_pk_i16_f32",         lane(B32, SS, CvtPkI16F32)),
    ("v_cvt_pk_u16_f32",         lane(B32, SS, CvtPkU16F32)),
    ("v_max_u16",                lane2(BB, UMax16)),
    ("v_max_i16",                lane2(BB, SMax16)),
    ("v_min_u16",                lane2(BB, UMin16)),
    ("v_min_i16",                lane2(BB, SMin16)),
    ("v_add_nc_i16",             lane_sat(BB, IAdd16, SAddSat16)),
    ("v_sub_nc_i16",             lane_sat(BB, ISub16, SSubSat16)),
    ("v_pack_b32_f16",           lane_fn(B32, HH, |b, s| pack16(b, s[0], s[1]))),
    ("v_cvt_pk_norm_i16_f16",    lane(B32, HH, CvtPkNormI16F16)),
    ("v_cvt_pk_norm_u16_f16",    lane(B32, HH, CvtPkNormU16F16)),
    ("v_ldexp_f32",              lane(F32, &[F32, B32], FLdexp32)),
    ("v_bfm_b32",                lane2(WW, Bfm32)),
    ("v_bcnt_u32_b32",           lane_fn(B32, WW, |b, s| { let v = b.pure1(Popcnt32, s[0]); b.pure2(IAdd32, v, s[1]) })),
    ("v_mbcnt_lo_u32_b32",       lane_fn(B32, WW, |b, s| mbcnt(b, s, false))),
    ("v_mbcnt_hi_u32_b32",       lane_fn(B32, WW, |b, s| mbcnt(b, s, true))),
    ("v_cvt_pk_norm_i16_f32",    lane(B32, SS, CvtPkNormI16F32)),
    ("v_cvt_pk_norm_u16_f32",    lane(B32, SS, CvtPkNormU16F32)),
    ("v_cvt_pk_u16_u32",         lane(B32, WW, CvtPkU16U32)),
    ("v_cvt_pk_i16_i32",         lane(B32, WW, CvtPkI16I32)),
    ("v_sub_nc_i32",             lane_sat(WW, ISub32, SSubSat32)),
    ("v_add_nc_i32",             lane_sat(WW, IAdd32, SAddSat32)),
    ("v_add_f64",                lane2(DD, FAdd64)),
    ("v_mul_f64",                lane2(DD, FMul64)),
    ("v_min_f64",                lane2(DD, FMin64)),
    ("v_min_num_f64",                lane2(DD, FMinNum64)),
    ("v_max_f64",                lane2(DD, FMax64)),
    ("v_max_num_f64",                lane2(DD, FMaxNum64)),
    ("v_ldexp_f64",              lane(F64, &[F64, B32], FLdexp64)),
    ("v_mul_lo_u32",             lane2(WW, IMul32)),
    ("v_mul_hi_u32",             lane2(WW, UMulHi32)),
    ("v_mul_hi_i32",             lane2(WW, SMulHi32)),
    ("v_trig_preop_f64",         lane(F64, &[F64, B32], TrigPreop64)),
    ("v_lshlrev_b16",            lane_rev(B16, BB, Shl16)),
    ("v_lshrrev_b16",            lane_rev(B16, BB, LShr16)),
    ("v_ashrrev_i16",            lane_rev(B16, BB, AShr16)),
    ("v_lshlrev_b64",            lane_rev(B64, &[B32, B64], Shl64)),
    ("v_lshrrev_b64",            lane_rev(B64, &[B32, B64], LShr64)),
    ("v_ashrrev_i64",            lane_rev(B64, &[B32, I64], AShr64)),
    ("v_and_b16",                lane2(BB, And32)),
    ("v_or_b16",                 lane2(BB, Or32)),
    ("v_xor_b16",                lane2(BB, Xor32)),
    // VOP3SD
    ("v_div_scale_f32",          carry(F32, SSS, |b, s| (b.pure3(DivScale32, s[0], s[1], s[2]), b.pure3(DivScaleFlag32, s[0], s[1], s[2])))),
    ("v_div_scale_f64",          carry(F64, DDD, |b, s| (b.pure3(DivScale64, s[0], s[1], s[2]), b.pure3(DivScaleFlag64, s[0], s[1], s[2])))),
    ("v_mad_u64_u32",            carry_sat(B64, &[B32, B32, B64], |b, s| mad64(b, s, UMulWide32), |b, s| mad64_sat(b, s, false))),
    ("v_mad_i64_i32",            carry_sat(I64, &[B32, B32, I64], |b, s| mad64(b, s, SMulWide32), |b, s| mad64_sat(b, s, true))),
    ("v_add_co_u32",             carry_sat(B32, WW, |b, s| add_carry(b, s[0], s[1]), |b, s| b.pure2(UAddSat32, s[0], s[1]))),
    ("v_sub_co_u32",             carry_sat(B32, WW, |b, s| sub_borrow(b, s[0], s[1]), |b, s| b.pure2(USubSat32, s[0], s[1]))),
    ("v_subrev_co_u32",          carry_sat(B32, WW, |b, s| sub_borrow(b, s[1], s[0]), |b, s| b.pure2(USubSat32, s[1], s[0]))),
    // register moves relative to M0
    ("v_movreld_b32",            Sem::Wave(super::crosslane::movreld)),
    ("v_movrels_b32",            Sem::Wave(super::crosslane::movrels)),
    ("v_movrelsd_b32",           Sem::Wave(super::crosslane::movrelsd)),
    ("v_movrelsd_2_b32",         Sem::Wave(super::crosslane::movrelsd2)),
    ("v_swap_b32",               Sem::Wave(super::crosslane::swap)),
    ("v_swaprel_b32",            Sem::Wave(super::crosslane::swaprel)),
];
