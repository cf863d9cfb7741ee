//! `libamdhip64.so`: the functions of HIP's public header, so that programs built for AMD GPUs run on wavejit as they are.
//!
//! Device pointers are host pointers: kernels, copies and the program share one address space. Every function catches panics, and returns
//! HIP's status; what went wrong in a kernel is told on stderr, too.
//!
//! | file | holds |
//! |---|---|
//! | `status.rs` | status codes with names and texts; the last error; the frame around every function |
//! | `abi.rs`, `raw.rs` | layouts of structures; the only reads of memory that C hands us |
//! | `gpu.rs` | the simulated devices (`WAVEJIT_DEVICES`), which one is current, what failed on it |
//! | `properties.rs`, `attributes.rs`, `device.rs`, `context.rs` | what programs may ask about devices |
//! | `handles.rs` | handles that C holds, checked at every use |
//! | `allocations.rs`, `memory.rs`, `pool.rs` | what is allocated; functions that allocate and free |
//! | `advice.rs` | what programs say about the use of memory, and ask for again |
//! | `virtual_memory.rs` | addresses that are reserved, and memory that is mapped there |
//! | `op.rs` | what streams and graphs do: kernels, copies, fills, calls of the host |
//! | `copy.rs`, `fill.rs`, `symbol.rs` | functions that copy and fill |
//! | `stream.rs`, `event.rs` | order and time |
//! | `fat_binary.rs`, `register.rs`, `module.rs`, `function.rs` | device code: of the program, and loaded by it |
//! | `launch.rs`, `launch_config.rs`, `occupancy.rs` | kernels |
//! | `array`, `texture`, `texel.rs` | arrays and copies of them; texture and surface objects; formats of texels |
//! | `graph` | graphs: captured, made of nodes, launched, changed |
//! | `hiprtc.rs` | device code compiled while a program runs |
//! | `proc_address.rs`, `unsupported.rs` | functions by name; functions that are refused |

#![allow(non_snake_case)] // functions have HIP's names
#![allow(unreachable_pub)] // callers are C

pub mod abi;
pub mod advice;
mod allocations;
pub mod array;
pub mod attributes;
pub mod context;
pub mod copy;
pub mod device;
pub mod event;
mod fat_binary;
pub mod fill;
pub mod function;
mod gpu;
pub mod graph;
mod handles;
pub mod hiprtc;
pub mod launch;
pub mod launch_config;
pub mod memory;
pub mod module;
pub mod occupancy;
mod op;
pub mod pool;
pub mod proc_address;
pub mod properties;
mod raw;
pub mod register;
pub mod status;
pub mod stream;
pub mod symbol;
pub mod texel;
pub mod texture;
pub mod unsupported;
pub mod virtual_memory;
