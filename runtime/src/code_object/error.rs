//! Why bytes are not a code object that can be loaded.

/// Why a code object was refused. Every message says what was expected, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// Neither ELF nor an offload bundle.
    #[error("not a code object: expected an amdgcn ELF file, an offload bundle or a program with a .hip_fatbin section, found {found}")]
    NotACodeObject {
        /// The first bytes.
        found: String,
    },
    /// Damaged or cut off.
    #[error("damaged code object: {what}")]
    Malformed {
        /// What was expected, where, and what was found.
        what: String,
    },
    /// Well formed, but of a kind that cannot be run here.
    #[error("unsupported code object: {what}")]
    Unsupported {
        /// What it is.
        what: String,
    },
    /// No code object for the wanted target in a bundle.
    #[error("no code object for {wanted} in the bundle; it has: {entries}")]
    NoEntry {
        /// Target that was asked for.
        wanted: String,
        /// What there is.
        entries: String,
    },
    /// No such kernel.
    #[error("no kernel `{name}`; the code object for {target} has: {kernels}")]
    NoKernel {
        /// Name that was asked for.
        name: String,
        /// Target of the code object.
        target: String,
        /// What there is.
        kernels: String,
    },
    /// Several C++ kernels have this name in the source.
    #[error("several kernels are called `{name}` in the source; choose one by its symbol: {kernels}")]
    AmbiguousKernel {
        /// Name that was asked for.
        name: String,
        /// Their symbols.
        kernels: String,
    },
    /// The host has no memory for it.
    #[error("no host memory for {what}: {bytes} bytes")]
    NoMemory {
        /// What needs it.
        what: String,
        /// How much.
        bytes: usize,
    },
    /// A relocation against a symbol that nothing defines.
    #[error("undefined symbol `{symbol}` (relocation at {address:#x}): link the code object completely")]
    UndefinedSymbol {
        /// Its name.
        symbol: String,
        /// Address of the place to patch, relative to the image.
        address: u64,
    },
}

impl LoadError {
    /// Is the input fine, but of a kind that this program cannot run?
    pub fn is_unsupported(&self) -> bool {
        matches!(self, LoadError::Unsupported { .. })
    }

    /// Was the host out of memory?
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, LoadError::NoMemory { .. })
    }

    pub(crate) fn malformed(what: impl Into<String>) -> LoadError {
        LoadError::Malformed { what: what.into() }
    }
    pub(crate) fn unsupported(what: impl Into<String>) -> LoadError {
        LoadError::Unsupported { what: what.into() }
    }
}

/// An empty list with room for `n`: for lengths that a file decides.
pub(super) fn reserved<T>(n: usize, what: &str) -> Result<Vec<T>, LoadError> {
    let mut list = Vec::new();
    match list.try_reserve_exact(n) {
        Ok(()) => Ok(list),
        Err(_) => Err(LoadError::NoMemory { what: what.to_string(), bytes: n.saturating_mul(size_of::<T>()) }),
    }
}

/// A copy of some bytes of a file.
pub(super) fn copied(bytes: &[u8], what: &str) -> Result<Vec<u8>, LoadError> {
    let mut copy = reserved(bytes.len(), what)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}
