//! A software GPU: loads AMD code objects, runs their kernels on the CPU.

pub mod code_object;
pub mod error;
pub mod kernarg;
pub mod wave_init;

pub use error::Error;
