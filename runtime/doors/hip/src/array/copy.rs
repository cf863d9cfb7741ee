//! Functions that copy to and from arrays. Offsets into rows are in bytes, as is what C calls width.

use super::Array;
use crate::abi::{Out, put_if};
use crate::copy::{When, check_kind, copy};
use crate::op::CopyOp;
use crate::status::{Result, Status, hip};
use crate::stream::{self, Stream};
use std::ffi::c_void;
use std::sync::Arc;

/// What C calls an array or a stream.
type Handle = *mut c_void;
/// No stream: the null stream.
const NULL: Handle = std::ptr::null_mut();

/// A side of a copy of rows.
#[derive(Clone)]
pub(crate) enum Side {
    /// Pitched memory: address, and bytes from a row to the next.
    Memory(u64, u64),
    /// From bytes of a row and a row on.
    Array(Arc<Array>, u64, u64),
}

impl Side {
    fn array(handle: *const c_void, x: usize, y: usize) -> Result<Side> {
        Ok(Side::Array(super::get(handle)?, x as u64, y as u64))
    }

    /// For functions to which no array is a handle of the wrong kind.
    fn known_array(handle: *const c_void, x: usize, y: usize) -> Result<Side> {
        if handle.is_null() { Err(Status::INVALID_HANDLE) } else { Side::array(handle, x, y) }
    }

    fn place(&self, [bytes, rows]: [u64; 2]) -> Result<(u64, [u64; 2])> {
        match self {
            Side::Memory(_, pitch) if bytes > *pitch => Err(Status::INVALID_PITCH),
            Side::Memory(address, pitch) => Ok((*address, [*pitch, 0])),
            Side::Array(array, x, y) => array.part([*x, *y, 0], [bytes, rows, 1]),
        }
    }
}

/// Copies rows.
pub(crate) fn rows(to: Side, from: Side, bytes: usize, rows: usize, kind: i32, stream: &Stream, when: When) -> Result {
    check_kind(kind)?;
    let size = [bytes as u64, rows as u64];
    let ((to, to_pitch), (from, from_pitch)) = (to.place(size)?, from.place(size)?);
    copy(stream, CopyOp { to, from, size: [size[0], size[1], 1], to_pitch, from_pitch }, when)
}

/// Parts of bytes that go on from row to row of an array: where they are among them, at which byte of which row, how many bytes a row, how many rows.
fn parts(array: &Array, x: u64, y: u64, bytes: u64) -> Result<Vec<(u64, u64, u64, u64, u64)>> {
    let row = array.row_bytes();
    if x >= row && bytes > 0 {
        return Err(Status::INVALID_VALUE);
    }
    let first = bytes.min(row - x.min(row));
    let (whole, rest) = ((bytes - first) / row, (bytes - first) % row);
    let all = [(0, x, y, first, 1), (first, 0, y + 1, row, whole), (first + whole * row, 0, y + 1 + whole, rest, 1)];
    Ok(all.into_iter().filter(|part| part.3 * part.4 > 0).collect())
}

/// Copies bytes that follow each other in memory, and go on from row to row of an array.
fn linear(handle: *const c_void, at: [usize; 2], memory: u64, bytes: usize, is_to_array: bool, stream: &Stream, when: When) -> Result {
    let array = super::get(handle)?;
    if memory == 0 {
        return Err(Status::INVALID_VALUE);
    }
    for (offset, x, y, row_bytes, count) in parts(&array, at[0] as u64, at[1] as u64, bytes as u64)? {
        let (there, here) = (Side::Memory(memory + offset, row_bytes), Side::Array(array.clone(), x, y));
        let (to, from) = if is_to_array { (here, there) } else { (there, here) };
        rows(to, from, row_bytes as usize, count as usize, crate::abi::copy_kind::DEFAULT, stream, when)?;
    }
    Ok(())
}

use When::{Complete, Pushed};

hip! {
    fn hipMemcpy2DToArray(to: Handle, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: i32) {
        rows(Side::known_array(to, x, y)?, Side::Memory(from as u64, pitch as u64), width, height, kind, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpy2DToArray_spt(to: Handle, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: i32) {
        rows(Side::known_array(to, x, y)?, Side::Memory(from as u64, pitch as u64), width, height, kind, &*stream::get_spt(NULL)?, Complete)
    }
    fn hipMemcpy2DToArrayAsync(
        to: Handle, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: i32, stream: Handle,
    ) {
        rows(Side::known_array(to, x, y)?, Side::Memory(from as u64, pitch as u64), width, height, kind, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpy2DToArrayAsync_spt(
        to: Handle, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: i32, stream: Handle,
    ) {
        rows(Side::known_array(to, x, y)?, Side::Memory(from as u64, pitch as u64), width, height, kind, &*stream::get_spt(stream)?, Pushed)
    }
    fn hipMemcpy2DFromArray(to: *mut c_void, pitch: usize, from: *const c_void, x: usize, y: usize, width: usize, height: usize, kind: i32) {
        rows(Side::Memory(to as u64, pitch as u64), Side::known_array(from, x, y)?, width, height, kind, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpy2DFromArray_spt(to: *mut c_void, pitch: usize, from: *const c_void, x: usize, y: usize, width: usize, height: usize, kind: i32) {
        rows(Side::Memory(to as u64, pitch as u64), Side::known_array(from, x, y)?, width, height, kind, &*stream::get_spt(NULL)?, Complete)
    }
    fn hipMemcpy2DFromArrayAsync(
        to: *mut c_void, pitch: usize, from: *const c_void, x: usize, y: usize, width: usize, height: usize, kind: i32, stream: Handle,
    ) {
        rows(Side::Memory(to as u64, pitch as u64), Side::known_array(from, x, y)?, width, height, kind, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpy2DFromArrayAsync_spt(
        to: *mut c_void, pitch: usize, from: *const c_void, x: usize, y: usize, width: usize, height: usize, kind: i32, stream: Handle,
    ) {
        rows(Side::Memory(to as u64, pitch as u64), Side::known_array(from, x, y)?, width, height, kind, &*stream::get_spt(stream)?, Pushed)
    }
    fn hipMemcpy2DArrayToArray(
        to: Handle, to_x: usize, to_y: usize, from: *const c_void, from_x: usize, from_y: usize, width: usize, height: usize, kind: i32,
    ) {
        rows(Side::array(to, to_x, to_y)?, Side::array(from, from_x, from_y)?, width, height, kind, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyToArray(to: Handle, x: usize, y: usize, from: *const c_void, bytes: usize, kind: i32) {
        check_kind(kind)?;
        linear(to, [x, y], from as u64, bytes, true, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyFromArray(to: *mut c_void, from: *const c_void, x: usize, y: usize, bytes: usize, kind: i32) {
        check_kind(kind)?;
        linear(from, [x, y], to as u64, bytes, false, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyFromArray_spt(to: *mut c_void, from: *const c_void, x: usize, y: usize, bytes: usize, kind: i32) {
        check_kind(kind)?;
        linear(from, [x, y], to as u64, bytes, false, &*stream::get_spt(NULL)?, Complete)
    }
    fn hipMemcpyHtoA(to: Handle, offset: usize, from: *const c_void, bytes: usize) {
        linear(to, [offset, 0], from as u64, bytes, true, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyHtoAAsync(to: Handle, offset: usize, from: *const c_void, bytes: usize, stream: Handle) {
        linear(to, [offset, 0], from as u64, bytes, true, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpyDtoA(to: Handle, offset: usize, from: *const c_void, bytes: usize) {
        linear(to, [offset, 0], from as u64, bytes, true, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyAtoH(to: *mut c_void, from: Handle, offset: usize, bytes: usize) {
        linear(from, [offset, 0], to as u64, bytes, false, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyAtoHAsync(to: *mut c_void, from: Handle, offset: usize, bytes: usize, stream: Handle) {
        linear(from, [offset, 0], to as u64, bytes, false, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpyAtoD(to: *mut c_void, from: Handle, offset: usize, bytes: usize) {
        linear(from, [offset, 0], to as u64, bytes, false, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyAtoA(to: Handle, to_offset: usize, from: Handle, from_offset: usize, bytes: usize) {
        rows(Side::array(to, to_offset, 0)?, Side::array(from, from_offset, 0)?, bytes, 1, crate::abi::copy_kind::DEFAULT, &*stream::get(NULL)?, Complete)
    }
    fn hipGetTextureAlignmentOffset(offset: Out<usize>, texture: *const c_void) {
        // Whatever memory a texture is bound to, it begins at the address that was given.
        if texture.is_null() { return Err(Status::INVALID_VALUE); }
        put_if(offset, 0);
        Ok(())
    }
}
