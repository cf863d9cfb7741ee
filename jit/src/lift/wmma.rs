//! WMMA of gfx11: D = A * B + C over 16x16 matrices held by a whole wave (RDNA3 ISA, wave matrix multiply; numerics.md section 13).
//!
//! A: lane l holds row l mod 16, the 16 values of k packed low first in 8, 4 or 2 registers; B: lane l holds column l mod 16 likewise. Both
//! are repeated in every group of 16 lanes. C and D: register i of lane l is row 2i + l/16 (wave64: 4i + l/16), column l mod 16. So an
//! output register needs, from each register of A, the value of its row: one shuffle and one dot product per pair of registers. EXEC is
//! ignored, and so is MODE (LLVM's tables; the guide names no other rounding): products are exact, sums are rounded to nearest even in order of k,
//! and denormals are kept. Hardware leaves the order open.

use super::cx::{Arg, Cx};
use super::sem::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, FpMode, Op, PureOp, Ty, VReg, Value};
use wavejit_isa::{self as isa, Operand};

/// What the elements of C and D are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Acc {
    F32,
    I32,
    /// In the low half of each register, or the high one by op_sel\[2\]; the other half of D stays.
    F16,
    Bf16,
}

impl Acc {
    /// Of the row's type.
    fn of(ty: isa::Ty) -> Acc {
        match ty {
            isa::Ty::AccI32 => Acc::I32,
            isa::Ty::AccF16 => Acc::F16,
            isa::Ty::AccBF16 => Acc::Bf16,
            _ => Acc::F32,
        }
    }
}

/// The registers of a source, all lanes, with neg on low and neg_hi on high halves for float matrices.
fn matrix(c: &mut Cx, arg: Arg, float: bool) -> Vec<Value> {
    let (i, regs) = (arg.source, usize::from(arg.ty.dwords(c.wave_size)));
    let Operand::Vgpr { n, .. } = arg.op else {
        c.unsupported("VGPRs expected");
        return vec![];
    };
    let m = c.inst.mods;
    let flips = if float { u32::from(m.neg >> i & 1) << 15 | u32::from(m.neg_hi >> i & 1) << 31 } else { 0 };
    (0..regs)
        .map(|r| {
            let reg = c.source(n, regs, r);
            let v = c.b.vget(reg, None);
            if flips == 0 {
                return v;
            }
            let k = c.b.const32(flips);
            c.b.pure2(Xor32, v, k)
        })
        .collect()
}
/// Register `r` of C as the 32-bit type sums are made in.
fn addend(c: &mut Cx, op: Operand, r: usize, acc: Acc) -> Value {
    let high = c.inst.mods.op_sel & 4 != 0;
    let raw = match op {
        Operand::Vgpr { n, count, .. } => {
            let reg = c.source(n, count.into(), r);
            let v = c.b.vget(reg, None);
            if high && matches!(acc, Acc::F16 | Acc::Bf16) { c.high_half(v) } else { v }
        }
        op => c.src(op, if acc == Acc::F16 { F16 } else { F32 }),
    };
    let is_constant = !matches!(op, Operand::Vgpr { .. });
    let mut v = match acc {
        Acc::F16 => c.b.pure1(CvtF32F16, raw),
        Acc::Bf16 if !is_constant => {
            let n = c.b.const32(16);
            c.b.pure2(Shl32, raw, n)
        }
        _ => raw,
    };
    let m = c.inst.mods;
    if acc != Acc::I32 && m.neg_hi & 4 != 0 {
        let k = c.b.const32(0x7fff_ffff);
        v = c.b.pure2(And32, v, k);
    }
    if acc != Acc::I32 && m.neg & 4 != 0 {
        let k = c.b.const32(0x8000_0000);
        v = c.b.pure2(Xor32, v, k);
    }
    v
}
/// f32 to bf16, nearest even; NaNs stay NaNs.
fn to_bf16(b: &mut Builder, v: Value) -> Value {
    let (n, one, half, quiet) = (b.const32(16), b.const32(1), b.const32(0x7fff), b.const32(0x40));
    let top = b.pure2(LShr32, v, n);
    let odd = b.pure2(And32, top, one);
    let r = b.pure2(IAdd32, v, half);
    let r = b.pure2(IAdd32, r, odd);
    let r = b.pure2(LShr32, r, n);
    let nan = b.pure2(Or32, top, quiet);
    let is_nan = b.pure2(FCmpU32, v, v);
    b.pure3(Sel32, is_nan, nan, r)
}
/// The multiplication; `dot` is (a, b) or (a, b, sum) by its arity.
pub fn wmma(c: &mut Cx, d: Arg, s: [Arg; 3], dot: PureOp) {
    let acc = Acc::of(d.ty);
    let float = acc != Acc::I32;
    let mode = std::mem::replace(&mut c.b.mode, FpMode::HSA);
    let (a, b) = (matrix(c, s[0], float), matrix(c, s[1], float));
    let Operand::Vgpr { n: d, .. } = d.op else {
        return c.unsupported("VGPRs expected");
    };
    let rows_per_register = c.wave_size / 16;
    let outputs = 16 / rows_per_register;
    let mut results = vec![];
    for r in 0..outputs {
        let row = std::array::from_fn(|l| rows_per_register * r + (l as u32 % c.wave_size) / 16);
        let table = c.b.func.table(row);
        let index = c.b.push(Op::LaneTable(table), &[Ty::L32]);
        let mut sum = addend(c, s[2].op, r as usize, acc);
        let mut products = None;
        for (a, b) in a.iter().zip(&b) {
            let a = c.b.push(Op::Shuffle { value: *a, index }, &[Ty::L32]);
            if dot.args().len() == 3 {
                sum = c.b.pure3(dot, a, *b, sum);
            } else {
                let p = c.b.pure2(dot, a, *b);
                products = Some(products.map_or(p, |s| c.b.pure2(IAdd32, s, p)));
            }
        }
        if let Some(p) = products {
            sum = c.b.pure2(if c.inst.mods.clamp { SAddSat32 } else { IAdd32 }, sum, p);
        }
        results.push(sum);
    }
    let all = c.all_lanes();
    let high = c.inst.mods.op_sel & 4 != 0;
    for (r, v) in results.into_iter().enumerate() {
        let reg = d + r as u16;
        let v = match acc {
            Acc::F32 | Acc::I32 => v,
            Acc::F16 => {
                let v = c.b.pure1(CvtF16F32, v);
                c.insert_half(reg, v, high, all)
            }
            Acc::Bf16 => {
                let v = to_bf16(&mut c.b, v);
                c.insert_half(reg, v, high, all)
            }
        };
        c.b.vset(VReg(reg), v, all);
    }
    c.b.mode = mode;
}
/// Integer forms: neg\[0\] and neg\[1\] say that A and B are signed.
pub fn wmma_int(c: &mut Cx, d: Arg, s: [Arg; 3], dots: [PureOp; 4]) {
    let dot = dots[usize::from(c.inst.mods.neg & 3)];
    wmma(c, d, s, dot);
}
