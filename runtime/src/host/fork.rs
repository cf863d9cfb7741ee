//! Forks of the host while other threads of it are in here.
//!
//! A child of fork(2) has one thread, and a copy of all memory as it was at that moment: a lock that another thread held is never released
//! there, and what it protected may be half changed. So a fork waits until no thread is in a [`Section`], and none begins one until it is
//! over (pthread_atfork(3)). Every lock of `sync` is held in a section. Sections are short (the longest is a compilation) and
//! never wait for another thread's section: no waves run in one, nobody waits for the pool in one.
//!
//! The threads of pools do not exist in a child either; `generation` tells when they have to be started anew.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// A fork waits for sections to end, and others wait for it.
const FORKING: u32 = 1 << 31;
/// Between two looks. Forks are rare and take longer.
const PAUSE: Duration = Duration::from_micros(50);

/// Threads in sections, and [`FORKING`].
static SECTIONS: AtomicU32 = AtomicU32::new(0);
/// Forks between the first process and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Sections of this thread, one in the other.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// While it lives, no other thread's fork happens.
pub struct Section {
    /// It belongs to the thread.
    _thread: PhantomData<*mut ()>,
}

impl Section {
    /// Begins one; waits while another thread forks.
    pub fn begin() -> Section {
        // A thread that is being torn down has left its sections, and may begin another in the destructor of a thread-local.
        let outermost = DEPTH.try_with(|depth| depth.replace(depth.get() + 1) == 0).unwrap_or(true);
        if outermost && SECTIONS.fetch_add(1, Ordering::Acquire) & FORKING != 0 {
            Section::begin_slowly();
        }
        Section { _thread: PhantomData }
    }

    #[cold]
    fn begin_slowly() {
        loop {
            SECTIONS.fetch_sub(1, Ordering::Release);
            while SECTIONS.load(Ordering::Relaxed) & FORKING != 0 {
                std::thread::sleep(PAUSE);
            }
            if SECTIONS.fetch_add(1, Ordering::Acquire) & FORKING == 0 {
                return;
            }
        }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        let outermost = DEPTH.try_with(|depth| depth.replace(depth.get() - 1) == 1).unwrap_or(true);
        if outermost {
            SECTIONS.fetch_sub(1, Ordering::Release);
        }
    }
}

/// Changes in a child: threads that were started before are not there.
pub(crate) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Has forks wait from now on.
pub(crate) fn install() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if !INSTALLED.swap(true, Ordering::Relaxed) {
        #[cfg(unix)]
        // SAFETY: three functions that live as long as the library; unloading it takes them away.
        unsafe {
            libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
        }
    }
}

/// This thread's share of `SECTIONS`: it may fork in a section of its own, should a handler of signals do so.
fn own() -> u32 {
    DEPTH.try_with(Cell::get).unwrap_or(0).min(1)
}

extern "C" fn before() {
    while SECTIONS.fetch_or(FORKING, Ordering::Acquire) & FORKING != 0 {
        // Another thread forks.
        std::thread::sleep(PAUSE);
    }
    while SECTIONS.load(Ordering::Acquire) & !FORKING != own() {
        std::thread::sleep(PAUSE);
    }
}

extern "C" fn in_parent() {
    SECTIONS.fetch_and(!FORKING, Ordering::Release);
}

extern "C" fn in_child() {
    SECTIONS.store(own(), Ordering::Release);
    GENERATION.fetch_add(1, Ordering::Relaxed);
}
