//! Guest memory: which addresses exist, and where they lie in the host.
//!
//! *Isolated*: one large PROT_NONE reservation holds everything a guest can reach. Guest addresses start at [`GUEST_LOW`]; the host
//! address is `mem_base` + guest address, after one range test. *Shared*: guest addresses are host addresses, any may be touched, and a
//! wild one faults (see [`crate::memory::fault`]). Either way every allocation is followed by an unmapped guard page and ends within 255
//! bytes of it, so that an overrun is found (large ones, and all of shared memory with canaries: within a page).
//! A *window* is isolated memory at its own host addresses, in which somebody else maps pages.
//!
//! What is freed while dispatches run keeps its pages and its addresses until those that began before have ended ([`AddressSpace::hold`]): a
//! kernel that still reads it finds what was there, and not what another allocation has put there.
//!
//! What lies between an allocation and its guard page can be watched ([`super::canary`]): [`AddressSpace::after_dispatch`] looks at some of
//! the canaries, [`AddressSpace::check_canaries`] at all.

use super::canary::{Canaries, Changed};
use super::{EDGE, access, fault};
use crate::Error;
use crate::host::sync::Mutex;
use crate::overrun::Overrun;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ptr::null_mut;

/// Lowest guest address in isolated mode. All below is unmapped, so that null pointers with any 32-bit offset fault.
pub const GUEST_LOW: u64 = 0x1_0000_0000;
/// Allocations start at multiples of this.
pub(crate) const ALLOC_ALIGN: u64 = 256;
const PAGE: u64 = 4096;
/// Addresses a program of the host can have memory at, unless it asks for more. On x86-64 a fault above that does not say where it was.
const HOST_BYTES: u64 = if cfg!(target_arch = "x86_64") { 1 << 47 } else { u64::MAX };
/// Allocations from this size on are aligned for and use huge pages.
const HUGE: u64 = 2 << 20;
/// Allocations whose canaries are looked at after a dispatch, in turn.
const LOOKS: usize = 32;
/// How far it looks behind each of them.
const NEAR: u64 = 64;

/// How guest addresses relate to host addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum AddressMode {
    /// Guest memory is a reservation of its own; every address is tested.
    #[default]
    Isolated,
    /// Guest addresses are host addresses, for embedders that pass their own pointers.
    Shared,
}

/// Guest memory and its allocator. Thread-safe.
#[derive(Debug)]
pub struct AddressSpace {
    mode: AddressMode,
    /// Host address of guest address 0 (wrapping).
    base: u64,
    /// Lowest guest address, and bytes above it.
    low: u64,
    size: u64,
    /// Host range to unmap at the end.
    reservation: Option<(u64, u64)>,
    /// Do new allocations get canaries?
    has_canaries: bool,
    blocks: Mutex<Blocks>,
}

#[derive(Debug, Default)]
struct Blocks {
    /// Free page ranges of the reservation: guest start -> bytes.
    free: BTreeMap<u64, u64>,
    /// Live allocations by guest address.
    live: BTreeMap<u64, Block>,
    /// Holds there are, by number.
    holds: BTreeSet<u64>,
    /// Number of the next hold.
    next_hold: u64,
    /// Allocations freed while there were holds, and the number of the first hold that began after that; oldest first.
    retired: VecDeque<(u64, Block)>,
    watch: Watch,
}

/// What is known of canaries.
#[derive(Debug, Default)]
struct Watch {
    /// Dispatches that have ended.
    dispatches: u64,
    /// The kernel of the last one.
    kernel: String,
    /// Where the next look begins.
    next: u64,
    /// Broken ones of allocations that have been freed, and whatever else nobody has been told of.
    untold: Vec<Overrun>,
}

/// Keeps memory that is freed meanwhile mapped; see [`AddressSpace::hold`].
#[derive(Debug)]
pub(crate) struct Hold<'a> {
    space: &'a AddressSpace,
    number: u64,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let mut blocks = self.space.blocks.lock();
        blocks.holds.remove(&self.number);
        let oldest = blocks.holds.first().copied().unwrap_or(blocks.next_hold);
        while let Some((_, block)) = blocks.retired.pop_front_if(|(since, _)| *since <= oldest) {
            self.space.release(&mut blocks, block);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Block {
    bytes: u64,
    /// Pages taken, guard included.
    pages: u64,
    pages_bytes: u64,
    canaries: Canaries,
    /// Dispatches that had ended when its canaries were last looked at.
    looked: u64,
}

impl AddressSpace {
    /// The host's memory, none of it allocated. All functions of it that touch memory, safe or not, may touch any.
    pub(crate) fn shared() -> AddressSpace {
        AddressSpace::of_host(AddressMode::Shared)
    }

    fn of_host(mode: AddressMode) -> AddressSpace {
        fault::install();
        AddressSpace { mode, base: 0, low: 0, size: HOST_BYTES, reservation: None, has_canaries: false, blocks: Mutex::default() }
    }

    /// One of either mode.
    #[cfg(test)]
    pub(crate) fn new(mode: AddressMode, reserve_bytes: u64) -> Result<AddressSpace, Error> {
        match mode {
            AddressMode::Isolated => AddressSpace::isolated(reserve_bytes),
            AddressMode::Shared => Ok(AddressSpace::shared()),
        }
    }

    /// An empty address space of its own. Reserves (not: uses) `reserve_bytes` of host addresses, less where the host refuses; 0 means 1 TiB.
    pub(crate) fn isolated(reserve_bytes: u64) -> Result<AddressSpace, Error> {
        let mut space = AddressSpace::of_host(AddressMode::Isolated);
        let wanted = if reserve_bytes == 0 { 1 << 40 } else { reserve_bytes.clamp(PAGE, 1 << 46).next_multiple_of(PAGE) };
        let sizes = std::iter::successors(Some(wanted), |n| (reserve_bytes == 0 && *n > 1 << 30).then_some(n / 4));
        for size in sizes {
            if let Some(host) = map_none(size + 2 * EDGE) {
                space.reservation = Some((host, size + 2 * EDGE));
                space.base = (host + EDGE).wrapping_sub(GUEST_LOW);
                (space.low, space.size) = (GUEST_LOW, size);
                space.blocks.lock().free.insert(GUEST_LOW, size);
                return Ok(space);
            }
        }
        Err(Error::OutOfMemory(format!("the host has no {wanted:#x} bytes of address space for guest memory")))
    }

    /// Gives pages of a [window](crate::Device::window) memory, zeroed where they had none. An [`Error::Arg`] if they are not whole pages of it, or if
    /// it is no window.
    pub fn commit(&self, address: u64, bytes: u64) -> Result<(), Error> {
        let is_window = self.mode == AddressMode::Isolated && self.base == 0;
        let is_inside = address.is_multiple_of(PAGE) && bytes.is_multiple_of(PAGE) && self.host(address, bytes).is_some();
        if !is_window || !is_inside {
            return Err(Error::Arg(format!("{bytes:#x} bytes at {address:#x} are not whole pages of a window")));
        }
        if commit(address, bytes, false) {
            Ok(())
        } else {
            Err(Error::OutOfMemory(format!("no memory for {bytes:#x} bytes at {address:#x}")))
        }
    }

    /// Whatever is allocated gets canaries from now on.
    pub(crate) fn with_canaries(mut self) -> AddressSpace {
        self.has_canaries = true;
        self
    }

    /// A reservation at a place of the caller's choice, whose guest addresses are its host addresses. Nothing is mapped in it, and nothing can be
    /// allocated.
    pub(crate) fn window(start: u64, bytes: u64) -> Result<AddressSpace, Error> {
        let is_aligned = start.is_multiple_of(PAGE) && bytes.is_multiple_of(PAGE);
        if !is_aligned || bytes == 0 || start < 2 * EDGE || start.checked_add(bytes).is_none_or(|end| end > HOST_BYTES - 2 * EDGE) {
            return Err(Error::Arg(format!("a window of {bytes:#x} bytes at {start:#x}")));
        }
        let mut space = AddressSpace::of_host(AddressMode::Isolated);
        let (host, all) = (start - EDGE, bytes + 2 * EDGE);
        if !map_none_at(host, all) {
            return Err(Error::OutOfMemory(format!("the host's addresses {start:#x}..{:#x} are not free for guest memory", start + bytes)));
        }
        space.reservation = Some((host, all));
        (space.low, space.size) = (start, bytes);
        Ok(space)
    }

    /// May there be memory in it that others have mapped, such as files? Guest addresses are then host addresses.
    pub(crate) fn may_have_files(&self) -> bool {
        self.base == 0
    }

    /// How addresses relate to the host's.
    pub fn mode(&self) -> AddressMode {
        self.mode
    }
    /// Host address of guest address 0 (wrapping).
    pub fn mem_base(&self) -> u64 {
        self.base
    }
    /// Lowest guest address.
    pub fn mem_low(&self) -> u64 {
        self.low
    }
    /// Bytes from `mem_low` on that may hold something; `u64::MAX`: no limit.
    pub fn mem_size(&self) -> u64 {
        self.size
    }

    /// Allocates `bytes` of zeros at a multiple of `align` (at least [`ALLOC_ALIGN`]); the guest address.
    pub(crate) fn alloc(&self, bytes: u64, align: u64) -> Result<u64, Error> {
        let no_room = || Error::OutOfMemory(format!("no room for {bytes:#x} bytes of guest memory"));
        let align = align.max(ALLOC_ALIGN);
        if !align.is_power_of_two() || align > HUGE || bytes > 1 << 46 {
            return Err(Error::Arg(format!("cannot allocate {bytes:#x} bytes aligned to {align:#x}")));
        }
        let body = bytes.max(1).next_multiple_of(PAGE);
        let huge = body >= HUGE;
        let pages_bytes = body + PAGE;
        let mut blocks = self.blocks.lock();
        let pages_align = if huge || align > PAGE { HUGE } else { PAGE };
        let pages = match self.mode {
            AddressMode::Isolated => blocks.take(pages_bytes, pages_align).ok_or_else(no_room)?,
            AddressMode::Shared => map_none(pages_bytes + pages_align).ok_or_else(no_room)?,
        };
        let (pages, kept_bytes, first) = match self.mode {
            AddressMode::Isolated => (pages, pages_bytes, pages),
            AddressMode::Shared => (pages, pages_bytes + pages_align, (pages + self.base).next_multiple_of(pages_align)),
        };
        if !commit(self.base.wrapping_add(first), body, huge) {
            match self.mode {
                AddressMode::Isolated => blocks.give_back(pages, kept_bytes),
                AddressMode::Shared => unmap(pages, kept_bytes),
            }
            return Err(no_room());
        }
        // Large ones start on the huge page; the others end at the guard. Programs of GPUs with canaries find what they find on a chip: whole
        // pages. What is stored to the rest of the last one is told, and does no harm.
        let at_start = huge || self.mode == AddressMode::Shared && self.has_canaries;
        let address = if at_start { first } else { (first + body - bytes.max(1)) & !(align - 1) };
        let mut canaries = Canaries::default();
        if self.has_canaries {
            let host = |at: u64| self.base.wrapping_add(at);
            // SAFETY: these pages have just been made readable and writable, and nobody knows of them yet.
            canaries = unsafe { Canaries::plant(host(first), host(address), bytes.max(1), host(first + body)) };
        }
        let looked = blocks.watch.dispatches;
        blocks.live.insert(address, Block { bytes, pages, pages_bytes: kept_bytes, canaries, looked });
        Ok(address)
    }

    /// Frees an allocation. Anything else is ignored. While there are holds it stays mapped, though it is not an allocation any longer.
    pub(crate) fn free(&self, address: u64) {
        let mut blocks = self.blocks.lock();
        let Some(mut block) = blocks.live.remove(&address) else { return };
        if let Some(overrun) = self.look(&mut block, address, u64::MAX, &blocks.watch) {
            blocks.watch.untold.push(overrun);
        }
        if blocks.holds.is_empty() {
            self.release(&mut blocks, block);
        } else {
            let since = blocks.next_hold;
            blocks.retired.push_back((since, block));
        }
    }

    /// Notes that a dispatch has ended, and looks at the canaries of some allocations, in turn: so it costs little, however many there are.
    pub(crate) fn after_dispatch(&self, kernel: &str) -> Result<(), Error> {
        if !self.has_canaries {
            return Ok(());
        }
        let mut blocks = self.blocks.lock();
        self.look_after(&mut blocks, kernel);
        blocks.watch.tell()
    }

    /// The same for a dispatch that has failed, which has an error of its own to tell: what it has written is told next time, as its work.
    pub(crate) fn after_failure(&self, kernel: &str) {
        if self.has_canaries {
            self.look_after(&mut self.blocks.lock(), kernel);
        }
    }

    fn look_after(&self, blocks: &mut Blocks, kernel: &str) {
        let Blocks { live, watch, .. } = blocks;
        watch.dispatches += 1;
        if watch.kernel != kernel {
            kernel.clone_into(&mut watch.kernel);
        }
        let start = watch.next;
        watch.next = 0;
        for (n, (address, block)) in live.range_mut(start..).enumerate() {
            if n == LOOKS {
                watch.next = *address;
                break;
            }
            if let Some(overrun) = self.look(block, *address, NEAR, watch) {
                watch.untold.push(overrun);
            }
            block.looked = watch.dispatches;
        }
    }

    /// Looks at the canaries of all allocations. An [`Error::Overrun`] for one that is broken, of which each is told once; call it again for
    /// more.
    pub fn check_canaries(&self) -> Result<(), Error> {
        if !self.has_canaries {
            return Ok(());
        }
        let mut guard = self.blocks.lock();
        let Blocks { live, watch, .. } = &mut *guard;
        for (address, block) in live {
            if let Some(overrun) = self.look(block, *address, u64::MAX, watch) {
                watch.untold.push(overrun);
            }
            block.looked = watch.dispatches;
        }
        watch.tell()
    }

    /// Looks at the canaries of an allocation. Those that are broken are not looked at again.
    #[inline]
    fn look(&self, block: &mut Block, address: u64, reach: u64, watch: &Watch) -> Option<Overrun> {
        // SAFETY: the block has not been released, and its canaries are its own.
        let Changed { offset, bytes } = unsafe { block.canaries.changed(self.base.wrapping_add(address), block.bytes.max(1), reach) }?;
        block.canaries = Canaries::default();
        let dispatches = watch.dispatches - block.looked;
        Some(Overrun { kernel: watch.kernel.clone(), dispatches, buffer: address, buffer_bytes: block.bytes, offset, bytes })
    }

    /// Until the hold is dropped, no memory that is mapped now is unmapped or given to another allocation. Every dispatch has one.
    pub(crate) fn hold(&self) -> Hold<'_> {
        let mut blocks = self.blocks.lock();
        let number = blocks.next_hold;
        blocks.next_hold += 1;
        blocks.holds.insert(number);
        Hold { space: self, number }
    }

    fn release(&self, blocks: &mut Blocks, block: Block) {
        match self.mode {
            AddressMode::Shared => unmap(block.pages, block.pages_bytes),
            AddressMode::Isolated => {
                decommit(self.base.wrapping_add(block.pages), block.pages_bytes);
                blocks.give_back(block.pages, block.pages_bytes);
            }
        }
    }

    /// The allocation (guest address, bytes) that holds `address`.
    pub fn find(&self, address: u64) -> Option<(u64, u64)> {
        let blocks = self.blocks.lock();
        let (start, block) = blocks.live.range(..=address).next_back()?;
        (address - start < block.bytes.max(1)).then_some((*start, block.bytes))
    }

    /// Host address of `len` guest bytes, if the range test admits them. They need not be mapped.
    pub(crate) fn host(&self, address: u64, len: u64) -> Option<u64> {
        let off = address.wrapping_sub(self.low);
        (off < self.size && len <= self.size - off).then(|| self.base.wrapping_add(address))
    }

    /// Copies from guest memory.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), Error> {
        let ok = self.host(address, to.len() as u64).is_some_and(|host| access::read(host, to));
        if ok { Ok(()) } else { Err(unmapped("read", address, to.len())) }
    }

    /// Copies to guest memory.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), Error> {
        let ok = self.host(address, from.len() as u64).is_some_and(|host| access::write(host, from));
        if ok { Ok(()) } else { Err(unmapped("written", address, from.len())) }
    }

    /// Says that bytes are about to be written: brings their lines to the processor's caches, which takes as long as many instructions do. For what is written
    /// to soon after and not read before; without effect where nothing is mapped.
    #[inline]
    pub fn prepare_to_write(&self, address: u64, bytes: u64) {
        let Some(host) = self.host(address, bytes) else { return };
        #[cfg(target_arch = "x86_64")]
        for line in (0..bytes).step_by(64) {
            // SAFETY: touches nothing but caches, and faults nowhere; processors that do not know it pass over it.
            unsafe { std::arch::asm!("prefetchw [{p}]", p = in(reg) host.wrapping_add(line), options(nostack, preserves_flags, readonly)) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = host;
    }

    /// Copies within guest memory. The ranges may be the same, but not overlap in part.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), Error> {
        let len = usize::try_from(bytes).map_err(|_| Error::Arg(format!("a copy of {bytes:#x} bytes")))?;
        let (source, place) = match (self.host(from, bytes), self.host(to, bytes)) {
            (Some(source), Some(place)) => (source, place),
            (None, _) => return Err(unmapped("read", from, len)),
            (_, None) => return Err(unmapped("written", to, len)),
        };
        if access::transfer(place, source, len) {
            return Ok(());
        }
        // Which side it was: the source is read again, which is rare and has no effect.
        let mut piece = vec![0; len.min(1 << 16)];
        let is_readable = (0..len).step_by(piece.len().max(1)).all(|at| {
            let part = (len - at).min(1 << 16);
            access::read(source.wrapping_add(at as u64), &mut piece[..part])
        });
        Err(if is_readable { unmapped("written", to, len) } else { unmapped("read", from, len) })
    }

    /// Writes a pattern of 1 to 16 bytes `count` times, one after the other.
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), Error> {
        let too_long = || Error::Arg(format!("{count} times {} bytes", pattern.len()));
        if pattern.is_empty() || pattern.len() > 16 {
            return Err(too_long());
        }
        let total = count.checked_mul(pattern.len() as u64).and_then(|n| usize::try_from(n).ok()).ok_or_else(too_long)?;
        let host = self.host(address, total as u64).ok_or_else(|| unmapped("written", address, total))?;
        // A whole number of patterns at a time.
        let piece = pattern.repeat(total.min(1 << 14).div_ceil(pattern.len()));
        let ok = (0..total).step_by(piece.len().max(1)).all(|at| {
            let part = &piece[..piece.len().min(total - at)];
            access::write(host.wrapping_add(at as u64), part)
        });
        if ok { Ok(()) } else { Err(unmapped("written", address, total)) }
    }

    /// The dword at a guest address, if there is one.
    pub fn read_u32(&self, address: u64) -> Option<u32> {
        access::read_u32(self.host(address, 4)?)
    }

    /// All live allocations and their bytes, for [`AddressSpace::restore`].
    pub fn snapshot(&self) -> Result<MemorySnapshot, Error> {
        let live: Vec<(u64, u64)> = self.blocks.lock().live.iter().map(|(a, b)| (*a, b.bytes)).collect();
        let mut parts = Vec::with_capacity(live.len());
        for (address, bytes) in live {
            let mut data = vec![0; bytes as usize];
            self.read(address, &mut data)?;
            parts.push((address, data));
        }
        Ok(MemorySnapshot { parts })
    }

    /// Puts the bytes of a snapshot back. Allocations made since stay as they are.
    pub fn restore(&self, snapshot: &MemorySnapshot) -> Result<(), Error> {
        snapshot.parts.iter().try_for_each(|(address, data)| self.write(*address, data))
    }
}

/// The contents of all allocations at one moment.
#[derive(Clone, Debug)]
pub struct MemorySnapshot {
    parts: Vec<(u64, Vec<u8>)>,
}

impl MemorySnapshot {
    /// Guest address and contents of each allocation, by address.
    pub fn parts(&self) -> &[(u64, Vec<u8>)] {
        &self.parts
    }
}

fn unmapped(done: &'static str, address: u64, bytes: usize) -> Error {
    Error::NotMapped { address, bytes, done }
}

impl Drop for AddressSpace {
    fn drop(&mut self) {
        if let Some((host, bytes)) = self.reservation {
            unmap(host, bytes);
        } else {
            // Nothing is retired: that takes a hold, which borrows the address space.
            for block in self.blocks.get_mut().live.values() {
                unmap(block.pages, block.pages_bytes);
            }
        }
    }
}

impl Watch {
    /// The first overrun that nobody has been told of, as an error.
    fn tell(&mut self) -> Result<(), Error> {
        if self.untold.is_empty() { Ok(()) } else { Err(Error::Overrun(Box::new(self.untold.remove(0)))) }
    }
}

impl Blocks {
    /// First fit, lowest address.
    fn take(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let fits = |(start, len): (&u64, &u64)| {
            let at = start.next_multiple_of(align);
            (at + bytes <= start + len).then_some((*start, *len, at))
        };
        let (start, len, at) = self.free.iter().find_map(fits)?;
        self.free.remove(&start);
        if at > start {
            self.free.insert(start, at - start);
        }
        if at + bytes < start + len {
            self.free.insert(at + bytes, start + len - at - bytes);
        }
        Some(at)
    }

    fn give_back(&mut self, mut start: u64, mut bytes: u64) {
        if let Some((before, len)) = self.free.range(..start).next_back().map(|(a, b)| (*a, *b))
            && before + len == start
        {
            self.free.remove(&before);
            (start, bytes) = (before, bytes + len);
        }
        if let Some(len) = self.free.remove(&(start + bytes)) {
            bytes += len;
        }
        self.free.insert(start, bytes);
    }
}

fn map_none(bytes: u64) -> Option<u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping wherever the kernel likes.
    let p = unsafe { libc::mmap(null_mut(), bytes as usize, libc::PROT_NONE, flags, -1, 0) };
    (p != libc::MAP_FAILED).then_some(p as u64)
}

/// Reserves these addresses, if all of them are free.
fn map_none_at(host: u64, bytes: u64) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    #[cfg(target_os = "linux")]
    let flags = flags | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: a new mapping, which takes the place of no other.
    let p = unsafe { libc::mmap(host as *mut libc::c_void, bytes as usize, libc::PROT_NONE, flags, -1, 0) };
    if p == libc::MAP_FAILED {
        return false;
    }
    // Systems that take the address for a hint.
    if p as u64 != host {
        unmap(p as u64, bytes);
    }
    p as u64 == host
}

fn unmap(host: u64, bytes: u64) {
    // SAFETY: callers pass a mapping they made and that nobody uses any more.
    unsafe { libc::munmap(host as *mut libc::c_void, bytes as usize) };
}

fn commit(host: u64, bytes: u64, huge: bool) -> bool {
    let p = host as *mut libc::c_void;
    // SAFETY: callers pass pages of a mapping they made, in use by nobody.
    unsafe {
        let ok = libc::mprotect(p, bytes as usize, libc::PROT_READ | libc::PROT_WRITE) == 0;
        #[cfg(target_os = "linux")]
        if ok && huge {
            libc::madvise(p, bytes as usize, libc::MADV_HUGEPAGE);
        }
        ok
    }
}

fn decommit(host: u64, bytes: u64) {
    let p = host as *mut libc::c_void;
    // SAFETY: as for `commit`; the contents are dropped, the addresses stay ours.
    unsafe {
        libc::madvise(p, bytes as usize, libc::MADV_DONTNEED);
        libc::mprotect(p, bytes as usize, libc::PROT_NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_zeroed_and_guarded() {
        for mode in [AddressMode::Isolated, AddressMode::Shared] {
            let space = AddressSpace::new(mode, 0).unwrap();
            for bytes in [0, 1, 255, 256, 257, 4096, 5000, 3 << 20] {
                let a = space.alloc(bytes, 0).unwrap();
                assert_eq!(a % ALLOC_ALIGN, 0);
                let mut data = vec![1; bytes as usize];
                space.read(a, &mut data).unwrap();
                assert!(data.iter().all(|b| *b == 0));
                space.write(a, &vec![7; bytes as usize]).unwrap();
                let beyond = (a + bytes).next_multiple_of(PAGE);
                assert!(space.write(beyond, &[1]).is_err(), "{mode:?} {bytes}");
                space.free(a);
                if mode == AddressMode::Isolated && bytes > 0 {
                    assert!(space.read(a, &mut data).is_err());
                }
            }
        }
    }

    #[test]
    fn what_is_freed_under_a_hold_goes_when_older_holds_have_gone() {
        for mode in [AddressMode::Isolated, AddressMode::Shared] {
            let space = AddressSpace::new(mode, 0).unwrap();
            let is_mapped = |a| space.read(a, &mut [0; 4096]).is_ok();
            let [a, b] = [(); 2].map(|()| space.alloc(4096, 4096).unwrap());
            let first = space.hold();
            space.free(a);
            assert!(is_mapped(a) && space.find(a).is_none(), "{mode:?}");
            assert_ne!(space.alloc(4096, 4096).unwrap(), a);
            let second = space.hold();
            space.free(b);
            drop(first);
            // The second began after `a` was freed, and knows nothing of it.
            assert_eq!(space.blocks.lock().retired.len(), 1);
            assert!(is_mapped(b));
            drop(second);
            assert!(space.blocks.lock().retired.is_empty());
            if mode == AddressMode::Isolated {
                assert!(!is_mapped(a) && !is_mapped(b));
            }
        }
    }

    #[test]
    fn copies_and_fills_end_where_memory_does() {
        for mode in [AddressMode::Isolated, AddressMode::Shared] {
            let space = AddressSpace::new(mode, 0).unwrap();
            let [a, b] = [(); 2].map(|()| space.alloc(200_000, 4096).unwrap());
            space.fill(a, &[1, 2, 3], 60_000).unwrap();
            space.copy(b + 1, a, 180_000).unwrap();
            let mut bytes = vec![0; 180_002];
            space.read(b, &mut bytes).unwrap();
            assert_eq!((bytes[0], bytes[180_001]), (0, 0), "{mode:?}");
            assert!(bytes[1..180_001].chunks(3).all(|c| c == [1, 2, 3]));
            let failed = |r: Result<(), Error>| r.unwrap_err().to_string();
            assert!(failed(space.copy(b, a, 1 << 20)).contains("cannot be read"));
            assert!(failed(space.fill(a, &[0; 4], 1 << 20)).contains("cannot be written"));
            assert!(space.fill(a, &[], 1).is_err() && space.fill(a, &[0; 16], u64::MAX).is_err());
        }
    }

    #[test]
    fn a_window_is_empty_and_lies_where_it_is_wanted() {
        let at = 0x1234_0000_0000;
        let space = AddressSpace::window(at, 1 << 32).unwrap();
        assert_eq!((space.mem_low(), space.mem_base(), space.mem_size()), (at, 0, 1 << 32));
        assert!(space.alloc(1, 0).is_err() && space.read(at, &mut [0]).is_err());
        // Pages of the test's own, in the middle.
        let page = at + (1 << 31);
        space.commit(page, PAGE).unwrap();
        space.write(page, &[1, 2]).unwrap();
        assert_eq!(space.read_u32(page), Some(0x201));
        assert!(space.write(page + PAGE, &[1]).is_err() && space.write(at - 1, &[1]).is_err());
        let taken = AddressSpace::window(at + (1 << 31), 4096).unwrap_err().to_string();
        assert!(taken.contains("0x123480000000..0x123480001000 are not free"), "{taken}");
        for (start, bytes) in [(at, 100), (at + 1, 4096), (at, 0), (0, 4096), (u64::MAX - 4095, 4096), (at, 1 << 47)] {
            assert!(AddressSpace::window(start, bytes).is_err(), "{start:#x} {bytes:#x}");
        }
        for (address, bytes) in [(page + 1, PAGE), (page, 1), (at - PAGE, PAGE), (page, 1 << 33)] {
            assert!(space.commit(address, bytes).is_err(), "{address:#x} {bytes:#x}");
        }
        drop(space);
        assert!(AddressSpace::window(at, 4096).is_ok());
        assert!(AddressSpace::isolated(1 << 30).unwrap().commit(GUEST_LOW, PAGE).is_err());
    }

    #[test]
    fn freed_ranges_merge() {
        let space = AddressSpace::new(AddressMode::Isolated, 1 << 30).unwrap();
        let all: Vec<u64> = (0..100).map(|i| space.alloc(i * 1000, 0).unwrap()).collect();
        for i in (0..100).step_by(2).chain((1..100).step_by(2)) {
            space.free(all[i]);
        }
        assert_eq!(space.blocks.lock().free.len(), 1);
        assert!(space.alloc(2 << 30, 0).is_err());
    }

    #[test]
    fn addresses_outside_the_window_are_refused() {
        let space = AddressSpace::new(AddressMode::Isolated, 1 << 30).unwrap();
        for a in [0, 8, GUEST_LOW - 1, GUEST_LOW + (1 << 30), u64::MAX, 0x1_0000_0000_0000] {
            assert!(space.read(a, &mut [0; 4]).is_err(), "{a:#x}");
        }
    }

    #[test]
    fn a_snapshot_brings_bytes_back() {
        let space = AddressSpace::new(AddressMode::Isolated, 0).unwrap();
        let a = space.alloc(10, 0).unwrap();
        space.write(a, b"0123456789").unwrap();
        let s = space.snapshot().unwrap();
        space.write(a, b"..........").unwrap();
        space.restore(&s).unwrap();
        let mut now = [0; 10];
        space.read(a, &mut now).unwrap();
        assert_eq!(&now, b"0123456789");
    }
}
