//! Device code that programs carry: loaded for a device when that first needs it.

use crate::allocations::{self, Kind};
use crate::gpu::{self, Gpu};
use crate::raw;
use crate::status::{Result, Status, say, status_of, told};
use std::ffi::c_void;
use std::sync::OnceLock;
use wavejit::code_object::{Bundle, CodeObject, SymbolKind, TargetId};
use wavejit::fork::{Mutex, Section};
use wavejit::{Error, Module};

/// The magic number of a wrapper: "HIPF" as a number.
const WRAPPER_MAGIC: u32 = 0x4849_5046;

/// What `__hipRegisterFatBinary` is given.
#[repr(C)]
#[derive(Clone, Copy)]
struct Wrapper {
    magic: u32,
    version: u32,
    binary: *const c_void,
    _unused: *const c_void,
}

/// A bundle of device code in a program.
pub(crate) struct FatBinary {
    /// Where it is; 0 where the wrapper was none.
    address: usize,
    modules: OnceLock<Vec<OnceLock<Result<Module>>>>,
    managed: Mutex<Vec<Managed>>,
}

/// A `__managed__` variable: the device's symbol is a pointer to it.
#[derive(Clone)]
pub(crate) struct Managed {
    pub name: String,
    pub address: u64,
}

impl FatBinary {
    /// The binary of a wrapper.
    pub(crate) fn new(wrapper: *const c_void) -> FatBinary {
        let found = raw::slice(wrapper.cast::<Wrapper>(), 1).ok().and_then(|w| w.first().copied());
        let address = match found {
            Some(w) if w.magic == WRAPPER_MAGIC && w.version == 1 => w.binary as usize,
            Some(w) => {
                say(&format!("device code of unknown form (magic {:#x}, version {}) is ignored", w.magic, w.version));
                0
            }
            None => 0,
        };
        FatBinary { address, modules: OnceLock::new(), managed: Mutex::new(Vec::new()) }
    }

    /// Notes a managed variable.
    pub(crate) fn add_managed(&self, variable: Managed) {
        self.managed.lock().push(variable);
    }

    /// Its code on a device.
    pub(crate) fn module(&self, gpu: &'static Gpu) -> Result<Module> {
        let modules = self
            .modules
            .get_or_init(|| (0..gpu::all().map_or(0, <[Gpu]>::len)).map(|_| OnceLock::new()).collect())
            .get(gpu.index)
            .ok_or(Status::INVALID_DEVICE)?;
        if let Some(known) = modules.get() {
            return known.clone();
        }
        let _section = Section::begin();
        modules.get_or_init(|| self.load(gpu)).clone()
    }

    fn load(&self, gpu: &'static Gpu) -> Result<Module> {
        if self.address == 0 {
            return Err(Status::INVALID_IMAGE);
        }
        let bytes = raw::mapped_file_bytes(self.address as *const c_void)?;
        let module = load(gpu, bytes, true)?;
        for variable in self.managed.lock().iter() {
            if let Some((address, _)) = symbol(&module, &variable.name) {
                gpu.device.memory().write(address, &variable.address.to_le_bytes()).map_err(|e| told(&e))?;
            }
        }
        Ok(module)
    }
}

/// Loads device code for a device: of a bundle, of which nobody knows where it ends if `is_open`, or an ELF file.
pub(crate) fn load(gpu: &Gpu, bytes: &[u8], is_open: bool) -> Result<Module> {
    let object = if wavejit::code_object::bundle::is_bundle(bytes) && is_open {
        Bundle::read_one(bytes).and_then(|bundle| CodeObject::of_bundle(&bundle, &gpu.target))
    } else {
        CodeObject::load_for(bytes, Some(&gpu.target.to_string()), None)
    };
    object.map_err(Error::from).and_then(|object| gpu.device.load_object(object)).map_err(|error| {
        say(&format!("device {} ({}): {error}{}", gpu.index, gpu.target, hint(&error)));
        match error {
            Error::Load(wavejit::code_object::LoadError::NoEntry { .. }) => Status::NO_BINARY_FOR_GPU,
            other => status_of(&other),
        }
    })
}

/// What to do about code for other processors.
fn hint(error: &Error) -> String {
    let Error::Load(wavejit::code_object::LoadError::NoEntry { entries, .. }) = error else { return String::new() };
    let other = entries.split(", ").filter_map(|id| TargetId::parse(id).ok()).find(|id| id.processor.has(wavejit_isa::Feature::Runs));
    other.map_or(String::new(), |id| format!(" (WAVEJIT_DEVICES={} would have a device for it)", id.name))
}

/// Address and bytes of a variable of a module.
pub(crate) fn symbol(module: &Module, name: &str) -> Option<(u64, u64)> {
    let found = module.object().symbols().find(|s| s.name == name && s.kind == SymbolKind::Object)?;
    Some((module.base() + found.address, found.bytes))
}

/// Allocates a managed variable with these contents.
pub(crate) fn allocate_managed(init: &[u8]) -> Result<u64> {
    let gpu = gpu::current()?;
    let address = allocations::allocate(gpu, init.len().max(1), Kind::Managed, 1)?;
    gpu.device.memory().write(address, init).map_err(|e| told(&e))?;
    Ok(address)
}
