//! What helpers know of a wave beyond what compiled code does: [`WaveContext`].

use super::exports::ExportLog;
use super::gws::{Gws, Ticket};
use super::image_config;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use wavejit_ir::abi::{SLOTS, WaveState};
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::Gfx;
use wavejit_texture::image::{ImageConfig, RoutineCaches};
use wavejit_texture::ray::HalfOrder;

/// Bytes that one access of a whole wave can move: 64 lanes of 16 bytes.
pub(crate) const STAGE_BYTES: usize = 64 * 16;

/// What image and ray instructions see of the device.
#[derive(Clone, Copy, Default)]
pub struct TextureConfig {
    /// Addresses and descriptors of images.
    pub images: ImageConfig,
    /// How ray instructions pack directions of 16 bits.
    pub ray_half_order: HalfOrder,
}

/// Image instructions that have been run before, with the waves that use them, all on one thread.
pub(crate) type SharedRoutines = Rc<RefCell<RoutineCaches>>;

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
    /// Number of the workgroup in its dispatch, for all of its waves.
    pub(crate) group: Arc<AtomicU64>,
    /// Injected clock (deterministic mode), or null: host clocks.
    pub clock: *const AtomicU64,
    /// What the device says of images and rays.
    pub textures: TextureConfig,
    /// Image instructions that have been run before.
    pub(crate) routines: SharedRoutines,
    /// Global wave sync of the dispatch, or null: waves never wait.
    pub(crate) gws: *const Gws,
    /// What the wave waits for there.
    pub(crate) ticket: Option<Ticket>,
    /// What it exports.
    pub(crate) exports: ExportLog,
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
            group: Arc::default(),
            clock: std::ptr::null(),
            textures: TextureConfig { images: image_config::config_of(target), ..Default::default() },
            routines: SharedRoutines::default(),
            gws: std::ptr::null(),
            ticket: None,
            exports: ExportLog::default(),
            refusal: None,
        })
    }
}

/// A state without rows, helpers and memory: all zero.
pub(crate) fn blank_state() -> Box<WaveState> {
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
        exit: 0,
        sregs: [0; SReg::COUNT],
        slots: [0; SLOTS],
        counters: null_mut(),
        mem_reach: 0,
    })
}
