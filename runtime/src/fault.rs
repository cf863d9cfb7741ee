//! What ends a dispatch while it runs, with its parts: [`Fault`], an instruction of a wave that cannot be done, and [`Limit`], an end that the
//! launch or the device asked for. Both say where ([`Place`]); their `Display` is the message for people.

use crate::code_object::hidden_use::{MissingArg, names};
use std::fmt;
use wavejit_isa::Gfx;

/// An address below this is likely a null pointer and a field of what it points to.
const NEAR_NULL: u64 = 64 << 10;

/// An instruction of a wave. Displayed as
/// ``kernel `k`+0x1c (pc 0x100001c: `global_load_b32 v1, v0, s[2:3]`), workgroup (1, 0, 0), wave 3``.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Kernel, or what the launch calls its code.
    pub kernel: String,
    /// Guest address of the kernel's first instruction.
    pub entry: u64,
    /// Guest address of the instruction.
    pub pc: u64,
    /// Its text; `None` where there is no instruction of the processor.
    pub inst: Option<String>,
    /// Workgroup id.
    pub workgroup: [u32; 3],
    /// Number of the wave in its workgroup.
    pub wave: usize,
}

/// An instruction that a wave could not do, which ended its dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Which instruction, of which wave.
    pub at: Place,
    /// Lanes that made the access, lane 0 lowest; 0 where lanes had no part in it.
    pub lanes: u64,
    /// The first lane that could not do it; `None` where lanes had no part in it.
    pub lane: Option<u32>,
    /// What it did to memory, if it accesses memory.
    pub access: Option<Access>,
    /// Guest address that was accessed or jumped to, byte offset into scratch ([`Cause::OutOfScratch`]); `None` where there is none.
    pub address: Option<u64>,
    /// What was wrong.
    pub cause: Cause,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Reads, writes, or both.
    pub kind: AccessKind,
    /// Bytes of a lane, or of the wave for scalar loads; 0: as many as descriptor and coordinates say.
    pub bytes: u32,
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes at once.
    Atomic,
}

/// Why an instruction could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Nothing is mapped at the address. `missing` has hidden arguments that the kernel may use and that are 0 because nobody provides them.
    Unmapped {
        /// See above; of no weight where the address is not near 0.
        missing: Vec<MissingArg>,
    },
    /// An atomic at an address that is not aligned.
    Misaligned,
    /// An offset beyond the scratch of a work-item.
    OutOfScratch {
        /// Bytes of scratch that a work-item has.
        lane_bytes: u32,
    },
    /// A jump to where no code is.
    NoCode {
        /// Guest addresses of the code, if the jump left them.
        code: Option<(u64, u64)>,
    },
    /// The processor has no such instruction.
    NoInstruction {
        /// The processor.
        target: Gfx,
        /// The dwords, or what is wrong with them.
        text: String,
    },
    /// An instruction without semantics here, named by this text.
    NotImplemented(String),
    /// What the instruction was to do with its operands or descriptors is not supported, for this reason.
    Refused(String),
    /// s_trap of this number. Nobody has set a trap handler: the run time takes its place, and ends the dispatch.
    Trap(u64),
}

/// An end that the launch or the device asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Another thread has canceled it.
    Canceled {
        /// Kernel.
        kernel: String,
    },
    /// A hook wanted no more.
    Stopped(Place),
    /// A wave has used up the instruction budget.
    Budget {
        /// The budget of a wave.
        max_insts: u64,
        /// Where the wave is.
        at: Place,
        /// Other waves of its workgroup that have not ended.
        others: Vec<OtherWave>,
    },
    /// All waves that have begun wait for each other, or for nobody.
    Deadlock(Box<Deadlock>),
    /// Scratch of one workgroup is more than the device has for a dispatch.
    Scratch {
        /// Kernel.
        kernel: String,
        /// Waves of a workgroup.
        waves: u32,
        /// Bytes that a workgroup needs.
        group_bytes: u64,
        /// Bytes that a work-item needs.
        lane_bytes: u32,
        /// Bytes that there are.
        limit_bytes: u64,
    },
}

/// Waves that wait for memory that none of them writes ([`LaunchConfig::on_deadlock`](crate::LaunchConfig::on_deadlock)).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// Workgroups that have begun, all of which wait.
    pub workgroups: usize,
    /// Where some of their waves go on, and what they do.
    pub places: Vec<(Place, Doing)>,
}

/// A wave of the same workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherWave {
    /// Its number.
    pub wave: usize,
    /// Guest address where it goes on.
    pub pc: u64,
    /// What it does.
    pub doing: Doing,
}

/// What a wave does that has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It runs.
    Runs,
    /// It waits at a barrier.
    Barrier,
    /// It waits in global wave sync.
    GlobalWaveSync,
}

impl Doing {
    fn text(self) -> &'static str {
        match self {
            Doing::Runs => "runs",
            Doing::Barrier => "waits at a barrier, goes on",
            Doing::GlobalWaveSync => "waits in global wave sync, goes on",
        }
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Deadlock { workgroups, places } = self;
        let s = if *workgroups == 1 { "" } else { "s" };
        write!(f, "deadlock: in {workgroups} workgroup{s} that began and did not end, no wave writes what it or another waits for")?;
        for (place, doing) in places {
            write!(f, "; {place} {}", if *doing == Doing::Runs { "polls" } else { doing.text() })?;
        }
        Ok(())
    }
}

impl Fault {
    /// Is it an access or a jump to memory that is not there?
    pub fn is_memory(&self) -> bool {
        matches!(self.cause, Cause::Unmapped { .. } | Cause::Misaligned | Cause::OutOfScratch { .. } | Cause::NoCode { .. })
    }
}

/// `+0x1c` or `-0x4`: how far a pc is from the entry.
struct Offset(u64, u64);

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Offset(pc, entry) = *self;
        if pc >= entry { write!(f, "+{:#x}", pc - entry) } else { write!(f, "-{:#x}", entry - pc) }
    }
}

impl Place {
    fn write(&self, f: &mut fmt::Formatter<'_>, inst: Option<&str>) -> fmt::Result {
        let Place { kernel, pc, workgroup: [x, y, z], wave, .. } = self;
        write!(f, "kernel `{kernel}`{} (pc {pc:#x}", Offset(*pc, self.entry))?;
        if let Some(text) = inst {
            write!(f, ": `{text}`")?;
        }
        write!(f, "), workgroup ({x}, {y}, {z}), wave {wave}")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, self.inst.as_deref())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { at, cause, .. } = self;
        match cause {
            Cause::Trap(id) => return write!(f, "s_trap {id} in {at}"),
            Cause::NoInstruction { target, text } => {
                at.write(f, None)?;
                return write!(f, ": no such instruction on {target}: {text}");
            }
            Cause::NotImplemented(text) => {
                at.write(f, None)?;
                return write!(f, ": {text}");
            }
            Cause::NoCode { code } => {
                let Place { kernel, pc, workgroup: [x, y, z], wave, .. } = at;
                write!(f, "kernel `{kernel}`, workgroup ({x}, {y}, {z}), wave {wave}: jump to {pc:#x}: ")?;
                return match code {
                    Some(code) => no_code(f, kernel, *pc, *code),
                    None => f.write_str("there is no code"),
                };
            }
            Cause::Refused(_) => {}
            Cause::Unmapped { .. } | Cause::Misaligned | Cause::OutOfScratch { .. } => f.write_str("memory fault: ")?,
        }
        write!(f, "{at}")?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        let address = self.address.unwrap_or(0);
        match cause {
            Cause::Refused(why) => write!(f, ": {why}"),
            Cause::Misaligned => write!(f, ": atomic at address {address:#x}, which is not aligned"),
            Cause::OutOfScratch { lane_bytes } => {
                write!(f, ": scratch offset {address:#x} is outside the {lane_bytes} bytes of a work-item")
            }
            Cause::Unmapped { missing } if address < NEAR_NULL && !missing.is_empty() => {
                write!(f, ": address {address:#x} is not mapped; hidden arguments of the kernel are 0, for nobody provides them: ")?;
                f.write_str(&names(missing.iter()))
            }
            _ => write!(f, ": address {address:#x} is not mapped"),
        }
    }
}

/// What follows "jump to" and what a launch says of an entry that is not there.
pub(crate) fn no_code(f: &mut fmt::Formatter<'_>, kernel: &str, address: u64, (low, high): (u64, u64)) -> fmt::Result {
    write!(f, "kernel `{kernel}`: no code at {address:#x}: its code lies in {low:#x}..{high:#x}")
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Canceled { kernel } => write!(f, "kernel `{kernel}`: the dispatch was canceled"),
            Limit::Stopped(at) => write!(f, "stopped by the hook: {at}"),
            Limit::Budget { max_insts, at, others } => {
                write!(f, "instruction budget of {max_insts} used up: {at}")?;
                for OtherWave { wave, pc, doing } in others.iter().take(8) {
                    write!(f, "; wave {wave} {} at +{:#x}", doing.text(), pc.wrapping_sub(at.entry))?;
                }
                Ok(())
            }
            Limit::Deadlock(deadlock) => write!(f, "{deadlock}"),
            Limit::Scratch { kernel, waves, group_bytes, lane_bytes, limit_bytes } => write!(
                f,
                "kernel `{kernel}`: a workgroup of {waves} waves needs {group_bytes} bytes of scratch ({lane_bytes} a work-item); the device has \
                 {limit_bytes} for a dispatch (DeviceConfig::scratch_limit_bytes)"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_object::HiddenArg;

    fn place(pc: u64) -> Place {
        Place { kernel: "k".into(), entry: 0x100, pc, inst: Some("s_nop 0".into()), workgroup: [1, 2, 3], wave: 4 }
    }

    #[test]
    fn messages_say_where_what_and_which_lane() {
        let fault = |cause, lane, address| Fault { at: place(0x104), lanes: 1, lane, access: None, address, cause }.to_string();
        let at = "kernel `k`+0x4 (pc 0x104: `s_nop 0`), workgroup (1, 2, 3), wave 4";
        let bare = "kernel `k`+0x4 (pc 0x104), workgroup (1, 2, 3), wave 4";
        let missing = vec![MissingArg { which: HiddenArg::Heap, name: "hidden_heap_v1", purpose: "malloc or free", offset: 96 }];
        let nobody = "hidden arguments of the kernel are 0, for nobody provides them: hidden_heap_v1 (for malloc or free)";
        let unmapped = || Cause::Unmapped { missing: missing.clone() };
        let jump = "kernel `k`, workgroup (1, 2, 3), wave 4: jump to 0x104: ";
        for (text, want) in [
            (fault(unmapped(), Some(5), Some(1 << 20)), format!("memory fault: {at}, lane 5: address 0x100000 is not mapped")),
            (fault(unmapped(), None, Some(8)), format!("memory fault: {at}: address 0x8 is not mapped; {nobody}")),
            (
                fault(Cause::Misaligned, Some(0), Some(9)),
                format!("memory fault: {at}, lane 0: atomic at address 0x9, which is not aligned"),
            ),
            (
                fault(Cause::OutOfScratch { lane_bytes: 16 }, Some(1), Some(64)),
                format!("memory fault: {at}, lane 1: scratch offset 0x40 is outside the 16 bytes of a work-item"),
            ),
            (fault(Cause::Refused("no format 99".into()), Some(3), None), format!("{at}, lane 3: no format 99")),
            (fault(Cause::NotImplemented("`s_x` has no semantics".into()), None, None), format!("{bare}: `s_x` has no semantics")),
            (
                fault(Cause::NoInstruction { target: Gfx::GFX1100, text: "ffffffff".into() }, None, None),
                format!("{bare}: no such instruction on gfx1100: ffffffff"),
            ),
            (fault(Cause::Trap(3), None, None), format!("s_trap 3 in {at}")),
            (fault(Cause::NoCode { code: None }, None, None), format!("{jump}there is no code")),
            (
                fault(Cause::NoCode { code: Some((0x100, 0x180)) }, None, None),
                format!("{jump}kernel `k`: no code at 0x104: its code lies in 0x100..0x180"),
            ),
        ] {
            assert_eq!(text, want);
        }
        assert!(place(0xf0).to_string().starts_with("kernel `k`-0x10 (pc 0xf0: "));
    }

    #[test]
    fn a_used_up_budget_says_where_the_other_waves_are() {
        let other = |wave, doing| OtherWave { wave, pc: 0x100 + 4 * wave as u64, doing };
        let others = vec![other(0, Doing::Runs), other(1, Doing::Barrier), other(2, Doing::GlobalWaveSync)];
        let text = Limit::Budget { max_insts: 9, at: place(0x100), others }.to_string();
        let rest = text.strip_prefix(&format!("instruction budget of 9 used up: {}; ", place(0x100))).expect("begins with the place");
        assert_eq!(
            rest,
            "wave 0 runs at +0x0; wave 1 waits at a barrier, goes on at +0x4; wave 2 waits in global wave sync, goes on at +0x8"
        );
    }
}
