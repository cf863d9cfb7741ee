//! Functions that fill memory.

use crate::abi::{Extent, PitchedPtr};
use crate::allocations;
use crate::op::{FillOp, Op};
use crate::status::{Result, Status, hip};
use crate::stream::{self, Stream};
use std::ffi::c_void;

/// No stream: the null stream.
const NULL: *mut c_void = std::ptr::null_mut();

/// Fills in a stream; waits if the function does.
fn fill(stream: &Stream, op: FillOp, waits: bool) -> Result {
    let bytes = op.span();
    if bytes == 0 {
        return Ok(());
    }
    if op.to == 0 || !op.to.is_multiple_of(op.width as u64) {
        return Err(Status::INVALID_VALUE);
    }
    allocations::check_range(op.to, bytes)?.ok_or(Status::INVALID_VALUE)?;
    if waits { stream.run(Op::Fill(op)) } else { stream.push(Op::Fill(op)).map(|_| ()) }
}

fn linear(to: *mut c_void, value: u32, width: usize, count: usize, stream: &Stream, waits: bool) -> Result {
    fill(stream, FillOp { to: to as u64, value, width, count: [count as u64, 1, 1], pitch: [0, 0] }, waits)
}

fn rows(to: *mut c_void, pitch: usize, value: i32, width: usize, height: usize, stream: &Stream, waits: bool) -> Result {
    wide_rows(to, pitch, (value as u32, 1), width, height, stream, waits)
}

/// Rows of values of 1, 2 or 4 bytes.
fn wide_rows(
    to: *mut c_void,
    pitch: usize,
    (value, value_bytes): (u32, usize),
    width: usize,
    height: usize,
    stream: &Stream,
    waits: bool,
) -> Result {
    if height > 1 && width.saturating_mul(value_bytes) > pitch {
        return Err(Status::INVALID_VALUE);
    }
    let op = FillOp { to: to as u64, value, width: value_bytes, count: [width as u64, height as u64, 1], pitch: [pitch as u64, 0] };
    fill(stream, op, waits)
}

fn volume(to: &PitchedPtr, value: i32, extent: Extent, stream: &Stream, waits: bool) -> Result {
    let count = [extent.width as u64, extent.height as u64, extent.depth as u64];
    if extent.width > to.pitch && count[1] * count[2] > 1 {
        return Err(Status::INVALID_VALUE);
    }
    let pitch = [to.pitch as u64, (to.pitch * to.height) as u64];
    fill(stream, FillOp { to: to.ptr as u64, value: value as u32, width: 1, count, pitch }, waits)
}

hip! {
    fn hipMemset(to: *mut c_void, value: i32, bytes: usize) {
        linear(to, value as u32, 1, bytes, &*stream::get(NULL)?, true)
    }
    fn hipMemset_spt(to: *mut c_void, value: i32, bytes: usize) {
        linear(to, value as u32, 1, bytes, &*stream::get_spt(NULL)?, true)
    }
    fn hipMemsetAsync(to: *mut c_void, value: i32, bytes: usize, stream: *mut c_void) {
        linear(to, value as u32, 1, bytes, &*stream::get(stream)?, false)
    }
    fn hipMemsetAsync_spt(to: *mut c_void, value: i32, bytes: usize, stream: *mut c_void) {
        linear(to, value as u32, 1, bytes, &*stream::get_spt(stream)?, false)
    }
    fn hipMemsetD8(to: *mut c_void, value: u8, count: usize) {
        linear(to, value.into(), 1, count, &*stream::get(NULL)?, true)
    }
    fn hipMemsetD8Async(to: *mut c_void, value: u8, count: usize, stream: *mut c_void) {
        linear(to, value.into(), 1, count, &*stream::get(stream)?, false)
    }
    fn hipMemsetD16(to: *mut c_void, value: u16, count: usize) {
        linear(to, value.into(), 2, count, &*stream::get(NULL)?, true)
    }
    fn hipMemsetD16Async(to: *mut c_void, value: u16, count: usize, stream: *mut c_void) {
        linear(to, value.into(), 2, count, &*stream::get(stream)?, false)
    }
    fn hipMemsetD32(to: *mut c_void, value: i32, count: usize) {
        linear(to, value as u32, 4, count, &*stream::get(NULL)?, true)
    }
    fn hipMemsetD32Async(to: *mut c_void, value: i32, count: usize, stream: *mut c_void) {
        linear(to, value as u32, 4, count, &*stream::get(stream)?, false)
    }
    fn hipMemset2D(to: *mut c_void, pitch: usize, value: i32, width: usize, height: usize) {
        rows(to, pitch, value, width, height, &*stream::get(NULL)?, true)
    }
    fn hipMemset2D_spt(to: *mut c_void, pitch: usize, value: i32, width: usize, height: usize) {
        rows(to, pitch, value, width, height, &*stream::get_spt(NULL)?, true)
    }
    fn hipMemset2DAsync(to: *mut c_void, pitch: usize, value: i32, width: usize, height: usize, stream: *mut c_void) {
        rows(to, pitch, value, width, height, &*stream::get(stream)?, false)
    }
    fn hipMemset2DAsync_spt(to: *mut c_void, pitch: usize, value: i32, width: usize, height: usize, stream: *mut c_void) {
        rows(to, pitch, value, width, height, &*stream::get_spt(stream)?, false)
    }
    fn hipMemsetD2D8(to: *mut c_void, pitch: usize, value: u8, width: usize, height: usize) {
        wide_rows(to, pitch, (value.into(), 1), width, height, &*stream::get(NULL)?, true)
    }
    fn hipMemsetD2D8Async(to: *mut c_void, pitch: usize, value: u8, width: usize, height: usize, stream: *mut c_void) {
        wide_rows(to, pitch, (value.into(), 1), width, height, &*stream::get(stream)?, false)
    }
    fn hipMemsetD2D16(to: *mut c_void, pitch: usize, value: u16, width: usize, height: usize) {
        wide_rows(to, pitch, (value.into(), 2), width, height, &*stream::get(NULL)?, true)
    }
    fn hipMemsetD2D16Async(to: *mut c_void, pitch: usize, value: u16, width: usize, height: usize, stream: *mut c_void) {
        wide_rows(to, pitch, (value.into(), 2), width, height, &*stream::get(stream)?, false)
    }
    fn hipMemsetD2D32(to: *mut c_void, pitch: usize, value: u32, width: usize, height: usize) {
        wide_rows(to, pitch, (value, 4), width, height, &*stream::get(NULL)?, true)
    }
    fn hipMemsetD2D32Async(to: *mut c_void, pitch: usize, value: u32, width: usize, height: usize, stream: *mut c_void) {
        wide_rows(to, pitch, (value, 4), width, height, &*stream::get(stream)?, false)
    }
    fn hipMemset3D(to: PitchedPtr, value: i32, extent: Extent) {
        volume(&to, value, extent, &*stream::get(NULL)?, true)
    }
    fn hipMemset3D_spt(to: PitchedPtr, value: i32, extent: Extent) {
        volume(&to, value, extent, &*stream::get_spt(NULL)?, true)
    }
    fn hipMemset3DAsync(to: PitchedPtr, value: i32, extent: Extent, stream: *mut c_void) {
        volume(&to, value, extent, &*stream::get(stream)?, false)
    }
    fn hipMemset3DAsync_spt(to: PitchedPtr, value: i32, extent: Extent, stream: *mut c_void) {
        volume(&to, value, extent, &*stream::get_spt(stream)?, false)
    }
}
