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
//! the order of groups and registers, and denormals are kept. Hardware leaves the order open. Integers that saturate do so after the products of even and after those
//! of odd groups, as gfx1201 does.

use super::cx::{Arg, Cx};
use super::factors::{Factors, negated, registers};
use super::types::*;
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
    /// Of 16 bits.
    fn is_half(self) -> bool {
        matches!(self, Acc::F16 | Acc::Bf16)
    }
}

/// Where an element of C or D stands in its lane.
#[derive(Clone, Copy)]
struct Place {
    register: usize,
    high: bool,
}

/// An element of C as the 32-bit type sums are made in, `modified` by neg and neg_hi, which is abs.
fn addend(c: &mut Cx, op: Operand, at: Place, acc: Acc, modified: bool) -> Value {
    let raw = match op {
        Operand::Vgpr { n, count, .. } => {
            let reg = c.source(n, count.into(), at.register);
            let v = c.b.vget(reg, None);
            if at.high && acc.is_half() { c.high_half(v) } else { v }
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
    if acc == Acc::I32 || !modified {
        return v;
    }
    if m.neg_hi & 4 != 0 {
        let k = c.b.const32(0x7fff_ffff);
        v = c.b.pure2(And32, v, k);
    }
    if m.neg & 4 != 0 {
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
/// How a wave holds C and D: 256 elements, one after the other in each lane.
pub(super) struct Split {
    acc: Acc,
    elements: u32,
    /// Where the element stands in its lane.
    place: fn(u32) -> Place,
    /// The row of the element and the lane.
    row: fn(u32, u32) -> u32,
}

/// Pairs of registers of A and B whose dot products are added to an element, by lane group; those of A come from the lanes that the function gives.
type Terms<'t> = dyn Fn(&mut Cx, u32, &dyn Fn(u32) -> u32) -> Vec<(Value, Value)> + 't;

impl Split {
    /// That of gfx11: 16-bit elements stand in the low half of each register, or the high one by op_sel\[2\].
    fn of_gfx11(c: &Cx, d: Arg) -> Split {
        Split {
            acc: Acc::of(d.ty),
            elements: 256 / c.wave_size,
            place: if c.inst.mods.op_sel & 4 != 0 { |i| Place { register: i as usize, high: true } } else { whole },
            row: if c.is_wave64() { |i, lane| 4 * i + lane / 16 } else { |i, lane| 2 * i + lane / 16 },
        }
    }

    /// That of gfx12.
    pub(super) fn of(c: &Cx, d: Arg) -> Split {
        let acc = Acc::of(d.ty);
        Split {
            acc,
            elements: 256 / c.wave_size,
            place: if acc.is_half() { |i| Place { register: i as usize / 2, high: i & 1 != 0 } } else { whole },
            row: |i, lane| i + 8 * (lane >> 4 & 1) + 4 * (lane >> 5 & 1),
        }
    }

    /// The elements of D: those of C, from `op`, and the products of `terms`.
    pub(super) fn multiply(&self, c: &mut Cx, groups: u32, dot: PureOp, op: Operand, modified: bool, terms: &Terms) -> Vec<Value> {
        let (acc, row) = (self.acc, self.row);
        let mut results = vec![];
        for i in 0..self.elements {
            let mut sum = addend(c, op, (self.place)(i), acc, modified);
            for stage in 0..groups.min(2) {
                let mut products = None;
                for group in (stage..groups).step_by(2) {
                    for (a, b) in terms(c, group, &|lane| row(i, lane) + 16 * group) {
                        if acc == Acc::I32 {
                            let p = c.b.pure2(dot, a, b);
                            products = Some(products.map_or(p, |s| c.b.pure2(IAdd32, s, p)));
                        } else {
                            sum = c.b.pure3(dot, a, b, sum);
                        }
                    }
                }
                if let Some(p) = products {
                    sum = c.b.pure2(if c.inst.mods.clamp { SAddSat32 } else { IAdd32 }, sum, p);
                }
            }
            results.push(match acc {
                Acc::F32 | Acc::I32 => sum,
                Acc::F16 => c.b.pure1(CvtF16F32, sum),
                Acc::Bf16 => to_bf16(&mut c.b, sum),
            });
        }
        results
    }
}
fn whole(i: u32) -> Place {
    Place { register: i as usize, high: false }
}

/// The multiplication of gfx11. Of a register of D with one 16-bit element the other half stays.
pub(super) fn wmma(c: &mut Cx, d: Arg, s: [Arg; 3], of: Factors) {
    let split = Split::of_gfx11(c, d);
    let results = dense(c, &split, s, 1, of);
    let Operand::Vgpr { n, .. } = d.op else {
        return c.unsupported("VGPRs expected");
    };
    let (all, high) = (c.all_lanes(), c.inst.mods.op_sel & 4 != 0);
    for (i, v) in results.into_iter().enumerate() {
        let reg = n + i as u16;
        let v = if split.acc.is_half() { c.insert_half(reg, v, high, all) } else { v };
        c.b.vset(VReg(reg), v, all);
    }
}
/// The multiplication of gfx12; a row of A and a column of B have `k_dwords` dwords.
pub(super) fn wmma_split(c: &mut Cx, d: Arg, s: [Arg; 3], k_dwords: u32, of: Factors) {
    let split = Split::of(c, d);
    let groups = k_dwords / u32::from(s[0].ty.dwords(c.wave_size));
    let results = dense(c, &split, s, groups, of);
    write_split(c, d, results);
}
/// D of gfx12.
pub(super) fn write_split(c: &mut Cx, d: Arg, mut results: Vec<Value>) {
    if Acc::of(d.ty).is_half() {
        results = results.chunks(2).map(|pair| pack16(&mut c.b, pair[0], pair[1])).collect();
    }
    let Operand::Vgpr { n, .. } = d.op else {
        return c.unsupported("VGPRs expected");
    };
    let all = c.all_lanes();
    for (i, v) in results.into_iter().enumerate() {
        c.b.vset(VReg(n + i as u16), v, all);
    }
}
/// The elements of D. Each of `groups` groups of 16 lanes has a part of the values of k.
fn dense(c: &mut Cx, split: &Split, s: [Arg; 3], groups: u32, of: Factors) -> Vec<Value> {
    let mode = std::mem::replace(&mut c.b.mode, FpMode::HSA);
    let [a, b] = [0, 1].map(|source| {
        let regs = registers(c, s[source]);
        let regs = negated(c, regs, source, of);
        of.widened(&mut c.b, regs, source)
    });
    let b: Vec<Vec<Value>> = (0..groups).map(|g| if groups == 1 { b.clone() } else { column(c, &b, g) }).collect();
    let terms = |c: &mut Cx, group: u32, from: &dyn Fn(u32) -> u32| {
        a.iter().zip(&b[group as usize]).map(|(a, b)| (shuffled(c, *a, from), *b)).collect()
    };
    let results = split.multiply(c, groups, of.dot(c.inst.mods.neg), s[2].op, true, &terms);
    c.b.mode = mode;
    results
}
/// The part of its column of B, in registers `b`, that lane group `group` holds for every lane.
pub(super) fn column(c: &mut Cx, b: &[Value], group: u32) -> Vec<Value> {
    b.iter().map(|b| shuffled(c, *b, |lane| lane % 16 + 16 * group)).collect()
}
/// `value` of other lanes.
pub(super) fn shuffled(c: &mut Cx, value: Value, from: impl Fn(u32) -> u32) -> Value {
    let lanes = c.wave_size;
    let table = c.b.func.table(std::array::from_fn(|lane| from(lane as u32 % lanes)));
    let index = c.b.push(Op::LaneTable(table), &[Ty::L32]);
    c.b.push(Op::Shuffle { value, index }, &[Ty::L32])
}
