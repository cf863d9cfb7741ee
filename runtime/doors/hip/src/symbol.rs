//! Functions for variables of device code.

use crate::abi::{Out, put};
use crate::copy::{self, When};
use crate::fat_binary;
use crate::gpu;
use crate::op::CopyOp;
use crate::register;
use crate::status::{Result, Status, hip};
use crate::stream;
use std::ffi::c_void;

/// No stream: the null stream.
const NULL: *mut c_void = std::ptr::null_mut();

/// Where a variable is on this thread's device, and its bytes.
fn place(shadow: *const c_void) -> Result<(u64, u64)> {
    let variable = register::variable(shadow)?;
    match variable.managed {
        Some(address) => Ok((address, variable.bytes)),
        None => {
            let module = variable.binary.module(gpu::current()?)?;
            fat_binary::symbol(&module, &variable.name).ok_or(Status::INVALID_SYMBOL)
        }
    }
}

/// A part of a variable.
pub(crate) fn part(shadow: *const c_void, offset: usize, bytes: usize) -> Result<u64> {
    let (address, size) = place(shadow)?;
    match offset.checked_add(bytes) {
        Some(end) if end as u64 <= size => Ok(address + offset as u64),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn to_symbol(
    shadow: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: i32,
    stream: *mut c_void,
    when: When,
) -> Result {
    if !matches!(kind, 1 | 3 | 4) {
        return Err(Status::INVALID_DIRECTION);
    }
    copy::copy(&*stream::get(stream)?, CopyOp::linear(part(shadow, offset, bytes)?, from as u64, bytes as u64), when)
}

fn from_symbol(to: *mut c_void, shadow: *const c_void, bytes: usize, offset: usize, kind: i32, stream: *mut c_void, when: When) -> Result {
    if !matches!(kind, 2..=4) {
        return Err(Status::INVALID_DIRECTION);
    }
    copy::copy(&*stream::get(stream)?, CopyOp::linear(to as u64, part(shadow, offset, bytes)?, bytes as u64), when)
}

hip! {
    fn hipGetSymbolAddress(address: Out<*mut c_void>, shadow: *const c_void) {
        put(address, place(shadow)?.0 as *mut c_void)
    }
    fn hipGetSymbolSize(bytes: Out<usize>, shadow: *const c_void) {
        put(bytes, place(shadow)?.1 as usize)
    }
    fn hipMemcpyToSymbol(shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32) {
        to_symbol(shadow, from, bytes, offset, kind, NULL, When::Complete)
    }
    fn hipMemcpyToSymbolAsync(shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32, stream: *mut c_void) {
        to_symbol(shadow, from, bytes, offset, kind, stream, When::Pushed)
    }
    fn hipMemcpyFromSymbol(to: *mut c_void, shadow: *const c_void, bytes: usize, offset: usize, kind: i32) {
        from_symbol(to, shadow, bytes, offset, kind, NULL, When::Complete)
    }
    fn hipMemcpyFromSymbolAsync(to: *mut c_void, shadow: *const c_void, bytes: usize, offset: usize, kind: i32, stream: *mut c_void) {
        from_symbol(to, shadow, bytes, offset, kind, stream, When::Pushed)
    }
    fn hipMemcpyToSymbol_spt(shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32) {
        to_symbol(shadow, from, bytes, offset, kind, stream::spt(NULL), When::Complete)
    }
    fn hipMemcpyToSymbolAsync_spt(shadow: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: i32, stream: *mut c_void) {
        to_symbol(shadow, from, bytes, offset, kind, stream::spt(stream), When::Pushed)
    }
    fn hipMemcpyFromSymbol_spt(to: *mut c_void, shadow: *const c_void, bytes: usize, offset: usize, kind: i32) {
        from_symbol(to, shadow, bytes, offset, kind, stream::spt(NULL), When::Complete)
    }
    fn hipMemcpyFromSymbolAsync_spt(to: *mut c_void, shadow: *const c_void, bytes: usize, offset: usize, kind: i32, stream: *mut c_void) {
        from_symbol(to, shadow, bytes, offset, kind, stream::spt(stream), When::Pushed)
    }
}
