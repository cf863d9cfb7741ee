//! What is known of a kernel and its arguments.

use super::super::{bad, c_string, string};
use super::call;
use super::handles::Handle;
use super::module::kernel;
use super::structs::{self, c_struct};
use std::ffi::{CString, c_char};
use wavejit::Error;
use wavejit::arg_type;
use wavejit::code_object::{ArgKind, KernelArg, KernelInfo};

/// `wavejit2_kernel_facts.flags`.
const HAS_METADATA: u32 = 1;
const HAS_REQUIRED_GROUP: u32 = 2;
const USES_DYNAMIC_STACK: u32 = 4;

/// `wavejit2_arg_facts.flags`.
const IS_CONST: u32 = 1;

c_struct! {
    /// `wavejit2_kernel_facts`.
    CKernelFacts = "wavejit2_kernel_facts" {
        size: u32,
        flags: u32,
        name: *const c_char,
        target: *const c_char,
        language: *const c_char,
        wave_size: u32,
        sgprs: u32,
        vgprs: u32,
        agprs: u32,
        lds_bytes: u32,
        scratch_bytes: u32,
        kernarg_bytes: u32,
        kernarg_align: u32,
        args: u32,
        hidden_args: u32,
        max_group: u32,
        required_group: [u32; 3],
        code_address: u64,
        code_bytes: u64,
    }
}

c_struct! {
    /// `wavejit2_arg_facts`.
    CArgFacts = "wavejit2_arg_facts" {
        size: u32,
        flags: u32,
        name: *const c_char,
        type_name: *const c_char,
        kind: *const c_char,
        address_space: *const c_char,
        access: *const c_char,
        bytes: u32,
        offset: u32,
        number_class: u32,
        number_bytes: u32,
        number_count: u32,
        reserved: u32,
    }
}

/// The facts with texts that C can read.
pub(super) struct KernelFacts {
    name: CString,
    target: CString,
    language: Option<CString>,
    /// Explicit ones, then hidden ones.
    args: Vec<ArgFacts>,
    explicit: usize,
}

struct ArgFacts {
    name: Option<CString>,
    type_name: Option<CString>,
    kind: CString,
    address_space: Option<CString>,
    access: Option<CString>,
    is_const: bool,
    bytes: u32,
    offset: u32,
    /// Class, bytes and count of the numbers in it; zeros if it is not known to hold any.
    numbers: [u32; 3],
}

fn text(s: &Option<CString>) -> *const c_char {
    s.as_ref().map_or(std::ptr::null(), |s| s.as_ptr())
}

impl KernelFacts {
    pub(super) fn of(info: &KernelInfo) -> KernelFacts {
        let hidden = info.args.iter().filter(|a| a.kind.is_hidden());
        let args: Vec<ArgFacts> = info.explicit_args().chain(hidden).map(ArgFacts::of).collect();
        KernelFacts {
            name: c_string(&info.name),
            target: c_string(&info.target.to_string()),
            language: info.language.as_deref().map(c_string),
            args,
            explicit: info.explicit_args().count(),
        }
    }

    /// Number of the explicit argument of a name.
    pub(super) fn index(&self, name: &str) -> Result<usize, Error> {
        let explicit = &self.args[..self.explicit];
        let found = explicit.iter().position(|a| a.name.as_ref().is_some_and(|n| n.as_bytes() == name.as_bytes()));
        found.ok_or_else(|| {
            let names: Vec<String> = explicit.iter().filter_map(|a| a.name.as_ref()).map(|n| n.to_string_lossy().into_owned()).collect();
            let (kernel, names) = (self.name.to_string_lossy(), if names.is_empty() { "none".to_string() } else { names.join(", ") });
            bad(&format!("kernel `{kernel}` has no argument `{name}`; the code object has these names: {names}"))
        })
    }

    fn c_facts(&self, info: &KernelInfo, base: u64) -> CKernelFacts {
        let flag = |is: bool, bit: u32| if is { bit } else { 0 };
        CKernelFacts {
            size: 0,
            flags: flag(info.has_metadata, HAS_METADATA)
                | flag(info.required_group.is_some(), HAS_REQUIRED_GROUP)
                | flag(info.uses_dynamic_stack, USES_DYNAMIC_STACK),
            name: self.name.as_ptr(),
            target: self.target.as_ptr(),
            language: text(&self.language),
            wave_size: info.wave_size,
            sgprs: info.sgprs,
            vgprs: info.vgprs,
            agprs: info.agprs,
            lds_bytes: info.lds_bytes,
            scratch_bytes: info.scratch_bytes,
            kernarg_bytes: info.kernarg_bytes,
            kernarg_align: info.kernarg_align,
            args: self.explicit as u32,
            hidden_args: (self.args.len() - self.explicit) as u32,
            max_group: info.max_group_work_items.unwrap_or(0),
            required_group: info.required_group.unwrap_or_default(),
            code_address: base + info.code_address,
            code_bytes: info.code_bytes,
        }
    }
}

impl ArgFacts {
    fn of(arg: &KernelArg) -> ArgFacts {
        ArgFacts {
            name: arg.name.as_deref().map(c_string),
            type_name: arg.type_name.as_deref().map(c_string),
            kind: c_string(arg.kind.name()),
            address_space: arg.address_space.as_deref().map(c_string),
            access: arg.access.as_deref().map(c_string),
            is_const: arg.is_const,
            bytes: arg.bytes,
            offset: arg.offset,
            numbers: arg_type::numbers(arg).map_or([0; 3], |(element, count)| [element.class as u32, element.bytes, count]),
        }
    }

    fn c_facts(&self) -> CArgFacts {
        let [number_class, number_bytes, number_count] = self.numbers;
        CArgFacts {
            size: 0,
            flags: if self.is_const { IS_CONST } else { 0 },
            name: text(&self.name),
            type_name: text(&self.type_name),
            kind: self.kind.as_ptr(),
            address_space: text(&self.address_space),
            access: text(&self.access),
            bytes: self.bytes,
            offset: self.offset,
            number_class,
            number_bytes,
            number_count,
            reserved: 0,
        }
    }
}

/// Is the argument an LDS pointer, which has a number of bytes instead of a value?
pub(super) fn is_local(arg: &KernelArg) -> bool {
    arg.kind == ArgKind::DynamicSharedPointer
}

/// `int32_t wavejit2_kernel_get_facts(wavejit2_kernel kernel, wavejit2_kernel_facts *out)`
///
/// # Safety
/// `out` is null or a structure of the size that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_kernel_get_facts(handle: Handle, out: *mut CKernelFacts) -> i32 {
    call(|| {
        let opened = kernel(handle)?;
        let facts = opened.facts.c_facts(opened.kernel.info(), opened.base);
        // SAFETY: the caller vouches for the structure.
        unsafe { structs::write(out, facts)? };
        Ok(())
    })
}

/// `int32_t wavejit2_kernel_get_arg(wavejit2_kernel kernel, uint32_t index, wavejit2_arg_facts *out)`
///
/// # Safety
/// `out` is null or a structure of the size that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_kernel_get_arg(handle: Handle, index: u32, out: *mut CArgFacts) -> i32 {
    call(|| {
        let opened = kernel(handle)?;
        let args = &opened.facts.args;
        let arg = args.get(index as usize).ok_or_else(|| bad(&format!("argument {index}: the kernel has {}", args.len())))?;
        // SAFETY: the caller vouches for the structure.
        unsafe { structs::write(out, arg.c_facts())? };
        Ok(())
    })
}

/// `int32_t wavejit2_kernel_find_arg(wavejit2_kernel kernel, const char *name, uint32_t *index)`
///
/// # Safety
/// `name` is null or a string; `index` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_kernel_find_arg(handle: Handle, name: *const c_char, index: *mut u32) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the string and the place.
        unsafe { structs::put(index, kernel(handle)?.facts.index(string(name, "name")?)? as u32)? };
        Ok(())
    })
}
