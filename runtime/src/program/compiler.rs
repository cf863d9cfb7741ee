//! Compilation to host code: where it runs, and how it is called off.
//!
//! Code generation needs more stack than hosts give all of their threads, and for a large function more time than a launch may take to be
//! canceled. So a compilation runs on a thread of its own if the caller's stack is short, or if the function is large; the caller then waits
//! and looks at cancellation meanwhile. A small function on a large stack is compiled where it is wanted.

use crate::host::fork::{self, Section};
use crate::memory::fault;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use wavejit_ir::Func;
use wavejit_jit::code_memory::OutOfCodeMemory;
use wavejit_jit::emit::{self, Compiled, EmitError, EmitOptions, Isa};
use wavejit_jit::opt;

/// Stack of a compiling thread.
const STACK_BYTES: usize = 16 << 20;
/// Stack that a compilation may take of its caller's.
const NEEDED_BYTES: usize = 1 << 20;
/// Values of a function that is compiled before anybody would look at cancellation, in a few milliseconds.
const SMALL_VALUES: usize = 2048;
/// Between two looks at cancellation.
const PATIENCE: Duration = Duration::from_millis(1);

/// What is asked of a compilation.
#[derive(Clone, Copy, Default)]
pub(super) struct Wish {
    /// The code as bytes, too.
    pub savable: bool,
    /// [`EmitOptions::masks_idle`].
    pub masks_idle: bool,
}

/// Compiles what was lifted, unless `stop` says before it is done that nobody wants it: [`EmitError::Stopped`].
pub(super) fn compile(func: Func, wish: Wish, stop: &dyn Fn() -> bool) -> Result<Compiled, EmitError> {
    if func.types.len() <= SMALL_VALUES && stack_left() >= NEEDED_BYTES {
        return compile_here(func, wish, stop);
    }
    let order = Arc::new(Order { result: Mutex::new(None), done: Condvar::new(), abandoned: AtomicBool::new(false) });
    let at_work = order.clone();
    let work = move || {
        let _ready = fault::ready_for_others();
        let stop = || at_work.abandoned.load(Ordering::Relaxed);
        let result = catch_unwind(AssertUnwindSafe(|| compile_here(func, wish, &stop))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(EmitError::Internal(text.unwrap_or("panic").to_string()))
        });
        *at_work.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        at_work.done.notify_one();
    };
    let thread = std::thread::Builder::new().name("wavejit-compile".into()).stack_size(STACK_BYTES);
    thread.spawn(work).map_err(no_thread)?;
    let mut result = order.result.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        // First, so that what is called off ends the same way however quick the other thread was.
        if stop() {
            order.abandoned.store(true, Ordering::Relaxed);
            return Err(EmitError::Stopped);
        }
        if let Some(result) = result.take() {
            return result;
        }
        result = order.done.wait_timeout(result, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// A compilation on another thread.
struct Order {
    result: Mutex<Option<Result<Compiled, EmitError>>>,
    done: Condvar,
    abandoned: AtomicBool,
}

fn no_thread(why: io::Error) -> EmitError {
    EmitError::OutOfMemory(OutOfCodeMemory { bytes: 0, why })
}

fn compile_here(mut func: Func, Wish { savable, masks_idle }: Wish, stop: &dyn Fn() -> bool) -> Result<Compiled, EmitError> {
    // The arena for code has locks.
    let _section = Section::begin();
    opt::run(&mut func, Isa::Best.passes(false));
    emit::compile_unless(&func, &EmitOptions { savable, masks_idle, ..EmitOptions::default() }, stop)
}

/// Bytes of stack below this frame, as far as is known; 0 on stacks that the host made itself.
#[cfg(target_os = "linux")]
fn stack_left() -> usize {
    thread_local!(static STACK: (usize, usize) = stack_of_this_thread().unwrap_or_default());
    let here = 0u8;
    let here = &raw const here as usize;
    STACK.try_with(|(low, bytes)| here.checked_sub(*low).filter(|left| left < bytes).unwrap_or(0)).unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
fn stack_left() -> usize {
    0
}

/// Lowest address and size.
#[cfg(target_os = "linux")]
fn stack_of_this_thread() -> Option<(usize, usize)> {
    // SAFETY: the attributes are filled in before they are read, and destroyed once.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return None;
        }
        let (mut low, mut bytes) = (std::ptr::null_mut(), 0);
        let found = libc::pthread_attr_getstack(&attributes, &mut low, &mut bytes);
        libc::pthread_attr_destroy(&mut attributes);
        (found == 0).then_some((low as usize, bytes))
    }
}

/// One thread at a time. Waiting for another thread's work is no reason to hold a lock, for which a fork would wait.
#[derive(Default)]
pub(super) struct OneAtATime(AtomicU64);

/// Whose turn it is, until it is dropped.
pub(super) struct Turn<'a>(&'a OneAtATime);

impl OneAtATime {
    /// Does not wait.
    pub(super) fn try_take(&self) -> Option<Turn<'_>> {
        // Threads of the parent are not there in a child, so neither is their turn.
        let mine = u64::from(fork::generation()) + 1;
        let now = self.0.load(Ordering::Relaxed);
        let taken = now != mine && self.0.compare_exchange(now, mine, Ordering::Acquire, Ordering::Relaxed).is_ok();
        // A turn that is not taken must not be made: it would end the other one.
        taken.then(|| Turn(self))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.0.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::text::parse;

    #[test]
    fn a_turn_lasts_whoever_asks_meanwhile() {
        let turns = OneAtATime::default();
        let turn = turns.try_take();
        assert!(turn.is_some());
        assert!((0..3).all(|_| turns.try_take().is_none()));
        drop(turn);
        assert!(turns.try_take().is_some());
    }

    #[test]
    fn a_thread_with_a_short_stack_compiles_on_another() {
        let func = || parse("func \"f\" wave32 {\nb0 pc=0 mode=0x3f0 insts=1:\nend\n}").unwrap();
        let compile_on = |bytes: usize| {
            let thread = std::thread::Builder::new().stack_size(bytes);
            thread.spawn(move || (stack_left(), compile(func(), Wish::default(), &|| false).is_ok())).unwrap().join().unwrap()
        };
        // The C library may give a thread a larger stack, which another one had.
        let (left, compiled) = compile_on(96 << 10);
        assert!(compiled, "{left}");
        let (left, compiled) = compile_on(4 << 20);
        assert!(cfg!(not(target_os = "linux")) || left > 3 << 20, "{left}");
        assert!(compiled);
    }

    #[test]
    fn a_large_function_is_called_off_while_it_is_compiled() {
        let lines: String = (0..40_000).map(|i| format!("%{i}: s32 = sget s0\n")).collect();
        let func = parse(&format!("func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n{lines}end\n}}")).unwrap();
        assert!(matches!(compile(func, Wish::default(), &|| true), Err(EmitError::Stopped)));
    }

    #[test]
    fn a_turn_is_one_threads_until_it_is_over() {
        let compiling = OneAtATime::default();
        let turn = compiling.try_take();
        assert!(turn.is_some() && compiling.try_take().is_none());
        drop(turn);
        assert!(compiling.try_take().is_some());
    }
}
