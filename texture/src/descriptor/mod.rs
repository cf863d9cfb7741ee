//! Descriptors: the dwords in SGPRs that say what an instruction reads and writes, decoded to plain structs, one file per kind.

pub mod buffer;

pub use buffer::{BufferDescriptor, BufferFormat, DstSel};
