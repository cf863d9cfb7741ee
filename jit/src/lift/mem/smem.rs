//! SMEM: scalar loads (RDNA3 ISA, chapter 8; STATE-18).

use super::*;
use wavejit_isa::Feature;
use wavejit_isa::scalars::TRAP;

/// The scalar offset operand and the immediate of an SMEM instruction, in bytes: either or both.
fn smem_offset(c: &mut Cx, i: usize) -> (Option<Value>, i64) {
    let extra = i64::from(c.inst.mods.offset);
    match c.operand(i) {
        // SMRD counts immediates in dwords (Southern Islands ISA, chapter 12.6; Sea Islands, chapter 13.2); registers hold bytes everywhere.
        Some(Operand::Imm(v) | Operand::Literal(v)) if c.target.has(Feature::SmemCountsDwords) => (None, 4 * i64::from(v)),
        Some(Operand::Imm(v)) => (None, i64::from(v as i32)),
        Some(op @ Operand::Sgpr { .. }) if !is_off(c, op) => (Some(c.src(op, B32)), extra),
        _ => (None, extra),
    }
}
/// Writes `n` dwords to SGPRs from `d`, aligned by hardware (STATE-18).
fn sgprs(c: &mut Cx, d: Operand, first: Value, n: u32) {
    let Operand::Sgpr { n: base, .. } = d else {
        return;
    };
    let base = match n {
        1 => base,
        2 => base & !1,
        _ => base & !3,
    };
    for i in 0..n {
        // Loads cannot reach M0, NULL and EXEC (STATE-26).
        let Some(code) = base.checked_add(i as u8).filter(|c| *c < TRAP.start) else { continue };
        c.swrite(code, Value(first.0 + i));
    }
}
/// Dwords that the row loads: its destination's.
fn loaded_dwords(c: &mut Cx) -> u8 {
    match c.inst.row.ops.first() {
        Some(Opd::SD(t)) => t.dwords(32),
        _ => {
            c.unsupported("destination expected");
            1
        }
    }
}
/// s_load
pub fn s_load(c: &mut Cx) {
    let dwords = loaded_dwords(c);
    let (d, sbase) = (c.op(0), c.op(1));
    let base = match sbase {
        Operand::Sgpr { n, .. } => {
            let half = c.sread_tuple(n, 2);
            c.b.pure2(Pack64, half[0], half[1])
        }
        _ => c.src(sbase, B64),
    };
    let (offset, imm) = smem_offset(c, 2);
    let v = c.b.push(Op::SLoad { base, offset, imm, dwords }, &[Ty::S32; 16][..usize::from(dwords)]);
    sgprs(c, d, v, dwords.into());
}
/// s_buffer_load
pub fn s_buffer_load(c: &mut Cx) {
    let dwords = loaded_dwords(c);
    let (d, desc) = (c.op(0), c.op(1));
    let Operand::Sgpr { n, .. } = desc else {
        return c.unsupported("V# in SGPRs expected");
    };
    let desc = c.sread_tuple(n, 4);
    let desc = [desc[0], desc[1], desc[2], desc[3]];
    let (offset, imm) = smem_offset(c, 2);
    let v = c.b.push(Op::SBufferLoad { desc, offset, imm, dwords }, &[Ty::S32; 16][..usize::from(dwords)]);
    sgprs(c, d, v, dwords.into());
}
