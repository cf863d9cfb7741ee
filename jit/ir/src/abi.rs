//! The one boundary between compiled waves and the run time: [`WaveState`], [`Helpers`], [`MemOp`] and the exit codes.
//!
//! Compiled code and the interpreter assume nothing else. All structs are `repr(C)`; the tests below pin their layout.
//!
//! A wave is entered with an [`EntryFn`]. It comes back at every suspension with its
//! registers in the state and `resume` set; entering it again goes on from there. One that ends, or comes to a barrier, may go on with the
//! next of a [`WaveQueue`] instead of coming back. Rows: `rows[row][lane]: u32`, 64-byte aligned, lane 0
//! lowest, `wave_size` lanes a row. Rows 0..256 are VGPRs, 256..512 AGPRs, from [`TEMP_ROW`] on temporaries of compiled code.

use crate::SReg;
use crate::site::{SITE_ROWS, Site};
use serde::{Deserialize, Serialize};
use std::ffi::c_void;
use std::ptr::null;

/// A compiled wave function: takes the wave, returns an [`Exit`] as a number. With a queue, whose `next` is that wave, it may have run more of
/// its waves when it returns: the exit is that of the one that is `next` then. Without one (null) it runs the wave alone.
pub type EntryFn = unsafe extern "C" fn(*mut WaveState, *mut WaveQueue) -> u32;

/// Waves of one workgroup that run one after the other, each from its resume point to its next exit, as long as all of them end or come to a
/// barrier; if all have come to one, again; and then of workgroups like it. The exits of those that are done are in their states; those of workgroups that have ended are lost.
#[repr(C)]
#[derive(Debug)]
pub struct WaveQueue {
    /// The wave that runs, among those that are to run.
    pub next: *const *mut WaveState,
    /// Where they end.
    pub end: *const *mut WaveState,
    /// How many of those that are done came to a barrier.
    pub barriers: u64,
    /// The first one: where all go on that are at a barrier, which lets them pass if they are all that wait for each other there.
    pub first: *const *mut WaveState,
    /// How many that are; more than there can be, if these waves are not all of them.
    pub waves: u64,
    /// How many more turns they may have so.
    pub turns: u64,
    /// What comes when all have ended.
    pub groups: AlikeGroups,
}

/// Workgroups that are run by the waves of one that has ended, if compiled code can: they differ from it in the x of their ids, which counts up. For
/// each, every wave is given its fuel and the x; what else it has at its start it must still have. Code with barriers leaves them alone.
#[repr(C)]
#[derive(Debug)]
pub struct AlikeGroups {
    /// How many are left.
    pub left: u64,
    /// The first wave of a workgroup.
    pub first: *const *mut WaveState,
    /// Of the one that runs.
    pub x: u32,
    /// Where waves have it: offsets in [`WaveState`].
    pub x_at: [u32; 2],
    /// Of each wave at its start.
    pub fuel: i64,
    /// What is left of the fuel of all waves that have ended, those of the workgroup that runs aside.
    pub fuel_left: i64,
    /// No other is begun where one of these is not 0.
    pub stop: [*const u32; 2],
}

impl AlikeGroups {
    /// None.
    pub const NONE: AlikeGroups = AlikeGroups { left: 0, first: null(), x: 0, x_at: [0; 2], fuel: 0, fuel_left: 0, stop: [null(); 2] };
}

/// First row that is neither a VGPR nor an AGPR. Not 512, so that temporaries do not lie a multiple of 4 KiB behind the low VGPRs, in the
/// same sets of the host's first-level cache.
pub const TEMP_ROW: u16 = 532;
/// "No row" in a [`MemOp`].
pub const NO_ROW: u16 = 0xffff;
/// Number of 64-bit transfer slots.
pub const SLOTS: usize = 128;

/// Everything a wave is, between two entries. The run time owns it, one per wave, reused from workgroup to workgroup.
#[repr(C, align(64))]
pub struct WaveState {
    /// Row file (see the module header).
    pub rows: *mut u32,
    /// What compiled code may call.
    pub helpers: *const Helpers,
    /// Where to go on: 0 = entry, else a resume point of the function.
    pub resume: u32,
    /// Lanes of a wave: 32 or 64.
    pub wave_size: u32,
    /// Guest instructions the wave may still start before it must come back with [`Exit::Fuel`]; counts down.
    pub fuel: i64,
    /// LDS of the workgroup (host address), and its bytes.
    pub lds: *mut u8,
    /// See `lds`.
    pub lds_bytes: u32,
    /// Bytes of scratch per lane.
    pub scratch_bytes: u32,
    /// Scratch of the wave (host address): `dword[index][lane]`, so that equal offsets of all lanes are one row.
    pub scratch: *mut u8,
    /// Global address space: host = `mem_base` + guest address (wrapping).
    pub mem_base: u64,
    /// Lowest guest address and number of bytes above it that may be touched; `mem_size` = u64::MAX: no test.
    pub mem_low: u64,
    /// See `mem_low`.
    pub mem_size: u64,
    /// The run time's own data for this wave.
    pub ctx: *mut c_void,
    /// Guest address where the code runs less the one it was lifted at. Guest addresses in code, maps and [`MemOp`]s are as lifted.
    pub code_delta: u64,
    /// With [`Exit::NewPc`] and [`Exit::NewMode`]: guest address to go on at. With [`Exit::Fail`], [`Exit::Trap`]: index or id; with the latter
    /// `fault_pc` is that of the s_trap.
    pub exit_arg: u64,
    /// With [`Exit::NewPc`]: guest address of the jump, or 0 for an edge whose fuel has been looked at (see [`crate::resume`]).
    pub exit_pc: u64,
    /// With [`Exit::NewMode`]: the new MODE. With [`Exit::NewPc`]: the float mode, as [`crate::FpMode`] has it.
    pub exit_mode: u32,
    /// With [`Exit::Fault`]: what was wrong ([`FaultKind`] as a number).
    pub fault_kind: u32,
    /// Guest address that was touched.
    pub fault_addr: u64,
    /// Guest pc of the instruction, as lifted.
    pub fault_pc: u64,
    /// Lanes that were active.
    pub fault_exec: u64,
    /// First lane at fault.
    pub fault_lane: u32,
    /// How the wave came back last: an [`Exit`] as a number. The run time's; compiled code returns it.
    pub exit: u32,
    /// Scalar registers, by [`SReg`].
    pub sregs: [u32; SReg::COUNT],
    /// Scalars, masks and wide scalar results between compiled pieces and helpers.
    pub slots: [u64; SLOTS],
    /// Where counting probes of the code that runs count: one [`Counter`] for each of their numbers, which no other thread touches
    /// meanwhile. Code without such probes does not look at it.
    pub counters: *mut Counter,
    /// Guest addresses that are less than so far above `mem_low` have 4 GiB and a few KiB behind them that may be touched: see [`reach`].
    pub mem_reach: u64,
}

/// What `mem_reach` is for a `mem_size`: one test with it does for offsets of 32 bits and elements of all lanes. Where everything may be touched it
/// is what user space can have, so that the apertures of LDS and scratch are beyond it.
pub fn reach(mem_size: u64) -> u64 {
    const SPAN: u64 = (1 << 32) + (1 << 12);
    if mem_size == u64::MAX { 1 << 47 } else { mem_size.saturating_sub(SPAN) }
}

/// What a counting probe counts ([`crate::ProbeKind::Count`]).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counter {
    /// Times a wave came to it.
    pub executions: u64,
    /// Lanes that were active then, all times together.
    pub active_lanes: u64,
}

/// How a wave came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Exit {
    /// s_endpgm.
    End = 0,
    /// s_barrier; resume after it.
    Barrier = 1,
    /// s_sleep and the like.
    Yield = 2,
    /// Fuel ran out at an edge that goes back; resume after a refill.
    Fuel = 3,
    /// Go on at guest address `exit_arg`, with `resume` = 0 of the function found there.
    NewPc = 4,
    /// A bad memory access; `fault_*` say which.
    Fault = 5,
    /// s_trap `exit_arg`.
    Trap = 6,
    /// `Func::failures[exit_arg]`.
    Fail = 7,
    /// As `NewPc`, with float mode `exit_mode`.
    NewMode = 8,
}

impl Exit {
    /// Exits up to this one are those of waves that only run.
    pub const LAST_REGULAR: u32 = Exit::Barrier as u32;

    /// The exit of a number returned by compiled code.
    pub fn from_u32(n: u32) -> Option<Exit> {
        use Exit::*;
        [End, Barrier, Yield, Fuel, NewPc, Fault, Trap, Fail, NewMode].get(n as usize).copied()
    }
}

/// What a wave asks of global wave sync.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum GwsOp {
    /// Sets the counter.
    Init = 0,
    /// Lets one more wave pass the semaphore.
    SemaV = 1,
    /// Lets so many more waves pass.
    SemaBr = 2,
    /// Lets all that wait pass.
    ReleaseAll = 3,
    /// Waits at the semaphore.
    SemaP = 4,
    /// Waits at the barrier; the value is how many waves come to the next one before it opens.
    Barrier = 5,
}

impl GwsOp {
    /// The operation with a number.
    pub fn from_u32(n: u32) -> Option<GwsOp> {
        use GwsOp::*;
        [Init, SemaV, SemaBr, ReleaseAll, SemaP, Barrier].get(n as usize).copied()
    }
}

/// Why an access was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum FaultKind {
    /// Outside the address space, or not mapped.
    Unmapped = 1,
    /// An atomic that is not naturally aligned.
    Misaligned = 2,
    /// Needs something this run time lacks (GDS, for instance); see the message of the run time.
    Unsupported = 3,
    /// Outside the scratch allocation.
    Scratch = 4,
    /// Refused by the texture crate; the run time has its message.
    Refused = 5,
}

/// A memory instruction as compiled code hands it to a helper: static, one per instruction. `base`, the scalar part of the address, and
/// EXEC come as arguments; lane operands are rows.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MemOp {
    /// Guest pc.
    pub pc: u64,
    /// Byte offset from the instruction.
    pub imm: i64,
    /// Rows of the lane offset, low and high dword; `NO_ROW` in `[1]`: zero-extended; in both: no lane offset.
    pub offset: [u16; 2],
    /// Rows of store and atomic data: operand dwords, then comparand dwords.
    pub data: [u16; 4],
    /// Rows of results; only the lanes of EXEC are written.
    pub dst: [u16; 4],
    /// `ir::Space` as a number.
    pub space: u8,
    /// `ir::MemKind` as a number (loads, stores). Guest instructions of a round (`exchange_sum`).
    pub kind: u8,
    /// `ir::AtomicOp` as a number (atomics).
    pub atomic: u8,
    /// [`MemOp::WIDE`] and the like. The other bits are 0.
    pub flags: u8,
}

impl MemOp {
    /// A flag: the atomic has 64 bits.
    pub const WIDE: u8 = 1;
    /// The atomic returns the old value.
    pub const RETURNS: u8 = 2;
    /// The comparand comes first in the sum (`exchange_sum`).
    pub const COMPARAND_FIRST: u8 = 4;

    /// The flags of an atomic.
    pub fn flags_of_atomic(wide: bool, returns: bool) -> u8 {
        (u8::from(wide) * Self::WIDE) | (u8::from(returns) * Self::RETURNS)
    }

    /// The flags of an `exchange_sum`.
    pub fn flags_of_sum(wide: bool, comparand_first: bool) -> u8 {
        (u8::from(wide) * Self::WIDE) | (u8::from(comparand_first) * Self::COMPARAND_FIRST)
    }
}

/// Runs a memory instruction. Returns 0, or 1 after filling in `fault_*`.
pub type MemFn = unsafe extern "C" fn(state: *mut WaveState, op: *const MemOp, exec: u64, base: u64) -> u32;

/// A buffer, image or ray instruction as compiled code hands it to the helper: static, one per instruction. Scalar operands are in the low
/// halves of `slots`, as the site orders them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ResourceCall {
    /// Guest pc.
    pub pc: u64,
    /// The instruction.
    pub site: *const Site,
    /// Rows of addresses, data and results, as many as the site says, in this order. Results are none of the others' rows; only their
    /// lanes of EXEC are written.
    pub rows: [u16; SITE_ROWS],
}

/// Runs a buffer, image or ray instruction. Returns 0, or 1 after filling in `fault_*`.
pub type ResourceFn = unsafe extern "C" fn(state: *mut WaveState, call: *const ResourceCall, exec: u64) -> u32;

/// Most scalar operands of a probe, and most rows of its lane operands.
pub const PROBE_ARGS: usize = 16;

/// A probe as compiled code hands it to the helper: static, one per probe. Scalar operands and masks are in `slots`, in order.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProbeCall {
    /// Guest pc of the instruction it was put before or behind.
    pub pc: u64,
    /// Its number.
    pub id: u32,
    /// Scalar operands and masks.
    pub scalars: u32,
    /// Rows of lane operands, in order: one for each of 32 bits, low and high one for each of 64; then `NO_ROW`. Lanes outside EXEC hold anything.
    pub rows: [u16; PROBE_ARGS],
}

/// Looks at a wave. Returns 0, or 1 after filling in `fault_*`: the wave stops there. It changes nothing else of the state.
pub type ProbeFn = unsafe extern "C" fn(state: *mut WaveState, call: *const ProbeCall, exec: u64) -> u32;

/// What compiled code may call. Every function gets the wave's state first.
#[repr(C)]
pub struct Helpers {
    /// Loads of every space.
    pub load: MemFn,
    /// Stores.
    pub store: MemFn,
    /// Atomics.
    pub atomic: MemFn,
    /// `Op::ExchangeSum`; `left` is in `slots[0]`. It may change the fuel.
    pub exchange_sum: MemFn,
    /// Scalar load of `dwords` at guest address `addr` (low two bits ignored) into the low halves of `slots[0..dwords]`. 0, or 1 on a fault.
    pub sload: unsafe extern "C" fn(state: *mut WaveState, addr: u64, dwords: u32, pc: u64) -> u32,
    /// Scalar buffer load: the V# is in the low halves of `slots[0..4]`, results as `sload`.
    pub sbuffer_load: unsafe extern "C" fn(state: *mut WaveState, offset: u64, dwords: u32, pc: u64) -> u32,
    /// Reads hwreg `id`.
    pub getreg: unsafe extern "C" fn(state: *mut WaveState, id: u32) -> u32,
    /// Writes hwreg `id`.
    pub setreg: unsafe extern "C" fn(state: *mut WaveState, id: u32, value: u32),
    /// s_sendmsg.
    pub sendmsg: unsafe extern "C" fn(state: *mut WaveState, simm: u32, m0: u32),
    /// s_sendmsg_rtn.
    pub sendmsg_rtn: unsafe extern "C" fn(state: *mut WaveState, msg: u32) -> u64,
    /// Counters: 1 = realtime (100 MHz), 0 = cycles.
    pub time: unsafe extern "C" fn(state: *mut WaveState, realtime: u32) -> u64,
    /// Buffer, image and ray instructions.
    pub resource: ResourceFn,
    /// Global wave sync: `op` is a [`GwsOp`] as a number. A wave that has to wait is kept after its next [`Exit::Yield`].
    pub gws: unsafe extern "C" fn(state: *mut WaveState, op: u32, resource: u32, value: u32),
    /// Probes that call ([`crate::ProbeKind::Call`]).
    pub probe: ProbeFn,
    /// Exports: [`ProbeCall::id`] is an [`ExportKind`]. Always 0. Data of lanes outside EXEC hold anything.
    pub export: ProbeFn,
}

/// What an export is: [`crate::Op::Export`], and the number of the [`ProbeCall`] that hands it over. One scalar, M0, comes first if
/// [`ExportKind::has_row`]; then the lane operands: one for each component that is enabled, of [compressed](ExportKind::is_compressed) ones one
/// for each pair.
///
/// ```text
/// [7:0] target   [11:8] enabled components   [12] done   [13] M0 names a row   [14] compressed   [15] the mask of valid pixels is final
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportKind(pub u32);

impl ExportKind {
    /// It is the last of its kind.
    pub const DONE: u32 = 1 << 12;
    /// M0 names a row of the target.
    pub const ROW: u32 = 1 << 13;
    /// Two halves in a dword (until gfx10).
    pub const COMPRESSED: u32 = 1 << 14;
    /// EXEC is the final mask of valid pixels (until gfx10).
    pub const VALID_MASK: u32 = 1 << 15;

    /// An export to a target of some components; `flags` of this type.
    pub fn new(target: u8, enabled: u8, flags: u32) -> ExportKind {
        ExportKind(u32::from(target) | u32::from(enabled & 15) << 8 | flags)
    }

    /// Where it goes (RDNA3 ISA, EXP, target).
    pub fn target(self) -> u8 {
        self.0 as u8
    }

    /// Components that it has: one bit each.
    pub fn enabled(self) -> u8 {
        (self.0 >> 8) as u8 & 15
    }

    /// See [`ExportKind::DONE`].
    pub fn is_done(self) -> bool {
        self.0 & ExportKind::DONE != 0
    }

    /// See [`ExportKind::ROW`].
    pub fn has_row(self) -> bool {
        self.0 & ExportKind::ROW != 0
    }

    /// See [`ExportKind::COMPRESSED`].
    pub fn is_compressed(self) -> bool {
        self.0 & ExportKind::COMPRESSED != 0
    }

    /// Which dwords of the four it has: one bit each.
    pub fn dwords(self) -> u8 {
        let enabled = self.enabled();
        let pair = |i: u8| u8::from(enabled >> (2 * i) & 3 != 0) << i;
        if self.is_compressed() { pair(0) | pair(1) } else { enabled }
    }
}

/// Low word of a 64-bit flat address that names LDS: bits 63:32 of the aperture.
pub const SHARED_APERTURE_HI: u32 = 0x0001_0000;
/// The same for scratch ("private") memory.
pub const PRIVATE_APERTURE_HI: u32 = 0x0002_0000;

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layout_is_what_compiled_code_assumes() {
        assert_eq!(offset_of!(WaveState, rows), 0);
        assert_eq!(offset_of!(WaveState, helpers), 8);
        assert_eq!(offset_of!(WaveState, resume), 16);
        assert_eq!(offset_of!(WaveState, fuel), 24);
        assert_eq!(offset_of!(WaveState, sregs), 152);
        assert_eq!(offset_of!(WaveState, slots), 152 + 4 * SReg::COUNT);
        assert_eq!(size_of::<MemOp>(), 40);
        assert_eq!(size_of::<ResourceCall>(), 16 + 2 * SITE_ROWS);
        assert_eq!(size_of::<ProbeCall>(), 16 + 2 * PROBE_ARGS);
        assert_eq!((size_of::<Counter>(), offset_of!(Counter, active_lanes)), (16, 8));
        assert_eq!(size_of::<Helpers>(), 15 * size_of::<usize>());
    }
}
