//! Handles: what C holds of ours. Each use looks the handle up, so one that was destroyed, or never made, is an error and not a crash.

use crate::status::{Result, Status};
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wavejit::fork::RwLock;

/// Handles look like pointers, but not like any of this process, nor like the small numbers that HIP has for special streams.
const FIRST: usize = 0x7761_0000_0000_0000;
const STEP: usize = 16;

/// All live handles of a kind.
pub(crate) struct Handles<T>(RwLock<FxHashMap<usize, Arc<T>>>);

impl<T> Handles<T> {
    /// None so far.
    pub(crate) const fn new() -> Self {
        Handles(RwLock::new(FxHashMap::with_hasher(rustc_hash::FxBuildHasher)))
    }

    /// A handle for something: a number that no other handle has, had or will have.
    pub(crate) fn add(&self, it: Arc<T>) -> *mut c_void {
        static NEXT: AtomicUsize = AtomicUsize::new(FIRST);
        let number = NEXT.fetch_add(STEP, Relaxed);
        self.0.write().insert(number, it);
        number as *mut c_void
    }

    /// What a handle stands for.
    pub(crate) fn get(&self, handle: *const c_void) -> Result<Arc<T>> {
        self.0.read().get(&(handle as usize)).cloned().ok_or(Status::INVALID_HANDLE)
    }

    /// Ends a handle.
    pub(crate) fn remove(&self, handle: *const c_void) -> Result<Arc<T>> {
        self.0.write().remove(&(handle as usize)).ok_or(Status::INVALID_HANDLE)
    }

    /// Everything there is.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        self.0.read().values().cloned().collect()
    }
}
