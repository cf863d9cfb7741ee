//! What the start-up code of programs registers: fat binaries, kernels, variables.

use crate::abi::Dim3;
use crate::fat_binary::{self, FatBinary, Managed};
use crate::gpu;
use crate::launch::Configuration;
use crate::raw;
use crate::status::{Result, Status, guard, hip};
use rustc_hash::FxHashMap;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, OnceLock};
use wavejit::Kernel;
use wavejit::fork::RwLock;

/// A kernel of the program, known by the address of its stub.
pub(crate) struct HostFunction {
    pub binary: Arc<FatBinary>,
    pub name: String,
    kernels: OnceLock<Vec<OnceLock<Result<Kernel>>>>,
    c_name: OnceLock<std::ffi::CString>,
}

/// A variable of the program, known by the address of its shadow.
#[derive(Clone)]
pub(crate) struct Variable {
    pub binary: Arc<FatBinary>,
    pub name: String,
    /// Where it is, if it is managed.
    pub managed: Option<u64>,
    pub bytes: u64,
}

#[derive(Default)]
struct Registry {
    functions: FxHashMap<usize, Arc<HostFunction>>,
    variables: FxHashMap<usize, Variable>,
    /// By handle.
    binaries: FxHashMap<usize, Arc<FatBinary>>,
}

static REGISTRY: RwLock<Option<Registry>> = RwLock::new(None);

/// The kernel whose stub is at an address.
pub(crate) fn function(stub: *const c_void) -> Result<Arc<HostFunction>> {
    REGISTRY.read().as_ref().and_then(|r| r.functions.get(&(stub as usize)).cloned()).ok_or(Status::INVALID_DEVICE_FUNCTION)
}

/// The variable whose shadow is at an address.
pub(crate) fn variable(shadow: *const c_void) -> Result<Variable> {
    REGISTRY.read().as_ref().and_then(|r| r.variables.get(&(shadow as usize)).cloned()).ok_or(Status::INVALID_SYMBOL)
}

impl HostFunction {
    /// Its name as C reads it, for as long as it is registered.
    pub(crate) fn c_name(&self) -> *const c_char {
        self.c_name.get_or_init(|| std::ffi::CString::new(self.name.clone()).unwrap_or_default()).as_ptr()
    }

    /// The kernel on this thread's device.
    pub(crate) fn kernel(&self) -> Result<Kernel> {
        let gpu = gpu::current()?;
        let kernels = self.kernels.get_or_init(|| gpu::all().map_or(Vec::new(), |all| all.iter().map(|_| OnceLock::new()).collect()));
        let place = kernels.get(gpu.index).ok_or(Status::INVALID_DEVICE)?;
        if let Some(known) = place.get() {
            return known.clone();
        }
        let _section = wavejit::fork::Section::begin();
        let find = || self.binary.module(gpu)?.kernel(&self.name).map_err(|_| Status::INVALID_DEVICE_FUNCTION);
        place.get_or_init(find).clone()
    }
}

fn with_binary(handle: *const c_void, change: impl FnOnce(&mut Registry, Arc<FatBinary>)) {
    let mut registry = REGISTRY.write();
    let registry = registry.get_or_insert_default();
    if let Some(binary) = registry.binaries.get(&(handle as usize)).cloned() {
        change(registry, binary);
    }
}

/// `__hipRegisterFatBinary`: a handle for the device code behind a wrapper.
#[unsafe(no_mangle)]
pub extern "C" fn __hipRegisterFatBinary(wrapper: *const c_void) -> *mut c_void {
    let binary = Arc::new(FatBinary::new(wrapper));
    let handle = Arc::as_ptr(&binary) as usize;
    REGISTRY.write().get_or_insert_default().binaries.insert(handle, binary);
    handle as *mut c_void
}

/// `__hipUnregisterFatBinary`: forgets what belongs to a handle. Kernels that run keep their code.
#[unsafe(no_mangle)]
pub extern "C" fn __hipUnregisterFatBinary(handle: *mut c_void) {
    guard(|| {
        let mut registry = REGISTRY.write();
        let Some(registry) = registry.as_mut() else { return Ok(()) };
        let Some(binary) = registry.binaries.remove(&(handle as usize)) else { return Ok(()) };
        let gone: Vec<usize> =
            registry.functions.iter().filter(|(_, f)| Arc::ptr_eq(&f.binary, &binary)).map(|(address, _)| *address).collect();
        let functions: Vec<_> = gone.iter().filter_map(|address| registry.functions.remove(address)).collect();
        registry.variables.retain(|_, v| !Arc::ptr_eq(&v.binary, &binary));
        // At the end of a program this is not the time to take things apart.
        std::mem::forget((functions, binary));
        Ok(())
    });
}

/// `__hipRegisterFunction`: a kernel and its stub.
#[unsafe(no_mangle)]
pub extern "C" fn __hipRegisterFunction(
    handle: *mut c_void,
    stub: *const c_void,
    _device_function: *const c_char,
    name: *const c_char,
    _thread_limit: u32,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_dim: *mut Dim3,
    _grid_dim: *mut Dim3,
    _wave_size: *mut i32,
) {
    guard(|| {
        let name = raw::text(name)?.to_string();
        with_binary(handle, |registry, binary| {
            registry
                .functions
                .insert(stub as usize, Arc::new(HostFunction { binary, name, kernels: OnceLock::new(), c_name: OnceLock::new() }));
        });
        Ok(())
    });
}

/// `__hipRegisterVar`: a variable and its shadow.
#[unsafe(no_mangle)]
pub extern "C" fn __hipRegisterVar(
    handle: *mut c_void,
    shadow: *mut c_void,
    _host_name: *mut c_char,
    name: *const c_char,
    _is_extern: i32,
    bytes: usize,
    _is_constant: i32,
    _is_global: i32,
) {
    guard(|| {
        let name = raw::text(name)?.to_string();
        with_binary(handle, |registry, binary| {
            registry.variables.insert(shadow as usize, Variable { binary, name, managed: None, bytes: bytes as u64 });
        });
        Ok(())
    });
}

/// `__hipRegisterManagedVar`: a managed variable, which is allocated now; the program's pointer to it is at `pointer`.
#[unsafe(no_mangle)]
pub extern "C" fn __hipRegisterManagedVar(
    handle: *mut c_void,
    pointer: Option<&mut *mut c_void>,
    init: *const u8,
    name: *const c_char,
    bytes: usize,
    _align: u32,
) {
    guard(|| {
        let name = raw::text(name)?.to_string();
        let pointer = pointer.ok_or(Status::INVALID_VALUE)?;
        let address = fat_binary::allocate_managed(raw::slice(init, bytes)?)?;
        *pointer = address as *mut c_void;
        let shadow = std::ptr::from_mut(pointer) as usize;
        with_binary(handle, |registry, binary| {
            binary.add_managed(Managed { name: name.clone(), address });
            let variable = Variable { binary, name, managed: Some(address), bytes: bytes as u64 };
            // Programs name it by the pointer, and by what it points to.
            registry.variables.insert(shadow, variable.clone());
            registry.variables.insert(address as usize, variable);
        });
        Ok(())
    });
}

/// `__hipRegisterTexture`: a texture reference.
#[unsafe(no_mangle)]
pub extern "C" fn __hipRegisterTexture(
    handle: *mut c_void,
    shadow: *mut c_void,
    _host_name: *mut c_char,
    name: *const c_char,
    _kind: i32,
    _norm: i32,
    _is_extern: i32,
) {
    guard(|| {
        let name = raw::text(name)?.to_string();
        with_binary(handle, |registry, binary| {
            registry.variables.insert(shadow as usize, Variable { binary, name, managed: None, bytes: 8 });
        });
        Ok(())
    });
}

/// `__hipRegisterSurface`: a surface reference.
#[unsafe(no_mangle)]
pub extern "C" fn __hipRegisterSurface(
    handle: *mut c_void,
    shadow: *mut c_void,
    host_name: *mut c_char,
    name: *const c_char,
    kind: i32,
    is_extern: i32,
) {
    __hipRegisterTexture(handle, shadow, host_name, name, kind, 0, is_extern);
}

hip! {
    fn __hipPushCallConfiguration(grid: Dim3, block: Dim3, shared_bytes: usize, stream: *mut c_void) {
        crate::launch::push_configuration(Configuration { grid, block, shared_bytes, stream });
        Ok(())
    }
    fn __hipPopCallConfiguration(
        grid: crate::abi::Out<Dim3>, block: crate::abi::Out<Dim3>, shared_bytes: crate::abi::Out<usize>, stream: crate::abi::Out<*mut c_void>,
    ) {
        let top = crate::launch::pop_configuration().ok_or(Status::MISSING_CONFIGURATION)?;
        crate::abi::put(grid, top.grid)?;
        crate::abi::put(block, top.block)?;
        crate::abi::put(shared_bytes, top.shared_bytes)?;
        crate::abi::put(stream, top.stream)
    }
}
