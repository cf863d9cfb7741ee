//! Image instructions: load, store, atomics, sample, gather and the questions about images, executed for a wave at a time.
//!
//! ```text
//! T#, S#, instruction --Routine::new--> Routine --execute--> VGPRs        (kept by RoutineCache, a key per call site)
//!   descriptor, format, tiling            |
//!                                         +-- scalar: texels.rs, sample.rs, query.rs: exact and complete
//!                                         +-- kernel: AVX-512 or AVX2 for the common cases, the same bits
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `op.rs`, `address.rs`, `values.rs` | the encoding: operations, where address components are, how data is packed |
//! | `resolve.rs`, `surface.rs`, `sampler.rs` | descriptors, resolved |
//! | `coord.rs`, `lod.rs`, `cube.rs`, `filter.rs` | arithmetic of coordinates, levels, cube edges and blends |
//! | `texels.rs`, `sample.rs`, `query.rs` | the instructions, lane by lane |
//! | `routine.rs`, `cache.rs`, `known.rs`, `kernel/` | what is kept between waves, and the vector forms |
//!
//! Reference: RDNA3 ISA, chapter "image memory instructions"; the Direct3D 11.3 functional specification for filtering.

pub mod address;
mod cache;
pub mod coord;
pub mod cube;
pub mod error;
pub mod filter;
#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(target_arch = "x86_64")]
mod known;
pub mod lod;
pub mod op;
pub mod query;
mod resolve;
pub mod routine;
mod sample;
pub mod sampler;
pub mod surface;
mod texels;
pub mod values;

pub use address::Operands;
pub use cache::{RoutineCache, RoutineCaches, SiteCall, Window};
pub use error::ImageError;
pub use op::{Dim, ImageOp, Kind, Layout, Lod, Packing, Sampling, Slot};
pub use routine::{ImageConfig, Routine, execute};
#[cfg(target_arch = "x86_64")]
pub use wavejit_isa::HostLevel;
