//! Code objects: what a compiler for AMD GPUs writes, from bytes to kernels and a loadable image.
//!
//! Reference: LLVM AMDGPUUsage, "Code Object". Files: [`descriptor`] the 64-byte kernel descriptor.

pub mod descriptor;
mod error;

pub use descriptor::{KernelDescriptor, PgmRsrc, property};
pub use error::LoadError;
