//! What goes wrong in a ring, and in which packet.

use crate::ring::Engine;
use std::fmt;

/// Where a ring was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which ring.
    pub engine: Engine,
    /// Guest address of the packet.
    pub address: u64,
    /// Guest address of its indirect buffer.
    pub ib: u64,
    /// Its name, or its header where it has none.
    pub packet: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { engine, address, ib, packet } = self;
        write!(f, "{engine} ring: {packet} at {address:#x} (IB {ib:#x}+{:#x})", address.wrapping_sub(*ib))
    }
}

/// Why a packet could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It, or a value in it, is not understood or not supported; says which.
    #[error("{0}")]
    What(String),
    /// The run time could not do it.
    #[error(transparent)]
    Run(#[from] wavejit::Error),
    /// Waves could not do it.
    #[error("{source} ({shader})")]
    Wave {
        /// Which dispatch of which shader.
        shader: String,
        /// What happened.
        source: Box<wavejit::Error>,
    },
}

impl Refusal {
    pub(crate) fn new(what: impl Into<String>) -> Refusal {
        Refusal::What(what.into())
    }
}

/// A packet that could not be done. The ring is idle after it: what followed is not run.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {why}")]
pub struct Error {
    /// Which packet.
    pub place: Place,
    /// Why not.
    pub why: Refusal,
}
