//! Meanings of all rows: the tables of `jit/isa/src/rows`, expanded a second time, in the same order.

use super::meaning::Meaning;
use super::sem::Sem;
use std::sync::LazyLock;
use wavejit_isa::{self as isa, Inst};

/// Names and meanings of a table's rows.
type Table = Vec<(&'static str, Meaning)>;

/// SOP1, SOP2, SOPC, SOPK, SOPP.
mod scalar {
    use crate::lift::control::{Cond, getreg, sendmsg, sendmsg_rtn};
    use crate::lift::exec::*;
    use crate::lift::salu::*;
    use crate::lift::valu::{same, with_carry};
    use crate::meanings;
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
    use crate::lift::factors::{F8, Factors};
    use crate::lift::packed::*;
    use crate::lift::salu::{add_carry, sub_borrow};
    use crate::lift::swmmac::*;
    use crate::lift::valu::*;
    use crate::lift::wmma::*;
    use crate::meanings;
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

/// SMEM, DS, FLAT, GLOBAL, SCRATCH, buffers, images, VINTERP, LDSDIR, VINTRP, EXP.
#[allow(unused_variables)] // a meaning need not name every operand
mod memory {
    use crate::lift::control::time;
    use crate::lift::crosslane::*;
    use crate::lift::graphics::*;
    use crate::lift::gws::ask;
    use crate::lift::mem::{ds::*, flat::*, smem::*};
    use crate::lift::texture::resource;
    use crate::meanings;
    use wavejit_ir::abi::GwsOp;
    use wavejit_isa as isa;

    pub(super) fn smem() -> super::Table {
        isa::smem_rows!(meanings)
    }
    pub(super) fn ds() -> super::Table {
        isa::ds_rows!(meanings)
    }
    pub(super) fn flat() -> super::Table {
        isa::flat_rows!(meanings)
    }
    pub(super) fn buffer() -> super::Table {
        isa::buffer_rows!(meanings)
    }
    pub(super) fn image() -> super::Table {
        isa::image_rows!(meanings)
    }
    pub(super) fn export() -> super::Table {
        isa::export_rows!(meanings)
    }
}

/// Meanings by row number.
pub(super) fn meanings() -> Vec<Meaning> {
    use memory::*;
    use vector::*;
    let tables =
        [scalar::scalar(), smem(), vop1(), vop2(), vopc(), vop3(), vop3p(), mai(), vopd(), ds(), flat(), buffer(), image(), export()];
    let joined: Table = tables.into_iter().flatten().collect();
    let names = isa::rows::all().iter().map(|row| row.name);
    assert!(names.eq(joined.iter().map(|(name, _)| *name)), "meanings are in the order of the rows");
    joined.into_iter().map(|(_, meaning)| meaning).collect()
}

/// Has the row semantics?
pub fn has_semantics(row: &isa::Row) -> bool {
    of_row(row).is_some()
}

/// The meaning of a row.
pub(super) fn of_row(row: &isa::Row) -> Option<&'static Sem> {
    static TABLE: LazyLock<Vec<Option<Sem>>> =
        LazyLock::new(|| isa::rows::all().iter().zip(meanings()).map(|(row, meaning)| Sem::new(row, meaning)).collect());
    TABLE.get(usize::from(row.id)).and_then(Option::as_ref)
}

/// Meaning of an instruction.
pub(super) fn semantics(inst: &Inst) -> Option<&'static Sem> {
    of_row(inst.row)
}
