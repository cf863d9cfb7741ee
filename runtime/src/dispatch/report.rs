//! Makes [`Fault`]s and [`Limit`]s of a running dispatch: where the wave was, which instruction that is, what it accesses.

use crate::Error;
use crate::dispatch::job::Job;
use crate::dispatch::profile::InstCount;
use crate::dispatch::status::Status;
use crate::fault::{Access, AccessKind, Cause, Doing, Fault, Limit, OtherWave, Place};
use crate::memory::context::WaveContext;
use wavejit_ir::abi::{FaultKind, WaveState};
use wavejit_ir::{Failure, Func, Op, SReg};
use wavejit_isa::{self as isa, DisasmOptions, Feature, Flags, Gfx};
use wavejit_jit::lift::{LiftSource, Limits, lift_piece};

pub(crate) fn place(job: &Job, workgroup: [u32; 3], wave: usize, pc: u64) -> Place {
    Place { kernel: job.name.clone(), entry: job.init.entry, pc, inst: disassemble(job, pc), workgroup, wave }
}

/// An instruction of which nothing has been counted yet.
pub(crate) fn uncounted(job: &Job, pc: u64) -> InstCount {
    InstCount {
        pc,
        kernel: job.name.clone(),
        offset: pc.wrapping_sub(job.init.entry) as i64,
        text: disassemble(job, pc).unwrap_or_default(),
        wave_size: job.init.wave_size,
        ..InstCount::default()
    }
}

/// The instruction at a guest address of the program.
fn disassemble(job: &Job, pc: u64) -> Option<String> {
    let words: Vec<u32> = (0..5).map_while(|i| job.program.read(pc.wrapping_add(4 * i))).collect();
    let wave_size = job.init.wave_size;
    let inst = isa::decode(&words, job.init.target, wave_size).ok()?;
    Some(isa::disasm(&inst, job.init.target, &DisasmOptions { wave_size, true16: false, pc: Some(pc) }))
}

/// A fault in which lanes had no part.
fn scalar_fault(at: Place, cause: Cause) -> Error {
    Fault { at, lanes: 0, lane: None, access: None, address: None, cause }.into()
}

pub(crate) fn fault(job: &Job, group: [u32; 3], wave: usize, state: &WaveState) -> Error {
    let at = place(job, group, wave, state.fault_pc.wrapping_add(state.code_delta));
    let lane = (state.fault_lane != u32::MAX).then_some(state.fault_lane);
    let lanes = if lane.is_some() { state.fault_exec } else { 0 };
    let address = Some(state.fault_addr);
    let kinds = [FaultKind::Misaligned, FaultKind::Unsupported, FaultKind::Scratch, FaultKind::Refused];
    let (cause, address) = match kinds.into_iter().find(|k| *k as u32 == state.fault_kind) {
        Some(FaultKind::Misaligned) => (Cause::Misaligned, address),
        Some(FaultKind::Unsupported) => (Cause::Refused("GDS is not supported".into()), None),
        Some(FaultKind::Scratch) => (Cause::OutOfScratch { lane_bytes: job.scratch.lane_bytes() }, address),
        Some(FaultKind::Refused) => {
            // SAFETY: waves of a dispatch have their context, and this one has stopped.
            let context = unsafe { state.ctx.cast::<WaveContext>().as_ref() };
            let why = context.and_then(|c| c.refusal.clone()).unwrap_or_else(|| "refused".into());
            (Cause::Refused(why), None)
        }
        _ => (Cause::Unmapped { missing: job.hidden.clone() }, address),
    };
    let access = access(job, at.pc);
    Fault { at, lanes, lane, access, address, cause }.into()
}

/// What the instruction at `pc` does to memory: that of its IR, for which it is lifted alone.
fn access(job: &Job, pc: u64) -> Option<Access> {
    let key = job.init.code_key();
    let source = LiftSource {
        name: &job.name,
        entry: pc,
        target: job.init.target,
        wave_size: key.wave_size,
        mode: key.mode,
        vgprs: key.vgprs,
        read: &|at| job.program.read(at),
    };
    let func = lift_piece(&source, Limits { insts: 1, ..Limits::COLD }, &|| false).ok()?.func;
    func.blocks.first()?.insts.iter().filter(|i| i.pc == pc).find_map(|i| access_of(&func, &i.op))
}

fn access_of(func: &Func, op: &Op) -> Option<Access> {
    let (kind, bytes) = match op {
        Op::Load { kind, .. } => (AccessKind::Load, kind.bytes() as u32),
        Op::Store { kind, .. } => (AccessKind::Store, kind.bytes() as u32),
        Op::Atomic { wide, .. } | Op::ExchangeSum { wide, .. } => (AccessKind::Atomic, if *wide { 8 } else { 4 }),
        Op::SLoad { dwords, .. } | Op::SBufferLoad { dwords, .. } => (AccessKind::Load, 4 * u32::from(*dwords)),
        Op::Resource { site, .. } => {
            let flags = func.sites.get(*site as usize)?.inst.row.flags;
            let kind = [(Flags::ATOMIC, AccessKind::Atomic), (Flags::STORE, AccessKind::Store)];
            (kind.into_iter().find(|k| flags.contains(k.0)).map_or(AccessKind::Load, |k| k.1), 0)
        }
        _ => return None,
    };
    Some(Access { kind, bytes })
}

/// What a trap handler finds in ttmp\[0:1\] (TRAP-01): the address of the s_trap itself (STATE-05) in the low 48 bits, and which trap.
fn trap_registers(target: Gfx, id: u64, pc: u64) -> u64 {
    let number = if target.has(Feature::ShortTrapId) { (id & 15) << 60 } else { (id & 0xff) << 48 };
    pc & 0xffff_ffff_ffff | number
}

/// Nobody has set a trap handler: the run time takes its place, and ends the dispatch.
pub(crate) fn trap(job: &Job, group: [u32; 3], wave: usize, state: &mut WaveState) -> Error {
    let id = state.exit_arg;
    let registers = trap_registers(job.init.target, id, state.fault_pc.wrapping_add(state.code_delta));
    let ttmp = usize::from(SReg::TTMP0.0);
    state.sregs[ttmp..ttmp + 2].copy_from_slice(&[registers as u32, (registers >> 32) as u32]);
    scalar_fault(place(job, group, wave, registers & 0xffff_ffff_ffff), Cause::Trap(id))
}

/// `code_delta`: how far the code is from where it was lifted.
pub(crate) fn failure(job: &Job, group: [u32; 3], wave: usize, failure: Option<&Failure>, code_delta: u64) -> Error {
    let Some(failure) = failure else {
        return Error::Internal(format!("kernel `{}`: a failure without a description", job.name));
    };
    let at = place(job, group, wave, failure.pc.wrapping_add(code_delta));
    if !failure.undecodable {
        return scalar_fault(at, Cause::NotImplemented(failure.text.clone()));
    }
    match job.program.read(at.pc) {
        Some(_) => scalar_fault(at, Cause::NoInstruction { target: job.init.target, text: failure.text.clone() }),
        None => no_code(at, None),
    }
}

/// A jump to where no code is.
fn no_code(at: Place, code: Option<(u64, u64)>) -> Error {
    let address = Some(at.pc);
    Fault { at, lanes: 0, lane: None, access: None, address, cause: Cause::NoCode { code } }.into()
}

/// What became of the translation that a wave wanted where it jumped to.
pub(crate) fn bad_jump(job: &Job, group: [u32; 3], wave: usize, pc: u64, e: Error) -> Error {
    let [x, y, z] = group;
    let at = format!("kernel `{}`, workgroup ({x}, {y}, {z}), wave {wave}: jump to {pc:#x}", job.name);
    match e {
        Error::NoCode(found) => no_code(place(job, group, wave, pc), Some(found.code)),
        Error::OutOfMemory(m) => Error::OutOfMemory(format!("{at}: {m}")),
        Error::Internal(m) => Error::Internal(format!("{at}: {m}")),
        other => other,
    }
}

/// A hook wanted no more.
pub(crate) fn stopped(job: &Job, group: [u32; 3], wave: usize, pc: u64) -> Error {
    Limit::Stopped(place(job, group, wave, pc)).into()
}

/// What a wave of that status does.
pub(crate) fn doing(status: Status) -> Doing {
    match status {
        Status::Barrier => Doing::Barrier,
        Status::Gws => Doing::GlobalWaveSync,
        Status::Ready | Status::Ended => Doing::Runs,
    }
}

/// The instruction budget is used up: names the wave, and where the others are.
pub(crate) fn budget(job: &Job, group: [u32; 3], wave: usize, live: &[(usize, Status, u64)]) -> Error {
    let pc = live.iter().find(|w| w.0 == wave).map_or(job.init.entry, |w| w.2);
    let others = live.iter().filter(|w| w.0 != wave).map(|(wave, status, pc)| OtherWave { wave: *wave, pc: *pc, doing: doing(*status) });
    Limit::Budget { max_insts: job.config().max_insts, at: place(job, group, wave, pc), others: others.collect() }.into()
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
