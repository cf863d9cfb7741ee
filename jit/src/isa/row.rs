//! The shape of a table row. The rows themselves are in `rows/`, one file per format.

use super::inst::Enc;

/// Everything known about one opcode.
#[derive(Debug)]
pub struct Row {
    /// Mnemonic as LLVM prints it, without `_e32`/`_e64`/`_dpp` suffixes.
    pub name: &'static str,
    /// Formats it exists in, the native one first.
    pub encs: &'static [Enc],
}
