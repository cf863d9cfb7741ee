//! Image instructions.

pub mod coord;
pub mod cube;
pub mod lod;
pub mod op;

pub use op::{AtomicOp, Dim, ImageOp, Kind, Layout, Lod, Packing, Sampling, Slot};
