//! What is lifted, and how much of it at a time.

use wavejit_ir::FpMode;
use wavejit_isa::Gfx;

/// VGPRs that an instruction can name.
pub const ALL_VGPRS: u32 = 256;

/// Code to lift.
pub struct LiftSource<'a> {
    /// Kernel name, for messages.
    pub name: &'a str,
    /// Guest address of the first instruction.
    pub entry: u64,
    /// Processor.
    pub target: Gfx,
    /// 32 or 64.
    pub wave_size: u32,
    /// Float mode at the entry.
    pub mode: FpMode,
    /// VGPRs a wave has: those beyond are out of range (STATE-28 to STATE-33). At most [`ALL_VGPRS`].
    pub vgprs: u32,
    /// The dword of code at a guest address.
    pub read: &'a dyn Fn(u64) -> Option<u32>,
}

/// How large a function may become. What is beyond is another one, which the run time enters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Guest instructions.
    pub insts: u32,
    /// Blocks, without those that leave.
    pub blocks: u32,
    /// Values: instructions that move many registers count for as much as they take to compile. A function of few instructions may have more.
    pub values: u32,
}

impl Limits {
    /// For code that will be compiled: more than ordinary kernels have.
    pub const WHOLE: Limits = Limits { insts: 4096, blocks: 512, values: 1 << 15 };
    /// For a kernel's code that is interpreted first: all of an ordinary kernel.
    pub const FIRST: Limits = Limits { insts: 2048, blocks: 256, values: 1 << 14 };
    /// For code that may run only once.
    pub const COLD: Limits = Limits { insts: 128, blocks: 16, values: 1 << 13 };
    /// Functions of so few instructions may have any number of values.
    pub(super) const FEW: u32 = 32;
}

/// How code is to be lifted.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// How much.
    pub limits: Limits,
    /// With probes that count executions and active lanes of every instruction ([`Lifted::counted`](super::Lifted::counted)).
    pub counted: bool,
    /// Does another function begin at an address, in a float mode? This one ends there, unless it has hardly begun.
    pub ends: &'a dyn Fn(u64, FpMode) -> bool,
    /// Is code at an address that control goes to, in a float mode, to be in the function? It leaves for what is not. The entry always is.
    pub reaches: &'a dyn Fn(u64, FpMode) -> bool,
}

impl Plan<'_> {
    /// As much as the limits allow.
    pub fn new(limits: Limits) -> Plan<'static> {
        Plan { limits, counted: false, ends: &|_, _| false, reaches: &|_, _| true }
    }
}

/// Translation was called off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;
