//! Functions that copy memory.
//!
//! Copies that name memory of the host's that is not HIP's end before the function returns, as on hardware; small ones to the device are taken at
//! once. All others are as asynchronous as their function says.

use crate::abi::{DrvMemcpy2D, DrvMemcpy3D, DrvSide3D, In, Memcpy3D, PeerCopy, copy_kind, given, zeroed};
use crate::allocations;
use crate::array::{self, Array};
use crate::gpu;
use crate::op::{CopyOp, Op};
use crate::raw;
use crate::status::{Result, Status, hip};
use crate::stream::{self, Stream};
use std::ffi::c_void;
use std::sync::Arc;

/// Copies of no more bytes are taken when the function is called.
const STAGED_BYTES: u64 = 64 << 10;

/// When a function returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// When the copy is complete.
    Complete,
    /// At once, if memory allows.
    Pushed,
}

/// Checks a direction: a known one.
pub(crate) fn check_kind(kind: i32) -> Result {
    match kind {
        copy_kind::HOST_TO_HOST..=copy_kind::DEFAULT | copy_kind::DEVICE_TO_DEVICE_NO_CU => Ok(()),
        _ => Err(Status::INVALID_DIRECTION),
    }
}

/// Copies in a stream.
pub(crate) fn copy(stream: &Stream, copy: CopyOp, when: When) -> Result {
    let [to_bytes, from_bytes] = copy.spans();
    if to_bytes == 0 {
        return Ok(());
    }
    if copy.to == 0 || copy.from == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let to = allocations::check_range(copy.to, to_bytes)?;
    let from = allocations::check_range(copy.from, from_bytes)?;
    if when == When::Complete {
        return stream.run(Op::Copy(copy));
    }
    match (to, from) {
        // What a graph copies is what is there when it runs.
        _ if stream.is_capturing() => stream.push(Op::Copy(copy)).map(|_| ()),
        (Some(_), Some(_)) => stream.push(Op::Copy(copy)).map(|_| ()),
        // The source may change when we have returned.
        (Some(_), None) if copy.size[1] * copy.size[2] == 1 && from_bytes <= STAGED_BYTES => {
            let mut bytes = vec![0; from_bytes as usize];
            stream.gpu()?.device.memory().read(copy.from, &mut bytes).map_err(|e| crate::status::told(&e))?;
            stream.push(Op::Staged { to: copy.to, from: bytes.into() }).map(|_| ())
        }
        _ => stream.run(Op::Copy(copy)),
    }
}

fn linear(to: *mut c_void, from: *const c_void, bytes: usize, kind: i32, stream: &Stream, when: When) -> Result {
    check_kind(kind)?;
    copy(stream, CopyOp::linear(to as u64, from as u64, bytes as u64), when)
}

/// Rows of pitched memory.
fn rows(
    (to, to_pitch): (*mut c_void, usize),
    (from, from_pitch): (*const c_void, usize),
    width: usize,
    height: usize,
    kind: i32,
    stream: &Stream,
    when: When,
) -> Result {
    check_kind(kind)?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    if width > to_pitch || width > from_pitch {
        return Err(Status::INVALID_PITCH);
    }
    let op = CopyOp {
        to: to as u64,
        from: from as u64,
        size: [width as u64, height as u64, 1],
        to_pitch: [to_pitch as u64, 0],
        from_pitch: [from_pitch as u64, 0],
    };
    copy(stream, op, when)
}

/// `hipMemcpy3DParms`; none if there is nothing to copy. Where an array is a side, extents and positions in it are in texels.
pub(crate) fn volume_op(given: &Memcpy3D) -> Result<Option<CopyOp>> {
    check_kind(given.kind)?;
    let arrays = [given.to_array, given.from_array].map(|a| if a.is_null() { Ok(None) } else { array::get(a).map(Some) });
    let [to_array, from_array] = arrays;
    let (to_array, from_array) = (to_array?, from_array?);
    let texel_bytes = to_array.as_ref().or(from_array.as_ref()).map_or(1, |a| a.texel_bytes());
    let size = [given.extent.width as u64 * texel_bytes, given.extent.height as u64, given.extent.depth as u64];
    if size.contains(&0) {
        return Ok(None);
    }
    let side = |array: Option<Arc<Array>>, p: &crate::abi::PitchedPtr, pos: &crate::abi::Pos| match array {
        Some(array) => array.part([pos.x as u64 * array.texel_bytes(), pos.y as u64, pos.z as u64], size),
        None if size[0] > p.pitch as u64 => Err(Status::INVALID_PITCH),
        None => {
            let (row, slice) = (p.pitch as u64, p.pitch as u64 * p.height as u64);
            Ok((p.ptr as u64 + pos.x as u64 + pos.y as u64 * row + pos.z as u64 * slice, [row, slice]))
        }
    };
    let ((to, to_pitch), (from, from_pitch)) = (side(to_array, &given.to, &given.to_pos)?, side(from_array, &given.from, &given.from_pos)?);
    Ok(Some(CopyOp { to, from, size, to_pitch, from_pitch }))
}

/// `hipMemcpy3DPeerParms`: every device reaches the memory of all.
fn peer(given: &PeerCopy) -> Result<Memcpy3D> {
    gpu::by_number(given.from_device)?;
    gpu::by_number(given.to_device)?;
    let PeerCopy { from_array, from_pos, from, to_array, to_pos, to, extent, .. } = *given;
    Ok(Memcpy3D { from_array, from_pos, from, to_array, to_pos, to, extent, kind: DEFAULT })
}

fn volume(given: &Memcpy3D, stream: &Stream, when: When) -> Result {
    volume_op(given)?.map_or(Ok(()), |op| copy(stream, op, when))
}

/// A side of a copy of the driver interface, in two dimensions as a slice of one in three.
fn driver_side(side: &DrvSide3D, size: [u64; 3]) -> Result<(u64, [u64; 2])> {
    if !side.array.is_null() {
        return array::get(side.array)?.part([side.x_bytes as u64, side.y as u64, side.z as u64], size);
    }
    let or = |given: usize, other: u64| if given == 0 { other } else { given as u64 };
    let row = or(side.pitch, size[0]);
    let slice = row * or(side.height, size[1]);
    // The host's or the device's, whichever is there.
    let base = if side.host.is_null() { side.device } else { side.host } as u64;
    Ok((base + side.x_bytes as u64 + side.y as u64 * row + side.z as u64 * slice, [row, slice]))
}

/// `HIP_MEMCPY3D`; none if there is nothing to copy.
pub(crate) fn driver_op(given: &DrvMemcpy3D) -> Result<Option<CopyOp>> {
    let size = [given.width_bytes as u64, given.height as u64, given.depth as u64];
    if size.contains(&0) {
        return Ok(None);
    }
    let ((to, to_pitch), (from, from_pitch)) = (driver_side(&given.to, size)?, driver_side(&given.from, size)?);
    Ok(Some(CopyOp { to, from, size, to_pitch, from_pitch }))
}

fn driver_3d(given: &DrvMemcpy3D, stream: &Stream, when: When) -> Result {
    driver_op(given)?.map_or(Ok(()), |op| copy(stream, op, when))
}

fn driver_2d(given: &DrvMemcpy2D, stream: &Stream, when: When) -> Result {
    let side = |s: &crate::abi::DrvSide2D| DrvSide3D {
        x_bytes: s.x_bytes,
        y: s.y,
        memory: s.memory,
        host: s.host,
        device: s.device,
        array: s.array,
        pitch: s.pitch,
        ..zeroed()
    };
    let volume =
        DrvMemcpy3D { from: side(&given.from), to: side(&given.to), width_bytes: given.width_bytes, height: given.height, depth: 1 };
    driver_3d(&volume, stream, when)
}

use When::{Complete, Pushed};
use copy_kind::{DEFAULT, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE};
/// What C calls a stream.
type StreamHandle = *mut c_void;
/// No stream: the null stream.
const NULL: StreamHandle = std::ptr::null_mut();

hip! {
    fn hipMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, kind: i32) {
        linear(to, from, bytes, kind, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpy_spt(to: *mut c_void, from: *const c_void, bytes: usize, kind: i32) {
        linear(to, from, bytes, kind, &*stream::get_spt(NULL)?, Complete)
    }
    fn hipMemcpyWithStream(to: *mut c_void, from: *const c_void, bytes: usize, kind: i32, stream: StreamHandle) {
        linear(to, from, bytes, kind, &*stream::get(stream)?, Complete)
    }
    fn hipMemcpyAsync(to: *mut c_void, from: *const c_void, bytes: usize, kind: i32, stream: StreamHandle) {
        linear(to, from, bytes, kind, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpyAsync_spt(to: *mut c_void, from: *const c_void, bytes: usize, kind: i32, stream: StreamHandle) {
        linear(to, from, bytes, kind, &*stream::get_spt(stream)?, Pushed)
    }
    fn hipMemcpyHtoD(to: *mut c_void, from: *const c_void, bytes: usize) {
        linear(to, from, bytes, HOST_TO_DEVICE, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyDtoH(to: *mut c_void, from: *const c_void, bytes: usize) {
        linear(to, from, bytes, DEVICE_TO_HOST, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyDtoD(to: *mut c_void, from: *const c_void, bytes: usize) {
        linear(to, from, bytes, DEVICE_TO_DEVICE, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyHtoDAsync(to: *mut c_void, from: *const c_void, bytes: usize, stream: StreamHandle) {
        linear(to, from, bytes, HOST_TO_DEVICE, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpyDtoHAsync(to: *mut c_void, from: *const c_void, bytes: usize, stream: StreamHandle) {
        linear(to, from, bytes, DEVICE_TO_HOST, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpyDtoDAsync(to: *mut c_void, from: *const c_void, bytes: usize, stream: StreamHandle) {
        linear(to, from, bytes, DEVICE_TO_DEVICE, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpyPeer(to: *mut c_void, to_device: i32, from: *const c_void, from_device: i32, bytes: usize) {
        gpu::by_number(to_device)?;
        // After what either device has to do.
        gpu::by_number(from_device)?.null.queue.last().wait();
        linear(to, from, bytes, DEFAULT, &gpu::by_number(to_device)?.null.clone(), Complete)
    }
    fn hipMemcpyPeerAsync(to: *mut c_void, to_device: i32, from: *const c_void, from_device: i32, bytes: usize, stream: StreamHandle) {
        gpu::by_number(to_device)?;
        gpu::by_number(from_device)?;
        linear(to, from, bytes, DEFAULT, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpy2D(to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: i32) {
        rows((to, to_pitch), (from, from_pitch), width, height, kind, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpy2D_spt(to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: i32) {
        rows((to, to_pitch), (from, from_pitch), width, height, kind, &*stream::get_spt(NULL)?, Complete)
    }
    fn hipMemcpy2DAsync(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: i32, stream: StreamHandle,
    ) {
        rows((to, to_pitch), (from, from_pitch), width, height, kind, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpy2DAsync_spt(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: i32, stream: StreamHandle,
    ) {
        rows((to, to_pitch), (from, from_pitch), width, height, kind, &*stream::get_spt(stream)?, Pushed)
    }
    fn hipMemcpy3D(copy: In<Memcpy3D>) {
        volume(&given(copy)?, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpy3D_spt(copy: In<Memcpy3D>) {
        volume(&given(copy)?, &*stream::get_spt(NULL)?, Complete)
    }
    fn hipMemcpy3DAsync(copy: In<Memcpy3D>, stream: StreamHandle) {
        volume(&given(copy)?, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpy3DAsync_spt(copy: In<Memcpy3D>, stream: StreamHandle) {
        volume(&given(copy)?, &*stream::get_spt(stream)?, Pushed)
    }
    fn hipMemcpyParam2D(copy: In<DrvMemcpy2D>) {
        driver_2d(&given(copy)?, &*stream::get(NULL)?, Complete)
    }
    fn hipDrvMemcpy2DUnaligned(copy: In<DrvMemcpy2D>) {
        driver_2d(&given(copy)?, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpyParam2DAsync(copy: In<DrvMemcpy2D>, stream: StreamHandle) {
        driver_2d(&given(copy)?, &*stream::get(stream)?, Pushed)
    }
    fn hipDrvMemcpy3D(copy: In<DrvMemcpy3D>) {
        driver_3d(&given(copy)?, &*stream::get(NULL)?, Complete)
    }
    fn hipDrvMemcpy3DAsync(copy: In<DrvMemcpy3D>, stream: StreamHandle) {
        driver_3d(&given(copy)?, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpy3DPeer(copy: In<PeerCopy>) {
        volume(&peer(&given(copy)?)?, &*stream::get(NULL)?, Complete)
    }
    fn hipMemcpy3DPeerAsync(copy: In<PeerCopy>, stream: StreamHandle) {
        volume(&peer(&given(copy)?)?, &*stream::get(stream)?, Pushed)
    }
    fn hipMemcpyBatchAsync(
        to: *const *mut c_void, from: *const *const c_void, bytes: *const usize, count: usize, _attributes: *const c_void, _indices: *const usize,
        _attribute_count: usize, _failed: *mut usize, stream: StreamHandle,
    ) {
        let (to, from, bytes) = (raw::slice(to, count)?, raw::slice(from, count)?, raw::slice(bytes, count)?);
        let stream = stream::get(stream)?;
        (0..count).try_for_each(|i| linear(to[i], from[i], bytes[i], DEFAULT, &stream, Pushed))
    }
}
