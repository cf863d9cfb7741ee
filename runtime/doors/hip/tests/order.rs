//! Streams, events and calls of the host: what comes before what.

mod common;

use amdhip64::status::Status;
use amdhip64::{copy, device, event, fill, memory, stream};
use common::{NULL, download, get, ok, saxpy, saxpy_expected, upload};
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};

/// A number that the host writes and streams wait for.
fn gate() -> *mut c_void {
    get(|out| memory::hipHostMalloc(out, 4, 0))
}

fn open(gate: *mut c_void) {
    // SAFETY: an aligned number of ours that lives on.
    unsafe { AtomicU32::from_ptr(gate.cast()) }.store(1, SeqCst);
}

/// A stream that waits until a gate is opened.
fn held(flags: u32, gate: *mut c_void) -> *mut c_void {
    let held = get(|out| stream::hipStreamCreateWithFlags(out, flags));
    ok(stream::hipStreamWaitValue32(held, gate, 1, 1, u32::MAX));
    held
}

#[test]
fn streams_go_on_beside_one_that_waits() {
    let gate = gate();
    let waiting = held(1, gate);
    let (x, y): (Vec<f32>, Vec<f32>) = ((0..512).map(|i| i as f32).collect(), vec![1.0; 512]);
    let (dx, dy, dz) = (upload(&x), upload(&y), upload(&y));
    ok(saxpy(dz, dx, 2.0, 512, waiting));
    let other = get(|out| stream::hipStreamCreateWithFlags(out, 1));
    ok(saxpy(dy, dx, 2.0, 512, other));
    ok(stream::hipStreamSynchronize(other));
    assert_eq!(stream::hipStreamQuery(waiting), Status::NOT_READY);
    assert_eq!(stream::hipStreamQuery(other), Status::SUCCESS);
    let expected = saxpy_expected(&y, &x, 2.0);
    assert_eq!(download(dy, 512), expected, "the null stream does not wait for streams that are not blocking");
    assert_eq!(download(dz, 512), y);
    open(gate);
    ok(stream::hipStreamSynchronize(waiting));
    assert_eq!(download(dz, 512), expected);
    ok(stream::hipStreamDestroy(waiting));
    assert_eq!(stream::hipStreamDestroy(waiting), Status::INVALID_HANDLE);
}

#[test]
fn the_null_stream_and_blocking_streams_wait_for_each_other() {
    let (p, seen) = (upload(&[0.0; 64]), upload(&[7.0; 64]));
    let gate = gate();
    // From here on nothing may wait for the null stream.
    let blocking = held(0, gate);
    ok(fill::hipMemsetD32Async(p, 1, 64, NULL));
    let second = get(|out| stream::hipStreamCreate(out));
    ok(fill::hipMemsetD32Async(p, 2, 64, second));
    assert_eq!(stream::hipStreamQuery(NULL), Status::NOT_READY);
    assert_eq!(stream::hipStreamQuery(second), Status::NOT_READY);
    let free = get(|out| stream::hipStreamCreateWithFlags(out, 1));
    ok(copy::hipMemcpyAsync(seen, p, 256, 3, free));
    ok(stream::hipStreamSynchronize(free));
    open(gate);
    assert_eq!(download(seen, 64), [0.0; 64]);
    ok(stream::hipStreamSynchronize(second));
    assert_eq!(download(p, 64), [f32::from_bits(2); 64]);
    ok(stream::hipStreamDestroy(blocking));
}

#[test]
fn events_order_streams_and_tell_time() {
    let gate = gate();
    let (first, second) = (held(1, gate), get(|out| stream::hipStreamCreateWithFlags(out, 1)));
    let [begin, end] = [(); 2].map(|()| get(|out| event::hipEventCreate(out)));
    let p = upload(&[0.0; 16]);
    ok(event::hipEventRecord(begin, NULL));
    ok(fill::hipMemsetD32Async(p, 1, 16, first));
    ok(event::hipEventRecord(end, first));
    ok(stream::hipStreamWaitEvent(second, end, 0));
    let q = upload(&[0.0; 16]);
    ok(copy::hipMemcpyAsync(q, p, 64, 3, second));
    assert_eq!(event::hipEventQuery(end), Status::NOT_READY);
    assert_eq!(common::try_get(|out| event::hipEventElapsedTime(out, begin, end)), Err(Status::NOT_READY));
    std::thread::sleep(std::time::Duration::from_millis(3));
    open(gate);
    ok(event::hipEventSynchronize(end));
    ok(stream::hipStreamSynchronize(second));
    assert_eq!(download(q, 16), [f32::from_bits(1); 16]);
    let passed = get(|out| event::hipEventElapsedTime(out, begin, end));
    assert!(passed >= 2.0, "{passed} ms");
    let untimed = get(|out| event::hipEventCreateWithFlags(out, 2));
    assert_eq!(common::try_get(|out| event::hipEventElapsedTime(out, begin, untimed)), Err(Status::INVALID_HANDLE));
    ok(event::hipEventDestroy(end));
    assert_eq!(event::hipEventQuery(end), Status::INVALID_HANDLE);
}

extern "C" fn add_ten(count: *mut c_void) {
    // SAFETY: the test's counter.
    unsafe { AtomicI32::from_ptr(count.cast()) }.fetch_add(10, SeqCst);
}

extern "C" fn double(_stream: *mut c_void, status: Status, count: *mut c_void) {
    assert_eq!(status, Status::SUCCESS);
    // SAFETY: the test's counter.
    let count = unsafe { AtomicI32::from_ptr(count.cast()) };
    count.store(count.load(SeqCst) * 2, SeqCst);
}

#[test]
fn the_host_is_called_in_the_order_of_a_stream() {
    let count = AtomicI32::new(1);
    let place: *mut c_void = count.as_ptr().cast();
    let s = get(|out| stream::hipStreamCreate(out));
    ok(stream::hipLaunchHostFunc(s, add_ten as *const c_void, place));
    ok(stream::hipStreamAddCallback(s, double as *const c_void, place, 0));
    ok(stream::hipLaunchHostFunc(s, add_ten as *const c_void, place));
    ok(stream::hipStreamSynchronize(s));
    assert_eq!(count.load(SeqCst), 32);
    assert_eq!(stream::hipLaunchHostFunc(s, std::ptr::null(), place), Status::INVALID_VALUE);
}

#[test]
fn a_thread_has_a_stream_of_its_own() {
    let per_thread = 2 as *mut c_void;
    let p = upload(&[0.0; 4]);
    let value = |n: i32| {
        ok(fill::hipMemsetD32Async(p, n, 4, per_thread));
        ok(stream::hipStreamSynchronize(per_thread));
        get(|out| stream::hipStreamGetId(per_thread, out))
    };
    let here = value(1);
    let address = p as usize;
    let there = std::thread::scope(|scope| {
        scope
            .spawn(move || {
                let per_thread = 2 as *mut c_void;
                ok(fill::hipMemsetD32Async(address as *mut c_void, 2, 4, per_thread));
                ok(stream::hipStreamSynchronize(per_thread));
                get(|out| stream::hipStreamGetId(per_thread, out))
            })
            .join()
            .expect("it ends")
    });
    assert_ne!(here, there);
    assert_eq!(download(p, 1), [f32::from_bits(2)]);
}

#[test]
fn thousands_of_streams() {
    let p = upload(&[0.0; 10_000]);
    let streams: Vec<*mut c_void> = (0..10_000).map(|_| get(|out| stream::hipStreamCreateWithFlags(out, 1))).collect();
    for (i, s) in streams.iter().enumerate() {
        ok(fill::hipMemsetD32Async(p.wrapping_byte_add(4 * i), i as i32, 1, *s));
    }
    ok(device::hipDeviceSynchronize());
    assert!(download(p, 10_000).iter().enumerate().all(|(i, v)| v.to_bits() == i as u32));
    streams.iter().for_each(|s| ok(stream::hipStreamDestroy(*s)));
}
