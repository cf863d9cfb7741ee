//! What a translation is for: [`Engine`], [`CodeKey`].

use crate::dispatch::config::{Accuracy, told};
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

/// Environment variable: `tiered`, `jit` or `interp`, for programs that do not say themselves ([`Engine::as_told`]).
pub const ENGINE_VARIABLE: &str = "WAVEJIT_ENGINE";

impl Engine {
    /// What a name stands for: `tiered`, `jit` or `interp`.
    pub fn named(name: &str) -> Option<Engine> {
        match name {
            "tiered" => Some(Engine::Tiered),
            "jit" => Some(Engine::Jit),
            "interp" => Some(Engine::Interp),
            _ => None,
        }
    }

    /// What [`ENGINE_VARIABLE`] says, [`Engine::Tiered`] where it says nothing; the message of an error if it says something else.
    pub fn as_told() -> Result<Engine, String> {
        told(ENGINE_VARIABLE, Engine::named, "`tiered`, `jit` or `interp`")
    }
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
