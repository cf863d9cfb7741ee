//! Instructions that compute EXEC: the saveexec and wrexec families (RDNA3 ISA, SOP1; requirements.md STATE-24).
//!
//! v_cmpx is in `cx` beside v_cmp; plain moves to EXEC are ordinary scalar writes.

use super::cx::Cx;
use super::sem::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::{PureOp, Value};
use wavejit_isa::scalars::EXEC_LO;

/// New EXEC of (source, EXEC), both of type `T`.
type Combine = fn(&mut Cx, T, Value, Value) -> Value;

fn pick(t: T, narrow: PureOp, wide: PureOp) -> PureOp {
    if t.is_64() { wide } else { narrow }
}
fn and(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    c.b.pure2(pick(t, And32, And64), s, e)
}
fn or(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    c.b.pure2(pick(t, Or32, Or64), s, e)
}
fn xor(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    c.b.pure2(pick(t, Xor32, Xor64), s, e)
}
fn not(c: &mut Cx, t: T, v: Value) -> Value {
    c.b.pure1(pick(t, Not32, Not64), v)
}
fn nand(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let v = and(c, t, s, e);
    not(c, t, v)
}
fn nor(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let v = or(c, t, s, e);
    not(c, t, v)
}
fn xnor(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let v = xor(c, t, s, e);
    not(c, t, v)
}
/// not0: the source is inverted.
fn and_not0(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, s);
    and(c, t, n, e)
}
fn or_not0(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, s);
    or(c, t, n, e)
}
/// not1: EXEC is inverted.
fn and_not1(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, e);
    and(c, t, s, n)
}
fn or_not1(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, e);
    or(c, t, s, n)
}

/// (EXEC, f(source, EXEC))
fn combine(c: &mut Cx, t: T, f: Combine) -> (Value, Value) {
    let op = c.op(1);
    let s = c.src(op, t);
    let old = if t.is_64() { c.exec64() } else { c.sread(EXEC_LO) };
    let new = f(c, t, s, old);
    (old, new)
}
fn write_exec(c: &mut Cx, t: T, v: Value) {
    if t.is_64() {
        c.set_exec64(v);
    } else {
        c.swrite(EXEC_LO, v);
    }
    let nz = c.is_nonzero(v);
    c.set_scc(nz);
}
/// sdst = EXEC; EXEC = f(ssrc, EXEC); SCC = EXEC not zero.
fn save(c: &mut Cx, t: T, f: Combine) {
    let (old, new) = combine(c, t, f);
    let d = c.op(0);
    c.sdst(d, t, old);
    write_exec(c, t, new);
}
/// EXEC = sdst = f(ssrc, EXEC); SCC = EXEC not zero.
fn write_both(c: &mut Cx, t: T, f: Combine) {
    let (_, new) = combine(c, t, f);
    let d = c.op(0);
    c.sdst(d, t, new);
    write_exec(c, t, new);
}

/// Rows; andn1, andn2, orn1, orn2 are the names before gfx11.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("s_and_saveexec_b32",         Sem::Wave(|c| save(c, B32, and))),
    ("s_and_saveexec_b64",         Sem::Wave(|c| save(c, B64, and))),
    ("s_or_saveexec_b32",          Sem::Wave(|c| save(c, B32, or))),
    ("s_or_saveexec_b64",          Sem::Wave(|c| save(c, B64, or))),
    ("s_xor_saveexec_b32",         Sem::Wave(|c| save(c, B32, xor))),
    ("s_xor_saveexec_b64",         Sem::Wave(|c| save(c, B64, xor))),
    ("s_nand_saveexec_b32",        Sem::Wave(|c| save(c, B32, nand))),
    ("s_nand_saveexec_b64",        Sem::Wave(|c| save(c, B64, nand))),
    ("s_nor_saveexec_b32",         Sem::Wave(|c| save(c, B32, nor))),
    ("s_nor_saveexec_b64",         Sem::Wave(|c| save(c, B64, nor))),
    ("s_xnor_saveexec_b32",        Sem::Wave(|c| save(c, B32, xnor))),
    ("s_xnor_saveexec_b64",        Sem::Wave(|c| save(c, B64, xnor))),
    ("s_and_not0_saveexec_b32",    Sem::Wave(|c| save(c, B32, and_not0))),
    ("s_and_not0_saveexec_b64",    Sem::Wave(|c| save(c, B64, and_not0))),
    ("s_or_not0_saveexec_b32",     Sem::Wave(|c| save(c, B32, or_not0))),
    ("s_or_not0_saveexec_b64",     Sem::Wave(|c| save(c, B64, or_not0))),
    ("s_and_not1_saveexec_b32",    Sem::Wave(|c| save(c, B32, and_not1))),
    ("s_and_not1_saveexec_b64",    Sem::Wave(|c| save(c, B64, and_not1))),
    ("s_or_not1_saveexec_b32",     Sem::Wave(|c| save(c, B32, or_not1))),
    ("s_or_not1_saveexec_b64",     Sem::Wave(|c| save(c, B64, or_not1))),
    ("s_and_not0_wrexec_b32",      Sem::Wave(|c| write_both(c, B32, and_not0))),
    ("s_and_not0_wrexec_b64",      Sem::Wave(|c| write_both(c, B64, and_not0))),
    ("s_and_not1_wrexec_b32",      Sem::Wave(|c| write_both(c, B32, and_not1))),
    ("s_and_not1_wrexec_b64",      Sem::Wave(|c| write_both(c, B64, and_not1))),
];
