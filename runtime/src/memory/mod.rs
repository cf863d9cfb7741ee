//! Memory as waves see it: the fallible accessors, fault recovery, and the helpers compiled code calls.
//!
//! `access` touches guest memory, `canary` watches what lies beside allocations, `checked` verifies addresses in builds that want it, `fault` catches what goes wrong there, `lanes` the lane arithmetic all vector accesses share (portable
//! and AVX-512), `texture` hands buffer and ray instructions to their crate, `vector` loads and stores of every space, `atomic` read-modify-write operations, `scalar` scalar loads, `hwreg` hardware
//! registers, messages and clocks, `gws` global wave sync, `helpers` the table that hands all this to compiled code (`wavejit_ir::abi::Helpers`).

pub(crate) mod access;
pub(crate) mod address_space;
pub(crate) mod atomic;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) mod avx512;
mod canary;
pub(crate) mod checked;
pub(crate) mod context;
mod exchange_sum;
pub(crate) mod exports;
pub(crate) mod fault;
pub(crate) mod gws;
pub(crate) mod helpers;
pub(crate) mod hwreg;
pub(crate) mod image_config;
pub(crate) mod lanes;
pub(crate) mod scalar;
#[cfg(test)]
mod tests;
pub(crate) mod texture;
pub(crate) mod vector;

/// Unmapped bytes on both sides of reserved guest memory: more than one wave's contiguous access.
pub(crate) const EDGE: u64 = 1 << 16;
