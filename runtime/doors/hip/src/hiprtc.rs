//! hiprtc: device code compiled while a program runs, by a clang of the machine (`wavejit_cc` finds one), as `wavejit cc` does.
//!
//! The log of a program is what clang says. Where there is no clang, or no device library, it says what to install.

use crate::abi::{Out, put, put_if};
use crate::gpu;
use crate::handles::Handles;
use crate::raw;
use crate::status::{Status, say};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use wavejit::fork::Mutex;
use wavejit_cc::{Compiled, Unit};

/// A `hiprtcResult`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct RtcStatus(pub i32);

type Result<T = ()> = std::result::Result<T, RtcStatus>;

macro_rules! rtc_statuses {
    ($($constant:ident = $number:literal $name:literal)*) => {
        #[allow(missing_docs)]
        impl RtcStatus {
            $(pub const $constant: RtcStatus = RtcStatus($number);)*
        }
        const TABLE: &[(i32, &CStr)] = &[$(($number, $name)),*];
    };
}

rtc_statuses! {
    SUCCESS = 0 c"HIPRTC_SUCCESS"
    OUT_OF_MEMORY = 1 c"HIPRTC_ERROR_OUT_OF_MEMORY"
    PROGRAM_CREATION_FAILURE = 2 c"HIPRTC_ERROR_PROGRAM_CREATION_FAILURE"
    INVALID_INPUT = 3 c"HIPRTC_ERROR_INVALID_INPUT"
    INVALID_PROGRAM = 4 c"HIPRTC_ERROR_INVALID_PROGRAM"
    INVALID_OPTION = 5 c"HIPRTC_ERROR_INVALID_OPTION"
    COMPILATION = 6 c"HIPRTC_ERROR_COMPILATION"
    BUILTIN_OPERATION_FAILURE = 7 c"HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE"
    NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8 c"HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION"
    NO_LOWERED_NAMES_BEFORE_COMPILATION = 9 c"HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION"
    NAME_EXPRESSION_NOT_VALID = 10 c"HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID"
    INTERNAL_ERROR = 11 c"HIPRTC_ERROR_INTERNAL_ERROR"
    LINKING = 100 c"HIPRTC_ERROR_LINKING"
}

impl From<Status> for RtcStatus {
    fn from(_: Status) -> RtcStatus {
        RtcStatus::INVALID_INPUT
    }
}

/// The release that the functions follow.
const VERSION: [i32; 2] = [9, 0];

/// A program.
struct Program {
    name: String,
    source: String,
    /// By the name that `#include` has.
    headers: Vec<(String, String)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    expressions: Vec<String>,
    is_compiled: bool,
    log: String,
    code: Vec<u8>,
    /// Names in the code object by expression; they stay as long as the program.
    names: BTreeMap<String, CString>,
}

static PROGRAMS: Handles<Program> = Handles::new();

fn get(program: *const c_void) -> Result<Arc<Program>> {
    PROGRAMS.get(program).map_err(|_| RtcStatus::INVALID_PROGRAM)
}

/// Runs the body of a function; a panic becomes a status.
fn guard(body: impl FnOnce() -> Result) -> RtcStatus {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(RtcStatus::INTERNAL_ERROR));
    result.err().unwrap_or(RtcStatus::SUCCESS)
}

/// Options for clang. The processor is that of the option that names one, or this thread's device's.
fn options(given: &[&str]) -> Result<(String, Vec<String>)> {
    let mut target = None;
    let mut flags = Vec::new();
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let value = ["--gpu-architecture=", "--offload-arch=", "-arch=", "--gpu-arch="].iter().find_map(|p| option.strip_prefix(p));
        match (value, *option) {
            (Some(name), _) => target = Some(name.to_string()),
            (None, "--gpu-architecture" | "--offload-arch" | "-arch") => {
                target = Some(rest.next().ok_or(RtcStatus::INVALID_OPTION)?.to_string())
            }
            // A code object is what loads here; bitcode is for linkers.
            (None, "-fgpu-rdc") => return Err(refuse_option("-fgpu-rdc")),
            (None, "") => {}
            _ => flags.push((*option).to_string()),
        }
    }
    let target = match target {
        Some(name) => name,
        None => gpu::current().map_err(|_| RtcStatus::INTERNAL_ERROR)?.target.to_string(),
    };
    Ok((target, flags))
}

fn refuse_option(option: &str) -> RtcStatus {
    say(&format!("hiprtc: option {option} is not supported"));
    RtcStatus::INVALID_OPTION
}

fn compile(program: &Program, given: &[&str]) -> Result {
    let (target, flags) = options(given)?;
    let expressions = program.state.lock().expressions.clone();
    let unit = Unit {
        name: &program.name,
        source: &program.source,
        headers: &program.headers,
        target: &target,
        flags: &flags,
        expressions: &expressions,
    };
    // Without the lock: clang takes its time.
    let result = wavejit_cc::compile_unit(&unit);
    let mut state = program.state.lock();
    state.is_compiled = true;
    match result {
        Ok(Compiled { code, log, names }) => {
            state.code = code;
            state.log = log;
            let pairs = expressions.into_iter().zip(names);
            state.names = pairs.map(|(e, n)| (e, CString::new(n).unwrap_or_default())).collect();
            Ok(())
        }
        Err(why) => {
            state.log = why;
            Err(RtcStatus::COMPILATION)
        }
    }
}

/// Copies a text and its NUL to where the caller has room for it.
fn put_log(place: *mut c_char, text: &str) -> Result {
    let room = raw::slice_mut(place.cast::<u8>(), text.len() + 1)?;
    room[..text.len()].copy_from_slice(text.as_bytes());
    room[text.len()] = 0;
    Ok(())
}

/// The code of a program that has been compiled.
fn with_code(program: *const c_void, read: impl FnOnce(&[u8]) -> Result) -> Result {
    let program = get(program)?;
    let state = program.state.lock();
    if state.code.is_empty() { Err(RtcStatus::INVALID_PROGRAM) } else { read(&state.code) }
}

macro_rules! rtc {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of HIP's public header.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> RtcStatus {
            guard(move || $body)
        }
    )* };
}

rtc! {
    fn hiprtcVersion(major: Out<i32>, minor: Out<i32>) {
        if major.is_none() || minor.is_none() { return Err(RtcStatus::INVALID_INPUT); }
        put_if(major, VERSION[0]);
        put_if(minor, VERSION[1]);
        Ok(())
    }
    fn hiprtcCreateProgram(
        program: Out<*mut c_void>, source: *const c_char, name: *const c_char, count: i32, headers: *const *const c_char,
        names: *const *const c_char,
    ) {
        let out = program.ok_or(RtcStatus::INVALID_INPUT)?;
        let count = usize::try_from(count).map_err(|_| RtcStatus::INVALID_INPUT)?;
        let name = if name.is_null() { "CompileSource" } else { raw::text(name)? };
        let (texts, names) = (raw::slice(headers, count)?, raw::slice(names, count)?);
        let header = |(text, name): (&*const c_char, &*const c_char)| Ok((raw::text(*name)?.to_string(), raw::text(*text)?.to_string()));
        let headers = texts.iter().zip(names).map(header).collect::<crate::status::Result<Vec<_>>>()?;
        let program = Program { name: name.to_string(), source: raw::text(source)?.to_string(), headers, state: Mutex::default() };
        out.write(PROGRAMS.add(Arc::new(program)));
        Ok(())
    }
    fn hiprtcDestroyProgram(program: Option<&mut *mut c_void>) {
        let program = program.ok_or(RtcStatus::INVALID_INPUT)?;
        PROGRAMS.remove(*program).map_err(|_| RtcStatus::INVALID_PROGRAM)?;
        *program = std::ptr::null_mut();
        Ok(())
    }
    fn hiprtcAddNameExpression(program: *mut c_void, expression: *const c_char) {
        let program = get(program)?;
        let mut state = program.state.lock();
        if state.is_compiled { return Err(RtcStatus::NO_NAME_EXPRESSIONS_AFTER_COMPILATION); }
        let expression = raw::text(expression)?.to_string();
        if !state.expressions.contains(&expression) { state.expressions.push(expression); }
        Ok(())
    }
    fn hiprtcCompileProgram(program: *mut c_void, count: i32, options: *const *const c_char) {
        let program = get(program)?;
        let count = usize::try_from(count).map_err(|_| RtcStatus::INVALID_INPUT)?;
        let options = raw::slice(options, count)?.iter().map(|o| raw::text(*o)).collect::<crate::status::Result<Vec<_>>>()?;
        compile(&program, &options)
    }
    fn hiprtcGetLoweredName(program: *mut c_void, expression: *const c_char, name: Out<*const c_char>) {
        let program = get(program)?;
        let state = program.state.lock();
        if !state.is_compiled { return Err(RtcStatus::NO_LOWERED_NAMES_BEFORE_COMPILATION); }
        let found = state.names.get(raw::text(expression)?).ok_or(RtcStatus::NAME_EXPRESSION_NOT_VALID)?;
        Ok(put(name, found.as_ptr())?)
    }
    fn hiprtcGetProgramLogSize(program: *mut c_void, bytes: Out<usize>) {
        Ok(put(bytes, get(program)?.state.lock().log.len() + 1)?)
    }
    fn hiprtcGetProgramLog(program: *mut c_void, log: *mut c_char) {
        put_log(log, &get(program)?.state.lock().log)
    }
    fn hiprtcGetCodeSize(program: *mut c_void, bytes: Out<usize>) {
        with_code(program, |code| Ok(put(bytes, code.len())?))
    }
    fn hiprtcGetCode(program: *mut c_void, place: *mut c_char) {
        with_code(program, |code| {
            raw::slice_mut(place.cast::<u8>(), code.len())?.copy_from_slice(code);
            Ok(())
        })
    }
}

/// `hiprtcGetErrorString` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hiprtcGetErrorString(status: RtcStatus) -> *const c_char {
    TABLE.iter().find(|row| row.0 == status.0).map_or(c"Invalid HIPRTC error code", |row| row.1).as_ptr()
}
