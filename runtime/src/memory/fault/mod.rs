//! Turns SIGSEGV and SIGBUS raised by guest accesses into errors; all others go to whoever handled them before.
//!
//! Four kinds of program counter may fault:
//!
//! 1. an accessor of [`super::access`]: go on at its fixup;
//! 2. an access of compiled code that has a place where it is done again with care: go on there;
//! 3. other compiled code, which the arena for code knows ([`wavejit_jit::code_memory`]): note the place in the wave's state and leave through the frame that entered it
//!    ([`enter()`]), which restores the registers its caller needs and returns `Exit::Fault`. Frames in between are compiled code and have
//!    nothing to drop;
//! 4. anything else: not ours. The previous handler gets it.
//!
//! The handler takes no lock and allocates nothing.
//!
//! Files: `signals` the handlers, `enter` the way in and out of compiled code.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod enter;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod signals;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) use enter::{enter, enter_all, enter_groups};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use signals::Unblocked;

use crate::host::float::StandardFloat;
use crate::memory::address_space::AddressSpace;

/// Installs the handlers, if the kernel does not call them: for the first time, and after the host has installed others.
pub(crate) fn install() {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    signals::ensure(true);
}

/// A thread that may run guest code or touch guest memory, until this is dropped.
#[must_use]
pub(crate) struct Ready {
    _unblocked: Unblocked,
    _float: StandardFloat,
}

/// Makes this thread ready to run guest code or to touch guest memory, until the result is dropped: the handlers are installed, their
/// signals are not blocked, and arithmetic is IEEE 754's.
pub(crate) fn ready(space: &AddressSpace) -> Ready {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    signals::ensure(space.may_have_files());
    ready_for_others()
}

/// As [`ready`], for a thread of ours that works for threads that are.
pub(crate) fn ready_for_others() -> Ready {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    let unblocked = signals::unblock();
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    let unblocked = Unblocked;
    Ready { _unblocked: unblocked, _float: StandardFloat::begin() }
}

/// How several waves came back.
pub(crate) struct Entered {
    /// So many from their end or from a barrier, one after the other.
    pub done: usize,
    /// Those of them that did from a barrier.
    pub barriers: usize,
    /// Were all at a barrier after some turn, and passed it?
    pub passed: bool,
}

/// Without signal handling: compiled code reaches memory through the accessors only.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod plain {
    use super::*;
    use wavejit_ir::abi::{AlikeGroups, EntryFn, Exit, WaveState};

    /// Runs a wave from its resume point to its next exit.
    ///
    /// # Safety
    /// `state` is a complete wave of the kind `entry` was compiled for.
    pub unsafe fn enter(entry: EntryFn, state: *mut WaveState) -> u32 {
        // SAFETY: passed on.
        unsafe { entry(state, std::ptr::null_mut()) }
    }

    /// Runs waves one after the other, until one comes back otherwise than from its end or from a barrier. How many came back so; each
    /// state has its exit. Turns end at barriers here.
    ///
    /// # Safety
    /// As for [`enter`].
    pub unsafe fn enter_all(entry: EntryFn, states: &[*mut WaveState], _is_workgroup: bool) -> Entered {
        let mut barriers = 0;
        for (i, state) in states.iter().enumerate() {
            // SAFETY: passed on.
            let exit = unsafe { entry(*state, std::ptr::null_mut()) };
            // SAFETY: the wave is suspended.
            unsafe { (**state).exit = exit };
            if exit > Exit::LAST_REGULAR {
                return Entered { done: i, barriers, passed: false };
            }
            barriers += exit as usize;
        }
        Entered { done: states.len(), barriers, passed: false }
    }

    /// The same: what else there is to do is left.
    ///
    /// # Safety
    /// As for [`enter`].
    pub unsafe fn enter_groups(entry: EntryFn, states: &[*mut WaveState], is_workgroup: bool, _groups: &mut AlikeGroups) -> Entered {
        // SAFETY: passed on.
        unsafe { enter_all(entry, states, is_workgroup) }
    }

    /// Nothing to undo.
    pub struct Unblocked;
}
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use plain::*;

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod tests {
    use super::*;
    use std::arch::naked_asm;
    use wavejit_ir::abi::{EntryFn, Exit, WaveQueue, WaveState};
    use wavejit_jit::code_memory::{CodeMap, place};

    /// Stands for compiled code: clobbers callee-saved registers, then loads from the address in `exit_arg`'s place.
    #[unsafe(naked)]
    unsafe extern "C" fn wild(state: *mut WaveState, queue: *mut WaveQueue) -> u32 {
        naked_asm!(
            "push rbx",
            "mov rbx, 77",
            "mov r12, 78",
            "mov r13, 79",
            "mov r14, 80",
            "mov r15, 81",
            "mov rbp, 82",
            "mov rax, 0x123456789000",
            "mov eax, [rax]",
            "pop rbx",
            "ret",
            "nop",
            "nop",
            "nop",
            "nop",
        )
    }

    #[test]
    fn a_fault_in_compiled_code_leaves_through_enter() {
        let _ready = ready(&AddressSpace::shared());
        // SAFETY: its bytes and a few more, all of them code of this program.
        let bytes = unsafe { std::slice::from_raw_parts(wild as *const u8, 64) };
        let placed = place(bytes, CodeMap::new(vec![(0, 0x1234)])).unwrap();
        // SAFETY: a copy of `wild`, which does not depend on its address.
        let wild: EntryFn = unsafe { std::mem::transmute(placed.start()) };
        let mut state = crate::memory::context::blank_state();
        for _ in 0..3 {
            // SAFETY: `wild` uses nothing of the state.
            let exit = unsafe { enter(wild, &mut *state) };
            assert_eq!(Exit::from_u32(exit), Some(Exit::Fault));
            assert_eq!((state.fault_addr, state.fault_pc), (0x1234_5678_9000, 0x1234));
        }
    }
}
