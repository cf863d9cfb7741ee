//! A software GPU: loads AMD code objects, runs their kernels on the CPU.

pub mod address_space;
mod capi;
pub mod code_object;
pub mod device;
pub mod dispatch;
pub mod error;
pub mod kernarg;
pub mod memory;
pub mod pool;
pub mod program;
mod report;
pub mod snapshot;
pub mod step;
pub mod wave;
pub mod wave_init;
mod workgroup;

pub use address_space::AddressMode;
pub use device::{Arg, Buffer, CodeLaunch, Device, DeviceOptions, Kernel, Launch, Module};
pub use dispatch::DispatchStats;
pub use error::Error;
pub use program::Engine;
pub use snapshot::Snapshot;
pub use step::{Action, Step};
