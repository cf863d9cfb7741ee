//! WMMA: D = A * B + C over 16x16 matrices held by a whole wave (RDNA3 and RDNA4 ISA, wave matrix multiply; numerics.md section 13).
//!
//! gfx11: lane l holds row l mod 16 of A, the values of k packed low first in 8, 4 or 2 registers, and column l mod 16 of B likewise. Both are
//! repeated in every group of 16 lanes. C and D: register i of lane l is row 2i + l/16 (wave64: 4i + l/16), column l mod 16. So an
//! output register needs, from each register of A, the value of its row: one shuffle and one dot product per pair of registers.
//!
//! gfx12: nothing is repeated; each group of 16 lanes has a part of the values of k, the same for A and B, so that the groups' products are
//! added up. C and D: row i + 8 (bit 4 of l) + 4 (bit 5 of l), 16-bit elements two in a register.
//!
//! EXEC is ignored, and so is MODE (LLVM's tables; the guides name no other rounding): products are exact, sums are rounded to nearest even in
//! the order of groups and registers, and denormals are kept. Hardware leaves the order open.

use super::cx::{Arg, Cx};
use super::sem::*;
use super::valu::pack16;
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, FpMode, Op, PureOp, Ty, VReg, Value};
use wavejit_isa::{self as isa, Operand};

/// What the elements of C and D are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Acc {
    F32,
    I32,
    F16,
    Bf16,
}

impl Acc {
    /// Of the row's type.
    fn of(ty: isa::Ty) -> Acc {
        match ty {
            isa::Ty::AccI32 => Acc::I32,
            isa::Ty::AccF16 | isa::Ty::AccPkF16 => Acc::F16,
            isa::Ty::AccBF16 | isa::Ty::AccPkBF16 => Acc::Bf16,
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
/// Which half of which register an element of C or D with 16 bits is in.
#[derive(Clone, Copy)]
struct Place {
    register: usize,
    high: bool,
}

/// An element of C as the 32-bit type sums are made in.
fn addend(c: &mut Cx, op: Operand, at: Place, acc: Acc) -> Value {
    let raw = match op {
        Operand::Vgpr { n, count, .. } => {
            let reg = c.source(n, count.into(), at.register);
            let v = c.b.vget(reg, None);
            if at.high && matches!(acc, Acc::F16 | Acc::Bf16) { c.high_half(v) } else { v }
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
/// The multiplication of gfx11; `dot` is (a, b) or (a, b, sum) by its arity. 16-bit elements of C and D stand in the low half of each register,
/// or the high one by op_sel\[2\]; the other half of D stays.
pub fn wmma(c: &mut Cx, d: Arg, s: [Arg; 3], dot: PureOp) {
    let per = c.wave_size / 16;
    let high = c.inst.mods.op_sel & 4 != 0;
    let place = |i: u32| Place { register: i as usize, high };
    let acc = Acc::of(d.ty);
    let results = multiply(c, s, 1, dot, acc, 16 / per, |i, lane| per * i + lane / 16, place);
    let Operand::Vgpr { n: d, .. } = d.op else {
        return c.unsupported("VGPRs expected");
    };
    let all = c.all_lanes();
    for (i, v) in results.into_iter().enumerate() {
        let reg = d + i as u16;
        let v = if matches!(acc, Acc::F16 | Acc::Bf16) { c.insert_half(reg, v, high, all) } else { v };
        c.b.vset(VReg(reg), v, all);
    }
}
/// The multiplication of gfx12; a row of A and a column of B have `k_dwords` dwords.
pub fn wmma_split(c: &mut Cx, d: Arg, s: [Arg; 3], k_dwords: u32, dot: PureOp) {
    let acc = Acc::of(d.ty);
    let is_packed = matches!(acc, Acc::F16 | Acc::Bf16);
    let groups = k_dwords / u32::from(s[0].ty.dwords(c.wave_size));
    let place =
        |i: u32| if is_packed { Place { register: i as usize / 2, high: i & 1 != 0 } } else { Place { register: i as usize, high: false } };
    let row = |i, lane: u32| i + 8 * (lane >> 4 & 1) + 4 * (lane >> 5 & 1);
    let mut results = multiply(c, s, groups, dot, acc, 256 / c.wave_size, row, place);
    if is_packed {
        results = results.chunks(2).map(|pair| pack16(&mut c.b, pair[0], pair[1])).collect();
    }
    let Operand::Vgpr { n: d, .. } = d.op else {
        return c.unsupported("VGPRs expected");
    };
    let all = c.all_lanes();
    for (i, v) in results.into_iter().enumerate() {
        c.b.vset(VReg(d + i as u16), v, all);
    }
}
fn shuffled(c: &mut Cx, value: Value, from: impl Fn(u32) -> u32) -> Value {
    let lanes = c.wave_size;
    let table = c.b.func.table(std::array::from_fn(|lane| from(lane as u32 % lanes)));
    let index = c.b.push(Op::LaneTable(table), &[Ty::L32]);
    c.b.push(Op::Shuffle { value, index }, &[Ty::L32])
}
/// Elements of D by their number `i` in a lane: they stand in row `row(i, lane)`, column lane mod 16, those of C at `place(i)`. Each of `groups`
/// groups of 16 lanes has a part of the values of k.
#[allow(clippy::too_many_arguments)] // one caller for each generation
fn multiply(
    c: &mut Cx,
    s: [Arg; 3],
    groups: u32,
    dot: PureOp,
    acc: Acc,
    elements: u32,
    row: impl Fn(u32, u32) -> u32,
    place: impl Fn(u32) -> Place,
) -> Vec<Value> {
    let mode = std::mem::replace(&mut c.b.mode, FpMode::HSA);
    let float = acc != Acc::I32;
    let (a, b) = (matrix(c, s[0], float), matrix(c, s[1], float));
    // Of B every lane needs its own column, of which its group has a part.
    let b: Vec<Value> = match groups {
        1 => b,
        _ => (0..groups).flat_map(|g| b.iter().map(move |b| (g, *b))).map(|(g, b)| shuffled(c, b, |lane| lane % 16 + 16 * g)).collect(),
    };
    let mut results = vec![];
    for i in 0..elements {
        let mut sum = addend(c, s[2].op, place(i), acc);
        let mut products = None;
        let parts = (0..groups).flat_map(|g| a.iter().map(move |a| (g, *a)));
        for ((g, a), b) in parts.zip(&b) {
            let a = shuffled(c, a, |lane| row(i, lane) + 16 * g);
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
        results.push(match acc {
            Acc::F32 | Acc::I32 => sum,
            Acc::F16 => c.b.pure1(CvtF16F32, sum),
            Acc::Bf16 => to_bf16(&mut c.b, sum),
        });
    }
    c.b.mode = mode;
    results
}
/// Integer forms: neg\[0\] and neg\[1\] say that A and B are signed.
pub fn wmma_int(c: &mut Cx, d: Arg, s: [Arg; 3], dots: [PureOp; 4]) {
    let dot = dots[usize::from(c.inst.mods.neg & 3)];
    wmma(c, d, s, dot);
}
/// The same of gfx12.
pub fn wmma_split_int(c: &mut Cx, d: Arg, s: [Arg; 3], k_dwords: u32, dots: [PureOp; 4]) {
    let dot = dots[usize::from(c.inst.mods.neg & 3)];
    wmma_split(c, d, s, k_dwords, dot);
}
