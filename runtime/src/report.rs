//! Errors of a running kernel: where it was (kernel, pc, workgroup, wave, lane), what it did, which instruction that is.

use crate::Error;
use crate::dispatch::Job;
use crate::hidden_use::names;
use crate::wave::WaveContext;
use crate::workgroup::Status;
use wavejit_ir::abi::{FaultKind, WaveState};
use wavejit_ir::{Failure, SReg};
use wavejit_isa::{self as isa, DisasmOptions, Family, Gfx};

/// An address below this is likely a null pointer and a field of what it points to.
const NEAR_NULL: u64 = 64 << 10;

/// `kernel `k`+0x1c (pc 0x100001c: `global_load_b32 v1, v0, s\[2:3\]`), workgroup (1, 0, 0), wave 3`
pub(crate) fn place(job: &Job, group: [u32; 3], wave: usize, pc: u64) -> String {
    let [x, y, z] = group;
    let offset = match pc.checked_sub(job.init.entry) {
        Some(n) => format!("+{n:#x}"),
        None => format!("-{:#x}", job.init.entry - pc),
    };
    let text = disassemble(job, pc).map(|t| format!(": `{t}`")).unwrap_or_default();
    format!("kernel `{}`{offset} (pc {pc:#x}{text}), workgroup ({x}, {y}, {z}), wave {wave}", job.name)
}

fn disassemble(job: &Job, pc: u64) -> Option<String> {
    let words: Vec<u32> = (0..5).map_while(|i| job.program.read(pc.wrapping_add(4 * i))).collect();
    let wave_size = job.init.wave_size;
    let inst = isa::decode(&words, job.init.target, wave_size).ok()?;
    Some(isa::disasm(&inst, job.init.target, &DisasmOptions { wave_size, true16: false, pc: Some(pc) }))
}

pub(crate) fn fault(job: &Job, group: [u32; 3], wave: usize, state: &WaveState) -> Error {
    let lane = match state.fault_lane {
        u32::MAX => String::new(),
        lane => format!(", lane {lane}"),
    };
    let at = format!("{}{lane}", place(job, group, wave, state.fault_pc.wrapping_add(state.code_delta)));
    let address = state.fault_addr;
    let unsupported = state.fault_kind == FaultKind::Unsupported as u32;
    if state.fault_kind == FaultKind::Refused as u32 {
        // SAFETY: waves of a dispatch have their context, and this one has stopped.
        let why = unsafe { state.ctx.cast::<WaveContext>().as_ref() }.and_then(|c| c.refusal.as_deref()).unwrap_or("refused");
        return Error::Unsupported(format!("{at}: {why}"));
    }
    let what = [FaultKind::Unmapped, FaultKind::Misaligned, FaultKind::Scratch].into_iter().find(|k| *k as u32 == state.fault_kind);
    let what = match what {
        Some(FaultKind::Misaligned) => format!("atomic at address {address:#x}, which is not aligned"),
        Some(FaultKind::Scratch) => {
            format!("scratch offset {address:#x} is outside the {} bytes of a work-item", job.scratch.lane_bytes())
        }
        _ if unsupported => return Error::Unsupported(format!("{at}: GDS is not supported")),
        _ if address < NEAR_NULL && !job.hidden.is_empty() => {
            let names = names(job.hidden.iter());
            format!("address {address:#x} is not mapped; hidden arguments of the kernel are 0, for nobody provides them: {names}")
        }
        _ => format!("address {address:#x} is not mapped"),
    };
    Error::Memory(format!("memory fault: {at}: {what}"))
}

/// What a trap handler finds in ttmp\[0:1\] (TRAP-01): the address of the s_trap itself (STATE-05) in the low 48 bits, and which trap.
fn trap_registers(target: Gfx, id: u64, pc: u64) -> u64 {
    let number = if target.family() == Family::Gfx12 { (id & 15) << 60 } else { (id & 0xff) << 48 };
    pc & 0xffff_ffff_ffff | number
}

/// Nobody has set a trap handler: the run time takes its place, and ends the dispatch.
pub(crate) fn trap(job: &Job, group: [u32; 3], wave: usize, state: &mut WaveState) -> Error {
    let id = state.exit_arg;
    let registers = trap_registers(job.init.target, id, state.fault_pc.wrapping_add(state.code_delta));
    let ttmp = usize::from(SReg::TTMP0.0);
    state.sregs[ttmp..ttmp + 2].copy_from_slice(&[registers as u32, (registers >> 32) as u32]);
    Error::Trap(format!("s_trap {id} in {}", place(job, group, wave, registers & 0xffff_ffff_ffff)))
}

/// `code_delta`: how far the code is from where it was lifted.
pub(crate) fn failure(job: &Job, group: [u32; 3], wave: usize, failure: Option<&Failure>, code_delta: u64) -> Error {
    let Some(failure) = failure else {
        return Error::Internal(format!("kernel `{}`: a failure without a description", job.name));
    };
    let pc = failure.pc.wrapping_add(code_delta);
    if failure.undecodable && job.program.read(pc).is_none() {
        let nothing = Error::Memory("there is no code".into());
        return bad_jump(job, group, wave, pc, nothing);
    }
    let [x, y, z] = group;
    let offset = pc.wrapping_sub(job.init.entry);
    let at = format!("kernel `{}`+{offset:#x} (pc {pc:#x}), workgroup ({x}, {y}, {z}), wave {wave}", job.name);
    if failure.undecodable {
        Error::Decode(format!("{at}: no such instruction on {}: {}", job.init.target, failure.text))
    } else {
        Error::Unsupported(format!("{at}: {}", failure.text))
    }
}

pub(crate) fn bad_jump(job: &Job, group: [u32; 3], wave: usize, pc: u64, e: Error) -> Error {
    let [x, y, z] = group;
    let at = format!("kernel `{}`, workgroup ({x}, {y}, {z}), wave {wave}: jump to {pc:#x}", job.name);
    match e {
        Error::Memory(m) => Error::Memory(format!("{at}: {m}")),
        Error::Internal(m) => Error::Internal(format!("{at}: {m}")),
        other => other,
    }
}

/// A hook wanted no more.
pub(crate) fn stopped(job: &Job, group: [u32; 3], wave: usize, pc: u64) -> Error {
    Error::Limit(format!("stopped by the hook: {}", place(job, group, wave, pc)))
}

/// The instruction budget is used up: names the wave, and where the others are.
pub(crate) fn budget(job: &Job, group: [u32; 3], wave: usize, live: &[(usize, Status, u64)]) -> Error {
    let pc = live.iter().find(|w| w.0 == wave).map_or(job.init.entry, |w| w.2);
    let mut text = format!("instruction budget of {} used up: {}", job.max_insts, place(job, group, wave, pc));
    for (i, status, pc) in live.iter().filter(|w| w.0 != wave).take(8) {
        let doing = match status {
            Status::Barrier => "waits at a barrier, goes on",
            Status::Gws => "waits in global wave sync, goes on",
            _ => "runs",
        };
        text += &format!("; wave {i} {doing} at +{:#x}", pc.wrapping_sub(job.init.entry));
    }
    Error::Limit(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trap_registers_have_the_trap_and_where_it_was() {
        // TRAP-01: {7'b0, HT, id, PC}; no host traps here. gfx12 has four bits of id at the top.
        assert_eq!(trap_registers(Gfx::GFX1100, 0x1a2, 0xffff_1234_5678_9abc), 0x00a2_1234_5678_9abc);
        assert_eq!(trap_registers(Gfx(0x1200), 0x1a2, 0x1234_5678_9abc), 0x2000_1234_5678_9abc);
    }
}
