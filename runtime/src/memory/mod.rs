//! Memory as waves see it: the fallible accessors, fault recovery, and the helpers compiled code calls.
//!
//! `access` touches guest memory, `checked` verifies addresses in builds that want it, `fault` catches what goes wrong there, `lanes` the lane arithmetic all vector accesses share (portable
//! and AVX-512), `texture` hands buffer and ray instructions to their crate, `vector` loads and stores of every space, `atomic` read-modify-write operations, `scalar` scalar loads, `hwreg` hardware
//! registers, messages and clocks, `gws` global wave sync, `helpers` the table that hands all this to compiled code (`wavejit_ir::abi::Helpers`).

pub mod access;
pub mod address_space;
pub mod atomic;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub mod avx512;
pub mod checked;
pub mod context;
pub mod fault;
pub mod gws;
pub mod helpers;
pub mod hwreg;
pub mod image_config;
pub mod lanes;
pub mod routines;
pub mod scalar;
#[cfg(test)]
mod tests;
pub mod texture;
pub mod vector;

/// Unmapped bytes on both sides of reserved guest memory: more than one wave's contiguous access.
pub const EDGE: u64 = 1 << 16;
