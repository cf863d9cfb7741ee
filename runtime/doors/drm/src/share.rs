//! Descriptors of synchronization objects: of the object itself, and of the fence that it has at present (a sync file).
//!
//! A descriptor is one end of a pair of sockets. The pair's identity says what it stands for; a sync file can be polled: it becomes readable
//! when its fence is done. When all copies of the descriptor are closed, the other end says so, and the pair is forgotten. Other processes
//! cannot use them.

use crate::door::{Door, State};
use crate::errno::{Errno, Result, say};
use crate::fence::Fence;
use crate::node::identity;
use crate::syncobj::{Syncobj, find};
use crate::uapi::{self, FenceToHandle, SyncobjHandle};
use std::ffi::c_int;
use std::io::Write;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// What a descriptor stands for.
enum Meaning {
    Object(Arc<Syncobj>),
    /// A fence, until whoever polls has been told.
    SyncFile {
        fence: Fence,
        is_told: bool,
    },
}

struct Share {
    /// Of the program's end.
    identity: (u64, u64),
    end: UnixStream,
    meaning: Meaning,
}

/// Descriptors that programs may have.
#[derive(Default)]
pub(crate) struct Shares(Vec<Share>);

impl Shares {
    /// Tells who polls, and forgets what is closed.
    pub(crate) fn sweep(&mut self) {
        self.0.retain_mut(|share| {
            if let Meaning::SyncFile { fence, is_told } = &mut share.meaning
                && !*is_told
                && fence.is_done()
            {
                *is_told = true;
                // std's sockets raise no signal where nobody listens.
                let _ = share.end.write_all(&[1]);
            }
            !is_hung_up(share.end.as_raw_fd())
        });
    }

    fn add(&mut self, meaning: Meaning) -> Result<RawFd> {
        let (end, given) = UnixStream::pair().map_err(|_| Errno::last())?;
        let identity = identity(given.as_raw_fd()).ok_or(Errno::IO)?;
        self.0.push(Share { identity, end, meaning });
        self.sweep();
        Ok(given.into_raw_fd())
    }

    fn find(&self, fd: c_int) -> Result<&Meaning> {
        let identity = identity(fd).ok_or(Errno::INVAL)?;
        self.0.iter().find(|share| share.identity == identity).map(|share| &share.meaning).ok_or_else(|| {
            say("a descriptor of a synchronization object that this process has not made is not supported");
            Errno::INVAL
        })
    }
}

fn is_hung_up(fd: c_int) -> bool {
    let mut poll = libc::pollfd { fd, events: 0, revents: 0 };
    // SAFETY: one entry.
    unsafe { libc::poll(&mut poll, 1, 0) > 0 && poll.revents & libc::POLLHUP != 0 }
}

const SYNC_FILE: u32 = 1;

/// SYNCOBJ_HANDLE_TO_FD.
pub(crate) fn to_fd(door: &Door, args: &mut SyncobjHandle) -> Result {
    let mut state = door.lock();
    let object = find(&state, args.handle)?;
    let meaning = match args.flags {
        0 => Meaning::Object(object),
        SYNC_FILE => sync_file(object.fence_at(0).ok_or(Errno::INVAL)?),
        _ => return Err(Errno::INVAL),
    };
    args.fd = state.shares.add(meaning)?;
    Ok(())
}

fn sync_file(fence: Fence) -> Meaning {
    Meaning::SyncFile { fence, is_told: false }
}

/// SYNCOBJ_FD_TO_HANDLE.
pub(crate) fn to_handle(door: &Door, args: &mut SyncobjHandle) -> Result {
    let mut state = door.lock();
    match (args.flags, state.shares.find(args.fd)?) {
        (0, Meaning::Object(object)) => {
            let object = object.clone();
            args.handle = insert(&mut state, object);
        }
        (SYNC_FILE, Meaning::SyncFile { fence, .. }) => {
            let fence = fence.clone();
            find(&state, args.handle)?.put(0, fence);
            drop(state);
            door.announce();
        }
        _ => return Err(Errno::INVAL),
    }
    Ok(())
}

fn insert(state: &mut State, object: Arc<Syncobj>) -> u32 {
    let handle = state.new_handle();
    state.syncobjs.insert(handle, object);
    handle
}

/// FENCE_TO_HANDLE: a job as an object, or as a descriptor.
pub(crate) fn fence_to_handle(door: &Door, args: &mut FenceToHandle) -> Result<u32> {
    const OBJECT: u32 = 0;
    const OBJECT_FD: u32 = 1;
    const FILE_FD: u32 = 2;
    let FenceToHandle { ctx_id, ip_type, ip_instance, ring, seq_no, what, .. } = *args;
    let fence = crate::wait::job(door, &uapi::Fence { ctx_id, ip_type, ip_instance, ring, seq_no })?;
    let mut state = door.lock();
    let object = |fence| {
        let object = Arc::<Syncobj>::default();
        object.put(0, fence);
        object
    };
    match what {
        OBJECT => Ok(insert(&mut state, object(fence))),
        OBJECT_FD => Ok(state.shares.add(Meaning::Object(object(fence)))? as u32),
        FILE_FD => Ok(state.shares.add(sync_file(fence))? as u32),
        _ => Err(Errno::INVAL),
    }
}
