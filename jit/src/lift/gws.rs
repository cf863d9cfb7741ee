//! Global wave sync: ds_gws_* (RDNA3 ISA, DS). The counters are the run time's; a wave that may have to wait pauses after asking.
//!
//! The resource is M0\[21:16\] plus the offset; the value that some take is that of the first active lane.

use super::cx::{Arg, Cx};
use wavejit_ir::PureOp::*;
use wavejit_ir::abi::GwsOp;
use wavejit_ir::{Op, SReg};

/// Asks the run time.
pub(super) fn ask(c: &mut Cx, op: GwsOp, data: Option<Arg>) {
    let value = match data {
        Some(data) => c.uniform(data),
        None => c.b.const32(0),
    };
    let (m0, n16, offset, mask) = (c.b.sget(SReg::M0), c.b.const32(16), c.b.const32(c.inst.mods.offset as u32), c.b.const32(63));
    let base = c.b.pure2(LShr32, m0, n16);
    let resource = c.b.pure2(IAdd32, base, offset);
    let resource = c.b.pure2(And32, resource, mask);
    c.b.push(Op::Gws { op: op as u8, resource, value }, &[]);
}
