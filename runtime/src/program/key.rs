//! What a translation is for: [`Engine`], [`CodeKey`].

use crate::dispatch::config::Accuracy;
use serde::{Deserialize, Serialize};
use wavejit_ir::{FpMode, Ids};

/// What runs waves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Engine {
    /// What launches need little of is interpreted, what they need much of becomes host code: a kernel's first short launches do not wait for a
    /// compilation that would take longer than they do.
    #[default]
    Tiered,
    /// Host code for kernels from their first launch on; what they jump to rarely is interpreted.
    Jit,
    /// The interpreter of the wave IR: slow, simple, exact; can stop at every instruction.
    Interp,
}

/// How a device translates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct MadeBy {
    pub engine: Engine,
    pub accuracy: Accuracy,
}

/// What code is translated for: where it starts, and the state of a wave that the translation takes for granted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct CodeKey {
    /// Guest address.
    pub entry: u64,
    /// Float mode at the entry.
    pub mode: FpMode,
    /// 32 or 64.
    pub wave_size: u32,
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// What is known of the work-item ids, at a kernel's entry.
    pub ids: Ids,
    /// With probes that count instructions ([`crate::profile`]).
    pub counted: bool,
}
