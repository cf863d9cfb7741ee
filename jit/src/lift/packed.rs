//! VOP3P: packed 16-bit operations, mixed-precision fma, dot products (RDNA3 ISA, VOP3P; numerics.md section 11).

use super::crosslane::DppEffect;
use super::cx::{Arg, Cx};
use super::sem::Lane;
use super::types::*;
use super::valu::pack16;
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, PureOp, Value};
use wavejit_isa::{self as isa, Half, Operand};

/// A source as packed halves of its type (`H2`, `Bf2`, or `B32` for integers), with op_sel, op_sel_hi and, for floats, neg and neg_hi.
/// Inline float constants of integer operations are f32 patterns.
fn packed_src(c: &mut Cx, i: usize, op: Operand, t: T, dpp: Option<&DppEffect>) -> Value {
    let m = c.inst.mods;
    let mut v = c.dpp_src(i, op, t, dpp);
    let (lo, hi) = (m.op_sel >> i & 1, m.op_sel_hi >> i & 1);
    if (lo, hi) != (0, 1) {
        let sel = if lo == 0 { 0x0100 } else { 0x0302 } | if hi == 0 { 0x0100_0000 } else { 0x0302_0000 };
        let sel = c.b.const32(sel);
        v = c.b.pure3(Perm32, v, v, sel);
    }
    let flips = u32::from(m.neg >> i & 1) << 15 | u32::from(m.neg_hi >> i & 1) << 31;
    if t != B32 && flips != 0 {
        let k = c.b.const32(flips);
        v = c.b.pure2(Xor32, v, k);
    }
    v
}
/// A packed result of packed sources.
pub(super) fn packed(c: &mut Cx, row: &Lane) {
    let source = |(i, t): (usize, &T)| {
        let op = c.op(1 + i);
        packed_src(c, i, op, *t, None)
    };
    let s: Vec<Value> = row.src.iter().enumerate().map(source).collect();
    let clamp = c.inst.mods.clamp;
    let f = row.saturate.filter(|_| clamp).unwrap_or(row.f);
    let mut v = f(&mut c.b, &s);
    if clamp && row.dst == H2 {
        v = c.b.pure1(PkFClamp16, v);
    }
    let (d, e) = (c.op(0), c.exec());
    c.vdst(d, B32, v, e);
}
fn finish(c: &mut Cx, d: Arg, v: Value) {
    let e = c.exec();
    c.write_lanes(d, v, e);
}
/// v_pk_mad: low 16 bits of each product plus addend.
pub(super) fn pk_mad(b: &mut Builder, s: [Value; 3]) -> Value {
    let p = b.pure2(PkIMul16, s[0], s[1]);
    b.pure2(PkIAdd16, p, s[2])
}
/// The same with clamp: the exact sum saturates.
pub(super) fn pk_mad_sat(b: &mut Builder, s: [Value; 3], signed: bool) -> Value {
    let halves = [0, 1].map(|h| {
        let h: Vec<Value> = s.iter().map(|v| half(b, *v, h, signed)).collect();
        mad_sat(b, &h, signed)
    });
    pack16(b, halves[0], halves[1])
}
fn half(b: &mut Builder, v: Value, high: u32, signed: bool) -> Value {
    let (off, w) = (b.const32(16 * high), b.const32(16));
    b.pure3(if signed { BfeI32 } else { BfeU32 }, v, off, w)
}
/// Saturated s0 * s1 + s2 of extended 16-bit operands: the exact sum fits 32 bits.
fn mad_sat(b: &mut Builder, s: &[Value], signed: bool) -> Value {
    let p = b.pure2(IMul32, s[0], s[1]);
    let v = b.pure2(IAdd32, p, s[2]);
    if signed {
        let (lo, hi) = (b.const32(0xffff_8000), b.const32(0x7fff));
        let v = b.pure2(SMax32, v, lo);
        b.pure2(SMin32, v, hi)
    } else {
        let hi = b.const32(0xffff);
        b.pure2(UMin32, v, hi)
    }
}

/// A source of fma_mix: f32, or a half widened to f32, by {op_sel_hi, op_sel}. The field that is neg_hi elsewhere is abs (`Flags::MIX`).
fn mix_src(c: &mut Cx, arg: Arg, dpp: Option<&DppEffect>) -> Value {
    let (op, i, m) = (arg.op, arg.source, c.inst.mods);
    let is_half = m.op_sel_hi >> i & 1 != 0;
    let mut v = if is_half {
        let v = c.dpp_src(i, op, H2, dpp);
        let v = if m.op_sel >> i & 1 != 0 { c.high_half(v) } else { v };
        c.b.pure1(CvtF32F16, v)
    } else {
        c.dpp_src(i, op, F32, dpp)
    };
    if m.abs >> i & 1 != 0 {
        let k = c.b.const32(0x7fff_ffff);
        v = c.b.pure2(And32, v, k);
    }
    if m.neg >> i & 1 != 0 {
        let k = c.b.const32(0x8000_0000);
        v = c.b.pure2(Xor32, v, k);
    }
    v
}
/// v_fma_mix_f32.
pub(super) fn mix(c: &mut Cx, d: Arg, s: [Arg; 3]) {
    let (dpp, e) = c.dpp();
    let [x, y, z] = s.map(|s| mix_src(c, s, dpp.as_ref()));
    let mut v = c.b.pure3(FFma32, x, y, z);
    if c.inst.mods.clamp {
        v = c.b.pure1(FClamp32, v);
    }
    c.write_lanes(d, v, e);
}
/// v_fma_mixlo_f16, v_fma_mixhi_f16: rounded once more, into one half of the destination.
pub(super) fn mix_half(c: &mut Cx, d: Arg, s: [Arg; 3], high: bool) {
    let (dpp, e) = c.dpp();
    let [x, y, z] = s.map(|s| mix_src(c, s, dpp.as_ref()));
    let v = c.b.pure3(FFma32, x, y, z);
    let mut v = c.b.pure1(CvtF16F32, v);
    if c.inst.mods.clamp {
        v = c.b.pure1(FClamp16, v);
    }
    match d.op {
        Operand::Vgpr { n, .. } => {
            let v = c.insert_half(n, v, high, e);
            c.vdst(Operand::Vgpr { n, count: 1, half: Half::Whole }, B32, v, e);
        }
        _ => c.unsupported("VGPR expected"),
    }
}

/// Integer dot product of bytes or nibbles plus accumulator; the sum is exact before clamp looks at it.
pub(super) fn dot(c: &mut Cx, d: Arg, s: [Arg; 3], op: PureOp, add: PureOp, saturate: PureOp) {
    let [a, b, acc] = s.map(|s| c.read(s));
    let p = c.b.pure2(op, a, b);
    let v = c.b.pure2(if c.inst.mods.clamp { saturate } else { add }, p, acc);
    finish(c, d, v);
}
/// v_dot4_i32_iu8, v_dot8_i32_iu4: neg\[0\] and neg\[1\] say that the operand is signed.
pub(super) fn dot_iu(c: &mut Cx, d: Arg, s: [Arg; 3], ops: [PureOp; 4]) {
    let op = ops[usize::from(c.inst.mods.neg & 3)];
    dot(c, d, s, op, IAdd32, SAddSat32);
}
/// v_dot2_i32_i16, v_dot2_u32_u16: two exact 16-bit products.
pub(super) fn dot2_int(c: &mut Cx, d: Arg, s: [Arg; 3], signed: bool) {
    let (x, y) = (packed_src(c, 0, s[0].op, s[0].t, None), packed_src(c, 1, s[1].op, s[1].t, None));
    let acc = c.read(s[2]);
    let clamp = c.inst.mods.clamp;
    let b = &mut c.b;
    let mut sum = b.pure1(if signed { SExt64 } else { ZExt64 }, acc);
    for h in [0, 1] {
        let (p, q) = (half(b, x, h, signed), half(b, y, h, signed));
        let p = b.pure2(if signed { SMulWide32 } else { UMulWide32 }, p, q);
        sum = b.pure2(IAdd64, sum, p);
    }
    let v = if clamp { super::valu::saturate64(b, sum, signed) } else { b.pure1(Lo64, sum) };
    finish(c, d, v);
}
/// v_dot2_f32_f16, v_dot2_f32_bf16: packed halves times packed halves plus f32.
pub(super) fn dot2_f32(c: &mut Cx, d: Arg, s: [Arg; 3], op: PureOp) {
    let (dpp, e) = c.dpp();
    let (x, y) = (packed_src(c, 0, s[0].op, s[0].t, dpp.as_ref()), packed_src(c, 1, s[1].op, s[1].t, None));
    let mut z = c.read(s[2]);
    if c.inst.mods.neg_hi & 4 != 0 {
        let k = c.b.const32(0x7fff_ffff);
        z = c.b.pure2(And32, z, k);
    }
    if c.inst.mods.neg & 4 != 0 {
        let k = c.b.const32(0x8000_0000);
        z = c.b.pure2(Xor32, z, k);
    }
    let mut v = c.b.pure3(op, x, y, z);
    if c.inst.mods.clamp {
        v = c.b.pure1(FClamp32, v);
    }
    c.write_lanes(d, v, e);
}

/// v_dot2_f16_f16, v_dot2_bf16_bf16: VOP3, a 16-bit addend and result; abs and neg work on both halves of a packed source.
pub(super) fn dot2_16(c: &mut Cx, d: Arg, s: [Arg; 3], op: PureOp) {
    let (dpp, e) = c.dpp();
    if let (isa::Ty::BF16, Operand::Float(_)) = (s[2].ty, s[2].op) {
        // A bf16 constant, not an f16 one.
        c.unsupported("float constant as bf16 addend");
    }
    let s = c.lane_srcs(c.inst.ops(), 1, &s.map(|s| s.t), dpp.as_ref());
    let v = c.b.pure3(op, s[0], s[1], s[2]);
    c.vdst(d.op, B16, v, e);
}
