//! Three devices between canaries.
//!
//! ```text
//! | 1 GiB canary | guest memory of the JIT's device | 1 GiB canary | of the interpreter's | 1 GiB canary | of the free one | 1 GiB canary |
//! ```
//!
//! The free device compiles like the first, but as a user's would: on one or two threads, in any order, with registers and clocks as they come.
//!
//! A canary is one piece of memory, mapped over and over: a store anywhere into it shows, and what is read from it is recognized if it turns up
//! in guest memory. In every other arena the canaries cannot be touched at all: then a read by anything but an accessor is a crash.

use super::watch::Watch;
use super::{Case, Outcome};
use std::ptr::null_mut;
use std::time::Duration;
use wavejit::{Device, DeviceConfig, Engine, Error};

const DEVICES: usize = 3;
/// Bytes of the canary beside each reservation.
const BESIDE: usize = 1 << 30;
/// Guest memory of a device.
const RESERVED: usize = 2 << 30;
/// What a device maps: guest memory and 64 KiB on both sides.
const MAPPED: usize = RESERVED + (128 << 10);
/// The memory behind canaries.
const PIECE: usize = 8 << 20;
/// What is in it: two dwords that no case makes on purpose.
const SONG: [u32; 2] = [0x5eed_b19d, 0xca4a_2199];
/// Values found in guest memory that cannot be there by chance.
const RECOGNIZED: usize = 4;

/// Memory that repeats itself over a range of addresses, or cannot be touched.
struct Canary {
    /// One of its copies, which is looked at.
    piece: *mut u32,
    file: i32,
}

impl Canary {
    fn new() -> Result<Canary, String> {
        // SAFETY: plain calls; the mapping is checked.
        unsafe {
            let file = libc::memfd_create(c"canary".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 || libc::ftruncate(file, PIECE as libc::off_t) != 0 {
                return Err("no memory file for canaries".into());
            }
            let piece = libc::mmap(null_mut(), PIECE, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, file, 0);
            if piece == libc::MAP_FAILED {
                return Err("no memory for canaries".into());
            }
            let canary = Canary { piece: piece.cast(), file };
            for (n, word) in canary.words_mut().iter_mut().enumerate() {
                *word = SONG[n % 2];
            }
            Ok(canary)
        }
    }

    #[allow(clippy::mut_from_ref)] // The file is memory that everybody shares.
    fn words_mut(&self) -> &mut [u32] {
        // SAFETY: the mapping has this many bytes; nobody else has a reference to it.
        unsafe { std::slice::from_raw_parts_mut(self.piece, PIECE / 4) }
    }

    /// Fills a range with copies. The range must be a mapping of ours.
    unsafe fn fill(&self, start: usize, bytes: usize) -> Result<(), String> {
        for at in (0..bytes).step_by(PIECE) {
            let flags = libc::MAP_SHARED | libc::MAP_FIXED;
            let len = PIECE.min(bytes - at);
            // SAFETY: the caller owns the range.
            let p = unsafe { libc::mmap((start + at) as *mut _, len, libc::PROT_READ | libc::PROT_WRITE, flags, self.file, 0) };
            if p == libc::MAP_FAILED {
                return Err("no mapping for a canary".into());
            }
        }
        Ok(())
    }

    /// The first changed dword, which is put right.
    fn check(&self) -> Result<(), String> {
        let words = self.words_mut();
        let changed = words.iter().enumerate().filter(|(n, w)| **w != SONG[n % 2]).count();
        let Some(first) = (0..words.len()).find(|n| words[*n] != SONG[n % 2]) else { return Ok(()) };
        let found = words[first];
        words.iter_mut().enumerate().for_each(|(n, w)| *w = SONG[n % 2]);
        Err(format!("host memory beside guest memory was written: {changed} dwords, {found:#x} at +{:#x} (modulo {PIECE:#x})", 4 * first))
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        // SAFETY: made in `new`; the mappings that `fill` made keep the file alive for themselves.
        unsafe {
            libc::munmap(self.piece.cast(), PIECE);
            libc::close(self.file);
        }
    }
}

/// Mappings that nobody touches.
struct Plugs(Vec<*mut libc::c_void>);

impl Plugs {
    /// Fills the gaps in which the kernel would put a device: it takes the highest that is large enough, which shall be the hole.
    fn above(hole: usize) -> Plugs {
        let mut plugs = Plugs(vec![]);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // Earlier arenas leave few gaps, of which none is larger than they were.
        for _ in 0..64 {
            // SAFETY: a new mapping.
            let p = unsafe { libc::mmap(null_mut(), MAPPED, libc::PROT_NONE, flags, -1, 0) };
            if p == libc::MAP_FAILED {
                break;
            }
            plugs.0.push(p);
            if (hole..hole + MAPPED).contains(&(p as usize)) {
                plugs.0.pop();
                // SAFETY: the mapping made above.
                unsafe { libc::munmap(p, MAPPED) };
                break;
            }
        }
        plugs
    }
}

impl Drop for Plugs {
    fn drop(&mut self) {
        for plug in &self.0 {
            // SAFETY: a mapping of ours that nobody uses.
            unsafe { libc::munmap(*plug, MAPPED) };
        }
    }
}

/// Three devices, and what surrounds them.
pub struct Arena {
    devices: Option<[Device; DEVICES]>,
    canary: Canary,
    heap: Vec<Vec<u32>>,
    /// Where all of it begins, devices included.
    start: usize,
    /// Threads of the free device.
    threads: usize,
}

/// What became of a case.
#[derive(Default)]
pub struct Verdict {
    /// What went wrong, if anything did.
    pub failure: Option<String>,
    /// Both runs ended by themselves, and were compared.
    pub compared: bool,
    /// How long canceled runs took to end.
    pub latencies: Vec<Duration>,
    /// How it ended, for people, and the class of its error; 0: well.
    pub ended: String,
    /// See `ended`.
    pub code: i32,
}

/// How often an arena is tried to be opened.
const TRIES: u32 = 20;

/// How long a case may run on each engine.
const LIMIT: Duration = Duration::from_millis(800);

impl Arena {
    /// A new one. `can_be_touched`: see the module's header.
    pub fn open(can_be_touched: bool) -> Result<Arena, String> {
        // Another thread's stack may take the hole that was made for a device.
        (1..TRIES).find_map(|_| Arena::try_open(can_be_touched).ok()).map_or_else(|| Arena::try_open(can_be_touched), Ok)
    }

    fn try_open(can_be_touched: bool) -> Result<Arena, String> {
        let bytes = (DEVICES + 1) * BESIDE + DEVICES * MAPPED;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping.
        let p = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        if p == libc::MAP_FAILED {
            return Err("no address space for an arena".into());
        }
        let start = p as usize;
        let mut arena = Arena { devices: None, canary: Canary::new()?, heap: vec![], start, threads: 1 + usize::from(can_be_touched) };
        if can_be_touched {
            for n in 0..DEVICES + 1 {
                // SAFETY: part of the mapping made above.
                unsafe { arena.canary.fill(start + n * (BESIDE + MAPPED), BESIDE)? };
            }
        }
        arena.heap = (0..64).map(|n| vec![SONG[n % 2]; 16 << (n % 10)]).collect();
        let device = |n: usize, engine: Engine, threads: usize, deterministic: bool| {
            let hole = start + BESIDE + n * (MAPPED + BESIDE);
            // SAFETY: part of the mapping made above, used by nobody yet.
            unsafe { libc::munmap(hole as *mut _, MAPPED) };
            let _plugs = Plugs::above(hole);
            let options = DeviceConfig { threads, engine, deterministic, reserve_bytes: RESERVED as u64, ..Default::default() };
            let device = Device::new(options);
            let device = device.map_err(|e| e.to_string())?;
            // The standard output is for what the parent process is told.
            device.set_print(Box::new(|_, _| {}));
            let found = device.memory().mem_base().wrapping_add(device.memory().mem_low()) as usize;
            if (hole..hole + MAPPED).contains(&found) {
                Ok(device)
            } else {
                Err(format!("guest memory is at {found:#x}, not at {hole:#x}"))
            }
        };
        let devices = || {
            Ok([device(0, Engine::Jit, 1, true)?, device(1, Engine::Interp, 1, true)?, device(2, Engine::Tiered, arena.threads, false)?])
        };
        let devices: Result<_, String> = devices();
        arena.devices = Some(devices?);
        Ok(arena)
    }

    /// Runs a case on both engines and on the free device: on one thread always, since addresses follow from what ran before; on two if `freely`.
    pub fn run(&self, case: &Case, watch: &Watch, freely: bool) -> Verdict {
        let freely = freely || self.threads == 1;
        let Some([jit, interp, free]) = &self.devices else { return Verdict::default() };
        let mut verdict = Verdict::default();
        let limit = case.canceled_after.unwrap_or(LIMIT);
        let mut run = |device: &Device| {
            let (outcome, late) = watch.run(limit, |cancel| case.run(device, cancel));
            // Else the next case would find another heap on each device.
            device.free_kernel_memory();
            verdict.latencies.extend(late);
            (outcome, late.is_some())
        };
        let ((ours, late), (theirs, late_too)) = (run(jit), run(interp));
        let freely = freely.then(|| run(free));
        verdict.ended = ours.text();
        verdict.code = ours.result.as_ref().map_or_else(|e| e.code(), |_| 0);
        verdict.compared = !late && !late_too;
        let mut failures: Vec<String> = vec![];
        failures.extend(broken("compiled", &ours));
        failures.extend(broken("interpreter", &theirs));
        let mut compare = |other: &Outcome, name: &str| {
            let differences = ours.differences(other, ["compiled", name]);
            if !differences.is_empty() {
                failures.push(format!("compiled code and {name} differ:\n{differences}    compiled code: {}\n", ours.text()));
            }
        };
        if verdict.compared {
            compare(&theirs, "interpreter");
        }
        if let Some((found, late_as_well)) = freely {
            if !late && !late_as_well && self.threads == 1 && case.is_one_group() && !case.reads_clocks() {
                compare(&found, "compiled after other launches");
            }
            failures.extend(broken("compiled after other launches", &found));
        }
        for device in [jit, interp, free] {
            let left = device.memory().snapshot().map_or(0, |s| s.parts().len());
            if left > MOST_LEFT {
                failures.push(format!("{left} allocations were left over"));
            }
        }
        verdict.failure = (!failures.is_empty()).then(|| failures.join("\n"));
        verdict
    }

    /// Are all canaries alive?
    pub fn check(&self) -> Result<(), String> {
        let heap_is_whole = self.heap.iter().enumerate().all(|(n, block)| block.iter().all(|w| *w == SONG[n % 2]));
        if !heap_is_whole {
            return Err("memory of the host's heap was written".into());
        }
        self.canary.check()
    }
}

/// Blocks for launches and border colors, which a device keeps.
const MOST_LEFT: usize = 8;

/// What is wrong whatever the other engine does.
fn broken(engine: &str, outcome: &Outcome) -> Option<String> {
    if let Err(e @ Error::Internal(_)) = &outcome.result {
        return Some(format!("{engine}: {e}"));
    }
    let song = |bytes: &[u8]| bytes.chunks_exact(4).filter(|b| SONG.contains(&u32::from_le_bytes([b[0], b[1], b[2], b[3]]))).count();
    let (address, _) = outcome.memory.iter().find(|(_, bytes)| song(bytes) >= RECOGNIZED)?;
    Some(format!("{engine}: guest memory at {address:#x} has what only memory outside of it had"))
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.devices = None;
        // SAFETY: the range is ours, and the devices in it are gone. Their holes may be other mappings by now, so only the rest goes.
        unsafe {
            for n in 0..DEVICES + 1 {
                libc::munmap((self.start + n * (BESIDE + MAPPED)) as *mut _, BESIDE);
            }
        }
    }
}
