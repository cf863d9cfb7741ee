//! Opcode number to row, per family and format: plain arrays built once from `rows/`.
//!
//! VOP3 and VOP3SD share one number space, so they share one array; VOP1, VOP2 and VOPC rows appear in it under their promoted numbers.

use super::inst::Enc;
use super::row::Row;
use super::rows;
use super::target::{FAMILIES, Family};
use std::sync::LazyLock;

const FORMATS: usize = Enc::EXP as usize + 1;
const FAMILY: [Family; FAMILIES] =
    [Family::Gfx6, Family::Gfx8, Family::Gfx9, Family::Gfx90a, Family::Gfx10, Family::Gfx103, Family::Gfx11, Family::Gfx115, Family::Gfx12];

/// Rows of one format by opcode number.
type Column = Vec<Option<&'static Row>>;

fn slot(enc: Enc) -> usize {
    (if enc == Enc::VOP3SD { Enc::VOP3 } else { enc }) as usize
}

static TABLE: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let mut table = vec![Column::new(); FAMILIES * FORMATS];
    for family in FAMILY {
        for row in rows::all() {
            for &enc in row.encs {
                let promoted = enc != row.enc();
                let number = if promoted { row.vop3_number(family) } else { row.number(family) };
                let Some(number) = number else { continue };
                let column = &mut table[family as usize * FORMATS + slot(enc)];
                let at = usize::from(number);
                if column.len() <= at {
                    column.resize(at + 1, None);
                }
                assert!(column[at].is_none(), "{} and {} claim one opcode", column[at].map_or("", |r| r.name), row.name);
                column[at] = Some(row);
            }
        }
    }
    table
});

/// The row of `number` in format `enc`.
pub fn find(family: Family, enc: Enc, number: u32) -> Option<&'static Row> {
    TABLE[family as usize * FORMATS + slot(enc)].get(number as usize).copied().flatten()
}
