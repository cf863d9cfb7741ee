//! Buffers and images of AMD GPUs as pure functions over descriptors and bytes: no memory, no waves, no threads.
//!
//! So far: buffer descriptors (V#) of every generation and the range rule of scalar buffer loads, which the run time uses. Vector buffer
//! instructions, images, samplers and ray tracing are refused by name elsewhere until they are here.
#![deny(unsafe_code)]

pub mod atomic;
pub mod buffer;
pub mod descriptor;
pub mod format;
pub mod image;
pub mod memory;
pub mod tiling;
pub mod wave;

pub use descriptor::{BufferDescriptor, BvhDescriptor, ImageDescriptor, SamplerDescriptor};
pub use format::{Format, FormatNumber};
pub use memory::Memory;
pub use wave::Wave;

/// What decides the layout of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // the processors are the names
pub enum Generation {
    /// gfx6 and gfx7.
    Gfx6,
    Gfx8,
    /// gfx9 with gfx90a and gfx940.
    Gfx9,
    /// gfx10.1.
    Gfx10,
    /// gfx10.3: its own format table, image pitch and swizzle equations.
    Gfx103,
    /// gfx11 and gfx11.5.
    Gfx11,
    Gfx12,
}
