//! What is allocated, by address: for frees, for questions about pointers, and for copies, whose ranges are checked.

use crate::advice::Advice;
use crate::gpu::{self, Gpu};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use wavejit::fork::RwLock;
use wavejit::{Buffer, Error};

/// What kind of memory it is. Host and device reach all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `hipMalloc` and the like.
    Device,
    /// `hipHostMalloc`.
    Host,
    /// `hipMallocManaged`, `__managed__` variables.
    Managed,
    /// Of an allocation node of a graph, which keeps it.
    Graph,
    /// `hipMemMap`: counted with what is mapped.
    Mapped,
    /// `hipHostRegister`: the program's own.
    Registered,
}

/// An allocation.
pub(crate) struct Allocation {
    pub address: u64,
    pub bytes: u64,
    pub kind: Kind,
    pub gpu: &'static Gpu,
    /// Flags of the function that made it.
    pub flags: u32,
    /// What the program has said about its use.
    advice: Advice,
    /// Its memory, unless it is the program's own.
    _buffer: Option<Buffer>,
}

/// What is known of an allocation.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub address: u64,
    pub bytes: u64,
    pub kind: Kind,
    pub gpu: &'static Gpu,
    pub flags: u32,
    pub advice: Advice,
}

static LIVE: RwLock<BTreeMap<u64, Allocation>> = RwLock::new(BTreeMap::new());

impl Drop for Allocation {
    fn drop(&mut self) {
        if !matches!(self.kind, Kind::Registered | Kind::Mapped) {
            self.gpu.allocated.fetch_sub(self.bytes, Relaxed);
        }
    }
}

/// Allocates zeroed memory; its address.
pub(crate) fn allocate(gpu: &'static Gpu, bytes: usize, kind: Kind, flags: u32) -> Result<u64> {
    gpu::take_memory(gpu, bytes as u64)?;
    let buffer = gpu.device.alloc(bytes).map_err(|error| {
        gpu.allocated.fetch_sub(bytes as u64, Relaxed);
        match error {
            Error::OutOfMemory(_) | Error::Arg(_) => Status::OUT_OF_MEMORY,
            other => crate::status::told(&other),
        }
    })?;
    let address = buffer.address();
    LIVE.write()
        .insert(address, Allocation { address, bytes: bytes as u64, kind, gpu, flags, advice: Advice::default(), _buffer: Some(buffer) });
    Ok(address)
}

/// Notes memory of the program's own.
pub(crate) fn register(gpu: &'static Gpu, address: u64, bytes: u64, flags: u32) -> Result {
    let mut live = LIVE.write();
    if overlapping(&live, address, bytes).is_some() {
        return Err(Status::HOST_MEMORY_ALREADY_REGISTERED);
    }
    live.insert(address, Allocation { address, bytes, kind: Kind::Registered, gpu, flags, advice: Advice::default(), _buffer: None });
    Ok(())
}

/// Notes memory that somebody else keeps, where nothing else is.
pub(crate) fn note(gpu: &'static Gpu, address: u64, bytes: u64, kind: Kind) {
    LIVE.write().insert(address, Allocation { address, bytes, kind, gpu, flags: 0, advice: Advice::default(), _buffer: None });
}

fn overlapping(live: &BTreeMap<u64, Allocation>, address: u64, bytes: u64) -> Option<&Allocation> {
    let (_, before) = live.range(..address.saturating_add(bytes.max(1))).next_back()?;
    (before.address.saturating_add(before.bytes.max(1)) > address).then_some(before)
}

/// Takes an allocation that begins at an address, if it is of one of these kinds.
pub(crate) fn take(address: u64, kinds: &[Kind]) -> Option<Allocation> {
    let mut live = LIVE.write();
    if live.get(&address).is_some_and(|a| kinds.contains(&a.kind)) { live.remove(&address) } else { None }
}

/// Takes all allocations of a device but those of the program's own.
pub(crate) fn take_all(gpu: &Gpu) -> Vec<Allocation> {
    let mut live = LIVE.write();
    let theirs: Vec<u64> = live
        .values()
        .filter(|a| a.gpu.index == gpu.index && !matches!(a.kind, Kind::Registered | Kind::Mapped))
        .map(|a| a.address)
        .collect();
    theirs.iter().filter_map(|address| live.remove(address)).collect()
}

/// The allocation that holds an address.
pub(crate) fn find(address: u64) -> Option<Known> {
    let live = LIVE.read();
    let Allocation { address, bytes, kind, gpu, flags, advice, .. } = *overlapping(&live, address, 1)?;
    Some(Known { address, bytes, kind, gpu, flags, advice })
}

/// Changes what the program has said about the use of a range, which must lie in one allocation.
pub(crate) fn advise(address: u64, bytes: u64, change: impl FnOnce(&mut Advice) -> Result) -> Result {
    let mut live = LIVE.write();
    let start = overlapping(&live, address, 1).ok_or(Status::INVALID_VALUE)?.address;
    let known = live.get_mut(&start).ok_or(Status::INVALID_VALUE)?;
    let is_inside = (address - start).checked_add(bytes).is_some_and(|end| end <= known.bytes);
    if bytes == 0 || !is_inside { Err(Status::INVALID_VALUE) } else { change(&mut known.advice) }
}

/// Refuses a range that begins in an allocation and ends beyond it.
pub(crate) fn check_range(address: u64, bytes: u64) -> Result<Option<Known>> {
    let known = find(address);
    match known {
        Some(k) if address - k.address + bytes > k.bytes => Err(Status::INVALID_VALUE),
        _ => Ok(known),
    }
}
