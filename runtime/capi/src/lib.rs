//! The C interface: the functions of `include/wavejit.h`, thin over the Rust API; those of version 2, `include/wavejit2.h`, are in `v2`.
//!
//! Guest addresses are host addresses here. Every function catches panics; a message for people waits in a thread-local until the next
//! failing call of the thread. One device, with one pool of threads, serves the whole process.

#![allow(unreachable_pub)] // callers are C

mod v2;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use wavejit::code_object::{CodeObject, PgmRsrc};
use wavejit::fork::Section;
use wavejit::kernarg::{MAX_KERNARG_BYTES, check_lds};
use wavejit::wave_init::{MAX_USER_SGPRS, RawInit, WaveInit};
use wavejit::{Accuracy, CodeLaunch, CodeProgram, Device, DeviceConfig, Engine, Error, Geometry, Kernel, Launch, LaunchConfig, Part};
use wavejit_isa::{DecodeError, Feature, Gfx, TargetId, decode};

/// Version of the interface.
const ABI_VERSION: u32 = 1;

/// Environment variable: threads of the pool; unset or 0: one for each processor.
const THREADS_VARIABLE: &str = "WAVEJIT_THREADS";
/// What messages call machine code without a kernel.
const RAW_NAME: &str = "machine code";

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

fn c_string(message: &str) -> CString {
    let bytes: Vec<u8> = message.bytes().filter(|b| *b != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// The device of the process.
fn device() -> Result<&'static Device, Error> {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    if let Some(device) = DEVICE.get() {
        return Ok(device);
    }
    let _section = Section::begin();
    let threads = std::env::var(THREADS_VARIABLE).ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (engine, accuracy) = (Engine::as_told().map_err(|e| bad(&e))?, Accuracy::as_told().map_err(|e| bad(&e))?);
    // SAFETY: kernels and addresses come from callers of the C functions, who answer for them (`wavejit.h`).
    let made = unsafe { Device::shared(DeviceConfig { threads, engine, accuracy, ..Default::default() }) }?;
    made.keep_code_as_told(false).map_err(|e| bad(&format!("{}: {e}", wavejit::CODE_CACHE_VARIABLE)))?;
    Ok(DEVICE.get_or_init(|| made))
}

fn bad(what: &str) -> Error {
    Error::Arg(what.to_string())
}

/// Runs `body`; turns errors and panics into codes and messages. `report` sees the message of a failure.
fn guarded(body: impl FnOnce() -> Result<(), Error>, report: impl FnOnce(&str)) -> i32 {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or(panic.downcast_ref::<&str>().map(|s| s.to_string()));
        Err(Error::Internal(text.unwrap_or_else(|| "panic".to_string())))
    });
    match result {
        Ok(()) => 0,
        Err(e) => {
            report(&e.to_string());
            v2::failure::Failure::of(&e).note();
            e.code()
        }
    }
}

/// `len` bytes of the caller's at `p`; null is fine for none.
///
/// # Safety
/// If `p` is not null, `len` bytes there must be readable and stay as they are for `'a`.
unsafe fn bytes<'a>(p: *const c_void, len: usize, what: &str) -> Result<&'a [u8], Error> {
    match (p.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(bad(&format!("{what} is NULL"))),
        (false, len) if len > isize::MAX as usize => Err(bad(&format!("{what} of {len} bytes"))),
        // SAFETY: not null and of possible size; the caller vouches for the rest.
        (false, len) => Ok(unsafe { std::slice::from_raw_parts(p.cast(), len) }),
    }
}

/// Three sizes of the caller's.
///
/// # Safety
/// `p` must be null or point to three aligned numbers.
unsafe fn three(p: *const u32, what: &str) -> Result<[u32; 3], Error> {
    if p.is_null() || !p.is_aligned() {
        return Err(bad(&format!("{what} is NULL or not aligned")));
    }
    // SAFETY: not null and aligned; the caller vouches for three numbers.
    Ok(unsafe { [*p, *p.add(1), *p.add(2)] })
}

/// A NUL-terminated string of the caller's.
///
/// # Safety
/// `p` must be null or a NUL-terminated string that stays as it is for `'a`.
unsafe fn string<'a>(p: *const c_char, what: &str) -> Result<&'a str, Error> {
    if p.is_null() {
        return Err(bad(&format!("{what} is NULL")));
    }
    // SAFETY: not null; the caller vouches for the NUL.
    unsafe { CStr::from_ptr(p) }.to_str().map_err(|_| bad(&format!("{what} is not UTF-8")))
}

/// A flag of the caller's that stops a dispatch.
///
/// # Safety
/// `cancel` must be null or a number that lives for `'a`. Other threads of the caller's may write it; we only read it.
unsafe fn flag<'a>(cancel: *const u32) -> Result<Option<&'a AtomicU32>, Error> {
    if !cancel.is_aligned() {
        return Err(bad("cancel is not aligned"));
    }
    // SAFETY: aligned; the caller vouches for the rest.
    Ok(unsafe { cancel.cast::<AtomicU32>().as_ref() })
}

/// Work-items of a grid of whole workgroups.
fn whole_grid(groups: [u32; 3], group: [u32; 3]) -> Result<Geometry, Error> {
    let mut grid = [0; 3];
    for d in 0..3 {
        let items = groups[d].checked_mul(group[d]);
        grid[d] = items.ok_or_else(|| bad(&format!("{} workgroups of {} work-items do not fit into 32 bits", groups[d], group[d])))?;
    }
    Ok(Geometry::new(grid, group))
}

/// `uint32_t wavejit_abi_version(void)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit_abi_version() -> u32 {
    ABI_VERSION
}

/// `const char *wavejit_last_error(void)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// `wavejit_kernel`: a loaded kernel.
pub struct CKernel {
    kernel: Kernel,
}

/// `int32_t wavejit_kernel_open(...)`
///
/// # Safety
/// As `wavejit.h` says: `elf` has `elf_size` readable bytes, `name` is a string, `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_kernel_open(elf: *const c_void, elf_size: usize, name: *const c_char, out: *mut *mut CKernel) -> i32 {
    let body = || {
        if out.is_null() || !out.is_aligned() {
            return Err(bad("out is NULL or not aligned"));
        }
        // SAFETY: `out` is a writable pointer of the caller's.
        unsafe { *out = std::ptr::null_mut() };
        // SAFETY: the caller vouches for the string and the bytes; both are only used before we return.
        let (name, elf) = unsafe { (string(name, "name")?, bytes(elf, elf_size, "elf")?) };
        let object = CodeObject::load_for(elf, None, Some(name))?;
        object.kernel(name)?;
        let kernel = device()?.load_object(object)?.kernel(name)?;
        kernel.compile()?;
        // SAFETY: as above.
        unsafe { *out = Box::into_raw(Box::new(CKernel { kernel })) };
        Ok(())
    };
    guarded(body, |_| ())
}

/// `int32_t wavejit_kernel_launch(...)`
///
/// # Safety
/// As `wavejit.h` says: `kernel` is open, the arrays have three numbers, `kernarg` has `kernarg_size` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_kernel_launch(
    kernel: *const CKernel,
    workgroups: *const u32,
    workgroup_size: *const u32,
    kernarg: *const c_void,
    kernarg_size: usize,
    dynamic_lds_bytes: u32,
) -> i32 {
    let body = || {
        // SAFETY: the caller vouches for both arrays.
        let geometry = unsafe { whole_grid(three(workgroups, "workgroups")?, three(workgroup_size, "workgroup_size")?)? };
        // SAFETY: the caller vouches for the kernel and its arguments.
        unsafe { launch(kernel, LaunchConfig { geometry, ..Default::default() }, kernarg, kernarg_size, dynamic_lds_bytes) }
    };
    guarded(body, |_| ())
}

/// `int32_t wavejit_kernel_launch_ex(...)`
///
/// # Safety
/// As `wavejit_kernel_launch`; `cancel` is null or an aligned number that lives until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_kernel_launch_ex(
    kernel: *const CKernel,
    grid_size: *const u32,
    workgroup_size: *const u32,
    kernarg: *const c_void,
    kernarg_size: usize,
    dynamic_lds_bytes: u32,
    max_insts: u64,
    cancel: *const u32,
) -> i32 {
    let body = || {
        // SAFETY: the caller vouches for both arrays and for the flag.
        let (grid, group, cancel) = unsafe { (three(grid_size, "grid_size")?, three(workgroup_size, "workgroup_size")?, flag(cancel)?) };
        let config = LaunchConfig { max_insts, cancel, ..LaunchConfig::new(grid, group) };
        // SAFETY: the caller vouches for the kernel and its arguments.
        unsafe { launch(kernel, config, kernarg, kernarg_size, dynamic_lds_bytes) }
    };
    guarded(body, |_| ())
}

/// `int32_t wavejit_kernel_launch_part(...)`
///
/// # Safety
/// As `wavejit_kernel_launch_ex`; `first_group` and `group_count` have three numbers, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_kernel_launch_part(
    kernel: *const CKernel,
    grid_size: *const u32,
    workgroup_size: *const u32,
    first_group: *const u32,
    group_count: *const u32,
    kernarg: *const c_void,
    kernarg_size: usize,
    dynamic_lds_bytes: u32,
    max_insts: u64,
    cancel: *const u32,
) -> i32 {
    let body = || {
        // SAFETY: the caller vouches for the arrays.
        let (grid, group) = unsafe { (three(grid_size, "grid_size")?, three(workgroup_size, "workgroup_size")?) };
        // SAFETY: as above, and for the flag.
        let (first, count, cancel) = unsafe { (three(first_group, "first_group")?, three(group_count, "group_count")?, flag(cancel)?) };
        let geometry = Geometry { part: Some(Part { first, count }), ..Geometry::new(grid, group) };
        let config = LaunchConfig { geometry, max_insts, cancel, ..Default::default() };
        // SAFETY: the caller vouches for the kernel and its arguments.
        unsafe { launch(kernel, config, kernarg, kernarg_size, dynamic_lds_bytes) }
    };
    guarded(body, |_| ())
}

/// # Safety
/// `kernel` is null or open, `kernarg` has `kernarg_size` readable bytes.
unsafe fn launch(
    kernel: *const CKernel,
    config: LaunchConfig,
    kernarg: *const c_void,
    kernarg_size: usize,
    dynamic_lds: u32,
) -> Result<(), Error> {
    if kernarg_size > MAX_KERNARG_BYTES as usize {
        return Err(bad(&format!("argument block of {kernarg_size} bytes; at most {MAX_KERNARG_BYTES} are possible")));
    }
    // SAFETY: the caller vouches for the kernel, which is only read, and for the bytes.
    let (kernel, kernarg) = unsafe { (kernel.as_ref().ok_or_else(|| bad("kernel is NULL"))?, bytes(kernarg, kernarg_size, "kernarg")?) };
    kernel.kernel.launch(&Launch { config, kernarg: Some(kernarg), dynamic_lds, ..Default::default() })?;
    Ok(())
}

/// `void wavejit_kernel_close(wavejit_kernel *kernel)`
///
/// # Safety
/// `kernel` is null, or open and not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_kernel_close(kernel: *mut CKernel) {
    // SAFETY: passed on.
    unsafe { close(kernel) }
}

/// `wavejit_program`: machine code that was opened.
pub struct CProgram {
    program: CodeProgram,
    target: Gfx,
}

/// `int32_t wavejit_program_open(...)`
///
/// # Safety
/// As `wavejit.h` says: `code` has `code_size` readable bytes, `target` is a string, `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_program_open(
    code: *const c_void,
    code_size: usize,
    target: *const c_char,
    out: *mut *mut CProgram,
) -> i32 {
    let body = || {
        if out.is_null() || !out.is_aligned() {
            return Err(bad("out is NULL or not aligned"));
        }
        // SAFETY: `out` is a writable pointer of the caller's.
        unsafe { *out = std::ptr::null_mut() };
        // SAFETY: the caller vouches for the string and the bytes; both are only used before we return.
        let (target, code) = unsafe { (known_target(string(target, "target")?)?, bytes(code, code_size, "code")?) };
        let program = device()?.program(code, target)?;
        // SAFETY: as above.
        unsafe { *out = Box::into_raw(Box::new(CProgram { program, target })) };
        Ok(())
    };
    guarded(body, |_| ())
}

/// `int32_t wavejit_program_launch(...)`
///
/// # Safety
/// As `wavejit.h` says: `program` is open, the arrays have three numbers, `user_data` has `n_user_data`, `cancel` is null or an aligned number
/// that lives until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_program_launch(
    program: *const CProgram,
    entry_offset: usize,
    grid_size: *const u32,
    workgroup_size: *const u32,
    wave_size: u32,
    rsrc: *const u32,
    user_data: *const u32,
    n_user_data: u32,
    scratch_bytes: u32,
    max_insts: u64,
    cancel: *const u32,
) -> i32 {
    let body = || {
        // SAFETY: the caller vouches for the program, which is only read, for the arrays and for the flag.
        let (CProgram { program, target }, grid, group, [rsrc1, rsrc2, rsrc3], user_data, cancel) = unsafe {
            (
                program.as_ref().ok_or_else(|| bad("program is NULL"))?,
                three(grid_size, "grid_size")?,
                three(workgroup_size, "workgroup_size")?,
                three(rsrc, "rsrc")?,
                user_numbers(user_data, n_user_data)?,
                flag(cancel)?,
            )
        };
        Geometry::new(grid, group).check(RAW_NAME, None)?;
        let code = program.range();
        if entry_offset as u64 >= code.1 - code.0 || !entry_offset.is_multiple_of(4) {
            return Err(bad(&format!(
                "entry_offset {entry_offset}: expected a multiple of 4 within the {} bytes of code",
                code.1 - code.0
            )));
        }
        let raw = RawInit {
            target: *target,
            wave_size: checked_wave_size(*target, wave_size)?,
            entry: code.0 + entry_offset as u64,
            rsrc: PgmRsrc { rsrc1, rsrc2, rsrc3 },
            user_data,
            scratch_bytes,
        };
        let init = WaveInit::raw(&raw);
        check_lds(RAW_NAME, init.lds_bytes, 0)?;
        let config = LaunchConfig { max_insts, cancel, ..LaunchConfig::new(grid, group) };
        program.run(&CodeLaunch { name: RAW_NAME, code, init, config })?;
        Ok(())
    };
    guarded(body, |_| ())
}

/// `void wavejit_program_close(wavejit_program *program)`
///
/// # Safety
/// `program` is null, or open and not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_program_close(program: *mut CProgram) {
    // SAFETY: passed on.
    unsafe { close(program) }
}

/// Ends the use of what an `open` function made.
///
/// # Safety
/// `handle` is null, or comes from `Box::into_raw` and is not used any more.
unsafe fn close<T>(handle: *mut T) {
    let body = || {
        if !handle.is_null() {
            // SAFETY: the caller says so, and closes it once.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    };
    guarded(body, |_| ());
}

/// `int32_t wavejit_run_asm(...)`
///
/// # Safety
/// As `wavejit.h` says: `code` has `code_size` readable bytes, `target` is a string, `user_data` has `n_user_data` numbers, `err` is null
/// or has `err_len` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit_run_asm(
    code: *const c_void,
    code_size: u32,
    gx: u32,
    gy: u32,
    gz: u32,
    lx: u32,
    ly: u32,
    lz: u32,
    args_ptr: *const u64,
    target: *const c_char,
    wave_size: u32,
    rsrc1: u32,
    rsrc2: u32,
    rsrc3: u32,
    user_data: *const u32,
    n_user_data: u32,
    scratch_bytes: u32,
    max_insts: u64,
    err: *mut c_char,
    err_len: u32,
) -> i32 {
    let body = || {
        // SAFETY: the caller vouches for the string.
        let name = unsafe { string(target, "target")? };
        let target = known_target(name)?;
        let geometry = whole_grid([gx, gy, gz], [lx, ly, lz])?;
        geometry.check(RAW_NAME, None)?;
        let start = code as u64;
        if start == 0 || !start.is_multiple_of(4) || code_size == 0 || !code_size.is_multiple_of(4) {
            return Err(bad(&format!("code of {code_size} bytes at {start:#x}: both must be multiples of 4, and not 0")));
        }
        // SAFETY: the caller vouches for the numbers.
        let user_data = match unsafe { user_numbers(user_data, n_user_data)? } {
            [] => vec![args_ptr as u64 as u32, (args_ptr as u64 >> 32) as u32],
            given => given.to_vec(),
        };
        let raw = RawInit {
            target,
            wave_size: checked_wave_size(target, wave_size)?,
            entry: start,
            rsrc: PgmRsrc { rsrc1, rsrc2, rsrc3 },
            user_data: &user_data,
            scratch_bytes,
        };
        let init = WaveInit::raw(&raw);
        check_lds(RAW_NAME, init.lds_bytes, 0)?;
        let code = (start, start.wrapping_add(u64::from(code_size)));
        let config = LaunchConfig { geometry, max_insts, ..Default::default() };
        device()?.run_code(&CodeLaunch { name: RAW_NAME, code, init, config })?;
        Ok(())
    };
    // SAFETY: the caller vouches for `err_len` writable bytes at `err`.
    guarded(body, |message| unsafe { copy_message(message, err, err_len) })
}

/// The processor of a name, if its instructions are known.
fn known_target(name: &str) -> Result<Gfx, Error> {
    let target = TargetId::parse(name).map_err(|e| bad(&format!("target `{name}`: {e}")))?.processor;
    match decode(&[0xbf80_0000], target, 64) {
        Err(e @ DecodeError::Target { .. }) => Err(Error::Unsupported(e.to_string())),
        _ => Ok(target),
    }
}

fn checked_wave_size(target: Gfx, wave_size: u32) -> Result<u32, Error> {
    match (wave_size, target.has(Feature::Wave32)) {
        (0, _) => Ok(target.default_wave_size()),
        (64, _) | (32, true) => Ok(wave_size),
        (_, true) => Err(bad(&format!("wave size {wave_size}: expected 32, 64 or 0"))),
        (_, false) => Err(bad(&format!("wave size {wave_size}: {target} has only 64"))),
    }
}

/// # Safety
/// `p` must be null or point to `n` numbers that stay as they are for `'a`.
unsafe fn user_numbers<'a>(p: *const u32, n: u32) -> Result<&'a [u32], Error> {
    match n as usize {
        0 => Ok(&[]),
        n if n > MAX_USER_SGPRS => Err(bad(&format!("{n} user SGPRs; at most {MAX_USER_SGPRS} are possible"))),
        _ if p.is_null() || !p.is_aligned() => Err(bad("user_data is NULL or not aligned")),
        // SAFETY: not null, aligned, of possible size; the caller vouches for the rest.
        n => Ok(unsafe { std::slice::from_raw_parts(p, n) }),
    }
}

/// # Safety
/// `err` must be null or have `err_len` writable bytes.
unsafe fn copy_message(message: &str, err: *mut c_char, err_len: u32) {
    if err.is_null() || err_len == 0 {
        return;
    }
    let message = c_string(message);
    let len = message.as_bytes().len().min(err_len as usize - 1);
    // SAFETY: `len` + 1 <= `err_len` bytes are writable there, and the message is ours.
    unsafe {
        std::ptr::copy_nonoverlapping(message.as_ptr(), err, len);
        *err.add(len) = 0;
    }
}
