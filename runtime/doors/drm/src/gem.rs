//! Buffers: ranges of the memory file, by handle.

use crate::door::Door;
use crate::errno::{Errno, Result, say};
use crate::node::{FILE_BYTES, Node};
use crate::raw::{read, write_short};
use crate::uapi::{GemCreate, GemMetadata, GemMmap, GemOp, Handle, PrimeHandle};
use crate::userptr;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Buffers are whole pages.
pub(crate) const PAGE: u64 = 4096;
/// Buffers from this size on begin at multiples of it, so that they may have huge pages.
const HUGE: u64 = 2 << 20;

/// Domains that memory may be asked for in: CPU, GTT, VRAM. All of it is the host's.
const MEMORY_DOMAINS: u64 = 7;
const GTT: u64 = 2;
/// Memory inside the chip: GDS, GWS, OA.
const CHIP_DOMAINS: u64 = 0x38;
/// CPU access, none, write-combined, cleared, contiguous, always valid, explicit sync, wipe, encrypted (refused), preemptible, discardable.
const KNOWN_FLAGS: u64 = 0x1eef;
const NO_CPU_ACCESS: u64 = 1 << 1;
const ENCRYPTED: u64 = 1 << 10;

/// A range of the memory file, given back when it is dropped.
pub(crate) struct Buffer {
    /// Where it is in the file.
    pub offset: u64,
    /// Whole pages.
    pub bytes: u64,
    create: GemCreate,
    metadata: Mutex<GemMetadata>,
    /// Where the program had it before: GEM_USERPTR.
    users: Option<u64>,
    file: Arc<FileSpace>,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(address) = self.users {
            userptr::unshare(&self.file.node, address, self.bytes, self.offset);
        }
        self.file.node.discard(self.offset, self.bytes);
        self.file.give_back(self.offset, self.bytes);
    }
}

/// Which ranges of the file are free.
struct FileSpace {
    node: Arc<Node>,
    free: Mutex<BTreeMap<u64, u64>>,
}

impl FileSpace {
    fn take(&self, bytes: u64) -> Option<u64> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let align = if bytes >= HUGE { HUGE } else { PAGE };
        let fits = |(start, len): (&u64, &u64)| {
            let at = start.next_multiple_of(align);
            (at + bytes <= start + len).then_some((*start, *len, at))
        };
        let (start, len, at) = free.iter().find_map(fits)?;
        free.remove(&start);
        if at > start {
            free.insert(start, at - start);
        }
        if at + bytes < start + len {
            free.insert(at + bytes, start + len - at - bytes);
        }
        Some(at)
    }

    fn give_back(&self, mut start: u64, mut bytes: u64) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, len)) = free.range(..start).next_back().map(|(a, b)| (*a, *b))
            && before + len == start
        {
            free.remove(&before);
            (start, bytes) = (before, bytes + len);
        }
        if let Some(len) = free.remove(&(start + bytes)) {
            bytes += len;
        }
        free.insert(start, bytes);
    }
}

/// All buffers by handle.
pub(crate) struct Buffers {
    file: Arc<FileSpace>,
    by_handle: FxHashMap<u32, Arc<Buffer>>,
}

impl Buffers {
    pub(crate) fn new(node: Arc<Node>) -> Buffers {
        let free = Mutex::new(BTreeMap::from([(0, FILE_BYTES)]));
        Buffers { file: Arc::new(FileSpace { node, free }), by_handle: FxHashMap::default() }
    }

    pub(crate) fn get(&self, handle: u32) -> Result<Arc<Buffer>> {
        self.by_handle.get(&handle).cloned().ok_or(Errno::NOENT)
    }

    /// Bytes of all buffers that have a handle.
    pub(crate) fn bytes(&self) -> u64 {
        self.by_handle.values().map(|b| b.bytes).sum()
    }
}

/// GEM_CREATE.
pub(crate) fn create(door: &Door, args: &mut GemCreate) -> Result {
    let GemCreate { bo_size, domains, domain_flags, .. } = *args;
    if domain_flags & !KNOWN_FLAGS != 0 || domain_flags & ENCRYPTED != 0 || domains & !(MEMORY_DOMAINS | CHIP_DOMAINS) != 0 {
        say(&format!("GEM_CREATE: domains {domains:#x} with flags {domain_flags:#x} are not supported"));
        return Err(Errno::INVAL);
    }
    if domains & CHIP_DOMAINS != 0 {
        say("GEM_CREATE: memory inside the chip (GDS, GWS, OA) is not supported");
        return Err(Errno::INVAL);
    }
    if bo_size == 0 {
        return Err(Errno::INVAL);
    }
    let bytes = bo_size.checked_next_multiple_of(PAGE).filter(|n| *n <= FILE_BYTES).ok_or(Errno::NOMEM)?;
    let mut state = door.lock();
    let file = state.buffers.file.clone();
    let offset = file.take(bytes).ok_or(Errno::NOMEM)?;
    let metadata = Mutex::new(GemMetadata { ..crate::raw::Plain::ZERO });
    let buffer = Arc::new(Buffer { offset, bytes, create: GemCreate { bo_size: bytes, ..*args }, metadata, users: None, file });
    let handle = state.new_handle();
    state.buffers.by_handle.insert(handle, buffer);
    args.bo_size = u64::from(handle);
    Ok(())
}

/// GEM_CLOSE. What is mapped, or used by work, stays as long as that is so.
pub(crate) fn close(door: &Door, args: &mut Handle) -> Result {
    let mut state = door.lock();
    let buffer = state.buffers.by_handle.remove(&args.handle).ok_or(Errno::INVAL)?;
    // The last handle takes the mappings with it.
    if !state.buffers.by_handle.values().any(|other| Arc::ptr_eq(other, &buffer)) {
        state.map.forget(&buffer);
    }
    Ok(())
}

/// GEM_MMAP: where in the file it is.
pub(crate) fn mmap(door: &Door, args: &mut GemMmap) -> Result {
    let buffer = door.lock().buffers.get(args.addr_ptr as u32)?;
    if buffer.create.domain_flags & NO_CPU_ACCESS != 0 {
        return Err(Errno::PERM);
    }
    args.addr_ptr = buffer.offset;
    Ok(())
}

/// GEM_METADATA: what drivers tell each other about a shared image.
pub(crate) fn metadata(door: &Door, args: &mut GemMetadata) -> Result {
    const SET: u32 = 1;
    const GET: u32 = 2;
    let buffer = door.lock().buffers.get(args.handle)?;
    let mut kept = buffer.metadata.lock().unwrap_or_else(PoisonError::into_inner);
    match args.op {
        SET if args.data_size_bytes as usize > size_of_val(&args.data) => return Err(Errno::INVAL),
        SET => *kept = *args,
        GET => *args = GemMetadata { handle: args.handle, op: args.op, ..*kept },
        _ => return Err(Errno::INVAL),
    }
    Ok(())
}

/// GEM_OP: how it was created.
pub(crate) fn op(door: &Door, args: &mut GemOp) -> Result {
    const GET_GEM_CREATE_INFO: u32 = 0;
    const SET_PLACEMENT: u32 = 1;
    let buffer = door.lock().buffers.get(args.handle)?;
    match args.op {
        GET_GEM_CREATE_INFO => write_short(args.value, &buffer.create, size_of::<GemCreate>()),
        SET_PLACEMENT => Ok(()),
        _ => Err(Errno::INVAL),
    }
}

/// A buffer of memory that the program has already, at this address.
pub(crate) fn add_users(door: &Door, address: u64, bytes: u64) -> Result<u32> {
    let mut state = door.lock();
    let file = state.buffers.file.clone();
    let offset = file.take(bytes).ok_or(Errno::NOMEM)?;
    if let Err(e) = userptr::share(&file.node, address, bytes, offset) {
        file.node.discard(offset, bytes);
        file.give_back(offset, bytes);
        return Err(e);
    }
    let create = GemCreate { bo_size: bytes, alignment: 0, domains: GTT, domain_flags: NO_CPU_ACCESS };
    let buffer = Buffer { offset, bytes, create, metadata: Mutex::new(crate::raw::Plain::ZERO), users: Some(address), file };
    let handle = state.new_handle();
    state.buffers.by_handle.insert(handle, Arc::new(buffer));
    Ok(handle)
}

/// PRIME_HANDLE_TO_FD, PRIME_FD_TO_HANDLE.
pub(crate) fn prime(_: &Door, _: &mut PrimeHandle) -> Result {
    say("buffers that are shared by descriptors (PRIME) are not supported");
    Err(Errno::INVAL)
}

/// A list of buffers: a command submission keeps them until it has run.
pub(crate) fn listed(door: &Door, list: u64) -> Result<Vec<Arc<Buffer>>> {
    use crate::uapi::{BoList, BoListEntry};
    let list: BoList = read(list)?;
    if (list.bo_info_size as usize) < size_of::<BoListEntry>() {
        return Err(Errno::INVAL);
    }
    let entries = (0..u64::from(list.bo_number)).map(|i| read::<BoListEntry>(list.bo_info_ptr + i * u64::from(list.bo_info_size)));
    let entries = entries.collect::<Result<Vec<_>>>()?;
    let state = door.lock();
    entries.iter().map(|entry| state.buffers.get(entry.bo_handle)).collect()
}
