//! Memory for host code: one arena for the process.
//!
//! Code is placed as finished bytes, in pages of its own, in address ranges that were reserved before; each placement gives the lowest pages
//! that are free. A page is either writable, while bytes are put there, or executable, never both. Freed pages give their memory back and
//! stay executable, all zeros, until they are used again. So a reservation is two mappings to the kernel, however much code comes and
//! goes: what has been used, and what has not.
//!
//! ```text
//! reservation: [code a, executable][free][code b, executable]...[not used yet: no access]
//! page table:   a                   -     b                      -
//! ```
//!
//! A signal handler asks [`find`] whose code a program counter is in: a look into the page table of its reservation, without locks. What it finds
//! is alive as long as the thread that was interrupted is inside that code.

use std::collections::BTreeMap;
use std::io;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Bytes of a page, or of several.
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4096 } else { 65536 };
/// Bytes of address space reserved at a time. What refers to each other by 32-bit displacement is placed at once, so any size would do.
const RESERVE_BYTES: usize = 256 << 20;
/// Least that is reserved where the host has not as much.
const LEAST_RESERVE_BYTES: usize = 1 << 20;
/// Most reservations.
const MAX_RESERVATIONS: usize = 64;

/// Why code could not be placed: the host has no memory for it, or does not allow it to be executed.
#[derive(Debug, thiserror::Error)]
#[error("no memory for {bytes} bytes of host code: {why}")]
pub struct OutOfCodeMemory {
    /// Bytes of the code.
    pub bytes: usize,
    /// What the host said.
    pub why: io::Error,
}

/// Which guest instruction host code belongs to.
#[derive(Debug, Default)]
pub struct CodeMap {
    /// (offset in the code, guest address) where the guest address changes, ascending.
    entries: Box<[(u32, u64)]>,
    /// (offset of an instruction that may fault, offset to go on at if it does), ascending.
    recovery: Box<[(u32, u32)]>,
}

impl CodeMap {
    /// A map of these pairs of offset and guest address, in any order.
    pub fn new(mut entries: Vec<(u32, u64)>) -> CodeMap {
        entries.sort_unstable();
        CodeMap { entries: entries.into(), recovery: Box::default() }
    }

    /// The same, with instructions that may fault and where the code goes on if they do: there it repeats the access with care.
    pub fn with_recovery(entries: Vec<(u32, u64)>, mut recovery: Vec<(u32, u32)>) -> CodeMap {
        recovery.sort_unstable();
        CodeMap { recovery: recovery.into(), ..CodeMap::new(entries) }
    }

    fn recovery(&self, offset: usize) -> Option<usize> {
        let i = self.recovery.binary_search_by_key(&offset, |e| e.0 as usize).ok()?;
        Some(self.recovery[i].1 as usize)
    }

    fn guest_pc(&self, offset: usize) -> Option<u64> {
        let after = self.entries.partition_point(|e| e.0 as usize <= offset);
        after.checked_sub(1).map(|i| self.entries[i].1)
    }

    /// Bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.recovery)
    }
}

/// Code in the arena. Freed when dropped, so nobody may be inside it then.
#[derive(Debug)]
pub struct Placed {
    reservation: &'static Reservation,
    first_page: usize,
    pages: usize,
    inside: Box<Inside>,
}

/// What the page table points to.
#[derive(Debug)]
struct Inside {
    start: usize,
    bytes: usize,
    map: CodeMap,
}

impl Inside {
    fn guest_pc(&self, host_pc: usize) -> Option<u64> {
        host_pc.checked_sub(self.start).filter(|offset| *offset < self.bytes).and_then(|offset| self.map.guest_pc(offset))
    }
}

/// A range of addresses.
#[derive(Debug)]
struct Reservation {
    start: usize,
    pages: usize,
    /// By page: whose code it is; null: nobody's.
    owners: Box<[AtomicPtr<Inside>]>,
    free: Mutex<Free>,
}

/// Free pages: runs by first page, none next to another.
#[derive(Debug)]
struct Free(BTreeMap<usize, usize>);

impl Free {
    /// Takes the first run that is long enough, or its beginning.
    fn take(&mut self, pages: usize) -> Option<usize> {
        let (first, len) = self.0.iter().find(|(_, len)| **len >= pages).map(|(first, len)| (*first, *len))?;
        self.0.remove(&first);
        if len > pages {
            self.0.insert(first + pages, len - pages);
        }
        Some(first)
    }

    fn give_back(&mut self, mut first: usize, mut pages: usize) {
        if let Some((before, len)) = self.0.range(..first).next_back().map(|(f, l)| (*f, *l))
            && before + len == first
        {
            self.0.remove(&before);
            (first, pages) = (before, pages + len);
        }
        if let Some(len) = self.0.remove(&(first + pages)) {
            pages += len;
        }
        self.0.insert(first, pages);
    }
}

/// All reservations, in the order they were made; null from the first that was not. They are never given back.
static RESERVATIONS: [AtomicPtr<Reservation>; MAX_RESERVATIONS] = [const { AtomicPtr::new(null_mut()) }; MAX_RESERVATIONS];
/// Bytes that may be placed; see [`set_limit_bytes`].
static LIMIT_BYTES: AtomicUsize = AtomicUsize::new(usize::MAX);
static PLACED_BYTES: AtomicUsize = AtomicUsize::new(0);
static GROWING: Mutex<()> = Mutex::new(());

fn reservations() -> impl Iterator<Item = &'static Reservation> {
    // SAFETY: reservations are leaked before they are published.
    RESERVATIONS.iter().map_while(|r| unsafe { r.load(Ordering::Acquire).as_ref() })
}

/// Limits the code that may be in memory at a time, in bytes of whole pages.
pub fn set_limit_bytes(bytes: usize) {
    LIMIT_BYTES.store(bytes, Ordering::Relaxed);
}

/// Bytes of code that are in memory, in whole pages.
pub fn placed_bytes() -> usize {
    PLACED_BYTES.load(Ordering::Relaxed)
}

/// The guest address of a host program counter: none if it is in no code of ours, `Some(None)` if that instruction belongs to no guest
/// instruction. May be called from a signal handler, by a thread that is inside the code.
pub fn find(host_pc: usize) -> Option<Option<u64>> {
    owner(host_pc).map(|inside| inside.guest_pc(host_pc))
}

/// Where the code goes on if the instruction at this host program counter faults; none if it has no such place. As [`find`].
pub fn recovery(host_pc: usize) -> Option<usize> {
    let inside = owner(host_pc)?;
    inside.map.recovery(host_pc - inside.start).map(|offset| inside.start + offset)
}

/// Whose code it is. The caller is inside it.
fn owner(host_pc: usize) -> Option<&'static Inside> {
    let reservation = reservations().find(|r| host_pc.wrapping_sub(r.start) < r.pages * PAGE)?;
    let owner = reservation.owners[(host_pc - reservation.start) / PAGE].load(Ordering::Acquire);
    // SAFETY: an owner lives as long as its code, in which the caller is.
    unsafe { owner.as_ref() }
}

/// Puts `code`, which does not depend on its address, somewhere and makes it executable.
pub fn place(code: &[u8], map: CodeMap) -> Result<Placed, OutOfCodeMemory> {
    let pages = code.len().div_ceil(PAGE).max(1);
    let refuse = |why| Err(OutOfCodeMemory { bytes: code.len(), why });
    let placed = PLACED_BYTES.fetch_add(pages * PAGE, Ordering::Relaxed) + pages * PAGE;
    if placed > LIMIT_BYTES.load(Ordering::Relaxed) {
        PLACED_BYTES.fetch_sub(pages * PAGE, Ordering::Relaxed);
        return refuse(io::Error::other("the limit for code is reached"));
    }
    match take(pages).and_then(|(reservation, first_page)| fill(reservation, first_page, pages, code, map)) {
        Ok(placed) => Ok(placed),
        Err(why) => {
            PLACED_BYTES.fetch_sub(pages * PAGE, Ordering::Relaxed);
            refuse(why)
        }
    }
}

/// Free pages of some reservation.
fn take(pages: usize) -> io::Result<(&'static Reservation, usize)> {
    let free = |r: &'static Reservation| lock(&r.free).take(pages).map(|first| (r, first));
    if let Some(found) = reservations().find_map(free) {
        return Ok(found);
    }
    let _one_at_a_time = lock(&GROWING);
    // Somebody else may have made room meanwhile.
    if let Some(found) = reservations().find_map(free) {
        return Ok(found);
    }
    let slot = RESERVATIONS.iter().find(|r| r.load(Ordering::Relaxed).is_null());
    let slot = slot.ok_or_else(|| io::Error::other(format!("{MAX_RESERVATIONS} reservations are full")))?;
    let reservation: &'static Reservation = Box::leak(Box::new(Reservation::new(pages * PAGE)?));
    slot.store(std::ptr::from_ref(reservation).cast_mut(), Ordering::Release);
    free(reservation).ok_or_else(|| io::Error::other("a reservation without room"))
}

/// Nobody panics with a lock held.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Puts code into pages that were taken for it.
fn fill(reservation: &'static Reservation, first_page: usize, pages: usize, code: &[u8], map: CodeMap) -> io::Result<Placed> {
    let start = reservation.start + first_page * PAGE;
    let written = protect(start, pages * PAGE, libc::PROT_READ | libc::PROT_WRITE).and_then(|()| {
        // SAFETY: these pages are ours alone, and writable; `code` is not in them, which are not lent to anybody.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start as *mut u8, code.len()) };
        synchronize(start, code.len());
        protect(start, pages * PAGE, libc::PROT_READ | libc::PROT_EXEC)
    });
    if let Err(e) = written {
        reservation.release(first_page, pages);
        return Err(e);
    }
    let inside = Box::new(Inside { start, bytes: code.len(), map });
    for owner in &reservation.owners[first_page..first_page + pages] {
        owner.store(std::ptr::from_ref(&*inside).cast_mut(), Ordering::Release);
    }
    Ok(Placed { reservation, first_page, pages, inside })
}

fn protect(start: usize, bytes: usize, protection: i32) -> io::Result<()> {
    // SAFETY: pages of a reservation of ours, which nobody else uses now.
    match unsafe { libc::mprotect(start as *mut libc::c_void, bytes, protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes instruction fetches see what was written.
#[cfg(target_arch = "x86_64")]
fn synchronize(_: usize, _: usize) {}

/// As above, for processors whose instruction caches do not see stores.
#[cfg(not(target_arch = "x86_64"))]
fn synchronize(start: usize, bytes: usize) {
    unsafe extern "C" {
        fn __clear_cache(start: *mut libc::c_char, end: *mut libc::c_char);
    }
    // SAFETY: the range is mapped.
    unsafe { __clear_cache(start as *mut libc::c_char, (start + bytes) as *mut libc::c_char) }
}

impl Reservation {
    /// Reserves addresses for `least` bytes, and more if the host has them.
    fn new(least: usize) -> io::Result<Reservation> {
        let mut bytes = RESERVE_BYTES.max(least);
        let start = loop {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new mapping, which nothing refers to.
            let start = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
            if start != libc::MAP_FAILED {
                break start as usize;
            }
            let e = io::Error::last_os_error();
            if bytes / 2 < least.max(LEAST_RESERVE_BYTES) {
                return Err(e);
            }
            bytes /= 2;
        };
        let pages = bytes / PAGE;
        // SAFETY: zeros are null pointers. So much of the table as is used takes memory.
        let owners = unsafe { Box::<[AtomicPtr<Inside>]>::new_zeroed_slice(pages).assume_init() };
        Ok(Reservation { start, pages, owners, free: Mutex::new(Free(BTreeMap::from([(0, pages)]))) })
    }

    /// Gives pages back that nobody uses any more.
    fn release(&self, first_page: usize, pages: usize) {
        for owner in &self.owners[first_page..first_page + pages] {
            owner.store(null_mut(), Ordering::Release);
        }
        // SAFETY: pages of a reservation of ours, which nobody uses any more. If the kernel keeps the memory they are written over when they are used
        // again.
        unsafe { libc::madvise((self.start + first_page * PAGE) as *mut libc::c_void, pages * PAGE, libc::MADV_DONTNEED) };
        lock(&self.free).give_back(first_page, pages);
    }
}

impl Placed {
    /// Host address of its first byte.
    pub fn start(&self) -> usize {
        self.inside.start
    }

    /// Guest address of a host program counter inside it.
    pub fn guest_pc(&self, host_pc: usize) -> Option<u64> {
        self.inside.guest_pc(host_pc)
    }

    /// Bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        self.pages * PAGE + self.inside.map.bytes()
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.reservation.release(self.first_page, self.pages);
        PLACED_BYTES.fetch_sub(self.pages * PAGE, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_runs_are_taken_from_the_lowest_and_merge_when_given_back() {
        let mut free = Free(BTreeMap::from([(0, 100)]));
        assert_eq!([3, 4, 5].map(|n| free.take(n)), [Some(0), Some(3), Some(7)]);
        free.give_back(3, 4);
        assert_eq!(free.0, BTreeMap::from([(3, 4), (12, 88)]));
        assert_eq!([5, 2, 2, 89].map(|n| free.take(n)), [Some(12), Some(3), Some(5), None]);
        for (first, pages) in [(7, 5), (0, 3), (12, 5), (5, 2), (3, 2)] {
            free.give_back(first, pages);
        }
        assert_eq!(free.0, BTreeMap::from([(0, 100)]));
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn placed_code_runs_and_is_found_by_its_addresses() {
        // mov eax, 7; ret
        let seven = [0xb8, 7, 0, 0, 0, 0xc3];
        let placed = place(&seven, CodeMap::new(vec![(5, 0x2000), (0, 0x1000)])).unwrap();
        let start = placed.start();
        // SAFETY: the bytes are a function of this type.
        let seven: extern "C" fn() -> u32 = unsafe { std::mem::transmute(start) };
        assert_eq!(seven(), 7);
        assert_eq!([0, 4, 5].map(|i| find(start + i)), [Some(Some(0x1000)), Some(Some(0x1000)), Some(Some(0x2000))]);
        // In its pages, but behind its end.
        assert_eq!(find(start + 6), Some(None));
        assert_eq!(find(placed_bytes as *const () as usize), None);
        drop(placed);
        assert_eq!(find(start), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn code_takes_few_mappings_however_much_comes_and_goes() {
        let mappings = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().count();
        let first = place(&[0xc3], CodeMap::default()).unwrap();
        let before = mappings();
        let mut all: Vec<Placed> = (1..2000).map(|i| place(&vec![0xc3; i * 7 % 9000], CodeMap::default()).unwrap()).collect();
        let mut keep = false;
        all.retain(|_| {
            keep = !keep;
            keep
        });
        all.extend((0..500).map(|i| place(&vec![0xc3; i * 11 % 7000], CodeMap::default()).unwrap()));
        let after = mappings();
        assert!(after <= before + 20, "{before} mappings, then {after}");
        drop((first, all));
    }

    #[test]
    fn pages_are_never_writable_and_executable() {
        let placed = place(&[0xc3; 5000], CodeMap::default()).unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        assert!(maps.lines().all(|l| !l.contains("rwx")), "{maps}");
        drop(placed);
    }
}
