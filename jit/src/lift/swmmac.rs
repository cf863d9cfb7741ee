//! SWMMAC: D = A * B + D, where of each four consecutive values of k two of A are zero and are left out (gfx12; RDNA4 ISA, sparse wave matrix multiply;
//! numerics.md section 13).
//!
//! Registers of A hold the others, in pairs. The index register holds two bits for each element that its lane has of A: which of the four it is.
//! index_key says which part of the register that is, where not all of it is needed. Lanes have A, B, C and D like those of gfx12's WMMA, so the four values
//! of B that a pair chooses from stand in the lane group that the pair stands in, in the same order. The exception is a wave64 whose A takes
//! only half of its lanes: 16x16x32 with nibbles, where the second half of a lane's pairs belongs to the lane group two further.
//!
//! neg and neg_hi of B change the sign of what the first and second of a pair multiply, wherever it stands in B.

use super::cx::{Arg, Cx};
use super::factors::{Factors, bytes_of_nibbles, negated, registers};
use super::wmma::{Split, column, shuffled, write_split};
use wavejit_ir::PureOp::*;
use wavejit_ir::{Builder, FpMode, Value};
use wavejit_isa::Operand;

/// The multiplication; a row of A has `k_dwords` dwords, a column of B twice as many.
pub(super) fn swmmac(c: &mut Cx, d: Arg, a: Arg, b: Arg, index: Arg, k_dwords: u32, of: Factors) {
    let mode = std::mem::replace(&mut c.b.mode, FpMode::HSA);
    let split = Split::of(c, d);
    let groups = k_dwords / u32::from(a.ty.dwords(c.wave_size));
    let of_b = 2 * k_dwords / u32::from(b.ty.dwords(c.wave_size));
    let (a, b) = (registers(c, a), registers(c, b));
    let elements = a.len() as u32 * of.in_dword();
    let a = negated(c, a, 0, of);
    let (a, b) = (chosen_from(c, a, 0, of), chosen_from(c, b, 1, of));
    let b: Vec<Vec<Value>> = (0..groups).map(|g| (g..of_b).step_by(groups as usize).flat_map(|g| column(c, &b, g)).collect()).collect();
    let index = indices(c, index, elements);
    let pairs = if matches!(of, Factors::Iu8 | Factors::Iu4) { 2 } else { 1 };
    let selectors: Vec<Value> = (0..a.len() as u32).map(|i| selector(&mut c.b, index, 4 * pairs * i, pairs)).collect();
    let dot = if of == Factors::Iu4 { Factors::Iu8 } else { of }.dot(c.inst.mods.neg);
    let terms = |c: &mut Cx, group: u32, from: &dyn Fn(u32) -> u32| {
        let mut terms = vec![];
        for (i, (a, selector)) in a.iter().zip(&selectors).enumerate() {
            let (a, selector) = (shuffled(c, *a, from), shuffled(c, *selector, from));
            let b = &b[group as usize][2 * i..];
            terms.push((a, c.b.pure3(Perm32, b[1], b[0], selector)));
        }
        let (a, b): (Vec<Value>, Vec<Value>) = terms.into_iter().unzip();
        a.into_iter().zip(negated(c, b, 1, of)).collect()
    };
    let results = split.multiply(c, groups, dot, d.op, false, &terms);
    c.b.mode = mode;
    write_split(c, d, results);
}

/// The registers of A or B with elements of a byte or a half, which can be chosen.
fn chosen_from(c: &mut Cx, regs: Vec<Value>, source: usize, of: Factors) -> Vec<Value> {
    let signed = c.inst.mods.neg >> source & 1 != 0;
    match of {
        Factors::Iu4 => regs.into_iter().flat_map(|v| bytes_of_nibbles(&mut c.b, v, signed)).collect(),
        _ => of.widened(&mut c.b, regs, source),
    }
}

/// The indices of the lane's `elements` elements, from bit 0 on.
fn indices(c: &mut Cx, index: Arg, elements: u32) -> Value {
    let Operand::Vgpr { n, .. } = index.op else {
        c.unsupported("VGPR expected");
        return c.b.const32(0);
    };
    let reg = c.source(n, 1, 0);
    let (v, first) = (c.b.vget(reg, None), c.b.const32(2 * elements * u32::from(c.inst.mods.index_key)));
    c.b.pure2(LShr32, v, first)
}

/// For `Perm32` on the eight bytes that one or two pairs choose from: bytes by the indices of two pairs, or halves by those of one. The
/// indices begin at bit `first`.
fn selector(b: &mut Builder, index: Value, first: u32, pairs: u32) -> Value {
    let bytes = 4 / (2 * pairs);
    // The second pair's four begin behind those of the first; a half is two bytes.
    let base = if pairs == 2 { 0x0404_0000 } else { 0x0100_0100 };
    let mut sum = b.const32(base);
    for i in 0..2 * pairs {
        let (at, two) = (b.const32(first + 2 * i), b.const32(2));
        let one = b.pure3(BfeU32, index, at, two);
        let place = b.const32(if pairs == 2 { 1 << (8 * i) } else { 0x0202 << (8 * bytes * i) });
        let moved = b.pure2(IMul32, one, place);
        sum = b.pure2(IAdd32, sum, moved);
    }
    sum
}
