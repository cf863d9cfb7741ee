//! Arguments of a kernel, set one by one: by number, or by name where the code object has names.

use super::super::{bad, bytes, string};
use super::call;
use super::facts::is_local;
use super::handles::{Handle, Handles};
use super::image::image;
use super::module::{COpenedKernel, kernel};
use super::sampler::sampler;
use super::structs;
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use wavejit::code_object::KernelArg;
use wavejit::fork::Mutex;
use wavejit::{Arg, Error, Image, Sampler};

/// What an argument was set to.
#[derive(Clone)]
pub(super) enum Value {
    Bytes(Vec<u8>),
    LocalBytes(u32),
    Image(Arc<Image>),
    Sampler(Arc<Sampler>),
}

impl Value {
    pub(super) fn arg(&self) -> Arg<'_> {
        match self {
            Value::Bytes(bytes) => Arg::Bytes(bytes),
            Value::LocalBytes(bytes) => Arg::LocalBytes(*bytes),
            Value::Image(image) => Arg::Image(image),
            Value::Sampler(sampler) => Arg::Sampler(sampler),
        }
    }
}

/// Arguments for launches of a kernel.
pub(super) struct COpenedArgs {
    pub kernel: Arc<COpenedKernel>,
    values: Mutex<Vec<Option<Value>>>,
}

static ARGS: Handles<COpenedArgs> = Handles::new("argument list");

/// The arguments of a handle.
pub(super) fn args(handle: Handle) -> Result<Arc<COpenedArgs>, Error> {
    ARGS.get(handle)
}

impl COpenedArgs {
    fn describe(&self, index: usize) -> String {
        let info = self.kernel.kernel.info();
        let arg = info.explicit_args().nth(index).map(wavejit::kernarg::describe).unwrap_or_default();
        format!("kernel `{}`, argument {index} ({arg})", info.name)
    }

    /// All values; an error names the first that has not been set.
    pub(super) fn values(&self) -> Result<Vec<Value>, Error> {
        let values = self.values.lock();
        let all = values.iter().enumerate().map(|(i, v)| v.clone().ok_or_else(|| bad(&format!("{}: not set", self.describe(i)))));
        all.collect()
    }

    fn set(&self, index: usize, value: impl FnOnce(&KernelArg) -> Result<Value, String>) -> Result<(), Error> {
        let info = self.kernel.kernel.info();
        let mut values = self.values.lock();
        let (Some(arg), Some(place)) = (info.explicit_args().nth(index), values.get_mut(index)) else {
            return Err(bad(&format!("kernel `{}`: argument {index}: it has {}", info.name, info.explicit_args().count())));
        };
        *place = Some(value(arg).map_err(|why| bad(&format!("{}: {why}", self.describe(index))))?);
        Ok(())
    }

    fn set_bytes(&self, index: usize, value: &[u8]) -> Result<(), Error> {
        self.set(index, |arg| match arg.bytes as usize {
            _ if is_local(arg) => Err("it is a __local pointer: set a number of LDS bytes".into()),
            wanted if wanted != value.len() => Err(format!("expected {wanted} bytes, got {}", value.len())),
            _ => Ok(Value::Bytes(value.to_vec())),
        })
    }
}

/// `int32_t wavejit2_args_open(wavejit2_kernel kernel, wavejit2_args *out)`
///
/// # Safety
/// `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_args_open(handle: Handle, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place.
        unsafe { structs::place(out)? };
        let kernel = kernel(handle)?;
        let count = kernel.kernel.info().explicit_args().count();
        let opened = COpenedArgs { kernel, values: Mutex::new(vec![None; count]) };
        // SAFETY: as above.
        unsafe { structs::put(out, ARGS.add(opened))? };
        Ok(())
    })
}

/// `int32_t wavejit2_args_close(wavejit2_args args)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_args_close(handle: Handle) -> i32 {
    call(|| {
        ARGS.close(handle)?;
        Ok(())
    })
}

/// `int32_t wavejit2_args_set(wavejit2_args args, uint32_t index, const void *value, size_t bytes)`
///
/// # Safety
/// `value` is null or has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_args_set(handle: Handle, index: u32, value: *const c_void, len: usize) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the bytes.
        args(handle)?.set_bytes(index as usize, unsafe { bytes(value, len, "value")? })?;
        Ok(())
    })
}

/// `int32_t wavejit2_args_set_named(wavejit2_args args, const char *name, const void *value, size_t bytes)`
///
/// # Safety
/// `name` is null or a string; `value` is null or has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_args_set_named(handle: Handle, name: *const c_char, value: *const c_void, len: usize) -> i32 {
    call(|| {
        let args = args(handle)?;
        // SAFETY: the caller vouches for the string and the bytes.
        let (name, value) = unsafe { (string(name, "name")?, bytes(value, len, "value")?) };
        args.set_bytes(args.kernel.facts.index(name)?, value)?;
        Ok(())
    })
}

/// `int32_t wavejit2_args_set_address(wavejit2_args args, uint32_t index, uint64_t address)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_args_set_address(handle: Handle, index: u32, address: u64) -> i32 {
    call(|| {
        args(handle)?.set_bytes(index as usize, &address.to_le_bytes())?;
        Ok(())
    })
}

/// `int32_t wavejit2_args_set_local(wavejit2_args args, uint32_t index, uint32_t bytes)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_args_set_local(handle: Handle, index: u32, len: u32) -> i32 {
    call(|| {
        let value = |arg: &KernelArg| if is_local(arg) { Ok(Value::LocalBytes(len)) } else { Err("it is not a __local pointer".into()) };
        args(handle)?.set(index as usize, value)?;
        Ok(())
    })
}

/// `int32_t wavejit2_args_set_image(wavejit2_args args, uint32_t index, wavejit2_image image)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_args_set_image(handle: Handle, index: u32, given: Handle) -> i32 {
    call(|| {
        let image = image(given)?;
        args(handle)?.set(index as usize, |_| Ok(Value::Image(image)))?;
        Ok(())
    })
}

/// `int32_t wavejit2_args_set_sampler(wavejit2_args args, uint32_t index, wavejit2_sampler sampler)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_args_set_sampler(handle: Handle, index: u32, given: Handle) -> i32 {
    call(|| {
        let sampler = sampler(given)?;
        args(handle)?.set(index as usize, |_| Ok(Value::Sampler(sampler)))?;
        Ok(())
    })
}
