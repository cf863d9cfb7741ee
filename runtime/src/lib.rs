//! A software GPU: loads AMD code objects, runs their kernels on the CPU.

mod address_space;
pub mod arg_type;
mod border;
pub mod bvh;
pub mod code_object;
mod config;
pub mod device;
mod dispatch;
pub mod error;
pub mod fault;
pub mod fork;
mod hidden_use;
pub mod image;
pub mod kernarg;
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
mod pool;
pub mod profile;
mod program;
pub mod progress;
mod raw;
mod report;
pub mod sampler;
mod scratch;
pub mod snapshot;
mod source;
pub mod step;
mod sync;
mod wave;
pub mod wave_init;
mod workgroup;

pub use address_space::{AddressMode, AddressSpace, GUEST_LOW, MemorySnapshot};
pub use bvh::Bvh;
pub use config::{DeviceConfig, LaunchConfig};
pub use device::{Arg, Buffer, Device, Kernel, Launch, Module};
pub use dispatch::DispatchStats;
pub use error::Error;
pub use fault::{Access, AccessKind, Cause, Doing, Fault, Limit, OtherWave, Place};
pub use hidden_use::MissingArg;
pub use image::{Image, ImageDesc, ImageFormat, ImageKind, ImageTiling};
pub use kernarg::{Geometry, Part};
pub use profile::{InstCount, Profile};
pub use program::{CodeStats, Engine};
pub use progress::{Look, Progress};
pub use raw::{CodeLaunch, CodeProgram};
pub use sampler::{BorderColor, Clamp, Compare, Filter, MipFilter, Sampler, SamplerDesc};
pub use snapshot::Snapshot;
pub use step::{Action, Step};
pub use wavejit_texture::Generation;

/// What this workspace's tests run waves with, without a device. Not for others: it may change at any time.
#[doc(hidden)]
pub mod parts {
    pub use crate::memory::scalar::sbuffer_load;
    pub use crate::memory::texture::resource;
    pub use crate::wave::WaveContext;
}
