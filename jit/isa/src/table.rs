//! Opcode number to row, per processor and format: plain arrays built from `rows/` when a processor is first used.
//!
//! VOP3 and VOP3SD share one number space, so they share one array, and so do VOP3P and MAI; VOP1, VOP2 and VOPC rows appear in it under their promoted numbers.

use super::inst::Enc;
use super::row::Row;
use super::rows;
use super::target::{Gfx, PROCESSOR_COUNT};
use std::sync::OnceLock;

const FORMATS: usize = Enc::EXP as usize + 1;

/// Rows of one processor by format and opcode number.
pub(crate) struct Table([Vec<Option<&'static Row>>; FORMATS]);

fn slot(enc: Enc) -> usize {
    let shared = match enc {
        Enc::VOP3SD => Enc::VOP3,
        Enc::MAI => Enc::VOP3P,
        enc => enc,
    };
    shared as usize
}

impl Table {
    /// The table of a processor, `None` for a number that names none.
    pub(crate) fn of(target: Gfx) -> Option<&'static Table> {
        static TABLES: [OnceLock<Table>; PROCESSOR_COUNT] = [const { OnceLock::new() }; PROCESSOR_COUNT];
        Some(TABLES[target.index()?].get_or_init(|| Table::build(target)))
    }

    fn build(target: Gfx) -> Table {
        let mut table = Table([const { Vec::new() }; FORMATS]);
        for row in rows::all().iter().filter(|r| r.on.has(target)) {
            for &enc in row.encs {
                let promoted = enc != row.enc();
                let number = if promoted { row.vop3_number(target.space()) } else { row.number(target.space()) };
                let Some(number) = number else { continue };
                let column = &mut table.0[slot(enc)];
                let at = usize::from(number);
                if column.len() <= at {
                    column.resize(at + 1, None);
                }
                assert!(column[at].is_none(), "{target}: {} and {} claim one opcode", column[at].map_or("", |r| r.name), row.name);
                column[at] = Some(row);
            }
        }
        table
    }

    /// The row of `number` in format `enc`.
    pub(crate) fn find(&self, enc: Enc, number: u32) -> Option<&'static Row> {
        self.0[slot(enc)].get(number as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_claim_one_opcode() {
        for target in Gfx::all() {
            assert!(Table::of(target).is_some());
        }
    }
}
