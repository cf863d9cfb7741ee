//! The command processor of a GPU: reads the packets that a driver has written to memory, and does what they say on a [`wavejit::Device`].
//!
//! A [`Ring`] takes indirect buffers (IBs) of PM4 packets, one after the other, as the graphics ring and the compute rings of a chip do; an
//! [`SdmaRing`] takes those of the copy engine. Rings know nothing of Vulkan, nor of the kernel's interface: whoever has an IB in guest memory
//! can run it. What a ring does not understand, be it a packet, a register, a bit or a value, is an [`Error`] that names it; nothing is skipped
//! in silence.
//!
//! | file | holds |
//! |---|---|
//! | `packet.rs` | how packets are framed; every packet there is, by name, and who does it |
//! | `stream.rs` | indirect buffers: calls, chains, reading |
//! | `registers` | the register file: names, what may be written, values after CLEAR_STATE; `compute.rs`, `pixel.rs`, `raster.rs`, `depth.rs`, `color.rs` read those of a stage or unit |
//! | `raster` | the fixed function of draws: primitives to pixels in memory |
//! | `ring.rs` | a PM4 ring: one packet after the other, predication |
//! | `state.rs`, `transfer.rs`, `order.rs`, `dispatch.rs` | what packets do: registers; memory; waiting and events; compute |
//! | `draw` | draws: packets, indices, geometry waves; what those hand to the rasterizer |
//! | `shaders.rs`, `stage.rs` | code by address; running waves of a stage of a draw |
//! | `sdma.rs` | the copy engine |
//! | `dump.rs`, `replay.rs` | recordings of jobs; running them again |
//! | `error.rs` | what went wrong, and in which packet |
//!
//! Reference: AMD's register and packet headers as Mesa (`sid.h`) and Linux (`nvd.h`) carry them; RDNA3 ISA, ch. 3.
//!
//! ```
//! use wavejit::{Device, DeviceConfig};
//! use wavejit_gpu::{Engine, Gpu, Options, Progress, Ring};
//! use wavejit_isa::Gfx;
//!
//! let device = Device::new(DeviceConfig::default())?;
//! let out = device.alloc(4)?;
//! // WRITE_DATA: one dword to memory.
//! let ib = [0xc003_3700, 5 << 8 | 1 << 20, out.address() as u32, (out.address() >> 32) as u32, 42];
//! let ib = device.upload(&ib.map(u32::to_le_bytes).concat())?;
//! let mut ring = Ring::new(Gpu::new(device, Gfx::GFX1100, Options::default())?, Engine::Graphics);
//! ring.start(ib.address(), 5);
//! assert_eq!(ring.run()?, Progress::Done);
//! assert_eq!(out.to_vec()?, [42, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod clock;
mod dispatch;
mod draw;
pub mod dump;
mod error;
mod order;
mod packet;
mod raster;
pub mod registers;
pub mod replay;
mod ring;
mod sdma;
mod shaders;
mod stage;
mod state;
mod stream;
mod transfer;

pub use clock::timestamp;
pub use error::{Error, Place, Refusal};
pub use ring::{Engine, Gpu, Options, Progress, Ring};
pub use sdma::SdmaRing;
