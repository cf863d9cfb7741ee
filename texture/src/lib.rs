//! Buffers, images and rays of AMD GPUs, one call per wave instruction: what the memory instructions of every family from gfx6 to gfx12 do
//! to registers and memory that the caller lends ([`Wave`], [`Memory`]).
//!
//! [`descriptor`] decodes what is in SGPRs, [`mod@format`] converts elements, [`tiling`] finds texels, [`buffer`] and [`ray`] execute
//! instructions, [`image`] those parts of image instructions that are here. No threads, no code, no allocation of guest memory; vector code touches
//! guest memory by `guarded` accesses only.
#![deny(unsafe_code)]

pub mod atomic;
pub mod buffer;
pub mod descriptor;
pub mod format;
#[cfg(target_arch = "x86_64")]
pub mod guarded;
pub mod image;
mod lazy;
pub mod memory;
pub mod ray;
#[cfg(target_arch = "x86_64")]
mod simd;
pub mod tiling;
pub mod wave;

/// Does this build verify every address of vector code before it is touched? With debug assertions, and with the feature `checked`, which is
/// for fuzzing optimized builds. What is wrong then is a defect of ours, and a panic that names the access.
#[cfg(target_arch = "x86_64")]
pub(crate) const CHECKED: bool = cfg!(any(debug_assertions, feature = "checked"));

pub use descriptor::{BufferDescriptor, BvhDescriptor, ImageDescriptor, SamplerDescriptor};
pub use format::{Format, FormatNumber};
pub use memory::Memory;
pub use wave::Wave;
pub use wavejit_isa::Generation;
