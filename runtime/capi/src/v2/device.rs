//! Devices.

use super::super::{bad, string};
use super::call;
use super::failure::Failure;
use super::handles::{Handle, Handles};
use super::structs::{self, c_struct};
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use wavejit::code_object::TargetId;
use wavejit::{Accuracy, DeviceConfig, Engine, Error, Schedule, Stream};

/// `WAVEJIT2_DEVICE_*`: flags of a device.
const DETERMINISTIC: u32 = 1;
const ISOLATED: u32 = 2;
const INTERPRETER: u32 = 4;
const CANARIES: u32 = 8;
const LOCKSTEP: u32 = 16;
const ONE_ULP: u32 = 32;

/// `void (*)(void *user, int32_t stream, const char *text, size_t bytes)`
type PrintFunction = unsafe extern "C" fn(*mut c_void, i32, *const c_char, usize);

c_struct! {
    /// `wavejit2_device_config`.
    Config = "wavejit2_device_config" {
        size: u32,
        flags: u32,
        threads: u32,
        gb_addr_config: u32,
        target: *const c_char,
        scratch_limit_bytes: u64,
        code_cache_bytes: u64,
        reserve_bytes: u64,
        print: Option<PrintFunction>,
        print_user: *mut c_void,
    }
}

c_struct! {
    /// `wavejit2_code_stats`.
    CodeStats = "wavejit2_code_stats" {
        size: u32,
        reserved: u32,
        lifted: u64,
        lifted_insts: u64,
        compiled: u64,
        compiled_insts: u64,
        found: u64,
        kept_bytes: u64,
    }
}

/// A device, as C opens it.
pub(super) struct COpened {
    pub device: wavejit::Device,
    /// Processor whose code is taken from files that hold several.
    pub target: Option<String>,
}

pub(super) static DEVICES: Handles<COpened> = Handles::new("device");

/// The caller's function that prints, and what it is given.
struct Printer {
    function: PrintFunction,
    user: *mut c_void,
}

// SAFETY: the caller says (`wavejit2.h`) that any thread may call the function with the pointer.
unsafe impl Send for Printer {}

impl Printer {
    fn print(&mut self, stream: Stream, text: &[u8]) {
        let number = if stream == Stream::Out { 1 } else { 2 };
        // SAFETY: a function of the caller's, which takes these; the text lives until it returns.
        unsafe { (self.function)(self.user, number, text.as_ptr().cast(), text.len()) };
    }
}

/// The device of a handle.
pub(super) fn device(handle: Handle) -> Result<Arc<COpened>, Error> {
    DEVICES.get(handle)
}

fn open(config: &Config) -> Result<COpened, Failure> {
    if config.flags & !(DETERMINISTIC | ISOLATED | INTERPRETER | CANARIES | LOCKSTEP | ONE_ULP) != 0 {
        return Err(bad(&format!("wavejit2_device_config.flags {:#x} has bits that are not known", config.flags)).into());
    }
    let has = |flag: u32| config.flags & flag != 0;
    let target = match config.target.is_null() {
        true => None,
        // SAFETY: the caller vouches for the string.
        false => Some(unsafe { string(config.target, "wavejit2_device_config.target")? }.to_string()),
    };
    if let Some(name) = &target {
        TargetId::parse(name).map_err(|e| bad(&format!("target `{name}`: {e}")))?;
    }
    let wanted = DeviceConfig {
        threads: config.threads as usize,
        engine: if has(INTERPRETER) { Engine::Interp } else { Engine::as_told().map_err(|e| bad(&e))? },
        schedule: if has(LOCKSTEP) { Schedule::Lockstep } else { Schedule::Turns },
        accuracy: if has(ONE_ULP) { Accuracy::OneUlp } else { Accuracy::as_told().map_err(|e| bad(&e))? },
        deterministic: has(DETERMINISTIC),
        canaries: has(CANARIES),
        gb_addr_config: config.gb_addr_config,
        reserve_bytes: config.reserve_bytes,
        scratch_limit_bytes: config.scratch_limit_bytes,
        code_cache_bytes: usize::try_from(config.code_cache_bytes).unwrap_or(usize::MAX),
        ..Default::default()
    };
    let device = match has(ISOLATED) {
        true => wavejit::Device::new(wanted)?,
        // SAFETY: kernels and addresses come from callers of the C functions, who answer for them (`wavejit2.h`).
        false => unsafe { wavejit::Device::shared(wanted)? },
    };
    device.keep_code_as_told(false).map_err(|e| bad(&format!("{}: {e}", wavejit::CODE_CACHE_VARIABLE)))?;
    if let Some(function) = config.print {
        let mut printer = Printer { function, user: config.print_user };
        device.set_print(Box::new(move |stream, text| printer.print(stream, text)));
    }
    Ok(COpened { device, target })
}

/// `int32_t wavejit2_device_open(const wavejit2_device_config *config, wavejit2_device *out)`
///
/// # Safety
/// As `wavejit2.h` says: `config` is null or a structure of the size that it says, `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_device_open(config: *const Config, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for both.
        let config = unsafe {
            structs::place(out)?;
            if config.is_null() { structs::Struct::ZERO } else { structs::read(config)? }
        };
        let handle = DEVICES.add(open(&config)?);
        // SAFETY: as above.
        unsafe { structs::put(out, handle)? };
        Ok(())
    })
}

/// `int32_t wavejit2_device_close(wavejit2_device device)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_device_close(device: Handle) -> i32 {
    call(|| {
        DEVICES.close(device)?;
        Ok(())
    })
}

/// `int32_t wavejit2_device_threads(wavejit2_device device, uint32_t *out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_device_threads(handle: Handle, out: *mut u32) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::put(out, device(handle)?.device.threads() as u32)? };
        Ok(())
    })
}

/// `int32_t wavejit2_device_code_stats(wavejit2_device device, wavejit2_code_stats *out)`
///
/// # Safety
/// `out` is null or a structure of the size that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_device_code_stats(handle: Handle, out: *mut CodeStats) -> i32 {
    call(|| {
        let stats = device(handle)?.device.code_stats();
        let stats = CodeStats {
            lifted: stats.lifted,
            lifted_insts: stats.lifted_insts,
            compiled: stats.compiled,
            compiled_insts: stats.compiled_insts,
            found: stats.found,
            kept_bytes: stats.kept_bytes as u64,
            ..structs::Struct::ZERO
        };
        // SAFETY: the caller vouches for the structure.
        unsafe { structs::write(out, stats)? };
        Ok(())
    })
}

/// `int32_t wavejit2_device_free_kernel_memory(wavejit2_device device)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_device_free_kernel_memory(handle: Handle) -> i32 {
    call(|| {
        device(handle)?.device.free_kernel_memory();
        Ok(())
    })
}
