//! Waves as the scheduler keeps them: state, row file, scratch, and what helpers need besides ([`WaveContext`]).

use crate::memory::gws::{Gws, Ticket};
use crate::memory::texture::SharedRoutines;
use std::sync::atomic::AtomicU64;
use wavejit_ir::abi::{SLOTS, WaveState};
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::Gfx;
use wavejit_texture::image::ImageConfig;
use wavejit_texture::ray::HalfOrder;

/// Bytes that one access of a whole wave can move: 64 lanes of 16 bytes.
pub const STAGE_BYTES: usize = 64 * 16;

/// What image and ray instructions see of the device.
#[derive(Clone, Copy, Default)]
pub struct TextureConfig {
    /// Addresses and descriptors of images.
    pub images: ImageConfig,
    /// How ray instructions pack directions of 16 bits.
    pub ray_half_order: HalfOrder,
}

/// What helpers know of a wave beyond its [`WaveState`]; `WaveState::ctx` points to it.
#[repr(C, align(64))]
pub struct WaveContext {
    /// Between memory and rows: bytes of a wave's access, lane by lane. 64 bytes of slack for whole-vector copies.
    pub stage: [u8; STAGE_BYTES + 64],
    /// Rows of the wave's file; 0: not known. For checked builds.
    pub rows: u32,
    /// Host addresses of a wave's access.
    pub addrs: [u64; 64],
    /// Float mode of the code that runs.
    pub mode: FpMode,
    /// Processor.
    pub target: Gfx,
    /// Number of the wave in its workgroup.
    pub wave: u32,
    /// Number of the workgroup in its dispatch.
    pub group: u64,
    /// Injected clock (deterministic mode), or null: host clocks.
    pub clock: *const AtomicU64,
    /// What the device says of images and rays.
    pub textures: TextureConfig,
    /// Image instructions that have been run before.
    pub routines: SharedRoutines,
    /// Global wave sync of the dispatch, or null: waves never wait.
    pub(crate) gws: *const Gws,
    /// What the wave waits for there.
    pub(crate) ticket: Option<Ticket>,
    /// Why the texture crate refused an instruction ([`wavejit_ir::abi::FaultKind::Refused`]).
    pub refusal: Option<String>,
}

impl WaveContext {
    /// A context of a wave of `target`.
    pub fn new(target: Gfx) -> Box<WaveContext> {
        Box::new(WaveContext {
            stage: [0; STAGE_BYTES + 64],
            rows: 0,
            addrs: [0; 64],
            mode: FpMode::HSA,
            target,
            wave: 0,
            group: 0,
            clock: std::ptr::null(),
            textures: TextureConfig { images: crate::image::config_of(target), ..Default::default() },
            routines: SharedRoutines::default(),
            gws: std::ptr::null(),
            ticket: None,
            refusal: None,
        })
    }
}

/// A state without rows, helpers and memory: all zero.
pub fn blank_state() -> Box<WaveState> {
    use std::ptr::{null, null_mut};
    Box::new(WaveState {
        rows: null_mut(),
        helpers: null(),
        resume: 0,
        wave_size: 32,
        fuel: 0,
        lds: null_mut(),
        lds_bytes: 0,
        scratch_bytes: 0,
        scratch: null_mut(),
        mem_base: 0,
        mem_low: 0,
        mem_size: 0,
        ctx: null_mut(),
        code_delta: 0,
        exit_arg: 0,
        exit_pc: 0,
        exit_mode: 0,
        fault_kind: 0,
        fault_addr: 0,
        fault_pc: 0,
        fault_exec: 0,
        fault_lane: 0,
        pad: 0,
        sregs: [0; SReg::COUNT],
        slots: [0; SLOTS],
        counters: null_mut(),
    })
}

/// Zeroed memory that grows: row files, LDS, scratch. Page-aligned; pages that are never touched cost nothing.
#[derive(Default)]
pub(crate) struct Arena(Option<memmap2::MmapMut>);

impl Arena {
    /// Has it `bytes` already?
    pub fn holds(&self, bytes: usize) -> bool {
        self.0.as_ref().is_some_and(|m| m.len() >= bytes)
    }

    /// Its start, with room for `bytes`. Contents are lost if it grows.
    pub fn at_least(&mut self, bytes: usize) -> Result<*mut u8, crate::Error> {
        if !self.holds(bytes.max(1)) {
            let bytes = bytes.max(1).next_multiple_of(4096);
            let map = memmap2::MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
            self.0 = Some(map.map_err(|e| crate::Error::OutOfMemory(format!("no {bytes} bytes for waves: {e}")))?);
        }
        Ok(self.0.as_mut().map_or(std::ptr::null_mut(), |m| m.as_mut_ptr()))
    }

    /// Its first `n` bytes; none if it is new. Panics if it holds fewer.
    pub fn bytes(&self, n: usize) -> &[u8] {
        self.0.as_ref().map_or(&[], |m| &m[..n])
    }

    /// As `bytes`.
    pub fn bytes_mut(&mut self, n: usize) -> &mut [u8] {
        self.0.as_mut().map_or(&mut [], |m| &mut m[..n])
    }

    /// Gives everything back if that is more than `bytes`.
    pub fn trim(&mut self, bytes: usize) {
        if self.holds(bytes + 1) {
            self.0 = None;
        }
    }

    /// Makes the first `bytes` zero, as far as it holds them. Large ones are given back to the host, so that pages nobody has touched stay untouched.
    pub fn zero(&mut self, bytes: usize) {
        /// Below this clearing is cheaper than page faults.
        const LARGE: usize = 64 << 10;
        let Some(map) = &mut self.0 else { return };
        let bytes = bytes.min(map.len());
        #[cfg(target_os = "linux")]
        if bytes > LARGE {
            // SAFETY: a private anonymous mapping, which the host fills with zeros anew; `&mut` says that nobody refers to its contents.
            let done = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, 0, bytes.next_multiple_of(4096)) };
            if done.is_ok() {
                return;
            }
        }
        map[..bytes].fill(0);
    }
}
