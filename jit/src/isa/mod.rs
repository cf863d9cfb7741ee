//! Instruction tables: rows, decoder, disassembler.

pub mod inst;
pub mod row;
pub mod target;

pub use inst::{Dpp, Enc, Half, Inst, Mods, Operand, Sdwa};
pub use row::Row;
pub use target::{Family, Gfx};
