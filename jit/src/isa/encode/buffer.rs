//! Encoding of the formats in `decode/buffer.rs`.

use super::{Code, EncodeError, no_form};
use crate::isa::inst::Inst;

pub(super) fn encode(inst: &Inst) -> Result<Code, EncodeError> {
    Err(no_form(inst))
}
