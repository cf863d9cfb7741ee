//! Handles: numbers that look like pointers, and are none. Each use looks the handle up, so one that was closed, or is of another kind, or was
//! never made, is an error and not a crash.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wavejit::Error;
use wavejit::fork::RwLock;

/// What C has: a `wavejit2_device`, `wavejit2_module` and so on.
pub(super) type Handle = usize;

/// No address of a process, and not what HIP's handles look like.
const FIRST: usize = 0x7762_0000_0000_0000;
const STEP: usize = 16;

/// All open handles of a kind.
pub(super) struct Handles<T> {
    /// What the kind is called in messages.
    kind: &'static str,
    open: RwLock<BTreeMap<Handle, Arc<T>>>,
}

impl<T> Handles<T> {
    /// None so far.
    pub(super) const fn new(kind: &'static str) -> Self {
        Handles { kind, open: RwLock::new(BTreeMap::new()) }
    }

    /// A handle for something: a number that no other handle has, had or will have.
    pub(super) fn add(&self, it: T) -> Handle {
        static NEXT: AtomicUsize = AtomicUsize::new(FIRST);
        let handle = NEXT.fetch_add(STEP, Relaxed);
        self.open.write().insert(handle, Arc::new(it));
        handle
    }

    /// What a handle stands for.
    pub(super) fn get(&self, handle: Handle) -> Result<Arc<T>, Error> {
        self.open.read().get(&handle).cloned().ok_or_else(|| self.unknown(handle))
    }

    /// Ends a handle; 0 is none, and fine. What it stands for lives as long as something uses it.
    pub(super) fn close(&self, handle: Handle) -> Result<Option<Arc<T>>, Error> {
        if handle == 0 {
            return Ok(None);
        }
        self.open.write().remove(&handle).map(Some).ok_or_else(|| self.unknown(handle))
    }

    fn unknown(&self, handle: Handle) -> Error {
        match handle {
            0 => Error::Arg(format!("the {} is NULL", self.kind)),
            _ => Error::Arg(format!("{handle:#x} is not an open {}", self.kind)),
        }
    }
}
