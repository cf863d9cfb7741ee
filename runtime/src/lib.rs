//! A software GPU: loads AMD code objects, runs their kernels on the CPU.

pub mod address_space;
mod border;
pub mod bvh;
mod capi;
pub mod code_object;
pub mod device;
pub mod dispatch;
pub mod error;
pub mod image;
pub mod kernarg;
pub mod memory;
pub mod pool;
pub mod program;
mod report;
pub mod sampler;
mod scratch;
pub mod snapshot;
pub mod step;
pub mod wave;
pub mod wave_init;
mod workgroup;

pub use address_space::AddressMode;
pub use bvh::Bvh;
pub use device::{Arg, Buffer, CodeLaunch, Device, DeviceOptions, Kernel, Launch, Module};
pub use dispatch::DispatchStats;
pub use error::Error;
pub use image::{Image, ImageDesc, ImageFormat, ImageKind, ImageTiling};
pub use program::Engine;
pub use sampler::{BorderColor, Clamp, Compare, Filter, MipFilter, Sampler, SamplerDesc};
pub use snapshot::Snapshot;
pub use step::{Action, Step};
pub use wavejit_texture::Generation;
