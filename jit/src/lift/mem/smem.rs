//! SMEM: scalar loads (RDNA3 ISA, chapter 8; STATE-18).

use super::*;
use wavejit_isa::Feature;
use wavejit_isa::scalars::TRAP;

/// The scalar offset operand and the immediate of an SMEM instruction, in bytes: either or both.
fn smem_offset(c: &mut Cx, offset: Arg) -> (Option<Value>, i64) {
    let extra = i64::from(c.inst.mods.offset);
    match offset.op {
        // SMRD counts immediates in dwords (Southern Islands ISA, chapter 12.6; Sea Islands, chapter 13.2); registers hold bytes everywhere.
        Operand::Imm(v) | Operand::Literal(v) if c.target.has(Feature::SmemCountsDwords) => (None, 4 * i64::from(v)),
        Operand::Imm(v) => (None, i64::from(v as i32)),
        op @ Operand::Sgpr { .. } if !is_off(c, offset) => (Some(c.src(op, B32)), extra),
        _ => (None, extra),
    }
}
/// Writes `n` dwords to SGPRs from `d`, aligned by hardware (STATE-18).
fn sgprs(c: &mut Cx, d: Arg, first: Value, n: u32) {
    let Operand::Sgpr { n: base, .. } = d.op else {
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
/// s_load
pub(crate) fn s_load(c: &mut Cx, d: Arg, base: Arg, offset: Arg) {
    let dwords = d.ty.dwords(32);
    let base = match base.op {
        Operand::Sgpr { n, .. } => {
            let half = c.sread_tuple(n, 2);
            c.b.pure2(Pack64, half[0], half[1])
        }
        op => c.src(op, B64),
    };
    let (offset, imm) = smem_offset(c, offset);
    let v = c.b.push(Op::SLoad { base, offset, imm, dwords }, &[Ty::S32; 16][..usize::from(dwords)]);
    sgprs(c, d, v, dwords.into());
}
/// s_buffer_load
pub(crate) fn s_buffer_load(c: &mut Cx, d: Arg, resource: Arg, offset: Arg) {
    let dwords = d.ty.dwords(32);
    let Operand::Sgpr { n, .. } = resource.op else {
        return c.unsupported("V# in SGPRs expected");
    };
    let desc = c.sread_tuple(n, 4);
    let desc = [desc[0], desc[1], desc[2], desc[3]];
    let (offset, imm) = smem_offset(c, offset);
    let v = c.b.push(Op::SBufferLoad { desc, offset, imm, dwords }, &[Ty::S32; 16][..usize::from(dwords)]);
    sgprs(c, d, v, dwords.into());
}
