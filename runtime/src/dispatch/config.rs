//! What a caller decides: [`DeviceConfig`] once per device, [`LaunchConfig`] at every launch, whatever it is that is launched.

use crate::args::kernarg::Geometry;
use crate::dispatch::profile::Profile;
use crate::dispatch::progress::Progress;
use crate::dispatch::step::Hook;
use crate::fault::Deadlock;
use crate::program::Engine;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use wavejit_texture::ray::HalfOrder;

/// Bytes of translations kept unless the device says otherwise.
const CODE_CACHE_BYTES: usize = 256 << 20;
/// Scratch that waves of a dispatch may hold at a time, unless the device says otherwise.
const SCRATCH_LIMIT_BYTES: u64 = 1 << 30;

/// How the waves of a workgroup take turns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Schedule {
    /// Each runs to its next barrier, sleep or end of a time slice.
    #[default]
    Turns,
    /// Each runs one instruction, in turn, as on a chip nearly, for programs that rely on it. Slow: [`Engine::Interp`] runs them,
    /// whatever [`DeviceConfig::engine`] says.
    Lockstep,
}

/// How near to the exact results those of reciprocal roots, powers and logarithms of f32 are (v_rsq_f32, v_exp_f32, v_log_f32).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Accuracy {
    /// Correctly rounded.
    #[default]
    Nearest,
    /// Within 1 ulp, as the ISA allows, and faster; the same with every [`Engine`]. Powers and logarithms are the same on every host, too; reciprocal roots
    /// build on an estimate of the processor's, which others have otherwise.
    OneUlp,
}

/// Environment variable: `1ulp` or `nearest`, for programs that do not say themselves ([`Accuracy::as_told`]).
pub const ACCURACY_VARIABLE: &str = "WAVEJIT_ACCURACY";

impl Accuracy {
    /// What a name stands for: `nearest` or `1ulp`.
    pub fn named(name: &str) -> Option<Accuracy> {
        match name {
            "nearest" => Some(Accuracy::Nearest),
            "1ulp" => Some(Accuracy::OneUlp),
            _ => None,
        }
    }

    /// What [`ACCURACY_VARIABLE`] says, [`Accuracy::Nearest`] where it says nothing; the message of an error if it says something else.
    pub fn as_told() -> Result<Accuracy, String> {
        told(ACCURACY_VARIABLE, Accuracy::named, "`nearest` or `1ulp`")
    }
}

/// What an environment variable says, the default where it says nothing; the message of an error if it says something else than it may.
pub(crate) fn told<T: Default>(variable: &str, named: fn(&str) -> Option<T>, may_be: &str) -> Result<T, String> {
    let told = std::env::var(variable).unwrap_or_default();
    if told.is_empty() {
        return Ok(T::default());
    }
    named(&told).ok_or_else(|| format!("{variable}: `{told}` is not {may_be}"))
}

/// How a [`Device`](crate::Device) works.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceConfig {
    /// Threads that run workgroups; 0: as many as the host has.
    pub threads: usize,
    /// Host code or interpreter.
    pub engine: Engine,
    /// How the waves of a workgroup take turns.
    pub schedule: Schedule,
    /// How near to the exact results some results of f32 are.
    pub accuracy: Accuracy,
    /// One thread, fixed order of workgroups and waves, zeroed registers, clocks that count their readings: equal runs are equal.
    pub deterministic: bool,
    /// How ray instructions of gfx11 and gfx12 pack directions of 16 bits: AMD's guides and LLVM do not agree (BVH-08).
    pub ray_half_order: HalfOrder,
    /// GB_ADDR_CONFIG, the register that says over how many pipes, packers and banks the chip spreads images, in the layout of the
    /// generation that code and images are of; 0: the simplest chip. Where an image's texels are depends on it in modes that mix pipes in.
    pub gb_addr_config: u32,
    /// Host addresses to reserve for guest memory (isolated mode); 0: 1 TiB, or what there is.
    pub reserve_bytes: u64,
    /// Bytes of scratch that the waves of a dispatch may hold at a time; 0: 1 GiB. Where it is short fewer workgroups are in flight; a kernel
    /// of which not even one fits is refused.
    pub scratch_limit_bytes: u64,
    /// Watch bytes beside allocations: after a dispatch that has changed some, though it ran to its end, its launch is an
    /// [`Error::Overrun`](crate::Error::Overrun), once for each allocation. Some are looked at after each dispatch, in turn, others by
    /// [`AddressSpace::check_canaries`](crate::AddressSpace::check_canaries). What is beside an allocation is then not 0.
    pub canaries: bool,
    /// Bytes of translated code that are kept for programs opened again, or elsewhere; 0: 256 MiB. Open programs hold more, each what it uses.
    pub code_cache_bytes: usize,
}

impl DeviceConfig {
    /// Bytes of scratch for a dispatch, as decided.
    pub(crate) fn scratch_limit(&self) -> u64 {
        if self.scratch_limit_bytes == 0 { SCRATCH_LIMIT_BYTES } else { self.scratch_limit_bytes }
    }

    /// Bytes of translated code, as decided.
    pub(crate) fn code_cache_limit(&self) -> usize {
        if self.code_cache_bytes == 0 { CODE_CACHE_BYTES } else { self.code_cache_bytes }
    }
}

/// See [`LaunchConfig::on_deadlock`].
pub type OnDeadlock<'a> = &'a (dyn Fn(&Deadlock) -> bool + Sync);

/// How to launch: a kernel with [`Launch`](crate::Launch), machine code with [`CodeLaunch`](crate::CodeLaunch).
#[derive(Clone, Copy, Default)]
pub struct LaunchConfig<'a> {
    /// Work-items of the grid and of a workgroup, and which part of the grid runs.
    pub geometry: Geometry,
    /// Guest instructions a wave may run before the dispatch is an error; 0: any number.
    pub max_insts: u64,
    /// Another thread may set this to non-zero to stop the dispatch.
    pub cancel: Option<&'a AtomicU32>,
    /// Called before every guest instruction (`Engine::Interp` only); see [`crate::dispatch::step`].
    pub hook: Option<Hook<'a>>,
    /// Told what the dispatch is doing, for another thread that watches; see [`crate::dispatch::progress`].
    pub progress: Option<&'a Progress>,
    /// Told once if for a second all waves that have begun wait for memory that none of them writes, as far as can be seen; whether the
    /// dispatch is to end then, with a [`Limit::Deadlock`](crate::Limit::Deadlock). Else it goes on waiting: the host or another dispatch may write.
    pub on_deadlock: Option<OnDeadlock<'a>>,
    /// Counts executions and active lanes of every instruction; see [`crate::profile`].
    pub profile: Option<&'a Profile>,
}

impl LaunchConfig<'_> {
    /// A whole grid of so many work-items, in workgroups of so many; nobody watches, and nothing but an error ends it early.
    pub fn new(grid: [u32; 3], group: [u32; 3]) -> Self {
        LaunchConfig { geometry: Geometry::new(grid, group), ..Default::default() }
    }

    /// Has another thread stopped it?
    pub(crate) fn is_canceled(&self) -> bool {
        self.cancel.is_some_and(|c| c.load(Relaxed) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_says_what_it_may_or_nothing() {
        // SAFETY: no other thread of these tests looks at a variable of that name.
        let say = |what: &str| unsafe { std::env::set_var("WAVEJIT_SAID_IN_A_TEST", what) };
        let told = || told("WAVEJIT_SAID_IN_A_TEST", Engine::named, "`tiered`, `jit` or `interp`");
        assert_eq!(told(), Ok(Engine::Tiered));
        for (what, engine) in [("", Engine::Tiered), ("interp", Engine::Interp), ("jit", Engine::Jit), ("tiered", Engine::Tiered)] {
            say(what);
            assert_eq!(told(), Ok(engine));
        }
        say("fast");
        assert_eq!(told(), Err("WAVEJIT_SAID_IN_A_TEST: `fast` is not `tiered`, `jit` or `interp`".to_string()));
    }
}
