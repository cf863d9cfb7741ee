//! A software GPU: loads AMD code objects, runs their kernels on the CPU.

mod args;
mod border;
mod bvh;
pub mod code_object;
mod device;
mod dispatch;
mod error;
mod fault;
mod host;
mod image;
mod launch;
/// How waves reach memory: not for others, for whom it would be a way to any byte of the host.
///
/// ```compile_fail
/// wavejit::memory::access::write(0x1000, &[0]);
/// ```
///
/// ```compile_fail
/// wavejit::memory::access::read(0x1000, &mut [0]);
/// ```
///
/// ```compile_fail
/// wavejit::memory::fault::install();
/// ```
mod memory;
mod overrun;
mod program;
pub mod queue;
mod services;

pub use args::kernarg::{Geometry, Part};
pub use bvh::Bvh;
pub use code_object::hidden_use::MissingArg;
pub use device::{Buffer, Device};
pub use dispatch::DispatchStats;
pub use dispatch::config::{ACCURACY_VARIABLE, Accuracy, DeviceConfig, LaunchConfig, OnDeadlock, Schedule};
pub use dispatch::profile::{self, InstCount, Profile};
pub use dispatch::progress::{self, Look, Progress};
pub use dispatch::snapshot::{self, Snapshot};
pub use dispatch::step::{self, Action, Step};
pub use error::{Error, NoCode};
pub use fault::{Access, AccessKind, Cause, Deadlock, Doing, Fault, Limit, OtherWave, Place};
pub use image::sampler::{BorderColor, Clamp, Compare, Filter, MipFilter, Sampler, SamplerDesc};
pub use image::{Image, ImageDesc, ImageFormat, ImageKind, ImageTiling};
pub use launch::code::{CodeLaunch, CodeProgram, GuestCode, GuestLaunch, StageLaunch};
pub use launch::cooperative::Cooperative;
pub use launch::kernel::{Arg, Kernel, Launch, Module};
pub use memory::address_space::{AddressMode, AddressSpace, GUEST_LOW, MemorySnapshot};
pub use memory::hwreg::realtime_ticks;
pub use overrun::Overrun;
pub use program::{CODE_CACHE_VARIABLE, CodeStats, ENGINE_VARIABLE, Engine};
pub use services::{Print, Stream, print_by_c};
pub use wavejit_isa::{HostIsa, HostIsaError, HostLevel};
pub use wavejit_texture::Generation;

/// Types of kernel arguments.
pub mod arg_type {
    pub use crate::args::arg_type::{Element, numbers, refuse_contents};
}

/// Arguments of kernels.
pub mod kernarg {
    pub use crate::args::kernarg::{check_lds, describe};
    pub use crate::code_object::MAX_KERNARG_BYTES;
}

/// What waves of machine code start with.
pub mod wave_init {
    pub use crate::dispatch::wave_init::{MAX_USER_SGPRS, RawInit, WaveInit};
}

/// Stages of draws: waves that a source starts, and what they export.
pub mod stage {
    pub use crate::dispatch::source::Taken;
    pub use crate::dispatch::stage::{GroupExports, GroupStart, StageSource, WaveStart};
    pub use crate::host::vectors::{VectorWork, with_host_vectors};
    pub use crate::memory::exports::{Export, WaveExports};
}

/// Forks of the host, and locks that a child of one finds free.
pub mod fork {
    pub use crate::host::fork::Section;
    pub use crate::host::sync::{Held, Mutex, RwLock};
}

/// What this workspace's tests run waves with, without a device. Not for others: it may change at any time.
#[doc(hidden)]
pub mod parts {
    pub use crate::memory::context::WaveContext;
    pub use crate::memory::scalar::sbuffer_load;
    pub use crate::memory::texture::resource;
}
