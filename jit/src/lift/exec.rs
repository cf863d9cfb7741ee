//! Instructions that compute EXEC: the saveexec and wrexec families (RDNA3 ISA, SOP1; requirements.md STATE-24).
//!
//! v_cmpx is in `cx` beside v_cmp; plain moves to EXEC are ordinary scalar writes.

use super::cx::{Arg, Cx};
use super::types::*;
use wavejit_ir::PureOp::*;
use wavejit_ir::{PureOp, Value};
use wavejit_isa::scalars::EXEC_LO;

/// New EXEC of (source, EXEC), both of type `T`.
type Combine = fn(&mut Cx, T, Value, Value) -> Value;

fn pick(t: T, narrow: PureOp, wide: PureOp) -> PureOp {
    if t.is_64() { wide } else { narrow }
}
pub(super) fn and(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    c.b.pure2(pick(t, And32, And64), s, e)
}
pub(super) fn or(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    c.b.pure2(pick(t, Or32, Or64), s, e)
}
pub(super) fn xor(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    c.b.pure2(pick(t, Xor32, Xor64), s, e)
}
fn not(c: &mut Cx, t: T, v: Value) -> Value {
    c.b.pure1(pick(t, Not32, Not64), v)
}
pub(super) fn nand(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let v = and(c, t, s, e);
    not(c, t, v)
}
pub(super) fn nor(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let v = or(c, t, s, e);
    not(c, t, v)
}
pub(super) fn xnor(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let v = xor(c, t, s, e);
    not(c, t, v)
}
/// not0: the source is inverted.
pub(super) fn and_not0(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, s);
    and(c, t, n, e)
}
pub(super) fn or_not0(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, s);
    or(c, t, n, e)
}
/// not1: EXEC is inverted.
pub(super) fn and_not1(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, e);
    and(c, t, s, n)
}
pub(super) fn or_not1(c: &mut Cx, t: T, s: Value, e: Value) -> Value {
    let n = not(c, t, e);
    or(c, t, s, n)
}

/// (EXEC, f(source, EXEC))
fn combine(c: &mut Cx, s: Arg, f: Combine) -> (Value, Value) {
    let t = s.t;
    let s = c.read(s);
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
pub(super) fn save(c: &mut Cx, d: Arg, s: Arg, f: Combine) {
    let (old, new) = combine(c, s, f);
    c.write_scalar(d, old);
    write_exec(c, s.t, new);
}
/// EXEC = sdst = f(ssrc, EXEC); SCC = EXEC not zero.
pub(super) fn write_both(c: &mut Cx, d: Arg, s: Arg, f: Combine) {
    let (_, new) = combine(c, s, f);
    c.write_scalar(d, new);
    write_exec(c, s.t, new);
}
