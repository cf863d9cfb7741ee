//! A software GPU: loads AMD code objects, runs their kernels on the CPU.

pub mod address_space;
pub mod code_object;
pub mod error;
pub mod kernarg;
pub mod memory;
pub mod wave;
pub mod wave_init;

pub use error::Error;
