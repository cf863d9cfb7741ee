//! The way into compiled code and, after a fault, the way out.

use super::entry::EntryFn;
use std::arch::naked_asm;
use std::cell::Cell;
use std::ptr::null;
use wavejit_ir::abi::{Exit, FaultKind, WaveState};

/// Where to return to when compiled code faults.
#[repr(C)]
struct Frame {
    rsp: u64,
    mxcsr: u32,
    state: *mut WaveState,
    outer: *const Frame,
}

thread_local! {
    static FRAME: Cell<*const Frame> = const { Cell::new(null()) };
}

/// Runs a wave from its resume point to its next exit.
///
/// # Safety
/// `state` is a complete wave of the kind `entry` was compiled for, and `entry` stays alive meanwhile.
pub(crate) unsafe fn enter(entry: EntryFn, state: *mut WaveState) -> u32 {
    FRAME.with(|current| {
        let mut frame = Frame { rsp: 0, mxcsr: 0, state, outer: current.get() };
        let at = &raw mut frame;
        current.set(at);
        // SAFETY: passed on; `frame` lives in this frame, which outlives the call.
        let exit = unsafe { trampoline(entry, state, at) };
        current.set(frame.outer);
        exit
    })
}

/// Saves the callee-saved registers and MXCSR, notes the stack pointer in the frame, calls. `leave` undoes it from anywhere below.
#[unsafe(naked)]
unsafe extern "C" fn trampoline(entry: EntryFn, state: *mut WaveState, frame: *mut Frame) -> u32 {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdx",
        "mov [rdx], rsp",
        "stmxcsr [rdx + 8]",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "pop rdx",
        "ldmxcsr [rdx + 8]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// The way out of a fault: rsp has been set to what `trampoline` noted.
#[unsafe(naked)]
unsafe extern "C" fn leave() -> u32 {
    naked_asm!(
        "mov eax, {fault}",
        "cld",
        "pop rdx",
        "ldmxcsr [rdx + 8]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        fault = const Exit::Fault as u32,
    )
}

/// Makes a context of a fault in compiled code return from [`enter`] with `Exit::Fault`. False if this thread is in none.
pub(super) fn leave_through_enter(regs: &mut [libc::greg_t], address: u64, guest_pc: Option<u64>) -> bool {
    // SAFETY: `enter` keeps the frame alive while this thread is in compiled code.
    let Some(frame) = (unsafe { FRAME.with(Cell::get).as_ref() }) else { return false };
    // SAFETY: the wave is suspended in its own code; nobody else has a reference to its state.
    let state = unsafe { &mut *frame.state };
    state.fault_kind = FaultKind::Unmapped as u32;
    state.fault_addr = address.wrapping_sub(state.mem_base);
    state.fault_pc = guest_pc.unwrap_or(u64::MAX);
    state.fault_lane = u32::MAX;
    regs[libc::REG_RSP as usize] = frame.rsp as i64;
    regs[libc::REG_RIP as usize] = leave as *const () as i64;
    true
}
