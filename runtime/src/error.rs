//! What can go wrong, in the classes that the C ABI has codes for.
//!
//! Every message is for a person: it names the kernel, the pc or the argument, what was found and what was expected.

use crate::code_object::LoadError;

/// Any failure of the run time.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A bad argument: unknown target, zero or too large dimension, misaligned code, wrong kernel arguments.
    #[error("{0}")]
    Arg(String),
    /// Not a code object that can be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No such instruction; names byte offset and dwords.
    #[error("{0}")]
    Decode(String),
    /// A known instruction or feature without semantics here.
    #[error("{0}")]
    Unsupported(String),
    /// A memory fault of the kernel: kernel, pc, lane and address.
    #[error("{0}")]
    Memory(String),
    /// The instruction budget is used up, the dispatch was canceled, or every wave waits.
    #[error("{0}")]
    Limit(String),
    /// A defect of ours, caught.
    #[error("internal error: {0}")]
    Internal(String),
    /// s_trap, or an exception the kernel enabled.
    #[error("{0}")]
    Trap(String),
}

impl Error {
    /// The code of the C ABI (`WAVEJIT_E_*` in `wavejit.h`).
    pub fn code(&self) -> i32 {
        match self {
            Error::Arg(_) => -1,
            Error::Load(e) if e.is_unsupported() => -3,
            Error::Load(e) if e.is_out_of_memory() => -4,
            Error::Load(_) => -1,
            Error::Decode(_) => -2,
            Error::Unsupported(_) => -3,
            Error::Memory(_) => -4,
            Error::Limit(_) => -5,
            Error::Internal(_) => -6,
            Error::Trap(_) => -7,
        }
    }
}
