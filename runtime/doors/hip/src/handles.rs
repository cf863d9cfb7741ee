//! Handles: what C holds of ours. Each use looks the handle up, so one that was destroyed, or never made, is an error and not a crash.

use crate::status::{Result, Status};
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::fork::RwLock;

/// All live handles of a kind.
pub(crate) struct Handles<T>(RwLock<FxHashMap<usize, Arc<T>>>);

impl<T> Handles<T> {
    /// None so far.
    pub(crate) const fn new() -> Self {
        Handles(RwLock::new(FxHashMap::with_hasher(rustc_hash::FxBuildHasher)))
    }

    /// A handle for something: its address, which nothing else has while it lives.
    pub(crate) fn add(&self, it: Arc<T>) -> *mut c_void {
        let address = Arc::as_ptr(&it) as usize;
        self.0.write().insert(address, it);
        address as *mut c_void
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
