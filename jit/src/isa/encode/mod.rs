//! [`Inst`] to bits: the inverse of `decode/`, over the same rows and field layouts.
//!
//! `row`, `target`, `enc`, operands and modifiers decide the code; `words` and `len` of the instruction are not looked at. Don't-care
//! fields are written as zero.

mod buffer;
mod export;
mod image;
mod memory;
mod scalar;
mod vector;

use super::bits::MAX_DWORDS;
use super::inst::{Enc, Inst};

/// Machine code of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    words: [u32; MAX_DWORDS],
    len: u8,
}

impl Code {
    /// Its dwords.
    pub fn dwords(&self) -> &[u32] {
        &self.words[..usize::from(self.len)]
    }
}

/// Why an instruction has no encoding.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// The processor lacks the instruction or its form.
    #[error("{name} has no {enc:?} form on {target}")]
    Form {
        /// Mnemonic.
        name: &'static str,
        /// Format asked for.
        enc: Enc,
        /// Processor.
        target: super::Gfx,
    },
    /// An operand or a modifier does not fit its field.
    #[error("{name}: {what} cannot be encoded")]
    Operand {
        /// Mnemonic.
        name: &'static str,
        /// The operand or modifier.
        what: String,
    },
}

/// Encodes an instruction.
pub fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    match inst.enc {
        Enc::SOP1 | Enc::SOP2 | Enc::SOPC | Enc::SOPK | Enc::SOPP | Enc::SMEM => scalar::encode(inst),
        Enc::DS | Enc::FLAT | Enc::GLOBAL | Enc::SCRATCH => memory::encode(inst),
        Enc::MUBUF | Enc::MTBUF => buffer::encode(inst),
        Enc::MIMG => image::encode(inst),
        Enc::EXP => export::encode(inst),
        _ => vector::encode(inst),
    }
}

fn no_form(inst: &Inst) -> EncodeError {
    EncodeError::Form { name: inst.name(), enc: inst.enc, target: inst.target }
}
