//! Streams: order between operations, and functions that wait.
//!
//! A stream is a queue of the run time. The null stream waits for all blocking streams of its device, and these wait for it: a command takes along
//! the points where the others are when it is pushed.

use crate::abi::{Out, put};
use crate::allocations::{self, Kind};
use crate::gpu::{self, Gpu};
use crate::graph::capture::Capture;
use crate::handles::Handles;
use crate::op::{Op, WaitValue};
use crate::properties::PROCESSORS;
use crate::status::{Result, Status, alias, hip};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use wavejit::fork::Mutex;
use wavejit::queue::{Point, Queue};

/// `hipStreamNonBlocking`.
const NON_BLOCKING: u32 = 1;
/// The handles that stand for the null stream and for the calling thread's.
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;
/// `hipLaunchAttributeAccessPolicyWindow` and its like.
const ACCESS_POLICY_WINDOW: i32 = 1;
const SYNCHRONIZATION_POLICY: i32 = 3;
const PRIORITY: i32 = 8;
/// Commands that may wait in a stream before the one who pushes waits, too.
const MAX_BACKLOG: u64 = 1 << 16;

/// A stream.
pub(crate) struct Stream {
    /// Number of its device.
    pub gpu: usize,
    pub queue: Queue,
    pub flags: u32,
    pub priority: i32,
    /// What becomes of operations while it is captured.
    pub capture: Mutex<Option<Capture>>,
    is_null: bool,
}

static STREAMS: Handles<Stream> = Handles::new();

thread_local! {
    /// This thread's own streams, by device.
    static OWN: RefCell<HashMap<usize, Arc<Stream>>> = RefCell::default();
}

impl Stream {
    /// The null stream of a device.
    pub(crate) fn null(gpu: usize) -> Stream {
        Stream { gpu, queue: Queue::new(), flags: 0, priority: 0, capture: Mutex::new(None), is_null: true }
    }

    /// Is it the null stream of its device?
    pub(crate) fn is_null(&self) -> bool {
        self.is_null
    }

    /// Do operations become nodes of a graph?
    pub(crate) fn is_capturing(&self) -> bool {
        self.capture.lock().is_some()
    }

    /// Refuses to wait for a stream that is captured.
    fn check_not_captured(&self) -> Result {
        if self.is_capturing() { Err(Status::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    /// Does it wait for the null stream?
    fn is_blocking(&self) -> bool {
        self.flags & NON_BLOCKING == 0
    }

    /// Its device.
    pub(crate) fn gpu(&self) -> Result<&'static Gpu> {
        gpu::all()?.get(self.gpu).ok_or(Status::INVALID_DEVICE)
    }

    /// What a command that is pushed now waits for, besides what is before it.
    fn dependencies(&self, gpu: &Gpu) -> Vec<Point> {
        if self.is_null {
            let mut blocking = gpu.blocking.lock();
            blocking.retain(|stream| stream.strong_count() > 0);
            let streams: Vec<Arc<Stream>> = blocking.iter().filter_map(std::sync::Weak::upgrade).collect();
            drop(blocking);
            streams.iter().map(|s| s.queue.last()).filter(|p| !p.is_reached()).collect()
        } else if self.is_blocking() {
            let point = gpu.null.queue.last();
            if point.is_reached() { vec![] } else { vec![point] }
        } else {
            vec![]
        }
    }

    /// Adds an operation; where it ends.
    pub(crate) fn push(&self, op: Op) -> Result<Point> {
        self.push_after(op, [])
    }

    /// Adds an operation that waits for points, too.
    pub(crate) fn push_after(&self, op: Op, points: impl IntoIterator<Item = Point>) -> Result<Point> {
        let gpu = self.gpu()?;
        gpu.check_lasting()?;
        if let Some(capture) = self.capture.lock().as_mut() {
            capture.push(op)?;
            // Of a queue that has nothing to do.
            return Ok(Queue::new().last());
        }
        let mut waits = self.dependencies(gpu);
        waits.extend(points);
        let end = self.queue.push(waits, Box::new(move || op.run(gpu)));
        if self.queue.backlog() > MAX_BACKLOG {
            end.wait();
        }
        Ok(end)
    }

    /// Adds an operation, waits for it, and says what failed.
    pub(crate) fn run(&self, op: Op) -> Result {
        self.check_not_captured()?;
        self.push(op)?.wait();
        self.gpu()?.check()
    }

    /// Waits until everything in it is complete, and says what failed.
    fn synchronize(&self) -> Result {
        self.check_not_captured()?;
        let gpu = self.gpu()?;
        for point in self.dependencies(gpu).into_iter().filter(|_| self.is_null) {
            point.wait();
        }
        self.queue.last().wait();
        gpu.check()
    }
}

/// The stream of a handle.
pub(crate) fn get(handle: *mut c_void) -> Result<Arc<Stream>> {
    match handle as usize {
        0 | LEGACY => Ok(gpu::current()?.null.clone()),
        PER_THREAD => own(),
        _ => STREAMS.get(handle),
    }
}

/// As [`get`], for functions whose names end in `_spt`: no stream is this thread's.
pub(crate) fn get_spt(handle: *mut c_void) -> Result<Arc<Stream>> {
    get(spt(handle))
}

/// The handle that stands for this thread's stream, if there is none.
pub(crate) fn spt(handle: *mut c_void) -> *mut c_void {
    if handle.is_null() { PER_THREAD as *mut c_void } else { handle }
}

/// This thread's stream of its device.
fn own() -> Result<Arc<Stream>> {
    let gpu = gpu::current()?;
    let make = || {
        let stream =
            Arc::new(Stream { gpu: gpu.index, queue: Queue::new(), flags: 0, priority: 0, capture: Mutex::new(None), is_null: false });
        gpu.blocking.lock().push(Arc::downgrade(&stream));
        // It stays when its thread ends: others may wait for it.
        STREAMS.add(stream.clone());
        stream
    };
    let found = OWN.try_with(|own| own.borrow_mut().entry(gpu.index).or_insert_with(make).clone());
    found.map_err(|_| Status::INVALID_HANDLE)
}

/// All streams of a device.
pub(crate) fn all_of(gpu: &'static Gpu) -> Vec<Arc<Stream>> {
    let mut streams: Vec<Arc<Stream>> = STREAMS.all().into_iter().filter(|s| s.gpu == gpu.index).collect();
    streams.push(gpu.null.clone());
    streams
}

fn create(out: Out<*mut c_void>, flags: u32, priority: i32) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let gpu = gpu::current()?;
    let priority = priority.clamp(-1, 1);
    let stream = Arc::new(Stream { gpu: gpu.index, queue: Queue::new(), flags, priority, capture: Mutex::new(None), is_null: false });
    if stream.is_blocking() {
        gpu.blocking.lock().push(Arc::downgrade(&stream));
    }
    out.write(STREAMS.add(stream));
    Ok(())
}

/// Appends a call of a function of the program's, of which there are no flags yet.
fn push_call(function: *const c_void, flags: u32, op: Op, stream: impl FnOnce() -> Result<Arc<Stream>>) -> Result<()> {
    if function.is_null() || flags != 0 {
        return Err(Status::INVALID_VALUE);
    }
    stream()?.push(op).map(|_| ())
}

/// Refuses comparisons there are none of.
fn wait_value(stream: *mut c_void, address: *mut c_void, value: u64, mask: u64, compare: u32, bytes: usize) -> Result {
    if address.is_null() || compare > 3 || !(address as usize).is_multiple_of(bytes) {
        return Err(Status::INVALID_VALUE);
    }
    let op = Op::WaitValue(WaitValue { address: address as u64, value, mask, bytes, compare });
    get(stream)?.push(op).map(|_| ())
}

fn write_value(stream: *mut c_void, address: *mut c_void, value: u64, bytes: usize) -> Result {
    if address.is_null() || !(address as usize).is_multiple_of(bytes) {
        return Err(Status::INVALID_VALUE);
    }
    get(stream)?.push(Op::WriteValue { address: address as u64, value, bytes }).map(|_| ())
}

hip! {
    fn hipStreamCreate(stream: Out<*mut c_void>) {
        create(stream, 0, 0)
    }
    fn hipStreamCreateWithFlags(stream: Out<*mut c_void>, flags: u32) {
        create(stream, flags, 0)
    }
    fn hipStreamCreateWithPriority(stream: Out<*mut c_void>, flags: u32, priority: i32) {
        create(stream, flags, priority)
    }
    fn hipExtStreamCreateWithCUMask(stream: Out<*mut c_void>, _mask_size: u32, mask: *const u32) {
        if mask.is_null() { return Err(Status::INVALID_VALUE); }
        create(stream, 0, 0)
    }
    fn hipExtStreamGetCUMask(stream: *mut c_void, mask_size: u32, mask: *mut u32) {
        get(stream)?;
        if mask_size == 0 { return Err(Status::INVALID_VALUE); }
        // All of them, whatever mask it was created with.
        for (i, word) in crate::raw::slice_mut(mask, mask_size as usize)?.iter_mut().enumerate() {
            *word = (0..32).filter(|bit| 32 * i + bit < PROCESSORS as usize).fold(0, |mask, bit| mask | 1 << bit);
        }
        Ok(())
    }
    fn hipDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        crate::abi::put_if(least, 1);
        crate::abi::put_if(greatest, -1);
        Ok(())
    }
    fn hipStreamDestroy(stream: *mut c_void) {
        // What it has still to do is done.
        STREAMS.remove(stream).map(|_| ())
    }
    fn hipStreamQuery(stream: *mut c_void) {
        let stream = get(stream)?;
        stream.check_not_captured()?;
        let gpu = stream.gpu()?;
        let is_idle = stream.queue.is_idle() && (!stream.is_null || stream.dependencies(gpu).is_empty());
        if is_idle { gpu.check() } else { Err(Status::NOT_READY) }
    }
    fn hipStreamSynchronize(stream: *mut c_void) {
        get(stream)?.synchronize()
    }
    fn hipStreamWaitEvent(stream: *mut c_void, event: *mut c_void, _flags: u32) {
        crate::event::wait_in(&*get(stream)?, event)
    }
    fn hipStreamGetFlags(stream: *mut c_void, flags: Out<u32>) {
        put(flags, get(stream)?.flags)
    }
    fn hipStreamGetPriority(stream: *mut c_void, priority: Out<i32>) {
        put(priority, get(stream)?.priority)
    }
    fn hipStreamGetDevice(stream: *mut c_void, device: Out<i32>) {
        put(device, get(stream)?.gpu as i32)
    }
    fn hipStreamGetId(stream: *mut c_void, id: Out<u64>) {
        put(id, Arc::as_ptr(&get(stream)?) as u64)
    }
    fn hipStreamAddCallback(stream: *mut c_void, callback: *const c_void, user_data: *mut c_void, flags: u32) {
        let op = Op::Callback { function: callback as usize, stream: stream as usize, user_data: user_data as usize };
        push_call(callback, flags, op, || get(stream))
    }
    fn hipLaunchHostFunc(stream: *mut c_void, function: *const c_void, user_data: *mut c_void) {
        push_call(function, 0, Op::Host { function: function as usize, user_data: user_data as usize }, || get(stream))
    }
    fn hipStreamGetAttribute(stream: *mut c_void, attribute: i32, value: Out<[i32; 16]>) {
        let stream = get(stream)?;
        let first = match attribute {
            PRIORITY => stream.priority,
            ACCESS_POLICY_WINDOW | SYNCHRONIZATION_POLICY => 0,
            _ => return Err(Status::INVALID_VALUE),
        };
        let mut words = [0; 16];
        words[0] = first;
        put(value, words)
    }
    fn hipStreamSetAttribute(stream: *mut c_void, attribute: i32, value: *const c_void) {
        get(stream)?;
        // Hints, which change nothing here. A priority is given when a stream is made.
        let is_known = matches!(attribute, ACCESS_POLICY_WINDOW | SYNCHRONIZATION_POLICY);
        if value.is_null() || !is_known { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }
    fn hipStreamAttachMemAsync(stream: *mut c_void, address: *mut c_void, bytes: usize, flags: u32) {
        get(stream)?;
        // Managed memory, attached to all, to the host or to one stream: whoever may reach it, may.
        let fits = |known: allocations::Known| known.kind == Kind::Managed && (bytes == 0 || bytes as u64 == known.bytes);
        if !allocations::find(address as u64).is_some_and(fits) || !matches!(flags, 1 | 2 | 4) { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }
    fn hipStreamWaitValue32(stream: *mut c_void, address: *mut c_void, value: u32, flags: u32, mask: u32) {
        wait_value(stream, address, value.into(), mask.into(), flags, 4)
    }
    fn hipStreamWaitValue64(stream: *mut c_void, address: *mut c_void, value: u64, flags: u32, mask: u64) {
        wait_value(stream, address, value, mask, flags, 8)
    }
    fn hipStreamWriteValue32(stream: *mut c_void, address: *mut c_void, value: u32, _flags: u32) {
        write_value(stream, address, value.into(), 4)
    }
    fn hipStreamWriteValue64(stream: *mut c_void, address: *mut c_void, value: u64, _flags: u32) {
        write_value(stream, address, value, 8)
    }
    fn hipStreamQuery_spt(stream: *mut c_void) {
        let stream = get_spt(stream)?;
        if stream.queue.is_idle() { stream.gpu()?.check() } else { Err(Status::NOT_READY) }
    }
    fn hipStreamSynchronize_spt(stream: *mut c_void) {
        get_spt(stream)?.synchronize()
    }
    fn hipStreamAddCallback_spt(stream: *mut c_void, callback: *const c_void, user_data: *mut c_void, flags: u32) {
        let op = Op::Callback { function: callback as usize, stream: stream as usize, user_data: user_data as usize };
        push_call(callback, flags, op, || get_spt(stream))
    }
    fn hipLaunchHostFunc_spt(stream: *mut c_void, function: *const c_void, user_data: *mut c_void) {
        push_call(function, 0, Op::Host { function: function as usize, user_data: user_data as usize }, || get_spt(stream))
    }
    fn hipStreamWaitEvent_spt(stream: *mut c_void, event: *mut c_void, _flags: u32) {
        crate::event::wait_in(&*get_spt(stream)?, event)
    }
}

alias! {
    hipStreamGetFlags_spt = hipStreamGetFlags(stream: *mut c_void, flags: Out<u32>);
    hipStreamGetPriority_spt = hipStreamGetPriority(stream: *mut c_void, priority: Out<i32>);
}

/// `hipGetStreamDeviceId` of HIP's public header.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetStreamDeviceId(stream: *mut c_void) -> i32 {
    get(stream).map_or(-1, |s| s.gpu as i32)
}
