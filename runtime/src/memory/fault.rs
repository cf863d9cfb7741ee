//! Turns SIGSEGV and SIGBUS raised by guest accesses into errors; all others go to whoever handled them before.
//!
//! Three kinds of program counter may fault:
//!
//! 1. an accessor of [`super::access`]: go on at its fixup;
//! 2. compiled code registered with [`register_code`]: note the place in the wave's state and leave through the frame that entered it
//!    ([`enter`]), which restores the registers its caller needs and returns `Exit::Fault`. Frames in between are compiled code and have
//!    nothing to drop;
//! 3. anything else: not ours. The previous handler gets it.
//!
//! The handler takes no lock and allocates nothing.

use super::access;
use std::sync::Once;
use wavejit_jit::abi::WaveState;

/// Maps a host pc inside compiled code to the guest pc of the access, if that instruction may touch guest memory.
pub trait GuestPc: Send + Sync {
    /// See the trait. Called from a signal handler: no locks, no allocation.
    fn guest_pc(&self, host_pc: usize) -> Option<u64>;
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use linux::*;

/// Installs the handlers, once per process.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        linux::install_handlers();
    });
}

/// A compiled entry: takes the wave, returns an [`wavejit_jit::abi::Exit`] as a number.
pub type EntryFn = unsafe extern "C" fn(*mut WaveState) -> u32;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod linux {
    use super::*;
    use std::arch::naked_asm;
    use std::cell::{Cell, UnsafeCell};
    use std::mem::MaybeUninit;
    use std::ptr::{null, null_mut};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
    use wavejit_jit::abi::{Exit, FaultKind};

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
        /// Depth of foreign faults being handed on, so that two handlers that chain to each other stop.
        static HANDING_ON: Cell<u32> = const { Cell::new(0) };
    }

    /// Runs a wave from its resume point to its next exit.
    ///
    /// # Safety
    /// `state` is a complete wave of the kind `entry` was compiled for, and `entry` stays alive meanwhile.
    pub unsafe fn enter(entry: EntryFn, state: *mut WaveState) -> u32 {
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

    /// One registered piece of compiled code. Nodes are never freed (a handler may be walking the list), only emptied and reused.
    struct Node {
        start: AtomicUsize,
        end: AtomicUsize,
        owner: UnsafeCell<Option<Arc<dyn GuestPc>>>,
        used: AtomicBool,
        next: *const Node,
    }
    // SAFETY: `owner` is written only by the thread that set `used` from false to true, while `start..end` is empty, and read only by
    // threads that run code of that owner, which is alive then.
    unsafe impl Sync for Node {}

    static NODES: AtomicPtr<Node> = AtomicPtr::new(null_mut());

    /// Keeps code registered until dropped.
    #[must_use]
    pub struct Registration(&'static Node);

    // SAFETY: the node is shared by design, see `Node`.
    unsafe impl Send for Registration {}
    // SAFETY: as above; `&Registration` offers nothing.
    unsafe impl Sync for Registration {}

    /// Tells the handler that faults at host addresses `start..end` belong to guest code.
    pub fn register_code(start: usize, end: usize, owner: Arc<dyn GuestPc>) -> Registration {
        install();
        let mut at = NODES.load(Ordering::Acquire);
        let node = loop {
            // SAFETY: nodes are never freed.
            let Some(node) = (unsafe { at.as_ref() }) else { break add_node() };
            if node.used.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                break node;
            }
            at = node.next.cast_mut();
        };
        // SAFETY: we own the node (see the `Sync` impl), and its range is empty.
        unsafe { *node.owner.get() = Some(owner) };
        node.end.store(end, Ordering::Release);
        node.start.store(start, Ordering::Release);
        Registration(node)
    }

    fn add_node() -> &'static Node {
        let node = Box::leak(Box::new(Node {
            start: AtomicUsize::new(usize::MAX),
            end: AtomicUsize::new(0),
            owner: UnsafeCell::new(None),
            used: AtomicBool::new(true),
            next: null(),
        }));
        let at: *mut Node = node;
        let mut head = NODES.load(Ordering::Acquire);
        loop {
            // SAFETY: not published yet, so ours alone.
            unsafe { (*at).next = head };
            match NODES.compare_exchange(head, at, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: leaked, so alive for ever.
                Ok(_) => return unsafe { &*at },
                Err(seen) => head = seen,
            }
        }
    }

    impl Drop for Registration {
        fn drop(&mut self) {
            self.0.start.store(usize::MAX, Ordering::Release);
            self.0.end.store(0, Ordering::Release);
            // SAFETY: still ours until `used` is false; nobody runs this code any more.
            unsafe { *self.0.owner.get() = None };
            self.0.used.store(false, Ordering::Release);
        }
    }

    /// Some(guest pc, if known) when `pc` lies in registered code.
    fn find_code(pc: usize) -> Option<Option<u64>> {
        let mut at = NODES.load(Ordering::Acquire).cast_const();
        // SAFETY: nodes are never freed.
        while let Some(node) = unsafe { at.as_ref() } {
            if pc >= node.start.load(Ordering::Acquire) && pc < node.end.load(Ordering::Acquire) {
                // SAFETY: this thread is inside the owner's code, so the registration is alive.
                let owner = unsafe { &*node.owner.get() };
                return Some(owner.as_ref().and_then(|o| o.guest_pc(pc)));
            }
            at = node.next;
        }
        None
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
        if let Some(guest_pc) = find_code(pc) {
            let frame = FRAME.with(Cell::get);
            // SAFETY: `enter` keeps the frame alive while this thread is in compiled code.
            if let Some(frame) = unsafe { frame.as_ref() } {
                // SAFETY: the wave is suspended in its own code; nobody else has a reference to its state.
                let state = unsafe { &mut *frame.state };
                state.fault_kind = FaultKind::Unmapped as u32;
                state.fault_addr = address.wrapping_sub(state.mem_base);
                state.fault_pc = guest_pc.unwrap_or(u64::MAX);
                state.fault_lane = u32::MAX;
                regs[libc::REG_RSP as usize] = frame.rsp as i64;
                regs[libc::REG_RIP as usize] = leave as *const () as i64;
                return;
            }
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
}

/// Without signal handling: compiled code reaches memory through the accessors only.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod plain {
    use super::*;
    use std::sync::Arc;

    /// Runs a wave from its resume point to its next exit.
    ///
    /// # Safety
    /// `state` is a complete wave of the kind `entry` was compiled for.
    pub unsafe fn enter(entry: EntryFn, state: *mut WaveState) -> u32 {
        // SAFETY: passed on.
        unsafe { entry(state) }
    }

    /// Nothing to keep.
    #[must_use]
    pub struct Registration;

    /// Nothing to do.
    pub fn register_code(_start: usize, _end: usize, _owner: Arc<dyn GuestPc>) -> Registration {
        Registration
    }
}
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use plain::*;

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod tests {
    use super::*;
    use std::arch::naked_asm;
    use std::sync::Arc;
    use wavejit_jit::abi::Exit;

    /// Stands for compiled code: clobbers callee-saved registers, then loads from the address in `exit_arg`'s place.
    #[unsafe(naked)]
    unsafe extern "C" fn wild(state: *mut WaveState) -> u32 {
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

    struct Fixed;
    impl GuestPc for Fixed {
        fn guest_pc(&self, _: usize) -> Option<u64> {
            Some(0x1234)
        }
    }

    #[test]
    fn a_fault_in_compiled_code_leaves_through_enter() {
        let start = wild as *const () as usize;
        let _registration = register_code(start, start + 64, Arc::new(Fixed));
        let mut state = crate::wave::blank_state();
        for _ in 0..3 {
            // SAFETY: `wild` uses nothing of the state.
            let exit = unsafe { enter(wild, &mut *state) };
            assert_eq!(Exit::from_u32(exit), Some(Exit::Fault));
            assert_eq!((state.fault_addr, state.fault_pc), (0x1234_5678_9000, 0x1234));
        }
    }
}
