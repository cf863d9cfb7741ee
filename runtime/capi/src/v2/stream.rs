//! Streams: launches, copies and calls one after the other, beside the program; events, which other streams and the program wait for.
//!
//! A stream is a queue of the run time. The first thing in it that fails is kept, and what follows is left out, until the program asks.

use super::super::{bad, bytes};
use super::call;
use super::device::{COpened, device};
use super::failure::Failure;
use super::handles::{Handle, Handles};
use super::launch::{CLaunch, Ready};
use super::structs;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use wavejit::Error;
use wavejit::fork::Mutex;
use wavejit::queue::{Outcome, Point, Queue};

/// `void (*)(void *user)`
type Callback = unsafe extern "C" fn(*mut c_void);

/// A stream, as C opens it.
struct COpenedStream {
    device: Arc<COpened>,
    queue: Queue,
    failure: Arc<Mutex<Option<Failure>>>,
}

static STREAMS: Handles<COpenedStream> = Handles::new("stream");
static EVENTS: Handles<Point> = Handles::new("event");

/// A pointer of the caller's that another thread uses.
struct Lent(*mut c_void);

// SAFETY: the caller says (`wavejit2.h`) that any thread may use what it gives to a stream.
unsafe impl Send for Lent {}

impl COpenedStream {
    /// Adds something to do, which is left out after a failure.
    fn push(&self, waits: Vec<Point>, mut work: impl FnMut() -> Result<(), Failure> + Send + 'static) {
        let failure = self.failure.clone();
        let guarded = move || {
            if failure.lock().is_none() {
                let done = catch_unwind(AssertUnwindSafe(&mut work)).unwrap_or_else(|_| Err(Error::Internal("panic".into()).into()));
                if let Err(e) = done {
                    *failure.lock() = Some(e);
                }
            }
            Outcome::Done
        };
        self.queue.push(waits, Box::new(guarded));
    }

    /// Waits for everything; the first failure, which is then forgotten.
    fn wait(&self) -> Result<(), Failure> {
        self.queue.last().wait();
        self.failure.lock().take().map_or(Ok(()), Err)
    }
}

/// `int32_t wavejit2_stream_open(wavejit2_device device, wavejit2_stream *out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_stream_open(handle: Handle, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::place(out)? };
        let stream = COpenedStream { device: device(handle)?, queue: Queue::new(), failure: Arc::default() };
        // SAFETY: as above.
        unsafe { structs::put(out, STREAMS.add(stream))? };
        Ok(())
    })
}

/// `int32_t wavejit2_stream_close(wavejit2_stream stream)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_stream_close(handle: Handle) -> i32 {
    call(|| STREAMS.close(handle)?.map_or(Ok(()), |stream| stream.wait()))
}

/// `int32_t wavejit2_stream_wait(wavejit2_stream stream)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_stream_wait(handle: Handle) -> i32 {
    call(|| STREAMS.get(handle)?.wait())
}

/// `int32_t wavejit2_stream_is_idle(wavejit2_stream stream, uint32_t *out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_stream_is_idle(handle: Handle, out: *mut u32) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::put(out, u32::from(STREAMS.get(handle)?.queue.is_idle()))? };
        Ok(())
    })
}

/// `int32_t wavejit2_stream_launch(wavejit2_stream stream, wavejit2_kernel kernel, const wavejit2_launch *launch)`
///
/// # Safety
/// As `wavejit2_kernel_launch`; what the launch's `cancel` points to lives until the launch has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_stream_launch(handle: Handle, kernel: Handle, launch: *const CLaunch) -> i32 {
    call(|| {
        let stream = STREAMS.get(handle)?;
        // SAFETY: the caller vouches for the structure and what it points to.
        let ready = unsafe { Ready::new(kernel, launch)? };
        stream.push(vec![], move || ready.run().map(|_| ()));
        Ok(())
    })
}

/// `int32_t wavejit2_stream_write(wavejit2_stream stream, uint64_t address, const void *from, size_t bytes)`
///
/// # Safety
/// `from` is null or has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_stream_write(handle: Handle, address: u64, from: *const c_void, len: usize) -> i32 {
    call(|| {
        let stream = STREAMS.get(handle)?;
        // SAFETY: the caller vouches for the bytes, which are copied now.
        let from = unsafe { bytes(from, len, "from")? }.to_vec();
        let device = stream.device.clone();
        stream.push(vec![], move || Ok(device.device.memory().write(address, &from)?));
        Ok(())
    })
}

/// `int32_t wavejit2_stream_read(wavejit2_stream stream, uint64_t address, void *to, size_t bytes)`
///
/// # Safety
/// `to` is null or has `len` writable bytes until the stream has got there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_stream_read(handle: Handle, address: u64, to: *mut c_void, len: usize) -> i32 {
    call(|| {
        let stream = STREAMS.get(handle)?;
        if len != 0 && to.is_null() || len > isize::MAX as usize {
            return Err(bad(&format!("{len} bytes to {to:?}")).into());
        }
        let (device, to) = (stream.device.clone(), Lent(to));
        stream.push(vec![], move || {
            let Lent(place) = &to;
            if len == 0 {
                return Ok(());
            }
            // SAFETY: not null and of possible size; the caller vouches for so many writable bytes until now.
            let place = unsafe { std::slice::from_raw_parts_mut(place.cast::<u8>(), len) };
            Ok(device.device.memory().read(address, place)?)
        });
        Ok(())
    })
}

/// `int32_t wavejit2_stream_call(wavejit2_stream stream, void (*function)(void *user), void *user)`
///
/// # Safety
/// `function` is null or can be called with `user` by any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_stream_call(handle: Handle, function: Option<Callback>, user: *mut c_void) -> i32 {
    call(|| {
        let stream = STREAMS.get(handle)?;
        let function = function.ok_or_else(|| bad("function is NULL"))?;
        let user = Lent(user);
        stream.push(vec![], move || {
            let Lent(user) = &user;
            // SAFETY: the caller vouches for both.
            unsafe { function(*user) };
            Ok(())
        });
        Ok(())
    })
}

/// `int32_t wavejit2_event_open(wavejit2_stream stream, wavejit2_event *out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_event_open(handle: Handle, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::place(out)? };
        let point = STREAMS.get(handle)?.queue.last();
        // SAFETY: as above.
        unsafe { structs::put(out, EVENTS.add(point))? };
        Ok(())
    })
}

/// `int32_t wavejit2_event_close(wavejit2_event event)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_event_close(handle: Handle) -> i32 {
    call(|| {
        EVENTS.close(handle)?;
        Ok(())
    })
}

/// `int32_t wavejit2_event_wait(wavejit2_event event)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_event_wait(handle: Handle) -> i32 {
    call(|| {
        EVENTS.get(handle)?.wait();
        Ok(())
    })
}

/// `int32_t wavejit2_event_is_reached(wavejit2_event event, uint32_t *out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_event_is_reached(handle: Handle, out: *mut u32) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::put(out, u32::from(EVENTS.get(handle)?.is_reached()))? };
        Ok(())
    })
}

/// `int32_t wavejit2_stream_wait_event(wavejit2_stream stream, wavejit2_event event)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_stream_wait_event(handle: Handle, event: Handle) -> i32 {
    call(|| {
        let stream = STREAMS.get(handle)?;
        let point = Point::clone(&*EVENTS.get(event)?);
        stream.push(vec![point], || Ok(()));
        Ok(())
    })
}
