//! MUBUF, MTBUF and MIMG: operands gathered for [`Op::Resource`], results written back. What the instructions do is the run time's and the
//! texture crate's business (RDNA3 ISA, chapters 9 and 10).

use super::cx::Cx;
use super::types::B32;
use std::sync::Arc;
use wavejit_ir::PureOp::{And32, Or32};
use wavejit_ir::site::{Site, SiteRegisters, Written};
use wavejit_ir::{Op, SReg, Ty, VReg, Value};

/// A buffer, image or ray instruction: which operand is what, its site says.
pub(super) fn resource(c: &mut Cx) {
    let registers = SiteRegisters::of(c.inst, c.target).and_then(|r| Ok((r, Site::new(*c.inst, c.target)?)));
    let (r, site) = match registers {
        Ok(both) => both,
        Err(why) => return c.unsupported(why),
    };
    // A status counts though it is not always written (STATE-33).
    if !r.results.iter().all(|(row, _)| c.has_rows(*row, 1)) {
        return;
    }
    let mut args: Vec<Value> = vec![];
    for (first, count) in &r.descriptors {
        args.extend(c.sread_tuple(*first, *count));
    }
    if let Some(op) = r.soffset {
        args.push(c.src(op, B32));
    }
    if r.reads_m0 {
        args.push(c.b.sget(SReg::M0));
    }
    let exec = c.exec();
    let demand = (!r.reads_all_lanes).then_some(exec);
    args.extend(r.address.iter().map(|n| c.b.vget(c.source(*n, 1, 0), demand)));
    args.extend(r.data.iter().map(|n| c.b.vget(c.source(*n, 1, 0), Some(exec))));
    let number = c.b.func.sites.len() as u32;
    c.b.func.sites.push(Arc::new(site));
    let op = Op::Resource { site: number, args: args.into(), exec };
    let first = c.b.push(op, &vec![Ty::L32; r.results.len()]);
    for (i, (row, written)) in r.results.iter().enumerate() {
        let mut v = Value(first.0 + i as u32);
        if *written != Written::Whole {
            let mask = if *written == Written::Low { 0xffff } else { 0xffff_0000 };
            let (own, others) = (c.b.const32(mask), c.b.const32(!mask));
            let old = c.b.vget(VReg(*row), Some(exec));
            let (own, rest) = (c.b.pure2(And32, v, own), c.b.pure2(And32, old, others));
            v = c.b.pure2(Or32, own, rest);
        }
        c.b.vset(VReg(*row), v, exec);
    }
}
