//! Code objects: kernels and symbols by name and by number.

use super::super::{bad, bytes, c_string, string};
use super::call;
use super::device::device;
use super::facts::KernelFacts;
use super::handles::{Handle, Handles};
use super::structs::{self, c_struct};
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;
use wavejit::code_object::{CodeObject, SymbolKind};
use wavejit::{Error, Kernel, Module};

c_struct! {
    /// `wavejit2_symbol`.
    CSymbol = "wavejit2_symbol" {
        size: u32,
        kind: u32,
        name: *const c_char,
        address: u64,
        bytes: u64,
    }
}

/// A module, as C opens it.
pub(super) struct COpenedModule {
    module: Module,
    target: CString,
    symbols: Vec<NamedSymbol>,
}

/// A symbol with a name that C can read.
struct NamedSymbol {
    name: CString,
    kind: u32,
    address: u64,
    bytes: u64,
}

/// A kernel, as C opens it.
pub(super) struct COpenedKernel {
    pub kernel: Kernel,
    pub facts: KernelFacts,
    /// Address of the module's image.
    pub base: u64,
}

static MODULES: Handles<COpenedModule> = Handles::new("module");
static KERNELS: Handles<COpenedKernel> = Handles::new("kernel");

/// The kernel of a handle.
pub(super) fn kernel(handle: Handle) -> Result<Arc<COpenedKernel>, Error> {
    KERNELS.get(handle)
}

impl NamedSymbol {
    fn c_symbol(&self) -> CSymbol {
        CSymbol { size: 0, kind: self.kind, name: self.name.as_ptr(), address: self.address, bytes: self.bytes }
    }
}

fn named_symbols(module: &Module) -> Vec<NamedSymbol> {
    let named = |s: wavejit::code_object::Symbol<'_>| NamedSymbol {
        name: c_string(s.name),
        kind: match s.kind {
            SymbolKind::Function => 1,
            SymbolKind::Object => 2,
            SymbolKind::Lds => 3,
            SymbolKind::Other => 0,
        },
        address: if s.kind == SymbolKind::Lds { 0 } else { module.base() + s.address },
        bytes: s.bytes,
    };
    module.object().symbols().map(named).collect()
}

/// `int32_t wavejit2_module_open(wavejit2_device device, const void *code, size_t bytes, const char *kernel, wavejit2_module *out)`
///
/// # Safety
/// As `wavejit2.h` says: `code` has `code_bytes` readable bytes, `kernel` is null or a string, `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_module_open(
    handle: Handle,
    code: *const c_void,
    code_bytes: usize,
    kernel: *const c_char,
    out: *mut Handle,
) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place, the bytes and the string.
        let (code, kernel) = unsafe {
            structs::place(out)?;
            let kernel = if kernel.is_null() { None } else { Some(string(kernel, "kernel")?) };
            (bytes(code, code_bytes, "code")?, kernel)
        };
        let opened = device(handle)?;
        let object = CodeObject::load_for(code, opened.target.as_deref(), kernel).map_err(Error::from)?;
        let target = c_string(&object.target().to_string());
        let module = opened.device.load_object(object)?;
        let symbols = named_symbols(&module);
        // SAFETY: as above.
        unsafe { structs::put(out, MODULES.add(COpenedModule { module, target, symbols }))? };
        Ok(())
    })
}

/// `int32_t wavejit2_module_close(wavejit2_module module)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_module_close(module: Handle) -> i32 {
    call(|| {
        MODULES.close(module)?;
        Ok(())
    })
}

/// `int32_t wavejit2_module_target(wavejit2_module module, const char **out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_module_target(module: Handle, out: *mut *const c_char) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::put(out, MODULES.get(module)?.target.as_ptr())? };
        Ok(())
    })
}

/// `int32_t wavejit2_module_counts(wavejit2_module module, uint32_t *kernels, uint32_t *symbols)`
///
/// # Safety
/// Both are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_module_counts(module: Handle, kernels: *mut u32, symbols: *mut u32) -> i32 {
    call(|| {
        let module = MODULES.get(module)?;
        // SAFETY: the caller vouches for both places.
        unsafe {
            structs::put(kernels, module.module.kernels().len() as u32)?;
            structs::put(symbols, module.symbols.len() as u32)?;
        }
        Ok(())
    })
}

/// `int32_t wavejit2_module_symbol_at(wavejit2_module module, uint32_t index, wavejit2_symbol *out)`
///
/// # Safety
/// `out` is null or a structure of the size that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_module_symbol_at(module: Handle, index: u32, out: *mut CSymbol) -> i32 {
    call(|| {
        let module = MODULES.get(module)?;
        let count = module.symbols.len();
        let symbol = module.symbols.get(index as usize).ok_or_else(|| bad(&format!("symbol {index}: the module has {count}")))?;
        // SAFETY: the caller vouches for the structure.
        unsafe { structs::write(out, symbol.c_symbol())? };
        Ok(())
    })
}

/// `int32_t wavejit2_module_symbol(wavejit2_module module, const char *name, wavejit2_symbol *out)`
///
/// # Safety
/// `name` is null or a string; `out` is null or a structure of the size that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_module_symbol(module: Handle, name: *const c_char, out: *mut CSymbol) -> i32 {
    call(|| {
        let module = MODULES.get(module)?;
        // SAFETY: the caller vouches for the string.
        let name = unsafe { string(name, "name")? };
        let found = module.symbols.iter().find(|s| s.name.as_bytes() == name.as_bytes());
        let symbol = found.ok_or_else(|| bad(&format!("the module has no symbol `{name}`")))?;
        // SAFETY: the caller vouches for the structure.
        unsafe { structs::write(out, symbol.c_symbol())? };
        Ok(())
    })
}

fn open_kernel(module: &COpenedModule, name: &str) -> Result<Handle, Error> {
    let kernel = module.module.kernel(name)?;
    let facts = KernelFacts::of(kernel.info());
    Ok(KERNELS.add(COpenedKernel { kernel, facts, base: module.module.base() }))
}

/// `int32_t wavejit2_kernel_open(wavejit2_module module, const char *name, wavejit2_kernel *out)`
///
/// # Safety
/// `name` is null or a string; `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_kernel_open(module: Handle, name: *const c_char, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place and the string.
        let name = unsafe {
            structs::place(out)?;
            string(name, "name")?
        };
        let handle = open_kernel(&*MODULES.get(module)?, name)?;
        // SAFETY: as above.
        unsafe { structs::put(out, handle)? };
        Ok(())
    })
}

/// `int32_t wavejit2_kernel_open_at(wavejit2_module module, uint32_t index, wavejit2_kernel *out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_kernel_open_at(module: Handle, index: u32, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::place(out)? };
        let module = MODULES.get(module)?;
        let count = module.module.kernels().len();
        let info = module.module.kernels().get(index as usize).ok_or_else(|| bad(&format!("kernel {index}: the module has {count}")))?;
        let handle = open_kernel(&module, &info.name)?;
        // SAFETY: as above.
        unsafe { structs::put(out, handle)? };
        Ok(())
    })
}

/// `int32_t wavejit2_kernel_close(wavejit2_kernel kernel)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_kernel_close(kernel: Handle) -> i32 {
    call(|| {
        KERNELS.close(kernel)?;
        Ok(())
    })
}

/// `int32_t wavejit2_kernel_compile(wavejit2_kernel kernel)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_kernel_compile(handle: Handle) -> i32 {
    call(|| {
        kernel(handle)?.kernel.compile()?;
        Ok(())
    })
}
