//! The simulated devices: which there are, which one is current, and what has failed on each.
//!
//! `WAVEJIT_DEVICES=gfx1100,gfx1101` says what there is; without it there is one gfx1100. `HIP_VISIBLE_DEVICES` (or ROCm's other names for it) chooses among
//! them. `WAVEJIT_THREADS` says how many threads run workgroups of each, as for the C interface; `WAVEJIT_CANARIES=0`
//! that bytes beside allocations are not watched, `WAVEJIT_SCHEDULE=lockstep` that waves of a workgroup run an instruction each, in turn,
//! `WAVEJIT_ACCURACY=1ulp` that some results of f32 are within 1 ulp, `WAVEJIT_ENGINE` whether kernels are interpreted or compiled.

use crate::device::LIMITS;
use crate::status::{Result, Status, say, status_of};
use crate::stream::Stream;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use wavejit::code_object::TargetId;
use wavejit::fork::{Mutex, Section};
use wavejit::{Accuracy, CODE_CACHE_VARIABLE, Cause, Device, DeviceConfig, Engine, Error, Print, Schedule};
use wavejit_isa::Feature;

/// What there is when nobody says so.
const DEFAULT: &str = "gfx1100";
/// Environment variable: processors of the devices.
const DEVICES_VARIABLE: &str = "WAVEJIT_DEVICES";
/// Environment variable: threads of each device.
const THREADS_VARIABLE: &str = "WAVEJIT_THREADS";
/// Environment variable: `lockstep`, and the waves of a workgroup run an instruction each, in turn.
const SCHEDULE_VARIABLE: &str = "WAVEJIT_SCHEDULE";
/// Environment variable: 0, and bytes beside allocations are not watched.
const CANARIES_VARIABLE: &str = "WAVEJIT_CANARIES";
/// Environment variables: which devices programs see, by number.
const VISIBLE_VARIABLES: [&str; 4] = ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "CUDA_VISIBLE_DEVICES"];
/// Most devices.
const MAX_DEVICES: usize = 64;

/// A simulated device.
pub(crate) struct Gpu {
    /// Its number, from 0.
    pub index: usize,
    /// What it runs code for.
    pub target: TargetId,
    /// Memory, threads, translations.
    pub device: Device,
    /// The null stream.
    pub null: Arc<Stream>,
    /// Blocking streams other than that, and those of threads.
    pub blocking: Mutex<Vec<std::sync::Weak<Stream>>>,
    /// Bytes allocated.
    pub allocated: AtomicU64,
    /// Devices whose memory it may reach, as bits.
    pub peers: AtomicU64,
    /// Flags of `hipSetDeviceFlags`.
    pub flags: AtomicU64,
    /// `hipFuncCache_t`, which changes nothing.
    pub cache_config: AtomicI32,
    /// `hipLimit_t`, each, which change nothing.
    pub limits: [AtomicUsize; LIMITS.len()],
    failure: Mutex<Option<Failure>>,
    /// Has a kernel told of an assertion that failed? A trap follows.
    has_asserted: Arc<AtomicBool>,
}

/// What went wrong after a function had returned.
#[derive(Clone, Copy)]
struct Failure {
    status: Status,
    /// Everything fails until the device is reset.
    is_lasting: bool,
}

impl Gpu {
    /// Notes an error of a command. The message is told at once; the status is for the next function that waits.
    pub(crate) fn fail(&self, error: &Error) {
        say(&error.to_string());
        // The kernel has run to its end, and hardware would not have noticed.
        if matches!(error, Error::Overrun(_)) {
            return;
        }
        let is_trap = matches!(error, Error::Fault(fault) if matches!(fault.cause, Cause::Trap(_)));
        let status = if is_trap && self.has_asserted.swap(false, Relaxed) { Status::ASSERT } else { status_of(error) };
        let is_lasting = matches!(status, Status::ILLEGAL_ADDRESS | Status::LAUNCH_FAILURE | Status::ASSERT);
        let mut failure = self.failure.lock();
        if failure.is_none_or(|f| !f.is_lasting) {
            *failure = Some(Failure { status, is_lasting });
        }
    }

    /// What failed since the last call; a lasting failure is told every time.
    pub(crate) fn check(&self) -> Result {
        let mut failure = self.failure.lock();
        let Some(Failure { status, is_lasting }) = *failure else { return Ok(()) };
        if !is_lasting {
            *failure = None;
        }
        Err(status)
    }

    /// Refuses to go on after a lasting failure.
    pub(crate) fn check_lasting(&self) -> Result {
        match *self.failure.lock() {
            Some(Failure { status, is_lasting: true }) => Err(status),
            _ => Ok(()),
        }
    }

    /// Forgets failures.
    pub(crate) fn reset(&self) {
        *self.failure.lock() = None;
    }

    /// Waits for all streams, and says what failed.
    pub(crate) fn synchronize(&'static self) -> Result {
        for stream in crate::stream::all_of(self) {
            stream.queue.last().wait();
        }
        while let Err(error) = self.device.memory().check_canaries() {
            self.fail(&error);
        }
        self.check()
    }
}

/// All devices.
pub(crate) fn all() -> Result<&'static [Gpu]> {
    static GPUS: OnceLock<std::result::Result<Vec<Gpu>, Status>> = OnceLock::new();
    let made = GPUS.get().unwrap_or_else(|| {
        let _section = Section::begin();
        GPUS.get_or_init(make)
    });
    match made {
        Ok(gpus) => Ok(gpus),
        Err(status) => Err(*status),
    }
}

fn make() -> std::result::Result<Vec<Gpu>, Status> {
    let targets = targets().map_err(|why| {
        say(&why);
        Status::NO_DEVICE
    })?;
    let threads = std::env::var(THREADS_VARIABLE).ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let canaries = std::env::var(CANARIES_VARIABLE).map_or(true, |v| v != "0");
    let schedule = match std::env::var(SCHEDULE_VARIABLE).unwrap_or_default().as_str() {
        "" | "turns" => Schedule::Turns,
        "lockstep" => Schedule::Lockstep,
        other => {
            say(&format!("{SCHEDULE_VARIABLE}: `{other}` is neither `turns` nor `lockstep`"));
            return Err(Status::NO_DEVICE);
        }
    };
    let refuse = |why: String| {
        say(&why);
        Status::NO_DEVICE
    };
    let (engine, accuracy) = (Engine::as_told().map_err(refuse)?, Accuracy::as_told().map_err(refuse)?);
    let mut gpus = Vec::new();
    for (index, target) in targets.into_iter().enumerate() {
        // SAFETY: kernels and addresses come from the program that calls HIP's functions, which answers for them.
        let device = unsafe { Device::shared(DeviceConfig { threads, engine, canaries, schedule, accuracy, ..Default::default() }) }
            .map_err(|e| {
                say(&e.to_string());
                Status::NO_DEVICE
            })?;
        device.keep_code_as_told(false).unwrap_or_else(|e| say(&format!("{CODE_CACHE_VARIABLE}: {e}")));
        let has_asserted = Arc::new(AtomicBool::new(false));
        device.set_print(watch(wavejit::print_by_c(), has_asserted.clone()));
        gpus.push(Gpu {
            index,
            target,
            device,
            null: Arc::new(Stream::null(index)),
            blocking: Mutex::new(Vec::new()),
            allocated: AtomicU64::new(0),
            peers: AtomicU64::new(0),
            flags: AtomicU64::new(0),
            cache_config: AtomicI32::new(0),
            limits: LIMITS.map(AtomicUsize::new),
            failure: Mutex::new(None),
            has_asserted,
        });
    }
    Ok(gpus)
}

/// Prints, and notes that an assertion failed: device code says so on the standard error, and then traps as it does for other reasons.
fn watch(mut print: Print, has_asserted: Arc<AtomicBool>) -> Print {
    const WORD: &[u8] = b"ssertion";
    Box::new(move |stream, text| {
        if stream == wavejit::Stream::Err && text.windows(WORD.len()).any(|part| part == WORD) {
            has_asserted.store(true, Relaxed);
        }
        print(stream, text);
    })
}

/// The processors of the visible devices.
fn targets() -> std::result::Result<Vec<TargetId>, String> {
    let list = std::env::var(DEVICES_VARIABLE).unwrap_or_default();
    let list = if list.trim().is_empty() { DEFAULT } else { &list };
    let mut targets = Vec::new();
    for name in list.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        let target = TargetId::parse(name).map_err(|e| format!("{DEVICES_VARIABLE}: `{name}`: {e}"))?;
        if !target.processor.has(Feature::Runs) {
            return Err(format!("{DEVICES_VARIABLE}: `{name}`: code for it can be read, but only gfx11 code runs so far"));
        }
        targets.push(target);
    }
    targets.truncate(MAX_DEVICES);
    let visible = VISIBLE_VARIABLES.iter().find_map(|name| std::env::var(name).ok());
    Ok(visible.map_or(targets.clone(), |visible| choose(&targets, &visible)))
}

/// The devices of a list of numbers, up to the first that is none.
fn choose(targets: &[TargetId], visible: &str) -> Vec<TargetId> {
    let numbers = visible.split(',').map(|n| n.trim().parse::<usize>().ok());
    numbers.map_while(|n| targets.get(n?).cloned()).collect()
}

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// A device by its number.
pub(crate) fn by_number(number: i32) -> Result<&'static Gpu> {
    let gpus = all()?;
    usize::try_from(number).ok().and_then(|n| gpus.get(n)).ok_or(Status::INVALID_DEVICE)
}

/// This thread's device.
pub(crate) fn current() -> Result<&'static Gpu> {
    let number = CURRENT.try_with(Cell::get).unwrap_or(0);
    all()?.get(number).ok_or(Status::NO_DEVICE)
}

/// Makes a device this thread's.
pub(crate) fn set_current(gpu: &Gpu) {
    let _ = CURRENT.try_with(|current| current.set(gpu.index));
}

/// The lasting failure of this thread's device, if there is one.
pub(crate) fn lasting_failure() -> Option<Status> {
    current().ok()?.check_lasting().err()
}

/// Memory of a device, as it is told to programs: the host's.
pub(crate) fn total_memory() -> u64 {
    // SAFETY: asks for two numbers.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(1 << 20).saturating_mul(u64::try_from(page).unwrap_or(4096))
}

/// Counts bytes as allocated, if there are so many.
pub(crate) fn take_memory(gpu: &Gpu, bytes: u64) -> Result {
    let total = total_memory();
    let taken = gpu.allocated.fetch_update(Relaxed, Relaxed, |n| n.checked_add(bytes).filter(|n| *n <= total));
    taken.map(|_| ()).map_err(|_| Status::OUT_OF_MEMORY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_devices_are_chosen_by_number() {
        let targets: Vec<TargetId> = ["gfx1100", "gfx1101", "gfx1102"].iter().map(|n| TargetId::parse(n).expect("known")).collect();
        let names = |visible: &str| choose(&targets, visible).iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        assert_eq!(names("2, 0"), ["gfx1102", "gfx1100"]);
        assert_eq!(names("1,7,0"), ["gfx1101"]);
        assert!(names("").is_empty() && names("-1").is_empty());
    }
}
