//! The kernel's interface as a driver uses it, without one: commands by number, jobs made here.

use std::ffi::{CString, c_int, c_ulong, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard};
use wavejit_drm::discovery::{drmGetDevices2, drmGetNodeTypeFromFd, drmGetRenderDeviceNameFromFd};
use wavejit_drm::interpose::ioctl;

/// A request of DRM for so many bytes.
fn request(number: u8, bytes: usize) -> c_ulong {
    3 << 30 | (bytes as c_ulong) << 16 | c_ulong::from(b'd') << 8 | c_ulong::from(number)
}

/// One node, which all tests share: they take turns.
struct Node {
    fd: c_int,
    _turn: MutexGuard<'static, ()>,
}

impl Node {
    fn open() -> Node {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
        let mut device = null_mut();
        // SAFETY: room for one device.
        assert_eq!(unsafe { drmGetDevices2(0, &mut device, 1) }, 1);
        // SAFETY: a device of the library's begins with a pointer to three texts; it is one piece of memory.
        let path = unsafe {
            let nodes = *device.cast::<*mut *mut i8>();
            let path = CString::from(std::ffi::CStr::from_ptr(nodes.add(2).read()));
            libc::free(device.cast());
            path
        };
        // SAFETY: a text.
        let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        assert!(fd >= 0);
        Node { fd, _turn: turn }
    }

    /// Runs a command on words; their values afterwards, or the error.
    fn call<const N: usize>(&self, number: u8, mut words: [u32; N]) -> Result<[u32; N], c_int> {
        // SAFETY: as many bytes as the request says.
        let status = unsafe { ioctl(self.fd, request(number, 4 * N), (&raw mut words).cast::<c_void>()) };
        if status == 0 { Ok(words) } else { Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)) }
    }

    fn info<const N: usize>(&self, query: u32, of: [u32; 4]) -> Result<[u32; N], c_int> {
        let mut answer = [0; N];
        let [low, high] = halves((&raw mut answer) as u64);
        self.call(0x45, [low, high, 4 * N as u32, query, of[0], of[1], of[2], of[3]])?;
        Ok(answer)
    }

    /// A buffer of some pages, at a GPU address.
    fn buffer(&self, address: u64, bytes: u64) -> u32 {
        let [low, high] = halves(bytes);
        let handle = self.call(0x40, [low, high, 0x1000, 0, 2, 0, 0, 0]).expect("a buffer")[0];
        self.va(handle, 1, 0xe, address, bytes).expect("a mapping");
        handle
    }

    fn va(&self, handle: u32, operation: u32, flags: u32, address: u64, bytes: u64) -> Result<(), c_int> {
        let ([a, b], [c, d]) = (halves(address), halves(bytes));
        self.call(0x48, [handle, 0, operation, flags, a, b, 0, 0, c, d]).map(drop)
    }

    fn context(&self) -> u32 {
        self.call(0x42, [1, 0, 0, 0]).expect("a context")[0]
    }

    /// Submits an indirect buffer with other chunks (number, dwords); its number.
    fn submit(&self, context: u32, ib: (u64, u32), ring: (u32, u32), others: &[(u32, &[u32])]) -> Result<u64, c_int> {
        let [low, high] = halves(ib.0);
        let ib = [0, 0, low, high, 4 * ib.1, ring.0, 0, ring.1];
        let all: Vec<(u32, &[u32])> = [(1, &ib[..])].into_iter().chain(others.iter().copied()).collect();
        let chunks: Vec<[u32; 4]> = all
            .iter()
            .map(|(id, words)| {
                let [low, high] = halves(words.as_ptr() as u64);
                [*id, words.len() as u32, low, high]
            })
            .collect();
        let pointers: Vec<u64> = chunks.iter().map(|c| c.as_ptr() as u64).collect();
        let [low, high] = halves(pointers.as_ptr() as u64);
        let out = self.call(0x44, [context, 0, chunks.len() as u32, 0, low, high])?;
        Ok(u64::from(out[0]) | u64::from(out[1]) << 32)
    }

    /// WAIT_CS without an end.
    fn wait(&self, context: u32, number: u64, ring: (u32, u32)) -> u32 {
        let [low, high] = halves(number);
        self.call(0x49, [low, high, u32::MAX, u32::MAX, ring.0, 0, ring.1, context]).expect("a wait")[0]
    }

    /// Waits for a binary object, or a point of a timeline, until a time.
    fn wait_sync(&self, handle: u32, point: u64, timeout: i64, flags: u32) -> Result<(), c_int> {
        let ([a, b], [c, d], [e, f]) = (halves((&raw const handle) as u64), halves((&raw const point) as u64), halves(timeout as u64));
        // Eight bytes more than this kernel's structure has, as newer programs pass them.
        if point == 0 {
            self.call(0xc3, [a, b, e, f, 1, flags, 0, 0, 0, 0]).map(drop)
        } else {
            self.call(0xca, [a, b, c, d, e, f, 1, flags, 0, 0]).map(drop)
        }
    }

    fn syncobj(&self) -> u32 {
        self.call(0xbf, [0, 0]).expect("an object")[0]
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { libc::close(self.fd) };
    }
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// Where GPU addresses begin.
const WINDOW: u64 = 0x2000_0000_0000;
const GFX: (u32, u32) = (0, 0);
const COMPUTE: (u32, u32) = (1, 2);

/// Dwords at a GPU address, which is a host address.
fn peek(address: u64) -> u32 {
    // SAFETY: tests look at what they have mapped.
    unsafe { (address as *const u32).read_volatile() }
}

fn poke(address: u64, words: &[u32]) {
    for (i, word) in words.iter().enumerate() {
        // SAFETY: as above.
        unsafe { (address as *mut u32).add(i).write_volatile(*word) };
    }
}

/// WRITE_DATA of a dword.
fn write(address: u64, value: u32) -> [u32; 5] {
    let [low, high] = halves(address);
    [0xc003_3700, 5 << 8 | 1 << 20, low, high, value]
}

/// WAIT_REG_MEM until a dword is at least a value.
fn wait_for(address: u64, value: u32) -> [u32; 7] {
    let [low, high] = halves(address);
    [0xc005_3c00, 5 | 1 << 4, low, high, value, u32::MAX, 4]
}

#[test]
fn the_node_is_found_and_answers() {
    let node = Node::open();
    assert_eq!(drmGetNodeTypeFromFd(node.fd), 2);
    let name = drmGetRenderDeviceNameFromFd(node.fd);
    assert!(!name.is_null());
    // SAFETY: as libdrm's, it is for the caller to free.
    unsafe { libc::free(name.cast()) };
    let version = node.call::<16>(0, [0; 16]).expect("a version");
    assert_eq!((version[0], version[4]), (3, 6), "3.x of a driver whose name has six letters");
    assert_eq!(node.call(0x0c, [0x14, 0, 9, 9]).expect("timelines")[2..], [1, 0]);
    assert_eq!(node.call(0x0c, [0x1000, 0, 0, 0]), Err(libc::EINVAL));
    assert_eq!(node.info::<2>(0x15, [0x263d, 2, 0, 0]).expect("registers"), [0, 0x545]);
    assert_eq!(node.info::<8>(2, [1, 0, 0, 0]).expect("compute")[6], 15, "four rings");
    let device = node.info::<92>(0x16, [0; 4]).expect("a device");
    assert_eq!((device[0], device[84], device[85]), (0x744c, 0, 0x2000), "where GPU addresses begin");
    // What older programs have no room for is cut off, and what is not known is refused.
    assert_eq!(node.info::<4>(0x16, [0; 4]).expect("a device")[..], device[..4]);
    assert_eq!(node.info::<2>(0x22, [0; 4]), Err(libc::EINVAL));
    assert_eq!(node.call(0x7f, [0]), Err(libc::EINVAL));
    // A descriptor of something else goes on to the kernel.
    // SAFETY: a request without an argument.
    assert_eq!(unsafe { ioctl(0x7fff_ffff, request(0, 8), null_mut()) }, -1);
}

#[test]
fn buffers_are_pages_of_the_node_wherever_they_are_mapped() {
    let node = Node::open();
    let at = WINDOW + (1 << 32);
    let handle = node.buffer(at, 0x3000);
    let offset = node.call(0x41, [handle, 0]).expect("an offset");
    let offset = u64::from(offset[0]) | u64::from(offset[1]) << 32;
    // SAFETY: a new mapping.
    let map =
        unsafe { libc::mmap(null_mut(), 0x3000, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, node.fd, offset as libc::off_t) };
    assert_ne!(map, libc::MAP_FAILED);
    poke(map as u64 + 0x1004, &[7]);
    assert_eq!((peek(at), peek(at + 0x1004)), (0, 7));
    // A second address for the same pages; one that is taken, one outside, one that is not a page's.
    node.va(handle, 1, 0xe, at + 0x10_0000, 0x2000).expect("another mapping");
    assert_eq!(peek(at + 0x10_1004), 7);
    for (address, bytes) in [(at + 0x2000, 0x1000), (WINDOW - 0x1000, 0x1000), (at + 0x20_0800, 0x1000), (at + 0x20_0000, 0x4000)] {
        assert_eq!(node.va(handle, 1, 0xe, address, bytes), Err(libc::EINVAL), "{address:#x}");
    }
    // CLEAR in the middle leaves both ends; REPLACE fills the hole with something else.
    node.va(0, 3, 0, at + 0x1000, 0x1000).expect("cleared");
    let other = node.buffer(at + 0x30_0000, 0x1000);
    poke(at + 0x30_0004, &[9]);
    node.va(other, 4, 0xe, at + 0x1000, 0x1000).expect("replaced");
    poke(at + 0x2000, &[8]);
    assert_eq!((peek(at + 0x1004), peek(map as u64 + 0x2000)), (9, 8));
    node.va(other, 2, 0, at + 0x1000, 0x1000).expect("unmapped");
    assert_eq!(node.va(other, 2, 0, at + 0x1000, 0x1000), Err(libc::ENOENT));
    for handle in [handle, other] {
        node.call(0x09, [handle, 0]).expect("closed");
        assert_eq!(node.call(0x09, [handle, 0]), Err(libc::EINVAL));
    }
    // New memory is zero, though it may be the same pages.
    let again = node.buffer(at, 0x3000);
    assert!((0..0x3000).step_by(4).all(|i| peek(at + i) == 0));
    node.call(0x09, [again, 0]).expect("closed");
}

#[test]
fn a_program_lends_memory_that_it_has() {
    const BYTES: usize = 0x3000;
    let node = Node::open();
    let at = WINDOW + (9 << 32);
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new memory.
    let own = unsafe { libc::mmap(null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, private, -1, 0) } as u64;
    let lend = |address: u64, bytes: u64, flags: u32| {
        let ([a, b], [c, d]) = (halves(address), halves(bytes));
        node.call(0x51, [a, b, c, d, flags, 0]).map(|words| words[5])
    };
    for (address, bytes, flags, error) in [
        (own + 8, 0x1000, 0xf, libc::EINVAL),
        (own, 0x1001, 0xf, libc::EINVAL),
        (own, 0x1000, 0x10, libc::EINVAL),
        (own, 0x1000, 0, libc::EACCES),
        (0x1000, 0x1000, 0xf, libc::EFAULT),
        // Code of this program.
        (lends as *const () as u64 & !0xfff, 0x1000, 0xf, libc::EINVAL),
    ] {
        assert_eq!(lend(address, bytes, flags), Err(error), "{address:#x}");
    }
    poke(own + 0x1004, &[7]);
    let handle = lend(own + 0x1000, 0x2000, 0xe).expect("a buffer");
    node.va(handle, 1, 0xe, at, 0x2000).expect("a mapping");
    // Both see what either writes; the page before is not part of it.
    poke(own + 0x2000, &[8]);
    assert_eq!((peek(at + 4), peek(at + 0x1000)), (7, 8));
    poke(at, &[9]);
    assert_eq!((peek(own), peek(own + 0x1000)), (0, 9));
    assert_eq!(node.call(0x41, [handle, 0]), Err(libc::EPERM));
    node.call(0x09, [handle, 0]).expect("closed");
    // What the device wrote stays, and the memory is the program's alone again.
    let other = node.buffer(at, 0x2000);
    assert_eq!((peek(own + 0x1000), peek(own + 0x1004), peek(own + 0x2000)), (9, 7, 8));
    poke(own + 0x1000, &[10]);
    assert!((0..0x2000).step_by(4).all(|i| peek(at + i) == 0));
    node.call(0x09, [other, 0]).expect("closed");
    // SAFETY: ours.
    unsafe { libc::munmap(own as *mut c_void, BYTES) };
}

/// Something with code.
fn lends() {}

#[test]
fn jobs_run_in_order_and_say_when_they_are_done() {
    let node = Node::open();
    let at = WINDOW + (2 << 32);
    let (handle, context) = (node.buffer(at, 0x4000), node.context());
    poke(at, &write(at + 0x1000, 5));
    poke(at + 0x40, &write(at + 0x1004, 6));
    let fence = [handle, 0x2000];
    let first = node.submit(context, (at, 5), GFX, &[(2, &fence)]).expect("a job");
    let second = node.submit(context, (at + 0x40, 5), GFX, &[(2, &fence)]).expect("a job");
    assert_eq!((first, second, node.wait(context, second, GFX)), (1, 2, 0));
    assert_eq!((peek(at + 0x1000), peek(at + 0x1004), peek(at + 0x2000)), (5, 6, 2));
    // A number that there is no job of; a ring that is not there; a buffer that is not mapped.
    assert_eq!(node.call(0x49, [9, 0, 0, 0, 0, 0, 0, context]), Err(libc::EINVAL));
    assert_eq!(node.submit(context, (at, 5), (1, 4), &[]), Err(libc::EINVAL));
    assert_eq!(node.submit(context, (at + 0x3ff0, 8), GFX, &[]), Err(libc::EINVAL));
    node.call(0x09, [handle, 0]).expect("closed");
}

#[test]
fn rings_wait_for_each_other_and_hosts_for_them() {
    let node = Node::open();
    let at = WINDOW + (3 << 32);
    let (handle, context) = (node.buffer(at, 0x4000), node.context());
    let (object, line) = (node.syncobj(), node.syncobj());
    assert_eq!(node.wait_sync(object, 0, 0, 0), Err(libc::EINVAL), "nothing has been submitted");
    assert_eq!(node.wait_sync(object, 0, 0, 2), Err(libc::ETIME));
    // The compute ring holds until the host writes; the graphics ring waits for it, by an object, and signals a point.
    let ib = [&wait_for(at + 0x1000, 3)[..], &write(at + 0x1004, 1)].concat();
    poke(at, &ib);
    poke(at + 0x100, &write(at + 0x1008, 2));
    node.submit(context, (at, 12), COMPUTE, &[(5, &[object])]).expect("a job");
    let last = node.submit(context, (at + 0x100, 5), GFX, &[(4, &[object]), (9, &[line, 0, 10, 0])]).expect("a job");
    assert_eq!(node.wait_sync(object, 0, 0, 0), Err(libc::ETIME));
    assert_eq!(node.wait_sync(line, 10, 0, 4), Ok(()), "there is a job for it");
    assert_eq!(node.wait_sync(line, 11, 0, 2), Err(libc::ETIME));
    assert_eq!(node.call(0x49, [last as u32, 0, 0, 0, 0, 0, 0, context]).expect("a look")[0], 1);
    // A file that can be polled.
    let file = node.call(0xc1, [object, 1, u32::MAX, 0]).expect("a file")[2] as c_int;
    let mut poll = libc::pollfd { fd: file, events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry.
    assert_eq!(unsafe { libc::poll(&mut poll, 1, 0) }, 0);
    assert_eq!((peek(at + 0x1004), peek(at + 0x1008)), (0, 0));
    poke(at + 0x1000, &[3]);
    assert_eq!(node.wait_sync(line, 10, i64::MAX, 0), Ok(()));
    assert_eq!((peek(at + 0x1004), peek(at + 0x1008)), (1, 2));
    // SAFETY: one entry.
    assert_eq!(unsafe { libc::poll(&mut poll, 1, 10_000) }, 1);
    // The file's fence in another object; the object itself by a descriptor; the point of the timeline in a binary object.
    let other = node.syncobj();
    node.call(0xc2, [other, 1, file as u32, 0]).expect("imported");
    assert_eq!(node.wait_sync(other, 0, 0, 0), Ok(()));
    let shared = node.call(0xc1, [line, 0, u32::MAX, 0]).expect("a descriptor")[2];
    let same = node.call(0xc2, [0, 0, shared, 0]).expect("an object")[0];
    let next = 20u64;
    let ([a, b], [c, d]) = (halves((&raw const same) as u64), halves((&raw const next) as u64));
    node.call(0xcd, [a, b, c, d, 1, 0]).expect("signaled");
    let mut point = 0u64;
    let [a, b] = halves((&raw const line) as u64);
    let [c, d] = halves((&raw mut point) as u64);
    node.call(0xcb, [a, b, c, d, 1, 0]).expect("a query");
    assert_eq!(point, 20);
    let [a, b] = halves((&raw const other) as u64);
    node.call(0xc4, [a, b, 1, 0]).expect("reset");
    assert_eq!(node.wait_sync(other, 0, 0, 0), Err(libc::EINVAL));
    node.call(0xcc, [line, other, 20, 0, 0, 0, 0, 0]).expect("transferred");
    assert_eq!(node.wait_sync(other, 0, 0, 0), Ok(()));
    // SAFETY: ours.
    assert_eq!(unsafe { libc::close(file) + libc::close(shared as c_int) }, 0);
    node.call(0x09, [handle, 0]).expect("closed");
}

#[test]
fn a_context_whose_work_fails_is_lost_and_others_are_not() {
    let node = Node::open();
    let at = WINDOW + (4 << 32);
    let (handle, lost, other) = (node.buffer(at, 0x2000), node.context(), node.context());
    let object = node.syncobj();
    poke(at, &write(at + 0x10_0000, 1));
    poke(at + 0x40, &write(at + 0x1000, 1));
    let number = node.submit(lost, (at, 5), GFX, &[(5, &[object])]).expect("a job");
    // Nobody waits for ever.
    assert_eq!((node.wait(lost, number, GFX), node.wait_sync(object, 0, i64::MAX, 0)), (0, Ok(())));
    assert_eq!(node.submit(lost, (at + 0x40, 5), GFX, &[]), Err(libc::ECANCELED));
    assert_eq!(node.call(0x42, [4, 0, lost, 0]).expect("a state")[0], 5, "reset, guilty");
    assert_eq!(node.call(0x42, [4, 0, other, 0]).expect("a state")[0], 0);
    let number = node.submit(other, (at + 0x40, 5), GFX, &[]).expect("a job");
    assert_eq!((node.wait(other, number, GFX), peek(at + 0x1000)), (0, 1));
    node.call(0x42, [2, 0, lost, 0]).expect("freed");
    assert_eq!(node.submit(lost, (at, 5), GFX, &[]), Err(libc::EINVAL));
    node.call(0x09, [handle, 0]).expect("closed");
}
