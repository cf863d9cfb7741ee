//! `libwavejit_drm.so`: an AMD GPU for programs that talk to Linux's amdgpu driver, such as Mesa's RADV, which runs unmodified.
//!
//! The library is loaded before others (`LD_PRELOAD`, as `wavejit vk` does). It takes the place of `ioctl` and of the functions of libdrm that find
//! devices; everything else is the stock libdrm. The device's node is a memory file: opening it, copies of its descriptor and mappings are real,
//! and it is recognized by its identity. Buffers are pages of that file, which the program maps where it likes, and at GPU addresses,
//! which are addresses of the host in one reservation.
//!
//! | file | holds |
//! |---|---|
//! | `interpose.rs`, `discovery.rs` | the functions of C that are replaced |
//! | `ioctls.rs` | every command, by number |
//! | `raw.rs`, `uapi.rs`, `errno.rs` | memory of the program; the kernel's structures; its errors |
//! | `door.rs`, `node.rs` | all that there is of the device; the memory file |
//! | `info.rs` | what programs may ask about it |
//! | `gem.rs`, `userptr.rs`, `va.rs` | buffers; those of the program's own memory; GPU addresses |
//! | `context.rs`, `submit.rs` | contexts and their rings; command submission |
//! | `fence.rs`, `wait.rs`, `syncobj.rs`, `share.rs` | what is done when; waiting; synchronization objects; their descriptors |
//!
//! Reference: Linux, `include/uapi/drm/drm.h`, `amdgpu_drm.h`, and the driver's behavior in `drivers/gpu/drm/amd/amdgpu`; `docs/vulkan.md`.

#![cfg(target_os = "linux")]
#![allow(unreachable_pub)] // callers are C

mod context;
pub mod discovery;
mod door;
mod errno;
mod fence;
mod gem;
mod info;
pub mod interpose;
mod ioctls;
mod node;
mod raw;
mod share;
mod submit;
mod syncobj;
mod uapi;
mod userptr;
mod va;
mod wait;
