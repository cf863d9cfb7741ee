//! Meanings of all rows: the tables of `jit/isa/src/rows`, expanded a second time, in the same order.

use super::meaning::Meaning;
use super::{crosslane, graphics, gws, mem, texture};
use std::collections::HashMap;
use wavejit_isa as isa;

/// Names and meanings of a table's rows.
type Table = Vec<(&'static str, Meaning)>;

/// SOP1, SOP2, SOPC, SOPK, SOPP.
mod scalar {
    use crate::lift::control::{Cond, getreg, sendmsg, sendmsg_rtn};
    use crate::lift::exec::*;
    use crate::lift::meaning::meanings;
    use crate::lift::salu::*;
    use crate::lift::sem::{B32, B64};
    use crate::lift::valu::{same, with_carry};
    use wavejit_ir::Pause;
    use wavejit_ir::PureOp::*;

    #[allow(unused_variables)] // a meaning need not name every operand
    pub(super) fn scalar() -> super::Table {
        isa::scalar_rows!(meanings)
    }
    use wavejit_isa as isa;
}

/// VOP1, VOP2, VOPC, VOP3, VOP3P, MAI, VOPD.
#[allow(unused_variables)] // a meaning need not name every operand
mod vector {
    use crate::lift::compare::*;
    use crate::lift::crosslane::*;
    use crate::lift::meaning::meanings;
    use crate::lift::packed::*;
    use crate::lift::salu::{add_carry, sub_borrow};
    use crate::lift::sem::{Bf2, H2};
    use crate::lift::valu::*;
    use crate::lift::wmma::*;
    use wavejit_ir::PureOp::*;
    use wavejit_isa as isa;

    pub(super) fn vop1() -> super::Table {
        isa::vop1_rows!(meanings)
    }
    pub(super) fn vop2() -> super::Table {
        isa::vop2_rows!(meanings)
    }
    pub(super) fn vopc() -> super::Table {
        isa::vopc_rows!(meanings)
    }
    pub(super) fn vop3() -> super::Table {
        isa::vop3_rows!(meanings)
    }
    pub(super) fn vop3p() -> super::Table {
        isa::vop3p_rows!(meanings)
    }
    pub(super) fn mai() -> super::Table {
        isa::mai_rows!(meanings)
    }
    pub(super) fn vopd() -> super::Table {
        isa::vopd_rows!(meanings)
    }
}

/// Meanings by row number.
pub fn meanings() -> Vec<Meaning> {
    use vector::*;
    let joined = [scalar::scalar(), vop1(), vop2(), vopc(), vop3(), vop3p(), mai(), vopd()];
    let mut joined = joined.into_iter().flatten().peekable();
    let by_name: HashMap<&str, Meaning> = [crosslane::ROWS, mem::smem::ROWS, mem::flat::ROWS, mem::ds::ROWS, graphics::ROWS, gws::ROWS]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let mut of = |row: &isa::Row| {
        if let Some((_, meaning)) = joined.next_if(|(name, _)| *name == row.name) {
            return meaning;
        }
        by_name.get(plain_name(row)).copied().unwrap_or_else(|| texture::of_row(row))
    };
    let all = isa::rows::all().iter().map(&mut of).collect();
    assert!(joined.next().is_none(), "meanings are in the order of the rows");
    all
}

/// FLAT, GLOBAL and SCRATCH instructions differ in their segment only.
fn plain_name(row: &isa::Row) -> &'static str {
    use isa::Enc::*;
    let rest = row.name.split_once('_').filter(|_| matches!(row.enc(), FLAT | GLOBAL | SCRATCH));
    rest.map_or(row.name, |(_, rest)| rest)
}
