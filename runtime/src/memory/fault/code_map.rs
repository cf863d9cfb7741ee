//! Which host addresses are compiled code, and what guest code it stands for.

use super::GuestPc;
use std::cell::UnsafeCell;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

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
    super::install();
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
pub(super) fn find_code(pc: usize) -> Option<Option<u64>> {
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
