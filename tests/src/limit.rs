//! A global allocator that counts what each thread has, and refuses to go beyond a limit: for tests and fuzz targets that must not take
//! more memory than their input justifies.
//!
//! ```
//! use wavejit_tests::limit::{Counting, within};
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting;
//!
//! let (list, peak) = within(1 << 20, || vec![0u8; 1000]);
//! assert_eq!((list.len(), peak), (1000, 1000));
//! assert!(within(1 << 20, || Vec::<u8>::new().try_reserve(2 << 20).is_err()).0);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts and limits; memory comes from the system's allocator.
pub struct Counting;

/// Bytes of a thread.
#[derive(Clone, Copy)]
struct Count {
    /// Allocated and not freed. Negative where a thread frees what it was given.
    live: isize,
    peak: isize,
    limit: isize,
}

thread_local! {
    static COUNT: Cell<Count> = const { Cell::new(Count { live: 0, peak: 0, limit: isize::MAX }) };
}

/// Notes a change; false if it goes beyond the limit, which changes nothing.
fn note(bytes: isize) -> bool {
    // A thread that is being torn down counts no more.
    let changed = COUNT.try_with(|count| {
        let mut c = count.get();
        c.live += bytes;
        if bytes > 0 && c.live > c.limit {
            return false;
        }
        c.peak = c.peak.max(c.live);
        count.set(c);
        true
    });
    changed.unwrap_or(true)
}

// SAFETY: all is done by the system's allocator, or refused with a null pointer; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !note(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !note(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: passed on.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !note(size as isize - layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: passed on.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Runs `body`, during which the thread may allocate `limit` bytes more than it has; also gives the most it had at one time. What cannot
/// say that it got no memory aborts beyond the limit.
pub fn within<T>(limit: usize, body: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    COUNT.set(Count { peak: before.live, limit: before.live.saturating_add_unsigned(limit), ..before });
    let result = body();
    let after = COUNT.get();
    COUNT.set(Count { live: after.live, ..before });
    (result, (after.peak - before.live) as usize)
}
