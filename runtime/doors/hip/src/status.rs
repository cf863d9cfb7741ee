//! Status codes ([`Status`]), the last error of each thread, and the frame around every function (`guard`, `hip!`).
//!
//! Numbers and names are those of `hipError_t`; the texts are ours.

use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use wavejit::{Cause, Error, Limit};

/// A `hipError_t`; 0 is success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Status(pub i32);

/// What functions return before it becomes a number.
pub type Result<T = ()> = std::result::Result<T, Status>;

macro_rules! statuses {
    ($($constant:ident = $number:literal $name:literal $text:literal)*) => {
        #[allow(missing_docs)]
        impl Status {
            $(pub const $constant: Status = Status($number);)*
        }
        /// Number, name, text.
        const TABLE: &[(i32, &CStr, &CStr)] = &[$(($number, $name, $text)),*];
    };
}

#[rustfmt::skip]
statuses! {
    SUCCESS = 0 c"hipSuccess" c"no error"
    INVALID_VALUE = 1 c"hipErrorInvalidValue" c"invalid argument"
    OUT_OF_MEMORY = 2 c"hipErrorOutOfMemory" c"out of memory"
    NOT_INITIALIZED = 3 c"hipErrorNotInitialized" c"not initialized"
    DEINITIALIZED = 4 c"hipErrorDeinitialized" c"already shut down"
    PROFILER_DISABLED = 5 c"hipErrorProfilerDisabled" c"the profiler is disabled"
    PROFILER_NOT_INITIALIZED = 6 c"hipErrorProfilerNotInitialized" c"the profiler is not initialized"
    PROFILER_ALREADY_STARTED = 7 c"hipErrorProfilerAlreadyStarted" c"the profiler runs already"
    PROFILER_ALREADY_STOPPED = 8 c"hipErrorProfilerAlreadyStopped" c"the profiler is stopped already"
    INVALID_CONFIGURATION = 9 c"hipErrorInvalidConfiguration" c"invalid configuration of a launch"
    INVALID_PITCH = 12 c"hipErrorInvalidPitchValue" c"invalid pitch"
    INVALID_SYMBOL = 13 c"hipErrorInvalidSymbol" c"not a device variable"
    INVALID_DEVICE_POINTER = 17 c"hipErrorInvalidDevicePointer" c"not a device pointer"
    INVALID_DIRECTION = 21 c"hipErrorInvalidMemcpyDirection" c"invalid direction of a copy"
    INSUFFICIENT_DRIVER = 35 c"hipErrorInsufficientDriver" c"the driver is too old"
    MISSING_CONFIGURATION = 52 c"hipErrorMissingConfiguration" c"a launch without configuration"
    PRIOR_LAUNCH_FAILURE = 53 c"hipErrorPriorLaunchFailure" c"an earlier launch failed"
    INVALID_DEVICE_FUNCTION = 98 c"hipErrorInvalidDeviceFunction" c"not a device function"
    NO_DEVICE = 100 c"hipErrorNoDevice" c"there is no device"
    INVALID_DEVICE = 101 c"hipErrorInvalidDevice" c"there is no device of this number"
    INVALID_IMAGE = 200 c"hipErrorInvalidImage" c"not a device image that can be loaded"
    INVALID_CONTEXT = 201 c"hipErrorInvalidContext" c"invalid device context"
    CONTEXT_ALREADY_CURRENT = 202 c"hipErrorContextAlreadyCurrent" c"the context is current already"
    MAP_FAILED = 205 c"hipErrorMapFailed" c"mapping failed"
    UNMAP_FAILED = 206 c"hipErrorUnmapFailed" c"unmapping failed"
    ARRAY_IS_MAPPED = 207 c"hipErrorArrayIsMapped" c"the array is mapped"
    ALREADY_MAPPED = 208 c"hipErrorAlreadyMapped" c"it is mapped already"
    NO_BINARY_FOR_GPU = 209 c"hipErrorNoBinaryForGpu" c"there is no device code for this device"
    ALREADY_ACQUIRED = 210 c"hipErrorAlreadyAcquired" c"it is acquired already"
    NOT_MAPPED = 211 c"hipErrorNotMapped" c"it is not mapped"
    NOT_MAPPED_AS_ARRAY = 212 c"hipErrorNotMappedAsArray" c"it is not mapped as an array"
    NOT_MAPPED_AS_POINTER = 213 c"hipErrorNotMappedAsPointer" c"it is not mapped as a pointer"
    ECC_NOT_CORRECTABLE = 214 c"hipErrorECCNotCorrectable" c"memory error that cannot be corrected"
    UNSUPPORTED_LIMIT = 215 c"hipErrorUnsupportedLimit" c"the device has no such limit"
    CONTEXT_ALREADY_IN_USE = 216 c"hipErrorContextAlreadyInUse" c"another thread uses the context"
    PEER_ACCESS_UNSUPPORTED = 217 c"hipErrorPeerAccessUnsupported" c"the devices cannot reach each other"
    INVALID_KERNEL_FILE = 218 c"hipErrorInvalidKernelFile" c"invalid file of kernels"
    INVALID_GRAPHICS_CONTEXT = 219 c"hipErrorInvalidGraphicsContext" c"invalid graphics context"
    INVALID_SOURCE = 300 c"hipErrorInvalidSource" c"invalid source"
    FILE_NOT_FOUND = 301 c"hipErrorFileNotFound" c"file not found"
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302 c"hipErrorSharedObjectSymbolNotFound" c"symbol of a shared object not found"
    SHARED_OBJECT_INIT_FAILED = 303 c"hipErrorSharedObjectInitFailed" c"a shared object could not be initialized"
    OPERATING_SYSTEM = 304 c"hipErrorOperatingSystem" c"the operating system refused"
    INVALID_HANDLE = 400 c"hipErrorInvalidHandle" c"not a handle of the wanted kind"
    ILLEGAL_STATE = 401 c"hipErrorIllegalState" c"not possible in this state"
    NOT_FOUND = 500 c"hipErrorNotFound" c"there is nothing of this name"
    NOT_READY = 600 c"hipErrorNotReady" c"not complete yet"
    ILLEGAL_ADDRESS = 700 c"hipErrorIllegalAddress" c"a kernel accessed memory that is not there"
    LAUNCH_OUT_OF_RESOURCES = 701 c"hipErrorLaunchOutOfResources" c"a launch needs more than the device has"
    LAUNCH_TIME_OUT = 702 c"hipErrorLaunchTimeOut" c"a kernel took too long"
    PEER_ACCESS_ALREADY_ENABLED = 704 c"hipErrorPeerAccessAlreadyEnabled" c"peer access is enabled already"
    PEER_ACCESS_NOT_ENABLED = 705 c"hipErrorPeerAccessNotEnabled" c"peer access is not enabled"
    SET_ON_ACTIVE_PROCESS = 708 c"hipErrorSetOnActiveProcess" c"not possible while the device is in use"
    CONTEXT_IS_DESTROYED = 709 c"hipErrorContextIsDestroyed" c"the context is destroyed"
    ASSERT = 710 c"hipErrorAssert" c"an assertion of a kernel failed"
    HOST_MEMORY_ALREADY_REGISTERED = 712 c"hipErrorHostMemoryAlreadyRegistered" c"the host memory is registered already"
    HOST_MEMORY_NOT_REGISTERED = 713 c"hipErrorHostMemoryNotRegistered" c"the host memory is not registered"
    LAUNCH_FAILURE = 719 c"hipErrorLaunchFailure" c"a kernel failed"
    COOPERATIVE_LAUNCH_TOO_LARGE = 720 c"hipErrorCooperativeLaunchTooLarge" c"more workgroups than can be resident at a time"
    NOT_SUPPORTED = 801 c"hipErrorNotSupported" c"not supported"
    STREAM_CAPTURE_UNSUPPORTED = 900 c"hipErrorStreamCaptureUnsupported" c"not permitted while a stream is captured"
    STREAM_CAPTURE_INVALIDATED = 901 c"hipErrorStreamCaptureInvalidated" c"the capture became invalid by an earlier error"
    STREAM_CAPTURE_MERGE = 902 c"hipErrorStreamCaptureMerge" c"two captures would become one"
    STREAM_CAPTURE_UNMATCHED = 903 c"hipErrorStreamCaptureUnmatched" c"the capture did not begin in this stream"
    STREAM_CAPTURE_UNJOINED = 904 c"hipErrorStreamCaptureUnjoined" c"the capture has streams that were not joined"
    STREAM_CAPTURE_ISOLATION = 905 c"hipErrorStreamCaptureIsolation" c"a dependency would leave the capture"
    STREAM_CAPTURE_IMPLICIT = 906 c"hipErrorStreamCaptureImplicit" c"an implicit dependency on the null stream during capture"
    CAPTURED_EVENT = 907 c"hipErrorCapturedEvent" c"the event was recorded in a capture"
    STREAM_CAPTURE_WRONG_THREAD = 908 c"hipErrorStreamCaptureWrongThread" c"another thread began the capture"
    GRAPH_EXEC_UPDATE_FAILURE = 910 c"hipErrorGraphExecUpdateFailure" c"the graph differs too much for an update"
    INVALID_CHANNEL_DESCRIPTOR = 911 c"hipErrorInvalidChannelDescriptor" c"invalid channel descriptor"
    INVALID_TEXTURE = 912 c"hipErrorInvalidTexture" c"invalid texture"
    UNKNOWN = 999 c"hipErrorUnknown" c"unknown error"
    RUNTIME_MEMORY = 1052 c"hipErrorRuntimeMemory" c"error of memory functions of the run time"
    RUNTIME_OTHER = 1053 c"hipErrorRuntimeOther" c"error of the run time"
}

impl Status {
    fn row(self) -> (&'static CStr, &'static CStr) {
        let known = TABLE.iter().find(|row| row.0 == self.0);
        known.map_or((c"hipErrorUnknown", c"unknown error"), |row| (row.1, row.2))
    }

    /// The name of its constant.
    pub fn name(self) -> &'static CStr {
        self.row().0
    }

    /// As a result.
    pub(crate) fn ok(self) -> Result {
        if self == Status::SUCCESS { Ok(()) } else { Err(self) }
    }

    /// Is it a number of the table?
    pub fn is_known(self) -> bool {
        TABLE.iter().any(|row| row.0 == self.0)
    }
}

/// The status of an error of the run time; the text is for stderr.
pub(crate) fn status_of(error: &Error) -> Status {
    match error {
        Error::Arg(_) => Status::INVALID_VALUE,
        Error::Load(e) if e.is_unsupported() => Status::NO_BINARY_FOR_GPU,
        Error::Load(_) => Status::INVALID_IMAGE,
        Error::Unsupported(_) => Status::NOT_SUPPORTED,
        Error::OutOfMemory(_) => Status::OUT_OF_MEMORY,
        Error::NotMapped { .. } | Error::Overrun(_) => Status::ILLEGAL_ADDRESS,
        Error::NoCode(_) => Status::LAUNCH_FAILURE,
        Error::Fault(fault) => match fault.cause {
            Cause::Unmapped { .. } | Cause::Misaligned => Status::ILLEGAL_ADDRESS,
            _ => Status::LAUNCH_FAILURE,
        },
        Error::Limit(limit) => match **limit {
            Limit::Scratch { .. } => Status::LAUNCH_OUT_OF_RESOURCES,
            _ => Status::LAUNCH_TIME_OUT,
        },
        Error::Internal(_) => Status::UNKNOWN,
    }
}

/// Tells an error of the run time, and gives its status.
pub(crate) fn told(error: &Error) -> Status {
    say(&error.to_string());
    status_of(error)
}

/// A line for who runs the program.
pub(crate) fn say(text: &str) {
    use std::io::Write;
    // A closed stderr is not a reason to stop.
    let _ = writeln!(std::io::stderr(), "wavejit: {text}");
}

thread_local! {
    static LAST: Cell<Status> = const { Cell::new(Status::SUCCESS) };
}

/// Runs the body of a function: a panic becomes a status, and what is not success becomes the thread's last error. For programs of releases before 7 success
/// does so, too.
pub(crate) fn guard(body: impl FnOnce() -> Result) -> Status {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Status::UNKNOWN));
    let status = result.err().unwrap_or(Status::SUCCESS);
    // "Not ready" answers a question.
    if status != Status::NOT_READY && (status != Status::SUCCESS || crate::raw::release() < 7) {
        // A thread that is being torn down has no place for it any more.
        let _ = LAST.try_with(|last| last.set(status));
    }
    status
}

/// Defines functions of HIP's: `hip! { fn hipInit(flags: u32) { ...; Ok(()) } }`. Parameters that C gives as pointers are `Option` of a
/// reference: null is `None`, and C vouches for the rest.
macro_rules! hip {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of HIP's public header.")]
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $crate::status::Status {
            $crate::status::guard(move || $body)
        }
    )* };
}
pub(crate) use hip;

/// Functions that do as others do: `alias! { hipFreeHost = hipHostFree(ptr: *mut c_void) }`.
macro_rules! alias {
    ($($name:ident = $other:ident($($arg:ident: $ty:ty),* $(,)?);)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of HIP's public header.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $crate::status::Status {
            $other($($arg),*)
        }
    )* };
}
pub(crate) use alias;

hip! {
    fn hipDrvGetErrorName(error: Status, text: crate::abi::Out<*const c_char>) {
        if !error.is_known() { return Err(Status::INVALID_VALUE); }
        crate::abi::put(text, error.row().0.as_ptr())
    }
    fn hipDrvGetErrorString(error: Status, text: crate::abi::Out<*const c_char>) {
        if !error.is_known() { return Err(Status::INVALID_VALUE); }
        crate::abi::put(text, error.row().1.as_ptr())
    }
}

/// `hipGetErrorName` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorName(error: Status) -> *const c_char {
    error.row().0.as_ptr()
}

/// `hipGetErrorString` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorString(error: Status) -> *const c_char {
    error.row().1.as_ptr()
}

/// `hipPeekAtLastError` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipPeekAtLastError() -> Status {
    crate::gpu::lasting_failure().unwrap_or_else(|| LAST.try_with(Cell::get).unwrap_or(Status::SUCCESS))
}

/// `hipGetLastError` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetLastError() -> Status {
    let last = LAST.try_with(|last| last.replace(Status::SUCCESS)).unwrap_or(Status::SUCCESS);
    crate::gpu::lasting_failure().unwrap_or(last)
}

/// `hipExtGetLastError` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipExtGetLastError() -> Status {
    hipGetLastError()
}
