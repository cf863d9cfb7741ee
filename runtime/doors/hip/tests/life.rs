//! A program's life with the library: many streams, no memory left, loading it again, calls from exit handlers, launches that an exception leaves.

mod common;

use amdhip64::status::Status;
use amdhip64::{fill, memory, register, stream};
use common::{NULL, download, get, ok, saxpy, upload};
use std::ffi::{CString, c_void};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[test]
fn ten_thousand_streams_work_beside_each_other() {
    const STREAMS: usize = 10_000;
    let p = upload(&vec![0.0; STREAMS]);
    let streams: Vec<usize> = (0..STREAMS).map(|i| get(|out| stream::hipStreamCreateWithFlags(out, (i % 2) as u32)) as usize).collect();
    for (i, s) in streams.iter().enumerate() {
        let place = p.wrapping_byte_add(4 * i);
        ok(fill::hipMemsetD32Async(place, 1, 1, *s as *mut c_void));
        ok(fill::hipMemsetD32Async(place, i as i32, 1, *s as *mut c_void));
    }
    for s in &streams[..STREAMS / 2] {
        ok(stream::hipStreamSynchronize(*s as *mut c_void));
    }
    // What the others still have to do is done when they are destroyed.
    streams.iter().for_each(|s| ok(stream::hipStreamDestroy(*s as *mut c_void)));
    ok(amdhip64::device::hipDeviceSynchronize());
    let mut found = download(p, STREAMS);
    while found.iter().enumerate().any(|(i, v)| v.to_bits() != i as u32) {
        // Streams that do not wait for the null stream may take a moment more.
        std::thread::yield_now();
        found = download(p, STREAMS);
    }
    ok(memory::hipFree(p));
}

/// Runs an ignored test of this file in another process; its stderr.
fn child(name: &str) -> String {
    let test = std::env::current_exe().expect("this test is a file");
    let run = Command::new(test).args(["--exact", name, "--ignored", "--nocapture"]).output().expect("it starts");
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{:?} {}{text}", run.status, String::from_utf8_lossy(&run.stdout));
    text
}

#[test]
fn no_memory_left_is_an_error_and_not_an_end() {
    child("child_without_memory");
}

#[test]
#[ignore = "run by no_memory_left_is_an_error_and_not_an_end, for it takes all there is"]
fn child_without_memory() {
    let mut place = std::mem::MaybeUninit::uninit();
    for bytes in [1 << 60, usize::MAX, 1 << 47] {
        assert_eq!(memory::hipMalloc(Some(&mut place), bytes), Status::OUT_OF_MEMORY);
        assert_eq!(memory::hipHostMalloc(Some(&mut place), bytes, 0), Status::OUT_OF_MEMORY);
    }
    // All there is, in pieces that nothing touches.
    let (mut free, mut total) = (std::mem::MaybeUninit::uninit(), std::mem::MaybeUninit::uninit());
    ok(memory::hipMemGetInfo(Some(&mut free), Some(&mut total)));
    // SAFETY: the function has succeeded.
    let total = unsafe { total.assume_init() };
    let mut pieces = Vec::new();
    let piece = total / 8;
    let end = loop {
        match memory::hipMalloc(Some(&mut place), piece) {
            // SAFETY: the function has succeeded.
            Status::SUCCESS => pieces.push(unsafe { place.assume_init() }),
            other => break other,
        }
        assert!(pieces.len() < 9, "more than there is");
    };
    assert_eq!(end, Status::OUT_OF_MEMORY);
    pieces.into_iter().for_each(|p| ok(memory::hipFree(p)));
    let p = upload(&[1.0; 128]);
    ok(saxpy(p, p, 0.0, 128, NULL));
    assert_eq!(download(p, 128), [2.0; 128]);
    ok(memory::hipFree(p));
}

#[test]
fn a_launch_that_an_exception_leaves_harms_no_other() {
    // The caller's arguments threw after the configuration was noted.
    let (grid, block) = (amdhip64::abi::Dim3 { x: 7, y: 1, z: 1 }, amdhip64::abi::Dim3 { x: 3, y: 1, z: 1 });
    let left = std::panic::catch_unwind(|| {
        ok(register::__hipPushCallConfiguration(grid, block, 5, NULL));
        panic!("of the test");
    });
    assert!(left.is_err());
    ok(register::__hipPushCallConfiguration(block, grid, 0, NULL));
    let (mut g, mut b) = (std::mem::MaybeUninit::uninit(), std::mem::MaybeUninit::uninit());
    let (mut bytes, mut s) = (std::mem::MaybeUninit::uninit(), std::mem::MaybeUninit::uninit());
    ok(register::__hipPopCallConfiguration(Some(&mut g), Some(&mut b), Some(&mut bytes), Some(&mut s)));
    // SAFETY: the function has succeeded.
    assert_eq!(unsafe { (g.assume_init().x, b.assume_init().x, bytes.assume_init()) }, (3, 7, 0));
}

/// The library as programs load it, beside this test.
fn library() -> Option<CString> {
    let path = std::env::current_exe().ok()?.with_file_name("libamdhip64.so");
    path.is_file().then(|| CString::new(path.to_str().expect("text")).expect("no NUL"))
}

#[test]
fn a_library_that_is_closed_and_opened_again_goes_on() {
    let Some(path) = library() else { return };
    for round in 0..3 {
        // SAFETY: our own library, whose functions have these types.
        unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
            assert!(!library.is_null(), "round {round}");
            let of = |name: &std::ffi::CStr| libc::dlsym(library, name.as_ptr());
            let malloc: extern "C" fn(*mut *mut c_void, usize) -> i32 = std::mem::transmute(of(c"hipMalloc"));
            let fill: extern "C" fn(*mut c_void, i32, usize) -> i32 = std::mem::transmute(of(c"hipMemset"));
            let mut p = std::ptr::null_mut();
            assert_eq!((malloc(&mut p, 4096), fill(p, 0x55, 4096)), (0, 0));
            // Memory stays when the library is closed with work before it.
            assert_eq!(libc::dlclose(library), 0);
            assert_eq!(*p.cast::<u8>(), 0x55);
        }
    }
}

#[test]
fn handlers_at_exit_may_call_everything() {
    let text = child("child_exit");
    assert!(text.contains("at exit: 2"), "{text}");
}

static MEMORY: AtomicUsize = AtomicUsize::new(0);

extern "C" fn at_exit() {
    let p = MEMORY.load(SeqCst) as *mut c_void;
    ok(saxpy(p, p, 0.0, 128, NULL));
    eprintln!("at exit: {}", download(p, 1)[0]);
    ok(memory::hipFree(p));
    ok(amdhip64::device::hipDeviceReset());
}

#[test]
#[ignore = "run by handlers_at_exit_may_call_everything"]
fn child_exit() {
    MEMORY.store(upload(&[1.0; 128]) as usize, SeqCst);
    // A stream still has work when the process ends.
    let s = get(|out| stream::hipStreamCreateWithFlags(out, 1));
    let q = upload(&vec![0.0; 1 << 20]);
    for i in 0..1000 {
        ok(fill::hipMemsetD32Async(q, i, 1 << 20, s));
    }
    // SAFETY: a function of this file.
    unsafe { libc::atexit(at_exit) };
    std::process::exit(0);
}
