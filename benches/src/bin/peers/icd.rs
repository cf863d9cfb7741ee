//! As much of OpenCL as running a kernel takes, from a library opened at run time. Every object of an implementation that the ICD loader can
//! use begins with a pointer to a table of its functions (OpenCL extension `cl_khr_icd`), in an order that never changes; so drivers need not
//! export anything but the function that lists their platforms, and no OpenCL headers or libraries are needed to build this.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

/// A handle of OpenCL: the first word behind it is the address of the table.
pub(crate) type Object = *mut c_void;

/// Places in the table, counted in functions from its start.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Function {
    GetPlatformInfo = 1,
    GetDeviceIDs = 2,
    GetDeviceInfo = 3,
    CreateContext = 4,
    CreateCommandQueue = 9,
    CreateBuffer = 14,
    ReleaseMemObject = 18,
    CreateProgramWithSource = 26,
    ReleaseProgram = 29,
    BuildProgram = 30,
    GetProgramBuildInfo = 33,
    CreateKernel = 34,
    ReleaseKernel = 37,
    SetKernelArg = 38,
    Finish = 47,
    EnqueueReadBuffer = 48,
    EnqueueWriteBuffer = 49,
    EnqueueNDRangeKernel = 59,
}

type Info = unsafe extern "C" fn(Object, u32, usize, *mut c_void, *mut usize) -> c_int;
type ListPlatforms = unsafe extern "C" fn(u32, *mut Object, *mut u32) -> c_int;
type Transfer = unsafe extern "C" fn(Object, Object, u32, usize, usize, *const c_void, u32, *const c_void, *mut c_void) -> c_int;

/// A function of the table behind an object.
///
/// # Safety
/// The object is a live one of OpenCL, and `F` is the type of that function.
unsafe fn function<F: Copy>(object: Object, which: Function) -> F {
    // SAFETY: by the contract, the object begins with the table's address, and the table has that function in this place.
    unsafe {
        let table = *object.cast::<*const c_void>();
        table.cast::<F>().add(which as usize).read()
    }
}

fn checked(code: c_int, what: &str) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("{what}: OpenCL error {code}")) }
}

/// A device of the first platform of a library, with a context and a queue. The library stays open.
pub(crate) struct Session {
    /// The platform.
    pub platform: Object,
    /// Its first device.
    pub device: Object,
    context: Object,
    queue: Object,
}

impl Session {
    /// Opens a library: a driver's or a loader's.
    pub(crate) fn open(library: &str) -> Result<Session, String> {
        let name = CString::new(library).map_err(|e| e.to_string())?;
        // SAFETY: the library's initializers run, which is what the caller asks for by naming it; handles are used as OpenCL has it.
        unsafe {
            let handle = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL);
            if handle.is_null() {
                let why = libc::dlerror();
                return Err(if why.is_null() { library.into() } else { CStr::from_ptr(why).to_string_lossy().into_owned() });
            }
            let mut list = libc::dlsym(handle, c"clIcdGetPlatformIDsKHR".as_ptr());
            let address = libc::dlsym(handle, c"clGetExtensionFunctionAddress".as_ptr());
            if list.is_null() && !address.is_null() {
                let address: unsafe extern "C" fn(*const c_char) -> *mut c_void = std::mem::transmute(address);
                list = address(c"clIcdGetPlatformIDsKHR".as_ptr());
            }
            if list.is_null() {
                list = libc::dlsym(handle, c"clGetPlatformIDs".as_ptr());
            }
            if list.is_null() {
                return Err(format!("{library} does not list OpenCL platforms"));
            }
            let list: ListPlatforms = std::mem::transmute(list);
            let (mut platform, mut device, mut code) = (null_mut(), null_mut(), 0);
            checked(list(1, &mut platform, null_mut()), "clGetPlatformIDs")?;
            let devices: unsafe extern "C" fn(Object, u64, u32, *mut Object, *mut u32) -> c_int =
                function(platform, Function::GetDeviceIDs);
            checked(devices(platform, 0xffff_ffff, 1, &mut device, null_mut()), "clGetDeviceIDs")?;
            let create: unsafe extern "C" fn(*const c_void, u32, *const Object, *const c_void, *const c_void, *mut c_int) -> Object =
                function(platform, Function::CreateContext);
            let context = create(null(), 1, &device, null(), null(), &mut code);
            checked(code, "clCreateContext")?;
            let create: unsafe extern "C" fn(Object, Object, u64, *mut c_int) -> Object = function(context, Function::CreateCommandQueue);
            let queue = create(context, device, 0, &mut code);
            checked(code, "clCreateCommandQueue")?;
            Ok(Session { platform, device, context, queue })
        }
    }

    fn info(&self, object: Object, which: Function, what: u32) -> String {
        let (mut bytes, mut len) = (vec![0u8; 1 << 16], 0);
        // SAFETY: the platform or the device and the matching function; `bytes` is as long as is said.
        let code = unsafe { function::<Info>(object, which)(object, what, bytes.len(), bytes.as_mut_ptr().cast(), &mut len) };
        bytes.truncate(if code == 0 { len.saturating_sub(1) } else { 0 });
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The name and version of platform and driver.
    pub(crate) fn version(&self) -> String {
        let platform = |what| self.info(self.platform, Function::GetPlatformInfo, what);
        let driver = self.info(self.device, Function::GetDeviceInfo, 0x102d);
        let version = platform(0x0901);
        // what follows a comma is how it was built
        format!(
            "{}, {}, driver {driver}",
            platform(0x0902),
            version.split(',').next().unwrap_or_default().split("  ").next().unwrap_or_default()
        )
    }

    /// Has the device this extension?
    pub(crate) fn has(&self, extension: &str) -> bool {
        self.info(self.device, Function::GetDeviceInfo, 0x1030).split_whitespace().any(|e| e == extension)
    }

    /// A buffer with these contents.
    pub(crate) fn buffer(&self, bytes: &[u8]) -> Result<Memory, String> {
        type Create = unsafe extern "C" fn(Object, u64, usize, *const c_void, *mut c_int) -> Object;
        const READ_WRITE_AND_COPY: u64 = 1 | 1 << 5;
        let mut code = 0;
        // SAFETY: the context lives as long as this; OpenCL reads as many bytes as there are.
        let object = unsafe {
            let create: Create = function(self.context, Function::CreateBuffer);
            create(self.context, READ_WRITE_AND_COPY, bytes.len().max(1), bytes.as_ptr().cast(), &mut code)
        };
        checked(code, "clCreateBuffer").map(|()| Memory { object, bytes: bytes.len() })
    }

    /// Copies to a buffer.
    pub(crate) fn write(&self, memory: &Memory, from: &[u8]) -> Result<(), String> {
        assert!(from.len() <= memory.bytes, "more than the buffer holds");
        // SAFETY: the copy is over when the call returns (blocking), and within both.
        let code = unsafe {
            let write: Transfer = function(self.queue, Function::EnqueueWriteBuffer);
            write(self.queue, memory.object, 1, 0, from.len(), from.as_ptr().cast(), 0, null(), null_mut())
        };
        checked(code, "clEnqueueWriteBuffer")
    }

    /// Copies from a buffer.
    pub(crate) fn read(&self, memory: &Memory, to: &mut [u8]) -> Result<(), String> {
        assert!(to.len() <= memory.bytes, "more than the buffer holds");
        // SAFETY: as above; the function writes to the address, which is one of an exclusive borrow.
        let code = unsafe {
            let read: Transfer = function(self.queue, Function::EnqueueReadBuffer);
            read(self.queue, memory.object, 1, 0, to.len(), to.as_mut_ptr().cast::<c_void>(), 0, null(), null_mut())
        };
        checked(code, "clEnqueueReadBuffer")
    }

    /// Builds a program and takes a kernel from it; the message of a failure has the compiler's words.
    pub(crate) fn kernel(&self, source: &str, name: &str) -> Result<Kernel, String> {
        type Create = unsafe extern "C" fn(Object, u32, *const *const c_char, *const usize, *mut c_int) -> Object;
        type Build = unsafe extern "C" fn(Object, u32, *const Object, *const c_char, *const c_void, *const c_void) -> c_int;
        type BuildInfo = unsafe extern "C" fn(Object, Object, u32, usize, *mut c_void, *mut usize) -> c_int;
        type CreateKernel = unsafe extern "C" fn(Object, *const c_char, *mut c_int) -> Object;
        type Release = unsafe extern "C" fn(Object) -> c_int;
        let name = CString::new(name).map_err(|e| e.to_string())?;
        let (text, length, mut code) = (source.as_ptr().cast::<c_char>(), source.len(), 0);
        // SAFETY: objects are made by the calls before; the source's length is given, other strings end in zero.
        unsafe {
            let program = function::<Create>(self.context, Function::CreateProgramWithSource)(self.context, 1, &text, &length, &mut code);
            checked(code, "clCreateProgramWithSource")?;
            let built =
                function::<Build>(program, Function::BuildProgram)(program, 1, &self.device, c"-cl-std=CL1.2".as_ptr(), null(), null());
            if built != 0 {
                let mut log = vec![0u8; 1 << 14];
                let info: BuildInfo = function(program, Function::GetProgramBuildInfo);
                info(program, self.device, 0x1183, log.len(), log.as_mut_ptr().cast(), null_mut());
                let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_string();
                return Err(format!("clBuildProgram: OpenCL error {built}: {log}"));
            }
            let object = function::<CreateKernel>(program, Function::CreateKernel)(program, name.as_ptr(), &mut code);
            function::<Release>(program, Function::ReleaseProgram)(program);
            checked(code, "clCreateKernel").map(|()| Kernel { object })
        }
    }

    /// Launches and waits.
    pub(crate) fn run(&self, kernel: &Kernel, grid: [u32; 3], group: [u32; 3]) -> Result<(), String> {
        type Launch =
            unsafe extern "C" fn(Object, Object, u32, *const usize, *const usize, *const usize, u32, *const c_void, *mut c_void) -> c_int;
        type Finish = unsafe extern "C" fn(Object) -> c_int;
        let (grid, group) = (grid.map(|n| n as usize), group.map(|n| n as usize));
        // SAFETY: three sizes for three dimensions; queue and kernel are live.
        unsafe {
            let launch: Launch = function(self.queue, Function::EnqueueNDRangeKernel);
            let code = launch(self.queue, kernel.object, 3, null(), grid.as_ptr(), group.as_ptr(), 0, null(), null_mut());
            checked(code, "clEnqueueNDRangeKernel")?;
            checked(function::<Finish>(self.queue, Function::Finish)(self.queue), "clFinish")
        }
    }
}

/// A buffer, released when dropped.
pub(crate) struct Memory {
    object: Object,
    bytes: usize,
}

/// A kernel, released when dropped.
pub(crate) struct Kernel {
    object: Object,
}

impl Kernel {
    /// Sets an argument to bytes.
    pub(crate) fn set_bytes(&self, index: usize, bytes: &[u8]) -> Result<(), String> {
        self.set(index, bytes.len(), bytes.as_ptr().cast())
    }

    /// Sets an argument to a buffer.
    pub(crate) fn set_buffer(&self, index: usize, memory: &Memory) -> Result<(), String> {
        self.set(index, size_of::<Object>(), (&raw const memory.object).cast())
    }

    /// Sets a `local` argument to so many bytes.
    pub(crate) fn set_local(&self, index: usize, bytes: u32) -> Result<(), String> {
        self.set(index, bytes as usize, null())
    }

    fn set(&self, index: usize, bytes: usize, from: *const c_void) -> Result<(), String> {
        type Set = unsafe extern "C" fn(Object, u32, usize, *const c_void) -> c_int;
        // SAFETY: the callers above give the address of that many bytes, or none for local memory.
        let code = unsafe { function::<Set>(self.object, Function::SetKernelArg)(self.object, index as u32, bytes, from) };
        checked(code, &format!("clSetKernelArg {index}"))
    }
}

fn release(object: Object, which: Function) {
    // SAFETY: each owner has the only handle and drops it once.
    unsafe { function::<unsafe extern "C" fn(Object) -> c_int>(object, which)(object) };
}

impl Drop for Memory {
    fn drop(&mut self) {
        release(self.object, Function::ReleaseMemObject);
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        release(self.object, Function::ReleaseKernel);
    }
}
