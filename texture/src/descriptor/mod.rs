//! Descriptors: the dwords in SGPRs that say what an instruction reads and writes, decoded to plain structs, one file per kind.
//!
//! Where the bits are is a table for each kind, one row to a field and one column to a generation (`image_fields.rs` and so on). Decoding
//! takes any dwords; encoding refuses by name what a generation cannot say.

pub mod buffer;
mod buffer_fields;
pub mod bvh;
mod bvh_fields;
pub mod field;
pub mod image;
mod image_fields;
pub mod sampler;
mod sampler_fields;

pub use buffer::{BufferDescriptor, BufferFormat, DstSel};
pub use buffer_fields::BUFFER_FIELDS;
pub use bvh::BvhDescriptor;
pub use bvh_fields::BVH_FIELDS;
pub use field::{EncodeError, Field};
pub use image::{Compression, ImageDescriptor, ImageType};
pub use image_fields::IMAGE_FIELDS;
pub use sampler::{Border, SamplerDescriptor};
pub use sampler_fields::SAMPLER_FIELDS;

#[cfg(test)]
mod tests;
