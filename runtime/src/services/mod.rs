//! What kernels ask of the host while they run: printf and assert, memory for malloc, the buffers of OpenCL's printf.
//!
//! A kernel finds what it needs for that in hidden arguments. Each is made when the first kernel that uses it is launched.
//!
//! | file | holds |
//! |---|---|
//! | `hostcall.rs` | packets that waves fill in and wait for |
//! | `messages.rs` | printf in packets |
//! | `print_buffer.rs` | printf in a buffer that is read after the dispatch |
//! | `format.rs` | printf's formats |

mod format;
mod hostcall;
mod messages;
mod print_buffer;

use crate::Error;
use crate::code_object::HiddenArg;
use crate::host::sync::Mutex;
use crate::memory::address_space::AddressSpace;
use hostcall::Hostcall;
use std::io::Write;
use std::sync::{Arc, OnceLock};

pub(crate) use print_buffer::{Formats, PrintBuffer};

/// Where a kernel prints to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// The standard output.
    Out,
    /// The standard error: assertions.
    Err,
}

/// Takes what kernels print, in the order of each wave; waves of different threads interleave. It must not wait for a dispatch.
pub type Print = Box<dyn FnMut(Stream, &[u8]) + Send>;

/// Prints through the streams of the C library, so that what kernels print comes in order with what a C program prints itself.
pub fn print_by_c() -> Print {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
        static stderr: *mut libc::FILE;
    }
    Box::new(|stream, text| {
        // SAFETY: the C library made both before the program began, and locks them; a program that closed one may not print any longer, as
        // with its own printf.
        unsafe {
            let to = if stream == Stream::Out { stdout } else { stderr };
            libc::fwrite(text.as_ptr().cast(), 1, text.len(), to);
        }
    })
}

/// Bytes of the heap's own state, zero at first but for times; its memory comes by calls to the host.
const HEAP_BYTES: u64 = 256 << 10;
/// Where it keeps, of each size of pieces, when it last asked for memory and was given some: lists of this many entries, so many bytes apart. The
/// library waits a while between two requests, by a clock that may have begun a moment ago.
const HEAP_TIMES: [u64; 2] = [0x600, 0x800];
const HEAP_SIZES: u64 = 16;
const HEAP_ENTRY: u64 = 32;
/// For any clock, a time long past.
const LONG_AGO: u64 = 1 << 63;

/// What a device offers its kernels.
pub(crate) struct Services {
    space: Arc<AddressSpace>,
    threads: usize,
    print: Mutex<Print>,
    hostcall: OnceLock<Hostcall>,
    heap: OnceLock<u64>,
    /// One launch makes what is missing at a time.
    making: Mutex<()>,
}

impl Services {
    /// For so many threads that run waves; nothing is made yet.
    pub(crate) fn new(space: Arc<AddressSpace>, threads: usize) -> Services {
        let print: Print = Box::new(|stream, text| {
            // A program that has closed its output has no use for it.
            let _ = match stream {
                Stream::Out => std::io::stdout().lock().write_all(text).and_then(|()| std::io::stdout().flush()),
                Stream::Err => std::io::stderr().lock().write_all(text),
            };
        });
        Services { space, threads, print: Mutex::new(print), hostcall: OnceLock::new(), heap: OnceLock::new(), making: Mutex::new(()) }
    }

    /// From now on, `print` takes what kernels print.
    pub(crate) fn set_print(&self, print: Print) {
        *self.print.lock() = print;
    }

    /// The same, as if nothing had been asked for yet, and with the same place to print to.
    pub(crate) fn renewed(&self) -> Services {
        let new = Services::new(self.space.clone(), self.threads);
        std::mem::swap(&mut *new.print.lock(), &mut *self.print.lock());
        new
    }

    /// Is the hidden argument one that [`Self::provide`] has?
    pub(crate) fn has(which: HiddenArg) -> bool {
        matches!(which, HiddenArg::HostcallBuffer | HiddenArg::Heap)
    }

    /// The value of a hidden argument that this has.
    pub(crate) fn provide(&self, which: HiddenArg) -> Result<u64, Error> {
        match which {
            HiddenArg::HostcallBuffer => Ok(self.made(&self.hostcall, || Hostcall::new(&self.space, self.threads))?.address),
            HiddenArg::Heap => Ok(*self.made(&self.heap, || self.new_heap())?),
            _ => Ok(0),
        }
    }

    fn new_heap(&self) -> Result<u64, Error> {
        let heap = self.space.alloc(HEAP_BYTES, 4096)?;
        for at in HEAP_TIMES.iter().flat_map(|list| (0..HEAP_SIZES).map(move |i| list + HEAP_ENTRY * i)) {
            self.space.write(heap + at, &LONG_AGO.to_le_bytes())?;
        }
        Ok(heap)
    }

    fn made<'a, T>(&self, cell: &'a OnceLock<T>, make: impl FnOnce() -> Result<T, Error>) -> Result<&'a T, Error> {
        if let Some(there) = cell.get() {
            return Ok(there);
        }
        let _making = self.making.lock();
        if cell.get().is_none() {
            let _ = cell.set(make()?);
        }
        Ok(cell.get().expect("it is set"))
    }

    /// Does what waves that wait have asked for; false if they have not.
    #[inline]
    pub(crate) fn serve(&self) -> Result<bool, Error> {
        self.hostcall.get().map_or(Ok(false), |h| h.serve(&self.print))
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        if let Some(heap) = self.heap.get() {
            self.space.free(*heap);
        }
    }
}
