//! The way into compiled code and, after a fault, the way out.

use super::Entered;
use std::arch::naked_asm;
use std::cell::Cell;
use std::mem::offset_of;
use std::ops::Range;
use std::ptr::null;
use wavejit_ir::abi::{AlikeGroups, EntryFn, Exit, FaultKind, WaveQueue, WaveState};

/// Waves that run one after the other, and where to return to when compiled code faults.
#[repr(C)]
struct Frame {
    rsp: u64,
    entry: EntryFn,
    queue: WaveQueue,
    outer: *const Frame,
}

/// Turns of a workgroup without a look at cancellation and the like: what comes between two is then little beside eight waves that do nothing.
const TURNS: u64 = 16;

thread_local! {
    static FRAME: Cell<*const Frame> = const { Cell::new(null()) };
}

/// Runs a wave from its resume point to its next exit.
///
/// # Safety
/// `state` is a complete wave of the kind `entry` was compiled for, and `entry` stays alive meanwhile.
pub(crate) unsafe fn enter(entry: EntryFn, state: *mut WaveState) -> u32 {
    // SAFETY: passed on.
    unsafe {
        enter_all(entry, &[state], false);
        (*state).exit
    }
}

/// Runs waves one after the other, each from its resume point to its next exit, until one comes back otherwise than from its end or from a
/// barrier. Each state has its exit, that of the one behind them too. If they are a whole workgroup, all of them at a barrier are given another turn
/// at once, up to [`TURNS`]; told is of the last one.
///
/// # Safety
/// As for [`enter`], for each of them; they are different ones.
pub(crate) unsafe fn enter_all(entry: EntryFn, states: &[*mut WaveState], is_workgroup: bool) -> Entered {
    let mut none = AlikeGroups::NONE;
    // SAFETY: passed on.
    unsafe { enter_groups(entry, states, is_workgroup, &mut none) }
}

/// The same, and then the workgroups behind that one as long as all goes straight on: `groups.left` tells how many were not begun. All else is of the last
/// one begun.
///
/// # Safety
/// As for [`enter_all`]; what `groups` says is so.
#[inline(always)]
pub(crate) unsafe fn enter_groups(entry: EntryFn, states: &[*mut WaveState], is_workgroup: bool, groups: &mut AlikeGroups) -> Entered {
    let Range { start, end } = states.as_ptr_range();
    if start == end {
        return Entered { done: 0, barriers: 0, passed: false };
    }
    let waves = if is_workgroup { states.len() as u64 } else { u64::MAX };
    FRAME.with(|current| {
        let groups_behind = std::mem::replace(groups, AlikeGroups::NONE);
        let queue = WaveQueue { next: start, end, barriers: 0, first: start, waves, turns: TURNS, groups: groups_behind };
        let mut frame = Frame { rsp: 0, entry, queue, outer: current.get() };
        let at = &raw mut frame;
        current.set(at);
        // SAFETY: passed on; `frame` lives in this frame, which outlives the call.
        let exit = unsafe { trampoline(at) };
        current.set(frame.outer);
        // SAFETY: between the ends of one slice.
        let done = unsafe { frame.queue.next.offset_from_unsigned(start) };
        if let Some(state) = states.get(done) {
            // SAFETY: the wave is suspended. A fault has not passed the place where exits are noted.
            unsafe { (**state).exit = exit };
        }
        *groups = frame.queue.groups;
        Entered { done, barriers: frame.queue.barriers as usize, passed: frame.queue.turns != TURNS }
    })
}

/// Saves the callee-saved registers (MXCSR nobody changes on the way, and a signal's return restores it), notes the stack pointer in the frame, runs the waves. Compiled code that can goes on from wave to
/// wave itself, and lets all pass a barrier; here is the loop around what comes back. `leave` undoes it from anywhere below.
#[unsafe(naked)]
unsafe extern "C" fn trampoline(frame: *mut Frame) -> u32 {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdi",
        "mov [rdi + {rsp}], rsp",
        "mov rax, [rdi + {next}]",
        "2:",
        "mov rdx, rdi",
        "lea rsi, [rdi + {queue}]",
        "mov rdi, [rax]",
        "call [rdx + {entry}]",
        "mov rdi, [rsp]",
        "mov rdx, [rdi + {next}]",
        "mov rdx, [rdx]",
        "mov [rdx + {exit}], eax",
        "cmp eax, {last}",
        "ja 3f",
        "mov eax, eax",
        "add [rdi + {barriers}], rax",
        "mov rdx, [rdi + {next}]",
        "add rdx, 8",
        "mov [rdi + {next}], rdx",
        "cmp rdx, [rdi + {end}]",
        "jae 4f",
        "mov rax, rdx",
        "jmp 2b",
        // The end of a turn. Are all at a barrier?
        "4:",
        "mov rax, [rdi + {barriers}]",
        "cmp rax, [rdi + {waves}]",
        "jne 3f",
        "sub qword ptr [rdi + {turns}], 1",
        "jz 3f",
        "mov qword ptr [rdi + {barriers}], 0",
        "mov rax, [rdi + {first}]",
        "mov [rdi + {next}], rax",
        "jmp 2b",
        "3:",
        "pop rdx",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        rsp = const offset_of!(Frame, rsp),
        queue = const offset_of!(Frame, queue),
        entry = const offset_of!(Frame, entry),
        next = const offset_of!(Frame, queue.next),
        end = const offset_of!(Frame, queue.end),
        barriers = const offset_of!(Frame, queue.barriers),
        waves = const offset_of!(Frame, queue.waves),
        turns = const offset_of!(Frame, queue.turns),
        first = const offset_of!(Frame, queue.first),
        exit = const offset_of!(WaveState, exit),
        last = const Exit::LAST_REGULAR,
    )
}

/// The way out of a fault: rsp has been set to what `trampoline` noted.
#[unsafe(naked)]
unsafe extern "C" fn leave() -> u32 {
    naked_asm!(
        "mov eax, {fault}",
        "cld",
        "pop rdx",
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
    // SAFETY: the wave is suspended in its own code; nobody else has a reference to its state. Compiled code moves `next` from wave to wave.
    let state = unsafe { &mut **frame.queue.next };
    state.fault_kind = FaultKind::Unmapped as u32;
    state.fault_addr = address.wrapping_sub(state.mem_base);
    state.fault_pc = guest_pc.unwrap_or(u64::MAX);
    state.fault_lane = u32::MAX;
    regs[libc::REG_RSP as usize] = frame.rsp as i64;
    regs[libc::REG_RIP as usize] = leave as *const () as i64;
    true
}
