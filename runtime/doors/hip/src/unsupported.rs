//! Functions of the public header that are not supported: each says so, once, and returns `hipErrorNotSupported`.

use crate::status::{Status, hip, say};
use std::collections::BTreeSet;
use std::ffi::{c_char, c_void};
use wavejit::fork::Mutex;

/// Says once that something is not supported.
pub(crate) fn refuse(what: &'static str) -> Status {
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if SAID.lock().insert(what) {
        say(&format!("{what} is not supported"));
    }
    Status::NOT_SUPPORTED
}

macro_rules! unsupported {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "` of HIP's public header, which is refused.")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> Status {
                crate::status::guard(|| Err(refuse(stringify!($name))))
            }
        )*
        /// The names of functions that are refused.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

#[rustfmt::skip]
unsupported! {
    hipDestroyExternalMemory hipDestroyExternalSemaphore hipExternalMemoryGetMappedBuffer hipExternalMemoryGetMappedMipmappedArray hipGLGetDevices
    hipGraphAddExternalSemaphoresSignalNode hipGraphAddExternalSemaphoresWaitNode hipGraphExecExternalSemaphoresSignalNodeSetParams
    hipGraphExecExternalSemaphoresWaitNodeSetParams hipGraphExternalSemaphoresSignalNodeGetParams hipGraphExternalSemaphoresSignalNodeSetParams
    hipGraphExternalSemaphoresWaitNodeGetParams hipGraphExternalSemaphoresWaitNodeSetParams hipGraphicsGLRegisterBuffer hipGraphicsGLRegisterImage
    hipGraphicsMapResources hipGraphicsResourceGetMappedPointer hipGraphicsSubResourceGetMappedArray hipGraphicsUnmapResources
    hipGraphicsUnregisterResource hipImportExternalMemory hipImportExternalSemaphore hipIpcCloseMemHandle hipIpcGetEventHandle hipIpcGetMemHandle
    hipIpcOpenEventHandle hipIpcOpenMemHandle hipLinkAddData hipLinkAddFile hipLinkComplete hipLinkCreate hipLinkDestroy
    hipMemExportToShareableHandle hipMemGetHandleForAddressRange hipMemImportFromShareableHandle hipMemMapArrayAsync hipMemPoolExportPointer
    hipMemPoolExportToShareableHandle hipMemPoolImportFromShareableHandle hipMemPoolImportPointer hipMemcpy3DBatchAsync hipRegisterTracerCallback
    hiprtcGetBitcode hiprtcGetBitcodeSize hiprtcLinkAddData hiprtcLinkAddFile
    hiprtcLinkComplete hiprtcLinkCreate hiprtcLinkDestroy
}

/// Semaphores of other interfaces, of which none can be imported.
fn semaphores(what: &'static str, semaphores: *const c_void, parameters: *const c_void, stream: *mut c_void) -> crate::status::Result {
    if semaphores.is_null() || parameters.is_null() || crate::stream::get(stream).is_err() {
        return Err(Status::INVALID_VALUE);
    }
    Err(refuse(what))
}

hip! {
    fn hipSignalExternalSemaphoresAsync(list: *const c_void, parameters: *const c_void, _count: u32, stream: *mut c_void) {
        semaphores("hipSignalExternalSemaphoresAsync", list, parameters, stream)
    }
    fn hipWaitExternalSemaphoresAsync(list: *const c_void, parameters: *const c_void, _count: u32, stream: *mut c_void) {
        semaphores("hipWaitExternalSemaphoresAsync", list, parameters, stream)
    }
}

/// `hipApiName` of HIP's public header, for tools that trace calls: there are none here.
#[unsafe(no_mangle)]
pub extern "C" fn hipApiName(_id: u32) -> *const c_char {
    c"unknown".as_ptr()
}

/// `__hipGetPCH`: precompiled headers, of which there are none.
#[unsafe(no_mangle)]
pub extern "C" fn __hipGetPCH(header: Option<&mut *const c_char>, bytes: Option<&mut u32>) {
    if let (Some(header), Some(bytes)) = (header, bytes) {
        (*header, *bytes) = (std::ptr::null(), 0);
    }
}
