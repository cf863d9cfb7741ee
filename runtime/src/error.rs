//! What can go wrong, in the classes that the C ABI has codes for.
//!
//! Every message is for a person: it names the kernel, the pc or the argument, what was found and what was expected. What ends a running
//! dispatch is there in parts, too: [`Fault`], [`Limit`].

use crate::code_object::LoadError;
use crate::fault::{Cause, Fault, Limit, no_code};
use crate::overrun::Overrun;
use std::fmt;

/// Any failure of the run time.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A bad argument: unknown target, zero or too large dimension, misaligned code, wrong kernel arguments.
    #[error("{0}")]
    Arg(String),
    /// Not a code object that can be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A kernel or a device feature that cannot run here; refused before it starts. See [`Fault`] for instructions.
    #[error("{0}")]
    Unsupported(String),
    /// The host has no memory left, or the guest no addresses.
    #[error("{0}")]
    OutOfMemory(String),
    /// Guest memory that the host wants to read or write is not there.
    #[error("{bytes} bytes at guest address {address:#x} cannot be {done}: not mapped")]
    NotMapped {
        /// First guest address.
        address: u64,
        /// How many bytes.
        bytes: usize,
        /// `read`, `written` and the like.
        done: &'static str,
    },
    /// There is no code where a kernel begins.
    #[error("{0}")]
    NoCode(NoCode),
    /// A wave came to an instruction that cannot be done.
    #[error("{0}")]
    Fault(Box<Fault>),
    /// The instruction budget is used up, the dispatch was canceled or stopped, or needs too much scratch.
    #[error("{0}")]
    Limit(Box<Limit>),
    /// A dispatch has run to its end, and bytes beside an allocation have changed ([`DeviceConfig::canaries`](crate::DeviceConfig::canaries)).
    #[error("{0}")]
    Overrun(Box<Overrun>),
    /// A defect of ours, caught.
    #[error("internal error: {0}")]
    Internal(String),
}

/// An address where code is wanted and none is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoCode {
    /// Kernel.
    pub kernel: String,
    /// Guest address.
    pub address: u64,
    /// Guest addresses that its code may lie in.
    pub code: (u64, u64),
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        no_code(f, &self.kernel, self.address, self.code)
    }
}

impl Error {
    /// The code of the C ABI (`WAVEJIT_E_*` in `wavejit.h`).
    pub fn code(&self) -> i32 {
        match self {
            Error::Arg(_) => -1,
            Error::Load(e) if e.is_unsupported() => -3,
            Error::Load(e) if e.is_out_of_memory() => -4,
            Error::Load(_) => -1,
            Error::Unsupported(_) => -3,
            Error::OutOfMemory(_) | Error::NotMapped { .. } | Error::NoCode(_) | Error::Overrun(_) => -4,
            Error::Fault(fault) => match fault.cause {
                Cause::NoInstruction { .. } => -2,
                Cause::NotImplemented(_) | Cause::Refused(_) => -3,
                Cause::Unmapped { .. } | Cause::Misaligned | Cause::OutOfScratch { .. } | Cause::NoCode { .. } => -4,
                Cause::Trap(_) => -7,
            },
            Error::Limit(_) => -5,
            Error::Internal(_) => -6,
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error::Fault(Box::new(fault))
    }
}

impl From<Limit> for Error {
    fn from(limit: Limit) -> Error {
        Error::Limit(Box::new(limit))
    }
}
