//! Hardware registers, messages and clocks.
//!
//! Numbers and fields: descriptors.md sections 10 and 13. Counters of outstanding work read 0 (all is done at once); allocation registers
//! read what a debugger could expect; what a target does not have reads 0, and writes to it do nothing.

use super::context::WaveContext;
use super::vector::context;
use std::sync::atomic::Ordering;
use wavejit_ir::abi::{PRIVATE_APERTURE_HI, SHARED_APERTURE_HI, WaveState};
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::Feature;
use wavejit_isa::HwReg;

/// The float fields of MODE as the register has them: FP16_OVFL is bit 23.
fn mode_fields(mode: FpMode) -> u32 {
    u32::from(mode.0 & 0x3ff) | u32::from(mode.fp16_ovfl()) << 23
}

/// The whole MODE register of a wave.
pub(crate) fn mode(state: &WaveState, ctx: &WaveContext) -> u32 {
    state.sregs[usize::from(SReg::MODE.0)] & !0x0080_03ff | mode_fields(ctx.mode)
}

/// See `Helpers::getreg`.
///
/// # Safety
/// `state` is a complete wave with its context.
pub(crate) unsafe extern "C" fn getreg(state: *mut WaveState, id: u32) -> u32 {
    // SAFETY: passed on.
    let (state, ctx) = unsafe { (&*state, context(&*state)) };
    let sreg = |r: SReg| state.sregs[usize::from(r.0)];
    let Some(register) = HwReg::of(ctx.target, id) else { return 0 };
    match register {
        HwReg::Mode => mode(state, ctx),
        HwReg::Status => status(state, ctx),
        HwReg::TrapSts => sreg(SReg::TRAPSTS),
        HwReg::HwId => hw_id(ctx),
        HwReg::StatePriv => sreg(SReg::SCC) << 9,
        HwReg::LdsAlloc => lds_alloc(state, ctx),
        HwReg::ShMemBases => PRIVATE_APERTURE_HI >> 16 | SHARED_APERTURE_HI >> 16 << 16,
        HwReg::FlatScrLo | HwReg::ScratchBaseLo => sreg(SReg::FLAT_SCRATCH_LO),
        HwReg::FlatScrHi | HwReg::ScratchBaseHi => sreg(SReg::FLAT_SCRATCH_HI),
        HwReg::XnackMask => sreg(SReg::XNACK_MASK_LO),
        HwReg::HwId1 => hw_id1(ctx),
        HwReg::HwId2 => ((ctx.group.load(Ordering::Relaxed) & 31) as u32) << 16,
        HwReg::ShaderCyclesLo => clock(ctx, false) as u32,
        HwReg::ShaderCycles => clock(ctx, false) as u32 & 0xf_ffff,
        HwReg::ShaderCyclesHi => (clock(ctx, false) >> 32) as u32,
        _ => 0,
    }
}

/// See `Helpers::setreg`. The float fields of MODE never come here.
///
/// # Safety
/// `state` is a complete wave with its context.
pub(crate) unsafe extern "C" fn setreg(state: *mut WaveState, id: u32, value: u32) {
    // SAFETY: passed on.
    let (state, ctx) = unsafe { (&mut *state, context(&*state)) };
    let register = match HwReg::of(ctx.target, id) {
        Some(HwReg::Mode) => SReg::MODE,
        Some(HwReg::TrapSts) => SReg::TRAPSTS,
        // STATUS, allocation and scratch registers are read-only to user code (STATE-39, STATE-41).
        _ => return,
    };
    state.sregs[usize::from(register.0)] = value;
}

/// See `Helpers::sendmsg`. Of what messages do a kernel sees NO_VGPRS in STATUS, after it gave its VGPRs back (STATE-29); they stay here,
/// though it may do nothing but end then. Requests for room for exports are kept with these, and levels of tessellation.
///
/// # Safety
/// `state` is a complete wave with its context.
pub(crate) unsafe extern "C" fn sendmsg(state: *mut WaveState, simm: u32, m0: u32) {
    const DEALLOC_VGPRS: u32 = 3;
    const HS_TESSFACTOR: u32 = 2;
    const GS_ALLOC_REQ: u32 = 9;
    const NO_VGPRS: u32 = 1 << 24;
    // SAFETY: passed on.
    let (state, ctx) = unsafe { (&mut *state, context(&*state)) };
    if ctx.target.has(Feature::DeallocVgprs) && simm & 0xff == DEALLOC_VGPRS {
        state.sregs[usize::from(SReg::STATUS.0)] |= NO_VGPRS;
    }
    if simm & 15 == GS_ALLOC_REQ {
        ctx.exports.allocate(m0);
    }
    // Before gfx11 this number is another message.
    if ctx.target.has(Feature::DeallocVgprs) && simm & 0xff == HS_TESSFACTOR {
        ctx.exports.tell_levels(m0);
    }
}

/// See `Helpers::sendmsg_rtn`. 0x83 is REALTIME; there is no doorbell and no trap handler, so the others read 0.
///
/// # Safety
/// `state` is a complete wave with its context.
pub(crate) unsafe extern "C" fn sendmsg_rtn(state: *mut WaveState, msg: u32) -> u64 {
    // SAFETY: passed on.
    let ctx = unsafe { context(&*state) };
    if msg & 0xff == 0x83 { clock(ctx, true) } else { 0 }
}

/// See `Helpers::time`.
///
/// # Safety
/// `state` is a complete wave with its context.
pub(crate) unsafe extern "C" fn time(state: *mut WaveState, realtime: u32) -> u64 {
    // SAFETY: passed on.
    clock(unsafe { context(&*state) }, realtime != 0)
}

/// STATUS with its live bits: SCC, EXECZ (9), VCCZ (10).
fn status(state: &WaveState, ctx: &WaveContext) -> u32 {
    let pair = |r: SReg| {
        let [low, high] = [0, 1].map(|i| u64::from(state.sregs[usize::from(r.0) + i]));
        if state.wave_size == 32 { low } else { low | high << 32 }
    };
    let scc = if ctx.target.has(Feature::Wave64InStatus) { 0 } else { state.sregs[usize::from(SReg::SCC.0)] & 1 };
    let live = scc | u32::from(pair(SReg::EXEC_LO) == 0) << 9 | u32::from(pair(SReg::VCC_LO) == 0) << 10;
    state.sregs[usize::from(SReg::STATUS.0)] & !0x601 | live
}

/// HW_ID up to gfx9: WAVE_ID\[3:0\], SIMD_ID\[5:4\], TG_ID\[19:16\].
fn hw_id(ctx: &WaveContext) -> u32 {
    (ctx.wave / 4) & 15 | (ctx.wave & 3) << 4 | ((ctx.group.load(Ordering::Relaxed) & 15) as u32) << 16
}

/// HW_ID1 from gfx10: WAVE_ID\[4:0\], SIMD_ID\[9:8\].
fn hw_id1(ctx: &WaveContext) -> u32 {
    (ctx.wave / 4) & 31 | (ctx.wave & 3) << 8
}

/// LDS_ALLOC: LDS_SIZE\[20:12\] in granules of 512 bytes (gfx6: 256).
fn lds_alloc(state: &WaveState, ctx: &WaveContext) -> u32 {
    (state.lds_bytes.div_ceil(ctx.target.sizes().lds_granule) & 0x1ff) << 12
}

/// Nanoseconds of an arbitrary start, as cycles (1 GHz) or 100 MHz ticks; the injected clock moves one tick a reading.
fn clock(ctx: &WaveContext, realtime: bool) -> u64 {
    // SAFETY: null or a clock that outlives the dispatch.
    if let Some(clock) = unsafe { ctx.clock.as_ref() } {
        return clock.fetch_add(1, Ordering::Relaxed);
    }
    if realtime { realtime_ticks() } else { host_ns() }
}

/// What waves read as the time in real-time clocks: ticks of 10 ns since an arbitrary start (TIME-02). For command processors, whose timestamps
/// are of the same clock.
pub fn realtime_ticks() -> u64 {
    host_ns() / 10
}

fn host_ns() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_isa::Gfx;

    #[test]
    fn status_has_live_zero_bits() {
        let mut state = crate::memory::context::blank_state();
        let mut ctx = WaveContext::new(Gfx::GFX1100);
        state.ctx = (&raw mut *ctx).cast();
        state.sregs[106] = 1;
        // SAFETY: `ctx` is there.
        let status = unsafe { getreg(&mut *state, 2) };
        assert_eq!(status & 0x600, 0x200);
    }

    /// What a wave of a processor reads of a register.
    fn read(target: u16, id: u32, setup: impl Fn(&mut WaveState, &mut WaveContext)) -> u32 {
        let mut state = crate::memory::context::blank_state();
        let mut ctx = WaveContext::new(Gfx(target));
        setup(&mut state, &mut ctx);
        state.ctx = (&raw mut *ctx).cast();
        // SAFETY: `ctx` is there.
        unsafe { getreg(&mut *state, id) }
    }

    #[test]
    fn shader_cycles_wraps_at_20_bits() {
        // TIME-01: id 29 from gfx10.3; two registers of 32 bits on gfx12
        let tick = std::sync::atomic::AtomicU64::new(0x5_ffff_ffff);
        let at = |target, id, ticks| {
            tick.store(ticks, Ordering::Relaxed);
            read(target, id, |_, ctx| ctx.clock = &tick)
        };
        assert_eq!([at(0x1100, 29, 0xf_ffff), at(0x1100, 29, 0x10_0000), at(0x1030, 29, 0x7_0000_0005)], [0xf_ffff, 0, 5]);
        assert_eq!([at(0x1200, 29, 0x5_0010_0000), at(0x1200, 30, 0x5_0010_0000)], [0x10_0000, 5]);
        assert_eq!([at(0x1010, 29, 7), at(0x900, 29, 7), at(0x1100, 30, 7)], [0; 3]);
    }

    #[test]
    fn trap_status_can_be_written_and_trap_addresses_cannot() {
        // TRAP-04: id 3 up to gfx11; TRAP-05: ids 16 to 19 on gfx9 and gfx10, where nobody has set a trap handler
        for target in [0x600, 0x900, 0x1030, 0x1100] {
            let written = |id: u32| {
                read(target, id, |state, _| {
                    let mut ctx = WaveContext::new(Gfx(target));
                    state.ctx = (&raw mut *ctx).cast();
                    // SAFETY: `ctx` is there.
                    unsafe { setreg(state, id, 0x1234_5678) }
                })
            };
            assert_eq!(written(3), 0x1234_5678, "gfx{target:x}");
            (16..20).for_each(|id| assert_eq!(written(id), 0, "gfx{target:x}, {id}"));
        }
        assert_eq!(read(0x1200, 3, |state, _| state.sregs[usize::from(SReg::TRAPSTS.0)] = 5), 0);
    }

    #[test]
    fn a_wave_without_registers_says_so() {
        // STATE-29: message 3 from gfx11 on
        for (target, simm, want) in [(0x1100, 3, 1), (0x1100, 1, 0), (0x1200, 3, 1), (0x1030, 3, 0)] {
            let status = read(target, 2, |state, _| {
                let mut ctx = WaveContext::new(Gfx(target));
                state.ctx = (&raw mut *ctx).cast();
                // SAFETY: `ctx` is there.
                unsafe { sendmsg(state, simm, 0) }
            });
            assert_eq!(status >> 24 & 1, want, "gfx{target:x}, message {simm}");
        }
    }

    #[test]
    fn an_injected_clock_ticks_by_reading() {
        let tick = std::sync::atomic::AtomicU64::new(5);
        let mut state = crate::memory::context::blank_state();
        let mut ctx = WaveContext::new(Gfx::GFX1100);
        ctx.clock = &tick;
        state.ctx = (&raw mut *ctx).cast();
        // SAFETY: `ctx` is there.
        let read = unsafe { [time(&mut *state, 0), time(&mut *state, 1), sendmsg_rtn(&mut *state, 0x83)] };
        assert_eq!(read, [5, 6, 7]);
    }
}
