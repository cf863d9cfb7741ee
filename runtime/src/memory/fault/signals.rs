//! The handlers of SIGSEGV and SIGBUS, and what is done with signals that are not ours.
//!
//! A process has one action for each signal, and many who want it. Whoever installs a handler learns which one there was before, and may
//! call it; nobody learns that another one came later. So, before every dispatch, [`ensure`] looks whether our handler is still the one
//! the kernel calls, and if not, installs it again, over the newcomer.
//!
//! Each time is a *level*, with an entry point of its own ([`ENTRIES`]) and the action that it was installed over:
//!
//! ```text
//! kernel -> entry 1 -> newcomer -> entry 0 -> first handler of the host
//!           previous[1]  its own    previous[0]
//! ```
//!
//! The newcomer believes that entry 0 was there before it and may call that, which leads on to the first handler and not back to the
//! newcomer. If it takes itself away, it puts entry 0 back, by which we see that it is gone. A handler that is installed again and again is
//! found among the previous ones, and takes no level of its own; it may then call the entry that called it. That a signal passed an entry
//! already is noted in its siginfo ([`Passed`]), which the kernel makes anew for each signal: nothing that a handler that leaves by
//! siglongjmp could leave behind.
//!
//! A handler finds what it asked for: its mask, SA_NODEFER, SA_RESETHAND, and of what only the kernel can do SA_ONSTACK and SA_RESTART.

use super::super::access;
use super::enter::leave_through_enter;
use crate::host::sync::Mutex;
use libc::{c_int, c_void, sigaction, siginfo_t, sigset_t, ucontext_t};
use std::arch::naked_asm;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use wavejit_jit::code_memory;

const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
/// Most levels. Beyond, the newest action takes the place of the one before.
const LEVELS: usize = 8;

type Entry = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

/// What the kernel is told to call, by level.
static ENTRIES: [Entry; LEVELS] = [entry::<0>, entry::<1>, entry::<2>, entry::<3>, entry::<4>, entry::<5>, entry::<6>, entry::<7>];

/// An action that ours was installed over. Never freed: a handler may be reading it.
struct Previous {
    action: sigaction,
    /// It was to be used once, and has been.
    is_spent: AtomicBool,
    /// Another one.
    next: *const Previous,
}

/// The levels of a signal.
struct Levels {
    previous: [AtomicPtr<Previous>; LEVELS],
    /// Levels in use; the kernel calls the last one's entry.
    count: AtomicUsize,
}

static CHAINS: [Levels; 2] = [const { Levels { previous: [const { AtomicPtr::new(null_mut()) }; LEVELS], count: AtomicUsize::new(0) } }; 2];

/// All actions ever seen.
struct Known(*const Previous);
// SAFETY: what it points to never changes but for an atomic, and lives for ever.
unsafe impl Send for Known {}

static KNOWN: Mutex<Known> = Mutex::new(Known(null()));

/// Sees to it that the kernel calls our handlers. One system call if it does already; two if there may be files in memory: SIGBUS comes where one has
/// been cut off, and never of memory that is ours.
pub(super) fn ensure(with_files: bool) {
    let signals = if with_files { 2 } else { 1 };
    for (signal, levels) in SIGNALS.into_iter().zip(&CHAINS).take(signals) {
        if !levels.is_current(current_handler(signal)) {
            levels.install(signal);
        }
    }
}

/// Of the kernel's own `struct sigaction` (x86-64): handler, flags, restorer, mask.
type KernelAction = [usize; 4];
/// A set of signals of the kernel, and its bytes.
type KernelSet = u64;
const SET_BYTES: usize = size_of::<KernelSet>();

/// What the kernel calls for a signal. Asked without libc, which takes longer to translate the answer than the kernel to give it.
fn current_handler(signal: c_int) -> usize {
    let mut action: KernelAction = [0; 4];
    // SAFETY: only asks; the kernel's action has these words.
    unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, null::<KernelAction>(), &raw mut action, SET_BYTES) };
    action[0]
}

fn current_action(signal: c_int) -> sigaction {
    let mut action = MaybeUninit::zeroed();
    // SAFETY: only asks. All zeros is an action, should the kernel not answer.
    unsafe {
        sigaction(signal, null(), action.as_mut_ptr());
        action.assume_init()
    }
}

impl Levels {
    fn is_current(&self, handler: usize) -> bool {
        let top = self.count.load(Ordering::Acquire).checked_sub(1);
        top.is_some_and(|top| handler == ENTRIES[top] as usize)
    }

    /// Installs our handler over what is there, unless that is one of ours.
    fn install(&self, signal: c_int) {
        let mut known = KNOWN.lock();
        let action = current_action(signal);
        if let Some(level) = ENTRIES.iter().position(|e| action.sa_sigaction == *e as usize) {
            // What was installed over this entry has gone.
            self.count.store(level + 1, Ordering::Release);
            return;
        }
        let count = self.count.load(Ordering::Acquire);
        let same = |level: &usize| self.previous(*level).is_some_and(|p| p.action.sa_sigaction == action.sa_sigaction);
        let level = (0..count).find(same).unwrap_or(count.min(LEVELS - 1));
        self.set(level, &mut known, &action);
        let mut ours = action;
        ours.sa_sigaction = ENTRIES[level] as usize;
        // Without a handler to please, alternate stacks are used where there are some.
        let wanted = if is_handler(&action) { action.sa_flags & (libc::SA_ONSTACK | libc::SA_RESTART) } else { libc::SA_ONSTACK };
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | wanted;
        let mut replaced = action;
        // SAFETY: the entry is a handler of three arguments, and what it needs is in place.
        unsafe {
            libc::sigemptyset(&mut ours.sa_mask);
            sigaction(signal, &ours, &mut replaced);
        }
        if !is_equal(&replaced, &action) {
            // Someone was quicker.
            self.set(level, &mut known, &replaced);
        }
        self.count.store(level + 1, Ordering::Release);
    }

    fn previous(&self, level: usize) -> Option<&'static Previous> {
        // SAFETY: never freed.
        unsafe { self.previous[level].load(Ordering::Acquire).as_ref() }
    }

    fn set(&self, level: usize, known: &mut Known, action: &sigaction) {
        self.previous[level].store(known.find(action).cast_mut(), Ordering::Release);
    }
}

impl Known {
    /// The action, among those that are kept.
    fn find(&mut self, action: &sigaction) -> *const Previous {
        let mut at = self.0;
        // SAFETY: never freed.
        while let Some(previous) = unsafe { at.as_ref() } {
            if is_equal(&previous.action, action) {
                // Whoever installs it again wants it again.
                previous.is_spent.store(false, Ordering::Relaxed);
                return at;
            }
            at = previous.next;
        }
        self.0 = Box::leak(Box::new(Previous { action: *action, is_spent: AtomicBool::new(false), next: self.0 }));
        self.0
    }
}

fn is_handler(action: &sigaction) -> bool {
    action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN
}

fn is_equal(a: &sigaction, b: &sigaction) -> bool {
    // SAFETY: both masks are complete.
    let same_mask = || (1..=64).all(|n| unsafe { libc::sigismember(&a.sa_mask, n) == libc::sigismember(&b.sa_mask, n) });
    (a.sa_sigaction, a.sa_flags) == (b.sa_sigaction, b.sa_flags) && same_mask()
}

/// What the kernel calls: [`handler`] with two more arguments, its level and the stack pointer before the return address.
#[unsafe(naked)]
unsafe extern "C" fn entry<const LEVEL: usize>(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    naked_asm!(
        "mov ecx, {level}",
        "lea r8, [rsp + 8]",
        "jmp {handler}",
        level = const LEVEL,
        handler = sym handler,
    )
}

unsafe extern "C" fn handler(signal: c_int, info: *mut siginfo_t, context: *mut c_void, level: usize, stack: usize) {
    // SAFETY: the kernel passes valid pointers, and handlers before us pass them on.
    let (regs, code, address) =
        unsafe { (&mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs, (*info).si_code, (*info).si_addr() as u64) };
    // Others may send signals, too, while the thread is anywhere.
    let is_fault = code > 0;
    if is_fault {
        let pc = regs[libc::REG_RIP as usize] as usize;
        if let Some(fix) = access::fixup(pc) {
            regs[libc::REG_RIP as usize] = fix as i64;
            return;
        }
        if let Some(again) = code_memory::recovery(pc) {
            regs[libc::REG_RIP as usize] = again as i64;
            return;
        }
        if code_memory::find(pc).is_some_and(|guest_pc| leave_through_enter(regs, address, guest_pc)) {
            return;
        }
    }
    // SAFETY: as above.
    let mut passed = unsafe { Passed::of(info) };
    // The kernel puts the context right behind the return address; whoever calls us is deeper in the stack.
    if stack == context as usize {
        passed.forget();
    }
    let levels = &CHAINS[usize::from(signal == libc::SIGBUS)];
    let Some(level) = (0..=level).rev().find(|level| passed.note(*level)) else { return default_action(signal, is_fault) };
    let Some(previous) = levels.previous(level) else { return default_action(signal, is_fault) };
    // SAFETY: same arguments as the kernel gave us.
    unsafe { hand_on(previous, signal, info, context, is_fault) }
}

/// Which entries a signal has passed: bits beside a cookie, in the last bytes of its siginfo, of which no signal uses more than the first
/// 48. There is room for several libraries that do the same, such as another copy of this one.
struct Passed<'a>(&'a mut [[u64; 2]; 5]);

impl Passed<'_> {
    /// # Safety
    /// `info` is the siginfo of a signal that is being handled.
    unsafe fn of<'a>(info: *mut siginfo_t) -> Passed<'a> {
        const { assert!(size_of::<siginfo_t>() == 128) };
        // SAFETY: the last 80 of its 128 bytes, which the kernel fills with zeros (before Linux 4.20: with anything) and nobody looks at.
        Passed(unsafe { &mut *info.byte_add(48).cast() })
    }

    fn forget(&mut self) {
        *self.0 = [[0; 2]; 5];
    }

    /// Notes an entry; false if it has been passed.
    fn note(&mut self, level: usize) -> bool {
        // An address that no other library has, and no number that stacks hold by chance.
        let cookie = (&raw const CHAINS as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let Some(slot) = self.0.iter_mut().find(|slot| [0, cookie].contains(&slot[0])) else { return false };
        let is_new = slot[1] & 1 << level == 0;
        *slot = [cookie, slot[1] | 1 << level];
        is_new
    }
}

/// Does what would have been done without us.
///
/// # Safety
/// The arguments are those of a handler.
unsafe fn hand_on(previous: &Previous, signal: c_int, info: *mut siginfo_t, context: *mut c_void, is_fault: bool) {
    let action = &previous.action;
    if action.sa_sigaction == libc::SIG_IGN && !is_fault {
        return;
    }
    let is_spent = action.sa_flags & libc::SA_RESETHAND != 0 && previous.is_spent.swap(true, Ordering::Relaxed);
    if !is_handler(action) || is_spent {
        return default_action(signal, is_fault);
    }
    let mut blocked = action.sa_mask;
    let mut before = MaybeUninit::<sigset_t>::zeroed();
    // SAFETY: sets of signals, in and out; then a handler is called as its flags say; then what was blocked before is again, for whoever
    // called us. If the handler does not come back, its mask stays, as the kernel's would.
    unsafe {
        if action.sa_flags & libc::SA_NODEFER == 0 {
            libc::sigaddset(&mut blocked, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &blocked, before.as_mut_ptr());
        if action.sa_flags & libc::SA_SIGINFO != 0 {
            let call: Entry = std::mem::transmute(action.sa_sigaction);
            call(signal, info, context);
        } else {
            let call: unsafe extern "C" fn(c_int) = std::mem::transmute(action.sa_sigaction);
            call(signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), null_mut());
    }
}

/// Ends the process, as the signal does without handler. (Faults cannot be ignored.)
fn default_action(signal: c_int, is_fault: bool) {
    // SAFETY: the instruction faults again on return, now with the default action; what was sent is sent again.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if !is_fault {
            libc::raise(signal);
        }
    }
}

/// Until dropped, faults of this thread reach the handlers: a signal that is blocked ends the process instead.
pub(crate) struct Unblocked {
    before: Option<KernelSet>,
    /// It belongs to the thread.
    _thread: PhantomData<*mut ()>,
}

/// The kernel's set of the signals.
const FAULTS: KernelSet = 1 << (SIGNALS[0] - 1) | 1 << (SIGNALS[1] - 1);

/// Changes this thread's set of blocked signals; what it was. (0 should the kernel not answer.)
fn change_blocked(how: c_int, set: KernelSet) -> KernelSet {
    let mut before: KernelSet = 0;
    // SAFETY: sets of the kernel's size, in and out.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const set, &raw mut before, SET_BYTES) };
    before
}

/// See [`Unblocked`].
pub(super) fn unblock() -> Unblocked {
    let before = change_blocked(libc::SIG_UNBLOCK, FAULTS);
    Unblocked { before: (before & FAULTS != 0).then_some(before), _thread: PhantomData }
}

impl Drop for Unblocked {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            change_blocked(libc::SIG_SETMASK, before);
        }
    }
}
