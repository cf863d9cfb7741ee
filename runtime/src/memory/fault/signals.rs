//! The handlers of SIGSEGV and SIGBUS, and what was there before them.

use super::super::access;
use super::code_map::find_code;
use super::enter::leave_through_enter;
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

thread_local! {
    /// Depth of foreign faults being handed on, so that two handlers that chain to each other stop.
    static HANDING_ON: Cell<u32> = const { Cell::new(0) };
}

static PREVIOUS: [PreviousAction; 2] = [PreviousAction::new(), PreviousAction::new()];

struct PreviousAction(UnsafeCell<MaybeUninit<libc::sigaction>>);
// SAFETY: written once in `install_handlers`, before the handler that reads it can run.
unsafe impl Sync for PreviousAction {}
impl PreviousAction {
    const fn new() -> Self {
        PreviousAction(UnsafeCell::new(MaybeUninit::zeroed()))
    }
}

const SIGNALS: [i32; 2] = [libc::SIGSEGV, libc::SIGBUS];

pub(super) fn install_handlers() {
    for (signal, previous) in SIGNALS.into_iter().zip(&PREVIOUS) {
        // SAFETY: plain sigaction calls. The old action is noted before ours can run.
        unsafe {
            libc::sigaction(signal, null(), (*previous.0.get()).as_mut_ptr());
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            // On the alternate stack if the thread has one: then stack overflows reach the handler of the Rust run time.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal, &action, null_mut());
        }
    }
}

unsafe extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes valid pointers.
    let (regs, address) = unsafe { (&mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs, (*info).si_addr() as u64) };
    let pc = regs[libc::REG_RIP as usize] as usize;
    if let Some(fix) = access::fixup(pc) {
        regs[libc::REG_RIP as usize] = fix as i64;
        return;
    }
    if find_code(pc).is_some_and(|guest_pc| leave_through_enter(regs, address, guest_pc)) {
        return;
    }
    // SAFETY: same arguments as the kernel gave us.
    unsafe { hand_on(signal, info, context) }
}

/// Not ours: do what would have been done without us.
unsafe fn hand_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let previous = &PREVIOUS[usize::from(signal == libc::SIGBUS)];
    // SAFETY: written before this handler was installed.
    let action = unsafe { (*previous.0.get()).assume_init_ref() };
    let depth = HANDING_ON.with(|d| d.replace(d.get() + 1));
    if depth > 0 || action.sa_sigaction == libc::SIG_DFL || action.sa_sigaction == libc::SIG_IGN {
        // The instruction faults again on return, now with the default action.
        // SAFETY: resets one signal.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    } else if action.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: with SA_SIGINFO the field is a three-argument handler.
        unsafe {
            let f: unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = std::mem::transmute(action.sa_sigaction);
            f(signal, info, context)
        }
    } else {
        // SAFETY: without SA_SIGINFO the field is a one-argument handler.
        unsafe {
            let f: unsafe extern "C" fn(i32) = std::mem::transmute(action.sa_sigaction);
            f(signal)
        }
    }
    HANDING_ON.with(|d| d.set(depth));
}
