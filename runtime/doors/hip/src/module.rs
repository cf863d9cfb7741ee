//! Modules that a program loads, and functions in them.

use crate::abi::{Out, put, put_if};
use crate::fat_binary;
use crate::gpu::{self, Gpu};
use crate::handles::Handles;
use crate::raw;
use crate::register;
use crate::status::{Result, Status, alias, hip};
use rustc_hash::FxHashMap;
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use wavejit::fork::Mutex;
use wavejit::{Kernel, Module};

/// A loaded module.
pub(crate) struct Loaded {
    module: Module,
    /// Handles of its functions that were asked for, which end with it.
    functions: Mutex<FxHashMap<String, usize>>,
}

impl Loaded {
    /// The handle of a function: one for each name.
    fn function(&self, name: &str) -> Result<*mut c_void> {
        let mut functions = self.functions.lock();
        if let Some(handle) = functions.get(name) {
            return Ok(*handle as *mut c_void);
        }
        let handle = add_function(self.module.kernel(name).map_err(|_| Status::NOT_FOUND)?);
        functions.insert(name.into(), handle as usize);
        Ok(handle)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        for handle in self.functions.lock().values() {
            let _ = FUNCTIONS.remove(*handle as *const c_void);
        }
    }
}

/// A function of a module: `hipFunction_t`.
pub(crate) struct Function {
    pub kernel: Kernel,
    /// As C reads it.
    pub name: std::ffi::CString,
}

static MODULES: Handles<Loaded> = Handles::new();
/// A kernel that was launched has its code still when its module goes.
static FUNCTIONS: Handles<Function> = Handles::new();

/// The kernel of a handle, or of a stub of the program's.
pub(crate) fn kernel(function: *const c_void) -> Result<Kernel> {
    match FUNCTIONS.get(function) {
        Ok(found) => Ok(found.kernel.clone()),
        Err(_) => register::function(function)?.kernel(),
    }
}

/// The function of a handle.
pub(crate) fn function(handle: *const c_void) -> Result<Arc<Function>> {
    FUNCTIONS.get(handle)
}

/// Address and bytes of a variable of a module.
pub(crate) fn variable(module: *mut c_void, name: *const c_char) -> Result<(u64, u64)> {
    fat_binary::symbol(&MODULES.get(module)?.module, raw::text(name)?).ok_or(Status::NOT_FOUND)
}

fn add_function(kernel: Kernel) -> *mut c_void {
    let name = std::ffi::CString::new(kernel.info().name.clone()).unwrap_or_default();
    FUNCTIONS.add(Arc::new(Function { kernel, name }))
}

fn add(out: Out<*mut c_void>, gpu: &Gpu, bytes: &[u8], is_open: bool) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    let module = fat_binary::load(gpu, bytes, is_open)?;
    out.write(MODULES.add(Arc::new(Loaded { module, functions: Mutex::default() })));
    Ok(())
}

/// How many bytes an image has that C gives by its address alone: what its own headers say.
fn image_bytes(image: *const c_void) -> Result<usize> {
    let head = raw::slice(image.cast::<u8>(), 64)?;
    let word = |at: usize| head[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
    let half = |at: usize| head[at..at + 2].try_into().map_or(0, u16::from_le_bytes);
    let single = |at: usize| head[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    if head.starts_with(b"\x7fELF") {
        // Section headers are the last thing in a file; without them, its segments.
        let end = word(40).saturating_add(u64::from(half(58)) * u64::from(half(60)));
        return if word(40) != 0 { to_len(end) } else { segments_end(image, word(32), half(54), half(56)) };
    }
    if head.starts_with(b"CCOB") {
        return match half(4) {
            2 => to_len(single(8).into()),
            3 => to_len(word(8)),
            // It does not say; what is unpacked ends by itself.
            1 => raw::bytes_to_end_of_mapping(image).map(<[u8]>::len),
            _ => Err(Status::INVALID_IMAGE),
        };
    }
    if !head.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") {
        return Err(Status::INVALID_IMAGE);
    }
    let (mut at, mut end) = (32u64, 32u64);
    for _ in 0..word(24).min(4096) {
        let [offset, bytes, id] = words(image, at)?;
        at = at.saturating_add(24).saturating_add(id);
        end = end.max(offset.saturating_add(bytes)).max(at);
        if at > 1 << 20 {
            return Err(Status::INVALID_IMAGE);
        }
    }
    to_len(end)
}

/// Numbers at an offset of an image.
fn words<const N: usize>(image: *const c_void, offset: u64) -> Result<[u64; N]> {
    let bytes = raw::slice((image as usize).wrapping_add(offset as usize) as *const [u8; 8], N)?;
    Ok(std::array::from_fn(|i| u64::from_le_bytes(bytes[i])))
}

/// Where the segments of an ELF file end that has no section headers.
fn segments_end(image: *const c_void, offset: u64, entry_bytes: u16, count: u16) -> Result<usize> {
    let mut end = 0;
    for i in 0..u64::from(count) {
        let header: [u64; 5] = words(image, offset.saturating_add(i * u64::from(entry_bytes)))?;
        end = header[1].saturating_add(header[4]).max(end);
    }
    to_len(end)
}

fn to_len(bytes: u64) -> Result<usize> {
    if (64..1 << 32).contains(&bytes) { Ok(bytes as usize) } else { Err(Status::INVALID_IMAGE) }
}

hip! {
    fn hipModuleLoadData(module: Out<*mut c_void>, image: *const c_void) {
        if image.is_null() { return Err(Status::INVALID_VALUE); }
        let bytes = raw::slice(image.cast::<u8>(), image_bytes(image)?)?;
        add(module, gpu::current()?, bytes, true)
    }
    fn hipModuleLoadFatBinary(module: Out<*mut c_void>, image: *const c_void) {
        hipModuleLoadData(module, image).ok()
    }
    fn hipLibraryLoadData(
        library: Out<*mut c_void>, image: *const c_void, _options: *const c_void, _values: *const c_void, _count: u32,
        _library_options: *const c_void, _library_values: *const c_void, _library_count: u32,
    ) {
        hipModuleLoadData(library, image).ok()
    }
    fn hipLibraryLoadFromFile(
        library: Out<*mut c_void>, path: *const c_char, _options: *const c_void, _values: *const c_void, _count: u32,
        _library_options: *const c_void, _library_values: *const c_void, _library_count: u32,
    ) {
        hipModuleLoad(library, path).ok()
    }
    fn hipLibraryUnload(library: *mut c_void) {
        hipModuleUnload(library).ok()
    }
    fn hipLibraryGetKernel(kernel: Out<*mut c_void>, library: *mut c_void, name: *const c_char) {
        hipModuleGetFunction(kernel, library, name).ok()
    }
    fn hipLibraryGetKernelCount(count: Out<u32>, library: *mut c_void) {
        hipModuleGetFunctionCount(count, library).ok()
    }
    fn hipModuleLoad(module: Out<*mut c_void>, path: *const c_char) {
        let bytes = std::fs::read(raw::text(path)?).map_err(|_| Status::FILE_NOT_FOUND)?;
        add(module, gpu::current()?, &bytes, false)
    }
    fn hipModuleUnload(module: *mut c_void) {
        MODULES.remove(module).map(|_| ())
    }
    fn hipModuleGetFunction(function: Out<*mut c_void>, module: *mut c_void, name: *const c_char) {
        let handle = MODULES.get(module)?.function(raw::text(name)?)?;
        put(function, handle)
    }
    fn hipModuleGetFunctionCount(count: Out<u32>, module: *mut c_void) {
        put(count, MODULES.get(module)?.module.kernels().len() as u32)
    }
    fn hipModuleGetGlobal(address: Out<*mut c_void>, bytes: Out<usize>, module: *mut c_void, name: *const c_char) {
        let (place, size) = variable(module, name)?;
        put_if(address, place as *mut c_void);
        put_if(bytes, size as usize);
        Ok(())
    }
    fn hipGetFuncBySymbol(function: Out<*mut c_void>, stub: *const c_void) {
        put(function, add_function(register::function(stub)?.kernel()?))
    }
}

alias! {
    hipModuleLoadDataEx = hipModuleLoadData_plain(
        module: Out<*mut c_void>, image: *const c_void, count: u32, options: *mut c_void, values: *mut *mut c_void);
}

fn hipModuleLoadData_plain(module: Out<*mut c_void>, image: *const c_void, _: u32, _: *mut c_void, _: *mut *mut c_void) -> Status {
    hipModuleLoadData(module, image)
}
